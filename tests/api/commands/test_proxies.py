"""Whose word on who comes, and whether by https, a server takes: that of proxies it was told of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.commands.common import Shelf
from api.commands.serving import server_of
from api.settings import Settings
from events.payloads.access import Role

HERE = "127.0.0.1"
NEIGHBOUR = "192.168.1.9"


@pytest.fixture
def archive() -> Iterator[Archive]:
    archive = open_archive("memory://")
    archive.open_tournament("club", "Club night")
    yield archive
    archive.close()


@pytest.fixture
def served(archive: Archive) -> Iterator[Any]:
    """`served("127.0.0.1")`: what the server that believes these answers who comes from there."""
    index = MatchIndex(archive.store, archive.reading)

    def start(*proxies: str, host: str = HERE) -> httpx.AsyncClient:
        settings = Settings(db=archive.url, proxies=proxies)
        config = server_of(Shelf(archive, index), settings).config
        config.load()
        transport = httpx.ASGITransport(config.loaded_app, client=(host, 40_000))  # type: ignore[arg-type]  # uvicorn's type of the same
        return httpx.AsyncClient(transport=transport, base_url="http://archive.example")

    yield start
    index.close()


async def guesses(http: httpx.AsyncClient, addresses: list[str]) -> set[int]:
    """What wrong tokens are answered that come, as a header says, from these addresses."""
    seen = set()
    for address in addresses:
        headers = {"X-Forwarded-For": address}
        answer = await http.post("/session", json={"token": "wrong"}, headers=headers)
        seen.add(answer.status_code)
    return seen


MANY = [f"10.0.0.{number}" for number in range(1, 41)]


@pytest.mark.parametrize(
    ("host", "proxies"), [(HERE, ()), (NEIGHBOUR, ()), (NEIGHBOUR, (HERE,)), (HERE, (NEIGHBOUR,))]
)
async def test_who_writes_another_address_into_each_guess_is_slowed_down_all_the_same(
    served: Any, host: str, proxies: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # uvicorn reads this variable itself; here the settings decide.
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    assert await guesses(served(*proxies, host=host), MANY) == {401, 429}


async def test_behind_a_proxy_each_address_of_the_hall_is_slowed_down_for_itself(
    served: Any,
) -> None:
    http = served(HERE)
    assert await guesses(http, MANY) == {401}
    # What the visitor wrote stands before what the proxy saw, and the proxy's counts.
    forged = [f"{other}, 10.0.1.1" for other in MANY]
    assert await guesses(http, forged) == {401, 429}
    assert await guesses(http, ["10.0.1.2"]) == {401}


@pytest.mark.parametrize(
    ("proxies", "is_believed"), [((HERE,), True), (("127.0.0.0/8",), True), ((), False)]
)
async def test_that_a_proxy_was_asked_by_https_is_believed_where_it_was_named(
    served: Any, archive: Archive, proxies: tuple[str, ...], is_believed: bool
) -> None:
    token, _ = archive.grant(Role.DIRECTOR, log_id="club")
    headers = {"X-Forwarded-For": "10.0.0.1", "X-Forwarded-Proto": "https"}
    http = served(*proxies)
    entered = await http.post("/session", json={"token": token}, headers=headers)
    assert entered.status_code == 204
    assert ("Secure" in entered.headers["set-cookie"]) is is_believed
    assert ("strict-transport-security" in entered.headers) is is_believed
    bearer = {**headers, "Authorization": f"Bearer {token}"}
    opened = await http.post("/logs/club/pairings", json={}, headers=bearer)
    scheme = "https" if is_believed else "http"
    assert opened.json()["url"].startswith(f"{scheme}://archive.example/tablet?code=")


async def test_figures_are_for_this_machine_and_not_for_who_comes_through_its_proxy(
    served: Any,
) -> None:
    assert (await served(HERE).get("/metrics")).status_code == 200
    for http in (served(), served(HERE)):
        for said in ("10.0.0.1", HERE):
            answer = await http.get("/metrics", headers={"X-Forwarded-For": said})
            assert answer.status_code == 401


@pytest.mark.parametrize("given", ["*", "proxy.example", "0.0.0.0/0", "::/0", "10.0.0.1/8"])
def test_a_proxy_is_an_address_or_a_network_and_never_everybody(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_PROXIES", f"127.0.0.1, {given}")
    with pytest.raises(ValidationError):
        Settings()


def test_proxies_stand_in_the_environment_with_commas_between_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TABULARIUM_PROXIES", "127.0.0.1, ::1,10.2.0.0/16")
    assert Settings().proxies == ("127.0.0.1", "::1", "10.2.0.0/16")
    monkeypatch.setenv("TABULARIUM_PROXIES", "")
    assert Settings().proxies == ()
