"""Notes of an OGXM file: text that no field of the format holds, under keys that begin with `x-`.

Other programs keep such notes and ignore them. Each has a place: the match, a game or a ply;
several with one key at one place become one note of several lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MAX_NOTES = 4_096
"""The format accepts no more notes."""

MAX_BYTES = 4_096
"""Longest string of the format; a longer note continues under `key~1`, `key~2`, and so on."""

PREFIX = "x-tabularium-"
"""Prefix of all our keys."""

GAP = "gap"
"""Key, after the prefix, at a pass in place of a roll whose play, or board, is not known."""

ROLL = "roll"
"""Key, after the prefix, of a roll that followed a ply and with which nothing was played."""

SCORE = "score"
"""Key, after the prefix, at a game whose score does not follow from the games before it."""

DETAILS = frozenset({"event", "round", "table", "place", "date", "transcriber"})
"""Keys, after the prefix, of details of the match that do not fit their field."""

_SCOPES = ("match", "game", "ply")


class Place(NamedTuple):
    """The place of a note; places are ordered as the format orders its notes."""

    scope: int
    """0 match, 1 game, 2 ply."""
    ref: int
    """Number of the game, or of the ply within the match, from 0."""


MATCH = Place(0, 0)
"""The match as a whole."""


class Notes:
    """Notes while they are being collected."""

    def __init__(self) -> None:
        self._lines: dict[tuple[Place, str], list[tuple[int, str]]] = {}

    def add(self, place: Place, key: str, line: str, version: int) -> None:
        """One more line of a note; `version` is the version of the entry that it records."""
        self._lines.setdefault((place, PREFIX + key), []).append((version, line))

    def written(self, plies: int) -> tuple[list[Mapping[str, object]], list[int]]:
        """The annotations in the order of the format, and the versions for which there was no room.

        `plies` is the number of plies of the match: the codec accepts no note of a game whose
        number is not below it, so notes of such games, in which hardly anything was played, go to
        the match.
        """
        found: dict[tuple[Place, str], list[tuple[int, str]]] = {}
        for (place, key), lines in self._lines.items():
            is_taken = place.scope != 1 or place.ref < plies
            found.setdefault((place if is_taken else MATCH, key), []).extend(lines)
        annotations: list[Mapping[str, object]] = []
        left_out: list[int] = []
        parts = [
            (place, f"{key}~{number}" if number else key, part, lines)
            for (place, key), lines in found.items()
            for number, part in enumerate(_parts("\n".join(line for _, line in lines)))
        ]
        for place, key, part, lines in sorted(parts, key=lambda part: part[:2]):
            if len(annotations) < MAX_NOTES:
                note = {"scope": _SCOPES[place.scope], "ref": place.ref, "key": key, "value": part}
                annotations.append(note)
            else:
                left_out += [version for version, _ in lines]
        return annotations, left_out


def line(value: Mapping[str, object]) -> str:
    """One line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def storable(text: str) -> str:
    """Text without half surrogate pairs, which the format's strings may not contain."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, size: int) -> str:
    """At most `size` bytes of UTF-8, cut between characters."""
    return text.encode()[:size].decode("utf-8", "ignore")


def _parts(text: str) -> Iterator[str]:
    """The text in pieces that are each short enough."""
    rest = storable(text)
    while len(rest.encode()) > MAX_BYTES:
        part = cut(rest, MAX_BYTES)
        yield part
        rest = rest[len(part) :]
    yield rest
