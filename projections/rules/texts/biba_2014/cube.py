"""`biba-2014` on the cube, Crawford, gammons."""

from __future__ import annotations

from types import MappingProxyType

import msgspec

from events.values import BySeat, Seat
from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import CubeFault, Rules
from projections.rules.subjects import cube_doubles, cube_found, cube_signs, cube_words, game_worth
from projections.rules.subjects.cube_doubles import DoubleFacts, DropFacts
from projections.rules.subjects.cube_found import FoundFacts
from projections.rules.subjects.cube_signs import AnswerFacts, ShownFacts, SignFacts
from projections.rules.subjects.dice import Tied
from projections.rules.subjects.game_worth import GammonFacts, PhaseFacts
from projections.rules.texts.biba_2014 import sections as at


def doubling_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """Before rolling, and cocked dice count as rolled; 1.2 for what is not specified.

    5.5 alone names the opening roll, of the games after the Crawford game; 5.4 has every double
    wait for the own turn.
    """
    if facts.is_after_crawford and cube_doubles.time_fault(facts) is CubeFault.BEFORE_OPENING:
        return cube_doubles.refused(facts, at.CRAWFORD)
    return cube_doubles.in_own_turn(
        facts, at.CUBE, opening=at.CUBE, cocked=at.CUBE, rolled=at.CUBE, not_owned=at.SCOPE
    )


def worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """5.4 asks only when; 4.10 speaks about the drop."""
    return cube_words.said(cube_words.ALLOWED, at.CUBE)


def in_crawford_game(facts: DoubleFacts, rules: Rules) -> Answer:
    """Use of the cube is not recognised."""
    return cube_words.in_one_point_match(
        cube_words.said(cube_words.VOID, at.CRAWFORD), facts.length
    )


