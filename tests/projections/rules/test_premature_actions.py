"""Premature actions: how the shared cases are told, and those that matter most in our own words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from golden import Case
from table import TURNS, Table

from events.envelope import Basis
from events.payloads import cube, dice, dispute, equipment, play
from events.payloads.base import Actor
from events.payloads.dice import LiftedDice
from events.values import ONE, Seat
from projections.judging.turns import play_change, turn_end, turn_of
from projections.replay import Replay, replay
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF

NOT_YET = {
    ("T12", "usbgf-2017-09"): "its stream is T2's, event for event, and T2 expects another answer",
    ("T50", "biba-2014"): "after one die is lifted, 4.5 closes the turn and not the move: asked",
}
"""Cases that the fold does not meet, with the reason."""

DIE = dice.Observation(
    at_rest="natural",
    location="playing_field",
    baffle_box=False,
    rolled_side="right",
    rest_side="right",
    first_contact="field",
    left_board_and_returned="none",
    rests_on=("field",),
    balanced_on="none",
    tipped_after_balance=False,
    tilt="flat",
    tilt_cause="none",
)
ON_FLOOR = msgspec.structs.replace(DIE, location="floor", rests_on=("floor",))


class Given:
    """What a case gives; every key has to be used."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given
        self._used: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._given

    def __call__(self, key: str, *known: Any) -> Any:
        """The value of a key; `known` are the words that this harness can build."""
        self._used.add(key)
        value = self._given.get(key)
        if known and key in self._given:
            assert value in known, f"{key}: {value}"
        return value

    def finish(self) -> None:
        assert set(self._given) <= self._used, set(self._given) - self._used


# Given to events.


def build(case: Case, rule_set: str | None) -> Table:
    given = Given(case.case["given"])
    if "roller" in given:
        table = _early_roll(given, rule_set, case.options)
    elif "act" in given:
        table = _early_lift(given, rule_set, case.options)
    elif "by" in given:
        table = _early_cube(given, rule_set, case.options)
    else:
        table = _end_of_turn(given, rule_set, case.options)
    given.finish()
    return table


def _table(given: Given, rule_set: str | None, options: dict[str, Any]) -> Table:
    table = Table(7, rule_set=rule_set, **options)
    if "dice_in_play" in given:
        count = given("dice_in_play", 2, 4)
        table.record(equipment.EquipmentAgreed(item="dice", count=count))
    return table


def _clock(table: Table, given: Given) -> None:
    kind = given("clock", "running", "non_expiring", "none")
    if kind == "running":
        table.clock()
    elif kind == "non_expiring":
        table.clock(0, 0, kind="non_expiring")


def _turn(table: Table, number: int, seat: str) -> None:
    """One of the listed turns, the opening roll by one."""
    roll, text = TURNS[number - 1]
    if number == 1:
        table.opening(3, 1).play("one", text)
    else:
        table.turn(seat, roll, text)


def _seat_of(number: int) -> str:
    return "one" if number % 2 else "two"


def _early_roll(given: Given, rule_set: str | None, options: dict[str, Any]) -> Table:
    table = _table(given, rule_set, options)
    player, roller = given("player", "one"), given("roller", "two")
    _clock_later = given("clock", "running", "none")
    scene = given("position", "ordinary", "forced_play", "on_bar_cannot_move", "no_contact")
    earlier = given("earlier_premature_rolls")
    last = _earlier(table.game(), earlier)
    if _clock_later == "running":
        table.clock()
    how_far = given(
        "turn_of_player",
        "play_made_not_ended",
        "cannot_move_not_ended",
        "dice_lifted_bar_not_tapped",
        "dice_lifted_clock_not_pressed",
        "double_of_two_not_answered",
    )
    assert (how_far == "cannot_move_not_ended") == (scene == "on_bar_cannot_move")
    if scene == "forced_play":
        table.scene("forced").turn(player, 65, "bar/20")
    elif scene == "on_bar_cannot_move":
        table.scene("dance").turn(player, 65)
    elif scene == "no_contact":
        table.scene("race").turn(player, 61, "6/off 1/off")
    else:
        _turn(table, last + 1, player)
    if how_far in ("dice_lifted_bar_not_tapped", "dice_lifted_clock_not_pressed"):
        _did(table, "lifted_both")
    elif how_far == "double_of_two_not_answered":
        _did(table, "lifted_both")
        table.double(roller)
    second = {"valid": DIE, "die_on_floor": ON_FLOOR}[given("roll", "valid", "die_on_floor")]
    _throws_early(table, roller, 53, (DIE, second))
    _says(table, given, player, roller)
    return table


