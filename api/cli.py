"""The command line `tabularium`: its commands, and the messages when something is wrong."""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import typer
from typer.core import TyperGroup

from api.commands.printing import INTERRUPTED, NEEDS_DRIVER, fail, say
from events.errors import LedgerError, is_driver_fault


class Listed(NamedTuple):
    """A command in the list of commands, before its module is loaded."""

    place: str
    """Its module in `api/commands`, and the function or command group in it."""
    summary: str
    """The first paragraph of its help."""


COMMANDS: Mapping[str, Listed] = {
    "serve": Listed("serving.serve", "Serve the HTTP API and the pages, until Ctrl-C."),
    "import": Listed("imports.import_", "Import match files."),
    "matches": Listed("matches.matches", "List the matches of the archive."),
    "show": Listed(
        "one_match.show_match",
        "Show one match: score, board, games, findings, open questions.",
    ),
    "replay": Listed(
        "one_match.replay",
        "Replay a match entry by entry, with the findings at each.",
    ),
    "search": Listed(
        "searching.search",
        "Search turns by their board, score, roll, cube and findings, in matches that are over.",
    ),
    "explore": Listed(
        "exploring.explore",
        "Count replies to opening rolls and second rolls, with results, in matches that are over.",
    ),
    "player": Listed(
        "players.player",
        "Show a player's figures: record, opponents, cube, time of decisions, analysis.",
    ),
    "join": Listed(
        "players.join",
        "Record that names belong to one player; without names, list the joined ones.",
    ),
    "split": Listed(
        "players.split",
        "Undo `join` for a name: every entry that joined it to others.",
    ),
    "index": Listed(
        "searching.index",
        "Update the indexes of lists and turns, so that later searches need not wait for it.",
    ),
    "judge": Listed(
        "judging.judge",
        "Judge a match, or --all, by a rule set, and show how another one (--against) differs.",
    ),
    "analyse": Listed(
        "analysing.analyse",
        "Analyse matches with an engine: PR and luck of each player, and the loss of each choice.",
    ),
    "export": Listed(
        "exports.export",
        "Export matches; facts that a format cannot hold are listed on stderr (--json: stdout).",
    ),
    "film": Listed(
        "films.film",
        "Films of a match: attach one, state when in it an entry happened, or list them.",
    ),
    "verify": Listed(
        "evidence.verify",
        "Verify an evidence bundle, as the verify.py in it does; no archive is needed.",
    ),
    "pack": Listed(
        "packing.pack",
        "Issue the pack of a case: the evidence that the match's rule set gives the committee.",
    ),
    "unseal": Listed(
        "packing.unseal",
        "Write what the packs of a decided case withheld: names, and their places in the record.",
    ),
    "publish": Listed(
        "publishing.publish",
        "Publish the archive as Parquet: tables matches, games, turns, events and findings.",
    ),
    "tiles": Listed(
        "evidence.tiles",
        "Publish a log as static files: signed checkpoint, hash tiles and (--entries) all entries.",
    ),
    "fsck": Listed(
        "ledger.fsck",
        "Re-hash every entry, draft and file, check signatures, and compute heads and lists again.",
    ),
    "backup": Listed(
        "copies.backup",
        "Back up the archive, also while a server runs: ledger, files, closed ballots.",
    ),
    "restore": Listed(
        "copies.restore",
        "Restore a lost archive from a backup, after checking that the backup is complete.",
    ),
    "copy": Listed(
        "copies.copy",
        "Copy an archive into another SQLite or PostgreSQL database, with all that belongs to it.",
    ),
    "witness": Listed(
        "witnessing.witness",
        "Keep the last signed checkpoint of a log, and check that the next one extends it.",
    ),
    "keys": Listed(
        "evidence.keys",
        "Show, rotate or back up the keys that logs are signed with.",
    ),
    "rules": Listed(
        "ruling_texts.rules",
        "Rule sets: how far each is verified, and your own copies of their texts.",
    ),
    "token": Listed(
        "access.token",
        "Show the operator's token, which may do everything; make it if there is none.",
    ),
    "grant": Listed(
        "access.grant",
        "Make a token with a role. It is shown once: the archive keeps only its hash.",
    ),
    "revoke": Listed(
        "access.revoke",
        "End a grant; without an id, list the grants in force.",
    ),
    "erase": Listed(
        "erasing.erase_person",
        "Erase a person: names, ids and clubs in all views, searches, indexes and later files.",
    ),
    "doctor": Listed(
        "doctor.doctor",
        "Check this installation and the database; nothing is changed.",
    ),
    "migrate": Listed("migrating.migrate", "Make the archive's tables, or bring them up to date."),
    "openapi": Listed("describing.openapi", "Print the OpenAPI description of the HTTP API."),
}
"""Commands by name, in the order of the help."""


_EMPTY = re.compile(r"|--[a-z-]+=")


