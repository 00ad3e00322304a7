"""Premature actions: early rolls, lifted dice and cube acts; what ends a turn; changing a play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from events.values import Seat
from projections.rules.answers import (
    DISCRETION,
    NOT_IN_HAND,
    SILENT,
    Answer,
    Lean,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import Policy, Rules
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

REPEATEDLY = 2
"""Early rolls passed over that make up `repeatedly` (AMB-T4); a person decides from there on."""

DRAFT = "usbgf-2017-07"
"""The text that may be shown, or adopted, where the ratified one is not in hand."""


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
    announced: str | None = None
    """What was said *before* a die was touched: roll, repositioning, repositioning_and_roll."""
    ruled: tuple[str, int] | None = None
    """What a Director ruled where the text asks, and the version of the ruling."""

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


Judge = Callable[[TurnAct, Rules], Answer]


def _with_flag(answer: Answer, flag: str | None) -> Answer:
    return answer if flag is None else msgspec.structs.replace(answer, flag=flag)


def _over(acts: tuple[TurnAct, ...], judge: Judge, rules: Rules) -> Answer | None:
    """Whether the turn is over; one act that ended it is enough. None = nothing was done."""
    found: Answer | None = None
    for act in acts:
        said = act.as_ruled(judge(act, rules))
        if said.outcome == ENDED:
            return said
        if found is None or said.is_open or not found.is_open:
            found = said
    return found


def _turned(answer: Answer, words: Mapping[str, str]) -> Answer:
    """The open question whether a turn is over, as a question about what depends on it."""
    lean = answer.lean if not isinstance(answer.lean, str) else words.get(answer.lean)
    readings = tuple(words.get(reading, reading) for reading in answer.readings)
    return msgspec.structs.replace(answer, lean=lean, readings=readings)


# What ends a turn: T-01 to T-03, T-06.


def turn_end_usbgf_2017_07(act: TurnAct, rules: Rules) -> Answer:
    """By the clock; without one, two dice by tapping the bar, four by picking them up."""
    section = "[4.1.8]"  # usbgf-2017-07 [4.1.8]
    if act.clock == RUNNING:
        return settled(ENDED if act.act == PRESSED else NOT_ENDED, section)
    if act.dice is None and act.act is not None and act.act != PRESSED:
        # Nobody recorded how many dice are in play, and the answer depends on it.
        return left_open(SILENT, section, ENDED, NOT_ENDED)
    if act.dice == 4:
        return _end_with_four_dice(act, section)
    if act.act == PRESSED:
        return settled(ENDED, section)
    if act.act == TAPPED:
        return settled(ENDED if act.clock is None else NOT_ENDED, section)
    if act.act is None or act.announced is not None:
        return settled(NOT_ENDED, section)
    return _with_flag(settled(NOT_ENDED, section), "AMB-T2")


def _end_with_four_dice(act: TurnAct, section: str) -> Answer:
    if act.act == PRESSED:
        return left_open(SILENT, section, ENDED, NOT_ENDED)
    is_handled = act.act in LIFTS or (act.act == TOUCHED and act.is_play_made)
    if not is_handled or act.announced in ("repositioning", "repositioning_and_roll"):
        return settled(NOT_ENDED, section)
    if act.announced is not None:
        # usbgf-2017-07 [4.2]: announce the roll; [4.1.8]: notice of repositioning.
        return ambiguous("AMB-T7", section, NOT_ENDED, ENDED, lean=NOT_ENDED)
    return settled(ENDED, section)


def turn_end_biba_2014(act: TurnAct, rules: Rules) -> Answer:
    """By the plunger alone; without a clock by lifting either or both dice."""
    section = "4.5"  # biba-2014 4.5
    if act.clock is not None or act.act == PRESSED:
        return settled(ENDED if act.act == PRESSED else NOT_ENDED, section)
    if act.act not in LIFTS or act.announced == "repositioning_and_roll":
        return settled(NOT_ENDED, section)
    if act.announced is not None:
        # biba-2014 4.3: the intention *and* the roll; less may result in an adverse ruling.
        return left_open(DISCRETION, "4.3", ENDED, NOT_ENDED)
    return _with_flag(settled(ENDED, section), "AMB-T1" if act.act == LIFTED_ONE else None)


def turn_end_fcbg_tournament(act: TurnAct, rules: Rules) -> Answer:
    """By lifting either or both dice, unless repositioning was announced; no clock is foreseen."""
    section = "IRR/T(c)"  # fcbg-tournament IRR/T(c)
    is_lifted = act.act in LIFTS
    if act.clock is not None or act.act == PRESSED:
        return left_open(SILENT, section, ENDED, NOT_ENDED, lean=ENDED if is_lifted else None)
    if not is_lifted or act.announced in ("repositioning", "repositioning_and_roll"):
        return settled(NOT_ENDED, section)
    if act.announced is not None:
        return left_open(SILENT, section, ENDED, NOT_ENDED)
    return settled(ENDED, section)


# Changing the play: T-04.

_CHANGES = MappingProxyType({ENDED: MAY_NOT_CHANGE, NOT_ENDED: MAY_CHANGE})


def change_usbgf_2017_07(change: PlayChange, rules: Rules) -> Answer:
    """Until the turn is over; later only to correct, or after a premature roll."""
    if change.is_demanded:
        return settled(MUST_CORRECT, "[4.2.3]")  # usbgf-2017-07 [4.2.3]
    if change.is_early_roll:
        return settled(MAY_CHANGE, "[4.1.7]")  # usbgf-2017-07 [4.1.7]
    over = _over(change.acts, turn_end_usbgf_2017_07, rules)
    section = "[4.1.8]"  # usbgf-2017-07 [4.1.8]
    if change.is_past or (over is not None and over.outcome == ENDED):
        if change.is_agreed:
            readings = (MAY_NOT_CHANGE, MAY_CHANGE)
            return left_open(SILENT, section, *readings, lean=MAY_NOT_CHANGE)
        return settled(MAY_NOT_CHANGE, section)
    if over is not None and over.is_open:
        return _turned(over, _CHANGES)
    return _with_flag(settled(MAY_CHANGE, section), None if over is None else over.flag)


def change_biba_2014(change: PlayChange, rules: Rules) -> Answer:
    """Until both dice are lifted or the plunger is pressed; later only to replay an illegal one."""
    if change.is_demanded:
        return settled(MUST_CORRECT, "4.8")  # biba-2014 4.8
    if change.is_early_roll:
        return settled(MAY_CHANGE, "4.6")  # biba-2014 4.6
    section = "4.5"  # biba-2014 4.5
    done = {
        act.act
        for act in change.acts
        if act.announced != "repositioning_and_roll"
        and (act.ruled is None or act.ruled[0] != NOT_ENDED)
    }
    if change.is_past or PRESSED in done or LIFTED_BOTH in done:
        return settled(MAY_NOT_CHANGE, section)
    return _with_flag(settled(MAY_CHANGE, section), "AMB-T1" if LIFTED_ONE in done else None)


def change_fcbg_tournament(change: PlayChange, rules: Rules) -> Answer:
    """Until a die is lifted; later only on the opponent's demand to replay an illegal move."""
    if change.is_demanded:
        return settled(MUST_CORRECT, "IRR/T(h)")  # fcbg-tournament IRR/T(h)
    section = "IRR/T(c)"  # fcbg-tournament IRR/T(c)
    if change.is_early_roll:
        return settled(MAY_CHANGE, section)
    over = _over(change.acts, turn_end_fcbg_tournament, rules)
    if change.is_past or (over is not None and over.outcome == ENDED):
        return settled(MAY_NOT_CHANGE, section)
    if over is not None and over.is_open:
        return _turned(over, _CHANGES)
    return settled(MAY_CHANGE, section)


