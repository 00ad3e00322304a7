"""Premature actions: whether a turn was over, early rolls and cube acts, what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from events.values import Seat
from projections.rules.answers import SILENT, Answer, Lean, ambiguous, left_open, settled
from projections.rules.profile import Rules, Subject
from projections.rules.subjects.dice import INVALID, validity

ENDED = "ended"
NOT_ENDED = "not_ended"
MAY_CHANGE = "may_change"
MAY_NOT_CHANGE = "may_not_change"
MUST_CORRECT = "must_correct"
ROLL_STANDS = "roll_stands"
REDONE = "redone"
VOID = "void"
OPPONENT_CHOOSES = "opponent_chooses"
NOT_PREMATURE = "not_premature"
PREMATURE = "premature"
BOUND = "bound"
NOT_BOUND = "not_bound"
DOUBLE_STANDS = "double_stands"
DELAY_FORFEITED = "delay_forfeited"
"""What dice lifted early cost, where a text says so: the free time of the next turn."""
NOT_ALLOWED = "not_allowed"

PRESSED = "pressed_clock"
TAPPED = "tapped_bar"
LIFTED_BOTH = "lifted_both"
LIFTED_ONE = "lifted_one"
TOUCHED = "touched_die"
ACTS = frozenset({PRESSED, TAPPED, LIFTED_BOTH, LIFTED_ONE, TOUCHED})
"""What a player may do at the end of a turn, as `turn.ended.method` says it."""

LIFTS = frozenset({LIFTED_BOTH, LIFTED_ONE})
RUNNING = "running"
NON_EXPIRING = "non_expiring"

STANDS = "stands"
ONLY_WARNED = "only_warned"
NO_COMMENT = "no_comment"


class TurnAct(msgspec.Struct, frozen=True, gc=False):
    """What a player did when he thought his turn was over, or moved a die aside."""

    act: str | None = None
    """One of ACTS; None = nothing."""
    clock: str | None = None
    """running or non_expiring; None = no clock in use."""
    dice: int | None = None
    """Dice on the table; None = not recorded."""
    is_play_made: bool = True
    """Whether the play was on the board by then."""
    is_play_legal: bool = True
    """Whether that play was legal, or not known to be illegal; told where a die was touched."""
    announced: str | None = None
    """What was said *before* a die was touched: roll, repositioning, repositioning_and_roll."""
    ruled: tuple[str, int] | None = None
    """What a Director ruled where the text asks, and the version of the ruling."""

    @property
    def is_meant(self) -> bool:
        """Whether the player meant to end the turn by it, with the play on the board."""
        return self.act not in (None, TOUCHED) and self.is_play_made and self.announced is None

    def as_ruled(self, said: Answer) -> Answer:
        """What the text says to it, or what was ruled."""
        if self.ruled is None:
            return said
        reading, version = self.ruled
        return msgspec.structs.replace(said, outcome=reading, ruled_at=version)


class PlayChange(msgspec.Struct, frozen=True, gc=False):
    """A player would like to play otherwise."""

    acts: tuple[TurnAct, ...] = ()
    """What was done to end the turn."""
    clock: str | None = None
    """running or non_expiring; None = no clock in use."""
    is_early_roll: bool = False
    """Whether the opponent rolled early and the turn went on from there."""
    is_past: bool = False
    """Whether the opponent has rolled in his own turn since."""
    is_agreed: bool = False
    """Whether the opponent agrees."""
    is_demanded: bool = False
    """Whether the play was illegal, and a legal one is demanded."""
    is_illegal: bool = False
    """Whether by the board the play was illegal, demanded or not."""


class EarlyRoll(msgspec.Struct, frozen=True, gc=False):
    """Dice thrown before the opponent's turn was over."""

    player: Seat
    """Whose turn it was."""
    acts: tuple[TurnAct, ...] = ()
    """What that player had done to end it."""
    throw: Answer | None = None
    """What the dice fold says to the throw itself; None = nothing."""
    is_double_waiting: bool = False
    """Whether the roller had doubled and got no answer yet."""
    has_choice: bool = True
    """Whether the player could have played otherwise."""
    has_contact: bool = True
    """Whether the sides have still to pass each other."""
    passed_over: int = 0
    """Early rolls of the same roller on which the player made no comment, in this match."""
    unremarked: int = 0
    """Early rolls of the same roller that were played on, and nobody recorded what was said."""
    warned: int = 0
    """Early rolls of the same roller that were played on with a warning, in this match."""
    answer: str | None = None
    """What the player said: stands, redone, only_warned, no_comment; None = not yet."""
    is_late: bool = False
    """Whether that was said after the roller had played."""
    is_changed: bool = False
    """Whether the player had chosen otherwise before."""
    is_ruled_premature: bool = False
    """Whether a Director ruled that the turn was not over."""
    has_lifted: bool = False
    """Whether the roller had lifted dice in that turn before he threw them."""
    is_before_opening: bool = False
    """Whether the opening roll was still to come: nobody's turn had begun."""
    revises: bool | None = None
    """Whether the player says that he revises his play; None = not said."""
    forfeit: bool | None = None
    """Whether he demands the roller's delay, instead or beside; None = not said."""


class EarlyLift(msgspec.Struct, frozen=True, gc=False):
    """Dice lifted in the opponent's turn, and not rolled."""

    is_first_turn: bool = False
    """Whether the winner of the opening roll was still in his turn."""
    acts: tuple[TurnAct, ...] = ()
    """What the opponent had done to end it."""


