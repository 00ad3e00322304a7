"""Signed notes, exactly as C2SP says: checkpoints, their signatures, the cosignatures of witnesses.

    archive.example/logs/7f3c                      origin          ┐
    63                                             size            │ the text: what is signed,
    uVNV09o4xHXbmih6R6nrG9pS4u/RXUCIRtrykd+5YyE=   root            ┘ with its last newline
                                                   a blank line
    — archive.example/logs/7f3c <base64>           key id (4 bytes) and signature

The one place that knows keys. A key id only says which key is meant; that the key is the log's is
known from elsewhere: from the notice board, the score sheet, the federation.
Sources: c2sp.org/signed-note, c2sp.org/tlog-checkpoint, c2sp.org/tlog-cosignature.
"""

from __future__ import annotations

import base64
import binascii
import enum
import hashlib
import re
import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from events.errors import BadNote, Unverified
from events.sealing.merkle import HASH_BYTES

# The keys' library is loaded where a key is used: a command that shows a match uses none.
if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ed25519

MAX_NOTE_BYTES = 256 * 1024
"""A note is refused above: 16 signatures of any kind have room many times over."""

MAX_SIZE = 2**63 - 1
"""A log has no more entries than this, and a cosignature no later time."""

KEY_BYTES = 32
"""Of an Ed25519 key, public or private (RFC 8032)."""

_ID_BYTES = 4
_TIME_BYTES = 8
_DASH = "— "
_PRIVATE = "PRIVATE+KEY+"
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_NAME = re.compile(r"[^\s+\x00-\x20]+")


class Kind(enum.IntEnum):
    """What a signature is over; the byte that c2sp.org/signed-note assigns to it."""

    ED25519 = 0x01
    """The text of the note itself: a log signs so."""
    COSIGNATURE = 0x04
    """The text behind a header and a time: a witness signs so."""
    ML_DSA_44 = 0x06
    """The same statement in a scheme that quantum computers do not break."""


_LENGTHS = {Kind.ED25519: KEY_BYTES, Kind.COSIGNATURE: KEY_BYTES, Kind.ML_DSA_44: 1312}


class VerifierKey(NamedTuple):
    """A public key with the name that it signs by; `str()` is the text that is published."""

    name: str
    """Origin of the log, or name of the witness."""
    kind: Kind
    public: bytes
    """32 bytes of Ed25519, 1,312 of ML-DSA-44."""

    @property
    def key_id(self) -> bytes:
        """Four bytes that say which key is meant, and prove nothing."""
        return hashlib.sha256(
            self.name.encode() + b"\n" + bytes([self.kind]) + self.public
        ).digest()[:_ID_BYTES]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{to_base64(bytes([self.kind]) + self.public)}"


def parse_verifier_key(text: str) -> VerifierKey:
    """The key in `<name>+<hex key id>+<base64 of kind and key>`. Errors: BadNote."""
    name, marked, material = _parted(text, text)
    key = VerifierKey(name, *_kind_and_key(material, text))
    if marked != key.key_id.hex():
        raise BadNote(f"the key {_short(text)} is damaged: its id is {key.key_id.hex()}")
    return key


class Signature(NamedTuple):
    """One signature line; `str()` is the line without its newline."""

    name: str
    key_id: bytes
    raw: bytes
    """For a cosignature: eight bytes of time, then the signature."""

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {to_base64(self.key_id + self.raw)}"

    @property
    def seconds(self) -> int:
        """When a witness signed, in seconds since 1970; only for what is a cosignature."""
        (found,) = struct.unpack(">Q", self.raw[:_TIME_BYTES])
        return int(found)


class Checkpoint(NamedTuple):
    """Where a log stands: the three lines that are signed."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text of the note, its last newline included."""
        return f"{self.origin}\n{self.size}\n{to_base64(self.root)}\n"


class Note(NamedTuple):
    """A text and the signatures under it, known or not."""

    text: str
    """With its last newline, without the blank line."""
    signatures: tuple[Signature, ...]

    @property
    def raw(self) -> bytes:
        """The whole note."""
        return f"{self.text}\n{lines_of(self.signatures)}".encode()

    def verified(self, keys: Iterable[VerifierKey]) -> list[VerifierKey]:
        """Which of these keys signed, in the order of the lines.

        What unknown keys signed is passed over. Errors: Unverified where a known key's signature is
        false, or none of the keys signed.
        """
        known = {(key.name, key.key_id): key for key in keys}
        found: list[VerifierKey] = []
        for signature in self.signatures:
            key = known.get((signature.name, signature.key_id))
            if key is None:
                continue
            if not _verifies(self.text, signature, key):
                raise Unverified(f"the signature of {key.name} is not over this text")
            if key not in found:
                found.append(key)
        if not found:
            names = ", ".join(sorted({f"{key.name}+{key.key_id.hex()}" for key in known.values()}))
            raise Unverified(f"no signature by {names or 'a known key'}")
        return found

    def with_signatures(self, more: Sequence[Signature]) -> Note:
        """The same note with further lines; a line that is there stays once."""
        fresh = [one for one in more if one not in self.signatures]
        return Note(self.text, (*self.signatures, *fresh))


