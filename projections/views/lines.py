"""One plain object per event, as `replay --json` and the HTTP replay give it (design §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from events.payloads import clock, dice, dispute, penalty, play
from events.values import BySeat, Seat
from projections.board.ids import position_id_or_none
from projections.board.notation import format_play
from projections.board.position import Position
from projections.facts.rulings import Answered
from projections.judging.appeal_state import Appeal
from projections.judging.outcome import Decided
from projections.rules.answers import Answer
from projections.rules.subjects.appeals import director_may_vote, has_committee
from projections.states import Replay, State, Step
from projections.views.attention import Asked, asked

Line = dict[str, Any]


def event_lines(shown: Replay) -> list[Line]:
    """Every step of a replay as a line; questions carry the rulings that answer them."""
    return [event_line(step, shown) for step in shown.steps]


def event_line(step: Step, shown: Replay, *, is_told: bool = True) -> Line:
    """The line of one step: the act, the state after it, and findings, if `is_told`."""
    payload = step.event.payload
    findings = [shown.answered(finding).as_json() for finding in step.findings if is_told]
    seat = getattr(payload, "seat", None)
    return {
        "version": step.event.version,
        "tag": step.event.tag,
        "seat": seat.value if isinstance(seat, Seat) else None,
        "dice": _dice(payload),
        "play": _play(step),
        **state_line(step.after),
        "findings": findings if is_told else None,
    }


def state_line(state: State) -> Line:
    """Board, score, cube, turn and clock at one moment."""
    board = state.positions.board
    flow = state.flow
    return {
        "checkers": checkers(board),
        "position_id": position_id(board, flow.on_roll),
        "score": {"one": state.match_score.one, "two": state.match_score.two},
        "cube": {
            "value": state.cube.value,
            "owner": _name(state.cube.owner),
            "offered_by": _name(state.cube.offered_by),
        },
        "on_roll": _name(flow.on_roll),
        "to_act": _name(flow.to_act),
        "turn_open": _name(flow.turn_open),
        "clock": clock_line(state),
    }


def checkers(board: Position | None) -> Line:
    """26 counts for each seat from its own side; both null while the board is unknown."""
    if board is None:
        return {"one": None, "two": None}
    return {"one": list(board.own), "two": list(board.other)}


def position_id(board: Position | None, on_roll: Seat | None) -> str | None:
    """GNU Backgammon Position ID for the player on roll; None where it cannot be said."""
    if board is None or on_roll is None:
        return None
    return position_id_or_none(board.seen_by(on_roll))


def clock_line(state: State) -> Line | None:
    """Reserve of each seat and whose time runs; None until the clock is set."""
    clock = state.clock
    if not clock.is_set:
        return None
    reserve = clock.reserve_ms
    return {
        "reserve_ms": {"one": reserve.one, "two": reserve.two},
        "running": _name(clock.running),
    }


def question_lines(shown: Replay) -> list[Line]:
    """Every question that the rules leave to a person, with the reading chosen where one was."""
    return [question_line(one, shown) for one in asked(shown)]


def question_line(about: Asked, shown: Replay) -> Line:
    """One question: what a `ruling.made` names it by, what is known, which readings compete."""
    finding, left = about.finding, about.left
    question = finding.ruling_required
    assert question is not None, "the finding asks a question"
    answer = shown.state.rulings.answers.get((question.topic, finding.entry_id, finding.seat))
    return {
        "topic": question.topic,
        "at": finding.entry_id,
        "version": finding.version,
        "seat": _name(finding.seat),
        "message": finding.message,
        "said": finding.said.as_json(),
        "rule_set": finding.rule_set,
        "section": finding.section,
        "ambiguity": finding.ambiguity,
        "reason": question.reason,
        "readings": list(question.readings),
        "lean": question.lean,
        "suggest": question.suggest,
        "leaning": None if question.leaning is None else question.leaning.as_json(),
        "answered": None if answer is None else _answered(answer, shown),
        "attention": about.attention.value,
        "left": None
        if left is None
        else {"version": left.event.version, "entry_id": left.event.entry_id},
    }


def _answered(answer: Answered, shown: Replay) -> Line:
    ruling = shown.step_at(answer.version)
    at_ms = None if ruling is None else getattr(ruling.event.payload, "at_ms", None)
    return {"version": answer.version, "reading": answer.reading, "at_ms": at_ms}


def penalty_times(shown: Replay) -> dict[str, BySeat[int]]:
    """What each penalty has given to (taken from, if negative) each clock, ms, by its entry id."""
    times: dict[str, BySeat[int]] = {}
    for step in shown.steps:
        match step.event.payload:
            case clock.ClockAdjusted(seat=seat, amount_ms=ms, penalty=penalty) if penalty:
                so_far = times.get(penalty, BySeat(0, 0))
                times[penalty] = so_far.put(seat, so_far[seat] + ms)
            case _:
                pass
    return times


def answer_line(answer: Answer | None) -> Line | None:
    """What a rule set says to a matter; None where nothing was asked."""
    if answer is None:
        return None
    return {
        "outcome": answer.outcome,
        "section": answer.section,
        "details": plain(answer.details),
        "ambiguity": answer.ambiguity or answer.flag,
        "reason": answer.reason,
        "readings": list(answer.readings),
        "lean": plain(answer.lean),
        "suggest": answer.suggest,
        "verified": answer.verified,
        "ruled_at": answer.ruled_at,
        "also": {name: answer_line(beside) for name, beside in answer.also.items()},
    }


def appeal_lines(shown: Replay) -> list[Line]:
    """Every appeal: its committee, the ballots, what they make of the ruling, the announcement."""
    provided = {
        "has_committee": has_committee(shown.rules),
        "director_may_vote": director_may_vote(shown.rules),
    }
    return [{**_appeal_line(one), **provided} for one in shown.state.judged.appeals.appeals]


def _appeal_line(appeal: Appeal) -> Line:
    return {
        "version": appeal.version,
        "seat": _name(appeal.seat),
        "is_admitted": appeal.is_admitted,
        "is_refused": appeal.is_refused,
        "size": appeal.size,
        "voted": len({*appeal.sealed, *appeal.ballots}),
        "ballots": [
            {"member": member, "vote": ballot.vote, "proposal": ballot.proposal}
            for member, ballot in appeal.ballots.items()
        ],
        "director": None if appeal.director is None else appeal.director.vote,
        "result": answer_line(appeal.result),
        "announced": None if appeal.announced is None else appeal.announced.value,
        "answer": answer_line(appeal.answer),
    }


def outcome_line(state: State) -> Line:
    """Who has won the match, by what and by which section; null while that is open, with why."""
    outcome = state.judged.outcome
    decided = outcome.decided
    return {
        "winner": _name(outcome.winner),
        "by": None if decided is None else decided.by.value,
        "rule_set": None if decided is None else decided.rule_set,
        "section": None if decided is None else decided.section,
        "version": outcome.version or None,
        "questions": list(outcome.questions),
    }


def known_line(shown: Replay, corrected_at: int) -> Line:
    """The score and the outcome for a device that knows no rule set, and since which version.

    `corrected_at`: version of the last correction; what was before it is made anew.
    """
    points, whole, decided, is_flag_open = _known(shown.state)
    changes = shown.steps_passing(_is_known_anew) or shown.steps[:1]
    version = changes[-1].event.version if changes else 0
    return {
        "version": max(version, corrected_at),
        "score": {"one": points.one, "two": points.two},
        "entered": {"one": whole.one - points.one, "two": whole.two - points.two},
        "winner": None if decided is None else decided.winner.value,
        "by": None if decided is None else decided.by.value,
        "rule_set": None if decided is None else decided.rule_set,
        "section": None if decided is None else decided.section,
        "is_flag_open": is_flag_open,
    }


def _is_known_anew(step: Step) -> bool:
    if step.after is step.before:
        return False
    # Points that were told as due before they were given count once: a device would add them.
    is_given = isinstance(step.event.payload, penalty.PenaltyAssessed)
    return is_given or _known(step.before) != _known(step.after)


def _known(state: State) -> tuple[BySeat[int], BySeat[int], Decided | None, bool]:
    flagged = state.judged.timing.flagged
    is_flag_open = flagged is not None and flagged.is_open
    return state.score.score, state.match_score, state.judged.outcome.decided, is_flag_open


def plain(value: object) -> Any:
    """Values of a fold as JSON knows them."""
    return msgspec.to_builtins(value, str_keys=True, order="deterministic", enc_hook=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(type(value).__name__)


def _dice(payload: object) -> list[int | None] | None:
    match payload:
        case dice.OpeningRolled(one=one, two=two):
            return [one, two]
        case dice.Rolled(dice=faces) | dice.RolledEarly(dice=faces):
            return list(faces)
        case dice.Voided(dice=read) if read is not None:
            return list(read)
        case play.PositionStated(dice=faces) | dispute.RulingCarriedOut(dice=faces) if faces:
            return list(faces)
        case _:
            return None


def _play(step: Step) -> str | None:
    match step.event.payload:
        case play.PlayMade(resulting_position=position) if position is not None:
            return None
        case play.PlayRevised(resulting_position=position) if position is not None:
            return None
        case play.PlayMade(moves=moves) | play.PlayRevised(moves=moves):
            return format_play(moves, step.hits)
        case play.PlayCorrected(moves=moves, checkers=None):
            return format_play(moves, step.hits)
        case _:
            return None


def _name(seat: Seat | None) -> str | None:
    return None if seat is None else seat.value
