"""One open archive: its store, writer, caches, signing, clock and source of random bytes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from api.archive.keyring import Keyring
from api.archive.lateness import Lateness, Steps, boot_of_machine, clock_file
from api.archive.personal import Entropy, context_of
from api.archive.reading import Reading
from api.archive.signing import Signing
from events import catalogue
from events.envelope import (
    ARCHIVE_LOG,
    NO_STREAM,
    TOURNAMENT_STREAM,
    Basis,
    EventDraft,
)
from events.errors import BadInput, BadNote, ExpectedVersionMismatch, LogExists
from events.payloads.access import AccessGranted, AccessRevoked, Role, Scope, ScopeKind
from events.payloads.base import Payload
from events.payloads.custody import KeyRotated
from events.payloads.tournament import TournamentOpened
from events.personal import SALT_BYTES, disclose
from events.sealing.notes import VerifierKey, parse_verifier_key
from events.store.address import FileAddress, ServerAddress, parse_address
from events.store.opening import LedgerStore, open_store
from events.store.protocol import Appended
from events.store.sqlite import SqliteStore
from projections.rules.sentences import NOTHING_IN_HAND, InHand

if TYPE_CHECKING:
    from events.store.loop_writer import LoopWriter
    from events.store.writer import Writer

TOKEN_BYTES = 32
"""A token is 256 random bits (design §6)."""

UNNAMED = "Archive"
"""The title of the archive's own log until somebody gives it another one."""


_POOL_BYTES = 8_192

_pool = threading.local()


def _forget_pool() -> None:
    # A forked process would continue with the same bytes, and make the same salts.
    _pool.__dict__.clear()


os.register_at_fork(after_in_child=_forget_pool)


def pooled_entropy(size: int) -> bytes:
    """Fresh random bytes of the operating system, fetched for many values at once.

    A system call lets another thread take the interpreter for milliseconds, and an append needs
    random bytes twice. Each byte is given out only once, to one thread.
    """
    given: int = getattr(_pool, "given", 0)
    end = given + size
    if not given or end > len(_pool.bytes):
        _pool.bytes = os.urandom(max(size, _POOL_BYTES))
        given, end = 0, size
    _pool.given = end
    fresh: bytes = _pool.bytes[given:end]
    return fresh


