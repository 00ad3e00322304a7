"""Unpacks what a file holds compressed, never more than a given size."""

from __future__ import annotations

import zlib

from api.exchange.reading.facts import AGAIN, DIVIDE, Refused

ZLIB = zlib.MAX_WBITS
"""A stream with the header of zlib."""

GZIP = zlib.MAX_WBITS | 16
"""A stream with the header of gzip."""


def inflate(data: bytes, limit: int, container: int = ZLIB) -> tuple[bytes, int]:
    """The content of the first stream in the bytes, and how many bytes that stream takes.

    Raises:
        Refused: there is no such stream, it is cut off, or it holds more than `limit` bytes.
    """
    stream = zlib.decompressobj(container)
    try:
        content = stream.decompress(data, limit + 1)
    except zlib.error:
        raise Refused("the file is damaged: what it holds cannot be unpacked", AGAIN) from None
    if len(content) > limit:
        what = f"the file holds more than {limit // 1_000_000} MB when it is unpacked"
        raise Refused(what, DIVIDE)
    if not stream.eof:
        raise Refused("the file is cut off: what it holds packed has no end", AGAIN)
    return content, len(data) - len(stream.unused_data)
