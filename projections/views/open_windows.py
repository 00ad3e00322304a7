"""Open windows: everything that may or might still be put right, by whom, until what, and the rest.

The folds judge play by play, start by start, roll by roll; here is one list of all of it, in one
shape, so that a reader need not know which fold says what. A window that is shut stays in the list
and says what shut it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.payloads.cube import CubeAct, CubeActionVoided
from events.payloads.dice import EarlyRollAnswered, Voided
from events.payloads.dispute import DirectorCalled, RulingMade
from events.payloads.match import MatchNextStarted
from events.payloads.play import PlayCorrected, PlayMade, PlayRevised
from events.values import Seat
from projections.folding.findings import Finding
from projections.judging.cube_state import Double, Promise
from projections.judging.illegal_plays import PlayIs, as_it_is, unnoticed
from projections.judging.results import Posting
from projections.judging.start import StartIs
from projections.judging.start import as_it_is as start_as_it_is
from projections.judging.turns import Early
from projections.replay import Replay, State, Step
from projections.rules.answers import Answer
from projections.rules.subjects.dice import INVALID
from projections.rules.subjects.premature import (
    BOUND,
    DOUBLE_STANDS,
    NOT_BOUND,
    NOT_PREMATURE,
    OPPONENT_CHOOSES,
    REDONE,
    ROLL_STANDS,
    VOID,
)
from projections.rules.subjects.results import MAY_CORRECT
from projections.rules.subjects.windows import MUST_CORRECT, STANDS


class WindowIs(enum.StrEnum):
    """What became of what could be put right."""

    OPEN = "open"
    """It may, or has to be, put right."""
    STANDS = "stands"
    """Its time was over before anybody did anything about it."""
    CONDONED = "condoned"
    """It was left as it was although it could have been put right."""
    CORRECTED = "corrected"
    """It was put right, done again, declared void, or done as a player was bound to do it."""
    STANDS_BY_RULING = "stands_by_ruling"
    """A Director's ruling let it stand."""
    ASKED = "asked"
    """A person has to rule."""
    RULED = "ruled"
    """A Director has ruled, in words from which the rule set cannot tell what becomes of it."""


class What(enum.StrEnum):
    """What there is to put right."""

    PLAY = "play"
    """An illegal play."""
    START = "start"
    """A wrong starting position."""
    EARLY_ROLL = "early_roll"
    """Dice rolled before the opponent's turn was over."""
    CUBE_ACT = "cube_act"
    """A double, early, in a Crawford game or of no use; a gesture or word about the cube."""
    RESULT = "result"
    """A result that is posted wrongly."""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that can or could be put right."""

    what: What
    """What."""
    entry: str
    """The entry that did it, or that noticed it where no single entry did."""
    seat: Seat | None
    """Whose fault; None = nobody's, or both players'."""
    state: WindowIs
    """What became of it."""
    must: bool
    """Whether it has to be put right now."""
    may: bool
    """Whether it may be put right now."""
    by: str | None
    """Who may or must, in the rule set's words; None = the text does not say."""
    until: str | None
    """The kind of event that shuts, or shut, the window; None = the text names none."""
    section: str
    """Where the rule set says so."""
    rule_set: str
    """Which rule set."""
    closed_by: str | None = None
    """The entry that shut it; None = it is not shut, or no single entry did."""


def windows_of(shown: Replay) -> tuple[Window, ...]:
    """Every window of a match, as it is at the end of the replay, in order of the entries.

    A play that nobody called illegal, and that is, has its window too: until when it could be
    noticed, or what shut that. Where the text leaves open what holds, of a play or a posting, of a
    double that should not have been, there is none before somebody asks.
    """
    past = _Past(shown)
    windows = [*_plays(past), *_unnoticed(past), *_starts(past)]
    windows += [*_early_rolls(past), *_cube_acts(past), *_results(past)]
    return tuple(sorted(windows, key=lambda window: past.versions[window.entry]))


