"""Names joined and split: what stands, and which names are one player's by all of it together."""

from __future__ import annotations

import itertools

from events.envelope import Basis, RecordedEvent
from events.payloads.base import Payload
from events.payloads.tournament import Called, PlayerJoined, PlayerSplit
from events.personal import Commitment
from projections.facts.joined import Joined, fold_joined, groups_of
from tests.projections.table import ENTRY

ONE, TWO, THREE = (Commitment(sd=digit * 64) for digit in "123")


def after(*payloads: Payload) -> Joined:
    events = [
        RecordedEvent(version, ENTRY.format(version), "", Basis.OBSERVED, payload)
        for version, payload in enumerate(payloads, 1)
    ]
    whole = fold_joined(events)
    for cut in range(len(events)):
        assert fold_joined(events, fold_joined(events[:cut])) == whole
    return whole


def joined(*names: Commitment) -> PlayerJoined:
    return PlayerJoined(names=tuple(Called(name=name) for name in names))


def test_what_was_joined_stands_until_it_is_split() -> None:
    found = after(joined(ONE, TWO), joined(TWO, THREE))
    assert list(found.names.values()) == [(ONE, TWO), (TWO, THREE)]
    found = after(joined(ONE, TWO), joined(TWO, THREE), PlayerSplit(target=ENTRY.format(1)))
    assert list(found.names.values()) == [(TWO, THREE)]
    assert after(joined(ONE), PlayerSplit(target=ENTRY.format(7))).names


def test_names_are_one_players_however_they_were_joined() -> None:
    assert groups_of([("a", "b"), ("c", "d")]) == [("a", "b"), ("c", "d")]
    # One name that was erased leaves the other, which is nobody else's.
    assert groups_of([("a",), ()]) == []
    pairs = [("a", "b"), ("c", "d"), ("b", "c"), ("e", "f")]
    for order in itertools.permutations(pairs):
        groups = {frozenset(group) for group in groups_of(order)}
        assert groups == {frozenset("abcd"), frozenset("ef")}
    assert groups_of([("b", "a"), ("c", "b")]) == [("b", "a", "c")]
