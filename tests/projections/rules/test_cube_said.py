"""What a director is told about the cube: which words bind, what stands, where it begins."""

from __future__ import annotations

import pytest
import script
from rulings import ruled
from table import Table

from events.envelope import RecordedEvent
from events.payloads import cube, dice, dispute, match
from events.payloads.base import Actor
from events.values import ONE, TWO, Seat
from projections.facts.flow_state import Await
from projections.folding.findings import Finding
from projections.replay import Replay, replay
from projections.rules.shelf import SHELF
from projections.views.expecting import expects

EARLY = """\
1   match.opened {length: 7}
2   game.started
3   dice.opening_rolled 31
4   play.made one 8/5 6/5
5   dice.rolled two 42
6   cube.double_offered one
"""
"""One doubles while two has still to play his roll."""

WORDS_BIND = ["usbgf-2017-07", "usbgf-2017-09", "biba-2014", "common"]
"""Texts under which a take that was said is a take."""


def under(rule_set: str, events: str) -> Replay:
    """The match replayed under a rule set."""
    stream: list[RecordedEvent] = script.read(events)
    return replay(stream, rule_set)


def at(shown: Replay, code: str) -> Finding:
    """The one finding of a code."""
    [finding] = [finding for finding in shown.findings if finding.code == code]
    return finding


def doubled(rule_set: str) -> Table:
    """One has doubled, and two has to answer."""
    return Table(7, rule_set=rule_set).game().turns(2).double("one")


def says(table: Table, intent: str, when: str = "now") -> Table:
    """Two says what he does, or will do."""
    stated = cube.CubeIntentStated(seat=TWO, intent=cube.Intent(intent), when=cube.IntentTime(when))
    return table.record(stated)


@pytest.mark.parametrize("rule_set", WORDS_BIND)
@pytest.mark.parametrize(("first", "then"), [("take", "drop"), ("drop", "take")])
def test_who_says_one_thing_and_does_the_other_is_found(
    rule_set: str, first: str, then: str
) -> None:
    table = says(doubled(rule_set), first)
    assert table.found == ["cube-act-bound"]
    getattr(table, then)("two")
    assert table.found == ["cube-promise-broken", "cube-act-open"]
    [asked] = table.replay.open_questions
    assert (asked.ruling_required is not None, asked.seat) == (True, TWO)


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_a_word_given_before_the_double_holds_against_a_later_one(rule_set: str) -> None:
    table = Table(7, rule_set=rule_set).game().turns(1)
    says(table, "take", "if_doubled").turns(1).double("one")
    says(table, "drop")
    assert (
        str(table.findings[-1].message) == "player two has said take and cannot change it to drop"
    )
    assert table.state.judged.cube_acts.answer is not None
    assert table.state.judged.cube_acts.answer.outcome == "taken"


@pytest.mark.parametrize("rule_set", WORDS_BIND)
@pytest.mark.parametrize("act", ["take", "drop"])
def test_who_says_what_he_then_does_has_broken_nothing(rule_set: str, act: str) -> None:
    table = says(doubled(rule_set), act)
    getattr(table, act)("two")
    assert (table.found, table.replay.open_questions) == ([], [])


@pytest.mark.parametrize("rule_set", list(SHELF))
def test_a_drop_after_the_take_leaves_the_double_taken(rule_set: str) -> None:
    table = doubled(rule_set).take("two").drop("two")
    assert table.found == ["answer-without-offer"]
    said = "player two drops, and has taken the double before: it stays taken"
    assert str(table.findings[-1].message) == said
    assert (table.state.cube.value, table.state.cube.owner) == (2, TWO)


@pytest.mark.parametrize("act", ["take", "drop"])
def test_an_answer_after_play_has_gone_on_is_told_as_late(act: str) -> None:
    table = doubled("biba-2014").turns(1)
    getattr(table, act)("two")
    assert table.found == ["answer-without-offer"]
    assert str(table.findings[-1].message) == (
        f"player two {act}s, and play had gone on without an answer to the double:"
        " the cube stays as it is"
    )
    assert (table.state.cube.value, table.state.cube.owner) == (1, None)


def test_an_answer_in_the_next_game_is_not_late() -> None:
    table = doubled("biba-2014").turns(1).won("one", 1).game().turns(2).take("two")
    assert str(table.findings[-1].message).endswith("no double waits for that player's answer")


def test_a_take_long_ago_is_no_answer_to_anything() -> None:
    table = doubled("biba-2014").take("two").turns(1).drop("two")
    assert str(table.findings[-1].message).endswith("no double waits for that player's answer")


# A double before the opponent has ended his turn.


