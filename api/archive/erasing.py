"""Erasing a person: every value that says who it is, everywhere in a log; proofs hold.

The log says what is erased, by commitments and never by the value (`disclosure.erased`), and the
store deletes the values in the transaction that writes it. What people said of somebody is erased
with it only where that is asked for, because it is evidence of others too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

import msgspec

from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.archive.personal import received_at
from events.envelope import TOURNAMENT_STREAM
from events.payloads.custody import DisclosureErased
from events.payloads.dispute import EvidenceAttached
from events.payloads.film import FilmAttached
from events.personal import Disclosed, commitment_of, opened
from events.store.journal import Outcome
from events.store.opening import LedgerStore
from projections.facts.roster import fold_roster
from projections.views.showing import is_telling, marks_of, plain_words

_AT_ONCE = 1_000
"""Entries whose disclosures are looked at together."""

_MOST = 500
"""Commitments that one entry names: a sealed entry has at most 65,535 bytes."""

_NAMED = frozenset({"name", "holder", "transcriber", "monitor", "spectator", "organiser", "to"})
"""Members that hold who somebody is."""

_POSTED = _NAMED | {
    *("federation_id", "club", "country", "rating", "division"),
    *("event", "round", "table", "place", "date", "appointed_start", "starts_on", "ends_on"),
}
"""Members that say who or what something is, and not what somebody said: only the whole name is
looked for in them. A part of one is in the names of others, and in those of clubs and events."""


class Place(NamedTuple):
    """A disclosure that says something of a person."""

    log_id: str
    position: int
    """Global position of its entry; below 0, minus the journal id of a draft that is parked."""
    commitment: str
    path: str
    """Where it stands in the body."""
    is_words: bool
    """Whether it is what somebody said, and not who somebody is."""


def places_of(archive: Archive, log_id: str, name: str) -> list[Place]:
    """Every disclosure of a log that says who is called so, or mentions the name. Reads it all."""
    wanted = plain_words(name) or name.strip()
    marks = marks_of([("players.one.0.name", name)])
    found: list[Place] = []
    for position, raws in _disclosures(archive, log_id):
        told = [(raw, *opened(raw)[1:]) for raw in raws]
        theirs = [
            path.rpartition(".")[0]
            for _, path, value in told
            if _is_person(path) and _is_called(value, wanted, name)
        ]
        for raw, path, value in told:
            if path == "context":
                continue
            around, _, member = path.rpartition(".")
            is_source = ".source." in f".{path}"
            is_whole = _holds(value, wanted)
            is_called = member in _NAMED and _is_called(value, wanted, name)
            # A file is called after its players; that of another match may be after a namesake.
            looks_whole = not theirs if is_source else member in _POSTED
            if around in theirs or is_called:
                found.append(Place(log_id, position, commitment_of(raw), path, is_words=False))
            elif is_whole or (not looks_whole and _mentions(value, marks)):
                place = (log_id, position, commitment_of(raw), path)
                found.append(Place(*place, is_words=not is_source))
    return [*found, *_films_of(archive, log_id, found)]


def _films_of(archive: Archive, log_id: str, found: list[Place]) -> Iterator[Place]:
    """Where films can be watched of the matches in which somebody plays: who it is can be seen."""
    plays = {place.position for place in found if place.path.startswith("players.")}
    for stream in _streams_of(archive, log_id, plays):
        for event in archive.reading.once(log_id, stream).recorded:
            film = event.payload
            if isinstance(film, FilmAttached) and film.link is not None:
                known = archive.reading.opened_values(log_id, [film.link])
                if isinstance(known[film.link.sd], Disclosed):
                    place = (log_id, event.global_position, film.link.sd, "link")
                    yield Place(*place, is_words=False)


def listed_also(archive: Archive, log_ids: Iterable[str], name: str) -> Iterator[str]:
    """What else lists of players call who is called so: a name that was corrected is kept."""
    for log_id in log_ids:
        roster = fold_roster(archive.reading.peek(log_id, TOURNAMENT_STREAM).recorded)
        for player, registered in roster.players.items():
            said = [*roster.former.get(player, ()), registered.name]
            names = list(archive.reading.texts(log_id, said).values())
            if any(is_called(one, name) for one in names):
                yield from (one for one in names if not is_called(one, name))


def split(places: Iterable[Place], *, words: bool) -> tuple[list[Place], list[Place]]:
    """(what goes, what is left): who somebody is goes, what others said where `words` asks it."""
    found = list(places)
    return [one for one in found if words or not one.is_words], [
        one for one in found if one.is_words and not words
    ]


def parts_of(places: Iterable[Place]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(log id, commitments): as many as one `disclosure.erased` names, log by log."""
    by_log: dict[str, set[str]] = {}
    for one in places:
        by_log.setdefault(one.log_id, set()).add(one.commitment)
    for log_id, found in by_log.items():
        commitments = sorted(found)
        for start in range(0, len(commitments), _MOST):
            yield log_id, tuple(commitments[start : start + _MOST])


