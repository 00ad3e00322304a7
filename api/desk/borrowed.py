"""What an entry refers to but does not carry: values committed to elsewhere, files of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

import msgspec

from api.archive.personal import commitments_in
from api.desk.hand import Hand
from api.refusals import NotPermitted
from events.envelope import TOURNAMENT_STREAM
from events.errors import BadBody
from events.payloads.base import Payload
from events.payloads.corrections import EntryAmended
from events.payloads.dispute import EvidenceAttached
from events.payloads.match import MatchOpened
from events.store.protocol import EventStore

_MARK = b'{"sd":"'
"""How a commitment begins in canonical bytes."""

_AMENDED = "entry.amended"
_INTRODUCE = ("match.opened", "player.registered", "player.joined", "player.split")
"""Entries that say who plays, in words that another one of them may repeat."""

Pair = tuple[str, str]
"""(path in a body, commitment there)."""


class _Sealed(msgspec.Struct, frozen=True):
    """What is asked of an entry's sealed bytes."""

    entry_id: str
    tag: str
    body: msgspec.Raw


_SEALED = msgspec.json.Decoder(_Sealed)


def check_borrowed(
    store: EventStore,
    log_id: str,
    stream_id: str,
    tag: str,
    body: bytes,
    *,
    given: Set[str],
    beside: Iterable[str] = (),
) -> None:
    """Refuse commitments whose values are neither given with the entry nor may be repeated by it.

    Commitments are public, and repeating one would show its value as part of another entry. So a
    correction may repeat only what it corrects, at the same place; and an opening only what an
    opening or a registration has under the same name: in this stream, in the tournament's, and in
    the streams it is recorded `beside`. The value may be erased by now. Reads the store.
    Errors: BadBody.
    """
    if _MARK not in body:
        return
    told = msgspec.json.decode(body)
    wanted = {pair for pair in commitments_in(told) if pair[1] not in given}
    if not wanted:
        return
    target = told.get("target") if tag == _AMENDED else None
    inner = told.get("tag") if tag == _AMENDED else tag
    found: set[Pair] = set()
    if target is not None:
        found |= {
            (f"body.{path}", mark) for path, mark in _standing(store, log_id, stream_id, target)
        }
    wanted -= found
    if wanted and inner in _INTRODUCE:
        names = _introduced(store, log_id, {stream_id, TOURNAMENT_STREAM, *beside})
        wanted = {(path, mark) for path, mark in wanted if (_member(path), mark) not in names}
    if wanted:
        place = min(wanted)[0]
        raise BadBody(
            f"the body commits at {place} to a value that is not sent beside it, and that is not"
            " said there by what it corrects or opens: send the value itself",
            where=f"$.body.{place}",
        )


def _standing(store: EventStore, log_id: str, stream_id: str, target: str) -> Iterator[Pair]:
    """The commitments of an entry and its corrections, by path in the corrected body."""
    for one in _committing(store, log_id, stream_id):
        if one.entry_id == target:
            yield from commitments_in(msgspec.json.decode(one.body))
        elif one.tag == _AMENDED:
            told = msgspec.json.decode(one.body)
            if told.get("target") == target:
                yield from commitments_in(told.get("body"))


def _introduced(store: EventStore, log_id: str, streams: Iterable[str]) -> set[Pair]:
    """(last name of the path, commitment) of openings and registrations, as corrected too."""
    found: set[Pair] = set()
    for stream in streams:
        for one in _committing(store, log_id, stream):
            told = msgspec.json.decode(one.body)
            tag = told.get("tag") if one.tag == _AMENDED else one.tag
            if tag in _INTRODUCE:
                found |= {(_member(path), mark) for path, mark in commitments_in(told)}
    return found


def _committing(store: EventStore, log_id: str, stream_id: str) -> Iterator[_Sealed]:
    for _, sealed in store.read_sealed(log_id, stream_id):
        if _MARK in sealed:
            yield _SEALED.decode(sealed)


def _member(path: str) -> str:
    return path.rpartition(".")[2]


def beside_of(hand: Hand, log_id: str, opening: Payload) -> list[str]:
    """The stream beside which a second scribe's record is opened, where the hand may read it."""
    beside = opening.shadow_of if isinstance(opening, MatchOpened) else None
    return [beside] if beside is not None and hand.may_read(log_id, beside) else []


def check_files(
    store: EventStore, hand: Hand, log_id: str, stream_id: str, payloads: Sequence[Payload]
) -> None:
    """Refuse to attach files of matches that the hand may not read. Errors: NotPermitted.

    Everybody who may read a match may read its files, so attaching a file of another match would
    open it to them. Reads the store.
    """
    for payload in payloads:
        told = payload.replacement if isinstance(payload, EntryAmended) else payload
        if not isinstance(told, EvidenceAttached) or hand.may_read(log_id):
            continue
        others = streams_naming(store, log_id, told.file) - {stream_id}
        if not all(hand.may_read(log_id, other) for other in others):
            raise NotPermitted(
                "this file is evidence of a match that this token may not read, or a film of it",
                needs="viewer of the log, or of that match",
            )


def streams_naming(store: EventStore, log_id: str, sha256: str) -> set[str]:
    """The matches of which a file is evidence or a film, by any entry. Reads the store."""
    mark = sha256.encode()
    return {
        row.stream_id
        for tag in ("evidence.attached", "film.attached", _AMENDED)
        for row in store.read_tagged(log_id, tag)
        if mark in row.sealed
    }
