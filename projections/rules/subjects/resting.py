"""A die at rest: the checks of which each text makes a row; the first that speaks answers."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from projections.rules.answers import DISCRETION, Answer, ambiguous, left_open
from projections.rules.profile import Policy, Rules
from projections.rules.subjects.dice import DIE, FIELD, INVALID, PENDING, RIGHT, VALID, Die

AT_REST_AFTER_MS = 2_000
"""A die that was seen balanced for so long is at rest, where a text says how long."""


def _invalid(section: str, cause: str, flag: str | None = None) -> Answer:
    details = MappingProxyType({"cause": cause})
    return Answer(outcome=INVALID, section=section, details=details, flag=flag)


def by_checks(section: str, *checks: Callable[[Die, str], Answer | None]) -> Policy[Die]:
    """The policy of a text whose checks are made in this order."""

    def answer(die: Die, rules: Rules) -> Answer:
        for check in (*checks, left_alone):
            said = check(die, section)
            if said is not None:
                return said
        return Answer(outcome=VALID, section=section)

    return answer


def at_rest(die: Die, section: str) -> Answer | None:
    """A die that still rolls is waited for; one that a player disturbed is a question."""
    if die.at_rest == "not_at_rest":
        return Answer(outcome=PENDING, section=section)
    if die.at_rest == "disturbed_by_player":
        return ambiguous("AMB-D13", section, "as_it_fell", "reroll", "sanction")
    return None


def on_playing_field(die: Die, section: str) -> Answer | None:
    """It lies on the playing field."""
    return None if die.location == "playing_field" else _invalid(section, "off_field")


def _box_unknown(section: str) -> Answer:
    return ambiguous("AMB-D11", section, "side_of_the_box", "right_hand_side")


def side_of_throw(die: Die, section: str) -> Answer | None:
    """With a box where it stands (its half must be recorded); else to the roller's right."""
    if die.in_box:
        if die.rolled_side == "unknown":
            return _box_unknown(section)
        return None if die.rest_side == die.rolled_side else _invalid(section, "wrong_side")
    if die.rest_side == RIGHT and die.rolled_side != "left":
        return None
    return _invalid(section, "wrong_side")


def same_side(die: Die, section: str) -> Answer | None:
    """`same side as rolled`: a throw into the wrong half that stays there is not said to be bad."""
    if not die.in_box and (die.rolled_side, die.rest_side) == ("left", "left"):
        return ambiguous("AMB-D15", section, VALID, INVALID, lean=INVALID)
    return side_of_throw(die, section)


def right_side(die: Die, section: str) -> Answer | None:
    """Always on the right: a box that stands elsewhere is not foreseen."""
    if die.in_box and die.rolled_side != RIGHT:
        return _box_unknown(section)
    return None if die.rest_side == RIGHT else _invalid(section, "wrong_side")


def on_field_or_checkers(die: Die, section: str) -> Answer | None:
    """It rests on the field, on checkers, and on nothing else."""
    beyond = [what for what in die.rests_on if what != FIELD and what not in die.checkers]
    if not beyond:
        return None
    return _invalid(section, "on_die" if DIE in beyond else "not_on_field_or_checker")


def unsupported(die: Die, section: str) -> Answer | None:
    """No vertical surface holds it up; of one that was tried in a dispute `left_alone` speaks."""
    if die.dropped_in_dispute or not die.is_supported:
        return None
    return _invalid(section, "vertical_support")


def left_alone(die: Die, section: str) -> Answer | None:
    """A die that dropped in a test made in a dispute: the evidence was altered by showing it."""
    if die.dropped_in_dispute:
        return left_open(DISCRETION, section, "supported", "not_supported")
    return None


def support_clear(die: Die, section: str) -> Answer | None:
    """AMB-D7: whether something holds it up has to be clear."""
    if die.is_support_unclear:
        return ambiguous("AMB-D7", section, "supported", "not_supported")
    return None


def not_balanced(die: Die, section: str) -> Answer | None:
    """It does not stand on an edge or a corner."""
    return _invalid(section, "balanced") if die.is_balanced else None


def _was_balanced(die: Die) -> bool:
    return die.tipped_after_ms is not None and die.tipped_after_ms >= AT_REST_AFTER_MS


def at_rest_when_balanced(die: Die, section: str) -> Answer | None:
    """AMB-D6: a die that was balanced for so long was at rest then."""
    return _invalid(section, "balanced", "AMB-D6") if _was_balanced(die) else None


