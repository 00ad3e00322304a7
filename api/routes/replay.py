"""The replay viewer: its page, and the data that it needs beyond the other views."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Annotated

import msgspec
import orjson
from fastapi import APIRouter, Query, Request, Response

from api.archive.words import showing_line
from api.exchange.prose.spoken import notes_on, spoken
from api.exchange.writing.numbering import numbers_of
from api.html import entry_words
from api.html.assets import assets
from api.html.kept import Made, finished, kept_answer
from api.html.templates import HEADERS, Values, rendered
from api.html.texts import language_of, texts_of
from api.routes.shared.analysed import analysed
from api.routes.shared.cookie import csrf_for
from api.routes.shared.door import (
    Door,
    LogId,
    MatchId,
    Sight,
    door_of,
    sight_etag,
    sight_of,
    tagged_answer,
    view_answer,
)
from api.routes.shared.filmed import filmed
from api.routes.shared.freshness import cache_headers
from api.routes.shared.listing import stage_of
from api.routes.shared.shown import (
    AsRecorded,
    At,
    RuleSet,
    View,
    WholeAsAsked,
    discretion_of,
    no_such_version,
    replay_of,
)
from api.routes.shared.sight import SILENT, names_of, page_sight, summary_of, title_in, words_in
from api.shapes import replay as shapes
from api.shapes.documented import documented
from api.shapes.matches import Checkers, Pair
from events import catalogue
from events.payloads.match import MatchOpened
from events.values import Seat
from projections.folding.findings import Finding, leaning
from projections.folding.sayings import Said, worded
from projections.replay import Replay
from projections.rules.shelf import SHELF, captions
from projections.views.alignment import Noted, Sheet, Turn, aligned, first_divergence, sheets
from projections.views.contrasts import Pair as Pairing
from projections.views.contrasts import pairs, unfound, why
from projections.views.discretion import Discretion, discretion
from projections.views.lines import Line, checkers
from projections.views.scenes import disputes, games, legal_line, scenes
from projections.views.thinking import thinking_line

router = APIRouter(tags=["replay"])
pages = APIRouter(include_in_schema=False)


@router.get(
    "/logs/{log}/matches/{match}/scenes",
    operation_id="getScenes",
    summary="Read all that a replay viewer shows",
    **documented(shapes.ScenesOut, problems=(400, 404), is_view=True),
)
async def get_scenes(view: WholeAsAsked) -> Response:
    """All recorded entries, retracted ones included, grouped into the steps of the match.

    With `rules`, `contrasts` lists where that rule set judges otherwise than the pinned one.
    """
    pinned = None
    if view.asked.rule_set is not None:
        recorded = view.asked.as_recorded
        pinned = await replay_of(view.request, view.sight, at=None, as_recorded=recorded)
    words = await words_in(view.request, view.sight, view.shown)
    etag = view.etag("scenes", msgspec.json.encode(words), showing_line(view.sight.showing))
    headers = cache_headers(etag, is_public=not view.sight.is_granted)
    headers["Vary"] += ", Accept-Encoding"

    def make() -> Made:
        return finished(_scenes(view, pinned, words), "application/json")

    return await kept_answer(view.request, etag, make, headers)


def _scenes(view: View, pinned: Replay | None, words: Mapping[int, Line]) -> bytes:
    shown, told = view.shown, view.told
    found = [one for one in shown.findings if told.tells(one.version)]
    cited = [(one.rule_set, one.section) for one in found]
    contrasts = [
        one
        for one in (() if pinned is None else _contrasts(shown, pinned))
        if told.tells(one["version"])
    ]
    cited += [
        (said["rule_set"], said["section"])
        for one in contrasts
        for said in (one["rules"], one["against"])
        if said is not None
    ]
    return orjson.dumps(
        {
            **view.head._asdict(),
            "length": shown.state.score.length,
            "is_trusted": view.sight.is_trusted,
            "showing": showing_line(view.sight.showing),
            "scenes": [
                {**one, **words.get(one["version"], SILENT)}
                for one in numbered(scenes(shown, told), shown)
            ],
            "games": games(shown),
            "disputes": disputes(shown),
            "thinking": thinking_line(shown),
            "questions": view.questions,
            "corrections": [one.as_json() for one in shown.corrections if told.tells(one.version)],
            "contrasts": contrasts,
            "captions": captions(cited),
        }
    )


def numbered(lines: list[Line], shown: Replay) -> Iterator[Line]:
    """Scenes with the number of the row that each belongs to, as files of the match have it."""
    rows = numbers_of(shown)
    row = 0
    for line in lines:
        # A retracted entry has no step: it is put into the row in which it was recorded.
        row = rows.get(line["version"], row if line["turn"] else 0)
        yield {**line, "row": row}


def _contrasts(shown: Replay, pinned: Replay) -> Iterable[Line]:
    """What the requested rule set says differently from the pinned one."""
    for pair in pairs(shown.findings, pinned.findings):
        if not pair.is_same:
            yield {
                "version": pair.version,
                "rules": _said(pair.rules, pair, shown, pinned),
                "against": _said(pair.against, pair, pinned, shown),
                "why": [
                    {
                        "name": reason.name,
                        "said": reason.told(
                            shown.rules.profile.id, pinned.rules.profile.id
                        ).as_json(),
                    }
                    for reason in why(pair, shown, pinned)
                ],
            }


def _said(finding: Finding | None, pair: Pairing, shown: Replay, opposite: Replay) -> Line | None:
    """What one rule set says about a matter, and in which section; None = it was not asked."""
    rule_set = shown.rules.profile.id
    if finding is not None:
        asked = finding.ruling_required
        return {
            "rule_set": finding.rule_set,
            "section": finding.section,
            "code": finding.code,
            "message": finding.message,
            "said": finding.said.as_json(),
            **(_asked(None, None) if asked is None else _asked(asked.readings, asked.leaning)),
        }
    answer = unfound(pair, shown, opposite)
    if answer is None:
        return None
    said = worded(answer.outcome)
    return {
        "rule_set": rule_set,
        "section": answer.section,
        "code": None,
        "message": str(said),
        "said": said.as_json(),
        **_asked(answer.readings if answer.is_open else None, leaning(answer.lean)),
    }


def _asked(readings: Iterable[str] | None, leans: Said | None) -> Line:
    """What a rule set leaves to a person; None = nothing."""
    return {
        "is_question": readings is not None,
        "readings": list(readings or ()),
        "leaning": leans.as_json() if leans is not None and readings is not None else None,
    }


@router.get(
    "/logs/{log}/matches/{match}/legal-plays",
    operation_id="getLegalPlays",
    summary="List the legal plays",
    **documented(shapes.LegalPlaysOut, problems=(400, 404), is_view=True),
)
async def get_legal_plays(request: Request, log: LogId, match: MatchId, at: At = None) -> Response:
    """For the roll that the entry plays, or that is to be played after it, once the game is over.

    Before that, only a director or a committee gets them: a tablet records and does not advise.
    """
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=None)
    if at is not None and at > shown.version:
        raise no_such_version(match, shown.version)
    version = shown.version if at is None else at
    told = await discretion_of(request, sight)
    if not told.tells(version):
        raise sight.visitor.refusal("director or committee, while the game is played")
    value = {
        "log_id": log,
        "match_id": match,
        "version": version,
        **await asyncio.to_thread(legal_line, shown, version),
    }
    etag = sight_etag(sight, "legal", version)
    return view_answer(request, sight, value, etag=etag)


@router.get(
    "/logs/{log}/matches/{match}/alignment",
    operation_id="getAlignment",
    summary="Compare two records of the match",
    **documented(shapes.AlignmentOut, problems=(404,), is_view=True),
)
async def get_alignment(
    request: Request,
    log: LogId,
    match: MatchId,
    other: Annotated[
        str | None,
        Query(alias="with", description="Match id of the other record.", examples=["r3-t07-9c42"]),
    ] = None,
) -> Response:
    """Both players' score sheets by game, and another scribe's record by turn.

    `records` lists the records of shadow scribes that the reader may see.
    """
    sight = await sight_of(request, log, match)
    shown = await replay_of(request, sight, at=None)
    beside, is_public = None, not sight.is_granted
    if other is not None:
        beside_sight = await sight_of(request, log, other)
        beside = await replay_of(request, beside_sight, at=None)
        is_public = is_public and not beside_sight.is_granted
    records = await asyncio.to_thread(_records, door_of(request), sight)
    value = await asyncio.to_thread(_alignment, sight, shown, other, beside, records)
    etag = sight_etag(sight, "alignment", other, msgspec.json.encode(value))
    return tagged_answer(request, value, cache_headers(etag, is_public=is_public))


def _records(door: Door, sight: Sight) -> list[str]:
    """Records of the same match by other scribes, or the one beside which this was written."""
    if not sight.is_granted:
        return []
    opened_match = sight.live.replay.opened
    if opened_match is not None and opened_match.shadow_of is not None:
        return [opened_match.shadow_of]
    streams = door.leasing.of(sight.log_id).numbers
    return sorted(
        stream
        for stream in streams
        if stream != sight.match_id
        and sight.visitor.hand.may_read(sight.log_id, stream)
        and _is_beside(door, sight, stream)
    )


def _is_beside(door: Door, sight: Sight, stream: str) -> bool:
    """Whether a stream is a second scribe's record of the match; reads only its first entry."""
    rows = door.archive.store.read_stream(sight.log_id, stream, limit=1)
    payload = catalogue.read(rows[0]).payload if rows else None
    return isinstance(payload, MatchOpened) and payload.shadow_of == sight.match_id


