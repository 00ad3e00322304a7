"""`serve` as its own process: the demonstration, commands beside it, a taken port, Ctrl-C."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import trustme

from api.archive.archive import open_archive
from api.imports.ready import stream_id_of
from events.store.lock import read_lock

pytestmark = pytest.mark.gate

PROGRAM = [sys.executable, "-c", "from api.cli import main; main()"]
PATIENCE_S = 180


class Served:
    """A server that has said where it is."""

    def __init__(self, *arguments: object, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "serve", "--port", "0", *(str(argument) for argument in arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **env},
            text=True,
        )
        # A server that neither greets nor ends is ended, so that reading its output does.
        self._watchdog = threading.Timer(PATIENCE_S, self.process.kill)
        self._watchdog.start()
        assert self.process.stdout is not None
        self.greeting = ""
        for line in self.process.stdout:
            self.greeting += line
            if line.startswith("Ctrl-C"):
                break
        self._watchdog.cancel()
        found = re.search(r"https?://127\.0\.0\.1:\d+", self.greeting)
        if found is None:
            self.stop()
            pytest.fail(f"no server: {self.greeting}")
        self.url = found[0]

    def token(self, role: str) -> str:
        """The token that the greeting tells for a role."""
        found = re.search(rf"^ +{role} +([0-9a-f]{{64}})$", self.greeting, re.M)
        assert found is not None, self.greeting
        return found[1]

    def stop(self, number: int = signal.SIGINT) -> tuple[int, str, str]:
        """Send a signal and wait: exit code, the rest of stdout, stderr."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=PATIENCE_S)
        finally:
            self.process.kill()
        return self.process.returncode, out, err


def environment(folder: Path, database: Path) -> dict[str, str]:
    """The environment of a server that finds nothing of this machine's user."""
    return {"XDG_DATA_HOME": str(folder / "home"), "TABULARIUM_DB": str(database)}


@pytest.fixture
def env(tmp_path: Path, database: Path) -> dict[str, str]:
    return environment(tmp_path, database)


