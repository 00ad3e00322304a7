"""Who plays where: the public matches of a name, and the names that are disclosed in them."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from api.routes.shared.door import Door
from api.routes.shared.due import public_now

_AT_ONCE = 500
"""Matches of a player that are read together."""


TRIED = 5
"""In how many matches a name is looked for; if it was erased in all of these, it is not shown."""


class Played(NamedTuple):
    """Somebody's seat in a match."""

    log_id: str
    stream_id: str
    seat: int
    """1 or 2."""


def path_of(name: str) -> str:
    """The page of a player; two spellings are two players."""
    return f"/players/{quote(name, safe='')}"


def is_known_player(door: Door, name: str) -> bool:
    """Whether a public match that may be seen by now has a player of this name."""
    person = door.index.players.person_of(name)
    rows = door.index.players.played(person, now_ms=public_now(door), limit=TRIED)
    return name in door.index.players.names_in(rows).values()


def called(door: Door, name: str) -> str | None:
    """The name in public matches that is meant: this one as it is spelled, else the only one that
    is found by it in another case, without accents or with letters composed otherwise.

    None where there is none, or several are. Reads the store.
    """
    if is_known_player(door, name):
        return name
    players, now_ms = door.index.players, public_now(door)
    rows = [
        row
        for person in players.called(name)
        for row in players.played(person, now_ms=now_ms, limit=TRIED)
    ]
    names = {*players.names_in(rows).values()}
    return names.pop() if len(names) == 1 else None


def names_of(door: Door, name: str) -> list[str]:
    """A name, and others that are said to be the same player's, the listed one first: those that
    stand in a public match, for of the others nobody is to learn here. So a name that stands in
    none has no others: whoever asks for it would learn whose it is. Reads the store.
    """
    meant = called(door, name)
    if meant is None:
        # A name that is in no public match must not reveal the other names of that player.
        return [name]
    return [one for one in door.same.of(meant) if one == meant or is_known_player(door, one)]


def played_by(door: Door, name: str) -> list[Played]:
    """Every public match of a player that may be seen by now. Reads the store."""
    return [one for said in names_of(door, name) for one in _played_as(door, said)]


def _played_as(door: Door, name: str) -> list[Played]:
    """The matches under one name, the newest first."""
    person = door.index.players.person_of(name)
    now_ms = public_now(door)
    found: list[Played] = []
    after: tuple[int, str, int] | None = None
    while rows := door.index.players.played(person, now_ms=now_ms, after=after, limit=_AT_ONCE):
        names = door.index.players.names_in(rows)
        for one in rows:
            row = door.index.match(one.log_id, one.stream_id)
            if row is None or not row.is_public or names.get(one.sd) != name:
                continue
            found.append(Played(one.log_id, one.stream_id, one.seat))
        after = (rows[-1].since_ms, rows[-1].log_id, rows[-1].opened_at)
    return found
