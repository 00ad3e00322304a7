"""Erasing a person over HTTP: first a preview, then erasure once the name is repeated."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from api.routes.shared.door import NO_STORE, door_of, json_answer, visitor_of
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
    """For an archivist: removes a person's values from all views, lists, searches, later packs and
    exports, while this server runs. Without `confirm` it only lists what would be erased. It cannot
    be undone.

    `disclosure.erased` is recorded with the commitments first, then the values are deleted. Hashes
    stay, so that proofs and earlier bundles still verify. Live followers of a match are told to
    read it again. Copies that were handed out, tablets and backups are not changed.
    """
    door = door_of(request)
    body = await parsed(request, ErasePerson)
    visitor = await visitor_of(door, request, body.log)
    told = await erasure(door, visitor, body)
    return json_answer(told, headers=NO_STORE)