def erase(archive: Archive, index: MatchIndex, places: list[Place], *, by: str) -> int:
    """Erase these disclosures; how many there were. Errors: LedgerError."""
    count = 0
    for log_id, part in parts_of(places):
        said = archive.draft(DisclosureErased(commitments=part), recorded_by=by)
        archive.append(log_id, TOURNAMENT_STREAM, [said])
        index.players.forget_names(log_id, part)
        count += len(part)
    return count


def why_unscrubbed(store: LedgerStore, *, anew: bool = False) -> Literal["read", "no_right"] | None:
    """Clear the database's files of what was erased; why they may still hold it, None = cleared.

    `anew`: also where this process knows of nothing that is left in them.
    """
    if (store.is_scrubbed and not anew) or store.scrub():
        return None
    return "read" if store.may_scrub() else "no_right"


UNSCRUBBED: Final = {
    "read": "the database's files may still hold the bytes, because others read an older state of"
    " them: ask for it again when they are done",
    "no_right": "the database's files may still hold the bytes, and this program's role may not"
    " clear them: have the owner of the table run `VACUUM FULL disclosure`, or grant it (`GRANT"
    " MAINTAIN ON disclosure TO` the role, from PostgreSQL 17), then ask for it again",
}
"""What has to be done before the files are cleared, by `why_unscrubbed`."""


class Lingering(NamedTuple):
    """Values that are erased here and may still be in copies of the database."""

    erased_on: str
    """Day of it, UTC, YYYY-MM-DD; empty where the time of receipt is erased too."""
    values: int
    """How many."""
    until: str | None
    """Day by which the copies expire; None where the operator has not said."""


def lingering(
    archive: Archive, log_id: str, *, now_ms: int, backup_days: int | None
) -> list[Lingering]:
    """What was erased in a log and has not expired in its copies yet, oldest first."""
    said = [
        (event.global_position, len(event.payload.commitments))
        for event in archive.reading.peek(log_id, TOURNAMENT_STREAM).recorded
        if isinstance(event.payload, DisclosureErased)
    ]
    raws = archive.store.disclosures_of(log_id, [place for place, _ in said]) if said else {}
    days: dict[tuple[str, str | None], int] = {}
    for place, count in said:
        received = received_at(raws.get(place, ()))
        until = expiry(received, backup_days)
        if until is None or until >= _day(now_ms):
            key = ("" if received is None else _day(received), until)
            days[key] = days.get(key, 0) + count
    return [Lingering(day, count, until) for (day, until), count in days.items()]


def expiry(erased_ms: int | None, backup_days: int | None) -> str | None:
    """The day by which copies of what was erased at a moment expire; None = nobody can say."""
    if erased_ms is None or backup_days is None:
        return None
    return _day(erased_ms + (backup_days + 1) * _DAY_MS)


_DAY_MS = 86_400_000


def _day(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1_000, UTC).date().isoformat()


def sealed_mentions(archive: Archive, log_id: str, name: str) -> list[str]:
    """What nothing can erase: whatever stands in sealed bytes in the clear and holds the name.

    Ids, titles, and words of a ballot or of a decision that somebody wrote a name into; and drafts
    that became no entry, where a device has not committed to what it should. Only the whole name
    is looked for: the parts of one stand in many an id by chance. Reads the whole log.
    """
    wanted = plain_words(name.replace("-", " ")) or name.strip()
    plain = dict.fromkeys([log_id, archive.reading.tournament(log_id).title or ""])
    plain |= dict.fromkeys(head.stream_id for head in archive.store.streams(log_id))
    for row in archive.store.read_log(log_id):
        plain |= dict.fromkeys(_in_clear(msgspec.json.decode(row.sealed)["body"]))
    for raw in _kept_drafts(archive.store, log_id):
        try:
            plain |= dict.fromkeys(_in_clear(msgspec.json.decode(raw)))
        except msgspec.DecodeError:
            plain[raw.decode("utf-8", "replace")] = None
    return [text for text in plain if f" {wanted} " in f" {plain_words(_apart(text))} "]


