"""The fold of the tournament: its description, rules, defaults, and whether it is closed."""

from __future__ import annotations

from events.envelope import Basis, RecordedEvent
from events.payloads.base import Option, Payload
from events.payloads.clock import ClockKind
from events.payloads.match import ClockTerms, Publication
from events.payloads.tournament import (
    TournamentClosed,
    TournamentDefaultsDeclared,
    TournamentDescribed,
    TournamentOpened,
    TournamentReopened,
    TournamentRulesDeclared,
    TournamentRulesVaried,
)
from events.personal import Commitment
from projections.facts.tournament import Tournament, fold_tournament
from tests.projections.table import ENTRY

PLACE = Commitment(sd="0" * 64)
OTHER = Commitment(sd="1" * 64)


def after(*payloads: Payload) -> Tournament:
    events = [
        RecordedEvent(version, ENTRY.format(version), "", Basis.OBSERVED, payload)
        for version, payload in enumerate(payloads, 1)
    ]
    whole = fold_tournament(events)
    assert fold_tournament(events, fold_tournament(events[:1])) == whole
    return whole


def test_a_description_takes_the_place_of_what_was_said_before_as_a_whole() -> None:
    opened = TournamentOpened(title="Open", place=PLACE, starts_on=OTHER)
    assert after(opened).place == PLACE
    now = after(opened, TournamentDescribed(title="Bergen Open", ends_on=OTHER))
    assert (now.title, now.place, now.starts_on, now.ends_on) == ("Bergen Open", None, None, OTHER)


def test_rules_that_are_varied_leave_the_other_options_as_declared() -> None:
    declared = TournamentRulesDeclared(
        rule_set="biba-2014", options={"crawford": Option(value="on"), "rated": Option(value=True)}
    )
    varied = TournamentRulesVaried(options={"rated": Option(value=False)})
    now = after(TournamentOpened(title="Open"), declared, varied)
    assert now.rule_set == "biba-2014"
    assert {key: option.value for key, option in now.options.items()} == {
        "crawford": "on",
        "rated": False,
    }
    assert after(declared, varied, TournamentRulesDeclared(rule_set="common")).options == {}


def test_nothing_is_public_or_clocked_unless_somebody_has_said_so() -> None:
    now = after(TournamentOpened(title="Open"))
    assert (now.publication, now.clock_terms, now.length, now.rule_set) == (None, None, None, None)


def test_new_defaults_take_the_place_of_the_old_ones_as_a_whole() -> None:
    terms = ClockTerms(kind=ClockKind.SIMPLE, reserve_ms=600_000, delay_ms=12_000)
    first = TournamentDefaultsDeclared(
        length=7, clock_terms=terms, publication=Publication(public=True, delay_ms=300_000)
    )
    assert after(first).clock_terms == terms
    now = after(first, TournamentDefaultsDeclared(length=9))
    assert (now.length, now.clock_terms, now.publication) == (9, None, None)


def test_a_tournament_that_was_closed_by_mistake_goes_on() -> None:
    assert after(TournamentClosed()).is_closed
    assert not after(TournamentClosed(), TournamentReopened()).is_closed
