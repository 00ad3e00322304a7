"""One home-made match as each federation's table would have played it, and its playthrough as text.

The players and the facts are the same; where the texts answer differently, the table does as its
own text says. Every line of judgement is read off the folds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from events import catalogue
from events.envelope import Basis
from events.payloads import appeal, attendance, clock, dice, dispute, match, play
from events.payloads.base import Actor
from events.values import ONE, TWO, BySeat, Seat
from projections.judging.wrong_length import OUTCOME
from projections.replay import Replay, Step
from projections.rules.answers import Answer
from projections.states import Judged
from projections.views.lines import event_line
from projections.views.open_windows import windows_of
from projections.views.transcript import transcript
from projections.views.window import Window
from tests.projections.playthroughs import NAMES
from tests.projections.table import ENTRY, Table

USBGF, BIBA, FCBG = FEDERATIONS = ("usbgf-2017-07", "biba-2014", "fcbg-tournament")

FLAT = dice.Observation(
    at_rest="natural",
    location="playing_field",
    baffle_box=False,
    rolled_side="right",
    rest_side="right",
    first_contact="field",
    left_board_and_returned="none",
    rests_on=("field",),
    balanced_on="none",
    tipped_after_balance=False,
    tilt="flat",
    tilt_cause="none",
)
LEANING = replace(
    FLAT,
    touching=("checker_side",),
    supported_by="unclear",
    tilt="tilted",
    tilt_cause="vertical_support",
)
"""The die leans against a checker; the players disagree about whether the checker holds it up."""
ON_TOP = replace(FLAT, rests_on=("checker_a",))
"""It lies flat on top of one checker."""


# The match.


def federation_match(rule_set: str) -> Table:
    """Posted to 5 and played to 3; the error is found once the result is posted."""
    table = Table(5, rule_set=rule_set)
    _beginning(table)
    _disputed_roll(table)
    _illegal_play(table)
    _early_roll(table, rule_set)
    _doubled_and_won(table)
    _second_game(table, rule_set)
    _wrong_length(table)
    _appeal(table, rule_set)
    return table


def _beginning(table: Table) -> None:
    """Two is twelve minutes late; both believe in a match to 3; a tie, then an opening roll."""
    for seat, at_s in ((ONE, 0), (TWO, 720)):
        table.record(attendance.PlayerArrived(seat=seat, at_ms=at_s * 1_000))
    terms = clock.ClockSet(
        kind=clock.ClockKind.SIMPLE, reserve_ms=BySeat(600_000, 600_000), delay_ms=12_000
    )
    table.record(terms)
    for seat in Seat:
        table.record(match.MatchLengthBelieved(seat=seat, length=3))
    table.game().opening(4, 4).opening(3, 1)
    table.record(clock.ClockStarted(seat=ONE, at_ms=800_000))
    table.play("one", "8/5 6/5").press("one", 820)


def _disputed_roll(table: Table) -> None:
    """A die leans against a checker: one says cocked, two says not, the Director is called."""
    rolled = dice.Rolled(seat=TWO, dice=(6, 5), observations=(FLAT, LEANING))
    roll = table.record(rolled).last
    table.record(clock.ClockPaused(at_ms=850_000, reason="dispute"))
    raised = dispute.DisputeRaised(by=Actor.ONE, frozen_at=roll, topic="dice.validity")
    frozen = table.record(raised).last
    table.record(dispute.DirectorCalled(by=Actor.TWO, about=roll))
    question = dispute.Question(topic="dice.validity", at=roll, seat=TWO)
    answers = _answers(table, question, reading="invalid")
    table.record(dispute.RulingMade(answers=answers, dispute=frozen), basis=Basis.RULED)
    cocked = dice.VoidReason.COCKED
    table.record(
        dice.Voided(
            seat=TWO,
            reason=cocked,
            target=roll,
            caller=Actor.ONE,
            contested=True,
        )
    )
    table.record(clock.ClockResumed(seat=TWO, at_ms=1_000_000))


def _answers(
    table: Table, question: dispute.Question, *, reading: str
) -> tuple[dispute.Answer, ...]:
    """What the Director answers; what the text settles is no question, and he only applies it."""
    asked = {
        (one.ruling_required.topic, one.entry_id)
        for one in table.replay.open_questions
        if one.ruling_required is not None
    }
    if (question.topic, question.at) not in asked:
        return ()
    return (dispute.Answer(question=question, reading=reading),)


def _illegal_play(table: Table) -> None:
    """Two moves a pip too far; one sees it before rolling, and it is put right."""
    table.roll("two", 42)
    slip = table.play("two", "8/4 6/3").press("two", 1_020).events[-2].entry_id
    table.record(
        play.PlayIllegalityNoticed(
            target=slip,
            illegality_class=play.IllegalityClass.DICE_OR_PIPS,
            noticed_by=Actor.ONE,
        )
    )
    table.correct(slip, "8/4 6/4")


def _early_roll(table: Table, rule_set: str) -> None:
    """Two rolls before one has pressed; it stands, but where every early roll is rolled again."""
    table.turn("one", 61, "13/7 8/7").early("two", 53)
    if rule_set == FCBG:
        table.answers_early("redone").press("one", 1_050).turn("two", 21, "13/11 6/5")
    else:
        table.answers_early("stands").press("one", 1_050).play("two", "8/3 6/3")
    table.press("two", 1_090)


def _doubled_and_won(table: Table) -> None:
    """A double, a take, moves that nobody wrote down, and two points on the board."""
    table.double("one").take("two").turn("one", 21, "13/11 6/5").press("one", 1_110)
    _rest_unseen(table, 1_200, BySeat(500_000, 400_000))
    table.turn("one", 65, "2/off").won("one", 2).noted(2, 0, "one").noted(2, 0, "two")
    table.record(clock.ClockPaused(at_ms=1_300_000, reason="between_games"))


def _rest_unseen(table: Table, at_s: int, readings: BySeat[int | None]) -> None:
    """The scribe was away; the clock was read and the board agreed on when he came back."""
    table.record(play.PlayUnseen())
    table.record(clock.ClockPaused(at_ms=at_s * 1_000, readings=readings))
    table.scene("single")
    table.record(clock.ClockResumed(seat=ONE, at_ms=(at_s + 60) * 1_000))


def _second_game(table: Table, rule_set: str) -> None:
    """One's die lies flat on a checker, which counts under one text; one wins 3-0, they think."""
    table.game().opening(1, 3).record(clock.ClockStarted(seat=TWO, at_ms=1_400_000))
    table.play("two", "8/5 6/5").press("two", 1_420)
    on_checker = (ON_TOP, FLAT)
    if rule_set == USBGF:
        table.record(dice.Rolled(seat=ONE, dice=(4, 2), observations=on_checker))
    else:
        reason = dice.VoidReason.ON_CHECKER
        void = dice.Voided(seat=ONE, reason=reason, dice=(4, 2), observations=on_checker)
        table.record(void).roll("one", 42)
    table.play("one", "8/4 6/4").press("one", 1_440)
    _rest_unseen(table, 1_600, BySeat(220_000, 310_000))
    table.turn("one", 65, "2/off").won("one", 1)
    table.record(clock.ClockPaused(at_ms=1_700_000))
    ended = match.MatchEnded(winner=ONE, score=BySeat(3, 0))
    table.record(ended, basis=Basis.AGREED)
    for seat in Seat:
        table.record(match.ResultReported(seat=seat, winner=ONE, score=BySeat(3, 0)))
    table.record(match.ResultPosted(winner=ONE, score=BySeat(3, 0)))


