"""Where things are: the top level, our import names, and who may import whom."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.house.measure import long_files

ROOMS = {"api", "events", "migrations", "openapi", "projections", "tests"}
ROOT_FILES = {"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "pyproject.toml"}
MADE = {"build", "dist", "htmlcov", "uv.lock"}
"""Made by tools and never committed."""

FLOORS = ("api", "events", "migrations", "projections")


def test_the_top_level_holds_the_rooms_and_the_root_files(root: Path) -> None:
    shown = {path for path in root.iterdir() if not path.name.startswith(".")}
    shown = {path for path in shown if path.name not in MADE and path.suffix != ".egg-info"}
    assert {path.name for path in shown if path.is_dir()} - {"__pycache__"} == ROOMS
    assert {path.name for path in shown if path.is_file()} == ROOT_FILES


def test_no_file_is_longer_than_fits_a_head_but_those_that_are_whole_on_purpose() -> None:
    assert long_files() == []


def test_test_folders_are_no_packages(root: Path) -> None:
    # tests/events/__init__.py would make that folder be `events`, and ours could not be imported.
    assert not list((root / "tests").rglob("__init__.py"))


@pytest.mark.parametrize("name", FLOORS)
def test_nobody_else_owns_our_import_names(name: str, root: Path) -> None:
    # PyPI's `Events` silently overwrites our folder of that name when it is installed beside us.
    owners = set(importlib.metadata.packages_distributions().get(name, ()))
    assert owners <= {"tabularium-backgammon"}
    imported = importlib.import_module(name).__file__
    assert imported is not None
    assert Path(imported).parent == root / name


def test_what_we_depend_on_comes_from_no_url(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    asked = [
        *project["project"]["dependencies"],
        *(one for some in project["project"]["optional-dependencies"].values() for one in some),
        *(one for some in project["dependency-groups"].values() for one in some),
        *project["tool"]["uv"].get("constraint-dependencies", ()),
    ]
    assert not [one for one in asked if re.search(r"[a-z]:/|@", one)]
    assert not {"sources", "index", "find-links"} & set(project["tool"]["uv"])
    for path in [*root.glob("*constraint*"), *root.glob("*requirement*"), *root.glob(".ci/*.txt")]:
        assert "://" not in path.read_text("utf-8"), path


def test_imports_run_down_only(root: Path) -> None:
    """The contracts of `[tool.importlinter]`; to see what broke one: `uv run lint-imports`."""
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout
