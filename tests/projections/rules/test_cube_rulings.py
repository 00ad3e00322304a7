"""Rulings on the cube and on what a game counts: each reading, and what follows from it."""

from __future__ import annotations

from typing import Any

import pytest
from rulings import ruled
from table import Table

from events.envelope import Basis
from events.payloads import cube, dispute, match, penalty
from events.payloads.base import Actor
from events.values import BySeat, Seat
from projections.board.position import STARTING
from projections.facts.flow_state import Await
from projections.rules.answers import Answer

ONE, TWO = Seat.ONE, Seat.TWO


def begun(rule_set: str, length: int | None = 7, **members: Any) -> Table:
    return Table(length, rule_set=rule_set, **members).game()


def acts(table: Table) -> Any:
    return table.state.judged.cube_acts


def answer(table: Table) -> Answer:
    kept: Answer = acts(table).answer
    return kept


def lies(table: Table) -> tuple[int, Seat | None, Seat | None]:
    now = table.state.cube
    return now.value, now.owner, now.offered_by


def waits(table: Table) -> tuple[Await, Seat | None]:
    return table.state.flow.awaits, table.state.flow.to_act


# A double of which the text does not say whether it may be made.


def late_double() -> Table:
    """One has rolled and doubles; the draft does not say until when one may."""
    return begun("usbgf-2017-07").turns(2).roll("one", 61).double("one")


def test_a_double_that_is_ruled_out_leaves_cube_and_turn_as_before_it() -> None:
    before = begun("usbgf-2017-07").turns(2).roll("one", 61).state
    table = ruled(late_double(), "cube.double", "not_allowed")
    assert (table.state.cube, table.state.flow) == (before.cube, before.flow)
    assert (answer(table).outcome, answer(table).ruled_at) == ("not_allowed", 9)
    assert (acts(table).time.outcome, acts(table).last.verdict.outcome) == (
        "not_allowed",
        "not_allowed",
    )


def test_a_double_that_is_ruled_allowed_waits_for_its_answer() -> None:
    table = ruled(late_double(), "cube.double", "allowed")
    assert (lies(table), waits(table)) == ((1, None, ONE), (Await.ANSWER, TWO))
    assert lies(table.take("two")) == (2, TWO, None)
    assert table.found == []


def test_a_double_that_was_taken_is_ruled_out_with_its_take() -> None:
    table = ruled(late_double().take("two"), "cube.double", "not_allowed")
    assert (lies(table), waits(table)) == ((1, None, None), (Await.PLAY, ONE))


def test_a_game_that_ended_by_the_drop_of_a_double_ruled_out_goes_on() -> None:
    table = late_double().drop("two")
    assert table.score == (1, 0)
    ruled(table, "cube.double", "not_allowed")
    assert (table.score, waits(table)) == ((0, 0), (Await.PLAY, ONE))


def test_a_double_that_is_ruled_out_after_a_play_is_left_to_what_is_carried_out() -> None:
    table = late_double().take("two").play("one", "13/7 8/7")
    assert lies(ruled(table, "cube.double", "not_allowed")) == (2, TWO, None)
    assert answer(table).outcome == "not_allowed"


def test_a_new_double_is_not_taken_back_by_a_ruling_on_an_earlier_one() -> None:
    table = late_double()
    table.void_cube(table.last).double("one")
    first = table.replay.open_questions[0]
    question = dispute.Question(topic="cube.double", at=first.entry_id, seat=ONE)
    made = dispute.RulingMade(answers=(dispute.Answer(question=question, reading="not_allowed"),))
    assert lies(table.record(made, basis=Basis.RULED)) == (1, None, ONE)


def test_a_ruling_that_nobody_asked_for_moves_nothing() -> None:
    table = begun("biba-2014").turns(2).double("one")
    before = table.state
    question = dispute.Question(topic="cube.double", at=table.last, seat=ONE)
    made = dispute.RulingMade(answers=(dispute.Answer(question=question, reading="void"),))
    after = table.record(made, basis=Basis.RULED).state
    assert (after.cube, after.flow, after.score) == (before.cube, before.flow, before.score)


