"""A game that is entered with what a void double would have made of it."""

from __future__ import annotations

import own
import pytest
import script

from events.values import BySeat, Seat
from projections.replay import replay

CLAIMED = """
1 match.opened {length: 5}
2 score.stated (agreed) {score: 4-3}
3 game.started
4 dice.opening_rolled 31
5 play.made one 8/5 6/5
6 cube.double_offered two
7 cube.double_taken one
8 game.won {kind: single, points: 2, winner: two}
""".strip()

NOTICED = "\n10 cube.action_voided {found_by: one, target: $6}"


@pytest.mark.parametrize(
    ("rule_set", "score", "winner"),
    [
        ("usbgf-2017-07", BySeat(4, 4), None),
        ("biba-2014", BySeat(4, 4), None),
        # These texts do not call the double void by themselves: what was entered is the score.
        ("fcbg-tournament", BySeat(4, 5), Seat.TWO),
        ("common", BySeat(4, 5), Seat.TWO),
    ],
)
def test_a_void_double_makes_no_points_of_what_somebody_entered(
    rule_set: str, score: BySeat[int], winner: Seat | None
) -> None:
    shown = replay(own.under(script.read(CLAIMED), rule_set, {}))
    assert shown.state.score.score == score
    assert shown.state.judged.outcome.winner is winner
    told = [one for one in shown.findings if one.code == "claim-differs"]
    assert len(told) == (1 if winner is None else 0)


def test_two_points_of_no_known_level_may_be_a_gammon() -> None:
    unknown = CLAIMED.replace("kind: single, ", "")
    shown = replay(own.under(script.read(unknown), "biba-2014", {}))
    assert shown.state.score.score == BySeat(4, 5)


@pytest.mark.parametrize(
    ("begun", "score", "winner"),
    [
        ("\n9 moment.marked {target: $8}", BySeat(4, 4), None),
        ("\n9 match.next_started {seats: [two], next: next_round}", BySeat(4, 5), Seat.TWO),
    ],
)
def test_a_void_double_declared_so_later_counts_as_one_that_is_noticed(
    begun: str, score: BySeat[int], winner: Seat | None
) -> None:
    """5.5: corrected and played on, unless the next round has begun: then the result stands."""
    shown = replay(own.under(script.read(CLAIMED + begun + NOTICED), "biba-2014", {}))
    assert shown.state.score.score == score
    assert shown.state.judged.outcome.winner is winner
