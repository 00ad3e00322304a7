"""Words and sections that the texts on the cube share, and how the ratified one reads the draft."""

from __future__ import annotations

from functools import lru_cache, wraps
from types import MappingProxyType
from typing import Any

import msgspec

from projections.rules.answers import NOT_IN_HAND, SILENT, Answer, left_open, settled
from projections.rules.profile import Policy, Rules

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


# Sections, as each text numbers them.
USBGF_ACTIONS = "[4.4.3-5]"
USBGF_CRAWFORD = "[4.4.6]"
USBGF_DEAD = "[4.4.9]"
COMMON_CUBE = "Doubling cube"
FCBG_DOUBLING = "DOUBLING"
FCBG_CUBE_RULES = "CUBE RULES/T"
FCBG_CRAWFORD = "CRAWFORD/T"


@lru_cache
def said(outcome: str, section: str) -> Answer:
    """An answer without details: one object, for most doubles get the same."""
    return settled(outcome, section)


def as_not_in_hand(answer: Answer, rules: Rules) -> Answer:
    """A silence of the draft is a text not in hand in the ratified one."""
    if answer.reason != SILENT or rules.options.get("gaps_from") is not None:
        return answer
    return left_open(NOT_IN_HAND, answer.section, *answer.readings, suggest="usbgf-2017-07")


def as_ratified(policy: Policy) -> Policy:
    """The draft's settled answers, unverified; its ambiguities; its silences as not in hand."""

    @wraps(policy)
    def answer(facts: Any, rules: Rules) -> Answer:
        draft = policy(facts, rules)
        if draft.is_open:
            return as_not_in_hand(draft, rules)
        also = {name: as_not_in_hand(other, rules) for name, other in draft.also.items()}
        return msgspec.structs.replace(draft, verified=False, also=MappingProxyType(also))

    return answer


def not_in_hand(policy: Policy) -> Policy:
    """Every question of the draft is one of a text not in hand; the same settled answers."""

    @wraps(policy)
    def answer(facts: Any, rules: Rules) -> Answer:
        draft = policy(facts, rules)
        if not draft.is_open or rules.options.get("gaps_from") is not None:
            return draft
        return left_open(NOT_IN_HAND, draft.section, *draft.readings, suggest="usbgf-2017-07")

    return answer


def lean_to(intent: str, at: str) -> dict[str, str]:
    return {"outcome": BOUND, "to": intent, "at": at}


def in_one_point_match(answer: Answer, length: int | None) -> Answer:
    # AMB-C12: whether anybody "reaches" match point before the first game of a 1-point match.
    return msgspec.structs.replace(answer, flag="AMB-C12") if length == 1 else answer