def _earlier(table: Table, earlier: list[dict[str, Any]]) -> int:
    """Turns before the case, some of their rolls thrown early; gives the number of the last."""
    here = [roll for roll in earlier if roll["match"] == "this"]
    for roll in earlier:
        assert set(roll) == {"by", "match", "warning_given"}
        assert roll["match"] in ("this", "earlier")
    early = {}
    for index, roll in enumerate(here, start=1):
        early[2 * index if roll["by"] == "two" else 3] = roll["warning_given"]
    last = 4 if max(early, default=0) > 3 else 2
    for number in range(1, last + 1):
        seat = _seat_of(number)
        if number in early:
            _thrown_early(table, number, seat, is_warned=early[number])
        else:
            _turn(table, number, seat)
    if 3 in early:
        # The early roll of one is the roll of the turn in which the case is.
        roll, text = TURNS[2]
        _throws_early(table, "one", roll, ())
        table.ends_turn("two").answers_early("only_warned" if early[3] else "no_comment")
        table.play("one", text).ends_turn("one")
        _turn(table, 4, "two")
        last = 4
    return last


def _thrown_early(table: Table, number: int, seat: str, *, is_warned: bool) -> None:
    roll, text = TURNS[number - 1]
    _throws_early(table, seat, roll, ())
    if is_warned:
        table.answers_early("only_warned").ends_turn(_seat_of(number - 1))
    else:
        table.ends_turn(_seat_of(number - 1)).answers_early("no_comment")
    table.play(seat, text)


def _throws_early(table: Table, seat: str, roll: int, observed: tuple[Any, ...]) -> None:
    faces = roll // 10, roll % 10
    table.record(dice.RolledEarly(seat=Seat(seat), dice=faces, observations=observed))


def _says(table: Table, given: Given, player: str, roller: str) -> None:
    pointed_out = given("pointed_out", "at_once", "after_rollers_turn", "never")
    choice = given("choice", "stands", "redone", "none", "stands_then_redone")
    stated = given("choice_stated", "at_once", "after_rollers_turn", "never")
    assert (choice == "none") == (stated == "never")
    if pointed_out == "never":
        table.ends_turn(player).answers_early("no_comment")
    elif choice == "none":
        table.answers_early("only_warned")
    elif stated == "after_rollers_turn":
        table.ends_turn(player).play(roller, "8/3 6/3").ends_turn(roller).answers_early(choice)
    else:
        for word in choice.split("_then_"):
            table.answers_early(word)


def _early_lift(given: Given, rule_set: str | None, options: dict[str, Any]) -> Table:
    table = _table(given, rule_set, options)
    player, offender = given("player", "one"), given("offender", "two")
    assert given("rolled") is False
    number = given("turn_of_game", 1, 6)
    how_far = given("turn_of_player", "playing_opening_roll", "play_made_not_ended")
    table.game()
    _clock(table, given)
    if how_far == "playing_opening_roll":
        assert number == 1
        table.opening(3, 1)
    else:
        table.turns(number, winner=player if number % 2 else offender)
    act = given("act", "lifted_die", "lifted_dice")
    lifted = LiftedDice.ONE if act == "lifted_die" else LiftedDice.BOTH
    table.record(dice.Lifted(seat=Seat(offender), dice=lifted))
    return table


