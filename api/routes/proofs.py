"""Checkpoints and proofs: that an entry is in a log, and that the log has only grown.

A checkpoint is the tree head, size and root: it proves something to readers who kept an earlier
one. Signed ones, and proofs as files, are in `evidence.py`. Holders of a grant over any part of a
log may read them, and the public if a match of the log is public: `GET /logs/{log}` shows size and
root to the same readers, and hashes, each over a random nonce, reveal nothing about the entries.
For readers without a grant, an entry counts only after the longest delay of the log's matches.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request, Response

from api.refusals import Problem
from api.routes.shared.door import (
    Door,
    LogId,
    door_of,
    json_answer,
    listed_headers,
    may_see,
    tagged_answer,
    visitor_of,
)
from api.routes.shared.due import size_seen
from api.routes.shared.freshness import etag_of
from api.shapes.devices import CheckpointOut, ConsistencyOut, GrowthOut, InclusionOut
from api.shapes.documented import documented
from events.errors import Damaged
from events.store.protocol import LogHead
from events.values import MAX_SAFE_INTEGER

router = APIRouter(tags=["logs"])

_log = logging.getLogger(__name__)

Position = Annotated[
    int,
    Query(ge=0, le=MAX_SAFE_INTEGER, description="Global position of the entry.", examples=[0]),
]
Size = Annotated[
    int | None,
    Query(
        ge=1,
        le=MAX_SAFE_INTEGER,
        description="Size of the log at the checkpoint; its current size if left out.",
        examples=[4],
    ),
]
From = Annotated[
    int,
    Query(
        alias="from",
        ge=1,
        le=MAX_SAFE_INTEGER,
        description="Size of the log at the checkpoint that you hold.",
        examples=[1],
    ),
]


@router.get(
    "/logs/{log}/checkpoint",
    operation_id="getCheckpoint",
    summary="Read size and root of a log",
    **documented(CheckpointOut, problems=(404,), is_view=True),
)
async def get_checkpoint(request: Request, log: LogId) -> Response:
    """The tree head. Keep it: a later one must be proved to extend it.

    `/checkpoint/note` has it signed.
    """
    door = door_of(request)
    admission = await admitted(door, request, log)
    head = await asyncio.to_thread(door.archive.store.log_head, log)
    checkpoint = _checkpoint(head)
    if admission.size < head.size:
        standing = await door.trees.now(log)
        checkpoint = CheckpointOut(admission.size, standing.tree.root(admission.size).hex())
    etag = etag_of(log, checkpoint.size, checkpoint.root)
    headers = {"ETag": etag, **admission.headers}
    return tagged_answer(request, checkpoint, headers)


@router.get(
    "/logs/{log}/proof/inclusion",
    operation_id="getInclusionProof",
    summary="Prove that an entry is in a log",
    **documented(InclusionOut, problems=(404,)),
)
async def get_inclusion_proof(
    request: Request, log: LogId, entry: Position, size: Size = None
) -> Response:
    """Hashes from the entry's leaf hash, which comes first, up to the root (RFC 6962 2.1.1)."""
    door = door_of(request)
    headers, seen = await admitted(door, request, log)
    standing = await door.trees.now(log)
    size = _within(seen, size, "size")
    if entry >= size:
        raise beyond(f"entry {entry} is not among the first {size}", "entry")
    value = InclusionOut(
        entry=entry,
        size=size,
        leaf_hash=standing.tree.leaf(entry).hex(),
        root=standing.tree.root(size).hex(),
        hashes=_hexes(standing.tree.inclusion(entry, size)),
    )
    return json_answer(value, headers=headers)


@router.get(
    "/logs/{log}/proof/consistency",
    operation_id="getConsistencyProof",
    summary="Prove that a log has only grown",
    **documented(ConsistencyOut, problems=(404,)),
)
async def get_consistency_proof(
    request: Request, log: LogId, start: From, to: Size = None
) -> Response:
    """Hashes that prove that the later root extends the one you hold (RFC 6962 2.1.2).

    The earlier root is not in the answer: take it from the checkpoint that you kept.
    """
    door = door_of(request)
    headers, seen = await admitted(door, request, log)
    standing = await door.trees.now(log)
    to = _within(seen, to, "to")
    if start > to:
        raise beyond(f"a log of {start} is no beginning of one of {to}", "from")
    value = ConsistencyOut(
        start=start,
        to=to,
        root=standing.tree.root(to).hex(),
        hashes=_hexes(standing.tree.consistency(start, to)),
    )
    return json_answer(value, headers=headers)


async def proved_since(
    door: Door, log_id: str, size: int | None
) -> tuple[CheckpointOut | None, GrowthOut | None]:
    """The checkpoint as a device gets it, and that it goes on from the one that the device holds.

    Both are null where the stored hashes are damaged: what came in has been taken in all the same,
    and a device that holds a checkpoint takes the missing proof for what it is.
    """
    try:
        standing = await door.trees.now(log_id)
    except Damaged as error:
        _log.error("no checkpoint can be made: %s", error)
        return None, None
    head = standing.head
    consistency = None
    if size and size <= head.size:
        hashes = standing.tree.consistency(size, head.size)
        consistency = GrowthOut(size, _hexes(hashes))
    return _checkpoint(head), consistency


async def covered(door: Door, log_id: str) -> int | None:
    """How many entries of the log devices may let go of; None where the log is not signed here."""
    signing = door.archive.signing
    return None if signing is None else await asyncio.to_thread(signing.kept_size, log_id)


class Admission(NamedTuple):
    """What whoever asks for proofs may know."""

    headers: dict[str, str]
    """The media type of the answer."""
    size: int
    """How many entries the log has, as far as the reader may know."""


async def admitted(door: Door, request: Request, log_id: str) -> Admission:
    """What may be known of a log. Errors: NoSuchLog, Problem 401 or 403."""
    visitor = await visitor_of(door, request, log_id)
    head = await asyncio.to_thread(door.archive.store.log_head, log_id)
    if not visitor.hand.grants:
        await asyncio.to_thread(door.index.catch_up, [log_id])
    if not may_see(door, visitor, log_id):
        raise visitor.refusal("viewer of the log")
    is_granted = bool(visitor.hand.grants)
    seen = await asyncio.to_thread(size_seen, door, log_id, head.size, is_granted=is_granted)
    return Admission(listed_headers(visitor), seen)


def _within(now: int, size: int | None, name: str) -> int:
    if size is None:
        size = now
    if not 0 < size <= now:
        raise beyond(f"the log has {now} entries", name)
    return size


def beyond(detail: str, name: str) -> Problem:
    """What a parameter names is not in the log."""
    return Problem("bad-parameter", detail, where=f"query.{name}")


def _checkpoint(head: LogHead) -> CheckpointOut:
    return CheckpointOut(head.size, head.root.hex())


def _hexes(hashes: list[bytes]) -> list[str]:
    return [each.hex() for each in hashes]
