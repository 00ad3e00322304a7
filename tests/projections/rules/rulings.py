"""The Director at the table: a ruling that answers a question, for the tests of this folder."""

from __future__ import annotations

from table import Table

from events.envelope import Basis
from events.payloads import dispute
from projections.folding.findings import Finding


def asked_about(table: Table, topic: str) -> list[Finding]:
    """The open questions on a topic, or on all those that begin with `topic.`."""
    return [one for one in table.replay.open_questions if _is_on(one, topic)]


def answered(table: Table, finding: Finding, reading: str) -> Table:
    """The Director answers a question with a reading."""
    assert finding.ruling_required is not None
    topic = finding.ruling_required.topic
    question = dispute.Question(topic=topic, at=finding.entry_id, seat=finding.seat)
    answer = dispute.Answer(question=question, reading=reading)
    return table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)


def ruled(table: Table, topic: str, reading: str) -> Table:
    """The Director answers the last open question on a topic, and nothing is open any more."""
    last = asked_about(table, topic)[-1]
    answered(table, last, reading)
    assert last not in table.replay.open_questions
    assert topic not in {
        finding.ruling_required.topic for finding in table.findings if finding.ruling_required
    }
    return table


def ruled_anew(table: Table, topic: str, reading: str) -> Table:
    """The Director answers the last question on a topic once more."""
    asked = [one for one in table.replay.findings if _is_on(one, topic)]
    return answered(table, asked[-1], reading)


def _is_on(finding: Finding, topic: str) -> bool:
    asked = finding.ruling_required
    return asked is not None and (asked.topic == topic or asked.topic.startswith(f"{topic}."))
