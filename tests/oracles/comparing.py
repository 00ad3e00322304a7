"""Compares a match with what GNU Backgammon made of its file: every act, score and result.

Each difference has a name, so that a test can say which ones its files are known to have, and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from api.exchange.writing.story import CUBE_ACTS, Act, Game, Kind
from events.values import Seat
from projections.board.ids import MatchId, position_id_or_none, same_match_id
from projections.board.position import Position
from projections.facts.games import EndedBy
from projections.replay import Replay
from tests.api.exchange.roundtrip import story_of
from tests.oracles import gnubg


class Difference(NamedTuple):
    """One thing that GNU Backgammon has otherwise, or does not have."""

    name: str
    """Its kind."""
    game: int
    """Game, from 1."""
    act: int
    """Act of the game, from 1; 0 = the game as a whole."""
    detail: str
    """Ours and theirs."""


def compared(replay: Replay, read: gnubg.Read, counts: Counter[str]) -> list[Difference]:
    """Every difference; `counts` counts what was compared, by kind.

    Known by name: `rolled-only` (they set the dice of a roll that was never played), `stated` (a
    play that is told by its end), `one-point` (they know no Crawford game in a match to one point),
    `level` (points that are no single, gammon or backgammon at that cube: they have the nearest),
    `no-result` (they found none).
    """
    games = story_of(replay).games
    found: list[Difference] = []
    if len(games) != len(read.games):
        detail = f"{len(games)} games, theirs {len(read.games)}"
        found.append(Difference("games", min(len(games), len(read.games)), 0, detail))
    for number, (ours, theirs) in enumerate(zip(games, read.games, strict=False), 1):
        counts["games"] += 1
        comparison = _Comparison(replay, ours, theirs, number, counts)
        found += [*comparison.start(), *comparison.acts(), *comparison.result()]
    return found


class _Comparison:
    def __init__(
        self, replay: Replay, ours: Game, theirs: gnubg.Game, number: int, counts: Counter[str]
    ) -> None:
        self.length = replay.state.score.length
        self.ours = ours
        self.theirs = theirs
        self.number = number
        self.counts = counts
        self.act = 0

    def differ(self, name: str, ours: object, theirs: object) -> Iterator[Difference]:
        """A difference if there is one."""
        if ours != theirs:
            yield Difference(name, self.number, self.act, f"{ours}, theirs {theirs}")

    def start(self) -> Iterator[Difference]:
        """Score and Crawford at the game's start."""
        yield from self.differ("score", tuple(self.ours.score), self.theirs.score)
        name = "one-point" if self.length == 1 else "crawford"
        yield from self.differ(name, self.ours.is_crawford, self.theirs.is_crawford)

    def acts(self) -> Iterator[Difference]:
        """Each act: who, dice, the board before it, and the Match ID before it."""
        theirs = [*self.theirs.actions]
        states = [self.theirs.start, *(action.after for action in theirs)]
        place = 0
        for number, act in enumerate(self.ours.acts, 1):
            self.act = number
            if act.kind is Kind.POSITION:
                continue  # it shows in the board of the next act
            while place < len(theirs) and _sets_board(theirs[place]):
                place += 1
            if place == len(theirs):
                yield from self.differ("missing", act.kind.value, None)
                return
            action = theirs[place]
            yield from self.one(act, action, states[place], is_first=place == 0)
            place += 1
        rest = [action.kind for action in theirs[place:] if not _sets_board(action)]
        if rest != ["resign"]:
            yield from self.differ("surplus", [], rest)

    def one(
        self, act: Act, action: gnubg.Action, state: str, *, is_first: bool
    ) -> Iterator[Difference]:
        """One act and its record."""
        sets_dice = action.kind == "set"
        kind = act.kind.value
        if act.kind in (Kind.ROLL, Kind.GAP) and sets_dice:
            yield from self.differ("rolled-only", kind, "set")
        elif act.kind is Kind.PLAY and sets_dice:
            yield from self.differ("stated", kind, "set")
        else:
            name = "move" if act.kind in (Kind.PLAY, Kind.ROLL, Kind.GAP) else kind
            yield from self.differ("kind", name, action.kind)
        yield from self.differ("seat", act.seat, action.seat)
        yield from self.differ("dice", act.dice, action.dice)
        if action.board is not None:
            # Their list of records turns the board round after one that was set for the left
            # player; their own game does not.
            theirs = state.split(":")[0] or action.board
            ours = _position_id(act)
            self.counts["unsayable" if ours is None else "boards"] += 1
            yield from self.differ("board", ours or theirs, theirs)
        if state:
            # Their dice are in the ID of a record that is a play, except the first record of a
            # file.
            is_rolled = not sets_dice and not (is_first and self.number == 1)
            yield from self.state(act, state, is_rolled=is_rolled)
        if act.kind is Kind.PLAY:
            self.counts["plies"] += 1

    def state(self, act: Act, state: str, *, is_rolled: bool) -> Iterator[Difference]:
        """Cube, turn, dice and score by the 66 bits of the Match ID."""
        assert act.seat is not None
        is_answer = act.kind in CUBE_ACTS and act.kind is not Kind.DOUBLE
        expected = MatchId(
            cube_value=act.cube_value,
            cube_owner=act.cube_owner,
            on_roll=act.seat.other if is_answer else act.seat,
            to_act=act.seat,
            dice=act.dice if is_rolled else None,
            length=self.length or 0,
            score=act.score,
            is_crawford=self.theirs.is_crawford,
            is_doubled=is_answer,
        )
        self.counts["match ids"] += 1
        said = state.split(":")[1]
        if not same_match_id(expected.encode(), said):
            yield from self.differ("match id", expected, MatchId.decode(said))

    def result(self) -> Iterator[Difference]:
        """Winner and points."""
        self.act = 0
        ours, theirs = self.ours.result, self.theirs
        if ours is None:
            yield from self.differ("result", None, theirs.winner)
            return
        self.counts["results"] += 1
        if theirs.winner is None:
            yield from self.differ("no-result", ours.winner, None)
            return
        yield from self.differ("winner", ours.winner, theirs.winner)
        name = "points"
        if ours.ended_by in (EndedBy.CLAIM, EndedBy.RESIGNATION):
            # They know single, gammon and backgammon alone, and take the next of them.
            cube = self.ours.acts[-1].step.after.cube.value if self.ours.acts else 1
            level = min(3, -(-ours.points // cube))
            name = "level" if theirs.points == level * cube else name
        yield from self.differ(name, ours.points, theirs.points)


def _sets_board(action: gnubg.Action) -> bool:
    return action.kind == "set" and action.dice is None


def _position_id(act: Act) -> str | None:
    """Position ID before an act, the side to act on roll; None if it says no such board."""
    board: Position | None = act.before
    if act.dice is None:
        board = act.step.before.positions.board
        if board is not None and act.seat is Seat.TWO:
            board = board.swap()
    return None if board is None else position_id_or_none(board)
