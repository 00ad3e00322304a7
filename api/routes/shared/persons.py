"""Who plays where: the public matches of a name, and the names that are disclosed in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from api.archive.index.rows import PlayedRow
from api.routes.shared.door import Door
from api.routes.shared.due import public_now
from events.personal import Disclosed

_LEARNED = 2_000
"""Names that a search opens so that the next one finds parts of them."""

_AT_ONCE = 500
"""Matches of somebody that are read together."""


TRIED = 5
"""Matches by which a name is looked for: of one that was erased in all of these, none is shown."""


class Played(NamedTuple):
    """Somebody's seat in a match."""

    log_id: str
    stream_id: str
    seat: int
    """1 or 2."""


def path_of(name: str) -> str:
    """The page of a player; two spellings are two players."""
    return f"/players/{quote(name, safe='')}"


def names_in(door: Door, rows: Sequence[PlayedRow]) -> dict[str, str]:
    """Commitment to name; names that were erased since are taken off the list."""
    by_log: dict[str, list[str]] = {}
    for row in rows:
        by_log.setdefault(row.log_id, []).append(row.sd)
    names: dict[str, str] = {}
    for log_id, wanted in by_log.items():
        for sd, value in door.reading.opened_values(log_id, wanted).items():
            if isinstance(value, Disclosed):
                names[sd] = str(value.value)
    erased = [row for row in rows if row.sd not in names]
    if erased:
        door.index.players.forget(erased)
    return names


def persons_holding(door: Door, part: str) -> list[bytes] | None:
    """Whose name holds a part, in any case, or another name that is said to be the same player's.

    None while not all names are known: whoever asks gets some more of them known, and walks the
    list meanwhile. Reads the store.
    """
    players = door.index.players
    unknown, age = ([], 0) if players.holding(part) is not None else players.unknown(_LEARNED)
    for begin in range(0, len(unknown), _AT_ONCE):
        rows = unknown[begin : begin + _AT_ONCE]
        names = names_in(door, rows)
        known = {row.person: names[row.sd] for row in rows if row.sd in names}
        players.learn(known, upto=rows[-1].person, age=age)
    if len(unknown) < _LEARNED:
        players.learn({}, upto=None, age=age)
    found = players.holding(part)
    if found is None:
        return None
    folded = part.casefold()
    of_same = (
        players.person_of(name)
        for group in door.same.groups()
        if any(folded in name.casefold() for name in group)
        for name in group
    )
    return [*{*found, *of_same}]


def is_known_player(door: Door, name: str) -> bool:
    """Whether a public match that may be seen by now has a player of this name."""
    person = door.index.players.person_of(name)
    rows = door.index.players.played(person, now_ms=public_now(door), limit=TRIED)
    return name in names_in(door, rows).values()


def names_of(door: Door, name: str) -> list[str]:
    """A name, and others that are said to be the same player's, the listed one first: those that
    stand in a public match, for of the others nobody is to learn here. Reads the store.
    """
    return [one for one in door.same.of(name) if one == name or is_known_player(door, one)]


def played_by(door: Door, name: str) -> list[Played]:
    """Every public match of a player that may be seen by now. Reads the store."""
    return [one for said in names_of(door, name) for one in _played_as(door, said)]


def _played_as(door: Door, name: str) -> list[Played]:
    """Those under one name, the newest first."""
    person = door.index.players.person_of(name)
    now_ms = public_now(door)
    found: list[Played] = []
    after: tuple[int, str, str] | None = None
    while rows := door.index.players.played(person, now_ms=now_ms, after=after, limit=_AT_ONCE):
        names = names_in(door, rows)
        for one in rows:
            row = door.index.match(one.log_id, one.stream_id)
            if row is None or not row.is_public or names.get(one.sd) != name:
                continue
            found.append(Played(one.log_id, one.stream_id, one.seat))
        after = (rows[-1].since_ms, rows[-1].log_id, rows[-1].stream_id)
    return found
