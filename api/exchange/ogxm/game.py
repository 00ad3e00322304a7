"""Reads the plies of one OGXM game into facts, following the board and the cube."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from api.exchange.ogxm.board import (
    BEAVER,
    CUBE_SET,
    DOUBLE,
    DROP,
    FORFEIT,
    MARKERS,
    PASS,
    RACCOON,
    RESIGN_GAME,
    RESIGN_MATCH,
    SET_POSITION,
    SETTLE,
    TAKE,
    move_of,
    seat_of,
)
from api.exchange.ogxm.codec import Part
from api.exchange.ogxm.notes import GAP, PREFIX, ROLL
from api.exchange.reading.ending import MAX_POINTS, Claim
from api.exchange.reading.facts import Fact, NoticeCode
from api.exchange.reading.game import MAX_CUBE, GameTelling, sides_of
from events.payloads.base import TableAct, WinKind
from events.payloads.play import PlayMade
from events.values import CheckerMove, Seat
from projections.board.legal import legal_positions
from projections.board.position import Position

_GAP = re.compile(r"(?:([1-6])([1-6]))?(?:: ?((?:[0-9]{1,2}/[0-9]{1,2} ?)*))?")
_ROLL = re.compile(r"(one|two) ([1-6])([1-6])")
_SEATS = (Seat.ONE, Seat.TWO)
_OWNERS = {"white": Seat.ONE, "black": Seat.TWO, 0: Seat.ONE, 1: Seat.TWO}
_LEVELS = {word: kind for number, kind in enumerate(WinKind, 1) for word in (number, kind.value)}


class GameReader(GameTelling):
    """Reads one game. It uses the document's moves, and not its judgement of them."""

    def set_up_cube(self, stated: Part) -> None:
        """The cube with which the game starts, if it was turned before."""
        value = stated.get("initial_cube_value", 1) << stated.get("auto_doubles", 0)
        owner = _OWNERS.get(stated.get("initial_cube_owner", ""))
        if (value, owner) != (1, None):
            self.set_cube(value, owner)

    def set_cube(self, value: int, owner: Seat | None) -> None:
        """The cube as it was set last."""
        if not 1 <= value <= MAX_CUBE:
            self.notes.remark(NoticeCode.CUBE_DIFFERS, f"no cube shows {value}")
            self.notes.lost.append(f"line {self.notes.line}: cube {value}")
            return
        self.state_cube(value, owner, reason="set in the file")

    def read_ply(self, ply: Part, told: list[Part], later: Sequence[Part]) -> None:
        """One ply as facts; removes the notes about it from `told`; `later` are the plies after."""
        action = ply["action_id"]
        if action in MARKERS:
            self.read_rolls(told)
            return
        known = len(self.facts)
        seat = seat_of(ply.get("color", 0))
        if action not in (RESIGN_GAME, RESIGN_MATCH, FORFEIT, SETTLE):
            self.go_on()
        # The codec accepts an action that it does not know with moves and without dice.
        if {"moves", "d1", "d2"} <= ply.keys():
            self.read_dice(ply, seat, later)
        else:
            self.read_act(action, ply, seat, told)
        if "timestamp_ms" in ply:
            self.read_time(known, ply["timestamp_ms"])
        self.read_rolls(told)

    def read_time(self, known: int, at_ms: int) -> None:
        """The clock's reading at a ply, which is the time of its act."""
        for place in range(known, len(self.facts)):
            payload = self.facts[place].payload
            if isinstance(payload, TableAct):
                self.facts[place] = Fact(
                    msgspec.structs.replace(payload, at_ms=at_ms), self.facts[place].line
                )

    def read_act(self, action: int, ply: Part, seat: Seat, told: list[Part]) -> None:
        """A ply without a play of dice."""
        match action:
            case _ if action == SET_POSITION:
                self.read_position(ply, seat)
            case _ if action == DOUBLE:
                self.add_double(seat)
            case _ if action == TAKE:
                self.add_take(seat)
            case _ if action == DROP:
                self.add_drop(seat)
            case _ if action == BEAVER:
                self.add_beaver(seat)
            case _ if action == CUBE_SET:
                self.set_cube(ply["cube_value"], _OWNERS.get(ply.get("cube_owner", "")))
            case _ if action == PASS:
                self.read_pass(seat, told)
            case _ if action in (RESIGN_GAME, RESIGN_MATCH):
                self.ending.resigned = (seat, self.notes.line)
                self.ending.level = _LEVELS.get(ply.get("resign_value", ""))
                if action == RESIGN_MATCH:
                    self.lose("the match was resigned, not only the game")
            case _ if action == RACCOON:
                self.lose("a raccoon: the cube is set instead")
                self.set_cube(self.cube * 2, seat)
            case _ if action == FORFEIT:
                self.lose(f"{seat.value} forfeits the game")
            case _ if action == SETTLE:
                self.lose(f"the game is settled for {ply.get('settle_value')}")
            case _:
                self.lose(f"an action that is not known: {action}")

    def lose(self, what: str) -> None:
        """Something that no event can hold."""
        self.notes.remark(NoticeCode.NO_FACT, what)
        self.notes.lost.append(f"line {self.notes.line}: {what}")

    # -- dice ----------------------------------------------------------------------------------

    def read_dice(self, ply: Part, seat: Seat, later: Sequence[Part]) -> None:
        """A roll, and what was played with it."""
        dice = (ply["d1"], ply["d2"])
        self.add_roll(seat, dice)
        if ply["moves"]:
            self.add_moves(seat, tuple(move_of(step, seat) for step in ply["moves"]), dice)
            return
        could_play = self.could_play(seat, dice)
        is_last = all(
            other["action_id"] in MARKERS | {RESIGN_GAME, RESIGN_MATCH, FORFEIT, SETTLE}
            for other in later
        )
        if could_play is False:
            self.add_dance(seat)
        elif could_play is None:
            message = "no play is written, and the board is unknown; taken as a dance"
            self.notes.remark(NoticeCode.EMPTY_ON_UNKNOWN_BOARD, message, side=seat)
            self.add_dance(seat)
        elif not is_last:
            message = "no play is written, and one could be made"
            self.notes.remark(NoticeCode.LOST_PLAY, message, side=seat)
            self.add_gap(seat, "", self.notes.line)

    def read_rolls(self, told: list[Part]) -> None:
        """Our notes of rolls with which nothing was played; removes them from `told`."""
        for note in [note for note in told if note.get("key") == PREFIX + ROLL]:
            found = [_ROLL.fullmatch(line) for line in str(note["value"]).split("\n")]
            if all(found):
                told.remove(note)
                for roll in filter(None, found):
                    self.add_roll(Seat(roll[1]), (int(roll[2]), int(roll[3])))

    def read_pass(self, seat: Seat, told: list[Part]) -> None:
        """A pass; in our files it means a roll whose play or board is not known."""
        note = next((note for note in told if note.get("key") == PREFIX + GAP), None)
        found = None if note is None else _GAP.fullmatch(note["value"])
        if note is None or found is None:
            self.notes.remark(NoticeCode.NO_ROLL, "a turn without a roll", side=seat)
            self.add_play(PlayMade(seat=seat))
            return
        told.remove(note)
        dice = None if found[1] is None else (int(found[1]), int(found[2]))
        if dice is not None:
            self.add_roll(seat, dice)
        if found[3] is None:
            self.add_gap(seat, "", self.notes.line)
            return
        hops = (word.split("/") for word in found[3].split())
        moves = tuple(CheckerMove(int(start), int(end)) for start, end in hops)
        if all(0 <= point <= 25 for move in moves for point in (move.from_point, move.to_point)):
            self.add_moves(seat, moves, dice)

    # -- boards --------------------------------------------------------------------------------

    def read_position(self, ply: Part, on_roll: Seat) -> None:
        """A whole board: with dice the end of a play, else set from outside play."""
        sides = sides_of(ply["set_position"][::-1])
        has_dice = "d1" in ply
        if sides is None:
            self.notes.remark(NoticeCode.POSITION_CONFLICT, "the stated position is impossible")
            self.notes.lost.append(f"line {self.notes.line}: {ply['set_position']}")
            if has_dice:
                self.add_roll(on_roll.other, (ply["d1"], ply["d2"]))
                self.add_gap(on_roll.other, "", self.notes.line)
            return
        if not has_dice:
            self.state_position(*sides, on_roll=on_roll, reason="set in the file")
            self.notes.remark(NoticeCode.STATED_POSITION, "the position is set")
            return
        seat, dice = on_roll.other, (ply["d1"], ply["d2"])
        before = self.board_of(seat)
        self.add_roll(seat, dice)
        if ply.get("illegal"):
            self.remark_illegal(seat, dice, before, sides)
        self.add_end_position(seat, *sides)

    def remark_illegal(
        self,
        seat: Seat,
        dice: tuple[int, int],
        before: Position | None,
        sides: tuple[tuple[int, ...], tuple[int, ...]],
    ) -> None:
        """The file calls a play illegal; the folds decide whether it is."""
        message = "the file says that the play is illegal"
        end = Position(*sides).seen_by(seat)
        if before is not None and end in legal_positions(before, dice):
            message += ", and it is legal"
        self.notes.remark(NoticeCode.DECLARED_ILLEGAL, message, side=seat)

    # -- the end -------------------------------------------------------------------------------

    def close(self, stated: Part) -> None:
        """What the game's record says about its end."""
        winner = stated.get("winner")
        if winner not in (0, 1):
            return
        seat = _SEATS[winner]
        termination = stated.get("termination")
        ending = self.ending
        if termination == "resigned" and ending.resigned is None:
            ending.resigned = (seat.other, self.notes.line)
        points = min(stated.get("points_won", 0), MAX_POINTS)
        is_last = bool(stated.get("is_lastgame"))
        ending.result = Claim(seat, points, self.notes.line, "", is_last)
