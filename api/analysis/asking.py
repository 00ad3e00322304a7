"""A match as engines are asked about it: its choices, each with the entry that it belongs to.

What cannot be asked (an unknown board, a play without its roll) is named with the reason, and left
out: an engine is given nothing that nobody recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from api.exchange.ogxm.board import is_holdable
from api.exchange.writing.story import Act, Game, Kind, Story, told
from events.payloads import cube, play
from events.values import CHECKERS, BySeat, CheckerMove, Dice, Seat
from projections.board.legal import is_legal, legal_positions, single_steps
from projections.board.position import Position
from projections.replay import Replay

Answer = Literal["take", "drop", "beaver"]

_ANSWERS: dict[Kind, Answer] = {Kind.TAKE: "take", Kind.DROP: "drop", Kind.BEAVER: "beaver"}


class LeftOut(msgspec.Struct, frozen=True):
    """Something that was done, and that no engine is asked about."""

    version: int
    """Version of its entry."""
    seat: Seat | None
    """Whose it was."""
    reason: str
    """Why: a word of `REASONS`."""


REASONS = frozenset(
    {
        "board-unknown",
        "board-impossible",
        "illegal",
        "no-roll",
        "play-unknown",
        "corrected",
        "unanswered",
        "cube-not-to-be-had",
        "cube-void",
        "beaver-answered",
        "score",
        "engine",
    }
)
"""Why something is left out. `engine`: it was asked, and gave no answer."""


class AskedPlay(msgspec.Struct, frozen=True, tag="play"):
    """A roll that was played, and before it the choice not to double."""

    version: int
    """Version of the entry that says what was played."""
    rolled_at: int
    """Version of its roll; that of the play where the roll has no entry."""
    seat: Seat
    """Who played."""
    before: Position
    """The board at the roll, from the player's side."""
    dice: Dice
    """The roll."""
    after: Position
    """The board after the play, from the player's side."""
    steps: tuple[CheckerMove, ...] | None
    """A legal play, one move a die; None where it is illegal, or told by its end alone."""
    is_legal: bool
    """Whether a legal play ends so."""
    cube_value: int
    """What the cube shows."""
    cube_owner: Seat | None
    """Who has it; None = in the middle."""
    is_cube_clear: bool
    """False where something was done with the cube before the roll that counted for nothing."""


class AskedCube(msgspec.Struct, frozen=True, tag="cube"):
    """A double and its answer."""

    version: int
    """Version of the double."""
    answered_at: int
    """Version of the answer."""
    seat: Seat
    """Who doubled."""
    before: Position
    """The board then, from the doubler's side."""
    answer: Answer
    """What the other player said to it."""
    cube_value: int
    """What the cube showed before."""
    cube_owner: Seat | None
    """Who had it before; None = in the middle."""


class AskedGame(msgspec.Struct, frozen=True):
    """One game."""

    number: int
    """Number of the game in the record, from 1."""
    length: int | None
    """Points that win the match; None = money."""
    score: BySeat[int]
    """Points when it began."""
    is_crawford: bool
    """Whether it is the Crawford game."""
    jacoby: bool
    """Whether gammons count only once the cube was turned."""
    beavers: bool
    """Whether a double may be beavered."""
    choices: tuple[AskedPlay | AskedCube, ...]
    """What is asked, in order."""
    left_out: tuple[LeftOut, ...]
    """What is not."""


def asked_of(shown: Replay) -> list[AskedGame]:
    """The games of a match as corrected, as engines are asked about them."""
    story = told(shown)
    void = _void_cube_acts(story)
    return [
        _Asking(shown, game, number, void).whole() for number, game in enumerate(story.games, 1)
    ]


def _void_cube_acts(story: Story) -> list[int]:
    """Versions at which something was done with the cube that the story does not tell."""
    told_of = set().union(*(game.told_of for game in story.games))
    acts = cube.DoubleOffered | cube.DoubleTaken | cube.DoubleDropped | cube.CubeBeavered
    return [
        step.event.version
        for step in story.replay.steps
        if isinstance(step.event.payload, cube.CubeActionVoided)
        or (isinstance(step.event.payload, acts) and step.event.entry_id not in told_of)
    ]


