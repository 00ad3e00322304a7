"""Clocks: how the shared cases are told at a table, and cases of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from golden import Case
from hypothesis import given, settings
from hypothesis import strategies as st
from table import Table

from events.payloads import clock, dice, dispute, ending, match
from events.payloads.base import Actor
from events.payloads.match import Player
from events.values import BySeat, Seat
from projections.replay import Replay, replay
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF

SECOND = 1_000
EXPIRED_AT_MS = 852_000
"""Delay and reserve of one's first turn used up, in a match to 7."""


def in_ms(value: Any) -> Any:
    """`*_s` as integer `*_ms`, inside leanings too."""
    if not isinstance(value, Mapping):
        return value
    return {
        key.removesuffix("_s") + "_ms" if key.endswith("_s") else key: (
            round(inner * SECOND) if key.endswith("_s") else in_ms(inner)
        )
        for key, inner in value.items()
    }


class ClockTable(Table):
    """A table with a clock, as the golden files build one."""

    def __init__(
        self, facts: dict[str, Any], rule_set: str | None, options: Mapping[str, Any]
    ) -> None:
        pinned = dict(options)
        if (kind := facts.pop("event_kind", None)) is not None:
            pinned["event_kind"] = kind
        self.length: int = facts.pop("match_length_points", 7)
        super().__init__(self.length, rule_set=rule_set, **pinned)
        side = tuple(Player() for _ in range(facts.pop("players_per_side", 1)))
        opened = msgspec.structs.replace(self.events[0].payload, players=BySeat(side, side))
        self.events[0] = msgspec.structs.replace(self.events[0], payload=opened)

    def sets(self) -> Table:
        reserve = 120 * SECOND * self.length
        set_to = clock.ClockSet(
            kind=clock.ClockKind.SIMPLE,
            reserve_ms=BySeat(reserve, reserve),
            delay_ms=12 * SECOND,
        )
        return self.record(set_to)

    def starts(self) -> Table:
        return self.record(clock.ClockStarted(seat=Seat.ONE, at_ms=0))


def shows(one: int | None, two: int | None = None) -> BySeat[int | None]:
    return BySeat(one, two)


def built(case: Case) -> ClockTable:
    """The events of one case; a key without a meaning fails."""
    facts = dict(case.case["given"])
    table = ClockTable(facts, case.rule_set, case.options)
    if (score := facts.pop("introduced_at_score", None)) is not None:
        if score != {"one": 0, "two": 0}:
            table.score_is(score["one"], score["two"])
        table.sets()
    elif "turn_s" in facts:
        assert (facts.pop("delay_s"), facts.pop("delay_kind")) == (12, "simple")
        table.sets()
        table.starts().press("one", facts.pop("turn_s"))
    elif "failed_to_press" in facts:
        forgets(table, facts)
    elif "stop_reason" in facts:
        stops(table, facts)
    else:
        expires(table, facts)
    assert not facts, f"keys without a meaning: {sorted(facts)}"
    return table


def forgets(table: ClockTable, facts: dict[str, Any]) -> None:
    seat = Seat(facts.pop("failed_to_press"))
    lost_ms = facts.pop("reserve_lost_s") * SECOND
    assert seat is Seat.ONE
    table.sets()
    table.starts().game().turns(1)
    table.record(clock.ClockRead(at_ms=20_000, readings=shows(832_000)))
    fault = clock.ClockFaultNoticed(
        kind=clock.ClockFault.NOT_PRESSED,
        seat=seat,
        since=table.last,
        readings=shows(832_000 - lost_ms),
    )
    table.record(fault)


def stops(table: ClockTable, facts: dict[str, Any]) -> None:
    reason = facts.pop("stop_reason")
    table.sets()
    table.starts().game().turns(1)
    if reason == "die_on_floor":
        floor = dice.Observation(location="floor", rests_on=("floor",))
        observations = (dice.Observation(), floor)
        table.record(
            dice.Voided(seat=Seat.TWO, reason=dice.VoidReason.ON_FLOOR, observations=observations)
        )
    else:
        assert reason == "dispute"
        table.record(dispute.DisputeRaised(by=Actor.ONE))
    table.record(clock.ClockPaused(reason=reason))


