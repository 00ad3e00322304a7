"""The director's room: all tables of a tournament and all open matters, in one answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from fastapi import APIRouter, Request, Response

from api.archive.index.rows import MatchRow
from api.archive.tournaments import title_of, tournament_line
from api.desk.fingerprint import fingerprint_of
from api.desk.room_lines import Line, People, Signs, parked_call
from api.rounds.rosters import Opened, all_lines, tallies_of
from api.routes.pairing import pairing_line
from api.routes.shared.directors import director_of
from api.routes.shared.door import Door, LogId, door_of, tagged_answer
from api.routes.shared.freshness import cache_headers, etag_of
from api.shapes.documented import documented
from api.shapes.matches import Pair
from api.shapes.rooms import (
    CallOut,
    DeviceOut,
    GrantOut,
    HeldLease,
    PostedOut,
    RoomDevice,
    RoomOut,
    Shadow,
    TableOut,
)
from api.shapes.rounds import ByeOut
from events.catalogue import read
from events.errors import LedgerError
from events.payloads.access import AccessGranted
from events.store.journal import Outcome
from projections.custody.leases import Lease, Leases

FINISHED_MS = 6 * 60 * 60_000
"""How long a match that is over stays in the room, milliseconds."""

MATCHES_AT_MOST = 500
"""Most matches that are looked at, the newest first."""

router = APIRouter(tags=["devices"])


@router.get(
    "/logs/{log}/room",
    operation_id="getRoom",
    summary="Read a tournament at a glance",
    **documented(RoomOut, problems=(404,), is_view=True),
)
async def get_room(request: Request, log: LogId) -> Response:
    """For its directors and archivists: tables, calls, results, appeals, devices, grants.

    Matches that were recorded here and are not over, ended within the last six hours, or have an
    open question. Meant to be polled every two seconds: the `ETag` covers everything but the time.
    """
    door = door_of(request)
    await director_of(request, log)
    value = await asyncio.to_thread(room_of, door, log)
    value.pairings = [
        pairing_line(pairing) for pairing in door.pairings.of_log(log) if pairing.is_pending
    ]
    etag = etag_of("room", log, msgspec.json.encode(value))
    value.server_time_ms = door.archive.now_ms()
    return tagged_answer(request, value, cache_headers(etag, is_public=False))


class _Match(NamedTuple):
    match_id: str
    line: Line


def room_of(door: Door, log_id: str) -> RoomOut:
    """Everything but the time and the pairings. Reads the store."""
    now = door.archive.now_ms()
    leases = door.leasing.of(log_id)
    door.index.catch_up([log_id])
    rows = door.index.matches(log_id, limit=MATCHES_AT_MOST, newest_first=True, recorded_only=True)
    found = [match for row in reversed(rows) if (match := _match(door, log_id, row)) is not None]
    shadows: dict[str, list[Shadow]] = {}
    for match in found:
        if match.line.shadow_of is not None:
            lease = leases.current(match.match_id)
            device = None if lease is None else lease.device
            beside = Shadow(match.match_id, device, match.line.shown.dispute)
            shadows.setdefault(match.line.shadow_of, []).append(beside)
    matches = [match for match in found if match.line.shadow_of is None]
    people = People(door.reading, log_id, [match.line for match in matches])
    parked = _parked(door, log_id, leases)
    tallies = tallies_of(all_lines(door.index, door.reading, door.rooms, log_id).values())
    shown = [match for match in matches if _is_shown(match.line, now)]
    tables = []
    for match in shown:
        table = _table(match, people, door.signs, log_id, leases.current(match.match_id))
        table.shadows = shadows.get(match.match_id, [])
        table.parked = sum(
            parked[stream] for stream in (match.match_id, *(one.match_id for one in table.shadows))
        )
        table.late = people.late(match.line, now)
        table.tally = _tally(match.line, tallies)
        tables.append(table)
    # A second scribe calls from the same table, but in a stream of its own.
    beside_them = {one.match_id for table in tables for one in table.shadows}
    calling = [*shown, *(match for match in found if match.match_id in beside_them)]
    calls = [call for match in calling for call in match.line.calls]
    homes = {match.match_id: match.line.shadow_of or match.match_id for match in found}
    versions = {match.match_id: match.line.version for match in shown}
    calls += _parked_calls(door, log_id, leases, homes, versions)
    calls.sort(key=lambda call: call.received_at or 0)
    return RoomOut(
        log_id=log_id,
        title=title_of(door.reading, log_id),
        tournament=tournament_line(door.reading, log_id),
        tables=tables,
        calls=calls,
        devices=list(_devices(door, log_id, leases)),
        grants=_grants(door, log_id),
        results=[
            msgspec.structs.replace(
                match.line.result,
                table=people.text(match.line.table),
                names=people.names(match.line),
            )
            for match in matches
            if match.line.result is not None
        ],
        appeals=[appeal for match in matches for appeal in match.line.appeals],
        byes=_byes(door, log_id),
        pairings=[],
        refused_by=list(door.collector.refused(log_id).values()),
        unstamped=door.stamper.failed(log_id),
        held=door.archive.store.why_held(log_id),
        uncopied=None if door.archive.signing is None else door.archive.signing.uncopied(log_id),
        server_time_ms=0,
    )


def _table(
    match: _Match, people: People, signs: Signs, log_id: str, lease: Lease | None
) -> TableOut:
    """A table and its device; what depends on other matches or on time is left empty."""
    line, shown, standing = match.line, match.line.shown, match.line.standing
    assert standing.state != "cancelled", "no such match is shown"
    device = held = None
    if lease is not None:
        device = RoomDevice(lease.device, *_heard(signs, log_id, lease.device))
        held = HeldLease(lease.number, lease.device, lease.profile)
    return TableOut(
        match_id=match.match_id,
        table=people.text(line.table),
        names=people.names(line),
        length=standing.length,
        score=Pair(*standing.score),
        games=standing.games,
        state=standing.state,
        on_roll=standing.on_roll,
        to_act=standing.to_act,
        penalties=Pair(*standing.penalties),
        lost_on_time=standing.lost_on_time,
        clock=shown.clock,
        last=shown.last,
        rule_set=shown.rule_set,
        questions=shown.questions,
        notes=shown.notes,
        windows=shown.windows,
        dispute=shown.dispute,
        notices=shown.notices,
        confirmations=shown.confirmations,
        is_public=shown.is_public,
        no_show=shown.no_show,
        posted=_posted(line),
        lease=held,
        device=device,
        shadows=[],
        parked=0,
        late=None,
        round=people.text(line.round),
        called=list(line.called),
        missing=list(line.missing),
        tally=Pair(0, 0),
    )


def _posted(line: Line) -> PostedOut | None:
    posting = line.final.posted
    if posting is None:
        return None
    score = None if posting.score is None else Pair(*posting.score)
    return PostedOut(posting.winner, score)


def _heard(signs: Signs, log_id: str, device: str) -> tuple[int | None, int | None]:
    """When the device was last heard from, and how many entries it had not sent then."""
    sign = signs.of(log_id, device)
    return (None, None) if sign is None else (sign.seen_at, sign.unsent)


def _tally(line: Line, tallies: dict[str, int]) -> Pair:
    """Penalty points of each side over all matches; over this one if a player is not registered."""
    players, own = line.players, line.standing.penalties
    return Pair(
        _tallied(players.one, tallies, own.one),
        _tallied(players.two, tallies, own.two),
    )


def _tallied(players: tuple[str | None, ...], tallies: dict[str, int], own: int) -> int:
    known = [tallies.get(player, 0) for player in players if player is not None]
    return max(known) if known else own


def _byes(door: Door, log_id: str) -> list[ByeOut]:
    """The players with a bye in a round. Reads the store."""
    roster = door.rosters.of(log_id)
    if not roster.byes:
        return []
    names = {
        player: roster.players[player].name
        for bye in roster.byes.values()
        for player in bye.players
        if player in roster.players
    }
    opened = Opened(
        door.reading, log_id, [*names.values(), *(bye.round for bye in roster.byes.values())]
    )
    return [
        ByeOut(
            entry_id=bye.entry_id,
            round=opened.text(bye.round) or None,
            players=list(bye.players),
            names=[opened.text(names.get(player)) or None for player in bye.players],
        )
        for bye in roster.byes.values()
    ]


def _match(door: Door, log_id: str, row: MatchRow) -> _Match | None:
    """A match's line; None if it cannot be read.

    Imported matches are at no table, and not asked for.
    """
    try:
        return _Match(
            row.stream_id, door.rooms.line(door.reading, log_id, row.stream_id, row.version)
        )
    except LedgerError:
        # One match that cannot be read must not break the whole room; the list shows it.
        return None


def _is_shown(line: Line, now: int) -> bool:
    if line.standing.state == "cancelled":
        return False
    if line.standing.state != "ended" or line.shown.questions or line.appeals:
        return True
    return line.received_at is not None and line.received_at > now - FINISHED_MS


def _parked(door: Door, log_id: str, leases: Leases) -> Counter[str]:
    """Entries of each match that wait for the director."""
    return Counter(
        draft.stream_id
        for draft in door.archive.store.parked_at(log_id)
        if draft.stream_id is not None and draft.entry_id not in leases.settled
    )


def _parked_calls(
    door: Door, log_id: str, leases: Leases, homes: dict[str, str], versions: dict[str, int]
) -> Iterator[CallOut]:
    """Calls from the tables shown, also by second scribes, that are among parked entries."""
    store = door.archive.store
    waiting = [
        draft.entry_id
        for draft in store.parked_at(log_id)
        if homes.get(draft.stream_id or "") in versions and draft.entry_id not in leases.settled
    ]
    # Only drafts that still wait are read, and not all that were ever parked.
    for row in store.submitted(log_id, waiting) if waiting else ():
        if row.outcome is Outcome.STREAM_CONFLICT:
            home = homes[row.submitted.stream_id or ""]
            call = parked_call(home, versions[home], row.submitted)
            if call is not None:
                yield call


def _devices(door: Door, log_id: str, leases: Leases) -> Iterator[DeviceOut]:
    tables = Opened(door.reading, log_id, [placed.table for placed in leases.tables.values()])
    for device in leases.devices.values():
        placed = leases.tables.get(device.id)
        seen_at, unsent = _heard(door.signs, log_id, device.id)
        yield DeviceOut(
            id=device.id,
            epoch=device.epoch,
            has_key=device.public_key is not None,
            fingerprint=fingerprint_of(device.public_key, device.token_sha256),
            grant_id=device.grant_id,
            matches=leases.streams_of(device.id),
            table=None if placed is None else tables.text(placed.table) or None,
            seen_at=seen_at,
            unsent=unsent,
        )


def _grants(door: Door, log_id: str) -> list[GrantOut]:
    """Grants in force, with the names of their holders. Errors: LedgerError."""
    in_force = door.reading.access(log_id).grants.values()
    ids = [grant.grant_id for grant in in_force]
    found = door.archive.store.find_entries(log_id, ids)
    holders: dict[str, str] = {}
    for row in found.values():
        granted = read(row).payload
        if isinstance(granted, AccessGranted) and granted.holder is not None:
            holders[row.entry_id] = granted.holder.sd
    names = door.reading.texts(log_id, holders.values())
    return [
        GrantOut(
            grant_id=grant.grant_id,
            role=grant.role,
            kind=grant.kind,
            match_id=grant.match,
            device=grant.device,
            holder=names.get(holders.get(grant.grant_id, "")),
        )
        for grant in in_force
    ]