# Premature rolls: T-07 to T-09.

_PREMATURE = MappingProxyType({ENDED: NOT_PREMATURE, NOT_ENDED: PREMATURE})
_CHOICES = (STANDS, REDONE)


def _bad_throw(roll: EarlyRoll) -> Answer | None:
    """What is to be said where the throw itself is invalid, by the text or by a ruling."""
    if roll.throw is None or validity(roll.throw) != INVALID:
        return None
    return msgspec.structs.replace(roll.throw, outcome=INVALID)


def _not_early(over: Answer | None, roll: EarlyRoll) -> Answer | None:
    """What is to be said where the turn was over, or where that is a question."""
    if over is not None and over.is_open and roll.is_ruled_premature:
        return None
    if over is not None and over.outcome == ENDED:
        return _with_flag(settled(NOT_PREMATURE, over.section), over.flag)
    if over is not None and over.is_open:
        return _turned(over, _PREMATURE)
    return None


def _chosen(roll: EarlyRoll, section: str, *, flag: str | None, may_revise: bool = True) -> Answer:
    """What the player chose; he completes his turn knowing the roll."""
    details: dict[str, Any] = {}
    if roll.is_double_waiting:
        details["may_decide_cube"] = roll.player
    elif may_revise and roll.has_choice:
        details["may_revise"] = roll.player
    if roll.answer is None:
        return _with_flag(settled(OPPONENT_CHOOSES, section, choices=_CHOICES, **details), flag)
    outcome = ROLL_STANDS if roll.answer == STANDS else REDONE
    return _with_flag(settled(outcome, section, **details), flag)


