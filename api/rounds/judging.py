"""What each line of a sheet comes to, and what is wrong with it: nothing is guessed."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, Literal

import msgspec

from api.rounds.sheet import Row, Sheet, key_of, natural, spelling_of
from events.values import Seat

BYE: Final = frozenset({"bye", "freilos", "spielfrei", "-", "–", "—", "x", "none", "(bye)"})
"""What stands in place of an opponent where there is none."""

LENGTH_AT_MOST: Final = 99
"""Points of a match of a tournament; a longer one is a slip of the finger."""

_TABLE_AT_MOST: Final = 20
_ROUND_AT_MOST: Final = 40
_COMPARED_AT_MOST: Final = 40_000
"""Pairs of names that are compared for slips of the finger."""

_TEAM: Final = re.compile(r"\s*(?:/|&|\s\+\s)\s*")
_TIME: Final = re.compile(r"(\d{1,2})[:.h](\d{2})")
_NUMBER: Final = re.compile(r"[\d.,+% -]+")
"""What is no name: a rating, a place in a list."""


class Entrant(msgspec.Struct, frozen=True):
    """A player of the tournament."""

    player: str
    """Id of `player.registered`."""
    name: str
    """The name, as it was disclosed; empty once it is erased."""
    club: str | None = None
    federation_id: str | None = None
    points: int = 0
    """Penalty points over all matches."""
    former: tuple[str, ...] = ()
    """Names that were corrected: the program that makes the draw may go on with them."""


class Played(msgspec.Struct, frozen=True):
    """A match of the tournament that was opened before."""

    round: str
    """Its round as written; empty where it has none."""
    table: str
    """Its table as written; empty where it has none."""
    players: tuple[str, ...]
    """Ids of all who play in it."""
    is_over: bool


class Known(msgspec.Struct, frozen=True):
    """What a sheet is judged against."""

    entrants: tuple[Entrant, ...] = ()
    matches: tuple[Played, ...] = ()
    byes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(round, ids of those who have a bye in it)."""
    tables: tuple[str, ...] = ()
    """Tables at which a tablet stands."""
    length: int | None = None
    """What is played to where no line says it."""
    next_round: str | None = None
    """The round that follows those that were opened, where they are numbered."""


class Choices(msgspec.Struct, frozen=True):
    """What a director said beside the sheet."""

    round: str | None = None
    """The round of lines that name none."""
    length: int | None = None
    """The length of lines that name none."""
    day: str | None = None
    """The day in the hall, ISO 8601, for lines that give a time of day."""
    offset_minutes: int = 0
    """How far the hall's clock is ahead of UTC."""
    answers: Mapping[str, str] = {}
    """`<line>.<side>.<place>` to a player's id, or to `new` for somebody else of that name."""


class Fault(msgspec.Struct, frozen=True):
    """What is to be said about a line."""

    field: str | None
    """Column that it is about."""
    code: str
    """What it is."""
    values: dict[str, str] = {}
    """What its words name."""
    is_error: bool = True
    """Whether nothing is recorded before it is settled."""


class Person(msgspec.Struct, frozen=True):
    """Who stands in a cell."""

    key: str
    """Names the cell in `answers`."""
    name: str
    player: str | None
    """Id of whom it is; None where that is somebody new, or is not decided."""
    new: str | None = None
    """What tells one new player from another; None for who is known or not decided."""
    points: int = 0
    """Penalty points so far."""
    candidates: tuple[Entrant, ...] = ()
    """Whom it may be, where that is to be chosen."""

    @property
    def who(self) -> str:
        """The same word for the same person."""
        return self.player or f"new {self.new}"


class Line(msgspec.Struct, frozen=True):
    """What a row comes to."""

    line: int
    kind: Literal["match", "bye", "player"]
    round: str
    table: str
    is_table_filled: bool
    """Whether the table was filled in here."""
    sides: dict[str, tuple[Person, ...]]
    """`one` and `two`; a player of a list stands on side `one`."""
    length: int | None
    start: str | None
    """Appointed start, ISO 8601 UTC."""
    details: dict[str, str]
    """What else a list says of a player."""
    faults: tuple[Fault, ...]

    @property
    def people(self) -> list[Person]:
        """Everybody in it."""
        return [person for side in self.sides.values() for person in side]

    @property
    def has_error(self) -> bool:
        """Whether something is to be settled first."""
        return any(fault.is_error for fault in self.faults)


