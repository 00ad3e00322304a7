"""`biba-2014` on dice, turns, early acts, illegal plays and a wrong start."""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import dice, premature, resting, starting, windows
from projections.rules.subjects.dice import ThrowText
from projections.rules.subjects.premature import (
    EarlyCube,
    EarlyLift,
    EarlyRoll,
    PlayChange,
    TurnAct,
)
from projections.rules.subjects.starting import StartFacts
from projections.rules.subjects.windows import WindowFacts
from projections.rules.terms import on_terms
from projections.rules.texts.biba_2014 import sections as at

valid_die = resting.by_checks(
    at.ROLLS, resting.at_rest, resting.on_playing_field, resting.right_side, resting.never_left,
    resting.rest_undefined, resting.on_field_alone, resting.flat, resting.thrown_to_the_right,
)  # fmt: skip
"""Both dice flat on the playing surface, right of the bar, and never off the board."""

valid_throw = dice.throw(
    ThrowText(
        section=at.ROLLS,
        tie_section=at.SCOPE,
        flaw_section=at.RANDOM_ROLLS,
        do_flaws_void=True,
        is_opening_die_alone=True,
    )
)


def turn_end(act: TurnAct, rules: Rules) -> Answer:
    """By the plunger alone; without a clock by lifting either or both dice."""
    section = at.LIFTING
    if act.clock is not None or act.act == premature.PRESSED:
        return settled(
            premature.ENDED if act.act == premature.PRESSED else premature.NOT_ENDED, section
        )
    if act.act not in premature.LIFTS or act.announced == "repositioning_and_roll":
        return settled(premature.NOT_ENDED, section)
    if act.announced is not None:
        # The intention *and* the roll; less may result in an adverse ruling.
        return left_open(DISCRETION, at.MOVING, premature.ENDED, premature.NOT_ENDED)
    return premature.with_flag(
        settled(premature.ENDED, section), "AMB-T1" if act.act == premature.LIFTED_ONE else None
    )


def play_change(change: PlayChange, rules: Rules) -> Answer:
    """Until both dice are lifted or the plunger is pressed; later only to replay an illegal one.

    AMB-T1: after one die is lifted the turn is concluded, and whether the play is open is unclear.
    """
    if change.is_demanded:
        return settled(premature.MUST_CORRECT, at.ILLEGAL_MOVES)
    if change.is_early_roll:
        return settled(premature.MAY_CHANGE, at.PREMATURE)
    section = at.LIFTING
    if change.is_illegal and not change.is_past:
        # "Can only be changed to replay an illegal move", whichever player notices it.
        return settled(premature.MAY_CHANGE, section)
    done = {
        act.act
        for act in change.acts
        if act.announced != "repositioning_and_roll"
        and (act.ruled is None or act.ruled[0] != premature.NOT_ENDED)
    }
    if change.is_past or premature.PRESSED in done or premature.LIFTED_BOTH in done:
        return settled(premature.MAY_NOT_CHANGE, section)
    if premature.LIFTED_ONE in done and change.clock is None:
        # Either die concludes the turn, and only after both the move can no longer be changed.
        readings = (premature.MAY_CHANGE, premature.MAY_NOT_CHANGE)
        return ambiguous("AMB-T1", section, *readings, lean=premature.MAY_CHANGE)
    return settled(premature.MAY_CHANGE, section)


