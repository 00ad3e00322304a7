"""The lists catch up: alone with the ledger, a turn for each log, and in nobody's way."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.archive.archive import Archive, open_archive
from api.archive.index import file, pages
from api.archive.index.catching_up import IndexBehind
from api.archive.index.file import open_index
from api.archive.index.index import MatchIndex
from api.archive.index.players import PlayerIndex, Playing
from api.archive.index.told import Told
from api.search.positions import PositionIndex
from events.payloads.corrections import EntryRetracted
from events.payloads.custody import PublicationReleased
from events.payloads.match import GameStarted, GameWon, MatchOpened, Player
from events.values import BySeat, Seat

LOGS, MATCHES = ("club", "open"), 6


@pytest.fixture
def archive() -> Iterator[Archive]:
    made = open_archive("memory://")
    for log_id in LOGS:
        made.open_tournament(log_id, log_id)
        for number in range(MATCHES):
            opened = MatchOpened(players=BySeat((Player(),), (Player(),)), length=3)
            made.append(log_id, f"m{number}", [made.draft(opened)])
    yield made
    made.close()


@pytest.fixture
def index(archive: Archive) -> Iterator[MatchIndex]:
    made = MatchIndex(archive.store, archive.reading)
    yield made
    made.close()


def test_who_has_patience_waits_for_all_of_it(index: MatchIndex) -> None:
    index.patience = 1_000
    index.catch_up(["club"])
    assert (index.count("club"), index.count("open")) == (MATCHES, 0)
    index.catch_up()
    assert index.lag() == 0


@pytest.mark.parametrize("entries", [0, 2, 9])
def test_what_another_archive_has_left_at_this_place_is_shown_to_nobody(
    archive: Archive, tmp_path: Path, entries: int
) -> None:
    """Shorter than it, as long, or longer: nothing but its entries tells that it is another."""
    path = tmp_path / "a.index"
    with contextlib.closing(MatchIndex(archive.store, archive.reading, path=path)) as before:
        before.catch_up()
        before.counted("club", 7)
    other = open_archive("memory://")
    other.open_tournament("club", "Another club")
    for number in range(entries):
        opened = MatchOpened(players=BySeat((Player(),), (Player(),)), length=5)
        other.append("club", f"n{number}", [other.draft(opened)])
    with contextlib.closing(MatchIndex(other.store, other.reading, path=path)) as index:
        index.catch_up()
        assert {row["log_id"] for row in index.dump("match")} <= {"club"}
        assert {row["stream_id"] for row in index.dump("match")} == {
            f"n{number}" for number in range(entries)
        }
        titles = {row["log_id"]: row["title"] for row in index.dump("log")}
        assert titles == {"archive": "Archive", "club": "Another club"}
        assert index.counted("club") == 0
    other.close()


def damaged(path: Path) -> None:
    """As where the power went: the pages of the matches, and none that is read at the beginning."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        [size] = db.execute("PRAGMA page_size").fetchone()
        sql = "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'match' AND rootpage > 0"
        pages = [page for (page,) in db.execute(sql)]
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(b"\xa5" * size)


def test_a_file_that_is_damaged_behind_its_beginning_is_made_anew(
    archive: Archive, tmp_path: Path
) -> None:
    path = tmp_path / "lists"
    with contextlib.closing(MatchIndex(archive.store, archive.reading, path=path)) as made:
        made.catch_up()
    damaged(path)
    # A reader meets the fault: the lists are reported as being rebuilt, and are complete for the
    # next reader.
    with contextlib.closing(MatchIndex(archive.store, archive.reading, path=path)) as index:
        index.catch_up()
        with pytest.raises(IndexBehind, match="made anew"):
            index.matches("club")
        index.catch_up()
        assert len(index.matches("club")) == MATCHES
        assert index.players.person_of("Nobody") is None
    # By a command, which ends with it: the next one finds no damage.
    damaged(path)
    index = MatchIndex(archive.store, archive.reading, path=path)
    with contextlib.closing(index), pytest.raises(IndexBehind, match="made anew"):
        index.matches("club")
    with contextlib.closing(MatchIndex(archive.store, archive.reading, path=path)) as index:
        index.catch_up()
        assert len(index.matches("club")) == MATCHES
    # The fault is met while new entries are taken in: nobody is told.
    damaged(path)
    opened = MatchOpened(players=BySeat((Player(),), (Player(),)), length=3)
    archive.append("club", "later", [archive.draft(opened)])
    with contextlib.closing(MatchIndex(archive.store, archive.reading, path=path)) as index:
        index.catch_up()
        assert len(index.matches("club")) == MATCHES + 1


