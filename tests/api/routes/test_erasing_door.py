"""The door by which a person is erased while the server runs: looked for, typed again, gone."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from api.archive.archive import open_archive
from api.archive.channel import Terms
from api.archive.erasing import places_of
from api.archive.following import ERASED
from api.archive.index.file import index_file
from api.archive.index.index import MatchIndex
from api.commands.traces import quiet_records, traced
from api.desk.pairing import Claim
from api.routes.shared.cookie import COOKIE, csrf_of
from api.settings import Settings
from events.errors import BadInput, Damaged
from events.payloads.access import Role
from events.payloads.appeal import Vote, VoteCast
from events.store.fsck import fsck
from tests.api.devices import Tablet
from tests.api.routes.conftest import Api, Clock, entry
from tests.api.routes.test_erasing import NAME, TOLD, filled, read_all, served
from tests.api.routes.test_ingest import Hall

SAID = "says"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'archive.sqlite'}"


@pytest.fixture
async def hall(url: str, clock: Clock) -> AsyncIterator[tuple[Api, FastAPI]]:
    """A running server over a file, with a match of the person in it."""
    archive = open_archive(url, now_ms=clock)
    archive.open_tournament("club", "Club night")
    index = MatchIndex(archive.store, archive.reading, path=index_file(url))
    http, api = await served(archive, index)
    app: Any = http._transport.app  # type: ignore[attr-defined]
    async with http:
        await filled(api)
        yield api, app
    index.close()
    archive.close()


async def erasing(api: Api, token: str | None, **body: Any) -> Any:
    return await api.post("/erasures", {"name": NAME, **body}, token)


async def test_it_says_what_would_go_and_erases_only_what_is_confirmed(
    hall: tuple[Api, FastAPI],
) -> None:
    api, _ = hall
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    before = api.size()
    looked = (await erasing(api, archivist)).json()
    assert (looked["erased"], looked["is_done"]) == (0, False)
    assert {one["path"] for one in looked["found"]} >= {"players.one.0.name", "holder", "name"}
    assert [one["path"] for one in looked["still_mentioned"]] == [SAID]
    assert looked["also"] == []
    joined = entry("player.joined", names=[{"name": "Zdenek Quistorp"}, {"name": "Z. Q."}])
    await api.post("/logs/archive/events", {"entries": [joined]}, archivist, If_Match="*")
    assert (await erasing(api, archivist)).json()["also"] == ["Z. Q."]
    page = await form(api, archivist, name=NAME)
    assert "Also known here as Z. Q., which is not erased" in page.text
    before = api.size()
    other = await erasing(api, archivist, confirm="Zdeněk Quistorb")
    assert (other.status_code, other.json()["where"]) == (422, "$.confirm")
    assert api.size() == before
    assert TOLD.search((await api.get("/players")).text)


async def test_who_is_erased_is_told_with_the_spelling_that_was_corrected(
    hall: tuple[Api, FastAPI],
) -> None:
    """The first opening of a match has it too; nothing of it is found by the name that stands."""
    api, _ = hall
    keeper = api.token(Role.ARCHIVIST)
    slip = entry("player.registered", player="p2", name="Zdenka Kwistorp")
    mended = entry("player.registered", player="p2", name=NAME)
    for said in (slip, mended):
        answer = await api.post("/logs/club/events", {"entries": [said]}, keeper, If_Match="*")
        assert answer.status_code == 201
    told = (await erasing(api, keeper, log="club")).json()
    assert told["also"] == ["Zdenka Kwistorp"]
    told = (await erasing(api, keeper, log="club", confirm=NAME)).json()
    assert (told["is_done"], told["also"]) == (True, ["Zdenka Kwistorp"])


@pytest.mark.parametrize("role", [Role.DIRECTOR, Role.SCRIBE, Role.VIEWER, None])
async def test_nobody_but_an_archivist_erases_anybody(
    hall: tuple[Api, FastAPI], role: Role | None
) -> None:
    api, _ = hall
    token = None if role is None else api.token(role)
    size = api.size()
    answer = await erasing(api, token, confirm=NAME)
    assert answer.status_code == (401 if role is None else 403)
    answer = await erasing(api, token, confirm=NAME, log="club")
    assert answer.status_code == (401 if role is None else 403)
    assert api.size() == size
    # Of one log its own archivist may, and of all of them not.
    own = api.token(Role.ARCHIVIST)
    assert (await erasing(api, own, confirm=NAME)).status_code == 403
    assert (await erasing(api, own, confirm=NAME, log="club")).status_code == 200


async def test_a_running_server_says_the_name_nowhere_any_more(
    hall: tuple[Api, FastAPI], tmp_path: Path
) -> None:
    api, app = hall
    door = app.state.door
    before = await read_all(api)
    assert sum(bool(TOLD.search(answer.text)) for answer in before.values()) > 20
    assert any(TOLD.search(one.body.decode(errors="ignore")) for one in kept(app))
    code = await api.post(
        "/logs/club/invitations", {"role": "scribe", "holder": NAME}, api.director
    )
    assert code.status_code == 201
    version = door.reading.live("club", "m1").version
    _, follower = door.hub.join(("club", "m1"), Terms(None, 0), version=version)

    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    answer = await erasing(api, archivist, confirm=f" {NAME} ", words=True)
    done = answer.json()
    assert (answer.status_code, done["is_done"], done["is_scrubbed"]) == (200, True, True)
    assert done["erased"] == len(done["found"]) > 0
    assert (done["left"], done["still_mentioned"], done["held"]) == ([], [], [])

    assert kept(app) == []
    after = await read_all(api)
    left = {where for where, one in after.items() if TOLD.search(one.text)}
    assert left <= {where for where in left if "quistorp" in where.lower()}
    assert not TOLD.search((await api.get("/logs/club/roles", api.director)).text)
    frames = [follower.queue.get_nowait() for _ in range(follower.queue.qsize())]
    assert ERASED in [one.frames for one in frames if one is not None]
    assert fsck(api.archive.store).clean
    for path in tmp_path.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        for mark in (NAME, "Quistorp", "CZE-4711", "Klub Vltava"):
            assert mark.encode() not in content, path
    again = await erasing(api, archivist, confirm=NAME, words=True)
    assert again.status_code == 404


def kept(app: FastAPI) -> list[Any]:
    return list(app.state.kept._made.values())


async def test_what_was_begun_before_is_not_kept_afterwards(hall: tuple[Api, FastAPI]) -> None:
    api, app = hall
    await api.get("/matches/club/m1")
    store = app.state.kept
    assert kept(app)
    age, made = store.age, kept(app)[0]
    store.forget()
    store.put('"late"', made, age=age)
    assert kept(app) == []
    store.put('"anew"', made, age=store.age)
    assert kept(app) == [made]


async def test_a_file_that_others_still_read_is_not_called_cleared(
    hall: tuple[Api, FastAPI], monkeypatch: pytest.MonkeyPatch
) -> None:
    api, _ = hall
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    monkeypatch.setattr(api.archive.store, "_after_erasure", lambda _: False)
    done = (await erasing(api, archivist, confirm=NAME, words=True)).json()
    assert (done["left"], done["is_scrubbed"], done["is_done"]) == ([], False, False)
    again = await erasing(api, archivist, confirm=NAME, words=True)
    assert again.status_code == 503
    monkeypatch.undo()
    again = await erasing(api, archivist, confirm=NAME, words=True)
    assert again.status_code == 404


async def test_an_entry_by_any_other_door_erases_what_it_names_before_it_is_answered(
    hall: tuple[Api, FastAPI],
) -> None:
    api, app = hall
    await read_all(api)
    assert kept(app)
    found = places_of(api.archive, "club", NAME)
    photo = b"a photo of somebody"
    name = hashlib.sha256(photo).hexdigest()
    put = await api.http.put(
        f"/logs/club/files/{name}",
        content=photo,
        headers={"Authorization": f"Bearer {api.scribe}", "Content-Type": "image/png"},
    )
    assert put.status_code == 201
    gone = sorted({*(one.commitment for one in found), name})
    sent = {"entries": [entry("disclosure.erased", commitments=gone)]}
    size = api.size()
    for token in (api.director, api.scribe):
        refused = await api.post("/logs/club/events", sent, token, If_Match="*")
        assert refused.status_code == 403, refused.text
    assert api.size() == size
    assert "archivist" in refused.text
    done = await api.post("/logs/club/events", sent, api.token(Role.ARCHIVIST), If_Match="*")
    assert done.status_code == 201, done.text
    assert kept(app) == []
    assert app.state.door.files.find("club", name) is None
    after = await read_all(api)
    assert [where for where, one in after.items() if TOLD.search(one.text) and "uist" not in where
            and "%9Bk" not in where] == []  # fmt: skip
    assert app.state.door.index.players.person_of(NAME) is None
    assert fsck(api.archive.store).clean


async def test_the_room_says_until_when_copies_hold_what_was_erased(
    hall: tuple[Api, FastAPI], clock: Clock
) -> None:
    api, app = hall
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    days = {"backup_days": 30}
    door = app.state.door
    door.settings = door.settings.model_copy(update=days)
    done = (await erasing(api, archivist, confirm=NAME)).json()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", done["backups_until"])

    async def room() -> str:
        link = {"Cookie": f"{COOKIE}={await signed_in(api, api.director)}", "Accept": "text/html"}
        return (await api.http.get("/room/club?lang=en", headers=link)).text

    assert f"hold it until {done['backups_until']}." in await room()
    door.settings = door.settings.model_copy(update={"backup_days": None})
    assert "when they expire is not set" in await room()
    door.settings = door.settings.model_copy(update=days)
    clock.now += 32 * 86_400_000
    assert "data-lingering" not in await room()


async def test_a_log_that_is_held_is_named_and_the_others_are_done(
    hall: tuple[Api, FastAPI],
) -> None:
    api, _ = hall
    api.archive.open_tournament("other", f"Cup of {NAME}")
    await api.open("m9", log="other", token=api.token(Role.DIRECTOR, log="other"),
                   players={"one": [{"name": NAME}], "two": [{"name": "Bo"}]})  # fmt: skip
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    api.archive.store.hold("club", "it was rolled back")
    done = (await erasing(api, archivist, confirm=NAME)).json()
    assert (done["held"], done["is_done"]) == (["club"], False)
    assert {one["log_id"] for one in done["left"]} == {"club"}
    # A title is readable in sealed bytes: the answer says that it cannot be erased.
    assert done["sealed"] == [f"Cup of {NAME}"]
    assert TOLD.search((await api.get("/logs/club/roles", api.director)).text)
    assert not TOLD.search((await api.get("/logs/other/matches", archivist)).text)


async def test_the_log_of_errors_names_no_player_whatever_fails(
    url: str, clock: Clock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "_logRecordFactory", quiet_records(logging.LogRecord))
    caplog.set_level(logging.DEBUG)
    archive = open_archive(url, now_ms=clock)
    archive.open_tournament("club", "Club night")
    index = MatchIndex(archive.store, archive.reading, path=index_file(url))
    app = create_app(archive, Settings(db=url), index=index)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        api = Api(http, archive)
        await filled(api)
        await read_all(api)
        await api.append(entry("testimony.given", role="nobody", says=NAME))
        await api.append(entry(f"no.such.{NAME}", says=NAME))
        caplog_before = len(caplog.records)

        def fails(*_: object, **__: object) -> object:
            # Like Python's own messages, it repeats the value that caused it.
            return {}[NAME]

        for patched, path in (
            ("api.routes.shared.listing.summaries", "/logs/club/matches"),
            ("api.archive.reading.Reading.opened_values", "/logs/club/matches/m1"),
            ("api.routes.shared.filing.names_of", "/logs/club/export?format=mat"),
        ):
            with monkeypatch.context() as broken:
                broken.setattr(patched, fails)
                await api.get(path, api.director)
    index.close()
    archive.close()
    failed = [one for one in caplog.records[caplog_before:] if one.exc_text]
    assert len(failed) >= 2, "something has failed, and the log says so"
    assert all("builtins.KeyError" in str(one.exc_text) for one in failed)
    # The client of this test says which addresses it asks for; the server says nothing of them.
    for record in [one for one in caplog.records if one.name not in ("httpx", "httpcore")]:
        assert not TOLD.search(logging.Formatter().format(record))


def test_a_trace_says_where_and_of_the_disk_and_the_ledger_also_what() -> None:
    def told(error: Exception, cause: Exception | None = None) -> str:
        try:
            raise error from cause
        except Exception as raised:
            return traced(raised)

    text = told(ValueError(NAME), KeyError(NAME))
    assert "builtins.ValueError" in text
    assert "builtins.KeyError" in text
    assert "in told" in text
    assert NAME not in text
    assert "No space left" in told(OSError(28, "No space left"))
    assert "it is damaged" in told(Damaged("it is damaged"))
    assert NAME not in told(BadInput(f"nobody is called {NAME}"))


# -- the page --------------------------------------------------------------------------------------


async def signed_in(api: Api, token: str) -> str:
    """The word of a session that is begun with this token."""
    api.http.cookies.clear()
    await api.post("/session", {"token": token})
    word = str(api.http.cookies[COOKIE])
    api.http.cookies.clear()
    return word


async def form(api: Api, token: str, **fields: str) -> httpx.Response:
    word = await signed_in(api, token)
    cookie = {"Cookie": f"{COOKIE}={word}"}
    sent = {"csrf": csrf_of(word), **fields}
    return await api.http.post("/erasing", data=sent, headers=cookie)


async def looked_at(api: Api, token: str | None, language: str = "en") -> httpx.Response:
    word = None if token is None else await signed_in(api, token)
    cookie = {} if word is None else {"Cookie": f"{COOKIE}={word}"}
    return await api.http.get(
        f"/erasing?lang={language}", headers={**cookie, "Accept": "text/html"}
    )


async def test_an_archivist_erases_somebody_on_a_page_without_javascript(
    hall: tuple[Api, FastAPI],
) -> None:
    api, _ = hall
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    page = await looked_at(api, archivist)
    assert 'name="name"' in page.text
    assert "<script" not in page.text.split("<main", 1)[1].split("</main>")[0]
    assert page.headers["cache-control"] == "private, no-store"
    size = api.size()

    looked = await form(api, archivist, name=NAME)
    assert "This would go" in looked.text
    assert "players.one.0.name" in looked.text
    assert "Texts that mention the name" in looked.text
    assert "This cannot be undone" in looked.text
    other = await form(api, archivist, name=NAME, confirm="Zdeněk Quistorb")
    assert "The two names differ" in other.text
    assert api.size() == size
    assert TOLD.search((await api.get("/players")).text)

    done = await form(api, archivist, name=NAME, words="on", confirm=f" {NAME} ")
    assert "values were erased" in done.text
    assert 'id="done"' in done.text
    assert not TOLD.search((await api.get("/players")).text)
    assert fsck(api.archive.store).clean
    nobody = await form(api, archivist, name=NAME)
    assert "Nobody in the archive has this name" in nobody.text


async def test_the_page_is_for_archivists_and_for_the_logs_that_they_keep(
    hall: tuple[Api, FastAPI],
) -> None:
    api, _ = hall
    api.archive.open_tournament("other", "Other cup")
    assert (await looked_at(api, None)).headers["location"] == "/session?next=/erasing"
    for role in (Role.DIRECTOR, Role.SCRIBE, Role.VIEWER):
        assert (await looked_at(api, api.token(role))).status_code == 403
        assert (await form(api, api.token(role), name=NAME, log="club")).status_code == 403
    own = api.token(Role.ARCHIVIST)
    page = (await looked_at(api, own, "de")).text
    assert "Eine Person löschen" in page
    assert "Club night" in page
    assert "Other cup" not in page
    assert 'value=""' not in page.split("<select")[1].split("</select>")[0]
    assert (await form(api, own, name=NAME)).status_code == 403
    assert (await form(api, own, name=NAME, log="other")).status_code == 403
    size = api.size()
    sent = {"name": NAME, "confirm": NAME, "log": "club"}
    cookie = {"Cookie": f"{COOKIE}={await signed_in(api, own)}"}
    for csrf in ({}, {"csrf": "0" * 32}):
        strange = await api.http.post("/erasing", data={**sent, **csrf}, headers=cookie)
        assert strange.status_code == 403
        assert "You have signed in anew" in strange.text
        assert f'value="{NAME}"' in strange.text
    assert api.size() == size
    over = await api.http.post("/erasing", data=sent)
    assert over.headers["location"] == "/session?next=/erasing"
    assert api.size() == size
    assert "values were erased" in (await form(api, own, **sent)).text
    link = {"Accept": "text/html", **cookie}
    assert 'href="/erasing"' in (await api.http.get("/room", headers=link)).text
    link["Cookie"] = f"{COOKIE}={await signed_in(api, api.director)}"
    assert 'href="/erasing"' not in (await api.http.get("/room", headers=link)).text


async def test_whoever_may_not_clear_the_files_is_told_what_the_owner_has_to_do(
    hall: tuple[Api, FastAPI], monkeypatch: pytest.MonkeyPatch
) -> None:
    api, _ = hall
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    monkeypatch.setattr(api.archive.store, "_after_erasure", lambda _: False)
    monkeypatch.setattr(api.archive.store, "may_scrub", lambda: False)
    done = (await erasing(api, archivist, confirm=NAME, words=True)).json()
    assert (done["left"], done["is_done"], done["unscrubbed"]) == ([], False, "no_right")
    again = await erasing(api, archivist, confirm=NAME, words=True)
    assert again.status_code == 503
    assert "VACUUM FULL disclosure" in again.json()["detail"]
    assert "VACUUM FULL disclosure" in (await form(api, archivist, name=NAME, confirm=NAME)).text
    monkeypatch.setattr(api.archive.store, "may_scrub", lambda: True)
    again = await erasing(api, archivist, confirm=NAME, words=True)
    assert "others read" in again.json()["detail"]
    monkeypatch.undo()
    assert (await erasing(api, archivist, confirm=NAME, words=True)).status_code == 404


async def test_what_is_written_into_sealed_bytes_is_named_because_nothing_erases_it(
    hall: tuple[Api, FastAPI],
) -> None:
    api, _ = hall
    proposal = f"{NAME} plays on"
    ballot = VoteCast(member="m", vote=Vote.MODIFY, proposal=proposal)
    api.archive.append("club", "m1", [api.archive.draft(ballot)])
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    done = (await erasing(api, archivist, confirm=NAME, words=True)).json()
    assert done["sealed"] == [proposal]


async def test_what_a_device_has_not_committed_to_is_named_where_it_is_kept(
    hall: tuple[Api, FastAPI],
) -> None:
    api, _ = hall
    tablet, sender = Tablet(), Hall(api)
    await sender.pair(tablet)
    note, words = f"{NAME} stood up", f"no draft, but {NAME}'s words"
    body = {"what": "dice", "by": "one", "note": note}
    parked = tablet.record("table.disturbed", api.version(), body=body)
    sent = await sender.outcomes(tablet, parked, tablet.item(words.encode()))
    assert sent == [("stream_conflict", "bad_body"), ("device_fork", "unreadable")]
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    done = (await erasing(api, archivist, confirm=NAME, words=True)).json()
    assert done["sealed"] == [note, words]


async def test_a_device_of_that_name_that_waits_to_be_let_in_is_forgotten(
    hall: tuple[Api, FastAPI],
) -> None:
    api, app = hall
    pairings = app.state.door.pairings
    waiting = {}
    for label in (NAME, "green cover"):
        code = pairings.open("club", match_id=None, table=None)
        claim = Claim("tablet-" + label[:3], None, 1, label[0] * 64, label)
        waiting[label] = pairings.claim(code, claim)
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    assert (await erasing(api, archivist, confirm=NAME)).status_code == 200
    assert [one.claim.label for one in pairings.of_log("club")] == ["green cover"]