def _early_cube(given: Given, rule_set: str | None, options: dict[str, Any]) -> Table:
    score = given("score")
    table = Table(given("match_length_points"), rule_set=rule_set, **options)
    table.score_is(score["one"], score["two"]).game()
    value, owner = given("cube_value"), given("cube_owner", "one", "two", "none")
    if (value, owner) != (1, "none"):
        table.cube_is(value, None if owner == "none" else owner)
    is_crawford = given("crawford_phase", "pre_crawford", "crawford") == "crawford"
    assert is_crawford == (7 - 1 in score.values())
    assert given("turn_of_player", "play_made_not_ended")
    assert given("player", "one")
    seat = given("by", "two")
    table.turns(3)
    gesture = given("gesture", "none", "reach", "touch", "lift")
    words = given("words", "none", "i_double")
    if gesture == "lift" and words == "i_double":
        return table.double(seat)
    if gesture != "none":
        table.record(cube.CubeGestured(seat=Seat(seat), kind=cube.GestureKind(gesture)))
    if words == "i_double":
        table.record(cube.CubeIntentStated(seat=Seat(seat), intent=cube.Intent.DOUBLE))
    return table


def _end_of_turn(given: Given, rule_set: str | None, options: dict[str, Any]) -> Table:
    table = _table(given, rule_set, options).game()
    if given("opponent_closed_out", True):
        table.scene("closed")
        assert given("opponent_may_double", False) is False
        table.cube_is(2, "one")
        _clock(table, given)
        table.turn("one", 31, "10/7 8/7")
    else:
        table.turns(2)
        _clock(table, given)
        table.roll("one", 61)
        if given("play_legal") is False:
            table.play("one", "13/7 8/6")
        elif given("legal_play_made") is not False:
            table.play("one", "13/7 8/7")
    given("play_legal", True, False)
    given("legal_play_made", True, False)
    _did(table, *_noticed(given))
    if given("opponents_roll", "not_rolled", "premature") == "premature":
        table.early("two", 53)
    if given("opponent_agrees", True):
        made = next(e for e in reversed(table.events) if isinstance(e.payload, play.PlayMade))
        revised = play.PlayRevised(seat=ONE, target=made.entry_id, moves=made.payload.moves[::-1])
        table.record(revised, basis=Basis.AGREED)
    if given("opponent_demands", True):
        _demands(table)
    return table


def _noticed(given: Given) -> tuple[str, str | None, str | None]:
    notice = given("notice", "none", "repositioning_and_roll", "repositioning", "roll")
    when = given("notice_given", "never", "before", "after")
    known = ("pressed_clock", "tapped_bar", "lifted_both", "lifted_one", "touched_die")
    did = given("did", *known, "rolled_again", "nothing")
    return did, None if notice in (None, "none") else notice, None if when == "never" else when


def _did(table: Table, did: str, announced: str | None = None, when: str | None = None) -> None:
    if announced is not None:
        moved = dice.Repositioned(seat=ONE, announced=announced, announced_when=when, act=did)
        table.record(moved)
    elif did == "pressed_clock":
        table.press("one")
    elif did == "rolled_again":
        table.roll("one", 42)
    elif did != "nothing":
        table.record(dice.TurnEnded(seat=ONE, method=did))


def _demands(table: Table) -> None:
    made = next(e for e in reversed(table.events) if isinstance(e.payload, play.PlayMade))
    table.record(play.PlayIllegalityNoticed(target=made.entry_id, noticed_by=Actor.TWO))
    table.record(play.PlayIllegalityAnswered(answer=play.IllegalityAnswer.DEMANDED))


# Replay to answer.


def asked_of(given: dict[str, Any]) -> str:
    """What a case asks, in a word: its keys say so."""
    if "by" in given:
        return "cube act"
    if "roller" in given or "act" in given:
        return "act"
    return "turn end" if "legal_play_made" in given else "play change"


def answer_of(asked: str, shown: Replay) -> Answer | None:
    state = shown.state.judged.premature
    if asked == "cube act":
        return state.if_early
    if asked == "act":
        return state.answer
    turn = turn_of(ONE, shown.state)
    return turn_end(state, turn) if asked == "turn end" else play_change(state, turn)


# In our own words, for a clone without the shared folder.

