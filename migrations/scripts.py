"""Alembic's side: its configuration, a plain engine for it, and the run of its scripts."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.pool import NullPool

from events.store.address import CLIENT_ENCODING, FileAddress, ServerAddress, parse_address


def config(url: str) -> Config:
    """Alembic's configuration for the archive at `url`."""
    made = Config()
    made.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    # Not a main option: those are interpolated, and a password may hold a percent sign.
    made.attributes["url"] = url
    return made


def run(url: str) -> None:
    """Bring the archive to the newest revision, in one transaction."""
    command.upgrade(config(url), "head")


def engine_for(url: str) -> Engine:
    """A plain SQLAlchemy engine on the archive, one connection at a time; for migrations only."""
    address = parse_address(url)
    if isinstance(address, ServerAddress):
        dsn = address.dsn.replace("postgresql://", "postgresql+psycopg://", 1)
        return create_engine(
            dsn,
            poolclass=NullPool,
            connect_args={"client_encoding": CLIENT_ENCODING},
            # Whoever has waited for another run must see what that one has made.
            isolation_level="READ COMMITTED",
        )
    if isinstance(address, FileAddress):
        file = URL.create("sqlite", database=str(address.path))
        return create_engine(file, poolclass=NullPool)
    return create_engine("sqlite://", poolclass=NullPool)
