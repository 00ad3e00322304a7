"""Cursors: a place in a list as an opaque word, written for the next page and read back."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, TypeVar

import msgspec
from fastapi import Query

from api.refusals import Problem
from events.values import MAX_SAFE_INTEGER

P = TypeVar("P")

Cursor = Annotated[
    str | None,
    Query(max_length=400, description="`next_cursor` of the previous page; opaque."),
]
PageCursor = Annotated[str | None, Query(max_length=600, description="Where the page begins.")]


def place_of(cursor: str | None) -> int | None:
    """The place in a list of matches that a cursor names; None = the beginning."""
    if not cursor:
        return None
    return read_cursor(cursor, int)


def write_cursor(*place: str | int) -> str:
    """A place in a list, as an opaque word."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def read_cursor(cursor: str, kind: type[P]) -> P:
    """The place that such a word names. Errors: Problem."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        raw = base64.b64decode(padded, altchars=b"-_", validate=True)
        [value] = msgspec.json.decode(raw, type=tuple[object])
        place = msgspec.convert(value, kind)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise _no_cursor() from None
    if isinstance(place, int) and not 0 <= place <= MAX_SAFE_INTEGER:
        raise _no_cursor()
    return place


def write_places(*place: str | int) -> str:
    """A place that takes several values to name, as such a word."""
    return write_cursor(msgspec.json.encode(place).decode())


def read_places(cursor: str | None, kind: type[P]) -> P | None:
    """The place that such a word names; None = the beginning. Errors: Problem."""
    if not cursor:
        return None
    place = read_cursor(cursor, str)
    try:
        found = msgspec.json.decode(place, type=kind)
    except msgspec.MsgspecError:
        raise _no_cursor() from None
    parts = found if isinstance(found, tuple) else ()
    if any(isinstance(part, int) and not 0 <= part <= MAX_SAFE_INTEGER for part in parts):
        raise _no_cursor()
    return found


def _no_cursor() -> Problem:
    return Problem("bad-parameter", "this is no cursor of this list", where="query.cursor")
