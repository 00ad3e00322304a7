"""A match as a file: the formats that backgammon programs read, and the sealed bytes themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Annotated, NamedTuple

import orjson
from fastapi import APIRouter, Path, Request, Response

from api.exchange import jsonl, mat
from api.problems import Problem
from api.routes.door import (
    NDJSON,
    Door,
    LogId,
    MatchId,
    People,
    Sight,
    cache_headers,
    door_of,
    etag_of,
    is_unchanged,
    sight_of,
)
from api.routes.entries import may_show
from api.routes.views import replay_of
from api.schemas import documented
from events.personal import Commitment, Disclosed, opened
from events.values import BySeat
from projections.replay import Replay

router = APIRouter(tags=["exports"])


class Export(NamedTuple):
    """A match written as a file."""

    body: bytes
    """The file."""
    losses: dict[str, int]
    """Kind of loss to how many facts the format could not hold; {} = none."""


class Format(NamedTuple):
    """One format that a match can be had in."""

    media_type: str
    write: Callable[[Door, Sight, Replay], Export]


def _mat(door: Door, sight: Sight, shown: Replay) -> Export:
    written = mat.write(shown, _names(door, sight, shown), details=_details(door, sight, shown))
    losses: dict[str, int] = {}
    for loss in written.losses:
        losses[loss.kind] = losses.get(loss.kind, 0) + loss.count
    return Export(written.text.encode(), losses)


def _jsonl(door: Door, sight: Sight, shown: Replay) -> Export:
    store = door.archive.store
    rows = store.read_stream(sight.log_id, sight.match_id, limit=shown.version)
    raws = store.disclosures_of(sight.log_id, [row.global_position for row in rows])
    shown_raws = {
        place: [raw for raw in found if may_show(opened(raw)[1], sight.people)]
        for place, found in raws.items()
    }
    return Export(b"".join(jsonl.write(rows, shown_raws)), {})


FORMATS: Mapping[str, Format] = {
    "jsonl": Format(NDJSON, _jsonl),
    "mat": Format("text/plain; charset=utf-8", _mat),
}
"""Every format, by the ending of its files."""


def _names(door: Door, sight: Sight, shown: Replay) -> BySeat[str] | None:
    """The players' names: for the public and for those who may see people."""
    if sight.people is People.NONE:
        return None
    return door.reading.names(sight.log_id, shown.opened)


def _details(door: Door, sight: Sight, shown: Replay) -> mat.Details:
    opening = shown.opened
    if opening is None or sight.people is not People.ALL:
        return mat.Details()
    members = ("event", "round", "place", "date", "transcriber")
    commitments: dict[str, Commitment] = {
        member: value for member in members if (value := getattr(opening, member)) is not None
    }
    values = door.reading.opened_values(sight.log_id, commitments.values())
    known = {
        member: str(value.value)
        for member, commitment in commitments.items()
        if isinstance(value := values[commitment.sd], Disclosed)
    }
    return mat.Details(**known)


@router.get(
    "/logs/{log}/matches/{match}/export.{format}",
    operation_id="exportMatch",
    summary="A match as a file",
    **documented(None, problems=(404,), is_view=True),
)
async def export_match(
    request: Request,
    log: LogId,
    match: MatchId,
    format: Annotated[
        str, Path(description=f"One of {', '.join(sorted(FORMATS))}.", examples=["mat"])
    ],
) -> Response:
    """As corrected. What the format could not hold is counted in the header `Tabularium-Losses`."""
    sight = await sight_of(request, log, match)
    found = FORMATS.get(format)
    if found is None:
        known = sorted(FORMATS)
        raise Problem("no-such-format", f"matches are not written as {format[:40]!a}", known=known)
    shown = await replay_of(request, sight, at=None)
    export = await asyncio.to_thread(found.write, door_of(request), sight, shown)
    etag = etag_of("export", format, export.body)
    headers = cache_headers(etag, is_public=not sight.is_granted)
    headers["Tabularium-Losses"] = orjson.dumps(export.losses).decode()
    if is_unchanged(request, etag):
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{match}.{format}"'
    return Response(export.body, headers=headers, media_type=found.media_type)
