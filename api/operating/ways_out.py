"""What to do about what `fsck` found: a line for each kind of finding, and each line once."""

from __future__ import annotations

from collections.abc import Iterable

from api.archive.index.file import index_file
from api.operating.schema import ADVICE
from events.store.address import FileAddress, parse_address
from events.store.fsck import FsckFinding

_SAID = frozenset({"release", "not-erased", "file-not-erased", "withheld"})
"""Findings that say it themselves, or of which nothing can be said that is always right."""

_SINGLE = {
    "schema": ADVICE,
    "file": "put the files that are named back from a backup: the same names stand in its `files`",
    "ballot": "put the ballots that are named back from a backup, or have them cast again",
    "checkpoint-signature": "are the keys beside the archive its own? Where they are not, put them"
    " back from a copy of them (`tabularium keys backup`, `tabularium backup --keys`). A key with"
    " which the log was signed meanwhile, as its entry key.rotated names it, is one more line of"
    " the log's .pub",
    "rolled-back": "put the newer copy back: nothing is recorded in the log until then",
}

_BESIDE_DAMAGE = ("StoreBusy: ", "StoreFailed: ")
"""How an `unreadable` begins that is no damage: the file is held, the disk or the server failed."""


def ways_out(findings: Iterable[FsckFinding], url: str) -> list[str]:
    """What to do, in the order of the findings."""
    found = dict.fromkeys(_way_out(one, url) for one in findings)
    if _restoring(url) in found:
        # Entries that are not as sealed are not what was signed either: no newer copy is meant.
        found.pop(_SINGLE["rolled-back"], None)
    return [one for one in found if one is not None]


def _way_out(finding: FsckFinding, url: str) -> str | None:
    code = finding.code
    if code in _SAID or (code == "unreadable" and finding.message.startswith(_BESIDE_DAMAGE)):
        return None
    if code == "index":
        return f"delete {index_file(url)}: it is made anew"
    return _SINGLE.get(code) or _restoring(url)


def _restoring(url: str) -> str:
    """Of the ledger itself; what was signed last stays where it is, to hold the backup against."""
    address = parse_address(url)
    moved = "name an empty database"
    if isinstance(address, FileAddress):
        name = address.path.name
        moved = f"move {address.path} away, with {name}-wal and {name}-shm if they are there"
    return (
        "export what can still be read (`tabularium export --all`), stop the server, "
        f"{moved}, and put the last backup in its place (`tabularium restore`)"
    )
