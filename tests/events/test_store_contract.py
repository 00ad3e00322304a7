"""The promise of `EventStore`, claim by claim, over memory, SQLite and PostgreSQL."""

from __future__ import annotations

import hashlib
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import orjson
import pytest

from events.canonical import canonical, fingerprint
from events.envelope import MAX_SEALED_BYTES, NO_STREAM, TOURNAMENT_STREAM, Basis
from events.errors import (
    BadIdentifier,
    BadInput,
    Conflict,
    EntryIdReused,
    ExpectedVersionMismatch,
    LedgerError,
    LogExists,
    MixedBatch,
    NoSuchLog,
    NotCanonical,
    PremiseMoved,
    TooLarge,
)
from events.personal import commitment_of
from events.sealing.chain import break_of_chain
from events.sealing.merkle import EMPTY_ROOT, leaf_hash, root
from events.store.fsck import fsck
from events.store.opening import open_store
from events.store.protocol import SOUGHT, Appended, Unit
from events.store.restored import opening, read_back, seal_behind
from events.store.sealed import SealedStream, seal_stream


def test_versions_and_global_positions_have_no_gaps(store, make_draft):
    one = store.append("club", "match-1", [make_draft(), make_draft()])
    two = store.append("club", "match-2", [make_draft()])
    three = store.append("club", "match-1", [make_draft()])
    places = [(e.stream_id, e.version, e.global_position) for e in store.read_log("club")]
    assert places == [("match-1", 1, 0), ("match-1", 2, 1), ("match-2", 1, 2), ("match-1", 3, 3)]
    assert list(store.read_log("club")) == [*one.events, *two.events, *three.events]


def test_sealed_bytes_say_what_was_drafted_and_where_it_stands(store, make_draft):
    first, second = make_draft(), make_draft(name="Ada")
    store.append("club", "m", [first])
    event = store.append("club", "m", [second]).events[0]
    members = orjson.loads(event.sealed)
    context = commitment_of(second.context)
    assert members == {
        "v": 1,
        "log": "club",
        "stream": "m",
        "version": 2,
        "prev": leaf_hash(store.read_stream("club", "m")[0].sealed).hex(),
        "tag": "dice.rolled",
        "schema": 1,
        "entry_id": second.entry_id,
        "nonce": members["nonce"],
        "basis": "observed",
        "context": {"sd": context},
        "body": orjson.loads(second.body),
    }
    assert len(bytes.fromhex(members["nonce"])) == 16
    assert event.leaf_hash == leaf_hash(event.sealed)


def test_nothing_is_appended_by_grants_that_may_have_changed_but_a_retry_is_answered(
    store, make_draft
):
    def unit(draft, access):
        return Unit(log_id="club", stream_id="m", drafts=(draft,), access=(("club", access),))

    store.append("club", TOURNAMENT_STREAM, [make_draft()])
    kept, late, after = make_draft(), make_draft(), make_draft()
    revoked = make_draft(tag="access.revoked")
    moves = Unit(log_id="club", stream_id=TOURNAMENT_STREAM, drafts=(revoked,))
    units = [unit(kept, 1), moves, unit(late, 1), unit(after, 2), unit(kept, 1)]
    first, _, refused, third, again = store.append_units(units)
    assert isinstance(refused, PremiseMoved)
    assert [first.events[0].version, third.events[0].version] == [1, 2]
    assert (again.duplicate, again.events) == (True, first.events)
    assert isinstance(store.append_units([unit(late, 1)])[0], PremiseMoved)
    assert fsck(store).clean


def test_what_else_is_written_into_the_tournaments_stream_keeps_nobody_out(store, make_draft):
    def own(tag):
        return Unit(log_id="club", stream_id=TOURNAMENT_STREAM, drafts=(make_draft(tag=tag),))

    def beside(version):
        drafts = (make_draft(),)
        return Unit(log_id="club", stream_id="m", drafts=drafts, access=(("club", version),))

    store.append_units([own("access.granted")])
    units = [own("player.registered"), beside(1), own("round.paired"), beside(1)]
    assert [one.events[0].version for one in store.append_units(units)] == [2, 1, 3, 2]
    assert store.append_units([beside(1)])[0].events[0].version == 3
    for tag in ("access.revoked", "access.seated", "access.granted"):
        version = store.stream_head("club", TOURNAMENT_STREAM).version
        _, _, refused = store.append_units([beside(version), own(tag), beside(version)])
        assert isinstance(refused, PremiseMoved)
        assert isinstance(store.append_units([beside(version)])[0], PremiseMoved)
    assert isinstance(store.append_units([beside(1_000)])[0], PremiseMoved)


