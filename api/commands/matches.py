"""`tabularium matches`: the matches of the archive, one on each line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from api.archive.index.rows import PLAIN_WINS, MatchRow
from api.commands.common import Db, Json, OfLog, Shelf, reading
from api.commands.printing import counted, line, refuse_unreadable, safe, say, show
from events.personal import Commitment
from events.values import BySeat, Seat
from projections.views.lines import Line

PAGE = 500
"""Rows of a list that are read at a time."""

LISTED = 100
"""Matches that are shown on a terminal unless more are requested."""


def matches(
    db: Db = None,
    log: OfLog = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=0, help=f"Most matches listed; 0 = all. (default: {LISTED}; with --json all)"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the matches of the archive.

    The exit code is 1 if a listed match cannot be read.
    """
    most = limit if limit is not None else (0 if as_json else LISTED)
    with reading(db) as shelf:
        if log is not None:
            shelf.archive.store.log_head(log)
        shelf.index.catch_up(None if log is None else [log])
        shown = damaged = 0
        for row, names, event in _rows(shelf, log):
            if most and shown == most:
                rest = "there are more: --limit 0 lists all"
                say(f"{counted(most, 'match', 'matches')} listed; {rest}")
                break
            shown += 1
            damaged += row.state == "damaged"
            if as_json:
                line(_row_json(row, names, event))
            else:
                show(_row_line(row, names))
        if not shown:
            where = "" if log is None else f" in log {log}"
            say(f"no matches{where} yet: `tabularium import FILE.mat` brings some in")
    refuse_unreadable(damaged)


def _rows(shelf: Shelf, log: str | None) -> Iterator[tuple[MatchRow, BySeat[str], str | None]]:
    """Rows with their names opened, a page at a time."""
    after: tuple[str, int] | None = None
    while page := shelf.index.matches(log, after=after, limit=PAGE):
        after = (page[-1].log_id, page[-1].opened_at)
        wanted: dict[str, list[Commitment]] = {}
        for row in page:
            hashes = [*row.names[0], *row.names[1], *([row.event] if row.event else [])]
            wanted.setdefault(row.log_id, []).extend(Commitment(sd) for sd in hashes)
        values: dict[str, str] = {}
        for log_id, commitments in wanted.items():
            values |= shelf.archive.reading.texts(log_id, commitments)
        for row in page:
            names = BySeat(
                *(
                    " / ".join(values[sd] for sd in side if sd in values) or f"Player {number}"
                    for number, side in enumerate(row.names, 1)
                )
            )
            yield row, names, values.get(row.event or "")


def _row_json(row: MatchRow, names: BySeat[str], event: str | None) -> Line:
    told: Line = {
        "log_id": row.log_id,
        "match_id": row.stream_id,
        "names": {"one": names.one, "two": names.two},
        "event": event,
        "length": row.length,
        "score": {"one": row.score_one, "two": row.score_two},
        "games": row.games,
        "state": row.state,
        "winner": row.winner,
        "won_by": row.won_by,
        "version": row.version,
        "rule_set": row.rule_set,
        "findings": row.findings,
        "questions": row.questions,
        "public": row.is_public,
        "dialect": row.source,
    }
    if row.state != "damaged":
        return told
    # Of a match that cannot be read only its position is known.
    return {one: told[one] if one in _OF_DAMAGED else None for one in told}


_OF_DAMAGED = {"log_id", "match_id", "state"}


def _row_line(row: MatchRow, names: BySeat[str]) -> str:
    """One line for people, in columns wide enough for usual names."""
    place = f"{row.stream_id[:8]:<8}  {row.log_id:<10}"
    if row.state == "damaged":
        return f"{place}  {'-':>5}  {'-':>5}  ({stage_of(row)})"
    score = f"{row.score_one}-{row.score_two}"
    length = "money" if row.length is None else f"{row.length} pt"
    who = f"{safe(names.one)} - {safe(names.two)}"
    marks = [stage_of(row) if row.winner is None else f"{safe(names[Seat(row.winner)])} won"]
    if row.won_by not in PLAIN_WINS:
        marks[0] += f" by {str(row.won_by).replace('_', ' ')}"
    if row.findings:
        marks.append(counted(row.findings, "finding"))
    if row.questions:
        marks.append(counted(row.questions, "open question"))
    if row.is_public:
        marks.append("public")
    return f"{place}  {length:>5}  {score:>5}  {who}  ({', '.join(marks)})"


_STAGES = {
    "waiting": "to begin",
    "live": "in play",
    "ended": "finished",
    "cancelled": "cancelled",
    "damaged": "unreadable",
}
"""The state of a match, in the words of the pages."""


def stage_of(row: MatchRow) -> str:
    """How far a match is: a file that breaks off is of a match that nobody plays any more."""
    is_broken_off = row.source is not None and row.state in ("waiting", "live")
    return "unfinished" if is_broken_off else _STAGES[row.state]
