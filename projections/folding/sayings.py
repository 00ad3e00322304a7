"""Sentences of folds: templates with named places, translated and filled by pages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

import msgspec

from events.values import Seat

PLACE = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}]*))?\}")
"""`{name}` for a value; `{name:point|points}` for a word that agrees with a count."""

_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


def in_place(found: re.Match[str], values: Mapping[str, object], missing: str | None = None) -> str:
    """The text for one place; `missing`, or the place itself, if it has no value."""
    name, one, more = found.groups()
    if name not in values:
        return found[0] if missing is None else missing
    value = str(values[name])
    if one is None:
        return value
    return str(one if value == "1" else more)


def filled(text: str, values: Mapping[str, object]) -> str:
    """A template filled with values; parts in brackets are dropped if a value is missing."""

    def part(found: re.Match[str]) -> str:
        names = [place[1] for place in PLACE.finditer(found[1])]
        return found[1] if all(values.get(name) for name in names) else ""

    # In one pass, so that a value that looks like a place is not filled again.
    return PLACE.sub(lambda found: in_place(found, values, ""), _OPTIONAL.sub(part, text))


UNNAMED = {Seat.ONE: "player one", Seat.TWO: "player two"}
"""What players are called where names are unknown or withheld."""


class Said(msgspec.Struct, frozen=True):
    """An English template, which is also the key of its translations, and its values."""

    text: str
    """With `{name}` for every place, and `{name:point|points}` for a word beside a count."""
    facts: Mapping[str, str | int] = {}
    """Numbers, notation and ids, alike in every language."""
    people: Mapping[str, Seat] = {}
    """Players, whose names are filled in by the view."""
    parts: Mapping[str, Said] = {}
    """Words and smaller sentences, which are translated separately."""

    def __str__(self) -> str:
        """The sentence in English, with seats instead of names."""
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
    """One printable line of text, whatever the record holds, because terminals show it."""
    return text if text.isprintable() else legible(" ".join(text.split()))


def legible(text: str) -> str:
    """Text that is safe to show anywhere; every unprintable character is replaced.

    Characters that join or separate letters stay, because names are spelled with them.
    """
    if text.isprintable():
        return text
    return "".join(mark if is_legible(mark) else "\N{REPLACEMENT CHARACTER}" for mark in text)


def is_legible(mark: str) -> bool:
    """Whether a character can be shown: printable, a space of any script, or a joiner."""
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
