"""Rulings on endings: resignations, claims, and what a game counts; each reading, and after it."""

from __future__ import annotations

import pytest
from rulings import ruled
from table import Table

from events.envelope import Basis
from events.payloads import appeal, dispute, ending
from events.payloads.base import Actor, WinKind
from events.values import Seat
from projections.facts.flow_state import Await
from projections.folding.findings import Finding
from projections.rules.answers import Answer

ONE, TWO = Seat.ONE, Seat.TWO

CONTACT = ("6:5 8:3 13:5 24:2", "6:5 8:3 13:5 24:2")
RACE = ("4:4 5:5 6:5 10:1", "off:12 1:3")
"""One is about to lose, two to roll."""


def at(board: tuple[str, str], rule_set: str, *, length: int = 7) -> Table:
    table = Table(length, rule_set=rule_set).game().cube_is(2, "two")
    return table.stated(*board, on_roll=TWO)


def resigned(board: tuple[str, str], rule_set: str, level: str = "single") -> Table:
    return at(board, rule_set).resign("one", level)


def answer(table: Table) -> Answer:
    kept = table.state.judged.endings.answer
    assert kept is not None
    return kept


def waits(table: Table) -> tuple[Await, Seat | None]:
    return table.state.flow.awaits, table.state.flow.to_act


# Resignations.


@pytest.mark.parametrize("rule_set", ["biba-2014", "fcbg-tournament"])
def test_a_game_that_is_given_by_ruling_leaves_no_double_waiting(rule_set: str) -> None:
    """One was doubled and resigned: the opponent would not have it, and the Director did."""
    table = Table(rule_set=rule_set).scene("race", "two").double("two").resign("one").refuse("two")
    assert table.state.cube.offered_by is TWO
    (asked,) = table.replay.open_questions
    ruled(table, "resignation.validity", "game_won")
    assert (table.score, waits(table)) == ((0, 1), (Await.GAME, None))
    assert table.state.cube.offered_by is None
    # He thinks again: it waits as before.
    topic, at_entry = "resignation.validity", asked.entry_id
    question = dispute.Question(topic=topic, at=at_entry, seat=asked.seat)
    anew = dispute.Answer(question=question, reading="play_on")
    table.record(dispute.RulingMade(answers=(anew,)), basis=Basis.RULED)
    assert (table.score, waits(table)) == ((0, 0), (Await.ANSWER, ONE))
    assert table.state.cube.offered_by is TWO


@pytest.mark.parametrize(
    ("reading", "score", "awaits"),
    [
        ("game_won", (0, 2), (Await.GAME, None)),
        ("not_allowed", (0, 0), (Await.ROLL, TWO)),
    ],
)
def test_an_accepted_resignation_with_contact(
    reading: str, score: tuple[int, int], awaits: tuple[Await, Seat | None]
) -> None:
    before = at(CONTACT, "biba-2014").state
    table = resigned(CONTACT, "biba-2014").accept("two")
    assert table.score == (0, 2)
    ruled(table, "resignation.validity", reading)
    assert (table.score, waits(table), answer(table).outcome) == (score, awaits, reading)
    if reading == "not_allowed":
        assert (table.state.flow, table.state.cube) == (before.flow, before.cube)
        assert table.turn("two", 61, "13/7 8/7").codes == ["ending-open"]


@pytest.mark.parametrize(("reading", "points"), [("game_won", 2), ("play_on", 0)])
def test_a_refused_resignation_is_adjudicated(reading: str, points: int) -> None:
    table = resigned(RACE, "biba-2014").refuse("two")
    ruled(table, "resignation.validity", reading)
    assert table.score == (0, points)
    assert waits(table) == ((Await.GAME, None) if points else (Await.ROLL, TWO))
    if points:
        assert table.state.score.games[-1].ended_by == "ruling"
        assert table.won("two", 2).found == []


