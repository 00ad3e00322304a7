"""Checkpoints and proofs: a log that only grows can prove it, to everybody who may know of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from api.archive.archive import Archive
from api.archive.trees import Trees
from events.envelope import EventDraft
from events.errors import Damaged
from events.payloads.access import Role
from events.payloads.tournament import TournamentOpened
from events.sealing import merkle
from events.store.memory import MemoryEventStore
from tests.api.devices import Tablet
from tests.api.routes.conftest import LOG, MATCH, Api, entry
from tests.api.routes.test_ingest import Hall, game


@pytest.fixture
async def hall(api: Api) -> Hall:
    made = Hall(api)
    assert (await api.open()).status_code == 201
    return made


@pytest.fixture
async def tablet(hall: Hall) -> Tablet:
    made = Tablet()
    await hall.pair(made)
    return made


async def sent(hall: Hall, tablet: Tablet, *items: Any, **more: Any) -> dict[str, Any]:
    """The answer to a batch of a tablet that holds a checkpoint."""
    body = {"items": list(items), **more}
    answer = await hall.api.post(f"/logs/{LOG}/ingest", body, tablet.token)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def asked(api: Api, path: str, token: str | None = None, status: int = 200) -> Any:
    """What a door of the log answers."""
    answer = await api.get(f"/logs/{LOG}/{path}", token or api.director)
    assert answer.status_code == status, answer.text
    return answer.json()


def leaves_of(archive: Archive) -> list[bytes]:
    """Leaf hashes computed again from the sealed bytes."""
    return [merkle.leaf_hash(row.sealed) for row in archive.store.read_log(LOG)]


def unhexed(hashes: Sequence[str]) -> list[bytes]:
    return [bytes.fromhex(each) for each in hashes]


def goes_on(old: dict[str, Any], told: dict[str, Any]) -> bool:
    """Whether the answer to a batch proves that its checkpoint extends an earlier one."""
    new, proof = told["checkpoint"], told["consistency"]
    return proof["from"] == old["size"] and merkle.extends(
        old["size"],
        new["size"],
        path=unhexed(proof["hashes"]),
        old_root=bytes.fromhex(old["root"]),
        new_root=bytes.fromhex(new["root"]),
    )


async def test_the_answer_to_a_batch_holds_the_log_as_the_batch_left_it(
    hall: Hall, tablet: Tablet
) -> None:
    told = await sent(hall, tablet, *game(tablet))
    leaves = leaves_of(hall.api.archive)
    assert told["checkpoint"] == {"size": len(leaves), "root": merkle.root(leaves).hex()}
    assert told["consistency"] is None


async def test_each_checkpoint_is_proved_to_go_on_from_the_one_before(
    hall: Hall, tablet: Tablet
) -> None:
    told = await sent(hall, tablet, *game(tablet))
    for at in range(4, 12):
        kept = told["checkpoint"]
        # Others write to the same log in between, in a stream of their own.
        await hall.director(*[entry("player.registered", player=f"p{at}-{n}") for n in range(at)])
        item = tablet.record("director.called", at)
        told = await sent(hall, tablet, item, checkpoint_size=kept["size"])
        assert told["checkpoint"]["size"] == kept["size"] + at + 1
        assert goes_on(kept, told)
        assert not goes_on({**kept, "root": "0" * 64}, told)


async def test_a_checkpoint_that_is_the_log_needs_no_hashes(hall: Hall, tablet: Tablet) -> None:
    kept = (await sent(hall, tablet, *game(tablet)))["checkpoint"]
    told = await sent(hall, tablet, checkpoint_size=kept["size"])
    assert told["checkpoint"] == kept
    assert told["consistency"] == {"from": kept["size"], "hashes": []}


@pytest.mark.parametrize("beyond", [0, 1, 1_000])
async def test_no_checkpoint_and_one_beyond_the_log_cannot_be_gone_on_from(
    hall: Hall, tablet: Tablet, beyond: int
) -> None:
    size = hall.api.size() + beyond if beyond else 0
    told = await sent(hall, tablet, checkpoint_size=size)
    assert told["checkpoint"]["size"] == hall.api.size()
    assert told["consistency"] is None


async def test_the_checkpoint_is_where_the_log_stands(hall: Hall) -> None:
    answer = await hall.api.get(f"/logs/{LOG}/checkpoint", hall.api.director)
    leaves = leaves_of(hall.api.archive)
    assert answer.json() == {"size": len(leaves), "root": merkle.root(leaves).hex()}
    etag = answer.headers["ETag"]
    path = f"/logs/{LOG}/checkpoint"
    again = await hall.api.get(path, hall.api.director, If_None_Match=etag)
    assert again.status_code == 304
    await hall.director(entry("player.registered", player="p1"))
    assert (await asked(hall.api, "checkpoint"))["size"] == len(leaves) + 1


async def test_every_entry_is_proved_to_be_in_the_log_at_every_size(
    hall: Hall, tablet: Tablet
) -> None:
    await sent(hall, tablet, *game(tablet))
    leaves = leaves_of(hall.api.archive)
    for size in range(1, len(leaves) + 1):
        for at in range(size):
            proof = await asked(hall.api, f"proof/inclusion?entry={at}&size={size}")
            assert (proof["entry"], proof["size"]) == (at, size)
            assert proof["leaf_hash"] == leaves[at].hex()
            root = merkle.root(leaves[:size])
            assert proof["root"] == root.hex()
            path = unhexed(proof["hashes"])
            assert merkle.includes(leaves[at], at, size=size, path=path, root=root)
    now = await asked(hall.api, "proof/inclusion?entry=0")
    assert now["size"] == len(leaves)


async def test_every_size_is_proved_to_be_a_beginning_of_every_later_one(
    hall: Hall, tablet: Tablet
) -> None:
    await sent(hall, tablet, *game(tablet))
    leaves = leaves_of(hall.api.archive)
    for to in range(1, len(leaves) + 1):
        for start in range(1, to + 1):
            proof = await asked(hall.api, f"proof/consistency?from={start}&to={to}")
            new_root = merkle.root(leaves[:to])
            assert (proof["from"], proof["to"], proof["root"]) == (start, to, new_root.hex())
            path, old_root = unhexed(proof["hashes"]), merkle.root(leaves[:start])
            assert merkle.extends(start, to, path=path, old_root=old_root, new_root=new_root)
    now = await asked(hall.api, "proof/consistency?from=1")
    assert now["to"] == len(leaves)


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("proof/inclusion", "query.entry"),
        ("proof/inclusion?entry=-1", "query.entry"),
        ("proof/inclusion?entry=first", "query.entry"),
        ("proof/inclusion?entry=900", "query.entry"),
        ("proof/inclusion?entry=1&size=1", "query.entry"),
        ("proof/inclusion?entry=0&size=0", "query.size"),
        ("proof/inclusion?entry=0&size=900", "query.size"),
        (f"proof/inclusion?entry={2**80}", "query.entry"),
        ("proof/consistency", "query.from"),
        ("proof/consistency?from=0", "query.from"),
        ("proof/consistency?from=2&to=1", "query.from"),
        ("proof/consistency?from=900", "query.from"),
        ("proof/consistency?from=1&to=900", "query.to"),
    ],
)
async def test_what_the_log_does_not_hold_is_refused_by_name(
    hall: Hall, path: str, where: str
) -> None:
    problem = await asked(hall.api, path, status=400)
    assert problem["type"] == "/problems/bad-parameter"
    assert problem["where"] == where


DOORS = ("checkpoint", "proof/inclusion?entry=0", "proof/consistency?from=1")


@pytest.mark.parametrize("door", DOORS)
async def test_whoever_may_know_of_the_log_may_read_them(hall: Hall, door: str) -> None:
    api = hall.api
    path = f"/logs/{LOG}/{door}"
    api.archive.open_tournament("other", "Another")
    assert (await api.get(path)).status_code == 401
    assert (await api.get(path, api.token(Role.VIEWER, log="other"))).status_code == 403
    assert (await api.get(path, api.token(Role.VIEWER, match=MATCH))).status_code == 200
    assert (await api.get(f"/logs/nowhere/{door}", api.director)).status_code == 404
    assert (await api.open("m2", publication={"public": True, "delay_ms": 0})).status_code == 201
    answer = await api.get(path)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-cache"


# What it costs.


class Counted:
    """A store that remembers which leaf hashes were read, and can be put in another's place."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.read: list[tuple[int, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def leaf_hashes(self, log_id: str, *, start: int, limit: int) -> list[bytes]:
        self.read.append((start, limit))
        found: list[bytes] = self.store.leaf_hashes(log_id, start=start, limit=limit)
        return found


