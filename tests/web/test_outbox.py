"""The device's outbox at a server in memory: durable first, then sent in order, and once."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from playwright.sync_api import Browser, BrowserContext, Page, Route

from events.canonical import is_canonical
from events.sealing.tree import Tree
from tests.web.device_rig import (
    FakeServer,
    Fault,
    all_sent,
    open_outbox,
    open_page,
    record,
    shown,
    wait_for,
    wait_until,
)


@pytest.fixture
def contexts(chromium: Browser) -> Iterator[Callable[[], BrowserContext]]:
    """Browser profiles of their own."""
    made: list[BrowserContext] = []

    def make() -> BrowserContext:
        made.append(chromium.new_context())
        return made[-1]

    yield make
    for context in made:
        context.close()


@pytest.fixture
def server() -> FakeServer:
    """Doors in memory that give this device match m1."""
    return FakeServer()


@pytest.fixture
def device(contexts: Callable[[], BrowserContext], server: FakeServer) -> Page:
    """A tablet whose outbox is open and knows its lease."""
    context = contexts()
    server.attach(context)
    page = open_page(context)
    open_outbox(page)
    wait_for(page, "status.role === 'scribe'")
    return page


def notes(count: int, first: int = 0) -> list[dict[str, Any]]:
    """Bodies that differ."""
    return [{"at_ms": first + number} for number in range(count)]


def drafts_of(server: FakeServer) -> list[bytes]:
    """Every draft that the server has heard, without repetitions, in order."""
    return list(dict.fromkeys(raw for batch in server.submissions for raw in batch))


def test_what_is_recorded_comes_to_the_server_in_order_and_is_then_the_servers(
    device: Page, server: FakeServer
) -> None:
    made = record(device, *notes(5))
    assert [entry["state"] for entry in made] == ["saved"] * 5
    all_sent(device)
    assert server.bodies == notes(5)
    assert shown(device) == notes(5)
    assert device.evaluate("outbox.entries.map((entry) => entry.state)") == ["sent"] * 5
    wait_for(device, "status.link === 'online'")


def test_drafts_are_a_signed_chain_of_canonical_bytes(device: Page, server: FakeServer) -> None:
    record(device, *notes(4))
    all_sent(device)
    raws = drafts_of(server)
    prev = None
    for number, raw in enumerate(raws, start=1):
        draft = json.loads(raw)
        assert is_canonical(raw)
        assert (draft["device_seq"], draft["device_prev"]) == (number, prev)
        assert draft["expected_version"] == number - 1
        prev = hashlib.sha256(raw).hexdigest()
    key, exported = device.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          const { key } = await (await openStore()).identity();
          const refusal = await crypto.subtle.exportKey("pkcs8", key.private_key)
            .then(() => "exported", (error) => error.name);
          return [key.public_key, refusal];
        }"""
    )
    assert exported == "InvalidAccessError"
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key))
    for item in server.items:
        signature = base64.urlsafe_b64decode(item["signature"] + "==")
        public.verify(signature, base64.b64decode(item["draft"]))
    assert len(server.items) >= 4


def test_a_personal_value_is_shown_here_and_committed_in_the_draft(
    device: Page, server: FakeServer
) -> None:
    record(device, {"note": "Ada spoke to the crowd"})
    all_sent(device)
    assert shown(device) == [{"note": "Ada spoke to the crowd"}]
    [body] = server.bodies
    assert b"Ada" not in drafts_of(server)[0]
    raw = base64.b64decode(server.items[0]["disclosures"][0])
    assert body == {"note": {"sd": hashlib.sha256(raw).hexdigest()}}
    assert json.loads(raw)[1:] == ["note", "Ada spoke to the crowd"]


@pytest.mark.parametrize("fault", [Fault.REFUSED, Fault.LOST_REPLY, Fault.BROKEN, Fault.PORTAL])
def test_after_a_fault_the_same_bytes_are_sent_again(
    device: Page, server: FakeServer, fault: Fault
) -> None:
    server.faults = [fault, fault, fault]
    record(device, *notes(3))
    wait_for(device, "status.link === 'offline' || status.unsent === 0")
    all_sent(device)
    assert server.bodies == notes(3)
    assert len(drafts_of(server)) == 3
    assert server.faults == []
    assert shown(device) == notes(3)


def test_several_acts_of_one_gesture_are_kept_together(device: Page, server: FakeServer) -> None:
    device.evaluate(
        """() => outbox.recordAll([
          { tag: "dice.rolled", body: { seat: "one", dice: [3, 1] } },
          { tag: "play.made", body: { seat: "one", moves: [[8, 5], [6, 5]] }, basis: "agreed" },
        ])"""
    )
    all_sent(device)
    assert [entry["tag"] for entry in server.entries] == ["dice.rolled", "play.made"]
    assert json.loads(drafts_of(server)[1])["basis"] == "agreed"


def test_a_reload_goes_on_where_the_device_was(device: Page, server: FakeServer) -> None:
    server.faults = [Fault.REFUSED] * 1_000
    record(device, *notes(3))
    device.reload()
    device.wait_for_function("() => globalThis.load !== undefined")
    open_outbox(device)
    assert shown(device) == notes(3)
    assert device.evaluate("outbox.status.unsent") == 3
    record(device, *notes(2, first=3))
    server.faults = []
    all_sent(device)
    assert server.bodies == notes(5)