class EarlyCube(msgspec.Struct, frozen=True, gc=False):
    """Something done with the cube before the opponent's turn was over."""

    player: Seat
    """Whose turn it was."""
    act: str
    """double, words, reach, touch, lift or put."""
    acts: tuple[TurnAct, ...] = ()
    """What that player had done to end it."""
    is_owned_by_player: bool = False
    """Whether the cube is the other one's."""
    is_crawford: bool = False
    """Whether it is the Crawford game."""
    is_dead: bool = False
    """Whether the game at its present value already gives the doubler the match."""
    is_announced: bool = False
    """Whether repositioning was announced before the cube was handled."""


def clock_in_use(is_set: bool, kind: str) -> str | None:
    """RUNNING or NON_EXPIRING by the kind of the clock that was set; None = no clock in use."""
    if not is_set:
        return None
    return NON_EXPIRING if kind == NON_EXPIRING else RUNNING


Judge = Callable[[TurnAct, Rules], Answer]


def with_flag(answer: Answer, flag: str | None) -> Answer:
    """The answer, with the ambiguity whose recommended reading settled it."""
    return answer if flag is None else msgspec.structs.replace(answer, flag=flag)


def turn_over(acts: tuple[TurnAct, ...], judge: Judge, rules: Rules) -> Answer | None:
    """Whether the turn is over; one act that ended it is enough. None = nothing was done."""
    found: Answer | None = None
    for act in acts:
        said = act.as_ruled(judge(act, rules))
        if said.outcome == ENDED:
            return said
        if found is None or said.is_open or not found.is_open:
            found = said
    return found


def turned(answer: Answer, words: Mapping[str, str]) -> Answer:
    """The open question whether a turn is over, as a question about what depends on it."""
    lean = answer.lean if not isinstance(answer.lean, str) else words.get(answer.lean)
    readings = tuple(words.get(reading, reading) for reading in answer.readings)
    return msgspec.structs.replace(answer, lean=lean, readings=readings)


CHANGES = MappingProxyType({ENDED: MAY_NOT_CHANGE, NOT_ENDED: MAY_CHANGE})
"""Whether a turn is over, as whether its play may be changed."""

# Premature rolls.

_PREMATURE = MappingProxyType({ENDED: NOT_PREMATURE, NOT_ENDED: PREMATURE})
_CHOICES = (STANDS, REDONE)


def bad_throw(roll: EarlyRoll) -> Answer | None:
    """What is to be said where the throw itself is invalid, by the text or by a ruling."""
    if roll.throw is None or validity(roll.throw) != INVALID:
        return None
    return msgspec.structs.replace(roll.throw, outcome=INVALID)


def before_opening(roll: EarlyRoll, section: str) -> Answer | None:
    """Texts that give the choice to "the player" who has a turn to complete name none before it."""
    if not roll.is_before_opening:
        return None
    return left_open(SILENT, section, ROLL_STANDS, REDONE)


def not_early(over: Answer | None, roll: EarlyRoll) -> Answer | None:
    """What is to be said where the turn was over, or where that is a question."""
    if over is not None and over.is_open and roll.is_ruled_premature:
        return None
    if over is not None and over.outcome == ENDED:
        return with_flag(settled(NOT_PREMATURE, over.section), over.flag)
    if over is not None and over.is_open:
        return turned(over, _PREMATURE)
    return None


def chosen(roll: EarlyRoll, section: str, *, flag: str | None, may_revise: bool = True) -> Answer:
    """What the player chose; he completes his turn knowing the roll."""
    details: dict[str, object] = {}
    if roll.is_double_waiting:
        details["may_decide_cube"] = roll.player
    elif may_revise and roll.has_choice:
        details["may_revise"] = roll.player
    if roll.answer is None:
        return with_flag(settled(OPPONENT_CHOOSES, section, choices=_CHOICES, **details), flag)
    outcome = ROLL_STANDS if roll.answer == STANDS else REDONE
    return with_flag(settled(outcome, section, **details), flag)


def choice_unclear(roll: EarlyRoll, section: str, lean: Lean | None) -> Answer | None:
    """A choice that was not stated, was stated late, or was changed."""
    if roll.is_late or roll.answer in (ONLY_WARNED, NO_COMMENT):
        return ambiguous("AMB-T5", section, ROLL_STANDS, REDONE, lean=lean)
    if roll.is_changed:
        return left_open(SILENT, section, ROLL_STANDS, REDONE)
    return None


# Premature cube acts.


def in_turn(cube: EarlyCube, judge: Judge, rules: Rules) -> Answer | None:
    """What is to be said where the turn was over, and the act not premature."""
    over = turn_over(cube.acts, judge, rules)
    is_over = over is not None and over.outcome == ENDED
    return settled(NOT_PREMATURE, over.section) if over is not None and is_over else None


def in_vain(cube: EarlyCube, outcome: str, section: str) -> Answer:
    """What is to be said where there can be no double: words and a hand bind to none."""
    return settled(outcome if cube.act == "double" else NOT_BOUND, section)


# Subjects, by name.

ROLL = Subject[EarlyRoll]("premature.roll")
LIFT = Subject[EarlyLift]("premature.lift")
CUBE = Subject[EarlyCube]("premature.cube")
TURN_END = Subject[TurnAct]("turn.end")
CHANGE = Subject[PlayChange]("play.change")
