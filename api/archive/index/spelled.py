"""How players' names are spelled, in memory alone, so that a part of one is found among many.

Nothing of it is shown: who shows a name opens it again, and whoever is not in the index any more is
found no more. It is learned piece by piece by whoever searches, and forgotten as a whole as soon as
any name is.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping

_BETWEEN = "\n"
"""Between two names of the text."""

_OR = "\v"
"""Between a name and itself without accents."""

_FRESH = 1_000
"""Names beside the text that are looked through one by one before it is written anew."""


def asked(part: str) -> str:
    """A part of a name as it is looked for: in any case, and however its letters are composed."""
    if part.isascii():
        return part.casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", part).casefold())


def spellings(name: str) -> str:
    """What a name is found by: as it is spelled, and for a part without accents, without any."""
    spelled = asked(name)
    if spelled.isascii():
        return spelled
    bare = (
        mark for mark in unicodedata.normalize("NFD", spelled) if not unicodedata.combining(mark)
    )
    plain = unicodedata.normalize("NFC", "".join(bare))
    return spelled if plain == spelled else f"{spelled}{_OR}{plain}"


def is_called(name: str, wanted: str) -> bool:
    """Whether a name is the whole one that is asked for, as parts of names are found."""
    return asked(wanted.strip()) in spellings(name).split(_OR)


class Spelled:
    """Names by the person that stands for each; every use is behind the index's gate."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        # One search through one text takes a thirtieth of a search in each of 100,000 names.
        self._text = ""
        self._persons: list[int] = []
        self._begins: list[int] = []
        self._fresh: dict[int, str] = {}
        self.learned = 0
        """Persons up to this one are known."""
        self.is_whole = False
        """Whether everybody is known."""
        self.age = 0
        """How often everything was forgotten; names read before that must not be learned."""

    def learn(self, names: Mapping[int, str], *, upto: int, is_whole: bool) -> None:
        """Names that were opened, up to a person, who may be the last; each has one for ever."""
        for person, name in names.items():
            if person not in self._names:
                self._names[person] = self._fresh[person] = spellings(name)
        self.learned, self.is_whole = max(self.learned, upto), is_whole

    def clear(self) -> None:
        """Forget them all."""
        self._names, self._fresh = {}, {}
        self._text, self._persons, self._begins = "", [], []
        self.learned, self.is_whole = 0, False
        self.age += 1

    def holder(self, part: str) -> Callable[[int], bool]:
        """Tells of a person whether their name is known and holds a part, as `spellings` has it.

        For one search: asked of a thousand persons while a page is waited for.
        """
        names, folded = self._names, asked(part)

        def holds(person: int) -> bool:
            name = names.get(person)
            return name is not None and folded in name

        return holds

    def called(self, name: str) -> list[int]:
        """Persons whose whole name this is, as `is_called` has it."""
        wanted = asked(name.strip())
        return [
            person
            for person, spelled in self._names.items()
            if wanted in spelled and wanted in spelled.split(_OR)
        ]

    def holding(self, part: str, *, limit: int) -> list[int] | None:
        """Persons whose name holds a part; those that were forgotten may be among.

        None where they are more than `limit`: a `holder` tells of each whether it is one.
        """
        part = asked(part)
        if not part or _BETWEEN in part:
            found = [person for person, name in self._names.items() if part in name]
            return found if len(found) <= limit else None
        if len(self._fresh) > _FRESH:
            self._write()
        found = [person for person, name in self._fresh.items() if part in name]
        at = self._text.find(part)
        while at >= 0 and len(found) <= limit:
            number = bisect_right(self._begins, at)
            found.append(self._persons[number - 1])
            # One name is found once, however often it holds the part.
            at = self._text.find(part, self._begins[number]) if number < len(self._begins) else -1
        return found if len(found) <= limit else None

    def _write(self) -> None:
        """The text of all names, each behind where it begins."""
        self._persons = [*self._names]
        self._text = _BETWEEN.join(self._names.values())
        self._begins, at = [], 0
        for name in self._names.values():
            self._begins.append(at)
            at += len(name) + 1
        self._fresh = {}
