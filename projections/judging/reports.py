"""Reports to a federation: whether a dispute that was decided is to be told to it.

Asked where the text of a rule set speaks of it, at the ruling that settles a dispute and at the
decision of a committee; where it has no word the state keeps the open answer, and nothing is asked.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import appeal, dispute
from events.payloads.base import Payload
from projections.folding.findings import Finding, Severity, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import Asked, as_ruled, taken_in
from projections.folding.sayings import said
from projections.rules.answers import Answer
from projections.rules.subjects.appeals import DECISION_REPORT, REPORT_DUE, ReportFacts

Result = tuple["Reports", tuple[Finding, ...]]


class Reports(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    asked: tuple[Asked, ...] = ()
    """Every question that was left open, and those of them that a ruling has answered."""
    disputed: tuple[str, ...] = ()
    """Entries of disputes that no ruling has settled yet."""


def evolve(state: Reports, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case dispute.DisputeRaised():
            return replace(state, disputed=(*state.disputed, event.entry_id)), NOTHING
        case dispute.RulingMade(dispute=named):
            return _ruled(state, event, named, seen)
        case appeal.AppealDecided():
            return _decided(state, event, seen, by_committee=True)
        case _:
            return state, NOTHING


def _ruled(state: Reports, event: RecordedEvent, named: str | None, seen: Seen) -> Result:
    """A ruling settles the dispute that it names, or all that are open where it names none."""
    if state.answer is not None:
        answer = as_ruled(state.answer, state.asked, seen)
        state = replace(state, answer=answer, asked=taken_in(state.asked, seen))
    left = tuple(one for one in state.disputed if named is not None and one != named)
    if len(left) == len(state.disputed):
        return state, NOTHING
    return _decided(replace(state, disputed=left), event, seen, by_committee=False)


def _decided(state: Reports, event: RecordedEvent, seen: Seen, *, by_committee: bool) -> Result:
    answer = seen.rules.ask(DECISION_REPORT, ReportFacts(by_committee))
    state = replace(state, answer=answer)
    if DECISION_REPORT not in seen.rules.profile.policies:
        # A silence of the text about which nobody asked is kept without a finding.
        return state, NOTHING
    if answer.is_open:
        asked = Asked(DECISION_REPORT, event.entry_id, answer)
        state = replace(state, asked=(*state.asked, asked))
        message = said(
            "a dispute is decided; "
            "whether that is to be reported to the federation is for the Director to say"
        )
    elif answer.outcome == REPORT_DUE:
        message = said(
            "the decision is to be reported to the federation, with description and reasons, soon"
            " after the tournament"
        )
    else:
        return state, NOTHING
    note, topic = Severity.NOTE, DECISION_REPORT
    return state, (judged("report-due", event, message, answer, topic, seen.rules, severity=note),)


_HEARS: tuple[type[Payload], ...] = (
    dispute.DisputeRaised,
    dispute.RulingMade,
    appeal.AppealDecided,
)


FOLD = Fold(Reports, *(on(kind, evolve) for kind in _HEARS))
"""The fold of reports."""
