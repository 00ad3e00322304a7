"""Reads the rows of one game of a .mat file into facts, with the board and the cube as they go."""

from __future__ import annotations

import re

from api.exchange import mat_rows
from api.exchange.facts import Fact, Notice, NoticeCode
from api.exchange.mat_ending import Claim, Ending, Outcome
from api.exchange.mat_notes import Notes, clear
from api.exchange.mat_rows import Act, Cell, Mark, Row
from events.payloads.cube import (
    CubeBeavered,
    CubeStated,
    DoubleDropped,
    DoubleOffered,
    DoubleTaken,
)
from events.payloads.dice import Rolled
from events.payloads.ending import ResignationOffered
from events.payloads.match import GameStarted
from events.payloads.play import PlayMade, PlayUnseen, PositionStated, StatedCube
from events.values import CHECKERS, OFF, BySeat, CheckerMove, Seat
from projections.board.legal import has_legal_play, is_legal
from projections.board.position import STARTING, Position

MAX_CUBE = 2**30

NACKGAMMON = tuple({6: 4, 8: 3, 13: 4, 23: 2, 24: 2}.get(point, 0) for point in range(26))
"""Nackgammon's start, for either side."""

SET_POSITION = re.compile(r"[ \t]*[;#][ \t]*Set Pos=([-A-Pa-p]{26})/(-?[0-9]{1,2})[ \t]*")
"""A position set by hand in XG: 26 characters as in an XGID, and the cube."""

_ROLLED = {
    (seat, (a, b)): Rolled(seat=seat, dice=(a, b))
    for seat in Seat
    for a in range(1, 7)
    for b in range(1, 7)
}
"""Every roll there is; payloads are frozen, so one of each will do."""


