"""Leases: which device records which match; takeovers, second recorders, assignments."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from typing import Annotated, TypeVar

import msgspec
from fastapi import APIRouter, Query, Request, Response

from api.desk.entries import EntryIn
from api.desk.leases import append_folded, end_entry, lease_entries, profile_entries
from api.refusals import Problem
from api.rounds.sheet import trimmed
from api.rounds.tables import leave_entries, place_entries, place_of
from api.routes.proofs import covered
from api.routes.shared.chains import cursor_out, streams_of
from api.routes.shared.directors import check_match, decided, director_of
from api.routes.shared.door import NO_STORE, Door, LogId, Visitor, door_of, json_answer, visitor_of
from api.routes.shared.requests import parsed
from api.shapes.devices import (
    AssignedLease,
    AssignmentOut,
    FoldTerms,
    Known,
    LeaseEnd,
    LeaseOut,
    RuledThrow,
    ShadowOut,
    TableLeaseOut,
    TurnedCube,
)
from api.shapes.documented import documented
from api.shapes.shape import Shape
from events.catalogue import encode
from events.envelope import NO_STREAM, TOURNAMENT_STREAM
from events.errors import BadInput
from events.payloads.base import StreamId
from events.payloads.match import MatchOpened
from events.store.journal import Intake
from events.values import MAX_SAFE_INTEGER, Word
from projections.custody.leases import MONITOR, NO_ASSIST, BoundDevice, Lease, Leases, Profile
from projections.facts.cube_value import Cube
from projections.facts.flow_state import Flow
from projections.folding.standing import is_correction
from projections.replay import Replay
from projections.rules.subjects.game_worth import counts_single
from projections.views.lines import known_line, plain
from projections.views.told_acts import concedable, played_on, ruled_throws, turned_cubes

Unsent = Annotated[
    int | None,
    Query(ge=0, le=MAX_SAFE_INTEGER, description="Entries not yet sent.", examples=[0]),
]

S = TypeVar("S", bound=Shape)

router = APIRouter(tags=["devices"])


class GrantLease(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to make a device the scribe of a match."""

    match: StreamId
    """The match."""
    device: Word
    """Id of the paired device."""
    takeover: bool = False
    """Whether to take the match over from the device that records it now."""
    profile: Profile = NO_ASSIST
    """What the device's screen may show."""


