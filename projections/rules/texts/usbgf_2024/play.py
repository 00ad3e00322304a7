"""`usbgf-2024` on early dice, the Crawford game and dead cubes."""

from __future__ import annotations

from projections.rules.answers import NOT_IN_HAND, Answer, left_open, settled
from projections.rules.profile import CubeFault, Rules
from projections.rules.subjects import cube_doubles, cube_words, game_worth, premature
from projections.rules.subjects.cube_doubles import CUBE_TIME, DoubleFacts
from projections.rules.subjects.cube_found import FoundFacts
from projections.rules.subjects.game_worth import PhaseFacts
from projections.rules.subjects.premature import EarlyLift, EarlyRoll
from projections.rules.texts.usbgf_2024 import sections as at


def early_lift(lift: EarlyLift, rules: Rules) -> Answer:
    """A fast grab: the player may pause, finish, and require that the delay is forfeited."""
    readings = (premature.NOT_ALLOWED, premature.NOT_PREMATURE)
    answer = settled(premature.NOT_ALLOWED, at.EARLY_DICE, remedy=premature.DELAY_FORFEITED)
    return answer.resting_on(at.GRAB, readings=readings)


def early_roll(roll: EarlyRoll, rules: Rules) -> Answer:
    """A fast roll: it stands or is redone as the player states; no delay is forfeited then."""
    bad = premature.bad_throw(roll)
    if bad is not None:
        return bad
    is_plain = not (roll.passed_over or roll.unremarked or roll.warned or roll.is_double_waiting)
    if not is_plain or roll.is_late or roll.is_changed or roll.answer not in _STATED:
        return left_open(NOT_IN_HAND, at.EARLY_DICE, premature.ROLL_STANDS, premature.REDONE)
    answer = premature.chosen(roll, at.EARLY_DICE, flag=None)
    readings = (premature.OPPONENT_CHOOSES, premature.ROLL_STANDS, premature.REDONE)
    return answer.resting_on(at.ROLL, at.IN_LIEU, readings=readings)


_STATED = (None, premature.STANDS, premature.REDONE)


def doubling_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """A double with nothing against it; of any other no sentence is in hand."""
    return cube_doubles.in_order(facts, at.GENERAL) or rules.gap(CUBE_TIME, facts)


def in_crawford_game(facts: DoubleFacts, rules: Rules) -> Answer:
    """Any cube action in the Crawford game is void."""
    return _void(at.ONE_GAME, at.VOID)


def worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """Any cube action with a dead cube is void."""
    if CubeFault.DEAD not in facts.faults:
        return cube_words.said(cube_words.ALLOWED, at.CRAWFORD)
    return _void(at.VOID)


def found(facts: FoundFacts, rules: Rules) -> Answer:
    """Void while the game lasts; of what is found later no words are in hand."""
    if facts.is_over:
        return left_open(NOT_IN_HAND, at.CRAWFORD)
    is_crawford = facts.fault is CubeFault.CRAWFORD
    return _void(*([at.ONE_GAME] if is_crawford else []), at.VOID)


def phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """Which game it would be: a double in it is what the sentences are asked about.

    No words in hand say whether penalty points enter the score by which that is found.
    """
    return game_worth.phase_unread(facts, at.CRAWFORD)


def _void(*sentences: str) -> Answer:
    readings = (cube_words.VOID, cube_words.STANDS)
    return settled(cube_words.VOID, at.CRAWFORD).resting_on(*sentences, readings=readings)
