"""Damaged and random files of every format through the whole import: whole matches, or refusals."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from api.archive.archive import Archive, open_archive
from api.exchange.mat import reader as mat_reader
from api.exchange.reading.sniff import decode
from api.imports.preparing import FAULT, Order, Preparer
from api.imports.ready import FileRefused, ReadyMatch
from api.imports.taking import LocalTaker
from events.store.fsck import fsck
from tests.api.exchange.ogxm_documents import OPENING, act, document
from tests.api.exchange.record_files import as_bgf, as_xg

GOLDEN = Path(__file__).parents[2] / "golden" / "files"

FILE_SECONDS = 60
"""Seconds that no file should take; only a test that hangs needs the limit."""

MORE_MEMORY = 300_000_000
"""What reading small files may take beyond what the tests took before, bytes."""

MAGIC = (
    b"RGMH",
    b"OGXM",
    b"\x28\xb5\x2f\xfd",
    b"(;FF[4]GM[6]",
    b'{"log":"x"}\n',
    b'{"match_length":',
)
"""Beginnings by which formats are known."""

WORDS = (
    *("Game 1\n", " 3 point match\n", "  1) 31: 8/5 6/5", "Doubles => 2", "Takes", "Drops", "\n"),
    *("Wins 1 point", "Cannot Move", "????", "Illegal play (;;;;)", " A : 0   B : 0\n", "bar/24*"),
    "\x00",
    *(
        "(;GM[6]",
        "B[31",
        "]",
        ";",
        "AE[a:x]",
        "\\",
        "{",
        "}",
        '"games":[',
        "null",
        "\ufeff",
        "\x00",
    ),
)
"""The pieces of random texts."""


def fixtures() -> list[bytes]:
    """Small home-made files, at least one of every format."""
    texts = [path for path in sorted(GOLDEN.iterdir()) if path.suffix in (".mat", ".txt", ".sgf")]
    told = (GOLDEN / "galaxy_3pt.txt").read_bytes()
    [match] = mat_reader.read(decode(told), told, "x")
    plies = [OPENING, act(0, 2, d1=6, d2=1, moves=[{"from": 12, "pips": 6}])]
    return [
        *(path.read_bytes() for path in texts),
        as_xg(match),
        as_bgf(match),
        json.dumps(document(*plies)).encode(),
    ]


def damaged(chance: random.Random, files: list[bytes]) -> bytes:
    """A file with bytes changed, lost, doubled, cut off or put in from another one."""
    data = bytearray(chance.choice(files))
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(data) or 1)
        match chance.randrange(6):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                data[at : at + 1] = chance.choice(b'0123456789/:;()*? \n[]{}"').to_bytes()
            case 2:
                del data[at : at + chance.randint(1, 40)]
            case 3:
                data[at:at] = data[chance.randrange(len(data) or 1) :][: chance.randint(1, 200)]
            case 4:
                other = chance.choice(files)
                begin = chance.randrange(len(other))
                data[at:at] = other[begin : begin + chance.randint(1, 200)]
            case _:
                if chance.random() < 0.2:
                    del data[at:]
    return bytes(data)


def random_file(chance: random.Random) -> bytes:
    """Bytes or words without sense, some with the beginning of a known format."""
    if chance.random() < 0.5:
        return chance.choice((b"", *MAGIC)) + chance.randbytes(chance.randint(0, 2_000))
    words = (chance.choice(WORDS) for _ in range(chance.randint(1, 200)))
    return chance.choice((b"", *MAGIC)) + chance.choice(("", " ")).join(words).encode()


@contextmanager
def not_for_ever() -> Iterator[None]:
    """Ends a file that hangs, so that the test fails and reports where."""

    def end(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"a file took more than {FILE_SECONDS} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(FILE_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def most_memory() -> int:
    """Most memory that this process had so far, bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def take_in(archive: Archive, count: int, *, seed: int) -> dict[str, int]:
    """Import that many files; returns the expected streams: stream id to its number of entries."""
    chance = random.Random(seed)
    files = fixtures()
    preparer = Preparer(Order(log_id="imports"))
    taker = LocalTaker(archive)
    expected: dict[str, int] = {}
    ready: list[ReadyMatch] = []
    for number in range(count):
        data = random_file(chance) if number % 5 == 0 else damaged(chance, files)
        with not_for_ever():
            for one in preparer.ready(data, f"{seed}-{number}", source_name="x"):
                if isinstance(one, FileRefused):
                    assert one.reason
                    assert not one.reason.startswith(FAULT), (seed, number, one.reason)
                else:
                    ready.append(one)
                    expected[one.result.match_id] = one.row.version
        if len(ready) >= 50:
            taker.take("imports", ready)
            ready.clear()
    taker.take("imports", ready)
    return expected


def check_import(url: str, count: int, *, seed: int) -> None:
    """No fault, no hang, no unbounded memory, and every match complete or absent."""
    archive = open_archive(url)
    try:
        before = most_memory()
        expected = take_in(archive, count, seed=seed)
        assert most_memory() - before < MORE_MEMORY
        heads = {head.stream_id: head.version for head in archive.store.streams("imports")}
        heads.pop("tournament")
        assert heads == expected
        assert len(expected) > count // 20
        assert not fsck(archive.store).findings
    finally:
        archive.close()


@pytest.mark.gate
def test_a_thousand_damaged_and_random_files(sqlite_url: str) -> None:
    check_import(sqlite_url, 1_000, seed=1)


@pytest.mark.long
def test_a_hundred_thousand_damaged_and_random_files(sqlite_url: str) -> None:
    check_import(sqlite_url, 100_000, seed=2)


def test_every_format_is_among_the_sources() -> None:
    """What is damaged here was sound before."""
    preparer = Preparer(Order(log_id="imports"))
    for data in fixtures():
        for one in preparer.ready(data, "x", source_name="x"):
            assert isinstance(one, ReadyMatch), one
