"""What publishing imports only when somebody publishes: Arrow, ADBC and Ray are extras."""

from __future__ import annotations

import importlib
from types import ModuleType

from events.errors import LedgerError


class NotPublished(LedgerError):
    """The archive could not be published; `str()` says why and what to do."""


def needed(module: str, *, extra: str = "publish") -> ModuleType:
    """A module that an extra brings. Errors: NotPublished, naming the extra, where it is absent."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise NotPublished(
            f"publishing needs {error.name}: run `uv sync --extra {extra}`"
            f" or `pip install 'tabularium-backgammon[{extra}]'`"
        ) from None
