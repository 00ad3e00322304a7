"""The cube under every rule set: the golden cases, and the most important ones in our own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from golden import Case, cases, check, plain, present
from rulings import ruled
from table import Table, scene_of

from events.envelope import Basis
from events.payloads import cube, dice, dispute, match, penalty, play
from events.payloads.base import Actor
from events.values import BySeat, Seat
from projections.replay import Replay, replay
from projections.rules.answers import Answer, settled
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches

OPTIONS = {
    "rated": "rated",
    "beavers_agreed": "beavers",
    "jacoby_agreed": "jacoby",
    "automatic_doubles_agreed": "automatic_doubles",
}
"""Keys that pin an option."""

INTENTS = {
    "i_double": ("double", "now"),
    "i_shall_double": ("double", "next_turn"),
    "take_if_doubled": ("take", "if_doubled"),
    "drop_if_doubled": ("drop", "if_doubled"),
    "take": ("take", "now"),
    "drop": ("drop", "now"),
}
"""What was said, as `cube.intent_stated`."""

COCKED = (
    {},
    {
        "touching": ("bar",),
        "supported_by": ("bar",),
        "tilt": "tilted",
        "tilt_cause": "vertical_support",
    },
)
"""One die flat on the field, the other leaning on the bar."""


class Given:
    """What a case gives; every key is taken once, and none may be left."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = dict(given)
        self.keys = frozenset(given)

    def take(self, key: str, default: Any = None) -> Any:
        """The value of a key."""
        value = self._given.pop(key, default)
        return None if value == "none" else value

    def done(self) -> None:
        """Fails on a key to which nobody gave a meaning."""
        assert not self._given, f"keys without a meaning: {sorted(self._given)}"


class Told:
    """The table of a case, with the entries that its questions are about."""

    def __init__(self, table: Table, given: Given) -> None:
        self.table = table
        self.given = given
        self.act: str | None = None
        """Entry of the double."""


def told_by(case: Case, rule_set: str | None) -> Told:
    """The events of a case."""
    given = Given(case.case["given"])
    options = dict(case.options)
    for key, option in OPTIONS.items():
        if key in given.keys:
            agreed = given.take(key)
            options[option] = agreed if option == "rated" else ("on" if agreed else "off")
    if "automatic_doubles_max_per_game" in given.keys:
        options["automatic_doubles"] = given.take("automatic_doubles_max_per_game")
    length = given.take("match_length_points", 7)
    table = Table(length, rule_set=rule_set, **options)
    told = Told(table, given)
    if "score_at_game_starts" in given.keys:
        _games(told)
    else:
        _one_game(told)
    given.done()
    return told


def _games(told: Told) -> None:
    """Games that make the scores of the case; penalty points before the last of them."""
    table, given = told.table, told.given
    scores = [(each["one"], each["two"]) for each in given.take("score_at_game_starts")]
    penalties = given.take("penalty_points_against", {})
    for index, (one, two) in enumerate(scores):
        if index:
            before = scores[index - 1]
            gained = (one - before[0], two - before[1])
            winner = "one" if gained[0] else "two"
            table.won(winner, max(gained))
        if index == len(scores) - 1:
            for seat, points in penalties.items():
                if points:
                    table.record(penalty.PenaltyAssessed(seat=Seat(seat), points=points))
        table.game()


def _one_game(told: Told) -> None:
    table, given = told.table, told.given
    phase = given.take("crawford_phase")
    score = given.take("score", {"one": 0, "two": 0})
    one, two = score["one"], score["two"]
    if phase == "post_crawford":
        trailer = "one" if one < two else "two"
        before = (one - 1, two) if trailer == "one" else (one, two - 1)
        table.score_is(*before).game().won(trailer, 1).game()
    else:
        table.score_is(one, two).game()
    _lay_cube(told)
    _opening_ties(told)
    if "cube_shown_value" in given.keys and "cube_lies" in given.keys:
        _shown_cube(told)
        return
    if "gesture" in given.keys or given.keys & {"words", "by"}:
        _sign_or_answer(told)
        return
    if given.keys & {"doubler"}:
        _turn(told)
        _double(told)
        return
    if "kind" in given.keys:
        _gammon(told)


