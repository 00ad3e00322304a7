"""The one writer: shares commits, survives everything, wakes loops and followers."""

from __future__ import annotations

import asyncio
import threading

import pytest

from events.errors import (
    ExpectedVersionMismatch,
    NotCanonical,
    OutcomeUnknown,
    StoreBusy,
    StoreFailed,
)
from events.store.fsck import fsck
from events.store.opening import open_store
from events.store.protocol import Unit
from events.store.writer import Writer

LIMIT_S = 60


@pytest.fixture
def writer(store):
    """A writer in front of each kind of store."""
    made = Writer(store)
    yield made
    made.stop()


def unit(stream, *drafts, **more):
    return Unit(log_id="club", stream_id=stream, drafts=drafts, **more)


class Gate:
    """A store whose appends wait until allowed, so that a group can collect behind them."""

    def __init__(self, store) -> None:
        self.store = store
        self.open = threading.Event()
        self.entered = threading.Event()
        self.groups: list[int] = []

    def append_units(self, units):
        self.entered.set()
        assert self.open.wait(LIMIT_S)
        self.groups.append(len(units))
        return self.store.append_units(units)


def test_waiting_units_share_a_commit(store, make_draft):
    gate = Gate(store)
    writer = Writer(gate, group=8)
    first = writer.submit(unit("m", make_draft()))
    assert gate.entered.wait(LIMIT_S)
    rest = [writer.submit(unit("m", make_draft())) for _ in range(20)]
    assert writer.waiting() == 20
    gate.open.set()
    answers = [future.result(LIMIT_S) for future in [first, *rest]]
    writer.stop()
    assert gate.groups == [1, 8, 8, 4]
    assert [answer.events[0].version for answer in answers] == list(range(1, 22))


def test_full_queue_refuses_at_once(store, make_draft):
    gate = Gate(store)
    writer = Writer(gate, capacity=3)
    first = writer.submit(unit("m", make_draft()))
    assert gate.entered.wait(LIMIT_S)
    rest = [writer.submit(unit("m", make_draft())) for _ in range(3)]
    with pytest.raises(StoreBusy):
        writer.submit(unit("m", make_draft()))
    gate.open.set()
    assert [future.result(LIMIT_S).duplicate for future in [first, *rest]] == [False] * 4
    writer.stop()


def test_bad_units_between_good_ones_are_refused_alone(writer, store, make_draft):
    futures = [
        writer.submit(unit("m", make_draft(), expected_version=0)),
        writer.submit(unit("m", make_draft(), expected_version=5)),
        writer.submit(unit("m", make_draft(body=b'{"a":1.0}'))),
        writer.submit(unit("m", make_draft(), expected_version=1)),
    ]
    assert futures[0].result(LIMIT_S).events[0].version == 1
    assert isinstance(futures[1].exception(LIMIT_S), ExpectedVersionMismatch)
    assert isinstance(futures[2].exception(LIMIT_S), NotCanonical)
    assert futures[3].result(LIMIT_S).events[0].version == 2
    assert fsck(store).clean


def test_exception_in_the_store_hits_its_own_unit_only(store, make_draft):
    # P21: whatever a unit sets off, its neighbours are acknowledged and the writer lives on.
    poison = make_draft()

    class Poisoned(Gate):
        def append_units(self, units):
            if any(poison in unit.drafts for unit in units):
                self.entered.set()
                self.open.wait(LIMIT_S)
                raise ZeroDivisionError("poison")
            return super().append_units(units)

    gate = Poisoned(store)
    writer = Writer(gate)
    first = writer.submit(unit("m", make_draft()))
    assert gate.entered.wait(LIMIT_S)
    good = [writer.submit(unit("m", make_draft())) for _ in range(2)]
    bad = writer.submit(unit("m", poison))
    good += [writer.submit(unit("m", make_draft())) for _ in range(2)]
    gate.open.set()
    assert isinstance(bad.exception(LIMIT_S), StoreFailed)
    answers = [future.result(LIMIT_S) for future in [first, *good]]
    assert [answer.events[0].version for answer in answers] == [1, 2, 3, 4, 5]
    assert writer.submit(unit("m", make_draft())).result(LIMIT_S).events[0].version == 6
    writer.stop()


