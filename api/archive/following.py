"""Live following: one reader and one encoded payload a match, handed to all of its followers.

The log is the queue. The writer's commit only wakes a channel, which reads what is new from the
cache of replays, encodes it once and puts it into every follower's bounded queue. A follower that
is too slow is let go: it comes back with `Last-Event-ID` and reads what it missed.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import threading
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import NamedTuple

import orjson

from api.archive.archive import Archive
from api.archive.reading import Key, Live
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, RecordedEvent
from events.payloads.custody import DisclosureErased
from events.store.protocol import Appended
from projections.folding.standing import is_correction, target_of
from projections.replay import Replay
from projections.views.discretion import EVERYTHING, Discretion, discretion, rules_on
from projections.views.lines import Line, event_line, state_line
from projections.views.showing import Reader, reader_of

KEEP_ALIVE_SECONDS = 15.0
"""Silence after which a comment is sent, so that no box on the way closes the connection."""

QUEUE_LENGTH = 256
"""Payloads that may wait for one follower."""

RETRY_MS = 1_000
"""After how long a browser comes back."""

STANDS_STILL = b'event: standing\ndata: {"awaits_ruling":true}\n\n'
GOES_ON = b'event: standing\ndata: {"awaits_ruling":false}\n\n'
"""How a match stands, as server-sent events without an id: they are no entries."""

ERASED = b'event: erased\ndata: {"version":0}\n\n'
"""Something was erased that a follower's screen may show: it has to be read anew."""

_NAMES = b'event: names\ndata: {"version":0,"erased":%b}\n\n'
"""Which erasure came last, at the beginning of each stream: who was away may have missed one."""

_log = logging.getLogger(__name__)


class Terms(NamedTuple):
    """On which terms somebody follows; when they change, the follower has to come back."""

    token_sha256: str | None = None
    """Token whose grant covers the match; None for the public."""
    delay_ms: int = 0
    """How far the public is behind."""
    is_trusted: bool = False
    """Whether it is somebody who rules on the match, and is told everything as it is played."""

    @property
    def kind(self) -> Kind:
        """What those who share it see alike."""
        return Kind(self.delay_ms, self.is_trusted, self.token_sha256 is None)


class Kind(NamedTuple):
    """Who sees the same of a match."""

    delay_ms: int
    is_trusted: bool
    is_public: bool
    """Whether it is the public, for whom a match stands still while a dispute is open."""


class Payload(NamedTuple):
    """Frames of some entries that follow one another, or one that says how the match stands."""

    start: int
    """Version before the first one."""
    end: int
    """Version of the last one."""
    frames: bytes
    is_word: bool = False
    """Whether it is no entry's: `standing` or `erased`."""


