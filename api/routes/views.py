"""What a match comes to: summary, replay, position, score, clock and findings, at any version."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Annotated, Any

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
from projections.lines import clock_line, event_line, state_line
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
    """One line an entry: the act, and board, score, cube and clock after it.

    As corrected, unless `as_recorded`; with `Accept: application/x-ndjson` a stream of lines.
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
    return orjson.dumps({**_head(log_id, match_id, shown), "lines": lines})


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
    """Points, computed and uncapped, the Crawford game, and the games that are over."""
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules)
    score = shown.state.score
    value = {
        **_head(log, match, shown),
        "score": msgspec.to_builtins(score.score),
        "length": score.length,
        "crawford": score.phase.value,
        "game_number": score.game_number,
        "games": msgspec.to_builtins(score.games),
        "winner": None if score.winner is None else score.winner.value,
        "has_ended": score.winner is not None or score.has_ended,
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
) -> Response:
    """Everything that was found, in order of version, with the rule cited."""
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=at, rule_set=rules, as_recorded=as_recorded)
    findings = shown.findings
    value = {
        **_head(log, match, shown),
        "findings": [finding.as_json() for finding in findings],
        "open_questions": sum(
            finding.ruling_required is not None and finding.answered_by is None
            for finding in findings
        ),
    }
    etag = sight_etag(sight, "findings", shown.version, rules, as_recorded)
    return view_answer(request, sight, value, etag=etag)
