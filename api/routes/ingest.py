"""Submissions from devices over HTTP, and branches that wait for a director's decision."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response

from api.archive.archive import token_hash
from api.desk.drafts import Item
from api.desk.parked import Order
from api.routes.proofs import covered, proved_since
from api.routes.shared.chains import cursor_out, streams_of
from api.routes.shared.door import (
    AN_ID,
    NO_STORE,
    LogId,
    bearer_of,
    door_of,
    json_answer,
    visitor_of,
)
from api.routes.shared.requests import check_values, parsed
from api.routes.shared.writing import writer_of
from api.shapes.devices import BranchPage, IngestOut, ItemOut, ResolutionOut
from api.shapes.documented import documented
from api.shapes.matches import EntryPlace
from events.errors import BadInput, TooLarge
from events.payloads.access import Role
from events.payloads.base import StreamId
from events.sealing.devices import decoded
from events.values import Count, EntryId, Text, Word

router = APIRouter(tags=["devices"])


class ItemIn(msgspec.Struct, forbid_unknown_fields=True):
    """One draft as a device sends it."""

    draft: str
    """Base64 of its canonical bytes."""
    signature: str | None = None
    """Base64url of the Ed25519 signature over exactly these bytes."""
    disclosures: list[str] = []
    """Base64 of each raw disclosure."""


class IngestIn(msgspec.Struct, forbid_unknown_fields=True):
    """A batch of drafts."""

    items: list[ItemIn]
    """In the order of the device's chain."""
    checkpoint_size: Count | None = None
    """Size of the log at the checkpoint that the device holds."""


class ResolveBranch(msgspec.Struct, forbid_unknown_fields=True):
    """A director's decision on a branch."""

    match: StreamId
    """Match that the entries were meant for."""
    device: Word
    """Device that submitted them."""
    accepted: list[EntryId] = []
    """Ids of the entries to accept, in their new order."""
    set_aside: list[EntryId] = []
    """Ids of the entries to keep in the journal only."""
    reason: Text | None = None
    """Why; stored as a personal value."""


OfMatch = Annotated[
    str | None, Query(pattern=AN_ID, description="Id of one match.", examples=["r3-t07-9c41"])
]


@router.post(
    "/logs/{log}/ingest",
    operation_id="ingestDrafts",
    summary="Submit what a device recorded",
    **documented(IngestOut, success=200, writes=True, problems=(404, 409)),
)
async def ingest(request: Request, log: LogId) -> Response:
    """Drafts in the order of the device's chain; each one gets an outcome, and none is dropped.

    Takes the token that the device is bound to. After a lost answer, send the same bytes again:
    drafts that were accepted before are answered as `duplicate`, with their first place.

    Drafts that break the chain, or are parked, are kept, up to 64 MiB for a device in a log. Beyond
    that, 409 refuses the whole batch, and the device keeps all drafts without a receipt.

    Keep the checkpoint with its root; it is not signed. If you hold an earlier one, send its size,
    and check that the log has only grown since.

    The device also keeps entries beyond `covered`, although it has receipts for them: if an older
    backup replaces the archive, it sends them again with the same bytes, and they are accepted as
    if for the first time.
    """
    door = door_of(request)
    body = await parsed(request, IngestIn)
    if len(body.items) > door.settings.max_batch:
        raise TooLarge(
            f"{len(body.items)} items in one batch;"
            f" at most {door.settings.max_batch} are taken at once"
        )
    items = [_item(item, index) for index, item in enumerate(body.items)]
    check_values(*(item.raw for item in items))
    await asyncio.to_thread(door.archive.store.log_head, log)
    # Also by a token whose grant has ended.
    token, report = bearer_of(request), None
    if token is not None:
        report = await door.ingest.take_in(log, token_hash(token), items)
    if report is None:
        visitor = await visitor_of(door, request, log)
        raise visitor.refusal("the token of a device of this log")
    door.signs.seen(log, report.cursor.device)
    checkpoint, consistency = await proved_since(door, log, body.checkpoint_size)
    value = IngestOut(
        results=[
            ItemOut(one.outcome, one.reason, one.global_position, one.version, one.entry_id)
            for one in report.results
        ],
        streams=streams_of(report.streams),
        cursor=cursor_out(report.cursor),
        server_time_ms=door.archive.now_ms(),
        expected_device_seq=report.expected_device_seq,
        checkpoint=checkpoint,
        consistency=consistency,
        covered=await covered(door, log),
    )
    return json_answer(value)


@router.get(
    "/logs/{log}/branches",
    operation_id="listBranches",
    summary="List parked entries by match and device",
    **documented(BranchPage, problems=(404,)),
)
async def list_branches(request: Request, log: LogId, match: OfMatch = None) -> Response:
    """A director sees parked entries of the matches in his grant's scope; a device sees its own."""
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    await asyncio.to_thread(door.archive.store.log_head, log)
    leases = await asyncio.to_thread(door.leasing.of, log)
    bound = leases.device_of(visitor.token_sha256 or "")
    deciders = [
        grant
        for grant in visitor.hand.grants
        if grant.role in (Role.DIRECTOR, Role.ARCHIVIST) and grant.device is None
    ]
    device = None if bound is None or not visitor.hand.grants else bound.id
    if not deciders and device is None:
        raise visitor.refusal("director of the log, or a paired device")

    def may_see(stream_id: str, sender: str) -> bool:
        return sender == device or any(grant.covers(log, stream_id) for grant in deciders)

    branches = await asyncio.to_thread(door.branches.listed, log, may_see, match=match or None)
    return json_answer(BranchPage(branches), headers=NO_STORE)


@router.post(
    "/logs/{log}/branches/resolution",
    status_code=201,
    operation_id="resolveBranch",
    summary="Decide on parked entries",
    **documented(ResolutionOut, also=200, writes=True, problems=(404, 409)),
)
async def resolve_branch(request: Request, log: LogId) -> Response:
    """For a director: each entry of the branch is accepted, in the order given, or set aside.

    The decision and the accepted entries are recorded together or not at all. Sending the same
    request again is a retry: it gets the first answer, with status 200.
    """
    door = door_of(request)
    visitor = await writer_of(door, request, log)
    body = await parsed(request, ResolveBranch)
    await asyncio.to_thread(door.archive.store.log_head, log)
    order = Order(
        match=body.match,
        device=body.device,
        accepted=tuple(body.accepted),
        set_aside=tuple(body.set_aside),
        reason=body.reason,
    )
    resolved = await door.branches.resolve(visitor.hand, log, order)
    value = ResolutionOut(
        match_id=order.match,
        device=order.device,
        entry_id=resolved.resolution.entry_id,
        entries=[
            EntryPlace(one.entry_id, one.version, one.global_position, one.leaf_hash.hex())
            for one in resolved.entries
        ],
        duplicate=resolved.is_duplicate,
    )
    return json_answer(value, 200 if resolved.is_duplicate else 201)


def _item(item: ItemIn, index: int) -> Item:
    place = f"$.items[{index}]"
    return Item(
        _bytes(item.draft, f"{place}.draft"),
        b"" if item.signature is None else _bytes(item.signature, f"{place}.signature"),
        tuple(_bytes(raw, f"{place}.disclosures[{at}]") for at, raw in enumerate(item.disclosures)),
    )


def _bytes(text: str, where: str) -> bytes:
    try:
        return decoded(text)
    except ValueError:
        raise BadInput("this is no base64", where=where) from None
