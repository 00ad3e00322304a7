"""What tests of publishing ask of a publication: its rows, its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet

from api.archive.archive import Archive
from api.publishing.publication import Published
from api.publishing.tables import TABLES

NOW_MS = 1_773_500_000_000
"""The computer's clock in these tests."""

Publish = Callable[..., Published]
Demonstrate = Callable[[str], Archive]


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """Every row of a table, with its log."""
    found: list[dict[str, Any]] = pyarrow.parquet.read_table(folder / table).to_pylist()
    return found


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def told(folder: Path) -> str:
    """Every value of every table, as text, because the files are compressed."""
    return "".join(str(rows(folder, table.name)) for table in TABLES)
