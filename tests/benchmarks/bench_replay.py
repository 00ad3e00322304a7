"""Full replay of a 600-event match, beside the eventsourcing library's 600-event aggregate.

Both read their rows from an SQLite file (WAL, FULL) in the same folder, in the same run. Ours
decodes every entry and runs every fold with legality and findings; theirs decodes every event and
applies a mutator that sets two attributes. Rounds alternate; the best of each counts.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from api.archive.archive import Archive, open_archive
from events import catalogue
from events.envelope import NO_STREAM
from events.payloads import dice, match, play
from events.payloads.base import Payload
from events.values import BySeat, Seat
from projections.board.position import STARTING
from projections.replay import replay

EVENTS = 600
ROUNDS = 25


class Match(Aggregate):
    """The same facts as an aggregate of the peer."""

    @event("Opened")
    def __init__(self, length: int) -> None:
        self.length = length
        self.dice: list[int] = []
        self.turns = 0

    @event("Rolled")
    def roll(self, seat: str, dice: list[int]) -> None:
        """A roll."""
        self.dice = dice

    @event("Played")
    def play(self, seat: str, moves: list[list[int]]) -> None:
        """A play."""
        self.turns += 1

    @event("GameStarted")
    def start(self) -> None:
        """A game begins."""
        self.dice = []


def random_match(events: int = EVENTS, *, seed: int = 600) -> list[Payload]:
    """So many events of a match between two players who play any legal play."""
    chance = random.Random(seed)
    payloads: list[Payload] = [match.MatchOpened(players=BySeat((), ()), length=99)]
    while len(payloads) < events:
        payloads.append(match.GameStarted())
        board, seat = STARTING, Seat.ONE
        while board.other[0] < 15:
            faces = (chance.randint(1, 6), chance.randint(1, 6))
            payloads.append(dice.Rolled(seat=seat, dice=faces))
            legal = list(board.legal_plays(faces))
            moves = chance.choice(legal).moves if legal else ()
            payloads.append(play.PlayMade(seat=seat, moves=moves))
            after = board.moved(moves).position
            assert after is not None
            board, seat = after.swap(), seat.other
    return payloads[:events]


def run() -> list[tuple[str, str]]:
    """Rows of (what, figure)."""
    payloads = random_match()
    with tempfile.TemporaryDirectory() as folder:
        archive, stream = _ours(Path(folder) / "ours.sqlite", payloads)
        peer, aggregate = _theirs(Path(folder) / "theirs.sqlite", payloads)
        ours = theirs = reading = float("inf")
        found: Any
        for _ in range(ROUNDS):
            rows = shown = found = None  # let go of the last round before the watch starts
            begun = time.perf_counter()
            rows = archive.store.read_sealed("bench", stream)
            read = time.perf_counter()
            shown = replay(catalogue.read_entries("bench", stream, rows))
            done = time.perf_counter()
            assert len(shown.steps) == EVENTS
            assert not shown.findings
            ours, reading = min(ours, done - begun), min(reading, read - begun)
            begun = time.perf_counter()
            found = peer.repository.get(aggregate)
            theirs = min(theirs, time.perf_counter() - begun)
            assert found.version == EVENTS
        archive.close()
        peer.close()
    return [
        ("ours: rows, decode, all folds, findings", f"{EVENTS / ours:,.0f} events/s"),
        ("  of which reading rows", f"{reading / ours:.0%}"),
        ("eventsourcing 9.5: rows, decode, mutate", f"{EVENTS / theirs:,.0f} events/s"),
        ("ratio (target 5.5 by the processor)", f"{theirs / ours:.1f} x"),
    ]


def _ours(path: Path, payloads: list[Payload]) -> tuple[Archive, str]:
    archive = open_archive(f"sqlite:///{path}")
    archive.open_tournament("bench", "Benchmark")
    drafts = [archive.draft(payload) for payload in payloads]
    archive.append("bench", "match", drafts, expected_version=NO_STREAM)
    return archive, "match"


def _theirs(path: Path, payloads: list[Payload]) -> tuple[Application[UUID], UUID]:
    peer: Application[UUID] = Application(
        env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)}
    )
    recorded = Match(99)
    for payload in payloads[1:]:
        match payload:
            case dice.Rolled(seat=seat, dice=faces):
                recorded.roll(seat.value, list(faces))
            case play.PlayMade(seat=seat, moves=moves):
                recorded.play(seat.value, [[one.from_point, one.to_point] for one in moves])
            case _:
                recorded.start()
    peer.save(recorded)
    return peer, recorded.id


def main() -> None:
    """Print the rows."""
    for what, figure in run():
        print(f"{what:<45}{figure:>20}")


if __name__ == "__main__":
    main()