def wall_clock_ms() -> int:
    """Now, as milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000


def _steady_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class Archive:
    """An archive that is open.

    Clock and random bytes are passed in here once, so that tests can repeat a run exactly.
    """

    def __init__(
        self,
        store: LedgerStore,
        *,
        url: str = "memory://",
        now_ms: Callable[[], int] = wall_clock_ms,
        entropy: Entropy = pooled_entropy,
        cached_matches: int = 256,
        read_only: bool = False,
        keyring: Keyring | None = None,
        in_hand: InHand = NOTHING_IN_HAND,
    ) -> None:
        self.store = store
        """The ledger."""
        self.url = url
        """Where it lies."""
        self.now_ms = now_ms
        """The computer's clock: milliseconds since 1970 UTC."""
        self.steady_ms = _steady_ms if now_ms is wall_clock_ms else now_ms
        """A clock that is never set, counting from any beginning."""
        self.lateness = Lateness(now_ms, self.steady_ms)
        """The delay with which the public follows."""
        self.clock_file = clock_file(url) if now_ms is wall_clock_ms else None
        """Where a server writes down steps of the clock; None = nowhere."""
        if self.clock_file is not None:
            self.lateness.recall(self.clock_file, boot_of_machine())
        self.entropy = entropy
        """Fresh random bytes."""
        self.is_shared = isinstance(parse_address(url), ServerAddress)
        """Whether other processes may write to it."""
        self.reading = Reading(
            store, capacity=cached_matches, is_shared=self.is_shared, in_hand=in_hand
        )
        """Streams, decoded and replayed."""
        self.writer: Writer | LoopWriter | None = None if read_only else _writer(store)
        """The one writer; None where the archive is open for reading."""
        self.signing = None if keyring is None else Signing(store, keyring)
        """Signs checkpoints of the logs; None without keys, as in most tests."""

    def steps(self) -> Steps:
        """Counts by how much the computer's clock is set from now on."""
        return Steps(self.now_ms, self.steady_ms)

    def entry_id(self) -> str:
        """A fresh UUIDv4: version 7 would carry the time, which packs may have to hide."""
        return str(uuid.UUID(bytes=self.entropy(16), version=4))

    def context(self, recorded_by: str, **more: object) -> bytes:
        """The raw disclosure of an entry's context."""
        value = {"recorded_by": recorded_by, "received_at": self.now_ms(), **more}
        return context_of(value, entropy=self.entropy)

    def draft(
        self,
        payload: Payload,
        *,
        recorded_by: str = "operator",
        basis: Basis = Basis.OBSERVED,
        disclosures: tuple[bytes, ...] = (),
        entry_id: str | None = None,
    ) -> EventDraft:
        """A draft of a payload that holds commitments only.

        Errors: BadBody, if the body could not be read back: what is appended stays for ever.
        """
        tag, schema = catalogue.tag_of(payload)
        body = catalogue.encode(payload)
        catalogue.decode(tag, body, schema=schema)
        return EventDraft(
            entry_id=entry_id or self.entry_id(),
            tag=tag,
            schema=schema,
            basis=basis,
            body=body,
            context=self.context(recorded_by),
            disclosures=disclosures,
        )

    def append(
        self,
        log_id: str,
        stream_id: str,
        drafts: Sequence[EventDraft],
        *,
        expected_version: int | None = None,
    ) -> Appended:
        """Append at once, in this thread, and fold what was written. Errors: LedgerError."""
        appended = self.store.append(log_id, stream_id, drafts, expected_version=expected_version)
        if not appended.duplicate:
            self.reading.took(appended.events)
            self.grew([log_id])
        return appended

    def grew(self, logs: Iterable[str]) -> None:
        """Have these logs signed soon, because something was appended."""
        if self.signing is not None:
            self.signing.grew(logs)

    def prepare(self) -> None:
        """Make the log `archive` with its first entry, if this archive has none yet.

        Errors: RolledBack where it was signed before, and is gone.
        """
        if self.signing is not None:
            self.signing.keyring.clear()
            self.signing.hold_back()
            self.signing.tell_missing()
        known = {head.log_id for head in self.store.logs()}
        if ARCHIVE_LOG not in known:
            # Another server that starts at the same moment may have opened it.
            with contextlib.suppress(LogExists):
                self.store.open_log(ARCHIVE_LOG)
        if self.store.stream_head(ARCHIVE_LOG, TOURNAMENT_STREAM) is None:
            first = TournamentOpened(title=UNNAMED, log_key=self.log_key(ARCHIVE_LOG))
            opened = self.draft(first, basis=Basis.DEVICE)
            with contextlib.suppress(ExpectedVersionMismatch):
                self.append(ARCHIVE_LOG, TOURNAMENT_STREAM, [opened], expected_version=NO_STREAM)
        if self.signing is not None:
            self._announce_keys(self.signing)

    def log_key(self, log_id: str) -> str | None:
        """The key that a log is signed with, made if it has none; None where nothing is signed."""
        if self.signing is None:
            return None
        return str(self.signing.keyring.create(log_id, self._lost_keys(log_id)).verifier)

    def _lost_keys(self, log_id: str) -> tuple[VerifierKey, ...]:
        """The public keys named in a log's entries, if it was signed and its keys are lost.

        Checkpoints that they have signed stay valid after a restore from a backup without keys.
        """
        assert self.signing is not None, "it signs"
        if self.signing.keyring.verifiers(log_id) or self.store.checkpoint(log_id) is None:
            return ()
        found = []
        for said in reversed(self.reading.tournament(log_id).keys):
            with contextlib.suppress(BadNote):
                found.append(parse_verifier_key(said))
        return tuple(found)

    def _announce_keys(self, signing: Signing) -> None:
        """Give every log a key, and append an entry that names it where none does."""
        for head in self.store.logs():
            if head.log_id in self.store.held:
                continue
            signing.grew([head.log_id])
            key = self.log_key(head.log_id)
            if key is None or not head.size:
                continue
            # Only once, even if two servers start at the same moment.
            while key not in (now := self.reading.tournament(head.log_id)).keys:
                rotated = KeyRotated(new=key, old=now.keys[-1] if now.keys else None)
                draft = self.draft(rotated, recorded_by="device", basis=Basis.DEVICE)
                with contextlib.suppress(ExpectedVersionMismatch):
                    self.append(
                        head.log_id, TOURNAMENT_STREAM, [draft], expected_version=now.version
                    )

    def rotate_key(self, log_id: str, *, reason: str | None = None) -> str:
        """The key that a log is signed with from now on; the old one signs beside it for a while.

        Errors: NoSuchLog, BadInput where this machine has no key of it.
        """
        if self.signing is None:
            raise BadInput("this archive was opened without keys")
        self.store.log_head(log_id)
        self.store.check_held(log_id)
        keyring = self.signing.keyring
        with keyring.put_back(log_id):
            old, new = keyring.rotate(log_id)
            rotated = KeyRotated(new=str(new.verifier), old=str(old), reason=reason)
            self.append(log_id, TOURNAMENT_STREAM, [self.draft(rotated)])
        return str(new.verifier)

    def open_tournament(
        self,
        log_id: str,
        title: str,
        *,
        recorded_by: str = "operator",
        basis: Basis = Basis.OBSERVED,
    ) -> None:
        """A new log with the first entry of its tournament stream. Errors: LogExists, BadInput."""
        try:
            self.store.open_log(log_id)
        except LogExists:
            # It may be empty: an earlier attempt ended before its first entry.
            if self.store.log_head(log_id).size:
                raise
        opened = TournamentOpened(title=title, log_key=self.log_key(log_id))
        draft = self.draft(opened, recorded_by=recorded_by, basis=basis)
        self.append(log_id, TOURNAMENT_STREAM, [draft], expected_version=NO_STREAM)

    def grant(
        self,
        role: Role,
        *,
        log_id: str = ARCHIVE_LOG,
        match: str | None = None,
        holder: str | None = None,
        recorded_by: str = "operator",
    ) -> tuple[str, str]:
        """(token, grant id): a fresh token and the `access.granted` that lets it in.

        Over the whole archive, a log, or one match of it. The token is shown once: the ledger
        keeps its hash. Errors: NoSuchLog, NoSuchStream.
        """
        token = self.entropy(TOKEN_BYTES).hex()
        self.store.log_head(log_id)
        if match is not None:
            self.reading.live(log_id, match)
        kind = ScopeKind.ARCHIVE if log_id == ARCHIVE_LOG and match is None else ScopeKind.LOG
        if match is not None:
            kind = ScopeKind.MATCH
        commitment = None
        disclosures: tuple[bytes, ...] = ()
        if holder:
            commitment, raw = disclose(self.entropy(SALT_BYTES), "holder", holder)
            disclosures = (raw,)
        granted = AccessGranted(
            token_sha256=token_hash(token),
            role=role,
            scope=Scope(kind=kind, match=match),
            holder=commitment,
        )
        draft = self.draft(granted, recorded_by=recorded_by, disclosures=disclosures)
        self.append(log_id, TOURNAMENT_STREAM, [draft])
        return token, draft.entry_id

    def revoke(self, grant_id: str, *, log_id: str = ARCHIVE_LOG) -> bool:
        """End a grant; False if the log has no such grant in force."""
        access = self.reading.access(log_id)
        if grant_id not in {grant.grant_id for grant in access.grants.values()}:
            return False
        draft = self.draft(AccessRevoked(target=grant_id), recorded_by="operator")
        self.append(log_id, TOURNAMENT_STREAM, [draft])
        return True

    def operator_token(self) -> str:
        """The operator's token, kept in a file beside the database (mode 0600).

        Created on the first start, and again if the file is gone or its grant was revoked.
        """
        address = parse_address(self.url)
        if not isinstance(address, FileAddress):
            return self.grant(Role.ARCHIVIST, holder="operator")[0]
        path = operator_file(address.path)
        if path.is_file():
            token = path.read_text("ascii", "replace").strip()
            if self.reading.access(ARCHIVE_LOG).grant_of(token_hash(token)) is not None:
                return token
            path.unlink()
        token, _ = self.grant(Role.ARCHIVIST, holder="operator")
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(token + "\n")
        return token

    def close(self) -> None:
        """Write what is queued, sign the logs, and close the store."""
        if self.writer is not None:
            self.writer.stop()
            if self.signing is not None:
                self.signing.keep_all()
        self.store.close()


