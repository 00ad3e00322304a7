"""What is wrong with a double, by the cube, the turn and the score as it is offered."""

from __future__ import annotations

from events.envelope import RecordedEvent
from events.values import Seat
from projections.folding.findings import Finding, Severity, found
from projections.folding.fold import Seen, is_passed_over, wins_match
from projections.folding.sayings import Said, said
from projections.folding.seen_facts import SeenCube
from projections.rules.profile import CubeFault
from projections.rules.subjects.cube_doubles import CUBE_WORTH, DoubleFacts

_SUBJECTS = {
    CubeFault.CRAWFORD: "cube.crawford",
    CubeFault.NOT_OWNED: "cube.owned",
    CubeFault.AFTER_ROLL: "cube.rolled",
    CubeFault.BEFORE_OPENING: "cube.opening",
    CubeFault.DEAD: "cube.worth",
    CubeFault.OUT_OF_TURN: "cube.premature",
}
"""Fault to the subject whose section forbids it."""


def faults_of(state: SeenCube, seat: Seat, seen: Seen) -> tuple[CubeFault, ...]:
    """What is wrong with a double by `seat` now."""
    flow = seen.flow
    faults = []
    if seen.score.is_crawford_game:
        faults.append(CubeFault.CRAWFORD)
    if state.owner is not None and state.owner is not seat:
        faults.append(CubeFault.NOT_OWNED)
    if flow.dice_of(seat) is not None:
        faults.append(CubeFault.AFTER_ROLL)
    if flow.on_roll is None and flow.awaits_opening:
        faults.append(CubeFault.BEFORE_OPENING)
    elif flow.on_roll is seat.other and not flow.is_ended and not is_passed_over(seat.other, seen):
        faults.append(CubeFault.OUT_OF_TURN)
    # After a wrong length the game in progress, or one more, may decide the match by either length.
    is_dead = seen.match_length.is_won_by(seat, state.value, seen.rules)
    if is_dead is None:
        is_dead = wins_match(seat, state.value, seen)
    if is_dead:
        faults.append(CubeFault.DEAD)
    return tuple(faults)


def found_of(
    faults: tuple[CubeFault, ...], event: RecordedEvent, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """A finding for each fault, with the section that forbids it; a dead cube is but a note."""
    flag = _flag(faults, seat, seen)
    return tuple(
        found(
            fault.value,
            event,
            _told(fault, seat),
            cite=seen.rules.cite(_subject(fault, seen)),
            seat=seat,
            severity=Severity.NOTE if fault is CubeFault.DEAD else Severity.IRREGULARITY,
            ambiguity=flag if fault is CubeFault.DEAD else None,
        )
        for fault in faults
    )


def _subject(fault: CubeFault, seen: Seen) -> str:
    """The subject that forbids it; a text may have a sentence on games after the Crawford game."""
    is_known = "cube.reopening" in seen.rules.profile.sections
    if fault is CubeFault.BEFORE_OPENING and seen.score.crawford_played and is_known:
        return "cube.reopening"
    return _SUBJECTS[fault]


def _told(fault: CubeFault, seat: Seat) -> Said:
    """The fault as a sentence."""
    match fault:
        case CubeFault.CRAWFORD:
            return said("{seat} doubles in the Crawford game", seat=seat)
        case CubeFault.NOT_OWNED:
            return said("{seat} doubles, and the cube is {other}'s", seat=seat, other=seat.other)
        case CubeFault.AFTER_ROLL:
            return said("{seat} doubles after rolling", seat=seat)
        case CubeFault.BEFORE_OPENING:
            return said("{seat} doubles before the opening roll is decided", seat=seat)
        case CubeFault.DEAD:
            return said(
                "{seat} doubles, and the game at its present value already wins {seat} the match",
                seat=seat,
            )
        case CubeFault.OUT_OF_TURN:
            return said("{seat} doubles, and {other} is on roll", seat=seat, other=seat.other)


def _flag(faults: tuple[CubeFault, ...], seat: Seat, seen: Seen) -> str | None:
    """The ambiguity that the rule set's answer to a dead cube rests on."""
    if CubeFault.DEAD not in faults:
        return None
    return seen.rules.ask(CUBE_WORTH, DoubleFacts(seat=seat, faults=faults)).flag
