"""Cases for the director: committees convened, cases issued to them, and read."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Request, Response

from api.archive.words import recorders_in
from api.desk.cases import (
    MEMBERS_AT_MOST,
    Case,
    case_in,
    convening_of,
    cut_of,
    folded,
    members_of,
    next_member,
    version_of,
)
from api.desk.entries import EntryIn
from api.desk.hand import Hand
from api.desk.invitations import Invitation
from api.desk.pairing import spaced
from api.html.entry_words import sentence
from api.html.texts import Texts, language_of, texts_of
from api.refusals import Problem
from api.routes.shared.cases import (
    CaseId,
    append_to,
    case_out,
    retried,
)
from api.routes.shared.directors import director_of
from api.routes.shared.door import NO_STORE, Door, LogId, Visitor, door_of, json_answer
from api.routes.shared.reach import origin_of_hall, scanned
from api.routes.shared.requests import parsed
from api.shapes.cases import CaseOut, Convened, SeatCode
from api.shapes.documented import documented
from events.catalogue import read
from events.envelope import TOURNAMENT_STREAM
from events.payloads.access import AccessGranted, Role
from events.payloads.appeal import CommitteeConvened
from events.values import EntryId, Word
from projections.folding.findings import Finding
from projections.folding.standing import target_of
from projections.views.showing import Reader, showing

router = APIRouter(tags=["cases"])


class Sitting(msgspec.Struct, forbid_unknown_fields=True):
    """A person who is called into a committee."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    """The person's name."""
    independent: bool | None = None
    """Whether the person has no interest in the outcome; null = not asked."""


