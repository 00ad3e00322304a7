"""Dice: valid throws, void throws with the reason for the re-roll, early rolls, ends of turns."""

from __future__ import annotations

import enum

from events.payloads.base import Actor, Part, Personal, SeatAct, TableAct
from events.values import Dice, Die, Duration, EntryId, Seat, Word


class SupportTest(Part, frozen=True, kw_only=True):
    """A test whether a die drops when the checker or die beside it is slid away (rules.md 3.1)."""

    slid: bool
    """Whether the checker or die was slid away."""
    dropped: bool
    """Whether the die dropped."""
    in_dispute: bool = False
    """Whether that happened while the roll was disputed."""


class Observation(Part, frozen=True, kw_only=True):
    """Where and how one die came to rest, as a person saw it; None = not recorded."""

    at_rest: Word | None = None
    """natural, balanced, not_at_rest or disturbed_by_player."""
    location: Word | None = None
    """playing_field, bar, tray, table, floor or off_board."""
    baffle_box: bool | None = None
    """Whether a baffle box was in use."""
    rolled_side: Word | None = None
    """Half of the board thrown into, seen from the roller: left, right or unknown."""
    rest_side: Word | None = None
    """Half of the board where it rests, seen from the roller: left or right."""
    first_contact: Word | None = None
    """What it touched first: field, checker or outside_right_half."""
    left_board_and_returned: Word | None = None
    """What it hit outside the board before it came back: none, table, person, floor or other."""
    rests_on: tuple[Word, ...] = ()
    """Any of field, checker_a, checker_b, die_other, bar, rail, tray, floor."""
    touching: tuple[Word, ...] = ()
    """Any of bar, side_rail, tray_rail, die_side, checker_side."""
    supported_by: tuple[Word, ...] | Word = ()
    """Members of `touching` that hold it up, or the word `unclear`."""
    balanced_on: Word | None = None
    """none, edge or corner."""
    balanced_for_ms: Duration | None = None
    """How long it was seen balanced, milliseconds."""
    tipped_after_balance: bool | None = None
    """Whether it tipped flat by itself afterwards."""
    tilt: Word | None = None
    """flat, tilted or unknown."""
    tilt_cause: Word | None = None
    """none, surface_imperfection, height_difference, gap, overhang, vertical_support or balance."""
    below_top_of: tuple[Word, ...] = ()
    """Supporting checkers below whose top any part of the die lies."""
    support_test: SupportTest | None = None
    """The test for support; None = not made."""
    face: Die | None = None
    """The face it showed."""


class Throw(Part, frozen=True, kw_only=True):
    """How the dice were thrown, as a person saw it; None = not recorded."""

    source: Word | None = None
    """What they were thrown from: cup, hand or box."""
    together: bool | None = None
    """Whether both dice left together."""
    shaken: bool | None = None
    """Whether they were shaken."""
    height: bool | None = None
    """Whether they fell from a discernible height."""
    bounced: bool | None = None
    """Whether they bounced and rolled freely."""


class OpeningRolled(TableAct, frozen=True, kw_only=True):
    """An opening throw: each player throws one die. A tie is recorded too (design §8.4)."""

    one: Die
    """Seat one's die."""
    two: Die
    """Seat two's die."""
    throw: Throw | None = None
    """How they were thrown."""
    observations: tuple[Observation, ...] = ()
    """Seat one's die, then seat two's."""


class Rolled(SeatAct, frozen=True, kw_only=True):
    """A player's throw that counts."""

    dice: Dice
    """The faces, in the order in which they were read."""
    throw: Throw | None = None
    """How they were thrown."""
    observations: tuple[Observation, ...] = ()
    """The dice in the same order."""


class VoidReason(enum.StrEnum):
    """Why a throw does not count, as it was called at the table."""

    OFF_BOARD = "off_board"
    ON_FLOOR = "on_floor"
    WRONG_SIDE = "wrong_side"
    ON_CHECKER = "on_checker"
    ON_DIE = "on_die"
    ON_BAR = "on_bar"
    COCKED = "cocked"
    VERTICAL_SUPPORT = "vertical_support"
    BELOW_TOPS = "below_tops"
    BALANCED = "balanced"
    NOT_A_LEGAL_ROLL = "not_a_legal_roll"
    DISTURBED = "disturbed"
    PREMATURE = "premature"
    OPENING = "opening"
    OTHER = "other"


