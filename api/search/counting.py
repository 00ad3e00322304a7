"""Counting: replies to opening rolls, what players did, and matches that are here more than once.

Only what the visitor may see is counted: the conditions of `Counted` are part of every query. A
match that was imported from several files is counted once.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from api.archive.known import EVER
from api.search.figures import Habits
from api.search.positions import PositionIndex

Key = tuple[str, str]
"""(log, stream) of a match."""

_BETTER = "is_import, opened_at, log_id, stream_id"
"""Order of several records of one match, of which the first is shown: recorded at the table before
imported, then the oldest."""

_KNOWN = (
    "is_public AND due_ms <= :now AND :now < until_ms"
    " AND (:now < still_from_ms OR still_until_ms <= :now)"
)
"""Matches as the public knows them by now, without those that are under a dispute."""

_AS_THEY_ARE = f"until_ms = {EVER}"
"""All matches, as they are."""


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """Which matches are counted."""

    public_by: int | None
    """Those that anybody may know whole at this moment, ms since 1970 UTC; None = all."""
    log_id: str | None = None
    rule_set: str | None = None
    length: int | None = None
    """0 = money."""
    of: Sequence[tuple[str, str, int]] | None = None
    """(log, stream, seat) of one player's matches: only what was done from that seat."""


class Sums(NamedTuple):
    """What a play led to, for who made it."""

    games: int
    """Games in which it was played."""
    over: int
    """Those of them that somebody won."""
    won: int
    gammons_won: int
    """Gammons and backgammons."""
    gammons_lost: int
    points: int
    """Points won, less points lost, the cube left out: 2 for a gammon."""
    points_with_cube: int
    """The same as they were scored: 4 for a gammon with the cube at 2."""


class Reply(NamedTuple):
    """A play, and what it led to."""

    dice: int
    """The roll, higher die first."""
    play: str
    """As most wrote it."""
    after: str
    """Position ID after it, for the opponent."""
    sums: Sums


class Replies(NamedTuple):
    """What was played."""

    matches: int
    """Matches that were looked at."""
    found: list[Reply]
    """By roll; those that were played most come first."""


class Twin(NamedTuple):
    """One record of a match that is here more than once."""

    key: Key
    since: int
    """Version from which on it is the same match as the others."""
    last: int
    """Version up to which it is."""


class PlayerSums(NamedTuple):
    """What somebody did in some matches."""

    matches: frozenset[Key]
    """Which of those that were asked about are counted."""
    twins: frozenset[Key]
    """Those in whose place another one of them is."""
    habits: Habits
    """The sums; the slowest decision is the slowest of all."""
    timed: int
    """Matches of which the time of a decision is known."""


def _seen(asked: Counted, db: sqlite3.Connection) -> tuple[str, dict[str, object]]:
    """The matches that may be counted as a table `ranked`, those that are as `kept`; its values."""
    where = [_AS_THEY_ARE if asked.public_by is None else _KNOWN]
    values: dict[str, object] = {"now": asked.public_by}
    for column in ("log_id", "rule_set", "length"):
        wanted = getattr(asked, column)
        if wanted is not None:
            where.append(f"match.{column} = :{column}")
            values[column] = wanted
    source = "match"
    seat = "NULL"
    if asked.of is not None:
        columns = "log_id TEXT, stream_id TEXT, seat INTEGER"
        db.execute(f"CREATE TEMP TABLE IF NOT EXISTS played ({columns})")
        db.execute("DELETE FROM temp.played")
        db.executemany("INSERT INTO temp.played VALUES (?, ?, ?)", asked.of)
        source, seat = "temp.played AS p CROSS JOIN match USING (log_id, stream_id)", "p.seat"
    return (
        f"ranked AS MATERIALIZED (SELECT number, log_id, stream_id, {seat} AS seat, row_number()"
        f" OVER (PARTITION BY coalesce(moves, number) ORDER BY {_BETTER}) AS place"
        f" FROM {source} WHERE {' AND '.join(where)}),"
        " kept AS MATERIALIZED (SELECT * FROM ranked WHERE place = 1)",
        values,
    )