def _lay_cube(told: Told) -> None:
    given, table = told.given, told.table
    is_doubled = given.take("double_offered_in_game")
    value, owner = given.take("cube_value", 1), given.take("cube_owner")
    if is_doubled:
        # One doubles at his second turn and two takes, before the last scene.
        table.turns(2).double("one").take("two")
        assert (value, owner) == (2, "two")
    elif (value, owner) != (1, None):
        table.cube_is(value, owner)


def _opening_ties(told: Told) -> None:
    given, table = told.given, told.table
    given.take("roll")
    for _ in range(given.take("opening_ties", 0)):
        table.opening(4, 4)


def _turn(told: Told) -> None:
    """The turns before the act."""
    given, table = told.given, told.table
    on_roll, own_roll = given.take("on_roll"), given.take("own_roll")
    is_begun = given.take("opening_roll_thrown", on_roll is not None)
    if own_roll == "opening":
        assert is_begun
        table.opening(*((3, 1) if on_roll == "one" else (1, 3)))
        return
    if not is_begun:
        return
    has_ended = given.take("opponents_turn_ended", True)
    table.turns(2 if on_roll == "one" else 1)
    if not has_ended:
        table.roll(on_roll, 42)
    if own_roll == "valid":
        table.roll(on_roll, 61)
    elif own_roll == "cocked":
        seen = tuple(msgspec.convert(die, dice.Observation) for die in COCKED)
        table.record(
            dice.Voided(seat=Seat(on_roll), reason=dice.VoidReason.COCKED, observations=seen),
            basis=Basis.AGREED,
        )


def _double(told: Told) -> None:
    given, table = told.given, told.table
    doubler = given.take("doubler")
    answer, noticed = given.take("answer"), given.take("noticed")
    given.take("answerer")
    table.double(doubler)
    told.act = table.last
    other = "two" if doubler == "one" else "one"
    if answer == "take":
        table.take(other)
    elif answer == "drop":
        table.drop(other)
    elif answer == "beaver":
        table.beaver(other)
    reply = given.take("doublers_answer")
    if reply == "accept":
        table.take(doubler)
    elif reply == "refuse":
        table.drop(doubler)
    _what_came(told, noticed, doubler)


def _what_came(told: Told, noticed: str | None, doubler: str) -> None:
    """The rest of the game and of the match, until somebody notices."""
    given, table = told.given, told.table
    if noticed == "during_game":
        other = "two" if doubler == "one" else "one"
        first, second = ("13/7 8/7", "8/3 6/3") if doubler == "one" else ("8/4 6/4", "13/7 8/7")
        table.turn(doubler, 61 if doubler == "one" else 42, first)
        table.turn(other, 53 if doubler == "one" else 61, second)
    result = given.take("game_result")
    if result is not None:
        table.win(result["kind"], result["winner"])
    recorded = given.take("score_recorded")
    if recorded is not None:
        table.noted(recorded["one"], recorded["two"], "one")
        table.noted(recorded["one"], recorded["two"], "two")
    if noticed == "after_match":
        table.record(match.MatchEnded(), basis=Basis.AGREED)
    begun, is_round = given.take("next_match_begun_by", []), given.take("next_round_begun")
    if begun or is_round:
        kind = match.NextMatch.NEXT_ROUND if is_round else match.NextMatch.OTHER_EVENT
        seats = tuple(Seat(seat) for seat in begun)
        table.record(match.MatchNextStarted(seats=seats, next=kind))
    if noticed is not None:
        table.record(dispute.DirectorCalled(about=told.act))


def _say(table: Table, seat: str, words: str) -> None:
    intent, when = INTENTS[words]
    table.record(
        cube.CubeIntentStated(
            seat=Seat(seat), intent=cube.Intent(intent), when=cube.IntentTime(when)
        )
    )


