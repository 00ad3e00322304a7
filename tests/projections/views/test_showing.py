"""What each reader is shown of a match: by the rule set of the match and by the reader's role."""

from __future__ import annotations

import pytest

from events.payloads import appeal, custody, dispute, penalty
from events.payloads.access import Role, ScopeKind
from events.payloads.base import Actor, Payload
from events.personal import Commitment
from events.values import ONE, TWO
from projections.custody.access import Grant
from projections.rules.shelf import SHELF
from projections.views.showing import (
    People,
    Reader,
    Showing,
    Why,
    first_ruling_on,
    hearing_of,
    is_telling,
    marks_of,
    people_in_list,
    reader_of,
    showing,
)
from projections.views.words import words_of
from tests.projections.table import Table

SD = Commitment("0" * 64)

SAID: dict[str, Payload] = {
    "dispute.raised": dispute.DisputeRaised(
        by=Actor.ONE, readings=(dispute.Reading(by=Actor.ONE, says=SD),)
    ),
    "testimony.given": dispute.TestimonyGiven(role=Actor.SPECTATOR, says=SD),
    "ruling.made": dispute.RulingMade(facts=SD, decision=SD, intended_action=SD),
    "appeal.filed": appeal.AppealFiled(seat=TWO, target="0" * 8, ground=SD),
}
"""An entry of each of these types, with every one of its words."""

PERSONAL = ("players.one.0.name", "players.two.0.federation_id", "table", "round")

ALL = [
    "says",
    "readings.0.says",
    "ground",
    "facts",
    "decision",
    "intended_action",
    "name",
    "table",
    "recorder",
    "file",
    "after",
]

GIVEN = {
    "usbgf-2017-07": ALL,
    "usbgf-2017-09": ALL,
    "wbgf-2.1": ALL,
    "usbgf-2024": ALL,
    "wbgt-2010": ALL,
    "biba-2014": ["says", "readings.0.says"],
    "fcbg-tournament": ALL,
    "fcbg-club": [
        "says",
        "readings.0.says",
        "ground",
        "facts",
        "decision",
        "intended_action",
        "after",
    ],
    "common": [
        "says",
        "readings.0.says",
        "ground",
        "facts",
        "decision",
        "intended_action",
        "after",
    ],
}
"""What the committee of each rule set is given (rules.md §8); `after`: from the first ruling on."""


def case(rule_set: str | None, *more: Payload) -> Table:
    """A match in which a ruling was made and appealed."""
    table = Table(7, rule_set=rule_set).game().turns(2)
    for payload in (SAID["dispute.raised"], SAID["testimony.given"], dispute.RulingMade()):
        table.record(payload)
    table.record(appeal.AppealFiled(seat=TWO, target=table.last, ground=SD))
    for payload in more:
        table.record(payload)
    return table


def given(shown: Showing, last: int) -> list[str]:
    """Which of `ALL` a reader is shown."""
    found = [
        word.path
        for tag, payload in SAID.items()
        for word in words_of(payload)
        if shown.why(payload, tag, word.path, "the dice were cocked") is None
    ]
    for name, path in (("name", PERSONAL[0]), ("table", "table")):
        found += [name] if shown.why(None, "match.opened", path, "4") is None else []
    found += ["recorder"] if shown.why_recorder() is None else []
    found += ["file"] if shown.why_file() is None else []
    found += ["after"] if shown.last == last else []
    return found


def test_every_rule_set_says_what_its_committee_is_given() -> None:
    assert set(GIVEN) == set(SHELF)
    for profile in SHELF.values():
        assert profile.caption(profile.hearing.section), profile.id
        assert not profile.hearing.unstated & profile.hearing.withholds, profile.id


@pytest.mark.parametrize("rule_set", GIVEN)
def test_a_committee_is_given_what_its_rule_set_gives_and_nothing_else(rule_set: str) -> None:
    table = case(rule_set)
    shown = showing(table.replay, Reader.COMMITTEE)
    assert sorted(given(shown, table.replay.version)) == sorted(GIVEN[rule_set])


@pytest.mark.parametrize("rule_set", GIVEN)
@pytest.mark.parametrize("reader", [Reader.DIRECTOR, Reader.VIEWER, Reader.SCRIBE])
def test_the_rule_set_hides_nothing_from_anybody_but_the_committee(
    rule_set: str, reader: Reader
) -> None:
    table = case(rule_set)
    assert sorted(given(showing(table.replay, reader), table.replay.version)) == sorted(ALL)


@pytest.mark.parametrize("rule_set", GIVEN)
def test_the_public_is_shown_what_a_hall_posts_and_no_words(rule_set: str) -> None:
    table = case(rule_set)
    shown = showing(table.replay, Reader.PUBLIC)
    assert given(shown, table.replay.version) == ["name", "table", "after"]
    for member in ("event", "round", "date"):
        assert shown.why(None, "match.opened", member, "x") is None
        # The same word in another entry is another value.
        assert shown.why(None, "ruling.made", member, "x") is Why.NOT_PUBLIC
    for member in ("place", "transcriber", "players.one.0.club", "source.name", "appointed_start"):
        assert shown.why(None, "match.opened", member, "x") is Why.NOT_PUBLIC
    payload = SAID["ruling.made"]
    assert shown.why(payload, "ruling.made", "facts", "x") is Why.NOT_PUBLIC


