"""However a device's drafts are sent again, reordered or doubled: in the end each is there once."""

from __future__ import annotations

import asyncio
import base64

import hypothesis.strategies as st
import orjson
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from api.archive.archive import Archive, open_archive, token_hash
from api.desk.batch import Result
from api.desk.desk import Desk
from api.desk.drafts import Item
from api.desk.entries import EntryIn
from api.desk.hand import Hand
from api.desk.intake import Ingest
from api.desk.leases import Leasing
from api.desk.parked import Branches, Order
from events.envelope import NO_STREAM, TOURNAMENT_STREAM
from events.payloads.access import Role
from events.payloads.match import MatchOpened
from events.store.fsck import fsck
from events.store.journal import Outcome
from events.values import BySeat
from tests.api.devices import Sent, Tablet, raw_of

LOG = "club"
STREAMS = ("m1", "m2")


class Submitting(RuleBasedStateMachine):
    """A tablet records two matches, and its batches go lost, twice, late and in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.archive: Archive = open_archive("memory://")
        leasing = Leasing(self.archive.reading)
        self.desk = Desk(self.archive)
        self.ingest = Ingest(self.archive, self.desk, leasing)
        self.branches = Branches(self.archive, self.desk, leasing)
        assert self.archive.writer is not None
        self.archive.writer.on_committed = lambda written: [
            self.archive.reading.took(one.events) for one in written
        ]
        self.tablet = Tablet()
        self.drafts: list[Item] = []
        """The chain, as recorded."""
        self.meant: list[tuple[str, str]] = []
        """Stream and entry id of each of them."""
        self.at = dict.fromkeys(STREAMS, 1)
        """Version at which the tablet believes each match to be."""
        self.places: dict[str, int] = {}
        """Entry id to the position that was answered first."""
        self.parked: set[str] = set()
        self.waiting: dict[str, set[str]] = {stream: set() for stream in STREAMS}
        """Of those, what no director has decided about."""
        self.interfered: set[str] = set()

    @initialize()
    def open(self) -> None:
        self.archive.open_tournament(LOG, "Club night")
        for stream in STREAMS:
            opened = self.archive.draft(MatchOpened(players=BySeat((), ()), length=5))
            self.archive.append(LOG, stream, [opened], expected_version=NO_STREAM)
        token, _ = self.archive.grant(Role.DIRECTOR, log_id=LOG)
        self.director = Hand([self.archive.reading.access(LOG).grants[token_hash(token)]])
        entries = [EntryIn(self.archive.entry_id(), "access.granted", self.tablet.granted())]
        for stream in STREAMS:
            body = {"lease": 1, "device": self.tablet.name, "match": stream}
            entries.append(EntryIn(self.archive.entry_id(), "lease.granted", body))
        self.run(
            self.desk.append(self.director, LOG, TOURNAMENT_STREAM, entries, expected_version=None)
        )

    def run(self, awaited):  # type: ignore[no-untyped-def]
        return self.loop.run_until_complete(awaited)

    @rule(stream=st.sampled_from(STREAMS), size=st.integers(1, 4))
    def record(self, stream: str, size: int) -> None:
        for _ in range(size):
            sent: Sent = self.tablet.record("director.called", self.at[stream], stream=stream)
            self.at[stream] += 1
            signature = base64.urlsafe_b64decode(sent["signature"] + "==")
            self.drafts.append(Item(raw_of(sent), signature, ()))
            self.meant.append((stream, sent_id(sent)))

    @precondition(lambda self: self.drafts)
    @rule(data=st.data())
    def send_anything(self, data: st.DataObject) -> None:
        """A slice, some of it doubled, in some order; the answer may be lost, or not."""
        start = data.draw(st.integers(0, len(self.drafts) - 1))
        size = data.draw(st.integers(1, 6))
        places = list(range(start, min(start + size, len(self.drafts))))
        places += data.draw(st.lists(st.sampled_from(places), max_size=3))
        self.send(data.draw(st.permutations(places)))

    @precondition(lambda self: self.drafts)
    @rule()
    def send_all(self) -> None:
        self.send(range(len(self.drafts)))

    @precondition(lambda self: self.drafts)
    @rule(stream=st.sampled_from(STREAMS))
    def read_on(self, stream: str) -> None:
        """The tablet sends what it has, and learns the state of the match."""
        self.send(range(len(self.drafts)))
        head = self.archive.store.stream_head(LOG, stream)
        assert head is not None
        self.at[stream] = head.version

    @rule(stream=st.sampled_from(STREAMS))
    def interfere(self, stream: str) -> None:
        """The director records something that the tablet does not know of."""
        entry = EntryIn(self.archive.entry_id(), "director.called", {})
        self.run(self.desk.append(self.director, LOG, stream, [entry], expected_version=None))
        self.interfered.add(stream)

    @rule(stream=st.sampled_from(STREAMS), data=st.data())
    def resolve(self, stream: str, data: st.DataObject) -> None:
        """The director takes some of a branch over and sets the rest aside; the tablet reads on."""
        listed = self.branches.listed(LOG, lambda *_: True, match=stream)
        found = [one for one in listed if one.state == "open"]
        if not found:
            return
        ids = [item.entry_id for item in found[0].items]
        order = data.draw(st.permutations(ids))
        cut = data.draw(st.integers(0, len(ids)))
        made = Order(
            match=stream,
            device=self.tablet.name,
            accepted=tuple(order[:cut]),
            set_aside=tuple(order[cut:]),
        )
        resolved = self.run(self.branches.resolve(self.director, LOG, made))
        assert [row.entry_id for row in resolved.entries] == order[:cut]
        again = self.run(self.branches.resolve(self.director, LOG, made))
        assert again.is_duplicate
        self.waiting[stream].clear()
        for row in resolved.entries:
            self.places[row.entry_id] = row.global_position
            self.parked.discard(row.entry_id)

    def send(self, places) -> None:  # type: ignore[no-untyped-def]
        report = self.run(
            self.ingest.take_in(LOG, self.tablet.token_sha256, [self.drafts[at] for at in places])
        )
        assert report is not None
        for at, result in zip(places, report.results, strict=True):
            self.check(*self.meant[at], result)

    def check(self, stream: str, entry_id: str, result: Result) -> None:
        """An answer never contradicts an earlier one."""
        assert result.outcome is not Outcome.DEVICE_FORK
        if result.outcome is Outcome.GAP:
            assert entry_id not in self.places
            assert entry_id not in self.parked
            return
        if result.outcome is Outcome.STREAM_CONFLICT:
            assert entry_id not in self.places
            self.parked.add(entry_id)
            self.waiting[stream].add(entry_id)
        if result.outcome is Outcome.ACCEPTED:
            assert not self.waiting[stream]
        if entry_id in self.places:
            assert result.global_position is not None
        if result.global_position is not None:
            assert self.places.setdefault(entry_id, result.global_position) == (
                result.global_position
            )
            assert entry_id not in self.parked
        if result.outcome is Outcome.DUPLICATE:
            assert entry_id in self.places or entry_id in self.parked

    @invariant()
    def each_entry_is_there_once_and_where_it_was_said_to_be(self) -> None:
        if not hasattr(self, "director"):
            return
        rows = list(self.archive.store.read_log(LOG))
        ids = [row.entry_id for row in rows]
        assert len(ids) == len(set(ids))
        for entry_id, position in self.places.items():
            assert ids[position] == entry_id

    def teardown(self) -> None:
        if hasattr(self, "director"):
            if self.drafts:
                self.send(range(len(self.drafts)))
            known = set(self.places) | self.parked
            assert {entry_id for _, entry_id in self.meant} == known
            for stream in STREAMS:
                if stream not in self.interfered:
                    stored = self.archive.store.read_stream(LOG, stream, after=1)
                    assert [row.entry_id for row in stored] == [
                        entry_id for meant, entry_id in self.meant if meant == stream
                    ]
            size = self.archive.store.journal_size(LOG)
            assert size == len(self.drafts)
            assert fsck(self.archive.store).findings == ()
        self.archive.close()
        self.loop.close()


def sent_id(sent: Sent) -> str:
    """The entry id of an item."""
    entry_id: str = orjson.loads(raw_of(sent))["entry_id"]
    return entry_id


TestSubmitting = Submitting.TestCase
TestSubmitting.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