def test_a_reading_that_nobody_knows_is_kept_and_moves_nothing() -> None:
    table = late_double()
    before = table.state
    ruled(table, "cube.double", "as the players agree")
    assert answer(table).outcome == "as the players agree"
    assert (table.state.cube, table.state.flow) == (before.cube, before.flow)


@pytest.mark.parametrize("answered", ["", "take", "drop"])
@pytest.mark.parametrize(
    ("rule_set", "topic", "reading"),
    [
        ("usbgf-2017-07", "cube.double", "not_allowed"),
        ("biba-2014", "cube.answered-double", "undone"),
    ],
)
def test_a_double_before_the_opening_roll_is_ruled_out_and_that_roll_is_still_to_come(
    rule_set: str, topic: str, reading: str, answered: str
) -> None:
    before = begun(rule_set).state
    table = begun(rule_set).double("two")
    assert waits(table) == (Await.ANSWER, ONE)
    if answered:
        getattr(table, answered)("one")
    elif rule_set == "biba-2014":
        return
    ruled(table, topic, reading)
    assert (table.state.cube, table.state.flow, table.score) == (before.cube, before.flow, (0, 0))


def test_what_is_asked_about_a_double_is_ruled_beside_a_word_that_was_broken() -> None:
    """Biba: who said that he would take drops, by which the match does not end (4.10)."""
    table = begun("biba-2014", score=(6, 4), crawford_played=True).turns(2).double("one")
    take = cube.CubeIntentStated(seat=TWO, intent=cube.Intent.TAKE)
    table.record(take).drop("two")
    ruled(table, "cube.sign-drop", "stands")
    assert lies(ruled(table, "cube.drop-cube", "before_double")) == (1, TWO, None)
    # Or answers a double that is not allowed (5.4) otherwise than he said.
    table = begun("biba-2014").turns(2).roll("one", 61).double("one").record(take).drop("two")
    ruled(table, "cube.sign-drop", "stands")
    ruled(table, "cube.answered-double", "undone")
    assert (lies(table), table.score, waits(table)) == ((1, None, None), (0, 0), (Await.PLAY, ONE))


def early_double() -> Table:
    """Two touches nothing and doubles in one's turn; the draft says: at that time."""
    return begun("usbgf-2017-07").turns(2).roll("one", 61).double("two")


def test_an_early_double_that_is_void_leaves_the_roll_to_be_played() -> None:
    table = ruled(early_double(), "cube.double", "void")
    assert (lies(table), waits(table)) == ((1, None, None), (Await.PLAY, ONE))
    assert acts(table).promises == ()


def test_an_early_double_that_stands_now_is_answered() -> None:
    table = ruled(early_double(), "cube.double", "now")
    assert waits(table) == (Await.ANSWER, ONE)


def test_an_early_double_at_the_first_legal_opportunity_binds_its_player() -> None:
    table = ruled(early_double(), "cube.double", "first_legal_opportunity")
    assert lies(table) == (1, None, None)
    table.play("one", "13/7 8/7").roll("two", 53)
    assert "cube-promise-broken" in table.found


def test_a_take_after_a_ruling_that_lets_it_stand_asks_nothing() -> None:
    """Not allowed and answered all the same: stands, or undone."""
    for reading, cube_now in (("stands", (2, TWO, None)), ("undone", (1, None, None))):
        table = begun("biba-2014").turns(2).roll("one", 61).double("one").take("two")
        assert lies(ruled(table, "cube.answered-double", reading)) == cube_now
        assert waits(table) == (Await.PLAY, ONE)


# Drops that end no match.


@pytest.mark.parametrize(("reading", "value"), [("before_double", 1), ("after_double", 2)])
def test_a_drop_that_counts_as_a_take_is_worth_what_is_ruled(reading: str, value: int) -> None:
    table = begun("biba-2014", score=(6, 3), crawford_played=True).turns(2).double("one")
    ruled(table.drop("two"), "cube.drop-cube", reading)
    assert (lies(table), table.state.flow.in_game) == ((value, TWO, None), True)
    assert answer(table).also["cube"].outcome == reading
    assert table.win("single", "two").score == (6, 3 + value)


