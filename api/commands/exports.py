"""`tabularium export`: matches as files; facts that a format cannot hold are listed on stderr."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from api.archive.films import films_in
from api.archive.openings import names_of
from api.commands.common import Db, Json, OfLog, Shelf, reading
from api.commands.evidence import BUNDLE, export_bundles
from api.commands.printing import (
    REFUSED,
    counted,
    fail,
    line,
    on_terminal,
    progress,
    put_whole,
    safe,
    say,
    written,
)
from api.evidence import bundle as bundles
from api.exchange.details import details_of
from api.exchange.forms import FORMS, JSONL, Form, counted_losses, file_name
from api.exchange.readers import FOREIGN_SUFFIXES
from api.exchange.sealed import jsonl
from api.exchange.writers import WRITERS
from api.exchange.writing.wanted import Details, Illegal, Loss, NotInstalled, NotWritten, Wanted
from events.errors import LedgerError
from events.values import BySeat
from projections.views.showing import People

READ_ONLY = frozenset({*FOREIGN_SUFFIXES, ".xg", ".bgf"})
"""Endings of match files that are not written here; a file with one would have another format."""

PAGE = 500
"""Rows of the list that are read at a time."""

Key = tuple[str, str]
"""(log id, match id)."""


class Naming(enum.StrEnum):
    """What stands for the players' names."""

    DISCLOSED = "disclosed"
    REPLACED = "replaced"
    WITHHELD = "withheld"


class IllegalAs(enum.StrEnum):
    """How an illegal play is written."""

    RAW = "raw"
    STATED = "stated"


class Profile(enum.StrEnum):
    """What of a match a bundle shows."""

    FULL = bundles.FULL
    PUBLIC = bundles.PUBLIC
    BARE = bundles.BARE


class Order(msgspec.Struct, frozen=True):
    """What was ordered: the format, and what is to be shown in it."""

    form: Form
    naming: Naming
    replaced: BySeat[str] | None
    illegal: Illegal
    clocks: bool
    findings: bool


class Made(msgspec.Struct, frozen=True):
    """A match as a file."""

    content: bytes
    losses: Sequence[Loss]


def export(
    matches: Annotated[
        list[str] | None,
        typer.Argument(metavar="MATCH...", help="Ids of matches, or their unique beginnings."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every match of the archive, or of --log.")
    ] = False,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="|".join((*FORMS, BUNDLE)),
            help="text and html: for people; jsonl: every sealed byte; bundle: evidence that others"
            " can verify, as a folder or a .zip; the others: for backgammon programs."
            " (default: as FILE ends, else mat)",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE|DIR",
            help="Write to this file, or one file per match into this folder. (default: stdout)",
        ),
    ] = None,
    naming: Annotated[
        Naming | None,
        typer.Option(
            "--names", help="Disclosed names, replaced names, or none. (default: disclosed)"
        ),
    ] = None,
    name_one: Annotated[
        str | None,
        typer.Option("--name-one", metavar="X", help="Use this instead of player one's name."),
    ] = None,
    name_two: Annotated[
        str | None,
        typer.Option("--name-two", metavar="Y", help="Use this instead of player two's name."),
    ] = None,
    illegal: Annotated[
        IllegalAs,
        typer.Option(
            "--illegal", help="Write an illegal play as it was made, or as the board after it."
        ),
    ] = IllegalAs.RAW,
    clocks: Annotated[
        bool,
        typer.Option("--clocks/--no-clocks", help="Write clocks, if the format can hold them."),
    ] = True,
    findings: Annotated[
        bool,
        typer.Option(
            "--findings/--no-findings", help="Write findings, if the format can hold them."
        ),
    ] = True,
    profile: Annotated[
        Profile,
        typer.Option(
            "--profile", help="For a bundle: everything, the public's part, or no personal values."
        ),
    ] = Profile.FULL,
    since: Annotated[
        Path | None,
        typer.Option(
            "--since",
            metavar="CHECKPOINT",
            help="For a bundle: prove that the log has only grown since this checkpoint.",
        ),
    ] = None,
    as_json: Json = False,
    db: Db = None,
    log: OfLog = None,
) -> None:
    """Export matches; facts that a format cannot hold are listed on stderr (--json: stdout)."""
    if form is not None and form.lower() == BUNDLE:
        if everything or not matches:
            fail("name the matches that a bundle is wanted of: see `tabularium matches`")
        with reading(db) as shelf:
            found = list(dict.fromkeys(shelf.find(match, log) for match in matches))
            export_bundles(
                shelf, found, output, profile=profile.value, since=since, as_json=as_json
            )
        return
    wished = _form(form, output)
    has_name = name_one is not None or name_two is not None
    order = Order(
        form=wished,
        naming=naming or (Naming.REPLACED if has_name else Naming.DISCLOSED),
        replaced=None if name_one is None or name_two is None else BySeat(name_one, name_two),
        illegal=illegal.value,
        clocks=clocks,
        findings=findings,
    )
    _check(order, has_name=has_name)
    if everything == bool(matches):
        fail("name the matches, or take --all: see `tabularium matches`")
    to_stdout = output is None or str(output) == "-"
    if to_stdout and as_json:
        fail("with --json the report is on stdout: name the file with -o FILE")
    with reading(db) as shelf:
        if not everything and len(matches or ()) == 1:
            _one(shelf, shelf.find((matches or [""])[0], log), order, output, as_json=as_json)
            return
        if output is None or to_stdout or (output.exists() and not output.is_dir()):
            fail("several matches take a folder: name it with -o DIR")
        keys: Iterable[Key]
        if everything:
            logs = _logs(shelf, log)
            total = sum(shelf.index.count(one) for one in logs)
            keys = _all(shelf, logs)
        else:
            found = list(dict.fromkeys(shelf.find(match, log) for match in matches or ()))
            total, keys = len(found), found
        _many(shelf, keys, total, order, output, as_json=as_json)


