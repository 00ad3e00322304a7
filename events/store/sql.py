"""The ledger in SQL: one group-commit transaction per append, for SQLite and PostgreSQL.

The transaction begins with the heads of all logs that it touches under lock: `BEGIN IMMEDIATE` on
SQLite, `SELECT ... FOR UPDATE` on PostgreSQL. So entries become visible in the order of their
global position, without gaps, and a reader that has read up to n never misses a later commit below
n. Sequences, transaction ids and clocks cannot promise that.

This is the write path of every door, so it speaks to the drivers directly; the tables themselves
are declared in `tables` and made by the migrations.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from events.envelope import EventDraft, check_id
from events.errors import LedgerError, OutcomeUnknown, StoreBusy, StoreFailed
from events.sealing.merkle import frontier_root
from events.store.appending import Group, Prepared, prepare
from events.store.protocol import Appended, LogHead, Unit
from events.store.sealed import SealedGroup, SealedStream
from events.store.sql_intake import SqlIntake
from events.store.sql_reading import Connection

_log = logging.getLogger(__name__)


class Staged(NamedTuple):
    """Units decided and written, and not yet committed."""

    answers: list[Appended | LedgerError]
    """One for each unit; only true once `commit` has been called."""
    commit: Callable[[], None] | None
    """Makes them durable, or turns the answers into OutcomeUnknown; None = nothing to do."""


def _prepared(
    units: Sequence[Unit],
) -> tuple[list[Appended | LedgerError], list[Prepared], list[int]]:
    """Answers so far, the units that are sound on their own, and their places."""
    answers: list[Appended | LedgerError] = []
    group: list[Prepared] = []
    places: list[int] = []
    for place, unit in enumerate(units):
        try:
            group.append(prepare(unit))
        except LedgerError as error:
            answers.append(error)
        else:
            # Stands in its place until the group has been decided.
            answers.append(_UNDECIDED)
            places.append(place)
    return answers, group, places


class SqlStore(SqlIntake):
    """What both databases share: appending in groups, taking in, erasing."""

    # Logs and streams.

    def open_log(self, log_id: str) -> LogHead:
        """Make an empty log. Errors: LogExists, BadIdentifier."""
        check_id(log_id, "log")
        with self._writing:
            db = self._begin()
            try:
                self._make_log(db, log_id)
            except BaseException:
                self._roll_back(db)
                raise
            self._commit(db)
        return LogHead(log_id, 0, (), frontier_root(()))

    @abstractmethod
    def _make_log(self, db: Connection, log_id: str) -> None:
        """Insert the head row. Errors: LogExists."""

    # Appending.

    def append(
        self,
        log_id: str,
        stream_id: str,
        drafts: Sequence[EventDraft],
        *,
        expected_version: int | None = None,
        expected_head: bytes | None = None,
    ) -> Appended:
        """Append all drafts or none; the errors are those of the protocol."""
        unit = Unit(
            log_id=log_id,
            stream_id=stream_id,
            drafts=tuple(drafts),
            expected_version=expected_version,
            expected_head=expected_head,
        )
        [answer] = self.append_units([unit])
        if isinstance(answer, LedgerError):
            raise answer
        return answer

    def append_units(self, units: Sequence[Unit]) -> list[Appended | LedgerError]:
        """Group commit: each unit all or nothing, one transaction for all that are accepted."""
        answers, group, places = _prepared(units)
        if group:
            for place, answer in zip(places, self._append_group(group), strict=True):
                answers[place] = answer
        return answers

    def stage_units(self, units: Sequence[Unit]) -> Staged | None:
        """The same up to the commit, which is left to the caller, in whatever thread it likes.

        Never waits: None = somebody else is writing, or a unit needs the careful way of
        `append_units`, which may wait. Until `commit` has been called nobody else can write: call
        it soon, and always.
        """
        answers, group, places = _prepared(units)
        if not group:
            return Staged(answers, None)
        if not self._writing.acquire(blocking=False):
            return None
        try:
            with self._impatient():
                db, decided, staged = self._stage(group)
        except BaseException as error:
            self._writing.release()
            if not isinstance(error, Exception):
                raise
            return None
        for place, answer in zip(places, staged, strict=True):
            answers[place] = answer

        def commit() -> None:
            try:
                self._commit(db)
            except OutcomeUnknown as error:
                for place in places:
                    answers[place] = error
            finally:
                self._writing.release()

        if decided.rows:
            return Staged(answers, commit)
        commit()  # nothing was written: there is no flush to wait for
        return Staged(answers, None)

    def _append_group(self, group: list[Prepared]) -> list[Appended | LedgerError]:
        with self._writing:
            try:
                return self._append_together(group)
            except (OutcomeUnknown, StoreBusy) as error:
                return [error] * len(group)
            except Exception as error:
                if len(group) == 1:
                    return [self._refused(error)]
                _log.warning("a group of %d units failed, trying them singly", len(group))
            return [self._append_alone(prepared) for prepared in group]

    def _append_alone(self, prepared: Prepared) -> Appended | LedgerError:
        try:
            return self._append_together([prepared])[0]
        except Exception as error:
            return self._refused(error)

    def _append_together(self, group: list[Prepared]) -> list[Appended | LedgerError]:
        """One transaction; raises with nothing written, or OutcomeUnknown."""
        db, _, answers = self._stage(group)
        self._commit(db)
        return answers

    def _stage(
        self, group: list[Prepared]
    ) -> tuple[Connection, Group, list[Appended | LedgerError]]:
        """A transaction with everything in it that is accepted; raises with nothing written."""
        db = self._begin()
        try:
            with self._batched(db):
                decided = self._decider(db, group)
                answers = [decided.add(prepared) for prepared in group]
                if decided.rows:
                    self._write(db, decided)
        except BaseException:
            self._roll_back(db)
            raise
        return db, decided, answers

    def append_sealed(self, streams: Sequence[SealedStream]) -> list[int | LedgerError]:
        """Streams that were sealed elsewhere, with one commit, each whole or not at all.

        For each the global position of its first entry, or its refusal: ExpectedVersionMismatch
        where the stream is not at the version that it follows.
        """
        if not streams:
            return []
        with self._writing:
            try:
                return self._sealed_together(streams)
            except (OutcomeUnknown, StoreBusy) as error:
                return [error] * len(streams)
            except Exception as error:
                if len(streams) == 1:
                    return [self._refused(error)]
                _log.warning("a group of %d streams failed, trying them singly", len(streams))
            return [self._sealed_alone(stream) for stream in streams]

    def _sealed_alone(self, stream: SealedStream) -> int | LedgerError:
        try:
            return self._sealed_together([stream])[0]
        except Exception as error:
            return self._refused(error)

    def _sealed_together(self, streams: Sequence[SealedStream]) -> list[int | LedgerError]:
        """One transaction; raises with nothing written, or OutcomeUnknown."""
        db = self._begin()
        try:
            with self._batched(db):
                named: dict[str, set[str]] = defaultdict(set)
                for stream in streams:
                    named[stream.log_id].add(stream.stream_id)
                edges, heads, _ = self._locked(db, named, {})
                group = SealedGroup(edges, heads)
                answers = [group.add(stream) for stream in streams]
                if group.touched:
                    self._write(db, group)
        except BaseException:
            self._roll_back(db)
            raise
        self._commit(db)
        return answers

    def _decider(self, db: Connection, group: list[Prepared]) -> Group:
        """What decides these units, with all the heads that they touch under lock."""
        streams: dict[str, set[str]] = defaultdict(set)
        entries: dict[str, list[str]] = defaultdict(list)
        for prepared in group:
            unit = prepared.unit
            streams[unit.log_id].add(unit.stream_id)
            entries[unit.log_id].extend([draft.entry_id for draft in unit.drafts])
        edges, heads, known = self._locked(db, streams, entries)
        return Group(edges, heads, known=known, entropy=self._entropy)

    # Erasing.

    def erase_disclosure(self, log_id: str, commitment: str) -> bool:
        """Delete one disclosure for good; True if it was there. The ledger keeps verifying."""
        with self._writing:
            db = self._begin()
            try:
                gone = False
                # Parked drafts lie together, and bodies have an index; a context, rarely erased,
                # is searched for.
                for place in ("global_position < 0", "class = 'body'", "class = 'context'"):
                    if gone and place == "class = 'context'":
                        break
                    deleted = self._run(
                        db,
                        f"DELETE FROM disclosure WHERE log_id = ? AND commitment = ? AND {place}",
                        (log_id, commitment),
                    )
                    gone = gone or bool(deleted.rowcount)
            except BaseException:
                self._roll_back(db)
                raise
            self._commit(db)
            if gone:
                self._after_erasure(db)
        return gone


_UNDECIDED = StoreFailed("the unit was not decided")
