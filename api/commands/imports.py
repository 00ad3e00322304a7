"""`tabularium import`: match files into the archive, or to the server that is writing to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from api.archive.index.file import index_file
from api.commands.common import Db, Json, checked_log, lock_holder, settings_of, writing
from api.commands.printing import REFUSED, counted, fail, line, progress, safe, say, show
from api.commands.server import ServerTaker, server_of
from api.exchange.reading.sniff import Format
from api.imports.bulk import Bulk, default_workers
from api.imports.preparing import Order
from api.imports.ready import FileRefused, MatchResult
from api.imports.taking import (
    IMPORTS_LOG,
    Known,
    LocalTaker,
    Outcome,
    Taker,
    files_in,
    left_out,
    readable_suffixes,
)
from api.settings import Settings
from events.envelope import ARCHIVE_LOG
from projections.folding.findings import Severity

MOST_TOLD = 8
"""Endings of skipped files that are named in the report."""

FORMATS = ("auto", *(form.value for form in Format if form is not Format.UNKNOWN))
"""The values of `--format`."""


def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Match files, or folders with match files."),
    ],
    db: Db = None,
    chosen_log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="ID",
            help="Log to import into; made if there is none. Sealed entries (.jsonl) go into the"
            f" one that they name. (default: {IMPORTS_LOG})",
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="|".join(FORMATS), help="Refuse files of any other format."
        ),
    ] = "auto",
    public: Annotated[bool, typer.Option("--public", help="Publish the imported matches.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=0,
            max=64,
            help="Number of processes that read and judge files; 0 = only this one."
            " (default: one for each processor, none for a few files)",
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            "--server",
            metavar="URL",
            help="Send the matches to this server, with the token in TABULARIUM_TOKEN.",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Also print all remarks of the reader.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Import match files.

    The format is recognised by the content of a file, never by its name. Each match becomes one
    stream. A file that is already in the archive is reported and changes nothing. A file that
    cannot be read completely is refused as a whole, and the import goes on with the next one; then
    the exit code is 1. To continue a stopped import, give the same command again.
    """
    if form not in FORMATS:
        fail(f"--format is one of {', '.join(FORMATS)}, not {form!r}")
    log = IMPORTS_LOG if chosen_log is None else checked_log(chosen_log)
    if log == ARCHIVE_LOG:
        fail(f"log {ARCHIVE_LOG} holds the archive's own grants: import into another one")
    settings = settings_of(db)
    total = sum(1 for _ in files_in(paths))
    unread, others = left_out(paths)
    if not total:
        suffixes = ", ".join(sorted(readable_suffixes()))
        fail(f"there is no file in these folders whose name ends in {suffixes}: name a file")
    tally = Tally()
    with _taker(settings, server) as taker:
        order = Order(
            log_id=log,
            form=None if form == "auto" else Format(form),
            is_public=public,
            for_server=taker.for_server,
            is_log_chosen=chosen_log is not None,
        )
        bulk = Bulk(
            taker,
            order,
            workers=default_workers(total) if workers is None else workers,
            rereads_known=as_json or verbose,
        )
        with progress() as bar, closing(bulk.run(files_in(paths))) as done:
            task = bar.add_task("importing", total=total)
            for outcomes in done:
                for outcome in outcomes:
                    tally.count(outcome)
                    if as_json:
                        line(outcome.as_json())
                    else:
                        _show(outcome)
                    if verbose and isinstance(outcome, MatchResult):
                        _remark(outcome)
                bar.advance(task)
    (say if as_json else show)(tally.summary(log))
    _say_left_out(unread, others)
    if public and tally.already:
        say("--public releases what is imported now; what was imported before is left as it was")
    if tally.refused:
        raise typer.Exit(REFUSED)