def test_heads_follow_every_append(store, make_draft):
    assert store.log_head("club").root == EMPTY_ROOT
    leaves = []
    for size in range(1, 12):
        event = store.append("club", f"m{size % 3}", [make_draft()]).events[0]
        leaves.append(event.leaf_hash)
        head = store.log_head("club")
        assert (head.size, head.root) == (size, root(leaves))
        stream = store.stream_head("club", event.stream_id)
        assert (stream.version, stream.head_hash) == (event.version, event.leaf_hash)


def test_chain_of_a_stream_holds(store, make_draft):
    for _ in range(4):
        store.append("club", "m", [make_draft(), make_draft()])
        store.append("club", "other", [make_draft()])
    assert break_of_chain(store.read_stream("club", "m")) is None


def test_read_stream_goes_on_after_a_version(store, make_draft):
    written = store.append("club", "m", [make_draft() for _ in range(5)]).events
    assert store.read_stream("club", "m", after=2) == list(written[2:])
    assert store.read_stream("club", "m", after=1, limit=2) == list(written[1:3])
    assert store.read_stream("club", "m", after=5) == []
    assert store.read_stream("club", "nobody") == []
    assert store.read_stream("nowhere", "m") == []


def test_sealed_bytes_can_be_read_alone(store, make_draft):
    store.append("club", "other", [make_draft()])
    store.append("club", "m", [make_draft() for _ in range(4)])
    rows = store.read_stream("club", "m", after=1)
    assert store.read_sealed("club", "m", after=1) == [(e.global_position, e.sealed) for e in rows]
    assert store.read_sealed("club", "nobody") == []


def test_sealed_bytes_of_a_log_can_be_read_alone(store, make_draft):
    store.append("club", "other", [make_draft()])
    store.append("club", "m", [make_draft() for _ in range(4)])
    store.append("club", "other", [make_draft()])
    rows = [(e.stream_id, e.version, e.global_position, e.sealed) for e in store.read_log("club")]
    assert store.read_sealed_log("club", start=0, limit=100) == rows
    assert store.read_sealed_log("club", start=1, limit=3) == rows[1:4]
    assert store.read_sealed_log("club", start=6, limit=3) == []
    assert store.read_sealed_log("nowhere", start=0, limit=3) == []


def test_read_log_starts_anywhere(store, make_draft):
    written = store.append("club", "m", [make_draft() for _ in range(5)]).events
    assert list(store.read_log("club", start=3)) == list(written[3:])
    assert list(store.read_log("club", start=1, limit=2)) == list(written[1:3])
    assert list(store.read_log("club", start=5)) == []
    assert list(store.read_log("club", limit=0)) == []


def test_leaf_hashes_are_read_in_the_order_of_the_log(store, make_draft):
    for stream in ("m1", "m2", "m1"):
        store.append("club", stream, [make_draft(), make_draft()])
    hashes = [event.leaf_hash for event in store.read_log("club")]
    assert store.leaf_hashes("club", start=0, limit=100) == hashes
    assert store.leaf_hashes("club", start=2, limit=3) == hashes[2:5]
    assert store.leaf_hashes("club", start=6, limit=3) == []
    assert store.leaf_hashes("nowhere", start=0, limit=3) == []


def test_read_log_crosses_its_own_pages(store, make_draft):
    written = store.append("club", "m", [make_draft() for _ in range(2_003)]).events
    assert [e.global_position for e in store.read_log("club", start=1)] == list(range(1, 2_003))
    assert len(list(store.read_log("club", limit=1_500))) == 1_500
    assert len(written) == 2_003