SETS = ("usbgf-2017-07", "usbgf-2017-09", "biba-2014", "fcbg-tournament", "fcbg-club", "common")


def _judged(table: Table) -> Any:
    return table.state.judged.premature


def _at(rule_set: str, *, dice_in_play: int = 4, **options: Any) -> Table:
    table = Table(7, rule_set=rule_set, **options)
    return table.record(equipment.EquipmentAgreed(item="dice", count=dice_in_play)).game()


def _outcomes(build_on: Any, **members: Any) -> list[str]:
    return [_judged(build_on(_at(name, **members))).answer.outcome for name in SETS]


RULING = "ruling_required"


@pytest.mark.parametrize(
    ("said", "outcomes"),
    [
        (
            None,
            ["opponent_chooses", "opponent_chooses", "opponent_chooses", "void", RULING, RULING],
        ),
        ("stands", ["roll_stands", "roll_stands", "roll_stands", "void", RULING, RULING]),
        ("redone", ["redone", "redone", "redone", "void", RULING, RULING]),
        ("only_warned", [RULING, RULING, RULING, "void", RULING, RULING]),
        ("no_comment", [RULING, RULING, RULING, "void", RULING, RULING]),
    ],
)
def test_an_early_roll_is_the_opponents_choice_or_void(
    said: str | None, outcomes: list[str]
) -> None:
    def on(table: Table) -> Table:
        table.turns(1).early("two", 42)
        return table if said is None else table.answers_early(said)

    assert _outcomes(on) == outcomes


def test_who_let_one_early_roll_pass_has_lost_the_right_at_biba() -> None:
    table = _at("biba-2014").turns(1).early("two", 42).ends_turn("one").answers_early("no_comment")
    table.play("two", "8/4 6/4").ends_turn("two").turn("one", 61, "13/7 8/7")
    table.early("two", 53)
    assert _judged(table).answer.outcome == "roll_stands"
    table.answers_early("redone")
    assert _judged(table).answer.details == {"right_lost": True}
    assert table.found == ["early-roll"]
    assert list(_judged(table).passed_over) == [0, 1]


def _played_on(rule_set: str) -> Table:
    """Two rolls early, one says nothing that was recorded, two plays; then one has played again."""
    table = _at(rule_set).turns(1).early("two", 42).ends_turn("one").play("two", "8/4 6/4")
    return table.ends_turn("two").turn("one", 61, "13/7 8/7")


def test_an_early_roll_played_on_without_a_recorded_word_makes_the_next_a_question_at_biba() -> (
    None
):
    table = _played_on("biba-2014").early("two", 53)
    answer = _judged(table).answer
    assert (answer.ambiguity, answer.readings) == ("AMB-T3", ("roll_stands", "redone"))
    assert answer.lean == "roll_stands"
    assert list(_judged(table).unremarked) == [0, 1]
    # Who lets it stand asks for nothing that he could have lost.
    assert _judged(table.answers_early("stands")).answer.outcome == "roll_stands"


def test_an_early_roll_that_was_thrown_again_was_not_passed_over() -> None:
    table = _at("biba-2014").turns(1).early("two", 42)
    table.void(table.last, seat="two").ends_turn("one").turn("two", 31, "8/5 6/5")
    table.ends_turn("two").turn("one", 61, "13/7 8/7").early("two", 53)
    assert list(_judged(table).unremarked) == [0, 0]
    assert _judged(table).answer.outcome == "opponent_chooses"


def test_early_rolls_played_on_without_a_recorded_word_count_as_not_pointed_out() -> None:
    table = _played_on("usbgf-2017-07").early("two", 53).ends_turn("one").play("two", "8/3 6/3")
    table.ends_turn("two").turn("one", 21, "13/11 6/5").early("two", 65)
    answer = _judged(table.answers_early("stands")).answer
    assert (answer.ambiguity, answer.details["count"]) == ("AMB-T4", 2)


