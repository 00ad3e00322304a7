"""Delays count by a clock that nobody sets: a step publishes nothing early."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import msgspec
import pytest

from api.archive import lateness
from api.archive.archive import open_archive
from api.archive.lateness import Lateness, keeping

DELAY = 300_000


class Both:
    """The computer's clock, and one that nobody sets."""

    def __init__(self) -> None:
        self.now, self.steady = 1_800_000_000_000, 0

    def passes(self, ms: int) -> None:
        self.now += ms
        self.steady += ms


def test_without_a_step_it_is_the_clock_less_the_delay() -> None:
    both = Both()
    lateness = Lateness(lambda: both.now, lambda: both.steady)
    both.passes(1_000_000)
    assert lateness.before(DELAY) == both.now - DELAY
    assert lateness.before(0) == both.now


def test_a_clock_that_is_set_forward_makes_nothing_older() -> None:
    both = Both()
    lateness = Lateness(lambda: both.now, lambda: both.steady)
    received = both.now
    both.passes(10_000)
    both.now += 3_600_000
    for _ in range(29):
        assert lateness.before(DELAY) < received
        both.passes(10_000)
    # A delay after the step was seen, everything from before it is old.
    both.passes(10_000)
    later = both.now
    assert lateness.before(DELAY) >= received
    both.passes(DELAY - 1)
    assert lateness.before(DELAY) < later
    both.passes(1)
    assert lateness.before(DELAY) == later


def test_a_clock_that_is_set_back_shows_nothing_early() -> None:
    both = Both()
    lateness = Lateness(lambda: both.now, lambda: both.steady)
    received = both.now
    both.now -= 3_600_000
    both.passes(DELAY - 1)
    assert lateness.before(DELAY) < received
    later = both.now
    both.passes(DELAY)
    assert lateness.before(DELAY) == later


def test_several_steps_add_up() -> None:
    both = Both()
    lateness = Lateness(lambda: both.now, lambda: both.steady)
    received = both.now
    for _ in range(3):
        both.now += 200_000
        both.passes(20_000)
        assert lateness.before(DELAY) < received


# What a server keeps for the next one.


@pytest.fixture
def both() -> Both:
    return Both()


def begun(both: Both) -> Lateness:
    return Lateness(lambda: both.now, lambda: both.steady)


def test_a_clock_set_forward_while_no_server_ran_makes_nothing_older(
    both: Both, tmp_path: Path
) -> None:
    file = tmp_path / "clock"
    received = both.now
    begun(both).keep(file, "boot")
    both.passes(20_000)
    both.now += 3_600_000
    after = begun(both)
    assert after.before(DELAY) >= received
    after.recall(file, "boot")
    assert after.before(DELAY) < received
    assert after.steps() == ((0, 3_600_000),)
    both.passes(DELAY)
    assert after.before(DELAY) == both.now - DELAY


def test_a_step_that_one_server_saw_the_next_one_knows(both: Both, tmp_path: Path) -> None:
    file = tmp_path / "clock"
    first, received = begun(both), both.now
    both.now += 3_600_000
    first.keep(file, "boot")
    both.passes(DELAY - 1)
    second = begun(both)
    second.recall(file, "boot")
    assert second.before(DELAY) < received
    both.passes(1)
    assert second.before(DELAY) == both.now - DELAY


@pytest.mark.parametrize("boot", ["another", None])
def test_while_the_machine_was_off_no_delay_passed_and_what_was_public_stays_so(
    both: Both, tmp_path: Path, boot: str | None
) -> None:
    file = tmp_path / "clock"
    first = begun(both)
    both.passes(DELAY)
    public = first.before(DELAY)
    first.keep(file, "boot")
    both.now += 86_400_000
    both.steady = 5_000
    second = begun(both)
    second.recall(file, boot)
    assert second.before(DELAY) == public
    both.passes(1_000)
    assert second.before(DELAY) == public + 1_000
    both.passes(DELAY)
    assert second.before(DELAY) == both.now - DELAY


async def test_a_step_back_is_known_behind_a_kill_and_one_forward_shows_nothing_early(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lateness, "_LOOKED_EVERY_S", 0)
    monkeypatch.setattr(lateness, "boot_of_machine", lambda: "boot")
    file, killed = tmp_path / "clock", tmp_path / "as it was killed"
    serving = asyncio.create_task(keeping(begun(both), file))
    while not file.exists():
        await asyncio.sleep(0)
    both.now -= 3_600_000
    async with asyncio.timeout(30):
        while msgspec.json.decode(file.read_bytes())[0] != both.now:
            await asyncio.sleep(0)
    received = both.now
    killed.write_bytes(file.read_bytes())
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving
    both.passes(5_000)
    both.now += 3_600_000
    after = begun(both)
    after.recall(killed, "boot")
    assert after.before(DELAY) < received


@pytest.mark.parametrize("held", [None, b"", b"[1]", b"\xff"])
def test_a_file_that_cannot_be_read_changes_nothing(
    both: Both, tmp_path: Path, held: bytes | None
) -> None:
    file = tmp_path / "clock"
    if held is not None:
        file.write_bytes(held)
    lateness = begun(both)
    lateness.recall(file, "boot")
    assert lateness.before(DELAY) == both.now - DELAY


async def test_a_server_keeps_what_it_sees_and_an_archive_that_is_opened_recalls_it(
    sqlite_url: str,
) -> None:
    archive = open_archive(sqlite_url)
    assert archive.clock_file is not None
    assert archive.lateness.steps() == ()
    serving = asyncio.create_task(keeping(archive.lateness, archive.clock_file))
    # A thread writes it first, and would go on writing even if its task is cancelled.
    while not archive.clock_file.exists():
        await asyncio.sleep(0)
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving
    archive.close()
    assert archive.clock_file.stat().st_mode & 0o077 == 0
    seen = msgspec.json.decode(archive.clock_file.read_bytes())
    # As though the clock had been an hour behind when it was kept.
    seen[0] -= 3_600_000
    archive.clock_file.write_bytes(msgspec.json.encode(seen))
    after = open_archive(sqlite_url, read_only=True)
    [(_, by)] = after.lateness.steps()
    assert by >= 3_600_000 - 1_000
    after.close()
