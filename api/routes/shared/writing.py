"""Writes: who may write, on which expected version, and how they are answered."""

from __future__ import annotations

import asyncio
import re

import orjson
from fastapi import Request, Response

from api.desk.entries import EntryIn
from api.refusals import Problem
from api.routes.shared.door import Door, Visitor, showing_stream, visitor_of
from api.routes.shared.recorded import entry_lines
from api.routes.shared.requests import take_body
from events.errors import BadInput, ExpectedVersionMismatch
from events.store.protocol import Appended
from projections.views.showing import Showing

MISSED_AT_MOST = 100
"""Entries that the answer to an outdated version contains."""

_IF_MATCH = re.compile(r'(?:"(\d{1,15})"|(\d{1,15})|\*)')
_DUPLICATE = {True: b"true", False: b"false"}


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
        shown = await showing_stream(door, visitor, log_id, stream_id)
        raise await asyncio.to_thread(_moved_on, door, log_id, shown, error) from None
    except BadInput:
        # Nothing can be written in a log that does not exist: that error takes precedence.
        await asyncio.to_thread(door.archive.store.log_head, log_id)
        raise
    return recorded_answer(appended)


def recorded_answer(appended: Appended) -> Recorded:
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
    return Recorded(body, version, is_duplicate=appended.duplicate)


class Recorded(Response):
    """The answer to an append. Its headers are written here: as mappings they were a fortieth of
    what an append takes.
    """

    def __init__(self, body: bytes, version: int, *, is_duplicate: bool) -> None:
        self.status_code = 200 if is_duplicate else 201
        self.background = None
        self.body = body
        self.raw_headers = [
            (b"etag", b'"%d"' % version),
            (b"content-length", b"%d" % len(body)),
            (b"content-type", b"application/json"),
        ]


async def writer_of(
    door: Door,
    request: Request,
    log_id: str | None,
    *,
    is_streamed: bool = False,
    needs: str = "scribe or director here",
) -> Visitor:
    """Who wants to write: nobody without a token. `is_streamed`: a body that is read later.

    `needs`: what the refusal of who has no grant here says that it takes.
    """
    if not is_streamed:
        await take_body(request)
    visitor = await visitor_of(door, request, log_id)
    if visitor.token_sha256 is None:
        raise visitor.refusal("every write is made in somebody's name")
    if not visitor.hand.grants:
        raise visitor.refusal(needs)
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


def _moved_on(door: Door, log_id: str, showing: Showing, error: ExpectedVersionMismatch) -> Problem:
    expected = error.expected or 0
    rows = door.archive.store.read_stream(
        log_id, error.stream_id, after=expected, limit=MISSED_AT_MOST + 1
    )
    told = [row for row in rows[:MISSED_AT_MOST] if row.version <= showing.last]
    missed = entry_lines(door.archive.store, log_id, told, showing=showing)
    return Problem(
        "version-conflict",
        str(error),
        headers={"ETag": f'"{error.current}"'},
        current_version=error.current,
        expected_version=error.expected,
        missed=[orjson.Fragment(line) for line in missed],
        missed_truncated=len(rows) > MISSED_AT_MOST,
    )
