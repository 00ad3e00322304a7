"""What folds may ask of those that say what is: as much of each state as others need, no more.

A fold imports no other one; it knows their states by these protocols, which `State` in
`projections/replay.py` keeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from events.payloads.base import WinKind
from events.values import BySeat, Seat
from projections.board.position import Position
from projections.folding.findings import Key
from projections.rules.answers import Answer
from projections.rules.profile import CubeFault
from projections.rules.subjects.endings import Conceded


class SeenFlow(Protocol):
    """What other folds ask the flow."""

    @property
    def in_game(self) -> bool:
        """Whether a game is in progress."""

    @property
    def on_roll(self) -> Seat | None:
        """Whose turn it is."""

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll in play, not yet played."""

    @property
    def turn_number(self) -> int:
        """Turns begun in this game."""

    @property
    def is_ended(self) -> bool:
        """Whether the player on roll has ended the turn, with the roll not played, or not made."""

    @property
    def turn_open(self) -> Seat | None:
        """Who may still change the play just made."""

    @property
    def awaits_opening(self) -> bool:
        """Whether the opening roll of the game is still to come."""

    @property
    def is_under_way(self) -> bool:
        """Whether a game has begun: the checkers are set up and the opening roll is decided."""

    @property
    def answering(self) -> Seat | None:
        """Who has to answer a double or a beaver."""

    @property
    def roll_entry(self) -> str | None:
        """The entry of the roll in play, or of an opening tie that waits to be thrown again."""

    @property
    def early_entry(self) -> str | None:
        """The entry of an early roll that is not answered away."""

    @property
    def void_double(self) -> Seat | None:
        """Who has made a double that the rule set holds void, while it may still be answered."""

    @property
    def resigning(self) -> Seat | None:
        """Who has offered to resign and got no answer yet."""

    @property
    def resign_level(self) -> WinKind | None:
        """At which level."""

    def may_roll(self, seat: Seat) -> bool:
        """Whether it is for `seat` to roll: the turn before it may be ended without a play."""

    def dice_of(self, seat: Seat) -> tuple[int, int] | None:
        """The roll that `seat` has to play."""


