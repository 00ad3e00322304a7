"""Writes a replayed match as plain text that anybody can read, on paper too, without a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from api.exchange.prose.account import Account
from api.exchange.prose.losses import losses_of
from api.exchange.prose.sections import Aside, Ended, Found, Row, Section, board_of, is_set
from api.exchange.writing.story import Story
from api.exchange.writing.wanted import Loss, Wanted, Writer, Written
from events.values import Seat
from projections.board.notation import drawn
from projections.replay import Replay, Step

WIDTH = 79
"""Columns of a line; longer words than that stay whole."""

_LABEL = 21
_CELL = 36
_INDENT = 6


def write(replay: Replay, wanted: Wanted) -> Written:
    """The match as text, as corrected, and everything that the text does not hold."""
    account = Account(replay, wanted, holds_record=False)
    losses = account.losses.listed()
    lines = [*_heading(account)]
    for section in account.sections:
        lines += ["", *_section(section, account)]
    if account.about_corrections or account.said_of_corrections:
        lines += ["", *_underlined("Corrections of the record", "-")]
        for words in account.said_of_corrections:
            lines += _folded(words, " " * _INDENT, " " * (_INDENT + 2))
        lines += [line for found in account.about_corrections for line in _found(found)]
    lines += ["", *_underlined("What this text does not hold", "-"), *_losses(losses)]
    return Written(("\n".join(lines) + "\n").encode("utf-8", "replace"), losses)


def _heading(account: Account) -> Iterator[str]:
    yield from _underlined(account.title, "=")
    yield ""
    score = account.score(account.replay.state.match_score)
    for label, value in (*account.facts, ("Score", score), ("Result", account.result)):
        yield from _folded(str(value), f"{label!s:<{_LABEL}}", " " * _LABEL)
    for note in account.wanted.shown_to:
        yield from _folded(note, f"{'Left out':<{_LABEL}}", " " * _LABEL)
    yield ""
    yield from _folded(
        f"{account.names.one} is on the left, and x on a drawn board. Each player counts the "
        "points from that player's own side; * is a hit. Times in brackets are what the clock "
        "showed after the turn. A line with ! is an irregularity, one with - a remark, each with "
        "the rule that it rests on.",
        "",
        "",
    )


def _section(section: Section, account: Account) -> Iterator[str]:
    yield from _underlined(section.title, "-")
    if section.number:
        names, score = account.names, section.score
        one = f"{names.one}: {score.one}"
        yield f"     {one:<{_CELL}} {names.two}: {score.two}"
        if is_set(section.first):
            yield from _board(section.first, account)
    for item in section.items:
        match item:
            case Row():
                yield _row(item)
                for step in item.steps:
                    if is_set(step):
                        yield from _board(step, account)
            case Aside():
                yield from _folded(item.words, " " * _INDENT, " " * (_INDENT + 2))
                if is_set(item.step) and item.step is not section.first:
                    yield from _board(item.step, account)
            case Found():
                yield from _found(item)
            case Ended():
                yield f"     {item.words}"
                yield f"     Score: {item.score}"


def _row(row: Row) -> str:
    one, two = (row.cells[seat].words if seat in row.cells else "" for seat in Seat)
    return f"{row.number:3}) {one:<{_CELL}} {two}".rstrip()


def _found(found: Found) -> Iterator[str]:
    asked = "" if found.question is None else f" ({found.question})"
    mark = "!" if found.is_irregular else "-"
    words = f"{found.words}{asked} ({found.citation})"
    yield from _folded(words, f"    {mark} ", " " * (_INDENT + 2))


def _board(step: Step, account: Account) -> Iterator[str]:
    """The board in characters; seat one is `x` and sits below."""
    board = board_of(step)
    if board is not None:
        yield ""
        for line in drawn(board, has_pips=not account.wanted.is_held_back).splitlines():
            yield f"{' ' * _INDENT}{line}".rstrip()
        yield ""


def _losses(losses: tuple[Loss, ...]) -> Iterator[str]:
    for loss in losses:
        yield from _folded(f"{loss.kind} ({loss.count}): {loss.detail}", "", "    ")


def _underlined(title: str, line: str) -> Iterator[str]:
    yield title
    yield line * min(len(title), WIDTH)


def _folded(words: str, first: str, following: str) -> list[str]:
    return textwrap.wrap(
        words,
        WIDTH,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _not_held(story: Story, wanted: Wanted) -> tuple[Loss, ...]:
    return losses_of(story.replay, wanted, holds_record=False).listed()


WRITER = Writer(
    name="text",
    title="for people: the match as a score sheet, with rulings and findings, in plain text",
    media_type="text/plain; charset=utf-8",
    write=write,
    losses=_not_held,
)
"""The format as the doors know it."""
