"""Every format that a replay is written in, by the ending of its files: what the doors offer."""

from __future__ import annotations

from collections.abc import Mapping

from api.exchange import html_writer, mat_writer, ogxm_writer, sgf_writer, text_writer
from api.exchange.writing import Writer

WRITERS: Mapping[str, Writer] = {
    writer.name: writer
    for writer in (
        mat_writer.WRITER,
        sgf_writer.WRITER,
        ogxm_writer.WRITER,
        text_writer.WRITER,
        html_writer.WRITER,
    )
}
"""Name to writer. JSONL is not among them: it holds the stored entries, and no replay."""
