"""Salted commitments: an event holds a personal value only as a hash, opened by a disclosure.

A disclosure is the canonical JSON array `[salt, name, value]`; its commitment is the SHA-256 of
those bytes and stands in the body as `{"sd": "<hex>"}`. The shape is that of SD-JWT (RFC 9901),
which hashes the base64url text of the array where this archive hashes the bytes themselves, so that
`sha256sum` checks a disclosure file.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import orjson

from events.values import Sha256

SALT_BYTES = 16
"""Length of a salt: 128 random bits for each value in each event, never reused."""

LONGEST = 4_096
"""The most characters that a personal value may have."""

HEADERS = "headers"
"""The only personal value that is not a text: header lines of an imported file, as a list."""


class Commitment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hash of a disclosure; in JSON `{"sd": "<64 hex digits>"}`."""

    sd: Sha256
    """Lower-case hex SHA-256 of the disclosure's bytes."""


class Disclosed(msgspec.Struct, frozen=True):
    """A committed value whose disclosure is available."""

    value: Any
    """The value as JSON."""


class Withheld(msgspec.Struct, frozen=True):
    """A committed value whose disclosure is erased, or is not shown to this reader."""


WITHHELD = Withheld()


def text_of(value: object) -> str | None:
    """A committed value as text; None if it is withheld or absent."""
    return str(value.value) if isinstance(value, Disclosed) else None


def disclose(salt: bytes, name: str, value: object) -> tuple[Commitment, bytes]:
    """The commitment to `value` and the raw disclosure that opens it.

    `salt` is 16 fresh random bytes made at the door; `name` is the member's path in the body.
    """
    raw = disclosure_of(salt, name, value)
    return Commitment(commitment_of(raw)), raw


def disclosure_of(salt: bytes, name: str, value: object) -> bytes:
    """The raw disclosure alone, for callers that compute its commitment later."""
    return orjson.dumps([salt.hex(), name, value], option=orjson.OPT_SORT_KEYS)


def commitment_of(raw: bytes) -> str:
    """The commitment, in hex, that the raw disclosure opens."""
    return hashlib.sha256(raw).hexdigest()


def opened(raw: bytes) -> tuple[str, str, Any]:
    """(salt hex, name, value) of a raw disclosure."""
    salt, name, value = orjson.loads(raw)
    return salt, name, value
