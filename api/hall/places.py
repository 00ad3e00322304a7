"""Places for connections, by address and in all: when all are taken, a silent one gives way."""

from __future__ import annotations

import ipaddress
import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, Protocol

from api.hall.addresses import address_of

_log = logging.getLogger(__name__)

PAUSE_S = 10.0
"""Of each kind of refusal one line goes into the log in so many seconds, with their number."""


class Bounds(NamedTuple):
    """What connections may cost; one for each server."""

    connections: int = 4_096
    """Open at once, in all."""
    of_one_address: int = 1_200
    """Open at once from one address: a hall behind one router is one address."""
    head_bytes: int = 32 * 1024
    """Request line and headers."""
    headers: int = 100
    """Header fields of a request."""
    silent_s: float = 30.0
    """From the connection to the first whole head; browsers open some in advance."""
    head_s: float = 10.0
    """From the first byte of a later head to its last."""
    body_s: float = 20.0
    """In each such time at least `body_bytes` of a body have to come."""
    body_bytes: int = 2 * 1024
    """A hall's radio is slower than that only when it is down."""
    write_s: float = 30.0
    """How long a reader may take nothing of what waits for him."""
    pipelined: int = 8
    """Requests that wait behind the one that is being answered."""

    @property
    def followers(self) -> int:
        """Most that follow live: a quarter of all places is kept for tablets and directors."""
        return self.connections - self.connections // 4


class Guest(Protocol):
    """A connection, as places know it."""

    def give_way(self) -> None:
        """Close at once: the place is wanted."""


class Refusals:
    """Tells the log of what was refused: each kind at once, then their number now and then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: dict[str, float] = {}
        self._since: Counter[str] = Counter()

    def tell(self, kind: str, address: str) -> None:
        """One more connection was refused for this; `kind` says it in words."""
        self._since[kind] += 1
        now = self._clock()
        told = self._told.get(kind)
        if told is not None and now - told < PAUSE_S:
            return
        self._told[kind] = now
        _log.warning("%s: %d, the last one from %s", kind, self._since.pop(kind), address or "?")


class Places:
    """Who is connected. A guest that has asked for nothing yet gives way to the next one."""

    def __init__(self, bounds: Bounds, refusals: Refusals | None = None) -> None:
        self.bounds = bounds
        self.refusals = refusals or Refusals()
        self.taken = 0
        """Connections that are open."""
        self._of: dict[Guest, str] = {}
        self._count: Counter[str] = Counter()
        self._silent: dict[str, dict[Guest, None]] = {}
        """Address to its guests that have asked for nothing yet, longest first."""

    def enter(self, guest: Guest, address: str) -> bool:
        """Whether there is a place; a silent guest of the same address loses his if need be."""
        key = _key(address)
        while self._is_full(key):
            silent = self._silent.get(key)
            if not silent and self.taken >= self.bounds.connections:
                # Whoever holds the most silent connections has the least reason to.
                silent = max(self._silent.values(), key=len, default=None)
            if not silent:
                self.refusals.tell("connections refused, all places are taken", address)
                return False
            longest = next(iter(silent))
            self.refusals.tell("silent connections closed, their places were wanted", address)
            self.leave(longest)
            longest.give_way()
        self._of[guest] = key
        self._count[key] += 1
        self.taken += 1
        self._silent.setdefault(key, {})[guest] = None
        return True

    def heard(self, guest: Guest) -> None:
        """The guest has asked for something: the place is his until he leaves."""
        key = self._of.get(guest)
        if key is not None:
            self._speaks(key, guest)

    def leave(self, guest: Guest) -> None:
        """The place is free; nothing happens if the guest has none."""
        key = self._of.pop(guest, None)
        if key is None:
            return
        self._speaks(key, guest)
        self.taken -= 1
        self._count[key] -= 1
        if not self._count[key]:
            del self._count[key]

    def _is_full(self, key: str) -> bool:
        bounds = self.bounds
        return self.taken >= bounds.connections or self._count[key] >= bounds.of_one_address

    def _speaks(self, key: str, guest: Guest) -> None:
        silent = self._silent.get(key, {})
        silent.pop(guest, None)
        if not silent:
            self._silent.pop(key, None)


def _key(address: str) -> str:
    """Of IPv6 the network: everybody has as many addresses in it as he likes.

    IPv4 that a socket of both kinds writes as IPv6 (`::ffff:10.0.0.9`) is IPv4: else all of it
    would be one network.
    """
    found = address_of(address)
    if found is None or found.version == 4:
        return address if found is None else str(found)
    return str(ipaddress.ip_network((found, 64), strict=False))
