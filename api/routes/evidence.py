"""Evidence over HTTP: signed checkpoints, proofs as files, keys, trust policies, bundles.

Every reader who may know that a log exists may have its signed hashes, as in `proofs.py`: hashes
reveal nothing about what was recorded. A bundle shows no more of its match than an export does.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from api.evidence.bundle import BARE, FULL, PUBLIC, Wanted
from api.evidence.evidence import bundled, cosigned_note, kept_note, signing_of
from api.evidence.files import zipped
from api.evidence.witnesses import policy_for
from api.html.kept import is_known
from api.routes.proofs import From, Position, admitted, beyond
from api.routes.shared.door import (
    Door,
    LogId,
    MatchId,
    Sight,
    check_embargo,
    door_of,
    json_answer,
    sight_of,
)
from api.routes.shared.freshness import cache_headers, etag_of
from api.shapes.devices import LogKeysOut
from api.shapes.documented import documented
from events.payloads.access import Role
from events.sealing.notes import Note, parse_checkpoint
from events.sealing.proofs import EntryProof, Growth
from events.values import MAX_SAFE_INTEGER
from projections.views.showing import Reader

router = APIRouter(tags=["evidence"])

NOTES = "text/plain; charset=utf-8"
"""Notes, proofs and policies are text, whatever the names of their files."""

Profile = Annotated[
    Literal["full", "public", "bare"] | None,
    Query(
        description="All that the archive holds (for directors), what anybody may read, or no"
        " personal value; as much as is yours if left out.",
        examples=["public"],
    ),
]
Since = Annotated[
    int | None,
    Query(
        ge=1,
        le=MAX_SAFE_INTEGER,
        description="Size of a checkpoint that you kept: shown is that the log has only grown.",
        examples=[1],
    ),
]


@router.get(
    "/logs/{log}/checkpoint/note",
    operation_id="getSignedCheckpoint",
    summary="Read a log's signed checkpoint",
    **documented(None, problems=(404, 409), is_view=True),
)
async def get_signed_checkpoint(request: Request, log: LogId) -> Response:
    """A signed note (c2sp.org/tlog-checkpoint), with the signatures of witnesses.

    It is at most a second older than the log. Keep it: with an old checkpoint you can detect that
    the history before it was rewritten.
    """
    door = door_of(request)
    headers, seen = await admitted(door, request, log)
    note = await _note(door, log, seen)
    return _text(request, note.raw, headers)


@router.get(
    "/logs/{log}/proof/entry",
    operation_id="getEntryProof",
    summary="Prove one entry to somebody else",
    **documented(None, problems=(404, 409)),
)
async def get_entry_proof(request: Request, log: LogId, entry: Position) -> Response:
    """One file with the whole proof (c2sp.org/tlog-proof): index, path, signed checkpoint."""
    door = door_of(request)
    headers, seen = await admitted(door, request, log)
    if entry >= seen:
        raise beyond(f"the log has {seen} entries", "entry")
    note = await _note(door, log, seen, reaching=entry + 1)
    standing = await door.trees.now(log)
    path = tuple(standing.tree.inclusion(entry, _size(note)))
    headers["Content-Disposition"] = f'attachment; filename="{log}-{entry}.tlog-proof"'
    return _text(request, EntryProof(entry, path, note).raw, headers)


@router.get(
    "/logs/{log}/proof/growth",
    operation_id="getGrowthProof",
    summary="Prove to a witness that a log has only grown",
    **documented(None, problems=(404, 409)),
)
async def get_growth_proof(request: Request, log: LogId, start: From) -> Response:
    """The signed checkpoint, and a proof that it extends the checkpoint you hold.

    The format is the request `add-checkpoint` of witnesses (c2sp.org/tlog-witness).
    """
    door = door_of(request)
    headers, seen = await admitted(door, request, log)
    if start > seen:
        raise beyond(f"the log has {seen} entries: of {start} nothing is known", "from")
    note = await _note(door, log, seen, reaching=start)
    standing = await door.trees.now(log)
    path = tuple(standing.tree.consistency(start, _size(note)))
    return _text(request, Growth(start, path, note).raw, headers)


@router.get(
    "/logs/{log}/policy",
    operation_id="getTrustPolicy",
    summary="Read the trust policy of a log",
    **documented(None, problems=(404, 409)),
)
async def get_trust_policy(request: Request, log: LogId) -> Response:
    """The log's keys, its witnesses, and how many of them must sign (c2sp.org/tlog-policy)."""
    door = door_of(request)
    headers, _ = await admitted(door, request, log)
    signing_of(door.archive)
    policy = await asyncio.to_thread(policy_for, door.archive, log, door.policy)
    return _text(request, str(policy).encode(), headers)


