"""Erasing a person: no door, list, search, index, file or cache says the name; proofs hold."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from urllib.parse import quote, quote_plus

import httpx
import pytest

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.erasing import erase, files_beside, places_of
from api.archive.index.file import index_file
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.payloads.access import Role
from events.store.fsck import fsck
from tests.api.routes.conftest import Api, Clock, entry, opening

NAME = "Zdeněk Quistorp"
OTHER = "Borislav Ode"
TOLD = re.compile("zden|quistorp|cze-4711|klub vltava", re.IGNORECASE)
PLAYER = {"name": NAME, "federation_id": "CZE-4711", "club": "Klub Vltava", "id": "p1"}

JSON = "application/json"


def places() -> list[str]:
    """Every readable address of a match, its log and its pages."""
    match, log = "/logs/club/matches/m1", "/logs/club"
    endings = ("mat", "sgf", "txt", "html", "jsonl", "json", "ogxm")
    return [
        *(f"{match}/export.{ending}" for ending in endings),
        *(f"{match}/{one}" for one in ("scenes", "replay", "events", "provenance", "appeals")),
        *("/", "/matches/club/m1", "/matches/club/m1/replay", "/matches/club/m1/embed"),
        *("/matches/club/m1/board.svg", "/matches/club/m1/card.png", "/players", "/feed.atom"),
        *("/tournaments/club", "/tournaments/club?player=quistorp", "/tournaments/club/feed.atom"),
        *("/players/Zden%C4%9Bk%20Quistorp", f"{log}/results", f"{log}/results.csv"),
        *(f"{log}/matches", f"{log}/matches?player=quistorp", f"{log}/events", f"{log}/export"),
        *(f"{log}/room", f"{log}/roles", f"{log}/attendance", f"{match}", log, "/logs"),
        "/tournaments/club/results",
    ]


async def read_all(api: Api) -> dict[str, httpx.Response]:
    """Each address as the director and as the public gets it."""
    return {
        f"{path} {'director' if token else 'public'}": await api.get(path, token)
        for path in places()
        for token in (api.director, None)
    }


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'archive.sqlite'}"


async def filled(api: Api) -> None:
    """A public match of somebody who is registered, holds a grant and is spoken about."""
    players = {"one": [PLAYER], "two": [{"name": OTHER}]}
    await api.open(players=players, publication={"public": True}, transcriber=NAME, table="4")
    await api.append(*opening())
    said = f"{NAME} rolled before I had stopped."
    await api.append(entry("testimony.given", role="spectator", says=said))
    await api.append(entry("testimony.given", role="spectator", says="The die lay flat."))
    registered = {"player": "p1", **{name: PLAYER[name] for name in ("name", "club")}}
    body = {"entries": [entry("player.registered", **registered)]}
    await api.http.post(
        "/logs/club/events",
        json=body,
        headers={"Authorization": f"Bearer {api.director}", "If-Match": "*"},
    )
    api.archive.grant(Role.SCRIBE, log_id="club", holder=NAME)


async def served(archive: Archive, index: MatchIndex) -> tuple[httpx.AsyncClient, Api]:
    app = create_app(archive, Settings(db=archive.url), index=index)
    http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://archive")
    return http, Api(http, archive)


async def test_an_erased_person_is_found_nowhere(url: str, clock: Clock, tmp_path: Path) -> None:
    archive = open_archive(url, now_ms=clock)
    archive.open_tournament("club", "Club night")
    index = MatchIndex(archive.store, archive.reading, path=index_file(url))
    http, api = await served(archive, index)
    async with http:
        await filled(api)
        before = await read_all(api)
        told = [where for where, answer in before.items() if TOLD.search(answer.text)]
        assert len(told) > 20, told
        etags = {where: answer.headers.get("etag") for where, answer in before.items()}
        earlier = before["/logs/club/matches/m1/export.jsonl director"].content
        root = archive.store.log_head("club").root

        found = places_of(archive, "club", NAME)
        assert {one.path for one in found if one.is_words} == {"says"}
        erase(archive, index, found, by="operator")

        after = await read_all(api)
        left = {where: TOLD.findall(answer.text) for where, answer in after.items()}
        asked = {where for where in left if "quistorp" in where.lower()}
        # An address that names somebody is said back by the page that finds nobody there.
        assert {where for where, names in left.items() if names} <= asked
        for where in asked:
            assert "Borislav" not in after[where].text, where
        assert "Borislav" in after["/matches/club/m1 director"].text
        for where, etag in etags.items():
            path, _, who = where.rpartition(" ")
            if etag is None or not TOLD.search(before[where].text):
                continue
            token = api.director if who == "director" else None
            again = await api.get(path, token, If_None_Match=etag)
            assert again.status_code != 304, where

        assert archive.store.log_head("club").root != root, "the erasure itself is recorded"
        assert "disclosure.erased" in (await api.get("/logs/club/events", api.director)).text
        assert fsck(archive.store).clean
        # What was handed out before still opens the commitments in the ledger.
        sealed = after["/logs/club/matches/m1/export.jsonl director"].text
        assert TOLD.search(earlier.decode())
        for line in earlier.decode().splitlines():
            for sd in re.findall(r'"sd\\?":\\?"([0-9a-f]{64})', line):
                assert sd in sealed
    index.close()
    archive.close()
    for path, content in files_in(tmp_path).items():
        assert told_in(content) == [], path


def spellings(mark: str) -> set[bytes]:
    """The bytes of a text as files may contain it: plain, in UTF-16, in JSON, in an address."""
    escaped, quoted = json.dumps(mark)[1:-1], quote(mark)
    told = {mark, escaped, escaped.upper(), quoted, quoted.lower(), quote_plus(mark)}
    return {
        *(one.encode(code) for one in told for code in ("utf-8", "utf-16-le", "utf-16-be")),
        escaped.replace("\\", "\\\\").encode(),
    }


MARKS = (NAME, NAME.lower(), "Zdeněk", "Quistorp", "CZE-4711", "Klub Vltava")


def told_in(content: bytes) -> list[bytes]:
    """What of the person some bytes say, in whatever spelling."""
    return [one for mark in MARKS for one in spellings(mark) if one in content]


def test_a_name_is_known_in_every_spelling() -> None:
    for text in (
        '{"name":"Zden\\u011bk Quistorp"}',
        "/players/Zden%C4%9Bk%20Quistorp",
        "/players?q=zden%c4%9bk+quistorp",
        "ZDEN\\U011BK QUISTORP",
    ):
        assert told_in(text.encode()), text
    assert told_in(f"| {NAME} |".encode("utf-16"))
    assert told_in(json.dumps(json.dumps(NAME.split()[0])).encode())
    assert told_in(b"Borislav Ode") == []


async def test_it_stays_away_from_others_and_says_what_only_a_person_can_judge(
    url: str, clock: Clock
) -> None:
    archive = open_archive(url, now_ms=clock)
    archive.open_tournament("club", "Club night")
    index = MatchIndex(archive.store, archive.reading)
    http, api = await served(archive, index)
    async with http:
        await filled(api)
        photo = hashlib.sha256(b"a photo").hexdigest()
        await api.append(entry("evidence.attached", file=photo, kind="photo"))
        found = places_of(archive, "club", NAME)
        names = [one for one in found if not one.is_words]
        assert {one.path for one in names} == {
            *("players.one.0.name", "players.one.0.federation_id", "players.one.0.club"),
            *("transcriber", "name", "club", "holder"),
        }
        assert files_beside(archive, "club", names) == [("m1", photo)]
        erase(archive, index, names, by="operator")
        scenes = (await api.get("/logs/club/matches/m1/scenes", api.director)).json()["scenes"]
        texts = [word["text"] for scene in scenes for word in scene["words"]]
        assert texts == [f"{NAME} rolled before I had stopped.", "The die lay flat.", *texts[2:]]
        assert places_of(archive, "club", NAME) == [one for one in found if one.is_words]
        assert places_of(archive, "club", "Borislav Ode")
        assert places_of(archive, "club", "Nobody Atall") == []
    index.close()
    archive.close()


async def test_nothing_of_a_namesake_goes_with_somebody(url: str, clock: Clock) -> None:
    archive = open_archive(url, now_ms=clock)
    archive.open_tournament("club", "Club night")
    index = MatchIndex(archive.store, archive.reading)
    http, api = await served(archive, index)
    ann, karl = {"name": "Ann Berg"}, {"name": "Karl Berg", "club": "Bergedorf"}
    source = {"sha256": "ab" * 32, "dialect": "galaxy-mat"}
    async with http:
        for match, one in (("m1", ann), ("m2", karl)):
            named = {**source, "name": f"berg-{match}.mat", "headers": ["Site: Gutenberg"]}
            await api.open(
                match,
                players={"one": [one], "two": [{"name": OTHER}]},
                event="Gutenberg Cup",
                transcriber="Ole Berg",
                source=named,
            )
            said = entry("testimony.given", role="spectator", says=f"Berg of {match} rolled.")
            await api.append(said, match=match)
        archive.grant(Role.SCRIBE, log_id="club", holder="Ann Berg, table 4")
        archive.grant(Role.SCRIBE, log_id="club", holder="Karl Berg")
        found = places_of(archive, "club", "Ann Berg")
    index.close()
    archive.close()
    assert {one.path for one in found if not one.is_words} == {
        *("players.one.0.name", "source.name", "source.headers"),
    }
    # What was said may be about either, and is erased only with words: the person who erases
    # decides that.
    assert [one.path for one in found if one.is_words] == ["says", "says", "holder"]


async def test_a_copy_of_the_index_that_comes_back_names_nobody(
    url: str, clock: Clock, tmp_path: Path
) -> None:
    archive = open_archive(url, now_ms=clock)
    archive.open_tournament("club", "Club night")
    index = MatchIndex(archive.store, archive.reading, path=index_file(url))
    http, api = await served(archive, index)
    async with http:
        await filled(api)
        assert NAME in (await api.get("/players")).text
        index.close()
        kept = tmp_path / "kept-index"
        shutil.copy(index_file(url), kept)
    again = MatchIndex(archive.store, archive.reading, path=index_file(url))
    erase(archive, again, places_of(archive, "club", NAME), by="operator")
    again.close()
    shutil.copy(kept, index_file(url))
    kept.unlink()
    old = MatchIndex(archive.store, archive.reading, path=index_file(url))
    http, api = await served(archive, old)
    async with http:
        for path in ("/players", "/", "/tournaments/club", "/logs/club/matches?player=quistorp"):
            assert not TOLD.search((await api.get(path, api.director)).text.replace(path, "")), path
    old.close()
    archive.close()
