"""Flow: who is on roll, who has to act, whose turn is open, which roll is in play."""

from __future__ import annotations

import msgspec
import pytest

from events.payloads import dice, match, penalty, play
from events.values import Seat
from projections.facts.flow_state import Await
from projections.rules.shelf import SHELF
from projections.states import State
from tests.projections.table import ENTRY, Table

ONE, TWO = Seat.ONE, Seat.TWO


def test_a_tied_opening_roll_leaves_nobody_on_roll() -> None:
    table = Table().game().opening(4, 4)
    flow = table.state.flow
    assert (flow.awaits, flow.on_roll, flow.to_act, flow.dice) == (Await.OPENING, None, None, None)
    assert table.codes == []


@pytest.mark.parametrize(("one", "two", "winner"), [(3, 1, ONE), (2, 6, TWO)])
def test_the_higher_die_plays_the_opening_roll_as_thrown(one: int, two: int, winner: Seat) -> None:
    flow = Table().game().opening(5, 5).opening(one, two).state.flow
    assert (flow.on_roll, flow.to_act, flow.dice, flow.turn_number) == (
        winner,
        winner,
        (one, two),
        1,
    )


def test_a_second_opening_roll_is_found() -> None:
    table = Table().game().turns(1).opening(6, 2)
    assert table.found == ["opening-again"]
    assert table.state.flow.on_roll is ONE


@pytest.mark.parametrize("rule_set", ["biba-2014", "fcbg-tournament", "usbgf-2017-07"])
def test_an_opening_roll_that_does_not_count_is_thrown_again_without_a_word(rule_set: str) -> None:
    """Nobody has called it void, and the text has that die, or both, thrown again."""
    on_floor = dice.Observation(at_rest="natural", location="floor", rests_on=("floor",))
    flat = dice.Observation(
        at_rest="natural",
        location="playing_field",
        rests_on=("field",),
        baffle_box=False,
        rolled_side="right",
        rest_side="right",
        tilt="flat",
        left_board_and_returned="none",
        first_contact="field",
    )
    table = Table(rule_set=rule_set).game()
    table.record(dice.OpeningRolled(one=3, two=1, observations=(flat, on_floor)))
    assert table.opening(3, 6).found == []
    flow = table.state.flow
    assert (flow.on_roll, flow.dice, flow.turn_number) == (TWO, (3, 6), 1)


def test_an_import_without_an_opening_throw_starts_with_a_roll() -> None:
    table = Table().game().turn("two", 31, "8/5 6/5")
    assert table.codes == []
    assert table.state.flow.on_roll is ONE


def test_a_roll_stays_in_play_until_it_is_played() -> None:
    table = Table().game().turns(1).roll("two", 42)
    assert (table.state.flow.dice, table.state.flow.awaits) == ((4, 2), Await.PLAY)
    table.play("two", "8/4 6/4")
    assert (table.state.flow.dice, table.state.flow.awaits) == (None, Await.ROLL)


def test_a_play_passes_the_roll_and_leaves_the_turn_open() -> None:
    flow = Table().game().turns(1).state.flow
    assert (flow.on_roll, flow.to_act, flow.turn_open) == (TWO, TWO, ONE)


def test_a_dance_passes_the_roll_too() -> None:
    flow = Table().scene("dance").turn("one", 65).state.flow
    assert (flow.on_roll, flow.turn_open) == (TWO, ONE)


def test_the_turn_ends_with_turn_ended() -> None:
    assert Table().game().turns(1).ends_turn("one").state.flow.turn_open is None


def test_the_turn_ends_with_the_seats_own_clock_press() -> None:
    assert Table().game().turns(1).press("one").state.flow.turn_open is None


def test_the_turn_does_not_end_with_the_others_clock_press() -> None:
    assert Table().game().turns(1).press("two").state.flow.turn_open is ONE


def test_the_turn_ends_with_the_next_roll() -> None:
    assert Table().game().turns(1).roll("two", 42).state.flow.turn_open is None


def test_the_turn_ends_with_the_next_cube_act() -> None:
    assert Table().game().turns(1).double("two").state.flow.turn_open is None


