"""The Director at the table: a ruling that answers a question, for the tests of this folder."""

from __future__ import annotations

from table import Table

from events.envelope import Basis
from events.payloads import dispute


def ruled(table: Table, topic: str, reading: str) -> Table:
    """The Director answers the last open question on a topic, and nothing is open any more."""
    asked = [
        finding
        for finding in table.replay.open_questions
        if finding.ruling_required is not None and finding.ruling_required.topic == topic
    ]
    question = dispute.Question(topic=topic, at=asked[-1].entry_id, seat=asked[-1].seat)
    answer = dispute.Answer(question=question, reading=reading)
    table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
    assert asked[-1] not in table.replay.open_questions
    assert topic not in {
        finding.ruling_required.topic for finding in table.findings if finding.ruling_required
    }
    return table


def ruled_anew(table: Table, topic: str, reading: str) -> Table:
    """The Director answers the last question on a topic once more."""
    asked = [
        finding
        for finding in table.replay.findings
        if finding.ruling_required is not None and finding.ruling_required.topic == topic
    ]
    question = dispute.Question(topic=topic, at=asked[-1].entry_id, seat=asked[-1].seat)
    answer = dispute.Answer(question=question, reading=reading)
    return table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
