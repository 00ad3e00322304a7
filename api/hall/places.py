"""Places for connections: silent ones give way, and some are reserved for tablets and directors."""

from __future__ import annotations

import enum
import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, Protocol

from api.hall.addresses import network_of

_log = logging.getLogger(__name__)

PAUSE_S = 10.0
"""Each kind of refusal is logged at most once in this number of seconds, with a count."""


class Bounds(NamedTuple):
    """The limits on connections of one server."""

    connections: int = 4_096
    """Connections open at once, in all."""
    of_one_address: int = 1_200
    """Connections of strangers from one address, which may be a whole hall behind one router."""
    head_bytes: int = 32 * 1024
    """Bytes of request line and headers."""
    headers: int = 100
    """Header fields of a request."""
    silent_s: float = 30.0
    """Seconds from the connection to its first complete head; browsers open some in advance."""
    head_s: float = 10.0
    """Seconds from the first byte of a later head to its last."""
    body_s: float = 20.0
    """Seconds in each of which at least `body_bytes` of a body have to arrive."""
    body_bytes: int = 2 * 1024
    """The radio network of a hall is slower than that only if it is down."""
    write_s: float = 30.0
    """Seconds for which a client may read nothing of the data that waits for it."""
    pipelined: int = 8
    """Requests that may wait behind the one being answered."""

    @property
    def kept(self) -> int:
        """Reserved places: a quarter, or enough for a full hall if there are few."""
        return max(self.connections // 4, min(self.connections // 2, FULL_HALL))

    @property
    def of_strangers(self) -> int:
        """Places of strangers: senders without a token of somebody who works here."""
        return self.connections - self.kept

    @property
    def followers(self) -> int:
        """How many strangers may follow live, so that pages can still be read."""
        return self.of_strangers - self.of_strangers // 8

    @property
    def silent_of_one_address(self) -> int:
        """Silent connections that an address may have even if all its places are taken."""
        return max(1, self.of_one_address // 4)


FULL_HALL = 420
"""Connections of two hundred tablets, two for each, and of their directors."""


class Guest(Protocol):
    """A connection, as places know it."""

    def give_way(self) -> None:
        """Close at once, because the place is needed."""


class Standing(enum.Enum):
    """What is known of a guest."""

    SILENT = 0
    """It has not sent a request yet, and gives way to a new connection."""
    CLAIMS = 1
    """It has shown a token that was not checked yet."""
    STRANGER = 2
    STAFF = 3
    """It has shown a valid token of a tablet, a director, or somebody else who works here."""


class Refusals:
    """Logs refused connections: each kind at once, then a count now and then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: dict[str, float] = {}
        self._since: Counter[str] = Counter()

    def tell(self, kind: str, address: str) -> None:
        """Count one more refused connection; `kind` says why, in words."""
        self._since[kind] += 1
        now = self._clock()
        told = self._told.get(kind)
        if told is not None and now - told < PAUSE_S:
            return
        self._told[kind] = now
        _log.warning("%s: %d, the last one from %s", kind, self._since.pop(kind), address or "?")


class Places:
    """All connections. One that has not sent a request yet gives way to a new one."""

    def __init__(self, bounds: Bounds, refusals: Refusals | None = None) -> None:
        self.bounds = bounds
        self.refusals = refusals or Refusals()
        self.strangers = 0
        """Connections of strangers that have sent a request."""
        self._of: dict[Guest, tuple[str, Standing]] = {}
        self._strangers_of: Counter[str] = Counter()
        self._silent: dict[str, dict[Guest, None]] = {}
        """Address to its silent connections, oldest first."""

    @property
    def taken(self) -> int:
        """Connections that are open."""
        return len(self._of)

    def enter(self, guest: Guest, address: str) -> bool:
        """Whether there is a place; if none is free, a silent connection is closed for it.

        That is one of the same address, if there is one. Whose connection it is, is not known
        before its first request: `heard` says whether it stays.
        """
        key = network_of(address)
        bounds = self.bounds
        room = max(bounds.silent_of_one_address, bounds.of_one_address - self._strangers_of[key])
        if len(self._silent.get(key, ())) >= room:
            self._show_out(self._silent[key], address)
        while self.taken >= bounds.connections:
            # The address with the most silent connections needs them least.
            silent = self._silent.get(key) or max(self._silent.values(), key=len, default=None)
            if not silent:
                self.refusals.tell("connections refused, all places are taken", address)
                return False
            self._show_out(silent, address)
        self._of[guest] = key, Standing.SILENT
        self._silent.setdefault(key, {})[guest] = None
        return True

    def heard(self, guest: Guest, *, shows_token: bool) -> bool:
        """The guest sends a request: whether it is answered.

        One that shows a token is answered until `take_as_staff` or `take_as_stranger` says whose
        token it is.
        """
        found = self._of.get(guest)
        if found is None:
            return False
        key, standing = found
        if standing is Standing.STAFF:
            return True
        if not shows_token:
            return self.take_as_stranger(guest)
        if standing is Standing.SILENT:
            self._stand(guest, key, Standing.CLAIMS)
        return True

    def is_staff(self, guest: Guest) -> bool:
        """Whether it is known to belong to somebody who works here."""
        found = self._of.get(guest)
        return found is not None and found[1] is Standing.STAFF

    def take_as_staff(self, guest: Guest) -> None:
        """Make it a connection of somebody who works here, which keeps its place until it ends."""
        found = self._of.get(guest)
        if found is not None:
            self._stand(guest, found[0], Standing.STAFF)

    def take_as_stranger(self, guest: Guest) -> bool:
        """Make it a stranger's connection; False if there is no place for one more."""
        found = self._of.get(guest)
        if found is None:
            return False
        key, standing = found
        if standing in (Standing.STRANGER, Standing.STAFF):
            return True
        bounds = self.bounds
        if self.strangers >= bounds.of_strangers:
            kind = "connections of strangers refused, the other places are kept for staff"
        elif self._strangers_of[key] >= bounds.of_one_address:
            kind = "connections refused, all places of their address are taken"
        else:
            self._stand(guest, key, Standing.STRANGER)
            return True
        self.refusals.tell(kind, key)
        return False

    def leave(self, guest: Guest) -> None:
        """Free the guest's place; nothing happens if it has none."""
        found = self._of.get(guest)
        if found is not None:
            self._stand(guest, found[0], None)

    def _show_out(self, silent: dict[Guest, None], wanted_by: str) -> None:
        longest = next(iter(silent))
        self.refusals.tell("silent connections closed, their places were wanted", wanted_by)
        self.leave(longest)
        longest.give_way()

    def _stand(self, guest: Guest, key: str, standing: Standing | None) -> None:
        """Change what is known of the guest; None = its connection has ended."""
        _, before = self._of.pop(guest)
        if before is Standing.SILENT:
            silent = self._silent[key]
            del silent[guest]
            if not silent:
                del self._silent[key]
        elif before is Standing.STRANGER:
            self.strangers -= 1
            self._strangers_of[key] -= 1
            if not self._strangers_of[key]:
                del self._strangers_of[key]
        if standing is not None:
            self._of[guest] = key, standing
        if standing is Standing.STRANGER:
            self.strangers += 1
            self._strangers_of[key] += 1
