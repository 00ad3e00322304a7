"""The doubling cube: its value, its owner, the offer that waits for an answer, acts found wrong.

A ruling that answers a question changes the cube only while nothing has followed: an act that it
does not let stand is taken back, and an opening tie, or a drop that does not end the match, gets
its value. Everything else a ruling does to the cube is recorded as `cube.action_voided`,
`cube.stated` or `ruling.carried_out`.
"""

from __future__ import annotations

import msgspec

from events.envelope import Basis, RecordedEvent
from events.payloads import cube, dice, dispute, ending, match, penalty, play
from events.payloads.base import Payload
from events.values import MAX_CUBE_VALUE, Seat
from projections.facts.cube_faults import faults_of, found_of
from projections.facts.cube_ties import is_for_tie, opening_tied, tie_agreed, tie_ruled, tie_voided
from projections.facts.cube_value import Cube, Result, as_before, lapsed, twice
from projections.folding.concessions import ends_game, held_by_ruling
from projections.folding.consequences import (
    act_taken_back,
    game_given,
    resignation_undone,
    stops_game,
    was_asked,
)
from projections.folding.findings import Finding, found
from projections.folding.fold import (
    NOTHING,
    Fold,
    Seen,
    cube_act,
    first_play,
    has_borne_off,
    is_just_dropped,
    is_same_turn,
    on,
    seat_of,
    wins_match,
)
from projections.folding.observed import is_tie
from projections.folding.sayings import Said, said
from projections.rules.answers import Answer
from projections.rules.profile import CubeFault
from projections.rules.subjects.cube_doubles import COUNTS, CUBE_DROP, DropFacts

_GOING_ON = frozenset({play.PlayMade, dice.Rolled, play.PlayUnseen})
"""Payloads by which play goes on, with or without an answer to an offer."""


