"""Witnesses of this archive's logs: who is asked to sign that a log has only grown, and how.

The archive is a client of c2sp.org/tlog-witness: it sends each new checkpoint with the proof that
it continues the one that the witness knows, and stores the witness's signature. A witness that
cannot be reached is asked again. A refusal is reported in the server's log and in the room, because
it means that the log is not the one that the witness knows.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import httpx

from api.archive.archive import Archive
from api.archive.signing import signer_of
from api.evidence.seldom import Seldom
from api.settings import Settings
from events.errors import BadInput, BadNote, Unverified
from events.sealing.notes import (
    MAX_NOTE_BYTES,
    Note,
    Signature,
    decimal,
    parse_checkpoint,
    parse_note,
    parse_signature_lines,
)
from events.sealing.policy import NONE, Policy, Witness, parse_policy
from events.sealing.proofs import Growth
from events.sealing.tree import Tree

TIMEOUT_S = 10.0
"""How long to wait for a witness, in seconds; then it is asked again later."""

SIZE_TYPE = "text/x.tlog.size"
"""What a witness answers with that holds a checkpoint of another size."""

NOBODY = Policy(())
"""The policy of an archive that has no witnesses."""

NO_HEADERS: Mapping[str, str] = MappingProxyType({})
"""None but those of every request."""

_TRIES = 3

_log = logging.getLogger(__name__)


class Answer(NamedTuple):
    """What a witness answered."""

    status: int
    kind: str
    """Media type, without parameters."""
    body: bytes


Post = Callable[[str, bytes], Answer]
"""Sends a body to an address. Errors: OSError where nobody answers."""


class Unreachable(Exception):
    """Nobody answers, or not as a witness does: to be asked again later."""


class Refused(Exception):
    """The witness does not sign: the log is not the one that it knows."""


def policy_of(settings: Settings) -> Policy:
    """The witnesses of the archive, and how many must sign. Errors: BadInput, BadNote."""
    if settings.witnesses is None:
        return NOBODY
    try:
        policy = parse_policy(settings.witnesses.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"TABULARIUM_WITNESSES: {settings.witnesses} cannot be read: {error}"
        ) from None
    for one in policy.witnesses:
        if one.url is not None and not one.url.startswith(("https://", "http://")):
            raise BadInput(f"TABULARIUM_WITNESSES: the address of {one.name} is no http URL")
    return policy


def posted(
    url: str, body: bytes, *, kind: str = "text/plain", most: int = MAX_NOTE_BYTES
) -> Answer:
    """Send a body over the network, and read at most the largest allowed answer."""
    return answered("POST", url, body, {"Content-Type": kind}, most=most)


def answered(
    method: str,
    url: str,
    body: bytes | None = None,
    headers: Mapping[str, str] = NO_HEADERS,
    *,
    most: int = MAX_NOTE_BYTES,
    timeout_s: float = TIMEOUT_S,
) -> Answer:
    """The answer of an address, within a limited total time. Errors: Unreachable."""
    asking = _answered(method, url, body, {"Accept-Encoding": "identity", **headers}, most)
    try:
        # The client's own timeout applies to each byte, so a slow sender could hold it for ever.
        return asyncio.run(asyncio.wait_for(asking, timeout_s))
    except TimeoutError:
        raise Unreachable(f"{url} takes longer than {timeout_s:g} seconds") from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unreachable(f"{url}: {str(error) or type(error).__name__}") from None


async def _answered(
    method: str, url: str, body: bytes | None, headers: Mapping[str, str], most: int
) -> Answer:
    async with (
        httpx.AsyncClient(timeout=None, follow_redirects=False) as client,
        client.stream(method, url, content=body, headers=headers) as answer,
    ):
        read = b""
        # Not decompressed: a few bytes could expand to any number.
        async for chunk in answer.aiter_raw():
            read += chunk
            if len(read) > most:
                raise Unreachable(f"{url} answers with more than {most} bytes")
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        return Answer(answer.status_code, kind, read)


def cosignature(
    witness: Witness, note: Note, tree: Tree, *, old: int = 0, post: Post = posted
) -> Signature:
    """What a witness signs under a note, checked by its key.

    `old` is the size that it is believed to know. Errors: Unreachable, Refused.
    """
    size = parse_checkpoint(note.text).size
    address = f"{(witness.url or '').rstrip('/')}/add-checkpoint"
    for _ in range(_TRIES):
        path = tuple(tree.consistency(old, size)) if old else ()
        answer = post(address, Growth(old, path, note).raw)
        if answer.status == 200:
            return _checked(witness, note, answer.body)
        if answer.status != 409:
            break
        known = _size(witness, answer)
        if known == old:
            raise Refused(f"{witness.name} knows another log of {known} entries")
        if known > size:
            raise Refused(f"{witness.name} has seen {known} entries; the log has {size}")
        old = known
    said = answer.body[:200].decode("ascii", "replace").strip()
    if answer.status == 422:
        raise Refused(f"{witness.name} does not sign: {said}")
    # It may not know the log, or its new key, which says nothing about the entries.
    raise Unreachable(f"{witness.name} answers {answer.status}: {said}")


class Collector:
    """Has what is signed cosigned, and keeps it. Methods block; one thread at a time."""

    def __init__(
        self,
        archive: Archive,
        policy: Policy,
        *,
        post: Post = posted,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._archive = archive
        self._seldom = Seldom(_log, clock)
        self._post = post
        self._known: dict[tuple[str, str], int] = {}
        self._refused: dict[str, dict[str, str]] = {}
        self.witnesses = tuple(one for one in policy.witnesses if one.url is not None)
        """Those that have an address."""

    def refused(self, log_id: str) -> Mapping[str, str]:
        """Witness to why it did not sign the log when it was last asked; {} = all is well."""
        return self._refused.get(log_id, {})

    def collect(self, log_id: str, tree: Tree) -> bool:
        """Ask every witness to sign the last checkpoint of a log; False if one did not answer."""
        kept = self._archive.store.checkpoint(log_id)
        if kept is None or tree.size < kept.size:
            return False
        note, is_done = parse_note(kept.note), True
        for witness in self.witnesses:
            marked = f"{witness.key.name}+{witness.key.key_id.hex()}"
            if marked in kept.lines:
                continue
            where = f"the log {log_id} is not cosigned by {witness.name}"
            known = min(self._known.get((log_id, marked), 0), kept.size)
            try:
                signed = cosignature(witness, note, tree, old=known, post=self._post)
            except Unreachable as error:
                self._seldom.tell(logging.WARNING, f"{where}: {error}")
                is_done = False
            except Refused as error:
                self._seldom.tell(logging.ERROR, f"{where}: {error}")
                self._refused.setdefault(log_id, {})[witness.name] = str(error)
            else:
                self._seldom.well(where)
                self._known[log_id, marked] = kept.size
                self._refused.get(log_id, {}).pop(witness.name, None)
                lines = {signer_of(signed): str(signed).encode()}
                self._archive.store.keep_signatures(log_id, kept.size, lines)
        return is_done


def policy_for(archive: Archive, log_id: str, policy: Policy) -> Policy:
    """Whom to believe about one log: its keys, and the archive's witnesses."""
    assert archive.signing is not None, "nothing is signed without"
    logs = archive.signing.keyring.verifiers(log_id)
    quorum = policy.quorum if policy.witnesses else NONE
    return Policy(logs, policy.witnesses, policy.groups, quorum)


def _checked(witness: Witness, note: Note, body: bytes) -> Signature:
    """The witness's own line of an answer. Errors: Unreachable, where it is not what it signs."""
    try:
        lines = parse_signature_lines(body)
        Note(note.text, lines).verified([witness.key])
    except (BadNote, Unverified) as error:
        raise Unreachable(f"what {witness.name} answers is not its signature: {error}") from None
    key = witness.key
    return next(one for one in lines if (one.name, one.key_id) == (key.name, key.key_id))


def _size(witness: Witness, answer: Answer) -> int:
    try:
        if answer.kind != SIZE_TYPE:
            raise BadNote(f"the answer is {answer.kind or 'of no kind'}, not {SIZE_TYPE}")
        return decimal(answer.body.decode("ascii", "replace").removesuffix("\n"), "the size")
    except BadNote as error:
        raise Refused(f"{witness.name} refuses (409): {error}") from None