def test_the_turn_ends_with_the_game() -> None:
    flow = Table().win().state.flow
    assert (flow.turn_open, flow.on_roll, flow.to_act, flow.in_game) == (None, None, None, False)
    assert flow.awaits is Await.GAME


def test_the_last_game_leaves_nothing_to_wait_for() -> None:
    assert Table(1).win().state.flow.awaits is Await.NOTHING


def test_turn_numbers_count_the_turns_begun() -> None:
    table = Table().game().turns(3)
    numbers = [step.after.flow.turn_number for step in table.replay.steps]
    assert numbers == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_double_is_answered_by_the_other_while_the_doubler_stays_on_roll() -> None:
    table = Table().game().turns(2).double("one")
    assert (table.state.flow.on_roll, table.state.flow.to_act) == (ONE, TWO)
    table.take("two")
    assert (table.state.flow.on_roll, table.state.flow.to_act) == (ONE, ONE)
    assert table.state.flow.awaits is Await.ROLL


def test_a_double_in_the_others_turn_leaves_that_turn_as_it_was() -> None:
    table = Table().game().turns(1).roll("two", 42).double("one")
    assert table.found == ["out-of-turn", "cube-act-open"]
    assert (table.state.flow.on_roll, table.state.flow.to_act) == (TWO, TWO)
    table.take("two")
    flow = table.state.flow
    assert (flow.awaits, flow.to_act, flow.dice) == (Await.PLAY, TWO, (4, 2))


# Early rolls.


def test_an_early_roll_that_stands_is_the_roll_once_the_turn_has_ended() -> None:
    table = Table().game().turns(1).early("two", 42).answers_early("stands")
    assert table.state.flow.dice is None
    table.ends_turn("one")
    flow = table.state.flow
    assert (flow.dice, flow.awaits, flow.turn_number) == ((4, 2), Await.PLAY, 2)
    table.play("two", "8/4 6/4")
    assert table.codes == ["early-roll"]


def test_an_early_roll_answered_after_the_turn_is_the_roll_at_once() -> None:
    table = Table().game().turns(1).early("two", 42).press("one").answers_early("stands")
    assert table.state.flow.dice == (4, 2)


def test_an_early_roll_thrown_before_the_players_own_is_the_roll_once_his_turn_has_ended() -> None:
    table = Table().game().turns(2).early("two", 53).answers_early("stands")
    table.turn("one", 61, "13/7 8/7").ends_turn("one")
    flow = table.state.flow
    assert (flow.on_roll, flow.dice) == (Seat.TWO, (5, 3))
    assert table.play("two", "8/3 6/3").found == []


@pytest.mark.parametrize("rule_set", [None, "usbgf-2017-07", "fcbg-tournament"])
def test_an_early_roll_that_is_to_be_thrown_again_is_found_where_it_is_played(
    rule_set: str | None,
) -> None:
    table = Table(rule_set=rule_set).game().turns(3).early("two", 53).answers_early("redone")
    (played,) = table.play("two", "8/3 6/3").findings
    assert (played.code, played.seat) == ("void-roll-played", Seat.TWO)
    assert played.section == SHELF[rule_set or "common"].cite("premature.roll")[1]
    again = Table(rule_set=rule_set).game().turns(3).early("two", 53).answers_early("redone")
    assert again.turn("two", 53, "8/3 6/3").found == []


def test_an_early_roll_redone_is_forgotten() -> None:
    table = Table().game().turns(1).early("two", 42).answers_early("redone").ends_turn("one")
    assert (table.state.flow.early, table.state.flow.awaits) == (None, Await.ROLL)
    table.turn("two", 53, "8/3 6/3")
    assert table.codes == ["early-roll"]


@pytest.mark.parametrize("answer", [None, "only_warned", "no_comment"])
def test_an_early_roll_left_alone_can_be_played(answer: str | None) -> None:
    table = Table().game().turns(1).early("two", 42)
    if answer is not None:
        table.answers_early(answer)
    table.ends_turn("one").play("two", "8/4 6/4")
    assert table.codes == ["early-roll"]
    assert table.state.flow.turn_number == 2


