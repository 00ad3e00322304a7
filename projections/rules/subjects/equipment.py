"""Equipment: who may have it replaced, how a preference is decided, how dice are mixed."""

from __future__ import annotations

import msgspec

from events.values import Seat
from projections.rules.answers import SILENT, Answer, left_open, settled
from projections.rules.profile import Subject

ALLOWED = "allowed"
NOT_ALLOWED = "not_allowed"

DIRECTOR = "director"
BOTH = "both"

TOO_LATE = "after_the_start"
LOWER_DIE = "with_the_lower_die"
DECIDED = "against_the_earlier_roll"
NOT_BY_DICE = "not_for_the_dice"
OUT_OF_ORDER = "in_another_order"
NOT_IN_TURN = "not_in_turn"
IN_GAME = "during_a_game"
BY_ONE = "by_one_alone"
WITH_A_CLOCK = "with_a_clock"
AFTER_START = "by_players_after_the_start"
THROUGHOUT = "used_throughout"
"""Why a text does not allow it."""


class Change(msgspec.Struct, frozen=True, gc=False):
    """Something on the table is replaced, or taken into use."""

    item: str
    """What, in a word."""
    by: str
    """Who had it replaced: director, both, one, two, monitor, official."""
    in_game: bool = False
    """Whether a game was in progress."""
    is_use: bool = False
    """Whether it is taken into use, and nothing is said to be replaced."""
    count: int | None = None
    """How many of it; None = not recorded."""
    is_timed: bool = False
    """Whether a clock is in use."""

    @property
    def is_plain(self) -> bool:
        """Whether nobody at the table can mind it."""
        return self.by == DIRECTOR or (self.by == BOTH and not self.in_game)

    @property
    def is_by_players(self) -> bool:
        """Whether players had it replaced, one of them or both."""
        return self.by in (BOTH, Seat.ONE.value, Seat.TWO.value)


class Preference(msgspec.Struct, frozen=True, gc=False):
    """A roll that decided whose preference holds."""

    winner: Seat
    """Whose preference was taken."""
    higher: Seat | None = None
    """Who threw the higher die; None = equal, or not recorded."""
    is_tie: bool = False
    """Whether both threw the same."""
    is_begun: bool = False
    """Whether play had begun."""
    earlier: Seat | None = None
    """Who had obtained the roll before this one; None = there was none."""
    items: tuple[str, ...] = ()
    """What was decided, in words."""

    @property
    def is_plain(self) -> bool:
        """Whether it was made before the start, and the higher die had its way."""
        return not self.is_begun and self.higher in (None, self.winner) and not self.is_tie


class Mixing(msgspec.Struct, frozen=True, gc=False):
    """Dice that were mixed and picked anew."""

    demander: Seat | None = None
    """Who demanded it, and rolled them out; None = not recorded."""
    picks: tuple[Seat, ...] = ()
    """Who picked, in order, as far as it was recorded."""
    in_game: bool = False
    """Whether a game was in progress."""

    @property
    def is_plain(self) -> bool:
        """Whether it came between games."""
        return not self.in_game


def not_allowed(section: str, why: str) -> Answer:
    """It is against the text, which names nothing that follows."""
    return settled(NOT_ALLOWED, section, why=why)


def whose_choice(section: str, *, is_said: bool, facts: Preference) -> Answer:
    """Before the start, by the higher die; `is_said`: the text says so, not only `by a roll`."""
    if facts.is_begun:
        return not_allowed(section, TOO_LATE)
    if facts.is_tie:
        return left_open(SILENT, section, "roll_again", "as_it_was_taken", lean="roll_again")
    if facts.higher in (None, facts.winner):
        return settled(ALLOWED, section)
    if is_said:
        return not_allowed(section, LOWER_DIE)
    return left_open(SILENT, section, "higher_die", "as_it_was_taken", lean="higher_die")


CHANGE = Subject[Change]("equipment.change")
"""Whether equipment may be replaced so."""
PREFERENCE = Subject[Preference]("equipment.preference")
"""Whether a preference was decided as the text has it."""
MIXING = Subject[Mixing]("equipment.mixing")
"""Whether dice were mixed when and as the text has it."""
