"""The sections of a loaded rule text, found by their marks, their numbers or their headings."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

MARK = "## "
"""A line of an operator's own copy that begins so names the section that follows."""

_NUMBER = re.compile(
    r"\s*+(?:§|Rule|Section|Art(?:icle)?\.?)?\s*+\[?(?P<number>\d+(?:\.\d+[a-z]?)*(?:-\d+)?)\]?[.):]?"
    r"(?P<items>(?:\s*\((?:[ivxlc]+|[a-z])\))*)(?=\s|$)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?P<item>\((?:[ivxlc]+|[a-z])\))(?=\s|$)")
_AT_END = re.compile(r"#+ +[^\[\s].*?\[(?P<number>\d+(?:\.\d+)*(?:-\d+)?)\]")
_LEADERS = re.compile(r"(?<!\.)\.{4,}+\s*+\d++\s*+$")
_SPACE = re.compile(r"\s+")


@functools.lru_cache(maxsize=32)
def sections_in(text: str, wanted: tuple[str, ...]) -> Mapping[str, str]:
    """Section to its text: those that the text marks with `## `, else those wanted that it has.

    Numbers are found at the beginning of a line (`4.3`, `[4.3]`, `Rule 4.3`, `4.3 (iii)`, and
    `(iii)` alone under 4.3), names where they stand alone on one; a section has its items with it.
    Lines of a table of contents are no sections.
    """
    lines = text.splitlines()
    marks = {line.removeprefix(MARK).strip() for line in lines if line.startswith(MARK)}
    if marks and not (wanted and marks.isdisjoint(wanted)):
        return _by_marks(lines)
    names = {section.casefold(): section for section in wanted}
    found: list[tuple[str, list[str]]] = []
    inside = ""
    for line in lines:
        if _LEADERS.search(line):
            continue
        number = _number_of(line, inside)
        if number is not None:
            inside = number
            found.append((number, []))
        elif line.strip(" .:#").casefold() in names:
            inside = names[line.strip(" .:#").casefold()]
            found.append((inside, []))
        if found:
            found[-1][1].append(line)
    told = {
        section: "\n".join(
            line for number, lines in found if _is_within(number, section) for line in lines
        ).strip()
        for section in wanted
    }
    return {section: words for section, words in told.items() if words}


def _number_of(line: str, inside: str) -> str | None:
    """The number with which a line begins; an item goes on from the number that it is under."""
    at_end = _AT_END.match(line)
    if at_end is not None:
        return at_end["number"]
    item = _ITEM.match(line)
    if item is not None:
        return f"{inside.partition('(')[0]}{item['item']}" if inside else None
    found = _NUMBER.match(line)
    # A number alone, without a point or brackets, begins many a line of prose, and every page.
    if found is None or ("." not in found["number"] and "[" not in found[0]):
        return None
    return found["number"] + _SPACE.sub("", found["items"])


def _is_within(number: str, section: str) -> bool:
    """Whether what bears a number belongs to a section as it is cited."""
    cited = section.strip("[]")
    stem, dash, last = cited.partition("-")
    if dash and last.isdecimal():
        head, _, first = stem.rpartition(".")
        if first.isdecimal():
            within = {f"{head}.{one}" for one in range(int(first), int(last) + 1)}
            return number == cited or any(_is_within(number, one) for one in within)
    return number == cited or number.startswith((f"{cited}.", f"{cited}("))


def _by_marks(lines: list[str]) -> Mapping[str, str]:
    sections: dict[str, list[str]] = {}
    text: list[str] = []
    for line in lines:
        if line.startswith(MARK):
            text = sections.setdefault(line.removeprefix(MARK).strip(), [])
        else:
            text.append(line)
    return {number: "\n".join(text).strip() for number, text in sections.items() if any(text)}
