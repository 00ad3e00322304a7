"""Writes a replayed match as SGF that GNU Backgammon loads, illegal plays and all."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import permutations

import msgspec

from api.exchange.sgf.game import GAP, IMPLIED, SET, letter_of
from api.exchange.sgf.grammar import escaped
from api.exchange.sgf.losses import COMMENT, KINDS, loss_of
from api.exchange.sgf.words import Speaker
from api.exchange.writing.story import CUBE_ACTS, Act, Game, Kind, told
from api.exchange.writing.wanted import WITHHELD, Losses, Wanted, Writer, Written, lose_always
from events.payloads.base import WinKind
from events.payloads.ending import ResignationAccepted
from events.payloads.match import MatchOpened
from events.payloads.play import PlayUnseen, UnseenSpan
from events.values import BAR, CHECKERS, OFF, BySeat, CheckerMove, Seat
from projections.board.legal import is_legal
from projections.board.position import STARTING, Position
from projections.facts.score import EndedBy
from projections.replay import Replay

MAX_NAME_BYTES = 31
"""GNU Backgammon cuts longer names, in the middle of a letter too, on which it breaks."""

MAX_CUBE = 4_096
"""GNU Backgammon has no higher cube, and a double from there on breaks it."""

MAX_HOPS = 4
"""More GNU Backgammon does not read."""

SIDE = BySeat("W", "B")
"""White is the left player: seat one."""

_COMMENTED = frozenset(
    {COMMENT, "set-up", "opening-tie", "illegal-steps", "revision", "cube", "resignation"}
    | {"claim", "score", "no-roll", "gap", "reopened", "undone"}
)
"""Kinds of loss whose events are comments."""

_DAY = re.compile(r"([0-9]{4})[-.]([0-9]{2})[-.]([0-9]{2})")


class _Noted(Losses):
    """Losses that remember which events they are about."""

    def __init__(self, table: dict[str, str]) -> None:
        super().__init__(KINDS, table)
        self.kinds_at: dict[int, set[str]] = {}
        """Version to the kinds of loss noted there."""

    def note(self, kind: str, what: str, version: int) -> None:
        """Something at a version is lost."""
        self.kinds_at.setdefault(version, set()).add(kind)
        super().note(kind, what, version)


class _Node:
    """A node while it is collected: its properties, and what its comment says."""

    def __init__(self, version: int, text: str) -> None:
        self.version = version
        """Version of the event that it tells."""
        self.text = text
        """Properties without the comment."""
        self.comments: list[str] = []

    def written(self) -> str:
        """The whole node."""
        comment = f"C[{escaped(chr(10).join(self.comments))}]" if self.comments else ""
        return f";{self.text}{comment}"


class _Writer:
    def __init__(self, replay: Replay, wanted: Wanted) -> None:
        self.replay = replay
        self.wanted = wanted
        self.losses = _Noted(loss_of(clocks=wanted.clocks, findings=wanted.findings))
        self.full_names = wanted.names or WITHHELD
        self.names = BySeat(*(sanitised(self.full_names[s], WITHHELD[s]) for s in Seat))
        self.remarks: list[str] = []
        """What the comment of the whole match says."""

    def written(self) -> Written:
        """The file and its losses."""
        stories = told(self.replay, self.losses).games
        self.lose_opening()
        games = [_Game(self, number, game) for number, game in enumerate(stories)]
        for game in games:
            game.write()
        self.lose_ways()
        self.add_comments(games)
        lose_always(self.losses, self.replay)
        trees = [game.written() for game in games]
        # A match without a game yet is a root alone, so that there is a file to load.
        text = "\n".join(trees) or f"({self.root(0, None, '', chr(10).join(self.remarks))})"
        return Written((text + "\n").encode(), self.losses.listed())

    # -- roots ---------------------------------------------------------------------------------

    def root(self, number: int, game: Game | None, cube: str, comment: str) -> str:
        """The root of a game; what is about the match as a whole stands in the first."""
        length = self.replay.state.score.length
        begun = ""
        if game is not None:
            begun = f"[game:{number}][ws:{game.score.one}][bs:{game.score.two}]"
        parts = [
            ";FF[4]GM[6]CA[UTF-8]AP[Tabularium]",
            f"MI[length:{length or 0}]{begun}",
            f"PW[{escaped(self.names.one)}]PB[{escaped(self.names.two)}]",
            *(self.details() if number == 0 else ()),
            *((f"GC[{escaped(comment)}]",) if comment else ()),
            self.rules(game),
            cube,
        ]
        if game is not None and game.result is not None:
            result = game.result
            mark = "R" if _is_resigned(game) else ""
            parts.append(f"RE[{SIDE[result.winner]}+{result.points}{mark}]")
        return "".join(parts)

    def details(self) -> list[str]:
        """When and where it was played, as far as it may be shown."""
        details = self.wanted.details
        found = _DAY.match(details.date or "")
        shown = (
            ("DT", "-".join(found.groups()) if found else details.date),
            ("EV", details.event),
            ("RO", details.round),
            ("PC", details.place),
            ("AN", details.transcriber),
        )
        return [f"{name}[{escaped(_line(value))}]" for name, value in shown if value]

    def rules(self, game: Game | None) -> str:
        """Options of the match; the Crawford game says so itself."""
        rules = self.replay.rules
        if self.replay.state.score.length is None:
            return "RU[Jacoby]" if rules.is_on("jacoby") else ""
        words = ["Crawford"] if rules.is_on("crawford") else []
        if game is not None and game.is_crawford:
            words = ["Crawford", "CrawfordGame"]
        return f"RU[{':'.join(words)}]" if words else ""

    def lose_opening(self) -> None:
        """Members of the opening that no property holds, or that were not handed over."""
        opened = self.replay.opened
        for seat in Seat:
            if self.names[seat] != self.full_names[seat]:
                self.losses.note("name", f"seat {seat.value}", 1)
                full = _text(self.full_names[seat])
                if full.strip():
                    side = "White" if seat is Seat.ONE else "Black"
                    self.remarks.append(f"{side} in full: {full}")
        if opened is None:
            return
        kept = {"players", "length", "score_at_start", "crawford_played", "options"}
        details = ("event", "round", "place", "date", "transcriber")
        kept |= {member for member in details if getattr(self.wanted.details, member)}
        for field in msgspec.structs.fields(MatchOpened):
            if field.name not in kept and getattr(opened, field.name) != field.default:
                self.losses.note("header", field.name, 1)
        for option in sorted(set(opened.options) - {"crawford", "jacoby"}):
            self.losses.note("header", f"option {option}", 1)
        for seat in Seat:
            for player in opened.players[seat]:
                for field in msgspec.structs.fields(player):
                    is_shown = field.name == "name" and self.wanted.names is not None
                    if getattr(player, field.name) is not None and not is_shown:
                        self.losses.note("header", f"{field.name} of {seat.value}", 1)

    # -- comments ------------------------------------------------------------------------------

    def add_comments(self, games: Sequence[_Game]) -> None:
        """Every event that no node tells, and every finding, at the node before it."""
        nodes = sorted(
            (node for game in games for node in game.nodes), key=lambda node: node.version
        )
        versions = [node.version for node in nodes]
        starts = [(game.game.step.event.version, game) for game in games]

        def add(version: int, line: str) -> None:
            game = next((game for start, game in reversed(starts) if start <= version), None)
            if game is None:
                self.remarks.append(line)
                return
            place = bisect_right(versions, version) - 1
            if place >= 0 and versions[place] >= game.game.step.event.version:
                nodes[place].comments.append(line)
            else:
                game.remarks.append(line)

        speaker = Speaker(self.replay, self.full_names)
        for step in self.replay.steps:
            event = step.event
            if self.losses.kinds_at.get(event.version, set()) & _COMMENTED:
                for line in speaker.said(step):
                    add(event.version, _text(line))
        for finding in self.replay.findings if self.wanted.findings else ():
            add(finding.version, _text(speaker.found(finding)))

    def lose_ways(self) -> None:
        """Events that no reader follows: a board that nobody knows, a game opened again."""
        for step in self.replay.steps:
            boards = (step.before.positions.board, step.after.positions.board)
            if (
                step.after.flow.in_game
                and not step.before.flow.in_game
                and step.before.score.game_number == step.after.score.game_number
            ):
                self.losses.at(step, "undone")
            if boards[0] is not None and boards[1] is None and step.after.flow.in_game:
                self.losses.at(step, "gap")


class _Game:
    """One game while it is written: its nodes, and what a reader makes of them meanwhile."""

    def __init__(self, writer: _Writer, number: int, game: Game) -> None:
        self.writer = writer
        self.losses = writer.losses
        self.number = number
        self.game = game
        self.nodes: list[_Node] = []
        self.remarks: list[str] = []
        """What was said before the first node."""
        self.board = STARTING
        """The board that a reader has, seat one's checkers as `own`."""
        self.cube: tuple[int, Seat | None] = (1, None)
        """The cube that a reader has."""
        self.opening_cube = ""
        """The cube of automatic doubles."""
        self.offered: Seat | None = None
        """Who doubled or beavered, while a reader waits for an answer."""
        self.beavered: Seat | None = None
        """The same if it was a beaver."""

    def write(self) -> None:
        """All acts."""
        length = self.writer.replay.state.score.length
        if length is not None and max(self.game.score) >= length:
            what = f"game {self.number + 1}, begun at {self.game.score.one}-{self.game.score.two}"
            self.losses.note("limit", what, self.game.step.event.version)
        self.lose_result()
        last = self.game.acts[-1] if self.game.acts else None
        for act in self.game.acts:
            if act is not last and _ends_game(act):
                # Readers take it for the end, whatever follows.
                self.losses.at(act.step, "reopened")
                continue
            self.answer_beaver(act)
            self.set_cube(act)
            if act.dice is not None and act.kind is not Kind.POSITION:
                self.offered = None
            match act.kind:
                case Kind.DOUBLE | Kind.TAKE | Kind.DROP | Kind.BEAVER:
                    self.turn_cube(act)
                case Kind.POSITION:
                    self.set_position(act)
                case Kind.ROLL | Kind.GAP:
                    self.roll(act)
                case Kind.PLAY:
                    self.play(act)

    def lose_result(self) -> None:
        """A result that no reader comes to: after games that nobody saw, or of no points."""
        result = self.game.result
        if result is None:
            return
        length = self.writer.replay.state.score.length
        final = self.game.score[result.winner] + result.points
        if self.game.ends_match and (length is None or final < length):
            self.losses.note("length", f"end of the match at {final} points", result.version)
        if not result.points:
            self.losses.note("limit", f"no points for game {self.number + 1}", result.version)
        for _, step in self.game.asides:
            unseen = step.event.payload
            is_far = isinstance(unseen, PlayUnseen) and unseen.spans is UnseenSpan.GAMES
            if is_far and step.event.version < result.version:
                what = f"result of game {self.number + 1}"
                self.losses.note("gap", what, result.version)

    def written(self) -> str:
        """The whole tree."""
        remarks = [*(self.writer.remarks if self.number == 0 else ()), *self.remarks]
        if self.nodes and self.number:
            # GNU Backgammon shows the comment of the first game alone.
            self.nodes[0].comments[:0] = remarks
            remarks = []
        root = self.writer.root(self.number, self.game, self.opening_cube, "\n".join(remarks))
        return "\n".join([f"({root}", *(node.written() for node in self.nodes)]) + ")"

    def node(self, act: Act, text: str) -> _Node:
        """One more node."""
        node = _Node(act.step.event.version, text)
        self.nodes.append(node)
        return node

    # -- the cube ------------------------------------------------------------------------------

    def answer_beaver(self, act: Act) -> None:
        """Whoever plays on after a beaver has taken it; readers wait for the word."""
        if self.beavered is None or act.kind in CUBE_ACTS:
            return
        beaverer, self.beavered = self.beavered, None
        self.offered = None
        if (act.cube_value, act.cube_owner) == self.cube:
            self.node(act, f"{SIDE[beaverer.other]}[take]{IMPLIED}")
            self.losses.at(act.step, "beaver")

    def set_cube(self, act: Act) -> None:
        """The cube as it lies before an act, where readers have another one."""
        cube = (act.cube_value, act.cube_owner)
        if cube == self.cube or act.kind in (Kind.TAKE, Kind.DROP, Kind.BEAVER):
            return
        value, owner = cube
        if value > MAX_CUBE:
            self.losses.note("limit", f"a cube of {value}", act.step.event.version)
            return
        self.offered = self.beavered = None
        if not self.nodes and owner is None:
            self.opening_cube = f"CV[{value}]"
        else:
            if value != self.cube[0]:
                self.node(act, f"CV[{value}]")
            if owner is not self.cube[1]:
                self.node(act, f"CP[{'c' if owner is None else SIDE[owner].lower()}]")
        self.cube = cube

    def turn_cube(self, act: Act) -> None:
        """A double, its answer, a beaver; not where readers would take it for something else."""
        seat = act.seat
        assert seat is not None
        if act.kind is Kind.DOUBLE and self.offered is seat.other:
            # The offer before it has lapsed; a cube that is set says so.
            self.node(act, f"CV[{act.cube_value}]")
            self.offered = self.beavered = None
        factor = {Kind.DOUBLE: 2, Kind.BEAVER: 4}.get(act.kind, 1)
        if act.cube_value * factor > MAX_CUBE:
            self.losses.note("limit", f"a cube above {MAX_CUBE}", act.step.event.version)
            return
        if act.kind is not Kind.DOUBLE and self.offered is not seat.other:
            self.losses.at(act.step, "cube")
            return
        word = "double" if act.kind in (Kind.DOUBLE, Kind.BEAVER) else act.kind.value
        self.node(act, f"{SIDE[seat]}[{word}]")
        self.offered = seat if word == "double" else None
        self.beavered = seat if act.kind is Kind.BEAVER else None
        after = act.step.after.cube
        if act.kind is Kind.TAKE:
            self.cube = (after.value, after.owner)
        elif act.kind is Kind.BEAVER:
            self.cube = (after.value * 2, after.owner)

    # -- boards --------------------------------------------------------------------------------

    def set_position(self, act: Act) -> None:
        """A board set from outside play."""
        if act.board is not None:
            self.set_board(act, act.board, act.seat)

    def set_board(self, act: Act, board: Position, on_roll: Seat | None) -> None:
        """A set-up node, where readers have another board."""
        if board == self.board:
            return
        turn = "" if on_roll is None else f"PL[{SIDE[on_roll]}]"
        self.node(act, turn + self.stones(act, board) + SET)
        self.board = board

    def stones(self, act: Act, board: Position) -> str:
        """A set-up of the whole board; checkers that are off follow from the rest."""
        version = act.step.event.version
        if any(sum(side) != CHECKERS for side in (board.own, board.other)):
            self.losses.note("checkers", "other than 15 checkers a side", version)
        if any(board.own[point] and board.other[25 - point] for point in range(1, 25)):
            self.losses.note("checkers", "both players on one point", version)
        return _stones(board)

    def roll(self, act: Act) -> None:
        """Dice without a play."""
        if act.seat is None or act.dice is None:
            return
        if act.before is not None:
            self.set_board(act, _seen_by_one(act.before, act.seat), act.seat)
        self.place_dice(act, act.seat, act.dice, GAP if act.kind is Kind.GAP else "")

    def place_dice(self, act: Act, seat: Seat, faces: tuple[int, int], name: str = "") -> None:
        """A node with dice, and no play beside them."""
        self.node(act, f"PL[{SIDE[seat]}]DI[{faces[0]}{faces[1]}]{name}")

    def play(self, act: Act) -> None:
        """A roll and its play: as made if readers can follow, else the board after it."""
        seat = act.seat
        assert seat is not None
        before = act.before
        if before is None:
            before = self.board if seat is Seat.ONE else self.board.swap()
        elif act.dice is not None:
            self.set_board(act, _seen_by_one(before, seat), seat)
        end = act.end or before.moved(act.moves, act.hits_not_lifted).position
        if act.dice is None:
            if end is not None:
                self.set_board(act, _seen_by_one(end, seat), seat.other)
            return
        hops = None if act.end is not None or end is None else hops_to(before, act.moves, end)
        if self.writer.wanted.illegal == "stated" and not is_legal(before, act.dice, act.moves):
            hops = None
        if hops is not None and end is not None:
            letters = "".join(
                letter_of(hop.from_point, seat) + letter_of(hop.to_point, seat) for hop in hops
            )
            self.node(act, f"{SIDE[seat]}[{act.dice[0]}{act.dice[1]}{letters}]")
            self.board = _seen_by_one(end, seat)
            return
        self.place_dice(act, seat, act.dice, GAP if end is None else "")
        if end is None:
            self.losses.at(act.step, "gap")
            return
        if act.end is None:
            self.losses.at(act.step, "illegal-steps")
            steps = " ".join(f"{hop.from_point}/{hop.to_point}" for hop in act.moves)
            self.nodes[-1].comments.append(f"played: {steps or 'nothing'}")
        self.board = _seen_by_one(end, seat)
        self.node(act, f"PL[{SIDE[seat.other]}]" + self.stones(act, self.board))


