"""Reads .bgf files of BGBlitz into facts: match context, comments, games, the result."""

from __future__ import annotations

import hashlib
import itertools

import msgspec

from api.exchange.bgf import layout as layout
from api.exchange.reading.ending import MAX_POINTS, Claim
from api.exchange.reading.facts import (
    AGAIN,
    LEAVE_OUT,
    LENGTH,
    ClaimedResult,
    NoticeCode,
    ReadMatch,
    Refused,
    Source,
)
from api.exchange.reading.game import MAX_CUBE, NACKGAMMON, Counts, sides_of
from api.exchange.reading.match import MAX_LENGTH
from api.exchange.reading.records import RecordGame, RecordMatch
from events.values import BAR, OFF, BySeat, CheckerMove, Seat
from projections.board.position import STARTING

DIALECT = "bgblitz-bgf"
"""One program writes these files, so there is one dialect."""

_SEATS = {-1: Seat.ONE, 1: Seat.TWO}
"""Green is seat one: the left player in the maker's text files."""

_ACT = 7
"""A green die that no die shows: the record is an act, and the red die says which."""

_DOUBLE, _TAKE, _DROP, _END, _DANCE, _RESIGN = 1, 2, 3, 4, 5, 9


def read(data: bytes, name: str) -> list[ReadMatch]:
    """The match of a .bgf file; `name` is what it is called.

    Raises:
        Refused: the file is cut off, damaged, or holds another game.
    """
    source: Source = {"sha256": hashlib.sha256(data).hexdigest(), "encoding": "bgf", "name": name}
    return [MatchReader(layout.document(data), source=source).read()]


class MatchReader(RecordMatch):
    """Reads the games of a file. A line is the number of a record of a game, from 1."""

    game: GameReader | None

    def __init__(self, document: layout.Document, *, source: Source) -> None:
        super().__init__()
        self.document = document
        self.source = source

    def read(self) -> ReadMatch:
        """The whole match."""
        match = self.document.match
        if not 0 <= match.length <= MAX_LENGTH:
            raise Refused(f"no match is played to {match.length} points", LENGTH)
        if not match.games:
            raise Refused("no match in it: there is no game", AGAIN)
        self.length = match.length or None
        self.options = {"jacoby": _switch(match.has_jacoby), "beavers": _switch(match.has_beavers)}
        if self.length is not None:
            self.options["crawford"] = _switch(match.has_crawford)
        if match.final_green is not None and match.final_red is not None:
            self.final = (match.final_green, match.final_red)
        self.notes.line = 1
        if self.document.is_analysed:
            self.lose("an engine's analysis", NoticeCode.ANALYSIS)
        if not match.has_cube:
            self.lose("the match is played without a cube")
        self.take_comment(match.comment, 0)
        line = 1
        for number, game in enumerate(match.games, 1):
            self.notes.line = line
            following = match.games[number] if number < len(match.games) else None
            self.read_game(number, game, following)
            line += len(game.moves)
        return self.finish(DIALECT)

    def read_game(self, number: int, game: layout.Game, following: layout.Game | None) -> None:
        """One game, up to the score after it."""
        notes = self.notes
        first = notes.line
        self.is_crawford = game.is_crawford
        before = _score(game.green, game.red)
        self.start_game(number, before, line=first)
        about = len(notes.facts)
        self.game = GameReader(notes, line=first, ending=self.new_ending())
        self.game.set_up(game.start or layout.Start(), self.document.match.mode)
        self.take_comment(game.comment, about)
        for line, move in enumerate(game.moves, first):
            notes.line = line
            self.game.read_record(move)
            self.take_comment(move.comment, len(notes.facts))
        after = None if self.final is None else _score(*self.final)
        if following is not None:
            after = _score(following.green, following.red)
        self.game.read_end(game, before, after)
        self.end_game(after)

    def close(self, dialect: str, result: ClaimedResult) -> None:
        """Names and context of the match."""
        super().close(dialect, result)
        match = self.document.match
        self.players = BySeat(
            _player(match.green, match.green_rating), _player(match.red, match.red_rating)
        )
        self.members = {
            "event": match.event or "",
            "round": match.round or "",
            "place": match.location or match.site or "",
            "date": match.date or "",
        }
        self.source["headers"] = self.document.details

    def take_comment(self, comment: object, about: int) -> None:
        """A comment, if there is one, about the fact at that place."""
        if comment:
            text = comment if isinstance(comment, str) else msgspec.json.encode(comment).decode()
            self.comment(text, about)