class _Past:
    """The match behind a replay, in the words in which folds ask for earlier entries."""

    def __init__(self, shown: Replay) -> None:
        self.shown = shown
        self.rules = shown.rules
        self.state = shown.state
        self.flow = shown.state.flow
        self.steps = shown.steps
        self.rulings = shown.state.rulings
        self.versions = {step.event.entry_id: step.event.version for step in shown.steps}
        self._places = {step.event.entry_id: place for place, step in enumerate(shown.steps)}

    def step_of(self, entry_id: str) -> Step | None:
        """The event with this entry id; None if the stream holds none."""
        place = self._places.get(entry_id)
        return None if place is None else self.steps[place]

    def steps_since(self, entry_id: str) -> Sequence[Step]:
        """The events after the one with this entry id; none if the stream holds none."""
        place = self._places.get(entry_id)
        return () if place is None else self.steps[place + 1 :]

    def window(
        self,
        what: What,
        entry: str,
        seat: Seat | None,
        state: WindowIs,
        answer: Answer,
        *,
        must: bool = False,
        may: bool = False,
        closed_by: str | None = None,
    ) -> Window:
        """A window as an answer describes it; what stands may still be corrected as it says."""
        details = answer.details
        later = details.get("later") if state is WindowIs.STANDS else None
        by = later or details.get("by")
        return Window(
            what=what,
            entry=entry,
            seat=seat,
            state=state,
            must=must,
            may=may or must or later is not None,
            by=None if by is None else str(by),
            until=details.get("until"),
            section=answer.section,
            rule_set=self.rules.profile.id,
            closed_by=closed_by if closed_by in self.versions else None,
        )

    def ruled(self, answer: Answer, topic: str, seat: Seat | None, *entries: str) -> Answer:
        """The answer with the latest ruling on it, at whichever of the entries it was asked."""
        made = [self.rulings.answers.get((topic, entry, seat)) for entry in entries]
        latest = max((one for one in made if one), key=lambda one: one.version, default=None)
        return answer if latest is None else answer.ruled(latest.reading, latest.version)

    def answered(self, finding: Finding) -> int | None:
        """Version of the ruling that answers a question."""
        return self.shown.answered(finding).answered_by

    def ruling(self, answer: Answer) -> str | None:
        """The entry of the ruling that an answer goes by."""
        entries = (entry for entry, at in self.versions.items() if at == answer.ruled_at)
        return next(entries, None)


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


def _plays(past: _Past) -> Iterator[Window]:
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


def _unnoticed(past: _Past) -> Iterator[Window]:
    """Illegal plays of which nobody said anything, as far as the text says what holds for them."""
    known = {noticed.made for noticed in past.state.judged.windows.plays}
    for made, last in _illegal(past.steps).items():
        step = past.step_of(made)
        if made in known or step is None:
            continue
        seat: Seat = step.event.payload.seat
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
    """`play.made` that was illegal, and is so still or was corrected, to its last change."""
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


def _starts(past: _Past) -> Iterator[Window]:
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


def _early_rolls(past: _Past) -> Iterator[Window]:
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
    """A choice between standing and redoing is the opponent's of whoever rolled early."""
    if answer.outcome != OPPONENT_CHOOSES:
        return answer
    return replace(answer, details=MappingProxyType({**answer.details, "by": "opponent"}))


def _after_early(past: _Past, entry: str, roller: Seat) -> tuple[WindowIs, str | None]:
    """What came of an early roll to which nobody said anything: redone, played on, or the end."""
    for step in past.steps_since(entry):
        payload, at = step.event.payload, step.event.entry_id
        if isinstance(payload, Voided) and payload.target == entry:
            return WindowIs.CORRECTED, at
        if isinstance(payload, PlayMade) and payload.seat is roller:
            return WindowIs.CONDONED, at
        if not step.after.flow.in_game:
            return WindowIs.CONDONED, at
    return WindowIs.OPEN, None


# Cube acts.


def _cube_acts(past: _Past) -> Iterator[Window]:
    """Doubles that should not have been, and what a player is bound to do with the cube."""
    doubles: dict[str, Double] = {}
    bound: tuple[Step, Promise, Answer] | None = None
    for step in past.steps:
        acts = step.after.judged.cube_acts
        if acts is step.before.judged.cube_acts:
            continue
        doubles.update((double.entry_id, double) for double in acts.irregular)
        if bound is not None and acts.promise != bound[1]:
            yield _promised(past, *bound, step)
            bound = None
        if bound is None and acts.promise is not None and acts.bound is not None:
            bound = step, acts.promise, acts.bound
    if bound is not None:
        yield _promised(past, *bound, None)
    yield from filter(None, (_irregular(past, double) for double in doubles.values()))
    yield from _other_acts(past, doubles)


_ACTS = ("cube-act-open", "cube-void", "cube-not-allowed", "early-cube-act")
"""Codes of findings at a cube act of which the rules make something else, or ask a person."""


def _other_acts(past: _Past, known: Container[str]) -> Iterator[Window]:
    """Early doubles, gestures and words that do not count as they were meant, or may not."""
    for step in past.steps:
        entry = step.event.entry_id
        found = [finding for finding in step.findings if finding.code in _ACTS]
        if not found or entry in known:
            continue
        finding = found[-1]
        judged = step.after.judged
        is_early = finding.code == "early-cube-act"
        answer = judged.premature.answer if is_early else judged.cube_acts.answer
        if answer is None or answer.outcome in (BOUND, NOT_BOUND):
            # Whoever is bound has a window of his own; who is not has nothing to put right.
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


def _act_is(past: _Past, finding: Finding, answer: Answer) -> tuple[WindowIs, str | None]:
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


