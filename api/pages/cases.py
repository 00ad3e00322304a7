"""The desk of a case: what the committee may see, its ballots, and the report of the decision."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.responses import RedirectResponse

from api.archive.openings import names_of
from api.archive.tournaments import title_of
from api.archive.words import words_lines
from api.desk.cases import Case, case_in, cases_of_log, convening_of, members_of, seat_of
from api.desk.hand import Hand
from api.html.entry_words import sentence, word
from api.html.templates import HEADERS, Values, page, rendered
from api.html.texts import Texts, language_of, texts_of
from api.pages.case_shown import CaseMoment, names_in, showing_for, shown_values
from api.refusals import Problem
from api.routes.shared.cases import case_out, hung_on, note_opening, reader_of
from api.routes.shared.cookie import csrf_for
from api.routes.shared.door import Door, door_of, visitor_of
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, RecordedEvent
from events.payloads.appeal import AppealDecided, AppealFiled
from events.payloads.base import Payload
from events.payloads.dispute import RulingMade
from events.values import Seat
from projections.folding.standing import target_of
from projections.judging.ballots import why_not_sealed
from projections.rules.shelf import SHELF
from projections.views.showing import Reader, showing

CaseId = Annotated[str, Path(pattern="^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]

At = Annotated[int | None, Query(ge=0, description="Show the case after this version.")]
Record = Annotated[
    Literal["recorded", "corrected"] | None, Query(description="As written first, or as corrected.")
]

router = APIRouter(include_in_schema=False)

_PRIVATE = {"Cache-Control": "private, no-store"}


@router.get("/cases")
async def cases(request: Request) -> Response:
    """The list of cases that the visitor may open, as a member or as the director."""
    door = door_of(request)
    visitor = await visitor_of(door, request, None)
    token = visitor.token_sha256
    if token is None:
        return RedirectResponse("/session?next=/cases", 303)
    found = await asyncio.to_thread(_cases_of, door, token)
    return await page(request, "cases.html", headers=_PRIVATE, cases=found, csrf=csrf_for(request))


@router.get("/cases/{case}")
async def desk(request: Request, case: CaseId, at: At = None, record: Record = None) -> Response:
    """The desk of one case; opening it is recorded before anything is shown."""
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
    values = await asyncio.to_thread(
        _desk, door, found, shown, CaseMoment(at, as_recorded=record == "recorded"), t
    )
    text = await asyncio.to_thread(
        rendered, request, "case.html", **{**values, "csrf": csrf_for(request)}
    )
    return Response(text.encode(), 200, {**HEADERS, **_PRIVATE}, "text/html")


@router.get("/cases/{case}/report")
async def report(request: Request, case: CaseId) -> Response:
    """The report of a decided case for a federation (wbgf-2.1 5.5), as a page."""
    _, values = await _report_of(request, case)
    return await page(
        request, "case_report.html", headers=_PRIVATE, csrf=csrf_for(request), lines=values
    )


@router.get("/cases/{case}/report.txt")
async def report_file(request: Request, case: CaseId) -> Response:
    """The report as a file."""
    t, lines = await _report_of(request, case)
    text = "\n".join([t("case.report"), "", *(f"{name}: {value}" for name, value in lines), ""])
    headers = {**_PRIVATE, "Content-Disposition": f'attachment; filename="case-{case[:8]}.txt"'}
    return Response(text, 200, headers, "text/plain; charset=utf-8")


async def _report_of(request: Request, case_id: str) -> tuple[Texts, list[tuple[str, str]]]:
    found, _ = await reader_of(request, case_id)
    t = texts_of(language_of(request))
    if found.seat is not None:
        detail = "the report is for the director alone"
        raise Problem("not-permitted", detail, needs="director of the log", reason="case_report")
    if found.appeal.announced is None:
        detail = "the outcome is not announced: there is nothing to report"
        raise Problem("case-conflict", detail, why=("no_report", {}), reason="case_no_report")
    return t, await asyncio.to_thread(_report, door_of(request), found, t)


def _cases_of(door: Door, token: str) -> list[dict[str, str]]:
    """Cases by id, with their titles. Reads the store."""
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
        for case in cases_of_log(door.reading, head.log_id):
            names = names_of(door.reading, head.log_id, case.live.replay.opened)
            match = f"{names.one} – {names.two}"
            listed.append({"id": case.case_id, "title": title, "match": match})
    return listed


def _shown_through(found: Case) -> int:
    """The last version that the reader may see: for directors the last, else what was issued."""
    return found.live.version if found.seat is None else found.through


def _desk(door: Door, found: Case, through: int, asked: CaseMoment, t: Texts) -> Values:
    shown = shown_values(door, found, through, asked, t)
    shown_to = showing_for(door, found, through)
    is_blind, names = shown_to.hides_players, names_in(door, found, shown_to, t)
    about, profile = found.appeal, SHELF[found.rule_set]
    people = {seat.value: names[seat] for seat in Seat}
    why = None
    out = None
    if found.seat is None:
        out = case_out(door, found.log_id, found.case_id)
    elif found.seat.member is not None:
        said = why_not_sealed(about, found.seat.member, found.seat.grant_id)
        why = None if said is None else sentence(t, said.as_json(), {})
    return {
        **shown,
        "case_id": found.case_id,
        "log_id": None if is_blind else found.log_id,
        "match_id": None if is_blind else found.match_id,
        "is_member": found.seat is not None,
        "seat": None if found.seat is None else found.seat.grant_id,
        "is_blind": found.is_blind,
        "kept_back": "case.blind" if found.is_cut else "case.blind_players",
        "rule_set": found.rule_set,
        "rule_title": profile.title,
        "about": about,
        # The kind of ruling would reveal the first ruling to a blind committee.
        "against": None if is_blind else _against(found, t),
        "on": None if found.on is None else found.on.value,
        "has_voted": found.seat is not None and found.seat.member in about.sealed,
        "why_not": why,
        "convening": None if found.seat is not None else convening_of(found),
        "hung": [] if found.seat is not None else _hung(found, people, t),
        "notes": [] if found.seat is not None else _notes(found, people, t),
        "case": out,
        "opened": [] if out is None else [_utc(one.opened_at) for one in out.openings],
        "member_names": {} if out is None else {m.member: m.name or m.member for m in out.members},
        "admission_section": "" if about.answer is None else about.answer.section,
        "names_by": people,
        "computed": "" if out is None else _outcome(out.outcome, out.result, t),
    }


def _utc(at_ms: int | None) -> str:
    """A time as text; a script replaces it by the reader's local time."""
    if at_ms is None:
        return ""
    return f"{datetime.fromtimestamp(at_ms / 1_000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _against(found: Case, t: Texts) -> str:
    """The decision appealed against, in words, with its version."""
    [filed] = [event for event in found.live.recorded if event.entry_id == found.case_id]
    against = next((one for one in found.live.recorded if one.entry_id == target_of(filed)), None)
    if against is None:
        return t("case.against_nothing")
    key = f"entry.{against.tag}.name"
    name = t(key) if t.has(key) else against.tag
    return t("case.against_entry", what=name, n=against.version)


