"""Words for entries that the transcript has none for: the clock, and any entry by its members."""

from __future__ import annotations

import re
from collections.abc import Iterator

from api.exchange.prose.clear import clear_body, is_readable
from events.payloads import clock
from events.payloads.corrections import MomentMarked
from events.values import BySeat, Seat
from projections.folding.sayings import printable
from projections.replay import Replay, Step
from projections.views.notices import calls_of

_ENTRY = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def shown(text: str) -> str:
    """A text on one line; what cannot be printed is replaced."""
    return printable(" ".join(text.split()))


def plain(word: str) -> str:
    """A word of a body as people write it."""
    return word.replace("_", " ")


def clocked(milliseconds: int) -> str:
    """Minutes and seconds, as a clock shows them."""
    sign, seconds = ("-" if milliseconds < 0 else ""), abs(milliseconds) // 1000
    return f"{sign}{seconds // 60}:{seconds % 60:02}"


def clock_terms(kind: str, delay_ms: int) -> str:
    """How a clock gives free time."""
    return f"{plain(kind)}{f' delay {delay_ms // 1000} s' if delay_ms else ''}"


def clock_lines(step: Step, names: BySeat[str]) -> Iterator[str]:
    """What was done to the clock, and what it shows then."""
    payload = step.event.payload
    if not isinstance(payload, clock.ClockAct):
        return
    both = reserves(step, names, unknown="unknown")
    match payload:
        case clock.ClockSet(kind=kind, delay_ms=delay_ms):
            yield f"clock set: {clock_terms(kind.value, delay_ms)}; {both}"
        case clock.ClockStarted(seat=seat):
            yield f"the clock runs for {names[seat]}"
        case clock.ClockPressed(seat=seat):
            yield f"{names[seat]} presses the clock: {both}"
        case clock.ClockPaused(reason="all_clocks"):
            yield f"all clocks of the hall are stopped ({both})"
        case clock.ClockPaused(reason=reason):
            yield f"the clock is stopped{'' if reason is None else f': {plain(reason)}'} ({both})"
        case clock.ClockResumed():
            yield f"the clock goes on ({both})"
        case clock.ClockRead():
            yield f"the clock is read: {both}"
        case clock.ClockFaultNoticed(kind=fault, seat=seat):
            whose = "" if seat is None else f", {names[seat]}"
            yield f"a fault of the clock: {plain(fault.value)}{whose} ({both})"
        case clock.ClockAdjusted(seat=seat, amount_ms=amount):
            how = "taken from" if amount < 0 else "given to"
            yield f"{clocked(abs(amount))} {how} the reserve of {names[seat]} ({both})"
        case clock.ClockDelayForfeited(seat=seat, turn=turn, waits=waits, cause=cause):
            how = "has to wait out" if waits else "forfeits"
            why = "" if cause is None else f": {plain(cause.value)}"
            yield f"{names[seat]} {how} the delay of {_TURNS[turn]}{why} ({both})"
        case clock.ClockDelayRestarted(seat=seat, left_ms=left_ms, cause=cause):
            rest = "" if left_ms is None else f", with {clocked(left_ms)}"
            why = "" if cause is None else f": {plain(cause.value)}"
            yield f"the delay of {names[seat]} begins anew{rest}{why} ({both})"
        case _:
            return


_TURNS = {clock.DelayTurn.NEXT: "the next turn", clock.DelayTurn.THIS: "this turn"}
"""Which turn a delay belongs to, in words."""


def reserves(step: Step, names: BySeat[str], *, unknown: str) -> str:
    """What the clock of each player shows after a step."""
    left = step.after.clock.reserve_ms
    return ", ".join(
        f"{names[seat]} {unknown if rest is None else clocked(rest)}"
        for seat, rest in zip(Seat, left, strict=True)
    )


class Wording:
    """Values of entries in the words of one match: seats by name, other entries by number."""

    def __init__(self, names: BySeat[str], replay: Replay) -> None:
        self.names = names
        self.calls = calls_of(replay)
        """Entry ids of the calls for the director: a mark on one says that he is on the way."""
        self.versions = replay.versions
        """Entry id to version."""

    def by_members(self, step: Step) -> str:
        """An entry as its tag and its members."""
        payload = step.event.payload
        if isinstance(payload, MomentMarked) and payload.target in self.calls:
            return f"the director is on the way (call: {self.said(payload.target)})"
        title = plain(step.event.tag.replace(".", " "))
        if not is_readable(step.event.payload):
            return shown(f"{title}: an entry that this program cannot read")
        body = clear_body(step.event.payload)
        body.pop("at_ms", None)
        members = self.said(body)
        return shown(f"{title}: {members}" if body else title)

    def said(self, value: object) -> str:
        """A value of a body in words: seats by name, entries by number."""
        match value:
            case None:
                return "none"
            case bool():
                return "on" if value else "off"
            case dict() if value.keys() == {"one", "two"}:
                return ", ".join(f"{self.names[seat]} {self.said(value[seat])}" for seat in Seat)
            case dict():
                return "; ".join(f"{plain(key)} {self.said(one)}" for key, one in value.items())
            case list() | tuple():
                return ", ".join(self.said(one) for one in value) or "none"
            case str() if value in ("one", "two"):
                return self.names[Seat(value)]
            case str() if _ENTRY.fullmatch(value):
                version = self.versions.get(value)
                return "an entry not here" if version is None else f"entry {version}"
            case _:
                return shown(plain(str(value)))
