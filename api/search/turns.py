"""What a match adds to the search: its turns by their boards, and what was found in them."""

from __future__ import annotations

import functools
import hashlib
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from api.publishing.rows import Row, rows_of
from api.publishing.tables import FINDINGS, TURNS, Table
from api.search.boards import Key, key_named
from api.search.tables import Facts, packed
from events.values import BySeat, Seat
from projections.replay import Replay

_NOBODY: BySeat[str | None] = BySeat(None, None)


class TurnRow(NamedTuple):
    """A turn whose board is known."""

    key: Key
    """The board before it, as the player on roll sees it."""
    version: int
    """Version of its first entry."""
    facts: int
    """See `tables.Facts`."""


class FindingRow(NamedTuple):
    """What was found in such a turn."""

    code: str
    section: str
    turn: TurnRow


class Added(NamedTuple):
    """The rows of one match."""

    turns: list[TurnRow]
    findings: list[FindingRow]

    @property
    def digest(self) -> bytes:
        """The same for the same rows."""
        return hashlib.blake2b(msgspec.msgpack.encode(self), digest_size=16).digest()


def added_by(shown: Replay, *, log_id: str, match_id: str, opened_at: int) -> Added:
    """The rows of one match, out of those that are published of it: one way to make them."""
    published = rows_of(shown, log_id=log_id, match_id=match_id, opened_at=opened_at, names=_NOBODY)
    length = shown.state.score.length
    turns: list[TurnRow] = []
    spans: list[tuple[int, int, TurnRow]] = []
    for row in published.turns:
        board = row[_TURN["position_id"]]
        if board is None:
            continue
        facts = _packed(*_facts(row, length))
        first, last = int(str(row[_TURN["first_version"]])), int(str(row[_TURN["last_version"]]))
        turn = TurnRow(key_named(str(board)), first, facts)
        turns.append(turn)
        if row[_TURN["findings"]]:
            spans.append((first, last, turn))
    findings = {
        FindingRow(str(row[_FINDING["code"]]), str(row[_FINDING["section"]]), turn)
        for row in published.findings
        for first, last, turn in spans
        if first <= int(str(row[_FINDING["version"]])) <= last
    }
    return Added(turns, sorted(findings))


def _places(table: Table) -> dict[str, int]:
    return {column.name: place for place, column in enumerate(table.columns)}


_TURN, _FINDING = _places(TURNS), _places(FINDINGS)

_FACTS: Callable[[Row], tuple[Any, ...]] = operator.itemgetter(
    *(
        _TURN[name]
        for name in (
            *("seat", "dice", "double", "cube_value", "cube_owner", "is_crawford"),
            *("score_one", "score_two"),
        )
    )
)


_Told = tuple[str | None, int, str, str | None, bool, int, int]
"""The facts of a turn as the tables tell them."""


def _facts(row: Row, length: int | None) -> _Told:
    seat, dice, double, value, owner, crawford, one, two = _FACTS(row)
    scores = (one, two) if seat == Seat.ONE.value else (two, one)
    owned = "middle" if owner is None else "own" if owner == seat else "other"
    return (dice, value, owned, double, crawford, *(_away(length, score) for score in scores))


@functools.lru_cache(8_192)
def _packed(
    dice: str | None,
    value: int,
    owner: str,
    double: str | None,
    is_crawford: bool,
    own: int,
    other: int,
) -> int:
    return packed(
        Facts(
            dice=None if dice is None else (int(dice[0]), int(dice[1])),
            cube_value=value,
            cube_owner=owner,
            double=double,
            is_crawford=is_crawford,
            away_own=own,
            away_other=other,
        )
    )


def _away(length: int | None, score: int) -> int:
    # Points are uncapped: who has more than it takes needs none, and plays on for the record.
    return 0 if not length else max(length - score, 1)
