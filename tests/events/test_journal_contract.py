"""The promise of `JournalStore`, claim by claim, over memory, SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import msgspec
import orjson
import pytest
from alembic import command

import migrations
from events.canonical import canonical
from events.errors import (
    EntryIdReused,
    LedgerError,
    NoSuchLog,
    PremiseMoved,
    StoreFailed,
    TooLarge,
)
from events.personal import commitment_of
from events.store.address import parse_address
from events.store.fsck import FINDING_CODES, fsck
from events.store.journal import (
    Cursor,
    Intake,
    KeptDrafts,
    Outcome,
    ParkedAt,
    Reason,
    Submitted,
    Verdict,
)
from events.store.loop_writer import LoopWriter
from events.store.opening import open_store
from events.store.protocol import Unit
from events.store.writer import Writer
from migrations.scripts import config


class Chain:
    """A device's chain: makes drafts, and the intakes that take them in."""

    def __init__(self, make_draft, device="t1") -> None:
        self.make_draft = make_draft
        self.cursor = Cursor(device, 1)

    def draft(self, stream="m", **more):
        """The next draft of the chain: (entry around it, its bytes as submitted)."""
        made = self.make_draft(**more)
        raw = canonical(
            {
                "body": orjson.loads(made.body),
                "basis": made.basis.value,
                "device": self.cursor.device,
                "device_prev": self.cursor.last_hash.hex() or None,
                "device_seq": self.cursor.last_seq + 1,
                "entry_id": made.entry_id,
                "epoch": 1,
                "schema": made.schema,
                "stream": stream,
                "tag": made.tag,
            }
        )
        digest = hashlib.sha256(raw).digest()
        submitted = Submitted(
            device=self.cursor.device,
            epoch=1,
            device_seq=self.cursor.last_seq + 1,
            entry_id=made.entry_id,
            stream_id=stream,
            raw=raw,
            raw_sha256=digest,
            signature=b"",
            signature_state="absent",
            received_at=1_800_000_000_000,
        )
        return msgspec.structs.replace(made, draft_sha256=digest), submitted

    def intake(self, *drafts, premises=None, **more):
        """Everything accepted, in one unit for each draft."""
        before = self.cursor
        if drafts:
            last = drafts[-1][1]
            self.cursor = Cursor(before.device, 1, last.device_seq, last.raw_sha256)
        fields = {
            "log_id": "club",
            "premises": premises or {},
            "verdicts": tuple(
                Verdict(submitted=sent, outcome=Outcome.ACCEPTED, stream_version=0)
                for _, sent in drafts
            ),
            "units": tuple(
                Unit(log_id="club", stream_id=sent.stream_id, drafts=(entry,))
                for entry, sent in drafts
            ),
            "cursor": (before, self.cursor),
        }
        return Intake(**{**fields, **more})

    def parked(self, draft, reason=Reason.VERSION_MISMATCH):
        """One draft that became no entry; its disclosures are kept beside the journal."""
        entry, sent = draft
        verdict = Verdict(
            submitted=sent,
            outcome=Outcome.STREAM_CONFLICT,
            reason=reason,
            stream_version=4,
            disclosures=entry.disclosures,
        )
        return self.intake(draft, verdicts=(verdict,), units=())


@pytest.fixture
def chain(make_draft):
    return Chain(make_draft)


def grown(chain, size, **more):
    """So many drafts of one chain."""
    made = []
    start = chain.cursor
    for _ in range(size):
        made.append(chain.draft(**more))
        chain.cursor = Cursor("t1", 1, made[-1][1].device_seq, made[-1][1].raw_sha256)
    chain.cursor = start
    return made


