"""Every real match file: read, replayed, written, read again; counts, scores and results agree."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.exchange import mat
from api.exchange.facts import Ended, NoticeCode, ReadMatch
from api.exchange.files import read_file
from events.envelope import RecordedEvent
from events.payloads import cube, dice, match, play
from events.values import BySeat, Seat
from projections.board.ids import position_id
from projections.replay import Replay, replay

Recorded = Callable[[ReadMatch], list[RecordedEvent]]

TEXT_FILES = 465
GNUBG = Path("/usr/games/gnubg")
COMPLAINTS = (
    *("WARNING", "Unrecognised", "record found but", "Illegal Snowie", "No '('"),
    *("not a valid", "Unexportable"),
)


@pytest.fixture(scope="session")
def replays(shelf: Any, recorded: Recorded) -> list[tuple[dict[str, str], ReadMatch, Replay]]:
    return [(row, read, replay(recorded(read))) for row, read in shelf.read]


def test_every_text_file_is_read_and_every_other_refused(shelf: Any) -> None:
    assert len(shelf.read) == TEXT_FILES
    assert {row["dialect"] for row, _ in shelf.refused} == {
        "xg-binary",
        "sgf-gnubg",
        "sgf-www.backgammonhub.com",
    }


def test_dialect_length_games_and_rolls_are_those_of_the_index(shelf: Any) -> None:
    for row, read in shelf.read:
        counted = (read.dialect, str(read.length or 0), str(read.games), str(read.rolls))
        indexed = (row["dialect"], row["match_length"], row["games"], row["plies"])
        assert counted == indexed, row["plies"]


def test_nothing_in_a_real_file_is_left_unread(shelf: Any) -> None:
    found = Counter(notice.code for _, read in shelf.read for notice in read.notices)
    assert found == {
        NoticeCode.UNLIMITED: 70,
        NoticeCode.RESULT_DIFFERS: 37,
        NoticeCode.HIT_WITHOUT_STAR: 1,
        NoticeCode.DECLARED_ILLEGAL: 1,
        NoticeCode.STARTS_LATE: 1,
        NoticeCode.STATED_POSITION: 1,
    }
    assert not any(read.lost for _, read in shelf.read)


def test_one_play_is_illegal_and_it_is_the_declared_one(replays: Any) -> None:
    illegal = [
        row["path"]
        for row, _, replayed in replays
        for finding in replayed.findings
        if finding.code == "illegal-play"
    ]
    assert len(illegal) == 1
    assert "declared" in illegal[0]


def test_every_printed_score_is_the_computed_one(replays: Any) -> None:
    printed = 0
    for row, _, replayed in replays:
        for step in replayed.steps:
            payload = step.event.payload
            if isinstance(payload, match.ScoreNoted):
                assert payload.score == step.before.score.score, row["plies"]
                printed += 1
    assert printed == 1_499


def test_results_are_those_of_the_file_or_their_cap(replays: Any) -> None:
    differing = []
    for row, read, replayed in replays:
        score = replayed.state.score
        if read.result.ended is Ended.MATCH:
            assert score.winner is read.result.winner, row["plies"]
        if score.score != read.claimed_score:
            codes = {finding.code for finding in replayed.findings}
            differing.append("claim-capped" if "claim-capped" in codes else "claim-differs")
    # The one that differs is an unlimited series under Jacoby, which its headers do not say.
    assert Counter(differing) == {"claim-capped": 36, "claim-differs": 1}


def story(replayed: Replay) -> list[object]:
    told: list[object] = []
    for step in replayed.steps:
        payload = step.event.payload
        if isinstance(payload, match.GameStarted):
            told.append(step.before.score.score)
        elif isinstance(payload, dice.Rolled):
            told.append((payload.seat, payload.dice))
        elif isinstance(payload, play.PlayMade):
            told.append((payload.seat, step.after.positions.board))
        elif isinstance(payload, cube.DoubleOffered | cube.DoubleTaken | cube.DoubleDropped):
            told.append((type(payload), payload.seat, step.after.cube.value))
    told += [(game.winner, game.points) for game in replayed.state.score.games]
    return told


def test_export_and_import_give_the_same_match(replays: Any, recorded: Recorded) -> None:
    for row, read, replayed in replays:
        if "position.stated" in {fact.tag for fact in read.facts}:
            continue  # a set position is reported as lost
        written = mat.write(replayed)
        (again,) = read_file(written.text.encode(), "export.mat")
        back = replay(recorded(again))
        assert story(back) == story(replayed), row["plies"]
        assert mat.write(back).text == written.text, row["plies"]


def test_gnubg_reads_the_same_positions_and_scores(
    replays: Any, tmp_path: Path, require: Callable[[bool, str], None]
) -> None:
    require(GNUBG.is_file(), "GNU Backgammon is not installed")
    chosen = {
        k: replayed
        for k, (_, read, replayed) in enumerate(replays)
        if k % 8 == 0 and "position.stated" not in {fact.tag for fact in read.facts}
    }
    for k, replayed in chosen.items():
        text = mat.write(replayed, BySeat("Ada", "Ben")).text
        (tmp_path / f"{k}.mat").write_text(text, encoding="utf-8")
    read = gnubg_reads(tmp_path, list(chosen))
    for k, replayed in chosen.items():
        ours, scores = [], []
        for step in replayed.steps:
            payload = step.event.payload
            if isinstance(payload, match.GameStarted):
                scores.append([*step.before.score.score])
            if isinstance(payload, play.PlayMade):
                board = step.before.positions.board
                assert board is not None
                ours.append(position_id(board if payload.seat is Seat.ONE else board.swap()))
        games = read[str(k)]["games"]
        acts = [act for game in games for act in game["game"]]
        assert [act["board"] for act in acts if act["action"] == "move"] == ours
        assert [[g["info"]["score-X"], g["info"]["score-O"]] for g in games] == scores


def gnubg_reads(folder: Path, numbers: list[int]) -> dict[str, Any]:
    """What GNU Backgammon makes of the files; it must complain about nothing."""
    script = f"""
import json
for word in ("game", "roll", "move", "bearoff"):
    gnubg.command("set automatic " + word + " off")
for word in ("display off", "confirm new off", "confirm save off"):
    gnubg.command("set " + word)
for number in (0, 1):
    gnubg.command("set player %d human" % number)
read = {{}}
for k in {numbers!r}:
    gnubg.command('import mat "{folder}/%d.mat"' % k)
    read[k] = gnubg.match(analysis=0, boards=1)
json.dump(read, open("{folder}/read.json", "w"), default=str)
"""
    (folder / "probe.py").write_text(script, encoding="utf-8")
    ran = subprocess.run(
        [GNUBG, "-t", "-q", "-r", "-p", folder / "probe.py"],
        env={**os.environ, "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    log = (ran.stdout + ran.stderr).decode("utf-8", "replace")
    assert ran.returncode == 0
    assert not [complaint for complaint in COMPLAINTS if complaint in log]
    read: dict[str, Any] = json.loads((folder / "read.json").read_text(encoding="utf-8"))
    return read