@pytest.mark.parametrize(
    ("reading", "expected"), [("counts_as_accepted", (8, TWO, None)), ("other", (4, ONE, None))]
)
def test_a_drop_to_who_does_not_lead(reading: str, expected: tuple[int, Seat, None]) -> None:
    table = begun("biba-2014", score=(5, 6), crawford_played=True).turns(2).cube_is(4, "one")
    ruled(table.double("one").drop("two"), "cube.drop-double", reading)
    assert lies(table) == expected


# What a hand or a word binds to.


def touched(rule_set: str) -> Table:
    gestured = cube.CubeGestured(seat=ONE, kind=cube.GestureKind.TOUCH)
    return begun(rule_set).turns(2).record(gestured)


@pytest.mark.parametrize(("reading", "is_bound"), [("bound", True), ("not_bound", False)])
def test_who_is_ruled_bound_has_to_double(reading: str, is_bound: bool) -> None:
    table = ruled(touched("fcbg-tournament"), "cube.sign", reading)
    assert (acts(table).promises != (), acts(table).bound.outcome) == (is_bound, reading)
    table.roll("one", 61)
    assert ("cube-promise-broken" in table.found) is is_bound


def test_who_has_rolled_before_the_ruling_is_bound_to_nothing_more() -> None:
    table = touched("fcbg-tournament").turn("one", 61, "13/7 8/7")
    assert acts(ruled(table, "cube.sign", "bound")).promises == ()


@pytest.mark.parametrize(
    ("reading", "is_bound"),
    [("now", True), ("first_legal_opportunity", True), ("void", False)],
)
def test_a_touch_out_of_turn(reading: str, is_bound: bool) -> None:
    table = begun("usbgf-2017-07").turns(1)
    table.record(cube.CubeGestured(seat=ONE, kind=cube.GestureKind.TOUCH))
    assert (acts(ruled(table, "cube.sign", reading)).promises != ()) is is_bound


@pytest.mark.parametrize(("reading", "is_bound"), [("binds", True), ("choice", False)])
def test_a_reach_out_of_turn(reading: str, is_bound: bool) -> None:
    table = begun("biba-2014").turns(1)
    table.record(cube.CubeGestured(seat=ONE, kind=cube.GestureKind.REACH))
    assert (acts(ruled(table, "cube.sign", reading)).promises != ()) is is_bound


@pytest.mark.parametrize(
    ("reading", "expected"), [("stands", (1, None, None)), ("undone", (1, None, ONE))]
)
def test_a_drop_against_ones_word(reading: str, expected: tuple[int, None, Seat | None]) -> None:
    table = begun("biba-2014").turns(2)
    table.record(
        cube.CubeIntentStated(seat=TWO, intent=cube.Intent.TAKE, when=cube.IntentTime.IF_DOUBLED)
    )
    table.double("one").drop("two")
    assert lies(ruled(table, "cube.sign-drop", reading)) == expected
    assert table.score == ((1, 0) if reading == "stands" else (0, 0))
    assert answer(table).also["drop"].outcome == reading


def test_a_drop_that_is_undone_leaves_the_take_due() -> None:
    table = begun("usbgf-2017-07").turns(2)
    table.record(
        cube.CubeIntentStated(seat=TWO, intent=cube.Intent.TAKE, when=cube.IntentTime.IF_DOUBLED)
    )
    table = ruled(table.double("one").drop("two"), "cube.sign-drop", "undone").drop("two")
    assert table.found == ["cube-promise-broken", "cube-act-open"]


def test_a_roll_where_a_double_was_due_stands_as_ruled() -> None:
    table = ruled(touched("usbgf-2017-07").roll("one", 61), "cube.sign-roll", "stands")
    assert (waits(table), acts(table).promises) == ((Await.PLAY, ONE), ())