def test_a_premature_double_is_said_to_stand() -> None:
    shown = under("fcbg-tournament", EARLY)
    finding = at(shown, "early-cube-act")
    assert (finding.section, finding.ruling_required) == ("IRR/T(k)", None)
    assert "the double stands" in str(finding.message)
    assert at(shown, "out-of-turn").section == "IRR/T(k)"


@pytest.mark.parametrize("rule_set", list(SHELF))
@pytest.mark.parametrize(
    ("answer", "value", "score"), [("double_taken", 2, (0, 0)), ("double_dropped", 1, (1, 0))]
)
def test_who_is_doubled_in_his_own_roll_plays_it_and_answers_then(
    rule_set: str, answer: str, value: int, score: tuple[int, int]
) -> None:
    shown = under(rule_set, EARLY)
    assert expects(shown.state)[0] == "play.made"
    shown = under(rule_set, EARLY + "7   play.made two 8/4 6/4\n")
    assert (shown.state.flow.awaits, shown.state.flow.to_act) == (Await.ANSWER, TWO)
    shown = under(rule_set, f"{EARLY}7   play.made two 8/4 6/4\n8   cube.{answer} two\n")
    assert not {"offer-not-answered", "answer-without-offer"} & {one.code for one in shown.findings}
    assert (shown.state.cube.value, tuple(shown.state.score.score)) == (value, score)


def test_who_doubled_early_and_rolls_without_an_answer_is_found() -> None:
    shown = under("fcbg-tournament", EARLY + "7   play.made two 8/4 6/4\n8   dice.rolled one 21\n")
    assert at(shown, "offer-not-answered").seat is Seat.ONE


def after_the_play(rule_set: str, end: str) -> Replay:
    """Two has played, one doubles, and only then two ends his turn."""
    events = EARLY.replace("6   cube", "6   play.made two 8/4 6/4\n7   cube")
    return under(rule_set, f"{events}8   turn.ended two {{method: {end}}}\n")


@pytest.mark.parametrize(
    ("rule_set", "section", "is_question"),
    [("biba-2014", "4.6", True), ("fcbg-tournament", "IRR/T(k)", False)],
)
def test_a_turn_that_ends_after_the_double_shows_that_it_came_too_early(
    rule_set: str, section: str, is_question: bool
) -> None:
    finding = at(after_the_play(rule_set, "lifted_both"), "early-cube-act")
    assert (finding.section, finding.seat) == (section, ONE)
    assert (finding.ruling_required is not None) is is_question


def test_what_ends_no_turn_shows_nothing_about_the_double() -> None:
    shown = after_the_play("fcbg-tournament", "tapped_bar")
    assert "early-cube-act" not in {finding.code for finding in shown.findings}


def test_who_ends_his_turn_after_the_answer_has_ended_that() -> None:
    table = doubled("fcbg-tournament").take("two")
    ended = dice.TurnEnded(seat=TWO, method="lifted_both")
    assert table.record(ended).found == []


# The cube at the start, and before it.


@pytest.mark.parametrize(
    ("rule_set", "section"),
    [("biba-2014", "5.2"), ("fcbg-tournament", "IRR/T(i)"), ("common", "Doubling cube")],
)
def test_a_cube_not_in_the_middle_is_put_there(rule_set: str, section: str) -> None:
    table = Table(7, rule_set=rule_set).game().cube_is(2, "two", "observed")
    assert table.found == ["cube-differs", "cube-to-centre"]
    assert {finding.section for finding in table.findings} == {section}
    assert "in the middle" in str(table.findings[-1].message)


def test_a_text_without_a_word_on_it_asks_with_the_section_on_starts() -> None:
    table = Table(7, rule_set="usbgf-2017-07").game().cube_is(2, "two", "observed")
    assert {finding.section for finding in table.findings} == {"[4.2.4]"}
    [asked] = table.replay.open_questions
    assert asked.ruling_required is not None
    assert asked.ruling_required.lean == "correct"


@pytest.mark.parametrize(
    ("rule_set", "section"),
    [
        ("usbgf-2017-07", "[1]"),
        ("usbgf-2017-09", "[1.1]"),
        ("biba-2014", "5.4"),
        ("fcbg-tournament", "DOUBLING"),
        ("fcbg-club", "DOUBLING"),
        ("common", "Doubling cube"),
    ],
)
def test_a_double_before_the_opening_roll_cites_what_speaks_of_it(
    rule_set: str, section: str
) -> None:
    table = Table(7, rule_set=rule_set).game().double("two")
    assert {finding.section for finding in table.findings} == {section}


def test_a_double_between_games_cites_the_cube() -> None:
    table = Table(7, rule_set="biba-2014").game().win("single", "one").double("two")
    assert [(one.code, one.section) for one in table.findings[-1:]] == [("outside-game", "5.4")]


