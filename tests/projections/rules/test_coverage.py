"""The matrix of the reference, row by row: the README's table is complete and true."""

from __future__ import annotations

import ast
import os
import re
import typing
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import test_appeals
from golden import SHARED, Case, cases, load, present

from events import catalogue
from events.payloads import clock, dispute, play
from events.payloads.base import Actor
from events.values import Seat
from projections.rules.profile import Policy
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.table import Table

ROOT = Path(__file__).parents[3]
RULES = ROOT / "projections" / "rules"

IMPLEMENTED, PERSON_ONLY, NOT_ANSWERED = "implemented", "person-only fact", "not answered"
TAGS = frozenset(kind.tag for kind in catalogue.KINDS)


class Row(NamedTuple):
    """One row of the README's table."""

    id: str
    how: str
    where: str

    @property
    def named(self) -> list[str]:
        """The words in backticks, in order."""
        return re.findall(r"`([^`]+)`", self.where)

    @property
    def modules(self) -> list[str]:
        """Files among them."""
        return [name for name in self.named if name.endswith(".py")]


def _section() -> str:
    text = (RULES / "README.md").read_text("utf-8")
    return text.split("\n## The matrix, row by row\n")[1].split("\n## ")[0]


def _rows() -> list[Row]:
    found = re.findall(r"^\| ([A-Z]-\d\d) \| ([^|]+) \| ([^|]+) \|$", _section(), re.MULTILINE)
    return [Row(*cells) for cells in found]


ROWS = _rows()


def _path(module: str) -> Path:
    """A module is one of the subjects, or named by its path from the root."""
    return ROOT / module if "/" in module else RULES / "subjects" / module


def _module_of(policy: Policy) -> str:
    """File name of the subject whose facts a policy judges, or that it is from itself."""
    judge: Any = getattr(policy, "func", policy)
    facts = list(typing.get_type_hints(judge).values())[-3]
    module: str = (
        facts.__module__ if isinstance(facts, type) and facts is not object else judge.__module__
    )
    return f"{module.rpartition('.')[2]}.py"


SUBJECTS = {
    (subject, _module_of(policy))
    for profile in SHELF.values()
    for subject, policy in profile.policies.items()
}
"""Every subject on the shelf, with every module that has the facts of it for some rule set."""