def _alignment(
    sight: Sight, shown: Replay, other: str | None, beside: Replay | None, records: list[str]
) -> shapes.AlignmentOut:
    rows = [] if beside is None else aligned(shown, beside)
    ours = {} if beside is None else numbers_of(shown)
    theirs = {} if beside is None else numbers_of(beside)
    return shapes.AlignmentOut(
        log_id=sight.log_id,
        match_id=sight.match_id,
        version=shown.version,
        beside=other,
        rows=[
            shapes.AlignedOut(_turn(row.first, ours), _turn(row.second, theirs), list(row.differs))
            for row in rows
        ],
        first_divergence=first_divergence(rows),
        sheets=[_sheet(sheet) for sheet in sheets(shown)],
        records=records,
    )


def _turn(turn: Turn | None, rows: Mapping[int, int]) -> shapes.AlignedTurnOut | None:
    if turn is None:
        return None
    return shapes.AlignedTurnOut(
        game=turn.game,
        turn=turn.number,
        row=rows.get(turn.version, 0),
        seat=turn.seat,
        version=turn.version,
        dice=turn.dice,
        play=turn.play,
        cube=list(turn.cube),
        won=turn.won,
        checkers=Checkers(**checkers(turn.end)),
    )


def _sheet(sheet: Sheet) -> shapes.SheetOut:
    def noted(score: Noted | None) -> shapes.NotedOut | None:
        if score is None:
            return None
        kept = score.score
        return shapes.NotedOut(None if kept is None else Pair(kept.one, kept.two), score.version)

    return shapes.SheetOut(
        game=sheet.game,
        computed=Pair(sheet.computed.one, sheet.computed.two),
        noted=shapes.NotedBySeat(noted(sheet.noted.one), noted(sheet.noted.two)),
        differs=list(sheet.differs),
    )


