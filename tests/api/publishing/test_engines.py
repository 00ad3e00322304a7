"""Every engine gives the parts in order, a few at a time, and hands its errors on."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from api.publishing import engines
from api.publishing.engines import Engine, LocalEngine, RayEngine
from api.publishing.extras import NotPublished
from api.publishing.partitions import Part, Partition, Wanted
from events.errors import Damaged
from tests.api.publishing.published import Demonstrate, Publish, files

pytestmark = pytest.mark.gate


def numbered(count: int) -> list[Partition]:
    wanted = Wanted(url="memory://", now_ms=0)
    return [
        Partition(
            wanted=wanted,
            log_id="club",
            number=number,
            first="a",
            last="b",
            size=1,
            entries=300_000,
        )
        for number in range(count)
    ]


def echoed(partition: Partition) -> Part:
    return Part(partition=partition, files={"process": str(os.getpid()).encode()}, rows={})


def refused(partition: Partition) -> Part:
    raise Damaged(f"part {partition.number} cannot be read")


def ended(partition: Partition) -> Part:
    os.kill(os.getpid(), signal.SIGKILL)
    return echoed(partition)


def numbers(parts: Iterator[Part]) -> list[int]:
    return [part.partition.number for part in parts]


def test_a_pool_gives_the_parts_in_order_from_other_processes() -> None:
    parts = list(LocalEngine(2).map(echoed, numbered(7)))
    assert numbers(iter(parts)) == list(range(7))
    assert str(os.getpid()).encode() not in {part.files["process"] for part in parts}


def test_one_worker_is_this_process_and_so_is_little_work() -> None:
    little = [msgspec.structs.replace(one, entries=100) for one in numbered(2)]
    for engine, partitions in ((LocalEngine(1), numbered(2)), (LocalEngine(2), little)):
        parts = list(engine.map(echoed, partitions))
        assert {part.files["process"] for part in parts} == {str(os.getpid()).encode()}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_refusal_comes_out_as_it_is(workers: int) -> None:
    with pytest.raises(Damaged, match="part 0 cannot be read"):
        list(LocalEngine(workers).map(refused, numbered(2)))


def test_a_worker_that_is_killed_is_told() -> None:
    with pytest.raises(NotPublished, match="fewer --workers"):
        list(LocalEngine(2).map(ended, numbered(2)))


def test_only_a_few_parts_are_under_way_at_once() -> None:
    begun: list[int] = []

    def beginning() -> Iterator[int]:
        for number in range(10):
            begun.append(number)
            yield number

    for number in engines._ahead(beginning(), 3):
        assert len(begun) <= number + 3
    assert begun == list(range(10))


def test_ray_gives_the_same_bytes(
    tmp_path: Path,
    sqlite_url: str,
    demonstrate: Demonstrate,
    publish_to: Publish,
    require: Callable[[bool, str], None],
) -> None:
    require(importlib.util.find_spec("ray") is not None, "Ray is not installed (extra ray)")
    demonstrate(sqlite_url).close()
    publish_to(tmp_path / "local", sqlite_url, engine=LocalEngine(1))
    publish_to(tmp_path / "ray", sqlite_url, engine=RayEngine(1))
    assert files(tmp_path / "local") == files(tmp_path / "ray")


def test_a_cluster_that_is_none_is_told_with_its_address(
    require: Callable[[bool, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    require(importlib.util.find_spec("ray") is not None, "Ray is not installed (extra ray)")
    monkeypatch.setenv("RAY_ADDRESS", "no-port")
    with pytest.raises(NotPublished, match=r"no Ray cluster to work with at no-port .*local"):
        list(RayEngine(1).map(echoed, numbered(1)))


@pytest.mark.parametrize(
    ("module", "extra", "engine"),
    [("pyarrow.parquet", "publish", LocalEngine(1)), ("ray", "ray", RayEngine())],
)
def test_what_is_not_installed_is_named_with_its_extra(
    module: str,
    extra: str,
    engine: Engine,
    tmp_path: Path,
    sqlite_url: str,
    demonstrate: Demonstrate,
    publish_to: Publish,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    demonstrate(sqlite_url).close()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotPublished, match=f"needs {module}: run `uv sync --extra {extra}`"):
        publish_to(tmp_path / "out", sqlite_url, engine=engine)
    assert not (tmp_path / "out").exists()
