"""`tabularium search` and `index`: search of turns by their board, and its indexes."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
import typer

from api.archive.index.file import LISTS, index_file
from api.archive.rule_texts import texts_of
from api.commands.common import Db, Json, OfLog, Shelf, check_rule_set, reading, settings_of
from api.commands.printing import counted, fail, line, moving, refuse_unreadable, safe, say, show
from api.desk.hand import Hand
from api.routes.shared.door import Visitor
from api.routes.shared.listing import Filters, fits, is_day
from api.routes.shared.searching import told
from api.routes.shared.summaries import summaries
from api.search.building import build
from api.search.counting import Key, twins
from api.search.positions import FoundTurn, PositionIndex
from api.search.question import LIKE, Question, asked_of
from api.search.tables import POSITIONS
from api.shapes.matches import MatchSummary
from api.shapes.search import TurnFound
from events.envelope import ARCHIVE_LOG
from events.errors import BadInput
from events.payloads.access import Role, ScopeKind
from projections.custody.access import Grant

OPERATOR = Visitor(Hand((Grant("", Role.ARCHIVIST, ScopeKind.ARCHIVE, ARCHIVE_LOG),)))
"""The user of the command line may read everything."""

_PAGE = 500
"""Turns that are read at a time."""


def search(
    text: Annotated[
        str,
        typer.Argument(
            metavar="BOARD",
            help="An XGID, or GNU Backgammon's Position ID with or without its Match ID. (default:"
            " any board)",
        ),
    ] = "",
    like: Annotated[
        str,
        typer.Option(
            help="exact: this board; free: it may differ on the points of --free; near: also boards"
            " on which the checkers of at most two points are at most two pips away."
        ),
    ] = "exact",
    free: Annotated[
        str, typer.Option("--free", help="Points that do not matter: '1 2 20-24 bar'.")
    ] = "",
    as_written: Annotated[
        bool, typer.Option("--as-written", help="Also match the score, roll and cube in the text.")
    ] = False,
    dice: Annotated[str, typer.Option("--dice", help="A roll, such as 31.")] = "",
    cube: Annotated[int | None, typer.Option("--cube", help="Value of the cube.")] = None,
    owner: Annotated[
        str, typer.Option("--owner", help="Owner of the cube: middle, own, other.")
    ] = "",
    double: Annotated[
        str, typer.Option("--double", help="Answer to a double: taken, dropped, beavered, offered.")
    ] = "",
    away: Annotated[
        str,
        typer.Option(
            "--away",
            metavar="N-N",
            help="Points that both players need, the player on roll first: 3-5.",
        ),
    ] = "",
    finding: Annotated[str, typer.Option("--finding", help="Code of a finding in the turn.")] = "",
    section: Annotated[str, typer.Option("--section", help="Section that the finding cites.")] = "",
    player: Annotated[
        str | None, typer.Option("--player", help="A part of a player's name.")
    ] = None,
    event: Annotated[
        str | None, typer.Option("--event", help="A part of the event's name.")
    ] = None,
    since: Annotated[str | None, typer.Option("--since", help="Day, as 2026-01-31.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Day, as 2026-12-31.")] = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="ID", help="Rule set of the match.")
    ] = None,
    log: OfLog = None,
    limit: Annotated[int, typer.Option(min=0, help="Maximum number of turns; 0 = all.")] = 50,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Search turns by their board, score, roll, cube and findings, in matches that are over."""
    if like not in LIKE:
        fail(f"--like is one of {', '.join(LIKE)}")
    check_rule_set(rules)
    _check_day("--since", since)
    _check_day("--until", until)
    own, other = _away(away)
    try:
        asked = asked_of(
            Question(
                text=text,
                like=next(one for one in LIKE if one == like),
                free=free,
                as_written=as_written,
                dice=dice,
                cube=cube,
                owner=owner,
                double=double,
                own_away=own,
                other_away=other,
                finding=finding,
                section=section,
            )
        )
    except BadInput as error:
        fail(error.message)
    filters = Filters(player, event, since, until, rules)
    with reading(db) as shelf, positions_of(shelf) as positions:
        if log is not None:
            shelf.archive.store.log_head(log)
        shelf.index.catch_up()
        positions.catch_up()
        asked = msgspec.structs.replace(asked, log_id=log)
        shown, after = 0, None
        while turns := positions.find(asked, after=after, limit=_PAGE, also=None):
            after = (turns[-1].match, turns[-1].version)
            found = list(_told(shelf, turns, filters))
            # A turn found in one record of a match may be missing in another record of it.
            if not (finding or section):
                others = _others(shelf, positions, [one.match for one in found], log, filters)
                found = [one for one in found if _key(one.match) not in others]
            for turn in found:
                if limit and shown == limit:
                    say(f"{counted(limit, 'turn')} listed; there are more: --limit 0 lists all")
                    return
                shown += 1
                if as_json:
                    line(msgspec.to_builtins(turn))
                else:
                    show(_line(turn))
        if not shown:
            say("no turn of a match that is over is like that")