class GameReader(RecordGame):
    """Reads one game. The file has where checkers start and end, not what they hit between."""

    def set_up(self, start: layout.Start, mode: int) -> None:
        """Board and cube with which the game starts, where they are not the usual ones.

        Raises:
            Refused: it is another game.
        """
        if start.is_egyptian:
            raise Refused("Egyptian rules are not backgammon's", LEAVE_OUT, line=self.line)
        sides = _sides(start.points) if start.points else (STARTING.own, STARTING.other)
        if sides is None:
            self.notes.remark(NoticeCode.POSITION_CONFLICT, "the position is impossible")
            self.notes.lost.append(f"record {self.line}: {start.points[:28]}")
        elif (mode or start.mode) and sides != (NACKGAMMON, NACKGAMMON):
            what = f"variation {mode or start.mode} is not backgammon"
            raise Refused(what, LEAVE_OUT, line=self.line)
        else:
            self.state_start(*sides)
        owner = _SEATS.get(start.owner)
        if not 1 <= start.cube <= MAX_CUBE:
            self.lose(f"no cube shows {start.cube}", NoticeCode.CUBE_DIFFERS)
        elif (start.cube, owner) != (1, None):
            self.state_cube(start.cube, owner, reason="set in the file")

    def read_record(self, move: layout.Move) -> None:
        """One record: an act, or a roll and its play."""
        seat = _SEATS.get(move.player)
        if seat is None:
            self.lose(f"a record of player {move.player}")
        elif move.green != _ACT:
            self.go_on()
            self.read_roll(seat, move)
        elif move.red == _RESIGN:
            self.ending.resigned = (seat, self.notes.line)
        elif move.red == _DANCE:
            self.go_on()
            dice = self.dice(seat, *move.start[:1], *move.end[:1])
            self.claim_dance(seat, dice)
        elif move.red != _END:
            self.go_on()
            self.read_act(seat, move.red)

    def read_act(self, seat: Seat, act: int) -> None:
        """What is done with the cube."""
        match act:
            case _ if act == _DOUBLE:
                self.add_double(seat)
            case _ if act == _TAKE:
                self.add_take(seat)
            case _ if act == _DROP:
                self.add_drop(seat)
            case _:
                self.lose(f"an act of kind {act}")

    def dice(self, seat: Seat, *faces: int) -> tuple[int, int] | None:
        """A roll, the red die first; None if no dice show that."""
        if len(faces) == 2 and all(1 <= face <= 6 for face in faces):
            self.add_roll(seat, (faces[0], faces[1]))
            return faces[0], faces[1]
        shown = " and ".join(map(str, faces))
        self.lose(f"no dice show {shown or 'nothing'}", NoticeCode.DICE_NOT_READ)
        return None

    def read_roll(self, seat: Seat, move: layout.Move) -> None:
        """A roll and its play."""
        dice = self.dice(seat, move.red, move.green)
        listed = zip(move.start, move.end, strict=False)
        hops = list(itertools.takewhile(lambda hop: hop[0] != -1, listed))
        is_whole = len(move.start) == len(move.end)
        if not hops and is_whole:
            if dice is not None and self.could_play(seat, dice) is False:
                self.add_dance(seat)
            else:
                self.unplayed = seat, self.notes.line
            return
        if not is_whole or not all(0 < start <= BAR and end < BAR for start, end in hops):
            message = "the play cannot be read"
            written = " ".join(f"{start}/{end}" for start, end in hops)
            self.notes.remark(NoticeCode.PLAY_NOT_READ, message, side=seat, raw=written)
            self.add_gap(seat, written, self.notes.line)
            return
        moves = tuple(CheckerMove(start, max(end, OFF)) for start, end in hops)
        self.add_moves(seat, self.routed(seat, moves, dice), dice)

    def read_end(
        self, game: layout.Game, before: BySeat[int] | None, after: BySeat[int] | None
    ) -> None:
        """What the file says about the end of the game, whose winner the scores name."""
        flags = (
            ("resigned", game.was_resigned and self.ending.resigned is None),
            ("lost on time", game.was_lost_on_time),
            ("forfeited", game.was_forfeit),
        )
        for how, is_so in flags:
            if is_so:
                self.lose(f"the game was {how}", NoticeCode.NO_FACT)
        points = game.points
        if not points and before is not None and after is not None:
            gained = [now - then for now, then in zip(after, before, strict=True)]
            if min(gained) == 0 < max(gained):
                points = max(gained)
                message = f"no points are written, and the score after the game has {points} more"
                self.notes.remark(NoticeCode.NO_RESULT, message)
        if 0 < points <= MAX_POINTS:
            self.ending.result = Claim(None, points, self.notes.line, "")
        elif points:
            self.lose(f"{points} points", NoticeCode.RESULT_DIFFERS)


def _switch(is_on: bool) -> str:
    return "on" if is_on else "off"


def _score(one: int, two: int) -> BySeat[int] | None:
    """The score; None if nobody has such points."""
    return BySeat(one, two) if 0 <= min(one, two) <= max(one, two) <= MAX_POINTS else None


def _player(name: str | None, rating: object) -> dict[str, str]:
    told = {"name": name or "", "rating": str(rating) if isinstance(rating, int | float) else ""}
    if told["rating"] in ("0", "0.0"):
        told["rating"] = ""
    return {member: text for member, text in told.items() if text.strip()}


def _sides(points: list[int]) -> tuple[Counts, Counts] | None:
    """Counts of green and red; None where no checkers stand so."""
    if len(points) < 26:
        return None
    # Red's points are first, then green's bar and red's, whatever their signs.
    return sides_of([-abs(points[25]), *reversed(points[:24]), abs(points[24])])
