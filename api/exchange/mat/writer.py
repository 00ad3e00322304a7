"""Writes a replayed match as .mat in the profile that every known reader understands alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from api.exchange.reading.game import NACKGAMMON
from api.exchange.sgf.acts import MAX_MATCH_CUBE
from api.exchange.writing.losses import MAT, Losses, lose_always
from api.exchange.writing.numbering import rows_of
from api.exchange.writing.story import CUBE_ACTS, Act, Game, Kind, Story, told
from api.exchange.writing.wanted import (
    WITHHELD,
    Details,
    Illegal,
    Loss,
    Wanted,
    Writer,
    Written,
)
from events.payloads import match
from events.values import BAR, CHECKERS, MAX_CUBE_VALUE, BySeat, CheckerMove, Seat
from projections.board.legal import is_legal, legal_plays, single_steps
from projections.board.position import Position
from projections.replay import Replay

MAX_NAME_BYTES = 31
"""GNU Backgammon cuts longer names."""

MAX_LENGTH = 64
"""GNU Backgammon refuses longer matches."""

HIDDEN = "????"

_LEFT = 28
_SHORTEST = 16
"""GNU Backgammon looks for the right cell from here on, in a shorter row among what is left of
the row before it."""
_BREAKING = re.compile(r"[:;)\\\x00-\x1f\x7f]")
_ROLL = re.compile(r"[0-6]{2}")
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T([0-9:+Z-]+))?")
_RATING = re.compile(r",(?=\s*[0-9])")


class _Cell:
    """One side's part of a row."""

    def __init__(self, act: Act, seat: Seat, text: str) -> None:
        self.act = act
        self.seat = seat
        self.text = text
        """What follows the dice, or the whole cell where there are none."""
        self.end: Position | None = None
        """Board after it, from the player's side, if it is to be written as a stated board."""


def write(
    replay: Replay,
    names: BySeat[str] | None = None,
    *,
    details: Details | None = None,
    illegal: Illegal = "raw",
) -> Written:
    """The match as .mat text, as corrected, and everything that the text does not hold.

    `names` are those that may be shown; None = withheld. What readers break on is replaced in
    them, and then the name itself stands in a header.
    """
    wanted = Wanted(names=names, details=details or Details(), illegal=illegal)
    return _write(replay, wanted)


