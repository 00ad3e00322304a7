"""Files that entries name by their hash: uploaded once under that hash, and downloaded."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.responses import FileResponse

from api.archive.files import IMAGES, MAX_FILE_BYTES, OCTETS, Incoming, media_type_of
from api.desk.borrowed import streams_naming
from api.desk.cases import Case, case_in, committee_showing
from api.desk.embargo import embargo, is_embargoed
from api.desk.entries import EntryIn
from api.desk.hand import Hand, hand_of
from api.html.kept import is_known
from api.refusals import Problem
from api.routes.shared.cases import note_opening
from api.routes.shared.directors import director_of
from api.routes.shared.door import Door, LogId, Visitor, door_of, json_answer, sight_of, visitor_of
from api.routes.shared.freshness import VARY
from api.routes.shared.writing import writer_of
from api.shapes.devices import FileOut
from api.shapes.documented import documented
from events.envelope import TOURNAMENT_STREAM
from events.payloads.access import Role
from events.payloads.custody import DisclosureErased
from events.payloads.dispute import EvidenceAttached

FileHash = Annotated[
    str,
    Path(
        pattern="^[0-9a-f]{64}$",
        description="Hex SHA-256 of the file's bytes.",
        examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    ),
]

OfMatch = Annotated[
    str | None,
    Query(description="Match whose record shows the file.", examples=["r3-t07-9c41"]),
]

SENDERS = frozenset({Role.ARCHIVIST, Role.DIRECTOR, Role.SCRIBE})
"""Roles that may send a file, because they record."""

READERS = SENDERS | {Role.VIEWER}
"""Roles that may see all files of a log; a committee sees those of its match (`showing.py`)."""

_CHUNK = 1 << 20

router = APIRouter(tags=["files"])


@router.put(
    "/logs/{log}/files/{sha256}",
    status_code=201,
    operation_id="putFile",
    summary="Upload a file",
    **documented(FileOut, also=200, writes=True, problems=(404, 410, 507)),
)
async def put_file(request: Request, log: LogId, sha256: FileHash) -> Response:
    """A photo, a video or a sheet of at most 50 MB; 200 if the log has the file already.

    An entry `evidence.attached` says what it shows. Its media type is kept from `Content-Type`.
    """
    door = door_of(request)
    visitor = await writer_of(door, request, log, is_streamed=True)
    if not any(grant.role in SENDERS for grant in visitor.hand.grants):
        raise visitor.refusal("scribe or director here")
    await asyncio.to_thread(door.archive.store.log_head, log)
    await asyncio.to_thread(_check_erased, door, log, sha256)
    media_type = media_type_of(request.headers.get("content-type"))
    try:
        size, is_new = await _keep(door, request, log, sha256, media_type)
    except OSError as error:
        # The disk is full, or the folder is not ours: nothing was stored.
        detail = f"the file cannot be kept: {error.strerror}"
        raise Problem("store-failed", detail) from error
    if await asyncio.to_thread(_is_erased, door, log, sha256):
        # It was erased while it was being received: the erasure has not found it.
        await asyncio.to_thread(door.files.erase, log, sha256)
        await asyncio.to_thread(_check_erased, door, log, sha256)
    found = door.files.find(log, sha256)
    value = FileOut(sha256, size, media_type if found is None else found.media_type)
    headers = {"Location": f"/logs/{log}/files/{sha256}"}
    return json_answer(value, 201 if is_new else 200, headers=headers)


@router.head("/logs/{log}/files/{sha256}", include_in_schema=False)
@router.get(
    "/logs/{log}/files/{sha256}",
    operation_id="getFile",
    summary="Download a file",
    **documented(None, problems=(404, 410), is_view=True),
)
async def get_file(
    request: Request, log: LogId, sha256: FileHash, match: OfMatch = None
) -> Response:
    """For holders of a grant over the log; for a committee if it is evidence in its match or case.

    A committee from which the players are kept secret gets no files. A browser displays only
    images. A `Range` other than a single satisfiable one is ignored: the whole file is sent.
    """
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    if not await asyncio.to_thread(_may_read, door, visitor, log, sha256):
        await _check_evidence(request, log, match or _match_of(visitor, log), sha256)
    await asyncio.to_thread(door.archive.store.log_head, log)
    await asyncio.to_thread(_check_erased, door, log, sha256)
    found = await asyncio.to_thread(door.files.find, log, sha256)
    if found is None:
        raise Problem("no-such-file", "this log has no file of this hash")
    shows = found.media_type in IMAGES
    headers = {
        "ETag": f'"{sha256}"',
        # Somebody who loses the grant must not be shown it again from a cache.
        "Cache-Control": "private, no-cache",
        "Vary": VARY,
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Content-Disposition": f'{"inline" if shows else "attachment"}; filename="{sha256[:16]}"',
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    await asyncio.to_thread(door.files.check, found)
    _ask_for_one_part(request, found.size)
    return FileResponse(found.path, headers=headers, media_type=found.media_type or OCTETS)


def _ask_for_one_part(request: Request, size: int) -> None:
    """Keep a `Range` header only if it names one part that exists; otherwise ignore it.

    No server has to honour a range (RFC 9110 14.2), and refusals here are problem documents.
    """
    asked = _PART.fullmatch(request.headers.get("range", ""))
    first, last = ("", "") if asked is None else asked.groups()
    is_there = int(first) < size if first else int(last or 0) > 0
    if is_there and int(first or 0) <= int(last or size):
        return
    scope = request.scope
    scope["headers"] = [one for one in scope["headers"] if one[0].lower() != b"range"]


_PART = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")


@router.delete(
    "/logs/{log}/files/{sha256}",
    status_code=204,
    operation_id="eraseFile",
    summary="Erase a file",
    **documented(None, success=204, writes=True, problems=(404,)),
)
async def erase_file(request: Request, log: LogId, sha256: FileHash) -> Response:
    """For a director: `disclosure.erased` records its hash, then the bytes are deleted for good.

    Entries that name the file stay, and so do all proofs. The same bytes are refused afterwards.
    """
    door = door_of(request)
    visitor = await director_of(request, log)
    if not await asyncio.to_thread(_is_erased, door, log, sha256):
        if await asyncio.to_thread(door.files.find, log, sha256) is None:
            raise Problem("no-such-file", "this log has no file of this hash")
        said = EntryIn(door.archive.entry_id(), "disclosure.erased", {"commitments": [sha256]})
        accesses = await asyncio.to_thread(door.reading.accesses, log)
        hand = hand_of(accesses, visitor.token_sha256 or "", erases_file=True)
        await door.desk.append(hand, log, TOURNAMENT_STREAM, [said], expected_version=None)
    try:
        # Even if its erasure was recorded before: a crash may have come between the two.
        await asyncio.to_thread(door.files.erase, log, sha256)
    except OSError as error:
        detail = f"the file cannot be erased: {error.strerror}"
        raise Problem("store-failed", detail) from error
    return Response(status_code=204)


def _check_erased(door: Door, log_id: str, sha256: str) -> None:
    if _is_erased(door, log_id, sha256):
        raise Problem("erased", "this file was erased from the log")


def _is_erased(door: Door, log_id: str, sha256: str) -> bool:
    recorded = door.reading.peek(log_id, TOURNAMENT_STREAM).recorded
    return any(
        isinstance(event.payload, DisclosureErased) and sha256 in event.payload.commitments
        for event in recorded
    )


async def _keep(
    door: Door, request: Request, log_id: str, sha256: str, media_type: str
) -> tuple[int, bool]:
    """Size of the file that comes in, and whether the log did not have it. Errors: OSError."""
    incoming = await asyncio.to_thread(door.files.incoming)
    try:
        await _receive(request, incoming)
        if incoming.sha256 != sha256:
            detail = f"{incoming.size} bytes came in, and their hash is another"
            raise Problem("wrong-hash", detail, sha256=incoming.sha256)
        is_known = await asyncio.to_thread(door.files.find, log_id, sha256) is not None
        if not is_known and not await asyncio.to_thread(door.files.has_room, log_id, incoming.size):
            raise Problem("no-room", "this log keeps as many bytes of files as it may")
        is_new = await asyncio.to_thread(door.files.keep, log_id, incoming, media_type)
    finally:
        await asyncio.to_thread(incoming.discard)
    return incoming.size, is_new


def _match_of(visitor: Visitor, log_id: str) -> str | None:
    """The match to which the visitor's grants are limited; None if there is no single one."""
    found = {grant.match for grant in visitor.hand.grants if grant.log_id == log_id}
    return found.pop() if len(found) == 1 else None


