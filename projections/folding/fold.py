"""What a fold is: a state and a table of what changes it, and what it may see of the others.

A fold is pure. `initial(rules)` gives the state before any event. Its table holds the payload
classes that can change the state or cause a finding, each with a handler: `handler(state, event,
payload, seen)` gives the state after one event and the findings made at it. No fold imports
another; what ran before it on the same event, and the whole replay before the event, is in `seen`
(design §8.1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from events.envelope import RecordedEvent
from events.payloads.base import Payload, SeatAct
from events.payloads.clock import ClockPressed
from events.payloads.cube import CubeAct
from events.payloads.dice import OpeningRolled
from events.payloads.play import PlayCorrected, PlayMade, PlayRevised
from events.values import OFF, ONE, BySeat, Seat
from projections.board.position import Position
from projections.folding.findings import Finding
from projections.folding.seen_facts import SeenFacts, SeenFlow
from projections.folding.seen_judged import SeenJudged
from projections.rules.profile import Rules

S = TypeVar("S")
P = TypeVar("P", bound=Payload)

NOTHING: tuple[Finding, ...] = ()
"""No findings: what most events cause."""


class SeenState(SeenFacts, Protocol):
    """All folds' states at one moment."""

    @property
    def judged(self) -> SeenJudged:
        """What the rule set says to it all."""
        ...

    @property
    def match_score(self) -> BySeat[int]:
        """The score with the penalty points that enter it."""
        ...


class SeenStep(Protocol):
    """An earlier event with the states before and after it."""

    @property
    def event(self) -> RecordedEvent:
        """The event."""
        ...

    @property
    def before(self) -> SeenState:
        """Every fold's state before it."""
        ...

    @property
    def after(self) -> SeenState:
        """Every fold's state after it."""
        ...


class SeenPast(Protocol):
    """Access to earlier entries: a fold's `seen`, or a finished replay."""

    rules: Rules
    gathered: dict[tuple[str, str], Any]
    """Cache of folds, by fold and entry id, from which they continue; no result depends on it."""

    def step_of(self, entry_id: str) -> SeenStep | None:
        """The earlier event with this entry id; None if the stream holds none."""
        ...

    def steps_since(self, entry_id: str) -> Sequence[SeenStep]:
        """The earlier events after the one with this entry id; none if the stream holds none."""
        ...


class Seen(SeenFacts, SeenJudged, SeenPast, Protocol):
    """Read-only: what a fold may see while it folds one event.

    A fold that ran already on this event shows its state after it, the others theirs before it.
    """

    @property
    def match_score(self) -> BySeat[int]:
        """The score with the penalty points that enter it."""
        ...

    def has_since(self, entry_id: str, test: Callable[[SeenStep], bool]) -> bool:
        """Whether an earlier event after that one passes a test; each is tested only once.

        `test`: a function of a module, whose result for an event never changes.
        """
        ...


Handler = Callable[[S, RecordedEvent, P, Seen], tuple[S, tuple[Finding, ...]]]
"""From a state, an event and its payload: the state after it, and what was found at it."""


class Heard(NamedTuple, Generic[S]):
    """A payload class that can change a fold's state or cause a finding, and its handler."""

    kind: type[Payload]
    """The exact class: a handler of a base class does not hear its subclasses."""
    by: Handler[S, Any]
    """Takes payloads of `kind`."""
    only_at_end: bool
    """Whether the fold needs to hear it only when it ends a game."""


def on(kind: type[P], by: Handler[S, P], *, only_at_end: bool = False) -> Heard[S]:
    """A row of a fold's table: `by` handles payloads of `kind`."""
    return Heard(kind, by, only_at_end)


class Fold(Generic[S]):
    """A fold: its state before any event, and a handler for each payload class that it hears."""

    def __init__(
        self, state: type[S], *hears: Heard[S], initial: Callable[[Rules], S] | None = None
    ) -> None:
        self.state = state
        """The class of the fold's states."""
        self.hears = {heard.kind: heard for heard in hears}
        """Payload classes, each with its handler."""
        self.initial = initial
        """Makes the state before any event from the rules; None = it is always `constant`."""
        self.constant = state() if initial is None else None
        """The state before any event, all members at their defaults; None if `initial` makes it."""