def _wrong_length(table: Table) -> None:
    """An official sees that the match was posted to 5."""
    error = match.MatchLengthErrorFound(
        wrong=3, correct=5, during_game=False, knowingly=False, found_by=Actor.OFFICIAL
    )
    table.record(error, basis=Basis.AGREED)


def _appeal(table: Table, rule_set: str) -> None:
    """The Director lets 3-0 stand; two appeals; two of three members would reverse that."""
    error = table.last
    called = table.record(dispute.DirectorCalled(by=Actor.TWO, about=error)).last
    question = dispute.Question(topic=OUTCOME, at=error)
    made = dispute.RulingMade(
        dispute=called, answers=_answers(table, question, reading="result_stands")
    )
    ruling = table.record(made, basis=Basis.RULED).last
    filed = table.record(appeal.AppealFiled(seat=TWO, target=ruling)).last
    members = tuple(appeal.Member(member=f"m{number}", independent=True) for number in (1, 2, 3))
    convened = appeal.CommitteeConvened(
        size=3, members=members, appeal=filed, anonymised=True if rule_set == BIBA else None
    )
    table.record(convened)
    words = (appeal.Vote.REVERSE, appeal.Vote.REVERSE, appeal.Vote.UPHOLD)
    for member, vote in zip(members, words, strict=True):
        table.record(appeal.VoteCast(member=member.member, vote=vote, appeal=filed))
    if rule_set == USBGF:
        table.record(appeal.VoteDirectorCast(vote=appeal.Vote.UPHOLD, appeal=filed))
    is_reversed = rule_set == FCBG
    outcome = appeal.AppealOutcome.REVERSED if is_reversed else appeal.AppealOutcome.UPHELD
    decided = table.record(appeal.AppealDecided(outcome=outcome, appeal=filed)).last
    if is_reversed:
        instead = (dispute.Answer(question=question, reading="appointed_length"),)
        table.record(dispute.RulingMade(dispute=called, answers=instead), basis=Basis.RULED)
        table.carry_out(ruling=decided)
        table.game().opening(3, 1).play("one", "8/5 6/5")
        table.record(play.PlayUnseen()).scene("gammon")
        table.turn("one", 65, "2/off").won("one", 2).ended("one", (5, 0))
        table.record(match.ResultCorrected(old=BySeat(3, 0), new=BySeat(5, 0)))