class SeenPositions(Protocol):
    """What other folds ask the positions."""

    @property
    def board(self) -> Position | None:
        """The board with seat one's checkers as `own`; None while unknown or before a game."""

    @property
    def before_play(self) -> Position | None:
        """The board before the last play, from its player's side."""

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll that it was made with."""

    @property
    def player(self) -> Seat | None:
        """Who made it."""

    @property
    def changes(self) -> str | None:
        """Entry id of the `play.made` that it was put in the place of; None = of none."""

    @property
    def rewound_at(self) -> int:
        """Version of the event that put the board back behind later plays; 0 = none."""


class SeenCube(Protocol):
    """What other folds ask the cube."""

    @property
    def value(self) -> int:
        """What the cube shows."""

    @property
    def owner(self) -> Seat | None:
        """On whose side it lies; None = in the middle."""

    @property
    def offered_by(self) -> Seat | None:
        """Who has doubled (or beavered) and got no answer yet."""

    @property
    def is_beaver(self) -> bool:
        """Whether that offer is a beaver."""

    @property
    def turned(self) -> bool:
        """Whether a double was taken in this game."""

    @property
    def faults(self) -> tuple[CubeFault, ...]:
        """What is wrong with the double that waits, or with one that is void."""

    @property
    def void_at(self) -> int:
        """Version of the last cube act that the rule set holds void; 0 = none."""

    @property
    def kept_at(self) -> int:
        """Version of the last drop by which the game does not end; 0 = none."""

    @property
    def automatic(self) -> Answer | None:
        """What the rule set says to the last opening tie; None where no such doubles are agreed."""


class SeenGame(Protocol):
    """One game that is over."""

    @property
    def number(self) -> int:
        """Number of the game in this record, from 1."""

    @property
    def winner(self) -> Seat:
        """Who won it."""

    @property
    def points(self) -> int:
        """What it was worth, uncapped."""

    @property
    def kind(self) -> WinKind | None:
        """Level; None where only points are known."""

    @property
    def ended_by(self) -> str:
        """What ended it: board, drop, resignation, claim or ruling."""

    @property
    def version(self) -> int:
        """Version of the event that ended it."""


class SeenOffer(Protocol):
    """A game as it was offered."""

    @property
    def entry_id(self) -> str:
        """The entry that offered it."""

    @property
    def seat(self) -> Seat:
        """Who gives it away."""

    @property
    def level(self) -> WinKind | None:
        """At which level; None where nobody has said."""


class SeenConcession(Protocol):
    """A game that was given away, with what the rule set says to it."""

    @property
    def offer(self) -> SeenOffer:
        """Who gives it."""

    @property
    def facts(self) -> Conceded | None:
        """What the rule set was asked; None where nobody knows the board."""

    @property
    def answer(self) -> Answer | None:
        """What it said."""

    @property
    def is_disallowed(self) -> bool:
        """Whether the text does not let the game end so: then it goes on."""


class SeenScore(Protocol):
    """What other folds ask the score."""

    @property
    def score(self) -> BySeat[int]:
        """Points of the match, uncapped."""

    @property
    def length(self) -> int | None:
        """Match length; None = money."""

    @property
    def games(self) -> Sequence[SeenGame]:
        """Games that are over."""

    @property
    def game_number(self) -> int:
        """Number of the game in progress or the last one."""

    @property
    def crawford_played(self) -> bool:
        """Whether the Crawford game is over."""

    @property
    def is_crawford_game(self) -> bool:
        """Whether the game in progress is the Crawford game."""

    @property
    def concession(self) -> SeenConcession | None:
        """The last game that was given away."""

    @property
    def gammon(self) -> Answer | None:
        """What the rule set says to a gammon under Jacoby, if the last game ended with one."""

    @property
    def decided(self) -> Seat | None:
        """Who was given the match by a forfeit or a disqualification."""

    @property
    def has_ended(self) -> bool:
        """Whether the end of the match was claimed, and it has not gone on since."""

    def is_as(self, other: SeenScore) -> bool:
        """Whether it is the same score, whoever has said meanwhile that the match is over."""

    @property
    def plays_on(self) -> bool:
        """Whether a ruling let the match go on although somebody has reached the length."""

    @property
    def winner(self) -> Seat | None:
        """Who has won the match."""

    @property
    def ended_at(self) -> int:
        """Version of the event that ended the last game; 0 = none."""

    @property
    def reopened_at(self) -> int:
        """Version of the event that undid the end of the last game; 0 = none."""

    @property
    def given_at(self) -> int:
        """Version of the last event by which a game was given away; 0 = none."""

    @property
    def kept_at(self) -> int:
        """Version of the last concession by which the game does not end; 0 = none."""

    @property
    def set_at(self) -> int:
        """Version of the last event that set the score otherwise than by a game; 0 = none."""

    @property
    def revalued_at(self) -> int:
        """Version of the last event that made a game count otherwise than it did; 0 = none."""

    @property
    def phased_at(self) -> int:
        """Version of the last event by whose score the phase was told; 0 = none."""

    @property
    def unseen_at(self) -> int:
        """Version of the unseen games since which the score is not known; 0 = none."""


class SeenClock(Protocol):
    """What other folds ask the clock."""

    @property
    def is_set(self) -> bool:
        """Whether it was set; before that there is nothing to tell."""

    @property
    def kind(self) -> str:
        """How the free time works, a word of `ClockKind`."""

    @property
    def reserve_ms(self) -> BySeat[int | None]:
        """Reserve of each seat at the last clock event, milliseconds; None = unknown."""

    @property
    def running(self) -> Seat | None:
        """Whose time runs."""

    @property
    def turn_of(self) -> Seat | None:
        """Whose turn it is on the clock, running or paused."""

    def left_at(self, seat: Seat, at_ms: int | None) -> int | None:
        """Reserve of `seat` at a moment after the last clock event, ms; None = unknown."""


class SeenRuling(Protocol):
    """One question answered by the director."""

    @property
    def reading(self) -> str:
        """The reading chosen."""

    @property
    def version(self) -> int:
        """Version of the ruling."""


class SeenRulings(Protocol):
    """What other folds ask the rulings."""

    @property
    def answers(self) -> Mapping[Key, SeenRuling]:
        """Question to answer."""


class SeenFacts(Protocol):
    """The states of the folds that say what is."""

    @property
    def rulings(self) -> SeenRulings:
        """Questions answered."""

    @property
    def positions(self) -> SeenPositions:
        """The board."""

    @property
    def cube(self) -> SeenCube:
        """The cube."""

    @property
    def score(self) -> SeenScore:
        """The score."""

    @property
    def flow(self) -> SeenFlow:
        """Whose turn."""

    @property
    def clock(self) -> SeenClock:
        """The clock."""
