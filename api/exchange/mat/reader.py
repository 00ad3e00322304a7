"""Reads .mat files of every known dialect into facts: headers, score lines, games, the result."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import partial

from api.exchange.mat import columns as mat_columns
from api.exchange.mat import rows as mat_rows
from api.exchange.mat.cut import CutOff, Line, certain
from api.exchange.mat.dialects import OURS, dialect_of
from api.exchange.mat.game import GameReader
from api.exchange.mat.headings import (
    CRAWFORD,
    GAME,
    declared_illegal,
    lines_of,
    parted,
    player_of,
    score_line,
)
from api.exchange.reading.facts import (
    AGAIN,
    LEAVE_OUT,
    LENGTH,
    NO_LENGTH,
    ClaimedResult,
    Ended,
    Fact,
    Notice,
    NoticeCode,
    ReadMatch,
    Refused,
    Source,
)
from api.exchange.reading.match import MAX_LENGTH, MatchTelling
from api.exchange.reading.sniff import LENGTH_LINE, Decoded
from events.values import BySeat, Seat

MAX_LINE = 20_000
"""Longer lines are not parsed as rows; a notice says so."""

_RESULT_BEGUN = re.compile(r"(?:Wins|Losses)[ \t]*[0-9]*$")
_GAME_BEGUN = re.compile(r"[ \t]*G(?:a(?:m(?:e[ \t]*[0-9]*)?)?)?")
_TAG = re.compile(
    r"[ \t]*+(?:<[^<>]{1,200}+>[ \t]*+)*+[;#][ \t]*+"  # on a page of the web, markup before it
    r"\[[ \t]*+([A-Za-z0-9 ]{1,40}?)[ \t]++\"(.*)\"[ \t]*+\][ \t]*$",
    re.S,
)
_ON = ("on", "yes", "true", "1")
_OFF = ("off", "no", "false", "0", "")

_OPENED_TAGS = (
    ("event", "event"),
    ("round", "round"),
    ("table", "table"),
    ("place", "place"),
    ("date", "eventdate"),
    ("transcriber", "transcriber"),
)
"""Members of `match.opened` and the headers that fill them; all are personal values."""

_CUT = (NoticeCode.CELL_NOT_READ, NoticeCode.PLAY_NOT_READ, NoticeCode.DICE_NOT_READ)


def read(decoded: Decoded, data: bytes, name: str) -> list[ReadMatch]:
    """Every match of a .mat file; `data` are its bytes, `name` is what it is called.

    Raises:
        Refused: there is no match in it, or it is cut off before the first roll.
    """
    lines = lines_of(decoded.text)
    # A final line end leaves one empty piece: without it, the last line has no end.
    lacks_end = bool(lines[-1][1])
    parts = parted(lines)
    if not parts:
        raise Refused("no match in it: there is no line `N point match`", NO_LENGTH)
    source: Source = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "encoding": decoded.encoding,
        "name": name,
    }
    found = []
    for ordinal, part in enumerate(parts, 1):
        reader = partial(MatchReader, ordinal=ordinal, source=source)
        try:
            match = reader(part).read(lacks_end=lacks_end and ordinal == len(parts))
        except CutOff as cut:
            match = _kept_of(part, cut, reader)
        if ordinal == 1:
            match.notices[:0] = decoded.notices
        found.append(match)
    return found


def _kept_of(lines: list[Line], cut: CutOff, reader: Callable[..., MatchReader]) -> ReadMatch:
    """The match as far as it is certain. Errors: CutOff, where nothing is."""
    last = next(line for line in reversed(lines) if line[1].strip())
    said = (*last, cut.reason)
    for kept, lacks_end in certain(lines):
        try:
            match = reader(kept, cut=said).read(lacks_end=lacks_end)
        except Refused:
            continue
        if match.rolls:
            return match
    raise cut


class MatchReader(MatchTelling):
    """Reads the lines of one match, game by game; a broken game does not lose the others."""

    game: GameReader | None

    def __init__(
        self,
        lines: list[Line],
        *,
        ordinal: int,
        source: Source,
        cut: tuple[int, str, str] | None = None,
    ) -> None:
        super().__init__(ordinal=ordinal, line=lines[0][0])
        self.cut = cut
        """The last line, its text and where the file was cut off; `lines` are what is certain."""
        self.lines = lines
        self.source = dict(source)
        self.headers: list[str] = []
        self.tags: dict[str, str] = {}
        """Header values by lower-case name."""
        self.declared: list[tuple[int, int, str, int]] = []
        """(game, row, name, line) of plays that a remark declares illegal."""
        self.length_line: Line = lines[0]
        self.is_nackgammon = False
        self.names: tuple[str, str] | None = None
        """Left and right name of the first score line."""
        self.columns: mat_columns.Columns | None = None
        """Where right cells begin, once rows have told it."""

    def read(self, *, lacks_end: bool) -> ReadMatch:
        """The whole match; `lacks_end`: its last line has no line end."""
        notes = self.notes
        k = self.read_header()
        count = len(self.lines)
        while k < count:
            notes.line, text = self.lines[k]
            notes.text = text
            k += 1
            if not text or text.isspace():
                continue
            if len(text) > MAX_LINE:
                self.lose_line("the line is too long")
                continue
            first = text.lstrip()[0]
            if first in ";#":
                self.comment(text)
            elif first in "Gg" and (heading := GAME.match(text)) and self.is_game(heading, k):
                line = notes.line
                k = self.begin_game(int(heading[1]), k)
                self.read_behind(heading[2], line)
            elif not first.isdigit() and self.is_score(text, k):
                k = self.begin_game((notes.game or 0) + 1, k - 1)
                notes.remark(NoticeCode.GAME_NUMBER, "a game without a heading", raw=text)
            elif first.isdigit() and text.rstrip()[-1] in "hH" and LENGTH_LINE.match(text):
                self.lose_line("the length of the match, which is known")
            elif self.game is not None:
                if k < count and ")" not in self.lines[k][1][:7]:  # no numbered row
                    k = self.join_wrapped(k)
                self.game.read_rows()
            else:
                self.lose_line("a line outside the games")
        if lacks_end:
            self.refuse_if_cut_off()
        if self.cut is not None:
            line, text, why = self.cut
            message = f"{why}; what is certain is kept"
            notes.remark(NoticeCode.CUT_OFF, message, line=line, raw=text[:200])
            notes.lost.append(f"line {line}: the end of {text[:200]!r}")
        return self.finish(dialect_of(self.tags, self.lines, length_line=self.length_line[1]))

    def lose_line(self, why: str) -> None:
        """The present line says nothing that is known."""
        notes = self.notes
        notes.remark(NoticeCode.LINE_NOT_READ, why, raw=notes.text[:200])
        notes.lost.append(f"line {notes.line}: {notes.text.strip()[:200]}")

    def is_game(self, heading: re.Match[str], k: int) -> bool:
        """Whether a game begins there: with other words behind its number, if a score follows."""
        if not heading[2].strip():
            return True
        has_score = score_line(self.below(k)[:MAX_LINE]) is not None
        return has_score or heading[2].strip().startswith("(")

    def below(self, k: int) -> str:
        """The first line from place `k` on that is not blank."""
        # No slice to the end: a long file has as many of them as lines.
        while k < len(self.lines) and not self.lines[k][1].strip():
            k += 1
        return self.lines[k][1] if k < len(self.lines) else ""

    def is_score(self, text: str, k: int) -> bool:
        """Whether a score line begins a game without a heading: by its names, and a row below."""
        if ":" not in text or (read := score_line(text)) is None:
            return False
        if not mat_rows.ROW.match(self.below(k)) or not all(read[0]):
            return False
        return self.names in (read[0], read[0][::-1]) if self.names else self.game is None

    def read_behind(self, text: str, line: int) -> None:
        """What stands behind the number of a game, on that line."""
        said = text.strip(" \t.,:;-()[]").lower()
        if not said:
            return
        notes = self.notes
        if said not in CRAWFORD:
            message = "nothing known behind the number of a game"
            notes.remark(NoticeCode.LINE_NOT_READ, message, line=line, raw=text)
        elif not self.is_crawford_game:
            message = "the game is called the Crawford game, and by the score it is not"
            notes.remark(NoticeCode.CRAWFORD_DIFFERS, message, line=line, raw=text)
        else:
            return
        notes.lost.append(f"line {line}: {text.strip()[:200]}")

    def join_wrapped(self, k: int) -> int:
        """Checker moves that begin a line of their own belong to the row above them."""
        while k < len(self.lines) and len(self.notes.text) <= MAX_LINE:
            words = self.lines[k][1].split(None, 1)
            if not words or "/" not in words[0] or mat_rows.hops_of(words[0]) is None:
                break
            self.notes.text = f"{self.notes.text.rstrip()} {self.lines[k][1].strip()}"
            k += 1
        return k

    def read_header(self) -> int:
        """Headers and the length line; the place of the line after it."""
        place = 0
        for number, text in self.lines:
            place += 1
            if found := LENGTH_LINE.match(text):
                self.length_line = number, text
                self.length = int(found[1]) or None
                break
            if text.strip():
                self.take_header(number, text)
                if mat_rows.ROW.match(text) and mat_columns.ACT.search(text[:MAX_LINE]):
                    self.notes.line, self.notes.text = number, text
                    self.lose_line("a row above the line that says how long its match is")
        if self.length is not None and self.length > MAX_LENGTH:
            what = f"no match is played to {self.length} points"
            raise Refused(what, LENGTH, line=self.length_line[0])
        self.settle_headers()
        return place

    def take_header(self, number: int, text: str) -> None:
        """One line above the first game."""
        self.headers.append(text)
        if tag := _TAG.match(text[:MAX_LINE]):
            self.tags.setdefault(tag[1].strip().lower(), tag[2])
        elif declared := declared_illegal(text[:MAX_LINE]):
            self.declared.append((*declared, number))

    def settle_headers(self) -> None:
        """Variation and options, as the headers so far state them. Errors: Refused."""
        variation = self.tags.get("variation", "").lower().replace(" ", "")
        self.is_nackgammon = variation == "nackgammon"
        if variation not in ("backgammon", "nackgammon", "standard", ""):
            reason = f"the variation {self.tags['variation'][:40]!r} is not backgammon"
            raise Refused(reason, LEAVE_OUT, line=self.lines[0][0])
        self.options = self.stated_options()

    def comment(self, text: str) -> None:
        """A comment among the games: a position set by hand, or a remark kept with its place.

        Above the first game it is a header, though the length stands before it.
        """
        if self.games == 0:
            self.take_header(self.notes.line, text)
            self.settle_headers()
            return
        if self.game is not None and self.game.comment(text):
            return
        # The facts are counted without `match.opened`, which comes first in the end.
        self.notes.mark(text.lstrip(" \t;#"), len(self.notes.facts), raw=text)

    def begin_game(self, number: int, k: int) -> int:
        """A game's heading and its score line; `k` is the next line, the answer the one after."""
        notes = self.notes
        heading_line, heading = notes.line, notes.text
        while k < len(self.lines) and not self.lines[k][1].strip():
            k += 1
        if k >= len(self.lines):
            reason = "the file is cut off: it ends after the heading of a game"
            raise CutOff(reason, AGAIN, line=heading_line, game=number)
        read = score_line(self.lines[k][1]) if len(self.lines[k][1]) <= MAX_LINE else None
        points: BySeat[int] | None = None
        swapped = False
        column: int | None = None
        if read is not None:
            names, points, column = read
            swapped = self.names not in (None, names) and self.names == (names[1], names[0])
            if swapped:
                points = points.swap()
        score_line_at = self.lines[k][0]
        self.start_game(number, points, line=heading_line, score_line=score_line_at, raw=heading)
        if read is not None:
            self.compare_names(read[0], line=score_line_at, swapped=swapped)
            k += 1
        # No slice to the end: a long file has as many of them as games.
        looked_at = self.lines[k : k + mat_columns.LOOKED_AT]
        self.columns = mat_columns.learned(looked_at, self.columns)
        self.game = GameReader(
            notes,
            line=heading_line,
            names=self.names,
            swapped=swapped,
            columns=self.columns or mat_columns.by_score_line(column),
            begins_right=mat_columns.begins_right(looked_at),
            is_as_made=dialect_of(self.tags, [], length_line="") == OURS,
            ending=self.new_ending(),
        )
        if self.is_nackgammon:
            self.game.state_nackgammon()
        return k

    def compare_names(self, names: tuple[str, str], *, line: int, swapped: bool) -> None:
        """Take the first names, and compare later ones."""
        if self.names is None:
            self.names = names
        if names == self.names:
            return
        code = NoticeCode.SIDES_SWAPPED if swapped else NoticeCode.NAMES_DIFFER
        message = "the two names stand exchanged" if swapped else "other names than in game 1"
        self.notes.remark(code, message, line=line)

    def close(self, dialect: str, result: ClaimedResult) -> None:
        """Remarks that need the whole match, and what its headers say."""
        notes = self.notes
        is_unlimited = self.length in (8, 16) and dialect == "galaxy-mat"
        if is_unlimited and result.ended is Ended.UNFINISHED:
            message = f"its source writes {self.length} for sessions without limit"
            notes.remark(NoticeCode.UNLIMITED, message, line=self.length_line[0])
        if notes.uses_stars:
            notes.notices.extend(notes.unstarred)
        self.link_declared()
        names = self.names or (self.tags.get("player 1", ""), self.tags.get("player 2", ""))
        self.players = BySeat(
            *(
                player_of(name, None if names[0] == names[1] else self.rating_of(name))
                for name in names
            )
        )
        self.members = {member: self.tags.get(tag, "") for member, tag in _OPENED_TAGS}
        if dialect != OURS and "place" not in self.tags:
            self.members["place"] = self.tags.get("site", "")
        if dialect == OURS:
            # Their site says who wrote them; names that readers break on stand in full.
            day, time = self.members["date"].replace(".", "-"), self.tags.get("eventtime", "")
            if day and time:
                self.members["date"] = f"{day}T{time.replace('.', ':')}"
            for number, seat in enumerate(Seat, 1):
                full = self.tags.get(f"player {number} in full", "").strip()
                if full:
                    self.players = self.players.put(seat, self.players[seat] | {"name": full})
        self.source["headers"] = [*self.headers, self.length_line[1]]

    def stated_options(self) -> dict[str, str]:
        """The options that the file states; Crawford holds in a match unless it says otherwise."""
        self.drop_unclear()
        options = {}
        if self.length is not None or "crawford" in self.tags:
            options["crawford"] = "on" if self.is_on("crawford", default="on") else "off"
        for name, tag in (("jacoby", "jacoby"), ("beavers", "beaver")):
            if tag in self.tags:
                options[name] = "on" if self.is_on(tag) else "off"
        return options

    def drop_unclear(self) -> None:
        """A header of an option that says neither on nor off states nothing."""
        for tag in ("crawford", "jacoby", "beaver"):
            said = self.tags.get(tag, "").strip().lower()
            if said not in (*_ON, *_OFF):
                message = f"the header {tag} says neither on nor off"
                line, raw = self.length_line[0], self.tags.pop(tag)
                self.notes.remark(NoticeCode.LINE_NOT_READ, message, line=line, raw=raw)

    def is_on(self, tag: str, *, default: str = "off") -> bool:
        """Whether a header says on."""
        return self.tags.get(tag, default).strip().lower() in _ON

    def rating_of(self, name: str) -> str | None:
        """Rating in the headers, whose order may be reversed: only equal names tell whose it is."""
        for number in ("1", "2"):
            if name and self.tags.get(f"player {number}", "").strip() == name:
                return self.tags.get(f"player {number} elo")
        return None

    def link_declared(self) -> None:
        """A remark that declares a play illegal is linked to that play."""
        notes = self.notes
        for game, row, name, line in self.declared:
            seats = [s for s, n in zip(Seat, self.names or (), strict=False) if n == name]
            place = notes.plays.get((game, row, seats[0])) if len(seats) == 1 else None
            notes.notices.append(
                Notice(
                    code=NoticeCode.DECLARED_ILLEGAL,
                    message="a remark declares a play illegal"
                    + ("" if place is not None else "; that play was not found"),
                    line=line,
                    game=game,
                    row=row,
                    side=seats[0] if len(seats) == 1 else None,
                )
            )
            if place is not None:
                kind = "play.illegality_noticed"
                refers = (("target", place + 1),)  # after `match.opened`
                notes.facts.append(Fact(None, line, kind=kind, plain={}, refers=refers))

    def refuse_if_cut_off(self) -> None:
        """Refuse a last line that has no end and visibly goes on (formats.md 8.2)."""
        number, text = self.lines[-1]
        game = self.game
        why = None
        if game is None:
            if number != self.length_line[0]:
                why = "before the first game"
        elif _GAME_BEGUN.fullmatch(text):
            why = "inside the heading of a game"
        elif _RESULT_BEGUN.search(text):
            why = "inside a result"
        elif game.ending.result is not None:
            return
        elif game.is_empty:
            why = "at the beginning of a game"
        elif any(n.line == number and n.code in _CUT for n in self.notes.notices[-3:]):
            why = "inside a row"
        elif game.is_half_played(number):
            why = "inside a play"
        if why is not None:
            reason = f"the file is cut off {why}: its last line has no end"
            raise CutOff(reason, AGAIN, line=number, game=self.notes.game)
