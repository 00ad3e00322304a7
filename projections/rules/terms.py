"""Terms: what a rule measures by, which its answers carry so that two texts can be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import TypeVar

from msgspec.structs import replace

from projections.rules.answers import Answer
from projections.rules.profile import Policy, Rules

_Facts = TypeVar("_Facts")

TERMS = (
    "threshold",
    "voters",
    "not_appealable",
    "choice",
    "right_lost",
    "first_after_ms",
    "step_ms",
    "until",
    "concedable",
    "when",
    "prevails",
    "wrong_length",
    "flag",
)
"""Names of terms, in the order in which they are told; details of an answer go before a term."""


def on_terms(
    **terms: str | int | Callable[[Rules], int],
) -> Callable[[Policy[_Facts]], Policy[_Facts]]:
    """A policy whose every answer carries these terms: the text's own, or of the options in force.

    A term is what the text says of all such cases: how many votes, until when, who may choose.
    """
    assert set(terms) <= set(TERMS), sorted(terms)
    fixed = {name: value for name, value in terms.items() if not callable(value)}
    of_options = {name: value for name, value in terms.items() if callable(value)}

    def carrying(policy: Policy[_Facts]) -> Policy[_Facts]:
        @wraps(policy)
        def answer(facts: _Facts, rules: Rules) -> Answer:
            told: Mapping[str, str | int] = fixed
            if of_options:
                told = {**fixed, **{name: value(rules) for name, value in of_options.items()}}
            return replace(policy(facts, rules), terms=MappingProxyType({**told}))

        return answer

    return carrying
