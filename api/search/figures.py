"""What is counted of a match: how its games were opened, what each player did, and its moves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from api.exchange.reading.ending import FORFEIT_CODE
from api.publishing.rows import Row, Rows
from api.publishing.tables import GAMES, MATCHES, TURNS
from events.values import Seat
from projections.board.ids import position_id
from projections.board.position import STARTING
from projections.replay import Replay
from projections.views.thinking import Of, thoughts_of

START = position_id(STARTING)
"""The board that a game begins with."""

_LEVELS = {"single": 1, "gammon": 2, "backgammon": 3}


class Opening(NamedTuple):
    """How one game was opened: the first play, and the answer to it."""

    game: int
    """Number of the game."""
    seat: int
    """Who began: 1 or 2."""
    first: int
    """The opening roll, higher die first: 31."""
    play: str
    """What was played with it."""
    after: str
    """Position ID after it, for the opponent."""
    second: int | None
    """The opponent's roll; None = there was none, or it was not played."""
    answer: str | None
    """What was played with that."""
    answered: str | None
    """Position ID after it, for who began."""
    winner: int | None
    """1 or 2; None = the game is not over."""
    level: int | None
    """1 for a single game, 2 for a gammon, 3 for a backgammon; None = not known."""
    worth: int | None
    """Points that the game was worth, with the cube; 0 where a file gives a code in their place,
    None = the game is not over."""


class Habits(NamedTuple):
    """What one player did in a match: sums, which other matches are added to."""

    seat: int
    """1 or 2."""
    games: int = 0
    """Games that were won by somebody."""
    games_won: int = 0
    gammons_won: int = 0
    """Gammons and backgammons."""
    gammons_lost: int = 0
    points_won: int = 0
    points_lost: int = 0
    doubles: int = 0
    """First doubles of a game that this player offered."""
    redoubles: int = 0
    """Later ones."""
    taken: int = 0
    """Of all these, those that the opponent took or beavered."""
    dropped: int = 0
    """Those that the opponent dropped."""
    double_turns: int = 0
    """Sum of the turns, counted from 1 for each player, at which the first doubles came."""
    faced: int = 0
    """Doubles of the opponent that were answered."""
    takes: int = 0
    """Of these, those that this player took or beavered."""
    decisions: int = 0
    """Decisions whose time is known."""
    thought_ms: int = 0
    """What they took, milliseconds."""
    slowest_ms: int = 0
    """The longest of them."""


class Figures(NamedTuple):
    """What is counted of one match."""

    openings: tuple[Opening, ...] = ()
    habits: tuple[Habits, ...] = ()
    moves: bytes = b""
    """The same for matches with the same moves; empty where there are too few of them."""


def figures_of(shown: Replay, published: Rows) -> Figures:
    """What is counted of a match, by the rows that are published of it."""
    turns = {
        game: list(rows)
        for game, rows in itertools.groupby(published.turns, lambda row: row[_TURN["game"]])
    }
    openings = tuple(
        opening
        for game in published.games
        if (opening := _opening(game, turns.get(game[_GAME["game"]], []))) is not None
    )
    habits = tuple(_habits(shown, seat, published.games, turns) for seat in Seat)
    plays = published.match[_MATCH["plays"]]
    return Figures(openings, habits, b"" if plays is None else bytes.fromhex(str(plays)))


def _opening(game: Row, turns: Sequence[Row]) -> Opening | None:
    """How a game was opened; None where its first play is not known, or not from the start."""
    if not turns:
        return None
    first = turns[0]
    if first[_TURN["position_id"]] != START or not _is_played(first):
        return None
    second = next((one for one in turns[1:2] if _is_played(one)), None)
    roll, play, after = _played(first)
    answer = (None, None, None) if second is None else _played(second)
    winner, level = game[_GAME["winner"]], game[_GAME["level"]]
    return Opening(
        game=int(str(game[_GAME["game"]])),
        seat=_number(first[_TURN["seat"]]),
        first=roll,
        play=play,
        after=after,
        second=answer[0],
        answer=answer[1],
        answered=answer[2],
        winner=None if winner is None else _number(winner),
        level=None if level is None else _LEVELS[str(level)],
        worth=None if winner is None else _worth(game),
    )


def _worth(game: Row) -> int:
    """What a game gave, in points; 0 where they are a code of a file, in the place of a forfeit.

    One `Wins 4016 point` would be more than all other games of a sum.
    """
    points = int(str(game[_GAME["points"]] or 0))
    return 0 if game[_GAME["ended_by"]] == "claim" and points >= FORFEIT_CODE else points


def _is_played(turn: Row) -> bool:
    return all(turn[_TURN[name]] is not None for name in ("dice", "play", "position_id_after"))


def _played(turn: Row) -> tuple[int, str, str]:
    dice, play, after = (turn[_TURN[name]] for name in ("dice", "play", "position_id_after"))
    return int(str(dice)), str(play), str(after)


def _habits(
    shown: Replay, seat: Seat, games: Sequence[Row], turns: dict[object, list[Row]]
) -> Habits:
    sums = Habits(seat=_number(seat.value))._asdict()
    for game in games:
        winner, level = game[_GAME["winner"]], game[_GAME["level"]]
        if winner is not None:
            side = "won" if winner == seat.value else "lost"
            sums["games"] += 1
            sums["games_won"] += side == "won"
            sums[f"points_{side}"] += _worth(game)
            sums[f"gammons_{side}"] += level in ("gammon", "backgammon")
        has_doubled = False
        for turn in turns.get(game[_GAME["game"]], []):
            double = turn[_TURN["double"]]
            if double is None:
                continue
            is_own, is_taken = turn[_TURN["seat"]] == seat.value, double in ("taken", "beavered")
            if is_own:
                sums["redoubles" if has_doubled else "doubles"] += 1
                sums["taken"] += is_taken
                sums["dropped"] += double == "dropped"
                if not has_doubled:
                    sums["double_turns"] += (int(str(turn[_TURN["turn"]])) + 1) // 2
            elif double != "offered":
                sums["faced"] += 1
                sums["takes"] += is_taken
            has_doubled = True
    thought = [
        one.took_ms
        for one in thoughts_of(shown)
        if one.seat is seat and one.of is not Of.DOUBLE  # who does not double tells no time
    ]
    sums |= {"decisions": len(thought), "thought_ms": sum(thought)}
    return Habits(**{**sums, "slowest_ms": max(thought, default=0)})


def _number(seat: object) -> int:
    return 1 if seat == Seat.ONE.value else 2


_MATCH, _TURN, _GAME = MATCHES.places, TURNS.places, GAMES.places
