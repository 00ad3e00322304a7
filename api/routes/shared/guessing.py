"""Identifies the sender of a request before it is routed, and counts wrong guesses."""

from __future__ import annotations

import asyncio
import contextlib
import math

from starlette.requests import Request

from api.archive.archive import token_hash
from api.refusals import Problem
from api.routes.shared.attempts import place_of
from api.routes.shared.cookie import SAFE_METHODS, session_token
from api.routes.shared.door import Door, bearer_of, door_of
from events.errors import LedgerError
from events.payloads.access import Role


async def is_known(door: Door, request: Request) -> bool:
    """Whether a request comes with a token that is in force somewhere, or with a device's."""
    return await _known_as(door, request) is not None


async def has_work(door: Door, request: Request) -> bool:
    """Whether a request comes from a tablet, a director or whoever else does not just look on."""
    digest = _digest(request)
    if digest is None:
        return False
    if await asyncio.to_thread(_does_more_than_look, door, digest):
        return True
    return await _is_device(door, request, digest)


def _does_more_than_look(door: Door, digest: str) -> bool:
    return any(one.role is not Role.VIEWER for one in door.reading.grants_anywhere(digest))


async def check_guesser(request: Request) -> None:
    """Refuse to look at a guess of whoever was wrong too often just now. Errors: Problem."""
    door = door_of(request)
    who, _ = await _guesser(door, request)
    wait_s = math.ceil(door.attempts.wait_s(who))
    if wait_s > 0:
        raise Problem(
            "too-often",
            "too many wrong ones from here: wait a moment",
            headers={"Retry-After": str(wait_s)},
            retry_after_seconds=wait_s,
        )


async def guessed_wrong(request: Request) -> None:
    """Remember that whoever sent this was wrong."""
    door = door_of(request)
    who, is_stranger = await _guesser(door, request)
    door.attempts.failed(who, is_stranger=is_stranger)


async def sent_nonsense(request: Request) -> None:
    """Remember that a stranger's body was none; what a device sends and is refused is no guess."""
    if request.method in SAFE_METHODS:
        return
    door = door_of(request)
    with contextlib.suppress(LedgerError):
        who, is_stranger = await _guesser(door, request)
        if is_stranger:
            door.attempts.failed(who, is_stranger=True)


async def _guesser(door: Door, request: Request) -> tuple[str, bool]:
    """The key by which guesses are counted, and whether it counts strangers.

    A valid token, of a device or a session, is counted separately, so that guesses of others from
    the same address, which may be that of a whole hall, do not slow down its holder.
    """
    known = await _known_as(door, request)
    if known is not None:
        return f"token {known}", False
    return place_of(request.scope), True


async def _known_as(door: Door, request: Request) -> str | None:
    """Hash of the token of a request, if it is valid anywhere or is a device's."""
    digest = _digest(request)
    if digest is None:
        return None
    if await asyncio.to_thread(door.reading.knows, digest):
        return digest
    return digest if await _is_device(door, request, digest) else None


def _digest(request: Request) -> str | None:
    """Hash of the token of a request, valid or not."""
    token = bearer_of(request)
    return session_token(request) if token is None else token_hash(token)


async def _is_device(door: Door, request: Request, digest: str) -> bool:
    """Whether a device submits what it has recorded, even if its grant has ended."""
    # What a device recorded before its grant ended is accepted, and kept for the director.
    _, found, rest = request.url.path.partition("/logs/")
    log_id, _, last = rest.partition("/")
    if not found or last != "ingest":
        return False
    with contextlib.suppress(LedgerError):
        return await asyncio.to_thread(door.ingest.sender, log_id, digest) is not None
    return False
