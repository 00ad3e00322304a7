"""Matches by chance for benchmarks: two players who play any legal play."""

from __future__ import annotations

import random

from events.payloads.base import Payload
from events.payloads.dice import Rolled
from events.payloads.match import GameStarted
from events.payloads.play import PlayMade
from events.values import CheckerMove, Seat
from projections.board.position import STARTING


def written(chance: random.Random, count: int) -> list[Payload]:
    """So many entries of games behind a match's opening."""
    made: list[Payload] = []
    while len(made) < count:
        made.append(GameStarted())
        board, seat, clock = STARTING, Seat.ONE, 0
        while board.other[0] < 15 and len(made) < count:
            faces = (chance.randint(1, 6), chance.randint(1, 6))
            clock += chance.randint(3_000, 20_000)
            made.append(Rolled(seat=seat, dice=faces, at_ms=clock))
            legal = list(board.legal_plays(faces))
            moves = chance.choice(legal).moves if legal else ()
            clock += chance.randint(3_000, 20_000)
            made.append(
                PlayMade(
                    seat=seat,
                    moves=tuple(CheckerMove(move.from_point, move.to_point) for move in moves),
                    at_ms=clock,
                )
            )
            after = board.moved(moves).position
            assert after is not None
            board, seat = after.swap(), seat.other
    return made[:count]
