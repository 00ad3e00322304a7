"""`fcbg` on the cube, Crawford, gammons."""

from __future__ import annotations

from msgspec.structs import replace

from projections.rules.answers import (
    DISCRETION,
    SILENT,
    Answer,
    Lean,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import CubeFault, Rules
from projections.rules.subjects import cube_doubles, cube_signs, cube_words, dice, game_worth
from projections.rules.subjects.cube_doubles import BeaverFacts, DoubleFacts
from projections.rules.subjects.cube_found import FoundFacts
from projections.rules.subjects.cube_signs import AnswerFacts, ShownFacts, SignFacts
from projections.rules.subjects.dice import Tied
from projections.rules.subjects.game_worth import CRAWFORD_PHASE, GammonFacts, PhaseFacts
from projections.rules.texts.fcbg import sections as at


def doubling_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """At the start of the own turn, and not after own dice, even cocked ones."""
    return cube_doubles.in_own_turn(
        facts,
        at.DOUBLING,
        opening=at.CUBE_AFTER_ROLL,
        cocked=at.CUBE_AFTER_ROLL,
        rolled=at.CUBE_AFTER_ROLL,
        not_owned=at.DOUBLING,
    )


def club_doubling_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """That cocked dice count as rolled stands under a /TOURNAMENT heading alone."""
    if cube_doubles.time_fault(facts) is None and facts.is_cocked:
        return ambiguous(
            "AMB-F3",
            at.DOUBLING,
            cube_words.NOT_ALLOWED,
            cube_words.ALLOWED,
            lean=cube_words.NOT_ALLOWED,
        )
    return cube_doubles.in_own_turn(
        facts,
        at.DOUBLING,
        opening=at.DOUBLING,
        cocked=None,
        rolled=at.DOUBLING,
        not_owned=at.DOUBLING,
    )


def worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C7: no text against a dead cube, so it is allowed."""
    return cube_doubles.allowed_though_dead(facts, at.DOUBLING)


def in_crawford_game(facts: DoubleFacts, rules: Rules) -> Answer:
    """The cube is out of play; what an act with it is, the text does not say."""
    return cube_words.in_one_point_match(cube_doubles.refused(facts, at.CRAWFORD), facts.length)


def premature(facts: DoubleFacts, rules: Rules) -> Answer:
    """It stands if otherwise valid, and the opponent completes his turn knowing it."""
    answer = settled("double_stands", at.EARLY_DOUBLES, may_revise=facts.seat.other)
    if CubeFault.DEAD not in facts.faults:
        return answer
    return replace(answer, flag="AMB-C7")


def beaver(facts: BeaverFacts, rules: Rules) -> Answer:
    """By agreement, and never in rated match play; accepted or refused like a double."""
    if rules.is_on("rated") or not rules.is_on("beavers"):
        return cube_doubles.no_beaver(facts, at.BEAVERS)
    if facts.is_raccoon or _is_rating_unknown(rules, is_money=facts.is_money):
        # The text has the doubler accept or refuse a beaver, and no more.
        return left_open(SILENT, at.BEAVERS, cube_words.ALLOWED, cube_words.NOT_ALLOWED)
    return cube_doubles.beavered(facts, at.BEAVERS)


def _is_rating_unknown(rules: Rules, *, is_money: bool) -> bool:
    """Whether what the players may agree on hangs on a rating that nobody recorded."""
    return not is_money and rules.options.get("rated") is None


def found(facts: FoundFacts, rules: Rules) -> Answer:
    """CRAWFORD/T says nothing about a cube that was turned all the same."""
    if facts.answered is None and not facts.is_over:
        return cube_words.said(cube_words.NOT_ALLOWED, at.CRAWFORD)
    lean = cube_words.STANDS if facts.begun else None
    return left_open(SILENT, at.CRAWFORD, cube_words.CORRECTED, cube_words.STANDS, lean=lean)


def sign(facts: SignFacts, rules: Rules) -> Answer:
    """Verbal or physical acts may be interpreted as cube actions."""
    if facts.is_crawford:
        return cube_words.said(cube_words.NOT_BOUND, at.CRAWFORD)
    lean: Lean | None = None
    if facts.is_announced:
        lean = cube_words.NOT_BOUND
    elif facts.sign == "words" and facts.when == "now" and facts.intent == "double":
        lean = cube_words.lean_to("double", cube_words.NOW) if facts.is_in_turn else "double_stands"
        if facts.has_rolled:
            # No player may turn the cube after rolling his own dice.
            lean = cube_words.NOT_BOUND
    return left_open(DISCRETION, at.CUBE_RULES, cube_words.BOUND, cube_words.NOT_BOUND, lean=lean)


def answered(facts: AnswerFacts, rules: Rules) -> Answer:
    """Draw and say; acts may be interpreted as cube actions."""
    lean = cube_signs.WORD[facts.words[0]] if facts.words else None
    if lean is None and facts.put == "own_side":
        lean = "taken"
    return left_open(DISCRETION, at.CUBE_RULES, "taken", "dropped", lean=lean)


def shown(facts: ShownFacts, rules: Rules) -> Answer:
    """Centred at the start; its position and level strongly influence the ruling."""
    return cube_signs.shown_at_start(facts, at.CUBE_AT_START)


def automatic(tied: Tied, rules: Rules) -> Answer:
    """By agreement in unrated play: each tie doubles the cube in the middle, up to the limit."""

    if tied.is_rated:
        return settled("cube", at.AUTOMATICS, cube_value=1)
    if tied.is_crawford:
        return settled("cube", at.CRAWFORD, cube_value=1)
    if tied.is_rated is None and tied.is_match:
        return left_open(SILENT, at.AUTOMATICS, "rated", "unrated")
    # AMB-C6: whether points for penalties make it the game without the cube.
    return dice.as_agreed_if_in_play(tied, at.AUTOMATICS, "AMB-C6", at.CRAWFORD)


def club_automatic(tied: Tied, rules: Rules) -> Answer:
    """As in tournaments; that a game is played without the cube, the club may have adopted."""
    answer = automatic(tied, rules)
    if answer.ambiguity == "AMB-C6":
        return replace(answer, ambiguity="AMB-F3", section=at.INTERPRETATION)
    return replace(answer, section=at.INTERPRETATION) if answer.section == at.CRAWFORD else answer


def phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """One game at match point; penalty points are awarded to the opponent."""
    answer = game_worth.phase_of(facts, at.CRAWFORD, lean=facts.with_penalties)
    return cube_words.in_one_point_match(answer, facts.length)


def club_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """AMB-F3: the heading binds tournaments; a club may adopt it, and pins it then."""
    if rules.is_on("crawford"):
        return cube_words.said(facts.phase, at.INTERPRETATION)
    return rules.gap(CRAWFORD_PHASE, facts)


def gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """At all times; JACOBY: by agreement where the match is not rated (AMB-C14)."""
    if rules.is_on("rated"):
        return game_worth.counted(facts, at.JACOBY)
    return ambiguous("AMB-C14", at.JACOBY, "single", "counts", lean=game_worth.gammon_lean(facts))


def club_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """By agreement, and never in rated match play."""
    if _is_rating_unknown(rules, is_money=facts.is_money):
        return left_open(SILENT, at.JACOBY, "single", "counts")
    return game_worth.counted(facts, at.JACOBY, is_single=not rules.is_on("rated"))
