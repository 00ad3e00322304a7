"""Reads SGF files of backgammon into facts: roots, scores, games in order, results."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable

import msgspec

from api.exchange.reading.ending import MAX_POINTS, Claim
from api.exchange.reading.facts import (
    AGAIN,
    LEAVE_OUT,
    LENGTH,
    ClaimedResult,
    Notice,
    NoticeCode,
    ReadMatch,
    Refused,
    Source,
)
from api.exchange.reading.match import MAX_LENGTH, MatchTelling
from api.exchange.reading.sniff import Decoded
from api.exchange.sgf.game import ANALYSIS, OURS, SIDES, TIMES, GameReader
from api.exchange.sgf.grammar import Node, Tree, escaped, parsed
from api.exchange.sgf.letters import cube_value
from events.payloads.match import ScoreStated
from events.values import BySeat, Seat

_DIALECTS = (
    ("gnu backgammon", "sgf-gnubg"),
    ("www.backgammonhub.com", "sgf-www.backgammonhub.com"),
    ("tabularium", OURS),
)
"""Beginnings of `AP` in small letters, and the dialects that they mean."""

_MEMBERS = (
    ("event", ("EV",)),
    ("round", ("RO",)),
    ("place", ("PC",)),
    ("date", ("DT",)),
    ("transcriber", ("AN", "US")),
)
"""Members of `match.opened`, and the properties that fill them; all are personal values."""

_RESULT = re.compile(r"([WB])\+([0-9]{0,9})(R(?:ESIGN)?|T(?:IME)?|F(?:ORFEIT)?)?")
_NUMBER = re.compile(r"-?[0-9]{1,9}")

_ROOT = frozenset(
    {"FF", "GM", "CA", "AP", "ST", "SZ", "MI", "PW", "PB", "WR", "BR", "RU", "CV", "RE", "GC", "C"}
    | {"GN", "ON", "SO", "US", "CP", "BT", "WT", "AN", "DT", "EV", "RO", "PC"}
)
"""Properties of a root that are read, or stored as headers."""


def read(decoded: Decoded, data: bytes, name: str) -> list[ReadMatch]:
    """Every match of an SGF file; `data` are its bytes, `name` is the file's name.

    Consecutive trees with the same names and length are games of one match.

    Raises:
        Refused: there is no game of backgammon in it, or it is cut off before the first roll.
    """
    trees, notices = parsed(decoded.text)
    cut = _cut(trees, notices)
    trees = [tree for tree in trees if tree.nodes or tree.is_closed]
    source = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "encoding": decoded.encoding,
        "name": name,
    }
    found: list[ReadMatch] = []
    if cut is not None and not trees:
        raise cut
    for ordinal, games in enumerate(_parted(trees), 1):
        reader = MatchReader(games, ordinal=ordinal, source=dict(source))
        if ordinal == 1:
            reader.notes.notices += [*decoded.notices, *notices]
            reader.notes.lost += [
                f"line {notice.line}: {(notice.raw or notice.message)[:200]}" for notice in notices
            ]
        found.append(reader.read())
    if cut is not None and not any(match.rolls for match in found):
        raise cut
    return found


def _cut(trees: list[Tree], notices: list[Notice]) -> Refused | None:
    """Why the file could be refused as cut off; it is remarked, whatever is kept of it."""
    tree = next((tree for tree in reversed(trees) if not tree.is_closed), None)
    if tree is None:
        return None
    cut = next((one for one in notices if one.code is NoticeCode.CUT_OFF), None)
    if cut is None:
        message = "the file is cut off: its last game has no end"
        cut = Notice(code=NoticeCode.CUT_OFF, message=message, line=tree.line)
        notices.append(cut)
    place = notices.index(cut)
    kept = msgspec.structs.replace(cut, message=f"{cut.message}; what is certain is kept")
    notices[place] = kept
    return Refused(cut.message, AGAIN, line=cut.line, game=len(trees))


def _parted(trees: list[Tree]) -> list[list[Tree]]:
    """The trees of each match."""
    parts: list[list[Tree]] = []
    known: dict[str, str] = {}
    for number, tree in enumerate(trees, 1):
        if not tree.nodes:
            raise Refused("a game without a node", AGAIN, line=tree.line, game=number)
        root = tree.nodes[0]
        kind = root.value("GM")
        if kind is not None and kind.strip().lstrip("0") != "6":
            what = f"game {kind[:20]!r} is not backgammon"
            raise Refused(what, LEAVE_OUT, line=root.line, game=number)
        told = {
            "white": root.value("PW"),
            "black": root.value("PB"),
            "length": _info(root).get("length"),
        }
        stated = {key: value.strip() for key, value in told.items() if value is not None}
        if not parts or any(known.get(key, value) != value for key, value in stated.items()):
            parts.append([])
            known = {}
        known |= stated
        parts[-1].append(tree)
    if not parts:
        raise Refused("no game in it", AGAIN)
    return parts


def _info(root: Node) -> dict[str, str]:
    """The members of `MI`, which have keys and come in any order."""
    found: dict[str, str] = {}
    for prop in root.properties:
        if prop.name == "MI":
            for value in prop.values:
                key, _, text = value.partition(":")
                found.setdefault(key.strip().lower(), text.strip())
    return found


class MatchReader(MatchTelling):
    """Reads the trees of one match, game by game."""

    game: GameReader | None

    def __init__(self, trees: list[Tree], *, ordinal: int, source: Source) -> None:
        super().__init__(ordinal=ordinal, line=trees[0].line)
        self.trees = trees
        self.source = source
        self.dialect = _dialect_of(trees[0].nodes[0])
        self.headers: list[str] = []
        self.unread: Counter[str] = Counter()
        """Properties that no fact can hold, by name."""
        self.first_lines: dict[str, int] = {}
        """Line of the first occurrence of each."""
        self.is_nackgammon = False
        self.marks_crawford = self.dialect != "sgf" or any(
            "crawfordgame" in _rules(tree.nodes[0]) for tree in trees
        )
        """Whether a game that is not marked as the Crawford game is not the Crawford game."""
        self.crawford_mark: bool | None = None
        """Whether the next game is marked as the Crawford game; None if nothing says so."""

    def read(self) -> ReadMatch:
        """The whole match."""
        self.read_length(self.stating("its length", lambda root: _info(root).get("length")))
        self.read_rules(self.stating("its rules", lambda root: root.value("RU")))
        self.read_players()
        first_number = self.first_number()
        for tree in self.trees:
            if _is_game(tree):
                self.read_game(tree, first_number)
            else:
                self.keep_headers(tree.nodes[0])
                self.lose_words(tree)
        return self.finish(self.dialect)

    def lose_words(self, tree: Tree) -> None:
        """What a tree says in which no game was begun."""
        root, *nodes = tree.nodes
        said = [prop for prop in root.properties if prop.name in ("C", "GC")]
        said += [prop for node in nodes for prop in node.properties]
        for prop in said[:_FEW]:
            text = prop.name + "".join(f"[{value}]" for value in prop.values)
            message = "something is said where no game was begun"
            self.notes.remark(NoticeCode.LINE_NOT_READ, message, line=prop.line, raw=text)
            self.notes.lost.append(f"line {prop.line}: {text[:200]}")

    # -- roots ---------------------------------------------------------------------------------

    def stating(self, what: str, told: Callable[[Node], str | None]) -> Node:
        """The first root that states something about the match; the very first if none does."""
        first = self.trees[0].nodes[0]
        root = next((tree.nodes[0] for tree in self.trees if told(tree.nodes[0])), first)
        before = itertools.takewhile(lambda tree: tree.nodes[0] is not root, self.trees)
        if any(map(_is_game, before)):
            message = f"only a later game of the match states {what}"
            self.notes.remark(NoticeCode.NAMES_DIFFER, message, line=root.line)
        return root

    def first_value(self, name: str) -> str:
        """What the first root says that has a value there."""
        values = (tree.nodes[0].value(name) for tree in self.trees)
        return next((value.strip() for value in values if value and value.strip()), "")

    def read_length(self, root: Node) -> None:
        """Points needed to win, from the first root that states them."""
        length = self.number(root, "length")
        raw = _info(root).get("length")
        is_digits = raw is not None and raw.lstrip("-").isdecimal()
        if (length is None and is_digits) or not 0 <= (length or 0) <= MAX_LENGTH:
            what = f"no match is played to {(raw or '')[:40]} points"
            raise Refused(what, LENGTH, line=root.line)
        self.length = length or None

    def number(self, root: Node, key: str) -> int | None:
        """A number of `MI`; anything else is remarked."""
        raw = _info(root).get(key)
        if raw is None:
            return None
        if not _NUMBER.fullmatch(raw):
            self.notes.remark(
                NoticeCode.LINE_NOT_READ, f"{key} is no number", line=root.line, raw=raw
            )
            return None
        return int(raw)

    def first_number(self) -> int:
        """Number of the first game: most programs count from 0, the specification from 1."""
        numbers = [_info(tree.nodes[0]).get("game") for tree in self.trees]
        return 1 if self.dialect == "sgf" and "0" not in numbers and numbers[0] == "1" else 0

    def read_rules(self, root: Node) -> None:
        """Options that the match states; a variant that is not backgammon is refused."""
        rules = _rules(root)
        for rule in rules:
            if rule.startswith("hypergammon"):
                what = f"the variation {rule!r} is not backgammon"
                raise Refused(what, LEAVE_OUT, line=root.line)
            if rule not in ("crawford", "crawfordgame", "jacoby", "nackgammon"):
                # Not a rule of the match for which there is an option: stored with the headers.
                self.notes.remark(
                    NoticeCode.NO_FACT, f"no option holds the rule {rule[:40]!r}", line=root.line
                )
                self.notes.lost.append(f"line {root.line}: rule {rule[:200]}")
        self.is_nackgammon = "nackgammon" in rules
        is_stated = bool(rules) or self.dialect != "sgf"
        if self.length is None:
            if is_stated:
                self.options["jacoby"] = "on" if "jacoby" in rules else "off"
        elif self.length > 1 and is_stated:
            is_on = "crawford" in rules or "crawfordgame" in rules
            self.options["crawford"] = "on" if is_on else "off"

    def read_players(self) -> None:
        """Names, ratings, and where and when the match was played."""
        for side, seat in SIDES.items():
            told = {"name": self.first_value(f"P{side}"), "rating": self.first_value(f"{side}R")}
            player = {key: value for key, value in told.items() if value}
            self.players = self.players.put(seat, player)
        for member, names in _MEMBERS:
            self.members[member] = next(filter(None, map(self.first_value, names)), "")

    # -- games ---------------------------------------------------------------------------------

    def read_game(self, tree: Tree, first_number: int) -> None:
        """One tree: its score, its nodes, its result."""
        notes = self.notes
        root, *nodes = tree.nodes
        notes.line = root.line
        number = self.number(root, "game")
        self.mark_crawford(root)
        self.start_game(
            self.games + 1 if number is None else number + 1 - first_number,
            self.score_of(root),
            line=tree.line,
        )
        game = self.game = GameReader(
            notes, line=tree.line, ending=self.new_ending(), dialect=self.dialect
        )
        notes.line = root.line
        self.keep_headers(root)
        self.read_root(root, game)
        for node in nodes:
            game.read_node(node)
        notes.line = tree.line
        if tree.left_out:
            message = f"{tree.left_out} nodes of other variations are left out"
            notes.remark(NoticeCode.LINE_NOT_READ, message)
            notes.lost.append(f"line {tree.line}: {message}")
        game.finish()
        game.ending.result, game.ending.resigned = self.result_of(root)
        self.unread.update(game.unread)
        for name, line in game.first_lines.items():
            self.first_lines.setdefault(name, line)

    def score_of(self, root: Node) -> BySeat[int] | None:
        """The score at the start of a game."""
        one, two = self.number(root, "ws"), self.number(root, "bs")
        if (
            one is not None
            and two is not None
            and 0 <= min(one, two) <= max(one, two) <= MAX_POINTS
        ):
            return BySeat(one, two)
        info = _info(root)
        said = ", ".join(f"{key}:{info[key]}"[:80] for key in ("ws", "bs") if key in info)
        if said:
            # Half a point, or a score that cannot be, is ignored.
            self.notes.lost.append(f"line {root.line}: the score {said}")
        return None

    def mark_crawford(self, root: Node) -> None:
        """Whether the next game is the Crawford game, from its root."""
        rules = _rules(root)
        is_marked = "crawfordgame" in rules
        is_said = is_marked or (self.marks_crawford and "crawford" in rules)
        self.crawford_mark = is_marked if is_said else None

    def note_score(self, points: BySeat[int]) -> None:
        """The score and the Crawford game, if the file has others than follow from the score."""
        was_played = self.crawford_played
        super().note_score(points)
        if self.length is None or not self.has_crawford or self.crawford_mark is None:
            return
        if self.length == 1:
            return  # some programs mark the only game of such a match, and some do not
        is_near = sum(point == self.length - 1 for point in points) == 1
        if self.crawford_mark is (is_near and not was_played):
            return
        if is_near and not self.crawford_mark:
            message = "the game is not marked as the Crawford game"
            reason = "Crawford game of the file"
            self.notes.add(ScoreStated(score=points, crawford_played=True, reason=reason))
        else:
            # Without a ruling, no event can make it the Crawford game.
            message = "the game is marked as the Crawford game, and by the score it is not"
            self.notes.lost.append(f"line {self.notes.line}: {message}")
        self.notes.remark(NoticeCode.CRAWFORD_DIFFERS, message)

    def keep_headers(self, root: Node) -> None:
        """The root as written, without analysis and without what an earlier game said."""
        for prop in root.properties:
            if prop.name not in ANALYSIS:
                header = prop.name + "".join(f"[{escaped(value)}]" for value in prop.values)
                if prop.name == "MI" or header not in self.headers[:_FEW]:
                    self.headers.append(header)

    def read_root(self, root: Node, game: GameReader) -> None:
        """Cube, board and comments of a root."""
        if self.is_nackgammon:
            game.state_nackgammon()
        for text in (root.value("GC"), root.value("C")):
            if text is not None:
                game.comment(text)
        raw = root.value("CV")
        if raw is not None:
            value = cube_value(raw)
            if value is None:
                self.notes.remark(NoticeCode.CUBE_DIFFERS, "no cube shows that", raw=raw)
                self.notes.lost.append(f"line {root.line}: cube {raw[:200]}")
            elif value > 1:
                game.state_cube(value, None, reason="automatic doubles")
        rest = [prop for prop in root.properties if prop.name not in _ROOT]
        game.read_node(Node(root.line, rest))

    def result_of(self, root: Node) -> tuple[Claim | None, tuple[Seat, int] | None]:
        """The result that a root claims, and who resigned, on which line."""
        raw = root.value("RE")
        if raw is None or raw.strip() in ("", "?"):
            return None, None
        found = _RESULT.fullmatch("".join(raw.split()).upper())
        if found is None:
            self.notes.not_understood(f"RE[{raw}]")
            return None, None
        how = (found[3] or "")[:1]
        points = int(found[2]) if found[2] else None
        if how in ("T", "F"):
            message = "no event holds a loss on time" if how == "T" else "no event holds a forfeit"
            self.notes.remark(NoticeCode.NO_FACT, message, raw=raw)
            self.notes.lost.append(f"line {root.line}: RE[{raw[:200]}]")
        seat = SIDES[found[1]]
        claim = None if points is None else Claim(seat, points, root.line, raw.strip())
        resigned = (seat.other, root.line) if how == "R" else None
        if claim is None and resigned is None and not found[3]:
            self.notes.not_understood(f"RE[{raw}]")
        return claim, resigned

    # -- the end -------------------------------------------------------------------------------

    def close(self, dialect: str, result: ClaimedResult) -> None:
        """Note once what no fact can hold, and store the headers."""
        self.notes.game = None
        self.source["headers"] = self.headers
        for kinds, code, message in (
            (ANALYSIS, NoticeCode.ANALYSIS, "analysis is left out"),
            (TIMES, NoticeCode.NO_FACT, "times of players are left out"),
            (None, NoticeCode.LINE_NOT_READ, "unknown properties are left out"),
        ):
            names = [n for n in self.unread if (n in kinds if kinds else n not in ANALYSIS | TIMES)]
            if names:
                counts = ", ".join(f"{name[:30]} x{self.unread[name]}" for name in names[:_FEW])
                line = min(self.first_lines[name] for name in names)
                self.notes.remark(code, f"{message}: {counts}", line=line)
                self.notes.lost.append(f"line {line}: {message}: {counts}")


_FEW = 50


def _is_game(tree: Tree) -> bool:
    """Whether a game was begun: by an act in it, by its result, or by its place in a match.

    A match may be announced only by its length; comments alone do not make a game either.
    """
    root = tree.nodes[0]
    return (
        any(prop.name in _DONE for node in tree.nodes for prop in node.properties)
        or root.value("RE") is not None
        or not _PLACE.isdisjoint(_info(root))
    )


_DONE = frozenset({"W", "B", "AW", "AB", "AE", "DI"})
"""Properties that record an act in a game, or set it up."""

_PLACE = frozenset({"game", "ws", "bs"})
"""Members of `MI` that say which game of the match it is."""


def _rules(root: Node) -> list[str]:
    """The words of `RU` in small letters; GNU Backgammon once wrote each as a value of its own."""
    raw = ":".join(value for prop in root.properties if prop.name == "RU" for value in prop.values)
    return [word.strip().lower() for word in raw.split(":") if word.strip()]


def _dialect_of(root: Node) -> str:
    """Which program wrote the file, as the file says."""
    program = (root.value("AP") or "").strip().lower()
    return next((name for start, name in _DIALECTS if program.startswith(start)), "sgf")
