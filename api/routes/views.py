"""Views of a match at any version: replay, board, score, clock, judgements, findings."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, TypeVar

import msgspec
import orjson
from fastapi import APIRouter, Query, Request, Response
from msgspec.structs import asdict
from starlette.responses import StreamingResponse

from api.exchange.sealed.jsonl import NDJSON
from api.html.kept import is_known
from api.routes.shared.door import (
    LogId,
    MatchId,
    door_of,
    sight_etag,
    sight_of,
    view_answer,
    wants_ndjson,
)
from api.routes.shared.freshness import cache_headers
from api.routes.shared.shown import AsAsked, Corrected, View, replay_of
from api.routes.shared.sight import summary_of
from api.shapes.documented import documented
from api.shapes.matches import Checkers, CubeOut, Forfeits, MaybePair, OutcomeOut, Pair
from api.shapes.views import (
    AccountOut,
    Accounts,
    AnswerOut,
    AssessedOut,
    Believed,
    BreakOut,
    ClockFace,
    ClockOut,
    DelayOut,
    Fallen,
    GameOut,
    LengthError,
    MatchLengthOut,
    PenaltiesOut,
    PositionOut,
    ScoreOut,
    Scores,
    WindowOut,
    WindowsOut,
)
from events.payloads.base import Payload
from events.payloads.match import MatchLengthBelieved, MatchLengthErrorFound
from events.values import BySeat
from projections.judging.accounts import Account
from projections.replay import Replay
from projections.rules.answers import Answer
from projections.views.lines import (
    Line,
    answer_line,
    appeal_lines,
    event_line,
    outcome_line,
    penalty_times,
    state_line,
)
from projections.views.open_windows import windows_of
from projections.views.window import Window

IsOpen = Annotated[
    bool,
    Query(alias="open", description="Only questions that are not answered.", examples=[True]),
]

Told = TypeVar("Told", bound=Payload)

router = APIRouter(tags=["views"])


@router.get(
    "/logs/{log}/matches/{match}",
    operation_id="getMatch",
    summary="Read a match at a glance",
    **documented("MatchSummary", problems=(404,), is_view=True),
)
async def get_match(request: Request, log: LogId, match: MatchId) -> Response:
    """Players, score, state, rule set and number of findings.

    The numbers of findings and of open questions are null while the match is held back.
    """
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=None)
    summary = await asyncio.to_thread(summary_of, door_of(request), sight, shown)
    etag = sight_etag(sight, "match", msgspec.json.encode(summary))
    return view_answer(request, sight, summary, etag=etag)


@router.get(
    "/logs/{log}/matches/{match}/replay",
    operation_id="getReplay",
    summary="Replay a match entry by entry",
    **documented("ReplayOut", problems=(400, 404), is_ndjson=True, is_view=True),
)
async def get_replay(request: Request, view: AsAsked) -> Response:
    """One line for each entry: the act, and board, score, cube and clock after it; then questions.

    As corrected, unless `as_recorded`. With `Accept: application/x-ndjson` a stream of lines only.
    Findings and questions of a game in progress are shown only to those who rule on the match.
    """
    is_ndjson = wants_ndjson(request)
    etag = view.etag("replay", is_ndjson)
    headers = cache_headers(etag, is_public=not view.sight.is_granted)
    if is_known(request, etag):
        return Response(status_code=304, headers=headers)
    if is_ndjson:
        return StreamingResponse(_encoded(view), headers=headers, media_type=NDJSON)
    body = await asyncio.to_thread(_replay_json, view)
    return Response(body, headers=headers, media_type="application/json")


def _encoded(view: View) -> Iterator[bytes]:
    for line in _lines(view):
        yield orjson.dumps(line) + b"\n"


def _lines(view: View) -> Iterator[Line]:
    for step in view.shown.steps:
        yield event_line(step, view.shown, is_told=view.told.tells(step.event.version))


def _replay_json(view: View) -> bytes:
    return orjson.dumps(
        {**view.head._asdict(), "lines": [*_lines(view)], "questions": view.questions}
    )


@router.get(
    "/logs/{log}/matches/{match}/position",
    operation_id="getPosition",
    summary="Read the board",
    **documented(PositionOut, problems=(400, 404), is_view=True),
)
async def get_position(view: Corrected) -> Response:
    """Checkers, cube, whose turn it is, and dice that are not yet played."""
    line, flow = state_line(view.shown.state), view.shown.state.flow
    value = PositionOut(
        *view.head,
        checkers=Checkers(**line["checkers"]),
        position_id=line["position_id"],
        cube=CubeOut(**line["cube"]),
        on_roll=flow.on_roll,
        to_act=flow.to_act,
        turn_open=flow.turn_open,
        dice=None if flow.dice is None else list(flow.dice),
        awaits=flow.awaits,
    )
    return view.answer("board", value)


@router.get(
    "/logs/{log}/matches/{match}/score",
    operation_id="getScore",
    summary="Read the score",
    **documented(ScoreOut, problems=(400, 404), is_view=True),
)
async def get_score(view: Corrected) -> Response:
    """Points, computed and uncapped, the Crawford game, the games that are over, the winner.

    Penalty points that enter the score are in the points, but in no game.

    The questions that the outcome depends on are shown once the match is over.
    """
    score = view.shown.state.score
    line = outcome_line(view.shown.state)
    if not view.told.tells_match:
        line["questions"] = []
    value = ScoreOut(
        *view.head,
        score=Pair(*view.shown.state.match_score),
        length=score.length,
        crawford=score.phase,
        game_number=score.game_number,
        games=[GameOut(**asdict(game)) for game in score.games],
        winner=view.shown.state.winner,
        has_ended=view.shown.state.has_ended,
        outcome=OutcomeOut(**line),
    )
    return view.answer("score", value)


@router.get(
    "/logs/{log}/matches/{match}/clock",
    operation_id="getClock",
    summary="Read the clock on the table",
    **documented(ClockOut, problems=(400, 404), is_view=True),
)
async def get_clock(view: Corrected) -> Response:
    """Reserves and whose time runs; `clock` is null until the clock is set."""
    clock, face = view.shown.state.clock, None
    if clock.is_set:
        face = ClockFace(
            reserve_ms=MaybePair(*clock.reserve_ms),
            running=clock.running,
            kind=clock.kind,
            delay_ms=clock.delay_ms,
            paused=clock.paused,
            fallen=Fallen(*clock.fallen),
            free_ms=clock.free_ms,
            turn_forfeit=clock.turn_forfeit,
            forfeits=Forfeits(*clock.forfeits),
        )
    return view.answer("clock", ClockOut(*view.head, clock=face))


@router.get(
    "/logs/{log}/matches/{match}/penalties",
    operation_id="getPenalties",
    summary="Read delays, breaks and penalty points",
    **documented(PenaltiesOut, problems=(400, 404), is_view=True),
)
async def get_penalties(view: Corrected) -> Response:
    """The sums of each player's delays and penalties, and the score with and without the points.

    Until it is decided whether points enter the score, `scores` shows both. Judgements of delays,
    and so all sums, are null while the match is held back.
    """
    penalties = view.shown.state.judged.penalties
    value = PenaltiesOut(
        *view.head,
        points=None,
        entering=None,
        undecided=None,
        scores=None,
        forfeited=None,
        allowance=None,
        accounts=Accounts(*_accounts(penalties.accounts, view)),
    )
    if view.told.tells_match:
        apart, entered = penalties.both_scores(view.shown.state.score.score)
        value.points = Pair(*penalties.points)
        value.entering = Pair(*penalties.entering)
        value.undecided = Pair(*penalties.undecided)
        value.scores = Scores(Pair(*apart), Pair(*entered))
        value.forfeited = penalties.forfeited
        value.allowance = _answer(penalties.allowance)
    return view.answer("penalties", value)


def _accounts(accounts: BySeat[Account], view: View) -> Iterator[AccountOut]:
    versions = view.shown.versions
    times = penalty_times(view.shown)
    for account in accounts:
        yield AccountOut(
            delays=[DelayOut(late.kind, late.ms) for late in account.delays],
            breaks=[BreakOut(taken.ms, taken.played_ms) for taken in account.breaks],
            is_away=account.is_away,
            assessed=[
                AssessedOut(
                    version=versions[one.entry_id],
                    points=one.points,
                    waived=one.waived,
                    enters_score=one.enters_score,
                    time_ms=Pair(*times.get(one.entry_id, BySeat(0, 0))),
                )
                for one in account.assessed
            ],
            answer=_answer(account.answer) if view.told.tells_match else None,
        )


def _answer(answer: Answer | None) -> AnswerOut | None:
    """What a rule set says about a matter, in the form of the folds' lines."""
    line = answer_line(answer)
    return None if line is None else AnswerOut(**line)


