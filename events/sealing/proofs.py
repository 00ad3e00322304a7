"""Proofs as files that anybody's tools read: of one entry, and that a log has only grown.

`.tlog-proof` (c2sp.org/tlog-proof): index, the path from the leaf, and the checkpoint verbatim.
`add-checkpoint` (c2sp.org/tlog-witness): the size already known, the path from it, and the newer
checkpoint verbatim: one format for tablets, bundles, witnesses and the API.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from events.errors import BadNote, Unverified
from events.sealing.merkle import extends, includes
from events.sealing.notes import (
    Checkpoint,
    Note,
    VerifierKey,
    decimal,
    from_base64,
    hash_of,
    parse_checkpoint,
    parse_note,
    to_base64,
)

HEADER = "c2sp.org/tlog-proof@v1"
"""First line of a proof of one entry."""

SUFFIX = ".tlog-proof"
"""How a file with one ends."""

MAX_PATH = 63
"""Hashes in a proof of consistency, at most; a path to an entry has 64 at most."""


class EntryProof(NamedTuple):
    """That a leaf is in a log."""

    entry: int
    """Its place, from 0: the format calls it index."""
    path: tuple[bytes, ...]
    """Hashes from the leaf's sibling up to the root's child (RFC 6962 2.1.1)."""
    note: Note
    """The checkpoint, with whatever signatures it has."""

    @property
    def raw(self) -> bytes:
        """The file."""
        lines = [HEADER, f"index {self.entry}", *map(to_base64, self.path)]
        return "".join(f"{line}\n" for line in [*lines, ""]).encode() + self.note.raw

    def check(self, leaf: bytes, keys: Iterable[VerifierKey]) -> Checkpoint:
        """The checkpoint, once it is shown to be signed and to hold the leaf.

        `leaf` is a hash. Errors: Unverified, BadNote.
        """
        self.note.verified(keys)
        checkpoint = parse_checkpoint(self.note.text)
        if not includes(
            leaf, self.entry, size=checkpoint.size, path=self.path, root=checkpoint.root
        ):
            raise Unverified(f"entry {self.entry} is not in the log of {checkpoint.size}")
        return checkpoint


class Growth(NamedTuple):
    """That a log has only grown since a size that somebody holds."""

    old_size: int
    path: tuple[bytes, ...]
    """Hashes of RFC 6962 2.1.2; none from 0, and none to the same size."""
    note: Note
    """The newer checkpoint."""

    @property
    def raw(self) -> bytes:
        """The body of a request to a witness, and the file `consistency` of a bundle."""
        lines = [f"old {self.old_size}", *map(to_base64, self.path)]
        return "".join(f"{line}\n" for line in [*lines, ""]).encode() + self.note.raw

    def check(self, old: Checkpoint | None, keys: Iterable[VerifierKey]) -> Checkpoint:
        """The newer checkpoint, once it is shown to be signed and to go on from the older one.

        `old` is the one that whoever asks has kept, None if there is none: then it goes on from
        nothing. Errors: Unverified, BadNote.
        """
        self.note.verified(keys)
        new = parse_checkpoint(self.note.text)
        if old is None or old.size == 0:
            if self.old_size or self.path:
                raise Unverified("a log that nothing is known of is not shown to have grown")
            return new
        if new.origin != old.origin:
            raise Unverified(f"the checkpoint is of {new.origin}, not of {old.origin}")
        if self.old_size != old.size:
            raise Unverified(f"this goes on from {self.old_size} entries, not from {old.size}")
        if not extends(old.size, new.size, path=self.path, old_root=old.root, new_root=new.root):
            raise Unverified(
                f"the log of {new.size} entries does not go on from the {old.size} that were there"
            )
        return new


def parse_entry_proof(raw: bytes) -> EntryProof:
    """A proof from its file. Errors: BadNote."""
    head, note = _parted(raw)
    if head.pop(0) != HEADER:
        raise BadNote(f"a proof begins with the line {HEADER}")
    if head and head[0].startswith("extra "):
        from_base64(head.pop(0).removeprefix("extra "), "the extra data")
    if not head or not head[0].startswith("index "):
        raise BadNote("a proof says which entry it is of: index NUMBER")
    index = decimal(head.pop(0).removeprefix("index "), "the index")
    return EntryProof(index, _path(head, MAX_PATH + 1), note)


def parse_growth(raw: bytes) -> Growth:
    """A proof of consistency with its checkpoint. Errors: BadNote."""
    head, note = _parted(raw)
    if not head[0].startswith("old "):
        raise BadNote("a proof that a log has grown begins with: old SIZE")
    old_size = decimal(head.pop(0).removeprefix("old "), "the old size")
    return Growth(old_size, _path(head, MAX_PATH), note)


def _parted(raw: bytes) -> tuple[list[str], Note]:
    """The lines before the first blank line, and the note behind it."""
    head, blank, note = raw.partition(b"\n\n")
    if not blank:
        raise BadNote("a proof is lines, a blank line, and a checkpoint")
    try:
        lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise BadNote("the lines of a proof are plain ASCII") from None
    return lines, parse_note(note)


def _path(lines: list[str], most: int) -> tuple[bytes, ...]:
    if len(lines) > most:
        raise BadNote(f"a path has at most {most} hashes, this one {len(lines)}")
    return tuple(hash_of(line, "a hash of the path") for line in lines)
