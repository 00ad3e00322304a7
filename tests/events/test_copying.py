"""A ledger copied into another one: the same bytes at the same places, however it was stopped."""

from __future__ import annotations

import itertools
import sqlite3

import pytest

from events.errors import Damaged, RolledBack, Unverified
from events.store import sql_copying
from events.store.address import parse_address
from events.store.fsck import fsck
from events.store.opening import open_store
from tests.events.test_journal_contract import Chain

WAYS = [
    pytest.param((one, other), id=f"{one}-to-{other}")
    for one, other in itertools.product(("sqlite", "postgres"), repeat=2)
    if (one, other) != ("postgres", "postgres")
]

EVERYTHING = (
    ("log_head", "log_id"),
    ("stream_head", "log_id, stream_id"),
    ("event", "log_id, global_position"),
    ("disclosure", "log_id, global_position, commitment"),
    ("checkpoint", "log_id, size"),
    ("checkpoint_token", "log_id, size"),
    ("checkpoint_signature", "log_id, size, signer"),
    ("device_cursor", "log_id, device_id, epoch"),
    ("journal", "log_id, id"),
    ("journal_outcome", "log_id, journal_id"),
)


@pytest.fixture
def opened():
    stores = []

    def open_it(url):
        stores.append(open_store(url))
        return stores[-1]

    yield open_it
    for store in stores:
        store.close()


@pytest.fixture
def another_sqlite(_sqlite_template, tmp_path):
    path = tmp_path / "copy.db"
    path.write_bytes(_sqlite_template.read_bytes())
    return f"sqlite:///{path}"


@pytest.fixture
def pair(request, opened, another_sqlite):
    """(source, target), each an open store of the kind asked for."""
    one, other = request.param if hasattr(request, "param") else ("sqlite", "sqlite")
    source = opened(request.getfixturevalue(f"{one}_url"))
    target = opened(
        another_sqlite
        if (one, other) == ("sqlite", "sqlite")
        else request.getfixturevalue(f"{other}_url")
    )
    return source, target


def contents(store):
    """Every row of every table, in order: what two archives must have alike."""
    with store.snapshot() as db:
        return {
            table: [
                tuple(bytes(one) if isinstance(one, memoryview) else one for one in row)
                for row in store._run(
                    db, f"SELECT {', '.join(columns_of(table))} FROM {table} ORDER BY {order}"
                ).fetchall()
            ]
            for table, order in EVERYTHING
        }


def columns_of(table):
    from events.store.tables import METADATA

    return [column.name for column in METADATA.tables[table].columns]


def filled(store, make_draft):
    """Two logs with several streams, names, a journal with a parked draft, signed checkpoints."""
    store.open_log("club")
    store.open_log("open")
    for number in range(12):
        store.append("club", f"m{number % 3}", [make_draft(name=f"Ada {number}"), make_draft()])
        store.append("open", "tournament", [make_draft()])
    chain = Chain(make_draft)
    store.take_in(chain.intake(*[chain.draft(name="Bo") for _ in range(5)]))
    store.take_in(chain.parked(chain.draft(name="Cy")))
    for size in (3, 9):
        store.keep_checkpoint("club", size, b"note %d" % size)
    store.keep_signatures("club", 9, {"w+1": b"line"})
    store.keep_token("club", 9, b"stamp")


@pytest.mark.parametrize("pair", WAYS, indirect=True)
def test_every_row_of_every_table_is_there_alike(pair, make_draft, monkeypatch):
    monkeypatch.setattr(sql_copying, "PAGE", 4)
    source, target = pair
    filled(source, make_draft)
    copied = target.take_copy(source)
    assert copied.added == 41
    rows = contents(source)
    assert all(rows.values())
    assert contents(target) == rows
    assert target.log_head("club").root == source.log_head("club").root
    assert fsck(target).findings == fsck(source).findings
    # The copy is an archive like any other.
    target.append("club", "m0", [make_draft()], expected_version=8)


@pytest.mark.parametrize("pair", WAYS, indirect=True)
def test_a_copy_takes_what_is_new_and_loses_what_was_erased(pair, make_draft, monkeypatch):
    monkeypatch.setattr(sql_copying, "PAGE", 4)
    source, target = pair
    filled(source, make_draft)
    target.take_copy(source)
    source.append("club", "m9", [make_draft(name="Di")])
    gone = [row[2] for row in contents(source)["disclosure"] if row[4] == "body"][:3]
    assert source.erase_disclosures("club", gone) == 3
    copied = target.take_copy(source)
    assert (copied.added, copied.erased) == (1, 3)
    assert contents(target) == contents(source)
    again = target.take_copy(source)
    assert (again.added, again.erased) == (0, 0)


