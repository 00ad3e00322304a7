"""Reads the rows of one game of a .mat file into facts, with the board and the cube as they go."""

from __future__ import annotations

import re

from api.exchange.mat import rows as mat_rows
from api.exchange.mat import sides
from api.exchange.mat.cells import Act, Cell, Mark, Row, StatedBoard, stated_board
from api.exchange.mat.columns import Columns
from api.exchange.mat.numbers import Numbers
from api.exchange.reading.ending import Claim, Ending
from api.exchange.reading.facts import Notice, NoticeCode
from api.exchange.reading.game import MAX_CUBE, NACKGAMMON, GameTelling
from api.exchange.reading.notes import Notes
from events.payloads.base import WinKind
from events.payloads.dice import Rolled
from events.payloads.match import GameStarted
from events.payloads.play import PlayMade, PositionStated
from events.values import CHECKERS, Seat

_POINTS = re.compile(r"[0-9/]|bar|off", re.I)
"""What checker moves are written with, however."""

SET_POSITION = re.compile(r"[ \t]*[;#][ \t]*Set Pos=([-A-Pa-p]{26})/(-?[0-9]{1,2})[ \t]*")
"""A position set by hand in XG: 26 characters as in an XGID, and the cube."""


class GameReader(GameTelling):
    """Reads one game; the board decides what an ambiguous row means, and nothing is filled in."""

    def __init__(
        self,
        notes: Notes,
        *,
        line: int,
        names: tuple[str, str] | None,
        swapped: bool,
        columns: Columns,
        begins_right: bool = False,
        is_as_made: bool = False,
        ending: Ending,
    ) -> None:
        super().__init__(notes, line=line, ending=ending)
        self.names = names
        self.named = None if names is None else sides.named(names)
        """Finds a player's name before what that player does."""
        self.swapped = swapped
        """Whether the right column is seat one's in this game."""
        self.columns = columns
        self.begins_right = begins_right
        """Whether it is the right player's act that stands alone in the first row."""
        self.is_as_made = is_as_made
        """Whether moves are complete as written; other programs leave out hits on the way."""
        self.numbers = Numbers()
        self.pending: tuple[Seat, Cell, int, int | None, str] | None = None
        """A roll without a play, kept until it is known whether the game goes on."""

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
        pair = (right, left) if self.swapped else (left, right)
        owner = None
        if cube:
            owner = Seat.TWO if (cube > 0) is not self.swapped else Seat.ONE
        self.state_position(
            tuple(pair[0]),
            tuple(pair[1]),
            cube=(2 ** abs(cube), owner),
            reason="set in the file",
        )
        self.notes.remark(NoticeCode.STATED_POSITION, "the position is set by hand")

    def read_rows(self) -> None:
        """All rows of the present line."""
        text = self.notes.text
        if len(text) > 2000 and len(text) - len(text.lstrip()) > 2000:
            text = text.strip()
        if (names := self.names) is not None and (names[0] in text or names[1] in text):
            text = sides.with_names(text, names, self.named)
        if "\t" in text:
            text = self.columns.laid_out(text)
        for row in mat_rows.rows_of(text, self.columns.right):
            self.read_row(self.sided(row) if self.columns.is_lost else row)

    def sided(self, row: Row) -> Row:
        """A row whose columns are lost, where nothing but these says whose its only cell is.

        A result is nobody's then; the game's first act is the right player's if that one begins.
        """
        number, left, right, rest = row
        cell = left or right
        if cell is None or (left and right) or cell.of is not None:
            return row
        if cell.act is Act.WIN:
            return Row(number, None, None, (cell, *rest))
        is_first = self.begins_right and self.is_empty and self.offered is None
        return Row(number, None, cell, rest) if is_first else row

    def read_row(self, row: Row) -> None:
        """Both cells of a row in their order."""
        number, left, right, rest = row
        if number is not None:
            if odd := self.numbers.followed_by(row):
                raw = self.notes.text
                self.notes.remark(NoticeCode.ROW_NUMBER, odd, row=number, raw=raw)
            self.notes.row = number
        if left is not None:
            self.read_cell(left, Seat.TWO if self.swapped else Seat.ONE)
            loss = self.ending.loss
            is_loose = number is None and left.act is Act.LOSS
            if is_loose and loss is not None and loss.seat is not self.ending.rolled:
                # Without a row number it stands in no column (formats.md 8.5): it is the loss of
                # the player who threw last, unless something better is known.
                self.ending.loss = loss._replace(seat=None)
        if right is not None:
            self.read_cell(right, Seat.ONE if self.swapped else Seat.TWO)
        for cell in rest:
            if cell.act is Act.WIN and self.ending.result is None:
                seat = None if cell.of is None else tuple(Seat)[cell.of]
                self.ending.result = self.claim(cell, seat)
            else:
                self.notes.not_understood(self.as_written(cell.text) or self.notes.text)

    def second_result(self, cell: Cell, seat: Seat) -> None:
        """Keep a second result if it names another winner; else it is lost as a repetition."""
        ending = self.ending
        names_another = ending.result is not None and ending.result.seat is seat.other
        if names_another and ending.second is None:
            ending.second = self.claim(cell, seat)
            return
        self.notes.lost.append(f"line {self.notes.line}: {cell.text[:200]}")

    def read_cell(self, cell: Cell, seat: Seat) -> None:
        """One cell as facts."""
        act = cell.act
        ending = self.ending
        if cell.of is not None:
            seat = tuple(Seat)[cell.of]  # who is named did it, wherever it stands
        if ending.result is not None:
            code = NoticeCode.AFTER_THE_END
            message = "a second result" if act is Act.WIN else "written after the game's result"
            self.notes.remark(code, message, side=seat, raw=cell.text or self.notes.text)
            if act is Act.WIN:
                self.second_result(cell, seat)
                return
        if act is Act.ROLL:
            self.go_on()
            if cell.dice is None:
                self.unreadable_roll(cell, seat)
                return
            self.roll(cell, seat)
            if cell.tail:
                self.notes.not_understood(cell.tail, seat)
            if cell.concedes:
                ending.resigned = (seat, self.notes.line)
            return
        match act:
            case Act.WIN:
                # Beside the last checkers borne off it stands in the free column: nobody's.
                is_beside = self.facts[-1].line == self.notes.line and cell.of is None
                is_free = is_beside and ending.borne_off_by is seat.other
                ending.result = self.claim(cell, None if is_free else seat)
            case Act.LOSS:
                ending.loss = self.claim(cell, seat)
            case Act.RESIGN | Act.WAS_RESIGNED:
                # `Resigned` is what OpenGammon says in the column of the one who wins.
                loser = seat if act is Act.RESIGN else seat.other
                ending.resigned = (loser, self.notes.line)
                ending.level = next((k for k in WinKind if k.factor == cell.value), None)
            case Act.NO_ROLL:
                message = "a roll that was never thrown"
                self.notes.remark(NoticeCode.NO_ROLL, message, side=seat, raw=cell.text)
                self.notes.lost.append(f"line {self.notes.line}: {cell.text[:200]}")
            case Act.UNKNOWN:
                self.notes.not_understood(self.as_written(cell.text), seat)
            case Act.TAKE | Act.DROP if self.answers_resignation(seat, cell.text):
                pass
            case _:
                self.go_on()
                self.turn_cube(cell, seat)

    def as_written(self, text: str) -> str:
        """Text of a row with the names that were taken out of it."""
        return text if self.names is None else sides.without_names(text, self.names)

    def claim(self, cell: Cell, seat: Seat | None) -> Claim:
        """What a cell says about the result."""
        return Claim(seat, cell.value or 0, self.notes.line, cell.text, cell.ends_match)

    def go_on(self) -> None:
        """The game goes on: whatever might have ended it did not."""
        if self.pending is not None:
            self.settle_pending()
        super().go_on()

    def unreadable_roll(self, cell: Cell, seat: Seat) -> None:
        """A roll of dice that do not exist; what was played with them may be told all the same."""
        code = NoticeCode.DICE_NOT_READ
        self.notes.remark(code, "no dice show that", side=seat, raw=cell.text)
        self.notes.lost.append(f"line {self.notes.line}: dice {cell.text[:200]}")
        if cell.moves:
            self.play(seat, cell, None)

    def roll(self, cell: Cell, seat: Seat) -> None:
        """A throw and what was played with it."""
        dice = cell.dice
        assert dice is not None
        if cell.mark is not None:
            self.roll_without_moves(cell, seat, dice)
            return
        self.add_roll(seat, dice)
        self.play(seat, cell, dice)

    def play(self, seat: Seat, cell: Cell, dice: tuple[int, int] | None) -> None:
        """Checker moves as written; the board follows, for what depends on it."""
        moves = cell.moves if self.is_as_made else self.routed(seat, cell.moves, dice)
        hits = self.add_moves(seat, moves, dice)
        if hits or (cell.stars and hits is not None):
            self.compare_stars(cell, hits, seat)

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
            self.is_empty = False
            return
        self.add_roll(seat, dice)
        if mark is Mark.STATED:
            self.told_by_its_end(cell, seat)
            return
        could_play = self.could_play(seat, dice)
        if mark is Mark.UNREADABLE and could_play is False and not _POINTS.search(cell.text):
            self.notes.not_understood(cell.text, seat)  # words for a dance that nobody knows
            self.add_dance(seat)
            return
        if mark is Mark.UNREADABLE:
            code = NoticeCode.PLAY_NOT_READ
            self.notes.remark(code, "the play cannot be read", side=seat, raw=cell.text)
            self.add_gap(seat, cell.text, self.notes.line)
            return
        if mark is Mark.CANNOT_MOVE:
            if could_play:
                code = NoticeCode.NO_PLAY_CLAIMED
                self.notes.remark(code, "a play could be made", side=seat, raw=self.notes.text)
            self.add_dance(seat)
            return
        if mark is Mark.EMPTY and could_play is False:
            self.add_dance(seat)
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
            self.add_dance(seat, line)
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
        self.add_gap(seat, cell.text, line)

    def is_start_marker(self, cell: Cell) -> bool:
        """DailyGammon marks Nackgammon with a stated board as a game's first cell (8.7)."""
        if self.facts and isinstance(self.facts[-1].payload, GameStarted | PositionStated):
            counts = stated_board(cell).counts()
            if counts == (NACKGAMMON, NACKGAMMON):
                if not isinstance(self.facts[-1].payload, PositionStated):
                    self.state_nackgammon()
                return True
        return False

    def told_by_its_end(self, cell: Cell, seat: Seat) -> None:
        """A play that its source could not spell: the board after it is all that is known."""
        stated = stated_board(cell)
        counts = stated.counts()
        if counts is None:
            self.notes.remark(
                NoticeCode.POSITION_CONFLICT,
                "the stated board cannot be read",
                side=seat,
                raw=self.notes.text,
            )
            self.add_gap(seat, stated.without_names, self.notes.line)
            return
        plus = stated.plus_side()
        if plus is not None and self.swapped:
            plus = plus.other
        self.check_stated(stated, counts, seat, plus)
        if plus is None:
            plus = seat.other
        one, two = counts if plus is Seat.ONE else (counts[1], counts[0])
        self.add_end_position(seat, one, two, written=stated.without_names)

    def check_stated(
        self,
        stated: StatedBoard,
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
                self.add_double(seat)
            case Act.TAKE:
                self.add_take(seat)
            case Act.DROP:
                self.add_drop(seat)
            case Act.AUTOMATIC:
                self.state_cube(value or self.cube * 2, None, reason="automatic doubles")
            case Act.BEAVER | Act.RACCOON if cell.act is Act.BEAVER or self.beavered is seat.other:
                self.add_beaver(seat)
                if value is not None and value != self.cube:
                    message = f"{value} written, {self.cube} by the acts"
                    self.notes.remark(NoticeCode.CUBE_DIFFERS, message, side=seat, raw=cell.text)
            case _:
                self.notes.not_understood(cell.text, seat)
                if value is not None:
                    self.state_cube(value, seat.other)

    def restate_cube(self, value: int, seat: Seat, cell: Cell) -> None:
        """The source doubles from another value: its value is followed, so that points agree."""
        message = f"{value} written, {self.cube * 2} by the acts"
        self.notes.remark(NoticeCode.CUBE_DIFFERS, message, side=seat, raw=cell.text)
        if value % 2:
            return
        self.state_cube(value // 2, self.cube_owner, reason="cube value of the file")

    def is_half_played(self, line: int) -> bool:
        """Whether the play on `line`, the last one, is missing or no whole play."""
        if self.pending is not None:
            return self.pending[2] == line
        if self.facts[-1].line != line or not isinstance(self.facts[-1].payload, PlayMade):
            return False
        is_legal = self.was_last_play_legal()
        return not self.uses_all_dice() if is_legal is None else not is_legal

    def uses_all_dice(self) -> bool:
        """Whether the last play goes as far as its dice: more cannot be told on no known board."""
        *_, rolled, played = (fact.payload for fact in self.facts)
        if not isinstance(rolled, Rolled) or not isinstance(played, PlayMade):
            return False
        far = sum(one.from_point - one.to_point for one in played.moves or ())
        return far == sum(rolled.dice) * (2 if rolled.dice[0] == rolled.dice[1] else 1)
