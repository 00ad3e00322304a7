"""Notes of an OGXM file: what the format has no field for, as text under keys that begin with `x-`.

Other programs keep such notes and read nothing into them. Each has its place: the match, a game, a
ply; several of one key at one place become one note of several lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MAX_NOTES = 4_096
"""More the format does not take."""

MAX_BYTES = 4_096
"""Longest string of the format; a longer note goes on under `key~1`, `key~2`, and so on."""

PREFIX = "x-tabularium-"
"""Begins every key of ours."""

GAP = "gap"
"""Key, after the prefix, at a pass that stands for a roll whose play, or board, is not known."""

ROLL = "roll"
"""Key, after the prefix, of a roll that followed a ply and with which nothing was played."""

SCORE = "score"
"""Key, after the prefix, at a game before which the score is not what the games make it."""

DETAILS = frozenset({"event", "round", "table", "place", "date", "transcriber"})
"""Keys, after the prefix, of details of the match that their field does not take."""

_SCOPES = ("match", "game", "ply")


class Place(NamedTuple):
    """Where a note belongs; places are in the order in which the format wants its notes."""

    scope: int
    """0 match, 1 game, 2 ply."""
    ref: int
    """Number of the game, or of the ply within the match, from 0."""


MATCH = Place(0, 0)
"""The match as a whole."""


class Notes:
    """Notes while they are collected."""

    def __init__(self) -> None:
        self._lines: dict[tuple[Place, str], list[tuple[int, str]]] = {}

    def add(self, place: Place, key: str, line: str, version: int) -> None:
        """One more line of a note; `version` is the entry's that it tells of."""
        self._lines.setdefault((place, PREFIX + key), []).append((version, line))

    def written(self, plies: int) -> tuple[list[Mapping[str, object]], list[int]]:
        """The annotations in the order of the format, and the versions that found no room.

        `plies` is how many the match has: the codec takes no note of a game whose number is not
        below it, so the match gets those of the few games in which hardly anything was played.
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
    """Text without half surrogate pairs, which no string of the format may hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, size: int) -> str:
    """At most `size` bytes of UTF-8, cut between characters."""
    return text.encode()[:size].decode("utf-8", "ignore")


def _parts(text: str) -> Iterator[str]:
    """The text in pieces that each are short enough."""
    rest = storable(text)
    while len(rest.encode()) > MAX_BYTES:
        part = cut(rest, MAX_BYTES)
        yield part
        rest = rest[len(part) :]
    yield rest
