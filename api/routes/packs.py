"""Packs of cases over HTTP: issued to members and directors, unsealed after the decision."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from typing import Annotated

import msgspec
from fastapi import APIRouter, Request, Response

from api.desk.cases import Case
from api.desk.entries import EntryIn
from api.evidence.files import zipped
from api.packs.pack import FOLDER, packed
from api.packs.unsealing import unsealed
from api.refusals import Problem
from api.routes.shared.cases import CaseId, reader_of
from api.routes.shared.door import Door, Visitor, door_of
from api.routes.shared.requests import parsed
from api.shapes.documented import documented

router = APIRouter(tags=["cases"])


class HandOutPack(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request for a pack."""

    to: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """Who gets the pack, if a director issues it; a personal value, stored as a commitment."""


class UnsealPacks(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to unseal the packs of a case."""


@router.post(
    "/cases/{case}/pack",
    status_code=201,
    operation_id="exportPack",
    summary="Issue the pack of a case",
    **documented(None, writes=True, problems=(404, 409)),
)
async def export_pack(request: Request, case: CaseId) -> Response:
    """What the rule set gives the committee, as one zip file that a third party can verify.

    For a member, as far as the case was issued to the committee, or for a director. The issue is
    recorded in the match with the hash of the file before the file is sent. The same case gives
    the same bytes.
    """
    body = await parsed(request, HandOutPack)
    door = door_of(request)
    found, visitor = await reader_of(request, case)
    to = body.to
    if found.seat is not None:
        if not found.appeal.is_issued:
            detail = "the director has not given the committee this case yet"
            raise Problem("case-conflict", detail, why=("not_issued", {}))
        to = found.seat.member
    made = await asyncio.to_thread(
        packed, door.archive, found.log_id, case, policy=door.policy, files=door.files
    )
    raw = await asyncio.to_thread(lambda: made.zip)
    await _append(door, visitor, found, "pack.issued", made.issued(to))
    return _zip(raw, f"pack-{made.sha256[:8]}")


@router.post(
    "/cases/{case}/seals",
    status_code=201,
    operation_id="openPackSeals",
    summary="Unseal the packs of a decided case",
    **documented(None, writes=True, problems=(404, 409)),
)
async def unseal_packs(request: Request, case: CaseId) -> Response:
    """A zip file with what the packs withheld; the packs prove that it belongs to them.

    For a director, once the appeal is decided and no other appeal of the match is open.
    """
    await parsed(request, UnsealPacks)
    door = door_of(request)
    found, visitor = await reader_of(request, case)
    if found.seat is not None:
        detail = "only the director can unseal packs"
        raise Problem("not-permitted", detail, needs="director", why=("directors_unseal", {}))
    _, issued, files = await asyncio.to_thread(unsealed, door.archive, found.log_id, case)
    raw = await asyncio.to_thread(zipped, files, folder=FOLDER)
    await _append(door, visitor, found, "pack.unsealed", {"pack": issued})
    return _zip(raw, f"unsealed-{hashlib.sha256(raw).hexdigest()[:8]}")


async def _append(
    door: Door, visitor: Visitor, found: Case, tag: str, body: dict[str, object]
) -> None:
    entry = EntryIn(door.archive.entry_id(), tag, body)
    async with door.at_case:
        await door.desk.append(
            visitor.hand, found.log_id, found.match_id, [entry], expected_version=None
        )


def _zip(raw: bytes, name: str) -> Response:
    digest = base64.b64encode(hashlib.sha256(raw).digest()).decode()
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{name}.zip"',
        # RFC 9530: what `pack.issued` says in hex.
        "Repr-Digest": f"sha-256=:{digest}:",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(raw, 201, headers, media_type="application/zip")
