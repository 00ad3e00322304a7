"""The README's commands are run in order, and print what the README says they print."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from api.cli import app
from api.openapi import TAGS

PROGRAM = [sys.executable, "-c", "from api.cli import main; main()"]
FENCE = re.compile(r"^```(.*)\n((?:.*\n)*?)^```$", re.M)


def blocks(text: str, kind: str) -> list[tuple[str, str]]:
    """(info string, content) of every fenced block whose info string begins so."""
    return [(info, body) for info, body in FENCE.findall(text) if info.split(" ")[0] == kind]


def steps(block: str) -> list[tuple[str, str]]:
    """(command, expected output) of a console block."""
    parts = re.split(r"^\$ ", block, flags=re.M)[1:]
    return [(command, rest) for command, _, rest in (part.partition("\n") for part in parts)]


def fits(expected: str, shown: str) -> bool:
    """Whether the output is as expected, where `...` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.rstrip("\n").split("..."))
    return re.fullmatch(pattern, shown.rstrip("\n"), re.S) is not None


@pytest.fixture
def text(root: Path) -> str:
    return (root / "README.md").read_text("utf-8")


@pytest.fixture
def folder(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the README mentions, and an archive of its own."""
    for info, body in blocks(text, "text"):
        (tmp_path / info.split(" ")[1]).write_text(body, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABULARIUM_DB", f"sqlite:///{tmp_path / 'archive.sqlite'}")
    monkeypatch.delenv("TABULARIUM_TOKEN", raising=False)
    return tmp_path


def run(command: str) -> str:
    """What a person sees who types the command."""
    if command.startswith("uv run tabularium ") and "|" not in command:
        result = CliRunner().invoke(app, shlex.split(command)[3:])
        assert result.exit_code == 0, result.output
        return result.output
    line = command.replace("uv run tabularium", shlex.join(PROGRAM))
    done = subprocess.run(
        ["bash", "-c", line],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout


def checked(told: list[tuple[str, str]]) -> None:
    for command, expected in told:
        shown = run(command)
        assert fits(expected, shown), f"$ {command}\n{shown}"


def test_the_first_screen_says_what_it_is_and_the_two_commands(text: str) -> None:
    screen = "\n".join(text.splitlines()[:24])
    assert "backgammon" in screen
    assert "uv run tabularium serve --demo" in screen
    assert "uv run pytest" in screen


@pytest.mark.gate
def test_one_match_recorded_replayed_and_checked(text: str, folder: Path) -> None:
    told = [step for _, block in blocks(text, "console") for step in steps(block)]
    told = [step for step in told if not step[0].startswith("curl")]
    names = [re.match(r"uv run tabularium (\w+)", command) for command, _ in told]
    assert {found[1] for found in names if found} >= {
        *("import", "matches", "show", "replay", "export", "fsck"),
    }
    checked(told)
    assert (folder / "copy.mat").is_file()


@pytest.mark.gate
def test_recording_over_http(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, require: Callable[[bool, str], None]
) -> None:
    require(shutil.which("curl") is not None, "there is no curl")
    told = [step for _, block in blocks(text, "console") for step in steps(block)]
    told = [step for step in told if step[0].startswith("curl")]
    assert told
    server = subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    try:
        assert server.stdout is not None
        greeting = ""
        for line in server.stdout:
            greeting += line
            if line.startswith("Ctrl-C"):
                break
        found = re.search(r"(http://\S+?)/\n(?:.*\n)*? +operator +([0-9a-f]{64})", greeting)
        assert found is not None, greeting
        monkeypatch.setenv("URL", found[1])
        monkeypatch.setenv("TOKEN", found[2])
        checked(told)
    finally:
        server.terminate()
        server.communicate(timeout=60)


def test_nobody_is_told_to_install_by_bare_name(root: Path) -> None:
    # An unrelated project owns that name on PyPI, and another one an import name of ours.
    for path in [root / "README.md", *root.glob("*/README.md"), root / "CONTRIBUTING.md"]:
        told = path.read_text("utf-8")
        assert not re.search(r"(?:pip|pipx|uvx|uv tool)\s+(?:install\s+)?tabularium", told), path


def test_every_link_leads_somewhere(root: Path) -> None:
    for path in [root / "README.md", root / "api" / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path}: {target}"


def test_every_command_and_route_group_is_in_the_readme_of_api(root: Path) -> None:
    told = (root / "api" / "README.md").read_text("utf-8")
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert not [name for name in commands if f"| `{name}` |" not in told]
    assert not [tag["name"] for tag in TAGS if f"| {tag['name']} |" not in told]