def test_drafts_entries_cursor_and_outcomes_come_together(store, chain):
    drafts = grown(chain, 3)
    taken = store.take_in(chain.intake(*drafts, premises={"m": 0}))
    assert taken.journal_ids == (1, 2, 3)
    assert [answer.events[0].version for answer in taken.appended] == [1, 2, 3]
    rows = store.journal_rows("club", limit=10)
    assert [row.submitted for row in rows] == [sent for _, sent in drafts]
    assert [(row.outcome, row.reason, row.global_position) for row in rows] == [
        (Outcome.ACCEPTED, None, at) for at in range(3)
    ]
    assert store.device_cursor("club", "t1", 1) == chain.cursor
    assert store.device_cursors("club") == [chain.cursor]
    assert [row.entry_id for row in store.read_stream("club", "m")] == [
        entry.entry_id for entry, _ in drafts
    ]
    assert fsck(store).findings == ()


def test_a_retry_must_repeat_the_bytes_that_the_device_signed(store, chain, make_draft):
    [draft] = grown(chain, 1)
    store.take_in(chain.intake(draft))
    entry, _ = draft
    assert store.append("club", "m", [entry]).duplicate
    with pytest.raises(EntryIdReused):
        store.append("club", "m", [plain(entry)])


def plain(entry):
    """The same entry as somebody would post it who is no device."""
    return msgspec.structs.replace(entry, draft_sha256=None)


def test_a_stream_that_has_moved_on_is_no_ground_to_write_on(store, chain, make_draft):
    drafts = grown(chain, 2)
    store.append("club", "m", [make_draft()])
    intake = chain.intake(*drafts, premises={"m": 0})
    with pytest.raises(PremiseMoved):
        store.take_in(intake)
    check_nothing(store, size=1)


def test_a_stream_that_is_only_looked_at_must_stand_too(store, chain, make_draft):
    drafts = grown(chain, 2)
    store.append("club", "tournament", [make_draft()])
    with pytest.raises(PremiseMoved):
        store.take_in(chain.intake(*drafts, premises={"tournament": 0}))
    check_nothing(store, size=1)


def test_a_stream_that_was_opened_since_is_no_ground_to_write_on(store, chain, make_draft):
    intake = chain.intake(*grown(chain, 2), streams=len(store.streams("club")))
    store.append("club", "m2", [make_draft()])
    with pytest.raises(PremiseMoved):
        store.take_in(intake)
    check_nothing(store, size=1)
    store.take_in(msgspec.structs.replace(intake, streams=len(store.streams("club"))))


def test_a_chain_that_has_moved_on_is_no_ground_to_write_on(store, chain):
    one, two = grown(chain, 2)
    store.take_in(chain.intake(one))
    again = Chain(chain.make_draft).intake(two)
    with pytest.raises(PremiseMoved):
        store.take_in(again)
    assert store.journal_size("club") == 1
    assert store.log_head("club").size == 1


def test_an_entry_that_is_there_already_stops_all_of_it(store, chain):
    one, two = grown(chain, 2)
    store.append("club", "m", [plain(two[0])])
    with pytest.raises(PremiseMoved):
        store.take_in(chain.intake(one, two))
    check_nothing(store, size=1)


def test_a_unit_that_cannot_be_sealed_leaves_nothing_of_those_before_it(store, chain):
    one = chain.draft()
    chain.cursor = Cursor("t1", 1, 1, one[1].raw_sha256)
    large = chain.draft(body=canonical({"text": "x" * 65_400}))
    chain.cursor = Cursor("t1", 1)
    with pytest.raises(TooLarge):
        store.take_in(chain.intake(one, large))
    check_nothing(store, size=0)


def check_nothing(store, *, size):
    assert store.journal_size("club") == 0
    assert store.journal_rows("club", limit=9) == []
    assert store.device_cursor("club", "t1", 1) is None
    assert store.log_head("club").size == size
    assert fsck(store).findings == ()


def test_a_log_that_is_not_there_takes_nothing_in(store, chain):
    with pytest.raises(NoSuchLog):
        store.take_in(chain.intake(*grown(chain, 1), log_id="nowhere", units=()))


