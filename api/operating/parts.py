"""What an archive is beside its database: folders and files that go with a copy of it."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from api.archive.archive import operator_file
from api.archive.files import folder_of
from api.archive.keyring import Keyring, keys_folder, place_of, write_whole
from api.archive.signing import Signing
from api.settings import Settings, default_authority, default_rule_texts
from events.errors import RolledBack, Unverified
from events.store.address import FileAddress, parse_address
from events.store.fsck_tournament import TournamentFacts
from events.store.opening import LedgerStore, open_store
from events.store.passing import Passing, clear
from projections.judging.ballots import commitment_to

_CHUNK = 1 << 20
_HASH_DIGITS = 64
_PART = ".new"

PUBLIC = (".pub",)
"""Endings of files with keys: those that anybody may know."""

KEYS = (".pub", ".key")
"""All keys. A backup takes no more: what was signed last would say that nothing came since."""

SIGNED = ".signed"
"""What was signed last, which goes along where an archive goes on elsewhere."""


class Place(NamedTuple):
    """Where the parts of one archive lie."""

    files: Path | None
    """Photos and videos, by log and hash."""
    ballots: Path | None
    """What closed ballots say."""
    keys: Path | None
    """The keys of the logs, and the last that was signed of each."""
    https: Path | None
    """The archive's own certificate authority."""
    operator: Path | None
    """The operator's token."""
    rules: Path | None
    """Texts of rule sets that the operator has loaded."""


def place_for(settings: Settings) -> Place:
    """Where they lie of the archive that the settings name."""
    url, address = settings.db, parse_address(settings.db)
    files = folder_of(url, settings.files)
    ballots = None
    if files is not None:
        ballots = files.with_name(files.name.removesuffix(".files") + ".ballots")
    return Place(
        files=files,
        ballots=ballots,
        keys=settings.keys or keys_folder(url),
        https=settings.authority or place_of(url, "https", default_authority())
        if isinstance(address, FileAddress)
        else settings.authority or default_authority(),
        operator=operator_file(address.path) if isinstance(address, FileAddress) else None,
        rules=settings.rule_texts or place_of(url, "rules", default_rule_texts()),
    )


def place_of_source(settings: Settings) -> Place:
    """Where they lie of an archive that is copied into another database.

    A folder that the environment names is that of both. What lies in the usual place of the source
    is the source's, and has to come along: else the copy would go on under other keys.
    """
    usual = settings.model_copy(update={"keys": None, "authority": None, "rule_texts": None})
    return Place(
        *(
            own if own is not None and own.exists() else named
            for own, named in zip(place_for(usual), place_for(settings), strict=True)
        )
    )


def place_in(folder: Path) -> Place:
    """Where they lie in a backup."""
    return Place(
        files=folder / "files",
        ballots=folder / "ballots",
        keys=folder / "keys",
        https=folder / "https",
        operator=folder / "operator",
        rules=None,
    )


class Own(NamedTuple):
    """What of such folders is one archive's: those of PostgreSQL lie where others' may lie too."""

    logs: frozenset[str]
    """Its logs."""
    erased: Mapping[str, frozenset[str]]
    """Log to hashes of files that its entries say are erased."""
    ballots: frozenset[str]
    """Those of its closed ballots that lie here or there."""


def own_of(store: LedgerStore, *ballots: Path | None) -> Own:
    """What is an archive's own; `ballots`: folders of ballots to be looked through.

    Errors: LedgerError, OSError.
    """
    logs = [head.log_id for head in store.logs()]
    erased: dict[str, frozenset[str]] = {}
    for log_id in logs:
        facts = TournamentFacts(store, log_id)
        facts.read_on()
        erased[log_id] = frozenset(facts.erased)
    folders = [folder for folder in ballots if folder is not None and folder.is_dir()]
    names = {path.name for folder in folders for path in folder.iterdir()}
    known = {name for log_id in logs for name in store.find_entries(log_id, sorted(names))}
    return Own(frozenset(logs), erased, frozenset(known))


class Brought(NamedTuple):
    """What was done with files."""

    added: int
    """Files that were not there."""
    removed: int
    """Files that are erased, by what entries say."""
    damaged: tuple[str, ...]
    """Files whose bytes are not those of their name, `log/hash`: they were left out."""


