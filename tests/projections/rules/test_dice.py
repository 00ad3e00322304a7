"""The validity of dice: how the shared cases are told, each die of them, and cases of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from golden import Case, cases, check, present
from hypothesis import given, settings
from hypothesis import strategies as st
from rulings import ruled
from table import Table

from events.payloads import dice, equipment
from events.payloads.base import Actor
from events.values import Seat
from projections.folding.findings import Finding
from projections.replay import Replay, replay
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches

DEFAULTS: dict[str, Any] = {
    "at_rest": "natural",
    "location": "playing_field",
    "baffle_box": False,
    "rolled_side": "right",
    "rest_side": "right",
    "first_contact": "field",
    "left_board_and_returned": "none",
    "rests_on": ["field"],
    "touching": [],
    "supported_by": [],
    "balanced_on": "none",
    "balanced_for_s": None,
    "tipped_after_balance": False,
    "tilt": "flat",
    "tilt_cause": "none",
    "below_top_of": [],
    "support_test": "not_performed",
    "face": None,
}
"""A die of which everything was recorded and nothing is out of the ordinary."""

TIE = ("one", "two")


def observed(die: Mapping[str, Any], face: int) -> dice.Observation:
    """One die as the golden files write it; a key that has no member fails."""
    facts = {**DEFAULTS, **{key: value for key, value in die.items() if key != "seat"}}
    seconds = facts.pop("balanced_for_s")
    facts["balanced_for_ms"] = None if seconds is None else round(seconds * 1_000)
    if facts["support_test"] == "not_performed":
        facts["support_test"] = None
    facts["face"] = facts["face"] or face
    assert set(facts) == set(dice.Observation.__struct_fields__)
    return msgspec.convert(facts, dice.Observation)


def thrown_by_two(table: Table, dies: list[Mapping[str, Any]], *, is_void: bool = False) -> Table:
    """Turn 1, then a roll of 31 by two, counted or called void."""
    observations = tuple(observed(die, face) for die, face in zip(dies, (3, 1), strict=True))
    table.game().turns(1)
    if is_void:
        reason = dice.VoidReason.COCKED
        voided = dice.Voided(seat=Seat.TWO, reason=reason, dice=(3, 1), observations=observations)
        return table.record(voided)
    return table.record(dice.Rolled(seat=Seat.TWO, dice=(3, 1), observations=observations))


def both_ways(table: Table, rule_set: str) -> list[Replay]:
    """The match with its rule set pinned, and the same events recorded under none."""
    opened = table.events[0]
    unpinned = msgspec.structs.replace(opened.payload, rule_set=None)
    bare = [msgspec.structs.replace(opened, payload=unpinned), *table.events[1:]]
    return [replay(table.events), replay(bare, rule_set)]


def asked(shown: Replay) -> Finding | None:
    """The open question at the last event."""
    questions = [f for f in shown.steps[-1].findings if f.ruling_required is not None]
    return questions[0] if questions else None


def is_asked(shown: Replay, answer: Answer, expect: Mapping[str, Any]) -> None:
    """A question is a finding at the event; a throw that is clearly valid gives none."""
    question = asked(shown)
    if expect["outcome"] == "ruling_required":
        assert question is not None
        assert question.ambiguity == answer.ambiguity
    elif expect["outcome"] == "valid":
        assert question is None


@pytest.mark.parametrize("is_void", [False, True], ids=["counted", "void"])
@in_bunches("case", cases("dice", "die_cases"))
def test_one_die(case: Case | None, *, is_void: bool) -> None:
    case = present(case)
    assert case.file["die_defaults"] == DEFAULTS
    table = thrown_by_two(
        Table(rule_set=case.rule_set, **case.options), [case.case["die"], {}], is_void=is_void
    )
    for shown in both_ways(table, case.rule_set):
        throws = shown.state.judged.throws
        check(throws.dice[0], case.expect)
        assert throws.dice[1].outcome in ("valid", "ruling_required")
        assert throws.answer is not None
        assert throws.answer.outcome == case.expect["outcome"]
        is_asked(shown, throws.dice[0], case.expect)
        codes = {finding.code for finding in shown.steps[-1].findings}
        assert ("throw-invalid" in codes) == (not is_void and case.expect["outcome"] == "invalid")
        assert ("throw-voided" in codes) == (is_void and case.expect["outcome"] == "valid")


def roll_of(case: Case) -> Table:
    """The events of one roll case; a key without a meaning fails."""
    facts = dict(case.case["given"])
    options = dict(case.options)
    if (agreed := facts.pop("automatic_doubles_agreed", None)) is not None:
        options["automatic_doubles"] = "on" if agreed else "off"
    if (is_rated := facts.pop("rated", None)) is not None:
        options["rated"] = is_rated
    table = Table(rule_set=case.rule_set, **options).game()
    kind = facts.pop("roll")
    dies = facts.pop("dice", [])
    throw = facts.pop("throw", None)
    made = None
    if throw is not None:
        assert set(throw) == {"simultaneous"}
        made = dice.Throw(together=throw["simultaneous"])
    is_early = facts.pop("opponents_turn_ended", True) is False
    faces = facts.pop("faces", None)
    assert not facts, f"keys without a meaning: {sorted(facts)}"
    if kind == "opening":
        one, two = (6, 1) if faces is None else (faces["one"], faces["two"])
        if dies:
            assert tuple(die["seat"] for die in dies) == TIE
        seen = tuple(observed(die, face) for die, face in zip(dies, (one, two), strict=False))
        opening = dice.OpeningRolled(one=one, two=two, throw=made, observations=seen)
        return table.record(opening)
    assert kind == "normal"
    seen = tuple(observed(die, face) for die, face in zip(dies, (3, 1), strict=True))
    payload = dice.RolledEarly if is_early else dice.Rolled
    table.turns(1)
    return table.record(payload(seat=Seat.TWO, dice=(3, 1), throw=made, observations=seen))


def thrown(shown: Replay) -> Answer | None:
    """What a throw is; a tie with the cube after it."""
    answer, cube = shown.state.judged.throws.answer, shown.state.cube
    if answer is None or answer.outcome != "opening_tie":
        return answer
    words = {"cube_value": cube.value, "cube_owner": cube.owner or "none"}
    return msgspec.structs.replace(answer, details={**answer.details, **words})


@in_bunches("case", cases("cube_and_crawford"))
def test_cube_after_opening_ties(case: Case | None) -> None:
    """The ties of the cube's file, whose own harness has the other cases."""
    case = present(case)
    if case.expect["outcome"] != "opening_tie":
        return
    facts = case.case["given"]
    options = {"rated": facts["rated"], "automatic_doubles": "off"}
    if facts["automatic_doubles_agreed"]:
        options["automatic_doubles"] = facts.get("automatic_doubles_max_per_game", "on")
    table = Table(rule_set=case.rule_set, **options).game()
    for _ in range(facts["opening_ties"]):
        table.opening(4, 4)
    for shown in both_ways(table, case.rule_set):
        throws, cube = shown.state.judged.throws, shown.state.cube
        assert throws.answer is not None
        assert throws.ties == facts["opening_ties"]
        words = {"cube_value": cube.value, "cube_owner": cube.owner or "none"}
        answer = msgspec.structs.replace(throws.answer, details={**throws.answer.details, **words})
        check(answer, case.expect)


