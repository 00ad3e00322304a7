"""Places are reserved for tablets, directors and scribes, and not for everybody with a token."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI

from api.archive.channel import Terms
from api.hall.bounded import GUEST
from api.routes.shared.cookie import COOKIE
from events.payloads.access import Role
from tests.api.routes.conftest import api, app, archive, clock, cookie_with

__all__ = ["api", "app", "archive", "clock"]


@pytest.fixture
def url() -> str:
    return "memory://"


class Claimant:
    """A connection that shows a token in a hall where no stranger finds a place any more."""

    def __init__(self) -> None:
        self.is_staff = False

    def take_as_staff(self) -> None:
        self.is_staff = True

    def take_as_stranger(self) -> bool:
        return False


async def asked(
    app: FastAPI, headers: dict[str, str], *, method: str = "GET", path: str = "/logs"
) -> tuple[Claimant, int, dict[bytes, bytes]]:
    """What becomes of a connection that asks with these headers: (it, status, answer's headers)."""
    guest, sent = Claimant(), []

    async def receive() -> dict[str, Any]:
        assert guest.is_staff, "of a stranger nothing more is read"
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("10.0.0.2", 1),
        "server": ("archive", 80),
        GUEST: guest,
    }
    await app(scope, receive, send)  # type: ignore[arg-type]  # as much of a server as is asked
    return guest, sent[0]["status"], dict(sent[0]["headers"])


def bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    ("role", "is_kept"),
    [(Role.SCRIBE, True), (Role.DIRECTOR, True), (Role.COMMITTEE, True), (Role.VIEWER, False)],
)
async def test_a_place_is_kept_for_whoever_does_more_than_look_on(
    api: Any, app: FastAPI, role: Role, is_kept: bool
) -> None:
    token = api.token(role)
    for headers in (bearing(token), cookie_with(api.http, token)):
        guest, status, _ = await asked(app, headers)
        assert (guest.is_staff, status) == (is_kept, 200 if is_kept else 503)


@pytest.mark.parametrize("headers", [bearing("made-up"), {"Cookie": f"{COOKIE}=made-up"}])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_token_that_is_none_is_refused_unread_and_the_connection_closed(
    api: Any, app: FastAPI, headers: dict[str, str], method: str
) -> None:
    # Its length is announced, and nothing of it read: `receive` says so.
    headers = {**headers, "Content-Length": "2"}
    guest, status, answered = await asked(app, headers, method=method, path="/logs/club/ingest")
    assert (guest.is_staff, status) == (False, 503)
    assert answered[b"connection"] == b"close"
    assert answered[b"retry-after"]


async def test_followers_are_refused_before_tablets_and_directors(api: Any, app: FastAPI) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    door = app.state.door
    door.most_followers = 1
    # Streams end at once, so that their beginnings can be compared.
    door.hub.close()
    door.hub.join(("club", "m1"), Terms(), version=1)
    live = "/logs/club/matches/m1/live"
    for token in (None, api.token(Role.VIEWER)):
        assert (await api.get(live, token)).status_code == 503
    for token in (api.scribe, api.director):
        assert (await api.get(live, token)).status_code == 200


async def test_what_tablets_follow_takes_no_followers_place(api: Any, app: FastAPI) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    door = app.state.door
    door.most_followers = 1
    door.hub.close()
    for _ in range(3):
        door.hub.join(("club", "m1"), Terms(api.scribe), version=1, is_staff=True)
    assert door.hub.followers() == 3
    assert (await api.get("/logs/club/matches/m1/live")).status_code == 200
