"""Real match files through the command line: imported, compared with themselves, given back."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from api.exchange.readers import read_file
from api.exchange.sealed import jsonl

pytestmark = pytest.mark.gate

DISTURBING = {
    *("illegal-play", "landed-on-point", "board-unknown", "play-without-roll", "out-of-turn"),
    *("position-fault", "outside-game", "game-in-progress", "game-after-match"),
    *("answer-without-offer", "offer-not-answered", "cube-in-crawford-game", "cube-not-owned"),
    *("cube-after-roll", "cube-before-opening", "cube-dead", "cube-differs"),
    *("claim-differs", "score-differs", "score-restated", "result-differs"),
}
"""Findings that a sound file gives no cause for, if it is read rightly."""

KNOWN = {
    # A remark in the file's header declares this play illegal.
    "33aba93f": {"illegal-play"},
    # The loser has borne off nothing, and one point is printed: a session without limit.
    "fb34a916": {"claim-differs"},
}
"""What single files are known for, by the beginning of their SHA-256."""

ROWS_A_DIALECT = pytest.mark.parametrize("rows", [3, pytest.param(14, marks=pytest.mark.long)])
"""How many files of the large dialects are taken; of the small ones, all."""


def _readable(shared_folder: Path, require: Any) -> list[tuple[Path, dict[str, str]]]:
    index = shared_folder / "corpus" / "INDEX.csv"
    require(index.is_file(), "the corpus of real match files is not beside this checkout")
    with index.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        (index.parent / row["file"], row)
        for row in rows
        if row["dialect"] != "xg-binary" and not row["dialect"].startswith("sgf")
    ]


def _spread(
    files: list[tuple[Path, dict[str, str]]], most: int
) -> list[tuple[Path, dict[str, str]]]:
    """Some of every dialect, evenly from each, and whatever a file is known for."""
    dialects: dict[str, list[tuple[Path, dict[str, str]]]] = {}
    for path, row in files:
        dialects.setdefault(row["dialect"], []).append((path, row))
    return [
        file
        for rows in dialects.values()
        for place, file in enumerate(rows)
        if place % max(1, len(rows) // most) == 0 or known(file[0])
    ]


def _check(result: dict[str, Any], row: dict[str, str]) -> None:
    """One file's result against the index and against what the file itself prints."""
    assert "refused" not in result, result
    assert result["dialect"] == row["dialect"]
    assert result["length"] == (int(row["match_length"]) or None)
    assert (result["games"], result["rolls"]) == (int(row["games"]), int(row["plies"]))
    codes = {finding["code"] for finding in result["findings"]}
    assert codes & DISTURBING == known(Path(result["file"])), result["findings"]
    if "claim-differs" in codes:
        return
    computed, claimed = result["score"], result["claimed_score"]
    if "claim-capped" in codes:
        # The last game is printed with at most what the match needed, or its length.
        for seat, points in computed.items():
            assert min(points, result["length"]) <= claimed[seat] <= points
        assert claimed[result["result"]["winner"]] >= result["length"]
    else:
        assert claimed == computed


def known(path: Path) -> set[str]:
    """What a file is known for; file names and players stay out of this text."""
    return KNOWN.get(hashlib.sha256(path.read_bytes()).hexdigest()[:8], set())


@ROWS_A_DIALECT
def test_files_of_every_dialect_come_in_and_out_again(
    run, shared_folder: Path, require, rows: int
) -> None:
    files = _spread(_readable(shared_folder, require), rows)
    assert len(files) >= 3 * rows
    assert len({row["dialect"] for _, row in files}) == 8
    results = run("import", "--json", *(path for path, _ in files)).lines
    assert [result["file"] for result in results] == [str(path) for path, _ in files]
    for result, (_, row) in zip(results, files, strict=True):
        _check(result, row)

    listed = {row["match_id"]: row for row in run("matches", "--json").lines}
    assert set(listed) == {result["match_id"] for result in results}
    for result in results:
        match_id = result["match_id"]
        assert listed[match_id]["score"] == result["score"]
        shown = json.loads(run("show", match_id, "--json").out)
        assert shown["score"] == result["score"]
        assert [len(side or []) for side in shown["checkers"].values()] in ([26, 26], [0, 0])
        lines = run("replay", match_id, "--json").lines
        assert len(lines) == listed[match_id]["version"]
        assert lines[-1]["score"] == result["score"]
        assert sum(len(line["findings"]) for line in lines) == len(result["findings"])
        sealed = jsonl.read(run("export", match_id, "--format", "jsonl").out.encode())
        assert not sealed.problems
        assert len(sealed.entries) == len(lines)
        [again] = read_file(run("export", match_id, "--format", "mat").out.encode(), "x")
        assert again.games == result["games"]

    before = len(run("matches", "--json").lines)
    assert all(line["already"] for line in run("import", "--json", *(p for p, _ in files)).lines)
    assert len(run("matches", "--json").lines) == before
    assert "all as sealed" in run("fsck").out


@pytest.mark.long
def test_the_whole_corpus_comes_in(run, shared_folder: Path, require) -> None:
    files = _readable(shared_folder, require)
    results = run("import", "--json", *(path for path, _ in files)).lines
    for result, (_, row) in zip(results, files, strict=True):
        _check(result, row)
    assert "all as sealed" in run("fsck").out