def _sign_or_answer(told: Told) -> None:
    given, table = told.given, told.table
    words = given.take("words")
    if "answerer" in given.keys:
        _turn(told)
        doubler, answerer = given.take("doubler"), given.take("answerer")
        put = given.take("cube_put")
        table.double(doubler)
        for word in () if words is None else words.split("_then_"):
            _say(table, answerer, word)
        if put in ("own_side", "middle_of_bar"):
            place = cube.CubePlace(put)
            kind = cube.GestureKind.PUT
            table.record(cube.CubeGestured(seat=Seat(answerer), kind=kind, put=place))
        else:
            assert put == "left_where_offered"
        return
    seat = given.take("by") or given.take("doubler")
    said, turns = given.take("words_said"), given.take("double_comes_after_turns")
    assert said in (None, "opponents_turn_before")
    if said:
        # One speaks while two is on turn: after turn 1, before turn 2.
        assert (given.take("on_roll"), given.take("own_roll")) == (seat, "valid")
        table.turns(1)
        _say(table, seat, words)
        table.turn("two", 42, "8/4 6/4").roll(seat, 61)
        words = None
    elif turns == 3:
        given.take("on_roll"), given.take("own_roll")
        table.turns(1)
        _say(table, seat, words)
        table.turn("two", 42, "8/4 6/4").turn("one", 61, "13/7 8/7").turn("two", 53, "8/3 6/3")
        table.double("one")
        words = None
    else:
        _turn(told)
    gesture, is_clear = given.take("gesture"), given.take("gesture_clear", True)
    announced = given.take("repositioning_said")
    if gesture is not None:
        when = None if announced in (None, "never") else cube.Announced(announced)
        kind = cube.GestureKind(gesture)
        gestured = cube.CubeGestured(seat=Seat(seat), kind=kind, repositioning_announced=when)
        table.record(gestured, basis=Basis.AGREED if is_clear else Basis.CLAIMED_BY_ONE)
    if words == "i_double" and gesture == "lift":
        table.double(seat)
    elif words is not None:
        _say(table, seat, words)
    if turns == 0:
        table.double("one")


def _shown_cube(told: Told) -> None:
    given, table = told.given, told.table
    noticed, agreed = given.take("noticed"), given.take("last_agreed_value")
    if noticed == "during_game":
        table.turns(2)
        if agreed is not None:
            assert agreed == 2
            table.double("one").take("two").turn("one", 61, "13/7 8/7")
    assert given.take("cube_lies") == "side_of_two"
    shown = given.take("cube_shown_value")
    table.record(cube.CubeStated(value=shown, owner=Seat.TWO), basis=Basis.OBSERVED)
    if given.take("disputed"):
        readings = (
            dispute.Reading(by=Actor.ONE, reading=str(agreed or 1)),
            dispute.Reading(by=Actor.TWO, reading=str(shown)),
        )
        table.record(dispute.DisputeRaised(by=Actor.ONE, readings=readings))
    table.record(dispute.DirectorCalled())


def _gammon(told: Told) -> None:
    given, table = told.given, told.table
    kind, winner = given.take("kind"), given.take("winner")
    shown = given.take("cube_shown_value")
    if shown is not None:
        # After the automatic double, the opening is decided and the cube is looked at.
        table.turns(2)
        table.record(cube.CubeStated(value=shown, owner=None), basis=Basis.OBSERVED)
    checkers = scene_of(kind, winner=winner)
    table.record(play.PositionStated(checkers=checkers, on_roll=Seat(winner)), basis=Basis.AGREED)
    table.turn(winner, 65, "2/off")


# How an answer is read off a replay.


def asked_of(keys: frozenset[str]) -> str:
    """What a case asks, in a word: its keys say so."""
    if "score_at_game_starts" in keys:
        return "phases"
    if "kind" in keys:
        return "gammon"
    if "opening_ties" in keys:
        return "tie"
    if "gesture" not in keys and "words" in keys and "answerer" not in keys:
        return "words"
    return "time" if "answer" not in keys and "doubler" in keys else "act"


def read(asked: str, match_now: Replay) -> Answer:
    """The answer of the folds to a case, in the words of the golden file."""
    acts = match_now.state.judged.cube_acts
    if asked == "phases":
        return _phases(match_now)
    if asked in ("tie", "gammon"):
        return _tie_or_gammon(asked, match_now)
    answer = acts.answer
    if asked == "words":
        answer = acts.bound or answer
    elif asked == "time" and answer is acts.worth:
        # Whether in time: that the cube is of use is another row's question.
        answer = acts.time
    assert answer is not None, "nothing was judged"
    return _flat(_with_cube(_won(answer, match_now), match_now))


