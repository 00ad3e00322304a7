"""Precedents for one visitor: decisions in the matches that may be read, with names where allowed.

Each match is seen by `sight`, as on its own page: the delay, a dispute, an appeal, a withdrawal and
a committee's rule set apply here too. Of a game in play, nothing is shown that its page holds back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

import msgspec
from fastapi import Request

from api.archive.index.rows import MatchRow, row_of
from api.archive.openings import knows_players, opening_values
from api.archive.words import words_lines
from api.packs.redaction import nameless
from api.refusals import Problem
from api.routes.shared.door import Door, Sight, Visitor, door_of, sight, visitor_of
from api.routes.shared.problems import check_rule_set
from api.routes.shared.shown import replay_of
from api.routes.shared.summaries import summaries
from api.shapes.matches import MatchSummary
from events.errors import NoSuchLog, NoSuchStream
from projections.replay import Replay
from projections.rules.texts.common import COMMON
from projections.views.discretion import discretion
from projections.views.lines import Line
from projections.views.precedents import (
    Decision,
    Fate,
    Precedent,
    Unnamed,
    precedents_of,
    why_unnamed,
)
from projections.views.showing import ANYTHING, Why, is_telling, marks_of

LOOKED_AT = 200
"""Most matches that one page replays; if they do not fill it, the cursor continues."""

Key = tuple[int, int, str]
"""Place of a match in the list: own log or not, its sort key there, and a word that distinguishes
it. Never its id: a cursor would lead to a match in which nobody may be named."""


class Wanted(NamedTuple):
    """What a precedent has to be about; None = anything will do."""

    rule_set: str | None = None
    section: str | None = None
    subject: str | None = None
    """A topic, or its noun alone: `dice` finds `dice.validity`."""
    outcome: Fate | None = None

    def may_fit(self, row: MatchRow, decision: Decision) -> bool:
        """Whether a decision, by what the index knows of it, is about what was asked for."""
        rule_sets = {row.rule_set or COMMON.id, *(one for one, _ in decision.sections)}
        sections = {_plain(section) for _, section in decision.sections}
        return (
            (self.rule_set is None or self.rule_set in rule_sets)
            and (self.section is None or any(_plain(self.section) in one for one in sections))
            and (
                self.subject is None
                or any(
                    one == self.subject or one.startswith(f"{self.subject}.")
                    for one in decision.subjects
                )
            )
        )


class Found(NamedTuple):
    """One precedent as its reader may see it."""

    precedent: Precedent
    summary: MatchSummary
    shown: Replay
    """The match, as far as the reader may see it."""
    unnamed: Unnamed | None
    """Why it names nobody; None = it names the players."""
    leads_on: bool
    """Whether its match, which shows who plays, may be linked beside it."""
    words: Mapping[int, Line]
    """What was said in the entries that belong to it."""


def _plain(section: str) -> str:
    """A section as people type it, without brackets and spaces."""
    return "".join(mark for mark in section.casefold() if mark.isalnum() or mark in ".-")


async def precedents_for(
    request: Request, wanted: Wanted, *, after: Key | None, limit: int
) -> tuple[list[Found], Key | None]:
    """One page, matches of one's own logs first, then the newest; where the next one begins.

    A page ends with a match, so it may be a little longer than `limit`. Errors: Problem.
    """
    check_rule_set(wanted.rule_set, "query.rule_set")
    door = door_of(request)
    visitors = _Visitors(door, request)
    await asyncio.to_thread(door.index.catch_up)
    own = await visitors.own()
    rows = await asyncio.to_thread(_candidates, door, own, wanted)
    rows = [(key, row) for key, row in rows if after is None or key < after]
    found: list[Found] = []
    for place, (_, row) in enumerate(rows):
        if len(found) >= limit or place == LOOKED_AT:
            return found, rows[place - 1][0]
        found += await _of_match(request, await visitors.of(row.log_id), row, wanted)
    return found, None


def _candidates(door: Door, own: frozenset[str], wanted: Wanted) -> list[tuple[Key, MatchRow]]:
    """Matches that may contain what is searched, in the order of the list. Reads the index."""
    rows = [row for row in door.index.decided.rows(own) if _decides(row, wanted)]
    keyed = []
    for row in rows:
        mark = door.index.players.hash_of(f"{row.log_id} {row.stream_id}").hex()
        if row.log_id in own:
            keyed.append(((1, row.opened_at, mark), row))
        else:
            # What the public may not know yet must not affect the order.
            keyed.append(((0, row.news_ms, mark), row))
    return sorted(keyed, key=lambda one: one[0], reverse=True)


def _decides(row: MatchRow, wanted: Wanted) -> bool:
    decisions = msgspec.json.decode(row.decisions, type=tuple[Decision, ...])
    return any(wanted.may_fit(row, one) for one in decisions)


class _Visitors:
    """The visitor, with the grants of each log."""

    def __init__(self, door: Door, request: Request) -> None:
        self._door = door
        self._request = request
        self._known: dict[str, Visitor] = {}

    async def own(self) -> frozenset[str]:
        """Logs over which the visitor has a grant of any kind."""
        visitor = await visitor_of(self._door, self._request, None)
        if visitor.token_sha256 is None:
            return frozenset()
        return await asyncio.to_thread(self._own, visitor.token_sha256)

    def _own(self, token: str) -> frozenset[str]:
        logs = (head.log_id for head in self._door.archive.store.logs())
        return frozenset(log for log in logs if self._door.reading.grants(log, token))

    async def of(self, log_id: str) -> Visitor:
        """The visitor with the grants of a log."""
        if log_id not in self._known:
            self._known[log_id] = await visitor_of(self._door, self._request, log_id)
        return self._known[log_id]


async def _of_match(
    request: Request, visitor: Visitor, row: MatchRow, wanted: Wanted
) -> list[Found]:
    """The precedents of one match that its visitor may read, the newest first."""
    door, key = door_of(request), (row.log_id, row.stream_id)
    try:
        live = await asyncio.to_thread(door.reading.once, *key)
        seen = await sight(door, visitor, *key, live=live)
    except (Problem, NoSuchLog, NoSuchStream):
        return []
    shown = await replay_of(request, seen, at=None)
    told = discretion(shown, is_trusted=seen.is_trusted)
    fitting = [
        one
        for one in precedents_of(shown)
        if told.tells(one.decision.version)
        and wanted.may_fit(row, one.decision)
        and wanted.outcome in (None, one.fate)
    ]
    if not fitting:
        return []
    listed = row_of(*key, row.opened_at, shown, seen.publicity, reach=seen.reach)
    [summary] = await asyncio.to_thread(summaries, door, visitor, [listed])
    unnamed = why_unnamed(shown)
    words = await asyncio.to_thread(_words, door, seen, shown, unnamed)
    leads_on = unnamed is None or seen.is_trusted
    if unnamed is not None:
        shown = await asyncio.to_thread(_untold, door, seen, shown)
        told_so = {one.decision.version: one for one in precedents_of(shown)}
        versions = [one.decision.version for one in fitting]
        fitting = [told_so[version] for version in versions if version in told_so]
    return [Found(one, summary, shown, unnamed, leads_on, words) for one in reversed(fitting)]


def _untold(door: Door, seen: Sight, shown: Replay) -> Replay:
    """The match without the players' names that somebody typed into other fields."""
    marks = marks_of(opening_values(door.reading, seen.log_id, seen.live))
    knows = knows_players(door.reading, seen.log_id, seen.live)
    return nameless(shown, marks if knows else marks | {ANYTHING})


def _words(door: Door, seen: Sight, shown: Replay, unnamed: Unnamed | None) -> Mapping[int, Line]:
    """What was said, for this visitor; without what shows who plays if nobody may be named."""
    log_id, match_id = seen.log_id, seen.match_id
    lines = words_lines(door.reading, log_id, match_id, shown, seen.showing, files=door.files)
    if unnamed is None:
        return lines
    marks = marks_of(opening_values(door.reading, log_id, seen.live))
    knows = knows_players(door.reading, log_id, seen.live)
    return {
        version: {
            **line,
            "words": [_silenced(word, marks, knows=knows) for word in line["words"]],
            # Its scribe, or somebody in a photo, may show that too.
            "recorder": None,
            "file": None,
        }
        for version, line in lines.items()
    }


def _silenced(word: Line, marks: frozenset[str], *, knows: bool) -> Line:
    if word["text"] is None or (knows and not is_telling(word["text"], marks)):
        return word
    return {**word, "text": None, "withheld": Why.NAMES_SOMEBODY if knows else Why.UNCHECKED}
