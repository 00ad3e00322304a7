"""The page to erase a person: search, list of places, and erasure after confirmation."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from api.archive.tournaments import archive_title
from api.html.templates import HEADERS, Values, rendered
from api.refusals import Problem
from api.routes.shared.cookie import csrf_for, is_csrf, session_token
from api.routes.shared.door import Door, Visitor, door_of, visitor_of, visitor_with
from api.routes.shared.erasing import ErasePerson, erasure, logs_kept
from api.routes.shared.sight import title_in
from api.shapes.erasing import ErasablePlace, Erasure
from events.envelope import ARCHIVE_LOG
from events.errors import BadInput

PATH = "/erasing"

_MOST_BYTES = 8_192
_MOST_FIELDS = 8
_LONGEST = 200

router = APIRouter(include_in_schema=False)

_PRIVATE = {"Cache-Control": "private, no-store"}


@router.get(PATH)
async def erasing(request: Request) -> Response:
    """The form to search for a person, for archivists of one tournament or of all."""
    door = door_of(request)
    visitor = await visitor_of(door, request, None)
    if visitor.token_sha256 is None:
        return _to_sign_in()
    return await _page(request, door, visitor, {})


@router.post(PATH)
async def erase(request: Request) -> Response:
    """Handles the page's forms; without `confirm` it only searches. Works without JavaScript."""
    door = door_of(request)
    form = _form(await request.body())
    token = session_token(request)
    if token is None:
        return _to_sign_in()
    log = form.get("log") or None
    visitor = await visitor_with(door, token, log)
    if visitor is None:
        raise Problem("not-authenticated", "this token is unknown, or was revoked")
    body = ErasePerson(
        name=form.get("name", "").strip()[:_LONGEST],
        confirm=form.get("confirm"),
        words="words" in form,
        log=log,
    )
    asked: Values = {"name": body.name, "log": log or "", "words": body.words}
    if not is_csrf(form.get("csrf", ""), request):
        # The CSRF value is of an earlier session or missing: the form must be sent again.
        asked["reason"] = "refused.signed_in_anew"
        return await _page(request, door, visitor, asked, status=403)
    try:
        told = await erasure(door, visitor, body)
    except Problem as problem:
        if problem.why is None:
            raise
        asked["reason"] = f"refused.{problem.why[0]}"
        return await _page(request, door, visitor, asked)
    except BadInput as error:
        if error.where != "$.confirm":
            return await _page(request, door, visitor, {**asked, "reason": "erasing.no_name"})
        told = await erasure(door, visitor, _unconfirmed(body))
        asked["reason"] = "erasing.otherwise"
    shown = await asyncio.to_thread(_told, door, told)
    return await _page(request, door, visitor, {**asked, **shown})


def _to_sign_in() -> Response:
    return RedirectResponse(f"/session?next={PATH}", 303, {"Cache-Control": "no-store"})


def _unconfirmed(body: ErasePerson) -> ErasePerson:
    return ErasePerson(name=body.name, words=body.words, log=body.log)


async def _page(
    request: Request, door: Door, visitor: Visitor, values: Values, *, status: int = 200
) -> Response:
    logs = await asyncio.to_thread(_logs, door, visitor)
    if not logs:
        raise visitor.refusal("archivist of a tournament, or of the archive")
    shown: Values = {"name": "", "log": "", "words": False, "reason": None, "told": None}
    shown |= {**values, "logs": logs, "csrf": csrf_for(request)}
    text = await asyncio.to_thread(rendered, request, "erasing.html", **shown)
    return Response(text.encode(), status, {**HEADERS, **_PRIVATE}, "text/html")


def _logs(door: Door, visitor: Visitor) -> list[tuple[str, str]]:
    """(id, title) of the logs in which the visitor may erase; the id "" means all."""
    kept = [(one, _title(door, one)) for one in logs_kept(door, visitor)]
    return [("", ""), *kept] if visitor.hand.opens_tournaments else kept


def _title(door: Door, log_id: str) -> str:
    if log_id == ARCHIVE_LOG:
        return archive_title(door.reading) or ""
    return title_in(door, log_id)


def _told(door: Door, told: Erasure) -> Values:
    titles = {one.log_id: _title(door, one.log_id) for one in [*told.found, *told.still_mentioned]}
    return {
        "told": told,
        "found": _lines(told.found, titles),
        "left": _lines(told.left, titles),
        "held": [_title(door, one) or one for one in told.held],
        "mentioned": _lines(told.still_mentioned, titles),
        "is_over": bool(told.erased or told.held),
    }


def _lines(places: list[ErasablePlace], titles: dict[str, str]) -> list[Values]:
    """Each place of the person: tournament, entry and member, in the order of the log."""
    return [
        {
            "title": titles.get(one.log_id) or one.log_id,
            "is_archive": one.log_id == ARCHIVE_LOG,
            "entry": one.global_position,
            "is_parked": one.global_position < 0,
            "path": one.path,
        }
        for one in places
    ]


def _form(raw: bytes) -> dict[str, str]:
    """The first value of each field. Errors: BadInput."""
    try:
        if len(raw) > _MOST_BYTES:
            raise ValueError
        found = parse_qs(raw.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise BadInput("the form of the page is taken here, and nothing larger") from None
    return {name: values[0] for name, values in found.items()}
