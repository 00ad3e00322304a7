"""Clients generated from the API's description compile, and can do the work.

The generators are downloaded when the test runs, each with its dependencies, and are therefore
pinned here.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from api.archive.archive import open_archive
from events.payloads.access import Role
from tests.api.routes.test_openapi import FILE, NAMES
from tests.web.conftest import Served

pytestmark = pytest.mark.gate

PYTHON = "openapi-python-client==0.29.1"

TYPESCRIPT = ("openapi-typescript@7.10.1", "typescript@5.9.3")

NAME = "tabularium_client"

Require = Callable[[bool, str], None]


def made(require: Require, command: list[str | None], folder: Path) -> str:
    """What a generator says while it works in a folder."""
    program = shutil.which(command[0] or "")
    require(program is not None, f"there is no {command[0]} to fetch a generator with")
    done = subprocess.run(
        [str(program), *map(str, command[1:])],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = done.stdout + done.stderr
    fetched = not any(sign in said for sign in ("npm error", "error: Failed to fetch", "dns error"))
    require(fetched, f"{command[0]} cannot fetch the generator")
    assert done.returncode == 0, said
    return said


@pytest.fixture(scope="module")
def client(
    require: Require, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ModuleType, str]]:
    """The generated package for Python, and what its generator said."""
    folder = tmp_path_factory.mktemp("python")
    command = ["uv", "tool", "run", PYTHON.replace("==", "@"), "generate", "--meta", "none"]
    said = made(require, [*command, "--path", str(FILE), "--output-path", NAME], folder)
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module(NAME), said
    finally:
        sys.path.remove(str(folder))


def module(path: str) -> Any:
    return importlib.import_module(f"{NAME}.{path}")


def test_python_gets_every_operation(client: tuple[ModuleType, str]) -> None:
    package, said = client
    assert "Endpoint will not be generated" not in said
    assert "Unable to parse" not in said
    folder = Path(str(package.__file__)).parent / "api"
    found = {path.stem.replace("_", "") for path in folder.glob("*/[a-z]*.py")}
    assert found == {name.lower() for name in NAMES}


def test_typescript_gets_the_document(require: Require, tmp_path: Path) -> None:
    packages = [part for one in TYPESCRIPT for part in ("-p", one)]
    command = ["npx", "-y", *packages, "openapi-typescript", str(FILE), "-o", "tabularium.d.ts"]
    made(require, command, tmp_path)
    told = (tmp_path / "tabularium.d.ts").read_text("utf-8")
    assert [name for name in NAMES if f"    {name}: {{" not in told] == []


def test_python_reads_a_match_appends_an_entry_and_files_an_appeal(
    client: tuple[ModuleType, str], sqlite_url: str
) -> None:
    package, _ = client
    archive = open_archive(sqlite_url)
    archive.open_tournament("open", "Lantern Open")
    token, _ = archive.grant(Role.DIRECTOR, log_id="open")
    served = Served(archive)
    url = f"http://127.0.0.1:{served.port}"
    models = module("models")
    try:
        with package.AuthenticatedClient(base_url=url, token=token) as visitor:
            opening = {
                "opened": {
                    "players": {"one": [{"name": "Ada"}], "two": [{"name": "Ben"}]},
                    "length": 5,
                    "rule_set": "usbgf-2017-07",
                }
            }
            opened = module("api.matches.open_match").sync(
                "open", client=visitor, body=models.OpenMatch.from_dict(opening)
            )
            match = opened.match_id
            batch = {
                "entries": [{"entry_id": str(uuid.uuid4()), "tag": "game.started", "body": {}}]
            }
            appended = module("api.matches.append_events").sync(
                "open", match, client=visitor, body=models.MatchBatch.from_dict(batch), if_match="1"
            )
            assert appended.version == 2
            ruling = {"entry_id": str(uuid.uuid4()), "body": {"decision": "the roll stands"}}
            module("api.disputes.append_ruling").sync(
                "open",
                match,
                client=visitor,
                body=models.RulingMadeFiling.from_dict(ruling),
                if_match="2",
            )
            appeal = {"entry_id": str(uuid.uuid4()), "body": {"seat": "one", "target": 3}}
            filed = module("api.disputes.append_appeal").sync_detailed(
                "open",
                match,
                client=visitor,
                body=models.AppealFiledFiling.from_dict(appeal),
                if_match="3",
            )
            assert filed.status_code == 201, filed.content
            read = module("api.views.get_match").sync("open", match, client=visitor)
            assert read.version == 4
            assert read.length == 5
    finally:
        served.stop()
        archive.close()
