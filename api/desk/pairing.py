"""Pairing: a code on the director's screen, a device that claims it, a person who compares words.

All of it lies in memory and is bounded: nothing is recorded before a director approves, and a
server that starts anew has forgotten every code that nobody approved.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import logging
import re
from collections.abc import Callable, Iterator

import msgspec

from api.archive.lateness import Steps
from api.desk.fingerprint import fingerprint_of
from api.refusals import Problem
from api.shapes.devices import PairingState
from events.errors import BadInput

LIFE_MS = 10 * 60_000
"""How long a code can be claimed, and a claim be approved, milliseconds."""

KEPT_MS = 60 * 60_000
"""How long a device can ask what became of its claim, milliseconds."""

AT_MOST = 512
"""Pairings of one log that are remembered; of more, its oldest is forgotten, and no other's."""

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""What codes are made of: nothing that is taken for something else (0 O 1 I L)."""

GUESSES = 10
"""So often the second half of a code may be wrong behind its first one; then it is void."""

KEY_BYTES = 32
"""An Ed25519 public key."""

VOID = "a code is void: its second half was guessed too often"

_CODE_LENGTH = 8
_DEVICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")


_log = logging.getLogger(__name__)


class Claim(msgspec.Struct, frozen=True):
    """What a device says of itself."""

    device: str
    """Its own id."""
    public_key: str | None
    """Ed25519 public key, base64; None where its browser can make none."""
    epoch: int
    """Rises when it lost its storage."""
    token_sha256: str
    """Hash of the token that it has made; the token itself never leaves it but as its sign."""
    label: str | None = None
    """What somebody calls it."""

    @property
    def fingerprint(self) -> list[str]:
        """Four words for its key, or for its token where it has none."""
        return fingerprint_of(self.public_key, self.token_sha256)


class Pairing:
    """One code and what became of it."""

    def __init__(
        self,
        pairing_id: str,
        log_id: str,
        code: str,
        *,
        match_id: str | None,
        table: str | None,
        expires_at: int,
        uses: int = 1,
    ) -> None:
        self.pairing_id = pairing_id
        self.log_id = log_id
        self.code = code
        self.match_id = match_id
        """Match that the device is to record; the director may still choose another."""
        self.table = table
        self.expires_at = expires_at
        """When the code, or the claim, is of no use any more."""
        self.claim: Claim | None = None
        self.state = PairingState.OPEN
        self.settling = asyncio.Lock()
        """Held while a director's answer is recorded: of two, the second finds the first."""
        self.grant_id: str | None = None
        """Grant that an approval made."""
        self.lease: int | None = None
        """Lease that an approval gave; None where no match was named."""
        self.uses = uses
        """For how many devices the code is."""
        self.guessed = 0
        """How often somebody had its first half right and the rest wrong."""
        self.claims: list[Pairing] = []
        """What became of a code for several devices: one for each that has claimed it."""

    @property
    def uses_left(self) -> int:
        """How many more devices may claim the code."""
        if self.state is not PairingState.OPEN:
            return 0
        return self.uses - len(self.claims)

    @property
    def is_pending(self) -> bool:
        """Whether something may still come of it."""
        return self.state in (PairingState.OPEN, PairingState.WAITING)


