"""Rounds: a sheet of players or pairings looked at line by line, and opened as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Request, Response

from api.archive.reading import Live, received_at
from api.archive.tournaments import defaults_of
from api.desk.desk import EntryIn
from api.desk.room_lines import moment_of
from api.html.texts import texts_of
from api.refusals import Problem
from api.rounds import opening
from api.rounds.judging import Asked, Entrant, Fault, Known, Line, Person, judge, natural
from api.rounds.rosters import Opened, all_lines, known_of, standing_at
from api.rounds.sheet import TEXT_AT_MOST, Sheet, key_of, read_sheet
from api.routes.pairing import check_match, director_of
from api.routes.shared.door import Door, LogId, Visitor, door_of, json_answer
from api.routes.shared.requests import parsed
from api.shapes.matches import documented
from api.shapes.rooms import AttendanceOut, PlayersOut, RoundOpened, RoundPreview
from events.envelope import ARCHIVE_LOG, NO_STREAM, TOURNAMENT_STREAM, Basis
from events.errors import BadInput, StoreBusy
from events.payloads.attendance import PlayerCalled
from events.payloads.base import StreamId
from events.payloads.penalty import PenaltyGround
from events.store.journal import Intake, PremiseMoved
from events.store.protocol import Unit
from events.values import EntryId, Seat
from projections.replay import Replay

Side = Annotated[str, msgspec.Meta(max_length=64)]
Day = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Offset = Annotated[int, msgspec.Meta(ge=-1_080, le=1_080)]
Moment = Annotated[str, msgspec.Meta(max_length=40)]

TRIES = 8
"""How often a sheet is judged anew because another entry came between."""

router = APIRouter(tags=["rounds"])


class PreviewRound(msgspec.Struct, forbid_unknown_fields=True):
    """A sheet to be looked at."""

    text: Annotated[str, msgspec.Meta(max_length=TEXT_AT_MOST)]
    """What was pasted, or what stands in the file: commas, semicolons or tabs."""
    kind: Literal["players", "pairings"] | None = None
    """What its lines are; null = as it looks."""
    round: Annotated[str, msgspec.Meta(max_length=40)] | None = None
    """The round of lines that name none."""
    length: Annotated[int, msgspec.Meta(ge=1, le=99)] | None = None
    """The length of lines that name none."""
    day: Day | None = None
    """The day in the hall, for lines that give a time of day."""
    offset_minutes: Offset = 0
    """How far the hall's clock is ahead of UTC."""
    answers: dict[Side, Side] = {}
    """Who is meant where it is to be chosen: the `key` of a cell to a player's id, or `new`."""


class OpenRound(PreviewRound, forbid_unknown_fields=True, kw_only=True):
    """A sheet to be opened."""

    request_id: EntryId
    """Client-made UUID; the same sheet with the same id is a retry."""
    start: Moment | None = None
    """Appointed start of matches whose line gives none, ISO 8601."""
    called: bool = False
    """Whether the players are called to their tables with it."""


class AttendanceAct(msgspec.Struct, forbid_unknown_fields=True):
    """What is said of a match that has not begun."""

    match: StreamId
    """The match."""
    act: Literal["called", "arrived", "arrived_late", "no_show"]
    """Called to the table, come to it, come to it only now, or not come at all."""
    seat: Literal["one", "two"] | None = None
    """Of whom; null = both, who were called."""


class Attendance(msgspec.Struct, forbid_unknown_fields=True):
    """Who was called, came, or did not come."""

    request_id: EntryId
    """Client-made UUID; the same acts with the same id are a retry."""
    acts: Annotated[list[AttendanceAct], msgspec.Meta(min_length=1, max_length=400)]


@router.post(
    "/logs/{log}/rounds/preview",
    operation_id="getRoundPreview",
    summary="Look at a sheet of players or pairings",
    **documented(RoundPreview, success=200, writes=True, problems=(404,)),
)
async def preview_round(request: Request, log: LogId) -> Response:
    """What each line comes to, and what is wrong with it; nothing is recorded.

    A sheet is what was copied from a spreadsheet, or a CSV file, with a heading in English or
    German or with none. Lines without a table get one.
    """
    door = door_of(request)
    await _direct(request, log)
    body = parsed(await request.body(), PreviewRound)
    sheet, lines, known = await asyncio.to_thread(_judged, door, log, body)
    return json_answer(_preview(sheet, lines, known), headers={"Cache-Control": "no-store"})