class Commands(TyperGroup):
    """The group of all commands: an error is one line that says what to do."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Every command with its whole summary, however narrow the terminal is."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.summary) for name, listed in COMMANDS.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load the command that is called; `--version` and `--help` load none."""
        if args[0] in COMMANDS:
            self.commands[args[0]] = loaded(args[0])
            if args[0] != "serve":
                _log_lines()
            # An empty path would mean the current folder.
            if any(map(_EMPTY.fullmatch, args)) and _takes_paths(args[0]):
                fail("an argument is empty: is a variable unset? Leave it out, or say what it is")
        if not gc.isenabled():
            # Loaded modules stay, so the collector need not look at them.
            gc.freeze()
            gc.enable()
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Keep the arguments, which may be the reason if the command fails."""
        self._given = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; every refusal becomes one line on stderr and an exit code."""
        try:
            return super().invoke(ctx)
        except LedgerError as error:
            # The advice to send bytes again is meant for clients, not for a command line.
            fail(_with_way_out(str(error).removesuffix(": send the same bytes again")))
        except KeyboardInterrupt:
            say("stopped")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader of the output has closed it (`| head`).
            with contextlib.suppress(OSError):
                sys.stdout.close()
            raise typer.Exit(0) from None
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "psycopg":
                raise
            fail(NEEDS_DRIVER)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            fail(_with_way_out(f"{where}{error.strerror or error}"))
        except (UnicodeEncodeError, TypeError):
            # A file name may be no UTF-8, which matters only once it is printed or stored.
            garbled = next(filter(_is_garbled, self._given), None)
            if garbled is None:
                raise
            text = garbled.encode(errors="replace").decode()
            fail(f"{text}: that is not UTF-8: give it anew, in a terminal that writes UTF-8")
        except Exception as error:
            if not is_driver_fault(error):
                raise
            cause = getattr(error, "orig", None) or error
            fail(_with_way_out(f"the database cannot be used: {_first_line(cause)}"))


def _log_lines() -> None:
    """Print log messages without tracebacks: a command says itself why it ends."""
    import logging  # already loaded by what every command needs

    if logging.lastResort is not None:
        logging.lastResort.addFilter(_without_stack)


def _without_stack(record: Any) -> bool:
    record.exc_info = None
    return True


def _is_garbled(text: str) -> bool:
    """Whether an argument holds bytes that are not UTF-8."""
    return any("\ud800" <= one <= "\udfff" for one in text)


def _with_way_out(text: str) -> str:
    """The text of an error of SQLite or the system, with advice on full disks and file rights."""
    said = text.lower()
    if "disk is full" in said or "no space left" in said:
        return f"{text}. Make room on the disk, then give the command again"
    if "disk i/o error" in said or "input/output error" in said:
        # SQLite also says this when there is no room for the shared memory of its log.
        return (
            f"{text}. The disk is full, or it failed: make room on it, or see the system's log,"
            " then give the command again"
        )
    if "unable to open database file" in said or "readonly database" in said:
        # Usually an administrator's account, where the service runs under its own.
        return (
            f"{text}. Is it a file, and may this user read and write it and its folder?"
            " Give the command as the user that the archive belongs to"
        )
    return text


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


def _found(name: str) -> Any:
    module, _, function = COMMANDS[name].place.partition(".")
    return getattr(importlib.import_module(f"api.commands.{module}"), function)


def _takes_paths(name: str) -> bool:
    """Whether a command, or one of its group, takes files or folders."""
    found = _found(name)
    group = isinstance(found, typer.Typer)
    commands = [one.callback for one in found.registered_commands] if group else [found]
    hints = [hint for one in commands for hint in get_type_hints(one).values()]
    return any(Path in (hint, *get_args(hint)) for hint in hints)


@functools.cache
def loaded(name: str) -> Any:
    """A command with its options and its help."""
    found = _found(name)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(found)
    return typer.main.get_command(alone)


app = typer.Typer(
    name="tabularium",
    cls=Commands,
    help="A tamper-evident archive of backgammon matches.",
    epilog="Exit codes: 0 done; 1 some input was refused, or something was found; 2 wrong usage, or"
    " the command cannot work here. The database is --db, else TABULARIUM_DB, else a file in your"
    " data folder.",
    no_args_is_help=True,
    # Boxes and colours take a list of commands three times as long as the list itself.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        import importlib.metadata

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


def _unloaded() -> None:
    """A placeholder in the list of commands, which `resolve_command` replaces."""


for _name, _listed in COMMANDS.items():
    app.command(_name, help=_listed.summary)(_unloaded)


def _open_streams() -> None:
    """Open standard streams that the parent process has closed (`>&-`)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # In this order each gets the lowest free descriptor, which is its own. Otherwise a
            # file of the archive could get it, and output would go there. Workers inherit them.
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115  # the process's own
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def main() -> None:
    """Run `tabularium` on the arguments of this process."""
    # Collecting garbage while modules are loaded, and again when the process ends, would take a
    # quarter of the time of a short command.
    gc.disable()
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a name shows a question mark in its place.
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # may lack it
    app()
