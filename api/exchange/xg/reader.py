"""Reads .xg files into facts: match context, comments, the clock, games, the result."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from api.exchange.reading.ending import MAX_POINTS
from api.exchange.reading.facts import (
    LEAVE_OUT,
    LENGTH,
    ClaimedResult,
    Fact,
    NoticeCode,
    ReadMatch,
    Refused,
    Source,
)
from api.exchange.reading.game import NACKGAMMON, sides_of
from api.exchange.reading.match import MAX_LENGTH
from api.exchange.reading.records import RecordMatch
from api.exchange.xg import layout as layout
from api.exchange.xg.container import Contents, contents
from api.exchange.xg.game import GameReader, MarkedPlay
from events.payloads.clock import ClockKind, ClockRead, ClockSet
from events.values import BySeat, Seat
from projections.board.position import STARTING

DIALECT = "xg-binary"
"""One program writes these files, so there is one dialect."""

_UNLIMITED = (0, 99_999)
"""Lengths that mean money play."""

_CLOCKS = {1: ClockKind.FISCHER, 2: ClockKind.BRONSTEIN}

_VARIATIONS = ("backgammon", "Nackgammon", "HyperGammon", "LongGammon")


def read(data: bytes, name: str) -> list[ReadMatch]:
    """The match of an .xg file; `name` is the file's name.

    Raises:
        Refused: the file is cut off, damaged, or holds another game.
    """
    source: Source = {"sha256": hashlib.sha256(data).hexdigest(), "encoding": "xg", "name": name}
    return [MatchReader(contents(data), source=source).read()]


class MatchReader(RecordMatch):
    """Reads the records of a file.

    A line is the number of a record, from 1. Seat one is the file's first player, who is on the
    left in XG's text files.
    """

    game: GameReader | None

    def __init__(self, contents: Contents, *, source: Source) -> None:
        super().__init__()
        self.contents = contents
        self.source = source
        self.header = layout.match_header(contents.records[0])
        self.said_winner = 0
        """The winner that the end of the match names: 1 or -1."""
        self.unread: dict[int, int] = {}
        """Unknown kinds of records, and how many of each there are."""
        self.illegal: list[MarkedPlay] = []
        """Plays that the file marks as illegal."""
        self.has_clocks = self.header.has_turn_clocks and any(
            record.kind == layout.CUBE and any(layout.cube(record).left_s)
            for record in contents.records
        )
        self.shown: tuple[int, int] | None = None
        """Both players' time left, as last reported."""

    def read(self) -> ReadMatch:
        """The whole match."""
        header = self.header
        if header.length not in _UNLIMITED:
            if not 0 < header.length <= MAX_LENGTH:
                raise Refused(f"no match is played to {header.length} points", LENGTH, line=1)
            self.length = header.length
        if header.variation not in (0, 1):
            known = 0 <= header.variation < len(_VARIATIONS)
            variation = _VARIATIONS[header.variation] if known else str(header.variation)
            raise Refused(f"the variation {variation!r} is not backgammon", LEAVE_OUT, line=1)
        self.options = {
            name: "on" if is_on else "off"
            for name, is_on in header.options.items()
            if name != "crawford" or self.length is not None
        }
        self.notes.line = 1
        self.lose_the_rest()
        self.take_comment(header.comments[0], 0)
        for record in self.contents.records[1:]:
            self.notes.line = record.number
            self.read_record(record)
        return self.finish(DIALECT)

    def read_record(self, record: layout.Record) -> None:
        """One record after the first."""
        game, kind = self.game, record.kind
        if kind == layout.GAME:
            self.begin_game(layout.game_header(record))
        elif kind == layout.MATCH_END:
            self.end_match(layout.match_end(record))
        elif kind not in (layout.CUBE, layout.MOVE, layout.GAME_END):
            self.unread[kind] = self.unread.get(kind, 0) + 1
        elif game is None:
            self.notes.remark(NoticeCode.LINE_NOT_READ, "a record outside the games")
            self.notes.lost.append(f"record {record.number}: outside the games")
        elif kind == layout.CUBE:
            self.read_cube(layout.cube(record), game)
        elif kind == layout.MOVE:
            self.read_move(layout.move(record), game)
        else:
            self.read_end(layout.game_end(record), game)

    # -- games ---------------------------------------------------------------------------------

    def begin_game(self, header: layout.GameHeader) -> None:
        """A game, with the score, the board and the cube with which it starts."""
        notes = self.notes
        points = None
        if all(0 <= won <= MAX_POINTS for won in header.score):
            points = BySeat(*header.score)
        number = header.number if 0 < header.number <= MAX_POINTS else self.games + 1
        if number != header.number:
            notes.remark(NoticeCode.GAME_NUMBER, f"no game has the number {header.number}")
        self.is_crawford = header.is_crawford
        self.start_game(number, points, line=notes.line)
        about = len(notes.facts)
        ending = self.new_ending()
        self.game = GameReader(notes, line=notes.line, ending=ending, illegal=self.illegal)
        self.set_clock()
        self.set_up(self.game, header)
        for number in header.comments:
            self.take_comment(number, about)

    def set_up(self, game: GameReader, header: layout.GameHeader) -> None:
        """Board and cube with which a game starts, if they are not the usual ones."""
        is_nackgammon = self.header.variation == 1
        start = (NACKGAMMON, NACKGAMMON) if is_nackgammon else (STARTING.own, STARTING.other)
        if any(header.start):
            stated = sides_of(header.start)
            if stated is None:
                message = "the position at the start is impossible"
                self.notes.remark(NoticeCode.POSITION_CONFLICT, message)
                self.notes.lost.append(f"record {self.notes.line}: {header.start}")
            else:
                start = stated
        game.state_start(*start)
        game.set_automatic_doubles(header.automatic_doubles)

    def read_cube(self, cube: layout.Cube, game: GameReader) -> None:
        """A cube decision, and the time left of both players."""
        self.read_clock(cube.left_s)
        game.read_cube(cube)
        self.take_comment(cube.comment, len(self.notes.facts))

    def read_move(self, move: layout.Move, game: GameReader) -> None:
        """A roll and its play."""
        game.read_move(move)
        self.take_comment(move.comment, len(self.notes.facts))

    def read_end(self, end: layout.GameEnd, game: GameReader) -> None:
        """How the game ended; the score after it is compared with the points of the game."""
        game.read_end(end)
        self.end_game(None)
        if self.printed is None or self.last is None:
            return
        last = self.last
        after = self.printed.update(last.winner, lambda points: points + last.claimed)
        if tuple(after) != end.score:
            one, two = end.score
            message = f"the game's end says {one}-{two}, its points make it {after.one}-{after.two}"
            self.notes.remark(NoticeCode.SCORE_DIFFERS, message)
            self.notes.lost.append(f"record {self.notes.line}: {message}")

    def end_match(self, end: layout.MatchEnd) -> None:
        """The end of the match, if the record names a winner."""
        self.end_game(None)
        self.final, self.said_winner = end.score, end.winner
        if self.last is not None and end.winner in (1, -1):
            self.last = self.last._replace(ends_match=True)

    def close(self, dialect: str, result: ClaimedResult) -> None:
        """Names, context and the final score, and what is known once all games are read."""
        header = self.header
        notes = self.notes
        super().close(dialect, result)
        self.compare_winner(result)
        self.take_comment(header.comments[1], 0)
        for kind, count in self.unread.items():
            message = f"{count} records of kind {kind}, which nobody knows"
            notes.remark(NoticeCode.LINE_NOT_READ, message)
            notes.lost.append(message)
        self.notice_illegal()
        self.players = BySeat(
            *(
                {member: text for member, text in told if text.strip()}
                for told in (
                    (("name", name), ("rating", rating))
                    for name, rating in zip(header.names, header.ratings, strict=True)
                )
            )
        )
        self.members = {
            "event": header.event,
            "round": header.round,
            "place": header.place,
            "date": header.date,
            "transcriber": header.transcriber,
        }
        self.source["headers"] = [*self.contents.titles, *header.details]

    def compare_winner(self, result: ClaimedResult) -> None:
        """The end of the match names a winner, who should be the winner of the last game."""
        said = {1: Seat.ONE, -1: Seat.TWO}.get(self.said_winner)
        if None in (said, result.winner, self.length) or said is result.winner:
            return
        self.notes.remark(NoticeCode.WINNER_CONFLICT, f"the end of the match says {said}")

    def notice_illegal(self) -> None:
        """Link a mark that calls a play illegal to that play."""
        for line, place in self.illegal:
            refers = (("target", place + 1),)  # after `match.opened`
            kind = "play.illegality_noticed"
            self.notes.facts.append(Fact(None, line, kind=kind, plain={}, refers=refers))

    def take_comment(self, number: int, about: int) -> None:
        """The comment of that number, if there is one, about the fact at that place."""
        if number < 0:
            return
        if number < len(self.contents.comments):
            self.comment(self.contents.comments[number], about)
            return
        self.notes.remark(NoticeCode.COMMENT, f"comment {number} is not in the file")
        self.notes.lost.append(f"record {self.notes.line}: comment {number}")

    # -- the clock -----------------------------------------------------------------------------

    def clock_terms(self) -> Mapping[str, str | int] | None:
        """How the clock was to be set; None if there was no clock."""
        clock = self.header.clock
        if clock is None or clock.kind not in _CLOCKS or min(clock.reserve_s, clock.bonus_s) < 0:
            return None
        return {
            "kind": _CLOCKS[clock.kind].value,
            "reserve_ms": clock.reserve_s * 1_000,
            "delay_ms": clock.bonus_s * 1_000,
        }

    def set_clock(self) -> None:
        """The clock is set for the first game, or for each."""
        terms, clock = self.clock_terms(), self.header.clock
        if terms is None or clock is None or not (clock.is_per_game or self.games == 1):
            return
        reserve = BySeat.both(clock.reserve_s * 1_000)
        kind = _CLOCKS[clock.kind]
        self.notes.add(ClockSet(kind=kind, reserve_ms=reserve, delay_ms=clock.bonus_s * 1_000))
        self.shown = None

    def read_clock(self, left_s: tuple[int, int]) -> None:
        """The time left of both players, if it changed since the last report."""
        if not self.has_clocks or left_s == self.shown:
            return
        self.shown = left_s
        readings: BySeat[int | None] = BySeat(left_s[0] * 1_000, left_s[1] * 1_000)
        self.notes.add(ClockRead(readings=readings))

    def lose_the_rest(self) -> None:
        """What the file has beside the match, and what of the clock's setting no event holds."""
        if any(r.kind == layout.MOVE and layout.is_analysed(r) for r in self.contents.records):
            self.lose("an engine's analysis", NoticeCode.ANALYSIS)
        if self.contents.has_rollouts:
            self.lose("rollouts", NoticeCode.ANALYSIS)
        if not self.contents.has_index:
            message = "no index of its parts: only its records are read"
            self.notes.remark(NoticeCode.LINE_NOT_READ, message)
        clock = self.header.clock
        if clock is None:
            return
        if clock.penalty:
            self.lose(f"{clock.penalty} points for time that is out")
        is_set = clock.reserve_s or clock.bonus_s
        if (clock.kind or is_set) and self.clock_terms() is None:
            self.lose(f"a clock of kind {clock.kind}, {clock.reserve_s} + {clock.bonus_s} s")
