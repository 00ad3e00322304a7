"""What devices submit: every outcome, every reason, and nothing lost or doubled by any retry."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import uuid
from typing import Any

import httpx
import orjson
import pytest
from fastapi import FastAPI

from api.archive.channel import Terms
from api.desk import batch as sorting
from api.desk import parked as parking
from events.canonical import canonical
from events.envelope import MAX_SEALED_BYTES
from events.errors import OutcomeUnknown, PremiseMoved
from events.payloads.access import Role
from events.personal import disclose
from events.store.journal import Intake, TakenIn
from events.store.sqlite import SqliteStore
from tests.api.devices import Sent, Tablet, raw_of
from tests.api.routes.conftest import LOG, MATCH, Api, Clock, entry


class Hall:
    """An app with a match and tablets that record it."""

    def __init__(self, api: Api) -> None:
        self.api = api

    async def director(self, *entries: dict[str, Any]) -> httpx.Response:
        """The director records in the tournament's stream."""
        answer = await self.api.post(
            f"/logs/{LOG}/events", {"entries": list(entries)}, self.api.director, If_Match="*"
        )
        assert answer.status_code == 201, answer.text
        return answer

    async def pair(self, tablet: Tablet, match: str | None = MATCH, *, lease: int = 1) -> None:
        """Let a tablet in, as the scribe of a match."""
        await self.director(entry("access.granted", **tablet.granted()))
        if match is not None:
            await self.lease(tablet, match, lease)

    async def lease(self, tablet: Tablet, match: str = MATCH, number: int = 1) -> None:
        """Make the tablet the scribe of a match."""
        await self.director(entry("lease.granted", lease=number, device=tablet.name, match=match))

    async def post(self, tablet: Tablet, *items: Sent) -> httpx.Response:
        return await self.api.post(f"/logs/{LOG}/ingest", {"items": list(items)}, tablet.token)

    async def send(self, tablet: Tablet, *items: Sent) -> dict[str, Any]:
        """The answer to a batch that the door takes."""
        answer = await self.post(tablet, *items)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    async def outcomes(self, tablet: Tablet, *items: Sent) -> list[tuple[str, str | None]]:
        """Outcome and reason of each item."""
        told = await self.send(tablet, *items)
        return [(result["outcome"], result["reason"]) for result in told["results"]]


@pytest.fixture
async def hall(api: Api) -> Hall:
    made = Hall(api)
    assert (await api.open()).status_code == 201
    return made


@pytest.fixture
async def tablet(hall: Hall) -> Tablet:
    made = Tablet()
    await hall.pair(made)
    return made


def game(tablet: Tablet, at: int = 1) -> list[Sent]:
    """The first entries of a game, recorded on version `at`."""
    return [
        tablet.record("game.started", at),
        tablet.record("dice.opening_rolled", at + 1, body={"one": 3, "two": 1}),
        tablet.record("play.made", at + 2, body={"seat": "one", "moves": [[8, 5], [6, 5]]}),
    ]


ON_A_FILE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
"""What needs a transaction that can break."""

ACCEPTED = ("accepted", None)


async def test_a_chain_on_the_head_of_its_stream_is_accepted(hall: Hall, tablet: Tablet) -> None:
    told = await hall.send(tablet, *game(tablet))
    assert [result["outcome"] for result in told["results"]] == ["accepted"] * 3
    assert [result["version"] for result in told["results"]] == [2, 3, 4]
    assert told["streams"][MATCH]["version"] == 4
    assert told["cursor"] == {"last_seq": 3, "last_hash": tablet.prev}
    assert "expected_device_seq" not in told
    assert hall.api.version() == 4
    assert hall.api.faults() == []


async def test_an_accepted_entry_is_the_draft_itself_with_a_context_around_it(
    hall: Hall, tablet: Tablet
) -> None:
    first, *_ = game(tablet)
    told = await hall.send(tablet, first)
    [row] = hall.api.archive.store.event_rows(
        LOG, start=told["results"][0]["global_position"], limit=1
    )
    draft = orjson.loads(raw_of(first))
    digest = hashlib.sha256(raw_of(first)).digest()
    sealed = orjson.loads(row.event.sealed)
    assert [sealed[name] for name in ("stream", "tag", "schema", "entry_id", "basis", "body")] == [
        draft[name] for name in ("stream", "tag", "schema", "entry_id", "basis", "body")
    ]
    assert row.draft_sha256 == digest
    answer = await hall.api.get(f"/logs/{LOG}/matches/{MATCH}/events?after=1", hall.api.director)
    [shown] = answer.json()["entries"]
    grants = hall.api.archive.reading.access(LOG).grant_of(tablet.token_sha256)
    assert grants is not None
    assert shown["context"] == {
        "recorded_by": grants.grant_id,
        "received_at": hall.api.archive.now_ms(),
        "device": "t1",
        "device_seq": 1,
        "epoch": 1,
        "occurred_at": draft["occurred_at"],
        "elapsed_ms": draft["elapsed_ms"],
        "lease": 1,
        "draft": digest.hex(),
        "signature_state": "good",
    }


async def test_a_device_without_a_key_signs_nothing_and_replay_says_so(hall: Hall) -> None:
    tablet = Tablet("plain", signs=False)
    await hall.pair(tablet)
    assert await hall.outcomes(tablet, *game(tablet)) == [ACCEPTED] * 3
    answer = await hall.api.get(f"/logs/{LOG}/matches/{MATCH}/events?after=1", hall.api.director)
    states = {shown["context"]["signature_state"] for shown in answer.json()["entries"]}
    assert states == {"absent"}


async def test_followers_are_told_of_what_a_device_submitted(
    hall: Hall, tablet: Tablet, app: FastAPI
) -> None:
    hub = app.state.door.hub
    channel, follower = hub.join((LOG, MATCH), Terms(), version=1)
    channel.followers.discard(follower)  # its own terms are not what is tested here
    follower.terms = Terms(token_sha256=tablet.token_sha256)
    channel.followers.add(follower)
    await hall.send(tablet, *game(tablet))
    async with asyncio.timeout(10):
        payload = await follower.queue.get()
    hub.leave(channel, follower)
    assert payload is not None
    assert b"dice.opening_rolled" in payload.frames


# What has been taken in is recognised, whatever is sent with it.


async def test_a_batch_whose_answer_was_lost_is_answered_again(hall: Hall, tablet: Tablet) -> None:
    batch = game(tablet)
    first = await hall.send(tablet, *batch)
    size = hall.api.size()
    again = await hall.send(tablet, *batch)
    assert [result["outcome"] for result in again["results"]] == ["duplicate"] * 3
    for before, after in zip(first["results"], again["results"], strict=True):
        assert {**before, "outcome": "duplicate"} == after
    assert again["cursor"] == first["cursor"]
    assert hall.api.size() == size
    assert hall.api.archive.store.journal_size(LOG) == 3


async def test_batches_may_overlap_in_any_way(hall: Hall, tablet: Tablet) -> None:
    one, two, three = game(tablet)
    assert await hall.outcomes(tablet, one, two) == [ACCEPTED] * 2
    assert await hall.outcomes(tablet, two, three) == [("duplicate", None), ACCEPTED]
    assert await hall.outcomes(tablet, one, two, three) == [("duplicate", None)] * 3
    assert await hall.outcomes(tablet, three, one) == [("duplicate", None)] * 2
    assert hall.api.version() == 4
    assert hall.api.faults() == []