class _Asking:
    """Reads one game off its story."""

    def __init__(self, shown: Replay, game: Game, number: int, void: list[int]) -> None:
        self.shown = shown
        self.game = game
        self.number = number
        self.length = game.step.after.score.length
        """Points needed to win, as was known when it began: a wrong length may be found later."""
        self.void = void
        self.versions = shown.versions
        self.left_out: list[LeftOut] = []
        self.last = game.step.event.version
        """Version of the act before."""

    def whole(self) -> AskedGame:
        """The game with everything that can be asked."""
        rules, length = self.shown.rules, self.length
        choices: tuple[AskedPlay | AskedCube, ...] = ()
        if length is not None and max(self.game.score) >= length:
            self.leave(self.game.step.event.version, None, "score")
        else:
            choices = tuple(self.choices())
        return AskedGame(
            number=self.number,
            length=length,
            score=self.game.score,
            is_crawford=self.game.is_crawford,
            jacoby=length is None and rules.is_on("jacoby"),
            beavers=rules.is_on("beavers"),
            choices=choices,
            left_out=tuple(self.left_out),
        )

    def leave(self, version: int, seat: Seat | None, reason: str) -> None:
        """Say that something is not asked."""
        self.left_out.append(LeftOut(version, seat, reason))

    def choices(self) -> Iterator[AskedPlay | AskedCube]:
        """What can be asked, act by act."""
        acts = self.game.acts
        was_beavered = False
        for place, act in enumerate(acts):
            following = acts[place + 1] if place + 1 < len(acts) else None
            version = act.step.event.version
            asked: AskedPlay | AskedCube | None = None
            match act.kind:
                case Kind.PLAY:
                    asked = self.play(act, following)
                case Kind.DOUBLE:
                    asked = self.double(act, following)
                case Kind.GAP:
                    self.leave(version, act.seat, "play-unknown")
                case Kind.TAKE | Kind.DROP | Kind.BEAVER if was_beavered:
                    self.leave(version, act.seat, "beaver-answered")
                case _:
                    pass
            was_beavered = act.kind is Kind.BEAVER
            if asked is not None:
                yield asked
            self.last = max(self.last, version)

    def play(self, act: Act, following: Act | None) -> AskedPlay | None:
        """A play, if its board and its roll are known."""
        seat, version = act.seat, act.step.event.version
        assert seat is not None, "somebody makes each play"
        if act.dice is None and not act.moves and act.end is None:
            return None  # a turn that was passed without a roll: there was nothing to choose
        before, after = act.before, act.end
        if before is not None and after is None:
            after = before.moved(act.moves, act.hits_not_lifted).position
        fault = None
        if act.dice is None:
            fault = "no-roll"
        elif before is None or after is None:
            fault = "board-unknown"
        elif following is not None and _corrects(following, act):
            fault = "corrected"
        elif not (_goes_on(before) and is_holdable(after)):
            fault = "board-impossible"
        if fault is not None or before is None or after is None or act.dice is None:
            self.leave(version, seat, fault or "board-unknown")
            return None
        is_as_written = act.end is None and not act.hits_not_lifted
        is_plain = is_as_written and is_legal(before, act.dice, act.moves)
        made = AskedPlay(
            version=version,
            rolled_at=min(self.versions.get(act.roll_entry or "", version), version),
            seat=seat,
            before=before,
            dice=act.dice,
            after=after,
            steps=single_steps(before, act.dice, act.moves) if is_plain else None,
            is_legal=is_plain or after in legal_positions(before, act.dice),
            cube_value=act.cube_value,
            cube_owner=act.cube_owner,
            is_cube_clear=not any(self.last < one <= version for one in self.void),
        )
        if not made.is_legal:
            self.leave(version, seat, "illegal")
        if not made.is_cube_clear:
            self.leave(made.rolled_at, seat, "cube-void")
        return made

    def double(self, act: Act, following: Act | None) -> AskedCube | None:
        """A double, if it was answered, and the cube was there to be turned."""
        seat, version = act.seat, act.step.event.version
        assert seat is not None, "somebody doubles"
        answer = None if following is None else _ANSWERS.get(following.kind)
        before = act.step.before.positions.seen_by(seat)
        is_dead = self.length is not None and self.game.score[seat] + act.cube_value >= self.length
        fault = None
        if following is None or answer is None or following.seat is not seat.other:
            fault = "unanswered"
        elif self.game.is_crawford or act.cube_owner is seat.other or is_dead:
            fault = "cube-not-to-be-had"
        elif before is None:
            fault = "board-unknown"
        elif not _goes_on(before):
            fault = "board-impossible"
        if fault is not None or following is None or answer is None or before is None:
            self.leave(version, seat, fault or "board-unknown")
            return None
        return AskedCube(
            version=version,
            answered_at=following.step.event.version,
            seat=seat,
            before=before,
            answer=answer,
            cube_value=act.cube_value,
            cube_owner=act.cube_owner,
        )


def _corrects(following: Act, act: Act) -> bool:
    """Whether the board that follows a play is what a correction put in its place."""
    payload = following.step.event.payload
    return isinstance(payload, play.PlayCorrected) and payload.target == act.entry_id


def _goes_on(board: Position) -> bool:
    """Whether engines can look at a board: one that there may be, with nobody borne off whole."""
    return is_holdable(board) and CHECKERS not in board.borne_off
