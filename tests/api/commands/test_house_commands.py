"""The command line as a whole: helps, versions, `doctor`, `openapi`, wrong settings."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from api.cli import COMMANDS, app, loaded
from api.commands import checks as doctor
from api.commands.checks import Verdict
from tests.bunches import in_bunches

NAMES = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_the_commands_are_those_of_the_house() -> None:
    assert [
        *("analyse", "backup", "copy", "doctor", "erase", "explore", "export", "film", "fsck"),
        *("grant", "import", "index", "join", "judge", "keys", "matches", "migrate", "openapi"),
        *("pack", "player", "publish", "replay", "restore", "revoke", "rules", "search", "serve"),
        *("show", "split", "tiles", "token", "unseal", "verify", "witness"),
    ] == NAMES


@in_bunches("name", NAMES)
def test_every_command_has_a_help(run, name: str) -> None:
    ran = run(name, "--help")
    assert "Usage: tabularium " + name in ran.out.replace("root ", "tabularium ")


def test_no_command_shows_the_help(run) -> None:
    assert "Commands" in run(exit_code=2).err
    assert run("--version").out.strip() == importlib.metadata.version("tabularium-backgammon")
    assert "No such command" in run("replya", exit_code=2).err


@in_bunches("name", NAMES)
def test_the_list_of_commands_says_what_each_says_itself(name: str) -> None:
    paragraph = loaded(name).help.partition("\n\n")[0]
    assert COMMANDS[name].summary == " ".join(paragraph.split())


def imported_by(*args: str) -> set[str]:
    """The modules that a command has imported by its end, in a process of its own."""
    program = (
        "import sys, api.cli\n"
        "try: api.cli.main()\n"
        "finally: print(*sys.modules, file=open(2, 'w', closefd=False))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, *args], capture_output=True, text=True, check=True
    )
    return set(ran.stderr.split())


WEB = {"fastapi", "starlette", "uvicorn", "api.app"}
TABLES = {"alembic", "sqlalchemy", "sqlmodel"}


@pytest.mark.parametrize("args", [["--version"], ["--help"]])
def test_a_version_or_a_list_of_commands_waits_for_no_archive(args: list[str]) -> None:
    imported = imported_by(*args)
    assert "api.cli" in imported
    assert not imported & {*WEB, *TABLES, "pydantic", "api.archive.archive", "events.catalogue"}


def test_who_reads_an_archive_waits_neither_for_the_web_nor_for_migrations(
    run, match_file: Path
) -> None:
    run("import", match_file, "--workers", "0")
    for args in (["matches"], ["export", "--all", "-o", str(match_file.parent / "out")]):
        imported = imported_by(*args)
        assert "api.archive.archive" in imported
        assert not imported & (WEB | TABLES)


def test_who_looks_at_a_list_or_a_match_waits_for_nothing_that_a_server_needs(
    run, match_file: Path
) -> None:
    [told] = run("import", match_file, "--workers", "0", "--json").lines
    for args in (["matches"], ["show", told["match_id"]]):
        imported = imported_by(*args)
        assert "api.archive.archive" in imported
        assert not imported & {"asyncio", "ssl"}


def test_doctor_on_a_sound_installation(run, match_file: Path) -> None:
    before = run("doctor")
    assert "is not there yet" in before.out
    run("import", match_file)
    checks = {check["name"]: check for check in run("doctor", "--json").lines}
    assert set(checks) == {
        *("python", "sqlite", "import names", "command", "database", "tables", "writer"),
        *("signed", "tablets"),
    }
    assert not [check for check in checks.values() if check["verdict"] == "fault"]
    assert "up to date" in checks["tables"]["message"]
    assert checks["writer"]["verdict"] == "well"


@pytest.mark.parametrize("kind", ["key", "pub"])
def test_doctor_finds_a_damaged_key_and_commands_name_its_file(
    run, match_file: Path, database: Path, kind: str
) -> None:
    run("import", match_file)
    (database.with_name(f"{database.name}.keys") / f"imports.{kind}").write_bytes(b"\xff\x00")
    told = f"imports.{kind} cannot be read as keys"
    assert told in " ".join(run("doctor", exit_code=2).out.split())
    refused = run("grant", "--role", "viewer", "--log", "imports", exit_code=2)
    assert told in " ".join(refused.err.split())


def test_doctor_finds_a_foreign_owner_of_our_import_names(
    run, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners = {"events": ["tabularium-backgammon", "Events"], "api": ["tabularium-backgammon"]}
    monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: owners)
    ran = run("doctor", exit_code=2)
    assert "Events owns `events`" in ran.out
    assert "environment of its own" in ran.out


def test_doctor_finds_another_program_of_the_same_name(
    run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scripts(**_: str) -> list[importlib.metadata.EntryPoint]:
        return [importlib.metadata.EntryPoint("tabularium", "app.cli:main", "console_scripts")]

    monkeypatch.setattr(importlib.metadata, "entry_points", scripts)
    assert "would run app.cli:main" in run("doctor", exit_code=2).out


def test_doctor_finds_a_faulty_sqlite_and_a_database_out_of_reach(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "has_wal_fault", lambda: True)
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"no database" * 100)
    checks = {check.name: check for check in doctor.examine(str(broken))}
    assert checks["sqlite"].verdict is Verdict.NOTE
    found = [check for check in doctor.examine(str(broken)) if check.verdict is Verdict.FAULT]
    assert [check.name for check in found] == ["database"]
    [wrong] = [c for c in doctor.examine("mysql://x/y") if c.verdict is Verdict.FAULT]
    assert "is no database" in wrong.message
    [silent] = [
        check
        for check in doctor.examine("postgresql://nobody@127.0.0.1:9/nothing?connect_timeout=2")
        if check.verdict is Verdict.FAULT
    ]
    assert "cannot be reached" in silent.message


def test_a_postgresql_server_out_of_reach_is_one_line(run) -> None:
    url = "postgresql://nobody@127.0.0.1:9/nothing?connect_timeout=2"
    for command in (["matches"], ["grant", "--role", "viewer"]):
        ran = run(*command, "--db", url, exit_code=2)
        assert len(ran.err.splitlines()) == 1
        assert "cannot be" in ran.err or "refused" in ran.err


def test_openapi_is_printed_or_written(run, tmp_path: Path) -> None:
    printed = run("openapi").out
    assert json.loads(printed)["openapi"].startswith("3.1")
    path = tmp_path / "openapi.json"
    run("openapi", "-o", path)
    assert path.read_text("utf-8") == printed


def test_a_wrong_setting_is_named(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABULARIUM_PORT", "many")
    assert "TABULARIUM_PORT" in run("matches", exit_code=2).err


def test_the_list_of_commands_waits_for_nothing_but_itself() -> None:
    loads = imported_by("--help")
    assert not {"rich", "sqlite3", "projections.replay", "api.commands.common"} & loads


@pytest.mark.parametrize(
    ("words", "number", "offered"),
    [
        ("tabularium ju", 1, {"judge"}),
        ("tabularium judge --a", 2, {"--at", "--all", "--against"}),
        ("tabularium keys re", 2, {"retire"}),
    ],
)
def test_a_shell_completes_commands_and_their_options(
    words: str, number: int, offered: set[str]
) -> None:
    env = {
        **os.environ,
        "_TABULARIUM_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(number),
    }
    program = "from api.cli import app; app(prog_name='tabularium')"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env
    )
    assert set(ran.stdout.split()) == offered