def test_a_fork_is_written_down_and_moves_no_cursor(store, chain):
    [one] = grown(chain, 1)
    _, sent = one
    fork = Verdict(submitted=sent, outcome=Outcome.DEVICE_FORK, reason=Reason.PREV_MISMATCH)
    store.take_in(chain.intake(verdicts=(fork,)))
    assert store.device_cursors("club") == []
    [row] = store.submitted("club", [sent.entry_id])
    assert (row.outcome, row.reason) == (Outcome.DEVICE_FORK, Reason.PREV_MISMATCH)
    assert fsck(store).findings == ()


def test_what_cannot_be_read_is_found_by_its_hash(store, chain):
    _, sent = chain.draft()
    raw = b"\xff\x00"
    digest = hashlib.sha256(raw).digest()
    odd = msgspec.structs.replace(
        sent, raw=raw, raw_sha256=digest, entry_id="", stream_id=None, device_seq=0
    )
    fork = Verdict(
        submitted=odd,
        outcome=Outcome.DEVICE_FORK,
        reason=Reason.UNREADABLE,
    )
    store.take_in(chain.intake(verdicts=(fork,)))
    found = store.unreadable("club", digest)
    assert found is not None
    assert found.submitted.raw == raw
    assert store.kept_of("club", sent.device) == KeptDrafts(1, len(raw))
    assert store.unreadable("club", b"0" * 32) is None
    assert fsck(store).findings == ()


def test_a_parked_draft_keeps_its_disclosures_until_it_becomes_an_entry(store, chain):
    draft = chain.draft(name="Ada")
    entry, sent = draft
    store.take_in(chain.parked(draft))
    [row] = store.parked("club")
    assert (row.submitted, row.reason, row.stream_version) == (sent, Reason.VERSION_MISMATCH, 4)
    at = ParkedAt(sent.entry_id, sent.stream_id, sent.device, sent.epoch)
    assert store.parked_at("club") == [at]
    beside = sum(map(len, entry.disclosures))
    assert store.kept_of("club", sent.device) == KeptDrafts(1, len(sent.raw) + beside)
    assert store.kept_of("club", "another") == KeptDrafts(0, 0)
    assert store.disclosures_of("club", [-1]) == {-1: list(entry.disclosures)}
    # It opens nothing in any entry yet.
    assert store.disclosures("club", [commitment_of(entry.disclosures[0])]) == {}
    assert fsck(store).findings == ()
    unit = Unit(log_id="club", stream_id="m", drafts=(entry,))
    store.take_in(Intake(log_id="club", premises={"m": 0}, units=(unit,), released=(1,)))
    assert store.disclosures_of("club", [-1]) == {}
    assert len(store.disclosures("club", [commitment_of(entry.disclosures[0])])) == 1
    # It has become an entry, and nobody has said so yet.
    assert [one.code for one in fsck(store).findings] == ["journal-outcome"]
    resolved = canonical({"accepted": [sent.entry_id], "match": "m", "set_aside": []})
    said = chain.make_draft(tag="branch.resolved", body=resolved)
    store.append("club", "tournament", [said])
    assert fsck(store).findings == ()


def test_a_value_is_erased_wherever_it_is_kept(store, chain):
    draft = chain.draft(name="Ada")
    store.take_in(chain.parked(draft))
    [raw] = draft[0].disclosures
    assert store.erase_disclosure("club", commitment_of(raw))
    assert store.disclosures_of("club", [-1]) == {}
    assert not store.erase_disclosure("club", commitment_of(raw))
    assert fsck(store).findings == ()


def test_logs_count_their_journals_apart(store, chain, make_draft):
    store.open_log("open")
    store.take_in(chain.intake(*grown(chain, 2)))
    other = Chain(make_draft)
    [draft] = grown(other, 1)
    unit = Unit(log_id="open", stream_id="m", drafts=(draft[0],))
    taken = store.take_in(other.intake(draft, log_id="open", units=(unit,)))
    assert taken.journal_ids == (1,)
    assert (store.journal_size("club"), store.journal_size("open")) == (2, 1)


