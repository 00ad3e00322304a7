"""What can be wrong with an installation: each check says what it found and what to do."""

from __future__ import annotations

import enum
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

import migrations
from api.commands.printing import NEEDS_DRIVER
from events.errors import LedgerError, is_driver_fault
from events.store.address import Address, FileAddress, ServerAddress, parse_address
from events.store.lock import has_wal_fault, read_lock

DISTRIBUTION = "tabularium-backgammon"
"""The name of this project in package indexes."""

ENTRY_POINT = "api.cli:main"
"""What the command `tabularium` runs."""

IMPORT_NAMES = ("api", "events", "migrations", "projections")
"""Names under which this project is imported; another distribution may own one of them too."""

OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 37, 0)
"""First release with STRICT tables."""


class Verdict(enum.StrEnum):
    """How a check came out."""

    WELL = "well"
    NOTE = "note"
    FAULT = "fault"


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at."""

    name: str
    """What was checked."""
    verdict: Verdict
    """The result."""
    message: str
    """What was found and, if something is wrong, what to do."""


def examine(url: str) -> list[Check]:
    """Every check of this machine and of the archive at `url`; nothing is changed."""
    return list(_checks(url))


def _checks(url: str) -> Iterator[Check]:
    yield _python()
    yield from _sqlite()
    yield _names()
    yield _command()
    try:
        address = parse_address(url)
    except LedgerError as error:
        yield Check("database", Verdict.FAULT, str(error))
        return
    yield from _database(url, address)


def _python() -> Check:
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return Check("python", Verdict.FAULT, f"{version} is too old: 3.11 or later is needed")
    return Check("python", Verdict.WELL, version)


def _sqlite() -> Iterator[Check]:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        yield Check("sqlite", Verdict.FAULT, f"{version} is too old: 3.37 or later is needed")
        return
    if has_wal_fault():
        message = (
            f"{version} can damage a database that two connections write to at once; the writer"
            " lock keeps this program from doing so, and no other may write to the file"
        )
        yield Check("sqlite", Verdict.NOTE, message)
        return
    yield Check("sqlite", Verdict.WELL, version)


def _names() -> Check:
    """Another owner of an import name overwrites our files silently, or will do so."""
    owners = importlib.metadata.packages_distributions()
    foreign = sorted(
        {
            f"{owner} owns `{name}`"
            for name in IMPORT_NAMES
            for owner in owners.get(name, ())
            if owner.lower() != DISTRIBUTION
        }
    )
    elsewhere = [name for name in IMPORT_NAMES if not _is_ours(name)]
    if foreign or elsewhere:
        told = [*foreign, *(f"`{name}` is imported from elsewhere" for name in elsewhere)]
        return Check(
            "import names",
            Verdict.FAULT,
            f"{'; '.join(told)}: install Tabularium in an environment of its own",
        )
    return Check("import names", Verdict.WELL, f"{', '.join(IMPORT_NAMES)} are ours")


def _is_ours(name: str) -> bool:
    """Whether another package beside the one of this file contains one of our files."""
    spec = importlib.util.find_spec(name)
    return (
        spec is not None
        and spec.origin is not None
        and Path(spec.origin).resolve().parents[1] == Path(__file__).resolve().parents[2]
    )


def _command() -> Check:
    """PyPI holds an unrelated program with the same command name."""
    scripts = importlib.metadata.entry_points(group="console_scripts", name="tabularium")
    targets = sorted({script.value for script in scripts})
    other = [target for target in targets if target != ENTRY_POINT]
    if other:
        message = (
            f"`tabularium` would run {', '.join(other)}, another program of that name: remove it,"
            " or install Tabularium in an environment of its own"
        )
        return Check("command", Verdict.FAULT, message)
    if not targets:
        message = "`tabularium` is not installed here: run `uv sync`, or install the wheel"
        return Check("command", Verdict.FAULT, message)
    found = shutil.which("tabularium")
    here = Path(sys.executable).parent
    if found is not None and Path(found).parent != here:
        message = (
            f"the first `tabularium` on the PATH is {found}, not the one of this environment:"
            f" run `uv run tabularium` or {here / 'tabularium'}"
        )
        return Check("command", Verdict.NOTE, message)
    return Check("command", Verdict.WELL, f"runs {ENTRY_POINT}")


def _database(url: str, address: Address) -> Iterator[Check]:
    if isinstance(address, FileAddress):
        yield from _file(address.path)
        if not address.path.exists():
            return
    try:
        revision, newest = migrations.current(url), migrations.head()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "psycopg":
            raise
        yield Check("database", Verdict.FAULT, NEEDS_DRIVER)
        return
    except Exception as error:
        if not isinstance(error, (LedgerError, OSError)) and not is_driver_fault(error):
            raise
        cause = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        yield Check("database", Verdict.FAULT, f"it cannot be reached or read: {cause}")
        return
    if isinstance(address, ServerAddress):
        yield Check("database", Verdict.WELL, "PostgreSQL answers")
        yield from _roles(url)
    if revision == newest:
        yield Check("tables", Verdict.WELL, f"up to date (revision {revision})")
    elif revision is None:
        message = "none yet: `tabularium import` and `tabularium serve` make them"
        yield Check("tables", Verdict.NOTE, message)
    elif (why := migrations.why_left_alone(revision)) is not None:
        yield Check("tables", Verdict.FAULT, why)
    else:
        message = (
            f"revision {revision}, and this release has {newest}: the next command that writes"
            " brings them up to date"
        )
        yield Check("tables", Verdict.NOTE, message)


def _roles(url: str) -> Iterator[Check]:
    from migrations.owning import owned_by_application

    owned = owned_by_application(url)
    if owned:
        message = (
            f"the archive's role owns {len(owned)} of its tables and guards, and could drop them:"
            " `tabularium migrate` with TABULARIUM_OWNER_DB gives them to another role"
        )
        yield Check("roles", Verdict.NOTE, message)
    else:
        yield Check("roles", Verdict.WELL, "the archive's role owns none of its tables")


def _file(path: Path) -> Iterator[Check]:
    if not path.exists():
        folder = next(parent for parent in path.absolute().parents if parent.exists())
        if os.access(folder, os.W_OK):
            yield Check("database", Verdict.NOTE, f"{path} is not there yet; it can be made")
        else:
            message = f"{path} is not there, and {folder} cannot be written to: choose another --db"
            yield Check("database", Verdict.FAULT, message)
        return
    if not os.access(path, os.R_OK | os.W_OK):
        yield Check("database", Verdict.FAULT, f"{path} cannot be read and written by this user")
        return
    size = path.stat().st_size
    yield Check("database", Verdict.WELL, f"{path} ({size:,} bytes)")
    holder = read_lock(path)
    if holder is None:
        yield Check("writer", Verdict.WELL, "no process is writing to it")
        return
    who = f"process {holder['pid']}" if "pid" in holder else "a process"
    at = f" at {holder['url']}" if "url" in holder else ""
    message = f"{who}{at} is writing to it; reading works beside it, and imports are sent there"
    yield Check("writer", Verdict.NOTE, message)
