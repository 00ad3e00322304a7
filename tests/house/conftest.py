"""Where the house stands, and its files; house tests need a checkout."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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

    @functools.cache
    def tree(path: Path) -> ast.Module:
        return ast.parse(path.read_text("utf-8"))

    def files(folders: tuple[str, ...]) -> Iterator[tuple[str, ast.Module]]:
        for folder in folders:
            for path in sorted((ROOT / folder).rglob("*.py")):
                yield path.relative_to(ROOT).as_posix(), tree(path)

    return lambda *folders: list(files(folders or FLOORS))