@router.get(
    "/logs/{log}/matches/{match}/match-length",
    operation_id="getMatchLength",
    summary="Read the length posted, believed and played to",
    **documented(MatchLengthOut, problems=(400, 404), is_view=True),
)
async def get_match_length(view: Corrected) -> Response:
    """The posted length, the lengths the players believed, when an error was found, the outcome.

    The outcome under the rules is shown once the match is over.
    """
    shown, length = view.shown, view.shown.state.judged.match_length
    is_told = view.told.tells_match
    value = MatchLengthOut(
        *view.head,
        posted=shown.state.score.length,
        draw_sheet=length.draw_sheet,
        believed=[
            Believed(version, believed.seat, believed.length)
            for version, believed in _of(shown, MatchLengthBelieved)
        ],
        found=[
            LengthError(
                version=version,
                wrong=error.wrong,
                correct=error.correct,
                during_game=error.during_game,
                knowingly=error.knowingly,
                found_by=error.found_by,
            )
            for version, error in _of(shown, MatchLengthErrorFound)
        ],
        awaits_end=length.awaits_end if is_told else None,
        answer=_answer(length.answer) if is_told else None,
    )
    return view.answer("match-length", value)


def _of(shown: Replay, kind: type[Told]) -> Iterator[tuple[int, Told]]:
    """Every payload of a kind, with its version."""
    for step in shown.steps:
        if isinstance(step.event.payload, kind):
            yield step.event.version, step.event.payload


