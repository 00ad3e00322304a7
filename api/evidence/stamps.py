"""Time-stamps over checkpoints (RFC 3161): when a log was so long, by a clock that is not ours.

An authority is asked for a stamp over a checkpoint's text, which is what the log and its witnesses
sign too. Its answer is kept only once it is checked: that it is of this text, asked for with this
number, and made by the authority whose certificate is configured. An authority that cannot be
reached, or answers with anything else, is asked again; why is told in the server's log and in the
director's room, and nobody who appends waits for it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from api.archive.archive import Archive
from api.evidence.witnesses import Answer, Post, Unreachable, posted
from api.settings import Settings
from events.errors import BadInput
from events.sealing.notes import parse_note

if TYPE_CHECKING:
    from rfc3161_client import TimeStampResponse

QUERY_TYPE = "application/timestamp-query"
REPLY_TYPE = "application/timestamp-reply"

MAX_REPLY_BYTES = 65_536
"""A reply with the authority's certificates has a few thousand."""

AGAIN_S = 60.0
"""An authority that did not stamp is asked again after so long."""

_log = logging.getLogger(__name__)


class Authority(NamedTuple):
    """A time-stamping authority, and what is believed to be its certificate."""

    url: str
    pem: bytes
    """Root certificate and those between, as they go into bundles."""
    certificates: tuple[x509.Certificate, ...]


class Unstamped(Exception):
    """What was answered is no stamp of this checkpoint by this authority."""


def authority_of(settings: Settings) -> Authority | None:
    """The archive's authority; None where none is named. Errors: BadInput."""
    if settings.tsa is None:
        return None
    if not settings.tsa.startswith(("https://", "http://")):
        raise BadInput(f"TABULARIUM_TSA: {settings.tsa} is no http URL")
    try:
        import rfc3161_client as _  # noqa: F401 - an extra: told here, not at the first stamp
    except ImportError:
        raise BadInput(
            "TABULARIUM_TSA: stamps take the extra `stamps`:"
            " pip install 'tabularium-backgammon[stamps]'"
        ) from None
    path = settings.tsa_certificate
    if path is None:
        raise BadInput(
            "TABULARIUM_TSA_CERTIFICATE: name the root certificate of the authority (PEM);"
            " without it nobody can tell its stamps from others"
        )
    try:
        pem = path.read_bytes()
        found = tuple(x509.load_pem_x509_certificates(pem))
    except (OSError, ValueError) as error:
        raise BadInput(f"TABULARIUM_TSA_CERTIFICATE: {path} cannot be read: {error}") from None
    if not any(one.issuer == one.subject for one in found):
        raise BadInput(f"TABULARIUM_TSA_CERTIFICATE: {path} holds no root certificate")
    # Nothing but the certificates: remarks between them have no business in a bundle.
    bare = b"".join(one.public_bytes(Encoding.PEM) for one in found)
    return Authority(settings.tsa, bare, found)


def asked(url: str, body: bytes) -> Answer:
    """Send a request for a stamp over the network. Errors: Unreachable."""
    return posted(url, body, kind=QUERY_TYPE, most=MAX_REPLY_BYTES)


def stamp(authority: Authority, text: bytes, *, post: Post = asked) -> bytes:
    """The authority's reply to a text, checked. Errors: Unreachable, Unstamped."""
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    build = TimestampRequestBuilder().data(text).hash_algorithm(HashAlgorithm.SHA256)
    request = build.cert_request(cert_request=True).build()
    answer = post(authority.url, request.as_bytes())
    if answer.status != 200 or answer.kind != REPLY_TYPE:
        kind = answer.kind or "no kind of body"
        raise Unreachable(f"{authority.url} answers {answer.status} with {kind}, not with a stamp")
    stamped_at(authority, answer.body, text, nonce=request.nonce)
    return answer.body


def stamped_at(
    authority: Authority, reply: bytes, text: bytes, *, nonce: int | None = None
) -> datetime:
    """When the authority says that it saw a text. Errors: Unstamped, if this is no stamp of it."""
    from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response

    try:
        read: TimeStampResponse = decode_timestamp_response(reply)
        verifier = VerifierBuilder(roots=list(authority.certificates), nonce=nonce).build()
        verifier.verify_message(read, text)
        return read.tst_info.gen_time.astimezone(UTC)
    except (VerificationError, ValueError, TypeError, OverflowError) as error:
        said = str(error) or type(error).__name__
        raise Unstamped(f"what {authority.url} answers is no stamp of this: {said}") from None


class Stamper:
    """Has checkpoints stamped, and keeps the stamps. Methods block; one thread at a time."""

    def __init__(
        self,
        archive: Archive,
        authority: Authority | None,
        *,
        every_s: float = 3_600.0,
        post: Post = asked,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._archive = archive
        self._every_s = every_s
        self._post = post
        self._clock = clock
        self._due: dict[str, float] = {}
        self._failed: dict[str, str] = {}
        self.authority = authority

    def failed(self, log_id: str) -> str | None:
        """Why the log was not stamped when that was last tried; None = all is well."""
        return self._failed.get(log_id)

    def turn(self, logs: Iterable[str]) -> set[str]:
        """Stamp the last checkpoint of each log whose time has come; those that still wait.

        An authority that is out of reach is asked for one log only, and for all again later.
        """
        waiting = set(logs)
        if self.authority is None:
            return set()
        for log_id in sorted(waiting):
            if self._clock() < self._due.get(log_id, 0.0):
                continue
            try:
                is_done = self._stamp(self.authority, log_id)
            except (Unreachable, Unstamped) as error:
                _log.warning("the log %s is not stamped: %s", log_id, error)
                self._failed[log_id] = str(error)
                again = self._clock() + min(AGAIN_S, self._every_s)
                out_of_reach = waiting if isinstance(error, Unreachable) else {log_id}
                for one in out_of_reach:
                    self._due[one] = max(again, self._due.get(one, 0.0))
            else:
                if is_done:
                    waiting.discard(log_id)
        return waiting

    def _stamp(self, authority: Authority, log_id: str) -> bool:
        """Whether the last checkpoint has a stamp now. Errors: Unreachable, Unstamped."""
        kept = self._archive.store.checkpoint(log_id)
        if kept is None:
            return False
        if kept.token is None:
            text = parse_note(kept.note).text.encode()
            token = stamp(authority, text, post=self._post)
            self._archive.store.keep_token(log_id, kept.size, token)
            self._due[log_id] = self._clock() + self._every_s
        self._failed.pop(log_id, None)
        return True