def _phases(match_now: Replay) -> Answer:
    said = [
        step.after.judged.cube_acts.phase
        for step in match_now.steps
        if isinstance(step.event.payload, match.GameStarted)
    ]
    last = said[-1]
    assert last is not None
    assert all(answer is not None for answer in said)
    if last.ambiguity == "AMB-F3" or last.outcome == "no_crawford_rule":
        return last
    outcomes = [answer.outcome for answer in said if answer is not None]
    details = {"phases": outcomes}
    return msgspec.structs.replace(last, outcome="phases", details=details)


def _tie_or_gammon(asked: str, match_now: Replay) -> Answer:
    state = match_now.state
    tie = state.cube.automatic
    if asked == "tie":
        throw = state.judged.throws.answer
        assert throw is not None
        lies = {"cube_value": state.cube.value, "cube_owner": state.cube.owner or "none"}
        details = {**throw.details, **lies}
        answer = msgspec.structs.replace(throw, details=details)
        if tie is not None and tie.is_open:
            answer = msgspec.structs.replace(
                answer, ambiguity=tie.ambiguity, reason=tie.reason, also={"cube_value": tie}
            )
        return answer
    if tie is not None and tie.is_open:
        return tie
    gammon = state.score.gammon
    if gammon is not None and gammon.is_open:
        return gammon
    game = state.score.games[-1]
    section = match_now.rules.cite("gammon")[1] if gammon is None else gammon.section
    return settled("game_won", section, winner=game.winner, points=game.points)


def _won(answer: Answer, match_now: Replay) -> Answer:
    """A game won since on the board, where that is the answer."""
    score = match_now.state.score
    games = score.games[1:] if score.games and score.games[0].ended_by == "claim" else score.games
    if answer.outcome != "allowed" or not games:
        return answer
    last = games[-1]
    after = {"one": score.score.one, "two": score.score.two}
    return msgspec.structs.replace(
        answer,
        outcome="game_won" if score.winner is None else "match_won",
        details={"winner": last.winner, "points": last.points, "score_after": after},
    )


def _with_cube(answer: Answer, match_now: Replay) -> Answer:
    """The cube of the replay, where the case asks for it and the answer has none."""
    lies = match_now.state.cube
    details = {"cube_value": lies.value, "cube_owner": lies.owner or "none", **answer.details}
    return msgspec.structs.replace(answer, details=details)


def _flat(answer: Answer) -> Answer:
    """The reason of a question beside the answer, where golden files write it: beside both."""
    for other in answer.also.values():
        if other.is_open:
            return msgspec.structs.replace(
                answer, reason=other.reason, ambiguity=other.ambiguity, lean=other.lean
            )
    return answer


def _cited(case: Case, answer: Answer, match_now: Replay) -> None:
    cites = case.case.get("cites", {}).get(case.rule_set)
    if not cites:
        return
    sections = {answer.section, *(finding.section for finding in match_now.findings)}
    sections |= {match_now.rules.cite(subject)[1] for subject in ("score", "ending")}
    bare = {section.strip("[]") for section in sections}
    assert bare & set(cites), f"{bare} cites none of {cites}"


@in_bunches("case", cases("cube_and_crawford"))
def test_every_golden_case_is_answered(case: Case | None) -> None:
    case = present(case)
    told = told_by(case, case.rule_set)
    pinned = told.table.replay
    asked = asked_of(told.given.keys)
    answer = read(asked, pinned)
    check(answer, case.expect)
    _cited(case, answer, pinned)
    said = answer.details.get("score") or answer.details.get("score_after")
    if said is not None:
        # What the text settles and what the score's fold counts are the same.
        assert BySeat(**said) == pinned.state.score.score
    unpinned = told_by(case, None)
    judged = replay(unpinned.table.events, case.rule_set)
    assert plain(read(asked, judged)) == plain(answer)


# In our own words: what a clone without the shared folder tests.

RULE_SETS = (
    "usbgf-2017-07",
    "usbgf-2017-09",
    "biba-2014",
    "fcbg-tournament",
    "fcbg-club",
    "common",
)


