"""Shapes of answers about erasing: values that identify a person, their places, and erasures."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.shape import Shape


class ErasablePlace(Shape):
    """A value that identifies the person, or a text that mentions the name."""

    log_id: str
    global_position: Annotated[int, "Version of its entry; below 0 = a parked draft."]
    path: Annotated[str, "Path of the member in the body."]


class FileBeside(Shape):
    """A file of a match that the person played: a person has to look who is shown in it."""

    log_id: str
    match_id: str
    sha256: str


class Erasure(Shape):
    """What would be erased about a person, or was erased."""

    found: Annotated[list[ErasablePlace], "Values to erase, or erased."]
    still_mentioned: Annotated[
        list[ErasablePlace], "Texts of others that mention the person; `words` erases them too."
    ]
    files: Annotated[list[FileBeside], "Files to look at; a director can erase a file by its hash."]
    also: Annotated[
        list[str],
        "Other names that are joined to it, or that a list of players has or had for the person:"
        " they are not erased. Search for each of them too.",
    ]
    sealed: Annotated[
        list[str],
        "Texts with the name that are sealed in plain text, such as ids, titles and the proposal"
        " of an opened ballot: they cannot be erased.",
    ]
    erased: Annotated[int, "Number of values that were deleted; 0 in a preview."]
    left: Annotated[list[ErasablePlace], "Values that could not be erased; `held` has the reason."]
    held: Annotated[list[str], "Logs that cannot be written to, so that nothing in them is erased."]
    is_done: Annotated[bool, "Whether all of `found` is erased, in files too."]
    is_scrubbed: Annotated[
        bool, "Whether the database's files hold it no more; else `unscrubbed` has the reason."
    ]
    backups_until: Annotated[
        str | None,
        "Day (UTC) from which backups, standbys and archived write-ahead logs hold it no more, by"
        " TABULARIUM_BACKUP_DAYS; null = nothing was erased, or that is not set.",
    ]
    unscrubbed: Annotated[
        Literal["read", "no_right"] | None,
        "Why the files may still hold it. `read`: others are reading an older state; send the"
        " request again later. `no_right`: the program's role may not vacuum; the owner of the"
        " table has to do it (`VACUUM FULL disclosure`) or allow it (`GRANT MAINTAIN ON"
        " disclosure`, PostgreSQL 17).",
    ]
