"""Dice: is a die valid, does a throw count, what is rolled again, what an opening tie does."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from projections.rules.answers import RULING_REQUIRED, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Policy, Rules

VALID = "valid"
INVALID = "invalid"
PENDING = "pending"
BOTH = "both"
THAT_DIE = "that_die"

AT_REST_AFTER_MS = 2_000
"""A die that was seen balanced for so long is at rest (usbgf-2017-09, S000)."""

FIELD = "field"
RIGHT = "right"
DIE = "die_other"


class Die(msgspec.Struct, frozen=True, gc=False):
    """Where and how one die came to rest; what nobody recorded is nothing out of the ordinary."""

    at_rest: str = "natural"
    """natural, balanced, not_at_rest or disturbed_by_player."""
    location: str = "playing_field"
    """playing_field, or where else it lies."""
    in_box: bool = False
    """Whether a baffle box was in use."""
    rolled_side: str = RIGHT
    """Half thrown into, seen from the roller, or unknown; with a box, the half it stands in."""
    rest_side: str = RIGHT
    """Half where it rests."""
    first_contact: str = FIELD
    """field, checker or outside_right_half."""
    returned_from: str = "none"
    """What it touched off the board before it came back."""
    rests_on: tuple[str, ...] = (FIELD,)
    """Of field, checker_a, checker_b, die_other, bar, rail, tray, floor."""
    is_touching: bool = False
    """Whether it touches a vertical surface."""
    is_supported: bool = False
    """Whether such a surface holds it up, by sight or by a test outside a dispute."""
    is_support_unclear: bool = False
    """Whether nobody can say so."""
    is_balanced: bool = False
    """Whether it is still balanced on an edge or a corner."""
    tipped_after_ms: int | None = None
    """How long it was seen balanced before it tipped by itself; None = it did not."""
    tilt: str = "flat"
    """flat, tilted or unknown."""
    tilt_cause: str = "none"
    """Why it is tilted."""
    below_top_of: tuple[str, ...] = ()
    """Supporting checkers below whose top any part of it lies."""

    @property
    def checkers(self) -> tuple[str, ...]:
        """The checkers on which it rests."""
        return tuple(what for what in self.rests_on if what.startswith("checker"))

    @property
    def is_on_field(self) -> bool:
        """Whether it rests on the field, alone or among other things."""
        return FIELD in self.rests_on

    @property
    def is_below_some(self) -> bool:
        """Whether it lies below the top of a checker on which it rests."""
        # The field lies lower than every checker's top.
        return self.is_on_field or any(top in self.below_top_of for top in self.checkers)

    @property
    def is_below_all(self) -> bool:
        """Whether it lies below the tops of all checkers on which it rests."""
        return self.is_on_field or all(top in self.below_top_of for top in self.checkers)


class Thrown(msgspec.Struct, frozen=True, gc=False):
    """One throw with the verdicts on its dice."""

    verdicts: tuple[Answer, ...] = ()
    """The answer to each die that was observed; on an opening roll seat one's, then two's."""
    is_opening: bool = False
    """Whether each player threw one die to decide who begins."""
    is_tie: bool = False
    """Whether an opening roll shows the same face twice."""
    in_box: bool = False
    """Whether it went through a baffle box."""
    flaws: tuple[str, ...] = ()
    """Of no_cup, not_shaken, not_together, no_height, no_bounce."""


class Tied(msgspec.Struct, frozen=True, gc=False):
    """An opening tie where the players had agreed on automatic doubles."""

    ties: int
    """Ties of this game so far."""
    limit: int | None = None
    """Most automatic doubles that a game was agreed to have; None = no limit agreed."""
    is_rated: bool | None = None
    """Whether the match is rated; None = not recorded."""
    is_match: bool = True
    """Whether it is played to a length."""


# One die. A text is a row of checks; the first that speaks answers.


def _invalid(section: str, cause: str, flag: str | None = None) -> Answer:
    details = MappingProxyType({"cause": cause})
    return Answer(outcome=INVALID, section=section, details=details, flag=flag)


def _text(section: str, *checks: Callable[[Die, str], Answer | None]) -> Policy:
    """The policy of a text whose checks are made in this order."""

    def answer(die: Die, rules: Rules) -> Answer:
        for check in checks:
            said = check(die, section)
            if said is not None:
                return said
        return Answer(outcome=VALID, section=section)

    return answer


def _at_rest(die: Die, section: str) -> Answer | None:
    if die.at_rest == "not_at_rest":
        return Answer(outcome=PENDING, section=section)
    if die.at_rest == "disturbed_by_player":
        return ambiguous("AMB-D13", section, "as_it_fell", "reroll", "sanction")
    return None


def _on_playing_field(die: Die, section: str) -> Answer | None:
    return None if die.location == "playing_field" else _invalid(section, "off_field")


def _box_unknown(section: str) -> Answer:
    return ambiguous("AMB-D11", section, "side_of_the_box", "right_hand_side")


def _side_of_throw(die: Die, section: str) -> Answer | None:
    """With a box where it stands (its half must be recorded); else to the roller's right."""
    if die.in_box:
        if die.rolled_side == "unknown":
            return _box_unknown(section)
        return None if die.rest_side == die.rolled_side else _invalid(section, "wrong_side")
    if die.rest_side == RIGHT and die.rolled_side != "left":
        return None
    return _invalid(section, "wrong_side")


