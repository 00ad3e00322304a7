"""Lateness, breaks and penalty points: how the shared cases are told, our own, and laws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.envelope import Basis
from events.payloads import attendance, corrections, dispute, match, penalty
from events.payloads.attendance import DelayKind
from events.payloads.base import Actor, Option, RuleReference
from events.payloads.penalty import PenaltyGround
from events.values import BySeat, Seat
from projections.judging.accounts import Account, Excuse, Late
from projections.judging.penalty_points import IN_SCORE, POINTS
from projections.replay import Replay, replay
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.calls import calls_of
from tests.projections.table import Table

DRAFT, BIBA, FCBG = "usbgf-2017-07", "biba-2014", "fcbg-tournament"
SCALED = (DRAFT, BIBA, FCBG)


def arrived(table: Table, seat: str, late_s: float) -> Table:
    return table.record(attendance.PlayerArrived(seat=Seat(seat), at_ms=int(late_s * 1_000)))


def late(late_s: float, rule_set: str | None, length: int | None = 25, seat: str = "one") -> Table:
    """One late start; the other was there in time."""
    table = arrived(Table(length, rule_set=rule_set), Seat(seat).other.value, 0)
    return arrived(table, seat, late_s)


def overrun(table: Table, seat: str, late_s: float) -> Table:
    noted = attendance.DelayNoted(
        seat=Seat(seat), kind=DelayKind.BREAK, excess_ms=int(late_s * 1_000)
    )
    return table.record(noted)


def takes_break(table: Table, seat: str, began_s: float, lasted_s: float | None) -> Table:
    began_ms = int(began_s * 1_000)
    table.record(attendance.BreakStarted(seats=(Seat(seat),), at_ms=began_ms))
    if lasted_s is None:
        return table
    return table.record(attendance.BreakEnded(at_ms=began_ms + int(lasted_s * 1_000)))


def answer_of(shown: Replay, seat: str = "one") -> Answer | None:
    return shown.state.judged.penalties.accounts[Seat(seat)].answer


def points_of(shown: Replay, seat: str = "one") -> int:
    answer = answer_of(shown, seat)
    assert answer is not None
    points: int = answer.details["penalty_points"]
    return points


def in_ms(expect: Mapping[str, Any]) -> dict[str, Any]:
    """What a case expects, its seconds as milliseconds."""
    told: dict[str, Any] = {}
    for key, value in expect.items():
        if isinstance(value, Mapping):
            told[key] = in_ms(value)
        elif key.endswith("_s"):
            told[f"{key[:-2]}_ms"] = value * 1_000
        else:
            told[key] = value
    return told


def told(given: dict[str, Any], rule_set: str | None) -> Table:
    """The events of a case."""
    given = dict(given)
    length = given.pop("match_length_points")
    table = Table(is_opened=False)
    options = {}
    if (posted := given.pop("posted_policy", None)) is not None:
        assert set(posted) == {"first_after_s", "step_s"}
        value = {f"{key[:-2]}_ms": seconds * 1_000 for key, seconds in posted.items()}
        options["penalty_scale"] = Option(
            value=value, declared_by=Actor.DIRECTOR, posted="in advance"
        )
    opened = match.MatchOpened(
        players=BySeat((), ()), length=length, rule_set=rule_set, options=options
    )
    table.record(opened)
    delays = given.pop("delays", [])
    starts = {one["player"]: one["late_s"] for one in delays if one["kind"] == "start"}
    if given.pop("permission_given_beforehand", False):
        (seat,) = starts
        table.record(attendance.DelayExcused(seat=Seat(seat), given_at_ms=-3_600_000))
    for seat in sorted(Seat, key=lambda one: starts.get(one.value, 0)):
        arrived(table, seat.value, starts.get(seat.value, 0))
    if (slow := given.pop("slow_play_penalty_points", None)) is not None:
        (seat,) = starts
        table.record(penalty.SlowPlayWarned(seat=Seat(seat)))
        table.record(
            penalty.PenaltyAssessed(seat=Seat(seat), points=slow, ground=PenaltyGround.SLOW_PLAY)
        )
    overruns = [one for one in delays if one["kind"] != "start"]
    breaks, played_s = given.pop("breaks", []), given.pop("played_s", None)
    if overruns or breaks or played_s is not None:
        table.record(match.GameStarted(at_ms=0)).won("two", 1)
    for one in overruns:
        assert one["kind"] == "break_overrun"
        overrun(table, one["player"], one["late_s"])
    for one in breaks:
        takes_break(table, one["player"], 5_400, one["duration_s"])
    if played_s is not None:
        takes_break(table, "one", played_s, None)
    assert not given, f"keys without a meaning: {given}"
    return table


# Our own, in our own words: a clone without the shared folder holds these.


def test_a_waiver_takes_back_the_points_that_it_names_and_no_others() -> None:
    table = Table(25, rule_set=BIBA).record(penalty.PenaltyAssessed(seat=Seat.ONE, points=2))
    first = table.last
    table.record(penalty.PenaltyAssessed(seat=Seat.ONE, points=3))
    account = table.record(penalty.PenaltyWaived(target=first)).state.judged.penalties.accounts.one
    assert [(one.entry_id == first, one.points) for one in account.assessed] == [
        (True, 0),
        (False, 3),
    ]


def test_who_comes_late_from_a_break_was_not_late_for_the_start() -> None:
    table = Table(25, rule_set=BIBA)
    table.record(attendance.DelayNoted(seat=Seat.ONE, kind=DelayKind.START, excess_ms=59_999))
    account = overrun(table, "one", 600).state.judged.penalties.accounts.one
    assert (account.is_late, account.late_for_start()) == (False, 0)


@pytest.mark.parametrize(
    ("minutes", "draft", "biba", "fcbg"),
    [(4, 0, 0, 0), (7, 0, 1, 0), (12, 1, 2, 0), (17, 2, 3, 1), (31, 5, 6, 4), (61, 11, 12, 10)],
)
def test_points_by_minutes(minutes: int, draft: int, biba: int, fcbg: int) -> None:
    events = late(60 * minutes, None).events
    assert [points_of(replay(events, one)) for one in SCALED] == [draft, biba, fcbg]


@pytest.mark.parametrize(("rule_set", "first_s"), [(DRAFT, 600), (BIBA, 300), (FCBG, 900)])
def test_a_threshold_counts_when_it_is_reached_and_is_flagged(rule_set: str, first_s: int) -> None:
    for seconds, points in ((first_s, 1), (first_s + 300, 2)):
        before = late(seconds - 0.001, rule_set).replay
        assert points_of(before) == points - 1
        assert all(finding.ambiguity is None for finding in before.findings)
        at = late(seconds, rule_set)
        assert points_of(at.replay) == points
        assert at.findings[-1].ambiguity == "AMB-N1"
        assert late(seconds + 0.001, rule_set).findings[-1].ambiguity is None


@pytest.mark.parametrize(
    ("length", "points", "forfeits"),
    [(1, 1, True), (2, 1, False), (3, 2, True), (8, 4, False), (8, 5, True), (9, 5, True)],
)
def test_points_forfeit_above_half_the_length(length: int, points: int, forfeits: bool) -> None:
    for rule_set, first_s in ((DRAFT, 600), (BIBA, 300), (FCBG, 900)):
        table = late(first_s + 300 * (points - 1) + 1, rule_set, length)
        assert points_of(table.replay) == points
        assert ("penalty-forfeit" in table.found) is forfeits


@pytest.mark.parametrize(
    ("rule_set", "reason"),
    [("usbgf-2017-09", "not_in_hand"), ("common", "silent"), ("fcbg-club", "ambiguous")],
)
def test_where_no_text_gives_a_scale_a_person_is_asked(rule_set: str, reason: str) -> None:
    table = late(1_200, rule_set)
    (finding,) = table.findings
    assert finding.ruling_required is not None
    assert finding.ruling_required.topic == POINTS
    assert finding.ruling_required.reason == reason
    assert (finding.code, finding.seat) == ("penalty-question", Seat.ONE)
    suggest = DRAFT if rule_set == "usbgf-2017-09" else None
    assert rule_set == "fcbg-club" or finding.ruling_required.suggest == suggest


def test_the_draft_may_be_adopted_for_the_gaps() -> None:
    table = Table(7, rule_set="usbgf-2017-09", gaps_from=DRAFT)
    shown = arrived(table, "one", 720).replay
    (finding,) = shown.findings
    assert (finding.code, finding.verified, points_of(shown)) == ("penalty-points", False, 1)


def test_who_comes_in_time_draws_nothing() -> None:
    for rule_set in SHELF:
        table = arrived(arrived(Table(7, rule_set=rule_set), "one", -60), "two", 0)
        assert table.codes == []
        assert table.state.judged.penalties.answer is None


def test_a_moment_raises_no_question() -> None:
    for rule_set in SHELF:
        table = arrived(arrived(Table(7, rule_set=rule_set), "one", 5), "two", 45)
        assert table.codes == []
    strict = {"first_after_ms": 30_000, "step_ms": 60_000}
    table = arrived(Table(7, rule_set=DRAFT, penalty_scale=strict), "one", 45)
    assert points_of(table.replay) == 1


def test_moments_add_up() -> None:
    table = late(50, DRAFT)
    assert points_of(overrun(table, "one", 550).replay) == 1


def test_without_an_appointed_start_a_player_is_late_from_the_call() -> None:
    table = Table(7, rule_set=BIBA)
    table.record(attendance.PlayerCalled(seat=Seat.ONE, at_ms=1_800_000))
    assert points_of(arrived(table, "one", 1_800 + 420).replay) == 1


def test_only_the_first_arrival_is_a_start() -> None:
    table = arrived(late(0, DRAFT), "one", 3_600)
    assert table.codes == []


def test_an_overrun_counts_once_where_its_break_is_recorded_too() -> None:
    table = Table(11, rule_set=DRAFT).record(match.GameStarted(at_ms=0)).won("two", 1)
    takes_break(table, "one", 3_600, 1_000)
    assert table.findings[-1].ambiguity == "AMB-N9"
    overrun(table, "one", 640)
    assert points_of(table.replay) == 1


@pytest.mark.parametrize(
    ("rule_set", "kept", "over"),
    [(DRAFT, 500, 600), (BIBA, 600, 640), (FCBG, 300, 301)],
)
def test_breaks_within_the_allowance_are_no_matter(rule_set: str, kept: int, over: int) -> None:
    for seconds, is_asked_about in ((kept, False), (over, True)):
        table = Table(11, rule_set=rule_set).record(match.GameStarted(at_ms=0)).won("two", 1)
        takes_break(table, "one", 5_400, seconds)
        assert ("penalty-question" in table.found) is is_asked_about


def test_a_recess_too_many() -> None:
    table = Table(11, rule_set=FCBG).record(match.GameStarted(at_ms=0)).won("two", 1)
    takes_break(takes_break(table, "one", 3_600, 200), "one", 7_200, 200)
    assert table.findings[-1].ambiguity == "AMB-N3"
    table = Table(11, rule_set=BIBA).record(match.GameStarted(at_ms=0)).won("two", 1)
    for number in range(2):
        takes_break(table, "one", 3_600 * (number + 1), 200)
        assert table.found == []
    takes_break(table, "one", 9_000, 200)
    assert table.found == ["penalty-question"]


def test_a_break_under_common_rules_is_asked_about_once() -> None:
    table = takes_break(takes_break(Table(7), "one", 60, None), "two", 120, None)
    assert table.codes == ["break-allowance"]


@pytest.mark.parametrize(
    ("rule_set", "before", "after"),
    [(DRAFT, "discretion", "discretion"), (BIBA, 0, "discretion"), (FCBG, 0, 0)],
)
def test_an_excuse(rule_set: str, before: object, after: object) -> None:
    excused = attendance.DelayExcused(seat=Seat.ONE)
    for is_before, expected in ((True, before), (False, after)):
        table = Table(7, rule_set=rule_set)
        if is_before:
            table.record(excused)
        arrived(table, "one", 1_200)
        if not is_before:
            table.record(excused)
        answer = answer_of(table.replay)
        assert answer is not None
        assert (answer.reason or answer.details["penalty_points"]) == expected


def test_an_excuse_of_the_opponents_is_none() -> None:
    table = Table(7, rule_set=FCBG)
    table.record(attendance.DelayExcused(seat=Seat.ONE, by=Actor.TWO))
    assert points_of(arrived(table, "one", 1_200).replay) == 2


@pytest.mark.parametrize("rule_set", SCALED)
@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_of_two_who_are_late_each_draws_what_his_own_delay_costs(
    rule_set: str, order: tuple[str, str]
) -> None:
    """Whoever came first: every text speaks of whoever is late, and no text of the other."""
    delays_s = {order[0]: 1_010, order[1]: 1_330}
    table = Table(25, rule_set=rule_set)
    for seat, late_s in delays_s.items():
        arrived(table, seat, late_s)
    for seat, late_s in delays_s.items():
        alone = late(late_s, rule_set, seat=seat).replay
        assert answer_of(table.replay, seat) == answer_of(alone, seat)
    assert table.replay.open_questions == []


@pytest.mark.parametrize(
    ("rule_set", "late_s"),
    [(DRAFT, (1_501, 1_620)), (BIBA, (1_210, 1_202)), (FCBG, (1_801, 3_600))],
)
def test_where_both_come_too_late_nobody_has_won_until_it_is_ruled(
    rule_set: str, late_s: tuple[int, int]
) -> None:
    """Not even whoever came later, although the other had lost to him when he came."""
    first, last = sorted(("one", "two"), key=lambda seat: late_s[seat == "two"])
    table = arrived(Table(7, rule_set=rule_set), first, min(late_s))
    assert table.state.judged.outcome.winner is Seat(last)
    arrived(table, last, max(late_s))
    (finding,) = table.replay.open_questions
    assert (finding.ambiguity, finding.seat) == ("AMB-N4", None)
    assert finding.message.startswith("both come so late that each forfeits")
    assert answer_of(table.replay, "one") == answer_of(table.replay, "two")
    assert table.state.judged.outcome.is_open
    # Nor where each is ruled to forfeit, though the points of one may enter the other's score.
    rule(table, POINTS, "each", None)
    assert table.found == ["penalty-forfeit", "penalty-forfeit"]
    assert table.state.judged.outcome.is_open


@pytest.mark.parametrize("kind", [None, attendance.DelayKind.START])
def test_where_one_of_both_is_excused_later_the_other_has_come_late_alone(
    kind: attendance.DelayKind | None,
) -> None:
    table = arrived(arrived(Table(7, rule_set=FCBG), "one", 1_800), "two", 1_800)
    table.record(attendance.DelayExcused(seat=Seat.ONE, kind=kind))
    assert (table.state.judged.penalties.points.two, table.found[-2:]) == (
        4,
        ["penalty-forfeit", "match-decided"],
    )
    assert table.state.judged.outcome.winner is Seat.ONE
    # The excuse has answered what was asked of both.
    assert [one.seat for one in table.replay.open_questions if one.seat is None] == []


@pytest.mark.parametrize("rule_set", [DRAFT, BIBA])
def test_an_excuse_that_is_a_question_itself_decides_no_match_in_which_both_came_late(
    rule_set: str,
) -> None:
    table = arrived(arrived(Table(7, rule_set=rule_set), "one", 1_800), "two", 1_800)
    table.record(attendance.DelayExcused(seat=Seat.ONE))
    assert table.state.judged.outcome.is_open
    assert "AMB-N4" in [one.ambiguity for one in table.replay.open_questions]


def test_points_that_came_too_late_for_a_score_are_not_taken_off_it_when_excused() -> None:
    """FCBG: 3-0 won by games; the late start was noted afterwards, and then excused."""
    table = Table(3, rule_set=FCBG).game().won("one", 3)
    assert table.state.match_score == BySeat(3, 0)
    late_start = attendance.DelayNoted(seat=Seat.TWO, kind=DelayKind.START, excess_ms=1_800_000)
    table.record(late_start).record(attendance.DelayExcused(seat=Seat.TWO))
    assert table.state.match_score == BySeat(3, 0)
    assert table.state.judged.outcome.winner is Seat.ONE


def test_an_excused_start_is_drawn_no_more_though_another_question_is_open() -> None:
    """FCBG: 4 points for the start; what a late resumption costs is open (AMB-N3)."""
    table = late(1_800, FCBG)
    resumed = attendance.DelayNoted(seat=Seat.ONE, kind=DelayKind.RESUMPTION, excess_ms=300_000)
    table.record(resumed)
    assert table.state.judged.penalties.points.one == 4
    table.record(attendance.DelayExcused(seat=Seat.ONE, kind=DelayKind.START))
    assert table.state.judged.penalties.points.one == 0
    assert table.state.match_score == BySeat(0, 0)
    assert [one.ambiguity for one in table.replay.open_questions] == ["AMB-N3"]


def test_an_excuse_is_found_by_its_kind_however_many_there_are() -> None:
    """Each delay is judged at each later delay: many of both would take hours."""

    class Resumed:
        @property
        def kind(self) -> str:
            return attendance.DelayKind.RESUMPTION.value

    account, late_from_break = Account(), Late(attendance.DelayKind.BREAK.value, 1_000, 200)
    for _ in range(200):
        account = account.excused(cast("Excuse", Resumed()), Table(7, rule_set=DRAFT).replay.rules)
    assert calls_of(lambda: account.excuse_of(late_from_break, 0)) < 5


def test_points_waived_beside_an_open_question_leave_what_was_told_before() -> None:
    """Three points by the scale, excused afterwards: whether that counts [2.2] leaves open."""
    table = excused_late(DRAFT, 1_200)
    assert table.state.judged.penalties.points.one == 3
    assess(table, 2, ground=PenaltyGround.CONDUCT)
    assert table.state.judged.penalties.points.one == 5
    table.record(penalty.PenaltyWaived(target=table.last))
    assert table.state.judged.penalties.points.one == 3


def assess(table: Table, points: int, **members: Any) -> Table:
    return table.record(penalty.PenaltyAssessed(seat=Seat.ONE, points=points, **members))


def test_what_is_assessed_for_the_same_delay_is_not_added() -> None:
    table = assess(late(720, DRAFT), 1, ground=PenaltyGround.LATE_START)
    assert (points_of(table.replay), table.found) == (1, [])
    assess(table, 2, ground=PenaltyGround.LATE_START)
    assert (points_of(table.replay), table.found) == (3, ["penalty-points", "penalty-differs"])


def test_a_waiver_takes_points_back() -> None:
    table = assess(late(1_200, DRAFT), 3, ground=PenaltyGround.LATE_START)
    target = table.last
    table.record(penalty.PenaltyWaived(target=target, points=1))
    assert points_of(table.replay) == 2
    table.record(penalty.PenaltyWaived(target=target))
    assert points_of(table.replay) == 0
    assert table.findings[-1].message.startswith("0 penalty points against player one")


@pytest.mark.parametrize(("rule_set", "question"), [(DRAFT, None), (BIBA, "AMB-N8")])
def test_points_for_slow_play_are_doubtful_where_they_forfeit(
    rule_set: str, question: str | None
) -> None:
    slow = {"ground": PenaltyGround.SLOW_PLAY}
    assert points_of(assess(late(900, rule_set), 1, **slow).replay) in (3, 4)
    table = assess(late(900, rule_set, 7), 3, **slow)
    assert table.findings[-1].code == "penalty-question"
    assert table.findings[-1].ambiguity == question
    assert "whether those that are for no delay count" in table.findings[-1].message


def test_half_of_what_is_needed_in_mid_match_is_flagged() -> None:
    """AMB-N2: three points are not half of 7, and more than half of the two still needed."""
    table = Table(7, rule_set=FCBG).score_is(0, 0)
    assert arrived(table, "one", 1_500).findings[-1].ambiguity == "AMB-N1"
    table = Table(7, rule_set=FCBG).score_is(5, 0)
    assert arrived(table, "one", 1_501).findings[-1].ambiguity == "AMB-N2"


def declares_forfeit(table: Table, total: int | None) -> Table:
    declared = penalty.ForfeitDeclared(
        seat=Seat.ONE, ground=PenaltyGround.LATE_START, total=total, length=7
    )
    return table.record(declared)


def test_a_forfeit_declared_is_compared() -> None:
    assert declares_forfeit(late(1_500, DRAFT, 7), 4).found == []
    assert declares_forfeit(late(1_500, DRAFT, 7), 5).found == ["penalty-differs"]
    assert declares_forfeit(late(1_499, DRAFT, 7), None).found == ["penalty-differs"]
    assert declares_forfeit(late(1_499, None, 7), None).found == []


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("ground", [PenaltyGround.LATE_START, PenaltyGround.OTHER])
@pytest.mark.parametrize(("total", "length"), [(3, 7), (4, 7), (4, 8), (5, 8), (None, 7)])
def test_a_forfeit_for_a_total_not_above_half_is_found_without_any_delay_on_record(
    rule_set: str, ground: PenaltyGround, total: int | None, length: int
) -> None:
    declared = penalty.ForfeitDeclared(seat=Seat.ONE, ground=ground, total=total)
    table = Table(length, rule_set=rule_set).record(declared)
    is_enough = total is None or 2 * total > length
    # The others have no scale in hand that counts: a declared forfeit is the Director's word.
    assert table.found == ([] if is_enough or rule_set not in SCALED else ["penalty-differs"])
    assert table.state.judged.outcome.winner is Seat.TWO


def test_a_forfeit_for_too_few_points_is_found_beside_an_open_question_on_breaks() -> None:
    table = takes_break(
        Table(7, rule_set=BIBA).record(match.GameStarted(at_ms=0)), "one", 60, 2_000
    )
    assert table.found == ["penalty-question"]
    assert declares_forfeit(table, 3).found == ["penalty-differs"]


def test_both_scores_are_shown() -> None:
    table = late(720, DRAFT, 7)
    (finding,) = table.findings
    assert "the score is 0-0, and 0-1 if the points enter it" in finding.message
    own, entered = table.state.judged.penalties.both_scores(BySeat(3, 2))
    assert (tuple(own), tuple(entered)) == ((3, 2), (3, 3))
    entering = assess(Table(7, rule_set=DRAFT), 1, enters_score=True)
    own, entered = entering.state.judged.penalties.both_scores(BySeat(3, 2))
    assert (tuple(own), tuple(entered)) == ((3, 3), (3, 3))


def test_points_for_time_and_slow_play_are_awarded_to_the_opponent_under_fcbg() -> None:
    """PENALTY POINTS/T, SLOW PLAY/T: they are in his score, and may end the match."""
    table = Table(7, rule_set=FCBG).score_is(0, 5)
    arrived(arrived(table, "two", 0), "one", 1_000)
    judged = table.state.judged.penalties
    assert (judged.entering.one, judged.undecided.one) == (1, 0)
    table.record(penalty.SlowPlayWarned(seat=Seat.ONE))
    assess(table, 1, ground=PenaltyGround.SLOW_PLAY)
    outcome = table.state.judged.outcome
    assert (outcome.winner, outcome.by) == (Seat.TWO, "penalty_points")
    assert table.replay.open_questions == []


def test_points_for_conduct_are_awarded_to_nobody_under_fcbg() -> None:
    table = assess(Table(7, rule_set=FCBG).score_is(0, 6), 1, ground=PenaltyGround.CONDUCT)
    (finding,) = table.replay.open_questions
    assert (finding.code, finding.ambiguity) == ("penalty-in-score", "AMB-N5")
    assert table.state.judged.outcome.is_open


def test_points_that_the_director_keeps_out_of_the_score_stay_out_under_fcbg() -> None:
    table = Table(7, rule_set=FCBG).record(penalty.SlowPlayWarned(seat=Seat.ONE))
    assess(table, 2, ground=PenaltyGround.SLOW_PLAY, enters_score=False)
    judged = table.state.judged.penalties
    assert (judged.points.one, judged.entering.one, judged.undecided.one) == (2, 0, 0)


@pytest.mark.parametrize(
    ("rule_set", "slow", "conduct"),
    [(DRAFT, "[1]", "[1.2]"), (BIBA, "2.4", "St. 5"), (FCBG, "SLOW PLAY/T", "INTERPRETATION")],
)
def test_points_for_other_than_delays_cite_what_speaks_of_their_ground(
    rule_set: str, slow: str, conduct: str
) -> None:
    for ground, section in ((PenaltyGround.SLOW_PLAY, slow), (PenaltyGround.CONDUCT, conduct)):
        table = Table(25, rule_set=rule_set).record(penalty.SlowPlayWarned(seat=Seat.ONE))
        (finding,) = assess(table, 1, ground=ground).findings
        assert (finding.rule_set, finding.section) == (rule_set, section)
        table = late(1_000, rule_set).record(penalty.SlowPlayWarned(seat=Seat.ONE))
        finding = assess(table, 1, ground=ground).findings[-1]
        assert (finding.code, finding.section) == ("penalty-points", section)


@pytest.mark.parametrize("ground", list(PenaltyGround))
def test_points_cite_the_rule_that_their_entry_names(ground: PenaltyGround) -> None:
    rule = RuleReference(rule_set="club-rules", section="12a")
    for rule_set in SCALED:
        table = Table(25, rule_set=rule_set).record(penalty.SlowPlayWarned(seat=Seat.ONE))
        (finding,) = assess(table, 1, ground=ground, rule=rule).findings
        assert (finding.code, finding.rule_set, finding.section) == (
            "penalty-points",
            "club-rules",
            "12a",
        )


@pytest.mark.parametrize(
    ("rule_set", "section"),
    [(BIBA, "2.4"), (FCBG, "SLOW PLAY/T"), (DRAFT, None), ("common", None), ("fcbg-club", None)],
)
def test_points_for_slow_play_without_a_warning_are_told(
    rule_set: str, section: str | None
) -> None:
    def told_of(table: Table) -> list[str]:
        slow = assess(table, 1, ground=PenaltyGround.SLOW_PLAY)
        return [one.section for one in slow.findings if one.code == "slow-play-not-warned"]

    assert told_of(Table(25, rule_set=rule_set)) == ([] if section is None else [section])
    other = penalty.SlowPlayWarned(seat=Seat.TWO)
    assert bool(told_of(Table(25, rule_set=rule_set).record(other))) is (section is not None)
    by_opponent = penalty.SlowPlayWarned(seat=Seat.ONE, by=Actor.TWO)
    assert bool(told_of(Table(25, rule_set=rule_set).record(by_opponent))) is (section is not None)
    warned = penalty.SlowPlayWarned(seat=Seat.ONE)
    assert told_of(Table(25, rule_set=rule_set).record(warned)) == []


@pytest.mark.parametrize(
    ("posted", "late_s", "is_asked_about"),
    [((900, 300), 720, True), ((900, 300), 300, False), ((300, 900), 500, False)],
)
def test_a_posted_scale_that_is_laxer_than_the_text_is_a_question(
    posted: tuple[int, int], late_s: int, is_asked_about: bool
) -> None:
    first_s, step_s = posted
    scale = {"first_after_ms": first_s * 1_000, "step_ms": step_s * 1_000}
    for reading, points in (("as_posted", 0), ("of_the_text", 1)):
        table = arrived(Table(25, rule_set=DRAFT, penalty_scale=scale), "two", 0)
        arrived(table, "one", late_s)
        assert ("penalty-question" in table.found) is is_asked_about
        if is_asked_about:
            rule(table, POINTS, reading)
            assert points_of(table.replay) == points


@pytest.mark.parametrize(("rule_set", "late_s", "lean"), [(DRAFT, 720, None), (BIBA, 320, None)])
def test_whether_points_enter_the_score_is_asked_where_it_ends_the_match(
    rule_set: str, late_s: int, lean: str | None
) -> None:
    table = Table(7, rule_set=rule_set).score_is(0, 5)
    arrived(arrived(table, "two", 0), "one", late_s)
    assert table.found == ["penalty-points"]
    table.game().won("two", 1).game()
    (finding,) = [one for one in table.replay.findings if one.code == "penalty-in-score"]
    assert (finding.ambiguity, finding.seat) == ("AMB-N5", Seat.ONE)
    assert finding.ruling_required is not None
    assert finding.ruling_required.lean == lean
    question = dispute.Question(topic=IN_SCORE, at=finding.entry_id, seat=Seat.ONE)
    for reading, entering in (("opponents_score", True), ("own_ledger", False)):
        answer = dispute.Answer(question=question, reading=reading)
        ruled = Table(is_opened=False)
        ruled.events = list(table.events)
        ruled.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
        judged = ruled.state.judged.penalties
        assert judged.undecided.one == 0
        assert (judged.entering.one > 0) is entering
        assert not [one for one in ruled.replay.open_questions if one.code == "penalty-in-score"]


@pytest.mark.parametrize("rule_set", [BIBA, FCBG])
def test_a_question_about_a_break_tells_of_the_break_beside_a_late_start(rule_set: str) -> None:
    """The points for the late start are no question: the break is."""
    table = takes_break(late(600, rule_set, 11).win(), "one", 3_600, 720)
    assert table.findings[-1].message == (
        "player one was late by 10:00 in all; player one took 1 break, 12:00 in all; "
        "how many penalty points that makes is for the Director to decide"
    )


def test_what_is_drawn_stays_drawn_while_a_break_is_in_question() -> None:
    table = overrun(late(360, BIBA, 7), "one", 240)
    assert "penalty-question" in table.found
    judged = table.state.judged.penalties
    assert (judged.points.one, judged.undecided.one) == (1, 1)
    own, entered = judged.both_scores(BySeat(0, 0))
    assert (tuple(own), tuple(entered)) == ((0, 0), (0, 1))
    assert rule(table, POINTS, "penalty").state.judged.penalties.points.one == 1


def test_points_of_both_kinds_stand_while_it_is_open_whether_both_forfeit() -> None:
    table = assess(late(600, DRAFT, 7), 3, ground=PenaltyGround.CONDUCT)
    assert "penalty-question" in table.found
    assert table.state.judged.penalties.points.one == 4


@pytest.mark.parametrize(("rule_set", "points"), [(DRAFT, 2), (BIBA, 3), (FCBG, 1)])
def test_an_opponent_who_is_late_too_takes_no_points_back(rule_set: str, points: int) -> None:
    table = arrived(Table(25, rule_set=rule_set), "one", 960)
    assert table.state.judged.penalties.points.one == points
    arrived(table, "two", 1_000)
    assert table.state.judged.penalties.points.one == points


def test_a_waiver_takes_points_back_while_a_question_is_open() -> None:
    table = assess(late(360, BIBA), 2, ground=PenaltyGround.LATE_START)
    assessed = table.last
    overrun(table, "one", 240)
    assert table.state.judged.penalties.points.one == 2
    table.record(penalty.PenaltyWaived(target=assessed, points=1))
    assert table.state.judged.penalties.points.one == 1


@pytest.mark.parametrize(
    ("table", "reading", "before", "after"),
    [
        (overrun(late(360, BIBA), "one", 240), "penalty", 1, 2),
        (overrun(late(960, FCBG), "one", 180), "immediate", 1, 2),
        (overrun(late(960, FCBG), "one", 360), "immediate", 2, 2),
    ],
)
def test_points_for_a_break_are_not_those_for_the_late_start(
    table: Table, reading: str, before: int, after: int
) -> None:
    """Each is the scale's or the Director's, whichever is more; their points are added up."""
    rule(table, POINTS, reading)
    assert table.state.judged.penalties.points.one == before
    assess(table, 1, ground=PenaltyGround.BREAK)
    assert points_of(table.replay) == after


def test_where_no_scale_counts_breaks_none_is_compared() -> None:
    table = rule(overrun(late(360, BIBA), "one", 240), POINTS, "penalty")
    assert assess(table, 1, ground=PenaltyGround.BREAK).found == ["penalty-points"]
    assess(table, 2, ground=PenaltyGround.LATE_START)
    assert table.found == ["penalty-points", "penalty-differs"]
    assert "1 penalty point is assessed" in table.findings[-1].message


@pytest.mark.parametrize("rule_set", ["usbgf-2017-09", "common", "fcbg-club"])
def test_delays_are_one_question_until_somebody_rules(rule_set: str) -> None:
    table = overrun(overrun(late(1_200, rule_set), "one", 300), "one", 300)
    assert table.codes.count("penalty-question") == 1
    rule(table, POINTS, "any_word")
    assert table.replay.open_questions == []
    assert overrun(table, "one", 100).found == ["penalty-question"]


def test_a_forfeit_is_told_once() -> None:
    table = assess(late(1_500, DRAFT, 7), 4, ground=PenaltyGround.LATE_START)
    assert table.codes.count("penalty-forfeit") == 1


@pytest.mark.parametrize(
    ("rule_set", "is_found"), [(DRAFT, True), (BIBA, False), (FCBG, True), ("common", False)]
)
def test_a_break_in_a_game_is_found_where_the_text_has_them_between_games(
    rule_set: str, is_found: bool
) -> None:
    def began(table: Table, between: bool | None) -> bool:
        seats = (Seat.ONE,)
        table.record(attendance.BreakStarted(seats=seats, at_ms=0, between_games=between))
        return "break-in-game" in table.found

    assert began(Table(11, rule_set=rule_set), False) is is_found
    assert began(Table(11, rule_set=rule_set).game().turns(1), None) is is_found
    assert not began(Table(11, rule_set=rule_set).game().turns(1), True)
    assert not began(Table(11, rule_set=rule_set), None)
    # Set up and not rolled for, the game has not begun.
    assert not began(Table(11, rule_set=rule_set).game(), None)


@pytest.mark.rows("N-06")
@pytest.mark.parametrize(
    ("began_ms", "is_found"), [(1_200_000, True), (3_600_000, True), (3_600_001, False)]
)
@in_bunches("rule_set", SHELF)
def test_a_break_in_the_first_hour_is_told_where_the_text_has_it_for_urgent_need_alone(
    rule_set: str, began_ms: int, *, is_found: bool
) -> None:
    table = Table(11, rule_set=rule_set)
    table.record(match.GameStarted(at_ms=0)).opening(3, 1).won("one", 1)
    table.record(attendance.BreakStarted(seats=(Seat.ONE,), at_ms=began_ms, between_games=True))
    told = [one.section for one in table.findings if one.code == "break-in-first-hour"]
    assert told == (["[2.2]"] if is_found and rule_set == DRAFT else [])


@pytest.mark.parametrize("rule_set", SCALED)
@pytest.mark.parametrize(
    ("enters", "is_crawford", "is_asked_about"),
    [(True, True, False), (None, False, True), (False, False, False)],
)
def test_points_that_enter_the_score_bring_the_crawford_game(
    rule_set: str, enters: bool | None, is_crawford: bool, is_asked_about: bool
) -> None:
    """5-3 of 7, and a point against two: 6-3 for certain, perhaps, or not at all."""
    table = Table(7, rule_set=rule_set).score_is(5, 3)
    table.record(penalty.PenaltyAssessed(seat=Seat.TWO, points=1, enters_score=enters)).game()
    assert table.state.score.is_crawford_game is is_crawford
    assert ("crawford-open" in table.found) is is_asked_about
    if is_crawford:
        phase = table.state.judged.cube_acts.phase
        assert phase is not None
        assert phase.outcome == "crawford"
        assert not table.won("two", 1).game().state.score.is_crawford_game
        assert table.state.score.crawford_played


def test_points_that_a_scale_makes_leave_the_crawford_game_open() -> None:
    table = arrived(Table(7, rule_set=DRAFT).score_is(5, 3), "one", 0)
    assert "crawford-open" in arrived(table, "two", 600).game().found


def test_points_that_were_waived_leave_no_doubt_about_the_crawford_game() -> None:
    table = Table(7, rule_set=DRAFT).score_is(5, 3)
    table.record(penalty.PenaltyAssessed(seat=Seat.TWO, points=1))
    table.record(penalty.PenaltyWaived(target=table.last)).game()
    assert "crawford-open" not in table.codes


def rule(table: Table, topic: str, reading: str, seat: Seat | None = Seat.ONE) -> Table:
    """The Director answers the question that is open."""
    (asked,) = [
        one
        for one in table.replay.open_questions
        if one.ruling_required is not None and one.ruling_required.topic == topic
    ]
    assert asked.seat is seat
    question = dispute.Question(topic=topic, at=asked.entry_id, seat=seat)
    answer = dispute.Answer(question=question, reading=reading)
    return table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)


def excused_late(rule_set: str, seconds: int) -> Table:
    return late(seconds, rule_set).record(attendance.DelayExcused(seat=Seat.ONE))


def long_break(rule_set: str, seconds: float, length: int = 11) -> Table:
    table = Table(length, rule_set=rule_set).record(match.GameStarted(at_ms=0)).won("two", 1)
    return takes_break(table, "one", 3_600, seconds)


@pytest.mark.parametrize(
    ("table", "reading", "points"),
    [
        (excused_late(DRAFT, 720), "assessed", 1),
        (excused_late(DRAFT, 720), "excused", 0),
        (excused_late(BIBA, 720), "late", 2),
        (excused_late(BIBA, 720), "excused", 0),
        (long_break(DRAFT, 640), "in_time", 0),
        (long_break(BIBA, 640), "penalty", 0),
        (long_break(FCBG, 300 + 620), "fifteen_minutes_first", 0),
        (long_break(FCBG, 300 + 620), "immediate", 2),
        (long_break(FCBG, 300 + 620, 15), "allowed", 0),
        (assess(late(900, BIBA, 7), 3, ground=PenaltyGround.SLOW_PLAY), "counted", 6),
        (assess(late(900, BIBA, 7), 3, ground=PenaltyGround.SLOW_PLAY), "not_counted", 6),
        (late(1_200, "common"), "any_word", 0),
    ],
)
def test_what_the_director_says_is_what_it_comes_to(
    table: Table, reading: str, points: int
) -> None:
    rule(table, POINTS, reading)
    answer = answer_of(table.replay)
    assert answer is not None
    assert not answer.is_open
    assert table.state.judged.penalties.points.one == points
    forfeits = reading == "counted"
    assert (table.state.judged.penalties.forfeited is not None) is forfeits
    assert "penalty-question" not in [one.code for one in table.replay.open_questions]


@pytest.mark.parametrize(("reading", "points"), [("each", 2), ("none", 0)])
def test_one_ruling_says_who_pays_for_a_start_that_both_delayed(reading: str, points: int) -> None:
    """Where each would forfeit; nobody has won either way."""
    table = arrived(arrived(Table(3, rule_set=BIBA), "two", 600), "one", 720)
    rule(table, POINTS, reading, seat=None)
    assert tuple(table.state.judged.penalties.points) == (points, points)
    assert table.replay.open_questions == []
    assert table.state.judged.outcome.winner is None


def test_a_ruling_holds_for_what_it_was_asked_about() -> None:
    """Points assessed after it ask nothing again; another long break does."""
    table = rule(long_break(BIBA, 640), POINTS, "penalty")
    assert assess(table, 2, ground=PenaltyGround.BREAK).found == ["penalty-points"]
    assert points_of(table.replay) == 2
    takes_break(table, "one", 7_200, 700)
    assert table.found == ["penalty-question"]
    rule(table, POINTS, "no_penalty")
    assert table.replay.open_questions == []


@pytest.mark.parametrize("rule_set", ["usbgf-2024", "wbgf-2.1"])
@pytest.mark.parametrize("is_ruled", [True, False])
def test_points_for_a_delay_do_not_ask_about_it_again_because_the_text_leans_to_them_now(
    rule_set: str, is_ruled: bool
) -> None:
    table = late(103, rule_set)
    if is_ruled:
        rule(table, POINTS, "penalty")
    assess(table, 1, ground=PenaltyGround.LATE_START)
    takes_up = match.MatchLengthErrorFound(wrong=25, correct=27, during_game=False)
    assert table.record(takes_up).codes.count("penalty-question") == 1
    asked = [one.ruling_required.topic for one in table.replay.open_questions]
    assert asked.count(POINTS) == (0 if is_ruled else 1)


def test_a_ruling_on_breaks_is_not_asked_for_again() -> None:
    table = takes_break(Table(7), "one", 60, None)
    rule(table, "penalties.breaks", "ten_minutes", seat=None)
    allowance = takes_break(table, "two", 120, None).state.judged.penalties.allowance
    assert allowance is not None
    assert (allowance.outcome, table.codes.count("break-allowance")) == ("ten_minutes", 1)


def test_the_latest_ruling_holds() -> None:
    table = excused_late(DRAFT, 720)
    at = table.last
    rule(table, POINTS, "excused")
    question = dispute.Question(topic=POINTS, at=at, seat=Seat.ONE)
    again = dispute.Answer(question=question, reading="assessed")
    table.record(dispute.RulingMade(answers=(again,)), basis=Basis.RULED)
    assert points_of(table.replay) == 1


def test_money_has_no_length_to_forfeit() -> None:
    for rule_set in SCALED:
        answer = answer_of(late(9_000, rule_set, None).replay)
        assert answer is not None
        assert answer.outcome == "penalty"


@pytest.mark.rows("R-05")
@pytest.mark.parametrize("kind", ["barred", "entry_refused", "exclusion", "ban"])
@pytest.mark.parametrize(
    ("rule_set", "section", "words"),
    [
        (BIBA, "1.9", ": all claims to prizes are lost"),
        (FCBG, "ENTRIES/T", ": reasons need not be stated"),
        (DRAFT, "[1.4]", ""),
        ("common", None, ""),
        ("fcbg-club", None, ""),
    ],
)
def test_a_player_who_is_barred_is_told_by_what_right(
    kind: str, rule_set: str, section: str | None, words: str
) -> None:
    table = Table(7, rule_set=rule_set).record(penalty.SanctionImposed(seat=Seat.TWO, kind=kind))
    told = [(one.section, one.message) for one in table.findings]
    message = f"player two is barred, which is the Director's to say{words}"
    assert told == ([] if section is None else [(section, message)])
    table.record(penalty.SanctionImposed(seat=Seat.TWO, kind="warning"))
    assert table.found == []


def test_a_player_who_is_barred_under_a_rule_that_is_named() -> None:
    rule = RuleReference(rule_set=BIBA, section="St. 5")
    imposed = penalty.SanctionImposed(seat=Seat.TWO, kind="barred", rule=rule)
    (finding,) = Table(7, rule_set=BIBA).record(imposed).findings
    assert finding.section == "St. 5"


# Laws.

LATE_S = st.integers(0, 7_200)
ACTS_OF_ONE = ("overrun", "resumption", "late_start", "break", "slow_play")
ACTS = st.lists(
    st.tuples(st.sampled_from([*ACTS_OF_ONE, "other late", "long break"]), LATE_S),
    max_size=6,
)


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(sorted(SHELF)), LATE_S, ACTS)
def test_penalties_never_decrease_without_a_waiver(
    rule_set: str, late_s: int, acts: list[tuple[str, int]]
) -> None:
    """Nor while a question about some of them is open."""
    table = arrived(Table(25, rule_set=rule_set), "one", late_s)
    before = 0
    for act, size in [("", 0), *acts]:
        match act:
            case "overrun":
                overrun(table, "one", size)
            case "resumption":
                noted = attendance.DelayNoted(
                    seat=Seat.ONE, kind=DelayKind.RESUMPTION, excess_ms=size * 1_000
                )
                table.record(noted)
            case "other late":
                arrived(table, "two", late_s + size)
            case "long break":
                takes_break(table, "one", 3_600, size)
            case "late_start" | "break" | "slow_play":
                assess(table, size % 7, ground=PenaltyGround(act))
        points = table.state.judged.penalties.points.one
        assert points >= before
        before = points


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(SCALED),
    st.integers(1, 25),
    st.integers(1, 7_200_000),
    st.integers(0, 3_600_000),
)
def test_forfeits_are_monotone_in_the_delay(
    rule_set: str, length: int, late_ms: int, more_ms: int
) -> None:
    sooner, later = (
        answer_of(late(ms / 1_000, rule_set, length).replay) for ms in (late_ms, late_ms + more_ms)
    )
    assert sooner is not None
    assert later is not None
    assert sooner.details["penalty_points"] <= later.details["penalty_points"]
    assert sooner.outcome != "forfeit" or later.outcome == "forfeit"
    for answer in (sooner, later):
        is_over_half = 2 * answer.details["penalty_points"] > length
        assert (answer.outcome == "forfeit") is is_over_half


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("is_assessed", [True, False])
def test_points_drawn_after_the_match_was_won_weigh_nothing(
    rule_set: str, is_assessed: bool
) -> None:
    table = Table(3, rule_set=rule_set).game().won("one", 3)
    if is_assessed:
        late_start = PenaltyGround.LATE_START
        table.record(penalty.PenaltyAssessed(seat=Seat.ONE, points=2, ground=late_start))
    else:
        start = DelayKind.START
        table.record(attendance.DelayNoted(seat=Seat.ONE, kind=start, excess_ms=1_800_000))
    assert "penalty-forfeit" not in table.found
    assert table.state.match_score == BySeat(3, 0)
    assert table.state.judged.outcome.winner is Seat.ONE


def test_points_that_the_director_enters_after_the_match_was_won_are_entered() -> None:
    table = Table(3, rule_set=FCBG).game().won("one", 3)
    table.record(penalty.PenaltyAssessed(seat=Seat.ONE, points=1, enters_score=True))
    assert table.state.match_score == BySeat(3, 1)
    assert table.state.judged.outcome.winner is Seat.ONE


BROKEN = {"fcbg-tournament", "biba-2014"}
"""Texts under which a long break is a question, and that leave it to the Director to excuse it."""


def half_an_hour(rule_set: str, *seats: Seat) -> Table:
    """Both have arrived, and a break of half an hour was taken."""
    table = Table(11, rule_set=rule_set)
    for seat in Seat:
        table.record(attendance.PlayerArrived(seat=seat, at_ms=0))
    table.record(attendance.BreakStarted(seats=seats, at_ms=3_600_000, between_games=True))
    return table.record(attendance.BreakEnded(seats=seats, at_ms=5_400_000))


def asked_of_points(table: Table) -> list[Seat | None]:
    """Whose points are an open question."""
    open_questions = [one for one in table.replay.open_questions if one.ruling_required]
    return [
        one.seat
        for one in open_questions
        if one.ruling_required is not None and one.ruling_required.topic == POINTS
    ]


@pytest.mark.rows("N-04", "N-06")
@pytest.mark.parametrize("rule_set", sorted(BROKEN))
@pytest.mark.parametrize("kind", [attendance.DelayKind.BREAK, None])
def test_the_director_who_excuses_a_break_has_answered_what_was_asked_about_it(
    rule_set: str, kind: attendance.DelayKind | None
) -> None:
    table = half_an_hour(rule_set, *Seat)
    assert asked_of_points(table) == [Seat.ONE, Seat.TWO]
    table.record(attendance.DelayExcused(seat=Seat.ONE, kind=kind))
    assert asked_of_points(table) == [Seat.TWO]
    assert table.state.judged.penalties.points == BySeat(0, 0)
    excuse = table.last
    table.record(corrections.EntryRetracted(target=excuse))
    assert asked_of_points(table) == [Seat.ONE, Seat.TWO], "taken back, it answers nothing"


@pytest.mark.rows("N-04", "N-06")
@pytest.mark.parametrize("rule_set", sorted(BROKEN))
def test_a_break_excused_beforehand_is_asked_about_by_nobody(rule_set: str) -> None:
    table = Table(11, rule_set=rule_set)
    table.record(attendance.DelayExcused(seat=Seat.ONE, kind=attendance.DelayKind.BREAK))
    table.record(attendance.BreakStarted(seats=tuple(Seat), at_ms=3_600_000, between_games=True))
    table.record(attendance.BreakEnded(at_ms=5_400_000))
    assert asked_of_points(table) == [Seat.TWO]


@pytest.mark.rows("N-04", "N-06")
@pytest.mark.parametrize("rule_set", sorted(BROKEN))
@pytest.mark.parametrize(
    "excused",
    [
        attendance.DelayExcused(seat=Seat.ONE, kind=attendance.DelayKind.START),
        attendance.DelayExcused(seat=Seat.ONE, kind=attendance.DelayKind.BREAK, by=Actor.TWO),
        attendance.DelayExcused(seat=Seat.TWO, kind=attendance.DelayKind.BREAK),
    ],
)
def test_an_excuse_of_something_else_leaves_a_break_to_be_asked_about(
    rule_set: str, excused: attendance.DelayExcused
) -> None:
    table = half_an_hour(rule_set, Seat.ONE).record(excused)
    assert asked_of_points(table) == [Seat.ONE]


@pytest.mark.rows("N-06")
@pytest.mark.parametrize(("length", "is_asked"), [(13, True), (15, False)])
def test_a_second_recess_is_asked_about_though_nobody_timed_it(
    length: int, *, is_asked: bool
) -> None:
    """Each has one in a match to 13; whether a longer one allows more is asked as it begins."""
    table = Table(length, rule_set=FCBG)
    for number in (1, 2):
        table.record(attendance.BreakStarted(seats=(Seat.ONE,), between_games=True))
        table.record(attendance.BreakEnded(seats=(Seat.ONE,)))
        assert asked_of_points(table) == ([Seat.ONE] if is_asked and number == 2 else [])
    table.record(attendance.BreakStarted(seats=(Seat.TWO,), between_games=True))
    table.record(attendance.BreakEnded(seats=(Seat.TWO,)))
    assert Seat.TWO not in asked_of_points(table)
