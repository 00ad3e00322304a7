"""Opening ties, and the cube that they turn where automatic doubles were agreed."""

from __future__ import annotations

from events.envelope import RecordedEvent
from projections.folding.findings import Finding, Severity, judged
from projections.folding.fold import Seen
from projections.folding.sayings import said
from projections.rules.answers import Answer
from projections.rules.subjects.dice import Tied


def is_agreed(seen: Seen) -> bool:
    """Whether automatic doubles were agreed."""
    agreed = seen.rules.options.get("automatic_doubles")
    return bool(agreed) and agreed != "off"


def tied(ties: int, seen: Seen) -> Tied:
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


def found_at_cube(event: RecordedEvent, answer: Answer, seen: Seen) -> Finding:
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


def found_at_tie(event: RecordedEvent, answer: Answer, seen: Seen) -> Finding:
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
