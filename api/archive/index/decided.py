"""Matches in which a director decided something: where precedents are looked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import AbstractContextManager

from api.archive.index.rows import MatchRow, match_row


class DecidedIndex:
    """The rows of such matches, which are few, over the database of the index."""

    def __init__(self, db: sqlite3.Connection, gate: AbstractContextManager[None]) -> None:
        self.db = db
        self._gate = gate

    def rows(self, log_ids: Collection[str]) -> list[MatchRow]:
        """All of these logs, and of every other log those that are public; in no order."""
        own = sorted(log_ids)
        marks = ", ".join("?" * len(own))
        sql = f"SELECT * FROM match WHERE decisions <> '' AND (is_public OR log_id IN ({marks}))"
        with self._gate:
            return [match_row(row) for row in self.db.execute(sql, own)]
