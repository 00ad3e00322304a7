"""A quiz asks after each error that can be told: the board of who chose, and two choices."""

from __future__ import annotations

import msgspec

from api.analysis.asking import AskedCube, AskedPlay, asked_of
from api.analysis.engines import Choice, Judged, JudgedGame
from api.analysis.plays import play_to
from api.analysis.quiz import ERROR, Question, questions_of
from api.html.texts import texts_of
from api.pages.quiz import _under
from events.values import Seat
from projections.board.legal import legal_positions
from tests.projections.table import Table

TABLE = Table().game().turns(2).double("one").take("two").turn("one", 61, "13/7 8/7")
[GAME] = asked_of(TABLE.replay)
PLAYS = [one for one in GAME.choices if isinstance(one, AskedPlay)]
[DOUBLE] = [one for one in GAME.choices if isinstance(one, AskedCube)]


def judged(version: int, seat: Seat, choice: Choice, best: Choice, lost: float) -> Judged:
    return Judged(
        version=version,
        seat=seat,
        choice=choice,
        best=best,
        lost=lost,
        lost_chance=None,
        counts=True,
        level="3ply",
    )


def asked(*found: Judged) -> list[Question]:
    return questions_of([GAME], [JudgedGame(found, ())])


def test_a_play_is_asked_with_its_board_and_the_boards_after_both() -> None:
    for one in PLAYS:
        best = min(legal_positions(one.before, one.dice) - {one.after}, key=lambda end: end.own)
        words = play_to(one.before, one.dice, best)
        found = judged(one.version, one.seat, "play", "play", ERROR)
        found = msgspec.structs.replace(found, after=best, best_play=words)
        [question] = asked(found)
        assert (question.before, question.dice) == (one.before, one.dice)
        assert (question.made.after, question.best.after) == (one.after, best)
        assert question.made.play != question.best.play == words


def test_a_cube_is_asked_from_the_side_of_who_chose() -> None:
    [doubled] = asked(judged(DOUBLE.version, Seat.ONE, "double", "no-double", 0.1))
    assert (doubled.before, doubled.offered_by) == (DOUBLE.before, None)
    [taken] = asked(judged(DOUBLE.answered_at, Seat.TWO, "take", "drop", 0.3))
    assert (taken.before, taken.offered_by) == (DOUBLE.before.swap(), Seat.ONE)
    assert (taken.made.choice, taken.best.choice) == ("take", "drop")
    missed = PLAYS[0]
    [held] = asked(judged(missed.rolled_at, missed.seat, "no-double", "double", 0.05))
    assert (held.before, held.dice) == (missed.before, None)


def test_nothing_is_asked_of_what_lost_little_or_stands_nowhere() -> None:
    version, seat = PLAYS[0].version, PLAYS[0].seat
    assert asked(judged(DOUBLE.version, Seat.ONE, "double", "no-double", ERROR / 2)) == []
    assert asked(judged(999, Seat.ONE, "take", "drop", 1.0)) == []
    # Of this play the engine did not say what would have been best.
    assert asked(judged(version, seat, "play", "play", 1.0)) == []


def test_a_question_says_the_rules_that_it_hangs_on() -> None:
    session = Table(None, jacoby=True).game().turns(2)
    [game] = asked_of(session.replay)
    first = next(one for one in game.choices if isinstance(one, AskedPlay))
    missed = judged(first.rolled_at, first.seat, "no-double", "double", 0.05)
    [question] = questions_of([game], [JudgedGame((missed,), ())])
    assert _under(question, texts_of("en")) == ["money session", "Jacoby rule", "no beavers"]
    [in_match] = asked(judged(DOUBLE.version, Seat.ONE, "double", "no-double", 0.1))
    length = TABLE.replay.opened.length if TABLE.replay.opened else None
    assert _under(in_match, texts_of("en")) == ["0\N{EN DASH}0", f"match to {length}"]
    crawford = in_match._replace(game=msgspec.structs.replace(GAME, is_crawford=True))
    assert _under(crawford, texts_of("en"))[-1] == "Crawford game"