def test_streams_come_in_pages_by_id(store, make_draft):
    names = sorted(["b", "a-1", "a1", "c", "a"])
    for name in names:
        store.append("club", name, [make_draft()])
    assert [head.stream_id for head in store.streams("club")] == names
    assert [head.stream_id for head in store.streams("club", after="a1", limit=1)] == ["b"]
    assert store.streams("club", after="c") == []
    assert store.streams("nowhere") == []


def test_logs_share_nothing(store, make_draft):
    store.open_log("other")
    draft = make_draft()
    store.append("club", "m", [draft])
    again = store.append("other", "m", [draft])
    assert not again.duplicate
    assert (again.events[0].version, again.events[0].global_position) == (1, 0)
    assert [(head.log_id, head.size) for head in store.logs()] == [("club", 1), ("other", 1)]


def test_a_log_is_opened_once(store):
    with pytest.raises(LogExists):
        store.open_log("club")
    with pytest.raises(BadIdentifier):
        store.open_log("Club of Paris")


def test_unknown_log_is_refused(store, make_draft):
    with pytest.raises(NoSuchLog):
        store.append("nowhere", "m", [make_draft()])
    with pytest.raises(NoSuchLog):
        store.log_head("nowhere")
    assert store.stream_head("nowhere", "m") is None


def test_what_is_asked_for_with_a_nul_is_not_there_and_no_fault_of_the_database(store, make_draft):
    store.append("club", "m", [make_draft()])
    with pytest.raises(NoSuchLog):
        store.log_head("club\0")
    assert store.stream_head("club", "m\0") is None
    assert store.stream_head("club\0", "m") is None
    assert list(store.read_stream("club", "m\0")) == []
    assert store.stream_head("club", "m").version == 1


def test_expected_version_must_hold(store, make_draft):
    store.append("club", "m", [make_draft()], expected_version=NO_STREAM)
    with pytest.raises(ExpectedVersionMismatch) as refused:
        store.append("club", "m", [make_draft()], expected_version=NO_STREAM)
    assert (refused.value.expected, refused.value.current) == (0, 1)
    with pytest.raises(ExpectedVersionMismatch):
        store.append("club", "m", [make_draft()], expected_version=2)
    store.append("club", "m", [make_draft()], expected_version=1)
    store.append("club", "m", [make_draft()])
    assert store.log_head("club").size == 3


def test_expected_head_must_hold(store, make_draft):
    head = store.append("club", "m", [make_draft()]).events[0].leaf_hash
    with pytest.raises(ExpectedVersionMismatch, match="head"):
        store.append("club", "m", [make_draft()], expected_version=1, expected_head=bytes(32))
    store.append("club", "m", [make_draft()], expected_version=1, expected_head=head)


def test_retry_gets_its_first_answer_after_others_have_followed(store, make_draft):
    drafts = [make_draft(), make_draft()]
    first = store.append("club", "m", drafts, expected_version=0)
    store.append("club", "m", [make_draft()])
    # The version that was expected has long gone; a retry must not hear of it (P22).
    again = store.append("club", "m", drafts, expected_version=0)
    assert again.duplicate
    assert again.events == first.events
    assert store.log_head("club").size == 3


def test_retry_may_bring_another_context(store, make_draft):
    draft = make_draft()
    first = store.append("club", "m", [draft])
    later = make_draft(entry_id=draft.entry_id, body=draft.body)
    assert later.context != draft.context
    assert store.append("club", "m", [later]).events == first.events


@pytest.mark.parametrize(
    "change",
    [{"body": b'{"dice":[1,1]}'}, {"tag": "dice.voided"}, {"schema": 2}, {"basis": Basis.AGREED}],
    ids=["body", "tag", "schema", "basis"],
)
def test_entry_id_with_other_bytes_is_refused(store, make_draft, change):
    draft = make_draft()
    store.append("club", "m", [draft])
    other = make_draft(**{"entry_id": draft.entry_id, "body": draft.body, **change})
    with pytest.raises(EntryIdReused):
        store.append("club", "m", [other])
    assert store.log_head("club").size == 1


def test_entry_id_is_bound_to_its_stream(store, make_draft):
    draft = make_draft()
    store.append("club", "m", [draft])
    with pytest.raises(EntryIdReused):
        store.append("club", "n", [draft])


