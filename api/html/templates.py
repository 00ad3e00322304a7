"""Renders pages from templates: the environment, security headers, the language."""

from __future__ import annotations

import asyncio
import functools
import gzip
import re
from collections.abc import Mapping
from unicodedata import bidirectional

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response

from api.html.assets import WEB, assets
from api.html.kept import takes_gzip
from api.html.texts import LANGUAGES, Texts, language_of, texts_of
from api.shapes.matches import MatchSummary
from events.values import BySeat, Seat
from projections.rules.shelf import SHELF

HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
        " img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self';"
        " media-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept-Language, Accept-Encoding, Cookie",
}
"""Headers of every page: only our scripts, no framing by others, no other origin."""

_WORTH_PACKING = 1_024

_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that change the direction of everything after them, not only of their own word."""

Values = dict[str, object]
"""What a template shows, by name."""


def unturned(text: str) -> str:
    """Text without direction overrides, which would make a score behind a name read 0-3 for 3-0.

    Each is replaced by a visible mark, as in pictures and feeds. Right-to-left scripts do not need
    them.
    """
    if text.isascii() or not _TURNING.search(text):
        return text
    return type(text)(_TURNING.sub("\N{REPLACEMENT CHARACTER}", text))


def set_apart(text: str) -> str:
    """Text with a direction mark, so that a score or number may follow on the same line.

    Behind a name in a right-to-left script, the line would otherwise show 3-1 as 1-3.
    """
    if text.isascii() or not any(bidirectional(mark) in _FROM_THE_RIGHT for mark in text):
        return text
    return f"{text}\N{LEFT-TO-RIGHT MARK}"


_FROM_THE_RIGHT = frozenset({"R", "AL", "AN"})


def _shown(value: object) -> object:
    # Fast path: most values of a page contain no such character.
    if not isinstance(value, str) or value.isascii():
        return value
    return unturned(value)


class _Pages(Environment):
    """Templates name a seat by its word: of what both players have, that is the seat's own."""

    def getitem(self, obj: object, argument: object) -> object:
        # `BySeat` itself, which is asked at every event, takes any word for seat two.
        if isinstance(obj, BySeat) and isinstance(argument, str):
            return obj[Seat(argument)]
        return super().getitem(obj, argument)


@functools.cache
def _environment() -> Environment:
    pages = _Pages(
        loader=FileSystemLoader(WEB / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    pages.globals["static"] = lambda path: assets().url(path)
    pages.globals["modules"] = lambda folder: assets().modules(folder)
    pages.globals["languages"] = LANGUAGES
    pages.globals["has_rules"] = SHELF.__contains__
    pages.globals["posted"] = posted
    return pages


async def page(
    request: Request,
    template: str,
    /,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: object,
) -> Response:
    """A page of the visitor's language; `t` and `lang` are there in every template."""
    text = await asyncio.to_thread(rendered, request, template, **values)
    body = text.encode()
    sent = {**HEADERS, **(headers or {})}
    if len(body) > _WORTH_PACKING and takes_gzip(request.headers):
        body = await asyncio.to_thread(gzip.compress, body, 5, mtime=0)
        sent["Content-Encoding"] = "gzip"
    return Response(body, status, sent, "text/html")


def rendered(request: Request, template: str, /, **values: object) -> str:
    """The same as text."""
    texts = texts_of(language_of(request))
    found = _environment().get_template(template)
    shown = {"t": texts, "lang": texts.language, "path": request.url.path, "csrf": None, **values}
    return found.render(**shown)


def posted(match: MatchSummary, t: Texts, within: str | None = None) -> tuple[str, ...]:
    """Event, round, table and day, as far as they are shown; the day as its source wrote it.

    `within`: the tournament that is named beside it, which is not said twice.
    """
    return (
        *([match.event] if match.event and match.event != within else ()),
        *([_numbered(match.round, "round", t)] if match.round else ()),
        *([_numbered(match.table, "table", t)] if match.table else ()),
        *([match.date] if match.date else ()),
    )


def _numbered(text: str, what: str, t: Texts) -> str:
    """A bare number with what it counts; words speak for themselves."""
    return t(f"public.{what}_n", n=text) if text.isdecimal() else text
