"""Discretion during play: every reader is told what happened, only some what it means.

Spectators could tell the players what nobody at the table has noticed. So only those who rule on a
match are shown findings, questions, judgements, legal plays or pip counts of the game in progress;
other readers see them when the game is over, and those about the whole match when that is over.
Pages, the API and its live streams all ask here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from events.payloads.access import Role
from projections.custody.access import Grant
from projections.states import Replay, Step

HELD_BACK = (
    "Only what happened is told of a match in play. Findings, questions, legal plays and pip counts"
    " of a game come when that game is over, and what the rules make of the match as a whole comes"
    " when the match is over. Those who rule on it are told at once."
)
"""What an answer says when it leaves something out."""


class Discretion(NamedTuple):
    """How much of one match a reader is told."""

    tells_match: bool
    """Whether judgements on the whole match are shown, and so everything."""
    held_from: int | None
    """Version from which only the facts are shown; None = everything is."""

    @property
    def held_back(self) -> str | None:
        """What an answer says of what it leaves out; None where it may tell everything."""
        return None if self.tells_match else HELD_BACK

    def tells(self, version: int) -> bool:
        """Whether more than the facts is told of an entry."""
        return self.held_from is None or version < self.held_from


EVERYTHING = Discretion(tells_match=True, held_from=None)
"""Everything is shown: to those who rule, and to everybody once the match is over."""


_RULING = frozenset({Role.ARCHIVIST, Role.DIRECTOR, Role.COMMITTEE})


def rules_on(grants: Iterable[Grant], log_id: str, match_id: str) -> bool:
    """Whether somebody may rule on a match, as its players and scribes may not."""
    return any(grant.role in _RULING and grant.covers(log_id, match_id) for grant in grants)


def is_in_play(now: Replay) -> bool:
    """Whether a match is being played: not over, and not from a file that breaks off."""
    is_imported = now.opened is not None and now.opened.source is not None
    return not is_imported and not now.state.has_ended


def discretion(now: Replay, *, is_trusted: bool) -> Discretion:
    """What a reader is told of a match that has come so far, as corrected and by its own rules.

    The match as it stands for this reader decides, whichever moment of it or rule set is asked for.
    `is_trusted` is who rules on it.
    """
    if is_trusted or not is_in_play(now):
        return EVERYTHING
    score = now.state.score
    if any(game.number == score.game_number for game in score.games):
        return Discretion(tells_match=False, held_from=None)
    # Games are numbered upwards; what comes before the first one belongs to it.
    number = score.game_number
    earlier = bisect_left(now.steps, number, key=_game_of) if number > 1 else 0
    since = now.steps[earlier - 1].event.version + 1 if earlier else 0
    return Discretion(tells_match=False, held_from=since)


def _game_of(step: Step) -> int:
    return step.after.score.game_number
