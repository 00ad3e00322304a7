"""The cube: doubles, takes, drops, beavers, who owns it, acts found wrong, acts voided."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from events.payloads import cube, match, play
from events.payloads.play import StatedCube
from events.values import Seat
from projections import replay as replaying
from projections.facts.flow_state import Await
from projections.rules import shelf
from projections.rules.profile import CubeFault
from projections.rules.texts.common import COMMON
from tests.projections.table import ENTRY, Table

ONE, TWO = Seat.ONE, Seat.TWO


def _cube(table: Table) -> tuple[int, Seat | None, Seat | None]:
    state = table.state.cube
    return state.value, state.owner, state.offered_by


def test_a_game_starts_with_a_centred_cube_at_one() -> None:
    table = Table().game().turns(2).double("one").take("two").won("one", 2).game()
    assert _cube(table) == (1, None, None)


def test_a_double_waits_at_the_old_value() -> None:
    assert _cube(Table().game().turns(2).double("one")) == (1, None, ONE)


def test_the_taker_owns_the_doubled_cube() -> None:
    table = Table().game().turns(2).double("one").take("two")
    assert _cube(table) == (2, TWO, None)
    assert table.codes == []


def test_only_the_owner_redoubles() -> None:
    table = Table(25).game().turns(2).double("one").take("two").turn("one", 61, "13/7 8/7")
    table.double("two").take("one")
    assert _cube(table) == (4, ONE, None)
    assert table.codes == []


def test_a_drop_ends_the_game_at_the_value_before_the_double() -> None:
    table = Table(25).game().turns(2).double("one").take("two").turn("one", 61, "13/7 8/7")
    table.double("two").drop("one")
    assert table.score == (0, 2)
    assert table.state.flow.awaits is Await.GAME
    assert table.codes == []


def test_an_opening_winner_who_doubles_before_rolling_again_is_on_time() -> None:
    assert Table().game().turns(1).double("two").codes == []


# Beavers.


def test_a_beaver_that_the_doubler_accepts_quadruples_the_cube() -> None:
    table = Table(None, beavers="on").game().turns(2).double("one").beaver("two")
    assert table.state.flow.to_act is ONE
    assert _cube(table.take("one")) == (4, TWO, None)
    assert table.state.flow.on_roll is ONE
    assert table.codes == []


def test_a_beaver_that_the_doubler_refuses_costs_him_the_doubled_cube() -> None:
    table = Table(None, beavers="on").game().turns(2).double("one").beaver("two").drop("one")
    assert table.score == (0, 2)


def test_whoever_plays_on_has_accepted_the_beaver() -> None:
    table = Table(None, beavers="on").game().turns(2).double("one").beaver("two")
    table.roll("one", 61)
    assert _cube(table) == (4, TWO, None)
    assert table.codes == []


def test_after_a_raccoon_the_beaverer_keeps_the_cube() -> None:
    table = Table(None, beavers="on").game().turns(2).double("one").beaver("two").beaver("one")
    assert table.state.flow.to_act is TWO
    assert _cube(table.take("two")) == (8, TWO, None)


def test_a_beaver_that_nobody_agreed_on_is_found_and_kept() -> None:
    table = Table(None).game().turns(2).double("one").beaver("two")
    assert table.found == ["cube-beavered"]
    assert _cube(table) == (2, TWO, TWO)


# Answers to nothing.


@pytest.mark.parametrize("verb", ["take", "drop", "beaver"])
@pytest.mark.parametrize("is_doubled", [False, True])
def test_an_answer_that_nobody_asked_for_is_found_and_changes_nothing(
    verb: str, is_doubled: bool
) -> None:
    table = Table().game().turns(2)
    if is_doubled:
        table.double("one")
    before = table.state
    getattr(table, verb)("one")
    assert table.found == ["answer-without-offer"]
    assert table.state == before


def test_a_double_may_be_answered_though_the_doubler_has_rolled() -> None:
    table = Table().game().turns(2).double("one").roll("one", 61)
    assert table.found == ["offer-not-answered"]
    assert (_cube(table), table.state.flow.answering) == ((1, None, ONE), TWO)
    assert (_cube(table.take("two")), table.found) == ((2, TWO, None), [])
    assert table.state.flow.dice == (6, 1)
    assert table.play("one", "13/7 8/7").found == []


def test_a_play_after_that_roll_leaves_the_double_unanswered() -> None:
    table = Table().game().turns(2).double("one").roll("one", 61).play("one", "13/7 8/7")
    assert (_cube(table), table.found) == ((1, None, None), [])
    assert table.state.flow.answering is None


def test_a_roll_by_who_was_doubled_leaves_the_double_unanswered() -> None:
    table = Table().game().turns(2).double("one").roll("two", 61)
    assert "offer-not-answered" in table.found
    assert _cube(table) == (1, None, None)


def test_a_play_leaves_a_double_unanswered() -> None:
    table = Table().game().turns(2).roll("one", 61).double("one").play("one", "13/7 8/7")
    assert table.found == ["offer-not-answered"]
    assert (table.state.cube.offered_by, table.state.flow.answering) == (None, None)


def test_a_game_that_the_last_checker_ends_leaves_no_double_waiting() -> None:
    """Who was doubled in his own roll plays it, and has nothing to answer for with no game left."""
    table = Table().scene("single").roll("one", 65).double("two")
    assert _cube(table) == (1, None, Seat.TWO)
    table.play("one", "2/off")
    assert (_cube(table), table.state.flow.in_game, table.score) == ((1, None, None), False, (1, 0))
    table = Table().stated("off:13 1:2", "6:15", on_roll=Seat.ONE).roll("one", 21).double("two")
    table.play("one", "1/off")
    assert _cube(table) == (1, None, Seat.TWO)
    table.revise("one", table.last, "1/off 1/off")
    assert (_cube(table), table.state.flow.in_game, table.score) == ((1, None, None), False, (2, 0))


def test_a_double_on_a_double_is_found() -> None:
    assert "offer-not-answered" in Table().game().turns(2).double("one").double("one").found


def test_a_claim_ends_a_game_whose_double_was_never_answered() -> None:
    table = Table().game().turns(2).double("one").won("one", 1)
    assert table.found == ["ended-by-claim"]
    assert _cube(table) == (1, None, None)


# Doubles that are wrong.


def test_a_double_in_the_crawford_game_is_found_and_kept() -> None:
    table = Table(7, score=(6, 3)).game().turns(1).double("two")
    assert table.found == ["cube-in-crawford-game"]
    assert _cube(table.take("one")) == (2, ONE, None)


def test_a_double_after_the_crawford_game_is_right() -> None:
    table = Table(7, score=(6, 3), crawford_played=True).game().turns(1).double("two")
    assert table.codes == []


def test_a_double_with_the_others_cube_is_found() -> None:
    table = Table(25).game().turns(2).double("one").take("two").turn("one", 61, "13/7 8/7")
    table.turn("two", 53, "8/3 6/3").double("one")
    assert table.found == ["cube-not-owned"]


def test_a_double_after_ones_own_roll_is_found() -> None:
    table = Table().game().turns(2).roll("one", 61).double("one")
    assert table.found == ["cube-after-roll"]
    table.take("two")
    assert (table.state.flow.awaits, table.state.flow.to_act) == (Await.PLAY, ONE)


def test_a_double_on_the_opening_roll_is_found() -> None:
    found = Table().game().opening(3, 1).double("one").found
    assert found == ["cube-after-roll", "cube-act-open"]


@pytest.mark.parametrize("ties", [0, 2])
def test_a_double_before_the_opening_is_decided_is_found(ties: int) -> None:
    table = Table().game()
    for _ in range(ties):
        table.opening(4, 4)
    assert table.double("one").found == ["cube-before-opening"]
    table.take("two")
    assert table.state.cube.value == 2


def test_a_double_out_of_turn_is_found() -> None:
    assert Table().game().turns(2).double("two").found == ["out-of-turn", "cube-act-open"]


def test_a_double_in_the_others_roll_is_out_of_turn_and_a_question() -> None:
    found = Table().game().turns(2).roll("one", 61).double("two").found
    assert found == ["out-of-turn", "cube-act-open"]


@pytest.mark.parametrize(("points", "is_dead"), [(4, False), (5, True), (6, True)])
def test_a_cube_is_dead_for_whom_the_game_at_its_value_is_enough(
    points: int, is_dead: bool
) -> None:
    # Two doubled and one took: the cube is one's at 2, of 7 points.
    table = Table(7, score=(points, 0), crawford_played=True).game().turns(1).double("two")
    table.take("one").turn("two", 42, "8/4 6/4").double("one")
    assert table.found == (["cube-dead"] if is_dead else [])


def test_no_cube_is_dead_for_money() -> None:
    assert Table(None).game().turns(2).double("one").codes == []


def test_several_faults_are_found_together() -> None:
    table = Table(7, score=(6, 3)).game().turns(2).roll("one", 61).double("one")
    assert table.found == ["cube-in-crawford-game", "cube-after-roll", "cube-dead"]


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A rule set that holds a double in the Crawford game null and void."""
    import msgspec

    profile = msgspec.structs.replace(
        COMMON, id="strict", void_cube_acts=frozenset({CubeFault.CRAWFORD})
    )
    monkeypatch.setattr(shelf, "SHELF", {**shelf.SHELF, "strict": profile})
    yield "strict"
    assert replaying.replay([]).rules.profile is COMMON


