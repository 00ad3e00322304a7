"""What a finished match adds to the search: turns by their boards, findings, figures."""

from __future__ import annotations

import functools
import hashlib
import logging
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from api.archive.index.rows import row_of
from api.archive.known import EVER, heads, standing_still, turning_corrections
from api.archive.reading import Live, Reading, Taken
from api.publishing.rows import Row, rows_of
from api.publishing.tables import FINDINGS, TURNS
from api.search.boards import Key, key_named
from api.search.figures import Figures, figures_of
from api.search.tables import Facts, packed
from events.envelope import TOURNAMENT_STREAM
from events.errors import LedgerError, StoreFailed
from events.values import BySeat, Seat
from projections.replay import Replay
from projections.rules.texts.common import COMMON
from projections.views.discretion import is_in_play

_log = logging.getLogger(__name__)

PAGE = 20_000
"""Entries that are taken in at once."""

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
    until_ms: int = EVER
    """When later entries become known, which change what is here."""
    since: int = 0
    """Version from which on what is here stood as it does, of a match that was over by then."""
    rule_set: str = ""
    """Rule set by which it is judged."""
    length: int = 0
    """Points needed to win; 0 = money."""


class Found(NamedTuple):
    """What a match adds, as it stood through some of its entries."""

    version: int
    """The last of them."""
    is_public: bool
    """Whether anybody may read it."""
    added: Added
    terms: Terms = Terms()

    @property
    def told(self) -> tuple[bytes, str, int]:
        """The same for what tells the same, whenever it stood so."""
        return self.added.digest, self.terms.rule_set, self.terms.length


class TurnPage(msgspec.Struct, frozen=True):
    """What one page of a log adds."""

    end: int
    """The position after it."""
    made: dict[str, list[Found]]
    """Every match with an entry in the page, as `added_of` has it."""


def turn_page(reading: Reading, log_id: str, position: int) -> TurnPage:
    """The page that begins at a position of the log. Errors: LedgerError."""
    end, streams = reading.page(log_id, position, PAGE)
    streams.pop(TOURNAMENT_STREAM, None)
    made = {
        stream_id: added_of(reading, log_id, stream_id, taken)
        for stream_id, taken in streams.items()
    }
    return TurnPage(end, made)


def added_of(
    reading: Reading, log_id: str, stream_id: str, taken: Taken | None = None
) -> list[Found]:
    """What a match adds; nothing while it is played, where it was cancelled, or cannot be read.

    Behind the table the public may not know yet what stands in it: what it adds as far as that is
    known comes first, what it adds as it is comes last. So nothing that is entered shows by what is
    found, or is found no more, before its time. A match that begins in what is `taken` in is not
    read a second time. Errors: StoreFailed.
    """
    try:
        live = reading.once(log_id, stream_id, taken)
        if live.publicity.is_cancelled or not _was_over(live):
            # Nobody is to look up in its own match what comes next; it is taken in at its end.
            return []
        return _found(reading, log_id, stream_id, live)
    except StoreFailed:
        raise
    except LedgerError as error:
        _log.error("match %s of log %s cannot be searched: %s", stream_id, log_id, error)
    except Exception:
        _log.exception("match %s of log %s cannot be searched", stream_id, log_id)
    # One match that cannot be read must not take the search of all others with it.
    return []


def _was_over(live: Live) -> bool:
    """Whether it is over; or, behind the table, may have been, before something else was entered.

    Of nearly all that are played this says so without folding one anew.
    """
    if not is_in_play(live.replay):
        return True
    if not live.publicity.delay_ms:
        return False
    return any(step.after.has_ended for step in live.replay.steps) or any(
        not is_in_play(live.replay.at(event.version - 1)) for event in turning_corrections(live, 0)
    )


def _found(reading: Reading, log_id: str, stream_id: str, live: Live) -> list[Found]:
    """What the match adds as it is, and as the public knew it when the last entry came, the oldest
    first: once for all entries through which it adds the same.
    """
    delay_ms = live.publicity.delay_ms
    still_from_ms, still_until_ms = standing_still(reading, log_id, live)
    opened_at = live.recorded[0].global_position
    found: list[Found] = []
    was: Found | None = None
    for head in heads(reading.store, log_id, live, delay_ms):
        shown = live.replay.at(head.version)
        row = row_of(log_id, stream_id, opened_at, shown, live.publicity)
        one = None
        if not row.is_in_play:
            added = added_by(shown, log_id=log_id, match_id=stream_id, opened_at=opened_at)
            terms = Terms(
                opened_at=opened_at,
                is_import=row.source is not None,
                still_from_ms=still_from_ms,
                still_until_ms=still_until_ms,
                due_ms=head.due_ms,
                until_ms=head.until_ms,
                since=head.version,
                rule_set=row.rule_set or COMMON.id,
                length=row.length or 0,
            )
            one = Found(head.version, row.is_public, added, terms)
        if one is not None and was is not None and one.told == was.told:
            since = was.terms._replace(due_ms=head.due_ms, since=head.version)
            one = found[-1] = was._replace(terms=since)
        elif not head.is_to_come:
            break
        elif one is not None:
            found.append(one)
        was = one
    return found[::-1]


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


_TURN, _FINDING = TURNS.places, FINDINGS.places

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