def _ends_game(act: Act) -> bool:
    """Whether the game is over with an act, for whoever reads it alone."""
    if act.kind is Kind.DROP:
        return True
    end = act.end or (act.before and act.before.moved(act.moves, act.hits_not_lifted).position)
    return act.kind is Kind.PLAY and end is not None and end.own[OFF] == sum(end.own) > 0


def _is_resigned(game: Game) -> bool:
    """Whether a resignation ended the game, at a level that points and cube tell."""
    result = game.result
    if result is None or result.ended_by is EndedBy.RESIGNATION:
        return result is not None
    accepted = [
        step.after.cube.value
        for _, step in game.asides
        if isinstance(step.event.payload, ResignationAccepted)
    ]
    # GNU Backgammon makes whole levels of the points of a resignation.
    return (
        result.ended_by is EndedBy.CLAIM
        and bool(accepted)
        and result.points in [accepted[-1] * kind.factor for kind in WinKind]
    )


def hops_to(
    before: Position, moves: Sequence[CheckerMove], end: Position
) -> Sequence[CheckerMove] | None:
    """The moves in an order in which GNU Backgammon makes each and comes to `end`; None if none.

    It takes four at most, from a point where a checker stands, to one that is not blocked.
    """
    if len(moves) > MAX_HOPS:
        return None
    return next((order for order in permutations(moves) if _made(before, order) == end), None)