@pages.get("/matches/{log}/{match}/replay")
async def replay_page(
    request: Request,
    log: LogId,
    match: MatchId,
    rules: RuleSet = None,
    as_recorded: AsRecorded = False,
) -> Response:
    """The viewer; without JavaScript, the turns with links to their boards."""
    sight = await page_sight(request, log, match)
    shown = await replay_of(request, sight, at=None, rule_set=rules, as_recorded=as_recorded)
    current = await replay_of(request, sight, at=None)
    summary = await asyncio.to_thread(summary_of, door_of(request), sight, current)
    t = texts_of(language_of(request))
    head = {
        "match": summary,
        "title": await asyncio.to_thread(title_in, door_of(request), log),
        "goes_on": stage_of(summary) != "ended",
        # Independent of what is recorded by now: that something was recorded must not be shown
        # early.
        "is_behind": not sight.is_granted and sight.live.publicity.delay_ms > 0,
        "pinned": current.rules.profile.id,
        "asked": rules,
        "as_recorded": as_recorded,
        "is_analysed": await analysed(door_of(request), sight) is not None,
        **await _filmed(request, sight, current),
    }

    lines = await words_in(request, sight, shown)
    names = names_of(summary, t)
    called = {seat.value: names[seat] for seat in Seat}

    def make() -> Made:
        said = {version: spoken(t, version, line, called) for version, line in lines.items()}
        values = _page(shown, discretion(current, is_trusted=sight.is_trusted))
        words = {
            "told": functools.partial(entry_words.told, t),
            "sentence": functools.partial(entry_words.sentence, t),
        }
        notes = notes_on(t, showing_line(sight.showing)) if said else []
        more = {"spoken": said, "shown_to": notes}
        text = rendered(request, "replay.html", **head, **values, **words, **more)
        return finished(text.encode())

    told_here = msgspec.json.encode([head, lines])
    etag = sight_etag(sight, "replay", t.language, assets().digest, told_here)
    headers = {**HEADERS, "Cache-Control": "private, no-cache"} if sight.is_granted else HEADERS
    return await kept_answer(request, etag, make, headers)


async def _filmed(request: Request, sight: Sight, current: Replay) -> Values:
    """Whether there are films for the visitor, and the data for attaching and aligning them."""
    seen = await asyncio.to_thread(filmed, door_of(request), sight, current)
    may_record = sight.visitor.hand.may_append(sight.log_id, sight.match_id, "film.aligned")
    csrf = csrf_for(request) if may_record else None
    return {"has_films": bool(seen.films), "film_csrf": csrf}


def _page(shown: Replay, told: Discretion) -> Values:
    every = list(numbered(scenes(shown, told), shown))
    return {
        "rule_sets": [(profile.id, profile.title) for profile in SHELF.values()],
        "games": [
            (game, [_turn_row(list(of_turn)) for _, of_turn in groupby(of_game, _place)])
            for game, of_game in groupby(every, lambda scene: scene["game"])
        ],
        "findings": [finding for finding in shown.findings if told.tells(finding.version)],
    }


def _place(scene: Line) -> tuple[int, int]:
    """A turn; a turn with a double before its roll has a row for each."""
    return scene["turn"], scene["row"]


def _turn_row(of_turn: list[Line]) -> Values:
    return {
        "number": of_turn[0]["row"],
        "seat": of_turn[0]["turn_of"],
        "version": of_turn[-1]["version"],
        "scenes": of_turn,
    }
