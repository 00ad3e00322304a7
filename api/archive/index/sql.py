"""How rows of matches are written into the index, and the conditions of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from api.archive.index.rows import MatchRow, Stage

State = Literal["waiting", "live", "ended"]


def names_text(names: Sequence[Sequence[str]]) -> str:
    """Commitments of the players' names as rows keep them."""
    return msgspec.json.encode(names).decode()


DUE = "match.news_ms + match.delay_ms"
"""When the public may know of a match's last news; as the indexes have it."""

_COLUMNS = ("number", *MatchRow.__struct_fields__)
_KEY = ("number", "log_id", "stream_id")


def _put_sql(*, kept: tuple[str, ...] = ()) -> str:
    """A row put in place of the one that is there, but for the columns that are kept."""
    changed = [column for column in _COLUMNS if column not in (*_KEY, *kept)]
    # Quoted: one of them is a word of the language.
    return (
        "INSERT INTO match ({}) ".format(", ".join(f'"{column}"' for column in _COLUMNS))
        + f"VALUES ({', '.join('?' * len(_COLUMNS))}) "
        "ON CONFLICT (log_id, stream_id) DO UPDATE SET "
        + ", ".join(f'"{column}" = excluded."{column}"' for column in changed)
    )


_NAMES = _COLUMNS.index("names")
_NEWS_MS = _COLUMNS.index("news_ms")
_KNOWN = _COLUMNS.index("known")


def put_values(row: MatchRow, number: int | None, *, news_ms: int, known: Stage) -> list[Any]:
    """A row's values in the order of `PUT`, with what the index alone knows of it.

    `number`: that of a new row; None where one is there, which keeps its own.
    """
    values: list[Any] = [number, *msgspec.structs.astuple(row)]
    values[_NAMES] = names_text(row.names)
    values[_NEWS_MS] = news_ms
    values[_KNOWN] = known
    return values


PUT = _put_sql()
PUT_KEEPING = _put_sql(kept=("news_ms", "known"))

# Word by word as in the indexes that serve them.
MAY_BE: dict[State, str] = {
    "waiting": "(state = 'waiting' AND source IS NULL OR delay_ms > 0 OR awaits_ruling)",
    "live": "(state = 'live' AND source IS NULL OR delay_ms > 0 OR awaits_ruling)",
    "ended": "(state NOT IN ('waiting', 'live') OR source IS NOT NULL OR delay_ms > 0"
    " OR awaits_ruling)",
}