@on_terms(choice="stands_or_redone", right_lost="one_silence")
def early_roll(roll: EarlyRoll, rules: Rules) -> Answer:
    """The same choice; whoever once let one pass without a comment has lost it."""
    section = at.PREMATURE
    unchosen = premature.bad_throw(roll) or premature.before_opening(roll, section)
    if unchosen is not None:
        return unchosen
    answer = None
    if not roll.is_double_waiting:
        answer = premature.not_early(premature.turn_over(roll.acts, turn_end, rules), roll)
    if answer is not None:
        return answer
    if roll.passed_over:
        return settled(premature.ROLL_STANDS, section, right_lost=True)
    if roll.unremarked and roll.answer != premature.STANDS:
        # AMB-T3: one was let pass, and whether with a comment or warning is for a person to say.
        return ambiguous(
            "AMB-T3", section, premature.ROLL_STANDS, premature.REDONE, lean=premature.ROLL_STANDS
        )
    lean = (
        None if roll.answer == premature.ONLY_WARNED and not roll.is_late else premature.ROLL_STANDS
    )
    answer = premature.choice_unclear(roll, section, lean)
    if answer is not None:
        return answer
    is_lifted = any(act.act == premature.LIFTED_BOTH and act.announced is None for act in roll.acts)
    flag = "AMB-T3" if roll.warned else None
    return premature.chosen(roll, section, flag=flag, may_revise=not is_lifted)


def early_lift(lift: EarlyLift, rules: Rules) -> Answer:
    """The lower player must not touch the dice until the first turn is over."""
    over = premature.turn_over(lift.acts, turn_end, rules)
    if over is not None and over.outcome == premature.ENDED:
        return settled(premature.NOT_PREMATURE, over.section)
    if not lift.is_first_turn:
        # Of premature actions it speaks where one is completed; lifting alone is none of them.
        return left_open(SILENT, at.PREMATURE)
    section = at.ROLLS
    return Answer(
        outcome=premature.NOT_ALLOWED,
        section=section,
        reason=SILENT,
        also=MappingProxyType({"remedy": left_open(SILENT, section)}),
    )


def early_cube(cube: EarlyCube, rules: Rules) -> Answer:
    """The other player's choice, with foreknowledge; 5.4: it binds."""
    answer = premature.in_turn(cube, turn_end, rules)
    if answer is not None:
        return answer
    if cube.is_crawford:
        return premature.in_vain(cube, premature.VOID, at.CRAWFORD)
    if cube.is_owned_by_player:
        return premature.in_vain(cube, premature.NOT_ALLOWED, at.SCOPE)
    if cube.is_announced:
        return settled(premature.NOT_BOUND, at.CUBE)
    return ambiguous("AMB-C8", at.PREMATURE, "choice", "binds")


def wrong_start(facts: StartFacts, rules: Rules) -> Answer:
    """A correction before the play of the second roll is completed; no adjustment after it."""

    closed_by = starting.entry_at(facts.turns, starting.SECOND_PLAY)
    left = starting.SECOND_PLAY - facts.turns_completed
    # Whatever is thrown after the second roll makes no other roll the second.
    facts = replace(facts, other_throws=facts.before_second_roll)
    return starting.until_roll(facts, left, at.SETUP, "second_roll_played", closed_by)


def illegal_play(facts: WindowFacts, rules: Rules) -> Answer:
    """Until the dice are next tossed, whoever tosses them; after that it stands."""
    section = at.ILLEGAL_MOVES
    if facts.tossed is not None:
        # "The play stands as made", whoever agrees to another by then.
        answer = windows.closed(facts.tossed, section, windows.NEXT_TOSS)
    elif facts.game_over is not None:
        answer = windows.ended_before(facts, section)
    elif facts.early_roll is not None:
        # AMB-M3: an early roll, made to stand, was tossed before the turn had ended.
        readings = ("from_the_throw", "from_acceptance", "never")
        answer = ambiguous("AMB-M3", section, *readings, lean=windows.STANDS)
    elif facts.void_throw is not None or facts.early_undone is not None:
        answer = windows.void_throw(section)
    else:
        answer = windows.open_until(facts, section, "either_player_or_official", windows.NEXT_TOSS)
    # "Spectators are required to remain silent unless asked by both players to assist."
    asked = frozenset({"spectator"} if facts.is_spectator_asked else ())
    answer = windows.third_person(answer, facts, section, may=windows.STAFF | asked)
    answer = windows.by_the_board(answer, facts, section)
    answer = windows.with_position(windows.with_double(answer, facts, section), facts, section)
    return windows.with_sanction(answer, facts, at.INTERPRETATION)