def test_devices_and_directors_who_write_at_once_leave_no_gap(store, make_draft):
    def device(number):
        chain = Chain(make_draft, f"t{number}")
        for _ in range(15):
            draft = chain.draft(stream=f"m{number}")
            intake = chain.intake(draft)
            while True:
                try:
                    store.take_in(intake)
                except PremiseMoved:
                    continue
                break

    def director(_):
        for _ in range(15):
            store.append("club", "tournament", [make_draft()])

    with ThreadPoolExecutor(5) as threads:
        list(threads.map(lambda at: device(at) if at < 4 else director(at), range(5)))
    assert store.log_head("club").size == 75
    assert store.journal_size("club") == 60
    assert [cursor.last_seq for cursor in store.device_cursors("club")] == [15] * 4
    assert fsck(store).findings == ()


# The writers.


async def test_a_writer_takes_in_and_tells_before_it_answers(store, chain):
    heard = []
    made = Writer(store, on_committed=heard.extend)
    taken = await made.take_in(chain.intake(*grown(chain, 2)))
    assert heard == list(taken.appended)
    with pytest.raises(NoSuchLog):
        await made.take_in(chain.intake(log_id="nowhere"))
    made.stop()


async def test_a_loop_takes_in_between_the_groups_of_units(sqlite_url, chain, make_draft):
    store = open_store(sqlite_url)
    store.open_log("club")
    heard = []
    writer = LoopWriter(store, on_committed=heard.extend)
    units = [
        writer.append(Unit(log_id="club", stream_id="n", drafts=(make_draft(),))) for _ in range(10)
    ]
    taken, *appended = await asyncio.gather(writer.take_in(chain.intake(*grown(chain, 3))), *units)
    places = [event.global_position for answer in heard for event in answer.events]
    assert places == list(range(13))
    assert len(taken.appended) + len(appended) == 13
    with pytest.raises(NoSuchLog):
        await writer.take_in(chain.intake(log_id="nowhere"))
    waiting = writer.take_in(chain.intake(*grown(chain, 2)))
    writer.stop()
    assert len((await waiting).appended) == 2
    assert fsck(store).findings == ()
    store.close()


class Broken:
    """A store that fails in a way that nobody foresaw."""

    def take_in(self, intake: Intake):
        raise ZeroDivisionError

    def append_units(self, units):
        raise ZeroDivisionError

    def stage_units(self, units):
        raise ZeroDivisionError


@pytest.mark.parametrize("kind", [Writer, LoopWriter])
async def test_an_unforeseen_failure_is_answered_and_ends_nothing(kind, chain):
    writer = kind(Broken())
    for _ in range(2):
        with pytest.raises(StoreFailed):
            await writer.take_in(chain.intake())
    writer.stop()
    with pytest.raises(LedgerError, match="closing"):
        await writer.take_in(chain.intake())


# fsck reads the journal too.


@pytest.fixture
def path(sqlite_url, chain):
    """An archive with a journal of accepted and parked drafts and a fork, its guards taken away."""
    store = open_store(sqlite_url)
    store.open_log("club")
    store.take_in(chain.intake(*grown(chain, 4)))
    store.take_in(chain.parked(chain.draft(name="Ada")))
    _, sent = chain.draft()
    fork = Verdict(submitted=sent, outcome=Outcome.DEVICE_FORK, reason=Reason.SEQ_REUSED)
    store.take_in(chain.intake(verdicts=(fork,)))
    assert fsck(store).findings == ()
    store.close()
    where = parse_address(sqlite_url).path
    db = sqlite3.connect(where)
    triggers = [n for (n,) in db.execute("SELECT name FROM sqlite_schema WHERE type='trigger'")]
    for trigger in triggers:
        db.execute(f"DROP TRIGGER {trigger}")
    db.commit()
    db.close()
    return where


