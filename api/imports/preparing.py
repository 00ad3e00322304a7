"""Makes a file's bytes ready to be appended: reads, judges and commits values, without an archive.

This is most of the work of an import, and any process can do it. What is left for the process that
writes is to seal the entries at their place and to store them.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec
import orjson

from api.archive.index.rows import listed_row
from api.archive.personal import commit_personal
from api.archive.publicity import publicity_of
from api.exchange.readers import PROSE_SUFFIXES, read_file
from api.exchange.reading.facts import (
    AGAIN,
    DIVIDE,
    ClaimedResult,
    Ended,
    Fact,
    ReadMatch,
    Refused,
)
from api.exchange.reading.sniff import Format, sniff
from api.exchange.sealed import matches as sealed
from api.exchange.sealed.matches import SealedRead
from api.imports.ready import (
    FileRefused,
    MatchResult,
    Ready,
    ReadyMatch,
    ReadySealed,
    SealedMatch,
    stream_id_of,
)
from events import catalogue
from events.canonical import canonical
from events.envelope import Basis, EventDraft, RecordedEvent
from events.errors import BadInput
from events.payloads.base import Payload
from events.payloads.custody import PublicationReleased
from events.payloads.dice import Rolled
from events.personal import SALT_BYTES
from events.store.appending import NONCE_BYTES
from events.store.restored import seal_behind
from events.store.sealed import seal_stream
from events.values import Seat
from projections.replay import Replay, replay

MAX_ENTRIES = 200_000
"""Most entries that one file may come to; the longest real ones have some thousands."""

SEALED_DIALECT = "tabularium-jsonl"
"""Dialect name of files of sealed entries."""

FAULT = "this program fails on it"
"""Beginning of a refusal that is this program's fault, not the file's."""

_ROLLS = 72
"""Decoded rolls to keep: 36 pairs of dice for each of two players."""

_REPEATED_BYTES = 160
"""Bodies up to this size are cached: there are few different rolls and plays."""

_ID_BYTES = 16
"""Random bytes that the ids of a match are made of."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """How files are to be made ready; the same for all of one import."""

    log_id: str
    """Where they go."""
    form: Format | None = None
    """The only format that is taken; None = any."""
    is_public: bool = False
    """Whether anybody may read them."""
    for_server: bool = False
    """Whether a server takes them in, which makes salts and contexts itself."""
    is_log_chosen: bool = False
    """Whether somebody has named the log; sealed entries name their own."""


def wall_clock_ms() -> int:
    """Now, as milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000


