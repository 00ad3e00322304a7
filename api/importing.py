"""Files in, entries out: a match that a file tells becomes one stream, appended as one unit."""

from __future__ import annotations

import contextlib
import hashlib
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from api.archive import Archive
from api.committing import commit_personal
from api.exchange.facts import ClaimedResult, Ended, Fact, Notice, ReadMatch, Refused
from api.exchange.files import read_file
from api.exchange.sniff import MAX_FILE_BYTES
from events import catalogue
from events.canonical import canonical
from events.envelope import NO_STREAM, Basis, EventDraft, RecordedEvent
from events.errors import ExpectedVersionMismatch, LogExists, TooLarge
from events.payloads.custody import PublicationReleased
from events.values import BySeat, Seat
from projections.replay import Replay, replay

IMPORTS_LOG = "imports"
"""Log that imported matches go to unless another one is named."""

IMPORTS_TITLE = "Imported matches"
"""What that log is called."""

SUFFIXES = frozenset({".mat", ".txt"})
"""Names of files that are taken from a folder; a file that is named itself is always read."""

UNREAD_SUFFIXES = frozenset({".bgf", ".gam", ".ogxm", ".sgf", ".sgg", ".tmg", ".xg"})
"""Names of match files that a folder may hold and that cannot be read yet."""


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one match of a file."""

    file: str
    """The file, as it was named."""
    match_id: str
    """Its stream."""
    log_id: str
    """The log that holds it."""
    already: bool
    """Whether it was in the archive before."""
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
    result: dict[str, Any]
    """`winner`, `points`, `claimed_points`, `ended`."""
    findings: list[dict[str, Any]]
    """What the folds found."""
    lost: list[str]
    """What the file says and the archive does not hold."""
    notices: list[Notice]
    """What the reader remarked."""

    def as_json(self) -> dict[str, Any]:
        """One line of `import --json` (design §6); `already` only where it is so."""
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
        return {**value, "already": True} if self.already else value


class FileRefused(msgspec.Struct, frozen=True):
    """A file of which nothing was kept."""

    file: str
    """The file, as it was named."""
    reason: str
    """What is wrong with it, and what to do if that is known."""
    line: int | None = None
    """Line at which reading ended, from 1."""
    game: int | None = None
    """Game it was in, from 1."""

    def as_json(self) -> dict[str, Any]:
        """One line of `import --json`."""
        refused = {"reason": self.reason, "line": self.line, "game": self.game}
        return {"file": self.file, "refused": refused}


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of an imported match, before anybody knows where it will be appended."""

    entry_id: str
    """Fresh and random: of an import only the stream's id is not."""
    tag: str
    """Type of the event."""
    basis: Basis
    """On what it rests."""
    body: dict[str, Any] | None
    """The JSON body with personal values in the clear; None where `payload` has none to hide."""
    payload: Any
    """The body where it holds no personal value; None otherwise."""
    line: int | None
    """Line of the file that tells it."""


class Taken(msgspec.Struct, frozen=True):
    """What a door to an archive answers to a match: its replay, and whether it was there before."""

    shown: Replay
    already: bool


class Taker(Protocol):
    """Where matches go: the archive of this process, or a server that is writing to it."""

    def take(self, log_id: str, stream_id: str, told: Sequence[Told]) -> Taken:
        """Append all entries or none to a stream that must not exist. Errors: LedgerError."""
        ...


def stream_id_of(log_id: str, file_sha256: str, ordinal: int) -> str:
    """Stream id of a match in a file: the same file is one stream of a log, however often it comes.

    A UUIDv8 (RFC 9562 5.8) of SHA-256 over log, file hash and ordinal (design §8.9).
    """
    named = f"{log_id}\n{file_sha256}\n{ordinal}".encode()
    octets = bytearray(hashlib.sha256(named).digest()[:16])
    octets[6] = (octets[6] & 0x0F) | 0x80
    octets[8] = (octets[8] & 0x3F) | 0x80
    return str(uuid.UUID(bytes=bytes(octets)))


