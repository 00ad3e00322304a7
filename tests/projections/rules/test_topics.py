"""Every question that any rule set asks can be put into a ruling: its topic, and each reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import federations
import msgspec
import own
import pytest
import script

from events.envelope import RecordedEvent
from events.payloads.dispute import Answer, Question
from projections.folding.findings import Finding
from projections.replay import replay
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.playthroughs import home_match

FILES = sorted(
    path.stem for path in own.FOLDER.glob("*.yaml") if isinstance(own.loaded(path.stem), list)
)


def questions(streams: Iterator[Sequence[RecordedEvent]], rule_set: str) -> list[Finding]:
    """The questions about each of the streams under a rule set."""
    return [
        finding
        for stream in streams
        for finding in replay(stream, rule_set).findings
        if finding.ruling_required is not None
    ]


def ask(found: list[Finding]) -> None:
    """Fails if a director could not answer a question with one of its own readings."""
    for finding in found:
        asked = finding.ruling_required
        assert asked is not None
        question = {"topic": asked.topic, "at": finding.entry_id, "seat": finding.seat}
        msgspec.convert(question, Question)
        for reading in asked.readings:
            msgspec.convert({"question": question, "reading": reading}, Answer)


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("name", FILES)
def test_a_ruling_can_name_every_question_of_the_golden_cases(name: str, rule_set: str) -> None:
    ask(questions((script.read(case["events"]) for case in own.loaded(name)), rule_set))


@in_bunches("rule_set", SHELF)
def test_a_ruling_can_name_every_question_of_the_playthroughs(rule_set: str) -> None:
    matches = [*map(federations.federation_match, federations.FEDERATIONS), home_match()]
    found = questions((table.events for table in matches), rule_set)
    assert found
    ask(found)


def test_the_golden_cases_ask_about_every_noun_that_has_questions() -> None:
    streams = [script.read(case["events"]) for name in FILES for case in own.loaded(name)]
    topics = {
        finding.ruling_required.topic.partition(".")[0]
        for rule_set in SHELF
        for finding in questions(iter(streams), rule_set)
        if finding.ruling_required is not None
    }
    assert topics >= {"appeal", "dice", "match-length", "penalties", "play", "start"}
