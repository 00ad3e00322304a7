"""What of a match tells its score: earlier games, and every entry that says one, or may.

For committees from which the players are secret, where the score would tell who they are
(evidence §6). Whether it would is a person's to say.
"""

from __future__ import annotations

from events.envelope import RecordedEvent
from events.payloads.match import MatchOpened
from events.values import BySeat
from projections.states import Replay
from projections.views.scenes import games

_SCORES = ("score.", "result.", "match.ended", "game.won", "entry.", "moment.", "notice.")
"""Beginnings of tags of entries that tell a score, or may hold one that does."""


def tells_score(shown: Replay) -> frozenset[int]:
    """Versions of the entries of `shown` that tell a score, those of earlier games among them."""
    starts = [int(game["version"]) for game in games(shown)]
    earlier = range(starts[0], starts[-1]) if starts else ()
    recorded = shown.entries
    said = (one.version for one in recorded if _says_score(one))
    return frozenset((*earlier, *said))


def _says_score(event: RecordedEvent) -> bool:
    if event.tag.startswith(_SCORES):
        return True
    opening = event.payload
    return isinstance(opening, MatchOpened) and (
        opening.score_at_start != BySeat(0, 0) or opening.crawford_played
    )