def left_out(paths: Iterable[Path]) -> list[Path]:
    """Match files of the named folders whose formats are not read yet: to be told, not dropped."""
    return [
        found
        for path in paths
        if path.is_dir()
        for found in sorted(path.rglob("*"))
        if found.suffix.lower() in UNREAD_SUFFIXES and found.is_file()
    ]


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that are named, and those of the named folders that look like match files."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = [found for found in path.rglob("*") if found.suffix.lower() in SUFFIXES]
        yield from sorted(found for found in inside if found.is_file())


class Importer:
    """Takes files, one after the other; a refused file leaves nothing behind and stops nothing."""

    def __init__(
        self,
        taker: Taker,
        *,
        log_id: str,
        entry_id: Callable[[], str],
        is_public: bool = False,
    ) -> None:
        self.taker = taker
        self.log_id = log_id
        self.entry_id = entry_id
        self.is_public = is_public

    def take_file(self, path: Path) -> list[MatchResult | FileRefused]:
        """Every match of a file, or why there is none. Errors: LedgerError, for the archive's."""
        # A name of bytes that are no text is shown, and kept, with marks in their place.
        name = os.fsencode(path).decode("utf-8", "replace")
        source_name = os.fsencode(path.name).decode("utf-8", "replace")
        try:
            if not path.exists():
                raise Refused("there is no such file")
            if not path.is_file():
                raise Refused("it is neither a file nor a folder")
            # A file that cannot be a match is not read into memory to find that out.
            if path.stat().st_size > MAX_FILE_BYTES:
                raise Refused(f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB")
            data = path.read_bytes()
        except Refused as refused:
            return [FileRefused(name, refused.reason)]
        except OSError as error:
            return [FileRefused(name, f"it cannot be read: {error.strerror or error}")]
        return self.take(data, name, source_name=source_name)

    def take(self, data: bytes, file: str, *, source_name: str) -> list[MatchResult | FileRefused]:
        """The same for bytes that are at hand; `file` is what the results call it."""
        try:
            matches = read_file(data, source_name)
        except Refused as refused:
            return [FileRefused(file, refused.reason, refused.line, refused.game)]
        sha256 = hashlib.sha256(data).hexdigest()
        results: list[MatchResult | FileRefused] = []
        for match in matches:
            stream_id = stream_id_of(self.log_id, sha256, match.ordinal)
            try:
                taken = self.taker.take(self.log_id, stream_id, self.told(match))
            except TooLarge as error:
                results.append(FileRefused(file, str(error)))
                continue
            results.append(_result(file, self.log_id, stream_id, match, taken))
        return results

    def told(self, match: ReadMatch) -> list[Told]:
        """The entries of a match, each with an id of its own."""
        entry_ids = [self.entry_id() for _ in match.facts]
        told = [_told(fact, entry_ids, place) for place, fact in enumerate(match.facts)]
        if self.is_public:
            released = PublicationReleased()
            told.append(
                Told(
                    entry_id=self.entry_id(),
                    tag=catalogue.tag_of(released)[0],
                    basis=Basis.OBSERVED,
                    body=None,
                    payload=released,
                    line=None,
                )
            )
        return told


def _told(fact: Fact, entry_ids: Sequence[str], place: int) -> Told:
    body = fact.plain
    if fact.payload is None:
        body = {**(body or {}), **{member: entry_ids[target] for member, target in fact.refers}}
    return Told(
        entry_id=entry_ids[place],
        tag=fact.tag,
        basis=fact.basis,
        body=None if fact.payload is not None else body,
        payload=fact.payload,
        line=fact.line,
    )


class LocalTaker:
    """Appends to the archive that this process has open."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._opened: set[str] = set()

    def take(self, log_id: str, stream_id: str, told: Sequence[Told]) -> Taken:
        """Append; a stream that exists is left as it is. Errors: LedgerError."""
        archive = self.archive
        self._open(log_id)
        if archive.store.stream_head(log_id, stream_id) is None:
            drafts = [self._draft(entry) for entry in told]
            try:
                archive.append(log_id, stream_id, drafts, expected_version=NO_STREAM)
            except ExpectedVersionMismatch:
                # Another process took the same file in at the same moment.
                return Taken(archive.reading.live(log_id, stream_id).replay, already=True)
            return Taken(archive.reading.live(log_id, stream_id).replay, already=False)
        return Taken(archive.reading.live(log_id, stream_id).replay, already=True)

    def _open(self, log_id: str) -> None:
        if log_id in self._opened:
            return
        known = {head.log_id for head in self.archive.store.logs()}
        if log_id not in known:
            title = IMPORTS_TITLE if log_id == IMPORTS_LOG else log_id
            # Another hand may open it at the same moment.
            with contextlib.suppress(LogExists, ExpectedVersionMismatch):
                self.archive.open_tournament(log_id, title, recorded_by="import")
        self._opened.add(log_id)

    def _draft(self, entry: Told) -> EventDraft:
        archive = self.archive
        disclosures: tuple[bytes, ...] = ()
        if entry.payload is not None:
            body = catalogue.encode(entry.payload)
        else:
            plain, disclosures = commit_personal(
                entry.tag, entry.body or {}, entropy=archive.entropy
            )
            body = canonical(plain)
            catalogue.decode(entry.tag, body)
        where = {} if entry.line is None else {"line": entry.line}
        return EventDraft(
            entry_id=entry.entry_id,
            tag=entry.tag,
            basis=entry.basis,
            body=body,
            context=archive.context("import", **where),
            disclosures=disclosures,
        )


def replayed(told: Sequence[Told], *, entropy: Callable[[int], bytes]) -> Replay:
    """The match as any archive will replay it, where its entries went to another process."""
    events = []
    for version, entry in enumerate(told, 1):
        payload = entry.payload
        if payload is None:
            body, _ = commit_personal(entry.tag, entry.body or {}, entropy=entropy)
            payload = catalogue.decode(entry.tag, canonical(body))
        events.append(RecordedEvent(version, entry.entry_id, entry.tag, entry.basis, payload))
    return replay(events)


def plain_body(entry: Told) -> dict[str, Any]:
    """The body as JSON with personal values in the clear, as the HTTP door takes it."""
    if entry.payload is None:
        return dict(entry.body or {})
    body: dict[str, Any] = msgspec.to_builtins(entry.payload)
    return body


def _result(file: str, log_id: str, stream_id: str, match: ReadMatch, taken: Taken) -> MatchResult:
    shown = taken.shown
    score = shown.state.score
    return MatchResult(
        file=file,
        match_id=stream_id,
        log_id=log_id,
        already=taken.already,
        dialect=match.dialect,
        length=match.length,
        games=match.games,
        rolls=match.rolls,
        score=score.score,
        claimed_score=match.claimed_score,
        result=_outcome(shown, match.result),
        findings=[finding.as_json() for finding in shown.findings],
        lost=match.lost,
        notices=match.notices,
    )


def _outcome(shown: Replay, claimed: ClaimedResult) -> dict[str, Any]:
    """Who won and by how much: the match, or the last game where nobody has won it."""
    score = shown.state.score
    winner: Seat | None = score.winner
    last = score.games[-1] if score.games else None
    if winner is None and last is not None:
        winner = last.winner
    return {
        "winner": None if winner is None else winner.value,
        "points": None if last is None else last.points,
        "claimed_points": claimed.points,
        "ended": _ended(shown, claimed).value,
    }


def _ended(shown: Replay, claimed: ClaimedResult) -> Ended:
    if shown.state.score.length is None:
        return Ended.MONEY
    return Ended.MATCH if shown.state.score.winner is not None else claimed.ended
