"""The keys that logs are signed with: files of their own, never in the database nor its backups.

    club.db.keys/                   mode 0700
        lantern-open.key            private keys, the present one first; mode 0600
        lantern-open.pub            every public key that the log ever had, the present one first
        lantern-open.signed         the last signed checkpoint, and the edge of the tree under it

A private key that is lost cannot be made again: the log is then signed with another, which an entry
of its own says (`key.rotated`). Public keys are kept for ever: what an old key signed stays signed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlsplit

from api.settings import default_keys, lasting
from events.errors import BadInput, BadNote, Damaged, LedgerError, OutcomeUnknown, Unverified
from events.sealing.merkle import HASH_BYTES, frontier_root
from events.sealing.notes import (
    KEY_BYTES,
    Checkpoint,
    Note,
    SigningKey,
    VerifierKey,
    parse_checkpoint,
    parse_note,
    parse_signing_key,
    parse_verifier_key,
)
from events.store.address import FileAddress, MemoryAddress, parse_address
from events.store.lock import alone
from events.store.passing import Passing, clear

ORIGIN = "tabularium.invalid/logs"
"""How the names of keys begin unless an operator says otherwise: reachable nowhere, on purpose."""

_ORIGIN = re.compile(r"[a-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)*")
_OTHERS = 0o077

COPIED = "copied.json"
"""File beside the keys that says how far the last backup reaches."""


_WAY_OUT = (
    "Nothing is recorded in its log. Put the file back from a copy; where there is none, take it"
    " away, and the log counts as it stands here, older or not"
)


Key = TypeVar("Key")


class SignedEdge(NamedTuple):
    """The last that was signed of a log, as it is kept outside of the database."""

    size: int
    frontier: tuple[bytes, ...]
    """The tree's right edge at that size, largest subtree first."""
    note: Note

    @property
    def root(self) -> bytes:
        """Root of the tree of that size."""
        return frontier_root(self.frontier)


