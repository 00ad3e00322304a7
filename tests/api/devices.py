"""A tablet as tests need it: makes drafts, chains and signs them, and sends them in any order."""

from __future__ import annotations

import base64
import hashlib
import itertools
import uuid
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events.canonical import canonical
from events.personal import disclose

_numbers = itertools.count(1)

Sent = dict[str, Any]
"""One item of a batch, as it goes over the wire."""


def _entry_id(number: int) -> str:
    """A new version 4 UUID; the version is in the middle of the number."""
    return str(uuid.UUID(int=(number & 0xFFF) << 64 | (number >> 12) << 80, version=4))


class Tablet:
    """One device: its key, its token, and the end of its chain."""

    def __init__(self, name: str = "t1", *, signs: bool = True, epoch: int = 1) -> None:
        self.name = name
        self.epoch = epoch
        self.token = hashlib.sha256(f"{name}/{epoch}".encode()).hexdigest()
        self.key = Ed25519PrivateKey.from_private_bytes(
            hashlib.sha256(f"key of {name}/{epoch}".encode()).digest()
        )
        self.signs = signs
        self.seq = 0
        self.prev: str | None = None

    @property
    def token_sha256(self) -> str:
        """What the ledger keeps of its token."""
        return hashlib.sha256(self.token.encode()).hexdigest()

    @property
    def public_key(self) -> str | None:
        """Base64, or nothing where it signs nothing."""
        if not self.signs:
            return None
        return base64.b64encode(self.key.public_key().public_bytes_raw()).decode()

    def granted(self) -> dict[str, Any]:
        """Body of the `access.granted` that lets it in."""
        return {
            "token_sha256": self.token_sha256,
            "role": "scribe",
            "scope": {"kind": "log"},
            "device": {"id": self.name, "public_key": self.public_key, "epoch": self.epoch},
        }

    def record(self, tag: str, at: int, /, *, stream: str = "m1", **more: Any) -> Sent:
        """The next draft of its chain, made when the stream was at version `at`."""
        self.seq += 1
        members = {**self._members(tag, at, stream), **more}
        raw = canonical(members)
        self.prev = hashlib.sha256(raw).hexdigest()
        return self.item(raw)

    def item(self, raw: bytes, *disclosures: bytes) -> Sent:
        """These bytes, signed, as an item."""
        signature = base64.urlsafe_b64encode(self.key.sign(raw)).rstrip(b"=").decode()
        return {
            "draft": base64.b64encode(raw).decode(),
            "signature": signature if self.signs else None,
            "disclosures": [base64.b64encode(one).decode() for one in disclosures],
        }

    def named(self, tag: str, at: int, member: str, value: object, **more: Any) -> Sent:
        """The next draft, with one personal value committed to in its body and disclosed."""
        salt = next(_numbers).to_bytes(16, "big")
        commitment, raw = disclose(salt, member, value)
        body = {**more.pop("body", {}), member: {"sd": commitment.sd}}
        sent = self.record(tag, at, body=body, **more)
        return {**sent, "disclosures": [base64.b64encode(raw).decode()]}

    def _members(self, tag: str, at: int, stream: str) -> dict[str, Any]:
        return {
            "entry_id": _entry_id(next(_numbers)),
            "stream": stream,
            "tag": tag,
            "schema": 1,
            "basis": "observed",
            "body": {},
            "device": self.name,
            "epoch": self.epoch,
            "device_seq": self.seq,
            "device_prev": self.prev,
            "lease": 1,
            "expected_version": at,
            "expected_head": None,
            "occurred_at": 1_800_000_000_000 + self.seq * 1_000,
            "elapsed_ms": self.seq * 1_000,
        }


def raw_of(sent: Sent) -> bytes:
    """The draft's bytes of an item."""
    return base64.b64decode(sent["draft"])
