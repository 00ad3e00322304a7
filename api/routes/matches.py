"""Matches: opening them and appending to them. The hot path of the archive."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping

import msgspec
from fastapi import APIRouter, Request, Response

from api.desk.entries import EntryIn, parse_entries
from api.desk.leases import append_folded
from api.refusals import Problem
from api.rounds.tables import come_entries
from api.routes.shared.door import (
    Door,
    LogId,
    MatchId,
    Visitor,
    door_of,
    json_answer,
)
from api.routes.shared.requests import parsed, value_of
from api.routes.shared.writing import append_parsed, expected_version_of, writer_of
from api.shapes.documented import documented
from api.shapes.matches import Opened
from events.envelope import NO_STREAM, TOURNAMENT_STREAM, Basis
from events.errors import ExpectedVersionMismatch
from projections.custody.leases import Leases

router = APIRouter(tags=["matches"])


class OpenMatch(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to open a match."""

    opened: Mapping[str, object]
    """Body of `match.opened`; personal values in plain text or as commitments."""
    match_id: str | None = None
    """Id of the new stream; the server makes one if it is left out."""
    entry_id: str | None = None
    """UUID of the entry, made by the client; repeat it to retry."""
    basis: Basis = Basis.OBSERVED
    """What the opening is based on."""


@router.post(
    "/logs/{log}/matches",
    status_code=201,
    operation_id="openMatch",
    summary="Open a match",
    **documented(Opened, also=200, writes=True, problems=(404, 409)),
)
async def open_match(request: Request, log: LogId) -> Response:
    """Make a new match with its first entry, `match.opened`.

    The server makes ids that are left out. `publication.public` needs `publication.delay_ms`, how
    far the public lags behind the table; 0 = no delay. The same request with the same entry id is a
    retry: it gets the first answer again, with status 200.

    If a director opens the match, the tablet assigned to its table becomes its scribe.
    """
    door = door_of(request)
    visitor = await writer_of(door, request, log)
    body = await parsed(request, OpenMatch)
    known = await asyncio.to_thread(_match_of, door, log, body.entry_id)
    match_id = known if body.match_id is None else body.match_id
    if match_id is None:
        match_id = str(uuid.UUID(bytes=door.archive.entropy(16), version=4))
    entry = EntryIn(
        entry_id=door.archive.entry_id() if body.entry_id is None else body.entry_id,
        tag="match.opened",
        body=body.opened,
        basis=body.basis,
    )
    try:
        appended = await door.desk.append(
            visitor.hand, log, match_id, [entry], expected_version=NO_STREAM
        )
    except ExpectedVersionMismatch:
        raise Problem("match-exists", f"log {log} holds a match {match_id} already") from None
    stored = appended.events[0]
    await _bring(door, visitor, log, stored.stream_id, body.opened)
    value = Opened(
        log_id=log,
        match_id=stored.stream_id,
        version=stored.version,
        entry_id=stored.entry_id,
        global_position=stored.global_position,
        leaf_hash=stored.leaf_hash.hex(),
        duplicate=appended.duplicate,
    )
    headers = {"ETag": '"1"', "Location": f"/logs/{log}/matches/{stored.stream_id}"}
    return json_answer(value, 200 if appended.duplicate else 201, headers=headers)


@router.post(
    "/logs/{log}/matches/{match}/events",
    status_code=201,
    operation_id="appendEvents",
    summary="Append entries to a match",
    **documented("Recorded", also=200, writes=True, problems=(404, 409, 412, 428)),
)
async def append_events(request: Request, log: LogId, match: MatchId) -> Response:
    """Append all entries of the batch, or none.

    `If-Match` names the expected version of the match (its ETag), or `*` for any. The same entry
    ids with the same bytes are a retry, also when the version has changed since: it gets the first
    answer again, with status 200 and `duplicate`.
    """
    if match == TOURNAMENT_STREAM:
        raise Problem("no-such-match", "the tournament's own stream is at /logs/{log}/events")
    return await append(request, log, match)


@router.post(
    "/logs/{log}/events",
    status_code=201,
    operation_id="appendLogEvents",
    summary="Append entries to the tournament's own stream",
    **documented("Recorded", also=200, writes=True, problems=(404, 409, 412, 428)),
)
async def append_log_events(request: Request, log: LogId) -> Response:
    """Grants, revocations, declared rules, registered players; otherwise as for a match."""
    return await append(request, log, TOURNAMENT_STREAM)


async def append(request: Request, log_id: str, stream_id: str) -> Response:
    """Append a batch of entries to a stream."""
    door = door_of(request)
    visitor = await writer_of(door, request, log_id)
    expected_version = expected_version_of(request)
    entries = parse_entries(await value_of(request))
    return await append_parsed(
        door, visitor, log_id, stream_id, entries, expected_version=expected_version
    )


async def _bring(
    door: Door, visitor: Visitor, log_id: str, match_id: str, opened: Mapping[str, object]
) -> None:
    """Make the device at the table of a match its scribe; only once, however often it is sent."""
    table, hand = opened.get("table"), visitor.hand
    is_beside = opened.get("shadow_of") is not None
    may_lend = hand.may_append(log_id, TOURNAMENT_STREAM, "lease.granted")
    if is_beside or not may_lend or not isinstance(table, str):
        return

    def entries(leases: Leases) -> list[EntryIn]:
        return come_entries(door.desk, door.reading, log_id, leases, match=match_id, table=table)

    await append_folded(door.desk, door.leasing, hand, log_id, entries)


def _match_of(door: Door, log_id: str, entry_id: str | None) -> str | None:
    """The match that an earlier attempt opened under this entry id."""
    door.archive.store.log_head(log_id)
    if entry_id is None:
        return None
    found = door.archive.store.find_entries(log_id, [entry_id]).get(entry_id)
    return None if found is None else found.stream_id
