"""The desk of a case: what its committee is shown, its ballots, and a report once it is decided."""

from __future__ import annotations

import asyncio
import base64
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from starlette.responses import RedirectResponse

from api.archive.tournaments import title_of
from api.archive.words import showing_line, words_lines
from api.desk.cases import Case, case_in, seat_of, second_recorders, version_of
from api.desk.hand import Hand
from api.exchange.prose.spoken import notes_on, spoken
from api.html.moments import moment_of
from api.html.pictures import board_svg
from api.html.templates import HEADERS, Values, page, rendered
from api.html.texts import Texts, language_of, texts_of
from api.refusals import Problem
from api.routes.cases import case_out, note_opening, reader_of
from api.routes.shared.cookie import csrf_for
from api.routes.shared.door import Door, door_of, showing_at_case, visitor_of
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from events.payloads.appeal import AppealDecided, AppealFiled
from events.payloads.dispute import DisputeRaised
from events.values import BySeat, Seat
from projections.folding.standing import target_of
from projections.judging.ballots import why_not_sealed
from projections.replay import Replay
from projections.rules.shelf import SHELF
from projections.views.open_windows import windows_of
from projections.views.showing import Reader, Showing, showing
from projections.views.transcript import transcript

CaseId = Annotated[str, Path(pattern="^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]

router = APIRouter(include_in_schema=False)

_PRIVATE = {"Cache-Control": "private, no-store"}


@router.get("/cases")
async def cases(request: Request) -> Response:
    """The cases that the visitor may open: a member's own, and those of who directs."""
    door = door_of(request)
    visitor = await visitor_of(door, request, None)
    token = visitor.token_sha256
    if token is None:
        return RedirectResponse("/session?next=/cases", 303)
    found = await asyncio.to_thread(_cases_of, door, token)
    return await page(request, "cases.html", headers=_PRIVATE, cases=found, csrf=csrf_for(request))


@router.get("/cases/{case}")
async def desk(request: Request, case: CaseId) -> Response:
    """The desk of one case; that it was opened is recorded before anything is shown."""
    try:
        found, visitor = await reader_of(request, case)
    except Problem as problem:
        if problem.slug == "not-authenticated" and csrf_for(request) is None:
            return RedirectResponse(f"/session?next=/cases/{case}", 303)
        raise
    door = door_of(request)
    shown = _shown_through(found)
    await note_opening(door, found, visitor, shown)
    t = texts_of(language_of(request))
    values = await asyncio.to_thread(_desk, door, found, shown, t)
    text = await asyncio.to_thread(
        rendered, request, "case.html", **{**values, "csrf": csrf_for(request)}
    )
    return Response(text.encode(), 200, {**HEADERS, **_PRIVATE}, "text/html")


@router.get("/cases/{case}/report")
async def report(request: Request, case: CaseId) -> Response:
    """What a federation is told of a decided case (wbgf-2.1 5.5), as a page."""
    _, values = await _report_of(request, case)
    return await page(
        request, "case_report.html", headers=_PRIVATE, csrf=csrf_for(request), lines=values
    )


@router.get("/cases/{case}/report.txt")
async def report_file(request: Request, case: CaseId) -> Response:
    """The same as a file."""
    t, lines = await _report_of(request, case)
    text = "\n".join([t("case.report"), "", *(f"{name}: {value}" for name, value in lines), ""])
    headers = {**_PRIVATE, "Content-Disposition": f'attachment; filename="case-{case[:8]}.txt"'}
    return Response(text, 200, headers, "text/plain; charset=utf-8")


async def _report_of(request: Request, case_id: str) -> tuple[Texts, list[tuple[str, str]]]:
    found, _ = await reader_of(request, case_id)
    t = texts_of(language_of(request))
    if found.seat is not None:
        raise Problem("not-permitted", "the report is the director's", needs="director of the log")
    if found.appeal.announced is None:
        raise Problem("case-conflict", "the outcome is not announced: there is nothing to report")
    return t, await asyncio.to_thread(_report, door_of(request), found, t)


def _cases_of(door: Door, token: str) -> list[dict[str, str]]:
    """Cases by id, with what to call them. Reads the store."""
    seat = seat_of(door.reading, token)
    if seat is not None and seat.case is not None:
        found = case_in(door.reading, seat.log_id, seat.case)
        return [{"id": seat.case, "title": SHELF[found.rule_set].title, "match": ""}]
    listed = []
    for head in door.archive.store.logs():
        hand = Hand(door.reading.grants(head.log_id, token))
        is_director = hand.may_append(head.log_id, TOURNAMENT_STREAM, "access.granted")
        if head.log_id == ARCHIVE_LOG or not is_director:
            continue
        title = title_of(door.reading, head.log_id) or head.log_id
        for stream in door.archive.store.streams(head.log_id):
            for row in door.archive.store.read_stream(head.log_id, stream.stream_id):
                if row.tag == "appeal.filed":
                    listed.append({"id": row.entry_id, "title": title, "match": stream.stream_id})
    return listed


def _showing(door: Door, found: Case, through: int) -> Showing:
    """What of the case this reader is shown, by its rule set. Reads the store."""
    if found.seat is None:
        return showing(found.live.replay, Reader.DIRECTOR)
    shown = showing_at_case(door, found.log_id, found.live)
    # What was issued is what is shown: it was cut when the case was given out.
    return shown._replace(last=through)


def _shown_through(found: Case) -> int:
    """The last version that this reader is shown: all for who directs, else what was issued."""
    return found.live.version if found.seat is None else found.through


def _desk(door: Door, found: Case, through: int, t: Texts) -> Values:
    log_id, match_id, about = found.log_id, found.match_id, found.appeal
    shown_to = _showing(door, found, through)
    is_blind = shown_to.hides_players
    names = BySeat(t("case.seat_one"), t("case.seat_two"))
    if not is_blind:
        names = door.reading.names(log_id, found.live.replay.opened)
    corrected = door.reading.replay(log_id, match_id, at=through) if through else None
    recorded = (
        door.reading.replay(log_id, match_id, at=through, as_recorded=True) if through else None
    )
    moment = _moment(found, through)
    at = door.reading.replay(log_id, match_id, at=moment) if moment else None
    words = {}
    if corrected is not None:
        words = words_lines(door.reading, log_id, match_id, corrected, shown_to, files=door.files)
    others = _others(door, found, names)
    lines = {
        "corrected": [] if corrected is None else transcript(corrected, names),
        "recorded": [] if recorded is None else transcript(recorded, names),
    }
    why = None
    if found.seat is not None and found.seat.member is not None:
        said = why_not_sealed(about, found.seat.member, found.seat.grant_id)
        why = None if said is None else str(said)
    called = {seat.value: names[seat] for seat in Seat}
    profile = SHELF[found.rule_set]
    cited = sorted({w.section for w in ([] if corrected is None else windows_of(corrected))})
    sections = [
        (number, profile.contents[number]) for number in cited if number in profile.contents
    ]
    return {
        "case_id": found.case_id,
        "log_id": None if is_blind else log_id,
        "match_id": None if is_blind else match_id,
        "is_member": found.seat is not None,
        "member": None if found.seat is None else found.seat.member,
        "is_blind": found.is_blind,
        "rule_set": found.rule_set,
        "rule_title": profile.title,
        "through": through,
        "moment": moment,
        "board": None if at is None else _picture(at, names, t),
        "clock": [] if at is None else _clock(at, names, t),
        "windows": [] if corrected is None else _windows(corrected, names),
        "sections": sections,
        "lines": lines,
        "others": others,
        "words": [spoken(t, version, line, called) for version, line in sorted(words.items())],
        "shown_to": notes_on(t, showing_line(shown_to)) if through else [],
        "about": about,
        # What kind of ruling it was would tell a blind committee the first ruling.
        "against": None if is_blind else _against(found),
        "has_voted": found.seat is not None and found.seat.member in about.sealed,
        "why_not": why,
        "case": None if found.seat is not None else case_out(door, log_id, found.case_id),
    }


def _moment(found: Case, through: int) -> int:
    """The version of the disputed moment: what a dispute froze, else what the ruling came upon."""
    [filed] = [event for event in found.live.recorded if event.entry_id == found.case_id]
    against = version_of(found.live, target_of(filed))
    moment = against - 1
    for event in found.live.recorded[: max(0, against - 1)]:
        if isinstance(event.payload, DisputeRaised):
            frozen = version_of(found.live, event.payload.frozen_at)
            moment = frozen or event.version - 1
    return max(0, min(moment, through))


def _picture(at: Replay, names: BySeat[str], t: Texts) -> str:
    """The board as an address that holds it."""
    svg = board_svg(moment_of(at, names, t), names, has_pips=True)
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _clock(at: Replay, names: BySeat[str], t: Texts) -> list[str]:
    clock = at.state.clock
    if not clock.is_set:
        return []
    lines = []
    for seat in Seat:
        left = clock.reserve_ms[seat]
        if left is None:
            lines.append(t("case.clock_unknown", name=names[seat]))
            continue
        minutes, seconds = divmod(left // 1_000, 60)
        lines.append(t("case.clock_left", name=names[seat], left=f"{minutes}:{seconds:02}"))
    return lines


def _windows(shown: Replay, names: BySeat[str]) -> list[dict[str, object]]:
    versions = {step.event.entry_id: step.event.version for step in shown.steps}
    return [
        {
            "what": window.what.value,
            "version": versions[window.entry],
            "who": "" if window.seat is None else names[window.seat],
            "state": window.state.value,
            "until": window.until or "",
            "closed_by": versions.get(window.closed_by or ""),
            "section": window.section,
        }
        for window in windows_of(shown)
    ]


def _others(door: Door, found: Case, names: BySeat[str]) -> list[list[str]]:
    """What other scribes wrote down, each as far as this reader is shown it. Reads the store."""
    lines = []
    for stream in second_recorders(door.reading, found.log_id, found.match_id):
        live = door.reading.live(found.log_id, stream)
        last = live.version
        if found.seat is not None:
            last = showing_at_case(door, found.log_id, live).last
        lines.append(transcript(door.reading.replay(found.log_id, stream, at=last), names))
    return lines


def _against(found: Case) -> str:
    """The tag of what is appealed against."""
    [filed] = [event for event in found.live.recorded if event.entry_id == found.case_id]
    target = target_of(filed)
    return next((e.tag for e in found.live.recorded if e.entry_id == target), "")


def _report(door: Door, found: Case, t: Texts) -> list[tuple[str, str]]:
    """Description and reasons of a decision, line by line; whose ballot said what is not told."""
    about = found.appeal
    out = case_out(door, found.log_id, found.case_id)
    [filed] = [event for event in found.live.recorded if event.entry_id == found.case_id]
    decided = [
        event
        for event in found.live.recorded
        if isinstance(event.payload, AppealDecided)
        and event.payload.appeal in (None, found.case_id)
    ][-1]
    assert isinstance(decided.payload, AppealDecided)
    assert isinstance(filed.payload, AppealFiled)
    sd = [one for one in (filed.payload.ground, decided.payload.decision) if one is not None]
    values = door.reading.opened_values(found.log_id, sd)

    def text(personal: object) -> str:
        value = values.get(getattr(personal, "sd", ""))
        return str(getattr(value, "value", "")) or t("case.not_said")

    names = door.reading.names(found.log_id, found.live.replay.opened)
    section = "" if about.answer is None else about.answer.section
    return [
        (t("case.report_tournament"), title_of(door.reading, found.log_id) or found.log_id),
        (t("case.report_match"), f"{names.one} – {names.two} ({found.match_id})"),
        (t("case.rule_set"), f"{SHELF[found.rule_set].title} ({found.rule_set}) {section}"),
        (t("case.report_appellant"), names[filed.payload.seat]),
        (t("case.against"), f"{_against(found)}, {version_of(found.live, target_of(filed))}"),
        (t("case.report_ground"), text(filed.payload.ground)),
        (t("case.report_committee"), str(out.size)),
        (t("case.report_cast"), str(sum(one.has_voted for one in out.members))),
        (t("case.computed"), " ".join(filter(None, (out.outcome, out.result))) or t("case.open")),
        (t("case.announced"), str(out.announced)),
        (t("case.report_decision"), text(decided.payload.decision)),
        (t("case.hanging"), "; ".join(out.hanging) or t("case.none")),
    ]
