"""Faults in a hall, at a real server: nothing is lost, nothing doubled, all in order."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Route, expect

from api.archive.archive import open_archive
from api.archive.keyring import Keyring
from events.canonical import canonical
from events.envelope import Basis, EventDraft
from events.payloads.access import Role
from events.sealing import merkle
from events.store.appending import fingerprint
from events.store.fsck import fsck
from tests.api.faults.test_kill import Nursery
from tests.web.conftest import (
    CHROMIUM_ARGS,
    NewContext,
    Served,
    Site,
    check_axe,
    chromium_path,
    shot,
)
from tests.web.device_rig import (
    QUICK,
    all_sent,
    copied,
    open_outbox,
    record,
    shown,
    wait_for,
    wait_until,
)
from tests.web.device_site import (
    LOG,
    TAG,
    approved,
    check_stream,
    claim,
    open_device,
    pair,
    start,
)
from tests.web.proxy import Mode, Proxy
from tests.web.tablet_rig import Scribe, draw, open_tablet, start_game
from tests.web.test_whole_match import GAMES, SMALL, facts, one_game, recorded_on
from tests.web.test_whole_match import record as write_down

pytestmark = pytest.mark.service_worker

HOLDS = """() => outbox.entries.slice(1).map(({ entry_id, body }) => ({ entry_id, body }))"""


class Table(NamedTuple):
    """A tablet at a match, behind a wire."""

    page: Page
    match_id: str
    wire: Proxy
    site: Site

    def note(self, count: int, first: int) -> list[Any]:
        """Record acts; their entries."""
        return record(self.page, *notes(count, first), tag=TAG)

    def check(self, made: list[Any]) -> None:
        """Everything is sent, and the server has exactly this."""
        all_sent(self.page)
        check_stream(self.site.archive, self.match_id, made)
        wait_for(self.page, "status.link === 'online' && status.alarm === null")
        assert shown(self.page)[1:] == [entry["body"] for entry in made]


def notes(count: int, first: int = 0) -> list[dict[str, Any]]:
    """Bodies that differ, as the catalogue knows them."""
    return [{"keeper": "one", "at_ms": first + number} for number in range(count)]


@pytest.fixture
def table(new_context: NewContext, site: Site, proxy: Proxy) -> Table:
    """A paired tablet that records a match."""
    match_id = site.open_match()
    page = open_device(new_context(base_url=proxy.url, expects_errors=True), proxy.url)
    with site.http(site.director) as director:
        pair(page, director, match_id)
    start(page, match_id)
    return Table(page, match_id, proxy, site)


def test_a_match_recorded_with_a_network_is_the_servers(table: Table) -> None:
    table.check(table.note(12, 0))


def test_offline(table: Table) -> None:
    made = table.note(2, 0)
    all_sent(table.page)
    table.page.context.set_offline(True)
    made += table.note(5, 2)
    wait_for(table.page, "status.link === 'offline' && status.unsent === 5")
    assert table.page.evaluate("navigator.onLine") is False
    table.page.context.set_offline(False)
    table.check(made)


@pytest.mark.parametrize("mode", [Mode.DOWN, Mode.BLACK_HOLE, Mode.DROP_RESPONSE])
def test_the_wire_fails_while_the_browser_thinks_it_is_online(table: Table, mode: Mode) -> None:
    made = table.note(2, 0)
    all_sent(table.page)
    table.wire.switch(mode)
    made += table.note(5, 2)
    wait_for(table.page, "status.link === 'offline' && status.unsent === 5")
    assert table.page.evaluate("navigator.onLine") is True
    made += table.note(3, 7)
    table.wire.switch(Mode.UP)
    table.check(made)


def test_the_answer_is_lost_after_the_server_has_written(table: Table) -> None:
    table.wire.switch(Mode.DROP_RESPONSE)
    made = table.note(4, 0)
    wait_until(table.page, lambda: len(table.site.entries(table.match_id)) > 1)
    wait_for(table.page, "status.unsent === 4")
    table.wire.switch(Mode.UP)
    table.check(made)


NEVER = {**QUICK, "poll_ms": 10**9, "waiting_ms": 10**9}
"""A flusher that asks for its assignment once, and after a failure."""


def mark_by_the_director(table: Table) -> None:
    """The director records something in the match."""
    called = table.site.entries(table.match_id)[0]["entry_id"]
    entry = {
        "entry_id": str(uuid.uuid4()),
        "tag": "moment.marked",
        "body": {"target": called},
        "basis": "observed",
    }
    with table.site.http(table.site.director) as director:
        path = f"/logs/{LOG}/matches/{table.match_id}/events"
        answer = director.post(path, json={"entries": [entry]}, headers={"If-Match": "*"})
    assert answer.status_code == 201, answer.text


def test_what_the_director_records_is_heard_unasked_so_that_the_next_entry_builds_on_it(
    table: Table,
) -> None:
    table.page.evaluate("outbox.close()")
    start(table.page, table.match_id, timing=NEVER)
    for count in (2, 4):
        mark_by_the_director(table)
        wait_for(table.page, f"outbox.entries.length === {count}")
        table.note(1, count)
        all_sent(table.page)
    # The line breaks, and is opened again where it broke.
    table.wire.switch(Mode.DOWN)
    mark_by_the_director(table)
    table.wire.switch(Mode.UP)
    wait_for(table.page, "outbox.entries.length === 6")
    table.note(1, 6)
    all_sent(table.page)
    tags = [entry["tag"] for entry in table.site.entries(table.match_id)[1:]]
    assert tags == [*["moment.marked", TAG] * 3]
    assert table.page.evaluate("outbox.parked.length") == 0


def test_the_wire_fails_again_and_again(table: Table) -> None:
    made = []
    modes = [Mode.DOWN, Mode.DROP_RESPONSE, Mode.BLACK_HOLE, Mode.DROP_RESPONSE]
    for turn in range(8):
        table.wire.switch(modes[turn % len(modes)])
        made += table.note(3, 10 * turn)
        table.wire.switch(Mode.UP)
        made += table.note(2, 10 * turn + 5)
    table.check(made)


@pytest.mark.parametrize("is_offline", [False, True], ids=["wire cut", "offline"])
def test_the_page_is_loaded_anew_without_a_network(table: Table, is_offline: bool) -> None:
    made = table.note(1, 0)
    all_sent(table.page)
    table.page.evaluate("() => { navigator.serviceWorker.register('/sw.js'); }")
    table.page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    table.wire.switch(Mode.DOWN)
    table.page.context.set_offline(is_offline)
    made += table.note(4, 1)
    table.page.reload()
    table.page.wait_for_function("() => globalThis.load !== undefined")
    start(table.page, table.match_id)
    assert table.page.evaluate("outbox.status.unsent") == 4
    assert shown(table.page)[1:] == [entry["body"] for entry in made]
    made += table.note(2, 5)
    shell = table.page.context.new_page()
    shell.goto("/tablet")
    assert "Tabularium" in shell.title()
    shell.close()
    table.page.context.set_offline(False)
    table.wire.switch(Mode.UP)
    table.check(made)


def test_the_wall_clock_jumps(table: Table) -> None:
    made = table.note(2, 0)
    for now in ("Date.UTC(1999, 0)", "Date.UTC(2099, 0)", "0"):
        table.page.evaluate(f"() => {{ const now = {now}; Date.now = () => now; }}")
        table.wire.switch(Mode.DOWN)
        made += table.note(2, len(made))
        table.wire.switch(Mode.UP)
        made += table.note(1, len(made))
        all_sent(table.page)
        assert 0 <= table.page.evaluate("outbox.status.ack_age_ms") < 60_000
    table.check(made)


JUMPY = """() => {
  const by = Number(localStorage.getItem("by") ?? 0);
  const now = Date.now.bind(Date);
  Date.now = () => now() + by;
  const { timeOrigin } = performance;
  Object.defineProperty(performance, "timeOrigin", { get: () => timeOrigin + by });
}"""
"""A clock that goes wrong by what the page has kept: the page sees nothing else of it."""

YEAR_MS = 31_536_000_000


def test_the_wall_clock_has_jumped_when_the_page_is_loaded_anew(table: Table) -> None:
    made = table.note(2, 0)
    all_sent(table.page)
    table.page.context.add_init_script(f"({JUMPY})()")
    for by in (10 * YEAR_MS, -40 * YEAR_MS, 0):
        table.wire.switch(Mode.DOWN)
        made += table.note(2, len(made))
        table.page.evaluate("(by) => localStorage.setItem('by', String(by))", by)
        table.wire.switch(Mode.UP)
        table.page.reload()
        table.page.wait_for_function("() => globalThis.load !== undefined")
        start(table.page, table.match_id)
        made += table.note(2, len(made))
        all_sent(table.page)
    table.check(made)
    rows = table.site.archive.store.journal_rows(LOG, limit=100)
    moments = [json.loads(row.submitted.raw)["occurred_at"] for row in rows]
    # What the device believed is kept as it was; the order is another thing.
    assert moments != sorted(moments)
    assert max(moments) - min(moments) > 40 * YEAR_MS


UNTIL_FULL = """async (tag) => {
  const refused = (work) => work.then(() => null, (error) => error.name);
  const fill = () => outbox.attach(new Blob([crypto.getRandomValues(new Uint8Array(20_000))]));
  for (let tries = 0; tries < 200 && !(await refused(fill())); tries += 1);
  for (let tries = 0; tries < 200; tries += 1) {
    const name = await refused(outbox.record(tag, { keeper: "one", at_ms: tries }));
    if (name) return name;
  }
  return "never full";
}"""


def test_a_storage_that_is_full_is_told_and_what_it_keeps_goes_on(
    new_context: NewContext, site: Site, proxy: Proxy
) -> None:
    context = new_context(expects_errors=True)
    page = open_device(context, proxy.url)
    session = context.new_cdp_session(page)
    quota = {"origin": proxy.url, "quotaSize": 500_000}
    session.send("Storage.overrideQuotaForOrigin", quota)
    match_id = site.open_match()
    with site.http(site.director) as director:
        pair(page, director, match_id)
    start(page, match_id)
    table = Table(page, match_id, proxy, site)
    proxy.switch(Mode.DOWN)
    table.note(3, 0)
    assert page.evaluate(UNTIL_FULL, TAG) == "StorageFailed"
    assert page.evaluate("outbox.status.alarm") == "storage-failed"
    made = page.evaluate(HOLDS)
    assert shown(page)[1:] == [entry["body"] for entry in made]
    session.send("Storage.overrideQuotaForOrigin", {"origin": proxy.url})
    made += table.note(2, 3)
    proxy.switch(Mode.UP)
    table.check(made)


def test_a_storage_that_is_evicted_under_a_page_is_told_and_what_was_sent_is_there(
    table: Table,
) -> None:
    made = table.note(3, 0)
    all_sent(table.page)
    session = table.page.context.new_cdp_session(table.page)
    session.send(
        "Storage.clearDataForOrigin", {"origin": table.wire.url, "storageTypes": "indexeddb"}
    )
    wait_for(table.page, "status.alarm === 'storage-lost'")
    refused = "() => outbox.record('moment.marked', {}).then(() => 'kept', (error) => error.name)"
    assert table.page.evaluate(refused) == "StorageFailed"
    assert server_says(table) == ids(made)
    table.page.reload()
    table.page.wait_for_function("() => globalThis.load !== undefined")
    with table.site.http(table.site.director) as director:
        pair(table.page, director, table.match_id)
    start(table.page, table.match_id)
    made += table.note(2, 3)
    all_sent(table.page)
    assert server_says(table) == ids(made)


def test_a_backlog_of_a_whole_evening_comes_in(table: Table) -> None:
    # The server may take longer for two hundred drafts than a flusher in a hurry waits.
    table.page.evaluate("outbox.close()")
    start(table.page, table.match_id, timing={**QUICK, "request_ms": 8_000})
    table.wire.switch(Mode.DOWN)
    bodies = notes(1_200)
    made = table.page.evaluate(
        "([tag, bodies]) => outbox.recordAll(bodies.map((body) => ({ tag, body })))", [TAG, bodies]
    )
    table.wire.switch(Mode.UP)
    table.check(made)


@GAMES
def test_a_game_through_all_that_goes_wrong_in_a_hall(
    new_context: NewContext, site: Site, proxy: Proxy, seed: int
) -> None:
    events = one_game(seed)
    match_id = site.open_match(length=2 if seed == SMALL else 1)
    page = new_context(base_url=proxy.url, expects_errors=True).new_page()
    open_tablet(page, site, match_id)
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    scribe = Scribe(page)

    def loaded_anew() -> None:
        # What the tablet says that it has kept, and has drawn, is what a reload has to bring.
        expect(page.locator('.tick.here[data-busy="false"]')).to_be_visible()
        draw(page)
        before = page.locator(".next").text_content()
        page.reload()
        expect(page.locator(".next")).to_have_text(str(before))

    plan: Iterator[Callable[[], None]] = itertools.cycle(
        [
            lambda: proxy.switch(Mode.DOWN),
            loaded_anew,
            lambda: proxy.switch(Mode.UP),
            lambda: proxy.switch(Mode.DROP_RESPONSE),
            lambda: page.context.set_offline(True),
            loaded_anew,
            lambda: page.context.set_offline(False),
            lambda: proxy.switch(Mode.BLACK_HOLE),
            lambda: proxy.switch(Mode.UP),
            lambda: None,
        ]
    )
    write_down(scribe, events, after_each=lambda: next(plan)())
    page.context.set_offline(False)
    proxy.switch(Mode.UP)
    expect(page.locator(".between")).to_be_visible()
    scribe.settle()
    assert facts(recorded_on(site, match_id)) == facts(events)
    made = site.entries(match_id)[1:]
    assert not [entry for entry in made if entry["tag"].startswith("entry.")]
    check_stream(site.archive, match_id, made)


# Two tablets and a director.


def director_says(table: Table, path: str, body: dict[str, Any]) -> Any:
    """A request of the director's; its answer."""
    with table.site.http(table.site.director) as director:
        answer = director.post(f"/logs/{LOG}/{path}", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def server_says(table: Table) -> list[str]:
    """Entry ids of the match at the server, without its opening."""
    return [entry["entry_id"] for entry in table.site.entries(table.match_id)[1:]]


def ids(made: list[Any]) -> list[str]:
    """Their entry ids."""
    return [entry["entry_id"] for entry in made]


def test_what_was_made_on_a_stale_base_waits_until_the_director_has_decided(table: Table) -> None:
    table.wire.switch(Mode.DOWN)
    made = table.note(4, 0)
    path = f"/logs/{LOG}/matches/{table.match_id}/events"
    entry = {"entry_id": str(uuid.uuid4()), "tag": TAG, "body": {"keeper": "two", "at_ms": 1}}
    with table.site.http(table.site.director) as director:
        sent = director.post(path, json={"entries": [entry]}, headers={"If-Match": '"1"'})
    assert sent.status_code == 201, sent.text
    table.wire.switch(Mode.UP)
    wait_for(table.page, "status.parked === 4 && status.unsent === 0")
    wait_for(table.page, "outbox.entries.length === 6")
    assert server_says(table) == [entry["entry_id"]]
    states = table.page.evaluate("outbox.entries.map((entry) => entry.state)")
    assert states == ["sent", "sent", *["parked"] * 4]

    with table.site.http(table.site.director) as director:
        [branch] = director.get(f"/logs/{LOG}/branches").json()["branches"]
    assert [item["entry_id"] for item in branch["items"]] == ids(made)
    order = {
        "match": table.match_id,
        "device": branch["device"],
        "accepted": ids(made[:3]),
        "set_aside": ids(made[3:]),
    }
    director_says(table, "branches/resolution", order)
    wait_for(table.page, "status.parked === 0 && outbox.entries.length === 5")
    assert ids(table.page.evaluate("outbox.entries.slice(1)")) == server_says(table)
    made = [entry, *made[:3], *table.note(3, 10)]
    all_sent(table.page)
    assert server_says(table) == ids(made)
    assert table.page.evaluate("outbox.status.parked") == 0


def test_a_tablet_that_was_taken_over_goes_on_locally_and_disturbs_nobody(
    table: Table, new_context: NewContext
) -> None:
    made = table.note(3, 0)
    all_sent(table.page)
    table.wire.switch(Mode.DOWN)
    lost = table.note(2, 3)
    second = open_device(new_context(), table.site.url)
    with table.site.http(table.site.director) as director:
        pair(second, director, table.match_id, takeover=True)
    start(second, table.match_id)
    wait_for(second, "outbox.entries.length === 4")
    made += record(second, *notes(3, 10), tag=TAG)
    all_sent(second)
    table.wire.switch(Mode.UP)
    wait_for(table.page, "status.role === 'none' && status.parked === 2 && status.unsent === 0")
    lost += table.note(1, 5)
    wait_for(table.page, "status.parked === 3")
    assert ids(table.page.evaluate("outbox.entries.slice(1)")) == [*ids(made[:3]), *ids(lost)]
    made += record(second, *notes(2, 20), tag=TAG)
    all_sent(second)
    assert server_says(table) == ids(made)
    assert second.evaluate("outbox.status.parked") == 0
    assert fsck(table.site.archive.store).findings == ()


def test_a_name_is_shown_where_it_may_be_and_is_in_no_draft(table: Table) -> None:
    [opening] = table.site.entries(table.match_id)
    body = {"target": opening["entry_id"], "note": "Ada disagrees"}
    record(table.page, body, tag="moment.marked")
    all_sent(table.page)
    assert table.page.evaluate("outbox.status.parked") == 0
    names = table.page.evaluate("outbox.entries[0].body.players.one[0].name")
    assert names == "Ada"
    [row] = table.site.archive.store.journal_rows(LOG, limit=10)
    assert b"Ada disagrees" not in row.submitted.raw
    [marked] = table.site.entries(table.match_id)[1:]
    assert marked["disclosures"] == {marked["body"]["note"]["sd"]: "Ada disagrees"}


def test_a_second_recorder_writes_a_stream_of_its_own(
    table: Table, new_context: NewContext
) -> None:
    made = table.note(2, 0)
    second = open_device(new_context(), table.site.url)
    with table.site.http(table.site.director) as director:
        device = pair(second, director, None)
    opened = director_says(table, "shadows", {"match": table.match_id, "device": device})
    start(second, opened["match_id"], role="shadow")
    beside = record(second, *notes(3, 5), tag=TAG)
    all_sent(second)
    table.check(made)
    assert ids(table.site.entries(opened["match_id"])[1:]) == ids(beside)


def test_a_pairing_goes_on_after_the_page_is_loaded_anew(
    new_context: NewContext, site: Site
) -> None:
    page = open_device(new_context(), site.url)
    with site.http(site.director) as director:
        code = director.post(f"/logs/{LOG}/pairings", json={}).json()
        claim(page, f" {code['code'].lower().replace('-', ' ')} ")
        page.reload()
        page.wait_for_function("() => globalThis.load !== undefined")
        [waiting] = director.get(f"/logs/{LOG}/pairings").json()["pairings"]
        assert waiting["fingerprint"] == page.evaluate(
            """async () => {
              const { openStore } = await load("device/store/store.js");
              const { currentEnrolment } = await load("device/pairing.js");
              globalThis.store = await openStore();
              return (await currentEnrolment(store)).fingerprint;
            }"""
        )
        path = f"/logs/{LOG}/pairings/{code['pairing_id']}/approval"
        assert director.post(path, json={}).status_code == 201
    assert approved(page)


def test_a_device_that_lost_its_storage_goes_on_under_the_next_epoch(table: Table) -> None:
    made = table.note(3, 0)
    all_sent(table.page)
    table.page.evaluate(
        """async () => {
          outbox.close();
          const gone = new Promise((resolve, reject) => {
            const request = indexedDB.deleteDatabase("tabularium-device");
            request.onsuccess = resolve;
            request.onerror = reject;
          });
          await gone;
        }"""
    )
    with table.site.http(table.site.director) as director:
        pair(table.page, director, table.match_id)
    start(table.page, table.match_id)
    assert ids(table.page.evaluate("outbox.entries.slice(1)")) == ids(made)
    made += table.note(2, 3)
    all_sent(table.page)
    assert server_says(table) == ids(made)
    rows = table.site.archive.store.journal_rows(LOG, limit=10)
    assert [(row.submitted.epoch, row.submitted.device_seq) for row in rows] == [
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 1),
        (2, 2),
    ]
    assert len({row.submitted.device for row in rows}) == 1
    wait_for(table.page, "status.alarm === null && status.link === 'online'")


