"""Pages, pictures and files that are made once, whatever strangers call the server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastapi import FastAPI

from api.html.kept import HERE
from api.pages import match as pages
from api.routes import exports

PAGE = "/matches/club/m1"


@pytest.fixture
async def shown(api: Any, begin: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin())


def counting(monkeypatch: pytest.MonkeyPatch, place: Any, name: str) -> list[None]:
    """As many as this was called from now on."""
    calls: list[None] = []
    whole = getattr(place, name)

    def called(*args: Any, **more: Any) -> Any:
        calls.append(None)
        return whole(*args, **more)

    monkeypatch.setattr(place, name, called)
    return calls


async def asked_by(api: Any, path: str, hosts: list[str]) -> list[Any]:
    return await asyncio.gather(*[api.get(path, Host=host) for host in hosts])


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize("path", ["/card.png", "/board.png", "/card.png?at=3"])
async def test_twenty_strangers_under_twenty_names_have_a_picture_drawn_once(
    api: Any, app: FastAPI, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    drawn = counting(monkeypatch, app.state.door, "draw")
    answers = await asked_by(api, PAGE + path, [f"host-{number}.example" for number in range(20)])
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert len(drawn) == 1


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize("path", ["", "/embed", "?part=sheet"])
async def test_a_page_is_kept_once_and_names_the_address_by_which_each_asks(
    api: Any, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    made = counting(monkeypatch, pages, "rendered")
    hosts = [f"host-{number}.example" for number in range(20)]
    answers = await asked_by(api, PAGE + path, hosts)
    assert len(made) == 1
    for host, answer in zip(hosts, answers, strict=True):
        assert answer.status_code == 200
        assert HERE not in answer.text
        assert not any(other in answer.text for other in hosts if other != host)
        assert (f"http://{host}{PAGE}" in answer.text) == (path != "?part=sheet")
    # Packed or not, it is the same page, and each address has its own ETag.
    plain = await api.get(PAGE + path, Host=hosts[0], Accept_Encoding="identity")
    assert plain.text == answers[0].text
    if path != "?part=sheet":
        assert len({answer.headers["etag"] for answer in answers}) == len(hosts)
    again = await api.get(PAGE + path, Host=hosts[3], If_None_Match=answers[3].headers["etag"])
    assert again.status_code == 304
    assert len(made) == 1


@pytest.mark.usefixtures("shown")
async def test_a_name_that_is_markup_is_told_as_a_name(api: Any) -> None:
    answer = await api.get(PAGE, Host='a"><script>.example')
    assert "<script>.example" not in answer.text


@pytest.mark.usefixtures("shown")
async def test_fifty_who_export_the_same_match_have_it_written_once(
    api: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.append(make("match.ended", winner="one"), token=api.director)
    written = counting(monkeypatch, exports, "_replay_in")
    path = "/logs/club/matches/m1/export.html"
    answers = await asyncio.gather(*[api.get(path) for _ in range(50)])
    assert {answer.status_code for answer in answers} == {200}
    assert len(written) == 1
    # Who is shown more is given another file, and so is who asks for less.
    await api.get(path, api.director)
    withheld = await api.get(f"{path}?names=withheld")
    assert len(written) == 3
    assert "Ann" in answers[0].text
    assert "Ann" not in withheld.text
