"""Pages of the director's room: the list of tournaments, a tournament's room, the archive."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated
from urllib.parse import quote

import orjson
from fastapi import APIRouter, Query, Request, Response
from starlette.responses import RedirectResponse

from api.archive.archive import UNNAMED
from api.archive.erasing import Lingering, lingering
from api.archive.tournaments import archive_title, title_of
from api.desk.hand import Hand
from api.html.templates import Values, page
from api.routes.shared.cookie import csrf_for
from api.routes.shared.door import Door, LogId, Visitor, door_of, json_answer, visitor_of
from api.routes.shared.erasing import may_erase
from api.routes.shared.reach import origin_of_hall, unreachable
from api.routes.shared.sight import title_in
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from projections.rules.shelf import SHELF

router = APIRouter(include_in_schema=False)

CitedSet = Annotated[str, Query(max_length=64)]
CitedSection = Annotated[str, Query(max_length=128)]

_PRIVATE = {"Cache-Control": "private, no-cache"}


@router.get("/room")
async def rooms(request: Request) -> Response:
    """The tournaments that the visitor may direct; a visitor without a session must sign in."""
    door = door_of(request)
    visitor = await visitor_of(door, request, None)
    if visitor.token_sha256 is None:
        return _to_sign_in("/room")
    found = await asyncio.to_thread(_directed, door, visitor.token_sha256)
    archive = await asyncio.to_thread(_archive_of, door, visitor)
    return await page(
        request,
        "rooms.html",
        headers=_PRIVATE,
        logs=found,
        alarms=list(_alarms(door, [*found, *([archive] if archive else [])])),
        may_open=visitor.hand.opens_tournaments,
        may_erase=await asyncio.to_thread(may_erase, door, visitor),
        archive=archive,
        rule_sets=_rule_sets(),
        csrf=csrf_for(request),
    )


@router.get("/room/{log}")
async def room(request: Request, log: LogId) -> Response:
    """The room of one tournament. Errors: NoSuchLog, Problem 401 or 403."""
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    if visitor.token_sha256 is None:
        return _to_sign_in(f"/room/{log}")
    if log == ARCHIVE_LOG:
        return await _archive(request, door, visitor)
    await asyncio.to_thread(door.archive.store.log_head, log)
    if not _directs(visitor, log):
        raise visitor.refusal("director of the tournament")
    title = await asyncio.to_thread(title_of, door.reading, log)
    sections = await asyncio.to_thread(_sections, door, log)
    return await page(
        request,
        "room.html",
        headers=_PRIVATE,
        log_id=log,
        title=title or log,
        origin=origin_of_hall(door, request),
        unreachable=unreachable(door, request),
        sections=sections,
        titles={rule_set: profile.title for rule_set, profile in SHELF.items()},
        rule_sets=_rule_sets(),
        lingering=await asyncio.to_thread(_lingering, door, log),
        csrf=csrf_for(request),
    )


@router.get("/room/{log}/text")
async def text(request: Request, log: LogId, rule_set: CitedSet, section: CitedSection) -> Response:
    """A section's text as the tournament has loaded it, for its directors; null if not loaded.

    Errors: NoSuchLog, Problem 401 or 403. Loaded texts are only shown, never exported.
    """
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    await asyncio.to_thread(door.archive.store.log_head, log)
    if not _directs(visitor, log):
        raise visitor.refusal("director of the tournament")
    told = await asyncio.to_thread(door.texts.text_of, log, rule_set, section)
    return json_answer({"text": told}, headers={"Cache-Control": "private, no-store"})


async def _archive(request: Request, door: Door, visitor: Visitor) -> Response:
    """The page of the archive: its title, and roles over all tournaments. Errors: Problem 403."""
    archive = await asyncio.to_thread(_archive_of, door, visitor)
    if archive is None:
        raise visitor.refusal("director of the whole archive")
    return await page(
        request,
        "archive.html",
        headers=_PRIVATE,
        archive=archive,
        lingering=await asyncio.to_thread(_lingering, door, ARCHIVE_LOG),
        csrf=csrf_for(request),
    )


def _archive_of(door: Door, visitor: Visitor) -> dict[str, str | None] | None:
    """The archive's data, if the visitor may edit it, else None. Reads the store."""
    if not visitor.hand.may_append(ARCHIVE_LOG, TOURNAMENT_STREAM, "tournament.described"):
        return None
    return {"id": ARCHIVE_LOG, "title": archive_title(door.reading), "unnamed": UNNAMED}


def _rule_sets() -> str:
    """The known rule sets for forms, as JSON: id, title and options."""
    shelf = [
        {
            "id": rule_set,
            "title": profile.title,
            "options": dict(profile.options),
            "choices": dict(profile.choices),
        }
        for rule_set, profile in sorted(SHELF.items())
    ]
    return orjson.dumps(shelf).decode()


def _sections(door: Door, log_id: str) -> dict[str, list[dict[str, str | bool]]]:
    """All sections of all rule sets, each with whether its text is loaded. Reads files."""
    told: dict[str, list[dict[str, str | bool]]] = {}
    for rule_set, profile in sorted(SHELF.items()):
        loaded = door.texts.sections_for(log_id, profile)
        told[rule_set] = [
            {"section": number, "caption": caption, "is_loaded": number in loaded}
            for number, caption in sorted(profile.contents.items())
        ]
    return told


def _directed(door: Door, token_sha256: str) -> list[dict[str, str]]:
    """The tournaments that the visitor may direct. Reads the store."""
    ids = [head.log_id for head in door.archive.store.logs() if head.log_id != ARCHIVE_LOG]
    return [
        {"id": log_id, "title": title_in(door, log_id)}
        for log_id in ids
        if _directs(Visitor(Hand(door.reading.grants(log_id, token_sha256))), log_id)
    ]


def _alarms(door: Door, logs: Sequence[Mapping[str, str | None]]) -> Iterator[Values]:
    """Warnings above the list of rooms: logs that are held, or that witnesses refuse to sign.

    Also of the archive's own log, which has no room to show it.
    """
    for log in logs:
        log_id = str(log["id"])
        held = door.archive.store.why_held(log_id)
        told = [("held", held)] if held else []
        told += [("refused", why) for why in door.collector.refused(log_id).values()]
        for kind, why in told:
            yield {"title": log["title"] or UNNAMED, "kind": kind, "why": why}


def _lingering(door: Door, log_id: str) -> list[Lingering]:
    """Erased values that may still be in copies of the database. Reads the store."""
    archive, days = door.archive, door.settings.backup_days
    return lingering(archive, log_id, now_ms=archive.now_ms(), backup_days=days)


def _directs(visitor: Visitor, log_id: str) -> bool:
    return visitor.hand.may_append(log_id, TOURNAMENT_STREAM, "lease.granted")


def _to_sign_in(path: str) -> Response:
    return RedirectResponse(f"/session?next={quote(path)}", 303, {"Cache-Control": "no-store"})