class _Writer:
    def __init__(self, story: Story, wanted: Wanted) -> None:
        self.story = story
        self.replay = story.replay
        names = self.given = wanted.names
        self.names = BySeat(
            *(
                sanitised(name, WITHHELD[seat])
                for seat, name in zip(Seat, names or WITHHELD, strict=True)
            )
        )
        self.details = wanted.details
        self.illegal = wanted.illegal
        self.is_match = self.replay.state.score.length is not None
        self.losses = Losses(MAT, wanted, story.replay, story)
        self.losses.take(story)
        self.heading = self.header()
        """Headers and the length line."""
        self.cells = [self.cells_of(game) for game in story.games]
        """A cell for each act, game by game."""
        lose_always(self.losses, self.replay)

    def written(self) -> Written:
        """Header, games and losses."""
        lines = [*self.heading]
        for number, (game, cells) in enumerate(zip(self.story.games, self.cells, strict=True), 1):
            lines += ["", f" Game {number}", self.score_line(game), *self.rows(game, cells)]
        return Written(("\n".join(lines) + "\n").encode(), self.losses.listed())

    # -- header ------------------------------------------------------------------------------

    def header(self) -> list[str]:
        """Headers and the length line."""
        opened = self.replay.opened
        details = self.details
        tags = [("Site", "Tabularium")]
        tags += [
            (tag, value)
            for tag, value in (
                ("Event", details.event),
                ("Round", details.round),
                ("Table", details.table),
                ("Place", details.place),
            )
            if value
        ]
        for number, seat in enumerate(Seat, 1):
            tags.append((f"Player {number}", self.names[seat]))
            original = WITHHELD[seat] if self.given is None else self.given[seat]
            if original != self.names[seat]:
                tags.append((f"Player {number} in full", original))
                self.losses.note("name", f"seat {seat.value}", 1)
        for number, rating in enumerate(details.ratings, 1):
            if rating:
                tags.append((f"Player {number} Elo", rating))
        if details.date:
            # Anything but a day and its time stands as it is: a header holds any words.
            found = _MOMENT.fullmatch(details.date)
            date = found[1].replace("-", ".") if found else details.date
            tags.append(("EventDate", date))
            if found and found[2]:
                # Behind the day, GNU Backgammon would make today of it.
                tags.append(("EventTime", found[2].replace(":", ".")))
        is_nackgammon = bool(self.story.games) and all(map(_is_nackgammon, self.story.games))
        tags.append(("Variation", "NackGammon" if is_nackgammon else "Backgammon"))
        length = self.replay.state.score.length
        rules = self.replay.rules
        if length is not None:
            tags.append(("Crawford", "On" if self.replay.has_crawford else "Off"))
        for tag, option in (("Jacoby", "jacoby"), ("Beaver", "beavers")):
            if opened is not None and option in opened.options:
                tags.append((tag, "On" if rules.is_on(option) else "Off"))
        if details.transcriber:
            tags.append(("Transcriber", details.transcriber))
        if opened is not None:
            self.lose_opening(opened)
        if length is not None and length > MAX_LENGTH:
            self.losses.note("limit", f"a match to {length} points", 1)
        return [*(self.tag(name, value) for name, value in tags), "", f" {length or 0} point match"]

    def tag(self, name: str, value: str) -> str:
        """One header; lines stay under 1,000 bytes, since readers take longer ones in pieces."""
        plain = _plain(value).replace('"', "'")
        cut = _cut(plain, 900)
        if cut != plain:
            self.losses.note("header", f"{name}, cut to 900 bytes", 1)
        elif plain != value:
            self.losses.note("header", f"{name}, in other characters", 1)
        return f'; [{name} "{cut}"]'

    def lose_opening(self, opened: match.MatchOpened) -> None:
        """Members of the opening that no header holds, or that were not handed over."""
        shown = {field for field in Details.__struct_fields__ if getattr(self.details, field)}
        kept = {"players", "length", "options", "score_at_start", *shown}
        for field in msgspec.structs.fields(opened):
            if field.name not in kept and getattr(opened, field.name) != field.default:
                self.losses.note("header", field.name, 1)
        for option in sorted(set(opened.options) - {"crawford", "jacoby", "beavers"}):
            self.losses.note("header", f"option {option}", 1)
        ratings = self.details.ratings
        self.losses.lose_players(opened, are_named=self.given is not None, ratings=ratings)

    # -- cells -------------------------------------------------------------------------------

    def cells_of(self, game: Game) -> list[_Cell]:
        """A cell for each act; a board set from outside is said as the end of the play before."""
        cells: list[_Cell] = []
        for act in game.acts:
            if act.kind is Kind.POSITION:
                self.restate(act, cells)
            elif self.is_match and act.kind in CUBE_ACTS and act.cube_value >= MAX_MATCH_CUBE:
                what = f"a cube above {MAX_MATCH_CUBE} in a match"
                self.losses.note("limit", what, act.step.event.version)
            elif act.seat is not None:
                cells.append(self.cell(act, act.seat))
        return cells

    def cell(self, act: Act, seat: Seat) -> _Cell:
        """The words of one act."""
        match act.kind:
            case Kind.DOUBLE:
                return _Cell(act, seat, f" Doubles => {_times(act.cube_value, 2)}")
            case Kind.BEAVER:
                return _Cell(act, seat, f" Beavers => {_times(act.cube_value, 4)}")
            case Kind.TAKE:
                return _Cell(act, seat, " Takes")
            case Kind.DROP:
                return _Cell(act, seat, " Drops")
            case Kind.GAP:
                return _Cell(act, seat, HIDDEN)
        cell = _Cell(act, seat, "")
        # A play without dice leaves an empty cell, so that the turns stay in order.
        if act.kind is Kind.PLAY and act.dice is not None:
            self.fill(cell, act, act.dice)
        return cell

    def fill(self, cell: _Cell, act: Act, faces: tuple[int, int]) -> None:
        """The words of a play: single dice if it is legal, else as made or the board after it."""
        before = act.before
        if act.end is not None:
            self.fill_by_end(cell, act, act.end, faces)
            return
        if before is None:
            cell.text = _words(act.moves, ())
            return
        if not act.hits_not_lifted and is_legal(before, faces, act.moves):
            steps = single_steps(before, faces, act.moves)
            if len(steps) != len(act.moves):
                self.losses.at(act.step, "steps")
            cell.text = _words(steps, before.moved(steps).hits)
            return
        moved = before.moved(act.moves, act.hits_not_lifted)
        cell.text = _words(act.moves, moved.hits)
        if self.illegal == "stated" and _can_be_stated(moved.position):
            cell.end = moved.position
            self.losses.at(act.step, "illegal-steps")
        else:
            self.losses.at(act.step, "illegal-play")

    def fill_by_end(self, cell: _Cell, act: Act, end: Position, faces: tuple[int, int]) -> None:
        """A play of which only the board after it is known."""
        before = act.before
        found = None if before is None else legal_plays(before, faces).ends.get(end)
        if found is not None:
            self.losses.at(act.step, "told-by-end")
            cell.text = _words(found.moves, found.hits)
        elif self.illegal == "stated" and _can_be_stated(end):
            cell.end = end
        elif before is not None and (moves := _leading_to(before, end)):
            self.losses.at(act.step, "told-by-end")
            self.losses.at(act.step, "illegal-play")
            cell.text = _words(moves, before.moved(moves).hits)
        else:
            self.losses.at(act.step, "gap")
            cell.text = HIDDEN

    def restate(self, act: Act, cells: list[_Cell]) -> None:
        """A board set from outside play: said as the end of the play before, if so asked."""
        if self.losses.loss_of[act.step.event.tag] != "position":
            self.losses.at(act.step, "position")
        if self.illegal != "stated" or not _can_be_stated(act.board) or not cells:
            return
        if act.board == act.step.before.positions.board:
            return  # it stood there already: the play before it is no other one for that
        if cells[-1].act.dice is None or cells[-1].act.kind is Kind.ROLL:
            return  # nothing was played that could end there
        assert act.board is not None
        cells[-1].end = act.board.seen_by(cells[-1].seat)

    # -- rows --------------------------------------------------------------------------------

    def score_line(self, game: Game) -> str:
        """Both names with their points."""
        left = f" {self.names.one} : {game.score.one}".ljust(31)
        return f"{left}  {self.names.two} : {game.score.two}"

    def rows(self, game: Game, cells: Sequence[_Cell]) -> list[str]:
        """Numbered rows, left cell before right cell, and the result."""
        texts = [self.cell_text(cell, cells[k + 1 :]) for k, cell in enumerate(cells)]
        numbers = rows_of([cell.seat for cell in cells], [not text for text in texts])
        pairs: dict[int, BySeat[str]] = {}
        for cell, text, number in zip(cells, texts, numbers, strict=True):
            if number is not None:
                pairs[number] = pairs.get(number, BySeat("", "")).put(cell.seat, text)
        rows = [_row(number, one, two) for number, (one, two) in pairs.items()]
        if game.result is not None:
            words = _result(game.result.points, game.ends_match)
            rows.append((" " * 6 if game.result.winner is Seat.ONE else " " * 34) + words)
        return rows

    def cell_text(self, cell: _Cell, later: Sequence[_Cell]) -> str:
        """The whole cell."""
        if cell.act.dice is None:
            return cell.text
        faces = f"{cell.act.dice[0]}{cell.act.dice[1]}:"
        if cell.end is not None:
            following = next((c.act.dice for c in later if c.act.dice is not None), None)
            return f"{faces} {self.stated(cell, cell.end, following)}"
        return f"{faces} {cell.text}" if cell.text else faces

    def stated(self, cell: _Cell, end: Position, following: tuple[int, int] | None) -> str:
        """`Illegal play (...)`: 40 fields, the player then on roll is the + side."""
        plus = cell.seat.other
        own, other = end.other, end.own
        points = [own[point] - other[BAR - point] for point in range(1, 25)]
        length = self.replay.state.score.length
        is_money = length is None
        act = cell.act
        owner = 0 if act.cube_owner is None else 1 if act.cube_owner is plus else -1
        fields = [
            length or 0,
            int(is_money and self.replay.rules.is_on("jacoby")),
            0,
            int(is_money),
            0 if plus is Seat.TWO else 1,
            self.names[plus],
            self.names[plus.other],
            int(act.is_crawford),
            act.score[plus],
            act.score[plus.other],
            act.cube_value,
            owner,
            -other[BAR],  # GNU Backgammon reads the other side's bar here, the + side's below
            *points,
            own[BAR],
            *(following or (0, 0)),
        ]
        return "Illegal play (" + "".join(f"{field};" for field in fields) + ")"


