"""`tabularium verify` and `keys`: bundles checked, and the keys that logs are signed with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from api.archive.archive import Archive
from api.archive.keyring import Keyring
from api.archive.known import size_known
from api.archive.personal import received_of
from api.commands.common import (
    Db,
    Json,
    Shelf,
    checked_log,
    keyring_of,
    reading,
    settings_of,
    writing,
)
from api.commands.printing import REFUSED, counted, fail, line, put_whole, safe, say, show
from api.evidence import bundle as bundles
from api.evidence.evidence import bundled, cosigned_note, kept_note, standing_note
from api.evidence.files import write_folder, zipped
from api.evidence.scripts import verify as verifier
from api.evidence.stamps import authority_of
from api.evidence.tiles import write_tiles
from api.evidence.witnesses import policy_of
from events.errors import BadNote, Unverified
from events.sealing.notes import parse_checkpoint, parse_note

BUNDLE = "bundle"
"""The format name of an evidence bundle in `export --format`."""

Log = Annotated[str, typer.Argument(metavar="LOG", help="Id of the log.")]


def verify(
    bundle: Annotated[
        Path, typer.Argument(metavar="BUNDLE", help="Folder or zip file of the bundle.")
    ],
    old: Annotated[
        Path | None,
        typer.Option(
            "--since",
            metavar="CHECKPOINT",
            help="A checkpoint that you kept: check that the log has only grown since.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify an evidence bundle, as the verify.py in it does; no archive is needed.

    The exit code is 0 if it verifies, 1 if it does not, 2 if it cannot be read.
    """
    told: list[str] = []
    failure = None
    try:
        for said in verifier.verify(str(bundle), None if old is None else str(old)):
            told.append(said)
    except verifier.Fails as error:
        failure = str(error)
    except verifier.Unusable as error:
        fail(str(error))
    except verifier.MALFORMED:
        failure = "something in it has another shape than it must have"
    if as_json:
        line({"bundle": str(bundle), "verified": failure is None, "told": told, "why": failure})
    else:
        for said in told:
            show(safe(said))
        show(
            "OK" if failure is None else f"FAIL: {safe(failure)}", "" if failure is None else "red"
        )
    if failure is not None:
        raise typer.Exit(REFUSED)


def export_bundles(
    shelf: Shelf,
    keys: Sequence[tuple[str, str]],
    output: Path | None,
    *,
    profile: str,
    since: Path | None,
    as_json: bool,
) -> None:
    """Bundles of these matches: a zip file or a folder each."""
    if output is None or str(output) == "-":
        fail("a bundle is many files: name a folder or a .zip file with -o")
    size, settings = _size_of(since), settings_of(None)
    policy, authority = policy_of(settings), authority_of(settings)
    for log_id, match_id in keys:
        wanted = bundles.Wanted(log_id, match_id, profile, size)
        try:
            files = bundled(shelf.archive, wanted, policy=policy, authority=authority)
        except Unverified as error:
            fail(str(error), REFUSED)
        name = f"{log_id}_{match_id}"
        place = output if len(keys) == 1 else output / f"{name}.zip"
        if place.suffix.lower() == ".zip":
            place.parent.mkdir(parents=True, exist_ok=True)
            put_whole(place, zipped(files, folder=name))
        else:
            write_folder(files, place)
        if as_json:
            line({"log_id": log_id, "match_id": match_id, "format": BUNDLE, "file": str(place)})
        else:
            say(f"{safe(place)} written: check it with `tabularium verify {safe(place)}`")


def tiles(
    log: Log,
    folder: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder of this log's files.")
    ],
    entries: Annotated[
        bool, typer.Option("--entries", help="Include the entries, if all of them are public.")
    ] = False,
    db: Db = None,
) -> None:
    """Publish a log as static files: signed checkpoint, hash tiles and (--entries) all entries.

    The files follow c2sp.org/tlog-tiles: any web server can serve them, and any mirror can check
    them. Run it again when the log has grown; full tiles never change. If the public lags behind
    the table, the files end where the public does.
    """
    with reading(db) as shelf:
        archive, log_id = shelf.archive, checked_log(log)
        try:
            most = _known_to_all(shelf, log_id, folder / "checkpoint")
            note = cosigned_note(archive, log_id, policy_of(settings_of(None)), at_most=most)
            if note is None and most is not None:
                note = kept_note(archive, log_id, at_most=most)
            note = note or standing_note(archive, log_id)
            made = write_tiles(archive, log_id, note, folder, entries=entries)
        except Unverified as error:
            fail(str(error), REFUSED)
    say(f"{counted(made, 'file')} written to {safe(folder)}")


