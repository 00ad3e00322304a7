"""Windows of a match: everything that may or might still be corrected, by whom, and until what.

Each fold judges its own matters (plays, starts, rolls ...); this is one list of them all in one
shape, so that a reader need not know the folds. A closed window stays in the list, with what
closed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from types import MappingProxyType

from msgspec.structs import replace

from events.payloads.dice import EarlyRollAnswered, Voided
from events.payloads.dispute import DirectorCalled
from events.payloads.play import PlayCorrected, PlayMade, PlayRevised
from events.values import Seat
from projections.folding.fold import seat_of
from projections.judging.illegal_plays import PlayIs, as_it_is, unnoticed
from projections.judging.premature_state import Early
from projections.judging.result_state import Posting
from projections.judging.start import StartIs
from projections.judging.start import as_it_is as start_as_it_is
from projections.rules.answers import Answer
from projections.rules.subjects.dice import INVALID
from projections.rules.subjects.premature import (
    NOT_PREMATURE,
    OPPONENT_CHOOSES,
    REDONE,
    ROLL_STANDS,
    VOID,
)
from projections.rules.subjects.results import MAY_CORRECT, RESULT_CORRECTION
from projections.rules.subjects.windows import MUST_CORRECT, STANDS
from projections.states import Replay, Step
from projections.views.cube_windows import cube_acts
from projections.views.window import Past, What, Window, WindowIs, next_match


def windows_of(shown: Replay) -> tuple[Window, ...]:
    """Every window of a match, as it is at the end of the replay, in order of the entries.

    An illegal play that nobody noticed has a window, too: until when it can be noticed, or what
    closed that. Where the text leaves open what holds (for a play, a posting, a wrong double),
    there is no window until somebody asks.
    """
    past = Past(shown)
    windows = [*_plays(past), *_unnoticed(past), *_starts(past)]
    windows += [*_early_rolls(past), *cube_acts(past), *_results(past)]
    return tuple(sorted(windows, key=lambda window: past.versions[window.entry]))


# Illegal plays.

_PLAYS = {
    PlayIs.OPEN: WindowIs.OPEN,
    PlayIs.STANDS: WindowIs.STANDS,
    PlayIs.STANDS_BY_RULING: WindowIs.STANDS_BY_RULING,
    PlayIs.CONDONED: WindowIs.CONDONED,
    PlayIs.CORRECTED: WindowIs.CORRECTED,
    PlayIs.ASKED: WindowIs.ASKED,
    PlayIs.RULED: WindowIs.RULED,
}


def _plays(past: Past) -> Iterator[Window]:
    for known in past.state.judged.windows.plays:
        noticed = as_it_is(known, past)
        is_open = noticed.play_is is PlayIs.OPEN
        yield past.window(
            What.PLAY,
            noticed.made,
            noticed.offender,
            _PLAYS[noticed.play_is],
            noticed.holds,
            must=is_open and noticed.holds.outcome == MUST_CORRECT,
            may=is_open,
            closed_by=noticed.closed_by,
        )


def _unnoticed(past: Past) -> Iterator[Window]:
    """Illegal plays that nobody noticed, if the text says what holds for them."""
    known = {noticed.made for noticed in past.state.judged.windows.plays}
    for made, last in _illegal(past.steps).items():
        step = past.step_of(made)
        if made in known or step is None:
            continue
        seat = seat_of(step)
        is_corrected = isinstance(last.event.payload, PlayCorrected)
        answer = unnoticed(past, step, last if is_corrected else None)
        if is_corrected:
            corrected = last.event.entry_id
            yield past.window(
                What.PLAY, made, seat, WindowIs.CORRECTED, answer, closed_by=corrected
            )
        elif not answer.is_open:
            stands = answer.outcome == STANDS
            yield past.window(
                What.PLAY,
                made,
                seat,
                WindowIs.STANDS if stands else WindowIs.OPEN,
                answer,
                must=answer.outcome == MUST_CORRECT,
                may=not stands,
                closed_by=answer.details.get("closed_by"),
            )


def _illegal(steps: Sequence[Step]) -> dict[str, Step]:
    """Each illegal `play.made`, still so or corrected, to its last change."""
    roots: dict[str, str] = {}
    found: dict[str, Step] = {}
    for step in steps:
        payload, entry = step.event.payload, step.event.entry_id
        if isinstance(payload, PlayMade):
            roots[entry] = entry
        elif isinstance(payload, PlayRevised | PlayCorrected) and payload.target in roots:
            roots[entry] = roots[payload.target]
        else:
            continue
        made = roots[entry]
        is_illegal = any(finding.code == "illegal-play" for finding in step.findings)
        if is_illegal or (made in found and isinstance(payload, PlayCorrected)):
            found[made] = step
        else:
            found.pop(made, None)
    return found


# Wrong starts.

_STARTS = {
    StartIs.TO_CORRECT: WindowIs.OPEN,
    StartIs.STANDS: WindowIs.STANDS,
    StartIs.STANDS_BY_RULING: WindowIs.STANDS_BY_RULING,
    StartIs.CORRECTED: WindowIs.CORRECTED,
    StartIs.ASKED: WindowIs.ASKED,
    StartIs.RULED: WindowIs.RULED,
}


def _starts(past: Past) -> Iterator[Window]:
    for known in past.state.judged.start.faults:
        fault = start_as_it_is(known, past)
        yield past.window(
            What.START,
            fault.entry_id,
            fault.seat,
            _STARTS[fault.start_is],
            fault.follows or fault.answer,
            must=fault.start_is is StartIs.TO_CORRECT,
            closed_by=fault.closed_by,
        )


# Early rolls.


def _early_rolls(past: Past) -> Iterator[Window]:
    latest: dict[str, Early] = {}
    for step in past.steps:
        early = step.after.judged.premature.early
        if early is not None:
            latest[early.entry_id] = early
    for entry, early in latest.items():
        answer = early.answer
        answers = [
            step.event.entry_id
            for step in past.steps_since(entry)
            if isinstance(step.event.payload, EarlyRollAnswered)
            and step.after.judged.premature.early is not None
            and step.after.judged.premature.early.entry_id == entry
        ]
        answer = past.ruled(answer, "dice.early-roll", early.roller, entry, *answers)
        if answer.outcome == NOT_PREMATURE:
            continue
        closed_by = answers[-1] if answers else None
        state = _early_is(early, answer)
        if state is WindowIs.OPEN and answer.ruled_at is None:
            state, closed_by = _after_early(past, entry, early.roller)
        if answer.ruled_at is not None:
            closed_by = past.ruling(answer)
        elif state is WindowIs.STANDS:
            # The right to choose was lost before this roll.
            closed_by = None
        is_open = state is WindowIs.OPEN
        must = is_open and answer.outcome != OPPONENT_CHOOSES
        yield past.window(
            What.EARLY_ROLL,
            entry,
            early.roller,
            state,
            _by_opponent(answer),
            must=must,
            may=is_open,
            closed_by=None if is_open or state is WindowIs.ASKED else closed_by,
        )


def _early_is(early: Early, answer: Answer) -> WindowIs:
    """What became of an early roll."""
    said = early.facts.answer
    if answer.is_open:
        return WindowIs.ASKED
    if answer.outcome == ROLL_STANDS:
        if answer.ruled_at is not None:
            return WindowIs.STANDS_BY_RULING
        return WindowIs.STANDS if answer.details.get("right_lost") else WindowIs.CONDONED
    if answer.outcome not in (OPPONENT_CHOOSES, *_AGAIN):
        return WindowIs.RULED
    if said == REDONE:
        return WindowIs.CORRECTED
    return WindowIs.CONDONED if said is not None else WindowIs.OPEN


_AGAIN = (REDONE, VOID, INVALID)
"""Outcomes by which the dice are rolled again."""


def _by_opponent(answer: Answer) -> Answer:
    """The choice between standing and redoing belongs to the opponent of the early roller."""
    if answer.outcome != OPPONENT_CHOOSES:
        return answer
    return replace(answer, details=MappingProxyType({**answer.details, "by": "opponent"}))


def _after_early(past: Past, entry: str, roller: Seat) -> tuple[WindowIs, str | None]:
    """What happened to an early roll without an answer: redone, played on, or the game ended."""
    for step in past.steps_since(entry):
        payload, at = step.event.payload, step.event.entry_id
        if isinstance(payload, Voided) and payload.target == entry:
            return WindowIs.CORRECTED, at
        if isinstance(payload, PlayMade) and payload.seat is roller:
            return WindowIs.CONDONED, at
        if not step.after.flow.in_game:
            return WindowIs.CONDONED, at
    return WindowIs.OPEN, None


# Posted results.


def _results(past: Past) -> Iterator[Window]:
    """Postings that are not the result of the match."""
    wrong: dict[str, Posting] = {}
    shut: dict[str, str] = {}
    for step in past.steps:
        before, after = step.before.judged.results.posting, step.after.judged.results.posting
        if after is before:
            continue
        if after is not None and after.is_wrong:
            wrong[after.entry_id] = after
        if before is not None and (after is None or after.entry_id != before.entry_id):
            shut.setdefault(before.entry_id, step.event.entry_id)
    for entry, posting in wrong.items():
        answer = past.rules.ask(RESULT_CORRECTION, posting.facts)
        calls = [
            step.event.entry_id
            for step in past.steps_since(entry)
            if isinstance(step.event.payload, DirectorCalled)
        ]
        answer = past.ruled(answer, "result.correction", None, entry, *calls)
        closed_by, state = shut.get(entry), _posting_is(answer)
        if state is WindowIs.STANDS:
            closed_by = next_match(past, partial(_is_final, past, entry))
        elif closed_by:
            state = WindowIs.CORRECTED
        elif state is WindowIs.ASKED and not _is_asked(past, "result.correction"):
            continue
        elif answer.ruled_at is not None and state is not WindowIs.CORRECTED:
            closed_by = past.ruling(answer)
        may = state is WindowIs.OPEN
        yield past.window(
            What.RESULT, entry, None, state, answer, may=may, closed_by=None if may else closed_by
        )


def _is_final(past: Past, entry: str, step: Step) -> bool:
    """Whether a wrong posting could no longer be corrected after a step."""
    posting = step.after.judged.results.posting
    if posting is None or posting.entry_id != entry:
        return False
    return past.rules.ask(RESULT_CORRECTION, posting.facts).outcome == STANDS


def _is_asked(past: Past, topic: str) -> bool:
    """Whether a question of a topic waits for a ruling."""
    return any(
        finding.ruling_required is not None and finding.ruling_required.topic == topic
        for finding in past.open_questions
    )


def _posting_is(answer: Answer) -> WindowIs:
    if answer.is_open:
        return WindowIs.ASKED
    if answer.outcome == STANDS:
        return WindowIs.STANDS if answer.ruled_at is None else WindowIs.STANDS_BY_RULING
    if answer.outcome == MAY_CORRECT:
        return WindowIs.OPEN
    return WindowIs.RULED