def _act_as_ruled(past: _Past, finding: Finding, answered: int) -> tuple[WindowIs, str]:
    """What a ruling made of a cube act; one that takes it back puts it right."""
    ruling = next(step for step in past.steps if step.event.version == answered)
    assert finding.ruling_required is not None
    key = (finding.ruling_required.topic, finding.entry_id, finding.seat)
    became = WindowIs.RULED
    if past.rulings.answers[key].reading in (STANDS, DOUBLE_STANDS):
        became = WindowIs.STANDS_BY_RULING
    elif ruling.after.cube != ruling.before.cube:
        became = WindowIs.CORRECTED
    return became, ruling.event.entry_id


def _promised(
    past: _Past, step: Step, promise: Promise, answer: Answer, ended: Step | None
) -> Window:
    """A player bound to a cube act: it is still due, was done, or was not."""
    became = WindowIs.OPEN if ended is None else _promise_is(past, promise, ended)
    closed_by = None if ended is None else ended.event.entry_id
    return past.window(
        What.CUBE_ACT,
        step.event.entry_id,
        promise.seat,
        became,
        _at_first(answer),
        must=ended is None,
        closed_by=None if became is WindowIs.ASKED else closed_by,
    )


def _promise_is(past: _Past, promise: Promise, ended: Step) -> WindowIs:
    questions = [one for one in ended.findings if one.ruling_required and one.seat is promise.seat]
    if any(finding.code == "cube-promise-broken" for finding in ended.findings):
        is_open = any(past.answered(finding) is None for finding in questions)
        return WindowIs.ASKED if is_open else WindowIs.RULED
    payload = ended.event.payload
    is_done = isinstance(payload, CubeAct) and payload.seat is promise.seat
    return WindowIs.CORRECTED if is_done else WindowIs.STANDS


def _at_first(answer: Answer) -> Answer:
    """A promise has to be kept by whoever made it, when the text says."""
    details = {"by": "offender", "until": answer.details.get("at"), **answer.details}
    return replace(answer, details=MappingProxyType(details))


def _irregular(past: _Past, double: Double) -> Window | None:
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
        closed_by = _next_match(
            past, lambda step: _found_at(past, double, step.after).outcome == STANDS
        )
    for step in past.steps_since(double.entry_id):
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


def _by_words(ruling: RulingMade) -> WindowIs:
    readings = {answer.reading for answer in ruling.answers}
    return WindowIs.STANDS_BY_RULING if STANDS in readings else WindowIs.RULED


def _found_at(past: _Past, double: Double, state: State) -> Answer:
    """What follows from a double that should not have been, had it been noticed then."""
    games, length = state.score.games, state.score.length
    game = next((one for one in games if one.number == double.game_number), None)
    facts = state.judged.cube_acts.found_facts(double, game, length)
    return past.rules.ask("cube.found", facts)


def _is_asked_about(past: _Past, double: Double) -> bool:
    """Whether a question about a double waits for a ruling; one on its answer has a window too."""
    entry, seat, since = double.entry_id, double.facts.seat, past.versions[double.entry_id]
    return any(
        finding.entry_id == entry
        or (finding.code == "cube-violation-found" and finding.seat is seat)
        for finding in past.shown.open_questions
        if finding.version >= since
    )


def _next_match(past: _Past, is_shut: Callable[[Step], bool]) -> str | None:
    """The entry by which another match began, so that a window was shut from there on."""
    for step in past.steps:
        if isinstance(step.event.payload, MatchNextStarted) and is_shut(step):
            return step.event.entry_id
    return None


# Posted results.


def _results(past: _Past) -> Iterator[Window]:
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
        answer = past.rules.ask("result.correction", posting.facts)
        calls = [
            step.event.entry_id
            for step in past.steps_since(entry)
            if isinstance(step.event.payload, DirectorCalled)
        ]
        answer = past.ruled(answer, "result.correction", None, entry, *calls)
        closed_by, state = shut.get(entry), _posting_is(answer)
        if state is WindowIs.STANDS:
            closed_by = _next_match(past, partial(_is_final, past, entry))
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


def _is_final(past: _Past, entry: str, step: Step) -> bool:
    """Whether a wrong posting could not be corrected any more after a step."""
    posting = step.after.judged.results.posting
    if posting is None or posting.entry_id != entry:
        return False
    return past.rules.ask("result.correction", posting.facts).outcome == STANDS


def _is_asked(past: _Past, topic: str) -> bool:
    """Whether a question of a topic waits for a ruling."""
    return any(
        finding.ruling_required is not None and finding.ruling_required.topic == topic
        for finding in past.shown.open_questions
    )


def _posting_is(answer: Answer) -> WindowIs:
    if answer.is_open:
        return WindowIs.ASKED
    if answer.outcome == STANDS:
        return WindowIs.STANDS if answer.ruled_at is None else WindowIs.STANDS_BY_RULING
    if answer.outcome == MAY_CORRECT:
        return WindowIs.OPEN
    return WindowIs.RULED