def test_a_void_double_is_found_and_nobody_has_to_answer(strict: str) -> None:
    table = Table(7, score=(6, 3), rule_set=strict, crawford="on").game().turns(1).double("two")
    assert table.found == ["cube-in-crawford-game"]
    assert (_cube(table), table.state.flow.to_act) == ((1, None, None), TWO)
    assert table.drop("one").found == []
    assert (table.score, table.state.flow.in_game) == ((6, 3), True)
    assert table.drop("one").found == ["answer-without-offer"]


# Acts declared void at the table.


def test_a_double_declared_void_leaves_its_player_on_roll() -> None:
    table = Table().game().turns(2)
    before = table.state
    table.double("one").void_cube(table.last)
    assert (table.state.flow, table.state.cube) == (before.flow, before.cube)


def test_a_double_declared_void_after_the_take_puts_the_cube_back() -> None:
    table = Table().game().turns(2)
    double = table.double("one").last
    table.take("two").void_cube(double)
    assert _cube(table) == (1, None, None)
    assert (table.state.flow.awaits, table.state.flow.to_act) == (Await.ROLL, ONE)


def test_a_take_declared_void_is_to_be_answered_again() -> None:
    table = Table().game().turns(2).double("one").take("two")
    table.void_cube(table.last)
    assert (_cube(table), table.state.flow.answering) == ((1, None, ONE), TWO)


