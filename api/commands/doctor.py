"""`tabularium doctor`: is this installation sound, and what is to be done if it is not?"""

from __future__ import annotations

import msgspec
import typer

from api.commands import checks as examination
from api.commands.checks import Verdict
from api.commands.common import Db, Json, settings_of
from api.commands.offline import tablets_offline
from api.commands.printing import UNUSABLE, line, safe, show

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