def evolve(state: Cube, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The cube after one event."""
    if type(payload) in _GOING_ON:
        # The usual case: no offer is open that play could leave unanswered.
        return (state, NOTHING) if state.offered_by is None else _went_on(state, event, seen)
    match payload:
        case dice.OpeningRolled() as rolled:
            return _opening(state, event, rolled, seen)
        case dice.Voided(target=target):
            return (tie_voided(state, target, seen) if target else state), NOTHING
        case match.GameStarted() | match.MatchOpened():
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
        case play.PositionStated() as placed:
            return _placed(state, placed, seen), NOTHING
        case dispute.RulingCarriedOut() as carried_out:
            return _carried_out(state, carried_out), NOTHING
        case dispute.RulingMade() as made:
            return _ruled(state, event, made, seen), NOTHING
        case play.PlayRevised() | play.PlayCorrected() as changed:
            return _replayed(state, event, changed, seen), NOTHING
        case ending.ResignationAccepted() | ending.ClaimMade() | ending.ClaimRuled():
            return _conceded(state, event, seen), NOTHING
        case (
            match.GameWon()
            | match.MatchEnded()
            | penalty.ForfeitDeclared()
            | penalty.PlayerDisqualified()
        ):
            return lapsed(state), NOTHING
        case _:
            return state, NOTHING


def _conceded(state: Cube, event: RecordedEvent, seen: Seen) -> Cube:
    """A game ended by words, of whatever level, needs no answer to an open double any more."""
    if state.offered_by is None:
        return state
    flow, payload = seen.flow, event.payload
    is_level_to_come = (
        isinstance(payload, ending.ResignationAccepted)
        and flow.resigning is payload.seat.other
        and flow.resign_level is None
    )
    return lapsed(state) if is_level_to_come or ends_game(event, seen) else state


def _went_on(state: Cube, event: RecordedEvent, seen: Seen) -> Result:
    """The game goes on while an offer waits."""
    if not seen.flow.in_game:
        return state, NOTHING
    if state.is_beaver:
        # Files have no answer to a beaver: a player who plays on has accepted it.
        return _accepted(state), NOTHING
    seat = state.offered_by
    assert seat is not None  # an offer waits
    if _completes_turn(event.payload, state, seen):
        # With the last checker off there is no game left to answer for.
        return (lapsed(state) if has_borne_off(seat.other, seen) else state), NOTHING
    if isinstance(event.payload, dice.Rolled) and event.payload.seat is seat:
        # Too early: the doubled player may still answer, and knows the roll.
        return state, (_rolled_unanswered(event, seat, seen),)
    is_rolled = seen.flow.dice is not None and seen.flow.on_roll is seat
    if is_rolled and CubeFault.AFTER_ROLL not in state.faults:
        # The roll that came before the answer was found already.
        return lapsed(state), NOTHING
    message = said("play went on while {seat}'s double waited for its answer", seat=seat)
    cite = seen.rules.cite("cube")
    finding = found("offer-not-answered", event, message, cite=cite, seat=seat)
    return lapsed(state), (finding,)


def _rolled_unanswered(event: RecordedEvent, doubler: Seat, seen: Seen) -> Finding:
    message = said(
        "{seat} rolls before {other} has answered the double: it still waits for its answer",
        seat=doubler,
        other=doubler.other,
    )
    cite = seen.rules.cite("premature.roll")
    return found("offer-not-answered", event, message, cite=cite, seat=doubler)


def _completes_turn(made: Payload, state: Cube, seen: Seen) -> bool:
    """Whether a player who was doubled during his own roll plays it now, and answers afterwards."""
    flow = seen.flow
    return (
        isinstance(made, play.PlayMade)
        and state.offered_by is not None
        and made.seat is state.offered_by.other
        and flow.dice is not None
        and flow.on_roll is made.seat
    )


def _opening(state: Cube, event: RecordedEvent, rolled: dice.OpeningRolled, seen: Seen) -> Result:
    """A tie turns the cube where automatic doubles were agreed and the rule set lets them."""
    findings = NOTHING
    if state.offered_by is not None:
        state, findings = _went_on(state, event, seen)
    if not seen.flow.in_game or not is_tie(rolled, seen):
        return state, findings
    state, at_tie = opening_tied(state, event, seen)
    return state, (*findings, *at_tie)


def _offered(state: Cube, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if not seen.flow.in_game:
        return state, NOTHING
    cite = seen.rules.cite("cube")
    faults = faults_of(state, seat, seen)
    findings = found_of(faults, event, seat, seen)
    if not seen.rules.void_cube_acts.isdisjoint(faults):
        return msgspec.structs.replace(state, void_at=event.version, faults=faults), findings
    if state.offered_by is not None:
        other = state.offered_by
        message = said(
            "{seat} doubles while the double of {other} waits for its answer",
            seat=seat,
            other=other,
        )
        waiting = found("offer-not-answered", event, message, cite=cite, seat=other)
        findings = (waiting, *findings)
    if state.value >= MAX_CUBE_VALUE:
        message = said(
            "the cube is at {value}, the highest value that is kept: it stays there",
            value=state.value,
        )
        findings = (*findings, found("cube-at-limit", event, message, cite=cite, seat=seat))
    new = msgspec.structs.replace(state, offered_by=seat, is_beaver=False, faults=faults)
    return new, findings


def _taken(state: Cube, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if state.offered_by is None or state.offered_by is seat:
        return state, _unasked(event, seat, said("{seat} takes", seat=seat), seen)
    if state.is_beaver:
        return _accepted(state), NOTHING
    return Cube(twice(state.value), seat, turned=True, void_at=state.void_at), NOTHING


def _accepted(state: Cube) -> Cube:
    # The beaverer keeps the cube at twice what the double made it, a raccoon notwithstanding.
    return Cube(twice(state.value), state.owner, turned=True, void_at=state.void_at)


def _dropped(state: Cube, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if state.offered_by is None or state.offered_by is seat:
        return state, _unasked(event, seat, said("{seat} drops", seat=seat), seen)
    answer = None if state.is_beaver else _goes_on(state, state.offered_by, seen)
    if answer is not None:
        return _kept(state, event, seat, answer), NOTHING
    return lapsed(state), NOTHING


def _goes_on(state: Cube, doubler: Seat, seen: Seen) -> Answer | None:
    """The rule set's answer to a drop that would end the match, if that keeps the match open."""
    if not wins_match(doubler, state.value, seen):
        return None
    facts = DropFacts(doubler, state.value, seen.match_score, seen.score.length)
    answer = seen.rules.ask(CUBE_DROP, facts)
    return answer if answer.outcome == "match_continues" else None


def _kept(state: Cube, event: RecordedEvent, seat: Seat, answer: Answer) -> Cube:
    """After a drop that does not end the game: the double counts as accepted, or has lapsed."""
    new = msgspec.structs.replace(lapsed(state), kept_at=event.version)
    if answer.details.get("double") != COUNTS:
        return new
    # Its value is a question; until that is ruled on, it is as after any other take.
    return msgspec.structs.replace(new, value=twice(state.value), owner=seat, turned=True)


def _beavered(state: Cube, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if state.offered_by is None or state.offered_by is seat:
        return state, _unasked(event, seat, said("{seat} beavers", seat=seat), seen)
    owner = state.owner if state.is_beaver else seat
    return Cube(twice(state.value), owner, seat, True, True, state.void_at), NOTHING


def _unasked(event: RecordedEvent, seat: Seat, what: Said, seen: Seen) -> tuple[Finding, ...]:
    if seen.flow.void_double is seat.other:
        # It answers an offer that was made, and was void.
        return NOTHING
    message = said("{what}, and no double waits for that player's answer", what=what)
    if _is_late(seat, seen):
        message = said(
            "{what}, and play had gone on without an answer to the double: the cube stays as it is",
            what=what,
        )
    if _has_just_taken(seat, seen):
        message = said("{what}, and has taken the double before: it stays taken", what=what)
    return (found("answer-without-offer", event, message, cite=seen.rules.cite("cube"), seat=seat),)


def _is_late(seat: Seat, seen: Seen) -> bool:
    """Whether the last double of this game was made to `seat`, and never answered."""
    double = seen.cube_acts.last
    if double is None or double.answered or double.game_number != seen.score.game_number:
        return False
    step = seen.step_of(double.entry_id)
    return step is not None and seat_of(step) is seat.other


def _has_just_taken(seat: Seat, seen: Seen) -> bool:
    """Whether `seat` has taken a double to which nothing has been done or rolled since."""
    double = seen.cube_acts.last
    if double is None or double.answered != "take" or seen.cube.owner is not seat:
        return False
    step = seen.step_of(double.entry_id)
    return step is not None and is_same_turn(step.before, seen)


def _voided(state: Cube, event: RecordedEvent, target: str, seen: Seen) -> Result:
    """The cube as it was before the act that is declared void."""
    cite = seen.rules.cite("cube")
    if seen.step_of(target) is None:
        message = said(
            "a cube act is declared void that this match does not hold: entry {entry}", entry=target
        )
        return state, (found("reference-unknown", event, message, cite=cite),)
    step = cube_act(seen, target)
    if step is None:
        return state, NOTHING
    if step.before.score.game_number != seen.score.game_number:
        if seen.cube_acts.noticed(target) is not None:
            # The double should not have been made; the fold of cube acts says what follows.
            return state, NOTHING
        message = said(
            "a cube act of an earlier game is declared void; "
            "what becomes of its points is for the Director to decide"
        )
        return state, (found("earlier-game", event, message, cite=cite),)
    before = as_before(step.before.cube, state)
    is_at_once = is_same_turn(step.before, seen) or is_just_dropped(step.before, seen)
    return (before if is_at_once else lapsed(before)), NOTHING


def _stated(state: Cube, event: RecordedEvent, stated: cube.CubeStated, seen: Seen) -> Result:
    if stated.value == state.value and stated.owner is state.owner:
        return state, NOTHING
    if event.basis.settles:
        turned = state.turned or _is_turned(stated)
        new = Cube(stated.value, stated.owner, turned=turned, void_at=state.void_at)
        if event.basis is Basis.AGREED and is_for_tie(state, stated, seen):
            return tie_agreed(new, event, state.ties, seen)
        return new, NOTHING
    message = said(
        "the cube is said to show {shown} {where}; the acts recorded make it {made} {kept}",
        shown=stated.value,
        where=_where(stated.owner),
        made=state.value,
        kept=_where(state.owner),
    )
    is_start = seen.flow.awaits_opening or not seen.flow.in_game
    cite = seen.rules.cite("cube.start" if is_start else "cube")
    return state, (found("cube-differs", event, message, cite=cite),)


def _is_turned(stated: cube.CubeStated | play.StatedCube) -> bool:
    """Whether a double was taken to make it so: none leaves the cube in the middle."""
    return stated.value > 1 and stated.owner is not None


def _where(owner: Seat | None) -> Said:
    return said("in the middle") if owner is None else said("with {owner}", owner=owner)


def _placed(state: Cube, placed: play.PositionStated, seen: Seen) -> Cube:
    if not seen.flow.in_game:
        # A board stated between games begins one.
        state = Cube()
    if placed.cube is not None:
        return Cube(placed.cube.value, placed.cube.owner, turned=_is_turned(placed.cube))
    is_as_before = placed.on_roll is None and placed.dice is None
    return state if is_as_before else lapsed(state)


def _ruled(state: Cube, event: RecordedEvent, made: dispute.RulingMade, seen: Seen) -> Cube:
    step = act_taken_back(made, seen) or resignation_undone(made, seen)
    if step is not None:
        return as_before(step.before.cube, state)
    if stops_game(made, seen) or game_given(made, seen) or held_by_ruling(made, seen):
        return lapsed(state)
    for answer in made.answers:
        match answer.question.topic:
            case "cube.automatic" if answer.question.at == state.tie_entry:
                state = tie_ruled(state, event, answer.reading, seen)
            case "cube.drop-cube" | "cube.drop-double" if seen.flow.in_game:
                state = _drop_ruled(state, answer, seen)
            case "crawford.phase" if answer.reading == "crawford" and was_asked(answer, seen):
                state = _out_of_play(state, answer, seen)
            case _:
                continue
    return state


def _out_of_play(state: Cube, answer: dispute.Answer, seen: Seen) -> Cube:
    """The cube of a game ruled to be the Crawford game: what was done with it before is void."""
    step = seen.step_of(answer.question.at)
    is_this_game = step is not None and step.after.score.game_number == seen.score.game_number
    if not (is_this_game and seen.flow.in_game):
        return state
    is_void = CubeFault.CRAWFORD in seen.rules.void_cube_acts
    return as_before(Cube(), state) if is_void else state


def _drop_ruled(state: Cube, answer: dispute.Answer, seen: Seen) -> Cube:
    """The cube after a drop that ends no match, while nobody has turned or stated it since."""
    reading, step = answer.reading, seen.step_of(answer.question.at)
    is_last = step is not None and step.event.version == state.kept_at
    if step is None or not is_last or not was_asked(answer, seen) or state.offered_by is not None:
        return state
    before = step.before.cube.value
    taker = seat_of(step)
    values = {"before_double": before, "after_double": twice(before), COUNTS: twice(before)}
    if reading not in values:
        return state
    return msgspec.structs.replace(state, value=values[reading], owner=taker, turned=True)


def _carried_out(state: Cube, carried_out: dispute.RulingCarriedOut) -> Cube:
    if carried_out.cube is not None:
        stated = carried_out.cube
        return Cube(stated.value, stated.owner, turned=state.turned or _is_turned(stated))
    is_as_before = (
        carried_out.on_roll is None and carried_out.dice is None and carried_out.game_over is None
    )
    return state if is_as_before else lapsed(state)


def _replayed(
    state: Cube, event: RecordedEvent, changed: play.PlayRevised | play.PlayCorrected, seen: Seen
) -> Cube:
    """Undo the cube acts that a correction lists; an offer made since then has lapsed."""
    made = first_play(seen, event)
    if made is None:
        return state
    if isinstance(changed, play.PlayRevised):
        is_over = has_borne_off(changed.seat, seen)
        return lapsed(state) if is_over or seen.positions.rewound_at == event.version else state
    undone = [seen.step_of(entry_id) for entry_id in changed.undoes]
    acts = [
        step
        for step in undone
        if step is not None
        and isinstance(step.event.payload, cube.CubeAct)
        and step.before.score.game_number == seen.score.game_number
    ]
    new = state
    if acts:
        first = min(acts, key=lambda step: step.event.version)
        new = as_before(first.before.cube, state)
    # Doubled before that play, in its player's roll, he answers it still.
    return new if new.offered_by is made.before.cube.offered_by else lapsed(new)


_HEARS: tuple[type[Payload], ...] = (
    dice.Rolled,
    dice.OpeningRolled,
    dice.Voided,
    match.GameStarted,
    match.MatchOpened,
    cube.DoubleOffered,
    cube.DoubleTaken,
    cube.DoubleDropped,
    cube.CubeBeavered,
    cube.CubeActionVoided,
    cube.CubeStated,
    play.PlayMade,
    play.PlayUnseen,
    play.PlayRevised,
    play.PlayCorrected,
    play.PositionStated,
    dispute.RulingCarriedOut,
    dispute.RulingMade,
    ending.ResignationAccepted,
    ending.ClaimMade,
    ending.ClaimRuled,
    match.GameWon,
    match.MatchEnded,
    penalty.ForfeitDeclared,
    penalty.PlayerDisqualified,
)

FOLD = Fold(Cube, *(on(kind, evolve) for kind in _HEARS))
"""The cube's fold."""
