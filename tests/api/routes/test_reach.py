"""Codes and links for other devices: an address that those reach, or a word that none does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.hall.addresses import means_this_machine
from api.settings import Settings

IN_HALL = "http://192.168.1.5:8340"

HERE = ["127.0.0.1:8340", "localhost:8340", "[::1]:8340", "127.0.1.1:8340", "0.0.0.0:8340"]
"""What a browser of the server's own machine may have asked for."""


@pytest.fixture(params=[None])
def hall(request: pytest.FixtureRequest) -> str | None:
    """Where other devices reach the server; None = nowhere."""
    found: str | None = request.param
    return found


@pytest.fixture(params=["127.0.0.1"])
def host(request: pytest.FixtureRequest) -> str:
    """What the server listens on."""
    return str(request.param)


@pytest.fixture
def app(archive: Archive, hall: str | None, host: str) -> Iterator[FastAPI]:
    index = MatchIndex(archive.store, archive.reading)
    settings = Settings(db=archive.url, host=host)
    yield create_app(archive, settings, index=index, hall=hall)
    index.close()


@pytest.fixture
async def asked(app: FastAPI, api: Any) -> AsyncIterator[Any]:
    """`asked(host)`: a tablet's code and a role's code, as a browser gets them by that address."""
    opened: list[httpx.AsyncClient] = []

    async def by(name: str) -> list[dict[str, Any]]:
        transport = httpx.ASGITransport(app)
        http = httpx.AsyncClient(transport=transport, base_url=f"http://{name}")
        opened.append(http)
        bearer = {"Authorization": f"Bearer {api.director}"}
        orders = {"pairings": {}, "invitations": {"role": "viewer", "holder": "Ida Berg"}}
        made = []
        for path, body in orders.items():
            answer = await http.post(f"/logs/club/{path}", json=body, headers=bearer)
            assert answer.status_code == 201, answer.text
            made.append(dict(answer.json()))
        return made

    yield by
    for http in opened:
        await http.aclose()


@pytest.mark.parametrize("name", HERE)
@pytest.mark.parametrize("hall", [IN_HALL], indirect=True)
async def test_a_code_made_on_the_servers_own_machine_leads_to_its_address_in_the_hall(
    asked: Any, name: str
) -> None:
    for made in await asked(name):
        assert made["url"].startswith(f"{IN_HALL}/")
        assert made["qr_svg"].startswith("<svg")
        assert made["unreachable"] is None


@pytest.mark.parametrize("name", HERE)
async def test_no_picture_is_made_of_an_address_that_no_other_device_reaches(
    asked: Any, name: str
) -> None:
    for made in await asked(name):
        assert (made["qr_svg"], made["unreachable"]) == (None, "loopback")


@pytest.mark.parametrize("host", ["0.0.0.0"], indirect=True)
async def test_a_machine_without_a_network_is_told_from_one_that_listens_to_itself(
    asked: Any,
) -> None:
    for made in await asked("localhost:8340"):
        assert made["unreachable"] == "no_network"


@pytest.mark.parametrize("hall", [None, IN_HALL], indirect=True)
async def test_the_name_by_which_a_proxy_was_asked_is_kept(asked: Any) -> None:
    for made in await asked("hall.example.org"):
        assert made["url"].startswith("http://hall.example.org/")
        assert made["qr_svg"].startswith("<svg")
        assert made["unreachable"] is None


@pytest.mark.parametrize("hall", [IN_HALL], indirect=True)
async def test_addresses_that_public_pages_hand_on_are_those_of_the_hall(
    app: FastAPI, api: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8340") as http:
        for path in ("/", "/tournaments/club", "/matches/club/m1", "/feed.atom"):
            told = (await http.get(path)).text
            assert IN_HALL in told, path
            assert "http://127.0.0.1" not in told, path


def test_what_every_device_takes_for_itself_is_known() -> None:
    here = [
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "127.8.8.8",
        "[::1]",
        "::ffff:127.0.0.1",
        "::",
    ]
    assert all(map(means_this_machine, here))
    there = ["192.168.1.5", "hall.local", "localhost.example.org", "fe80::1", "127.example.org"]
    assert not any(map(means_this_machine, there))