async def test_only_what_is_new_is_read_and_an_append_reads_nothing(
    hall: Hall, tablet: Tablet, app: Any, make: Any, begin: Any
) -> None:
    counted = Counted(hall.api.archive.store)
    app.state.door.trees = Trees(counted)
    assert (await hall.api.append(*begin())).status_code == 201
    assert counted.read == []
    before = hall.api.size()
    await sent(hall, tablet)
    assert counted.read == [(0, before)]
    assert (await hall.api.append(make("turn.ended", seat="one"))).status_code == 201
    assert counted.read == [(0, before)]
    for number in range(3):
        await sent(hall, tablet)
        assert counted.read[1:] == [(before, 1)], number


def filled(make_draft: Any, *sizes: int) -> MemoryEventStore:
    """A store with logs `log-0`, `log-1` ... of these sizes."""
    store = MemoryEventStore()
    for number, size in enumerate(sizes):
        store.open_log(f"log-{number}")
        if size:
            store.append(f"log-{number}", "m", [make_draft() for _ in range(size)])
    return store


@pytest.fixture
def make_draft(archive: Archive) -> Any:
    def make() -> EventDraft:
        return archive.draft(TournamentOpened(title="One of many"))

    return make


async def test_many_who_ask_at_once_read_once(make_draft: Any) -> None:
    counted = Counted(filled(make_draft, 40))
    trees = Trees(counted)
    standings = await asyncio.gather(*[trees.now("log-0") for _ in range(20)])
    assert counted.read == [(0, 40)]
    assert {standing.tree.root() for standing in standings} == {standings[0].head.root}


