"""Checkpoints as they are kept: the note as it was signed, and what was signed under it later."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class KeptCheckpoint(msgspec.Struct, frozen=True):
    """A signed tree head, with the further signatures under it."""

    log_id: str
    size: int
    """Entries of the log that it stands for."""
    note: bytes
    """The signed note, verbatim."""
    lines: Mapping[str, bytes]
    """Further signature lines without their newline, by signer: NAME+KEYID."""
    token: bytes | None = None
    """The reply of a time-stamping authority (RFC 3161)."""

    @property
    def whole(self) -> bytes:
        """The note with all signatures under it."""
        return self.note + b"".join(line + b"\n" for _, line in sorted(self.lines.items()))
