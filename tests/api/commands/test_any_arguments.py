"""Whatever arguments a command gets, it runs or says what is wrong, never with a traceback."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from api.cli import COMMANDS, loaded
from tests.api.commands.conftest import Run

AT_RANDOM = 12
"""Calls of one command."""

LEFT_OUT = {"serve", "doctor", "openapi"}
"""Commands that do not end by themselves, and commands that take long and get almost no input."""

WORDS = (
    *("", "x", "-", "-1", "0", "99999999999999999999", "é", "\u202e", "a" * 300, "%00"),
    *("M\udcfcller", "12=1:02:03", "usbgf-2017-07", "https://x.example/z", "1970-01-01"),
    *("now", "director", "mat", "jsonl", "imports"),
)


def calls(name: str, paths: list[str]) -> list[list[str]]:
    """Some calls of a command, with arguments and options that may mean anything or nothing."""
    chance = random.Random(name)
    command: Any = loaded(name)
    inner = command.commands if hasattr(command, "commands") else {None: command}
    words = [*WORDS, *paths]
    found: list[list[str]] = []
    for _ in range(AT_RANDOM):
        under = chance.choice([*inner])
        call = [name] if under is None else [name, under]
        for parameter in inner[under].params:
            if parameter.param_type_name == "argument":
                call += chance.choices(words, k=chance.choice([0, 1, 1, 1, 2]))
            elif parameter.name not in ("help", "workers", "server") and chance.random() < 0.25:
                call.append(parameter.opts[0])
                call += [] if parameter.is_flag else [chance.choice(words)]
        found.append(call)
    return found


@pytest.mark.gate
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in LEFT_OUT])
def test_no_command_shows_how_it_is_built(
    run: Run, match_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    run("import", match_file)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    (here / "empty").touch()
    (here / "bytes").write_bytes(random.Random(1).randbytes(5_000))
    known = run("matches", "--json").lines[0]["match_id"]
    for call in calls(name, [str(match_file), "empty", "bytes", "nothing", os.curdir, known]):
        ran = run(*call, exit_code=None)
        assert ran.exit_code in (0, 1, 2), (call, ran.out, ran.err)
        assert ran.exit_code != 2 or ran.err, call


def test_an_argument_of_another_encoding_is_told_as_that(run: Run, match_file: Path) -> None:
    run("import", match_file)
    ran = run("show", "M\udcfcller", exit_code=2)
    assert "M?ller: that is not UTF-8" in ran.err
    named = match_file.rename(match_file.with_name("M\udcfcller.mat"))
    run("import", named, "--log", "others")
