"""Which device records which match: devices bound by grants, and the leases that they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from events.envelope import RecordedEvent
from events.payloads.access import AccessGranted, AccessRevoked
from events.payloads.custody import BranchResolved, LeaseEnded, LeaseGranted
from events.personal import Commitment

NO_ASSIST: Final = "no_assist"
"""The screen shows nothing that reveals which plays are legal."""

MONITOR: Final = "monitor"
"""What is legal as well: for a neutral scribe whom the director has appointed."""

Profile = Literal["no_assist", "monitor"]
"""How much a device shows: one of the two."""


class BoundDevice(msgspec.Struct, frozen=True):
    """A device that a grant is bound to."""

    id: str
    """The device's id."""
    public_key: str | None
    """Ed25519 public key, base64; None where its browser could make none."""
    epoch: int
    """Rises when the device is installed anew."""
    grant_id: str
    """Entry id of the `access.granted`."""
    token_sha256: str
    """Hash of its token."""


class Lease(msgspec.Struct, frozen=True):
    """The right to record one match, held by one device."""

    number: int
    """Fencing number: whoever comes with a lower one has been replaced."""
    device: str
    """Device that holds it."""
    match: str
    """Stream of the match."""
    version: int
    """Version of the `lease.granted` in the tournament's stream."""
    entry_id: str
    """Its entry id."""
    profile: str = NO_ASSIST
    """What the device's screen may show."""


class TableLease(msgspec.Struct, frozen=True):
    """A device that stands at a table: the matches that are opened there come to it."""

    number: int
    """Number of its `lease.granted`, which names no match; counted over the whole log."""
    device: str
    """The device."""
    table: Commitment
    """Commitment to the table."""
    version: int
    """Version of the entry in the tournament's stream."""


class Leases(msgspec.Struct, frozen=True):
    """Devices and leases of one log after some entries of its tournament stream."""

    version: int = 0
    """Version of the last entry folded."""
    devices: Mapping[str, BoundDevice] = MappingProxyType({})
    """Device id to its binding that is in force."""
    bound: Mapping[str, BoundDevice] = MappingProxyType({})
    """Hash of a token to the device that it was ever given to, also if that has ended."""
    leases: Mapping[str, Lease] = MappingProxyType({})
    """Stream of a match to the lease that is in force."""
    numbers: Mapping[str, int] = MappingProxyType({})
    """Stream of a match to the highest number given for it."""
    settled: frozenset[str] = frozenset()
    """Entry ids that some `branch.resolved` has accepted or set aside."""
    tables: Mapping[str, TableLease] = MappingProxyType({})
    """Device id to the table that it stands at."""
    table_number: int = 0
    """The highest number given to a device for a table; 0 if none was."""

    def current(self, stream_id: str) -> Lease | None:
        """The lease of a match that is in force."""
        return self.leases.get(stream_id)

    def number(self, stream_id: str) -> int:
        """The highest fencing number given for a match; 0 if none was."""
        return self.numbers.get(stream_id, 0)

    def device(self, device_id: str) -> BoundDevice | None:
        """A device as it is bound now; None if it is not, or no longer."""
        return self.devices.get(device_id)

    def device_of(self, token_sha256: str) -> BoundDevice | None:
        """The device that a token was given to; its grant or its epoch may have ended since."""
        return self.bound.get(token_sha256)

    def streams_of(self, device_id: str) -> list[str]:
        """Streams of the matches that a device holds the lease of, in order."""
        return sorted(match for match, held in self.leases.items() if held.device == device_id)

    def without(self, device_id: str) -> Leases:
        """The same where the grant of a device has ended, and with it what it held."""
        leases = {m: held for m, held in self.leases.items() if held.device != device_id}
        tables = {d: placed for d, placed in self.tables.items() if d != device_id}
        return msgspec.structs.replace(self, leases=leases, tables=tables)

    def queue_of(self, device_id: str) -> list[Lease]:
        """The leases that a device holds, in the order in which they were given."""
        held = [lease for lease in self.leases.values() if lease.device == device_id]
        return sorted(held, key=lambda lease: lease.version)


