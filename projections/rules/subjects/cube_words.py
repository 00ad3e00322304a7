"""Words that the texts on the cube share."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from projections.rules.answers import Answer, settled

ALLOWED = "allowed"
NOT_ALLOWED = "not_allowed"
VOID = "void"
BOUND = "bound"
NOT_BOUND = "not_bound"
NOW = "now"
FIRST_LEGAL = "first_legal_opportunity"
BINDS = "binds"
STANDS = "stands"
UNDONE = "undone"
CORRECTED = "score_corrected"
ADOPTED = "adopted"
DOES_NOT_BIND = "does_not_bind"

BINDING = frozenset({BOUND, NOW, FIRST_LEGAL, BINDS})
"""Outcomes under which a sign binds whoever gave it."""


@lru_cache
def said(outcome: str, section: str) -> Answer:
    """An answer without details: one object, for most doubles get the same."""
    return settled(outcome, section)


def lean_to(intent: str, at: str) -> dict[str, str]:
    """An act that binds, as what a text leans to."""
    return {"outcome": BOUND, "to": intent, "at": at}


def in_one_point_match(answer: Answer, length: int | None) -> Answer:
    """AMB-C12: whether anybody reaches match point before a match to one point begins."""
    # AMB-C12: whether anybody "reaches" match point before the first game of a 1-point match.
    return msgspec.structs.replace(answer, flag="AMB-C12") if length == 1 else answer
