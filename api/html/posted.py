"""What a hall posts of a match beside who plays: event, round, table, day; in words."""

from __future__ import annotations

from api.html.texts import Texts
from api.shapes.matches import MatchSummary


def posted(match: MatchSummary, t: Texts, within: str | None = None) -> tuple[str, ...]:
    """Event, round, table and day, as far as they are shown; the day as its source wrote it.

    `within`: the tournament that is named beside it, which is not said twice.
    """
    return (
        *([match.event] if match.event and match.event != within else ()),
        *([_numbered(match.round, "round", t)] if match.round else ()),
        *([_numbered(match.table, "table", t)] if match.table else ()),
        *([match.date] if match.date else ()),
    )


def _numbered(text: str, what: str, t: Texts) -> str:
    """A bare number with what it counts; words speak for themselves."""
    return t(f"public.{what}_n", n=text) if text.isdecimal() else text
