"""The index by section: whole by the texts themselves, and true by what the policies cite."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec
import own
import pytest
from federations import FEDERATIONS, federation_match
from headings import SAME_TEXT, TEXTS, items_of, paragraphs_of, sections_of
from subjects import SUBJECTS

from events import catalogue
from projections.folding.findings import CODES
from projections.replay import replay
from projections.rules import by_section, index
from projections.rules.answers import Answer
from projections.rules.index import How, Line, Lines
from projections.rules.profile import RuleProfile, Rules, Subject
from projections.rules.shelf import SHELF

TAGS = frozenset(kind.tag for kind in catalogue.KINDS)
ALL = pytest.mark.parametrize("rule_set", SHELF)
Cited = dict[str, set[tuple[str, str]]]


# Whole: by what the texts have.


def told(rule_set: str) -> set[str]:
    return {line.section for line in SHELF[rule_set].index}


@ALL
def test_every_section_that_a_rule_set_has_has_a_line(rule_set: str) -> None:
    assert not [section for section in SHELF[rule_set].contents if section not in told(rule_set)]


@pytest.mark.parametrize("rule_set", [*TEXTS, *SAME_TEXT])
def test_every_section_of_the_text_has_a_line(rule_set: str, seeds: Path) -> None:
    found = sections_of(SAME_TEXT.get(rule_set, rule_set), seeds)
    assert len(found) > 4
    assert not [section for section in found if section not in told(rule_set)]


def test_every_lettered_rule_has_a_line_of_its_own(seeds: Path) -> None:
    items = items_of("fcbg-tournament", seeds)
    assert len(items) > 10
    lines = Counter((line.section, line.item) for line in SHELF["fcbg-tournament"].index)
    assert {pair: count for pair, count in items.items() if lines[pair] < count} == {}
    assert {pair for pair in lines if pair[1] is not None} == set(items)


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "common"])
def test_a_section_has_at_least_a_line_for_each_of_its_paragraphs(
    rule_set: str, seeds: Path
) -> None:
    paragraphs = paragraphs_of(rule_set, seeds)
    assert set(paragraphs) == set(sections_of(rule_set, seeds))
    assert max(paragraphs.values()) > 2
    lines = Counter(line.section for line in SHELF[rule_set].index)
    assert {one: count for one, count in paragraphs.items() if lines[one] < count} == {}


@ALL
def test_every_policy_has_a_line(rule_set: str) -> None:
    named = {name for line in SHELF[rule_set].index for name in line.names}
    assert set(SHELF[rule_set].policies) - named == set()


# True: by what the code has.


def untrue(profile: RuleProfile) -> Iterator[str]:
    """What is wrong with each line that is not true."""
    for line in profile.index:
        for name in line.names:
            known = TAGS if line.how is How.RECORDED else {*profile.policies, *CODES}
            if name not in known:
                yield f"{line.section}: nothing is called {name}"
        if (line.how is How.LEFT) != (line.why is not None) or (line.how is How.LEFT) == bool(
            line.names
        ):
            yield f"{line.section}: {line.what} is neither done nor left"


@ALL
def test_lines_name_what_there_is(rule_set: str) -> None:
    assert list(untrue(SHELF[rule_set])) == []


@pytest.mark.parametrize("how", How)
def test_a_line_that_names_what_there_is_not_would_be_seen(how: How) -> None:
    lie = Line(section="Setup", what="a rule", how=how, names=("cube.never",))
    torn = msgspec.structs.replace(SHELF["common"], index=(lie,))
    assert list(untrue(torn))


@ALL
def test_no_rule_is_told_twice(rule_set: str) -> None:
    lines = Counter(
        (line.section, line.item, line.what, line.how) for line in SHELF[rule_set].index
    )
    assert [line for line, count in lines.items() if count > 1] == []


def test_why_a_rule_is_left_is_one_of_a_few_sentences() -> None:
    known = {value for name, value in vars(index).items() if name.isupper()}
    used = {line.why for profile in SHELF.values() for line in profile.index if line.why}
    assert used == known


@pytest.fixture
def cited(monkeypatch: pytest.MonkeyPatch) -> Cited:
    """Rule set to every (section, subject) that a policy has cited in the golden cases."""
    found: Cited = defaultdict(set)
    ask = Rules.ask

    def note(rules: Rules, subject: str, answer: Answer) -> None:
        several = answer.section.strip("[]").split(", ")
        sections = [answer.section] if len(several) == 1 else [f"[{one}]" for one in several]
        found[rules.profile.id] |= {(section, subject) for section in sections}
        for beside in answer.also.values():
            note(rules, subject, beside)

    def asked(rules: Rules, subject: Subject, facts: object) -> Answer:
        answer = ask(rules, subject, facts)
        note(rules, subject, answer)
        return answer

    monkeypatch.setattr(Rules, "ask", asked)
    for name in SUBJECTS:
        for one in own.judged(name):
            replay(one.pinned)
    for rule_set in SHELF:
        for told_by in FEDERATIONS:
            replay(federation_match(told_by).events, rule_set)
    return found


def test_the_index_says_of_each_section_what_policies_cite_it_for(cited: Cited) -> None:
    """Where it fails: add the line to `index.py` beside the sections of that text."""
    assert sum(map(len, cited.values())) > 200
    for rule_set, pairs in cited.items():
        profile = SHELF[rule_set]
        named = {(line.section, name) for line in profile.index for name in line.names}
        left = {line.section for line in profile.index if line.how is How.LEFT}
        missing = {
            (section, subject)
            for section, subject in pairs
            if (section, subject) not in named
            # A subject without a policy is one on which the text says nothing.
            and (subject in profile.policies or section not in left)
        }
        assert missing == set(), f"{rule_set}: no line for these"


# The table.


def test_the_table_has_a_row_for_every_line() -> None:
    rows = re.findall(r"^\| (?!section|---).+\|$", by_section.table(), re.MULTILINE)
    assert len(rows) == sum(len(profile.index) for profile in SHELF.values())
    assert len(rows) > 250


def test_sections_come_in_the_order_of_the_text() -> None:
    lines = Lines()
    lines.left("2", "b", index.CONDUCT)
    lines.computed("1", "a", "dice.die")
    told_in_order = index.by_section({"1": "one", "2": "two"}, tuple(lines))
    assert list(told_in_order) == ["1", "2"]
    with pytest.raises(AssertionError):
        lines.recorded("1", "c")
