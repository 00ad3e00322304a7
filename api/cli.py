"""The command line `tabularium`: every command, and what it prints when something is wrong."""

from __future__ import annotations

import contextlib
import importlib.metadata
import sys
from typing import Annotated

import typer

from api.commands import (
    access,
    exports,
    house,
    imports,
    judging,
    ledger,
    matches,
    publishing,
    serving,
)
from api.commands.common import Commands

app = typer.Typer(
    name="tabularium",
    cls=Commands,
    help="A tamper-evident archive of backgammon matches.",
    epilog="Exit codes: 0 done; 1 some input was refused, or something was found; 2 wrong usage, or"
    " it cannot work here. The database is --db, else TABULARIUM_DB, else a file in your data"
    " folder.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(importlib.metadata.version("tabularium-backgammon"))
        raise typer.Exit


@app.callback()
def _tabularium(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and end."
        ),
    ] = False,
) -> None:
    """A tamper-evident archive of backgammon matches."""


app.command("serve")(serving.serve)
app.command("import")(imports.import_)
app.command("matches")(matches.matches)
app.command("show")(matches.show_match)
app.command("replay")(matches.replay)
app.command("judge")(judging.judge)
app.command("export")(exports.export)
app.command("publish")(publishing.publish)
app.command("fsck")(ledger.fsck)
app.command("grant")(access.grant)
app.command("revoke")(access.revoke)
app.command("doctor")(house.doctor)
app.command("openapi")(house.openapi)


def main() -> None:
    """Run `tabularium` on the arguments of this process."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a name shows a question mark in its place.
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # may lack it
    app()
