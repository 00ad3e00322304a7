"""Results of a tournament: JSON, CSV, a page to print, and a screen for the hall."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response

from api.html.kept import finished, hashed_answer
from api.html.templates import rendered
from api.rounds.results import Eyes, csv_of, results_of
from api.routes.shared.door import Door, LogId, Visitor, door_of, tagged_answer, visitor_of
from api.routes.shared.freshness import VARY, cache_headers, etag_of
from api.routes.shared.sight import page_headers, title_in
from api.shapes.documented import documented
from api.shapes.rounds import ResultRow, ResultsOut
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from projections.views.showing import Reader, reader_of

Round = Annotated[str | None, Query(max_length=60, description="Only this round.")]

router = APIRouter(tags=["rounds"])
pages = APIRouter(include_in_schema=False)


@router.get(
    "/logs/{log}/results.json",
    operation_id="listResults",
    summary="Read the results of a tournament",
    **documented(ResultsOut, problems=(404,), is_view=True),
)
async def results_json(request: Request, log: LogId) -> Response:
    """By round and table, with the byes, as far as the reader may see them.

    The score of a match is left out while a ruling or an appeal on it is open.
    """
    door, visitor, rows = await _rows(request, log)
    value = ResultsOut(log, await asyncio.to_thread(title_in, door, log), rows)
    etag = etag_of("results", msgspec.json.encode(value))
    headers = cache_headers(etag, is_public=visitor.token_sha256 is None)
    return tagged_answer(request, value, headers)


@router.get(
    "/logs/{log}/results.csv",
    operation_id="exportResults",
    summary="Download the results of a tournament as a table",
    **documented(None, problems=(404,)),
)
async def results_csv(request: Request, log: LogId) -> Response:
    """CSV with the same results; programs can read the first columns as pairings."""
    _, visitor, rows = await _rows(request, log)
    scope = "private" if visitor.token_sha256 else "public"
    headers = {
        "Cache-Control": f"{scope}, no-cache",
        "Vary": VARY,
        "Content-Disposition": f'attachment; filename="{log}-results.csv"',
        "X-Content-Type-Options": "nosniff",
    }
    # With a byte order mark: without it, spreadsheets assume another encoding.
    return Response(f"\ufeff{csv_of(rows)}", headers=headers, media_type="text/csv; charset=utf-8")


@pages.get("/tournaments/{log}/results")
async def results_page(request: Request, log: LogId, round: Round = None) -> Response:
    """The results by round, to be read and printed. Errors: Problem."""
    door, visitor, rows = await _rows(request, log)
    return await _page(request, door, visitor, log, "results.html", rows, round_=round)


@pages.get("/tournaments/{log}/wall")
async def wall_page(request: Request, log: LogId, round: Round = None) -> Response:
    """What hangs in the hall: tables, results, who is called; it renews itself. Errors: Problem."""
    door, visitor, rows = await _rows(request, log, is_wall=True)
    return await _page(request, door, visitor, log, "wall.html", rows, round_=round)


async def _page(
    request: Request,
    door: Door,
    visitor: Visitor,
    log: str,
    template: str,
    rows: list[ResultRow],
    *,
    round_: str | None,
) -> Response:
    shown = [row for row in rows if round_ is None or (row.round or "") == round_]
    rounds = [
        {"round": name, "rows": list(some)} for name, some in groupby(shown, lambda r: r.round)
    ]
    called = [row for row in shown if row.called]
    values = {
        "log_id": log,
        "title": await asyncio.to_thread(title_in, door, log),
        "rounds": rounds,
        "names": list(dict.fromkeys(row.round for row in rows)),
        "chosen": round_,
        "called": called,
        "is_staff": _is_staff(visitor, log),
        "is_director": visitor.hand.may_append(log, TOURNAMENT_STREAM, "lease.granted"),
    }
    headers = page_headers(visitor)
    return await hashed_answer(
        request, lambda: finished(rendered(request, template, **values).encode()), headers
    )


async def _rows(
    request: Request, log: str, *, is_wall: bool = False
) -> tuple[Door, Visitor, list[ResultRow]]:
    """What the visitor may see of the tournament. Errors: Problem, NoSuchLog."""
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    await asyncio.to_thread(door.archive.store.log_head, log)
    await asyncio.to_thread(door.index.catch_up, [log])
    is_staff = _is_staff(visitor, log)
    if log == ARCHIVE_LOG or not (visitor.hand.grants or door.index.has_public(log)):
        raise visitor.refusal("viewer of the log")
    reader = reader_of(visitor.hand.grants, log, TOURNAMENT_STREAM)
    rules = reader is Reader.DIRECTOR and not is_wall
    eyes = Eyes(is_staff, is_wall or not is_staff, rules, door.archive.lateness.before)
    rows = await asyncio.to_thread(_results, door, log, eyes)
    return door, visitor, rows


def _is_staff(visitor: Visitor, log: str) -> bool:
    """Whether the visitor may see the whole tournament; a committee sees only its case."""
    reader = reader_of(visitor.hand.grants, log, TOURNAMENT_STREAM)
    return visitor.hand.may_read(log) and reader is not Reader.COMMITTEE


def _results(door: Door, log: str, eyes: Eyes) -> list[ResultRow]:
    return results_of(
        door.reading, door.index, door.rooms, log, roster=door.rosters.of(log), eyes=eyes
    )
