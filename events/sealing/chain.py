"""One stream's hash chain: every entry names the leaf hash of the one before it.

With `version` this proves that a match is complete up to its last entry, which the tree over the
whole log cannot say. The chain needs no second hash: `prev` is the leaf hash of the tree.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from events.envelope import StoredEvent
from events.sealing.merkle import leaf_hash


def break_of_link(
    event: StoredEvent, *, version: int, prev: bytes | None, members: dict[str, object]
) -> str | None:
    """What is wrong with an entry that should stand at `version` and follow leaf hash `prev`.

    `members` are the members of its sealed bytes; `prev` is None for the first of a stream.
    None if nothing is.
    """
    if event.version != version or members.get("version") != version:
        return f"version {version} is missing: {event.version} comes instead"
    if members.get("prev") != (None if prev is None else prev.hex()):
        return f"version {version} does not name the entry before it"
    return None


def break_of_chain(events: Iterable[StoredEvent]) -> str | None:
    """The first break in a whole stream read from version 1; None if the chain holds."""
    prev: bytes | None = None
    for version, event in enumerate(events, start=1):
        hashed = leaf_hash(event.sealed)
        if hashed != event.leaf_hash:
            return f"version {event.version} is not the bytes that were sealed"
        broken = break_of_link(
            event, version=version, prev=prev, members=orjson.loads(event.sealed)
        )
        if broken is not None:
            return broken
        prev = hashed
    return None
