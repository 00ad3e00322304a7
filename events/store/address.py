"""Where an archive lies: a file, a PostgreSQL database or memory, read from one URL."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, unquote

import msgspec

from events.errors import BadInput

_SCHEME = re.compile(r"([a-z][a-z0-9+]+)://(.*)", re.DOTALL)


CLIENT_ENCODING = "UTF8"
"""How a PostgreSQL server is spoken to, whatever its database is kept in: of one made in the C
locale, which says nothing of that, texts would come as bytes."""


class MemoryAddress(msgspec.Struct, frozen=True):
    """An archive that is gone when the process ends."""


class FileAddress(msgspec.Struct, frozen=True):
    """An SQLite file."""

    path: Path
    """The database file; `-wal`, `-shm` and the lock file lie beside it."""

    def uri(self, *, mode: str) -> str:
        """The file as an SQLite URI; mode is ro, rw or rwc."""
        return f"file:{quote(str(self.path.absolute()))}?mode={mode}"


class ServerAddress(msgspec.Struct, frozen=True):
    """A PostgreSQL database."""

    dsn: str
    """libpq URI, as psycopg takes it."""


Address = MemoryAddress | FileAddress | ServerAddress


def parse_address(url: str) -> Address:
    """What a URL (or a plain file path) names. Errors: BadInput."""
    found = _SCHEME.fullmatch(url)
    if found is None:
        if not url:
            raise BadInput("the database needs a URL or a file path")
        return _file(url)
    scheme, rest = found.groups()
    if scheme == "memory":
        return MemoryAddress()
    if scheme == "sqlite":
        # Three slashes for a relative path, four for an absolute one, as SQLAlchemy has it.
        if len(rest) < 2 or rest[0] != "/":
            raise BadInput("an SQLite URL is sqlite:///relative/path or sqlite:////absolute/path")
        return _file(unquote(rest[1:]))
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return ServerAddress(f"postgresql://{rest}")
    raise BadInput(f"{scheme}:// is no database kept here: use sqlite:///, postgresql:// or a path")


def _file(path: str) -> FileAddress:
    found = Path(path)
    if not found.name or "\0" in path:
        raise BadInput(f"{path!r} names no file: the database needs the path of one")
    return FileAddress(found)


def url_of(path: Path) -> str:
    """The URL of a file, whatever it is called."""
    # What a URL takes for the code of another letter is none in a path.
    return f"sqlite:///{str(path).replace('%', '%25')}"


def without_password(url: str) -> str:
    """An address as it may be shown: without who logs in to a server, and by which password."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme in ("sqlite", "memory"):
        return url
    bare, _, asked = rest.rpartition("@")[2].partition("?")
    return f"{scheme}://{bare}" + ("?..." if asked else "")
