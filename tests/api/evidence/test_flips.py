"""No bit turns unseen in a bundle of an imported match, in one with an appeal, nor in a pack."""

from __future__ import annotations

import asyncio
import random
import shutil
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.archive.archive import Archive, open_archive
from api.archive.keyring import Keyring, keys_folder
from api.cli import app as cli
from api.commands.demo import seed
from api.evidence.bundle import FULL, Files, Wanted
from api.evidence.evidence import bundled
from api.evidence.files import write_folder
from api.evidence.scripts import verify as verifier
from api.packs.pack import packed
from tests.api.evidence.case_rig import LOG, rig
from tests.api.evidence.conftest import is_verified, turned
from tests.projections.rules.federations import FEDERATIONS

pytestmark = pytest.mark.gate

REAL = "pipandlove__bg-db/fixtures/opengammon/vireo_vs_tester_2026-09-30.mat"
"""A match of five points, 142 plies."""

WHOLE = 4_096
"""Every bit is flipped of a file up to this size; of a larger one this number of bits."""
SOME = 2_000

SCRIPTS = Path(verifier.__file__).parent


def opened(url: str) -> Archive:
    return open_archive(url, keyring=Keyring(keys_folder(url), origin="archive.example/logs"))


def imported(url: str, path: Path) -> Files:
    """The bundle of a match that came in through the door for files."""
    result = CliRunner().invoke(cli, ["import", str(path), "--db", url])
    assert result.exit_code == 0, result.output
    archive = opened(url)
    try:
        [(log_id, match_id)] = {
            (row.log_id, row.stream_id)
            for head in archive.store.logs()
            for row in archive.store.read_log(head.log_id)
            if row.tag == "match.opened"
        }
        return bundled(archive, Wanted(log_id, match_id, FULL))
    finally:
        archive.close()


def demonstrated(url: str) -> Files:
    """The demonstration's final: a dispute, a ruling, an appeal and what became of it."""
    archive = opened(url)
    try:
        demo = asyncio.run(seed(archive))
        return bundled(archive, Wanted(demo.log_id, demo.match_id, FULL))
    finally:
        archive.close()


PACKS = [pytest.param(f"pack of {one}", marks=pytest.mark.long) for one in FEDERATIONS]
"""Of these `test_pack.py` turns some bits in the gate."""


@pytest.fixture(scope="module", params=["imported", "demonstrated", *PACKS])
def files(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    shared_folder: Path,
    require: Any,
) -> Files:
    place = tmp_path_factory.mktemp(request.param.replace(" ", "-"))
    if request.param.startswith("pack of "):
        made = rig(place, request.param.removeprefix("pack of "))
        return packed(made.archive, LOG, made.case).files
    url = f"sqlite:///{place / 'club.db'}"
    if request.param == "demonstrated":
        return demonstrated(url)
    path = shared_folder / "corpus" / REAL
    require(path.is_file(), "the corpus of real match files is not beside this checkout")
    return imported(url, path)


def bits(name: str, raw: bytes) -> Iterator[int]:
    every = range(len(raw) * 8)
    if len(raw) <= WHOLE:
        yield from every
    else:
        yield from random.Random(name).sample(every, SOME)


def test_they_verify_and_hold_what_they_are_named_for(
    files: Files, request: pytest.FixtureRequest
) -> None:
    told = list(verifier.verify_files(files))
    assert any(line.startswith("signed by ") for line in told)
    if "pack of " in request.node.name:
        return
    tags = b"".join(raw for name, raw in files.items() if name.startswith("entries/"))
    if "demonstrated" in request.node.name:
        assert b'"tag":"appeal.filed"' in tags
        assert b'"tag":"appeal.decided"' in tags
    else:
        assert tags.count(b'"tag":"play.made"') > 50