def test_a_photo_taken_without_a_network_reaches_the_server(table: Table) -> None:
    table.wire.switch(Mode.DOWN)
    digest = table.page.evaluate(
        "() => outbox.attach(new Blob(['dice on the rail'], { type: 'image/png' }))"
    )
    table.wire.switch(Mode.UP)
    path = f"/logs/{LOG}/files/{digest}"
    with table.site.http(table.site.director) as director:
        wait_until(table.page, lambda: director.get(path).status_code == 200)
        assert director.get(path).content == b"dice on the rail"
    wait_for(table.page, "status.alarm === null")


def fingerprint_of(sealed: bytes) -> bytes:
    """What a retry of an entry's draft is known by."""
    members = json.loads(sealed)
    draft = EventDraft(
        entry_id=members["entry_id"],
        tag=members["tag"],
        schema=members["schema"],
        basis=Basis(members["basis"]),
        body=canonical(members["body"]),
    )
    return fingerprint(members["log"], members["stream"], draft)


def rewritten(original: Path, copy: Path, match_id: str) -> None:
    """Copy an archive, and change the length of a match that has only been opened.

    With every hash made to fit: nothing in the copy itself shows that it is not the original.
    """
    with (
        contextlib.closing(sqlite3.connect(original)) as source,
        contextlib.closing(sqlite3.connect(copy)) as db,
    ):
        source.backup(db)
        guards = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        triggers = db.execute(guards).fetchall()
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        key = (LOG, match_id)
        entry = "log_id = ? AND stream_id = ?"
        [[sealed]] = db.execute(f"SELECT sealed FROM event WHERE {entry}", key).fetchall()
        forged = sealed.replace(b'"length":5', b'"length":7')
        assert forged != sealed
        leaf = merkle.leaf_hash(forged)
        columns = (forged, leaf, fingerprint_of(forged))
        update = "UPDATE event SET sealed = ?, leaf_hash = ?, draft_sha256 = ?"
        db.execute(f"{update} WHERE {entry}", (*columns, *key))
        db.execute(f"UPDATE stream_head SET head_hash = ? WHERE {entry}", (leaf, *key))
        frontier: list[bytes] = []
        hashes = "SELECT leaf_hash FROM event WHERE log_id = ? ORDER BY global_position"
        for size, (each,) in enumerate(db.execute(hashes, (LOG,))):
            merkle.push(frontier, size, each)
        column = b"".join(frontier)
        db.execute("UPDATE log_head SET frontier = ? WHERE log_id = ?", (column, LOG))
        for _, sql in triggers:
            db.execute(sql)
        db.commit()


