"""The short way of an append answers as the long way does, byte for byte, and writes the same."""

from __future__ import annotations

import copy
import itertools
import json
import random
import uuid
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import httpx
import pytest
from fastapi import FastAPI

from api.app import STRANGERS_BYTES, create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.hall.bounded import GUEST
from api.routes.shared.short_way import ShortWay
from api.settings import Settings
from events.errors import LedgerError, OutcomeUnknown, StoreBusy
from events.payloads.access import Role

EVENTS = "/logs/club/matches/m1/events"


def entry(tag: str, number: int, **body: Any) -> dict[str, Any]:
    return {"entry_id": str(uuid.UUID(int=number, version=4)), "tag": tag, "body": body}


GAME = entry("game.started", 1)
OPENING = entry("dice.opening_rolled", 2, one=3, two=1)
PLAY = entry("play.made", 3, seat="one", moves=[[8, 5], [6, 5]])
ROLL = entry("dice.rolled", 4, seat="two", dice=[6, 4])

ASKED: tuple[tuple[Any, dict[str, str]], ...] = (
    ({"entries": [GAME]}, {"If-Match": '"1"'}),
    ({"entries": [GAME]}, {"If-Match": '"1"'}),  # a retry
    ({"entries": [OPENING, PLAY]}, {"If-Match": "*"}),
    ({"entries": [ROLL]}, {"If-Match": '"9"'}),  # behind
    ({"entries": [ROLL]}, {}),
    ({"entries": [ROLL]}, {"If-Match": "soon"}),
    ({"entries": [{**ROLL, "body": {"seat": "two", "dice": [6, 7]}}]}, {"If-Match": "*"}),
    ({"entries": [{**GAME, "tag": "dice.rolled"}]}, {"If-Match": "*"}),  # an id of other bytes
    ({"entries": [entry("cube.double_taken", 5, seat="one")]}, {"If-Match": "*"}),  # no offer
    ({"entries": [entry("ruling.made", 6)]}, {"If-Match": "*"}),
    ({"entries": [entry("tournament.closed", 7)]}, {"If-Match": "*"}),
    ({"entries": [entry("no.such_thing", 8)]}, {"If-Match": "*"}),
    ({"entries": [GAME, entry("game.started", 9)]}, {"If-Match": "*"}),  # a mixture
    ({"entries": []}, {"If-Match": "*"}),
    ({"entries": [{**ROLL, "note": 1}]}, {"If-Match": "*"}),
    (b"", {"If-Match": "*"}),
    (b"{", {"If-Match": "*"}),
    (b'{"entries": 1.5}', {"If-Match": "*"}),
    ({"entries": [ROLL]}, {"If-Match": "*", "Authorization": "Bearer guessed"}),
    ({"entries": [ROLL]}, {"If-Match": "*", "Authorization": "Basic eA=="}),
    ({"entries": [ROLL]}, {"If-Match": "*", "Authorization": ""}),
    ({"entries": [ROLL]}, {"If-Match": "*", "Cookie": "tabularium_session=x"}),
    ({"entries": [ROLL]}, {"If-Match": "*", "Accept": "text/html", "Accept-Language": "de"}),
    ({"entries": [ROLL]}, {"If-Match": "*", "Accept": "text/html", "Authorization": "Bearer x"}),
    ({"entries": [GAME]}, {"If-Match": "*", "Origin": "http://archive"}),
    ({"entries": [ROLL]}, {"If-Match": '"9"', "Origin": "null"}),
    ({"entries": [ROLL]}, {"If-Match": "*", "Origin": "http://x", "Authorization": "Bearer x"}),
    ({"entries": [ROLL]}, {"If-Match": "*", "Origin": "x", "Cookie": "tabularium_session=x"}),
)
PLACES = (
    EVENTS,
    "/logs/club/matches/~/events",
    "/logs/club/matches/m2/events",
    "/logs/none/matches/m1/events",
    "/logs/club/matches/m%2F1/events",
    f"{EVENTS}?x=1",
    f"{EVENTS}/",
)


class Side(NamedTuple):
    """One of two archives that are asked the same."""

    archive: Archive
    app: FastAPI
    http: httpx.AsyncClient
    token: str


async def side() -> AsyncIterator[Side]:
    chance = random.Random(7)
    clock = itertools.count(1_800_000_000_000, 1_000)
    archive = open_archive("memory://", now_ms=lambda: next(clock), entropy=chance.randbytes)
    archive.open_tournament("club", "Club night")
    index = MatchIndex(archive.store, archive.reading)
    app = create_app(archive, Settings(db="memory://"), index=index)
    token = archive.grant(Role.SCRIBE, log_id="club")[0]
    director = archive.grant(Role.DIRECTOR, log_id="club")[0]
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        opened = {"match_id": "m1", "opened": {"players": {"one": [{"name": "Ann"}], "two": []}}}
        opened["entry_id"] = str(uuid.UUID(int=99, version=4))
        headers = {"Authorization": f"Bearer {director}"}
        assert (await http.post("/logs/club/matches", json=opened, headers=headers)).is_success
        yield Side(archive, app, http, token)
    index.close()
    archive.close()