class Preparer:
    """Makes files ready one after the other, all under the same order."""

    def __init__(
        self,
        order: Order,
        *,
        entropy: Callable[[int], bytes] = os.urandom,
        now_ms: Callable[[], int] = wall_clock_ms,
    ) -> None:
        self.order = order
        self._entropy = entropy
        self._now_ms = now_ms
        # Readers use one object for all throws of the same dice: the half of all entries.
        self._rolls: dict[int, tuple[str, int, bytes, Payload]] = {}
        self._kept: list[Payload | None] = []

    def ready(self, data: bytes, file: str, *, source_name: str) -> list[Ready]:
        """Every match in the bytes of a file, in order; or why there is none.

        `file` is what the results call it, `source_name` what the archive will.
        """
        try:
            self._check_format(data, file)
            if sniff(data) is Format.JSONL:
                return [self._sealed(data, file)]
            matches = read_file(data, source_name)
            if not any(match.games for match in matches):
                raise Refused("it holds a heading and no game", AGAIN)
            if sum(len(match.facts) for match in matches) > MAX_ENTRIES:
                raise Refused(f"it comes to more than {MAX_ENTRIES:,} entries", DIVIDE)
            sha256 = hashlib.sha256(data).hexdigest()
            return [self._ready(match, file, sha256) for match in matches]
        except Refused as refused:
            return [FileRefused(file, refused.reason, refused.line, refused.game)]
        except MemoryError:
            return [FileRefused(file, f"it takes more memory to read than there is; {DIVIDE}")]
        except Exception as error:
            # A fault of this program over one file must not end an import of thousands.
            return [FileRefused(file, f"{FAULT} ({error!r}): please report it")]

    def _check_format(self, data: bytes, file: str) -> None:
        wanted = self.order.form
        if wanted is None and os.path.splitext(file)[1].lower() in PROSE_SUFFIXES:
            raise Refused(
                "a text about something, by its name", "--format mat reads it all the same"
            )
        if wanted is None or not data.strip():
            return
        found = sniff(data)
        # What is of no format is refused where it is read, with what to do: no format would help.
        if found is not wanted and found is not Format.UNKNOWN:
            raise Refused(
                f"it is to be read as {wanted.value}, and it is {found.value}", "leave --format out"
            )

    def _ready(self, match: ReadMatch, file: str, sha256: str) -> ReadyMatch:
        log_id = self.order.log_id
        stream_id = stream_id_of(log_id, sha256, match.ordinal)
        facts = match.facts
        if self.order.is_public:
            facts = [*facts, Fact(PublicationReleased(), basis=Basis.OBSERVED)]
        stream = None
        try:
            drafts, events = self._drafts(facts)
            if not self.order.for_server:
                stream = seal_stream(log_id, stream_id, drafts, entropy=self._entropy)
        except BadInput as error:
            what = f"the ledger cannot hold it: {error}"
            raise Refused(what, "put it right in the file", line=match.line) from None
        shown = replay(events)
        return ReadyMatch(
            _result(file, log_id, stream_id, match, shown),
            listed_row(log_id, stream_id, 0, shown, publicity_of(shown)),
            stream,
            b"" if stream is not None else _request(facts, events),
        )

    def _sealed(self, data: bytes, file: str) -> ReadySealed:
        """A file of sealed entries. Errors: Refused."""
        return ReadySealed(
            file,
            tuple(self._sealed_match(one, file) for one in sealed.read(data, most=MAX_ENTRIES)),
        )

    def _sealed_match(self, read: SealedRead, file: str) -> SealedMatch:
        order, shown, stream = self.order, read.shown, read.stream
        match = f"match {stream.stream_id}"
        if order.is_log_chosen and order.log_id != stream.log_id:
            why = f"{match} was sealed into log {stream.log_id}, and no other can take it in"
            raise Refused(why, "leave --log out", line=read.line)
        publicity = publicity_of(shown)
        is_released = publicity.is_released
        if is_released and not order.is_public:
            why, do = f"{match} is released to the public", "--public releases it here too"
            raise Refused(why, do, line=read.line)
        release = None
        if order.is_public and not is_released:
            [draft], _ = self._drafts([Fact(PublicationReleased(), basis=Basis.OBSERVED)])
            release = seal_behind(stream, draft, nonce=self._entropy(NONCE_BYTES))
        claimed = ClaimedResult(None, None, Ended.UNFINISHED)
        return SealedMatch(
            MatchResult(
                file=file,
                match_id=stream.stream_id,
                log_id=stream.log_id,
                dialect=SEALED_DIALECT,
                length=shown.state.score.length,
                games=read.games,
                rolls=read.rolls,
                score=shown.state.match_score,
                claimed_score=None,
                result=_outcome(shown, claimed),
                findings=[finding.as_json() for finding in shown.findings],
                lost=[],
                notices=read.notices,
            ),
            listed_row(stream.log_id, stream.stream_id, 0, shown, publicity),
            stream,
            read.line,
            release,
        )

    def _drafts(self, facts: Sequence[Fact]) -> tuple[list[EventDraft], list[RecordedEvent]]:
        """The entries as a store takes them, and as folds see them."""
        ids = _neighbours(self._entropy(_ID_BYTES).hex(), len(facts))
        salts = self._entropy(SALT_BYTES * len(facts)).hex().encode()
        # As `context_of` writes it, which a test holds it to.
        received = b'"received_at":%d,"recorded_by":"import"}]' % self._now_ms()
        line: int | None = None
        context = b'","context",{' + received
        drafts: list[EventDraft] = []
        events: list[RecordedEvent] = []
        rolls = self._rolls
        for place, fact in enumerate(facts):
            disclosures: tuple[bytes, ...] = ()
            payload = fact.payload
            if payload is not None:
                roll = rolls.get(id(payload))
                if roll is not None:
                    tag, schema, body, payload = roll
                else:
                    tag, schema = catalogue.tag_of(payload)
                    body = catalogue.encode(payload)
                    # What folds see is decoded from the bytes that will be sealed: nothing goes in
                    # that could not be read again.
                    payload = _decoded(tag, body)
                    if type(payload) is Rolled and len(rolls) < _ROLLS:
                        rolls[id(fact.payload)] = (tag, schema, body, payload)
                        self._kept.append(fact.payload)
            else:
                tag, schema = fact.kind, catalogue.kind_of(fact.kind).schema
                plain, disclosures = commit_personal(
                    tag, _plain_body(fact, ids), entropy=self._entropy
                )
                body = canonical(plain)
                payload = _decoded(tag, body)
            if fact.line != line:
                line = fact.line
                told_at = b"" if line is None else b'"line":%d,' % line
                context = b'","context",{' + told_at + received
            entry_id = ids[place]
            salt = salts[2 * SALT_BYTES * place : 2 * SALT_BYTES * (place + 1)]
            drafts.append(
                EventDraft(
                    entry_id=entry_id,
                    tag=tag,
                    schema=schema,
                    basis=fact.basis,
                    body=body,
                    context=b'["' + salt + context,
                    disclosures=disclosures,
                )
            )
            events.append(RecordedEvent(place + 1, entry_id, tag, fact.basis, payload))
        return drafts, events