@pytest.mark.parametrize("is_signed", [False, True])
def test_a_rewritten_archive_in_the_place_of_the_true_one_is_told_by_the_tablet(
    table: Table, tmp_path: Path, is_signed: bool
) -> None:
    table.site.open_match("other")
    made = table.note(3, 0)
    all_sent(table.page)
    table.wire.switch(Mode.DOWN)
    copy = tmp_path / "rewritten.sqlite"
    rewritten(Path(table.site.archive.url.removeprefix("sqlite:///")), copy, "other")
    keyring = Keyring(tmp_path / "keys") if is_signed else None
    archive = open_archive(f"sqlite:///{copy}", keyring=keyring)
    if archive.signing is not None:
        assert archive.signing.keep(LOG) is not None, "a valid signature saves nobody"
    served = Served(archive)
    try:
        assert fsck(archive.store).findings == ()
        table.wire.target = served.port
        table.wire.switch(Mode.UP)
        made += table.note(2, 3)
        wait_for(table.page, "status.alarm === 'history-rewritten'")
        assert table.page.evaluate("outbox.alarm_reason") == "no_proof"
        assert table.page.evaluate("outbox.status.unsent") == 2
        made += table.note(1, 5)
        table.page.evaluate("outbox.flush()")
        assert table.page.evaluate("outbox.status.unsent") == 3
        assert shown(table.page)[1:] == [entry["body"] for entry in made]
    finally:
        served.stop()
        archive.close()
    table.wire.target = int(table.site.url.rsplit(":", 1)[1])
    table.page.reload()
    table.page.wait_for_function("() => globalThis.load !== undefined")
    start(table.page, table.match_id)
    table.check(made)