def _same_side(die: Die, section: str) -> Answer | None:
    """`same side as rolled`: a throw into the wrong half that stays there is not said to be bad."""
    if not die.in_box and (die.rolled_side, die.rest_side) == ("left", "left"):
        return ambiguous("AMB-D15", section, VALID, INVALID, lean=INVALID)
    return _side_of_throw(die, section)


def _right_side(die: Die, section: str) -> Answer | None:
    """Always on the right: a box that stands elsewhere is not foreseen."""
    if die.in_box and die.rolled_side != RIGHT:
        return _box_unknown(section)
    return None if die.rest_side == RIGHT else _invalid(section, "wrong_side")


def _on_field_or_checkers(die: Die, section: str) -> Answer | None:
    beyond = [what for what in die.rests_on if what != FIELD and what not in die.checkers]
    if not beyond:
        return None
    return _invalid(section, "on_die" if DIE in beyond else "not_on_field_or_checker")


def _unsupported(die: Die, section: str) -> Answer | None:
    return _invalid(section, "vertical_support") if die.is_supported else None


def _support_clear(die: Die, section: str) -> Answer | None:
    if die.is_support_unclear:
        return ambiguous("AMB-D7", section, "supported", "not_supported")
    return None


def _not_balanced(die: Die, section: str) -> Answer | None:
    return _invalid(section, "balanced") if die.is_balanced else None


def _was_balanced(die: Die) -> bool:
    return die.tipped_after_ms is not None and die.tipped_after_ms >= AT_REST_AFTER_MS


def _at_rest_when_balanced(die: Die, section: str) -> Answer | None:
    return _invalid(section, "balanced", "AMB-D6") if _was_balanced(die) else None


def _rest_undefined(die: Die, section: str) -> Answer | None:
    if _was_balanced(die):
        return ambiguous("AMB-D6", section, "at_rest_balanced", "at_rest_after_it_tipped")
    return None


def _not_below_all_tops(die: Die, section: str) -> Answer | None:
    """Below the top of all checkers on which it rests; one checker alone exempts."""
    if not die.checkers or not die.is_below_all:
        return None
    if len(die.checkers) == 1 and not die.is_on_field:
        if not die.is_touching:
            return None
        return ambiguous("AMB-D4", section, "exempt", "below_all_tops")
    return _invalid(section, "below_all_tops")


def _not_below_tops_between(die: Die, section: str) -> Answer | None:
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


