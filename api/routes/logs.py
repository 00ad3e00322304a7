"""Logs, one for each tournament, and the lists of their matches."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response

from api.archive.tournaments import title_of, tournament_line
from api.desk.entries import EntryIn
from api.desk.hand import Hand
from api.routes.shared.cursors import Cursor, place_of, read_cursor, write_cursor
from api.routes.shared.door import (
    Door,
    LogId,
    Visitor,
    door_of,
    json_answer,
    listed_headers,
    may_see,
    tagged_answer,
    visitor_of,
)
from api.routes.shared.due import size_seen
from api.routes.shared.freshness import etag_of
from api.routes.shared.listing import ANY, Filtered, Filters, is_day, page_of
from api.routes.shared.requests import parsed
from api.routes.shared.writing import writer_of
from api.shapes.documented import documented
from api.shapes.matches import LogOut, LogPage, MatchPage
from events.envelope import ARCHIVE_LOG, NO_STREAM, TOURNAMENT_STREAM, check_id
from events.errors import BadInput, LogExists
from events.store.protocol import LogHead

MAX_PAGE = 200

PageLimit = Annotated[
    int, Query(ge=1, le=MAX_PAGE, description="Most rows in the answer.", examples=[50])
]

router = APIRouter(tags=["logs"])


class OpenLog(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to open a log."""

    title: str
    """Title of the tournament."""
    log_id: str | None = None
    """Id of the new log, which never changes; a random one that reveals nothing if left out."""
    organiser: str | None = None
    """Who runs it; a personal value, stored as a commitment."""
    place: str | None = None
    """Where it is held; stored as a commitment."""
    starts_on: str | None = None
    """First day, an ISO 8601 date; stored as a commitment."""
    ends_on: str | None = None
    """Last day; stored as a commitment."""
    rules: Mapping[str, object] | None = None
    """Body of `tournament.rules_declared`."""
    defaults: Mapping[str, object] | None = None
    """Body of `tournament.defaults_declared`: defaults for its matches."""
    continues: str | None = None
    """Id of a held log whose newer copy is lost: the opening of the new log names the last signed
    checkpoint of the old one, so that both can always be told apart."""


@router.post(
    "/logs",
    status_code=201,
    operation_id="openLog",
    summary="Open a log for a tournament",
    **documented("LogOut", writes=True, problems=(409,)),
)
async def open_log(request: Request) -> Response:
    """Makes a new log with the first entries of its tournament stream; takes an archivist."""
    door = door_of(request)
    needs = "archivist of the archive"
    visitor = await writer_of(door, request, None, needs=needs)
    if not visitor.hand.opens_tournaments:
        raise visitor.refusal(needs)
    body = await parsed(request, OpenLog)
    if not body.title.strip():
        raise BadInput("a tournament has a title", where="$.title")
    entries = [EntryIn(door.archive.entry_id(), tag, said) for tag, said in _first_of(body)]
    log_id = body.log_id
    if log_id is None:
        # It is part of every sealed entry, even if a committee must not learn whose match it is.
        log_id = str(uuid.UUID(bytes=door.archive.entropy(16), version=4))
    check_id(log_id, "log")
    if body.continues is not None:
        said = await asyncio.to_thread(_continued, door, body.continues)
        first = entries[0]
        entries[0] = msgspec.structs.replace(first, body={**first.body, "continues": said})
    # Checked first, so that a refusal does not leave an empty log behind.
    door.desk.drafts(visitor.hand, log_id, TOURNAMENT_STREAM, entries)
    await asyncio.to_thread(_make_log, door, log_id)
    key = await asyncio.to_thread(door.archive.log_key, log_id)
    if key is not None:
        opened = entries[0]
        entries[0] = msgspec.structs.replace(opened, body={**opened.body, "log_key": key})
    await door.desk.append(
        visitor.hand, log_id, TOURNAMENT_STREAM, entries, expected_version=NO_STREAM
    )
    answer = await asyncio.to_thread(_log, door, visitor, log_id)
    return json_answer(answer, 201, headers={"Location": f"/logs/{log_id}"})


def _continued(door: Door, log_id: str) -> Mapping[str, object]:
    """How the opening refers to the log that it continues. Errors: BadInput, Damaged."""
    signing = door.archive.signing
    last = None if signing is None else signing.keyring.last_checkpoint(log_id)
    if last is None:
        raise BadInput("nothing was signed of that log here", where="$.continues")
    if door.archive.store.why_held(log_id) is None:
        raise BadInput("that log is not held: record in it", where="$.continues")
    return {"log": log_id, "size": last.size, "root": last.root.hex()}


