"""Erasing, as far as a server keeps things: its own entries at once, other servers' by looking.

The store lets the values go in the transaction that writes `disclosure.erased`, so whoever reads
after it finds none, on whichever server. What is left is what a server has made of them before.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence

from api.archive.archive import Archive
from api.archive.files import FileStore
from api.archive.index.index import MatchIndex
from events.errors import LedgerError
from events.store.erasing import ERASED, commitments_in
from events.store.protocol import Appended

AGAIN_S = 60.0
"""How often the database's files are tried again that could not be cleared."""

_log = logging.getLogger(__name__)


class Forgetting:
    """Forgets what one server keeps of what is erased."""

    def __init__(
        self,
        archive: Archive,
        index: MatchIndex,
        files: FileStore,
        *,
        forget: Callable[[str], None],
    ) -> None:
        self._archive = archive
        self._index = index
        self._files = files
        self._forget = forget
        """Called with the log, in any thread: whatever else was made of its values is forgotten."""
        self._seen: dict[str, int] = {}
        if archive.is_shared:
            self._seen = {head.log_id: head.size for head in archive.store.logs()}

    def took(self, written: Iterable[Appended]) -> None:
        """After each commit, before anybody is answered."""
        for appended in written:
            for event in appended.events:
                if event.tag == ERASED:
                    self._let_go(event.log_id, commitments_in(event.sealed))

    def look(self) -> None:
        """What was erased since the last look, by other servers too. Errors: LedgerError."""
        store = self._archive.store
        for head in store.logs():
            start = self._seen.get(head.log_id, 0)
            if head.size <= start:
                continue
            for event in store.read_tagged(head.log_id, ERASED, start=start):
                self._let_go(head.log_id, commitments_in(event.sealed))
            # What came in meanwhile is read once more; forgetting twice harms nobody.
            self._seen[head.log_id] = head.size

    async def watch(self, poll_ms: int) -> None:
        """Look so often where the database is shared, and clear its files once they can be."""
        store, is_shared = self._archive.store, self._archive.is_shared
        every_s = poll_ms / 1_000 if is_shared else AGAIN_S
        waited = 0.0
        while True:
            await asyncio.sleep(every_s)
            waited += every_s
            try:
                if is_shared:
                    await asyncio.to_thread(self.look)
                if waited >= AGAIN_S:
                    waited = 0.0
                    if not store.is_scrubbed:
                        await asyncio.to_thread(store.scrub)
            except LedgerError:
                _log.warning("what was erased elsewhere could not be looked for", exc_info=True)

    def _let_go(self, log_id: str, commitments: Sequence[str]) -> None:
        self._index.players.forget_names(log_id, commitments)
        for one in commitments:
            try:
                # A file is named by its hash.
                if self._files.find(log_id, one) is not None:
                    self._files.erase(log_id, one)
            except OSError:
                # It is shown to nobody all the same; its DELETE is refused until it is gone.
                _log.exception("a file that is erased could not be deleted")
        self._forget(log_id)
