"""Provenance: the device, signature, times and hash of each entry of a match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response

from api.archive.personal import context_in
from api.archive.words import recorders_in
from api.routes.shared.door import NO_STORE, LogId, MatchId, door_of, json_answer, sight_of
from api.routes.shared.shown import At, no_such_version
from api.shapes.documented import documented
from api.shapes.replay import EntryProvenance, ProvenanceOut, RecorderOut
from events.envelope import Basis, StoredEvent
from projections.views.lines import Line
from projections.views.showing import Showing

OFFLINE_MS = 60_000
"""An entry that is received this long after it was recorded counts as recorded offline."""


Context = Mapping[str, Any]
"""Who recorded an entry, when and on what, in every form that releases have written."""


class _Sealed(msgspec.Struct, gc=False):
    basis: Basis


_SEALED = msgspec.json.Decoder(_Sealed)

router = APIRouter(tags=["replay"])


@router.get(
    "/logs/{log}/matches/{match}/provenance",
    operation_id="listProvenance",
    summary="Read the provenance of entries",
    **documented(ProvenanceOut, problems=(400, 404)),
)
async def list_provenance(request: Request, log: LogId, match: MatchId, at: At = None) -> Response:
    """Device, signature, times and hash of each entry, or of the entry with the version `at`.

    Recorder, device and times are shown to readers who may see an entry's context.
    """
    sight = await sight_of(request, log, match)
    if at is not None and not 1 <= at <= sight.version:
        raise no_such_version(match, sight.version)
    door = door_of(request)
    store = door.archive.store

    def read() -> list[EntryProvenance]:
        after, limit = (0, sight.version) if at is None else (at - 1, 1)
        rows = store.read_stream(log, match, after=after, limit=limit)
        contexts = _contexts(store.disclosures_of, log, rows, showing=sight.showing)
        recorded = sight.live.recorded[after : after + len(rows)]
        recorders: dict[int, Line | None] = {}
        if contexts:
            whole = sight.live.replay
            recorders = recorders_in(door.reading, log, whole, sight.showing, recorded)
        return [
            _provenance(row, contexts.get(row.global_position), recorders.get(row.version))
            for row in rows
        ]

    value = ProvenanceOut(
        log_id=log,
        match_id=match,
        version=sight.version,
        is_context_shown=sight.showing.why_recorder() is None,
        entries=await asyncio.to_thread(read),
    )
    # A disclosure may be erased without a new entry: no cache may keep this.
    return json_answer(value, headers=NO_STORE)


def _contexts(
    disclosures_of: Callable[[str, list[int]], Mapping[int, list[bytes]]],
    log_id: str,
    rows: Iterable[StoredEvent],
    *,
    showing: Showing,
) -> dict[int, Context]:
    """Global position to the opened context, for readers who may see it."""
    if showing.why_recorder() is not None:
        return {}
    contexts: dict[int, Context] = {}
    for position, raws in disclosures_of(log_id, [row.global_position for row in rows]).items():
        context = context_in(raws)
        if context is not None:
            contexts[position] = context
    return contexts


def _provenance(
    row: StoredEvent, context: Context | None, recorder: Line | None
) -> EntryProvenance:
    known = context or {}
    # A parked draft was received before a director accepted it, which made it an entry.
    received = known.get("journaled_at", known.get("received_at"))
    occurred = known.get("occurred_at")
    late = None
    if isinstance(occurred, int) and isinstance(received, int):
        late = received - occurred
    return EntryProvenance(
        version=row.version,
        entry_id=row.entry_id,
        global_position=row.global_position,
        leaf_hash=row.leaf_hash.hex(),
        basis=_SEALED.decode(row.sealed).basis.value,
        is_known=context is not None,
        recorded_by=known.get("recorded_by"),
        recorder=None if context is None or recorder is None else RecorderOut(**recorder),
        device=known.get("device"),
        device_seq=known.get("device_seq"),
        epoch=known.get("epoch"),
        lease=known.get("lease"),
        signature=known.get("signature_state"),
        occurred_at=occurred,
        received_at=received,
        offline_ms=late if late is not None and late >= OFFLINE_MS else None,
    )
