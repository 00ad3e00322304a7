"""Windows of the cube: doubles that should not have been, and what players are bound to do."""

from __future__ import annotations

from collections.abc import Container, Iterator
from types import MappingProxyType

from msgspec.structs import replace

from events.payloads.cube import CubeAct, CubeActionVoided
from events.payloads.dispute import RulingMade
from events.values import Seat
from projections.folding.findings import Finding
from projections.judging.cube_state import Double, Promise
from projections.rules.answers import Answer
from projections.rules.subjects.cube_found import CUBE_FOUND
from projections.rules.subjects.premature import BOUND, DOUBLE_STANDS, NOT_BOUND
from projections.rules.subjects.windows import STANDS
from projections.states import State, Step
from projections.views.window import Past, What, Window, WindowIs, next_match


def cube_acts(past: Past) -> Iterator[Window]:
    """Doubles that should not have been, and what a player is bound to do with the cube."""
    doubles: dict[str, Double] = {}
    bound: dict[Seat, tuple[Step, Promise]] = {}
    for step in past.shown.steps_passing(_is_of_the_cube):
        acts = step.after.judged.cube_acts
        doubles.update((double.entry_id, double) for double in acts.irregular)
        for seat in Seat:
            now = acts.promise_of(seat)
            if seat in bound and not bound[seat][1].is_as(now):
                yield _promised(past, *bound.pop(seat), step)
            if seat not in bound and now is not None:
                bound[seat] = step, now
    for since in bound.values():
        yield _promised(past, *since, None)
    yield from filter(None, (_irregular(past, double) for double in doubles.values()))
    yield from _other_acts(past, doubles)


def _is_of_the_cube(step: Step) -> bool:
    return step.after.judged.cube_acts is not step.before.judged.cube_acts


_ACTS = ("cube-act-open", "cube-void", "cube-not-allowed", "early-cube-act")
"""Codes of findings at cube acts that the rules change, or leave to a person."""


def _is_judged(step: Step) -> bool:
    return any(finding.code in _ACTS for finding in step.findings)


def _other_acts(past: Past, known: Container[str]) -> Iterator[Window]:
    """Early doubles, gestures and words that do not, or may not, count as they were meant."""
    for step in past.shown.steps_passing(_is_judged):
        entry = step.event.entry_id
        if entry in known:
            continue
        finding = [finding for finding in step.findings if finding.code in _ACTS][-1]
        judged = step.after.judged
        is_early = finding.code == "early-cube-act"
        answer = judged.premature.answer if is_early else judged.cube_acts.answer
        if answer is None or answer.outcome in (BOUND, NOT_BOUND):
            # A bound player has a window of his own; others have nothing to correct.
            continue
        became, closed_by = _act_is(past, finding, answer)
        yield past.window(
            What.CUBE_ACT,
            entry,
            finding.seat,
            became,
            answer,
            must=became is WindowIs.OPEN,
            closed_by=closed_by,
        )


def _act_is(past: Past, finding: Finding, answer: Answer) -> tuple[WindowIs, str | None]:
    ended: str | None = None
    for step in past.steps_since(finding.entry_id):
        payload = step.event.payload
        if isinstance(payload, CubeActionVoided) and payload.target == finding.entry_id:
            return WindowIs.CORRECTED, step.event.entry_id
        if ended is None and not step.after.flow.in_game:
            ended = step.event.entry_id
    if finding.ruling_required is not None:
        answered = past.answered(finding)
        return (
            (WindowIs.ASKED, None) if answered is None else _act_as_ruled(past, finding, answered)
        )
    if answer.outcome == DOUBLE_STANDS:
        return WindowIs.STANDS, None
    return (WindowIs.OPEN, None) if ended is None else (WindowIs.STANDS, ended)


def _act_as_ruled(past: Past, finding: Finding, answered: int) -> tuple[WindowIs, str]:
    """What a ruling made of a cube act; if it takes the act back, that corrects it."""
    ruling = next(step for step in past.steps if step.event.version == answered)
    assert finding.ruling_required is not None
    key = (finding.ruling_required.topic, finding.entry_id, finding.seat)
    became = WindowIs.RULED
    if past.rulings.answers[key].reading in (STANDS, DOUBLE_STANDS):
        became = WindowIs.STANDS_BY_RULING
    elif ruling.after.cube != ruling.before.cube:
        became = WindowIs.CORRECTED
    return became, ruling.event.entry_id


