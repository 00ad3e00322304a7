"""Entries as recorded, as JSON: what was sealed, and those values that may be shown beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
import orjson

from api.packs.redaction import leads_to_players
from api.shapes.shape import JsonObject
from events import catalogue
from events.envelope import TOURNAMENT_STREAM, Basis, StoredEvent
from events.payloads.match import MatchOpened
from events.personal import commitment_of, opened
from events.store.protocol import EventStore
from projections.views.ballots import BALLOTS, holds_ballot, without_ballot
from projections.views.showing import CONTEXT, People, Reader, Showing


class _Sealed(msgspec.Struct, gc=False):
    basis: Basis
    body: msgspec.Raw
    context: msgspec.Raw


_SEALED = msgspec.json.Decoder(_Sealed)


def entry_lines(
    store: EventStore, log_id: str, rows: Sequence[StoredEvent], *, showing: Showing
) -> list[bytes]:
    """Entries as JSON, one each, with those disclosed values that may be shown."""
    raws = store.disclosures_of(log_id, [row.global_position for row in rows])
    kept = _kept_of_openings(rows) if showing.people is People.ALL else {}
    wanted = sorted({sd for sds in kept.values() for sd in sds})
    known = store.disclosures(log_id, wanted) if wanted else {}
    lines = []
    for row in rows:
        own = raws.get(row.global_position, [])
        borrowed = [known[sd] for sd in kept.get(row.version, ()) if sd in known]
        told = [raw for raw in borrowed if raw not in own and _is_of_opening(raw)]
        lines.append(_line(row, [*own, *told], showing))
    return lines


def _kept_of_openings(rows: Sequence[StoredEvent]) -> dict[int, list[str]]:
    """Version of an edited opening to its commitments.

    The values of a player who stays at the table were disclosed with the entry that first named
    that player.
    """
    found = {}
    for row in rows:
        if row.tag == "entry.amended":
            amended = orjson.loads(bytes(_SEALED.decode(row.sealed).body))
            if amended.get("tag") == "match.opened":
                found[row.version] = list(_commitments(amended.get("body")))
    return found


def _commitments(node: object) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _commitments(item)
    elif isinstance(node, dict):
        if set(node) == {"sd"}:
            yield node["sd"]
        else:
            yield from _commitments([*node.values()])


def _is_of_opening(raw: bytes) -> bool:
    """Whether it shows who plays, or where: an edited opening must not reveal more."""
    return opened(raw)[1].removeprefix("body.").partition(".")[0] in _OF_OPENING


_OF_OPENING = {str(path[0]) for path in catalogue.personal_paths(MatchOpened)}


def shown_of(
    row: StoredEvent, raws: Sequence[bytes], showing: Showing
) -> Iterator[tuple[bytes, str, object]]:
    """(raw disclosure, name, value) of those values of an entry that may be shown."""
    payload = None
    for raw in raws:
        _, name, value = opened(raw)
        if payload is None and showing.asks_payload(row.tag):
            payload = catalogue.read(row).payload
        if showing.why(payload, row.tag, name, value, version=row.version) is None:
            yield raw, name, value


def _line(row: StoredEvent, raws: Sequence[bytes], showing: Showing) -> bytes:
    sealed = _SEALED.decode(row.sealed)
    disclosures: JsonObject = {}
    context = None
    why = why_kept(row, showing)
    if why in ("case", "players"):
        raws = ()
    for raw, name, value in shown_of(row, raws, showing):
        if name == CONTEXT:
            context = value
        else:
            disclosures[commitment_of(raw)] = value
    body: object = orjson.Fragment(bytes(sealed.body))
    if (kept := kept_body(row, showing)) is not None:
        body = kept
    return orjson.dumps(
        {
            "version": row.version,
            "global_position": row.global_position,
            "tag": row.tag,
            "schema": row.schema,
            "entry_id": row.entry_id,
            "basis": sealed.basis.value,
            "body": body,
            "leaf_hash": row.leaf_hash.hex(),
            "context": context,
            "disclosures": disclosures,
            # This is not what was sealed: it can be checked only by its hash.
            **({} if kept is None else {"withheld": why}),
        }
    )


def kept_body(row: StoredEvent, showing: Showing) -> JsonObject | None:
    """The body of an entry without what this reader may not see; None if that is nothing.

    Left out are what a ballot says, and whole bodies that reveal who plays, or who read a case.
    """
    why = why_kept(row, showing)
    if why != "ballot":
        return None if why is None else {}
    return without_ballot(row.tag, orjson.loads(bytes(_SEALED.decode(row.sealed).body)))


def why_kept(row: StoredEvent, showing: Showing) -> Literal["ballot", "case", "players"] | None:
    """Why a reader is not told all that the body of an entry says; None = he is."""
    if hides_case(row, showing):
        return "case"
    if hides_people(row, showing):
        return "players"
    if not showing.hides_ballots or row.tag not in _MAY_HOLD:
        return None
    body = orjson.loads(bytes(_SEALED.decode(row.sealed).body))
    return "ballot" if holds_ballot(row.tag, body) else None


def hides_people(row: StoredEvent, showing: Showing) -> bool:
    """Whether an entry of a match may tell who plays it to a committee that must not know: by an
    id that other matches name beside the player, by its source, or in a word that somebody typed.
    """
    is_kept = showing.hides_players and row.stream_id != TOURNAMENT_STREAM
    return is_kept and leads_to_players(bytes(row.sealed), showing.marks)


_MAY_HOLD = BALLOTS | {"entry.amended"}


def hides_case(row: StoredEvent, showing: Showing) -> bool:
    """Whether an entry of a tournament's own stream is about a case that this reader is not of.

    Where the match is kept from viewers, it would say which one that is, and where the ruling
    stands; and who judges whom, and was at the desk when, is the director's to know.
    """
    return row.tag in _OF_A_CASE and showing.reader is not Reader.DIRECTOR


_OF_A_CASE = frozenset({"access.seated", "access.case_opened"})
