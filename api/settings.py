"""Settings: the only reader of the environment; every name begins with TABULARIUM_."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, field_validator

from events.errors import BadInput
from events.store.address import url_of

KIB = 1024
MIB = 1024 * KIB


def default_database() -> str:
    """The SQLite file in the user's data folder. Errors: BadInput."""
    # Of all other settings an empty one is none; but nobody may get into another archive by it.
    if os.environ.get("TABULARIUM_DB") == "":
        raise BadInput("TABULARIUM_DB is empty: unset it, or name a database")
    return url_of(lasting(_data_folder()) / "archive.sqlite")


def demo_database() -> str:
    """The demonstration's own SQLite file, so that it never gets into a real archive.

    Errors: BadInput.
    """
    return url_of(lasting(_data_folder()) / "demo.sqlite")


def default_authority() -> Path:
    """Where the certificate authority lies of an archive that has no place on this machine."""
    return _data_folder() / "https"


def default_files() -> Path:
    """Where files lie of an archive that has no place of its own on this machine."""
    return _data_folder() / "files"


def default_keys() -> Path:
    """Where the keys of logs lie of an archive that has no place of its own on this machine."""
    return _data_folder() / "keys"


def default_rule_texts() -> Path:
    """Where texts of rule sets lie that are loaded for an archive without a place of its own."""
    return _data_folder() / "rules"


def default_sessions() -> Path:
    """Where sessions lie of an archive that has no place of its own on this machine."""
    return _data_folder() / "sessions"


def default_clocks() -> Path:
    """Where it is kept what was seen of the clock, of an archive that has no place of its own."""
    return _data_folder() / "clocks"


def default_analysis() -> Path:
    """Where results of analysis lie, of an archive that has no place of its own."""
    return _data_folder() / "analysis"


def default_witnessed() -> Path:
    """Where `tabularium witness` keeps the last checkpoint of each log. Errors: BadInput."""
    return lasting(_data_folder()) / "witnessed"


def lasting(folder: Path) -> Path:
    """A folder of the user's, if it is the same one wherever a command is given. Errors: BadInput.

    Of a user without a home, as a container may have one, `~` stays a name: another archive, and
    other keys, lay in each folder that one is in.
    """
    if not folder.is_absolute():
        raise BadInput(
            "this user has no home folder to keep an archive and its keys in: set HOME, or"
            " XDG_DATA_HOME to a path from the root"
        )
    return folder


def _data_folder() -> Path:
    try:
        return Path(platformdirs.user_data_dir("tabularium", appauthor=False))
    except RuntimeError:  # A user without a home, which who names a database does not need.
        return Path("~")


PREFIX = "TABULARIUM_"
"""How the name of every setting begins in the environment, in capitals or not."""


