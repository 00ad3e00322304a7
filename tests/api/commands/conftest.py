"""Shared by the tests of the command line: commands run in this process, files made at home."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from api.archive import keyring
from api.cli import app

MATCH = """\
; [Event "Lantern Cup"]
; [EventDate "2026.03.14"]

 3 point match

 Game 1
 Ida Berg : 0                    Omar Lund : 0
  1)                             31: 8/5 6/5
  2) 64: 24/14                   52: 24/22 13/8
  3) 43: 14/10 6/3*              66:
  4) 21: 24/23 3/1*              53: 25/22 25/20
  5) 41: 6/5* 5/1                66:
  6)  Doubles => 2                Drops
      Wins 1 point

 Game 2
 Ida Berg : 1                    Omar Lund : 0
  1) 42: 8/4 6/4                 61: 13/7 8/7
  2) 55: 13/8 13/8 8/3 8/3       31: 8/5 6/5
  3) 62: 13/7 7/5                 Doubles => 2
  4)  Takes                      43: 24/20* 8/5
  5) 64: 25/21 21/15             52: 20/15 15/13
  6) 66: 15/9 13/7 13/7 9/3      21: 6/4 5/4
  7) 33: 8/5 8/5 4/1* 4/1*       65:
      Wins 2 points and the match
"""
"""A match made at home, complete and legal; its last game ends by a claim."""


class Ran:
    """What a command left behind."""

    def __init__(self, exit_code: int, out: str, err: str) -> None:
        self.exit_code = exit_code
        self.out = out
        self.err = err

    @property
    def lines(self) -> list[Any]:
        """Every line of stdout as JSON."""
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]

_made = functools.cache(typer.main.get_command)
"""The commands of an app, built once: Typer's runner would build all sixty for each run."""


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the archive of this test lies; nothing is there yet."""
    path = tmp_path / "data" / "archive.sqlite"
    monkeypatch.setenv("TABULARIUM_DB", f"sqlite:///{path}")
    monkeypatch.delenv("TABULARIUM_TOKEN", raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    # For archives on PostgreSQL: nothing of a test stays in the home of the user who runs it.
    monkeypatch.setattr(keyring, "default_keys", lambda: tmp_path / "keys")
    return path


@pytest.fixture
def run(database: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("matches", "--json")`: the command on this test's archive, in this process."""
    monkeypatch.setattr("typer.testing._get_command", _made)

    def ran(*arguments: object, exit_code: int | None = 0) -> Ran:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if exit_code is not None:
            assert result.exit_code == exit_code, (result.stdout, result.stderr)
        assert "Traceback" not in result.stderr
        return Ran(result.exit_code, result.stdout, result.stderr)

    return ran


@pytest.fixture
def match_file(tmp_path: Path) -> Path:
    """A home-made match file."""
    path = tmp_path / "lantern.mat"
    path.write_text(MATCH, "utf-8")
    return path


@pytest.fixture
def imported(run: Run, match_file: Path) -> str:
    """Id of the home-made match, imported."""
    match_id: str = run("import", "--json", match_file).lines[0]["match_id"]
    return match_id
