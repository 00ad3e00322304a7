"""Texts that are loaded beside an open archive: noticed, never by half, shown to who directs."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.archive import noticing as noticing_module
from api.archive.archive import Archive, open_archive
from api.archive.index import index as index_module
from api.archive.index.index import MatchIndex
from api.archive.noticing import GLANCE_S, SETTLED_S, Noticing
from api.archive.reading import Reading
from api.archive.rule_texts import Loaded, RuleTexts, Stand, Verified
from api.settings import Settings
from events.payloads.access import Role
from projections.rules.sentences import sentence_hash
from tests.api.routes.conftest import Api

LOST = "The player whose time has run out has lost the match."
SAID = "The roll is thrown again, and the delay begins anew."
SET = "wbgf-2.1"
TEXT = f"4.3 Time\n(iii) {LOST}\n{SAID}\n"


def loaded(text: str = TEXT, rule_set: str = SET) -> tuple[bytes, Loaded]:
    data = text.encode()
    sha256 = hashlib.sha256(data).hexdigest()
    return data, Loaded(
        rule_set=rule_set, sha256=sha256, kind="txt", name="ours.txt", added_ms=0, by="Ida"
    )


def add(folder: Path, text: str = TEXT, rule_set: str = SET) -> Loaded:
    """Load a text as another process does: nothing of the open archive knows of it."""
    data, one = loaded(text, rule_set)
    RuleTexts(folder).add(data, text, one)
    return one


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "rules"


@pytest.fixture
async def beside(
    archive: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Api]:
    """An app whose texts lie in a folder that is empty so far, and that looks at each request."""
    monkeypatch.setattr(noticing_module, "GLANCE_S", 0.0)
    index = MatchIndex(archive.store, archive.reading)
    app = create_app(archive, Settings(db=archive.url, rule_texts=folder), index=index)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        yield Api(http, archive)
    index.close()


async def flagged(api: Api, make: Any, rule_set: str = SET) -> None:
    await api.open(rule_set=rule_set)
    terms = {"one": 0, "two": 0}
    entries = (
        make("clock.set", kind="simple", reserve_ms=terms, delay_ms=12_000),
        make("clock.flag_noticed", whose="one"),
    )
    answer = await api.append(*entries, token=api.director)
    assert answer.status_code == 201, answer.text


async def seen(api: Api) -> tuple[str | None, int, str | None]:
    """Who has won, what the room counts, and who the list says has won."""
    view = await api.get("/logs/club/matches/m1/score", api.director)
    room = await api.get("/logs/club/room", api.director)
    listed = await api.get("/logs/club/matches", api.director)
    assert {view.status_code, room.status_code, listed.status_code} == {200}
    [table], [row] = room.json()["tables"], listed.json()["matches"]
    return view.json()["outcome"]["winner"], table["questions"], row["winner"]


async def test_a_text_is_noticed_when_it_is_loaded_and_when_it_is_let_go_of(
    beside: Api, make: Any, folder: Path
) -> None:
    await flagged(beside, make)
    asked = await seen(beside)
    assert (asked[0], asked[2]) == (None, None)
    one = add(folder)
    assert await seen(beside) == ("two", asked[1] - 1, "two")
    RuleTexts(folder).remove(one)
    assert await seen(beside) == asked


async def test_a_sentence_that_is_named_later_is_noticed(
    beside: Api, make: Any, folder: Path
) -> None:
    one = add(folder)
    await flagged(beside, make)
    await beside.append(make("dice.voided", caller="one"), token=beside.director)
    await seen(beside)
    held = beside.archive.reading.in_hand
    assert set(held[SET]) == {"4.3(iii)"}
    RuleTexts(folder).verify(
        Verified(
            rule_set=SET, sentence="4.3#roll", sha256=sentence_hash(SAID), words=SAID,
            text_sha256=one.sha256, at_ms=0, by="Ida",
        )
    )  # fmt: skip
    await seen(beside)
    assert set(beside.archive.reading.in_hand[SET]) == {"4.3(iii)", "4.3#roll"}


async def test_a_match_of_another_rule_set_is_not_listed_anew(
    beside: Api, make: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await flagged(beside, make, "biba-2014")
    before = await seen(beside)
    listed: list[str] = []
    list_one = index_module.listed

    def noted(reading: Reading, log_id: str, stream_id: str, first: int) -> Any:
        listed.append(stream_id)
        return list_one(reading, log_id, stream_id, first)

    monkeypatch.setattr(index_module, "listed", noted)
    add(folder)
    assert await seen(beside) == before
    assert listed == []


async def test_an_answer_that_was_kept_is_not_unchanged_once_a_text_is_loaded(
    beside: Api, make: Any, folder: Path
) -> None:
    await flagged(beside, make)
    path = "/logs/club/matches/m1/score"
    etag = (await beside.get(path, beside.director)).headers["etag"]
    same = await beside.get(path, beside.director, if_none_match=etag)
    assert same.status_code == 304
    add(folder)
    assert (await beside.get(path, beside.director, if_none_match=etag)).status_code == 200


def test_an_own_copy_counts_when_it_has_lain_unchanged_for_a_second(tmp_path: Path) -> None:
    archive = open_archive("memory://")
    now = 0.0
    noticing = Noticing(RuleTexts(tmp_path), archive.reading, clock=lambda: now)

    def look() -> set[str]:
        if noticing.is_due():
            noticing.take()
        return set(archive.reading.in_hand.get(SET, {}))

    assert look() == set()
    copy = tmp_path / f"{SET}.txt"
    # The first half of it: what follows makes another rule of the sentence.
    copy.write_text(f"## 4.3(iii)\n{LOST[:-1]}", "utf-8")
    assert look() == set()
    now += SETTLED_S / 2
    assert look() == set()
    copy.write_text(f"## 4.3(iii)\n{LOST[:-1]}, unless nobody noticed.", "utf-8")
    now += SETTLED_S / 2
    assert look() == set()
    now += SETTLED_S
    assert look() == set()
    copy.write_text(f"## 4.3(iii)\n{LOST}\n", "utf-8")
    assert look() == set()
    # A text that is loaded meanwhile does not have the copy read before its time.
    add(tmp_path, "4.5 Nothing of use.\n")
    assert look() == set()
    now += SETTLED_S
    assert look() == {"4.3(iii)"}
    archive.close()


def test_a_folder_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    archive = open_archive("memory://")
    noticing = Noticing(RuleTexts(tmp_path), archive.reading)
    add(tmp_path)
    noticing.take()
    held = archive.reading.in_hand
    assert set(held[SET]) == {"4.3(iii)"}
    (tmp_path / "loaded.json").write_bytes(b"{half")
    assert noticing.is_due()
    noticing.take()
    assert archive.reading.in_hand is held
    assert not noticing.is_due()
    archive.close()


def test_requests_look_at_the_folder_now_and_then(tmp_path: Path) -> None:
    now, looks = 0.0, 0

    class Counted(RuleTexts):
        def stand(self) -> Stand:
            nonlocal looks
            looks += 1
            return super().stand()

    archive = open_archive("memory://")
    noticing = Noticing(Counted(tmp_path), archive.reading, clock=lambda: now)
    noticing.take()
    looks = 0
    assert [noticing.glance() for _ in range(100)] == [False] * 100
    assert looks == 1
    add(tmp_path)
    assert not noticing.glance()
    now += GLANCE_S
    assert noticing.glance()
    archive.close()


def test_an_index_that_cannot_be_looked_at_stops_no_request(tmp_path: Path) -> None:
    archive = open_archive("memory://")
    noticing = Noticing(RuleTexts(tmp_path), archive.reading)
    noticing.take()
    (tmp_path / "loaded.json").symlink_to(tmp_path / "loaded.json")
    assert not noticing.is_due()
    assert archive.reading.in_hand == {}
    archive.close()


def test_a_text_that_goes_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, one = RuleTexts(tmp_path), add(tmp_path)
    texts_of, gone = RuleTexts.texts, []

    def goes(self: RuleTexts, rule_set: str) -> Any:
        if not gone:
            gone.append(RuleTexts(tmp_path).loaded)
            # The index was read, and the file is let go of before its words are.
            RuleTexts(tmp_path).remove(one)
            raise FileNotFoundError(one.sha256)
        return texts_of(self, rule_set)

    monkeypatch.setattr(RuleTexts, "texts", goes)
    stand, in_hand = texts.read()
    assert in_hand == {}
    assert stand == texts.stand()


# Beside a question of the room.


async def test_who_directs_is_shown_the_text_of_a_section_and_nobody_else_is(
    beside: Api, make: Any, folder: Path
) -> None:
    await flagged(beside, make)
    path = "/room/club/text?rule_set=wbgf-2.1&section=4.3(iii)"
    assert (await beside.get(path, beside.director)).json() == {"text": None}
    page = (await beside.get("/room/club", beside.director)).text
    assert "data-loaded" not in page
    add(folder)
    told = await beside.get(path, beside.director)
    assert told.json() == {"text": f"(iii) {LOST}\n{SAID}"}
    assert told.headers["cache-control"] == "private, no-store"
    page = (await beside.get("/room/club", beside.director)).text
    assert '<option value="4.3(iii)" data-loaded>' in page
    assert '<option value="4.5" data-loaded>' not in page
    assert LOST not in page
    for role in (Role.SCRIBE, Role.VIEWER, Role.COMMITTEE):
        assert (await beside.get(path, beside.token(role))).status_code == 403
    assert (await beside.get(path)).status_code == 401
    assert (await beside.get(path.replace("club", "none"), beside.director)).status_code in {
        401,
        404,
    }
