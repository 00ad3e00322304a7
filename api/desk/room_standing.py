"""How a match stands or has ended, as the room and the sheet of results show it."""

from __future__ import annotations

from typing import Any

from api.archive.reading import Live
from events.payloads.attendance import PlayerCalled
from events.payloads.match import ScoreNoted
from events.payloads.penalty import ForfeitDeclared, PenaltyGround
from events.values import ONE, TWO, Seat
from projections.judging.outcome import By
from projections.replay import Replay, State
from projections.views.lines import outcome_line, plain


def table_standing(shown: Replay, state: State) -> dict[str, Any]:
    """The score and whose turn it is, with how far the match has come."""
    score, flow = state.score, state.flow
    return {
        "length": score.length,
        "score": plain(state.match_score),
        "games": len(score.games),
        "state": _state(state),
        "on_roll": None if flow.on_roll is None else flow.on_roll.value,
        "to_act": None if flow.to_act is None else flow.to_act.value,
        "penalties": plain(state.judged.penalties.points),
        "lost_on_time": _lost_on_time(state),
    }


def standing_of(shown: Replay, live: Live) -> dict[str, Any]:
    """How a match stood at an earlier moment, for whoever is told no more of it."""
    return {**table_standing(shown, shown.state), **final_of(shown, live)}


def _state(state: State) -> str:
    if state.flow.is_cancelled:
        return "cancelled"
    if state.score.has_ended or not state.judged.outcome.is_open:
        return "ended"
    return "live" if state.score.game_number else "waiting"


def _lost_on_time(state: State) -> str | None:
    """Who has lost the match by the clock, under the rule set in force or by ruling."""
    outcome = state.judged.outcome
    if outcome.by is not By.FLAG or outcome.winner is None:
        return None
    return outcome.winner.other.value


def confirmations_of(shown: Replay) -> dict[str, Any]:
    """The score as each player has confirmed it since the last game ended."""
    noted: dict[str, Any] = {"one": None, "two": None}
    games = shown.state.score.games
    ended = games[-1].version if games else 0
    for step in reversed(shown.steps):
        if step.event.version <= ended:
            break
        note = step.event.payload
        if isinstance(note, ScoreNoted) and note.keeper is not None:
            seat = note.keeper.value
            if noted[seat] is None and note.score is not None:
                noted[seat] = plain(note.score)
    return noted


def result_of(shown: Replay) -> dict[str, Any] | None:
    """The outcome of a match, as long as it is not on the draw sheet."""
    state = shown.state
    results = state.judged.results
    if _state(state) != "ended" or results.posting is not None or not shown.steps:
        return None
    reports = [
        {
            "seat": report.seat.value,
            "winner": None if report.winner is None else report.winner.value,
            "score": plain(report.score),
        }
        for report in results.reports
    ]
    return {
        "version": shown.version,
        "score": plain(state.match_score),
        "length": state.score.length,
        **{name: outcome_line(state)[name] for name in ("winner", "by", "questions")},
        "lost_on_time": _lost_on_time(state),
        "reports": reports,
        "confirmations": confirmations_of(shown),
    }


def final_of(shown: Replay, live: Live) -> dict[str, Any]:
    """How a match stands on a sheet of results, and who stands by it."""
    state = shown.state
    is_over = _state(state) == "ended"
    outcome = outcome_line(state)
    posting = state.judged.results.posting
    noted = confirmations_of(shown) if is_over else {"one": None, "two": None}
    score = plain(state.match_score)
    reported = {
        report.seat.value
        for report in state.judged.results.reports
        if report.winner is None or report.winner.value == outcome["winner"]
    }
    confirmed = [
        seat for seat in ("one", "two") if is_over and (noted[seat] == score or seat in reported)
    ]
    return {
        "winner": outcome["winner"] if is_over else None,
        "by": outcome["by"] if is_over else None,
        "is_open": bool(outcome["questions"]),
        "confirmed_by": confirmed,
        "is_posted": posting is not None,
        "posted": None if posting is None or posting.score is None else plain(posting.score),
        "is_appealed": bool(live.publicity.appeals),
        "is_held_back": bool(live.publicity.delay_ms or live.publicity.freezes),
    }


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


def no_show_of(shown: Replay, state: State) -> dict[str, Any] | None:
    """Who forfeits the match by not coming, and the entry that says so; None once a game is on."""
    if state.score.game_number or _state(state) != "ended":
        return None
    for step in reversed(shown.steps):
        said = step.event.payload
        if isinstance(said, ForfeitDeclared) and said.ground is PenaltyGround.LATE_START:
            return {"seat": said.seat.value, "entry_id": step.event.entry_id}
    return None