def _say_left_out(unread: dict[str, int], others: dict[str, int]) -> None:
    """Endings of the files in the folders that were not read; `/` stands for links."""
    if unread:
        count, suffixes = sum(unread.values()), ", ".join(sorted(unread))
        say(f"left out: {counted(count, 'file')} of formats that are not read ({suffixes})")
    links = others.pop("/", 0)
    if others:
        endings = [safe(ending or "none") for ending in sorted(others)]
        more = ", …" if len(endings) > MOST_TOLD else ""
        say(
            f"left out: {counted(sum(others.values()), 'file')} with other endings"
            f" ({', '.join(endings[:MOST_TOLD])}{more}); a file that is named itself is read"
        )
    if links:
        say(f"left out: {counted(links, 'link')} to folders; name what they lead to")


class Tally:
    """What became of all files."""

    def __init__(self) -> None:
        self.matches = self.already = self.continued = self.refused = 0
        self.games = self.rolls = self.findings = self.remarks = 0
        self.logs: set[str] = set()
        """Logs into which matches were imported."""

    def count(self, outcome: Outcome) -> None:
        """Take one outcome in."""
        if isinstance(outcome, FileRefused):
            self.refused += 1
        elif isinstance(outcome, Known) or outcome.already:
            self.already += 1
        elif outcome.added:
            self.continued += 1
        else:
            self.matches += 1
            self.logs.add(outcome.log_id)
            self.games += outcome.games
            self.rolls += outcome.rolls
            self.findings += len(outcome.findings)
            self.remarks += len(outcome.notices)

    def summary(self, log: str) -> str:
        """One line about all of them; `log` is where matches go that name no log."""
        logs = sorted(self.logs) or [log]
        where = f"log {logs[0]}" if len(logs) == 1 else counted(len(logs), "log")
        parts = [
            f"{counted(self.matches, 'match', 'matches')} imported into {where}"
            + (
                f" ({counted(self.games, 'game')}, {counted(self.rolls, 'roll')},"
                f" {counted(self.findings, 'finding')}, {counted(self.remarks, 'remark')})"
                if self.matches
                else ""
            )
        ]
        if self.already:
            parts.append(f"{self.already:,} imported before")
        if self.continued:
            parts.append(f"{self.continued:,} continued")
        if self.refused:
            parts.append(f"{self.refused:,} refused")
        return "; ".join(parts)


@contextmanager
def _taker(settings: Settings, server: str | None) -> Iterator[Taker]:
    """Where the matches are imported to."""
    if server is None and lock_holder(settings.db) is None:
        with writing(settings, makes=True) as shelf:
            # A list in memory would be lost when the command ends: nobody should wait for it.
            lasts = index_file(shelf.archive.url) is not None
            yield LocalTaker(shelf.archive, shelf.index if lasts else None)
        return
    with server_of(settings, server) as client:
        say(f"sending them to the server at {client.url}")
        yield ServerTaker(client)


def _show(outcome: Outcome) -> None:
    name = safe(Path(outcome.file).name)
    if isinstance(outcome, FileRefused):
        where = "".join(
            f", {what} {number}"
            for what, number in (("line", outcome.line), ("game", outcome.game))
            if number is not None
        )
        show(f"✗ {name}  refused{where}: {safe(outcome.reason)}", "red")
    elif isinstance(outcome, Known):
        show(f"✓ {name}  {outcome.match_id[:8]}  imported before")
    else:
        show(f"✓ {name}  {'  '.join(_facts(outcome))}")


def _remark(result: MatchResult) -> None:
    """What was unusual or not understood in a file, and what no fact can hold."""
    name = safe(Path(result.file).name)
    for notice in result.notices:
        where = "" if notice.line is None else f" line {notice.line}"
        say(f"  {name}{where}: {notice.code.value}: {safe(notice.message)}")
    for text in result.lost:
        say(f"  {name}: not held: {safe(text)}")


def _facts(result: MatchResult) -> Iterable[str]:
    """The columns of one line of the report."""
    yield result.match_id[:8]
    if result.already:
        yield "imported before"
    if result.added:
        yield f"{counted(result.added, 'entry', 'entries')} added"
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
