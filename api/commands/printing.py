"""What commands print: results on stdout, messages on stderr, one clear line for an error."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import orjson
import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

REFUSED = 1
"""Exit code: some of the input was refused, or a check found something."""

UNUSABLE = 2
"""Exit code: the command was used wrongly, or cannot run in this environment."""

INTERRUPTED = 130
"""The exit code of shells for Ctrl-C."""

NEEDS_DRIVER = (
    "PostgreSQL needs its driver: run `uv sync --extra postgresql`"
    " or `pip install 'tabularium-backgammon[postgresql]'`"
)
"""What to do if the extra is not installed: in a clone, and with the wheel."""


# Rich is imported only where it is used: most output is plain lines, which should not wait for the
# import.


def show(text: str = "", style: str = "") -> None:
    """One line of a result for people."""
    _print(text, style, err=False)


def say(text: str, style: str = "") -> None:
    """One message for people."""
    _print(text, style, err=True)


def _print(text: str, style: str, *, err: bool) -> None:
    if style:
        _console(err=err).print(text, style=style)
    else:
        typer.echo(text, err=err)


def _console(*, err: bool) -> Console:
    """Made again each time, because tests and pipes replace the stream."""
    from rich.console import Console

    return Console(stderr=err, highlight=False, markup=False, emoji=False, soft_wrap=True)


def fail(text: str, code: int = UNUSABLE) -> NoReturn:
    """End the command with one line that says what is wrong and what to do."""
    say(f"tabularium: {safe(text)}", style="red")
    raise typer.Exit(code)


def line(value: object) -> None:
    """One JSON object on stdout."""
    typer.echo(orjson.dumps(value))


def safe(text: object) -> str:
    """Text from a file or a person, harmless on a terminal: no control characters."""
    return "".join(char if char.isprintable() else "\N{MIDDLE DOT}" for char in str(text))


@contextlib.contextmanager
def moving(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar over what a function does that tells how much of how many is done."""
    with progress() as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def progress() -> Progress:
    """A progress bar on stderr, where that is a terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = _console(err=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        # Results may go to a file while the bar is on the terminal: then they are not printed
        # through it.
        redirect_stdout=on_terminal(),
    )


def on_terminal() -> bool:
    """Whether results go to a terminal; a process may have no stdout at all."""
    return sys.stdout is not None and sys.stdout.isatty()


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 match`, `2 matches`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def refuse_unreadable(number: int) -> None:
    """End the command where matches are damaged, with what to do; all others are done by then."""
    if number:
        say(f"{counted(number, 'match', 'matches')} cannot be read: run `tabularium fsck`", "red")
        raise typer.Exit(REFUSED)


def written(content: bytes, output: Path | None) -> None:
    """A file's content to that file, or to stdout where none is named."""
    if output is None or str(output) == "-":
        typer.echo(content, nl=False)
    else:
        put_whole(output, content)
        say(f"{safe(output)} written")


def _is_there(path: Path) -> bool:
    """Whether something exists at the path, following links.

    Errors: OSError. Links in a circle are an OSError like every other fault of a path; `exists` and
    `resolve` report them differently, and not the same in each release of Python.
    """
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True


def put_whole(path: Path, content: bytes) -> None:
    """A file that is there whole, or as it was before: never half of it. Errors: OSError."""
    if _is_there(path) and not path.is_file():
        # A pipe or a device is written to directly, and not replaced.
        path.write_bytes(content)
        return
    place = path.resolve()  # The target of a link is replaced, and not the link.
    # Imported here, because commands that only print do not need it.
    from events.store.passing import Passing

    _clear(place.parent)
    try:
        # A temporary name that no other file has, not even that of the same command run in
        # parallel.
        with Passing(place.parent, _PART, mode=0o666) as part:
            part.file.write(content)
            if place.exists():
                part.path.chmod(place.stat().st_mode & 0o777)
            part.put(place, is_lasting=False)
    except OSError as error:
        if error.filename is not None:
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


_PART = ".part"


@functools.cache
def _clear(folder: Path) -> None:
    """Remove unfinished files of commands that were killed, once."""
    from events.store.passing import clear

    clear(folder, _PART)