def test_entries_of_others_are_fetched_and_the_next_one_builds_on_them(
    device: Page, server: FakeServer
) -> None:
    record(device, *notes(2))
    all_sent(device)
    server.append("penalty.assessed", {"seat": "one"})
    wait_for(device, "outbox.entries.length === 3")
    record(device, *notes(1, first=2))
    all_sent(device)
    assert server.parked == []
    assert server.bodies == [*notes(2), {"seat": "one"}, *notes(1, first=2)]
    last = json.loads(drafts_of(server)[-1])
    assert (last["expected_version"], last["expected_head"]) == (3, server.entries[2]["leaf_hash"])


def test_a_stale_base_is_parked_and_shown_as_parked(device: Page, server: FakeServer) -> None:
    record(device, *notes(1))
    all_sent(device)
    server.faults = [Fault.REFUSED] * 1_000
    record(device, *notes(3, first=1))
    server.append("penalty.assessed", {"seat": "two"})
    server.faults = []
    all_sent(device)
    wait_for(device, "outbox.entries.length === 5")
    assert server.bodies == [*notes(1), {"seat": "two"}]
    assert shown(device) == [*server.bodies, *notes(3, first=1)]
    states = device.evaluate("outbox.entries.map((entry) => [entry.version, entry.state])")
    parked = [[version, "parked"] for version in (3, 4, 5)]
    assert states == [[1, "sent"], [2, "sent"], *parked]
    assert device.evaluate("outbox.entries[4].reason") == "version_mismatch"
    assert device.evaluate("outbox.parked.map((entry) => entry.body)") == notes(3, first=1)


def test_once_the_director_has_decided_the_next_entry_names_the_new_base(
    device: Page, server: FakeServer
) -> None:
    server.faults = [Fault.REFUSED] * 1_000
    made = record(device, *notes(3))
    server.append("penalty.assessed", {"seat": "two"})
    server.faults = []
    wait_for(device, "status.parked === 3 && status.unsent === 0")
    record(device, *notes(1, first=3))
    wait_for(device, "status.parked === 4 && status.unsent === 0")
    server.append("moment.marked", notes(1)[0], entry_id=made[0]["entry_id"])
    server.resolved = [draft["entry_id"] for draft in server.parked]
    wait_for(device, "status.parked === 0 && outbox.entries.length === 2")
    assert shown(device) == [{"seat": "two"}, *notes(1)]
    record(device, *notes(2, first=9))
    all_sent(device)
    assert server.bodies == [{"seat": "two"}, *notes(1), *notes(2, first=9)]
    assert device.evaluate("outbox.status.parked") == 0


def test_without_the_lease_recording_goes_on_and_waits_for_the_director(
    device: Page, server: FakeServer
) -> None:
    record(device, *notes(1))
    all_sent(device)
    server.lease = None
    wait_for(device, "status.role === 'none'")
    record(device, *notes(2, first=1))
    all_sent(device)
    wait_for(device, "status.parked === 2")
    record(device, *notes(1, first=3))
    wait_for(device, "status.parked === 3")
    assert server.bodies == notes(1)
    assert shown(device) == notes(4)
    assert [draft["expected_version"] for draft in server.parked] == [1, 2, 3]


def test_with_the_board_back_the_next_entry_goes_on_from_where_the_other_device_came(
    device: Page, server: FakeServer
) -> None:
    server.lease = None
    wait_for(device, "status.role === 'none'")
    record(device, *notes(2))
    wait_for(device, "status.parked === 2")
    server.append("moment.marked", {"by": "the other"})
    server.lease = 3
    wait_for(device, "status.role === 'scribe' && outbox.entries.length === 1")
    assert shown(device) == [{"by": "the other"}]
    server.resolved = [draft["entry_id"] for draft in server.parked]
    wait_for(device, "status.parked === 0")
    record(device, *notes(1, first=5))
    all_sent(device)
    assert server.bodies == [{"by": "the other"}, *notes(1, first=5)]


def test_a_device_that_never_had_the_board_cannot_record(
    contexts: Callable[[], BrowserContext], server: FakeServer
) -> None:
    server.lease = None
    context = contexts()
    server.attach(context)
    page = open_page(context)
    open_outbox(page)
    assert page.evaluate("outbox.record('moment.marked', {}).catch((error) => error.name)") == (
        "NoLease"
    )


def test_a_second_recorder_tab_of_the_same_board_is_refused_and_a_mirror_follows(
    device: Page, server: FakeServer
) -> None:
    other = open_page(device.context)
    assert (
        other.evaluate(
            """async () => {
              const { openOutbox } = await load("device/outbox.js");
              const terms = { log_id: "open", match_id: "m1" };
              return openOutbox(terms).then(() => "opened", (error) => error.name);
            }"""
        )
        == "BoardTaken"
    )
    open_outbox(other, mirror=True)
    record(device, *notes(2))
    wait_for(other, "outbox.entries.length === 2")
    all_sent(other)
    assert shown(other) == notes(2)
    assert other.evaluate("outbox.record('moment.marked', {}).catch((error) => error.name)") == (
        "BoardTaken"
    )


