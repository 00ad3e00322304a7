"""Restores exported sealed entries: the same bytes into the log that they name, or none of them.

A match is restored whole. If it is here with the same bytes, nothing changes; if the file has more
entries, they are added, but only in a log that was itself restored: a file cannot continue what is
recorded in this archive. A missing log is opened with a `tournament.opened` of this archive whose
basis is `imported`, which marks it as restored.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import msgspec

from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.archive.index.rows import MatchRow
from api.exchange.sealed.jsonl import ANEW
from api.imports.ready import FileRefused, MatchResult, ReadySealed, SealedMatch
from events import catalogue
from events.envelope import TOURNAMENT_STREAM, Basis, StoredEvent
from events.errors import BadInput, ExpectedVersionMismatch, LedgerError, LogExists
from events.store.appending import BODY
from events.store.opening import LedgerStore
from events.store.sealed import SealedStream


class _Refused(Exception):
    """Why nothing of a file is taken in."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class _Planned(msgspec.Struct, frozen=True):
    """What is to be appended of one match, if anything, and the result to report then."""

    result: MatchResult
    stream: SealedStream | None = None
    row: MatchRow | None = None
    """Its row in the list of matches, where it is new and nothing of this archive follows it."""


def restore(
    archive: Archive, index: MatchIndex | None, file: ReadySealed
) -> list[MatchResult | FileRefused]:
    """What became of each match of a file. Errors: LedgerError, where the store fails."""
    store = archive.store
    logs = {head.log_id for head in store.logs()}
    try:
        planned = [_planned(store, logs, match) for match in file.matches]
    except _Refused as refused:
        return [FileRefused(file.file, refused.reason, refused.line)]
    streams = [plan.stream for plan in planned if plan.stream is not None]
    touched = sorted({stream.log_id for stream in streams})
    for log_id in touched:
        if log_id not in logs:
            _open(archive, log_id)
    if index is not None and touched:
        index.catch_up(touched)
    answers = dict(zip(map(id, streams), store.append_sealed(streams), strict=True))
    for stream in streams:
        archive.reading.forget(stream.log_id, stream.stream_id)
    if index is not None:
        _list(index, touched, [(plan, answers.get(id(plan.stream))) for plan in planned])
    return [_outcome(file.file, plan, answers.get(id(plan.stream))) for plan in planned]


def _list(
    index: MatchIndex, touched: Sequence[str], plans: Sequence[tuple[_Planned, object]]
) -> None:
    """Put new matches into the list as they were judged; whatever else came is read again."""
    for log_id in touched:
        rows = [
            msgspec.structs.replace(plan.row, opened_at=answer)
            for plan, answer in plans
            if isinstance(answer, int) and plan.row is not None and plan.row.log_id == log_id
        ]
        if rows:
            index.took_all(log_id, rows)
    index.catch_up(touched)


def _open(archive: Archive, log_id: str) -> None:
    # Another hand may open it at the same moment.
    with contextlib.suppress(LogExists, ExpectedVersionMismatch):
        archive.open_tournament(
            log_id, f"Restored log {log_id}", recorded_by="import", basis=Basis.IMPORTED
        )


def _is_restored(store: LedgerStore, log_id: str) -> bool:
    first = store.read_stream(log_id, TOURNAMENT_STREAM, limit=1)
    return bool(first) and catalogue.read(first[0]).basis is Basis.IMPORTED


def _outcome(
    file: str, plan: _Planned, answer: int | LedgerError | None
) -> MatchResult | FileRefused:
    if isinstance(answer, ExpectedVersionMismatch | BadInput):
        return FileRefused(file, f"somebody else wrote to it at the same moment ({answer})")
    if isinstance(answer, LedgerError):
        raise answer
    return plan.result


def _planned(store: LedgerStore, logs: set[str], match: SealedMatch) -> _Planned:
    """Compare a match with what is here. Errors: _Refused."""
    whole = match.stream
    here: Sequence[StoredEvent] = ()
    if whole.log_id in logs:
        here = store.read_stream(whole.log_id, whole.stream_id)
    for entry, sealed in zip(here, whole.rows, strict=False):
        if entry.sealed != sealed[3]:
            raise _Refused(
                f"match {whole.stream_id} is in log {whole.log_id} with another entry as version"
                f" {entry.version}; one of them was changed: `tabularium fsck` looks at that one",
                match.line,
            )
    result = match.result
    left = _left_withheld(store, here, whole)
    if left:
        what = "disclosure" if left == 1 else "disclosures"
        lost = f"{left} {what} of entries that are here: what was erased does not come back"
        result = msgspec.structs.replace(result, lost=[*result.lost, lost])
    if len(here) >= len(whole.rows):
        return _Planned(msgspec.structs.replace(result, already=True))
    if here and not _is_restored(store, whole.log_id):
        raise _Refused(
            f"match {whole.stream_id} is here up to version {len(here)}, and log {whole.log_id}"
            " was opened here: only what is recorded here goes on with its matches; import it into"
            " another archive",
            match.line,
        )
    following = _following(whole, here)
    if match.release is not None:
        following = _joined(following, match.release)
    if whole.log_id in logs:
        _check_unused(store, following, match.line)
    if here:
        result = msgspec.structs.replace(result, added=len(following.rows))
    row = None if here or match.release is not None else match.row
    return _Planned(result, following, row)


def _following(whole: SealedStream, here: Sequence[StoredEvent]) -> SealedStream:
    """What comes behind the entries that are here."""
    if not here:
        return whole
    count = len(here)
    return msgspec.structs.replace(
        whole,
        rows=whole.rows[count:],
        disclosures=tuple((at - count, *rest) for at, *rest in whole.disclosures if at >= count),
        after=count,
        head=here[-1].leaf_hash,
    )


def _joined(stream: SealedStream, more: SealedStream) -> SealedStream:
    """A stream with the entries of another one behind its own."""
    count = len(stream.rows)
    return msgspec.structs.replace(
        stream,
        rows=(*stream.rows, *more.rows),
        disclosures=(
            *stream.disclosures,
            *((at + count, *rest) for at, *rest in more.disclosures),
        ),
    )


def _left_withheld(store: LedgerStore, here: Sequence[StoredEvent], whole: SealedStream) -> int:
    """Disclosures of entries that are here, and that the archive does not hold (any more)."""
    if not here:
        return 0
    places = [entry.global_position for entry in here]
    known = {raw for raws in store.disclosures_of(whole.log_id, places).values() for raw in raws}
    return sum(at < len(here) and raw not in known for at, *_, raw in whole.disclosures)


def _check_unused(store: LedgerStore, stream: SealedStream, line: int) -> None:
    """Whether ids and salts are new to the log. Errors: _Refused."""
    ids = store.find_entries(stream.log_id, [row[0] for row in stream.rows])
    for entry in ids.values():
        raise _Refused(
            f"entry id {entry.entry_id} is taken: it is version {entry.version} of match"
            f" {entry.stream_id} in log {entry.log_id}; {ANEW}",
            line,
        )
    marks = [mark for _, mark, _, category, _ in stream.disclosures if category == BODY]
    if store.disclosures(stream.log_id, marks):
        used = "a disclosure was used before in the log: salts are used once"
        raise _Refused(f"{used}; {ANEW}", line)
