"""Ballots of a committee: cast under seal, opened with the last one; members who step down.

A member's code gives access to one case and nothing else. Members vote only by the routes here,
which check a ballot against the case first: one that cannot count is refused, with the reason.
"""

from __future__ import annotations

import asyncio

import msgspec
from fastapi import APIRouter, Request, Response
from msgspec.structs import replace

from api.desk.ballot_box import ClosedBallot, fresh_salt
from api.desk.cases import Case, openings
from api.desk.entries import EntryIn
from api.desk.hand import Hand, hand_at_case
from api.html.entry_words import sentence
from api.html.texts import Texts, language_of, texts_of
from api.refusals import Problem
from api.routes.shared.cases import CaseId, append_to, member_of, retried
from api.routes.shared.door import NO_STORE, Door, door_of, json_answer
from api.routes.shared.requests import parsed
from api.shapes.cases import BallotTaken
from api.shapes.cases import SteppedDown as SteppedDownOut
from api.shapes.documented import documented
from events.errors import BadInput, OutcomeUnknown
from events.payloads.appeal import Vote
from events.values import Text, Word
from projections.judging.appeal_state import Appeal, Sealed
from projections.judging.ballots import commitment_to, why_not_sealed

router = APIRouter(tags=["cases"])


class SealBallot(msgspec.Struct, forbid_unknown_fields=True):
    """A member's ballot."""

    vote: Vote
    """The ballot."""
    proposal: Word | None = None
    """Which modification, if it is one."""


class RecuseMember(msgspec.Struct, forbid_unknown_fields=True):
    """A member steps down."""

    reason: Text | None = None
    """Why."""


@router.post(
    "/cases/{case}/ballots",
    status_code=201,
    operation_id="appendBallot",
    summary="Vote",
    **documented(BallotTaken, writes=True, problems=(404, 409)),
)
async def seal_ballot(request: Request, case: CaseId) -> Response:
    """A member of the committee votes on this case; only a salted hash of the ballot is recorded.

    Until all ballots are in, a later ballot of the same seat replaces it. The last ballot opens
    all of them; after that no ballot is accepted.
    """
    door = door_of(request)
    body = await parsed(request, SealBallot)
    if body.proposal is not None and body.vote is not Vote.MODIFY:
        raise BadInput("a proposal goes with a ballot to modify", where="$.proposal")

    async def attempt() -> BallotTaken:
        found, seat_id = await member_of(request, case)
        return await _seal(door, found, seat_id, body, texts_of(language_of(request)))

    async with door.at_case:
        value = await retried(attempt)
    return json_answer(value, 201, headers=NO_STORE)


@router.post(
    "/cases/{case}/recusal",
    status_code=201,
    operation_id="endSeat",
    summary="Step down from a committee",
    **documented(SteppedDownOut, writes=True, problems=(404, 409)),
)
async def recuse_member(request: Request, case: CaseId) -> Response:
    """A member leaves the committee. His ballot no longer counts; the others vote without him."""
    door = door_of(request)
    body = await parsed(request, RecuseMember)

    async def attempt() -> SteppedDownOut:
        found, _seat_id = await member_of(request, case)
        return await _recuse(door, found, body, texts_of(language_of(request)))

    async with door.at_case:
        value = await retried(attempt)
    return json_answer(value, 201, headers=NO_STORE)


async def _seal(door: Door, found: Case, seat_id: str, body: SealBallot, t: Texts) -> BallotTaken:
    about, seat = found.appeal, found.seat
    assert seat is not None, "a member asks"
    assert seat.member is not None, "a seat is somebody's"
    if about.is_refused:
        detail = "the appeal was refused: there is nothing to vote on"
        raise Problem("ballot-refused", detail, told=t("case.refused_appeal"))
    why = why_not_sealed(about, seat.member, seat_id)
    if why is not None:
        detail = f"{seat.member} votes {why}: the ballot is not accepted"
        told = t("case.refused_ballot", why=sentence(t, why.as_json(), {}))
        raise Problem("ballot-refused", detail, told=told)
    salt = fresh_salt(door.archive.entropy)
    says = ClosedBallot(body.vote.value, body.proposal, salt)
    commitment = commitment_to(says.vote, says.proposal, salt)
    entry = EntryIn(
        door.archive.entry_id(),
        "vote.sealed",
        {
            "target": found.case_id,
            "member": seat.member,
            "grant": seat_id,
            "commitment": commitment,
        },
    )
    before = about.sealed.get(seat.member)
    sealed = {**about.sealed, seat.member: Sealed(entry.entry_id, seat_id, commitment)}
    now = replace(about, sealed=sealed)
    await asyncio.to_thread(door.box.put, entry.entry_id, says)
    try:
        opened = await asyncio.to_thread(_opened, door, now, t)
        appended = await append_to(door, _at_case(door, found), found, [entry, *opened])
    except OutcomeUnknown:
        raise  # it may stay, and then this is the only place where its content is stored
    except Exception:
        await asyncio.to_thread(door.box.drop, entry.entry_id)
        raise
    gone = [one.entry_id for one in sealed.values()] if opened else []
    for entry_id in [*gone, *([] if before is None else [before.entry_id])]:
        await asyncio.to_thread(door.box.drop, entry_id)
    return BallotTaken(
        entry_id=entry.entry_id,
        version=appended.events[0].version,
        commitment=commitment,
        replaces=None if before is None else before.entry_id,
        is_complete=bool(opened),
    )


def _opened(door: Door, about: Appeal, t: Texts) -> list[EntryIn]:
    """The entries that open all ballots, once all are in. Errors: Problem, if one is lost."""
    if not about.is_complete:
        return []
    made = openings(door.archive, door.box, list(about.sealed.items()))
    if made is None:
        why = "what an earlier ballot says is lost with the server's files: convene anew"
        raise Problem("case-conflict", why, told=t("case.refused_lost"))
    return made


async def _recuse(door: Door, found: Case, body: RecuseMember, t: Texts) -> SteppedDownOut:
    about, seat = found.appeal, found.seat
    assert seat is not None, "a member asks"
    assert seat.member is not None, "a seat is somebody's"
    if seat.member not in about.members:
        raise Problem("case-conflict", "you have left this committee", why=("left", {}))
    if about.announced or (about.is_complete and about.ballots):
        detail = "every ballot is in and opened: nobody steps down any more"
        raise Problem("case-conflict", detail, told=t("case.refused_recusal"))
    said = {"member": seat.member, **({} if body.reason is None else {"reason": body.reason})}
    entry = EntryIn(door.archive.entry_id(), "committee.member_recused", said)
    sealed = {name: one for name, one in about.sealed.items() if name != seat.member}
    opened = await asyncio.to_thread(
        _opened, door, replace(about, size=about.size - 1, sealed=sealed), t
    )
    appended = await append_to(door, _at_case(door, found), found, [entry, *opened])
    gone = about.sealed.values() if opened else [about.sealed.get(seat.member)]
    for one in gone:
        if one is not None:
            await asyncio.to_thread(door.box.drop, one.entry_id)
    return SteppedDownOut(entry_id=entry.entry_id, version=appended.events[0].version)


def _at_case(door: Door, found: Case) -> Hand:
    assert found.seat is not None, "a member asks"
    return hand_at_case(door.reading.access_at_hand(found.log_id), found.seat)