@router.get(
    "/logs/{log}/keys",
    operation_id="getLogKeys",
    summary="Read the public keys of a log",
    **documented(LogKeysOut, problems=(404, 409)),
)
async def get_log_keys(request: Request, log: LogId) -> Response:
    """All keys that the log has had, the current one first.

    A key from here does not prove whose key it is: compare it with the key that was published where
    the rules are posted.
    """
    door = door_of(request)
    headers, _ = await admitted(door, request, log)
    keyring = signing_of(door.archive).keyring
    keys = await asyncio.to_thread(keyring.verifiers, log)
    return json_answer(LogKeysOut([str(key) for key in keys]), headers=headers)


@router.head("/logs/{log}/matches/{match}/evidence", include_in_schema=False)
@router.get(
    "/logs/{log}/matches/{match}/evidence",
    operation_id="getEvidence",
    summary="Download a match as evidence, as at `bundle.zip`",
    **documented(None, problems=(404, 409), is_view=True),
)
@router.head("/logs/{log}/matches/{match}/bundle.zip", include_in_schema=False)
@router.get(
    "/logs/{log}/matches/{match}/bundle.zip",
    operation_id="exportBundle",
    summary="Download a match as evidence",
    **documented(None, problems=(404, 409), is_view=True),
)
async def export_bundle(
    request: Request, log: LogId, match: MatchId, profile: Profile = None, since: Since = None
) -> Response:
    """Sealed bytes, proofs, disclosures, the signed checkpoint, and scripts that verify them.

    The zip file is the same for the same state of the log. For a reader without a grant it ends at
    the entry up to which he is shown the match. A committee is given a pack instead.
    """
    door = door_of(request)
    sight = await sight_of(request, log, match)
    await check_embargo(door, sight)
    wanted = Wanted(log, match, _profile(sight, profile), since, sight.version)
    [last] = await asyncio.to_thread(
        door.archive.store.read_stream, log, match, after=sight.version - 1, limit=1
    )
    _, seen = await admitted(door, request, log)
    if since is not None and since > seen:
        raise beyond(f"the log has {seen} entries: of {since} nothing is known", "since")
    reaching = max(last.global_position + 1, since or 0)
    most = await asyncio.to_thread(_most, door, log, seen, reaching)
    note = await asyncio.to_thread(
        cosigned_note, door.archive, log, door.policy, reaching=reaching, at_most=most
    ) or await asyncio.to_thread(kept_note, door.archive, log, reaching=reaching, at_most=most)
    standing = await door.trees.now(log)

    def made() -> bytes:
        files = bundled(
            door.archive,
            wanted,
            policy=door.policy,
            authority=door.stamper.authority,
            tree=standing.tree,
            note=note,
            at_most=most,
        )
        return zipped(files, folder=f"{log}_{match}")

    body = await asyncio.to_thread(made)
    etag = etag_of("bundle", hashlib.sha256(body).hexdigest())
    headers = cache_headers(etag, is_public=not sight.is_granted)
    if is_known(request, etag):
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{log}_{match}.zip"'
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Content-Length"] = str(len(body))
    return Response(
        b"" if request.method == "HEAD" else body, headers=headers, media_type="application/zip"
    )


async def _note(door: Door, log: str, seen: int, *, reaching: int = 1) -> Note:
    """The newest checkpoint of at least `reaching` entries, for a reader who may count `seen`."""
    most = await asyncio.to_thread(_most, door, log, seen, reaching)
    return await asyncio.to_thread(kept_note, door.archive, log, reaching=reaching, at_most=most)


def _most(door: Door, log: str, seen: int, reaching: int) -> int | None:
    """Size of the largest checkpoint that may be shown; None = any. Reads the store.

    An entry may be shown before the longest delay of the log allows it to be counted: then it is
    the smallest checkpoint that covers that entry.
    """
    store = door.archive.store
    if seen >= store.log_head(log).size:
        return None
    if reaching <= seen:
        return seen
    return min((size for size in store.checkpoint_sizes(log) if size >= reaching), default=None)


def _profile(sight: Sight, asked: str | None) -> str:
    """The profile asked for.

    Errors: Problem 401 or 403 if it shows more than the reader may see.
    """
    reader = sight.showing.reader
    if reader is Reader.COMMITTEE:
        raise sight.visitor.refusal("somebody who is no member of a committee, which gets a pack")
    # It includes testimony that is kept from the players, and what tablets signed: only a director
    # may give these out.
    most = FULL if reader is Reader.DIRECTOR else PUBLIC
    if asked is None:
        return most
    if asked not in (most, PUBLIC, BARE):
        raise sight.visitor.refusal(f"{Role.DIRECTOR.value} of the match, for the profile {asked}")
    return asked


def _text(request: Request, body: bytes, headers: dict[str, str]) -> Response:
    etag = etag_of("evidence", hashlib.sha256(body).hexdigest())
    headers = {"ETag": etag, **headers, "X-Content-Type-Options": "nosniff"}
    if is_known(request, etag):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=NOTES)


def _size(note: Note) -> int:
    return parse_checkpoint(note.text).size
