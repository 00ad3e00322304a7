"""Every format that a replay is written in, by the ending of its files: what the doors offer."""

from __future__ import annotations

from collections.abc import Mapping

from api.exchange import mat_writer
from api.exchange.writing import Writer

WRITERS: Mapping[str, Writer] = {writer.name: writer for writer in (mat_writer.WRITER,)}
"""Name to writer. JSONL is not among them: it holds the stored entries, and no replay."""