class Follower:
    """One open stream."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.queue: asyncio.Queue[Payload | None] = asyncio.Queue(QUEUE_LENGTH)

    def offer(self, payload: Payload) -> bool:
        """Queue a payload; False, and nothing more to come, if the follower is too slow."""
        try:
            self.queue.put_nowait(payload)
        except asyncio.QueueFull:
            self.let_go()
            return False
        return True

    def let_go(self) -> None:
        """End the stream; what waits in the queue is read again later."""
        while not self.queue.empty():
            self.queue.get_nowait()
        self.queue.put_nowait(None)


class Channel:
    """What all followers of one kind see of one match."""

    def __init__(self, archive: Archive, key: Key, kind: Kind, *, version: int) -> None:
        self.archive = archive
        self.key = key
        self.kind = kind
        self.delay_ms = kind.delay_ms
        opening = archive.reading.live(*key).replay.opened
        self.beside = None if opening is None else opening.shadow_of
        """The match that this is a second scribe's record of; None where it is none."""
        self.version = version
        """Last version that was handed out."""
        self.followers: set[Follower] = set()
        self.wake = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self._frames: list[bytes] = []
        self._told = EVERYTHING
        self._encoding = threading.Lock()
        self.awaits_ruling = False
        """Whether its followers were told that a ruling is awaited."""
        self._awaits = False
        self._access: tuple[int, int] | None = None
        self._due_ms: int | None = None

    def frames(self, start: int, end: int) -> bytes:
        """The frames of the versions after `start` up to `end`, encoded once for everybody."""
        if len(self._frames) < end:
            live = self.archive.reading.live(*self.key)
            self._encode(live, self._replay(live, end), end)
        return b"".join(self._frames[start:end])

    def _replay(self, live: Live, end: int) -> Replay:
        return live.replay if live.replay.version <= end else live.replay.at(end)

    def _encode(self, live: Live, shown: Replay, end: int) -> None:
        with self._encoding:
            known = len(self._frames)
            before = self._told
            self._told = discretion(shown, is_trusted=self.kind.is_trusted)
            # Entries before it may read otherwise now, those of a game that is over are told with
            # what was found: those who come later get them so.
            if any(is_correction(event) for event in live.recorded[known:end]):
                known = 0
            elif before.held_from is not None and before.held_from != self._told.held_from:
                known = min(known, max(0, before.held_from - 1))
            new = live.recorded[known:end]
            self._frames[known:] = [
                _frame(event, shown, self._told, has_ids=not self.kind.is_public) for event in new
            ]

    async def run(self, poll_ms: int | None) -> None:
        """Hand out what is new until nobody follows."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._patience(poll_ms)):
                    await self.wake.wait()
            self.wake.clear()
            try:
                if self.delay_ms or not self._is_at_hand():
                    payload = await asyncio.to_thread(self._look)
                else:
                    payload = self._look()
            except Exception:
                _log.exception("followers of %s/%s are let go", *self.key)
                self.end()
                return
            if payload is not None:
                self.version = payload.end
                self._hand_out(payload)
            if self._awaits != self.awaits_ruling:
                self.awaits_ruling = self._awaits
                self.tell(STANDS_STILL if self._awaits else GOES_ON)

    def _is_at_hand(self) -> bool:
        reading, (log_id, stream_id) = self.archive.reading, self.key
        return reading.is_cached(log_id, stream_id) and (
            self.beside is None or reading.is_cached(log_id, self.beside)
        )

    def tell(self, frame: bytes) -> None:
        """Hand out what is no entry, in the loop's own thread."""
        self._hand_out(Payload(self.version, self.version, frame, is_word=True))

    def _hand_out(self, payload: Payload) -> None:
        for follower in list(self.followers):
            if not follower.offer(payload):
                self.followers.discard(follower)

    def _patience(self, poll_ms: int | None) -> float | None:
        """Seconds until it is worth looking without being woken."""
        waits = [] if poll_ms is None else [poll_ms / 1_000]
        if self._due_ms is not None:
            # The two clocks may differ by a little; looking too early would be looking twice.
            waits.append(max(0.001, (self._due_ms - self.archive.now_ms() + 1) / 1_000))
        return min(waits, default=None)

    def _look(self) -> Payload | None:
        """What is new since the last time; followers whose terms have ended are let go first."""
        reading = self.archive.reading
        live = reading.live(*self.key)
        self._expel(live)
        start, end = self.version, live.replay.version
        if self.delay_ms:
            moment = self.archive.now_ms() - self.delay_ms
            end, received = reading.received_by(self.key[0], live, moment)
            self._due_ms = None if received is None else received + self.delay_ms
        reach = end
        if self.kind.is_public:
            end = live.publicity.told(end)
            # Who comes now begins before the dispute; those who were told more know it already.
            self.version = start = live.publicity.told(start)
        self._awaits = live.publicity.awaits_ruling(reach)
        if end <= start:
            return None
        self._encode(live, self._replay(live, end), end)
        return Payload(start, end, b"".join(self._frames[start:end]))

    def _expel(self, live: Live) -> None:
        publicity = live.publicity
        reading, log_id = self.archive.reading, self.key[0]
        access = (reading.access(log_id).version, reading.access(ARCHIVE_LOG).version)
        is_regranted, self._access = access != self._access, access
        # A second scribe's record is as much of the match as the first one's.
        main = live if self.beside is None else reading.live(log_id, self.beside)
        hearing = main.replay.rules.profile.hearing
        is_embargoed = bool(main.publicity.appeals) and hearing.has_embargo
        for follower in list(self.followers):
            terms = follower.terms
            if terms.token_sha256 is None:
                stays = publicity.is_public and publicity.delay_ms == terms.delay_ms
            else:
                stays = not is_regranted or self._is_granted(terms)
                stays = stays and not (is_embargoed and self._is_viewer(terms))
            if not stays:
                self.followers.discard(follower)
                # This may be another thread than the loop's, which alone may touch a queue.
                if self.task is not None:
                    self.task.get_loop().call_soon_threadsafe(follower.let_go)

    def _is_granted(self, terms: Terms) -> bool:
        """Whether a token still lets its holder follow on these terms."""
        assert terms.token_sha256 is not None
        grants = self.archive.reading.grants(self.key[0], terms.token_sha256)
        is_trusted = rules_on(grants, *self.key)
        covers = any(grant.covers(*self.key) for grant in grants)
        return covers and is_trusted == terms.is_trusted

    def _is_viewer(self, terms: Terms) -> bool:
        """Whether its holder is outside of a case: neither rules on the match nor records it."""
        assert terms.token_sha256 is not None
        grants = self.archive.reading.grants(self.key[0], terms.token_sha256)
        return reader_of(grants, *self.key) is Reader.VIEWER

    def end(self) -> None:
        """Let all followers go."""
        for follower in self.followers:
            follower.let_go()
        self.followers.clear()


