"""Words of a match for one reader: what was said, by whom, who wrote it down, and files beside it.

What is shown, and why the rest is not, `projections/views/showing.py` says; here the values are
opened. An erased one is gone at once: nothing of this is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from api.archive.files import IMAGES, FileStore
from api.archive.personal import context_in
from api.archive.reading import Reading
from events import catalogue
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, RecordedEvent
from events.payloads.access import AccessGranted, AccessSeated, Role
from events.payloads.base import Payload
from events.payloads.corrections import EntryAmended, EntryRetracted
from events.payloads.custody import DisclosureErased
from events.payloads.dispute import EvidenceAttached
from events.payloads.match import MatchOpened
from events.personal import Commitment, text_of
from projections.replay import Replay
from projections.views.lines import Line
from projections.views.showing import Reader, Showing, Why
from projections.views.words import Word, words_of

SECOND_SCRIBE = "second_scribe"
"""The role of a scribe whose record stands beside another one."""

UNLISTED = "unlisted"
"""The role of whoever recorded under a grant that this archive does not hold: that of a record that
was restored from a file, of which the grants stayed behind."""

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Granted = AccessGranted | AccessSeated


class ToldWord(NamedTuple):
    """What somebody said, or why it is not told."""

    word: Word
    text: str | None
    """None = it is not told."""
    why: Why | None
    """Why it is not."""


class Recorder(NamedTuple):
    """Who wrote an entry down."""

    role: str | None
    """scribe, second_scribe, director, archivist, committee, viewer, import, operator, demo,
    unlisted; None = it was erased."""
    name: str | None
    """Who that is, where it is known."""
    table: str | None
    """The table of the match, where it is known."""
    why: Why | None
    """Why neither is told, where it is not."""


class ToldFile(NamedTuple):
    """A file that an entry names."""

    sha256: str
    kind: str
    """video, photo, sheet, audio, other."""
    media_type: str | None
    """None where no such file is at hand."""
    size_bytes: int | None
    why: Why | None
    """Why it is not shown."""


class Told(NamedTuple):
    """What people said in one entry."""

    words: tuple[ToldWord, ...] = ()
    recorder: Recorder | None = None
    file: ToldFile | None = None


NOTHING = Told()
"""An entry without words."""


def told_in(
    reading: Reading,
    log_id: str,
    shown: Replay,
    showing: Showing,
    *,
    files: FileStore | None = None,
) -> dict[int, Told]:
    """Version to what was said, for every entry with words or a file. Reads the store.

    As corrected an entry has the words that a correction put in their place, and the correction its
    own; as recorded the first ones.
    """
    entries = [entry for entry in _entries(shown) if _may_hold(entry[1])]
    words = {event.version: words_of(payload) for event, payload in entries}
    opening = shown.opened
    table = None if opening is None else opening.table
    wanted = [one.sd for found in words.values() for one in found]
    values = reading.opened_values(log_id, [*wanted, *([] if table is None else [table.sd])])
    spoken = [(event, payload) for event, payload in entries if _speaks(payload, words, event)]
    recorders = _Recorders(reading, log_id, opening, showing, values)
    contexts = recorders.of([event for event, _ in spoken])
    return {
        event.version: Told(
            tuple(_told(one, payload, event, showing, values) for one in words[event.version]),
            contexts[event.version],
            _file(payload, reading, log_id, showing, files),
        )
        for event, payload in spoken
    }


def recorders_in(
    reading: Reading, log_id: str, shown: Replay, showing: Showing, events: list[RecordedEvent]
) -> dict[int, Line | None]:
    """Version to who wrote an entry down, as answers have it. Reads the store."""
    opening = shown.opened
    table = None if opening is None else opening.table
    values = reading.opened_values(log_id, [table])
    recorders = _Recorders(reading, log_id, opening, showing, values)
    return {version: _recorder_line(one) for version, one in recorders.of(events).items()}


def _entries(shown: Replay) -> Iterator[tuple[RecordedEvent, Payload]]:
    """Every recorded entry that is shown, with what it says as corrected or as recorded."""
    standing = {step.event.version: step.event.payload for step in shown.steps}
    for event in shown.entries:
        if event.version <= shown.version:
            yield event, standing.get(event.version, event.payload)


def _may_hold(payload: Payload) -> bool:
    """Whether entries of this type can have words: told by the type, since most have none."""
    if isinstance(payload, MatchOpened | catalogue.Unread):
        return False
    return bool(catalogue.personal_paths(type(payload)))


def _speaks(payload: Payload, words: Mapping[int, list[Word]], event: RecordedEvent) -> bool:
    is_act = isinstance(payload, EntryAmended | EntryRetracted | EvidenceAttached)
    return is_act or bool(words[event.version])


def _told(
    word: Word,
    payload: Payload,
    event: RecordedEvent,
    showing: Showing,
    values: Mapping[str, object],
) -> ToldWord:
    text = text_of(values[word.sd])
    tag = catalogue.tag_of(payload)[0]
    why = showing.why(payload, tag, word.path, text or "", version=event.version)
    if why is None and text is None:
        why = Why.ERASED
    return ToldWord(word, text if why is None else None, why)


def _file(
    payload: Payload, reading: Reading, log_id: str, showing: Showing, files: FileStore | None
) -> ToldFile | None:
    if not isinstance(payload, EvidenceAttached):
        return None
    why = showing.why_file()
    media_type, size = None, payload.size_bytes
    if why is None and files is not None:
        kept = (
            None if is_erased(reading, log_id, payload.file) else files.find(log_id, payload.file)
        )
        if kept is None:
            is_gone = is_erased(reading, log_id, payload.file)
            why = Why.ERASED if is_gone else Why.MISSING
        else:
            media_type, size = kept.media_type, kept.size
    return ToldFile(payload.file, payload.kind, media_type, size, why)


def is_erased(reading: Reading, log_id: str, sha256: str) -> bool:
    """Whether an entry says that a file, or what a commitment stood for, was erased."""
    recorded = reading.peek(log_id, TOURNAMENT_STREAM).recorded
    return any(
        isinstance(event.payload, DisclosureErased) and sha256 in event.payload.commitments
        for event in recorded
    )


class _Recorders:
    """Who wrote entries down, by their contexts and by the grants that those name."""

    def __init__(
        self,
        reading: Reading,
        log_id: str,
        opening: MatchOpened | None,
        showing: Showing,
        values: Mapping[str, object],
    ) -> None:
        self._reading = reading
        self._log_id = log_id
        self._is_second = opening is not None and opening.shadow_of is not None
        self._why = showing.why_recorder()
        table = None if opening is None or opening.table is None else values[opening.table.sd]
        self._table = text_of(table)

    def of(self, events: list[RecordedEvent]) -> dict[int, Recorder]:
        """Version to who wrote it down."""
        if not events:
            return {}
        raws = self._reading.store.disclosures_of(
            self._log_id, [event.global_position for event in events]
        )
        by = {event.version: _recorded_by(raws.get(event.global_position, ())) for event in events}
        grants = self._grants({one for one in by.values() if one is not None})
        holders = [grant.holder for grant in grants.values() if grant.holder is not None]
        names = {} if self._why is not None else self._names(holders)
        return {version: self._recorder(one, grants, names) for version, one in by.items()}

    def _recorder(
        self, by: str | None, grants: Mapping[str, Granted], names: Mapping[str, str]
    ) -> Recorder:
        if by is None:
            # The context was erased, and with it who it was.
            return Recorder(None, None, None, self._why or Why.ERASED)
        grant = grants.get(by)
        role = _role_of(by, grant)
        role = SECOND_SCRIBE if role == "scribe" and self._is_second else role
        holder = None if grant is None or grant.holder is None else names.get(grant.holder.sd)
        if self._why is not None:
            return Recorder(role, None, None, self._why)
        return Recorder(role, holder, self._table if "scribe" in role else None, None)

    def _grants(self, ids: set[str]) -> dict[str, Granted]:
        """Entry id to the grant, or the seat in a committee, in force or not any more."""
        found: dict[str, Granted] = {}
        for log_id in (self._log_id, ARCHIVE_LOG):
            left = sorted(ids - found.keys())
            for entry_id, row in self._reading.store.find_entries(log_id, left).items():
                payload = catalogue.read(row).payload
                if isinstance(payload, Granted):
                    found[entry_id] = payload
        return found

    def _names(self, holders: list[Commitment]) -> dict[str, str]:
        """Commitment to the name; a grant of the whole archive is in the archive's own log."""
        own, archive = (
            self._reading.texts(log_id, holders) for log_id in (self._log_id, ARCHIVE_LOG)
        )
        return own | archive


