"""Our own golden cases: each is answered as it says, and no shared case is missing among them.

With `TABULARIUM_REWRITE=1` the files are rewritten first: the streams from the shared cases if that
folder is available, and the answers from the folds.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec
import own
import pytest
import script
from golden import OVERRULED, Case, cases, present
from own import Judged
from subjects import SUBJECTS, UNMET

from events.envelope import RecordedEvent
from events.payloads import dice, match
from events.values import BySeat
from projections.replay import replay
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.rules.test_coverage import IMPLEMENTED, ROWS

HEAD = (
    "# {}: what happened, and what every text answers. "
    "Written and read by tests/projections/rules/own.py.\n"
)


def rewrite(name: str) -> None:
    """The new text of the file: our sentences, the streams, and the answers of the folds."""
    blocks = [cases(name, block) for block in SUBJECTS[name].blocks]
    theirs: dict[str, list[Case]] = {}
    for case in (one.values[0] for block in blocks for one in block):
        if case is not None:
            theirs.setdefault(case.id, []).append(case)
    anew = [_anew(name, case, theirs.get(case["id"], [])) for case in own.loaded(name)]
    own.write(name, HEAD.format(name), anew)


def _anew(name: str, ours: dict[str, Any], theirs: list[Case]) -> dict[str, Any]:
    subject = SUBJECTS[name]
    case = {key: ours[key] for key in ("id", "says", "rows", "about", "events") if key in ours}
    under = [(one.rule_set, one.options) for one in own.judged_of(name, ours)]
    if theirs:
        stream = own.under(subject.built(theirs[0]), None, {})
        case |= {"about": subject.about(theirs[0]), "events": script.written(stream)}
        under = [(one.rule_set, one.options) for one in theirs]
    # A case is answered under every rule set: a new one on the shelf gets its answers here.
    plain = {rule_set for rule_set, options in under if not options}
    under[:0] = [(rule_set, {}) for rule_set in SHELF if rule_set not in plain]
    stream, read = script.read(case["events"]), subject.read[case["about"]]
    for rule_set, options in under:
        shown = replay(own.under(stream, rule_set, options))
        own.put(case, rule_set, options, own.told(read(shown), shown))
    return case


if os.environ.get("TABULARIUM_REWRITE") == "1":
    for subject in SUBJECTS:
        rewrite(subject)

JUDGED = [one for name in SUBJECTS for one in own.judged(name)]
CASES = own.by_case(JUDGED)
DICE = [case for case in CASES if case[0].about == "die"]


@in_bunches("one", JUDGED, ids=lambda one: one.name, of=40)
def test_a_case_is_answered_as_it_says(one: Judged) -> None:
    """Pinned, and recorded under no rule set and judged afterwards."""
    read = SUBJECTS[one.subject].read[one.about]
    for shown in (one.shown, one.judged_later):
        assert own.told(read(shown), shown) == one.expect


SCORED = [one for one in JUDGED if one.subject in ("cube_and_crawford", "endings_and_scores")]


@in_bunches("one", SCORED, ids=lambda one: one.name, of=40)
def test_an_answer_about_a_game_is_what_the_score_and_the_flow_say(one: Judged) -> None:
    said, state = one.expect, one.shown.state
    if one.subject == "cube_and_crawford":
        if (score := said.get("score") or said.get("score_after")) is not None:
            assert BySeat(**score) == state.score.score
    elif said["outcome"] == "game_won" and state.score.games:
        won = state.score.games[-1]
        assert (won.winner, won.points) == (said["winner"], said["points"])
    if said["outcome"] == "play_on":
        assert state.flow.in_game
        assert state.flow.to_act is not None


ASKED = {
    ("appeals", "answer"),
    ("penalties", "answer"),
    ("penalties", "allowance"),
    ("starting_position", "answer"),
    ("dice", "die"),
}
"""Answers of which each open one is a question to the Director, and no other is."""


@in_bunches(
    "one",
    [one for one in JUDGED if (one.subject, one.about) in ASKED],
    ids=lambda one: one.name,
    of=40,
)
def test_an_open_answer_is_asked_about_and_no_other(one: Judged) -> None:
    """With the ambiguity and the section of the answer: a question says only what differs."""
    asked = [said for said in one.expect.get("open", []) if not {"ambiguity", "section"} & {*said}]
    assert bool(asked) is (one.expect["outcome"] == "ruling_required")


def test_an_early_roll_that_is_answered_late_is_answered_all_the_same() -> None:
    found = {
        finding.code for one in own.judged("premature_actions") for finding in one.shown.findings
    }
    assert "early-roll" in found
    assert "answer-without-offer" not in found


@pytest.mark.parametrize("case", DICE, ids=lambda case: case[0].id)
def test_a_die_is_the_same_in_a_throw_that_is_called_void(case: list[Judged]) -> None:
    """Only the comparison with the table's call differs."""
    for one in case:
        thrown = one.pinned[-1].payload
        voided = dice.Voided(
            seat=thrown.seat,
            reason=dice.VoidReason.COCKED,
            dice=thrown.dice,
            observations=thrown.observations,
        )
        last = msgspec.structs.replace(one.pinned[-1], tag="dice.voided", payload=voided)
        shown = replay([*one.pinned[:-1], last])
        answer = shown.state.judged.throws.dice[0]
        said = own.answer_of(own.told(answer, shown))
        assert said == own.answer_of(one.expect), one.name


