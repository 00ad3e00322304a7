"""Reads the nodes of one game of an SGF file into facts: moves, cube acts, set-ups, comments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from api.exchange.reading.ending import Ending
from api.exchange.reading.facts import NoticeCode
from api.exchange.reading.game import Counts, GameTelling
from api.exchange.reading.notes import Notes
from api.exchange.sgf.grammar import Node, Property
from api.exchange.sgf.letters import cube_value, hops_of, point_of
from events.values import BAR, CHECKERS, OFF, Seat
from projections.board.position import Position

SIDES = {"W": Seat.ONE, "B": Seat.TWO}
"""White is the left player: seat one."""

OURS = "sgf-tabularium"
"""The dialect of files that this program wrote."""

IMPLIED = "N[implied]"
"""Name of a node in our files that adds nothing: a beaver was taken by playing on."""

SET = "N[set]"
"""Name of a set-up in our files that does not end a play, even if dice wait for one."""

GAP = "N[gap]"
"""Name of a node in our files with dice whose play nobody saw."""

ANALYSIS = frozenset(
    {"A", "DA", "LU", "GW", "GB", "MR", "GS", "BM", "DO", "IT", "TE", "DM", "UC", "HO", "V", "SK"}
    | {"BC"}
)
"""Properties in which a program judges a play; they were not said at the table."""

TIMES = frozenset({"WL", "BL", "OW", "OB", "TM", "OT"})
"""Properties of the clock: readings whose meaning differs from program to program."""

_ROLL = re.compile(r"([0-9])([0-9])((?:[A-Za-z]{2})*)")
_DICE = re.compile(r"([1-6])([1-6])")
_STONES = re.compile(r"([a-y])(?::([a-y]))?")

_DOUBLES = frozenset({"double", "doubles", "redouble", "redoubles"})
_TAKES = frozenset({"take", "takes", "accept", "accepts"})
_DROPS = frozenset({"drop", "drops", "pass", "passes", "reject", "rejects"})
_ANSWERS = frozenset({"accept", "accepts", "reject", "rejects"})
"""Words that may also answer a resignation."""
_BEAVERS = frozenset({"beaver", "beavers", "raccoon", "raccoons"})
_MAX_HOPS = 30
"""Most checker moves of a turn that are read; four are usual."""


class _Roll:
    """Dice that a set-up placed, until it is known what was done with them."""

    def __init__(self, seat: Seat, dice: tuple[int, int], line: int) -> None:
        self.seat = seat
        self.dice = dice
        self.line = line
        self.comments: list[tuple[str, int]] = []
        """Comments about them, with their lines."""
        self.board: Position | None = None
        """A board that was set after them and that no play leads to: seat one's side; the dice lie
        on it."""


class GameReader(GameTelling):
    """One game being read; nothing is added that no node says."""

    def __init__(self, notes: Notes, *, line: int, ending: Ending, dialect: str) -> None:
        super().__init__(notes, line=line, ending=ending)
        self.dialect = dialect
        self.pending: _Roll | None = None
        """Dice that a set-up placed and that were not played yet."""
        self.idle: tuple[Seat, int] | None = None
        """The player who moved nothing with the last roll although a play was possible, and the
        line."""
        self.to_play: Seat | None = None
        """Whose turn it is, if a node says so or it follows from the last move."""
        self.new_cube: tuple[int, Seat | None] | None = None
        """The cube as the last set-ups placed it, until an act uses it."""
        self.unread: Counter[str] = Counter()
        """Properties that no fact can hold, by name."""
        self.first_lines: dict[str, int] = {}
        """Line of the first occurrence of each."""

    def read_node(self, node: Node) -> None:
        """One node below the root."""
        self.notes.line = node.line
        known = len(self.facts)
        name = f"N[{node.value('N')}]" if self.dialect == OURS else ""
        if name == IMPLIED:
            return
        self.read_setup(node, is_play_end=name != SET)
        if name == GAP:
            self.settle()
        for prop in node.properties:
            self.notes.line = prop.line
            if prop.name in SIDES:
                self.read_action(SIDES[prop.name], prop)
            elif prop.name not in _SETUP and prop.name != "C" and not (prop.name == "N" and name):
                self.count(prop)
        is_new = len(self.facts) > known
        for prop in node.properties:
            if prop.name == "C":
                for text in prop.values:
                    self.notes.line = prop.line
                    self.comment(text, is_new=is_new)
            elif prop.name in _SINGLE and len(prop.values) > 1:
                self.notes.not_understood(f"{prop.name}: more than one value")

    def count(self, prop: Property) -> None:
        """Note a property once for the whole match."""
        self.unread[prop.name] += 1
        self.first_lines.setdefault(prop.name, prop.line)

    def comment(self, text: str, *, is_new: bool = True) -> None:
        """A comment, stored with the fact that it is about."""
        if self.pending is not None and not is_new:
            self.pending.comments.append((text, self.notes.line))
            return
        if text.strip():
            # The facts are counted without `match.opened`, which is put first at the end.
            self.notes.mark(text, len(self.notes.facts))
        else:
            self.notes.remark(NoticeCode.COMMENT, "a comment within the match", raw=text)

    # -- moves and cube acts -------------------------------------------------------------------

    def read_action(self, seat: Seat, prop: Property) -> None:
        """What a player does: a roll with its move, or a cube act."""
        notes = self.notes
        raw = prop.values[0]
        if len(prop.values) > 1:
            notes.not_understood(f"{prop.name}: more than one value", seat)
        word = "".join(raw.split()).lower()
        rolled = _ROLL.fullmatch(word)
        if rolled is not None and len(rolled[3]) <= 2 * _MAX_HOPS:
            self.read_move(seat, rolled, raw)
        elif word in _ANSWERS and self.offered is None and self.beavered is None:
            notes.not_understood(f"{prop.name}[{raw}]", seat)
        elif word in _DOUBLES | _TAKES | _DROPS | _BEAVERS:
            self.settle()
            self.turn_cube(seat, word)
        elif _DICE.match(word):
            self.settle()
            self.add_roll(seat, (int(word[0]), int(word[1])))
            notes.remark(NoticeCode.PLAY_NOT_READ, "the play cannot be read", side=seat, raw=raw)
            self.add_gap(seat, raw[:400], notes.line)
        else:
            notes.not_understood(f"{prop.name}[{raw}]", seat)

    def read_move(self, seat: Seat, rolled: re.Match[str], raw: str) -> None:
        """Two digits and the checker moves; without any it is a dance."""
        notes = self.notes
        dice = (int(rolled[1]), int(rolled[2]))
        moves = hops_of(rolled[3].lower(), seat)
        pending = self.pending
        if pending and pending.seat is seat and sorted(pending.dice) == sorted(dice):
            # The set-up placed the dice of exactly this move.
            if pending.board is not None:
                self.lay_out(pending)
            self.take_roll()
        else:
            self.settle()
            if not _DICE.fullmatch(rolled[1] + rolled[2]):
                notes.remark(NoticeCode.DICE_NOT_READ, "no dice show that", side=seat, raw=raw)
                notes.lost.append(f"line {notes.line}: dice {raw[:200]}")
                if moves:
                    self.add_moves(seat, moves, None)
                self.to_play = seat.other
                return
            self.add_roll(seat, dice)
        self.to_play = seat.other
        if moves:
            self.add_moves(seat, moves, dice)
        else:
            self.move_nothing(seat, dice)

    def move_nothing(self, seat: Seat, dice: tuple[int, int]) -> None:
        """A roll without a move: a dance, unless a play was possible."""
        could_play = self.could_play(seat, dice)
        if could_play is None:
            self.notes.remark(
                NoticeCode.EMPTY_ON_UNKNOWN_BOARD,
                "no play is written, and the board is unknown; taken as a dance",
                side=seat,
            )
        if could_play and self.dialect != OURS:
            self.idle = (seat, self.notes.line)
            return
        if could_play:
            self.claim_no_play(seat, self.notes.line)
        self.add_dance(seat)

    def claim_no_play(self, seat: Seat, line: int) -> None:
        """The source says that nothing was moved, although a play was possible."""
        code = NoticeCode.NO_PLAY_CLAIMED
        self.notes.remark(code, "a play could be made", side=seat, line=line)

    def turn_cube(self, seat: Seat, word: str) -> None:
        """Doubles, takes, drops, beavers; a double by the player who was doubled is a beaver."""
        is_answer = self.offered is not None and self.offered is not seat
        if word in _BEAVERS or (word in _DOUBLES and (is_answer or self.beavered is seat.other)):
            self.add_beaver(seat)
        elif word in _DOUBLES:
            self.add_double(seat)
        elif word in _TAKES:
            self.add_take(seat)
        else:
            self.add_drop(seat)

    # -- set-ups -------------------------------------------------------------------------------

    def read_setup(self, node: Node, *, is_play_end: bool) -> None:
        """Whose turn it is, cube, board and dice, in the order in which they apply."""
        turn = node.value("PL")
        if turn is not None:
            seat = SIDES.get(turn.strip()[:1].upper())
            if seat is None:
                self.notes.not_understood(f"PL[{turn}]")
            self.to_play = seat or self.to_play
        self.read_cube(node)
        dice = self.dice_of(node)
        stones = [prop for prop in node.properties if prop.name in _STONES_NAMES]
        if stones:
            self.place(stones, dice, is_play_end=is_play_end)
        elif dice is not None:
            seat, pending = self.to_play, self.pending
            if pending is not None and pending.board is not None and pending.seat is seat:
                self.lay_out(pending)  # other dice are placed on that board
                self.pending = None
            self.settle()
            if seat is None:
                self.notes.not_understood(f"dice of nobody: {dice[0]}{dice[1]}")
            else:
                self.pending = _Roll(seat, dice, self.notes.line)

    def dice_of(self, node: Node) -> tuple[int, int] | None:
        """Dice that a set-up places."""
        raw = node.value("DI")
        if raw is None:
            return None
        found = _DICE.fullmatch(raw.strip())
        if found is None:
            self.notes.remark(NoticeCode.DICE_NOT_READ, "no dice show that", raw=raw)
            self.notes.lost.append(f"line {self.notes.line}: dice {raw[:200]}")
            return None
        return int(found[1]), int(found[2])

    def read_cube(self, node: Node) -> None:
        """The cube as a set-up places it."""
        value, owner = self.new_cube or (self.cube, self.cube_owner)
        raw = node.value("CV")
        if raw is not None:
            number = cube_value(raw)
            if number is None:
                self.notes.remark(NoticeCode.CUBE_DIFFERS, "no cube shows that", raw=raw)
                self.notes.lost.append(f"line {self.notes.line}: cube {raw[:200]}")
            else:
                self.new_cube = value, owner = number, owner
        raw = node.value("CP") or node.value("CO")
        if raw is not None:
            side = raw.strip()[:1].upper()
            if side in SIDES or side in ("C", "N"):
                self.new_cube = value, SIDES.get(side)
            else:
                self.notes.not_understood(f"cube of {raw}")

    def settle_cube(self) -> None:
        """The cube that was set up is used from here on."""
        if self.new_cube is not None:
            value, owner = self.new_cube
            self.new_cube = None
            self.offered = None
            self.state_cube(value, owner, reason="cube of the file")

    def place(
        self, stones: list[Property], dice: tuple[int, int] | None, *, is_play_end: bool
    ) -> None:
        """A board, given as a whole or as changes: the end of a play if dice waited for one."""
        pending = self.pending
        board = (pending and pending.board) or self.board_of(Seat.ONE)
        sides = [[0] * 26, [0] * 26] if board is None else [list(board.own), list(board.other)]
        for prop in stones:
            for seat, point in self.stones_of(prop):
                if prop.name == "AE":
                    sides[0 if seat is Seat.ONE else 1][point] = 0
                else:
                    sides[0 if seat is Seat.ONE else 1][point] += 1
        for side in sides:
            side[OFF] = 0
            side[OFF] = max(0, CHECKERS - sum(side))
        if max(map(max, sides)) > _MAX_STACK:
            code = NoticeCode.POSITION_CONFLICT
            self.notes.remark(code, "the stated position is impossible")
            self.notes.lost.append(f"line {self.notes.line}: a board")
            return
        if any(sum(side) > CHECKERS for side in sides):
            code = NoticeCode.POSITION_CONFLICT
            self.notes.remark(code, "a side has more than 15 checkers")
        one, two = tuple(sides[0]), tuple(sides[1])
        if pending is not None and dice is None and is_play_end:
            before = self.board_of(pending.seat.other)
            after = two if pending.seat is Seat.ONE else one
            if self.dialect != OURS and before is not None and _has_moved(before.own, after):
                pending.board = Position(one, two)
            else:
                self.end_play(pending, Position(one, two))
            return
        self.settle()
        # GNU Backgammon writes the same colour in each of these nodes, whoever is on roll.
        on_roll = None if self.dialect == "sgf-gnubg" else self.to_play
        self.state_position(one, two, on_roll=on_roll, dice=dice, reason="set in the file")
        self.notes.remark(NoticeCode.STATED_POSITION, "the position is set by hand")

    def end_play(self, roll: _Roll, board: Position) -> None:
        """The board that was set is the end of the play of the dice before it."""
        self.take_roll(is_played=False)
        self.add_end_position(roll.seat, board.own, board.other)
        self.to_play = roll.seat.other

    def lay_out(
        self, roll: _Roll, *, dice: tuple[int, int] | None = None, reason: str = "set in the file"
    ) -> None:
        """The board on which the dice lie: the one that was set after them, if there is one."""
        board = roll.board or self.board_of(Seat.ONE)
        assert board is not None
        self.state_position(board.own, board.other, on_roll=roll.seat, dice=dice, reason=reason)
        if roll.board is not None:
            self.notes.remark(NoticeCode.STATED_POSITION, "the position is set by hand")

    def stones_of(self, prop: Property) -> Iterator[tuple[Seat, int]]:
        """Whose checkers stand on which points; a point listed as empty is empty for both."""
        seats = tuple(Seat) if prop.name == "AE" else (SIDES[prop.name[1]],)
        for value in prop.values:
            found = _STONES.fullmatch(value.strip().lower())
            if found is None:
                self.notes.not_understood(f"{prop.name}[{value}]")
                continue
            first, last = ord(found[1]), ord(found[2] or found[1])
            for letter in range(min(first, last), max(first, last) + 1):
                for seat in seats:
                    yield seat, point_of(chr(letter), seat)

    # -- what became of it ---------------------------------------------------------------------

    def add_roll(self, seat: Seat, dice: tuple[int, int]) -> None:
        """Dice are thrown: a double that was not answered is no longer open."""
        self.offered = None
        super().add_roll(seat, dice)

    def take_roll(self, *, is_played: bool = True) -> None:
        """The dice that were placed are a roll, because they were played."""
        roll = self.pending
        assert roll is not None
        self.pending = None
        self.settle_before(is_played=is_played)
        line, self.notes.line = self.notes.line, roll.line
        self.add_roll(roll.seat, roll.dice)
        for text, at in roll.comments:
            self.notes.line = at
            self.comment(text)
        self.notes.line = line

    def settle_before(self, *, is_played: bool = True) -> None:
        """The game goes on after a roll with which nothing was moved; the cube is as set up."""
        if self.idle is not None:
            seat, line = self.idle
            self.idle = None
            self.claim_no_play(seat, line)
            self.add_dance(seat, line)
        if is_played or self.new_cube is not None:
            self.settle_cube()

    def settle(self) -> None:
        """The game goes on: dice that were placed and not played are a gap or a dance."""
        roll = self.pending
        if roll is None:
            self.settle_before()
            return
        if roll.board is not None:
            self.end_play(roll, roll.board)
            return
        self.take_roll()
        if self.dialect != OURS and self.could_play(roll.seat, roll.dice) is False:
            self.add_dance(roll.seat, roll.line)
            return
        self.notes.remark(
            NoticeCode.LOST_PLAY,
            "dice and no play with them, and the game goes on",
            line=roll.line,
            side=roll.seat,
        )
        self.add_gap(roll.seat, f"{roll.dice[0]}{roll.dice[1]}", roll.line)

    def finish(self) -> None:
        """The game has no more nodes: the dice placed last are the roll, or a set-up."""
        roll = self.pending
        if roll is None:
            # A last roll with which nothing was moved is only that roll.
            self.idle = None
            self.settle_cube()
            return
        if self.dialect == OURS or (self.board is None and roll.board is None):
            self.take_roll()
            return
        # A set-up says which dice lie on the board, and not that they were thrown.
        self.pending = None
        self.settle_before()
        line, self.notes.line = self.notes.line, roll.line
        self.lay_out(roll, dice=roll.dice, reason="dice set in the file")
        for text, at in roll.comments:
            self.notes.line = at
            self.comment(text)
        self.notes.line = line


_STONES_NAMES = ("AE", "AW", "AB")

_SINGLE = frozenset({"PL", "DI", "CV", "CP", "CO"})
"""Set-up properties that can be there only once at a time."""

_SETUP = frozenset({*_STONES_NAMES, "PL", "DI", "CV", "CP", "CO"})

_MAX_STACK = 30
"""Most checkers of one side on one point that an event can hold."""


def _has_moved(before: Counts, after: Counts) -> bool:
    """Whether a point has more checkers than before; no play of the other side adds any."""
    return any(after[point] > before[point] for point in range(OFF + 1, BAR))