# Without the shared folder: what we would say ourselves at a table.

COCKED = {"touching": ["bar"], "supported_by": ["bar"], "tilt": "tilted"}
ON_CHECKER = {"rests_on": ["checker_a"]}
LEFT = {"rest_side": "left"}
FLOOR = {"location": "floor", "rests_on": ["floor"]}
BACK = {"left_board_and_returned": "table"}


@pytest.mark.parametrize(
    ("rule_set", "die", "outcome", "why"),
    [
        ("usbgf-2017-07", {}, "valid", None),
        ("usbgf-2017-07", ON_CHECKER, "valid", None),
        ("usbgf-2017-07", COCKED, "invalid", "vertical_support"),
        ("usbgf-2017-07", LEFT, "invalid", "wrong_side"),
        ("usbgf-2017-07", {"at_rest": "not_at_rest"}, "pending", None),
        ("usbgf-2017-09", ON_CHECKER, "valid", None),
        ("usbgf-2017-09", BACK, "ruling_required", "AMB-D12"),
        ("biba-2014", ON_CHECKER, "invalid", "on_checker"),
        ("biba-2014", BACK, "invalid", "left_and_returned"),
        ("biba-2014", {"rests_on": ["rail"]}, "invalid", "off_field"),
        ("fcbg-tournament", COCKED, "invalid", "not_flat"),
        ("fcbg-tournament", {"first_contact": "checker"}, "ruling_required", "AMB-D9"),
        ("fcbg-club", FLOOR, "ruling_required", "AMB-F3"),
        ("common", FLOOR, "invalid", "off_field"),
        ("common", ON_CHECKER, "ruling_required", "AMB-D5"),
    ],
)
def test_a_die_in_our_own_words(
    rule_set: str, die: dict[str, Any], outcome: str, why: str | None
) -> None:
    answer = thrown_by_two(Table(rule_set=rule_set), [die, {}]).state.judged.throws.dice[0]
    assert answer.outcome == outcome
    assert why in (None, answer.details.get("cause"), answer.ambiguity)


