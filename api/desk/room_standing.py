"""How a match stands or has ended, as the room and the sheet of results show it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from api.archive.reading import Live
from api.shapes.matches import MaybePair, Pair
from api.shapes.rooms import Confirmations, MaybeNames, NoShowOut, ReportOut, ResultOut
from events.payloads.attendance import PlayerCalled
from events.payloads.match import ScoreNoted
from events.payloads.penalty import ForfeitDeclared, PenaltyGround
from events.values import ONE, TWO, BySeat, Seat
from projections.judging.outcome import By
from projections.judging.result_state import Posting
from projections.states import Replay, State

Stage = Literal["waiting", "live", "ended", "cancelled"]
"""How far a match has come."""


class Standing(NamedTuple):
    """The score and whose turn it is, with how far the match has come."""

    length: int | None
    score: BySeat[int]
    games: int
    """Games that are over."""
    state: Stage
    on_roll: Seat | None
    to_act: Seat | None
    penalties: BySeat[int]
    """Points against each seat."""
    lost_on_time: Seat | None
    """Who has lost the match by the clock."""


class Final(NamedTuple):
    """How a match stands on a sheet of results, and who stands by it."""

    winner: Seat | None
    by: str | None
    is_open: bool
    """Whether questions are open on which the outcome hangs."""
    confirmed_by: list[Seat]
    is_posted: bool
    posted: Posting | None
    """The result on the draw sheet."""
    is_appealed: bool
    is_embargoed: bool
    is_held_back: bool
    """Whether the public may be told less of it."""


def table_standing(state: State) -> Standing:
    """How a match stands on its table."""
    score, flow = state.score, state.flow
    return Standing(
        length=score.length,
        score=state.final_score,
        games=len(score.games),
        state=_state(state),
        on_roll=flow.on_roll,
        to_act=flow.to_act,
        penalties=state.judged.penalties.points,
        lost_on_time=_lost_on_time(state),
    )


def _state(state: State) -> Stage:
    if state.flow.is_cancelled:
        return "cancelled"
    if state.has_ended:
        return "ended"
    return "live" if state.score.game_number else "waiting"


def _lost_on_time(state: State) -> Seat | None:
    """Who has lost the match by the clock, under the rule set in force or by ruling."""
    outcome = state.judged.outcome
    if outcome.by is not By.FLAG or outcome.winner is None:
        return None
    return outcome.winner.other


def confirmations_of(shown: Replay) -> BySeat[BySeat[int] | None]:
    """The score as each player has confirmed it since the last game ended."""
    noted: BySeat[BySeat[int] | None] = BySeat(None, None)
    games = shown.state.score.games
    ended = games[-1].version if games else 0
    for step in reversed(shown.steps):
        if step.event.version <= ended:
            break
        note = step.event.payload
        if not isinstance(note, ScoreNoted) or note.keeper is None:
            continue
        if noted[note.keeper] is None and note.score is not None:
            noted = noted.put(note.keeper, note.score)
    return noted


def confirmed(shown: Replay) -> Confirmations:
    """The same, as the room is told it."""
    one, two = (None if noted is None else Pair(*noted) for noted in confirmations_of(shown))
    return Confirmations(one, two)


def result_of(match_id: str, shown: Replay) -> ResultOut | None:
    """The outcome of a match, as long as it is not on the draw sheet; who plays where is blank."""
    state = shown.state
    results = state.judged.results
    if _state(state) != "ended" or results.posting is not None or not shown.steps:
        return None
    outcome = state.judged.outcome
    return ResultOut(
        match_id=match_id,
        table=None,
        names=MaybeNames(None, None),
        version=shown.version,
        score=Pair(*state.match_score),
        length=state.score.length,
        winner=outcome.winner,
        by=None if outcome.by is None else outcome.by.value,
        questions=list(outcome.questions),
        lost_on_time=_lost_on_time(state),
        reports=[
            ReportOut(report.seat, report.winner, MaybePair(*report.score))
            for report in results.reports
        ],
        confirmations=confirmed(shown),
    )


def final_of(shown: Replay, live: Live) -> Final:
    """How a match stands on a sheet of results, and who stands by it."""
    state = shown.state
    is_over = _state(state) == "ended"
    outcome, results = state.judged.outcome, state.judged.results
    noted = confirmations_of(shown)
    # Whoever reported otherwise afterwards stands by that.
    reports = {report.seat: report for report in results.reports}
    reported = {
        seat
        for seat, report in reports.items()
        if state.agrees(report.winner, report.score if report.is_scored else None)
    }
    return Final(
        winner=state.winner if is_over else None,
        by=outcome.by.value if is_over and outcome.by is not None else None,
        is_open=bool(outcome.questions),
        confirmed_by=[
            seat
            for seat in (ONE, TWO)
            if is_over and (noted[seat] == state.match_score or seat in reported)
        ],
        is_posted=state.is_posted,
        posted=results.posting,
        is_appealed=bool(live.publicity.appeals),
        is_embargoed=bool(live.publicity.appeals) and live.replay.rules.profile.hearing.has_embargo,
        is_held_back=bool(live.publicity.delay_ms or live.publicity.freezes),
    )


def missing_of(state: State) -> tuple[Seat, ...]:
    """Who has not arrived while no game has begun."""
    if _state(state) != "waiting":
        return ()
    accounts = state.judged.penalties.accounts
    return tuple(seat for seat in (ONE, TWO) if not accounts[seat].has_arrived)


def called_of(shown: Replay, state: State) -> tuple[Seat, ...]:
    """Who was called to the table, and has not come, while no game has begun."""
    called = {
        step.event.payload.seat
        for step in shown.steps
        if isinstance(step.event.payload, PlayerCalled)
    }
    return tuple(seat for seat in missing_of(state) if seat in called)


def no_show_of(shown: Replay, state: State) -> NoShowOut | None:
    """Who forfeits the match by not coming, and the entry that says so; None once a game is on."""
    if state.score.game_number or _state(state) != "ended":
        return None
    for step in reversed(shown.steps):
        said = step.event.payload
        if isinstance(said, ForfeitDeclared) and said.ground is PenaltyGround.LATE_START:
            return NoShowOut(said.seat, step.event.entry_id)
    return None
