"""Parses the text of an SGF file: trees, the nodes of each main line, properties, escapes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import msgspec

from api.exchange.reading.facts import (
    DIVIDE,
    Notice,
    NoticeCode,
    Refused,
)

MAX_PARTS = 300_000
"""Most nodes, values, brackets and unreadable pieces; no file of a session has more."""

_MAX_REMARKS = 100

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z]{1,30}")
# Possessive quantifiers: a bracket that is never closed costs one pass, not one per character.
_VALUE = re.compile(r"\[((?:[^\\\]]++|\\.)*+)\]", re.S)
_BREAK = re.compile(r"\r\n|\n\r|\n|\r")
_ESCAPE = re.compile(r"\\(?:(\r\n|\n\r|\n|\r)|(.))", re.S)
_JUNK = re.compile(r"[^();A-Za-z]+")


class Property(msgspec.Struct, frozen=True):
    """One property of a node, with all its values."""

    name: str
    """In capitals: small letters in old files are dropped, as in FF[3]."""
    values: tuple[str, ...]
    """The values, without brackets and escapes."""
    line: int
    """Line of the file, from 1."""


class Node(msgspec.Struct, frozen=True):
    """One node of a game: a move, a set-up, or the root."""

    line: int
    """Line of the file, from 1."""
    properties: list[Property]
    """In the order in which they are written."""

    def value(self, name: str) -> str | None:
        """First value of a property; None if the node does not have it."""
        return next((p.values[0] for p in self.properties if p.name == name), None)

    def written(self) -> str:
        """The node as text."""
        return "".join(
            prop.name + "".join(f"[{escaped(value)}]" for value in prop.values)
            for prop in self.properties
        )


class Tree(msgspec.Struct, frozen=True):
    """One tree of the file: a game."""

    line: int
    """Line of the file on which it begins, from 1."""
    nodes: list[Node]
    """The main line, the root first; other variations are not read."""
    left_out: int
    """Nodes of other variations."""
    is_closed: bool
    """Whether the last bracket of the tree is there; without it, only its certain nodes are
    given."""


def parsed(text: str) -> tuple[list[Tree], list[Notice]]:
    """Every tree of the text, and the remarks; one pass without recursion.

    A text that is cut off within a value ends with the last complete value, and a remark says so.

    Raises:
        Refused: there are too many nodes.
    """
    parser = _Parser(text)
    parser.parse()
    return parser.trees, parser.notices


_BOARD = frozenset({"AE", "AW", "AB"})
"""Properties that together set a board: with only some of their values it would be another
board."""

_ROOT = frozenset({"GM", "FF", "MI", "PW", "PB"})
"""Properties that only a root can have."""


_ONCE = frozenset({"PW", "PB", "WR", "BR", "MI", "RE", "EV", "RO", "PC", "DT"})
"""Properties of a root that mean one thing each; the first occurrence is used."""


def _told_otherwise(properties: list[Property]) -> Iterator[Property]:
    """Properties of a root that were repeated with another value: not read.

    `MI` has a value per key.
    """
    told: dict[str, str] = {}
    for prop in properties:
        if prop.name not in _ONCE:
            continue
        for value in prop.values:
            key, _, text = value.partition(":") if prop.name == "MI" else ("", "", value)
            text = text.strip()
            if told.setdefault(f"{prop.name} {key.strip().lower()}", text) != text:
                yield Property(prop.name, (value,), prop.line)


class _Game:
    """A game while its tree is being read."""

    def __init__(self, line: int, *, is_closed: bool = False) -> None:
        self.line = line
        self.nodes: list[Node] = []
        self.left_out = 0
        self.is_closed = is_closed
        self.is_main = True
        """Whether the next node belongs to its main line, because no branch has ended yet."""
        self.is_around = False
        """Whether its tree contains other games."""

    def without_uncertain(self, last: Node | None) -> Node | None:
        """Remove the nodes of an unfinished game that may be incomplete, and return the game.

        These are a root, which says nothing yet, and the `last` node of the text if it sets a
        board.
        """
        if not self.nodes:
            return None
        names = {prop.name for prop in self.nodes[-1].properties}
        is_part = self.nodes[-1] is last and (not names or not names.isdisjoint(_BOARD))
        return self.nodes.pop() if is_part or len(self.nodes) == 1 else None


class _Branch:
    """The content of one bracket: a variation of a game, or a game of its own."""

    def __init__(self, game: _Game, line: int, *, is_own: bool = True) -> None:
        self.game = game
        self.line = line
        """Line of the file on which it begins."""
        self.is_own = is_own
        """Whether a game begins with it."""
        self.is_new = True
        """Whether it has no node yet."""

    def new(self, line: int) -> _Branch:
        """A branch inside this one; its first node shows what it is."""
        if not self.game.nodes:
            return _Branch(_Game(line), line)
        return _Branch(self.game, line, is_own=False)

    def begins_game(self, node: Node) -> bool:
        """Whether a node that comes next would be the root of a game."""
        return self.is_new and (self.is_own or any(prop.name in _ROOT for prop in node.properties))

    def add(self, node: Node, games: list[_Game]) -> None:
        """One node more."""
        is_root = self.begins_game(node)
        self.is_new = False
        if is_root and not self.is_own:
            around, self.game, self.is_own = self.game, _Game(self.line), True
            node = _inherited(node, around.nodes[0], with_words=not around.is_around)
            around.is_around = True
        if not self.game.nodes:
            games.append(self.game)
        if self.game.is_main:
            self.game.nodes.append(node)
        else:
            self.game.left_out += 1


def _inherited(node: Node, root: Node, *, with_words: bool) -> Node:
    """A root, with what the enclosing root says and it does not; comments go to the first game."""
    own = {prop.name for prop in node.properties}
    if not with_words:
        own |= {"C", "GC"}
    rest = [prop for prop in root.properties if prop.name == "MI" or prop.name not in own]
    return Node(node.line, [*node.properties, *rest])


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.breaks = [found.end() for found in _BREAK.finditer(text)]
        self.trees: list[Tree] = []
        self.notices: list[Notice] = []
        self.count = 0
        """Parts so far."""
        self.last: Node | None = None
        """The last node read so far."""
        self.is_cut = False
        """Whether the text ends inside a value."""

    @property
    def line(self) -> int:
        """Number of the current line, from 1."""
        return bisect_right(self.breaks, self.place) + 1

    def parse(self) -> None:
        """All trees; text between them is remarked."""
        while True:
            start = self.text.find("(", self.place)
            between = self.text[self.place : len(self.text) if start < 0 else start]
            if between.replace("\ufeff", "").strip():  # it may be several files joined
                self.space()
                self.remark("nothing known between the games", between)
            if start < 0:
                return
            self.place = start
            self.tree()

    def take(self, end: int) -> None:
        """Continue at `end` and count one more part. Errors: Refused, if there are too many."""
        self.count += 1
        if self.count > MAX_PARTS:
            raise Refused(f"more than {MAX_PARTS} parts", DIVIDE, line=self.line)
        self.place = end

    def tree(self) -> None:
        """One tree: of several variations the first is the main line.

        A branch that begins with a root of its own is not a variation but another game; what the
        enclosing root says applies to it unless it says otherwise.
        """
        open_ones = [_Branch(_Game(self.line), self.line)]
        games: list[_Game] = []
        line = self.line
        self.take(self.place + 1)
        while open_ones:
            self.space()
            branch = open_ones[-1]
            char = self.text[self.place : self.place + 1]
            if not char:
                break
            if char == "(":
                self.take(self.place + 1)
                open_ones.append(branch.new(self.line))
            elif char == ")":
                self.take(self.place + 1)
                open_ones.pop()
                if branch.is_own:
                    branch.game.is_closed = True
                elif not branch.is_new:
                    branch.game.is_main = False
            elif char == ";":
                self.take(self.place + 1)
                self.last = read = Node(self.line, list(self.properties()))
                for prop in _told_otherwise(read.properties) if branch.begins_game(read) else ():
                    self.remark("said again, and otherwise", Node(read.line, [prop]).written())
                branch.add(read, games)
            else:
                self.junk()
        if not games:
            games.append(_Game(line, is_closed=not open_ones))
        for game in games:
            if not game.is_closed and not game.is_around:
                node = game.without_uncertain(self.last)
                if node is not None and node.properties:
                    self.remark("the last node may not be whole, and is left out", node.written())
        self.trees += [
            Tree(game.line, game.nodes, game.left_out, game.is_closed)
            for game in games
            if not (game.is_around and len(game.nodes) == 1)
        ]

    def properties(self) -> Iterator[Property]:
        """Each property, as written."""
        while True:
            self.space()
            found = _NAME.match(self.text, self.place)
            if found is None:
                return
            line = self.line
            self.take(found.end())
            values = list(self.values())
            name = "".join(char for char in found[0] if char.isupper())
            if not values or not name:
                if not self.is_cut:
                    self.remark("a property without a name or a value", found[0])
                continue
            yield Property(name, tuple(values), line)

    def values(self) -> Iterator[str]:
        """The values that follow a name."""
        while True:
            self.space()
            if self.text[self.place : self.place + 1] != "[":
                return
            found = _VALUE.match(self.text, self.place)
            if found is None:
                self.cut()
                return
            self.take(found.end())
            yield plain(found[1]) if "\\" in found[1] else found[1]

    def cut(self) -> None:
        """The text ends inside the value that begins here."""
        self.is_cut = True
        raw = self.text[self.place : self.place + 200]
        message = "the file is cut off: a value has no end"
        notice = Notice(code=NoticeCode.CUT_OFF, message=message, line=self.line, raw=raw)
        self.notices.append(notice)
        self.take(len(self.text))

    def space(self) -> None:
        """Skip blanks and line ends."""
        found = _SPACE.match(self.text, self.place)
        assert found is not None
        self.place = found.end()

    def junk(self) -> None:
        """Skip text that is not part of a tree."""
        found = _JUNK.match(self.text, self.place) or _NAME.match(self.text, self.place)
        end = self.place + 1 if found is None else found.end()
        self.remark("nothing known", self.text[self.place : end])
        self.take(end)

    def remark(self, message: str, raw: str) -> None:
        """Remark text that was not understood, at most a hundred times a file."""
        if len(self.notices) < _MAX_REMARKS:
            self.notices.append(
                Notice(
                    code=NoticeCode.LINE_NOT_READ,
                    message=message,
                    line=self.line,
                    raw=raw.strip()[:200],
                )
            )


def plain(value: str) -> str:
    """A value without its escapes: an escaped line end is removed, an escaped character is kept."""
    return _ESCAPE.sub(lambda found: found[2] or "", value)


def escaped(text: str) -> str:
    """Text as it may stand in a value."""
    return text.replace("\\", "\\\\").replace("]", "\\]")
