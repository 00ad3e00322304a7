"""Rule sets: the shelf, the common rules, options in force, citations."""

from __future__ import annotations

import pytest

from projections.folding.findings import CODES, Finding, RulingRequired, found
from projections.folding.sayings import Said
from projections.rules.profile import Rules
from projections.rules.shelf import SHELF, rules_in_force
from projections.rules.texts.common import COMMON
from tests.projections.table import Table


def test_no_rule_set_is_the_common_one_with_crawford() -> None:
    rules = rules_in_force(None, {})
    assert (rules.profile, rules.is_on("crawford"), rules.unknown) == (COMMON, True, None)
    assert not rules.is_on("jacoby")
    assert not rules.is_on("beavers")


@pytest.mark.parametrize("value", ["off", False, None])
def test_a_stated_option_counts(value: object) -> None:
    assert not rules_in_force(None, {"crawford": value}).is_on("crawford")
    assert rules_in_force(None, {"jacoby": "on", "beavers": True}).is_on("beavers")


@pytest.mark.parametrize(("most", "is_on"), [(0, False), (1, True), (3, True), ("off", False)])
def test_automatic_doubles_are_on_where_so_many_are_agreed(most: object, is_on: bool) -> None:
    assert rules_in_force(None, {"automatic_doubles": most}).is_on("automatic_doubles") is is_on


def test_the_common_rules_pinned_know_no_crawford_game() -> None:
    assert not rules_in_force("common", {}).is_on("crawford")
    assert rules_in_force("common", {"crawford": "on"}).is_on("crawford")


def test_an_unknown_rule_set_is_marked_and_keeps_the_crawford_game() -> None:
    rules = rules_in_force("nowhere-1999", {})
    assert (rules.profile, rules.unknown) == (COMMON, "nowhere-1999")
    assert rules.is_on("crawford")


def test_options_that_the_text_does_not_provide_for_are_named_and_do_not_count() -> None:
    rules = rules_in_force("common", {"free_drinks": True, "crawford": "on"})
    assert rules.not_provided == ("free_drinks",)
    assert "free_drinks" not in rules.options


@pytest.mark.parametrize(
    ("rule_set", "key", "value", "by_the_text"),
    [
        ("biba-2014", "moves_policy", "opponent_condones", "legal"),
        ("biba-2014", "moves_policy", "responsible", "legal"),
        ("biba-2014", "dice_on_checkers", "valid", "invalid"),
        ("fcbg-tournament", "moves_policy", "legal", "opponent_condones"),
        ("fcbg-tournament", "dice_on_checkers", "valid", "invalid"),
        ("usbgf-2017-07", "moves_policy", "opponent_condones", "legal"),
        ("usbgf-2017-09", "moves_policy", "opponent_condones", "legal"),
        ("wbgf-2.1", "moves_policy", "opponent_condones", "legal"),
    ],
)
def test_a_value_that_the_text_does_not_have_is_named_and_does_not_count(
    rule_set: str, key: str, value: str, by_the_text: str
) -> None:
    """A ruling on an illegal play went on from the policy that was pinned, and not from 4.8."""
    rules = rules_in_force(rule_set, {key: value})
    assert (rules.not_provided, rules.options[key]) == ((key,), by_the_text)
    as_it_is = rules_in_force(rule_set, {key: by_the_text})
    assert (as_it_is.not_provided, as_it_is.options[key]) == ((), by_the_text)


def test_money_has_no_crawford_game_to_switch_on() -> None:
    assert not rules_in_force(None, {}, is_match=False).is_on("crawford")


def test_every_profile_stands_under_its_own_id() -> None:
    assert all(profile.id == rule_set for rule_set, profile in SHELF.items())


def test_a_subject_without_a_section_cites_the_default_one() -> None:
    assert COMMON.cite("cube") == ("common", "Doubling cube")
    assert Rules(COMMON).cite("clock") == ("common", COMMON.default_section)


def test_findings_cite_the_rule_set_in_force() -> None:
    (finding,) = Table().game().opening(3, 1).play("one", "8/5 6/4").findings
    assert (finding.rule_set, finding.section) == ("common", "Movement")


def test_every_code_says_what_it_means_in_a_sentence() -> None:
    assert all(says.endswith(".") and len(says) < 90 for says in CODES.values())


def test_no_finding_has_a_code_that_is_not_listed() -> None:
    event = Table().events[0]
    with pytest.raises(AssertionError):
        found("no-such-code", event, Said("x"), cite=("common", "Objective"))


def test_a_question_is_printed_with_its_readings() -> None:
    question = RulingRequired("clock.flag", ("match_lost", "play_on"), lean="play_on")
    finding = Finding(
        code="flag-noticed",
        rule_set="common",
        section="Objective",
        version=3,
        entry_id="x",
        said=Said("y"),
        ruling_required=question,
    )
    assert finding.as_json()["ruling_required"] == {
        "topic": "clock.flag",
        "readings": ["match_lost", "play_on"],
        "reason": "silent",
        "lean": "play_on",
        "suggest": None,
        "leaning": None,
    }