def test_a_tab_takes_over_when_the_recorder_closes(device: Page, server: FakeServer) -> None:
    server.faults = [Fault.REFUSED] * 1_000
    record(device, *notes(2))
    other = open_page(device.context)
    device.close()
    open_outbox(other)
    server.faults = []
    record(other, *notes(2, first=2))
    all_sent(other)
    assert server.bodies == notes(4)


def test_two_boards_of_one_device_share_one_chain(device: Page, server: FakeServer) -> None:
    other = open_page(device.context)
    open_outbox(other, match_id="m2")
    other.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          const leases = ["m1", "m2"].map((match_id) => ({ match_id, lease: 1, shadow_of: null }));
          await (await openStore()).keepLeases("open", leases);
          outbox.close();
        }"""
    )
    open_outbox(other, match_id="m2")
    for number in range(4):
        record(device, *notes(1, first=number))
        record(other, *notes(1, first=100 + number))
    all_sent(device)
    chain = [json.loads(raw) for raw in drafts_of(server)]
    assert [draft["device_seq"] for draft in chain] == list(range(1, 9))
    assert {draft["stream"] for draft in chain} == {"m1", "m2"}


def test_a_fork_is_an_alarm_and_nothing_is_dropped(device: Page, server: FakeServer) -> None:
    record(device, *notes(1))
    all_sent(device)
    server.last_hash = "f" * 64
    record(device, *notes(2, first=1))
    wait_for(device, "status.alarm === 'device-fork'")
    assert device.evaluate("outbox.alarm_reason") == "prev_mismatch"
    assert device.evaluate("outbox.status.unsent") == 2
    assert shown(device) == notes(3)
    exported = json.loads(device.evaluate("outbox.exportUnsent().then((blob) => blob.text())"))
    assert len(exported["submissions"][0]["items"]) == 2


def test_a_server_that_lost_what_it_had_acknowledged_is_an_alarm(
    device: Page, server: FakeServer
) -> None:
    record(device, *notes(3))
    all_sent(device)
    server.last_seq, server.last_hash = 1, None
    wait_for(device, "status.alarm === 'receipt-lost'")


def kept_again(device: Page) -> list[int]:
    """Numbers of the drafts that the device keeps although they have a receipt."""
    found: list[int] = device.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          const store = await openStore();
          const { acked_seq } = await store.chain("open", 1);
          store.close();
          const db = await new Promise((done) => {
            indexedDB.open("tabularium-device").onsuccess = ({ target }) => done(target.result);
          });
          const rows = await new Promise((done) => {
            const all = db.transaction("drafts").objectStore("drafts").getAll();
            all.onsuccess = () => done(all.result);
          });
          db.close();
          return rows.map((row) => row.device_seq).filter((seq) => seq <= acked_seq);
        }"""
    )
    return found


def test_what_was_sent_is_kept_until_the_server_says_that_it_is_safe(
    device: Page, server: FakeServer
) -> None:
    server.covered = 0
    record(device, *notes(4))
    all_sent(device)
    assert kept_again(device) == [1, 2, 3, 4]
    assert device.evaluate("outbox.status.unsent") == 0
    server.covered = 3
    wait_until(device, lambda: kept_again(device) == [4])
    server.covered = 4
    wait_until(device, lambda: kept_again(device) == [])
    assert shown(device) == notes(4)


def test_after_an_older_backup_was_restored_what_it_lacks_is_sent_again_and_that_is_told(
    device: Page, server: FakeServer
) -> None:
    server.covered = 0
    record(device, *notes(3))
    all_sent(device)
    server.covered = 2
    wait_until(device, lambda: kept_again(device) == [3])
    # Two by two, so that the second builds on what the server said of the first.
    for first in (3, 5):
        record(device, *notes(2, first=first))
        all_sent(device)
    was = drafts_of(server)
    server.restore(2)
    wait_for(device, "status.alarm === 'archive-restored'")
    wait_until(device, lambda: len(server.entries) == 7)
    all_sent(device)
    assert server.bodies == notes(7)
    assert drafts_of(server) == was
    assert shown(device) == notes(7)
    record(device, *notes(1, first=7))
    all_sent(device)
    assert server.bodies == notes(8)
    assert server.parked == []
    # It stays told, and is none of the alarms after which nothing is sent.
    assert device.evaluate("outbox.status.alarm") == "archive-restored"
    assert device.evaluate("outbox.entries.map((entry) => entry.state)") == ["sent"] * 8


def test_an_archive_that_was_put_back_beyond_what_was_safe_is_the_alarm_that_it_was(
    device: Page, server: FakeServer
) -> None:
    server.covered = 0
    record(device, *notes(4))
    all_sent(device)
    server.covered = 4
    wait_until(device, lambda: kept_again(device) == [])
    server.restore(2)
    wait_for(device, "status.alarm === 'receipt-lost'")


