"""Matches: opening one, appending to it, its entries as recorded. The hot path of the archive."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Mapping

import msgspec
import orjson
from fastapi import APIRouter, Request, Response

from api.desk.entries import EntryIn, parse_entries
from api.refusals import Problem
from api.routes.entries import entry_lines
from api.routes.shared.door import (
    Door,
    LogId,
    MatchId,
    People,
    Visitor,
    door_of,
    json_answer,
    people_of,
    visitor_of,
)
from api.routes.shared.requests import parsed
from api.shapes.matches import documented
from events.canonical import parse_strict
from events.envelope import NO_STREAM, TOURNAMENT_STREAM, Basis
from events.errors import BadInput, ExpectedVersionMismatch
from events.store.protocol import Appended

MISSED_AT_MOST = 100
"""Entries that the answer to a stale version carries."""

router = APIRouter(tags=["matches"])

_IF_MATCH = re.compile(r'(?:"(\d{1,15})"|(\d{1,15})|\*)')
_DUPLICATE = {True: b"true", False: b"false"}


class OpenMatch(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to open a match."""

    opened: Mapping[str, object]
    """Body of `match.opened`; personal values in the clear or committed."""
    match_id: str | None = None
    """Id of the new stream; made here if it is left out."""
    entry_id: str | None = None
    """Client-made UUID of the entry; repeat it to try again."""
    basis: Basis = Basis.OBSERVED
    """On what the opening rests."""


@router.post(
    "/logs/{log}/matches",
    status_code=201,
    operation_id="openMatch",
    summary="Open a match",
    **documented("Opened", also=200, writes=True, problems=(404, 409)),
)
async def open_match(request: Request, log: LogId) -> Response:
    """Make a new match with its first entry, `match.opened`.

    Ids that are left out are made here. With `publication.public` goes `publication.delay_ms`, how
    far the public is behind the table: 0 where nothing is to be held back. The same request with
    the same entry id is a retry: it gets the first answer again, with status 200.
    """
    door = door_of(request)
    visitor = await writer_of(door, request, log)
    body = parsed(await request.body(), OpenMatch)
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
    value = {
        "log_id": log,
        "match_id": stored.stream_id,
        "version": stored.version,
        "entry_id": stored.entry_id,
        "global_position": stored.global_position,
        "leaf_hash": stored.leaf_hash.hex(),
        "duplicate": appended.duplicate,
    }
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

    `If-Match` names the version that the match is believed to be at (its ETag), or `*`. The same
    entry ids with the same bytes are a retry, whatever the version is by then: it gets the first
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
    """Grants and revocations, rules declared, players registered; otherwise as for a match."""
    return await append(request, log, TOURNAMENT_STREAM)


async def append(request: Request, log_id: str, stream_id: str) -> Response:
    """Append a batch of entries to a stream."""
    door = door_of(request)
    visitor = await writer_of(door, request, log_id)
    expected_version = expected_version_of(request)
    entries = parse_entries(parse_strict(await request.body()))
    return await append_parsed(
        door, visitor, log_id, stream_id, entries, expected_version=expected_version
    )


async def append_parsed(
    door: Door,
    visitor: Visitor,
    log_id: str,
    stream_id: str,
    entries: list[EntryIn],
    *,
    expected_version: int | None,
) -> Response:
    """Append entries that are at hand, in the visitor's name."""
    try:
        appended = await door.desk.append(
            visitor.hand, log_id, stream_id, entries, expected_version=expected_version
        )
    except ExpectedVersionMismatch as error:
        await asyncio.to_thread(door.archive.store.log_head, log_id)
        people = people_of(visitor.hand, log_id, stream_id)
        raise await asyncio.to_thread(_moved_on, door, log_id, people, error) from None
    except BadInput:
        # Nothing can begin in a log that does not exist: that is what is wrong, above all.
        await asyncio.to_thread(door.archive.store.log_head, log_id)
        raise
    return recorded_answer(appended)


def recorded_answer(appended: Appended) -> Response:
    """Where the entries stand. Ids, hashes and numbers need no escaping: written by hand."""
    rows = b",".join(
        [
            b'{"entry_id":"%b","version":%d,"global_position":%d,"leaf_hash":"%b"}'
            % (
                event.entry_id.encode(),
                event.version,
                event.global_position,
                event.leaf_hash.hex().encode(),
            )
            for event in appended.events
        ]
    )
    version = appended.events[-1].version
    body = b'{"version":%d,"entries":[%b],"duplicate":%b}' % (
        version,
        rows,
        _DUPLICATE[appended.duplicate],
    )
    status = 200 if appended.duplicate else 201
    return Response(body, status, {"ETag": f'"{version}"'}, "application/json")


async def writer_of(door: Door, request: Request, log_id: str | None) -> Visitor:
    """Who wants to write: nobody without a token."""
    visitor = await visitor_of(door, request, log_id)
    if visitor.token_sha256 is None:
        raise visitor.refusal("every write is made in somebody's name")
    if not visitor.hand.grants:
        raise visitor.refusal("scribe or director here")
    return visitor


def expected_version_of(request: Request) -> int | None:
    """The version of `If-Match`; None for `*`, wherever the stream is."""
    header = request.headers.get("if-match")
    if header is None:
        detail = 'name the version that you have read, as in `If-Match: "12"`, or `If-Match: *`'
        raise Problem("precondition-required", detail)
    found = _IF_MATCH.fullmatch(header)
    if found is None:
        detail = f"`If-Match` is one version or `*`, not {header[:40]!a}"
        raise Problem("bad-parameter", detail, where="header.if-match")
    digits = found[1] or found[2]
    return None if digits is None else int(digits)


def _match_of(door: Door, log_id: str, entry_id: str | None) -> str | None:
    """The match that an earlier attempt has opened under this entry id."""
    door.archive.store.log_head(log_id)
    if entry_id is None:
        return None
    found = door.archive.store.find_entries(log_id, [entry_id]).get(entry_id)
    return None if found is None else found.stream_id


def _moved_on(door: Door, log_id: str, people: People, error: ExpectedVersionMismatch) -> Problem:
    expected = error.expected or 0
    rows = door.archive.store.read_stream(
        log_id, error.stream_id, after=expected, limit=MISSED_AT_MOST + 1
    )
    missed = entry_lines(door.archive.store, log_id, rows[:MISSED_AT_MOST], people=people)
    return Problem(
        "version-conflict",
        str(error),
        headers={"ETag": f'"{error.current}"'},
        current_version=error.current,
        expected_version=error.expected,
        missed=[orjson.Fragment(line) for line in missed],
        missed_truncated=len(rows) > MISSED_AT_MOST,
    )