def test_a_double_declared_void_later_puts_the_cube_back_and_play_goes_on() -> None:
    table = Table().game().turns(2)
    double = table.double("one").last
    table.take("two").turn("one", 61, "13/7 8/7")
    flow = table.state.flow
    table.void_cube(double)
    assert (_cube(table), table.state.flow) == ((1, None, None), flow)


def test_a_dropped_double_declared_void_opens_the_game_again() -> None:
    table = Table().game().turns(2)
    before = table.state
    double = table.double("one").last
    table.drop("two")
    assert table.score == (1, 0)
    table.void_cube(double)
    assert table.score == (0, 0)
    assert (table.state.flow, table.state.cube) == (before.flow, before.cube)
    assert table.state.score.games == ()


def test_voiding_an_act_of_an_earlier_game_is_found() -> None:
    table = Table().game().turns(2)
    double = table.double("one").last
    table.drop("two").game()
    before = table.state
    assert table.void_cube(double).found == ["earlier-game"]
    assert table.state == before


def test_voiding_an_act_that_changed_nothing_changes_nothing() -> None:
    table = Table().game().turns(2).take("two")
    unasked = table.last
    table.double("one").take("two")
    before = table.state
    assert table.void_cube(unasked).state == before


def test_voiding_an_unknown_act_is_found() -> None:
    assert Table().game().void_cube(ENTRY.format(99)).found == ["reference-unknown"]


# The cube as somebody says it lies.


@pytest.mark.parametrize("basis", ["agreed", "ruled", "imported"])
def test_an_agreed_cube_replaces_the_computed_one(basis: str) -> None:
    table = Table().game().cube_is(4, "two", basis)
    assert _cube(table) == (4, TWO, None)
    assert table.codes == []


