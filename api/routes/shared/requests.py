"""Bodies of requests: JSON of a known shape, or a refusal that names the member at fault."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from events.canonical import parse_strict
from events.errors import BadInput, NotCanonical

Shape = TypeVar("Shape")


def parsed(raw: bytes, shape: type[Shape]) -> Shape:
    """The body of a request. Errors: NotCanonical, BadInput."""
    if not raw:
        raise NotCanonical("the body is empty: JSON is needed")
    try:
        return msgspec.convert(parse_strict(raw), shape)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `")
        raise BadInput(message, where=path.removesuffix("`") or "$") from None