def test_the_play_may_be_revised_after_an_early_roll_which_then_stands() -> None:
    table = Table().game().turns(1)
    made = table.last
    table.early("two", 42).answers_early("stands").revise("one", made, "24/23 13/10")
    table.ends_turn("one")
    assert table.state.flow.dice == (4, 2)
    assert table.board() == {6: 5, 8: 3, 10: 1, 13: 4, 23: 1, 24: 1}
    assert table.codes == ["early-roll"]


def test_an_early_roll_thrown_before_an_illegal_play_is_there_when_that_is_corrected() -> None:
    table = Table().game().opening(3, 1).early("two", 42)
    early = table.last
    made = table.answers_early("stands").play("one", "8/5 6/4").last
    corrected = table.correct(made, "8/5 6/5").state.flow.early
    assert corrected is not None
    assert (corrected.entry_id, corrected.stands) == (early, True)
    assert table.play("two", "8/4 6/4").found == []


def test_an_early_roll_in_play_since_the_turn_ended_is_there_when_its_play_is_corrected() -> None:
    table = Table().game().opening(3, 1).early("two", 42)
    made = table.answers_early("stands").play("one", "8/5 6/4").last
    flow = table.ends_turn("one").correct(made, "8/5 6/5").state.flow
    assert (flow.awaits, flow.on_roll, flow.dice) == (Await.PLAY, TWO, (4, 2))


def test_an_early_roll_thrown_after_an_illegal_play_is_undone_with_it() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    assert table.early("two", 42).correct(made, "8/5 6/5").state.flow.early is None


def test_a_double_offered_before_an_illegal_play_waits_when_that_is_corrected() -> None:
    table = Table().game().turns(1).roll("two", 42).double("one")
    made = table.play("two", "8/4 6/5").last
    flow = table.correct(made, "8/4 6/4").state.flow
    assert (flow.awaits, flow.to_act) == (Await.ANSWER, TWO)
    assert table.take("two").found == []
    assert table.state.cube.owner is TWO


def test_an_early_roll_is_voided_like_any_other() -> None:
    table = Table().game().turns(1).early("two", 42)
    assert table.void(table.last).state.flow.early is None


def test_an_answer_to_no_early_roll_is_found() -> None:
    assert Table().game().turns(1).answers_early("stands").found == ["answer-without-offer"]


# Throws that do not count.


def test_a_throw_void_at_once_changes_nothing() -> None:
    table = Table().game().turns(1)
    before = table.state
    # Re-rolls are counted, and that is all.
    after = table.void(seat="two").state
    assert msgspec.structs.replace(after, judged=before.judged) == before
    assert table.codes == []


def test_the_roll_in_play_can_be_voided_later() -> None:
    table = Table().game().turns(1).roll("two", 42)
    table.void(table.last)
    flow = table.state.flow
    assert (flow.awaits, flow.on_roll, flow.dice, flow.turn_number) == (Await.ROLL, TWO, None, 1)
    table.turn("two", 53, "8/3 6/3")
    assert table.codes == []


def test_a_voided_opening_roll_is_thrown_again() -> None:
    table = Table().game().opening(3, 1)
    table.void(table.last)
    assert (table.state.flow.awaits, table.state.flow.on_roll) == (Await.OPENING, None)
    assert table.opening(2, 6).codes == []


def test_a_roll_out_of_turn_that_is_voided_gives_the_turn_back() -> None:
    table = Table().game().turns(1).roll("one", 61)
    assert table.found == ["out-of-turn"]
    table.void(table.last)
    assert (table.state.flow.on_roll, table.state.flow.dice) == (TWO, None)


def test_a_roll_voided_after_its_play_takes_the_play_back() -> None:
    table = Table().game().turns(1)
    before = table.board("two")
    roll = table.roll("two", 42).last
    table.play("two", "8/4 6/4").void(roll)
    assert table.board("two") == before
    flow = table.state.flow
    assert (flow.on_roll, flow.awaits, flow.turn_number) == (TWO, Await.ROLL, 1)
    assert table.codes == []


