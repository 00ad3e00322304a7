"""The law of the ruled question, over every golden case of our own that leaves one open.

A `ruling.made` that answers a question with any word closes it for good: no fold keeps it open,
none asks it again, and nothing breaks, under this rule set or another.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import own
from own import Judged
from subjects import SUBJECTS
from table import ENTRY, Table

from events import catalogue
from events.envelope import Basis, RecordedEvent
from events.payloads import appeal, cube, dice, dispute, match
from events.payloads.base import Actor, Payload
from events.values import ONE, TWO
from projections.folding.findings import Finding
from projections.replay import Replay, replay
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF
from projections.states import State
from tests.bunches import in_bunches

ASKED = [one for name in SUBJECTS for one in own.judged(name) if "open" in one.expect]
"""Cases under rule sets by which somebody has to rule in the end."""

CASES = own.by_case(ASKED)

PLACES = {
    "appeal": (".appeals.",),
    "claim": (".endings.",),
    "clock": (".timing.answer", ".timing.flagged"),
    "clock.terms": (".timing.terms",),
    "completion": (".endings.",),
    "crawford": (".cube_acts.answer", ".cube_acts.asked", ".cube_acts.phase"),
    "cube.early-act": (".premature.",),
    "cube": (".cube.", ".cube_acts.answer", ".cube_acts.asked", ".cube_acts.bound"),
    "dice": (".throws.",),
    "dice.early-lift": (".premature.answer",),
    "dice.early-lift.remedy": (".premature.answer",),
    "dice.early-roll": (".premature.early.answer",),
    "dice.reroll": (".throws.", ".premature.answer", ".premature.early.answer"),
    "ending": (".endings.",),
    "decision": (".reports.",),
    "game": (".endings.",),
    "match": (".endings.match", ".endings.asked"),
    "match-length": (".match_length.",),
    "penalties": (".penalties.",),
    "play": (".premature.change",),
    "resignation": (".endings.",),
    "result": (".results.",),
    "score": (".results.", ".score."),
    "start": (".start.",),
    "turn": (".premature.end",),
    "window": (".windows.",),
}
"""By topic, or the noun of topics: members of the state that hold answers to its questions.

