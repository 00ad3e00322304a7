"""A log that is far behind is read in a separate process, with the same lists and no leftovers."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from api.archive import child
from api.archive.archive import Archive, open_archive
from api.archive.erasing import erase, places_of
from api.archive.index import apart as apart_module
from api.archive.index.apart import Apart
from api.archive.index.catching_up import CatchingUp, IndexBehind
from api.archive.index.index import MatchIndex
from api.archive.index.pages import PAGE, MatchPage, match_page
from api.search.positions import PositionIndex
from events.payloads.custody import PublicationReleased
from events.payloads.match import MatchEnded, MatchOpened, Player
from events.personal import disclose
from events.values import BySeat, Seat
from projections.rules.sentences import NOTHING_IN_HAND
from tests.benchmarks.matches import written

LOG, MATCHES = "club", 4
NAMES = ("Ada Lovelace", "Charles Babbage")
SECRET = bytes(32)


def fill(archive: Archive, *, entries: int = 30) -> None:
    """Matches between the same two, all of them over and released."""
    archive.open_tournament(LOG, "Club night")
    for number in range(MATCHES):
        told = [
            disclose(archive.entropy(16), f"players.{seat}.0.name", name)
            for seat, name in zip(("one", "two"), NAMES, strict=True)
        ]
        one, two = (Player(name=commitment) for commitment, _ in told)
        opened = MatchOpened(players=BySeat((one,), (two,)), length=3)
        first = archive.draft(opened, disclosures=tuple(raw for _, raw in told))
        rest = [*written(random.Random(number), entries), MatchEnded(winner=Seat.ONE)]
        drafts = [first, *map(archive.draft, [*rest, PublicationReleased()])]
        archive.append(LOG, f"m{number}", drafts)


@pytest.fixture
def archive(sqlite_url: str) -> Iterator[Archive]:
    made = open_archive(sqlite_url)
    fill(made)
    yield made
    made.close()


@pytest.fixture
def index(archive: Archive) -> Iterator[MatchIndex]:
    made = MatchIndex(archive.store, archive.reading, secret=SECRET)
    made.url, made.patience = archive.url, 3
    yield made
    made.close()


def caught_up(index: CatchingUp[Any]) -> None:
    """Catch up beside, to the end."""
    with pytest.raises(IndexBehind):
        index.catch_up()
    assert index._beside is not None
    index._beside.join(60)
    assert not index._beside.is_alive()


def bytes_of(index: CatchingUp[Any]) -> bytes:
    return index._db.serialize()


def in_process(archive: Archive) -> bytes:
    """The bytes of the lists as one process alone makes them."""
    alone = MatchIndex(archive.store, archive.reading, secret=SECRET)
    alone.catch_up()
    made = bytes_of(alone)
    alone.close()
    return made


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every process that is begun."""
    found: list[Any] = []

    class Known(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            found.append(self)
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(child.subprocess, "Popen", Known)
    return found


def test_what_is_near_is_read_at_once_and_begins_no_process(
    index: MatchIndex, begun: list[Any]
) -> None:
    index.patience = 10_000
    index.catch_up()
    assert (index.count(LOG), begun) == (MATCHES, [])


def test_where_no_process_can_be_begun_the_lists_are_made_all_the_same(
    archive: Archive, index: MatchIndex, monkeypatch: pytest.MonkeyPatch, begun: list[Any]
) -> None:
    monkeypatch.setattr(child.sys, "executable", "/nowhere/python")
    caught_up(index)
    assert len(begun) == 2
    assert bytes_of(index) == in_process(archive)


@pytest.mark.gate
def test_lists_and_turns_are_the_same_bytes_as_if_one_process_had_made_them(
    archive: Archive, begun: list[Any]
) -> None:
    lists = [MatchIndex(archive.store, archive.reading, secret=SECRET) for _ in range(2)]
    turns = [PositionIndex(archive.store, archive.reading) for _ in range(2)]
    for one in turns:
        with one._db:
            one._db.execute("UPDATE meta SET secret = ?", (SECRET,))
    for beside, here in (lists, turns):
        beside.url, beside.patience = archive.url, 3
        caught_up(beside)
        here.catch_up()
        assert bytes_of(beside) == bytes_of(here)
    assert len(lists[0].dump("player")) == 2 * MATCHES
    assert turns[0].count()[0] == MATCHES
    for one in (*lists, *turns):
        one.close()
    assert [one.returncode for one in begun] == [-signal.SIGKILL] * 2


@pytest.mark.gate
def test_two_servers_make_them_at_once_page_after_page(postgres_url: str, begun: list[Any]) -> None:
    archive = open_archive(postgres_url)
    fill(archive, entries=PAGE // 3)
    indexes = [MatchIndex(archive.store, archive.reading, secret=SECRET) for _ in range(2)]
    for index in indexes:
        index.url, index.patience = postgres_url, 3
    making = [threading.Thread(target=caught_up, args=(index,)) for index in indexes]
    for one in making:
        one.start()
    for one in making:
        one.join(60)
    alone = in_process(archive)
    assert [bytes_of(index) == alone for index in indexes] == [True, True]
    for index in indexes:
        index.close()
    archive.close()
    assert [one.returncode for one in begun] == [-signal.SIGKILL] * 2


@pytest.mark.gate
def test_a_process_that_is_killed_is_begun_anew(
    archive: Archive, index: MatchIndex, begun: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    apart = Apart(archive.url, match_page)
    first = apart.page(NOTHING_IN_HAND, LOG, 0)
    assert first == match_page(archive.reading, LOG, 0)
    for killed in (1, 2):
        os.kill(begun[-1].pid, signal.SIGKILL)
        assert apart.page(NOTHING_IN_HAND, LOG, 0) == first
        assert len(begun) == killed + 1
    assert "begun anew" in caplog.text
    other = dict(NOTHING_IN_HAND)
    assert apart.page(other, LOG, 0) == first
    assert len(begun) == 4, "other rule texts need another process"
    apart.close()
    assert apart.page(other, LOG, 0) is None
    assert [one.returncode for one in begun] == [-signal.SIGKILL] * 4


@pytest.mark.gate
def test_who_closes_the_index_waits_for_no_page(index: MatchIndex, begun: list[Any]) -> None:
    is_asked = threading.Event()
    send = apart_module._send

    def stopped(pipe: Any, value: object) -> None:
        if isinstance(value, apart_module.WantedPage):
            # It will never answer.
            begun[-1].send_signal(signal.SIGSTOP)
            is_asked.set()
        send(pipe, value)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(apart_module, "_send", stopped)
        with pytest.raises(IndexBehind):
            index.catch_up()
        assert is_asked.wait(60)
        index.close()
    assert [one.returncode for one in begun] == [-signal.SIGKILL]


SERVER = """
import sys
from api.archive.index.apart import Apart
from api.archive.index.pages import match_page
apart = Apart(sys.argv[1], match_page)
apart.page({}, "club", 0)
print(apart._process.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.gate
def test_it_ends_with_a_server_that_is_killed(archive: Archive) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, archive.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    assert is_running(pid)
    server.kill()
    server.communicate(timeout=60)
    gone = threading.Event()
    for _ in range(600):
        if not is_running(pid):
            break
        gone.wait(0.05)
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except FileNotFoundError:
        return False


@pytest.mark.gate
def test_a_name_that_is_erased_while_its_match_is_read_is_in_no_list(
    archive: Archive, index: MatchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    erased, stays = (index.players.hash_of(name) for name in NAMES)
    read: Callable[..., MatchPage | None] = Apart.page
    is_done = False

    def page(apart: Apart[MatchPage], *asked: Any) -> MatchPage | None:
        nonlocal is_done
        found = read(apart, *asked)
        if not is_done and asked[1] == LOG:
            # As a request would: between what the process has read and where it is put.
            is_done = True
            assert erase(archive, index, places_of(archive, LOG, NAMES[0]), by="director") > 0
        return found

    monkeypatch.setattr(Apart, "page", page)
    caught_up(index)
    assert is_done
    # All but what says that it is erased.
    assert index.lag() == 1
    known = {bytes(row["person"]) for row in index.dump("player")}
    assert known == {stays}
    assert erased not in bytes_of(index)