def test_a_roll_where_a_double_was_due_is_undone_and_the_double_is_due_again() -> None:
    table = ruled(touched("usbgf-2017-07").roll("one", 61), "cube.sign-roll", "undone")
    assert waits(table) == (Await.ROLL, ONE)
    assert "cube-promise-broken" in table.roll("one", 61).found
    assert ruled(table, "cube.sign-roll", "undone").double("one").found == []
    assert waits(table) == (Await.ANSWER, TWO)


@pytest.mark.parametrize(
    ("reading", "kept", "broken"), [("taken", "take", "drop"), ("dropped", "drop", "take")]
)
def test_an_answer_as_it_is_ruled_has_to_be_given(reading: str, kept: str, broken: str) -> None:
    for given, is_broken in ((kept, False), (broken, True)):
        table = begun("usbgf-2017-07").turns(2).double("one")
        put = cube.CubeGestured(seat=TWO, kind=cube.GestureKind.PUT, put=cube.CubePlace.FIELD)
        ruled(table.record(put), "cube.answer", reading)
        assert waits(table) == (Await.ANSWER, TWO)
        getattr(table, given)("two")
        assert ("cube-promise-broken" in table.found) is is_broken


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_an_answer_that_is_ruled_to_have_been_the_other_one_is_given_anew(rule_set: str) -> None:
    for given, reading, kept, cube_then in (
        ("drop", "taken", "take", (2, TWO, None)),
        ("take", "dropped", "drop", (1, None, None)),
    ):
        table = begun(rule_set).turns(2).double("one")
        getattr(table, given)("two")
        table.record(dispute.DisputeRaised(by=Actor.TWO, topic="cube.answer"))
        ruled(table, "cube.answer", reading)
        assert (waits(table), table.score) == ((Await.ANSWER, TWO), (0, 0))
        assert getattr(table, kept)("two").found == []
        assert lies(table) == cube_then


def test_an_answer_that_is_ruled_to_have_been_given_stands() -> None:
    table = begun("usbgf-2017-07").turns(2).double("one").drop("two")
    table.record(dispute.DisputeRaised(by=Actor.TWO, topic="cube.answer"))
    assert ruled(table, "cube.answer", "dropped").score == (1, 0)


# Beavers, ties, and a cube that shows something else.


def test_a_beaver_that_is_ruled_out_leaves_the_double_to_be_answered() -> None:
    table = begun("common", None).turns(2).double("one").beaver("two")
    assert lies(ruled(table, "cube.beaver", "not_allowed")) == (1, None, ONE)
    assert waits(table) == (Await.ANSWER, TWO)
    assert lies(table.take("two")) == (2, TWO, None)
    assert table.found == []


def test_a_beaver_that_is_allowed_is_answered_and_nobody_asks_again() -> None:
    table = ruled(
        begun("common", None).turns(2).double("one").beaver("two"), "cube.beaver", "allowed"
    )
    assert lies(table.take("one")) == (4, TWO, None)
    assert (answer(table).outcome, table.found) == ("allowed", [])


def test_a_beaver_ruled_on_after_its_reply_is_open_no_more() -> None:
    table = begun("common", None).turns(2).double("one").beaver("two").take("one")
    assert answer(ruled(table, "cube.beaver", "allowed")).outcome == "allowed"


@pytest.mark.parametrize(("reading", "value"), [("cube_2", 2), ("cube_1", 1)])
def test_a_tie_makes_the_cube_what_is_ruled(reading: str, value: int) -> None:
    table = begun("usbgf-2017-07", automatic_doubles="on").opening(4, 4)
    ruled(table, "cube.automatic", reading)
    assert (table.state.cube.value, table.state.cube.automatic.outcome) == (value, reading)
    assert table.turns(2).double("one").take("two").state.cube.value == 2 * value


@pytest.mark.parametrize(("reading", "value"), [("rated", 1), ("unrated", 2)])
def test_a_match_that_is_ruled_unrated_has_automatic_doubles(reading: str, value: int) -> None:
    table = begun("fcbg-club", automatic_doubles="on").opening(4, 4)
    assert ruled(table, "cube.automatic", reading).state.cube.value == value


