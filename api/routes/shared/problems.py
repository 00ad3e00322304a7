"""Refusals over HTTP: each exception becomes a problem document, or a page for a person."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from api import refusals
from api.html.refusals import is_for_people, refusal_page
from api.html.texts import LANGUAGES, Texts, language_of, texts_of
from api.refusals import KINDS, MEDIA_TYPE, NotExpected, NotPermitted, Problem
from api.routes.shared.cookie import CSRF_HEADER, session_token
from events import errors
from projections.rules.shelf import SHELF

_OF_STATUS = {404: "not-found", 405: "method-not-allowed", 413: "too-large"}

_RETRY_AFTER = {"busy": "1", "store-failed": "5", "outcome-unknown": "1"}
"""Seconds."""

REFUSALS = (
    Problem,
    NotPermitted,
    NotExpected,
    errors.LedgerError,
    RequestValidationError,
    HTTPException,
    ClientDisconnect,
)
"""Exceptions that are meant as answers; any other is a fault of the program. A client that closes
during its request's body is treated like the others, although it does not receive the answer."""

_log = logging.getLogger(__name__)


def check_rule_set(rule_set: str | None, place: str) -> None:
    """Refuse a rule set that is not on the shelf, asked for at that place. Errors: Problem."""
    if rule_set is not None and rule_set not in SHELF:
        detail = f"there is no rule set {rule_set[:64]!a}"
        raise Problem("unknown-rule-set", detail, known=sorted(SHELF), where=place)


def problem_of(error: Exception) -> Problem:
    """The problem that an exception means to whoever sent the request."""
    match error:
        case RequestValidationError():
            return _validation(error)
        case HTTPException():
            slug = _OF_STATUS.get(error.status_code, "bad-request")
            return Problem(slug, str(error.detail), headers=error.headers)
        case ClientDisconnect():
            return Problem("bad-request", "the connection ended before the request did")
        case _:
            return refusals.problem_of(error)


def _validation(error: RequestValidationError) -> Problem:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return Problem("bad-parameter", f"{place}: {first['msg']}", where=place)


def respond(problem: Problem, instance: str) -> Response:
    """The problem document."""
    kind = KINDS[problem.slug]
    document = {
        "type": f"/problems/{kind.slug}",
        "title": kind.title,
        "status": kind.status,
        "detail": problem.detail,
        "instance": instance,
        **problem.more,
    }
    headers = problem.headers
    retry_after = _RETRY_AFTER.get(kind.slug)
    if retry_after is not None:
        document["retry_after_seconds"] = int(retry_after)
        headers["Retry-After"] = retry_after
    if kind.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(orjson.dumps(document), kind.status, headers, MEDIA_TYPE)


async def handler(request: Request, error: Exception) -> Response:
    """The answer to a request that ended in an exception."""
    problem = problem_of(error)
    if KINDS[problem.slug].status == 422:
        await request.app.state.sent_nonsense(request)
    if is_for_people(request) and not isinstance(error, ClientDisconnect):
        return await _shown(request, problem)
    t = texts_of(language_of(request))
    told = told_of(problem, t)
    if CSRF_HEADER in request.headers:  # from one of our pages, which keeps what was typed
        if problem.slug == "csrf":
            told = t("refused.signed_in_anew")
        elif problem.slug == "not-authenticated" and session_token(request) is None:
            told = t("refused.signed_out")
    if told is not None:
        problem.more.setdefault("told", told)
    return respond(problem, request.url.path)


def told_of(problem: Problem, t: Texts) -> str | None:
    """What a page says of a refusal in its reader's language; None where `detail` is said in it.

    Details are English. Where a refusal has no text of its own, another language is told its kind.
    """
    if problem.why is not None:
        key, values = problem.why
        return t(f"refused.{key}", **values)
    if t.language == LANGUAGES[0]:
        return None
    return t(f"refused.kind_{problem.slug.replace('-', '_')}")


async def _shown(request: Request, problem: Problem) -> Response:
    """The refusal as a page; as a document if even that page cannot be made."""
    status = KINDS[problem.slug].status
    try:
        reason = str(problem.more.get("reason", "")) or None
        answer = await refusal_page(request, status=status, slug=problem.slug, reason=reason)
    except Exception:
        _log.exception("a refusal could not be shown")
        return respond(problem, request.url.path)
    answer.headers.update(problem.headers)
    if retry_after := _RETRY_AFTER.get(problem.slug):
        answer.headers["Retry-After"] = retry_after
    return answer


def install(app: FastAPI, sent_nonsense: Callable[[Request], Awaitable[None]]) -> None:
    """Answer every exception with a problem document; of what is no entry, somebody is told."""
    app.state.sent_nonsense = sent_nonsense
    for kind in (*REFUSALS, Exception):
        app.add_exception_handler(kind, handler)
