"""Matches as files: one in any format, or a whole log of them as a stream."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Annotated, NamedTuple

import msgspec
import orjson
from fastapi import APIRouter, Path, Query, Request, Response
from starlette.responses import StreamingResponse

from api.archive.index.rows import row_of
from api.archive.words import showing_line, words_lines
from api.exchange.forms import (
    FORMS,
    JSON,
    JSONL,
    LINES,
    STREAMED,
    Form,
    counted_losses,
    details_of,
    file_name,
)
from api.exchange.prose.spoken import english, notes_on
from api.exchange.sealed import jsonl
from api.exchange.writers import WRITERS
from api.exchange.writing.compact import compact
from api.exchange.writing.wanted import Details, NotInstalled, NotWritten, Wanted
from api.html.kept import Made, finished, kept_of, sent
from api.refusals import Problem
from api.routes.shared.accepting import accepted
from api.routes.shared.cursors import Cursor, place_of, write_cursor
from api.routes.shared.door import (
    Door,
    LogId,
    MatchId,
    Sight,
    Visitor,
    cache_headers,
    check_embargo,
    door_of,
    etag_of,
    is_unchanged,
    sight,
    sight_etag,
    sight_of,
    visitor_of,
)
from api.routes.shared.filmed import filmed
from api.routes.shared.flags import Flagged, Flags
from api.routes.shared.listing import Filtered, Filters, walk
from api.routes.shared.recorded import kept_body, shown_of
from api.routes.shared.shown import replay_of
from api.routes.shared.summaries import summaries
from api.shapes.matches import documented
from events.errors import LedgerError
from projections.replay import Replay
from projections.views.discretion import Discretion, discretion
from projections.views.lines import Line
from projections.views.showing import People

MAX_STREAMS = 16
"""Streams of many matches that are written at once; a further one is asked to come back."""

MAX_MATCHES = 100_000
"""Most matches that one request may name."""

_AT_ONCE = 50
"""Rows of the list that a stream reads at a time."""

router = APIRouter(tags=["exports"])

_log = logging.getLogger(__name__)


class Export(NamedTuple):
    """A match written as a file."""

    body: bytes
    """The file."""
    losses: dict[str, int]
    """Kind of loss to how many facts the format could not hold; {} = none."""


Write = Callable[[Door, Sight, Replay, Flags], Export]


def _replay_in(name: str, shown: Replay, wanted: Wanted) -> Export:
    """A match in a format that a replay is told in."""
    made = WRITERS[name].write(shown, wanted)
    return Export(made.content, counted_losses(made.losses))


def _check_marks(name: str, sight: Sight, shown: Replay) -> None:
    """Refuse a format that would tell who plays what nobody may tell them. Errors: Problem."""
    if WRITERS[name].marks_illegal and not _discretion(sight, shown).tells_match:
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
    kept = {row.global_position for row in rows if kept_body(row, sight.showing) is not None}
    losses = {"ballots": len(kept)} if kept else {}
    return Export(b"".join(jsonl.write(rows, shown_raws, withheld=kept)), losses)


def _object(door: Door, sight: Sight, shown: Replay, flags: Flags) -> Export:
    made = _match_object(door, sight, shown, flags)
    return Export(orjson.dumps(made), made["lost"])


FORMATS: Mapping[str, tuple[Form, Write | None]] = {
    **{form.ending: (form, _sealed if name == JSONL else None) for name, form in FORMS.items()},
    JSON.ending: (JSON, _object),
}
"""Every format by the ending of its files, and who writes it; None = a writer of replays.