def _choice_unclear(roll: EarlyRoll, section: str, lean: Lean | None) -> Answer | None:
    """A choice that was not stated, was stated late, or was changed."""
    if roll.is_late or roll.answer in (ONLY_WARNED, NO_COMMENT):
        return ambiguous("AMB-T5", section, ROLL_STANDS, REDONE, lean=lean)
    if roll.is_changed:
        return left_open(SILENT, section, ROLL_STANDS, REDONE)
    return None


def roll_usbgf_2017_07(roll: EarlyRoll, rules: Rules) -> Answer:
    """The player points it out and says whether it stands or is redone."""
    bad = _bad_throw(roll)
    if bad is not None:
        return bad
    section = "[4.1.7]"  # usbgf-2017-07 [4.1.7]
    if roll.is_double_waiting:
        return left_open(SILENT, section, ROLL_STANDS, REDONE)
    over = _over(roll.acts, turn_end_usbgf_2017_07, rules)
    answer = _not_early(over, roll) or _choice_unclear(roll, section, None)
    if answer is not None:
        return answer
    count = roll.passed_over + roll.unremarked
    if roll.answer == STANDS and count >= REPEATEDLY:
        # `may lose their option to require a premature roll to stand`
        return ambiguous("AMB-T4", section, ROLL_STANDS, REDONE, count=count)
    return _chosen(roll, section, flag=None if over is None else over.flag)


def roll_biba_2014(roll: EarlyRoll, rules: Rules) -> Answer:
    """The same choice; whoever once let one pass without a comment has lost it."""
    bad = _bad_throw(roll)
    if bad is not None:
        return bad
    section = "4.6"  # biba-2014 4.6
    answer = None
    if not roll.is_double_waiting:
        answer = _not_early(_over(roll.acts, turn_end_biba_2014, rules), roll)
    if answer is not None:
        return answer
    if roll.passed_over:
        return settled(ROLL_STANDS, section, right_lost=True)
    if roll.unremarked and roll.answer != STANDS:
        # AMB-T3: one was let pass, and whether with a comment or warning is for a person to say.
        return ambiguous("AMB-T3", section, ROLL_STANDS, REDONE, lean=ROLL_STANDS)
    lean = None if roll.answer == ONLY_WARNED and not roll.is_late else ROLL_STANDS
    answer = _choice_unclear(roll, section, lean)
    if answer is not None:
        return answer
    is_lifted = any(act.act == LIFTED_BOTH and act.announced is None for act in roll.acts)
    flag = "AMB-T3" if roll.warned else None
    return _chosen(roll, section, flag=flag, may_revise=not is_lifted)


def roll_fcbg_tournament(roll: EarlyRoll, rules: Rules) -> Answer:
    """Void and rolled again, even in a forced play or without contact."""
    section = "IRR/T(a)"  # fcbg-tournament IRR/T(a)
    if roll.is_double_waiting or roll.is_late:
        return left_open(SILENT, section, ROLL_STANDS, VOID)
    over = _over(roll.acts, turn_end_fcbg_tournament, rules)
    return _not_early(over, roll) or settled(VOID, section, reroll="both")


def roll_common(roll: EarlyRoll, rules: Rules) -> Answer:
    """A bad throw is one at any time; of early ones the text says nothing."""
    return _bad_throw(roll) or left_open(SILENT, rules.cite("turn")[1])


