"""Pages of refusals for browsers, where programs get a problem document."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from api.html.templates import HEADERS, page
from api.html.texts import LANGUAGES, Texts, language_of, texts_of

FOR_PROGRAMS = (
    *("/health", "/logs", "/openapi.json", "/pairings", "/problems", "/static"),
    *("/sw.js", "/tablet.webmanifest"),
)
"""Paths that always answer with problem documents."""

FRAMED = "/embed"
"""The ending of addresses of pages that other sites may frame."""


_AGAIN_S = 5
"""Seconds after which a page that was not ready is loaded again."""


_TAKES = {
    **dict.fromkeys(("first", "second"), "dice"),
    **dict.fromkeys(("since", "until"), "day"),
    **dict.fromkeys(("own_away", "other_away", "away_own", "away_other"), "needs"),
}
"""Fields that accept the same as another one, whose text is used."""


def misread(t: Texts, detail: str, where: object) -> str:
    """Why a form is invalid: the English detail; in other languages what the field accepts."""
    if t.language == LANGUAGES[0]:
        return detail
    field = str(where).rpartition(".")[2]
    key = f"search.takes_{_TAKES.get(field, field)}"
    return t(key if t.has(key) else "search.takes_other")


def is_for_people(request: Request) -> bool:
    """Whether to answer with a page: to a browser that loads one, and not to a program."""
    path = request.url.path
    return (
        request.method in ("GET", "HEAD")
        and "text/html" in request.headers.get("accept", "")
        and not any(path == place or path.startswith(f"{place}/") for place in FOR_PROGRAMS)
    )


async def refusal_page(request: Request, *, status: int, slug: str, reason: str | None) -> Response:
    """A page that says what is wrong and what to do; it names no person and no match.

    `reason` takes precedence over the kind of problem, such as `appeal` if a match is frozen.
    """
    t = texts_of(language_of(request))
    kinds = (reason or "", slug.replace("-", "_"), f"status_{status}", "status_500")
    kind = next(kind for kind in kinds if t.has(f"public.refused_{kind}"))
    where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    headers = {"Cache-Control": "no-store"}
    if slug == "busy":
        headers["Refresh"] = str(_AGAIN_S)
    if request.url.path.endswith(FRAMED):
        headers |= framed_headers()
    return await page(
        request,
        "refused.html",
        status=status,
        headers=headers,
        title=t(f"public.refused_{kind}"),
        text=t(f"public.refused_{kind}_text"),
        status_code=status,
        sign_in=f"/session?next={quote(where, safe='')}" if status in (401, 403) else None,
    )


def framed_headers() -> dict[str, str]:
    """The headers that let any site frame a page."""
    policy = HEADERS["Content-Security-Policy"]
    return {
        "Content-Security-Policy": policy.replace("frame-ancestors 'self'", "frame-ancestors *")
    }
