"""Once a second: what logs have grown by is signed, off the path of those who append."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from api.archive.archive import Archive
from api.archive.signing import Signing

EVERY_S = 1.0
"""Seconds from one turn to the next: no more than so much is not signed yet."""

_log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def ticking(archive: Archive, *, every_s: float = EVERY_S) -> AsyncIterator[None]:
    """Sign what is appended meanwhile; what is left at the end, `Archive.close` signs."""
    if archive.signing is None or archive.writer is None:
        yield
        return
    task = asyncio.create_task(_tick(archive.signing, every_s), name="sign what grew")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _tick(signing: Signing, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        if not signing.is_waiting:
            continue
        try:
            await asyncio.to_thread(signing.keep_grown)
        except Exception:
            # Nothing may end the ticker: a log that is not signed now is signed at the next turn.
            _log.exception("logs could not be signed")
