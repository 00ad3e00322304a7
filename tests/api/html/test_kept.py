"""Answers that are made once for all who want them at once, and nothing that was forgotten."""

from __future__ import annotations

import asyncio
import threading

import pytest

from api.html.kept import Kept, Made


class Counted:
    """Something that is made in a thread, and waits until it may be finished."""

    def __init__(self) -> None:
        self.times = 0
        self.goes_on = threading.Event()

    def __call__(self) -> Made:
        self.times += 1
        assert self.goes_on.wait(30)
        return Made(b"%d" % self.times, None, "text/plain")


async def test_twenty_who_want_the_same_at_once_have_it_made_once() -> None:
    kept, make = Kept(), Counted()
    asked = [asyncio.create_task(kept.made("a", make)) for _ in range(20)]
    await asyncio.sleep(0)
    asked[0].cancel()
    make.goes_on.set()
    answers = await asyncio.gather(*asked[1:])
    assert {one.body for one in answers} == {b"1"}
    assert (await kept.made("a", make)).body == b"1"
    assert make.times == 1


async def test_what_cannot_be_made_is_told_to_all_and_tried_anew_for_the_next() -> None:
    kept, times = Kept(), 0

    def make() -> Made:
        nonlocal times
        times += 1
        raise OSError("no")

    both = (kept.made("a", make) for _ in range(2))
    answers = await asyncio.gather(*both, return_exceptions=True)
    assert [type(one) for one in answers] == [OSError, OSError]
    assert times == 1
    with pytest.raises(OSError, match="no"):
        await kept.made("a", make)
    assert times == 2


async def test_what_was_begun_before_all_was_forgotten_is_for_nobody_who_comes_after() -> None:
    kept, make = Kept(), Counted()
    before = asyncio.create_task(kept.made("a", make))
    await asyncio.sleep(0)
    kept.forget()
    after = asyncio.create_task(kept.made("a", make))
    await asyncio.sleep(0)
    make.goes_on.set()
    await asyncio.gather(before, after)
    assert make.times == 2