def test_who_rules_that_the_landing_counts_rules_the_throw_out() -> None:
    """AMB-D9: it struck a checker first, and lies flat on the field."""
    for reading, now in (("landing", None), ("resting", (3, 1))):
        table = thrown_by_two(Table(rule_set="fcbg-tournament"), [{"first_contact": "checker"}, {}])
        assert ruled(table, "dice.validity", reading).state.flow.dice == now


def test_a_die_that_came_back_and_lies_badly_is_bad_however_it_came_there() -> None:
    """wbgf-2.1 4.1(iv): that it has to lie flat is said, that it may not have left is not."""
    table = Table(rule_set="wbgf-2.1", dice_on_checkers="invalid")
    answer = thrown_by_two(table, [BACK | ON_CHECKER, {}]).state.judged.throws.dice[0]
    assert (answer.outcome, answer.details["cause"]) == ("invalid", "on_checker")
    table = Table(rule_set="wbgf-2.1", dice_on_checkers="invalid")
    assert thrown_by_two(table, [BACK, {}]).state.judged.throws.dice[0].is_open


def test_a_roll_without_observations_is_not_judged() -> None:
    table = Table(rule_set="biba-2014").game().turns(4)
    shown = table.replay
    assert shown.state.judged.throws is shown.initial.judged.throws
    assert table.codes == []


def test_what_nobody_recorded_is_nothing_out_of_the_ordinary() -> None:
    rolled = dice.Rolled(
        seat=Seat.TWO, dice=(3, 1), observations=(dice.Observation(), dice.Observation())
    )
    for rule_set in SHELF:
        answer = Table(rule_set=rule_set).game().turns(1).record(rolled).state.judged.throws.answer
        assert answer is not None
        # A club, and a text of which but sentences are known, have no word on it.
        is_open = rule_set == "fcbg-club" or SHELF[rule_set].sentences
        expected = "ruling_required" if is_open else "valid"
        assert answer.outcome == expected


def test_support_and_balance_say_how_a_die_lies_where_nobody_does() -> None:
    for die in (
        dice.Observation(touching=("bar",), supported_by=("bar",)),
        dice.Observation(at_rest="balanced", balanced_on="edge"),
    ):
        rolled = dice.Rolled(seat=Seat.TWO, dice=(3, 1), observations=(die, dice.Observation()))
        table = Table(rule_set="biba-2014").game().turns(1).record(rolled)
        assert table.found == ["throw-invalid"]
        assert table.state.judged.throws.dice[0].details["cause"] == "not_flat"


