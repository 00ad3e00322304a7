"""Exchanges a one-time code for a token of its own, with the grant that goes with it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from api.archive.archive import TOKEN_BYTES, token_hash
from api.desk.entries import EntryIn
from api.desk.hand import hand_of
from api.desk.invitations import Invitation
from api.refusals import NotPermitted
from api.routes.shared.door import Door
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from events.payloads.access import Role, ScopeKind


class Admitted(NamedTuple):
    """What an exchanged code has given."""

    token: str
    log_id: str
    role: Role
    case: str | None = None

    @property
    def path(self) -> str:
        """Where its holder goes from here."""
        if self.case is not None:
            return f"/cases/{self.case}"
        is_director = self.role in (Role.DIRECTOR, Role.ARCHIVIST)
        if self.log_id == ARCHIVE_LOG:
            return "/room" if is_director else "/"
        return f"/room/{self.log_id}" if is_director else f"/tournaments/{self.log_id}"


async def admitted(door: Door, code: str) -> Admitted | None:
    """Exchange a code for a token of its own; None for a code that is of no use.

    The grant is made in the name of who handed the code out, who must still be able to.
    Errors: Problem, LedgerError.
    """
    found = door.invitations.with_code(code)
    if found is None:
        return None
    async with found.settling:
        if not door.invitations.is_open(found):
            return None
        token = door.archive.entropy(TOKEN_BYTES).hex()
        accesses = await asyncio.to_thread(door.reading.accesses, found.log_id)
        try:
            await door.desk.append(
                hand_of(accesses, found.by_token),
                found.log_id,
                TOURNAMENT_STREAM,
                await asyncio.to_thread(_entries, door, found, token),
                expected_version=None,
            )
        except NotPermitted:
            # The grant of the person who made it has ended since; the code ends with it.
            door.invitations.end(found)
            return None
        door.invitations.end(found)
    return Admitted(token, found.log_id, found.role, found.case)


def _entries(door: Door, invitation: Invitation, token: str) -> list[EntryIn]:
    """The grant; a member's new seat replaces the seat before. Reads the store."""
    if invitation.case is None:
        return [EntryIn(door.archive.entry_id(), "access.granted", _granted(invitation, token))]
    seated = {
        "token_sha256": token_hash(token),
        "match": invitation.match,
        "appeal": invitation.case,
        "member": invitation.member,
        "holder": invitation.holder,
    }
    before = [
        EntryIn(door.archive.entry_id(), "access.revoked", {"target": grant.grant_id})
        for grant in door.reading.access(invitation.log_id).grants.values()
        if (grant.case, grant.member) == (invitation.case, invitation.member)
    ]
    return [*before, EntryIn(door.archive.entry_id(), "access.seated", seated)]


def _granted(invitation: Invitation, token: str) -> Mapping[str, object]:
    kind = ScopeKind.ARCHIVE if invitation.log_id == ARCHIVE_LOG else ScopeKind.LOG
    scope = {"kind": kind.value}
    if invitation.match is not None:
        scope = {"kind": ScopeKind.MATCH.value, "match": invitation.match}
    return {
        "token_sha256": token_hash(token),
        "role": invitation.role.value,
        "scope": scope,
        "holder": invitation.holder,
    }