def test_the_scribe_reads_that_the_archive_was_rewritten(
    new_context: NewContext, site: Site
) -> None:
    page = new_context(viewport={"width": 1024, "height": 768}).new_page()
    open_tablet(page, site, site.open_match())
    scribe = Scribe(page)
    start_game(scribe)
    scribe.settle()
    expect(page.locator(".alarm")).to_be_hidden()

    def forge(route: Route) -> None:
        answer = route.fetch()
        told = answer.json()
        told["checkpoint"]["root"] = "0" * 64
        route.fulfill(response=answer, json=told)

    page.route("**/ingest", forge)
    scribe.opening(3, 1)
    words = "The archive cannot prove that it is unchanged: tell the director"
    expect(page.locator(".alarm")).to_have_text(words)
    ends = page.locator(".bar .badge.role").evaluate("(e) => e.getBoundingClientRect().right")
    begins = page.locator(".bar .ways").evaluate("(e) => e.getBoundingClientRect().left")
    assert ends <= begins
    check_axe(page)
    shot(page, "history-rewritten")


def test_what_is_exported_is_taken_in_by_the_door(table: Table) -> None:
    table.wire.switch(Mode.DOWN)
    made = table.note(3, 0)
    exported = json.loads(table.page.evaluate("outbox.exportUnsent().then((file) => file.text())"))
    token = table.page.evaluate(
        """async () => {
          const { openStore } = await load("device/store/store.js");
          return (await (await openStore()).identity()).token;
        }"""
    )
    with table.site.http(token) as by_hand:
        for submission in exported["submissions"]:
            answer = by_hand.post(f"/logs/{LOG}/ingest", json=submission)
            assert answer.status_code == 200, answer.text
    assert server_says(table) == ids(made)
    table.wire.switch(Mode.UP)
    table.check(made)


