"""Checks that a visitor directs a log or its players, and finds the matches that they name."""

from __future__ import annotations

import asyncio

from fastapi import Request

from api.refusals import Problem
from api.routes.shared.door import Door, Visitor, check_is_match, door_of, visitor_of
from api.routes.shared.requests import take_body
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM


async def director_of(request: Request, log_id: str) -> Visitor:
    """Whoever may grant in a log: its directors and archivists. Errors: Problem, NoSuchLog."""
    door = door_of(request)
    await take_body(request)
    visitor = await visitor_of(door, request, log_id)
    if not visitor.hand.may_append(log_id, TOURNAMENT_STREAM, "access.granted"):
        raise visitor.refusal("director or archivist of the log")
    await asyncio.to_thread(door.archive.store.log_head, log_id)
    return visitor


async def check_match(door: Door, log_id: str, match_id: str) -> None:
    """Refuse a match that there is not. Errors: Problem, NoSuchStream."""
    check_is_match(match_id)
    await asyncio.to_thread(door.reading.live, log_id, match_id)


async def player_director_of(request: Request, log: str) -> Visitor:
    """A director where somebody plays. Errors: Problem, NoSuchLog."""
    visitor = await director_of(request, log)
    if log == ARCHIVE_LOG:
        raise Problem("no-such-log", "nobody plays in the archive's own log")
    return visitor