def test_a_tie_ruled_on_after_the_cube_was_turned_changes_it_no_more() -> None:
    table = begun("usbgf-2017-07", automatic_doubles="on").opening(4, 4).turns(2)
    table.double("one").take("two")
    assert ruled(table, "cube.automatic", "cube_2").state.cube.value == 2


@pytest.mark.parametrize("reading", ["as_shown", "as_acted"])
def test_what_a_cube_shows_is_ruled_once(reading: str) -> None:
    table = begun("biba-2014").turns(2).cube_is(2, "two", "observed")
    table.record(dispute.DisputeRaised(by=Actor.ONE))
    ruled(table, "cube.value", reading)
    assert (answer(table).outcome, lies(table)) == (reading, (1, None, None))
    assert table.record(dispute.DisputeRaised(by=Actor.TWO)).found == []


# The Crawford game.


def penalised() -> Table:
    """One has six of seven if the penalty point counts, and five if it does not."""
    table = Table(7, rule_set="usbgf-2017-07").game().won("one", 5)
    table.record(penalty.PenaltyAssessed(seat=TWO, points=1))
    return table.game()


def test_a_game_that_is_ruled_the_crawford_game_is_played_without_the_cube() -> None:
    table = ruled(penalised(), "crawford.phase", "crawford")
    assert (table.state.score.phase.value, acts(table).phase.outcome) == ("crawford", "crawford")
    assert "cube-in-crawford-game" in table.turns(2).double("one").found
    assert table.won("two", 1).game().state.score.phase.value == "after"
    assert "crawford-open" not in table.found


def test_a_double_in_a_game_that_is_ruled_the_crawford_game_afterwards_is_void() -> None:
    table = penalised().turns(2).double("one").take("two").turn(ONE, 61, "13/7 8/7")
    ruled(table, "crawford.phase", "crawford")
    assert (table.found, lies(table)) == (["cube-void"], (1, None, None))
    assert table.win("single", "one").score == (6, 0)
    waiting = ruled(penalised().turns(2).double("one"), "crawford.phase", "crawford")
    assert (waits(waiting), lies(waiting)) == ((Await.ROLL, ONE), (1, None, None))
    stands = ruled(penalised().turns(2).double("one"), "crawford.phase", "pre_crawford")
    assert (stands.found, waits(stands)) == ([], (Await.ANSWER, TWO))


def test_a_game_that_is_ruled_none_is_played_with_the_cube() -> None:
    table = ruled(penalised(), "crawford.phase", "pre_crawford")
    assert (table.state.score.phase.value, acts(table).phase.outcome) == ("before", "pre_crawford")
    assert table.turns(2).double("one").codes.count("cube-in-crawford-game") == 0
    assert table.state.score.crawford_played is False


def test_a_game_that_is_over_was_the_crawford_game_if_it_is_ruled_so() -> None:
    table = ruled(penalised().won("two", 1), "crawford.phase", "crawford")
    assert table.state.score.crawford_played
    assert table.game().state.score.phase.value == "after"


def club() -> Table:
    return begun("fcbg-club", score=(6, 3))


def test_a_club_that_adopts_the_rule_has_its_crawford_game() -> None:
    table = ruled(club(), "crawford.phase", "adopted")
    assert table.state.score.is_crawford_game
    table.turns(1).double("two")
    assert table.found == ["cube-in-crawford-game"]
    table.won("two", 1).game()
    assert (table.state.score.phase.value, acts(table).phase.outcome) == ("after", "adopted")


def test_a_club_that_is_not_bound_plays_with_the_cube() -> None:
    table = ruled(club(), "crawford.phase", "does_not_bind")
    assert not table.state.score.is_crawford_game
    assert table.turns(1).double("two").take("one").found == []
    assert lies(table) == (2, ONE, None)


# Doubles that are noticed later.


