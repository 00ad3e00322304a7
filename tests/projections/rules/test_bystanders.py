"""Bystanders: who testifies, at whose request."""

from __future__ import annotations

import pytest

from events.payloads import dispute
from events.payloads.base import Actor
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.table import Table

TOLD = {"biba-2014": "6.2", "fcbg-tournament": "CONT/T(b)"}


@pytest.mark.rows("Q-05")
@pytest.mark.parametrize("asked_by", [None, Actor.ONE, Actor.DIRECTOR])
@in_bunches("rule_set", SHELF)
def test_spectators_testify_at_the_directors_request(rule_set: str, asked_by: Actor | None) -> None:
    given = dispute.TestimonyGiven(role=Actor.SPECTATOR, at_request_of=asked_by)
    table = Table(rule_set=rule_set).game().opening(3, 1).record(given)
    sections = [one.section for one in table.replay.steps[-1].findings]
    cited = None if asked_by is Actor.DIRECTOR else TOLD.get(rule_set)
    assert sections == ([] if cited is None else [cited])
    assert table.record(dispute.TestimonyGiven(role=Actor.TWO)).found == []


@pytest.mark.rows("Q-05")
@pytest.mark.parametrize(
    ("rule_set", "cited"), [("biba-2014", []), ("fcbg-tournament", ["CONT/T(b)"])]
)
def test_both_players_may_ask_a_spectator_to_assist_where_the_text_says_so(
    rule_set: str, cited: list[str]
) -> None:
    """Biba 4.8: spectators are silent on plays "unless asked by both players to assist"."""
    given = dispute.TestimonyGiven(role=Actor.SPECTATOR, at_request_of=Actor.BOTH)
    table = Table(rule_set=rule_set).game().opening(3, 1).record(given)
    assert [one.section for one in table.replay.steps[-1].findings] == cited
