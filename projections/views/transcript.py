"""The match as a person would write it: games, turns in two columns, findings and rulings."""

from __future__ import annotations

from collections.abc import Iterator

from events.payloads import (
    appeal,
    attendance,
    clock,
    cube,
    dice,
    dispute,
    ending,
    match,
    penalty,
    play,
)
from events.payloads.base import Actor, WinKind
from events.values import BySeat, Seat
from projections.board.notation import format_play
from projections.facts.score import CrawfordPhase, EndedBy, Score
from projections.folding.findings import Severity
from projections.replay import Replay, Step
from projections.views.freezing import freezes, frozen_by

SEATS = BySeat("one", "two")
"""What the players are called where the caller has no names."""

BEFORE = "Before the first game"
"""The heading over what comes before the first game."""

_WIDTH = 34


def transcript(shown: Replay, names: BySeat[str] = SEATS) -> list[str]:
    """The lines of a match; `names` say who sits where.

    Turns stand in two columns, numbered from 1 in each game, seat one on the left; the acts of a
    turn follow one another. What interrupts the play stands on a line of its own: throws that do
    not count, corrections, rulings, and every irregularity, marked `!`. What comes before the first
    game has a heading of its own.
    """
    page = _Page(names)
    known = freezes(shown)
    last: int | None = None
    for step in shown.steps:
        dispute_at = frozen_by(known, step.event)
        if dispute_at is not None and dispute_at != last:
            page.write_line(f"      made while a ruling on entry {dispute_at} was awaited:")
            last = dispute_at
        page.take(step, shown)
    page.finish_row()
    return page.lines


class _Page:
    """Lines that are being written, and the row that is not full yet."""

    def __init__(self, names: BySeat[str]) -> None:
        self.names = names
        self.lines: list[str] = []
        self._row: dict[Seat, str] = {}
        self._number = 0
        self._last: Seat | None = None
        self._has_roll = False

    def take(self, step: Step, shown: Replay) -> None:
        """Write one step: an act into its column, anything else on a line of its own."""
        if step.after.score.game_number != step.before.score.game_number:
            self._begin_game(step)
        act = act_of(step)
        if act is not None:
            if isinstance(step.event.payload, play.PlayMade):
                self._write_early_roll(step)
            self._write(*act)
        for line in asides(step, self.names):
            self.write_line(f"      {line}")
        for finding in step.findings:
            answer = shown.answered(finding).answered_by
            mark = "!" if finding.severity is Severity.IRREGULARITY else "-"
            asked = f" (ruled at {answer})" if answer else " (a ruling is needed)"
            asked = asked if finding.ruling_required is not None else ""
            self.write_line(f"    {mark} {finding.message}{asked}")
        if step.after.score.ended_at == step.event.version:
            self._end_game(step)

    def write_line(self, line: str) -> None:
        """A line of its own."""
        self.finish_row()
        if not self.lines:
            self.lines.append(BEFORE)
        self.lines.append(line)

    def finish_row(self) -> None:
        """Write the row that is open, if there is one."""
        if self._row:
            one, two = (self._row.get(seat, "") for seat in Seat)
            self.lines.append(f"{self._number:3}) {one:<{_WIDTH}}{two}".rstrip())
            self._row = {}

    def _write(self, seat: Seat, text: str) -> None:
        # Consecutive acts of a seat share a cell, but a cell holds one roll; an interrupted row
        # goes on under its number.
        is_roll = text.endswith(":")
        follows = seat is self._last and not (is_roll and self._has_roll)
        if not follows:
            self._has_roll = False
            if self._last is not Seat.ONE or seat is Seat.ONE:
                self.finish_row()
                self._number += 1
        self._has_roll = self._has_roll or is_roll
        self._last = seat
        self._row[seat] = f"{self._row.get(seat, '')} {text}".lstrip()

    def _write_early_roll(self, step: Step) -> None:
        # A roll that was thrown early stands beside its play, like any other.
        seat, faces = step.event.payload.seat, step.before.flow.dice_of(step.event.payload.seat)
        if faces is not None and not (seat is self._last and self._has_roll):
            self._write(seat, f"{faces[0]}{faces[1]}:")

    def _begin_game(self, step: Step) -> None:
        score, names = step.after.score, self.names
        self.finish_row()
        self._number, self._last = 0, None
        crawford = ", Crawford game" if score.phase is CrawfordPhase.CRAWFORD else ""
        self.lines += [""] if self.lines else []
        self.lines.append(f"Game {score.game_number}{crawford}")
        one = f"{names.one}: {score.score.one}"
        self.lines.append(f"     {one:<{_WIDTH}}{names.two}: {score.score.two}")

    def _end_game(self, step: Step) -> None:
        self.write_line(f"     {won(step.after.score, self.names)}")


