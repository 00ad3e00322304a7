"""Attendance: players called to their tables, arrived, or absent."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Request, Response

from api.archive.personal import received_of
from api.archive.reading import Live
from api.desk.entries import EntryIn
from api.desk.room_lines import moment_of
from api.rounds import opening
from api.rounds.rosters import Opened
from api.routes.shared.cases import retried
from api.routes.shared.directors import check_match, player_director_of
from api.routes.shared.door import Door, LogId, door_of, json_answer
from api.routes.shared.requests import parsed
from api.shapes.documented import documented
from api.shapes.rounds import AttendanceOut
from api.shapes.shape import JsonObject
from events.envelope import Basis
from events.errors import BadInput
from events.payloads.attendance import PlayerCalled
from events.payloads.base import StreamId
from events.payloads.penalty import ForfeitDeclared, PenaltyGround
from events.values import EntryId, Seat
from projections.replay import Replay

router = APIRouter(tags=["rounds"])


class AttendanceAct(msgspec.Struct, forbid_unknown_fields=True):
    """One act about a match that has not begun."""

    match: StreamId
    """The match."""
    act: Literal["called", "arrived", "arrived_late", "no_show"]
    """Called to the table, present, arrived only now, or absent."""
    seat: Literal["one", "two"] | None = None
    """The player; null = both, for `called` only."""


class Attendance(msgspec.Struct, forbid_unknown_fields=True):
    """A list of acts: players called, present, late or absent."""

    request_id: EntryId
    """UUID made by the client; the same acts with the same id are a retry."""
    acts: Annotated[list[AttendanceAct], msgspec.Meta(min_length=1, max_length=400)]


@router.post(
    "/logs/{log}/attendance",
    status_code=201,
    operation_id="appendAttendance",
    summary="Record that players are called, have arrived, or are absent",
    **documented(AttendanceOut, also=200, writes=True, problems=(404, 409)),
)
async def append_attendance(request: Request, log: LogId) -> Response:
    """For many matches at once; each act is an entry with the server's time. Same id = a retry.

    `called` calls both players if no seat is named, except those already called. `arrived` says
    that a player is there; after his start time it is recorded without a time, because he may have
    come earlier. `arrived_late` says that he has come just now; the rule set judges how late that
    is. `no_show` makes a player forfeit the match for a late start, at most once.
    """
    door = door_of(request)
    visitor = await player_director_of(request, log)
    body = await parsed(request, Attendance)
    ids = opening.Ids(body.request_id)
    recorded = 0
    for number, act in enumerate(body.acts):
        await check_match(door, log, act.match)
        await asyncio.to_thread(_act_entries, door, log, act, ids, number)

    async def said(act: AttendanceAct, number: int) -> int:
        entries, version = await asyncio.to_thread(_act_entries, door, log, act, ids, number)
        if not entries:
            return 0
        appended = await door.desk.append(
            visitor.hand, log, act.match, entries, expected_version=version
        )
        return 0 if appended.duplicate else len(appended.events)

    # If two directors send the same at once, the second one waits here for the first, and finds
    # that it was recorded; at another server the version of the match shows it.
    async with door.at_players:
        for number, act in enumerate(body.acts):
            recorded += await retried(partial(said, act, number))
    return json_answer(AttendanceOut(recorded), 201 if recorded else 200)


def _act_entries(
    door: Door, log: str, act: AttendanceAct, ids: opening.Ids, number: int
) -> tuple[list[EntryIn], int]:
    """The entries of one act, or those that the same request made before; the version they follow.

    Reads the store.
    """
    live = door.reading.live(log, act.match)
    version, shown = live.version, live.replay
    seats = list(Seat) if act.seat is None else [Seat(act.seat)]
    if act.act != "called" and act.seat is None:
        raise BadInput("this is said of one player", where=f"$.acts[{number}].seat")
    entries = []
    for seat in seats:
        entry_id = ids.of(act.match, act.act, seat.value)
        before = next((one for one in live.recorded if one.entry_id == entry_id), None)
        if before is not None:
            at_ms = getattr(before.payload, "at_ms", None)
        elif act.act in _SAID_ONCE and _SAID_ONCE[act.act](shown, seat):
            continue
        else:
            at_ms = _at_ms(door, log, live)
            if act.act == "arrived" and at_ms is not None and at_ms > _start_ms(shown, seat):
                # The player may have sat there for long: the time of this click is not the time of
                # arrival.
                at_ms = None
        time = {} if at_ms is None else {"at_ms": at_ms}
        said: JsonObject = {"seat": seat.value, **time}
        if act.act == "no_show":
            said = {**said, "ground": PenaltyGround.LATE_START.value}
            entries.append(EntryIn(entry_id, "forfeit.declared", said, basis=Basis.RULED))
        else:
            tag = "player.called" if act.act == "called" else "player.arrived"
            entries.append(EntryIn(entry_id, tag, said))
    return entries, version


def _was_called(shown: Replay, seat: Seat) -> bool:
    return any(
        isinstance(step.event.payload, PlayerCalled) and step.event.payload.seat is seat
        for step in shown.steps
    )


def _is_no_show(shown: Replay, seat: Seat) -> bool:
    forfeits = (step.event.payload for step in shown.steps)
    return any(
        isinstance(one, ForfeitDeclared)
        and one.seat is seat
        and one.ground is PenaltyGround.LATE_START
        for one in forfeits
    )


_SAID_ONCE = {"called": _was_called, "no_show": _is_no_show}
"""Acts that are not recorded again while they are in force, to a test of that."""


def _start_ms(shown: Replay, seat: Seat) -> int:
    """From when a player is late, on the match's own time scale, as the rule set says."""
    penalties = shown.state.judged.penalties
    called = penalties.accounts[seat].called_ms
    return 0 if penalties.has_start or called is None else called


def _at_ms(door: Door, log: str, live: Live) -> int | None:
    """Now, on the match's own time scale: from its appointed start, or from its opening."""
    opened = live.replay.opened
    start = None if opened is None else opened.appointed_start
    if start is not None:
        begun = moment_of(Opened(door.reading, log, [start]).text(start) or None)
    else:
        place = live.recorded[0].global_position
        begun = received_of(door.archive.store, log, place)
    return None if begun is None else door.archive.now_ms() - begun