def test_a_warning_keeps_the_right_at_biba_and_is_flagged() -> None:
    table = _at("biba-2014").turns(1).early("two", 42).answers_early("only_warned")
    table.ends_turn("one").play("two", "8/4 6/4").ends_turn("two").turn("one", 61, "13/7 8/7")
    answer = _judged(table.early("two", 53).answers_early("redone")).answer
    assert (answer.outcome, answer.flag) == ("redone", "AMB-T3")


def test_the_count_goes_on_from_game_to_game() -> None:
    table = _at("usbgf-2017-07")
    for _ in range(2):
        table.turns(1).early("two", 42).answers_early("no_comment").play("two", "8/4 6/4")
        table.won("one", 1).game()
    answer = _judged(table.turns(1).early("two", 42).answers_early("stands")).answer
    assert (answer.ambiguity, answer.details["count"]) == ("AMB-T4", 2)


def test_a_roll_after_the_turn_ended_is_not_premature() -> None:
    lifted = dice.TurnEnded(seat=ONE, method="lifted_both")

    def on(table: Table) -> Table:
        return table.turns(1).record(lifted).early("two", 42)

    late = "not_premature"
    assert _outcomes(on) == [late, RULING, late, late, RULING, RULING]
    # Two dice without a clock: the draft has the bar tapped.
    assert _outcomes(on, dice_in_play=2)[0] == "opponent_chooses"


THREE = ("usbgf-2017-07", "biba-2014", "fcbg-tournament")

END_OF_TURN = {
    # act, clock, dice: usbgf-2017-07, biba-2014, fcbg-tournament
    ("pressed_clock", True, 2): ("ended", "ended", RULING),
    ("lifted_both", True, 2): ("not_ended", "not_ended", RULING),
    ("tapped_bar", False, 2): ("ended", "not_ended", "not_ended"),
    ("lifted_both", False, 2): ("not_ended", "ended", "ended"),
    ("lifted_one", False, 4): ("ended", "ended", "ended"),
    ("touched_die", False, 4): ("ended", "not_ended", "not_ended"),
    ("tapped_bar", False, 4): ("not_ended", "not_ended", "not_ended"),
}


@pytest.mark.parametrize(("act", "has_clock", "count"), END_OF_TURN)
def test_what_ends_a_turn(act: str, has_clock: bool, count: int) -> None:
    expected = END_OF_TURN[act, has_clock, count]
    for name, outcome in zip(THREE, expected, strict=True):
        table = _at(name, dice_in_play=count)
        if has_clock:
            table.clock()
        table.turns(1)
        _did(table, act)
        assert _judged(table).answer.outcome == outcome, name
        # A turn that ended as it should is no finding; a question is one.
        assert ("turn-end" in table.found) == (outcome != "ended"), name


def test_how_many_dice_are_in_play_is_never_guessed() -> None:
    table = Table(7, rule_set="usbgf-2017-07").game().turns(1).ends_turn("one")
    assert _judged(table).answer.reason == "not_recorded"


@pytest.mark.parametrize("act", ["tapped_bar", "lifted_both"])
def test_nobody_is_asked_about_dice_that_nobody_counted_before_something_hangs_on_it(
    act: str,
) -> None:
    def ended() -> Table:
        table = Table(7, rule_set="usbgf-2017-07").game().turns(1)
        _did(table, act)
        return table

    table = ended()
    assert table.found == []
    table.record(dispute.DirectorCalled(by=Actor.TWO, about=table.last))
    assert table.found == ["turn-end"]
    (asked,) = table.replay.open_questions
    assert asked.ruling_required is not None
    assert asked.ruling_required.reason == "not_recorded"
    assert ended().early("two", 42).found == ["early-roll"]
    assert ended().roll("two", 42).found == []


@pytest.mark.parametrize(("count", "outcome"), [(2, "not_ended"), (4, "ended")])
def test_how_many_dice_are_in_play_is_said_by_an_option_that_is_pinned(
    count: int, outcome: str
) -> None:
    table = Table(7, rule_set="usbgf-2017-07", dice_count=count)
    assert _judged(table.game().turns(1).ends_turn("one")).answer.outcome == outcome