def rest_undefined(die: Die, section: str) -> Answer | None:
    """AMB-D6: a die that was balanced for long, and tipped: when was it at rest?"""
    if _was_balanced(die):
        return ambiguous("AMB-D6", section, "at_rest_balanced", "at_rest_after_it_tipped")
    return None


def not_below_all_tops(die: Die, section: str) -> Answer | None:
    """Below the top of all checkers on which it rests; one checker alone exempts."""
    if not die.checkers or not die.is_below_all:
        return None
    if len(die.checkers) == 1 and not die.is_on_field:
        if not die.is_touching:
            return None
        return ambiguous("AMB-D4", section, "exempt", "below_all_tops")
    return _invalid(section, "below_all_tops")


def not_below_tops_between(die: Die, section: str) -> Answer | None:
    """Below the top *between* the checkers: silent on one, unclear on unequal heights."""
    if not die.checkers or not die.is_below_some:
        return None
    if len(die.checkers) == 1:
        if not die.is_on_field:
            return None
        return ambiguous("AMB-D2", section, VALID, INVALID, lean=INVALID)
    if die.is_below_all:
        return _invalid(section, "below_all_tops")
    return ambiguous("AMB-D1", section, "below_any_top", "below_all_tops", lean=VALID)


def off_checkers(die: Die, section: str) -> Answer | None:
    """It rests on no checker."""
    return _invalid(section, "on_checker") if die.checkers else None


def _flush(section: str) -> Answer:
    return ambiguous("AMB-D3", section, "flush_is_flat", "level_is_flat")


def surface_sound(die: Die, section: str) -> Answer | None:
    """AMB-D3: the surface itself is uneven."""
    is_flush = die.tilt == "tilted" and die.tilt_cause == "surface_imperfection"
    return _flush(section) if is_flush else None


def on_field_alone(die: Die, section: str) -> Answer | None:
    """It rests on the field and on nothing else."""
    if DIE in die.rests_on:
        return _invalid(section, "on_die")
    if die.checkers:
        return _invalid(section, "on_field_and_checker" if die.is_on_field else "on_checker")
    return None if set(die.rests_on) <= {FIELD} else _invalid(section, "off_field")


def flat(die: Die, section: str) -> Answer | None:
    """It lies flat, as far as anybody can say."""
    if die.tilt == "tilted":
        return surface_sound(die, section) or _invalid(section, "not_flat")
    return _tilt_known(die, section)


def _tilt_known(die: Die, section: str) -> Answer | None:
    return ambiguous("AMB-D7", section, "flat", "not_flat") if die.tilt == "unknown" else None


def never_left(die: Die, section: str) -> Answer | None:
    """It has not left the board."""
    return None if die.returned_from == "none" else _invalid(section, "left_and_returned")


def return_unclear(die: Die, section: str) -> Answer | None:
    """AMB-D12: it left the board and came back, and the text does not say what then."""
    if die.returned_from == "none":
        return None
    return ambiguous("AMB-D12", section, VALID, INVALID, lean=VALID)


def thrown_to_the_right(die: Die, section: str) -> Answer | None:
    """AMB-D15: a throw is made into the right half; of one that first struck elsewhere no word."""
    if die.in_box or die.first_contact != "outside_right_half":
        return None
    return ambiguous("AMB-D15", section, "valid_by_rest", "reroll")


def landing_unclear(die: Die, section: str) -> Answer | None:
    """`lands outside the right-hand board`, `lands on a checker`: where it lands, or rests?"""
    if die.returned_from == "none" and die.first_contact == FIELD:
        return None
    return ambiguous("AMB-D9", section, "landing", "resting")


def not_tilted_otherwise(die: Die, section: str) -> Answer | None:
    """It is tilted by nothing but the surface."""
    if die.tilt == "tilted" and die.tilt_cause != "surface_imperfection":
        return _invalid(section, "not_flat")
    return None


def only_field_mentioned(die: Die, section: str) -> Answer | None:
    """AMB-D5: the text speaks of the field, and this one rests on more than that."""
    if set(die.rests_on) <= {FIELD}:
        return None
    return ambiguous("AMB-D5", section, "valid_if_flat", INVALID, lean=INVALID)


def by_option(on_checkers: Policy[Die], flat_on_board: Policy[Die]) -> Policy[Die]:
    """One row of checks, or the other where dice have to lie flat on the board."""

    def answer(die: Die, rules: Rules) -> Answer:
        is_flat = rules.options.get("dice_on_checkers") == INVALID
        return (flat_on_board if is_flat else on_checkers)(die, rules)

    return answer