def fold_leases(events: Iterable[RecordedEvent], start: Leases | None = None) -> Leases:
    """Devices and leases after these entries of a tournament stream; folded ones are skipped.

    A grant of a lower epoch than the device has binds nothing, and a lease of a number that is not
    above all given before for its match gives no right: a late entry cannot undo a takeover. The
    lease in force, said anew, changes what its device's screen may show and nothing else. A lease
    that names a table and no match has the device stand at that table, and at no other one.
    """
    folded = start or Leases()
    desk = _Desk(folded)
    version = folded.version
    for event in events:
        if event.version <= version:
            continue
        version = event.version
        desk.take(event)
    return desk.leases(version)


class _Desk:
    """The fold at work: dictionaries of its own, handed out once at the end."""

    def __init__(self, folded: Leases) -> None:
        self._devices = dict(folded.devices)
        self._bound = dict(folded.bound)
        self._leases = dict(folded.leases)
        self._numbers = dict(folded.numbers)
        self._settled = set(folded.settled)
        self._tables = dict(folded.tables)
        self._table_number = folded.table_number

    def take(self, event: RecordedEvent) -> None:
        match event.payload:
            case AccessGranted() as granted if granted.device is not None:
                self._bind(event, granted)
            case AccessRevoked(target=target):
                self._revoke(target)
            case LeaseGranted(match=match) as granted if match is not None:
                self._lend(event, granted, match)
            case LeaseGranted(table=table) as granted if table is not None:
                self._place(event, granted, table)
            case LeaseEnded(match=None, lease=number):
                self._tables = {
                    device: placed
                    for device, placed in self._tables.items()
                    if placed.number != number
                }
            case LeaseEnded(match=match, lease=number) if match is not None:
                held = self._leases.get(match)
                if held is not None and held.number == number:
                    del self._leases[match]
            case BranchResolved(accepted=accepted, set_aside=set_aside):
                self._settled.update(accepted, set_aside)
            case _:
                pass

    def leases(self, version: int) -> Leases:
        return Leases(
            version,
            MappingProxyType(self._devices),
            MappingProxyType(self._bound),
            MappingProxyType(self._leases),
            MappingProxyType(self._numbers),
            frozenset(self._settled),
            MappingProxyType(self._tables),
            self._table_number,
        )

    def _bind(self, event: RecordedEvent, granted: AccessGranted) -> None:
        device = granted.device
        assert device is not None
        made = BoundDevice(
            device.id, device.public_key, device.epoch, event.entry_id, granted.token_sha256
        )
        self._bound[granted.token_sha256] = made
        known = self._devices.get(device.id)
        if known is None or known.epoch <= device.epoch:
            self._devices[device.id] = made

    def _lend(self, event: RecordedEvent, granted: LeaseGranted, match: str) -> None:
        profile = granted.profile or NO_ASSIST
        held = self._leases.get(match)
        if granted.lease > self._numbers.get(match, 0):
            self._numbers[match] = granted.lease
            self._leases[match] = Lease(
                granted.lease, granted.device, match, event.version, event.entry_id, profile
            )
        elif held is not None and (held.number, held.device) == (granted.lease, granted.device):
            # Said anew: the device goes on, and its screen may show more or less from now on.
            self._leases[match] = msgspec.structs.replace(held, profile=profile)

    def _place(self, event: RecordedEvent, granted: LeaseGranted, table: Commitment) -> None:
        if granted.lease > self._table_number:
            self._table_number = granted.lease
            self._tables[granted.device] = TableLease(
                granted.lease, granted.device, table, event.version
            )

    def _revoke(self, grant_id: str) -> None:
        for device in list(self._devices.values()):
            if device.grant_id == grant_id:
                del self._devices[device.id]
                self._tables.pop(device.id, None)
                self._leases = {
                    match: held for match, held in self._leases.items() if held.device != device.id
                }