async def test_an_item_that_stands_twice_in_a_batch_is_taken_once(
    hall: Hall, tablet: Tablet
) -> None:
    one, two, _ = game(tablet)
    told = await hall.send(tablet, one, one, two, one)
    assert [result["outcome"] for result in told["results"]] == [
        "accepted",
        "duplicate",
        "accepted",
        "duplicate",
    ]
    assert {told["results"][at]["global_position"] for at in (0, 1, 3)} == {
        told["results"][0]["global_position"]
    }
    assert hall.api.version() == 3


async def test_a_late_retry_is_a_duplicate_although_others_have_followed(
    hall: Hall, tablet: Tablet
) -> None:
    batch = game(tablet)
    await hall.send(tablet, *batch)
    await hall.api.append(entry("director.called"), token=hall.api.director)
    assert await hall.outcomes(tablet, *batch) == [("duplicate", None)] * 3


async def test_a_retry_of_a_closed_epoch_is_still_a_duplicate(hall: Hall, tablet: Tablet) -> None:
    batch = game(tablet)
    await hall.send(tablet, *batch)
    anew = Tablet(epoch=2)
    await hall.pair(anew, match=None)
    assert await hall.outcomes(anew, *batch) == [("duplicate", None)] * 3


async def test_the_same_batch_sent_five_times_at_once_is_taken_once(
    hall: Hall, tablet: Tablet
) -> None:
    batch = game(tablet)
    told = await asyncio.gather(*[hall.send(tablet, *batch) for _ in range(5)])
    accepted = [
        result for one in told for result in one["results"] if result["outcome"] == "accepted"
    ]
    assert len(accepted) == 3
    places = {tuple(result["version"] for result in one["results"]) for one in told}
    assert places == {(2, 3, 4)}
    assert hall.api.version() == 4
    assert hall.api.faults() == []


async def test_two_tablets_and_a_director_who_write_at_once_lose_nothing(hall: Hall) -> None:
    await hall.api.open("m2")
    one, two = Tablet("t1"), Tablet("t2")
    await hall.pair(one)
    await hall.pair(two, "m2")
    ones = [one.record("director.called", at) for at in range(1, 21)]
    twos = [two.record("director.called", at, stream="m2") for at in range(1, 21)]

    async def sending(tablet: Tablet, items: list[Sent]) -> None:
        for item in items:
            assert await hall.outcomes(tablet, item) == [ACCEPTED]

    async def registering() -> None:
        for number in range(10):
            await hall.director(entry("player.registered", player=f"p{number}"))

    await asyncio.gather(sending(one, ones), sending(two, twos), registering())
    assert (hall.api.version(), hall.api.version("m2")) == (21, 21)
    assert hall.api.faults() == []


async def test_what_comes_too_early_waits_for_what_is_missing(hall: Hall, tablet: Tablet) -> None:
    one, two, three = game(tablet)
    told = await hall.send(tablet, two, three)
    assert [(result["outcome"], result["reason"]) for result in told["results"]] == [
        ("gap", None),
        ("gap", None),
    ]
    assert told["expected_device_seq"] == 1
    assert told["cursor"] == {"last_seq": 0, "last_hash": None}
    assert hall.api.archive.store.journal_size(LOG) == 0
    told = await hall.send(tablet, three, one, two)
    assert [result["outcome"] for result in told["results"]] == ["gap", "accepted", "accepted"]
    assert told["expected_device_seq"] == 3
    assert await hall.outcomes(tablet, three) == [ACCEPTED]


# A broken chain: stored once, an alarm, and the chain continues at its place.


def forked(reason: str) -> tuple[str, str]:
    return ("device_fork", reason)


async def check_fork(hall: Hall, tablet: Tablet, item: Sent, reason: str, following: Sent) -> None:
    """The item is refused, kept once however often it comes, and `following` is accepted."""
    store = hall.api.archive.store
    before = store.journal_size(LOG)
    for _ in range(3):
        assert await hall.outcomes(tablet, item) == [forked(reason)]
    assert store.journal_size(LOG) == before + 1
    [kept] = store.journal_rows(LOG, after=before, limit=1)
    assert kept.submitted.raw == raw_of(item)
    assert (kept.outcome, kept.reason) == ("device_fork", reason)
    assert await hall.outcomes(tablet, following) == [ACCEPTED]
    assert hall.api.faults() == []


async def test_a_number_used_for_other_bytes_is_a_fork(hall: Hall, tablet: Tablet) -> None:
    one, two, three = game(tablet)
    await hall.send(tablet, one, two)
    other = tablet.item(canonical({**orjson.loads(raw_of(two)), "entry_id": str(uuid.uuid4())}))
    await check_fork(hall, tablet, other, "seq_reused", three)


