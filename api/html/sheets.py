"""The score sheet of a match's page: games with rows of acts, each linked to its version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from api.exchange.prose.account import Account
from api.exchange.prose.sections import Aside, Cell, Ended, Found, Row, Section
from api.exchange.prose.wording import clock_lines, reserves, shown
from api.html.entry_words import points, sentence, short, told, word
from api.html.moments import scene_of
from api.html.templates import Values
from api.html.texts import LANGUAGES, Texts
from events.payloads import clock, dispute
from events.payloads.base import WinKind
from events.values import BySeat, Seat
from projections.facts.games import EndedBy
from projections.folding.sayings import filled
from projections.replay import Replay, Step
from projections.views.freezing import spoken_of
from projections.views.notices import calls_of
from projections.views.transcript import asides

_NOTATION = re.compile(r"(?:bar|off|[\d/*():\s-])+")
"""Tags whose transcript lines are the same in every language: rolls, plays, times."""

_IN_CODES = dispute.DisputeRaised | dispute.RulingMade
"""Tags that the replay's sentence describes better, with the entry that they are about."""

_AT_A_CLOCK = (
    clock.ClockPressed
    | clock.ClockPaused
    | clock.ClockResumed
    | clock.ClockFaultNoticed
    | clock.ClockAdjusted
)
"""Tags shown together with the times on the clock."""


def sheet_of(account: Account, texts: Texts) -> list[Values]:
    """The sections of a match, the game in progress last."""
    sheet = _Sheet(_names(account), texts, account.replay)
    return [sheet.section(section) for section in account.sections]


class _Sheet:
    """Turns an account into the template's data; each entry gets one anchor."""

    def __init__(self, names: Mapping[str, str], texts: Texts, shown: Replay) -> None:
        self._calls = calls_of(shown)
        self._about = spoken_of(shown)
        self._names = names
        self._texts = texts
        self._by_seat = BySeat(names["one"], names["two"])
        self._is_transcript = texts.language == LANGUAGES[0]
        """Whether the transcript's words are in the reader's language."""
        self._anchored: set[int] = set()

    def section(self, section: Section) -> Values:
        """A game, or the entries before the first game."""
        return {
            "id": f"game-{section.number}",
            "number": section.number,
            "is_crawford": section.is_crawford,
            "score": section.score,
            "rows": [row for item in section.items if (row := self.item(item)) is not None],
        }

    def item(self, item: Row | Aside | Found | Ended) -> Values | None:
        """A row of the table; None for further lines of an entry that one sentence describes."""
        match item:
            case Row():
                cells = [self.cell(item.cells.get(seat)) for seat in Seat]
                return {"kind": "row", "number": item.number, "cells": cells}
            case Aside(step=step):
                is_told = self._is_transcript and self.is_told(step)
                if not is_told and step.event.version in self._anchored:
                    return None
                words = item.words if is_told else self.sentence(step)
                return {"kind": "aside", **self.act(step, words), "score": None}
            case Found():
                return {"kind": "found", **found_of(item, self._names, self._texts)}
            case Ended(step=step):
                words = self.won(step)
                return {"kind": "ended", **self.act(step, words), "score": item.score}

    def is_told(self, step: Step) -> bool:
        """Whether the transcript has words for an entry that every reader may see."""
        if isinstance(step.event.payload, _IN_CODES):
            return False
        return [*clock_lines(step, self._by_seat), *asides(step, self._by_seat)] != []

    def sentence(self, step: Step) -> str:
        """An entry in the replay's words, with the clock's times if it is about the clock."""
        words = told(self._texts, scene_of(step, self._calls, self._about), self._names)
        if not isinstance(step.event.payload, _AT_A_CLOCK):
            return words
        unknown = self._texts("replay.unknown_time")
        return f"{words} ({reserves(step, self._by_seat, unknown=unknown)})"

    def in_short(self, step: Step, words: str) -> str:
        """An act in its player's column, in these words of the transcript."""
        if self._is_transcript or _NOTATION.fullmatch(words):
            return words
        return short(self._texts, scene_of(step, self._calls, self._about), self._names)

    def won(self, step: Step) -> str:
        """The result of the game that has just ended, and whether it ends the match."""
        score, texts = step.after.score, self._texts
        game = score.games[-1]
        values = {"name": self._by_seat[game.winner], "points": points(texts, game.points)}
        if game.kind not in (None, WinKind.SINGLE):
            values["kind"] = word(texts, str(game.kind))
        if score.winner is game.winner:
            values["match"] = texts("public.won_match")
        if game.ended_by is not EndedBy.BOARD:
            values["how"] = texts(f"public.ended_by_{game.ended_by}")
        return filled(texts("public.won_game"), values)

    def cell(self, cell: Cell | None) -> Values | None:
        """One turn."""
        if cell is None:
            return None
        time = cell.clock
        return {
            "acts": [self.act(act.step, self.in_short(act.step, act.words)) for act in cell.acts],
            "version": cell.acts[-1].step.event.version,
            "is_illegal": cell.is_illegal,
            "clock": None if time is None else self.in_short(time.step, time.words),
        }

    def act(self, step: Step, words: str) -> Values:
        """An act, with the version that it links to."""
        version = step.event.version
        is_first = version not in self._anchored
        self._anchored.add(version)
        return {"version": version, "id": f"v{version}" if is_first else None, "words": words}


def found_of(found: Found, names: Mapping[str, str], texts: Texts) -> Values:
    """A finding in words, with the section that it cites."""
    return {
        "version": found.finding.version,
        "words": shown(sentence(texts, found.finding.said.as_json(), names)),
        "citation": found.citation,
        "caption": found.caption and texts.caption(found.caption),
        "question": _question(found, texts),
        "answered_by": found.finding.answered_by,
        "rests": found.rests,
        "is_irregular": found.is_irregular,
    }


def _question(found: Found, texts: Texts) -> str | None:
    """What a person has to decide, and whether a ruling has; None = nothing."""
    finding, asked = found.finding, found.finding.ruling_required
    if asked is None:
        return None
    if finding.answered_by is not None:
        return texts("public.ruled_at", version=finding.answered_by)
    if found.left_at is not None:
        return texts("public.left_at", version=found.left_at)
    if found.rests:
        return texts("public.question_rests")
    if not asked.readings:
        return texts("public.ruling_needed")
    readings = " / ".join(word(texts, one) for one in asked.readings)
    return texts("public.ruling_needed_of", readings=readings)


def findings_of(account: Account, texts: Texts) -> Iterator[Values]:
    """The findings of a match, in order of version."""
    names = _names(account)
    return (found_of(found, names, texts) for found in account.found)


def _names(account: Account) -> dict[str, str]:
    return {seat.value: account.names[seat] for seat in Seat}