def _form(name: str | None, output: Path | None) -> Form:
    """The format asked for; if none is given, the ending of the file decides."""
    if name is None:
        ending = "" if output is None else output.suffix.removeprefix(".").lower()
        if f".{ending}" in READ_ONLY:
            known = ", ".join((*FORMS, BUNDLE))
            fail(f"matches are read from .{ending} and not written so: --format is one of {known}")
        return next((form for form in FORMS.values() if form.ending == ending), FORMS["mat"])
    found = [form for form in FORMS.values() if name.lower() in (form.name, form.ending)]
    if not found:
        known = ", ".join((*FORMS, BUNDLE))
        fail(f"matches are not written as {name[:40]!r}: --format is one of {known}")
    return found[0]


def _check(order: Order, *, has_name: bool) -> None:
    """Check that the options can be combined; the command ends if not."""
    if order.naming is Naming.REPLACED:
        if order.form.name == JSONL:
            fail("jsonl holds the sealed bytes: a name in it is disclosed or withheld, not another")
        if order.replaced is None:
            fail("--names replaced takes both --name-one and --name-two")
    elif has_name:
        fail(f"--name-one and --name-two replace names: --names {order.naming} does not go with it")


# One match.


def _one(shelf: Shelf, key: Key, order: Order, output: Path | None, *, as_json: bool) -> None:
    if output is not None and output.is_dir():
        output = output / file_name(*key, order.form)
    to_stdout = output is None or str(output) == "-"
    if to_stdout and not order.form.is_text and on_terminal():
        fail(f"{order.form.name} is no text for a terminal: name a file with -o FILE")
    try:
        made = _made(shelf, key, order)
    except NotInstalled as error:
        fail(str(error))
    except NotWritten as error:
        fail(f"match {key[1]} cannot be written as {order.form.name}: {error}", REFUSED)
    written(made.content, output)
    if as_json:
        _report(key, order, str(output), made)
        return
    for loss in made.losses:
        say(f"not in the file: {loss.kind} ({loss.count}): {safe(loss.detail)}")