@in_bunches("case", CASES, ids=lambda case: case[0].id, of=8)
def test_a_case_told_entry_by_entry_is_the_case_told_at_once(case: list[Judged]) -> None:
    """This covers every cut; and events already folded are not folded again."""
    for one in case:
        step_by_step = replay([])
        for event in one.pinned:
            step_by_step = step_by_step.extended([event])
        assert list(step_by_step.steps) == list(one.shown.steps), one.name
        assert step_by_step.findings == one.shown.findings, one.name
        assert one.shown.extended(one.pinned) is one.shown


# Late starts: one row for each length and delay.


def late(row: dict[str, Any]) -> list[RecordedEvent]:
    """The stream of a row."""
    text: str = own.loaded("late_starts")["events"]
    return script.read(text.format(length=row["length"], late_ms=row["late_ms"]))


@pytest.mark.parametrize(
    "row",
    own.loaded("late_starts")["late"],
    ids=lambda row: f"{row['late_ms'] // 1_000}s of {row['length']}",
)
def test_what_a_late_start_costs(row: dict[str, Any]) -> None:
    for rule_set, costs in row["costs"].items():
        for shown in (
            replay(own.under(late(row), rule_set, {})),
            replay(late(row), rule_set),
        ):
            account = shown.state.judged.penalties.accounts.one
            assert account.answer is not None
            words = [account.answer.details["penalty_points"]]
            words += ["forfeit"] if account.answer.outcome == "forfeit" else []
            assert " ".join(map(str, words)) == str(costs)


# The files themselves.


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_case_says_what_happened_in_a_sentence_of_its_own(name: str) -> None:
    says = [case["says"] for case in own.loaded(name)]
    assert len(says) == len(set(says))
    assert all(one[0].isupper() and one[-1] == "." for one in says)
    ids = [case["id"] for case in own.loaded(name)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_case_names_rows_of_the_matrix_that_are_implemented(name: str) -> None:
    implemented = {row.id for row in ROWS if row.how == IMPLEMENTED}
    for case in own.loaded(name):
        assert case["rows"], case["id"]
        assert set(case["rows"]) <= implemented, case["id"]


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_stream_is_written_as_it_was_read(name: str) -> None:
    for case in own.loaded(name):
        events = script.read(case["events"])
        assert script.written(events) == case["events"]
        assert [event.payload.rule_set for event in events[:1]] == [None]
        assert isinstance(events[0].payload, match.MatchOpened)


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_case_is_answered_under_every_rule_set(name: str) -> None:
    answered = {one.id: set[str]() for one in JUDGED if one.subject == name}
    for one in JUDGED:
        if one.subject == name and not one.options:
            answered[one.id].add(one.rule_set)
    assert {case: sorted(SHELF.keys() - rule_sets) for case, rule_sets in answered.items()} == {
        case: [] for case in answered
    }


# Beside the shared folder: nothing missing, nothing different.


def shared(name: str) -> list[Case]:
    """Every shared case of a subject under every rule set; skips, or fails, where there is none."""
    blocks = [cases(name, block) for block in SUBJECTS[name].blocks]
    return [present(one.values[0]) for block in blocks for one in block]


def _key(one: Judged | Case) -> tuple[str, str, str]:
    return one.id, one.rule_set, str(one.options)


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_shared_case_is_ours_with_the_same_answer(name: str) -> None:
    subject = SUBJECTS[name]
    ours = {_key(one): one for one in JUDGED if one.subject == name}
    theirs = {_key(case): case for case in shared(name)}
    assert not theirs.keys() - ours.keys()
    for key, case in theirs.items():
        one = ours[key]
        assert one.pinned == subject.built(case), one.name
        assert one.about == subject.about(case)
        said = own.answer_of(one.expect)
        is_overruled = (name, case.id, case.rule_set) in OVERRULED
        if is_overruled or (case.id, case.rule_set) in UNMET:
            with pytest.raises(AssertionError):
                subject.holds(case, said)
        else:
            subject.holds(case, said)


@pytest.mark.parametrize("name", SUBJECTS)
def test_sentences_are_our_own_and_rows_those_of_the_matrix(name: str) -> None:
    ours = {case["id"]: case for case in own.loaded(name)}
    for case in shared(name):
        one = ours[case.id]
        assert one["says"].rstrip(".").lower() != case.case.get("title", "").lower()
        assert set(case.case.get("rows", [])) <= set(one["rows"])


def test_every_shared_delay_costs_the_same() -> None:
    rows = {
        (row["length"], row["late_ms"]): row["costs"] for row in own.loaded("late_starts")["late"]
    }
    file = shared("penalties")[0].file
    for row in file["points_by_delay"]:
        costs = rows[25, row["late_s"] * 1_000]
        for rule_set, points in row["penalty_points"].items():
            assert str(costs[rule_set]).split()[0] == str(points)
    for row in file["earliest_forfeit"]:
        for rule_set, late_s in row["late_s"].items():
            for seconds, is_forfeit in ((late_s - 1, False), (late_s, True)):
                points, *words = str(
                    rows[row["match_length_points"], seconds * 1_000][rule_set]
                ).split()
                assert (words == ["forfeit"]) is is_forfeit
                assert (int(points) >= row["penalty_points_needed"]) is is_forfeit
