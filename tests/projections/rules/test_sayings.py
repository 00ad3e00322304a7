"""What findings say: every sentence of the folds in every language, with names in its places."""

from __future__ import annotations

import ast
import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import own
import pytest
from subjects import SUBJECTS

from api.html.assets import WEB
from api.html.entry_words import sentence, word
from api.html.texts import LANGUAGES, texts_of
from events.payloads.appeal import AppealOutcome
from events.payloads.base import WinKind
from events.payloads.cube import GestureKind, Intent
from events.payloads.dice import VoidReason
from events.payloads.ending import ClaimKind
from events.values import Seat
from projections.folding.findings import Finding
from projections.folding.sayings import UNNAMED, Said, listed, said, worded
from projections.rules.subjects.premature import ACTS
from tests.house.trees import tree_of
from tests.projections.rules.federations import FEDERATIONS, federation_match

ROOT = Path(__file__).parents[3]
MEANING = ROOT / "projections"
ROOMS = ("custody", "facts", "folding", "judging", "views")
FOLDS = sorted(path for room in (".", *ROOMS) for path in (MEANING / room).glob("*.py"))
SAYING = [*FOLDS, ROOT / "api" / "exchange" / "prose" / "account.py"]
SEATS = {"one": "one", "two": "two"}
NAMES = {"one": "Ada", "two": "Ben"}
PLACE = re.compile(r"\{(\w+)\}")


def _calls() -> Iterator[tuple[str, ast.Call]]:
    for path in SAYING:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "said":
                yield path.name, node


