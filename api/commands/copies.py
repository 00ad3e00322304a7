"""`tabularium backup`, `restore` and `copy`: an archive kept safe, brought back, and moved."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from api.commands.common import Db, Json, settings_of
from api.commands.printing import REFUSED, counted, fail, line, moving, safe, say, show
from api.operating import copies
from api.operating.copies import Made
from api.operating.parts import (
    Place,
    has_other_authority,
    place_for,
    place_in,
    place_of_source,
)
from api.settings import Settings
from events.store.address import FileAddress, parse_address
from events.store.lock import read_lock


def backup(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DEST",
            help="Folder of the backup: a new folder, or the one of the last backup.",
        ),
    ],
    keys: Annotated[
        bool,
        typer.Option(
            "--keys",
            help="Include the keys of the logs, the certificate authority and the operator's token:"
            " such a backup makes it possible to sign as the archive.",
        ),
    ] = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Check only the new part, and not the whole backup again."),
    ] = False,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Back up the archive, also while a server runs: ledger, files, closed ballots.

    In the folder of the last backup it only adds new entries and files, and removes those erased
    since. The exit code is 1 if the backup fails its check: do not rely on it.
    """
    settings = settings_of(db)
    with moving("backing up") as moved:
        made = copies.back_up(
            settings.db,
            place_for(settings),
            folder,
            with_keys=keys,
            is_quick=quick,
            moved=moved,
            origin=settings.origin,
            version=version("tabularium-backgammon"),
        )
    _tell(made, "backed up", safe(folder), as_json=as_json)
    if not keys and not as_json:
        say("without keys: `tabularium keys backup`, or --keys, keeps those")


def restore(
    folder: Annotated[Path, typer.Argument(metavar="BACKUP", help="Folder of the backup.")],
    older: Annotated[
        bool,
        typer.Option(
            "--older",
            help="Restore it although it ends before a signed checkpoint: its log is held and takes"
            " no entries until a newer copy is restored.",
        ),
    ] = False,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Restore a lost archive from a backup, after checking that the backup is complete.

    Every byte is hashed first. If the last signed checkpoints of the lost archive are still there,
    the backup must extend them. An existing archive is never overwritten.
    """
    settings = settings_of(db)
    address = parse_address(settings.db)
    if isinstance(address, FileAddress) and address.path.exists():
        fail(
            f"there is an archive at {address.path}: move it away first, together with"
            f" {address.path.name}-wal and {address.path.name}-shm where they lie beside it, or"
            " name another --db"
        )
    try:
        with moving("restoring") as moved:
            made = copies.restore(
                folder,
                settings.db,
                place_for(settings),
                takes_older=older,
                moved=moved,
                origin=settings.origin,
            )
    except KeyboardInterrupt:
        if isinstance(address, FileAddress) and address.path.exists():
            say(f"the archive is back in its place, whole: {safe(address.path)}")
        raise
    _tell(made, "restored", safe(folder), as_json=as_json)
    _tell_keys(place_in(folder), settings)


def copy(
    source: Annotated[str, typer.Option("--from", metavar="URL", help="The archive to copy.")],
    target: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL",
            help="The target: an empty database, or an earlier copy of the same archive.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Copy an archive into another SQLite or PostgreSQL database, with all that belongs to it.

    Sealed bytes, global positions and entry ids stay the same: devices work with the copy without
    an alarm. If copying is stopped, give the same command again to continue. Stop the server first,
    or copy once more after stopping it: entries that it writes meanwhile are not in the copy.
    """
    here, there = settings_of(source), settings_of(target)
    with moving("copying") as moved:
        made = copies.copy(
            source,
            place_of_source(here),
            target,
            place_for(there),
            moved=moved,
            origin=here.origin,
        )
    _tell(made, "copied", "the copy", as_json=as_json)
    _tell_keys(place_of_source(here), there)
    address = parse_address(source)
    if isinstance(address, FileAddress) and read_lock(address.path) is not None:
        say("a server is writing to what was copied: stop it, and copy again before you go on")


def _tell_keys(source: Place, settings: Settings) -> None:
    """Where the keys are, if not beside the database: the user who runs the server needs them.

    Another user has another data folder, and without its keys an archive makes new ones.
    """
    place = place_for(settings)
    keys, address = place.keys, parse_address(settings.db)
    is_beside = isinstance(address, FileAddress) and settings.keys is None
    if keys is not None and keys.is_dir() and not is_beside:
        say(f"its keys lie in {safe(keys)}: `serve` has to find them there (TABULARIUM_KEYS)")
    has_own = source.https is not None and (source.https / "authority.pem").is_file()
    if has_own and has_other_authority(source.https, place.https):
        say(
            f"another certificate authority lies in {safe(place.https)}, and stays: tablets that"
            " trust the source's are led through `/trust` once more"
        )


def _tell(made: Made, done: str, where: str, *, as_json: bool) -> None:
    """The result of a copy; the command fails if the copy must not be relied on."""
    size = sum(head.size for head in made.copied.heads)
    findings = () if made.report is None else made.report.wrong_in_a_copy
    absent = 0 if made.report is None else len(made.report.findings) - len(findings)
    if as_json:
        line(
            {
                "logs": {head.log_id: head.size for head in made.copied.heads},
                "added": made.copied.added,
                "erased": made.copied.erased,
                "files": made.files.added,
                "files_removed": made.files.removed,
                "files_damaged": list(made.files.damaged),
                "keys": made.keys,
                "checked": made.report is not None,
                "findings": [finding.message for finding in findings],
            }
        )
    else:
        show(
            f"{counted(size, 'entry', 'entries')} in {counted(len(made.copied.heads), 'log')}"
            f" {done}, {made.copied.added:,} of them now;"
            f" {counted(made.files.added, 'file')} and {counted(made.keys, 'key')} brought"
            + (f", {made.files.removed:,} erased" if made.files.removed else "")
            + ("" if made.report is None else "; every byte checked")
        )
        if absent:
            show(f"{counted(absent, 'value')} of its entries were not here to be copied")
    for finding in findings[:10]:
        say(f"{finding.code}: log {finding.log_id}: {safe(finding.message)}", "red")
    for name in made.files.damaged:
        say(f"the file {safe(name)} is damaged where it comes from, and was left out", "red")
    if findings or made.files.damaged:
        say(f"do not rely on {where}", "red")
        raise typer.Exit(REFUSED)
