"""Every sentence that a director is shown in the test cases can be read aloud as it is."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import pytest
from shown import everything, told

from api.html.texts import LANGUAGES
from projections.folding.sayings import Said
from projections.rules.shelf import SHELF

CODED = re.compile(r"[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+|\b[a-z]+\.[a-z]\w+|[0-9a-f]{8}-[0-9a-f]{4}-")
"""Words joined by an underscore, tags of entries, and ids of entries."""
PLACE = re.compile(r"[{}]|\[|\bNone\b")
SEAT = re.compile(r"\b(?:one|two)\b")


@functools.cache
def _findings() -> tuple[tuple[str, Said], ...]:
    """Each thing said, once, with where it is said first: findings, and what a text leans to."""
    first: dict[str, tuple[str, Said]] = {}
    for shown in everything():
        where = f"{shown.source} under {shown.rule_set}"
        for finding in shown.replay.findings:
            asked = finding.ruling_required
            leaning = None if asked is None else asked.leaning
            for one in (finding.said, leaning):
                if one is not None:
                    first.setdefault(str(one), (where, one))
    return tuple(first.values())


def _parts(one: Said) -> Iterator[Said]:
    yield one
    for part in one.parts.values():
        yield from _parts(part)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_holds_a_code_or_an_unfilled_place(language: str) -> None:
    assert len(_findings()) > 400
    wrong = [
        (where, text)
        for where, one in _findings()
        for text in (told(one, language),)
        if CODED.search(text) or PLACE.search(text) or any(name in text.split() for name in SHELF)
    ]
    assert wrong == []


def test_a_player_is_never_a_bare_number() -> None:
    """A seat is a place for a name: no value and no word of a rule set stands for it."""
    bare = [
        (where, str(part))
        for where, one in _findings()
        for part in _parts(one)
        if any(SEAT.search(str(value)) for value in part.facts.values())
        or re.fullmatch(r"(?:\w+ )?(?:one|two)|(?:one|two) (?:lost|wins|won)", part.text)
    ]
    assert bare == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_says_that_somebody_decides_it(language: str) -> None:
    """A finding that waits for a ruling says so itself, also without its readings."""
    who = {"en": "for the Director", "de": "Turnierleitung"}[language]
    silent = {
        finding.code
        for shown in everything()
        for finding in shown.replay.findings
        if finding.ruling_required is not None and who not in told(finding.said, language)
    }
    assert silent == set()


def test_two_players_are_more_than_one_in_german() -> None:
    """Where a place holds both names, no singular verb follows it."""
    two = r"(?:Ada und Ben|Ben und Ada|[Bb]eide)"
    wrong = rf"(?<!von )\b{two} (?:hat|ist|wird|soll|muss|darf|möchte)\b"
    texts = {told(one, "de") for _, one in _findings()}
    assert {text for text in texts if re.search(wrong, text)} == set()
    assert any("Ada und Ben" in text for text in texts)
