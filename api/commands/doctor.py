"""`tabularium doctor`: checks of this installation, and advice for what fails."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import msgspec
import typer

from api.archive.archive import open_archive
from api.archive.signing import Signing
from api.commands import checks as examination
from api.commands.checks import Check, Verdict
from api.commands.common import Db, Json, keyring_of, lock_holder, settings_of
from api.commands.printing import UNUSABLE, counted, line, safe, show
from api.commands.trusting import authority_folder, subjects
from api.hall import offline
from api.hall.offline import Told
from api.settings import Settings
from events.errors import LedgerError, StoreBusy, StoreFailed

_MARKS = {Verdict.WELL: ("✓", ""), Verdict.NOTE: ("·", "yellow"), Verdict.FAULT: ("✗", "red")}


def _signed(settings: Settings) -> Iterator[Check]:
    """Whether each log continues the checkpoint that is stored outside the database."""
    try:
        yield from _compared(settings)
    except (StoreBusy, StoreFailed) as error:
        yield Check("signed", Verdict.FAULT, str(error))
    except OSError as error:
        yield Check("keys", Verdict.FAULT, f"they cannot be read: {error}")


def _compared(settings: Settings) -> Iterator[Check]:
    keyring = keyring_of(settings)
    if keyring is None or not keyring.logs():
        return
    try:
        archive = open_archive(settings.db, read_only=True, keyring=keyring)
    except LedgerError:
        return  # that it cannot be read was reported already
    try:
        held = Signing(archive.store, keyring).check()
    finally:
        archive.close()
    for log_id in keyring.logs():
        try:
            keyring.signers(log_id)
        except LedgerError as error:
            yield Check("keys", Verdict.FAULT, str(error))
    for one in held:
        yield Check("signed", Verdict.FAULT, one.why)
    if not held:
        many = counted(len(keyring.logs()), "log")
        yield Check("signed", Verdict.WELL, f"{many}, each as it was signed last or gone on since")


def _tablets(settings: Settings) -> Iterator[Check]:
    """Checks of the certificates, and of the running server; nothing is changed."""
    try:
        folder = authority_folder(settings)
        holder = lock_holder(settings.db) or {}
    except LedgerError:
        return  # reported for the database already
    has_own = settings.certificate is None and folder.exists()
    if has_own:
        now = datetime.datetime.now(datetime.UTC)
        yield from map(_check, offline.of_papers(folder, subjects(settings), now))
    secure, plain = holder.get("secure_url"), holder.get("url")
    if isinstance(secure, str):
        authority = folder / "authority.pem"
        yield from map(_check, offline.of_server(secure, authority if has_own else None))
    elif isinstance(plain, str):
        why = "start it with --host 0.0.0.0, and without --no-https, for tablets of the hall"
        message = (
            f"the server at {plain} speaks plain http: other machines cannot reload offline; {why}"
        )
        yield Check("tablets", Verdict.NOTE, message)
    elif not has_own:
        message = (
            "no server runs, and none spoke https here: `tabularium serve --host 0.0.0.0` does"
        )
        yield Check("tablets", Verdict.NOTE, message)
    else:
        message = "no server runs: start it, and ask again, to see what a tablet meets"
        yield Check("tablets", Verdict.NOTE, message)


def _check(told: Told) -> Check:
    return Check(told.name, Verdict.WELL if told.is_well else Verdict.FAULT, told.message)


def doctor(db: Db = None, as_json: Json = False) -> None:
    """Check this installation and the database; nothing is changed.

    The exit code is 2 if something has to be fixed first.
    """
    settings = settings_of(db)
    checks = [*examination.examine(settings.db), *_signed(settings), *_tablets(settings)]
    for check in checks:
        if as_json:
            line(msgspec.to_builtins(check))
            continue
        mark, style = _MARKS[check.verdict]
        show(f"{mark} {check.name:<13} {safe(check.message)}", style)
    if any(check.verdict is Verdict.FAULT for check in checks):
        raise typer.Exit(UNUSABLE)
