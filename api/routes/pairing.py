"""Pairing a tablet: the director's code, the device's claim, the director's answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Request, Response

from api.archive.archive import token_hash
from api.desk.entries import EntryIn
from api.desk.leases import append_folded, highest_epoch, lease_entries, profile_entries
from api.desk.pairing import Claim, Pairing, checked, is_by, spaced
from api.refusals import Problem
from api.rounds.rosters import Opened
from api.rounds.sheet import trimmed
from api.rounds.tables import Place, place_entries, place_of
from api.routes.shared.directors import check_match, director_of
from api.routes.shared.door import NO_STORE, Door, LogId, Visitor, bearer_of, door_of, json_answer
from api.routes.shared.guessing import check_guesser, guessed_wrong
from api.routes.shared.reach import origin_of_hall, scanned
from api.routes.shared.requests import parsed
from api.shapes.devices import (
    ApprovalOut,
    ClaimOut,
    PairingOfDevice,
    PairingOpened,
    PairingOut,
    PairingPage,
    PairingState,
)
from api.shapes.documented import documented
from events.envelope import ARCHIVE_LOG
from events.errors import BadInput
from events.payloads.access import Role, ScopeKind
from events.payloads.base import StreamId
from events.values import Sha256
from projections.custody.leases import NO_ASSIST, Leases, Profile

PairingId = Annotated[
    str,
    Path(
        pattern="^[0-9a-f]{32}$",
        description="Id of the pairing.",
        examples=["0f8fad5bd9cb469fa16570867728950e"],
    ),
]
Label = Annotated[str, msgspec.Meta(max_length=80)]

router = APIRouter(tags=["devices"])


class OpenPairing(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request for a code."""

    match: StreamId | None = None
    """Match that the device is to record; it can also be chosen at the approval."""
    table: Label | None = None
    """Table that the device is for."""
    uses: Annotated[int, msgspec.Meta(ge=1, le=200)] = 1
    """How many devices may claim the code; each of them needs its own approval."""


