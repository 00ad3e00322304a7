"""Laws of replay, for plausible matches and for streams of any payloads in any order."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.envelope import RecordedEvent
from events.payloads import dispute, match
from events.payloads.cube import CubeActionVoided
from events.payloads.play import PlayCorrected, PlayRevised
from projections.folding.findings import CODES, Finding
from projections.folding.standing import is_correction
from projections.replay import FOLDS, Replay, replay
from projections.rules.shelf import SHELF
from projections.states import State
from projections.views.lines import event_lines
from tests.projections.streams import STREAMS, TABLES, deaf, legal_match, men_of

pytestmark = pytest.mark.gate

Events = list[RecordedEvent]


def tried(*strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Any]:
    """A law of whatever is drawn, in two sizes."""

    def of(law: Callable[..., None]) -> Any:
        @pytest.mark.parametrize("examples", [60, pytest.param(1_000, marks=pytest.mark.long)])
        @functools.wraps(law)
        def holds(examples: int) -> None:
            settings(max_examples=examples, deadline=None)(given(*strategies)(law))()

        del holds.__wrapped__
        return holds

    return of


SEEDS = range(12)


def _same(one: Replay, two: Replay) -> bool:
    return (
        one.state == two.state
        and one.version == two.version
        and one.findings == two.findings
        and list(one.steps) == list(two.steps)
        and list(one.recorded) == list(two.recorded)
    )


@tried(STREAMS)
def test_replay_never_raises_and_every_step_has_its_line(events: Events) -> None:
    for as_recorded in (False, True):
        shown = replay(events, as_recorded=as_recorded)
        lines = event_lines(shown)
        assert len(lines) == len(shown.steps)
        msgspec.json.encode(lines)
        assert {finding.code for finding in shown.findings} <= set(CODES)


@tried(STREAMS, st.data())
def test_going_on_from_any_cut_is_going_through(events: Events, data: st.DataObject) -> None:
    whole = replay(events)
    cut = data.draw(st.integers(0, len(events)))
    assert _same(replay(events[:cut]).extended(events[cut:]), whole)


@tried(STREAMS)
def test_entry_by_entry_is_all_at_once(events: Events) -> None:
    step_by_step = replay([])
    for event in events:
        step_by_step = step_by_step.extended([event])
    assert _same(step_by_step, replay(events))


@tried(STREAMS, st.data())
def test_twice_is_once(events: Events, data: st.DataObject) -> None:
    whole = replay(events)
    assert whole.extended(events) is whole
    first = data.draw(st.integers(0, len(events)))
    overlap = data.draw(st.integers(0, first))
    assert _same(replay(events[:first]).extended(events[overlap:]), whole)


@tried(STREAMS)
def test_a_jump_is_its_steps(events: Events) -> None:
    whole = replay(events)
    as_recorded = replay(events, as_recorded=True)
    for count in range(0, len(events) + 1, 3):
        assert _same(whole.at(count), replay(events[:count]))
        assert _same(as_recorded.at(count), replay(events[:count], as_recorded=True))


@tried(STREAMS)
def test_folds_that_hear_everything_say_the_same(events: Events) -> None:
    assert _same(deaf(events), replay(events))


@tried(STREAMS)
def test_before_each_step_is_after_the_one_before(events: Events) -> None:
    shown = replay(events)
    before: State = shown.initial
    for step in shown.steps:
        assert step.before is before
        before = step.after
    assert shown.state is before


@tried(STREAMS, st.data())
def test_a_branch_does_not_disturb_the_trunk(events: Events, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(events)))
    other = data.draw(TABLES)
    elsewhere = [
        msgspec.structs.replace(event, version=cut + index, entry_id=f"branch-{index}")
        for index, event in enumerate(other, start=1)
    ]
    trunk = replay(events[:cut])
    through = trunk.extended(events[cut:])
    kept = list(through.steps)
    aside = trunk.extended(elsewhere)
    assert list(through.steps) == kept
    assert _same(aside, replay([*events[:cut], *elsewhere]))
    assert _same(trunk, replay(events[:cut]))


@tried(STREAMS)
def test_who_has_to_answer_is_whom_the_cube_waits_for(events: Events) -> None:
    for step in replay(events).steps:
        flow, offered_by = step.after.flow, step.after.cube.offered_by
        assert flow.answering is (None if offered_by is None else offered_by.other)
        if flow.answering is not None:
            assert flow.in_game


@tried(STREAMS)
def test_nobody_is_on_roll_and_nothing_waits_between_games(events: Events) -> None:
    for step in replay(events).steps:
        flow = step.after.flow
        if not flow.in_game:
            kept = (flow.on_roll, flow.to_act, flow.turn_open, flow.dice, flow.answering)
            assert kept == (None, None, None, None, None)
            assert (flow.resigning, flow.early, flow.turn_number) == (None, None, 0)


@tried(TABLES)
def test_the_score_falls_only_where_somebody_says_so(events: Events) -> None:
    puts_right = (
        match.MatchOpened | match.ScoreStated | dispute.RulingCarriedOut
        | PlayCorrected | PlayRevised | CubeActionVoided
    )  # fmt: skip
    for step in replay(events).steps:
        if not isinstance(step.event.payload, puts_right):
            before, after = step.before.score, step.after.score
            assert after.score.one >= before.score.one
            assert after.score.two >= before.score.two
            assert len(after.games) >= len(before.games)


@tried(TABLES)
def test_a_reserve_is_never_below_nothing(events: Events) -> None:
    for step in replay(events).steps:
        clock = step.after.clock
        assert all(left is None or left >= 0 for left in clock.reserve_ms)
        assert clock.running is None or clock.paused is None


TIMED_FOLDS = ("penalties", "timing", "outcome")
"""Judging folds whose rules name times: delays, breaks, reserves, and who has won by them."""
TIMED_CODES = ("absence", "clock-", "flag-", "penalty-", "break-", "match-decided")
"""How the codes of their findings begin, and of those of the clock."""
TIMELY = "fcbg-tournament"
"""The one text by which a posted result is corrected in a timely manner, or not."""


def _untimed(state: State, rule_set: str) -> list[object]:
    """What is judged after an event, but for the folds and members that hold times."""
    judged, results = state.judged, state.judged.results
    posting = results.posting
    if posting is not None:
        facts = msgspec.structs.replace(posting.facts, noticed_after_ms=None)
        posting = msgspec.structs.replace(posting, at_ms=None, facts=facts)
    if rule_set == TIMELY:
        results = msgspec.structs.replace(results, answer=None, asked=(), answered=None)
    untimed = [msgspec.structs.replace(results, posting=posting)]
    names = [name for name in FOLDS if hasattr(judged, name)]
    kept = set(names) - {*TIMED_FOLDS, "results"}
    return untimed + [getattr(judged, name) for name in sorted(kept)]


def _is_judged_by_time(one: State, two: State) -> bool:
    """Whether a delay has cost points, or the match: other folds tell of that, too."""
    return _by_time(one) != _by_time(two)


def _by_time(state: State) -> tuple[object, ...]:
    penalties = state.judged.penalties
    return penalties.entering, penalties.undecided, penalties.forfeiting, state.judged.outcome


def _untimed_findings(findings: Iterable[Finding], rule_set: str) -> list[Finding]:
    timed = (*TIMED_CODES, "result-") if rule_set == TIMELY else TIMED_CODES
    return [finding for finding in findings if not finding.code.startswith(timed)]


@tried(STREAMS, st.sampled_from(sorted(SHELF)), st.randoms(use_true_random=False))
def test_no_clock_but_the_tables_own_is_asked(
    events: Events, rule_set: str, chance: random.Random
) -> None:
    """Order is the version: other times, or none, change the clock, and what rules say of times."""
    moved = []
    for event in events:
        payload = event.payload
        if hasattr(payload, "at_ms") and not is_correction(event):
            at_ms = chance.choice([None, chance.randint(-1_000, 10_000_000)])
            payload = msgspec.structs.replace(payload, at_ms=at_ms)
        moved.append(msgspec.structs.replace(event, payload=payload))
    one, two = replay(events, rule_set), replay(moved, rule_set)
    for before, after in zip(one.steps, two.steps, strict=True):
        timed = {"clock": after.after.clock, "judged": after.after.judged}
        assert msgspec.structs.replace(before.after, **timed) == after.after
        if _is_judged_by_time(before.after, after.after):
            break
        assert _untimed(before.after, rule_set) == _untimed(after.after, rule_set)
        found = _untimed_findings(before.findings, rule_set)
        assert found == _untimed_findings(after.findings, rule_set)


# Matches in which everything is as it should be.


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_a_match_without_a_fault(seed: int) -> None:
    shown = legal_match(seed).replay
    assert [finding.code for finding in shown.findings] == []
    assert shown.state.score.games


@pytest.mark.parametrize("seed", SEEDS)
def test_checkers_are_conserved(seed: int) -> None:
    for step in legal_match(seed).replay.steps:
        board = step.after.positions.board
        assert board is None or men_of(board) == (15, 15)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_score_is_the_sum_of_the_games(seed: int) -> None:
    score = legal_match(seed).state.score
    for seat in (score.games[0].winner, score.games[0].winner.other):
        assert score.score[seat] == sum(g.points for g in score.games if g.winner is seat)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_slip_amended_leaves_no_trace(seed: int) -> None:
    """A match whose every fifth roll was first recorded wrongly is the match as corrected."""
    right = legal_match(seed)
    wrong = [
        msgspec.structs.replace(event, payload=msgspec.structs.replace(event.payload, dice=(1, 1)))
        if event.tag == "dice.rolled" and event.version % 5 == 0
        else event
        for event in right.events
    ]
    table = legal_match(seed)
    table.events = list(wrong)
    for event, slip in zip(right.events, wrong, strict=True):
        if event is not slip:
            table.amend(event.entry_id, event.payload)
    assert list(table.replay.steps) == list(right.replay.steps)
