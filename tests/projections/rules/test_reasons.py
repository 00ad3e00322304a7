"""Why two rule sets differ: read off their answers, the same for every pair of texts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import MappingProxyType

import own
import pytest
from msgspec.structs import replace
from subjects import SUBJECTS

from api.html.entry_words import sentence
from api.html.texts import LANGUAGES, texts_of
from events.values import Seat
from projections.folding.sayings import Said
from projections.rules.answers import Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules
from projections.rules.shelf import SHELF
from projections.rules.subjects.appeals import APPEAL_OUTCOME, Ballot, Poll
from projections.rules.subjects.results import RESULT_CORRECTION, Posted
from projections.rules.terms import TERMS, on_terms
from projections.views.contrasts import pairs, why
from projections.views.reasons import measured, reasons

NAMES = {"one": "Ada", "two": "Ben"}
POLL = Poll(size=3, ballots=(Ballot("reverse"), Ballot("reverse"), Ballot("uphold")))


def parts(one: Said) -> Iterator[Said]:
    yield one
    for part in one.parts.values():
        yield from parts(part)


def told(one: Answer | None, other: Answer | None) -> list[str]:
    return [str(reason.told("A", "B")) for reason in reasons(one, other)]


def asked(rule_set: str) -> Answer:
    return Rules(SHELF[rule_set]).ask(APPEAL_OUTCOME, POLL)


def test_unanimity_and_majority_are_told_beside_each_other() -> None:
    assert told(asked("biba-2014"), asked("usbgf-2017-07")) == [
        "under A, only a unanimous committee changes the ruling; "
        "under B, an absolute majority of the votes cast changes the ruling",
        "under A, the members alone vote; under B, the Director may vote after the members",
    ]


def test_until_when_a_result_is_corrected_is_told() -> None:
    posted = Posted(begun=())
    one, other = (
        Rules(SHELF[name]).ask(RESULT_CORRECTION, posted) for name in ("usbgf-2017-07", "biba-2014")
    )
    assert told(one, other) == [
        "under A, there is no time limit; under B, it ends when a player has begun the next round"
    ]


def test_of_a_silent_text_it_is_said_that_it_is_silent() -> None:
    assert told(settled("stands", "1", until="fifth_roll"), left_open("silent", "2")) == [
        "under A, the text answers: stands; under B, the text is silent, and a person decides",
    ]


def test_of_a_text_with_several_readings_they_are_told() -> None:
    one = ambiguous("AMB-X1", "1", "void", "not_void")
    assert told(one, settled("void", "2")) == [
        "under A, the text can be read in more than one way: void, not void; "
        "under B, the text answers: void"
    ]


def test_a_player_is_told_by_name() -> None:
    one, other = settled("a", "1", winner=Seat.ONE), settled("a", "1", winner=Seat.TWO)
    [reason] = reasons(one, other)
    said = reason.told("A", "B")
    assert said.named({Seat.ONE: "Ada", Seat.TWO: "Ben"}) == "under A, Ada wins; under B, Ben wins"
    assert sentence(texts_of("de"), said.as_json(), NAMES) == (
        "nach A: Ada gewinnt; nach B: Ben gewinnt"
    )


def test_answers_that_measure_alike_have_no_reason_to_differ() -> None:
    answer = settled("stands", "1", until="fifth_roll", closed_by="entry")
    assert reasons(answer, replace(answer, section="2")) == []
    assert reasons(answer, None) == reasons(None, answer) == []


def test_what_a_case_says_goes_before_what_the_text_says_of_all() -> None:
    terms = MappingProxyType({"until": "no_end"})
    one = replace(settled("stands", "1", until="fifth_roll"), terms=terms)
    assert told(one, replace(settled("stands", "1"), terms=terms)) == [
        "under A, it ends with the fifth roll of the game; under B, there is no time limit"
    ]


def test_details_are_compared_where_the_sentence_is_the_same() -> None:
    assert measured(settled("a", "1", until="fifth_roll", undoes=("x",))) == (
        ("until", "fifth_roll"),
    )


def test_a_term_that_nobody_tells_is_refused() -> None:
    with pytest.raises(AssertionError):
        on_terms(never=1)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_reason_in_the_golden_cases_is_told_in_every_language(language: str) -> None:
    texts = texts_of(language)
    seen: set[str] = set()
    words: set[str] = set()
    for name in SUBJECTS:
        for judged in own.by_case(own.judged(name)):
            for one, other in itertools.pairwise(judged):
                for pair in pairs(one.shown.findings, other.shown.findings):
                    for reason in why(pair, one.shown, other.shown):
                        seen.add(reason.name)
                        said = reason.told("A", "B").as_json()
                        text = sentence(texts, said, NAMES)
                        assert text != sentence(texts_of("en"), said, NAMES)
                        assert "{" not in text
                        words |= {part.text for part in parts(reason.told("A", "B"))}
    known = {one for one in words if texts.has(one) or texts.has(f"replay.word.{one}")}
    assert words - known == set()
    # Neighbours on the shelf do not differ in these; the tests above have them.
    assert {*TERMS} - seen <= {"not_appealable", "step_ms", "voters", "when"}
    assert len(seen) > 15
