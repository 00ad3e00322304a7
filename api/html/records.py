"""How reliable a match's record is, in counts: confirmations, corrections, gaps, disputes."""

from __future__ import annotations

from collections import Counter

from api.html.templates import Values
from events.envelope import Basis
from events.payloads.match import ScoreNoted
from events.values import Seat
from projections.replay import Replay

_CORRECTIONS = ("entry.retracted", "entry.amended")


def record_of(shown: Replay, leaf_hash: bytes | None) -> Values:
    """The facts about a record: its source, who has confirmed it, what was corrected.

    `leaf_hash` is the hash of the last entry shown, which depends on every byte recorded before.
    """
    events = shown.entries
    tags = Counter(event.tag for event in events)
    standing = Counter(step.event.tag for step in shown.steps)
    is_imported = bool(events) and events[0].basis is Basis.IMPORTED
    return {
        "is_imported": is_imported,
        "entries": len(events),
        "corrections": sum(tags[tag] for tag in _CORRECTIONS),
        # Retracted gaps and disputes do not count.
        "unseen": standing["play.unseen"],
        "disputes": standing["dispute.raised"],
        "rulings": tags["ruling.made"],
        "is_posted": shown.state.is_posted,
        "confirmed_by": [] if is_imported else _confirmed_by(shown),
        "leaf_hash": None if leaf_hash is None else leaf_hash.hex(),
    }


def _confirmed_by(shown: Replay) -> list[str]:
    """The seats whose own noted score, after the last game, equals the current score."""
    games = shown.state.score.games
    ended = games[-1].version if games else 0
    noted: dict[Seat, bool] = {}
    for step in shown.steps:
        note = step.event.payload
        if isinstance(note, ScoreNoted) and note.keeper is not None and step.event.version > ended:
            noted[note.keeper] = note.score == shown.state.match_score
    return [seat.value for seat in Seat if noted.get(seat)]
