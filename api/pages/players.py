"""Pages of players in public matches: the list, and each player's matches."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup
from starlette.responses import RedirectResponse

from api.archive.index.catching_up import IndexBehind
from api.archive.index.players import Holding
from api.archive.index.rows import MatchRow, PlayedRow
from api.archive.index.spelled import asked, spellings
from api.html.kept import finished, hashed_answer
from api.html.templates import HEADERS, rendered
from api.refusals import Problem
from api.routes.shared.cursors import PageCursor, read_places, write_places
from api.routes.shared.door import ANONYMOUS, Door, door_of
from api.routes.shared.due import public_now
from api.routes.shared.listing import FEW, as_seen
from api.routes.shared.persons import (
    TRIED,
    is_known_player,
    names_of,
    path_of,
    played_by,
)
from api.routes.shared.players import player_shown
from api.routes.shared.summaries import summaries
from api.search.counting import Key, every_twin
from api.shapes.figures import PlayerCounted
from api.shapes.matches import MatchSummary
from events.values import ONE, TWO, Seat

PAGE = 50
"""How many players, or matches, one page has."""

OPPONENTS = 12
"""How many opponents a player's page names, those with most matches."""

LOOKED_AT = 2_000
"""How many players are looked at for one page of a search for a part of a name."""

Name = Annotated[str | None, Query(max_length=200, description="A name, or a part of one.")]

router = APIRouter(include_in_schema=False)


class Known(NamedTuple):
    """A line of the list of players."""

    name: str
    path: str
    """Address of the player's page."""
    matches: int
    """How many public matches of the player may be seen by now."""
    also: tuple[str, ...] = ()
    """Other names of the same player."""


class PlayedMatch(NamedTuple):
    """A match from the side of the player whose page it is."""

    match: MatchSummary
    seat: Seat


@router.get("/players")
async def players_page(request: Request, name: Name = None, cursor: PageCursor = None) -> Response:
    """The players in public matches, all or by a part of the name; most matches first."""
    door = door_of(request)
    wanted = (name or "").strip()
    place = read_places(cursor, tuple[int, int])
    await asyncio.to_thread(door.index.catch_up)
    is_known = bool(wanted) and await asyncio.to_thread(is_known_player, door, wanted)
    if is_known:
        language = urlencode(_language_asked(request))
        asked = f"?{language}" if language else ""
        return RedirectResponse(path_of(wanted) + asked, 303, {"Cache-Control": "no-cache"})
    players, following = await asyncio.to_thread(_players_called, door, place, wanted)
    values = {
        "players": players,
        "wanted": wanted,
        "query": Markup(urlencode({"name": wanted}) + "&") if wanted else "",
        "next_cursor": following,
        "is_first": cursor is None,
    }
    return await hashed_answer(
        request, lambda: finished(rendered(request, "players.html", **values).encode()), HEADERS
    )


@router.get("/players/{name:path}")
async def player_page(request: Request, name: str, cursor: PageCursor = None) -> Response:
    """One player's public matches, the newest first. Errors: Problem."""
    door = door_of(request)
    after = read_places(cursor, tuple[int, str, int])
    await asyncio.to_thread(door.index.catch_up)
    matches, following = await _matches(door, name, after)
    if not matches and cursor is None:
        near, _ = await asyncio.to_thread(_players_called, door, None, name.strip())
        if near and name.strip():
            # Another spelling, or a part of a name: redirect to the players who may be meant.
            asked = urlencode({"name": name.strip(), **_language_asked(request)})
            return RedirectResponse(f"/players?{asked}", 303, {"Cache-Control": "no-cache"})
        raise Problem("not-found", "no public match has a player of this name")
    shown = None
    with contextlib.suppress(IndexBehind):
        shown = await player_shown(door, name)
    twins = frozenset() if shown is None else shown.twins
    values = {
        "name": name,
        "path": path_of(name),
        "also": [
            (one, path_of(one))
            for one in await asyncio.to_thread(names_of, door, name)
            if one != name
        ],
        "counted": None if shown is None or cursor is not None else shown.counted,
        "paths": {} if shown is None else _paths(shown.counted),
        "matches": [one for one in matches if (one.match.log_id, one.match.match_id) not in twins],
        "next_cursor": following,
        "is_first": cursor is None,
    }
    return await hashed_answer(
        request, lambda: finished(rendered(request, "player.html", **values).encode()), HEADERS
    )


def _language_asked(request: Request) -> dict[str, str]:
    language = request.query_params.get("lang")
    return {} if language is None else {"lang": language}