def bring_files(source: Path | None, target: Path | None, own: Own | None = None) -> Brought:
    """Bring files that are not here yet; each is hashed on its way. Errors: OSError.

    Those that are an archive's `own`, and then what its entries say is erased is erased here too.
    What else is here alone stays: it may be another archive's, or the last copy of a file that was
    lost there. Without `own` all of them.
    """
    if source is None or target is None or source == target:
        return Brought(0, 0, ())
    added, damaged = 0, []
    for folder in {place.parent for place in _files(target)}:
        clear(target / folder, _PART)
    there = {place for place in _files(source) if own is None or place.parts[0] in own.logs}
    for place in sorted(there):
        if (target / place).exists():
            continue
        if _hash_of(source / place) != place.name:
            damaged.append(f"{place.parts[0]}/{place.name}")
            continue
        _private(target)
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        # The kind first: whoever finds the file finds its kind.
        for name in (f"{place.name}.json", place.name):
            with contextlib.suppress(FileNotFoundError):
                _copied(source / place.parent / name, target / place.parent / name)
        added += 1
    gone = [
        place
        for place in _files(target)
        if own is not None and place.name in own.erased.get(place.parts[0], ())
    ]
    for place in gone:
        (target / place).unlink()
        (target / place).with_name(f"{place.name}.json").unlink(missing_ok=True)
    return Brought(added, len(gone), tuple(damaged))


def check_files(folder: Path | None) -> list[str]:
    """Files whose bytes are not those that their names say, as `log/hash`. Errors: OSError."""
    if folder is None:
        return []
    return [
        f"{place.parts[0]}/{place.name}"
        for place in _files(folder)
        if _hash_of(folder / place) != place.name
    ]


class _ClosedBallot(msgspec.Struct):
    vote: str
    proposal: str | None
    salt: str


_BALLOT = msgspec.json.Decoder(_ClosedBallot)


def check_ballots(folder: Path | None, store: LedgerStore) -> list[tuple[str, str]]:
    """(log id, entry id) of closed ballots that say something else than was sealed.

    Errors: LedgerError, OSError.
    """
    if folder is None or not folder.is_dir():
        return []
    names = sorted(path.name for path in folder.iterdir())
    return [
        (head.log_id, name)
        for head in store.logs()
        for name, entry in sorted(store.find_entries(head.log_id, names).items())
        if not _is_as_sealed((folder / name).read_bytes(), entry.sealed)
    ]


def _is_as_sealed(raw: bytes, sealed: bytes) -> bool:
    try:
        says = _BALLOT.decode(raw)
        commitment = commitment_to(says.vote, says.proposal, says.salt)
    except (msgspec.MsgspecError, ValueError):
        return False
    return bool(msgspec.json.decode(sealed)["body"].get("commitment") == commitment)


def bring_folder(
    source: Path | None, target: Path | None, *, only: Collection[str] | None = None
) -> int:
    """Copy the files of a flat folder for their owner alone; how many. Errors: OSError.

    `only`: these names, and those of them that are not there are not here either, as with ballots
    that have been opened.
    """
    if source is None or target is None or source == target or not source.is_dir():
        return 0
    names = sorted(
        path.name
        for path in source.iterdir()
        if path.is_file() and (only is None or path.name in only)
    )
    if names:
        _private(target)
    for name in names:
        write_whole(target / name, (source / name).read_bytes(), mode=0o600)
    if only is not None and target.is_dir():
        for path in target.iterdir():
            if path.name in only and path.name not in names:
                path.unlink()
    return len(names)


def has_other_authority(source: Path | None, target: Path | None) -> bool:
    """Whether a certificate authority is there that is not the source's."""
    if source is None or target is None:
        return False
    here, there = (folder / "authority.pem" for folder in (source, target))
    return there.is_file() and not (here.is_file() and here.read_bytes() == there.read_bytes())


def bring_authority(source: Path | None, target: Path | None) -> None:
    """Copy the certificate authority, unless another one is there. Errors: OSError.

    Archives at a database server share one, which tablets trust; made once more it is another.
    """
    if not has_other_authority(source, target):
        bring_folder(source, target)