def test_a_history_that_was_rewritten_where_it_was_safe_is_the_alarm_that_it_was(
    device: Page, server: FakeServer
) -> None:
    server.covered = 0
    record(device, *notes(3))
    all_sent(device)
    server.covered = 3
    wait_until(device, lambda: kept_again(device) == [])
    FORGERIES["no_proof"](server)
    record(device, *notes(1, first=3))
    wait_for(device, "status.alarm === 'history-rewritten'")
    assert device.evaluate("outbox.status.unsent") == 1


def kept_checkpoint(device: Page) -> Any:
    """What the device holds of the log."""
    return device.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          return (await (await openStore()).chain("open", 1)).checkpoint;
        }"""
    )


def leaves_of(server: FakeServer) -> list[bytes]:
    """Leaf hashes of what the server has."""
    return [bytes.fromhex(entry["leaf_hash"]) for entry in server.entries]


def test_the_device_keeps_each_checkpoint_that_goes_on_from_the_one_before(
    device: Page, server: FakeServer
) -> None:
    for number in range(5):
        server.append("moment.marked", {"at_ms": number})
        wait_for(device, f"outbox.entries.length === {2 * number + 1}")
        record(device, *notes(1, first=100 + number))
        all_sent(device)
        size = 2 * number + 2
        root = Tree(leaves_of(server)).root().hex()
        assert kept_checkpoint(device) == {"size": size, "root": root}
    assert list(dict.fromkeys(server.checkpoint_sizes)) == [0, 2, 4, 6, 8]
    assert device.evaluate("outbox.status.alarm") is None


def test_the_next_epoch_holds_the_checkpoint_of_the_one_before(
    device: Page, server: FakeServer
) -> None:
    record(device, *notes(3))
    all_sent(device)
    device.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          const { nextEpoch } = await load("device/pairing.js");
          outbox.close();
          await nextEpoch(await openStore());
        }"""
    )
    server.last_seq, server.last_hash = 0, None
    open_outbox(device)
    record(device, *notes(1, first=3))
    all_sent(device)
    assert server.checkpoint_sizes[-1] == 3
    FORGERIES["no_proof"](server)
    record(device, *notes(1, first=4))
    wait_for(device, "status.alarm === 'history-rewritten'")


FORGERIES: dict[str, Callable[[FakeServer], None]] = {
    "no_proof": lambda server: server.rewrite(b"f" * 32, *leaves_of(server)[1:]),
    "other_root": lambda server: server.rewrite(leaves_of(server)[0]),
    "log_shrank": lambda server: server.rewrite(),
    "no_checkpoint": lambda server: server.prove_nothing(),
}
"""What an archive may do that cannot show what it showed before, by what the device says to it."""


@pytest.mark.parametrize("reason", FORGERIES)
def test_a_rewritten_history_is_an_alarm_and_nothing_is_dropped_nor_sent(
    device: Page, server: FakeServer, reason: str
) -> None:
    record(device, *notes(3))
    all_sent(device)
    kept = kept_checkpoint(device)
    FORGERIES[reason](server)
    acts = [{"tag": "moment.marked", "body": body} for body in notes(2, first=3)]
    device.evaluate("(acts) => outbox.recordAll(acts)", acts)
    wait_for(device, "status.alarm === 'history-rewritten'")
    assert device.evaluate("outbox.alarm_reason") == reason
    heard = len(server.submissions)
    record(device, *notes(1, first=5))
    device.evaluate("outbox.attach(new Blob(['a photo'])).then(() => outbox.flush())")
    assert len(server.submissions) == heard
    assert server.files == {}
    assert device.evaluate("outbox.status.unsent") == 3
    assert shown(device) == notes(6)
    exported = json.loads(device.evaluate("outbox.exportUnsent().then((blob) => blob.text())"))
    [submission] = exported["submissions"]
    assert len(submission["items"]) == 3
    assert submission["checkpoint_size"] == 3
    assert kept_checkpoint(device) == kept


@pytest.mark.parametrize("reason", FORGERIES)
def test_nothing_is_taken_from_an_archive_that_cannot_prove_its_history(
    device: Page, server: FakeServer, reason: str
) -> None:
    record(device, *notes(3))
    all_sent(device)
    FORGERIES[reason](server)
    record(device, *notes(1, first=3))
    wait_for(device, "status.alarm === 'history-rewritten'")
    server.entries.append({**server.entries[-1], "version": 5, "body": {"at_ms": 99}})
    asked = len(server.unsent)
    wait_until(device, lambda: len(server.unsent) > asked + 2)
    assert shown(device) == notes(4)
    record(device, *notes(1, first=4))
    exported = json.loads(device.evaluate("outbox.exportUnsent().then((blob) => blob.text())"))
    [submission] = exported["submissions"]
    drafts = [json.loads(base64.b64decode(item["draft"])) for item in submission["items"]]
    assert [draft["expected_version"] for draft in drafts] == [3, 4]


