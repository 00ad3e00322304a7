"""Where the house stands, and its files; house tests need a checkout."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.house.trees import tree_of

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("api", "events", "migrations", "projections")

Sources = Callable[..., list[tuple[str, ast.Module]]]


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def sources() -> Sources:
    """`sources("events", "tests")`: (path, syntax tree) of every Python file of those folders."""

    def files(folders: tuple[str, ...]) -> Iterator[tuple[str, ast.Module]]:
        for folder in folders:
            for path in sorted((ROOT / folder).rglob("*.py")):
                yield path.relative_to(ROOT).as_posix(), tree_of(path)

    return lambda *folders: list(files(folders or FLOORS))
