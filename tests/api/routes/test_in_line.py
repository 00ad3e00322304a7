"""Lists that many strangers want at once are made one after the other, and never too old."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from api.pages import lists
from tests.api.routes.test_kept import counting

LIST = "/tournaments/club"


@pytest.fixture
def url() -> str:
    return "memory://"


@pytest.fixture
async def shown(api: Any, begin: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin())


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize("path", ["/", LIST])
async def test_twenty_strangers_have_a_list_drawn_once_or_twice(
    api: Any, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    drawn = counting(monkeypatch, lists, "rendered")
    answers = await asyncio.gather(*[api.get(path) for _ in range(20)])
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert 1 <= len(drawn) <= 2
    # A token that nobody has is a stranger's, and a name of one's own gets a page that names it.
    named = await asyncio.gather(
        *[api.get(path, Host=f"host-{number % 2}.example") for number in range(8)]
    )
    for number, answer in enumerate(named):
        assert f"host-{1 - number % 2}.example" not in answer.text
    assert len(drawn) <= 6


@pytest.mark.usefixtures("shown")
async def test_what_differs_in_any_header_that_counts_is_not_the_same_answer(api: Any) -> None:
    first = await api.get(LIST)
    etag = first.headers["etag"]
    english, german, known, plain, head, agent = await asyncio.gather(
        api.get(LIST, Accept_Language="en"),
        api.get(LIST, Accept_Language="de"),
        api.get(LIST, If_None_Match=etag),
        api.get(LIST, Accept_Encoding="identity"),
        api.http.head(LIST),
        api.get(LIST, User_Agent="another"),
    )
    assert 'lang="en"' in english.text
    assert 'lang="de"' in german.text
    assert (known.status_code, known.content) == (304, b"")
    assert "content-encoding" not in plain.headers
    assert (head.status_code, head.content) == (200, b"")
    assert agent.text == first.text


@pytest.mark.usefixtures("shown")
async def test_no_list_is_older_than_its_request(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    is_drawing, goes_on = threading.Event(), threading.Event()
    whole = lists.rendered

    def rendered(*args: Any, **more: Any) -> str:
        text = whole(*args, **more)
        is_drawing.set()
        assert goes_on.wait(30)
        return text

    monkeypatch.setattr(lists, "rendered", rendered)
    early = asyncio.create_task(api.get(LIST))
    await asyncio.to_thread(is_drawing.wait, 30)
    await api.open("m2", publication={"public": True, "delay_ms": 0})
    # An answer that was begun earlier does not answer a request that comes now.
    late = [asyncio.create_task(api.get(LIST)) for _ in range(5)]
    await asyncio.sleep(0)
    # Holders of a grant do not queue.
    monkeypatch.setattr(lists, "rendered", whole)
    assert "/matches/club/m2" in (await api.get(LIST, api.director)).text
    goes_on.set()
    assert "/matches/club/m2" not in (await early).text
    for answer in await asyncio.gather(*late):
        assert "/matches/club/m2" in answer.text
