"""Whatever answers in the place of a server: commands say so, and believe nothing of it."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from api.commands import access, erasing, imports, server
from tests.api.commands.conftest import Run

Answers = list[httpx.Response]

STRANGE = {
    "a portal": httpx.Response(200, html="<h1>Welcome to the hotel</h1>"),
    "another shape": httpx.Response(200, json={"erased": 3, "since": "a later release"}),
    "a list": httpx.Response(201, json=[1, 2]),
    "nothing": httpx.Response(200),
    "no text": httpx.Response(200, content=b"\xff\xfe\x00"),
    "very deep": httpx.Response(200, content=b"[" * 100_000),
    "moved": httpx.Response(301, headers={"Location": "http://elsewhere"}),
    "a list that refuses": httpx.Response(404, json=["no"]),
    "a deep refusal": httpx.Response(403, content=b"[" * 100_000),
    "a terminal's own": httpx.Response(400, json={"title": "no", "detail": "\x1b[2Jgone"}),
}


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """The answer to every request: the last one in the list."""
    said: Answers = []
    transport = httpx.MockTransport(lambda request: said[-1])
    there = functools.partial(httpx.Client, transport=transport)
    monkeypatch.setattr(server.httpx, "Client", there)
    monkeypatch.setenv("TABULARIUM_TOKEN", "f" * 64)
    return said


@pytest.fixture
def beside(run: Run, match_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that something at `http://hall` seems to be writing to."""
    run("import", match_file)
    for module in (access, erasing, imports, server):
        monkeypatch.setattr(module, "lock_holder", lambda url: {"pid": 1, "url": "http://hall"})


@pytest.mark.parametrize(
    "command",
    [
        ["erase", "Ida Berg", "--yes"],
        ["grant", "--role", "viewer"],
        ["import", "lantern.mat"],
        ["import", "lantern.mat", "--server", "http://hall"],
    ],
    ids=lambda words: "-".join(words[:1] + words[2:3]),
)
@pytest.mark.usefixtures("beside")
def test_no_command_believes_it_or_ends_in_a_traceback(
    run: Run, match_file: Path, answers: Answers, command: list[str]
) -> None:
    words = [match_file if word == "lantern.mat" else word for word in command]
    for what, answer in STRANGE.items():
        answers.append(answer)
        ran = run(*words, exit_code=None)
        assert ran.exit_code in (1, 2), (what, ran.out)
        assert "http://hall" in ran.err, what
        assert "\x1b" not in ran.err
        assert ran.out == "", what


@pytest.mark.usefixtures("beside")
def test_what_a_server_of_another_release_answers_is_told_as_that(
    run: Run, answers: Answers
) -> None:
    answers.append(STRANGE["another shape"])
    told = " ".join(run("erase", "Ida Berg", "--yes", exit_code=2).err.split())
    assert "one of another release than this program" in told
    assert "Whether it has done what was asked is not known" in told


def test_an_address_of_no_server_is_told(
    run: Run, match_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_TOKEN", "f" * 64)
    for address in ("http://[", "http://hall:99999", "http://", "ftp://hall"):
        assert address in run("import", match_file, "--server", address, exit_code=2).err


def test_the_operators_token_goes_to_no_server_but_the_archives_own(
    run: Run, match_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("token")
    ran = run("import", match_file, "--server", "http://stranger.example", exit_code=2)
    assert "needs a token" in ran.err
    # An empty token is no token; one that cannot be sent is reported without being shown.
    monkeypatch.setenv("TABULARIUM_TOKEN", "")
    ran = run("import", match_file, "--server", "http://stranger.example", exit_code=2)
    assert "needs a token" in ran.err
    monkeypatch.setenv("TABULARIUM_TOKEN", "secret secret")
    ran = run("import", match_file, "--server", "http://stranger.example", exit_code=2)
    assert "TABULARIUM_TOKEN" in ran.err
    assert "secret" not in ran.err


@pytest.mark.usefixtures("beside")
def test_no_proxy_of_the_environment_is_handed_the_operators_token(
    run: Run, match_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    transport = httpx.MockTransport(lambda request: STRANGE["nothing"])

    def made(*, trust_env: bool, **more: Any) -> httpx.Client:
        asked.append(trust_env)
        return httpx.Client(trust_env=trust_env, transport=transport, **more)

    monkeypatch.setattr(server, "httpx", SimpleNamespace(**{**vars(httpx), "Client": made}))
    monkeypatch.setenv("TABULARIUM_TOKEN", "f" * 64)
    for address in ("http://hall", "http://127.0.0.1:8340", "http://[::1]:8340/"):
        run("import", match_file, "--server", address, exit_code=None)
    run("grant", "--role", "viewer", exit_code=None)
    assert asked == [False] * 4
    # Another machine's may be reached by a proxy alone, and gets no token but the one it was given.
    run("import", match_file, "--server", "http://archive.example", exit_code=None)
    assert asked[4:] == [True]


@pytest.mark.parametrize(
    "command",
    [["import", ""], ["backup", ""], ["restore", ""], ["keys", "backup", ""], ["import", "--db="]],
    ids=" ".join,
)
def test_an_empty_path_is_not_the_folder_that_one_is_in(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert "an argument is empty" in run(*command, exit_code=2).err
    assert list(folder.iterdir()) == []


def test_an_empty_name_of_the_database_is_not_that_of_another_archive(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_DB", "")
    assert "TABULARIUM_DB is empty" in run("matches", exit_code=2).err


def test_a_user_without_a_home_gets_no_archive_in_the_folder_that_one_is_in(
    run: Run, match_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_number: int) -> object:
        raise KeyError

    for name in ("TABULARIUM_DB", "HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    server = "postgresql://nobody@127.0.0.1:1/none"
    asked = (["matches"], ["import", match_file], ["witness", "x"], ["matches", "--db", server])
    for command in asked:
        assert "has no home folder" in run(*command, exit_code=2).err
    assert list(folder.iterdir()) == []
    run("import", match_file, "--db", tmp_path / "named.sqlite")
