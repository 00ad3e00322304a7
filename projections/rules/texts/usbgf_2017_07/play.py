"""`usbgf-2017-07` on dice, turns, early acts, illegal plays and a wrong start."""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from projections.rules.answers import (
    NOT_IN_HAND,
    NOT_RECORDED,
    SILENT,
    Answer,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import Rules
from projections.rules.subjects import dice, premature, resting, starting, windows
from projections.rules.subjects.dice import ThrowText
from projections.rules.subjects.premature import EarlyCube, EarlyRoll, PlayChange, TurnAct
from projections.rules.subjects.starting import StartFacts
from projections.rules.subjects.windows import WindowFacts
from projections.rules.terms import on_terms
from projections.rules.texts.usbgf_2017_07 import sections as at

valid_die = resting.by_option(
    resting.by_checks(
        at.ROLLS, resting.at_rest, resting.on_playing_field, resting.same_side,
        resting.on_field_or_checkers, resting.unsupported, resting.support_clear,
        resting.not_balanced, resting.rest_undefined, resting.not_below_tops_between,
        resting.return_unclear, resting.thrown_to_the_right,
    ),
    resting.by_checks(
        at.ROLLS, resting.at_rest, resting.on_playing_field, resting.same_side,
        resting.on_field_or_checkers, resting.off_checkers, resting.unsupported,
        resting.support_clear, resting.not_balanced, resting.rest_undefined, resting.surface_sound,
        resting.return_unclear, resting.thrown_to_the_right,
    ),
)  # fmt: skip
"""The draft: a die may rest on checkers, unless the flat-on-board option is in force."""

valid_throw = dice.throw(
    # Ties: the text is silent, and the general rules have them thrown again.
    ThrowText(section=at.ROLLS, tie_section=at.ROLLS, flaw_section=at.ROLLS)
)

REPEATEDLY = 2
"""Early rolls passed over that make up `repeatedly` (AMB-T4); a person decides from there on."""


def turn_end(act: TurnAct, rules: Rules) -> Answer:
    """By the clock; without one, two dice by tapping the bar, four by picking them up."""
    section = at.END_OF_TURN
    if act.clock == premature.RUNNING:
        return settled(
            premature.ENDED if act.act == premature.PRESSED else premature.NOT_ENDED, section
        )
    if act.dice is None and act.act is not None and act.act != premature.PRESSED:
        # Either player may insist on two ([3.6]); with four the answer may be another.
        by_count = {turn_end(replace(act, dice=count), rules).outcome for count in (2, 4)}
        if by_count == {premature.NOT_ENDED}:
            return settled(premature.NOT_ENDED, section)
        return left_open(NOT_RECORDED, section, premature.ENDED, premature.NOT_ENDED)
    if act.dice == 4:
        return _end_with_four_dice(act, section)
    if act.act == premature.PRESSED:
        return settled(premature.ENDED, section)
    if act.act == premature.TAPPED:
        return settled(premature.ENDED if act.clock is None else premature.NOT_ENDED, section)
    if act.act is None or act.announced is not None:
        return settled(premature.NOT_ENDED, section)
    return premature.with_flag(settled(premature.NOT_ENDED, section), "AMB-T2")


def _end_with_four_dice(act: TurnAct, section: str) -> Answer:
    if act.act == premature.PRESSED:
        return left_open(SILENT, section, premature.ENDED, premature.NOT_ENDED)
    is_legally_played = act.is_play_made and act.is_play_legal
    is_touched = act.act == premature.TOUCHED and is_legally_played
    is_handled = act.act in premature.LIFTS or is_touched
    if not is_handled or act.announced in ("repositioning", "repositioning_and_roll"):
        return settled(premature.NOT_ENDED, section)
    if act.announced is not None:
        # Handling asks for notice of the roll, the end of a turn for that of repositioning.
        return ambiguous(
            "AMB-T7", section, premature.NOT_ENDED, premature.ENDED, lean=premature.NOT_ENDED
        )
    return settled(premature.ENDED, section)


def play_change(change: PlayChange, rules: Rules) -> Answer:
    """Until the turn is over; later only to correct, or after a premature roll."""
    if change.is_demanded:
        return settled(premature.MUST_CORRECT, at.LEGAL_MOVES)
    if change.is_early_roll:
        return settled(premature.MAY_CHANGE, at.EARLY_ROLLS)
    over = premature.turn_over(change.acts, turn_end, rules)
    section = at.END_OF_TURN
    is_over = over is not None and (over.is_open or over.outcome == premature.ENDED)
    if change.is_illegal and is_over and not change.is_past:
        # Both have to correct what they notice, whoever has played it.
        return settled(premature.MAY_CHANGE, at.LEGAL_MOVES)
    if change.is_past or (over is not None and over.outcome == premature.ENDED):
        if change.is_agreed:
            readings = (premature.MAY_NOT_CHANGE, premature.MAY_CHANGE)
            return left_open(SILENT, section, *readings, lean=premature.MAY_NOT_CHANGE)
        return settled(premature.MAY_NOT_CHANGE, section)
    if over is not None and over.is_open:
        return premature.turned(over, premature.CHANGES)
    return premature.with_flag(
        settled(premature.MAY_CHANGE, section), None if over is None else over.flag
    )


@on_terms(choice="stands_or_redone", right_lost="repeated_silence")
def early_roll(roll: EarlyRoll, rules: Rules) -> Answer:
    """The player points it out and says whether it stands or is redone."""
    section = at.EARLY_ROLLS
    unchosen = premature.bad_throw(roll) or premature.before_opening(roll, section)
    if unchosen is not None:
        return unchosen
    if roll.is_double_waiting:
        return left_open(SILENT, section, premature.ROLL_STANDS, premature.REDONE)
    over = premature.turn_over(roll.acts, turn_end, rules)
    answer = premature.not_early(over, roll) or premature.choice_unclear(roll, section, None)
    if answer is not None:
        return answer
    count = roll.passed_over + roll.unremarked
    if roll.answer == premature.STANDS and count >= REPEATEDLY:
        # `may lose their option to require a premature roll to stand`
        return ambiguous("AMB-T4", section, premature.ROLL_STANDS, premature.REDONE, count=count)
    return premature.chosen(roll, section, flag=None if over is None else over.flag)


def early_cube(cube: EarlyCube, rules: Rules) -> Answer:
    """A stated intent binds at the first legal opportunity; merely reaching does not."""
    answer = premature.in_turn(cube, turn_end, rules)
    if answer is not None:
        return answer
    section = at.CUBE
    if cube.is_crawford:
        return premature.in_vain(cube, premature.VOID, at.CRAWFORD)
    if cube.is_dead:
        return premature.in_vain(cube, premature.VOID, at.DEAD_CUBE)
    if cube.is_owned_by_player:
        return premature.in_vain(cube, premature.NOT_ALLOWED, section)
    if cube.act == "reach" or cube.is_announced:
        return settled(premature.NOT_BOUND, section)
    bound = {"to": "double", "at": "first_legal_opportunity"}
    if cube.act == "words":
        return settled(premature.BOUND, section, **bound)
    readings = ("now", "first_legal_opportunity", "void")
    return ambiguous("AMB-C9", section, *readings, lean={"outcome": premature.BOUND, **bound})


def wrong_start(facts: StartFacts, rules: Rules) -> Answer:
    """No correction once both players have completed their second turns, unless both agree."""
    section = at.SETUP
    until = "fourth_turn_completed"
    if facts.turns_completed >= starting.SECOND_TURNS:
        if facts.agreed:
            return settled(starting.CORRECTED_BY_AGREEMENT, section, how="move_the_misplaced")
        closed_by = starting.entry_at(facts.turns, starting.SECOND_TURNS)
        return settled(
            starting.STANDS, section, until=until, closed_by=closed_by, later=starting.BY_AGREEMENT
        )
    if facts.game_over:
        return left_open(SILENT, section, starting.STANDS, starting.ANOTHER_GAME)
    if facts.is_end_unsaid and facts.turns_completed == starting.SECOND_TURNS - 1:
        # The fourth turn has been played, and whether it was over nobody recorded.
        return left_open(NOT_RECORDED, section, starting.CORRECT, starting.STANDS)
    answer = settled(starting.CORRECT, section, until=until, how="move_the_misplaced")
    if facts.was_touched:
        which = ambiguous("AMB-S4", section, "the_misplaced_one", "one_from_the_same_point")
        return replace(answer, also=MappingProxyType({"checker": which}))
    return answer


def illegal_play(facts: WindowFacts, rules: Rules) -> Answer:
    """Until the opponent's valid roll; unrelated to dice and pips, until the offender's next."""
    section = at.LEGAL_MOVES
    if rules.options.get("moves_policy") == "responsible":
        return responsible(section)
    answer = _by_class(facts, section)
    if answer.outcome != windows.MUST_CORRECT and facts.agreed and facts.game_over is None:
        answer = settled(
            windows.CORRECTED_BY_AGREEMENT, section, by="both", undoes=(facts.play, *facts.later)
        )
    elif facts.game_over is not None and (facts.agreed or answer.outcome != windows.STANDS):
        answer = windows.ended_before(facts, section)
    elif answer.outcome == windows.STANDS:
        # What stands may still be corrected if both agree.
        details = {**answer.details, "later": windows.BY_AGREEMENT}
        answer = replace(answer, details=MappingProxyType(details))
    answer = windows.third_person(answer, facts, section, may=frozenset())
    answer = windows.by_the_board(answer, facts, section)
    return windows.with_sanction(windows.with_double(answer, facts, section), facts, section)


def _by_class(facts: WindowFacts, section: str) -> Answer:
    """Both deadlines, and which of them the class of the illegality makes the one that counts."""
    first = _until_opponents_roll(facts, section)
    if facts.illegality == windows.DICE_OR_PIPS:
        return first
    second = windows.open_until(facts, section, "both", windows.OFFENDERS_NEXT_VALID_ROLL)
    if facts.offender_rolled is not None:
        second = windows.closed(facts.offender_rolled, section, windows.OFFENDERS_NEXT_VALID_ROLL)
    if facts.illegality == windows.UNRELATED:
        return second
    if first.outcome == second.outcome:
        # Nobody has to say which deadline counts while both are open, or both gone.
        details = {**first.details, "until": windows.EITHER_ROLL}
        return replace(first, details=MappingProxyType(details))
    # AMB-M1: whether a hit that is not lifted is about the dice; AMB-M6: who is to classify.
    if first.is_open:
        return first
    is_hit = facts.illegality == windows.HIT_NOT_LIFTED
    ambiguity, told_at = ("AMB-M1", at.HANDLING) if is_hit else ("AMB-M6", section)
    readings = (windows.OPPONENTS_VALID_ROLL, windows.OFFENDERS_NEXT_VALID_ROLL)
    return ambiguous(ambiguity, told_at, *readings, closed_by=facts.opponent_rolled)


def _until_opponents_roll(facts: WindowFacts, section: str) -> Answer:
    if facts.opponent_rolled is not None:
        return windows.closed(facts.opponent_rolled, section, windows.OPPONENTS_VALID_ROLL)
    if facts.early_roll is not None:
        # AMB-M3: whether an early roll made to stand is a roll here, and from when.
        return ambiguous("AMB-M3", section, "from_the_throw", "from_acceptance", "never")
    if facts.turn_passed is not None:
        # AMB-M5: closed out, the opponent made no roll that could close it.
        lean = windows.MUST_CORRECT if facts.offender_rolled is None else windows.STANDS
        readings = ("open", "closed_at_end_of_that_turn", "closed_at_offenders_next_roll")
        return ambiguous("AMB-M5", section, *readings, lean=lean)
    return windows.open_until(facts, section, "both", windows.OPPONENTS_VALID_ROLL)


def responsible(section: str) -> Answer:
    """The policy is an option of a document that is not in hand."""
    # The policy is an option of a document that is not in hand.
    return left_open(NOT_IN_HAND, section, windows.STANDS, windows.MUST_CORRECT)