ROLLED_AFTER = {
    # Four dice, and the bar is tapped: what follows from a roll that counts by the record.
    "usbgf-2017-07": ("[4.1.7]", "player one says whether the roll stands or is thrown again"),
    "biba-2014": ("4.6", "player one says whether the roll stands or is thrown again"),
    "fcbg-tournament": ("IRR/T(a)", "the roll is void, and is thrown again once the turn is over"),
}


@pytest.mark.parametrize("name", SHELF)
def test_a_roll_after_an_act_that_ended_no_turn_is_found_early(name: str) -> None:
    table = _at(name, dice_in_play=4).turns(1)
    _did(table, "tapped_bar")
    early = [one for one in table.roll("two", 42).findings if one.code == "early-roll"]
    if name not in ROLLED_AFTER:
        # Whether the turn was over is asked, or nobody minds.
        assert early == []
        return
    (finding,) = early
    section, outcome = ROLLED_AFTER[name]
    assert (finding.section, finding.seat) == (section, Seat.TWO)
    assert str(finding.message).endswith(outcome)
    # The record is taken at its word, and says the same only once.
    assert table.state.flow.dice_of(Seat.TWO) == (4, 2)
    table.play("two", "8/4 6/4").turn("one", 61, "13/7 8/7")
    _did(table, "tapped_bar")
    assert table.roll("two", 31).found == []


def test_a_roll_after_an_act_that_did_end_the_turn_is_in_time() -> None:
    for act in ("tapped_bar", "lifted_both"):
        table = _at("usbgf-2017-07", dice_in_play=4).turns(1)
        _did(table, act)
        _did(table, "lifted_both")
        assert table.roll("two", 42).found == []


def test_a_roll_after_a_die_was_merely_moved_aside_is_not_found() -> None:
    table = _at("biba-2014").turns(1)
    _did(table, "touched_die")
    assert "early-roll" not in table.roll("two", 42).found


def test_each_kind_of_end_is_asked_about_once() -> None:
    table = _at("fcbg-tournament").clock().turns(1).press("one")
    assert table.found == ["turn-end"]
    table.turn("two", 42, "8/4 6/4").press("two")
    assert table.found == []
    assert table.codes.count("turn-end") == 1


def test_where_the_text_has_no_word_on_it_no_turn_that_ends_is_a_question() -> None:
    table = Table().game().turns(1).ends_turn("one")
    assert _judged(table).answer.is_open
    assert table.found == []
    assert table.early("two", 42).found == ["early-roll"]


def test_repositioning_with_notice_ends_no_turn_and_is_no_finding() -> None:
    table = _at("usbgf-2017-07").turns(1)
    _did(table, "lifted_one", "repositioning_and_roll", "before")
    assert _judged(table).answer.outcome == "not_ended"
    assert table.found == []


def test_notice_after_the_fact_is_none() -> None:
    table = _at("usbgf-2017-07").turns(1)
    _did(table, "lifted_one", "repositioning_and_roll", "after")
    assert _judged(table).answer.outcome == "ended"
    assert table.found == ["turn-end"]


@pytest.mark.parametrize(
    ("rule_set", "codes"),
    [
        ("usbgf-2017-07", ["play-changed"]),
        ("biba-2014", ["play-changed"]),
        ("fcbg-tournament", ["play-changed"]),
        (None, ["play-changed"]),
    ],
)
def test_a_play_changed_after_the_turn_is_found(rule_set: str | None, codes: list[str]) -> None:
    table = _at(rule_set).turns(1)  # type: ignore[arg-type]
    made = table.last
    assert table.ends_turn("one").revise("one", made, "24/23 13/10").found == codes


def test_what_comes_after_the_end_of_a_turn_does_not_open_it_again() -> None:
    table = _at("usbgf-2017-07").turns(1).ends_turn("one")
    _did(table, "tapped_bar")
    judged = _judged(table)
    assert (judged.end.outcome, judged.change.outcome) == ("ended", "may_not_change")


