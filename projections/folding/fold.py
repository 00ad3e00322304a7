"""What a fold is: `initial` and `evolve`, frozen state, and what it may see of the others.

A fold is a pure pair. `initial(rules)` gives the state before any event; `evolve(state, event,
seen)` gives the state after one event and the findings made at it. `hears` lists the payload
classes that can change the state or cause a finding: `replay` calls a fold for no others, which
must not matter to its result (a law of the test suite). No fold imports another; what ran before it
on the same event, and the whole replay before the event, is in `seen` (design §8.1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from events.envelope import RecordedEvent
from events.payloads.base import Payload, WinKind
from events.payloads.cube import CubeAct
from events.payloads.play import PlayCorrected, PlayMade, PlayRevised
from events.values import BySeat, Seat
from projections.board.position import Position
from projections.folding.findings import Finding
from projections.rules.profile import Rules

S = TypeVar("S")

NOTHING: tuple[Finding, ...] = ()
"""No findings: what most events cause."""


class SeenFlow(Protocol):
    """What other folds ask the flow."""

    @property
    def in_game(self) -> bool:
        """Whether a game is in progress."""
        ...

    @property
    def on_roll(self) -> Seat | None:
        """Whose turn it is."""
        ...

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll in play, not yet played."""
        ...

    @property
    def turn_number(self) -> int:
        """Turns begun in this game."""
        ...

    @property
    def awaits_opening(self) -> bool:
        """Whether the opening roll of the game is still to come."""
        ...

    @property
    def answering(self) -> Seat | None:
        """Who has to answer a double or a beaver."""
        ...

    @property
    def roll_entry(self) -> str | None:
        """The entry of the roll in play."""
        ...

    @property
    def early_entry(self) -> str | None:
        """The entry of an early roll that is not answered away."""
        ...

    @property
    def void_double(self) -> Seat | None:
        """Who has made a double that the rule set holds void, while it may still be answered."""
        ...

    @property
    def resigning(self) -> Seat | None:
        """Who has offered to resign and got no answer yet."""
        ...

    @property
    def resign_level(self) -> WinKind | None:
        """At which level."""
        ...

    def dice_of(self, seat: Seat) -> tuple[int, int] | None:
        """The roll that `seat` has to play."""
        ...


class SeenPositions(Protocol):
    """What other folds ask the positions."""

    @property
    def board(self) -> Position | None:
        """The board with seat one's checkers as `own`; None while unknown or before a game."""
        ...

    @property
    def rewound_at(self) -> int:
        """Version of the event that put the board back behind later plays; 0 = none."""
        ...


class SeenCube(Protocol):
    """What other folds ask the cube."""

    @property
    def value(self) -> int:
        """What the cube shows."""
        ...

    @property
    def owner(self) -> Seat | None:
        """On whose side it lies; None = in the middle."""
        ...

    @property
    def offered_by(self) -> Seat | None:
        """Who has doubled (or beavered) and got no answer yet."""
        ...

    @property
    def is_beaver(self) -> bool:
        """Whether that offer is a beaver."""
        ...

    @property
    def turned(self) -> bool:
        """Whether a double was taken in this game."""
        ...

    @property
    def void_at(self) -> int:
        """Version of the last cube act that the rule set holds void; 0 = none."""
        ...

    @property
    def kept_at(self) -> int:
        """Version of the last drop by which the game does not end; 0 = none."""
        ...


class SeenScore(Protocol):
    """What other folds ask the score."""

    @property
    def score(self) -> BySeat[int]:
        """Points of the match, uncapped."""
        ...

    @property
    def length(self) -> int | None:
        """Match length; None = money."""
        ...

    @property
    def games(self) -> tuple[Any, ...]:
        """Games that are over."""
        ...

    @property
    def game_number(self) -> int:
        """Number of the game in progress or the last one."""
        ...

    @property
    def crawford_played(self) -> bool:
        """Whether the Crawford game is over."""
        ...

    @property
    def is_crawford_game(self) -> bool:
        """Whether the game in progress is the Crawford game."""
        ...

    @property
    def ended_at(self) -> int:
        """Version of the event that ended the last game; 0 = none."""
        ...

    @property
    def reopened_at(self) -> int:
        """Version of the event that undid the end of the last game; 0 = none."""
        ...

    @property
    def kept_at(self) -> int:
        """Version of the last concession by which the game does not end; 0 = none."""
        ...

    @property
    def winner(self) -> Seat | None:
        """Who has won the match."""
        ...


