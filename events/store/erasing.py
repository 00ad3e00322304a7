"""Which disclosures entries say are erased: a store lets them go as it writes the entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import orjson

ERASED: Final = "disclosure.erased"
"""Tag of the entry."""


def commitments_in(sealed: bytes) -> list[str]:
    """What a sealed `disclosure.erased` names; its member kept its name through all schemas."""
    named = orjson.loads(sealed)["body"].get("commitments", ())
    return [one for one in named if isinstance(one, str)]


def erased_by(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[str, list[str]]]:
    """(log id, commitments) of each such entry among rows of the table `event`."""
    for row in rows:
        if row[5] == ERASED:
            yield row[0], commitments_in(row[7])
