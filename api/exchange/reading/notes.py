"""What was read of one match so far: its facts, what was remarked, and the place in the file."""

from __future__ import annotations

import re

from api.exchange.reading.facts import Fact, Notice, NoticeCode
from events.payloads.base import Payload
from events.personal import LONGEST
from events.values import Seat

_PLAIN = re.compile(
    r"(?:[-0-9/*()?.,:+ ]|bar|off|point|points|and the match|Wins|Losses|x){1,400}"
    # Results of SGF files.
    r"|[BW]\+[0-9]{1,9}R?",
    re.I,
)

MAX_COMMENT = 20_000
"""Longest comment that is kept whole; the same as for a line of text."""


class Notes:
    """Grows while a match is read; the readers of header, game and ending write into it."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        """In order."""
        self.notices: list[Notice] = []
        """In the order in which they were remarked."""
        self.lost: list[str] = []
        """What no fact holds."""
        self.rolls = 0
        """Dice thrown."""
        self.uses_stars = False
        """Whether the file marks any hit."""
        self.unstarred: list[Notice] = []
        """Hits without a star: remarked only if the file marks hits at all."""
        self.plays: dict[tuple[int | None, int | None, Seat], int] = {}
        """(game, row, seat) to the place of the play in `facts`."""
        self.game: int | None = None
        """Number of the game, as written."""
        self.row: int | None = None
        """Number of the row, as written."""
        self.line = 0
        """Line of the file, from 1."""
        self.text = ""
        """That line without its end."""

    def add(self, payload: Payload, line: int | None = None) -> None:
        """One more fact, told by the present line unless another is given."""
        self.facts.append(Fact(payload, self.line if line is None else line))

    def remark(
        self,
        code: NoticeCode,
        message: str,
        *,
        line: int | None = None,
        row: int | None = None,
        side: Seat | None = None,
        raw: str | None = None,
    ) -> None:
        """One more notice, about the present place unless another is given."""
        self.notices.append(
            Notice(
                code=code,
                message=message,
                line=self.line if line is None else line,
                game=self.game,
                row=self.row if row is None else row,
                side=side,
                raw=None if raw is None else raw.strip()[:1000],
            )
        )

    def mark(self, text: str, about: int, *, raw: str | None = None) -> None:
        """A comment, about the fact at that place of the finished match.

        No entry holds more than `LONGEST` characters of it: what goes on is marked right behind.
        `raw` is how it is written, where that is more.
        """
        raw = text if raw is None else raw
        self.remark(NoticeCode.COMMENT, "a comment within the match", raw=raw)
        if len(text) > MAX_COMMENT:
            self.lost.append(f"line {self.line}: the end of a comment of {len(text)} letters")
            text = text[:MAX_COMMENT]
        for part in parts_of(text):
            plain, refers = {"note": part}, (("target", about),)
            fact = Fact(None, self.line, kind="moment.marked", plain=plain, refers=refers)
            self.facts.append(fact)

    def not_understood(self, text: str, seat: Seat | None = None) -> None:
        """Something that no fact can hold."""
        self.remark(NoticeCode.CELL_NOT_READ, "nothing known", side=seat, raw=text)
        self.lost.append(f"line {self.line}: {text[:200]}")


def parts_of(text: str) -> list[str]:
    """A text in parts that an entry holds; together they are the text, but for blank parts.

    They end behind a line or a word, where one ends in their second half.
    """
    parts = []
    while len(text) > LONGEST:
        ends = (text.rfind(sign, LONGEST // 2, LONGEST) + 1 for sign in "\n ")
        end = next((end for end in ends if end), LONGEST)
        parts.append(text[:end])
        text = text[end:]
    return [part for part in [*parts, text] if part.strip()] or [text[:LONGEST]]


def clear(text: str) -> str | None:
    """Text that may stand in the clear in an event; None where it might name people."""
    return text if len(text) <= 400 and _PLAIN.fullmatch(text) else None
