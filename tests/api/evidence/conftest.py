"""A tournament with a real match, on a file, signed: the source of bundles."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.archive.keyring import Keyring, keys_folder
from api.evidence.bundle import FULL, Files, Wanted
from api.evidence.evidence import bundled
from api.evidence.files import write_folder
from api.evidence.scripts import verify as verifier
from api.settings import Settings
from events.envelope import Basis
from events.payloads import dice, match
from events.payloads.access import Role
from events.personal import disclose
from events.values import BySeat, Seat

LOG = "open"
MATCH = "m1"


def names_of(archive: Archive) -> tuple[match.MatchOpened, tuple[bytes, ...]]:
    """An opening with two names and a round that are committed to, and their disclosures."""
    told = {"players.one.0.name": "Ada Lantern", "players.two.0.name": "Ben Candle", "round": "3"}
    made = {name: disclose(archive.entropy(16), name, value) for name, value in told.items()}
    one, two = (match.Player(name=made[f"players.{seat}.0.name"][0]) for seat in ("one", "two"))
    opened = match.MatchOpened(players=BySeat((one,), (two,)), length=3, round=made["round"][0])
    return opened, tuple(raw for _, raw in made.values())


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """A log with a match of a few entries between entries of others."""
    url = f"sqlite:///{tmp_path / 'club.db'}"
    made = open_archive(url, keyring=Keyring(keys_folder(url), origin="archive.example/logs"))
    made.open_tournament(LOG, "Lantern Open")
    made.grant(Role.SCRIBE, log_id=LOG)
    opened, raws = names_of(made)
    made.append(LOG, MATCH, [made.draft(opened, disclosures=raws)])
    made.append(LOG, "m2", [made.draft(match.MatchOpened(players=BySeat((), ()), length=5))])
    made.append(LOG, MATCH, [made.draft(match.GameStarted())])
    for faces in ((3, 1), (6, 5)):
        rolled = dice.Rolled(seat=Seat.ONE, dice=faces)
        made.append(LOG, MATCH, [made.draft(rolled, basis=Basis.OBSERVED)])
    made.grant(Role.VIEWER, log_id=LOG)
    yield made
    made.close()


@pytest.fixture
def files(archive: Archive) -> Files:
    """The whole bundle of that match."""
    return bundled(archive, Wanted(LOG, MATCH, FULL))


@pytest.fixture
def folder(files: Files, tmp_path: Path) -> Path:
    """The same in a folder."""
    place = tmp_path / "bundle"
    write_folder(files, place)
    return place


def is_verified(files: Files, old: Path | None = None) -> bool:
    """Whether the script of a bundle takes it, on top of an older one that was kept."""
    try:
        list(verifier.verify_files(files, None if old is None else str(old)))
    except (verifier.Fails, *verifier.MALFORMED):
        return False
    return True


def turned(raw: bytes, bit: int) -> bytes:
    """The same bytes but for one bit."""
    made = bytearray(raw)
    made[bit // 8] ^= 1 << bit % 8
    return bytes(made)


@pytest.fixture
def bundle_of(archive: Archive) -> Callable[..., Files]:
    """`bundle_of("public", since=3)`: another bundle of it."""

    def of(profile: str = FULL, *, since: int | None = None) -> Files:
        return bundled(archive, Wanted(LOG, MATCH, profile, since))

    return of


@pytest.fixture
def app(archive: Archive) -> Iterator[FastAPI]:
    index = MatchIndex(archive.store, archive.reading)
    yield create_app(archive, Settings(db=archive.url), index=index)
    index.close()


@pytest.fixture
async def http(app: FastAPI, archive: Archive) -> AsyncIterator[httpx.AsyncClient]:
    """A client with the operator's token."""
    headers = {"Authorization": f"Bearer {archive.operator_token()}"}
    transport = httpx.ASGITransport(app)
    base = "http://archive"
    async with httpx.AsyncClient(transport=transport, base_url=base, headers=headers) as made:
        yield made