def judge(sheet: Sheet, known: Known, choices: Choices) -> list[Line]:
    """What every row comes to, in the order of the sheet."""
    people = _People(known, choices)
    if sheet.kind == "players":
        return [_player_line(row, people) for row in sheet.rows]
    lines = [_match_line(row, people, known, choices) for row in sheet.rows]
    taken = _Taken(known)
    return [taken.compared(line) for line in _with_tables(lines, known)]


class _People:
    """Who is meant by a name: those who are known, and those whom the sheet itself brings."""

    def __init__(self, known: Known, choices: Choices) -> None:
        self._choices = choices
        self._by_id = {entrant.player: entrant for entrant in known.entrants}
        self.by_name: dict[str, list[Entrant]] = {}
        named = [one for one in known.entrants if one.name]
        for entrant in named:
            details = [more for more in (entrant.club, entrant.federation_id) if more]
            for name in (entrant.name, *(f"{entrant.name} ({more})" for more in details)):
                self.by_name.setdefault(key_of(name), []).append(entrant)
        self._spelled = {spelling_of(name): one for one in named for name in one.former if name}
        self._spelled |= {spelling_of(one.name): one for one in named}
        self._compared = 0
        self._listed: dict[str, list[str | None]] = {}

    def of(self, name: str, key: str) -> tuple[Person, list[Fault]]:
        """Whom a pairing names."""
        field = key.split(".")[1]
        if _NUMBER.fullmatch(name):
            return Person(key, name, None), [Fault(field, "number", {"name": name})]
        if (answered := self._answered(name, key)) is not None:
            return answered, []
        found = self.by_name.get(key_of(name), [])
        if len(found) == 1:
            return _is(key, found[0]), []
        if found:
            fault = Fault(field, "which_player", {"name": name})
            return Person(key, name, None, candidates=tuple(found)), [fault]
        return self._new(Person(key, name, None, new=key_of(name)), field)

    def _answered(self, name: str, key: str) -> Person | None:
        """Whom the director chose for this cell; None where nobody was chosen."""
        answer = self._choices.answers.get(key)
        if answer == "new":
            return Person(key, name, None, new=key)
        return _is(key, self._by_id[answer]) if answer in self._by_id else None

    def _near(self, name: str) -> Entrant | None:
        """Somebody who is called nearly so: a slip of the finger, or what a keyboard lacks."""
        spelled = self._spelled.get(spelling_of(name))
        if spelled is not None:
            return spelled
        self._compared += len(self.by_name)
        if self._compared > _COMPARED_AT_MOST:
            return None
        found = difflib.get_close_matches(key_of(name), self.by_name, n=1, cutoff=0.87)
        return self.by_name[found[0]][0] if found else None

    def listed(self, row: Row, name: str) -> tuple[Person, list[Fault]]:
        """Whom a line of a list of players means: somebody new, or one who is known already."""
        key = f"{row.line}.one.0"
        number = row.cells.get("federation_id")
        found = [
            entrant
            for entrant in self.by_name.get(key_of(name), [])
            # Two numbers of a federation are two people, whatever they are called.
            if not (number and entrant.federation_id and number != entrant.federation_id)
        ]
        before = self._listed.setdefault(spelling_of(name) or key_of(name), [])  # "Berg, Ida" too
        is_twice = any(not (number and other and number != other) for other in before)
        before.append(number)
        if (answered := self._answered(name, key)) is not None:
            return answered, []
        if is_twice:
            return Person(key, name, None), [Fault("name", "listed_twice", {"name": name})]
        club = row.cells.get("club")
        known = [
            one for one in found if not (club and one.club) or key_of(club) == key_of(one.club)
        ]
        if len(known) == 1 and len(found) == 1:
            fault = Fault("name", "registered", {"name": name}, is_error=False)
            return _is(key, known[0]), [fault]
        if found:
            fault = Fault("name", "which_player", {"name": name})
            return Person(key, name, None, candidates=tuple(found)), [fault]
        return self._new(Person(key, name, None, new=key), "name")

    def _new(self, person: Person, field: str) -> tuple[Person, list[Fault]]:
        """Somebody new, with whom it may be where that name is nearly known."""
        near = self._near(person.name)
        if near is None:
            return person, []
        fault = Fault(field, "similar", {"name": person.name, "known": near.name}, is_error=False)
        return msgspec.structs.replace(person, candidates=(near,)), [fault]