def lines_of(signatures: Iterable[Signature]) -> str:
    """Signature lines, each with its newline."""
    return "".join(f"{one}\n" for one in signatures)


def parse_note(raw: bytes) -> Note:
    """A note from its bytes. Errors: BadNote; whether a signature is true is asked of the note."""
    if len(raw) > MAX_NOTE_BYTES:
        raise BadNote(f"a note has at most {MAX_NOTE_BYTES} bytes, this one {len(raw)}")
    text = _plain_text(raw)
    head, blank, tail = text.rpartition("\n\n")
    if not blank:
        raise BadNote("a note is a text, a blank line, and signatures")
    return Note(head + "\n", parse_signatures(tail))


def parse_signatures(text: str) -> tuple[Signature, ...]:
    """One or more signature lines, each with its newline. Errors: BadNote."""
    lines = text.split("\n")
    if lines.pop() or not lines:
        raise BadNote("a note ends with signature lines, each with its newline")
    return tuple(_signature(line) for line in lines)


def parse_signature_lines(raw: bytes) -> tuple[Signature, ...]:
    """The same of bytes, as a witness answers (c2sp.org/tlog-witness). Errors: BadNote."""
    if len(raw) > MAX_NOTE_BYTES:
        raise BadNote("that is more than any number of witnesses would sign")
    return parse_signatures(_plain_text(raw))


def parse_checkpoint(text: str) -> Checkpoint:
    """The first three lines of a note's text (c2sp.org/tlog-checkpoint). Errors: BadNote."""
    lines = text.split("\n")
    if len(lines) < 4 or lines[-1] or not all(lines[:-1]):
        raise BadNote("a checkpoint is an origin, a size and a root, each on a line of its own")
    origin, size, root = lines[:3]
    return Checkpoint(origin, decimal(size, "the size"), hash_of(root, "the root"))


class SigningKey:
    """A private Ed25519 key with its name; it never prints itself but in `secret`."""

    def __init__(self, name: str, seed: bytes, *, kind: Kind = Kind.ED25519) -> None:
        if not _NAME.fullmatch(name):
            raise BadNote(f"{name!r} cannot name a key: it has a space, a plus sign, or is empty")
        if kind not in (Kind.ED25519, Kind.COSIGNATURE):
            raise BadNote("a key that signs here is one of Ed25519")
        from cryptography.hazmat.primitives.asymmetric import ed25519

        self._private = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
        self._seed = seed
        public = self._private.public_key().public_bytes_raw()
        self.verifier = VerifierKey(name, kind, public)
        """What the world gets to know of it."""

    @property
    def secret(self) -> str:
        """The text that is kept in a file of its own: whoever reads it can sign in the log's name.

        The spelling of Go's golang.org/x/mod/sumdb/note, which other log tools read as well.
        """
        key = self.verifier
        return (
            f"{_PRIVATE}{key.name}+{key.key_id.hex()}+{to_base64(bytes([key.kind]) + self._seed)}"
        )

    def sign(self, text: str) -> Signature:
        """Sign a note's text as a log does."""
        key = self.verifier
        return Signature(key.name, key.key_id, self._private.sign(text.encode()))

    def cosign(self, text: str, *, seconds: int) -> Signature:
        """Sign a checkpoint's text as a witness does, at a time in seconds since 1970."""
        key = self.verifier
        signed = self._private.sign(_cosigned(text, seconds))
        return Signature(key.name, key.key_id, struct.pack(">Q", seconds) + signed)


def parse_signing_key(text: str) -> SigningKey:
    """The key from its `secret`. Errors: BadNote, which never holds what it could not read."""
    if not text.startswith(_PRIVATE):
        raise BadNote("that is no private key: it begins with PRIVATE+KEY+")
    shown = "of that name"
    name, marked, material = _parted(text.removeprefix(_PRIVATE), shown)
    kind, seed = _kind_and_key(material, shown)
    key = SigningKey(name, seed, kind=kind)
    if marked != key.verifier.key_id.hex():
        raise BadNote(f"the private key of {name} is damaged: its id does not fit")
    return key


