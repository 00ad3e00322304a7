"""Discretion: what a reader is shown of a match in play, entry by entry and as a whole."""

from __future__ import annotations

from events.payloads import match
from events.payloads.access import Role, ScopeKind
from projections.custody.access import Grant
from projections.views.discretion import EVERYTHING, HELD_BACK, discretion, rules_on
from tests.projections.table import Table


def test_of_a_match_that_has_not_begun_nothing_but_the_facts_is_told() -> None:
    told = discretion(Table().replay, is_trusted=False)
    assert not told.tells_match
    assert not told.tells(1)


def test_a_game_that_is_played_is_held_back_from_its_first_entry_on() -> None:
    table = Table().game().win().game().turns(1)
    started = [event.version for event in table.events if event.tag == "game.started"][1]
    told = discretion(table.replay, is_trusted=False)
    assert told.held_from == started
    assert told.tells(started - 1)
    assert not told.tells(started)
    assert told.held_back == HELD_BACK


def test_between_games_the_games_are_told_and_the_match_is_not() -> None:
    table = Table().game().win()
    told = discretion(table.replay, is_trusted=False)
    assert told.tells(table.replay.version)
    assert not told.tells_match


def test_whoever_rules_is_told_everything() -> None:
    assert discretion(Table().game().replay, is_trusted=True) == EVERYTHING
    assert EVERYTHING.held_back is None


def test_a_match_that_is_over_is_told() -> None:
    assert discretion(Table(1).game().win().replay, is_trusted=False) == EVERYTHING
    table = Table().game().turns(2)
    table.record(match.MatchEnded())
    assert discretion(table.replay, is_trusted=False) == EVERYTHING


def test_an_earlier_moment_of_a_match_that_is_over_is_told() -> None:
    whole = Table(1).game().win().replay
    now = discretion(whole, is_trusted=False)
    assert now.tells(3)
    assert not discretion(whole.at(3), is_trusted=False).tells(3)


def test_those_rule_who_hold_such_a_role_over_the_match() -> None:
    def grant(role: Role, **more: str) -> Grant:
        kind = ScopeKind.MATCH if more else ScopeKind.LOG
        return Grant(grant_id="g", role=role, kind=kind, log_id="club", **more)

    ruling = {role for role in Role if rules_on([grant(role)], "club", "m1")}
    assert ruling == {Role.ARCHIVIST, Role.DIRECTOR, Role.COMMITTEE}
    assert not rules_on([grant(Role.DIRECTOR)], "other", "m1")
    assert not rules_on([grant(Role.COMMITTEE, match="m2")], "club", "m1")
    assert not rules_on([], "club", "m1")