def _reference() -> str:
    """The reference; skips, or fails where everything is required, without the shared folder."""
    path = SHARED / "rules.md"
    if not path.is_file():
        reason = f"no rules.md at {SHARED}: set TABULARIUM_SHARED"
        if os.environ.get("TABULARIUM_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path.read_text("utf-8")


def _golden() -> Iterator[dict[str, Any]]:
    for path in sorted((SHARED / "golden").glob("*.yaml")):
        for block in load(path).values():
            if isinstance(block, list):
                yield from (case for case in block if isinstance(case, dict))


# The table is whole.


def test_every_row_of_the_matrix_stands_once_in_the_table_and_no_other_does() -> None:
    matrix = _reference().split("\n## 2. ")[1].split("\n## 3. ")[0]
    ids = re.findall(r"^\| ([A-Z]-\d\d)", matrix, re.MULTILINE)
    assert len(ids) > 100
    assert [row.id for row in ROWS] == ids
    assert not [name for name, count in Counter(ids).items() if count > 1]


def test_no_line_of_the_table_escapes_the_reading() -> None:
    lines = [line for line in _section().splitlines() if re.match(r"\| *[A-Z]-\d", line)]
    assert len(lines) == len(ROWS)


def test_rows_that_golden_cases_name_are_implemented() -> None:
    _reference()
    named = {row for case in _golden() for row in case.get("rows", ())}
    assert named
    assert named <= {row.id for row in ROWS if row.how == IMPLEMENTED}


# The table is true.


@in_bunches("row", ROWS, ids=lambda row: row.id)
def test_a_row_names_what_there_is(row: Row) -> None:
    """Modules exist and have the facts of the subjects named after them; the rest are tags."""
    assert row.how in (IMPLEMENTED, PERSON_ONLY, NOT_ANSWERED)
    module = None
    asked: Counter[str] = Counter()
    for name in row.named:
        if name.endswith(".py"):
            assert _path(name).is_file(), name
            module = name
            asked[name] += 0
        elif module is not None and (name, module) in SUBJECTS:
            asked[module] += 1
        else:
            assert name in TAGS or name == "discretion", name
    # A module of this room answers something; a fold's module may be named alone.
    assert not [name for name, count in asked.items() if "/" not in name and not count]
    if row.how == IMPLEMENTED:
        assert asked
    elif row.how == PERSON_ONLY:
        assert row.named
        assert row.named[0] in TAGS
    else:
        assert len(row.where.split()) > 3, "no reason"


def _own_golden() -> Iterator[str]:
    """Rows that our own golden cases name, each case judged under several rule sets."""
    for path in sorted((ROOT / "tests" / "golden" / "rules").glob("*.yaml")):
        cases_of = load(path)
        for case in cases_of if isinstance(cases_of, list) else []:
            yield from case.get("rows", ())


def _marked() -> Iterator[str]:
    """Rows in the `rows` marks of tests."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text("utf-8")
        # Most files have none, and reading a file's grammar takes its time.
        for node in ast.walk(ast.parse(text)) if "mark.rows" in text else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rows":
                yield from (ast.literal_eval(argument) for argument in node.args)


NAMED = {*_own_golden(), *_marked()}
"""Rows that a test names, with no shared folder at hand."""


@in_bunches("row", [row for row in ROWS if row.how == IMPLEMENTED], ids=lambda row: row.id, of=64)
def test_a_test_names_every_row_that_is_implemented(row: Row) -> None:
    assert row.id in NAMED


def test_tests_name_rows_that_are_implemented_and_no_others() -> None:
    assert {row.id for row in ROWS if row.how == IMPLEMENTED} >= NAMED


def test_a_module_of_an_implemented_row_has_tests() -> None:
    told = dict(re.findall(r"^\| `([\w/]+\.py)` \| `([\w/]+\.py)` \|$", _section(), re.MULTILINE))
    named = {name for row in ROWS for name in row.modules}
    assert set(told) == named
    assert not [tests for tests in told.values() if not (ROOT / tests).is_file()]


def test_every_subject_on_the_shelf_belongs_to_a_row() -> None:
    named = {name for row in ROWS for name in row.named}
    assert not {subject for subject, _ in SUBJECTS} - named


# Sections are those of the rule set that is cited; `test_sections.py` has the contents.


def test_sections_are_numbered_as_the_golden_cases_cite_them() -> None:
    _reference()
    cited = {
        (rule_set, section)
        for case in _golden()
        for rule_set, sections in case.get("cites", {}).items()
        for section in sections
        if rule_set in SHELF
    }
    assert len(cited) > 50
    for rule_set, section in cited:
        # The cases leave out the brackets.
        is_bare = rule_set.startswith("usbgf") and section != "S000"
        caption = SHELF[rule_set].caption(f"[{section}]" if is_bare else section)
        assert caption, (rule_set, section)


def cites_its_own(table: Table, rule_set: str) -> int:
    """How many findings there are; every one cites the rule set in force, or `common`."""
    findings = table.replay.findings
    for found in findings:
        assert found.rule_set in (rule_set, "common"), found
        assert SHELF[found.rule_set].caption(found.section), found
    return len(findings)


def illegal_play(table: Table) -> Table:
    """An illegal play, noticed at once; another one after it, noticed late."""
    table.game().opening(3, 1).play("one", "8/2")
    at_once = play.PlayIllegalityNoticed(target=table.last, noticed_by=Actor.TWO)
    table.record(at_once).turn("two", 42, "8/1")
    late = table.last
    table.turn("one", 61, "13/7 8/7").turn("two", 31, "24/20")
    return table.record(play.PlayIllegalityNoticed(target=late))


def cube_acts(table: Table) -> Table:
    """Doubles too early, too late, by who does not own the cube; a beaver; a drop."""
    table.game().double("one").opening(3, 1).double("two").play("one", "8/5 6/5")
    table.double("two").take("one").double("two").roll("two", 42).double("two")
    return table.beaver("one").drop("two")


def crawford(table: Table) -> Table:
    """Doubles in the Crawford game, one of them noticed after the game."""
    table.score_is(6, 3).game().turns(1).double("two")
    doubled = table.last
    return table.take("one").won("two", 2).void_cube(doubled)


def early(table: Table) -> Table:
    """A roll and a double before the other's turn is over; a turn ended by lifting the dice."""
    table.game().opening(3, 1).early("two", 42).answers_early("no_comment").play("one", "8/5 6/5")
    table.ends_turn("one").turn("two", 42, "8/4 6/4").roll("one", 61).double("two")
    return table


def endings(table: Table) -> Table:
    """A resignation with contact; a score and a result that the games do not make."""
    table.game().turns(3).resign("one", "gammon").accept("two")
    return table.noted(5, 0).win("backgammon").ended("two", (0, 7))


def clocked(table: Table) -> Table:
    """A clock set otherwise than allotted, paused, and run out."""
    table.clock(reserve_s=300, delay_s=0).game().turns(2)
    table.record(clock.ClockPaused(reason="die_on_floor"))
    fault = clock.ClockFaultNoticed(kind=clock.ClockFault.NOT_PRESSED, seat=Seat.ONE)
    return table.record(fault).record(clock.ClockFlagNoticed(whose=clock.Flag.BOTH))


def corrections(table: Table) -> Table:
    """A correction of nothing, an opening tie, a dispute."""
    table.retract("00000000-0000-4000-8000-000000009999").game().opening(3, 3).opening(3, 1)
    return table.record(dispute.DisputeRaised(by=Actor.ONE, topic="score.question"))


MATCHES = (illegal_play, cube_acts, crawford, early, endings, clocked, corrections)


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("told", MATCHES, ids=lambda told: told.__name__)
def test_findings_cite_the_rule_set_in_force(told: Callable[[Table], Table], rule_set: str) -> None:
    table = told(Table(7, rule_set=rule_set, crawford="on", no_such_option="on"))
    # The option is found in every match; what the match was told for, beside it.
    assert cites_its_own(table, rule_set) > 1


@in_bunches("case", cases("appeals"))
def test_findings_on_appeals_cite_the_rule_set_in_force(case: Case | None) -> None:
    case = present(case)
    cites_its_own(test_appeals.told(case.case["given"], case.rule_set), case.rule_set)
