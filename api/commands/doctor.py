"""`tabularium doctor`: is this installation sound, and what is to be done if it is not?"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import typer

from api.archive.archive import open_archive
from api.archive.signing import Signing
from api.commands import checks as examination
from api.commands.checks import Check, Verdict
from api.commands.common import Db, Json, keyring_of, settings_of
from api.commands.offline import tablets_offline
from api.commands.printing import UNUSABLE, counted, line, safe, show
from api.settings import Settings
from events.errors import LedgerError

_MARKS = {Verdict.WELL: ("✓", ""), Verdict.NOTE: ("·", "yellow"), Verdict.FAULT: ("✗", "red")}


def _signed(settings: Settings) -> Iterator[Check]:
    """Whether each log goes on from the checkpoint that lies outside of the database."""
    keyring = keyring_of(settings)
    if keyring is None or not keyring.logs():
        return
    try:
        archive = open_archive(settings.db, read_only=True, keyring=keyring)
    except LedgerError:
        return  # that it cannot be read is told already
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


def doctor(db: Db = None, as_json: Json = False) -> None:
    """Check this installation and the database; nothing is changed.

    The exit code is 2 when something has to be put right first.
    """
    settings = settings_of(db)
    checks = [*examination.examine(settings.db), *_signed(settings), *tablets_offline(settings)]
    for check in checks:
        if as_json:
            line(msgspec.to_builtins(check))
            continue
        mark, style = _MARKS[check.verdict]
        show(f"{mark} {check.name:<13} {safe(check.message)}", style)
    if any(check.verdict is Verdict.FAULT for check in checks):
        raise typer.Exit(UNUSABLE)
