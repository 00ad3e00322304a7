"""GNU Backgammon as an engine: always a process of its own, asked for the equities of boards.

It is under the GPL, so nothing of it is loaded here: it must be installed, and is run as any other
program is. It measures no luck.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from api.analysis.asking import AskedCube, AskedGame, AskedPlay
from api.analysis.engines import Choice, Judged, JudgedGame, NoEngine, Progress
from api.analysis.plays import play_to
from events.values import BAR, CHECKERS, Seat
from projections.board.legal import legal_positions
from projections.board.position import Position

INSIDE = Path(__file__).with_name("gnubg_inside.py")
"""What it runs for us."""

_PLACES = ("/usr/games/gnubg", "/usr/local/bin/gnubg")
_MARK = "@@"
_OPTIONS = ("-t", "-q", "-r")
"""Without a window, a sound, or the settings of whoever installed it."""
_REVISION = 2
"""Raised with every change of what is asked or counted: results that differ are not compared."""


def program() -> str:
    """Where it lies. Errors: NoEngine."""
    found = shutil.which("gnubg") or next((one for one in _PLACES if Path(one).exists()), None)
    if found is None:
        raise NoEngine("GNU Backgammon is not installed: `apt install gnubg`, or see gnubg.org")
    return found


def identity(preset: str) -> tuple[str, str]:
    """(version, preset with its revision). Errors: NoEngine."""
    run = subprocess.run([program(), "--version"], capture_output=True, text=True, check=False)
    words = run.stdout.partition("\n")[0].split()
    if not words:
        raise NoEngine("GNU Backgammon does not say its version: is it whole?")
    return f"gnubg/{words[2] if len(words) > 2 else words[-1]}", f"{preset}@{_REVISION}"


def opened(preset: str) -> GnuBackgammon:
    """The engine. Errors: NoEngine."""
    return GnuBackgammon(preset)


class GnuBackgammon:
    """The engine with one preset: a process for each game."""

    def __init__(self, preset: str) -> None:
        self.version, self.preset = identity(preset)
        self._plies = int(preset.removesuffix("ply"))

    def close(self) -> None:
        """Nothing is held."""

    def judge(self, game: AskedGame, progress: Progress) -> JudgedGame:
        """One game judged. Errors: NoEngine where it ends before it has answered."""
        if not game.choices:
            return JudgedGame((), ())
        asked = [
            _asked(game, choice, self._plies, is_first=place == 0)
            for place, choice in enumerate(game.choices)
        ]
        judged: list[Judged] = []
        answered = 0
        with tempfile.TemporaryDirectory() as folder:
            text = "".join(json.dumps(one) + "\n" for one in asked)
            (Path(folder) / "asked").write_text(text, "ascii")
            for place, told in enumerate(_answers(folder)):
                judged += _judged(game.choices[place], asked[place], told, f"{self._plies}ply")
                answered = place + 1
                progress(answered, len(asked))
        if answered != len(asked):
            raise NoEngine("GNU Backgammon ended before it had answered")
        return JudgedGame(tuple(sorted(judged, key=lambda one: one.version)), ())


def _answers(folder: str) -> Iterator[Mapping[str, Any]]:
    """What it says, question by question."""
    with subprocess.Popen(
        [program(), *_OPTIONS, "-p", str(INSIDE)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
        cwd=folder,
    ) as process:
        assert process.stdout is not None, "it is begun with a pipe"
        try:
            for line in process.stdout:
                if line.startswith(_MARK):
                    yield json.loads(line.removeprefix(_MARK))
        finally:
            process.kill()


def _asked(
    game: AskedGame, choice: AskedPlay | AskedCube, plies: int, *, is_first: bool
) -> dict[str, Any]:
    """One question."""
    seat, length = choice.seat, game.length
    is_dead = length is not None and game.score[seat] + choice.cube_value >= length
    has_cube = choice.cube_owner is not seat.other and not game.is_crawford and not is_dead
    owner = -1 if choice.cube_owner is None else int(choice.cube_owner is seat)
    asked: dict[str, Any] = {
        "plies": plies,
        "own": _counts(choice.before.own),
        "other": _counts(choice.before.other),
        "cube": choice.cube_value,
        "owner": owner,
        "length": length or 0,
        "score": [game.score[seat.other], game.score[seat]],
        "crawford": game.is_crawford,
        "jacoby": game.jacoby,
        "beavers": game.beavers,
        "asks_cube": True,
    }
    if isinstance(choice, AskedPlay):
        # Nobody may double before the opening roll.
        asked["asks_cube"] = has_cube and not is_first and choice.is_cube_clear
        ends = sorted(
            legal_positions(choice.before, choice.dice), key=lambda one: (one.own, one.other)
        )
        # Of a play that ends the game there is nothing to look at.
        if len(ends) > 1 and not any(CHECKERS in end.borne_off for end in ends):
            asked["ends"] = [[_counts(end.own), _counts(end.other)] for end in ends]
            asked["played"] = ends.index(choice.after) if choice.after in ends else -1
    return asked


def _counts(side: tuple[int, ...]) -> list[int]:
    """25 counts as it has them: points 1 to 24, then the bar."""
    return list(side[1 : BAR + 1])


def _judged(
    choice: AskedPlay | AskedCube, asked: Mapping[str, Any], told: Mapping[str, Any], level: str
) -> list[Judged]:
    """What is said of a choice."""
    slope: float | None = told.get("slope")

    def one(version: int, seat: Seat, lost: float, **more: Any) -> Judged:
        lost = round(max(lost, 0.0), 4)
        chance = None if slope is None else lost * slope
        return Judged(
            version=version, seat=seat, lost=lost, lost_chance=chance, level=level, **more
        )

    made: list[Judged] = []
    if "cube" in told:
        nd, dt, dp = told["cube"]
        doubled = min(dt, dp)
        is_double = isinstance(choice, AskedCube)
        lost = max(nd, doubled) - (doubled if is_double else nd)
        kind: Choice = "double" if is_double else "no-double"
        best: Choice = "double" if doubled > nd else "no-double"
        counts = lost >= _NOTHING or not _is_trivial(nd, dt, dp)
        at = choice.rolled_at if isinstance(choice, AskedPlay) else choice.version
        made.append(one(at, choice.seat, lost, choice=kind, best=best, counts=counts))
        if isinstance(choice, AskedCube):
            answered = dp if choice.answer == "drop" else dt
            counts = abs(dt - dp) >= _NOTHING
            best = "take" if dt <= dp else "drop"
            lost = answered - doubled if counts else 0.0
            at, seat = choice.answered_at, choice.seat.other
            made.append(one(at, seat, lost, choice=choice.answer, best=best, counts=counts))
    if "ends" in told and asked["played"] >= 0 and isinstance(choice, AskedPlay):
        seen = {int(k): value for k, value in told["ends"].items()}
        first = max(seen, key=lambda k: seen[k])
        if seen[first] - seen[asked["played"]] < _SAME:
            first = asked["played"]
        after = _end(asked["ends"][first])
        made.append(
            one(
                choice.version,
                choice.seat,
                seen[first] - seen[asked["played"]],
                choice="play",
                best="play",
                counts=told["spread"] >= _SAME,
                after=after,
                best_play=play_to(choice.before, choice.dice, after),
            )
        )
    return made


_NOTHING = 0.001
"""Equity below which a choice of the cube makes no odds."""
_SAME = 1e-4
"""Equity below which plays are the same."""


def _is_trivial(nd: float, dt: float, dp: float) -> bool:
    """Whether a cube is no decision, as gammonview has it of XG's own counts."""
    is_even = abs(nd - min(dt, dp)) < _NOTHING
    return is_even or nd - dt > 0.2 or nd - dp > 0.2 or (nd < -0.9 and dt < -0.9)


def _end(counts: list[list[int]]) -> Position:
    """The board that a question named."""
    sides = [(CHECKERS - sum(side), *side) for side in counts]
    return Position(sides[0], sides[1])
