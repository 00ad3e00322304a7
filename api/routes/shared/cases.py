"""What every route and page of cases shares: who may read one, that it was read, its state."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, NamedTuple, TypeVar

from fastapi import Path
from starlette.requests import Request

from api.desk.cases import Case, case_in, log_of, members_of, openings_of, seat_of, seats_ever
from api.desk.entries import EntryIn
from api.desk.hand import Hand, hand_of
from api.html.entry_words import sentence
from api.html.texts import LANGUAGES, texts_of
from api.refusals import Problem
from api.routes.shared.door import Door, Visitor, door_of, visitor_of
from api.shapes.cases import CaseOpening, CaseOut, MemberOut
from events.envelope import TOURNAMENT_STREAM
from events.errors import ExpectedVersionMismatch, PremiseMoved, StoreBusy
from events.payloads.appeal import AppealDecided, AppealOutcome, DecisionReported
from events.payloads.base import Payload
from events.payloads.dispute import RulingMade
from events.payloads.ending import ClaimRuled
from events.payloads.penalty import PenaltyAssessed, PenaltyWaived
from events.store.protocol import Appended
from events.values import Seat
from projections.folding.findings import Key
from projections.folding.questions import key_of
from projections.folding.sayings import UNNAMED
from projections.folding.standing import target_of
from projections.judging.appeal_state import Appeal
from projections.rules.subjects.appeals import CHANGED, STANDS
from projections.views.attention import APPEAL, Attention, asked
from projections.views.lines import Line

CaseId = Annotated[
    str,
    Path(
        pattern="^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        description="Id of the case: the entry id of its `appeal.filed`.",
        examples=["c6bac56a-07ff-44ff-a7ce-fb8411ff825d"],
    ),
]


TRIES = 5
"""How often something is tried again while others write to the match of a case."""

READING_MS = 30 * 60_000
"""Milliseconds for which a reader's further visits at the desk count as the same opening."""


async def member_of(request: Request, case_id: str) -> tuple[Case, str]:
    """The case of a member who asks, and the id of the seat. Errors: Problem."""
    door = door_of(request)
    visitor = await visitor_of(door, request, None)
    token = visitor.token_sha256
    seat = None
    if token is not None:
        seat = await asyncio.to_thread(seat_of, door.reading, token, case_id)
    if seat is None:
        raise visitor.refusal("a seat in the committee of this case")
    found = await asyncio.to_thread(case_in, door.reading, seat.log_id, case_id, seat=seat)
    return found, seat.grant_id


async def reader_of(request: Request, case_id: str) -> tuple[Case, Visitor]:
    """The case of whoever may read it at its desk: a member, or who directs it. Errors: Problem."""
    door = door_of(request)
    visitor = await visitor_of(door, request, None)
    token = visitor.token_sha256
    if token is None:
        raise _refusal(visitor)
    seat = await asyncio.to_thread(seat_of, door.reading, token, case_id)
    if seat is not None:
        found = await asyncio.to_thread(case_in, door.reading, seat.log_id, case_id, seat=seat)
        if seat.member not in found.appeal.members:
            raise Problem(
                "not-permitted",
                "you have left this committee",
                needs="a seat in it",
                why=("left", {}),
                reason="case_left",
            )
        return found, Visitor(Hand([seat], is_at_case=True), token)
    for log_id in await asyncio.to_thread(lambda: list(log_of(door.reading, case_id))):
        hand = hand_of(await asyncio.to_thread(door.reading.accesses, log_id), token)
        if hand.may_append(log_id, TOURNAMENT_STREAM, "access.granted"):
            return await asyncio.to_thread(case_in, door.reading, log_id, case_id), Visitor(
                hand, token
            )
    raise _refusal(visitor)


def _refusal(visitor: Visitor) -> Problem:
    """Detail for visitors without a seat at the desk of a case; the page says whom it is for."""
    refused = visitor.refusal("a seat in the committee of this case")
    refused.more["reason"] = "case_desk"
    return refused