def _known_to_all(shelf: Shelf, log_id: str, told: Path) -> int | None:
    """How many entries of a log everybody may count, never fewer than were shown; None = all."""
    store = shelf.archive.store
    size = store.log_head(log_id).size
    shelf.index.catch_up([log_id])
    known = size_known(
        size,
        shelf.index.delays(log_id),
        shelf.archive.lateness.before,
        lambda place: received_of(store, log_id, place),
    )
    if known < size and told.is_file():
        known = max(known, _size_of(told) or 0)
    return known if known < size else None


def _size_of(checkpoint: Path | None) -> int | None:
    if checkpoint is None:
        return None
    try:
        return parse_checkpoint(parse_note(checkpoint.read_bytes()).text).size
    except BadNote as error:
        fail(f"{checkpoint} is no checkpoint: {error}")


keys = typer.Typer(
    name="keys",
    add_completion=False,
    rich_markup_mode=None,
    help="Show, rotate or back up the keys that logs are signed with.",
    no_args_is_help=True,
)


@keys.command("list")
def list_keys(db: Db = None, as_json: Json = False) -> None:
    """Print the public key of every log: publish it where the rules are posted."""
    keyring = _keyring(db)
    with reading(db) as shelf:
        titles = {
            head.log_id: _title(shelf.archive, head.log_id) for head in shelf.archive.store.logs()
        }
    for log_id in keyring.logs():
        found = keyring.verifiers(log_id)
        if as_json:
            names = [str(key) for key in found]
            signs = [str(key.verifier) for key in keyring.signers(log_id)]
            line({"log_id": log_id, "title": titles.get(log_id), "keys": names, "signs": signs})
            continue
        show(f"{log_id}  {safe(titles.get(log_id) or 'is not in this archive')}", "bold")
        signing = {key.verifier for key in keyring.signers(log_id)}
        for key in found:
            show(f"  {key}{'' if key in signing else '  (signs no more)'}")
    for path in keyring.exposed():
        say(f"{safe(path)} can be read by others on this machine: chmod 600 it", "red")
    if not keyring.logs():
        say("no log has a key yet: `tabularium serve` and `import` make them")


@keys.command("rotate")
def rotate(
    log: Log,
    reason: Annotated[
        str | None, typer.Option("--reason", help="Reason, recorded in the log.")
    ] = None,
    db: Db = None,
) -> None:
    """Give a log a new key. The old key signs too until `keys retire`."""
    with writing(settings_of(db)) as shelf:
        new = shelf.archive.rotate_key(checked_log(log), reason=reason)
    show(new)
    say("publish this key as the old one was, then end the old one: `tabularium keys retire`")


@keys.command("retire")
def retire(log: Log, db: Db = None) -> None:
    """Sign a log with its newest key alone from now on; earlier signatures stay valid."""
    keyring = _keyring(db)
    if checked_log(log) not in keyring.logs():
        fail(f"no log {log} has a key in {safe(keyring.folder)}: see `tabularium keys list`")
    if not keyring.retire(log):
        fail(f"the log {log} is signed by one key already", REFUSED)
    say("the newest key signs alone now")


@keys.command("backup")
def backup(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new folder, best on another disk.")
    ],
    db: Db = None,
) -> None:
    """Copy all keys to a new folder. Keep it safe: its files can sign in the name of the logs.

    To restore them, copy the files to the folder of the keys before the archive is opened again.
    """
    keyring = _keyring(db)
    written = keyring.back_up(folder)
    say(f"{counted(len(written), 'file')} written to {safe(folder)}: keep it where nobody reads it")
    say(f"to put them back, copy its files to {safe(keyring.folder)} before the archive is opened")


def _keyring(db: str | None) -> Keyring:
    keyring = keyring_of(settings_of(db))
    if keyring is None:
        fail("an archive in memory has no keys: name a database with --db")
    return keyring


def _title(archive: Archive, log_id: str) -> str | None:
    return archive.reading.tournament(log_id).title