The first is what whoever takes anything gets.
"""

_FORMAT_OF = {form.bare_type: ending for ending, (form, _) in FORMATS.items()}
"""Media type to ending."""


def _wanted(door: Door, sight: Sight, shown: Replay, flags: Flags) -> Wanted:
    """How a match is written for a visitor: never with more than the visitor may see."""
    is_withheld = flags.names == "withheld"
    names = None
    if not is_withheld and sight.people is not People.NONE:
        names = door.reading.names(sight.log_id, shown.opened)
    details = Details()
    if not is_withheld:
        details = details_of(door.reading, sight.log_id, shown.opened, sight.people)
    told = _discretion(sight, shown)
    spoken: Mapping[int, Line] = {}
    if not is_withheld:
        place = (sight.log_id, sight.match_id)
        spoken = words_lines(door.reading, *place, shown, sight.showing, files=door.files)
    notes = notes_on(english(), showing_line(sight.showing)) if spoken else []
    films = [] if is_withheld else filmed(door, sight, shown).films
    return Wanted(
        films={one.film.film_id: one.link for one in films},
        spoken=spoken,
        shown_to=tuple(notes),
        names=names,
        details=details,
        # Written in another way, an illegal play would be told from the legal ones.
        illegal=flags.illegal if told.tells_match else "raw",
        clocks=flags.clocks,
        findings=flags.findings and told.tells_match,
        is_held_back=not told.tells_match,
    )


def _match_object(door: Door, sight: Sight, shown: Replay, flags: Flags) -> Line:
    """A match as one JSON object: what its list shows, and its games."""
    told = _discretion(sight, shown)
    opened_at = sight.live.recorded[0].global_position
    row = row_of(
        sight.log_id, sight.match_id, opened_at, shown, sight.live.publicity, reach=sight.reach
    )
    [summary] = summaries(door, sight.visitor, [row])
    listed = msgspec.to_builtins(summary)
    members = (
        *("log_id", "match_id", "version", "players", "event", "round", "table", "date"),
        *("length", "score"),
        *("state", "rule_set", "source", "awaits_ruling"),
    )
    head = {name: listed[name] for name in members}
    if flags.names == "withheld":
        withheld = dict.fromkeys(("event", "round", "table", "date"))
        head |= {"players": {"one": [], "two": []}, **withheld}
    findings = flags.findings and told.tells_match
    made = {**head, **compact(shown, clocks=flags.clocks, findings=findings)}
    if not told.tells_match:
        made["result"]["questions"] = []
        made |= {"lost": {}, "held_back": told.held_back}
    return made


def _discretion(sight: Sight, shown: Replay) -> Discretion:
    """How much of a match in play is told to who sees it."""
    return discretion(shown, is_trusted=sight.is_trusted)


# One match.


@router.head("/logs/{log}/matches/{match}/export.{format}", include_in_schema=False)
@router.get(
    "/logs/{log}/matches/{match}/export.{format}",
    operation_id="exportMatch",
    summary="A match as a file",
    **documented("MatchRecord", problems=(404, 406, 501), is_view=True),
)
async def export_match(
    request: Request,
    log: LogId,
    match: MatchId,
    format: Annotated[str, Path(description=f"One of {', '.join(FORMATS)}.", examples=["mat"])],
    flags: Flagged,
) -> Response:
    """As corrected. What the format could not hold is counted in the header `Tabularium-Losses`.

    A match in play is written without findings and losses, and with illegal plays as they were
    made, but for those who rule on it; the header `Tabularium-Held-Back` says so. Formats that mark
    illegal plays are to be had when it is over.
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
    summary="A match in the format that `Accept` asks for",
    **documented("MatchRecord", problems=(404, 406, 501), is_view=True),
)
async def export_match_as_accepted(
    request: Request, log: LogId, match: MatchId, flags: Flagged
) -> Response:
    """The same files, chosen by media type; whoever takes anything gets a .mat file."""
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
    headers = {**cache_headers(etag, is_public=not sight.is_granted), **_GUARDED}
    held_back = _discretion(sight, shown).held_back
    if sight.awaits_ruling:
        headers["Tabularium-Awaits-Ruling"] = "true"
    if held_back is None:
        headers["Tabularium-Losses"] = losses
    else:
        headers["Tabularium-Held-Back"] = held_back
    if is_unchanged(request, etag):
        return Response(status_code=304, headers=headers)
    name = file_name(sight.log_id, sight.match_id, form)
    kind = "inline" if form.bare_type == _PAGE else "attachment"
    headers["Content-Disposition"] = f'{kind}; filename="{name}"'
    return sent(request, made, headers)


async def _made(request: Request, sight: Sight, shown: Replay, ending: str, flags: Flags) -> Made:
    """The file, written once for all who are shown the same. Errors: NotWritten, Problem."""
    door = door_of(request)
    form, write = FORMATS[ending]

    def finished_file(export: Export) -> Made:
        losses = orjson.dumps(export.losses).decode()
        return finished(export.body, form.media_type)._replace(losses=losses)

    if write is not None:
        export = await asyncio.to_thread(write, door, sight, shown, flags)
        return finished_file(export)
    _check_marks(form.name, sight, shown)
    wanted = await asyncio.to_thread(_wanted, door, sight, shown, flags)
    key = sight_etag(sight, "file", ending, msgspec.json.encode(wanted))
    return await kept_of(request).made(
        key, lambda: finished_file(_replay_in(form.name, shown, wanted))
    )


def _not_written(form: Form, error: NotWritten) -> Problem:
    slug = "not-installed" if isinstance(error, NotInstalled) else "not-writable"
    return Problem(slug, str(error), known=[name for name in FORMATS if name != form.ending])


# Many matches.


