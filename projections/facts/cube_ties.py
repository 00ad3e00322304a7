"""Opening ties, and the cube that they turn where automatic doubles were agreed."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads import cube
from events.values import MAX_CUBE_VALUE
from projections.facts.cube_value import Cube, Result
from projections.folding.findings import Finding, Severity, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import said
from projections.rules.answers import Answer
from projections.rules.subjects.dice import CUBE_AUTOMATIC, Tied
from projections.rules.subjects.game_worth import automatic_value


def _is_agreed(seen: Seen) -> bool:
    """Whether automatic doubles were agreed."""
    agreed = seen.rules.options.get("automatic_doubles")
    return bool(agreed) and agreed != "off"


def _tied(ties: int, seen: Seen) -> Tied:
    """So many opening ties of a game, as rule sets ask about them."""
    agreed = seen.rules.options.get("automatic_doubles")
    phase = seen.cube_acts.match_point_phase
    return Tied(
        ties=ties,
        limit=agreed if isinstance(agreed, int) and not isinstance(agreed, bool) else None,
        is_rated=None if seen.rules.options.get("rated") is None else seen.rules.is_on("rated"),
        is_match=seen.score.length is not None,
        is_crawford=seen.score.is_crawford_game
        or (phase is not None and phase.outcome == "adopted"),
        is_crawford_open=phase is not None and phase.is_open,
    )


def _found_at_cube(event: RecordedEvent, answer: Answer, seen: Seen) -> Finding:
    """What is said to a cube that both turned after an opening tie, in words of its own."""
    what = said("the rules know no automatic doubles here")
    if answer.is_open:
        what = said("whether it stays so is for the Director to decide")
    return judged(
        "automatic-double",
        event,
        said("the cube is turned after an opening tie: {what}", what=what),
        answer,
        "cube.automatic",
        seen.rules,
    )


def _found_at_tie(event: RecordedEvent, answer: Answer, seen: Seen) -> Finding:
    """What is said to a tie that turns no cube, or of which a person has to say what it does."""
    what = said("the cube is not turned")
    if answer.is_open:
        what = said("whether the cube is turned is for the Director to decide")
    return judged(
        "automatic-double",
        event,
        said("the opening dice tie, and automatic doubles were agreed: {what}", what=what),
        answer,
        "cube.automatic",
        seen.rules,
        severity=Severity.IRREGULARITY if answer.is_open else Severity.NOTE,
    )


def opening_tied(state: Cube, event: RecordedEvent, seen: Seen) -> Result:
    """The cube after an opening tie."""
    facts = _tied(state.ties + 1, seen)
    if not _is_agreed(seen):
        return msgspec.structs.replace(state, ties=facts.ties), NOTHING
    answer = seen.rules.ask(CUBE_AUTOMATIC, facts)
    new = msgspec.structs.replace(
        state, ties=facts.ties, automatic=answer, tie_entry=event.entry_id
    )
    if answer.is_open or answer.details["cube_value"] <= 1:
        return new, (_found_at_tie(event, answer, seen),)
    if state.owner is None and not state.turned:
        new = msgspec.structs.replace(new, value=max(state.value, answer.details["cube_value"]))
    return new, NOTHING


def tie_voided(state: Cube, target: str, seen: Seen) -> Cube:
    """A tie that is voided was no tie: the cube as before it, if nothing came since."""
    step = seen.step_of(target)
    if step is None or not state.ties or step.after.cube != state:
        return state
    before: Cube = step.before.cube  # type: ignore[assignment]  # what the cube's own state was
    return before if before.ties < state.ties else state


def is_for_tie(state: Cube, stated: cube.CubeStated, seen: Seen) -> bool:
    """Whether a cube that nobody has doubled is turned in the middle once opening rolls tied."""
    is_turned = stated.owner is None and stated.value > 1 and not state.turned
    return is_turned and state.ties > 0 and seen.flow.awaits_opening and state.automatic is None


def tie_agreed(new: Cube, event: RecordedEvent, ties: int, seen: Seen) -> Result:
    """Both turn the cube after a tie: as it lies, and found where the text does not let them."""
    answer = seen.rules.ask(CUBE_AUTOMATIC, _tied(ties, seen))
    new = msgspec.structs.replace(new, ties=ties)
    if not answer.is_open and answer.details["cube_value"] > 1:
        return new, NOTHING
    new = msgspec.structs.replace(new, automatic=answer, tie_entry=event.entry_id)
    return new, (_found_at_cube(event, answer, seen),)


def tie_ruled(state: Cube, event: RecordedEvent, reading: str, seen: Seen) -> Cube:
    """What the tie made the cube, unless it was offered or the game is over."""
    if state.automatic is None:
        return state
    answer = state.automatic.ruled(reading, event.version)
    new = msgspec.structs.replace(state, automatic=answer)
    is_moved = state.offered_by is not None or not seen.flow.in_game
    if is_moved or reading not in state.automatic.readings:
        return new
    value = automatic_value(reading, _tied(state.ties, seen), seen.rules)
    if value is None:
        return new
    return msgspec.structs.replace(new, value=min(value, MAX_CUBE_VALUE))
