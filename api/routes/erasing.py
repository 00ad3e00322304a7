"""Erasing a person over HTTP: looked for first, erased once the name is typed a second time."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from api.routes.shared.door import door_of, json_answer, visitor_of
from api.routes.shared.erasing import ErasePerson, erasure
from api.routes.shared.requests import parsed
from api.shapes.documented import documented
from api.shapes.erasing import Erasure

router = APIRouter(tags=["roles"])


@router.post(
    "/erasures",
    operation_id="erasePerson",
    summary="Erase a person",
    **documented(Erasure, success=200, writes=True, problems=(404,)),
)
async def erase_person(request: Request) -> Response:
    """By an archivist: out of every view, list, search, later pack and export, while this server
    runs. Without `confirm` it only says what would go; it cannot be undone.

    `disclosure.erased` names the commitments first, then the values go; hashes stay, so that proofs
    and earlier bundles still verify. Whoever follows a match live is told to read it anew. Copies
    that were handed out, tablets and backups are not reached.
    """
    door = door_of(request)
    body = await parsed(request, ErasePerson)
    visitor = await visitor_of(door, request, body.log)
    told = await erasure(door, visitor, body)
    return json_answer(told, headers={"Cache-Control": "no-store"})
