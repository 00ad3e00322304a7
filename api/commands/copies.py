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
            metavar="DEST", help="Folder of the backup: a new one, or that of the last one."
        ),
    ],
    keys: Annotated[
        bool,
        typer.Option(
            "--keys",
            help="With the keys of the logs, the certificate authority and the operator's token:"
            " whoever has such a backup can sign as the archive.",
        ),
    ] = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Check what is new alone, and not the whole backup again."),
    ] = False,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Back up the archive, beside a running server: ledger, files, closed ballots.

    Into the folder of the last backup it only adds what is new, and takes out what was erased
    since. The exit code is 1 when the backup did not pass its check: it is not to be relied on.
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
            help="Take it although more was signed than it holds: such a log is held, and nothing"
            " is recorded in it until a newer one is back.",
        ),
    ] = False,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Put a backup in the place of an archive that is gone, once it is known to be whole.

    Every byte is hashed first, and where the last signed checkpoints lie beside its place, it must
    go on from them. Nothing is ever put over an archive that is there.
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
    source: Annotated[
        str, typer.Option("--from", metavar="URL", help="The archive that is to be copied.")
    ],
    target: Annotated[
        str, typer.Option("--to", metavar="URL", help="Where it goes: empty, or a copy of it.")
    ],
    as_json: Json = False,
) -> None:
    """Copy an archive into another database, of either kind, with all that belongs to it.

    Sealed bytes, global positions and entry ids stay as they are: devices go on with the copy, and
    raise no alarm. A copy that was stopped is gone on with by starting it again. Stop the server
    first, or once more at the end: what it writes meanwhile is not in the copy.
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
    """Where the keys have come to, unless that is beside the database: whoever serves needs them.

    Another user's data folder is another one, and without its keys an archive makes new ones.
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
    """What came of it; the command ends where it is not to be relied on."""
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