@pytest.mark.parametrize("basis", ["observed", "claimed_by_one", "device", "testified"])
def test_a_cube_that_only_somebody_saw_is_compared(basis: str) -> None:
    table = Table().game().cube_is(4, "two", basis)
    # Before the opening roll the rules have it put in the middle.
    assert table.found == ["cube-differs", "cube-to-centre"]
    assert _cube(table) == (1, None, None)
    assert table.cube_is(1, None, basis).found == []


def test_an_agreed_cube_settles_the_offer_that_waited() -> None:
    table = Table().game().turns(2).double("one").cube_is(2, "two")
    assert _cube(table) == (2, TWO, None)
    assert (table.state.flow.answering, table.state.flow.to_act) == (None, ONE)


def test_a_cube_stated_with_a_board_is_the_cube() -> None:
    table = Table().scene("race", cube=StatedCube(value=4, owner=ONE))
    assert _cube(table) == (4, ONE, None)
    assert table.double("one").codes == []


def test_a_cube_unsaid_with_a_board_is_as_before() -> None:
    assert _cube(Table().game().cube_is(4, "two").scene("race")) == (4, TWO, None)


def test_a_ruling_sets_the_cube_and_settles_the_offer() -> None:
    table = Table().game().turns(2).double("one").carry_out(cube=StatedCube(value=2, owner=TWO))
    assert _cube(table) == (2, TWO, None)
    assert table.state.flow.to_act is ONE


def test_a_corrected_play_undoes_the_cube_acts_that_it_lists() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    double = table.double("two").last
    take = table.take("one").last
    table.correct(made, "8/5 6/5", undoes=(double, take))
    assert (_cube(table), table.state.flow.on_roll) == ((1, None, None), TWO)


def test_a_gesture_is_no_cube_act() -> None:
    table = Table().game().turns(2)
    before = table.state
    gesture = cube.CubeGestured(seat=ONE, kind=cube.GestureKind.LIFT)
    intent = cube.CubeIntentStated(seat=ONE, intent=cube.Intent.DOUBLE)
    after = table.record(gesture).record(intent).state
    assert (after.cube, after.flow, after.score) == (before.cube, before.flow, before.score)


def test_an_unseen_play_leaves_the_double_unanswered() -> None:
    table = Table().game().turns(2).double("one").record(play.PlayUnseen())
    assert table.found == ["offer-not-answered"]
    assert table.record(match.GameStarted()).state.cube.value == 1


@pytest.mark.parametrize(
    ("rule_set", "crawford", "not_owned", "rolled", "dead"),
    [
        ("usbgf-2017-07", "[4.4.6]", "[4.4.3-5]", "[4.4.3-5]", "[4.4.9]"),
        ("biba-2014", "5.5", "1.2", "5.4", "4.10"),
        ("fcbg-tournament", "CRAWFORD/T", "DOUBLING", "IRR/T(j)", "DOUBLING"),
        ("fcbg-club", "DOUBLING", "DOUBLING", "DOUBLING", "DOUBLING"),
        ("common", *["Doubling cube"] * 4),
    ],
)
def test_each_fault_of_a_double_cites_what_forbids_it(
    rule_set: str, crawford: str, not_owned: str, rolled: str, dead: str
) -> None:
    """The Crawford game, who owns the cube, dice that were rolled and dead cubes stand apart."""
    begun = Table(7, rule_set=rule_set, crawford="on").game().turns(2)
    crawford_game = Table(7, rule_set=rule_set, score=(6, 3), crawford="on").game().turns(2)
    owned = Table(7, rule_set=rule_set).game().turns(2).double("one").take("two")
    late = Table(7, rule_set=rule_set, score=(6, 3), crawford_played=True).game().turns(2)
    told = {
        "cube-in-crawford-game": (crawford_game.double("one"), crawford),
        "cube-not-owned": (owned.double("one"), not_owned),
        "cube-after-roll": (begun.roll("one", 61).double("one"), rolled),
        "cube-dead": (late.double("one"), dead),
    }
    for code, (table, section) in told.items():
        cited = [one.section for one in table.findings if one.code == code]
        assert cited == [section], code