class Keyring:
    """The keys of one archive. Methods block. Errors of files: OSError."""

    def __init__(
        self,
        folder: Path,
        *,
        origin: str = ORIGIN,
        entropy: Callable[[int], bytes] = os.urandom,
        checkpoints: Path | None = None,
    ) -> None:
        if not _ORIGIN.fullmatch(origin):
            raise BadInput(
                f"{origin!r} cannot begin the name of a key: a URL without its scheme is needed,"
                " such as archive.example/logs"
            )
        self.folder = folder
        self._origin = origin
        self._entropy = entropy
        self._checkpoints = checkpoints
        """A second home of what was signed last, and of the public keys that say whose it is."""

    def logs(self) -> list[str]:
        """Logs that have a key, by id. Errors: OSError, where that cannot be seen."""
        found: set[str] = set()
        for home in self._homes:
            # Not by `glob`, which finds nothing in a folder that may not be read.
            with contextlib.suppress(FileNotFoundError):
                found.update(path.stem for path in home.iterdir() if path.suffix == ".pub")
        return sorted(found)

    @property
    def _homes(self) -> list[Path]:
        return [self.folder] if self._checkpoints is None else [self.folder, self._checkpoints]

    def verifiers(self, log_id: str) -> tuple[VerifierKey, ...]:
        """Every public key of a log, the present one first; () if it has none. Errors: Damaged."""
        for home in self._homes:
            path = home / f"{log_id}.pub"
            if path.is_file():
                return _parsed(path, parse_verifier_key)
        return ()

    def signers(self, log_id: str) -> tuple[SigningKey, ...]:
        """The private keys that sign now, the present one first; () where this machine has none.

        Errors: Damaged, also where a private key fits no public one of the log.
        """
        path = self._path(log_id, "key")
        if not path.is_file():
            return ()
        keys = _parsed(path, parse_signing_key)
        known = self.verifiers(log_id)
        for key in keys:
            if key.verifier not in known:
                raise Damaged(f"{path} holds a key that {path.with_suffix('.pub')} does not know")
        return keys

    def create(self, log_id: str, said: Sequence[VerifierKey] = ()) -> SigningKey:
        """The log's key, made if it has none. Errors: Damaged.

        `said`: keys that it had before, the last one first, where no file here knows of any.
        """
        found = self.signers(log_id)
        if found:
            return found[0]
        with self._alone():
            found = self.signers(log_id)
            if found:
                return found[0]  # another server of the same database has made it meanwhile
            known = self.verifiers(log_id) or tuple(said)
            # A log keeps its name for ever; it is random, because packs show it to committees.
            name = known[0].name if known else f"{self._origin}/{self._entropy(8).hex()}"
            key = SigningKey(name, self._entropy(KEY_BYTES))
            self._keep(log_id, [key], known)
            return key

    def rotate(self, log_id: str) -> tuple[VerifierKey, SigningKey]:
        """(key so far, key from now on). Both sign until `retire`, or the next rotation.

        Errors: BadInput where the log has no private key here.
        """
        found = self.signers(log_id)
        if not found:
            raise BadInput(f"this machine has no key of the log {log_id} to rotate")
        key = SigningKey(found[0].verifier.name, self._entropy(KEY_BYTES))
        self._keep(log_id, [key, found[0]], self.verifiers(log_id))
        return found[0].verifier, key

    @contextlib.contextmanager
    def put_back(self, log_id: str) -> Iterator[None]:
        """Put a log's keys back where what would say that they are others is not recorded.

        Not where nobody knows whether it is: then the new key is known, and the old one signs too.
        """
        paths = [self._path(log_id, kind) for kind in ("key", "pub")]
        with self._alone():
            before = [(path, path.read_bytes()) for path in paths if path.is_file()]
            try:
                yield
            except OutcomeUnknown:
                raise
            except LedgerError:
                for path, content in before:
                    write_whole(path, content, mode=0o600 if path.suffix == ".key" else 0o644)
                raise

    def retire(self, log_id: str) -> bool:
        """Let the present key sign alone; False if it does already."""
        with self._alone():
            found = self.signers(log_id)
            if len(found) < 2:
                return False
            write_whole(self._path(log_id, "key"), _lines([found[0].secret]), mode=0o600)
            return True

    def _alone(self) -> contextlib.AbstractContextManager[None]:
        """Where keys are made: of two who do so at once the second finds those of the first."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return alone(self.folder / ".lock")

    def last_signed(self, log_id: str) -> SignedEdge | None:
        """The last signed checkpoint that is kept outside of the database. Errors: Damaged."""
        found = [self._signed_at(log_id, home / f"{log_id}.signed") for home in self._homes]
        return max((one for one in found if one), key=lambda one: one.size, default=None)

    def _signed_at(self, log_id: str, path: Path) -> SignedEdge | None:
        if not path.is_file():
            return None
        edge, _, note = path.read_bytes().partition(b"\n\n")
        try:
            frontier = tuple(bytes.fromhex(part) for part in edge.decode("ascii").split())
            signed = parse_note(note)
            checkpoint = parse_checkpoint(signed.text)
            signed.verified(self.verifiers(log_id))
        except (ValueError, BadNote, Unverified) as error:
            raise Damaged(f"{path} cannot be read: {error}. {_WAY_OUT}") from None
        found = SignedEdge(checkpoint.size, frontier, signed)
        is_whole = len(frontier) == found.size.bit_count() and found.root == checkpoint.root
        if not is_whole or any(len(part) != HASH_BYTES for part in frontier):
            raise Damaged(f"{path} does not say what its checkpoint says. {_WAY_OUT}")
        return found

    def last_checkpoint(self, log_id: str) -> Checkpoint | None:
        """What that says. Errors: Damaged."""
        found = self.last_signed(log_id)
        return None if found is None else parse_checkpoint(found.note.text)

    def keep_signed(self, log_id: str, edge: SignedEdge) -> None:
        """Keep the last signed checkpoint; it is on the disk, or both, when this returns."""
        hexes = "\n".join(part.hex() for part in edge.frontier)
        for home in self._homes:
            if home is not self.folder:
                self._keep_public(log_id, home)
            write_whole(home / f"{log_id}.signed", f"{hexes}\n\n".encode() + edge.note.raw)

    def copied(self) -> dict[str, int] | None:
        """How many entries of each log the last backup holds; None where none was ever made here.

        Errors: Damaged.
        """
        path = self.folder / COPIED
        try:
            said = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise Damaged(f"{path} cannot be read: {error}. A backup writes it anew") from None
        if not isinstance(said, dict):
            raise Damaged(f"{path} does not say what a backup holds. A backup writes it anew")
        return {str(log_id): size for log_id, size in said.items() if type(size) is int}

    def keep_copied(self, sizes: Mapping[str, int]) -> None:
        """Keep how many entries of each log a backup holds that is whole."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(self.folder / COPIED, json.dumps(dict(sizes)).encode() + b"\n")

    def clear(self) -> None:
        """Take away halves of files that processes which are gone have left."""
        for home in self._homes:
            clear(home, ".new", prefix=None)

    def _keep_public(self, log_id: str, home: Path) -> None:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        known = _lines(map(str, self.verifiers(log_id)))
        copy = home / f"{log_id}.pub"
        if not copy.is_file() or copy.read_bytes() != known:
            write_whole(copy, known)

    def exposed(self) -> list[Path]:
        """Private keys that others on this machine may read."""
        return [path for path in sorted(self.folder.glob("*.key")) if path.stat().st_mode & _OTHERS]

    def back_up(self, folder: Path) -> list[Path]:
        """Copy all keys to a folder that does not exist yet or is empty; the files of the copy.

        A copy that was interrupted is continued: files are recognised by their bytes.
        The last signed checkpoints stay behind: a backup of them would be an old one. Errors:
        BadInput, where there is no private key to keep safe: no archive lies there, or they are
        lost.
        """
        if not any(self.folder.glob("*.key")):
            raise BadInput(f"there is no private key in {self.folder}: nothing was backed up")
        paths = sorted([*self.folder.glob("*.key"), *self.folder.glob("*.pub")])
        copies = {folder / path.name: path.read_bytes() for path in paths}
        there = set(folder.iterdir()) if folder.exists() else set()
        parts = {path for path in there if any(path.match(f".{one.name}.*.new") for one in paths)}
        for path in there - parts:
            if path not in copies or not path.is_file() or path.read_bytes() != copies[path]:
                raise BadInput(
                    f"{folder} is not empty: name a new folder for the backup of the keys"
                )
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        written: list[Path] = []
        try:
            for copy in (copy for copy in copies if copy not in there):
                write_whole(copy, copies[copy], mode=0o600)
                written.append(copy)
            for part in parts:
                part.unlink(missing_ok=True)
        except BaseException:
            # Some of them would pass for all.
            for copy in written:
                copy.unlink(missing_ok=True)
            raise
        return list(copies)

    def _keep(
        self, log_id: str, private: Sequence[SigningKey], known: Sequence[VerifierKey]
    ) -> None:
        # The public key first: a private one that nobody knows would be refused at the next start.
        public = [private[0].verifier, *known]
        write_whole(self._path(log_id, "pub"), _lines(map(str, public)))
        secrets = [key.secret for key in private]
        write_whole(self._path(log_id, "key"), _lines(secrets), mode=0o600)

    def _path(self, log_id: str, kind: str) -> Path:
        return self.folder / f"{log_id}.{kind}"


