"""Rule sets: the comparison in the README is current, a new one is one file, nobody names one."""

from __future__ import annotations

import ast
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.archive import rule_texts
from events.payloads import clock, dice, dispute, equipment
from events.payloads.base import Actor
from events.values import Seat
from projections.replay import Replay, replay
from projections.rules import by_section, compare, shelf
from projections.rules.answers import Answer, settled
from projections.rules.profile import Contents, CubeFault, Hearing, RuleProfile, Rules
from projections.rules.sentences import Known, Mark
from projections.rules.shelf import SHELF
from projections.rules.subjects.appeals import ReportFacts
from projections.rules.subjects.cube_doubles import DoubleFacts
from projections.rules.subjects.delays import ForfeitFacts, RestartFacts
from projections.rules.subjects.dice import SideFacts
from projections.rules.subjects.premature import EarlyRoll
from tests.house.trees import nodes_of
from tests.projections.streams import legal_match
from tests.projections.table import Table


def test_the_comparison_of_rule_sets_is_current(root: Path) -> None:
    """To bring it up to date: run this test with TABULARIUM_REWRITE=1."""
    path = root / "projections" / "rules" / "README.md"
    text = path.read_text("utf-8")
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        path.write_text(compare.rewritten(text), "utf-8")
        return
    assert compare.rewritten(text) == text


def test_the_table_of_all_texts_by_section_is_current(root: Path) -> None:
    """To bring it up to date: run this test with TABULARIUM_REWRITE=1."""
    path = root / "projections" / "rules" / "SECTIONS.md"
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        path.write_text(by_section.table(), "utf-8")
        return
    assert path.read_text("utf-8") == by_section.table()


def test_every_rule_set_has_a_column_and_every_option_and_subject_a_row() -> None:
    lines = compare.tables().splitlines()
    heads = [line for line in lines if line.startswith(("| option", "| fault", "| subject"))]
    assert len(heads) == 3
    assert all(f"| `{rule_set}` |" in head for head in heads for rule_set in SHELF)
    for profile in SHELF.values():
        for name in (*profile.options, *profile.policies):
            assert [line for line in lines if line.startswith(f"| `{name}` |")], name
    sections = lines.index("| rule set | section | speaks about |")
    for line in lines[:sections]:
        assert not line.startswith("|") or line.count("|") == len(SHELF) + 2, line


def test_every_section_that_a_subject_cites_has_its_caption() -> None:
    lines = compare.tables().splitlines()
    for profile in SHELF.values():
        for section in {profile.default_section, *profile.sections.values()}:
            assert f"| `{profile.id}` | {section} | {profile.caption(section)} |" in lines


# How to add a rule set: what the README says, followed to the letter.


CONTENTS = Contents()
PLAY = CONTENTS.section("1", "how we play")
EARLY_ROLLS = CONTENTS.section("2", "early rolls")
CUBE = CONTENTS.section("3", "the cube")


def early_rolls_are_void(roll: EarlyRoll, rules: Rules) -> Answer:
    """Whoever rolls early rolls again."""
    return settled("void", EARLY_ROLLS, reroll="both")


def no_cube_in_the_crawford_game(double: DoubleFacts, rules: Rules) -> Answer:
    """The cube is out of the Crawford game."""
    return settled("void", CUBE)


