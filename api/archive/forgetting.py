"""Erasing what a server has cached: for its own erasures at once, for other servers' by polling.

The store deletes the values in the transaction that writes `disclosure.erased`, so that no server
can read them afterwards. This file clears what a server has derived from them before.
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
"""How often clearing the database's files is tried again where it failed."""

_log = logging.getLogger(__name__)


class Forgetting:
    """Clears erased values from the lists, files and caches of one server."""

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
        """Called with the log, in any thread, to drop everything else derived from its values."""
        self._seen: dict[str, int] = {}
        if archive.is_shared:
            self._seen = {head.log_id: head.size for head in archive.store.logs()}

    def took(self, written: Iterable[Appended]) -> None:
        """Called after each commit, before anybody is answered."""
        for appended in written:
            for event in appended.events:
                if event.tag == ERASED:
                    self._let_go(event.log_id, commitments_in(event.sealed))

    def look(self) -> None:
        """Take in what was erased since the last look, by any server. Errors: LedgerError."""
        store = self._archive.store
        for head in store.logs():
            start = self._seen.get(head.log_id, 0)
            if head.size <= start:
                continue
            for event in store.read_tagged(head.log_id, ERASED, start=start):
                self._let_go(head.log_id, commitments_in(event.sealed))
            # What came in meanwhile is read again at the next look, which does no harm.
            self._seen[head.log_id] = head.size

    async def watch(self, poll_ms: int) -> None:
        """Look every `poll_ms` if the database is shared, and clear its files when possible."""
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
                # Nobody is shown the file in any case; its DELETE is refused until it is gone.
                _log.exception("a file that is erased could not be deleted")
        self._forget(log_id)
