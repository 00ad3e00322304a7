"""Premature actions as they are known: early rolls, acts that end a turn, and what was asked."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType

import msgspec

from events.values import BySeat, Seat
from projections.folding.findings import Finding
from projections.rules.answers import Answer
from projections.rules.subjects import premature as asked
from projections.rules.subjects.premature import EarlyCube, EarlyRoll, PlayChange, TurnAct

Result = tuple["Premature", tuple[Finding, ...]]

Turn = tuple[int, int, Seat]
"""Number of the game, number of the turn in it, whose turn."""

About = tuple[str, Hashable]
"""A topic, and the kind of act, the turn or the entry that the question is about."""

END = "turn.end"
CHANGE = "play.change"
ROLL = "dice.early-roll"
LIFT = "dice.early-lift"
CUBE = "cube.early-act"

_NONE: BySeat[int] = BySeat(0, 0)


class Early(msgspec.Struct, frozen=True, gc=False):
    """The latest early roll."""

    entry_id: str
    """The `dice.rolled_early`."""
    roller: Seat
    """Who threw."""
    turn: Turn
    """The turn that was not over."""
    facts: EarlyRoll
    """What the rule set is asked about."""
    answer: Answer
    """What it says."""


class Premature(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    about: About | None = None
    """What that answer is about."""
    asked: Mapping[About, tuple[str, Seat]] = MappingProxyType({})
    """Questions that were found: by what they are about, the entry and the seat."""
    early: Early | None = None
    """The latest early roll."""
    passed_over: BySeat[int] = _NONE
    """Early rolls of each seat on which the other made no comment."""
    unremarked: BySeat[int] = _NONE
    """Early rolls of each seat that were played on, with no word of the other's recorded."""
    warned: BySeat[int] = _NONE
    """Early rolls of each seat on which the other only gave a warning."""
    turn: Turn | None = None
    """The turn in which something was last done to end it, or to change its play."""
    acts: tuple[TurnAct, ...] = ()
    """What was done in that turn to end it."""
    end: Answer | None = None
    """Whether any of it ended the turn."""
    change: Answer | None = None
    """Whether the play of that turn may be changed."""
    changing: PlayChange = PlayChange()
    """The facts on which that was asked."""
    if_early: Answer | None = None
    """What holds for the last cube act if the turn before it was not over."""
    cube_act: tuple[Turn, EarlyCube] | None = None
    """That act."""
    is_cube_first: bool = False
    """Whether nothing had ended the turn by then, whose play was on the board."""
    idle_end: Answer | None = None
    """Whether a turn is over in which nothing was done to end it."""
    idle_change: Answer | None = None
    """Whether the play of such a turn may be changed."""
    dice_on_table: int | None = None
    """How many dice are in play; None = not recorded."""
    lifted: tuple[Turn, Seat] | None = None
    """The turn in which dice were last lifted early, and by whom."""
    found: frozenset[TurnAct] = frozenset()
    """Kinds of act about which it was said already that they do not end a turn, or may not."""
    rolled_after: frozenset[tuple[TurnAct, Seat]] = frozenset()
    """Kinds of act that ended no turn, and who was found to have rolled after them."""

    def is_unanswered_in(self, game: int) -> bool:
        """Whether nobody has said anything yet to the latest early roll of that game."""
        early = self.early
        return early is not None and early.turn[0] == game and early.facts.answer is None

    def is_answered_in(self, game: int) -> bool:
        """Whether the latest early roll was one of that game, and something was said to it."""
        early = self.early
        return early is not None and early.turn[0] == game and early.facts.answer is not None

    def end_of_turn(self, game: int, number: int, seat: Seat) -> Answer | None:
        """What ended that turn, by its number in the game; None = nothing did."""
        if self.turn != (game, number, seat) or self.end is None:
            return None
        return self.end if self.end.outcome == asked.ENDED else None

    def is_end_known(self, game: int, number: int, seat: Seat) -> bool:
        """Whether the rules say of what was done in that turn that it ended it, or did not."""
        is_same = self.turn == (game, number, seat)
        return is_same and self.end is not None and not self.end.is_open

    @property
    def is_answered_by_other(self) -> bool:
        """Whether the choice about the latest early roll is whose turn it was."""
        return self.early is not None and self.early.answer.outcome == asked.OPPONENT_CHOOSES

    @property
    def void_roll(self) -> str | None:
        """The entry of the latest early roll, if the rule set holds it void."""
        early = self.early
        return None if early is None or early.answer.outcome != asked.VOID else early.entry_id

    def is_cube_act_asked_at(self, entry_id: str) -> bool:
        """Whether it was asked at an entry what becomes of a cube act that came too early."""
        asked = ((topic, at) for (topic, _), (at, _) in self.asked.items())
        return (CUBE, entry_id) in asked

    def early_roll_asked_at(self, entry_id: str) -> str | None:
        """The early roll about which it was asked at an entry what becomes of it."""
        for (topic, about), (at, _) in self.asked.items():
            if topic == ROLL and at == entry_id and isinstance(about, str):
                return about
        return None

    def is_redone(self, game: int, number: int, roller: Seat) -> bool:
        """Whether the latest early roll was that seat's in that turn, and is to be thrown again."""
        early = self.early
        if early is None or early.roller is not roller or early.turn[:2] != (game, number):
            return False
        return asked.REDONE in (early.facts.answer, early.answer.outcome)