async def test_a_fork_is_told_to_the_operator_once_it_is_kept_and_not_before(
    hall: Hall, tablet: Tablet, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    one, two, _ = game(tablet)
    await hall.send(tablet, one, two)
    other = tablet.item(canonical({**orjson.loads(raw_of(two)), "entry_id": str(uuid.uuid4())}))
    writer = hall.api.archive.writer
    assert writer is not None
    take_in, moved = writer.take_in, iter([True, True])

    async def overtaken(intake: Intake) -> TakenIn:
        if next(moved, False):
            raise PremiseMoved("somebody wrote meanwhile")
        return await take_in(intake)

    monkeypatch.setattr(writer, "take_in", overtaken)
    for _ in range(2):
        assert await hall.outcomes(tablet, other) == [forked("seq_reused")]
    told = [record.getMessage() for record in caplog.records if record.name == "api.desk.batch"]
    assert told == [f"device {tablet.name} of log {LOG}: seq_reused"]


async def test_a_draft_that_follows_another_than_the_last_is_a_fork(
    hall: Hall, tablet: Tablet
) -> None:
    one, two, _ = game(tablet)
    await hall.send(tablet, one)
    other = tablet.item(canonical({**orjson.loads(raw_of(two)), "device_prev": "0" * 64}))
    await check_fork(hall, tablet, other, "prev_mismatch", two)


async def test_a_draft_of_another_device_is_a_fork(hall: Hall, tablet: Tablet) -> None:
    one, two, _ = game(tablet)
    await hall.send(tablet, one)
    other = tablet.item(canonical({**orjson.loads(raw_of(two)), "device": "t9"}))
    await check_fork(hall, tablet, other, "prev_mismatch", two)


@pytest.mark.parametrize("is_parked", [False, True])
async def test_an_entry_id_used_for_other_bytes_is_a_fork(
    hall: Hall, tablet: Tablet, is_parked: bool
) -> None:
    await hall.api.open("m2")
    await hall.lease(tablet, "m2")
    first = tablet.record("game.started", 7 if is_parked else 1)
    expected = ("stream_conflict", "version_mismatch") if is_parked else ACCEPTED
    assert await hall.outcomes(tablet, first) == [expected]
    right = tablet.record("game.started", 1, stream="m2")
    wrong = tablet.item(
        canonical(
            {**orjson.loads(raw_of(right)), "entry_id": orjson.loads(raw_of(first))["entry_id"]}
        )
    )
    await check_fork(hall, tablet, wrong, "entry_id_reused", right)


async def test_an_entry_id_that_somebody_else_used_is_a_fork(hall: Hall, tablet: Tablet) -> None:
    called = entry("director.called")
    await hall.api.append(called, token=hall.api.director)
    right = tablet.record("game.started", 2)
    wrong = tablet.item(canonical({**orjson.loads(raw_of(right)), "entry_id": called["entry_id"]}))
    await check_fork(hall, tablet, wrong, "entry_id_reused", right)


async def test_a_draft_of_a_closed_epoch_is_a_fork(hall: Hall, tablet: Tablet) -> None:
    one, *_ = game(tablet)
    anew = Tablet(epoch=2)
    await hall.pair(anew, match=None)
    following = anew.record("game.started", 1)
    await check_fork(hall, anew, one, "old_epoch", following)
    # Its old token speaks for the old epoch alone, and that is closed.
    assert await hall.outcomes(tablet, one) == [forked("old_epoch")]


async def test_the_token_of_a_closed_epoch_adds_nothing_to_the_chain_of_the_next(
    hall: Hall,
) -> None:
    old, new = Tablet(signs=False), Tablet(signs=False, epoch=2)
    await hall.pair(old)
    await hall.director(entry("access.granted", **new.granted()))
    one = new.record("game.started", 1)
    answer = await hall.post(old, one)
    assert answer.status_code == 200, answer.text
    [result] = answer.json()["results"]
    assert (result["outcome"], result["reason"]) == ("device_fork", "old_epoch")
    assert hall.api.version() == 1
    assert await hall.outcomes(new, one) == [ACCEPTED]
    assert hall.api.faults() == []


async def test_a_new_epoch_begins_a_new_chain(hall: Hall, tablet: Tablet) -> None:
    await hall.send(tablet, *game(tablet))
    anew = Tablet(epoch=2)
    await hall.pair(anew, match=None)
    told = await hall.send(anew, anew.record("director.called", 4))
    assert told["results"][0]["outcome"] == "accepted"
    assert told["cursor"]["last_seq"] == 1
    assert hall.api.faults() == []


@pytest.mark.parametrize("signature", ["missing", "other bytes", "other key", "no signature"])
async def test_a_draft_that_the_device_has_not_signed_is_a_fork(
    hall: Hall, tablet: Tablet, signature: str
) -> None:
    one, *_ = game(tablet)
    made = {
        "missing": None,
        "other bytes": tablet.item(b"{}")["signature"],
        "other key": Tablet("t9").item(raw_of(one))["signature"],
        "no signature": "AAAA",
    }[signature]
    # The very same bytes, rightly signed, are no duplicate of what was refused.
    await check_fork(hall, tablet, {**one, "signature": made}, "bad_signature", one)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\xfe",
        b"not json",
        b"[]",
        b"{}",
        b'{"a": 1}',
        b'{"body":{"x":1.5}}',
    ],
)
async def test_what_cannot_be_read_is_kept_as_it_is(hall: Hall, tablet: Tablet, raw: bytes) -> None:
    one, *_ = game(tablet)
    await check_fork(hall, tablet, tablet.item(raw), "unreadable", one)


@pytest.mark.parametrize(
    "change",
    [
        {"device_seq": 0},
        {"device_seq": "1"},
        {"entry_id": "ABC"},
        {"device_prev": "abc"},
        {"expected_version": -1},
        {"body": []} | {"stream": "a\x00b"},
        {"extra": 1},
        {"device": ""},
    ],
)
async def test_a_draft_with_a_member_of_another_form_cannot_be_read(
    hall: Hall, tablet: Tablet, change: dict[str, Any]
) -> None:
    one, *_ = game(tablet)
    other = tablet.item(canonical({**orjson.loads(raw_of(one)), **change}))
    await check_fork(hall, tablet, other, "unreadable", one)


async def test_a_draft_that_is_not_canonical_cannot_be_read(hall: Hall, tablet: Tablet) -> None:
    one, *_ = game(tablet)
    spaced = tablet.item(orjson.dumps(orjson.loads(raw_of(one)), option=orjson.OPT_INDENT_2))
    await check_fork(hall, tablet, spaced, "unreadable", one)


# An intact chain that does not fit the stream: parked, and the chain continues.


def parked(reason: str) -> tuple[str, str]:
    return ("stream_conflict", reason)


async def test_a_stale_base_is_parked_and_what_follows_joins_it(hall: Hall, tablet: Tablet) -> None:
    batch = game(tablet)
    await hall.api.append(entry("director.called"), token=hall.api.director)
    told = await hall.send(tablet, *batch)
    assert [(result["outcome"], result["reason"]) for result in told["results"]] == [
        parked("version_mismatch")
    ] * 3
    assert told["cursor"]["last_seq"] == 3
    assert told["streams"][MATCH]["version"] == 2
    # Also what would fit: it was recorded by somebody who did not know of the conflict.
    assert await hall.outcomes(tablet, tablet.record("game.started", 2)) == [
        parked("version_mismatch")
    ]
    assert hall.api.version() == 2
    assert hall.api.faults() == []


async def test_a_parked_draft_is_known_again_and_says_why_it_is_parked(
    hall: Hall, tablet: Tablet
) -> None:
    item = tablet.record("game.started", 5)
    assert await hall.outcomes(tablet, item) == [parked("version_mismatch")]
    told = await hall.send(tablet, item, item)
    for result in told["results"]:
        assert (result["outcome"], result["reason"]) == ("duplicate", "version_mismatch")
        assert (result["global_position"], result["version"]) == (None, None)
    assert hall.api.archive.store.journal_size(LOG) == 1