def _first_of(body: OpenLog) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The entries that a tournament begins with."""
    personal = {
        name: value
        for name in ("organiser", "place", "starts_on", "ends_on")
        if (value := getattr(body, name)) is not None
    }
    for name in ("starts_on", "ends_on"):
        check_day(personal.get(name), f"$.{name}")
    ends_on = personal.pop("ends_on", None)
    opened = {"title": body.title, **personal}
    yield "tournament.opened", opened
    if ends_on is not None:
        # The opening has no member for it, and its shape is not to be changed for that.
        yield "tournament.described", {**opened, "ends_on": ends_on}
    if body.rules is not None:
        yield "tournament.rules_declared", body.rules
    if body.defaults is not None:
        yield "tournament.defaults_declared", body.defaults


def check_day(day: str | None, where: str) -> None:
    """Refuse what is no day of the calendar. Errors: BadInput."""
    if day is not None and not is_day(day):
        raise BadInput("a day is written as 2026-05-01", where=where)


def _make_log(door: Door, log_id: str) -> None:
    """An empty log. Errors: LogExists, if a log of that id contains anything."""
    try:
        door.archive.store.open_log(log_id)
    except LogExists:
        # Empty: an earlier attempt failed between the log and its first entry.
        if door.archive.store.log_head(log_id).size:
            raise


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
    after = read_cursor(cursor, str) if cursor else ""
    value = await asyncio.to_thread(_log_page, door, visitor, after, limit)
    value.logs = [await _with_root(door, one) for one in value.logs]
    return json_answer(value, headers=listed_headers(visitor))


@router.get(
    "/logs/{log}",
    operation_id="getLog",
    summary="Read a log's title, size and root",
    **documented("LogOut", problems=(404,), is_view=True),
)
async def get_log(request: Request, log: LogId) -> Response:
    """Title and size of the log, root over all its entries, and number of its matches."""
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    value = await asyncio.to_thread(_log, door, visitor, log)
    if not may_see(door, visitor, log):
        raise visitor.refusal("viewer of the log")
    value = await _with_root(door, value)
    etag = etag_of(msgspec.json.encode(value))
    return tagged_answer(request, value, {"ETag": etag, **listed_headers(visitor)})


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
    """In the order in which they were opened; the public gets only public ones.

    Filters compare only values that the reader is shown, not withheld names. A page of a filtered
    list may be short, or empty, and yet have a `next_cursor`.
    """
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    await asyncio.to_thread(door.archive.store.log_head, log)
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
) -> MatchPage:
    """One page of a log's matches, as the visitor may see them."""
    values, place = await page_of(door, visitor, log_id, filters, after=after, limit=limit)
    return MatchPage(values, None if place is None else write_cursor(place))


def _log_page(door: Door, visitor: Visitor, after: str, limit: int) -> LogPage:
    heads = door.archive.store.logs()
    door.index.catch_up()
    values: list[LogOut] = []
    for head in heads:
        if head.log_id <= after:
            continue
        seen = _in_log(door, visitor, head.log_id)
        if head.log_id == ARCHIVE_LOG and not seen.hand.may_read(ARCHIVE_LOG):
            continue
        if may_see(door, seen, head.log_id):
            if len(values) == limit:
                return LogPage(values, write_cursor(values[-1].log_id))
            values.append(_log_of(door, seen, head))
    return LogPage(values, None)


def _in_log(door: Door, visitor: Visitor, log_id: str) -> Visitor:
    """The visitor, with the grants that apply in another log."""
    if visitor.token_sha256 is None:
        return visitor
    grants = door.reading.grants(log_id, visitor.token_sha256)
    return Visitor(Hand(grants), visitor.token_sha256)


def _log(door: Door, visitor: Visitor, log_id: str) -> LogOut:
    head = door.archive.store.log_head(log_id)
    door.index.catch_up([log_id])
    return _log_of(door, visitor, head)


def _log_of(door: Door, visitor: Visitor, head: LogHead) -> LogOut:
    public_only = not visitor.hand.may_read(head.log_id)
    is_granted = bool(visitor.hand.grants)
    size = size_seen(door, head.log_id, head.size, is_granted=is_granted)
    return LogOut(
        log_id=head.log_id,
        title=title_of(door.reading, head.log_id),
        size=size,
        root=head.root.hex() if size == head.size else "",
        matches=door.index.count(head.log_id, public_only=public_only),
        tournament=None if public_only else tournament_line(door.reading, head.log_id),
    )


async def _with_root(door: Door, log: LogOut) -> LogOut:
    """The same, with the root over the entries that may be counted, if these are not all."""
    if log.root:
        return log
    standing = await door.trees.now(log.log_id)
    return msgspec.structs.replace(log, root=standing.tree.root(log.size).hex())
