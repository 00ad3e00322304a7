"""When a match that was written and read again is the same: in everything that no loss names.

`differences(before, written, after)` is the whole claim, for any format: both tell the same story,
and each event of `before` is either in that story or named by a loss. Where a lost event moved the
board or the cube, the rest of its game is compared without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from api.exchange.reading.ending import MAX_POINTS
from api.exchange.writing.story import CUBE_ACTS, Act, Game, Kind, Story, told
from api.exchange.writing.wanted import Written
from events.payloads import match
from events.values import Dice, Seat
from projections.board.position import Position
from projections.replay import Replay

OF_ALL = frozenset({"proof", "time", "finding"})
"""Kinds of loss that are noted beside the fact, whether or not the file holds it."""

IN_WORDS = frozenset(
    {"opening", "steps", "illegal-play", "illegal-steps", "told-by-end", "revision", "resignation"}
)
"""Kinds of loss whose fact is in the file all the same, in other words."""


class Line(NamedTuple):
    """One act, as far as formats can hold it."""

    kind: str
    """Its kind; `roll` for any roll of which no play is known."""
    seat: Seat | None
    dice: Dice | None
    board: Position | None
    """Before the act, seat one's checkers as `own`; None where it is not known, or in doubt."""
    cube: tuple[int, Seat | None] | None
    """Value and owner before a cube act; None where in doubt."""


def story_of(replay: Replay) -> Story:
    """The story that every format tells."""
    return told(replay)


def differences(
    before: Replay, written: Written, after: Replay, *, in_words: frozenset[str] = IN_WORDS
) -> list[str]:
    """Where the match that came back differs, and which events are neither held nor lost.

    `in_words` are the format's kinds of loss that leave the act in the file.
    """
    comparison = _Comparison(before, written, in_words)
    first, second = story_of(before), story_of(after)
    return [*comparison.in_games(first, second, after), *comparison.unaccounted(first)]


