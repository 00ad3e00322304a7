"""Compares what clients were told during faults with one archive that must explain it all.

A client counts nothing as done before it was told so; what it was not told may be there or not.
Moments are numbered by one counter in the test's process: no clock is involved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count


@dataclass
class Asked:
    """One entry that a client wanted recorded, sent again until somebody answered."""

    stream: str
    entry_id: str
    begun: int
    """Moment before it was first sent."""
    ended: int | None = None
    """Moment after it was first acknowledged; None = never."""
    told: set[tuple[int, int]] = field(default_factory=set)
    """Every (version, global position) that an answer gave it."""


@dataclass
class Looked:
    """How far a stream was, as somebody was told who asked."""

    stream: str
    begun: int
    ended: int
    version: int


class History:
    """Every request, with its sender."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.looked: list[Looked] = []
        self._moments = count()

    def now(self) -> int:
        """A moment later than all before."""
        return next(self._moments)

    def acknowledged(self) -> int:
        """How many entries somebody was told are recorded."""
        return sum(one.ended is not None for one in self.asked)


def faults_in(history: History, streams: Mapping[str, Sequence[tuple[str, int]]]) -> list[str]:
    """What no archive can have done: for each stream its (entry id, global position) in order."""
    found: list[str] = []
    places: dict[str, tuple[str, int, int]] = {}
    for stream, rows in streams.items():
        for version, (entry_id, position) in enumerate(rows, 1):
            if entry_id in places:
                found.append(f"{entry_id} stands twice")
            places[entry_id] = (stream, version, position)
    wanted = {one.entry_id: one for one in history.asked}
    found += [f"{one} was sent by nobody" for one in places if one not in wanted]
    for one in history.asked:
        place = places.get(one.entry_id)
        if place is None:
            if one.ended is not None:
                found.append(f"{one.entry_id} was acknowledged and is gone")
        elif place[0] != one.stream:
            found.append(f"{one.entry_id} stands in another stream")
        elif one.told - {place[1:]}:
            found.append(f"{one.entry_id} stands elsewhere than it was told")
    return found + _out_of_order(wanted, places) + _stale(history)


def _out_of_order(
    wanted: Mapping[str, Asked], places: Mapping[str, tuple[str, int, int]]
) -> list[str]:
    """Everything acknowledged before another request was sent comes before it."""
    here = sorted((place[2], entry_id) for entry_id, place in places.items() if entry_id in wanted)
    found, earliest = [], None
    for _, entry_id in reversed(here):
        one = wanted[entry_id]
        if earliest is not None and earliest < one.begun:
            found.append(f"{entry_id} stands before one that was acknowledged earlier")
        if one.ended is not None and (earliest is None or one.ended < earliest):
            earliest = one.ended
    return found


def _stale(history: History) -> list[str]:
    """No answer shows less than an earlier answer had shown."""
    known = [(one.ended, one.stream, one.version) for one in history.looked]
    for one in history.asked:
        if one.ended is not None:
            known.append((one.ended, one.stream, max(version for version, _ in one.told)))
    found = []
    for look in history.looked:
        before = [
            version
            for ended, stream, version in known
            if stream == look.stream and ended < look.begun
        ]
        if look.version < max(before, default=0):
            found.append(f"{look.stream} was said to be at {look.version}, behind {max(before)}")
    return found