def _answer(table: Table) -> Answer:
    answer = table.state.judged.cube_acts.answer
    assert answer is not None
    return answer


def _cube(table: Table) -> tuple[int, str | None]:
    lies = table.state.cube
    return lies.value, lies.owner


def _match(rule_set: str, length: int | None = 7, **members: Any) -> Table:
    return Table(length, rule_set=rule_set, **members).game()


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_a_double_in_time_is_allowed_everywhere_and_nothing_is_found(rule_set: str) -> None:
    table = _match(rule_set).turns(2).double("one")
    assert (_answer(table).outcome, table.codes) == ("allowed", [])
    assert table.take("two").codes == []
    assert _cube(table) == (2, "two")


@pytest.mark.parametrize(
    ("rule_set", "outcome"),
    [
        ("usbgf-2017-07", "ruling_required"),
        ("usbgf-2017-09", "ruling_required"),
        ("biba-2014", "not_allowed"),
        ("fcbg-tournament", "not_allowed"),
        ("fcbg-club", "not_allowed"),
        ("common", "not_allowed"),
    ],
)
def test_a_double_after_ones_roll(rule_set: str, outcome: str) -> None:
    table = _match(rule_set).turns(2).roll("one", 61).double("one")
    assert _answer(table).outcome == outcome
    assert ("cube-act-open" in table.found) is (outcome == "ruling_required")


@pytest.mark.parametrize(
    ("rule_set", "outcome"),
    [
        ("usbgf-2017-07", "void"),
        ("usbgf-2017-09", "void"),
        ("biba-2014", "void"),
        ("fcbg-tournament", "not_allowed"),
        ("fcbg-club", "ruling_required"),
        ("common", "allowed"),
    ],
)
def test_a_double_in_the_crawford_game(rule_set: str, outcome: str) -> None:
    table = _match(rule_set, score=(6, 3)).turns(1).double("two")
    assert _answer(table).outcome == outcome
    table.take("one")
    assert _cube(table) == ((1, None) if outcome == "void" else (2, "one"))


def crawford_cube(answered: str) -> Table:
    """A text that takes the cube out of play, and does not say what becomes of it."""
    table = _match("fcbg-tournament", score=(3, 6)).turns(1).double("two")
    return table.drop("one") if answered == "drop" else table.take("one")


@pytest.mark.parametrize("answered", ["take", "drop"])
def test_a_cube_answered_in_the_crawford_game_wins_no_match_unasked(answered: str) -> None:
    [question] = crawford_cube(answered).replay.open_questions
    assert question.ruling_required is not None
    assert (question.section, question.ruling_required.readings) == (
        "CRAWFORD/T",
        ("stands", "undone"),
    )


@pytest.mark.parametrize(("reading", "winner"), [("stands", Seat.TWO), ("undone", None)])
def test_a_drop_in_the_crawford_game_ends_it_as_ruled(reading: str, winner: Seat | None) -> None:
    table = crawford_cube("drop")
    assert table.score == (3, 7)
    ruled(table, "cube.answered-double", reading)
    assert (table.state.score.winner, table.state.flow.in_game) == (winner, winner is None)
    assert _cube(table) == (1, None)
    assert table.record(dispute.DirectorCalled()).found == []


@pytest.mark.parametrize(("reading", "points"), [("stands", 2), ("undone", 1)])
def test_a_crawford_game_won_with_a_turned_cube_counts_as_ruled(reading: str, points: int) -> None:
    table = _match("fcbg-tournament", score=(6, 3)).turns(1).double("two").take("one")
    table.win("single", "two")
    ruled(table, "cube.answered-double", reading)
    assert table.score == (6, 3 + points)


def test_a_cube_noticed_after_its_answer_was_asked_about_is_asked_about_once() -> None:
    table = crawford_cube("take").win("single", "two").ended()
    seats = (Seat.ONE, Seat.TWO)
    table.record(match.MatchNextStarted(seats=seats, next=match.NextMatch.NEXT_ROUND))
    assert table.record(dispute.DirectorCalled()).found == []
    assert _answer(table).lean == "stands"
    ruled(table, "cube.answered-double", "stands")
    assert not _answer(table).is_open


