"""The table of all texts by section, written from the index that each of them has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from projections.rules.index import How, Line, by_section
from projections.rules.profile import RuleProfile
from projections.rules.shelf import SHELF

_HEAD = """\
# The rules by section

Every section of every text on the shelf, rule by rule, and what becomes of it: **computed**, with
the policy's subject or the finding's code; **recorded**, with the entry that says it, and whoever
judges it is a person; or **left** to a person, and why. A policy may find that a case is open: then
it asks. Written from the `index.py` beside each text's sections; the page `/rules` shows the same.
`TABULARIUM_REWRITE=1 uv run pytest tests/house/test_rule_sets.py` writes it anew.
"""


def table(shelf: Mapping[str, RuleProfile] = SHELF) -> str:
    """The whole file as Markdown: one table for each rule set."""
    return "\n".join([_HEAD, *(line for one in shelf.values() for line in _rows(one))])


def _rows(profile: RuleProfile) -> Iterator[str]:
    yield f"## `{profile.id}`: {profile.title}\n"
    yield "| section | speaks about | rule | what becomes of it |"
    yield "|---|---|---|---|"
    for section, lines in by_section(profile.contents, profile.index).items():
        for line in lines:
            about = profile.contents.get(section, "")
            yield f"| {section}{line.item or ''} | {about} | {line.what} | {_told(line)} |"
    yield ""


def _told(line: Line) -> str:
    if line.how is How.LEFT:
        return f"left: {line.why}"
    return f"{line.how}: " + ", ".join(f"`{name}`" for name in line.names)