@pytest.mark.parametrize("rule_set", [None, *SETS])
def test_a_play_changed_within_the_turn_is_no_finding(rule_set: str | None) -> None:
    table = Table(7, rule_set=rule_set).game().turns(1)
    assert table.revise("one", table.last, "24/23 13/10").found == []


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014", "fcbg-tournament"])
def test_after_an_early_roll_the_play_may_be_changed(rule_set: str) -> None:
    table = _at(rule_set).turns(1)
    made = table.last
    table.early("two", 42).answers_early("stands")
    assert table.revise("one", made, "24/23 13/10").found == []
    assert _judged(table).answer.outcome == "may_change"


@pytest.mark.parametrize("rule_set", [None, *SETS])
def test_an_ordinary_match_raises_no_question(rule_set: str | None) -> None:
    table = Table(7, rule_set=rule_set).game().turns(4).double("one").take("two")
    table.turn("one", 21, "13/11 6/5").double("two")
    ours = {"early-roll", "dice-lifted-early", "early-cube-act", "turn-end", "play-changed"}
    assert not ours & set(table.codes)


def test_a_double_after_what_ends_no_turn_is_found() -> None:
    # Biba, with a clock: the dice are lifted, and the plunger is not pressed.
    table = _at("biba-2014").clock().turns(1).ends_turn("one").double("two")
    assert "early-cube-act" in table.found
    assert _judged(table).answer.ambiguity == "AMB-C8"
    table = _at("biba-2014").clock().turns(1).ends_turn("one").press("one").double("two")
    assert "early-cube-act" not in table.found


def test_a_double_that_stands_is_known_while_the_other_plays() -> None:
    answer = _judged(_at("fcbg-tournament").turns(1).double("two")).if_early
    assert (answer.outcome, answer.details["may_revise"]) == ("double_stands", ONE)


def test_the_gaps_may_be_filled_by_the_draft() -> None:
    table = _at("usbgf-2017-09", dice_in_play=2, gaps_from="usbgf-2017-07").turns(1)
    _did(table, "tapped_bar")
    answer = _judged(table).answer
    assert (answer.outcome, answer.verified) == ("ended", False)


@pytest.mark.parametrize("rule_set", [None, *SETS])
def test_an_answer_to_an_early_roll_is_judged_the_same_in_one_go_and_step_by_step(
    rule_set: str | None,
) -> None:
    table = _at(rule_set).turns(1).early("two", 42)  # type: ignore[arg-type]
    table.ends_turn("one").answers_early("no_comment").play("two", "8/4 6/4").ends_turn("two")
    shown = replay(table.events[:1])
    for event in table.events[1:]:
        shown = shown.extended([event])
    assert shown.state == table.state
    assert shown.findings == table.replay.findings


def test_a_play_shut_by_lifted_dice_is_not_said_to_be_changed_after_the_turn() -> None:
    """Biba 4.5: with a clock in use the turn is not over, and the play may be changed no more."""
    table = _at("biba-2014").clock().turns(1)
    made = table.last
    table.ends_turn("one").revise("one", made, "24/23 13/10")
    (finding,) = table.replay.steps[-1].findings
    assert finding.message == "player one changes the play, which may be changed no more"
    table = _at("biba-2014").clock().turns(1)
    made = table.last
    table.press("one").revise("one", made, "24/23 13/10")
    (finding,) = table.replay.steps[-1].findings
    assert finding.message == "player one changes the play after the turn, and may not"


@pytest.mark.parametrize(
    ("by", "is_noticed", "is_changed"),
    [(Actor.ONE, False, True), (Actor.DIRECTOR, False, False), (Actor.ONE, True, False)],
)
def test_a_legal_play_that_is_corrected_though_nobody_called_it_illegal_is_changed(
    by: Actor, is_noticed: bool, is_changed: bool
) -> None:
    table = _at("biba-2014").clock().turns(1)
    made = table.last
    table.press("one")
    if is_noticed:
        table.record(play.PlayIllegalityNoticed(target=made, noticed_by=Actor.TWO))
    table.correct(made, "24/23 13/10", by=by)
    messages = [str(one.message) for one in table.replay.steps[-1].findings]
    assert ("player one changes the play after the turn, and may not" in messages) is is_changed
