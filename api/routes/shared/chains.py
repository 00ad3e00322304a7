"""Where the chain of a device stands, and the streams that it writes into, as answers."""

from __future__ import annotations

from collections.abc import Iterable

from api.shapes.devices import CursorOut, StreamHeadOut
from events.store.journal import Cursor
from events.store.protocol import StreamHead


def cursor_out(cursor: Cursor | None) -> CursorOut:
    """Where the chain of a device stands: the last draft that was taken in."""
    if cursor is None:
        return CursorOut(0, None)
    return CursorOut(cursor.last_seq, cursor.last_hash.hex() or None)


def streams_of(heads: Iterable[StreamHead]) -> dict[str, StreamHeadOut]:
    """Where streams stand, by their ids."""
    return {head.stream_id: StreamHeadOut(head.version, head.head_hash.hex()) for head in heads}
