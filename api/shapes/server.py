"""Shapes of answers about the server: its health, and its refusals."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.matches import EntryOut
from api.shapes.shape import Shape


class ProblemOut(Shape, forbid_unknown_fields=False):
    """A refusal (RFC 9457); some kinds have further members."""

    type: Annotated[str, "`/problems/<kind>`, where the kind is described."]
    title: Annotated[str, "The kind, in words."]
    status: Annotated[int, "HTTP status."]
    detail: Annotated[str, "What was wrong in this request."]
    instance: Annotated[str, "The path that was requested."]
    where: Annotated[str | None, "Member or parameter at fault."] = None
    needs: Annotated[str | None, "Role that may do it."] = None
    current_version: Annotated[int | None, "Version that the stream is at."] = None
    expected_version: Annotated[int | None, "Version that was expected."] = None
    missed: Annotated[list[EntryOut] | None, "Entries after the version that was expected."] = None
    missed_truncated: Annotated[
        bool | None, "Whether more entries were missed than are listed."
    ] = None
    expected: Annotated[list[str] | None, "Tags that may come next."] = None
    known: Annotated[list[str] | None, "Values that could have been requested."] = None
    entry_id: Annotated[str | None, "The entry id at fault."] = None
    known_entries: Annotated[list[str] | None, "Entry ids that are already recorded."] = None
    retry_after_seconds: Annotated[int | None, "When to try again."] = None


class WriterOut(Shape):
    """The writer's queue."""

    waiting: int


class CheckOut(Shape):
    """One check of the server's health."""

    name: Annotated[str, "read, write, disk, clock, index, logs or files."]
    status: Literal["ok", "warning", "failing"]
    detail: Annotated[str, "Result of the check in words."]


class Ready(Shape):
    """Whether this server is ready for requests."""

    ready: bool
    why: Annotated[str | None, "What has to be fixed, or waited for."]


class Health(Shape):
    """The archive's health."""

    status: Annotated[Literal["ok", "failing"], "failing if any check is failing."]
    checks: Annotated[list[CheckOut], "The checks, at most a few seconds old."]
    database: str
    version: str
    writer: WriterOut | None
    followers: int


class ProblemKind(Shape):
    """The meaning of a kind of problem."""

    type: str
    title: str
    status: int
    advice: str
