"""Threads by whom they work for: who records never waits behind who looks on."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.hall.lanes import Lane, Lanes, take
from tests.api.routes.conftest import api, app, archive, clock

__all__ = ["api", "app", "archive", "clock"]


@pytest.fixture
def url() -> str:
    return "memory://"


@pytest.fixture
def lanes() -> Iterator[Lanes]:
    made = Lanes()
    yield made
    made.shutdown()


def name() -> str:
    return threading.current_thread().name.partition("_")[0]


async def in_lane(lane: Lane) -> str:
    take(lane)
    return await asyncio.to_thread(name)


async def test_work_is_done_in_the_lane_of_whoever_asks(lanes: Lanes) -> None:
    asyncio.get_running_loop().set_default_executor(lanes)
    # A task of its own each, as every request is.
    done = await asyncio.gather(*(asyncio.create_task(in_lane(lane)) for lane in Lane))
    assert done == ["tabularium-recording", "tabularium-known", "tabularium-strangers"]
    assert await asyncio.to_thread(name) == "tabularium-recording"


async def test_nobody_waits_behind_strangers_however_many_there_are(lanes: Lanes) -> None:
    asyncio.get_running_loop().set_default_executor(lanes)
    goes_on = threading.Event()

    async def stranger() -> None:
        take(Lane.STRANGERS)
        await asyncio.to_thread(goes_on.wait)

    strangers = [asyncio.create_task(stranger()) for _ in range(50)]
    try:
        await asyncio.sleep(0)
        async with asyncio.timeout(30):
            for lane in (Lane.RECORDING, Lane.KNOWN):
                assert await asyncio.create_task(in_lane(lane)) == f"tabularium-{lane.value[0]}"
        assert not any(one.done() for one in strangers)
    finally:
        goes_on.set()
        await asyncio.gather(*strangers)


@pytest.mark.parametrize(
    ("method", "who", "lane"),
    [
        ("GET", None, "strangers"),
        ("GET", "a token that nobody has", "strangers"),
        ("GET", "director", "known"),
        ("POST", "scribe", "recording"),
    ],
)
async def test_a_request_takes_the_lane_of_who_sends_it(
    app: FastAPI, api: Any, lanes: Lanes, method: str, who: str | None, lane: str
) -> None:
    asyncio.get_running_loop().set_default_executor(lanes)
    seen: list[str] = []

    async def look() -> None:
        seen.append(await asyncio.to_thread(name))

    app.add_api_route("/look", look, methods=["GET", "POST"])
    token = getattr(api, who, who) if who else None
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://archive"
    ) as http:
        with contextlib.suppress(httpx.HTTPError):
            await asyncio.create_task(http.request(method, "/look", headers=headers))
    assert seen == [f"tabularium-{lane}"]