@router.get(
    "/logs/{log}/matches/{match}/windows",
    operation_id="getWindows",
    summary="Read what may still be corrected",
    **documented(WindowsOut, problems=(400, 404), is_view=True),
)
async def get_windows(view: Corrected) -> Response:
    """What may or must still be corrected, by whom and until when; and what closed the others.

    No window is shown while the match is held back: an open one reveals that something is wrong.
    """
    versions = view.shown.versions
    windows: Sequence[Window] = ()
    if view.told.tells_match:
        # Computing the window of a play may need a pass through everything after it.
        windows = await asyncio.to_thread(windows_of, view.shown)
    told = [_window(window, versions) for window in windows]
    return view.answer("windows", WindowsOut(*view.head, windows=told))


def _window(window: Window, versions: Mapping[str, int]) -> WindowOut:
    made = WindowOut(**asdict(window))
    made.entry = versions[window.entry]
    made.closed_by = None if window.closed_by is None else versions.get(window.closed_by)
    return made


@router.get(
    "/logs/{log}/matches/{match}/appeals",
    operation_id="getAppeals",
    summary="Read appeals and their outcomes",
    **documented("AppealsOut", problems=(400, 404), is_view=True),
)
async def get_appeals(view: Corrected) -> Response:
    """Appellant, ballots of the committee, the outcome by the ballots, the announced outcome.

    The judgement of the rules is shown once the match is over.
    """
    lines = appeal_lines(view.shown)
    if not view.told.tells_match:
        lines = [{**line, "is_admitted": None, "result": None, "answer": None} for line in lines]
    if view.sight.showing.hides_ballots:
        # No text makes ballots public (rules.md §8); the outcome is public once it is announced.
        uncounted = {"result": None, "answer": None}
        lines = [
            {
                **line,
                **(uncounted if line["ballots"] and line["announced"] is None else {}),
                "ballots": [],
                "director": None,
            }
            for line in lines
        ]
    return view.answer("appeals", {"appeals": lines})


@router.get(
    "/logs/{log}/matches/{match}/findings",
    operation_id="getFindings",
    summary="Read irregularities and questions",
    **documented("FindingsOut", problems=(400, 404), is_view=True),
)
async def get_findings(view: AsAsked, is_open: IsOpen = False) -> Response:
    """All findings, in order of version, with the rule cited; and all questions.

    `POST …/rulings` answers a question, naming it by `topic`, `at` and `seat`. Findings of a game
    in progress are shown only to those who rule on the match.
    """
    shown, questions = view.shown, view.questions
    open_questions = [question for question in questions if question["answered"] is None]
    value = {
        "findings": [
            finding.as_json()
            for finding in (shown.open_questions if is_open else shown.findings)
            if view.told.tells(finding.version)
        ],
        "questions": open_questions if is_open else questions,
        "open_questions": len(open_questions),
    }
    return view.answer("findings", value, is_open)