def test_a_search_whose_file_is_damaged_is_made_anew(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "turns"
    with contextlib.closing(PositionIndex(archive.store, archive.reading, path=path)) as made:
        made.catch_up()
        before = made.count()
    damaged(path)
    with contextlib.closing(PositionIndex(archive.store, archive.reading, path=path)) as index:
        with pytest.raises(IndexBehind, match="made anew"):
            index.count()
        index.catch_up()
        assert index.count() == before


@pytest.mark.parametrize("another", [True, False])
def test_a_search_whose_file_is_deleted_is_made_anew(
    archive: Archive, tmp_path: Path, another: bool
) -> None:
    path = tmp_path / "turns"
    with contextlib.closing(PositionIndex(archive.store, archive.reading, path=path)) as index:
        index.catch_up()
        before = index.count()
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        if another:  # a command beside the server has made it again, and nobody writes to it
            PositionIndex(archive.store, archive.reading, path=path).close()
        with pytest.raises(IndexBehind, match="made anew"):
            index.count()
        index.catch_up()
        assert index.count() == before


def test_where_too_much_is_behind_nobody_waits_and_it_is_read_all_the_same(
    index: MatchIndex,
) -> None:
    index.patience = 3
    with pytest.raises(IndexBehind, match="entries are still to be read"):
        index.catch_up(["club"])
    assert index._beside is not None
    index._beside.join(60)
    assert index.lag() == 0
    index.catch_up()
    assert [index.count(log_id) for log_id in LOGS] == [MATCHES, MATCHES]


def test_lists_in_a_file_that_cannot_be_written_to_go_on_in_memory(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lists"
    with contextlib.closing(MatchIndex(archive.store, archive.reading, path=path)) as made:
        made.catch_up()
    opened = MatchOpened(players=BySeat((Player(),), (Player(),)), length=3)
    archive.append("club", "later", [archive.draft(opened)])
    before = path.read_bytes()
    # As on a read-only medium; the user who runs the tests may write to any file.
    monkeypatch.setattr(file.os, "access", lambda *asked: False)
    with contextlib.closing(MatchIndex(archive.store, archive.reading, path=path)) as index:
        assert (index.lag(), index.count("club")) == (1, MATCHES)
        index.catch_up()
        assert index.count("club") == MATCHES + 1
    assert path.read_bytes() == before


def test_lists_whose_disk_is_full_go_on_in_memory_and_their_file_stays_as_it_was(
    archive: Archive, tmp_path: Path
) -> None:
    path = tmp_path / "lists"
    opened = MatchOpened(players=BySeat((Player(),), (Player(),)), length=3)
    with contextlib.closing(MatchIndex(archive.store, archive.reading, path=path)) as made:
        made.catch_up()
        [(pages,)] = made._db.execute("PRAGMA page_count").fetchall()
        made._db.execute(f"PRAGMA max_page_count = {pages}")
        before = path.read_bytes()
        for number in range(300):
            archive.append("club", f"later{number}", [archive.draft(opened)])
        made.catch_up()
        assert (made.lag(), made.count("club")) == (0, MATCHES + 300)
        assert path.read_bytes() == before
    with contextlib.closing(MatchIndex(archive.store, archive.reading, path=path)) as next_one:
        assert next_one.lag() == 300
        next_one.catch_up()
        assert next_one.count("club") == MATCHES + 300


def test_what_stands_is_read_when_no_other_process_can_change_it_any_more(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lists"
    made = MatchIndex(archive.store, archive.reading, path=path)
    made.catch_up()
    archive.append("club", "m0", [archive.draft(GameStarted(number=1))])
    tried = []

    def told(*given: Any) -> Told:
        with contextlib.closing(sqlite3.connect(path, timeout=0)) as other:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("DELETE FROM match")
            tried.append(other)
        return Told(*given)

    monkeypatch.setattr("api.archive.index.index.Told", told)
    made.catch_up()
    assert len(tried) == 1
    assert [made.count(log_id) for log_id in LOGS] == [MATCHES, MATCHES]
    made.close()


def test_while_a_log_is_taken_in_the_lists_of_others_are_read_and_caught_up(
    archive: Archive, index: MatchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = archive.reading.once
    begun, goes_on = threading.Event(), threading.Event()

    def slow(log_id: str, *rest: Any) -> Any:
        if log_id == "club":
            begun.set()
            assert goes_on.wait(60)
        return once(log_id, *rest)

    monkeypatch.setattr(archive.reading, "once", slow)
    taking = threading.Thread(target=index.catch_up, args=(["club"],))
    taking.start()
    try:
        assert begun.wait(60)
        index.catch_up(["open"])
        assert (index.count("open"), index.count("club")) == (MATCHES, 0)
        assert not index.has_public("club")
    finally:
        goes_on.set()
        taking.join(60)
    assert index.count("club") == MATCHES


def test_two_who_ask_at_once_take_a_log_in_once(archive: Archive, index: MatchIndex) -> None:
    asking = [threading.Thread(target=index.catch_up) for _ in range(4)]
    for one in asking:
        one.start()
    for one in asking:
        one.join(60)
    assert [index.count(log_id) for log_id in LOGS] == [MATCHES, MATCHES]
    assert index.lag() == 0


@pytest.mark.parametrize("page", [1, 2, 3, 7, 5_000])
def test_matches_that_lie_across_pages_are_listed_as_they_stand_at_the_end(
    archive: Archive, index: MatchIndex, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    # In turn, so that each match begins in one page of the log and continues in others.
    for game in range(1, 4):
        for number in range(MATCHES):
            started = archive.draft(GameStarted(number=game))
            won = archive.draft(GameWon(winner=Seat.ONE, points=1))
            archive.append("club", f"m{number}", [started, won])
    monkeypatch.setattr(pages, "PAGE", page)
    index.catch_up()
    rows = index.matches("club")
    assert [(row.version, row.games, row.score_one, row.state) for row in rows] == [
        (7, 3, 3, "ended")
    ] * MATCHES


def test_a_match_that_goes_on_after_a_correction_is_live_again(
    archive: Archive, index: MatchIndex
) -> None:
    won = archive.draft(GameWon(winner=Seat.ONE, points=3))
    archive.append("club", "m0", [archive.draft(GameStarted()), won])
    # Released after its end: its latest news is the release, and the end is retracted.
    archive.append("club", "m0", [archive.draft(PublicationReleased())])
    index.catch_up()
    assert index.news(now_ms=0, live_only=True) == []
    archive.append("club", "m0", [archive.draft(EntryRetracted(target=won.entry_id))])
    index.catch_up()
    assert [row.stream_id for row in index.news(now_ms=0, live_only=True)] == ["m0"]
    [log] = index.public_logs()
    assert (log.log_id, log.live) == ("club", 1)


def test_whoever_is_forgotten_cannot_be_guessed_from_the_bytes_that_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def careless(*arguments: Any, **options: Any) -> sqlite3.Connection:
        """SQLite as most builds have it: deleted content stays in the file."""
        made: sqlite3.Connection = connect(*arguments, **options)
        made.execute("PRAGMA secure_delete=OFF")
        return made

    monkeypatch.setattr(sqlite3, "connect", careless)
    path = tmp_path / "match.index"
    db = open_index(path)
    players = PlayerIndex(db, threading.RLock(), lambda _log, _wanted: {})
    person, sd = players.hash_of("Ada Lantern"), "ab" * 32
    with db:
        players.add([Playing(1, "club", ((sd,), ()), {sd: "Ada Lantern"}, 0, 0)])
    assert person in path.read_bytes()
    players.forget_names("club", [sd])
    db.close()
    assert person not in path.read_bytes()