def expires(table: ClockTable, facts: dict[str, Any]) -> None:
    whose = facts.pop("reserve_expired")
    after_ms = facts.pop("noticed_after_s", 0) * SECOND
    first = None
    if whose == "both":
        assert facts.pop("order_known") is False
        first = clock.Flag.UNKNOWN
    is_after_match = facts.pop("noticed", None)
    wins = facts.pop("game_would_win_match", None)
    if is_after_match is not None:
        assert is_after_match == "after_match_end"
        table.score_is(6, 3)
    elif wins is not None:
        table.score_is(6 if wins else 3, 3)
    table.sets()
    table.starts()
    if is_after_match is not None:
        table.win("single", "one")
        table.record(clock.ClockPaused(readings=shows(0))).ended()
    elif (contact := facts.pop("contact", None)) is not None:
        if contact:
            table.game().turns(2)
        else:
            table.scene("race", "one")
        board = table.state.positions.board
        assert board is not None
        assert board.has_contact() is contact
    noticed = clock.ClockFlagNoticed(
        whose=clock.Flag(whose),
        first=first,
        at_ms=EXPIRED_AT_MS + after_ms,
        readings=shows(0, 0 if whose == "both" else None),
    )
    table.record(noticed)
    if (claim := facts.pop("claim", "none")) != "none":
        table.record(ending.ClaimMade(seat=Seat.ONE, kind=ending.ClaimKind(claim)))


def answer_of(shown: Replay) -> Answer | None:
    """The fold's answer."""
    return shown.state.judged.timing.answer


def turn_taken(shown: Replay) -> Answer | None:
    """What a turn took, read off the clock where the delay is settled."""
    delay = shown.state.judged.timing.delay
    if delay is None or delay.is_open:
        return delay
    assert delay.outcome == "simple"
    before, after = (state.clock.reserve_ms.one for state in _around(shown))
    assert before is not None
    assert after is not None
    return msgspec.structs.replace(
        delay, outcome="reserve_used", details={"reserve_used_ms": before - after}
    )


def _around(shown: Replay) -> tuple[Any, Any]:
    return shown.steps[-1].before, shown.steps[-1].after


# Without the shared folder: what we would say ourselves at a table.


@pytest.mark.parametrize(
    ("rule_set", "options", "length", "score", "terms"),
    [
        ("usbgf-2017-07", {"event_kind": "open"}, 5, (0, 0), (600, 12, "preference")),
        ("usbgf-2017-07", {}, 7, (0, 0), (840, 12, None)),
        ("usbgf-2017-07", {}, 5, (0, 0), "silent"),
        ("usbgf-2017-07", {"event_kind": "jackpot"}, 7, (0, 0), "silent"),
        ("usbgf-2017-07", {"event_kind": {"open": True}}, 7, (0, 0), "silent"),
        ("usbgf-2017-09", {"event_kind": "jackpot"}, 7, (0, 0), "not_in_hand"),
        ("usbgf-2017-09", {}, 7, (0, 0), (840, 12, None)),
        ("usbgf-2017-09", {}, 5, (0, 0), "not_in_hand"),
        ("usbgf-2017-07", {"event_kind": "other_skill"}, 5, (0, 0), (600, 15, "option")),
        ("usbgf-2017-07", {"event_kind": "doubles"}, 5, (0, 0), (900, 15, "obligation")),
        ("usbgf-2017-07", {"clock_use": "obligation"}, 7, (0, 0), (840, 12, "obligation")),
        ("usbgf-2017-07", {}, 5, (1, 0), "AMB-K1"),
        ("usbgf-2017-09", {"event_kind": "doubles"}, 5, (0, 0), "not_in_hand"),
        (
            "usbgf-2017-09",
            {"event_kind": "doubles", "gaps_from": "usbgf-2017-07"},
            5,
            (0, 0),
            (900, 15, "obligation"),
        ),
        ("biba-2014", {}, 5, (3, 1), "not_in_hand"),
        ("fcbg-tournament", {}, 5, (0, 0), "silent"),
        ("fcbg-club", {}, 5, (0, 0), "AMB-F3"),
        ("common", {}, 5, (0, 0), "silent"),
    ],
)
def test_what_a_clock_is_allotted(
    rule_set: str, options: dict[str, Any], length: int, score: tuple[int, int], terms: Any
) -> None:
    table = Table(length, rule_set=rule_set, score=score, **options).clock()
    answer = table.state.judged.timing.terms
    assert answer is not None
    if isinstance(terms, str):
        assert terms in (answer.ambiguity, answer.reason)
        return
    reserve_s, delay_s, use = terms
    expected = {"reserve_ms": reserve_s * SECOND, "delay_ms": delay_s * SECOND}
    assert answer.details == (expected if use is None else {**expected, "use": use})


