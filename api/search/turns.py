"""What a match that is over adds: turns by their boards, what was found, what is counted."""

from __future__ import annotations

import functools
import hashlib
import logging
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from api.archive.index.rows import row_of
from api.archive.personal import received_at
from api.archive.reading import Live, Reading
from api.publishing.rows import Row, rows_of
from api.publishing.tables import FINDINGS, TURNS, Table
from api.search.boards import Key, key_named
from api.search.figures import Figures, figures_of
from api.search.tables import Facts, packed
from events.envelope import TOURNAMENT_STREAM, StoredEvent
from events.errors import StoreFailed
from events.values import BySeat, Seat
from projections.replay import Replay
from projections.rules.texts.common import COMMON
from projections.views.discretion import is_in_play

_log = logging.getLogger(__name__)

PAGE = 20_000
"""Entries that are taken in at once."""

_EVER = 1 << 62
"""A moment that does not come."""

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
    figures: Figures = Figures()
    """What is counted of it."""

    @property
    def digest(self) -> bytes:
        """The same for the same rows."""
        return hashlib.blake2b(msgspec.msgpack.encode(self), digest_size=16).digest()


class Terms(NamedTuple):
    """By what matches are told apart, and when all of one may be known, where they are counted."""

    opened_at: int = 0
    """Global position of its first entry."""
    is_import: bool = True
    """Whether it came in as a file."""
    still_from_ms: int = 0
    """From when on it stands still for the public until a ruling, in ms since 1970 UTC."""
    still_until_ms: int = 0
    """Until when; the same for a match that does not stand still."""
    due_ms: int = 0
    """When all that is here may be known, behind the table, in ms since 1970 UTC; 0 = always."""
    since: int = 0
    """Version from which on what is here stood as it does, of a match that was over by then."""
    rule_set: str = ""
    """Rule set by which it is judged."""
    length: int = 0
    """Points needed to win; 0 = money."""


class Found(NamedTuple):
    """What a match adds."""

    version: int
    """Its entries."""
    is_public: bool
    """Whether anybody may read it."""
    added: Added
    terms: Terms = Terms()


class TurnPage(msgspec.Struct, frozen=True):
    """What one page of a log adds."""

    end: int
    """The position after it."""
    made: dict[str, Found | None]
    """Every match with an entry in the page; None = it has no turns (any more)."""


def turn_page(reading: Reading, log_id: str, position: int) -> TurnPage:
    """The page that begins at a position of the log. Errors: LedgerError."""
    touched: dict[str, list[StoredEvent]] = {}
    end = position
    for row in reading.store.read_log(log_id, start=position, limit=PAGE):
        end = row.global_position + 1
        if row.stream_id != TOURNAMENT_STREAM:
            touched.setdefault(row.stream_id, []).append(row)
    made = {
        stream_id: added_of(reading, log_id, stream_id, of_one)
        for stream_id, of_one in touched.items()
    }
    return TurnPage(end, made)


def added_of(
    reading: Reading, log_id: str, stream_id: str, taken: Sequence[StoredEvent] = ()
) -> Found | None:
    """What a match adds; None while it is played, where it was cancelled, or cannot be read.

    A match that begins in what is `taken` in is not read a second time. Errors: StoreFailed.
    """
    begins = bool(taken) and taken[0].version == 1
    rows = [(one.global_position, one.sealed) for one in taken] if begins else None
    try:
        live = reading.once(log_id, stream_id, rows)
        opened_at = live.recorded[0].global_position
        listed = row_of(log_id, stream_id, opened_at, live.replay, live.publicity)
        if listed.is_in_play or listed.state == "cancelled":
            # Nobody is to look up in its own match what comes next; it is taken in at its end.
            return None
        added = added_by(live.replay, log_id=log_id, match_id=stream_id, opened_at=opened_at)
    except StoreFailed:
        raise
    except Exception:
        # One match that cannot be read must not take the search of all others with it.
        _log.exception("match %s of log %s cannot be searched", stream_id, log_id)
        return None
    since = _since(live, added, log_id, stream_id) if listed.delay_ms else live.version
    still_from_ms, still_until_ms = _still(reading, log_id, live, listed.delay_ms)
    terms = Terms(
        opened_at=opened_at,
        is_import=listed.source is not None,
        still_from_ms=still_from_ms,
        still_until_ms=still_until_ms,
        due_ms=_due(reading, log_id, live, since, listed.delay_ms),
        since=since,
        rule_set=listed.rule_set or COMMON.id,
        length=listed.length or 0,
    )
    return Found(live.version, listed.is_public, added, terms)


def _since(live: Live, added: Added, log_id: str, stream_id: str) -> int:
    """The version from which on the match added what it adds now, and was over.

    What is entered later than that, and may not be known yet, must not show by what is missing.
    """
    opened_at, digest = live.recorded[0].global_position, added.digest
    since = live.version
    while since > 1:
        before = live.replay.at(since - 1)
        if is_in_play(before):
            break
        same = added_by(before, log_id=log_id, match_id=stream_id, opened_at=opened_at)
        if same.digest != digest:
            break
        since -= 1
    return since


def _still(reading: Reading, log_id: str, live: Live, delay_ms: int) -> tuple[int, int]:
    """From when until when the public's match stands still, by the disputes that came last."""
    found = (0, 0)
    for freeze in live.publicity.freezes:
        raised = _due(reading, log_id, live, freeze.raised, delay_ms)
        settled = (
            _EVER
            if freeze.settled is None
            else _due(reading, log_id, live, freeze.settled, delay_ms)
        )
        # Disputes beside each other are one; of earlier ones only what is long over is left out.
        is_apart = found[1] <= raised - delay_ms
        found = (raised, settled) if is_apart else (found[0], max(found[1], settled))
    return found


def _due(reading: Reading, log_id: str, live: Live, version: int, delay_ms: int) -> int:
    """When the public may know an entry, in ms since 1970 UTC; 0 = always."""
    if not delay_ms:
        return 0
    place = live.recorded[version - 1].global_position
    received = received_at(reading.store.disclosures_of(log_id, [place]).get(place, ()))
    return 0 if received is None else received + delay_ms


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
    return Added(turns, sorted(findings), figures_of(shown, published))


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
