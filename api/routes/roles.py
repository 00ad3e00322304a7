"""Roles of a log: their holders, and one-time codes that give a role."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Request, Response
from msgspec.structs import asdict

from api.archive.personal import received_at
from api.desk.hand import Hand
from api.desk.invitations import Invitation
from api.desk.pairing import spaced
from api.refusals import Problem
from api.routes.shared.directors import check_match, director_of
from api.routes.shared.door import NO_STORE, Door, LogId, door_of, json_answer
from api.routes.shared.reach import origin_of_hall, scanned
from api.routes.shared.requests import parsed
from api.shapes.devices import InvitationOpened, InvitationOut, RoleOut, RolesOut
from api.shapes.documented import documented
from events.catalogue import read
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from events.errors import BadInput
from events.payloads.access import AccessGranted, AccessSeated, Role
from events.payloads.base import StreamId

InvitationId = Annotated[
    str,
    Path(
        pattern="^[0-9a-f]{32}$",
        description="Id of the invitation.",
        examples=["0f8fad5bd9cb469fa16570867728950e"],
    ),
]

_HANDED_OUT = tuple(role for role in Role if role is not Role.COMMITTEE)
"""Roles for which codes are made here; those of a committee are made at its case."""


router = APIRouter(tags=["roles"])


class OpenInvitation(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request for a one-time code."""

    role: Role
    """The role that the code gives."""
    holder: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    """The person that the code is for."""
    match: StreamId | None = None
    """Match that the role is limited to; null = the whole log."""


@router.get(
    "/logs/{log}/roles",
    operation_id="listRoles",
    summary="List role holders and open codes",
    **documented(RolesOut, problems=(404,)),
)
async def list_roles(request: Request, log: LogId) -> Response:
    """For a director: grants in force, each with its last use since the server was started.

    Open codes are shown in full to readers who may give them out.
    """
    door = door_of(request)
    visitor = await director_of(request, log)
    value = RolesOut(
        log_id=log,
        grants=await asyncio.to_thread(_grants, door, log, visitor.token_sha256),
        invitations=[
            _line(one)
            for one in door.invitations.of_log(log)
            if _may_hand_out(visitor.hand, log, one.role)
        ],
        may_grant=[role for role in _HANDED_OUT if _may_hand_out(visitor.hand, log, role)],
        may_grant_all=[
            role for role in _HANDED_OUT if _may_hand_out(visitor.hand, ARCHIVE_LOG, role)
        ],
    )
    return json_answer(value, headers=NO_STORE)


@router.post(
    "/logs/{log}/invitations",
    status_code=201,
    operation_id="openInvitation",
    summary="Make a one-time code for a role",
    **documented(InvitationOpened, writes=True, problems=(404, 409)),
)
async def open_invitation(request: Request, log: LogId) -> Response:
    """A code, also as a link and a QR code; the first to send it to `/session` gets the role.

    It is valid for one hour and one use, and cannot give more than its maker holds. It is kept in
    the server's memory only. Opening the link does not use it; submitting the page there does.
    """
    door = door_of(request)
    visitor = await director_of(request, log)
    body = await parsed(request, OpenInvitation)
    if not body.holder.strip():
        raise BadInput("say who it is for", where="$.holder")
    if body.role is Role.COMMITTEE:
        why = "a committee has seats at one case: its members' codes are made where it is convened"
        raise BadInput(why, where="$.role")
    if not _may_hand_out(visitor.hand, log, body.role):
        raise visitor.refusal("archivist")
    if body.match is not None:
        if log == ARCHIVE_LOG or body.role is Role.ARCHIVIST:
            raise BadInput("this role is not over one match", where="$.match")
        await check_match(door, log, body.match)
    assert visitor.token_sha256 is not None, "a director has a token"
    made = door.invitations.open(
        log,
        role=body.role,
        holder=body.holder.strip(),
        match=body.match,
        by_token=visitor.token_sha256,
    )
    url = f"{origin_of_hall(door, request)}/session?code={made.code}"
    qr_svg, unreachable = scanned(door, request, url)
    value = InvitationOpened(**asdict(_line(made)), url=url, qr_svg=qr_svg, unreachable=unreachable)
    return json_answer(value, 201, headers=NO_STORE)


@router.delete(
    "/logs/{log}/invitations/{invitation}",
    status_code=204,
    operation_id="endInvitation",
    summary="Withdraw a code",
    **documented(None, success=204, problems=(404,)),
)
async def end_invitation(request: Request, log: LogId, invitation: InvitationId) -> Response:
    """Nothing is recorded, because the code gave nobody a role."""
    door = door_of(request)
    visitor = await director_of(request, log)
    found = door.invitations.get(log, invitation)
    # A visitor who is not shown a code, because it gives more than they hold, may not take it back
    # either.
    if found is None or not _may_hand_out(visitor.hand, log, found.role):
        raise Problem("no-such-invitation", "it was used, or taken back, or its hour is over")
    async with found.settling:
        door.invitations.end(found)
    return Response(status_code=204, headers=NO_STORE)


def _may_hand_out(hand: Hand, log_id: str, role: Role) -> bool:
    """Whether the visitor may grant this here: nobody can grant more than they hold."""
    if not hand.may_append(log_id, TOURNAMENT_STREAM, "access.granted"):
        return False
    needs_archivist = role is Role.ARCHIVIST or log_id == ARCHIVE_LOG
    return hand.is_archivist(log_id) or not needs_archivist


def _line(invitation: Invitation) -> InvitationOut:
    return InvitationOut(
        invitation_id=invitation.invitation_id,
        code=spaced(invitation.code),
        role=invitation.role,
        holder=invitation.holder,
        match_id=invitation.match,
        expires_at=invitation.expires_at,
    )


def _grants(door: Door, log_id: str, own_token: str | None) -> list[RoleOut]:
    """Grants in force, the oldest first. Reads the store."""
    in_force = door.reading.access(log_id).grants
    store = door.archive.store
    found = store.find_entries(log_id, [grant.grant_id for grant in in_force.values()])
    contexts = store.disclosures_of(log_id, [row.global_position for row in found.values()])
    holders: dict[str, str] = {}
    for row in found.values():
        granted = read(row).payload
        if isinstance(granted, AccessGranted | AccessSeated) and granted.holder is not None:
            holders[row.entry_id] = granted.holder.sd
    names = door.reading.texts(log_id, holders.values())
    lines = []
    for token, grant in in_force.items():
        row = found[grant.grant_id]
        lines.append(
            RoleOut(
                grant_id=grant.grant_id,
                role=grant.role,
                kind=grant.kind,
                match_id=grant.match,
                device=grant.device,
                holder=names.get(holders.get(grant.grant_id, "")),
                granted_at=received_at(contexts.get(row.global_position, ())),
                last_used_at=door.uses.of(token),
                is_own=token == own_token,
            )
        )
    return lines