@pytest.mark.parametrize("is_opening", [True, False])
@pytest.mark.parametrize("is_played", [True, False])
def test_a_resignation_waits_for_its_answer_though_the_roll_is_voided(
    *, is_opening: bool, is_played: bool
) -> None:
    def resigned() -> Table:
        table = Table(rule_set="common").game()
        table = table.opening(3, 1) if is_opening else table.turns(2).roll("one", 31)
        roll = table.last
        if is_played:
            table.play("one", "8/5 6/5" if is_opening else "13/10 6/5")
        return table.resign("one").void(roll)

    flow = resigned().state.flow
    assert (flow.awaits, flow.to_act, flow.resigning) == (Await.RESIGNATION, TWO, ONE)
    assert (resigned().accept("two").score, resigned().codes) == ((0, 1), [])
    flow = resigned().refuse("two").state.flow
    awaited = (Await.OPENING, None) if is_opening else (Await.ROLL, ONE)
    assert (flow.awaits, flow.to_act, flow.resigning) == (*awaited, None)


def test_an_early_roll_that_stands_outlives_the_roll_before_it_that_is_voided() -> None:
    table = Table(rule_set="usbgf-2017-07").game().turns(2).roll("one", 61)
    roll = table.last
    table.early("two", 53).answers_early("stands").void(roll)
    assert (table.state.flow.awaits, table.state.flow.on_roll) == (Await.ROLL, ONE)
    table.turn("one", 42, "8/4 6/4").ends_turn("one").play("two", "8/3 6/3")
    assert table.codes == ["early-roll"]


def test_a_roll_voided_after_the_next_one_is_found_and_the_board_stays() -> None:
    table = Table().game().turns(1)
    roll = table.roll("two", 42).last
    table.play("two", "8/4 6/4").roll("one", 61)
    before = table.state
    assert table.void(roll).found == ["void-throw-played"]
    assert msgspec.structs.replace(table.state, judged=before.judged) == before


def test_voiding_what_is_no_throw_is_found() -> None:
    table = Table().game().turns(1)
    assert table.void(table.last).found == ["reference-unknown"]
    assert table.void(ENTRY.format(99)).found == ["reference-unknown"]


# Out of turn, out of order.


def test_a_roll_out_of_turn_is_taken_at_its_word() -> None:
    table = Table().game().turns(2).roll("two", 61)
    assert table.found == ["out-of-turn"]
    assert table.state.flow.on_roll is TWO


def test_a_roll_that_was_not_played_is_found_when_the_same_player_rolls_again() -> None:
    table = Table().game().turns(1).roll("two", 42).roll("two", 61)
    assert table.found == ["roll-not-played"]
    assert (table.state.flow.dice, table.state.flow.turn_number) == ((6, 1), 2)


def test_a_roll_that_was_not_played_is_told_when_the_other_player_rolls() -> None:
    table = Table().game().turns(1).roll("two", 42).roll("one", 61)
    (finding,) = table.findings
    assert finding.code == "out-of-turn"
    assert "42 is not played" in finding.message


def test_a_play_out_of_turn_is_found() -> None:
    assert "out-of-turn" in Table().game().turns(1).play("one", "13/11").found


@pytest.mark.parametrize(
    "verb",
    [
        lambda table: table.roll("one", 31),
        lambda table: table.play("one", "8/5 6/5"),
        lambda table: table.opening(3, 1),
        lambda table: table.early("one", 31),
        lambda table: table.double("one"),
        lambda table: table.resign("one"),
    ],
)
def test_what_belongs_to_a_game_is_found_outside_one_and_changes_nothing(verb) -> None:  # type: ignore[no-untyped-def]
    table = Table().win()
    before = table.state
    verb(table)
    assert table.found == ["outside-game"]
    assert table.state == before


def test_a_new_game_while_one_is_in_progress_is_found() -> None:
    assert Table().game().turns(2).game().found == ["game-in-progress"]


def test_a_game_after_the_match_is_found() -> None:
    assert Table(1).win().game().found == ["game-after-match"]


def test_play_that_goes_on_leaves_a_resignation_unanswered() -> None:
    table = Table().game().turns(2).resign("one").roll("one", 61)
    assert table.found == ["offer-not-answered"]
    assert table.state.flow.resigning is None


