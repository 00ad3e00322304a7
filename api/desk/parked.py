"""Parked drafts: listed for a director, and resolved by one into entries or set aside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

import msgspec
import orjson

from api.archive.archive import Archive
from api.archive.personal import commitments_in
from api.desk.bench import TRIES, Bench
from api.desk.borrowed import beside_of, check_borrowed
from api.desk.desk import Desk
from api.desk.drafts import context_members, entry_of, read_draft
from api.desk.entries import EntryIn
from api.desk.hand import Hand, hand_of
from api.desk.leases import Leasing
from api.refusals import Problem
from api.shapes.devices import BranchOut, ParkedOut
from events.envelope import TOURNAMENT_STREAM, EventDraft, StoredEvent
from events.errors import BadInput, PremiseMoved, StoreBusy
from events.payloads.custody import BranchResolved
from events.personal import commitment_of, opened
from events.store.journal import Intake, Journaled
from events.store.protocol import Unit
from projections.custody.leases import Leases

MOST_IDS = 1_000
"""Entry ids that one `branch.resolved` names at most: an entry is no larger than 65,535 bytes."""

MaySee = Callable[[str, str], bool]
"""Whether somebody may see what a device (second) submitted for a match (first)."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a director decides about one branch."""

    match: str
    """Stream that the drafts were meant for."""
    device: str
    """Device that submitted them."""
    accepted: tuple[str, ...]
    """Entry ids taken over, in their new order."""
    set_aside: tuple[str, ...]
    """Entry ids that stay in the journal only."""
    reason: str | None = None
    """Why; a personal value."""


class Resolved(NamedTuple):
    """A branch that is resolved."""

    resolution: StoredEvent
    """The `branch.resolved`; the first one, where the branch is too long for one."""
    entries: list[StoredEvent]
    """What was taken over, in its new order."""
    is_duplicate: bool
    """Whether it had been resolved so before."""


