"""Playthroughs: whole matches as text, every event with all that follows from it."""

from __future__ import annotations

from collections.abc import Iterator

from events.payloads import clock, dice, dispute, match, play
from events.payloads.base import Actor
from events.values import BySeat, Seat
from projections.replay import Replay
from projections.views.lines import event_lines
from projections.views.transcript import transcript
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO

NAMES = BySeat("Ada", "Ben")
"""Made up."""


def written(shown: Replay) -> str:
    """A match as its transcript, then event by event."""
    return "\n".join([*transcript(shown, NAMES), "", *_by_event(shown), ""])


def _by_event(shown: Replay) -> Iterator[str]:
    for line in event_lines(shown):
        act = [f"{line['version']:3} {line['tag']}"]
        if line["seat"]:
            act.append(line["seat"])
        if line["dice"]:
            act.append("".join(str(face or "?") for face in line["dice"]))
        if line["play"] is not None:
            act.append(line["play"] or "no play")
        yield " ".join(act)
        value, owner, offered_by = line["cube"].values()
        offer = f" offered by {offered_by}" if offered_by else ""
        turn = [f"on roll {line['on_roll'] or '-'}", f"to act {line['to_act'] or '-'}"]
        if line["turn_open"]:
            turn.append(f"open {line['turn_open']}")
        yield (
            f"      {line['position_id'] or '-':14} {'-'.join(map(str, line['score'].values()))}"
            f"  cube {value} {owner or 'middle'}{offer}  {', '.join(turn)}{_clock(line['clock'])}"
        )
        for finding in line["findings"]:
            ruling = finding["ruling_required"]
            asked = "" if ruling is None else f" [{ruling['topic']}: {finding['answered_by']}]"
            yield (
                f"      ! {finding['code']} {finding['seat'] or '-'} "
                f"({finding['rule_set']}, {finding['section']}): {finding['message']}{asked}"
            )


def _clock(shown: dict[str, object] | None) -> str:
    if shown is None:
        return ""
    one, two = shown["reserve_ms"].values()  # type: ignore[attr-defined]
    return f"  clock {one} {two} {shown['running'] or 'stands'}"


def home_match() -> Table:
    """A five-point match with a little of everything that happens at a table."""
    table = Table(5)
    table.record(
        clock.ClockSet(
            kind=clock.ClockKind.SIMPLE, reserve_ms=BySeat(600_000, 600_000), delay_ms=12_000
        )
    )
    # Game 1: a tie, a cocked roll, an early roll that stands, a taken double, a gammon.
    table.game().opening(4, 4).opening(3, 1)
    table.record(clock.ClockStarted(seat=ONE, at_ms=0))
    table.play("one", "8/5 6/5").press("one", 9)
    table.void(seat="two").turn("two", 42, "8/4 6/4").early("one", 61)
    table.answers_early("stands").press("two", 40).play("one", "13/7 8/7").press("one", 60)
    table.turn("two", 53, "8/3 6/3").press("two", 95).double("one").take("two")
    table.turn("one", 21, "13/11 6/5").press("one", 110)
    table.record(clock.ClockPaused(at_ms=115_000, reason="director_called"))
    table.record(dispute.DirectorCalled(by=Actor.TWO))
    table.scene("gammon").record(clock.ClockResumed(seat=ONE, at_ms=300_000))
    table.turn("one", 65, "2/off").won("one", 4).noted(4, 0, "one").noted(2, 0, "two")
    table.record(clock.ClockPaused(at_ms=310_000, readings=BySeat(600_000, 540_000)))
    # Game 2, Crawford: a double all the same, an illegal play that stood, one put right.
    table.game().opening(1, 3).play("two", "8/5 6/4").turn("one", 42, "8/4 6/4")
    table.double("two")
    table.void_cube(table.last).roll("two", 61)
    slip = table.play("two", "13/7 8/6").last
    noticed = play.PlayIllegalityNoticed(target=slip, noticed_by=Actor.ONE)
    table.record(noticed).correct(slip, "13/7 8/7")
    table.turn("one", 53, "8/3 6/3").resign("one", "gammon").refuse("two").roll("two", 21)
    table.amend(table.last, dice.Rolled(seat=TWO, dice=(2, 2))).play("two", "13/11(2) 6/4(2)")
    table.won("two", 2)
    # Game 3: a wrong side pressed, a reserve run out, a ruling, the match by resignation.
    table.game().opening(6, 2).play("one", "24/18 13/11")
    table.record(clock.ClockStarted(seat=ONE, at_ms=400_000)).press("two", 410)
    table.turn("two", 65, "24/18 18/13")
    noticed_flag = clock.ClockFlagNoticed(
        whose=clock.Flag.TWO, at_ms=500_000, readings=BySeat(None, 0)
    )
    flag = table.record(noticed_flag).last
    question = dispute.Question(topic="clock.flag", at=flag, seat=TWO)
    table.record(
        dispute.RulingMade(answers=(dispute.Answer(question=question, reading="play_on"),))
    )
    table.carry_out(reserve_ms=BySeat(500_000, 60_000), on_roll=ONE)
    table.resign("two").accept("one").won("one", 1)
    return table.record(match.MatchEnded(winner=ONE, score=BySeat(5, 2)))