HOUSE = RuleProfile(
    id="house-2026",
    title="Rules of our house",
    contents=CONTENTS,
    default_section=PLAY,
    hearing=Hearing(section=PLAY),
    sections={"cube": CUBE, "cube.crawford": CUBE, "premature.roll": EARLY_ROLLS},
    options={"crawford": "on", "jacoby": None},
    void_cube_acts=frozenset({CubeFault.CRAWFORD}),
    policies={
        "premature.roll": early_rolls_are_void,
        "cube.crawford": no_cube_in_the_crawford_game,
    },
)
"""A rule set with two answers of its own."""


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of the new rule set, put on the shelf for one test."""
    monkeypatch.setattr(shelf, "SHELF", {**SHELF, HOUSE.id: HOUSE})
    return HOUSE.id


def test_a_match_is_judged_under_a_new_rule_set(house: str) -> None:
    table = Table(rule_set=house).game().opening(3, 1).early("two", 42)
    assert table.codes == ["early-roll"]
    (early,) = table.findings
    assert (early.rule_set, early.section, early.ruling_required) == (house, "2", None)
    assert table.replay.rules.profile.caption(early.section) == "early rolls"


def test_numbers_of_a_new_rule_set_are_in_force(house: str) -> None:
    table = Table(rule_set=house, score=(6, 3)).game().turns(1).double("two")
    assert table.state.cube.offered_by is None
    assert ("cube-in-crawford-game", house, "3") in {
        (finding.code, finding.rule_set, finding.section) for finding in table.findings
    }


def test_what_a_new_rule_set_does_not_answer_is_a_question_or_raises_none(house: str) -> None:
    table = Table(rule_set=house, no_such_option="on").game().turns(2).resign("one").accept("two")
    assert "option-not-provided" in table.codes
    for finding in table.findings:
        assert HOUSE.caption(finding.section), finding


def test_matches_recorded_before_are_judged_under_a_new_rule_set(house: str) -> None:
    for seed in range(4):
        told = legal_match(seed)
        judged = replay(told.events, house)
        assert judged.rules.profile is HOUSE
        # Whatever a rule set says, the facts are the facts.
        assert judged.state.positions == told.state.positions
        for finding in judged.findings:
            assert HOUSE.caption(finding.section), finding


def test_a_new_rule_set_has_its_column_in_the_comparison() -> None:
    lines = compare.tables({**SHELF, HOUSE.id: HOUSE}).splitlines()
    (early,) = [line for line in lines if line.startswith("| `premature.roll` |")]
    assert early.endswith("| 2 |")
    assert "| `house-2026` | 2 | early rolls |" in lines


# A text that is known by sentences, and asks for what a living text asks for.


ARTICLES = Contents()
IN_GENERAL = ARTICLES.section("Art. 1", "what the league is about")
THE_CLOCK = ARTICLES.section("Art. 2", "the clock, and early dice")
THE_SIDE = ARTICLES.section("Art. 3", "where dice are thrown")
DISPUTES = ARTICLES.section("Art. 4", "disputes")
SAID = Known()
LIFTED = SAID.sentence(THE_CLOCK, Mark.QUOTED, "Who lifts dice early loses a delay.", "a letter")
COCKED = SAID.sentence(
    THE_CLOCK, Mark.PARAPHRASED, "a cocked die gives the delay back", "hearsay", part="cocked"
)
LEFT = SAID.sentence(
    THE_SIDE, Mark.QUOTED, "With the opponent's leave one may throw on the left.", "a letter"
)
TOLD = SAID.sentence(DISPUTES, Mark.PUBLISHED, "The league is told of every dispute.", "its page")


def delay_lost(facts: ForfeitFacts, rules: Rules) -> Answer:
    """A delay is lost by lifting dice."""
    return settled("forfeited", THE_CLOCK).resting_on(LIFTED, readings=("forfeited", "kept"))


def delay_anew(facts: RestartFacts, rules: Rules) -> Answer:
    """A delay begins anew at a cocked die."""
    return settled("restarted", THE_CLOCK).resting_on(COCKED, readings=("restarted", "runs_on"))


def side_permitted(facts: SideFacts, rules: Rules) -> Answer:
    """Left with leave."""
    return settled("may_throw", THE_SIDE).resting_on(LEFT, readings=("may_throw", "may_not_throw"))


def league_is_told(facts: ReportFacts, rules: Rules) -> Answer:
    """Of every dispute."""
    return settled("report_due", DISPUTES).resting_on(TOLD, readings=("report_due", "no_report"))


LEAGUE = RuleProfile(
    id="league-2027",
    title="Rules of a league, as far as sentences are known",
    contents=ARTICLES,
    default_section=IN_GENERAL,
    hearing=Hearing(section=DISPUTES),
    sections={"clock.forfeit": THE_CLOCK, "clock.restart": THE_CLOCK, "dice.side": THE_SIDE},
    policies={
        "clock.forfeit": delay_lost,
        "clock.restart": delay_anew,
        "dice.side": side_permitted,
        "decision.report": league_is_told,
    },
    sentences=SAID,
)
"""A text of today: all that it asks for beside its own place is there already."""


@pytest.fixture
def league(monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of that text, put on the shelf for one test: on the one shelf that there is."""
    with_it = {**SHELF, LEAGUE.id: LEAGUE}
    for module in (shelf, rule_texts):
        monkeypatch.setattr(module, "SHELF", with_it)
    return LEAGUE.id


def test_a_text_known_by_sentences_asks_and_a_loaded_text_of_it_answers(
    league: str, tmp_path: Path
) -> None:
    """Delays, a side by leave that is taken back, a report: no fold and no event is its own."""
    table = Table(7, rule_set=league).clock(reserve_s=600, delay_s=12).game().opening(3, 1)
    table.record(dice.Lifted(seat=Seat.TWO, dice=dice.LiftedDice.BOTH))
    table.record(dice.LiftAnswered(seat=Seat.ONE, answer=dice.LiftAnswer.FORFEIT))
    table.record(clock.ClockDelayRestarted(seat=Seat.ONE, cause=clock.DelayCause.INVALID_ROLL))
    leave = {"item": "throwing_side", "half": "left", "allowed": Seat.ONE, "by": Actor.TWO}
    table.record(equipment.EquipmentAgreed(**leave))  # type: ignore[arg-type]  # its members
    assert table.replay.state.judged.sides.half_of(Seat.ONE, 1) == "left"
    table.record(equipment.AgreementEnded(item="throwing_side", by=Actor.TWO))
    assert table.replay.state.judged.sides.half_of(Seat.ONE, 1) is None
    table.record(dispute.DisputeRaised(by=Actor.ONE)).record(dispute.RulingMade())
    ours = {"delay-forfeited", "delay-restarted", "throwing-side", "report-due"}

    def asked(shown: Replay) -> dict[str, tuple[str | None, bool]]:
        return {
            one.code: (None if (of := one.ruling_required) is None else of.lean, one.verified)
            for one in shown.findings
            if one.code in ours
        }

    assert asked(table.replay) == {
        "delay-forfeited": ("forfeited", False),
        "delay-restarted": ("restarted", False),
        "throwing-side": ("may_throw", False),
        # Its words were read: nothing has to be loaded.
        "report-due": (None, True),
    }
    text = "".join(f"{one.section} {one.words}\n" for one in SAID.values())
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    texts = rule_texts.RuleTexts(tmp_path)
    texts.add(
        text.encode(),
        text,
        rule_texts.Loaded(
            rule_set=league, sha256=sha256, kind="txt", name="league.txt", added_ms=0, by="Ida"
        ),
    )
    shown = replay(table.events, in_hand=texts.in_hand())
    # What was only retold waits for somebody who names its sentence.
    assert asked(shown) == {
        "delay-forfeited": (None, True),
        "delay-restarted": ("restarted", False),
        "report-due": (None, True),
    }
    for finding in shown.findings:
        assert LEAGUE.caption(finding.section), finding


