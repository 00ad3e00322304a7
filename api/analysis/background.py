"""The server's queue: released matches analysed one at a time, beside everything else it does.

A thread looks for matches that are over, released and not analysed as they stand; an engine in a
process of its own, which gives way to all others, judges them game by game.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

from api.analysis.engines import DEFAULT, OFFERS, NoEngine
from api.analysis.released import NotAnalysed, work_of
from api.analysis.results import By, Match, Results
from api.analysis.working import Piece, Told, Workers, pieces_of
from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from events.errors import BadInput, LedgerError, StoreBusy

EVERY_S = 60.0
"""How often it is looked whether there is a match to analyse."""

_PAGE = 200
_log = logging.getLogger(__name__)


def check_preset(preset: str) -> None:
    """Whether the engine has such a preset. Errors: BadInput."""
    known = OFFERS[DEFAULT].presets
    if preset not in known:
        raise BadInput(
            f"TABULARIUM_ANALYSE: {DEFAULT} has no preset {preset[:40]!r}: take one of"
            f" {', '.join(known)}"
        )


class Background:
    """Analyses what may be analysed, until it is closed."""

    def __init__(self, archive: Archive, index: MatchIndex, results: Results, preset: str) -> None:
        self._archive = archive
        self._index = index
        self._results = results
        self._preset = preset
        self._by: By | None = None
        self._failed: set[Match] = set()
        """Matches at which the engine failed as they stand: it is not asked again and again."""
        self._workers: Workers | None = None
        self._gate = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Stop, in the middle of a game too: it is judged anew after the next start."""
        self._stopped.set()
        with self._gate:
            if self._workers is not None:
                self._workers.close()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self.round()
            except NoEngine as error:
                if not self._stopped.is_set():
                    _log.warning("no match is analysed: %s", error)
                return
            except StoreBusy:
                pass  # lists that are still being made: the next round finds them
            except LedgerError as error:
                _log.warning("looking for matches to analyse: %s", error)
            self._stopped.wait(EVERY_S)

    def round(self) -> int:
        """Analyse all that there is to be analysed now; how many matches. Errors: LedgerError."""
        done = 0
        try:
            for log_id, match_id in self._candidates():
                if self._stopped.is_set():
                    break
                done += self._analysed(log_id, match_id)
        finally:
            with self._gate:
                # Whoever has nothing to do holds no memory.
                if self._workers is not None:
                    self._workers.close()
                    self._workers = None
        return done

    def _candidates(self) -> Iterator[tuple[str, str]]:
        """Public matches that are over, and that are not known to be analysed as they stand."""
        self._index.catch_up()
        known = {} if self._by is None else self._results.heads(self._by)
        after = None
        while rows := self._index.matches(after=after, limit=_PAGE, public_only=True):
            after = (rows[-1].log_id, rows[-1].opened_at)
            for row in rows:
                key = (row.log_id, row.stream_id)
                if row.is_in_play or row.state == "damaged":
                    continue
                head = self._archive.store.stream_head(*key)
                if head is not None and known.get(key) != head.head_hash:
                    yield key

    def _analysed(self, log_id: str, match_id: str) -> bool:
        """Whether a match was analysed now."""
        try:
            work = work_of(self._archive, log_id, match_id)
        except NotAnalysed:
            return False
        if work.match in self._failed:
            return False
        workers = self._engine()
        pieces = pieces_of(work, self._results, workers.by)
        workers.run(pieces, self._results, told=self._told, progress=_unheard)
        return bool(pieces) and work.match not in self._failed

    def _engine(self) -> Workers:
        with self._gate:
            if self._workers is None:
                if self._stopped.is_set():
                    raise NoEngine("it was stopped")
                self._workers = Workers(DEFAULT, self._preset, 1)
                self._by = self._workers.by
            return self._workers

    def _told(self, told: Told) -> None:
        if told.reason is not None and not self._stopped.is_set():
            match = told.piece.match
            self._failed.add(match)
            _log.warning("match %s of log %s: %s", match.match_id, match.log_id, told.reason)


def _unheard(piece: Piece, done: int, total: int) -> None:
    """Nobody watches."""
