"""Atom 1.0: what is new among the public matches, for programs that look now and then."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from projections.folding.sayings import legible

NAMESPACE = "http://www.w3.org/2005/Atom"
"""RFC 4287 1.2."""

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"

MEDIA_TYPE = "application/atom+xml; charset=utf-8"


class Item(NamedTuple):
    """One match that made news."""

    url: str
    """Its page; its id, too."""
    title: str
    """Who plays, and how it stands."""
    summary: str
    """The same in a sentence."""
    updated_ms: int
    """When it could be seen so."""
    authors: tuple[str, ...]
    """Who plays, as far as that is disclosed."""


def atom(
    *,
    url: str,
    self_url: str,
    next_url: str | None,
    page: str,
    title: str,
    language: str,
    author: str,
    items: Sequence[Item],
) -> bytes:
    """One page of a feed (RFC 5005 3).

    `url` is the feed's address, `self_url` that of this page of it, `next_url` that of the older
    one behind it, `page` that of the page that the feed accompanies.
    """
    ET.register_namespace("", NAMESPACE)
    feed = ET.Element(f"{{{NAMESPACE}}}feed", {_LANGUAGE: language})
    _add(feed, "id", url)
    _add(feed, "title", title)
    _add(feed, "updated", moment(max((item.updated_ms for item in items), default=0)))
    _add(_add(feed, "author"), "name", author)
    _add(feed, "link", rel="self", type="application/atom+xml", href=self_url)
    _add(feed, "link", rel="first", type="application/atom+xml", href=url)
    if next_url is not None:
        _add(feed, "link", rel="next", type="application/atom+xml", href=next_url)
    _add(feed, "link", rel="alternate", type="text/html", href=page)
    for item in items:
        entry = _add(feed, "entry")
        _add(entry, "id", item.url)
        _add(entry, "title", item.title)
        _add(entry, "updated", moment(item.updated_ms))
        for name in item.authors:
            _add(_add(entry, "author"), "name", name)
        _add(entry, "link", rel="alternate", type="text/html", href=item.url)
        _add(entry, "summary", item.summary)
    found: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return found


def moment(ms: int) -> str:
    """A moment as RFC 3339 writes it."""
    then = datetime.datetime.fromtimestamp(ms / 1_000, datetime.UTC)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def _add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    made = ET.SubElement(parent, f"{{{NAMESPACE}}}{name}", attributes)
    if text is not None:
        made.text = held(text)
    return made


def held(text: str) -> str:
    """What XML 1.0 can hold; the rest is replaced."""
    return legible(text)
