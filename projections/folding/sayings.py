"""What a fold says to people: sentences with named places, which a page fills in any language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

import msgspec

from events.values import Seat

PLACE = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}]*))?\}")
"""`{name}` for a value; `{name:point|points}` for the word that stands beside a count."""

_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


def in_place(found: re.Match[str], values: Mapping[str, object], missing: str | None = None) -> str:
    """What stands in one place; the place itself, or `missing`, where there is no value."""
    name, one, more = found.groups()
    if name not in values:
        return found[0] if missing is None else missing
    value = str(values[name])
    if one is None:
        return value
    return str(one if value == "1" else more)


def filled(text: str, values: Mapping[str, object]) -> str:
    """A text with its values; a part in brackets falls away where one of its values is missing."""

    def part(found: re.Match[str]) -> str:
        names = [place[1] for place in PLACE.finditer(found[1])]
        return found[1] if all(values.get(name) for name in names) else ""

    # In one pass, so that a value that looks like a place is not filled again.
    return PLACE.sub(lambda found: in_place(found, values, ""), _OPTIONAL.sub(part, text))


UNNAMED = {Seat.ONE: "player one", Seat.TWO: "player two"}
"""What players are called where nobody is named, or may be."""


class Said(msgspec.Struct, frozen=True):
    """A sentence in English, by which its translations are found, and what stands in its places."""

    text: str
    """With `{name}` for every place, and `{name:point|points}` for a word beside a count."""
    facts: Mapping[str, str | int] = {}
    """Numbers, notation and ids, alike in every language."""
    people: Mapping[str, Seat] = {}
    """Players, named by whoever shows the sentence."""
    parts: Mapping[str, Said] = {}
    """Words and smaller sentences, to be translated by themselves."""

    def __str__(self) -> str:
        """The sentence in English, with seats in the place of names."""
        return self.named({})

    def named(self, names: Mapping[Seat, str]) -> str:
        """The sentence in English with the players' names; a seat that has none stays a seat."""
        people = {name: names.get(seat, seat) for name, seat in self.people.items()}
        parts = {name: part.named(names) for name, part in self.parts.items()}
        values = {**self.facts, **people, **parts}
        # In one pass, so that a value that looks like a place is not filled again.
        return PLACE.sub(lambda found: in_place(found, values), self.text)

    def as_json(self) -> dict[str, object]:
        """The template and its values, as every view carries them."""
        return {
            "text": self.text,
            "facts": dict(self.facts),
            "people": {name: seat.value for name, seat in self.people.items()},
            "parts": {name: part.as_json() for name, part in self.parts.items()},
        }


def said(text: str, /, **places: str | int | Seat | Said) -> Said:
    """A sentence, each of its places with what stands in it."""
    facts: dict[str, str | int] = {}
    people: dict[str, Seat] = {}
    parts: dict[str, Said] = {}
    for name, value in places.items():
        if isinstance(value, Said):
            parts[name] = value
        elif isinstance(value, Seat):
            people[name] = value
        else:
            facts[name] = printable(value) if isinstance(value, str) else value
    return Said(text, facts, people, parts)


def worded(word: str) -> Said:
    """A word of the record or of a rule set, as people read it; a number at its end is a fact."""
    one, _, two = word.partition("-")
    if one.isdecimal() and two.isdecimal():
        # A score stays one.
        return Said("{score}", {"score": word})
    text = printable(word).replace("_", " ").replace("-", " ")
    name, _, number = text.rpartition(" ")
    return Said(f"{name} {{n}}", {"n": number}) if number.isdecimal() and name else Said(text)


def listed(parts: Sequence[Said], *, have_commas: bool = False) -> Said:
    """Several beside each other."""
    first, *rest = parts
    if not rest:
        return first
    others = listed(rest, have_commas=have_commas)
    if have_commas:
        return said("{first}; {rest}", first=first, rest=others)
    return said("{first}, {rest}", first=first, rest=others)


def printable(text: str) -> str:
    """One line of text, whatever words the record holds: what is said is shown on terminals."""
    return text if text.isprintable() else legible(" ".join(text.split()))


def legible(text: str) -> str:
    """Text as it can be shown wherever it is written; each mark that cannot be is replaced.

    What joins or parts the letters of a name stays, as it is part of how the name is spelled.
    """
    if text.isprintable():
        return text
    return "".join(mark if is_legible(mark) else "\N{REPLACEMENT CHARACTER}" for mark in text)


def is_legible(mark: str) -> bool:
    """Whether a mark can be shown: a letter, a space of any script, or what joins letters."""
    return (
        mark.isprintable()
        or mark in _JOINING
        or unicodedata.category(mark) == "Zs"
        # Flags of parts of countries, and pictures younger than this Python.
        or "\U000e0020" <= mark <= "\U000e007f"
        or "\U0001f000" <= mark <= "\U0001faff"
    )


_JOINING = frozenset("\u061c\u200c\u200d\u200e\u200f")
"""Persian names and pictures of people are written with them; they turn nothing behind them."""
