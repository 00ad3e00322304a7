"""The headings of the rule texts themselves, with the items and paragraphs under each of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

TEXTS = {"usbgf-2017-07": "001", "biba-2014": "003", "fcbg-tournament": "002", "common": "004"}
"""Rule sets with a whole text in hand, and the number of its file."""
SAME_TEXT = {"fcbg-club": "fcbg-tournament", "usbgf-2017-09": "usbgf-2017-07"}
"""Rule sets whose own text is not in hand, so that another text's headings are used for them."""

_HEADING = re.compile(r"(GAME PLAY/)?[A-Z0-9][A-Z0-9 /]+(?=\. ?)")
_ITEM = re.compile(r"(\([a-z]\)) ")
_SHORT = {"IRREGULARITIES": "IRR", "CONTENTIONS": "CONT", "CRAWFORD RULE": "CRAWFORD"}
_LETTERED = ("IRR/T", "CONT/T")
"""Headings whose items are sections of their own."""


def text_of(rule_set: str, seeds: Path) -> str:
    """The text of a rule set."""
    (path,) = seeds.glob(f"{TEXTS[rule_set]}_*.txt")
    return path.read_text("utf-8")


def sections_of(rule_set: str, seeds: Path) -> list[str]:
    """Every section of the text, in its order, in the form in which it is cited."""
    text = text_of(rule_set, seeds)
    if rule_set == "usbgf-2017-07":
        return re.findall(r"^#+ .*<sup>(\[[\d.-]+\])</sup>", text, re.MULTILINE)
    if rule_set == "biba-2014":
        # 1.0, 2.0 ... are names of chapters, and say nothing.
        numbers = re.findall(r"^(\d\.\d+a?) ", text, re.MULTILINE)
        heads = [number for number in numbers if not number.endswith(".0")]
        heads += [f"St. {number}" for number in re.findall(r"^(\d)\. ", text, re.MULTILINE)]
        return [*heads, "ClkR"]
    if rule_set == "common":
        lines = text.splitlines()
        # A chapter's name stands alone between two empty lines; the site's own words come after.
        return [line for line in lines[1 : lines.index("SOCIAL NETWORKS")] if 0 < len(line) < 20]
    return [section for section, item in _lettered(text) if item is None]


def items_of(rule_set: str, seeds: Path) -> Counter[tuple[str, str]]:
    """(section, item) of every lettered rule below a section, and how often the text has it."""
    if rule_set != "fcbg-tournament":
        return Counter()
    pairs = _lettered(text_of(rule_set, seeds))
    return Counter((section, item) for section, item in pairs if item is not None)


def paragraphs_of(rule_set: str, seeds: Path) -> Counter[str]:
    """How many paragraphs a section has, in texts that put a rule into each."""
    heads = sections_of(rule_set, seeds)
    found: Counter[str] = Counter()
    section = None
    for line in text_of(rule_set, seeds).splitlines():
        if line == "SOCIAL NETWORKS":
            break
        named = [head for head in heads if line == head or line.endswith(f"<sup>{head}</sup>")]
        if named:
            (section,) = named
        elif section is not None and len(line) > 40 and not line.startswith("#"):
            found[section] += 1
    return found


def _lettered(text: str) -> Iterator[tuple[str, str | None]]:
    inside = ""
    for line in text.splitlines():
        item, heading = _ITEM.match(line), _HEADING.match(line)
        if item and inside in _LETTERED:
            yield f"{inside}{item[1]}", None
        elif item:
            yield inside, item[1]
        elif heading:
            inside = _cited(heading[0])
            if inside not in _LETTERED:
                yield inside, None


def _cited(heading: str) -> str:
    """A heading of the text, in the form in which it is cited."""
    bare, slash, _ = heading.removeprefix("GAME PLAY/").partition("/TOURNAMENT")
    for folder in ("IRREGULARITIES/", "DICE/", "CHECKERS/", "DOUBLING/"):
        bare = bare.removeprefix(folder)
    return _SHORT.get(bare, bare) + ("/T" if slash else "")