async def test_a_full_journal_refuses_what_it_would_have_to_keep_and_loses_nothing(
    hall: Hall, tablet: Tablet, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_ = batch = [tablet.record("game.started", 5) for _ in range(4)]
    most = max(len(raw_of(item)) for item in batch)
    monkeypatch.setattr(sorting, "JOURNAL_BYTES", 2 * (sorting.ROW_BYTES + most))
    assert await hall.outcomes(tablet, first) == [parked("version_mismatch")]
    refused = await hall.post(tablet, *batch)
    assert refused.status_code == 409
    assert refused.json()["type"] == "/problems/journal-full"
    assert tablet.name in refused.json()["detail"]
    assert hall.api.archive.store.journal_size(LOG) == 1
    # What had its receipt is known as before, and what fits is taken in.
    assert await hall.outcomes(tablet, first) == [("duplicate", "version_mismatch")]
    assert await hall.outcomes(tablet, batch[1]) == [parked("version_mismatch")]
    other = Tablet("tablet-8")
    await hall.pair(other, lease=2)
    assert await hall.outcomes(other, other.record("game.started", 1, lease=2)) == [ACCEPTED]
    assert hall.api.faults() == []


async def test_a_full_journal_does_not_stop_what_becomes_an_entry(
    hall: Hall, tablet: Tablet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorting, "JOURNAL_BYTES", 0)
    assert await hall.outcomes(tablet, *game(tablet)) == [ACCEPTED] * 3
    assert (await hall.post(tablet, tablet.item(b"{}"))).status_code == 409


async def test_a_conflict_in_one_match_does_not_stop_another(hall: Hall, tablet: Tablet) -> None:
    await hall.api.open("m2")
    await hall.lease(tablet, "m2")
    items = [
        tablet.record("game.started", 9),
        tablet.record("game.started", 1, stream="m2"),
        tablet.record("director.called", 1),
        tablet.record("director.called", 2, stream="m2"),
    ]
    assert await hall.outcomes(tablet, *items) == [
        parked("version_mismatch"),
        ACCEPTED,
        parked("version_mismatch"),
        ACCEPTED,
    ]
    assert hall.api.version("m2") == 3


async def test_a_draft_on_another_head_is_parked(hall: Hall, tablet: Tablet) -> None:
    head = hall.api.archive.store.stream_head(LOG, MATCH)
    assert head is not None
    right = tablet.record("game.started", 1, expected_head=head.head_hash.hex())
    assert await hall.outcomes(tablet, right) == [ACCEPTED]
    # What somebody else has recorded in that place is another thing than the device has seen there.
    path = f"/logs/{LOG}/matches/{MATCH}/events"
    called = {"entries": [entry("director.called")]}
    answer = await hall.api.post(path, called, hall.api.director, If_Match='"2"')
    assert answer.status_code == 201, answer.text
    wrong = tablet.record("director.called", 3, expected_head="0" * 64)
    assert await hall.outcomes(tablet, wrong) == [parked("head_mismatch")]


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_draft_goes_on_from_the_same_devices_entry_that_was_sealed_anew(
    hall: Hall, tablet: Tablet, at_once: bool
) -> None:
    # As after an older backup was restored: the device names the hash that its entry had before.
    first = tablet.record("game.started", 1)
    second = tablet.record("director.called", 2, expected_head="0" * 64)
    if at_once:
        assert await hall.outcomes(tablet, first, second) == [ACCEPTED, ACCEPTED]
    else:
        assert await hall.outcomes(tablet, first) == [ACCEPTED]
        assert await hall.outcomes(tablet, second) == [ACCEPTED]
    assert hall.api.faults() == []


async def test_what_is_safe_is_unknown_where_the_server_signs_nothing(
    hall: Hall, tablet: Tablet
) -> None:
    told = await hall.send(tablet, *game(tablet))
    assert "covered" not in told
    answer = await hall.api.get(f"/logs/{LOG}/assignment", tablet.token)
    assert answer.json()["covered"] is None


@pytest.mark.parametrize("number", [None, 0, 1, 3])
async def test_a_draft_under_another_number_than_the_lease_is_parked(
    hall: Hall, tablet: Tablet, number: int | None
) -> None:
    await hall.director(
        entry("lease.ended", lease=1, match=MATCH),
        entry("lease.granted", lease=2, device="t1", match=MATCH),
    )
    item = tablet.record("game.started", 1, lease=number)
    assert await hall.outcomes(tablet, item) == [parked("stale_lease")]


async def test_a_draft_for_a_match_whose_lease_has_ended_is_parked(
    hall: Hall, tablet: Tablet
) -> None:
    await hall.director(entry("lease.ended", lease=1, match=MATCH, reason="lost"))
    assert await hall.outcomes(tablet, tablet.record("game.started", 1)) == [parked("stale_lease")]


@pytest.mark.parametrize("stream", ["m7", "tournament", "No Such Stream", ""])
async def test_a_draft_for_a_stream_without_a_lease_is_parked(
    hall: Hall, tablet: Tablet, stream: str
) -> None:
    item = tablet.record("game.started", 0, stream=stream)
    assert await hall.outcomes(tablet, item) == [parked("stale_lease")]
    assert hall.api.faults() == []


async def test_after_a_takeover_the_old_tablets_drafts_are_parked_and_the_new_one_goes_on(
    hall: Hall, tablet: Tablet
) -> None:
    one, two, three = game(tablet)
    await hall.send(tablet, one)
    spare = Tablet("t2")
    await hall.pair(spare, match=None)
    await hall.director(
        entry("lease.ended", lease=1, match=MATCH, reason="taken_over"),
        entry("lease.granted", lease=2, device="t2", match=MATCH, takeover=True),
    )
    item = spare.record("dice.opening_rolled", 2, body={"one": 6, "two": 5}, lease=2)
    assert await hall.outcomes(spare, item) == [ACCEPTED]
    # The first came under an old lease; the rest is its branch.
    assert await hall.outcomes(tablet, two, three) == [
        parked("stale_lease"),
        parked("stale_lease"),
    ]
    again = spare.record("play.made", 3, body={"seat": "one", "moves": []}, lease=2)
    assert await hall.outcomes(spare, again) == [ACCEPTED]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"tag": "dice.juggled"}, "unknown_tag"),
        ({"schema": 99}, "unknown_tag"),
        ({"schema": 0}, "unknown_tag"),
        ({"tag": "dice.rolled", "body": {"seat": "one", "dice": [7, 1]}}, "bad_body"),
        ({"tag": "dice.rolled", "body": {}}, "bad_body"),
        ({"tag": "dice.rolled", "body": [1]}, "bad_body"),
        ({"basis": "hearsay"}, "bad_body"),
        ({"tag": "director.called", "body": {"extra": 1}}, "bad_body"),
        ({"tag": "ruling.made"}, "not_permitted"),
        ({"tag": "publication.released"}, "not_permitted"),
        ({"tag": "lease.granted", "body": {"lease": 9, "device": "t1"}}, "not_permitted"),
        ({"tag": "dice.rolled", "body": {"seat": "one", "dice": [2, 1]}}, "not_expected"),
        ({"tag": "cube.double_taken", "body": {"seat": "one"}}, "not_expected"),
        ({"tag": "match.opened", "body": {"players": {"one": [], "two": []}}}, "not_expected"),
    ],
    ids=str,
)
async def test_a_draft_that_the_desk_cannot_take_is_parked(
    hall: Hall, tablet: Tablet, members: dict[str, Any], reason: str
) -> None:
    tag = members.get("tag", "game.started")
    item = tablet.record(tag, 1, **{k: v for k, v in members.items() if k != "tag"})
    assert await hall.outcomes(tablet, item) == [parked(reason)]
    assert hall.api.version() == 1
    assert hall.api.faults() == []


async def test_each_draft_sees_those_before_it_in_the_batch(hall: Hall, tablet: Tablet) -> None:
    items = [
        *game(tablet),
        tablet.record("cube.double_offered", 4, body={"seat": "two"}),
        tablet.record("cube.double_taken", 5, body={"seat": "one"}),
        tablet.record("cube.double_taken", 6, body={"seat": "one"}),
    ]
    assert await hall.outcomes(tablet, *items) == [ACCEPTED] * 5 + [parked("not_expected")]


async def test_a_device_may_not_correct_what_it_may_not_record(hall: Hall, tablet: Tablet) -> None:
    ruling = entry("clock.adjusted", seat="one", amount_ms=1_000)
    answer = await hall.api.append(ruling, token=hall.api.director)
    assert answer.status_code == 201, answer.text
    item = tablet.record("entry.retracted", 2, body={"target": ruling["entry_id"]})
    assert await hall.outcomes(tablet, item) == [parked("not_permitted")]


async def test_an_undo_takes_back_an_entry_of_the_same_batch(hall: Hall, tablet: Tablet) -> None:
    batch = game(tablet)
    target = orjson.loads(raw_of(batch[2]))["entry_id"]
    items = [
        *batch,
        tablet.record("entry.retracted", 4, body={"target": target}),
        tablet.record("play.made", 5, body={"seat": "one", "moves": [[24, 23], [13, 10]]}),
        tablet.record("dice.rolled", 6, body={"seat": "two", "dice": [6, 6]}),
    ]
    assert await hall.outcomes(tablet, *items) == [ACCEPTED] * 6
    assert hall.api.faults() == []


