"""Scenes: every entry of a match as a viewer shows it, in the small steps in which it happened.

A scene is what one recorded entry changed and how the table looks after it: the board on the way,
checker by checker, the dice as they lie, the turn to which it belongs, what kind of mark it makes
on a timeline. In the corrected view, retracted or replaced entries are scenes too, and name their
correction. This file judges nothing, and contains no text in any language.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from events.envelope import RecordedEvent
from events.payloads import (
    appeal,
    corrections,
    cube,
    dice,
    dispute,
    match,
    penalty,
    play,
)
from events.payloads.base import Payload
from events.values import CheckerMove, Seat
from projections.board.legal import is_legal, legal_plays
from projections.board.notation import format_play
from projections.board.position import Position
from projections.folding.findings import Severity
from projections.folding.standing import standing
from projections.states import Replay, State, Step
from projections.views.acts import event_act, is_custody
from projections.views.discretion import Discretion
from projections.views.freezing import freezes, frozen_by, spoken_of
from projections.views.lines import Line, checkers, event_line, state_line
from projections.views.notices import calls_of


class Status(enum.StrEnum):
    """What became of an entry."""

    STANDS = "stands"
    """It holds as it was recorded."""
    AMENDED = "amended"
    """A correction has put another entry in its place."""
    RETRACTED = "retracted"
    """A correction has taken it back."""


class Mark(enum.StrEnum):
    """What an entry is on a timeline."""

    DISPUTE = "dispute"
    CALL = "call"
    RULING = "ruling"
    APPEAL = "appeal"
    PENALTY = "penalty"
    REROLL = "reroll"
    CORRECTION = "correction"
    GAP = "gap"
    MOMENT = "moment"
    FINDING = "finding"
    QUESTION = "question"
    FREEZE = "freeze"
    """Made while a ruling was awaited."""


_MARKS: tuple[tuple[Mark, tuple[type[Payload], ...]], ...] = (
    (Mark.DISPUTE, (dispute.DisputeRaised, play.PlayIllegalityNoticed, play.StartFaultNoticed)),
    (Mark.CALL, (dispute.DirectorCalled,)),
    (Mark.RULING, (dispute.RulingMade, dispute.RulingCarriedOut)),
    (Mark.APPEAL, (appeal.AppealFiled, appeal.AppealRefused, appeal.AppealDecided)),
    (Mark.PENALTY, (penalty.PenaltyAssessed, penalty.ForfeitDeclared, penalty.PlayerDisqualified)),
    (Mark.REROLL, (dice.Voided,)),
    (
        Mark.CORRECTION,
        (
            corrections.EntryRetracted,
            corrections.EntryAmended,
            play.PlayCorrected,
            play.StartCorrected,
        ),
    ),
    (Mark.GAP, (play.PlayUnseen,)),
    (Mark.MOMENT, (corrections.MomentMarked,)),
)

_BEGINS_A_TURN = (dice.Voided, dice.RolledEarly, cube.DoubleOffered)
_BEFORE_THE_ROLL = (
    *_BEGINS_A_TURN,
    cube.DoubleTaken,
    cube.DoubleDropped,
    cube.CubeBeavered,
    cube.CubeActionVoided,
    dice.EarlyRollAnswered,
)
"""What belongs to the turn whose roll is still to come."""


class Place(NamedTuple):
    """The turn to which an entry belongs."""

    game: int
    """Number of the game, from 1; 0 before the first."""
    turn: int
    """Number of the turn in it, from 1; 0 between games."""
    seat: Seat | None
    """Whose turn it is."""
    ahead: int = 0
    """How many more turns were begun in it than count, because of voided rolls."""


NOWHERE = Place(0, 0, None)
"""Before the first entry."""


def scenes(shown: Replay, discretion: Discretion) -> list[Line]:
    """Every recorded entry of a match, in order, as a viewer shows it to a reader."""
    told = _Told(shown, discretion)
    return [told.scene(event) for event in shown.entries]


def disputes(shown: Replay) -> list[Line]:
    """Every dispute and the version at which it froze the record."""
    versions = shown.versions
    return [
        {
            "version": step.event.version,
            "frozen": versions.get(step.event.payload.frozen_at or "", step.event.version - 1),
            "topic": step.event.payload.topic,
        }
        for step in shown.steps
        if isinstance(step.event.payload, dispute.DisputeRaised)
    ]


def games(shown: Replay) -> list[Line]:
    """Every game: where it begins, the score then, and how it ended."""
    results = {result.version: result for result in shown.state.score.games}
    told: list[Line] = []
    for step in shown.steps:
        before, after = step.before.score, step.after.score
        points = step.after.match_score
        if after.game_number != before.game_number and after.game_number > len(told):
            told.append(
                {
                    "number": after.game_number,
                    "version": step.event.version,
                    "score": {"one": points.one, "two": points.two},
                    "crawford": after.phase.value == "crawford",
                    "result": None,
                }
            )
        result = results.get(step.event.version)
        if result is not None and told:
            told[-1]["result"] = {
                "version": result.version,
                "winner": result.winner.value,
                "points": result.points,
                "kind": None if result.kind is None else result.kind.value,
                "ended_by": result.ended_by.value,
            }
    return told


def legal_line(shown: Replay, version: int) -> Line:
    """What could legally be played at a version: before a play, or with the roll that waits."""
    step = shown.step_at(version)
    empty: Line = {"seat": None, "dice": None, "plays": [], "played": None, "is_legal": None}
    if step is None:
        return empty
    made = step.event.payload
    is_play = isinstance(made, play.PlayMade)
    state = step.before if is_play else step.after
    seat = made.seat if isinstance(made, play.PlayMade) else state.flow.on_roll
    board = None if seat is None else state.positions.seen_by(seat)
    faces = None if seat is None else state.flow.dice_of(seat)
    if board is None or faces is None:
        return empty
    assert seat is not None
    legal = legal_plays(board, faces)
    line: Line = {
        "seat": seat.value,
        "dice": list(faces),
        "plays": [str(one) for one in legal],
        "played": None,
        "is_legal": None,
    }
    if isinstance(made, play.PlayMade) and made.resulting_position is None:
        line["played"] = format_play(made.moves, step.hits)
        not_lifted = made.hits_not_lifted
        line["is_legal"] = is_legal(board, faces, made.moves, hits_not_lifted=not_lifted)
    return line


class _Told:
    """What scenes need of the whole match: who corrected what, and which turn is being played."""

    def __init__(self, shown: Replay, discretion: Discretion) -> None:
        self.shown = shown
        self.discretion = discretion
        self.steps = {step.event.version: step for step in shown.steps}
        events = shown.entries
        self.versions = {event.entry_id: event.version for event in events}
        stood = None if shown.is_as_recorded else standing(events)
        self.correctors: Mapping[str, RecordedEvent] = {} if stood is None else stood.corrected_by
        self.disputed = {
            version for one in disputes(shown) for version in (one["version"], one["frozen"])
        }
        self.freezes = freezes(shown)
        self.calls = calls_of(shown)
        self.about = spoken_of(shown)
        self.state = shown.initial
        self.place = NOWHERE

    def scene(self, event: RecordedEvent) -> Line:
        """One recorded entry; to be asked for in order."""
        step = self.steps.get(event.version)
        corrector = self.correctors.get(event.entry_id)
        before = self.state
        is_told = self.discretion.tells(event.version)
        if step is not None:
            self.state = step.after
            self.place = place_of(step, self.place)
            line = event_line(step, self.shown)
            shown_event = step.event
        else:
            line = _unmoved(event, self.state)
            shown_event = event
        if not is_told:
            line["findings"] = []
        number, turn, seat, _ = self.place
        is_amended = corrector is not None and step is not None
        marks = list(_marks_of(shown_event, line["findings"]))
        if frozen_by(self.freezes, event) is not None:
            marks.append(Mark.FREEZE)
        return {
            **line,
            "is_custody": is_custody(event.tag),
            "is_crawford": self.state.score.is_crawford_game,
            "entry_id": event.entry_id,
            "basis": shown_event.basis.value,
            "at_ms": getattr(shown_event.payload, "at_ms", None),
            "status": _status(step, corrector).value,
            "corrected_by": None if corrector is None else corrector.version,
            "was": event_act(event, None, self.calls) if is_amended else None,
            "target": self._target(event),
            **event_act(shown_event, step, self.calls),
            "game": number,
            "turn": turn,
            "turn_of": None if seat is None else seat.value,
            "awaits": self.state.flow.awaits.value,
            "lying": _lying(step, self.state),
            "before": checkers(before.positions.board),
            "frames": [] if step is None else list(_frames(step)),
            "marks": [mark.value for mark in marks],
            "is_disputed": event.version in self.disputed or Mark.QUESTION in marks,
            "pips": self._pips() if is_told else None,
        }

    def _target(self, event: RecordedEvent) -> int | None:
        """Version of the entry that this one speaks about."""
        if event.version in self.about:
            return self.about[event.version]
        for name in ("target", "frozen_at", "dispute", "about", "ruling", "appeal"):
            version = self.versions.get(getattr(event.payload, name, None) or "")
            if version is not None:
                return version
        return None

    def _pips(self) -> Line | None:
        board = self.state.positions.board
        if board is None:
            return None
        one, two = board.pip_count()
        return {"one": one, "two": two}


def _status(step: Step | None, corrector: RecordedEvent | None) -> Status:
    if corrector is None:
        return Status.STANDS
    return Status.RETRACTED if step is None else Status.AMENDED


def _unmoved(event: RecordedEvent, state: State) -> Line:
    """The line of an entry without a step: retracted, or a correction itself."""
    seat = getattr(event.payload, "seat", None)
    return {
        "version": event.version,
        "tag": event.tag,
        "seat": seat.value if isinstance(seat, Seat) else None,
        "dice": None,
        "play": None,
        **state_line(state),
        "findings": [],
    }


def place_of(step: Step, last: Place) -> Place:
    """The turn that an entry belongs to, given that of the entry before it."""
    payload = step.event.payload
    before, after = step.before.flow, step.after.flow
    number = step.after.score.game_number
    is_new_game = number != step.before.score.game_number
    if not (before.in_game or after.in_game) or isinstance(payload, match.GameStarted):
        return Place(number, 0, None)
    counted = after.turn_number if is_new_game else max(before.turn_number, after.turn_number)
    is_later = isinstance(payload, dice.Voided) and payload.target is not None
    if before.dice is None and isinstance(payload, _BEFORE_THE_ROLL) and not is_later:
        counted = before.turn_number + 1
    if number != last.game:
        last = Place(number, 0, None)
    # A roll that is voided takes its turn back; what follows belongs to that turn all the same,
    # until somebody else rolls.
    turn, ahead = max(counted + last.ahead, last.turn, 1), last.ahead
    is_roll = isinstance(payload, dice.Rolled | dice.OpeningRolled) and after.on_roll is not None
    if is_roll and turn == last.turn and last.seat not in (None, after.on_roll):
        turn += 1
    if is_roll:
        ahead = turn - counted
    if turn == last.turn and last.seat is not None:
        return last._replace(ahead=ahead)
    seat = getattr(payload, "seat", None)
    if not isinstance(payload, (*_BEGINS_A_TURN, dice.Rolled, play.PlayMade)):
        seat = after.on_roll
    return Place(number, turn, seat, ahead)


def last_beside(record: Replay, first: Replay) -> int:
    """The version up to which a record shows no later turn than another record of the match."""
    reached = NOWHERE
    for step in first.steps:
        reached = place_of(step, reached)
    last, place = 0, NOWHERE
    for step in record.steps:
        place = place_of(step, place)
        if place[:2] > reached[:2]:
            break
        last = step.event.version
    return last


def _marks_of(event: RecordedEvent, findings: Sequence[Line]) -> Iterator[Mark]:
    for mark, kinds in _MARKS:
        if isinstance(event.payload, kinds):
            yield mark
    if any(finding["ruling_required"] is not None for finding in findings):
        yield Mark.QUESTION
    if any(finding["severity"] == Severity.IRREGULARITY.value for finding in findings):
        yield Mark.FINDING


def _lying(step: Step | None, state: State) -> Line | None:
    """The dice as they lie on the board after an entry, and whose they are."""
    payload = None if step is None else step.event.payload
    if step is not None and isinstance(payload, play.PlayMade | play.PlayRevised):
        faces = step.before.flow.dice_of(payload.seat)
        if faces is not None:
            return {"seat": payload.seat.value, "dice": list(faces)}
    if isinstance(payload, dice.Voided) and payload.dice is not None:
        seat = payload.seat
        return {"seat": None if seat is None else seat.value, "dice": list(payload.dice)}
    if isinstance(payload, dice.OpeningRolled):
        return {"seat": None, "dice": [payload.one, payload.two]}
    if isinstance(payload, dice.RolledEarly):
        return {"seat": payload.seat.value, "dice": list(payload.dice)}
    flow = state.flow
    if flow.dice is None or flow.on_roll is None:
        return None
    return {"seat": flow.on_roll.value, "dice": list(flow.dice)}


def _frames(step: Step) -> Iterator[Line]:
    """The board after each checker of a play, in the order in which they were recorded.

    Some files write a play in an impossible order, such as 5/4 6/5 with no checker on the five
    point; then checkers from higher points move first.
    """
    payload = step.event.payload
    if not isinstance(payload, play.PlayMade) or payload.resulting_position is not None:
        return
    board = step.before.positions.seen_by(payload.seat)
    if board is None or step.after.positions.board is None:
        return
    moves = payload.moves
    ways = [moves[:count] for count in range(1, len(moves) + 1)]
    if any(board.moved(way, payload.hits_not_lifted).position is None for way in ways):
        moves = tuple(sorted(moves, key=lambda one: -one.from_point))
    for count in range(1, len(moves) + 1):
        moved = board.moved(moves[:count], payload.hits_not_lifted)
        if moved.position is None:
            return
        one_move = moves[count - 1]
        yield {
            "play": format_play((one_move,), _hit_by(board, moves[:count], payload)),
            "from": one_move.from_point,
            "to": one_move.to_point,
            "checkers": checkers(moved.position.seen_by(payload.seat)),
        }


def _hit_by(board: Position, moves: tuple[CheckerMove, ...], made: play.PlayMade) -> list[int]:
    """The point on which the last of these moves hits."""
    now = board.moved(moves, made.hits_not_lifted).hits
    then = board.moved(moves[:-1], made.hits_not_lifted).hits
    return [point for point in now if now.count(point) > then.count(point)]
