"""Errors of a match as questions: a board, what was done, and what the engine holds to be best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from api.analysis.asking import AskedCube, AskedGame, AskedPlay
from api.analysis.engines import Choice, Judged, JudgedGame
from api.analysis.plays import play_to
from events.values import Dice, Seat
from projections.board.position import Position

ERROR = 0.02
"""Equity from which on a choice is an error, as eXtreme Gammon has it; `replay/errors.js` too."""


class Option(NamedTuple):
    """Something that could be chosen."""

    choice: Choice
    play: str | None
    """Of a play: its words."""
    after: Position | None
    """Of a play: the board after it, from the player's side."""


class Question(NamedTuple):
    """An error, before it is told which of two choices it was."""

    version: int
    """Version of the entry that the choice was."""
    seat: Seat
    """Who chose."""
    before: Position
    """The board, from that player's side."""
    dice: Dice | None
    """The roll; None where the cube is asked about."""
    cube_value: int
    cube_owner: Seat | None
    offered_by: Seat | None
    """Who has doubled, where the answer is asked for."""
    made: Option
    best: Option
    found: Judged
    """What the engine says of it."""
    game: AskedGame
    """Its game: the score when it began, and the rules on which the choice hangs."""


def questions_of(asked: Sequence[AskedGame], found: Sequence[JudgedGame]) -> list[Question]:
    """The errors of a match, in order; of two choices that cannot be told in words, none."""
    return [
        question
        for game, judged in zip(asked, found, strict=False)
        for question in _in_game(game, judged)
    ]


def _in_game(game: AskedGame, judged: JudgedGame) -> Iterator[Question]:
    plays = {one.version: one for one in game.choices if isinstance(one, AskedPlay)}
    rolls = {one.rolled_at: one for one in plays.values()}
    doubles = {one.version: one for one in game.choices if isinstance(one, AskedCube)}
    answers = {one.answered_at: one for one in doubles.values()}
    for one in judged.judged:
        if one.lost < ERROR:
            continue
        if one.choice == "play":
            question = _of_play(game, one, plays.get(one.version))
        elif one.choice == "no-double":
            question = _of_cube(game, one, rolls.get(one.version))
        elif one.choice == "double":
            question = _of_cube(game, one, doubles.get(one.version))
        else:
            question = _of_cube(game, one, answers.get(one.version))
        if question is not None:
            yield question


def _of_play(game: AskedGame, one: Judged, asked: AskedPlay | None) -> Question | None:
    if asked is None or one.after is None or one.best_play is None:
        return None
    made = play_to(asked.before, asked.dice, asked.after)
    if made is None or asked.after == one.after:
        return None
    return Question(
        version=one.version,
        seat=one.seat,
        before=asked.before,
        dice=asked.dice,
        cube_value=asked.cube_value,
        cube_owner=asked.cube_owner,
        offered_by=None,
        made=Option("play", made, asked.after),
        best=Option("play", one.best_play, one.after),
        found=one,
        game=game,
    )


def _of_cube(game: AskedGame, one: Judged, asked: AskedPlay | AskedCube | None) -> Question | None:
    if asked is None or one.choice == one.best:
        return None
    is_answer = one.seat is not asked.seat
    return Question(
        version=one.version,
        seat=one.seat,
        before=asked.before.swap() if is_answer else asked.before,
        dice=None,
        cube_value=asked.cube_value,
        cube_owner=asked.cube_owner,
        offered_by=asked.seat if is_answer else None,
        made=Option(one.choice, None, None),
        best=Option(one.best, None, None),
        found=one,
        game=game,
    )
