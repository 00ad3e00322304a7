"""How players' names are spelled, in memory alone, so that a part of one is found among many.

Nothing of it is shown: who shows a name opens it again, and whoever is not in the index any more is
found no more. It is learned piece by piece by whoever searches, kept up by what the index takes in,
and forgotten as a whole as soon as any name is.
"""

from __future__ import annotations

from collections.abc import Mapping


class Spelled:
    """Names by the person that stands for each; every use is behind the index's gate."""

    def __init__(self) -> None:
        self._names: dict[bytes, str] = {}
        self.learned: bytes = b""
        """Persons up to this one are known; the others are when they are taken in."""
        self.is_whole = False
        """Whether everybody is known."""
        self.age = 0
        """How often all was forgotten: what was opened before that is not to be learned after."""

    def put(self, person: bytes, name: str) -> None:
        """A name that the index takes in."""
        self._names[person] = name.casefold()

    def learn(self, names: Mapping[bytes, str], *, upto: bytes | None, age: int) -> None:
        """Names that were opened, up to a person; None = those were the last."""
        if age != self.age:
            return
        for person, name in names.items():
            self.put(person, name)
        if upto is None:
            self.is_whole = True
        else:
            self.learned = upto

    def clear(self) -> None:
        """Forget them all."""
        self._names = {}
        self.learned, self.is_whole = b"", False
        self.age += 1

    def holding(self, part: str) -> list[bytes]:
        """Persons whose name holds a part, in any case; those that were forgotten may be among."""
        part = part.casefold()
        return [person for person, name in self._names.items() if part in name]