def test_a_seat_stated_on_roll_is_on_roll() -> None:
    table = Table().game().stated("6:5", "6:5", on_roll=TWO)
    assert (table.state.flow.on_roll, table.state.flow.awaits) == (TWO, Await.ROLL)


def test_dice_stated_with_a_board_are_in_play() -> None:
    table = Table().scene("race", dice=(6, 1))
    assert (table.state.flow.dice, table.state.flow.awaits) == ((6, 1), Await.PLAY)
    table.play("one", "6/off 1/off")
    assert table.codes == []


def test_a_double_before_the_opening_roll_leaves_that_roll_to_come() -> None:
    table = Table().game().double("two").take("one")
    flow = table.state.flow
    assert (flow.awaits, flow.on_roll, flow.to_act) == (Await.OPENING, None, None)
    # Whatever is done before it.
    table.double("one").take("two").resign("two").refuse("one")
    assert table.state.flow == flow
    assert table.opening(3, 1).found == []
    assert table.state.flow.on_roll is Seat.ONE


def test_a_double_in_the_opening_roll_still_waits_once_that_roll_is_void() -> None:
    """And a drop ends the game, as it does after any other double."""
    table = Table(rule_set="fcbg-tournament").game().opening(3, 1)
    opening = table.last
    flow = table.double("two").void(opening).state.flow
    assert (flow.awaits, flow.answering, flow.on_roll) == (Await.ANSWER, ONE, None)
    flow = table.take("one").state.flow
    assert (flow.awaits, flow.answering, flow.on_roll) == (Await.OPENING, None, None)
    table = Table(rule_set="fcbg-tournament").game().opening(3, 1)
    opening = table.last
    table.double("two").void(opening).drop("one")
    assert (table.score, table.state.flow.in_game) == ((0, 1), False)


def test_a_board_stated_before_the_opening_leaves_the_opening_to_come() -> None:
    table = Table().game().stated("6:14", "6:15")
    assert table.state.flow.awaits is Await.OPENING


def test_a_board_stated_between_games_begins_one() -> None:
    table = Table().win().stated("6:15", "6:15", on_roll=ONE)
    assert table.state.flow.in_game
    assert table.state.score.game_number == 2


def test_an_unseen_play_passes_the_roll() -> None:
    table = Table().game().turns(1).record(play.PlayUnseen(seat=TWO))
    assert (table.state.flow.on_roll, table.state.positions.board) == (ONE, None)


def test_an_unseen_stretch_leaves_nobody_on_roll() -> None:
    flow = Table().game().turns(1).record(play.PlayUnseen()).state.flow
    assert (flow.in_game, flow.on_roll) == (True, None)


def test_whole_games_unseen_end_between_games() -> None:
    unseen = play.PlayUnseen(spans=play.UnseenSpan.GAMES)
    table = Table().game().record(unseen)
    assert table.state.flow.awaits is Await.GAME
    assert table.game().codes == []


@pytest.mark.parametrize(
    "payload",
    [penalty.ForfeitDeclared(seat=ONE), penalty.PlayerDisqualified(seat=ONE), match.MatchEnded()],
)
def test_a_match_that_is_over_waits_for_nothing(payload: match.MatchEnded) -> None:
    assert Table().game().turns(2).record(payload).state.flow.awaits is Await.NOTHING


def test_a_score_stated_anew_tells_whether_another_game_is_to_come() -> None:
    table = Table(1).win()
    assert table.score_is(0, 0).state.flow.awaits is Await.GAME


@pytest.mark.parametrize(
    ("opened", "posted", "awaits"), [(1, 3, Await.GAME), (3, 1, Await.NOTHING), (3, 5, Await.GAME)]
)
def test_another_length_that_is_found_tells_whether_another_game_is_to_come(
    opened: int, posted: int, awaits: Await
) -> None:
    error = match.MatchLengthErrorFound(wrong=opened, correct=posted, during_game=False)
    assert Table(opened).win().record(error).state.flow.awaits is awaits


def test_a_deciding_game_can_be_ordered() -> None:
    table = Table(1).win().record(match.DecidingGameOrdered())
    assert table.state.flow.awaits is Await.GAME


