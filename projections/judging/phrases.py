"""What hands and words do, and what is wrong with a throw, as sentences about them say it."""

from __future__ import annotations

from projections.folding.sayings import Said, said, worded

_SIGNS = {
    "reach": said("reached for the cube"),
    "touch": said("touched the cube"),
    "lift": said("lifted the cube"),
    "put": said("put the cube down"),
    "double": said("doubled"),
    "spoke": said("spoken about the cube"),
}
_TURN_ACTS = {
    "pressed_clock": said("pressed the clock"),
    "tapped_bar": said("tapped the bar"),
    "lifted_both": said("lifted both dice"),
    "lifted_one": said("lifted one die"),
    "touched_die": said("touched a die"),
}
_CAUSES = {
    "balanced": said("a die stands on an edge or a corner"),
    "below_all_tops": said("a die reaches below the tops of all checkers that it rests on"),
    "below_any_top": said("a die reaches below the top of a checker that it rests on"),
    "left_and_returned": said("a die left the board and came back"),
    "not_a_legal_roll": said("the dice were not thrown as the rules demand"),
    "not_flat": said("a die does not lie flat"),
    "not_on_field_or_checker": said("a die lies neither on the field nor on a checker"),
    "off_field": said("a die lies off the field"),
    "on_checker": said("a die lies on a checker"),
    "on_die": said("a die lies on the other die"),
    "on_field_and_checker": said("a die lies on the field and on a checker"),
    "vertical_support": said("something upright holds a die up"),
    "wrong_side": said("a die lies on the wrong side of the bar"),
}


_WORDS = {
    "double": said("announced a double"),
    "take": said("announced a take"),
    "drop": said("announced a drop"),
}


def sign_of(sign: str, intent: str = "double") -> Said:
    """What was done or said about the cube, behind "has"."""
    if sign == "words" and intent in _WORDS:
        return _WORDS[intent]
    return _SIGNS.get(sign) or worded(sign)


def act_of_turn(act: str | None) -> Said:
    """What was done at the end of a turn, behind "has"."""
    return _TURN_ACTS.get(act or "") or worded(str(act))


def cause_of(cause: str) -> Said:
    """Why a throw does not count."""
    return _CAUSES.get(cause) or worded(cause)
