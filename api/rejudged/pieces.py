"""The work of judging an archive anew, in pieces: matches of one log in, their verdicts out."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import msgspec

from api.publishing.engines import uncollected
from api.rejudged.verdicts import Verdict, verdict_of
from events import catalogue
from events.envelope import TOURNAMENT_STREAM
from events.errors import StoreFailed
from events.store.opening import open_store
from events.store.protocol import EventStore
from projections.replay import replay

PIECE_ENTRIES = 32_768
"""Entries of a piece: what a run that is broken off does twice, at most, in each process."""

_PAGE = 1_000
"""Streams that are listed at a time."""

Key = tuple[str, str]
"""(log id, match id)."""


class Judging(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be judged, the same for all pieces."""

    url: str
    """The database."""
    rules: str | None = None
    """Id of the rule set; None = each match's own."""
    against: str | None = None
    """Id of the rule set that it is held against; None = none."""
    in_hand: Mapping[str, Mapping[str, str]] = {}
    """Sentences of rule sets with which matches are judged (`projections/rules/sentences.py`)."""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Some matches of one log."""

    asked: Judging
    log_id: str
    matches: tuple[str, ...]
    """Their ids."""
    entries: int
    """Entries that they hold together."""


def listed(store: EventStore, log_id: str | None = None) -> dict[Key, int]:
    """Every match of one log, or of all, with how many entries it has. Errors: NoSuchLog."""
    heads = store.logs() if log_id is None else [store.log_head(log_id)]
    return {
        (head.log_id, stream_id): version
        for head in heads
        for stream_id, version in _matches(store, head.log_id)
    }


def _matches(store: EventStore, log_id: str) -> Iterator[tuple[str, int]]:
    after: str | None = None
    while page := store.streams(log_id, after=after, limit=_PAGE):
        for head in page:
            if head.stream_id != TOURNAMENT_STREAM:
                yield head.stream_id, head.version
        after = page[-1].stream_id


def planned(matches: Mapping[Key, int], asked: Judging) -> list[Piece]:
    """The matches (with how many entries each has) in pieces, each of one log."""
    pieces: list[Piece] = []
    of_log = itemgetter(0)
    for log_id, group in groupby(matches, key=of_log):
        ids: list[str] = []
        entries = 0
        for key in group:
            if ids and entries + matches[key] > PIECE_ENTRIES:
                pieces.append(_piece(asked, log_id, ids, entries))
                ids, entries = [], 0
            ids.append(key[1])
            entries += matches[key]
        pieces.append(_piece(asked, log_id, ids, entries))
    return pieces


def _piece(asked: Judging, log_id: str, matches: Sequence[str], entries: int) -> Piece:
    return Piece(asked=asked, log_id=log_id, matches=tuple(matches), entries=entries)


def judged(piece: Piece) -> list[bytes]:
    """The verdict of each match of the piece, as one line without its end. Errors: LedgerError."""
    with uncollected(), contextlib.closing(open_store(piece.asked.url, read_only=True)) as store:
        return [_ENCODER.encode(_judged(store, piece, match_id)) for match_id in piece.matches]


_ENCODER = msgspec.json.Encoder()


def _judged(store: EventStore, piece: Piece, match_id: str) -> Verdict:
    asked = piece.asked
    version = 0
    try:
        rows = store.read_sealed(piece.log_id, match_id)
        version = len(rows)
        events = catalogue.read_entries(piece.log_id, match_id, rows)
        one = replay(events, asked.rules, in_hand=asked.in_hand)
        other = None
        if asked.against is not None:
            other = replay(events, asked.against, in_hand=asked.in_hand)
        return verdict_of(piece.log_id, match_id, one, other)
    except StoreFailed:
        raise
    except Exception as error:
        # One match that cannot be read must not take all others with it; it is told.
        return Verdict(
            log_id=piece.log_id,
            match_id=match_id,
            version=version,
            unreadable=str(error) or type(error).__name__,
        )