@router.head("/logs/{log}/export", include_in_schema=False)
@router.get(
    "/logs/{log}/export",
    operation_id="exportMatches",
    summary="Many matches as one stream",
    **documented(None, problems=(404, 406)),
)
async def export_matches(
    request: Request,
    log: LogId,
    filters: Filtered,
    flags: Flagged,
    max: Annotated[
        int | None,
        Query(ge=1, le=MAX_MATCHES, description="Most matches in the stream.", examples=[100]),
    ] = None,
    cursor: Cursor = None,
) -> Response:
    """One JSON object a match and line, or one .mat file after the other, by `Accept`.

    Only matches that may be read, as far as they may be seen; 100,000 at most. A line's `cursor`
    goes on behind that match. A match that cannot be written is a line with `log_id`, `match_id`
    and `refused`. Filters ask what is shown to the reader: a withheld name finds nothing.
    """
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    media_type = accepted(request, STREAMS)
    await asyncio.to_thread(door.archive.store.log_head, log)
    after = place_of(cursor)
    if door.streams >= MAX_STREAMS:
        raise Problem("busy", f"{MAX_STREAMS} streams of matches are being written already")
    form, write_one = STREAMS[media_type]
    ending = "ndjson" if form is LINES else form.ending
    headers = {
        # Which matches may be read changes without an entry in any of them.
        "Cache-Control": "no-store",
        "Vary": "Authorization, Accept",
        "Content-Disposition": f'attachment; filename="{log}.{ending}"',
        **_GUARDED,
    }
    if request.method == "HEAD":
        return StreamingResponse(iter(()), headers=headers, media_type=form.media_type)
    stream = _matches(door, visitor, log, filters, flags, after, max, write_one)
    return StreamingResponse(stream, headers=headers, media_type=form.media_type)


class Seen(NamedTuple):
    """One match of a stream."""

    sight: Sight
    shown: Replay
    opened_at: int


WriteOne = Callable[[Door, Seen, Flags], bytes]


def _line(door: Door, seen: Seen, flags: Flags) -> bytes:
    made = _match_object(door, seen.sight, seen.shown, flags)
    return orjson.dumps({**made, "cursor": write_cursor(seen.opened_at)}) + b"\n"


def _mat(door: Door, seen: Seen, flags: Flags) -> bytes:
    wanted = _wanted(door, seen.sight, seen.shown, flags)
    return WRITERS["mat"].write(seen.shown, wanted).content + b"\n"


STREAMS: Mapping[str, tuple[Form, WriteOne]] = {
    form.bare_type: (form, write) for form, write in zip(STREAMED, (_line, _mat), strict=True)
}
"""Media types of a stream, each with its form and who writes it."""


async def _matches(
    door: Door,
    visitor: Visitor,
    log_id: str,
    filters: Filters,
    flags: Flags,
    after: int | None,
    most: int | None,
    write_one: WriteOne,
) -> AsyncIterator[bytes]:
    """The matches of a log one by one: nothing is kept of one when the next is written."""
    left = MAX_MATCHES if most is None else most
    door.streams += 1
    try:
        places = walk(door, visitor, log_id, filters, after=after, at_once=min(left, _AT_ONCE))
        async for place in places:
            if place.summary is None:
                continue
            match_id = place.summary.match_id
            try:
                live = await asyncio.to_thread(door.reading.once, log_id, match_id)
                seen = await sight(door, visitor, log_id, match_id, live=live)
                await check_embargo(door, seen)
                shown = await asyncio.to_thread(live.replay.at, seen.version)
                one = Seen(seen, shown, place.opened_at)
                yield await asyncio.to_thread(write_one, door, one, flags)
            except Problem:
                # It was withdrawn while the list was read.
                continue
            except Exception as error:
                # One match that cannot be read must not take all others with it.
                _log.exception("match %s of log %s cannot be exported", match_id, log_id)
                yield _refused(write_one, log_id, match_id, error)
            left -= 1
            if not left:
                return
    finally:
        door.streams -= 1


def _refused(write_one: WriteOne, log_id: str, match_id: str, error: Exception) -> bytes:
    reason = str(error) if isinstance(error, LedgerError | NotWritten) else "it cannot be read"
    if write_one is _mat:
        return f"; match {match_id} is left out: {' '.join(reason.split())}\n\n".encode()
    made = {"log_id": log_id, "match_id": match_id, "refused": reason}
    return orjson.dumps(made) + b"\n"


_PAGE = "text/html"
"""The one file that a browser shows by itself."""

_GUARDED = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
        " sandbox"
    ),
    "X-Content-Type-Options": "nosniff",
}
"""What came from a recorded match runs nothing here, whatever a browser takes it for."""