def test_a_ruling_on_a_resignation_that_comes_after_the_next_game_has_begun_moves_nothing() -> None:
    table = resigned(CONTACT, "biba-2014").accept("two").game()
    ruled(table, "resignation.validity", "not_allowed")
    assert (table.score, answer(table).outcome) == ((0, 2), "not_allowed")
    assert table.state.flow.in_game


def test_a_refused_resignation_is_not_given_once_play_has_gone_on() -> None:
    table = resigned(RACE, "biba-2014").refuse("two").roll("two", 21)
    assert ruled(table, "resignation.validity", "game_won").score == (0, 0)


def test_a_match_that_a_resignation_ended_goes_on_with_the_game() -> None:
    table = at(CONTACT, "biba-2014", length=2).resign("one", "single").accept("two")
    assert table.state.score.winner is TWO
    ruled(table, "resignation.validity", "not_allowed")
    assert (table.state.score.winner, table.state.judged.endings.match) == (None, None)


@pytest.mark.parametrize("reading", ["none", "sanction"])
def test_a_sanction_is_ruled_beside_the_ending(reading: str) -> None:
    table = resigned(("4:4 5:4 6:5 9:2", "off:13 1:2"), "biba-2014").accept("two")
    ruled(table, "ending.sanction", reading)
    assert (answer(table).outcome, answer(table).also["sanction"].outcome) == (
        "not_allowed",
        reading,
    )


# Claims.


def claimed(level: WinKind | None = WinKind.GAMMON) -> Table:
    claim = ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=TWO, level=level)
    return at(RACE, "usbgf-2017-07").record(claim, basis=Basis.CLAIMED_BY_TWO)


@pytest.mark.parametrize(("reading", "points"), [("likely", 4), ("certain", 0)])
def test_a_claim_holds_as_it_is_ruled(reading: str, points: int) -> None:
    table = ruled(claimed(), "claim.validity", reading)
    assert (table.score, table.state.flow.in_game) == ((0, points), not points)
    assert answer(table).outcome == reading


def test_a_text_that_is_not_in_hand_takes_the_plain_words() -> None:
    for reading, points in (("game_won", 2), ("not_allowed", 0), ("play_on", 0)):
        table = at(RACE, "usbgf-2017-09")
        claim = ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=TWO)
        table.record(claim, basis=Basis.CLAIMED_BY_TWO)
        assert ruled(table, "claim.validity", reading).score == (0, points)


@pytest.mark.parametrize(("reading", "points"), [("game_won", 2), ("not_allowed", 0)])
def test_a_claim_that_the_opponent_grants_is_ruled_like_a_resignation(
    reading: str, points: int
) -> None:
    table = at(CONTACT, "biba-2014")
    claim = ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=TWO, level=WinKind.SINGLE)
    table.record(claim, basis=Basis.CLAIMED_BY_TWO)
    table.record(ending.ClaimRuled(target=table.last, holds=True, by=Actor.ONE))
    assert ruled(table, "resignation.validity", reading).score == (0, points)


@pytest.mark.parametrize(("reading", "points"), [("game_won", 4), ("play_on", 0)])
def test_fifteen_are_off_and_one_is_left(reading: str, points: int) -> None:
    table = at(("6:15", "off:15 1:1"), "biba-2014")
    claim = ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=TWO)
    table.record(claim, basis=Basis.CLAIMED_BY_TWO)
    assert ruled(table, "game.over", reading).score == (0, points)


@pytest.mark.parametrize("reading", ["not_allowed", "allowed"])
def test_a_wish_to_end_otherwise_is_ruled_and_carried_out_by_what_is_recorded(reading: str) -> None:
    table = at(CONTACT, "common")
    wish = ending.ClaimMade(kind=ending.ClaimKind.SETTLE_GAME, seats=(ONE, TWO))
    ruled(table.record(wish, basis=Basis.AGREED), "completion.waiver", reading)
    assert (answer(table).outcome, table.state.flow.in_game) == (reading, True)


