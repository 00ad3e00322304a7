"""fsck finds every change of a stored byte, whatever column or row it is in."""

from __future__ import annotations

import random
import sqlite3

import orjson
import pytest

from events.canonical import canonical
from events.sealing.merkle import leaf_hash
from events.store import audited
from events.store.address import parse_address
from events.store.fsck import FINDING_CODES, MAX_FINDINGS, fsck
from events.store.opening import open_store

TABLES = ("log_head", "stream_head", "event", "disclosure")


@pytest.fixture
def path(sqlite_url, make_draft, rng):
    """An archive of two logs and four streams, its guards taken away."""
    store = open_store(sqlite_url, entropy=rng.randbytes)
    for log_id in ("club", "open"):
        store.open_log(log_id)
        for at in range(12):
            name = "Ada Lovelace" if at % 3 == 0 else None
            store.append(log_id, f"m{at % 2}", [make_draft(name=name), make_draft()])
    store.close()
    where = parse_address(sqlite_url).path
    db = sqlite3.connect(where)
    triggers = [n for (n,) in db.execute("SELECT name FROM sqlite_schema WHERE type='trigger'")]
    for trigger in triggers:
        db.execute(f"DROP TRIGGER {trigger}")
    db.commit()
    db.close()
    return where


@pytest.fixture
def db(path):
    """A connection without the guards."""
    made = sqlite3.connect(path, isolation_level=None)
    made.execute("PRAGMA ignore_check_constraints=ON")
    yield made
    made.close()


def audit(path):
    store = open_store(str(path), read_only=True)
    report = fsck(store)
    store.close()
    return report


def codes(path):
    return {finding.code for finding in audit(path).findings}


def test_untouched_archive_is_clean(path):
    report = audit(path)
    assert report.clean
    assert (report.logs, report.entries, report.disclosures) == (2, 48, 56)


# The change, and what has to be found, by column.
CHANGES = """
UPDATE event SET sealed = x'7b7d' WHERE global_position = 5 -> leaf-hash not-canonical log-head
UPDATE event SET leaf_hash = zeroblob(32) WHERE global_position = 5 -> leaf-hash
UPDATE event SET draft_sha256 = zeroblob(32) WHERE global_position = 5 -> draft-hash
UPDATE event SET tag = 'dice.voided' WHERE global_position = 5 -> column
UPDATE event SET schema_version = 2 WHERE global_position = 5 -> column
UPDATE event SET entry_id = 'x' WHERE global_position = 5 -> column
UPDATE event SET version = 99 WHERE global_position = 5 -> column chain
UPDATE event SET stream_id = 'm9' WHERE global_position = 5 -> column chain
UPDATE event SET log_id = 'new' WHERE log_id = 'club' AND version = 5 -> position-gap log-head
UPDATE event SET global_position = 500 WHERE global_position = 5 -> position-gap log-head
DELETE FROM event WHERE global_position = 5 -> position-gap log-head chain
DELETE FROM event WHERE global_position = 23 -> log-head stream-head
DELETE FROM log_head WHERE log_id = 'open' -> log-head
UPDATE log_head SET size = size - 1 -> log-head
UPDATE log_head SET size = size + 1 -> log-head
UPDATE log_head SET frontier = zeroblob(64) -> log-head
UPDATE log_head SET frontier = x'' -> log-head
UPDATE stream_head SET version = version - 1 WHERE stream_id = 'm1' -> stream-head
UPDATE stream_head SET version = version + 1 WHERE stream_id = 'm1' -> stream-head
UPDATE stream_head SET head_hash = zeroblob(32) WHERE stream_id = 'm1' -> stream-head
DELETE FROM stream_head WHERE stream_id = 'm1' -> stream-head
INSERT INTO stream_head VALUES ('club', 'ghost', 1, zeroblob(32), 'open') -> stream-head
UPDATE disclosure SET raw = CAST(replace(raw, 'Ada', 'Eve') AS BLOB) -> disclosure-hash
UPDATE disclosure SET name = 'other' WHERE name = 'player' -> disclosure-hash
UPDATE disclosure SET commitment = 'x' || commitment -> disclosure-hash disclosure-place
UPDATE disclosure SET global_position = global_position + 1 WHERE class = 'body' -> disclosure-place
UPDATE disclosure SET global_position = 900 WHERE name = 'player' -> disclosure-place
UPDATE disclosure SET global_position = -3 WHERE name = 'player' -> disclosure-place
UPDATE disclosure SET class = 'body' WHERE name = 'context' -> disclosure-place
DELETE FROM disclosure WHERE name = 'player' -> disclosure-missing
DELETE FROM disclosure WHERE name = 'context' AND global_position = 7 -> withheld
INSERT INTO disclosure VALUES ('ghost', 0, 'a', 'b', 'body', x'00') -> log-head disclosure-place
"""