class VoidScope(enum.StrEnum):
    """What is rolled again."""

    BOTH = "both"
    DIE_OF_ONE = "die_of_one"
    DIE_OF_TWO = "die_of_two"


class Voided(TableAct, frozen=True, kw_only=True):
    """A throw that does not count: void at once, or voided later by `target` (design §8.4)."""

    seat: Seat | None = None
    """Who threw; None on an opening roll."""
    reason: VoidReason
    """Why, as it was called at the table."""
    dice: tuple[Die | None, Die | None] | None = None
    """The faces, if they could be read; on an opening roll seat one's die, then seat two's."""
    target: EntryId | None = None
    """The earlier roll that is voided; None = this throw was void at once."""
    caller: Actor | None = None
    """Who called it void."""
    contested: bool | None = None
    """Whether the other side disagreed; None = not recorded."""
    scope: VoidScope = VoidScope.BOTH
    """What is rolled again."""
    throw: Throw | None = None
    """How the dice were thrown."""
    observations: tuple[Observation, ...] = ()
    """The dice in the same order."""
    note: Personal = None
    """What else was said."""


class RolledEarly(SeatAct, frozen=True, kw_only=True):
    """Dice were thrown before the opponent's turn ended: a claim that the rule set judges."""

    dice: Dice
    """The faces."""
    throw: Throw | None = None
    """How they were thrown."""
    observations: tuple[Observation, ...] = ()
    """The dice in the same order."""


class EarlyRollAnswer(enum.StrEnum):
    """What the player whose turn it was answered to an early roll."""

    STANDS = "stands"
    REDONE = "redone"
    ONLY_WARNED = "only_warned"
    NO_COMMENT = "no_comment"


class EarlyRollAnswered(TableAct, frozen=True, kw_only=True):
    """The answer to an early roll."""

    answer: EarlyRollAnswer
    """What was said; after `stands`, the early roll counts as the roll once the turn ends."""
    target: EntryId | None = None
    """The early roll; None = the last one."""
    seat: Seat | None = None
    """Who answered."""
    revises: bool | None = None
    """Whether the player says that he revises his play, knowing the roll; None = not said."""
    forfeit: bool | None = None
    """Whether he demands the roller's free time, as well or instead; None = not said."""


class LiftedDice(enum.StrEnum):
    """How many dice were lifted."""

    ONE = "one"
    BOTH = "both"


class Lifted(SeatAct, frozen=True, kw_only=True):
    """Dice were lifted before the opponent's turn ended, and not rolled."""

    dice: LiftedDice = LiftedDice.BOTH
    """One die or both."""


class LiftAnswer(enum.StrEnum):
    """What the player whose turn it was answered to dice lifted early."""

    FORFEIT = "forfeit"
    """He demands that the opponent forfeits the free time of a turn."""
    ONLY_WARNED = "only_warned"
    NO_COMMENT = "no_comment"


class LiftAnswered(TableAct, frozen=True, kw_only=True):
    """The answer to dice that were lifted early."""

    answer: LiftAnswer
    """What was said; if a delay is then forfeited, a `clock.delay_forfeited` records it."""
    target: EntryId | None = None
    """The `dice.lifted`; None = the last one."""
    seat: Seat | None = None
    """Who answered."""


class Repositioned(SeatAct, frozen=True, kw_only=True):
    """A player moves dice aside to make room for the play."""

    announced: Word | None = None
    """What was announced: roll, repositioning or repositioning_and_roll; None = nothing."""
    announced_when: Word | None = None
    """Whether before or after the dice were touched; None = not announced."""
    act: Word | None = None
    """What was done: lifted_both, lifted_one or touched_die."""


class TurnEnded(SeatAct, frozen=True, kw_only=True):
    """A player's act to end the turn; the rule set decides whether the turn ended."""

    method: Word | None = None
    """What was done: lifted_both, lifted_one, touched_die, tapped_bar or pressed_clock."""