# What a game counts.


@pytest.mark.parametrize(("reading", "points"), [("gammon", 4), ("backgammon", 6)])
def test_a_loser_without_fifteen_checkers_loses_what_is_ruled(reading: str, points: int) -> None:
    table = at(("6:13 bar:1", "off:14 2:1"), "usbgf-2017-07").turn("two", 65, "2/off")
    assert table.score == (0, 6)
    ruled(table, "game.value", reading)
    last = table.state.score.games[-1]
    assert (table.score, last.kind, last.points) == ((0, points), reading, points)
    assert answer(table).outcome == reading
    match_now = table.state.judged.endings.match
    assert match_now is not None
    assert match_now.details["points"] == points


# Questions that nobody raised.


def raised(table: Table, entry: str | None) -> Table:
    return table.record(dispute.DirectorCalled(about=entry))


@pytest.mark.parametrize("rule_set", ["common", None])
def test_a_resignation_that_nobody_doubts_raises_no_question(rule_set: str | None) -> None:
    table = Table(7, rule_set=rule_set).game().turns(2).resign("one").accept("two")
    assert table.codes == []
    assert raised(table, None).codes == []
    assert raised(table, table.events[0].entry_id).codes == []


@pytest.mark.parametrize("named", ["offer", "answer", "topic"])
def test_a_resignation_that_somebody_doubts_is_asked_about_once(named: str) -> None:
    table = resigned(RACE, "common")
    offer = table.last
    entry = table.accept("two").last
    if named == "topic":
        doubt = dispute.DisputeRaised(by=Actor.ONE, topic="resignation.validity")
        table.record(doubt)
    else:
        raised(table, offer if named == "offer" else entry)
    assert table.found == ["ending-open"]
    assert raised(table, entry).found == []


@pytest.mark.parametrize(
    ("answered", "reading", "score"),
    [
        ("accept", "game_won", (0, 2)),
        ("accept", "not_allowed", (0, 0)),
        ("refuse", "game_won", (0, 2)),
        ("refuse", "play_on", (0, 0)),
    ],
)
def test_a_doubted_resignation_ends_the_game_as_ruled(
    answered: str, reading: str, score: tuple[int, int]
) -> None:
    table = resigned(RACE, "common")
    getattr(table, answered)("two")
    ruled(raised(table, table.last), "resignation.validity", reading)
    assert (table.score, answer(table).outcome) == (score, reading)
    assert table.state.flow.in_game is (score == (0, 0))


# Claims on which the Director rules twice.


def claim_ruled(table: Table, claim: str, holds: bool) -> tuple[tuple[int, int], Seat | None]:
    table.record(ending.ClaimRuled(target=claim, holds=holds))
    return table.score, table.state.flow.on_roll


def test_a_claim_is_what_the_director_says_last_while_nothing_was_played_since() -> None:
    """Also where the opponent had agreed to it, and after an appeal had it open again."""
    table = at(("off:13 1:2", "5:4 6:6 8:3 13:2"), "usbgf-2017-07")
    claimed = ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=ONE, level=WinKind.GAMMON)
    claim = table.record(claimed).last
    goes_on, is_over = ((0, 0), TWO), ((4, 0), None)
    table.record(ending.ClaimRuled(target=claim, holds=True, by=Actor.TWO))
    assert (table.score, table.state.flow.on_roll) == is_over
    assert claim_ruled(table, claim, holds=False) == goes_on
    assert claim_ruled(table, claim, holds=True) == is_over
    table.record(appeal.AppealFiled(seat=TWO, target=table.last))
    table.record(appeal.AppealDecided(outcome=appeal.AppealOutcome.REVERSED))
    assert (table.score, table.state.flow.on_roll) == is_over
    assert claim_ruled(table, claim, holds=False) == goes_on
    table.turn("two", 65, "13/8 13/7")
    assert claim_ruled(table, claim, holds=True) == ((0, 0), ONE)


