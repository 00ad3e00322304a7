"""The index of turns made by several processes: each folds some matches, this one puts them in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping

import msgspec

from api.archive.reading import Reading
from api.publishing.engines import LocalEngine, uncollected
from api.rejudged.pieces import Judging, Piece, listed, planned
from api.search.positions import PositionIndex
from api.search.turns import Found, added_of
from events.store.opening import open_store
from events.store.protocol import EventStore

Moved = Callable[[int, int], None]
"""Told how many entries are done, of how many."""


def build(
    index: PositionIndex,
    store: EventStore,
    url: str,
    *,
    in_hand: Mapping[str, Mapping[str, str]],
    workers: int | None = None,
    moved: Moved | None = None,
) -> None:
    """Take in whole logs of which nothing was taken in so far. Errors: LedgerError, NotPublished.

    What is recorded meanwhile is taken in by the next `catch_up`.
    """
    sizes = {head.log_id: head.size for head in store.logs()}
    fresh = [log_id for log_id in sizes if not index.taken(log_id)]
    matches = {key: size for log_id in fresh for key, size in listed(store, log_id).items()}
    pieces = planned(matches, Judging(url=url, in_hand=in_hand))
    total, done = sum(piece.entries for piece in pieces), 0
    for piece, found in zip(pieces, LocalEngine(workers).map(folded, pieces), strict=True):
        index.take_all(piece.log_id, msgspec.msgpack.decode(found, type=dict[str, list[Found]]))
        done += piece.entries
        if moved is not None:
            moved(done, total)
    for log_id in fresh:
        index.take_all(log_id, {}, position=sizes[log_id])


def folded(piece: Piece) -> bytes:
    """The rows of the matches of one piece. Errors: LedgerError."""
    asked = piece.asked
    with uncollected(), contextlib.closing(open_store(asked.url, read_only=True)) as store:
        reading = Reading(store, capacity=1, in_hand=asked.in_hand)
        found = {
            match_id: one
            for match_id in piece.matches
            if (one := added_of(reading, piece.log_id, match_id))
        }
        return msgspec.msgpack.encode(found)
