"""The texts of today: each sentence asks while it is not in hand, and decides once it is."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path

import own
import pytest
from own import Judged
from subjects import SUBJECTS

from api.archive.rule_texts import Loaded, RuleTexts, Verified
from events.envelope import Basis
from events.payloads import dispute
from events.values import Seat
from projections.replay import Replay, replay
from projections.rules.answers import DISCRETION, NOT_IN_HAND, NOT_VERIFIED, RULING_REQUIRED, Answer
from projections.rules.sentences import InHand, Mark, Sentence, sentence_hash
from projections.rules.shelf import SHELF
from projections.views.attention import alarms
from tests.bunches import in_bunches
from tests.projections.table import Table

LIVING = [profile for profile in SHELF.values() if profile.sentences]
KNOWN = [
    pytest.param(profile.id, one, id=f"{profile.id} {one.name}")
    for profile in LIVING
    for one in profile.sentences.values()
    if one.mark is not Mark.PUBLISHED
]


@functools.cache
def cases(rule_set: str) -> tuple[Judged, ...]:
    """Every own golden case under one rule set."""
    judged = (one for name in SUBJECTS for one in own.judged(name))
    return tuple(one for one in judged if one.rule_set == rule_set)


def answers(shown: Replay) -> Iterator[Answer]:
    """Every answer that the folds keep at the end of a match."""
    judged = shown.state.judged
    kept = [judged.timing.answer, judged.timing.delay, judged.premature.answer]
    kept += [judged.cube_acts.answer, judged.cube_acts.phase, judged.windows.answer]
    kept += [judged.endings.answer, judged.endings.match, judged.penalties.allowance]
    kept += [judged.delays.answer, judged.reports.answer]
    kept += [account.answer for account in judged.penalties.accounts]
    yield from (answer for answer in kept if answer is not None)


def text_with(folder: Path, *sentences: Sentence) -> InHand:
    """What is in hand once a text that holds these sentences, and no others, is loaded.

    Loaded as `tabularium rules add` does it; of a paraphrase the sentence is named besides, as
    `tabularium rules verify` does it: its words as we have them stand for those of the text.
    """
    texts = RuleTexts(folder)
    for profile in LIVING:
        ours = [one for one in sentences if profile.sentences.get(one.name) is one]
        if not ours:
            continue
        lines = (f"{one.section} {one.words.rstrip('.')}.\n" for one in ours)
        text = "".join(["A text made for a test.\n", *lines])
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        given = Loaded(
            rule_set=profile.id, sha256=sha256, kind="txt", name="ours.txt", added_ms=0, by="Ida"
        )
        if given not in texts.loaded:
            texts.add(text.encode(), text, given)
        for one in ours:
            if one.mark is not Mark.PARAPHRASED:
                continue
            words = f"{one.words.rstrip('.')}."
            texts.verify(
                Verified(
                    rule_set=profile.id,
                    sentence=one.name,
                    sha256=sentence_hash(words),
                    words=words,
                    text_sha256=sha256,
                    at_ms=0,
                    by="Ida",
                )
            )
    return texts.in_hand()


@pytest.mark.parametrize(("rule_set", "sentence"), KNOWN)
def test_a_sentence_asks_and_a_text_that_has_it_turns_the_question_into_the_consequence(
    rule_set: str, sentence: Sentence, tmp_path: Path
) -> None:
    """In one of our golden cases: what it leans to is what follows once the text is loaded."""
    turned = 0
    for one in cases(rule_set):
        asked = [
            found
            for found in one.shown.findings
            if sentence.name in {rest.sentence for rest in found.rests_on}
        ]
        for found in asked:
            question = found.ruling_required
            assert question is not None, one.name
            assert (question.reason, found.verified) == (NOT_VERIFIED, False), one.name
            assert question.lean, one.name
            assert len(question.readings) > 1, one.name
        rested = set(one.expect.get("rests_on", ()))
        if not asked and sentence.name not in rested:
            continue
        profile = SHELF[rule_set]
        names = rested | {rest.sentence for found in asked for rest in found.rests_on}
        loaded = text_with(tmp_path / one.name, *(profile.sentences[name] for name in names))
        shown = replay(one.pinned, in_hand=loaded)
        still = [
            found
            for found in shown.findings
            if found.ruling_required is not None
            and sentence.name in {rest.sentence for rest in found.rests_on}
        ]
        assert still == [], one.name
        if sentence.name in rested:
            answer = SUBJECTS[one.subject].read[one.about](shown)
            assert answer is not None
            if answer.is_open and sentence.name not in answer.rests_on:
                # What is found after the consequence is a separate question, of no known words.
                assert answer.reason in (NOT_IN_HAND, DISCRETION), one.name
                continue
            lean = one.expect["lean"] if one.expect["outcome"] == RULING_REQUIRED else None
            assert (answer.is_open, answer.verified) == (False, True), one.name
            # The time of a turn, and a series of games, are written in words of the tests' own.
            if lean is not None and one.about not in ("turn", "phases"):
                outcome = lean if isinstance(lean, str) else lean["outcome"]
                assert (answer.outcome, answer.readings) == (outcome, ()), one.name
        turned += 1
    assert turned, "no golden case asks on it"


@pytest.mark.parametrize("profile", LIVING, ids=lambda profile: profile.id)
def test_nothing_follows_from_what_is_not_in_hand(profile: object) -> None:
    """Whatever is settled under such a text rests on a sentence, and that sentence is in hand."""
    rule_set = profile.id  # type: ignore[attr-defined]  # a profile
    count = 0
    for one in cases(rule_set):
        for answer in answers(one.shown):
            if answer.is_open or answer.ruled_at is not None or not answer.rests_on:
                continue
            assert set(answer.rests_on) <= one.shown.rules.held.keys(), one.name
            count += 1
        for answer in answers(one.shown):
            if answer.rests_on and answer.outcome == RULING_REQUIRED:
                assert answer.verified is False
    assert count or rule_set != "wbgf-2.1"


def test_the_published_words_on_dice_decide_without_a_loaded_text() -> None:
    settled = [
        one
        for one in cases("wbgf-2.1")
        if one.subject == "dice" and one.options == {"dice_on_checkers": "invalid"}
    ]
    assert {one.expect["outcome"] for one in settled} >= {"valid", "invalid"}
    assert all(one.expect.get("verified", True) for one in settled)


def test_a_double_in_the_crawford_game_is_void_only_once_its_sentences_are_in_hand(
    tmp_path: Path,
) -> None:
    table = Table(7, rule_set="usbgf-2024").score_is(6, 3).game().turns(1).double("two")
    assert table.state.cube.offered_by is Seat.TWO
    sentences = SHELF["usbgf-2024"].sentences
    game, void = sentences["4.4.8#game"], sentences["4.4.8#void"]
    assert (
        replay(table.events, in_hand=text_with(tmp_path / "one", void)).state.cube.offered_by
        is Seat.TWO
    )
    shown = replay(table.events, in_hand=text_with(tmp_path / "both", game, void))
    assert shown.state.cube.offered_by is None
    assert "cube-void" in {found.code for found in shown.findings}


def test_a_dead_cube_is_void_once_its_sentence_is_in_hand(tmp_path: Path) -> None:
    (case,) = [one for one in cases("usbgf-2024") if one.id == "LR19"]
    assert case.shown.state.cube.offered_by is Seat.TWO
    void = SHELF["usbgf-2024"].sentences["4.4.8#void"]
    shown = replay(case.pinned, in_hand=text_with(tmp_path, void))
    assert (shown.state.cube.offered_by, shown.state.cube.value) == (None, 2)
    assert "cube-void" in {found.code for found in shown.findings}
    assert "cube.double" not in {one.key[0] for one in shown.open_questions if one.key}


def test_both_flags_down_are_played_on_once_the_sentence_is_named(tmp_path: Path) -> None:
    (case,) = [one for one in cases("wbgf-2.1") if one.id == "LR7"]
    both = SHELF["wbgf-2.1"].sentences["4.3#both"]
    shown = replay(case.pinned, in_hand=text_with(tmp_path, both))
    (found,) = [one for one in shown.findings if one.code == "flag-noticed"]
    assert found.message.endswith("they play on without a clock")
    assert shown.state.judged.outcome.winner is None


@pytest.mark.parametrize("profile", LIVING, ids=lambda profile: profile.id)
def test_sentences_say_where_they_were_read_and_which_section_they_stand_in(
    profile: object,
) -> None:
    for name, one in profile.sentences.items():  # type: ignore[attr-defined]  # a profile
        assert one.section in profile.contents  # type: ignore[attr-defined]  # a profile
        assert name.partition("#")[0] == one.section
        assert one.source
        assert (one.sha256 is None) is (one.mark is Mark.PARAPHRASED)


@in_bunches("rule_set", SHELF)
def test_doubles_in_their_time_taken_and_passed_are_nobodys_question(rule_set: str) -> None:
    """Also of a text that is hardly in hand: its matches would hold nothing but questions."""
    table = Table(5, rule_set=rule_set, options={"crawford": True})
    table.game().turns(2).double("one").take("two").turns(3).double("two").drop("one")
    table.game().turns(2).double("one").drop("two")
    assert table.score == (1, 2)
    questions = table.replay.open_questions
    # Whether a drop ends the game is asked where the sentence is not in hand; nobody waits for it.
    asked = {one.ruling_required.topic for one in questions if one.ruling_required is not None}
    assert asked == ({"game.dropped"} if SHELF[rule_set].sentences else set())
    assert alarms(table.replay) == []


@pytest.mark.parametrize("rule_set", [one.id for one in LIVING])
def test_what_every_game_would_ask_is_asked_once_in_a_match(rule_set: str) -> None:
    table = Table(9, rule_set=rule_set)
    for winner in ("one", "two", "one"):
        table.win("gammon", winner)
        table.game().turns(2).double("one").drop("two")
    questions = [one.ruling_required.topic for one in table.replay.open_questions]  # type: ignore[union-attr]  # a question
    assert sorted(questions) == ["game.dropped", "game.value"]
    answer = table.state.judged.endings.answer
    assert answer is not None
    assert answer.is_open


@pytest.mark.parametrize("rule_set", [one.id for one in LIVING])
def test_what_was_ruled_on_one_drop_holds_for_those_after_it(rule_set: str) -> None:
    table = Table(9, rule_set=rule_set).game().turns(2).double("one").drop("two")
    [asked] = table.replay.open_questions
    question = dispute.Question(topic="game.dropped", at=asked.entry_id)
    ruled = dispute.Answer(question=question, reading="game_won")
    table.record(dispute.RulingMade(answers=(ruled,)), basis=Basis.RULED)
    table.game().turns(2).double("one").drop("two")
    assert list(table.replay.open_questions) == []
    answer = table.state.judged.endings.answer
    assert answer is not None
    assert (answer.outcome, answer.is_open) == ("game_won", False)
