"""What may come next: which entries are expected, and which are refused from a tablet."""

from __future__ import annotations

import pytest

from events.envelope import RecordedEvent
from events.payloads import cube, dice, dispute, ending, match, play
from events.values import BySeat, Seat
from projections.views.expecting import cannot_describe, expects
from tests.projections.table import ENTRY, Table, men

ONE, TWO = Seat.ONE, Seat.TWO
USBGF = "usbgf-2017-07"


def _why(table: Table, payload: object) -> str | None:
    event = RecordedEvent(99, ENTRY.format(99), "", table.events[0].basis, payload)
    return cannot_describe(table.state, event)


@pytest.mark.parametrize(
    ("table", "payload"),
    [
        (Table(), dice.Rolled(seat=ONE, dice=(3, 1))),
        (Table().game(), match.GameStarted()),
        (Table().game().turns(1), dice.OpeningRolled(one=3, two=1)),
        (Table().game().turns(2), cube.DoubleTaken(seat=TWO)),
        (Table().game().turns(2).double("one"), cube.DoubleTaken(seat=ONE)),
        (Table().game().turns(2).resign("one"), ending.ResignationAccepted(seat=ONE)),
        (Table().game().turns(2), dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.STANDS)),
    ],
)
def test_only_what_cannot_describe_a_fact_is_refused(table: Table, payload: object) -> None:
    assert _why(table, payload)


def test_nothing_comes_before_the_match_is_opened() -> None:
    table = Table(is_opened=False).record(match.GameWon(winner=ONE, points=1))
    assert _why(table, match.GameStarted()) == "the match is not opened yet"
    assert _why(Table(), match.GameStarted()) is None


@pytest.mark.parametrize(
    "payload",
    [
        dice.Rolled(seat=TWO, dice=(3, 1)),
        play.PlayMade(seat=TWO),
        cube.DoubleOffered(seat=TWO),
        play.PositionStated(checkers=BySeat(men("6:1"), men("6:1"))),
    ],
)
def test_irregular_acts_are_never_refused(payload: object) -> None:
    assert _why(Table().game().turns(2), payload) is None


@pytest.mark.parametrize(
    ("table", "tag"),
    [
        (Table(), "game.started"),
        (Table().game(), "dice.opening_rolled"),
        (Table().game().turns(1), "dice.rolled"),
        (Table().game().turns(1).roll("two", 42), "play.made"),
        (Table().game().turns(1).double("two"), "cube.double_taken"),
        (Table().game().turns(1).resign("two"), "resignation.accepted"),
        (Table().game().turns(1).resign("two", None).accept("one"), "game.won"),
        (Table().game().turns(1).early("two", 42), "dice.early_roll_answered"),
        (Table().game().turns(1).early("two", 42).answers_early("stands"), "turn.ended"),
        (Table(1).win(), "match.ended"),
    ],
)
def test_the_record_says_what_comes_next(table: Table, tag: str) -> None:
    assert expects(table.state)[0] == tag


# A double that the rule set holds void, and an early roll that was played.


@pytest.mark.parametrize("answer", [cube.DoubleTaken, cube.DoubleDropped, cube.CubeBeavered])
def test_the_answer_to_a_void_double_can_be_recorded_once(answer: type[cube.CubeAct]) -> None:
    table = Table(7, rule_set=USBGF, score=(6, 3)).game().turns(1).double("two")
    assert _why(table, answer(seat=ONE)) is None
    assert _why(table, answer(seat=TWO))
    assert _why(table.record(answer(seat=ONE)), answer(seat=ONE))


def test_the_answer_to_a_void_double_is_among_what_may_come() -> None:
    table = Table(7, rule_set=USBGF, score=(6, 3)).game().turns(1)
    assert "cube.double_taken" not in expects(table.state)
    table.double("two")
    assert expects(table.state)[0] == "dice.rolled"
    assert "cube.double_dropped" in expects(table.state)


def test_an_early_roll_that_was_played_can_still_be_answered() -> None:
    table = Table(rule_set=USBGF).game().turns(1).early("two", 42)
    early = table.last
    table.ends_turn("one").play("two", "8/4 6/4").ends_turn("two")
    redone = dice.EarlyRollAnswer.REDONE
    assert _why(table, dice.EarlyRollAnswered(answer=redone)) is None
    table.answers_early("redone")
    assert _why(table, dice.EarlyRollAnswered(answer=redone))
    # Whoever names the early roll may change his mind about it.
    assert _why(table, dice.EarlyRollAnswered(answer=redone, target=early)) is None


def test_a_match_that_was_cancelled_takes_no_play_but_what_is_said_about_it() -> None:
    table = Table().game().turns(2).record(match.MatchCancelled())
    assert expects(table.state) == ()

    def why(tag: str, payload: object) -> str | None:
        event = RecordedEvent(99, ENTRY.format(99), tag, table.events[0].basis, payload)
        return cannot_describe(table.state, event)

    refused = why("dice.rolled", dice.Rolled(seat=ONE, dice=(3, 1)))
    assert refused == "the match was cancelled: the director can restore it"
    assert why("game.started", match.GameStarted())
    assert why("director.called", dispute.DirectorCalled()) is None
