"""Checks that a visitor directs a log or its players, and finds the matches that they name."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from fastapi import Request, Response

from api.refusals import Problem
from api.routes.shared.door import Door, Visitor, check_is_match, door_of, json_answer, visitor_of
from api.routes.shared.requests import take_body
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from events.errors import ExpectedVersionMismatch, PremiseMoved, StoreBusy
from events.store.journal import Intake

TRIES = 8
"""How often a request is decided again because other entries came between."""

Plan = Callable[[Visitor], tuple[object, Intake | None]]
"""The answer to a request, and what is to be written for it; None = nothing."""


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


async def decided(request: Request, log_id: str, plan: Plan, *, of: str) -> Response:
    """Write what `plan` makes of a director's request, and answer; again if others come between.

    `plan` runs in a thread and reads the store. The director is looked up each time, because grants
    may end meanwhile. Errors: StoreBusy, which names what it is `of`, and those of `plan`.
    """
    door = door_of(request)
    for _ in range(TRIES):
        visitor = await director_of(request, log_id)
        with contextlib.suppress(PremiseMoved, ExpectedVersionMismatch):
            answer, intake = await asyncio.to_thread(plan, visitor)
            if intake is None:
                return json_answer(answer, 200)
            await door.desk.take_in(intake)
            return json_answer(answer, 201)
    raise StoreBusy(f"others are writing to {of}: send the same again in a moment")