# Personal values.

NAME = "Quite Unmistakable"
DISTURBED = {"what": "dice", "by": "one"}


async def test_a_disclosed_value_comes_with_its_entry(hall: Hall, tablet: Tablet) -> None:
    item = tablet.named("table.disturbed", 1, "detail", NAME, body=DISTURBED)
    assert await hall.outcomes(tablet, item) == [ACCEPTED]
    answer = await hall.api.get(f"/logs/{LOG}/matches/{MATCH}/events?after=1", hall.api.director)
    assert list(answer.json()["entries"][0]["disclosures"].values()) == [NAME]
    assert hall.api.faults() == []


async def test_a_plain_personal_value_in_a_sealed_draft_is_parked(
    hall: Hall, tablet: Tablet
) -> None:
    item = tablet.record("table.disturbed", 1, body={**DISTURBED, "detail": NAME})
    assert await hall.outcomes(tablet, item) == [parked("bad_body")]


async def test_a_plain_personal_value_inside_an_amendment_is_parked(
    hall: Hall, tablet: Tablet
) -> None:
    first_tag = "table.disturbed"
    first = tablet.record(first_tag, 1, body=DISTURBED)
    body = {"target": id_of(first), "tag": first_tag, "body": {**DISTURBED, "detail": NAME}}
    second = tablet.record("entry.amended", 2, body=body)
    assert await hall.outcomes(tablet, first, second) == [ACCEPTED, parked("bad_body")]


async def test_a_disclosure_must_open_a_commitment_at_the_place_it_names(
    hall: Hall, tablet: Tablet
) -> None:
    good = tablet.named("table.disturbed", 1, "detail", NAME, body=DISTURBED)
    _, other = disclose(b"0" * 16, "detail", NAME)
    opens_nothing = {**good, "disclosures": [base64.b64encode(other).decode()]}
    assert await hall.outcomes(tablet, opens_nothing) == [parked("bad_body")]


@pytest.mark.parametrize("public_key", ["Schlüssel", "!!!", "AAAA", ""])
async def test_a_log_is_whole_whatever_a_grant_calls_a_key(hall: Hall, public_key: str) -> None:
    granted = Tablet().granted()
    granted["device"]["public_key"] = public_key
    await hall.director(entry("access.granted", **granted))
    assert hall.api.faults() == []


@pytest.mark.parametrize("value", [{"of": "parts"}, ["a", "list"], True, None, "x" * 4_097])
async def test_a_personal_value_is_for_a_device_what_it_is_at_every_door(
    hall: Hall, tablet: Tablet, value: object
) -> None:
    item = tablet.named("table.disturbed", 1, "detail", value, body=DISTURBED)
    assert await hall.outcomes(tablet, item) == [parked("bad_body")]
    plain = entry("table.disturbed", **DISTURBED, detail={"sd": value})
    assert (await hall.api.append(plain)).status_code == 422
    assert hall.api.faults() == []


@pytest.mark.parametrize("salt", ["", "00", "no salt at all"])
async def test_a_value_without_a_salt_to_hide_it_is_parked_and_its_retry_answered(
    hall: Hall, tablet: Tablet, salt: str
) -> None:
    raw = canonical([salt, "detail", NAME])
    body = {**DISTURBED, "detail": {"sd": hashlib.sha256(raw).hexdigest()}}
    sent = tablet.record("table.disturbed", 1, body=body)
    item = {**sent, "disclosures": [base64.b64encode(raw).decode()]}
    assert await hall.outcomes(tablet, item) == [parked("bad_body")]
    # By the entry id the salts are found again, so that plain values give the same commitments.
    again = entry("table.disturbed", entry_id=id_of(sent), **{**DISTURBED, "detail": NAME})
    assert (await hall.api.append(again)).status_code < 500


async def test_a_disclosure_under_another_name_is_parked(hall: Hall, tablet: Tablet) -> None:
    # What the public may see goes by the name: a device cannot choose it.
    commitment, raw = disclose(b"1" * 16, "players.one.0.name", NAME)
    item = tablet.record("table.disturbed", 1, body={**DISTURBED, "detail": {"sd": commitment.sd}})
    item = {**item, "disclosures": [base64.b64encode(raw).decode()]}
    assert await hall.outcomes(tablet, item) == [parked("bad_body")]


async def test_a_value_that_is_committed_to_and_not_given_is_parked(
    hall: Hall, tablet: Tablet
) -> None:
    commitment, _ = disclose(b"3" * 16, "detail", NAME)
    body = {**DISTURBED, "detail": {"sd": commitment.sd}}
    item = tablet.record("table.disturbed", 1, body=body)
    assert await hall.outcomes(tablet, item) == [parked("bad_body")]
    assert hall.api.faults() == []


@pytest.mark.parametrize("is_erased", [False, True])
@pytest.mark.parametrize("at_once", [False, True])
async def test_an_amendment_may_repeat_a_value_of_what_it_corrects(
    hall: Hall, tablet: Tablet, is_erased: bool, at_once: bool
) -> None:
    first = tablet.named("table.disturbed", 1, "detail", NAME, body=DISTURBED)
    kept = orjson.loads(raw_of(first))["body"]
    amended = {"target": id_of(first), "tag": "table.disturbed", "body": kept}
    second = tablet.record("entry.amended", 2, body=amended)
    if at_once:
        assert await hall.outcomes(tablet, first, second) == [ACCEPTED, ACCEPTED]
        return
    assert await hall.outcomes(tablet, first) == [ACCEPTED]
    if is_erased:
        assert hall.api.archive.store.erase_disclosure(LOG, kept["detail"]["sd"])
    assert await hall.outcomes(tablet, second) == [ACCEPTED]


async def test_a_value_that_is_kept_from_a_tablet_is_not_shown_by_its_hash(
    hall: Hall, tablet: Tablet
) -> None:
    said = entry("testimony.given", says=NAME, sealed=True, role="spectator")
    assert (await hall.api.append(said, token=hall.api.director)).status_code == 201
    mark = hall.api.archive.reading.live(LOG, MATCH).recorded[-1].payload.says.sd
    borrowed = tablet.record("table.disturbed", 2, body={**DISTURBED, "detail": {"sd": mark}})
    assert await hall.outcomes(tablet, borrowed) == [parked("bad_body")]
    # Nor by a director's resolution: the director would not know what is taken over.
    order = {"match": MATCH, "device": tablet.name, "accepted": [id_of(borrowed)], "set_aside": []}
    answer = await hall.api.post(f"/logs/{LOG}/branches/resolution", order, hall.api.director)
    assert answer.status_code == 422, answer.text
    assert "only set aside" in answer.json()["detail"]


async def test_a_salt_that_was_used_before_is_parked_and_harms_no_neighbour(
    hall: Hall, tablet: Tablet
) -> None:
    commitment, raw = disclose(b"2" * 16, "detail", NAME)
    shown = [base64.b64encode(raw).decode()]
    body = {**DISTURBED, "detail": {"sd": commitment.sd}}
    first = {**tablet.record("table.disturbed", 1, body=body), "disclosures": shown}
    await hall.api.open("m2")
    await hall.lease(tablet, "m2")
    second = {
        **tablet.record("table.disturbed", 1, stream="m2", body=body),
        "disclosures": shown,
    }
    third = tablet.record("game.started", 2)
    assert await hall.outcomes(tablet, first, second, third) == [
        ACCEPTED,
        parked("bad_body"),
        ACCEPTED,
    ]
    assert hall.api.faults() == []


