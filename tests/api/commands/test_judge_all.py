"""`judge --all`: a whole archive under one rule set, with a report that a later run continues."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from api.archive.archive import open_archive
from api.commands import rejudging
from api.rejudged import pieces
from tests.api.commands.conftest import MATCH, Run
from tests.api.commands.test_judge import LATE, MATCH_ID, recorded


@pytest.fixture
def late(database: Path) -> None:
    """A match that three texts decide otherwise, each in its own way."""
    recorded(database, LATE)


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_every_match_is_judged_by_its_own_rules(run: Run, late: None, match_file: Path) -> None:
    run("import", match_file)
    ran = run("judge", "--all")
    assert ran.out.splitlines() == [
        "2 matches, 57 entries judged: each match's own rule set",
        "  3 findings in 2 matches, 0 open questions",
        "            1  penalty-forfeit",
        "            1  match-decided",
        "            1  ended-by-claim",
    ]


def test_what_judge_says_of_one_match_is_what_all_says_of_it(run: Run, late: None) -> None:
    [one] = run("judge", MATCH_ID, "--rules", "usbgf-2017-07", "--json").lines
    other = ("--rules", "usbgf-2017-07", "--against", "biba-2014")
    [compared] = run("judge", MATCH_ID, *other, "--json").lines
    verdict, last = run("judge", "--all", *other, "--json").lines
    assert verdict["match_id"] == MATCH_ID
    assert verdict["version"] == one["version"]
    assert sum(verdict["judged"]["codes"].values()) == len(one["findings"])
    assert verdict["differences"] == len(compared["differences"])
    assert verdict["judged"]["winner"] is None
    assert verdict["against"]["winner"] == "two"
    assert verdict["against"]["won_by"] == "forfeit"
    assert last["totals"]["ending_otherwise"] == 1
    told = run("judge", "--all", *other).out
    assert "  1 match ends otherwise: by score, winner, or how it was won" in told
    assert f"{MATCH_ID}  (log club): 0-0 and nobody has won by usbgf-2017-07" in told
    assert "two has won by biba-2014" in told


def test_a_run_that_was_broken_off_goes_on_and_judges_nothing_twice(
    run: Run, late: None, match_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", match_file)
    report = tmp_path / "report.jsonl"
    whole = tmp_path / "whole.jsonl"
    run("judge", "--all", "--to", whole)
    judged: list[str] = []

    def broken(piece: pieces.Piece) -> list[bytes]:
        if judged:
            raise KeyboardInterrupt
        judged.extend(piece.matches)
        return pieces.judged(piece)

    monkeypatch.setattr(rejudging, "judged", broken)
    stopped = run("judge", "--all", "--to", report, exit_code=130)
    assert "the same command goes on" in stopped.err
    assert [one["match_id"] for one in lines_of(report)[1:]] == judged
    # And torn in the middle of a line, as a process that is killed leaves it.
    report.write_bytes(report.read_bytes() + b'{"log_id":"club","mat')
    again: list[str] = []

    def counted(piece: pieces.Piece) -> list[bytes]:
        again.extend(piece.matches)
        return pieces.judged(piece)

    monkeypatch.setattr(rejudging, "judged", counted)
    ran = run("judge", "--all", "--to", report)
    assert "going on: 1 match judged before" in ran.err
    assert set(again).isdisjoint(judged)
    assert sorted(report.read_text().splitlines()) == sorted(whole.read_text().splitlines())


def test_a_match_that_has_grown_is_judged_anew_and_stands_once(
    run: Run, late: None, database: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.jsonl"
    run("judge", "--all", "--to", report)
    archive = open_archive(f"sqlite:///{database}")
    try:
        payload = archive.reading.live("club", MATCH_ID).recorded[1].payload
        archive.store.append("club", MATCH_ID, [archive.draft(payload)])
    finally:
        archive.close()
    ran = run("judge", "--all", "--to", report, "--json")
    assert ran.lines[-1]["totals"]["entries"] == 4
    head, *verdicts = lines_of(report)
    assert head["format"] == "tabularium-judged"
    assert [one["version"] for one in verdicts] == [4]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a letter\n", "is no report of judge --all: name another file"),
        ("no end of line", "is no report of judge --all: name another file"),
        (
            '{"rules":null,"against":null,"program":"0.0.1","sentences":"",'
            '"format":"tabularium-judged","format_version":1}\n',
            "was made with another version of this program (0.0.1, now ",
        ),
    ],
)
def test_a_file_that_is_no_report_of_this_run_is_left_alone(
    run: Run, late: None, tmp_path: Path, content: str, said: str
) -> None:
    report = tmp_path / "report.jsonl"
    report.write_text(content)
    ran = run("judge", "--all", "--to", report, exit_code=2)
    assert said in ran.err
    assert report.read_text() == content


def test_what_is_no_file_is_not_read_for_a_report(run: Run, late: None, tmp_path: Path) -> None:
    # A pipe would be waited for, and a device read to its end, which may never come.
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path):
        told = run("judge", "--all", "--to", place, exit_code=2).err
        assert "is no file, and a report is read by the run that goes on with it" in told
    assert not [*tmp_path.glob("*.lock")]


def test_another_question_wants_another_report(run: Run, late: None, tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    run("judge", "--all", "--to", report, "--rules", "common")
    ran = run("judge", "--all", "--to", report, "--rules", "biba-2014", exit_code=2)
    assert "was made with other --rules (common, now biba-2014)" in ran.err
    damaged = report.read_text() + "{}\n"
    report.write_text(damaged)
    ran = run("judge", "--all", "--to", report, "--rules", "common", exit_code=2)
    assert "line 3 is no verdict" in ran.err
    assert report.read_text() == damaged


def test_a_match_that_cannot_be_read_is_told_and_takes_no_other_with_it(
    run: Run, late: None, match_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", match_file)
    judge = pieces.replay

    def unreadable(events: Any, *rest: Any, **named: Any) -> Any:
        if len(events) == 3:
            raise ValueError("bytes that nobody wrote")
        return judge(events, *rest, **named)

    monkeypatch.setattr(pieces, "replay", unreadable)
    ran = run("judge", "--all", "--json", exit_code=1)
    assert [one.get("unreadable") for one in ran.lines[:-1]].count("bytes that nobody wrote") == 1
    assert ran.lines[-1]["totals"]["unreadable"] == 1
    ran = run("judge", "--all", exit_code=1)
    assert f"left out: match {MATCH_ID} of log club cannot be judged" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("judge",), "name a MATCH"),
        (("judge", MATCH_ID, "--all"), "name no MATCH and no --at"),
        (("judge", "--all", "--at", "2"), "name no MATCH and no --at"),
        (("judge", MATCH_ID, "--workers", "2"), "--to and --workers go with --all"),
        (("judge", "--all", "--rules", "none-such"), "there is no rule set 'none-such'"),
        (("judge", "--all", "--rules", "common", "--against", "common"), "both are common"),
        (("judge", "--all", "--log", "none"), "none"),
    ],
)
def test_wrong_usage_is_one_line(
    run: Run, late: None, arguments: tuple[str, ...], said: str
) -> None:
    assert said in run(*arguments, exit_code=2).err


@pytest.mark.gate
def test_two_processes_say_what_one_says(
    run: Run, late: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        path = tmp_path / f"{number}.mat"
        path.write_text(MATCH.replace("Ida Berg", f"Ida {number}"), "utf-8")
        run("import", path)
    alone = run("judge", "--all", "--workers", "1", "--json").lines
    monkeypatch.setattr("api.publishing.engines.WORTH_A_POOL", 0)
    monkeypatch.setattr(pieces, "PIECE_ENTRIES", 1)
    assert run("judge", "--all", "--workers", "2", "--json").lines == alone