# A double in the Crawford game, found when the game is over.


def found_later(won: str, points: int, score: tuple[int, int]) -> Table:
    """The trailer's double was taken in the Crawford game, and it is noticed afterwards."""
    table = Table(7, rule_set="biba-2014").score_is(*score).game().turns(1).double("two")
    double = table.last
    table.take("one").won(won, points)
    return table.record(dispute.DirectorCalled(about=double))


@pytest.mark.parametrize("seat", ["one", "two"])
def test_the_result_stands_once_one_of_the_two_is_in_the_next_round(seat: str) -> None:
    table = Table(7, rule_set="biba-2014").score_is(6, 5).game().turns(1).double("two")
    double = table.last
    table.take("one").won("two", 2)
    next_round = match.NextMatch.NEXT_ROUND
    table.record(match.MatchNextStarted(seats=(Seat(seat),), next=next_round))
    table.record(dispute.DirectorCalled(about=double))
    assert (table.score, table.replay.open_questions) == ((6, 7), [])
    assert at(table.replay, "cube-violation-found").section == "5.5"


def test_whether_the_game_is_played_again_is_asked_after_it_too() -> None:
    table = found_later("two", 2, (6, 3))
    assert table.score == (6, 4)
    [asked] = table.replay.open_questions
    assert asked.ruling_required is not None
    assert asked.ruling_required.topic == "cube.replay"
    ruled(table, "cube.replay", "start_of_game")
    assert table.replay.open_questions == []


def test_a_match_that_the_cube_won_goes_on_at_the_corrected_score() -> None:
    table = found_later("two", 2, (6, 5))
    assert (table.score, table.replay.open_questions) == ((6, 6), [])


# Beavers.


@pytest.mark.parametrize("rule_set", ["biba-2014", "fcbg-tournament", "fcbg-club"])
def test_a_forbidden_beaver_that_is_dropped_is_asked_about_at_once(rule_set: str) -> None:
    table = doubled(rule_set).beaver("two").drop("one")
    assert (table.found, table.score) == (["cube-act-open"], (0, 2))
    ruled(table, "cube.answered-beaver", "undone")
    state = table.state
    assert (state.flow.in_game, table.score) == (True, (0, 0))
    assert (state.cube.value, state.cube.offered_by, state.flow.answering) == (1, ONE, TWO)


def test_a_dropped_beaver_that_stands_counts_as_it_did() -> None:
    table = doubled("biba-2014").beaver("two").drop("one")
    assert ruled(table, "cube.answered-beaver", "stands").score == (0, 2)


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "usbgf-2017-09"])
@pytest.mark.parametrize("mirrored", [False, True])
def test_nobody_is_bound_to_a_pass_that_would_lose_the_match(rule_set: str, mirrored: bool) -> None:
    score, trailer = ((3, 6), ONE) if mirrored else ((6, 3), TWO)
    for intent, outcome in (("drop", "not_bound"), ("take", "bound")):
        table = Table(7, rule_set=rule_set, score=score, crawford_played=True).game()
        table.turns(2, winner=trailer.other.value)
        when = cube.IntentTime("if_doubled")
        stated = cube.CubeIntentStated(seat=trailer, intent=cube.Intent(intent), when=when)
        answer = table.record(stated).state.judged.cube_acts.answer
        assert answer is not None
        assert answer.outcome == outcome
        assert intent == "take" or (answer.section, table.found) == ("[4.4.9]", [])


def test_a_pass_that_costs_a_game_and_no_match_binds_as_before() -> None:
    table = Table(7, rule_set="usbgf-2017-07", score=(5, 3)).game().turns(2)
    assert says(table, "drop", "if_doubled").found == ["cube-act-bound"]


@pytest.mark.parametrize(
    ("topic", "readings", "found"),
    [
        ("cube", (), ["cube-act-open"]),
        ("cube", ("taken", "dropped"), ["cube-act-open"]),
        ("cube", ("double", "none"), []),
        ("cube.double", (), []),
        ("cube.value", ("2", "1"), []),
    ],
)
def test_a_dispute_about_the_double_or_the_cube_itself_is_none_about_its_answer(
    topic: str, readings: tuple[str, ...], found: list[str]
) -> None:
    table = Table(7, rule_set="usbgf-2017-07").game().turns(2).double("one")
    sides = zip((Actor.ONE, Actor.TWO), readings, strict=False)
    said = tuple(dispute.Reading(by=by, reading=reading) for by, reading in sides)
    raised = dispute.DisputeRaised(by=Actor.TWO, topic=topic, readings=said)
    assert table.record(raised).found == found


