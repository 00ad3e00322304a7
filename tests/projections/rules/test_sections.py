"""Sections: every text has its contents, and whatever cites one cites what is there."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec
import pytest
from federations import FEDERATIONS, federation_match
from golden import SHARED
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


@pytest.fixture
def seeds() -> Path:
    """The folder of the texts; skips, or fails where everything is required, without it."""
    folder = SHARED / "seeds"
    if not folder.is_dir():
        reason = f"no texts at {SHARED}: set TABULARIUM_SHARED"
        if os.environ.get("TABULARIUM_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


NUMBERED = {"usbgf-2017-07": "001", "biba-2014": "003"}
"""Texts that number their sections, and the file of each."""


@pytest.mark.parametrize("rule_set", NUMBERED)
def test_the_contents_are_the_numbers_of_the_text(rule_set: str, seeds: Path) -> None:
    (path,) = seeds.glob(f"{NUMBERED[rule_set]}_*.txt")
    text = path.read_text("utf-8")
    if rule_set == "biba-2014":
        # 1.0, 2.0 ... are names of chapters, and say nothing.
        numbers = re.findall(r"^(\d\.\d+a?) ", text, re.MULTILINE)
        heads = {number for number in numbers if not number.endswith(".0")}
        heads |= {f"St. {number}" for number in re.findall(r"^(\d)\. ", text, re.MULTILINE)}
        heads.add("ClkR")
    else:
        heads = set(re.findall(r"^#+ .*<sup>(\[[\d.-]+\])</sup>", text, re.MULTILINE))
    assert heads == set(SHELF[rule_set].contents)


HEADING = re.compile(r"(GAME PLAY/)?[A-Z0-9][A-Z0-9 /]+(?=\. ?)")
SHORT = {"IRREGULARITIES": "IRR", "CONTENTIONS": "CONT", "CRAWFORD RULE": "CRAWFORD"}


def test_the_contents_of_fcbg_are_its_headings(seeds: Path) -> None:
    (path,) = seeds.glob("002_*.txt")
    heads, inside = set(), ""
    for line in path.read_text("utf-8").splitlines():
        item = re.match(r"\(([a-z])\) ", line)
        heading = HEADING.match(line)
        if item and inside in ("IRR/T", "CONT/T"):
            heads.add(f"{inside}({item[1]})")
        elif heading:
            inside = _cited(heading[0])
            heads.add(inside)
    assert heads - {"IRR/T", "CONT/T"} == set(SHELF["fcbg-tournament"].contents)


def _cited(heading: str) -> str:
    """A heading of the text as it is cited."""
    bare, slash, _ = heading.removeprefix("GAME PLAY/").partition("/TOURNAMENT")
    for folder in ("IRREGULARITIES/", "DICE/", "CHECKERS/", "DOUBLING/"):
        bare = bare.removeprefix(folder)
    return SHORT.get(bare, bare) + ("/T" if slash else "")


def test_the_contents_of_common_are_its_chapters(seeds: Path) -> None:
    (path,) = seeds.glob("004_*.txt")
    lines = path.read_text("utf-8").splitlines()
    # A chapter's name stands alone between two empty lines; the site's own words come after.
    alone = [line for line in lines[1 : lines.index("SOCIAL NETWORKS")] if 0 < len(line) < 20]
    assert list(SHELF["common"].contents) == alone


# Whatever is found. `conftest.py` looks at every citation made in any test of this folder.


def test_the_watch_over_citations_is_kept() -> None:
    event = Table(rule_set="common").events[0]
    cited = findings.found("unread", event, Said("in a chapter"), cite=("common", "Setup"))
    assert cited.section == "Setup"
    with pytest.raises(AssertionError):
        findings.found("unread", event, Said("in none"), cite=("common", "Record"))
    torn = msgspec.structs.replace(SHELF["common"], default_section="Record")
    with pytest.raises(AssertionError):
        Rules(torn).ask("cube.sign", None)


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
