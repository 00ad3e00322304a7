"""Statistics of one player: record, opponents, cube, time, and an engine's analysis."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from api.analysis.engines import JudgedGame
from api.analysis.released import match_at
from api.analysis.results import By, Results
from api.analysis.sums import PR, sums_of
from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.archive.index.rows import MatchRow
from api.routes.shared.door import ANONYMOUS, Door
from api.routes.shared.due import public_now
from api.routes.shared.listing import as_seen
from api.routes.shared.persons import Played, names_of, played_by
from api.routes.shared.summaries import HasHand, summaries
from api.search.counting import Counted, Key, PlayerSums, sums_of_player
from api.search.figures import Habits
from api.shapes.figures import (
    CubeCounted,
    GamesCounted,
    LengthCounted,
    OpponentCounted,
    PlayerCounted,
    SkillCounted,
    TimeCounted,
)
from api.shapes.matches import MatchSummary
from events.values import Seat

ANALYSED = 200
"""Most analysed matches of a player whose figures are read, the newest first."""


class Shown(NamedTuple):
    """What is counted, and which of the player's matches are left out of lists."""

    counted: PlayerCounted
    twins: frozenset[Key]
    """Matches in whose place another record of the same match is listed."""


async def player_shown(door: Door, name: str) -> Shown:
    """What anybody may know of a player. Errors: Problem, IndexBehind."""
    await asyncio.to_thread(door.looks.catch_up)
    played = await asyncio.to_thread(played_by, door, name)
    names = await asyncio.to_thread(names_of, door, name)
    groups = await asyncio.to_thread(door.same.groups)
    now_ms = await asyncio.to_thread(public_now, door)
    asked = Counted(public_by=now_ms, of=played)
    sums = await door.looks.ask(lambda index: sums_of_player(index, asked))
    listed = await asyncio.to_thread(rows_of, door.index, played, sums)
    rows = [seen for row in listed if (seen := await as_seen(door, ANONYMOUS, row)) is not None]
    counted = await asyncio.to_thread(
        counted_of,
        door.archive,
        rows,
        door.results,
        ANONYMOUS,
        names,
        played,
        sums,
        groups,
    )
    return Shown(counted, sums.twins)


def rows_of(index: MatchIndex, played: Sequence[Played], sums: PlayerSums) -> list[MatchRow]:
    """The rows of those of a player's matches that are counted."""
    keys = [one[:2] for one in played if one[:2] in sums.matches]
    return [row for key in keys if (row := index.match(*key)) is not None]


def counted_of(
    archive: Archive,
    rows: Sequence[MatchRow],
    results: Results,
    visitor: HasHand,
    names: Sequence[str],
    played: Sequence[Played],
    sums: PlayerSums,
    groups: Iterable[tuple[str, ...]] = (),
) -> PlayerCounted:
    """A player's sums with what the rows of those matches say that are counted. Reads the store.

    `names`: the player's, the listed one first; `groups`: names of one player each, by which
    opponents are told.
    """
    seats = {one[:2]: Seat.ONE if one.seat == 1 else Seat.TWO for one in played}
    shown = summaries(archive, visitor, list(rows))
    matches = [(one, seats[one.log_id, one.match_id]) for one in shown]
    won, lost = _results(matches)
    habits = sums.habits
    return PlayerCounted(
        name=names[0],
        also=list(names[1:]),
        matches=len(matches),
        won=won,
        lost=lost,
        undecided=len(matches) - won - lost,
        lengths=_lengths(matches),
        opponents=_opponents(matches, groups),
        games=GamesCounted(habits.games, habits.games_won, habits.gammons_won, habits.gammons_lost),
        cube=_cube(habits),
        time=TimeCounted(
            sums.timed,
            habits.decisions,
            round(habits.thought_ms / habits.decisions) if habits.decisions else None,
            habits.slowest_ms if habits.decisions else None,
        ),
        skill=_skill(archive, results, rows, seats),
    )


_Matches = Iterable[tuple[MatchSummary, Seat]]


def _results(matches: _Matches) -> tuple[int, int]:
    decided = [one.winner is seat for one, seat in matches if one.winner is not None]
    return sum(decided), len(decided) - sum(decided)


def _lengths(matches: _Matches) -> list[LengthCounted]:
    by_length: dict[int, list[tuple[MatchSummary, Seat]]] = defaultdict(list)
    for one, seat in matches:
        by_length[one.length or 0].append((one, seat))
    return [
        LengthCounted(length or None, len(found), *_results(found))
        for length, found in sorted(by_length.items())
    ]


def _opponents(matches: _Matches, groups: Iterable[tuple[str, ...]]) -> list[OpponentCounted]:
    """Opponents; one with several names is listed under the first of them that occurs here."""
    group_of = {name: group for group in groups for name in group}
    by_player: dict[tuple[str, ...], list[tuple[MatchSummary, Seat]]] = defaultdict(list)
    told: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for one, seat in matches:
        for name in one.players.two if seat is Seat.ONE else one.players.one:
            group = group_of.get(name, (name,))
            by_player[group].append((one, seat))
            told[group].add(name)
    by_name = {
        next(name for name in group if name in told[group]): of for group, of in by_player.items()
    }
    found = [OpponentCounted(name, len(of), *_results(of)) for name, of in by_name.items()]
    return sorted(found, key=lambda one: (-one.matches, one.name.casefold()))


def _cube(habits: Habits) -> CubeCounted:
    return CubeCounted(
        doubles=habits.doubles,
        redoubles=habits.redoubles,
        taken=habits.taken,
        dropped=habits.dropped,
        mean_turn=round(habits.double_turns / habits.doubles, 1) if habits.doubles else None,
        faced=habits.faced,
        takes=habits.takes,
    )


def _skill(
    archive: Archive, results: Results, rows: Iterable[MatchRow], seats: dict[Key, Seat]
) -> SkillCounted | None:
    """The analysis of the engine that judged most matches; figures of two engines are not mixed."""
    if not results.is_there:
        return None
    by_engine: dict[By, list[tuple[Sequence[JudgedGame], Seat]]] = defaultdict(list)
    looked_at = 0
    for row in rows:
        match = match_at(archive, row.log_id, row.stream_id, row.version)
        found = None if match is None else results.found(match)
        if found is not None:
            by_engine[found.by].append((found.games, seats[row.log_id, row.stream_id]))
            looked_at += 1
        if looked_at == ANALYSED:
            break
    if not by_engine:
        return None
    by, judged = max(by_engine.items(), key=lambda one: len(one[1]))
    sums = [sums_of(games, seat) for games, seat in judged]
    decisions = sum(one.decisions for one in sums)
    luck = [one.luck for one in sums if one.luck is not None]
    return SkillCounted(
        matches=len(judged),
        engine=by.engine,
        engine_version=by.version,
        preset=by.preset,
        pr=round(PR * sum(one.lost for one in sums) / decisions, 2) if decisions else None,
        decisions=decisions,
        luck=round(sum(luck), 3) if luck else None,
        rolls=sum(one.rolls for one in sums),
    )