@pytest.fixture(scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    folder = tmp_path_factory.mktemp("served")
    database = folder / "data" / "archive.sqlite"
    served = Served(env=environment(folder, database))
    yield served, database
    served.stop()


@pytest.fixture
def server(_server: tuple[Served, Path], database: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    """One server for all tests that can share it, each with a log of its own."""
    served, path = _server
    monkeypatch.setenv("TABULARIUM_DB", f"sqlite:///{path}")
    return served


def test_the_demonstration_runs_on_an_empty_machine(
    env: dict[str, str], tmp_path: Path, database: Path
) -> None:
    served = Served("--demo", env=env)
    try:
        assert "final-table-1" in httpx.get(served.url).text
        page = re.search(r"its page +(\S+)", served.greeting)
        assert page is not None
        assert "Ada Lindqvist" in httpx.get(page[1]).text
        # Every line of advice is valid as printed, and does something.
        advised = re.findall(r"^  (curl .+)$", served.greeting, re.M)
        assert len(advised) == 3
        for line in advised:
            command = shlex.split(line)
            url = next(part for part in command if part.startswith("http"))
            pairs = [part.partition(": ") for part in command if part.startswith("Authorization")]
            answer = httpx.get(url, headers={name: value for name, _, value in pairs})
            assert answer.status_code == 200, line
            assert answer.text
        for role in ("director", "scribe", "viewer", "operator"):
            bearer = {"Authorization": f"Bearer {served.token(role)}"}
            assert httpx.get(f"{served.url}/logs/demo/events", headers=bearer).status_code == 200
        tokens = [served.token(role) for role in ("director", "scribe", "viewer")]
        operator = served.token("operator")
        # Followers are disconnected: the end waits for nobody, and nothing is reported as failed.
        with httpx.stream("GET", f"{served.url}/logs/demo/matches/final-table-1/live") as live:
            frames = live.iter_lines()
            assert next(frames)
            code, out, err = served.stop()
            assert len(list(frames)) > 1
    finally:
        served.stop()
    assert (code, out, err) == (0, "stopped\n", "")
    # The real archive was not touched, and the demonstration is private to its user.
    assert not database.exists()
    folder = tmp_path / "home" / "tabularium"
    assert (folder / "demo.sqlite.tokens").is_file()
    beside = {path.name: path.stat().st_mode & 0o077 for path in folder.iterdir()}
    assert not any(beside.values()), beside

    again = Served("--demo", env=env)
    try:
        assert tokens == [again.token(r) for r in ("director", "scribe", "viewer")]
        # What may do everything is printed once; afterwards a command shows it.
        assert operator not in again.greeting
        advised = re.search(r"`tabularium (token --db \S+)` shows the token", again.greeting)
        assert advised is not None
        asked = subprocess.run(
            [*PROGRAM, *advised[1].split()],
            capture_output=True,
            text=True,
            env={**os.environ, **env},
            check=True,
        )
        assert asked.stdout == f"{operator}\n"
        answer = httpx.get(f"{again.url}/logs/demo/matches").json()
        assert str(answer).count("final-table-1") == 1
    finally:
        assert again.stop(signal.SIGTERM)[0] == 0


def test_what_is_imported_beside_a_server_goes_through_it(
    server: Served, run, match_file: Path
) -> None:
    holder = read_lock(Path(os.environ["TABULARIUM_DB"].removeprefix("sqlite:///")))
    assert holder == {"pid": server.process.pid, "url": server.url}
    command = ("import", "--json", "--public", "--log", "first", match_file)
    [first] = run(*command).lines
    assert first["score"] == {"one": 3, "two": 0}
    assert first["match_id"] == stream_id_of("first", _sha256(match_file), 1)
    [again] = run(*command).lines
    assert again == {**first, "already": True, "findings": again["findings"]}
    assert "Ida Berg" in httpx.get(f"{server.url}/matches/first/{first['match_id']}").text
    # Reading goes to the file itself.
    assert len(run("matches", "--log", "first", "--json").lines) == 1
    assert "Ida Berg" in run("show", first["match_id"]).out
    assert "all as sealed" in run("fsck").out


def test_an_import_through_a_server_is_the_same_as_a_local_one(
    server: Served, run, match_file: Path, tmp_path: Path
) -> None:
    command = ("import", "--json", "--log", "same", match_file)
    [served] = run(*command).lines
    [local] = run(*command, "--db", tmp_path / "own.sqlite").lines
    assert served == local
    mine = run("replay", local["match_id"], "--json", "--db", tmp_path / "own.sqlite").out
    assert run("replay", served["match_id"], "--json").out == mine


def test_many_files_go_through_a_server_and_are_known_to_it_afterwards(
    server: Served, run, match_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "season"
    folder.mkdir()
    for number in range(5):
        text = match_file.read_text("utf-8").replace("Ida", f"Ida {number}")
        (folder / f"{number}.mat").write_text(text, "utf-8")
    command = ("import", "--log", "many", folder, "--workers", 2)
    assert "5 matches imported" in run(*command).out
    assert "5 imported before" in run(*command).out
    assert len(run("matches", "--log", "many", "--json").lines) == 5


def test_a_server_is_named_with_a_token(
    server: Served, run, match_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = ("--db", tmp_path / "none.sqlite", "--server", server.url)
    assert "needs a token" in run("import", *elsewhere, match_file, exit_code=2).err
    monkeypatch.setenv("TABULARIUM_TOKEN", "f" * 64)
    assert "refused it" in run("import", *elsewhere, match_file, exit_code=2).err
    monkeypatch.setenv("TABULARIUM_TOKEN", server.token("operator"))
    named = run("import", "--json", "--log", "named", *elsewhere, match_file).lines
    assert named[0]["games"] == 2
    assert "already" not in named[0]


def test_grants_are_made_and_ended_beside_a_server(server: Served, run, match_file: Path) -> None:
    run("import", match_file)
    listing = f"{server.url}/logs/imports/events"
    [made] = run("grant", "--role", "viewer", "--log", "imports", "--holder", "Zoe", "--json").lines
    bearer = {"Authorization": f"Bearer {made['token']}"}
    assert httpx.get(listing, headers=bearer).status_code == 200
    [narrow] = run("grant", "--role", "viewer", "--match", "a26", "--json").lines
    assert narrow["match"].startswith("a2642bff")
    run("revoke", made["grant"])
    assert httpx.get(listing, headers=bearer).status_code in (401, 403)


def test_a_person_is_erased_beside_a_server_and_by_it(
    server: Served, run, match_file: Path
) -> None:
    run("import", "--public", "--log", "erased", match_file)
    page = f"{server.url}/players"
    assert "Ida Berg" in httpx.get(page).text
    looked = run("erase", "ida berg")
    assert "players.one.0.name" in looked.out
    assert "nothing was erased" in looked.err
    assert "Ida Berg" in httpx.get(page).text
    [gone] = run("erase", "Ida Berg", "--yes", "--json").lines
    assert gone["is_done"]
    assert gone["erased"] == len(gone["found"]) > 0
    assert "Ida Berg" not in httpx.get(page).text
    assert "Omar Lund" in httpx.get(page).text
    assert "nobody in the archive" in run("erase", "Ida Berg", "--yes", exit_code=1).err
    assert run("fsck").exit_code == 0


def test_a_match_that_is_too_long_for_the_server_says_what_to_do(
    env: dict[str, str], run, match_file: Path
) -> None:
    served = Served(env={**env, "TABULARIUM_MAX_BATCH": "20"})
    try:
        [result] = run("import", "--json", match_file, exit_code=1).lines
        assert "TABULARIUM_MAX_BATCH" in result["refused"]["reason"]
        assert "no matches" in run("matches").err
    finally:
        served.stop()


def test_a_long_match_goes_to_a_server_as_it_is_started(
    server: Served, run, tmp_path: Path
) -> None:
    # A real match to 13 points has about 1,200 entries, one to 25 about twice as many.
    rows = "".join(f"{row:3}) 31: ????                   42: ????\n" for row in range(1, 651))
    file = tmp_path / "long.mat"
    file.write_text(f" 25 point match\n\n Game 1\n Ada : 0              Ben : 0\n{rows}")
    [result] = run("import", "--json", file).lines
    assert result["rolls"] == 1_300
    listed = {one["match_id"]: one for one in run("matches", "--json").lines}
    assert listed[result["match_id"]]["version"] > 2_500


def test_a_second_server_says_who_is_there(server: Served, run) -> None:
    ran = run("serve", "--port", "0", exit_code=2)
    assert f"process {server.process.pid} at {server.url} is writing to this archive" in ran.err


def test_a_taken_port_is_told(run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = run("serve", "--port", port, exit_code=2)
    assert f"port {port} of 127.0.0.1 is taken" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_host_that_is_none_is_told(run) -> None:
    assert "no such address" in run("serve", "--host", "nowhere.invalid", exit_code=2).err


def test_a_stopped_server_leaves_an_archive_that_others_may_write_to(
    env: dict[str, str], run, match_file: Path, database: Path
) -> None:
    assert Served(env=env).stop()[0] == 0
    assert read_lock(database) is None
    run("import", match_file)
    archive = open_archive(str(database), read_only=True)
    try:
        assert {head.log_id for head in archive.store.logs()} == {"archive", "imports"}
    finally:
        archive.close()


def test_a_closed_terminal_ends_a_server_in_good_order(env: dict[str, str], database: Path) -> None:
    """The process was gone at once, with everybody's answers."""
    # Where the tests run behind `nohup`, what they start would ignore the signal, too.
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        served = Served(env=env)
    finally:
        signal.signal(signal.SIGHUP, before)
    code, out, _ = served.stop(signal.SIGHUP)
    assert (code, out.splitlines()[-1]) == (0, "stopped")
    assert read_lock(database) is None


def test_a_server_on_an_older_copy_says_so_everywhere_and_in_its_exit_code(
    env: dict[str, str], run, database: Path, tmp_path: Path
) -> None:
    Served(env=env).stop()
    older = shutil.copy(database, tmp_path / "older.sqlite")
    run("grant", "--role", "viewer")
    shutil.copy(older, database)
    served = Served(env=env)
    assert re.search(r"HELD: the log archive has \d+ entries, and \d+ were signed", served.greeting)
    assert "where that is lost, open a new log" in served.greeting
    health = httpx.get(f"{served.url}/health")
    assert (health.status_code, health.json()["status"]) == (503, "failing")
    told = {one["name"]: one["detail"] for one in health.json()["checks"]}
    assert told["logs"] == "1 held: an older archive stands in their place"
    assert httpx.get(f"{served.url}/").status_code == 200
    code, out, _ = served.stop()
    assert code == 1
    assert "HELD: the log archive" in out
    doctor = run("doctor", exit_code=2)
    assert "an older copy stands in its place" in " ".join(doctor.out.split())


def test_a_server_whose_files_were_cut_short_says_so_in_its_exit_code(
    env: dict[str, str], database: Path
) -> None:
    served = Served("--demo", "--db", database, env=env)
    os.truncate(f"{database}-wal", 0)
    health = httpx.get(f"{served.url}/health")
    assert (health.status_code, health.json()["status"]) == (503, "failing")
    code, out, _ = served.stop()
    assert code == 1
    assert re.search(r"HELD: .* is damaged .*: run `tabularium fsck`", out)


def _sha256(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_https_is_served_with_the_certificate_that_is_named(
    env: dict[str, str], tmp_path: Path
) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    chain.write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
    issued.private_key_pem.write_to_path(str(key))
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    served = Served("--certificate", chain, "--key", key, env=env)
    try:
        assert served.url.startswith("https://")
        trusted = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        assert httpx.get(f"{served.url}/health", verify=trusted).status_code == 200
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{served.url}/health")
    finally:
        served.stop()


@pytest.mark.parametrize("missing", ["--key", "--certificate"])
def test_half_of_a_certificate_is_refused_with_what_to_do(
    run, tmp_path: Path, missing: str
) -> None:
    (tmp_path / "x.pem").write_text("nothing")
    [given] = {"--certificate", "--key"} - {missing}
    refused = run("serve", "--port", "0", given, tmp_path / "x.pem", exit_code=2)
    assert "--certificate and --key" in refused.err
