"""The score sheet of a match's page: games of rows, each act with the version that it leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from api.exchange.account import Account, Aside, Cell, Ended, Found, Row, Section
from api.exchange.wording import clock_words
from api.pages.entry_words import seats_named, told
from api.pages.texts import LANGUAGES, texts_of
from events.values import BySeat, Seat
from projections.replay import Step
from projections.scenes import act_line
from projections.transcript import asides


def sheet_of(account: Account) -> list[dict[str, Any]]:
    """Every section of a match, the game that goes on last."""
    sheet = _Sheet(_names(account))
    return [sheet.section(section) for section in account.sections]


class _Sheet:
    """Turns an account into what the template shows; each entry gets its anchor once."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._by_seat = BySeat(names["one"], names["two"])
        self._anchored: set[int] = set()

    def section(self, section: Section) -> dict[str, Any]:
        """One game, or what came before the first one."""
        return {
            "id": f"game-{section.number}",
            "number": section.number,
            "is_crawford": section.is_crawford,
            "score": section.score,
            "rows": [self.item(item) for item in section.items],
        }

    def item(self, item: Row | Aside | Found | Ended) -> dict[str, Any]:
        """One row of the table."""
        match item:
            case Row():
                cells = [self.cell(item.cells.get(seat)) for seat in Seat]
                return {"kind": "row", "number": item.number, "cells": cells}
            case Aside(step=step):
                words = item.words if self.is_told(step) else self.sentence(step)
                return {"kind": "aside", **self.act(step, words), "score": None}
            case Found():
                return {"kind": "found", **found_of(item, self._names)}
            case Ended(step=step):
                return {"kind": "ended", **self.act(step, item.words), "score": item.score}

    def is_told(self, step: Step) -> bool:
        """Whether the transcript has words of its own for an entry."""
        return [*clock_words(step, self._by_seat), *asides(step, self._by_seat)] != []

    def sentence(self, step: Step) -> str:
        """An entry in the words of the replay, in the language of the transcript."""
        scene = {"tag": step.event.tag, **act_line(step)}
        return told(texts_of(LANGUAGES[0]), scene, self._names)

    def cell(self, cell: Cell | None) -> dict[str, Any] | None:
        """One turn."""
        if cell is None:
            return None
        return {
            "acts": [self.act(act.step, act.words) for act in cell.acts],
            "version": cell.acts[-1].step.event.version,
            "is_illegal": cell.is_illegal,
            "clock": None if cell.clock is None else cell.clock.words,
        }

    def act(self, step: Step, words: str) -> dict[str, Any]:
        """What was done, with the version that it leads to."""
        version = step.event.version
        is_first = version not in self._anchored
        self._anchored.add(version)
        return {"version": version, "id": f"v{version}" if is_first else None, "words": words}


def found_of(found: Found, names: Mapping[str, str]) -> dict[str, Any]:
    """A finding, with the section that it cites."""
    return {
        "version": found.finding.version,
        "words": seats_named(found.words, names),
        "citation": found.citation,
        "caption": found.caption,
        "question": found.question,
        "answered_by": found.finding.answered_by,
        "is_irregular": found.is_irregular,
    }


def findings_of(account: Account) -> Iterator[dict[str, Any]]:
    """Every finding of a match, in order of version."""
    names = _names(account)
    return (found_of(found, names) for found in account.found)


def _names(account: Account) -> dict[str, str]:
    return {seat.value: account.names[seat] for seat in Seat}
