"""Atom 1.0 feeds: news of public matches, for programs that poll."""

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
    """An entry of a feed: a match with news."""

    url: str
    """The address of its page, which is its id too."""
    title: str
    """The players and the score."""
    summary: str
    """The same in a sentence."""
    updated_ms: int
    """When the public could first see it so."""
    authors: tuple[str, ...]
    """The players' names, as far as they are disclosed."""


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

    `url` is the feed's address, `self_url` that of this page of the feed, `next_url` that of the
    next older one, `page` that of the HTML page that the feed belongs to.
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
    """A time in the format of RFC 3339."""
    then = datetime.datetime.fromtimestamp(ms / 1_000, datetime.UTC)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def _add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    made = ET.SubElement(parent, f"{{{NAMESPACE}}}{name}", attributes)
    if text is not None:
        made.text = held(text)
    return made


def held(text: str) -> str:
    """A text with the characters that XML 1.0 cannot hold replaced."""
    return legible(text)
