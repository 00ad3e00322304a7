"""What an archive makes of files, as digests: two trees that print the same make the same bytes.

`uv run python -m tests.house.sameness FILE|FOLDER ... > new.txt` imports the files into an archive
of its own, in which no clock goes and chance comes from a seed, and prints a line for each thing
made: sealed entries, findings of each match, exports in every format, every published file. Run it
once more with the Python of an older checkout and `--tree PATH` of that, and compare the two.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

NOW_NS = 1_773_493_200_000_000_000
"""When everything happens: 2026-03-14 13:00 UTC."""

FORMATS = ("mat", "sgf", "ogxm", "text", "html", "jsonl")


class Chance:
    """Bytes that look like chance, and are the same after each beginning.

    Each thread draws from a row of its own: which of two draws first is left to the machine.
    """

    def __init__(self) -> None:
        self._drawn: Counter[str] = Counter()

    def begin(self) -> None:
        """Draw from the start again."""
        self._drawn.clear()

    def __call__(self, size: int) -> bytes:
        blocks = [self._block() for _ in range(-(-size // 32))]
        return b"".join(blocks)[:size]

    def _block(self) -> bytes:
        thread = threading.current_thread()
        who = "" if thread is threading.main_thread() else f"{thread.name} "
        self._drawn[who] += 1
        return hashlib.sha256(f"tabularium {who}{self._drawn[who]}".encode()).digest()


CHANCE = Chance()


def stand_still() -> None:
    """Stop the clock and seed chance, before our modules are imported and keep the true ones."""
    os.urandom = CHANCE
    time.time_ns = lambda: NOW_NS
    time.time = lambda: NOW_NS / 1e9
    # By it a slow import commits what it has, and the next files draw their ids in another order.
    time.monotonic = lambda: 0.0


def lines(paths: Sequence[Path]) -> Iterator[str]:
    """`<sha256> <what> <name>` for each thing that is made of these files."""
    from typer.testing import CliRunner

    from api.cli import app

    def told(*arguments: str, codes: Sequence[int] = (0,)) -> bytes:
        # Two trees import their modules in another order, and libraries draw as they are imported.
        CHANCE.begin()
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code in codes, (arguments, done.output[-2_000:])
        return done.stdout_bytes

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        db = ("--db", str(folder / "archive.sqlite"))
        # 1: a file that no reader takes is one of the answers.
        given = map(str, sorted(paths))
        taken = told("import", *given, "--workers", "0", "--public", *db, "--json", codes=(0, 1))
        yield _line(taken, "import", "all")
        ids = [one["match_id"] for one in _each(told("matches", *db, "--json"))]
        for match in ids:
            yield _line(told("show", match, *db, "--json"), "show", match)
            yield _line(told("replay", match, *db, "--json"), "findings", match)
        for form in FORMATS:
            out = folder / form
            told("export", "--all", "--format", form, "--output", f"{out}/", *db, codes=(0, 1))
            yield from _files(out, form)
        told("publish", "--to", str(folder / "tables"), "--workers", "1", *db)
        yield from _files(folder / "tables", "publication")


def _each(text: bytes) -> Iterator[Any]:
    for line in text.splitlines():
        yield json.loads(line)


def _files(folder: Path, what: str) -> Iterator[str]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if not zipfile.is_zipfile(path):
            yield _line(path.read_bytes(), what, name)
            continue
        with zipfile.ZipFile(path) as packed:
            for one in sorted(packed.namelist()):
                yield _line(packed.read(one), what, f"{name}/{one}")


def _line(made: bytes, what: str, name: str) -> str:
    return f"{hashlib.sha256(made).hexdigest()} {what} {name}"


def main() -> None:
    """Print the lines of the files that the command line names."""
    wanted = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    wanted.add_argument("paths", nargs="+", type=Path, help="match files, or folders of them")
    wanted.add_argument("--tree", type=Path, help="another checkout whose code is to be asked")
    asked = wanted.parse_args()
    if asked.tree is not None:
        sys.path.insert(0, str(asked.tree.resolve()))
    stand_still()
    for line in lines(asked.paths):
        print(line, flush=True)


if __name__ == "__main__":
    main()
