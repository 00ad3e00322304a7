"""The subjects of the golden cases: how a case becomes a stream, and where its answer is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from golden import Case, check

from events.envelope import RecordedEvent
from projections.replay import Replay
from projections.rules.answers import Answer
from tests.projections.rules import (
    test_appeals,
    test_clock,
    test_dice,
    test_match_length,
    test_penalties,
)
from tests.projections.rules import test_cube_and_crawford as test_cube
from tests.projections.rules import test_endings_and_scores as test_endings
from tests.projections.rules import test_legal_play_windows as test_windows
from tests.projections.rules import test_premature_actions as test_premature
from tests.projections.rules import test_starting_position as test_start

Read = Callable[[Replay], Answer | None]


class Subject(NamedTuple):
    """One file of cases: how it is built, read and compared."""

    built: Callable[[Case], list[RecordedEvent]]
    """The stream of a case, its rule set pinned."""
    about: Callable[[Case], str]
    """What a case asks, in a word."""
    read: Mapping[str, Read]
    """Where the answer to that is read off a replay."""
    holds: Callable[[Case, Answer], None]
    """Fails unless the answer is the one that the case expects."""
    blocks: tuple[str, ...] = ("cases",)
    """Lists of the shared file that hold cases."""


def _as_written(case: Case, answer: Answer) -> None:
    check(answer, case.expect)


def _one_question(case: Case) -> str:
    return "answer"


def _no_stream(case: Case) -> list[RecordedEvent]:
    raise AssertionError(f"{case.id} has a stream of its own")


def _die_or_throw(case: Case) -> list[RecordedEvent]:
    if "die" not in case.case:
        return test_dice.roll_of(case).events
    table = test_dice.Table(rule_set=case.rule_set, **case.options)
    return test_dice.thrown_by_two(table, [case.case["die"], {}]).events


def _thrown_how(case: Case) -> str:
    if "die" in case.case:
        return "die"
    return "throw" if case.case["given"].get("opponents_turn_ended", True) else "early roll"


def _windows_hold(case: Case, answer: Answer) -> None:
    test_windows.holds(test_windows.Built(case, case.rule_set), answer, case)


def _sections_too(case: Case, answer: Answer) -> None:
    check(answer, case.expect)
    cited = case.case.get("cites", {}).get(case.rule_set)
    assert cited is None or answer.section.strip("[]") in cited, answer.section


def _of_premature(asked: str) -> Read:
    return lambda shown: test_premature.answer_of(asked, shown)


def _of_ending(asked: str) -> Read:
    return lambda shown: test_endings.answer_of(shown, asked)


def _of_cube(asked: str) -> Read:
    return lambda shown: test_cube.read(asked, shown)


SUBJECTS: dict[str, Subject] = {
    "appeals": Subject(
        lambda case: test_appeals.told(case.case["given"], case.rule_set).events,
        _one_question,
        {"answer": test_appeals.answer_of},
        _as_written,
    ),
    "clock": Subject(
        lambda case: test_clock.built(case).events,
        lambda case: "turn" if "turn_s" in case.case["given"] else "answer",
        {
            "answer": test_clock.answer_of,
            "turn": test_clock.turn_taken,
            "delay": lambda shown: shown.state.judged.delays.answer,
            "lift": lambda shown: shown.state.judged.premature.answer,
        },
        lambda case, answer: check(answer, test_clock.in_ms(case.expect)),
    ),
    "cube_and_crawford": Subject(
        lambda case: test_cube.told_by(case, case.rule_set).table.events,
        lambda case: test_cube.asked_of(frozenset(case.case["given"])),
        {word: _of_cube(word) for word in ("act", "time", "words", "tie", "gammon", "phases")},
        _as_written,
    ),
    "dice": Subject(
        _die_or_throw,
        _thrown_how,
        {
            "die": lambda shown: shown.state.judged.throws.dice[0],
            "throw": test_dice.thrown,
            "early roll": lambda shown: shown.state.judged.premature.answer,
            "side": lambda shown: shown.state.judged.sides.answer,
        },
        _as_written,
        ("die_cases", "roll_cases"),
    ),
    "endings_and_scores": Subject(
        lambda case: test_endings.Told(case.case["given"], case.rule_set).table.events,
        test_endings.asked_of,
        {word: _of_ending(word) for word in ("ending", "match", "result")},
        _sections_too,
    ),
    # Of the texts of today: no shared file has these.
    "living": Subject(
        _no_stream,
        _one_question,
        {
            "clock": lambda shown: shown.state.judged.timing.answer,
            "early": lambda shown: shown.state.judged.premature.answer,
            "double": lambda shown: shown.state.judged.cube_acts.answer,
            "phase": lambda shown: shown.state.judged.cube_acts.phase,
            "ending": lambda shown: shown.state.judged.endings.answer,
            "match": lambda shown: shown.state.judged.endings.match,
            "report": lambda shown: shown.state.judged.reports.answer,
            "delay": lambda shown: shown.state.judged.delays.answer,
            "points": test_penalties.answer_of,
        },
        _as_written,
        (),
    ),
    "legal_play_windows": Subject(
        lambda case: test_windows.Built(case, case.rule_set).table.events,
        _one_question,
        {"answer": lambda shown: shown.state.judged.windows.answer},
        _windows_hold,
    ),
    "match_length": Subject(
        lambda case: test_match_length.told(case.case["given"], case.rule_set).events,
        _one_question,
        {"answer": lambda shown: shown.state.judged.match_length.answer},
        lambda case, answer: test_match_length.holds(answer, case),
    ),
    "penalties": Subject(
        lambda case: test_penalties.told(case.case["given"], case.rule_set).events,
        lambda case: "allowance" if str(case.case["id"]).startswith("B") else "answer",
        {
            "answer": test_penalties.answer_of,
            "allowance": lambda shown: shown.state.judged.penalties.allowance,
            "absence": lambda shown: shown.state.judged.penalties.absences.answer,
        },
        lambda case, answer: check(answer, test_penalties.in_ms(case.expect)),
        ("cases", "break_allowances"),
    ),
    "premature_actions": Subject(
        lambda case: test_premature.build(case, case.rule_set).events,
        lambda case: test_premature.asked_of(case.case["given"]),
        {word: _of_premature(word) for word in ("act", "cube act", "turn end", "play change")},
        _sections_too,
    ),
    "starting_position": Subject(
        lambda case: test_start._built(case, case.rule_set).events,
        lambda case: "level" if "checkers_at_start" in case.case["given"] else "answer",
        {
            "answer": lambda shown: shown.state.judged.start.answer,
            "level": test_start.level_of,
        },
        lambda case, answer: check(answer, case.expect),
    ),
}
"""Every file of cases by its name; our own and the shared one are called the same."""

UNMET: Mapping[tuple[str, str], str] = {**test_premature.NOT_YET, **test_start.NOT_YET}
"""Shared cases (id, rule set) that cannot be met, with the reason."""
