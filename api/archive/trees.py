"""The tree of each log, kept in memory as the log grows, for checkpoints and proofs.

A tree is built from the stored leaf hashes when it is first asked for; after that only what is new
is read. An append pays nothing for it: whoever asks catches up. Because the store is asked each
time how large the log is, this holds where other processes write as well.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from typing import NamedTuple

from api.archive.leaves import leaf_pages
from events.errors import Damaged
from events.sealing.tree import Tree
from events.store.protocol import EventStore, LogHead

CAPACITY = 1_000_000
"""Leaves kept in all trees together, at 64 bytes each; one log alone may have more."""

_LEAST = 1_000
"""A tree counts as this many leaves at least, so that small ones are not kept without end."""


class Standing(NamedTuple):
    """Where a log stands, and the tree that proves it."""

    head: LogHead
    """Its size and root."""
    tree: Tree
    """At least as large."""


class _Slot:
    def __init__(self) -> None:
        self.tree = Tree()
        self.turn = asyncio.Lock()
        """Who waits for a long read waits here, and takes no thread from others."""
        self.gate = threading.Lock()
        """For a thread whose request was given up, and which reads on."""


class Trees:
    """The trees of the logs that were asked for last."""

    def __init__(self, store: EventStore, *, capacity: int = CAPACITY) -> None:
        self._store = store
        self._capacity = capacity
        self._slots: OrderedDict[str, _Slot] = OrderedDict()

    @property
    def kept(self) -> list[str]:
        """Logs whose trees are in memory, the one asked for last at the end."""
        return list(self._slots)

    async def now(self, log_id: str) -> Standing:
        """Where the log stands. Errors: NoSuchLog; Damaged if its leaf hashes do not make its root.

        Never behind what was committed before the call.
        """
        slot = self._slots.get(log_id)
        if slot is None:
            slot = self._slots[log_id] = _Slot()
        self._slots.move_to_end(log_id)
        async with slot.turn:
            standing = await asyncio.to_thread(self._catch_up, log_id, slot)
        self._drop_oldest()
        return standing

    def _catch_up(self, log_id: str, slot: _Slot) -> Standing:
        with slot.gate:
            head = self._store.log_head(log_id)
            if not self._grow(slot.tree, head):
                # An older backup may have replaced the archive: build the whole tree again.
                slot.tree = Tree()
                if not self._grow(slot.tree, head):
                    slot.tree = Tree()
                    raise Damaged(
                        f"the leaf hashes of log {log_id} do not make the root of its"
                        f" {head.size} entries: run `tabularium fsck`"
                    )
            return Standing(head, slot.tree)

    def _grow(self, tree: Tree, head: LogHead) -> bool:
        """Read what is new; whether it makes the log's root."""
        for page in leaf_pages(self._store, head.log_id, tree.size, head.size):
            tree.extend(page)
        return tree.size == head.size and tree.root() == head.root

    def _drop_oldest(self) -> None:
        weights = [max(_LEAST, slot.tree.size) for slot in self._slots.values()]
        total = sum(weights)
        for weight in weights[:-1]:
            if total <= self._capacity:
                return
            self._slots.popitem(last=False)
            total -= weight
