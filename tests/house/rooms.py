"""The tables of files in the rooms' READMEs: for each file the first sentence of its docstring.

`uv run python -m tests.house.rooms` rewrites them between two marks; a test checks that they are
current. The sentence of a file is written only once, in the file; an empty first sentence shows
here first.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.trees import tree_of

ROOT = Path(__file__).parents[2]

BEGIN = "<!-- files: `uv run python -m tests.house.rooms` writes them -->"
END = "<!-- /files -->"

ENDINGS = (".py", ".js", ".css", ".html", ".d.ts")


def rooms() -> list[Path]:
    """The READMEs that hold a table of their room's files."""
    found = (path for room in ("events", "projections", "api") for path in readmes(room))
    return [path for path in found if BEGIN in path.read_text("utf-8")]


def readmes(room: str) -> list[Path]:
    """The READMEs below a folder of the root."""
    return sorted((ROOT / room).rglob("README.md"))


def rewritten(readme: Path) -> str:
    """The text of a README with the table of its room as the files are now."""
    text = readme.read_text("utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table(readme.parent)}{END}{after}"


def table(room: Path) -> str:
    """A Markdown table: every file below a room, up to those rooms that have a README."""
    lines = [f"| `{name}` | {says} |" for name, says in rows(room, room)]
    return "\n".join(["| file | what it is for |", "|---|---|", *lines, ""])


def rows(folder: Path, room: Path) -> Iterator[tuple[str, str]]:
    """Each file below a folder with its sentence, by its path in the room."""
    inside = sorted(folder.iterdir(), key=lambda path: (path.is_dir(), path.name))
    for path in inside:
        name = path.relative_to(room).as_posix()
        if path.is_dir():
            if path.name.startswith(("_", ".")):
                continue
            if (path / "README.md").exists():
                yield f"{name}/", f"see [its README]({name}/README.md)"
                continue
            package = path / "__init__.py"
            if package.exists():
                yield f"{name}/", sentence(package)
            yield from rows(path, room)
        elif path.name.endswith(ENDINGS) and path.name != "__init__.py":
            yield name, sentence(path)


def sentence(path: Path) -> str:
    """The first sentence of a file. Errors: ValueError where it has none."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        said = ast.get_docstring(tree_of(path)) or ""
    elif path.suffix in (".js", ".ts"):
        said = "\n".join(line[2:] for line in _leading(text, "//"))
    else:
        opened = re.match(r"\s*(?:/\*|\{#-?|<!--)\s*(.*?)\s*(?:\*/|-?#\}|-->)", text, re.DOTALL)
        said = opened[1] if opened else ""
    first = re.match(r"(.+?[.:])(?:\s|$)", " ".join(said.split("\n\n")[0].split()))
    if first is None:
        raise ValueError(f"{path} does not say in its first sentence what it is for")
    whole = " ".join(said.split("\n\n")[0].split())
    ended = re.match(r"(.+?\.)(?:\s|$)", whole)
    return (ended[1] if ended else whole).replace("|", "\\|")


def _leading(text: str, mark: str) -> Iterator[str]:
    for line in text.splitlines():
        if not line.startswith(mark) or not line[len(mark) :].strip():
            return
        yield line


if __name__ == "__main__":
    for readme in rooms():
        readme.write_text(rewritten(readme), "utf-8")
        print(readme.relative_to(ROOT))