def _is(key: str, entrant: Entrant) -> Person:
    return Person(key, entrant.name, entrant.player, points=entrant.points)


def _player_line(row: Row, people: _People) -> Line:
    cells = row.cells
    name = cells.get("name") or " ".join(
        part for part in (cells.get("first"), cells.get("last")) if part
    )
    faults = list(_of_row(row))
    side: tuple[Person, ...] = ()
    if not name:
        faults.append(Fault("name", "no_name"))
    else:
        person, more = people.listed(row, name)
        side = (person,)
        faults += more
    details: dict[str, str] = {
        column: cells[column]
        for column in ("club", "country", "division", "federation_id", "rating")
        if column in cells
    }
    return Line(
        row.line, "player", "", "", False, {"one": side, "two": ()}, None, None, details,
        tuple(faults),
    )  # fmt: skip


def _of_row(row: Row) -> Iterator[Fault]:
    if row.is_unreadable:
        yield Fault(None, "bad_text")
    if row.is_longer:
        yield Fault(None, "too_many_cells")


def _match_line(row: Row, people: _People, known: Known, choices: Choices) -> Line:
    cells = row.cells
    faults = list(_of_row(row))
    sides: dict[str, tuple[Person, ...]] = {}
    for seat in Seat:
        sides[seat.value], more = _side(row, seat.value, people)
        faults += more
    is_bye = not (sides["one"] and sides["two"])
    if not sides["one"] and not sides["two"]:
        faults.append(Fault("one", "no_names"))
    elif is_bye and not any(key_of(cells.get(side, "")) in BYE for side in ("one", "two")):
        # An empty cell may be a slip: a bye is said.
        faults.append(Fault("two" if sides["one"] else "one", "no_opponent"))
    one, two = len(sides["one"]), len(sides["two"])
    if one and two and one != two:
        faults.append(Fault("two", "uneven_teams"))
    round_ = cells.get("round") or choices.round or known.next_round or ""
    if not round_:
        faults.append(Fault("round", "no_round"))
    elif "round" not in cells and not choices.round:
        faults.append(Fault("round", "round_filled", {"round": round_}, is_error=False))
    elif len(round_) > _ROUND_AT_MOST:
        faults.append(Fault("round", "bad_round", {"most": str(_ROUND_AT_MOST)}))
    table = "" if is_bye else cells.get("table", "")
    if len(table) > _TABLE_AT_MOST:
        faults.append(Fault("table", "bad_table", {"most": str(_TABLE_AT_MOST)}))
    length, start = None, None
    if not is_bye:
        length, more = _length(cells.get("length"), choices.length or known.length)
        faults += more
        start, more = _start(cells.get("start"), choices)
        faults += more
    kind: Literal["match", "bye"] = "bye" if is_bye else "match"
    return Line(row.line, kind, round_, table, False, sides, length, start, {}, tuple(faults))


def _side(row: Row, side: str, people: _People) -> tuple[tuple[Person, ...], list[Fault]]:
    written = row.cells.get(side, "")
    if key_of(written) in BYE:
        written = ""
    is_name = key_of(written) in people.by_name  # of somebody, though it looks like a team
    names = [name for name in ([written] if is_name else _TEAM.split(written)) if name]
    partner = row.cells.get(f"{side}_partner", "")
    if partner and key_of(partner) not in BYE:
        names.append(partner)
    if len(names) > 2:
        return (), [Fault(side, "too_many_names")]
    found, faults = [], []
    for place, name in enumerate(names):
        person, more = people.of(name, f"{row.line}.{side}.{place}")
        found.append(person)
        faults += more
    return tuple(found), faults


def _length(written: str | None, otherwise: int | None) -> tuple[int | None, list[Fault]]:
    if not written:
        return otherwise, [] if otherwise else [Fault("length", "no_length")]
    digits = re.fullmatch(
        r"(\d{1,4})(?:\.0)?(?:\s*(?:points?|pts?|punkte?|p)\.?)?", written.casefold()
    )
    length = int(digits[1]) if digits and digits[1].isascii() else 0
    if not 1 <= length <= LENGTH_AT_MOST:
        return None, [Fault("length", "bad_length", {"most": str(LENGTH_AT_MOST)})]
    return length, []