def test_mixed_batch_is_refused_whole(store, make_draft):
    known = make_draft()
    store.append("club", "m", [known])
    with pytest.raises(MixedBatch) as refused:
        store.append("club", "m", [known, make_draft()])
    assert refused.value.known == [known.entry_id]
    assert store.log_head("club").size == 1


def test_same_entry_id_twice_in_one_unit_is_refused(store, make_draft):
    draft = make_draft()
    with pytest.raises(BadInput, match="twice"):
        store.append("club", "m", [draft, draft])
    assert store.log_head("club").size == 0


def test_retry_inside_the_same_group_gets_the_same_answer(store, make_draft):
    draft = make_draft()
    unit = Unit(log_id="club", stream_id="m", drafts=(draft,), expected_version=0)
    other = make_draft(entry_id=draft.entry_id, body=b'{"dice":[1,1]}')
    reused = Unit(log_id="club", stream_id="m", drafts=(other,))
    first, again, refused = store.append_units([unit, unit, reused])
    assert (first.duplicate, again.duplicate) == (False, True)
    assert first.events == again.events
    assert isinstance(refused, EntryIdReused)
    assert store.log_head("club").size == 1


def test_refused_unit_does_not_harm_its_neighbours(store, make_draft):
    def unit(stream, *drafts, **more):
        return Unit(log_id="club", stream_id=stream, drafts=drafts, **more)

    answers = store.append_units(
        [
            unit("a", make_draft()),
            unit("a", make_draft(), expected_version=7),
            unit("b", make_draft(body=b'{"x":1.5}')),
            unit("b", make_draft(entry_id="nonsense")),
            unit("c", make_draft(), expected_version=0),
            Unit(log_id="nowhere", stream_id="a", drafts=(make_draft(),)),
            unit("a", make_draft(), expected_version=1),
        ]
    )
    assert [type(answer) for answer in answers] == [
        Appended,
        ExpectedVersionMismatch,
        NotCanonical,
        BadIdentifier,
        Appended,
        NoSuchLog,
        Appended,
    ]
    assert [e.global_position for e in store.read_log("club")] == [0, 1, 2]
    assert fsck(store).clean


def test_failure_in_the_middle_of_a_group_hits_its_own_unit_only(store, make_draft):
    # A salt used before is seen by the database alone, after the group was decided (P21).
    used = make_draft(name="Ada")
    store.append("club", "m", [used])
    units = [
        Unit(log_id="club", stream_id="m", drafts=(draft,))
        for draft in (
            make_draft(),
            make_draft(body=used.body, disclosures=used.disclosures),
            make_draft(),
        )
    ]
    good, bad, fine = store.append_units(units)
    assert isinstance(bad, BadInput)
    assert (good.events[0].version, fine.events[0].version) == (2, 3)
    assert fsck(store).clean


def test_entries_are_limited_to_what_a_tile_holds(store, make_draft):
    room = MAX_SEALED_BYTES - len(
        store.append("club", "size", [make_draft(body=b'{"note":""}')]).events[0].sealed
    )
    fits = make_draft(body=canonical({"note": "x" * (room - 100)}))
    over = make_draft(body=canonical({"note": "x" * room}))
    store.append("club", "m", [fits])
    with pytest.raises(TooLarge):
        store.append("club", "m", [make_draft(), over])
    with pytest.raises(TooLarge):
        store.append("club", "m", [make_draft(body=canonical({"note": "x" * 70_000}))])
    assert store.log_head("club").size == 2


@pytest.mark.parametrize(
    "change",
    [
        {"body": b'{"b":1,"a":2}'},
        {"body": b'{"a":1.0}'},
        {"body": b"[]"},
        {"body": b'{"a":1,"a":1}'},
        {"body": b'{"a": 1}'},
        {"context": None},
        {"context": b'["salt","other",1]'},
        {"context": b"{}"},
        {"disclosures": (b'["salt","player","nobody asked"]',)},
        {"tag": "Dice Rolled"},
        {"schema": 0},
        {"entry_id": "6BA7B810-9DAD-41D1-80B4-00C04FD430C8"},
    ],
)
def test_what_could_not_be_verified_is_not_sealed(store, make_draft, change):
    with pytest.raises(BadInput):
        store.append("club", "m", [make_draft(**change)])
    with pytest.raises(BadInput):
        store.append("club", "m", [])
    assert store.log_head("club").size == 0


