"""Tablets that stand at tables, and what comes to them there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from api.archive.index.index import MatchIndex
from api.archive.reading import Reading
from api.desk.desk import Desk
from api.desk.entries import EntryIn
from api.desk.leases import end_entry, lease_entries
from api.desk.room_lines import Rooms
from api.refusals import Problem
from api.rounds.rosters import Opened, all_lines, standing_at
from api.rounds.sheet import key_of, trimmed
from projections.custody.leases import Leases

MOVED = "moved"
"""Why a device's place at a table ends, and with it a match there that has not begun."""


class Place(NamedTuple):
    """A table as a director names it, with what is open at it."""

    table: str
    open: Sequence[str]
    """Matches there that are not over, the oldest first."""
    waiting: Sequence[str]
    """Matches of the whole tournament that have not begun."""
    standing: str | None
    """Device that stands there; None while none does."""

    def beside(self, match_id: str | None) -> Place:
        """The same but for a match that is given by itself."""
        rest, waiting = ([m for m in some if m != match_id] for some in (self.open, self.waiting))
        return self._replace(open=rest, waiting=waiting)


def place_of(
    reading: Reading, index: MatchIndex, rooms: Rooms, log_id: str, *, leases: Leases, table: str
) -> Place:
    """What is open at a table. Reads the store."""
    lines = all_lines(index, reading, rooms, log_id)
    opened = Opened(reading, log_id, [line.table for line in lines.values()])
    there = [
        match
        for match, line in lines.items()
        if line.standing.state in ("waiting", "live")
        and key_of(opened.text(line.table)) == key_of(table)
    ]
    waiting = [match for match, line in lines.items() if line.standing.state == "waiting"]
    standing = standing_at(reading, log_id, leases).get(key_of(table))
    return Place(table, there, waiting, standing)


def place_entries(
    desk: Desk, leases: Leases, *, device: str, place: Place, takeover: bool
) -> list[EntryIn]:
    """What has a device stand at a table, with the matches that are open there.

    A match that another device records is taken from it only where `takeover` is said; so is the
    table itself. Errors: Problem.
    """
    other = place.standing if place.standing != device else None
    if other is not None and not takeover:
        detail = f"device {other} stands at table {place.table}"
        raise Problem("lease-held", detail, device=other)
    if place.standing == device and device in leases.tables:
        entries = []
    else:
        # What waits at the table that it comes to is its already, or comes to it now.
        waiting = [match for match in place.waiting if match not in place.open]
        entries = leave_entries(desk, leases, device=device, waiting=waiting)
        entries += [] if other is None else leave_entries(desk, leases, device=other, waiting=())
        body = {"lease": leases.table_number + 1, "device": device, "table": place.table}
        entries.append(EntryIn(desk.archive.entry_id(), "lease.granted", body))
    for match in place.open:
        held = leases.current(match)
        if held is not None and (held.device == device or (held.device != other and not takeover)):
            continue
        entries += lease_entries(
            desk,
            leases,
            match=match,
            device=device,
            takeover=True,
            table=place.table,
            held=held,
        )
    return entries


def come_entries(
    desk: Desk, reading: Reading, log_id: str, leases: Leases, *, match: str, table: str
) -> list[EntryIn]:
    """What has a match that was just opened come to the device that stands at its table, if one
    does; nothing where it has come to a device already. Reads the store.
    """
    if not leases.tables or leases.number(match) or not trimmed(table):
        return []
    device = standing_at(reading, log_id, leases).get(key_of(table))
    if device is None:
        return []
    return lease_entries(
        desk, leases, match=match, device=device, takeover=False, table=trimmed(table)
    )


def leave_entries(
    desk: Desk, leases: Leases, *, device: str, waiting: Sequence[str]
) -> list[EntryIn]:
    """What has a device stand at no table; what it records stays with it, what waits does not."""
    placed = leases.tables.get(device)
    if placed is None:
        return []
    ended = {"lease": placed.number, "reason": MOVED}
    entries = [EntryIn(desk.archive.entry_id(), "lease.ended", ended)]
    for match in waiting:
        held = leases.current(match)
        if held is not None and held.device == device:
            entries.append(end_entry(desk, held, MOVED))
    return entries