CHANGES = """
UPDATE journal SET raw = x'7b7d' WHERE id = 2 -> journal-hash journal-column journal-chain
UPDATE journal SET raw_sha256 = zeroblob(32) WHERE id = 2 -> journal-hash journal-outcome
UPDATE journal SET raw_sha256 = zeroblob(32) WHERE id = 2 -> journal-chain draft-hash
UPDATE journal SET device_seq = 9 WHERE id = 2 -> journal-column journal-chain
UPDATE journal SET device = 't9' WHERE id = 2 -> journal-column journal-chain device-cursor
UPDATE journal SET stream_id = 'n' WHERE id = 5 -> journal-column
UPDATE journal SET entry_id = 'x' WHERE id = 3 -> journal-column journal-outcome draft-hash
DELETE FROM journal_outcome WHERE journal_id = 3 -> journal-gap journal-chain
DELETE FROM journal_outcome WHERE journal_id = 6 -> journal-gap
DELETE FROM journal WHERE id = 4 -> journal-gap journal-chain
DELETE FROM journal -> draft-hash device-cursor disclosure-place
UPDATE journal_outcome SET global_position = 0 WHERE journal_id = 3 -> journal-outcome
UPDATE journal_outcome SET global_position = NULL WHERE journal_id = 3 -> journal-outcome
UPDATE journal_outcome SET outcome = 'device_fork' WHERE journal_id = 5 -> device-cursor
UPDATE journal_outcome SET outcome = 'nonsense' WHERE journal_id = 5 -> unreadable
UPDATE journal_outcome SET outcome = 'gap' WHERE journal_id = 6 -> journal-outcome
UPDATE journal_outcome SET reason = NULL WHERE journal_id = 5 -> journal-outcome
UPDATE journal_outcome SET reason = 'seq_reused' WHERE journal_id = 5 -> journal-outcome
REPLACE INTO journal_outcome VALUES ('club', 3, 'stream_conflict', 'bad_body', NULL, 0) -> \
journal-outcome
UPDATE journal SET signature_state = 'good' WHERE id = 5 -> journal-signature
UPDATE journal SET signature_state = 'bad' WHERE id = 5 -> journal-signature
UPDATE device_cursor SET last_seq = 4 -> device-cursor
UPDATE device_cursor SET last_seq = 6 -> device-cursor
UPDATE device_cursor SET last_hash = zeroblob(32) -> device-cursor
DELETE FROM device_cursor -> device-cursor
INSERT INTO device_cursor VALUES ('club', 't9', 1, 1, zeroblob(32)) -> device-cursor
UPDATE disclosure SET global_position = -4 WHERE class = 'journal' -> disclosure-place
UPDATE disclosure SET global_position = -9 WHERE class = 'journal' -> disclosure-place
UPDATE disclosure SET raw = x'5b5d' WHERE class = 'journal' -> disclosure-hash
INSERT INTO device_cursor VALUES ('ghost', 't9', 1, 1, zeroblob(32)) -> log-head device-cursor
"""


@pytest.mark.parametrize("line", CHANGES.strip().splitlines())
def test_every_change_of_the_journal_is_found(path, line):
    change, expected = line.split(" -> ")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(change)
    db.close()
    store = open_store(str(path), read_only=True)
    found = {finding.code for finding in fsck(store).findings}
    store.close()
    assert set(expected.split()) <= found
    assert found <= FINDING_CODES.keys()


def test_an_archive_of_the_first_revision_is_brought_up_to_date(tmp_path):
    url = f"sqlite:///{tmp_path / 'old.sqlite'}"
    command.upgrade(config(url), "0001")
    assert migrations.current(url) == "0001"
    assert migrations.upgrade(url)
    store = open_store(url)
    store.open_log("club")
    assert store.parked("club") == []
    store.close()
