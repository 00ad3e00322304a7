"""Erasing a person for a door: looked for first, erased once the name is typed a second time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from api.archive.erasing import (
    UNSCRUBBED,
    Place,
    expiry,
    files_beside,
    is_called,
    listed_also,
    parts_of,
    places_of,
    sealed_mentions,
    split,
    why_unscrubbed,
)
from api.desk.entries import EntryIn
from api.desk.hand import Hand
from api.refusals import Problem
from api.routes.shared.door import Door, Visitor
from api.shapes.erasing import ErasablePlace, Erasure, FileBeside
from events.envelope import TOURNAMENT_STREAM
from events.errors import BadInput, RolledBack
from events.store.opening import LedgerStore

ROUNDS = 4
"""How often the name is searched again, because somebody may be writing it meanwhile."""


class ErasePerson(msgspec.Struct, forbid_unknown_fields=True):
    """Whose name, ids and clubs are to go."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    """The whole name."""
    confirm: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """The same name, typed again: without it nothing is erased."""
    words: bool = False
    """Also what others said that mentions the name."""
    log: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    """Only in this log; null = in all logs."""


def logs_kept(door: Door, visitor: Visitor) -> list[str]:
    """The logs in which somebody may erase, as their archivist or the archive's. Reads the store.

    Who keeps the archive keeps all of them, and may erase in an archive without any.
    """
    heads = [head.log_id for head in door.archive.store.logs()]
    token = visitor.token_sha256
    if visitor.hand.opens_tournaments:
        return heads
    if token is None:
        return []
    return [one for one in heads if Hand(door.reading.grants(one, token)).is_archivist(one)]


def may_erase(door: Door, visitor: Visitor) -> bool:
    """Whether somebody keeps the archive or a tournament of it. Reads the store."""
    return visitor.hand.opens_tournaments or bool(logs_kept(door, visitor))


async def erasure(door: Door, visitor: Visitor, body: ErasePerson) -> Erasure:
    """What would go, or with `confirm` what went. Errors: BadInput, NoSuchLog, Problem."""
    may = visitor.hand.opens_tournaments
    if not may and (body.log is None or not visitor.hand.is_archivist(body.log)):
        raise visitor.refusal("archivist of the log, or of the archive for all logs")
    name = body.name.strip()
    if not name:
        raise BadInput("a name has at least one character", where="$.name")
    if body.confirm is not None and body.confirm.strip() != name:
        raise BadInput("the two names differ: nothing was erased", where="$.confirm")
    logs = await asyncio.to_thread(_logs, door, body.log)
    found = await _looked_for(door, logs, name)
    theirs, left = split(found, words=body.words)
    if not theirs:
        store = door.archive.store
        if body.confirm is not None and (why := await asyncio.to_thread(_why_still, store)):
            raise Problem("busy", UNSCRUBBED[why], why=(f"unscrubbed_{why}", {}))
        detail = "nobody in the archive has this name, or it is already erased"
        if left:
            detail = (
                "nobody in the archive has this name, but texts mention it: `words` erases those"
            )
            raise Problem("no-such-player", detail, why=("mentioned_alone", {}))
        raise Problem("no-such-player", detail, why=("nobody_called", {}))
    files = await asyncio.to_thread(_files, door, logs, theirs)
    sealed = [one for log in logs for one in await _sealed(door, log, name)]
    told = Erasure(
        found=[_line(one) for one in theirs],
        still_mentioned=[_line(one) for one in left],
        files=files,
        also=await asyncio.to_thread(_also, door, logs, name, is_of_all=may),
        sealed=sealed,
        erased=0,
        left=[_line(one) for one in theirs],
        held=[],
        is_done=False,
        is_scrubbed=False,
        backups_until=None,
        unscrubbed=None,
    )
    if body.confirm is None:
        return told
    erased = 0
    held: set[str] = set()
    for _ in range(ROUNDS):
        gone, stuck = await _erased(door, visitor, theirs)
        erased, held = erased + gone, held | stuck
        theirs, left = split(await _looked_for(door, logs, name), words=body.words)
        if not [one for one in theirs if one.log_id not in held]:
            break
    await _forget(door, name)
    unscrubbed = await asyncio.to_thread(why_unscrubbed, door.archive.store)
    return msgspec.structs.replace(
        told,
        still_mentioned=[_line(one) for one in left],
        erased=erased,
        left=[_line(one) for one in theirs],
        held=sorted(held),
        is_done=not theirs and unscrubbed is None,
        is_scrubbed=unscrubbed is None,
        backups_until=expiry(door.archive.now_ms(), door.settings.backup_days),
        unscrubbed=unscrubbed,
    )


def _logs(door: Door, log: str | None) -> list[str]:
    if log is not None:
        return [door.archive.store.log_head(log).log_id]
    return [head.log_id for head in door.archive.store.logs()]


async def _looked_for(door: Door, logs: Sequence[str], name: str) -> list[Place]:
    return [
        one for log in logs for one in await asyncio.to_thread(places_of, door.archive, log, name)
    ]


def _files(door: Door, logs: Sequence[str], theirs: list[Place]) -> list[FileBeside]:
    return [
        FileBeside(log, match, sha256)
        for log in logs
        for match, sha256 in files_beside(door.archive, log, theirs)
    ]


def _also(door: Door, logs: Sequence[str], name: str, *, is_of_all: bool) -> list[str]:
    joined = door.same.others(name) if is_of_all else []
    return list(dict.fromkeys([*joined, *listed_also(door.archive, logs, name)]))


async def _sealed(door: Door, log: str, name: str) -> list[str]:
    return await asyncio.to_thread(sealed_mentions, door.archive, log, name)


async def _erased(door: Door, visitor: Visitor, theirs: list[Place]) -> tuple[int, set[str]]:
    """How many values were erased, and the logs in which nothing can be. Errors: LedgerError."""
    count, held = 0, set[str]()
    for log_id, part in parts_of(theirs):
        body = {"commitments": list(part)}
        said = EntryIn(door.archive.entry_id(), "disclosure.erased", body)
        try:
            await door.desk.append(
                visitor.hand, log_id, TOURNAMENT_STREAM, [said], expected_version=None
            )
        except RolledBack:
            held.add(log_id)
            continue
        count += len(part)
    return count, held


def _why_still(store: LedgerStore) -> Literal["read", "no_right"] | None:
    return why_unscrubbed(store, anew=True)


async def _forget(door: Door, name: str) -> None:
    """Clear what contains the name and is not a disclosure; then wait for other servers."""
    door.invitations.end_of(lambda holder: is_called(holder, name))
    door.pairings.end_of(lambda label: is_called(label, name))
    if door.archive.is_shared:
        # They can no longer read it, but readers who follow live there must be told.
        await asyncio.sleep(2 * door.settings.poll_ms / 1_000)


def _line(place: Place) -> ErasablePlace:
    return ErasablePlace(place.log_id, place.position, place.path)
