"""Where the ratified text is not in hand: a question, or the draft if the Director adopts it.

The facts of each question are those that the folds ask about while they replay the golden cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import federations
import msgspec
import own
import pytest
import script

from events.envelope import RecordedEvent
from events.payloads import attendance
from events.values import ONE, TWO
from projections.replay import replay
from projections.rules.answers import NOT_IN_HAND, Answer
from projections.rules.profile import Rules
from projections.rules.shelf import rules_in_force
from tests.projections.table import Table

DRAFT, RATIFIED = "usbgf-2017-07", "usbgf-2017-09"
ADOPTED = {"gaps_from": DRAFT}
FILES = sorted(
    path.stem for path in own.FOLDER.glob("*.yaml") if isinstance(own.loaded(path.stem), list)
)

Asked = tuple[str, Any, Rules, Answer]


@cache
def streams() -> tuple[tuple[RecordedEvent, ...], ...]:
    """Every golden case and the federations' matches, recorded under the ratified rules."""
    told = [script.read(case["events"]) for name in FILES for case in own.loaded(name)]
    told += [federations.federation_match(name).events for name in federations.FEDERATIONS]
    return tuple(tuple(own.under(stream, RATIFIED, {})) for stream in told)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    """What the folds asked the rules about all of that, and what those answered."""
    heard: list[Asked] = []
    ask = Rules.ask

    def listen(rules: Rules, subject: str, facts: Any) -> Answer:
        answer = ask(rules, subject, facts)
        heard.append((subject, facts, rules, answer))
        return answer

    with monkeypatch.context() as listening:
        listening.setattr(Rules, "ask", listen)
        for stream in streams():
            replay(stream)
    return heard


def gaps(asked: list[Asked]) -> Iterator[tuple[str, Answer, Answer, Answer]]:
    """Each gap: subject, the question, the answer with the option, and the draft's own."""
    for subject, facts, rules, answer in asked:
        if answer.reason == NOT_IN_HAND and rules.profile.id == RATIFIED:
            adopted = rules_in_force(RATIFIED, {**rules.options, **ADOPTED}).ask(subject, facts)
            yield subject, answer, adopted, rules_in_force(DRAFT, rules.options).ask(subject, facts)


def test_a_gap_is_a_question_that_shows_the_draft_and_does_not_apply_it(asked: list[Asked]) -> None:
    subjects = set()
    for subject, question, _, draft in gaps(asked):
        assert question.is_open, subject
        # Where the draft leaves it open as well there is nothing to show.
        assert question.suggest == DRAFT or draft.is_open, subject
        subjects |= {subject} if question.suggest else set()
    assert len(subjects) > 5


def test_with_the_option_every_gap_is_answered_as_the_draft_answers(asked: list[Asked]) -> None:
    settled = set()
    for subject, _, adopted, draft in gaps(asked):
        assert adopted.reason == draft.reason, subject
        if draft.is_open:
            assert adopted.is_open, subject
            continue
        assert not adopted.verified, subject
        assert adopted == msgspec.structs.replace(draft, verified=False), subject
        settled.add(subject)
    assert len(settled) > 5


def test_with_the_option_the_findings_are_those_of_the_draft() -> None:
    """A late start through the events: points instead of a question, marked as not verified."""
    table = Table(7, rule_set=RATIFIED)
    for seat, at_ms in ((ONE, 0), (TWO, 720_000)):
        table.record(attendance.PlayerArrived(seat=seat, at_ms=at_ms))
    [asked_of] = replay(table.events).findings
    assert asked_of.ruling_required is not None
    assert (asked_of.ruling_required.reason, asked_of.ruling_required.suggest) == (
        NOT_IN_HAND,
        DRAFT,
    )
    [adopted] = replay(own.under(table.events, RATIFIED, ADOPTED)).findings
    [draft] = replay(own.under(table.events, DRAFT, {})).findings
    assert (adopted.ruling_required, adopted.verified) == (None, False)
    assert (adopted.code, adopted.message) == (draft.code, draft.message)
    assert (adopted.rule_set, adopted.section) == (RATIFIED, draft.section)


def test_with_the_option_no_match_asks_for_a_text_that_is_not_in_hand() -> None:
    before, after = set(), set()
    for stream in streams():
        for options, topics in (({}, before), (ADOPTED, after)):
            for finding in replay(own.under(stream, RATIFIED, options)).findings:
                question = finding.ruling_required
                if question is not None and question.reason == NOT_IN_HAND:
                    assert question.suggest in (DRAFT, None)
                    topics.add(question.topic)
    assert len(before) > 5
    assert after == set()


def test_the_option_says_nothing_where_the_text_itself_is_in_hand(asked: list[Asked]) -> None:
    in_hand = [one for one in asked if one[3].verified and not one[3].is_open and not one[3].also]
    assert in_hand
    for subject, facts, rules, answer in in_hand:
        adopted = rules_in_force(RATIFIED, {**rules.options, **ADOPTED})
        assert adopted.ask(subject, facts) == answer, subject