def _writer(store: LedgerStore) -> Writer | LoopWriter:
    # Imported here: a process that only reads starts faster without asyncio.
    from events.store.loop_writer import LoopWriter
    from events.store.writer import Writer

    # The event loop itself writes to a file; a thread waits for a database server.
    return LoopWriter(store) if isinstance(store, SqliteStore) else Writer(store)


def operator_file(database: Path) -> Path:
    """The file of the operator's token, beside the database file."""
    return database.with_name(database.name + ".operator")


def token_hash(token: str) -> str:
    """What the ledger keeps of a token: its hex SHA-256."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def open_archive(
    url: str,
    *,
    read_only: bool = False,
    cached_matches: int = 256,
    now_ms: Callable[[], int] = wall_clock_ms,
    entropy: Entropy = pooled_entropy,
    keyring: Keyring | None = None,
    in_hand: InHand = NOTHING_IN_HAND,
) -> Archive:
    """The archive at `url`, made or brought up to date if it is to be written to.

    `in_hand`: sentences of rule sets with which its matches are judged (`archive/rule_texts.py`).

    Blocks. Errors: StoreBusy if another process writes to the file, BadInput for a wrong URL.
    """
    if not read_only:
        # Imported here: who only reads migrates nothing.
        from migrations import upgrade

        upgrade(url)
    store = open_store(url, read_only=read_only, entropy=entropy)
    archive = Archive(
        store,
        url=url,
        now_ms=now_ms,
        entropy=entropy,
        cached_matches=cached_matches,
        read_only=read_only,
        keyring=keyring,
        in_hand=in_hand,
    )
    if not read_only:
        try:
            archive.prepare()
        except BaseException:
            archive.close()
            raise
    return archive
