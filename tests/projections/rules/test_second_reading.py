"""The second reading: what was read is still found in the same place, and the draw gives sixty."""

from __future__ import annotations

import re
from pathlib import Path

import second_reading
from shown import everything

TABLE = Path(__file__).with_name("SECOND_READING.md")
ROW = re.compile(
    r"\| \d+ \| `([\w.-]+)` \| (.+?), (\d+), ([a-z-]+) \| (.+?) \| .+ \| .+ \| .+ \|.*\|"
)


def test_sixty_are_drawn_over_all_texts_and_the_same_ones_each_time() -> None:
    sample = second_reading.drawn()
    assert len(sample) == 60
    assert sample == second_reading.drawn()
    assert {one.shown.rule_set for one in sample} == {
        rule_set for rule_set, count in second_reading.COUNTS.items() if count
    }
    assert len({(one.shown.rule_set, one.kind) for one in sample}) == 60
    others = {(one.shown.rule_set, one.kind) for one in second_reading.drawn_thirdly()}
    assert len(others) == 60
    assert not others & {(one.shown.rule_set, one.kind) for one in sample}


def test_what_was_read_is_found_under_the_section_that_was_read() -> None:
    rows = [ROW.fullmatch(line) for line in TABLE.read_text("utf-8").splitlines()]
    read = {row.groups() for row in rows if row is not None}
    assert len(read) == 60
    found = {
        (shown.rule_set, shown.source, str(finding.version), finding.code, finding.section)
        for shown in everything()
        for finding in shown.replay.findings
    }
    assert read - found == set()
