"""Sentences: hashed alike whatever they are set in; what rests on none in hand is a question."""

from __future__ import annotations

import pytest

from events.payloads import clock, dispute
from events.payloads.dispute import Question
from events.values import Seat
from projections.folding.findings import Rest
from projections.replay import replay
from projections.rules import shelf
from projections.rules.answers import NOT_VERIFIED, Answer, settled
from projections.rules.profile import Contents, Hearing, RuleProfile, Rules
from projections.rules.sentences import (
    Known,
    Mark,
    held,
    is_in,
    normalised,
    sentence_hash,
)
from projections.rules.shelf import SHELF
from projections.rules.subjects.clock_terms import FlagFacts, StopFacts
from tests.bunches import in_bunches
from tests.projections.table import Table

LOST = "Whose hourglass is empty has lost the match."

# The hash.


@pytest.mark.parametrize(
    "alike",
    [
        "whose hourglass is EMPTY has lost the match",
        "  Whose hourglass\n  is empty\thas lost the match. ",
        "Whose hour-\nglass is empty has lost the match.",
        "Whose hour\u00adglass is empty has lost the match;",
        "\u201cWhose hourglass is empty has lost the match.\u201d",
        "Whose hourglass is empty has lost the match\u2009.",
    ],
)
def test_type_and_lines_make_no_difference_to_a_hash(alike: str) -> None:
    assert sentence_hash(alike) == sentence_hash(LOST)


def test_ligatures_quotes_and_dashes_are_one_kind() -> None:
    assert sentence_hash("the \ufb01rst \u2019un \u2013 no") == sentence_hash("the first 'un - no")
    assert normalised("a \u2014 b") == normalised("a\u2013b")


@pytest.mark.parametrize(
    "other",
    ["Whose hourglass is not empty has lost the match.", "Whose hourglass is empty has won.", ""],
)
def test_other_words_have_another_hash(other: str) -> None:
    assert sentence_hash(other) != sentence_hash(LOST)


# Whether a text has it.


@pytest.mark.parametrize(
    "text",
    [
        LOST,
        f"4.3 Time. {LOST} All else follows.",
        "(iii) Whose hourglass is empty\nhas lost the match.\n(iv) Warn each other.",
        "4.3 THE HOURGLASS Whose hour-\nglass is empty has lost the match! So be it.",
    ],
)
def test_a_text_has_a_sentence_whatever_stands_around_it(text: str) -> None:
    assert is_in(LOST, text)


@pytest.mark.parametrize(
    "text",
    [
        "Whose hourglass is empty has lost the match, unless the other's is empty too.",
        "It is not so that whose hourglass is empty has lost the match.",
        "Whose hourglass is empty has lost the matchbox.",
        "Whose hourglass is empty has lost. The match goes on.",
        "",
    ],
)
def test_a_text_with_an_exception_or_with_other_words_does_not_have_it(text: str) -> None:
    assert not is_in(LOST, text)


def test_a_part_of_a_sentence_is_found_within_one_and_nothing_is_in_no_text() -> None:
    assert is_in("or as the Director says", "Two minutes a point, or as the Director says, a day.")
    assert not is_in(" . ", "All. Of. It.")


# A text that is known by two sentences.

CONTENTS = Contents()
CLOCKS = CONTENTS.section("1", "the hourglass")
STOPS = CONTENTS.section("2", "when it is laid on its side")
KNOWN = Known()
EMPTY = KNOWN.sentence(CLOCKS, Mark.QUOTED, LOST, "a letter from a friend")
STOP = KNOWN.sentence(STOPS, Mark.PUBLISHED, "Nobody stops the glass.", "our notice board")
FLOOR = KNOWN.sentence(STOPS, Mark.PARAPHRASED, "but for fallen dice", "hearsay", part="floor")


def flag(facts: FlagFacts, rules: Rules) -> Answer:
    """Lost, by a sentence that a friend quoted."""
    answer = settled("match_lost", CLOCKS, loser=facts.loser, at="notice")
    return answer.resting_on(EMPTY, readings=("match_lost", "play_on"))


def stop(facts: StopFacts, rules: Rules) -> Answer:
    """Nobody; but somebody says that dice on the floor are another thing."""
    if facts.reason == "die_on_floor":
        return settled("may_stop", STOPS).resting_on(FLOOR, readings=("may_stop", "may_not_stop"))
    return settled("may_not_stop", STOPS).resting_on(STOP, readings=("may_not_stop",))


GLASS = RuleProfile(
    id="glass-1700",
    title="Rules of the hourglass",
    contents=CONTENTS,
    default_section=CLOCKS,
    hearing=Hearing(section=CLOCKS),
    sections={"clock.flag": CLOCKS, "clock.stop": STOPS},
    policies={"clock.flag": flag, "clock.stop": stop},
    sentences=KNOWN,
)

