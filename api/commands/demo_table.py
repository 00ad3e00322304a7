"""A table of the demonstration with its tablet: each act becomes an entry at its time."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence

from api.archive.archive import Archive
from api.desk.desk import Desk
from api.desk.entries import EntryIn
from api.desk.hand import Hand
from events.envelope import NO_STREAM, Basis
from events.values import ONE, TWO, CheckerMove, Seat
from projections.board.notation import parse
from projections.custody.access import Grant

DEMO_LOG = "demo"
"""Log of the demonstration."""

DEMO_MATCH = "final-table-1"
"""Its final."""

DEMO_RULES = "usbgf-2017-07"
"""Rule set of the tournament."""

_START_MS = 1_773_493_200_000
"""Appointed start: 2026-03-14 13:00 UTC."""


def entry_id(number: int, match: str = DEMO_MATCH) -> str:
    """The same ids on every start: a start that was cut short is gone on with by sending again."""
    octets = bytearray(hashlib.sha256(f"{DEMO_LOG} {match} {number}".encode()).digest()[:16])
    octets[6] = (octets[6] & 0x0F) | 0x80
    octets[8] = (octets[8] & 0x3F) | 0x80
    return str(uuid.UUID(bytes=bytes(octets)))


class Table:
    """A table with its tablet: each act becomes an entry at the time that the tablet shows."""

    def __init__(
        self,
        archive: Archive,
        *,
        scribe: Hand,
        director: Hand,
        match: str = DEMO_MATCH,
        number: str = "1",
    ) -> None:
        self.archive = archive
        self.match = match
        self.number = number
        self.scribe = scribe
        self.director = director
        self.desk = Desk(archive)
        self.at_ms = 0
        self.version = NO_STREAM
        self.last = ""
        """Entry id of the last entry."""

    async def record(
        self,
        tag: str,
        *,
        after_s: int = 0,
        by_director: bool = False,
        basis: Basis = Basis.OBSERVED,
        is_timed: bool = True,
        at_case: Grant | None = None,
        **body: object,
    ) -> str:
        """Append one entry `after_s` seconds after the one before; its id."""
        self.at_ms += after_s * 1000
        # Bodies are plain JSON here, as a tablet sends them.
        body = {
            name.rstrip("_"): str(value) if isinstance(value, Seat) else value
            for name, value in body.items()
        }
        if is_timed:
            body["at_ms"] = self.at_ms
        self.last = entry_id(self.version + 1, self.match)
        entry = EntryIn(
            entry_id=self.last,
            tag=tag,
            body=body,
            basis=basis,
            occurred_at=_START_MS + self.at_ms,
            device=None if by_director or at_case is not None else f"tablet-{self.number}",
        )
        hand = self.director if by_director else self.scribe
        if at_case is not None:
            hand = Hand([at_case], is_at_case=True)
        appended = await self.desk.append(
            hand, DEMO_LOG, self.match, [entry], expected_version=self.version
        )
        if not appended.duplicate:
            self.archive.reading.took(appended.events)
        self.version += 1
        return self.last

    async def roll(self, seat: Seat, dice: Sequence[int], *, after_s: int = 6) -> str:
        """A throw that counts."""
        return await self.record("dice.rolled", after_s=after_s, seat=seat, dice=list(dice))

    async def play(self, seat: Seat, text: str, *, after_s: int = 9) -> str:
        """A play as it was made, and the press that ends the turn."""
        moves = [_pair(move) for move in parse(text).moves] if text else []
        made = await self.record("play.made", after_s=after_s, seat=seat, moves=moves)
        await self.record("clock.pressed", after_s=2, seat=seat)
        return made

    async def turn(self, seat: Seat, dice: Sequence[int], text: str, *, after_s: int = 9) -> None:
        """A roll and its play."""
        await self.roll(seat, dice)
        await self.play(seat, text, after_s=after_s)

    async def open(
        self,
        one: str = "Ada Lindqvist",
        two: str = "Bram Osei",
        *,
        length: int = 3,
        round_: str = "Final",
        beside: str | None = None,
    ) -> None:
        """The match as the draw sheet has it, published from the start.

        `beside`: the match beside whose record this one is a second scribe's: it is not released.
        """
        await self.record(
            "match.opened",
            by_director=True,
            is_timed=False,
            players={"one": [{"name": one}], "two": [{"name": two}]},
            length=length,
            event="Lantern Cup",
            round_=round_,
            table=self.number,
            date="2026-03-14",
            appointed_start="2026-03-14T13:00:00Z",
            start_basis="posted",
            rule_set=DEMO_RULES,
            options={"crawford": {"value": "on"}},
            clock_terms={
                "kind": "simple",
                "reserve_ms": length * 120_000,
                "delay_ms": 12_000,
            },
            publication={"public": True, "delay_ms": 0} if beside is None else None,
            shadow_of=beside,
        )

    async def begin(self, *, length: int = 3) -> None:
        """Both are there, and the clock is set."""
        await self.record("player.arrived", after_s=5, seat=ONE)
        await self.record("player.arrived", after_s=40, seat=TWO)
        await self.record(
            "clock.set",
            after_s=60,
            kind="simple",
            reserve_ms={"one": length * 120_000, "two": length * 120_000},
            delay_ms=12_000,
            formula="2 minutes a point",
        )

    async def close(self) -> None:
        """The result, as both players report it."""
        await self.record("match.ended", after_s=4, winner="one", score={"one": 3, "two": 0})
        await self.record(
            "result.reported", after_s=90, seat=ONE, winner="one", score={"one": 3, "two": 0}
        )


def _pair(move: CheckerMove) -> list[int]:
    return [move.from_point, move.to_point]