_decoded_often = lru_cache(maxsize=16_384)(catalogue.decode)


def _decoded(tag: str, body: bytes) -> Payload:
    often = len(body) <= _REPEATED_BYTES
    return _decoded_often(tag, body) if often else catalogue.decode(tag, body)


def _neighbours(digits: str, count: int) -> list[str]:
    """So many UUIDv8 (RFC 9562 5.8) of 90 random bits and a counter, from 32 random hex digits.

    Ids side by side lie in one page of the index that keeps each id once. By chance they would lie
    in as many pages as a match has entries: in an archive of 100,000 matches that doubled the cost
    of an import. They tell as little as ids by chance do, but for an entry's place in its match;
    what is blind (`api/packs/redaction.py`) holds them back for it, as it does all but version 4.
    """
    variant = "89ab"[int(digits[15], 16) & 3]
    beginning = f"{digits[:8]}-{digits[8:12]}-8{digits[12:15]}-{variant}{digits[16:19]}"
    beginning += f"-{digits[19:23]}"
    return [f"{beginning}{number:08x}" for number in range(count)]


def _plain_body(fact: Fact, ids: Sequence[str]) -> dict[str, object]:
    return {**(fact.plain or {}), **{member: ids[target] for member, target in fact.refers}}


def _request(facts: Sequence[Fact], events: Sequence[RecordedEvent]) -> bytes:
    """The entries as the HTTP door takes them, personal values in plain text."""
    ids = [event.entry_id for event in events]
    entries = [
        {
            "entry_id": event.entry_id,
            "tag": event.tag,
            "basis": event.basis.value,
            "body": _plain_body(fact, ids)
            if fact.payload is None
            else msgspec.to_builtins(fact.payload),
        }
        for fact, event in zip(facts, events, strict=True)
    ]
    return orjson.dumps({"entries": entries})


def _result(file: str, log_id: str, stream_id: str, match: ReadMatch, shown: Replay) -> MatchResult:
    return MatchResult(
        file=file,
        match_id=stream_id,
        log_id=log_id,
        dialect=match.dialect,
        length=match.length,
        games=match.games,
        rolls=match.rolls,
        score=shown.state.match_score,
        claimed_score=match.claimed_score,
        result=_outcome(shown, match.result),
        findings=[finding.as_json() for finding in shown.findings],
        lost=match.lost,
        notices=match.notices,
    )


def _outcome(shown: Replay, claimed: ClaimedResult) -> dict[str, object]:
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