def test_a_clock_set_otherwise_than_allotted_is_found() -> None:
    def codes(length: int | None, *clock_terms: Any) -> list[str]:
        return Table(length, rule_set="usbgf-2017-07", event_kind="open").clock(*clock_terms).codes

    assert "clock-terms" not in codes(7, 840)
    assert "clock-terms" in codes(7, 600)
    assert "clock-terms" in codes(7, 840, 12, "fischer")
    assert codes(None, 600) == []
    table = Table(7, rule_set="usbgf-2017-07", event_kind="open").clock(600)
    (told,) = [str(one.message) for one in table.replay.findings if one.code == "clock-terms"]
    assert told.endswith("a reserve of 14:00, with a simple delay of 12 seconds")


def test_a_clock_that_never_runs_out_has_no_terms_to_keep() -> None:
    """[4.1.8]: in an untimed game it ends turns, and that is all."""
    for options in ({}, {"event_kind": "open"}):
        table = Table(7, rule_set="usbgf-2017-07", **options).clock(0, 0, "non_expiring")
        assert "clock-terms" not in table.codes


@pytest.mark.parametrize(
    ("reading", "lean"), [("as_set", "reserve_ms 840000, delay_ms 12000"), ("director_sets", None)]
)
def test_no_text_in_hand_states_bibas_clock_terms(reading: str, lean: str | None) -> None:
    """What is known of its Clock Rules is a leaning; a ruling settles reserve and free time."""
    kinds = {} if lean else {"event_kind": "doubles"}
    table = Table(7, rule_set="biba-2014", **kinds).clock()
    (asked,) = table.replay.open_questions
    assert asked.ruling_required is not None
    assert (asked.section, asked.ruling_required.reason) == ("ClkR", "not_in_hand")
    assert asked.ruling_required.lean == lean
    question = dispute.Question(topic="clock.terms", at=asked.entry_id)
    answer = dispute.Answer(question=question, reading=reading)
    timing = table.record(dispute.RulingMade(answers=(answer,))).state.judged.timing
    assert timing.terms is not None
    assert timing.delay is not None
    assert (timing.terms.outcome, timing.delay.outcome) == (reading, reading)


@pytest.mark.parametrize(
    ("rule_set", "options", "sides", "clock_kind", "is_missed"),
    [
        ("usbgf-2017-07", {}, 2, None, True),
        ("usbgf-2017-07", {}, 2, "non_expiring", True),
        ("usbgf-2017-07", {}, 2, "simple", False),
        ("usbgf-2017-07", {"event_kind": "doubles"}, 1, None, True),
        ("usbgf-2017-07", {"event_kind": "open"}, 1, None, False),
        ("usbgf-2017-07", {"clock_use": "option"}, 2, None, False),
        ("usbgf-2017-07", {"clock_use": "obligation"}, 1, None, True),
        ("usbgf-2017-09", {"gaps_from": "usbgf-2017-07"}, 2, None, True),
        ("usbgf-2017-09", {}, 2, None, False),
        ("biba-2014", {"clock_use": "obligation"}, 1, None, True),
        ("biba-2014", {}, 2, None, False),
        ("fcbg-tournament", {}, 2, None, False),
        ("common", {}, 2, None, False),
    ],
)
def test_play_without_a_clock_where_one_is_an_obligation(
    rule_set: str, options: dict[str, Any], sides: int, clock_kind: str | None, is_missed: bool
) -> None:
    facts = {"match_length_points": 7, "players_per_side": sides}
    table = ClockTable(facts, rule_set, options)
    if clock_kind is not None:
        table.clock(1_260, 15, clock_kind)
    table.game().turns(2).won("one", 1).game().turns(2)
    assert table.codes.count("clock-missing") == is_missed


