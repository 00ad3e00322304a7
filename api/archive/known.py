"""What the public, which follows a match with a delay, knows of it now, and when it knows more."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from api.archive.personal import received_at, received_of
from api.archive.publicity import Publicity, publicity_of
from api.archive.reading import Live, Reading
from events.envelope import RecordedEvent
from events.payloads.clock import ClockPressed
from events.payloads.corrections import EntryAmended, EntryRetracted
from events.payloads.cube import DoubleOffered
from events.payloads.dice import OpeningRolled, Rolled, TurnEnded
from events.payloads.dispute import DisputeRaised, RulingMade
from events.payloads.play import PlayMade
from events.store.protocol import EventStore
from events.values import OFF
from projections.replay import Replay
from projections.views.freezing import Freeze

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
    old: as `received_by` has it.
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


_GOING_ON = (Rolled, OpeningRolled, TurnEnded, ClockPressed, DoubleOffered)


def may_turn(payload: object) -> bool:
    """Whether a match may be over, or begin, or have other players by an entry: by few that are
    corrected.
    """
    if isinstance(payload, PlayMade):
        return any(move.to_point == OFF for move in payload.moves or ())
    return not isinstance(payload, _GOING_ON)


def turning_corrections(live: Live, after: int) -> Iterator[RecordedEvent]:
    """Corrections of such entries, behind a version; they alone are worth folding anew for."""
    for event, target in _corrections(live, after):
        said: list[object] = [one.payload for one in live.recorded if one.entry_id == target]
        if isinstance(event.payload, EntryAmended):
            said.append(event.payload.replacement)
        if not said or any(map(may_turn, said)):
            yield event


def standing_at(live: Live, version: int) -> Replay:
    """How the match stood at a version: who played, how far it was. What else was corrected since
    may stand there already; what `turning_corrections` are about does not.
    """
    is_anew = any(True for _ in turning_corrections(live, version))
    return live.replay.at(version) if is_anew else live.replay.through(version)


def size_known(
    size: int,
    delays: Mapping[int, int],
    before: Callable[[int], int],
    received_when: Callable[[int], int | None],
) -> int:
    """How many of the first `size` entries of a log everybody may count.

    `delays`: those of its public matches, in ms, each with the place where the first of these
    matches begins; `before` says which moment lies a delay ago, `received_when` when the entry at
    a place came in (None: its context was erased, and it counts as old, as in `heads`). What was
    there before a match began is as well known as it was.
    """

    def came_before(delay_ms: int) -> int:
        places = range(size)
        return bisect_right(places, before(delay_ms), key=lambda place: received_when(place) or 0)

    return min([size, *(max(begun, came_before(ms)) for ms, begun in delays.items())])


def received_by(
    store: EventStore, log_id: str, live: Live, moment_ms: int
) -> tuple[int, int | None]:
    """(last version received at or before a moment, when the next one was received).

    Looked up from the end backwards, for only the last entries can be young. An entry whose
    context was erased counts as old. Order is by version: nothing before an old entry is young.
    """
    version, following = live.replay.version, None
    while version:
        batch = live.recorded[max(0, version - _BATCH) : version]
        places = [event.global_position for event in batch]
        raws = store.disclosures_of(log_id, places)
        for event in reversed(batch):
            received = received_at(raws.get(event.global_position, ()))
            if received is None or received <= moment_ms:
                return event.version, following
            version, following = event.version - 1, received
    return version, following


def is_older(store: EventStore, log_id: str, stream_id: str, version: int, moment_ms: int) -> bool:
    """Whether a stream is at a version that was received by a moment, without a replay."""
    rows = store.read_stream(log_id, stream_id, after=version - 1, limit=2)
    if len(rows) != 1:
        return False
    [place] = [row.global_position for row in rows]
    received = received_of(store, log_id, place)
    return received is None or received <= moment_ms


def known_publicity(reading: Reading, log_id: str, live: Live, reach: int) -> Publicity:
    """Whether it may be shown, and its disputes as far as who knows it up to `reach` may see them.

    Reads the store where something about a dispute is not known yet.
    """

    def known_when(version: int) -> int:
        place = live.recorded[version - 1].global_position
        moment = (received_of(reading.store, log_id, place) or 0) - live.publicity.delay_ms
        return received_by(reading.store, log_id, live, moment)[0]

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


def standing_still(reading: Reading, log_id: str, live: Live) -> tuple[int, int]:
    """From when until when the public's match stands still, by the disputes that came last; twice
    the same moment where it does not. In ms since 1970 UTC. Reads the store.
    """
    delay_ms = live.publicity.delay_ms
    head = {one.dispute: one for one in live.publicity.freezes}
    known: dict[str, Freeze] = {}
    retold = 0
    if delay_ms:
        reach = min(
            one.version
            for one in itertools.takewhile(
                lambda one: one.is_to_come, heads(reading.store, log_id, live, delay_ms)
            )
        )
        if _is_retold(live, reach):
            known = {one.dispute: one for one in publicity_of(live.replay.at(reach)).freezes}
            retold = max(event.version for event, _ in _corrections(live, reach))

    def due(version: int | None) -> int:
        if version is None:
            return EVER
        if not delay_ms:
            return 0
        place = live.recorded[version - 1].global_position
        received = received_of(reading.store, log_id, place)
        return 0 if received is None else received + delay_ms

    found = (0, 0)
    for dispute in [*head, *(one for one in known if one not in head)]:
        now, before = head.get(dispute), known.get(dispute)
        if now is None and before is not None:
            raised, settled = due(before.raised), due(before.settled or retold)
        elif now is not None:
            is_reopened = before is not None and before.settled is not None and now.settled is None
            raised, settled = due(retold if is_reopened else now.raised), due(now.settled)
        # Disputes beside each other are one; of earlier ones only what is long over is left out.
        is_apart = found[1] <= raised - delay_ms
        found = (raised, settled) if is_apart else (found[0], max(found[1], settled))
    return found


def _corrections(live: Live, after: int) -> Iterator[tuple[RecordedEvent, str]]:
    """Corrections behind a version, each with the id of the entry that it is about."""
    for event in live.recorded[after : live.version]:
        if isinstance(event.payload, EntryRetracted | EntryAmended):
            yield event, event.payload.target


def _is_retold(live: Live, reach: int) -> bool:
    """Whether something about a dispute was corrected that is known up to `reach`."""
    targets = {target for _, target in _corrections(live, reach)}
    return bool(targets) and any(
        event.entry_id in targets and isinstance(event.payload, DisputeRaised | RulingMade)
        for event in live.recorded[:reach]
    )