# Dice lifted early: T-10. Only Biba speaks of them, and only of the opening roll.


def lift_biba_2014(lift: EarlyLift, rules: Rules) -> Answer:
    """The lower player must not touch the dice until the first turn is over."""
    over = _over(lift.acts, turn_end_biba_2014, rules)
    if over is not None and over.outcome == ENDED:
        return settled(NOT_PREMATURE, over.section)
    if not lift.is_first_turn:
        return left_open(SILENT, "4.5")
    section = "4.2"  # biba-2014 4.2
    return Answer(
        outcome=NOT_ALLOWED,
        section=section,
        reason=SILENT,
        also=MappingProxyType({"remedy": left_open(SILENT, section)}),
    )


# Premature cube acts: T-11.


def _in_turn(cube: EarlyCube, judge: Judge, rules: Rules) -> Answer | None:
    over = _over(cube.acts, judge, rules)
    is_over = over is not None and over.outcome == ENDED
    return settled(NOT_PREMATURE, over.section) if over is not None and is_over else None


def cube_usbgf_2017_07(cube: EarlyCube, rules: Rules) -> Answer:
    """A stated intent binds at the first legal opportunity; merely reaching does not."""
    answer = _in_turn(cube, turn_end_usbgf_2017_07, rules)
    if answer is not None:
        return answer
    section = "[4.4.3-5]"  # usbgf-2017-07 [4.4.3-5]
    if cube.is_owned_by_player:
        return settled(NOT_ALLOWED, section)
    if cube.is_crawford:
        return settled(VOID, "[4.4.6]")  # usbgf-2017-07 [4.4.6]
    if cube.is_dead:
        return settled(VOID, "[4.4.9]")  # usbgf-2017-07 [4.4.9]
    if cube.act == "reach" or cube.is_announced:
        return settled(NOT_BOUND, section)
    bound = {"to": "double", "at": "first_legal_opportunity"}
    if cube.act in ("double", "words"):
        return settled(BOUND, section, **bound)
    readings = ("now", "first_legal_opportunity", "void")
    return ambiguous("AMB-C9", section, *readings, lean={"outcome": BOUND, **bound})


def cube_biba_2014(cube: EarlyCube, rules: Rules) -> Answer:
    """4.6: the other player's choice, with foreknowledge; 5.4: it binds."""
    answer = _in_turn(cube, turn_end_biba_2014, rules)
    if answer is not None:
        return answer
    if cube.is_owned_by_player:
        return settled(NOT_ALLOWED, "1.2")  # biba-2014 1.2: the common rules
    if cube.is_crawford:
        return settled(VOID, "5.5")  # biba-2014 5.5
    if cube.is_announced:
        return settled(NOT_BOUND, "5.4")  # biba-2014 5.4
    return ambiguous("AMB-C8", "4.6", "choice", "binds")  # biba-2014 4.6, 5.4


def cube_fcbg_tournament(cube: EarlyCube, rules: Rules) -> Answer:
    """A premature double stands if otherwise valid; words and gestures may count."""
    answer = _in_turn(cube, turn_end_fcbg_tournament, rules)
    if answer is not None:
        return answer
    if cube.is_owned_by_player:
        return settled(NOT_ALLOWED, "DOUBLING")  # fcbg DOUBLING
    if cube.is_crawford:
        return settled(NOT_ALLOWED, "CRAWFORD/T")  # fcbg-tournament CRAWFORD/T
    if cube.act == "double":
        stands = settled(DOUBLE_STANDS, "IRR/T(k)", may_revise=cube.player)
        return _with_flag(stands, "AMB-C7" if cube.is_dead else None)
    # fcbg-tournament CUBE RULES/T: verbal or physical acts may count.
    lean = DOUBLE_STANDS if cube.act == "words" else None
    return left_open(DISCRETION, "CUBE RULES/T", DOUBLE_STANDS, NOT_BOUND, lean=lean)


def cube_fcbg_club(cube: EarlyCube, rules: Rules) -> Answer:
    """Only the owner may double; all else about early doubles stands under /TOURNAMENT."""
    if cube.is_owned_by_player:
        return settled(NOT_ALLOWED, "DOUBLING")  # fcbg DOUBLING
    return ambiguous("AMB-F3", "DOUBLING", "does_not_bind", "adopted")


