"""Shared by the tests of publishing: archives with a match that is public, and what was written."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path
from typing import Any

import pytest

from api.archive.archive import Archive, open_archive
from api.commands.demo import seed
from api.publishing.engines import Engine, LocalEngine
from api.publishing.partitions import Wanted
from api.publishing.publication import Published, plan_of, publish
from tests.api.publishing.published import NOW_MS, Demonstrate, Publish


@pytest.fixture
def demonstrate() -> Demonstrate:
    """Fill an archive with the demonstration: the same bytes in every archive; it is still open."""

    def demonstrated(url: str) -> Archive:
        chance = random.Random(4)
        archive = open_archive(url, now_ms=lambda: NOW_MS, entropy=chance.randbytes)
        asyncio.run(seed(archive))
        return archive

    return demonstrated


@pytest.fixture
def publish_to() -> Publish:
    """`publish_to(folder, url, engine=..., everything=..., names=..., log_id=...)`."""

    def published(
        folder: Path,
        url: str,
        *,
        engine: Engine | None = None,
        log_id: str | None = None,
        now_ms: int = NOW_MS,
        **wanted: Any,
    ) -> Published:
        with contextlib.closing(open_archive(url, read_only=True)) as archive:
            plan = plan_of(archive.store, Wanted(url=url, now_ms=now_ms, **wanted), log_id=log_id)
        return publish(plan, folder, engine or LocalEngine(1))

    return published
