"""Notices to a table about the director's acts, and whether the table has acknowledged each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from events.envelope import RecordedEvent
from events.payloads.base import Actor
from events.payloads.corrections import EntryAmended, MomentMarked
from events.payloads.dispute import DirectorCalled, DisputeRaised, NoticeAcknowledged
from events.payloads.ending import ClaimRuled
from events.payloads.match import DecidingGameOrdered, MatchOpened
from projections.folding.standing import target_of
from projections.states import Replay

TOLD = frozenset(
    {
        "ruling.made",
        "ruling.carried_out",
        "penalty.assessed",
        "penalty.waived",
        "slow_play.warned",
        "forfeit.declared",
        "sanction.imposed",
        "player.disqualified",
        "clock.adjusted",
        "delay.excused",
        "result.corrected",
        "appeal.refused",
        "appeal.decided",
    }
)
"""Tags of the director's decisions; the tablet has the same (`fold/notices.js`)."""

_AT_THE_TABLE = frozenset({Actor.ONE, Actor.TWO, Actor.BOTH})


class Notice(NamedTuple):
    """An act that the table is told of."""

    event: RecordedEvent
    """The entry as it stands now, with its last amendment."""
    said_at: int
    """Version of the entry, or of its last amendment."""
    acknowledged: RecordedEvent | None
    """The entry by which the table acknowledged it; None while it has not."""


def calls_of(shown: Replay) -> frozenset[str]:
    """Entry ids of the calls for the director, retracted ones included."""
    return frozenset(one.entry_id for one in shown.entries if one.tag == "director.called")


def notices(shown: Replay) -> list[Notice]:
    """The notices that stand, in order.

    What players at the table say themselves (a dispute, granting a claim) is no notice to it. A
    mark on a call says that the director is on the way. The opening is a notice if its length was
    changed.
    """
    events = [step.event for step in shown.steps]
    amended = _amended(shown)
    length_said_at = _length_said_at(shown.recorded)
    calls = {event.entry_id for event in events if isinstance(event.payload, DirectorCalled)}
    told: dict[str, Notice] = {}
    for event in events:
        match event.payload:
            case NoticeAcknowledged(target=target):
                known = told.get(target)
                if known is not None and event.version > known.said_at and not known.acknowledged:
                    told[target] = known._replace(acknowledged=event)
            case MatchOpened():
                if length_said_at:
                    told[event.entry_id] = Notice(event, length_said_at, None)
            case _ if _is_told(event, calls):
                said_at = amended.get(event.entry_id, event.version)
                told[event.entry_id] = Notice(event, said_at, None)
    return list(told.values())


def _is_told(event: RecordedEvent, calls: set[str]) -> bool:
    match event.payload:
        case MomentMarked(target=target):
            return target in calls
        case ClaimRuled(by=by) | DecidingGameOrdered(by=by):
            return by is Actor.DIRECTOR
        case DisputeRaised(by=by):
            return by not in _AT_THE_TABLE
        case _:
            return event.tag in TOLD


def _amended(shown: Replay) -> dict[str, int]:
    """Entry id to the version of the last amendment of it."""
    found: dict[str, int] = {}
    for event in _amendments(shown.recorded):
        found[target_of(event)] = event.version
    return found


def _length_said_at(events: Iterable[RecordedEvent]) -> int:
    """Version at which the opening was last given another length; 0 = never."""
    said_at, openings = 0, list[MatchOpened]()
    for event in events:
        payload = event.payload
        body = payload.replacement if isinstance(payload, EntryAmended) else payload
        if isinstance(body, MatchOpened):
            if openings and openings[-1].length != body.length:
                said_at = event.version
            openings.append(body)
    return said_at


def _amendments(events: Iterable[RecordedEvent]) -> Iterable[RecordedEvent]:
    return (event for event in events if event.tag == "entry.amended")
