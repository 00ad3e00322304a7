"""The embargo on a match while an appeal is open: by which texts, and how others are refused."""

from __future__ import annotations

import msgspec

from api.archive.index.rows import MatchRow
from api.archive.reading import Live, Reading
from api.refusals import Problem
from events.errors import LedgerError


def is_embargoed(reading: Reading, log_id: str, live: Live) -> bool:
    """Whether an appeal is open by whose rule set the committee must not learn who plays.

    Until it is decided nobody outside of the case is given the match, nor what a second scribe
    wrote of it: its moves or hashes would lead from a pack to the names. Reads the store.
    """
    opening = live.replay.opened
    if opening is not None and opening.shadow_of is not None:
        live = reading.live(log_id, opening.shadow_of)
    return live.replay.rules.profile.hearing.has_embargo and bool(live.publicity.appeals)


def as_heard(reading: Reading, row: MatchRow) -> MatchRow:
    """The row of a second scribe's record under the rule set of the match that it lies beside: by
    that it is kept from others, whatever its own opening says. Reads the store.
    """
    main = None if row.is_public else reading.main_of(row.log_id, row.stream_id)
    if main is None:
        return row
    try:
        opening = reading.once(row.log_id, main).replay.opened
    except LedgerError:
        return row  # it is not there, or damaged: the record is listed all the same
    return msgspec.structs.replace(row, rule_set=None if opening is None else opening.rule_set)


def embargo() -> Problem:
    """The refusal while an appeal is open."""
    return Problem(
        "not-permitted",
        "an appeal on this match is open, and its rule set keeps from the committee who plays:"
        " until it is decided the match is for those in the case alone",
        needs="director of the match",
        reason="appeal",
    )
