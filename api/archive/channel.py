"""A channel: what all followers of one kind see of one match, read and encoded once.

It reads what is new from the cache of replays and puts it into every follower's bounded queue. A
follower that is too slow is let go: it comes back with `Last-Event-ID` and reads what it missed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from typing import NamedTuple

import orjson

from api.archive.archive import Archive
from api.archive.known import known_publicity, received_by
from api.archive.reading import Key, Live
from events.envelope import ARCHIVE_LOG, RecordedEvent
from projections.custody.access import Access
from projections.folding.standing import is_correction, target_of
from projections.replay import Replay
from projections.rules.profile import Hearing, Withheld
from projections.views.discretion import EVERYTHING, Discretion, discretion, rules_on
from projections.views.lines import Line, event_line, state_line
from projections.views.showing import Reader, reader_of

_log = logging.getLogger(__name__)

QUEUE_LENGTH = 256
"""Payloads that may wait for one follower."""

STANDS_STILL = b'event: standing\ndata: {"awaits_ruling":true}\n\n'

GOES_ON = b'event: standing\ndata: {"awaits_ruling":false}\n\n'
"""How a match stands, as server-sent events without an id: they are no entries."""


class Terms(NamedTuple):
    """On which terms somebody follows; when they change, the follower has to come back."""

    token_sha256: str | None = None
    """Token whose grant covers the match; None for the public."""
    delay_ms: int = 0
    """How far the public is behind."""
    is_trusted: bool = False
    """Whether it is somebody who rules on the match, and is told everything as it is played."""
    session: str | None = None
    """Word of the session by whose cookie he follows; None where he does by a token, or by none."""

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

    def __init__(self, terms: Terms, *, is_staff: bool = False) -> None:
        self.terms = terms
        self.is_staff = is_staff
        """Whether it is a tablet's or a director's, for whom places are kept."""
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
        self._wake = asyncio.Event()
        self._is_stale = True
        """Whether another process may have written what this one does not know."""
        self.task: asyncio.Task[None] | None = None
        self._frames: list[bytes] = []
        self._told = EVERYTHING
        self._encoding = threading.Lock()
        self.awaits_ruling = False
        """Whether its followers were told that a ruling is awaited."""
        self._awaits = False
        self._access: tuple[int, int] | None = None
        self._hearing: Hearing | None = None
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

    def add(self, follower: Follower) -> None:
        """Hand out to this one too, if he still may: something may have ended since he was asked
        who he is.
        """
        self._access = self._hearing = None
        self.followers.add(follower)

    def wake(self, *, is_stale: bool = False) -> None:
        """Have it look; `is_stale`: in the store, for another process has written there."""
        self._is_stale = self._is_stale or is_stale
        self._wake.set()

    async def run(self) -> None:
        """Hand out what is new until nobody follows."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._patience()):
                    await self._wake.wait()
            self._wake.clear()
            is_stale, self._is_stale = self._is_stale, False
            try:
                if is_stale or self.delay_ms or not self._is_at_hand():
                    payload = await asyncio.to_thread(self._look, is_stale=is_stale)
                else:
                    payload = self._look(is_stale=False)
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
        return reading.is_at_hand(log_id, stream_id) and (
            self.beside is None or reading.is_at_hand(log_id, self.beside)
        )

    def tell(self, frame: bytes) -> None:
        """Hand out what is no entry, in the loop's own thread."""
        self._hand_out(Payload(self.version, self.version, frame, is_word=True))

    def _hand_out(self, payload: Payload) -> None:
        for follower in list(self.followers):
            if not follower.offer(payload):
                self.followers.discard(follower)

    def _patience(self) -> float | None:
        """Seconds until it is worth looking without being woken; None = it never is."""
        if self._due_ms is None:
            return None
        # The two clocks may differ by a little; looking too early would be looking twice.
        now = self.archive.lateness.before(self.delay_ms) + self.delay_ms
        # Where the clock was set, what came in since is due before this says so.
        return min(30.0, max(0.001, (self._due_ms - now + 1) / 1_000))

    def _look(self, *, is_stale: bool) -> Payload | None:
        """What is new since the last time; followers whose terms have ended are let go first."""
        reading = self.archive.reading
        match_of = reading.live if is_stale else reading.at_hand
        access_of = reading.access if is_stale else reading.access_at_hand
        live = match_of(*self.key)
        # A second scribe's record is as much of the match as the first one's.
        main = live if self.beside is None else match_of(self.key[0], self.beside)
        self._expel(live, main, access_of(self.key[0]), access_of(ARCHIVE_LOG))
        start, end = self.version, live.replay.version
        if self.delay_ms:
            moment = self.archive.lateness.before(self.delay_ms)
            end, received = received_by(reading.store, self.key[0], live, moment)
            self._due_ms = None if received is None else received + self.delay_ms
        reach, publicity = end, live.publicity
        if self.kind.is_public:
            publicity = known_publicity(reading, self.key[0], live, reach)
            end = publicity.told(end)
            # Who comes now begins before the dispute; those who were told more know it already.
            self.version = start = publicity.told(start)
        self._awaits = publicity.awaits_ruling(reach)
        if end <= start:
            return None
        self._encode(live, self._replay(live, end), end)
        return Payload(start, end, b"".join(self._frames[start:end]))

    def _expel(self, live: Live, main: Live, in_log: Access, in_archive: Access) -> None:
        publicity = live.publicity
        access = (in_log.version, in_archive.version)
        is_regranted, self._access = access != self._access, access
        hearing = main.replay.rules.profile.hearing
        is_embargoed = bool(main.publicity.appeals) and hearing.has_embargo
        # By a correction of the opening the match may come under another rule set.
        is_reheard, self._hearing = hearing != self._hearing, hearing
        is_cut = is_reheard and Withheld.FIRST_RULING in hearing.withholds
        for follower in list(self.followers):
            terms = follower.terms
            if terms.token_sha256 is None:
                stays = publicity.is_public and publicity.delay_ms == terms.delay_ms
            else:
                stays = not is_regranted or self._is_granted(terms)
                stays = stays and not (is_embargoed and self._is(Reader.VIEWER, terms))
                stays = stays and not (is_cut and self._is(Reader.COMMITTEE, terms))
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

    def _is(self, reader: Reader, terms: Terms) -> bool:
        """Whether this is who reads by a token: a viewer is outside of every case, and a committee
        may be kept from what comes next.
        """
        assert terms.token_sha256 is not None
        grants = self.archive.reading.grants(self.key[0], terms.token_sha256)
        return reader_of(grants, *self.key) is reader

    def let_go(self, session: str) -> None:
        """Let whoever follows by a session go, in the loop's own thread."""
        for follower in [one for one in self.followers if one.terms.session == session]:
            self.followers.discard(follower)
            follower.let_go()

    def end(self) -> None:
        """Let all followers go."""
        for follower in self.followers:
            follower.let_go()
        self.followers.clear()


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
