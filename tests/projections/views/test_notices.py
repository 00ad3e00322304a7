"""What a table is told and has noted, and what was recorded while a ruling was awaited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from msgspec.structs import replace

from events.payloads import attendance, corrections, dispute, ending, match, penalty
from events.payloads.base import Actor
from events.values import ONE, TWO
from projections.replay import Replay, Step
from projections.views.freezing import (
    Freeze,
    freezes,
    frozen_by,
    is_awaited,
    spoken_of,
    version_told,
)
from projections.views.notices import notices
from tests.projections.table import Table


def told(table: Table) -> list[tuple[str, int | None]]:
    """Tag of each notice, and the version by which it was taken note of."""
    return [
        (one.event.tag, None if one.acknowledged is None else one.acknowledged.version)
        for one in notices(table.replay)
    ]


def test_what_a_director_decides_is_told_until_the_table_takes_note() -> None:
    table = Table().record(penalty.SlowPlayWarned(seat=ONE))
    warned = table.last
    assert told(table) == [("slow_play.warned", None)]
    table.record(attendance.DelayExcused(seat=TWO))
    table.record(dispute.NoticeAcknowledged(target=warned))
    assert told(table) == [("slow_play.warned", 4), ("delay.excused", None)]


def test_what_somebody_at_the_table_says_is_no_news_to_it() -> None:
    table = Table().record(dispute.DisputeRaised(by=Actor.ONE))
    table.record(ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=ONE))
    claim = table.last
    table.record(ending.ClaimRuled(target=claim, holds=True, by=Actor.TWO))
    table.record(corrections.MomentMarked(target=claim))
    assert told(table) == []
    table.record(dispute.DirectorCalled())
    table.record(corrections.MomentMarked(target=table.last))
    table.record(dispute.DisputeRaised(by=Actor.DIRECTOR))
    assert told(table) == [("moment.marked", None), ("dispute.raised", None)]


def test_what_was_put_otherwise_has_to_be_told_anew_and_what_was_taken_back_no_more() -> None:
    table = Table().record(penalty.PenaltyAssessed(seat=ONE, points=1))
    assessed = table.last
    table.record(dispute.NoticeAcknowledged(target=assessed))
    table.amend(assessed, penalty.PenaltyAssessed(seat=ONE, points=3))
    assert told(table) == [("penalty.assessed", None)]
    table.record(dispute.NoticeAcknowledged(target=assessed))
    assert told(table) == [("penalty.assessed", table.replay.version)]
    table.record(corrections.EntryRetracted(target=table.last))
    assert told(table) == [("penalty.assessed", None)]
    table.record(corrections.EntryRetracted(target=assessed))
    assert told(table) == []


def test_another_length_is_told_until_the_table_takes_note_and_nothing_else_of_it() -> None:
    table = Table(5)
    opened = table.events[0]
    assert isinstance(opened.payload, match.MatchOpened)
    table.amend(opened.entry_id, replace(opened.payload, crawford_played=True))
    assert told(table) == []
    longer = replace(opened.payload, length=7)
    table.amend(opened.entry_id, longer)
    assert told(table) == [("match.opened", None)]
    table.record(dispute.NoticeAcknowledged(target=opened.entry_id))
    noted = [("match.opened", table.replay.version)]
    assert told(table) == noted
    table.amend(opened.entry_id, replace(longer, crawford_played=True))
    assert told(table) == noted
    table.amend(opened.entry_id, opened.payload)
    assert told(table) == [("match.opened", None)]


def test_a_freeze_lasts_from_a_dispute_to_the_ruling_on_it() -> None:
    table = Table().turns(2)
    version = table.replay.version
    table.record(dispute.DisputeRaised(by=Actor.ONE))
    one = table.last
    table.roll("one", 61).play("one", "13/7 8/7")
    table.record(dispute.RulingMade(dispute="00000000-0000-4000-8000-999999999999"))
    [freeze] = freezes(table.replay)
    assert freeze == Freeze(one, version + 1, version)
    table.record(dispute.RulingMade(dispute=one))
    [freeze] = freezes(table.replay)
    assert freeze.settled == table.replay.version
    marked = [step.event.tag for step in table.replay.steps if frozen_by([freeze], step.event)]
    assert marked == ["dice.rolled", "play.made"]


def test_who_is_behind_the_table_sees_nothing_of_a_dispute_before_its_ruling() -> None:
    known = (Freeze("a", 10, 7, 15), Freeze("b", 20, 18))
    # Open: nothing after the frozen entry, however far behind.
    assert version_told(known, 25) == 18
    assert [version_told(known, at) for at in (5, 9, 14, 15, 17)] == [5, 7, 7, 15, 17]
    assert [is_awaited(known[:1], at) for at in (5, 9, 10, 14, 15)] == [
        *(False, False, True, True, False)
    ]


def test_a_dispute_that_was_taken_back_froze_nothing() -> None:
    table = Table().record(dispute.DisputeRaised(by=Actor.TWO))
    table.record(corrections.EntryRetracted(target=table.last))
    assert freezes(table.replay) == ()


def test_what_many_disputes_are_about_is_found_in_one_walk_through_the_match() -> None:
    """A table that disputes everything, or sends it again and again, must not stop a page."""
    table = Table().turns(2)
    accepted = table.last
    for _ in range(20):
        table.record(dispute.DisputeRaised(by=Actor.ONE, frozen_at=accepted))
        table.record(dispute.DirectorCalled(about=accepted))

    class Walked:
        walks = 0

        @property
        def steps(self) -> Sequence[Step]:
            self.walks += 1
            return whole.steps

    whole, walked = table.replay, Walked()
    found = spoken_of(cast("Replay", walked))
    assert len(found) == 20
    assert walked.walks <= 2
