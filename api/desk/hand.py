"""A hand: the grants that somebody acts under, and what they allow to read and append."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from events.envelope import TOURNAMENT_STREAM
from events.errors import PremiseMoved
from events.payloads.access import Role, ScopeKind
from events.store.journal import Intake
from projections.custody.access import Access, Grant, held


class Hand:
    """The grants that the sender of a request holds, and what they allow."""

    def __init__(
        self,
        grants: Sequence[Grant],
        *,
        is_device: bool = False,
        is_at_case: bool = False,
        erases_file: bool = False,
        token_sha256: str | None = None,
        access: tuple[tuple[str, int], ...] = (),
    ) -> None:
        self.grants = tuple(grants)
        self.token_sha256 = token_sha256
        """Hash of the token that holds the grants, to look them up again; None without a token."""
        self.access = access
        """The logs that the grants stand in, each with its tournament stream's version then."""
        self.is_at_case = is_at_case
        """Whether it is a committee member at the desk of a case, which checks what is appended."""
        self.erases_file = erases_file
        """Whether it is a director who has a file erased, and nothing else."""
        self.is_device = is_device
        """Whether it is a device that submits its chain: its grant lets it append there alone."""

    def may_read(self, log_id: str, stream_id: str | None = None) -> bool:
        """Whether a grant covers the stream (or the log)."""
        return any(grant.covers(log_id, stream_id) for grant in self.grants)

    def may_append(self, log_id: str, stream_id: str, tag: str) -> bool:
        """Whether a grant lets the hand append such an entry."""
        if self.is_at_case and any(g.may_decide(log_id, stream_id, tag) for g in self.grants):
            return True
        if tag == "disclosure.erased" and not self.erases_file:
            # Names and words are evidence, so a director alone may not erase them.
            free = [grant for grant in self.grants if grant.device is None]
            return any(g.role is Role.ARCHIVIST and g.covers(log_id) for g in free)
        # A loop, not `any`: this runs for every entry, and a generator would cost more than it.
        for grant in self.grants:
            is_usable = grant.device is None or self.is_device
            if is_usable and grant.may_append(log_id, stream_id, tag):
                return True
        return False

    def is_bound(self, log_id: str, stream_id: str, tag: str) -> bool:
        """Whether it could append such an entry if its grant were not bound to a device."""
        return any(grant.may_append(log_id, stream_id, tag) for grant in self.grants)

    def is_lenient(self, log_id: str, stream_id: str) -> bool:
        """Whether entries are taken even where they cannot describe a fact."""
        for grant in self.grants:
            is_usable = grant.device is None or self.is_device
            if is_usable and grant.is_lenient and grant.covers(log_id, stream_id):
                return True
        return False

    def is_archivist(self, log_id: str) -> bool:
        """Whether an archivist's grant covers the whole log."""
        return any(grant.role is Role.ARCHIVIST and grant.covers(log_id) for grant in self.grants)

    @property
    def opens_tournaments(self) -> bool:
        """Whether it may open logs, as an archivist of the whole archive may."""
        return any(
            grant.role is Role.ARCHIVIST and grant.kind is ScopeKind.ARCHIVE
            for grant in self.grants
        )

    @property
    def recorded_by(self) -> str:
        """What an entry's context says of who recorded it: the grant."""
        return self.grants[0].grant_id if self.grants else "operator"


def check_access(intake: Intake, at_hand: Callable[[str], Access]) -> None:
    """Refuse an intake whose sender's grants may have changed since they were checked.

    Otherwise entries could be written after the grant was revoked. Other entries of the tournament
    refuse nobody, as where a store decides about an append. Errors: PremiseMoved.
    """
    for log_id, at in {one for unit in intake.units for one in unit.access}:
        access = at_hand(log_id)
        decided_at = intake.premises[TOURNAMENT_STREAM] if log_id == intake.log_id else at
        if access.version < decided_at or access.changed_at > at:
            raise PremiseMoved("grants may have changed since whoever writes was let in")


def hand_at_case(access: Access, seat: Grant) -> Hand:
    """The hand of a committee member at the desk of a case; empty if the seat is not in force.

    `access` is checked again when it appends, in case the seat has ended by then.
    """
    held_still = [one for one in access.grants.values() if one.grant_id == seat.grant_id]
    return Hand(held_still, is_at_case=True, access=((seat.log_id, access.version),))


def hand_of(accesses: Iterable[Access], token_sha256: str, *, erases_file: bool = False) -> Hand:
    """The hand of a token, by the grants in these logs; seats in committees do not count."""
    grants = held(accesses, token_sha256)
    return Hand(
        [grant for grant, _ in grants],
        erases_file=erases_file,
        token_sha256=token_sha256,
        access=tuple((grant.log_id, at) for grant, at in grants),
    )
