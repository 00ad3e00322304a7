"""What `doctor` says of tablets: will they work offline, with the papers and the server here?"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from api.commands.checks import Check, Verdict
from api.commands.common import lock_holder
from api.commands.trusting import authority_folder, subjects
from api.hall import offline
from api.hall.offline import Told
from api.settings import Settings
from events.errors import LedgerError


def tablets_offline(settings: Settings) -> Iterator[Check]:
    """Checks of the papers, and of the server that runs; nothing is changed."""
    try:
        folder = authority_folder(settings)
        holder = lock_holder(settings.db) or {}
    except LedgerError:
        return  # said of the database already
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
