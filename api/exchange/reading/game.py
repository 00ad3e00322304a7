"""Turns one game into facts, following board and cube; used by the readers of every format."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from api.exchange.reading.ending import Ending, Outcome
from api.exchange.reading.facts import Fact, NoticeCode
from api.exchange.reading.notes import Notes, clear
from events.payloads.cube import (
    CubeBeavered,
    CubeStated,
    DoubleDropped,
    DoubleOffered,
    DoubleTaken,
)
from events.payloads.dice import Rolled
from events.payloads.ending import ResignationOffered, ResignationRefused
from events.payloads.play import PlayMade, PlayUnseen, PositionStated, StatedCube
from events.values import BAR, CHECKERS, OFF, BySeat, CheckerMove, Seat
from projections.board.legal import has_legal_play, is_legal, legal_positions
from projections.board.position import STARTING, Position

MAX_CUBE = 2**30

_MOST_HOPS = 4
"""More checkers no roll moves: each one more doubles the ways that all of them may go."""

Moves = tuple[CheckerMove, ...]

_ROLLED = {
    (seat, (a, b)): Rolled(seat=seat, dice=(a, b))
    for seat in Seat
    for a in range(1, 7)
    for b in range(1, 7)
}
"""Every possible roll; payloads are frozen, so one object of each is enough."""

Counts = tuple[int, ...]
"""26 counts of one side, from its own side: borne off, points 1 to 24, bar."""

NACKGAMMON: Counts = tuple({6: 4, 8: 3, 13: 4, 23: 2, 24: 2}.get(point, 0) for point in range(26))
"""Nackgammon's start, for either side."""


def sides_of(points: Sequence[int]) -> tuple[Counts, Counts] | None:
    """Both sides of a board of 26 signed counts; None if the counts are not those of a board.

    Counts above zero are those of the player from whose side the points are numbered. Checkers that
    are borne off are not counted there.
    """
    if len(points) != 26:
        return None
    own, other = [0] * 26, [0] * 26
    for point, count in enumerate(points):
        if count > 0:
            own[point] = count
        elif count < 0:
            other[BAR - point] = -count
    if own[OFF] or other[OFF] or max(sum(own), sum(other)) > CHECKERS:
        return None
    own[OFF], other[OFF] = CHECKERS - sum(own), CHECKERS - sum(other)
    return tuple(own), tuple(other)