class SeenState(Protocol):
    """All folds' states at one moment."""

    @property
    def positions(self) -> SeenPositions:
        """The board."""
        ...

    @property
    def flow(self) -> SeenFlow:
        """Whose turn."""
        ...

    @property
    def cube(self) -> SeenCube:
        """The cube."""
        ...

    @property
    def score(self) -> SeenScore:
        """The score."""
        ...

    @property
    def clock(self) -> Any:
        """The clock."""
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


class Seen(Protocol):
    """Read-only: what a fold may see while it folds one event.

    A fold that ran already on this event shows its state after it, the others theirs before it.
    """

    rules: Rules
    flow: Any
    positions: Any
    cube: Any
    score: Any

    clock: Any
    rulings: Any
    throws: Any
    premature: Any
    windows: Any
    start: Any
    cube_acts: Any
    endings: Any
    penalties: Any
    match_length: Any
    results: Any
    timing: Any
    appeals: Any
    outcome: Any

    def step_of(self, entry_id: str) -> SeenStep | None:
        """The earlier event with this entry id; None if the stream holds none."""
        ...

    def steps_since(self, entry_id: str) -> Sequence[SeenStep]:
        """The earlier events after the one with this entry id; none if the stream holds none."""
        ...


class Fold(NamedTuple, Generic[S]):
    """A pure pair of functions under a name."""

    name: str
    """Member of the replay's state."""
    hears: tuple[type[Payload], ...]
    """Payload classes that can change the state or cause a finding."""
    initial: Callable[[Rules], S]
    """The state before any event."""
    evolve: Callable[[S, RecordedEvent, Seen], tuple[S, tuple[Finding, ...]]]
    """The state after one event, and what was found at it."""
    only_at_end: tuple[type[Payload], ...] = ()
    """Those of `hears` that matter to it only where they end a game."""


def first_play(seen: Seen, event: RecordedEvent) -> SeenStep | None:
    """The `play.made` that `event`, a revision or correction, changes; None if not of this game.

    A change of a change leads back to the play itself: all are made from the board before it.
    """
    target, version = event.payload.target, event.version
    while (step := seen.step_of(target)) is not None and step.event.version < version:
        match step.event.payload:
            case PlayMade():
                if step.before.flow.in_game and _is_same_game(step.before, seen):
                    return step
                return None
            case PlayRevised(target=earlier) | PlayCorrected(target=earlier):
                target, version = earlier, step.event.version
            case _:
                return None
    return None


def cube_act(seen: Seen, entry_id: str) -> SeenStep | None:
    """The earlier cube act with this entry id; None if there is none, or if it changed nothing.

    An act changes nothing that the rule set held void, or that answered nobody.
    """
    step = seen.step_of(entry_id)
    if step is None or not isinstance(step.event.payload, CubeAct):
        return None
    then, after = step.before.cube, step.after.cube
    if (then.value, then.owner, then.offered_by) == (after.value, after.owner, after.offered_by):
        return None
    return step


def is_same_turn(before: SeenState, seen: Seen | SeenState) -> bool:
    """Whether no roll and no play came since `before`, in a game that is still in progress."""
    then, now = before.flow, seen.flow
    return (
        then.in_game
        and now.in_game
        and _is_same_game(before, seen)
        and (then.turn_number, then.dice) == (now.turn_number, now.dice)
        and then.awaits_opening == now.awaits_opening
    )


def is_just_dropped(before: SeenState, seen: Seen | SeenState) -> bool:
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


def _is_same_game(before: SeenState, seen: Seen | SeenState) -> bool:
    number: int = seen.score.game_number
    return before.score.game_number == number
