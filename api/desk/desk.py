"""The way in: every entry is checked, made into a draft and appended here, whoever sends it.

HTTP, the command line and importers all append through the desk. It knows no rule of the game, and
refuses an entry for four reasons only: the entry is malformed, the hand (`hand.py`) may not append
it, the stream has moved on, or, from a scribe, it cannot describe a fact. All else is recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from api.archive.archive import Archive
from api.archive.personal import commit_personal, salts_of
from api.archive.reading import Live
from api.desk.borrowed import beside_of, check_borrowed, check_files
from api.desk.corrections import check_corrections, check_publicity, needed
from api.desk.entries import EntryIn, check_schema
from api.desk.hand import Hand, check_access, hand_of
from api.refusals import NotExpected, NotPermitted, Problem
from events import catalogue
from events.canonical import sound
from events.envelope import (
    ARCHIVE_LOG,
    NO_STREAM,
    TOURNAMENT_STREAM,
    EventDraft,
    RecordedEvent,
    check_entry_id,
)
from events.errors import (
    BadBody,
    BadInput,
    EntryIdReused,
    ExpectedVersionMismatch,
    OutcomeUnknown,
    PremiseMoved,
    StoreBusy,
    TooLarge,
)
from events.payloads.access import (
    AccessCaseOpened,
    AccessGranted,
    AccessRevoked,
    AccessSeated,
    Role,
    ScopeKind,
)
from events.payloads.base import Payload
from events.payloads.custody import BranchResolved
from events.payloads.match import MatchOpened
from events.personal import commitment_of
from events.store.journal import Intake, TakenIn
from events.store.protocol import Appended, Unit
from projections.views.expecting import cannot_describe, expects

_TRIES = 20
"""How often an append is tried again when the tournament's own stream has changed meanwhile."""


