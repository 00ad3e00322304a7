"""The work of publishing in parts: some streams of one log in, one Parquet file a table out.

A part is planned by the ledger alone and folded without any other one, so that any engine may work
on it, in any process and any order: the same part gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from api.archive.known import as_known
from api.archive.personal import received_at
from api.archive.reading import Live
from api.publishing import tables
from api.publishing.engines import uncollected
from api.publishing.extras import needed
from api.publishing.ledger import ArrowLedger, reading
from api.publishing.parquet import Values, columns_of, encoded
from api.publishing.rows import Row, rows_of
from events import catalogue
from events.canonical import canonical
from events.envelope import TOURNAMENT_STREAM, RecordedEvent
from events.errors import StoreFailed
from events.payloads.corrections import EntryAmended
from events.payloads.custody import PublicationReleased
from events.payloads.match import MatchOpened, Player
from events.personal import opened
from events.store.protocol import EventStore, LogHead
from events.values import BySeat
from projections.replay import Replay
from projections.views.ballots import BALLOTS, holds_ballot, veiled, without_ballot
from projections.views.discretion import discretion

PART_ENTRIES = 65_536
"""Entries of a part, all in memory at once; more only where a single match has more."""

_SHARE = 4
"""Of a long log each part is at most a quarter of what is left, so that the last ones are small."""

_LEAST = 8
"""But no smaller than an eighth of a whole one."""

_BATCH = 32
"""Contexts that are looked up at once."""

_NOBODY: BySeat[str | None] = BySeat(None, None)
"""No names."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be published, the same for all parts."""

    url: str
    """The database."""
    everything: bool = False
    """Private matches and tournament streams too; else what anybody may read."""
    names: bool = False
    """Whether the players' names are written, where they are disclosed."""
    in_hand: Mapping[str, Mapping[str, str]] = {}
    """Sentences of rule sets with which matches are judged (`projections/rules/sentences.py`)."""
    now_ms: int
    """The computer's clock: what the public of a delayed match sees hangs on it."""
    steps: tuple[tuple[int, int], ...] = ()
    """How long ago it was set forward, and how far, milliseconds (`archive/lateness.py`)."""

    def before(self, delay_ms: int) -> int:
        """What was received by this moment is at least as old as the delay."""
        return self.now_ms - delay_ms - sum(by for ago, by in self.steps if ago < delay_ms)


class Partition(msgspec.Struct, frozen=True, kw_only=True):
    """Streams of one log that lie side by side."""

    wanted: Wanted
    """What is to be published."""
    log_id: str
    """The log."""
    number: int
    """Number of the part in its log, from 0."""
    first: str
    """Its first stream."""
    last: str
    """Its last stream."""
    size: int
    """Size of the log: later entries are left out."""
    entries: int
    """Entries in it, about; for the progress bar."""


class Part(msgspec.Struct, kw_only=True):
    """What became of a partition."""

    partition: Partition
    """Where it comes from."""
    files: dict[str, bytes]
    """Table to its Parquet file."""
    rows: dict[str, int]
    """Table to the number of its rows."""
    private: int = 0
    """Matches left out because the public may not read them."""
    delays: dict[int, int] = msgspec.field(default_factory=dict)
    """Delays of its public matches, in ms, each with where the first of these matches begins."""
    unreadable: list[tuple[str, str]] = msgspec.field(default_factory=list)
    """Matches left out because they cannot be read: (match id, why)."""


