"""Old bodies are read through pure steps; what a step does not know survives; bytes stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events import catalogue, upcasters
from events.envelope import Basis, StoredEvent
from events.errors import BadBody, Damaged
from events.payloads.dice import Lifted, LiftedDice
from events.upcasters import Body, upcast
from events.values import Seat


def count_to_word(old: Body) -> Body:
    """Version 1 of a made-up type counted the dice; version 2 names them."""
    old["dice"] = "both" if old.pop("count", 2) == 2 else "one"
    return old


def player_to_seat(old: Body) -> Body:
    """Version 2 said `player`; version 3 says `seat`."""
    old["seat"] = old.pop("player")
    return old


GOLDEN = Path(__file__).parents[2] / "golden" / "events"

STEPS = {("dice.lifted", 1): count_to_word, ("dice.lifted", 2): player_to_seat}
OLD = {"player": "one", "count": 1}


def test_steps_lead_from_each_old_version_to_the_current_one() -> None:
    new = {"seat": "one", "dice": "one"}
    assert upcast("dice.lifted", OLD, schema=1, current=3, steps=STEPS) == new
    second = {"player": "one", "dice": "one"}
    assert upcast("dice.lifted", second, schema=2, current=3, steps=STEPS) == new
    assert upcast("dice.lifted", new, schema=3, current=3, steps=STEPS) == new


def test_members_that_a_step_does_not_know_survive() -> None:
    odd = {**OLD, "colour": {"die": ["red", None]}}
    new = upcast("dice.lifted", odd, schema=1, current=3, steps=STEPS)
    assert new == {"seat": "one", "dice": "one", "colour": {"die": ["red", None]}}


def test_a_step_never_changes_the_body_that_it_was_given() -> None:
    before = dict(OLD)
    upcast("dice.lifted", OLD, schema=1, current=3, steps=STEPS)
    assert before == OLD


def test_a_version_that_was_raised_without_a_step_is_told() -> None:
    with pytest.raises(KeyError, match=r"dice\.lifted"):
        upcast("dice.lifted", OLD, schema=1, current=4, steps=STEPS)


def test_every_old_version_of_every_type_has_its_step() -> None:
    needed = {(kind.tag, old) for kind in catalogue.KINDS for old in range(1, kind.schema)}
    assert set(upcasters.UPCASTERS) == needed


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """`dice.lifted` as if it had reached version 3 through the steps above."""
    kind = catalogue.Kind("dice.lifted", 3, Lifted)
    monkeypatch.setitem(catalogue._BY_TAG, "dice.lifted", kind)
    monkeypatch.setitem(catalogue._TAG_OF, Lifted, kind)
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Lifted)
    for known in (catalogue._DECODERS, catalogue._SEALED_DECODERS):
        monkeypatch.delitem(known, ("dice.lifted", 1))
    monkeypatch.setitem(catalogue._DECODERS, ("dice.lifted", 3), decoder)
    for key, step in STEPS.items():
        monkeypatch.setitem(upcasters.UPCASTERS, key, step)  # type: ignore[arg-type]


def row(body: bytes, schema: int) -> StoredEvent:
    sealed = b'{"basis":"device","body":%b}' % body
    return StoredEvent("l", "s", 1, 0, "e", "dice.lifted", schema, sealed, b"\0" * 32)


@pytest.mark.usefixtures("raised")
def test_old_entries_are_read_as_today_and_stored_bytes_stay() -> None:
    lifted = Lifted(seat=Seat.ONE, dice=LiftedDice.ONE)
    assert catalogue.decode("dice.lifted", b'{"player":"one","count":1}', schema=1) == lifted
    assert catalogue.decode("dice.lifted", b'{"player":"one","dice":"one"}', schema=2) == lifted
    old = row(b'{"player":"one","count":1}', 1)
    before = bytes(old.sealed)
    event = catalogue.read(old)
    assert (event.payload, event.basis) == (lifted, Basis.DEVICE)
    assert old.sealed == before
    assert catalogue.encode(event.payload) == b'{"dice":"one","seat":"one"}'


@pytest.mark.usefixtures("raised")
def test_an_old_body_that_is_none_today_is_refused_with_its_place() -> None:
    with pytest.raises(BadBody) as refused:
        catalogue.decode("dice.lifted", b'{"player":"white"}', schema=1)
    assert refused.value.where == "$.body.seat"
    with pytest.raises(BadBody):
        catalogue.decode("dice.lifted", b"[1]", schema=1)
    with pytest.raises(Damaged):
        catalogue.read(row(b'{"player":"white"}', 1))


def _members(tag: str, schema: int) -> set[str]:
    bodies = json.loads((GOLDEN / f"{tag}@{schema}.json").read_text("utf-8"))["bodies"]
    return {member for one in bodies.values() for member in one["body"]}


def test_what_came_with_a_version_is_what_no_golden_body_before_it_has() -> None:
    raised = [
        (kind.tag, version) for kind in catalogue.KINDS for version in range(2, kind.schema + 1)
    ]
    assert raised
    for tag, version in raised:
        came = _members(tag, version) - _members(tag, version - 1)
        assert came == upcasters.CAME_WITH.get((tag, version), frozenset()), (tag, version)
    assert set(upcasters.CAME_WITH) <= set(raised)


def test_members_of_a_later_version_are_told_and_those_of_ones_own_are_not() -> None:
    body = {"item": "dice", "until": "game", "allowed": "two"}
    assert upcasters.later_members("equipment.agreed", body, schema=1) == ["allowed", "until"]
    assert upcasters.later_members("equipment.agreed", body, schema=2) == []
    assert upcasters.later_members("equipment.changed", body, schema=1) == []