def to_base64(raw: bytes) -> str:
    """Standard base64, padded (RFC 4648 section 4)."""
    return base64.b64encode(raw).decode("ascii")


def from_base64(text: str, what: str) -> bytes:
    """Bytes from their one spelling: bits that no byte needs must be zero. Errors: BadNote."""
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise BadNote(f"{what} is not base64") from None
    if to_base64(raw) != text:
        raise BadNote(f"{what} is not base64 as it is spelled: {_short(text)}")
    return raw


def hash_of(text: str, what: str) -> bytes:
    """A SHA-256 from its base64. Errors: BadNote."""
    raw = from_base64(text, what)
    if len(raw) != HASH_BYTES:
        raise BadNote(f"{what} has {len(raw)} bytes; a hash has {HASH_BYTES}")
    return raw


def decimal(text: str, what: str) -> int:
    """A whole number without leading zeroes, up to MAX_SIZE. Errors: BadNote."""
    if not _DECIMAL.fullmatch(text) or int(text) > MAX_SIZE:
        raise BadNote(f"{what} is not a decimal number without leading zeroes: {_short(text)}")
    return int(text)


def _plain_text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise BadNote("a note is UTF-8") from None
    if any(letter < " " and letter != "\n" for letter in text):
        raise BadNote("a note holds no control character but newlines")
    return text


def _signature(line: str) -> Signature:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not _NAME.fullmatch(name):
        raise BadNote(f"{_short(line)} is no signature line: — NAME BASE64")
    raw = from_base64(encoded, f"the signature of {_short(name)}")
    if len(raw) <= _ID_BYTES:
        raise BadNote(f"the signature of {_short(name)} is too short")
    return Signature(name, raw[:_ID_BYTES], raw[_ID_BYTES:])


def _parted(text: str, shown: str) -> tuple[str, str, str]:
    name, plus, rest = text.strip().partition("+")
    marked, second, material = rest.partition("+")
    if not plus or not second or not _NAME.fullmatch(name):
        raise BadNote(f"the key {_short(shown)} is not NAME+ID+BASE64")
    return name, marked, material


def _kind_and_key(material: str, shown: str) -> tuple[Kind, bytes]:
    raw = from_base64(material, f"the key {_short(shown)}")
    try:
        kind = Kind(raw[0]) if raw else None
    except ValueError:
        kind = None
    if kind is None or len(raw) != 1 + _LENGTHS[kind]:
        raise BadNote(f"the key {_short(shown)} is of a kind that is not known here")
    return kind, raw[1:]


def _verifies(text: str, signature: Signature, key: VerifierKey) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        if key.kind is Kind.ED25519:
            _ed25519(key).verify(signature.raw, text.encode())
            return True
        if len(signature.raw) <= _TIME_BYTES or signature.seconds > MAX_SIZE:
            return False
        signed = signature.raw[_TIME_BYTES:]
        if key.kind is Kind.COSIGNATURE:
            _ed25519(key).verify(signed, _cosigned(text, signature.seconds))
        else:
            # Few witnesses have such a key yet, and the module takes a while to load.
            from cryptography.hazmat.primitives.asymmetric import mldsa

            message = _cosigned_subtree(text, key.name, signature.seconds)
            mldsa.MLDSA44PublicKey.from_public_bytes(key.public).verify(signed, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _ed25519(key: VerifierKey) -> ed25519.Ed25519PublicKey:
    from cryptography.hazmat.primitives.asymmetric import ed25519

    return ed25519.Ed25519PublicKey.from_public_bytes(key.public)


def _cosigned(text: str, seconds: int) -> bytes:
    """What a witness signs with Ed25519."""
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def _cosigned_subtree(text: str, name: str, seconds: int) -> bytes:
    """What a witness signs with ML-DSA-44: the whole tree as one subtree."""
    checkpoint = parse_checkpoint(text)
    return b"".join(
        (
            b"subtree/v1\n\0",
            _counted(name),
            struct.pack(">Q", seconds),
            _counted(checkpoint.origin),
            struct.pack(">QQ", 0, checkpoint.size),
            checkpoint.root,
        )
    )


def _counted(text: str) -> bytes:
    raw = text.encode()
    return bytes([len(raw)]) + raw  # ValueError: more than 255 bytes have no such statement


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")
