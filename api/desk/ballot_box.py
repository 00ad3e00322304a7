"""Closed ballots: what each says is kept here, outside the ledger, until all are in.

The ledger holds a salted hash of a ballot and nothing else. What it says is in no entry and in no
disclosure, so that no page, export or pack can show it early, to the director neither; only whoever
may read the server's own files can. It is deleted when the ballot is opened.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from events.values import EntryId

_SALT_BYTES = 32


class ClosedBallot(msgspec.Struct, frozen=True):
    """What a closed ballot says."""

    vote: str
    """uphold, reverse, modify or abstain."""
    proposal: str | None
    """Which modification, if it is one."""
    salt: str
    """The 32 random bytes that it was sealed with, in hex."""


def ballots_folder(files: Path | None) -> Path | None:
    """Where they lie: beside the folder of an archive's files; None for one in memory."""
    if files is None:
        return None
    return files.with_name(files.name.removesuffix(".files") + ".ballots")


class BallotBox:
    """The closed ballots of one archive, a file each that nobody else may read."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        """Where they lie; None for an archive in memory, whose ballots are gone with it."""
        self._held: dict[str, ClosedBallot] = {}

    def put(self, entry_id: EntryId, ballot: ClosedBallot) -> None:
        """Keep a ballot under its entry's id, on the disk before this returns. Errors: OSError."""
        self._held[entry_id] = ballot
        if self._folder is None:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / entry_id
        fresh = path.with_suffix(".new")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(ballot))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)

    def get(self, entry_id: EntryId) -> ClosedBallot | None:
        """What a closed ballot says; None where it is not, or no longer, here."""
        held = self._held.get(entry_id)
        if held is not None or self._folder is None:
            return held
        try:
            raw = (self._folder / entry_id).read_bytes()
            return msgspec.json.decode(raw, type=ClosedBallot)
        except (OSError, msgspec.MsgspecError):
            return None

    def drop(self, entry_id: EntryId) -> None:
        """It was opened, or replaced by a later one."""
        self._held.pop(entry_id, None)
        if self._folder is not None:
            for path in (self._folder / entry_id, self._folder / f"{entry_id}.new"):
                path.unlink(missing_ok=True)


def fresh_salt(entropy: object) -> str:
    """32 random bytes in hex: nobody finds one of four words by trying hashes."""
    assert callable(entropy)
    return bytes(entropy(_SALT_BYTES)).hex()
