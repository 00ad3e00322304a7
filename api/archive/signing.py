"""Checkpoints of the logs, signed: what a log has once signed binds it for ever.

A checkpoint covers committed entries only, and must extend the last one, of which a copy lies in a
file outside of the database. If it does not (an older backup was put in the archive's place),
`RolledBack` is raised, nothing more is signed, and the log takes no more entries.

No append waits for a signature. A server signs the logs that have grown once a second, in a thread,
and once more when it stops; whatever is not signed by then is signed after the next start.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from api.archive.keyring import Keyring, SignedEdge
from api.archive.leaves import leaf_pages
from events.errors import (
    LedgerError,
    NoSuchLog,
    OutcomeUnknown,
    RolledBack,
    StoreBusy,
    StoreFailed,
)
from events.sealing.merkle import frontier_root, push
from events.sealing.notes import Checkpoint, Note, Signature, VerifierKey, parse_note
from events.store.opening import LedgerStore
from events.store.protocol import KeptCheckpoint, LogHead

_log = logging.getLogger(__name__)

_NAMED = 5
"""Logs that one line names."""

MANY_UNCOPIED = 1_000
"""From so many entries without a backup on, a warning is given; a tablet can keep 4,000."""


class Held(NamedTuple):
    """A log that does not continue its last signed checkpoint."""

    log_id: str
    why: str


class Signing:
    """Signs where logs stand. Methods block; any thread may call them."""

    def __init__(self, store: LedgerStore, keyring: Keyring) -> None:
        self._store = store
        self.keyring = keyring
        self._turn = threading.Lock()
        self._edges: dict[str, SignedEdge] = {}
        self._kept: dict[str, int] = {}
        self._covered: dict[str, SignedEdge] = {}
        """What was last read from that file, or written to it."""
        self._waiting: dict[str, None] = {}
        """Logs that have grown since they were signed, the first to grow first."""
        self._told: dict[str, str] = {}
        """Log to the last reason reported why it could not be signed."""
        self._copied: dict[str, int] | None = None
        """How far the last backup reaches, as of the start or the last look."""
        self._read_copied()

    def note(self, log_id: str) -> Note | None:
        """Where the log stands now, signed; None where this machine has no key of it.

        Errors: NoSuchLog, RolledBack, Damaged.
        """
        with self._turn:
            edge = self._sign(log_id)
        return None if edge is None else edge.note

    def keep(self, log_id: str) -> KeptCheckpoint | None:
        """The same, kept: in the database, and in the file outside of it.

        None where this machine has no key of it. Errors: those of `note`, and those of the store.
        """
        with self._turn:
            edge = self._sign(log_id)
            if edge is None:
                return self._store.checkpoint(log_id)
            if self._kept.get(log_id) != edge.size:
                # Outside first: a checkpoint in the database alone would go with its backup.
                self.keyring.keep_signed(log_id, edge)
                self._covered[log_id] = edge
                self._store.keep_checkpoint(log_id, edge.size, edge.note.raw)
                self._kept[log_id] = edge.size
            found = self._store.checkpoint(log_id, at_most=edge.size)
            return found if found is None else self._with_present_keys(found, edge)

    def keep_all(self) -> None:
        """Keep a checkpoint of every log that has grown; what cannot be signed is told in the log.

        Nobody is held up by it: what was appended stays appended.
        """
        try:
            heads = self._store.logs()
        except LedgerError as error:
            _log.error("no log can be signed: %s", error)
            return
        for head in heads:
            if self._kept.get(head.log_id) != head.size and head.size:
                self._keep_one(head.log_id)

    def grew(self, logs: Iterable[str]) -> None:
        """Something was appended to these logs: they are signed at the next turn. Any thread."""
        for log_id in logs:
            self._waiting[log_id] = None

    def keep_grown(self) -> list[str]:
        """Keep a checkpoint of each log that grew since the last turn; the logs that were signed.

        What cannot be signed now waits for the next turn, unless it never will be.
        """
        waiting = list(self._waiting)
        for log_id in waiting:
            # Before it is signed: what is appended meanwhile is signed at the next turn.
            self._waiting.pop(log_id, None)
        return [log_id for log_id in waiting if self._keep_one(log_id)]

    @property
    def is_waiting(self) -> bool:
        """Whether a log has grown since it was signed."""
        return bool(self._waiting)

    def _keep_one(self, log_id: str) -> bool:
        try:
            is_kept = self.keep(log_id) is not None
        except RolledBack as error:
            _log.error("%s", error)
            self._store.hold(log_id, str(error))
            return False
        except StoreBusy:
            self._waiting[log_id] = None
            return False
        except (LedgerError, OSError) as error:
            if isinstance(error, StoreFailed | OutcomeUnknown | OSError):
                # The database is away, say, or a disk full: it is signed once they are back, also
                # where nothing follows that would have it signed.
                self._waiting[log_id] = None
            if self._told.get(log_id) != str(error):
                _log.error("the log %s is not signed: %s", log_id, error)
            self._told[log_id] = str(error)
            return False
        self._told.pop(log_id, None)
        return is_kept

    def check(self, logs: Iterable[str] | None = None) -> list[Held]:
        """Logs that do not go on from their last signed checkpoint; all logs unless some are named.

        A log that is gone altogether is one of them. Errors: StoreBusy and StoreFailed, where the
        database does not answer now: that says nothing of what it holds.
        """
        held = []
        for log_id in self.keyring.logs() if logs is None else logs:
            try:
                with self._turn:
                    if self.keyring.last_signed(log_id) is not None:
                        self._grown(log_id)
            except NoSuchLog:
                held.append(Held(log_id, _gone(log_id, self.keyring.folder)))
            except (StoreBusy, StoreFailed):
                raise
            except LedgerError as error:
                held.append(Held(log_id, str(error)))
        return held

    def tell_missing(self) -> None:
        """Tell the log of what cannot be compared: signed before, and no checkpoint lies here."""
        missing = []
        for head in self._store.logs():
            kept = self._store.checkpoint(head.log_id)
            # One that cannot be read holds its log: that is told elsewhere.
            with contextlib.suppress(LedgerError):
                if kept is not None and self.keyring.last_signed(head.log_id) is None:
                    missing.append(f"{head.log_id} at {kept.size}")
        if missing:
            # Once for all of them: after a restore that is so of every log, and nothing is wrong.
            shown = ", ".join(missing[:_NAMED]) + (", ..." if len(missing) > _NAMED else "")
            _log.warning(
                "what was signed before is not in %s, as it is after a restore (%s entries):"
                " nothing here tells whether this archive is an older one. It is held against what"
                " is signed from now on",
                *(self.keyring.folder, shown),
            )

    def hold_back(self) -> list[Held]:
        """The same for all logs, and nothing is appended to those: the store refuses it.

        Errors: those of `check`.
        """
        held = [one for one in self.check() if one.log_id not in self._store.held]
        for one in held:
            _log.error("nothing is recorded in the log %s: %s", one.log_id, one.why)
            self._store.hold(one.log_id, one.why)
        return held

    def look(self) -> None:
        """Compare the whole archive with what lies outside of it, as at a start; log what differs.

        Its file, its lock file, and every log with the checkpoint that is read anew from the disk.
        A checkpoint that is gone from there, or is an older one, is put back.
        """
        self._read_copied()
        try:
            if not self._store.check_place():
                _log.warning("the archive's lock file was deleted, and is back")
        except LedgerError as error:
            _log.error("nothing is recorded: %s", error)
            return
        for log_id, edge in list(self._edges.items()):
            with self._turn:
                kept = self._kept_outside(log_id)
                last = self._covered.get(log_id)
                if last is not None and (kept is None or kept.size < last.size):
                    _log.warning("the checkpoint of the log %s is put back to its place", log_id)
                    self.keyring.keep_signed(log_id, last)
                if kept is None:
                    continue
                if kept.size >= edge.size:
                    self._edges[log_id] = self._covered[log_id] = kept
        self.hold_back()

    def _kept_outside(self, log_id: str) -> SignedEdge | None:
        try:
            return self.keyring.last_signed(log_id)
        except LedgerError as error:
            _log.error("%s", error)
            return None

    def covered(self, log_id: str) -> SignedEdge | None:
        """The last checkpoint of the log that lies on a disk outside of the database.

        None where none does yet. From memory, once it was read or kept.
        """
        return self._covered.get(log_id)

    def kept_size(self, log_id: str) -> int | None:
        """How many entries of a log are safe: devices may let go of what they sent of those.

        They are covered by a checkpoint outside of the database, and where backups are made, by
        the last one. None where this machine signs nothing of the log: then nothing ever covers it.
        """
        edge = self._covered.get(log_id)
        if edge is None:
            return 0 if self.keyring.signers(log_id) else None
        if self._copied is None:
            return edge.size
        return min(edge.size, self._copied.get(log_id, 0))

    def uncopied(self, log_id: str) -> int | None:
        """How many signed entries of a log the last backup lacks, once that is many; None else.

        Where backups are made and then stop, tablets keep what they sent, and in the end can hold
        no more: that is told while there is room left. None too where no backup was ever made.
        """
        edge = self._covered.get(log_id)
        if edge is None or self._copied is None:
            return None
        lacking = edge.size - self._copied.get(log_id, 0)
        return lacking if lacking >= MANY_UNCOPIED else None

    def _read_copied(self) -> None:
        try:
            self._copied = self.keyring.copied()
        except (LedgerError, OSError) as error:
            # Devices keep what they sent, up to what they can hold, until it can be read again.
            self._copied = {}
            _log.error("%s", error)

    def _sign(self, log_id: str) -> SignedEdge | None:
        head, known = self._grown(log_id)
        signers = self.keyring.signers(log_id)
        if not signers:
            return None
        if (
            known is not None
            and known.size == head.size
            and _is_by(known.note, signers[0].verifier)
        ):
            return known
        text = Checkpoint(signers[0].verifier.name, head.size, head.root).text
        note = Note(text, tuple(key.sign(text) for key in signers))
        edge = SignedEdge(head.size, head.frontier, note)
        self._edges[log_id] = edge
        return edge

    def _grown(self, log_id: str) -> tuple[LogHead, SignedEdge | None]:
        """Where the log stands, once it is shown to go on from what was signed of it."""
        known = self._edges.get(log_id)
        if known is None:
            known = self.keyring.last_signed(log_id)
            if known is not None:
                self._covered[log_id] = known
        head = self._store.log_head(log_id)
        if known is None:
            return head, None
        if head.size < known.size:
            raise RolledBack(
                f"the log {log_id} has {head.size} entries, and {known.size} were signed: an older"
                " copy stands in its place. Nothing is recorded in it until the newer one is back;"
                " where that is lost, open a new log that says which one it `continues`"
            )
        if not self._goes_on(known, head):
            raise RolledBack(
                f"the log {log_id} of {head.size} entries does not go on from the {known.size} that"
                " were signed: another archive stands in its place. Nothing is recorded in it"
            )
        self._edges[log_id] = known
        return head, known

    def _goes_on(self, known: SignedEdge, head: LogHead) -> bool:
        frontier, size = list(known.frontier), known.size
        for page in leaf_pages(self._store, head.log_id, size, head.size):
            for leaf in page:
                push(frontier, size, leaf)
                size += 1
        return size == head.size and frontier_root(frontier) == head.root

    def _with_present_keys(self, found: KeptCheckpoint, edge: SignedEdge) -> KeptCheckpoint:
        """What is kept, with the lines of keys that the log has been given since."""
        missing = [one for one in edge.note.signatures if str(one).encode() not in found.whole]
        if not missing:
            return found
        lines = {signer_of(one): str(one).encode() for one in missing}
        self._store.keep_signatures(found.log_id, found.size, lines)
        return self._store.checkpoint(found.log_id, at_most=found.size) or found


def _gone(log_id: str, folder: Path) -> str:
    return (
        f"the log {log_id} was signed, and is not here: another archive stands in its place. Put"
        f" the archive back; if this is meant to be a new one, put the folder {folder} elsewhere"
    )


def signer_of(signature: Signature) -> str:
    """How a signature is filed: name and key id."""
    return f"{signature.name}+{signature.key_id.hex()}"


def note_of(kept: KeptCheckpoint) -> Note:
    """A kept checkpoint with all signatures under it. Errors: Damaged in the form of BadNote."""
    return parse_note(kept.whole)


def _is_by(note: Note, key: VerifierKey) -> bool:
    return any(one.name == key.name and one.key_id == key.key_id for one in note.signatures)
