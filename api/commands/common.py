"""What every command needs: the database, two streams of output, one clear line for an error."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn

import msgspec
import orjson
import typer
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text
from sqlalchemy.exc import SQLAlchemyError
from typer.core import TyperGroup

from api.archive.archive import Archive, open_archive
from api.archive.index.file import index_file
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.envelope import check_id
from events.errors import LedgerError, NoArchive
from events.payloads.match import MatchOpened
from events.personal import Commitment, Disclosed
from events.store.address import FileAddress, parse_address
from events.store.lock import read_lock
from events.values import BySeat
from projections.replay import Replay

REFUSED = 1
"""Exit code: some of the input was refused, or an audit found something."""

UNUSABLE = 2
"""Exit code: the command was used wrongly, or cannot work here."""

INTERRUPTED = 130
"""Exit code of a shell for Ctrl-C."""

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        help="Database: sqlite:///path, a file path or postgresql://... "
        "(default: TABULARIUM_DB, else a file in your data folder)",
        show_default=False,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="One JSON object a line on stdout, messages on stderr.")
]
Match = Annotated[
    str, typer.Argument(metavar="MATCH", help="Id of the match, or its unique beginning.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="FILE", help="Write to this file. (default: stdout)",
        show_default=False,
    ),
]  # fmt: skip
OfLog = Annotated[
    str | None, typer.Option("--log", metavar="ID", help="Only this log.", show_default=False)
]
At = Annotated[
    int | None,
    typer.Option(
        "--at",
        metavar="VERSION",
        min=1,
        help="As it stood after so many entries.",
        show_default=False,
    ),
]


class Commands(TyperGroup):
    """The group of all commands: what goes wrong is one line that says what to do."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; refusals of every floor become a line on stderr and an exit code."""
        try:
            return super().invoke(ctx)
        except LedgerError as error:
            fail(str(error))
        except ValidationError as error:
            fail(_settings_fault(error))
        except KeyboardInterrupt:
            say("stopped")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # Whoever read the output has seen enough (`| head`).
            with contextlib.suppress(OSError):
                sys.stdout.close()
            raise typer.Exit(0) from None
        except (SQLAlchemyError, sqlite3.Error) as error:
            cause = getattr(error, "orig", None) or error
            fail(f"the database cannot be used: {_first_line(cause)}")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "psycopg":
                raise
            fail("PostgreSQL needs its driver: run `uv sync --extra postgresql`")
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            fail(f"{where}{error.strerror or error}")
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "psycopg":
                raise
            fail(f"the database cannot be used: {_first_line(error)}")


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


def _settings_fault(error: ValidationError) -> str:
    faults = [
        f"TABULARIUM_{'_'.join(str(part) for part in fault['loc']).upper()}: {fault['msg']}"
        for fault in error.errors()
    ]
    return "a setting cannot be used: " + "; ".join(faults)


# Output.


def out() -> Console:
    """Where results go; made anew, since tests and pipes exchange the stream."""
    return Console(highlight=False, markup=False, soft_wrap=True)


def err() -> Console:
    """Where messages go."""
    return Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def show(text: str = "", style: str = "") -> None:
    """One line of a result for people."""
    out().print(Text(text, style=style))


def say(text: str, style: str = "") -> None:
    """One message for people."""
    err().print(Text(text, style=style))


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


