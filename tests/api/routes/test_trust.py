"""How a tablet comes to trust the server: what plain http shows, and where codes lead."""

from __future__ import annotations

import datetime
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.hall.authority import Trust, prepare
from api.settings import Settings

ON_A_FILE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
PLAIN, SECURE = "http://192.168.1.5:8340", "https://192.168.1.5:8340"
PAGES = {"Accept": "text/html"}


@pytest.fixture(params=["own", "organiser's"])
def trust(request: pytest.FixtureRequest, tmp_path: Path) -> Trust:
    now = datetime.datetime.now(datetime.UTC)
    own = request.param == "own"
    papers = prepare(tmp_path / "https", ["192.168.1.5"], now=now) if own else None
    return Trust(PLAIN, SECURE, papers)


@pytest.fixture
def app(archive: Archive, trust: Trust) -> Any:
    index = MatchIndex(archive.store, archive.reading)
    settings = Settings(db=archive.url)
    yield create_app(archive, settings, index=index, hall=trust.secure_url, trust=trust)
    index.close()


@pytest.fixture
async def far(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A tablet that comes over plain http."""
    transport = httpx.ASGITransport(app, client=("192.168.1.77", 40_000))
    async with httpx.AsyncClient(transport=transport, base_url=PLAIN) as http:
        yield http


@ON_A_FILE
async def test_a_tablet_that_comes_plainly_is_led_to_the_page_that_says_how_to_trust(
    far: httpx.AsyncClient,
) -> None:
    for path in ("/", "/tablet?code=ABCD2345", "/matches/club/m1", "/session"):
        answer = await far.get(path, headers=PAGES)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/trust?next=/")
        page = await far.get(answer.headers["location"], headers=PAGES)
        assert page.status_code == 200
        assert f'data-next="{path}"' in page.text
    for path in ("/trust", "/trust/probe", "/health", "/favicon.ico"):
        assert (await far.get(path)).status_code == 200


@ON_A_FILE
async def test_no_token_and_no_entry_is_taken_plainly_from_another_machine(
    far: httpx.AsyncClient, api: Any
) -> None:
    await api.open()
    bearer = {"Authorization": f"Bearer {api.director}"}
    asked = [
        await far.get("/logs", headers=bearer),
        await far.post("/session", json={"token": api.director}),
        await far.post("/logs/club/ingest", json={}, headers=bearer),
        await far.get("/logs/club/matches/m1/live"),
    ]
    for answer in asked:
        assert answer.status_code == 403
        assert answer.json()["type"] == "/problems/needs-https"
        assert "set-cookie" not in answer.headers
    # The machine itself is no eavesdropper of its own: commands and the director beside it go on.
    assert (await api.get("/logs", api.director)).status_code == 200


@ON_A_FILE
async def test_over_https_everything_is_there(app: FastAPI, api: Any) -> None:
    transport = httpx.ASGITransport(app, client=("192.168.1.77", 40_000))
    async with httpx.AsyncClient(transport=transport, base_url=SECURE) as http:
        assert (await http.get("/tablet")).status_code == 200
        assert (await http.get("/trust/probe")).json() == {"scheme": "https"}
        bearer = {"Authorization": f"Bearer {api.director}"}
        assert (await http.get("/logs", headers=bearer)).status_code == 200


@ON_A_FILE
async def test_the_page_may_ask_the_same_address_over_https_and_no_other(
    far: httpx.AsyncClient,
) -> None:
    policy = (await far.get("/trust")).headers["content-security-policy"]
    assert "connect-src 'self' https://192.168.1.5:8340;" in policy
    for host in ("evil.example; script-src *", "a b", "", "[::1]x"):
        policy = (await far.get("/trust", headers={"Host": host})).headers[
            "content-security-policy"
        ]
        assert "script-src *" not in policy
        assert "connect-src 'self';" in policy


@ON_A_FILE
@pytest.mark.parametrize("next_path", ["https://evil.example/", "//evil.example", "javascript:x"])
async def test_the_page_leads_to_no_other_site(far: httpx.AsyncClient, next_path: str) -> None:
    page = await far.get("/trust", params={"next": next_path})
    assert page.status_code == 200
    assert "evil.example" not in page.text
    assert "javascript:" not in page.text


@ON_A_FILE
async def test_a_code_leads_by_that_page_and_is_never_sent_plainly(
    api: Any, app: FastAPI, trust: Trust
) -> None:
    made = (await api.post("/logs/club/pairings", {}, api.director)).json()
    code = made["code"].replace("-", "")
    transport = httpx.ASGITransport(app, client=("192.168.1.77", 40_000))
    bearer = {"Authorization": f"Bearer {api.director}"}
    async with httpx.AsyncClient(transport=transport, base_url=SECURE) as http:
        other = (await http.post("/logs/club/pairings", json={}, headers=bearer)).json()
    if trust.papers is None:
        assert other["url"].startswith(f"{SECURE}/tablet?code=")
        return
    assert made["url"] == f"http://archive/trust#code={code}"
    assert other["url"].startswith(f"{PLAIN}/trust#code=")


@ON_A_FILE
@pytest.mark.parametrize("ending", ["crt", "pem", "mobileconfig"])
async def test_what_there_is_not_is_not_handed_out(
    far: httpx.AsyncClient, trust: Trust, ending: str
) -> None:
    answer = await far.get(f"/trust/tabularium.{ending}")
    assert answer.status_code == (404 if trust.papers is None else 200)
    assert b"PRIVATE KEY" not in answer.content


@ON_A_FILE
@pytest.mark.parametrize("language", ["en", "de"])
async def test_the_steps_of_every_system_are_on_the_page(
    far: httpx.AsyncClient, trust: Trust, language: str
) -> None:
    page = (await far.get("/trust", params={"lang": language})).text
    assert f"{PLAIN}/trust" in page
    systems = ("ipad", "android", "windows", "mac", "chromium", "firefox")
    shown = [f'data-system="{system}"' in page for system in systems]
    assert all(shown) if trust.papers is not None else not any(shown)