_ABOUT_A_CASE = frozenset(
    {
        *("appeal-admissibility", "appeal-refused", "appeal-committee", "member-not-independent"),
        *("ballot-not-counted", "ballots-missing"),
        *("appeal-outcome", "appeal-settled", "appeal-differs"),
    }
)
"""Codes of findings about an appeal and its committee."""


def _notes(found: Case, names: Mapping[str, str], t: Texts) -> list[Values]:
    """The findings about the case since it was filed, in words, with the section cited."""
    since = found.appeal.version or 0
    return [
        {
            "version": one.version,
            "words": sentence(t, one.said.as_json(), names),
            "section": one.section,
        }
        for one in found.live.replay.findings
        if one.code in _ABOUT_A_CASE and one.version >= since
    ]


def _report(door: Door, found: Case, t: Texts) -> list[tuple[str, str]]:
    """The description and reasons of a decision, line by line, without who voted how."""
    live, about = found.live, found.appeal
    out = case_out(door, found.log_id, found.case_id)
    filed = _entry(found, AppealFiled)[-1]
    decided = _entry(found, AppealDecided)[-1]
    ruled = next((one for one in live.recorded if one.entry_id == target_of(filed)), None)
    assert isinstance(filed.payload, AppealFiled)
    assert isinstance(decided.payload, AppealDecided)
    shown_to = showing(live.replay, Reader.DIRECTOR)
    words = words_lines(door.reading, found.log_id, found.match_id, live.replay, shown_to)
    names = names_of(door.reading, found.log_id, live.replay.opened)

    def said(version: int, *kinds: str) -> str:
        told = words.get(version, {"words": []})["words"]
        texts = [one["text"] for one in told if one["kind"] in kinds and one["text"]]
        return " ".join(texts) or t("case.not_said")

    rules = live.replay.rules.profile
    section = "" if about.answer is None else f", {about.answer.section}"
    lines = [
        (t("case.report_tournament"), title_of(door.reading, found.log_id) or t("case.not_said")),
        (t("case.report_match"), f"{names.one} – {names.two}"),
        (t("case.rule_set"), f"{rules.title}{section}"),
        (t("case.report_appellant"), names[filed.payload.seat]),
        (t("case.report_on"), _on(found, t)),
        (t("case.against"), _against(found, t)),
    ]
    if ruled is not None and isinstance(ruled.payload, RulingMade):
        cited = "; ".join(f"{one.rule_set} {one.section}" for one in ruled.payload.references)
        lines += [
            (t("case.report_facts"), said(ruled.version, "facts")),
            (t("case.report_ruling"), said(ruled.version, "decision", "intended_action")),
            (t("case.report_cited"), cited or t("case.not_said")),
        ]
    hung = _hung(found, {seat.value: names[seat] for seat in Seat}, t)
    lines += [
        (t("case.report_ground"), said(filed.version, "ground")),
        (t("case.report_committee"), _committee(door, found, t)),
        (t("case.report_cast"), _cast(found, t)),
        (t("case.computed"), _outcome(out.outcome, out.result, t)),
        (t("case.announced"), t(f"case.outcome_{out.announced}")),
        (t("case.report_decision"), said(decided.version, "decision")),
        (t("case.hanging"), "; ".join(str(one["words"]) for one in hung if one["why"])),
        (t("case.report_to"), "; ".join(out.reported)),
    ]
    return [(name, value or t("case.none")) for name, value in lines]