def _is_nackgammon(game: Game) -> bool:
    """Whether a game was set up as Nackgammon before anything else; readers know it by a header."""
    first = next(iter(game.acts), None)
    is_set_up = first is not None and first.kind is Kind.POSITION
    return is_set_up and first is not None and first.board == Position(NACKGAMMON, NACKGAMMON)


def _times(cube: int, factor: int) -> int:
    """What the cube shows once it is turned; no entry says more than its highest value."""
    return min(cube * factor, MAX_CUBE_VALUE)


def _can_be_stated(board: Position | None) -> bool:
    """Whether the 40 fields hold it: 15 checkers a side, and no point with those of both."""
    return (
        board is not None
        and sum(board.own) == sum(board.other) == CHECKERS
        and not any(board.own[point] and board.other[BAR - point] for point in range(1, BAR))
    )


def _leading_to(before: Position, end: Position) -> tuple[CheckerMove, ...]:
    """Up to four checkers moved from where they are missing to where they are more; () if none."""
    left = [p for p in range(BAR, 0, -1) for _ in range(before.own[p] - end.own[p])]
    came = [p for p in range(BAR - 1, -1, -1) for _ in range(end.own[p] - before.own[p])]
    if len(left) != len(came) or len(left) > 4:
        return ()
    moves = tuple(map(CheckerMove, left, came))
    return moves if before.moved(moves).position == end else ()


