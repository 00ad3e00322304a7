"""Reads a match file of any known format: content decides, and what cannot be read is refused."""

from __future__ import annotations

import re
from collections.abc import Callable

from api.exchange.bgf import reader as bgf_reader
from api.exchange.mat import reader as mat_reader
from api.exchange.ogxm import reader as ogxm_reader
from api.exchange.reading.facts import DIVIDE, ReadMatch, Refused
from api.exchange.reading.foreign import foreign
from api.exchange.reading.sniff import (
    LENGTH_LINE,
    MAX_FILE_BYTES,
    Format,
    archive_of,
    decode,
    sniff,
)
from api.exchange.sgf import reader as sgf_reader
from api.exchange.xg import reader as xg_reader

SUFFIXES: dict[Format, tuple[str, ...]] = {
    Format.MAT: (".mat", ".txt"),
    Format.OGXM: (".ogxm", ".ogxms", ".gvab", ".gva"),
    Format.SGF: (".sgf",),
    Format.XG: (".xg",),
    Format.BGF: (".bgf",),
    Format.JSONL: (".jsonl",),
}
"""How files of each format are called; a folder is asked for these, content decides the rest."""

PROSE_SUFFIXES = frozenset({".md", ".markdown", ".rst", ".adoc"})
"""Names of texts about something, in which a match may be cited: they are no records of it."""

FOREIGN_SUFFIXES = frozenset({".gam", ".sgg", ".tmg"})
"""Names of match files that a folder may hold and that nobody reads here."""

PACKED_SUFFIXES = frozenset({".zip", ".gz", ".7z", ".rar"})
"""Names of archives, in which match files may be: nobody unpacks them here."""


def _read_mat(data: bytes, name: str) -> list[ReadMatch]:
    decoded = decode(data)
    if LENGTH_LINE.search(decoded.text) is None and (known := foreign(data)):
        raise Refused(*known)
    return mat_reader.read(decoded, data, name)


def _read_sgf(data: bytes, name: str) -> list[ReadMatch]:
    said = re.search(rb"(?<![A-Z])CA\s*\[([^\]]{1,40})\]", data[:65536])
    charset = None if said is None else said[1].decode("ascii", "ignore")
    return sgf_reader.read(decode(data, charset=charset), data, name)


READERS: dict[Format, Callable[[bytes, str], list[ReadMatch]]] = {
    Format.MAT: _read_mat,
    Format.OGXM: ogxm_reader.read,
    Format.SGF: _read_sgf,
    Format.XG: xg_reader.read,
    Format.BGF: bgf_reader.read,
}
"""Every format that is read into facts."""


def read_file(data: bytes, name: str) -> list[ReadMatch]:
    """Every match in the bytes of a file; `name` is kept as a personal value and decides nothing.

    Raises:
        Refused: with the reason, and the line and game where there is one.
    """
    if not data.strip():
        raise Refused("the file is empty", "copy or save it once more")
    if len(data) > MAX_FILE_BYTES:
        raise Refused(f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB", DIVIDE)
    packed = archive_of(data)
    if packed is not None:
        raise Refused(f"it is {packed}", "unpack it, and import what is in it")
    form = sniff(data)
    read = READERS.get(form)
    if read is None:
        known = foreign(data) if form is Format.UNKNOWN else None
        raise Refused(*(known or _REASONS[form]))
    return read(data, name)


_REASONS = {
    Format.JSONL: (
        "a JSONL export: its sealed entries are no facts to be read anew",
        "`tabularium import` takes them in as they are",
    ),
    Format.UNKNOWN: (
        "no match file of a known format",
        "save the match as .mat, .sgf, .xg, .ogxm or .bgf",
    ),
}