def _off_checkers(die: Die, section: str) -> Answer | None:
    return _invalid(section, "on_checker") if die.checkers else None


def _flush(section: str) -> Answer:
    return ambiguous("AMB-D3", section, "flush_is_flat", "level_is_flat")


def _surface_sound(die: Die, section: str) -> Answer | None:
    is_flush = die.tilt == "tilted" and die.tilt_cause == "surface_imperfection"
    return _flush(section) if is_flush else None


def _on_field_alone(die: Die, section: str) -> Answer | None:
    if DIE in die.rests_on:
        return _invalid(section, "on_die")
    if die.checkers:
        return _invalid(section, "on_field_and_checker" if die.is_on_field else "on_checker")
    return None if set(die.rests_on) <= {FIELD} else _invalid(section, "off_field")


def _flat(die: Die, section: str) -> Answer | None:
    if die.tilt == "tilted":
        return _surface_sound(die, section) or _invalid(section, "not_flat")
    return _tilt_known(die, section)


def _tilt_known(die: Die, section: str) -> Answer | None:
    return ambiguous("AMB-D7", section, "flat", "not_flat") if die.tilt == "unknown" else None


def _never_left(die: Die, section: str) -> Answer | None:
    return None if die.returned_from == "none" else _invalid(section, "left_and_returned")


def _return_unclear(die: Die, section: str) -> Answer | None:
    if die.returned_from == "none":
        return None
    return ambiguous("AMB-D12", section, VALID, INVALID, lean=VALID)


def _landing_unclear(die: Die, section: str) -> Answer | None:
    """`lands outside the right-hand board`, `lands on a checker`: where it lands, or rests?"""
    if die.returned_from == "none" and die.first_contact == FIELD:
        return None
    return ambiguous("AMB-D9", section, "landing", "resting")


def _not_tilted_otherwise(die: Die, section: str) -> Answer | None:
    if die.tilt == "tilted" and die.tilt_cause != "surface_imperfection":
        return _invalid(section, "not_flat")
    return None


def _only_field_mentioned(die: Die, section: str) -> Answer | None:
    if set(die.rests_on) <= {FIELD}:
        return None
    return ambiguous("AMB-D5", section, "valid_if_flat", INVALID, lean=INVALID)


def _by_option(on_checkers: Policy, flat_on_board: Policy) -> Policy:
    def answer(die: Die, rules: Rules) -> Answer:
        is_flat = rules.options.get("dice_on_checkers") == INVALID
        return (flat_on_board if is_flat else on_checkers)(die, rules)

    return answer


_USBGF_07 = "[4.1.1-4]"
_USBGF_09 = "S000"

usbgf_2017_07 = _by_option(
    # usbgf-2017-07 [4.1.1-4]
    _text(
        _USBGF_07, _at_rest, _on_playing_field, _same_side, _on_field_or_checkers, _unsupported,
        _support_clear, _not_balanced, _rest_undefined, _not_below_tops_between, _return_unclear,
    ),
    _text(
        _USBGF_07, _at_rest, _on_playing_field, _same_side, _on_field_or_checkers, _off_checkers,
        _unsupported, _support_clear, _not_balanced, _rest_undefined, _surface_sound,
        _return_unclear,
    ),
)  # fmt: skip
"""The draft: a die may rest on checkers, unless the flat-on-board option is in force."""

_usbgf_2017_09 = _by_option(
    # usbgf-2017-09 Valid Rolls, as seed 000 explains them
    _text(
        _USBGF_09, _at_rest, _on_playing_field, _side_of_throw, _on_field_or_checkers,
        _unsupported, _not_balanced, _at_rest_when_balanced, _not_below_all_tops, _return_unclear,
    ),
    _text(
        _USBGF_09, _at_rest, _on_playing_field, _side_of_throw, _on_field_or_checkers,
        _off_checkers, _unsupported, _not_balanced, _at_rest_when_balanced, _surface_sound,
        _return_unclear,
    ),
)  # fmt: skip