def turned_crawford(rule_set: str, *begun_by: Seat) -> Table:
    """The trailer's cube of the Crawford game was turned, and won a single game."""
    table = begun(rule_set, score=(6, 5)).turns(1).double("two")
    double = table.last
    table.take("one").win("single", "two").ended()
    if begun_by:
        kind = match.NextMatch.NEXT_ROUND if len(begun_by) == 2 else match.NextMatch.OTHER_EVENT
        table.record(match.MatchNextStarted(seats=begun_by, next=kind))
    return table.record(dispute.DirectorCalled(about=double))


def test_a_void_double_that_stands_counts_in_the_score() -> None:
    """Found after the next round has begun for both, the result stands: no ruling is asked."""
    table = turned_crawford("biba-2014", ONE, TWO)
    assert answer(table).outcome == "stands"
    assert (table.score, table.state.score.winner) == ((6, 7), TWO)
    assert table.state.judged.endings.match.outcome == "match_won"
    assert table.state.judged.outcome.winner is TWO
    assert waits(table)[0] is Await.NOTHING


def test_a_score_that_is_corrected_is_the_one_without_the_cube() -> None:
    table = turned_crawford("biba-2014")
    assert answer(table).outcome == "score_corrected"
    assert (table.score, table.state.score.winner) == ((6, 6), None)


@pytest.mark.parametrize(
    ("rule_set", "reading", "score"),
    [
        ("usbgf-2017-07", "stands", (6, 7)),
        ("usbgf-2017-07", "score_corrected", (6, 6)),
    ],
)
def test_a_turned_cube_counts_as_it_is_ruled(
    rule_set: str, reading: str, score: tuple[int, int]
) -> None:
    table = ruled(turned_crawford(rule_set), "cube.found", reading)
    assert (table.score, answer(table).outcome) == (score, reading)
    assert table.record(dispute.DirectorCalled()).found == []


def test_a_score_that_was_stated_since_is_not_moved_by_a_ruling() -> None:
    table = turned_crawford("usbgf-2017-07").score_is(6, 6)
    assert ruled(table, "cube.found", "stands").score == (6, 6)


@pytest.mark.parametrize("reading", ["start_of_game", "position_of_double"])
def test_where_a_game_resumes_is_ruled_and_carried_out(reading: str) -> None:
    table = begun("biba-2014", score=(6, 3)).turns(1).double("two")
    table.take("one").record(dispute.DirectorCalled(about=table.last))
    ruled(table, "cube.found-resume", reading)
    assert answer(table).also["resume"].outcome == reading
    if reading == "position_of_double":
        # A board that is set up again is for `ruling.carried_out` to say.
        assert waits(table) == (Await.ROLL, TWO)
        return
    assert waits(table) == (Await.GAME, None)
    again = table.game().state
    assert (table.found, again.score.is_crawford_game) == ([], True)
    assert answer(table.turns(1).double("two")).outcome == "void"


def test_a_game_that_is_to_start_again_may_be_set_up_instead() -> None:
    table = begun("biba-2014", score=(6, 3)).turns(1).double("two")
    table.take("one").record(dispute.DirectorCalled(about=table.last))
    ruled(table, "cube.found-resume", "start_of_game")
    checkers = BySeat(STARTING.own, STARTING.other)
    flow = table.carry_out(checkers=checkers, on_roll=ONE).state.flow
    assert (table.found, flow.in_game, flow.on_roll) == ([], True, ONE)


# Beavers that are not allowed, and answered.


def beavered(rule_set: str) -> tuple[Table, str]:
    """One doubles, two beavers, one accepts; and the entry of the beaver."""
    table = begun(rule_set).turns(2).double("one").beaver("two")
    beaver = table.last
    return table.take("one"), beaver


@pytest.mark.parametrize("rule_set", ["biba-2014", "fcbg-tournament", "fcbg-club"])
@pytest.mark.parametrize(("reading", "points"), [("stands", 4), ("undone", 2)])
def test_a_beaver_that_was_taken_counts_as_it_is_ruled(
    rule_set: str, reading: str, points: int
) -> None:
    table, beaver = beavered(rule_set)
    assert table.found == ["cube-act-open"]
    table.win("single", "one")
    assert table.score == (4, 0)
    assert table.record(dispute.DirectorCalled(about=beaver)).found == []
    assert ruled(table, "cube.answered-beaver", reading).score == (points, 0)