@pytest.mark.parametrize("salt", ["", "00" * 15, "00" * 17, "FF" * 16, "words that are no hex"])
def test_no_value_is_committed_to_without_a_salt_of_128_bits(store, make_draft, salt):
    raw = canonical([salt, "note", "words"])
    body = canonical({"note": {"sd": hashlib.sha256(raw).hexdigest()}})
    with pytest.raises(BadInput, match="salt"):
        store.append("club", "m", [make_draft(body=body, disclosures=(raw,))])
    assert store.log_head("club").size == 0


def test_find_entries_leaves_unknown_ids_out(store, make_draft):
    written = store.append("club", "m", [make_draft() for _ in range(3)]).events
    wanted = [written[0].entry_id, str(uuid.uuid4()), written[2].entry_id]
    found = store.find_entries("club", wanted)
    assert found == {written[0].entry_id: written[0], written[2].entry_id: written[2]}
    assert store.find_entries("club", []) == {}


def test_entries_are_found_by_their_tag_throughout_a_log_and_in_its_order(store, make_draft):
    store.open_log("other")
    written = {}
    for stream in ("b", "a", "c"):
        drafts = [make_draft(tag=tag) for tag in ("match.opened", "dice.rolled", "appeal.filed")]
        written[stream] = store.append("club", stream, drafts).events
    store.append("other", "b", [make_draft(tag="appeal.filed")])
    for place, tag in enumerate(("match.opened", "dice.rolled", "appeal.filed")):
        found = store.read_tagged("club", tag)
        assert found == [written[stream][place] for stream in ("b", "a", "c")]
        later = found[1].global_position
        assert store.read_tagged("club", tag, start=later) == found[1:]
        assert store.read_tagged("club", tag, start=later + 1) == found[2:]
    assert store.read_tagged("club", "vote.cast") == []
    assert store.read_tagged("nowhere", "match.opened") == []
    assert {"match.opened", "appeal.filed"} == set(SOUGHT)


def test_disclosures_are_found_and_erased(store, make_draft):
    draft = make_draft(name="Ada Lovelace")
    event = store.append("club", "m", [draft]).events[0]
    name = commitment_of(draft.disclosures[0])
    context = commitment_of(draft.context)
    assert store.disclosures("club", [name, context, "0" * 64]) == {name: draft.disclosures[0]}
    assert set(store.disclosures_of("club", [event.global_position, 99])[0]) == {
        draft.context,
        draft.disclosures[0],
    }
    assert store.erase_disclosure("club", name)
    assert not store.erase_disclosure("club", name)
    assert store.disclosures("club", [name]) == {}
    assert store.disclosures_of("club", [0]) == {0: [draft.context]}
    assert store.erase_disclosure("club", context)
    assert not store.erase_disclosure("club", context)
    assert store.disclosures_of("club", [0]) == {}
    assert not fsck(store).wrong_in_a_copy
    # The entry is still known: a retry brings the name back into no table.
    assert store.append("club", "m", [draft]).duplicate
    assert store.disclosures("club", [name]) == {}


def test_many_disclosures_are_erased_at_once_and_the_files_cleared(store, make_draft):
    drafts = [make_draft(name=f"Ada {number}") for number in range(4)]
    store.append("club", "m", drafts)
    names = [commitment_of(draft.disclosures[0]) for draft in drafts]
    assert store.erase_disclosures("club", [*names[:3], "0" * 64]) == 3
    assert store.erase_disclosures("club", names[:3]) == 0
    assert set(store.disclosures("club", names)) == {names[3]}
    assert store.scrub()
    assert store.erase_disclosures("club", []) == 0
    assert not fsck(store).wrong_in_a_copy