class Branches:
    """The branches of all logs: what was parked, by match and device."""

    def __init__(self, archive: Archive, desk: Desk, leasing: Leasing) -> None:
        self.archive = archive
        self.desk = desk
        self.leasing = leasing

    def listed(self, log_id: str, may_see: MaySee, *, match: str | None = None) -> list[BranchOut]:
        """Every branch that may be seen, the open ones first, with what was parked in it."""
        settled = self.leasing.of(log_id).settled
        found: dict[tuple[bool, str, str], list[Journaled]] = {}
        for row in self.archive.store.parked(log_id):
            sent = row.submitted
            stream_id = sent.stream_id or ""
            if match in (None, stream_id) and may_see(stream_id, sent.device):
                key = (sent.entry_id in settled, stream_id, sent.device)
                found.setdefault(key, []).append(row)
        return [
            BranchOut(
                match_id=stream_id,
                device=device,
                state="resolved" if is_settled else "open",
                items=[self._item(log_id, row) for row in rows],
            )
            for (is_settled, stream_id, device), rows in sorted(found.items())
        ]

    def _item(self, log_id: str, row: Journaled) -> ParkedOut:
        sent = row.submitted
        draft = orjson.loads(sent.raw)
        raws = self._disclosures(log_id, row)
        assert row.reason is not None, "a parked draft has a reason"
        return ParkedOut(
            journal_id=row.journal_id,
            entry_id=sent.entry_id,
            tag=draft["tag"],
            body=draft["body"],
            disclosures={commitment_of(raw): opened(raw)[2] for raw in raws},
            occurred_at=draft["occurred_at"],
            received_at=sent.received_at,
            device_seq=sent.device_seq,
            reason=row.reason,
            expected_version=draft["expected_version"],
            version_then=row.stream_version,
        )

    def _disclosures(self, log_id: str, row: Journaled) -> list[bytes]:
        """What opens the draft's commitments: beside the journal, or with the entry by now."""
        store = self.archive.store
        places = [-row.journal_id]
        entry = store.find_entries(log_id, [row.submitted.entry_id]).get(row.submitted.entry_id)
        if entry is not None:
            places.append(entry.global_position)
        found = store.disclosures_of(log_id, places)
        raws = [raw for place in places for raw in found.get(place, ())]
        return [raw for raw in raws if opened(raw)[1] != "context"]

    async def resolve(self, hand: Hand, log_id: str, order: Order) -> Resolved:
        """Record the decision, and what it takes over, in one transaction; safe to repeat.

        Errors: NotPermitted, NotExpected, LedgerError, Problem.
        """
        entry_id = self.archive.entry_id()
        for _ in range(TRIES):
            try:
                made = await asyncio.to_thread(self._plan, hand, log_id, order, entry_id)
                if isinstance(made, Resolved):
                    return made
                taken = await self.desk.take_in(made)
            except PremiseMoved:
                # The grant may have been revoked meanwhile, so grants are looked up again.
                accesses = await asyncio.to_thread(self.archive.reading.accesses, log_id)
                hand = hand_of(accesses, hand.token_sha256 or "")
                continue
            [resolution, *_], *entries = [unit.events for unit in taken.appended]
            return Resolved(resolution, [event for unit in entries for event in unit], False)
        raise StoreBusy("others are writing to the same streams: send the same again in a moment")

    def _plan(self, hand: Hand, log_id: str, order: Order, entry_id: str) -> Intake | Resolved:
        leases = self.leasing.of(log_id)
        said = {"reason": order.reason} if order.reason else {}
        decisions = [
            EntryIn(
                self.archive.entry_id() if at else entry_id,
                "branch.resolved",
                {"match": order.match, "accepted": accepted, "set_aside": set_aside, **said},
            )
            for at, (accepted, set_aside) in enumerate(_parts(order))
        ]
        resolutions = self.desk.drafts(hand, log_id, TOURNAMENT_STREAM, decisions)
        known = self._resolved(log_id, order)
        if known is not None:
            return known
        rows = self._open(log_id, leases, order)
        bench = Bench(self.archive, log_id, order.match, left=len(order.accepted))
        given: set[str] = set()
        drafts = [
            self._taken_over(hand, log_id, leases, rows[entry_id], bench, place, given)
            for place, entry_id in enumerate(order.accepted)
        ]
        units = [
            Unit(
                log_id=log_id,
                stream_id=TOURNAMENT_STREAM,
                drafts=tuple(resolutions),
                access=hand.access,
            )
        ]
        if drafts:
            units.append(Unit(log_id=log_id, stream_id=order.match, drafts=tuple(drafts)))
        return Intake(
            log_id=log_id,
            premises={TOURNAMENT_STREAM: leases.version, order.match: bench.found_at},
            units=tuple(units),
            released=tuple(rows[entry_id].journal_id for entry_id in order.accepted),
        )

    def _open(self, log_id: str, leases: Leases, order: Order) -> dict[str, Journaled]:
        """The open branch by entry id, all of which the order must name. Errors: Problem."""
        rows = {
            row.submitted.entry_id: row
            for row in self.archive.store.parked(log_id)
            if (row.submitted.stream_id, row.submitted.device) == (order.match, order.device)
            and row.submitted.entry_id not in leases.settled
        }
        if not rows:
            raise Problem(
                "no-such-branch", f"nothing of device {order.device} is parked for {order.match}"
            )
        for member, ids in (("accepted", order.accepted), ("set_aside", order.set_aside)):
            for place, entry_id in enumerate(ids):
                if entry_id not in rows:
                    raise BadInput(
                        f"entry {entry_id[:40]} is not parked in this branch",
                        where=f"$.{member}[{place}]",
                    )
        named = [*order.accepted, *order.set_aside]
        if len(set(named)) < len(named):
            raise BadInput("an entry stands twice: take it over, or set it aside", where="$")
        missing = [entry_id for entry_id in rows if entry_id not in named]
        if missing:
            raise Problem(
                "branch-moved",
                f"{len(missing)} entries of the branch are neither taken over nor set aside",
                missing=missing,
            )
        return rows

    def _taken_over(
        self,
        hand: Hand,
        log_id: str,
        leases: Leases,
        row: Journaled,
        bench: Bench,
        place: int,
        given: set[str],
    ) -> EventDraft:
        """The entry that a parked draft becomes at the end of the match.

        `given`: what the drafts before it have committed to, and then it, too.
        """
        sent = row.submitted
        draft = read_draft(sent.raw)
        assert draft is not None, "what is parked was read when it came in"
        makers = [
            bound.grant_id
            for bound in leases.bound.values()
            if (bound.id, bound.epoch) == (sent.device, sent.epoch)
        ]
        context = {
            "recorded_by": makers[0] if makers else hand.recorded_by,
            "received_at": self.archive.now_ms(),
            **context_members(draft, sent.raw_sha256, sent.signature_state),
            "journal_id": row.journal_id,
            "journaled_at": sent.received_at,
            "resolved_by": hand.recorded_by,
        }
        raws = self._disclosures(log_id, row)
        try:
            entry, payload, marks = entry_of(
                self.archive, log_id, draft, sent.raw_sha256, raws, context=context
            )
            # Values erased while the draft was parked are missing from the entry too.
            told = {mark for _, mark in commitments_in(msgspec.json.decode(entry.body))}
            given |= told - self.archive.store.disclosures(log_id, sorted(told)).keys() | marks
            stream_id = sent.stream_id or ""
            check_borrowed(
                *(self.archive.store, log_id, stream_id, draft.tag, entry.body),
                given=given,
                beside=beside_of(hand, log_id, payload),
            )
            self.desk.check(hand, log_id, stream_id, entry, payload, live=bench.live)
        except BadInput as error:
            raise BadInput(
                f"it cannot be recorded, only set aside: {error.message}",
                where=f"$.accepted[{place}]",
            ) from None
        bench.accept(entry, payload)
        return entry

    def _resolved(self, log_id: str, order: Order) -> Resolved | None:
        """The answer to the same order, given before."""
        store = self.archive.store
        known = {
            (payload.match, payload.accepted, payload.set_aside): event.entry_id
            for event in self.archive.reading.peek(log_id, TOURNAMENT_STREAM).recorded
            if isinstance(payload := event.payload, BranchResolved)
        }
        parts = [(order.match, tuple(one), tuple(other)) for one, other in _parts(order)]
        if not all(part in known for part in parts):
            return None
        ids = [known[parts[0]], *order.accepted]
        found = store.find_entries(log_id, ids)
        rows = [found[entry_id] for entry_id in ids]
        return Resolved(rows[0], rows[1:], True)


def _parts(order: Order) -> list[tuple[list[str], list[str]]]:
    """What is accepted and what is set aside, as one entry after another names it."""
    named = [*order.accepted, *order.set_aside]
    count = len(order.accepted)
    return [
        (named[at : min(count, at + MOST_IDS)], named[max(count, at) : at + MOST_IDS])
        for at in range(0, len(named) or 1, MOST_IDS)
    ]
