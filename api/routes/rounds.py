"""Rounds: a sheet of players or pairings, previewed line by line and opened as a whole."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Request, Response
from msgspec.structs import astuple

from api.archive.tournaments import defaults_of
from api.desk.entries import EntryIn
from api.desk.room_lines import moment_of
from api.html.texts import texts_of
from api.refusals import Problem
from api.rounds import opening
from api.rounds.judging import Choices, Entrant, Fault, Known, Line, Person, judge
from api.rounds.rosters import all_lines, known_of, standing_at
from api.rounds.sheet import TEXT_AT_MOST, Sheet, key_of, natural, read_sheet
from api.routes.shared.directors import decided, player_director_of
from api.routes.shared.door import NO_STORE, Door, LogId, Visitor, door_of, json_answer
from api.routes.shared.requests import parsed
from api.shapes.documented import documented
from api.shapes.rounds import (
    ByeOut,
    EntrantOut,
    FaultOut,
    PersonOut,
    PlayerOut,
    PlayersOut,
    RoundLine,
    RoundOpened,
    RoundPreview,
    SheetFault,
)
from events.envelope import NO_STREAM, TOURNAMENT_STREAM
from events.errors import BadInput
from events.store.journal import Intake
from events.store.protocol import Unit
from events.values import EntryId

Side = Annotated[str, msgspec.Meta(max_length=64)]
Day = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Offset = Annotated[int, msgspec.Meta(ge=-1_080, le=1_080)]
Moment = Annotated[str, msgspec.Meta(max_length=40)]

router = APIRouter(tags=["rounds"])


class PreviewRound(msgspec.Struct, forbid_unknown_fields=True):
    """A sheet to preview."""

    text: Annotated[str, msgspec.Meta(max_length=TEXT_AT_MOST)]
    """The pasted text, or the text of the file; its columns end at commas, semicolons or tabs."""
    kind: Literal["players", "pairings"] | None = None
    """What its lines are; null = recognised from the sheet."""
    round: Annotated[str, msgspec.Meta(max_length=40)] | None = None
    """Round for lines that name none."""
    length: Annotated[int, msgspec.Meta(ge=1, le=99)] | None = None
    """Match length for lines that name none."""
    day: Day | None = None
    """Day at the venue, for lines that give a time of day."""
    offset_minutes: Offset = 0
    """How far the local time at the venue is ahead of UTC, minutes."""
    answers: dict[Side, Side] = {}
    """Choices of players: the `key` of a cell to a player's id, or to `new`."""


class OpenRound(PreviewRound, forbid_unknown_fields=True, kw_only=True):
    """A sheet to open."""

    request_id: EntryId
    """UUID made by the client; the same sheet with the same id is a retry."""
    start: Moment | None = None
    """Appointed start, ISO 8601, of matches whose line gives none."""
    called: bool = False
    """Whether to call the players to their tables at the same time."""


@router.post(
    "/logs/{log}/rounds/preview",
    operation_id="getRoundPreview",
    summary="Preview a sheet of players or pairings",
    **documented(RoundPreview, success=200, writes=True, problems=(404,)),
)
async def preview_round(request: Request, log: LogId) -> Response:
    """What each line would become, and its faults; nothing is recorded.

    A sheet is text copied from a spreadsheet, or a CSV file, with a heading in English or German or
    with none. Lines without a table get one.
    """
    door = door_of(request)
    await player_director_of(request, log)
    body = await parsed(request, PreviewRound)
    sheet, lines, known = await asyncio.to_thread(_judged, door, log, body)
    return json_answer(_preview(sheet, lines, known), headers=NO_STORE)


@router.post(
    "/logs/{log}/rounds",
    status_code=201,
    operation_id="openRound",
    summary="Register players, or open the matches of a round",
    **documented(RoundOpened, also=200, writes=True, problems=(404, 409)),
)
async def open_round(request: Request, log: LogId) -> Response:
    """All lines or none: players, byes, matches, and leases for the tablets at their tables.

    If any line has an error, the sheet is refused; `lines` has the faults, as in the preview.
    """
    door = door_of(request)
    await player_director_of(request, log)
    body = await parsed(request, OpenRound)
    start = _moment(body.start)
    # Other requests to open a round wait here; at other servers the ledger makes them wait.
    async with door.at_players:
        return await decided(
            request,
            log,
            lambda visitor: _plan(door, visitor, log, body, start),
            of="the tournament",
        )


@router.get(
    "/logs/{log}/players",
    operation_id="listPlayers",
    summary="List the players of a tournament",
    **documented(PlayersOut, problems=(404,)),
)
async def list_players(request: Request, log: LogId) -> Response:
    """For directors: players with the penalty points of all their matches, and the byes."""
    door = door_of(request)
    await player_director_of(request, log)
    value = await asyncio.to_thread(_players, door, log)
    return json_answer(value, headers=NO_STORE)


def _moment(text: str | None) -> str | None:
    if text is not None and moment_of(text) is None:
        raise BadInput("a start is an ISO 8601 moment", where="$.start")
    return text


def _judged(door: Door, log: str, body: PreviewRound) -> tuple[Sheet, list[Line], Known]:
    """The sheet, judged against all that was recorded. Reads the store."""
    sheet = read_sheet(body.text, body.kind)
    known = _known(door, log)
    asked = Choices(
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
        length=door.reading.tournament(log).length,
    )


