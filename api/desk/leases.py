"""Devices and leases: what is in force in a log, and the entries that change it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from api.archive.reading import Reading
from api.archive.tournaments import TournamentFold
from api.desk.desk import Desk
from api.desk.entries import EntryIn
from api.desk.hand import Hand
from api.refusals import Problem
from events.envelope import TOURNAMENT_STREAM
from events.errors import ExpectedVersionMismatch
from events.store.protocol import Appended
from projections.custody.leases import NO_ASSIST, BoundDevice, Lease, Leases, fold_leases

TAKEN_OVER = "taken_over"
"""Why a lease ends that another device takes."""

_ATTEMPTS = 8
"""How often a write is tried again because another entry has come between."""


class Leasing(TournamentFold[Leases]):
    """The devices and leases of each log."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading, fold_leases)


class Given(NamedTuple):
    """A lease as it was given, or as the device holds it already."""

    number: int
    entry_id: str
    is_new: bool


def highest_epoch(leases: Leases, device: str) -> BoundDevice | None:
    """The youngest binding that a device ever had, in force or not."""
    known = [bound for bound in leases.bound.values() if bound.id == device]
    return max(known, key=lambda bound: bound.epoch, default=None)


def lease_entries(
    desk: Desk,
    leases: Leases,
    *,
    match: str,
    device: str,
    takeover: bool,
    table: str | None = None,
    held: Lease | None = None,
    profile: str = NO_ASSIST,
) -> list[EntryIn]:
    """What makes a device the scribe of a match; `held` is the lease that it ends.

    Errors: Problem, where another device holds it and nobody said to take it over.
    """
    entries: list[EntryIn] = []
    is_taken = held is not None and held.device != device
    if held is not None and is_taken and not takeover:
        detail = f"device {held.device} is the scribe of match {match}"
        raise Problem("lease-held", detail, device=held.device, lease=held.number)
    if held is not None:
        entries.append(end_entry(desk, held, TAKEN_OVER))
    body = {
        "lease": leases.number(match) + 1,
        "device": device,
        "match": match,
        "takeover": is_taken,
        **({"table": table} if table else {}),
        **({"profile": profile} if profile != NO_ASSIST else {}),
    }
    entries.append(EntryIn(desk.archive.entry_id(), "lease.granted", body))
    return entries


def profile_entries(desk: Desk, held: Lease, profile: str) -> list[EntryIn]:
    """What changes what the screen of a board's scribe may show; nothing where that is so already.

    The number stays: what the device has not sent yet is no other device's.
    """
    if held.profile == profile:
        return []
    body = {
        "lease": held.number,
        "device": held.device,
        "match": held.match,
        "profile": profile,
    }
    return [EntryIn(desk.archive.entry_id(), "lease.granted", body)]


def end_entry(desk: Desk, held: Lease, reason: str) -> EntryIn:
    """What ends a lease."""
    body = {"lease": held.number, "match": held.match, "reason": reason}
    return EntryIn(desk.archive.entry_id(), "lease.ended", body)


async def append_folded(
    desk: Desk,
    leasing: Leasing,
    hand: Hand,
    log_id: str,
    make: Callable[[Leases], Sequence[EntryIn]],
) -> Appended | None:
    """Append the entries that `make` returns for the leases in force; again if others come between.

    `make` runs in a thread and reads the store itself, because earlier reads may be out of date.
    None if it makes nothing. Errors: LedgerError, NotPermitted, Problem.
    """
    for attempt in range(_ATTEMPTS):
        leases = await asyncio.to_thread(leasing.of, log_id)
        entries = list(await asyncio.to_thread(make, leases))
        if not entries:
            return None
        try:
            return await desk.append(
                hand, log_id, TOURNAMENT_STREAM, entries, expected_version=leases.version
            )
        except ExpectedVersionMismatch:
            if attempt + 1 == _ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")
