"""The state of one stream while a batch is decided: as stored, and after the accepted drafts."""

from __future__ import annotations

from api.archive.archive import Archive
from api.archive.reading import Live
from events.envelope import EventDraft, RecordedEvent
from events.errors import PremiseMoved
from events.payloads.base import Payload

TRIES = 20
"""How often a write is decided again because somebody else has written meanwhile."""


class Bench:
    """One stream as a batch finds it, and as the accepted drafts of the batch change it."""

    def __init__(self, archive: Archive, log_id: str, stream_id: str, *, left: int) -> None:
        head = archive.store.stream_head(log_id, stream_id)
        self.live: Live = archive.reading.peek(log_id, stream_id)
        self.version = 0 if head is None else head.version
        self.found_at = self.version
        """Version before the batch."""
        self.head: bytes | None = b"" if head is None else head.head_hash
        """Leaf hash of the last entry; None once that is a draft that is not sealed yet."""
        if self.live.version != self.version:
            raise PremiseMoved(f"stream {stream_id} has moved on")
        self._left = left
        self._is_own = False

    def accept(self, draft: EventDraft, payload: Payload) -> None:
        """The draft is the stream's last entry now."""
        self.version += 1
        self.head = None
        self._left -= 1
        if self._left <= 0:
            return
        if not self._is_own:
            # A copy: the shared replay must not contain drafts that may still be refused.
            self.live = self.live.ahead()
            self._is_own = True
        self.live.extend([recorded(self.version, draft, payload)])


def recorded(version: int, draft: EventDraft, payload: Payload) -> RecordedEvent:
    """An entry as folds see it, before it is stored."""
    return RecordedEvent(version, draft.entry_id, draft.tag, draft.basis, payload)
