"""Draws findings for a second reading: so many a text, the same ones whenever it is asked.

`python tests/projections/rules/second_reading.py [third]` prints each with what was recorded and
what is said; `SECOND_READING.md` has what a reader found when the cited sections were opened.

A finding's place in the draw is a hash of where it stands, so that cases which are added later move
few of the others. Of findings that differ in nothing but names and numbers one is drawn.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import NamedTuple

for _folder in (Path(__file__).parents[3], Path(__file__).parent, Path(__file__).parents[1]):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

import script  # noqa: E402
from shown import Shown, everything, told  # noqa: E402

from projections.folding.findings import Finding  # noqa: E402
from projections.rules.shelf import SHELF  # noqa: E402

SEED = "second reading, 24 November 2026"

COUNTS = {
    "usbgf-2017-07": 8,
    "usbgf-2017-09": 7,
    "biba-2014": 8,
    "fcbg-tournament": 8,
    "fcbg-club": 7,
    "common": 7,
    "wbgf-2.1": 8,
    "usbgf-2024": 7,
}
"""Rule set to the number of findings that are drawn of it: 60 in all. Others came after it."""

THIRD = "third reading, 25 November 2026"
"""Seed of sixty others, of which `SECOND_READING.md` tells at its end."""
THIRD_COUNTS = {
    "usbgf-2017-07": 13,
    "usbgf-2017-09": 6,
    "biba-2014": 13,
    "fcbg-tournament": 13,
    "fcbg-club": 4,
    "common": 5,
    "wbgf-2.1": 3,
    "usbgf-2024": 3,
}


class Drawn(NamedTuple):
    """One finding, and the match in which it was made."""

    shown: Shown
    finding: Finding

    @property
    def place(self) -> str:
        """Where it stands, as the table writes it."""
        options = "".join(f", {option}" for option in self.shown.options)
        return f"{self.shown.source}{options}, {self.finding.version}, {self.finding.code}"

    def rank(self, seed: str) -> str:
        """Its place in the draw."""
        told = f"{seed}|{self.shown.rule_set}|{self.place}|{self.finding.seat}"
        return hashlib.sha256(told.encode()).hexdigest()

    @property
    def kind(self) -> tuple[str, ...]:
        """What it has in common with findings that differ only in names and numbers."""
        return (self.finding.code, self.finding.section, self.finding.said.text)


def drawn() -> list[Drawn]:
    """The sample, rule set by rule set."""
    return _sample(SEED, COUNTS, set())


def drawn_thirdly() -> list[Drawn]:
    """Sixty others: of no kind that was drawn before."""
    return _sample(THIRD, THIRD_COUNTS, {(one.shown.rule_set, one.kind) for one in drawn()})


def _sample(
    seed: str, counts: dict[str, int], without: set[tuple[str, tuple[str, ...]]]
) -> list[Drawn]:
    every = [Drawn(shown, finding) for shown in everything() for finding in shown.replay.findings]
    sample = []
    for rule_set, count in counts.items():
        of_text = sorted(
            (
                one
                for one in every
                if one.shown.rule_set == rule_set and (rule_set, one.kind) not in without
            ),
            key=lambda one: one.rank(seed),
        )
        kinds = {one.kind: one for one in reversed(of_text)}
        sample += sorted(kinds.values(), key=lambda one: one.rank(seed))[:count]
    return sample


if __name__ == "__main__":
    asked = drawn_thirdly() if sys.argv[1:] == ["third"] else drawn()
    for number, one in enumerate(asked, start=1):
        shown, finding = one
        steps = shown.replay.steps
        print(f"\n## {number}. {shown.rule_set}: {one.place}  seat {finding.seat}")
        print(script.written(step.event for step in steps[max(0, len(steps) - 24) :]), end="")
        print(f"cites  {finding.section} = {SHELF[shown.rule_set].caption(finding.section)}")
        print(f"says   {told(finding.said)}")
        print(f"{finding.severity.value}, {finding.ambiguity}, verified {finding.verified}")
        print(f"asks   {finding.ruling_required}")