def usbgf_2017_09(die: Die, rules: Rules) -> Answer:
    """The ratified text: without clear evidence of support there is none."""
    answer = _usbgf_2017_09(die, rules)
    if die.is_support_unclear and answer.outcome == VALID:
        return replace(answer, flag="AMB-D7")
    return answer


biba_2014 = _text(
    # biba-2014 4.2
    "4.2", _at_rest, _on_playing_field, _right_side, _never_left, _rest_undefined,
    _on_field_alone, _flat,
)  # fmt: skip
"""Both dice flat on the playing surface, right of the bar, and never off the board."""

fcbg_tournament = _text(
    # fcbg-tournament IRR/T(b)
    "IRR/T(b)", _at_rest, _on_playing_field, _right_side, _rest_undefined, _on_field_alone, _flat,
    _landing_unclear,
)  # fmt: skip
"""Both dice flat on the playing surface, right of the bar."""

common = _text(
    # common Movement
    "Movement", _at_rest, _on_playing_field, _right_side, _rest_undefined, _not_tilted_otherwise,
    _only_field_mentioned, _flat, _return_unclear,
)  # fmt: skip
"""`Both dice must land completely flat on the right-hand side`."""


# The throw.


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """What a text says about throws as a whole."""

    section: str
    """Where it speaks about valid throws."""
    tie_section: str
    """Where it has an opening tie thrown again."""
    flaw_section: str | None = None
    """Where it says how to throw; None = the way of throwing is no condition."""
    do_flaws_void: bool = False
    """Whether a throw not made as described is void; else the text leaves it open."""
    is_opening_die_alone: bool = False
    """Whether only the bad die of an opening roll is thrown again; else the text leaves it open."""
    is_scope_said: bool = True
    """Whether it says that one bad die has both thrown again."""
    flat_flag: str | None = None
    """Ambiguity by whose recommended reading its word on flatness covers all rolls."""


def _throw(text: Text) -> Policy:
    def answer(thrown: Thrown, rules: Rules) -> Answer:
        return _of_throw(thrown, text)

    return answer


def _of_throw(thrown: Thrown, text: Text) -> Answer:
    """Void before open, open before pending, pending before valid."""
    bad = [index for index, die in enumerate(thrown.verdicts) if die.outcome == INVALID]
    if bad:
        return _void(thrown, bad, text)
    flawed = _flawed(thrown, text)
    if flawed is not None and not flawed.is_open:
        return flawed
    for wanted in (RULING_REQUIRED, PENDING):
        for die in thrown.verdicts:
            if die.outcome == wanted:
                return die
        if flawed is not None:
            return flawed
    if thrown.is_tie:
        return settled("opening_tie", text.tie_section, reroll="both")
    flag = next((die.flag for die in thrown.verdicts if die.flag), None)
    return Answer(outcome=VALID, section=text.section, flag=flag)


def _void(thrown: Thrown, bad: list[int], text: Text) -> Answer:
    """A throw with a bad die, and what is thrown again."""
    worst = thrown.verdicts[bad[0]]
    cause = worst.details["cause"]
    both = replace(worst, details=MappingProxyType({"cause": cause, "reroll": "both"}))
    if thrown.is_opening:
        if len(bad) > 1:
            return both
        if not text.is_opening_die_alone:
            return ambiguous("AMB-D10", text.section, THAT_DIE, BOTH, cause=cause)
        for die in thrown.verdicts:
            if die.is_open:
                return die
        seat = ("seat_one", "seat_two")[min(bad[0], 1)]
        return replace(worst, details=MappingProxyType({"cause": cause, "reroll": seat}))
    if text.flat_flag and cause in ("not_flat", "wrong_side"):
        worst, both = replace(worst, flag=text.flat_flag), replace(both, flag=text.flat_flag)
    if text.is_scope_said or len(bad) > 1:
        return both
    scope = ambiguous("AMB-D14", text.section, BOTH, THAT_DIE)
    return with_question(worst, "reroll", scope)


