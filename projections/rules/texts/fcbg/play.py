"""`fcbg` on dice, turns, early acts, illegal plays and a wrong start."""

from __future__ import annotations

from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import dice, premature, resting, starting, windows
from projections.rules.subjects.dice import DICE_THROW, Thrown, ThrowText
from projections.rules.subjects.premature import EarlyCube, EarlyRoll, PlayChange, TurnAct
from projections.rules.subjects.starting import StartFacts
from projections.rules.subjects.windows import WindowFacts
from projections.rules.terms import on_terms
from projections.rules.texts.fcbg import sections as at

valid_die = resting.by_checks(
    at.ROLLS, resting.at_rest, resting.on_playing_field, resting.right_side, resting.rest_undefined,
    resting.on_field_alone, resting.flat, resting.landing_unclear,
)  # fmt: skip
"""Both dice flat on the playing surface, right of the bar."""

valid_throw = dice.throw(
    ThrowText(
        section=at.ROLLS,
        tie_section=at.FIRST_ROLL,
        flaw_section=at.ROLLS,
        do_flaws_void=True,
        # "Shaking the dice vigorously in a dice cup", and tossing them out: of a box nothing.
        is_box_known=False,
    )
)


def club_throw(thrown: Thrown, rules: Rules) -> Answer:
    """Only ties: what makes a throw valid stands under a /TOURNAMENT heading."""
    if thrown.is_tie and not thrown.verdicts and not thrown.flaws:
        return settled("opening_tie", at.FIRST_ROLL, reroll="both")
    return rules.gap(DICE_THROW, thrown)


def turn_end(act: TurnAct, rules: Rules) -> Answer:
    """By lifting either or both dice, unless repositioning was announced; no clock is foreseen."""
    section = at.LIFTING
    is_lifted = act.act in premature.LIFTS
    if act.clock is not None or act.act == premature.PRESSED:
        return left_open(
            SILENT,
            section,
            premature.ENDED,
            premature.NOT_ENDED,
            lean=premature.ENDED if is_lifted else None,
        )
    if not is_lifted or act.announced in ("repositioning", "repositioning_and_roll"):
        return settled(premature.NOT_ENDED, section)
    if act.announced is not None:
        return left_open(SILENT, section, premature.ENDED, premature.NOT_ENDED)
    return settled(premature.ENDED, section)


def play_change(change: PlayChange, rules: Rules) -> Answer:
    """Until a die is lifted; later only on the opponent's demand to replay an illegal move."""
    if change.is_demanded:
        return settled(premature.MUST_CORRECT, at.ILLEGAL_MOVES)
    section = at.LIFTING
    if change.is_early_roll:
        return settled(premature.MAY_CHANGE, section)
    over = premature.turn_over(change.acts, turn_end, rules)
    if change.is_past or (over is not None and over.outcome == premature.ENDED):
        return settled(premature.MAY_NOT_CHANGE, section)
    if over is not None and over.is_open:
        return premature.turned(over, premature.CHANGES)
    return settled(premature.MAY_CHANGE, section)


@on_terms(choice="void")
def early_roll(roll: EarlyRoll, rules: Rules) -> Answer:
    """Void and rolled again, even in a forced play or without contact."""
    section = at.EARLY_ROLLS
    over = premature.turn_over(roll.acts, turn_end, rules)
    is_over = over is not None and over.outcome == premature.ENDED
    if roll.is_double_waiting or (roll.is_late and not is_over):
        return left_open(SILENT, section, premature.ROLL_STANDS, premature.VOID)
    return premature.not_early(over, roll) or settled(premature.VOID, section, reroll="both")


def early_cube(cube: EarlyCube, rules: Rules) -> Answer:
    """A premature double stands if otherwise valid; words and gestures may count."""
    answer = premature.in_turn(cube, turn_end, rules)
    if answer is not None:
        return answer
    if cube.is_owned_by_player:
        return premature.in_vain(cube, premature.NOT_ALLOWED, at.DOUBLING)
    if cube.is_crawford:
        return premature.in_vain(cube, premature.NOT_ALLOWED, at.CRAWFORD)
    if cube.act == "double":
        stands = settled(premature.DOUBLE_STANDS, at.EARLY_DOUBLES, may_revise=cube.player)
        return premature.with_flag(stands, "AMB-C7" if cube.is_dead else None)
    # Verbal or physical acts may count.
    lean = premature.DOUBLE_STANDS if cube.act == "words" else None
    return left_open(
        DISCRETION, at.CUBE_RULES, premature.DOUBLE_STANDS, premature.NOT_BOUND, lean=lean
    )


def club_early_cube(cube: EarlyCube, rules: Rules) -> Answer:
    """Only the owner may double; all else about early doubles stands under /TOURNAMENT."""
    if cube.is_owned_by_player:
        return premature.in_vain(cube, premature.NOT_ALLOWED, at.DOUBLING)
    return ambiguous("AMB-F3", at.DOUBLING, "does_not_bind", "adopted")


def wrong_start(facts: StartFacts, rules: Rules) -> Answer:
    """To be corrected before the fifth roll; thereafter the set-up becomes official."""

    closed_by = starting.entry_at(facts.rolls, starting.FIFTH_ROLL)
    left = starting.FIFTH_ROLL - facts.valid_rolls
    return starting.until_roll(facts, left, at.WRONG_SETUP, "fifth_roll", closed_by)


def illegal_play(facts: WindowFacts, rules: Rules) -> Answer:
    """The opponent condones or demands a replay, until he rolls or turns the cube."""
    section = at.ILLEGAL_MOVES
    if facts.rolled_or_doubled is not None:
        # "May no longer be challenged", whoever agrees to it by then.
        answer = windows.closed(facts.rolled_or_doubled, section, windows.OPPONENTS_ROLL_OR_DOUBLE)
    elif facts.game_over is not None:
        answer = windows.ended_before(facts, section)
    elif facts.turn_passed is not None:
        # AMB-M5: closed out, the opponent neither rolled nor doubled.
        readings = ("open", "closed_at_end_of_that_turn", "closed_at_offenders_next_roll")
        answer = ambiguous("AMB-M5", section, *readings)
    elif facts.void_throw is not None:
        answer = windows.void_throw(section)
    else:
        answer = settled(
            windows.OPPONENT_DECIDES,
            section,
            choices=("condone", "demand_replay"),
            by="opponent",
            until=windows.OPPONENTS_ROLL_OR_DOUBLE,
            undoes=(facts.play, *facts.later),
        )
    lean = windows.OPPONENT_DECIDES if facts.noticed_by in windows.STAFF else None
    answer = windows.third_person(answer, facts, section, may=frozenset(), lean=lean)
    answer = windows.by_the_board(answer, facts, section)
    if facts.early_roll is not None or facts.early_undone is not None:
        # An early roll is void whatever was said, and closes nothing.
        answer = windows.also(answer, "premature_roll", settled("void", at.EARLY_ROLLS))
    return windows.with_position(answer, facts, section)
