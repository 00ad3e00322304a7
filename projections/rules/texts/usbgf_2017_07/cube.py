"""`usbgf-2017-07` on the cube, Crawford, gammons."""

from __future__ import annotations

from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import CubeFault, Rules
from projections.rules.subjects import (
    cube_doubles,
    cube_signs,
    cube_words,
    dice,
    game_worth,
    starting,
)
from projections.rules.subjects.cube_doubles import BeaverFacts, DoubleFacts
from projections.rules.subjects.cube_found import FoundFacts
from projections.rules.subjects.cube_signs import AnswerFacts, ShownFacts, SignFacts
from projections.rules.subjects.dice import Tied
from projections.rules.subjects.game_worth import GammonFacts, PhaseFacts
from projections.rules.texts.usbgf_2017_07 import sections as at


def doubling_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """The draft does not say when; ownership and the own turn are the common rules'."""
    if CubeFault.BEFORE_OPENING in facts.faults and CubeFault.NOT_OWNED not in facts.faults:
        # Nobody's turn has begun: what the sections on the cube do not address is the Director's.
        lean = None if facts.is_answered else cube_words.NOT_ALLOWED
        section = rules.profile.default_section
        return left_open(SILENT, section, cube_words.NOT_ALLOWED, cube_words.ALLOWED, lean=lean)
    fault = cube_doubles.time_fault(facts)
    if fault is not CubeFault.NOT_OWNED and (fault is not None or facts.is_cocked):
        lean = None if facts.is_cocked or facts.is_answered else cube_words.NOT_ALLOWED
        return left_open(SILENT, at.CUBE, cube_words.NOT_ALLOWED, cube_words.ALLOWED, lean=lean)
    actions = at.CUBE
    return cube_doubles.in_own_turn(
        facts, actions, opening=None, cocked=None, rolled=actions, not_owned=actions
    )


def worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """No offer by whom the game at its present value already gives the match."""
    is_dead = CubeFault.DEAD in facts.faults
    return cube_words.said(cube_words.VOID if is_dead else cube_words.ALLOWED, at.DEAD_CUBE)


def in_crawford_game(facts: DoubleFacts, rules: Rules) -> Answer:
    """Any cube action during the Crawford game is null and void."""
    return cube_words.said(cube_words.VOID, at.CRAWFORD)


def premature(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C9: who touches the cube "must so act at that time", and it is not his turn."""
    readings = (cube_words.NOW, cube_words.FIRST_LEGAL, cube_words.VOID)
    return ambiguous(
        "AMB-C9", at.CUBE, *readings, lean=cube_words.lean_to("double", cube_words.FIRST_LEGAL)
    )


def beaver(facts: BeaverFacts, rules: Rules) -> Answer:
    """No text about beavers."""
    return left_open(SILENT, at.CUBE, cube_words.ALLOWED, cube_words.NOT_ALLOWED)


def found(facts: FoundFacts, rules: Rules) -> Answer:
    """Void while the game lasts; afterwards there is no window: AMB-C5, AMB-C11."""
    is_crawford = facts.fault is CubeFault.CRAWFORD
    section = at.CRAWFORD if is_crawford else at.DEAD_CUBE
    if not facts.is_over:
        return cube_words.said(cube_words.VOID, section)
    if is_crawford:
        return ambiguous("AMB-C5", section, cube_words.CORRECTED, cube_words.STANDS)
    return ambiguous("AMB-C11", section, cube_words.VOID, cube_words.STANDS)


def sign(facts: SignFacts, rules: Rules) -> Answer:
    """Touching binds, reaching does not; a stated intent binds when it is legal."""
    if facts.is_crawford:
        return cube_words.said(cube_words.NOT_BOUND, at.CRAWFORD)
    void_if = {"double": facts.is_dead, "drop": facts.is_lost_by_drop}
    if void_if.get(facts.intent, False):
        # Only a valid cube action binds, and this one would be void: to offer what is of no use to
        # the doubler, or to pass what would lose the match.
        return cube_words.said(cube_words.NOT_BOUND, at.DEAD_CUBE)
    if facts.sign == "words" and not facts.is_clear:
        # "Any other statement or gesture that reasonably implies an intention": a person weighs it.
        return left_open(DISCRETION, at.CUBE, cube_words.BOUND, cube_words.NOT_BOUND)
    if facts.sign == "words":
        return cube_signs.bound_to(facts.intent, cube_signs.next_opportunity(facts), at.CUBE)
    if facts.sign in ("reach", "none") or facts.is_announced:
        return cube_words.said(cube_words.NOT_BOUND, at.CUBE)
    if not facts.is_in_turn:
        readings = (cube_words.NOW, cube_words.FIRST_LEGAL, cube_words.VOID)
        return ambiguous(
            "AMB-C9", at.CUBE, *readings, lean=cube_words.lean_to("double", cube_words.FIRST_LEGAL)
        )
    return cube_signs.bound_to("double", cube_words.NOW, at.CUBE)


_WHERE = {"own_side": "taken", "middle_of_bar": "dropped"}


def answered(facts: AnswerFacts, rules: Rules) -> Answer:
    """A stated intent binds; AMB-C2: outside the field, but take or drop?"""
    if facts.words:
        return cube_signs.by_word(facts, at.CUBE)
    lean = _WHERE.get(facts.put or "")
    return ambiguous("AMB-C2", at.CUBE, "taken", "dropped", lean=lean)


def shown(facts: ShownFacts, rules: Rules) -> Answer:
    """No text about the cube at the start."""
    lean = None if facts.is_disputed else starting.CORRECT
    section = at.SETUP if facts.is_start else at.CUBE
    return left_open(SILENT, section, starting.CORRECT, "as_shown", lean=lean)


def automatic(tied: Tied, rules: Rules) -> Answer:
    """The text does not know automatic doubles; whether the agreement binds is open."""
    if tied.is_crawford:
        # The cube is removed from play, and any cube action null and void.
        return settled("cube", at.CRAWFORD, cube_value=1)
    return dice.agreement_open(tied, rules.profile.default_section)


def phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """The first game after either player is exactly one point away."""
    return game_worth.phase_of(facts, at.CRAWFORD)


def gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """No text about Jacoby; all that the text says about gammons counts them."""
    lean = game_worth.gammon_lean(facts)
    return left_open(SILENT, at.COMPLETION, "single", "counts", lean=lean)