@router.post(
    "/logs/{log}/rounds",
    status_code=201,
    operation_id="openRound",
    summary="Register players, or open the matches of a round",
    **documented(RoundOpened, also=200, writes=True, problems=(404, 409)),
)
async def open_round(request: Request, log: LogId) -> Response:
    """All lines or none: players, byes, matches, and the leases of the tablets at their tables.

    A line with an error is refused with what stands in `lines`, as the preview shows it.
    """
    door = door_of(request)
    visitor = await _direct(request, log)
    body = parsed(await request.body(), OpenRound)
    start = _moment(body.start)
    for _ in range(TRIES):
        plan = await asyncio.to_thread(_plan, door, visitor, log, body, start)
        if plan.intake is None:
            return json_answer(plan.answer, 200)
        if door.archive.writer is None:
            raise StoreBusy("this archive is open for reading only")
        try:
            await door.archive.writer.take_in(plan.intake)
        except PremiseMoved:
            continue
        return json_answer(plan.answer, 201)
    raise StoreBusy("others are writing to the tournament: send the same again in a moment")


@router.get(
    "/logs/{log}/players",
    operation_id="listPlayers",
    summary="List the players of a tournament",
    **documented(PlayersOut, problems=(404,)),
)
async def list_players(request: Request, log: LogId) -> Response:
    """With the penalty points of all their matches, and the byes; for directors."""
    door = door_of(request)
    await _direct(request, log)
    value = await asyncio.to_thread(_players, door, log)
    return json_answer(value, headers={"Cache-Control": "no-store"})


@router.post(
    "/logs/{log}/attendance",
    status_code=201,
    operation_id="appendAttendance",
    summary="Say who is called, who has come, and who has not",
    **documented(AttendanceOut, also=200, writes=True, problems=(404, 409)),
)
async def append_attendance(request: Request, log: LogId) -> Response:
    """For many matches at once, each an entry on the server's time; the same id is a retry.

    `called` is for both players but those who were called before. `arrived` says that a player
    has come, and not when, once he would be late by now; `arrived_late` says that he comes only
    now, and is judged. `no_show` has a player forfeit the match for a late start.
    """
    door = door_of(request)
    visitor = await _direct(request, log)
    body = parsed(await request.body(), Attendance)
    ids = opening.Ids(body.request_id)
    made = []
    for number, act in enumerate(body.acts):
        await check_match(door, log, act.match)
        made.append(await asyncio.to_thread(_act_entries, door, log, act, ids, number))
    recorded = 0
    for act, entries in zip(body.acts, made, strict=True):
        if entries:
            appended = await door.desk.append(
                visitor.hand, log, act.match, entries, expected_version=None
            )
            recorded += 0 if appended.duplicate else len(appended.events)
    return json_answer({"recorded": recorded}, 201 if recorded else 200)


def _act_entries(
    door: Door, log: str, act: AttendanceAct, ids: opening.Ids, number: int
) -> list[EntryIn]:
    """The entries of one act, or those that the same request has made before. Reads the store."""
    live = door.reading.live(log, act.match)
    shown = live.replay
    seats = list(Seat) if act.seat is None else [Seat(act.seat)]
    if act.act != "called" and act.seat is None:
        raise BadInput("this is said of one player", where=f"$.acts[{number}].seat")
    entries = []
    for seat in seats:
        entry_id = ids.of(act.match, act.act, seat.value)
        before = next((one for one in live.recorded if one.entry_id == entry_id), None)
        if before is not None:
            at_ms = getattr(before.payload, "at_ms", None)
        elif act.act == "called" and _was_called(shown, seat):
            continue
        else:
            at_ms = _at_ms(door, log, live)
            if act.act == "arrived" and at_ms is not None and at_ms > _start_ms(shown, seat):
                # He may have sat there for long: the moment of this click is not when he came.
                at_ms = None
        time = {} if at_ms is None else {"at_ms": at_ms}
        said: dict[str, Any] = {"seat": seat.value, **time}
        if act.act == "no_show":
            said = {**said, "ground": PenaltyGround.LATE_START.value}
            entries.append(EntryIn(entry_id, "forfeit.declared", said, basis=Basis.RULED))
        else:
            tag = "player.called" if act.act == "called" else "player.arrived"
            entries.append(EntryIn(entry_id, tag, said))
    return entries