def test_what_the_live_line_tells_waits_for_the_answer_to_what_is_on_its_way(
    device: Page, server: FakeServer
) -> None:
    record(device, *notes(3))
    all_sent(device)
    server.faults = [Fault.REFUSED] * 1_000
    record(device, *notes(1, first=3))
    server.faults = []
    held: list[Route] = []
    frame = 'data: {"version": 4}\n\n'
    device.context.route("**/ingest", lambda route: held.append(route))
    device.context.route(
        "**/live?*", lambda route: route.fulfill(body=frame, content_type="text/event-stream")
    )
    FORGERIES["no_proof"](server)
    server.append("moment.marked", {"at_ms": 99})
    server.reads.clear()
    device.reload()
    device.wait_for_function("() => globalThis.load !== undefined")
    with device.expect_event("requestfinished", lambda request: "/live?" in request.url):
        open_outbox(device)
        wait_until(device, lambda: bool(held))
    # Longer than the outbox gives a receipt to come first.
    device.evaluate("() => new Promise((done) => setTimeout(done, 400))")
    assert server.reads == []
    # What was held the tablet gives up by itself, and sends it again.
    device.context.unroute("**/ingest")
    wait_for(device, "status.alarm === 'history-rewritten'")
    assert shown(device) == notes(4)


def test_the_alarm_of_a_rewritten_history_comes_again_until_the_history_is_the_known_one(
    device: Page, server: FakeServer
) -> None:
    record(device, *notes(3))
    all_sent(device)
    FORGERIES["no_proof"](server)
    record(device, *notes(2, first=3))
    wait_for(device, "status.alarm === 'history-rewritten'")
    device.reload()
    device.wait_for_function("() => globalThis.load !== undefined")
    open_outbox(device)
    wait_for(device, "status.alarm === 'history-rewritten' && status.unsent === 2")
    server.rewrite(*leaves_of(server))
    device.reload()
    device.wait_for_function("() => globalThis.load !== undefined")
    open_outbox(device)
    all_sent(device)
    assert device.evaluate("outbox.status.alarm") is None
    assert server.bodies == notes(5)
    assert kept_checkpoint(device)["size"] == 5


def test_a_device_whose_storage_fell_behind_is_told_and_goes_on_under_the_next_epoch(
    device: Page, server: FakeServer
) -> None:
    server.last_seq = 7
    wait_for(device, "status.alarm === 'storage-lost'")
    before, after = device.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          const { ownIdentity, nextEpoch } = await load("device/pairing.js");
          const store = await openStore();
          return [await ownIdentity(store), await nextEpoch(store)];
        }"""
    )
    assert (after["device"], after["epoch"]) == (before["device"], before["epoch"] + 1)
    assert after["token_sha256"] == hashlib.sha256(after["token"].encode()).hexdigest()
    assert after["token"] != before["token"]


def test_what_an_epoch_has_not_sent_is_in_the_export_of_the_next(
    device: Page, server: FakeServer
) -> None:
    server.faults = [Fault.REFUSED] * 1_000
    record(device, *notes(2))
    exported = device.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          const { openOutbox } = await load("device/outbox.js");
          const { nextEpoch } = await load("device/pairing.js");
          outbox.close();
          await nextEpoch(await openStore());
          globalThis.outbox = await openOutbox({ log_id: "open", match_id: "m1" });
          return (await outbox.exportUnsent()).text();
        }"""
    )
    [submission] = json.loads(exported)["submissions"]
    drafts = [json.loads(base64.b64decode(item["draft"])) for item in submission["items"]]
    assert [(draft["epoch"], draft["body"]) for draft in drafts] == [(1, one) for one in notes(2)]
    assert device.evaluate("outbox.status.parked") == 2
    assert device.evaluate("outbox.status.unsent") == 0


def test_the_second_copy_of_a_lost_database_is_in_the_export(
    device: Page, server: FakeServer
) -> None:
    server.faults = [Fault.BROKEN] * 1_000
    record(device, *notes(2))
    device.wait_for_function(
        """async () => {
          const root = await navigator.storage.getDirectory();
          for await (const handle of root.values()) {
            if ((await (await handle.getFile()).text()).split("\\n").length === 3) return true;
          }
          return false;
        }"""
    )
    exported = device.evaluate(
        """async () => {
          outbox.close();
          await new Promise((resolve, reject) => {
            const request = indexedDB.deleteDatabase("tabularium-device");
            request.onsuccess = resolve;
            request.onerror = reject;
          });
          const { openOutbox } = await load("device/outbox.js");
          globalThis.outbox = await openOutbox({ log_id: "open", match_id: "m1" });
          return (await outbox.exportUnsent()).text();
        }"""
    )
    (submission,) = json.loads(exported)["submissions"]
    drafts = [json.loads(base64.b64decode(item["draft"])) for item in submission["items"]]
    assert [(draft["epoch"], draft["body"]) for draft in drafts] == [(1, one) for one in notes(2)]


def test_tabs_that_open_together_are_one_device(device: Page, server: FakeServer) -> None:
    made = device.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          const { ownIdentity } = await load("device/pairing.js");
          const stores = await Promise.all([openStore("fresh"), openStore("fresh")]);
          const both = await Promise.all(stores.map(ownIdentity));
          return both.map(({ device, token }) => [device, token]);
        }"""
    )
    assert made[0] == made[1]


def test_a_lost_database_is_the_same_device_under_the_next_epoch(device: Page) -> None:
    before, after = device.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          const { ownIdentity } = await load("device/pairing.js");
          const store = await openStore();
          const before = await ownIdentity(store);
          outbox.close();
          store.close();
          await new Promise((resolve, reject) => {
            const request = indexedDB.deleteDatabase("tabularium-device");
            request.onsuccess = resolve;
            request.onerror = reject;
          });
          return [before, await ownIdentity(await openStore())];
        }"""
    )
    assert (after["device"], after["epoch"]) == (before["device"], 2)
    assert device.evaluate("outbox.status.alarm") == "storage-lost"