async def test_the_trees_that_were_asked_for_last_are_kept(make_draft: Any) -> None:
    trees = Trees(filled(make_draft, 5, 5, 5, 1_500), capacity=3_000)
    for number in (0, 1, 2, 0):
        await trees.now(f"log-{number}")
    assert trees.kept == ["log-1", "log-2", "log-0"]
    standing = await trees.now("log-3")
    assert trees.kept == ["log-0", "log-3"]
    assert standing.tree.size == 1_500


async def test_a_log_larger_than_all_that_may_be_kept_is_kept_alone(make_draft: Any) -> None:
    trees = Trees(filled(make_draft, 5, 1_500), capacity=1_200)
    await trees.now("log-0")
    standing = await trees.now("log-1")
    assert trees.kept == ["log-1"]
    assert standing.tree.root() == standing.head.root


async def test_another_archive_in_the_same_place_is_read_anew(make_draft: Any) -> None:
    counted = Counted(filled(make_draft, 8))
    trees = Trees(counted)
    first = await trees.now("log-0")
    for size in (12, 8, 5, 0):
        counted.store = filled(make_draft, size)
        standing = await trees.now("log-0")
        assert standing.head.size == standing.tree.size == size
        assert standing.tree.root() == standing.head.root != first.head.root


async def test_damaged_hashes_make_no_proof_and_lose_no_entry(
    hall: Hall, tablet: Tablet, app: Any
) -> None:
    class Damaging(Counted):
        def leaf_hashes(self, log_id: str, *, start: int, limit: int) -> list[bytes]:
            return [b"\0" * 32, *super().leaf_hashes(log_id, start=start, limit=limit)[1:]]

    trees = app.state.door.trees = Trees(Damaging(hall.api.archive.store))
    told = await sent(hall, tablet, *game(tablet), checkpoint_size=1)
    assert [result["outcome"] for result in told["results"]] == ["accepted"] * 3
    assert told["checkpoint"] is None
    assert told["consistency"] is None
    problem = await asked(hall.api, "proof/consistency?from=1", status=500)
    assert problem["type"] == "/problems/damaged"
    with pytest.raises(Damaged, match="fsck"):
        await trees.now(LOG)
