"""OGXM documents for tests: plies by hand, the board of an OGID, and the essence of a match."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

from api.exchange.ogxm.writer import WRITER
from api.exchange.writing.story import Act, Kind, told
from api.exchange.writing.wanted import Wanted, Written
from events.values import BySeat, Seat
from projections.board.position import Position
from projections.replay import Replay


@pytest.fixture(autouse=True)
def codec(require: Callable[[bool, str], None]) -> None:
    """Every test of a module that imports this needs the package."""
    require(importlib.util.find_spec("ogxm") is not None, "the package ogxm is not installed")


def ogxm() -> Any:
    """The package, imported when it is needed."""
    return importlib.import_module("ogxm")


NAMES = BySeat("Ada", "Ben")

WHITE, BLACK = 1, 0

OPENING = {
    "color": WHITE,
    "action_id": 2,
    "d1": 1,
    "d2": 3,
    "moves": [{"from": 17, "pips": 3}, {"from": 19, "pips": 1}],
}
"""White plays 31: 8/5 6/5."""


def act(color: int, action: int, **members: Any) -> dict[str, Any]:
    return {"color": color, "action_id": action, **members}


def document(*plies: dict[str, Any], game: dict[str, Any] | None = None, **members: Any) -> Any:
    """A match to 5 points with one game of these plies."""
    return {
        "ogxm": {"major": 2, "minor": 0},
        "match_length": 5,
        "player_white": "Ada",
        "player_black": "Ben",
        "crawford": True,
        "games": [{"plies": list(plies), **(game or {})}],
        **members,
    }


def packed(document: Any) -> bytes:
    """Its bytes, which must break no rule."""
    assert ogxm().v2_problem(document) is None
    content: bytes = ogxm().json_to_binary(document)
    return content


def board_of(ogid: str) -> Position:
    """The board in an OGID, seen by White."""
    sides = []
    for number, men in enumerate(ogid.split(":")[:2]):
        counts = [0] * 26
        for letter in men:
            place = int(letter) if letter.isdigit() else ord(letter) - ord("a") + 10
            counts[25 - place if number == 0 else place] += 1
        counts[0] = 15 - sum(counts)
        sides.append(tuple(counts))
    return Position(*sides)


def written(replayed: Replay, **wanted: Any) -> tuple[Written, Any]:
    """Our export, and what the codec reads in it; it must be complete."""
    export = WRITER.write(replayed, Wanted(**{"names": NAMES, **wanted}))
    read = ogxm().binary_to_json(export.content)
    assert ogxm().v2_problem(read) is None
    assert read["replay_complete"]
    return export, read


def boards_read(read: Any) -> list[Position]:
    """The board after every turn of a document, as the codec replays it."""
    return [
        board_of(ply["ogid_after"])
        for game in read["games"]
        for ply in game["plies"]
        if "d1" in ply and not ply.get("unplayed_roll")
    ]


def notes_of(read: Any, key: str) -> list[str]:
    """Our notes of a key, in the order of the file."""
    return [
        note["value"]
        for note in read.get("annotations", ())
        if note.get("key", "").partition("~")[0] == f"x-tabularium-{key}"
    ]


def kinds(export: Written) -> set[str]:
    """Kinds of loss, but for those of every export."""
    return {loss.kind for loss in export.losses} - {"proof", "header"}


def essence(replayed: Replay) -> list[object]:
    """What OGXM holds of a match: for each game its turns with board, cube acts, and the result."""
    games = told(replayed).games
    return [
        (
            [_essence(act) for act in game.acts if act.kind is not Kind.POSITION],
            game.result and (game.result.winner, game.result.points, game.result.ended_by),
        )
        for game in games
    ]


def _essence(act: Act) -> object:
    dice = None if act.dice is None else tuple(sorted(act.dice))
    if act.kind is not Kind.PLAY:
        return (act.kind, act.seat, dice)
    end = act.end
    if end is None and act.before is not None:
        end = act.before.moved(act.moves, act.hits_not_lifted).position
    if end is None:
        return (act.kind, act.seat, dice, act.moves)
    return (act.kind, act.seat, dice, end if act.seat is Seat.ONE else end.swap())