def _away(text: str) -> tuple[int | None, int | None]:
    if not text:
        return None, None
    found = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", text)
    if found is None:
        fail("--away is written as 3-5: what the player on roll needs, then the opponent")
    return int(found[1]), int(found[2])


def _check_day(option: str, day: str | None) -> None:
    """Check that the day exists and is written as days are compared; else the command ends."""
    if day is not None and not is_day(day):
        fail(f"{option} takes a day, as 2026-01-31, and not {day!r}")


def _told(shelf: Shelf, turns: list[FoundTurn], filters: Filters) -> Iterator[TurnFound]:
    """The turns whose match fits the filters."""
    rows = {
        turn.match: row
        for turn in turns
        if (row := shelf.index.match(turn.log_id, turn.stream_id)) is not None
    }
    seen = dict(zip(rows, summaries(shelf.archive, OPERATOR, list(rows.values())), strict=True))
    for turn in turns:
        match = seen.get(turn.match)
        if match is not None and fits(match, filters):
            yield told(turn, match)


def _others(
    shelf: Shelf,
    positions: PositionIndex,
    matches: Iterable[MatchSummary],
    log: str | None,
    filters: Filters,
) -> set[Key]:
    """Those in whose place another record of the same match that fits as well is listed."""
    versions = {_key(match): match.version for match in matches}
    found = set()
    for key, same in twins(positions, versions.items()).items():
        before = same[: [one.key for one in same].index(key)]
        rows = [
            row
            for one in before
            if log in (None, one.key[0])
            and (row := shelf.index.match(*one.key)) is not None
            and one.since <= row.version <= one.last
            and not (row.is_in_play or row.awaits_ruling)
        ]
        if any(fits(one, filters) for one in summaries(shelf.archive, OPERATOR, rows)):
            found.add(key)
    return found


def _key(match: MatchSummary) -> Key:
    return match.log_id, match.match_id


def _line(turn: TurnFound) -> str:
    match = turn.match
    names = [
        safe(" / ".join(side) or f"Player {number}")
        for number, side in enumerate((match.players.one, match.players.two), 1)
    ]
    dice = "--" if turn.dice is None else "".join(map(str, turn.dice))
    away = "money" if not match.length else f"{turn.away.own}-{turn.away.other} away"
    cube = f"cube {turn.cube.value}" + {"own": " own", "other": " theirs"}.get(turn.cube.owner, "")
    double = "" if turn.double is None else f", double {turn.double}"
    place = f"{match.match_id[:8]:<8}  {turn.version:>5}"
    return f"{place}  {turn.position_id}  {dice}  {away}, {cube}{double}  {' - '.join(names)}"


def index(
    anew: Annotated[
        bool, typer.Option("--anew", help="Delete the indexes and build them again.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Number of processes that read matches. (default: one for each processor)",
        ),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Update the indexes of lists and turns, so that later searches need not wait for it.

    A server updates them by itself when they are needed; use this for a large archive before it is
    served. The exit code is 1 if a match cannot be read.
    """
    settings = settings_of(db)
    with reading(db) as shelf, positions_of(shelf) as positions:
        shelf.index.catch_up()
        if anew:
            positions.clear()
        with moving("indexing") as moved:
            build(
                positions,
                shelf.archive.store,
                shelf.archive.url,
                in_hand=texts_of(settings).in_hand(),
                workers=workers,
                moved=moved,
            )
        positions.catch_up()
        matches, turns = positions.count()
        damaged = shelf.index.unreadable()
        for made, tables in ((shelf.index, LISTS), (positions, POSITIONS)):
            place = index_file(shelf.archive.url, tables)
            if place is not None and not made.is_kept:
                fail(
                    f"{made.what} could not be kept in {place}: make room on its disk, or see that"
                    " this user may write there, then give the command again"
                )
    if as_json:
        line({"matches": matches, "turns": turns})
    else:
        show(f"{counted(matches, 'match', 'matches')} and {counted(turns, 'turn')} can be searched")
    refuse_unreadable(damaged)


@contextlib.contextmanager
def positions_of(shelf: Shelf) -> Iterator[PositionIndex]:
    """The index of turns of an archive, open."""
    archive = shelf.archive
    path = index_file(archive.url, POSITIONS)
    with contextlib.closing(PositionIndex(archive.store, archive.reading, path=path)) as found:
        yield found