def test_an_entry_is_shown_only_after_a_strict_write_is_complete(
    device: Page, server: FakeServer
) -> None:
    device.evaluate(
        """() => {
          globalThis.seen = [];
          const add = IDBObjectStore.prototype.add;
          IDBObjectStore.prototype.add = function (...row) {
            const request = add.apply(this, row);
            const { durability } = this.transaction;
            request.addEventListener("success", () => {
              seen.push([outbox.entries.length, outbox.status.unsent, durability]);
            });
            return request;
          };
        }"""
    )
    record(device, *notes(1))
    all_sent(device)
    record(device, *notes(1, first=1))
    assert device.evaluate("seen") == [[0, 0, "strict"], [1, 0, "strict"]]
    assert shown(device) == notes(2)


def test_a_write_that_fails_is_told_and_nothing_is_shown_as_recorded(
    device: Page, server: FakeServer
) -> None:
    record(device, *notes(1))
    device.evaluate(
        """() => {
          globalThis.put = IDBObjectStore.prototype.add;
          IDBObjectStore.prototype.add = () => {
            throw new DOMException("no room left", "QuotaExceededError");
          };
        }"""
    )
    told = device.evaluate("outbox.record('moment.marked', {}).catch((error) => error.name)")
    assert told == "StorageFailed"
    assert device.evaluate("outbox.status.alarm") == "storage-failed"
    assert shown(device) == notes(1)
    device.evaluate("() => { IDBObjectStore.prototype.add = put; }")
    record(device, *notes(1, first=1))
    all_sent(device)
    wait_for(device, "status.alarm === null")
    assert server.bodies == notes(2)


def test_a_storage_that_fails_as_the_copy_is_thinned_keeps_no_entry_from_the_table(
    device: Page, server: FakeServer
) -> None:
    device.evaluate(
        """() => {
          const { count } = IDBObjectStore.prototype;
          IDBObjectStore.prototype.count = function (...asked) {
            // What the copy is measured by, and nothing else.
            const { mode, objectStoreNames } = this.transaction;
            if (mode !== "readonly" || objectStoreNames.length > 1) return count.apply(this, asked);
            throw new DOMException("the disk is gone", "UnknownError");
          };
        }"""
    )
    record(device, *notes(1))
    all_sent(device)
    server.append("moment.marked", {"by": "the other"})
    device.evaluate("window.dispatchEvent(new Event('online'))")
    wait_for(device, "outbox.entries.length === 2")
    assert shown(device) == [*notes(1), {"by": "the other"}]
    assert device.evaluate("outbox.status.alarm") == "storage-failed"


def test_a_blocked_database_is_told_at_once(contexts: Callable[[], BrowserContext]) -> None:
    context = contexts()
    FakeServer().attach(context)
    page = open_page(context)
    page.evaluate(
        """() => {
          IDBFactory.prototype.open = () => { throw new DOMException("denied", "SecurityError"); };
        }"""
    )
    told = page.evaluate(
        """async () => {
          const { openOutbox } = await load("device/outbox.js");
          return openOutbox({ log_id: "open", match_id: "m1" }).catch((error) => error.name);
        }"""
    )
    assert told == "StorageFailed"


def test_a_file_is_kept_and_sent_under_its_hash(device: Page, server: FakeServer) -> None:
    digest = device.evaluate(
        "() => outbox.attach(new Blob(['a photo of the dice'], { type: 'image/jpeg' }))"
    )
    assert digest == hashlib.sha256(b"a photo of the dice").hexdigest()
    wait_until(device, lambda: server.files == {digest: b"a photo of the dice"})


def test_no_entry_waits_for_a_film_that_takes_minutes(device: Page, server: FakeServer) -> None:
    device.evaluate(
        """() => {
          const send = fetch;
          globalThis.films = 0;
          globalThis.fetch = (path, options) => {
            if (!String(path).includes("/files/")) return send(path, options);
            films += 1;
            return new Promise((done) => {
              globalThis.through = () => done(send(path, options));
            });
          };
        }"""
    )
    device.evaluate("() => outbox.attach(new Blob(['a film of the whole match']))")
    device.wait_for_function("() => films === 1")
    record(device, *notes(3))
    all_sent(device)
    assert server.bodies == notes(3)
    # Nor does a newer version of the tablet, between two matches.
    device.evaluate(
        """async () => {
          const { quietly } = await load("shared/http.js");
          await quietly(async () => {});
        }"""
    )
    assert (device.evaluate("films"), server.files) == (1, {})
    assert device.evaluate("[outbox.status.unsent, outbox.status.files]") == [0, 1]
    device.evaluate("() => through()")
    wait_for(device, "status.files === 0")
    assert list(server.files.values()) == [b"a film of the whole match"]


