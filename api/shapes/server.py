"""Shapes of what the server says of itself: whether it is well, and why it refuses."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.matches import EntryOut
from api.shapes.shape import Shape


class ProblemOut(Shape, forbid_unknown_fields=False):
    """A refusal (RFC 9457); some kinds carry more members than these."""

    type: Annotated[str, "`/problems/<kind>`, where the kind is described."]
    title: Annotated[str, "The kind, in words."]
    status: Annotated[int, "HTTP status."]
    detail: Annotated[str, "What was wrong this time."]
    instance: Annotated[str, "The path that was asked for."]
    where: Annotated[str | None, "Member or parameter that is at fault."] = None
    needs: Annotated[str | None, "Who may do it."] = None
    current_version: Annotated[int | None, "Version that the stream is at."] = None
    expected_version: Annotated[int | None, "Version that was expected."] = None
    missed: Annotated[list[EntryOut] | None, "Entries after the version that was expected."] = None
    missed_truncated: Annotated[bool | None, "Whether more were missed."] = None
    expected: Annotated[list[str] | None, "Tags that may come next."] = None
    known: Annotated[list[str] | None, "What could have been asked for."] = None
    entry_id: Annotated[str | None, "The entry id at fault."] = None
    known_entries: Annotated[list[str] | None, "Entry ids recorded already."] = None
    retry_after_seconds: Annotated[int | None, "When to try again."] = None


class WriterOut(Shape):
    """The writer's queue."""

    waiting: int


class CheckOut(Shape):
    """One thing that the server tried of itself."""

    name: Annotated[str, "read, write, disk, clock, index or logs."]
    status: Literal["ok", "warning", "failing"]
    detail: Annotated[str, "What was seen."]


class Ready(Shape):
    """Whether requests may be sent to this server now."""

    ready: bool
    why: Annotated[str | None, "What has to be put right, or waited for."]


class Health(Shape):
    """Whether the archive is well."""

    status: Annotated[Literal["ok", "failing"], "failing where any check is."]
    checks: Annotated[list[CheckOut], "What was tried, at most a few seconds ago."]
    database: str
    version: str
    writer: WriterOut | None
    followers: int


class ProblemKind(Shape):
    """What a kind of problem means."""

    type: str
    title: str
    status: int
    advice: str
