"""Writes the acts of one game as SGF nodes, and follows the state that a reader derives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from api.exchange.sgf.game import GAP, IMPLIED, SET
from api.exchange.sgf.grammar import escaped
from api.exchange.sgf.letters import letter_of
from api.exchange.writing.losses import Losses
from api.exchange.writing.story import CUBE_ACTS, Act, Game, Kind
from api.exchange.writing.wanted import Illegal
from events.payloads.play import PlayUnseen, UnseenSpan
from events.values import BAR, CHECKERS, OFF, BySeat, CheckerMove, Seat
from projections.board.legal import is_legal
from projections.board.position import STARTING, Position

MAX_CUBE = 4_096
"""Highest cube of GNU Backgammon; a double beyond it breaks the program."""

MAX_MATCH_CUBE = 128
"""In a match, which to no length needs so much, it breaks on a higher one; in a .mat file too."""

MAX_HOPS = 4
"""GNU Backgammon reads no more than this."""

SIDE = BySeat("W", "B")
"""White is the left player: seat one."""


class Node:
    """A node being built: its properties, and the text of its comment."""

    def __init__(self, version: int, text: str) -> None:
        self.version = version
        """Version of the event that the node records."""
        self.text = text
        """Properties without the comment."""
        self.comments: list[str] = []

    def written(self) -> str:
        """The whole node."""
        comment = f"C[{escaped(chr(10).join(self.comments))}]" if self.comments else ""
        return f";{self.text}{comment}"


class GameWriter:
    """One game being written: its nodes, and the state that a reader derives from them."""

    def __init__(
        self, losses: Losses, number: int, game: Game, *, length: int | None, illegal: Illegal
    ) -> None:
        self.losses = losses
        self.number = number
        """Number of the game, from 0."""
        self.game = game
        self.length = length
        self.highest = MAX_CUBE if length is None else MAX_MATCH_CUBE
        """The highest cube value that is written."""
        """Points to win; None = money."""
        self.illegal = illegal
        """How illegal plays are written."""
        self.nodes: list[Node] = []
        self.remarks: list[str] = []
        """Text that was recorded before the first node."""
        self.board = STARTING
        """The board that a reader has, seat one's checkers as `own`."""
        self.cube: tuple[int, Seat | None] = (1, None)
        """The cube that a reader derives."""
        self.opening_cube = ""
        """The value of the cube after automatic doubles."""
        self.offered: Seat | None = None
        """Who doubled or beavered, while a reader expects an answer."""
        self.beavered: Seat | None = None
        """The same player, if it was a beaver."""

    def write(self) -> None:
        """All acts."""
        length = self.length
        if length is not None and max(self.game.score) >= length:
            what = f"game {self.number + 1}, begun at {self.game.score.one}-{self.game.score.two}"
            self.losses.note("limit", what, self.game.step.event.version)
        self.lose_result()
        last = self.game.acts[-1] if self.game.acts else None
        for act in self.game.acts:
            if act is not last and _ends_game(act):
                # Readers take it for the end of the game, whatever follows.
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
        """A result that no reader can derive: after games that nobody saw, or without points."""
        result = self.game.result
        if result is None:
            return
        length = self.length
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

    def node(self, act: Act, text: str) -> Node:
        """One more node."""
        node = Node(act.step.event.version, text)
        self.nodes.append(node)
        return node

    # -- the cube ------------------------------------------------------------------------------

    def answer_beaver(self, act: Act) -> None:
        """Playing on after a beaver means that it was taken; readers need the word `take`."""
        if self.beavered is None or act.kind in CUBE_ACTS:
            return
        beaverer, self.beavered = self.beavered, None
        self.offered = None
        if (act.cube_value, act.cube_owner) == self.cube:
            self.node(act, f"{SIDE[beaverer.other]}[take]{IMPLIED}")
            self.losses.at(act.step, "beaver")

    def set_cube(self, act: Act) -> None:
        """Set the cube before an act, if a reader has another one."""
        cube = (act.cube_value, act.cube_owner)
        if cube == self.cube or act.kind in (Kind.TAKE, Kind.DROP, Kind.BEAVER):
            return
        value, owner = cube
        if value > self.highest:
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
        """A double, its answer, or a beaver; left out if readers would misread it."""
        seat = act.seat
        assert seat is not None
        if act.kind is Kind.DOUBLE and self.offered is seat.other:
            # The offer before it has lapsed; setting the cube tells readers so.
            self.node(act, f"CV[{act.cube_value}]")
            self.offered = self.beavered = None
        factor = {Kind.DOUBLE: 2, Kind.BEAVER: 4}.get(act.kind, 1)
        if act.cube_value * factor > self.highest:
            self.losses.note("limit", f"a cube above {self.highest}", act.step.event.version)
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
        """A set-up node, if readers have another board."""
        if board == self.board:
            return
        turn = "" if on_roll is None else f"PL[{SIDE[on_roll]}]"
        self.node(act, turn + self.stones(act, board) + SET)
        self.board = board

    def stones(self, act: Act, board: Position) -> str:
        """A set-up of the whole board; the number of checkers borne off follows from the rest."""
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
            self.set_board(act, act.before.seen_by(act.seat), act.seat)
        self.place_dice(act, act.seat, act.dice, GAP if act.kind is Kind.GAP else "")

    def place_dice(self, act: Act, seat: Seat, faces: tuple[int, int], name: str = "") -> None:
        """A node with dice, and no play beside them."""
        self.node(act, f"PL[{SIDE[seat]}]DI[{faces[0]}{faces[1]}]{name}")

    def play(self, act: Act) -> None:
        """A roll and its play: as made if readers can follow it, else the board after it."""
        seat = act.seat
        assert seat is not None
        before = act.before
        if before is None:
            before = self.board.seen_by(seat)
        elif act.dice is not None:
            self.set_board(act, before.seen_by(seat), seat)
        end = act.end or before.moved(act.moves, act.hits_not_lifted).position
        if act.dice is None:
            if end is not None:
                self.set_board(act, end.seen_by(seat), seat.other)
            return
        hops = None if act.end is not None or end is None else hops_to(before, act.moves, end)
        if self.illegal == "stated" and not is_legal(before, act.dice, act.moves):
            hops = None
        if hops is not None and end is not None:
            letters = "".join(
                letter_of(hop.from_point, seat) + letter_of(hop.to_point, seat) for hop in hops
            )
            self.node(act, f"{SIDE[seat]}[{act.dice[0]}{act.dice[1]}{letters}]")
            self.board = end.seen_by(seat)
            return
        self.place_dice(act, seat, act.dice, GAP if end is None else "")
        if end is None:
            self.losses.at(act.step, "gap")
            return
        if act.end is None:
            self.losses.at(act.step, "illegal-steps")
            steps = " ".join(f"{hop.from_point}/{hop.to_point}" for hop in act.moves)
            self.nodes[-1].comments.append(f"played: {steps or 'nothing'}")
        self.board = end.seen_by(seat)
        self.node(act, f"PL[{SIDE[seat.other]}]" + self.stones(act, self.board))


def _ends_game(act: Act) -> bool:
    """Whether the game ends with an act, for a reader that has only the file."""
    if act.kind is Kind.DROP:
        return True
    end = act.end or (act.before and act.before.moved(act.moves, act.hits_not_lifted).position)
    return act.kind is Kind.PLAY and end is not None and end.own[OFF] == sum(end.own) > 0


def hops_to(
    before: Position, moves: Sequence[CheckerMove], end: Position
) -> Sequence[CheckerMove] | None:
    """The moves in an order that GNU Backgammon accepts, ending at `end`; None if there is none.

    It accepts at most four, each from a point with a checker to a point that is not blocked.
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


def _stones(board: Position) -> str:
    """All points, one for each checker on them."""
    parts = ["AE[a:y]"]
    for seat, counts in ((Seat.ONE, board.own), (Seat.TWO, board.other)):
        points = "".join(
            f"[{letter_of(point, seat)}]" * count
            for point, count in enumerate(counts)
            if point != OFF
        )
        parts.append(f"A{SIDE[seat]}{points}" if points else "")
    return "".join(parts)
