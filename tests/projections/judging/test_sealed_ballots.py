"""Sealed ballots: whose they are, which one counts, when they are opened, and findings on them."""

from __future__ import annotations

from typing import cast

import pytest

from events.payloads import appeal, dispute
from events.payloads.base import Actor
from events.values import ONE, TWO
from projections.judging.appeal_state import Appeal, called
from projections.judging.ballots import commitment_to
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.table import Table

GRANTS = {f"m{n}": f"00000000-0000-4000-9000-00000000000{n}" for n in range(1, 10)}
SALT = "a5" * 32


def convened(table: Table, *, is_issued: bool = True, partial: tuple[str, ...] = ()) -> Table:
    """An appeal with a committee of three that has its case."""
    table.record(dispute.RulingMade())
    table.record(appeal.AppealFiled(seat=TWO, target=table.last))
    filed = table.last
    members = tuple(
        appeal.Member(member=name, independent=None if name not in partial else False)
        for name in ("m1", "m2", "m3")
    )
    table.record(appeal.CommitteeConvened(size=3, members=members, appeal=filed))
    if is_issued:
        table.record(appeal.AppealIssued(target=filed, through=filed, profile="usbgf-2017-07"))
    return table


def filed(table: Table) -> str:
    [entry_id] = [e.entry_id for e in table.events if e.tag == "appeal.filed"]
    return entry_id


def seal(table: Table, member: str, vote: str, *, grant: str | None = None) -> str:
    """A sealed ballot; its entry's id."""
    table.record(
        appeal.VoteSealed(
            target=filed(table),
            member=member,
            grant=grant or GRANTS[member],
            commitment=commitment_to(vote, None, SALT),
        )
    )
    return table.last


def unseal(table: Table, ballot: str, vote: str, salt: str = SALT) -> None:
    table.record(appeal.VoteOpened(target=ballot, vote=appeal.Vote(vote), salt=salt))


def case(table: Table) -> Appeal:
    return table.replay.state.judged.appeals.appeals[-1]


def reasons(table: Table) -> list[str]:
    return [
        str(finding.message)
        for finding in table.replay.findings
        if finding.code == "ballot-not-counted"
    ]


def of(rule_set: str = "usbgf-2017-07") -> Table:
    return Table(7, rule_set=rule_set).game().turns(2)


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014", "fcbg-tournament"])
def test_ballots_are_opened_when_all_are_in_and_make_the_outcome(rule_set: str) -> None:
    table = convened(of(rule_set))
    sealed = {member: seal(table, member, "reverse") for member in ("m1", "m2", "m3")}
    assert (case(table).ballots, case(table).result) == ({}, None)
    for ballot in sealed.values():
        unseal(table, ballot, "reverse")
    assert set(case(table).ballots) == {"m1", "m2", "m3"}
    assert reasons(table) == []
    if rule_set == "usbgf-2017-07":
        table.record(appeal.VoteDirectorDeclined(appeal=filed(table)))
    result = case(table).result
    assert result is not None
    assert result.outcome == "ruling_changed"


def test_a_later_ballot_of_the_same_grant_replaces_the_earlier_one() -> None:
    table = convened(of("fcbg-tournament"))
    first = seal(table, "m1", "reverse")
    last = seal(table, "m1", "uphold")
    assert case(table).sealed["m1"].entry_id == last
    others = [seal(table, "m2", "uphold"), seal(table, "m3", "reverse")]
    unseal(table, first, "reverse")
    assert reasons(table)[-1].startswith("a ballot is opened that is not, or no longer, in force")
    unseal(table, last, "uphold")
    for ballot, vote in zip(others, ("uphold", "reverse"), strict=True):
        unseal(table, ballot, vote)
    assert {name: vote.vote for name, vote in case(table).ballots.items()} == {
        "m1": "uphold",
        "m2": "uphold",
        "m3": "reverse",
    }


@pytest.mark.parametrize(
    ("member", "grant", "why"),
    [
        ("m9", None, "and is not of the committee"),
        ("m2", GRANTS["m1"], "under the grant of another member"),
        ("m1", GRANTS["m2"], "under another grant than before"),
    ],
)
def test_a_ballot_that_no_hand_of_its_own_cast_goes_in_and_is_found(
    member: str, grant: str | None, why: str
) -> None:
    table = convened(of())
    before = seal(table, "m1", "uphold")
    seal(table, member, "reverse", grant=grant)
    assert reasons(table) == [f"{called(member)} votes {why}: the ballot is not counted"]
    assert case(table).sealed["m1"].entry_id == before
    assert len(case(table).sealed) == 1


def test_a_ballot_before_the_case_is_issued_or_after_the_last_is_in_is_found() -> None:
    table = convened(of(), is_issued=False)
    seal(table, "m1", "uphold")
    why = "before the case was issued"
    assert reasons(table) == [f"member 1 votes {why}: the ballot is not counted"]
    table = convened(of())
    for member in ("m1", "m2", "m3"):
        seal(table, member, "uphold")
    seal(table, "m1", "reverse")
    why = "after the last ballot was in"
    assert reasons(table) == [f"member 1 votes {why}: the ballot is not counted"]


def test_a_ballot_opened_as_another_or_with_another_salt_or_early_does_not_count() -> None:
    table = convened(of())
    sealed = [seal(table, member, "uphold") for member in ("m1", "m2")]
    unseal(table, sealed[0], "uphold")
    assert "opened before all are in" in reasons(table)[-1]
    sealed.append(seal(table, "m3", "uphold"))
    unseal(table, sealed[0], "reverse")
    assert "opened as another than was sealed" in reasons(table)[-1]
    unseal(table, sealed[0], "uphold", "5a" * 32)
    assert "opened as another than was sealed" in reasons(table)[-1]
    assert case(table).ballots == {}


