"""Lines of the error log: what kind of failure and where, never a value that somebody entered.

Nobody thinks of an error log when asked what is stored about a person; it is copied to other
machines, and outlives every erasure. Messages of Python's own exceptions repeat the value that
caused them, which may be a name. Those of the ledger, of the disk and of the database say what is
wrong with it.
"""

from __future__ import annotations

import logging
import sqlite3
import traceback
from collections.abc import Callable

from events.errors import BadInput, LedgerError

_TOLD = (LedgerError, OSError, sqlite3.Error)
"""Exceptions whose messages contain no value of an entry."""

Factory = Callable[..., logging.LogRecord]


def install() -> None:
    """From here on no record of this process has more of an exception than is told here."""
    before = logging.getLogRecordFactory()
    if getattr(before, "is_quiet", False):
        return
    quiet = quiet_records(before)
    quiet.is_quiet = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(quiet)


def quiet_records(before: Factory) -> Factory:
    """A factory of records that have the trace of an exception as `traced` tells it."""

    def made(*args: object, **kwargs: object) -> logging.LogRecord:
        record = before(*args, **kwargs)
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            record.exc_text = traced(error)
            record.exc_info = None
        return record

    return made


def traced(error: BaseException) -> str:
    """Where an exception came from, and its causes; its words only where they name nobody."""
    parts: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(parts) < _DEEPEST:
        parts.append("".join(traceback.format_tb(seen.__traceback__)) + _kind(seen))
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return "\nthe cause of which was:\n".join(parts)


_DEEPEST = 8
"""Causes that are reported."""


def _kind(error: BaseException) -> str:
    name = f"{type(error).__module__}.{type(error).__qualname__}"
    if isinstance(error, _TOLD) and not isinstance(error, BadInput):
        return f"{name}: {error}"
    return name
