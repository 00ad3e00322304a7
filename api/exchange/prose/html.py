"""Writes a replayed match as one HTML page: score sheet, boards, findings, and the entries as data.

The page needs no script and no other file, and a browser that keeps to its policy loads none. What
comes from the record passes through the escaping of the template, or is drawn from numbers.
"""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from api.exchange.prose.account import Account
from api.exchange.prose.clear import clear_body, is_readable
from api.exchange.prose.drawing import STYLE, SYMBOLS, ShownCube, board_on_page
from api.exchange.prose.losses import losses_of
from api.exchange.prose.sections import (
    Aside,
    Cell,
    Ended,
    Found,
    Row,
    Section,
    board_of,
    dice_after,
    has_moved,
)
from api.exchange.writing.story import Story
from api.exchange.writing.wanted import Loss, Wanted, Writer, Written
from events.values import Seat
from projections.replay import Replay, Step
from projections.views.lines import position_id
from projections.views.transcript import won

_TEMPLATES = Path(__file__).parents[2] / "web" / "templates"

_pages = Environment(
    loader=FileSystemLoader(_TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def write(replay: Replay, wanted: Wanted) -> Written:
    """The match as a page, as corrected, and everything that the page does not hold."""
    account = Account(replay, wanted, holds_record=True)
    page = _Page(account)
    losses = account.losses.listed()
    sections = [page.section(section) for section in account.sections]
    text = _pages.get_template("export.html").render(
        account=account,
        sections=sections,
        findings=[(found, page.anchor(found.finding.version)) for found in account.found],
        losses=losses,
        # Of what is put in as it is, two are constants, and the record has no `<`, `>` or `&`.
        record=Markup(_record(account)),
        symbols=Markup(SYMBOLS),
        board_style=Markup(STYLE),
        seats=tuple(Seat),
    )
    return Written(text.encode("utf-8", "replace"), losses)


class _Page:
    """Turns an account into what the template shows; each entry gets its anchor once."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self._anchored = {1}

    def anchor(self, version: int) -> str | None:
        """Id of the element that shows an entry; None for a second element of the same one."""
        if version in self._anchored:
            return None
        self._anchored.add(version)
        return f"v{version}"

    def section(self, section: Section) -> dict[str, object]:
        """One game, or what came before the first one."""
        last, is_over = section.last_board, section.result is not None
        has_end = section.number and last is not None and last is not section.first
        return {
            "id": f"game-{section.number}" if section.number else "before",
            "anchor": self.anchor(section.first.event.version),
            "title": section.title,
            "number": section.number,
            "start": self.figure(section.first) if section.number else None,
            "end": self.figure(last) if has_end and last is not None else None,
            "is_over": is_over,
            "score": self.account.score(section.score),
            "ended": won(section.last.after.score, self.account.names) if is_over else None,
            "items": [self.item(item) for item in section.items],
        }

    def item(self, item: Row | Aside | Found | Ended) -> dict[str, object]:
        """One row of the table."""
        match item:
            case Row():
                cells = [self.cell(item.cells.get(seat)) for seat in Seat]
                return {"kind": "row", "number": item.number, "cells": cells}
            case Aside(step=step):
                board = self.figure(step) if has_moved(step) else None
                anchor = self.anchor(step.event.version)
                return {"kind": "aside", "words": item.words, "id": anchor, "board": board}
            case Found():
                return {"kind": "found", "found": item, "id": self.anchor(item.finding.version)}
            case Ended(step=step):
                return {"kind": "ended", "words": item.words, "score": item.score}

    def cell(self, cell: Cell | None) -> dict[str, object] | None:
        """One turn, with the board after it."""
        if cell is None:
            return None
        acts = [
            {"id": self.anchor(act.step.event.version), "words": act.words} for act in cell.acts
        ]
        step = cell.board_step
        time = cell.clock
        return {
            "acts": acts,
            "clock": None
            if time is None
            else {"id": self.anchor(time.step.event.version), "words": time.words},
            "is_illegal": cell.is_illegal,
            "board": None if step is None else self.figure(step),
        }

    def figure(self, step: Step) -> dict[str, object] | None:
        """The board after a step: drawn, with Position ID, cube, pip counts if they may be told."""
        board = board_of(step)
        if board is None:
            return None
        names, state = self.account.names, step.after
        cube = None
        if not state.score.is_crawford_game:
            cube = ShownCube(state.cube.value, state.cube.owner, state.cube.offered_by)
        on_roll = state.flow.on_roll
        lies = "" if state.cube.owner is None else f" with {names[state.cube.owner]}"
        svg = board_on_page(board, cube, dice_after(step), names)
        return {
            "svg": Markup(svg),  # numbers, and names that were escaped there
            "id": None if self.account.wanted.is_held_back else position_id(board, on_roll),
            "pips": None if self.account.wanted.is_held_back else board.pip_count(),
            "cube": "no cube" if cube is None else f"cube {cube.value}{lies}",
        }


def _record(account: Account) -> str:
    """The entries as JSON that can stand inside an element."""
    entries = []
    for step in account.replay.steps:
        event = step.event
        if account.losses.loss_of.get(event.tag) in ("clock", "ruling"):
            continue
        body = clear_body(event.payload) if is_readable(event.payload) else {}
        if not account.wanted.clocks:
            body.pop("at_ms", None)
            body.pop("readings", None)
        entries.append(
            {
                "version": event.version,
                "entry_id": event.entry_id,
                "tag": event.tag,
                "basis": event.basis.value,
                "body": body,
            }
        )
    text = json.dumps(entries, separators=(",", ":"))
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _not_held(story: Story, wanted: Wanted) -> tuple[Loss, ...]:
    return losses_of(story.replay, wanted, holds_record=True).listed()


WRITER = Writer(
    name="html",
    title="for people: one page with boards, rulings and findings, which needs nothing else",
    media_type="text/html; charset=utf-8",
    write=write,
    losses=_not_held,
)
"""The format as the doors know it."""
