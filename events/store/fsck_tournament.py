"""What a log's own stream says that an audit has to know: keys of devices, erasures, decisions.

Read from the stored bytes, without any payload class, and once before the log itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from events.envelope import TOURNAMENT_STREAM, Basis
from events.sealing.devices import decoded
from events.store.audited import PAGE, AuditedStore, members_of


class TournamentFacts:
    """What was erased, which keys devices have, which parked drafts were taken over."""

    def __init__(self, store: AuditedStore, log_id: str) -> None:
        self._store = store
        self._log_id = log_id
        self._read_to = 0
        self.is_restored = False
        """Whether it was opened by a restore, from an export of another archive."""
        self.erased: set[str] = set()
        """Commitments, and hashes of files, that entries say are erased."""
        self.taken_over: set[str] = set()
        """Entry ids of parked drafts that became entries later."""
        self.keys: dict[tuple[str, int], list[bytes]] = {}
        """Device and epoch to the public keys that it was let in with."""

    def read_on(self) -> None:
        """Take in what the stream says beyond what was read before."""
        while page := self._store.read_stream(
            self._log_id, TOURNAMENT_STREAM, after=self._read_to, limit=PAGE
        ):
            for event in page:
                self._read_to = max(self._read_to, event.version)
                members = members_of(event.sealed)
                if event.version == 1:
                    self.is_restored = members.get("basis") == Basis.IMPORTED.value
                body = members.get("body")
                if isinstance(body, dict):
                    self._take(event.tag, body)

    def _take(self, tag: str, body: dict[str, object]) -> None:
        match tag:
            case "disclosure.erased":
                self.erased.update(_texts(body.get("commitments")))
            case "branch.resolved":
                self.taken_over.update(_texts(body.get("accepted")))
            case "access.granted":
                self._let_in(body.get("device"))

    def _let_in(self, device: object) -> None:
        if not isinstance(device, dict) or not isinstance(device.get("id"), str):
            return
        epoch = device.get("epoch", 1)
        if not isinstance(epoch, int):
            return
        who = (device["id"], epoch)
        public = device.get("public_key")
        if isinstance(public, str):
            try:
                self.keys.setdefault(who, []).append(decoded(public))
            except ValueError:
                return  # A key that nobody could sign with.


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))
