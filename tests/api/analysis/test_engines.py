"""Real engines, each in its process: what they are asked is the session that was played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from types import ModuleType, SimpleNamespace

import pytest

from api.analysis import gnubg
from api.analysis.asking import AskedGame, AskedPlay
from api.analysis.beside import Beside
from api.analysis.engines import Judged, NoEngine
from api.analysis.money import SessionRules
from events.values import BySeat, Dice, Seat
from projections.board.legal import legal_positions
from projections.board.position import STARTING, Position

pytestmark = pytest.mark.gate

FOR_A_GAMMON = Position(
    own=(0, 0, 2, 2, 0, 2, 2, 0, 1, 1, *[0] * 3, 3, *[0] * 7, 1, 0, 0, 1, 0),
    other=(*[0] * 6, 5, 0, 5, *[0] * 4, 3, *[0] * 10, 1, 1),
)
"""Player two's board of a session without Jacoby's rule: four points in the home board, and a
checker on the bar behind them. eXtreme Gammon plays on for the gammon there, worth more than 1."""


def asked(*, jacoby: bool) -> AskedGame:
    """An opening play, and then that board, not doubled."""

    def play(version: int, seat: Seat, before: Position, dice: Dice) -> AskedPlay:
        return AskedPlay(
            version=version,
            rolled_at=version - 1,
            seat=seat,
            before=before,
            dice=dice,
            after=min(legal_positions(before, dice), key=lambda one: one.own),
            steps=None,
            is_legal=True,
            cube_value=1,
            cube_owner=None,
            is_cube_clear=True,
        )

    return AskedGame(
        number=1,
        length=None,
        score=BySeat(0, 0),
        is_crawford=False,
        jacoby=jacoby,
        beavers=False,
        choices=(play(3, Seat.ONE, STARTING, (3, 1)), play(5, Seat.TWO, FOR_A_GAMMON, (5, 1))),
        left_out=(),
    )


def not_doubled(engine: Beside, *, jacoby: bool) -> Judged:
    """The choice of player two not to double."""
    judged = engine.judge(asked(jacoby=jacoby), lambda done, total: None).judged
    [found] = [one for one in judged if one.choice == "no-double" and one.seat is Seat.TWO]
    return found


@pytest.fixture(params=[("bgsage", "very_quick"), ("gnubg", "0ply")], ids=["bgsage", "gnubg"])
def engine(
    request: pytest.FixtureRequest, require: Callable[[bool, str], None]
) -> Iterator[Beside]:
    name, preset = request.param
    try:
        beside = Beside(name, preset)
    except NoEngine as error:
        require(False, str(error))
        raise
    with closing(beside):
        yield beside


def test_who_plays_on_for_a_gammon_missed_a_double_under_jacobys_rule_alone(engine: Beside) -> None:
    with_it, without = not_doubled(engine, jacoby=True), not_doubled(engine, jacoby=False)
    assert (with_it.best, without.best) == ("double", "no-double")
    assert with_it.lost > 0.05 > without.lost


def engine_of(heard: list[dict[str, object]]) -> tuple[ModuleType, type]:
    """An engine that stores what it is asked, and a function that evaluates games with it."""

    class Engine:
        def checker_play(self, board: str, *, jacoby: bool = True, beaver: bool = True) -> None:
            heard.append({"jacoby": jacoby, "beaver": beaver})

        def cube_action(self, board: str, *, jacoby: bool = True, beaver: bool = True) -> None:
            heard.append({"jacoby": jacoby, "beaver": beaver})

        def post_move_analytics(self, board: str, *, jacoby: bool = True) -> None:
            heard.append({"jacoby": jacoby})

    def checker_play(
        engine: Engine, board: str, *, jacoby: bool = True, beaver: bool = True
    ) -> None:
        engine.checker_play(board, jacoby=jacoby, beaver=beaver)

    evaluating = ModuleType("evaluating")
    evaluating.__dict__["_checker_play"] = checker_play
    return evaluating, Engine


def test_every_question_goes_under_the_rules_of_its_session() -> None:
    heard: list[dict[str, object]] = []
    evaluating, engine = engine_of(heard)
    rules = SessionRules(evaluating, engine)
    one = engine()
    for jacoby, beavers in ((False, False), (True, False), (False, True)):
        rules.be(jacoby=jacoby, beavers=beavers)
        heard.clear()
        evaluating.__dict__["_checker_play"](one, "board")
        one.checker_play("board")
        one.cube_action("board")
        one.post_move_analytics("board")
        both: dict[str, object] = {"jacoby": jacoby, "beaver": beavers}
        assert heard == [both, both, both, {"jacoby": jacoby}]
    one.cube_action("board", jacoby=True)
    assert heard[-1] == {"jacoby": True, "beaver": True}, "what is said outright stands"


def test_an_engine_with_other_questions_is_not_asked_at_all() -> None:
    with pytest.raises(AttributeError):
        SessionRules(ModuleType("evaluating"), SimpleNamespace)


def test_gnu_backgammon_is_told_of_beavers() -> None:
    game = asked(jacoby=False)
    told = gnubg._asked(game, game.choices[1], 0, is_first=False)
    assert (told["jacoby"], told["beavers"]) == (False, False)