def _made(before: Position, moves: Sequence[CheckerMove]) -> Position | None:
    own, other = list(before.own), list(before.other)
    for hop in moves:
        source, target = hop.from_point, hop.to_point
        if not 1 <= source <= BAR or not OFF <= target < BAR or source == target:
            return None
        if own[source] < 1 or (target and other[25 - target] > 1):
            return None
        own[source] -= 1
        own[target] += 1
        if target and other[25 - target]:
            other[25 - target] = 0
            other[BAR] += 1
    return Position(tuple(own), tuple(other))


def _seen_by_one(board: Position, seat: Seat) -> Position:
    """A board from the side of `seat`, with seat one's checkers as `own`."""
    return board if seat is Seat.ONE else board.swap()


def _stones(board: Position) -> str:
    """All points, and each checker on them."""
    parts = ["AE[a:y]"]
    for seat, counts in ((Seat.ONE, board.own), (Seat.TWO, board.other)):
        points = "".join(
            f"[{letter_of(point, seat)}]" * count
            for point, count in enumerate(counts)
            if point != OFF
        )
        parts.append(f"A{SIDE[seat]}{points}" if points else "")
    return "".join(parts)


def sanitised(name: str, stand_in: str) -> str:
    """A name that GNU Backgammon reads whole; `stand_in` if nothing is left."""
    # It does not undo the escape of a backslash in names.
    plain = _line(name).replace("\\", "/")
    return plain.encode()[:MAX_NAME_BYTES].decode("utf-8", "ignore").strip() or stand_in


def _line(text: str) -> str:
    """Text on one line."""
    return " ".join(_text(text).split())


def _text(text: str) -> str:
    """Text without control characters and half surrogate pairs; lines stay lines."""
    plain = "".join(char if char.isprintable() or char == "\n" else " " for char in text)
    return plain.encode("utf-8", "replace").decode("utf-8")


def _write(replay: Replay, wanted: Wanted) -> Written:
    return _Writer(replay, wanted).written()


WRITER = Writer(
    name="sgf",
    title="for GNU Backgammon: every play exact, illegal ones too; the rest as comments",
    media_type="application/x-go-sgf; charset=utf-8",
    write=_write,
)
"""The format as the doors know it."""
