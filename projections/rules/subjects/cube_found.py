"""A double that should not have been, and what follows when it is noticed."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import msgspec

from events.values import BySeat, Seat
from projections.rules.answers import (
    DISCRETION,
    NOT_IN_HAND,
    SILENT,
    Answer,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import CubeFault, Rules
from projections.rules.subjects.cube_words import (
    CORRECTED,
    FCBG_CRAWFORD,
    NOT_ALLOWED,
    STANDS,
    USBGF_CRAWFORD,
    USBGF_DEAD,
    VOID,
    said,
)


class FoundFacts(msgspec.Struct, frozen=True):
    """A void double, and when it was noticed."""

    fault: CubeFault
    """CRAWFORD or DEAD."""
    answered: str | None
    """take, drop or None."""
    is_over: bool
    """Whether the game is over."""
    winner: Seat | None = None
    """Who won the game."""
    points: int = 0
    """What it is worth without the turned cube."""
    turned_points: int = 0
    """What it was worth with it."""
    score: BySeat[int] = BySeat(0, 0)
    """The score before that game."""
    length: int | None = None
    """Points needed to win."""
    begun: tuple[Seat, ...] = ()
    """Who has begun another match."""
    is_round_begun: bool = False
    """Whether the next round has begun."""


def usbgf_found(facts: FoundFacts, rules: Rules) -> Answer:
    """Void while the game lasts; afterwards there is no window: AMB-C5, AMB-C11."""
    is_crawford = facts.fault is CubeFault.CRAWFORD
    section = USBGF_CRAWFORD if is_crawford else USBGF_DEAD
    if not facts.is_over:
        return said(VOID, section)
    if is_crawford:
        return ambiguous("AMB-C5", section, CORRECTED, STANDS)
    return ambiguous("AMB-C11", section, VOID, STANDS)


def usbgf_2017_09_found(facts: FoundFacts, rules: Rules) -> Answer:
    """As the draft, unverified; what follows after a Crawford game is not in hand."""
    answer = usbgf_found(facts, rules)
    if not answer.is_open:
        return msgspec.structs.replace(answer, verified=False)
    if facts.fault is CubeFault.CRAWFORD:
        if rules.options.get("gaps_from") is not None:
            return msgspec.structs.replace(answer, verified=False)
        return left_open(NOT_IN_HAND, answer.section, *answer.readings, suggest="usbgf-2017-07")
    return answer


def biba_found(facts: FoundFacts, rules: Rules) -> Answer:
    """5.5: not recognised; score corrected before the next match, standing after the next round."""
    if not facts.is_over:
        answer = said(VOID, "5.5")
        if facts.answered is None:
            return answer
        resume = left_open(DISCRETION, "5.5", "start_of_game", "position_of_double")
        return msgspec.structs.replace(answer, also=MappingProxyType({"resume": resume}))
    assert facts.winner is not None
    has_everybody_begun = len(facts.begun) == len(Seat)
    if facts.is_round_begun and has_everybody_begun:
        played = _plus(facts, facts.turned_points)
        return settled(STANDS, "5.5", winner=facts.winner, score=_pair(played))
    if facts.is_round_begun or facts.begun:
        return ambiguous("AMB-C4", "5.5", CORRECTED, STANDS)
    score = _plus(facts, facts.points)
    is_won = facts.length is not None and score[facts.winner] >= facts.length
    details: dict[str, Any] = {"score": _pair(score), "match": "won" if is_won else "continues"}
    if is_won:
        details["winner"] = facts.winner
    # AMB-C15: the text also lets the Director have the game, or the position, replayed.
    answer = settled(CORRECTED, "5.5", **details)
    return msgspec.structs.replace(answer, flag="AMB-C15")


def fcbg_found(facts: FoundFacts, rules: Rules) -> Answer:
    """CRAWFORD/T says nothing about a cube that was turned all the same."""
    if facts.answered is None and not facts.is_over:
        return said(NOT_ALLOWED, FCBG_CRAWFORD)
    lean = STANDS if facts.begun else None
    return left_open(SILENT, FCBG_CRAWFORD, CORRECTED, STANDS, lean=lean)


def _plus(facts: FoundFacts, points: int) -> BySeat[int]:
    assert facts.winner is not None
    return facts.score.put(facts.winner, facts.score[facts.winner] + points)


def _pair(score: BySeat[int]) -> dict[str, int]:
    return {"one": score.one, "two": score.two}
