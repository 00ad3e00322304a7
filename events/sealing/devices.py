"""What a device signs: Ed25519 over a draft's bytes, by the key that it was let in with."""

from __future__ import annotations

import base64
import binascii

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def is_signed_by(public: bytes, signature: bytes, raw: bytes) -> bool:
    """Whether the signature is this key's over exactly these bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, raw)
    except (InvalidSignature, ValueError):
        return False
    return True


def decoded(text: str) -> bytes:
    """Bytes of base64, of either alphabet, padded or not. Errors: ValueError."""
    plain = text.translate(_ALPHABET).rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError(f"this is no base64: {error}") from None


_ALPHABET = str.maketrans("-_", "+/")