def test_a_beaver_is_taken_back_in_its_own_turn() -> None:
    table, _ = beavered("biba-2014")
    ruled(table.record(dispute.DirectorCalled(about=table.last)), "cube.answered-beaver", "undone")
    state = table.state
    assert (state.cube.value, state.cube.offered_by, state.flow.answering) == (1, ONE, TWO)


# Void doubles are answered, and nothing comes of it.


@pytest.mark.parametrize("verb", ["take", "drop"])
@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_the_answer_to_a_void_double_leaves_cube_and_score_alone(verb: str, rule_set: str) -> None:
    table = begun(rule_set, score=(6, 3)).turns(1).double("two")
    getattr(table, verb)("one")
    assert "answer-without-offer" not in table.codes
    assert (lies(table), table.score) == ((1, None, None), (6, 3))
    assert (table.state.flow.in_game, table.state.flow.to_act) == (True, TWO)
    assert acts(table).last.answered == verb


def test_only_one_answer_to_a_void_double_is_nothing_new() -> None:
    table = begun("biba-2014", score=(6, 3)).turns(1).double("two").drop("one").drop("one")
    assert table.found == ["answer-without-offer"]


# Jacoby.


def gammon(**members: Any) -> Table:
    return Table(7, rule_set="usbgf-2017-07", jacoby="on", **members).game().win("gammon")


@pytest.mark.parametrize(("reading", "points"), [("single", 1), ("counts", 2)])
def test_a_gammon_counts_as_it_is_ruled(reading: str, points: int) -> None:
    table = ruled(gammon(), "score.gammon", reading)
    assert (table.score, table.state.score.games[-1].points) == ((points, 0), points)
    assert table.state.score.gammon.outcome == reading


def test_a_gammon_that_decides_the_match_decides_it_as_ruled() -> None:
    table = gammon(score=(5, 0))
    assert waits(table)[0] is Await.NOTHING
    ruled(table, "score.gammon", "single")
    assert (table.score, table.state.score.winner) == ((6, 0), None)
    assert waits(table)[0] is Await.GAME
    assert table.state.judged.endings.match.outcome == "match_continues"
    assert table.game().state.score.is_crawford_game


def test_a_game_that_has_just_begun_takes_its_phase_from_the_ruled_score() -> None:
    table = gammon(score=(5, 0))
    ruled(table.game(), "score.gammon", "single")
    assert table.state.score.is_crawford_game


def test_a_gammon_is_ruled_anew() -> None:
    table = gammon()
    [asked] = table.replay.open_questions
    question = dispute.Question(topic="score.gammon", at=asked.entry_id, seat=asked.seat)
    for reading, points in (("single", 1), ("counts", 2)):
        made = dispute.Answer(question=question, reading=reading)
        table.record(dispute.RulingMade(answers=(made,)), basis=Basis.RULED)
        assert table.score == (points, 0)


def test_a_gammon_of_which_the_score_was_stated_since_keeps_that_score() -> None:
    table = ruled(gammon().score_is(3, 0), "score.gammon", "single")
    assert (table.score, table.state.score.gammon.outcome) == ((3, 0), "single")


# A cube that both turn after a tie.


@pytest.mark.parametrize(
    ("rule_set", "rated", "asked"),
    [
        ("biba-2014", None, False),
        ("fcbg-tournament", True, False),
        ("fcbg-tournament", None, True),
        ("fcbg-club", True, False),
        ("usbgf-2017-07", None, True),
    ],
)
def test_a_cube_that_both_turn_after_a_tie_is_told(
    rule_set: str, rated: bool | None, asked: bool
) -> None:
    options: dict[str, Any] = {} if rated is None else {"rated": rated}
    table = Table(7, rule_set=rule_set, **options).game().opening(3, 3)
    table.record(cube.CubeStated(value=2), basis=Basis.AGREED)
    assert table.found == ["automatic-double"]
    assert bool(table.replay.open_questions) is asked
    assert table.state.cube.value == 2