@pytest.mark.parametrize(
    ("rule_set", "unstated", "is_in_hand", "knows"),
    [
        ("usbgf-2017-07", [], True, True),
        ("usbgf-2017-09", ["first_ruling", "players"], False, True),
        ("biba-2014", [], True, True),
        ("fcbg-tournament", ["first_ruling"], True, True),
        ("fcbg-club", ["first_ruling"], True, False),
        ("common", ["first_ruling"], True, False),
    ],
)
def test_what_a_text_does_not_say_is_given_and_flagged(
    rule_set: str, unstated: list[str], is_in_hand: bool, knows: bool
) -> None:
    hearing = hearing_of(rule_set)
    assert sorted(hearing.unstated) == unstated
    assert (hearing.is_in_hand, hearing.knows_appeals) == (is_in_hand, knows)


def test_a_text_that_knows_no_appeals_says_so_and_not_that_it_keeps_secrets() -> None:
    shown = showing(case("common").replay, Reader.COMMITTEE)
    assert shown.why_recorder() is Why.NO_APPEALS


def test_the_first_ruling_is_cut_by_prefix_and_not_by_type() -> None:
    table = case("biba-2014")
    ruled = next(s.event.version for s in table.replay.steps if s.event.tag == "ruling.made")
    shown = showing(table.replay, Reader.COMMITTEE)
    assert (shown.last, shown.cut) == (ruled - 1, Why.FIRST_RULING)
    assert not shown.is_followed


def test_an_older_ruling_that_nobody_appeals_is_shown() -> None:
    table = Table(7, rule_set="biba-2014").game().turns(1)
    table.record(dispute.RulingMade())
    table.turns(1)
    table.record(dispute.RulingMade())
    ruled = table.replay.version
    table.record(appeal.AppealFiled(seat=ONE, target=table.last))
    assert showing(table.replay, Reader.COMMITTEE).last == ruled - 1


def ruled_twice(*, between: bool, named: bool = False) -> tuple[Table, int, str]:
    """A dispute ruled on twice: the match, the first version, the appeal on the second."""
    table = Table(7, rule_set="biba-2014").game().turns(1)
    about = table.record(dispute.DisputeRaised(by=Actor.ONE)).last
    first = table.record(dispute.RulingMade(dispute=about if named else None)).replay.version
    if between:
        table.turns(1)
    table.record(dispute.RulingMade(dispute=about if named else None))
    case_id = table.record(appeal.AppealFiled(seat=ONE, target=table.last)).last
    return table, first, case_id


@pytest.mark.parametrize(
    ("between", "named", "is_first"),
    [(False, False, True), (False, True, True), (True, True, True), (True, False, False)],
)
def test_a_second_ruling_on_one_dispute_does_not_tell_the_first(
    between: bool, named: bool, is_first: bool
) -> None:
    table, first, case_id = ruled_twice(between=between, named=named)
    cut = first if is_first else table.replay.version - 1
    assert first_ruling_on(table.replay, case_id) == cut
    assert showing(table.replay, Reader.COMMITTEE).last == cut - 1


def test_an_appeal_against_a_penalty_is_cut_before_the_ruling_that_came_with_it() -> None:
    table = Table(7, rule_set="biba-2014").game().turns(1)
    table.record(dispute.DisputeRaised(by=Actor.ONE))
    ruled = table.record(dispute.RulingMade()).replay.version
    table.record(penalty.PenaltyAssessed(seat=ONE, points=1))
    table.record(appeal.AppealFiled(seat=ONE, target=table.last))
    assert showing(table.replay, Reader.COMMITTEE).last == ruled - 1


def test_before_any_appeal_the_first_ruling_is_kept_from_a_committee() -> None:
    table = Table(7, rule_set="biba-2014").game().turns(1)
    assert showing(table.replay, Reader.COMMITTEE).cut is None
    table.record(dispute.RulingMade())
    assert showing(table.replay, Reader.COMMITTEE).last == table.replay.version - 1


def test_an_appeal_against_nothing_known_cuts_no_later_than_the_first_ruling() -> None:
    table = Table(7, rule_set="biba-2014").game().turns(1)
    table.record(dispute.RulingMade())
    ruled = table.replay.version
    table.turns(1)
    table.record(appeal.AppealFiled(seat=ONE, target="00000000-0000-4000-8000-0000000000ff"))
    assert showing(table.replay, Reader.COMMITTEE).last == ruled - 1


