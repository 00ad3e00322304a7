"""The rule that an entry is cited under: the one it names, else that of the rule set in force."""

from __future__ import annotations

from events.payloads.base import RuleReference
from projections.folding.fold import Seen
from projections.folding.sayings import printable


def cited(rule: RuleReference | None, subject: str, seen: Seen) -> tuple[str, str]:
    """(rule set, section) of the rule that the entry names, else of the one in force."""
    if rule is None:
        return seen.rules.cite(subject)
    return printable(rule.rule_set), printable(rule.section)
