"""How far the record of a match can be trusted, in counts: who stands by it, what was put right."""

from __future__ import annotations

from collections import Counter

from api.html.templates import Values
from events.envelope import Basis
from events.payloads.match import ScoreNoted
from events.values import Seat
from projections.replay import Replay

_CORRECTIONS = ("entry.retracted", "entry.amended")


def record_of(shown: Replay, leaf_hash: bytes | None) -> Values:
    """What a page says of the record: where it comes from, who confirms it, what was put right.

    `leaf_hash` is that of the last entry shown: it changes with every byte recorded before it.
    """
    events = shown.entries
    tags = Counter(event.tag for event in events)
    standing = Counter(step.event.tag for step in shown.steps)
    is_imported = bool(events) and events[0].basis is Basis.IMPORTED
    return {
        "is_imported": is_imported,
        "entries": len(events),
        "corrections": sum(tags[tag] for tag in _CORRECTIONS),
        # A gap or a dispute that was entered by mistake is none.
        "unseen": standing["play.unseen"],
        "disputes": standing["dispute.raised"],
        "rulings": tags["ruling.made"],
        "is_posted": shown.state.is_posted,
        "confirmed_by": [] if is_imported else _confirmed_by(shown),
        "leaf_hash": None if leaf_hash is None else leaf_hash.hex(),
    }


def _confirmed_by(shown: Replay) -> list[str]:
    """The seats whose own note of the score, after the last game, is the score as it stands."""
    games = shown.state.score.games
    ended = games[-1].version if games else 0
    noted: dict[Seat, bool] = {}
    for step in shown.steps:
        note = step.event.payload
        if isinstance(note, ScoreNoted) and note.keeper is not None and step.event.version > ended:
            noted[note.keeper] = note.score == shown.state.match_score
    return [seat.value for seat in Seat if noted.get(seat)]