def progress() -> Progress:
    """A progress bar on stderr, where that is a terminal."""
    console = err()
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        # Results may go to a file while the bar is on the terminal: they must stay results.
        redirect_stdout=sys.stdout.isatty(),
    )


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 match`, `2 matches`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


# The archive.


def settings_of(db: str | None, **options: Any) -> Settings:
    """The settings, those given on the command line first."""
    given = {"db": db, **options}
    return Settings(**{name: value for name, value in given.items() if value is not None})


def lock_holder(url: str) -> Mapping[str, object] | None:
    """What the process that writes to the database says of itself; None if there is none."""
    address = parse_address(url)
    return read_lock(address.path) if isinstance(address, FileAddress) else None


class Shelf(msgspec.Struct, frozen=True):
    """An archive that is open, with its index."""

    archive: Archive
    index: MatchIndex

    def find(self, beginning: str, log_id: str | None = None) -> tuple[str, str]:
        """(log id, match id) of the one match whose id begins so; else the command ends."""
        whole = self._whole(beginning.lower(), log_id)
        if whole is not None:
            return whole
        self.index.catch_up(None if log_id is None else [log_id])
        found = self.index.find(beginning.lower(), log_id=log_id)
        exact = [pair for pair in found if pair[1] == beginning.lower()]
        if len(found) == 1 or len(exact) == 1:
            return (exact or found)[0]
        if not found:
            fail(f"no match has an id that begins with {beginning!r}: see `tabularium matches`")
        say(f"tabularium: several matches have an id that begins with {beginning!r}:", style="red")
        for log, stream in found:
            say(f"  {stream}  (log {log})")
        raise typer.Exit(UNUSABLE)

    def _whole(self, match_id: str, log_id: str | None) -> tuple[str, str] | None:
        """The one match with this very id, found without the list of all the others."""
        store = self.archive.store
        logs = [log_id] if log_id is not None else [head.log_id for head in store.logs()]
        found = [(log, match_id) for log in logs if store.stream_head(log, match_id) is not None]
        return found[0] if len(found) == 1 else None

    def replay(
        self,
        beginning: str,
        log_id: str | None,
        *,
        at: int | None = None,
        rule_set: str | None = None,
        as_recorded: bool = False,
    ) -> tuple[str, str, Replay]:
        """(log id, match id, replay) of the one match whose id begins so."""
        log, match = self.find(beginning, log_id)
        reading = self.archive.reading
        version = reading.live(log, match).version
        if at is not None and at > version:
            fail(f"the match has {counted(version, 'entry', 'entries')}: --at {at} is beyond them")
        shown = reading.replay(log, match, at=at, rule_set=rule_set, as_recorded=as_recorded)
        return log, match, shown

    def names(self, log_id: str, opened: MatchOpened | None) -> BySeat[str]:
        """The players' names, harmless on a terminal."""
        return self.archive.reading.names(log_id, opened).map(safe)

    def value(self, log_id: str, commitment: Commitment | None) -> str | None:
        """A personal value in the clear; None where there is none or it is withheld."""
        if commitment is None:
            return None
        found = self.archive.reading.opened_values(log_id, [commitment])[commitment.sd]
        return safe(found.value) if isinstance(found, Disclosed) else None


@contextlib.contextmanager
def reading(db: str | None) -> Iterator[Shelf]:
    """The archive, open for reading only: works beside a server that writes to it."""
    settings = settings_of(db)
    try:
        archive = open_archive(settings.db, read_only=True, cached_matches=settings.cached_matches)
    except NoArchive:
        address = parse_address(settings.db)
        is_missing = isinstance(address, FileAddress) and not address.path.exists()
        if is_missing:
            fail(
                f"there is no archive at {settings.db} yet: `tabularium import FILE.mat` makes one,"
                " and so does `tabularium serve`"
            )
        raise
    with _shelf(archive) as shelf:
        yield shelf


@contextlib.contextmanager
def writing(settings: Settings) -> Iterator[Shelf]:
    """The archive, open for writing; made if there is none."""
    with _shelf(open_archive(settings.db, cached_matches=settings.cached_matches)) as shelf:
        yield shelf


@contextlib.contextmanager
def _shelf(archive: Archive) -> Iterator[Shelf]:
    try:
        index = MatchIndex(archive.store, archive.reading, path=index_file(archive.url))
        try:
            yield Shelf(archive, index)
        finally:
            index.close()
    finally:
        archive.close()


def checked_log(log_id: str) -> str:
    """A well-formed log id, else the command ends. Errors: BadIdentifier."""
    return check_id(log_id, "log")


def written(content: bytes, output: Path | None) -> None:
    """A file's content to that file, or to stdout where none is named."""
    if output is None or str(output) == "-":
        typer.echo(content, nl=False)
    else:
        output.write_bytes(content)
        say(f"{safe(output)} written")
