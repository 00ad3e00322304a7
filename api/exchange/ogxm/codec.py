"""OGXM bytes to documents and back through the `ogxm` package, which is an optional extra."""

from __future__ import annotations

import importlib
import io
import struct
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import msgspec

from api.exchange.reading.facts import AGAIN, DIVIDE, Refused
from api.exchange.reading.sniff import MAX_FILE_BYTES, ZSTD_MAGIC, Format, sniff
from api.exchange.writing.wanted import NotInstalled, NotWritten

EXTRA = "tabularium-backgammon[ogxm]"
"""What to install to read and write OGXM."""

MAX_GAMES = 1_000
MAX_PLIES = 1_500
"""Most plies of one game."""
MAX_IN_ALL = 100_000
"""Most plies of a match. No file has more (OGXM v2, limits)."""

Document = dict[str, Any]
"""One match in the codec's JSON form; the file itself is the bytes."""

Part = dict[str, Any]
"""A game, a ply or a note of such a document."""

_BROKEN_DOCUMENT = (
    *(ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError),
    *(RecursionError, struct.error),
)
"""What `gvformat` raises for a document of another shape."""


def documents(data: bytes) -> list[Document]:
    """Every match in the bytes: one file, a stream of files, or a JSON document.

    Raises:
        Refused: the package is missing, or the bytes are broken.
    """
    ogxm = _package("ogxm")
    if ogxm is None:
        raise Refused("an OGXM file, and the package that reads it is missing", f"install {EXTRA}")
    if data.startswith(ZSTD_MAGIC):
        data = _unpacked(data)
        if sniff(data) is not Format.OGXM:
            raise Refused("a compressed file in which there is no OGXM", AGAIN)
    if ogxm.is_ogxm_binary(data):
        return [_document(ogxm, member) for member in _members(ogxm, data)]
    return [_document(ogxm, _packed(ogxm, data))]


def encoded(document: Document) -> bytes:
    """A document as OGXM v2 bytes.

    Raises:
        NotInstalled: the package is missing.
        NotWritten: the document breaks a rule of the format.
    """
    ogxm = _writing()
    try:
        content: bytes = ogxm.json_to_binary(document)
    except RuntimeError:
        raise NotWritten(f"OGXM cannot hold the match: {ogxm.v2_problem(document)}") from None
    return content


def check(document: Document) -> None:
    """Refuse what `encoded` would refuse of our writer's documents.

    Errors: NotInstalled, NotWritten. The writer keeps all rules except the limits, so only a
    document beyond one of them is checked by the codec, which takes as long as writing it.
    """
    ogxm = _writing()
    plies = [len(game["plies"]) for game in document["games"]]
    if len(plies) <= MAX_GAMES and max(plies, default=0) <= MAX_PLIES and sum(plies) <= MAX_IN_ALL:
        return
    problem = ogxm.v2_problem(document)
    if problem is not None:
        raise NotWritten(f"OGXM cannot hold the match: {problem}")


def _writing() -> ModuleType:
    ogxm = _package("ogxm")
    if ogxm is None:
        raise NotInstalled(f"the package that writes OGXM is missing: install {EXTRA}")
    return ogxm


def _package(name: str) -> ModuleType | None:
    """An optional package; None if it is not installed or does not work on this machine."""
    try:
        return importlib.import_module(name)
    except (ImportError, OSError):
        return None


def _members(ogxm: ModuleType, data: bytes) -> Iterator[bytes]:
    """The files in a stream, converted from older versions; most streams have only one."""
    if data[4:6] == b"\x01\x00":
        yield _brought_up(ogxm, data)
        return
    count = 0
    try:
        for member in ogxm.iter_stream(io.BytesIO(data)):
            count += 1
            yield member
    except ogxm.StreamError as error:
        raise Refused(f"match {count + 1} of the OGXM file is broken: {error}", AGAIN) from None


def _brought_up(ogxm: ModuleType, data: bytes) -> bytes:
    """A file of version 1, as version 2.

    GammonView's reader is tried first, because the codec misreads the score of its files.
    """
    gvformat = importlib.import_module("gvformat")
    try:
        current: bytes = gvformat.write_gvab(gvformat.read_gvab(data))
    except _BROKEN_DOCUMENT:
        try:
            current = ogxm.v1_to_v2(data)
        except (RuntimeError, ValueError) as error:
            raise Refused(f"an OGXM file of version 1 that is broken: {error}", AGAIN) from None
    return current


def _document(ogxm: ModuleType, member: bytes) -> Document:
    try:
        document: Document = ogxm.binary_to_json(member)
    except (RuntimeError, ValueError) as error:
        raise Refused(f"the OGXM file is broken: {error}", AGAIN) from None
    return document


def _packed(ogxm: ModuleType, data: bytes) -> bytes:
    """The bytes of a JSON document, the codec's own or GammonView's."""
    try:
        document = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(f"an OGXM document that is no JSON: {error}", AGAIN) from None
    if not isinstance(document, dict) or not isinstance(document.get("games"), list):
        raise Refused("an OGXM document without games", AGAIN)
    if "ogxm" not in document:
        try:
            packed: bytes = importlib.import_module("gvformat").write_gvab(document)
        except _BROKEN_DOCUMENT as error:
            raise Refused(f"a GammonView document that is broken: {error}", AGAIN) from None
        return packed
    try:
        packed = ogxm.json_to_binary(document)
    except (RuntimeError, ValueError):
        what = f"an OGXM document that is broken: {ogxm.v2_problem(document)}"
        raise Refused(what, AGAIN) from None
    return packed


def _unpacked(data: bytes) -> bytes:
    """The content of a Zstandard stream, up to the size that a file may have."""
    zstandard = _package("zstandard")
    if zstandard is None:
        what = "a file compressed with Zstandard, and the package zstandard is missing"
        raise Refused(what, "install it, or unpack the file (`zstd -d`)")
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)) as reader:
            unpacked: bytes = reader.read(MAX_FILE_BYTES + 1)
    except zstandard.ZstdError as error:
        raise Refused(f"a compressed file that is broken: {error}", AGAIN) from None
    if len(unpacked) > MAX_FILE_BYTES:
        raise Refused(f"the file holds more than {MAX_FILE_BYTES // 1_000_000} MB", DIVIDE)
    return unpacked
