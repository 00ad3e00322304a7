"""Fixtures for the golden cases of the rule sets: where they lie, and that citations exist."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from projections.folding import findings
from projections.folding.findings import Finding
from projections.rules.answers import Answer
from projections.rules.profile import RuleProfile, Rules
from projections.rules.shelf import SHELF

# Helpers of this folder and the table of the folds' tests are plain modules beside the tests.
for folder in (Path(__file__).parent, Path(__file__).parents[1]):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@pytest.fixture(autouse=True)
def citations_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """In every test here each finding, and each answer of a rule set, cites what its text has."""
    ask = Rules.ask

    def found(**members: Any) -> Finding:
        finding = Finding(**members)
        profile = SHELF.get(finding.rule_set)
        assert profile is None or profile.caption(finding.section), finding
        return finding

    def asked(rules: Rules, subject: str, facts: Any) -> Answer:
        answer = ask(rules, subject, facts)
        _exists(rules.profile, subject, answer)
        return answer

    monkeypatch.setattr(findings, "Finding", found)
    monkeypatch.setattr(Rules, "ask", asked)


def _exists(profile: RuleProfile, subject: str, answer: Answer) -> None:
    assert profile.caption(answer.section), (profile.id, subject, answer)
    for beside in answer.also.values():
        _exists(profile, subject, beside)