def with_question(answer: Answer, name: str, question: Answer) -> Answer:
    """The answer with a part left open: the question stands beside it, and names it."""
    return replace(
        answer,
        ambiguity=question.ambiguity,
        reason=question.reason,
        also=MappingProxyType({**answer.also, name: question}),
    )


def _flawed(thrown: Thrown, text: Text) -> Answer | None:
    """What follows if the dice were not thrown as the text describes; None = nothing."""
    if text.flaw_section is None:
        return None
    # Through a box dice need no cup; on an opening roll they come from two hands.
    flaws = [flaw for flaw in thrown.flaws if not thrown.in_box or flaw == "not_together"]
    if thrown.is_opening:
        flaws = [flaw for flaw in flaws if flaw != "not_together"]
    if not flaws:
        return None
    if text.do_flaws_void:
        return settled(INVALID, text.flaw_section, cause="not_a_legal_roll", reroll="both")
    return ambiguous("AMB-D15", text.flaw_section, "valid_by_rest", "reroll", lean=VALID)


throw_usbgf_2017_07 = _throw(
    # Ties: the text is silent, and the general rules have them thrown again.
    Text(section=_USBGF_07, tie_section=_USBGF_07, flaw_section=_USBGF_07)
)
throw_usbgf_2017_09 = _throw(Text(section=_USBGF_09, tie_section=_USBGF_09, flaw_section=_USBGF_09))
throw_biba_2014 = _throw(
    Text(
        section="4.2",
        tie_section="1.2",
        flaw_section="4.1",
        do_flaws_void=True,
        is_opening_die_alone=True,
    )
)
throw_fcbg_tournament = _throw(
    Text(section="IRR/T(b)", tie_section="1ST ROLL", flaw_section="IRR/T(b)", do_flaws_void=True)
)
throw_common = _throw(
    Text(section="Movement", tie_section="Movement", is_scope_said=False, flat_flag="AMB-G1")
)


def throw_fcbg_club(thrown: Thrown, rules: Rules) -> Answer:
    """Only ties: what makes a throw valid stands under a /TOURNAMENT heading."""
    if thrown.is_tie and not thrown.verdicts and not thrown.flaws:
        return settled("opening_tie", "1ST ROLL", reroll="both")
    assert rules.profile.gap is not None
    return rules.profile.gap("dice.throw", thrown, rules)


# What a Director's reading makes of a throw.

_PASSES = (VALID, "as_it_fell", "valid_by_rest", "valid_if_flat", "not_supported", "flat", "exempt")
_FAILS = (INVALID, "reroll", "supported", "not_flat", "below_any_top", THAT_DIE, BOTH)
_READINGS = MappingProxyType(
    {
        **dict.fromkeys((*_PASSES, "flush_is_flat", "resting", "at_rest_after_it_tipped"), VALID),
        **dict.fromkeys((*_FAILS, "level_is_flat", "at_rest_balanced"), INVALID),
    }
)
"""Readings of a question about a throw that say whether it counts, whatever the dice are like."""
_TOPS = MappingProxyType({"AMB-D1": VALID, "AMB-D4": INVALID})
"""What `below_all_tops` says: of a die below some, and of one that might have been exempt."""


def validity(answer: Answer) -> str | None:
    """VALID or INVALID, by the text or by the reading that a ruling chose.

    None where it is open, and where the reading names another text, or words of the Director's.
    """
    if answer.ruled_at is not None:
        if answer.outcome == "below_all_tops":
            return _TOPS.get(answer.ambiguity or "")
        return _READINGS.get(answer.outcome)
    return answer.outcome if answer.outcome in (VALID, INVALID) else None


# Automatic doubles: the cube after an opening tie.


