"""What all public pages of a match share: may it be seen, who plays, which moment is shown."""

from __future__ import annotations

import asyncio
from typing import Final, NamedTuple

import msgspec
from fastapi import Request

from api.archive.index.rows import PLAIN_WINS, row_of
from api.archive.tournaments import title_of
from api.archive.words import NOTHING, words_line, words_lines
from api.html.assets import assets
from api.html.kept import HERE
from api.html.moments import Moment, Ways, moment_of, ways_of
from api.html.refusals import is_for_people
from api.html.templates import HEADERS
from api.html.texts import Texts, language_of, texts_of
from api.refusals import Problem
from api.routes.shared.door import Door, Sight, Visitor, door_of, sight_etag, sight_of
from api.routes.shared.freshness import VARY
from api.routes.shared.reach import origin_of_hall
from api.routes.shared.shown import replay_of
from api.routes.shared.summaries import summaries
from api.shapes.matches import MatchSummary
from events.errors import NoSuchLog, NoSuchStream
from events.values import BySeat
from projections.replay import Replay
from projections.views.discretion import Discretion, discretion
from projections.views.lines import Line

_REFUSED = ("not-authenticated", "not-permitted")

SILENT: Final[Line] = words_line(NOTHING, "", "")
"""The fields of an entry that contain no words."""


class Seen(NamedTuple):
    """A match as its visitor may see it, at the moment that the address names."""

    sight: Sight
    whole: Replay
    """The match as far as it may be seen."""
    at: Replay
    """The same up to the requested moment."""
    asked: int | None
    """The requested version; None = the last one."""
    summary: MatchSummary
    """Its row in lists."""
    names: BySeat[str]
    """The players' names as shown here."""
    title: str
    """The tournament's name."""
    origin: str
    """Scheme and host, for absolute addresses."""
    t: Texts
    """The visitor's language."""

    @property
    def told(self) -> Discretion:
        """How much of the match the visitor is shown during play."""
        return discretion(self.whole, is_trusted=self.sight.is_trusted)

    @property
    def tells_pips(self) -> bool:
        """Whether the visitor is told the pip counts of the moment."""
        return self.told.tells(self.at.version)

    @property
    def path(self) -> str:
        """The match's page."""
        return f"/matches/{self.sight.log_id}/{self.sight.match_id}"

    @property
    def url(self) -> str:
        """The same for other sites."""
        return self.origin + self.path

    @property
    def moment(self) -> Moment:
        """The moment in words, numbers and ids."""
        return moment_of(self.at, self.names, self.t)

    @property
    def ways(self) -> Ways:
        """The stops around it."""
        return ways_of(self.whole, self.at.version)

    @property
    def to_keep(self) -> Seen:
        """The same for a page that is kept: `HERE` stands for the address it is asked for by."""
        return self._replace(origin=HERE)

    def etag(self, *parts: object) -> str:
        """The ETag of an answer about it, which does not say by which address it was asked for."""
        told = msgspec.json.encode([self.summary, *self.names, self.title])
        place = (self.asked, self.at.version, self.t.language, assets().digest)
        return sight_etag(self.sight, *parts, *place, told)

    def image_etag(self, kind: str) -> str:
        """The ETag of a picture of it, of whichever address as well."""
        told = msgspec.json.encode([self.summary, *self.names, self.title])
        place = (self.asked is None, self.at.version, self.t.language, assets().digest)
        return sight_etag(self.sight, kind, *place, told)

    def headers(self, **more: str) -> dict[str, str]:
        """Headers of a page about it."""
        scope = "private" if self.sight.visitor.token_sha256 else "public"
        return {**HEADERS, "Cache-Control": f"{scope}, no-cache", "Vary": VARYING, **more}

    def image_headers(self) -> dict[str, str]:
        """Headers of a picture of it."""
        scope = "private" if self.sight.visitor.token_sha256 else "public"
        return {
            "Cache-Control": f"{scope}, no-cache",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
            "Vary": VARYING,
            "X-Content-Type-Options": "nosniff",
        }


VARYING = f"{VARY}, Accept, Accept-Encoding, Accept-Language"