def won(score: Score, names: BySeat[str]) -> str:
    """Who won the game that has just ended, by how much and how."""
    game = score.games[-1]
    level = "" if game.kind in (None, WinKind.SINGLE) else f" with a {game.kind}"
    how = "" if game.ended_by is EndedBy.BOARD else f", by {game.ended_by}"
    points = "1 point" if game.points == 1 else f"{game.points} points"
    level += " and the match" if score.winner is game.winner else ""
    return f"{names[game.winner]} wins {points}{level}{how}"


def act_of(step: Step) -> tuple[Seat, str] | None:
    """What a player did in the ordinary course of a turn: whose column, and the words."""
    payload = step.event.payload
    match payload:
        case dice.Rolled(seat=seat, dice=faces):
            return seat, f"{faces[0]}{faces[1]}:"
        case dice.OpeningRolled(one=one, two=two) if one != two and step.after.flow.in_game:
            seat = Seat.ONE if one > two else Seat.TWO
            return seat, f"{max(one, two)}{min(one, two)}:"
        case play.PlayMade(seat=seat, moves=moves, resulting_position=None):
            return seat, format_play(moves, step.hits) or "(no play)"
        case play.PlayMade(seat=seat):
            return seat, "(a play told by its end)"
        case cube.DoubleOffered(seat=seat):
            return seat, f"doubles to {step.before.cube.value * 2}"
        case cube.DoubleTaken(seat=seat):
            return seat, "takes"
        case cube.DoubleDropped(seat=seat):
            return seat, "drops"
        case cube.CubeBeavered(seat=seat):
            return seat, f"beavers to {step.before.cube.value * 4}"
        case ending.ResignationOffered(seat=seat, level=level):
            return seat, "resigns" if level is None else f"resigns a {level} game"
        case ending.ResignationAccepted(seat=seat):
            return seat, "accepts"
        case ending.ResignationRefused(seat=seat):
            return seat, "refuses"
        case _:
            return None


def asides(step: Step, names: BySeat[str]) -> Iterator[str]:
    """What is to be told of a step on lines of its own, in the words of the transcript."""
    for tell in (_of_play, _of_players, _of_rulings, _of_appeals):
        for line in tell(step, names):
            # Some words are typed freely, and a line is to stay one on any terminal.
            yield "".join(
                mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in line
            )


def _of_play(step: Step, names: BySeat[str]) -> Iterator[str]:
    """Dice, plays, cube, score, clock."""
    payload = step.event.payload
    match payload:
        case dice.OpeningRolled(one=one, two=two) if one == two:
            yield f"opening roll {one}{two}: rolled again"
        case dice.Voided(seat=seat, reason=reason, dice=faces):
            who = "" if seat is None else f" of {names[seat]}"
            read = "" if faces is None else " " + "".join(str(face or "?") for face in faces)
            yield f"roll{read}{who} does not count: {_words(reason)}"
        case dice.RolledEarly(seat=seat, dice=faces):
            yield f"{names[seat]} rolls {faces[0]}{faces[1]} early"
        case dice.EarlyRollAnswered(answer=said):
            yield f"the early roll: {_words(said)}"
        case play.PlayRevised(seat=seat, moves=moves, resulting_position=None):
            yield f"{names[seat]} changes it to {format_play(moves, step.hits) or 'no play'}"
        case play.PlayCorrected(moves=moves, checkers=None):
            yield f"corrected to {format_play(moves, step.hits) or 'no play'}"
        case play.PlayCorrected() | play.PositionStated() | play.PlayRevised():
            yield "the board is set"
        case play.PlayUnseen():
            yield "something was played that nobody saw"
        case play.StartCorrected(seat=seat, moved=moved):
            yield f"the start of {names[seat]} is corrected: {format_play(moved)}"
        case cube.CubeActionVoided():
            yield "the cube act is void"
        case cube.CubeStated(value=value, owner=owner):
            where = "in the middle" if owner is None else f"with {names[owner]}"
            yield f"the cube shows {value}, {where}"
        case match.ScoreStated(score=score):
            yield f"the score is {score.one}-{score.two}"
        case clock.ClockFlagNoticed(whose=whose):
            yield f"flag noticed: {whose.value}"
        case match.MatchEnded():
            yield f"the match is over: {'-'.join(map(str, step.after.score.score))}"
        case _:
            return


