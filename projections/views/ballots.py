"""Ballots as whoever may not read them is shown them: that one was cast, and not what it says.

No text in hand makes ballots public (rules.md §8); what the ballots make of a ruling is, once it is
announced. Pages, answers, files and streams all show a match by the replay that comes out of here.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import appeal
from events.payloads.base import Payload
from events.payloads.corrections import EntryAmended
from projections.states import Replay, Step, stepped

KEPT: Any = "not_public"
"""What stands where a ballot is not told; no ballot says it."""

BALLOTS = frozenset({"vote.cast", "vote.opened", "vote.director_cast"})
"""Types of entries that hold what a ballot says."""

SAYS = frozenset({"vote", "proposal", "salt"})
"""Members that say it; a closed ballot could be guessed by its salt, there being four of them."""

_COUNTED = frozenset({"appeal-settled", "appeal-outcome"})
"""Codes of findings that say what the ballots make of a ruling."""

_CAST = appeal.VoteCast | appeal.VoteDirectorCast | appeal.VoteOpened


def veiled(shown: Replay) -> Replay:
    """A match without what its ballots say, nor come to before that is announced; else itself."""
    appeals = shown.state.judged.appeals.appeals
    if not appeals:
        return shown
    told = shown.retold(_event)
    waiting = {place for place, one in enumerate(appeals) if one.announced is None and one.ballots}
    if not waiting:
        return told
    steps = [
        replace(step, findings=tuple(one for one in step.findings if one.code not in _COUNTED))
        if _is_about(step, waiting)
        else step
        for step in told.steps
    ]
    return replace(told, steps=stepped(steps))


def _is_about(step: Step, places: Container[int]) -> bool:
    """Whether an entry changed what is known of one of the appeals at these places."""
    before, after = (one.judged.appeals.appeals for one in (step.before, step.after))
    return any(
        place in places and (place >= len(before) or before[place] is not now)
        for place, now in enumerate(after)
    )


def holds_ballot(tag: str, body: Mapping[str, object]) -> bool:
    """Whether an entry says what a ballot says: itself, or as what it puts in its place."""
    return tag in BALLOTS or (tag == "entry.amended" and body.get("tag") in BALLOTS)


def without_ballot(tag: str, body: Mapping[str, object]) -> dict[str, object]:
    """The body of such an entry, without that."""
    kept = {name: value for name, value in body.items() if name not in SAYS}
    inner = kept.get("body")
    if tag == "entry.amended" and isinstance(inner, Mapping):
        kept["body"] = {name: value for name, value in inner.items() if name not in SAYS}
    return kept


def _event(event: RecordedEvent) -> RecordedEvent:
    payload = _payload(event.payload)
    return event if payload is event.payload else replace(event, payload=payload)


def _payload(payload: Payload) -> Payload:
    match payload:
        case appeal.VoteCast() | appeal.VoteDirectorCast():
            return replace(payload, vote=KEPT, proposal=None)
        case appeal.VoteOpened():
            return replace(payload, vote=KEPT, proposal=None, salt="")
        case EntryAmended() if isinstance(payload.replacement, _CAST):
            veil = replace(payload, body=msgspec.Raw(b"{}"))
            veil.__dict__["replacement"] = _payload(payload.replacement)
            return veil
        case _:
            return payload