@pytest.mark.parametrize("rule_set", RULE_SETS)
@pytest.mark.parametrize("length", [2, 5, 7, 8, 9, 13])
def test_a_cube_is_dead_exactly_where_a_drop_would_end_the_match(
    rule_set: str, length: int
) -> None:
    for points in range(length):
        for value in (1, 2, 4, 8):
            table = Table(length, rule_set=rule_set, score=(points, 0), crawford_played=True)
            table.game().turns(2)
            if value > 1:
                table.cube_is(value, "one")
            table.double("one")
            is_dead = points + value >= length
            is_usbgf = rule_set.startswith("usbgf")
            expected = "void" if is_dead and is_usbgf else "allowed"
            assert _answer(table).outcome == expected, (points, value)
            table.drop("two")
            is_over = table.state.score.winner is not None
            allows_it = rule_set in ("fcbg-tournament", "fcbg-club", "common")
            assert is_over is (is_dead and allows_it), (points, value)


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014", "fcbg-tournament"])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 7])
def test_no_match_has_more_than_one_crawford_game(rule_set: str, length: int) -> None:
    for seed in range(20):
        table, won = Table(length, rule_set=rule_set), [0, 0]
        while max(won) < length:
            winner, points = (seed >> len(table.events) % 5) % 2, 1 + seed % 2
            won[winner] += points
            table.game().won("two" if winner else "one", points)
        phases = [
            step.after.judged.cube_acts.phase.outcome
            for step in table.replay.steps
            if isinstance(step.event.payload, match.GameStarted)
        ]
        facts = [
            step.after.score.phase.value
            for step in table.replay.steps
            if isinstance(step.event.payload, match.GameStarted)
        ]
        assert phases.count("crawford") <= 1
        # The judged phases and those that the score's fold computes are the same.
        words = {"before": "pre_crawford", "after": "post_crawford", "crawford": "crawford"}
        assert phases == [words[phase] for phase in facts]


def test_under_biba_a_drop_ends_no_match() -> None:
    table = _match("biba-2014", score=(6, 3), crawford_played=True).turns(2).double("one")
    table.drop("two")
    assert table.found == ["drop-ends-no-match", "cube-act-open"]
    assert table.findings[1].message == (
        "player two drops the double of player one, and by the rules that does not end the match; "
        "what the cube is worth is for the Director to decide"
    )
    flow, score = table.state.flow, table.state.score
    assert (flow.in_game, flow.on_roll, score.winner) == (True, Seat.ONE, None)
    assert table.win().state.score.winner is Seat.ONE


@pytest.mark.parametrize(
    ("rule_set", "kind", "outcome"),
    [
        ("usbgf-2017-07", "reach", "not_bound"),
        ("usbgf-2017-07", "touch", "bound"),
        ("biba-2014", "reach", "bound"),
        ("biba-2014", "lift", "bound"),
        ("fcbg-tournament", "touch", "ruling_required"),
        ("common", "touch", "ruling_required"),
    ],
)
def test_what_a_hand_binds_to(rule_set: str, kind: str, outcome: str) -> None:
    gestured = cube.CubeGestured(seat=Seat.ONE, kind=cube.GestureKind(kind))
    table = _match(rule_set).turns(2).record(gestured)
    assert _answer(table).outcome == outcome
    assert _cube(table) == (1, None)


def test_a_hand_on_a_dead_cube_binds_to_nothing() -> None:
    table = _match("usbgf-2017-07", score=(6, 3), crawford_played=True).turns(2)
    table.record(cube.CubeGestured(seat=Seat.ONE, kind=cube.GestureKind.TOUCH))
    assert _answer(table).outcome == "not_bound"


def test_a_gesture_of_who_answers_a_double_is_no_double() -> None:
    table = _match("usbgf-2017-07").turns(2).double("one")
    table.record(cube.CubeGestured(seat=Seat.TWO, kind=cube.GestureKind.LIFT))
    assert table.found == []


def _says(table: Table, seat: str, words: str) -> Table:
    _say(table, seat, words)
    return table


def test_who_said_he_would_take_cannot_drop() -> None:
    table = _says(_match("biba-2014").turns(2), "two", "take_if_doubled").double("one")
    assert table.drop("two").found == ["cube-promise-broken", "cube-act-open"]


