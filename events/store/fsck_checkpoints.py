"""Signed checkpoints held against the entries: what a log signed of itself binds it for ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from events.errors import BadNote, Unverified
from events.sealing.merkle import frontier_root
from events.sealing.notes import Checkpoint, VerifierKey, parse_checkpoint, parse_note
from events.store.audited import AuditedStore


class SignedOutside(Protocol):
    """What is known of the logs' signatures outside of the database."""

    def logs(self) -> list[str]:
        """Logs that have a key, by id."""
        ...

    def verifiers(self, log_id: str) -> tuple[VerifierKey, ...]:
        """Every public key that the log ever had. Errors: BadNote."""
        ...

    def last_checkpoint(self, log_id: str) -> Checkpoint | None:
        """What was signed of the log last, as it is kept there. Errors: Damaged."""
        ...


class CheckpointAudit:
    """The checkpoints of one log, in the order of its entries."""

    def __init__(
        self,
        store: AuditedStore,
        log_id: str,
        note: Callable[[str, str], None],
        *,
        keys: Sequence[VerifierKey],
        last: Checkpoint | None,
    ) -> None:
        self._store = store
        self._log_id = log_id
        self._note = note
        self._keys = keys
        self._last = last
        self._left = store.checkpoint_sizes(log_id)[::-1]

    def met(self, size: int, frontier: Sequence[bytes]) -> None:
        """The log has been read up to this size, and has this edge there."""
        if self._last is not None and self._last.size == size:
            if frontier_root(frontier) != self._last.root:
                message = f"the first {size} entries are not those that were signed last"
                self._note("rolled-back", message)
            self._last = None
        while self._left and self._left[-1] <= size:
            at = self._left.pop()
            self._check(at, frontier_root(frontier) if at == size else None)

    def end(self, size: int) -> None:
        """The log has no more entries than this, unless it has grown meanwhile."""
        if self._last is not None and self._last.size > size:
            message = f"the log holds {size} entries, and {self._last.size} were signed of it"
            self._note("rolled-back", message)
        if self._left and self._store.log_head(self._log_id).size < self._left[0]:
            message = f"a checkpoint of {self._left[0]} entries is kept; the log holds {size}"
            self._note("checkpoint", message)

    def _check(self, size: int, root: bytes | None) -> None:
        kept = self._store.checkpoint(self._log_id, at_most=size)
        assert kept is not None, "its size was listed"
        try:
            note = parse_note(kept.whole)
            signed = parse_checkpoint(note.text)
            if self._keys:
                note.verified(self._keys)
        except (BadNote, Unverified) as error:
            self._note("checkpoint-signature", f"the checkpoint of {size} entries: {error}")
            return
        if kept.size != size or (signed.size, signed.root) != (size, root):
            message = f"the checkpoint of {size} entries is not of these entries"
            self._note("checkpoint", message)
