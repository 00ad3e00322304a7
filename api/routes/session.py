"""Signing in and out: a browser's token goes into a cookie, never into an address."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs

import msgspec
from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from api.archive import token_hash
from api.pages.templates import page
from api.problems import KINDS, Problem
from api.routes.door import Door, door_of
from api.routes.requests import parsed
from api.schemas import documented
from api.session import (
    check_csrf,
    check_origin,
    cookie,
    csrf_for,
    is_csrf,
    is_token,
    local_path,
    session_token,
)
from events.errors import BadInput

FORM = "application/x-www-form-urlencoded"

router = APIRouter(tags=["session"])


class OpenSession(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to sign in."""

    token: str
    """The token, as it was shown once."""


@router.post(
    "/session",
    status_code=204,
    operation_id="openSession",
    summary="Sign in with a token",
    **documented(
        None, success=204, is_open=True, problems=(400, 401, 403, 413, 422, 429, 500, 503)
    ),
)
async def open_session(request: Request) -> Response:
    """The token goes into a cookie that no script reads and that ends with the browser.

    Requests with the cookie act with the token's grants. Writes by cookie take the header
    `X-Tabularium-CSRF`, which pages carry; a bearer token goes before the cookie.
    """
    check_origin(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == FORM:
        return await _by_form(request)
    token = parsed(await request.body(), OpenSession).token
    await _check(request, token)
    return Response(status_code=204, headers=_kept(request, token))


@router.delete(
    "/session",
    status_code=204,
    operation_id="closeSession",
    summary="Sign out",
    **documented(None, success=204, is_open=True, problems=(403, 500)),
)
async def close_session(request: Request) -> Response:
    """The cookie is taken away. The token itself stays in force until its grant is revoked."""
    token = session_token(request)
    if token is not None:
        check_csrf(request, token)
    return Response(status_code=204, headers=_kept(request, None))


@router.get("/session", include_in_schema=False)
async def session_page(request: Request) -> Response:
    """The page to sign in, or to sign out where somebody has signed in."""
    token = session_token(request)
    is_in = token is not None and await asyncio.to_thread(_is_known, door_of(request), token)
    next_path = local_path(request.query_params.get("next"))
    return await _page(request, next_path=next_path, csrf=csrf_for(request) if is_in else None)


async def _by_form(request: Request) -> Response:
    """What the page's forms send; it works without JavaScript."""
    form = _form(await request.body())
    if "csrf" in form:
        token = session_token(request)
        if token is not None and not is_csrf(form["csrf"][0], token):
            raise Problem("csrf", "this form is not of the page to sign out")
        return RedirectResponse("/session", 303, _kept(request, None))
    next_path = local_path(form.get("next", [None])[0])
    token = form.get("token", [""])[0].strip()
    try:
        await _check(request, token)
    except Problem as problem:
        return await _page(request, next_path=next_path, problem=problem)
    return RedirectResponse(next_path, 303, _kept(request, token))


def _form(raw: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(raw.decode("utf-8", "replace"), max_num_fields=8)
    except ValueError:
        raise BadInput("a form of at most 8 fields is taken here") from None


async def _check(request: Request, token: str) -> None:
    """Whether the token is in force anywhere. Errors: Problem."""
    door = door_of(request)
    door.attempts.check(request)
    if not is_token(token) or not await asyncio.to_thread(_is_known, door, token):
        door.attempts.failed(request)
        raise Problem("not-authenticated", "this token is unknown, or was revoked")


def _is_known(door: Door, token: str) -> bool:
    return door.reading.knows(token_hash(token))


def _kept(request: Request, token: str | None) -> dict[str, str]:
    set_cookie = cookie(token, is_secure=request.url.scheme == "https")
    return {"Set-Cookie": set_cookie, "Cache-Control": "no-store"}


async def _page(
    request: Request,
    *,
    next_path: str,
    csrf: str | None = None,
    problem: Problem | None = None,
) -> Response:
    values: dict[str, Any] = {"next_path": next_path, "csrf": csrf, "wrong": None}
    status, headers = 200, {"Cache-Control": "private, no-store"}
    if problem is not None:
        status = KINDS[problem.slug].status
        headers.update(problem.headers)
        values["wrong"] = "session.too_often" if status == 429 else "session.wrong"
    return await page(request, "session.html", status=status, headers=headers, **values)
