"""The ledger in SQL: one group-commit transaction per append, for SQLite and PostgreSQL.

The transaction begins with the heads of all logs that it touches under lock: `BEGIN IMMEDIATE` on
SQLite, `SELECT ... FOR UPDATE` on PostgreSQL. So entries become visible in the order of their
global position, without gaps, and a reader that has read up to n never misses a later commit below
n. Sequences, transaction ids and clocks cannot promise that.

This is the write path of every door, so it speaks to the drivers directly; the tables themselves
are declared in `tables` and made by the migrations.
"""

from __future__ import annotations

import functools
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from events.envelope import TOURNAMENT_STREAM, check_id
from events.errors import LedgerError, OutcomeUnknown, RolledBack, StoreBusy, StoreFailed
from events.sealing.merkle import frontier_root
from events.store.appending import Group, Prepared, prepare
from events.store.erasing import ERASED
from events.store.protocol import Appended, LogHead, Unit
from events.store.sealed import SealedGroup, SealedStream
from events.store.sql_checkpoints import SqlCheckpoints
from events.store.sql_copying import SqlCopying
from events.store.sql_intake import SqlIntake
from events.store.sql_reading import Connection

_log = logging.getLogger(__name__)

Asked = TypeVar("Asked")
Told = TypeVar("Told")


class Staged(NamedTuple):
    """Units decided and written, and not yet committed."""

    answers: list[Appended | LedgerError]
    """One for each unit; only true once `commit` has been called."""
    commit: Callable[[], None] | None
    """Makes them durable, or turns the answers into OutcomeUnknown; None = nothing to do."""


def _prepared(
    units: Sequence[Unit], check_held: Callable[[str], None]
) -> tuple[list[Appended | LedgerError], list[Prepared], list[int]]:
    """Answers so far, the units that are sound on their own, and their places."""
    answers: list[Appended | LedgerError] = []
    group: list[Prepared] = []
    places: list[int] = []
    for place, unit in enumerate(units):
        try:
            check_held(unit.log_id)
            group.append(prepare(unit))
        except LedgerError as error:
            answers.append(error)
        else:
            # Stands in its place until the group has been decided.
            answers.append(_UNDECIDED)
            places.append(place)
    return answers, group, places


class SqlStore(SqlIntake, SqlCheckpoints, SqlCopying):
    """What both databases share: appending in groups, taking in, copying, erasing."""

    # Logs and streams.

    def open_log(self, log_id: str) -> LogHead:
        """Make an empty log. Errors: LogExists, BadIdentifier, RolledBack."""
        check_id(log_id, "log")
        self.check_held(log_id)
        with self._writing:
            with self._begun() as db:
                self._make_log(db, log_id)
            self._commit(db)
        return LogHead(log_id, 0, (), frontier_root(()))

    # Appending.

    def append_units(self, units: Sequence[Unit]) -> list[Appended | LedgerError]:
        """Group commit: each unit all or nothing, one transaction for all that are accepted."""
        answers, group, places = _prepared(units, self.check_held)
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
        answers, group, places = _prepared(units, self.check_held)
        if not group:
            return Staged(answers, None)
        if any(draft.tag == ERASED for one in group for draft in one.unit.drafts):
            return None  # to clear files of what goes takes long
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
        return self._all_or_each(group, self._append_together)

    def _append_together(self, group: Sequence[Prepared]) -> list[Appended | LedgerError]:
        """One transaction; raises with nothing written, or OutcomeUnknown."""
        db, _, answers = self._stage(group)
        self._commit(db)
        self._clear(db)
        return answers

    def _stage(
        self, group: Sequence[Prepared]
    ) -> tuple[Connection, Group, list[Appended | LedgerError]]:
        """A transaction with everything in it that is accepted; raises with nothing written."""
        with self._begun() as db, self._batched(db):
            decided = self._decider(db, group)
            answers = [decided.add(prepared) for prepared in group]
            if decided.rows:
                self._write(db, decided)
        return db, decided, answers

    def append_sealed(self, streams: Sequence[SealedStream]) -> list[int | LedgerError]:
        """Streams that were sealed elsewhere, with one commit, each whole or not at all.

        For each the global position of its first entry, or its refusal: ExpectedVersionMismatch
        where the stream is not at the version that it follows.
        """
        return self._all_or_each(streams, self._sealed_together) if streams else []

    def _sealed_together(self, streams: Sequence[SealedStream]) -> list[int | LedgerError]:
        """One transaction; raises with nothing written, or OutcomeUnknown."""
        with self._begun() as db, self._batched(db):
            named: dict[str, set[str]] = defaultdict(set)
            for stream in streams:
                named[stream.log_id].add(stream.stream_id)
            edges, heads, _ = self._locked(db, named, {})
            group = SealedGroup(edges, heads)
            answers = [self._add_sealed(group, stream) for stream in streams]
            if group.touched:
                self._write(db, group)
        self._commit(db)
        self._clear(db)
        return answers

    def _add_sealed(self, group: SealedGroup, stream: SealedStream) -> int | LedgerError:
        try:
            self.check_held(stream.log_id)
        except RolledBack as error:
            return error
        return group.add(stream)

    def _all_or_each(
        self,
        group: Sequence[Asked],
        together: Callable[[Sequence[Asked]], list[Told | LedgerError]],
    ) -> list[Told | LedgerError]:
        """All of a group with one commit, or one by one where that fails: each has its refusal."""
        with self._writing:
            try:
                return together(group)
            except (OutcomeUnknown, StoreBusy) as error:
                return [error] * len(group)
            except Exception as error:
                if len(group) == 1:
                    return [self._refused(error)]
                _log.warning("a group of %d failed, trying each alone", len(group))
            return [self._alone(one, together) for one in group]

    def _alone(
        self, one: Asked, together: Callable[[Sequence[Asked]], list[Told | LedgerError]]
    ) -> Told | LedgerError:
        try:
            return together([one])[0]
        except Exception as error:
            return self._refused(error)

    def _decider(self, db: Connection, group: Sequence[Prepared]) -> Group:
        """What decides these units, with all the heads that they touch under lock."""
        streams: dict[str, set[str]] = defaultdict(set)
        entries: dict[str, list[str]] = defaultdict(list)
        for prepared in group:
            unit = prepared.unit
            streams[unit.log_id].add(unit.stream_id)
            for log_id, _ in unit.access:
                streams[log_id].add(TOURNAMENT_STREAM)
            entries[unit.log_id].extend([draft.entry_id for draft in unit.drafts])
        edges, heads, known = self._locked(db, streams, entries)
        return Group(
            edges,
            heads,
            known=known,
            entropy=self._entropy,
            own_tags=functools.cache(functools.partial(self._own_tags, db)),
        )

    # Erasing.

    def erase_disclosures(self, log_id: str, commitments: Sequence[str]) -> int:
        """Delete these with one commit, all or none; how many of them were there."""
        with self._writing:
            with self._begun() as db:
                gone = self._erase(db, log_id, commitments)
            self._commit(db)
            self._clear(db)
        return gone

    def scrub(self) -> bool:
        """Clear the database's files of what was erased; False where they may still hold it."""
        with self._writing:
            with self._begun() as db:
                pass
            self._commit(db)
            self.is_scrubbed = self._after_erasure(db)
            return self.is_scrubbed


_UNDECIDED = StoreFailed("the unit was not decided")
