"""`wbgf-2.1` on dice, turns, early dice, illegal plays, the cube, endings, and reports."""

from __future__ import annotations

from projections.rules.answers import NOT_IN_HAND, Answer, left_open, settled
from projections.rules.profile import CubeFault, Rules
from projections.rules.subjects import (
    appeals,
    cube_doubles,
    cube_signs,
    cube_words,
    dice,
    endings,
    game_worth,
    premature,
    resting,
    windows,
)
from projections.rules.subjects.appeals import ReportFacts
from projections.rules.subjects.cube_doubles import CUBE_TIME, CUBE_WORTH, DoubleFacts
from projections.rules.subjects.cube_signs import AnswerFacts
from projections.rules.subjects.dice import INVALID, VALID, Die, SideFacts, Thrown, ThrowText
from projections.rules.subjects.endings import Dropped, Wish
from projections.rules.subjects.game_worth import PhaseFacts
from projections.rules.subjects.premature import EarlyLift, TurnAct
from projections.rules.subjects.windows import WindowFacts
from projections.rules.texts.wbgf_2_1 import sections as at

_ON_DIE = "on_die"
_CHECKS = (
    resting.at_rest, resting.on_playing_field, resting.right_side,
    resting.rest_undefined, resting.on_field_alone, resting.flat, resting.return_unclear,
)  # fmt: skip
_UNEVEN = "AMB-D3"
"""Of an uneven surface even the published words can be read in two ways."""


def valid_die(die: Die, rules: Rules) -> Answer:
    """Flat on the field to the roller's right, where dice on checkers are announced as invalid."""
    if rules.options.get("dice_on_checkers") != INVALID:
        return left_open(NOT_IN_HAND, at.ROLLS, VALID, INVALID)
    for check in _CHECKS:
        said = check(die, at.ROLLS)
        if said is None:
            continue
        is_known = not said.is_open and said.details.get("cause") != _ON_DIE
        if is_known:
            is_on_checker = bool(die.checkers) and said.outcome == INVALID
            names = (at.NOT_ON_CHECKERS,) if is_on_checker else (at.ROLL,)
            return said if said.outcome == dice.PENDING else said.resting_on(*names)
        if said.ambiguity == _UNEVEN:
            return said
        return left_open(NOT_IN_HAND, at.ROLLS, *(said.readings or (VALID, INVALID)))
    return settled(VALID, at.ROLLS).resting_on(at.ROLL)


_throw = dice.throw(ThrowText(section=at.ROLLS, tie_section=at.ROLLS))


def valid_throw(thrown: Thrown, rules: Rules) -> Answer:
    """A bad die has both thrown again; of opening rolls and of the throw itself no words are."""
    said = _throw(thrown, rules)
    if said.is_open and said.ambiguity != "AMB-D10":
        return said
    if said.is_open or thrown.is_tie or thrown.is_opening or thrown.flaws:
        return left_open(NOT_IN_HAND, at.ROLLS)
    if said.outcome == INVALID:
        return said.resting_on(at.REPEAT)
    return said if said.rests_on or said.outcome != VALID else said.resting_on(at.ROLL)


_right_alone = dice.right_alone(at.ROLLS)


def side(facts: SideFacts, rules: Rules) -> Answer:
    """Dice rest in the half to the roller's right, whatever two players permit one another."""
    return _right_alone(facts, rules).resting_on(at.ROLL)


def turn_end(act: TurnAct, rules: Rules) -> Answer:
    """With a clock by activating the opponent's time; without one no words are in hand."""
    if act.clock != premature.RUNNING:
        return left_open(NOT_IN_HAND, at.END_OF_TURN)
    outcome = premature.ENDED if act.act == premature.PRESSED else premature.NOT_ENDED
    readings = (premature.ENDED, premature.NOT_ENDED)
    return settled(outcome, at.END_OF_TURN).resting_on(at.CLOCK_TURN, readings=readings)


def _held_turn_end(act: TurnAct, rules: Rules) -> Answer:
    return rules.said(turn_end(act, rules))