def _was_called(shown: Replay, seat: Seat) -> bool:
    return any(
        isinstance(step.event.payload, PlayerCalled) and step.event.payload.seat is seat
        for step in shown.steps
    )


def _start_ms(shown: Replay, seat: Seat) -> int:
    """From when a player is late, on the match's own scale, as the rules are asked."""
    penalties = shown.state.judged.penalties
    called = penalties.accounts[seat].called_ms
    return 0 if penalties.has_start or called is None else called


def _at_ms(door: Door, log: str, live: Live) -> int | None:
    """Now on the match's own scale: from its appointed start, or from its opening."""
    opened = live.replay.opened
    start = None if opened is None else opened.appointed_start
    if start is not None:
        begun = moment_of(Opened(door.reading, log, [start]).text(start) or None)
    else:
        place = live.recorded[0].global_position
        begun = received_at(door.archive.store.disclosures_of(log, [place]).get(place, ()))
    return None if begun is None else door.archive.now_ms() - begun


class _Plan(msgspec.Struct):
    """What is to be written, and what is answered once it stands."""

    intake: Intake | None
    answer: dict[str, Any]


async def _direct(request: Request, log: str) -> Visitor:
    visitor = await director_of(request, log)
    if log == ARCHIVE_LOG:
        raise Problem("no-such-log", "nobody plays in the archive's own log")
    return visitor


def _moment(text: str | None) -> str | None:
    if text is not None and moment_of(text) is None:
        raise BadInput("a start is an ISO 8601 moment", where="$.start")
    return text


def _judged(door: Door, log: str, body: PreviewRound) -> tuple[Sheet, list[Line], Known]:
    """The sheet as it stands against all that was recorded. Reads the store."""
    sheet = read_sheet(body.text, body.kind)
    known = _known(door, log)
    asked = Asked(
        round=(body.round or "").strip() or None,
        length=body.length,
        day=body.day,
        offset_minutes=body.offset_minutes,
        answers=body.answers,
    )
    return sheet, judge(sheet, known, asked), known


def _known(door: Door, log: str) -> Known:
    lines = all_lines(door.index, door.reading, door.rooms, log)
    return known_of(
        door.reading,
        log,
        roster=door.rosters.of(log),
        lines=lines.values(),
        leases=door.leasing.of(log),
        length=defaults_of(door.reading.tournament(log)).get("length"),
    )


def _plan(door: Door, visitor: Visitor, log: str, body: OpenRound, start: str | None) -> _Plan:
    """Everything that a request comes to. Reads the store. Errors: Problem, BadInput."""
    ids = opening.Ids(
        body.request_id,
        *(body.text, body.kind, body.round, body.length, body.day, body.offset_minutes),
        *(sorted(body.answers.items()), body.start, body.called),
    )
    again = _known_answer(door, log, body, ids)
    if again is not None:
        return _Plan(None, again)
    leases = door.leasing.of(log)
    sheet, lines, known = _judged(door, log, body)
    if sheet.faults or any(line.has_error for line in lines):
        told = _preview(sheet, lines, known)
        raise Problem(
            "not-ready",
            f"{told['errors']} things are to be settled first; nothing was recorded",
            lines=told["lines"],
            faults=told["faults"],
        )
    defaults = defaults_of(door.reading.tournament(log))
    opened = opening.openings(
        lines,
        ids,
        defaults=defaults,
        start=start,
        called_at=door.archive.now_ms() if body.called else None,
    )
    standing = standing_at(door.reading, log, leases)
    entries: list[EntryIn] = [
        *opening.registrations(lines, ids),
        *opening.byes(lines, ids),
        *opening.pushes(lines, ids, standing=standing, key=key_of),
    ]
    if not entries and not opened:
        return _Plan(None, _answer([], duplicate=False))
    units = tuple(_units(door, visitor, log, entries, opened, version=leases.version))
    answer = _answer(
        [(draft.entry_id, draft.tag, unit.stream_id) for unit in units for draft in unit.drafts],
        duplicate=False,
    )
    intake = Intake(log_id=log, premises={TOURNAMENT_STREAM: leases.version}, units=units)
    return _Plan(intake, answer)