def test_an_entry_that_says_what_is_erased_takes_it_along(store, make_draft):
    drafts = [make_draft(name=f"Ada {number}") for number in range(3)]
    store.append("club", "m", drafts)
    names = [commitment_of(draft.disclosures[0]) for draft in drafts]
    context = commitment_of(drafts[0].context)
    gone = {"commitments": sorted([*names[:2], context, "0" * 64])}
    said = make_draft(tag="disclosure.erased", body=canonical(gone))
    answers = store.append_units(
        [
            Unit(log_id="club", stream_id="t", drafts=(said,)),
            Unit(log_id="club", stream_id="m", drafts=(make_draft(name="Ada 4"),)),
        ]
    )
    assert not any(isinstance(one, LedgerError) for one in answers)
    assert set(store.disclosures("club", names)) == {names[2]}
    assert context not in map(commitment_of, store.disclosures_of("club", [0]).get(0, ()))
    assert store.is_scrubbed
    assert not fsck(store).wrong_in_a_copy
    # Refused, it lets nothing go; sent again, it lets nothing more go.
    other = make_draft(tag="disclosure.erased", body=canonical({"commitments": [names[2]]}))
    with pytest.raises(LedgerError):
        store.append("club", "t", [other], expected_version=7)
    assert store.append("club", "t", [said]).duplicate
    assert set(store.disclosures("club", names)) == {names[2]}


def test_of_eight_concurrent_hands_exactly_one_wins(store, make_draft):
    store.append("club", "m", [make_draft()])
    drafts = [make_draft() for _ in range(8)]
    start = threading.Barrier(8)

    def hand(draft):
        start.wait()
        try:
            return store.append("club", "m", [draft], expected_version=1)
        except Conflict as refusal:
            return refusal

    with ThreadPoolExecutor(8) as hands:
        answers = list(hands.map(hand, drafts))
    assert sum(isinstance(answer, Appended) for answer in answers) == 1
    assert sum(isinstance(answer, ExpectedVersionMismatch) for answer in answers) == 7
    assert store.stream_head("club", "m").version == 2


def test_concurrent_hands_without_expectation_all_get_a_place(store, make_draft):
    drafts = [[make_draft() for _ in range(20)] for _ in range(8)]

    def hand(mine):
        for draft in mine:
            store.append("club", "m", [draft])

    with ThreadPoolExecutor(8) as hands:
        list(hands.map(hand, drafts))
    events = store.read_stream("club", "m")
    assert [event.version for event in events] == list(range(1, 161))
    assert {event.entry_id for event in events} == {d.entry_id for mine in drafts for d in mine}
    assert fsck(store).clean


def test_same_entropy_seals_the_same_bytes(archive_url, make_draft):
    opened = open_store(archive_url, entropy=lambda count: bytes(range(count)))
    opened.open_log("club")
    draft = make_draft(entry_id="00000000-0000-4000-8000-000000000000", body=b'{"dice":[3,1]}')
    sealed = opened.append("club", "m", [draft]).events[0].sealed
    opened.close()
    assert b'"nonce":"000102030405060708090a0b0c0d0e0f"' in sealed
    assert sealed.startswith(b'{"basis":"observed","body":{"dice":[3,1]},"context":{"sd":"')


def test_stored_text_is_what_was_sent(store, make_draft):
    # P7: NFC and NFD, NUL and astral characters stay apart and stay themselves.
    texts = {"nfc": "\u00e9", "nfd": "e\u0301", "nul": "\u0000", "astral": "\U0001d11e"}
    body = canonical({**texts, "big": 2**53 - 1})
    event = store.append("club", "m", [make_draft(body=body)]).events[0]
    [read] = store.read_stream("club", "m")
    assert read.sealed == event.sealed
    assert body in read.sealed


def test_fingerprint_leaves_context_and_disclosures_out(make_draft):
    draft = make_draft(name="Ada")
    bare = make_draft(entry_id=draft.entry_id, body=draft.body)
    assert fingerprint("club", "m", draft) == fingerprint("club", "m", bare)
    assert fingerprint("club", "m", draft) != fingerprint("club", "n", draft)


def test_every_refusal_is_a_ledger_error(store, make_draft):
    answers = store.append_units([Unit(log_id="club", stream_id="-", drafts=(make_draft(),))])
    assert isinstance(answers[0], LedgerError)


