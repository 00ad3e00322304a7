"""GammonView as a judge of .mat text: its own boards, and those of the codec that replays them.

Known defects (names of the differences): `hidden` (a roll whose play is `???` ends the game),
`no plies` (a header with one player's name alone), `chain` (`5/4(2) 6/5` loses a step), `bear-off`
(a man who moves and is borne off in one roll is joined to a step that the codec cannot replay; the
rest of the game has no board), `set position` (it reads no comment in a game).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from api.exchange.writing.story import Act, Game, Kind
from events.values import Seat
from projections.board.position import Position
from projections.replay import Replay
from tests.api.exchange.ogxm_documents import board_of
from tests.api.exchange.roundtrip import story_of

_SET_POSITION = 31


class Turn(NamedTuple):
    """One roll and its play."""

    is_white: bool
    dice: tuple[int, ...]
    """Sorted: the order is lost."""
    before: Position | None
    """Seen by White; None where the codec could not replay."""
    after: Position | None


def documents(text: str) -> list[Any]:
    """Its result for a .mat text, and the codec's result for that; the latter may fail."""
    found = [importlib.import_module("gvformat.mat").mat_to_ogxm(text)]
    codec = importlib.import_module("ogxm")
    writer = importlib.import_module("gvformat.ogxm2_writer")
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(codec.OgxmError):
        patch.setattr(writer, "is_play_legal", _is_play_legal)
        packed = importlib.import_module("gvformat.binary").write_gvab(found[0])
        found.append(codec.binary_to_json(packed))
    return found


def _is_play_legal(
    mine: list[int], opp: list[int], d1: int, d2: int, play: list[tuple[int, int]]
) -> bool:
    """Its own answer, which takes it longer than all the rest: once for each play of a match."""
    return _judged(tuple(mine), tuple(opp), d1, d2, tuple(play))


@functools.lru_cache(100_000)
def _judged(
    mine: tuple[int, ...], opp: tuple[int, ...], d1: int, d2: int, play: tuple[tuple[int, int], ...]
) -> bool:
    legality = importlib.import_module("gvformat.legality")
    is_legal: bool = legality.is_play_legal([*mine], [*opp], d1, d2, [*play])
    return is_legal


def compared(
    replay: Replay, document: Any, counts: Counter[str], *, is_left_white: bool = True
) -> Iterator[str]:
    """Differences of turns and results; `counts` counts what was compared."""
    games = story_of(replay).games
    if len(games) != len(document["games"]):
        yield f"games: {len(games)}, theirs {len(document['games'])}"
    for number, (ours, theirs) in enumerate(zip(games, document["games"], strict=False), 1):
        counts["games"] += 1
        is_codec = "replay_complete" in document
        for text in _in_game(ours, theirs, counts, is_left_white, is_codec):
            yield f"{text}, game {number}"


def _in_game(
    ours: Game, theirs: Any, counts: Counter[str], is_left_white: bool, is_codec: bool
) -> Iterator[str]:
    acts = [act for act in ours.acts if act.kind in (Kind.PLAY, Kind.ROLL, Kind.GAP)]
    turns = [_turn(ply, is_codec=is_codec) for ply in theirs["plies"] if "d1" in ply]
    for act, turn in zip(acts, turns, strict=False):
        seat = Seat.ONE if turn.is_white == is_left_white else Seat.TWO
        if (act.seat, tuple(sorted(act.dice or ()))) != (seat, turn.dice):
            yield f"turn: {act.seat} {act.dice}, theirs {seat} {turn.dice}"
            return
        if turn.before is None or turn.after is None:
            yield "unreplayed"
            return
        sides = [turn.before, turn.after]
        before, after = sides if is_left_white else [board.swap() for board in sides]
        if before != _before(act):
            yield f"before: {_before(act)}, theirs {before}"
            return
        if act.kind is Kind.PLAY and act.step.after.positions.board != after:
            yield f"after: {act.step.after.positions.board}, theirs {after}"
            return
        counts["turns"] += 1
    if len(acts) != len(turns):
        is_hidden = acts[len(turns) :] and acts[-1].kind is not Kind.PLAY
        yield "hidden" if is_hidden else f"turns: {len(acts)}, theirs {len(turns)}"
    if ours.result is not None:
        winner = {0: Seat.ONE, 1: Seat.TWO}.get(theirs.get("winner"))
        if winner is not None and not is_left_white:
            winner = winner.other
        counts["results"] += 1
        if (winner, theirs.get("points_won")) != (ours.result.winner, ours.result.points):
            yield f"result: {ours.result.points}, theirs {theirs.get('points_won')}"


def _turn(ply: Any, *, is_codec: bool) -> Turn:
    before, after = ply.get("ogid_before"), ply.get("ogid_after")
    # The codec gives a position that is set to the side that is on roll after it.
    is_set = is_codec and ply["action_id"] == _SET_POSITION
    is_white = (ply["color"] == 1) != is_set
    return Turn(
        is_white,
        tuple(sorted((ply["d1"], ply["d2"]))),
        None if before is None else board_of(before),
        None if after is None else board_of(after),
    )


def _before(act: Act) -> Position | None:
    return act.before if act.seat is Seat.ONE or act.before is None else act.before.swap()
