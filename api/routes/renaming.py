"""Correcting a player's name: in the tournament's list and in the player's matches."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Request, Response

from api.desk.entries import EntryIn
from api.refusals import Problem
from api.rounds.opening import Ids
from api.rounds.rosters import Opened, all_lines
from api.routes.shared.directors import decided, player_director_of
from api.routes.shared.door import Door, LogId, Visitor, door_of
from api.routes.shared.requests import parsed
from api.shapes.documented import documented
from api.shapes.rounds import PlayerRenamed
from api.shapes.shape import JsonObject
from events.catalogue import encode
from events.envelope import TOURNAMENT_STREAM, Basis
from events.errors import BadInput
from events.payloads.match import MatchOpened
from events.store.journal import Intake
from events.store.protocol import Unit
from events.values import EntryId
from projections.folding.sayings import is_legible

PlayerId = Annotated[str, Path(description="Id of the player.", examples=["p-0417"])]

router = APIRouter(tags=["rounds"])


class AmendPlayer(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to correct a player's name."""

    request_id: EntryId
    """UUID made by the client; the same name with the same id is a retry."""
    name: Annotated[str, msgspec.Meta(max_length=120)]
    """The whole correct name."""


@router.post(
    "/logs/{log}/players/{player}",
    status_code=201,
    operation_id="amendPlayer",
    summary="Correct the name of a player",
    **documented(PlayerRenamed, also=200, writes=True, problems=(404, 409)),
)
async def amend_player(request: Request, log: LogId, player: PlayerId) -> Response:
    """Appends another `player.registered` and an `entry.amended` of each match: all or nothing.

    The records of second scribes are amended with their matches. The earlier entries stay in the
    ledger. The player keeps id and penalty points. Cancelled matches are amended too, because they
    may be restored.
    """
    door = door_of(request)
    await player_director_of(request, log)
    order = await parsed(request, AmendPlayer)
    name = " ".join(order.name.split())
    if not name or not all(map(is_legible, name)):
        raise BadInput(
            "a name has at least one character, and all of them can be shown", where="$.name"
        )
    ids = Ids(order.request_id, player, name)
    # A round that is opened meanwhile would still have the old name.
    async with door.at_players:
        return await decided(
            request,
            log,
            lambda visitor: _plan(door, visitor, log, player, name, ids),
            of="these matches",
        )


def _plan(
    door: Door, visitor: Visitor, log: str, player: str, name: str, ids: Ids
) -> tuple[PlayerRenamed, Intake | None]:
    """What to write (None: nothing), and the answer. Reads the store. Errors: Problem."""
    streams = len(door.archive.store.streams(log))
    roster = door.rosters.of(log)
    registered = roster.players.get(player)
    if registered is None:
        raise Problem("no-such-player", f"nobody is registered as {player}")
    lines = all_lines(door.index, door.reading, door.rooms, log, with_cancelled=True)
    played = [
        match for match, line in lines.items() if any(player in side for side in line.players)
    ]
    # A second scribe's record beside a match has the players' names too.
    beside = [one for match in played for one in door.reading.beside(log, match)]
    of_match = {ids.of("amended", match): match for match in (*played, *beside)}
    said = ids.of("registered")
    known = door.archive.store.find_entries(log, [said, *of_match])
    if known:
        matches = [match for entry_id in known if (match := of_match.get(entry_id)) in played]
        return PlayerRenamed(player, name, matches, duplicate=True), None
    units, premises = [], {TOURNAMENT_STREAM: roster.version}
    if Opened(door.reading, log, [registered.name]).text(registered.name) != name:
        body = {**msgspec.json.decode(encode(registered)), "name": name}
        entry = EntryIn(said, "player.registered", body)
        units.append(_unit(door, visitor, log, TOURNAMENT_STREAM, entry, roster.version))
    for entry_id, match in of_match.items():
        live = door.reading.live(log, match)
        opening = _said_anew(door, log, live.replay.opened, player, name)
        if opening is None:
            continue
        premises[match] = live.version
        said_anew = {"target": live.recorded[0].entry_id, "tag": "match.opened", "body": opening}
        entry = EntryIn(entry_id, "entry.amended", said_anew, basis=Basis.RULED)
        units.append(_unit(door, visitor, log, match, entry, live.version))
    matches = [unit.stream_id for unit in units if unit.stream_id in played]
    answer = PlayerRenamed(player, name, matches, duplicate=False)
    if not units:
        return answer, None
    return answer, Intake(log_id=log, premises=premises, streams=streams, units=tuple(units))


def _unit(
    door: Door, visitor: Visitor, log: str, stream: str, entry: EntryIn, version: int
) -> Unit:
    return door.desk.unit(visitor.hand, log, stream, [entry], expected_version=version)


def _said_anew(
    door: Door, log: str, opened: MatchOpened | None, player: str, name: str
) -> JsonObject | None:
    """The opening with the new name; None if the player already has that name."""
    if opened is None:
        return None
    called = [one.name for side in opened.players for one in side if one.id == player]
    told = Opened(door.reading, log, called)
    if all(told.text(one) == name for one in called):
        return None
    plain = msgspec.json.decode(encode(opened))
    for side in plain["players"].values():
        for one in side:
            if one.get("id") == player:
                one["name"] = name
    body: JsonObject = plain
    return body
