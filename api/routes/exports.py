"""A match as a file, in any format."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated, NamedTuple

import msgspec
import orjson
from fastapi import APIRouter, Path, Request, Response

from api.exchange.forms import (
    FORMS,
    JSON,
    JSONL,
    Form,
    counted_losses,
    file_name,
)
from api.exchange.sealed import jsonl
from api.exchange.writers import WRITERS
from api.exchange.writing.wanted import NotInstalled, NotWritten, Wanted
from api.html.kept import Made, finished, is_known, kept_of, sent
from api.refusals import Problem
from api.routes.shared.accepting import accepted
from api.routes.shared.door import (
    Door,
    LogId,
    MatchId,
    Sight,
    check_embargo,
    door_of,
    sight_etag,
    sight_of,
)
from api.routes.shared.filing import GUARDED, discretion_of, match_object, wanted_by
from api.routes.shared.flags import Flagged, Flags
from api.routes.shared.freshness import cache_headers, etag_of
from api.routes.shared.recorded import shown_of, why_kept
from api.routes.shared.shown import replay_of
from api.shapes.documented import documented
from projections.replay import Replay

router = APIRouter(tags=["exports"])


class Export(NamedTuple):
    """A match written as a file."""

    body: bytes
    """The file."""
    losses: dict[str, int]
    """Kind of loss to the number of facts that the format could not hold; {} = none."""


Write = Callable[[Door, Sight, Replay, Flags], Export]


def _replay_in(name: str, shown: Replay, wanted: Wanted) -> Export:
    """A match in a format that is written from a replay."""
    made = WRITERS[name].write(shown, wanted)
    return Export(made.content, counted_losses(made.losses))


def _check_marks(name: str, sight: Sight, shown: Replay) -> None:
    """Refuse a format that would reveal who plays if that must not be revealed. Errors: Problem."""
    if WRITERS[name].marks_illegal and not discretion_of(sight, shown).tells_match:
        needs = "director or committee, while the match is in play: it marks illegal plays"
        raise sight.visitor.refusal(needs)


def _sealed(door: Door, sight: Sight, shown: Replay, flags: Flags) -> Export:
    store = door.archive.store
    rows = store.read_stream(sight.log_id, sight.match_id, limit=shown.version)
    raws = store.disclosures_of(sight.log_id, [row.global_position for row in rows])
    shown_raws: dict[int, list[bytes]] = {}
    if flags.names == "disclosed":
        for row in rows:
            found = raws.get(row.global_position, ())
            shown_raws[row.global_position] = [
                raw for raw, _, _ in shown_of(row, found, sight.showing)
            ]
    kept = {
        row.global_position: why
        for row in rows
        if (why := why_kept(row, sight.showing)) is not None
    }
    losses = dict(Counter(_LOST[why] for why in kept.values()))
    return Export(b"".join(jsonl.write(rows, shown_raws, withheld=kept)), losses)


_LOST = {"ballot": "ballots", "case": "cases", "players": "players"}
"""Reason for which an entry is not shown, to its kind of loss."""


def _object(door: Door, sight: Sight, shown: Replay, flags: Flags) -> Export:
    made = match_object(door, sight, shown, flags)
    return Export(orjson.dumps(made), made["lost"])


FORMATS: Mapping[str, tuple[Form, Write | None]] = {
    **{form.ending: (form, _sealed if name == JSONL else None) for name, form in FORMS.items()},
    JSON.ending: (JSON, _object),
}
"""Every format by the ending of its files, and its writer; None = a writer of replays. The first
one is used if any format is accepted."""

_FORMAT_OF = {form.bare_type: ending for ending, (form, _) in FORMATS.items()}
"""Media type to ending."""


# One match.


@router.head("/logs/{log}/matches/{match}/export.{format}", include_in_schema=False)
@router.get(
    "/logs/{log}/matches/{match}/export.{format}",
    operation_id="exportMatch",
    summary="Download a match as a file",
    **documented("MatchRecord", problems=(404, 406, 501), is_view=True),
)
async def export_match(
    request: Request,
    log: LogId,
    match: MatchId,
    format: Annotated[str, Path(description=f"One of {', '.join(FORMATS)}.", examples=["mat"])],
    flags: Flagged,
) -> Response:
    """The match as corrected. `Tabularium-Losses` counts the facts that the format cannot hold.

    While a match is played, only those who rule on it get findings and losses; other readers get
    illegal plays as they were made, unmarked, and the header `Tabularium-Held-Back`. Formats that
    mark illegal plays are refused to them until the match is over.
    """
    sight = await sight_of(request, log, match)
    if format not in FORMATS:
        known = sorted(FORMATS)
        raise Problem("no-such-format", f"matches are not written as {format[:40]!a}", known=known)
    return await _exported(request, sight, format, flags)


@router.head("/logs/{log}/matches/{match}/export", include_in_schema=False)
@router.get(
    "/logs/{log}/matches/{match}/export",
    operation_id="exportMatchAsAccepted",
    summary="Download a match in the format that `Accept` names",
    **documented("MatchRecord", problems=(404, 406, 501), is_view=True),
)
async def export_match_as_accepted(
    request: Request, log: LogId, match: MatchId, flags: Flagged
) -> Response:
    """The same files, chosen by media type; `*/*` gets a .mat file."""
    sight = await sight_of(request, log, match)
    return await _exported(request, sight, _FORMAT_OF[accepted(request, _FORMAT_OF)], flags)


async def _exported(request: Request, sight: Sight, ending: str, flags: Flags) -> Response:
    form, _ = FORMATS[ending]
    await check_embargo(door_of(request), sight)
    shown = await replay_of(request, sight, at=None)
    try:
        made = await _made(request, sight, shown, ending, flags)
    except NotWritten as error:
        raise _not_written(form, error) from None
    losses = made.losses
    etag = etag_of(
        "export",
        ending,
        sight.is_trusted,
        sight.awaits_ruling,
        losses,
        hashlib.sha256(made.body).hexdigest(),
    )
    headers = {**cache_headers(etag, is_public=not sight.is_granted), **GUARDED}
    held_back = discretion_of(sight, shown).held_back
    if sight.awaits_ruling:
        headers["Tabularium-Awaits-Ruling"] = "true"
    if held_back is None:
        headers["Tabularium-Losses"] = losses
    else:
        headers["Tabularium-Held-Back"] = held_back
    if is_known(request, etag):
        return Response(status_code=304, headers=headers)
    name = file_name(sight.log_id, sight.match_id, form)
    kind = "inline" if form.bare_type == _PAGE else "attachment"
    headers["Content-Disposition"] = f'{kind}; filename="{name}"'
    return sent(request, made, headers)


async def _made(request: Request, sight: Sight, shown: Replay, ending: str, flags: Flags) -> Made:
    """The file, written once for all who may see the same. Errors: NotWritten, Problem."""
    door = door_of(request)
    form, write = FORMATS[ending]

    def finished_file(export: Export) -> Made:
        losses = orjson.dumps(export.losses).decode()
        return finished(export.body, form.media_type)._replace(losses=losses)

    if write is not None:
        export = await asyncio.to_thread(write, door, sight, shown, flags)
        return finished_file(export)
    _check_marks(form.name, sight, shown)
    wanted = await asyncio.to_thread(wanted_by, door, sight, shown, flags)
    key = sight_etag(sight, "file", ending, msgspec.json.encode(wanted))
    return await kept_of(request).made(
        key, lambda: finished_file(_replay_in(form.name, shown, wanted))
    )


def _not_written(form: Form, error: NotWritten) -> Problem:
    slug = "not-installed" if isinstance(error, NotInstalled) else "not-writable"
    return Problem(slug, str(error), known=[name for name in FORMATS if name != form.ending])


_PAGE = "text/html"
"""The only kind of file that a browser displays."""
