"""Loaded rule texts noticed while the archive is open: what was added, removed or verified."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from api.archive.reading import Reading
from api.archive.rule_texts import RuleTexts, Stand
from events.errors import BadInput
from projections.rules.sentences import mark_of

SETTLED_S = 1.0
"""How long an operator's own copy has to lie unchanged before it counts: it may be half written."""

GLANCE_S = 0.25
"""The folder is looked at no more often: a look costs each request a tenth of its time."""

_log = logging.getLogger(__name__)


class Noticing:
    """Has an archive judge by the texts that lie beside it now, whoever put them there."""

    def __init__(
        self, texts: RuleTexts, reading: Reading, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._texts = texts
        self._reading = reading
        self._clock = clock
        """Seconds of a clock that only goes forward."""
        self._gate = threading.Lock()
        self._known: Stand | None = None
        """How the files lay when they were last read."""
        self._seen: tuple[Stand, float] | None = None
        """How they were last found to lie, and since when."""
        self._glanced: float | None = None
        """When they were last looked at by `glance`."""

    def glance(self) -> bool:
        """Whether the files lie otherwise, for whoever asks with each request: looks now and then.

        What was loaded is noticed a quarter of a second later at most.
        """
        now = self._clock()
        if self._glanced is not None and now - self._glanced < GLANCE_S:
            return False
        self._glanced = now
        return self.is_due()

    def is_due(self) -> bool:
        """Whether the files lie otherwise than when they were read: a few looks at the folder.

        What the program itself puts there is put there whole, and counts at once. An own copy that
        an operator edits counts when it has not changed for a second.
        """
        if self._texts.folder is None:
            return False
        found, known = self._texts.stand(), self._known
        if found == known:
            self._seen = None
            return False
        if known is None or found.copies == known.copies:
            return True
        now = self._clock()
        if self._seen is None or self._seen[0] != found:
            self._seen = (found, now)
            return False
        return now - self._seen[1] >= SETTLED_S

    def take(self) -> None:
        """Read them, and judge every match by them from now on. Reads files.

        A folder that cannot be read changes nothing: what was in hand stays so.
        """
        with self._gate:
            if not self.is_due():
                return
            try:
                stand, in_hand = self._texts.read()
            except (BadInput, OSError, UnicodeDecodeError):
                _log.exception("the loaded rule texts cannot be read; what was in hand stays so")
                self._known = self._texts.stand()
                return
            self._known, self._seen = stand, None
            if mark_of(in_hand) != mark_of(self._reading.in_hand):
                self._reading.judge_with(in_hand)
