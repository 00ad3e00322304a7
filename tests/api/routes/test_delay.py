"""The public is behind the table by the delay agreed, in every answer."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import httpx

from api.app import create_app
from api.archive.archive import open_archive
from api.archive.index.file import index_file
from api.archive.index.index import MatchIndex
from api.settings import Settings
from tests.api.routes.conftest import door_behind

DELAY = 300_000


async def test_the_public_sees_what_is_old_enough(
    api: Any, clock: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": DELAY})
    clock.now += 60_000
    await api.append(*begin())
    clock.now += DELAY - 60_000
    base = "/logs/club/matches/m1"
    for path, members in (("/replay", "lines"), ("/events", "entries")):
        public = (await api.get(base + path)).json()
        assert (public["version"], len(public[members])) == (1, 1)
        granted = (await api.get(base + path, api.scribe)).json()
        assert (granted["version"], len(granted[members])) == (4, 4)
    for path in ("", "/position", "/score", "/clock", "/findings"):
        assert (await api.get(base + path)).json()["version"] == 1, path
    assert (await api.get(f"{base}/replay?at=4")).status_code == 404
    assert (await api.get(f"{base}/replay?as_recorded=true&rules=common")).json()["version"] == 1
    assert len((await api.get(f"{base}/export.jsonl")).text.splitlines()) == 3
    assert "8/5" not in (await api.get(f"{base}/export.mat")).text
    assert "8/5" not in (await api.get("/matches/club/m1")).text
    row = (await api.get("/logs/club/matches")).json()["matches"][0]
    assert row["version"] == 1
    etag = (await api.get(f"{base}/position")).headers["etag"]
    clock.now += 60_000
    assert (await api.get(f"{base}/position", If_None_Match=etag)).status_code == 200
    assert (await api.get(base)).json()["version"] == 4
    row = (await api.get("/logs/club/matches")).json()["matches"][0]
    assert row["version"] == 4


async def test_a_log_that_a_stranger_counted_never_seems_shorter(
    api: Any, clock: Any, make: Any, begin: Any
) -> None:
    """A witness without a grant took the beginning of a match with a delay for a log cut short."""

    async def told() -> tuple[int, str]:
        found = (await api.get("/logs/club/checkpoint")).json()
        assert (await api.get("/logs/club")).json()["size"] == found["size"]
        return found["size"], found["root"]

    clock.now += 1_000
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    kept = await told()
    assert kept[0] == api.size()
    clock.now += 1_000
    later = {"public": True, "delay_ms": DELAY}
    await api.open("m2", publication=later)
    assert await told() == kept
    # Another process, elsewhere, has shown nobody anything, and gets the same result.
    door_behind(api.http).sizes_told.clear()
    door_behind(api.http).index._db.execute("DELETE FROM counted")
    assert await told() == kept
    await api.append(*begin(), match="m2")
    assert await told() == kept
    clock.now += DELAY
    kept = await told()
    assert kept[0] == api.size()
    # A longer delay that is agreed on later does not take back what was shown.
    await api.append(make("publication.released", delay_ms=3 * DELAY), token=api.director)
    await api.append(make("turn.ended", seat="one"), match="m2")
    assert await told() == kept


async def test_a_log_seems_no_shorter_after_a_restart(
    tmp_path: Path, api: Any, clock: Any, make: Any, begin: Any
) -> None:
    """A witness took it for one cut short: what strangers had been told was forgotten."""
    url = f"sqlite:///{tmp_path / 'restarted.sqlite'}"

    async def told(at: Any, *entries: Any) -> int:
        """By a server that was restarted with the files of the one before it."""
        index = MatchIndex(at.store, at.reading, path=index_file(url))
        app = create_app(at, Settings(db=url), index=index)
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://one"
        ) as http:
            one = type(api)(http, at)
            if entries:
                assert (await one.append(*entries, token=one.director)).status_code == 201
            size: int = (await one.get("/logs/club")).json()["size"]
            assert (await one.get("/logs/club/checkpoint")).json()["size"] == size
        index.close()
        return size

    with contextlib.closing(open_archive(url, now_ms=clock)) as at:
        at.open_tournament("club", "Club night")
        index = MatchIndex(at.store, at.reading)
        app = create_app(at, Settings(db=url), index=index)
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://one"
        ) as http:
            one = type(api)(http, at)
            await one.open("m2", publication={"public": True, "delay_ms": 0})
            await one.open()
            clock.now += 1_000
            await one.append(*begin())
        index.close()
        everything = await told(at)
        assert everything == at.store.log_head("club").size
        released = make("publication.released", delay_ms=DELAY)
        assert await told(at, released) == everything
        assert await told(at, make("turn.ended", seat="one")) == everything
        clock.now += DELAY
        everything = at.store.log_head("club").size
        assert await told(at) == everything


async def test_a_match_that_has_only_just_begun_is_an_empty_one(api: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": DELAY})
    answer = await api.get("/logs/club/matches/m1")
    assert answer.status_code == 200
    assert answer.json()["version"] == 0
    assert "Ann" not in answer.text
    assert "Ann" not in (await api.get("/logs/club/matches")).text
    assert (await api.get("/logs/club/matches/m1/export.mat")).status_code == 200


async def test_a_correction_is_as_late_as_any_entry(
    api: Any, clock: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": DELAY})
    entries = begin()
    await api.append(*entries)
    clock.now += DELAY
    await api.append(make("entry.retracted", target=entries[-1]["entry_id"]))
    public = (await api.get("/logs/club/matches/m1/replay")).json()
    assert [line["version"] for line in public["lines"]] == [1, 2, 3, 4]
    clock.now += DELAY
    public = (await api.get("/logs/club/matches/m1/replay")).json()
    assert [line["version"] for line in public["lines"]] == [1, 2, 3]


async def test_an_erased_context_counts_as_old(api: Any, clock: Any, begin: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": DELAY})
    await api.append(*begin())
    store = api.archive.store
    last = store.read_stream("club", "m1")[-1]
    from events.personal import commitment_of, opened

    [raw] = [
        raw
        for raw in store.disclosures_of("club", [last.global_position])[last.global_position]
        if opened(raw)[1] == "context"
    ]
    store.erase_disclosure("club", commitment_of(raw))
    assert (await api.get("/logs/club/matches/m1")).json()["version"] == 4


async def test_a_long_young_tail_is_walked_through(api: Any, clock: Any, make: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": DELAY})
    clock.now += DELAY
    for _ in range(3):
        await api.append(*[make("turn.ended", seat="one") for _ in range(40)])
    assert (await api.get("/logs/club/matches/m1")).json()["version"] == 1
    assert (await api.get("/logs/club/matches/m1", api.scribe)).json()["version"] == 121