class Hub:
    """All channels of one app."""

    def __init__(self, archive: Archive, *, poll_ms: int) -> None:
        self.archive = archive
        self._poll_ms = poll_ms if archive.is_shared else None
        self._channels: dict[Key, dict[Kind, Channel]] = {}
        self._beside: dict[Key, set[Key]] = {}
        """Matches to the second scribes' records of them that are followed."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False

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
                # One stream that cannot be folded must not leave those behind it stale.
                _log.exception("an appended stream could not be folded; it is read anew")
                self.archive.reading.forget(appended.events[0].log_id, appended.events[0].stream_id)
        if self._channels and self._loop is not None:
            keys = {(rows.events[0].log_id, rows.events[0].stream_id) for rows in written}
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody follows
                self._loop.call_soon_threadsafe(self.wake, keys)

    def wake(self, keys: Iterable[Key]) -> None:
        """Make the channels of these streams look; a tournament's stream concerns all its log."""
        for log_id, stream_id in keys:
            if stream_id != TOURNAMENT_STREAM:
                beside = self._beside.get((log_id, stream_id), ())
                for key in ((log_id, stream_id), *beside):
                    for channel in self._channels.get(key, {}).values():
                        channel.wake.set()
                continue
            for key, channels in self._channels.items():
                if log_id in (ARCHIVE_LOG, key[0]):
                    for channel in channels.values():
                        channel.wake.set()

    def erased(self, logs: Iterable[str]) -> None:
        """Tell whoever follows a match of these logs to read anew what they show of it."""
        wanted = set(logs)
        for key, by_kind in self._channels.items():
            if key[0] in wanted or ARCHIVE_LOG in wanted:
                for channel in by_kind.values():
                    channel.tell(ERASED)

    def join(self, key: Key, terms: Terms, *, version: int) -> tuple[Channel, Follower]:
        """Follow a match; `version` is the last one that may be seen now."""
        self._loop = asyncio.get_running_loop()
        by_kind = self._channels.setdefault(key, {})
        channel = by_kind.get(terms.kind)
        if channel is None:
            channel = Channel(self.archive, key, terms.kind, version=version)
            by_kind[terms.kind] = channel
            if channel.beside is not None:
                self._beside.setdefault((key[0], channel.beside), set()).add(key)
            channel.task = self._loop.create_task(channel.run(self._poll_ms))
            # Something may have been committed between the reader's look and now.
            channel.wake.set()
        follower = Follower(terms)
        channel.followers.add(follower)
        if self._is_closed:
            follower.let_go()
        return channel, follower

    def leave(self, channel: Channel, follower: Follower) -> None:
        """Follow no more; a channel without followers ends."""
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
        self, key: Key, terms: Terms, *, version: int, after: int, reach: int | None = None
    ) -> AsyncIterator[bytes]:
        """Everything after version `after` as server-sent events: what is there, then the rest.

        `version` is the last one that is shown now, `reach` the last one that the delay
        lets be known, where that is another one.
        """
        channel, follower = self.join(key, terms, version=version)
        try:
            yield b"retry: %d\n\n" % RETRY_MS + _NAMES % orjson.dumps(self._last_erasure(key[0]))
            live = self.archive.reading.live(*key)
            publicity, known = live.publicity, channel.version
            if not terms.delay_ms:
                reach = live.replay.version
            if terms.kind.is_public:
                # A dispute may have come so lately that the channel has not looked yet.
                known = publicity.told(known)
            sent = max(after, known)
            if after < sent:
                # Copied to the queue's point of view: what comes later goes on from here.
                yield channel.frames(after, sent)
            if publicity.awaits_ruling(version if reach is None else reach):
                yield STANDS_STILL
            while True:
                try:
                    async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                        payload = await follower.queue.get()
                except TimeoutError:
                    yield b": keep-alive\n\n"
                    continue
                if payload is None:
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

    def _last_erasure(self, log_id: str) -> str | None:
        """What names the last erasure of a log or of the archive, and tells nothing of it."""
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
        """Let all followers go, and take no new ones."""
        self._is_closed = True
        for by_kind in list(self._channels.values()):
            for channel in list(by_kind.values()):
                channel.end()

    def close_threadsafe(self) -> None:
        """The same from another thread, or from a signal handler."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.close)

    def followers(self) -> int:
        """How many streams are open."""
        channels = [one for by_kind in self._channels.values() for one in by_kind.values()]
        return sum(len(channel.followers) for channel in channels)


def version_after(live: Live, global_position: int) -> int:
    """The last version of a match at or before a place in the log."""
    return bisect_right(live.recorded, global_position, key=lambda event: event.global_position)


def _frame(event: RecordedEvent, shown: Replay, told: Discretion, *, has_ids: bool) -> bytes:
    """One entry as a server-sent event; nothing for one that a later correction took back.

    `has_ids`: whether entries are named by their ids, and not by their versions alone.
    """
    name = b"entry"
    step = shown.step_at(event.version)
    line: Line
    if is_correction(event):
        name = b"corrected"
        line = {
            "version": event.version,
            "tag": event.tag,
            "target": target_of(event) if has_ids else None,
            "target_version": _version_of(shown, target_of(event)),
            **state_line(shown.initial if step is None else step.after),
        }
    elif step is not None and step.event.version == event.version:
        line = event_line(step, shown, is_told=told.tells(event.version))
    else:
        return b""
    data = orjson.dumps(line)
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (event.global_position, name, data)


def _version_of(shown: Replay, entry_id: str) -> int | None:
    for event in shown.recorded:
        if event.entry_id == entry_id:
            return event.version
    return None
