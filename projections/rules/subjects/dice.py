"""Dice: how one came to rest, whether a throw counts, what is rolled again, opening ties."""

from __future__ import annotations

from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from projections.rules.answers import RULING_REQUIRED, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Policy, Rules, Subject

VALID = "valid"
INVALID = "invalid"
PENDING = "pending"
BOTH = "both"
THAT_DIE = "that_die"

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
    dropped_in_dispute: bool = False
    """Whether it dropped in a test that was made while the roll was disputed."""
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
    permitted_side: str | None = None
    """Half into which its thrower may throw by permission or agreement; None = none is recorded."""

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
    is_box_agreed: bool = False
    """Whether both, or the Director, had brought a box to the table."""
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
    is_crawford: bool = False
    """Whether the game is played without the cube."""
    is_crawford_open: bool = False
    """Whether that is a question which nobody has ruled on."""


class ThrowText(msgspec.Struct, frozen=True, kw_only=True):
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
    is_box_known: bool = True
    """Whether it knows boxes through which dice are thrown; else such a throw is a question."""
    is_scope_said: bool = True
    """Whether it says that one bad die has both thrown again."""
    flat_flag: str | None = None
    """Ambiguity by whose recommended reading its word on flatness covers all rolls."""


def throw(text: ThrowText) -> Policy[Thrown]:
    """The policy of a text on throws as a whole, from the verdicts on their dice."""

    def answer(thrown: Thrown, rules: Rules) -> Answer:
        return _of_throw(thrown, text)

    return answer


def _of_throw(thrown: Thrown, text: ThrowText) -> Answer:
    """Void before open, open before pending, pending before valid."""
    bad = [index for index, die in enumerate(thrown.verdicts) if die.outcome == INVALID]
    if bad:
        return _void(thrown, bad, text)
    flawed = _flawed(thrown, text)
    if flawed is None and thrown.in_box and not (text.is_box_known or thrown.is_box_agreed):
        flawed = left_open(SILENT, text.section, "valid_by_rest", "reroll")
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


def _void(thrown: Thrown, bad: list[int], text: ThrowText) -> Answer:
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


def _flawed(thrown: Thrown, text: ThrowText) -> Answer | None:
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


# What a Director's reading makes of a throw.

_PASSES = (VALID, "as_it_fell", "valid_by_rest", "valid_if_flat", "not_supported", "flat", "exempt")
_FAILS = (INVALID, "reroll", "supported", "not_flat", "below_any_top", THAT_DIE, BOTH)
_READINGS = MappingProxyType(
    {
        **dict.fromkeys((*_PASSES, "flush_is_flat", "resting", "at_rest_after_it_tipped"), VALID),
        **dict.fromkeys((*_FAILS, "level_is_flat", "at_rest_balanced", "landing"), INVALID),
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


def agreement_open(tied: Tied, section: str) -> Answer:
    """AMB-C10: whether an agreement on automatic doubles binds."""
    lean = "cube_1" if tied.is_match else None
    doubles = tied.ties if tied.limit is None else min(tied.ties, tied.limit)
    agreed = f"cube_{2**doubles}"
    return ambiguous("AMB-C10", section, *dict.fromkeys((agreed, "cube_1")), lean=lean)


def as_agreed(tied: Tied, section: str) -> Answer:
    """Each tie doubles the cube in the middle, up to the limit that was agreed."""
    if tied.limit is None and tied.ties > 1:
        # Usually one a game: nobody said whether another tie doubles again.
        return left_open(SILENT, section, f"cube_{2**tied.ties}", "cube_2")
    doubles = tied.ties if tied.limit is None else min(tied.ties, tied.limit)
    return settled("cube", section, cube_value=2**doubles)


def as_agreed_if_in_play(tied: Tied, section: str, ambiguity: str, phase_section: str) -> Answer:
    """The same, where the game may be one without the cube: then the tie turns none."""
    answer = as_agreed(tied, section)
    if answer.is_open or not tied.is_crawford_open:
        return answer
    turned = f"cube_{answer.details['cube_value']}"
    return ambiguous(ambiguity, phase_section, turned, "cube_1")


DICE_DIE = Subject[Die]("dice.die")
"""Whether one die lies validly."""
DICE_THROW = Subject[Thrown]("dice.throw")
"""What becomes of a throw, by its dice and the way it was made."""
CUBE_AUTOMATIC = Subject[Tied]("cube.automatic")
"""What an opening tie makes the cube."""


class SideFacts(msgspec.Struct, frozen=True, gc=False):
    """A side to throw on is agreed, or permitted to one player."""

    half: str
    """left or right, seen from who throws."""
    allowed: str | None = None
    """Who alone may throw there: one or two; None = both."""
    by: str | None = None
    """Who brought it about: both, a player, or the director; None = not recorded."""
    until: str | None = None
    """game or match; None = not said."""


THROWING_SIDE = Subject[SideFacts]("dice.side")
"""Whether a player may throw on the other side by agreement or permission."""

MAY_THROW = "may_throw"
MAY_NOT_THROW = "may_not_throw"


def right_alone(section: str) -> Policy[SideFacts]:
    """Dice are thrown on the right; the text has no permission to throw elsewhere."""

    def answer(facts: SideFacts, rules: Rules) -> Answer:
        return settled(MAY_THROW if facts.half == RIGHT else MAY_NOT_THROW, section)

    return answer
