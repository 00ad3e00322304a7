"""Plain pages: the public matches, and one match with its board, for any browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from api.index import row_of
from api.routes.door import LogId, MatchId, Sight, door_of, sight_of, visitor_of
from api.routes.logs import match_page, title_of
from api.routes.summaries import summaries
from api.routes.views import replay_of
from projections.board.notation import drawn
from projections.lines import event_lines, outcome_line, question_lines
from projections.replay import Replay

TEMPLATES = Path(__file__).parent.parent / "web" / "templates"

MATCHES_OF_A_LOG = 50
"""Matches of each log that the first page shows."""

router = APIRouter(include_in_schema=False)

_pages = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)

_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@router.get("/")
async def list_page(request: Request) -> Response:
    """Every log with public matches."""
    door = door_of(request)
    visitor = await visitor_of(door, request, None)
    await asyncio.to_thread(door.index.catch_up)
    logs = []
    for head in await asyncio.to_thread(door.archive.store.logs):
        if not door.index.has_public(head.log_id):
            continue
        page = await match_page(door, visitor, head.log_id, after=None, limit=MATCHES_OF_A_LOG)
        title = await asyncio.to_thread(title_of, door.archive, head.log_id)
        logs.append({"id": head.log_id, "title": title or head.log_id, **page})
    return await _page("index.html", logs=logs)


@router.get("/matches/{log}/{match}")
async def match_page_of(request: Request, log: LogId, match: MatchId) -> Response:
    """One match: who, the score, the board as it stands, and every entry."""
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=None)
    row = row_of(log, match, sight.live.recorded[0].global_position, shown)
    [summary] = await asyncio.to_thread(summaries, door_of(request), sight.visitor, [row])
    return await _page("match.html", **await asyncio.to_thread(_match, sight, shown, summary))


def _match(sight: Sight, shown: Replay, summary: dict[str, Any]) -> dict[str, Any]:
    names = {
        seat: " / ".join(known) or f"Player {number}"
        for number, (seat, known) in enumerate(summary["players"].items(), 1)
    }
    board = shown.state.positions.board
    return {
        "match": summary,
        "names": names,
        "board": None if board is None else drawn(board),
        "lines": event_lines(shown),
        "outcome": outcome_line(shown.state),
        "questions": [one for one in question_lines(shown) if one["answered"] is None],
        "is_behind": sight.version < sight.live.version,
    }


async def _page(template: str, **values: Any) -> Response:
    text = await asyncio.to_thread(_pages.get_template(template).render, **values)
    return Response(text, headers=_HEADERS, media_type="text/html")
