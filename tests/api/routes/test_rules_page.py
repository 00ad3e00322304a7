"""The public pages of the rules: every text, every section and every line, in every language."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from api.html.texts import LANGUAGES, texts_of
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