class Pairings:
    """The codes of one server. Only ever touched on the server's loop."""

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
        self._pairings: dict[str, Pairing] = {}

    def open(
        self, log_id: str, *, match_id: str | None, table: str | None, uses: int = 1
    ) -> Pairing:
        """A fresh code, for so many devices."""
        return self._made(log_id, self._free_code(), match_id=match_id, table=table, uses=uses)

    def _free_code(self) -> str:
        self._tidy()
        taken = {pairing.code for pairing in self._pairings.values()}
        code = self._code()
        while code in taken:
            code = self._code()
        return code

    def _made(
        self, log_id: str, code: str, *, match_id: str | None, table: str | None, uses: int = 1
    ) -> Pairing:
        of_log = [known for known in self._pairings.values() if known.log_id == log_id]
        for known in of_log[: max(0, len(of_log) + 1 - self._at_most)]:
            del self._pairings[known.pairing_id]
        pairing = Pairing(
            self._entropy(16).hex(),
            log_id,
            code,
            match_id=match_id,
            table=table,
            expires_at=self._now_ms() + LIFE_MS,
            uses=uses,
        )
        self._pairings[pairing.pairing_id] = pairing
        return pairing

    def with_code(self, code: str) -> Pairing | None:
        """The pairing that a code, however it was typed, is for; None if there is none."""
        self._tidy()
        typed = normal(code)
        for pairing in self._pairings.values():
            if typed and pairing.code == typed and pairing.state is not PairingState.EXPIRED:
                return pairing
        for pairing in self._pairings.values():
            if pairing.state is PairingState.OPEN and is_guess_at(pairing.code, typed):
                pairing.guessed += 1
                if pairing.guessed >= GUESSES:
                    pairing.state = PairingState.EXPIRED
                    _log.warning(VOID)
        return None

    def claim(self, pairing: Pairing, claim: Claim) -> Pairing:
        """What a device gets that claims a code; the same one may do so again. Errors: Problem."""
        if pairing.uses > 1:
            return self._claim_one_of(pairing, claim)
        if pairing.state is PairingState.OPEN:
            pairing.claim = claim
            pairing.state = PairingState.WAITING
            pairing.expires_at = self._now_ms() + LIFE_MS
        elif not is_by(pairing, claim.token_sha256):
            raise Problem("code-taken", "another device has used this code: ask for a new one")
        return pairing

    def _claim_one_of(self, code: Pairing, claim: Claim) -> Pairing:
        """A pairing of its own for each device that claims a code for several."""
        for one in code.claims:
            if is_by(one, claim.token_sha256):
                return one
        if code.uses_left < 1:
            raise Problem("code-taken", "this code was used up, or taken back: ask for a new one")
        one = self._made(code.log_id, "", match_id=None, table=code.table)
        code.claims.append(one)
        return self.claim(one, claim)

    def get(self, pairing_id: str) -> Pairing | None:
        """A pairing by its id; None if there is none, or none any more."""
        self._tidy()
        return self._pairings.get(pairing_id)

    def of_log(self, log_id: str) -> Iterator[Pairing]:
        """Pairings of a log, the oldest first."""
        self._tidy()
        return (pairing for pairing in self._pairings.values() if pairing.log_id == log_id)

    def end_of(self, is_called: Callable[[str], bool]) -> None:
        """Forget every device that is called so and was let in by nobody yet."""
        for pairing in list(self._pairings.values()):
            label = None if pairing.claim is None else pairing.claim.label
            if label is not None and is_called(label):
                self._pairings.pop(pairing.pairing_id, None)

    def settle(
        self,
        pairing: Pairing,
        state: PairingState,
        *,
        grant_id: str | None = None,
        lease: int | None = None,
    ) -> None:
        """A director has answered."""
        pairing.state = state
        pairing.grant_id = grant_id
        pairing.lease = lease

    def _tidy(self) -> None:
        step = 0 if self._steps is None else self._steps.taken()
        for pairing in self._pairings.values() if step else ():
            pairing.expires_at += step
        now = self._now_ms()
        for pairing in list(self._pairings.values()):
            # While an approval is recorded, the answer is on its way.
            is_waited_for = pairing.is_pending and not pairing.settling.locked()
            if pairing.expires_at + KEPT_MS <= now:
                del self._pairings[pairing.pairing_id]
            elif pairing.expires_at <= now and is_waited_for:
                pairing.state = PairingState.EXPIRED

    def _code(self) -> str:
        return fresh_code(self._entropy)


def fresh_code(entropy: Callable[[int], bytes]) -> str:
    """Eight letters by chance, each as likely as any other: 39 bits."""
    letters: list[str] = []
    while len(letters) < _CODE_LENGTH:
        # Bytes beyond the last whole alphabet would make its first letters likelier.
        for byte in entropy(_CODE_LENGTH):
            if byte < 256 - 256 % len(ALPHABET) and len(letters) < _CODE_LENGTH:
                letters.append(ALPHABET[byte % len(ALPHABET)])
    return "".join(letters)


def is_guess_at(code: str, typed: str) -> bool:
    """Whether somebody who typed this had the first half of a code, and not the rest."""
    half = _CODE_LENGTH // 2
    return len(typed) == _CODE_LENGTH and code != typed and code[:half] == typed[:half]


def is_by(pairing: Pairing, token_sha256: str) -> bool:
    """Whether a pairing was claimed with a token of this hash."""
    claim = pairing.claim
    return claim is not None and hmac.compare_digest(claim.token_sha256, token_sha256)


def normal(code: str) -> str:
    """A code without what people put between its letters."""
    return re.sub(r"[\s-]", "", code[:64]).upper()


def spaced(code: str) -> str:
    """A code as it is read aloud: two halves."""
    half = len(code) // 2
    return f"{code[:half]}-{code[half:]}"


def checked(claim: Claim) -> Claim:
    """The claim with its key written one way. Errors: BadInput."""
    if _DEVICE.fullmatch(claim.device) is None:
        raise BadInput("a device id is 1 to 64 letters, digits and . _ : -", where="$.device")
    if claim.public_key is None:
        return claim
    text = claim.public_key.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise BadInput("a public key is 32 bytes of Ed25519, in base64", where="$.public_key")
    return msgspec.structs.replace(claim, public_key=base64.b64encode(key).decode())
