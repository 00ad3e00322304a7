"""`tabularium doctor` and `openapi`: is this installation sound, what does the API offer?"""

from __future__ import annotations

import msgspec
import typer

from api.commands import checks as examination
from api.commands.checks import Verdict
from api.commands.common import UNUSABLE, Db, Json, Output, line, safe, settings_of, show, written
from api.commands.offline import tablets_offline

_MARKS = {Verdict.WELL: ("✓", ""), Verdict.NOTE: ("·", "yellow"), Verdict.FAULT: ("✗", "red")}


def doctor(db: Db = None, as_json: Json = False) -> None:
    """Check this installation and the database; nothing is changed.

    The exit code is 2 when something has to be put right first.
    """
    settings = settings_of(db)
    checks = [*examination.examine(settings.db), *tablets_offline(settings)]
    for check in checks:
        if as_json:
            line(msgspec.to_builtins(check))
            continue
        mark, style = _MARKS[check.verdict]
        show(f"{mark} {check.name:<13} {safe(check.message)}", style)
    if any(check.verdict is Verdict.FAULT for check in checks):
        raise typer.Exit(UNUSABLE)


def openapi(output: Output = None) -> None:
    """Print the OpenAPI description of the HTTP API."""
    # Imported here: the web takes a while, and no other command but `serve` needs it.
    from api.commands.describing import text

    written(text(), output)