def premature(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C8: 4.6 leaves it to the player whose turn it is, 5.4 binds."""
    return ambiguous("AMB-C8", at.CUBE, "choice", cube_words.BINDS)


def drop(facts: DropFacts, rules: Rules) -> Answer:
    """A match may not end on a dropped cube; the leader's double counts as accepted."""
    if not facts.wins_match:
        return cube_doubles.won_by_drop(facts, at.CUBE)
    if facts.score[facts.winner] > facts.score[facts.winner.other]:
        # AMB-C1: "the cube at its current value" - that before the double, or after it?
        cube = ambiguous("AMB-C1", at.END_OF_MATCH, "before_double", "after_double")
        answer = settled("match_continues", at.END_OF_MATCH, double=cube_doubles.COUNTS)
        return msgspec.structs.replace(answer, also=MappingProxyType({"cube": cube}))
    double = ambiguous("AMB-C13", at.END_OF_MATCH, cube_doubles.COUNTS, "other")
    answer = cube_words.said("match_continues", at.END_OF_MATCH)
    return msgspec.structs.replace(answer, also=MappingProxyType({"double": double}))


def found(facts: FoundFacts, rules: Rules) -> Answer:
    """Not recognised; score corrected before the next match, standing after the next round."""
    if not facts.is_over:
        answer = cube_words.said(cube_words.VOID, at.CRAWFORD)
        if facts.answered is None:
            return answer
        resume = left_open(DISCRETION, at.CRAWFORD, *cube_found.FROM_WHERE)
        return msgspec.structs.replace(answer, also=MappingProxyType({"resume": resume}))
    assert facts.winner is not None
    if facts.is_round_begun and facts.begun:
        # A knock-out sends one of the two on: the round begins with his match.
        played = _plus(facts, facts.turned_points)
        winner = _leader(played)
        return settled(cube_words.STANDS, at.CRAWFORD, winner=winner, score=_pair(played))
    if facts.is_round_begun or facts.begun:
        return ambiguous("AMB-C4", at.CRAWFORD, cube_words.CORRECTED, cube_words.STANDS)
    if facts.answered == "drop":
        # "Doubles, and the other player accepts": of a game that was given up no word is said.
        return left_open(SILENT, at.CRAWFORD, cube_words.UNDONE, cube_words.STANDS)
    score = _plus(facts, facts.points)
    is_won = facts.length is not None and max(score.one, score.two) >= facts.length
    details: dict[str, object] = {"score": _pair(score), "match": "won" if is_won else "continues"}
    if is_won:
        details["winner"] = _leader(score)
    # AMB-C15: the text also lets the Director have the game, or the position, replayed.
    answer = settled(cube_words.CORRECTED, at.CRAWFORD, **details)
    return msgspec.structs.replace(answer, flag="AMB-C15")


def replayed(facts: FoundFacts, rules: Rules) -> Answer:
    """Beside the corrected score the Director says whether, and from where, it is played again.

    Where the cube won the match, the correction is made and the match goes on; a match that is
    won at the corrected score as well is over.
    """
    answer = found(facts, rules)
    played = _plus(facts, facts.turned_points)
    was_won = facts.length is not None and max(played.one, played.two) >= facts.length
    if answer.outcome != cube_words.CORRECTED or was_won:
        return cube_words.said(cube_found.NOT_REPLAYED, at.CRAWFORD)
    return left_open(DISCRETION, at.CRAWFORD, *cube_found.FROM_WHERE, cube_found.NOT_REPLAYED)


def _plus(facts: FoundFacts, points: int) -> BySeat[int]:
    assert facts.winner is not None
    score = facts.score.put(facts.winner, facts.score[facts.winner] + points)
    return BySeat(score.one + facts.since.one, score.two + facts.since.two)


def _leader(score: BySeat[int]) -> Seat:
    return Seat.ONE if score.one > score.two else Seat.TWO


def _pair(score: BySeat[int]) -> dict[str, int]:
    return {"one": score.one, "two": score.two}


def sign(facts: SignFacts, rules: Rules) -> Answer:
    """Clearly reaching, picking up, or any indication binds; words do."""
    if facts.is_crawford:
        return cube_words.said(cube_words.NOT_BOUND, at.CRAWFORD)
    if facts.is_announced or facts.sign == "none":
        return cube_words.said(cube_words.NOT_BOUND, at.CUBE)
    is_future = facts.sign == "words" and (facts.when != "now" or facts.has_rolled)
    if facts.has_rolled and not is_future:
        # He must follow through, and may not double after rolling.
        return left_open(SILENT, at.CUBE, cube_words.FIRST_LEGAL, cube_words.VOID)
    if not facts.is_in_turn and not is_future:
        return ambiguous("AMB-C8", at.CUBE, "choice", cube_words.BINDS)
    if facts.sign == "words":
        return cube_signs.bound_to(facts.intent, cube_signs.next_opportunity(facts), at.CUBE)
    if facts.sign == "reach" and not facts.is_clear:
        return ambiguous(
            "AMB-C3",
            at.CUBE,
            cube_words.BOUND,
            cube_words.NOT_BOUND,
            lean=cube_words.lean_to("double", cube_words.NOW),
        )
    answer = cube_signs.bound_to("double", cube_words.NOW, at.CUBE)
    if facts.sign == "reach":
        return msgspec.structs.replace(answer, flag="AMB-C3")
    return answer


def answered(facts: AnswerFacts, rules: Rules) -> Answer:
    """Draw and say; ambiguity tends to go against who was ambiguous."""
    is_contradictory = facts.is_at_once and facts.put == "own_side" and facts.words == ("drop",)
    if facts.words and not is_contradictory:
        return cube_signs.by_word(facts, at.CUBE)
    return left_open(DISCRETION, at.CUBE, "taken", "dropped")


def shown(facts: ShownFacts, rules: Rules) -> Answer:
    """Centred at the start; in a dispute its position and level strongly affect the ruling."""
    return cube_signs.shown_at_start(facts, at.CUBE_AT_START)


def automatic(tied: Tied, rules: Rules) -> Answer:
    """Not allowed, whatever was agreed."""

    return settled("cube", at.GAMMONS, cube_value=1)


def phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """The one game when a player reaches match point."""
    return cube_words.in_one_point_match(game_worth.phase_of(facts, at.CRAWFORD), facts.length)


def gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """Gammons and backgammons count at all times."""
    return game_worth.counted(facts, at.GAMMONS)
