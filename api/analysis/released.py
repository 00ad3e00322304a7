"""Which matches may be analysed: those that are over, and that anybody may read whole."""

from __future__ import annotations

from typing import NamedTuple

from api.analysis.asking import AskedGame, asked_of
from api.analysis.results import Match
from api.archive.archive import Archive
from api.archive.known import known_publicity, received_by
from api.archive.publicity import Publicity
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
    if not live.publicity.is_public:
        return "it is not released to the public, or an appeal on it is open"
    if is_in_play(live.replay):
        return "it is not over"
    reach, publicity = _known(archive, log_id, live)
    if publicity.told(reach) != live.replay.version:
        return "the public is not shown all of it yet"
    return None


def is_released(archive: Archive, log_id: str, live: Live, version: int) -> bool:
    """Whether the match up to a version is what the public knows of it by now, and over by that.

    Whatever was entered since, what was found of it as it stood is shown until that is known.
    """
    reach, publicity = _known(archive, log_id, live)
    if not publicity.is_public or publicity.awaits_ruling(reach):
        return False
    return publicity.told(reach) == version and not is_in_play(live.replay.at(version))


def _known(archive: Archive, log_id: str, live: Live) -> tuple[int, Publicity]:
    """The last version that the delay lets be known, and what may be shown of the match by that."""
    delay_ms = live.publicity.delay_ms
    if not delay_ms:
        return live.replay.version, live.publicity
    moment = archive.lateness.before(delay_ms)
    reach, _ = received_by(archive.reading.store, log_id, live, moment)
    return reach, known_publicity(archive.reading, log_id, live, reach)


def match_of(archive: Archive, log_id: str, match_id: str, version: int) -> Match | None:
    """The match as it stands; None where it has gone on from that version. Reads the store."""
    head = archive.store.stream_head(log_id, match_id)
    if head is None or head.version != version:
        return None
    return match_at(archive, log_id, match_id, version)


def match_at(archive: Archive, log_id: str, match_id: str, version: int) -> Match | None:
    """The match as it stood at a version. Reads the store.

    It stands where it stood before its films were attached and aligned: no engine judges them.
    """
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
