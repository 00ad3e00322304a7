"""A publication: the archive as a folder of Parquet files, with a dictionary and a manifest.

    DIR/manifest.json                            what was published, of which logs, as it stood
    DIR/dictionary.json, DICTIONARY.md           what every table and column says
    DIR/turns/log=club-2026/part-00000.parquet   rows of one table and one log

No file holds the time: the same archive gives the same bytes.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import orjson

from api.archive.known import size_known
from api.publishing import tables
from api.publishing.engines import Engine
from api.publishing.extras import needed
from api.publishing.folder import put_file, replacing
from api.publishing.ledger import reading
from api.publishing.partitions import Part, Partition, Wanted, empty, folded, planned
from events.envelope import ARCHIVE_LOG
from events.sealing import merkle
from events.store.protocol import EventStore, LogHead

MANIFEST = "manifest.json"
FORMAT = "tabularium-publication"
FORMAT_VERSION = 1

_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


class Plan(msgspec.Struct, frozen=True):
    """What is to be done, and where the logs stand; later entries are left out."""

    wanted: Wanted
    heads: list[LogHead]
    partitions: list[Partition]
    always: frozenset[str]
    """Logs that are written even where nothing of them is published."""


class Published(msgspec.Struct, kw_only=True):
    """What was written."""

    manifest: dict[str, object]
    """The content of `manifest.json`."""
    rows: dict[str, int]
    """Table to rows, over all logs."""
    private: int = 0
    """Matches left out because the public may not read them."""
    unreadable: list[tuple[str, str, str]] = msgspec.field(default_factory=list)
    """Matches left out because they cannot be read: (log id, match id, why)."""


def plan_of(store: EventStore, wanted: Wanted, *, log_id: str | None = None) -> Plan:
    """The plan for the whole archive, or for one log of it. Errors: NoSuchLog."""
    heads = store.logs() if log_id is None else [store.log_head(log_id)]
    partitions = [part for head in heads for part in planned(store, head, wanted)]
    # A table without a file cannot be opened: the log that every archive has is always there.
    return Plan(wanted, heads, partitions, frozenset({log_id or ARCHIVE_LOG}))


def publish(
    plan: Plan, target: Path, engine: Engine, *, told: Callable[[int], None] = lambda entries: None
) -> Published:
    """Write what is planned into `target`, whole or not at all; `told` hears how it goes on.

    The store that made the plan is closed before (see `ledger.py`). Errors: LedgerError, OSError.
    """
    needed("pyarrow.parquet")
    with replacing(target, mark=MANIFEST) as folder:
        writer = _Writer(folder, plan)
        for part in engine.map(folded, plan.partitions):
            writer.take(part)
            told(part.partition.entries)
        return writer.done()


class _Writer:
    """Puts parts into the folder as they come, and counts them."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder = folder
        self.plan = plan
        self.files: dict[str, dict[str, object]] = {}
        self.logs: dict[str, dict[str, dict[str, int]]] = {}
        """Log to its rows by table."""
        self.left_out: dict[str, int] = {}
        """Log to private matches left out of it."""
        self.delays: dict[str, dict[int, int]] = {}
        """Log to the delays of its public matches, as in `Part`."""
        self.published = Published(manifest={}, rows={table.name: 0 for table in tables.TABLES})

    def take(self, part: Part) -> None:
        """Write one part."""
        log_id = part.partition.log_id
        self.left_out[log_id] = self.left_out.get(log_id, 0) + part.private
        delays = self.delays.setdefault(log_id, {})
        for delay_ms, begun in part.delays.items():
            delays[delay_ms] = min(delays.get(delay_ms, begun), begun)
        self.published.private += part.private
        self.published.unreadable += [(log_id, *one) for one in part.unreadable]
        if part.rows["events"]:
            self._put(part)

    def _put(self, part: Part) -> None:
        log_id = part.partition.log_id
        if log_id not in self.logs:
            self._begin(log_id, part.partition)
        rows = self.logs[log_id]["rows"]
        for table, content in part.files.items():
            self._file(f"{table}/log={log_id}/part-{part.partition.number:05}.parquet", content)
        for table, count in part.rows.items():
            rows[table] += count
            self.published.rows[table] += count

    def _begin(self, log_id: str, partition: Partition) -> None:
        """The log's folders, each with the first part: without a row until it comes."""
        self.logs[log_id] = {"rows": {table.name: 0 for table in tables.TABLES}}
        for table, content in empty(partition).files.items():
            self._file(f"{table}/log={log_id}/part-{partition.number:05}.parquet", content)

    def _file(self, name: str, content: bytes) -> None:
        put_file(self.folder / name, content)
        self.files[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}

    def done(self) -> Published:
        """Write the rest: the logs that are always there, dictionary and manifest."""
        plan = self.plan
        for head in plan.heads:
            if head.log_id in plan.always and head.log_id not in self.logs:
                self._begin(head.log_id, _nothing(plan.wanted, head))
        self._file("dictionary.json", orjson.dumps(tables.dictionary(), option=_OPTIONS))
        self._file("DICTIONARY.md", _dictionary_text().encode())
        manifest = self.manifest(plan.heads)
        put_file(self.folder / MANIFEST, orjson.dumps(manifest, option=_OPTIONS))
        self.published.manifest = manifest
        return self.published

    def manifest(self, heads: Sequence[LogHead]) -> dict[str, object]:
        """The manifest: which logs were published, at which sizes, by which program."""
        unreadable = self.published.unreadable
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "program": importlib.metadata.version("tabularium-backgammon"),
            "tables_version": tables.TABLES_VERSION,
            "matches": "all" if self.plan.wanted.everything else "public",
            "names": "disclosed" if self.plan.wanted.names else "withheld",
            "logs": {
                head.log_id: {
                    **self._standing(head),
                    **self.logs[head.log_id],
                    "private": self.left_out.get(head.log_id, 0),
                    "unreadable": sum(log_id == head.log_id for log_id, _, _ in unreadable),
                }
                for head in heads
                if head.log_id in self.logs
            },
            "files": dict(sorted(self.files.items())),
        }

    def _standing(self, head: LogHead) -> dict[str, object]:
        """Size and root of a log, as far as those who get the publication may know them.

        Who has no grant over a log learns them over HTTP by the same rule (`routes/shared/due.py`):
        not at all of a log in which nothing is public, and of the others behind their delays.
        """
        size, root = head.size, head.root
        if not self.plan.wanted.everything:
            if not any(self.logs[head.log_id]["rows"].values()):
                return {"size": None, "root": None}
            if delays := self.delays.get(head.log_id):
                size, root = _known(self.plan.wanted, head, delays)
        return {"size": size, "root": root.hex()}


def _known(wanted: Wanted, head: LogHead, delays: Mapping[int, int]) -> tuple[int, bytes]:
    """Size and root of what everybody knows of a log with such delays. Reads the ledger."""
    with reading(wanted.url) as ledger:
        size = size_known(
            head.size, delays, wanted.before, lambda place: ledger.received(head.log_id, place)
        )
        frontier: list[bytes] = []
        for place, leaf in enumerate(ledger.leaf_hashes(head.log_id, size)):
            merkle.push(frontier, place, leaf)
    return size, merkle.frontier_root(frontier)


def _nothing(wanted: Wanted, head: LogHead) -> Partition:
    return Partition(
        wanted=wanted, log_id=head.log_id, number=0, first="", last="", size=head.size, entries=0
    )


def _dictionary_text() -> str:
    return f"# What the tables say\n\n{tables.described()}"