def automatic_usbgf(tied: Tied, rules: Rules) -> Answer:
    """The text does not know automatic doubles; whether the agreement binds is open."""
    return _agreement_open(tied, rules.profile.default_section)


def _agreement_open(tied: Tied, section: str) -> Answer:
    lean = "cube_1" if tied.is_match else None
    doubles = tied.ties if tied.limit is None else min(tied.ties, tied.limit)
    agreed = f"cube_{2**doubles}"
    return ambiguous("AMB-C10", section, *dict.fromkeys((agreed, "cube_1")), lean=lean)


def automatic_biba_2014(tied: Tied, rules: Rules) -> Answer:
    """Not allowed, whatever was agreed."""
    # biba-2014 5.3
    return settled("cube", "5.3", cube_value=1)


def automatic_fcbg(tied: Tied, rules: Rules) -> Answer:
    """By agreement in unrated play: each tie doubles the cube in the middle, up to the limit."""
    # fcbg AUTOMATICS
    if tied.is_rated:
        return settled("cube", "AUTOMATICS", cube_value=1)
    if tied.is_rated is None:
        return left_open(SILENT, "AUTOMATICS", "rated", "unrated")
    return _as_agreed(tied, "AUTOMATICS")


def automatic_common(tied: Tied, rules: Rules) -> Answer:
    """For money what the players agreed holds; in a match the text does not know them."""
    if tied.is_match:
        return _agreement_open(tied, "Doubling cube")
    return _as_agreed(tied, "Doubling cube")


def _as_agreed(tied: Tied, section: str) -> Answer:
    if tied.limit is None and tied.ties > 1:
        # Usually one a game: nobody said whether another tie doubles again.
        return left_open(SILENT, section, f"cube_{2**tied.ties}", "cube_2")
    doubles = tied.ties if tied.limit is None else min(tied.ties, tied.limit)
    return settled("cube", section, cube_value=2**doubles)


USBGF_2017_07: dict[str, Policy] = {
    "dice.die": usbgf_2017_07,
    "dice.throw": throw_usbgf_2017_07,
    "cube.automatic": automatic_usbgf,
}
USBGF_2017_09: dict[str, Policy] = {
    "dice.die": usbgf_2017_09,
    "dice.throw": throw_usbgf_2017_09,
    "cube.automatic": automatic_usbgf,
}
BIBA_2014: dict[str, Policy] = {
    "dice.die": biba_2014,
    "dice.throw": throw_biba_2014,
    "cube.automatic": automatic_biba_2014,
}
FCBG_TOURNAMENT: dict[str, Policy] = {
    "dice.die": fcbg_tournament,
    "dice.throw": throw_fcbg_tournament,
    "cube.automatic": automatic_fcbg,
}
FCBG_CLUB: dict[str, Policy] = {
    "dice.throw": throw_fcbg_club,
    "cube.automatic": automatic_fcbg,
}
COMMON: dict[str, Policy] = {
    "dice.die": common,
    "dice.throw": throw_common,
    "cube.automatic": automatic_common,
}

USBGF_SECTIONS = {"dice.die": _USBGF_07, "dice.throw": _USBGF_07, "cube.automatic": "[1]"}
"""Where each text speaks about the subjects of this file."""
USBGF_2017_09_SECTIONS = {
    "dice.die": _USBGF_09,
    "dice.throw": _USBGF_09,
    "cube.automatic": "[1.1]",
}
BIBA_SECTIONS = {"dice.die": "4.2", "dice.throw": "4.2", "cube.automatic": "5.3"}
FCBG_SECTIONS = {
    "dice.die": "IRR/T(b)",
    "dice.throw": "IRR/T(b)",
    "cube.automatic": "AUTOMATICS",
}
COMMON_SECTIONS = {
    "dice.die": "Movement",
    "dice.throw": "Movement",
    "cube.automatic": "Doubling cube",
}