# A new text touches nothing but the shelf: nobody else knows the texts that are there.

SUBJECTS = "projections/rules/subjects/"
TEXTS = "projections/rules/texts/"
ASKED_FOR = {"common": "where no rule set is pinned", "usbgf_2017_07": "which another text amends"}
"""The texts that somebody else imports, and why."""


def test_only_the_shelf_knows_the_texts(sources: Any) -> None:
    known = {
        (path, node.module.removeprefix("projections.rules.texts.").partition(".")[0])
        for path, tree in sources()
        for node in nodes_of(tree)
        if isinstance(node, ast.ImportFrom) and node.module is not None
        if node.module.startswith("projections.rules.texts.")
    }
    shelved = {text for path, text in known if path == "projections/rules/shelf.py"}
    assert len(shelved) > 4
    others = {
        (path, text)
        for path, text in known
        if path != "projections/rules/shelf.py" and not path.startswith(f"{TEXTS}{text}")
    }
    assert {text for _, text in others} == set(ASKED_FOR)
    assert {path for path, text in others if text != "common"} == {f"{TEXTS}usbgf_2017_09.py"}


def test_no_subject_bears_the_name_of_a_text(root: Path) -> None:
    names = re.compile("|".join({profile.partition("-")[0] for profile in SHELF} - {"common"}))
    for path in (root / SUBJECTS).rglob("*.py"):
        assert not names.findall(path.read_text("utf-8").lower()), path.name


def test_a_section_is_said_once_in_its_text(sources: Any) -> None:
    """Its number and its caption stand where it gets its name; all else cites it by that."""
    sections = {section for profile in SHELF.values() for section in profile.contents}
    said: Counter[tuple[str, str]] = Counter()
    for path, tree in sources():
        if path.startswith((SUBJECTS, TEXTS)):
            said.update((path, text) for text in _texts(tree) if text in sections)
    assert {section for _, section in said} == sections
    assert set(said.values()) == {1}
    # Two texts may number alike; within one, the place is one.
    places = Counter((path.removeprefix(TEXTS).split("/")[0], section) for path, section in said)
    assert set(places.values()) == {1}


def _texts(tree: ast.Module) -> Iterator[str]:
    for node in nodes_of(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


# Nobody outside the room asks which rule set it is.

ROOM = "projections/rules/"
SHOWN_IN = {
    "api/commands/demo_table.py",
    "api/shapes/examples.py",
    "api/routes/shared/shown.py",
}
"""Files that pin a rule set in a match of their own, or show an id as an example."""


def _named(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in nodes_of(tree):
        if isinstance(node, ast.Constant) and node.value in SHELF:
            yield node


def _compared(tree: ast.Module) -> Iterator[int]:
    """Lines on which an id is compared, matched, or a key that something is looked up by."""
    for node in nodes_of(tree):
        match node:
            case ast.Compare() | ast.MatchValue():
                yield from (named.lineno for named in _named(node))
            case ast.Subscript(slice=ast.Constant(value=key)) if key in SHELF:
                yield node.lineno
            case ast.Dict(keys=keys):
                yield from (key.lineno for key in keys if key is not None and any(_named(key)))


def test_no_rule_set_is_named_outside_the_room(sources: Any) -> None:
    named = {path for path, tree in sources() if any(_named(tree)) and not path.startswith(ROOM)}
    assert named <= SHOWN_IN


def test_no_rule_set_is_compared_outside_the_room(sources: Any) -> None:
    compared = [
        f"{path}:{line}"
        for path, tree in sources()
        if not path.startswith(ROOM)
        for line in _compared(tree)
    ]
    assert compared == []


def test_a_comparison_with_a_rule_set_would_be_seen() -> None:
    for text in (
        "if rules.profile.id == 'biba-2014': pass",
        "ok = name in ('common', 'fcbg-club')",
        "match name:\n    case 'common': pass",
        "table['usbgf-2017-09']",
        "{'biba-2014': 1}.get(name)",
    ):
        assert list(_compared(ast.parse(text)))