async def test_the_journal_holds_no_personal_value_and_erasing_reaches_parked_ones(
    hall: Hall, tablet: Tablet
) -> None:
    item = tablet.named("table.disturbed", 5, "detail", NAME, body=DISTURBED)
    assert await hall.outcomes(tablet, item) == [parked("version_mismatch")]
    store = hall.api.archive.store
    [row] = store.journal_rows(LOG, limit=10)
    assert NAME.encode() not in row.submitted.raw
    commitment = orjson.loads(row.submitted.raw)["body"]["detail"]["sd"]
    assert hall.api.faults() == []
    assert store.erase_disclosure(LOG, commitment)
    answer = await hall.api.get(f"/logs/{LOG}/branches", hall.api.director)
    assert answer.json()["branches"][0]["items"][0]["disclosures"] == {}
    assert hall.api.faults() == []


# Who may send.


async def test_a_token_of_no_device_cannot_submit(hall: Hall, tablet: Tablet) -> None:
    body = {"items": game(tablet)}
    for token, status in ((None, 401), ("0" * 64, 401), (hall.api.scribe, 403)):
        answer = await hall.api.post(f"/logs/{LOG}/ingest", body, token)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
    assert hall.api.version() == 1


async def test_a_device_cannot_submit_to_another_log(hall: Hall, tablet: Tablet) -> None:
    hall.api.archive.open_tournament("other", "Elsewhere")
    answer = await hall.api.post("/logs/other/ingest", {"items": []}, tablet.token)
    assert answer.status_code == 403
    answer = await hall.api.post("/logs/nowhere/ingest", {"items": []}, tablet.token)
    assert answer.status_code == 404


async def test_a_device_may_append_by_ingest_alone(hall: Hall, tablet: Tablet) -> None:
    answer = await hall.api.append(entry("game.started"), token=tablet.token)
    assert answer.status_code == 403
    told = answer.json()
    assert "bound to a device" in told["detail"]
    assert f"/logs/{LOG}/ingest" in told["detail"]
    assert hall.api.version() == 1


async def test_what_a_revoked_device_had_recorded_is_kept_and_parked(
    hall: Hall, tablet: Tablet
) -> None:
    one, two, _ = game(tablet)
    await hall.send(tablet, one)
    grant = hall.api.archive.reading.access(LOG).grant_of(tablet.token_sha256)
    assert grant is not None
    await hall.director(entry("access.revoked", target=grant.grant_id))
    told = await hall.send(tablet, one, two)
    assert [(result["outcome"], result["reason"]) for result in told["results"]] == [
        ("duplicate", None),
        parked("not_permitted"),
    ]
    assert hall.api.version() == 2
    # After pairing again, only the new token acts for the device.
    await hall.pair(Tablet(epoch=2), match=None)
    assert (await hall.post(tablet, one)).status_code == 401


@pytest.mark.parametrize(
    ("body", "status", "where"),
    [
        (b"", 422, None),
        (b"[]", 422, "$"),
        ({"items": [{"draft": "%%%"}]}, 422, "$.items[0].draft"),
        ({"items": [{"draft": "e30=", "signature": "!"}]}, 422, "$.items[0].signature"),
        (
            {"items": [{"draft": "e30=", "disclosures": ["\x00"]}]},
            422,
            "$.items[0].disclosures[0]",
        ),
        ({"items": [{"draft": "e30=", "more": 1}]}, 422, "$.items[0]"),
        ({"items": [{"draft": "e30="}] * 5_001}, 413, None),
    ],
    ids=str,
)
async def test_a_request_of_another_form_is_refused_as_a_whole(
    hall: Hall, tablet: Tablet, body: Any, status: int, where: str | None
) -> None:
    answer = await hall.api.post(f"/logs/{LOG}/ingest", body, tablet.token)
    assert answer.status_code == status, answer.text
    assert answer.json().get("where") == where
    assert hall.api.archive.store.journal_size(LOG) == 0


async def test_an_empty_batch_tells_where_everything_stands(hall: Hall, tablet: Tablet) -> None:
    told = await hall.send(tablet)
    assert told["results"] == []
    assert told["streams"][MATCH]["version"] == 1
    assert told["cursor"] == {"last_seq": 0, "last_hash": None}
    assert told["server_time_ms"] == hall.api.archive.now_ms()


# The director decides.


class Branch:
    """What a director sees of one branch, and what becomes of it."""

    def __init__(self, hall: Hall, tablet: Tablet) -> None:
        self.hall = hall
        self.tablet = tablet

    async def listed(self, token: str | None = None, query: str = "") -> list[dict[str, Any]]:
        answer = await self.hall.api.get(
            f"/logs/{LOG}/branches{query}", token or self.hall.api.director
        )
        assert answer.status_code == 200, answer.text
        branches: list[dict[str, Any]] = answer.json()["branches"]
        return branches

    async def resolve(
        self, accepted: list[str], set_aside: list[str], token: str | None = None, **more: Any
    ) -> httpx.Response:
        body = {
            "match": MATCH,
            "device": self.tablet.name,
            "accepted": accepted,
            "set_aside": set_aside,
            **more,
        }
        return await self.hall.api.post(
            f"/logs/{LOG}/branches/resolution", body, token or self.hall.api.director
        )


def id_of(item: Sent) -> str:
    entry_id: str = orjson.loads(raw_of(item))["entry_id"]
    return entry_id


@pytest.fixture
def branch(hall: Hall, tablet: Tablet) -> Branch:
    return Branch(hall, tablet)


async def a_branch(hall: Hall, tablet: Tablet) -> list[Sent]:
    """Three parked drafts: the director recorded something that the tablet did not know of."""
    batch = game(tablet)
    await hall.api.append(entry("director.called"), token=hall.api.director)
    assert await hall.outcomes(tablet, *batch) == [parked("version_mismatch")] * 3
    return batch