def _parsed(path: Path, parse: Callable[[str], Key]) -> tuple[Key, ...]:
    """The keys that a file holds. Errors: Damaged."""
    try:
        return tuple(map(parse, path.read_text("utf-8").split()))
    except (UnicodeDecodeError, BadNote) as error:
        raise Damaged(
            f"{path} cannot be read as keys ({error}): put it back from a copy of the keys"
            " (`tabularium keys backup`, `tabularium backup --keys`)"
        ) from None


def keys_folder(url: str) -> Path:
    """Where the keys of an archive lie: beside its file, or in the user's data folder."""
    return place_of(url, "keys", default_keys())


def place_of(url: str, what: str, default: Path) -> Path:
    """The folder for what lies outside of a database: beside its file, or under `default`.

    There each database has a folder of its own: two may hold logs of the same name. Errors:
    BadInput, where that is another place whenever a command is given elsewhere.
    """
    address = parse_address(url)
    if isinstance(address, FileAddress):
        return address.path.with_name(f"{address.path.name}.{what}")
    if isinstance(address, MemoryAddress):
        return default
    parts = urlsplit(address.dsn)
    where = f"{parts.netloc.rpartition('@')[2] or 'local'}{parts.path}"
    # Where a server is told by other parts of the address, they tell two of them apart.
    asked = {name: value for name, value in parse_qsl(parts.query) if name in _PLACES}
    whole = "-".join([where, *(asked[name] for name in sorted(asked))])
    return lasting(default) / re.sub(r"[^A-Za-z0-9.-]+", "_", whole)


_PLACES = frozenset({"dbname", "host", "hostaddr", "port", "service"})
"""Parameters of a PostgreSQL address that say which database it is (libpq, 34.1.2)."""


def write_whole(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Put a file in its place, whole and flushed, or leave what is there."""
    # A name of its own: servers of one database share a folder of keys, and sign the same logs.
    with Passing(path.parent, ".new", prefix=f".{path.name}.") as fresh:
        if hasattr(os, "fchmod"):
            os.fchmod(fresh.file.fileno(), mode)
        fresh.file.write(content)
        fresh.put(path)
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """A rename is on the disk when its folder is; where folders cannot be opened, it is not."""
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _lines(texts: Iterable[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()
