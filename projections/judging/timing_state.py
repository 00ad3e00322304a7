"""Timing as it is judged: terms, the flag, and questions kept, found and ruled on."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.values import Seat
from projections.folding.findings import Finding, Severity, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.questions import Asked
from projections.folding.sayings import Said, said
from projections.rules.answers import Answer
from projections.rules.subjects.clock_terms import FlagFacts, lost_by

Result = tuple["Timing", tuple[Finding, ...]]


class Timing(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    terms: Answer | None = None
    """Reserve and delay that the rule set allots, `reserve_ms` and `delay_ms`; None = not asked."""
    delay: Answer | None = None
    """How the rule set has the free time of a turn run; None = not asked."""
    flag: FlagFacts | None = None
    """The reserve that was last noticed to have run out; None = none was."""
    flagged: Answer | None = None
    """What the rule set says to that, or what was ruled on it; None = nothing was noticed."""
    is_flag_claimed: bool = False
    """Whether one player alone says that the reserve had run out."""
    asked: tuple[Asked, ...] = ()
    """Every question that was left open, and those of them that a ruling has answered."""
    unasked: tuple[Asked, ...] = ()
    """Those that nobody has raised yet, each with the entry that it is about."""
    players_per_side: int = 1
    """Two in doubles."""
    is_missed: bool = False
    """Whether it was found that no clock was set where one has to be."""
    set_entry: str = ""
    """The entry that last set the clock."""
    claim: str | None = None
    """The last claim to a game that is not settled yet; None = none is."""
    unpressed: str | None = None
    """The entry by which a seat lost reserve by not pressing; None = none, or it got it back."""

    @property
    def flag_asked(self) -> Asked | None:
        """The last question about the flag that was noticed; None = none was asked."""
        about = (one for one in reversed(self.asked) if one.topic == "clock.flag")
        last = next(about, None)
        return last if last is not None and last.answer == self.flagged else None

    @property
    def lost_by(self) -> Seat | None:
        """Who has lost the match by the clock, by the text or a ruling; None = nobody, or open."""
        if self.flag is None or self.flagged is None:
            return None
        loser = lost_by(self.flagged, self.flag)
        return None if loser is None else Seat(loser)


def ask_or_keep(
    state: Timing, event: RecordedEvent, topic: str, message: Said, answer: Answer, seen: Seen
) -> Result:
    """A question is found, unless the text does not know clocks at all: then it is only kept."""
    if answer.is_silent:
        return keep_unasked(state, event, topic, answer), NOTHING
    finding = finding_on(topic, event, message, answer, seen)
    return replace(state, asked=questions_with(state, event, topic, answer, None)), (finding,)


def keep_unasked(state: Timing, event: RecordedEvent, topic: str, answer: Answer) -> Timing:
    """A question that is kept until somebody raises it."""
    return replace(state, unasked=(*state.unasked, Asked(topic, event.entry_id, answer)))


def questions_with(
    state: Timing, event: RecordedEvent, topic: str, answer: Answer, seat: Seat | None
) -> tuple[Asked, ...]:
    """The questions with one more, if the answer is one."""
    if not answer.is_open:
        return state.asked
    return (*state.asked, Asked(topic, event.entry_id, answer, seat))


def put_in_place(state: Timing, before: Answer, answer: Answer) -> Timing:
    """The question of the flag as it is asked now, under the key under which it was asked."""
    asked = tuple(
        replace(kept, answer=answer) if kept.answer == before else kept for kept in state.asked
    )
    return replace(state, answer=answer, flagged=answer, asked=asked)


def timing_ruled(state: Timing, seen: Seen) -> Timing:
    """Every question goes on from the reading that was chosen for it."""
    for index, kept in enumerate(state.asked):
        now = kept.ruled(seen)
        if now is not kept:
            asked = (*state.asked[:index], now, *state.asked[index + 1 :])
            state = _with_ruled(replace(state, asked=asked), kept, now.answer)
    return state


def _with_ruled(state: Timing, kept: Asked, answer: Answer) -> Timing:
    """The ruled answer wherever the question was kept; who sets the clock sets its free time."""
    member = _MEMBERS.get(kept.topic)
    if member is not None and getattr(state, member) == kept.answer:
        state = replace(state, **{member: answer})
    delay = state.delay
    if kept.topic == "clock.terms" and delay is not None and answer.outcome in delay.readings:
        assert answer.ruled_at is not None
        delay = delay.ruled(answer.outcome, answer.ruled_at)
        state = replace(state, delay=delay)
    return replace(state, answer=answer) if state.answer == kept.answer else state


_MEMBERS = {"clock.terms": "terms", "clock.delay": "delay", "clock.flag": "flagged"}
"""Topic to the member of the state that keeps its answer."""

QUESTIONS = {
    "clock.terms": said(
        "the clock is set; how much time it is to give is for the Director to decide"
    ),
    "clock.delay": said(
        "the clock is set; how the free time of a turn runs is for the Director to decide"
    ),
    "clock.stop": said("whether the clock may be stopped is for the Director to decide"),
}

_CODES = {
    "clock.terms": "clock-terms",
    "clock.delay": "clock-terms",
    "clock.stop": "clock-stop",
    "clock.fault": "clock-fault",
    "clock.flag": "flag-noticed",
}


def finding_on(
    topic: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    seen: Seen,
    *,
    seat: Seat | None = None,
    severity: Severity = Severity.IRREGULARITY,
) -> Finding:
    """What is found on a topic of timing."""
    code = _CODES[topic]
    return judged(code, event, message, answer, topic, seen.rules, seat=seat, severity=severity)