async def test_a_branch_shows_what_was_parked_and_why(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    batch = await a_branch(hall, tablet)
    [listed] = await branch.listed()
    assert (listed["match_id"], listed["device"], listed["state"]) == (MATCH, "t1", "open")
    assert [item["entry_id"] for item in listed["items"]] == [id_of(item) for item in batch]
    draft = orjson.loads(raw_of(batch[1]))
    assert listed["items"][1] == {
        "journal_id": 2,
        "entry_id": draft["entry_id"],
        "tag": "dice.opening_rolled",
        "body": draft["body"],
        "disclosures": {},
        "occurred_at": draft["occurred_at"],
        "received_at": hall.api.archive.now_ms(),
        "device_seq": 2,
        "reason": "version_mismatch",
        "expected_version": 2,
        "version_then": 2,
    }
    assert await branch.listed(query="?match=m9") == []


async def test_a_director_takes_drafts_over_in_a_new_order_and_sets_others_aside(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    one, two, three = await a_branch(hall, tablet)
    extra = tablet.record("director.called", 4)
    assert await hall.outcomes(tablet, extra) == [parked("version_mismatch")]
    answer = await branch.resolve(
        [id_of(extra), id_of(one), id_of(two)], [id_of(three)], reason=NAME
    )
    assert answer.status_code == 201, answer.text
    told = answer.json()
    assert [place["version"] for place in told["entries"]] == [3, 4, 5]
    stored = hall.api.archive.store.read_stream(LOG, MATCH, after=2)
    assert [row.entry_id for row in stored] == [id_of(extra), id_of(one), id_of(two)]
    [listed] = await branch.listed()
    assert listed["state"] == "resolved"
    assert hall.api.faults() == []
    shown = await hall.api.get(f"/logs/{LOG}/matches/{MATCH}/events?after=3", hall.api.director)
    context = shown.json()["entries"][0]["context"]
    assert context["draft"] == hashlib.sha256(raw_of(one)).hexdigest()
    assert (context["device"], context["device_seq"], context["journal_id"]) == ("t1", 1, 1)
    assert context["signature_state"] == "good"
    log = await hall.api.get(f"/logs/{LOG}/events", hall.api.director)
    assert log.json()["entries"][-1]["tag"] == "branch.resolved"
    assert NAME in log.json()["entries"][-1]["disclosures"].values()


async def test_a_resolution_repeated_is_answered_again(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    one, two, three = await a_branch(hall, tablet)
    order = ([id_of(one), id_of(two)], [id_of(three)])
    first = await branch.resolve(*order)
    size = hall.api.size()
    again = await branch.resolve(*order)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == {**first.json(), "duplicate": True}
    assert hall.api.size() == size


async def test_a_branch_of_any_length_is_decided_as_one(
    hall: Hall, tablet: Tablet, branch: Branch, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An old tablet comes back with a whole day: more ids than one entry has room for.
    assert parking.MOST_IDS * len(f'"{uuid.UUID(int=0)}",') < MAX_SEALED_BYTES * 2 // 3
    monkeypatch.setattr(parking, "MOST_IDS", 4)
    calls = [tablet.record("director.called", 9) for _ in range(10)]
    await hall.send(tablet, *calls)
    ids = [id_of(item) for item in calls]
    order = (ids[4:], ids[:4])
    first = await branch.resolve(*order)
    assert first.status_code == 201, first.text
    assert [place["entry_id"] for place in first.json()["entries"]] == ids[4:]
    again = await branch.resolve(*order)
    assert (again.status_code, again.json()) == (200, {**first.json(), "duplicate": True})
    other = await branch.resolve(ids[4:8], ids[:4])
    assert other.status_code == 404, other.text
    [listed] = await branch.listed()
    assert (listed["state"], len(listed["items"])) == ("resolved", len(ids))
    assert hall.api.faults() == []


async def test_what_was_parked_counts_as_received_when_it_came_in(
    hall: Hall, tablet: Tablet, branch: Branch, clock: Clock
) -> None:
    call = tablet.record("director.called", 9, occurred_at=clock.now - 1_000)
    await hall.send(tablet, call)
    came_in = clock.now
    clock.now += 2 * 3_600_000
    assert (await branch.resolve([id_of(call)], [])).status_code == 201
    answer = await hall.api.get(f"/logs/{LOG}/matches/{MATCH}/provenance?at=2", hall.api.director)
    [told] = answer.json()["entries"]
    assert (told["received_at"], told["offline_ms"]) == (came_in, None)


async def test_two_directors_who_decide_at_once_decide_once(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    one, two, three = await a_branch(hall, tablet)
    ids = [id_of(one), id_of(two), id_of(three)]
    answers = await asyncio.gather(branch.resolve(ids, []), branch.resolve([], ids))
    assert sorted(answer.status_code for answer in answers) == [201, 404]
    assert hall.api.version() in (2, 5)
    assert hall.api.faults() == []


async def test_after_the_resolution_the_tablet_goes_on_at_the_new_head(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    one, two, three = await a_branch(hall, tablet)
    await branch.resolve([id_of(one), id_of(two)], [id_of(three)])
    told = await hall.send(tablet, one, two, three)
    assert [result["outcome"] for result in told["results"]] == ["duplicate"] * 3
    assert [result["version"] for result in told["results"]] == [3, 4, None]
    assert [result["reason"] for result in told["results"]] == [None, None, "version_mismatch"]
    play = tablet.record("play.made", 4, body={"seat": "one", "moves": [[8, 5], [6, 5]]})
    assert await hall.outcomes(tablet, play) == [ACCEPTED]
    # What was recorded on the old state, and comes only now, is a branch of its own.
    late = tablet.record("director.called", 3)
    assert await hall.outcomes(tablet, late) == [parked("version_mismatch")]
    states = {listed["state"]: len(listed["items"]) for listed in await branch.listed()}
    assert states == {"open": 1, "resolved": 3}


async def test_a_resolution_names_all_that_is_parked(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    one, two, three = await a_branch(hall, tablet)
    answer = await branch.resolve([id_of(one)], [id_of(two)])
    assert answer.status_code == 409
    assert answer.json()["missing"] == [id_of(three)]
    stranger = str(uuid.uuid4())
    answer = await branch.resolve([id_of(one), id_of(two), id_of(three)], [stranger])
    assert (answer.status_code, answer.json()["where"]) == (422, "$.set_aside[0]")
    twice = await branch.resolve([id_of(one), id_of(two), id_of(three)], [id_of(one)])
    assert twice.status_code == 422
    assert hall.api.version() == 2


async def test_where_nothing_is_parked_there_is_nothing_to_resolve(branch: Branch) -> None:
    assert (await branch.resolve([], [])).status_code == 404


async def test_a_draft_that_cannot_be_recorded_can_only_be_set_aside(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    bad = tablet.record("dice.juggled", 1)
    good = tablet.record("game.started", 1)
    await hall.send(tablet, bad, good)
    answer = await branch.resolve([id_of(good), id_of(bad)], [])
    assert (answer.status_code, answer.json()["where"]) == (422, "$.accepted[1]")
    assert hall.api.version() == 1
    assert (await branch.resolve([id_of(good)], [id_of(bad)])).status_code == 201
    assert hall.api.version() == 2


async def test_disclosures_move_with_the_draft_that_is_taken_over(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    item = tablet.named("table.disturbed", 5, "detail", NAME, body=DISTURBED)
    await hall.send(tablet, item)
    [listed] = await branch.listed()
    assert list(listed["items"][0]["disclosures"].values()) == [NAME]
    await branch.resolve([id_of(item)], [])
    answer = await hall.api.get(f"/logs/{LOG}/matches/{MATCH}/events?after=1", hall.api.director)
    assert list(answer.json()["entries"][0]["disclosures"].values()) == [NAME]
    [listed] = await branch.listed()
    assert list(listed["items"][0]["disclosures"].values()) == [NAME]
    store = hall.api.archive.store
    assert store.disclosures_of(LOG, [-1]) == {}
    assert hall.api.faults() == []


async def test_a_director_may_take_over_what_a_scribe_was_refused(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    item = tablet.record("cube.double_taken", 1, body={"seat": "one"})
    assert await hall.outcomes(tablet, item) == [parked("not_expected")]
    assert (await branch.resolve([id_of(item)], [])).status_code == 201
    assert hall.api.version() == 2


async def test_only_a_director_resolves(hall: Hall, tablet: Tablet, branch: Branch) -> None:
    ids = [id_of(item) for item in await a_branch(hall, tablet)]
    viewer = hall.api.token(Role.VIEWER)
    for token in (hall.api.scribe, viewer, tablet.token):
        assert (await branch.resolve(ids, [], token)).status_code == 403
    of_match = hall.api.token(Role.DIRECTOR, match=MATCH)
    assert (await branch.resolve(ids, [], of_match)).status_code == 403
    assert hall.api.version() == 2


async def test_a_branch_is_shown_to_directors_and_to_its_own_device(
    hall: Hall, tablet: Tablet, branch: Branch
) -> None:
    item = tablet.named("table.disturbed", 5, "detail", NAME, body=DISTURBED)
    await hall.send(tablet, item)
    other = Tablet("t2")
    await hall.pair(other, match=None)
    assert len(await branch.listed(tablet.token)) == 1
    assert await branch.listed(other.token) == []
    assert len(await branch.listed(hall.api.token(Role.DIRECTOR, match=MATCH))) == 1
    await hall.api.open("m2")
    assert await branch.listed(hall.api.token(Role.DIRECTOR, match="m2")) == []
    for role in (Role.SCRIBE, Role.VIEWER, Role.COMMITTEE):
        answer = await hall.api.get(f"/logs/{LOG}/branches", hall.api.token(role))
        assert answer.status_code == 403
        assert NAME not in answer.text
    assert (await hall.api.get(f"/logs/{LOG}/branches")).status_code == 401


async def test_tablets_on_swapped_boards_are_parked_and_put_right(hall: Hall) -> None:
    await hall.api.open("m2")
    one, two = Tablet("t1"), Tablet("t2")
    await hall.pair(one, MATCH)
    await hall.pair(two, "m2")
    # Each tablet was moved to the other's table, and records what it sees there.
    ones = [
        one.record("game.started", 1, stream="m2"),
        one.record("director.called", 2, stream="m2"),
    ]
    twos = [two.record("game.started", 1), two.record("director.called", 2)]
    assert await hall.outcomes(one, *ones) == [parked("stale_lease")] * 2
    assert await hall.outcomes(two, *twos) == [parked("stale_lease")] * 2
    for tablet, match, items in ((one, "m2", ones), (two, MATCH, twos)):
        body = {
            "match": match,
            "device": tablet.name,
            "accepted": [id_of(item) for item in items],
            "set_aside": [],
        }
        answer = await hall.api.post(f"/logs/{LOG}/branches/resolution", body, hall.api.director)
        assert answer.status_code == 201, answer.text
    for match, tags in (
        (MATCH, ["game.started", "director.called"]),
        ("m2", ["game.started", "director.called"]),
    ):
        assert [row.tag for row in hall.api.archive.store.read_stream(LOG, match, after=1)] == tags
        assert hall.api.archive.reading.live(LOG, match).replay.version == 3
    await hall.director(
        entry("lease.ended", lease=1, match=MATCH),
        entry("lease.ended", lease=1, match="m2"),
        entry("lease.granted", lease=2, device="t2", match=MATCH),
        entry("lease.granted", lease=2, device="t1", match="m2"),
    )
    item = one.record("dice.opening_rolled", 3, stream="m2", lease=2, body={"one": 4, "two": 2})
    assert await hall.outcomes(one, item) == [ACCEPTED]
    assert hall.api.faults() == []


# One transaction, the journal first.


@ON_A_FILE
async def test_the_journal_is_written_first_and_nothing_stays_if_the_rest_fails(
    hall: Hall, tablet: Tablet, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = hall.api.archive.store
    assert isinstance(store, SqliteStore)
    seen: list[tuple[int, int]] = []

    def fault(db: Any, group: Any) -> None:
        [journal] = db.execute("SELECT count(*) FROM journal").fetchone()
        [entries] = db.execute("SELECT count(*) FROM event WHERE stream_id = 'm1'").fetchone()
        seen.append((journal, entries))
        raise RuntimeError("the power went")

    batch = game(tablet)
    monkeypatch.setattr(store, "_write", fault)
    assert (await hall.post(tablet, *batch)).status_code == 503
    assert seen == [(3, 1)]
    monkeypatch.undo()
    assert store.journal_size(LOG) == 0
    assert store.device_cursor(LOG, "t1", 1) is None
    assert hall.api.version() == 1
    assert await hall.outcomes(tablet, *batch) == [ACCEPTED] * 3
    assert hall.api.faults() == []


@ON_A_FILE
async def test_a_commit_that_failed_and_stands_after_all_answers_duplicates(
    hall: Hall, tablet: Tablet, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = hall.api.archive.store
    assert isinstance(store, SqliteStore)
    commit = store._commit

    def fails_afterwards(db: Any) -> None:
        commit(db)
        raise OutcomeUnknown("the disk said no, and did it")

    batch = game(tablet)
    monkeypatch.setattr(store, "_commit", fails_afterwards)
    assert (await hall.post(tablet, *batch)).status_code == 503
    monkeypatch.undo()
    assert await hall.outcomes(tablet, *batch) == [("duplicate", None)] * 3
    following = tablet.record("dice.rolled", 4, body={"seat": "two", "dice": [6, 6]})
    assert await hall.outcomes(tablet, following) == [ACCEPTED]
    assert hall.api.faults() == []


@ON_A_FILE
async def test_a_resolution_is_recorded_whole_or_not_at_all(
    hall: Hall,
    tablet: Tablet,
    branch: Branch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids = [id_of(item) for item in await a_branch(hall, tablet)]
    store = hall.api.archive.store
    assert isinstance(store, SqliteStore)

    def fault(*_: Any) -> None:
        raise RuntimeError("the power went")

    size = hall.api.size()
    monkeypatch.setattr(store, "_write_outcomes", fault)
    assert (await branch.resolve(ids, [])).status_code == 503
    monkeypatch.undo()
    assert hall.api.size() == size
    assert (await branch.resolve(ids, [])).status_code == 201
    assert hall.api.size() == size + 4


@pytest.mark.gate
async def test_a_backlog_of_a_whole_day_comes_in_order(hall: Hall, tablet: Tablet) -> None:
    items = backlog(tablet, 1_200)
    for start in range(0, len(items), 200):
        batch = items[start : start + 200]
        assert await hall.outcomes(tablet, *batch) == [ACCEPTED] * len(batch)
    stored = hall.api.archive.store.read_stream(LOG, MATCH, after=1)
    assert [row.entry_id for row in stored] == [id_of(item) for item in items]
    assert hall.api.faults() == []
    told = await hall.send(tablet, *items[-50:])
    assert {result["outcome"] for result in told["results"]} == {"duplicate"}


def backlog(tablet: Tablet, size: int) -> list[Sent]:
    """So many entries of one long match: rolls, plays, and now and then an undo."""
    items = game(tablet)
    seats = ("two", "one")
    at = 4
    while len(items) < size:
        turn = len(items) // 2
        seat = seats[turn % 2]
        body = {"seat": seat, "dice": [1 + turn % 6, 1 + turn % 5]}
        items.append(tablet.record("dice.rolled", at, body=body))
        items.append(tablet.record("play.unseen", at + 1, body={"seat": seat}))
        at += 2
        if turn % 40 == 39:
            target = id_of(items[-1])
            items.append(tablet.record("entry.retracted", at, body={"target": target}))
            items.append(tablet.record("play.unseen", at + 1, body={"seat": seat}))
            at += 2
    return items[:size]