def bring_keys(
    source: Path | None, target: Path | None, *, kinds: Sequence[str], follows: bool = False
) -> int:
    """Copy keys that are not there, never one over another; how many. Errors: OSError.

    `kinds` are the endings of the files. A copy that `follows` its source takes what a rotation has
    made of a log's keys, as long as the source still knows every key that is there.
    """
    if source is None or target is None or source == target or not source.is_dir():
        return 0
    goes_on = {
        path.stem
        for path in source.glob("*.pub")
        if follows and (known := _keys_in(target / path.name)) and known <= _keys_in(path)
    }
    brought = 0
    # Public keys first: a private one that nobody knows would be refused.
    for path in (one for kind in kinds for one in sorted(source.glob(f"*{kind}"))):
        copy = target / path.name
        # What was signed last is another each time; a key that is there may be the archive's own.
        is_new = not copy.exists() or path.suffix == SIGNED or path.stem in goes_on
        if not is_new or (copy.exists() and copy.read_bytes() == path.read_bytes()):
            continue
        _private(target)
        write_whole(copy, path.read_bytes(), mode=0o600)
        brought += 1
    return brought


def check_keys(source: Path | None, target: Path | None) -> None:
    """Whether the source knows every key that is there of its logs. Errors: Unverified, OSError."""
    if source is None or target is None or source == target:
        return
    for path in sorted(source.glob("*.pub")):
        if not _keys_in(target / path.name) <= _keys_in(path):
            raise Unverified(
                f"{target / path.name} names keys of another archive, or of this one as it went on"
                " elsewhere: move them away with what they belong to, or name another place"
            )


def _keys_in(path: Path) -> set[bytes]:
    """The keys that a file names."""
    return set(path.read_bytes().split()) if path.is_file() else set()


def bring_file(source: Path | None, target: Path | None) -> bool:
    """Copy one file for its owner alone, unless there is one. Errors: OSError."""
    if source is None or target is None or not source.is_file() or target.exists():
        return False
    _private(target.parent)
    write_whole(target, source.read_bytes(), mode=0o600)
    return True


def ring(folder: Path | None, origin: str) -> Keyring | None:
    """The keys in a folder, if it has any."""
    if folder is None or not any(folder.glob("*.pub")):
        return None
    return Keyring(folder, origin=origin)


def check_signed(url: str, keyring: Keyring | None, *, takes_older: bool) -> None:
    """Refuse a backup that lacks what was signed last. Errors: RolledBack, Unverified."""
    if keyring is None:
        return
    store = open_store(url, read_only=True)
    try:
        sizes = {head.log_id: head.size for head in store.logs()}
        held = Signing(store, keyring).check()
    finally:
        store.close()
    for one in held:
        last = keyring.last_checkpoint(one.log_id)
        is_older = last is not None and sizes.get(one.log_id, 0) < last.size
        if not is_older:
            raise Unverified(f"the backup is not of this archive: {one.why}")
        if not takes_older:
            raise RolledBack(
                f"the backup ends before what was signed: log {one.log_id} has"
                f" {sizes.get(one.log_id, 0)} entries in it, and {last.size if last else 0} were"
                " signed. Look for a newer one; --older takes it all the same, and the log is held"
            )


class Unsigned:
    """The keys of an archive, without its last checkpoints."""

    def __init__(self, keyring: Keyring) -> None:
        self.logs = keyring.logs
        self.verifiers = keyring.verifiers

    def last_checkpoint(self, log_id: str) -> None:
        """Nothing: it is looked at elsewhere."""


def _files(folder: Path) -> Iterator[Path]:
    """Where files lie in their folder: `log/ab/ab12...`. Errors: OSError.

    A folder that may not be looked into is no folder without files, as it is to `glob`.
    """
    folders = [folder] if folder.is_dir() else []
    for _ in ("log", "ab"):
        folders = [path for one in folders for path in one.iterdir() if path.is_dir()]
    for path in (path for one in folders for path in one.iterdir()):
        if len(path.name) == _HASH_DIGITS and path.is_file():
            yield path.relative_to(folder)


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _copied(source: Path, target: Path) -> None:
    with source.open("rb") as read, Passing(target.parent, _PART) as fresh:
        shutil.copyfileobj(read, fresh.file, _CHUNK)
        fresh.put(target)
