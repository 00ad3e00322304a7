"""The measures of the house: files, floors, circles and long files, printed by one command.

`uv run python -m tests.house.measure` prints a Markdown table; the README of this folder keeps it.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.house.trees import tree_of

ROOT = Path(__file__).parents[2]

ROOMS = ("events", "projections", "migrations", "api")

STATIC = ROOT / "api" / "web" / "static"

LONG = 450

WHOLE = {
    "events/catalogue.py": "the one list of event types",
    "api/shapes/examples.py": "the one table of examples",
    "api/web/static/tablet/sheets/pictures.js": "a table of drawings",
    "api/evidence/scripts/verify.py": "handed out in every bundle as one file",
}
"""Files that may be longer, each with its reason; the README of this folder has them."""

Graph = Mapping[str, set[str]]
"""Who imports whom."""


def python_files() -> dict[str, Path]:
    """Production modules by their dotted names; a package by its own name."""
    found: dict[str, Path] = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@functools.cache
def python_imports() -> Graph:
    """Each module with those of ours that it imports when it runs; type checks alone left out."""
    files = python_files()
    return {
        name: {one for one in _imported(tree_of(path), files) if one != name}
        for name, path in files.items()
    }


def _imported(tree: ast.Module, files: Mapping[str, Path]) -> Iterator[str]:
    for node in _running(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in files:
                    yield inner
                elif node.module in files:
                    yield node.module


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    ahead = [tree]
    while ahead:
        for child in ast.iter_child_nodes(ahead.pop()):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            yield child
            ahead.append(child)


def script_imports() -> Graph:
    """Each JavaScript module with those that it imports, at once or when they are wanted."""
    found: dict[str, set[str]] = {}
    for path in sorted(STATIC.rglob("*.js")):
        text = re.sub(r"/\*(?s:.*?)\*/|^\s*//.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
        wanted = re.findall(r'(?:from|import)\s*\(?\s*"(\.[^"]+)"', text)
        places = ((path.parent / one).resolve() for one in wanted)
        found[_named(path)] = {_named(one) for one in places if one.suffix == ".js"}
    return found


def _named(path: Path) -> str:
    return path.resolve().relative_to(STATIC).as_posix()


def circles(graph: Graph) -> list[list[str]]:
    """Modules that import one another in a circle (Tarjan's strongly connected components)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            at = stack.index(name)
            circle = stack[at:]
            del stack[at:]
            if len(circle) > 1:
                found.append(sorted(circle))

    sys.setrecursionlimit(10_000)
    for name in sorted(graph):
        if name not in order:
            visit(name)
    return found


def floors(graph: Graph) -> int:
    """How many files stand on one another at most, circles taken as one."""
    of = {name: tuple(circle) for circle in circles(graph) for name in circle}
    known: dict[str, int] = {}

    def height(name: str) -> int:
        if name not in known:
            known[name] = 0
            circle = set(of.get(name, (name,)))
            below = {other for one in circle for other in graph.get(one, ())} - circle
            known[name] = 1 + max((height(other) for other in below), default=0)
        return known[name]

    return max(height(name) for name in graph)


def lines(path: Path) -> int:
    """Lines of a file."""
    return len(path.read_text("utf-8").splitlines())


def long_files() -> list[tuple[int, str]]:
    """Production files of more than `LONG` lines that need not be whole, the longest first."""
    paths = [*python_files().values(), *STATIC.rglob("*.js")]
    found = ((lines(path), path.relative_to(ROOT).as_posix()) for path in paths)
    return sorted((one for one in found if one[0] > LONG and one[1] not in WHOLE), reverse=True)


def anys() -> float:
    """How often `Any` stands in 100 lines of production Python."""
    texts = [path.read_text("utf-8") for path in python_files().values()]
    used = sum(len(re.findall(r"\bAny\b", text)) for text in texts)
    return 100 * used / sum(len(text.splitlines()) for text in texts)


def rows() -> Iterator[tuple[str, str, str]]:
    """A measure: its goal, and its value."""
    python, scripts = python_imports(), script_imports()
    flat = [path for path in (ROOT / "api").iterdir() if path.suffix == ".py"]
    yield "files directly in `api/`", "≤ 6", str(len(flat))
    yield "import circles in Python", "0", str(len(circles(python)))
    yield "import circles in JavaScript", "0", str(len(circles(scripts)))
    yield "floors of files in Python", "≤ 16", str(floors(python))
    yield "floors of files in JavaScript", "", str(floors(scripts))
    mean = sum(map(len, python.values())) / len(python)
    yield "imports a file in Python", "≤ 4.5", f"{mean:.1f}"
    yield f"files over {LONG} lines", "0", str(len(long_files()))
    yield "`Any` per 100 lines", "≤ 0.5", f"{anys():.2f}"
    yield "lines of Python", "", f"{sum(lines(path) for path in python_files().values()):,}"
    yield "lines of JavaScript", "", f"{sum(lines(path) for path in STATIC.rglob('*.js')):,}"


if __name__ == "__main__":
    print("| measure | goal | now |\n|---|---|---|")
    for name, goal, value in rows():
        print(f"| {name} | {goal} | {value} |")
    for name, graph in (("Python", python_imports()), ("JavaScript", script_imports())):
        for circle in circles(graph):
            print(f"\nA circle in {name}: {', '.join(circle)}")
    print(f"\nFiles over {LONG} lines:")
    for count, path in long_files():
        print(f"* {path}: {count}")
    print("\nLonger, and whole on purpose:")
    for whole, why in WHOLE.items():
        print(f"* {whole}: {lines(ROOT / whole)}, {why}")