def _plan(
    door: Door, visitor: Visitor, log: str, body: OpenRound, start: str | None
) -> tuple[RoundOpened, Intake | None]:
    """All that a request results in. Reads the store. Errors: Problem, BadInput."""
    ids = opening.Ids(
        body.request_id,
        *(body.text, body.kind, body.round, body.length, body.day, body.offset_minutes),
        *(sorted(body.answers.items()), body.start, body.called),
    )
    again = _known_answer(door, log, body, ids)
    if again is not None:
        return again, None
    streams = len(door.archive.store.streams(log))
    leases = door.leasing.of(log)
    sheet, lines, known = _judged(door, log, body)
    if sheet.faults or any(line.has_error for line in lines):
        told = _preview(sheet, lines, known)
        raise Problem(
            "not-ready",
            f"{told.errors} things are to be settled first; nothing was recorded",
            lines=msgspec.to_builtins(told.lines),
            faults=msgspec.to_builtins(told.faults),
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
        return _answer([], duplicate=False), None
    units = tuple(_units(door, visitor, log, entries, opened, version=leases.version))
    answer = _answer(
        [(draft.entry_id, draft.tag, unit.stream_id) for unit in units for draft in unit.drafts],
        duplicate=False,
    )
    # Opening a match of registered players, here or at another server, changes only the number of
    # streams.
    intake = Intake(
        log_id=log, premises={TOURNAMENT_STREAM: leases.version}, streams=streams, units=units
    )
    return answer, intake


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


def _known_answer(door: Door, log: str, body: OpenRound, ids: opening.Ids) -> RoundOpened | None:
    """The answer that the same request got before; None if there was none."""
    store, rows = door.archive.store, read_sheet(body.text, body.kind).rows
    found = store.find_entries(log, [ids.line(row.line) for row in rows])
    if not found:
        return None
    beside = [ids.of("lease", row.line) for row in rows]
    beside += [ids.of("registered", player) for player in door.rosters.of(log).players]
    found = {**found, **store.find_entries(log, beside)}
    made = sorted(found.values(), key=lambda row: row.global_position)
    return _answer([(row.entry_id, row.tag, row.stream_id) for row in made], duplicate=True)


def _answer(written: Sequence[tuple[str, str, str]], *, duplicate: bool) -> RoundOpened:
    """(entry id, tag, stream) of what was written, for the answer."""
    return RoundOpened(
        matches=[stream for _, tag, stream in written if tag == "match.opened"],
        players=sum(tag == "player.registered" for _, tag, _ in written),
        byes=[entry_id for entry_id, tag, _ in written if tag == "bye.given"],
        tablets=sum(tag == "lease.granted" for _, tag, _ in written),
        duplicate=duplicate,
    )


def _preview(sheet: Sheet, lines: Sequence[Line], known: Known) -> RoundPreview:
    faults = [
        SheetFault(line, *astuple(_fault(Fault(None, f"sheet_{code}"))))
        for line, code in sheet.faults
    ]
    errors = sum(fault.is_error for line in lines for fault in line.faults)
    new = {person.new for line in lines for person in line.people if person.new is not None}
    return RoundPreview(
        kind=sheet.kind,
        columns=list(sheet.columns),
        ignored=list(sheet.ignored),
        faults=faults,
        lines=[_line(line) for line in lines],
        errors=errors + len(faults),
        new_players=len(new),
        next_round=known.next_round,
    )


def _line(line: Line) -> RoundLine:
    return RoundLine(
        line=line.line,
        kind=line.kind,
        round=line.round or None,
        table=line.table or None,
        is_table_filled=line.is_table_filled,
        one=[_person(person) for person in line.sides["one"]],
        two=[_person(person) for person in line.sides["two"]],
        length=line.length,
        start=line.start,
        details=line.details,
        faults=[_fault(fault) for fault in line.faults],
    )


def _person(person: Person) -> PersonOut:
    return PersonOut(
        key=person.key,
        name=person.name,
        player=person.player,
        is_new=person.new is not None,
        penalty_points=person.points,
        candidates=[EntrantOut(*_entrant(entrant)) for entrant in person.candidates],
    )


def _entrant(one: Entrant) -> tuple[str, str | None, str | None, str | None, int]:
    """The members of the shape of an entrant, in order."""
    return one.player, one.name or None, one.club, one.federation_id, one.points


def _fault(fault: Fault) -> FaultOut:
    text = texts_of("en")(f"rounds.fault_{fault.code}", **fault.values)
    return FaultOut(fault.field, fault.code, fault.values, fault.is_error, text)


def _players(door: Door, log: str) -> PlayersOut:
    known = _known(door, log)
    names = {entrant.player: entrant.name for entrant in known.entrants}
    matches = Counter(player for match in known.matches for player in match.players)
    entrants = sorted(known.entrants, key=lambda one: (natural(one.name), one.player))
    roster = door.rosters.of(log)
    return PlayersOut(
        players=[PlayerOut(*_entrant(one), matches=matches[one.player]) for one in entrants],
        byes=[
            ByeOut(
                entry_id=entry_id,
                round=round_ or None,
                players=list(players),
                names=[names.get(player) or None for player in players],
            )
            for entry_id, (round_, players) in zip(roster.byes, known.byes, strict=False)
        ],
        next_round=known.next_round,
    )