async def _check_evidence(request: Request, log: str, match: str | None, sha256: str) -> None:
    """Whether the visitor may see the file in this match. Errors: Problem."""
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    case = await asyncio.to_thread(_case_with, door, visitor, log, sha256)
    if case is not None and case.seat is not None:
        # Looking at the photo alone counts as opening the case too.
        member = Visitor(Hand([case.seat], is_at_case=True), visitor.token_sha256)
        await note_opening(door, case, member, case.through)
        return
    if match is None or not visitor.hand.may_read(log, match):
        raise visitor.refusal("viewer of the log")
    seen = await sight_of(request, log, match)
    why = seen.showing.why_file()
    shown = seen.live.recorded[: seen.version]
    if why is not None or not any(_names_file(event.payload, sha256) for event in shown):
        raise visitor.refusal("viewer of the log, or of the match that shows it as evidence")


def _case_with(door: Door, visitor: Visitor, log_id: str, sha256: str) -> Case | None:
    """The case in which the file is shown to the member who asks.

    Reads the store. A seat is not a grant over a match: it opens only its case, as far as that was
    given out.
    """
    token = visitor.token_sha256
    seat = None if token is None else door.reading.access(log_id).grant_of(token)
    if seat is None or seat.case is None:
        return None
    found = case_in(door.reading, log_id, seat.case, seat=seat)
    shown = committee_showing(door.reading, log_id, found.live, case=found.case_id)
    given = found.live.recorded[: found.through]
    if seat.member not in found.appeal.members or shown.why_file() is not None:
        return None
    return found if any(_names_file(one.payload, sha256) for one in given) else None


