"""Everything that is shown to a director in the cases at hand: each finding, and where it is from.

`python tests/projections/rules/shown.py` lists every sentence once, with where it was first said.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

for _folder in (Path(__file__).parents[3], Path(__file__).parent, Path(__file__).parents[1]):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

import own  # noqa: E402
import script  # noqa: E402
from federations import FEDERATIONS, federation_match  # noqa: E402
from subjects import SUBJECTS  # noqa: E402

from api.archive.archive import open_archive  # noqa: E402
from api.commands.demo import seed  # noqa: E402
from api.commands.demo_matches import LATE_MATCH, LIVE_MATCH, SECOND_MATCH  # noqa: E402
from api.commands.demo_table import DEMO_LOG, DEMO_MATCH  # noqa: E402
from api.html.entry_words import sentence  # noqa: E402
from api.html.texts import texts_of  # noqa: E402
from events.envelope import RecordedEvent  # noqa: E402
from projections.folding.sayings import Said  # noqa: E402
from projections.replay import Replay, replay  # noqa: E402
from projections.rules.shelf import SHELF  # noqa: E402
from tests.projections.playthroughs import home_match  # noqa: E402

NAMES = {"one": "Ada", "two": "Ben"}
"""Made up."""


class Shown(NamedTuple):
    """One match under one rule set."""

    source: str
    """Golden file and case, or the name of the match."""
    rule_set: str
    options: tuple[str, ...]
    """Options that the case pins under this rule set beside its own."""
    replay: Replay


@functools.cache
def golden() -> tuple[Shown, ...]:
    """Our own golden cases, in which every shared one is, under every rule set."""
    return tuple(
        Shown(f"{one.subject}/{one.id}", one.rule_set, tuple(map(str, one.options)), one.shown)
        for name in SUBJECTS
        for one in own.judged(name)
    )


@functools.cache
def matches() -> tuple[Shown, ...]:
    """The playthroughs and the demonstration, under every rule set."""
    streams: dict[str, list[RecordedEvent]] = {
        f"playthrough/{rules}": federation_match(rules).events for rules in FEDERATIONS
    }
    streams["playthrough/home"] = home_match().events
    streams |= {f"demo/{name}": events for name, events in _demonstration()}
    return tuple(
        Shown(source, rule_set, (), replay(events, rule_set))
        for source, events in streams.items()
        for rule_set in SHELF
    )


def _demonstration() -> Iterator[tuple[str, list[RecordedEvent]]]:
    with contextlib.closing(open_archive("memory://")) as archive:
        asyncio.run(seed(archive))
        for match in (DEMO_MATCH, SECOND_MATCH, LIVE_MATCH, LATE_MATCH):
            yield match, [step.event for step in archive.reading.live(DEMO_LOG, match).replay.steps]


@functools.cache
def miniatures() -> tuple[Shown, ...]:
    """The matches of `findings.yaml`, under every rule set."""
    return tuple(
        Shown(
            f"findings/{case['id']}",
            rules,
            (),
            replay(own.under(script.read(case["events"]), rules, {})),
        )
        for case in own.loaded("findings")
        for rules in SHELF
    )


def everything() -> tuple[Shown, ...]:
    """All of it."""
    return (*golden(), *miniatures(), *matches())


def told(one: Said, language: str = "en") -> str:
    """The sentence as a director reads it, with names."""
    return sentence(texts_of(language), one.as_json(), NAMES)


if __name__ == "__main__":
    for language in ("en", "de"):
        seen: dict[str, str] = {}
        for shown in everything():
            for finding in shown.replay.findings:
                seen.setdefault(
                    f"{finding.code}: {told(finding.said, language)}",
                    f"{shown.source} {shown.rule_set}",
                )
        print(f"# {language}: {len(seen)}")
        for line, source in sorted(seen.items()):
            print(f"{line}   <{source}>")
