"""General rules that all texts share: starting position, legal plays, doublets; clock errors."""

from __future__ import annotations

import pytest

from events.payloads import clock, dice
from events.values import Seat
from projections.rules.shelf import SHELF
from projections.rules.subjects.dice import Thrown
from tests.projections.table import Table

ALL = pytest.mark.parametrize("rule_set", SHELF)


def about_plays(table: Table) -> list[str]:
    """Codes of the findings about the last play."""
    return [code for code in table.found if code in ("illegal-play", "board-unknown")]


@ALL
@pytest.mark.rows("S-01")
def test_a_game_starts_from_the_same_position_everywhere(rule_set: str) -> None:
    table = Table(rule_set=rule_set).game()
    for seat in ("one", "two"):
        assert table.board(seat) == {24: 2, 13: 5, 8: 3, 6: 5}


@ALL
@pytest.mark.rows("M-01")
@pytest.mark.parametrize(
    ("scene", "roll", "text", "is_legal"),
    [
        ("race", 61, "6/off 1/off", True),
        ("race", 61, "6/off", False),
        ("forced", 65, "bar/20", True),
        ("forced", 65, "6/1", False),
        ("dance", 65, "", True),
        ("dance", 65, "13/7 13/8", False),
        ("last two", 31, "6/off 1/off", False),
    ],
)
def test_a_play_is_legal_or_not_everywhere(
    rule_set: str, scene: str, roll: int, text: str, is_legal: bool
) -> None:
    table = Table(rule_set=rule_set).scene(scene).turn("one", roll, text)
    assert about_plays(table) == ([] if is_legal else ["illegal-play"])


@ALL
@pytest.mark.rows("D-29")
@pytest.mark.parametrize(("text", "is_legal"), [("8/5(2) 6/3(2)", True), ("8/5 6/3", False)])
def test_a_doublet_is_played_four_times_everywhere(
    rule_set: str, text: str, is_legal: bool
) -> None:
    table = Table(rule_set=rule_set).game().turns(2).turn("one", 33, text)
    assert about_plays(table) == ([] if is_legal else ["illegal-play"])


@pytest.mark.rows("K-08")
@pytest.mark.parametrize("kind", ["not_paused", "wrong_side", "wrong_setting"])
@pytest.mark.parametrize(
    ("rule_set", "outcome", "reason"),
    [
        ("usbgf-2017-07", "rectify", None),
        ("usbgf-2017-09", "ruling_required", "not_in_hand"),
        ("biba-2014", "ruling_required", "silent"),
        ("fcbg-tournament", "ruling_required", "silent"),
        ("fcbg-club", "ruling_required", None),
        ("common", "ruling_required", "silent"),
    ],
)
def test_a_clock_that_ran_wrongly_is_put_right_where_the_text_says_so(
    rule_set: str, outcome: str, reason: str | None, kind: str
) -> None:
    table = Table(rule_set=rule_set).clock(reserve_s=840, delay_s=12).game().turns(2)
    noticed = clock.ClockFaultNoticed(kind=clock.ClockFault(kind), seat=Seat.ONE)
    answer = table.record(noticed).state.judged.timing.answer
    assert answer is not None
    assert (answer.outcome, answer.reason) == (outcome, reason)
    is_for_the_director = outcome == "ruling_required"
    assert ("for the Director to decide" in str(table.findings[-1].message)) is is_for_the_director


# Where a text differs from what others say about it, the text decides.


@pytest.mark.parametrize(
    ("rule_set", "option", "provided"),
    [
        ("fcbg-tournament", "official_languages", True),
        # LANGUAGE/TOURNAMENT does not bind a club.
        ("fcbg-club", "official_languages", False),
        # No heading speaks about baffle boxes.
        ("fcbg-tournament", "baffle_box", False),
        ("biba-2014", "baffle_box", True),
    ],
)
def test_only_options_of_the_text_are_provided(rule_set: str, option: str, provided: bool) -> None:
    table = Table(rule_set=rule_set, **{option: "pinned"})
    assert ("option-not-provided" in table.codes) is not provided


def test_an_option_of_the_draft_is_no_default_of_the_ratified_text() -> None:
    assert Table(rule_set="usbgf-2017-07").replay.rules.options["baffle_box"] == "option"
    assert Table(rule_set="usbgf-2017-09").replay.rules.options["baffle_box"] is None


@pytest.mark.rows("D-20")
def test_how_dice_go_through_a_box_stands_among_the_valid_rolls() -> None:
    table = Table(rule_set="usbgf-2017-07").game().turns(1)
    through_box = dice.Observation(baffle_box=True, rolled_side="right", rest_side="right")
    throw = dice.Throw(together=False)
    rolled = dice.Rolled(
        seat=Seat.TWO, dice=(3, 1), throw=throw, observations=(through_box, through_box)
    )
    (finding,) = table.record(rolled).findings
    assert (finding.ambiguity, finding.section) == ("AMB-D15", "[4.1.1-4]")


@pytest.mark.rows("C-01", "C-18")
@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "usbgf-2017-09"])
def test_a_text_that_follows_the_common_rules_cites_its_own_section(rule_set: str) -> None:
    table = Table(rule_set=rule_set).game().turns(2).double("one").take("two")
    # The cube is two's, and one doubles again.
    table.turn("one", 61, "13/7 8/7").turn("two", 53, "8/3 6/3").double("one")
    answer = table.state.judged.cube_acts.answer
    assert answer is not None
    assert (answer.outcome, answer.section) == ("not_allowed", "[4.4.3-5]")


@pytest.mark.rows("C-09", "C-10", "C-17")
def test_a_club_answers_with_doubling_what_that_heading_settles() -> None:
    table = Table(rule_set="fcbg-club", score=(5, 3)).game().turns(2)
    table.cube_is(2, "one").double("one").drop("two")
    assert table.state.score.winner is Seat.ONE
    answer = table.state.judged.cube_acts.answer
    assert answer is not None
    assert (answer.outcome, answer.section) == ("match_won", "DOUBLING")


@pytest.mark.parametrize("subject", ["window.play", "penalties", "cube.found", "dice.throw"])
def test_what_binds_tournaments_alone_is_a_clubs_question(subject: str) -> None:
    answer = Table(rule_set="fcbg-club").replay.rules.ask(subject, Thrown())
    assert (answer.ambiguity, answer.section) == ("AMB-F3", "INTERPRETATION")
    assert answer.readings == ("does_not_bind", "adopted")
    assert answer.suggest == "fcbg-tournament"
