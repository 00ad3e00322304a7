"""Rulings on appeals: admission, committee and ballots follow the reading that was chosen."""

from __future__ import annotations

import pytest
from rulings import answered, asked_about

from events.payloads import appeal, dispute
from events.values import TWO
from projections.folding.findings import Finding
from projections.judging.appeal_state import Appeal
from tests.projections.table import Table

USBGF, BIBA, FCBG = "usbgf-2017-07", "biba-2014", "fcbg-tournament"


def asked(table: Table) -> list[Finding]:
    """The open questions about appeals."""
    return asked_about(table, "appeal")


def rule(table: Table, reading: str) -> Table:
    """The Director answers the last of them with a reading."""
    return answered(table, asked(table)[-1], reading)


def filed(rule_set: str) -> Table:
    table = Table(7, rule_set=rule_set).record(dispute.RulingMade())
    return table.record(appeal.AppealFiled(seat=TWO, target=table.last))


def convene(table: Table, size: int = 3) -> Table:
    members = tuple(appeal.Member(member=f"m{number}") for number in range(1, size + 1))
    return table.record(appeal.CommitteeConvened(size=size, members=members))


def vote(table: Table, *votes: str) -> Table:
    for number, word in enumerate(votes, start=1):
        cast, _, proposal = word.partition(" ")
        ballot = appeal.Vote(cast)
        table.record(appeal.VoteCast(member=f"m{number}", vote=ballot, proposal=proposal or None))
    return table


def decide(table: Table, outcome: str) -> Table:
    return table.record(appeal.AppealDecided(outcome=appeal.AppealOutcome(outcome)))


def the_appeal(table: Table) -> Appeal:
    (known,) = table.state.judged.appeals.appeals
    return known


@pytest.mark.parametrize(
    ("rule_set", "reading", "is_admitted"),
    [
        ("common", "admissible", True),
        ("common", "not_appealable", False),
        ("common", "as the Director likes", None),
        ("fcbg-club", "adopted", True),
    ],
)
def test_an_appeal_is_admitted_as_ruled(
    rule_set: str, reading: str, is_admitted: bool | None
) -> None:
    table = filed(rule_set)
    assert the_appeal(table).is_admitted is None
    rule(table, reading)
    assert the_appeal(table).is_admitted is is_admitted
    assert asked(table) == []
    answer = table.state.judged.appeals.answer
    assert answer is not None
    assert answer.outcome == reading


def test_an_appeal_that_was_ruled_admissible_may_not_be_refused() -> None:
    table = filed("common")
    named = table.last
    rule(table, "admissible").record(appeal.AppealRefused(appeal=named))
    assert table.found == ["appeal-refused"]


@pytest.mark.parametrize(
    ("rule_set", "votes", "outcome"),
    [
        (BIBA, ("reverse", "reverse"), "ruling_changed"),
        (BIBA, ("reverse", "uphold"), "ruling_stands"),
        (FCBG, ("reverse", "reverse"), "ruling_changed"),
        (FCBG, ("reverse", "uphold"), "ruling_stands"),
    ],
)
def test_a_committee_ruled_valid_decides_in_its_size(
    rule_set: str, votes: tuple[str, ...], outcome: str
) -> None:
    table = rule(convene(filed(rule_set), 2), "valid")
    vote(table, *votes)
    assert asked(table) == []
    answer = the_appeal(table).answer
    assert answer is not None
    assert answer.outcome == outcome


def test_the_ballots_of_a_committee_ruled_void_settle_nothing() -> None:
    table = vote(rule(convene(filed(BIBA), 2), "void"), "reverse", "reverse")
    assert asked(table) == []
    assert decide(table, "upheld").found == []


@pytest.mark.parametrize(
    ("rule_set", "votes", "reading", "agrees", "differs"),
    [
        (BIBA, ("reverse", "reverse", "abstain"), "of_votes", "reversed", "upheld"),
        (BIBA, ("reverse", "reverse", "abstain"), "of_members", "upheld", "reversed"),
        (FCBG, ("reverse", "modify x", "uphold"), "per_outcome", "upheld", "reversed"),
        (FCBG, ("reverse", "modify x", "uphold"), "any_change", "modified", "upheld"),
        (FCBG, ("reverse", "abstain", "abstain"), "of_votes", "reversed", "modified"),
    ],
)
def test_an_outcome_is_compared_with_what_was_ruled_on_the_ballots(
    rule_set: str, votes: tuple[str, ...], reading: str, agrees: str, differs: str
) -> None:
    for announced, found in ((agrees, []), (differs, ["appeal-differs"])):
        table = rule(vote(convene(filed(rule_set)), *votes), reading)
        assert asked(table) == []
        assert decide(table, announced).found == found
        assert asked(table) == []


def test_ballots_that_were_ruled_on_are_not_asked_about_again() -> None:
    table = vote(convene(filed(USBGF)), "reverse", "modify x", "uphold")
    rule(table.record(appeal.VoteDirectorDeclined()), "any_change")
    decide(table, "modified")
    assert asked(table) == []
    assert table.found == []