@pytest.mark.parametrize("line", CHANGES.strip().splitlines())
def test_every_kind_of_change_is_named(path, db, line):
    change, expected = line.split(" -> ")
    db.execute(change)
    found = codes(path)
    assert set(expected.split()) <= found
    assert found <= FINDING_CODES.keys()


def test_an_entry_without_any_value_may_have_come_so_and_is_told_all_the_same(path, db):
    db.execute("DELETE FROM disclosure WHERE global_position = 0")
    report = audit(path)
    assert [one.code for one in report.findings] == ["withheld"] * 4
    assert report.clean


def test_what_was_erased_is_not_missing_and_what_is_left_of_it_is_found(path, db, make_draft):
    where = "log_id = 'club' AND name = 'player' AND global_position = 0"
    row = db.execute(f"SELECT * FROM disclosure WHERE {where}").fetchone()
    [(mark,)] = db.execute(f"SELECT commitment FROM disclosure WHERE {where}").fetchall()
    store = open_store(str(path))
    erased = make_draft(tag="disclosure.erased", body=canonical({"commitments": [mark]}))
    store.append("club", "tournament", [erased])
    assert fsck(store).findings == ()
    store.close()
    db.execute("INSERT INTO disclosure VALUES (?, ?, ?, ?, ?, ?)", row)
    assert codes(path) == {"not-erased"}


def test_swapped_rows_are_found(path, db):
    # Two entries of different streams trade their places in the log: both chains still hold.
    a, b = 9, 10
    for old, new in ((a, 900), (b, a), (900, b)):
        db.execute("UPDATE event SET global_position = ? WHERE global_position = ?", (new, old))
        db.execute(
            "UPDATE disclosure SET global_position = ? WHERE global_position = ?", (new, old)
        )
    assert codes(path) == {"log-head"}


def test_swapped_sealed_bytes_are_found(path, db):
    rows = db.execute(
        "SELECT sealed, leaf_hash FROM event WHERE log_id = 'club' AND global_position IN (8, 10)"
        " ORDER BY global_position"
    ).fetchall()
    for at, (sealed, leaf) in zip((10, 8), rows, strict=True):
        db.execute(
            "UPDATE event SET sealed = ?, leaf_hash = ?"
            " WHERE log_id = 'club' AND global_position = ?",
            (sealed, leaf, at),
        )
    assert {"column", "chain", "log-head"} <= codes(path)


def test_refitted_entry_is_given_away_by_the_next_and_by_the_tree(path, db):
    [sealed] = db.execute(
        "SELECT sealed FROM event WHERE log_id = 'club' AND global_position = 5"
    ).fetchone()
    members = orjson.loads(sealed)
    members["body"]["dice"] = [6, 6]
    forged = orjson.dumps(members, option=orjson.OPT_SORT_KEYS)
    db.execute(
        "UPDATE event SET sealed = ?, leaf_hash = ? WHERE log_id = 'club' AND global_position = 5",
        (forged, leaf_hash(forged)),
    )
    assert {"draft-hash", "chain", "log-head"} <= codes(path)


