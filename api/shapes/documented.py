"""How a route declares the shape of its answer and its refusals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from api.refusals import KINDS, MEDIA_TYPE
from api.shapes.shape import REF, JsonObject, Piece, Shape


class Documented(TypedDict):
    """Arguments of a route, with FastAPI's types."""

    responses: dict[int | str, Piece]
    response_model: None
    openapi_extra: Piece


def documented(
    shape: str | type[Shape] | None,
    *,
    problems: Sequence[int] = (),
    success: int | None = None,
    also: int | None = None,
    writes: bool = False,
    is_view: bool = False,
    is_ndjson: bool = False,
    is_open: bool = False,
) -> Documented:
    """Arguments of a route that describe its answers; `api.openapi` does the rest.

    `success` is the status of success; if it is left out, 201 for a write and 200 for a read.
    """
    if success is None:
        success = 201 if writes else 200
    statuses = set(problems)
    if not is_open:
        statuses |= {400, 401, 403, 500, 503}
    if writes:
        statuses |= {413, 422}
    if 413 in statuses:
        # Strangers who repeatedly send malformed bodies are refused for a while.
        statuses.add(429)
    responses: dict[int | str, Piece] = {}
    name = shape.__name__ if isinstance(shape, type) else shape
    for status in (success, also):
        if status is not None:
            responses[status] = {"description": "Done." if status == success else "A retry."}
            if name is not None:
                responses[status]["content"] = _content("application/json", name)
    if is_view:
        responses[304] = {"description": "What you have is what there is."}
    for status in sorted(statuses):
        titles = [kind.title for kind in KINDS.values() if kind.status == status]
        content = _content(MEDIA_TYPE, "ProblemOut")
        responses[status] = {"description": "; ".join(titles) + ".", "content": content}
    extra = {"x-writes": writes, "x-open": is_open, "x-ndjson": is_ndjson, "x-success": success}
    return Documented(responses=responses, response_model=None, openapi_extra=extra)


def _content(media_type: str, shape: str) -> JsonObject:
    return {media_type: {"schema": {"$ref": f"{REF}{shape}"}}}
