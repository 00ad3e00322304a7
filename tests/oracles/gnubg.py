"""GNU Backgammon as an oracle: what it reads in many files, in one separate process.

It answers with exit code 0 whatever happens to a file, so its log is scanned file by file and the
files are counted. Player X, its player 0, is the left one: seat one.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from events.values import Seat

GNUBG = next((p for p in (Path("/usr/games/gnubg"), Path("/usr/bin/gnubg")) if p.exists()), None)
"""The program; None where it is not installed."""

COMPLAINTS = (
    *("WARNING", "Warning", "Unrecognised", "record found but", "Illegal Snowie", "No '('"),
    *("not a valid", "Unexportable", "Expand move failed", "Invalid move", "Error", "error"),
)
"""Words in its log which say that something was not read as written."""

SETTINGS = (
    *("automatic game off", "automatic roll off", "automatic move off", "automatic bearoff off"),
    *("display off", "confirm new off", "confirm save off", "player 0 human", "player 1 human"),
)
"""Commands before anything else, so that it only reads and asks nothing."""

_MARK = "@@ file "

# The log is split by marks: its buffer is emptied before each, since the mark goes past it. A new
# match before each file, so that one that is not read does not show the match before it.
_PROBE = """
import ctypes, gnubg, json, os
flush = ctypes.CDLL(None).fflush
for setting in %(settings)r:
    gnubg.command("set " + setting)
read = {}
for key, command in json.load(open("asked.json", encoding="utf-8")):
    flush(None)
    os.write(1, ("\\n%(mark)s" + key + "\\n").encode())
    gnubg.command("new match 1")
    gnubg.command(command)
    try:
        found = gnubg.match(analysis=0, boards=1)
    except Exception as failed:
        read[key] = {"failed": repr(failed)}
        continue
    if %(ids)r:
        gnubg.navigate()
        for number, game in enumerate(found["games"]):
            if number:
                gnubg.navigate(game=1)
            game["ids"] = [gnubg.gnubgid()]
            for _ in game["game"]:
                gnubg.navigate(next=1)
                game["ids"].append(gnubg.gnubgid())
    read[key] = found
flush(None)
json.dump(read, open("read.json", "w", encoding="utf-8"), default=str)
"""


class Action(msgspec.Struct, frozen=True):
    """One record of a game."""

    kind: str
    """move, double, take, drop, resign or set."""
    seat: Seat | None
    """Who acts."""
    dice: tuple[int, int] | None
    """The roll, in the order written."""
    board: str | None
    """Position ID before it, the side to act on roll; of a `set`, the board that it sets."""
    comment: str | None
    """Its comment."""
    after: str
    """Position ID and Match ID once it is done, `:` between; "" unless they were asked for."""


class Game(msgspec.Struct, frozen=True):
    """One game as GNU Backgammon reads it."""

    score: tuple[int, int]
    """Points of both at its start."""
    is_crawford: bool
    """Whether it is the Crawford game."""
    winner: Seat | None
    """Who won it; None while nobody has."""
    points: int | None
    """Points won, uncapped."""
    is_resigned: bool
    """Whether it ended by a resignation."""
    actions: list[Action]
    """Its records in order."""
    start: str
    """Position ID and Match ID at its start; "" unless they were asked for."""

    @property
    def boards(self) -> list[str | None]:
        """Position ID before each play, of plays alone."""
        return [action.board for action in self.actions if action.kind == "move"]


class Read(msgspec.Struct, frozen=True):
    """The result of GNU Backgammon for one file."""

    names: tuple[str, str]
    """Names of both players, the left one first."""
    length: int
    """Match length; 0 for money."""
    info: dict[str, Any]
    """Its `match-info`."""
    games: list[Game]
    """The games."""
    complaints: list[str]
    """Lines of its log that say that something was not read; failures too."""


def read(
    folder: Path, files: Mapping[str, bytes], *, ids: bool = False, seconds: int = 240
) -> dict[str, Read]:
    """What it reads in each file, by the given names (`x.mat`, `y.sgf`; without blanks).

    `ids` asks for the Match ID after every record too. `folder` is for temporary files and becomes
    its home.
    """
    assert GNUBG is not None, "ask for the fixture `gnubg` first"
    asked = []
    for number, (name, content) in enumerate(files.items()):
        path = folder / f"{number}{Path(name).suffix}"
        path.write_bytes(content)
        command = "load match" if path.suffix == ".sgf" else "import mat"
        asked.append([name, f'{command} "{path}"'])
    (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    probe = _PROBE % {"settings": SETTINGS, "mark": _MARK, "ids": ids}
    (folder / "probe.py").write_text(probe, encoding="utf-8")
    log = run(folder, seconds=seconds)
    found = json.loads((folder / "read.json").read_text(encoding="utf-8"))
    assert list(found) == list(files), "not every file was read"
    logs = dict(part.split("\n", 1) for part in log.split("\n" + _MARK)[1:])
    assert list(logs) == list(files), "the log does not speak of every file"
    return {name: _read(found[name], logs[name]) for name in files}


def run(folder: Path, *, seconds: int = 240) -> str:
    """Run `probe.py` of a folder, which becomes its home; the log. Exit code 134 is an abort."""
    done = subprocess.run(
        [str(GNUBG), "-t", "-q", "-r", "-p", "probe.py"],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=seconds,
        check=False,
    )
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, f"exit code {done.returncode}: {log[-2000:]}"
    return log


_SEATS = {"X": Seat.ONE, "O": Seat.TWO, None: None}


def _read(found: dict[str, Any], log: str) -> Read:
    complaints = [line for line in log.split("\n") if any(word in line for word in COMPLAINTS)]
    if "failed" in found:
        return Read(("", ""), 0, {}, [], [*complaints, found["failed"]])
    info = found["match-info"]
    return Read(
        names=(info["X"]["name"], info["O"]["name"]),
        length=info["match-length"],
        info=info,
        games=[_game(game) for game in found["games"]],
        complaints=complaints,
    )


def _game(game: dict[str, Any]) -> Game:
    info = game["info"]
    ids = game.get("ids") or [""] * (len(game["game"]) + 1)
    return Game(
        score=(info["score-X"], info["score-O"]),
        is_crawford=bool(info.get("crawford")),
        winner=_SEATS[info["winner"]],
        points=info.get("points-won"),
        is_resigned=bool(info.get("resigned")),
        actions=[_action(one, after) for one, after in zip(game["game"], ids[1:], strict=True)],
        start=ids[0],
    )


def _action(action: dict[str, Any], after: str) -> Action:
    dice = action.get("dice")
    return Action(
        kind=action["action"],
        seat=_SEATS[action.get("player")],
        dice=None if dice is None else (dice[0], dice[1]),
        board=action.get("board"),
        comment=action.get("comment"),
        after=after,
    )
