"""Bystanders: who testified without being asked."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads import dispute
from events.payloads.base import Actor, Payload
from projections.folding.findings import Finding, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.sayings import said
from projections.rules.answers import Answer
from projections.rules.subjects import bystanders as rules_of

Result = tuple["Bystanders", tuple[Finding, ...]]


class Bystanders(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(state: Bystanders, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case dispute.TestimonyGiven(role=Actor.SPECTATOR, at_request_of=asked_by):
            facts = rules_of.TestimonyFacts(
                is_asked=asked_by is Actor.DIRECTOR,
                is_asked_by_both=asked_by is Actor.BOTH,
                is_asked_by_committee=asked_by is Actor.COMMITTEE,
            )
        case _:
            return state, NOTHING
    answer = seen.rules.ask(rules_of.TESTIMONY, facts)
    new = Bystanders(answer)
    if answer.outcome != rules_of.MAY_NOT:
        # If a text is not in hand, or is not binding, nothing depends on it yet.
        return new, NOTHING
    message = said(
        "a spectator testifies, with no request of the Director on record:"
        " spectators do so at the Director's request alone, or to report cheating"
    )
    return new, (judged("testimony", event, message, answer, "testimony", seen.rules),)


FOLD = Fold(Bystanders, on(dispute.TestimonyGiven, evolve))
"""The fold of bystanders."""