@pytest.mark.parametrize("at_once", [False, True], ids=["page by page", "at once"])
def test_what_was_erased_is_in_no_byte_of_the_copys_files(pair, make_draft, at_once):
    source, target = pair
    filled(source, make_draft)
    target.take_copy(source)
    gone = [row for row in contents(source)["disclosure"] if b'"Ada 5"' in row[5]]
    files = [
        target.address.path,
        target.address.path.with_name(f"{target.address.path.name}-wal"),
    ]

    def held():
        return [row for row in gone if any(row[5] in file.read_bytes() for file in files)]

    assert held() == gone
    source.erase_disclosures("club", [row[2] for row in gone])
    target.take_copy(source, at_once=at_once)
    assert not held()


@pytest.mark.parametrize("pair", WAYS, indirect=True)
def test_a_copy_that_was_stopped_anywhere_is_gone_on_with(pair, make_draft, monkeypatch):
    monkeypatch.setattr(sql_copying, "PAGE", 4)
    source, target = pair
    filled(source, make_draft)
    commits, commit, reaches = 0, target._commit, 0

    def stop_later_each_time(db):
        nonlocal commits
        commit(db)
        commits += 1
        if commits == reaches:
            raise KeyboardInterrupt

    monkeypatch.setattr(target, "_commit", stop_later_each_time)
    for tries in itertools.count(1):
        commits, reaches = 0, 3 * tries
        try:
            target.take_copy(source)
            break
        except KeyboardInterrupt:
            assert tries < 100
    assert tries > 3
    assert contents(target) == contents(source)


def test_a_copy_at_once_is_the_old_one_or_the_new_one(pair, make_draft, monkeypatch):
    monkeypatch.setattr(sql_copying, "PAGE", 4)
    source, target = pair
    filled(source, make_draft)
    target.take_copy(source)
    before = contents(target)
    for _ in range(20):
        source.append("club", "m1", [make_draft(name="Eve")])
    inserts, insert = itertools.count(1), target._insert

    def fail_late(*arguments, **more):
        if next(inserts) == 9:
            raise sqlite3.OperationalError("the disk is full")
        insert(*arguments, **more)

    monkeypatch.setattr(target, "_insert", fail_late)
    with pytest.raises(Exception, match="the disk is full"):
        target.take_copy(source, at_once=True)
    assert contents(target) == before
    target.take_copy(source, at_once=True)
    assert contents(target) == contents(source)


def test_what_is_written_meanwhile_is_in_no_half_of_the_copy(pair, make_draft, monkeypatch):
    monkeypatch.setattr(sql_copying, "PAGE", 4)
    source, target = pair
    filled(source, make_draft)
    before, insert = contents(source), target._insert

    def insert_and_write(*arguments, **more):
        insert(*arguments, **more)
        source.append("open", "tournament", [make_draft(name="Flo")])

    monkeypatch.setattr(target, "_insert", insert_and_write)
    target.take_copy(source)
    assert contents(target) == before
    assert source.log_head("open").size > target.log_head("open").size


def test_nothing_goes_over_another_archive_nor_over_a_longer_one(pair, make_draft):
    source, target = pair
    filled(source, make_draft)
    target.take_copy(source)
    target.append("club", "m0", [make_draft()])
    with pytest.raises(RolledBack, match="an older archive stands in its place"):
        target.take_copy(source)
    source.append("club", "m0", [make_draft()])
    with pytest.raises(Unverified, match="another archive"):
        target.take_copy(source)
    target.open_log("elsewhere")
    with pytest.raises(Unverified, match="log elsewhere is there"):
        target.take_copy(source)


def test_a_changed_byte_is_copied_nowhere(pair, make_draft, sqlite_url):
    source, target = pair
    filled(source, make_draft)
    db = sqlite3.connect(parse_address(sqlite_url).path)
    db.execute("DROP TRIGGER event_no_update")
    db.execute(
        "UPDATE event SET sealed = CAST(replace(sealed, 'observed', 'agreed') AS BLOB)"
        " WHERE log_id = 'open'"
    )
    db.commit()
    db.close()
    with pytest.raises(Damaged, match="position 0"):
        target.take_copy(source)