def _of_players(step: Step, names: BySeat[str]) -> Iterator[str]:
    """Who came and went, and which length they played to."""
    match step.event.payload:
        case attendance.PlayerCalled(seat=seat, at_ms=at_ms):
            yield f"{names[seat]} is called to the table{_at(at_ms)}"
        case attendance.PlayerArrived(seat=seat, at_ms=at_ms):
            yield f"{names[seat]} arrives{_at(at_ms)}"
        case attendance.PlayerLeft(seat=seat, at_ms=at_ms):
            yield f"{names[seat]} leaves{_at(at_ms)}"
        case attendance.BreakStarted(seats=seats, at_ms=at_ms):
            yield f"break: {' and '.join(names[seat] for seat in seats)}{_at(at_ms)}"
        case attendance.BreakEnded(at_ms=at_ms):
            yield f"the break is over{_at(at_ms)}"
        case attendance.DelayNoted(seat=seat, kind=kind, excess_ms=late):
            yield f"{names[seat]} is {_minutes(late)} late: {_words(kind)}"
        case attendance.DelayExcused(seat=seat):
            yield f"the delay of {names[seat]} is excused"
        case match.MatchLengthBelieved(seat=seat, length=length):
            yield f"{names[seat]} believes in a match to {length}"
        case match.MatchLengthErrorFound(wrong=wrong, correct=correct):
            yield f"wrong length found: played to {wrong}, posted to {correct}"
        case match.DecidingGameOrdered():
            yield "a deciding game is ordered"
        case match.MatchCancelled():
            yield "the match is cancelled"
        case _:
            return


def _of_rulings(step: Step, names: BySeat[str]) -> Iterator[str]:
    """Penalties, disputes, rulings."""
    match step.event.payload:
        case penalty.PenaltyAssessed(seat=seat, points=points, ground=ground):
            yield f"{_points(points)} against {names[seat]}: {_words(ground)}"
        case penalty.ForfeitDeclared(seat=seat) | penalty.PlayerDisqualified(seat=seat):
            yield f"the match is lost by {names[seat]}"
        case penalty.PenaltyWaived(points=points):
            told = "all penalty points are" if points is None else _points(points)
            yield f"{told}{' is' if points == 1 else '' if points is None else ' are'} waived"
        case penalty.SlowPlayWarned(seat=seat):
            yield f"{names[seat]} is warned of slow play"
        case penalty.SanctionImposed(seat=seat, kind=kind):
            yield f"sanction against {names[seat]}: {_words(kind)}"
        case dispute.DirectorCalled(by=by):
            yield f"the director is called{'' if by is None else f' by {_who(by, names)}'}"
        case dispute.DisputeRaised(by=by, topic=topic, readings=readings):
            said = "; ".join(
                f"{_who(one.by, names)} says {_words(one.reading)}"
                for one in readings
                if one.reading
            )
            about = "" if topic is None else f": {topic}"
            yield f"dispute by {_who(by, names)}{about}{f' ({said})' if said else ''}"
        case dispute.QuestionLeft(question=question):
            yield f"the director leaves a question to rest: {question.topic}"
        case dispute.RulingMade(answers=answers):
            chosen = "; ".join(f"{one.question.topic}: {_words(one.reading)}" for one in answers)
            yield f"ruling{': ' if chosen else ''}{chosen}"
        case dispute.RulingCarriedOut():
            yield "the ruling is carried out"
        case dispute.NoticeAcknowledged(by=by):
            yield f"the table has taken note{'' if by is None else f': {_who(by, names)}'}"
        case _:
            return


def _of_appeals(step: Step, names: BySeat[str]) -> Iterator[str]:
    """Appeals, committees, ballots, outcomes."""
    match step.event.payload:
        case appeal.AppealFiled(seat=seat):
            yield f"{names[seat]} appeals"
        case appeal.AppealRefused():
            yield "the appeal is refused"
        case appeal.CommitteeConvened(size=size):
            yield f"a committee of {size} is convened"
        case appeal.CommitteeMemberRecused(member=member):
            yield f"{member} of the committee steps down"
        case appeal.CommitteeLeakNoted(learned=learned):
            yield f"the committee has learned: {', '.join(map(_words, learned))}"
        case appeal.VoteCast(member=member, vote=vote, proposal=proposal):
            yield f"{member} votes: {_ballot(vote, proposal)}"
        case appeal.VoteDirectorCast(vote=vote, proposal=proposal):
            yield f"the director votes: {_ballot(vote, proposal)}"
        case appeal.VoteDirectorDeclined():
            yield "the director does not vote"
        case appeal.AppealDecided(outcome=outcome):
            yield f"appeal decided: the ruling is {outcome.value}"
        case appeal.DecisionReported(to=to):
            yield f"the decision is reported to {to}"
        case _:
            return


def _points(count: int) -> str:
    return f"{count} penalty point{'' if count == 1 else 's'}"


def _ballot(vote: appeal.Vote, proposal: str | None) -> str:
    return vote.value if proposal is None else f"{vote.value} ({_words(proposal)})"


def _who(actor: Actor, names: BySeat[str]) -> str:
    if actor.seat is not None:
        return names[actor.seat]
    return "both players" if actor is Actor.BOTH else f"the {actor.value}"


def _at(at_ms: int | None) -> str:
    """When, counted from the appointed start; nothing where that is not recorded."""
    return "" if at_ms is None else f" at {'-' if at_ms < 0 else '+'}{_minutes(abs(at_ms))}"


def _minutes(milliseconds: int) -> str:
    return f"{milliseconds // 60_000}:{milliseconds // 1000 % 60:02}"


def _words(value: str) -> str:
    return str(value).replace("_", " ")
