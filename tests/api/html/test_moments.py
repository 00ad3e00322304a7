"""A moment of a match: the ids by which other programs take its board."""

from __future__ import annotations

import pytest

from api.html.moments import Moment, moment_of
from api.html.texts import texts_of
from events.values import BySeat, Seat
from projections.board.ids import MatchId, Xgid
from tests.projections.table import Table

NAMES = BySeat("Ada", "Ben")


def shown(table: Table) -> Moment:
    return moment_of(table.replay, NAMES, texts_of("en"))


def session(**options: str) -> Table:
    return Table(None, **options).game().turn("one", 31, "8/5 6/5")


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({}, 0),
        ({"jacoby": "on"}, 1),
        ({"beavers": "on"}, 2),
        ({"jacoby": "on", "beavers": "on"}, 3),
    ],
)
def test_ids_of_a_session_say_whether_jacoby_and_beavers_are_played(
    options: dict[str, str], rules: int
) -> None:
    moment = shown(session(**options))
    assert moment.xgid is not None
    assert moment.match_id is not None
    assert Xgid.decode(moment.xgid).rules == rules
    assert MatchId.decode(moment.match_id).no_jacoby is ("jacoby" not in options)


def test_an_xgid_tells_a_beaver_and_a_raccoon_from_a_double() -> None:
    table = session(beavers="on").double("two")
    acts = []
    for seat in ("one", "two"):
        acts.append(Xgid.decode(shown(table).xgid or "").cube_act)
        table.beaver(seat)
    acts.append(Xgid.decode(shown(table).xgid or "").cube_act)
    assert acts == ["D", "B", "R"]


def test_ids_of_a_match_say_its_crawford_game_and_no_rule_of_sessions() -> None:
    table = Table(length=3).game().turn("one", 31, "8/5 6/5")
    assert Xgid.decode(shown(table).xgid or "").rules == 0
    assert not MatchId.decode(shown(table).match_id or "").no_jacoby


@pytest.mark.parametrize(("level", "said"), [("single", 1), ("gammon", 2), (None, 0)])
def test_a_match_id_says_what_is_resigned_and_who_answers(level: str | None, said: int) -> None:
    table = Table(length=3).game().turn("one", 31, "8/5 6/5").roll("two", 64)
    read = MatchId.decode(shown(table.resign("two", level)).match_id or "")
    assert (read.resigned, read.on_roll, read.to_act) == (said, Seat.TWO, Seat.ONE)
    read = MatchId.decode(shown(table.refuse("one")).match_id or "")
    assert (read.resigned, read.to_act) == (0, Seat.TWO)
