"""House rules that a syntax tree can see: sentences, annotations, purity, the web's four rooms."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.commands import checks
from tests.house.trees import nodes_of

Sources = Callable[..., list[tuple[str, ast.Module]]]

IMPURE = {
    *("aiofiles", "anyio", "asyncio", "concurrent", "datetime", "glob", "http", "io", "logging"),
    *("multiprocessing", "os", "pathlib", "random", "secrets", "shutil", "socket", "sqlite3"),
    *("subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid"),
}
"""What a fold has no use for: a clock, chance, a file, a thread."""

DOERS = {"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__"}

WEB = {"fastapi", "starlette"}
WEB_ROOMS = (
    "api/app.py",
    "api/html/",
    "api/openapi.py",
    "api/pages/",
    "api/refusals.py",
    "api/routes/",
)


def test_every_file_opens_with_a_sentence(root: Path) -> None:
    rooms = ("api", "events", "migrations", "projections", "tests")
    wrong = [
        str(path.relative_to(root))
        for room in rooms
        for path in (root / room).rglob("*.py")
        if not re.match(r'(#!.*\n)?"""\S.{10,98}[.?:!](""")?\n', path.read_text("utf-8"))
    ]
    assert not wrong


def test_every_function_says_what_it_returns(sources: Sources) -> None:
    silent = [
        f"{path}:{node.lineno} {node.name}"
        for path, tree in sources()
        for node in nodes_of(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is None
    ]
    assert not silent


def test_projections_call_no_clock_no_chance_and_no_file(sources: Sources) -> None:
    """A fold gives the same answer for ever: time comes in with the events, nothing goes out."""
    for path, tree in sources("projections"):
        assert not imported(tree) & IMPURE, path
        for node in nodes_of(tree):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            assert not isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.Global), where
            if isinstance(node, ast.Call):
                called = node.func
                assert not (isinstance(called, ast.Name) and called.id in DOERS), where
                if isinstance(called, ast.Attribute):
                    assert called.attr not in ("now", "utcnow", "today"), where


NEWER_SQL = re.compile(
    r"->>|\bunixepoch\(|\b(?:RIGHT|FULL)\s+(?:OUTER\s+)?JOIN\b|\bconcat(?:_ws)?\("
)
"""What came to SQLite after 3.37, the oldest one that `doctor` lets pass."""


def test_no_statement_asks_for_a_newer_database_than_doctor_does(sources: Sources) -> None:
    assert checks.OLDEST_SQLITE == (3, 37, 0), "then look at what is newer once more"
    newer = [
        f"{path}:{node.lineno}"
        for path, tree in sources("api", "events", "migrations")
        for node in nodes_of(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if NEWER_SQL.search(node.value)
    ]
    assert not newer


def test_payloads_hold_no_floats(sources: Sources) -> None:
    trees = [*sources("events/payloads"), *sources_of(sources, "events/values.py")]
    assert len(trees) > 10
    for path, tree in trees:
        names = {node.id for node in nodes_of(tree) if isinstance(node, ast.Name)}
        assert not names & {"float", "Decimal", "Any", "object"}, path


def test_the_web_is_known_in_its_own_rooms_only(sources: Sources) -> None:
    known = {path for path, tree in sources() if imported(tree) & WEB}
    assert not {path for path in known if not path.startswith(WEB_ROOMS)}


def test_only_settings_read_the_environment(sources: Sources) -> None:
    for path, tree in sources():
        if path == "api/settings.py":
            continue
        read = {node.attr for node in nodes_of(tree) if isinstance(node, ast.Attribute)}
        assert not read & {"environ", "getenv"}, path


def test_rule_sets_are_told_apart_in_their_own_room(sources: Sources) -> None:
    """No `if rule_set == ...` outside `projections/rules/`: a profile answers, by its numbers."""
    for path, tree in sources("projections"):
        if path.startswith("projections/rules/"):
            continue
        for node in nodes_of(tree):
            if isinstance(node, ast.Compare):
                named = [part for part in ast.walk(node) if isinstance(part, ast.Constant)]
                ids = [part.value for part in named if isinstance(part.value, str)]
                known = [one for one in ids if re.match(r"(usbgf|biba|fcbg|wbgf)-", one)]
                assert not known, f"{path}:{node.lineno}"


@pytest.mark.parametrize("mark", ["TO" + "DO", "FIX" + "ME", "X" * 3 + ":", "/wo" + "rk/"])
def test_nothing_is_left_undone_or_tied_to_one_machine(mark: str, root: Path) -> None:
    rooms = ("api", "events", "migrations", "projections", "tests", "openapi")
    files = [path for room in rooms for path in (root / room).rglob("*")]
    files += [path for path in root.iterdir() if path.suffix in (".md", ".toml")]
    told = [
        path for path in files if path.suffix in (".py", ".md", ".toml", ".js", ".html", ".css")
    ]
    assert len(told) > 50
    assert not [str(path) for path in told if mark in path.read_text("utf-8")]


def imported(tree: ast.Module) -> set[str]:
    """First names of everything that a file imports, at any depth of the file."""
    return {name.partition(".")[0] for node in nodes_of(tree) for name in _names(node)}


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        yield node.module or ""


def sources_of(sources: Sources, path: str) -> list[tuple[str, ast.Module]]:
    """The one file at `path`."""
    return [found for found in sources(path.partition("/")[0]) if found[0] == path]
