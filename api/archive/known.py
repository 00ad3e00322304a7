"""What the public, behind the table, knows of a match by now, and when it comes to know more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from api.archive.personal import received_at
from api.archive.publicity import Publicity, publicity_of
from api.archive.reading import Live, Reading
from events.payloads.corrections import EntryAmended, EntryRetracted
from events.payloads.dispute import DisputeRaised, RulingMade
from events.store.protocol import EventStore

EVER = 1 << 62
"""A moment that does not come."""

_BATCH = 32
"""Contexts that are looked up at once."""


class Head(NamedTuple):
    """An entry that is the last one known, for a while."""

    version: int
    due_ms: int = 0
    """From when on it may be known, in ms since 1970 UTC; 0 = always."""
    until_ms: int = EVER
    """From when on a later one is."""
    is_to_come: bool = True
    """Whether the public knew no later one yet when the last entry of all came in."""


def heads(store: EventStore, log_id: str, live: Live, delay_ms: int) -> Iterator[Head]:
    """Every such entry, from the last one backwards; of a match without a delay, that one alone.

    Entries that came in at once are known at once, and an entry whose context was erased counts as
    old: as `Reading.received_by` has it.
    """
    if not delay_ms:
        yield Head(live.version)
        return
    following = came = None
    version = live.version
    while version:
        batch = live.recorded[max(0, version - _BATCH) : version]
        raws = store.disclosures_of(log_id, [event.global_position for event in batch])
        for event in reversed(batch):
            received = received_at(raws.get(event.global_position, ())) or 0
            came = received if came is None else came
            if following is None or received < following:
                until_ms = EVER if following is None else following + delay_ms
                due_ms = received + delay_ms if received else 0
                yield Head(event.version, due_ms, until_ms, until_ms > came)
                following = received
            version = event.version - 1


def known_publicity(reading: Reading, log_id: str, live: Live, reach: int) -> Publicity:
    """Whether it may be shown, and its disputes as far as who knows it up to `reach` may see them.

    Reads the store where something about a dispute is not known yet.
    """

    def known_when(version: int) -> int:
        place = live.recorded[version - 1].global_position
        raws = reading.store.disclosures_of(log_id, [place]).get(place, ())
        moment = (received_at(raws) or 0) - live.publicity.delay_ms
        return reading.received_by(log_id, live, moment)[0]

    return as_known(live, reach, known_when)


def as_known(live: Live, reach: int, known_when: Callable[[int], int]) -> Publicity:
    """The same; `known_when` says what was known when an entry came in.

    A dispute that is not known yet takes nothing back that is, and what is taken back of one shows
    no earlier than any other entry.
    """
    publicity = live.publicity
    freezes = publicity.freezes
    if _is_retold(live, reach):
        before = publicity_of(live.replay.at(reach)).freezes
        freezes = (*before, *(one for one in freezes if one.raised > reach))
    if any(one.raised > reach and one.frozen < reach for one in freezes):
        freezes = tuple(
            one
            if one.raised <= reach
            else msgspec.structs.replace(one, frozen=max(one.frozen, known_when(one.raised)))
            for one in freezes
        )
    if freezes is publicity.freezes:
        return publicity
    return msgspec.structs.replace(publicity, freezes=freezes)


def _is_retold(live: Live, reach: int) -> bool:
    """Whether something about a dispute was corrected that is known up to `reach`."""
    targets = {
        event.payload.target
        for event in live.recorded[reach : live.version]
        if isinstance(event.payload, EntryRetracted | EntryAmended)
    }
    return bool(targets) and any(
        event.entry_id in targets and isinstance(event.payload, DisputeRaised | RulingMade)
        for event in live.recorded[:reach]
    )
