"""Legal sets and position strings are those of GNU Backgammon, where it is installed."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events.values import BySeat, Seat
from projections.board.ids import (
    MatchId,
    Xgid,
    XgSide,
    position_id,
    same_match_id,
)
from projections.board.notation import parse
from projections.board.position import Position
from tests.oracles.gnubg import SETTINGS, run

# `set turn` comes before `set board`: a later one would flip the board (formats.md 3.2).
PROBE = """
import gnubg, json
for setting in {!r}:
    gnubg.command("set " + setting)
gnubg.command("new match 5")
answers = []
for kind, text, dice in json.load(open("questions.json")):
    if kind == "hint":
        gnubg.command("set turn 0")
        gnubg.command("set board " + text)
        gnubg.command("set dice %d %d" % tuple(dice))
        answers.append([gnubg.positionid(), [one["move"] for one in gnubg.hint(5000)["hint"]]])
    elif kind == "xgid":
        gnubg.command("set xgid " + text)
        answers.append(gnubg.gnubgid())
    else:
        gnubg.command("set matchid " + text)
        cube, where = gnubg.cubeinfo(), gnubg.posinfo()
        answers.append([gnubg.matchid(), cube["cube"], cube["cubeowner"], cube["matchto"],
                        list(cube["score"]), cube["crawford"], list(where["dice"])])
json.dump(answers, open("answers.json", "w"))
""".format((*SETTINGS, "evaluation chequerplay evaluation plies 0"))

Ask = Callable[[list[Any]], list[Any]]


@pytest.fixture
def ask(gnubg: Path, tmp_path: Path) -> Ask:
    """One process of GNU Backgammon for a list of questions; its exit code is not trusted."""

    def _ask(questions: list[Any]) -> list[Any]:
        (tmp_path / "questions.json").write_text(json.dumps(questions))
        (tmp_path / "probe.py").write_text(PROBE)
        log = run(tmp_path)
        answers = tmp_path / "answers.json"
        assert answers.exists(), log[-2000:]
        found: list[Any] = json.loads(answers.read_text())
        assert len(found) == len(questions)
        return found

    return _ask


@pytest.mark.gate
def test_legal_sets_equal_gnubg_hints(
    ask: Ask, playout: Callable[[random.Random], Iterator[tuple[Position, tuple[int, int]]]]
) -> None:
    chance = random.Random(20260803)
    pool = [turn for _ in range(40) for turn in playout(chance)]
    chosen = [turn for turn in pool if turn[0].is_sound()]
    by_kind = {
        "any": chosen,
        "doublet": [t for t in chosen if t[1][0] == t[1][1]],
        "bar": [t for t in chosen if t[0].own[25]],
        "bear-off": [t for t in chosen if not any(t[0].own[7:])],
    }
    turns = [turn for kind in by_kind.values() for turn in chance.sample(kind, 120)]
    answers = ask([("hint", position_id(position), dice) for position, dice in turns])
    counted: Counter[str] = Counter()
    for (position, dice), (named, texts) in zip(turns, answers, strict=True):
        assert named == position_id(position)
        plays = position.legal_plays(dice)
        expected = {position.moved(parse(text).moves).position for text in texts}
        told = f"\n{position.draw()}\n{dice}\ngnubg: {texts}\nours: {[str(p) for p in plays]}"
        assert len(texts) == plays.count(), told
        assert (expected or {position}) == set(plays.ends), told
        counted["dances" if not texts else "played"] += 1
        counted["end positions"] += len(texts)
    print(dict(counted))
    assert counted["dances"] > 5


def test_match_ids_mean_the_same_to_gnubg(ask: Ask) -> None:
    chance = random.Random(9)
    match_ids = []
    for _ in range(60):
        length = chance.choice((3, 5, 7, 15, 25))
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        log2 = chance.randint(0, 3)
        on_roll = chance.choice(list(Seat))
        match_ids.append(
            MatchId(
                cube_value=1 << log2,
                cube_owner=chance.choice(list(Seat)) if log2 else None,
                on_roll=on_roll,
                to_act=on_roll,
                dice=(max(dice), min(dice)),
                length=length,
                score=BySeat(chance.randrange(length - 1), chance.randrange(length - 1)),
            )
        )
    answers = ask([("matchid", match_id.encode(), None) for match_id in match_ids])
    for match_id, (text, cube, owner, length, score, crawford, dice) in zip(
        match_ids, answers, strict=True
    ):
        assert same_match_id(text, match_id.encode())
        decoded = MatchId.decode(text)
        assert decoded.cube_value == cube
        assert decoded.cube_owner == (None if owner == -1 else list(Seat)[owner])
        assert decoded.length == length
        assert list(decoded.score) == score
        assert decoded.is_crawford == bool(crawford)
        assert decoded.dice == tuple(dice)


def test_xgids_name_the_same_board_to_gnubg(
    ask: Ask, playout: Callable[[random.Random], Iterator[tuple[Position, tuple[int, int]]]]
) -> None:
    chance = random.Random(10)
    turns = [turn for _ in range(3) for turn in playout(chance)]
    turns = [turn for turn in turns if turn[0].has_contact()]
    xgids = []
    for position, dice in chance.sample(turns, 60):
        side = chance.choice(list(XgSide))
        board = position if side is XgSide.BOTTOM else position.swap()
        xgids.append(Xgid(board, 2, chance.choice(list(XgSide)), side, dice, 1, 3, 7))
    answers = ask([("xgid", xgid.encode(), None) for xgid in xgids])
    for xgid, answer in zip(xgids, answers, strict=True):
        board, match = answer.split(":")
        assert board == position_id(xgid.position), xgid.encode()
        known = MatchId.decode(match)
        assert known.dice == tuple(sorted(xgid.dice or (), reverse=True))
        assert (known.length, known.cube_value) == (7, 2)
        # gnubg seats the player on roll at the bottom, so only who is on roll compares
        on_roll_score = xgid.score_bottom if xgid.on_roll is XgSide.BOTTOM else xgid.score_top
        assert known.score[known.on_roll] == on_roll_score
        assert (known.cube_owner is known.on_roll) == (xgid.cube_owner is xgid.on_roll)