def _names_file(payload: object, sha256: str) -> bool:
    """Whether an entry, or the content of a correction, names the file as evidence."""
    told = getattr(payload, "replacement", None) or payload
    return isinstance(told, EvidenceAttached) and told.file == sha256


def _may_read(door: Door, visitor: Visitor, log_id: str, sha256: str) -> bool:
    """Whether a grant covers the log, or a match that names the file as evidence.

    A viewer is outside every case, and a photo can show who plays. Errors: Problem.
    """
    roles = {
        grant.role
        for grant in visitor.hand.grants
        if grant.role in READERS
        and (
            grant.covers(log_id)
            or (grant.match is not None and _is_evidence(door, log_id, grant.match, sha256))
        )
    }
    if roles == {Role.VIEWER} and _is_kept_in_case(door, visitor, log_id, sha256):
        raise embargo()
    return bool(roles)


def _is_kept_in_case(door: Door, visitor: Visitor, log_id: str, sha256: str) -> bool:
    """Whether an appeal closes all matches with the file, of those the visitor reads, to outsiders.

    Reads the store.
    """
    store, reading = door.archive.store, door.reading

    def is_kept(stream_id: str) -> bool:
        return is_embargoed(reading, log_id, reading.live(log_id, stream_id))

    appealed = {row.stream_id for row in store.read_tagged(log_id, "appeal.filed")}
    if not any(map(is_kept, appealed)):
        return False
    shown = streams_naming(store, log_id, sha256)
    read = [stream for stream in shown if visitor.hand.may_read(log_id, stream)]
    return bool(read) and all(map(is_kept, read))


def _is_evidence(door: Door, log_id: str, match_id: str, sha256: str) -> bool:
    recorded = door.reading.live(log_id, match_id).recorded
    return any(_names_file(event.payload, sha256) for event in recorded)


async def _receive(request: Request, incoming: Incoming) -> None:
    """Write the body to the disk as it arrives. Errors: Problem, OSError."""
    waiting = bytearray()
    async for chunk in request.stream():
        waiting += chunk
        if incoming.size + len(waiting) > MAX_FILE_BYTES:
            raise Problem(
                "too-large",
                f"a file has at most {MAX_FILE_BYTES} bytes",
                headers={"Connection": "close"},
            )
        if len(waiting) >= _CHUNK:
            await asyncio.to_thread(incoming.write, bytes(waiting))
            waiting.clear()
    await asyncio.to_thread(incoming.write, bytes(waiting))