@pytest.mark.parametrize("column", ["sealed", "leaf_hash", "draft_sha256"])
def test_any_flipped_bit_of_an_entry_is_found(path, db, column):
    chance = random.Random(column)
    rows = db.execute(f"SELECT log_id, global_position, {column} FROM event").fetchall()
    for log_id, at, value in chance.sample(rows, 25):
        bit = chance.randrange(len(value) * 8)
        flipped = bytearray(value)
        flipped[bit // 8] ^= 1 << bit % 8
        sql = f"UPDATE event SET {column} = ? WHERE log_id = ? AND global_position = ?"
        db.execute(sql, (bytes(flipped), log_id, at))
        report = audit(path)
        assert at in {f.global_position for f in report.findings if f.log_id == log_id}, bit
        db.execute(sql, (value, log_id, at))
    assert audit(path).clean


def test_any_flipped_bit_of_a_disclosure_or_a_head_is_found(path, db):
    chance = random.Random("heads")
    for table, column, key in (
        ("disclosure", "raw", "commitment"),
        ("log_head", "frontier", "log_id"),
        ("stream_head", "head_hash", "stream_id"),
    ):
        rows = db.execute(f"SELECT log_id, {key}, {column} FROM {table}").fetchall()
        for log_id, name, value in rows[:20]:
            bit = chance.randrange(len(value) * 8)
            flipped = bytearray(value)
            flipped[bit // 8] ^= 1 << bit % 8
            sql = f"UPDATE {table} SET {column} = ? WHERE log_id = ? AND {key} = ?"
            db.execute(sql, (bytes(flipped), log_id, name))
            assert not audit(path).clean, (table, bit)
            db.execute(sql, (value, log_id, name))
    assert audit(path).clean


@pytest.mark.parametrize("flips", [40, pytest.param(1_500, marks=pytest.mark.long)])
def test_rotten_file_is_never_read_as_something_else(path, flips):
    # P11: what SQLite's own integrity_check calls fine. A flip may lie in an index, in free space
    # or in a table that is not the ledger's; then every entry must still read as it was sealed.
    store = open_store(str(path), read_only=True)
    whole = {log: list(store.read_log(log)) for log in ("club", "open")}
    store.close()
    good = path.read_bytes()
    chance = random.Random(7)
    seen = 0
    for _ in range(flips):
        rotten = bytearray(good)
        bit = chance.randrange(100 * 8, len(good) * 8)
        rotten[bit // 8] ^= 1 << bit % 8
        path.write_bytes(rotten)
        try:
            store = open_store(str(path), read_only=True)
        except Exception:
            seen += 1
            continue
        report = fsck(store)
        if report.clean:
            assert {log: list(store.read_log(log)) for log in whole} == whole, bit
            for log, events in whole.items():
                ids = [event.entry_id for event in events]
                assert len(store.find_entries(log, ids)) == len(ids), bit
        else:
            seen += 1
        store.close()
    assert seen > 0


def test_findings_are_capped_and_counted(sqlite_url, make_draft):
    store = open_store(sqlite_url)
    store.open_log("club")
    store.append("club", "m", [make_draft() for _ in range(MAX_FINDINGS + 50)])
    store.close()
    db = sqlite3.connect(parse_address(sqlite_url).path)
    db.execute("DROP TRIGGER event_no_update")
    db.execute("UPDATE event SET draft_sha256 = x'00'")
    db.commit()
    db.close()
    report = audit(parse_address(sqlite_url).path)
    assert (len(report.findings), report.suppressed) == (MAX_FINDINGS, 50)
    assert report.entries == MAX_FINDINGS + 50


def test_progress_is_told(store, make_draft):
    store.append("club", "m", [make_draft() for _ in range(1_200)])
    told = []
    assert fsck(store, lambda done, total: told.append((done, total))).clean
    assert told[-1] == (1_200, 1_200)
    assert len(told) > 1


def test_streams_met_long_ago_are_read_again(store, make_draft, monkeypatch):
    monkeypatch.setattr(audited, "_REMEMBERED", 2)
    for at in range(24):
        store.append("club", f"m{at % 6}", [make_draft()])
    assert fsck(store).clean


def test_log_that_grows_meanwhile_is_checked_up_to_its_head(store, make_draft):
    store.append("club", "m", [make_draft() for _ in range(600)])

    def grow(done, total):
        store.append("club", "m", [make_draft(name="Ada")])
        store.append("club", f"n{done}", [make_draft()])

    report = fsck(store, grow)
    assert report.findings == ()
    assert report.entries == 600
