"""The public pages of the rules: every text, every section and every line, in every language."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from api.archive.archive import Archive
from api.html.texts import LANGUAGES, texts_of
from projections.rules.sentences import Mark
from projections.rules.shelf import SHELF

ALL = pytest.mark.parametrize("rule_set", SHELF)


async def page_of(api: Any, path: str) -> str:
    answer = await api.get(path, Accept="text/html")
    assert answer.status_code == 200, path
    return " ".join(html.unescape(str(answer.text)).split())


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_rule_set_is_on_the_list(api: Any, language: str) -> None:
    page = await page_of(api, f"/rules?lang={language}")
    for profile in SHELF.values():
        assert f'<a href="/rules/{profile.id}">{profile.title}</a>' in page
    assert texts_of(language)("rules.about") in page


@ALL
@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_line_stands_below_its_section(api: Any, rule_set: str, language: str) -> None:
    texts, profile = texts_of(language), SHELF[rule_set]
    page = await page_of(api, f"/rules/{rule_set}?lang={language}")
    parts = re.findall(r'<section id="([^"]+)">(.*?)</section>', page)
    assert len(parts) == len({line.section for line in profile.index})
    below = dict(parts)
    for line in profile.index:
        told = below[line.section.replace(" ", "-")]
        assert (texts(line.what) if texts.has(line.what) else line.what) in told
        assert f"<strong>{texts(f'rules.{line.how.value}')}</strong>" in told
        for name in line.names:
            assert f"<code>{name}</code>" in told


@ALL
async def test_every_section_says_whether_it_is_verified_and_by_what(
    api: Any, rule_set: str
) -> None:
    profile = SHELF[rule_set]
    page = await page_of(api, f"/rules/{rule_set}")
    sections = re.findall(r'<section id="([^"]+)">(.*?)</section>', page)
    assert len(sections) == len({line.section for line in profile.index})
    for section, told in sections:
        one = next(
            line.section for line in profile.index if line.section.replace(" ", "-") == section
        )
        known = [known for known in profile.sentences.values() if known.section == one]
        if profile.read_from is not None and one not in profile.unread:
            assert f"Verified: read from the text itself, SHA-256 {profile.read_from}." in told
        elif not known:
            assert "Not verified: none of its words is in hand" in told
        for sentence in known:
            is_published = sentence.mark is Mark.PUBLISHED
            says = f"verified, SHA-256 {sentence.sha256}." if is_published else "not verified."
            assert f"Sentence {sentence.name}: {says}" in told


async def test_a_sentence_of_a_loaded_text_is_verified_on_the_page(
    api: Any, archive: Archive
) -> None:
    sentence = SHELF["wbgf-2.1"].sentences["4.3(iii)"]
    assert sentence.sha256 is not None
    archive.reading.judge_with({"wbgf-2.1": {sentence.name: sentence.sha256}})
    page = await page_of(api, "/rules/wbgf-2.1")
    assert f"Sentence 4.3(iii): verified, SHA-256 {sentence.sha256}." in page
    assert "Sentence 4.3(iii)#noticed: not verified." in page


@ALL
@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_word_of_the_index_is_translated(rule_set: str, language: str) -> None:
    texts, profile = texts_of(language), SHELF[rule_set]
    said = {*profile.contents.values()}
    for line in profile.index:
        said |= {line.what} | ({line.why} if line.why else set())
    assert {one for one in said if not texts.has(one)} == set()


async def test_a_rule_set_that_is_not_there_is_refused(api: Any) -> None:
    answer = await api.get("/rules/nowhere-1999")
    assert answer.status_code == 404


async def test_the_rules_are_linked_where_readers_are(api: Any) -> None:
    await api.open(rule_set="biba-2014", publication={"public": True, "delay_ms": 0})
    for path in ("/", "/players", "/matches/club/m1"):
        assert 'href="/rules"' in await page_of(api, path)
    assert 'href="/rules/biba-2014"' in await page_of(api, "/matches/club/m1")


async def test_a_rule_set_that_is_not_there_is_not_linked(api: Any) -> None:
    await api.open(rule_set="nowhere-1999", publication={"public": True, "delay_ms": 0})
    page = await page_of(api, "/matches/club/m1")
    assert "nowhere-1999" in page
    assert 'href="/rules/nowhere-1999"' not in page
