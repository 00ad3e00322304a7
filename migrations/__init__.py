"""The ledger's tables, made and brought up to date by Alembic; all that cannot be rebuilt.

`upgrade(url)` runs by itself on a server's first start. It blocks: inside a running event loop call
it through `asyncio.to_thread`. The scripts are package data, so an installed wheel migrates too.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.pool import NullPool

from events.store.address import FileAddress, MemoryAddress, ServerAddress, parse_address
from events.store.lock import WriterLock


def config(url: str) -> Config:
    """Alembic's configuration for the archive at `url`."""
    made = Config()
    made.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    # Not a main option: those are interpolated, and a password may hold a percent sign.
    made.attributes["url"] = url
    return made


def head() -> str:
    """The newest revision that this release knows."""
    newest = ScriptDirectory.from_config(config("memory://")).get_current_head()
    assert newest is not None
    return newest


def current(url: str) -> str | None:
    """Revision of the archive at `url`; None if it has no tables yet. Creates nothing."""
    address = parse_address(url)
    if isinstance(address, MemoryAddress):
        return head()
    if isinstance(address, FileAddress) and not address.path.exists():
        return None
    engine = engine_for(url)
    try:
        with engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    finally:
        engine.dispose()


def upgrade(url: str) -> bool:
    """Make the tables, or bring them up to date; False if there was nothing to do.

    Errors: StoreBusy if another process is writing to the SQLite file.
    """
    address = parse_address(url)
    if isinstance(address, MemoryAddress) or current(url) == head():
        return False
    if isinstance(address, ServerAddress):
        command.upgrade(config(url), "head")
        return True
    address.path.parent.mkdir(parents=True, exist_ok=True)
    # The file holds names: for its owner only. SQLite gives -wal and -shm the same mode.
    address.path.touch(mode=0o600)
    lock = WriterLock(address.path).acquire()
    try:
        command.upgrade(config(url), "head")
    finally:
        lock.release()
    return True


def engine_for(url: str) -> Engine:
    """A plain SQLAlchemy engine on the archive, one connection at a time; for migrations only."""
    address = parse_address(url)
    if isinstance(address, ServerAddress):
        dsn = address.dsn.replace("postgresql://", "postgresql+psycopg://", 1)
        return create_engine(dsn, poolclass=NullPool)
    if isinstance(address, FileAddress):
        file = URL.create("sqlite", database=str(address.path))
        return create_engine(file, poolclass=NullPool)
    return create_engine("sqlite://", poolclass=NullPool)