def _promised(past: Past, step: Step, promise: Promise, ended: Step | None) -> Window:
    """A player bound to a cube act: it is still due, was done, or was not done."""
    became = WindowIs.OPEN if ended is None else _promise_is(past, promise, ended)
    closed_by = None if ended is None else ended.event.entry_id
    return past.window(
        What.CUBE_ACT,
        step.event.entry_id,
        promise.seat,
        became,
        _at_first(promise.bound),
        must=ended is None,
        closed_by=None if became is WindowIs.ASKED else closed_by,
    )


def _promise_is(past: Past, promise: Promise, ended: Step) -> WindowIs:
    questions = [one for one in ended.findings if one.ruling_required and one.seat is promise.seat]
    if any(finding.code == "cube-promise-broken" for finding in ended.findings):
        is_open = any(past.answered(finding) is None for finding in questions)
        return WindowIs.ASKED if is_open else WindowIs.RULED
    payload = ended.event.payload
    is_done = isinstance(payload, CubeAct) and payload.seat is promise.seat
    return WindowIs.CORRECTED if is_done else WindowIs.STANDS


def _at_first(answer: Answer) -> Answer:
    """A promise has to be kept by the player who made it, at the time that the text says."""
    details = {"by": "offender", "until": answer.details.get("at"), **answer.details}
    return replace(answer, details=MappingProxyType(details))


def _irregular(past: Past, double: Double) -> Window | None:
    """A double in a Crawford game, or one that is void: what follows when it is noticed now.

    None where the text leaves that open and nobody has asked.
    """
    acts = past.state.judged.cube_acts
    answer = _found_at(past, double, past.state)
    became, closed_by = WindowIs.OPEN, None
    is_unasked = False
    if answer.is_open:
        became = WindowIs.ASKED
        is_unasked = not _is_asked_about(past, double)
    elif answer.outcome == STANDS:
        became = WindowIs.STANDS
        closed_by = next_match(
            past, lambda step: _found_at(past, double, step.after).outcome == STANDS
        )
    for step in past.passing_since(double.entry_id, _takes_back):
        payload = step.event.payload
        if isinstance(payload, CubeActionVoided) and payload.target == double.entry_id:
            if became is not WindowIs.STANDS:
                became, closed_by = WindowIs.CORRECTED, step.event.entry_id
        elif isinstance(payload, RulingMade) and double not in acts.irregular:
            before = step.before.judged.cube_acts.irregular
            if double in before and double not in step.after.judged.cube_acts.irregular:
                became, closed_by = _by_words(payload), step.event.entry_id
    if became is WindowIs.ASKED and is_unasked:
        return None
    must = became is WindowIs.OPEN
    seat = double.facts.seat
    return past.window(
        What.CUBE_ACT, double.entry_id, seat, became, answer, must=must, closed_by=closed_by
    )


def _takes_back(step: Step) -> bool:
    """Whether an entry may take a double back."""
    return isinstance(step.event.payload, CubeActionVoided | RulingMade)


def _by_words(ruling: RulingMade) -> WindowIs:
    readings = {answer.reading for answer in ruling.answers}
    return WindowIs.STANDS_BY_RULING if STANDS in readings else WindowIs.RULED


def _found_at(past: Past, double: Double, state: State) -> Answer:
    """What follows from a double that should not have been, had it been noticed then."""
    games, length = state.score.games, state.score.length
    facts = state.judged.cube_acts.found_facts(double, games, length)
    return past.rules.ask(CUBE_FOUND, facts)


def _is_asked_about(past: Past, double: Double) -> bool:
    """Whether a question about a double waits for a ruling; one on its answer has a window too."""
    entry, seat, since = double.entry_id, double.facts.seat, past.versions[double.entry_id]
    return any(
        finding.entry_id == entry
        or (finding.code == "cube-violation-found" and finding.seat is seat)
        for finding in past.open_questions
        if finding.version >= since
    )
