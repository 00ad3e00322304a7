"""SQLite and, where its programs are, PostgreSQL: empty archives for what is measured on both.

PostgreSQL is one of our own in a temporary folder that waits for its disk at every commit, as
SQLite does with synchronous=FULL: what is compared has the same durability.
"""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import migrations
from tests.conftest import PostgresServer, _postgres_bins, _runs

_numbers = itertools.count(1)


def sqlite_in(folder: Path) -> str:
    """Address of the archive that lies in the folder."""
    return f"sqlite:///{folder / 'archive.sqlite'}"


class Home(NamedTuple):
    """Where archives are made."""

    name: str
    """SQLite or PostgreSQL."""
    postgres: PostgresServer | None = None

    @contextlib.contextmanager
    def empty(self) -> Iterator[tuple[str, Path]]:
        """Address of a new, empty archive, and a folder for what lies beside it."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if self.postgres is None:
                migrations.upgrade(str(folder / "archive.sqlite"))
                yield sqlite_in(folder), folder
                return
            database = f"bench{next(_numbers)}"
            self.postgres.execute(f"CREATE DATABASE {database}")
            url = self.postgres.url(database)
            migrations.upgrade(url)
            try:
                yield url, folder
            finally:
                self.postgres.execute(f"DROP DATABASE {database} WITH (FORCE)")


SQLITE = Home("SQLite")


def homes() -> Iterator[Home]:
    """SQLite first; then PostgreSQL, which runs until the next one is asked for."""
    yield SQLITE
    programs = next(filter(_runs, _postgres_bins()), None)
    if programs is None:
        print("PostgreSQL: there are no programs of it")
        return
    server = PostgresServer(programs)
    try:
        server.make()
        server.run("fsync=on")
        yield Home("PostgreSQL", server)
    finally:
        server.stop()