def planned(store: EventStore, head: LogHead, wanted: Wanted) -> list[Partition]:
    """The parts of a log, by stream id; the last ones small, so that nobody waits long for them."""
    parts: list[Partition] = []
    streams: list[str] = []
    entries = taken = 0
    limit = PART_ENTRIES

    def part() -> Partition:
        return Partition(
            wanted=wanted,
            log_id=head.log_id,
            number=len(parts),
            first=streams[0],
            last=streams[-1],
            size=head.size,
            entries=entries,
        )

    for stream in _streams(store, head.log_id):
        if streams and entries + stream[1] > limit:
            parts.append(part())
            taken += entries
            if head.size > 2 * PART_ENTRIES:
                share = (head.size - taken) // _SHARE
                limit = min(PART_ENTRIES, max(PART_ENTRIES // _LEAST, share))
            streams, entries = [], 0
        streams.append(stream[0])
        entries += stream[1]
    if streams:
        parts.append(part())
    return parts


def _streams(store: EventStore, log_id: str) -> Iterator[tuple[str, int]]:
    after = ""
    while page := store.streams(log_id, after=after, limit=1_000):
        yield from ((head.stream_id, head.version) for head in page)
        after = page[-1].stream_id


def folded(partition: Partition) -> Part:
    """Read a partition, fold its matches and write their rows. Errors: LedgerError."""
    with uncollected(), reading(partition.wanted.url) as ledger:
        return _Folding(partition, ledger).part()


def empty(partition: Partition) -> Part:
    """A partition in which nothing is published: every table, without a row."""
    files = {table.name: encoded(table, columns_of(table, ())) for table in tables.TABLES}
    return Part(partition=partition, files=files, rows=dict.fromkeys(files, 0))


class _Folding:
    """One partition on its way from entries to rows."""

    def __init__(self, partition: Partition, ledger: ArrowLedger) -> None:
        self.partition = partition
        self.wanted = partition.wanted
        self.ledger = ledger
        self.entries = ledger.entries(
            partition.log_id, first=partition.first, last=partition.last, size=partition.size
        )
        self.sealed: list[bytes] = self.entries.column("sealed").to_pylist()
        self.kept: list[tuple[int, int]] = []
        """Entries to be published: indices from, to."""
        self.rows: dict[str, list[Row]] = {table.name: [] for table in tables.TABLES}
        self.result = Part(partition=partition, files={}, rows={})

    def part(self) -> Part:
        """The part."""
        positions = self.entries.column("global_position").to_pylist()
        for stream_id, begin, end in _runs(self.entries.column("stream_id").to_pylist()):
            if stream_id == TOURNAMENT_STREAM:
                if self.wanted.everything:
                    self.kept.append((begin, end))
                continue
            rows = list(zip(positions[begin:end], self.sealed[begin:end], strict=True))
            try:
                self.match(stream_id, rows, begin)
            except StoreFailed:
                raise
            except Exception as error:
                # One match that cannot be read must not take all others with it; it is told.
                self.result.unreadable.append((stream_id, str(error) or type(error).__name__))
        return self._written()

    def match(self, stream_id: str, rows: Sequence[tuple[int, bytes]], begin: int) -> None:
        """Take one match in, if it is to be published."""
        events = catalogue.read_entries(self.partition.log_id, stream_id, rows)
        shown = self._shown(events)
        if shown is None:
            self.result.private += 1
            return
        if not shown.version:
            return
        opening = shown.opened
        names = self._names(opening) if self.wanted.names else _NOBODY
        told = rows_of(
            shown,
            log_id=self.partition.log_id,
            match_id=stream_id,
            opened_at=rows[0][0],
            names=names,
            told=discretion(shown, is_trusted=self.wanted.everything),
        )
        self.kept.append((begin, begin + sum(one.version <= shown.version for one in events)))
        self.rows["matches"].append(told.match)
        self.rows["games"] += told.games
        self.rows["turns"] += told.turns
        self.rows["findings"] += told.findings

    def _shown(self, events: list[RecordedEvent]) -> Replay | None:
        """The match as far as it is published; None if it is private."""
        if not self.wanted.everything and not _may_be_public(events):
            return None
        live = Live(events, self.wanted.in_hand)
        if self.wanted.everything:
            return live.replay
        if not live.publicity.is_public:
            return None
        version, delay_ms = live.replay.version, live.publicity.delay_ms
        if delay_ms:
            begun = events[0].global_position
            self.result.delays[delay_ms] = min(self.result.delays.get(delay_ms, begun), begun)
            version = self._received_by(events, self.wanted.before(delay_ms))

        def known_when(version: int) -> int:
            place = events[version - 1].global_position
            raws = self.ledger.contexts(self.partition.log_id, [place])
            return self._received_by(events, (received_at(raws.values()) or 0) - delay_ms)

        return veiled(live.replay.at(as_known(live, version, known_when).told(version)))

    def _received_by(self, events: list[RecordedEvent], moment: int) -> int:
        """Version of the last entry that had come in by a moment; as `Reading` has it."""
        version = events[-1].version
        while version:
            batch = events[max(0, version - _BATCH) : version]
            places = [event.global_position for event in batch]
            raws = self.ledger.contexts(self.partition.log_id, places)
            for place in reversed(places):
                received = received_at([raws[place]] if place in raws else ())
                if received is None or received <= moment:
                    return version
                version -= 1
        return version

    def _names(self, opening: MatchOpened | None) -> BySeat[str | None]:
        """The names that are disclosed; an erased one is not there."""
        if opening is None:
            return _NOBODY
        asked = [one.name.sd for side in opening.players for one in side if one.name is not None]
        raws = self.ledger.disclosures(self.partition.log_id, asked)
        return opening.players.map(lambda side: _named(side, raws))

    def _written(self) -> Part:
        columns = {
            table.name: columns_of(table, self.rows[table.name])
            for table in tables.TABLES
            if table is not tables.EVENTS
        }
        columns["events"] = self._events()
        self.result.rows = {name: len(of_table[0]) for name, of_table in columns.items()}
        self.result.files = {
            table.name: encoded(table, columns[table.name])
            for table in tables.TABLES
            if self.result.rows[table.name]
        }
        return self.result

    def _events(self) -> list[Values]:
        """The entries themselves, in the order of the table's columns."""
        pa = needed("pyarrow")
        if not self.kept:
            return columns_of(tables.EVENTS, ())
        rows = pa.concat_tables(
            [self.entries.slice(begin, end - begin) for begin, end in self.kept]
        )
        sealed = [one for begin, end in self.kept for one in self.sealed[begin:end]]
        decoded = [_SEALED.decode(one) for one in sealed]
        tags = rows.column("tag").to_pylist()
        # What a ballot says is public to nobody, and sealed bytes are shown whole or not at all.
        veils = not self.wanted.everything
        shown = [
            _without_ballot(tag, one.body) if veils else None
            for tag, one in zip(tags, decoded, strict=True)
        ]
        is_veiled = any(one is not None for one in shown)
        return [
            rows.column("stream_id"),
            rows.column("version"),
            rows.column("global_position"),
            rows.column("entry_id"),
            rows.column("tag"),
            rows.column("schema_version"),
            [one.basis for one in decoded],
            [
                bytes(one.body) if body is None else body
                for one, body in zip(decoded, shown, strict=True)
            ],
            [bytes(one) if body is None else None for one, body in zip(sealed, shown, strict=True)]
            if is_veiled
            else rows.column("sealed"),
            rows.column("leaf_hash"),
        ]


class _Sealed(msgspec.Struct, gc=False):
    """What the columns of an entry do not say."""

    basis: str
    body: msgspec.Raw


_SEALED = msgspec.json.Decoder(_Sealed)


def _without_ballot(tag: str, body: msgspec.Raw) -> bytes | None:
    """The body of a ballot without what it says; None of an entry that is none."""
    if tag != "entry.amended" and tag not in BALLOTS:
        return None
    said: dict[str, object] = msgspec.json.decode(body)
    return canonical(without_ballot(tag, said)) if holds_ballot(tag, said) else None


def _runs(values: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """(value, from, to) of equal values side by side."""
    begin = 0
    for index in range(1, len(values) + 1):
        if index == len(values) or values[index] != values[begin]:
            yield values[begin], begin, index
            begin = index


def _may_be_public(events: Iterable[RecordedEvent]) -> bool:
    """Whether anything among the entries could have released the match: no fold is needed else."""
    for event in events:
        match event.payload:
            case PublicationReleased() | EntryAmended():
                return True
            case MatchOpened(publication=terms) if terms is not None and terms.public:
                return True
            case _:
                pass
    return False


def _named(side: Sequence[Player], raws: dict[str, bytes]) -> str | None:
    names = [
        str(opened(raws[player.name.sd])[2])
        for player in side
        if player.name is not None and player.name.sd in raws
    ]
    return " / ".join(names) or None