@pytest.mark.parametrize(
    "rule_set", ["usbgf-2017-07", "usbgf-2017-09", "biba-2014", "fcbg-tournament", "common"]
)
def test_what_dropped_in_a_test_made_in_a_dispute_is_for_a_person_to_weigh(rule_set: str) -> None:
    test = {"slid": True, "dropped": True, "in_dispute": True}
    table = thrown_by_two(Table(rule_set=rule_set), [{"support_test": test}, {}])
    (die, _) = table.state.judged.throws.dice
    assert (die.reason, die.readings) == ("discretion", ("supported", "not_supported"))


def test_what_did_not_drop_in_a_test_made_in_a_dispute_is_held_up_by_nothing() -> None:
    test = {"slid": True, "dropped": False, "in_dispute": True}
    table = thrown_by_two(Table(rule_set="usbgf-2017-09"), [{"support_test": test}, {}])
    assert table.state.judged.throws.dice[0].outcome == "valid"


def test_rerolls_are_counted_by_player_and_reason() -> None:
    table = Table(rule_set="usbgf-2017-07").game().opening(2, 2).turns(1)
    table.void(seat="two").void(seat="two").turn("two", 42, "8/4 6/4")
    floor = dice.Voided(seat=Seat.ONE, reason=dice.VoidReason.ON_FLOOR)
    throws = table.record(floor).state.judged.throws
    assert throws.rerolls == {(Seat.TWO, "cocked"): 2, (Seat.ONE, "on_floor"): 1}
    assert throws.ties == 1
    assert table.codes == []


def test_an_opening_die_alone_is_counted_for_its_player() -> None:
    voided = dice.Voided(
        reason=dice.VoidReason.OPENING,
        scope=dice.VoidScope.DIE_OF_TWO,
        observations=(observed({}, 6), observed(COCKED, 1)),
    )
    table = Table(rule_set="biba-2014").game().record(voided)
    assert table.found == []
    assert table.state.judged.throws.rerolls == {(Seat.TWO, "opening"): 1}
    whole = msgspec.structs.replace(voided, scope=dice.VoidScope.BOTH)
    assert Table(rule_set="biba-2014").game().record(whole).found == ["reroll-scope"]


def test_a_throw_voided_later_is_judged_by_what_was_seen_then() -> None:
    table = thrown_by_two(Table(rule_set="usbgf-2017-07"), [{}, ON_CHECKER])
    assert table.found == []
    assert table.void(table.last, "two").found == ["throw-voided"]


def test_a_ruling_closes_the_question_whether_a_throw_is_valid() -> None:
    table = thrown_by_two(Table(rule_set="common"), [ON_CHECKER, {}])
    (finding,) = table.findings
    assert finding.code == "throw-in-doubt"
    assert finding.ruling_required is not None
    assert finding.ruling_required.topic == "dice.validity"
    assert finding.ruling_required.lean == "invalid"


@pytest.mark.parametrize(
    ("rule_set", "options", "ties", "value", "found"),
    [
        ("biba-2014", {"automatic_doubles": "on"}, 1, 1, ["automatic-double"]),
        ("usbgf-2017-07", {"automatic_doubles": "on"}, 1, 1, ["automatic-double"]),
        ("usbgf-2017-07", {}, 2, 1, []),
        ("fcbg-club", {"automatic_doubles": 2, "rated": False}, 3, 4, []),
        ("fcbg-club", {"automatic_doubles": 2, "rated": True}, 1, 1, ["automatic-double"]),
        ("fcbg-tournament", {"automatic_doubles": "on"}, 1, 1, ["automatic-double"]),
        ("fcbg-tournament", {"automatic_doubles": "on", "rated": False}, 1, 2, []),
    ],
)
def test_automatic_doubles(
    rule_set: str, options: dict[str, Any], ties: int, value: int, found: list[str]
) -> None:
    table = Table(rule_set=rule_set, **options).game()
    for _ in range(ties):
        table.opening(5, 5)
    assert (table.state.cube.value, table.state.cube.owner) == (value, None)
    assert table.found == found


