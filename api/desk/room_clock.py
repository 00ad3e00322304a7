"""The clock of a match as the room shows it: by this server's time, at any moment."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from api.shapes.matches import Forfeits, MaybePair
from api.shapes.rooms import RoomClock
from events.payloads.clock import (
    ClockFlagNoticed,
    ClockPaused,
    ClockPressed,
    ClockResumed,
    ClockStarted,
    Flag,
)
from projections.facts.clock_state import Clock
from projections.replay import Replay, Step

TIMED_AT_MOST = 8
"""Entries by whose arrival a running clock is put on the server's time."""

_SETS_GOING = (ClockStarted, ClockResumed, ClockPressed)
"""What has a clock run that stood, or another side of it."""


def ticking_of(shown: Replay) -> list[Step]:
    """The entry since which a time runs, and some behind it; none where that is not known.

    Those behind it may have come in more promptly: a tablet that was cut off sends all it has at
    once, and the last of it is the least late.
    """
    clock = shown.state.clock
    if clock.running is None or clock.since_ms is None or clock.elapsed_ms is None:
        return []
    timed: list[Step] = []
    for step in reversed(shown.steps):
        at_ms = getattr(step.event.payload, "at_ms", None)
        if at_ms is not None:
            timed.append(step)
        if at_ms == clock.since_ms:
            return [*timed[:TIMED_AT_MOST], step]
    return []


def timed_of(shown: Replay) -> list[Step]:
    """The last entries that say when they happened."""
    steps = reversed(shown.steps)
    timed = (one for one in steps if getattr(one.event.payload, "at_ms", None) is not None)
    return list(islice(timed, TIMED_AT_MOST))


def _time_zero(timed: list[Step], times: Mapping[int, int | None]) -> int | None:
    """This server's time at the match's `at_ms` 0, by its promptest entry; None without any."""
    behind = [
        received - getattr(step.event.payload, "at_ms", 0)
        for step in timed
        if (received := times[step.event.global_position]) is not None
    ]
    return min(behind, default=None)


def _running_since(
    clock: Clock, ticking: list[Step], times: Mapping[int, int | None]
) -> int | None:
    """When by this server's time the running time began; None where nobody can say."""
    zero = _time_zero(ticking, times)
    return None if clock.since_ms is None or zero is None else clock.since_ms + zero


def clock_of(
    shown: Replay, ticking: list[Step], timed: list[Step], times: Mapping[int, int | None]
) -> RoomClock | None:
    """The clock, with all that tells what it shows at a moment of this server's time.

    `times`: when the entries of `ticking` and `timed` came in, by their places in the log.
    None where no clock is set.
    """
    clock = shown.state.clock
    if not clock.is_set:
        return None
    running, running_since = clock.running, _running_since(clock, ticking, times)
    fallen = {(True, True): Flag.BOTH, (True, False): Flag.ONE, (False, True): Flag.TWO}
    noticed = _flag_noticed(shown)
    if noticed is not None or _is_left_running(shown):
        # The time that ran has ended with it: what is shown is what it was noticed at.
        running, running_since = None, None
    return RoomClock(
        reserve_ms=MaybePair(*clock.reserve_ms),
        running=running,
        flag=noticed or fallen.get((clock.fallen.one, clock.fallen.two)),
        delay_ms=clock.delay_ms,
        paused=clock.paused,
        kind=clock.kind,
        pause_reason=None if clock.paused is None else _pause_reason(shown),
        running_since=running_since,
        time_zero=_time_zero(timed, times),
        since_elapsed_ms=clock.elapsed_ms,
        turn_reserve_ms=clock.turn_reserve_ms,
        free_ms=clock.free_ms,
        turn_forfeit=clock.turn_forfeit,
        forfeits=Forfeits(*clock.forfeits),
    )


def _pause_reason(shown: Replay) -> str | None:
    """Why the clock was paused last, in the word that was recorded."""
    for step in reversed(shown.steps):
        if isinstance(step.event.payload, ClockPaused):
            return step.event.payload.reason
    return None


def _is_left_running(shown: Replay) -> bool:
    """Whether the match is over, and nobody has set its clock going since."""
    if not shown.state.has_ended:
        return False
    goes = (one for one in reversed(shown.steps) if isinstance(one.event.payload, _SETS_GOING))
    last = next(goes, None)
    return last is None or not last.before.has_ended


def _flag_noticed(shown: Replay) -> Flag | None:
    """Whose flag was noticed, if no time has run since; None = nobody's."""
    for step in reversed(shown.steps):
        if isinstance(step.event.payload, ClockFlagNoticed):
            return step.event.payload.whose
        if step.event.tag.startswith("clock.") and not isinstance(step.event.payload, ClockPaused):
            return None
    return None
