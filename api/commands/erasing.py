"""`tabularium erase`: a person out of the archive, while proofs and earlier exports hold."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from api.archive.erasing import (
    UNSCRUBBED,
    Place,
    erase,
    expiry,
    files_beside,
    listed_also,
    places_of,
    sealed_mentions,
    split,
    why_unscrubbed,
)
from api.archive.joined import SamePlayers
from api.commands.common import Db, Json, OfLog, Shelf, lock_holder, settings_of, writing
from api.commands.printing import REFUSED, counted, fail, line, safe, say, show
from api.commands.server import problem_of, server_of
from api.settings import Settings
from api.shapes.erasing import ErasablePlace, Erasure, FileBeside
from events.envelope import ARCHIVE_LOG

PATIENCE_S = 600.0
"""Seconds to wait for a server: it reads every disclosure that it has."""


_UNSAID = "may hold it: TABULARIUM_BACKUP_DAYS says by when they expire, and is not set"


def erase_person(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The whole name of the person.")],
    db: Db = None,
    log: OfLog = None,
    words: Annotated[
        bool, typer.Option("--words", help="Also erase texts of others that mention the name.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Erase. (default: only list what would be erased)")
    ] = False,
    as_json: Json = False,
) -> None:
    """Erase a person: names, ids and clubs in all views, searches, indexes and later files.

    Without --yes it lists what would be erased. Erasing cannot be undone. Hashes stay, so that
    proofs and earlier exports still verify. Copies that were given out or published do not change.
    If a server is running, it does the erasing, and also clears its memory.
    """
    settings = settings_of(db)
    if not name.strip():
        fail("a name has at least one character")
    if lock_holder(settings.db) is not None:
        done = _by_server(settings, name.strip(), log, words=words, yes=yes)
    else:
        with writing(settings) as shelf:
            done = _here(shelf, name, log, words=words, yes=yes)
            if done is not None and done.erased:
                until = expiry(shelf.archive.now_ms(), settings.backup_days)
                done = msgspec.structs.replace(done, backups_until=until)
    if done is None:
        fail(
            f"nobody in the archive is called {safe(name)!r}, or it is erased already:"
            " the whole name is needed, as it is spelled",
            REFUSED,
        )
    if as_json:
        line(msgspec.to_builtins(done))
    else:
        _say(done)
    if not yes:
        if not as_json:
            say("nothing was erased: the same with --yes does it, and it cannot be undone")
    elif not done.is_done:
        _say_undone(done)
        raise typer.Exit(REFUSED)


def _by_server(
    settings: Settings, name: str, log: str | None, *, words: bool, yes: bool
) -> Erasure | None:
    """What the server that is writing to the archive has erased; None if there is no server."""
    body = {"name": name, "words": words, "log": log, "confirm": name if yes else None}
    with server_of(settings, None, patience_s=PATIENCE_S) as client:
        answer = client.request("POST", "/erasures", body=body)
        if answer.status_code == 404 and "no-such-player" in answer.text:
            return None
        if answer.status_code != 200:
            fail(f"the server at {client.url} refused it: {problem_of(answer)}", REFUSED)
        return client.told(answer, Erasure)


def _here(shelf: Shelf, name: str, log: str | None, *, words: bool, yes: bool) -> Erasure | None:
    """What was erased in an archive to which nobody else writes; None if the name was not found."""
    archive = shelf.archive
    logs = [head.log_id for head in archive.store.logs()] if log is None else [log]
    found = [place for one in logs for place in places_of(archive, one, name)]
    theirs, left = split(found, words=words)
    if not theirs:
        if yes and (why := why_unscrubbed(archive.store, anew=True)) is not None:
            fail(UNSCRUBBED[why], REFUSED)
        return None
    files = [FileBeside(one, *file) for one in logs for file in files_beside(archive, one, theirs)]
    sealed = [text for one in logs for text in sealed_mentions(archive, one, name)]
    also = [*SamePlayers(archive.reading).others(name), *listed_also(archive, logs, name)]
    held = sorted({one.log_id for one in theirs} & archive.store.held.keys())
    going = [one for one in theirs if one.log_id not in held]
    erased = erase(archive, shelf.index, going, by="operator") if yes else 0
    unscrubbed = why_unscrubbed(archive.store) if yes else None
    is_scrubbed = yes and unscrubbed is None
    stays = [one for one in theirs if not yes or one.log_id in held]
    return Erasure(
        found=_lines(theirs),
        still_mentioned=_lines(left),
        files=files,
        also=list(dict.fromkeys(also)),
        sealed=sealed,
        erased=erased,
        left=_lines(stays),
        held=held,
        is_done=is_scrubbed and not stays,
        is_scrubbed=is_scrubbed,
        backups_until=None,
        unscrubbed=unscrubbed,
    )


def _lines(places: list[Place]) -> list[ErasablePlace]:
    return [ErasablePlace(one.log_id, one.position, one.path) for one in places]


def _say(done: Erasure) -> None:
    """Report what was erased, and what only a person can check."""
    entries = len({(one.log_id, one.global_position) for one in done.found})
    verb = f"{counted(done.erased, 'value')} erased"
    if not done.erased:
        verb = f"{counted(len(done.found), 'value')} found"
    show(f"{verb}, in {counted(entries, 'entry', 'entries')}")
    for one in done.found:
        show(f"  {_where(one)}")
    if done.still_mentioned:
        many = counted(len(done.still_mentioned), "text")
        verb = "mentions" if len(done.still_mentioned) == 1 else "mention"
        show(f"{many} still {verb} the name: --words erases them too")
        for one in done.still_mentioned:
            show(f"  {_where(one)}")
    for other in done.also:
        show(f"also known here as {safe(other)}, of which nothing goes: erase that name too")
    for file in done.files:
        show(f"see for yourself who is on file {file.sha256[:16]} of match {file.match_id}")
        show(f"  (log {file.log_id}); a director erases it with")
        show(f"  DELETE /logs/{file.log_id}/files/{file.sha256}")
    if done.erased:
        until = f"hold it until {done.backups_until}" if done.backups_until else _UNSAID
        show(f"backups, standbys and archived write-ahead logs {until}")
    for text in done.sealed:
        show(f"sealed, and nothing can erase it: {safe(text)}")


def _say_undone(done: Erasure) -> None:
    for log_id in done.held:
        say(f"log {log_id} is held, and nothing was erased there: see `tabularium doctor`")
    for one in done.left:
        if one.log_id not in done.held:
            say(f"still there: {_where(one)}; give the same command again")
    if done.unscrubbed is not None:
        say(f"the values are deleted. {UNSCRUBBED[done.unscrubbed].capitalize()}")


def _where(place: ErasablePlace) -> str:
    log = "the archive's own log" if place.log_id == ARCHIVE_LOG else f"log {place.log_id}"
    if place.global_position < 0:
        return f"{log}, a parked draft: {place.path}"
    return f"{log}, entry {place.global_position}: {place.path}"