def test_the_server_hears_how_much_is_unsent(device: Page, server: FakeServer) -> None:
    server.faults = [Fault.BROKEN] * 1_000
    record(device, *notes(4))
    wait_for(device, "status.link === 'offline'")
    server.unsent.clear()
    wait_until(device, lambda: "4" in server.unsent)
    server.faults = []
    all_sent(device)
    wait_until(device, lambda: "0" in server.unsent)


def test_a_backlog_is_sent_in_batches_that_the_door_takes(device: Page, server: FakeServer) -> None:
    server.faults = [Fault.REFUSED] * 1_000
    device.evaluate(
        """(bodies) => outbox.recordAll(bodies.map((body) => ({ tag: "moment.marked", body })))""",
        notes(450),
    )
    server.faults = []
    all_sent(device)
    assert server.bodies == notes(450)
    assert max(map(len, server.submissions)) <= 200


def test_a_server_too_slow_for_a_whole_batch_is_sent_smaller_ones(
    device: Page, server: FakeServer
) -> None:
    server.most_items = 7
    acts = [{"tag": "moment.marked", "body": body} for body in notes(60)]
    device.evaluate("(acts) => outbox.recordAll(acts)", acts)
    all_sent(device)
    assert server.bodies == notes(60)


def test_a_network_too_slow_for_a_whole_match_brings_it_in_smaller_pages(
    device: Page, server: FakeServer
) -> None:
    """A spare tablet that takes over late has it all to fetch."""
    server.most_items = 30
    for body in notes(120):
        server.append("moment.marked", body)
    wait_for(device, "outbox.entries.length === 120")
    assert shown(device) == notes(120)


def test_the_age_of_the_last_answer_does_not_know_the_wall_clock(device: Page) -> None:
    device.evaluate("Date.now = () => 0")
    wait_for(device, "status.ack_age_ms !== null && status.ack_age_ms < 5_000")
    device.evaluate("Date.now = () => 9e12")
    assert 0 <= device.evaluate("outbox.status.ack_age_ms") < 5_000


def test_what_is_exported_can_be_posted_by_hand(device: Page, server: FakeServer) -> None:
    server.faults = [Fault.REFUSED] * 1_000
    record(device, *notes(3))
    exported = json.loads(device.evaluate("outbox.exportUnsent().then((blob) => blob.text())"))
    raws = [
        base64.b64decode(item["draft"])
        for submission in exported["submissions"]
        for item in submission["items"]
    ]
    assert [server._receive(raw)["outcome"] for raw in raws] == ["accepted"] * 3
    server.faults = []
    all_sent(device)
    assert server.bodies == notes(3)


# Plain http in a hall: no worker, no key, no locks, no hash of the browser's; it records.

PLAIN = "http://tables.hall"


@pytest.fixture
def plain_device(contexts: Callable[[], BrowserContext], server: FakeServer) -> Page:
    """A tablet on an origin that the browser does not trust."""
    context = contexts()
    server.attach(context, origin=PLAIN)
    page = open_page(context, origin=PLAIN)
    assert page.evaluate("[isSecureContext, typeof crypto.subtle, typeof navigator.locks]") == (
        [False, "undefined", "undefined"]
    )
    open_outbox(page)
    wait_for(page, "status.role === 'scribe'")
    return page


def test_an_origin_that_is_not_secure_records_without_a_signature_and_says_so(
    plain_device: Page, server: FakeServer
) -> None:
    record(plain_device, *notes(3), {"note": "said aloud"})
    all_sent(plain_device)
    status = plain_device.evaluate("outbox.status")
    assert (status["secure"], status["signing"]) == (False, "absent")
    assert server.bodies[:3] == notes(3)
    assert [item["signature"] for item in server.items] == [None] * 4
    raw = base64.b64decode(server.items[3]["disclosures"][0])
    assert server.bodies[3] == {"note": {"sd": hashlib.sha256(raw).hexdigest()}}


def test_without_locks_one_tab_sends_and_a_second_recorder_is_refused(
    plain_device: Page, server: FakeServer
) -> None:
    other = open_page(plain_device.context, origin=PLAIN)
    # However long the first tab takes to answer.
    other.clock.install()
    other.clock.pause_at(other.evaluate("Date.now() / 1000 + 1"))
    refused = other.evaluate(
        """async () => {
          const { openOutbox } = await load("device/outbox.js");
          return openOutbox({ log_id: "open", match_id: "m1" }).catch((error) => error.name);
        }"""
    )
    assert refused == "BoardTaken"
    other.clock.resume()
    record(plain_device, *notes(2))
    plain_device.close()
    open_outbox(other)
    record(other, *notes(2, first=2))
    all_sent(other)
    assert server.bodies == notes(4)


def test_a_file_that_the_server_refuses_is_told_and_holds_up_nothing(
    device: Page, server: FakeServer
) -> None:
    server.file_status = 413
    device.evaluate("() => outbox.attach(new Blob(['a film of the whole match']))")
    wait_for(device, "status.alarm === 'file-refused'")
    record(device, *notes(2))
    all_sent(device)
    assert server.bodies == notes(2)
    wait_for(device, "status.link === 'online'")