def _units(
    door: Door,
    visitor: Visitor,
    log: str,
    entries: Sequence[EntryIn],
    opened: dict[str, list[EntryIn]],
    *,
    version: int,
) -> list[Unit]:
    desk, hand = door.desk, visitor.hand
    units = []
    if entries:
        units.append(desk.unit(hand, log, TOURNAMENT_STREAM, entries, expected_version=version))
    for match, first in opened.items():
        units.append(desk.unit(hand, log, match, first, expected_version=NO_STREAM))
    return units


def _known_answer(door: Door, log: str, body: OpenRound, ids: opening.Ids) -> dict[str, Any] | None:
    """The answer to the same request, given before; None where there was none."""
    rows = read_sheet(body.text, body.kind).rows
    found = door.archive.store.find_entries(log, [ids.line(row.line) for row in rows])
    if not found:
        return None
    told = [(row.entry_id, row.tag, row.stream_id) for row in found.values()]
    return _answer(told, duplicate=True)


def _answer(written: Sequence[tuple[str, str, str]], *, duplicate: bool) -> dict[str, Any]:
    """(entry id, tag, stream) of what was written, as the answer tells it."""
    return {
        "matches": [stream for _, tag, stream in written if tag == "match.opened"],
        "players": sum(tag == "player.registered" for _, tag, _ in written),
        "byes": [entry_id for entry_id, tag, _ in written if tag == "bye.given"],
        "tablets": sum(tag == "lease.granted" for _, tag, _ in written),
        "duplicate": duplicate,
    }


def _preview(sheet: Sheet, lines: Sequence[Line], known: Known) -> dict[str, Any]:
    told = [_line(line) for line in lines]
    faults = [{"line": line, **_fault(Fault(None, f"sheet_{code}"))} for line, code in sheet.faults]
    errors = sum(fault.is_error for line in lines for fault in line.faults)
    return {
        "kind": sheet.kind,
        "columns": list(sheet.columns),
        "ignored": list(sheet.ignored),
        "faults": faults,
        "lines": told,
        "errors": errors + len(faults),
        "new_players": len(
            {person.new for line in lines for person in line.people if person.new is not None}
        ),
        "next_round": known.next_round,
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "line": line.line,
        "kind": line.kind,
        "round": line.round or None,
        "table": line.table or None,
        "is_table_filled": line.is_table_filled,
        "one": [_person(person) for person in line.sides["one"]],
        "two": [_person(person) for person in line.sides["two"]],
        "length": line.length,
        "start": line.start,
        "details": line.details,
        "faults": [_fault(fault) for fault in line.faults],
    }


def _person(person: Person) -> dict[str, Any]:
    return {
        "key": person.key,
        "name": person.name,
        "player": person.player,
        "is_new": person.new is not None,
        "penalty_points": person.points,
        "candidates": [_entrant(entrant) for entrant in person.candidates],
    }


def _entrant(entrant: Entrant) -> dict[str, Any]:
    return {
        "player": entrant.player,
        "name": entrant.name or None,
        "club": entrant.club,
        "federation_id": entrant.federation_id,
        "penalty_points": entrant.points,
    }


def _fault(fault: Fault) -> dict[str, Any]:
    text = texts_of("en")(f"rounds.fault_{fault.code}", **fault.values)
    return {
        "field": fault.field,
        "code": fault.code,
        "values": fault.values,
        "is_error": fault.is_error,
        "message": text,
    }


def _players(door: Door, log: str) -> dict[str, Any]:
    known = _known(door, log)
    names = {entrant.player: entrant.name for entrant in known.entrants}
    matches: dict[str, int] = {}
    for match in known.matches:
        for player in match.players:
            matches[player] = matches.get(player, 0) + 1
    entrants = sorted(known.entrants, key=lambda one: (natural(one.name), one.player))
    roster = door.rosters.of(log)
    return {
        "players": [{**_entrant(one), "matches": matches.get(one.player, 0)} for one in entrants],
        "byes": [
            {
                "entry_id": entry_id,
                "round": round_ or None,
                "players": list(players),
                "names": [names.get(player) or None for player in players],
            }
            for entry_id, (round_, players) in zip(roster.byes, known.byes, strict=False)
        ],
        "next_round": known.next_round,
    }