def test_who_said_he_would_take_and_takes_is_free() -> None:
    table = _says(_match("biba-2014").turns(2), "two", "take_if_doubled").double("one")
    assert table.take("two").found == []
    assert table.state.judged.cube_acts.promises == ()


def test_who_said_he_would_double_and_doubles_is_free() -> None:
    table = _says(_match("biba-2014").turns(1), "one", "i_shall_double")
    table.turn("two", 42, "8/4 6/4").double("one").take("two").roll("one", 61)
    assert "cube-promise-broken" not in table.codes


def test_a_promise_ends_with_the_game() -> None:
    table = _says(_match("biba-2014").turns(1), "one", "i_shall_double")
    table.won("two", 1).game().turns(2).roll("one", 61)
    assert "cube-promise-broken" not in table.codes


@pytest.mark.parametrize(
    ("begun", "outcome"),
    [([], "score_corrected"), (["one"], "ruling_required"), (["one", "two"], "stands")],
)
def test_when_a_turned_cube_of_the_crawford_game_is_found(begun: list[str], outcome: str) -> None:
    table = _match("biba-2014", score=(6, 5)).turns(1).double("two")
    double = table.last
    table.take("one").win("single", "two").ended()
    if begun:
        kind = match.NextMatch.NEXT_ROUND if len(begun) == 2 else match.NextMatch.OTHER_EVENT
        seats = tuple(map(Seat, begun))
        table.record(match.MatchNextStarted(seats=seats, next=kind))
    table.record(dispute.DirectorCalled(about=double))
    assert _answer(table).outcome == outcome
    assert "cube-violation-found" in table.found


@pytest.mark.rows("C-01", "C-08")
@pytest.mark.parametrize(
    ("rule_set", "found"),
    [
        ("usbgf-2017-07", "cube-act-open"),
        ("usbgf-2017-09", "cube-act-open"),
        ("biba-2014", "cube-not-allowed"),
        ("fcbg-tournament", "cube-not-allowed"),
        ("fcbg-club", "cube-act-open"),
        ("common", "cube-act-open"),
    ],
)
def test_a_double_between_a_void_throw_and_the_next_is_found(rule_set: str, found: str) -> None:
    table = _match(rule_set).turns(2)
    voided = dice.Voided(seat=Seat.ONE, reason=dice.VoidReason.COCKED, dice=(4, 2))
    table.record(voided).double("one")
    assert [code for code in table.found if code.startswith("cube-")] == [found]
    table.take("two")
    is_asked_now = "cube-act-open" in table.found
    assert is_asked_now is (found == "cube-not-allowed"), "what becomes of it is asked once"


STANDS_BY = {
    "usbgf-2017-07": "[4.4.3-5]",
    "biba-2014": "5.4",
    "fcbg-tournament": "DOUBLING",
    "fcbg-club": "DOUBLING",
    "common": "Doubling cube",
}
"""Where a text that is in hand lets a double in time stand."""


@pytest.mark.rows("C-01", "T-11")
@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("act", ["double", "take", "drop"])
def test_one_player_alone_makes_no_cube_act_void_that_stands(rule_set: str, act: str) -> None:
    table = _match(rule_set).turns(2).double("one")
    if act != "double":
        table.record((cube.DoubleTaken if act == "take" else cube.DoubleDropped)(seat=Seat.TWO))
    target = table.last

    table.record(cube.CubeActionVoided(target=target, found_by=Actor.TWO))
    found = [one for one in table.findings if one.code == "cube-act-voided"]
    assert [one.section for one in found] == (
        [STANDS_BY[rule_set]] if rule_set in STANDS_BY else []
    )
    assert all(one.seat is (Seat.ONE if act == "double" else Seat.TWO) for one in found)


@pytest.mark.rows("C-01")
@pytest.mark.parametrize(
    ("by", "basis"),
    [(Actor.BOTH, Basis.OBSERVED), (Actor.DIRECTOR, Basis.OBSERVED), (None, Basis.RULED)],
)
def test_what_both_agree_on_or_the_director_declares_void_is_not_held_against_the_text(
    by: Actor | None, basis: Basis
) -> None:
    table = _match("fcbg-tournament").turns(2).double("one")
    table.record(cube.CubeActionVoided(target=table.last, found_by=by), basis=basis)
    assert table.found == []