def _result(points: int, ends_match: bool) -> str:
    words = f"Wins {points} point{'' if points == 1 else 's'}"
    return f"{words} and the match" if ends_match else words


def sanitised(name: str, stand_in: str) -> str:
    """A name that no reader of .mat breaks on (formats.md 9); `stand_in` if nothing is left."""
    plain = _plain(_BREAKING.sub(" ", name))
    plain = _RATING.sub("", plain).replace('"', "'")
    plain = re.sub(r"\bGame (?=\S)", "Game-", plain)
    plain = " ".join(plain.split()).lstrip("#[(")
    if _ROLL.fullmatch(plain):
        plain = f"Player {plain}"  # GammonView would take each such roll for the player's name
    return _cut(plain, MAX_NAME_BYTES).strip() or stand_in


def _plain(text: str) -> str:
    """One line without control characters or half surrogate pairs."""
    one_line = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(one_line.encode("utf-8", "replace").decode("utf-8").split())


def _cut(text: str, size: int) -> str:
    """At most `size` bytes of UTF-8, cut between characters."""
    return text.encode()[:size].decode("utf-8", "ignore")


def _words(moves: Sequence[CheckerMove], hits: Sequence[int]) -> str:
    """Checker moves in the order given, 25 and 0, a star at the first that lands on a hit."""
    words = []
    starred = set(hits)
    for checker_move in moves:
        target = checker_move.to_point
        star = "*" if target in starred else ""
        starred.discard(target)
        words.append(f"{checker_move.from_point}/{target}{star}")
    return " ".join(words)


def _row(number: int, left: str, right: str) -> str:
    """A numbered row; a lone word on the left (` Takes`) stands further in, if the row is short."""
    if not right and ":" not in left:
        left = left.rjust(_SHORTEST - 5)
    return f"{number:3}) {_padded(left)}{right}".rstrip()


def _padded(left: str) -> str:
    """A left cell, at least three blanks before the right one."""
    return left.ljust(_LEFT) if len(left) <= _LEFT - 3 else left + "   "


def _write(replay: Replay, wanted: Wanted) -> Written:
    return _Writer(told(replay), wanted).written()


def _losses(story: Story, wanted: Wanted) -> tuple[Loss, ...]:
    return _Writer(story, wanted).losses.listed()


WRITER = Writer(
    name="mat",
    title="for backgammon programs: every one of them reads it, and it holds the plays alone",
    media_type="application/x-backgammon-mat; charset=utf-8",
    write=_write,
    losses=_losses,
)
"""The format as the doors know it."""
