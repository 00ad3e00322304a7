"""A match as a file: the formats, what each file shows, and what files are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from api.exchange.sealed.jsonl import NDJSON
from api.exchange.writers import WRITERS
from api.exchange.writing.wanted import Loss

JSONL = "jsonl"
"""The one format that holds no replay, but the stored entries themselves."""


class Form(msgspec.Struct, frozen=True):
    """A format, as a door offers it."""

    name: str
    """What it is asked for by on the command line."""
    ending: str
    """How its files end, without the dot."""
    title: str
    """What it is for, in a line, for people."""
    media_type: str
    """Media type, with the charset of a text."""

    @property
    def bare_type(self) -> str:
        """The media type without parameters."""
        return self.media_type.partition(";")[0].strip()

    @property
    def is_text(self) -> bool:
        """Whether a terminal can show it."""
        return "charset" in self.media_type or self.name == JSONL


_ENDINGS = {"text": "txt"}

FORMS: Mapping[str, Form] = {
    **{
        writer.name: Form(
            writer.name,
            _ENDINGS.get(writer.name, writer.name),
            writer.title,
            writer.media_type,
        )
        for writer in WRITERS.values()
    },
    JSONL: Form(
        JSONL,
        JSONL,
        "every sealed byte: loses nothing, and can be verified",
        NDJSON,
    ),
}
"""Every format that a match can be had in, by name; the first is what is had by default."""

JSON = Form("json", "json", "one small object, for programs", "application/json")
"""What the line of a stream is, for one match."""

LINES = Form("ndjson", "ndjson", "one object a match", NDJSON)
"""Many matches, each as that object."""

STREAMED = (LINES, FORMS["mat"])
"""Forms that many matches are had in; the first is what whoever takes anything gets."""


def file_name(log_id: str, match_id: str, form: Form) -> str:
    """The name of a match's file: no two matches of an archive share it, and it names nobody.

    Ids are small letters, digits and hyphens: safe in a header and on every file system.
    """
    return f"{log_id}_{match_id}.{form.ending}"


def counted_losses(losses: Sequence[Loss]) -> dict[str, int]:
    """Kind of loss to the number of facts."""
    counts: dict[str, int] = {}
    for loss in losses:
        counts[loss.kind] = counts.get(loss.kind, 0) + loss.count
    return counts
