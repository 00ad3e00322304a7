"""Cube acts that one player alone calls void, though the rules let them stand."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads.cube import CubeActionVoided
from projections.folding.consequences import is_declared
from projections.folding.fold import Seen
from projections.folding.sayings import said
from projections.judging.cube_state import CubeActs, Result, told_act
from projections.rules.subjects.cube_words import ALLOWED
from projections.rules.subjects.premature import DOUBLE_STANDS


def called_void(
    state: CubeActs, event: RecordedEvent, void: CubeActionVoided, seen: Seen
) -> Result | None:
    """A double, or its answer, that one player calls void and that stands; None = nothing such."""
    double = state.last
    is_earlier = double is not None and double.game_number != seen.score.game_number
    if double is None or is_earlier or is_declared(event, void):
        return None
    verdict, doubler = double.verdict, double.facts.seat
    if verdict.outcome == ALLOWED and state.time is not None:
        # That it came in time and from whom may double is what lets it stand.
        verdict = state.time
    profile = seen.rules.profile
    is_read = profile.read_from is not None and verdict.section not in profile.unread
    if not is_read or verdict.is_open or verdict.outcome not in (ALLOWED, DOUBLE_STANDS):
        # Of a text that is not in hand nobody can say that it lets anything stand.
        return None
    if void.target == double.entry_id:
        seat = doubler
        message = said("{seat}'s double is called void, and by the rules it stands", seat=seat)
    elif void.target == double.answer_entry:
        seat = doubler.other
        message = said("{seat}'s take is called void, and by the rules it stands", seat=seat)
        if double.answered == "drop":
            message = said("{seat}'s drop is called void, and by the rules it stands", seat=seat)
    else:
        return None
    finding = told_act("cube-act-voided", event, message, verdict, "cube.double", seat, seen)
    return replace(state, answer=verdict), (finding,)