def test_entropy_that_fails_once_costs_nobody_an_entry(sqlite_url, make_draft):
    left = [2]

    def entropy(count):
        left[0] -= 1
        if left[0] == 0:
            raise OSError("no entropy")
        return bytes(count)

    store = open_store(sqlite_url, entropy=entropy)
    store.open_log("club")
    answers = store.append_units([unit("m", make_draft()) for _ in range(3)])
    assert [answer.events[0].version for answer in answers] == [1, 2, 3]
    assert fsck(store).clean
    store.close()


def test_unknown_outcome_is_not_tried_again(make_draft):
    calls: list[int] = []

    class Unsure:
        def append_units(self, units):
            calls.append(len(units))
            return [OutcomeUnknown("send again")] * len(units)

    writer = Writer(Unsure())
    future = writer.submit(unit("m", make_draft()))
    assert isinstance(future.exception(LIMIT_S), OutcomeUnknown)
    writer.stop()
    assert calls == [1]


def test_followers_hear_of_each_commit_once_and_in_order(store, make_draft):
    heard = []
    writer = Writer(store, on_committed=heard.extend)
    drafts = [make_draft() for _ in range(10)]
    for draft in drafts:
        writer.submit(unit("m", draft))
    retry = writer.submit(unit("m", drafts[0]))
    refused = writer.submit(unit("m", make_draft(), expected_version=0))
    assert retry.result(LIMIT_S).duplicate
    assert refused.exception(LIMIT_S) is not None
    writer.stop()
    assert [answer.events[0].global_position for answer in heard] == list(range(10))


def test_follower_that_fails_does_not_stop_the_writer(store, make_draft, caplog):
    def fail(_):
        raise ValueError("a follower's own fault")

    writer = Writer(store, on_committed=fail)
    assert writer.submit(unit("m", make_draft())).result(LIMIT_S).events[0].version == 1
    assert writer.submit(unit("m", make_draft())).result(LIMIT_S).events[0].version == 2
    writer.stop()
    assert "the commit stands" in caplog.text


def test_stop_writes_what_is_queued_and_refuses_the_rest(store, make_draft):
    writer = Writer(store)
    futures = [writer.submit(unit("m", make_draft())) for _ in range(50)]
    writer.stop()
    writer.stop()
    assert [future.result(0).events[0].version for future in futures] == list(range(1, 51))
    with pytest.raises(StoreBusy, match="closing"):
        writer.submit(unit("m", make_draft()))


async def test_loop_is_answered(writer, store, make_draft):
    answers = await asyncio.gather(
        *(writer.append(unit(f"m{at % 4}", make_draft())) for at in range(40)),
    )
    assert sorted(answer.events[0].global_position for answer in answers) == list(range(40))
    with pytest.raises(ExpectedVersionMismatch):
        await writer.append(unit("m1", make_draft(), expected_version=0))
    assert store.log_head("club").size == 40


async def test_cancelled_request_leaves_its_entry_and_its_neighbours_alone(store, make_draft):
    gate = Gate(store)
    writer = Writer(gate)
    first = asyncio.ensure_future(writer.append(unit("m", make_draft())))
    second = asyncio.ensure_future(writer.append(unit("m", make_draft())))
    await asyncio.to_thread(gate.entered.wait, LIMIT_S)
    first.cancel()
    gate.open.set()
    assert (await second).events[0].version == 2
    assert first.cancelled()
    await asyncio.to_thread(writer.stop)
    assert store.log_head("club").size == 2


def test_answers_for_a_closed_loop_are_dropped(store, make_draft):
    gate = Gate(store)
    writer = Writer(gate)

    async def ask():
        writer.append(unit("m", make_draft()))
        await asyncio.to_thread(gate.entered.wait, LIMIT_S)

    asyncio.run(ask())
    gate.open.set()
    assert writer.submit(unit("m", make_draft())).result(LIMIT_S).events[0].version == 2
    writer.stop()
