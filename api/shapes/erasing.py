"""Shapes of answers about erasing: what says who somebody is, where it stands, and what went."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.shape import Shape


class ErasablePlace(Shape):
    """A value that says who somebody is, or a text that mentions the name."""

    log_id: str
    global_position: Annotated[int, "Of its entry; below 0 = a draft that is parked."]
    path: Annotated[str, "Where it stands in the body."]


class FileBeside(Shape):
    """A file of a match that the person played: only somebody who looks knows who is on it."""

    log_id: str
    match_id: str
    sha256: str


class Erasure(Shape):
    """What would be erased of a person, or what was."""

    found: Annotated[list[ErasablePlace], "What goes, or went."]
    still_mentioned: Annotated[list[ErasablePlace], "What others said; `words` erases it too."]
    files: Annotated[list[FileBeside], "See for yourself; a director erases one by its hash."]
    also: Annotated[
        list[str],
        "Other names that are joined to it, or that a list of players said before or says now:"
        " nothing of these goes. Look for each of them as well.",
    ]
    sealed: Annotated[
        list[str],
        "What stands in sealed bytes in the clear and holds the name, as ids, titles and the"
        " proposal of an opened ballot: nothing can erase these.",
    ]
    erased: Annotated[int, "Values that were deleted; 0 where it was only looked for."]
    left: Annotated[list[ErasablePlace], "What was to go and is still there; why, `held` says."]
    held: Annotated[list[str], "Logs in which nothing can be recorded, so that nothing is erased."]
    is_done: Annotated[bool, "Whether all of `found` is out of the archive, its files too."]
    is_scrubbed: Annotated[
        bool, "Whether the database's files are cleared of it; else `unscrubbed` says why not."
    ]
    backups_until: Annotated[
        str | None,
        "Day (UTC) by which backups, standbys and archived write-ahead logs hold it no more, by"
        " TABULARIUM_BACKUP_DAYS; null where nothing was erased or nobody has said.",
    ]
    unscrubbed: Annotated[
        Literal["read", "no_right"] | None,
        "Why they may still hold it: `read`: others read an older state, so ask for it again in a"
        " while; `no_right`: the program's role may not vacuum, so the owner of the table has"
        " to (`VACUUM FULL disclosure`), or to grant it (`GRANT MAINTAIN ON"
        " disclosure`, PostgreSQL 17).",
    ]
