"""The server signs what logs grow by; a log that was rolled back takes nothing in."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from api.archive.archive import Archive, open_archive
from api.archive.keyring import Keyring, keys_folder
from api.evidence.ticking import ticking
from events.envelope import TOURNAMENT_STREAM
from events.payloads.access import Role
from events.payloads.tournament import TournamentOpened
from events.sealing.notes import parse_checkpoint, parse_note
from tests.api.evidence.conftest import LOG, MATCH
from tests.api.routes.tablets import hashed


def entry(tag: str, **body: Any) -> dict[str, Any]:
    return {"entry_id": str(uuid.uuid4()), "tag": tag, "body": body}


def is_ticking() -> bool:
    return "sign what grew" in {task.get_name() for task in asyncio.all_tasks()}


def hold(archive: Archive, log_id: str = LOG) -> None:
    archive.store.hold(log_id, f"the log {log_id} is an older copy")


async def test_a_log_that_is_opened_over_http_is_opened_with_its_key(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    made = await http.post("/logs", json={"title": "Candle Cup", "log_id": "candle"})
    assert made.status_code == 201, made.text
    assert archive.signing is not None
    [key] = archive.signing.keyring.verifiers("candle")
    [first] = archive.reading.live("candle", TOURNAMENT_STREAM).recorded
    assert isinstance(first.payload, TournamentOpened)
    assert first.payload.log_key == str(key)
    assert archive.reading.tournament("candle").keys == (str(key),)


async def test_nobody_else_says_which_key_a_log_is_signed_with(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    size = archive.store.log_head(LOG).size
    director, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
    forged = {"entries": [entry("key.rotated", new="mine+00000000+AQ==")]}
    for token in (archive.operator_token(), director):
        answer = await http.post(
            f"/logs/{LOG}/events", json=forged,
            headers={"If-Match": "*", "Authorization": f"Bearer {token}"},
        )  # fmt: skip
        assert answer.status_code == 403, answer.text
        assert "tabularium keys rotate" in answer.json()["needs"]
    opened = {"title": "Mine", "log_key": "mine+00000000+AQ=="}
    assert (await http.post("/logs", json=opened)).status_code == 422
    assert archive.store.log_head(LOG).size == size + 1  # the director's grant


async def test_what_is_appended_is_signed_a_moment_later(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    async with ticking(archive, every_s=0.01):
        for face in (1, 2):
            answer = await http.post(
                f"/logs/{LOG}/matches/{MATCH}/events",
                json={"entries": [entry("dice.rolled", seat="two", dice=[face, face])]},
                headers={"If-Match": "*"},
            )
            assert answer.status_code == 201, answer.text
            size = archive.store.log_head(LOG).size
            for _ in range(500):
                kept = archive.store.checkpoint(LOG)
                if kept is not None and kept.size == size:
                    break
                await asyncio.sleep(0.01)
            assert kept is not None
            assert parse_checkpoint(parse_note(kept.note).text).size == size
            assert archive.signing is not None
            edge = archive.signing.keyring.last_signed(LOG)
            assert edge is not None
            assert edge.size == size


async def test_a_running_app_ticks(app: FastAPI, archive: Archive) -> None:
    async with app.router.lifespan_context(app):
        assert is_ticking()
    assert not is_ticking()


async def test_what_is_not_signed_when_it_stops_is_signed_then(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'club.db'}"
    keyring = Keyring(keys_folder(url))
    archive = open_archive(url, keyring=keyring)
    archive.open_tournament(LOG, "Lantern Open")
    size = archive.store.log_head(LOG).size
    assert keyring.last_signed(LOG) is None
    archive.close()
    edge = keyring.last_signed(LOG)
    assert edge is not None
    assert edge.size == size


async def test_an_archive_without_keys_does_not_tick() -> None:
    archive = open_archive("memory://")
    async with ticking(archive, every_s=0.0):
        assert not is_ticking()
    archive.close()


async def test_an_append_to_a_log_that_is_held_is_refused_and_says_why(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    hold(archive)
    before = archive.store.log_head(LOG)
    answers = [
        await http.post(
            f"/logs/{LOG}/matches/{MATCH}/events",
            json={"entries": [entry("dice.rolled", seat="two", dice=[1, 2])]},
            headers={"If-Match": "*"},
        ),
        await http.post(f"/logs/{LOG}/matches", json={"match_id": "m9", "opened": {
            "players": {"one": [], "two": []}}}),
        await http.post(f"/logs/{LOG}/events", headers={"If-Match": "*"}, json={
            "entries": [entry("tournament.described", title="Other")]}),
    ]  # fmt: skip
    for answer in answers:
        assert answer.status_code == 409, answer.text
        problem = answer.json()
        assert problem["type"] == "/problems/rolled-back"
        assert problem["detail"] == f"the log {LOG} is an older copy"
    assert archive.store.log_head(LOG) == before
    # It can still be read.
    assert (await http.get(f"/logs/{LOG}/matches/{MATCH}/events")).status_code == 200


async def test_a_tablet_keeps_what_a_held_log_does_not_take(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    token = hashed("token of tablet-1")
    made = (await http.post(f"/logs/{LOG}/pairings", json={})).json()
    claim = {
        "code": made["code"], "device": "tablet-1", "epoch": 1, "token_sha256": hashed(token)
    }  # fmt: skip
    assert (await http.post("/pairings/claims", json=claim)).status_code == 202
    approval = f"/logs/{LOG}/pairings/{made['pairing_id']}/approval"
    assert (await http.post(approval, json={})).status_code == 201
    hold(archive)
    answer = await http.post(
        f"/logs/{LOG}/ingest",
        json={"items": [{"draft": "e30="}]},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 409, answer.text
    assert answer.json()["type"] == "/problems/rolled-back"
    assert archive.store.journal_size(LOG) == 0


async def test_the_room_says_that_a_log_is_held(http: httpx.AsyncClient, archive: Archive) -> None:
    first = await http.get(f"/logs/{LOG}/room")
    assert first.json()["held"] is None
    hold(archive)
    second = await http.get(f"/logs/{LOG}/room", headers={"If-None-Match": first.headers["ETag"]})
    assert second.status_code == 200
    assert second.json()["held"] == f"the log {LOG} is an older copy"
