"""Which matches may be analysed: those that are over, and that anybody may read whole."""

from __future__ import annotations

from typing import NamedTuple

from api.analysis.asking import AskedGame, asked_of
from api.analysis.results import Match
from api.archive.archive import Archive
from api.archive.reading import Live
from events.errors import LedgerError
from projections.views.discretion import is_in_play

_AT_ONCE = 4
"""Entries that are looked at together, from the last one back: mostly the last one will do."""


class NotAnalysed(LedgerError):
    """A match is not analysed; `str()` says why."""


class Work(NamedTuple):
    """A match that may be analysed."""

    match: Match
    games: list[AskedGame]


def why_not(archive: Archive, log_id: str, live: Live) -> str | None:
    """Why a match is not analysed; None where it may be.

    By the rule of the public pages: released, no appeal open, no second recorder's stream, not
    cancelled, past its delay, no dispute by which it stands still for the public; and, since an
    engine's word helps who plays, over. The same for every reader, those who rule included. Reads
    the store of a match with a delay.
    """
    publicity, version = live.publicity, live.replay.version
    if not publicity.is_public:
        return "it is not released to the public, or an appeal on it is open"
    if is_in_play(live.replay):
        return "it is not over"
    reach = version
    if publicity.delay_ms:
        moment = archive.lateness.before(publicity.delay_ms)
        reach, _ = archive.reading.received_by(log_id, live, moment)
    if publicity.told(reach) != version:
        return "the public is not shown all of it yet"
    return None


def match_of(archive: Archive, log_id: str, match_id: str, version: int) -> Match | None:
    """The match as it stands; None where it has gone on from that version. Reads the store.

    It stands where it stood before its films were attached and aligned: no engine judges them.
    """
    head = archive.store.stream_head(log_id, match_id)
    if head is None or head.version != version:
        return None
    while version:
        after = max(0, version - _AT_ONCE)
        rows = archive.store.read_stream(log_id, match_id, after=after, limit=version - after)
        for row in reversed(rows):
            if not row.tag.startswith("film."):
                return Match(log_id, match_id, row.leaf_hash)
        version = after
    return None


def work_of(archive: Archive, log_id: str, match_id: str) -> Work:
    """A match as engines are asked about it. Errors: NotAnalysed, LedgerError."""
    live = archive.reading.once(log_id, match_id)
    reason = why_not(archive, log_id, live)
    match = match_of(archive, log_id, match_id, live.version)
    games: list[AskedGame] = []
    if reason is None and match is None:
        reason = "it is being written to"
    if reason is None:
        games = asked_of(live.replay)
        if not any(game.choices for game in games):
            reason = "there is no play in it that an engine could judge"
    if reason is not None or match is None:
        raise NotAnalysed(f"match {match_id} of log {log_id} is not analysed: {reason}")
    return Work(match, games)