def test_a_clock_set_anew_in_the_middle_is_not_introduced_then() -> None:
    table = Table(7, rule_set="usbgf-2017-07").clock().score_is(2, 1).clock(600)
    assert table.codes == ["score-restated"]


def test_under_no_rule_set_an_ordinary_clock_raises_nothing() -> None:
    table = Table(7).clock().game().turns(2)
    for reason in ("game_over", "break", "dispute", None):
        table.record(clock.ClockPaused(reason=reason)).record(clock.ClockResumed())
    assert table.codes == []


@pytest.mark.parametrize(
    ("rule_set", "reason", "outcome"),
    [
        ("usbgf-2017-07", "dispute", "must_stop"),
        ("usbgf-2017-07", "die_on_floor", "may_stop"),
        ("usbgf-2017-07", "telephone", "ruling_required"),
        ("biba-2014", "director_called", "ruling_required"),
        ("biba-2014", "dispute", "ruling_required"),
        ("common", "dispute", "ruling_required"),
    ],
)
def test_who_may_stop_the_clock(rule_set: str, reason: str, outcome: str) -> None:
    paused = clock.ClockPaused(reason=reason)
    answer = Table(7, rule_set=rule_set).clock().record(paused).state.judged.timing.answer
    assert answer is not None
    assert answer.outcome == outcome


def test_whoever_forgot_to_press_gets_back_what_he_lost() -> None:
    table = Table(7, rule_set="usbgf-2017-07").clock()
    table.record(clock.ClockRead(readings=shows(800_000)))
    fault = clock.ClockFaultNoticed(
        kind=clock.ClockFault.NOT_PRESSED,
        seat=Seat.ONE,
        since=table.last,
        readings=shows(770_000),
    )
    answer = table.record(fault).state.judged.timing.answer
    assert answer is not None
    assert (answer.outcome, answer.details["restore_ms"]) == ("restore", 30_000)
    assert table.found[-1] == "clock-fault"
    unknown = msgspec.structs.replace(fault, since=None)
    answer = table.record(unknown).state.judged.timing.answer
    assert answer is not None
    assert answer.details["restore_ms"] is None
    wrong = clock.ClockFaultNoticed(kind=clock.ClockFault.WRONG_SETTING)
    answer = table.record(wrong).state.judged.timing.answer
    assert answer is not None
    assert answer.outcome == "rectify"


@pytest.mark.parametrize(("at_ms", "lost_ms"), [(40_000, 95_000), (5_000, 123_000), (None, None)])
def test_what_was_thought_before_the_play_is_not_lost_by_not_pressing(
    at_ms: int | None, lost_ms: int | None
) -> None:
    """[4.1.8] gives back what ran off since the failure: since the play, not since the turn."""
    table = Table(7, rule_set="usbgf-2017-07").game().clock(840, 12).opening(3, 1)
    table.play("one", "8/5 6/5", at_ms=at_ms)
    kind, since = clock.ClockFault.NOT_PRESSED, table.last
    fault = clock.ClockFaultNoticed(kind=kind, seat=Seat.ONE, since=since, at_ms=135_000)
    answer = table.record(fault).state.judged.timing.answer
    assert answer is not None
    assert (answer.outcome, answer.details["restore_ms"]) == ("restore", lost_ms)
    # How much it was or not, a flag is not lost by what is to be given back.
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.ONE, readings=shows(0)))
    assert table.state.judged.outcome.winner is None
    assert "flag-noticed" in table.found


@pytest.mark.parametrize(
    ("rule_set", "whose", "first", "outcome", "loser"),
    [
        ("usbgf-2017-07", "two", None, "match_lost", "two"),
        ("usbgf-2017-07", "both", "one", "match_lost", "one"),
        ("usbgf-2017-07", "both", None, "ruling_required", None),
        ("usbgf-2017-07", "unknown", None, "ruling_required", None),
        ("biba-2014", "one", None, "ruling_required", None),
        ("common", "one", None, "ruling_required", None),
    ],
)
def test_what_a_noticed_flag_costs(
    rule_set: str, whose: str, first: str | None, outcome: str, loser: str | None
) -> None:
    noticed = clock.ClockFlagNoticed(
        whose=clock.Flag(whose), first=None if first is None else clock.Flag(first)
    )
    table = Table(7, rule_set=rule_set).clock().game().turns(2).record(noticed)
    answer = table.state.judged.timing.answer
    assert answer is not None
    assert (answer.outcome, answer.details.get("loser")) == (outcome, loser)
    assert table.found.count("flag-noticed") == 1


