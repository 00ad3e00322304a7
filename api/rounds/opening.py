"""The entries that a judged sheet becomes, in one intake; the same request makes the same ids."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence

from api.desk.entries import EntryIn
from api.desk.room_lines import moment_of
from api.rounds.judging import Line, Person
from api.shapes.shape import JsonObject


class Ids:
    """Ids that a request has once and for all: sent again, it is found to be the same."""

    def __init__(self, request_id: str, *content: object) -> None:
        said = "\x1f".join([request_id, *map(repr, content)])
        self._seed = hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()

    def of(self, *place: object) -> str:
        """The id of one entry, or of one match."""
        text = self._seed + "\x1f".join(map(str, place)).encode("utf-8", "surrogatepass")
        return str(uuid.UUID(bytes=hashlib.sha256(text).digest()[:16], version=4))

    def line(self, number: int) -> str:
        """The entry that a line is known by."""
        return self.of("line", number)

    def match(self, number: int) -> str:
        """The stream of the match that a line opens."""
        return self.of("match", number)

    def player(self, person: Person) -> str:
        """Who somebody is: by the tournament's list, or as the sheet brings him."""
        return person.player or f"p-{self.of('player', person.new)[:13]}"


def registrations(lines: Iterable[Line], ids: Ids) -> list[EntryIn]:
    """One `player.registered` for everybody who is new."""
    made: dict[str, EntryIn] = {}
    for line in lines:
        for person in line.people:
            player = ids.player(person)
            if person.player is not None or player in made:
                continue
            # A line of a list is known by its entry; a pairing is known by its match.
            is_listed = line.kind == "player"
            entry_id = ids.line(line.line) if is_listed else ids.of("registered", player)
            body = {"player": player, "name": person.name, **line.details}
            made[player] = EntryIn(entry_id, "player.registered", body)
    return list(made.values())


def byes(lines: Iterable[Line], ids: Ids) -> list[EntryIn]:
    """One `bye.given` for each line with a bye."""
    return [
        EntryIn(
            ids.line(line.line),
            "bye.given",
            {"players": [ids.player(person) for person in line.people], "round": line.round},
        )
        for line in lines
        if line.kind == "bye"
    ]


def openings(
    lines: Iterable[Line],
    ids: Ids,
    *,
    defaults: Mapping[str, object],
    start: str | None,
    called_at: int | None,
) -> dict[str, list[EntryIn]]:
    """Stream of each new match to its first entries.

    `called_at` is when the players are called with it, milliseconds since 1970 UTC; None = not yet.
    """
    return {
        ids.match(line.line): list(
            _opening(line, ids, defaults=defaults, start=start, called_at=called_at)
        )
        for line in lines
        if line.kind == "match"
    }


def _opening(
    line: Line,
    ids: Ids,
    *,
    defaults: Mapping[str, object],
    start: str | None,
    called_at: int | None,
) -> Iterable[EntryIn]:
    body: JsonObject = {
        **defaults,
        "players": {
            side: [{"id": ids.player(person), "name": person.name} for person in people]
            for side, people in line.sides.items()
        },
        "length": line.length,
        "round": line.round,
        "table": line.table,
    }
    begins = line.start or start
    if begins:
        body["appointed_start"] = begins
        body["start_basis"] = "posted"
    yield EntryIn(ids.line(line.line), "match.opened", body)
    if called_at is None:
        return
    for seat in ("one", "two"):
        # Counted from the appointed start, or else from this very opening (events/README.md).
        begun = moment_of(begins)
        said = {"seat": seat, "at_ms": 0 if begun is None else called_at - begun}
        yield EntryIn(ids.of("called", line.line, seat), "player.called", said)


def pushes(
    lines: Sequence[Line],
    ids: Ids,
    *,
    standing: Mapping[str, str],
    key: Callable[[str], str],
) -> list[EntryIn]:
    """The leases by which new matches come to the tablets that stand at their tables.

    `standing` is the key of a table to the device there; `key` makes such a key of a table's name.
    """
    made = []
    for line in lines:
        device = standing.get(key(line.table)) if line.kind == "match" else None
        if device is None:
            continue
        match = ids.match(line.line)
        body = {"lease": 1, "device": device, "match": match, "table": line.table}
        made.append(EntryIn(ids.of("lease", line.line), "lease.granted", body))
    return made
