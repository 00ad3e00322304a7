"""What a file has become on its way in: matches ready for their place, or why there are none."""

from __future__ import annotations

import hashlib
import uuid

import msgspec

from api.archive.index.rows import MatchRow
from api.exchange.reading.facts import Notice
from events.store.sealed import SealedStream
from events.values import BySeat


def stream_id_of(log_id: str, file_sha256: str, ordinal: int) -> str:
    """Stream id of a match in a file: the same file is one stream of a log, however often it comes.

    A UUIDv8 (RFC 9562 5.8) of SHA-256 over log, file hash and ordinal (design §8.9).
    """
    named = f"{log_id}\n{file_sha256}\n{ordinal}".encode()
    octets = bytearray(hashlib.sha256(named).digest()[:16])
    octets[6] = (octets[6] & 0x0F) | 0x80
    octets[8] = (octets[8] & 0x3F) | 0x80
    return str(uuid.UUID(bytes=bytes(octets)))


class MatchResult(msgspec.Struct, frozen=True, kw_only=True, tag="match"):
    """What became of one match of a file."""

    file: str
    """The file, as it was named."""
    match_id: str
    """Its stream."""
    log_id: str
    """The log that holds it."""
    already: bool = False
    """Whether it was in the archive before."""
    added: int = 0
    """Entries that came to a match that was in the archive before; 0 = it came whole."""
    dialect: str
    """Which program's way of writing the file is."""
    length: int | None
    """Points needed to win; None = money."""
    games: int
    """Games begun."""
    rolls: int
    """Dice thrown, dances included."""
    score: BySeat[int]
    """Computed from the plays, uncapped."""
    claimed_score: BySeat[int] | None
    """As the file prints it."""
    result: dict[str, object]
    """`winner`, `points`, `claimed_points`, `ended`."""
    findings: list[dict[str, object]]
    """What the folds found."""
    lost: list[str]
    """What the file says and the archive does not hold."""
    notices: list[Notice]
    """What the reader remarked."""

    def as_json(self) -> dict[str, object]:
        """One line of `import --json` (design §6); `already` and `added` only where it is so."""
        value = {
            "file": self.file,
            "match_id": self.match_id,
            "dialect": self.dialect,
            "length": self.length,
            "games": self.games,
            "rolls": self.rolls,
            "score": msgspec.to_builtins(self.score),
            "claimed_score": msgspec.to_builtins(self.claimed_score),
            "result": self.result,
            "findings": self.findings,
            "lost": self.lost,
        }
        if self.added:
            value["added"] = self.added
        return {**value, "already": True} if self.already else value


class FileRefused(msgspec.Struct, frozen=True, tag="refused"):
    """A file, or one match of it, of which nothing was kept."""

    file: str
    """The file, as it was named."""
    reason: str
    """What is wrong with it, and what to do if that is known."""
    line: int | None = None
    """Line at which reading ended, from 1."""
    game: int | None = None
    """Game it was in, from 1."""

    def as_json(self) -> dict[str, object]:
        """One line of `import --json`."""
        refused = {"reason": self.reason, "line": self.line, "game": self.game}
        return {"file": self.file, "refused": refused}


class ReadyMatch(msgspec.Struct, frozen=True, tag="ready"):
    """A match that only needs its place: for a store, or for a server."""

    result: MatchResult
    """What will have become of it."""
    row: MatchRow
    """Its row in the list of matches, but for its place."""
    stream: SealedStream | None = None
    """What a store appends."""
    entries: bytes = b""
    """What a server takes in: the body of a request."""


class SealedMatch(msgspec.Struct, frozen=True):
    """A match of sealed entries, as its file holds it from its beginning."""

    result: MatchResult
    """What will have become of it."""
    row: MatchRow
    """Its row in the list of matches, but for its place, and without `release`."""
    stream: SealedStream
    """All its entries."""
    line: int
    """Line of the file at which it begins."""
    release: SealedStream | None = None
    """What lets anybody read it, to stand behind its entries; None = it is not asked for."""


class ReadySealed(msgspec.Struct, frozen=True, tag="sealed"):
    """A file of sealed entries: what they are is settled, and they go in as they are or not."""

    file: str
    """The file, as it was named."""
    matches: tuple[SealedMatch, ...]
    """In order of the file."""

    @property
    def size(self) -> int:
        """Entries of all of them."""
        return sum(len(match.stream.rows) for match in self.matches)


Ready = ReadyMatch | ReadySealed | FileRefused
