"""The doubling cube: its value, its owner, the offer that waits for an answer, acts found wrong."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads import cube, dice, dispute, match, play
from events.payloads.base import Payload
from events.values import Seat
from projections.findings import Finding, Severity, found
from projections.fold import NOTHING, Fold, Seen
from projections.rules.profile import CubeFault, Rules

Result = tuple["Cube", tuple[Finding, ...]]


class Cube(msgspec.Struct, frozen=True, gc=False):
    """The cube of the game in progress."""

    value: int = 1
    """What it shows."""
    owner: Seat | None = None
    """On whose side it lies; None = in the middle."""
    offered_by: Seat | None = None
    """Who has doubled, or beavered, and got no answer yet."""
    is_beaver: bool = False
    """Whether the offer is a beaver: the cube stays with the one who offers."""
    turned: bool = False
    """Whether a double was taken in this game (for Jacoby)."""
    void_at: int = 0
    """Version of the last cube act that the rule set holds void; 0 = none."""


def evolve(state: Cube, event: RecordedEvent, seen: Seen) -> Result:
    """The cube after one event."""
    match event.payload:
        case dice.Rolled() | dice.OpeningRolled():
            return _rolled(state, event, seen)
        case match.GameStarted():
            return Cube(), NOTHING
        case cube.DoubleOffered(seat=seat):
            return _offered(state, event, seat, seen)
        case cube.DoubleTaken(seat=seat):
            return _taken(state, event, seat, seen)
        case cube.DoubleDropped(seat=seat):
            return _dropped(state, event, seat, seen)
        case cube.CubeBeavered(seat=seat):
            return _beavered(state, event, seat, seen)
        case cube.CubeActionVoided(target=target):
            return _voided(state, event, target, seen)
        case cube.CubeStated() as stated:
            return _stated(state, event, stated, seen)
        case play.PositionStated(cube=stated) | dispute.RulingCarriedOut(cube=stated):
            if stated is None:
                return state, NOTHING
            return Cube(stated.value, stated.owner, turned=stated.value > 1), NOTHING
        case _:
            return state, NOTHING


def _rolled(state: Cube, event: RecordedEvent, seen: Seen) -> Result:
    if state.offered_by is None:
        return state, NOTHING
    if state.is_beaver:
        # Sources write no answer to a beaver: whoever plays on has accepted it.
        return _accepted(state), NOTHING
    message = "the dice were rolled while a double waited for its answer"
    cite = seen.rules.cite("cube")
    finding = found("offer-not-answered", event, message, cite=cite, seat=state.offered_by)
    return msgspec.structs.replace(state, offered_by=None), (finding,)


def _offered(state: Cube, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    faults = _faults(state, seat, seen)
    findings = tuple(
        found(
            fault.value,
            event,
            _MESSAGES[fault],
            cite=seen.rules.cite("cube"),
            seat=seat,
            severity=Severity.NOTE if fault is CubeFault.DEAD else Severity.IRREGULARITY,
        )
        for fault in faults
    )
    if not seen.rules.profile.void_cube_acts.isdisjoint(faults):
        return msgspec.structs.replace(state, void_at=event.version), findings
    return msgspec.structs.replace(state, offered_by=seat, is_beaver=False), findings


_MESSAGES = {
    CubeFault.CRAWFORD: "a double in the Crawford game",
    CubeFault.NOT_OWNED: "a double by the player who does not own the cube",
    CubeFault.AFTER_ROLL: "a double after the dice were rolled",
    CubeFault.BEFORE_OPENING: "a double before the opening roll was decided",
    CubeFault.DEAD: "the game at its present value already wins the match for the doubler",
    CubeFault.OUT_OF_TURN: "a double by the player who is not on roll",
}


def _faults(state: Cube, seat: Seat, seen: Seen) -> list[CubeFault]:
    """What is wrong with a double by `seat` now."""
    flow, score = seen.flow, seen.score
    faults = []
    if score.is_crawford_game:
        faults.append(CubeFault.CRAWFORD)
    if state.owner is not None and state.owner is not seat:
        faults.append(CubeFault.NOT_OWNED)
    if flow.dice is not None:
        faults.append(CubeFault.AFTER_ROLL)
    if flow.in_game and flow.on_roll is None and flow.turn_number == 0 and flow.awaits_opening:
        faults.append(CubeFault.BEFORE_OPENING)
    elif flow.on_roll is not None and flow.on_roll is not seat:
        faults.append(CubeFault.OUT_OF_TURN)
    if is_cube_dead(state.value, score.score[seat], score.length):
        faults.append(CubeFault.DEAD)
    return faults


def is_cube_dead(value: int, points: int, length: int | None) -> bool:
    """Whether a player with `points` has no use for a higher cube: a game at `value` is enough."""
    return length is not None and points + value >= length


def _taken(state: Cube, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if state.offered_by is None:
        return state, _unasked(event, seat, "a take", seen)
    if state.is_beaver:
        return _accepted(state), NOTHING
    return Cube(state.value * 2, seat, turned=True, void_at=state.void_at), NOTHING


def _accepted(state: Cube) -> Cube:
    # The beaverer keeps the cube at twice what the double made it.
    return Cube(state.value * 2, state.offered_by, turned=True, void_at=state.void_at)


def _dropped(state: Cube, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if state.offered_by is None:
        return state, _unasked(event, seat, "a drop", seen)
    return msgspec.structs.replace(state, offered_by=None, is_beaver=False), NOTHING


def _beavered(state: Cube, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if state.offered_by is None:
        return state, _unasked(event, seat, "a beaver", seen)
    findings = NOTHING
    if seen.score.length is not None or not seen.rules.is_on("beavers"):
        message = "a beaver, and the options in force do not provide for beavers"
        findings = (
            found("cube-beavered", event, message, cite=seen.rules.cite("cube"), seat=seat),
        )
    taken = Cube(state.value * 2, seat, seat, True, True, state.void_at)
    return taken, findings


def _unasked(event: RecordedEvent, seat: Seat, what: str, seen: Seen) -> tuple[Finding, ...]:
    message = f"{what}, and no double waits for an answer"
    return (found("answer-without-offer", event, message, cite=seen.rules.cite("cube"), seat=seat),)


def _voided(state: Cube, event: RecordedEvent, target: str, seen: Seen) -> Result:
    """The cube as it was before the act that is declared void."""
    step = seen.step_of(target)
    if step is None:
        message = f"cube.action_voided names entry {target}, which this match does not hold"
        cite = seen.rules.cite("cube")
        return state, (found("reference-unknown", event, message, cite=cite),)
    before = step.before.cube
    return Cube(before.value, before.owner, turned=before.turned, void_at=state.void_at), NOTHING


def _stated(state: Cube, event: RecordedEvent, stated: cube.CubeStated, seen: Seen) -> Result:
    same = stated.value == state.value and stated.owner is state.owner
    if event.basis.settles:
        if same:
            return state, NOTHING
        new = Cube(
            stated.value,
            stated.owner,
            turned=state.turned or stated.value > 1,
            void_at=state.void_at,
        )
        return new, NOTHING
    if same:
        return state, NOTHING
    message = (
        f"the cube is said to show {stated.value} {_where(stated.owner)}; "
        f"the acts recorded make it {state.value} {_where(state.owner)}"
    )
    return state, (found("cube-differs", event, message, cite=seen.rules.cite("cube")),)


def _where(owner: Seat | None) -> str:
    return "in the middle" if owner is None else f"with {owner.value}"


_HEARS: tuple[type[Payload], ...] = (
    dice.Rolled,
    dice.OpeningRolled,
    match.GameStarted,
    cube.DoubleOffered,
    cube.DoubleTaken,
    cube.DoubleDropped,
    cube.CubeBeavered,
    cube.CubeActionVoided,
    cube.CubeStated,
    play.PositionStated,
    dispute.RulingCarriedOut,
)


def initial(rules: Rules) -> Cube:
    """In the middle, at 1."""
    return Cube()


FOLD: Fold[Cube] = Fold("cube", _HEARS, initial, evolve)
"""The cube's fold."""