# The text.

_ENTRY = re.compile(re.escape(ENTRY.format(0)[:24]) + r"(\d{12})")


def written(shown: Replay) -> str:
    """The transcript, then every event with all that follows from it."""
    lines = list(transcript(shown, NAMES))
    windows: set[Window] = set()
    for step in shown.steps:
        lines += ["", *_block(step, shown)]
        then = windows_of(shown.at(step.event.version))
        lines += [f"      # {_window(window)}" for window in then if window not in windows]
        windows = set(then)
    return "\n".join([*lines, ""])


def _block(step: Step, shown: Replay) -> Iterator[str]:
    line = event_line(step, shown)
    basis = "" if step.event.basis is Basis.OBSERVED else f" ({step.event.basis.value})"
    yield f"{line['version']:3} {line['tag']}{basis}"
    if facts := _facts(step):
        yield f"      {facts}"
    if line["play"] is not None:
        yield f"      play {line['play'] or 'none'}"
    value, owner, offered_by = line["cube"].values()
    offer = f" offered by {offered_by}" if offered_by else ""
    yield (
        f"      {line['position_id'] or '-':14} {'-'.join(map(str, line['score'].values()))}"
        f"  cube {value} {owner or 'middle'}{offer}  on roll {line['on_roll'] or '-'}, "
        f"to act {line['to_act'] or '-'}, open {line['turn_open'] or '-'}"
    )
    if line["clock"] is not None:
        one, two = line["clock"]["reserve_ms"].values()
        running = line["clock"]["running"]
        yield f"      clock {one} {two}, {f'{running} runs' if running else 'stands'}"
    board = step.after.positions.board
    if board is not None and board != step.before.positions.board:
        yield f"      one {_men(board.own)} | two {_men(board.other)}"
    yield from (
        f"      = {_by_version(told)}"
        for told in _judgements(step.before.judged, step.after.judged)
    )
    for finding in line["findings"]:
        ruling = finding["ruling_required"]
        asked = ""
        if ruling is not None:
            by = finding["answered_by"]
            asked = f" [{ruling['topic']}: {f'answered at {by}' if by else 'open'}]"
        amb = f", {finding['ambiguity']}" if finding["ambiguity"] else ""
        yield (
            f"      ! {finding['code']} {finding['seat'] or '-'} "
            f"({finding['rule_set']}, {finding['section']}{amb}): {finding['message']}{asked}"
        )