# Both have bound themselves.


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
@pytest.mark.parametrize("is_doubler_first", [True, False])
def test_what_one_player_says_takes_nothing_from_what_binds_the_other(
    rule_set: str, *, is_doubler_first: bool
) -> None:
    """One says that he will double, two that he would drop; neither does."""

    def told() -> Table:
        table = Table(7, rule_set=rule_set).game().turns(1)
        words = [(ONE, cube.Intent.DOUBLE, "next_turn"), (TWO, cube.Intent.DROP, "if_doubled")]
        for seat, intent, when in words if is_doubler_first else words[::-1]:
            time = cube.IntentTime(when)
            table.record(cube.CubeIntentStated(seat=seat, intent=intent, when=time))
            assert table.found == ["cube-act-bound"]
        return table.turn("two", 42, "8/4 6/4")

    rolled = told().roll("one", 61)
    assert rolled.found == ["cube-promise-broken", "cube-act-open"]
    taken = told().double("one").take("two")
    assert taken.found == ["cube-promise-broken", "cube-act-open"]
    assert told().double("one").drop("two").found == []


def test_an_unclear_word_asks_nothing_anew_of_who_is_bound_already() -> None:
    table = Table(7, rule_set="usbgf-2017-07").game().turns(1)
    next_turn = cube.IntentTime.NEXT_TURN
    table.record(cube.CubeIntentStated(seat=ONE, intent=cube.Intent.DOUBLE, when=next_turn))
    table.record(cube.CubeGestured(seat=ONE, kind=cube.GestureKind.WORDS))
    asked = [one.key for one in table.turn("two", 42, "8/4 6/4").roll("one", 61).findings]
    assert [key[0] for key in asked if key is not None] == ["cube.sign-roll"]


def test_a_double_in_another_game_does_not_answer_what_a_hand_on_the_cube_meant() -> None:
    def touched() -> Table:
        table = Table(7, rule_set="fcbg-tournament").game().turns(2)
        return table.record(cube.CubeGestured(seat=ONE, kind=cube.GestureKind.TOUCH))

    assert touched().double("one").replay.open_questions == []
    later = touched().won("two", 1).game().turns(2).double("one")
    [asked] = later.replay.open_questions
    assert (asked.version, asked.key and asked.key[0]) == (7, "cube.sign")


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
@pytest.mark.parametrize("is_ruled", [False, True])
def test_whoever_is_bound_to_double_has_not_by_an_early_roll_that_stands(
    rule_set: str, *, is_ruled: bool
) -> None:
    """Let stand, or ruled so: it is the roll, and whether it stays one is for the Director."""
    table = Table(7, rule_set=rule_set).game().turns(1)
    next_turn = cube.IntentTime.NEXT_TURN
    table.record(cube.CubeIntentStated(seat=ONE, intent=cube.Intent.DOUBLE, when=next_turn))
    table.turn("two", 42, "8/4 6/4").early("one", 61)
    if is_ruled:
        ruled(table.answers_early("only_warned"), "dice.early-roll", "roll_stands")
    else:
        table.answers_early("stands")
    assert table.found == ["cube-promise-broken", "cube-act-open"]
    table.ends_turn("two")
    assert ruled(table, "cube.sign-roll", "undone").state.flow.dice is None
    assert table.double("one").state.cube.offered_by is ONE


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_whoever_is_bound_to_double_is_still_once_an_early_roll_is_thrown_again(
    rule_set: str,
) -> None:
    table = Table(7, rule_set=rule_set).game().turns(1)
    next_turn = cube.IntentTime.NEXT_TURN
    table.record(cube.CubeIntentStated(seat=ONE, intent=cube.Intent.DOUBLE, when=next_turn))
    table.turn("two", 42, "8/4 6/4").early("one", 61).answers_early("redone")
    assert table.found == []
    assert table.ends_turn("two").roll("one", 53).found[0] == "cube-promise-broken"


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_a_throw_that_is_ruled_to_count_and_then_no_substitute_for_the_double_is_taken_back(
    rule_set: str,
) -> None:
    """Bound to double, One throws; the throw is called void, and Two says that it was none."""
    table = Table(7, rule_set=rule_set).game().turns(1)
    next_turn = cube.IntentTime.NEXT_TURN
    table.record(cube.CubeIntentStated(seat=ONE, intent=cube.Intent.DOUBLE, when=next_turn))
    table.turn("two", 42, "8/4 6/4")
    reason = dice.VoidReason.COCKED
    table.record(
        dice.Voided(seat=ONE, reason=reason, dice=(6, 1), caller=Actor.ONE, contested=True)
    )
    assert ruled(table, "dice.validity", "valid").state.flow.dice == (6, 1)
    assert table.found == ["cube-promise-broken", "cube-act-open"]
    assert ruled(table, "cube.sign-roll", "undone").state.flow.dice is None
    assert table.double("one").found == []