def _role_of(by: str, grant: Granted | None) -> str:
    """The role of whoever recorded by this: never the id of a grant."""
    match grant:
        case AccessGranted(role=role):
            return role.value
        case AccessSeated():
            return Role.COMMITTEE.value
        case _:
            return UNLISTED if _ID.fullmatch(by) else by


def _recorded_by(raws: Iterable[bytes]) -> str | None:
    by = (context_in(raws) or {}).get("recorded_by")
    return by if isinstance(by, str) else None


def words_lines(
    reading: Reading,
    log_id: str,
    match_id: str,
    shown: Replay,
    showing: Showing,
    *,
    files: FileStore | None = None,
) -> dict[int, Line]:
    """Version to what was said in it, as answers and `--json` have it. Reads the store."""
    told = told_in(reading, log_id, shown, showing, files=files)
    return {version: words_line(one, log_id, match_id) for version, one in told.items()}


def words_line(told: Told, log_id: str, match_id: str) -> Line:
    """What was said in an entry, as answers and `--json` have it."""
    return {
        "words": [
            {
                "path": one.word.path,
                "kind": one.word.kind,
                "by": one.word.by,
                "text": one.text,
                "withheld": one.why,
            }
            for one in told.words
        ],
        "recorder": _recorder_line(told.recorder),
        "file": None if told.file is None else _file_line(told.file, log_id, match_id),
    }


def _recorder_line(recorder: Recorder | None) -> Line | None:
    if recorder is None:
        return None
    role, name, table, why = recorder
    return {"role": role, "name": name, "table": table, "withheld": why}


def _file_line(file: ToldFile, log_id: str, match_id: str) -> Line:
    is_shown = file.why is None and file.media_type is not None
    return {
        "sha256": file.sha256,
        "kind": file.kind,
        "media_type": file.media_type,
        "size_bytes": file.size_bytes,
        "href": f"/logs/{log_id}/files/{file.sha256}?match={match_id}" if is_shown else None,
        "is_image": file.media_type in IMAGES,
        "withheld": file.why,
    }


def showing_line(showing: Showing) -> Line:
    """Whom a match is shown to, and what of it is not, as answers have it."""
    hearing = showing.hearing
    is_committee = showing.reader is Reader.COMMITTEE
    return {
        "reader": showing.reader,
        "rule_set": showing.rule_set,
        "section": hearing.section if is_committee else None,
        "people": showing.people,
        "withheld": showing.why_recorder(),
        "cut": showing.cut,
        "last": showing.last if showing.cut is not None else None,
        "unstated": sorted(hearing.unstated) if is_committee else [],
        "is_in_hand": hearing.is_in_hand or not is_committee,
    }