async def page_sight(
    request: Request, log: str, match: str, visitor: Visitor | None = None
) -> Sight:
    """What a page may show of a match. Errors: Problem, which says so if it is frozen."""
    door = door_of(request)
    try:
        return await sight_of(request, log, match, visitor)
    except Problem as problem:
        if problem.slug in _REFUSED and await asyncio.to_thread(_is_frozen, door, log, match):
            frozen = "an appeal on this match is open: it is shown again when that is decided"
            needs = "director of the match"
            raise Problem("not-permitted", frozen, needs=needs, reason="appeal") from None
        raise
    except (NoSuchLog, NoSuchStream):
        if is_for_people(request):
            raise Problem("no-such-match", "there is no such match") from None
        raise


def summary_of(door: Door, sight: Sight, shown: Replay) -> MatchSummary:
    """What lists show of the match, to who sees it so. Reads the store."""
    opened_at = sight.live.recorded[0].global_position
    row = row_of(sight.log_id, sight.match_id, opened_at, shown, sight.publicity, reach=sight.reach)
    [summary] = summaries(door, sight.visitor, [row])
    return summary


async def seen_of(
    request: Request,
    log: str,
    match: str,
    at: int | None = None,
    visitor: Visitor | None = None,
) -> Seen:
    """The match, as its visitor may see it; `visitor` as in `sight_of`. Errors: Problem."""
    door = door_of(request)
    sight = await page_sight(request, log, match, visitor)
    whole = await replay_of(request, sight, at=None)
    shown = whole if at is None else await replay_of(request, sight, at=at)
    summary = await asyncio.to_thread(summary_of, door, sight, whole)
    t = texts_of(language_of(request))
    title = await asyncio.to_thread(title_in, door, log)
    return Seen(
        sight, whole, shown, at, summary, names_of(summary, t), title, origin_of(request), t
    )


def _is_frozen(door: Door, log: str, match: str) -> bool:
    publicity = door.reading.live(log, match).publicity
    return publicity.is_released and bool(publicity.appeals)


def names_of(summary: MatchSummary, t: Texts) -> BySeat[str]:
    """What the players of a row are called: by their names where those are shown."""
    return BySeat(
        " / ".join(summary.players.one) or t("common.player_one"),
        " / ".join(summary.players.two) or t("common.player_two"),
    )


def state_words(summary: MatchSummary, names: BySeat[str], t: Texts) -> str:
    """How far a match is, in a word or two."""
    if summary.awaits_ruling:
        return t("public.awaits_ruling")
    if summary.winner is not None:
        name = names[summary.winner]
        if summary.won_by in PLAIN_WINS:
            return t("public.state_won", name=name)
        return t(f"public.won_by_{summary.won_by}", name=name)
    if summary.state != "ended" and summary.source is not None:
        return t("public.unfinished")
    return t(f"public.state_{summary.state}")


def length_words(summary: MatchSummary, t: Texts) -> str:
    """What a match is played to; nothing where nothing of it may be seen yet, nor that."""
    if summary.length is None:
        return t("public.in_money") if summary.version else ""
    return t("public.in_length", length=summary.length)


async def words_in(request: Request, sight: Sight, shown: Replay) -> dict[int, Line]:
    """Version to what was said in it, to this visitor.

    An erased word is gone with its disclosure, and nothing is appended to the match for it: what is
    made of this has it in its ETag.
    """
    door = door_of(request)
    return await asyncio.to_thread(
        words_lines,
        door.reading,
        sight.log_id,
        sight.match_id,
        shown,
        sight.showing,
        files=door.files,
    )


def page_headers(visitor: Visitor) -> dict[str, str]:
    """Headers of a page that lists what its visitor may see."""
    scope = "private" if visitor.token_sha256 else "public"
    return {
        **HEADERS,
        "Cache-Control": f"{scope}, no-cache",
        "Vary": f"{VARY}, Accept-Language",
    }


async def public_door(request: Request, log_id: str) -> Door:
    """The door, where the public may know of the log's tournament. Errors: Problem."""
    door = door_of(request)
    await asyncio.to_thread(door.index.catch_up, [log_id])
    if not await asyncio.to_thread(door.index.has_public, log_id):
        raise Problem("no-such-log", "no public match is in a tournament of this id")
    return door


def title_in(door: Door, log_id: str) -> str:
    """What a tournament is called, by the index, which need not be up to date for that."""
    known = door.index.log(log_id)
    if known is not None and known.title is not None:
        return known.title
    return title_of(door.reading, log_id) or log_id


def origin_of(request: Request) -> str:
    """Scheme and host for addresses that are handed on: others must reach them as well."""
    return origin_of_hall(door_of(request), request)