def test_once_decided_a_committee_sees_the_ruling_and_names_only_when_unsealed() -> None:
    decided = appeal.AppealDecided(outcome=appeal.AppealOutcome.UPHELD)
    shown = showing(case("biba-2014", decided).replay, Reader.COMMITTEE)
    assert (shown.cut, shown.people) == (None, People.NONE)
    unsealed = custody.PackUnsealed(pack="00000000-0000-4000-8000-0000000000ff")
    shown = showing(case("biba-2014", decided, unsealed).replay, Reader.COMMITTEE)
    assert shown.people is People.ALL
    early = showing(case("biba-2014", unsealed).replay, Reader.COMMITTEE)
    assert early.people is People.NONE, "unsealed before the decision"


def test_a_second_appeal_that_is_open_keeps_its_ruling() -> None:
    decided = appeal.AppealDecided(outcome=appeal.AppealOutcome.UPHELD)
    table = case("biba-2014", decided)
    table.record(dispute.RulingMade())
    ruled = table.replay.version
    table.record(appeal.AppealFiled(seat=ONE, target=table.last))
    assert showing(table.replay, Reader.COMMITTEE).last == ruled - 1


@pytest.mark.parametrize("reader", [Reader.VIEWER, Reader.SCRIBE])
def test_sealed_testimony_is_kept_from_whoever_may_play(reader: Reader) -> None:
    sealed = dispute.TestimonyGiven(role=Actor.SPECTATOR, says=SD, sealed=True)
    for rule_set in GIVEN:
        replay = case(rule_set, sealed).replay
        told = showing(replay, reader).why(sealed, "testimony.given", "says", "x")
        assert told is Why.KEPT_FROM_PLAYERS
        for trusted in (Reader.DIRECTOR, Reader.COMMITTEE):
            assert showing(replay, trusted).why(sealed, "testimony.given", "says", "x") is None


OPENING = [
    ("players.one.0.name", "Bo Núñez-O'Brien"),
    ("players.two.0.name", "李小龍"),
    ("players.two.0.federation_id", "GER-4711"),
    ("table", "4"),
    ("round", "Semifinal"),
    ("event", "Lantern Open"),
    ("transcriber", "Ann Lee"),
]


@pytest.mark.parametrize(
    "text",
    [
        "NUNEZ rolled",
        "it was Bo's roll",
        "o brien lifted it",
        "李小龍說",
        "ger 4711",
        "in the semifinal",
        "Bó rolled",
        "N\u200bunez rolled",
        "the scribe Ann saw it",
        "Núñezs Wurf",
    ],
)
def test_words_that_name_a_player_are_kept_from_a_committee_that_must_not_know(text: str) -> None:
    marks = marks_of(OPENING)
    shown = showing(case("biba-2014").replay, Reader.COMMITTEE, marks)
    payload = SAID["testimony.given"]
    assert shown.why(payload, "testimony.given", "says", text) is Why.NAMES_SOMEBODY
    usbgf = showing(case("usbgf-2017-07").replay, Reader.COMMITTEE, marks)
    assert usbgf.why(payload, "testimony.given", "says", text) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Jörg Müller", "Mueller rolled"),
        ("Joerg Mueller", "der Wurf von Jörg"),
        ("Søren Åkesson", "Soeren lifted it"),
        ("Søren Åkesson", "Soren lifted it"),
        ("Soren Aakesson", "ÅKESSON"),
        ("Stanisław", "Stanislaw saw it"),
        ("Bjørn Æbelø", "Aebeloe's dice"),
    ],
)
def test_a_name_is_known_in_the_other_spelling_of_its_letters(name: str, text: str) -> None:
    marks = marks_of([("players.one.0.name", name)])
    assert is_telling(text, marks)
    assert not is_telling("der Würfel lag schief, true as it is", marks)


@pytest.mark.parametrize(
    "text", ["he rolled 4 and 2 on the board", "one lifted the dice early", "Lantern light"]
)
def test_words_that_name_nobody_are_given(text: str) -> None:
    assert not is_telling(text, marks_of(OPENING))


def test_of_several_grants_the_one_that_is_shown_most_counts() -> None:
    def grant(role: Role, match: str | None = None) -> Grant:
        kind = ScopeKind.LOG if match is None else ScopeKind.MATCH
        return Grant("g", role, kind, "club", match)

    assert reader_of([], "club", "m1") is Reader.PUBLIC
    assert reader_of([grant(Role.COMMITTEE, "m1")], "club", "m1") is Reader.COMMITTEE
    assert reader_of([grant(Role.COMMITTEE, "m2")], "club", "m1") is Reader.PUBLIC
    both = [grant(Role.COMMITTEE), grant(Role.DIRECTOR)]
    assert reader_of(both, "club", "m1") is Reader.DIRECTOR


def test_a_list_shows_no_more_than_the_match_would() -> None:
    for rule_set in GIVEN:
        shown = showing(case(rule_set).replay, Reader.COMMITTEE)
        assert people_in_list(Reader.COMMITTEE, rule_set) is shown.people
    assert people_in_list(Reader.COMMITTEE, None) is People.NONE
    assert people_in_list(Reader.COMMITTEE, "of-another-program") is People.NONE