def test_a_mirror_that_closed_while_it_waited_does_not_keep_the_next_tab_from_sending(
    device: Page, server: FakeServer
) -> None:
    other = open_page(device.context)
    open_outbox(other, mirror=True)
    other.evaluate("outbox.close()")
    device.evaluate("outbox.close()")
    third = open_page(device.context)
    open_outbox(third)
    record(third, *notes(2))
    all_sent(third)
    assert server.bodies == notes(2)


def test_a_tab_that_is_given_the_lock_when_it_has_given_up_lets_go_of_it(device: Page) -> None:
    # A browser that has granted it already, and says so a moment later.
    leads, is_let_go = device.evaluate(
        """async () => {
          const { Tabs } = await load("device/sync/tabs.js");
          const { openStore } = await load("device/store/store.js");
          const { locks } = navigator;
          const { request } = locks;
          let held;
          locks.request = (name, options, give) =>
            (held = new Promise((grant) => setTimeout(() => grant(give()))));
          const tabs = new Tabs(await openStore(), "another");
          const leads = tabs.lead();
          tabs.close();
          locks.request = request;
          return [await leads, (await held) === undefined];
        }"""
    )
    assert (leads, is_let_go) == (False, True)


def test_a_refused_token_is_an_alarm_until_it_is_let_in_again(
    device: Page, server: FakeServer
) -> None:
    server.faults = [Fault.UNKNOWN] * 1_000
    record(device, *notes(2))
    wait_for(device, "status.alarm === 'not-authenticated'")
    assert device.evaluate("outbox.status.unsent") == 2
    server.faults = []
    all_sent(device)
    wait_for(device, "status.alarm === null")
    assert server.bodies == notes(2)


COPY_BEGUN_ANEW = """async () => {
  const { BoardCopy } = await load("device/board_copy.js");
  const row = (device_seq) => ({
    device_seq, match_id: "m1", raw: new Uint8Array([device_seq]), signature: null, disclosures: [],
  });
  let answer;
  const store = { held: () => new Promise((done) => (answer = done)) };
  const identity = { device: "d", epoch: 1, token: "t" };
  const copy = new BoardCopy(store, identity, { log_id: "open", match_id: "m1" });
  const renewing = copy.renew();
  copy.add([row(3)]);
  answer([row(1), row(2)]);
  await renewing;
  copy.add([row(2)]);
  copy.add([row(4)]);
  globalThis.counted = copy.count;
  copy.close();
}"""
"""A draft is given while what is held is read, and one that was read is given only then."""

SEQUENCE = """async () => {
  const root = await navigator.storage.getDirectory();
  const found = [];
  for await (const [name, handle] of root.entries()) {
    const lines = (await (await handle.getFile()).text()).split("\\n").filter(Boolean);
    found.push(...lines.map((line) => JSON.parse(line).device_seq));
  }
  return found;
}"""


def test_what_is_recorded_while_the_second_copy_begins_anew_lies_in_it_once(
    contexts: Callable[[], BrowserContext], server: FakeServer
) -> None:
    context = contexts()
    server.attach(context)
    page = open_page(context)
    page.evaluate(COPY_BEGUN_ANEW)
    wait_until(page, lambda: page.evaluate(SEQUENCE) == [1, 2, 3, 4])
    assert page.evaluate("counted") == 4


COPYING = """async () => {
  globalThis.file = "";
  globalThis.room = 0;
  globalThis.asked = 0;
  const bytes = new TextDecoder();
  const handle = {
    getSize: () => file.length,
    truncate: (size) => (file = file.slice(0, size)),
    write: (more, { at }) => {
      const some = bytes.decode(more).slice(0, Math.max(0, room - at));
      file = file.slice(0, at) + some;
      if (some.length === more.length) return more.length;
      throw new DOMException("full", "QuotaExceededError");
    },
    flush: () => {},
  };
  StorageManager.prototype.getDirectory = async () => {
    asked += 1;
    if (room === 0) throw new DOMException("no files here", "SecurityError");
    return { getFileHandle: async () => ({ createSyncAccessHandle: async () => handle }) };
  };
  await load("device/store/copy_worker.js");
}"""
"""The worker in the page itself, over a file that has so much room; none where there is no file."""


def test_a_second_copy_that_cannot_be_written_is_tried_again_once_and_whole(
    contexts: Callable[[], BrowserContext], server: FakeServer
) -> None:
    context = contexts()
    server.attach(context)
    page = open_page(context)
    page.clock.install()
    page.evaluate(COPYING)
    page.evaluate(
        """async () => {
          for (let line = 1; line <= 9; line += 1) {
            dispatchEvent(new MessageEvent("message", { data: { lines: `line ${line}\n` } }));
          }
          while (asked < 9) await null;
        }"""
    )
    page.clock.run_for(2_100)
    # A private window has no files: it is asked for them twice a second, not once more each line.
    assert page.evaluate("asked") == 9 + 4
    page.evaluate("room = 10")
    page.clock.run_for(600)
    assert page.evaluate("file") == ""
    page.evaluate("room = 1000")
    page.clock.run_for(600)
    assert page.evaluate("file") == "".join(f"line {line}\n" for line in range(1, 10))