def _causes() -> set[str]:
    """Why throws are invalid: the words that the rule sets have for it."""
    calls = ast.walk(ast.parse((MEANING / "rules" / "subjects" / "resting.py").read_text("utf-8")))
    invalid = [
        one
        for one in calls
        if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "_invalid"
    ]
    words = [
        part.value
        for call in invalid
        for part in ast.walk(call.args[1])
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    assert len(words) > 10
    return set(words)


@functools.cache
def _strings() -> set[str]:
    """Every string of the source, its underscores as blanks; of those that only join: parts."""
    files = [path for room in ("projections", "api") for path in (ROOT / room).rglob("*.py")]
    constants = {
        node.value.replace("_", " ")
        for path in files
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return constants | {part for one in constants for part in one.split("; ")}


@functools.cache
def _found() -> tuple[Finding, ...]:
    """Everything that is found in our own golden cases and in the matches of the federations."""
    cases = [one.shown for name in SUBJECTS for one in own.judged(name)]
    matches = [federation_match(rules).replay for rules in FEDERATIONS]
    return tuple(finding for shown in (*cases, *matches) for finding in shown.findings)


def _parts(one: Said) -> Iterator[Said]:
    yield one
    for part in one.parts.values():
        yield from _parts(part)


def _sentences() -> Iterator[Said]:
    """The findings, and what the texts lean to where they leave a question open."""
    for finding in _found():
        yield finding.said
        question = finding.ruling_required
        if question is not None and question.leaning is not None:
            yield question.leaning


def _german() -> dict[str, str]:
    texts: dict[str, str] = json.loads((WEB / "texts" / "de" / "findings.json").read_text("utf-8"))
    return texts


def test_every_sentence_of_a_fold_is_a_literal_whose_places_are_filled() -> None:
    assert len(list(_calls())) > 150
    for file, call in _calls():
        (text,) = call.args
        assert isinstance(text, ast.Constant), f"{file}:{call.lineno}"
        filled = [place.arg for place in call.keywords]
        assert sorted(set(PLACE.findall(text.value))) == sorted(filled), f"{file}: {text.value}"


def test_no_sentence_is_about_the_record_s_own_codes_or_leaves_out_who_decides() -> None:
    wrong = re.compile(
        r"[a-z]_[a-z]|\b[a-z]+\.[a-z]|for a person|to be ruled|for a ruling|posted are"
    )
    told = {PLACE.sub("", call.args[0].value) for _, call in _calls()}
    assert {one for one in told if wrong.search(one)} == set()


def test_no_number_stands_before_a_noun_of_many_without_a_word_for_one() -> None:
    many = "points?|seconds?|checkers?|Punkte?n?|Sekunden?|Steine?n?"
    alike = re.compile(r"\{\w+\} (" + many + r")\b")
    heads = {one.args[0].value for _, one in _calls() if isinstance(one.args[0], ast.Constant)}
    german = set(_german().values())
    assert [one for one in sorted(heads | german) if alike.search(one)] == []
    one = said("{n} {n:second|seconds}", n=1)
    assert str(one) == "1 second"


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_sentence_of_a_fold_is_translated_with_the_same_places(language: str) -> None:
    texts = texts_of(language)
    for file, call in _calls():
        text = call.args[0].value
        assert texts.has(text), f"{file}: {text}"
        assert set(PLACE.findall(texts(text))) == set(PLACE.findall(text)), text


def test_no_sentence_is_translated_that_no_fold_says() -> None:
    ours = {call.args[0].value for _, call in _calls()}
    numbered = {text for text in _german() if re.fullmatch(r"[a-z ]+ \{n\}", text)}
    assert {text for text in _german() if PLACE.search(text)} == {
        text for text in ours if PLACE.search(text)
    } | numbered
    # A word or two may be put together; a whole sentence stands in the source, or nobody says it.
    whole = {text for text in _german() if text.count(" ") >= 4 and not PLACE.search(text)}
    assert {text for text in whole if text not in _strings()} == set()


@pytest.mark.parametrize("file", ["losses.json", "sections.json"])
def test_nothing_is_translated_that_no_file_and_no_text_says(file: str) -> None:
    texts = json.loads((WEB / "texts" / "de" / file).read_text("utf-8"))
    assert {text for text in texts if text not in _strings()} == set()


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_word_in_a_finding_is_translated(language: str) -> None:
    texts = texts_of(language)
    every = {part.text for one in _sentences() for part in _parts(one)}
    assert len(every) > 150
    assert {
        one for one in every if not (texts.has(one) or texts.has(f"replay.word.{one}"))
    } == set()


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_word_that_a_finding_may_say_is_translated(language: str) -> None:
    texts = texts_of(language)
    spaced = {worded(one).text for one in (*ClaimKind, *ACTS, *_causes())}
    spaced |= {"as decided"}  # what a ruling chooses in the room that says its decision in words
    may_be = spaced | {*GestureKind, *Intent, *WinKind, *AppealOutcome, *VoidReason}
    known = {one for one in may_be if texts.has(one) or texts.has(f"replay.word.{one}")}
    assert may_be - known == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_topic_has_a_text(language: str) -> None:
    topics = {one.ruling_required.topic for one in _found() if one.ruling_required is not None}
    assert len(topics) > 30
    assert {one for one in topics if not texts_of(language).has(f"replay.word.{one}")} == set()


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_reading_is_translated(language: str) -> None:
    texts = texts_of(language)
    asked = [one.ruling_required for one in _found() if one.ruling_required is not None]
    readings = {reading for question in asked for reading in question.readings}
    assert len(readings) > 100
    left = {one for one in readings if word(texts, one) == one.replace("_", " ")}
    assert {one for one in left if not re.fullmatch(r"\d+-\d+|quorum", one)} == set()


def test_a_message_is_what_template_and_values_make() -> None:
    def filled(one: dict[str, Any]) -> str:
        values = {name: filled(part) for name, part in one["parts"].items()}
        people = {name: UNNAMED[Seat(seat)] for name, seat in one["people"].items()}
        values = {**one["facts"], **people, **values}
        counted = re.compile(r"\{(\w+):([^|]+)\|([^}]+)\}")
        text = counted.sub(lambda it: it[2] if values[it[1]] == 1 else it[3], one["text"])
        return str(text.format(**values))

    assert len(_found()) > 2_000
    for finding in _found():
        told = finding.as_json()
        assert filled(told["said"]) == told["message"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_stand_in_the_place_of_seats(language: str) -> None:
    texts = texts_of(language)
    named = 0
    for one in _sentences():
        people = {seat for part in _parts(one) for seat in part.people.values()}
        told = sentence(texts, one.as_json(), NAMES)
        assert {name in told for seat, name in NAMES.items() if seat in people} <= {True}, told
        assert not PLACE.search(told)
        if not people:
            assert told == sentence(texts, one.as_json(), SEATS)
        named += bool(people)
    assert named > 500


def test_nothing_found_reads_alike_in_two_languages() -> None:
    english, german = map(texts_of, LANGUAGES)
    for finding in _found():
        told = finding.said.as_json()
        assert sentence(english, told, NAMES) != sentence(german, told, NAMES)


def test_words_that_look_like_places_stay_as_they_are() -> None:
    one = said(
        "this program does not know the rule set {rule_set}: the common rules are applied",
        rule_set="{tag} {seat}",
    )
    assert (
        str(one)
        == "this program does not know the rule set {tag} {seat}: the common rules are applied"
    )
    assert (
        sentence(texts_of("de"), one.as_json(), NAMES)
        == "dieses Programm kennt das Regelwerk {tag} {seat} nicht: "
        "Angewandt sind die allgemeinen Regeln"
    )


def test_what_no_language_knows_is_said_in_english() -> None:
    assert sentence(texts_of("de"), Said("never said").as_json(), NAMES) == "never said"
    assert word(texts_of("de"), "never_said") == "never said"


def test_a_number_in_a_word_is_none_of_the_word() -> None:
    assert str(worded("continue_7")) == "continue 7"
    assert word(texts_of("de"), "continue_7") == "weiterspielen bis 7"
    assert sentence(texts_of("de"), worded("cube_4").as_json(), NAMES) == "Doppler auf 4"


def test_lists_are_told_one_beside_the_other() -> None:
    assert str(listed([Said("a"), Said("b"), Said("c")])) == "a, b, c"


def test_a_sentence_is_one_line_whatever_the_record_holds() -> None:
    for told in (said("{tag}", tag="a\n\tb\x1b"), worded("a\n\tb\x1b")):
        assert str(told) == "a b\N{REPLACEMENT CHARACTER}"


def test_no_question_leaves_out_who_decides_or_is_a_bare_noun() -> None:
    """What a director reads is a sentence: these were found that could not be read out."""
    told = {sentence(texts_of("en"), one.said.as_json(), NAMES) for one in _found()}
    assert len(told) > 100
    bare = re.compile(r"^(a double|an answer to the double|a committee of \d+|what the cube .*)$")
    assert {one for one in told if bare.match(one)} == set()
    shorthand = re.compile(r"^posted to|: concede match|has none left|^the illegal play: |his turn")
    assert {one for one in told if shorthand.search(one)} == set()


def test_players_have_their_names_or_are_called_players() -> None:
    one = said("{seat} rolls, and {what}", seat=Seat.TWO, what=said("{who} waits", who=Seat.ONE))
    assert one.named({Seat.ONE: "Ada", Seat.TWO: "Ben"}) == "Ben rolls, and Ada waits"
    assert one.named(UNNAMED) == "player two rolls, and player one waits"
    assert str(one) == "two rolls, and one waits"