Not every open answer is a question: folds also keep what would hold of a turn or a clock of which
nothing was recorded, and nobody is asked about that.
"""

KEPT_AS_POINTS = {"penalties.score", "penalties.warning"}
"""Topics whose open answer is a number of points, or depends on points given, and is not an
`Answer`."""

OF_ALL_SO_FAR = {"penalties.points"}
"""Topics with one question about all that happened so far: ruled early, the rest is asked about."""

NO_KNOWN_WORD = "otherwise"
RULING = ENTRY.format(9_000)


def ruling(answers: Iterable[tuple[Finding, str]], version: int) -> RecordedEvent:
    """A ruling that answers questions, each with a reading."""
    chosen = []
    for finding, reading in answers:
        assert finding.ruling_required is not None
        topic = finding.ruling_required.topic
        question = dispute.Question(topic=topic, at=finding.entry_id, seat=finding.seat)
        chosen.append(dispute.Answer(question=question, reading=reading))
    made = dispute.RulingMade(answers=tuple(chosen))
    return RecordedEvent(version, RULING, "ruling.made", Basis.RULED, made)


def readings(finding: Finding) -> tuple[str, ...]:
    """Every reading that the question offers, and an unknown word."""
    assert finding.ruling_required is not None
    return (*finding.ruling_required.readings, NO_KNOWN_WORD)


def key(finding: Finding) -> tuple[str, str, Any]:
    """What a ruling names."""
    assert finding.ruling_required is not None
    return finding.ruling_required.topic, finding.entry_id, finding.seat


def question(finding: Finding) -> tuple[Any, ...]:
    """What is asked, and of which seat, whatever the entry at which it is asked."""
    asked = finding.ruling_required
    assert asked is not None
    return asked.topic, finding.seat, finding.section, finding.ambiguity, asked.readings


def open_answers(value: Any, path: str = "state") -> Iterator[tuple[str, Answer]]:
    """Every open answer that any fold's state holds, with where it lies."""
    if value is None or isinstance(value, (str, int)):
        return
    if isinstance(value, Answer) and value.is_open:
        yield path, value
    if isinstance(value, msgspec.Struct):
        value = {name: getattr(value, name) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from open_answers(inner, f"{path}.{name}")
    elif isinstance(value, Sequence):
        for inner in value:
            yield from open_answers(inner, path)


def kept_open(state: State, questions: list[Finding]) -> list[str]:
    """Where the state still holds one of these questions open."""
    kept = set()
    held = list(open_answers(state))
    for finding in questions:
        asked = finding.ruling_required
        assert asked is not None
        said = (finding.section, finding.ambiguity, asked.readings)
        for path, answer in held:
            is_there = any(place in path for place in places(asked.topic))
            if is_there and (answer.section, answer.ambiguity, answer.readings) == said:
                kept.add(f"{asked.topic} in {path}")
    return sorted(kept)


def places(topic: str) -> tuple[str, ...]:
    """Where the fold that asks about a topic keeps the answer."""
    return PLACES.get(topic) or PLACES[topic.partition(".")[0]]


def going_on(shown: Replay) -> list[RecordedEvent]:
    """What may come next at the table and breaks no rule: a roll, and the end of the game."""
    flow, score, version = shown.state.flow, shown.state.score, shown.version
    acts: list[Payload] = [dispute.TestimonyGiven(role=Actor.SPECTATOR)]
    if flow.in_game and flow.on_roll is not None and flow.dice is None and flow.answering is None:
        due = shown.state.judged.cube_acts.promise_of(flow.on_roll)
        if due is not None and due.intent == "double":
            acts += cube.DoubleOffered(seat=due.seat), cube.DoubleTaken(seat=due.seat.other)
        acts.append(dice.Rolled(seat=flow.on_roll, dice=(6, 5)))
    if flow.in_game:
        acts.append(match.GameWon(winner=ONE, points=1))
    if score.winner is None:
        acts.append(match.GameStarted())
    return [
        RecordedEvent(
            version + n, ENTRY.format(9_000 + n), catalogue.tag_of(act)[0], Basis.AGREED, act
        )
        for n, act in enumerate(acts, start=1)
    ]


def key_of(finding: Finding) -> Any:
    """The key of a question; None for a finding that asks nothing."""
    return None if finding.ruling_required is None else key(finding)


def chosen_together(questions: list[Finding]) -> Iterator[list[tuple[Finding, str]]]:
    """All questions answered at once: with their first readings, their second, and so on."""
    for turn in range(max(len(readings(finding)) for finding in questions)):
        yield [(each, readings(each)[turn % len(readings(each))]) for each in questions]


@in_bunches("case", CASES, ids=lambda case: case[0].id, of=8)
def test_any_reading_closes_the_question(case: list[Judged]) -> None:
    """Each question alone, with each of its readings and with a word that is not a reading."""
    for one in case:
        for finding in one.shown.open_questions:
            for reading in readings(finding):
                made = ruling([(finding, reading)], one.shown.version + 1)
                ruled = one.shown.extended([made])
                found = ruled.findings
                closed = [other for other in found if key_of(other) == key(finding)]
                said = (one.name, reading)
                assert closed, said
                assert {other.answered_by for other in closed} == {made.version}, said
                assert not any(other.is_open for other in closed), said
                assert _times_asked(ruled, finding) <= _times_asked(one.shown, finding), said
                through = replay([*one.pinned, made])
                assert through.state == ruled.state, said
                assert through.findings == found, said


@in_bunches("case", CASES, ids=lambda case: case[0].id, of=8)
def test_no_fold_keeps_a_ruled_question_open(case: list[Judged]) -> None:
    for one in case:
        questions = one.shown.open_questions
        for chosen in chosen_together(questions):
            state = one.shown.extended([ruling(chosen, one.shown.version + 1)]).state
            words = [reading for _, reading in chosen]
            assert kept_open(state, questions) == [], (one.name, words)


@in_bunches("case", CASES, ids=lambda case: case[0].id, of=8)
def test_a_ruled_question_is_not_asked_again(case: list[Judged]) -> None:
    """Neither at the ruling nor by what follows at the table."""
    for one in case:
        questions = one.shown.open_questions
        asked = {question(finding) for finding in questions}
        for chosen in chosen_together(questions):
            ruled = one.shown.extended([ruling(chosen, one.shown.version + 1)])
            ruled = ruled.extended(going_on(ruled))
            again = [
                finding.code
                for step in ruled.steps[len(one.shown.steps) :]
                for finding in step.findings
                if finding.ruling_required is not None and question(finding) in asked
            ]
            assert again == [], (one.name, [reading for _, reading in chosen])


@in_bunches("case", CASES, ids=lambda case: case[0].id, of=8)
def test_a_question_ruled_where_it_arose_stays_ruled(case: list[Judged]) -> None:
    """The rest of the match as it was recorded, the ruling between.

    Where nothing is left of it, the ruling is at the end: see the first of these laws.
    """
    for one in case:
        for finding in one.shown.open_questions:
            if finding.version < one.shown.version:
                _stays_ruled(one, finding)


def _stays_ruled(one: Judged, finding: Finding) -> None:
    """Whatever the reading."""
    before = [event for event in one.pinned if event.version <= finding.version]
    after = [
        msgspec.structs.replace(event, version=event.version + 1)
        for event in one.pinned[len(before) :]
    ]
    asked = _times_asked(one.shown, finding) + (key(finding)[0] in OF_ALL_SO_FAR)
    arisen = replay(before)
    for reading in readings(finding):
        said = (one.name, reading)
        made = ruling([(finding, reading)], finding.version + 1)
        ruled = replay([*before, made, *after])
        assert key(finding) not in map(key, ruled.open_questions), said
        assert _times_asked(ruled, finding) <= asked, said
        entry_by_entry = arisen
        for event in (made, *after):
            entry_by_entry = entry_by_entry.extended([event])
        assert entry_by_entry.state == ruled.state, said


@in_bunches("case", CASES, ids=lambda case: case[0].id, of=8)
def test_the_last_of_several_rulings_holds_as_if_it_were_the_only_one(case: list[Judged]) -> None:
    """A Director who thinks again, and one whose ruling a committee has reversed.

    While nothing has happened at the table since; of questions it is those of the case that count.
    """
    for one in case:
        version = one.shown.version
        for finding in one.shown.open_questions:
            words = readings(finding)
            for first, last in zip(words, (*words[1:], words[0]), strict=True):
                made = ruling([(finding, first)], version + 1)
                alone = one.shown.extended([ruling([(finding, last)], version + 1)])
                for between in ([], _reversed(made)):
                    again = ruling([(finding, last)], version + 2 + len(between))
                    again = msgspec.structs.replace(again, entry_id=ENTRY.format(9_003))
                    ruled = one.shown.extended([made, *between, again])
                    assert _moved(ruled) == _moved(alone), (one.name, first, last, bool(between))


def test_a_director_may_think_again_until_the_game_has_gone_on() -> None:
    """Somebody resigns in the middle of a turn, of which 2017-07 [4.5] says nothing."""
    table = Table(7, rule_set="usbgf-2017-07").scene("race").roll("one", 61)
    table.resign("one").accept("two")
    (finding,) = table.replay.open_questions

    def rule(reading: str) -> tuple[tuple[int, int], bool]:
        made = ruling([(finding, reading)], len(table.events) + 1)
        table.record(made.payload, basis=Basis.RULED)
        return table.score, table.state.flow.in_game

    assert rule("not_allowed") == ((0, 0), True)
    assert rule("game_won") == ((0, 1), False)
    assert rule("game_won") == ((0, 1), False)
    assert rule("not_allowed") == ((0, 0), True)
    assert table.state.flow.dice == (6, 1)
    table.play("one", "6/off 1/off")
    assert rule("game_won") == ((0, 0), True)
    assert table.board()[0] == 2


def _reversed(made: RecordedEvent) -> list[RecordedEvent]:
    """A ruling is appealed against, and reversed."""
    filed = appeal.AppealFiled(target=made.entry_id, seat=ONE)
    filed_id = ENTRY.format(9_001)
    decided = appeal.AppealDecided(outcome=appeal.AppealOutcome.REVERSED, appeal=filed_id)
    return [
        RecordedEvent(made.version + 1, filed_id, "appeal.filed", Basis.OBSERVED, filed),
        RecordedEvent(
            made.version + 2, ENTRY.format(9_002), "appeal.decided", Basis.RULED, decided
        ),
    ]


def _moved(shown: Replay) -> tuple[Any, ...]:
    """What a ruling may move, whichever ruling it was."""
    state = shown.state
    score, cube, judged = state.score, state.cube, state.judged
    acts, outcome = judged.cube_acts, judged.outcome
    return (
        [(game.winner, game.points, game.kind) for game in score.games],
        (state.match_score, score.is_crawford_game, score.crawford_played),
        (outcome.winner, outcome.by, outcome.questions),
        (cube.value, cube.owner, cube.offered_by),
        ([(one.seat, one.intent) for one in acts.promises], acts.beaver),
        (state.positions.board, state.flow),
        [account.points for account in judged.penalties.accounts],
    )


def _times_asked(shown: Replay, finding: Finding) -> int:
    """How often a match asks this, answered or not."""
    asked = (each for each in shown.findings if each.ruling_required is not None)
    return sum(question(each) == question(finding) for each in asked)


@in_bunches("case", CASES, ids=lambda case: case[0].id, of=8)
def test_a_ruling_under_one_rule_set_is_read_under_every_other(case: list[Judged]) -> None:
    """Where its words may mean nothing, and the questions may be none.

    Rule sets that ask alike are ruled alike: what is then read is the same, and read once.
    """
    for _, under in itertools.groupby(case, key=lambda one: one.options):
        rulings = {}
        for one in under:
            chosen = [(each, readings(each)[0]) for each in one.shown.open_questions]
            made = ruling(chosen, one.shown.version + 1)
            rulings.setdefault(made.payload, made)
        for rule_set in SHELF:
            shown = replay(one.pinned, rule_set)
            for made in rulings.values():
                assert shown.extended([made]).version == made.version, (one.name, rule_set)


LEANING = dice.Observation(
    at_rest="natural",
    location="playing_field",
    rolled_side="right",
    rest_side="right",
    rests_on=("field",),
    tilt="tilted",
    tilt_cause="vertical_support",
)
FLAT = msgspec.structs.replace(LEANING, tilt="flat", tilt_cause="none")


def test_a_ruling_on_what_the_text_answers_itself_moves_nothing() -> None:
    """It answered a question of another text, under which the match was played (design §8.11)."""
    rolled = Table(7, rule_set="common").game().turns(1)
    rolled.record(dice.Rolled(seat=TWO, dice=(3, 1), observations=(LEANING, FLAT)))
    dropped = Table(7, rule_set="fcbg-club").game().turns(1).roll("two", 42).double("one")
    dropped.play("two", "8/4 6/4").drop("two")
    early = Table(7, rule_set="fcbg-club").game().turns(1).roll("two", 42).double("one")
    ended = Table(7, rule_set="biba-2014").score_is(5, 3).ended("one")
    for table, topic, seat, reading in (
        (rolled, "dice.validity", TWO, "valid"),
        (dropped, "game.dropped", None, "play_on"),
        (early, "cube.early-act", ONE, "first_legal_opportunity"),
        (ended, "match.end", None, "match_continues"),
    ):
        before = table.replay
        question = dispute.Question(topic=topic, at=table.last, seat=seat)
        answers = (dispute.Answer(question=question, reading=reading),)
        after = table.record(dispute.RulingMade(answers=answers), basis=Basis.RULED).replay
        assert _moved(after) == _moved(before), topic
        assert after.state.judged.cube_acts == before.state.judged.cube_acts, topic


def test_the_law_sees_the_questions_that_it_is_about() -> None:
    """While nobody has ruled, the state holds an open answer for every topic that is asked."""
    asked, kept = set(), set()
    for one in ASKED:
        for finding in one.shown.open_questions:
            topic, _, _ = key(finding)
            asked.add(topic)
            if topic not in kept and kept_open(one.shown.state, [finding]):
                kept.add(topic)
    assert asked - kept == KEPT_AS_POINTS
