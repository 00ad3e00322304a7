"""`tabularium import`: match files into the archive, or into the server that is writing to it."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from api.commands.common import (
    REFUSED,
    Db,
    Json,
    checked_log,
    counted,
    fail,
    line,
    lock_holder,
    progress,
    safe,
    say,
    settings_of,
    show,
    writing,
)
from api.commands.server import ServerTaker, server_of
from api.importing import (
    IMPORTS_LOG,
    FileRefused,
    Importer,
    LocalTaker,
    MatchResult,
    Taker,
    files_in,
    left_out,
)
from api.settings import Settings
from events.envelope import ARCHIVE_LOG
from projections.findings import Severity

INDEX_EVERY = 100
"""Files after which the list of matches takes in what came, while their replays are at hand."""


def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Match files, or folders of .mat and .txt files."),
    ],
    db: Db = None,
    log: Annotated[
        str, typer.Option("--log", metavar="ID", help="Log to import into; made if there is none.")
    ] = IMPORTS_LOG,
    form: Annotated[
        str, typer.Option("--format", metavar="auto|mat", help="Read as this format only.")
    ] = "auto",
    public: Annotated[
        bool, typer.Option("--public", help="Let anybody read the imported matches.")
    ] = False,
    server: Annotated[
        str | None,
        typer.Option(
            "--server",
            metavar="URL",
            help="Send them to this server, with the token of TABULARIUM_TOKEN.",
            show_default=False,
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Also tell every remark of the reader.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Import match files.

    The content decides what a file is, never its name. Each match becomes one stream; a file that
    is in the archive already is said to be, and changes nothing. A file that cannot be read whole
    is refused, leaves nothing behind, and the others go on; then the exit code is 1.
    """
    if form not in ("auto", "mat"):
        fail(f"--format is auto or mat, not {form!r}")
    if checked_log(log) == ARCHIVE_LOG:
        fail(f"log {ARCHIVE_LOG} holds the archive's own grants: import into another one")
    settings = settings_of(db)
    files = list(files_in(paths))
    if not files:
        fail("there is no .mat or .txt file in these folders: name a file to import it as it is")
    tally = Tally()
    with _taker(settings, server) as (taker, done):
        importer = Importer(taker, log_id=log, entry_id=_entry_id, is_public=public)
        with progress() as bar:
            task = bar.add_task("importing", total=len(files))
            for number, path in enumerate(files, 1):
                for result in importer.take_file(path):
                    tally.count(result)
                    if as_json:
                        line(result.as_json())
                    else:
                        _show(result)
                    if verbose and isinstance(result, MatchResult):
                        _remark(result)
                if number % INDEX_EVERY == 0:
                    done(log)
                bar.advance(task)
        done(log)
    (say if as_json else show)(tally.summary(log))
    unread = left_out(paths)
    if unread:
        suffixes = ", ".join(sorted({path.suffix.lower() for path in unread}))
        say(f"left out: {counted(len(unread), 'file')} of formats not read yet ({suffixes})")
    if public and tally.already:
        say("--public releases what is imported now; what was imported before is left as it was")
    if tally.refused:
        raise typer.Exit(REFUSED)


class Tally:
    """What became of all files."""

    def __init__(self) -> None:
        self.matches = self.already = self.refused = 0
        self.games = self.rolls = self.findings = self.remarks = 0

    def count(self, result: MatchResult | FileRefused) -> None:
        """Take one result in."""
        if isinstance(result, FileRefused):
            self.refused += 1
        elif result.already:
            self.already += 1
        else:
            self.matches += 1
            self.games += result.games
            self.rolls += result.rolls
            self.findings += len(result.findings)
            self.remarks += len(result.notices)

    def summary(self, log: str) -> str:
        """One line about all of them."""
        parts = [
            f"{counted(self.matches, 'match', 'matches')} imported into log {log}"
            + (
                f" ({counted(self.games, 'game')}, {counted(self.rolls, 'roll')},"
                f" {counted(self.findings, 'finding')}, {counted(self.remarks, 'remark')})"
                if self.matches
                else ""
            )
        ]
        if self.already:
            parts.append(f"{self.already:,} imported before")
        if self.refused:
            parts.append(f"{self.refused:,} refused")
        return "; ".join(parts)


@contextmanager
def _taker(settings: Settings, server: str | None) -> Iterator[tuple[Taker, Callable[[str], None]]]:
    """Where the matches go, and what is to be called when some have come."""
    if server is None and lock_holder(settings.db) is None:
        with writing(settings) as shelf:
            yield LocalTaker(shelf.archive), lambda log: shelf.index.catch_up([log])
        return
    with server_of(settings, server) as client:
        say(f"sending them to the server at {client.url}")
        yield ServerTaker(client), lambda log: None


def _entry_id() -> str:
    return str(uuid.UUID(bytes=os.urandom(16), version=4))


def _show(result: MatchResult | FileRefused) -> None:
    if isinstance(result, FileRefused):
        where = "".join(
            f", {name} {number}"
            for name, number in (("line", result.line), ("game", result.game))
            if number is not None
        )
        show(f"✗ {safe(Path(result.file).name)}  refused{where}: {safe(result.reason)}", "red")
        return
    show(f"✓ {safe(Path(result.file).name)}  {'  '.join(_facts(result))}")


def _remark(result: MatchResult) -> None:
    """What was odd or not understood in a file, and what nothing holds."""
    name = safe(Path(result.file).name)
    for notice in result.notices:
        where = "" if notice.line is None else f" line {notice.line}"
        say(f"  {name}{where}: {notice.code.value}: {safe(notice.message)}")
    for text in result.lost:
        say(f"  {name}: not held: {safe(text)}")


def _facts(result: MatchResult) -> Iterable[str]:
    """The columns of one line for people."""
    yield result.match_id[:8]
    if result.already:
        yield "imported before"
    yield result.dialect
    yield "money" if result.length is None else counted(result.length, "point")
    yield counted(result.games, "game")
    yield counted(result.rolls, "roll")
    yield f"{result.score.one}-{result.score.two}"
    winner = result.result["winner"]
    if result.result["ended"] == "match" and winner is not None:
        yield f"player {winner} wins"
    elif result.result["ended"] == "unfinished":
        yield "unfinished"
    irregular = sum(one["severity"] != Severity.NOTE.value for one in result.findings)
    if irregular:
        yield counted(irregular, "finding")
    notes = len(result.findings) - irregular
    if notes:
        yield counted(notes, "note")
    if result.notices:
        yield counted(len(result.notices), "remark")
    if result.lost:
        yield f"{len(result.lost)} not held"
