"""Results of a tournament, match by match, as somebody may see them: a list, and a CSV of it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from api.archive.index.index import MatchIndex
from api.archive.known import known_publicity, received_by
from api.archive.reading import Reading
from api.desk.room_lines import Line, Rooms, opened_so
from api.desk.room_standing import final_of, table_standing
from api.rounds.rosters import Opened, all_lines
from api.rounds.sheet import natural
from api.shapes.matches import Pair
from api.shapes.rounds import ResultRow, Sides, State
from events.personal import Commitment
from events.values import ONE, TWO, Seat
from projections.facts.roster import Roster

COLUMNS = (
    *("round", "table", "player_1", "player_2", "length", "score_1", "score_2", "winner"),
    *("state", "ended_by", "confirmed_by", "posted", "penalty_points_1", "penalty_points_2"),
)
"""Heading of the CSV file; the first five are read again as a sheet of pairings."""

_FORMULA = re.compile(r'(?:^|(?<=[;\t\r\n]))(?=["\s]*[-=+@])|^(?=[\t\r\n])')
"""Where a spreadsheet sees a formula begin: one of another country parts cells at semicolons, and
takes quotation marks behind one for the cell's own."""


class Eyes(NamedTuple):
    """Who looks."""

    is_staff: bool
    """By a grant over the whole tournament: matches that are not public too."""
    is_behind: bool
    """Whether the delay of public matches holds: for whoever has no grant, and on a wall."""
    rules: bool
    """Whether it is for who rules alone: no wall, and no viewer. An appeal is no secret then."""
    before: Callable[[int], int]
    """Delay to the moment by which an entry was received that everybody may know (`Lateness`)."""


class Seen(NamedTuple):
    """A match as whoever looks knows it."""

    line: Line
    awaits_ruling: bool
    """Whether it stands still until a ruling."""


def results_of(
    reading: Reading,
    index: MatchIndex,
    rooms: Rooms,
    log_id: str,
    *,
    roster: Roster,
    eyes: Eyes,
) -> list[ResultRow]:
    """Every match that may be seen, by round and table, with the byes. Reads the store.

    What is printed or shown in the hall is for everybody: while a ruling is awaited the score is
    the one that both accept, and of a match under appeal (evidence.md §6) none is told; to whoever
    has no grant that match is not told of at all.
    """
    lines = all_lines(index, reading, rooms, log_id)
    seen = {
        match: one
        for match, line in lines.items()
        if _is_seen(line, eyes) and (one := _known(reading, log_id, match, line, eyes)) is not None
    }
    wanted: list[Commitment | str | None] = []
    for line, _ in seen.values():
        wanted += [line.round, line.table, *line.names.one, *line.names.two]
    wanted += [player.name for player in roster.players.values()]
    wanted += [bye.round for bye in roster.byes.values()]
    opened = Opened(reading, log_id, wanted)
    rows = []
    for match, known in seen.items():
        line, told = known.line, _told(match, known, eyes)
        if told is not None:
            told.round = opened.text(line.round) or None
            told.table = opened.text(line.table) or None
            told.players = Sides(*(_names(line, seat, opened, roster) for seat in (ONE, TWO)))
            rows.append(told)
    if eyes.is_staff or rows:
        rows += _byes(roster, opened)
    rows.sort(key=_place)
    return rows


def _place(row: ResultRow) -> tuple[object, ...]:
    return (
        natural(row.round or ""),
        # Of rounds that read alike, "Final" and "final", one stands behind the other.
        row.round or "",
        row.state == "bye",
        natural(row.table or ""),
        row.match_id or "",
    )


def _is_seen(line: Line, eyes: Eyes) -> bool:
    if line.final.is_embargoed and not eyes.rules:
        # "Under appeal" beside two names would tell its committee whose case it hears.
        return False
    if eyes.is_staff:
        return True
    return line.shown.is_public and not line.final.is_appealed


