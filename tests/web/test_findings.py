"""Findings on German pages: no English sentence is left, and players have their names."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from api.exchange.writing.kinds import MAT, SGF
from api.html.assets import assets
from api.html.entry_words import sentence, word
from api.html.texts import LANGUAGES, texts_of
from projections.rules.shelf import SHELF
from tests.projections.rules.federations import FEDERATIONS, federation_match
from tests.web.conftest import LOG, Site
from tests.web.replay_rig import open_replay, put

pytestmark = pytest.mark.warm

NAMES = {"one": "Ada", "two": "Ben"}
ENGLISH, GERMAN = map(texts_of, LANGUAGES)


@pytest.fixture
def director(new_context: Callable[..., BrowserContext], sign_in: Callable[..., None]) -> Page:
    """The page of somebody who rules."""
    context = new_context()
    sign_in(context)
    return context.new_page()


@pytest.fixture(params=["biba-2014", "usbgf-2017-07"])
def match(request: pytest.FixtureRequest, site: Site) -> str:
    """A match in which much is found, under one rule set after the other."""
    return put(site, federation_match(request.param).events, "m1")


def found_in(site: Site, match: str) -> dict[str, Any]:
    with site.http() as client:
        view: dict[str, Any] = client.get(f"/logs/{LOG}/matches/{match}/findings").json()
    assert len(view["findings"]) > 5
    return view


def told(texts: Any, found: list[dict[str, Any]]) -> set[str]:
    return {sentence(texts, one["said"], NAMES) for one in found}


def holds_german_alone(shown: str, found: list[dict[str, Any]]) -> None:
    """Every one of these sentences stands there in German, and none in English."""
    shown = " ".join(shown.split())
    assert {one for one in told(GERMAN, found) if one not in shown} == set()
    # A single word may be one of both languages.
    english = told(ENGLISH, found) | {one["message"] for one in found}
    assert {one for one in english if " " in one and one in shown} == set()


def test_the_public_page_tells_findings_and_questions_in_german(site: Site, match: str) -> None:
    view = found_in(site, match)
    with site.http() as client:
        page = html.unescape(client.get(f"/matches/{LOG}/{match}?lang=de").text)
        sheet = html.unescape(client.get(f"/matches/{LOG}/{match}?part=sheet&lang=de").text)
    holds_german_alone(page, view["findings"])
    assert "a ruling is needed" not in page
    assert "ruled at" not in page
    holds_german_alone(sheet, view["findings"])
    cited = {(one["rule_set"], one["section"]) for one in view["findings"] if one["section"]}
    captions = {SHELF[rule_set].caption(section) for rule_set, section in cited} - {None}
    assert len(captions) > 2
    # Whoever does not see the board is told it too.
    labels = re.findall(r'role="img" aria-label="([^"]+)"', page)
    assert labels
    assert all(re.search(r"[0-9] auf Feld [0-9]", one) for one in labels)
    assert not any(re.search(r" on (?:bar|[0-9])", one) for one in labels)
    # What a file leaves out stands there once the match tells everything.
    assert "fehlt." in page
    assert not [one for one in (*MAT.values(), *SGF.values()) if one in page]
    for caption in captions:
        assert GERMAN.caption(caption) in page, caption
        assert f">{caption}<" not in page
        assert f'title="{caption}"' not in sheet
    for question in view["questions"]:
        if question["answered"] is None and question["readings"]:
            assert " / ".join(word(GERMAN, one) for one in question["readings"]) in page


def test_the_score_sheet_is_told_in_german(site: Site, match: str) -> None:
    page = f"/matches/{LOG}/{match}?part=sheet&lang="
    with site.http() as client:
        english, german = (html.unescape(client.get(page + one).text) for one in LANGUAGES)
    for there, here in (
        ("doubles to 2", "doppelt auf 2"),
        (">takes<", ">nimmt an<"),
        ("wins 2 points", "gewinnt 2 Punkte"),
        (">illegal<", ">regelwidrig<"),
        ("clock set", "Die Uhr ist gestellt"),
    ):
        assert there in english
        assert there not in german
        assert here in german
    assert "31:" in german


def test_what_was_agreed_is_told_in_german(site: Site, match: str) -> None:
    page = f"/matches/{LOG}/{match}?lang="
    with site.http() as client:
        english, german = (html.unescape(client.get(page + one).text) for one in LANGUAGES)
    for there, here in (
        (">Length<", ">Länge<"),
        (">match to ", ">Match bis "),
        (">Options<", ">Festlegungen<"),
        ("moves policy: ", "Zugregel: "),
    ):
        assert there in english
        assert there not in german
        assert here in german


def test_the_english_page_names_the_players(site: Site, match: str) -> None:
    view = found_in(site, match)
    with site.http() as client:
        page = html.unescape(client.get(f"/matches/{LOG}/{match}?lang=en").text)
    assert {one for one in told(ENGLISH, view["findings"]) if one not in page} == set()


def test_the_replay_tells_findings_in_german(site: Site, match: str, director: Page) -> None:
    view = found_in(site, match)
    open_replay(director, match, "?lang=de")
    holds_german_alone(director.locator("#findings").inner_text(), view["findings"])
    with site.http() as client:
        page = client.get(f"/matches/{LOG}/{match}/replay?lang=de").text
    holds_german_alone(html.unescape(page), view["findings"])


def test_the_room_asks_its_questions_in_german(site: Site, director: Page) -> None:
    match = put(site, federation_match("biba-2014").events, "m1")
    questions = [one for one in found_in(site, match)["questions"] if one["answered"] is None]
    assert questions
    director.goto(f"/room/{LOG}?lang=de#{match}")
    expect(director.locator(".question").first).to_be_visible()
    # Those that the players have settled between them lie in a fold.
    director.locator("#room-view details").evaluate_all("all => all.forEach(d => d.open = true)")
    holds_german_alone(director.locator("#room-view").inner_text(), questions)


def test_what_two_rule_sets_say_otherwise_is_told_in_german(
    site: Site, match: str, director: Page
) -> None:
    open_replay(director, match, "?lang=de&rules=fcbg-tournament")
    with site.http() as client:
        body = client.get(f"/logs/{LOG}/matches/{match}/scenes?rules=fcbg-tournament").json()
    sides = [side for one in body["contrasts"] for side in (one["rules"], one["against"]) if side]
    holds_german_alone(director.locator(".contrast-list").inner_text(), sides)


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_and_module_say_a_sentence_alike(site: Site, director: Page, language: str) -> None:
    shown = [federation_match(rules).replay for rules in FEDERATIONS]
    every = [finding.said.as_json() for one in shown for finding in one.findings]
    words = ["continue_7", "match_lost", "window.play", "cube_4", "4-3", "never_said", "7"]
    match = put(site, federation_match("biba-2014").events, "m1")
    open_replay(director, match, f"?lang={language}")
    theirs = director.evaluate(
        """async ([module, every, words, names]) => {
            const {sentence, word} = await import(module);
            return [every.map((said) => sentence(said, names)), words.map(word)];
        }""",
        [assets().url("replay/words.js"), every, words, NAMES],
    )
    texts = texts_of(language)
    assert theirs == [
        [sentence(texts, one, NAMES) for one in every],
        [word(texts, one) for one in words],
    ]
