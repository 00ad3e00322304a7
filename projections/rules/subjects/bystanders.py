"""Bystanders: who of those who only watch may testify."""

from __future__ import annotations

import msgspec

from projections.rules.answers import Answer, settled
from projections.rules.profile import Policy, Rules, Subject

MAY = "allowed"
MAY_NOT = "not_allowed"


class TestimonyFacts(msgspec.Struct, frozen=True):
    """Somebody who only watched says what was seen."""

    is_asked: bool
    """Whether the Director asked for it."""
    is_asked_by_both: bool = False
    """Whether both players did."""
    is_asked_by_committee: bool = False
    """Whether a committee that hears an appeal did."""


def at_request(
    section: str, *, of_both: str | None = None, of_committee: str | None = None
) -> Policy[TestimonyFacts]:
    """Spectators testify at the Director's request alone.

    `of_both`: the section that lets both players ask them to assist; `of_committee`: the one that
    has a committee hear any witness.
    """

    def answer(facts: TestimonyFacts, rules: Rules) -> Answer:
        if of_committee is not None and facts.is_asked_by_committee:
            return settled(MAY, of_committee)
        if of_both is not None and facts.is_asked_by_both:
            return settled(MAY, of_both)
        return settled(MAY if facts.is_asked else MAY_NOT, section)

    return answer


TESTIMONY = Subject[TestimonyFacts]("testimony")
"""Whether a spectator may testify."""