LOADED = {GLASS.id: {EMPTY: sentence_hash(LOST)}}


@pytest.fixture(autouse=True)
def glass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text stands on the shelf."""
    monkeypatch.setattr(shelf, "SHELF", {**SHELF, GLASS.id: GLASS})


def run_out() -> Table:
    """Seat one's time is noticed to be up."""
    table = Table(7, rule_set=GLASS.id).clock(reserve_s=0).game().opening(3, 1)
    return table.record(clock.ClockFlagNoticed(whose=clock.Flag.ONE))


def test_a_quoted_sentence_gives_a_question_that_leans_to_what_it_says() -> None:
    (found,) = [one for one in run_out().replay.findings if one.code == "flag-noticed"]
    asked = found.ruling_required
    assert asked is not None
    assert (asked.reason, asked.readings) == (NOT_VERIFIED, ("match_lost", "play_on"))
    assert asked.lean == "outcome match_lost, loser one, at notice"
    assert (found.verified, found.rests_on) == (False, (Rest(EMPTY, None),))
    assert run_out().replay.state.judged.outcome.winner is None


def test_a_text_that_has_the_sentence_turns_the_question_into_the_consequence() -> None:
    shown = replay(run_out().events, in_hand=LOADED)
    (found,) = [one for one in shown.findings if one.code == "flag-noticed"]
    assert (found.ruling_required, found.verified) == (None, True)
    assert found.rests_on == (Rest(EMPTY, sentence_hash(LOST)),)
    assert shown.state.judged.outcome.winner is Seat.TWO
    assert found.as_json()["rests_on"] == [{"sentence": "1", "sha256": sentence_hash(LOST)}]


def test_a_replay_goes_on_with_the_sentences_with_which_it_began() -> None:
    events = run_out().events
    whole = replay(events, in_hand=LOADED)
    for cut in range(len(events)):
        step_by_step = replay(events[:cut], in_hand=LOADED).extended(events[cut:])
        assert step_by_step.findings == whole.findings
        assert step_by_step.in_hand == LOADED
    assert whole.at(len(events) - 1).extended(events[-1:]).findings == whole.findings
    assert whole.at(0).in_hand == LOADED


def test_what_other_texts_have_helps_no_rule_set() -> None:
    other = {"common": LOADED[GLASS.id], GLASS.id: {"3": sentence_hash(LOST)}}
    assert replay(run_out().events, in_hand=other).findings == run_out().replay.findings


def test_a_director_may_rule_as_the_sentence_leans() -> None:
    table = run_out()
    question = Question(topic="clock.flag", at=table.last, seat=Seat.ONE)
    ruled = dispute.RulingMade(answers=(dispute.Answer(question=question, reading="match_lost"),))
    assert table.record(ruled).replay.state.judged.outcome.winner is Seat.TWO


def test_published_words_are_always_in_hand_and_a_paraphrase_only_by_its_sentence() -> None:
    assert held(KNOWN, {}) == {STOP: sentence_hash("Nobody stops the glass.")}
    rules = Rules(GLASS, held=held(KNOWN, {}))
    assert rules.ask("clock.stop", StopFacts("tea")) == settled("may_not_stop", STOPS).resting_on(
        STOP, readings=("may_not_stop",)
    ).as_held(rules.held)
    assert not rules.ask("clock.stop", StopFacts("tea")).is_open
    assert rules.ask("clock.stop", StopFacts("die_on_floor")).reason == NOT_VERIFIED
    named = Rules(GLASS, held=held(KNOWN, {FLOOR: sentence_hash("Fallen dice stop it.")}))
    answer = named.ask("clock.stop", StopFacts("die_on_floor"))
    assert (answer.outcome, answer.readings, answer.verified) == ("may_stop", (), True)


def test_an_answer_that_rests_on_two_sentences_needs_both() -> None:
    both = settled("lost", CLOCKS).resting_on(EMPTY).resting_on(FLOOR)
    assert both.as_held({EMPTY: "x"}).is_open
    assert both.as_held({EMPTY: "x", FLOOR: "y"}).outcome == "lost"


def test_a_question_stays_one_whatever_is_in_hand() -> None:
    asked = Rules(GLASS).gap("clock.flag", None).resting_on(EMPTY)
    assert asked.as_held({EMPTY: "x"}).is_open


@in_bunches("rule_set", SHELF)
def test_every_answer_of_a_text_read_as_a_whole_rests_on_it(rule_set: str) -> None:
    profile = SHELF[rule_set]
    assert bool(profile.sentences) is (profile.read_from is None)
