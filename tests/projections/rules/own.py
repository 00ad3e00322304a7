"""Our own golden cases: what happened, in a sentence and as events, and every text's answer.

`tests/golden/rules/<subject>.yaml` needs no folder of shared data. `TABULARIUM_REWRITE=1 uv run
pytest tests/projections/rules/test_own_golden.py` rewrites the answers; look at the difference
before you keep it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import yaml

from events.envelope import RecordedEvent
from events.payloads.base import Option
from projections.folding.findings import Finding
from projections.replay import Replay, replay
from projections.rules.answers import Answer
from tests.projections.rules import script
from tests.projections.rules.golden import plain

FOLDER = Path(__file__).parents[2] / "golden" / "rules"

OF_AN_ANSWER = (
    *("section", "ambiguity", "reason", "readings", "lean", "suggest", "flag", "verified"),
    "rests_on",
)
"""What an answer says beside its outcome and its details."""


@dataclass(frozen=True, eq=False)
class Judged:
    """One case under one rule set, and what is expected of it."""

    subject: str
    """Name of the file."""
    id: str
    about: str
    """Which answer is read."""
    stream: tuple[RecordedEvent, ...]
    """What happened, recorded under no rule set."""
    rule_set: str
    options: dict[str, Any]
    """Options pinned beside those of the stream."""
    expect: dict[str, Any]
    """The answer, as `told` tells it."""

    @property
    def name(self) -> str:
        """Case, rule set and options, for the id of a test."""
        return "-".join([self.id, self.rule_set, *map(str, self.options)])

    @functools.cached_property
    def unpinned(self) -> list[RecordedEvent]:
        """The stream with the options alone."""
        return under(self.stream, None, self.options)

    @functools.cached_property
    def pinned(self) -> list[RecordedEvent]:
        """The stream with rule set and options."""
        return under(self.stream, self.rule_set, self.options)

    @functools.cached_property
    def shown(self) -> Replay:
        """The match recorded under the rule set."""
        return replay(self.pinned)

    @property
    def judged_later(self) -> Replay:
        """The match recorded under no rule set, and judged by this one afterwards."""
        return replay(self.unpinned, self.rule_set)


def under(
    stream: Iterable[RecordedEvent], rule_set: str | None, options: Mapping[str, Any]
) -> list[RecordedEvent]:
    """The same events in a match that pins a rule set and further options."""
    opened, *rest = stream
    pinned = {key: Option(value=value) for key, value in options.items()}
    payload = msgspec.structs.replace(
        opened.payload, rule_set=rule_set, options={**opened.payload.options, **pinned}
    )
    return [msgspec.structs.replace(opened, payload=payload), *rest]


@functools.cache
def loaded(name: str) -> Any:
    """A file, as it is."""
    text = (FOLDER / f"{name}.yaml").read_text("utf-8")
    return yaml.load(text, yaml.CSafeLoader)


@functools.cache
def judged(name: str) -> tuple[Judged, ...]:
    """Every case of a file under every rule set, its streams read; each is replayed once a run."""
    return tuple(one for case in loaded(name) for one in judged_of(name, case))


def judged_of(name: str, case: dict[str, Any]) -> Iterator[Judged]:
    """One case of a file under every rule set."""
    stream = tuple(script.read(case["events"]))
    for options, rules in _answers(case):
        for rule_set, expect in rules.items():
            yield Judged(name, case["id"], case["about"], stream, rule_set, options, expect)


def _answers(case: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    yield {}, case["rules"]
    for pinned in case.get("pinned", ()):
        yield pinned["options"], pinned["rules"]


def by_case(judged: Iterable[Judged]) -> list[list[Judged]]:
    """The same case under all its rule sets, one list each, so that there are fewer tests."""
    cases: dict[tuple[str, str], list[Judged]] = {}
    for one in judged:
        cases.setdefault((one.subject, one.id), []).append(one)
    return list(cases.values())


# Answers as data.


def told(answer: Answer | None, shown: Replay) -> dict[str, Any]:
    """An answer (no outcome where nothing was judged), and every question open at the end."""
    said = {"outcome": None} if answer is None else _told(answer)
    questions = [_asked(finding, said) for finding in shown.open_questions]
    told: dict[str, Any] = script.numbers({**said, "open": questions} if questions else said)
    return told


def _told(answer: Answer) -> dict[str, Any]:
    said = {"outcome": answer.outcome, "section": answer.section, **answer.details}
    for name in OF_AN_ANSWER[1:]:
        value = getattr(answer, name)
        if value != Answer.__struct_defaults__[Answer.__struct_fields__.index(name) - 2]:
            assert name not in answer.details
            said[name] = value
    if answer.also:
        said["also"] = {name: _told(other) for name, other in answer.also.items()}
    told: dict[str, Any] = plain(said)
    return told


def _asked(finding: Finding, said: dict[str, Any]) -> dict[str, Any]:
    """A question: topic, entry and seat, and where it differs from the answer itself."""
    question = finding.ruling_required
    assert question is not None
    asked = {
        "section": finding.section,
        "ambiguity": finding.ambiguity,
        "reason": None if question.reason == "ambiguous" else question.reason,
        "readings": question.readings,
        "lean": question.lean,
        "suggest": question.suggest,
        "verified": finding.verified,
    }
    known = {"verified": True, "readings": [], **said}
    differs = {key: value for key, value in plain(asked).items() if known.get(key) != value}
    key = {"topic": question.topic, "at": finding.entry_id, "seat": finding.seat}
    return {name: plain(value) for name, value in key.items() if value is not None} | differs


def answer_of(said: Mapping[str, Any]) -> Answer:
    """The answer that was told."""
    said = script.entries(dict(said))
    said.pop("open", None)
    also = {name: answer_of(other) for name, other in said.pop("also", {}).items()}
    members = {name: said.pop(name) for name in ("outcome", *OF_AN_ANSWER) if name in said}
    return Answer(**members, details=said, also=also)


# Writing.


def put(case: dict[str, Any], rule_set: str, options: dict[str, Any], answer: Any) -> None:
    """Write the expected answers of a case into it."""
    if not options:
        case.setdefault("rules", {})[rule_set] = answer
        return
    pinned = case.setdefault("pinned", [])
    if not pinned or pinned[-1]["options"] != options:
        pinned.append({"options": options, "rules": {}})
    pinned[-1]["rules"][rule_set] = answer


class _Flow(dict[str, Any]):
    """A mapping on one line."""


class _Words(list[str]):
    """A list on one line."""


class _Lines(str):
    """A text that keeps its lines."""

    __slots__ = ()


class _Dumper(yaml.CSafeDumper):
    """Lists and mappings as our files have them."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(
    _Flow, lambda dumper, data: dumper.represent_mapping("tag:yaml.org,2002:map", data, True)
)
_Dumper.add_representer(
    _Words, lambda dumper, data: dumper.represent_sequence("tag:yaml.org,2002:seq", data, True)
)
_Dumper.add_representer(
    _Lines,
    lambda dumper, data: dumper.represent_scalar("tag:yaml.org,2002:str", str(data), style="|"),
)


def write(name: str, head: str, cases: Iterable[dict[str, Any]]) -> None:
    """The new text of a file: `id`, `says`, `rows`, `about`, events, and answers of each case."""
    blocks = [head]
    for case in cases:
        shown = {**case, "rows": _Words(case["rows"])}
        shown |= {"events": _Lines(case["events"]), "rules": _flow(case["rules"])}
        if "pinned" in case:
            shown["pinned"] = [
                {"options": _Flow(each["options"]), "rules": _flow(each["rules"])}
                for each in case["pinned"]
            ]
        blocks.append(
            yaml.dump([shown], Dumper=_Dumper, sort_keys=False, width=100, allow_unicode=True)
        )
    (FOLDER / f"{name}.yaml").write_text("\n".join(blocks), "utf-8")
    loaded.cache_clear()
    judged.cache_clear()


def _flow(rules: Mapping[str, Any]) -> dict[str, Any]:
    return {rule_set: _Flow(answer) for rule_set, answer in rules.items()}
