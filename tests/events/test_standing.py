"""A file that is replaced, moved, linked or written over is refused before anybody is answered."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from events.errors import OutcomeUnknown, RolledBack, StoreBusy, StoreFailed
from events.store.address import parse_address
from events.store.fsck import fsck
from events.store.opening import open_store
from events.store.protocol import Unit


@pytest.fixture
def path(sqlite_url) -> Path:
    return parse_address(sqlite_url).path


@pytest.fixture
def older(sqlite_url, path, tmp_path, make_draft) -> Path:
    """A backup of an archive that had two entries then."""
    store = open_store(sqlite_url)
    store.open_log("club")
    store.append("club", "m", [make_draft(), make_draft()])
    store.close()
    return Path(shutil.copy(path, tmp_path / "older.db"))


@pytest.fixture
def store(older, sqlite_url, make_draft, rng):
    """The archive, open, with six entries more, of which some lie in the write-ahead log alone."""
    opened = open_store(sqlite_url, entropy=rng.randbytes)
    opened.append("club", "m", [make_draft() for _ in range(6)])
    yield opened
    opened.close()


def unit(make_draft):
    return Unit(log_id="club", stream_id="m", drafts=(make_draft(),))


def replace(path, older):
    os.replace(older, path)


def written_down(path):
    """Move all of the write-ahead log into the file."""
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def copy_over(path, older):
    """What `cp backup archive` does: the same file, with another content."""
    written_down(path)
    with path.open("r+b") as file:
        file.write(older.read_bytes())
        file.truncate()


def delete_wal(path, older):
    path.with_name(f"{path.name}-wal").unlink()


def replace_wal(path, older):
    wal = path.with_name(f"{path.name}-wal")
    wal.with_suffix(".new").touch()
    os.replace(wal.with_suffix(".new"), wal)


def link_elsewhere(path, older):
    kept = path.rename(path.with_suffix(".true"))
    path.symlink_to(kept)


def take_away(path, older):
    path.rename(path.with_suffix(".away"))


@pytest.mark.parametrize(
    "fault", [replace, copy_over, delete_wal, replace_wal, link_elsewhere, take_away]
)
def test_no_entry_is_acknowledged_after_what_happened_to_the_file(
    store, path, older, make_draft, fault
):
    fault(path, older)
    for _ in range(2):
        [answer] = store.append_units([unit(make_draft)])
        assert isinstance(answer, RolledBack), answer
    # A server stages its groups: there it takes the careful way, which refuses as well.
    assert store.stage_units([unit(make_draft)]) is None
    assert store.displaced == str(answer)
    assert store.why_held("club") == store.displaced
    with pytest.raises(RolledBack):
        store.check_place()
    with pytest.raises(RolledBack):
        store.open_log("other")


@pytest.mark.parametrize("fault", [delete_wal, replace_wal])
def test_what_was_acknowledged_before_the_log_went_is_in_the_file(
    store, path, older, make_draft, fault
):
    fault(path, older)
    store.append_units([unit(make_draft)])
    # As if it were killed now: nobody closes it.
    copy = shutil.copy(path, path.with_suffix(".copy"))
    kept = open_store(str(copy))
    assert kept.log_head("club").size == 8
    assert fsck(kept).clean
    kept.close()


def test_the_file_put_back_to_its_place_goes_on(store, path, make_draft):
    away = path.rename(path.with_suffix(".away"))
    assert isinstance(store.append_units([unit(make_draft)])[0], RolledBack)
    away.rename(path)
    assert store.append("club", "m", [make_draft()]).events[0].version == 9
    assert store.displaced is None


def test_a_file_that_is_replaced_during_the_commit_is_acknowledged_to_nobody(
    store, path, older, make_draft
):
    staged = store.stage_units([unit(make_draft)])
    os.replace(older, path)
    staged.commit()
    [answer] = staged.answers
    assert isinstance(answer, OutcomeUnknown)
    assert "send the same bytes again" in str(answer)


def test_a_reader_is_never_led_to_another_file(store, path, older):
    while store._readers:
        store._readers.pop().close()
    os.replace(older, path)
    with pytest.raises(Exception, match="not the file that was opened"):
        store.log_head("club")


def test_what_others_may_do_to_the_file_is_looked_at_and_taken(store, path, make_draft):
    path.chmod(0o640)
    assert store.append("club", "m", [make_draft()]).events[0].version == 9
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
    assert store.append("club", "m", [make_draft()]).events[0].version == 10
    assert store.check_place()


def test_a_second_name_stops_it_until_it_is_removed(store, path, make_draft):
    other = path.with_suffix(".link")
    os.link(path, other)
    [answer] = store.append_units([unit(make_draft)])
    assert isinstance(answer, StoreFailed)
    assert "2 names" in str(answer)
    other.unlink()
    assert store.append("club", "m", [make_draft()]).events[0].version == 9


def test_a_log_that_somebody_else_moved_is_held_and_others_go_on(store, path, make_draft):
    store.open_log("other")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        for trigger in ("event_no_delete", "log_head_no_step_back"):
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute("DELETE FROM event WHERE global_position > 5")
        db.execute("UPDATE log_head SET size = 6 WHERE log_id = 'club'")
    group = [unit(make_draft), Unit(log_id="other", stream_id="m", drafts=(make_draft(),))]
    refused, taken = store.append_units(group)
    assert isinstance(refused, RolledBack)
    assert "has 6 entries" in str(refused)
    assert taken.events[0].version == 1
    assert set(store.held) == {"club"}


# -- before the first entry ------------------------------------------------------------------------


def test_a_symbolic_link_and_a_second_name_are_no_archives_to_write_to(older, path, sqlite_url):
    link = path.with_name("link.db")
    link.symlink_to(path)
    with pytest.raises(StoreFailed, match=f"symbolic link.*{path.name}"):
        open_store(str(link))
    with contextlib.closing(open_store(str(link), read_only=True)) as reading:
        assert reading.log_head("club").size == 2
    link.unlink()
    os.link(path, link)
    for name in (link, path):
        with pytest.raises(StoreFailed, match="2 names"):
            open_store(str(name))
    link.unlink()
    open_store(sqlite_url).close()


@pytest.mark.parametrize("is_seen", [True, False])
def test_an_older_copy_under_a_newer_write_ahead_log_is_held_from_the_start(
    store, path, older, sqlite_url, make_draft, is_seen
):
    # Of the entry that each log gets, one is in the file alone, one in the write-ahead log.
    store.open_log("another")
    for log_id in ("another", "club"):
        store.append(log_id, "n", [make_draft() for _ in range(60)])
    written_down(path)
    shutil.copy(path, older)
    store.append("another", "n", [make_draft()])
    written_down(path)
    store.append("club", "n", [make_draft()])
    if is_seen:
        # The server saw it, and was stopped in good order: no write-ahead log is left.
        path.write_bytes(older.read_bytes())
        assert isinstance(store.append_units([unit(make_draft)])[0], RolledBack)
        store.close()
    else:
        # It was killed, and the backup put in its place.
        left = path.with_name("left.db")
        for suffix in ("-wal", ".lock"):
            shutil.copy(f"{path}{suffix}", f"{left}{suffix}")
        path = Path(shutil.copy(older, left))
    for _ in range(2):
        again = open_store(str(path))
        assert again.held.keys() == {"another"}
        with pytest.raises(RolledBack, match="is not whole"):
            again.append("another", "n", [make_draft()])
        assert again.append("club", "n", [make_draft()])
        again.close()
    # The way out.
    shutil.copy(older, path)
    restored = open_store(str(path))
    assert restored.append("another", "n", [make_draft()]).events[0].version == 61
    restored.close()
    assert path.with_name(f"{path.name}.lock").read_bytes() == b""


def test_a_file_that_was_left_in_good_order_is_not_read_through(older, sqlite_url, monkeypatch):
    monkeypatch.setattr("events.store.sqlite.torn", lambda db: pytest.fail("it was"))
    open_store(sqlite_url).close()


HOLD = """
import sys
from events.store.opening import open_store
store = open_store(sys.argv[1])
print("open", flush=True)
sys.stdin.readline()
print(store.check_place(), flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is the lock file alone")
def test_a_lock_file_that_is_deleted_lets_no_second_writer_in_and_is_put_back(
    older, path, sqlite_url
):
    lock = path.with_name(f"{path.name}.lock")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, sqlite_url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        lock.unlink()
        with pytest.raises(StoreBusy, match="its lock file was deleted"):
            open_store(sqlite_url)
        holder.stdin.write("look\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "False\n"
        with pytest.raises(StoreBusy, match=f"process {holder.pid} is writing"):
            open_store(sqlite_url)
        holder.stdin.write("end\n")
        holder.stdin.close()
        holder.wait(30)
    open_store(sqlite_url).close()