def _paths(counted: PlayerCounted) -> dict[str, str]:
    """The addresses of the pages of the named opponents."""
    return {one.name: path_of(one.name) for one in counted.opponents[:OPPONENTS]}


def _players_called(
    door: Door, after: tuple[int, int] | None, part: str
) -> tuple[list[Known], str | None]:
    """Players whose name contains a part, in any case: those of one page, and a few more.

    If not all names are known yet, it goes through the list.
    """
    holding = door.index.players.holding(part, door.same.groups(), limit=FEW) if part else None
    found: list[Known] = []
    looked_at = 0
    while True:
        players, following = _players(door, after, holding)
        # By names that are shown: a joined name that is in no public match does not count.
        found += [
            one
            for one in players
            if any(asked(part) in spellings(name) for name in (one.name, *one.also))
        ]
        looked_at += PAGE
        if following is None or len(found) >= PAGE or not part or looked_at >= LOOKED_AT:
            return found, following
        after = read_places(following, tuple[int, int])


def _players(
    door: Door, after: tuple[int, int] | None, among: Holding | None
) -> tuple[list[Known], str | None]:
    """One page of players, of all or of some.

    It takes two look-ups for each log, whatever their number.
    """
    now_ms = public_now(door)
    listed = door.index.players.persons(now_ms=now_ms, after=after, limit=PAGE + 1, among=among)
    following = None
    if len(listed) > PAGE:
        listed = listed[:PAGE]
        place, last = listed[-1]
        following = write_places(place, last.person)
    played: dict[int, list[PlayedRow]] = {
        row.person: door.index.players.played(row.person, now_ms=now_ms, limit=TRIED)
        for _, row in listed
        if row.matches
    }
    names = door.index.players.names_in([row for rows in played.values() for row in rows])
    twins = every_twin(door.looks.positions, now_ms) if door.looks.is_made else []
    more = door.index.players.once(twins)
    shown = [
        _player(row.matches - more.get(row.person, 0), played[row.person], names)
        for _, row in listed
        if row.matches
    ]
    known = _as_one(door, [player for player in shown if player is not None], twins)
    # Sorted by name too, since the index has equal numbers of matches in no meaningful order.
    known.sort(key=lambda player: (-player.matches, player.name.casefold()))
    return known, following


def _as_one(door: Door, players: list[Known], twins: list[list[Key]]) -> list[Known]:
    """Players with all their names; names of the same player share one line."""
    group_of = {name: group for group in door.same.groups() for name in group}
    found = []
    for one in players:
        if one.name in group_of:
            names = names_of(door, one.name)
            if names[0] != one.name:
                continue
            played = {(match.log_id, match.stream_id) for match in played_by(door, one.name)}
            more = sum(max(0, len(played & {*same}) - 1) for same in twins)
            found.append(one._replace(matches=len(played) - more, also=tuple(names[1:])))
        else:
            found.append(one)
    return found


def _player(matches: int, played: list[PlayedRow], names: dict[str, str]) -> Known | None:
    name = next((names[one.sd] for one in played if one.sd in names), None)
    if name is None:
        return None
    return Known(name, path_of(name), matches)


async def _matches(
    door: Door, name: str, after: tuple[int, str, int] | None
) -> tuple[list[PlayedMatch], str | None]:
    """One page of a player's matches, each as the public may see it."""
    now_ms = await asyncio.to_thread(public_now, door)
    person = door.index.players.person_of(name)

    def listed() -> tuple[list[PlayedRow], list[MatchRow | None]]:
        rows = door.index.players.played(person, now_ms=now_ms, after=after, limit=PAGE + 1)
        names = door.index.players.names_in(rows[:PAGE])
        kept = [row for row in rows if names.get(row.sd) == name or row not in rows[:PAGE]]
        return kept, [door.index.match(row.log_id, row.stream_id) for row in kept]

    rows, found = await asyncio.to_thread(listed)
    following = None
    if len(rows) > PAGE:
        last = rows[PAGE - 1]
        following = write_places(last.since_ms, last.log_id, last.opened_at)
    seen = [
        await as_seen(door, ANONYMOUS, row)
        for row in found[:PAGE]
        if row is not None and row.is_public
    ]
    shown = await asyncio.to_thread(summaries, door, ANONYMOUS, [row for row in seen if row])
    return [
        PlayedMatch(one, ONE if name in one.players.one else TWO)
        for one in shown
        if name in (*one.players.one, *one.players.two)
    ], following