class Desk:
    """Takes entries, and appends them through the archive's one writer."""

    def __init__(self, archive: Archive, *, max_batch: int = 5_000) -> None:
        self.archive = archive
        self.max_batch = max_batch

    async def append(
        self,
        hand: Hand,
        log_id: str,
        stream_id: str,
        entries: Sequence[EntryIn],
        *,
        expected_version: int | None,
    ) -> Appended:
        """Append all entries or none; a retry gets its first answer.

        `expected_version` None = wherever the stream is. Errors: LedgerError, NotPermitted,
        NotExpected.
        """
        for _ in range(_TRIES):
            try:
                return await self._append(
                    hand, log_id, stream_id, entries, expected_version=expected_version
                )
            except PremiseMoved:
                if hand.is_at_case:
                    raise  # a seat is not found by its token: the case's route looks it up again
                # The grant may have been revoked meanwhile, so grants are looked up again.
                accesses = await asyncio.to_thread(self.archive.reading.accesses, log_id)
                token = hand.token_sha256 or ""
                hand = hand_of(accesses, token, erases_file=hand.erases_file)
        raise StoreBusy("the tournament is being changed: try again in a moment")

    async def _append(
        self,
        hand: Hand,
        log_id: str,
        stream_id: str,
        entries: Sequence[EntryIn],
        *,
        expected_version: int | None,
    ) -> Appended:
        writer = self.archive.writer
        if writer is None:
            raise StoreBusy("this archive is open for reading only")
        if self._is_quick(log_id, stream_id, entries):
            unit = self.unit(hand, log_id, stream_id, entries, expected_version=expected_version)
        else:
            # Reading the store or folding a match must not block the event loop.
            unit = await asyncio.to_thread(
                self.unit, hand, log_id, stream_id, entries, expected_version=expected_version
            )
        try:
            appended = await writer.append(unit)
        except EntryIdReused:
            # If the same entries were sent twice at once, the salts of the first attempt are
            # stored now, and used again. Different bytes under a known id are refused as before.
            again = await asyncio.to_thread(self._again, hand, log_id, stream_id, entries)
            appended = await writer.append(again)
        except (OutcomeUnknown, ExpectedVersionMismatch):
            # The commit may have succeeded after all, or the cached stream is out of date: drop
            # the cache, so that the next request reads the store.
            self.archive.reading.forget(log_id, stream_id)
            self.archive.grew([log_id])
            raise
        if appended.duplicate:
            self._catch_up(log_id, stream_id, appended)
        return appended

    async def take_in(self, intake: Intake) -> TakenIn:
        """Write what was decided on a batch, all or nothing. Errors: PremiseMoved, LedgerError.

        If it may have been written after all, or its premises have changed, caches are dropped.
        """
        writer = self.archive.writer
        if writer is None:
            raise StoreBusy("this archive is open for reading only")
        try:
            check_access(intake, self.archive.reading.access_at_hand)
            return await writer.take_in(intake)
        except (OutcomeUnknown, PremiseMoved):
            for stream_id in {*intake.premises, *(unit.stream_id for unit in intake.units)}:
                self.archive.reading.forget(intake.log_id, stream_id)
            self.archive.grew([intake.log_id])
            raise

    def _catch_up(self, log_id: str, stream_id: str, appended: Appended) -> None:
        """Drop a cached stream that misses the entries of a commit that had seemed to fail."""
        reading = self.archive.reading
        if not reading.is_cached(log_id, stream_id):
            return
        if reading.peek(log_id, stream_id).version < appended.events[-1].version:
            reading.forget(log_id, stream_id)

    def _is_quick(self, log_id: str, stream_id: str, entries: Sequence[EntryIn]) -> bool:
        reading = self.archive.reading
        if len(entries) != 1 or not reading.is_cached(log_id, stream_id):
            return False
        return entries[0].entry_id not in reading.peek(log_id, stream_id).entry_ids

    def unit(
        self,
        hand: Hand,
        log_id: str,
        stream_id: str,
        entries: Sequence[EntryIn],
        *,
        expected_version: int | None,
    ) -> Unit:
        """Everything before the append: checks, commitments, drafts. Errors as for `append`."""
        if not entries:
            raise BadInput("a batch holds at least one entry", where="$.entries")
        if len(entries) > self.max_batch:
            raise TooLarge(
                f"{len(entries)} entries in one batch; at most {self.max_batch} are taken at once"
            )
        live = self.archive.reading.peek(log_id, stream_id)
        self.permit(hand, log_id, stream_id, entries)
        if any(entry.entry_id in live.entry_ids for entry in entries):
            # A retry, or a reused id: the store tells them apart by the bytes, which are made
            # again with the salts of the first attempt. Versions do not matter to a retry.
            return self._again(hand, log_id, stream_id, entries)
        if expected_version is not None and expected_version != live.version:
            raise ExpectedVersionMismatch(
                stream_id, expected=expected_version, current=live.version
            )
        drafts, payloads = self._drafts(hand, entries)
        if stream_id == TOURNAMENT_STREAM:
            _check_resolutions(log_id, payloads)
            self._check_grants(hand, log_id, payloads)
        else:
            check_corrections(hand, log_id, stream_id, live=live, payloads=payloads)
            check_publicity(hand, log_id, stream_id, live=live, drafts=drafts, payloads=payloads)
            check_files(self.archive.store, hand, log_id, stream_id, payloads)
            if not hand.is_lenient(log_id, stream_id):
                check_describable(live, drafts, payloads)
        _check_opening(live, stream_id, drafts)
        self._check_values(hand, log_id, stream_id, drafts, payloads)
        if live.version == NO_STREAM:
            self._check_is_on(log_id, payloads[0])
            # Of two requests that open the same stream, the second is refused.
            expected_version = NO_STREAM
        return Unit(
            log_id=log_id,
            stream_id=stream_id,
            drafts=tuple(drafts),
            expected_version=expected_version,
            access=hand.access,
        )

    def _check_values(
        self,
        hand: Hand,
        log_id: str,
        stream_id: str,
        drafts: Sequence[EventDraft],
        payloads: Sequence[Payload],
    ) -> None:
        given = {commitment_of(raw) for draft in drafts for raw in draft.disclosures}
        for index, (draft, payload) in enumerate(zip(drafts, payloads, strict=True)):
            beside = beside_of(hand, log_id, payload)
            try:
                check_borrowed(
                    *(self.archive.store, log_id, stream_id, draft.tag, draft.body),
                    given=given,
                    beside=beside,
                )
            except BadBody as error:
                error.where = f"$.entries[{index}]{(error.where or '$').removeprefix('$')}"
                raise

    def drafts(
        self, hand: Hand, log_id: str, stream_id: str, entries: Sequence[EntryIn]
    ) -> list[EventDraft]:
        """The drafts of entries, each checked: sound, and allowed to this hand."""
        self.permit(hand, log_id, stream_id, entries)
        return self._drafts(hand, entries)[0]

    def _drafts(
        self, hand: Hand, entries: Sequence[EntryIn]
    ) -> tuple[list[EventDraft], list[Payload]]:
        drafts, payloads = [], []
        for index, entry in enumerate(entries):
            draft, payload = self._draft(hand, entry, index)
            drafts.append(draft)
            payloads.append(payload)
        return drafts, payloads

    def _check_is_on(self, log_id: str, opening: Payload) -> None:
        """Refuse a new match in a tournament that is closed; matches in play may go on."""
        if not isinstance(opening, MatchOpened) or opening.shadow_of is not None:
            return
        if self.archive.reading.tournament(log_id).is_closed:
            detail = "the tournament is closed: its director can open it again"
            raise Problem(
                "not-expected",
                detail,
                why=("tournament_closed", {}),
                expected=[],
                where="$.entries[0]",
            )

    def _check_grants(self, hand: Hand, log_id: str, payloads: Sequence[Payload]) -> None:
        """Refuse grants and revocations beyond what the hand itself may do."""
        access = self.archive.reading.access(log_id)
        for index, payload in enumerate(payloads):
            if isinstance(payload, AccessRevoked):
                found = [g for g in access.grants.values() if g.grant_id == payload.target]
                if not found:
                    raise BadInput(
                        "no grant in force in this log has this id",
                        where=f"$.entries[{index}].body.target",
                    )
                if found[0].role is Role.ARCHIVIST and not hand.is_archivist(log_id):
                    raise NotPermitted("only an archivist may end this grant", needs="archivist")
            if isinstance(payload, AccessCaseOpened) and payload.grant != hand.recorded_by:
                raise NotPermitted(
                    "that somebody opened the desk of a case is recorded where it is opened, and of"
                    " nobody else",
                    needs="whoever opened it",
                )
            if not isinstance(payload, AccessGranted | AccessSeated):
                continue
            if access.grant_of(payload.token_sha256) is not None:
                raise BadInput(
                    "this token has a grant in this log: make a new token, or revoke that one",
                    where=f"$.entries[{index}].body.token_sha256",
                )
            if isinstance(payload, AccessSeated):
                continue
            if (payload.scope.kind is ScopeKind.ARCHIVE) != (log_id == ARCHIVE_LOG):
                raise BadInput(
                    "a grant over the whole archive stands in the log `archive`, and only there",
                    where=f"$.entries[{index}].body.scope.kind",
                )
            of_match = payload.scope.match
            if (payload.scope.kind is ScopeKind.MATCH) != (of_match is not None):
                raise BadInput(
                    "a grant over one match names the match, and no other grant names one",
                    where=f"$.entries[{index}].body.scope.match",
                )
            if of_match == TOURNAMENT_STREAM:
                raise BadInput(
                    "the tournament's own stream is no match: grant over the log",
                    where=f"$.entries[{index}].body.scope.match",
                )
            needs_archivist = payload.role is Role.ARCHIVIST or log_id == ARCHIVE_LOG
            if needs_archivist and not hand.is_archivist(log_id):
                raise NotPermitted("only an archivist may grant this", needs="archivist")

    def check(
        self,
        hand: Hand,
        log_id: str,
        stream_id: str,
        draft: EventDraft,
        payload: Payload,
        *,
        live: Live,
    ) -> None:
        """Whether a match that stands as `live` can take this draft next.

        Errors: NotPermitted, NotExpected, BadInput, UnknownTag.
        """
        drafts, payloads = [draft], [payload]
        self.permit(hand, log_id, stream_id, drafts)
        check_corrections(hand, log_id, stream_id, live=live, payloads=payloads)
        check_publicity(hand, log_id, stream_id, live=live, drafts=drafts, payloads=payloads)
        check_files(self.archive.store, hand, log_id, stream_id, payloads)
        if not hand.is_lenient(log_id, stream_id):
            check_describable(live, drafts, payloads)
        _check_opening(live, stream_id, drafts)

    def permit(
        self,
        hand: Hand,
        log_id: str,
        stream_id: str,
        entries: Sequence[EntryIn | EventDraft],
    ) -> None:
        """Refuse what the hand may not record here. Errors: NotPermitted, BadInput, UnknownTag."""
        for index, entry in enumerate(entries):
            if entry.tag == "key.rotated":
                raise NotPermitted(
                    "the archive itself says which key a log is signed with",
                    needs="the operator of the archive, by `tabularium keys rotate`",
                )
            is_tournaments = entry.tag in catalogue.TOURNAMENT_TAGS
            if is_tournaments != (stream_id == TOURNAMENT_STREAM):
                # Raises UnknownTag first: an unknown tag belongs to neither stream.
                catalogue.kind_of(entry.tag)
                place = "the tournament's own stream" if is_tournaments else "a match's stream"
                raise BadInput(f"{entry.tag} belongs to {place}", where=f"$.entries[{index}].tag")
            if not hand.may_append(log_id, stream_id, entry.tag):
                catalogue.kind_of(entry.tag)
                if hand.is_bound(log_id, stream_id, entry.tag):
                    raise NotPermitted(
                        "this token is bound to a device, whose entries come in by"
                        f" /logs/{log_id}/ingest alone, numbered and signed",
                        needs="a token that is bound to no device",
                    )
                raise NotPermitted(
                    f"this token may not record {entry.tag} here", needs=needed(entry.tag)
                )

    def _draft(
        self,
        hand: Hand,
        entry: EntryIn,
        index: int,
        salts: dict[str, bytes] | None = None,
    ) -> tuple[EventDraft, Payload]:
        archive = self.archive
        try:
            check_entry_id(entry.entry_id)
            body, disclosures = commit_personal(
                entry.tag, entry.body, entropy=archive.entropy, salts=salts
            )
            sealed_body = sound(body)
            payload = catalogue.decode(entry.tag, sealed_body, schema=entry.schema)
            check_schema(entry.tag, entry.schema, sealed_body)
        except BadInput as error:
            if error.where is not None:
                error.where = f"$.entries[{index}]{error.where.removeprefix('$')}"
            raise
        said = {name: getattr(entry, name) for name in ("occurred_at", "elapsed_ms", "device")}
        context = {name: value for name, value in said.items() if value is not None}
        draft = EventDraft(
            entry_id=entry.entry_id,
            tag=entry.tag,
            schema=entry.schema,
            basis=entry.basis,
            body=sealed_body,
            context=archive.context(hand.recorded_by, **context),
            disclosures=disclosures,
        )
        return draft, payload

    def _again(self, hand: Hand, log_id: str, stream_id: str, entries: Sequence[EntryIn]) -> Unit:
        """The unit of a retry: the same bytes, with the salts that the first attempt made."""
        store = self.archive.store
        known = store.find_entries(log_id, [entry.entry_id for entry in entries])
        raws = store.disclosures_of(log_id, [row.global_position for row in known.values()])
        drafts = []
        for index, entry in enumerate(entries):
            row = known.get(entry.entry_id)
            salts = {} if row is None else salts_of(raws.get(row.global_position, []))
            drafts.append(self._draft(hand, entry, index, salts)[0])
        return Unit(log_id=log_id, stream_id=stream_id, drafts=tuple(drafts))


