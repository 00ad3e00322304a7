"""Every format that a replay is written in, by the ending of its files."""

from __future__ import annotations

from collections.abc import Mapping

from api.exchange.mat import writer as mat_writer
from api.exchange.ogxm import writer as ogxm_writer
from api.exchange.prose import html as html_writer
from api.exchange.prose import text as text_writer
from api.exchange.sgf import writer as sgf_writer
from api.exchange.writing.wanted import Writer

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
