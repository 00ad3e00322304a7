"""What was said in an entry, in words: for pages without scripts, for files, for a terminal."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from projections.folding.sayings import PLACE, in_place
from projections.views.lines import Line

_ENGLISH = Path(__file__).parents[2] / "web" / "texts" / "en"


class Texts(Protocol):
    """The texts of a language, by their keys."""

    def __call__(self, key: str, **values: object) -> str:
        """The text with its places filled."""

    def has(self, key: str) -> bool:
        """Whether there is such a text."""

    def rules(self, rule_set: str) -> str:
        """What people call a rule set."""


class _English:
    """The texts that words take, as pages have them in English: files for people are in English."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        for name in ("rules.json", "words.json", "replay.json"):
            self._texts.update(json.loads((_ENGLISH / name).read_text("utf-8")))

    def __call__(self, key: str, **values: object) -> str:
        return PLACE.sub(lambda found: in_place(found, values), self._texts[key])

    def has(self, key: str) -> bool:
        return key in self._texts

    def rules(self, rule_set: str) -> str:
        return self._texts.get(f"rules.called.{rule_set}", rule_set)


@functools.cache
def english() -> Texts:
    """The English texts."""
    return _English()


class Saying(NamedTuple):
    """One thing that was said, or a file."""

    label: str
    text: str | None
    """None where it is left out."""
    left_out: str | None
    """Why it is."""
    href: str | None = None
    """The address of a file."""
    is_image: bool = False


class Spoken(NamedTuple):
    """What was said in one entry."""

    version: int
    sayings: list[Saying]
    written_by: str | None


def spoken(t: Texts, version: int, line: Line, names: Mapping[str, str]) -> Spoken:
    """The words of an entry, as `words_line` has them, in the reader's language."""
    sayings = [_saying(t, one, names) for one in line["words"]]
    if line["file"] is not None:
        sayings.append(_file(t, line["file"]))
    recorder = line["recorder"]
    return Spoken(version, sayings, None if recorder is None else written_by(t, recorder))


def left_out_of(said: Spoken) -> str | None:
    """Why the words of an entry are left out, if it is the same reason for all of them."""
    reasons = {one.left_out for one in said.sayings}
    return reasons.pop() if len(reasons) == 1 else None


def _saying(t: Texts, word: Line, names: Mapping[str, str]) -> Saying:
    by, kind = word["by"], word["kind"]
    who = None if by is None else names.get(by) or t(f"replay.actor.{by}")
    key = f"words.kind.{kind}"
    label = t(key) if t.has(key) else kind.replace("_", " ")
    if kind == "says" and who is not None:
        label = t("words.says", who=who)
        label = label[:1].upper() + label[1:]
    elif who is not None:
        label = t("words.kind_by", kind=label, who=who)
    return Saying(label, word["text"], None if word["withheld"] is None else _why(t, word))


def _why(t: Texts, line: Line) -> str:
    return t("words.left_out", why=t(f"words.why.{line['withheld']}"))


def _file(t: Texts, file: Line) -> Saying:
    key = f"words.file.{file['kind']}"
    label = t(key) if t.has(key) else t("words.file")
    if file["href"] is None:
        is_told = file["withheld"] is None
        return Saying(
            label, file["sha256"] if is_told else None, None if is_told else _why(t, file)
        )
    size = -(-(file["size_bytes"] or 0) // 1000)
    told = t("words.file_open", kind=label, size=size)
    return Saying(label, told, None, file["href"], file["is_image"])


def written_by(t: Texts, recorder: Line) -> str:
    """Who wrote an entry down: by name where it is known, else by role, never by an id."""
    key = f"words.role.{recorder['role'] or 'unknown'}"
    role = t(key) if t.has(key) else t("words.role.unknown")
    if recorder["table"] is not None:
        role = t("words.at_table", role=role, table=recorder["table"])
    who = role if recorder["name"] is None else t("words.named", name=recorder["name"], role=role)
    return t("words.written_by", who=who)


def notes_on(t: Texts, showing: Line) -> list[str]:
    """What a reader is not shown of a match, with the rule set and the reason."""
    withheld, cut, rules = showing["withheld"], showing["cut"], t.rules(showing["rule_set"])
    if showing["reader"] == "public":
        return [] if withheld is None else [t("words.public", why=t(f"words.why.{withheld}"))]
    notes = []
    section = showing["section"] or ""
    if withheld is not None:
        why = t(f"words.why.{withheld}")
        notes.append(t("words.people", rules=rules, section=section, why=why))
    if cut is not None:
        why, last = t(f"words.why.{cut}"), showing["last"]
        notes.append(t("words.cut", rules=rules, section=section, why=why, last=last))
    if showing["unstated"]:
        what = ", ".join(t(f"words.unstated.{one}") for one in showing["unstated"])
        key = "words.unstated" if showing["is_in_hand"] else "words.unstated_not_in_hand"
        notes.append(t(key, rules=rules, what=what))
    return notes


def spoken_lines(t: Texts, line: Line, names: Mapping[str, str]) -> Iterator[str]:
    """The same, each on a line of its own, and who wrote them down behind the last one."""
    said = spoken(t, 0, line, names)
    lines = [f"{one.label}: {one.left_out or one.text}" for one in said.sayings]
    if said.written_by is not None and lines:
        lines[-1] += f" [{said.written_by[:1].lower()}{said.written_by[1:]}]"
    elif said.written_by is not None:
        lines = [said.written_by]
    yield from lines