def _check_resolutions(log_id: str, payloads: Sequence[Payload]) -> None:
    """Refuse a bare `branch.resolved`: the entries that it takes over would be lost."""
    for index, payload in enumerate(payloads):
        if isinstance(payload, BranchResolved):
            raise BadInput(
                f"a branch is resolved by /logs/{log_id}/branches/resolution alone, which records"
                " what is taken over with the decision",
                where=f"$.entries[{index}].tag",
            )


def _check_opening(live: Live, stream_id: str, drafts: Sequence[EventDraft]) -> None:
    """A stream begins with its opening, and is opened once."""
    opening = "tournament.opened" if stream_id == TOURNAMENT_STREAM else "match.opened"
    is_new = live.version == NO_STREAM
    if is_new and drafts[0].tag != opening:
        raise BadInput(f"the first entry of this stream is {opening}", where="$.entries[0].tag")
    for index, draft in enumerate(drafts):
        if draft.tag == opening and not (is_new and index == 0):
            expected = expects(live.replay.state) if stream_id != TOURNAMENT_STREAM else ()
            raise NotExpected(opening, "it is open already", expected=expected, index=index)


def check_describable(
    live: Live, drafts: Sequence[EventDraft], payloads: Sequence[Payload]
) -> None:
    """Refuse what cannot describe a fact: an answer to nothing, a play without a game."""
    shown = live.replay
    version = shown.version
    for index, (draft, payload) in enumerate(zip(drafts, payloads, strict=True)):
        event = RecordedEvent(version + index + 1, draft.entry_id, draft.tag, draft.basis, payload)
        why = cannot_describe(shown.state, event)
        if why is not None:
            raise NotExpected(draft.tag, why, expected=expects(shown.state), index=index)
        if index + 1 < len(drafts):
            # A new replay: the shared one must not contain what may be refused here.
            shown = shown.extended([event])