def _kept_drafts(store: LedgerStore, log_id: str) -> Iterator[bytes]:
    """Bytes that devices sent and that are no entry's: parked, or beside their chain."""
    last = 0
    while page := store.journal_rows(log_id, after=last, limit=_AT_ONCE):
        last = page[-1].journal_id
        yield from (row.submitted.raw for row in page if row.outcome is not Outcome.ACCEPTED)


_RANDOM = re.compile(r"[0-9a-f-]{32,}")


def _in_clear(value: object) -> Iterator[str]:
    """The texts of a body that may say something; no hash, and no id made by chance."""
    match value:
        case str() if not _RANDOM.fullmatch(value):
            yield value
        case dict():
            for one in value.values():
                yield from _in_clear(one)
        case list():
            for one in value:
                yield from _in_clear(one)


def _apart(text: str) -> str:
    return text.replace("-", " ").replace("_", " ")


def files_beside(archive: Archive, log_id: str, places: list[Place]) -> list[tuple[str, str]]:
    """(match id, hash) of the files that matches of these entries name: a person may be on them."""
    wanted = {place.position for place in places if place.log_id == log_id}
    found = []
    for stream in _streams_of(archive, log_id, wanted):
        for event in archive.reading.once(log_id, stream).recorded:
            named = event.payload
            if isinstance(named, EvidenceAttached | FilmAttached) and named.file is not None:
                found.append((stream, named.file))
    return found


def _streams_of(archive: Archive, log_id: str, positions: Iterable[int]) -> list[str]:
    """The matches that hold these entries."""
    rows = [
        row
        for position in sorted(one for one in positions if one >= 0)
        for row in archive.store.read_log(log_id, start=position, limit=1)
    ]
    streams = dict.fromkeys(row.stream_id for row in rows)
    return [stream for stream in streams if stream != TOURNAMENT_STREAM]


def _disclosures(archive: Archive, log_id: str) -> Iterator[tuple[int, list[bytes]]]:
    """Every disclosure of a log, entry after entry, those of parked drafts too."""
    store = archive.store
    size = store.log_head(log_id).size
    for start in range(0, size, _AT_ONCE):
        found = store.disclosures_of(log_id, range(start, min(size, start + _AT_ONCE)))
        yield from sorted(found.items())
    parked = [-row.journal_id for row in store.parked(log_id)]
    yield from sorted(store.disclosures_of(log_id, parked).items())


def _is_person(path: str) -> bool:
    """Whether a name at this path has the person's other values beside it."""
    parts = path.removeprefix("body.").split(".")
    return parts == ["name"] or (parts[0] == "players" and parts[-1] == "name")


def is_called(value: object, name: str) -> bool:
    """Whether a value is this name, in any case and without accents."""
    return _is_called(value, plain_words(name) or name.strip(), name)


def _is_called(value: object, wanted: str, name: str) -> bool:
    if not isinstance(value, str):
        return False
    return (plain_words(value) or value.strip()) == wanted or value == name


def _holds(value: object, wanted: str) -> bool:
    """Whether a value has the whole name in it, word for word."""
    if isinstance(value, dict | list):
        return any(_holds(one, wanted) for one in _members(value))
    if not isinstance(value, str):
        return False
    words = plain_words(value)
    return f" {wanted} " in f" {words} " or (not plain_words(wanted) and wanted in value)


def _mentions(value: object, marks: frozenset[str]) -> bool:
    if isinstance(value, dict | list):
        return any(_mentions(one, marks) for one in _members(value))
    return isinstance(value, str) and is_telling(value, marks)


def _members(value: dict[str, object] | list[object]) -> Iterable[object]:
    """What an object or a list holds: some personal values of earlier releases are such."""
    return value.values() if isinstance(value, dict) else value