def sealed_elsewhere(make_draft, *, stream="m", count=3):
    """A stream of log `club` as another archive would have sealed it."""
    drafts = [make_draft(name="Ada"), *(make_draft() for _ in range(count - 1))]
    return seal_stream("club", stream, drafts, entropy=lambda size: b"\x07" * size)


def part_of(stream: SealedStream, first: int, last: int) -> SealedStream:
    """Its entries from version `first` to `last`."""
    kept = range(first - 1, last)
    return SealedStream(
        log_id=stream.log_id,
        stream_id=stream.stream_id,
        rows=tuple(stream.rows[at] for at in kept),
        disclosures=tuple((at - first + 1, *d) for at, *d in stream.disclosures if at in kept),
        after=first - 1,
        head=stream.rows[first - 2][4] if first > 1 else b"",
    )


def test_entries_sealed_elsewhere_are_stored_as_they_are(store, make_draft):
    store.append("club", "other", [make_draft()])
    stream = sealed_elsewhere(make_draft)
    assert store.append_sealed([stream]) == [1]
    rows = store.read_stream("club", "m")
    assert [row.sealed for row in rows] == [row[3] for row in stream.rows]
    assert [(row.version, row.global_position) for row in rows] == [(1, 1), (2, 2), (3, 3)]
    raws = store.disclosures_of("club", [1, 2, 3])
    assert {raw for found in raws.values() for raw in found} == {d[4] for d in stream.disclosures}
    assert break_of_chain(rows) is None
    assert fsck(store).clean
    # The log continues after them as after its own entries.
    assert store.append("club", "m", [make_draft()]).events[0].version == 4
    assert fsck(store).clean


def test_entries_sealed_elsewhere_go_on_where_their_stream_stands(store, make_draft):
    stream = sealed_elsewhere(make_draft, count=6)
    assert store.append_sealed([part_of(stream, 1, 2)]) == [0]
    assert store.append_sealed([part_of(stream, 3, 4), part_of(stream, 5, 6)]) == [2, 4]
    assert [row.sealed for row in store.read_stream("club", "m")] == [r[3] for r in stream.rows]
    assert fsck(store).clean


def test_entries_that_do_not_follow_are_refused_alone(store, make_draft):
    stream = sealed_elsewhere(make_draft, count=4)
    store.append("club", "m", [make_draft()])
    fresh = sealed_elsewhere(make_draft, stream="n")
    nowhere = seal_stream("nowhere", "m", [make_draft()], entropy=lambda size: bytes(size))
    answers = store.append_sealed(
        [part_of(stream, 1, 4), part_of(stream, 2, 4), part_of(stream, 3, 4), nowhere, fresh]
    )
    assert [type(answer) for answer in answers] == [
        *(ExpectedVersionMismatch,) * 3,
        NoSuchLog,
        int,
    ]
    assert store.stream_head("club", "m").version == 1
    assert store.stream_head("club", "n").version == 3
    assert fsck(store).clean


def test_an_entry_id_in_use_is_refused_to_entries_sealed_elsewhere(store, make_draft):
    draft = make_draft()
    store.append("club", "m", [draft])
    again = seal_stream("club", "n", [make_draft(), draft], entropy=lambda size: bytes(size))
    fresh = sealed_elsewhere(make_draft, stream="o")
    refused, taken = store.append_sealed([again, fresh])
    assert isinstance(refused, LedgerError)
    assert taken == 1
    assert store.stream_head("club", "n") is None
    assert fsck(store).clean


def test_a_salt_in_use_is_refused_to_entries_sealed_elsewhere(store, make_draft):
    draft = make_draft(name="Ada")
    store.append("club", "m", [draft])
    again = make_draft(body=draft.body, disclosures=draft.disclosures)
    stream = seal_stream("club", "n", [again], entropy=lambda size: bytes(size))
    [refused] = store.append_sealed([stream])
    assert isinstance(refused, BadInput)
    assert store.stream_head("club", "n") is None


