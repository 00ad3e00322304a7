"""The opening of a match for a director: read as it stands, and edited by an entry."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Request, Response

from api.archive.reading import Live, Reading
from api.desk.entries import EntryIn
from api.rounds.opening import Ids
from api.rounds.rosters import Opened
from api.rounds.sheet import key_of
from api.routes.shared.door import (
    Door,
    LogId,
    MatchId,
    Visitor,
    check_is_match,
    door_of,
    json_answer,
    visitor_of,
)
from api.routes.shared.requests import parsed
from api.routes.shared.writing import recorded_answer
from api.shapes.documented import documented
from api.shapes.rooms import NamesOf, OpeningOut
from api.shapes.shape import JsonObject
from events.catalogue import encode
from events.envelope import Basis
from events.errors import BadInput, ExpectedVersionMismatch, StoreBusy
from events.payloads.match import MatchCancelled, MatchOpened, Player
from events.personal import Commitment, Disclosed, Withheld, text_of
from events.values import EntryId
from projections.replay import Replay

TRIES = 5
"""How often an edit is tried while others write to the match."""

TEXTS = ("event", "round", "table", "division", "place", "date", "appointed_start")
"""Members of `match.opened` that are one personal value."""

PLAIN = ("length", "rule_set", "options", "clock_terms")
"""Members that are not personal."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]

router = APIRouter(tags=["matches"])


Side = Annotated[list[Name | None], msgspec.Meta(max_length=2)]


class Names(msgspec.Struct, forbid_unknown_fields=True):
    """New names of the players in each seat; two names in doubles. A seat left out stays."""

    one: Side | msgspec.UnsetType = msgspec.UNSET
    """Names in plain text; null keeps the player in that seat, whose name may be withheld."""
    two: Side | msgspec.UnsetType = msgspec.UNSET
    """The same of seat two."""


class Changes(msgspec.Struct, forbid_unknown_fields=True):
    """New values; a member left out stays as it is, null removes it."""

    players: Names | msgspec.UnsetType = msgspec.UNSET
    """A player whose name is unchanged keeps id, commitment and everything else."""
    length: int | msgspec.UnsetType | None = msgspec.UNSET
    rule_set: str | msgspec.UnsetType | None = msgspec.UNSET
    options: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    clock_terms: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    event: str | msgspec.UnsetType | None = msgspec.UNSET
    round: str | msgspec.UnsetType | None = msgspec.UNSET
    table: str | msgspec.UnsetType | None = msgspec.UNSET
    division: str | msgspec.UnsetType | None = msgspec.UNSET
    place: str | msgspec.UnsetType | None = msgspec.UNSET
    date: str | msgspec.UnsetType | None = msgspec.UNSET
    appointed_start: str | msgspec.UnsetType | None = msgspec.UNSET


