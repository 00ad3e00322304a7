"""Signs the logs that have grown, once a second, so that no append waits for it.

Witnesses and the time-stamping authority are asked less often and in tasks of their own, so that
a slow or unreachable one does not delay signing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from api.archive.archive import Archive
from api.archive.signing import Signing
from api.archive.trees import Trees
from api.evidence.seldom import Seldom
from api.evidence.stamps import Stamper
from api.evidence.witnesses import Collector

EVERY_S = 1.0
"""Seconds between two turns: entries stay unsigned for no longer."""

LOOK_EVERY_S = 60.0
"""Seconds between two comparisons of the archive with the checkpoints outside of it."""

ABROAD_EVERY_S = 10.0
"""Seconds between two requests to witnesses and authority."""

_log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def ticking(
    archive: Archive,
    *,
    every_s: float = EVERY_S,
    collector: Collector | None = None,
    trees: Trees | None = None,
    stamper: Stamper | None = None,
    abroad_every_s: float = ABROAD_EVERY_S,
    look_every_s: float = LOOK_EVERY_S,
) -> AsyncIterator[None]:
    """Sign what is appended while the app runs; `Archive.close` signs the rest."""
    if archive.signing is None or archive.writer is None:
        yield
        return
    # Those that were signed before this start may lack what others would have signed.
    waiting, unstamped = (set(archive.signing.keyring.logs()) for _ in range(2))
    signing = _tick(archive.signing, every_s, waiting, unstamped)
    looking = _look(archive.signing, look_every_s)
    tasks = [
        asyncio.create_task(signing, name="sign what grew"),
        asyncio.create_task(looking, name="compare with what was signed"),
    ]
    if stamper is not None and stamper.authority is not None:
        stamping = _stamp(stamper, unstamped, abroad_every_s)
        tasks.append(asyncio.create_task(stamping, name="ask for stamps"))
    if collector is not None and collector.witnesses:
        asking = _ask(collector, trees or Trees(archive.store), waiting, abroad_every_s)
        tasks.append(asyncio.create_task(asking, name="ask witnesses"))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task


async def _tick(signing: Signing, every_s: float, *waiting: set[str]) -> None:
    seldom = Seldom(_log)
    while True:
        await asyncio.sleep(every_s)
        if not signing.is_waiting:
            continue
        try:
            grown = await asyncio.to_thread(signing.keep_grown)
            for each in waiting:
                each.update(grown)
        except Exception as error:
            # Nothing may end the ticker: a log that is not signed now is signed at the next turn.
            seldom.tell(logging.ERROR, "logs could not be signed", fault=error)


async def _look(signing: Signing, every_s: float) -> None:
    seldom = Seldom(_log)
    while True:
        await asyncio.sleep(every_s)
        try:
            await asyncio.to_thread(signing.look)
        except Exception as error:
            what = "the archive could not be compared with what was signed of it"
            seldom.tell(logging.ERROR, what, fault=error)


async def _ask(collector: Collector, trees: Trees, waiting: set[str], every_s: float) -> None:
    seldom = Seldom(_log)
    while True:
        await asyncio.sleep(every_s)
        for log_id in sorted(waiting):
            waiting.discard(log_id)
            try:
                standing = await trees.now(log_id)
                if not await asyncio.to_thread(collector.collect, log_id, standing.tree):
                    waiting.add(log_id)
            except Exception as error:
                what = f"the log {log_id} could not be cosigned"
                seldom.tell(logging.ERROR, what, fault=error)


async def _stamp(stamper: Stamper, waiting: set[str], every_s: float) -> None:
    seldom = Seldom(_log)
    while True:
        await asyncio.sleep(every_s)
        asked = set(waiting)
        # What grows while the authority is asked waits again.
        waiting -= asked
        try:
            waiting |= await asyncio.to_thread(stamper.turn, asked)
        except Exception as error:
            waiting |= asked
            seldom.tell(logging.ERROR, "logs could not be stamped", fault=error)
