"""The audit of a log's disclosures: each opens what it claims to, and none is missing unexplained.

A match may be restored from a file that withholds all values of an entry, its context included.
This is distinguished from an entry of which some values are missing. In a match that was restored
they may have been erased where the file was made; in any other they are lost. A match is a restored
one if its log was opened by a restore, and received entries of it before that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from events.envelope import StoredEvent
from events.personal import commitment_of, opened
from events.store.appending import BODY, CONTEXT, KeptDisclosure
from events.store.audited import PAGE, AuditedStore, Disclosures, members_of
from events.store.fsck_tournament import TournamentFacts
from events.store.journal import JOURNAL

Members = dict[str, object]


class DisclosureAudit:
    """The disclosures of one log, entry by entry in the order of its tree."""

    def __init__(
        self,
        store: AuditedStore,
        log_id: str,
        facts: TournamentFacts,
        note: Callable[..., None],
    ) -> None:
        self._store = store
        self._log_id = log_id
        self._facts = facts
        self._note = note
        self._rows = Disclosures(store, log_id)
        self._wanted: dict[str, tuple[StoredEvent, bool]] = {}
        """Commitments that nothing beside their entry opens, and whether anything lies there."""
        self._missing: dict[str, tuple[StoredEvent, bool]] = {}
        self._opened_at: int | None = None
        """When the log was opened, in ms since 1970; None = it is not known."""
        self._restored: set[str] = set()
        """Streams with entries that were received before the log was opened: in another archive."""
        self.count = 0
        """Disclosures that were looked at."""

    def met(self, event: StoredEvent, members: Members | None) -> dict[str, object] | None:
        """Check what lies beside this entry; what its context says, None where it is not here."""
        here: set[str] = set()
        context: object = None
        for row in self._rows.up_to(event.global_position):
            self._check(row, event, members)
            if row.global_position == event.global_position:
                here.add(row.commitment)
                if row.category == CONTEXT:
                    context = _value_of(row.raw)
        if members is not None:
            marks = {*_marks(members.get("body")), *_marks(members.get("context"))}
            place = (event, bool(here or marks & self._facts.erased))
            self._wanted.update(dict.fromkeys(marks - here - self._facts.erased, place))
            if len(self._wanted) >= PAGE:
                self._seek()
        if not isinstance(context, dict):
            return None
        received = context.get("received_at")
        if isinstance(received, int) and self._facts.is_restored:
            if event.global_position == 0:
                self._opened_at = received
            elif self._opened_at is not None and received < self._opened_at:
                self._restored.add(event.stream_id)
        return context

    def end(self, size: int, now: int) -> None:
        """Check what belongs to no entry, unless the log has grown over it meanwhile."""
        for row in self._rows.rest():
            if not size <= row.global_position < now:
                self._check(row, None, None)
        self._seek()
        # What was erased since this began is said behind the entries that were read.
        self._facts.read_on()
        for mark, (event, has_others) in self._missing.items():
            if mark not in self._facts.erased:
                is_lost = has_others and event.stream_id not in self._restored
                self._note(
                    "disclosure-missing" if is_lost else "withheld",
                    f"{mark} is committed to, is not here, and no entry says that it was erased",
                    event.global_position,
                    event.stream_id,
                )

    def _seek(self) -> None:
        """What an entry repeats of an earlier one lies beside that one."""
        found = self._store.disclosures(self._log_id, list(self._wanted))
        self._missing |= {mark: at for mark, at in self._wanted.items() if mark not in found}
        self._wanted.clear()

    def _check(
        self, row: KeptDisclosure, event: StoredEvent | None, members: Members | None
    ) -> None:
        self.count += 1
        at, mark = row.global_position, row.commitment
        if commitment_of(row.raw) != mark or _name_of(row.raw) != row.name:
            self._note("disclosure-hash", f"{mark} is not the hash of its disclosure", at)
        if mark in self._facts.erased:
            self._note("not-erased", f"{mark} is still here, and an entry says it is erased", at)
        if at < 0:
            self._check_parked(row)
        elif event is None or event.global_position != at:
            self._note("disclosure-place", f"{mark} belongs to an entry that is not there", at)
        elif members is not None:
            if row.category == CONTEXT:
                holds = members["context"] == {"sd": mark}
            else:
                holds = row.category == BODY and _holds(members["body"], mark)
            if not holds:
                self._note("disclosure-place", f"{mark} opens nothing in its entry", at)

    def _check_parked(self, row: KeptDisclosure) -> None:
        """A disclosure of a draft that became no entry: it stands at minus its journal id."""
        found = self._store.journal_rows(row.log_id, after=-row.global_position - 1, limit=1)
        drafts = [one.submitted.raw for one in found if one.journal_id == -row.global_position]
        if row.category != JOURNAL or not any(
            _holds(members_of(raw), row.commitment) for raw in drafts
        ):
            self._note("disclosure-place", f"{row.commitment} opens nothing in its draft")


def _holds(value: object, mark: str) -> bool:
    """Whether the commitment stands anywhere in a body."""
    return mark in _marks(value)


def _marks(value: object) -> Iterator[str]:
    """Every commitment in a body."""
    if isinstance(value, dict):
        mark = value.get("sd")
        if len(value) == 1 and isinstance(mark, str):
            yield mark
            return
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _marks(item)


def _name_of(raw: bytes) -> str | None:
    try:
        _, name, _ = opened(raw)
    except (TypeError, ValueError):
        return None
    return name


def _value_of(raw: bytes) -> object:
    try:
        return opened(raw)[2]
    except (TypeError, ValueError):
        return None
