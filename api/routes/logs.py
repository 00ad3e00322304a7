"""Logs, one a tournament, and the lists of their matches."""

from __future__ import annotations

import asyncio
import base64
import binascii
import uuid
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request, Response

from api.archive import Archive
from api.desk import Hand
from api.problems import Problem
from api.routes.door import (
    Door,
    LogId,
    Visitor,
    door_of,
    etag_of,
    is_unchanged,
    json_answer,
    listed_headers,
    visitor_of,
)
from api.routes.listing import ANY, Filtered, Filters, check_dates, page_of
from api.routes.matches import writer_of
from api.routes.requests import parsed
from api.schemas import documented
from events.canonical import canonical
from events.catalogue import decode, read
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, check_id
from events.payloads.access import Role, ScopeKind
from events.payloads.tournament import TournamentOpened
from events.store.protocol import LogHead
from events.values import MAX_SAFE_INTEGER

MAX_PAGE = 200

Cursor = Annotated[
    str | None,
    Query(max_length=400, description="`next_cursor` of the page before; opaque."),
]
PageLimit = Annotated[
    int, Query(ge=1, le=MAX_PAGE, description="Most rows in the answer.", examples=[50])
]

router = APIRouter(tags=["logs"])


class OpenLog(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to open a log."""

    title: str
    """What the tournament is called."""
    log_id: str | None = None
    """Id of the new log; made here if it is left out."""


@router.post(
    "/logs",
    status_code=201,
    operation_id="openLog",
    summary="Open a log for a tournament",
    **documented("LogOut", writes=True, problems=(409,)),
)
async def open_log(request: Request) -> Response:
    """A new log with the first entry of its tournament stream; takes an archivist."""
    door = door_of(request)
    visitor = await writer_of(door, request, None)
    if not any(
        grant.role is Role.ARCHIVIST and grant.kind is ScopeKind.ARCHIVE
        for grant in visitor.hand.grants
    ):
        raise visitor.refusal("archivist of the archive")
    body = parsed(await request.body(), OpenLog)
    log_id = body.log_id
    if log_id is None:
        log_id = str(uuid.UUID(bytes=door.archive.entropy(16), version=4))
    check_id(log_id, "log")
    # A title that cannot be recorded must not leave an empty log behind.
    decode("tournament.opened", canonical({"title": body.title}))
    await asyncio.to_thread(
        door.archive.open_tournament,
        log_id,
        body.title,
        recorded_by=visitor.hand.recorded_by,
    )
    answer = await asyncio.to_thread(_log, door, visitor, log_id)
    return json_answer(answer, 201, headers={"Location": f"/logs/{log_id}"})


@router.get(
    "/logs",
    operation_id="listLogs",
    summary="List the logs that may be read",
    **documented("LogPage", problems=(400,)),
)
async def list_logs(request: Request, cursor: Cursor = None, limit: PageLimit = 50) -> Response:
    """Logs that a grant covers, and logs that hold a public match."""
    door = door_of(request)
    visitor = await visitor_of(door, request, None)
    [after] = read_cursor(cursor, str) if cursor else [""]
    value = await asyncio.to_thread(_log_page, door, visitor, after, limit)
    return json_answer(value, headers=listed_headers(visitor))


@router.get(
    "/logs/{log}",
    operation_id="getLog",
    summary="Where a log stands",
    **documented("LogOut", problems=(404,), is_view=True),
)
async def get_log(request: Request, log: LogId) -> Response:
    """Its title, its size, the root over all its entries, and how many matches it holds."""
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    value = await asyncio.to_thread(_log, door, visitor, log)
    if not may_see(door, visitor, log):
        raise visitor.refusal("viewer of the log")
    etag = etag_of(*value.values())
    headers = {"ETag": etag, **listed_headers(visitor)}
    if is_unchanged(request, etag):
        return Response(status_code=304, headers=headers)
    return json_answer(value, headers=headers)


@router.get(
    "/logs/{log}/matches",
    operation_id="listMatches",
    summary="List the matches of a log",
    **documented("MatchPage", problems=(400, 404)),
)
async def list_matches(
    request: Request,
    log: LogId,
    filters: Filtered,
    cursor: Cursor = None,
    limit: PageLimit = 50,
) -> Response:
    """In the order in which they were opened; for the public, only public ones.

    Filters ask what is shown to the reader, so a withheld name finds nothing. A page of a filtered
    list may be short, or empty, and yet have a `next_cursor`.
    """
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    await asyncio.to_thread(door.archive.store.log_head, log)
    check_dates(visitor, filters)
    after = place_of(cursor)
    value = await match_page(door, visitor, log, filters, after=after, limit=limit)
    return json_answer(value, headers=listed_headers(visitor))


async def match_page(
    door: Door,
    visitor: Visitor,
    log_id: str,
    filters: Filters = ANY,
    *,
    after: int | None,
    limit: int,
) -> dict[str, Any]:
    """One page of a log's matches, as the visitor may see them."""
    values, place = await page_of(door, visitor, log_id, filters, after=after, limit=limit)
    return {"matches": values, "next_cursor": None if place is None else write_cursor(place)}


def _log_page(door: Door, visitor: Visitor, after: str, limit: int) -> dict[str, Any]:
    heads = door.archive.store.logs()
    door.index.catch_up()
    values: list[dict[str, Any]] = []
    for head in heads:
        if head.log_id <= after:
            continue
        seen = _in_log(door, visitor, head.log_id)
        if head.log_id == ARCHIVE_LOG and not seen.hand.may_read(ARCHIVE_LOG):
            continue
        if may_see(door, seen, head.log_id):
            if len(values) == limit:
                return {"logs": values, "next_cursor": write_cursor(values[-1]["log_id"])}
            values.append(_log_of(door, seen, head))
    return {"logs": values, "next_cursor": None}


def _in_log(door: Door, visitor: Visitor, log_id: str) -> Visitor:
    """The visitor with the grants that matter in another log."""
    if visitor.token_sha256 is None:
        return visitor
    grants = door.reading.grants(log_id, visitor.token_sha256)
    return Visitor(Hand(grants), visitor.token_sha256)


def may_see(door: Door, visitor: Visitor, log_id: str) -> bool:
    """Whether a log may be known of; what it holds is another matter."""
    return bool(visitor.hand.grants) or door.index.has_public(log_id)


def _log(door: Door, visitor: Visitor, log_id: str) -> dict[str, Any]:
    head = door.archive.store.log_head(log_id)
    door.index.catch_up([log_id])
    return _log_of(door, visitor, head)


def _log_of(door: Door, visitor: Visitor, head: LogHead) -> dict[str, Any]:
    public_only = not visitor.hand.may_read(head.log_id)
    return {
        "log_id": head.log_id,
        "title": title_of(door.archive, head.log_id),
        "size": head.size,
        "root": head.root.hex(),
        "matches": door.index.count(head.log_id, public_only=public_only),
    }


def title_of(archive: Archive, log_id: str) -> str | None:
    """What a log's tournament is called."""
    rows = archive.store.read_stream(log_id, TOURNAMENT_STREAM, limit=1)
    if not rows:
        return None
    opened = read(rows[0]).payload
    return opened.title if isinstance(opened, TournamentOpened) else None


def place_of(cursor: str | None) -> int | None:
    """The place in a list of matches that a cursor names; None = the beginning."""
    if not cursor:
        return None
    [place] = read_cursor(cursor, int)
    return int(place)


def write_cursor(*place: str | int) -> str:
    """A place in a list, as an opaque word."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def read_cursor(cursor: str, kind: type) -> list[Any]:
    """The place that such a word names. Errors: Problem."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        raw = base64.b64decode(padded, altchars=b"-_", validate=True)
        value: list[Any] = msgspec.json.decode(raw, type=list[kind])  # type: ignore[valid-type]
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        value = []
    if len(value) != 1 or (isinstance(value[0], int) and not 0 <= value[0] <= MAX_SAFE_INTEGER):
        raise Problem("bad-parameter", "this is no cursor of this list", where="query.cursor")
    return value