# Answers to what no longer waits.


def test_a_double_that_is_void_may_be_answered_and_changes_nothing() -> None:
    def cube_of(state: State) -> tuple[object, ...]:
        return state.cube.value, state.cube.owner, state.cube.offered_by, state.score

    for verb in (Table.take, Table.drop, Table.beaver):
        table = Table(7, rule_set="usbgf-2017-07", score=(6, 3)).game().turns(1).double("two")
        before = table.state
        assert before.flow.void_double is TWO
        assert verb(table, "one").found == []
        after = table.state
        assert after.flow == msgspec.structs.replace(before.flow, void_double=None)
        assert cube_of(after) == cube_of(before)


def test_a_void_double_is_answered_once_and_by_the_other() -> None:
    table = Table(7, rule_set="usbgf-2017-07", score=(6, 3)).game().turns(1).double("two")
    assert table.take("two").found == ["answer-without-offer"]
    assert table.take("one").found == []
    assert table.take("one").found == ["answer-without-offer"]


def test_play_that_goes_on_leaves_a_void_double_without_an_answer() -> None:
    table = Table(7, rule_set="usbgf-2017-07", score=(6, 3)).game().turns(1).double("two")
    table.roll("two", 42)
    assert table.codes == ["cube-in-crawford-game", "cube-void"]
    assert table.state.flow.void_double is None


def test_a_void_double_that_is_declared_void_waits_for_no_answer() -> None:
    table = Table(7, rule_set="usbgf-2017-07", score=(6, 3)).game().turns(1).double("two")
    table.void_cube(table.last)
    assert table.state.flow.void_double is None
    assert table.take("one").found == ["answer-without-offer"]


def test_an_early_roll_that_was_played_can_be_answered_late() -> None:
    table = Table().game().turns(1).early("two", 42).ends_turn("one").play("two", "8/4 6/4")
    before = table.state.flow
    assert "answer-without-offer" not in table.answers_early("redone").found
    assert table.state.flow == before
    # That was the answer; there is nothing left to answer.
    assert "answer-without-offer" in table.answers_early("stands").found


@pytest.mark.parametrize("rule_set", [None, "usbgf-2017-07", "biba-2014", "fcbg-tournament"])
def test_an_answer_that_names_no_early_roll_is_to_none_of_an_earlier_game(
    rule_set: str | None,
) -> None:
    """The roll of the game before was played, and nobody had said a word to it."""
    table = Table(rule_set=rule_set).game().turns(1).early("two", 42).ends_turn("one")
    table.play("two", "8/4 6/4").won("one", 1).game().turns(2)
    before = table.state.judged.premature
    for seat in (None, Seat.TWO):
        answered = dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.NO_COMMENT, seat=seat)
        assert table.record(answered).found == ["answer-without-offer"]
        assert table.state.judged.premature == before


def test_an_answer_that_names_an_early_roll_is_one_to_it() -> None:
    table = Table().game().turns(1).early("two", 42)
    early = table.last
    table.ends_turn("one").play("two", "8/4 6/4")
    for said in (dice.EarlyRollAnswer.REDONE, dice.EarlyRollAnswer.STANDS):
        table.record(dice.EarlyRollAnswered(answer=said, target=early))
        assert not {"answer-without-offer", "reference-unknown"} & set(table.found)


def test_an_answer_that_names_what_is_no_early_roll_is_found() -> None:
    stands = dice.EarlyRollAnswer.STANDS
    table = Table().game().turns(1).early("two", 42)
    for target in (table.events[0].entry_id, ENTRY.format(99)):
        table.record(dice.EarlyRollAnswered(answer=stands, target=target))
        assert table.found == ["reference-unknown"]
    assert table.state.flow.early is not None
    assert not table.state.flow.early.stands


def test_nothing_that_comes_after_a_cancellation_changes_a_turn() -> None:
    table = Table().game().turns(2).record(match.MatchCancelled())
    flow = table.state.flow
    assert flow.is_cancelled
    assert (flow.in_game, flow.on_roll, flow.to_act) == (False, None, None)
    assert table.record(match.GameStarted()).state.flow == flow
