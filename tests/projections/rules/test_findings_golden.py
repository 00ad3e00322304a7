"""Small whole matches: every finding in them under every text, line by line.

`tests/golden/rules/findings.yaml` contains what happened and what each text finds in it. The other
golden files ask one question about a match; this one checks that nothing else is found or asked.
`TABULARIUM_REWRITE=1` rewrites the findings; look at the difference before you keep it.
"""

from __future__ import annotations

import os
from typing import Any

import own
import script
import yaml

from projections.folding.findings import Finding
from projections.folding.sayings import worded
from projections.replay import Replay, replay
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches

NAME = "findings"
HEAD = (
    "# What happened in a match, and all that every text finds in it: version, code, section,\n"
    "# seat, and of a question its readings, the lean after =, and the entry that answered it.\n"
    "# Written and read by tests/projections/rules/test_findings_golden.py.\n"
)


def lines(shown: Replay) -> list[str]:
    """Every finding in a line, and who has won if somebody has."""
    told = [_line(finding) for finding in shown.findings]
    winner, score = shown.state.judged.outcome.winner, shown.state.match_score
    return told if winner is None else [*told, f"{score.one}-{score.two}, {winner} has won"]


def _line(finding: Finding) -> str:
    words = [str(finding.version), finding.code, finding.section]
    if finding.seat is not None:
        words.append(finding.seat)
    question = finding.ruling_required
    if question is not None:
        words.append("? " + " | ".join(question.readings or (question.reason,)))
        if question.lean is not None:
            words.append(f"= {script.numbers(own.plain(question.lean))}")
        if finding.answered_by is not None:
            words.append(f"answered by {finding.answered_by}")
    return " ".join(words)


def found(case: dict[str, Any], rule_set: str) -> list[str]:
    """What a text finds in a case."""
    return lines(replay(own.under(script.read(case["events"]), rule_set, {})))


def rewrite() -> None:
    """The new text of the file: the cases as they are, and the present findings."""
    blocks = [HEAD]
    for case in own.loaded(NAME):
        anew = {key: case[key] for key in ("id", "says", "events")}
        anew["events"] = own._Lines(anew["events"])
        anew["found"] = {rule_set: found(case, rule_set) for rule_set in SHELF}
        blocks.append(yaml.dump([anew], Dumper=own._Dumper, sort_keys=False, width=1_000))
    (own.FOLDER / f"{NAME}.yaml").write_text("\n".join(blocks), "utf-8")
    own.loaded.cache_clear()


if os.environ.get("TABULARIUM_REWRITE") == "1":
    rewrite()

CASES = own.loaded(NAME)


@in_bunches("case", CASES, ids=lambda case: case["id"], of=6)
def test_a_match_is_found_to_be_as_it_says_under_every_text(case: dict[str, Any]) -> None:
    """Pinned, and recorded under no rule set and judged afterwards: nothing more, nothing less."""
    assert {rule_set: found(case, rule_set) for rule_set in SHELF} == case["found"]
    stream = script.read(case["events"])
    for rule_set, expected in case["found"].items():
        assert lines(replay(own.under(stream, None, {}), rule_set)) == expected, rule_set


def test_every_case_says_what_happened_in_a_sentence_of_its_own() -> None:
    says = [case["says"] for case in CASES]
    assert len(says) == len(set(says))
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert all(one[0].isupper() and one[-1] == "." for one in says)


def test_a_stream_is_written_as_it_was_read() -> None:
    for case in CASES:
        assert script.written(script.read(case["events"])) == case["events"], case["id"]


def test_a_sign_that_was_acted_on_in_its_time_is_answered_so() -> None:
    """Who touched the cube too early and doubled in the own turn has done it when it was legal."""
    case = next(case for case in CASES if case["id"] == "FN74")
    shown = replay(own.under(script.read(case["events"]), "usbgf-2017-07", {}))
    (answered,) = shown.state.rulings.answers.values()
    assert answered.reading == "first_legal_opportunity"


def test_a_score_that_is_a_reading_or_a_lean_stays_a_score() -> None:
    case = next(case for case in CASES if case["id"] == "FN47")
    shown = replay(own.under(script.read(case["events"]), "biba-2014", {}))
    (question,) = [one.ruling_required for one in shown.open_questions if one.ruling_required]
    assert [str(worded(one)) for one in question.readings] == ["5-3", "4-3", "1-0"]
    assert str(question.leaning) == "5-3"