class GameReader:
    """Reads one game; what it means is decided with the board, for nothing is filled in."""

    def __init__(
        self,
        notes: Notes,
        *,
        line: int,
        names: tuple[str, str] | None,
        swapped: bool,
        right_column: int,
        ending: Ending,
    ) -> None:
        self.notes = notes
        self.facts = notes.facts
        self.line = line
        """Line of the heading."""
        self.names = names
        self.swapped = swapped
        """Whether the right column is seat one's in this game."""
        self.right_column = right_column
        self.ending = ending
        self.board: Position | None = STARTING
        """Seen by `player`; None while unknown."""
        self.player = Seat.ONE
        self.cube = 1
        self.cube_owner: Seat | None = None
        self.offered: Seat | None = None
        self.pending: tuple[Seat, Cell, int, int | None, str] | None = None
        """A roll without a play, until it is seen whether the game goes on."""
        self.is_empty = True
        """Whether no dice were thrown yet."""
        self.last_roll: tuple[tuple[int, int], Position, tuple[CheckerMove, ...]] | None = None

    def state_start(self, counts: tuple[int, ...]) -> None:
        """A game that starts from other points than backgammon's, both sides alike."""
        self.board, self.player = Position(counts, counts), Seat.ONE
        self.notes.add(PositionStated(checkers=BySeat(counts, counts), reason="start"))
        self.notes.remark(NoticeCode.VARIATION, "the game starts as Nackgammon")

    def comment(self, text: str) -> bool:
        """Take a position set by hand out of a comment; False if the comment holds none."""
        found = SET_POSITION.fullmatch(text)
        if found is None:
            return False
        self.set_position(found[1], int(found[2]))
        return True

    def set_position(self, points: str, cube: int) -> None:
        """`; Set Pos=`: 26 characters as in an XGID, capitals are the left player (8.6)."""
        left = [0] * 26
        right = [0] * 26
        for point, char in enumerate(points):
            if char == "-":
                continue
            count = ord(char.lower()) - ord("a") + 1
            if char.isupper():
                left[point] = count
            else:
                right[25 - point] = count
        is_sound = left[0] == 0 and right[0] == 0 and max(sum(left), sum(right)) <= CHECKERS
        if not is_sound or abs(cube) > 29:
            code = NoticeCode.POSITION_CONFLICT
            self.notes.remark(code, "the stated position is impossible", raw=self.notes.text)
            return
        left[0], right[0] = CHECKERS - sum(left), CHECKERS - sum(right)
        sides = (right, left) if self.swapped else (left, right)
        one, two = tuple(sides[0]), tuple(sides[1])
        self.board, self.player = Position(one, two), Seat.ONE
        self.cube = 2 ** abs(cube)
        self.cube_owner = None
        if cube:
            self.cube_owner = Seat.TWO if (cube > 0) is not self.swapped else Seat.ONE
        self.notes.add(
            PositionStated(
                checkers=BySeat(one, two),
                cube=StatedCube(value=self.cube, owner=self.cube_owner),
                reason="set in the file",
            )
        )
        self.notes.remark(NoticeCode.STATED_POSITION, "the position is set by hand")

    def read_rows(self) -> None:
        """All rows of the present line."""
        text = self.notes.text
        if len(text) - len(text.lstrip()) > 2000:
            text = text.strip()
        for row in mat_rows.rows_of(text, self.right_column):
            self.read_row(row)

    def read_row(self, row: Row) -> None:
        """Both cells of a row in their order."""
        number, left, right, rest = row
        if number is not None:
            self.notes.row = number
        if left is not None:
            self.read_cell(left, Seat.TWO if self.swapped else Seat.ONE)
        if right is not None:
            self.read_cell(right, Seat.ONE if self.swapped else Seat.TWO)
        for cell in rest:
            if cell.act is Act.WIN and self.ending.result is None:
                self.ending.result = self.claim(cell, None)
            else:
                self.notes.not_understood(cell.text or self.notes.text)

    def read_cell(self, cell: Cell, seat: Seat) -> None:
        """One cell as facts."""
        act = cell.act
        ending = self.ending
        if ending.result is not None:
            code = NoticeCode.AFTER_THE_END
            message = "a second result" if act is Act.WIN else "written after the game's result"
            self.notes.remark(code, message, side=seat, raw=cell.text or self.notes.text)
            if act is Act.WIN:
                return
        if act is Act.ROLL:
            self.go_on()
            if cell.dice is None:
                self.unreadable_roll(cell, seat)
                return
            self.roll(cell, seat)
            if cell.concedes:
                ending.resigned = (seat, self.notes.line)
            return
        match act:
            case Act.WIN:
                ending.result = self.claim(cell, seat)
            case Act.LOSS:
                ending.loss = self.claim(cell, seat)
            case Act.RESIGN:
                ending.resigned = (seat, self.notes.line)
            case Act.WAS_RESIGNED:
                # OpenGammon says it in the column of the one who wins.
                ending.resigned = (seat.other, self.notes.line)
            case Act.NO_ROLL:
                message = "a roll that was never thrown"
                self.notes.remark(NoticeCode.NO_ROLL, message, side=seat, raw=cell.text)
            case Act.UNKNOWN:
                self.notes.not_understood(cell.text, seat)
            case _:
                self.go_on()
                self.turn_cube(cell, seat)

    def claim(self, cell: Cell, seat: Seat | None) -> Claim:
        """What a cell says about the result."""
        return Claim(seat, cell.value or 0, self.notes.line, cell.text, cell.ends_match)

    def go_on(self) -> None:
        """The game goes on: whatever waited to be seen as its end was none."""
        if self.pending is not None:
            self.settle_pending()
        ending = self.ending
        if ending.resigned is not None or ending.loss is not None:
            resigned = ending.resigned or ending.loss
            assert resigned is not None
            if resigned[0] is not None:
                self.notes.add(ResignationOffered(seat=resigned[0]))
            ending.resigned = ending.loss = None
            self.notes.remark(NoticeCode.AFTER_THE_END, "the game goes on after a resignation")

    def unreadable_roll(self, cell: Cell, seat: Seat) -> None:
        """A roll of dice that do not exist; what was played with them may be told all the same."""
        code = NoticeCode.DICE_NOT_READ
        self.notes.remark(code, "no dice show that", side=seat, raw=cell.text)
        self.notes.lost.append(f"line {self.notes.line}: dice {cell.text[:200]}")
        if cell.moves:
            self.play(seat, cell, None)

    def roll(self, cell: Cell, seat: Seat) -> None:
        """A throw and what was played with it."""
        self.notes.rolls += 1
        self.is_empty = False
        dice = cell.dice
        assert dice is not None
        if cell.mark is not None:
            self.roll_without_moves(cell, seat, dice)
            return
        self.facts.append(Fact(_ROLLED[seat, dice], self.notes.line))
        self.play(seat, cell, dice)

    def play(self, seat: Seat, cell: Cell, dice: tuple[int, int] | None) -> None:
        """Checker moves as written; the board follows, for what depends on it."""
        moves = cell.moves
        self.add_play(PlayMade(seat=seat, moves=moves))
        board = self.board
        self.last_roll = None
        if board is None:
            return
        if self.player is not seat:
            board = Position(board.other, board.own)
            self.player = seat
        if dice is not None:
            self.last_roll = (dice, board, moves)
        moved = board.moved(moves)
        self.board = after = moved.position
        if moved.hits or cell.stars:
            self.compare_stars(cell, moved.hits, seat)
        if after is not None and after.own[OFF] and sum(after.own) == after.own[OFF]:
            self.ending.borne_off_by = seat
            self.ending.loser = after.other

    def add_play(self, made: PlayMade) -> None:
        """A play as a fact, and where it stands, for remarks that speak of it."""
        notes = self.notes
        notes.plays[notes.game, notes.row, made.seat] = len(self.facts)
        self.facts.append(Fact(made, notes.line))

    def compare_stars(self, cell: Cell, hits: tuple[int, ...], seat: Seat) -> None:
        """Hits are derived; a star that disagrees is remarked."""
        if cell.stars:
            self.notes.uses_stars = True
            for point in set(cell.stars).difference(hits):
                message = f"a star on point {point}, where nothing is hit"
                self.notes.remark(
                    NoticeCode.STAR_WITHOUT_HIT, message, side=seat, raw=self.notes.text
                )
        missing = set(hits).difference(cell.stars)
        if missing:
            points = ", ".join(map(str, sorted(missing)))
            self.notes.unstarred.append(
                Notice(
                    code=NoticeCode.HIT_WITHOUT_STAR,
                    message=f"a hit on point {points} without a star",
                    line=self.notes.line,
                    game=self.notes.game,
                    row=self.notes.row,
                    side=seat,
                )
            )

    def roll_without_moves(self, cell: Cell, seat: Seat, dice: tuple[int, int]) -> None:
        """The four cases of formats.md 8.4, stated boards and moves that cannot be read."""
        mark = cell.mark
        if mark is Mark.STATED and self.is_start_marker(cell):
            self.notes.rolls -= 1
            return
        self.facts.append(Fact(_ROLLED[seat, dice], self.notes.line))
        self.last_roll = None
        board = self.board
        if board is not None and self.player is not seat:
            board = Position(board.other, board.own)
        if mark is Mark.STATED:
            self.told_by_its_end(cell, seat)
            return
        if mark is Mark.UNREADABLE:
            code = NoticeCode.PLAY_NOT_READ
            self.notes.remark(code, "the play cannot be read", side=seat, raw=cell.text)
            self.gap(seat, cell.text, self.notes.line)
            return
        if mark is Mark.CANNOT_MOVE:
            if board is not None and has_legal_play(board, dice):
                code = NoticeCode.NO_PLAY_CLAIMED
                self.notes.remark(code, "a play could be made", side=seat, raw=self.notes.text)
            self.facts.append(Fact(PlayMade(seat=seat), self.notes.line))
            return
        if mark is Mark.EMPTY and board is not None and not has_legal_play(board, dice):
            self.facts.append(Fact(PlayMade(seat=seat), self.notes.line))
            return
        # What it is depends on whether the game goes on; nothing is filled in meanwhile.
        self.pending = (seat, cell, self.notes.line, self.notes.row, self.notes.text)

    def settle_pending(self) -> None:
        """The game went on after a roll without a play: dance, hidden play or lost play."""
        if self.pending is None:
            return
        seat, cell, line, row, text = self.pending
        self.pending = None
        if cell.mark is Mark.EMPTY and self.board is None:
            self.notes.remark(
                NoticeCode.EMPTY_ON_UNKNOWN_BOARD,
                "no play is written, and the board is unknown; taken as a dance",
                line=line,
                row=row,
                side=seat,
                raw=text,
            )
            self.facts.append(Fact(PlayMade(seat=seat), line))
            return
        hidden = cell.mark is Mark.HIDDEN
        self.notes.remark(
            NoticeCode.HIDDEN_PLAY if hidden else NoticeCode.LOST_PLAY,
            "the play is hidden" if hidden else "no play is written, and one could be made",
            line=line,
            row=row,
            side=seat,
            raw=text,
        )
        self.gap(seat, cell.text, line)

    def gap(self, seat: Seat, written: str, line: int) -> None:
        """A play that was made and is not known: so is the board, from here on."""
        self.facts.append(Fact(PlayUnseen(seat=seat, written=clear(written)), line))
        self.board = None

    def is_start_marker(self, cell: Cell) -> bool:
        """DailyGammon marks Nackgammon with a stated board as a game's first cell (8.7)."""
        if self.facts and isinstance(self.facts[-1].payload, GameStarted | PositionStated):
            counts = mat_rows.stated_board(cell).counts()
            if counts == (NACKGAMMON, NACKGAMMON):
                if not isinstance(self.facts[-1].payload, PositionStated):
                    self.state_start(NACKGAMMON)
                return True
        return False

    def told_by_its_end(self, cell: Cell, seat: Seat) -> None:
        """A play that its source could not spell: the board after it is all that is known."""
        stated = mat_rows.stated_board(cell)
        counts = stated.counts()
        if counts is None:
            self.notes.remark(
                NoticeCode.POSITION_CONFLICT,
                "the stated board cannot be read",
                side=seat,
                raw=self.notes.text,
            )
            self.gap(seat, stated.without_names, self.notes.line)
            return
        plus = stated.plus_side()
        if plus is not None and self.swapped:
            plus = plus.other
        self.check_stated(stated, counts, seat, plus)
        if plus is None:
            plus = seat.other
        one, two = counts if plus is Seat.ONE else (counts[1], counts[0])
        self.board, self.player = Position(one, two), Seat.ONE
        self.notes.remark(
            NoticeCode.STATED_POSITION, "the play is told by the board after it", side=seat
        )
        written = stated.without_names
        made = PlayMade(
            seat=seat,
            resulting_position=BySeat(one, two),
            written=written if len(written) <= 4096 else None,
        )
        self.add_play(made)
        own, other = (one, two) if seat is Seat.ONE else (two, one)
        if own[OFF] and own[OFF] == sum(own):
            self.ending.borne_off_by = seat
            self.ending.loser = other

    def check_stated(
        self,
        stated: mat_rows.StatedBoard,
        counts: tuple[tuple[int, ...], tuple[int, ...]],
        seat: Seat,
        plus: Seat | None,
    ) -> None:
        """Side, names and checkers of a stated board, which many writers get wrong."""
        problems = []
        if plus is not seat.other:
            problems.append("field 5 does not name the player then on roll")
        names = tuple(field.strip() for field in stated.fields[5:7])
        if self.names is not None and plus is not None:
            expected = self.names if plus is Seat.ONE else (self.names[1], self.names[0])
            if any(names) and names != expected:
                problems.append("its names are not those of its sides")
        if any(sum(side) > CHECKERS for side in counts):
            problems.append("a side has more than 15 checkers")
        if problems:
            message = "; ".join(problems)
            self.notes.remark(NoticeCode.POSITION_CONFLICT, message, side=seat, raw=self.notes.text)

    def turn_cube(self, cell: Cell, seat: Seat) -> None:
        """Doubles, takes, drops, beavers; the value written is compared."""
        value = cell.value
        if value is not None and not 1 <= value <= MAX_CUBE:
            self.notes.remark(
                NoticeCode.CUBE_DIFFERS, "no cube shows that", side=seat, raw=cell.text
            )
            value = None
        match cell.act:
            case Act.DOUBLE:
                if value is not None and value != self.cube * 2:
                    self.restate_cube(value, seat, cell)
                self.notes.add(DoubleOffered(seat=seat))
                self.offered = seat
            case Act.TAKE:
                self.notes.add(DoubleTaken(seat=seat))
                if self.offered is not None:
                    self.cube = min(self.cube * 2, MAX_CUBE)
                    self.cube_owner = seat
                self.offered = None
            case Act.DROP:
                self.notes.add(DoubleDropped(seat=seat))
                if self.offered is not None:
                    self.ending.dropped = seat
                self.offered = None
            case Act.BEAVER:
                self.notes.add(CubeBeavered(seat=seat))
                self.cube = min(self.cube * 4, MAX_CUBE)
                self.cube_owner = seat
                self.offered = None
                if value is not None and value != self.cube:
                    message = f"{value} written, {self.cube} by the acts"
                    self.notes.remark(NoticeCode.CUBE_DIFFERS, message, side=seat, raw=cell.text)
            case _:
                self.notes.not_understood(cell.text, seat)
                if value is not None:
                    self.cube, self.cube_owner = value, seat.other
                    self.notes.add(CubeStated(value=value, owner=seat.other))

    def restate_cube(self, value: int, seat: Seat, cell: Cell) -> None:
        """The source doubles from another value: its value is followed, so that points agree."""
        message = f"{value} written, {self.cube * 2} by the acts"
        self.notes.remark(NoticeCode.CUBE_DIFFERS, message, side=seat, raw=cell.text)
        if value % 2:
            return
        self.cube = value // 2
        reason = "cube value of the file"
        self.notes.add(CubeStated(value=self.cube, owner=self.cube_owner, reason=reason))

    def conclude(
        self, *, printed: BySeat[int] | None, following: BySeat[int] | None
    ) -> Outcome | None:
        """How the game ended; `printed` is the score above it, `following` the one below."""
        return self.ending.conclude(
            self.notes,
            cube=self.cube,
            is_turned=self.cube > 1 or self.cube_owner is not None,
            printed=printed,
            following=following,
            line=self.line,
        )

    def is_half_played(self, line: int) -> bool:
        """Whether the play on `line`, the last one, is missing or no whole play."""
        if self.pending is not None:
            return self.pending[2] == line
        if self.last_roll is None or self.facts[-1].line != line:
            return False
        return isinstance(self.facts[-1].payload, PlayMade) and not is_legal(
            self.last_roll[1], self.last_roll[0], self.last_roll[2]
        )
