"""Request bodies: JSON of a known shape, or a refusal that names the wrong member.

The cost of checking a body depends on the number of its values, and not on its bytes: that number
is limited, and a large body is decoded in a thread.
"""

from __future__ import annotations

import asyncio
from typing import TypeVar

import msgspec
from starlette.requests import Request

from events.canonical import parse_strict
from events.errors import BadInput, NotCanonical, TooLarge

Shape = TypeVar("Shape")

MOST_VALUES = 50_000
"""Most values of one body: a thousand entries have fifty each. A million empty lists took
seconds."""

_LARGE = 32 * 1024
"""Bytes; the cost of a smaller body does not matter, whatever it contains."""


async def take_body(request: Request) -> None:
    """Have the body here before it is asked whose hand it is; of a stranger none is awaited.

    A grant that is revoked while a body dribbles in lets nobody record what it says.
    """
    if "authorization" in request.headers or "cookie" in request.headers:
        await request.body()


async def value_of(request: Request) -> object:
    """The JSON value of the body. Errors: NotCanonical, TooLarge."""
    raw = await request.body()
    if len(raw) < _LARGE:
        return _value(raw)
    check_values(raw)
    return await asyncio.to_thread(_value, raw)


async def parsed(request: Request, shape: type[Shape]) -> Shape:
    """The body of a request. Errors: NotCanonical, BadInput, TooLarge."""
    raw = await request.body()
    if len(raw) < _LARGE:
        return _parsed(raw, shape)
    check_values(raw)
    return await asyncio.to_thread(_parsed, raw, shape)


def check_values(*raws: bytes) -> None:
    """Whether JSON holds no more values than anybody needs. Errors: TooLarge."""
    # A value follows a comma or an opening bracket; those inside texts are counted as well.
    if sum(raw.count(b",") + raw.count(b"[") + raw.count(b"{") for raw in raws) > MOST_VALUES:
        raise TooLarge(f"a body holds at most {MOST_VALUES:,} values: send less at once")


def _value(raw: bytes) -> object:
    if not raw:
        raise NotCanonical("the body is empty: JSON is needed")
    return parse_strict(raw)


def _parsed(raw: bytes, shape: type[Shape]) -> Shape:
    try:
        return msgspec.convert(_value(raw), shape)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `")
        raise BadInput(message, where=path.removesuffix("`") or "$") from None
