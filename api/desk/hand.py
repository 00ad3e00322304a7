"""Who is at the desk: the grants of a token, and what they let it read and append."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from events.envelope import TOURNAMENT_STREAM
from events.errors import PremiseMoved
from events.payloads.access import Role, ScopeKind
from events.store.journal import Intake
from projections.custody.access import Access, Grant, held


class Hand:
    """Who is at the desk: the grants that a token holds."""

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
        """Hash of the token that holds them, where they can be looked up again."""
        self.access = access
        """The logs that hold them, and the version that each one's own stream was at then."""
        self.is_at_case = is_at_case
        """Whether it is a member at the desk of a case, which has checked what is appended."""
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
            # Who somebody is, and what was said, is evidence: a director has not the last word.
            free = [grant for grant in self.grants if grant.device is None]
            return any(g.role is Role.ARCHIVIST and g.covers(log_id) for g in free)
        # Asked for every entry, of a hand with one grant as a rule: no generator is made for it.
        for grant in self.grants:
            is_usable = grant.device is None or self.is_device
            if is_usable and grant.may_append(log_id, stream_id, tag):
                return True
        return False

    def is_bound(self, log_id: str, stream_id: str, tag: str) -> bool:
        """Whether it might append such an entry, but for its grant being bound to a device."""
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
        """Whether it may open logs: an archivist's, of the whole archive."""
        return any(
            grant.role is Role.ARCHIVIST and grant.kind is ScopeKind.ARCHIVE
            for grant in self.grants
        )

    @property
    def recorded_by(self) -> str:
        """What an entry's context says of who recorded it: the grant."""
        return self.grants[0].grant_id if self.grants else "operator"


def check_access(intake: Intake, at_hand: Callable[[str], Access]) -> None:
    """Whether grants are as they were when whoever has this written was let in.

    What was decided afterwards would hold, though the grant was revoked. What else is written to
    the tournament keeps nobody out, as where a store decides of an append. Errors: PremiseMoved.
    """
    for log_id, at in {one for unit in intake.units for one in unit.access}:
        access = at_hand(log_id)
        decided_at = intake.premises[TOURNAMENT_STREAM] if log_id == intake.log_id else at
        if access.version < decided_at or access.changed_at > at:
            raise PremiseMoved("grants may have changed since whoever writes was let in")


def hand_at_case(access: Access, seat: Grant) -> Hand:
    """The hand of a member at the desk of a case, by the grants of its log; empty without a seat.

    What it rests on is asked again where it appends: a seat that ended meanwhile says nothing.
    """
    held_still = [one for one in access.grants.values() if one.grant_id == seat.grant_id]
    return Hand(held_still, is_at_case=True, access=((seat.log_id, access.version),))


def hand_of(accesses: Iterable[Access], token_sha256: str) -> Hand:
    """The hand of a token by the grants of these logs, and what it rests on; seats are none."""
    grants = held(accesses, token_sha256)
    return Hand(
        [grant for grant, _ in grants],
        token_sha256=token_sha256,
        access=tuple((grant.log_id, at) for grant, at in grants),
    )