def test_for_money_the_players_agreement_holds() -> None:
    table = Table(None, automatic_doubles="on").game().opening(3, 3)
    assert table.state.cube.value == 2
    assert not table.state.cube.turned
    tie = table.last
    assert table.codes == []
    assert table.void(tie).state.cube.value == 1


SOME = st.fixed_dictionaries(
    {},
    optional={
        "at_rest": st.sampled_from(["natural", "balanced", "not_at_rest", "disturbed_by_player"]),
        "location": st.sampled_from(["playing_field", "bar", "floor"]),
        "baffle_box": st.booleans(),
        "rolled_side": st.sampled_from(["left", "right", "unknown"]),
        "rest_side": st.sampled_from(["left", "right"]),
        "left_board_and_returned": st.sampled_from(["none", "table"]),
        "rests_on": st.lists(
            st.sampled_from(["field", "checker_a", "checker_b", "die_other"]), min_size=1
        ),
        "touching": st.lists(st.sampled_from(["bar", "side_rail"])),
        "supported_by": st.one_of(st.just("unclear"), st.lists(st.sampled_from(["bar"]))),
        "tilt": st.sampled_from(["flat", "tilted", "unknown"]),
        "tilt_cause": st.sampled_from(["none", "surface_imperfection", "overhang"]),
        "below_top_of": st.lists(st.sampled_from(["checker_a", "checker_b"])),
    },
)


@settings(max_examples=100, deadline=None)
@given(SOME, st.sampled_from(sorted(SHELF)))
def test_one_bad_die_makes_the_roll_bad_whichever_it_is(die: dict[str, Any], rule_set: str) -> None:
    # A box that nobody agreed on is in doubt however the dice lie.
    box = equipment.EquipmentAgreed(item="baffle_box", by=Actor.BOTH)
    first, second = (
        thrown_by_two(Table(rule_set=rule_set).record(box), dies).state.judged.throws
        for dies in ([die, {}], [{}, die])
    )
    assert first.answer == second.answer
    assert first.answer is not None
    assert first.answer.outcome == first.dice[0].outcome
    if first.answer.outcome == "ruling_required":
        assert first.answer.ambiguity is not None or first.answer.reason == "not_in_hand"


def test_an_early_roll_is_judged_by_how_it_came_to_rest() -> None:
    def early(*dies: dict[str, Any]) -> Table:
        seen = tuple(observed(die, 3) for die in dies)
        rolled = dice.RolledEarly(seat=Seat.TWO, dice=(3, 3), observations=seen)
        return Table(rule_set="usbgf-2017-07").game().turns(1).record(rolled)

    assert early().state.judged.throws.answer is None
    bad = early(FLOOR, {})
    assert "throw-invalid" in bad.found
    redone = dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.REDONE, seat=Seat.ONE)
    assert bad.record(redone).state.judged.throws.rerolls == {(Seat.TWO, "premature"): 1}


def test_outside_a_game_nothing_is_judged() -> None:
    for throw in (
        dice.OpeningRolled(one=4, two=4),
        dice.RolledEarly(seat=Seat.ONE, dice=(4, 4), observations=(dice.Observation(),)),
    ):
        assert Table().record(throw).state.judged.throws.answer is None


def test_a_throw_called_void_before_it_came_to_rest_is_no_quarrel() -> None:
    table = thrown_by_two(
        Table(rule_set="biba-2014"), [{"at_rest": "not_at_rest"}, {}], is_void=True
    )
    assert table.found == []
    counted = thrown_by_two(Table(rule_set="biba-2014"), [{"at_rest": "not_at_rest"}, {}])
    assert counted.found == ["throw-not-at-rest"]


