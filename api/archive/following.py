"""Live following: each commit wakes the channels of its streams, which send what is new.

The log is the queue, and the writer's commit only wakes a channel (`channel.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import hashlib
import logging
import threading
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Sequence

import orjson

from api.archive.archive import Archive
from api.archive.channel import STANDS_STILL, Channel, Follower, Kind, Terms
from api.archive.known import known_publicity
from api.archive.reading import Key, Live
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from events.errors import LedgerError
from events.payloads.custody import DisclosureErased
from events.store.protocol import Appended

KEEP_ALIVE_SECONDS = 15.0
"""After so much silence a comment is sent, so that no proxy closes the connection."""

RETRY_MS = 1_000
"""How long a browser waits before it reconnects."""

ERASED = b'event: erased\ndata: {"version":0}\n\n'
"""Event: something was erased that the page may show, so it has to be loaded again."""

_NAMES = b'event: names\ndata: {"version":0,"erased":%b}\n\n'
"""Event at the start of each stream: the last erasure, which a follower may have missed."""

_MOST_LOOKED_AT = 1_000
"""Up to so many entries of other processes are looked at one by one; with more, the whole log."""

_log = logging.getLogger(__name__)


class Hub:
    """All channels of one app."""

    def __init__(self, archive: Archive, *, poll_ms: int) -> None:
        self.archive = archive
        self._poll_s = poll_ms / 1_000
        self._others = Others(archive) if archive.is_shared else None
        self._watching: asyncio.Task[None] | None = None
        self._channels: dict[Key, dict[Kind, Channel]] = {}
        self._beside: dict[Key, set[Key]] = {}
        """Matches to the second scribes' records of them that are followed."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False
        self.lasts: Callable[[str], bool] = lambda _session: True
        """Whether the session of a follower is still valid; set by the keeper of sessions."""

    def committed(self, written: Sequence[Appended]) -> None:
        """After each commit, before anybody is answered: fold what was written, wake followers.

        In the writer's thread, or in the loop's own where the loop writes.

        A channel is registered before its follower reads, and this looks for channels after it has
        folded: so an entry is seen by the one or by the other.
        """
        for appended in written:
            try:
                self.archive.reading.took(appended.events)
            except Exception:
                # One stream that cannot be folded must not keep the others from being updated.
                _log.exception("an appended stream could not be folded; it is read anew")
                self.archive.reading.forget(appended.events[0].log_id, appended.events[0].stream_id)
        if self._others is not None:
            self._others.passed(written)
        if self._channels and self._loop is not None:
            keys = {(rows.events[0].log_id, rows.events[0].stream_id) for rows in written}
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody follows
                self._loop.call_soon_threadsafe(self.wake, keys)

    def wake(self, keys: Iterable[Key], *, is_stale: bool = False) -> None:
        """Make the channels of these streams look; a tournament's stream concerns all its log."""
        for log_id, stream_id in keys:
            if stream_id != TOURNAMENT_STREAM:
                beside = self._beside.get((log_id, stream_id), ())
                for key in ((log_id, stream_id), *beside):
                    for channel in self._channels.get(key, {}).values():
                        channel.wake(is_stale=is_stale)
                continue
            for key, channels in self._channels.items():
                if log_id in (ARCHIVE_LOG, key[0]):
                    for channel in channels.values():
                        channel.wake(is_stale=is_stale)

    async def _watch(self, others: Others) -> None:
        """While there are followers, wake them for what other processes have written."""
        was_well = True
        while self._channels:
            try:
                logs = {log_id for log_id, _ in self._channels}
                self.wake(await asyncio.to_thread(others.written, logs), is_stale=True)
                was_well = True
            except LedgerError as error:
                if was_well:
                    _log.warning("followers wait for what other servers write: %s", error)
                was_well = False
            await asyncio.sleep(self._poll_s)
        self._watching = None

    def signed_out(self, session: str) -> None:
        """End all followers of a session that is over."""
        for by_kind in self._channels.values():
            for channel in by_kind.values():
                channel.let_go(session)

    def erased(self, logs: Iterable[str]) -> None:
        """Tell whoever follows a match of these logs to read anew what they show of it."""
        wanted = set(logs)
        for key, by_kind in self._channels.items():
            if key[0] in wanted or ARCHIVE_LOG in wanted:
                for channel in by_kind.values():
                    channel.tell(ERASED)

    def erased_threadsafe(self, log_id: str) -> None:
        """The same from another thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.erased, [log_id])

    def join(
        self, key: Key, terms: Terms, *, version: int, is_staff: bool = False
    ) -> tuple[Channel, Follower]:
        """Follow a match; `version` is the last one that may be seen now."""
        self._loop = asyncio.get_running_loop()
        by_kind = self._channels.setdefault(key, {})
        channel = by_kind.get(terms.kind)
        if channel is None:
            channel = Channel(self.archive, key, terms.kind, version=version)
            by_kind[terms.kind] = channel
            if channel.beside is not None:
                self._beside.setdefault((key[0], channel.beside), set()).add(key)
            # In a fresh context: the channel reads for all followers, not for the first one.
            channel.task = self._loop.create_task(channel.run(), context=contextvars.Context())
            # Something may have been committed between the reader's look and now.
            channel.wake(is_stale=True)
            if self._others is not None and self._watching is None:
                self._watching = self._loop.create_task(
                    self._watch(self._others), context=contextvars.Context()
                )
        follower = Follower(terms, is_staff=is_staff)
        channel.add(follower)
        if self._is_closed:
            follower.let_go()
        return channel, follower

    def leave(self, channel: Channel, follower: Follower) -> None:
        """End one follower; a channel without followers ends too."""
        channel.followers.discard(follower)
        if channel.followers:
            return
        by_kind = self._channels.get(channel.key, {})
        if by_kind.get(channel.kind) is channel:
            del by_kind[channel.kind]
            if not by_kind:
                self._channels.pop(channel.key, None)
                if channel.beside is not None:
                    main = (channel.key[0], channel.beside)
                    self._beside[main].discard(channel.key)
                    if not self._beside[main]:
                        del self._beside[main]
        if channel.task is not None:
            channel.task.cancel()

    async def stream(
        self,
        key: Key,
        terms: Terms,
        *,
        version: int,
        after: int,
        reach: int | None = None,
        is_staff: bool = False,
    ) -> AsyncIterator[bytes]:
        """Everything after version `after` as server-sent events: what is there, then the rest.

        `version` is the last one that is shown now, `reach` the last one that the delay
        lets be known, where that is another one.
        """
        channel, follower = self.join(key, terms, version=version, is_staff=is_staff)
        try:
            yield b"retry: %d\n\n" % RETRY_MS + _NAMES % orjson.dumps(self._last_erasure(key[0]))
            live = self.archive.reading.live(*key)
            known = channel.version
            if not terms.delay_ms:
                reach = live.replay.version
            seen = version if reach is None else reach
            publicity = known_publicity(self.archive.reading, key[0], live, seen)
            if terms.kind.is_public:
                # A dispute may be so recent that the channel has not seen it yet.
                known = publicity.told(known)
            sent = max(after, known)
            if after < sent:
                # Copied to the queue's point of view: what comes later goes on from here.
                yield channel.frames(after, sent)
            if publicity.awaits_ruling(seen):
                yield STANDS_STILL
            while True:
                try:
                    async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                        payload = await follower.queue.get()
                except TimeoutError:
                    if self._is_over(terms):
                        return
                    yield b": keep-alive\n\n"
                    continue
                if payload is None or self._is_over(terms):
                    return
                if payload.is_word:
                    yield payload.frames
                    continue
                if payload.end <= sent:
                    continue
                frames = payload.frames
                if payload.start < sent:
                    frames = channel.frames(sent, payload.end)
                sent = payload.end
                if frames:
                    yield frames
        finally:
            self.leave(channel, follower)

    def _is_over(self, terms: Terms) -> bool:
        """Whether the session by which somebody follows has run out, or was ended elsewhere."""
        return terms.session is not None and not self.lasts(terms.session)

    def _last_erasure(self, log_id: str) -> str | None:
        """An id of the last erasure in a log or the archive, which reveals nothing about it."""
        recorded = [
            event
            for one in (log_id, ARCHIVE_LOG)
            for event in self.archive.reading.peek(one, TOURNAMENT_STREAM).recorded
            if isinstance(event.payload, DisclosureErased)
        ]
        if not recorded:
            return None
        ids = "".join(event.entry_id for event in recorded)
        return hashlib.sha256(ids.encode()).hexdigest()[:16]

    def close(self) -> None:
        """End all followers, and accept no new ones."""
        self._is_closed = True
        if self._watching is not None:
            self._watching.cancel()
        for by_kind in list(self._channels.values()):
            for channel in list(by_kind.values()):
                channel.end()

    def followers(self) -> int:
        """How many streams are open."""
        return sum(1 for _ in self._followers())

    def onlookers(self) -> int:
        """How many of them are spectators."""
        return sum(not one.is_staff for one in self._followers())

    def _followers(self) -> Iterator[Follower]:
        for by_kind in self._channels.values():
            for channel in by_kind.values():
                yield from channel.followers


class Others:
    """What other processes have written into the same database, a page of each log at a time."""

    def __init__(self, archive: Archive) -> None:
        self._store = archive.store
        self._gate = threading.Lock()
        self._known: dict[str, int] = {}
        """Log to its size, as far as everybody was told of it."""

    def passed(self, written: Sequence[Appended]) -> None:
        """What this process wrote itself is not looked for: who follows that was told."""
        with self._gate:
            for appended in written:
                first, last = appended.events[0], appended.events[-1]
                if self._known.get(first.log_id) == first.global_position:
                    self._known[first.log_id] = last.global_position + 1

    def written(self, logs: Collection[str]) -> set[Key]:
        """The streams of these logs, and of the archive's own, that have grown since the last time.

        Reads the store: one row a log where nobody else writes. Of a log that is asked for the
        first time all may have grown, which its tournament's stream stands for.
        """
        grown: set[Key] = set()
        for head in self._store.logs():
            if head.log_id not in logs and head.log_id != ARCHIVE_LOG:
                continue
            with self._gate:
                known = self._known.get(head.log_id)
            # Only entries that are there are passed, so that none is left out.
            end = head.size
            if known is None or end - known > _MOST_LOOKED_AT:
                grown.add((head.log_id, TOURNAMENT_STREAM))
            else:
                fresh = self._store.read_log(head.log_id, start=known, limit=max(0, end - known))
                grown |= {(row.log_id, row.stream_id) for row in fresh}
            with self._gate:
                self._known[head.log_id] = max(end, self._known.get(head.log_id, 0))
        return grown


def version_after(live: Live, global_position: int) -> int:
    """The last version of a match at or before a place in the log."""
    return bisect_right(live.recorded, global_position, key=lambda event: event.global_position)