def first_play(seen: Seen, event: RecordedEvent) -> SeenStep | None:
    """The `play.made` that `event`, a revision or correction, changes; None if not of this game.

    A change of a change leads back to the play itself: all are made from the board before it.
    """
    assert isinstance(event.payload, PlayRevised | PlayCorrected)
    target, version = event.payload.target, event.version
    while (step := seen.step_of(target)) is not None and step.event.version < version:
        match step.event.payload:
            case PlayMade():
                if step.before.flow.in_game and _is_same_game(step.before, seen):
                    return step
                return None
            case PlayRevised(target=earlier) | PlayCorrected(target=earlier):
                target, version = changed_play(step) or earlier, step.event.version
            case _:
                return None
    return None


def changed_play(step: SeenStep) -> str | None:
    """The `play.made` that a revision or correction has changed; None where the board cannot say.

    With it, a long chain of changes of changes need not be walked through.
    """
    was, now = step.before.positions, step.after.positions
    return None if now is was else now.changes


def wins_match(seat: Seat, points: int, seen: Seen) -> bool:
    """Whether a game that gives `seat` so many points is enough for the match.

    Penalty points that enter the score count like any others.
    """
    length = seen.score.length
    return length is not None and seen.match_score[seat] + points >= length


def seat_of(step: SeenStep) -> Seat:
    """Whose act a step is: who made a play, offered a double, gave a sign, pressed the clock."""
    assert isinstance(step.event.payload, SeatAct | ClockPressed)
    return step.event.payload.seat


def _opening_of(flow: SeenFlow, seen: Seen) -> OpeningRolled | None:
    """The opening roll that was thrown last; None where another roll was, or none."""
    step = None if flow.roll_entry is None else seen.step_of(flow.roll_entry)
    payload = None if step is None else step.event.payload
    return payload if isinstance(payload, OpeningRolled) else None


def is_opening_in_play(flow: SeenFlow, seen: Seen) -> bool:
    """Whether the roll that waits to be played is the opening roll."""
    return flow.dice is not None and _opening_of(flow, seen) is not None


def opening_tie(flow: SeenFlow, seen: Seen) -> str | None:
    """The two dice of an opening that both throw again, in words; None where nothing is tied."""
    thrown = _opening_of(flow, seen) if flow.awaits_opening else None
    return None if thrown is None else f"{thrown.one}{thrown.two}"


def cube_act(seen: Seen, entry_id: str) -> SeenStep | None:
    """The earlier cube act with this entry id; None if there is none, or if it changed nothing.

    An act changes nothing if the rule set held it void, or if there was no offer to answer.
    """
    step = seen.step_of(entry_id)
    if step is None or not isinstance(step.event.payload, CubeAct):
        return None
    then, after = step.before.cube, step.after.cube
    if (then.value, then.owner, then.offered_by) == (after.value, after.owner, after.offered_by):
        return None
    return step


def has_borne_off(seat: Seat, seen: SeenFacts) -> bool:
    """Whether the last checker of `seat` is off, on the board as it is known: the game is over."""
    board = seen.positions.board
    counts = () if board is None else board.own if seat is ONE else board.other
    return bool(counts) and 0 < counts[OFF] == sum(counts)


def is_passed_over(seat: Seat, seen: SeenFacts) -> bool:
    """Whether `seat` is on roll but closed out, so that the turn passes without being recorded.

    No roll can enter a checker then; the opponent rolls again, or doubles.
    """
    flow, board = seen.flow, seen.positions.board
    if flow.on_roll is not seat or flow.dice is not None or flow.is_ended or board is None:
        return False
    own = board if seat is ONE else Position(board.other, board.own)
    return own.is_closed_out


def is_same_turn(before: SeenState, seen: SeenFacts) -> bool:
    """Whether no roll and no play came since `before`, in a game that is still in progress."""
    then, now = before.flow, seen.flow
    return (
        then.in_game
        and now.in_game
        and _is_same_game(before, seen)
        and (then.turn_number, then.dice) == (now.turn_number, now.dice)
        and (then.awaits_opening == now.awaits_opening or now.on_roll is None)
    )


def is_just_dropped(before: SeenState, seen: SeenFacts) -> bool:
    """Whether nothing but a drop that ended the game came since `before`."""
    games = seen.score.games
    return (
        before.flow.in_game
        and not seen.flow.in_game
        and _is_same_game(before, seen)
        and len(games) == len(before.score.games) + 1
        and games[-1].ended_by == "drop"
        and before.positions.board == seen.positions.board
    )


def _is_same_game(before: SeenState, seen: SeenFacts) -> bool:
    return before.score.game_number == seen.score.game_number