def _men(counts: tuple[int, ...]) -> str:
    """Where checkers are, the highest point first."""
    words = {0: "off", 25: "bar"}
    return " ".join(
        f"{words.get(point, point)}:{counts[point]}" for point in range(25, -1, -1) if counts[point]
    )


def _facts(step: Step) -> str:
    """What the event says, entries by version; moves are written as a play instead."""
    body = json.loads(catalogue.encode(step.event.payload))
    body = {key: value for key, value in body.items() if key not in ("moves", "checkers")}
    if "observations" in body:
        body["observations"] = [_unusual(die) for die in body["observations"]]
    text = "; ".join(f"{key} {_plain(value)}" for key, value in body.items() if value is not None)
    return _by_version(text)


def _unusual(die: dict[str, Any]) -> dict[str, Any] | str:
    """What sets a die apart from one that lies flat on the field."""
    usual = json.loads(msgspec.json.encode(FLAT))
    facts = {key: value for key, value in die.items() if usual.get(key) != value}
    return facts or "flat on the field"


def _by_version(text: str) -> str:
    """Entry ids of a table as the versions that are in them."""
    return _ENTRY.sub(lambda found: f"#{int(found[1])}", text)


def _judgements(before: Judged, after: Judged) -> Iterator[str]:
    """Answers that are new, by the name under which the folds keep them; windows that moved."""
    if before is after:
        return
    for fold in Judged.__struct_fields__:
        old, new = getattr(before, fold), getattr(after, fold)
        for name in new.__struct_fields__:
            value = getattr(new, name)
            was = getattr(old, name)
            if isinstance(value, Answer) and (was is None or _in_words(value) != _in_words(was)):
                yield f"{fold}.{name}: {_in_words(value)}"
    for die, answer in enumerate(after.throws.dice, start=1):
        if after.throws is not before.throws:
            yield f"throws.dice {die}: {_in_words(answer)}"
    for seat in Seat:
        account = after.penalties.accounts[seat]
        if account.answer is not None and account.answer != before.penalties.accounts[seat].answer:
            yield f"penalties of {seat.value}: {_in_words(account.answer)}"


def _window(window: Window) -> str:
    """What could be put right, what became of it, who may or must, until what, what shut it."""
    duty = "must" if window.must else "may" if window.may else None
    words = [
        f"window of {window.seat.value if window.seat else 'a'} {window.what.value}",
        f"{window.entry}: {window.state.value}",
        f"({window.section})",
    ]
    if duty is not None:
        words.append(f"{duty} be put right" + (f" by {window.by}" if window.by else ""))
    if window.until is not None:
        words.append(f"until {window.until}")
    if window.closed_by is not None:
        words.append(f"shut by {window.closed_by}")
    return _by_version(" ".join(words))


def _in_words(answer: Answer) -> str:
    """Outcome, section, details, what made it a question, questions beside it."""
    words = [answer.outcome, f"({answer.section or '-'})"]
    if answer.details:
        words.append(_plain(answer.details))
    if (why := answer.ambiguity or answer.reason) is not None:
        words.append(f"because {why}")
    if answer.readings:
        words.append(f"readings {' / '.join(answer.readings)}")
    if answer.lean is not None:
        words.append(f"leans {_plain(answer.lean)}")
    if answer.flag is not None:
        words.append(f"flagged {answer.flag}")
    words += [f"also {name}: {_in_words(other)}" for name, other in answer.also.items()]
    return " ".join(words)


def _plain(value: Any) -> str:
    value = msgspec.to_builtins(dict(value) if isinstance(value, Mapping) else value)
    return value if isinstance(value, str) else json.dumps(value, default=str).replace('"', "")