def replies(
    index: PositionIndex,
    asked: Counted,
    *,
    first: int | None = None,
    after: str | None = None,
    second: int | None = None,
) -> Replies:
    """What was played with the opening rolls; or, `after` a first play, with the second rolls.

    `first`, `second`: only with this roll (31); `after`: Position ID after the first play.
    """
    is_second = after is not None
    dice, play, board, mover = (
        ("second", "answer", "answered", "3 - opening.seat")
        if is_second
        else ("first", "play", "after", "opening.seat")
    )
    where = [f"{dice} IS NOT NULL", f"(kept.seat IS NULL OR kept.seat = {mover})"]
    for column, value in (("first", first), ("after", after), ("second", second)):
        if value is not None:
            where.append(f"opening.{column} = :{column}")
    with index.looking() as db:
        kept, values = _seen(asked, db)
        values |= {"first": first, "after": after, "second": second}
        matches = db.execute(f"WITH {kept} SELECT count(*) FROM kept", values).fetchone()[0]
        # Of one player's matches each is looked up; of all of them the openings are gone through,
        # in an index that holds all that is asked of them.
        by = "opening_by_second" if is_second else "opening_by_first"
        source = (
            f"opening INDEXED BY {by} CROSS JOIN kept"
            if asked.of is None
            else "kept CROSS JOIN opening INDEXED BY opening_by_match"
        )
        won = f"winner = {mover}"
        lost = f"winner = 3 - ({mover})"

        def points(worth: str) -> str:
            return f"total(CASE WHEN {won} THEN {worth} WHEN {lost} THEN -{worth} ELSE 0 END)"

        rows = db.execute(
            f"WITH {kept} SELECT {dice}, {board}, {play}, count(*) AS many, count(winner),"
            f" total({won}), total({won} AND level > 1), total({lost} AND level > 1),"
            f" {', '.join(map(points, ('coalesce(level, 1)', 'worth')))}"
            f" FROM {source} ON opening.match = kept.number"
            f" WHERE {' AND '.join(where)} GROUP BY 1, 2, 3 ORDER BY 1, 2, many DESC",
            values,
        ).fetchall()
    found = []
    for (roll, end), same in itertools.groupby(rows, lambda row: (row[0], row[1])):
        spelled = list(same)
        sums = Sums(*(int(sum(row[place] for row in spelled)) for place in range(3, 10)))
        found.append(Reply(int(roll), str(spelled[0][2]), str(end), sums))
    found.sort(key=lambda one: (one.dice, -one.sums.games, one.play))
    return Replies(int(matches), found)


def sums_of_player(index: PositionIndex, asked: Counted) -> PlayerSums:
    """What somebody did in the matches `asked.of`."""
    columns = Habits._fields[1:-1]
    sums = ", ".join(f"coalesce(sum({column}), 0)" for column in columns)
    with index.looking() as db:
        kept, values = _seen(asked, db)
        ranked = db.execute(
            f"WITH {kept} SELECT log_id, stream_id, place FROM ranked", values
        ).fetchall()
        *told, slowest, timed = db.execute(
            f"WITH {kept} SELECT {sums}, coalesce(max(slowest_ms), 0), total(decisions > 0)"
            " FROM kept JOIN habit ON habit.match = kept.number AND habit.seat = kept.seat",
            values,
        ).fetchone()
    habits = Habits._make((0, *map(int, told), int(slowest)))
    matches, others = (
        frozenset((log, stream) for log, stream, place in ranked if (place == 1) is is_first)
        for is_first in (True, False)
    )
    return PlayerSums(matches, others, habits, int(timed))


def twins(index: PositionIndex, seen: Iterable[tuple[Key, int]]) -> dict[Key, list[Twin]]:
    """Of each match, as it is seen up to a version, that is here more than once: all of it, in the
    order in which one is shown.
    """
    asked = dict(seen)
    found = {}
    with index.looking() as db:
        # Few are: one question for all of them, before one for each.
        more = db.execute(
            "SELECT DISTINCT log_id, stream_id FROM json_each(?) AS one CROSS JOIN match"
            " ON log_id = json_extract(one.value, '$[0]')"
            " AND stream_id = json_extract(one.value, '$[1]')"
            " CROSS JOIN again USING (moves)",
            (msgspec.json.encode([*asked]).decode(),),
        ).fetchall()
        for key in ((str(log), str(stream)) for log, stream in more):
            version = asked[key]
            same = db.execute(
                "SELECT log_id, stream_id, since, CASE WHEN until_ms < ? THEN version ELSE ? END"
                " FROM match WHERE moves = (SELECT moves FROM match WHERE log_id = ? AND"
                " stream_id = ? AND since <= ? ORDER BY since DESC LIMIT 1)"
                f" ORDER BY {_BETTER}",
                (EVER, EVER, *key, version),
            ).fetchall()
            if len(same) > 1:
                found[key] = [Twin((str(log), str(stream)), *more) for log, stream, *more in same]
    return found


def every_twin(index: PositionIndex, public_by: int) -> list[list[Key]]:
    """Public matches that are here more than once, each in the order in which one is shown."""
    with index.looking() as db:
        rows = db.execute(
            "SELECT moves, log_id, stream_id FROM again CROSS JOIN match USING (moves)"
            f" WHERE {_KNOWN} ORDER BY moves, {_BETTER}",
            {"now": public_by},
        ).fetchall()
    found = (
        [(str(log), str(stream)) for _, log, stream in same]
        for _, same in itertools.groupby(rows, lambda row: row[0])
    )
    return [same for same in found if len(same) > 1]
