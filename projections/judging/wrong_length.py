"""A match played to a wrong length: its state, and the facts that a rule set is asked with."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.values import BySeat, Seat
from projections.folding.fold import Seen
from projections.folding.questions import Asked
from projections.rules.answers import Answer
from projections.rules.profile import Rules
from projections.rules.subjects import match_length as rules_of_length

SHEETS = "match-length.sheets"
"""Topic: which length was agreed on, where the draw sheet says another one."""


OUTCOME = rules_of_length.OUTCOME


class Discovery(msgspec.Struct, frozen=True, gc=False):
    """The wrong length as it was found."""

    correct: int
    """The posted length."""
    wrong: int
    """The length played to."""
    score: BySeat[int]
    """The score when it was found, penalties apart."""
    had_reached: bool
    """Whether by then a player had the points of the wrong length, penalties included."""
    during_game: bool
    """Whether a game was in progress."""
    knowingly: bool
    """Whether both had agreed on it."""
    thought_over: bool
    """Whether both had assumed the end of the match."""
    next_began: bool
    """Whether a player had begun the next match."""
    is_next_round: bool
    """Whether that match was known to be of the next round."""


class MatchLength(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    found: Discovery | None = None
    """The wrong length; None while nobody has found one."""
    score: BySeat[int] = BySeat(0, 0)
    """The score that is judged: games that were played on all the same are not in it."""
    counted: int = 0
    """Number of the last game that is in it."""
    awaits_end: bool = False
    """Whether the answer waits for the end of a game: the one in progress, or the deciding one."""
    is_pending: bool = False
    """Whether the game in which it was found is still in progress."""
    asked: tuple[Asked, ...] = ()
    """Questions asked, the outcome's and those beside it."""
    draw_sheet: int | None = None
    """The length on the draw sheet, where it differs from the posted one."""
    sheets_asked: Asked | None = None
    """The question which of the two was agreed on; None = the text does not leave it open."""
    thought_over: bool = False
    """Whether both assumed the end of the match."""
    end_seen: bool = False
    """Whether somebody who watched both saw them stop."""
    reported: Seat | None = None
    """Who was said to have won it."""
    next_began: bool = False
    """Whether a player has begun the next match."""
    is_next_round: bool = False
    """Whether that match is known to be of the next round."""
    believed: BySeat[int | None] = BySeat(None, None)
    """The length that each player believed in; None = not recorded."""
    sheets: BySeat[bool] = BySeat(False, False)
    """Whether it is said what the own score sheet says of it."""
    cube_in_crawford: bool = False
    """Whether the cube was in play in what the posted length makes the Crawford game."""
    facts: rules_of_length.LengthFacts | None = None
    """What the rule set was asked last."""
    points: tuple[BySeat[int], BySeat[int]] | None = None
    """Penalty points left open, and those that enter the score, as they were known last."""
    doubles: tuple[tuple[Seat, int], ...] = ()
    """Who doubled at which value in the last game with a double, before a wrong length is found."""
    doubled_in: int = 0
    """Number of that game."""

    @property
    def in_doubt(self) -> int | None:
        """The length on the draw sheet, while nobody has said whether it is the agreed one."""
        asked = self.sheets_asked
        is_open = asked is not None and asked.answer.is_open
        # Where a wrong length is found, or both took the match for over, it is judged by that.
        return self.draw_sheet if is_open and not (self.found or self.thought_over) else None

    @property
    def is_by_score_sheet(self) -> bool:
        """Whether a ruling has the length on the score sheet for the agreed one."""
        asked = self.sheets_asked
        return asked is not None and asked.answer.outcome == rules_of_length.LENGTHS[1]

    def is_won_by(self, seat: Seat, points: int, rules: Rules) -> bool | None:
        """Whether a game of that worth gives a seat the match that waits for its end; None = open.

        Nothing is asked where no game decides anything otherwise than by the posted length.
        """
        if self.facts is None or not self.awaits_end:
            return None
        score = self.facts.score
        after = replace(self.facts, score=score.put(seat, score[seat] + points), is_pending=False)
        answer = rules.ask(rules_of_length.SUBJECT, after)
        if answer.is_open:
            return None
        return answer.outcome == "match_won" and answer.details.get("winner") is seat


def facts_of(state: MatchLength, seen: Seen) -> rules_of_length.LengthFacts:
    """What a rule set is asked about a wrong length that was found."""
    found = state.found
    assert found is not None, "nothing is judged before a wrong length is found"
    answers = seen.rulings.answers
    keys = [asked.key for asked in state.asked if asked.topic == OUTCOME]
    made = sorted(
        (answers[key] for key in keys if key in answers), key=lambda answered: answered.version
    )
    chosen = tuple(answered.reading for answered in made)
    return rules_of_length.LengthFacts(
        correct=found.correct,
        wrong=found.wrong,
        score=state.score,
        score_found=found.score,
        had_reached=found.had_reached,
        draw_sheet=None if state.is_by_score_sheet else state.draw_sheet,
        during_game=found.during_game,
        is_pending=state.is_pending,
        thought_over=found.thought_over,
        end_seen=state.end_seen,
        reported=state.reported,
        next_began=found.next_began,
        knowingly=found.knowingly,
        cube_in_crawford=state.cube_in_crawford,
        first=_first_at(found.correct, seen),
        undecided=seen.penalties.undecided,
        entering=seen.penalties.beyond_stated,
        is_next_round=found.is_next_round,
        believed=state.believed,
        on_sheets=all(state.sheets) and state.believed.one == state.believed.two == found.wrong,
        ordered=chosen[-1] if chosen else None,
        chosen=chosen,
    )


def points_of(seen: Seen) -> tuple[BySeat[int], BySeat[int]]:
    """Penalty points that are left open, and those that enter the score."""
    return seen.penalties.undecided, seen.penalties.beyond_stated


def _first_at(length: int, seen: Seen) -> Seat | None:
    """Who was the first to have the points, by the games on record from the last one back."""
    score = seen.score.score
    there = [seat for seat in Seat if score[seat] >= length]
    for game in reversed(seen.score.games):
        if len(there) < 2:
            break
        score = score.put(game.winner, score[game.winner] - game.points)
        there = [seat for seat in there if score[seat] >= length] or [game.winner]
    return there[0] if len(there) == 1 else None