class ConveneCommittee(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to convene a committee."""

    members: Annotated[tuple[Sitting, ...], msgspec.Meta(min_length=1, max_length=MEMBERS_AT_MOST)]
    """The members of the committee."""
    entry_id: EntryId | None = None
    """Id for the entry `committee.convened`; repeat it to send the same request again.
    null = the server makes one."""


class OpenSeatCode(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request for a new code for a member."""

    member: Word
    """The member's id in the committee."""


class IssueCase(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to issue a case to its committee."""

    hides_score: bool = False
    """Whether to withhold the score and earlier games, which could reveal the players; only if the
    rule set keeps the players secret."""


@router.post(
    "/logs/{log}/cases/{case}/committee",
    status_code=201,
    operation_id="openCommittee",
    summary="Convene a committee",
    **documented(Convened, writes=True, problems=(404, 409)),
)
async def convene_committee(request: Request, log: LogId, case: CaseId) -> Response:
    """Each member gets a code for this case alone; seats of an earlier committee end.

    Refused are: one name twice, a player of the match, the director who asks and the one who ruled.
    Other demands of the rule set are reported in `notes`; the director decides about them.
    """
    door = door_of(request)
    visitor = await director_of(request, log)
    body = await parsed(request, ConveneCommittee)
    async with door.at_case:
        found, members, version = await retried(lambda: _convened(door, visitor, log, case, body))
    live = await asyncio.to_thread(door.reading.live, log, found.match_id)
    value = Convened(
        case=case,
        version=version,
        rule_set=found.rule_set,
        anonymised=found.is_blind,
        notes=_notes(found, live.replay.findings, version, body.members, _texts(request)),
        codes=[
            _code(
                door, request, _invited(door, visitor, found, str(one["member"]), str(one["name"]))
            )
            for one in members
        ],
    )
    return json_answer(value, 201, headers=NO_STORE)


@router.post(
    "/logs/{log}/cases/{case}/codes",
    status_code=201,
    operation_id="openSeatCode",
    summary="Make a new code for a member",
    **documented(SeatCode, writes=True, problems=(404, 409)),
)
async def open_seat_code(request: Request, log: LogId, case: CaseId) -> Response:
    """For a member whose code has expired, or who has lost the browser session.

    When the new code is used, the member's earlier grant ends; a ballot cast with it still counts.
    """
    door = door_of(request)
    visitor = await director_of(request, log)
    body = await parsed(request, OpenSeatCode)
    found = await asyncio.to_thread(case_in, door.reading, log, case)
    if body.member not in found.appeal.members:
        detail = "no member of the committee has this name"
        raise Problem("bad-input", detail, where="$.member", why=("no_member", {}))
    name = await asyncio.to_thread(_name_of, door, found, body.member)
    made = _invited(door, visitor, found, body.member, name or body.member)
    return json_answer(_code(door, request, made), 201, headers=NO_STORE)


@router.post(
    "/logs/{log}/cases/{case}/issue",
    status_code=201,
    operation_id="grantCase",
    summary="Issue a case to its committee",
    **documented(CaseOut, writes=True, problems=(404, 409)),
)
async def issue_case(request: Request, log: LogId, case: CaseId) -> Response:
    """From now on members may vote. They are shown the match as it stands now or, if the rule set
    keeps the first ruling from them, as it stood before it. Issuing again shows them more.
    """
    door = door_of(request)
    visitor = await director_of(request, log)
    order = await parsed(request, IssueCase)
    async with door.at_case:
        await retried(lambda: _issued(door, visitor, log, case, order))
    value = await asyncio.to_thread(case_out, door, log, case)
    return json_answer(value, 201, headers=NO_STORE)


@router.get(
    "/logs/{log}/cases/{case}",
    operation_id="getCase",
    summary="Read a case as its director",
    **documented(CaseOut, problems=(404,)),
)
async def get_case(request: Request, log: LogId, case: CaseId) -> Response:
    """Members, their views of the case, whose ballots are in, and computed and announced outcome.

    Votes are shown once all ballots are in; before that, the director does not see them either.
    """
    await director_of(request, log)
    value = await asyncio.to_thread(case_out, door_of(request), log, case)
    return json_answer(value, headers=NO_STORE)


async def _issued(door: Door, visitor: Visitor, log: str, case: str, order: IssueCase) -> None:
    found = await asyncio.to_thread(case_in, door.reading, log, case)
    _check_open(found)
    if not found.appeal.members:
        detail = "no committee is convened: convene one first"
        raise Problem("case-conflict", detail, why=("no_committee", {}))
    if found.appeal.is_complete:
        detail = "every ballot is in: nothing can be shown any more"
        raise Problem("case-conflict", detail, why=("all_voted", {}))
    if order.hides_score and not found.is_blind:
        detail = f"{found.rule_set} keeps from no committee who plays: the score is shown"
        called = ("score_is_shown", {"rules": _called(found)})
        raise Problem("bad-input", detail, where="$.hides_score", why=called)
    body: dict[str, object] = {
        "target": case,
        "through": cut_of(found),
        "profile": found.rule_set,
    }
    if order.hides_score:
        body["hides_score"] = True
    await append_to(door, visitor.hand, found, [_entry(door, "appeal.issued", body)])


def _check_open(found: Case) -> None:
    if found.appeal.is_refused:
        detail = "the appeal was refused: there is no case"
        raise Problem("case-conflict", detail, why=("no_case", {}))
    if found.appeal.announced:
        detail = "the outcome is announced: the case is closed"
        raise Problem("case-conflict", detail, why=("case_closed", {}))


def _check_convening(found: Case) -> None:
    _check_open(found)
    if found.appeal.is_admitted is False:
        section = "" if found.appeal.answer is None else f" ({found.appeal.answer.section})"
        detail = f"{found.rule_set}{section} does not admit this appeal"
        said: dict[str, object] = {"rules": _called(found), "section": section}
        raise Problem("case-conflict", detail, why=("not_admitted", said))
    if found.appeal.ballots:
        detail = "ballots are opened: this committee has decided"
        raise Problem("case-conflict", detail, why=("has_decided", {}))


async def _convened(
    door: Door, visitor: Visitor, log: str, case: str, body: ConveneCommittee
) -> tuple[Case, list[dict[str, object]], int]:
    """The case as it was, the members of the new committee, and the version of its entry."""
    found = await asyncio.to_thread(case_in, door.reading, log, case)
    _check_convening(found)
    again = await asyncio.to_thread(_convened_before, door, found, body)
    if again is not None:
        await _end_seats(door, visitor.hand, found, {one.member for one in members_of(found)})
        return found, *again
    sitting = body.members
    await asyncio.to_thread(_check_sitting, door, visitor, found, sitting)
    members: list[dict[str, object]] = [
        {
            "member": f"m{number}",
            "name": one.name.strip(),
            **({} if one.independent is None else {"independent": one.independent}),
        }
        for number, one in enumerate(sitting, next_member(found.live))
    ]
    convened = {
        "size": len(members),
        "members": members,
        "appeal": case,
        "anonymised": found.is_blind,
    }
    entry_id = body.entry_id or door.archive.entry_id()
    entry = EntryIn(entry_id, "committee.convened", convened)
    appended = await append_to(door, visitor.hand, found, [entry])
    await _end_seats(door, visitor.hand, found, {str(one["member"]) for one in members})
    return found, members, appended.events[-1].version


def _convened_before(
    door: Door, found: Case, body: ConveneCommittee
) -> tuple[list[dict[str, object]], int] | None:
    """The result of the same call made before, if its answer did not arrive. Reads the store."""
    recorded = (one for one in found.live.recorded if one.entry_id == body.entry_id)
    event = next(recorded, None)
    if event is None or not isinstance(event.payload, CommitteeConvened):
        return None
    sat = event.payload.members
    texts = door.reading.texts(found.log_id, [one.name for one in sat])
    names = [None if one.name is None else texts.get(one.name.sd) for one in sat]
    called = [(one.name.strip(), one.independent) for one in body.members]
    same = called == [(name, one.independent) for name, one in zip(names, sat, strict=True)]
    if event.payload.appeal != found.case_id or not same:
        return None  # another call, which the ledger refuses under this id
    members: list[dict[str, object]] = [
        {"member": one.member, "name": name} for name, one in zip(names, sat, strict=True)
    ]
    return members, event.version


def _check_sitting(door: Door, visitor: Visitor, found: Case, members: Sequence[Sitting]) -> None:
    """Refuse who may not sit: a player of the match, the director who asks, a name twice."""
    opened = found.live.replay.opened
    players = [] if opened is None else [*opened.players.one, *opened.players.two]
    names = door.reading.texts(found.log_id, [player.name for player in players])
    barred = {folded(name): "plays" for name in names.values()}
    for name in (*_holders(door, visitor, found.log_id), *_rulers(door, found)):
        barred.setdefault(folded(name), "rules")
    seen: set[str] = set()
    for index, one in enumerate(members):
        name, where = folded(one.name), f"$.members[{index}].name"
        if not name:
            raise Problem(
                "bad-input", "the name of the member is empty", where=where, why=("say_who", {})
            )
        if name in seen:
            detail = "nobody can be named twice as a member of a committee"
            raise Problem("bad-input", detail, where=where, why=("two_seats", {}))
        if name in barred:
            detail = f"this name {_BARRED[barred[name]]}"
            called = one.name.strip()
            raise Problem("bad-input", detail, where=where, why=(barred[name], {"name": called}))
        seen.add(name)


_BARRED = {
    "plays": "is that of a player of this match, who cannot be a member of a committee on it",
    "rules": "is that of a director of the match, who cannot judge a ruling on it",
}
"""Why somebody may not sit."""


def _called(found: Case) -> str:
    """The name of a case's rule set."""
    return found.live.replay.rules.profile.title


def _holders(door: Door, visitor: Visitor, log_id: str) -> list[str]:
    """The holders' names in the grants by which a director asks. Reads the store."""
    ids = [grant.grant_id for grant in visitor.hand.grants if grant.log_id == log_id]
    rows = door.archive.store.find_entries(log_id, ids)
    granted = [read(row).payload for row in rows.values()]
    holders = [one.holder for one in granted if isinstance(one, AccessGranted)]
    return list(door.reading.texts(log_id, holders).values())


def _rulers(door: Door, found: Case) -> list[str]:
    """Who recorded the decision appealed against: nobody judges a ruling of their own."""
    live = found.live
    by_id = {event.entry_id: event for event in live.recorded}
    ruled = by_id.get(target_of(by_id[found.case_id]) or "")
    if ruled is None or not version_of(live, ruled.entry_id):
        return []
    shown_to = showing(live.replay, Reader.DIRECTOR)
    lines = recorders_in(door.reading, found.log_id, live.replay, shown_to, [ruled])
    return [
        str(one["name"])
        for one in lines.values()
        if one is not None and one["name"] is not None and one["role"] in _RULES
    ]


_RULES = frozenset({Role.DIRECTOR.value, Role.ARCHIVIST.value})
"""Roles of those who rule; a scribe may have written down a ruling of somebody else."""


def _texts(request: Request) -> Texts:
    return texts_of(language_of(request))


def _notes(
    found: Case, findings: Sequence[Finding], version: int, members: Sequence[Sitting], t: Texts
) -> list[str]:
    """Findings about a committee, and what was not asked, in the reader's language."""
    notes = [sentence(t, one.said.as_json(), {}) for one in findings if one.version == version]
    unasked = [one.name.strip() for one in members if one.independent is None]
    wanted = convening_of(found)
    if unasked and wanted.knows:
        names = ", ".join(unasked)
        notes.append(t("case.note_unasked", names=names, section=wanted.section))
    return notes


async def _end_seats(door: Door, hand: Hand, found: Case, sitting: Collection[str]) -> None:
    """End the seats of members of an earlier committee of the case."""
    access = await asyncio.to_thread(door.reading.access, found.log_id)
    entries = [
        EntryIn(door.archive.entry_id(), "access.revoked", {"target": grant.grant_id})
        for grant in access.grants.values()
        if grant.case == found.case_id and grant.member not in sitting
    ]
    for one in list(door.invitations.of_log(found.log_id)):
        if one.case == found.case_id and one.member not in sitting:
            door.invitations.end(one)
    if entries:
        await door.desk.append(
            hand, found.log_id, TOURNAMENT_STREAM, entries, expected_version=None
        )


def _invited(door: Door, visitor: Visitor, found: Case, member: str, name: str) -> Invitation:
    assert visitor.token_sha256 is not None, "a director has a token"
    for one in list(door.invitations.of_log(found.log_id)):
        # If there were two codes for one seat, the second would end the seat of the first.
        if (one.case, one.member) == (found.case_id, member):
            door.invitations.end(one)
    return door.invitations.open(
        found.log_id,
        role=Role.COMMITTEE,
        holder=name,
        match=found.match_id,
        by_token=visitor.token_sha256,
        case=found.case_id,
        member=member,
    )


def _code(door: Door, request: Request, made: Invitation) -> SeatCode:
    url = f"{origin_of_hall(door, request)}/session?code={made.code}"
    assert made.member is not None, "it is a seat's"
    return SeatCode(
        member=made.member,
        holder=made.holder,
        code=spaced(made.code),
        url=url,
        qr_svg=scanned(door, request, url)[0],
        expires_at=made.expires_at,
    )


def _entry(door: Door, tag: str, body: Mapping[str, object]) -> EntryIn:
    return EntryIn(door.archive.entry_id(), tag, body)


def _name_of(door: Door, found: Case, member: str) -> str | None:
    for one in members_of(found):
        if one.member == member and one.name is not None:
            return door.reading.texts(found.log_id, [one.name]).get(one.name.sd)
    return None