# A browser that is killed has no context to clean up: it is a process of its own.


class Killable:
    """A browser with a profile on disk that a test may kill."""

    def __init__(self, driver: Playwright, profile: Path) -> None:
        self.profile = profile
        port_file = profile / "DevToolsActivePort"
        port_file.unlink(missing_ok=True)
        path = chromium_path()
        assert path is not None
        self.process = subprocess.Popen(
            [
                path,
                *CHROMIUM_ARGS,
                "--headless=new",
                "--remote-debugging-port=0",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if line.startswith("DevTools listening on "):
                break
        else:
            raise RuntimeError("the browser ended before it was there")
        address = line.removeprefix("DevTools listening on ").strip()
        self.browser = driver.chromium.connect_over_cdp(address)

    @property
    def context(self) -> BrowserContext:
        """The profile's own context, which is what persists."""
        return self.browser.contexts[0]

    def kill(self) -> None:
        """End the browser and all its helpers, as a battery does that is pulled out."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.fixture
def browsers(playwright_driver: Playwright, tmp_path: Path) -> Iterator[Callable[[], Killable]]:
    """Starts the browser of one profile, again after it was killed."""
    started: list[Killable] = []
    profile = tmp_path / "profile"

    def start_browser() -> Killable:
        # What a killed browser leaves to say that the profile is in use.
        for left in profile.glob("Singleton*"):
            left.unlink()
        started.append(Killable(playwright_driver, profile))
        return started[-1]

    yield start_browser
    for one in started:
        one.kill()
    shutil.rmtree(profile, ignore_errors=True)


@pytest.mark.parametrize("is_sent", [False, True], ids=["unsent", "sent"])
def test_the_browser_is_killed_right_after_a_record(
    browsers: Callable[[], Killable], site: Site, proxy: Proxy, is_sent: bool
) -> None:
    match_id = site.open_match()
    browser = browsers()
    page = open_device(browser.context, proxy.url)
    with site.http(site.director) as director:
        pair(page, director, match_id)
    start(page, match_id)
    proxy.switch(Mode.DROP_RESPONSE if is_sent else Mode.DOWN)
    made = record(page, *notes(7), tag=TAG)
    if is_sent:
        wait_until(page, lambda: len(site.entries(match_id)) > 1)
    browser.kill()
    proxy.switch(Mode.UP)
    page = open_device(browsers().context, proxy.url)
    start(page, match_id)
    made += record(page, *notes(3, first=7), tag=TAG)
    all_sent(page)
    check_stream(site.archive, match_id, made)


WRITE_ON = """([tag, first]) => {
  const write = async () => {
    for (let number = first; ; number += 1) {
      const { entry_id } = await outbox.record(tag, { keeper: "one", at_ms: number });
      console.log(`kept ${entry_id}`);
    }
  };
  write();
}"""


def write_on(page: Page, *, first: int, least: int) -> list[str]:
    """Let the page record without end; what it has said once that is enough."""
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.evaluate(WRITE_ON, [TAG, first])
    wait_until(page, lambda: len(told) >= least)
    return told


@pytest.mark.parametrize("deaths", [3, pytest.param(30, marks=pytest.mark.long)])
def test_the_browser_is_killed_again_and_again_while_it_writes(
    browsers: Callable[[], Killable], site: Site, proxy: Proxy, deaths: int
) -> None:
    match_id = site.open_match()
    browser = browsers()
    page = open_device(browser.context, proxy.url)
    with site.http(site.director) as director:
        pair(page, director, match_id)
    start(page, match_id)
    kept: list[str] = []
    modes = itertools.cycle([Mode.UP, Mode.DOWN, Mode.DROP_RESPONSE])
    for death in range(deaths):
        proxy.switch(next(modes))
        told = write_on(page, first=1_000 * death, least=5 + 7 * death)
        browser.kill()
        kept += [text.removeprefix("kept ") for text in told if text.startswith("kept ")]
        proxy.switch(Mode.UP)
        browser = browsers()
        page = open_device(browser.context, proxy.url)
        start(page, match_id)
        held = [entry["entry_id"] for entry in page.evaluate(HOLDS)]
        # What was durable without having been told yet comes behind it, before the next life's.
        assert [one for one in held if one in kept] == kept
        kept = held
    all_sent(page)
    made = page.evaluate(HOLDS)
    assert [entry["entry_id"] for entry in made] == kept
    check_stream(site.archive, match_id, made)


TORN = struct.pack("<IHB", 0xDEAD, 100, 1)
"""A record of LevelDB of which only the header was written: checksum, length, type."""


def tear(profile: Path) -> None:
    """Leave the browser's database as a death between two writes of one record leaves it."""
    files = sorted(profile.glob("Default/IndexedDB/*.leveldb/*.log"))
    with files[-1].open("ab") as newest:
        newest.write(TORN)


def test_a_record_that_a_death_has_torn_takes_nothing_with_it_two_starts_later(
    browsers: Callable[[], Killable], site: Site, proxy: Proxy
) -> None:
    match_id = site.open_match()
    browser = browsers()
    page = open_device(browser.context, proxy.url)
    with site.http(site.director) as director:
        pair(page, director, match_id)
    start(page, match_id)
    proxy.switch(Mode.DOWN)
    made: list[Any] = []
    for life in range(4):
        made += record(page, *notes(5, first=5 * life), tag=TAG)
        browser.kill()
        tear(browser.profile)
        # The wire brings the page and its modules; nothing is sent before the end.
        proxy.switch(Mode.UP)
        browser = browsers()
        page = open_device(browser.context, proxy.url)
        page.evaluate("load('device/outbox.js').then(() => null)")
        proxy.switch(Mode.DOWN)
        open_outbox(page, log_id=LOG, match_id=match_id)
        assert page.evaluate("outbox.entries.slice(1).map(({ entry_id }) => entry_id)") == [
            entry["entry_id"] for entry in made
        ]
    proxy.switch(Mode.UP)
    all_sent(page)
    check_stream(site.archive, match_id, made)


@pytest.mark.parametrize("torn", ["database", "copy"])
def test_of_two_copies_of_what_is_unsent_each_is_enough(
    browsers: Callable[[], Killable], site: Site, proxy: Proxy, torn: str
) -> None:
    match_id = site.open_match()
    browser = browsers()
    page = open_device(browser.context, proxy.url)
    with site.http(site.director) as director:
        pair(page, director, match_id)
    start(page, match_id)
    made = record(page, *notes(2), tag=TAG)
    all_sent(page)
    wait_until(page, lambda: copied(page) == 0)
    proxy.switch(Mode.DOWN)
    made += record(page, *notes(60, first=2), tag=TAG)
    wait_until(page, lambda: copied(page) == 60)
    browser.kill()
    default = browser.profile / "Default"
    for path in default.glob("IndexedDB/*" if torn == "database" else "File System/*"):
        for file in [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]:
            file.write_bytes(b"torn" * 64)
    proxy.switch(Mode.UP)
    page = browsers().context.new_page()
    page.goto(f"{proxy.url}/tablet")
    if torn == "database":
        expect(page.get_by_role("alert")).to_contain_text(
            "A second copy of 60 entries was still here, and has been sent to the server now"
        )
        assert copied(page) == 0
    wait_until(page, lambda: len(site.entries(match_id)) > len(made))
    check_stream(site.archive, match_id, made)


class Mortal:
    """A server in a process of its own, on one archive; killed and started again by a test."""

    def __init__(self, url: str, home: Path) -> None:
        self.url = url
        self._nursery = Nursery(home)
        self._pid: int | None = None

    def start(self) -> int:
        """Begin to serve; the port."""
        self._pid, port = self._nursery.start(self.url)
        return port

    def kill(self) -> None:
        """End it in the middle of whatever it does."""
        if self._pid is not None:
            self._nursery.kill(self._pid)
            self._pid = None

    def close(self) -> None:
        """End it for good."""
        self.kill()
        process = self._nursery.process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.wait(timeout=30)
        process.stdout.close()


@pytest.fixture
def mortal(sqlite_url: str, tmp_path: Path) -> Iterator[Mortal]:
    """A server that is not running yet."""
    server = Mortal(sqlite_url, tmp_path / "home")
    yield server
    server.close()


def test_the_server_is_killed_and_started_again(
    mortal: Mortal, sqlite_url: str, chromium: Browser
) -> None:
    archive = open_archive(sqlite_url)
    archive.open_tournament(LOG, "Lantern Open")
    director, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
    archive.close()
    wire = Proxy(mortal.start())
    headers = {"Authorization": f"Bearer {director}"}
    client = httpx.Client(base_url=wire.url, headers=headers, timeout=30)
    context = chromium.new_context(base_url=wire.url)
    try:
        opened = {"players": {"one": [{"name": "Ada"}], "two": [{"name": "Ben"}]}, "length": 5}
        match_id = client.post(f"/logs/{LOG}/matches", json={"opened": opened}).json()["match_id"]
        page = open_device(context, wire.url)
        pair(page, client, match_id)
        start(page, match_id)
        made: list[Any] = []
        for _ in range(3):
            made += record(page, *notes(8, first=len(made)), tag=TAG)
            mortal.kill()
            made += record(page, *notes(8, first=len(made)), tag=TAG)
            wait_for(page, "status.link === 'offline' && status.unsent >= 8")
            wire.target = mortal.start()
        all_sent(page)
        mortal.kill()
        archive = open_archive(sqlite_url)
        check_stream(archive, match_id, made)
        archive.close()
    finally:
        context.close()
        client.close()
        wire.close()
