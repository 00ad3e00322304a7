"""Reads a match file of any known format: content decides, and what cannot be read is refused."""

from __future__ import annotations

from api.exchange import mat_reader
from api.exchange.facts import ReadMatch, Refused
from api.exchange.sniff import MAX_FILE_BYTES, Format, decode, sniff


def read_file(data: bytes, name: str) -> list[ReadMatch]:
    """Every match in the bytes of a file; `name` is kept as a personal value and decides nothing.

    Raises:
        Refused: with the reason, and the line and game where there is one.
    """
    if not data.strip():
        raise Refused("the file is empty")
    if len(data) > MAX_FILE_BYTES:
        raise Refused(f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB")
    form = sniff(data)
    if form is Format.MAT:
        return mat_reader.read(decode(data), data, name)
    raise Refused(_REASONS[form])


_REASONS = {
    Format.SGF: "an SGF file, which this version does not read yet",
    Format.XG: "a binary eXtreme Gammon file, which this version does not read yet",
    Format.BGF: "a BGBlitz file, which this version does not read yet",
    Format.JSONL: "a JSONL export, which this version does not read back yet",
    Format.UNKNOWN: "no match file of a known format",
}
