"""Sections: every text has a table of contents, and all citations cite sections that exist."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import msgspec
import pytest
from federations import FEDERATIONS, federation_match
from headings import TEXTS, sections_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.envelope import RecordedEvent
from projections.folding import findings
from projections.folding.sayings import Said
from projections.replay import replay
from projections.rules.profile import Rules
from projections.rules.shelf import SHELF
from tests.projections.streams import STREAMS, legal_match
from tests.projections.table import Table

ALL = pytest.mark.parametrize("rule_set", SHELF)


@ALL
def test_every_section_that_a_profile_names_is_in_its_contents(rule_set: str) -> None:
    profile = SHELF[rule_set]
    cited = {"": profile.default_section, **profile.sections}
    assert not {name: section for name, section in cited.items() if not profile.caption(section)}


@ALL
def test_captions_are_a_few_words_of_our_own(rule_set: str) -> None:
    for section, caption in SHELF[rule_set].contents.items():
        assert caption, section
        assert len(caption) < 80, section
        assert caption == caption.strip(" ."), section


def test_a_citation_of_several_sections_has_all_their_captions() -> None:
    ratified = SHELF["usbgf-2017-09"]
    assert ratified.caption("[4.8]") == "wrong match length"
    both = ratified.caption("[1.3.3, 4.2.3]")
    assert both == f"{ratified.contents['[1.3.3]']}; {ratified.contents['[4.2.3]']}"


@pytest.mark.parametrize("section", ["[4.9]", "[1.3.3, 9.9]", "4.8", "[]", "", "Record"])
def test_a_section_that_is_not_in_the_text_has_no_caption(section: str) -> None:
    assert SHELF["usbgf-2017-09"].caption(section) is None


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "usbgf-2017-09"])
def test_a_heading_with_a_range_of_numbers_is_the_only_one_in_that_range(rule_set: str) -> None:
    headings = SHELF[rule_set].contents
    ranges = [re.fullmatch(r"\[([\d.]+)\.(\d+)-(\d+)\]", heading) for heading in headings]
    found = [(one[1], int(one[2]), int(one[3])) for one in ranges if one is not None]
    assert len(found) == 2
    for stem, first, last in found:
        assert first < last
        within = {f"[{stem}.{number}]" for number in range(first, last + 1)}
        assert not within & set(headings)


def test_a_club_has_no_heading_of_tournaments_and_tournaments_have_all_of_the_clubs() -> None:
    club, tournament = SHELF["fcbg-club"].contents, SHELF["fcbg-tournament"].contents
    assert not [heading for heading in club if "/T" in heading]
    assert club.items() <= tournament.items()


# The contents are those of the texts.


@pytest.mark.parametrize("rule_set", TEXTS)
def test_the_contents_are_the_sections_of_the_text(rule_set: str, seeds: Path) -> None:
    found = sections_of(rule_set, seeds)
    assert len(found) == len(set(found))
    assert set(found) == set(SHELF[rule_set].contents)


READ = {**TEXTS, "usbgf-2017-09": "000", "fcbg-club": TEXTS["fcbg-tournament"]}
"""Rule sets that were read from a text, and the number of its file."""


@pytest.mark.parametrize("rule_set", READ)
def test_a_rule_set_names_the_text_that_it_was_read_from(rule_set: str, seeds: Path) -> None:
    (path,) = seeds.glob(f"{READ[rule_set]}_*.txt")
    profile = SHELF[rule_set]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == profile.read_from
    assert profile.unread < set(profile.contents)


# Whatever is found. `conftest.py` looks at every citation made in any test of this folder.


def test_the_watch_over_citations_is_kept() -> None:
    event = Table(rule_set="common").events[0]
    cited = findings.found("unread", event, Said("in a chapter"), cite=("common", "Setup"))
    assert cited.section == "Setup"
    with pytest.raises(AssertionError):
        findings.found("unread", event, Said("in none"), cite=("common", "Record"))
    torn = msgspec.structs.replace(SHELF["common"], default_section="Record")
    with pytest.raises(AssertionError):
        Rules(torn).ask("clock.stop", None)


@ALL
@pytest.mark.parametrize("told_by", FEDERATIONS)
def test_playthroughs_cite_what_is_there_under_every_rule_set(told_by: str, rule_set: str) -> None:
    shown = replay(federation_match(told_by).events, rule_set)
    assert shown.findings


@ALL
@pytest.mark.parametrize("seed", range(3))
def test_legal_matches_cite_what_is_there(seed: int, rule_set: str) -> None:
    assert (
        replay(legal_match(seed, length=3, games=1).events, rule_set).rules.profile.id == rule_set
    )


@pytest.mark.gate
@given(events=STREAMS, rule_set=st.sampled_from(list(SHELF)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_happens_the_citations_exist(events: list[RecordedEvent], rule_set: str) -> None:
    for finding in replay(events, rule_set).findings:
        assert finding.rule_set in (rule_set, "common"), finding
        assert SHELF[finding.rule_set].caption(finding.section), finding