class _Comparison:
    def __init__(self, before: Replay, written: Written, in_words: frozenset[str]) -> None:
        self.before = before
        kinds = [loss for loss in written.losses if loss.kind not in OF_ALL]
        self.lost = {version for loss in kinds for version in loss.versions}
        self.gone = {
            version for loss in kinds if loss.kind not in in_words for version in loss.versions
        }
        """Versions of which the file holds nothing."""
        self.reopened = {
            version for loss in kinds if loss.kind == "reopened" for version in loss.versions
        }

    def unaccounted(self, story: Story) -> Iterator[str]:
        """Events outside both the story and the losses: there must be none."""
        told_of = set[str | None]().union(*(game.told_of for game in story.games))
        told_of |= {game.step.event.entry_id for game in story.games}
        standing = {step.event.version: step.event for step in self.before.steps}
        recorded = {event.version: event for event in self.before.recorded}
        for event in (recorded | standing).values():
            # A claim that is not the computed score or result is a loss in every format.
            is_claim = isinstance(
                event.payload, match.ScoreNoted | match.GameWon | match.MatchEnded
            )
            is_held = event.payload is self.before.opened or event.entry_id in told_of or is_claim
            if event.version not in self.lost and not is_held:
                yield f"version {event.version}, {event.tag}: neither held nor lost"

    def in_games(self, first: Story, second: Story, after: Replay) -> Iterator[str]:
        """Length, scores, acts and results."""
        lengths = [replay.state.score.length for replay in (self.before, after)]
        if lengths[0] != lengths[1]:
            yield f"length {lengths[0]} came back as {lengths[1]}"
        if len(first.games) != len(second.games):
            yield f"{len(first.games)} games came back as {len(second.games)}"
        for number, (old, new) in enumerate(zip(first.games, second.games, strict=False), 1):
            if old.score != new.score and max(old.score) <= MAX_POINTS:
                yield f"game {number}: the score {old.score} came back as {new.score}"
            for text in (*self.in_acts(old, new), *self.in_result(old, new)):
                yield f"game {number}: {text}"

    def in_acts(self, old: Game, new: Game) -> Iterator[str]:
        """Acts in their order, each with the board that it was made on."""
        acts, others = self.acts_of(old), _acts(new)
        doubt = self.doubt_in(old)
        is_doubtful = False
        for place, (act, other) in enumerate(zip(acts, others, strict=False), 1):
            is_doubtful |= doubt is not None and act.step.event.version >= doubt
            is_lost = act.step.event.version in self.lost
            line, back = (
                _line(one, is_doubtful=is_doubtful, is_lost=is_lost) for one in (act, other)
            )
            if line != back:
                yield f"act {place}: {line} came back as {back}"
                return
            # A roll without a play reads as a gap where something could have been played.
            is_doubtful |= act.kind is Kind.GAP or (is_lost and _is_empty(act))
            is_doubtful |= _is_answered_beaver(acts, place - 1)
        if len(acts) != len(others):
            yield f"{len(acts)} acts came back as {len(others)}"

    def acts_of(self, game: Game) -> list[Act]:
        """Acts that the file holds: a lost cube act, or an end that was none, is not in it."""
        return [
            act
            for act in _acts(game)
            if act.step.event.version not in (self.gone if act.kind in CUBE_ACTS else self.reopened)
        ]

    def doubt_in(self, game: Game) -> int | None:
        """Version from which a reader has another board or cube than the match had."""
        first = game.step.event.version
        moving = [
            step.event.version
            for step in self.before.steps
            if step.before.positions.board != step.after.positions.board
            or (step.before.cube.value, step.before.cube.owner)
            != (step.after.cube.value, step.after.cube.owner)
        ]
        moving += [act.step.event.version for act in game.acts if act.kind is Kind.POSITION]
        return min((v for v in moving if v >= first and v in self.gone), default=None)

    @property
    def is_rescored(self) -> bool:
        """Whether a lost event set score or length: then another game may end the match."""
        return any(
            step.event.version in self.gone
            and (step.before.score.score, step.before.score.length)
            != (step.after.score.score, step.after.score.length)
            for step in self.before.steps
        )

    def in_result(self, old: Game, new: Game) -> Iterator[str]:
        """Winner and points, unless a lost event made or undid them, or set a score that readers
        believe; on a board that they have otherwise, readers may see an end that was none.
        """
        number = old.step.after.score.game_number
        made_otherwise = any(
            step.event.version in self.gone
            and step.after.score.game_number == number
            and (step.before.score.score, step.before.score.games)
            != (step.after.score.score, step.after.score.games)
            for step in self.before.steps
        )
        acts = self.acts_of(old)
        made_otherwise |= any(_is_answered_beaver(acts, place) for place in range(len(acts)))
        made_otherwise |= old.result is None and self.doubt_in(old) is not None
        results = [
            game.result
            and (game.result.winner, game.result.points, not self.is_rescored and game.ends_match)
            for game in (old, new)
        ]
        if results[0] != results[1] and not made_otherwise:
            yield f"the result {results[0]} came back as {results[1]}"


def _acts(game: Game) -> list[Act]:
    """Acts with a place of their own in formats: a position shows in the board of the next act.

    A play without a recorded roll has none; `told` notes each as lost.
    """
    return [
        act
        for act in game.acts
        if act.kind is not Kind.POSITION and (act.kind is not Kind.PLAY or act.dice is not None)
    ]


def _is_answered_beaver(acts: list[Act], place: int) -> bool:
    """Whether a beaver is followed by another cube act: formats have no word for its answer."""
    is_followed = place + 1 < len(acts) and acts[place + 1].kind in CUBE_ACTS
    return acts[place].kind is Kind.BEAVER and is_followed


def _is_empty(act: Act) -> bool:
    return act.dice is not None and not act.moves and act.end is None


def _line(act: Act, *, is_doubtful: bool, is_lost: bool) -> Line:
    if act.dice is None:
        board = None if is_doubtful else act.step.before.positions.board
        cube = None if is_doubtful else (act.cube_value, act.cube_owner)
        return Line(act.kind.value, act.seat, None, board, cube)
    kind = "roll" if is_doubtful or is_lost or _is_empty(act) else act.kind.value
    before = act.before
    board = before if act.seat is Seat.ONE or before is None else before.swap()
    return Line(kind, act.seat, act.dice, None if is_doubtful else board, None)