def _names(line: Line, seat: Seat, opened: Opened, roster: Roster) -> list[str]:
    """What a side is called: by the list of players, where a name was corrected there."""
    found = []
    for player, sd in zip(line.players[seat], line.names[seat], strict=False):
        registered = roster.players.get(player) if player is not None else None
        name = opened.text(registered.name) if registered is not None else ""
        # A name that is withheld in the match is withheld here.
        said = opened.text(sd)
        found.append((name or said) if said else "")
    return [name for name in found if name]


def _known(reading: Reading, log_id: str, match: str, line: Line, eyes: Eyes) -> Seen | None:
    """What whoever looks knows of a match; None where nothing of it may be known yet."""
    if not line.final.is_held_back:
        return Seen(line, awaits_ruling=False)
    live = reading.live(log_id, match)
    version = live.replay.version
    if eyes.is_behind and live.publicity.is_public and live.publicity.delay_ms:
        moment = eyes.before(live.publicity.delay_ms)
        version, _ = received_by(reading.store, log_id, live, moment)
    publicity = known_publicity(reading, log_id, live, version)
    told = publicity.told(version)
    if told < 1:
        return None
    if told < live.replay.version:
        earlier = live.replay.at(told)
        line = opened_so(line, earlier.opened)._replace(
            standing=table_standing(earlier.state), final=final_of(earlier, live)
        )
    return Seen(line, publicity.awaits_ruling(version))


def _told(match: str, seen: Seen, eyes: Eyes) -> ResultRow | None:
    """How a match stands, who plays where being blank; None where it was cancelled."""
    line, awaits_ruling = seen
    standing, final = line.standing, line.final
    if standing.state == "cancelled":
        return None
    is_appealed = final.is_appealed
    state: State = "appeal" if is_appealed else "ruling" if awaits_ruling else standing.state
    is_over = state == "ended"
    tells_penalties = is_over or (eyes.is_staff and not eyes.is_behind and state == "live")
    return ResultRow(
        match_id=match,
        round=None,
        table=None,
        players=Sides([], []),
        length=standing.length,
        state=state,
        score=None if is_appealed or state == "waiting" else Pair(*standing.score),
        winner=final.winner if is_over else None,
        by=final.by if is_over else None,
        confirmed_by=final.confirmed_by if is_over else [],
        is_posted=is_over and final.is_posted,
        penalty_points=Pair(*standing.penalties) if tells_penalties else None,
        called=list(line.called) if state == "waiting" else [],
    )


def _byes(roster: Roster, opened: Opened) -> Iterator[ResultRow]:
    for bye in roster.byes.values():
        registered = [roster.players.get(player) for player in bye.players]
        names = [opened.text(one.name) for one in registered if one is not None]
        yield ResultRow(
            match_id=None,
            round=opened.text(bye.round) or None,
            table=None,
            players=Sides([name for name in names if name], []),
            length=None,
            state="bye",
            score=None,
            winner=None,
            by=None,
            confirmed_by=[],
            is_posted=False,
            penalty_points=None,
            called=[],
        )


def csv_of(rows: list[ResultRow]) -> str:
    """The rows as CSV with a heading; no cell begins what a spreadsheet would compute."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        score, points = row.score, row.penalty_points
        one, two = " / ".join(row.players.one), " / ".join(row.players.two)
        cells = (
            *(row.round, row.table, one, "bye" if row.state == "bye" else two, row.length),
            *(("", "") if score is None else (score.one, score.two)),
            {ONE: one, TWO: two}.get(row.winner) if row.winner is not None else None,
            *(row.state, row.by, "+".join(row.confirmed_by)),
            "yes" if row.is_posted else "",
            *(("", "") if points is None else (points.one, points.two)),
        )
        writer.writerow([_harmless(cell) for cell in cells])
    return out.getvalue()


def _harmless(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return _FORMULA.sub("'", text) if isinstance(cell, str) else text