class Settings(BaseModel):
    """What can be set from outside; the command line's options go before the environment."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    def __init__(self, **given: Any) -> None:
        """Those that are given, and of all others what the environment says; an empty one is none.

        Errors: ValidationError.
        """
        # Not by pydantic-settings: it takes every command as long to load as to show a match.
        said = {name.lower(): value for name, value in os.environ.items() if value}
        names = type(self).model_fields
        found = {name: said.get(f"{PREFIX.lower()}{name}") for name in names}
        super().__init__(
            **{name: value for name, value in found.items() if value is not None} | given
        )

    db: str = Field(default_factory=default_database)
    """Database: `sqlite:///path`, a file path, `postgresql://...` or `memory://`."""
    owner_db: str | None = None
    """The same PostgreSQL database by the role that owns its tables; read by `migrate` alone."""
    checkpoints: Path | None = None
    """Folder for a second copy of the last signed checkpoints, on another disk; None = no other."""
    host: str = "127.0.0.1"
    """Address that `serve` listens on."""
    port: int = Field(default=8340, ge=0, le=65_535)
    """Port that `serve` listens on; 0 = any free one."""
    certificate: Path | None = None
    """Certificate chain (PEM) that `serve` speaks https with; None = plain http."""
    key: Path | None = None
    """Private key (PEM) of the certificate."""
    https: bool | None = None
    """Whether `serve` speaks https; None = on every address but loopback."""
    authority: Path | None = None
    """Folder of the certificate authority; None = beside the database."""
    max_body_bytes: int = Field(default=MIB, ge=KIB)
    """Largest request body that is read; above it the answer is 413."""
    max_connections: int = Field(default=4_096, ge=16)
    """Connections that are open at once; fewer where the system allows fewer open files."""
    max_connections_per_address: int = Field(default=1_200, ge=4)
    """The same from one address: a hall behind one router is one address."""
    proxies: tuple[str, ...] = ()
    """Proxies whose X-Forwarded-For and -Proto are believed: addresses or networks, by commas."""
    max_batch: int = Field(default=5_000, ge=1, le=10_000)
    """Most entries in one append: an imported match is one, and long ones have some thousands."""
    page_size: int = Field(default=100, ge=1, le=1_000)
    """Entries of a page where the request names no limit."""
    cached_matches: int = Field(default=256, ge=1)
    """Replays of matches that are kept in memory."""
    poll_ms: int = Field(default=500, ge=10, le=60_000)
    """How often a shared database is asked for what other processes wrote, milliseconds."""
    files: Path = Field(default_factory=default_files)
    """Folder for photos and videos, where the database is PostgreSQL."""
    keys: Path | None = None
    """Folder of the keys that logs are signed with; None = beside the database."""
    origin: str = "tabularium.invalid/logs"
    """How the names of new keys begin: a URL without its scheme, reachable or not."""
    witnesses: Path | None = None
    """Policy file (c2sp.org/tlog-policy) whose witnesses are asked to sign; None = nobody is."""
    tsa: str | None = None
    """Address of a time-stamping authority (RFC 3161); None = nobody stamps checkpoints."""
    tsa_certificate: Path | None = None
    """Its root certificate, and those between (PEM): they go into bundles with its stamps."""
    tsa_minutes: int = Field(default=60, ge=1, le=10_080)
    """A log that grew is stamped no oftener than this."""
    rule_texts: Path | None = None
    """Folder with the texts of rule sets (`archive/rule_texts.py`); None = beside the database."""
    sessions: Path | None = None
    """File of the sessions of browsers; None = beside the database."""
    session_hours: int = Field(default=16, ge=1, le=24 * 31)
    """How long a browser stays signed in, at most."""
    request_log: Path | None = None
    """File for one line of each request; `-` = stderr, None = none."""
    otlp: str | None = None
    """Address of an OpenTelemetry collector (OTLP over HTTP) that spans are sent to."""
    files_quota_mb: int = Field(default=20_000, ge=1)
    """Megabytes of files that one log may keep."""
    backup_days: int | None = Field(default=None, ge=0, le=36_500)
    """Days after which no backup, standby or archived log of the database holds what was erased."""
    analyse: str | None = None
    """Preset with which `serve` analyses matches that are over and released; None = it does not."""
    token: str | None = None
    """Token that the command line sends with `--server`."""

    @field_validator("token")
    @classmethod
    def _sent(cls, token: str | None) -> str | None:
        token = None if token is None else token.strip()
        if token and not (token.isascii() and token.isprintable() and " " not in token):
            raise ValueError("it holds what no token does: copy it anew")
        return token or None

    @field_validator("proxies", mode="before")
    @classmethod
    def _listed(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        return tuple(one.strip() for one in given.split(",") if one.strip())

    @field_validator("proxies")
    @classmethod
    def _named(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        for one in proxies:
            # A name or a star would believe whoever says so, and `0.0.0.0/0` everybody.
            if ipaddress.ip_network(one).prefixlen == 0:
                raise ValueError(f"{one} is everybody: name the proxies themselves")
        return proxies


def keep_ray_from_uv() -> None:
    """Have Ray start its workers with this interpreter; to be called before Ray is imported.

    Under `uv run` it would otherwise copy the working folder and resolve the environment anew for
    every worker, which takes minutes, or for ever. Whoever sets the variable decides.
    """
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")


def ray_address() -> str | None:
    """The cluster that Ray is told to work with; None where it starts one."""
    return os.environ.get("RAY_ADDRESS") or None
