"""`tabularium export`: one match as a file, and on stderr what the file does not hold."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from api.commands.common import Db, Match, OfLog, Shelf, reading, safe, say, written
from api.exchange import jsonl, mat
from api.exchange.writing import Loss
from projections.replay import Replay

Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="FILE", help="Write to this file. (default: stdout)",
        show_default=False,
    ),
]  # fmt: skip


class Form(enum.StrEnum):
    """Formats that are written."""

    MAT = "mat"
    JSONL = "jsonl"


class Names(enum.StrEnum):
    """Whether personal values are written."""

    DISCLOSED = "disclosed"
    WITHHELD = "withheld"


def export(
    match: Match,
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            help="mat: for backgammon programs; jsonl: every sealed byte, loses nothing.",
        ),
    ] = Form.MAT,
    output: Output = None,
    names: Annotated[
        Names, typer.Option("--names", help="Whether names are written, where they are known.")
    ] = Names.DISCLOSED,
    db: Db = None,
    log: OfLog = None,
) -> None:
    """Export a match; what the format cannot hold is listed on stderr."""
    with reading(db) as shelf:
        log_id, stream_id, shown = shelf.replay(match, log)
        if form is Form.JSONL:
            content = _jsonl(shelf, log_id, stream_id, names)
            losses: Sequence[Loss] = ()
        else:
            content, losses = _mat(shelf, log_id, shown, names)
    written(content, output)
    for loss in losses:
        say(f"not in the file: {loss.kind} ({loss.count}): {safe(loss.detail)}")


def _mat(shelf: Shelf, log_id: str, shown: Replay, names: Names) -> tuple[bytes, Sequence[Loss]]:
    opened = shown.opened
    known = None
    details = mat.Details()
    if names is Names.DISCLOSED and opened is not None:
        known = shelf.archive.reading.names(log_id, opened)
        details = mat.Details(
            **{
                name: shelf.value(log_id, getattr(opened, name))
                for name in ("event", "round", "place", "date", "transcriber")
            }
        )
    made = mat.write(shown, known, details=details)
    return made.text.encode("utf-8"), made.losses


def _jsonl(shelf: Shelf, log_id: str, stream_id: str, names: Names) -> bytes:
    store = shelf.archive.store
    entries = store.read_stream(log_id, stream_id)
    shown = (
        store.disclosures_of(log_id, [entry.global_position for entry in entries])
        if names is Names.DISCLOSED
        else {}
    )
    return b"".join(jsonl.write(entries, shown))
