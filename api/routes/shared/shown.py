"""A match as a view shows it: up to which version, under which rules, and how much of it."""

from __future__ import annotations

import asyncio
from typing import Annotated, NamedTuple

from fastapi import Depends, Query, Request, Response

from api.packs.redaction import nameless
from api.refusals import Problem
from api.routes.shared.door import LogId, MatchId, Sight, door_of, sight_etag, sight_of, view_answer
from api.routes.shared.problems import check_rule_set
from api.shapes import matches as shapes
from projections.replay import Replay
from projections.views.ballots import veiled
from projections.views.discretion import EVERYTHING, Discretion, discretion
from projections.views.lines import Line, question_lines

At = Annotated[
    int | None,
    Query(ge=0, description="Show the match after this version; left out: now.", examples=[3]),
]
RuleSet = Annotated[
    str | None,
    Query(
        alias="rules",
        description="Judge by this rule set, and not by the one pinned.",
        examples=["common"],
    ),
]
AsRecorded = Annotated[
    bool,
    Query(description="Leave the scribe's corrections unapplied.", examples=[False]),
]


class Asked(NamedTuple):
    """What a view is asked for."""

    at: int | None = None
    """The version; None = now."""
    rule_set: str | None = None
    """The rule set; None = the pinned one."""
    as_recorded: bool = False
    """Whether corrections are ignored."""


class Head(NamedTuple):
    """What every view says first: the members of the shape `View`, in its order."""

    log_id: str
    match_id: str
    version: int
    rule_set: str
    as_recorded: bool
    held_back: str | None
    awaits_ruling: bool


class View(NamedTuple):
    """A match as it is asked for."""

    request: Request
    sight: Sight
    shown: Replay
    """At most what the visitor may see."""
    told: Discretion
    """How much of it the visitor may see during play."""
    asked: Asked

    @property
    def head(self) -> Head:
        """What every view says first."""
        return Head(
            log_id=self.sight.log_id,
            match_id=self.sight.match_id,
            version=self.shown.version,
            rule_set=self.shown.rules.profile.id,
            as_recorded=self.shown.is_as_recorded,
            held_back=self.told.held_back,
            awaits_ruling=self.sight.awaits_ruling,
        )

    @property
    def questions(self) -> list[Line]:
        """The questions that the visitor is told of."""
        return [line for line in question_lines(self.shown) if self.told.tells(line["version"])]

    def etag(self, *parts: object) -> str:
        """The ETag of an answer of this kind about it."""
        return sight_etag(self.sight, *parts, self.shown.version, *self.asked)

    def answer(self, kind: str, value: shapes.View | Line, *parts: object) -> Response:
        """A view, lines of the folds with the head before them; 304 where the visitor has it."""
        if not isinstance(value, shapes.View):
            value = {**self.head._asdict(), **value}
        etag = self.etag(kind, *parts)
        return view_answer(self.request, self.sight, value, etag=etag)


async def corrected(
    request: Request, log: LogId, match: MatchId, at: At = None, rules: RuleSet = None
) -> View:
    """The match with every correction applied. Errors: NoSuchLog, NoSuchStream, Problem."""
    return await view_of(request, log, match, Asked(at, rules))


async def as_asked(
    request: Request,
    log: LogId,
    match: MatchId,
    at: At = None,
    rules: RuleSet = None,
    as_recorded: AsRecorded = False,
) -> View:
    """The match with its corrections, or without. Errors: NoSuchLog, NoSuchStream, Problem."""
    return await view_of(request, log, match, Asked(at, rules, as_recorded))


async def whole_as_asked(
    request: Request,
    log: LogId,
    match: MatchId,
    rules: RuleSet = None,
    as_recorded: AsRecorded = False,
) -> View:
    """The same, always all of the match. Errors: NoSuchLog, NoSuchStream, Problem."""
    return await view_of(request, log, match, Asked(None, rules, as_recorded))


Corrected = Annotated[View, Depends(corrected)]
AsAsked = Annotated[View, Depends(as_asked)]
WholeAsAsked = Annotated[View, Depends(whole_as_asked)]


async def view_of(request: Request, log_id: str, match_id: str, asked: Asked) -> View:
    """A match as it is asked for. Errors: NoSuchLog, NoSuchStream, Problem."""
    sight = await sight_of(request, log_id, match_id)
    at, rule_set, as_recorded = asked
    shown = await replay_of(request, sight, at=at, rule_set=rule_set, as_recorded=as_recorded)
    if asked == Asked():
        told = discretion(shown, is_trusted=sight.is_trusted)
    else:
        told = await discretion_of(request, sight)
    return View(request, sight, shown, told, asked)


async def discretion_of(request: Request, sight: Sight) -> Discretion:
    """How much of a match a visitor is shown, as it stands for that visitor."""
    if sight.is_trusted:
        return EVERYTHING
    return discretion(await replay_of(request, sight, at=None), is_trusted=False)


async def replay_of(
    request: Request,
    sight: Sight,
    *,
    at: int | None,
    rule_set: str | None = None,
    as_recorded: bool = False,
) -> Replay:
    """The replay that is asked for, never beyond what the visitor may see."""
    shown = await _replay_of(request, sight, at=at, rule_set=rule_set, as_recorded=as_recorded)
    if sight.showing.hides_players:
        shown = await asyncio.to_thread(nameless, shown, sight.showing.marks)
    return veiled(shown) if sight.showing.hides_ballots else shown


def no_such_version(match_id: str, version: int) -> Problem:
    """What is asked for is behind the version at which a match is."""
    detail = f"match {match_id} is at version {version}"
    return Problem("no-such-version", detail, current_version=version)


async def _replay_of(
    request: Request, sight: Sight, *, at: int | None, rule_set: str | None, as_recorded: bool
) -> Replay:
    check_rule_set(rule_set, "query.rules")
    if at is not None and at > sight.version:
        raise no_such_version(sight.match_id, sight.version)
    version = sight.version if at is None else at
    shown = sight.live.replay
    if rule_set is None and not as_recorded:
        if version == shown.version:
            return shown
        if not shown.recorded:
            return shown.at(version)
    # This folds the whole match, so it runs in a thread.
    return await asyncio.to_thread(
        door_of(request).reading.replay,
        sight.log_id,
        sight.match_id,
        at=version,
        rule_set=rule_set,
        as_recorded=as_recorded,
    )