def _start(written: str | None, choices: Choices) -> tuple[str | None, list[Fault]]:
    """The appointed start: a time of day in the hall, or a whole moment of ISO 8601."""
    if not written:
        return None, []
    hall = timezone(timedelta(minutes=choices.offset_minutes))
    time = _TIME.fullmatch(written)
    try:
        if time is None:
            moment = datetime.fromisoformat(written)
        else:
            moment = datetime.fromisoformat(f"{choices.day}T{int(time[1]):02}:{time[2]}")
        at = moment if moment.tzinfo else moment.replace(tzinfo=hall)
        return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), []
    except (ValueError, OverflowError):
        return None, [Fault("start", "bad_start")]


def _with_tables(lines: Sequence[Line], known: Known) -> Iterator[Line]:
    """Lines that name no table get the lowest that is free in their round, tablets first."""
    taken: dict[str, set[str]] = {}
    placed: list[Played | Line] = [*known.matches, *lines]
    for one in placed:
        if one.table:
            taken.setdefault(key_of(one.round), set()).add(key_of(one.table))
    busy = {key_of(match.table) for match in known.matches if match.table and not match.is_over}
    tables = sorted(known.tables, key=natural)
    standing = [table for table in tables if key_of(table) not in busy]
    standing += [table for table in tables if key_of(table) in busy]
    for line in lines:
        if line.kind != "match" or line.table:
            yield line
            continue
        used = taken.setdefault(key_of(line.round), set())
        free = (table for table in standing if key_of(table) not in used)
        # Beyond the tables with a tablet, one where nobody sits.
        more = (str(n) for n in itertools.count(1) if str(n) not in used and str(n) not in busy)
        table = next(itertools.chain(free, more))
        used.add(key_of(table))
        yield msgspec.structs.replace(line, table=table, is_table_filled=True)


class _Taken:
    """Who plays, and which tables are in use: by what was opened before, and by earlier lines."""

    def __init__(self, known: Known) -> None:
        self._before = {
            (key_of(match.round), player): match.table or "–"
            for match in known.matches
            for player in match.players
        }
        going_on = [match for match in known.matches if not match.is_over]
        self._playing = {who: match.table or "–" for match in going_on for who in match.players}
        at_table = [match for match in going_on if match.table]
        self._busy = {key_of(match.table) for match in at_table}
        self._taken = {(key_of(match.round), key_of(match.table)) for match in at_table}
        self._byes = {(key_of(round_), who) for round_, players in known.byes for who in players}
        self._seats: dict[tuple[str, str], int] = {}
        self._tables: dict[tuple[str, str], int] = {}

    def compared(self, line: Line) -> Line:
        """The line with what is wrong beside the others; it counts for those that follow."""
        faults = list(line.faults)
        for side, people in line.sides.items():
            for person in people:
                if person.player is not None or person.new is not None:
                    faults += self._of_person(line, side, person)
                    self._seats.setdefault((key_of(line.round), person.who), line.line)
        if line.kind == "match":
            faults += self._of_table(line)
            self._tables.setdefault((key_of(line.round), key_of(line.table)), line.line)
        return msgspec.structs.replace(line, faults=tuple(faults))

    def _of_person(self, line: Line, side: str, person: Person) -> Iterator[Fault]:
        place = (key_of(line.round), person.who)
        values = {"name": person.name, "round": line.round}
        if place in self._seats and self._seats[place] == line.line:
            yield Fault(side, "against_self", values)
        elif place in self._seats:
            yield Fault(side, "paired_twice", {**values, "line": str(self._seats[place])})
        elif place in self._before:
            yield Fault(side, "paired_before", {**values, "table": self._before[place]})
        elif place in self._byes:
            yield Fault(side, "has_bye", values)
        elif person.who in self._playing:
            values = {"name": person.name, "table": self._playing[person.who]}
            yield Fault(side, "still_playing", values, is_error=False)

    def _of_table(self, line: Line) -> Iterator[Fault]:
        place = (key_of(line.round), key_of(line.table))
        values = {"table": line.table}
        if place in self._tables:
            yield Fault("table", "table_twice", {**values, "line": str(self._tables[place])})
        elif place in self._taken:
            yield Fault("table", "table_taken", values)
        elif place[1] in self._busy:
            yield Fault("table", "table_busy", values, is_error=False)
