"""Takes in the batches of drafts that devices submit, each once and in order.

A tablet records without a network, and sends its drafts until the server confirms them. Nothing
that arrives is dropped. A batch is decided in `batch.py` on the state that was read, and written by
the store in one transaction if that state still holds. Otherwise it is read and decided again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from api.archive.archive import Archive
from api.desk.batch import Report, Sender, Sorting
from api.desk.bench import TRIES
from api.desk.desk import Desk
from api.desk.drafts import Item
from api.desk.leases import Leasing
from events.envelope import TOURNAMENT_STREAM
from events.errors import OutcomeUnknown, PremiseMoved, StoreBusy
from events.store.journal import TakenIn


class Ingest:
    """Takes in what devices submit."""

    def __init__(self, archive: Archive, desk: Desk, leasing: Leasing) -> None:
        self.archive = archive
        self.desk = desk
        self.leasing = leasing

    def sender(self, log_id: str, token_sha256: str) -> Sender | None:
        """The device that a token belongs to; None if it was never given to one in this log.

        Also if its grant has ended, since earlier entries of the device are kept and parked. Not if
        the device was bound by another grant since: then only the new token counts.
        """
        leases = self.leasing.of(log_id)
        bound = leases.device_of(token_sha256)
        if bound is None:
            return None
        current = leases.device(bound.id)
        grant = self.archive.reading.access(log_id).grant_of(token_sha256)
        if grant is None and current is not None:
            return None
        return Sender(bound, current or bound, grant)

    async def take_in(self, log_id: str, token_sha256: str, items: Sequence[Item]) -> Report | None:
        """What became of each item; None if the token belongs to no device of this log.

        Errors: StoreBusy, OutcomeUnknown and what else the store says: then the same bytes are to
        be sent again.
        """
        writer = self.archive.writer
        if writer is None:
            raise StoreBusy("this archive is open for reading only")
        for _ in range(TRIES):
            sender = await asyncio.to_thread(self.sender, log_id, token_sha256)
            if sender is None:
                return None
            leases = self.leasing.of(log_id)
            sorting = Sorting(self.archive, self.desk, leases, log_id, sender)
            try:
                intake = await asyncio.to_thread(sorting.sort, items)
                taken = TakenIn((), ()) if intake is None else await writer.take_in(intake)
            except PremiseMoved:
                await asyncio.to_thread(self._forget, log_id, sorting)
                continue
            except OutcomeUnknown:
                # A commit that failed may stand after all.
                for stream_id in sorting.premises:
                    self.archive.reading.forget(log_id, stream_id)
                self.archive.grew([log_id])
                raise
            return await asyncio.to_thread(sorting.report, taken)
        raise StoreBusy("others are writing to the same streams: send the same again in a moment")

    def _forget(self, log_id: str, sorting: Sorting) -> None:
        """Drop cached streams that are out of date because another process has written to them."""
        reading, store = self.archive.reading, self.archive.store
        for stream_id in (TOURNAMENT_STREAM, *sorting.premises):
            head = store.stream_head(log_id, stream_id)
            if head is not None and reading.peek(log_id, stream_id).version != head.version:
                reading.forget(log_id, stream_id)
