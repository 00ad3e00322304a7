"""The same files become the same bytes: a change of the code's structure changes none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ("gnubg_3pt.mat", "hub_3pt.sgf", "odd.mat")
KEPT = ROOT / "tests" / "golden" / "sameness.txt"

# A version of the library that writes Parquet is part of those bytes.
LEFT_OUT = " publication "


@pytest.mark.gate
def test_seals_findings_and_exports_of_the_same_files_are_what_they_were() -> None:
    # As seen from the root: an answer of the import names its files.
    paths = [f"tests/golden/files/{name}" for name in FILES]
    done = subprocess.run(
        [sys.executable, "-m", "tests.house.sameness", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    made = [line for line in done.stdout.splitlines() if LEFT_OUT not in line]
    assert len(made) > 20
    if os.environ.get("TABULARIUM_REWRITE"):
        KEPT.write_text("".join(f"{line}\n" for line in made), "utf-8")
    assert made == KEPT.read_text("utf-8").splitlines()