async def note_opening(door: Door, found: Case, visitor: Visitor, through: int) -> None:
    """Record that a reader opens the desk: once, for as long as he goes on reading.

    Where nothing is shown yet nothing was read. A member who is given more, by another issue, reads
    anew; who directs is shown every entry as it comes.
    """
    if not through:
        return
    shown = through if found.seat is not None else None
    key = (visitor.hand.recorded_by, found.case_id)
    async with door.at_case:
        now, last = door.archive.now_ms(), door.readers.get(key)
        if last is None or last[0] + READING_MS <= now or last[1] != shown:
            body = {
                "grant": visitor.hand.recorded_by,
                "match": found.match_id,
                "appeal": found.case_id,
                "through": through,
            }
            entry = EntryIn(door.archive.entry_id(), "access.case_opened", body)
            await door.desk.append(
                visitor.hand, found.log_id, TOURNAMENT_STREAM, [entry], expected_version=None
            )
        door.readers[key] = (now, shown)


def case_out(door: Door, log_id: str, case_id: str) -> CaseOut:
    """A case as its director sees it. Reads the store. Errors: Problem."""
    found = case_in(door.reading, log_id, case_id)
    about = found.appeal
    seats = seats_ever(door.reading, log_id, case_id)
    opened = openings_of(door.reading, log_id, case_id)
    in_force = {
        grant.member
        for grant in door.reading.access(log_id).grants.values()
        if grant.case == case_id
    }
    members = members_of(found)
    names = door.reading.texts(log_id, [one.name for one in members])
    result = about.result
    change = None if result is None else result.details.get("result")
    return CaseOut(
        case=case_id,
        match_id=found.match_id,
        version=about.version or 0,
        rule_set=found.rule_set,
        size=about.size,
        is_admitted=about.is_admitted,
        is_refused=about.is_refused,
        is_issued=about.is_issued,
        through=found.through or None,
        is_complete=about.is_complete,
        members=[
            MemberOut(
                member=one.member,
                name=None if one.name is None else names.get(one.name.sd),
                is_independent=one.independent,
                is_seated=one.member in in_force,
                opened=[
                    at.at_ms
                    for at in opened
                    if seats.get(at.grant) == one.member and at.at_ms is not None
                ],
                has_voted=one.member in about.sealed or one.member in about.ballots,
                vote=_vote(about, one.member),
                proposal=_proposal(about, one.member),
            )
            for one in members
            if one.member in about.members
        ],
        openings=[
            CaseOpening(at.grant, seats.get(at.grant), at.through, at.at_ms) for at in opened
        ],
        director=None if about.director is None else about.director.vote,
        outcome=None if result is None else result.outcome,
        result=None if change is None else str(change),
        announced=None if about.announced is None else about.announced.value,
        agrees=agrees(about),
        hanging=hanging(found),
        on=None if found.on is None else found.on.value,
        reported=reported_to(found),
    )


def reported_to(found: Case) -> list[str]:
    """Federations to which the decision was reported, as recorded."""
    return [
        event.payload.to
        for event in found.live.recorded
        if isinstance(event.payload, DecisionReported)
        and event.payload.appeal in (None, found.case_id)
    ]


def agrees(about: Appeal) -> bool | None:
    """Whether the announced outcome is what the ballots make; None while one is missing."""
    result = about.result
    if result is None or about.announced is None:
        return None
    if result.outcome == STANDS:
        return about.announced is AppealOutcome.UPHELD
    made = result.details.get("result")
    announced = {AppealOutcome.REVERSED: "reverse", AppealOutcome.MODIFIED: "modify"}
    return result.outcome == CHANGED and announced.get(about.announced) in (made or "reverse", made)


_Made = TypeVar("_Made")


class Hung(NamedTuple):
    """A question that hung on a case, and whether anybody still waits for an answer."""

    topic: str
    """The question's subject."""
    version: int
    """Entry at which it was asked."""
    said: Line
    """The question in words, as `Said.as_json` gives it."""
    why: str | None
    """Why it is open; None = it is closed."""
    section: str
    ambiguity: str | None