class GrantTable(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to assign a device to a table."""

    device: Word
    """Id of the paired device."""
    table: Annotated[str, msgspec.Meta(max_length=20)] | None
    """The table; null = the device leaves its table."""
    takeover: bool = False
    """Whether to take the table and its matches over from the device that is there now."""


class EndLease(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to end a lease."""

    match: StreamId
    """The match."""
    reason: Word = "revoked"
    """Why, such as match_over, lost or revoked."""


class OpenShadow(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request that a second device records a match, beside its scribe."""

    match: StreamId
    """The match."""
    device: Word
    """Id of the paired device."""


@router.post(
    "/logs/{log}/leases",
    status_code=201,
    operation_id="grantLease",
    summary="Make a device the scribe of a match",
    **documented(LeaseOut, also=200, writes=True, problems=(404, 409)),
)
async def grant_lease(request: Request, log: LogId) -> Response:
    """One device records a match; another one can take it over only with `takeover`.

    Entries that the earlier device sends afterwards are parked and shown to the director. For the
    device that records the match already, this only changes what its screen may show.
    """
    door = door_of(request)
    visitor = await director_of(request, log)
    body = await parsed(request, GrantLease)
    await check_match(door, log, body.match)
    value, is_new = await _lease(
        door, visitor, log, body.match, body.device, body.profile, takeover=body.takeover
    )
    return json_answer(value, 201 if is_new else 200)


@router.post(
    "/logs/{log}/leases/end",
    status_code=201,
    operation_id="endLease",
    summary="End the lease of a match",
    **documented(LeaseEnd, writes=True, problems=(404, 409)),
)
async def end_lease(request: Request, log: LogId) -> Response:
    """No device records the match until another lease is granted."""
    door = door_of(request)
    visitor = await director_of(request, log)
    body = await parsed(request, EndLease)
    await check_match(door, log, body.match)
    ended: list[Lease] = []

    def entries(leases: Leases) -> list[EntryIn]:
        held = leases.current(body.match)
        if held is None:
            raise Problem("no-lease", f"no device is the scribe of match {body.match}")
        ended[:] = [held]
        return [end_entry(door.desk, held, body.reason)]

    await append_folded(door.desk, door.leasing, visitor.hand, log, entries)
    [held] = ended
    return json_answer(LeaseEnd(body.match, held.number, held.device, body.reason), 201)


@router.post(
    "/logs/{log}/shadows",
    status_code=201,
    operation_id="openShadow",
    summary="Have a second device record a match",
    **documented(ShadowOut, also=200, writes=True, problems=(404, 409)),
)
async def open_shadow(request: Request, log: LogId) -> Response:
    """The second device writes a stream of its own with the same opening, which is never public."""
    door = door_of(request)
    await director_of(request, log)
    body = await parsed(request, OpenShadow)
    await check_match(door, log, body.match)
    live = await asyncio.to_thread(door.reading.live, log, body.match)
    opened = live.replay.opened
    if opened is None or opened.shadow_of is not None:
        raise BadInput("a second recorder writes beside a match itself", where="$.match")

    def plan(visitor: Visitor) -> tuple[ShadowOut, Intake | None]:
        return _shadow(door, visitor, log, body, opened)

    return await decided(request, log, plan, of="the tournament")


@router.post(
    "/logs/{log}/tables",
    status_code=201,
    operation_id="grantTable",
    summary="Assign a device to a table",
    **documented(TableLeaseOut, also=200, writes=True, problems=(404, 409)),
)
async def grant_table(request: Request, log: LogId) -> Response:
    """The device gets the matches that are opened at the table, and keeps those it records now.

    If another device is assigned to the table, `takeover` is needed. `table` null = no table.
    """
    door = door_of(request)
    visitor = await director_of(request, log)
    body = await parsed(request, GrantTable)
    table = trimmed(body.table or "")

    def entries(leases: Leases) -> list[EntryIn]:
        _bound(leases, body.device)
        place = place_of(door.reading, door.index, door.rooms, log, leases=leases, table=table)
        if not table:
            return leave_entries(door.desk, leases, device=body.device, waiting=place.waiting)
        return place_entries(
            door.desk, leases, device=body.device, place=place, takeover=body.takeover
        )

    appended = await append_folded(door.desk, door.leasing, visitor.hand, log, entries)
    after = await asyncio.to_thread(door.leasing.of, log)
    matches = [lease.match for lease in after.queue_of(body.device)]
    value = TableLeaseOut(body.device, table or None, matches)
    return json_answer(value, 200 if appended is None else 201)


@router.get(
    "/logs/{log}/assignment",
    operation_id="getAssignment",
    summary="Read what a device has to record",
    **documented(AssignmentOut, problems=(404,)),
)
async def get_assignment(request: Request, log: LogId, unsent: Unsent = None) -> Response:
    """For a paired device: its leases, the versions of their streams, the end of its own chain.

    The request counts as a sign of life, which the director's room shows.
    """
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    leases = await asyncio.to_thread(door.leasing.of, log)
    device = device_of(leases, visitor)
    door.signs.seen(log, device.id, unsent=unsent)
    safe = await covered(door, log)
    value = await asyncio.to_thread(_assignment, door, log, leases, device, safe)
    return json_answer(value, headers=NO_STORE)


def device_of(leases: Leases, visitor: Visitor) -> BoundDevice:
    """The device that asks, bound by its token as it is now. Errors: Problem."""
    token = visitor.token_sha256
    device = None if token is None else leases.device_of(token)
    if device is None or not visitor.hand.grants or leases.device(device.id) != device:
        raise visitor.refusal("a paired device")
    return device


def _assignment(
    door: Door, log_id: str, leases: Leases, device: BoundDevice, safe: int | None
) -> AssignmentOut:
    # A lease may be given before its match is opened: then there is nothing in the match to record.
    found = {
        lease: door.archive.store.stream_head(log_id, lease.match)
        for lease in leases.queue_of(device.id)
        if lease.match != TOURNAMENT_STREAM
    }
    heads = {lease: head for lease, head in found.items() if head is not None}
    return AssignmentOut(
        device=device.id,
        epoch=device.epoch,
        leases=[
            AssignedLease(
                match_id=lease.match,
                lease=lease.number,
                shadow_of=shadow_of(door, log_id, lease.match),
                terms=terms_of(door, log_id, lease.match),
                profile="monitor" if lease.profile == MONITOR else "no_assist",
                is_over=_is_over(door, log_id, lease.match),
            )
            for lease in heads
        ],
        streams=streams_of(heads.values()),
        cursor=cursor_out(door.archive.store.device_cursor(log_id, device.id, device.epoch)),
        server_time_ms=door.archive.now_ms(),
        covered=safe,
    )


def _is_over(door: Door, log_id: str, match_id: str) -> bool:
    """Whether the match is finished, so that the tablet goes on with its next one."""
    state = door.reading.live(log_id, match_id).replay.state
    return state.has_ended or state.flow.is_cancelled


def shadow_of(door: Door, log_id: str, match_id: str) -> str | None:
    """The match beside which a stream is written; None for a match itself."""
    opened = door.reading.peek(log_id, match_id).replay.opened
    return None if opened is None else opened.shadow_of


def terms_of(door: Door, log_id: str, match_id: str) -> FoldTerms:
    """What a device has to know of the rules in force to fold a match, and what they make of it.

    What a rule set says to penalty points, a flag or a ruled game no device can know by itself.
    """
    live = door.reading.live(log_id, match_id)
    rules, score = live.replay.rules, live.replay.state.score
    return FoldTerms(
        crawford=live.replay.has_crawford,
        jacoby=counts_single(rules, is_money=score.length is None),
        void_cube_acts=sorted(fault.value for fault in rules.void_cube_acts),
        played_on=played_on(live.replay),
        ruled_throws=_told(ruled_throws(live.replay), RuledThrow),
        cubes=_told(turned_cubes(live.replay), TurnedCube),
        concedable=concedable(rules),
        known=msgspec.convert(known_line(live.replay, _corrected_at(live.replay)), Known),
    )


def _told(states: Mapping[str, Flow | Cube], shape: type[S]) -> dict[str, S]:
    """States of folds as a device needs them: only the members that its own folds have."""
    told = {}
    for entry, state in states.items():
        values = plain(state)
        members = {name: values[name] for name in shape.__struct_fields__}
        told[entry] = msgspec.convert(members, shape)
    return told


def _corrected_at(shown: Replay) -> int:
    """Version of the last correction by the scribe; 0 = none."""
    return next((one.version for one in reversed(shown.recorded) if is_correction(one)), 0)


async def _lease(
    door: Door,
    visitor: Visitor,
    log_id: str,
    match_id: str,
    device: str,
    profile: str,
    *,
    takeover: bool,
) -> tuple[LeaseOut, bool]:
    """The lease of a match for a device, and whether it is new."""
    given: list[LeaseOut] = []

    def entries(leases: Leases) -> list[EntryIn]:
        _bound(leases, device)
        held = leases.current(match_id)
        is_held = held is not None and held.device == device
        if held is not None and is_held:
            given[:] = [LeaseOut(match_id, held.number, device, held.entry_id)]
            return profile_entries(door.desk, held, profile)
        made = lease_entries(
            door.desk,
            leases,
            match=match_id,
            device=device,
            takeover=takeover,
            held=held,
            profile=profile,
        )
        number = leases.number(match_id) + 1
        given[:] = [LeaseOut(match_id, number, device, made[-1].entry_id)]
        return made

    appended = await append_folded(door.desk, door.leasing, visitor.hand, log_id, entries)
    return given[-1], appended is not None


def _bound(leases: Leases, device: str) -> BoundDevice:
    found = leases.device(device)
    if found is None:
        raise Problem("no-such-device", f"no device {device[:64]!a} is paired in this log")
    return found


def _shadow_of(door: Door, log_id: str, leases: Leases, asked: OpenShadow) -> str | None:
    """The stream that the device already writes beside the match."""
    for stream in leases.streams_of(asked.device):
        if shadow_of(door, log_id, stream) == asked.match:
            return stream
    return None


def _shadow(
    door: Door, visitor: Visitor, log_id: str, asked: OpenShadow, opened: MatchOpened
) -> tuple[ShadowOut, Intake | None]:
    """The stream of the device beside the match, and the entries to be written for it first.

    The stream and its lease are written together, so that of two requests at once the second finds
    both.
    """
    leases = door.leasing.of(log_id)
    _bound(leases, asked.device)
    shadow = _shadow_of(door, log_id, leases, asked)
    if shadow is not None:
        held = leases.leases[shadow]
        return ShadowOut(shadow, held.number, held.device, held.entry_id, asked.match), None
    shadow = str(uuid.UUID(bytes=door.archive.entropy(16), version=4))
    opening = EntryIn(door.archive.entry_id(), "match.opened", _beside(opened, asked.match))
    lent = lease_entries(
        *(door.desk, leases),
        match=shadow,
        device=asked.device,
        takeover=False,
        held=None,
        profile=NO_ASSIST,
    )
    made = {shadow: ([opening], NO_STREAM), TOURNAMENT_STREAM: (lent, leases.version)}
    units = tuple(
        door.desk.unit(visitor.hand, log_id, stream, entries, expected_version=version)
        for stream, (entries, version) in made.items()
    )
    value = ShadowOut(shadow, 1, asked.device, lent[-1].entry_id, asked.match)
    return value, Intake(log_id=log_id, premises={TOURNAMENT_STREAM: leases.version}, units=units)


def _beside(opened: MatchOpened, match_id: str) -> Mapping[str, object]:
    """The same opening, for a second recorder: only holders of a grant may read it."""
    body = msgspec.json.decode(encode(opened))
    body.pop("publication", None)
    return {**body, "shadow_of": match_id}
