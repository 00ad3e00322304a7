"""One game of an OGXM file being written: its plies, and the state that a reader derives.

The codec refuses a ply out of turn, a double by a player who may not, and anything after the game's
end. So the board, the turn and the cube are followed as the codec follows them, and what it would
refuse is written in another way.
"""

from __future__ import annotations

from collections.abc import Sequence

from api.exchange.ogxm.board import (
    BEAVER,
    CUBE_SET,
    DOUBLE,
    DROP,
    PASS,
    RESIGN_GAME,
    SET_POSITION,
    TAKE,
    action_of,
    colour_of,
    signed,
    step_of,
)
from api.exchange.ogxm.codec import Part
from events.values import CheckerMove, Seat
from projections.board.position import STARTING, Position


class Table:
    """The plies of one game, and the state after the last of them."""

    def __init__(self, *, is_crawford: bool) -> None:
        self.is_crawford = is_crawford
        """Whether a reader takes it for the Crawford game, in which doubling is not allowed."""
        self.plies: list[Part] = []
        self.record: Part = {}
        """Members of the game beside its plies."""
        self.board: Position = STARTING
        """The board, from seat one's side."""
        self.is_known = True
        """Whether that is the board on the table; after a gap a reader has an older one."""
        self.on_roll: Seat | None = None
        """Whose turn it is; None before the first one."""
        self.cube = 1
        self.owner: Seat | None = None
        self.has_moved = False
        """Whether a turn was played; before that no double is accepted."""
        self.is_over = False
        """Whether nothing more may be written."""

    def add(self, action: int, seat: Seat | None, **members: object) -> None:
        """One more ply."""
        ply = {"action_id": action, **members}
        if seat is not None:
            ply["color"] = colour_of(seat)
        self.plies.append(ply)

    def give_turn(self, seat: Seat) -> None:
        """Make it the turn of `seat`, if it is not."""
        if self.on_roll in (None, seat):
            self.on_roll = seat
        elif self.is_known:
            self.set_board(self.board, seat)
        else:
            self.turn_passed(seat.other)

    # -- checkers ------------------------------------------------------------------------------

    def set_board(self, board: Position, on_roll: Seat) -> None:
        """The whole board; before the first ply it is the board with which the game starts."""
        if self.plies:
            self.add(SET_POSITION, on_roll, set_position=signed(board))
        elif board != STARTING:
            self.record["initial_board"] = signed(board)
        else:
            self.record.pop("initial_board", None)
        self.board, self.is_known, self.on_roll = board, True, on_roll

    def play(self, seat: Seat, dice: tuple[int, int], steps: Sequence[CheckerMove]) -> None:
        """A legal play, its steps in an order that can be played."""
        self.give_turn(seat)
        moves = [step_of(step, seat) for step in steps]
        self.add(action_of(dice), seat, d1=dice[0], d2=dice[1], moves=moves)

    def play_to(
        self, seat: Seat, dice: tuple[int, int] | None, end: Position, *, is_illegal: bool
    ) -> None:
        """A play given by the board after it, from seat one's side."""
        members: Part = {"set_position": signed(end)}
        if dice is not None:
            members |= {"d1": dice[0], "d2": dice[1]}
        if is_illegal:
            members["illegal"] = True
        self.add(SET_POSITION, seat.other, **members)
        self.played(seat, end)
        self.is_over = False

    def played(self, seat: Seat, end: Position) -> None:
        """A play has led to this board, from seat one's side."""
        self.board, self.is_known, self.on_roll = end, True, seat.other
        mover = end.seen_by(seat)
        self.is_over = mover.own[0] == sum(mover.own)

    def turn_passed(self, seat: Seat) -> None:
        """A turn of which only the fact that it was played can be written."""
        self.give_turn(seat)
        self.add(PASS, seat)
        self.on_roll, self.has_moved = seat.other, True

    # -- the cube ------------------------------------------------------------------------------

    def may_double(self, seat: Seat) -> bool:
        """Whether a reader accepts a double by `seat`."""
        return self.has_moved and not self.is_crawford and self.owner in (None, seat)

    def double(self, seat: Seat) -> None:
        """A double that will be answered, or is the last act of the game."""
        self.give_turn(seat)
        self.add(DOUBLE, seat)

    def take(self, seat: Seat) -> None:
        """The double is taken."""
        self.add(TAKE, seat)
        self.cube, self.owner = self.cube * 2, seat

    def drop(self, seat: Seat) -> None:
        """The double is dropped."""
        self.add(DROP, seat)
        self.is_over = True

    def beaver(self, seat: Seat) -> None:
        """The double is taken, and turned once more."""
        self.add(BEAVER, seat)
        self.cube, self.owner = self.cube * 4, seat

    def set_cube(self, value: int, owner: Seat | None) -> None:
        """Set the cube; before the first ply it is the cube with which the game starts."""
        holder = {} if owner is None else {"cube_owner": 1 - colour_of(owner)}
        if self.plies:
            self.add(CUBE_SET, self.on_roll or Seat.ONE, cube_value=value, **holder)
        else:
            # A default value may not be written.
            stated = holder if value == 1 else {"cube_value": value, **holder}
            for member in ("cube_value", "cube_owner"):
                self.record.pop(f"initial_{member}", None)
                if member in stated:
                    self.record[f"initial_{member}"] = stated[member]
        self.cube, self.owner = value, owner

    def resign(self, seat: Seat, level: int) -> None:
        """The game is resigned, at one, two or three times the cube."""
        self.add(RESIGN_GAME, seat, resign_value=level)
        self.is_over = True