def hung_on(found: Case) -> list[Hung]:
    """Every question that hung on a case: asked about the appeal, or opened again by its outcome.

    The outcome closes what was asked about the appeal on the way to it, unless somebody has called
    or disputed since; what a reversed ruling had answered stays open until another ruling is made.
    """
    about, shown = found.appeal, found.live.replay
    listed = []
    events = {known.entry_id for known in about.asked.values()}
    again = _reopened(found)
    for one in asked(shown):
        finding, question = one.finding, one.finding.ruling_required
        assert question is not None, "the finding asks a question"
        is_about = question.topic.startswith(APPEAL) and finding.entry_id in events
        if not is_about and finding.key not in again:
            continue
        is_waiting = one.attention is Attention.ALARM or finding.key in again
        is_open = one.attention is not Attention.ANSWERED and is_waiting
        why = None
        if is_open:
            reason = finding.ambiguity or question.reason or "open"
            why = "reopened" if finding.key in again else reason
        listed.append(
            Hung(
                question.topic,
                finding.version,
                finding.said.as_json(),
                why,
                finding.section,
                finding.ambiguity,
            )
        )
    listed += [
        Hung("ruling", one.version, one.said.as_json(), "reopened", one.section, None)
        for one in shown.findings
        if one.code == "ruling-reversed" and _still_reversed(found, one.version)
    ]
    return listed


def _reversing(found: Case) -> tuple[Payload, int] | None:
    """What was reversed or modified, and by which entry; None if the ruling stands."""
    outcome = found.appeal.announced
    if outcome is None or outcome is AppealOutcome.UPHELD:
        return None
    by_id = {event.entry_id: event for event in found.live.recorded}
    filed = by_id.get(found.case_id)
    against = None if filed is None else by_id.get(target_of(filed) or "")
    decided = [
        event.version
        for event in found.live.recorded
        if isinstance(event.payload, AppealDecided)
        and event.payload.appeal in (None, found.case_id)
    ]
    return None if against is None or not decided else (against.payload, decided[-1])


def _reopened(found: Case) -> set[Key]:
    """Questions that the reversed ruling answered, and that no ruling has answered since."""
    known = _reversing(found)
    if known is None or not isinstance(known[0], RulingMade):
        return set()
    answered = {key_of(answer.question) for answer in known[0].answers}
    for event in found.live.recorded:
        if event.version > known[1] and isinstance(event.payload, RulingMade):
            answered -= {key_of(answer.question) for answer in event.payload.answers}
    return answered


def _still_reversed(found: Case, version: int) -> bool:
    """Whether the question that the announcement at this entry opened again is still open."""
    known = _reversing(found)
    if known is None or known[1] != version:
        return False
    payload, decided = known
    later = [event.payload for event in found.live.recorded if event.version > decided]
    match payload:
        case RulingMade():
            return bool(_reopened(found))
        case ClaimRuled():
            return not any(isinstance(one, ClaimRuled) for one in later)
        case PenaltyAssessed():
            return not any(isinstance(one, PenaltyWaived) for one in later)
        case _:
            return True


def hanging(found: Case) -> list[str]:
    """Questions of a case that are open, each with why; none once all is answered."""
    return [
        f"{one.topic}: {one.why}, {one.section}" if one.topic != "ruling" else _in_english(one.said)
        for one in hung_on(found)
        if one.why is not None
    ]


def _in_english(said: Line) -> str:
    return sentence(texts_of(LANGUAGES[0]), said, {seat.value: UNNAMED[seat] for seat in Seat})


def _vote(about: Appeal, member: str) -> str | None:
    ballot = about.ballots.get(member)
    return None if ballot is None else ballot.vote


def _proposal(about: Appeal, member: str) -> str | None:
    ballot = about.ballots.get(member)
    return None if ballot is None else ballot.proposal


async def retried(attempt: Callable[[], Awaitable[_Made]]) -> _Made:
    """What is read of a case and then appended to its match, anew while others write to it, or
    while grants change.

    Errors: StoreBusy.
    """
    for _ in range(TRIES):
        with contextlib.suppress(ExpectedVersionMismatch, PremiseMoved):
            return await attempt()
    raise StoreBusy("others are writing to the match: send the same again in a moment")


async def append_to(door: Door, hand: Hand, found: Case, entries: Sequence[EntryIn]) -> Appended:
    """Append to the match of a case, as it stands."""
    return await door.desk.append(
        hand, found.log_id, found.match_id, entries, expected_version=found.live.version
    )