def test_a_member_who_steps_down_takes_the_ballot_along() -> None:
    table = convened(of())
    for member in ("m1", "m2"):
        seal(table, member, "uphold")
    table.record(appeal.CommitteeMemberRecused(member="m1"))
    assert (case(table).size, set(case(table).sealed)) == (2, {"m2"})
    seal(table, "m1", "uphold")
    why = "and is not of the committee"
    assert reasons(table) == [f"member 1 votes {why}: the ballot is not counted"]


def test_a_member_marked_as_not_independent_is_found_where_a_text_asks_for_it() -> None:
    for rule_set, found in (("biba-2014", 1), ("usbgf-2017-07", 1), ("common", 0)):
        table = convened(of(rule_set), partial=("m2",))
        codes = [one.code for one in table.replay.findings]
        assert codes.count("member-not-independent") == found, rule_set


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("voted", [0, 1, 3])
def test_an_outcome_that_is_announced_before_the_ballots_are_opened_is_found(
    rule_set: str, voted: int
) -> None:
    table = convened(of(rule_set))
    for member in ("m1", "m2", "m3")[:voted]:
        seal(table, member, "uphold")
    reversed_ = appeal.AppealOutcome.REVERSED
    table.record(appeal.AppealDecided(outcome=reversed_, appeal=filed(table)))
    [found] = [one for one in table.replay.findings if one.code == "ballots-missing"]
    assert str(found.message).startswith(
        f"the outcome of the appeal is announced, and {voted} of 3 members voted: no ballot is open"
    )
    assert found.rule_set == rule_set


def test_ballots_that_were_opened_or_cast_on_paper_are_missed_by_nobody() -> None:
    upheld = appeal.AppealOutcome.UPHELD
    opened = convened(of("fcbg-tournament"))
    ballots = [seal(opened, member, "uphold") for member in ("m1", "m2", "m3")]
    for ballot in ballots:
        unseal(opened, ballot, "uphold")
    # Of a committee that sat before there was a record the announcement tells all that is known.
    paper = convened(of("fcbg-tournament"), is_issued=False)
    for table in (opened, paper):
        table.record(appeal.AppealDecided(outcome=upheld, appeal=filed(table)))
        assert "ballots-missing" not in [one.code for one in table.replay.findings]


@pytest.mark.rows("Q-17")
def test_a_case_is_decided_once() -> None:
    expected = {"biba-2014": False, "fcbg-tournament": False, "usbgf-2017-07": None}
    for rule_set, admitted in expected.items():
        table = convened(of(rule_set))
        target = [e.entry_id for e in table.events if e.tag == "ruling.made"][-1]
        table.record(appeal.AppealDecided(outcome=appeal.AppealOutcome.UPHELD, appeal=filed(table)))
        for second in (target, table.last):
            again = Table.__new__(Table)
            again.__dict__.update(table.__dict__)
            again.events = list(table.events)
            again.record(appeal.AppealFiled(seat=ONE, target=second))
            known = again.replay.state.judged.appeals.appeals[-1]
            assert known.is_admitted is admitted, rule_set


@pytest.mark.rows("Q-02")
@pytest.mark.parametrize(
    ("rule_set", "told", "section", "is_open"),
    [
        (
            "biba-2014",
            "player one touched the dice: what is in doubt is presumed for player two",
            "6.1",
            False,
        ),
        (
            "fcbg-tournament",
            "player one touched the dice: what is in doubt is presumed for player two",
            "CONT/T(a)",
            False,
        ),
        (
            "usbgf-2017-07",
            "player one touched the dice: what is in doubt may be ruled against player one",
            "[1.2]",
            False,
        ),
        (
            "usbgf-2017-09",
            "player one touched the dice: what follows is for the Director to decide",
            "[1.2]",
            True,
        ),
        (
            "common",
            "player one touched the dice: what follows is for the Director to decide",
            None,
            True,
        ),
    ],
)
def test_whoever_touches_what_lies_disputed_meets_what_the_text_presumes(
    rule_set: str, told: str, section: str | None, is_open: bool
) -> None:
    table = of(rule_set)
    table.record(dispute.DisputeRaised(by=Actor.TWO))
    table.record(dispute.TableDisturbed(what="dice", by=Actor.ONE))
    [finding] = [one for one in table.findings if one.code == "table-disturbed"]
    assert str(finding.message) == told
    assert section is None or finding.section == section
    assert (finding.ruling_required is not None) is is_open
    # Somebody who plays no part in it presumes nothing.
    table.record(dispute.TableDisturbed(what="cube", by=Actor.SPECTATOR))
    assert "table-disturbed" not in table.found


def test_an_appeal_that_nothing_has_happened_to_is_not_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = 0
    whole = cast("property", Appeal.result)

    def result(self: Appeal) -> Answer | None:
        nonlocal looks
        looks += 1
        return cast("Answer | None", whole.__get__(self))

    monkeypatch.setattr(Appeal, "result", property(result))
    table = Table().record(dispute.RulingMade())
    for _ in range(40):
        table.record(appeal.AppealFiled(seat=TWO, target=table.last))
    assert len(table.replay.state.judged.appeals.appeals) == 40
    assert looks <= 4 * 40