def _made(shelf: Shelf, key: Key, order: Order) -> Made:
    """A match as a file. Errors: NotWritten, LedgerError."""
    if order.form.name == JSONL:
        return Made(_sealed(shelf, key, order.naming), ())
    log_id, match_id = key
    shown = shelf.archive.reading.once(log_id, match_id).replay
    names, details = order.replaced, Details()
    if order.naming is not Naming.WITHHELD:
        details = details_of(shelf.archive.reading, log_id, shown.opened, People.ALL)
    if order.naming is Naming.DISCLOSED:
        names = names_of(shelf.archive.reading, log_id, shown.opened)
    elif order.naming is Naming.REPLACED:
        details = msgspec.structs.replace(details, transcriber=None, ratings=BySeat(None, None))
    spoken = shelf.spoken(*key, shown) if order.naming is Naming.DISCLOSED else {}
    films = []
    if order.naming is Naming.DISCLOSED:
        films = films_in(shelf.archive.reading, log_id, shown)
    wanted = Wanted(
        films={one.film.film_id: one.link for one in films},
        spoken=spoken,
        names=names,
        details=details,
        illegal=order.illegal,
        clocks=order.clocks,
        findings=order.findings,
    )
    made = WRITERS[order.form.name].write(shown, wanted)
    return Made(made.content, made.losses)


def _sealed(shelf: Shelf, key: Key, naming: Naming) -> bytes:
    store = shelf.archive.store
    entries = store.read_stream(*key)
    places = [entry.global_position for entry in entries]
    shown = store.disclosures_of(key[0], places) if naming is Naming.DISCLOSED else {}
    return b"".join(jsonl.write(entries, shown))


def _report(key: Key, order: Order, file: str, made: Made) -> None:
    line(
        {
            "log_id": key[0],
            "match_id": key[1],
            "format": order.form.name,
            "file": file,
            "bytes": len(made.content),
            "losses": msgspec.to_builtins(made.losses),
        }
    )


# Many matches.


def _logs(shelf: Shelf, log: str | None) -> list[str]:
    """The logs of the requested matches, with their lists up to date. Errors: NoSuchLog."""
    store = shelf.archive.store
    if log is not None:
        store.log_head(log)
    logs = [head.log_id for head in store.logs()] if log is None else [log]
    shelf.index.catch_up(logs)
    return logs


def _all(shelf: Shelf, logs: list[str]) -> Iterator[Key]:
    """Every match of these logs in order, read a page at a time."""
    for log_id in logs:
        after = None
        while rows := shelf.index.matches(log_id, after=after, limit=PAGE):
            after = (log_id, rows[-1].opened_at)
            yield from ((row.log_id, row.stream_id) for row in rows)


def _many(
    shelf: Shelf, keys: Iterable[Key], total: int, order: Order, folder: Path, *, as_json: bool
) -> None:
    """One file a match; a match that cannot be written is reported, and the others are written."""
    folder.mkdir(parents=True, exist_ok=True)
    files = refused = 0
    lost: dict[str, int] = {}
    with progress() as bar:
        task = bar.add_task("exporting", total=total)
        for key in keys:
            path = folder / file_name(*key, order.form)
            try:
                made = _made(shelf, key, order)
            except NotInstalled as error:
                fail(str(error))
            except (NotWritten, LedgerError) as error:
                refused += 1
                _refused(key, str(error), as_json=as_json)
            else:
                put_whole(path, made.content)
                files += 1
                if as_json:
                    _report(key, order, str(path), made)
                for kind, count in counted_losses(made.losses).items():
                    lost[kind] = lost.get(kind, 0) + count
            bar.advance(task)
    rest = f", {refused} not" if refused else ""
    say(f"{counted(files, 'match', 'matches')} written to {safe(folder)}{rest}")
    if not as_json:
        for kind, count in sorted(lost.items()):
            say(f"not in the files: {kind} ({count:,})")
    if refused:
        raise typer.Exit(REFUSED)


def _refused(key: Key, reason: str, *, as_json: bool) -> None:
    if as_json:
        line({"log_id": key[0], "match_id": key[1], "refused": {"reason": reason}})
    else:
        say(f"match {key[1]} of log {key[0]} is left out: {safe(reason)}", style="red")
