"""What only the SQLite store promises: one writer, readers beside it, a full disk survived."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import migrations
from events.errors import (
    BadInput,
    Damaged,
    LedgerError,
    OutcomeUnknown,
    StoreBusy,
    StoreFailed,
)
from events.personal import commitment_of
from events.store import lock, still
from events.store import sqlite as sqlite_module
from events.store.address import FileAddress, ServerAddress, parse_address
from events.store.fsck import fsck
from events.store.lock import WriterLock, has_wal_fault, read_lock
from events.store.opening import open_store
from events.store.protocol import SOUGHT, Unit
from events.store.sqlite import SqliteStore


@pytest.fixture
def path(sqlite_url) -> Path:
    """The database file."""
    return parse_address(sqlite_url).path


@pytest.fixture
def store(sqlite_url, rng):
    """An open SQLite store with an empty log `club`."""
    opened = open_store(sqlite_url, entropy=rng.randbytes)
    opened.open_log("club")
    yield opened
    opened.close()


def settings_of(db: sqlite3.Connection) -> dict[str, object]:
    names = (
        "journal_mode",
        "synchronous",
        "foreign_keys",
        "recursive_triggers",
        "secure_delete",
        "query_only",
        "busy_timeout",
    )
    return {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in names}


def test_writer_and_readers_have_their_settings(store):
    writer = settings_of(store._writer)
    assert writer.pop("busy_timeout") > 0
    assert writer == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "recursive_triggers": 1,
        "secure_delete": 1,
        "query_only": 0,
    }
    with store._reading() as reader:
        assert settings_of(reader)["query_only"] == 1
        with pytest.raises(sqlite3.OperationalError):
            reader.execute("DELETE FROM disclosure")


def test_every_lookup_uses_an_index(store, make_draft):
    store.append("club", "m", [make_draft(name="Ada")])
    seen: list[str] = []

    class Spy:
        def __init__(self, db):
            self.db = db

        def execute(self, sql, parameters=()):
            if sql.startswith("SELECT"):
                rows = self.db.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()
                seen.extend(f"{row[3]} <- {sql}" for row in rows)
            return self.db.execute(sql, parameters)

        def __getattr__(self, name):
            return getattr(self.db, name)

    store._readers[:] = [Spy(reader) for reader in store._readers]
    store._writer = Spy(store._writer)
    event = store.append("club", "m", [make_draft(name="Bob")]).events[0]
    store.log_head("club")
    store.stream_head("club", "m")
    store.streams("club", after="a", limit=1)
    store.read_stream("club", "m", after=1, limit=1)
    list(store.read_log("club", start=1, limit=1))
    store.find_entries("club", [event.entry_id])
    store.disclosures("club", ["0" * 64])
    store.disclosures_of("club", [0, 1])
    store.disclosure_rows("club", after=(0, ""), limit=1)
    scans = [
        step
        for step in seen
        if (step.startswith("SCAN") and "SCAN k VIRTUAL" not in step)
        or ("SEARCH" in step and "PRIMARY KEY (log_id=?)" in step and "log_head" not in step)
    ]
    assert len(seen) > 10
    assert [step for step in scans if "ORDER BY global_position LIMIT" not in step] == []


def test_second_writer_is_refused_and_told_why(store, sqlite_url):
    with pytest.raises(StoreBusy, match=f"process {os.getpid()} is writing"):
        open_store(sqlite_url)
    store.lock.describe(url="http://127.0.0.1:8000")
    with pytest.raises(StoreBusy, match=r"at http://127\.0\.0\.1:8000"):
        open_store(sqlite_url)
    store.close()
    open_store(sqlite_url).close()


def test_lock_tells_other_processes_who_holds_it(path):
    assert read_lock(path) is None
    lock = WriterLock(path).acquire()
    lock.describe(url="http://host:1")
    code = (
        "import sys; from pathlib import Path; from events.store.lock import read_lock;"
        "print(read_lock(Path(sys.argv[1])))"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, path], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert said == str({"pid": os.getpid(), "url": "http://host:1"})
    lock.release()
    lock.release()
    assert read_lock(path) is None


def test_lock_vanishes_with_its_process(path):
    code = (
        "import os, signal, sys; from pathlib import Path;"
        "from events.store.lock import WriterLock;"
        "lock = WriterLock(Path(sys.argv[1])).acquire(); print('held', flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert killed.stdout == "held\n"
    assert killed.returncode == -9
    assert read_lock(path) is None
    WriterLock(path).acquire().release()


@pytest.mark.parametrize(
    ("version", "faulty"),
    [
        ((3, 40, 1), True),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 52, 0), True),
        ((3, 53, 0), False),
    ],
)
def test_version_gate_knows_the_fixed_releases(version, faulty):
    assert has_wal_fault(version) is faulty


def test_reading_works_beside_a_writer_and_after_it(store, sqlite_url, make_draft):
    written = list(store.append("club", "m", [make_draft()]).events)
    reader = open_store(sqlite_url, read_only=True)
    assert list(reader.read_log("club")) == written
    written += store.append("club", "m", [make_draft()]).events
    assert list(reader.read_log("club")) == written
    with pytest.raises(StoreFailed, match="reading only"):
        reader.append("club", "m", [make_draft()])
    with pytest.raises(StoreFailed, match="reading only"):
        reader.open_log("other")
    reader.close()
    store.close()
    for _ in range(2):
        alone = open_store(sqlite_url, read_only=True)
        assert list(alone.read_log("club")) == written
        assert fsck(alone).clean
        alone.close()


def test_archive_on_a_medium_that_cannot_be_written_is_read(
    store, sqlite_url, make_draft, monkeypatch
):
    written = list(store.append("club", "m", [make_draft()]).events)
    opened: list[str] = []

    def connect(uri, pragmas):
        opened.append(uri)
        if "immutable" not in uri:
            refusal = sqlite3.OperationalError("unable to open database file")
            refusal.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise refusal
        return real(uri, pragmas)

    real = sqlite_module._connect
    monkeypatch.setattr(sqlite_module, "_connect", connect)
    # What is still in the write-ahead log would be overlooked.
    with pytest.raises(LedgerError):
        open_store(sqlite_url, read_only=True)
    store.close()
    reader = open_store(sqlite_url, read_only=True)
    assert list(reader.read_log("club")) == written
    assert opened[-1].endswith("?mode=ro&immutable=1")
    reader.close()


def test_a_look_into_a_file_on_such_a_medium_leaves_nothing_beside_it(
    store, sqlite_url, make_draft, monkeypatch
):
    store.append("club", "m", [make_draft()])
    address, real = parse_address(sqlite_url), still._opened

    def opened(uri):
        if "immutable" not in uri:
            refusal = sqlite3.OperationalError("attempt to write a readonly database")
            refusal.sqlite_errorcode = sqlite3.SQLITE_READONLY
            raise refusal
        return real(uri)

    monkeypatch.setattr(still, "_opened", opened)
    with pytest.raises(sqlite3.OperationalError):
        migrations.current(sqlite_url)  # What is in the write-ahead log would be overlooked.
    store.close()
    assert migrations.current(sqlite_url) == migrations.head()
    assert not address.path.with_name(f"{address.path.name}-shm").exists()


def test_readers_see_whole_commits_only(store, sqlite_url, make_draft):
    stop = threading.Event()
    bad: list[int] = []

    def read():
        reader = open_store(sqlite_url, read_only=True)
        while not stop.is_set():
            entries = list(reader.read_log("club"))
            if len(entries) % 3 or [e.global_position for e in entries] != list(
                range(len(entries))
            ):
                bad.append(len(entries))
        reader.close()

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        for _ in range(60):
            store.append("club", "m", [make_draft() for _ in range(3)])
        stop.set()
        for done in readers:
            done.result()
    assert bad == []


def test_full_disk_is_a_clean_refusal(store, make_draft):
    # P9: SQLite rolls back by itself; a second ROLLBACK must not kill the writer.
    store.append("club", "m", [make_draft()])
    pages = store._writer.execute("PRAGMA page_count").fetchone()[0]
    store._writer.execute(f"PRAGMA max_page_count={pages}")
    fat = [make_draft(body=b'{"note":"%b"}' % (b"x" * 30_000)) for _ in range(3)]
    with pytest.raises(StoreFailed, match="full"):
        store.append("club", "m", fat)
    units = [Unit(log_id="club", stream_id="n", drafts=(draft,)) for draft in fat]
    assert all(isinstance(answer, StoreFailed) for answer in store.append_units(units))
    assert store.log_head("club").size == 1
    assert fsck(store).clean
    store._writer.execute("PRAGMA max_page_count=1000000")
    assert not store.append("club", "m", fat).duplicate
    assert store.log_head("club").size == 4
    assert fsck(store).clean


class FailingCommit:
    """A connection whose next COMMIT fails, after the commit or instead of it."""

    def __init__(self, db, *, really: bool, error: BaseException | None = None) -> None:
        self._db = db
        self._really = really
        self._error = error or sqlite3.OperationalError("disk I/O error")

    def execute(self, sql, parameters=()):
        if sql == "COMMIT":
            if self._really:
                self._db.execute(sql)
            raise self._error
        return self._db.execute(sql, parameters)

    def __getattr__(self, name):
        return getattr(self._db, name)


@pytest.mark.parametrize("really", [True, False], ids=["committed", "lost"])
def test_outcome_of_a_failed_commit_is_unknown_and_the_retry_tells(store, make_draft, really):
    # P8: after a flush that reported an error the row may be there after all.
    first = make_draft()
    store.append("club", "m", [first])
    store._writer = FailingCommit(store._writer, really=really)
    drafts = [make_draft(), make_draft()]
    units = [Unit(log_id="club", stream_id="m", drafts=(draft,)) for draft in drafts]
    answers = store.append_units(units)
    assert [type(answer) for answer in answers] == [OutcomeUnknown, OutcomeUnknown]
    again = store.append_units(units)
    assert [answer.duplicate for answer in again] == [really, really]
    assert [answer.events[0].version for answer in again] == [2, 3]
    assert store.log_head("club").size == 3
    assert fsck(store).clean


def test_ctrl_c_in_a_commit_is_no_fault_of_the_database(store, make_draft):
    """A command that was stopped said that its commit had failed, and did not say why."""
    draft = make_draft()
    store.append("club", "m", [make_draft()])
    store._writer = FailingCommit(store._writer, really=True, error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        store.append("club", "m", [draft])
    assert store.append("club", "m", [draft]).duplicate
    assert fsck(store).clean


def test_global_positions_are_not_reused_after_the_last_row_is_gone(store, path, make_draft):
    # P4: the position comes from the head row, not from what rows there are.
    store.append("club", "m", [make_draft(), make_draft()])
    db = sqlite3.connect(path)
    db.execute("DROP TRIGGER event_no_delete")
    db.execute("DELETE FROM event WHERE log_id = 'club' AND global_position = 1")
    db.commit()
    db.close()
    assert store.append("club", "m", [make_draft()]).events[0].global_position == 2
    assert "position-gap" in {finding.code for finding in fsck(store).findings}


def test_two_connections_never_fail_an_upgrade_of_their_transaction(store, sqlite_url, make_draft):
    # P3: a deferred BEGIN that reads and then writes fails at once, whatever the busy timeout.
    # The lock keeps a second store out; without it, the database alone keeps them apart.
    store.append("club", "m", [make_draft()])
    store.lock.release()
    store.is_only_writer = False
    other = unlocked(sqlite_url)
    drafts = [[make_draft() for _ in range(40)] for _ in range(2)]

    def hand(where, mine):
        return [where.append("club", "m", [draft]).events[0].version for draft in mine]

    with ThreadPoolExecutor(2) as hands:
        versions = list(hands.map(hand, [store, other], drafts))
    other.close()
    assert sorted(versions[0] + versions[1]) == list(range(2, 82))
    assert fsck(store).clean


def test_reads_of_an_append_are_inside_its_transaction(store, path, sqlite_url, make_draft):
    # P2: with the unique keys gone, only the transaction keeps versions apart.
    db = sqlite3.connect(path, isolation_level=None)
    for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    for table, keys in (("event", "log_id, stream_id, version"), ("disclosure", "log_id")):
        columns = [row[1:3] for row in db.execute(f"PRAGMA table_info({table})")]
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
        db.execute(f"CREATE TABLE {table} ({', '.join(f'{n} {k}' for n, k in columns)})")
        db.execute(f"CREATE INDEX {table}_plain ON {table} ({keys})")
    db.close()
    store.lock.release()
    store.is_only_writer = False
    stores = [store, *(unlocked(sqlite_url) for _ in range(5))]
    drafts = [[make_draft() for _ in range(15)] for _ in stores]

    def hand(where, mine):
        for draft in mine:
            where.append("club", "m", [draft])

    with ThreadPoolExecutor(6) as hands:
        list(hands.map(hand, stores, drafts))
    for other in stores[1:]:
        other.close()
    assert [e.version for e in store.read_stream("club", "m")] == list(range(1, 91))


def unlocked(url: str) -> SqliteStore:
    """A store on the file that keeps no other out, as if there were no lock."""
    store = open_store(url)
    assert isinstance(store, SqliteStore)
    store.lock.release()
    store.is_only_writer = False
    return store


def test_erased_name_is_in_no_byte_of_the_files(store, path, make_draft):
    draft = make_draft(name="Zenobia of Palmyra")
    store.append("club", "m", [draft])
    files = [path, path.with_name(path.name + "-wal")]
    assert any(b"Zenobia" in file.read_bytes() for file in files)
    assert store.erase_disclosure("club", commitment_of(draft.disclosures[0]))
    assert not any(b"Zenobia" in file.read_bytes() for file in files)
    assert not fsck(store).wrong_in_a_copy


def test_it_does_not_call_the_files_cleared_while_somebody_reads_an_older_state(
    store, path, make_draft
):
    draft = make_draft(name="Zenobia of Palmyra")
    store.append("club", "m", [draft])
    store._writer.execute("PRAGMA busy_timeout=0")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM disclosure").fetchone()
    assert store.erase_disclosure("club", commitment_of(draft.disclosures[0]))
    files = [path, path.with_name(path.name + "-wal")]
    assert not store.scrub()
    assert any(b"Zenobia" in file.read_bytes() for file in files)
    reader.close()
    assert store.scrub()
    assert not any(b"Zenobia" in file.read_bytes() for file in files)


class FailingDisk:
    """A connection whose file cannot be written to."""

    def execute(self, sql: str) -> None:
        raise sqlite3.OperationalError("disk I/O error")


def test_what_is_erased_is_erased_though_the_disk_fails_before_its_bytes_are_overwritten(
    store, make_draft, monkeypatch
):
    draft = make_draft(name="Zenobia of Palmyra")
    store.append("club", "m1", [draft])
    clear = store._after_erasure
    monkeypatch.setattr(store, "_after_erasure", lambda db: clear(FailingDisk()))
    assert store.erase_disclosure("club", commitment_of(draft.disclosures[0]))
    assert not store.is_scrubbed
    monkeypatch.undo()
    assert store.scrub()
    assert not fsck(store).wrong_in_a_copy


def test_a_lock_file_that_cannot_be_written_is_told_and_lets_go_of_the_archive(
    sqlite_url, path, monkeypatch
):
    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", fail)
        with pytest.raises(StoreFailed, match="No space left"):
            open_store(sqlite_url)
    open_store(sqlite_url).close()


@pytest.mark.parametrize("tag", SOUGHT)
def test_entries_that_are_sought_by_tag_come_from_an_index_of_theirs(store, path, tag):
    asked = []
    db = sqlite3.connect(path)
    db.set_trace_callback(asked.append)
    store._readers.append(db)
    store.read_tagged("club", tag)
    [question] = [one for one in asked if "FROM event" in one]
    plan = " ".join(str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {question}"))
    assert "event_sought" in plan
    assert "SCAN event" not in plan


def test_broken_file_is_reported_as_damage(tmp_path):
    (tmp_path / "broken.db").write_bytes(b"this is no database, and never was one" * 200)
    with pytest.raises(Damaged):
        open_store(str(tmp_path / "broken.db"))


def test_closed_store_refuses(store, make_draft):
    store.close()
    store.close()
    with pytest.raises(StoreFailed):
        store.append("club", "m", [make_draft()])
    with pytest.raises(StoreFailed):
        store.logs()


def test_addresses_are_read_from_urls():
    assert parse_address("sqlite:///a/b.db") == FileAddress(Path("a/b.db"))
    assert parse_address("sqlite:////a/b%20c.db") == FileAddress(Path("/a/b c.db"))
    assert parse_address("/a/b.db") == FileAddress(Path("/a/b.db"))
    assert parse_address("postgres://u@h/d") == ServerAddress("postgresql://u@h/d")
    no_files = ("/", ".", "sqlite:////", "sqlite:///.", "sqlite:///a%00b")
    for wrong in ("", "sqlite://", "sqlite://host", "mysql://x/y", *no_files):
        with pytest.raises(BadInput):
            parse_address(wrong)


def test_path_may_hold_characters_that_a_uri_escapes(tmp_path, make_draft):
    path = tmp_path / "a b?c#d%e.db"
    migrations.upgrade(str(path))
    store = open_store(str(path))
    store.open_log("club")
    assert not store.append("club", "m", [make_draft()]).duplicate
    store.close()
    assert path.stat().st_size > 0


def test_a_lock_file_that_its_holder_deletes_while_another_waits_for_it_locks_nothing(
    tmp_path, monkeypatch
):
    held = WriterLock(tmp_path / "report").acquire()
    real = lock.try_lock

    def tried(fd):
        if held.path.exists() and held._fd is not None:
            # As those do who leave nothing behind: publications, reports.
            held.path.unlink()
            held.release()
        return real(fd)

    monkeypatch.setattr(lock, "try_lock", tried)
    second = WriterLock(tmp_path / "report").acquire()
    with pytest.raises(StoreBusy):
        WriterLock(tmp_path / "report").acquire()
    second.release()
