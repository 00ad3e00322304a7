"""Reads the records of one .xg game into facts, following the board and the cube."""

from __future__ import annotations

from typing import NamedTuple

from api.exchange.reading.ending import MAX_POINTS, Claim, Ending
from api.exchange.reading.facts import NoticeCode
from api.exchange.reading.game import MAX_CUBE, sides_of
from api.exchange.reading.notes import Notes
from api.exchange.reading.records import RecordGame
from api.exchange.xg import layout as layout
from events.payloads.base import WinKind
from events.values import BAR, OFF, CheckerMove, Seat
from projections.board.position import Position

_SEATS = {1: Seat.ONE, -1: Seat.TWO}

_LEVELS = dict(enumerate(WinKind, 1))

_TAKE, _BEAVER, _RACCOON = 1, 2, 2

_RESIGNED, _SETTLED = 100, 1_000

_ILLEGAL = 2


_DECLARED = NoticeCode.DECLARED_ILLEGAL


class MarkedPlay(NamedTuple):
    """A play that the file marks as illegal."""

    line: int
    place: int
    """The place of its fact, from 0, not counting `match.opened`."""


class GameReader(RecordGame):
    """Reads one game.

    End positions are trusted, because a list of checker moves may be incomplete.
    """

    def __init__(
        self, notes: Notes, *, line: int, ending: Ending, illegal: list[MarkedPlay]
    ) -> None:
        super().__init__(notes, line=line, ending=ending)
        self.illegal = illegal
        """Plays that the file marks as illegal."""
        self.automatic_doubles = 0
        self.thrown: tuple[Seat, tuple[int, int]] | None = None
        """Dice that a cube decision names, until the record of their play."""

    def seat_of(self, player: int) -> Seat | None:
        """The player of that record; None if there is none."""
        seat = _SEATS.get(player)
        if seat is None:
            self.lose(f"a record of player {player}")
        return seat

    # -- as the file has them ------------------------------------------------------------------

    def set_automatic_doubles(self, count: int) -> None:
        """The cube starts at another value after equal dice in the opening roll."""
        if count == self.automatic_doubles:
            return
        if not 0 <= count < MAX_CUBE.bit_length():
            self.lose(f"{count} automatic doubles")
            return
        self.automatic_doubles = count
        self.state_cube(2**count, None, reason="automatic doubles of the file")

    def follow_board(self, board: layout.Counts, *, is_edited: bool) -> None:
        """The board before a decision, seen by seat one; the file's is used if it differs."""
        sides = sides_of(board)
        if sides is None:
            self.notes.remark(NoticeCode.POSITION_CONFLICT, "the position is impossible")
            self.notes.lost.append(f"record {self.notes.line}: {board}")
            return
        if self.board_of(Seat.ONE) == Position(*sides):
            if is_edited:
                message = "the position is marked as set by hand, and nothing changed"
                self.notes.remark(NoticeCode.STATED_POSITION, message)
            return
        how = "set by hand" if is_edited else "not the one after the last play"
        self.notes.remark(NoticeCode.STATED_POSITION, f"the position is {how}")
        self.state_position(*sides, reason="set in the file")

    def follow_cube(self, cube: int) -> None:
        """The cube before a decision; if the file's cube differs, it is used."""
        exponent = abs(cube) + self.automatic_doubles
        if exponent >= MAX_CUBE.bit_length():
            self.lose(f"no cube shows 2 to the power of {exponent}", NoticeCode.CUBE_DIFFERS)
            return
        value, owner = 2**exponent, None
        if cube:
            owner = Seat.ONE if cube > 0 else Seat.TWO
        if (value, owner) != (self.cube, self.cube_owner):
            message = f"{value} in the file, {self.cube} by the acts"
            if value == self.cube:
                message = "the cube lies elsewhere than the acts put it"
            self.notes.remark(NoticeCode.CUBE_DIFFERS, message)
            self.state_cube(value, owner, reason="cube of the file")

    # -- the cube ------------------------------------------------------------------------------

    def read_cube(self, cube: layout.Cube) -> None:
        """A cube decision: a double and its answer, or none."""
        seat = self.seat_of(cube.player)
        if seat is None:
            return
        self.tell_thrown()
        self.go_on()
        self.set_automatic_doubles(max(cube.automatic_doubles, self.automatic_doubles))
        self.follow_board(cube.board, is_edited=cube.is_edited)
        self.follow_cube(cube.cube)
        if cube.invalid:
            self.lose(f"the file marks the decision as invalid ({cube.invalid})", _DECLARED)
        if cube.doubled == 1:
            self.add_double(seat)
            self.answer(seat.other, cube)
        elif cube.doubled not in (0, -1, -2):
            self.lose(f"a double of kind {cube.doubled}")
        dice = tuple(int(die) for die in cube.dice if die in "123456")
        self.thrown = (seat, (dice[0], dice[1])) if len(dice) == len(cube.dice) == 2 else None

    def answer(self, seat: Seat, cube: layout.Cube) -> None:
        """The answer to a double, and its effect."""
        match cube.answer:
            case 0:
                self.add_drop(seat)
            case layout.NONE:
                pass
            case answer if answer == _TAKE:
                self.add_take(seat)
            case answer if answer == _BEAVER:
                self.add_beaver(seat)
                if cube.beaver_answer == 0:
                    self.lose("the beaver is declined: a drop", NoticeCode.NO_FACT)
                elif cube.beaver_answer == _RACCOON:
                    self.add_beaver(seat.other)
                    if cube.raccoon_answer == 0:
                        self.lose("the raccoon is declined: a drop", NoticeCode.NO_FACT)
            case answer:
                self.lose(f"an answer of kind {answer} to a double")

    # -- dice and checkers ---------------------------------------------------------------------

    def tell_thrown(self) -> None:
        """Dice were thrown after a decision, and there is no record of their play."""
        if self.thrown is not None:
            seat, dice = self.thrown
            self.thrown = None
            self.add_roll(seat, dice)
            self.unplayed = seat, self.notes.line

    def read_move(self, move: layout.Move) -> None:
        """A roll and its play."""
        seat = self.seat_of(move.player)
        if seat is None:
            return
        self.thrown = None
        self.go_on()
        self.set_automatic_doubles(max(move.automatic_doubles, self.automatic_doubles))
        self.follow_board(move.start, is_edited=move.is_edited)
        self.follow_cube(move.cube)
        dice = move.dice if all(1 <= die <= 6 for die in move.dice) else None
        if dice is None:
            self.lose(f"no dice show {move.dice[0]} and {move.dice[1]}", NoticeCode.DICE_NOT_READ)
        else:
            self.add_roll(seat, dice)
        if not move.is_played and not any(move.end):
            self.unplayed = seat, self.notes.line
            return
        known = len(self.facts)
        self.play(seat, move, dice)
        if move.invalid and len(self.facts) > known:
            self.call_illegal(seat, move.invalid)

    def play(self, seat: Seat, move: layout.Move, dice: tuple[int, int] | None) -> None:
        """The play as its checker moves if they lead to the end position, else as that position."""
        before = self.board_of(seat)
        sides = sides_of(move.end) if any(move.end) else None
        end = None if sides is None else Position(*sides)
        moves = _moves(move.hops)
        if moves and before is not None and end in (None, before.moved(moves).position):
            self.add_moves(seat, moves, dice)
        elif not move.hops and end is not None and end == before:
            self.claim_dance(seat, dice)
        elif end is not None:
            one, two = (end.own, end.other) if seat is Seat.ONE else (end.other, end.own)
            self.add_end_position(seat, one, two, written=_written(move.hops))
        else:
            message = "the play cannot be read"
            self.notes.remark(NoticeCode.PLAY_NOT_READ, message, side=seat)
            self.add_gap(seat, _written(move.hops) or "", self.notes.line)

    def call_illegal(self, seat: Seat, mark: int) -> None:
        """The file marks the play just read as illegal; the folds decide whether it is."""
        if mark != _ILLEGAL:
            self.notes.remark(_DECLARED, f"the file marks the play as an error ({mark})", side=seat)
            return
        self.notes.remark(_DECLARED, "the file marks the play as illegal", side=seat)
        self.illegal.append(MarkedPlay(self.notes.line, len(self.facts) - 1))

    # -- the end -------------------------------------------------------------------------------

    def read_end(self, end: layout.GameEnd) -> None:
        """How the game ended, as the file has it."""
        self.tell_thrown()
        ending = self.ending
        winner = self.seat_of(end.winner)
        if winner is None:
            return
        termination = end.termination
        if termination >= _SETTLED:
            self.lose("the game is settled", NoticeCode.NO_FACT)
            termination %= _SETTLED
        if termination >= _RESIGNED:
            ending.resigned = (winner.other, self.notes.line)
            # Level 4 is used at the end of a match: the points show at which level was resigned.
            ending.level = _LEVELS.get(termination - _RESIGNED)
        if 0 <= end.points <= MAX_POINTS:
            ending.result = Claim(winner, end.points, self.notes.line, "")
        else:
            self.lose(f"{end.points} points", NoticeCode.RESULT_DIFFERS)


def _moves(hops: tuple[tuple[int, int], ...]) -> tuple[CheckerMove, ...]:
    """The checker moves; () if they lead off the board anywhere but at its end."""
    if not all(0 < start <= BAR and end < BAR for start, end in hops):
        return ()
    return tuple(CheckerMove(start, max(end, OFF)) for start, end in hops)


def _written(hops: tuple[tuple[int, int], ...]) -> str | None:
    """The checker moves as the file has them."""
    return " ".join(f"{start}/{end}" for start, end in hops) or None