@pytest.mark.rows("T-11")
def test_an_early_double_shall_stand_though_it_is_called_void_where_the_text_says_so() -> None:
    table = _match("fcbg-tournament").turns(1).roll("two", 42).double("one")
    table.record(cube.CubeActionVoided(target=table.last, found_by=Actor.ONE))
    (finding,) = table.findings
    assert (finding.code, finding.section) == ("cube-act-voided", "IRR/T(k)")


def test_a_double_that_should_not_have_been_may_be_called_void() -> None:
    for rule_set in SHELF:
        table = _match(rule_set).turns(1).roll("two", 42).double("two")
        table.record(cube.CubeActionVoided(target=table.last, found_by=Actor.ONE))
        assert "cube-act-voided" not in table.found, rule_set


def test_a_call_about_nothing_wrong_asks_nothing() -> None:
    table = _match("biba-2014").turns(2).double("one").take("two")
    assert table.record(dispute.DirectorCalled()).found == []


@pytest.mark.parametrize("noticed", ["in its game", "after it"])
@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_a_double_that_is_known_is_not_noticed_by_every_later_call(
    rule_set: str, noticed: str
) -> None:
    table = _match(rule_set, score=(6, 3)).turns(1).double("two")
    double = table.last
    table.take("one")
    if noticed == "after it":
        table.win("single", "two")
    table.record(dispute.DirectorCalled(about=double))
    assert "cube-violation-found" in table.found
    if noticed == "in its game":
        table.win("single", "two")
    table.game().turns(2)
    assert table.record(dispute.DirectorCalled(by=Actor.TWO)).found == []
    assert table.record(dispute.DirectorCalled(about=double)).found == []


def test_a_call_in_a_later_game_that_names_nothing_notices_no_double() -> None:
    table = _match("usbgf-2017-07", score=(6, 3)).turns(1).double("two")
    double = table.last
    table.take("one").win("single", "two").game().turns(2)
    assert table.record(dispute.DirectorCalled(by=Actor.ONE)).found == []
    table.record(dispute.DirectorCalled(by=Actor.ONE, about=double))
    assert table.found == ["cube-violation-found"]


def test_a_ruling_closes_the_question() -> None:
    table = _match("usbgf-2017-07").turns(2).roll("one", 61).double("one")
    (asked,) = table.replay.open_questions
    assert asked.ruling_required is not None
    question = dispute.Question(topic=asked.ruling_required.topic, at=table.last, seat=Seat.ONE)
    answer = dispute.Answer(question=question, reading="not_allowed")
    table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
    assert table.replay.open_questions == []


def test_a_club_may_adopt_the_crawford_rule() -> None:
    table = _match("fcbg-club", score=(6, 3), crawford="on")
    assert _answer(table).outcome == "crawford"
    assert _match("fcbg-club", score=(6, 3)).found == ["crawford-open"]


def test_the_draft_may_be_adopted_for_the_gaps() -> None:
    table = _match("usbgf-2017-09", gaps_from="usbgf-2017-07").turns(2)
    table.roll("one", 61).double("one")
    assert _answer(table).reason == "silent"


@pytest.mark.parametrize(
    ("rule_set", "points"), [("biba-2014", 2), ("fcbg-club", 1), ("common", 2)]
)
def test_a_gammon_under_jacoby(rule_set: str, points: int) -> None:
    table = _match(rule_set, jacoby="on", rated=False).win("gammon")
    assert table.score == (points, 0)
    assert ("gammon-open" in table.found) is (rule_set == "common")


def test_a_cube_that_shows_too_much_is_asked_about_once_disputed() -> None:
    table = _match("biba-2014").turns(2).cube_is(2, "two", "observed")
    assert table.found == ["cube-differs"]
    table.record(dispute.DisputeRaised(by=Actor.ONE))
    assert table.found == ["cube-act-open"]
    assert table.replay.open_questions[0].ruling_required.lean == "cube_value 2, cube_owner two"