def test_what_a_turned_cube_is_worth_after_a_tie_is_ruled() -> None:
    table = Table(7, rule_set="usbgf-2017-07").game().opening(3, 3)
    table.record(cube.CubeStated(value=2), basis=Basis.AGREED)
    assert ruled(table, "cube.automatic", "cube_1").state.cube.value == 1


def test_in_an_unrated_match_of_a_club_both_may_turn_the_cube_after_a_tie() -> None:
    table = Table(7, rule_set="fcbg-club", rated=False).game().opening(3, 3)
    assert table.record(cube.CubeStated(value=2), basis=Basis.AGREED).found == []


def test_at_match_point_a_tie_waits_for_a_word_on_the_crawford_game() -> None:
    options: dict[str, Any] = {"automatic_doubles": "unlimited", "rated": False}
    table = begun_at_match_point(options).opening(3, 3)
    assert table.found == ["automatic-double"]
    ruled(table, "crawford.phase", "does_not_bind")
    table = begun_at_match_point(options)
    ruled(table, "crawford.phase", "does_not_bind").opening(3, 3)
    assert (table.found, table.state.cube.value) == ([], 2)
    table = begun_at_match_point(options)
    ruled(table, "crawford.phase", "adopted").opening(3, 3)
    assert (table.found, table.state.cube.value) == (["automatic-double"], 1)


def begun_at_match_point(options: dict[str, Any]) -> Table:
    """A game of a club's match that starts with one player a point away."""
    return Table(5, score=(4, 2), rule_set="fcbg-club", **options).game()


# A double that is void whoever owns the cube.


@pytest.mark.parametrize("answered", ["take", "drop"])
def test_a_dead_double_with_the_opponents_cube_is_void_and_asks_nothing(answered: str) -> None:
    """[4.4.9]: "any such cube action is null and void"; a ruling would have nothing to decide."""
    table = Table(7, rule_set="usbgf-2017-07", score=(5, 5)).game().cube_is(2, "two").turns(2)
    void = table.double("one").findings[-1]
    assert (void.code, void.section) == ("cube-void", "[4.4.9]")
    table.take("two") if answered == "take" else table.drop("two")
    assert table.found == []
    assert table.replay.open_questions == []
    cube = table.state.cube
    assert (cube.value, cube.owner, table.state.flow.in_game) == (2, Seat.TWO, True)


# A double before the turn was over, by what the record shows of its end.


def unpressed_double(*, is_press_later: bool) -> Table:
    """With a clock One has played and not pressed; Two doubles."""
    table = Table(7, rule_set="usbgf-2017-07").clock().game().turns(3)
    if is_press_later:
        return table.double("two").press("one")
    return table.ends_turn("one").double("two")


@pytest.mark.parametrize("is_press_later", [False, True])
@pytest.mark.parametrize("answer", [None, "take", "drop"])
@pytest.mark.parametrize("reading", ["void", "first_legal_opportunity"])
def test_a_double_that_was_too_early_is_none_where_a_ruling_says_so(
    reading: str, answer: str | None, *, is_press_later: bool
) -> None:
    """AMB-C9: if it binds at the first legal opportunity, a player who rolls has not doubled."""
    table = unpressed_double(is_press_later=is_press_later)
    if answer is not None:
        getattr(table, answer)("one")
    ruled(table, "cube.early-act", reading)
    state = table.state
    assert (state.cube.value, state.cube.offered_by, state.flow.in_game) == (1, None, True)
    assert (table.score, state.flow.answering, state.flow.on_roll) == ((0, 0), None, TWO)
    if not is_press_later:
        table.press("one")
    is_broken = "cube-promise-broken" in table.roll("two", 53).found
    assert is_broken is (reading == "first_legal_opportunity")


def test_a_double_that_was_too_early_and_holds_now_waits_for_its_answer() -> None:
    table = ruled(unpressed_double(is_press_later=False), "cube.early-act", "now")
    assert table.take("one").state.cube.owner is ONE
