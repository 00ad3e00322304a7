"""bgsage through gammonview: its networks come with the extra `analysis`, and it works offline.

A game is handed over as gammonview's own document of a match, with a name for each seat and
none of a person, and comes back with an analysis at each of its plies.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from api.analysis.asking import AskedCube, AskedGame, AskedPlay
from api.analysis.engines import Choice, Judged, JudgedGame, Luck, NoEngine, Progress
from api.analysis.money import SessionRules
from api.analysis.plays import play_to
from api.exchange.ogxm.board import (
    BEAVER,
    CUBE_SET,
    DOUBLE,
    DROP,
    SET_POSITION,
    TAKE,
    action_of,
    colour_of,
    move_of,
    signed,
    step_of,
)
from events.values import Seat
from projections.board.legal import legal_positions
from projections.board.position import STARTING

Part = dict[str, Any]

_INSTALL = (
    "analysis needs {name}: install the extra, `pip install 'tabularium-backgammon[analysis]'`"
    " or `uv sync --extra analysis`"
)
ASKED = 2
"""How this module asks: one more where the same engine would answer otherwise, so that what was
judged before is judged anew. 2: sessions are asked about under their own rules."""

_ANSWER_PLIES = {"take": TAKE, "drop": DROP, "beaver": BEAVER}
_WORDS: dict[str, Choice] = {
    "no_double": "no-double",
    "double": "double",
    "take": "take",
    "pass": "drop",
}


def _needed(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise NoEngine(_INSTALL.format(name=error.name or module)) from None


def identity(preset: str) -> tuple[str, str]:
    """(version, preset with its revision). Errors: NoEngine."""
    match = _needed("gvanalysis.match")
    label: str = _needed("gvanalysis.presets").resolve_preset(preset).label
    return f"{match.model_id()} {match.engine_build()} asked/{ASKED}", label


def opened(preset: str) -> Sage:
    """The engine. Errors: NoEngine."""
    return Sage(preset)


class Sage:
    """The engine with one preset."""

    def __init__(self, preset: str) -> None:
        self.version, self.preset = identity(preset)
        self._name = preset
        evaluating, bgsage = _needed("gvanalysis.game_eval"), _needed("bgsage")
        try:
            self._rules = SessionRules(evaluating, bgsage.BgBotAnalyzer)
        except AttributeError as error:
            raise NoEngine(
                f"this gammonview cannot be asked under a session's own rules ({error}):"
                " install the version that the extra `analysis` names"
            ) from None

    def close(self) -> None:
        """Nothing is held."""

    def judge(self, game: AskedGame, progress: Progress) -> JudgedGame:
        """One game judged."""
        told = _Told(game)
        document = told.document()
        if not game.choices:
            return JudgedGame((), ())
        analysis, codec = _needed("gvanalysis"), _needed("gvformat")
        self._rules.be(jacoby=game.jacoby, beavers=game.beavers)
        made = analysis.analyze_ogxm(
            document,
            preset=self._name,
            threads=1,
            quiet=True,
            show_progress=False,
            on_progress=progress,
        )
        whole = codec.append_analysis(document, codec.to_ogxm_json(made, keep_orientation=True))
        return told.judged([ply.get("analysis") for ply in whole["games"][0]["plies"]])


class _Told:
    """One game as plies, and which choice each of them is."""

    def __init__(self, game: AskedGame) -> None:
        self.game = game
        self.plies: list[Part] = []
        self.places: list[int] = []
        """For each choice the place of its (first) ply."""
        self.board = STARTING
        """The board that the plies have come to, from seat one's side."""
        self.cube: tuple[int, Seat | None] = (1, None)

    def document(self) -> Part:
        """The document of a match that has this game alone."""
        for choice in self.game.choices:
            self.set_up(choice)
            self.places.append(len(self.plies))
            if isinstance(choice, AskedPlay):
                self.play(choice)
            else:
                self.double(choice)
        game = self.game
        return {
            "match_length": game.length or 0,
            "player_white": Seat.ONE.value,
            "player_black": Seat.TWO.value,
            "crawford": game.length is not None,
            "jacoby": game.jacoby,
            "beaver": game.beavers,
            "cube_limit": 0,
            "score_start": list(game.score),
            "games": [
                {
                    "game_index": 0,
                    "winner": 255,
                    "points_won": 0,
                    "is_crawford": game.is_crawford,
                    "plies": self.plies,
                }
            ],
        }

    def set_up(self, choice: AskedPlay | AskedCube) -> None:
        """Bring board and cube to where they are before a choice."""
        board = choice.before.seen_by(choice.seat)
        if board != self.board:
            color = colour_of(choice.seat)
            self.plies.append(
                {"action_id": SET_POSITION, "color": color, "set_position": signed(board)}
            )
            self.board = board
        cube = (choice.cube_value, choice.cube_owner)
        if cube != self.cube:
            owner = None if choice.cube_owner is None else 1 - colour_of(choice.cube_owner)
            self.plies.append(
                {
                    "action_id": CUBE_SET,
                    "color": colour_of(choice.seat),
                    "cube_value": choice.cube_value,
                    "cube_owner": owner,
                }
            )
            self.cube = cube

    def play(self, choice: AskedPlay) -> None:
        """A roll and what was played."""
        ply: Part = {"color": colour_of(choice.seat), "d1": choice.dice[0], "d2": choice.dice[1]}
        after = choice.after.seen_by(choice.seat)
        if choice.steps is None:
            ply |= {"action_id": SET_POSITION, "set_position": signed(after)}
        else:
            moves = [step_of(move, choice.seat) for move in choice.steps]
            ply |= {"action_id": action_of(choice.dice), "moves": moves}
        self.plies.append(ply)
        self.board = after

    def double(self, choice: AskedCube) -> None:
        """A double and its answer."""
        self.plies.append({"action_id": DOUBLE, "color": colour_of(choice.seat)})
        answer = _ANSWER_PLIES[choice.answer]
        self.plies.append({"action_id": answer, "color": colour_of(choice.seat.other)})
        if choice.answer == "take":
            self.cube = (choice.cube_value * 2, choice.seat.other)
        elif choice.answer == "beaver":
            self.cube = (choice.cube_value * 4, choice.seat.other)

    # -- what came back ------------------------------------------------------------------------

    def judged(self, found: list[Part | None]) -> JudgedGame:
        """The analysis of each ply as what is said of each choice."""
        judged: list[Judged] = []
        luck: list[Luck] = []
        unjudged: list[tuple[int, Seat]] = []
        for choice, place in zip(self.game.choices, self.places, strict=True):
            told = found[place]
            if isinstance(choice, AskedCube):
                pairs = (
                    (choice.version, choice.seat, told, None),
                    (choice.answered_at, choice.seat.other, found[place + 1], choice.answer),
                )
                for version, seat, one, answer in pairs:
                    if one is None:
                        unjudged.append((version, seat))
                    else:
                        judged.append(self.of_cube(choice, version, seat, one, answer))
                continue
            if told is None or ("equity_loss" not in told and not _is_forced(choice)):
                if choice.is_legal:
                    unjudged.append((choice.version, choice.seat))
            elif choice.is_legal:
                judged += self.of_play(choice, told)
            if told is not None and choice.is_cube_clear:
                judged += self.not_doubled(choice, told)
            if told is not None and told.get("luck") is not None:
                chance = self.chance(choice, told["luck"])
                luck.append(Luck(choice.version, choice.seat, told["luck"], chance))
        judged.sort(key=lambda one: one.version)
        return JudgedGame(tuple(judged), tuple(luck), tuple(unjudged))

    def of_play(self, choice: AskedPlay, told: Part) -> list[Judged]:
        """A legal play; nothing where there was but one."""
        options = told.get("alternatives") or ()
        if "equity_loss" not in told or not options:
            return []
        best = max(options, key=lambda one: one["equity"])
        if told["equity_loss"] == 0:
            best = next((one for one in options if one.get("is_played")), best)
        moves = tuple(move_of(step, choice.seat) for step in best["move"])
        after = choice.before.moved(moves).position
        lost = float(told["equity_loss"])
        return [
            Judged(
                version=choice.version,
                seat=choice.seat,
                choice="play",
                best="play",
                lost=lost,
                lost_chance=self.chance(choice, lost),
                counts=bool(told.get("decision")),
                level=best.get("eval_level") or told.get("eval_level") or "",
                after=after,
                best_play=None if after is None else play_to(choice.before, choice.dice, after),
            )
        ]

    def not_doubled(self, choice: AskedPlay, told: Part) -> list[Judged]:
        """That a player who could have doubled did not."""
        held, missed = told.get("cube_decision"), told.get("missed_double")
        one = held or missed
        if one is None:
            return []
        lost = float(one.get("equity_loss") or 0.0)
        counts = bool(held.get("decision")) if held else _missed_counts(one)
        return [
            Judged(
                version=choice.rolled_at,
                seat=choice.seat,
                choice="no-double",
                best="no-double" if held else "double",
                lost=lost,
                lost_chance=self.chance(choice, lost),
                counts=counts,
                level=one.get("eval_level") or "",
            )
        ]

    def of_cube(
        self, choice: AskedCube, version: int, seat: Seat, told: Part, answer: str | None
    ) -> Judged:
        """A double, or its answer."""
        lost = float(told.get("equity_loss") or 0.0)
        made: Choice = "double"
        if answer is not None:
            made = choice.answer
        return Judged(
            version=version,
            seat=seat,
            choice=made,
            best=_WORDS[told["correct_action"]],
            lost=lost,
            lost_chance=self.chance(choice, lost, seat),
            counts=bool(told.get("decision")),
            level=told.get("eval_level") or "",
        )

    def chance(
        self, choice: AskedPlay | AskedCube, equity: float, seat: Seat | None = None
    ) -> float | None:
        """A difference of equity as chance of winning the match.

        At one score and cube the chance is a straight line over normalised equity, so a
        difference is its slope: half of what winning and losing the game are apart.
        """
        length, score = self.game.length, self.game.score
        if length is None:
            return None
        who = seat or choice.seat
        away = (length - score[who], length - score[who.other])
        won, lost = _needed("gvformat.met").mwc_anchors(
            *away, choice.cube_value, self.game.is_crawford
        )
        return float(equity * (won - lost) / 2)


def _missed_counts(told: Mapping[str, Any]) -> bool:
    """Whether a double that was missed is a decision, as gammonview's own sums have it."""
    counted: bool = _needed("gvformat.stats")._missed_double_counts(told)
    return counted


def _is_forced(choice: AskedPlay) -> bool:
    """Whether there was but one play, or none."""
    return len(legal_positions(choice.before, choice.dice)) <= 1
