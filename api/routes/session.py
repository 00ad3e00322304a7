"""Signing in and out: a browser gets a session, and no URL ever holds a token."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import parse_qs

import msgspec
from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from api.archive.archive import token_hash
from api.desk.pairing import ALPHABET, normal, spaced
from api.html.templates import Values, page
from api.refusals import KINDS, Problem
from api.routes.shared.cookie import (
    check_csrf,
    check_origin,
    cookie,
    csrf_for,
    is_csrf,
    is_token,
    local_path,
    session_token,
    session_word,
)
from api.routes.shared.door import Door, door_of
from api.routes.shared.entering import Admitted, admitted
from api.routes.shared.guessing import check_guesser, guessed_wrong
from api.routes.shared.requests import parsed
from api.shapes.documented import documented
from events.errors import BadInput
from events.store.address import FileAddress, parse_address

FORM = "application/x-www-form-urlencoded"

router = APIRouter(tags=["session"])


class OpenSession(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to sign in: a token, or a one-time code."""

    token: str | None = None
    """The token, as it was shown when it was made."""
    code: str | None = None
    """A one-time code; capitals, spaces and hyphens do not matter. It can be used once."""


@router.post(
    "/session",
    status_code=204,
    operation_id="openSession",
    summary="Sign in with a token, or with a one-time code",
    **documented(
        None, success=204, is_open=True, problems=(400, 401, 403, 413, 422, 429, 500, 503)
    ),
)
async def open_session(request: Request) -> Response:
    """Starts a session in an HttpOnly cookie; it ends with the browser, or when it expires.

    A one-time code is used up: it is exchanged for a token that is never shown. The form of a page
    (`application/x-www-form-urlencoded`) is answered by 303, or by a page with the reason.

    Requests with the cookie have the token's grants. Writes with the cookie also need the header
    `X-Tabularium-CSRF`, which pages send. A bearer token takes precedence over the cookie.
    """
    check_origin(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == FORM:
        return await _by_form(request)
    await check_guesser(request)
    body = await parsed(request, OpenSession)
    if (body.token is None) == (body.code is None):
        raise BadInput("send the token or the code, one of them", where="$.token")
    if body.code is not None:
        entered = await _exchange(request, body.code)
        headers = {**_begun(request, entered.token), "Content-Location": entered.path}
        return Response(status_code=204, headers=headers)
    token = body.token or ""
    await _check(request, token)
    return Response(status_code=204, headers=_begun(request, token))


@router.delete(
    "/session",
    status_code=204,
    operation_id="closeSession",
    summary="Sign out",
    **documented(None, success=204, is_open=True, problems=(403, 500)),
)
async def close_session(request: Request) -> Response:
    """Ends the session and deletes its cookie; copies of the cookie become invalid.

    The token itself stays in force until its grant is revoked.
    """
    if session_token(request) is not None:
        check_csrf(request)
    return Response(status_code=204, headers=_ended(request))


@router.get("/session", include_in_schema=False)
async def session_page(request: Request) -> Response:
    """The page to sign in, or to sign out where somebody has signed in.

    A code in the address is filled in, and nothing more: whoever looks at a link, such as a
    programme that shows what is behind it, uses nothing up and learns nothing of it.
    """
    token = session_token(request)
    is_in = token is not None and await asyncio.to_thread(door_of(request).reading.knows, token)
    next_path = local_path(request.query_params.get("next"))
    code = _shown_code(request.query_params.get("code"))
    return await _page(
        request, next_path=next_path, code=code, csrf=csrf_for(request) if is_in else None
    )


async def _by_form(request: Request) -> Response:
    """The value that the page's forms send; it works without JavaScript."""
    form = _form(await request.body())
    if "csrf" in form:
        if session_token(request) is not None and not is_csrf(form["csrf"][0], request):
            raise Problem("csrf", "this form is not of the page to sign out")
        return RedirectResponse("/session", 303, _ended(request))
    next_path = local_path(form.get("next", [None])[0])
    if "code" in form:
        return await _by_code(request, form["code"][0], next_path)
    token = form.get("token", [""])[0].strip()
    try:
        await _check(request, token)
    except Problem as problem:
        return await _page(request, next_path=next_path, problem=problem)
    return RedirectResponse(next_path, 303, _begun(request, token))


async def _by_code(request: Request, code: str, next_path: str) -> Response:
    """A one-time code from the page's form; its holder is sent to where the role can be used."""
    try:
        entered = await _exchange(request, code)
    except Problem as problem:
        wrong = "session.too_often" if problem.slug == "too-often" else "session.code_wrong"
        shown = _shown_code(code)
        return await _page(request, next_path=next_path, code=shown, problem=problem, wrong=wrong)
    return RedirectResponse(entered.path, 303, _begun(request, entered.token))


async def _exchange(request: Request, code: str) -> Admitted:
    """The grant that a code gives. Errors: Problem."""
    door = door_of(request)
    await check_guesser(request)
    entered = await admitted(door, code)
    if entered is None:
        await guessed_wrong(request)
        raise Problem("not-authenticated", "this code is unknown, was used, or its hour is over")
    return entered


def _shown_code(given: str | None) -> str:
    """A code from the address, as the page fills it in; empty if it cannot be a code."""
    code = normal(given or "")
    return spaced(code) if re.fullmatch(f"[{ALPHABET}]{{8}}", code) else ""


def _form(raw: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(raw.decode("utf-8", "replace"), max_num_fields=8)
    except ValueError:
        raise BadInput("a form of at most 8 fields is taken here") from None


async def _check(request: Request, token: str) -> None:
    """Whether the token is valid anywhere. Errors: Problem."""
    door = door_of(request)
    await check_guesser(request)
    if not is_token(token) or not await asyncio.to_thread(_is_known, door, token):
        await guessed_wrong(request)
        raise Problem("not-authenticated", "this token is unknown, or was revoked")


def _is_known(door: Door, token: str) -> bool:
    return door.reading.knows(token_hash(token))


def _begun(request: Request, token: str) -> dict[str, str]:
    """A new session; the browser's previous session ends, whoever's it was."""
    _end(request)
    return _kept(request, door_of(request).sessions.begin(token_hash(token)))


def _ended(request: Request) -> dict[str, str]:
    _end(request)
    return _kept(request, None)


def _end(request: Request) -> None:
    word = session_word(request)
    if word is not None:
        door_of(request).sessions.end(word)
        door_of(request).hub.signed_out(word)


def _kept(request: Request, word: str | None) -> dict[str, str]:
    set_cookie = cookie(word, is_secure=request.url.scheme == "https")
    return {"Set-Cookie": set_cookie, "Cache-Control": "no-store"}


async def _page(
    request: Request,
    *,
    next_path: str,
    code: str = "",
    csrf: str | None = None,
    problem: Problem | None = None,
    wrong: str | None = None,
) -> Response:
    values: Values = {"next_path": next_path, "code": code, "csrf": csrf, "wrong": wrong}
    status, headers = 200, {"Cache-Control": "private, no-store"}
    if problem is not None:
        status = KINDS[problem.slug].status
        headers.update(problem.headers)
        values["wrong"] = wrong or ("session.too_often" if status == 429 else "session.wrong")
    values["is_code_wrong"] = wrong is not None
    door = door_of(request)
    values["has_file"] = isinstance(parse_address(door.archive.url), FileAddress)
    values["hours"] = door.settings.session_hours
    return await page(request, "session.html", status=status, headers=headers, **values)