class GameTelling:
    """One game while it is read. Nothing is filled in that the source does not say."""

    def __init__(self, notes: Notes, *, line: int, ending: Ending) -> None:
        self.notes = notes
        self.facts = notes.facts
        self.line = line
        """Line of the heading."""
        self.ending = ending
        self.board: Position | None = STARTING
        """Seen by `player`; None while unknown."""
        self.player = Seat.ONE
        self.cube = 1
        self.cube_owner: Seat | None = None
        self.offered: Seat | None = None
        """Who has doubled and got no answer yet."""
        self.beavered: Seat | None = None
        """Who beavered last and got no answer yet: playing on is one, resigning is none."""
        self.is_empty = True
        """Whether no dice were thrown yet."""
        self.last_roll: tuple[tuple[int, int], Position, tuple[CheckerMove, ...]] | None = None

    def board_of(self, seat: Seat) -> Position | None:
        """The board from the side of `seat`; None while unknown."""
        if self.board is None or self.player is seat:
            return self.board
        return Position(self.board.other, self.board.own)

    def go_on(self) -> None:
        """The game goes on: a resignation read before did not end it."""
        ending = self.ending
        resigned = ending.resigned or ending.loss
        if resigned is None:
            return
        if resigned[0] is not None:
            self.notes.add(ResignationOffered(seat=resigned[0], level=ending.level))
        ending.resigned = ending.loss = ending.level = None
        self.notes.remark(NoticeCode.AFTER_THE_END, "the game goes on after a resignation")

    def answers_resignation(self, seat: Seat, words: str) -> bool:
        """Whether `Accepts` or `Rejects` answers a resignation, because no double is open.

        An acceptance is recorded with the end of the game, a refusal at once.
        """
        ending = self.ending
        answer = words[:6].lower()
        if answer not in ("accept", "reject") or self.offered is not None:
            return False
        if ending.resigned is None or ending.resigned[0] is not seat.other:
            return False
        if answer == "reject":
            self.notes.add(ResignationOffered(seat=seat.other, level=ending.level))
            self.notes.add(ResignationRefused(seat=seat))
            ending.resigned = ending.level = None
        return True

    # -- dice and checkers ---------------------------------------------------------------------

    def add_roll(self, seat: Seat, dice: tuple[int, int]) -> None:
        """Dice thrown, in the order in which they are written."""
        self.notes.rolls += 1
        self.is_empty = False
        self.last_roll = None
        self.beavered = None
        self.ending.rolled = seat
        self.facts.append(Fact(_ROLLED[seat, dice], self.notes.line))

    def add_moves(
        self, seat: Seat, moves: tuple[CheckerMove, ...], dice: tuple[int, int] | None
    ) -> tuple[int, ...] | None:
        """Checker moves as written; the board follows.

        The points that were hit, from the mover's side; None where the board is not known.
        """
        self.add_play(PlayMade(seat=seat, moves=moves))
        board = self.board
        self.last_roll = None
        if board is None:
            return None
        if self.player is not seat:
            board = Position(board.other, board.own)
            self.player = seat
        if dice is not None:
            self.last_roll = (dice, board, moves)
        moved = board.moved(moves)
        self.board = after = moved.position
        if after is not None:
            self._see_end(seat, after.own, after.other)
        return moved.hits

    def routed(self, seat: Seat, moves: Moves, dice: tuple[int, int] | None) -> Moves:
        """The moves, with a checker's way spelled out if only hits on it make the play legal."""
        if dice is None or len(moves) > _MOST_HOPS:
            return moves
        # By far the most plays have nothing of this, and are asked one after the other.
        longest = dice[0] if dice[0] > dice[1] else dice[1]
        for move in moves:
            if move.from_point - move.to_point > longest:
                break
        else:
            return moves
        board = self.board_of(seat)
        if board is None or not any(_may_hit(board, move, dice) for move in moves):
            return moves
        legal = legal_positions(board, dice)
        if board.moved(moves).position in legal:
            return moves
        ways: dict[Position, Moves] = {}
        for routes in itertools.product(*(list(_routes(move, dice)) for move in moves)):
            way = tuple(itertools.chain.from_iterable(routes))
            end = board.moved(way).position
            if end is not None and end in legal:
                ways[end] = way
        return next(iter(ways.values())) if len(ways) == 1 else moves

    def add_play(self, made: PlayMade) -> None:
        """A play as a fact, with its place, for remarks about it."""
        notes = self.notes
        notes.plays[notes.game, notes.row, made.seat] = len(self.facts)
        self.facts.append(Fact(made, notes.line))

    def add_end_position(
        self, seat: Seat, one: Counts, two: Counts, *, written: str | None = None
    ) -> None:
        """A play of which the source gives only the board after it."""
        self.board, self.player = Position(one, two), Seat.ONE
        self.last_roll = None
        made = PlayMade(
            seat=seat,
            resulting_position=BySeat(one, two),
            written=written if written is None or len(written) <= 4096 else None,
        )
        self.notes.remark(
            NoticeCode.STATED_POSITION, "the play is told by the board after it", side=seat
        )
        self.add_play(made)
        own, other = (one, two) if seat is Seat.ONE else (two, one)
        self._see_end(seat, own, other)

    def add_dance(self, seat: Seat, line: int | None = None) -> None:
        """No checker was played."""
        self.facts.append(Fact(PlayMade(seat=seat), self.notes.line if line is None else line))

    def add_gap(self, seat: Seat, written: str, line: int) -> None:
        """A play that was made and is unknown, so the board is unknown from here on."""
        kept = clear(written)
        self.facts.append(Fact(PlayUnseen(seat=seat, written=kept), line))
        if kept is None and written.strip():
            self.notes.lost.append(f"line {line}: {written[:200]}")
        self.board = None
        self.last_roll = None

    def could_play(self, seat: Seat, dice: tuple[int, int]) -> bool | None:
        """Whether any checker could be played; None while the board is unknown."""
        board = self.board_of(seat)
        return None if board is None else has_legal_play(board, dice)

    def was_last_play_legal(self) -> bool | None:
        """Whether the last play was legal; None if there is none, or that is unknown."""
        if self.last_roll is None:
            return None
        dice, board, moves = self.last_roll
        return is_legal(board, dice, moves)

    def _see_end(self, seat: Seat, own: Counts, other: Counts) -> None:
        if own[OFF] and own[OFF] == sum(own):
            self.ending.borne_off_by = seat
            self.ending.loser = other

    # -- the board as a whole ------------------------------------------------------------------

    def state_position(
        self,
        one: Counts,
        two: Counts,
        *,
        on_roll: Seat | None = None,
        dice: tuple[int, int] | None = None,
        cube: tuple[int, Seat | None] | None = None,
        reason: str,
    ) -> None:
        """The board, and the cube if it is given as (value, owner), as the source sets them."""
        self.board, self.player = Position(one, two), Seat.ONE
        self.last_roll = None
        if cube is not None:
            self.cube, self.cube_owner = cube
        self.notes.add(
            PositionStated(
                checkers=BySeat(one, two),
                on_roll=on_roll,
                dice=dice,
                cube=None if cube is None else StatedCube(value=cube[0], owner=cube[1]),
                reason=reason,
            )
        )

    def state_nackgammon(self) -> None:
        """The game starts as Nackgammon does."""
        self.state_position(NACKGAMMON, NACKGAMMON, reason="start")
        self.notes.remark(NoticeCode.VARIATION, "the game starts as Nackgammon")

    def state_start(self, one: Counts, two: Counts) -> None:
        """The board that the source sets for the start, where it is not the usual one."""
        if (one, two) == (NACKGAMMON, NACKGAMMON):
            self.state_nackgammon()
        elif (one, two) != (STARTING.own, STARTING.other):
            self.state_position(one, two, reason="set in the file")
            self.notes.remark(NoticeCode.STATED_POSITION, "the game starts from a set position")

    # -- the cube ------------------------------------------------------------------------------

    def add_double(self, seat: Seat) -> None:
        """A double, whose value the acts tell."""
        self.notes.add(DoubleOffered(seat=seat))
        self.offered, self.beavered = seat, None

    def add_take(self, seat: Seat) -> None:
        """The double is taken."""
        self.notes.add(DoubleTaken(seat=seat))
        if self.offered is not None:
            self.cube = min(self.cube * 2, MAX_CUBE)
            self.cube_owner = seat
        self.offered = self.beavered = None

    def add_drop(self, seat: Seat) -> None:
        """The double, or the beaver, is dropped, which ends the game if there was one."""
        self.notes.add(DoubleDropped(seat=seat))
        is_beavered = self.beavered is seat.other
        if is_beavered:
            self.cube = max(self.cube // 2, 1)
        if is_beavered or self.offered is not None:
            self.ending.dropped = seat
        self.offered = self.beavered = None

    def add_beaver(self, seat: Seat) -> None:
        """The double is taken and turned once more; or a beaver is, which is a raccoon."""
        self.notes.add(CubeBeavered(seat=seat))
        if self.beavered is seat.other:
            self.cube = min(self.cube * 2, MAX_CUBE)  # the beaverer keeps it
        else:
            self.cube = min(self.cube * 4, MAX_CUBE)
            self.cube_owner = seat
        self.offered = None
        self.beavered = seat

    def state_cube(self, value: int, owner: Seat | None, *, reason: str | None = None) -> None:
        """The cube as the source states it, even if the acts do not lead to that."""
        self.cube, self.cube_owner = value, owner
        self.beavered = None
        self.notes.add(CubeStated(value=value, owner=owner, reason=reason))

    # -- the end -------------------------------------------------------------------------------

    def conclude(
        self, *, printed: BySeat[int] | None, following: BySeat[int] | None
    ) -> Outcome | None:
        """How the game ended; `printed` is the score above it, `following` the one below."""
        return self.ending.conclude(
            self.notes,
            cube=self.cube if self.beavered is None else max(self.cube // 2, 1),
            is_turned=self.cube_owner is not None,
            printed=printed,
            following=following,
            line=self.line,
        )


def _may_hit(board: Position, move: CheckerMove, dice: tuple[int, int]) -> bool:
    """Whether one checker of the opponent stands alone where a move may touch down on its way.

    Checked first, because computing the legal plays is expensive.
    """
    if move.from_point - move.to_point <= max(dice):
        return False
    hops = (1, 2, 3) if dice[0] == dice[1] else (1,)
    ways = (move.from_point - die * hop for die in {*dice} for hop in hops)
    return any(move.to_point < at and board.other[BAR - at] == 1 for at in ways)


def _routes(move: CheckerMove, dice: tuple[int, int]) -> Iterator[Moves]:
    """Every way of a checker from one point to another, one die at a time."""
    orders = {dice, dice[::-1]} if dice[0] != dice[1] else {dice * 2}
    for order in sorted(orders):
        way: list[CheckerMove] = []
        at = move.from_point
        for die in order:
            way.append(CheckerMove(at, max(at - die, OFF)))
            at = way[-1].to_point
            if at == move.to_point:
                yield tuple(way)
            if at <= move.to_point:
                break