class ClaimPairing(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a device's claim of a code."""

    code: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    """The code; capitals, spaces and hyphens do not matter."""
    device: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    """The device's own id."""
    epoch: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    """Number that rises each time the device has lost its storage."""
    token_sha256: Sha256
    """SHA-256 of the token that the device has made."""
    public_key: Annotated[str, msgspec.Meta(max_length=128)] | None = None
    """Ed25519 public key, base64; null = its browser cannot make one."""
    label: Label | None = None
    """A name for the device, chosen by a person."""


class ApprovePairing(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a director's approval."""

    match: StreamId | None = None
    """Match that the device becomes the scribe of; null = none for now."""
    takeover: bool = False
    """Whether to take that match over from the device that records it now."""
    profile: Profile = NO_ASSIST
    """What the device's screen may show while it records that match."""
    table: Annotated[str, msgspec.Meta(min_length=1, max_length=20)] | None = None
    """Table that the device is assigned to; it gets the matches that are opened there."""


class RefusePairing(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a director's refusal."""


@router.post(
    "/logs/{log}/pairings",
    status_code=201,
    operation_id="openPairing",
    summary="Make a code for a tablet",
    **documented(PairingOpened, writes=True, problems=(404,)),
)
async def open_pairing(request: Request, log: LogId) -> Response:
    """A code, also as a QR code with an address; valid for ten minutes and for `uses` devices.

    It is kept in the server's memory only, so it is lost when the server restarts.
    """
    door = door_of(request)
    await director_of(request, log)
    if log == ARCHIVE_LOG:
        raise Problem("no-such-log", "no match is recorded in the archive's own log")
    body = await parsed(request, OpenPairing)
    if body.match is not None:
        await check_match(door, log, body.match)
        if body.uses > 1:
            raise BadInput("a code for several devices names no match", where="$.match")
    pairing = door.pairings.open(log, match_id=body.match, table=body.table, uses=body.uses)
    url = _tablet_url(door, request, pairing.code)
    qr_svg, unreachable = scanned(door, request, url)
    value = PairingOpened(
        pairing_id=pairing.pairing_id,
        code=spaced(pairing.code),
        url=url,
        qr_svg=qr_svg,
        unreachable=unreachable,
        expires_at=pairing.expires_at,
        uses=pairing.uses,
    )
    headers = {"Location": f"/pairings/{pairing.pairing_id}", "Cache-Control": "no-store"}
    return json_answer(value, 201, headers=headers)


@router.post(
    "/pairings/claims",
    status_code=202,
    operation_id="claimPairing",
    summary="Claim a code",
    **documented(
        ClaimOut,
        success=202,
        is_open=True,
        problems=(400, 404, 409, 413, 422, 429, 500, 503),
    ),
)
async def claim_pairing(request: Request) -> Response:
    """For a device, with the hash of a token that it has made. A director then approves the claim.

    The same claim sent again gets the same answer. People compare the four words on both screens.
    """
    door = door_of(request)
    await check_guesser(request)
    body = await parsed(request, ClaimPairing)
    claim = checked(
        Claim(body.device, body.public_key, body.epoch, body.token_sha256, body.label or None)
    )
    pairing = door.pairings.with_code(body.code)
    if pairing is None:
        await guessed_wrong(request)
        raise Problem("no-such-pairing", "this code is unknown, was used up, or is forgotten")
    if pairing.state is PairingState.OPEN:
        _check_epoch(await asyncio.to_thread(door.leasing.of, pairing.log_id), claim)
    pairing = door.pairings.claim(pairing, claim)
    value = ClaimOut(
        pairing_id=pairing.pairing_id,
        log_id=pairing.log_id,
        match_id=pairing.match_id,
        fingerprint=_claim_of(pairing).fingerprint,
    )
    return json_answer(value, 202, headers=NO_STORE)


@router.get(
    "/pairings/{pairing}",
    operation_id="getPairing",
    summary="Read the state of a claim",
    **documented(PairingOfDevice, problems=(404,)),
)
async def get_pairing(request: Request, pairing: PairingId) -> Response:
    """For the device that made the claim, with its token, which need not be in force yet."""
    door = door_of(request)
    token = bearer_of(request)
    if token is None:
        raise Problem("not-authenticated", "this takes the device's token")
    found = door.pairings.get(pairing)
    if found is None or not is_by(found, token_hash(token)):
        # With another token nobody learns more than if the pairing had never existed.
        raise Problem("no-such-pairing", "it is unknown, or the server has forgotten it")
    claim = _claim_of(found)
    assert found.state is not PairingState.OPEN, "it was claimed"
    value = PairingOfDevice(
        state=found.state,
        log_id=found.log_id,
        match_id=found.match_id,
        device=claim.device,
        epoch=claim.epoch,
        fingerprint=claim.fingerprint,
    )
    return json_answer(value, headers=NO_STORE)


@router.get(
    "/logs/{log}/pairings",
    operation_id="listPairings",
    summary="List the codes and claims of a log",
    **documented(PairingPage, problems=(404,)),
)
async def list_pairings(request: Request, log: LogId) -> Response:
    """For a director: codes and claims of the last hour."""
    door = door_of(request)
    await director_of(request, log)
    value = PairingPage([pairing_line(pairing) for pairing in door.pairings.of_log(log)])
    return json_answer(value, headers=NO_STORE)


@router.post(
    "/logs/{log}/pairings/{pairing}/approval",
    status_code=201,
    operation_id="approvePairing",
    summary="Approve a device",
    **documented(ApprovalOut, also=200, writes=True, problems=(404, 409)),
)
async def approve_pairing(request: Request, log: LogId, pairing: PairingId) -> Response:
    """The device's token gets a scribe's grant and, if a match is named, the lease of that match.

    A device that was paired before loses its earlier grant and the leases that it held.
    """
    door = door_of(request)
    visitor = await director_of(request, log)
    body = await parsed(request, ApprovePairing)
    found = _of_log(door, log, pairing)
    match_id = body.match
    if match_id is not None:
        await check_match(door, log, match_id)
    async with found.settling:
        is_retry = found.state is PairingState.APPROVED
        if not is_retry:
            if found.state is not PairingState.WAITING:
                raise _settled(found)
            await _approve(door, visitor, found, match_id, body)
        claim = _claim_of(found)
        assert found.grant_id is not None, "it was approved"
        value = ApprovalOut(
            state=PairingState.APPROVED,
            grant_id=found.grant_id,
            device=claim.device,
            epoch=claim.epoch,
            match_id=found.match_id,
            lease=found.lease,
        )
    return json_answer(value, 200 if is_retry else 201)


@router.post(
    "/logs/{log}/pairings/{pairing}/refusal",
    status_code=201,
    operation_id="refusePairing",
    summary="Refuse a device, or withdraw a code",
    **documented(PairingOut, also=200, writes=True, problems=(404, 409)),
)
async def refuse_pairing(request: Request, log: LogId, pairing: PairingId) -> Response:
    """Nothing is recorded, because the device was never approved."""
    door = door_of(request)
    await director_of(request, log)
    await parsed(request, RefusePairing)
    found = _of_log(door, log, pairing)
    async with found.settling:
        is_retry = found.state is PairingState.REFUSED
        if not is_retry:
            if not found.is_pending:
                raise _settled(found)
            door.pairings.settle(found, PairingState.REFUSED)
    return json_answer(pairing_line(found), 200 if is_retry else 201)


async def _approve(
    door: Door,
    visitor: Visitor,
    pairing: Pairing,
    match_id: str | None,
    answer: ApprovePairing,
) -> None:
    claim = _claim_of(pairing)
    log_id = pairing.log_id
    grant_id = door.archive.entry_id()
    lease: int | None = None

    def entries(leases: Leases) -> list[EntryIn]:
        nonlocal grant_id, lease
        _check_epoch(leases, claim)
        place = _place(door, log_id, leases, claim, answer.table)
        made = []
        known = leases.device(claim.device)
        is_in = known is not None and known.token_sha256 == claim.token_sha256
        if known is not None and is_in:
            grant_id = known.grant_id
        elif known is not None:
            revoked = {"target": known.grant_id}
            made.append(EntryIn(door.archive.entry_id(), "access.revoked", revoked))
        if not is_in:
            made.append(EntryIn(grant_id, "access.granted", _granted(claim)))
        if match_id is not None:
            lease, lent = _lease_for(door, leases, pairing, match_id, answer, is_in=is_in)
            made += lent
        if place is not None:
            made += place_entries(
                door.desk,
                leases if is_in else leases.without(claim.device),
                device=claim.device,
                place=place.beside(match_id),
                takeover=answer.takeover,
            )
        return made

    await append_folded(door.desk, door.leasing, visitor.hand, log_id, entries)
    # The match that the code was for is not given to the device if the director named none.
    pairing.match_id = match_id
    door.pairings.settle(pairing, PairingState.APPROVED, grant_id=grant_id, lease=lease)


def _place(
    door: Door, log_id: str, leases: Leases, claim: Claim, table: str | None
) -> Place | None:
    """The table that a device gets, or keeps; None if it has none."""
    if table is None:
        placed = leases.tables.get(claim.device)
        if placed is None:
            return None
        table = Opened(door.reading, log_id, [placed.table]).text(placed.table)
    if not trimmed(table):
        return None
    return place_of(
        door.reading, door.index, door.rooms, log_id, leases=leases, table=trimmed(table)
    )


def _lease_for(
    door: Door,
    leases: Leases,
    pairing: Pairing,
    match_id: str,
    answer: ApprovePairing,
    *,
    is_in: bool,
) -> tuple[int, list[EntryIn]]:
    """The number of the lease that a device gets with its approval, and the entries for it."""
    device = _claim_of(pairing).device
    held = leases.current(match_id)
    if held is not None and held.device == device:
        if is_in:
            return held.number, profile_entries(door.desk, held, answer.profile)
        held = None  # it ends together with the old grant
    entries = lease_entries(
        door.desk,
        leases,
        match=match_id,
        device=device,
        takeover=answer.takeover,
        table=pairing.table,
        held=held,
        profile=answer.profile,
    )
    return leases.number(match_id) + 1, entries


def _granted(claim: Claim) -> Mapping[str, object]:
    key = {} if claim.public_key is None else {"public_key": claim.public_key}
    return {
        "token_sha256": claim.token_sha256,
        "role": Role.SCRIBE.value,
        "scope": {"kind": ScopeKind.LOG.value},
        "holder": claim.label or claim.device,
        "device": {"id": claim.device, "epoch": claim.epoch, **key},
    }


def _check_epoch(leases: Leases, claim: Claim) -> None:
    """Refuse a device that would number its entries from 1 again in an epoch that has some."""
    given = leases.device_of(claim.token_sha256)
    said = (claim.device, claim.epoch, claim.public_key)
    if given is not None and (given.id, given.epoch, given.public_key) != said:
        where = "$.token_sha256"
        raise BadInput("another device, epoch or key has this token: make a new one", where=where)
    known = highest_epoch(leases, claim.device)
    if known is None or claim.epoch > known.epoch:
        return
    # The same epoch with the same key or token: the device has lost nothing, and continues.
    is_same = claim.token_sha256 == known.token_sha256 or (
        known.public_key is not None and claim.public_key == known.public_key
    )
    if claim.epoch < known.epoch or not is_same:
        detail = f"device {claim.device} was paired in epoch {known.epoch}"
        raise Problem("old-epoch", detail, epoch=known.epoch + 1)


def _claim_of(pairing: Pairing) -> Claim:
    assert pairing.claim is not None, "it was claimed"
    return pairing.claim


def _of_log(door: Door, log_id: str, pairing_id: str) -> Pairing:
    found = door.pairings.get(pairing_id)
    if found is None or found.log_id != log_id:
        raise Problem("no-such-pairing", "it is unknown, or the server has forgotten it")
    return found


def _settled(pairing: Pairing) -> Problem:
    why = {
        PairingState.OPEN: "no device has claimed this code yet",
        PairingState.EXPIRED: "nobody answered in time: make a new code",
    }.get(pairing.state, f"this pairing was {pairing.state.value} before")
    return Problem("pairing-settled", why, state=pairing.state.value)


def pairing_line(pairing: Pairing) -> PairingOut:
    """A pairing as a director sees it; the code is shown while it is of use."""
    claim = pairing.claim
    is_open = pairing.state is PairingState.OPEN
    return PairingOut(
        pairing_id=pairing.pairing_id,
        state=pairing.state,
        code=spaced(pairing.code) if is_open else None,
        match_id=pairing.match_id,
        table=pairing.table,
        expires_at=pairing.expires_at,
        device=None if claim is None else claim.device,
        label=None if claim is None else claim.label,
        epoch=None if claim is None else claim.epoch,
        has_key=None if claim is None else claim.public_key is not None,
        fingerprint=None if claim is None else claim.fingerprint,
        grant_id=pairing.grant_id,
        lease=pairing.lease,
        uses=pairing.uses,
        uses_left=pairing.uses_left,
    )


def _tablet_url(door: Door, request: Request, code: str) -> str:
    """The address at which a tablet claims a code, on the page that makes it trust the server.

    A tablet that trusts it already is sent on. The code is in the fragment, which is never sent.
    """
    origin = origin_of_hall(door, request)
    if door.trust is None or door.trust.papers is None:
        return f"{origin}/tablet?code={code}"
    return f"{origin.replace('https://', 'http://', 1)}/trust#code={code}"