def early_lift(lift: EarlyLift, rules: Rules) -> Answer:
    """The player pauses and finishes; the opponent loses the delay of his next turn."""
    over = premature.turn_over(lift.acts, _held_turn_end, rules)
    if over is not None and over.outcome == premature.ENDED:
        return settled(premature.NOT_PREMATURE, over.section).resting_on(*over.rests_on)
    readings = (premature.NOT_ALLOWED, premature.NOT_PREMATURE)
    answer = settled(premature.NOT_ALLOWED, at.EARLY_DICE, remedy=premature.DELAY_FORFEITED)
    return answer.resting_on(at.GRAB, readings=readings)


def illegal_play(facts: WindowFacts, rules: Rules) -> Answer:
    """Responsible moves, noticed at once: the opponent decides. All else is not in hand."""
    is_plain = (
        facts.illegality == windows.DICE_OR_PIPS
        and not (facts.opponent_rolled or facts.void_throw or facts.early_roll)
        and not (facts.early_undone or facts.opponent_doubled or facts.turn_passed)
        and not (facts.offender_rolled or facts.game_over or facts.agreed)
        and not (facts.is_closed_out or facts.is_legal)
        and facts.noticed_by not in windows.THIRD_PERSONS
    )
    if rules.options.get("moves_policy") != "responsible" or not is_plain:
        return left_open(NOT_IN_HAND, at.LEGAL_MOVES)
    answer = settled(
        windows.OPPONENT_DECIDES,
        at.RESPONSIBLE_MOVES,
        by="opponent",
        choices=("stand", "correct"),
        undoes=(facts.play, *facts.later),
    )
    return answer.resting_on(at.DECIDES)


def doubling_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """A double with nothing against it; of any other no sentence is in hand."""
    return cube_doubles.in_order(facts, at.GENERAL) or rules.gap(CUBE_TIME, facts)


def worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """A double of use to whoever makes it; of any other no sentence is in hand."""
    if CubeFault.DEAD in facts.faults:
        return rules.gap(CUBE_WORTH, facts)
    return cube_words.said(cube_words.ALLOWED, at.GENERAL)


def answered(facts: AnswerFacts, rules: Rules) -> Answer:
    """By where the cube is put; of words, and of where else it may lie, nothing is in hand."""
    readings = ("taken", "dropped")
    if facts.put == "own_side" and "drop" not in facts.words:
        return cube_signs.taken(facts, at.TAKES).resting_on(at.TAKE, readings=readings)
    if facts.put == "middle_of_bar" and "take" not in facts.words:
        return cube_signs.dropped(facts, at.TAKES).resting_on(at.PASS, readings=readings)
    return left_open(NOT_IN_HAND, at.TAKES, *readings)


def dropped(facts: Dropped, rules: Rules) -> Answer:
    """The pass of a double brings the game to an end."""
    said = endings.dropped(at.COMPLETION, facts, rules)
    readings = (said.outcome, endings.PLAY_ON)
    return said.resting_on(at.PLAYED_OUT, readings=readings)


def waived(wish: Wish, rules: Rules) -> Answer:
    """Nobody may agree on the outcome of points, of a game or a match."""
    said = endings.not_allowed(at.COMPLETION, wish, rules)
    readings = (endings.NOT_ALLOWED, "allowed")
    return said.resting_on(at.NO_BARGAIN, readings=readings)


def report(facts: ReportFacts, rules: Rules) -> Answer:
    """A dispute that was decided is reported, whoever decided it."""
    answer = settled(appeals.REPORT_DUE, at.REPORT)
    return answer.resting_on(at.TO_FEDERATION, readings=(appeals.REPORT_DUE, appeals.NO_REPORT))


def phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """As the option is pinned; where nobody pinned it, no words in hand say whether there is one.

    Nor do any say whether penalty points enter the score by which the game is found.
    """
    if not rules.is_on("crawford"):
        return left_open(NOT_IN_HAND, at.GENERAL, cube_words.ADOPTED, game_worth.NO_CRAWFORD_RULE)
    return game_worth.phase_unread(facts, at.GENERAL)
