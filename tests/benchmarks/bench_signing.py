"""What signing and custody cost those who append: the same appends with them and without, in pairs.

Two real servers in processes of their own, each as `append` says. One signs its logs once a second,
keeps every checkpoint in the database and outside of it, and records with every hundredth append
that somebody opened a case: an entry of the tournament's. What that takes of the processor, with
signing and openings, is held against the same appends on the other server, round by round; which
of them goes first changes. Sixteen writers do not let a server rest. On a slow machine more is
signed for each append: the ratio is too high then, and never too low. On PostgreSQL likewise, whose
own processes are not in the processor's time.
"""

from __future__ import annotations

import argparse
import asyncio
from contextlib import closing
from statistics import median
from typing import NamedTuple

import bench_append as append
from databases import SQLITE, Home, homes
from machine import built
from pairs import interval

from events.store.opening import open_store

GOAL = 1.15
"""Times the processor's time of appends that nobody signs."""

SERVERS = {"unsigned": False, "signed": True}


class Round(NamedTuple):
    """The same appends, on both servers."""

    unsigned_us: float
    """Processor time of the server for one append, microseconds."""
    signed_us: float
    """The same with all that signing and openings took."""

    @property
    def ratio(self) -> float:
        """Signed to unsigned."""
        return self.signed_us / self.unsigned_us


class Found(NamedTuple):
    """All rounds, and what was signed meanwhile."""

    rounds: list[Round]
    checkpoints: int
    openings: int


def run(
    home: Home = SQLITE,
    *,
    servers: int = 2,
    rounds: int = 8,
    requests: int = 60,
    settle: int = 1,
) -> Found:
    """`servers` pairs, one after the other; `requests` are those of a connection in a round."""
    found = Found([], 0, 0)
    for _ in range(servers):
        one = _run(home, rounds, requests, settle)
        found = Found(
            found.rounds + one.rounds,
            found.checkpoints + one.checkpoints,
            found.openings + one.openings,
        )
    return found


def _run(home: Home, rounds: int, requests: int, settle: int) -> Found:
    with home.empty() as (unsigned, one), home.empty() as (signed, other):
        with (
            append._server(one, url=unsigned) as plain,
            append._server(other, url=signed, is_signed=True) as signing,
        ):
            measured = asyncio.run(_measure(plain, signing, rounds, requests, settle))
        assert _kept(unsigned) == 0
        kept = _kept(signed)
    assert kept > 0, "nothing was signed: this measures nothing"
    openings = append.CONNECTIONS * requests // append.APPENDS_AN_OPENING * (rounds + settle)
    return Found(measured, kept, openings)


def _kept(url: str) -> int:
    with closing(open_store(url, read_only=True)) as store:
        return sum(len(store.checkpoint_sizes(head.log_id)) for head in store.logs())


async def _measure(
    plain: append.Place, signed: append.Place, rounds: int, requests: int, settle: int
) -> list[Round]:
    count = (rounds + settle) * requests
    places = {"unsigned": plain, "signed": signed}
    writers = {
        name: await append.Writers.connect(place.port, place.scribe, count=count)
        for name, place in places.items()
    }
    reader = await append._Client.connect(signed.port)
    found = []
    for number in range(rounds + settle):
        took = {}
        for name in sorted(SERVERS, reverse=bool(number % 2)):
            openings = asyncio.create_task(
                append.record_openings(
                    reader,
                    signed.director,
                    append.CONNECTIONS * requests // append.APPENDS_AN_OPENING,
                )
                if SERVERS[name]
                else asyncio.sleep(0)
            )
            row = await writers[name].round("append", number * requests, requests)
            await openings
            took[name] = row.cpu_us
        if number >= settle:
            found.append(Round(took["unsigned"], took["signed"]))
    for each in writers.values():
        each.close()
    reader.transport.close()
    return found


def table(found: Found) -> str:
    """Both servers' times, the ratio with its 95 % interval, and the goal."""
    ratios = [one.ratio for one in found.rounds]
    low, high = interval(ratios)
    return "\n".join(
        [
            f"{'':26}{'CPU us an append':>18}{'x':>8}",
            f"{'unsigned':26}{median(one.unsigned_us for one in found.rounds):18.0f}{1:8.3f}",
            f"{'signed, openings recorded':26}{median(one.signed_us for one in found.rounds):18.0f}"
            f"{median(ratios):8.3f}  95 %: {low:.3f} to {high:.3f}",
            f"{len(ratios)} pairs of rounds; {found.checkpoints} checkpoints were signed and kept,"
            f" {found.openings} openings recorded",
            f"goal: at most {GOAL} x; {'met' if median(ratios) <= GOAL else 'MISSED'}",
        ]
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--requests", type=int, default=60)
    options = parser.parse_args()
    for home in homes():
        print(home.name)
        found = run(home, servers=options.servers, rounds=options.rounds, requests=options.requests)
        print(table(found), flush=True)


if __name__ == "__main__":
    print(built())
    main()
