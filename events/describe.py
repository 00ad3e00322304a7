"""Writes the catalogue as tables for this room's README and for the API's documentation.

    uv run python -m events.describe            prints the tables
    uv run python -m events.describe FILE       writes them between that file's two markers

Members are told by their own source: the annotation as it stands there, and the line below it.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_type_hints

import msgspec

from events.catalogue import KINDS
from events.personal import Commitment

BEGIN = "<!-- catalogue: written by `python -m events.describe`, not by hand -->"
END = "<!-- catalogue ends -->"


class Member(NamedTuple):
    """One member of a body."""

    name: str
    """Its key on the wire."""
    type: str
    """What it holds, in the catalogue's own words."""
    required: bool
    """Whether a body without it is refused."""
    says: str
    """What it means: the line below it in the source."""


def members(of: type[msgspec.Struct]) -> tuple[Member, ...]:
    """The members of a payload or of a part of one: the needed ones first, `at_ms` last."""
    told: dict[str, tuple[str, str]] = {}
    for cls in of.__mro__[::-1]:
        if issubclass(cls, msgspec.Struct) and cls is not msgspec.Struct:
            told.update(_told(cls))
    found = [
        Member(field.encode_name, told[field.name][0], field.required, told[field.name][1])
        for field in msgspec.structs.fields(of)
    ]
    return tuple(sorted(found, key=lambda member: (not member.required, member.name == "at_ms")))


@functools.cache
def _told(cls: type) -> dict[str, tuple[str, str]]:
    """Field to (annotation, docstring) of one class, from its source."""
    body = ast.parse(inspect.getsource(cls)).body[0]
    assert isinstance(body, ast.ClassDef)
    told = {}
    for line, below in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            says = ""
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                says = str(below.value.value)
            told[line.target.id] = (_plain(ast.unparse(line.annotation)), says)
    return told


def _plain(annotation: str) -> str:
    """An annotation as a reader of JSON says it: `tuple[Seat, ...] | None` is a list of seats."""
    annotation = annotation.replace("Personal", "Commitment").replace("msgspec.Raw", "body")
    annotation = re.sub(r"tuple\[(\w+), \.\.\.\]", r"[\1]", annotation.removesuffix(" | None"))
    return annotation.replace(" | ", " or ")


def sentence(of: object) -> str:
    """The first line of a docstring."""
    return inspect.cleandoc(of.__doc__ or "").partition("\n")[0]


def tables() -> str:
    """Every event type, one table a noun; then the parts, words and values that bodies hold."""
    lines: list[str] = []
    for room, kinds in groupby(KINDS, key=lambda kind: kind.payload.__module__):
        says = sentence(sys.modules[room])
        lines += ["", f"### {room.rpartition('.')[2]}", "", says, ""]
        lines += ["| event | what happened | members |", "|---|---|---|"]
        lines += [
            f"| `{kind.tag}@{kind.schema}` | {sentence(kind.payload)} | {_list(kind.payload)} |"
            for kind in kinds
        ]
    parts, words = _used()
    lines += ["", "### Parts", "", "| part | what it is | members |", "|---|---|---|"]
    lines += [f"| `{part.__name__}` | {sentence(part)} | {_list(part)} |" for part in parts]
    lines += ["", "### Words", "", "| word | what it says | one of |", "|---|---|---|"]
    for word in words:
        values = ", ".join(f"`{value.value}`" for value in word)
        lines.append(f"| `{word.__name__}` | {sentence(word)} | {values} |")
    lines += ["", "### Values", "", "| value | what it is |", "|---|---|"]
    lines += [f"| `{name}` | {says} |" for name, says in _values()]
    return "\n".join(lines).strip("\n")


def _list(of: type[msgspec.Struct]) -> str:
    return " · ".join(
        f"`{member.name}{'' if member.required else '?'}: {member.type}`" for member in members(of)
    )


def _used() -> tuple[list[type[msgspec.Struct]], list[type[enum.Enum]]]:
    """Parts and words that bodies are made of, in the order in which they are met."""
    met: dict[type, None] = {}

    def meet(hint: Any) -> None:
        for inner in get_args(hint):
            meet(inner)
        if isinstance(hint, type) and hint not in met:
            if issubclass(hint, enum.Enum):
                met[hint] = None
            elif issubclass(hint, msgspec.Struct):
                met[hint] = None
                for inner in get_type_hints(hint).values():
                    meet(inner)

    for kind in KINDS:
        for hint in get_type_hints(kind.payload).values():
            meet(hint)
    parts = [one for one in met if issubclass(one, msgspec.Struct)]
    return parts, [one for one in met if issubclass(one, enum.Enum)]


def _values() -> Iterator[tuple[str, str]]:
    """Named values of the two modules that define them, with the description they carry."""
    seen = {Commitment.__name__}
    for cls in (*(kind.payload for kind in KINDS), *_used()[0]):
        for base in cls.__mro__:
            for name, value in vars(sys.modules[base.__module__]).items():
                for meta in getattr(value, "__metadata__", ()):
                    if name not in seen and isinstance(meta, msgspec.Meta):
                        seen.add(name)
                        yield name, meta.description or _bounds(meta)


def _bounds(meta: msgspec.Meta) -> str:
    if meta.max_length is not None:
        return f"Text of {meta.min_length or 0} to {meta.max_length:,} characters."
    return f"A whole number from {meta.ge:,} to {meta.le:,}."


def rewritten(text: str) -> str:
    """`text` with the tables of today between its two markers."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        path = Path(sys.argv[1])
        path.write_text(rewritten(path.read_text("utf-8")), "utf-8")
    else:
        print(tables())
