"""What kind of file some bytes are, told from their content, and the text in them."""

from __future__ import annotations

import codecs
import enum
import re

import msgspec

from api.exchange.reading.facts import AGAIN, Notice, NoticeCode, Refused

MAX_FILE_BYTES = 20_000_000
"""Largest file that is read; the largest real match files have some ten thousand bytes."""

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
"""First bytes of a compressed stream; OGXM dumps come so."""


class Format(enum.StrEnum):
    """Families of match files."""

    MAT = "mat"
    SGF = "sgf"
    XG = "xg"
    BGF = "bgf"
    OGXM = "ogxm"
    JSONL = "jsonl"
    UNKNOWN = "unknown"


LENGTH_LINE = re.compile(r"^[ \t]*([0-9]{1,9})[ \t]+points?[ \t]+match[ \t]*$", re.I | re.M)
"""The one line that every match of a .mat file has."""

_LENGTH_BYTES = re.compile(rb"(?:^|[\r\n])[ \t]*[0-9]{1,9}[ \t]+points?[ \t]+match", re.I)
_GAME_BYTES = re.compile(rb"(?:^|[\r\n])[ \t]*Game[ \t]+[0-9]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


def sniff(data: bytes) -> Format:
    """The format that the content shows; a file's name never decides (formats.md 8.8)."""
    if data.startswith(b"RGMH"):
        return Format.XG
    if data.startswith((b"OGXM", ZSTD_MAGIC)):
        return Format.OGXM
    start = data[:4096].lstrip(codecs.BOM_UTF8 + b" \t\r\n")
    if start.startswith(b"{"):
        head, _, rest = data.partition(b"\n")
        if rest.startswith(b"\x1f\x8b") or b'"BGF"' in head:
            return Format.BGF
        if b'"log":' in head or b'"disclosure":' in head:
            return Format.JSONL
        if b'"match_length"' in data and b'"games"' in data:
            return Format.OGXM
    if re.match(rb"\(\s*;", start) and re.search(rb"GM\[\s*6\s*\]", data[:65536]):
        return Format.SGF
    if _LENGTH_BYTES.search(data) or _GAME_BYTES.search(data):
        return Format.MAT
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return Format.MAT
    return Format.UNKNOWN


class Decoded(msgspec.Struct, frozen=True):
    """The text of a file and how its bytes were read."""

    text: str
    """The text without a byte order mark."""
    encoding: str
    """Name of the encoding."""
    notices: tuple[Notice, ...] = ()
    """What is odd about it."""


def decode(data: bytes) -> Decoded:
    """The text of the bytes: byte order mark, then UTF-8, then Windows-1252 with a notice.

    Raises:
        Refused: the bytes are no text.
    """
    try:
        decoded = _decoded(data)
    except UnicodeDecodeError:
        raise Refused(
            "not a text file, neither UTF-8 nor Windows-1252", "save it as UTF-8"
        ) from None
    found = _CONTROL.search(decoded.text)
    if found:
        line = len(re.findall(r"\r\n|\n|\r", decoded.text[: found.start()])) + 1
        raise Refused("not a text file: it holds control characters", AGAIN, line=line)
    return decoded


def _decoded(data: bytes) -> Decoded:
    if data.startswith(codecs.BOM_UTF8):
        return Decoded(data[3:].decode("utf-8"), "utf-8-bom")
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return Decoded(data.decode("utf-16"), "utf-16", (_odd_encoding("UTF-16"),))
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return Decoded(data.decode("cp1252"), "cp1252", (_odd_encoding("Windows-1252"),))


def _odd_encoding(name: str) -> Notice:
    return Notice(code=NoticeCode.ENCODING, message=f"not UTF-8; read as {name}")
