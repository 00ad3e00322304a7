"""Who may do what: grants and revocations folded from a log's tournament stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, RecordedEvent
from events.payloads.access import AccessGranted, AccessRevoked, AccessSeated, Role, ScopeKind

READERS = frozenset(Role)
"""Every role reads what its grant is over."""

SEALED_BALLOTS = ("vote.sealed", "vote.opened")
"""What a seat at its case alone appends, and no role over match, log or archive: folds count such a
ballot as its member's, and cannot tell whose hand it was. One on paper is a `vote.cast`.
"""

DIRECTOR_NOUNS = (
    "ruling.",
    "question.",
    "penalty.",
    "forfeit.",
    "sanction.",
    "player.disqualified",
    "appeal.refused",
    "appeal.issued",
    "appeal.decided",
    "committee.",
    "pack.",
    "publication.",
    "match.cancelled",
    "slow_play.",
    "vote.director",
    "clock.adjusted",
    "result.corrected",
    "spectator.barred",
    "tournament.",
    "access.",
    "lease.",
    "player.registered",
    "player.unregistered",
    "player.joined",
    "player.split",
    "bye.",
    "branch.",
    "disclosure.",
    "key.",
    "decision.",
    "film.",
)
"""Beginnings of the tags that take a director, or an archivist."""


class Grant(msgspec.Struct, frozen=True):
    """One grant that is in force."""

    grant_id: str
    """Entry id of the `access.granted`."""
    role: Role
    """What the holder may do."""
    kind: ScopeKind
    """How far it reaches."""
    log_id: str
    """Log whose stream holds it; the archive's own log for scope archive."""
    match: str | None = None
    """Stream of the match, for a match scope."""
    device: str | None = None
    """Device it is bound to."""
    case: str | None = None
    """The appeal whose committee it is a seat of: it opens that case, and nothing else."""
    member: str | None = None
    """Who of that committee holds it."""

    def covers(self, log_id: str, stream_id: str | None = None) -> bool:
        """Whether the grant is over this log (stream None) or this stream of it.

        A seat in a committee is over neither: its case is read at the desk of the case alone.
        """
        if self.case is not None:
            return False
        if self.kind is ScopeKind.ARCHIVE:
            return True
        if self.log_id != log_id:
            return False
        return self.kind is ScopeKind.LOG or (stream_id is not None and stream_id == self.match)

    def may_append(self, log_id: str, stream_id: str, tag: str) -> bool:
        """Whether the holder may append an entry of this tag to this stream."""
        if tag in SEALED_BALLOTS or not self.covers(log_id, stream_id):
            return False
        match self.role:
            case Role.ARCHIVIST:
                return True
            case Role.DIRECTOR:
                return self.kind is not ScopeKind.MATCH or not tag.startswith("access.")
            case Role.SCRIBE:
                return not tag.startswith(DIRECTOR_NOUNS) and not tag.startswith("vote.")
            case Role.COMMITTEE:
                # A grant of no seat is no member's: a ballot is cast at the desk of its case.
                return False
            case _:
                return False

    def may_decide(self, log_id: str, stream_id: str, tag: str) -> bool:
        """Whether a member may append it at the desk of the case, where it is checked first."""
        if self.case is None or self.log_id != log_id:
            return False
        if stream_id == TOURNAMENT_STREAM:
            return tag == "access.case_opened"
        is_own = self.match == stream_id
        # That a pack was handed to a member is recorded in the member's name.
        return is_own and tag in (*SEALED_BALLOTS, "committee.member_recused", "pack.issued")

    @property
    def is_lenient(self) -> bool:
        """Whether entries are taken even where they cannot describe a fact; findings speak then."""
        return self.role in (Role.ARCHIVIST, Role.DIRECTOR)


class Access(msgspec.Struct, frozen=True):
    """All grants of one log that are in force."""

    version: int = 0
    """Version of the last entry folded."""
    grants: Mapping[str, Grant] = MappingProxyType({})
    """Hex SHA-256 of a token to its grant."""
    changed_at: int = 0
    """Version of the last entry that gave or ended a grant."""

    def grant_of(self, token_sha256: str) -> Grant | None:
        """The grant of a token; None if it has none in this log, or no longer."""
        return self.grants.get(token_sha256)


def fold_access(events: Iterable[RecordedEvent], start: Access | None = None) -> Access:
    """The grants in force after these entries of a tournament stream; folded ones are skipped.

    A grant over the whole archive counts in the archive's own log alone: whoever may write grants
    into one tournament's log could otherwise make himself master of all others.
    """
    access = start or Access()
    grants = dict(access.grants)
    version, changed_at = access.version, access.changed_at
    for event in events:
        if event.version <= version:
            continue
        version = event.version
        match event.payload:
            case AccessGranted() as granted:
                is_archive = granted.scope.kind is ScopeKind.ARCHIVE
                if is_archive and event.log_id != ARCHIVE_LOG:
                    continue
                grants[granted.token_sha256] = Grant(
                    event.entry_id,
                    granted.role,
                    granted.scope.kind,
                    event.log_id,
                    granted.scope.match,
                    None if granted.device is None else granted.device.id,
                )
            case AccessSeated() as seated:
                grants[seated.token_sha256] = Grant(
                    event.entry_id,
                    Role.COMMITTEE,
                    ScopeKind.MATCH,
                    event.log_id,
                    seated.match,
                    case=seated.appeal,
                    member=seated.member,
                )
            case AccessRevoked(target=target):
                grants = {
                    token: grant for token, grant in grants.items() if grant.grant_id != target
                }
            case _:
                continue
        changed_at = version
    return Access(version, MappingProxyType(grants), changed_at)


def held(accesses: Iterable[Access], token_sha256: str) -> list[tuple[Grant, int]]:
    """The grants of a token, each with the version of its log's own stream at which it is known.

    A seat in a committee is no grant: it opens its case (`desk/cases.py`), and of the log not so
    much as that it is there.
    """
    found = [(access.grant_of(token_sha256), access.version) for access in accesses]
    return [(grant, at) for grant, at in found if grant is not None and grant.case is None]
