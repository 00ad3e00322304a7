"""Words of an entry: everything that somebody said or wrote freely in it, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from events.envelope import RecordedEvent
from events.payloads import appeal, dispute, match, penalty
from events.payloads.base import Actor, Payload
from events.payloads.corrections import EntryAmended, EntryRetracted
from events.personal import Commitment

_OFFICES: dict[type[Payload], str] = {
    dispute.QuestionLeft: Actor.DIRECTOR.value,
    dispute.RulingMade: Actor.DIRECTOR.value,
    penalty.PenaltyAssessed: Actor.DIRECTOR.value,
    penalty.PenaltyWaived: Actor.DIRECTOR.value,
    penalty.SanctionImposed: Actor.DIRECTOR.value,
    penalty.PlayerDisqualified: Actor.DIRECTOR.value,
    appeal.AppealDecided: Actor.COMMITTEE.value,
    appeal.CommitteeMemberRecused: Actor.COMMITTEE.value,
}
"""Whose words those of an entry are, where no member says so."""


class Word(NamedTuple):
    """One value of an entry that somebody put into words, as a commitment."""

    path: str
    """Where it stands in the body: `says`, `readings.0.says`."""
    kind: str
    """The member itself: says, ground, facts, decision, intended_action, reason, detail, note..."""
    by: str | None
    """Who said it: a seat or an office; None = whoever recorded the entry."""
    sd: str
    """The commitment."""

    @property
    def name(self) -> str:
        """The path without the places in lists."""
        return ".".join(part for part in self.path.split(".") if not part.isdecimal())


def words_of(payload: Payload | None) -> list[Word]:
    """The words of an entry, in the order of its members; an opening has a heading instead."""
    if payload is None or isinstance(payload, match.MatchOpened):
        return []
    return [
        Word(path, path.rpartition(".")[2], _by(payload, path), committed.sd)
        for path, committed in _within(payload, "")
    ]


def committed_in(payload: Payload) -> list[tuple[str, str]]:
    """(path in the body, commitment) of every personal value of an entry, an opening's too."""
    return [(path, committed.sd) for path, committed in _within(payload, "")]


def is_sealed(payload: Payload | None) -> bool:
    """Whether an entry, or what a correction puts in its place, is testimony kept from players."""
    if isinstance(payload, EntryAmended):
        return is_sealed(payload.replacement)
    return isinstance(payload, dispute.TestimonyGiven) and payload.sealed


def under_seal(
    standing: Iterable[RecordedEvent], recorded: Iterable[RecordedEvent]
) -> frozenset[int]:
    """Versions of sealed testimony, with every entry that corrects it.

    Included is testimony that a correction sealed, and sealed testimony that was retracted.
    """
    first: dict[str, str] = {}
    entries: dict[str, list[int]] = {}
    ever: set[str] = set()
    for event in recorded:
        payload, entry_id = event.payload, event.entry_id
        if isinstance(payload, EntryAmended | EntryRetracted):
            # A correction comes behind what it corrects.
            entry_id = first.get(payload.target, payload.target)
            first[event.entry_id] = entry_id
        entries.setdefault(entry_id, []).append(event.version)
        if is_sealed(payload):
            ever.add(entry_id)
    if not ever:
        return frozenset()
    open_again = {event.entry_id for event in standing if not is_sealed(event.payload)}
    return frozenset(version for one in ever - open_again for version in entries[one])


def _by(payload: Payload, path: str) -> str | None:
    if isinstance(payload, dispute.DisputeRaised):
        return payload.readings[int(path.split(".")[1])].by.value
    if isinstance(payload, dispute.TestimonyGiven):
        return payload.role.value
    if isinstance(payload, appeal.AppealFiled):
        return payload.seat.value
    if isinstance(payload, appeal.AppealRefused):
        return payload.by.value
    office = _OFFICES.get(type(payload))
    if office is not None:
        return office
    return None


def _within(node: object, path: str) -> Iterator[tuple[str, Commitment]]:
    """Every commitment inside of a value, with the members and places that lead to it."""
    if isinstance(node, Commitment):
        yield path.removesuffix("."), node
    elif isinstance(node, msgspec.Struct):
        for name in node.__struct_fields__:
            yield from _within(getattr(node, name), f"{path}{name}.")
    elif isinstance(node, dict):
        for key, item in node.items():
            yield from _within(item, f"{path}{key}.")
    elif isinstance(node, list | tuple):
        for place, item in enumerate(node):
            yield from _within(item, f"{path}{place}.")