@pytest.mark.parametrize(
    ("rule_set", "dies", "outcome", "why"),
    [
        ("biba-2014", [COCKED, COCKED], "invalid", "both"),
        ("biba-2014", [COCKED, {}], "invalid", "seat_one"),
        ("biba-2014", [COCKED, {"at_rest": "disturbed_by_player"}], "ruling_required", "AMB-D13"),
        ("usbgf-2017-07", [COCKED, COCKED], "invalid", "both"),
        ("usbgf-2017-07", [{}, COCKED], "ruling_required", "AMB-D10"),
    ],
)
def test_what_of_an_opening_roll_is_thrown_again(
    rule_set: str, dies: list[dict[str, Any]], outcome: str, why: str
) -> None:
    seen = tuple(observed(die, 3) for die in dies)
    rolled = dice.OpeningRolled(one=5, two=2, observations=seen)
    answer = Table(rule_set=rule_set).game().record(rolled).state.judged.throws.answer
    assert answer is not None
    assert answer.outcome == outcome
    assert why in (answer.details.get("reroll"), answer.ambiguity)


@pytest.mark.parametrize(
    ("rule_set", "throw", "outcome"),
    [
        ("biba-2014", dice.Throw(source="hand"), "invalid"),
        ("biba-2014", dice.Throw(source="cup", shaken=True), "valid"),
        ("fcbg-tournament", dice.Throw(bounced=False), "invalid"),
        ("usbgf-2017-07", dice.Throw(shaken=False), "ruling_required"),
        ("usbgf-2017-07", dice.Throw(source="box", shaken=False), "valid"),
        ("usbgf-2017-07", dice.Throw(source="box", together=False), "ruling_required"),
        ("common", dice.Throw(source="hand", together=False), "valid"),
    ],
)
def test_how_the_dice_were_thrown(rule_set: str, throw: dice.Throw, outcome: str) -> None:
    rolled = dice.Rolled(seat=Seat.TWO, dice=(3, 1), throw=throw)
    answer = Table(rule_set=rule_set).game().turns(1).record(rolled).state.judged.throws.answer
    assert answer is not None
    assert answer.outcome == outcome
    opening = dice.OpeningRolled(one=4, two=2, throw=dice.Throw(together=False))
    answer = Table(rule_set=rule_set).game().record(opening).state.judged.throws.answer
    assert answer is not None
    assert answer.outcome == "valid"


def test_an_opening_throw_with_one_bad_die_asks_what_is_thrown_again() -> None:
    """That it does not count is plain; the question is the scope, and the message says so."""
    thrown = dice.OpeningRolled(one=6, two=1, observations=(observed({}, 6), observed(COCKED, 1)))
    table = Table(rule_set="common").game().record(thrown)
    asked = [one for one in table.findings if one.ruling_required]
    assert [(one.ambiguity, one.message) for one in asked] == [
        (
            "AMB-D10",
            "a die of the opening roll does not count (a die does not lie flat); "
            "whether both are thrown again is for the Director to decide",
        )
    ]


@pytest.mark.parametrize(
    ("reason", "caller", "is_found"),
    [
        ("on_floor", "two", True),
        ("cocked", "one", True),
        ("other", "two", False),
        ("cocked", "director", False),
    ],
)
def test_one_die_of_two_is_thrown_again_alone_against_the_texts(
    reason: str, caller: str, *, is_found: bool
) -> None:
    """biba-2014 4.2, fcbg IRR/T(b): "both dice", though nobody noted how they lay."""
    for rule_set, section in (("biba-2014", "4.2"), ("fcbg-tournament", "IRR/T(b)")):
        table = Table(rule_set=rule_set).game().turns(1)
        table.record(
            dice.Voided(
                reason=dice.VoidReason(reason),
                seat=Seat.TWO,
                scope=dice.VoidScope.DIE_OF_TWO,
                caller=Actor(caller),
            )
        )
        found = [
            (one.section, one.message)
            for one in table.replay.findings
            if one.code == "reroll-scope"
        ]
        words = "one die alone was thrown again, and by the rules it should have been both dice"
        assert found == ([(section, words)] if is_found else [])
