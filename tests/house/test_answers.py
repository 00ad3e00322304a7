"""The types of answers that the browser's modules read: as the API is described now."""

from __future__ import annotations

from tests.house import answers


def test_the_types_of_answers_are_current() -> None:
    current = "run `uv run python -m tests.house.answers`"
    assert answers.FILE.read_text("utf-8") == answers.written(), current
