"""What a match comes to at any version: replay, board, score, clock, judgements, findings."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeVar

import msgspec
import orjson
from fastapi import APIRouter, Query, Request, Response
from starlette.responses import StreamingResponse

from api.index import row_of
from api.problems import Problem
from api.routes.door import (
    NDJSON,
    LogId,
    MatchId,
    Sight,
    cache_headers,
    door_of,
    is_unchanged,
    sight_etag,
    sight_of,
    view_answer,
    wants_ndjson,
)
from api.routes.summaries import summaries
from api.schemas import documented
from events.payloads.base import Payload
from events.payloads.match import MatchLengthBelieved, MatchLengthErrorFound
from events.values import BySeat
from projections.lines import (
    answer_line,
    appeal_lines,
    clock_line,
    event_line,
    outcome_line,
    plain,
    question_lines,
    state_line,
)
from projections.open_windows import Window, windows_of
from projections.penalties import Account
from projections.replay import Replay
from projections.rules.shelf import SHELF

At = Annotated[
    int | None,
    Query(ge=0, description="Show the match after this version; left out: now.", examples=[3]),
]
RuleSet = Annotated[
    str | None,
    Query(
        alias="rules",
        description="Judge by this rule set, and not by the one pinned.",
        examples=["common"],
    ),
]
AsRecorded = Annotated[
    bool,
    Query(description="Leave the scribe's corrections unapplied.", examples=[False]),
]
IsOpen = Annotated[
    bool,
    Query(alias="open", description="Only questions that nobody has answered.", examples=[True]),
]

Told = TypeVar("Told", bound=Payload)

router = APIRouter(tags=["views"])


async def replay_of(
    request: Request,
    sight: Sight,
    *,
    at: int | None,
    rule_set: str | None = None,
    as_recorded: bool = False,
) -> Replay:
    """The replay that is asked for, never beyond what the visitor may see."""
    if rule_set is not None and rule_set not in SHELF:
        known = sorted(SHELF)
        raise Problem("unknown-rule-set", f"there is no rule set {rule_set[:64]!a}", known=known)
    if at is not None and at > sight.version:
        raise Problem(
            "no-such-version",
            f"match {sight.match_id} is at version {sight.version}",
            current_version=sight.version,
        )
    version = sight.version if at is None else at
    shown = sight.live.replay
    if rule_set is None and not as_recorded:
        if version == shown.version:
            return shown
        if not shown.recorded:
            return shown.at(version)
    # Folded anew, at a cost that grows with the match: not on the thread that serves everybody.
    return await asyncio.to_thread(
        door_of(request).reading.replay,
        sight.log_id,
        sight.match_id,
        at=version,
        rule_set=rule_set,
        as_recorded=as_recorded,
    )


@router.get(
    "/logs/{log}/matches/{match}",
    operation_id="getMatch",
    summary="A match at a glance",
    **documented("MatchSummary", problems=(404,), is_view=True),
)
async def get_match(request: Request, log: LogId, match: MatchId) -> Response:
    """Players, score, state, rule set and how many findings there are."""
    sight = await sight_of(request, log, match)
    door = door_of(request)
    shown = await replay_of(request, sight, at=None)
    row = row_of(log, match, sight.live.recorded[0].global_position, shown)
    [summary] = await asyncio.to_thread(summaries, door, sight.visitor, [row])
    etag = sight_etag(sight, "match", orjson.dumps(summary))
    return view_answer(request, sight, summary, etag=etag)


@router.get(
    "/logs/{log}/matches/{match}/replay",
    operation_id="getReplay",
    summary="Replay a match entry by entry",
    **documented("ReplayOut", problems=(400, 404), is_ndjson=True, is_view=True),
)
async def get_replay(
    request: Request,
    log: LogId,
    match: MatchId,
    at: At = None,
    rules: RuleSet = None,
    as_recorded: AsRecorded = False,
) -> Response:
    """One line an entry: the act, and board, score, cube and clock after it; then the questions.

    As corrected, unless `as_recorded`; with `Accept: application/x-ndjson` a stream of lines alone.
    """
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules, as_recorded=as_recorded)
    is_ndjson = wants_ndjson(request)
    etag = sight_etag(sight, "replay", shown.version, rules, as_recorded, is_ndjson)
    headers = cache_headers(etag, is_public=not sight.is_granted)
    if is_unchanged(request, etag):
        return Response(status_code=304, headers=headers)
    if is_ndjson:
        return StreamingResponse(_lines(shown), headers=headers, media_type=NDJSON)
    body = await asyncio.to_thread(_replay_json, log, match, shown)
    return Response(body, headers=headers, media_type="application/json")


def _lines(shown: Replay) -> Iterator[bytes]:
    for step in shown.steps:
        yield orjson.dumps(event_line(step, shown)) + b"\n"


def _replay_json(log_id: str, match_id: str, shown: Replay) -> bytes:
    lines = [event_line(step, shown) for step in shown.steps]
    head = _head(log_id, match_id, shown)
    return orjson.dumps({**head, "lines": lines, "questions": question_lines(shown)})


def _head(log_id: str, match_id: str, shown: Replay) -> dict[str, Any]:
    return {
        "log_id": log_id,
        "match_id": match_id,
        "version": shown.version,
        "rule_set": shown.rules.profile.id,
        "as_recorded": shown.is_as_recorded,
    }


@router.get(
    "/logs/{log}/matches/{match}/position",
    operation_id="getPosition",
    summary="The board",
    **documented("PositionOut", problems=(400, 404), is_view=True),
)
async def get_position(
    request: Request, log: LogId, match: MatchId, at: At = None, rules: RuleSet = None
) -> Response:
    """Checkers, cube, whose turn it is and which dice wait to be played."""
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules)
    line = state_line(shown.state)
    flow = shown.state.flow
    value = {
        **_head(log, match, shown),
        **{name: line[name] for name in ("checkers", "position_id", "cube", "on_roll", "to_act")},
        "turn_open": line["turn_open"],
        "dice": flow.dice,
        "awaits": flow.awaits.value,
    }
    return view_answer(request, sight, value, etag=sight_etag(sight, "board", shown.version, rules))


@router.get(
    "/logs/{log}/matches/{match}/score",
    operation_id="getScore",
    summary="The score",
    **documented("ScoreOut", problems=(400, 404), is_view=True),
)
async def get_score(
    request: Request, log: LogId, match: MatchId, at: At = None, rules: RuleSet = None
) -> Response:
    """Points, computed and uncapped, the Crawford game, the games that are over, who has won."""
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules)
    score, outcome = shown.state.score, shown.state.judged.outcome
    value = {
        **_head(log, match, shown),
        "score": msgspec.to_builtins(score.score),
        "length": score.length,
        "crawford": score.phase.value,
        "game_number": score.game_number,
        "games": msgspec.to_builtins(score.games),
        "winner": None if outcome.winner is None else outcome.winner.value,
        "has_ended": not outcome.is_open or score.has_ended,
        "outcome": outcome_line(shown.state),
    }
    return view_answer(request, sight, value, etag=sight_etag(sight, "score", shown.version, rules))


@router.get(
    "/logs/{log}/matches/{match}/clock",
    operation_id="getClock",
    summary="The clock on the table",
    **documented("ClockOut", problems=(400, 404), is_view=True),
)
async def get_clock(
    request: Request, log: LogId, match: MatchId, at: At = None, rules: RuleSet = None
) -> Response:
    """Reserves and whose time runs; `clock` is null until the clock is set."""
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules)
    clock = clock_line(shown.state)
    if clock is not None:
        state = shown.state.clock
        clock |= {"kind": state.kind.value, "delay_ms": state.delay_ms}
        clock["paused"] = None if state.paused is None else state.paused.value
        clock["fallen"] = msgspec.to_builtins(state.fallen)
    value = {**_head(log, match, shown), "clock": clock}
    return view_answer(request, sight, value, etag=sight_etag(sight, "clock", shown.version, rules))


@router.get(
    "/logs/{log}/matches/{match}/penalties",
    operation_id="getPenalties",
    summary="Delays, breaks and penalty points",
    **documented("PenaltiesOut", problems=(400, 404), is_view=True),
)
async def get_penalties(
    request: Request, log: LogId, match: MatchId, at: At = None, rules: RuleSet = None
) -> Response:
    """What each player's delays and penalties come to, and the score with and without the points.

    While nobody has said whether points enter the score, `scores` shows it both ways.
    """
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules)
    penalties = shown.state.judged.penalties
    apart, entered = penalties.both_scores(shown.state.score.score)
    forfeited = penalties.forfeited
    value = {
        **_head(log, match, shown),
        "points": plain(penalties.points),
        "entering": plain(penalties.entering),
        "undecided": plain(penalties.undecided),
        "scores": {"apart": plain(apart), "entered": plain(entered)},
        "forfeited": None if forfeited is None else forfeited.value,
        "allowance": answer_line(penalties.allowance),
        "accounts": _accounts(penalties.accounts, shown),
    }
    etag = sight_etag(sight, "penalties", shown.version, rules)
    return view_answer(request, sight, value, etag=etag)


def _accounts(accounts: BySeat[Account], shown: Replay) -> dict[str, Any]:
    versions = _versions(shown)
    return {
        name: {
            "delays": [{"kind": late.kind, "ms": late.ms} for late in account.delays],
            "breaks": [{"ms": taken.ms, "played_ms": taken.played_ms} for taken in account.breaks],
            "is_away": account.is_away,
            "assessed": [
                {
                    "version": versions[one.entry_id],
                    "points": one.points,
                    "waived": one.waived,
                    "enters_score": one.enters_score,
                }
                for one in account.assessed
            ],
            "answer": answer_line(account.answer),
        }
        for name, account in (("one", accounts.one), ("two", accounts.two))
    }


def _versions(shown: Replay) -> dict[str, int]:
    """Entry id to version: bodies name entries by id, doors show versions (design §8.6)."""
    return {step.event.entry_id: step.event.version for step in shown.steps}


@router.get(
    "/logs/{log}/matches/{match}/match-length",
    operation_id="getMatchLength",
    summary="The length posted, believed and played to",
    **documented("MatchLengthOut", problems=(400, 404), is_view=True),
)
async def get_match_length(
    request: Request, log: LogId, match: MatchId, at: At = None, rules: RuleSet = None
) -> Response:
    """What was posted, what each player believed, when an error was found, and what follows."""
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules)
    length = shown.state.judged.match_length
    value = {
        **_head(log, match, shown),
        "posted": shown.state.score.length,
        "draw_sheet": length.draw_sheet,
        "believed": [
            {"version": version, "seat": believed.seat.value, "length": believed.length}
            for version, believed in _of(shown, MatchLengthBelieved)
        ],
        "found": [
            {
                "version": version,
                "wrong": error.wrong,
                "correct": error.correct,
                "during_game": error.during_game,
                "knowingly": error.knowingly,
                "found_by": None if error.found_by is None else error.found_by.value,
            }
            for version, error in _of(shown, MatchLengthErrorFound)
        ],
        "awaits_end": length.awaits_end,
        "answer": answer_line(length.answer),
    }
    etag = sight_etag(sight, "match-length", shown.version, rules)
    return view_answer(request, sight, value, etag=etag)


def _of(shown: Replay, kind: type[Told]) -> Iterator[tuple[int, Told]]:
    """Every payload of a kind, with its version."""
    for step in shown.steps:
        if isinstance(step.event.payload, kind):
            yield step.event.version, step.event.payload


@router.get(
    "/logs/{log}/matches/{match}/windows",
    operation_id="getWindows",
    summary="What may still be put right",
    **documented("WindowsOut", problems=(400, 404), is_view=True),
)
async def get_windows(
    request: Request, log: LogId, match: MatchId, at: At = None, rules: RuleSet = None
) -> Response:
    """What may or must still be put right, by whom and until when; and what shut the rest."""
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules)
    versions = _versions(shown)
    # A window of a play may take a walk through what followed it.
    windows = await asyncio.to_thread(windows_of, shown)
    value = {
        **_head(log, match, shown),
        "windows": [_window(window, versions) for window in windows],
    }
    etag = sight_etag(sight, "windows", shown.version, rules)
    return view_answer(request, sight, value, etag=etag)


def _window(window: Window, versions: Mapping[str, int]) -> dict[str, Any]:
    made: dict[str, Any] = plain(window)
    return {
        **made,
        "entry": versions[window.entry],
        "closed_by": None if window.closed_by is None else versions.get(window.closed_by),
    }


@router.get(
    "/logs/{log}/matches/{match}/appeals",
    operation_id="getAppeals",
    summary="Appeals and what came of them",
    **documented("AppealsOut", problems=(400, 404), is_view=True),
)
async def get_appeals(
    request: Request, log: LogId, match: MatchId, at: At = None, rules: RuleSet = None
) -> Response:
    """Who appealed, the committee's ballots, what they make of the ruling, what was announced."""
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules)
    value = {**_head(log, match, shown), "appeals": appeal_lines(shown)}
    etag = sight_etag(sight, "appeals", shown.version, rules)
    return view_answer(request, sight, value, etag=etag)


@router.get(
    "/logs/{log}/matches/{match}/findings",
    operation_id="getFindings",
    summary="Irregularities and open questions",
    **documented("FindingsOut", problems=(400, 404), is_view=True),
)
async def get_findings(
    request: Request,
    log: LogId,
    match: MatchId,
    at: At = None,
    rules: RuleSet = None,
    as_recorded: AsRecorded = False,
    is_open: IsOpen = False,
) -> Response:
    """Everything that was found, in order of version, with the rule cited; and every question.

    A question is answered with `POST …/rulings`, which names it by `topic`, `at` and `seat`.
    """
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules, as_recorded=as_recorded)
    findings, questions = shown.findings, question_lines(shown)
    open_questions = [question for question in questions if question["answered"] is None]
    if is_open:
        findings, questions = shown.open_questions, open_questions
    value = {
        **_head(log, match, shown),
        "findings": [finding.as_json() for finding in findings],
        "questions": questions,
        "open_questions": len(open_questions),
    }
    etag = sight_etag(sight, "findings", shown.version, rules, as_recorded, is_open)
    return view_answer(request, sight, value, etag=etag)
