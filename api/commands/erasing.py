"""`tabularium erase`: a person out of the archive, while proofs and earlier exports hold."""

from __future__ import annotations

from typing import Annotated

import typer

from api.archive.erasing import Place, erase, files_beside, places_of
from api.commands.common import Db, Json, OfLog, lock_holder, settings_of, writing
from api.commands.printing import REFUSED, counted, fail, line, say, show
from events.envelope import ARCHIVE_LOG


def erase_person(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The whole name of the person.")],
    db: Db = None,
    log: OfLog = None,
    words: Annotated[
        bool,
        typer.Option("--words", help="Also what others said that mentions the name."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Erase; without it, only say what.")] = False,
    as_json: Json = False,
) -> None:
    """Erase a person: names, ids and clubs, out of every view, search, index and later file.

    Without --yes it says what would go. Erasing cannot be undone. Hashes stay, so that proofs and
    earlier exports still verify; copies that were handed out or published are not reached.
    """
    settings = settings_of(db)
    if not name.strip():
        fail("a name has at least one character")
    if lock_holder(settings.db) is not None:
        fail("a server is writing to this archive, and keeps pages in memory: stop it, then erase")
    with writing(settings) as shelf:
        logs = [head.log_id for head in shelf.archive.store.logs()] if log is None else [log]
        found = [place for one in logs for place in places_of(shelf.archive, one, name)]
        theirs = [place for place in found if words or not place.is_words]
        left = [place for place in found if place not in theirs]
        if not theirs:
            fail(f"nobody in the archive is called {name!r}, or it is erased already", REFUSED)
        files = [(one, *file) for one in logs for file in files_beside(shelf.archive, one, theirs)]
        gone = erase(shelf.archive, shelf.index, theirs, by="operator") if yes else 0
        if as_json:
            line(_told(theirs, left, files, gone))
            return
        _say(theirs, left, files, gone)
        if not yes:
            say("nothing was erased: the same with --yes does it, and it cannot be undone")


def _told(
    theirs: list[Place], left: list[Place], files: list[tuple[str, str, str]], gone: int
) -> dict[str, object]:
    def lines(places: list[Place]) -> list[dict[str, object]]:
        return [
            {"log_id": one.log_id, "global_position": one.position, "path": one.path}
            for one in places
        ]

    return {
        "found": lines(theirs),
        "erased": gone,
        "still_mentioned": lines(left),
        "files": [{"log_id": log, "match_id": match, "sha256": sha} for log, match, sha in files],
    }


def _say(
    theirs: list[Place],
    left: list[Place],
    files: list[tuple[str, str, str]],
    gone: int,
) -> None:
    """What went, and what only a person can judge."""
    entries = len({(one.log_id, one.position) for one in theirs})
    verb = f"{counted(gone, 'value')} erased" if gone else f"{counted(len(theirs), 'value')} found"
    show(f"{verb}, in {counted(entries, 'entry', 'entries')}")
    for one in theirs:
        show(f"  {_where(one)}")
    if left:
        show(f"{counted(len(left), 'text')} still mention the name: --words erases them too")
        for one in left:
            show(f"  {_where(one)}")
    for log, match, sha256 in files:
        show(f"see for yourself who is on file {sha256[:16]} of match {match} (log {log});")
        show(f"  a director erases it with DELETE /logs/{log}/files/{sha256}")


def _where(place: Place) -> str:
    log = "the archive's own log" if place.log_id == ARCHIVE_LOG else f"log {place.log_id}"
    if place.position < 0:
        return f"{log}, a parked draft: {place.path}"
    return f"{log}, entry {place.position}: {place.path}"
