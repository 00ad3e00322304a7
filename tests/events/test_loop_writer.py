"""The event loop as the writer: one commit a turn, a flush beside the loop, nobody left waiting."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

import migrations
from events.errors import LedgerError, OutcomeUnknown, StoreBusy, StoreFailed
from events.store import loop_writer
from events.store.loop_writer import LoopWriter
from events.store.opening import open_store
from events.store.protocol import Appended, Unit
from events.store.sql import Staged


@pytest.fixture
def store(sqlite_url: str) -> Any:
    migrations.upgrade(sqlite_url)
    opened = open_store(sqlite_url)
    opened.open_log("club")
    yield opened
    opened.close()


def unit(draft: Any, stream: str = "m") -> Unit:
    return Unit(log_id="club", stream_id=stream, drafts=(draft,))


async def test_units_of_one_turn_share_one_commit(store, make_draft, commits):
    writer = LoopWriter(store)
    answers = await asyncio.gather(*(writer.append(unit(make_draft())) for _ in range(20)))
    assert [answer.events[0].version for answer in answers] == list(range(1, 21))
    assert len(commits) == 1
    writer.stop()


@pytest.fixture
def commits(store: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One for each commit."""
    made: list[int] = []
    commit = store._commit
    monkeypatch.setattr(store, "_commit", lambda db: (made.append(1), commit(db)))
    return made


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that waits in vain would wait until tomorrow."""
    monkeypatch.setattr(loop_writer, "GATHERING_S", 86_400.0)


async def turns(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def three(writer: LoopWriter, make_draft: Any) -> None:
    """Three writers are answered together."""
    await asyncio.gather(*(writer.append(unit(make_draft())) for _ in range(3)))


async def test_who_was_just_answered_shares_the_next_commit(store, make_draft, commits, patient):
    writer = LoopWriter(store)
    await three(writer, make_draft)
    coming = []
    for _ in range(3):
        await turns()
        assert len(commits) == 1
        coming.append(writer.append(unit(make_draft())))
    assert [answer.events[0].version for answer in await asyncio.gather(*coming)] == [4, 5, 6]
    assert len(commits) == 2
    writer.stop()


async def test_a_lone_writer_never_waits_for_anybody(store, make_draft, commits, patient):
    writer = LoopWriter(store)
    for _ in range(5):
        await writer.append(unit(make_draft()))
    assert len(commits) == 5
    writer.stop()


async def test_who_does_not_come_again_is_not_waited_for_for_long(
    store, make_draft, commits, monkeypatch
):
    writer = LoopWriter(store)
    await three(writer, make_draft)
    monkeypatch.setattr(loop_writer, "GATHERING_S", 0.01)
    for _ in range(2):
        await writer.append(unit(make_draft()))
    assert len(commits) == 3
    writer.stop()


async def test_who_waits_for_others_is_written_when_the_archive_closes(store, make_draft, patient):
    writer = LoopWriter(store)
    await three(writer, make_draft)
    waiting = writer.append(unit(make_draft()))
    await turns()
    assert not waiting.done()
    writer.stop()
    assert (await waiting).events[0].version == 4


async def test_the_flush_is_not_done_by_the_loop(store, make_draft, monkeypatch):
    threads = []
    commit = store._commit
    monkeypatch.setattr(
        store, "_commit", lambda db: (threads.append(threading.current_thread()), commit(db))
    )
    writer = LoopWriter(store)
    await writer.append(unit(make_draft()))
    assert threads
    assert threading.current_thread() not in threads
    writer.stop()


async def test_where_no_thread_can_be_had_the_loop_itself_flushes(store, make_draft, monkeypatch):
    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    writer = LoopWriter(store)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", none_left)
        async with asyncio.timeout(20):
            assert (await writer.append(unit(make_draft()))).events[0].version == 1
    assert (await writer.append(unit(make_draft()))).events[0].version == 2
    writer.stop()


async def test_what_was_written_is_told_before_anybody_is_answered(store, make_draft):
    heard: list[Appended] = []
    writer = LoopWriter(store, on_committed=heard.extend)
    draft = make_draft()
    first = await writer.append(unit(draft))
    assert heard == [first]
    assert (await writer.append(unit(draft))).duplicate
    assert heard == [first]  # a retry writes nothing
    writer.stop()


async def test_a_hook_that_fails_keeps_nobody_from_the_answer(store, make_draft):
    def fail(_: list[Appended]) -> None:
        raise RuntimeError("no")

    writer = LoopWriter(store, on_committed=fail)
    assert (await writer.append(unit(make_draft()))).events
    writer.stop()


async def test_somebody_else_who_writes_is_waited_for_beside_the_loop(store, make_draft):
    writer = LoopWriter(store)
    store._writing.acquire()
    appending = asyncio.ensure_future(writer.append(unit(make_draft())))
    await turns(50)  # the loop goes on turning
    assert not appending.done()
    store._writing.release()
    assert (await appending).events[0].version == 1
    writer.stop()


async def test_a_failed_commit_is_answered_as_unknown_and_the_next_one_works(
    store, make_draft, monkeypatch
):
    def fail(db: Any) -> None:
        store._roll_back(db)
        raise OutcomeUnknown("the disk said no")

    writer = LoopWriter(store)
    with monkeypatch.context() as patch:
        patch.setattr(store, "_commit", fail)
        with pytest.raises(OutcomeUnknown):
            await writer.append(unit(make_draft()))
    assert (await writer.append(unit(make_draft()))).events[0].version == 1
    writer.stop()


async def test_a_request_that_went_away_is_written_all_the_same(store, make_draft):
    writer = LoopWriter(store)
    gone = asyncio.ensure_future(writer.append(unit(make_draft())))
    gone.cancel()
    after = await writer.append(unit(make_draft()))
    assert after.events[0].version == 2
    writer.stop()


class Broken:
    """A store that fails in a way that nobody foresaw."""

    def stage_units(self, units: Sequence[Unit]) -> Staged | None:
        raise ZeroDivisionError

    def append_units(self, units: Sequence[Unit]) -> list[Appended | LedgerError]:
        raise ZeroDivisionError


async def test_an_unforeseen_failure_is_answered_and_ends_nothing(make_draft):
    writer = LoopWriter(Broken())
    for _ in range(2):
        with pytest.raises(StoreFailed):
            await writer.append(unit(make_draft()))
    writer.stop()


async def test_a_full_queue_and_a_closing_archive_refuse_at_once(store, make_draft):
    writer = LoopWriter(store, capacity=2)
    waiting = [writer.append(unit(make_draft())) for _ in range(2)]
    with pytest.raises(StoreBusy, match="too many"):
        writer.append(unit(make_draft()))
    writer.stop()
    with pytest.raises(StoreBusy, match="closing"):
        writer.append(unit(make_draft()))
    # What was queued before the end is written and answered.
    assert [answer.events[0].version for answer in await asyncio.gather(*waiting)] == [1, 2]