short, long = (pytest.fixture(side, name=name) for name in ("short", "long"))


async def told(of: Side, path: str, body: Any, headers: dict[str, str]) -> tuple[Any, ...]:
    """(status, headers, body) of an answer."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {of.token}", "Content-Type": "application/json", **headers}
    answer = await of.http.post(path, content=content, headers=sent)
    return answer.status_code, answer.headers.multi_items(), answer.content


def way_of(app: FastAPI) -> ShortWay:
    way = app.middleware_stack.app
    assert isinstance(way, ShortWay)
    return way


def counted(of: Side) -> list[tuple[Any, ...]]:
    """Requests that were counted, and the entries."""
    return sorted(
        (sample.name, *sorted(sample.labels.items()), sample.value)
        for metric in of.app.state.door.figures.registry.collect()
        for sample in metric.samples
        if sample.name in ("tabularium_requests_total", "tabularium_entries_total")
    )


async def both(
    short: Side, long: Side, monkeypatch: pytest.MonkeyPatch, *asked: Any
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    first = await told(short, *asked)
    with monkeypatch.context() as patch:
        patch.setattr(ShortWay, "_found", lambda *_: None)
        return first, await told(long, *asked)


async def test_both_ways_answer_alike_and_write_alike(short, long, monkeypatch):
    statuses = set()
    for path in PLACES:
        for body, headers in ASKED:
            one, other = await both(short, long, monkeypatch, path, body, headers)
            assert one == other, (path, body, headers)
            statuses.add(one[0])
    assert statuses >= {200, 201, 401, 403, 404, 409, 412, 422, 428}
    assert counted(short) == counted(long)
    for of in (short, long):
        assert of.archive.store.stream_head("club", "m1").version == 5
    rows = [list(of.archive.store.read_stream("club", "m1")) for of in (short, long)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("error", [OutcomeUnknown("the disk"), StoreBusy("full")])
async def test_a_write_that_failed_is_told_alike(short, long, monkeypatch, error: LedgerError):
    async def fail(unit: Any) -> None:
        raise error

    for of in (short, long):
        monkeypatch.setattr(of.archive.writer, "append", fail)
    one, other = await both(
        short, long, monkeypatch, EVENTS, {"entries": [GAME]}, {"If-Match": "*"}
    )
    assert one == other
    assert one[0] == 503


async def test_a_fault_of_the_program_is_told_alike(short, long, monkeypatch):
    async def fail(unit: Any) -> None:
        raise ZeroDivisionError

    for of in (short, long):
        monkeypatch.setattr(of.archive.writer, "append", fail)
        of.http._transport.raise_app_exceptions = False
    asked = EVENTS, {"entries": [GAME]}, {"If-Match": "*", "Origin": "http://archive"}
    one, other = await both(short, long, monkeypatch, *asked)
    assert one == other
    assert one[0] == 500
    assert ("x-content-type-options", "nosniff") in one[1]
    assert counted(short) == counted(long)


@pytest.mark.parametrize(
    ("change", "is_short"),
    [
        ({}, True),
        ({"method": "GET"}, False),
        ({"type": "websocket"}, False),
        ({"root_path": "/x"}, False),
        ({"path": "/logs/club/events"}, False),
        ({"query_string": b"x=1"}, False),
        ({GUEST: object()}, False),  # nobody has looked at the token of this connection yet
        ({"headers": []}, False),  # of unknown length
        ({"headers": [(b"content-length", b"%d" % STRANGERS_BYTES)]}, True),
        ({"headers": [(b"content-length", b"%d" % (STRANGERS_BYTES + 1))]}, False),
        ({"headers": [(b"content-length", b"-1")]}, False),
        ({"headers": [(b"content-length", b"9" * 5_000)]}, False),
        ({"headers": [(b"content-length", b"9"), (b"origin", b"http://x")]}, True),
        ({"client": ("10.0.0.9", 1)}, False),  # guessed wrong too often
    ],
)
def test_only_what_no_layer_minds_goes_the_short_way(app, change, is_short):
    door = app.state.door
    for _ in range(20):
        door.attempts.failed("10.0.0.9", is_stranger=True)
    scope = {
        "type": "http",
        "method": "POST",
        "path": EVENTS,
        "scheme": "http",
        "client": ("10.0.0.1", 1),
        "headers": [(b"content-length", b"9")],
    }
    assert (way_of(app)._found({**scope, **change}) is not None) is is_short


def test_where_https_is_spoken_nothing_plain_goes_the_short_way(app):
    way = copy.copy(way_of(app))
    way._speaks_https = True
    scope = {"type": "http", "method": "POST", "path": EVENTS, "client": None}
    scope["headers"] = [(b"content-length", b"9")]
    assert way._found({**scope, "scheme": "http"}) is None
    assert way._found({**scope, "scheme": "https"}) == ("club", "m1", False)