def test_a_claim_that_won_the_match_is_ruled_anew_after_its_end_was_entered() -> None:
    """As an appeal has it: the match is said to be over, and then the Director rules otherwise."""
    table = Table(1, rule_set="usbgf-2017-07").game().scene("race")
    claimed = ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=ONE, level=WinKind.SINGLE)
    claim = table.record(claimed).last
    assert claim_ruled(table, claim, holds=True) == ((1, 0), None)
    table.ended("one", (1, 0))
    assert claim_ruled(table, claim, holds=False) == ((0, 0), ONE)
    assert not table.state.score.has_ended


# Where no sentence in hand says that a drop ends a game, or points a match.


def test_a_drop_that_does_not_end_the_game_leaves_the_double_waiting() -> None:
    table = Table(7, rule_set="wbgf-2.1").game().turns(2).double("one").drop("two")
    assert (table.score, table.state.flow.in_game) == ((1, 0), False)
    ruled(table, "game.dropped", "play_on")
    assert (table.score, waits(table)) == ((0, 0), (Await.ANSWER, TWO))
    table.take("two")
    assert (table.found, table.state.cube.value, table.state.cube.owner) == ([], 2, TWO)
    assert waits(table) == (Await.ROLL, ONE)
    # It says nothing of the next drop.
    table.turn("one", 61, "13/7 8/7").double("two").drop("one")
    assert (table.found, table.score) == (["ending-open"], (0, 2))


@pytest.mark.parametrize("rule_set", ["wbgf-2.1", "usbgf-2024"])
def test_a_match_that_is_ruled_to_go_on_is_won_by_nobody_until_somebody_says_so(
    rule_set: str,
) -> None:
    table = Table(7, rule_set=rule_set).score_is(5, 4).win("gammon").ended("one")
    assert (table.state.judged.outcome.winner, table.state.has_ended) == (ONE, True)
    ruled(table, "match.end", "match_continues")
    assert (table.state.judged.outcome.winner, table.state.has_ended) == (None, False)
    assert waits(table) == (Await.GAME, None)
    table.game()
    assert "game-after-match" not in table.found
    table.win("single", "two")
    assert (table.state.judged.outcome.winner, waits(table)) == (None, (Await.GAME, None))
    table.ended("one")
    assert (table.state.judged.outcome.winner, table.found) == (ONE, [])


def test_a_match_that_is_ruled_won_after_all_is_over_as_before() -> None:
    table = Table(7, rule_set="wbgf-2.1").score_is(6, 4).win()
    before = table.state
    asked = [each for each in table.replay.open_questions if _topic(each) == "match.end"]
    question = dispute.Question(topic="match.end", at=asked[0].entry_id, seat=asked[0].seat)
    for reading in ("match_continues", "match_won"):
        answer = dispute.Answer(question=question, reading=reading)
        table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
    assert (table.state.flow, table.state.score) == (before.flow, before.score)
    assert table.state.judged.outcome.winner is ONE


def _topic(finding: Finding) -> str | None:
    return None if finding.ruling_required is None else finding.ruling_required.topic


def test_a_ruling_that_takes_a_drop_back_answers_what_else_it_answers() -> None:
    table = Table(7, rule_set="wbgf-2.1", score=(6, 3)).game().turns(1).double("two").drop("one")
    chosen = {"game.dropped": "play_on", "crawford.phase": "adopted"}
    answers = [
        dispute.Answer(
            question=dispute.Question(topic=topic, at=one.entry_id, seat=one.seat),
            reading=chosen[topic],
        )
        for one in table.replay.open_questions
        if one.ruling_required and (topic := one.ruling_required.topic) in chosen
    ]
    assert len(answers) == 2
    table.record(dispute.RulingMade(answers=tuple(answers)), basis=Basis.RULED)
    assert (table.score, table.state.flow.in_game) == ((6, 3), True)
    assert table.state.score.is_crawford_game
