"""Turns: one making at a time, for all who had asked when it began and for nobody after them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.hall.turns import REST, Entrance, Turns


class Kitchen:
    """Numbered results; making each takes the given number of turns of the event loop."""

    def __init__(self) -> None:
        self.begun = 0
        self.at_work = 0
        self.most_at_work = 0

    def making(self, steps: int) -> Callable[[], Awaitable[int]]:
        async def make() -> int:
            self.begun += 1
            mine = self.begun
            self.at_work += 1
            self.most_at_work = max(self.most_at_work, self.at_work)
            for _ in range(steps):
                await asyncio.sleep(0)
            self.at_work -= 1
            return mine

        return make


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 4), st.integers(0, 3)),
        min_size=1,
        max_size=25,
    )
)
def test_each_answer_began_after_its_request_and_one_is_made_at_a_time(
    asked: list[tuple[str, int, int]],
) -> None:
    async def main() -> None:
        turns: Turns[int] = Turns()
        kitchen = Kitchen()

        async def one(key: str, steps: int) -> tuple[str, int, int]:
            begun_before = kitchen.begun
            return key, begun_before, await turns.made(key, kitchen.making(steps))

        tasks = []
        for key, steps, pause in asked:
            tasks.append(asyncio.create_task(one(key, steps)))
            for _ in range(pause):
                await asyncio.sleep(0)
        answers = await asyncio.gather(*tasks)
        assert all(made > before for _, before, made in answers)
        assert kitchen.most_at_work == 1
        # Nobody is given what another asked for.
        assert len({(key, made) for key, _, made in answers}) == len({made for *_, made in answers})

    asyncio.run(main())


async def test_all_who_ask_while_one_is_made_share_the_next() -> None:
    turns: Turns[int] = Turns()
    kitchen = Kitchen()
    first = asyncio.create_task(turns.made("list", kitchen.making(5)))
    while not kitchen.begun:
        await asyncio.sleep(0)
    rest = await asyncio.gather(*[turns.made("list", kitchen.making(5)) for _ in range(20)])
    assert (await first, set(rest), kitchen.begun) == (1, {2}, 2)


async def test_a_failure_is_told_to_all_who_waited_and_to_nobody_after_them() -> None:
    turns: Turns[int] = Turns()
    kitchen = Kitchen()

    async def fails() -> int:
        raise RuntimeError("the disk is full")

    told = await asyncio.gather(*[turns.made("a", fails) for _ in range(3)], return_exceptions=True)
    assert [str(one) for one in told] == ["the disk is full"] * 3
    assert await turns.made("a", kitchen.making(1)) == 1


async def test_whoever_goes_away_takes_it_from_nobody() -> None:
    turns: Turns[int] = Turns()
    kitchen = Kitchen()
    impatient = asyncio.create_task(turns.made("a", kitchen.making(5)))
    patient = asyncio.create_task(turns.made("a", kitchen.making(5)))
    while not kitchen.begun:
        await asyncio.sleep(0)
    impatient.cancel()
    assert await patient == 1


@pytest.mark.parametrize("is_disturbing", [True, False])
async def test_a_pause_follows_a_making_where_it_disturbs(is_disturbing: bool) -> None:
    turns: Turns[tuple[float, float]] = Turns(lambda: is_disturbing)
    clock = asyncio.get_running_loop().time

    async def make() -> tuple[float, float]:
        begun = clock()
        await asyncio.sleep(0.01)
        return begun, clock()

    (begun, ended), (next_begun, _) = await asyncio.gather(
        turns.made("a", make), turns.made("b", make)
    )
    rested = next_begun - ended >= REST * (ended - begun) - 0.001
    assert rested or not is_disturbing


async def test_one_goes_in_at_each_turn_of_the_loop_and_all_in_their_order() -> None:
    entrance = Entrance()
    turn = 0
    went_in: list[tuple[int, int]] = []

    async def one(number: int) -> None:
        await entrance.enter()
        went_in.append((turn, number))

    tasks = [asyncio.create_task(one(number)) for number in range(20)]
    # One that does not wait any more holds up nobody.
    await asyncio.sleep(0)
    tasks[7].cancel()
    while not all(task.done() for task in tasks):
        turn += 1
        await asyncio.sleep(0)
    assert [number for _, number in went_in] == [number for number in range(20) if number != 7]
    assert len({turn for turn, _ in went_in}) == len(went_in)
