"""What a critical reader broke of the doors to the boards: cursors, delays, borrowed decisions."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import pytest
from fastapi import FastAPI

from api.html.texts import Texts
from api.routes import room
from api.routes.shared.cookie import COOKIE
from api.routes.shared.cursors import write_places
from events.payloads.access import Role
from tests.api.devices import Tablet
from tests.api.routes.tablets import paired
from tests.api.routes.test_ingest import Hall

BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
DELAY = 300_000
MATCH = "/logs/club/matches/m1"

FOR_EVERYBODY = (
    *("/", "/players", "/players/Ann", "/feed.atom", "/tournaments/club/feed.atom"),
    *("/tournaments/club", "/tournaments/club?state=live", "/tournaments/club?state=ended"),
    *("/matches/club/m1", "/matches/club/m1?part=now", "/matches/club/m1?part=sheet"),
    *("/matches/club/m1/embed", "/matches/club/m1/board.svg", "/matches/club/m1/board.png"),
    *("/matches/club/m1/card.png", "/matches/club/m1/replay", f"{MATCH}/scenes"),
    *(f"{MATCH}/alignment", f"{MATCH}/alignment?with=m1", f"{MATCH}/provenance", "/logs"),
    *("/logs/club/matches", MATCH, f"{MATCH}/findings", f"{MATCH}/windows"),
)
"""Every address that may say something of match `m1` to somebody without a grant."""


async def told(api: Any) -> dict[str, tuple[Any, ...]]:
    """What the public is shown at each of these addresses, with the headers for caches."""
    answers = {}
    for path in FOR_EVERYBODY:
        answer = await api.get(path, Accept=BROWSER if path[1:5] != "logs" else "*/*")
        assert answer.status_code == 200, f"{path}: {answer.text[:200]}"
        kept = [answer.headers.get(name) for name in ("etag", "last-modified")]
        answers[path] = (answer.content, *kept)
    return answers


async def test_no_address_changes_before_the_delay_is_over(
    api: Any, clock: Any, make: Any, begin: Any
) -> None:
    begun = begin()
    await api.open(publication={"public": True, "delay_ms": DELAY})
    await api.append(*begun)
    clock.now += 2 * DELAY
    await api.open("m2", publication={"public": True, "delay_ms": 0})
    # A log is counted as far behind as its matches are shown.
    clock.now += DELAY
    before = await told(api)
    call = make("match.ended", winner="one", score={"one": 5, "two": 0})
    sent = await api.append(
        make("play.made", seat="two", moves=[[24, 23]]),
        make("dispute.raised", by="two", frozen_at=begun[-1]["entry_id"]),
        call,
        token=api.director,
    )
    assert sent.status_code == 201, sent.text
    clock.now += DELAY - 1
    after = await told(api)
    changed = [path for path in FOR_EVERYBODY if before[path] != after[path]]
    assert changed == []
    clock.now += 1
    last = await told(api)
    assert b'class="badge good"' in before["/"][0]
    assert last["/"][0] != after["/"][0]
    assert last["/feed.atom"] != after["/feed.atom"]


@pytest.mark.parametrize("path", ["/", "/players", "/players/Ann"])
@pytest.mark.parametrize("number", [2**63, 10**30, -(2**63) - 1])
async def test_a_cursor_with_a_number_beyond_all_bounds_is_refused(
    api: Any, path: str, number: int
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    for place in ((1, number, "x"), (number, 1, "x"), (number, "00"), (number, "a", "b")):
        cursor = write_places(*place)
        answer = await api.get(f"{path}?cursor={cursor}")
        assert answer.status_code == 400, answer.text
        assert answer.json()["type"] == "/problems/bad-parameter"


async def test_an_origin_that_is_no_address_is_another_site(api: Any) -> None:
    answer = await api.post("/session", {"token": api.director}, Origin="http://[")
    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/csrf")


async def test_only_the_resolution_of_a_branch_resolves_it(api: Any, make: Any) -> None:
    await api.open()
    await paired(api, match="m1")
    size = api.size()
    parked = str(uuid.uuid4())
    said = make("branch.resolved", match="m1", accepted=[parked], set_aside=[])
    sent = await api.http.post(
        "/logs/club/events",
        json={"entries": [said]},
        headers={"Authorization": f"Bearer {api.director}", "If-Match": "*"},
    )
    assert sent.status_code == 422, sent.text
    assert "/logs/club/branches/resolution" in sent.json()["detail"]
    assert sent.json()["where"] == "$.entries[0].tag"
    assert api.size() == size


async def test_imported_matches_push_no_table_out_of_the_room(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "MATCHES_AT_MOST", 2)
    await api.open("m1", table="7")
    for number in range(3):
        source = {"dialect": "xg-mat", "sha256": f"{number:064x}"}
        opened = await api.open(f"old-{number}", source=source)
        assert opened.status_code == 201, opened.text
    shown = (await api.get("/logs/club/room", api.director)).json()
    assert [table["match_id"] for table in shown["tables"]] == ["m1"]


async def test_who_has_not_signed_in_is_asked_to_before_any_log_is_looked_at(
    api: Any, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        api.archive.open_tournament(f"log-{number}", "Another")
    reading = app.state.door.reading
    asked: list[str | None] = []
    grants = reading.grants

    def counted(log_id: str | None, token: str) -> Any:
        asked.append(log_id)
        return grants(log_id, token)

    monkeypatch.setattr(reading, "grants", counted)
    for cookie in (None, f"{COOKIE}=never-was-one"):
        headers = {} if cookie is None else {"Cookie": cookie}
        answer = await api.http.get("/room", headers=headers)
        assert (answer.status_code, answer.headers["location"]) == (303, "/session?next=/room")
    assert len(asked) <= 1


def test_a_name_that_looks_like_a_place_in_a_text_stays_a_name() -> None:
    told = Texts("en", {"won": "{name} wins {points}; {else}"})
    assert told("won", name="{points}", points=3) == "{points} wins 3; {else}"


async def test_a_second_recorder_asked_for_twice_at_once_gets_one_stream(api: Any) -> None:
    await api.open()
    await paired(api, "tablet-2")
    asked = {"match": "m1", "device": "tablet-2"}
    answers = await asyncio.gather(
        *(api.post("/logs/club/shadows", asked, api.director) for _ in range(4))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert len({answer.json()["match_id"] for answer in answers}) == 1


async def test_a_record_shown_by_a_grant_beside_a_public_one_is_kept_by_no_shared_cache(
    api: Any,
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.open("m2")
    viewer = api.token(Role.VIEWER, match="m2")
    path = f"{MATCH}/alignment"
    beside = await api.get(f"{path}?with=m2", viewer)
    assert (beside.status_code, beside.headers["cache-control"]) == (200, "private, no-cache")
    assert (await api.get(path)).headers["cache-control"] == "public, no-cache"


PAGES = [
    *("/", "/tournaments/club", "/matches/club/m1", "/matches/club/m1/replay", "/players"),
    *("/matches/club/m1/embed", "/session", "/tablet", "/sw.js", "/favicon.ico"),
]


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_can_be_asked_for_without_its_body(api: Any, path: str) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    assert (await api.http.head(path)).status_code == 200


async def test_the_replay_of_a_match_under_appeal_says_why_it_is_not_shown(
    api: Any, make: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    turn = make("turn.ended", seat="one")
    filed = make("appeal.filed", target=turn["entry_id"], seat="one")
    assert (await api.append(turn, filed, token=api.director)).status_code == 201
    pages = [await api.get(f"/matches/club/m1{part}", Accept=BROWSER) for part in ("", "/replay")]
    assert [page.status_code for page in pages] == [403, 403]
    for page in pages:
        assert "appeal" in page.text
        assert "Ann" not in page.text


async def test_neither_a_batch_nor_the_room_reads_what_is_parked(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.open()
    hall, tablet = Hall(api), Tablet()
    await hall.pair(tablet)
    stale = tablet.record("game.started", 0)
    assert await hall.outcomes(tablet, stale) == [("stream_conflict", "version_mismatch")]

    def unread(log_id: str) -> None:
        raise AssertionError("every draft that was ever parked is read")

    monkeypatch.setattr(api.archive.store, "parked", unread)
    later = tablet.record("director.called", 1)
    assert await hall.outcomes(tablet, later) == [("stream_conflict", "version_mismatch")]
    [table] = (await api.get("/logs/club/room", api.director)).json()["tables"]
    assert table["parked"] == 2


async def test_a_code_made_on_the_server_itself_leads_a_tablet_there(
    api: Any, app: FastAPI
) -> None:
    hall = "http://192.0.2.7:8340"
    for known, host, origin in (
        (hall, "127.0.0.1:8340", hall),
        (hall, "localhost:8340", hall),
        (hall, "[::1]:8340", hall),
        (hall, "club.example", "http://club.example"),
        (None, "localhost:8340", "http://localhost:8340"),
    ):
        app.state.door.hall = known
        made = await api.post("/logs/club/pairings", {}, api.director, Host=host)
        assert made.status_code == 201, made.text
        assert made.json()["url"].startswith(f"{origin}/tablet?code=")
