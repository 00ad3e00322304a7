"""From bytes to payload: what is refused and where, what is `Unread`, defaults filled in."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from events import catalogue
from events.envelope import Basis, RecordedEvent, StoredEvent
from events.errors import BadBody, Damaged, UnknownTag
from events.payloads.access import AccessGranted
from events.payloads.clock import ClockPressed, ClockSet
from events.payloads.corrections import EntryAmended
from events.payloads.cube import DoubleOffered
from events.payloads.dice import LiftedDice, Rolled
from events.payloads.dispute import DisputeRaised
from events.payloads.match import MatchOpened
from events.payloads.penalty import SlowPlayWarned
from events.values import BySeat, Seat

ENTRY = "0b9f64fb-71a4-4b6a-8f0e-1c52a3c1f3d7"
HEX = "0" * 64
DEEP = 200_000
"""Levels of nesting that overflow any recursive reader."""


def body(**members: object) -> bytes:
    return json.dumps(members).encode()


REFUSED = {
    "a member nobody knows": ("dice.rolled", body(seat="one", dice=[1, 2], luck=3), "$.body"),
    "a member of the envelope": ("dice.lifted", body(seat="one", version=3), "$.body"),
    "a missing member": ("dice.rolled", body(seat="one"), "$.body"),
    "an id with a line end": ("moment.marked", body(target=ENTRY + "\n"), "$.body.target"),
    "a hash with a line end": (
        "moment.marked",
        body(target=ENTRY, note={"sd": HEX + "\n"}),
        "$.body.note.sd",
    ),
    "a seat that is none": ("dice.lifted", body(seat="white"), "$.body.seat"),
    "text for a number": ("game.won", body(winner="one", points="2"), "$.body.points"),
    "a number for text": ("tournament.opened", body(title=7), "$.body.title"),
    "null for a needed member": ("dice.lifted", body(seat=None), "$.body.seat"),
    "a fraction": ("clock.pressed", body(seat="one", at_ms=1.5), "$.body.at_ms"),
    "a whole number as a float": ("clock.pressed", body(seat="one", at_ms=1.0), "$.body.at_ms"),
    "an exponent": ("clock.pressed", b'{"seat":"one","at_ms":1e3}', "$.body.at_ms"),
    "2^53": ("clock.pressed", body(seat="one", at_ms=2**53), "$.body.at_ms"),
    "-2^53": ("clock.pressed", body(seat="one", at_ms=-(2**53)), "$.body.at_ms"),
    "a huge number": ("clock.pressed", body(seat="one", at_ms=10**40), "$.body.at_ms"),
    "a die with a seven": ("dice.rolled", body(seat="one", dice=[7, 1]), "$.body.dice[0]"),
    "a die with a zero": ("dice.rolled", body(seat="one", dice=[6, 0]), "$.body.dice[1]"),
    "three dice": ("dice.rolled", body(seat="one", dice=[1, 2, 3]), "$.body.dice"),
    "a point beyond the bar": (
        "play.made",
        body(seat="one", moves=[[26, 3]]),
        "$.body.moves[0][0]",
    ),
    "half a move": ("play.made", body(seat="one", moves=[[8]]), "$.body.moves[0]"),
    "25 counts": (
        "position.stated",
        body(checkers={"one": [0] * 26, "two": [0] * 25}),
        "$.body.checkers.two",
    ),
    "one seat of two": ("score.stated", body(score={"one": 3}), "$.body.score"),
    "a third seat": ("score.stated", body(score={"one": 3, "two": 1, "three": 0}), "$.body.score"),
    "points below zero": ("score.stated", body(score={"one": -1, "two": 0}), "$.body.score.one"),
    "a match to zero": ("match.length_believed", body(seat="one", length=0), "$.body.length"),
    "a plain name": (
        "match.opened",
        body(players={"one": [{"name": "Anna"}], "two": []}),
        "$.body.players.one[0].name",
    ),
    "a short commitment": (
        "moment.marked",
        body(target=ENTRY, note={"sd": "ab"}),
        "$.body.note.sd",
    ),
    "a commitment with more": (
        "moment.marked",
        body(target=ENTRY, note={"sd": HEX, "salt": "00"}),
        "$.body.note",
    ),
    "an entry id that is none": ("moment.marked", body(target="12"), "$.body.target"),
    "an entry id in capitals": ("moment.marked", body(target=ENTRY.upper()), "$.body.target"),
    "a word that is too long": ("turn.ended", body(seat="one", method="x" * 65), "$.body.method"),
    "an empty word": ("turn.ended", body(seat="one", method=""), "$.body.method"),
    "a text that is too long": ("tournament.closed", body(reason="x" * 4097), "$.body.reason"),
    "an option key that is none": (
        "tournament.rules_varied",
        body(options={"Moves Policy": {}}),
        "$.body.options",
    ),
    "an option key of the envelope": (
        "tournament.rules_varied",
        body(options={"prev": {}}),
        "$.body.options",
    ),
    "an option key of a commitment": (
        "tournament.rules_varied",
        body(options={"a": {"value": {"sd": 1}}}),
        "$.body.options[...].value",
    ),
    "an option with a float": (
        "tournament.rules_varied",
        body(options={"a": {"value": 0.5}}),
        "$.body.options[...].value",
    ),
    "an option with a huge number": (
        "tournament.rules_varied",
        body(options={"a": {"value": {"first_after_ms": 2**53}}}),
        "$.body.options[...].value[...]",
    ),
    "a rule set with a line end": (
        "tournament.rules_declared",
        body(rule_set="biba-2014\n"),
        "$.body.rule_set",
    ),
    "a stream id with a line end": (
        "branch.resolved",
        body(match="r3-t07\n"),
        "$.body.match",
    ),
    "a topic with a line end": (
        "dispute.raised",
        body(by="one", topic="cube.value\n"),
        "$.body.topic",
    ),
    "a key with a line end": (
        "tournament.rules_varied",
        body(options={"rated\n": {}}),
        "$.body.options",
    ),
    "a list": ("dice.lifted", b"[]", "$.body"),
    "nothing": ("dice.lifted", b"", "$.body"),
    "two bodies": ("dice.lifted", b'{"seat":"one"}{"seat":"one"}', "$.body"),
    "no UTF-8": ("tournament.opened", b'{"title":"\xff"}', "$.body"),
    "half a surrogate pair": ("tournament.opened", rb'{"title":"\ud800"}', "$.body"),
    "NaN": ("clock.pressed", b'{"seat":"one","at_ms":NaN}', "$.body"),
}


@pytest.mark.parametrize(("tag", "raw", "where"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_body_is_refused_with_its_place(tag: str, raw: bytes, where: str) -> None:
    with pytest.raises(BadBody) as refused:
        catalogue.decode(tag, raw)
    assert refused.value.where == where
    assert str(refused.value).startswith(f"{tag}: ")
    assert str(refused.value).endswith(f" - at {where}")


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 10_000_000,
        b'{"seat":' * 1_250_000,
        b'{"reason":' + b"[" * DEEP + b"]" * DEEP + b"}",
        b'{"title":"x","continues":' + b'{"log":' * DEEP + b"1" + b"}" * DEEP + b"}",
    ],
    ids=["open lists", "open objects", "deep lists", "deep objects"],
)
def test_megabytes_of_nesting_are_refused_and_crash_nothing(raw: bytes) -> None:
    for kind in (catalogue.KINDS[0], catalogue.kind_of("tournament.closed")):
        with pytest.raises(BadBody):
            catalogue.decode(kind.tag, raw)


@pytest.mark.parametrize("tag", ["dice.thrown", "", "dice.rolled ", "Dice.Rolled", "x" * 1000])
def test_an_unknown_tag_is_refused(tag: str) -> None:
    with pytest.raises(UnknownTag, match="there is no event type") as refused:
        catalogue.decode(tag, b"{}")
    assert refused.value.where == "$.tag"
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("schema", [0, -1, 2, 2**53])
def test_an_unknown_version_is_refused(schema: int) -> None:
    with pytest.raises(UnknownTag, match="no schema version") as refused:
        catalogue.decode("dice.rolled", body(seat="one", dice=[3, 1]), schema=schema)
    assert refused.value.where == "$.schema"


def test_members_that_hold_their_default_are_left_out() -> None:
    raw = body(seat="one", dice="both", at_ms=None)
    assert catalogue.encode(catalogue.decode("dice.lifted", raw)) == b'{"seat":"one"}'


def test_an_amendment_holds_what_happened_instead() -> None:
    amended = catalogue.decode(
        "entry.amended", body(target=ENTRY, tag="dice.rolled", body={"seat": "two", "dice": [6, 6]})
    )
    assert isinstance(amended, EntryAmended)
    assert amended.replacement == Rolled(seat=Seat.TWO, dice=(6, 6))


def test_every_type_but_corrections_can_stand_in_an_amendment() -> None:
    raw = body(target=ENTRY, tag="slow_play.warned", body={"seat": "one"})
    amended = catalogue.decode("entry.amended", raw)
    assert isinstance(amended, EntryAmended)
    assert amended.replacement == SlowPlayWarned(seat=Seat.ONE)


@pytest.mark.parametrize("tag", ["entry.amended", "entry.retracted"])
def test_an_amendment_cannot_stand_for_a_correction(tag: str) -> None:
    with pytest.raises(BadBody, match="cannot stand for a correction") as refused:
        catalogue.decode("entry.amended", body(target=ENTRY, tag=tag, body={"target": ENTRY}))
    assert refused.value.where == "$.body.tag"


def test_a_fault_inside_an_amendment_is_told_with_its_whole_path() -> None:
    inner = {"seat": "two", "dice": [6, 9]}
    with pytest.raises(BadBody) as refused:
        catalogue.decode("entry.amended", body(target=ENTRY, tag="dice.rolled", body=inner))
    assert refused.value.where == "$.body.body.dice[1]"
    with pytest.raises(UnknownTag) as unknown:
        catalogue.decode("entry.amended", body(target=ENTRY, tag="dice.thrown", body=inner))
    assert unknown.value.where == "$.body.tag"


def test_an_amendment_is_encoded_canonically_however_its_body_was_spaced() -> None:
    spaced = msgspec.Raw(b'{ "seat" : "two",\n "dice":[6,6]}')
    amended = EntryAmended(target=ENTRY, tag="dice.rolled", body=spaced)
    assert b'"body":{"dice":[6,6],"seat":"two"}' in catalogue.encode(amended)


def stored(tag: str, raw: bytes, *, schema: int = 1, basis: str = "agreed") -> StoredEvent:
    sealed = (
        b'{"basis":"%b","body":%b,"context":{"sd":"%b"},"entry_id":"%b","log":"l",'
        b'"schema":%d,"stream":"s","tag":"%b","v":1,"version":4}'
    ) % (basis.encode(), raw, HEX.encode(), ENTRY.encode(), schema, tag.encode())
    return StoredEvent("l", "s", 4, 17, ENTRY, tag, schema, sealed, b"\0" * 32)


def _from_bytes(row: StoredEvent) -> RecordedEvent:
    entry = (row.global_position, row.sealed)
    return catalogue.read_entries(row.log_id, row.stream_id, [entry])[0]


@pytest.fixture(params=[catalogue.read, _from_bytes], ids=["from a row", "from sealed bytes"])
def read(request: pytest.FixtureRequest) -> Any:
    """Both ways of reading, which must never differ."""
    return request.param


def test_a_stored_row_is_read_with_its_place_and_basis(read: Any) -> None:
    row = stored("dice.lifted", body(seat="one", dice="one"))
    assert read(row) == RecordedEvent(
        4,
        ENTRY,
        "dice.lifted",
        Basis.AGREED,
        catalogue.decode("dice.lifted", body(seat="one", dice=LiftedDice.ONE)),
        "l",
        "s",
        17,
    )


@pytest.mark.parametrize(
    ("tag", "schema"), [("dice.burned", 1), ("dice.rolled", 2), ("dice.rolled", 900)]
)
def test_what_a_later_program_wrote_is_kept_unread(read: Any, tag: str, schema: int) -> None:
    raw = b'{"heat": 1.5, "again": {"version":2}}'
    event = read(stored(tag, raw, schema=schema))
    assert isinstance(event.payload, catalogue.Unread)
    assert bytes(event.payload.raw) == raw
    assert (event.tag, event.basis) == (tag, Basis.AGREED)


def test_a_stored_amendment_is_read_with_what_happened_instead(read: Any) -> None:
    inner = {"seat": "two", "dice": [6, 6]}
    event = read(stored("entry.amended", body(target=ENTRY, tag="dice.rolled", body=inner)))
    assert event.payload.replacement == Rolled(seat=Seat.TWO, dice=(6, 6))


@pytest.mark.parametrize("members", [{"tag": "dice.burned"}, {"tag": "dice.rolled", "schema": 2}])
def test_an_amendment_by_a_later_program_is_kept_unread(read: Any, members: dict[str, Any]) -> None:
    event = read(stored("entry.amended", body(target=ENTRY, body={"heat": 9}, **members)))
    assert isinstance(event.payload, EntryAmended)
    assert isinstance(event.payload.replacement, catalogue.Unread)
    assert bytes(event.payload.replacement.raw) == b'{"heat": 9}'


@pytest.mark.parametrize(
    ("tag", "raw", "basis"),
    [
        ("dice.rolled", b'{"seat":"one"}', "agreed"),
        ("dice.rolled", b'{"seat":"one","dice":[1,2]}', "guessed"),
        ("dice.rolled", b"{", "agreed"),
        ("dice.rolled", b"[" * DEEP, "agreed"),
        ("dice.burned", b"[" * DEEP + b"]" * DEEP, "agreed"),
        ("dice.rolled", b'{"seat":"\xff","dice":[1,2]}', "agreed"),
        ("dice.rolled", b'{"seat":"one","dice":[1,2],"luck":1}', "agreed"),
        (
            "entry.amended",
            body(target=ENTRY, tag="dice.rolled", body={"seat": "one"}),
            "agreed",
        ),
        ("entry.amended", body(target=ENTRY, tag="dice.rolled", schema=0, body={}), "agreed"),
    ],
)
def test_a_row_that_is_not_what_it_promises_is_called_damaged(
    read: Any, tag: str, raw: bytes, basis: str
) -> None:
    with pytest.raises(Damaged, match="entry 17 of log l cannot be read"):
        read(stored(tag, raw, basis=basis))


def test_reading_leaves_the_stored_bytes_alone(read: Any) -> None:
    row = stored("clock.pressed", b'{"seat":"one","at_ms":null}')
    before = bytes(row.sealed)
    assert read(row).payload == ClockPressed(seat=Seat.ONE)
    assert row.sealed == before


def test_personal_values_are_found_wherever_they_lie() -> None:
    assert ("players", "one", "*", "name") in catalogue.personal_paths(MatchOpened)
    assert ("players", "two", "*", "rating") in catalogue.personal_paths(MatchOpened)
    assert ("source", "name") in catalogue.personal_paths(MatchOpened)
    assert ("appointed_start",) in catalogue.personal_paths(MatchOpened)
    assert catalogue.personal_paths(DisputeRaised) == (("readings", "*", "says"),)
    assert catalogue.personal_paths(AccessGranted) == (("holder",),)
    assert catalogue.personal_paths(DoubleOffered) == ()


def test_a_clock_that_never_runs_out_needs_no_reserve() -> None:
    found = catalogue.decode("clock.set", body(kind="non_expiring"))
    assert isinstance(found, ClockSet)
    assert found.reserve_ms == BySeat(0, 0)