def test_sealed_bytes_read_back_as_what_was_stored(store, make_draft):
    draft = make_draft(name="Ada")
    first, second = store.append("club", "m", [make_draft(), draft]).events
    told = read_back(second.sealed)
    assert (told.log_id, told.stream_id, told.version) == ("club", "m", 2)
    assert told.prev == first.leaf_hash
    assert read_back(first.sealed).prev is None
    entry_id, tag, schema, sealed, leaf, mark = told.row
    assert (entry_id, tag, schema) == (second.entry_id, second.tag, second.schema)
    assert (sealed, leaf) == (second.sealed, second.leaf_hash)
    assert mark == fingerprint("club", "m", draft)
    assert opening(told, draft.context)[1:3] == ("context", "context")
    assert opening(told, draft.disclosures[0])[1:3] == ("player", "body")
    with pytest.raises(BadInput, match="opens nothing"):
        opening(read_back(first.sealed), draft.disclosures[0])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"v":1', b'"v":2'),
        (b'"v":1', b'"v":true'),
        (b'"version":1', b'"version":0'),
        (b'"log":"club"', b'"log":"Club"'),
        (b'"stream":"m"', b'"stream":""'),
        (b'"tag":"dice.rolled"', b'"tag":"dice"'),
        (b'"schema":1', b'"schema":0'),
        (b'"basis":"observed"', b'"basis":"guessed"'),
        (b'"prev":null', b'"prev":"00"'),
        (b'"prev":null', b'"prev":null,"proof":1'),
        (b'"basis":"observed",', b""),
        (b'"body":{"dice":', b'"body":{ "dice":'),
        (b'"context":{"sd":', b'"context":{"se":'),
        (b'"entry_id":"', b'"entry_id":"x'),
        (b'"nonce":"', b'"nonce":"0'),
    ],
)
def test_bytes_that_nobody_sealed_are_not_read_back(store, make_draft, old, new):
    sealed = store.append("club", "m", [make_draft()]).events[0].sealed
    assert old in sealed
    with pytest.raises(BadInput):
        read_back(sealed.replace(old, new))


def test_an_entry_of_this_archive_stands_behind_those_of_another(store, make_draft):
    stream = sealed_elsewhere(make_draft)
    own = seal_behind(stream, make_draft(), nonce=b"\x09" * 16)
    assert store.append_sealed([stream, own]) == [0, 3]
    assert break_of_chain(store.read_stream("club", "m")) is None
    assert fsck(store).clean


# Checkpoints.


def test_a_checkpoint_is_kept_once_with_what_is_signed_under_it_later(store, make_draft):
    store.append("club", "m", [make_draft(), make_draft()])
    assert store.checkpoint("club") is None
    assert store.keep_checkpoint("club", 1, b"one\n")
    assert store.keep_checkpoint("club", 2, b"two\n")
    assert not store.keep_checkpoint("club", 2, b"another two\n")
    store.keep_signatures("club", 2, {"w+02": b"second", "w+01": b"first"})
    store.keep_signatures("club", 2, {"w+01": b"again", "x+03": b"third"})
    store.keep_token("club", 2, b"at noon")
    store.keep_token("club", 2, b"at one")
    found = store.checkpoint("club")
    assert (found.size, found.note, found.token) == (2, b"two\n", b"at noon")
    assert found.whole == b"two\nfirst\nsecond\nthird\n"
    older = store.checkpoint("club", at_most=1)
    assert (older.size, older.note, dict(older.lines), older.token) == (1, b"one\n", {}, None)
    assert store.checkpoint("club", at_most=0) is None
    assert store.keep_checkpoint("club", 3, b"three\n")
    assert store.stamped_checkpoint("club") == found
    assert store.stamped_checkpoint("other") is None
    assert store.checkpoint_sizes("club") == [1, 2, 3]
    assert store.checkpoint_sizes("other") == []


def test_nothing_is_signed_under_a_checkpoint_that_is_not_kept(store, make_draft):
    store.append("club", "m", [make_draft()])
    with pytest.raises((LedgerError, KeyError)):
        store.keep_signatures("club", 1, {"w+01": b"line"})
    assert store.checkpoint("club") is None
    # The store works as before.
    assert store.keep_checkpoint("club", 1, b"one\n")
