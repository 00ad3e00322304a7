"""The disk fails at any call: acknowledged entries are there, and nothing is half done.

Calls of SQLite's own code and of the C library fail in turn: writes, flushes and truncations.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api.faults.disk_archive import make

pytestmark = pytest.mark.gate

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

FEW = {"append": 9, "group": 9, "ingest": 14, "import": 79, "backup": 47, "erasure": 61}
"""Of how many calls one fails in the gate, each in another way."""

WAYS = ("eio", "broken", "full", "short")
"""An error of the disk once, and from then on; no space; half of a write, and then no space."""


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory, require: Callable[[bool, str], None]) -> Path:
    """The library that makes a disk fail."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    require(compiler is not None and sys.platform == "linux", "there is no C compiler (Linux)")
    made = tmp_path_factory.mktemp("disk") / "disk.so"
    source = HERE / "failing_disk.c"
    command = [str(compiler), "-O1", "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return made


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive that each trial begins with."""
    home = tmp_path_factory.mktemp("template") / "home"
    make(home)
    return home


def check(disk: Path, template: Path, folder: Path, *plans: str) -> None:
    """Let the disk fail by these plans, `act:way:step`; nothing may be wrong after any failure."""
    ran = subprocess.run(
        [sys.executable, str(HERE / "disk_child.py"), str(template), str(folder), *plans],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(disk), "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
    )
    assert ran.returncode == 0, ran.stderr
    trials: list[dict[str, Any]] = [json.loads(line) for line in ran.stdout.splitlines()]
    failed = [trial for trial in trials if trial["failed"]]
    told = sorted({answer for trial in failed for answer in trial["answers"]})
    print(f"{' '.join(plans)}: {len(failed)} failures; told:", *told, sep="\n  ")
    assert [trial for trial in trials if trial["wrong"]] == []
    for plan in plans:
        act = plan.partition(":")[0]
        assert [trial["act"] for trial in failed].count(act) > 1
        # The last one found nothing to fail at any more: every call was reached.
        assert not [trial for trial in trials if trial["act"] == act][-1]["failed"]


def test_whatever_call_fails_nothing_acknowledged_is_lost_and_nothing_is_half_there(
    disk: Path, template: Path, tmp_path: Path
) -> None:
    check(disk, template, tmp_path, *(f"{act}:each:{step}" for act, step in FEW.items()))


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("act", FEW)
def test_the_same_of_each_single_call(
    disk: Path, template: Path, tmp_path: Path, act: str, way: str
) -> None:
    check(disk, template, tmp_path, f"{act}:{way}:1")