def cube_common(cube: EarlyCube, rules: Rules) -> Answer:
    """Only the owner may double; of early doubles the text says nothing."""
    section = "Doubling cube"  # common Doubling cube
    return settled(NOT_ALLOWED, section) if cube.is_owned_by_player else left_open(SILENT, section)


# The ratified text: the draft's answers, as far as the matrix takes them.


def _ratified(draft: Policy, is_taken: Callable[[Any], bool]) -> Policy:
    """The draft's answer, unverified, where it is taken over; else a question suggesting it."""

    def answer(facts: Any, rules: Rules) -> Answer:
        said = draft(facts, rules)
        if rules.options.get("gaps_from") == DRAFT:
            return msgspec.structs.replace(said, verified=False)
        if is_taken(facts) and not said.is_open:
            return msgspec.structs.replace(said, verified=False)
        if is_taken(facts) and said.ambiguity is not None:
            return said
        suggest = None if said.is_open else DRAFT
        return left_open(NOT_IN_HAND, said.section, *said.readings, suggest=suggest)

    return answer


def _by_clock(acts: tuple[TurnAct, ...]) -> bool:
    # T-01 is taken over, T-02 and T-03 are not in hand; what was ruled needs no text.
    return all(act.clock == RUNNING or act.ruled is not None for act in acts)


def _is_plain(roll: EarlyRoll) -> bool:
    # T-07 is taken over; T-08 (no choice, no contact) and T-09 (repeated) are not in hand.
    is_first = not (roll.passed_over or roll.unremarked or roll.warned)
    return roll.has_choice and roll.has_contact and is_first and _by_clock(roll.acts)


def _is_clear_change(change: PlayChange) -> bool:
    return change.is_demanded or change.is_early_roll or _by_clock(change.acts)


_rolled_2017_09 = _ratified(roll_usbgf_2017_07, _is_plain)
_cube_2017_09 = _ratified(cube_usbgf_2017_07, lambda cube: _by_clock(cube.acts))

turn_end_usbgf_2017_09 = _ratified(turn_end_usbgf_2017_07, lambda act: act.clock == RUNNING)
change_usbgf_2017_09 = _ratified(change_usbgf_2017_07, _is_clear_change)


def roll_usbgf_2017_09(roll: EarlyRoll, rules: Rules) -> Answer:
    """As the draft has it; valid rolls are in hand, so a bad throw is one."""
    return _bad_throw(roll) or _rolled_2017_09(roll, rules)


def cube_usbgf_2017_09(cube: EarlyCube, rules: Rules) -> Answer:
    """As the draft has it; who owns the cube is common to all texts."""
    if cube.is_owned_by_player:
        return cube_usbgf_2017_07(cube, rules)
    return _cube_2017_09(cube, rules)


# Subject to policy, as the rule sets take them.

ROLL = "premature.roll"
LIFT = "premature.lift"
CUBE = "premature.cube"
TURN_END = "turn.end"
CHANGE = "play.change"

USBGF_2017_07: dict[str, Policy] = {
    ROLL: roll_usbgf_2017_07,
    CUBE: cube_usbgf_2017_07,
    TURN_END: turn_end_usbgf_2017_07,
    CHANGE: change_usbgf_2017_07,
}
USBGF_2017_09: dict[str, Policy] = {
    ROLL: roll_usbgf_2017_09,
    CUBE: cube_usbgf_2017_09,
    TURN_END: turn_end_usbgf_2017_09,
    CHANGE: change_usbgf_2017_09,
}
BIBA_2014: dict[str, Policy] = {
    ROLL: roll_biba_2014,
    LIFT: lift_biba_2014,
    CUBE: cube_biba_2014,
    TURN_END: turn_end_biba_2014,
    CHANGE: change_biba_2014,
}
FCBG_TOURNAMENT: dict[str, Policy] = {
    ROLL: roll_fcbg_tournament,
    CUBE: cube_fcbg_tournament,
    TURN_END: turn_end_fcbg_tournament,
    CHANGE: change_fcbg_tournament,
}
FCBG_CLUB: dict[str, Policy] = {CUBE: cube_fcbg_club}
COMMON: dict[str, Policy] = {ROLL: roll_common, CUBE: cube_common}