@pytest.fixture
def hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was not touched has the hash that it had, and a manifest its lines."""
    for pure in ("sha256", "listed_in"):
        monkeypatch.setattr(verifier, pure, lru_cache(8_192)(getattr(verifier, pure)))


@pytest.mark.usefixtures("hashed_once")
def test_no_bit_of_some_of_every_file_turns_unseen(files: Files) -> None:
    chance = random.Random(17)
    for name, raw in files.items():
        # There are hundreds of entries and of proofs, and one manifest.
        more = 1 if "/" in name else 4
        for bit in {0, len(raw) * 8 - 1, *(chance.randrange(len(raw) * 8) for _ in range(more))}:
            assert not is_verified({**files, name: turned(raw, bit)}), (name, bit)


@pytest.mark.long
def test_no_bit_of_any_file_turns_unseen(files: Files) -> None:
    """Every bit of a file of up to 4 kB, and 2,000 bits of a larger one, are flipped.

    Files that were not changed give the same result as before, so each of a million verifications
    checks only what concerns the changed file. For the first bit of each file, and for the
    manifest, everything is verified.
    """
    listed = verifier.listed_in(files[verifier.MANIFEST])
    turns = 0
    for name, raw in sorted(files.items()):
        assert not is_verified({**files, name: turned(raw, 0)}), name
        for bit in bits(name, raw):
            turns += 1
            changed = turned(raw, bit)
            if name == verifier.MANIFEST:
                assert not is_verified({**files, name: changed}), (name, bit)
            else:
                assert not is_as_listed(name, changed, listed), (name, bit)
    assert turns > 400_000


def is_as_listed(name: str, raw: bytes, listed: dict[str, str]) -> bool:
    try:
        verifier.check_file(name, raw, listed)
    except verifier.Fails:
        return False
    return True


BY_BASH = 500
PART = 20


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(number, marks=[pytest.mark.long] if number else [])
        for number in range(BY_BASH // PART)
    ],
)
def test_no_bit_of_five_hundred_turns_unseen_by_bash(
    files: Files, part: int, tmp_path: Path
) -> None:
    """By a script from outside: the one in the bundle is one of the files that are changed."""
    folder = tmp_path / "bundle"
    write_folder(files, folder)
    script = tmp_path / "verify.sh"
    shutil.copy(SCRIPTS / "verify.sh", script)
    chance = random.Random(part)
    kinds = sorted({name.split("/")[0] for name in files})
    for turn in range(PART):
        # Every kind of file as often as any other: there are hundreds of entries, and one policy.
        kind = kinds[turn % len(kinds)]
        name = chance.choice(sorted(one for one in files if one.split("/")[0] == kind))
        bit = chance.randrange(len(files[name]) * 8)
        (folder / name).write_bytes(turned(files[name], bit))
        done = subprocess.run(["bash", str(script), str(folder)], capture_output=True, check=False)
        assert done.returncode == 1, (name, bit, done.stdout)
        assert b"FAIL: " in done.stdout, (name, bit)
        (folder / name).write_bytes(files[name])
    done = subprocess.run(["bash", str(script), str(folder)], capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def test_bash_hashes_all_entries_at_once(files: Files, tmp_path: Path) -> None:
    """A process for each entry, and some for each step of its proof, took minutes of a long log."""
    write_folder(files, tmp_path / "bundle")
    calls, tool = tmp_path / "calls", tmp_path / "bin" / "sha256sum"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/bash\necho >>"{calls}"\nexec {shutil.which("sha256sum")} "$@"\n')
    tool.chmod(0o755)
    command = ["bash", str(SCRIPTS / "verify.sh"), str(tmp_path / "bundle")]
    path = f"{tool.parent}:/usr/bin:/bin"
    done = subprocess.run(command, capture_output=True, check=False, env={"PATH": path})
    assert done.returncode == 0, done.stdout
    entries = sum(name.startswith("entries/") for name in files)
    assert len(calls.read_text().splitlines()) < 30 < entries
