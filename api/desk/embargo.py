"""The embargo on a match while an appeal is open: by which texts, and how others are refused."""

from __future__ import annotations

from api.archive.reading import Live, Reading
from api.refusals import Problem


def is_embargoed(reading: Reading, log_id: str, live: Live) -> bool:
    """Whether an appeal is open by whose rule set the committee must not learn who plays.

    Until it is decided nobody outside of the case is given the match, nor what a second scribe
    wrote of it: its moves or hashes would lead from a pack to the names. Reads the store.
    """
    opening = live.replay.opened
    if opening is not None and opening.shadow_of is not None:
        live = reading.live(log_id, opening.shadow_of)
    return live.replay.rules.profile.hearing.has_embargo and bool(live.publicity.appeals)


def embargo() -> Problem:
    """The refusal while an appeal is open."""
    return Problem(
        "not-permitted",
        "an appeal on this match is open, and its rule set keeps from the committee who plays:"
        " until it is decided the match is for those in the case alone",
        needs="director of the match",
        reason="appeal",
    )