def _entry(found: Case, kind: type[Payload]) -> list[RecordedEvent]:
    """Entries of a kind that are about this case, in order; those that name no case only where
    none names this one: a match may have several.
    """
    every = [event for event in found.live.recorded if isinstance(event.payload, kind)]
    own = [
        event
        for event in every
        if found.case_id in (event.entry_id, getattr(event.payload, "appeal", ""))
    ]
    return own or [event for event in every if getattr(event.payload, "appeal", "") is None]


def _on(found: Case, t: Texts) -> str:
    return t("case.not_said") if found.on is None else t(f"case.on_{found.on.value}")


def _committee(door: Door, found: Case, t: Texts) -> str:
    """The members, by name if it is known, and whether they had an interest in the outcome."""
    members = [one for one in members_of(found) if one.member in found.appeal.members]
    names = door.reading.texts(found.log_id, [one.name for one in members])
    told = []
    for one in members:
        name = None if one.name is None else names.get(one.name.sd)
        name = t("case.unnamed") if name is None else name
        state = {True: "independent_yes", False: "independent_no", None: "independent_unasked"}
        told.append(f"{name} ({t('case.' + state[one.independent])})")
    return "; ".join(told) or t("case.members_n", n=found.appeal.size)


def _cast(found: Case, t: Texts) -> str:
    """The number of ballots for each outcome, without who cast them."""
    counts = Counter(ballot.vote for ballot in found.appeal.ballots.values())
    told = [f"{t('case.vote_' + vote)}: {count}" for vote, count in sorted(counts.items())]
    if found.appeal.director is not None:
        told.append(t("case.director_voted", vote=t(f"case.vote_{found.appeal.director.vote}")))
    return "; ".join(told)


def _outcome(outcome: str | None, result: str | None, t: Texts) -> str:
    if outcome is None:
        return t("case.open")
    told = word(t, outcome)
    return told if result is None else f"{told} ({word(t, result)})"


def _hung(found: Case, people: Mapping[str, str], t: Texts) -> list[Values]:
    """All questions of the case in words; open ones with the reason."""
    told: list[Values] = []
    for one in hung_on(found):
        why = None
        if one.why is not None:
            key = "case.reopened" if one.why == "reopened" else f"case.why_{one.why}"
            why = t(key) if t.has(key) else word(t, one.why)
        told.append(
            {
                "words": sentence(t, one.said, people),
                "version": one.version,
                "why": why,
                "section": one.section,
            }
        )
    return told