def without_a_clock() -> Table:
    return Table(7, rule_set="usbgf-2017-07").game().turns(2)


def with_time_left_by_the_presses() -> Table:
    table = Table(7, rule_set="usbgf-2017-07").clock().game().turns(2)
    return table.press("one", 20).press("two", 40)


@pytest.mark.parametrize(
    ("table", "readings"),
    [
        (without_a_clock(), None),
        (without_a_clock().clock(kind="non_expiring"), None),
        (without_a_clock().clock(), shows(500_000, 60_000)),
        (with_time_left_by_the_presses(), None),
    ],
)
def test_a_flag_that_the_record_contradicts_is_a_question(table: Table, readings: Any) -> None:
    """The notice and the record contradict each other: neither decides the match."""
    table = table.record(clock.ClockFlagNoticed(whose=clock.Flag.TWO, readings=readings))
    assert table.state.judged.outcome.is_open
    [question] = table.replay.open_questions
    assert question.ruling_required is not None
    assert (question.code, question.ruling_required.readings) == (
        "flag-noticed",
        ("match_lost", "play_on"),
    )


def test_a_flag_within_the_second_that_a_face_does_not_show_is_none_against_the_record() -> None:
    noticed = clock.ClockFlagNoticed(whose=clock.Flag.TWO, readings=shows(500_000, 999))
    table = without_a_clock().clock().record(noticed)
    assert table.state.judged.outcome.winner is Seat.ONE


def test_a_text_leans_to_nothing_where_the_record_is_against_the_flag() -> None:
    noticed = clock.ClockFlagNoticed(whose=clock.Flag.TWO)
    for table, lean in ((Table(7).clock(), "match_lost"), (Table(7), None)):
        answer = replay(table.record(noticed).events, "biba-2014").state.judged.timing.flagged
        assert answer is not None
        assert (answer.ambiguity, answer.lean) == ("AMB-K4", lean)


def test_a_claim_with_contact_or_by_the_other_saves_nothing() -> None:
    noticed = clock.ClockFlagNoticed(whose=clock.Flag.ONE)
    table = Table(7, rule_set="usbgf-2017-07", score=(6, 0)).clock().game().turns(2)
    table.record(noticed)
    for seat in Seat:
        claim = ending.ClaimMade(seat=seat, kind=ending.ClaimKind.GAME_AND_MATCH)
        answer = table.record(claim).state.judged.timing.answer
        assert answer is not None
        assert answer.outcome == "match_lost"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(SHELF)),
    st.integers(1, 25),
    st.integers(0, 10),
    st.sampled_from([None, "open", "other_skill", "doubles", "other"]),
)
def test_no_rule_set_allots_more_to_a_match_begun_than_to_a_whole_one(
    rule_set: str, length: int, played: int, kind: str | None
) -> None:
    played = min(played, length - 1)
    options = {} if kind is None else {"event_kind": kind}
    whole = Table(length, rule_set=rule_set, **options).clock()
    begun = Table(length, rule_set=rule_set, score=(played, 0), **options).clock()
    first, later = (table.state.judged.timing.terms for table in (whole, begun))
    assert first is not None
    assert later is not None
    if not first.is_open and not later.is_open:
        assert later.details["reserve_ms"] <= first.details["reserve_ms"]
        assert later.details["delay_ms"] == first.details["delay_ms"]


def test_a_match_opened_says_how_many_play_on_a_side() -> None:
    side = (Player(), Player())
    opened = match.MatchOpened(players=BySeat(side, side), length=5, rule_set="usbgf-2017-07")
    answer = Table(is_opened=False).record(opened).clock().state.judged.timing.terms
    assert answer is not None
    assert answer.details["use"] == "obligation"


def test_a_flag_of_which_nobody_knows_whose_it_is_reads_as_such() -> None:
    table = Table(7, rule_set="usbgf-2017-07").game().clock().turns(1)
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.UNKNOWN))
    told = [one.message for one in table.findings if one.code == "flag-noticed"]
    assert len(told) == 1
    assert told[0].startswith("the reserve of one of the players is noticed to have run out")
