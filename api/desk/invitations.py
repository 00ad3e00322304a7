"""Invitations: one-time codes for roles, exchanged for a session by whoever has the code.

Their number is bounded and they are kept in memory: nothing is recorded before a code is used, and
a restart forgets them all. A code is not a token: it works once and expires, and the grant that it
leads to is made in the name of the person who handed it out, if that person may still make it.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator

from api.archive.lateness import Steps
from api.desk.pairing import GUESSES, VOID, fresh_code, is_guess_at, normal
from api.refusals import Problem
from events.payloads.access import Role

LIFE_MS = 60 * 60_000
"""How long a code can be used, milliseconds: it may have to be carried through the hall."""

AT_MOST = 512
"""Most open codes of one log, so that one log cannot use up the codes of all."""

USES_AT_MOST = 4_096
"""Of how many grants the last use is remembered."""


_log = logging.getLogger(__name__)


class Invitation:
    """One code, and what it is for."""

    def __init__(
        self,
        invitation_id: str,
        log_id: str,
        code: str,
        *,
        role: Role,
        holder: str,
        match: str | None,
        by_token: str,
        expires_at: int,
        case: str | None = None,
        member: str | None = None,
    ) -> None:
        self.invitation_id = invitation_id
        self.log_id = log_id
        self.code = code
        self.role = role
        """What its holder may do."""
        self.holder = holder
        """Who it is for."""
        self.match = match
        """Only this match; None = the whole log."""
        self.case = case
        """The appeal, if the code is for a seat in its committee; None = it is not."""
        self.member = member
        """The committee member that the code is for."""
        self.by_token = by_token
        """Hash of the token of the person who hands it out."""
        self.expires_at = expires_at
        """When it expires, milliseconds since 1970 UTC."""
        self.guessed = 0
        """How many guesses had its first half right and the rest wrong."""
        self.settling = asyncio.Lock()
        """Held while the code is exchanged, so that only one of two gets in."""


class Invitations:
    """The open codes of one server. Used on the server's event loop only."""

    def __init__(
        self,
        now_ms: Callable[[], int],
        entropy: Callable[[int], bytes],
        steps: Steps | None = None,
        *,
        at_most: int = AT_MOST,
    ) -> None:
        self._now_ms = now_ms
        self._entropy = entropy
        self._steps = steps
        self._at_most = at_most
        self._open: OrderedDict[str, Invitation] = OrderedDict()

    def open(
        self,
        log_id: str,
        *,
        role: Role,
        holder: str,
        match: str | None,
        by_token: str,
        case: str | None = None,
        member: str | None = None,
    ) -> Invitation:
        """A fresh code. Errors: Problem, where too many are open."""
        if len(list(self.of_log(log_id))) >= self._at_most:
            # The oldest is not dropped: somebody may be carrying it through the hall.
            raise Problem("too-many-codes", f"{self._at_most} codes are open: take some back")
        taken = {invitation.code for invitation in self._open.values()}
        code = fresh_code(self._entropy)
        while code in taken:
            code = fresh_code(self._entropy)
        invitation = Invitation(
            self._entropy(16).hex(),
            log_id,
            code,
            role=role,
            holder=holder,
            match=match,
            by_token=by_token,
            expires_at=self._now_ms() + LIFE_MS,
            case=case,
            member=member,
        )
        self._open[invitation.invitation_id] = invitation
        return invitation

    def with_code(self, code: str) -> Invitation | None:
        """The invitation that a code, however it was typed, is for; None if there is none."""
        self._tidy()
        typed = normal(code)
        found = None
        for invitation in self._open.values():
            if hmac.compare_digest(invitation.code.encode(), typed.encode()):
                found = invitation
        if found is None:
            self._count_guess(typed)
        return found

    def _count_guess(self, typed: str) -> None:
        for invitation in list(self._open.values()):
            if is_guess_at(invitation.code, typed):
                invitation.guessed += 1
                if invitation.guessed >= GUESSES:
                    self.end(invitation)
                    _log.warning(VOID)

    def of_log(self, log_id: str) -> Iterator[Invitation]:
        """Open codes of a log, the oldest first."""
        self._tidy()
        return (one for one in self._open.values() if one.log_id == log_id)

    def get(self, log_id: str, invitation_id: str) -> Invitation | None:
        """An open code of a log; None if there is none, or none any more."""
        self._tidy()
        found = self._open.get(invitation_id)
        return found if found is not None and found.log_id == log_id else None

    def end(self, invitation: Invitation) -> None:
        """Forget a code that was used or withdrawn."""
        self._open.pop(invitation.invitation_id, None)

    def end_of(self, is_called: Callable[[str], bool]) -> None:
        """End every code made for somebody of this name, which was erased."""
        for invitation in list(self._open.values()):
            if is_called(invitation.holder):
                self.end(invitation)

    def is_open(self, invitation: Invitation) -> bool:
        """Whether it can still be used."""
        self._tidy()
        return invitation.invitation_id in self._open

    def _tidy(self) -> None:
        step = 0 if self._steps is None else self._steps.taken()
        for invitation in self._open.values() if step else ():
            invitation.expires_at += step
        now = self._now_ms()
        for invitation in list(self._open.values()):
            if invitation.expires_at <= now:
                del self._open[invitation.invitation_id]


class Uses:
    """When each grant was used last, in memory: since the server was started, and bounded."""

    def __init__(self, now_ms: Callable[[], int], *, at_most: int = USES_AT_MOST) -> None:
        self._now_ms = now_ms
        self._at_most = at_most
        self._used: OrderedDict[str, int] = OrderedDict()

    def used(self, token_sha256: str) -> None:
        """A token has just been shown and is in force."""
        self._used[token_sha256] = self._now_ms()
        self._used.move_to_end(token_sha256)
        while len(self._used) > self._at_most:
            self._used.popitem(last=False)

    def of(self, token_sha256: str) -> int | None:
        """When a token was used last; None where that is not known."""
        return self._used.get(token_sha256)
