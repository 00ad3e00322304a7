"""Chooses among several media types the one that a visitor prefers."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import Request

from api.refusals import Problem


def accepted(request: Request, offered: Iterable[str]) -> str:
    """The offered media type that the visitor likes best (RFC 9110 12.5.1); the first of equals.

    Errors: Problem 406, with all that are offered.
    """
    header = ",".join(request.headers.getlist("accept"))
    ranges = [_range(part) for part in header.split(",") if part.strip()] or [("*/*", 1.0)]
    best, liking = "", 0.0
    for media_type in offered:
        family = media_type.partition("/")[0] + "/*"
        wishes = [
            quality
            for wish in (media_type, family, "*/*")
            for name, quality in ranges
            if name == wish
        ]
        # The range that names the type most precisely counts, and not the one with the best
        # quality.
        if wishes and wishes[0] > liking:
            best, liking = media_type, wishes[0]
    if not best:
        raise Problem("not-acceptable", "nothing of that kind is to be had", known=list(offered))
    return best


def _range(part: str) -> tuple[str, float]:
    name, *parameters = (piece.strip() for piece in part.split(";"))
    quality = 1.0
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "q":
            try:
                quality = float(value)
            except ValueError:
                quality = 0.0
    return name.lower(), quality if 0.0 < quality <= 1.0 else 0.0
