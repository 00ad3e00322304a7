"""The match as a person would write it: games, turns in two columns, findings and rulings."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from events.payloads import (
    appeal,
    attendance,
    clock,
    cube,
    dice,
    dispute,
    ending,
    equipment,
    match,
    penalty,
    play,
)
from events.payloads.base import Actor, Payload, WinKind
from events.values import BySeat, Seat
from projections.board.notation import format_play
from projections.facts.games import CrawfordPhase, EndedBy, Score
from projections.folding.findings import Severity
from projections.folding.fold import seat_of
from projections.folding.sayings import UNNAMED, filled, legible
from projections.states import Replay, Step
from projections.views.acts import act_line
from projections.views.freezing import freezes, frozen_by
from projections.views.topics import topic_words

SEATS = BySeat("one", "two")
"""What the players are called where the caller has no names."""

BEFORE = "Before the first game"
"""The heading over what comes before the first game."""

_WIDTH = 34

_LINES: dict[type[Payload], str] = {
    dice.OpeningRolled: "opening roll {one}{two}: rolled again",
    dice.Voided: "roll[ {dice}][ of {seat}] does not count: {reason}",
    dice.RolledEarly: "{seat} rolls {dice} early",
    dice.EarlyRollAnswered: "the early roll: {answer}[; {revised}][; {forfeited}]",
    dice.LiftAnswered: "the dice lifted early: {answer}",
    equipment.AgreementEnded: "no longer agreed: {item}[, ended by {by}]",
    play.PlayRevised: "{seat} changes it to {play}",
    play.PlayCorrected: "corrected to {play}",
    play.PositionStated: "the board is set",
    play.PlayUnseen: "something was played that nobody saw",
    play.StartCorrected: "the start of {seat} is corrected: {play}",
    cube.CubeActionVoided: "the cube act is void",
    cube.CubeStated: "the cube shows {value}, {where}",
    match.ScoreStated: "the score is {score}",
    clock.ClockFlagNoticed: "flag noticed: {whose}[, {gin}]",
    match.MatchEnded: "the match is over: {score}",
    attendance.PlayerCalled: "{seat} is called to the table[ at {at}]",
    attendance.PlayerArrived: "{seat} arrives[ at {at}]",
    attendance.PlayerLeft: "{seat} leaves[ at {at}]",
    attendance.BreakStarted: "break: {players}[ at {at}]",
    attendance.BreakEnded: "the break is over[ at {at}]",
    attendance.DelayNoted: "{seat} is {excess} late: {kind}",
    attendance.DelayExcused: "the delay of {seat} is excused",
    match.MatchLengthBelieved: "{seat} believes in a match to {length}",
    match.MatchLengthErrorFound: "wrong length found: played to {wrong}, posted to {correct}",
    match.DecidingGameOrdered: "a deciding game is ordered",
    match.MatchCancelled: "the match is cancelled",
    penalty.PenaltyAssessed: (
        "{points} {points:penalty point|penalty points} against {seat}: {ground}"
    ),
    penalty.ForfeitDeclared: "the match is lost by {seat}",
    penalty.PlayerDisqualified: "the match is lost by {seat}",
    penalty.PenaltyWaived: "{points} {points:penalty point is|penalty points are} waived",
    penalty.SlowPlayWarned: "{seat} is warned of slow play",
    penalty.SanctionImposed: "sanction against {seat}: {kind}",
    dispute.DirectorCalled: "the director is called[ by {by}]",
    dispute.DisputeRaised: "dispute by {by}[: {topic}][ ({readings})]",
    dispute.QuestionLeft: "the director leaves a question to rest: {topic}",
    dispute.RulingMade: "ruling[: {chosen}]",
    dispute.RulingCarriedOut: "the ruling is carried out",
    dispute.NoticeAcknowledged: "the table has taken note[: {by}]",
    appeal.AppealFiled: "{seat} appeals[ ({on})]",
    appeal.AppealRefused: "the appeal is refused",
    appeal.CommitteeConvened: "a committee of {size} is convened",
    appeal.CommitteeMemberRecused: "{member} of the committee steps down",
    appeal.CommitteeLeakNoted: "the committee has learned: {learned}",
    appeal.VoteCast: "{member} votes: {vote}[ ({proposal})]",
    appeal.AppealIssued: "the committee is given its case",
    appeal.VoteSealed: "{member} votes, sealed until all are in",
    appeal.VoteOpened: "a sealed ballot is opened: {vote}[ ({proposal})]",
    appeal.VoteDirectorCast: "the director votes: {vote}[ ({proposal})]",
    appeal.VoteDirectorDeclined: "the director does not vote",
    appeal.AppealDecided: "appeal decided: the ruling is {outcome}",
    appeal.DecisionReported: "the decision is reported to {to}",
}
"""Templates for lines of their own; a part in brackets is dropped if a value is missing."""

_WORDED = frozenset({"reason", "answer", "kind", "ground", "proposal", "vote", "on"})
"""Members whose values are words of the record, and not typed by somebody."""


def transcript(
    shown: Replay,
    names: BySeat[str] = SEATS,
    *,
    numbers: Mapping[int, int] | None = None,
    hidden: Container[int] = (),
) -> list[str]:
    """The lines of a match; `names` say who sits where, `numbers` in which row an entry stands.

    `numbers`: version to row number, if the rows have to agree with other files of the match, which
    count differently after a void throw; None = rows are counted from 1. `hidden`: versions of
    entries that are left out.

    Turns stand in two columns, numbered from 1 in each game, seat one on the left; the acts of a
    turn follow one another. What interrupts the play stands on a line of its own: throws that do
    not count, corrections, rulings, and every irregularity, marked `!`. What comes before the first
    game has a heading of its own.
    """
    page = _Page(names, numbers or {})
    known = freezes(shown)
    last: int | None = None
    for step in shown.steps:
        dispute_at = frozen_by(known, step.event)
        if dispute_at is not None and dispute_at != last:
            page.write_line(f"      made while a ruling on entry {dispute_at} was awaited:")
            last = dispute_at
        page.take(step, shown, is_told=step.event.version not in hidden)
    page.finish_row()
    return page.lines


class _Page:
    """Lines that are being written, and the row that is not full yet."""

    def __init__(self, names: BySeat[str], numbers: Mapping[int, int]) -> None:
        self.names = names
        self._numbers = numbers
        self._people = UNNAMED if names is SEATS else {seat: names[seat] for seat in Seat}
        self.lines: list[str] = []
        self._row: dict[Seat, str] = {}
        self._number = 0
        self._last: Seat | None = None
        self._has_roll = False

    def take(self, step: Step, shown: Replay, *, is_told: bool = True) -> None:
        """Write one step: an act into its column, anything else on a line of its own."""
        if step.after.score.game_number != step.before.score.game_number:
            self._begin_game(step)
        if not is_told:
            return
        act = act_of(step)
        if act is not None:
            if isinstance(step.event.payload, play.PlayMade):
                self._write_early_roll(step)
            self._write(*act, step.event.version)
        for line in asides(step, self.names):
            self.write_line(f"      {line}")
        for finding in step.findings:
            answer = shown.answered(finding).answered_by
            mark = "!" if finding.severity is Severity.IRREGULARITY else "-"
            asked = f" (ruled at {answer})" if answer else " (a ruling is needed)"
            asked = asked if finding.ruling_required is not None else ""
            self.write_line(f"    {mark} {finding.said.named(self._people)}{asked}")
        if step.after.score.ended_at == step.event.version or counts_otherwise(step):
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

    def _write(self, seat: Seat, text: str, version: int) -> None:
        # Consecutive acts of a seat share a cell, but a cell holds one roll; an interrupted row
        # goes on under its number.
        is_roll = text.endswith(":")
        follows = seat is self._last and not (is_roll and self._has_roll)
        if not follows:
            self._has_roll = False
            if self._last is not Seat.ONE or seat is Seat.ONE:
                self.finish_row()
                self._number = self._numbers.get(version) or self._number + 1
        self._has_roll = self._has_roll or is_roll
        self._last = seat
        self._row[seat] = f"{self._row.get(seat, '')} {text}".lstrip()

    def _write_early_roll(self, step: Step) -> None:
        # A roll that was thrown early stands beside its play, like any other.
        seat = seat_of(step)
        faces = step.before.flow.dice_of(seat)
        if faces is not None and not (seat is self._last and self._has_roll):
            self._write(seat, f"{faces[0]}{faces[1]}:", step.event.version)

    def _begin_game(self, step: Step) -> None:
        score, names = step.after.score, self.names
        points = step.after.match_score
        self.finish_row()
        self._number, self._last = 0, None
        crawford = ", Crawford game" if score.phase is CrawfordPhase.CRAWFORD else ""
        self.lines += [""] if self.lines else []
        self.lines.append(f"Game {score.game_number}{crawford}")
        one = f"{names.one}: {points.one}"
        self.lines.append(f"     {one:<{_WIDTH}}{names.two}: {points.two}")

    def _end_game(self, step: Step) -> None:
        self.write_line(f"     {won(step.after.score, self.names)}")


def counts_otherwise(step: Step) -> bool:
    """Whether the game that was over last is worth something else by a step, such as a ruling."""
    before, after = step.before.score.games, step.after.score.games
    is_revalued = step.after.score.revalued_at == step.event.version
    return is_revalued and not step.after.flow.in_game and before[-1:] != after[-1:]


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


def about_line(
    step: Step, shown: Replay, names: BySeat[str], abouts: Mapping[int, int]
) -> str | None:
    """Which entry a dispute is about (`spoken_of`), and what that says; None of any other entry."""
    version = abouts.get(step.event.version)
    if version is None:
        return None
    told = shown.step_at(version)
    line = f"about entry {version}"
    if told is None or told.event.version != version:
        return line
    act = act_of(told)
    if act is not None:
        seat, words = act
        words = f"rolls {words[:-1]}" if words.endswith(":") else words
        return f"{line}: {names[seat]} {words}"
    said = "; ".join(asides(told, names))
    return f"{line}: {said}" if said else f"{line}: {_words(told.event.tag.replace('.', ' '))}"


def asides(step: Step, names: BySeat[str]) -> Iterator[str]:
    """What is to be told of a step on lines of its own, in the words of the transcript."""
    payload = step.event.payload
    text = _LINES.get(type(payload))
    if text is None or not _is_aside(payload):
        return
    act = act_line(step, ())
    values: dict[str, str] = {name: str(value) for name, value in act["facts"].items()}
    values |= {name: _words(values[name]) for name in _WORDED & values.keys()}
    values |= {name: _who(str(value), names) for name, value in act["people"].items()}
    if "at" in values and not values["at"].startswith("-"):
        # Counted from the appointed start.
        values["at"] = f"+{values['at']}"
    if isinstance(payload, play.PlayRevised | play.PlayCorrected):
        text = text if "play" in values else _LINES[play.PositionStated]
        values["play"] = values.get("play") or "no play"
    if isinstance(payload, penalty.PenaltyWaived) and payload.points is None:
        text = "all penalty points are waived"
    line = filled(text, values | _more(step, names))
    # Some words are typed freely, and a line is to stay one on any terminal.
    yield legible(line)


def _is_aside(payload: Payload) -> bool:
    """An opening roll is one where it decides nothing."""
    return not isinstance(payload, dice.OpeningRolled) or payload.one == payload.two


def _more(step: Step, names: BySeat[str]) -> dict[str, str]:
    """Values that no member of the entry is."""
    payload = step.event.payload
    match payload:
        case play.StartCorrected(moved=moved):
            return {"play": format_play(moved)}
        case cube.CubeStated(owner=owner):
            return {"where": "in the middle" if owner is None else f"with {names[owner]}"}
        case match.ScoreStated(score=score):
            return {"score": f"{score.one}-{score.two}"}
        case match.MatchEnded():
            return {"score": "-".join(map(str, step.after.match_score))}
        case clock.ClockFlagNoticed(whose=whose, gin=gin, gin_for=side):
            return {"whose": whose.value, **_gin(gin, side, names)}
        case dice.EarlyRollAnswered(revises=revises, forfeit=forfeit):
            told = {"forfeited": "the delay is to be forfeited"} if forfeit else {}
            if revises is not None:
                told["revised"] = "the play is revised" if revises else "the play is kept"
            return told
        case dice.LiftAnswered(answer=dice.LiftAnswer.FORFEIT):
            return {"answer": "the delay is to be forfeited"}
        case attendance.BreakStarted(seats=seats):
            return {"players": " and ".join(names[seat] for seat in seats)}
        case dispute.DisputeRaised(readings=readings, topic=topic):
            read = [(one.by.value, one.reading) for one in readings if one.reading]
            said = [f"{_who(by, names)} says {_words(reading)}" for by, reading in read]
            about = {} if topic is None else {"topic": topic_words(topic)}
            return {"readings": "; ".join(said), **about}
        case dispute.QuestionLeft(question=question):
            return {"topic": topic_words(question.topic)}
        case dispute.RulingMade(answers=answers):
            chosen = [(topic_words(one.question.topic), _words(one.reading)) for one in answers]
            return {"chosen": "; ".join(map(": ".join, chosen))}
        case _:
            return {}


def _gin(gin: bool | None, side: Seat | None, names: BySeat[str]) -> dict[str, str]:
    """Whether somebody says that one side wins whatever is rolled."""
    if gin is None:
        return {}
    if not gin:
        return {"gin": "nobody says that a side wins whatever is rolled"}
    who = "one side" if side is None else names[side]
    return {"gin": f"{who} is said to win whatever is rolled"}


def _who(person: str, names: BySeat[str]) -> str:
    if person in ("one", "two"):
        return names[Seat(person)]
    return "both players" if person == Actor.BOTH else f"the {person}"


def _words(value: str) -> str:
    return value.replace("_", " ")