class AmendOpening(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to edit a match."""

    changes: Changes
    """The members to change."""
    reason: str | None = None
    """Why; a personal value, stored as a commitment."""
    entry_id: EntryId | None = None
    """UUID of the entry, made by the client; repeat it to retry."""


@router.get(
    "/logs/{log}/matches/{match}/opening",
    operation_id="getOpening",
    summary="Read the opening of a match in order to edit it",
    **documented(OpeningOut, problems=(404,)),
)
async def get_opening(request: Request, log: LogId, match: MatchId) -> Response:
    """For a director: the opening with corrections applied, and its disclosed values."""
    door = door_of(request)
    _, live = await _edited(door, request, log, match)
    value = await asyncio.to_thread(_line, door.reading, log, match, live)
    return json_answer(value, headers={"Cache-Control": "no-store", "ETag": f'"{live.version}"'})


@router.post(
    "/logs/{log}/matches/{match}/opening",
    status_code=201,
    operation_id="amendOpening",
    summary="Edit the opening of a match",
    **documented("Recorded", also=200, writes=True, problems=(404, 409, 412)),
)
async def amend_opening(request: Request, log: LogId, match: MatchId) -> Response:
    """For a director: appends one `entry.amended` of `match.opened`; the original stays recorded.

    Members that `changes` does not name stay as they are. The records of second scribes are edited
    with the match. Publication is not edited here: `publication.released` and
    `publication.withheld` change it.
    """
    door = door_of(request)
    visitor, live = await _edited(door, request, log, match)
    order = await parsed(request, AmendOpening)
    entry_id = order.entry_id or door.archive.entry_id()
    for _ in range(TRIES):
        entry = await asyncio.to_thread(_entry, door, log, match, live, order, entry_id)
        try:
            appended = await door.desk.append(
                visitor.hand, log, match, [entry], expected_version=live.version
            )
        except ExpectedVersionMismatch:
            # A tablet may record meanwhile: the request named no version.
            live = await asyncio.to_thread(door.reading.live, log, match)
            continue
        await _amend_beside(door, visitor, log, match, order, entry_id)
        return recorded_answer(appended)
    raise StoreBusy("others are writing to the match: send the same again in a moment")


async def _amend_beside(
    door: Door, visitor: Visitor, log: str, match: str, order: AmendOpening, entry_id: str
) -> None:
    """The same edit in the streams of second recorders, which have the same opening."""
    for beside in await asyncio.to_thread(door.reading.beside, log, match):
        if not visitor.hand.may_append(log, beside, "match.cancelled"):
            continue
        live = await asyncio.to_thread(door.reading.live, log, beside)
        own_id = Ids(entry_id).of("beside", beside)
        with contextlib.suppress(BadInput):  # it was edited separately, and says so already
            entry = await asyncio.to_thread(_entry, door, log, beside, live, order, own_id)
            await door.desk.append(visitor.hand, log, beside, [entry], expected_version=None)


def _entry(
    door: Door, log: str, match: str, live: Live, order: AmendOpening, entry_id: str
) -> EntryIn:
    """The entry that changes the opening; sent again, it changes the opening before it.

    Reads the store. Errors: BadInput.
    """
    known = next((event for event in live.recorded if event.entry_id == entry_id), None)
    shown = live.replay
    if known is not None:
        shown = door.reading.replay(log, match, at=known.version - 1)
    said: JsonObject = {
        "target": live.recorded[0].entry_id,
        "tag": "match.opened",
        "body": _amended(door, log, _opened(shown), order.changes),
    }
    if order.reason and order.reason.strip():
        said["reason"] = order.reason.strip()
    return EntryIn(entry_id, "entry.amended", said, basis=Basis.RULED)


async def _edited(door: Door, request: Request, log: str, match: str) -> tuple[Visitor, Live]:
    """The editor, and the match. Errors: Problem, NoSuchLog, NoSuchStream."""
    visitor = await visitor_of(door, request, log)
    check_is_match(match)
    if not visitor.hand.may_append(log, match, "match.cancelled"):
        raise visitor.refusal("director of the match")
    return visitor, await asyncio.to_thread(door.reading.live, log, match)


def _opened(shown: Replay) -> MatchOpened:
    opened = shown.opened
    if opened is None:
        raise BadInput("the opening of this match was taken back: there is nothing to edit")
    return opened


def _line(reading: Reading, log_id: str, match_id: str, live: Live) -> OpeningOut:
    opened = _opened(live.replay)
    told = reading.texts(log_id, _commitments(opened))

    def text(commitment: Commitment | None) -> str | None:
        return None if commitment is None else told.get(commitment.sd)

    plain = msgspec.json.decode(encode(opened))
    one, two = ([text(player.name) for player in side] for side in opened.players)
    return OpeningOut(
        log_id=log_id,
        match_id=match_id,
        version=live.version,
        entry_id=live.recorded[0].entry_id,
        is_amended=live.recorded[0].payload != opened,
        cancelled_by=_cancelled_by(live),
        players=NamesOf(one, two),
        event=text(opened.event),
        round=text(opened.round),
        table=text(opened.table),
        division=text(opened.division),
        place=text(opened.place),
        date=text(opened.date),
        appointed_start=text(opened.appointed_start),
        length=opened.length,
        rule_set=opened.rule_set,
        options=plain.get("options", {}),
        clock_terms=plain.get("clock_terms"),
        is_public=live.publicity.is_released,
        delay_ms=live.publicity.delay_ms,
    )


def _cancelled_by(live: Live) -> str | None:
    """Entry id of the cancellation in force."""
    found = None
    for step in live.replay.steps:
        if isinstance(step.event.payload, MatchCancelled):
            found = step.event.entry_id
    return found


def _commitments(opened: MatchOpened) -> Iterator[Commitment]:
    for player in (*opened.players.one, *opened.players.two):
        if player.name is not None:
            yield player.name
    for name in TEXTS:
        value = getattr(opened, name)
        if value is not None:
            yield value


def _amended(door: Door, log_id: str, opened: MatchOpened, changes: Changes) -> JsonObject:
    """The whole body with the changes; new values are plain."""
    told = door.reading.opened_values(log_id, _commitments(opened))
    body: JsonObject = msgspec.json.decode(encode(opened))
    for name in (*TEXTS, *PLAIN):
        given = getattr(changes, name)
        if given is msgspec.UNSET:
            continue
        known = getattr(opened, name)
        value = told.get(known.sd) if isinstance(known, Commitment) else None
        if isinstance(value, Disclosed) and value.value == given:
            continue
        body.pop(name, None)
        if given is not None and given != "":
            body[name] = given
    if changes.players is not msgspec.UNSET:
        body["players"] = _seated(door, log_id, opened, changes.players, told)
    if body == msgspec.json.decode(encode(opened)):
        raise BadInput("nothing is changed by this", where="$.changes")
    return body


def _seated(
    door: Door,
    log_id: str,
    opened: MatchOpened,
    changed: Names,
    told: Mapping[str, Disclosed | Withheld],
) -> dict[str, list[JsonObject]]:
    """Players of both seats: a name that stays the same keeps its person, on either seat.

    Another name may be another person: the values of the first are not kept, and the player
    registered by the new name is meant, if there is only one and that one is not at this table.
    """
    names: dict[str, list[str | None]] = {}
    for seat in ("one", "two"):
        said = getattr(changed, seat)
        known = getattr(opened.players, seat)
        names[seat] = [None] * len(known) if said is msgspec.UNSET else said
        if any(name is None for name in names[seat][len(known) :]):
            raise BadInput("nobody sits there whose name could stay", where="$.changes.players")
    seated = {
        (seat, index): player
        for seat in ("one", "two")
        for index, player in enumerate(getattr(opened.players, seat))
    }
    kept: dict[tuple[str, int], Player] = {}

    def keep(place: tuple[str, int], former: tuple[str, int]) -> None:
        kept[place] = seated.pop(former)

    def text(player: Player) -> str | None:
        return None if player.name is None else text_of(told.get(player.name.sd))

    wanted = {(seat, index): name for seat in names for index, name in enumerate(names[seat])}
    # Players who stay in their seat are matched before players of the same name who change seats.
    for place, name in wanted.items():
        if place in seated and (name is None or text(seated[place]) == name):
            keep(place, place)
    for place, name in wanted.items():
        if place in kept:
            continue
        former = next((one for one, player in seated.items() if text(player) == name), None)
        if former is not None:
            keep(place, former)
    new = {name for place, name in wanted.items() if place not in kept and name is not None}
    ids = _registered(door, log_id, new) if new else {}
    taken = {player.id for player in kept.values()}
    players: dict[str, list[JsonObject]] = {"one": [], "two": []}
    for place, name in wanted.items():
        if place in kept:
            players[place[0]].append(msgspec.to_builtins(kept[place]))
            continue
        found, called = ids.get(name or "", (None, name))
        players[place[0]].append(
            {"name": name} if found in taken or found is None else {"id": found, "name": called}
        )
        taken.add(found)
    return players


def _registered(door: Door, log_id: str, names: set[str]) -> dict[str, tuple[str, str]]:
    """Name to the only player who is registered by it, in any case. Reads the store."""
    players = door.rosters.of(log_id).players
    opened = Opened(door.reading, log_id, [player.name for player in players.values()])
    found: dict[str, list[tuple[str, str]]] = {}
    for player, registered in players.items():
        called = opened.text(registered.name)
        found.setdefault(key_of(called), []).append((player, called))
    alone = {name: found.get(key_of(name), []) for name in names}
    return {name: people[0] for name, people in alone.items() if len(people) == 1}
