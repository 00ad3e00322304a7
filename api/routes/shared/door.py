"""What all routes share: who sends a request, what they may see, and how answers are written."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple

import msgspec
import orjson
from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from api.analysis.results import Results, results_file
from api.archive.archive import Archive, token_hash
from api.archive.files import FileStore, folder_of
from api.archive.following import Hub
from api.archive.index.index import MatchIndex
from api.archive.joined import SamePlayers
from api.archive.known import known_publicity, received_by
from api.archive.noticing import Noticing
from api.archive.publicity import Publicity
from api.archive.reading import Live
from api.archive.rule_texts import texts_of
from api.archive.trees import Trees
from api.desk.ballot_box import BallotBox, ballots_folder
from api.desk.cases import committee_showing
from api.desk.desk import Desk
from api.desk.embargo import embargo, is_embargoed
from api.desk.hand import Hand, hand_of
from api.desk.intake import Ingest
from api.desk.invitations import Invitations, Uses
from api.desk.leases import Leasing
from api.desk.pairing import Pairings
from api.desk.parked import Branches
from api.desk.room_lines import Rooms, Signs
from api.evidence.stamps import Stamper, authority_of
from api.evidence.witnesses import Collector, policy_of
from api.exchange.sealed.jsonl import NDJSON
from api.hall.authority import Trust
from api.hall.lanes import Lane, take
from api.hall.places import Refusals
from api.hall.turns import Turns
from api.html.kept import is_known
from api.html.painting import png
from api.refusals import Problem
from api.rounds.rosters import Rosters
from api.routes.shared.attempts import Attempts
from api.routes.shared.cookie import check_csrf, session_token
from api.routes.shared.freshness import VARY, cache_headers, etag_of
from api.routes.shared.sessions import Sessions, sessions_file
from api.routes.shared.soundness import Soundness
from api.routes.shared.watching import Figures
from api.search.positions import Looks
from api.settings import Settings
from api.shapes.shape import Shape
from events.envelope import TOURNAMENT_STREAM
from projections.custody.access import Access
from projections.rules.sentences import mark_of
from projections.views.discretion import rules_on
from projections.views.showing import (
    People,
    Reader,
    Showing,
    reader_of,
    showing,
    showing_of_log,
)

LogId = Annotated[str, Path(description="Id of the log.", examples=["nordic-open-2026"])]
MatchId = Annotated[str, Path(description="Id of the match: its stream.", examples=["r3-t07-9c41"])]
AN_ID = r"^([a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?)?$"
"""Pattern of a log's or match's id in a query; an empty one names none."""

NO_STORE = {"Cache-Control": "no-store"}
"""Headers of an answer that nobody may keep."""


class Door:
    """The open archive as the routes see it; one for each app."""

    def __init__(
        self,
        archive: Archive,
        settings: Settings,
        index: MatchIndex,
        *,
        hall: str | None = None,
        trust: Trust | None = None,
    ) -> None:
        self.archive = archive
        self.hall = hall
        """Address at which other machines of the network reach it; None if that is not known."""
        self.trust = trust
        """How they come to trust its certificate; None if it uses plain http only."""
        self.settings = settings
        self.index = index
        index.before = lambda delay_ms: archive.lateness.before(delay_ms)
        self.reading = archive.reading
        self.desk = Desk(archive, max_batch=settings.max_batch)
        self.hub = Hub(archive, poll_ms=settings.poll_ms)
        self.most_followers = sys.maxsize
        """How many spectators may follow, so that places are left for tablets and directors."""
        self.refusals = Refusals()
        """Logs refused connections, without repetitions."""
        self.streams = 0
        """How many exports of whole logs are being sent."""
        self.sessions = Sessions(
            sessions_file(archive.url, settings.sessions),
            archive.now_ms,
            archive.steps(),
            hours=settings.session_hours,
        )
        """Browsers that have signed in."""
        self.hub.lasts = lambda session: self.sessions.token_of(session) is not None
        self.looking_at_access: Turns[list[Access]] = Turns()
        """Shared reads of grants, for the case that another server has changed them."""
        self.attempts = Attempts()
        """Wrong tokens and codes, counted by sender."""
        self.pairings = Pairings(archive.now_ms, archive.entropy, archive.steps())
        """Devices that are being paired."""
        self.invitations = Invitations(archive.now_ms, archive.entropy, archive.steps())
        """One-time codes for roles."""
        folder = folder_of(archive.url, settings.files)
        self.box = BallotBox(ballots_folder(folder))
        """The contents of closed ballots, until the whole committee has voted."""
        self.readers: dict[tuple[str, str], tuple[int, int | None]] = {}
        """Grant and case to when its holder last read it and, for a member, up to what version."""
        self.at_case = asyncio.Lock()
        """Held while a ballot is taken or an opening recorded, so that the next sees this one."""
        self.uses = Uses(archive.now_ms)
        """When each token was last used."""
        self.leasing = Leasing(archive.reading)
        """Devices and leases of each log."""
        self.rosters = Rosters(archive.reading)
        """Players and byes of each log."""
        self.same = SamePlayers(archive.reading)
        """Which names belong to one player."""
        self.at_players = asyncio.Lock()
        """Held while a round is opened, a name is corrected or attendance is recorded."""
        self.ingest = Ingest(archive, self.desk, self.leasing)
        """Takes in the drafts that devices submit."""
        self.branches = Branches(archive, self.desk, self.leasing)
        """Resolves drafts that are parked."""
        self.policy = policy_of(settings)
        """The witnesses of the logs, and how many of them must sign."""
        self.collector = Collector(archive, self.policy)
        """Collects their signatures."""
        self.stamper = Stamper(archive, authority_of(settings), every_s=settings.tsa_minutes * 60)
        """Has checkpoints time-stamped by an authority."""
        self.sizes_told: dict[str, int] = {}
        """Log to the largest size that somebody without a grant was told."""
        self.trees = Trees(archive.store)
        """Trees of the logs, for checkpoints and proofs."""
        self.signs = Signs(archive.now_ms)
        """When each device was last heard from."""
        quota_bytes = settings.files_quota_mb * 1_000_000
        self.files = FileStore(folder, archive.now_ms, quota_bytes=quota_bytes)
        """Files that entries name by their hash."""
        self.soundness = Soundness(archive, index, folder, files=self.files)
        """Health checks."""
        self.figures = Figures()
        """Metrics of requests and entries."""
        self.figures.ask(self._gauges)
        self.texts = texts_of(settings)
        """Texts of rule sets that were loaded."""
        self.noticing = Noticing(self.texts, archive.reading)
        """Notices when they change."""
        self.results = Results(results_file(archive.url))
        """The analyses of matches by engines."""
        self.draw = png
        """Draws an SVG image as PNG; a running server replaces it by a separate process."""
        self.looks = Looks(archive, index)
        """Searches the turns of all matches."""
        self.rooms = Rooms()
        """Cached lines of the director's room, for matches that have not changed."""

    def _gauges(self) -> Iterator[tuple[str, str, float]]:
        """Metrics that are measured when they are requested."""
        writer, signing = self.archive.writer, self.archive.signing
        yield "tabularium_writer_waiting", "Units in the queue.", writer.waiting() if writer else 0
        yield "tabularium_followers", "Streams of live matches.", self.hub.followers()
        yield "tabularium_index_lag_entries", "Entries not in the list yet.", self.index.lag()
        yield "tabularium_held_logs", "Logs that take nothing.", len(self.archive.store.held)
        is_unsigned = signing is not None and signing.is_waiting
        yield "tabularium_unsigned", "1 while a log waits to be signed.", is_unsigned
        free = self.soundness.disk_free()
        if free is not None:
            yield "tabularium_disk_free_bytes", "Free space where the archive grows.", free
        for check in self.soundness.checks():
            name = f"tabularium_check_{check.name}"
            yield name, "1 ok, 0 failing.", check.status != "failing"


class Visitor(NamedTuple):
    """Who sends a request."""

    hand: Hand
    """The grants that apply here; none for the public."""
    token_sha256: str | None = None
    """Hash of the token that was sent."""

    def refusal(self, needs: str) -> Problem:
        """401 for the public, 403 for a known visitor who may not."""
        if self.token_sha256 is None:
            return Problem("not-authenticated", f"this takes a token: {needs}", needs=needs)
        return Problem("not-permitted", f"this token has no grant for it: {needs}", needs=needs)


ANONYMOUS = Visitor(Hand(()))


class Sight(NamedTuple):
    """What a visitor may see of a match."""

    log_id: str
    match_id: str
    live: Live
    version: int
    """Last version shown; for the public it may be delayed."""
    is_granted: bool
    """Whether they see it by a grant, and not because the match is public."""
    showing: Showing
    """What of it is shown, and the reasons for what is not."""
    visitor: Visitor
    reach: int
    """Last version that the delay allows; a dispute may keep `version` before it."""
    publicity: Publicity
    """Who may read the match, with the disputes that this visitor may know about."""
    head: str = ""
    """Hex leaf hash of the last entry shown, which identifies everything derived from it."""

    @property
    def people(self) -> People:
        """Which personal values of its opening are shown."""
        return self.showing.people

    @property
    def awaits_ruling(self) -> bool:
        """Whether a dispute is open, so that the public is shown nothing later."""
        return self.publicity.awaits_ruling(self.reach)

    @property
    def is_trusted(self) -> bool:
        """Whether the visitor rules on the match, and is told everything while it is played."""
        return rules_on(self.visitor.hand.grants, self.log_id, self.match_id)


def door_of(request: Request) -> Door:
    """The door that the app was made with."""
    door: Door = request.app.state.door
    return door


def bearer_of(request: Request) -> str | None:
    """The bearer token of a request, in force or not; None where it has none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


async def visitor_of(door: Door, request: Request, log_id: str | None) -> Visitor:
    """The sender of a request, by the bearer token, else by the session's cookie.

    Errors: Problem 401 if it is no token, or not in force anywhere; 403 for a write by cookie that
    another site may have caused.
    """
    if door.noticing.glance():
        await asyncio.to_thread(door.noticing.take)
    if "authorization" not in request.headers:
        return await _by_cookie(door, request, log_id)
    token = bearer_of(request)
    if token is None:
        raise Problem("not-authenticated", "the header must be `Authorization: Bearer <token>`")
    visitor = await visitor_with(door, token_hash(token), log_id)
    if visitor is None:
        raise Problem("not-authenticated", "this token is unknown, or was revoked")
    return visitor


async def _by_cookie(door: Door, request: Request, log_id: str | None) -> Visitor:
    token = session_token(request)
    if token is None:
        return ANONYMOUS
    check_csrf(request)
    # A session may outlive its grant; public pages must stay open to such a browser.
    return await visitor_with(door, token, log_id) or ANONYMOUS


async def visitor_with(door: Door, token_sha256: str, log_id: str | None) -> Visitor | None:
    """The visitor with a token of this hash; None if it is in force nowhere."""
    reading = door.reading
    if reading.is_access_cached(log_id):
        seen = reading.accesses(log_id)
    else:
        # Two hundred tablets that ask at once share one read, which begins after all have asked.
        looking = door.looking_at_access
        seen = await looking.made(log_id, functools.partial(_look_at_access, door, log_id))
    hand = hand_of(seen, token_sha256)
    if not hand.grants and not await asyncio.to_thread(reading.knows, token_sha256):
        return None
    door.uses.used(token_sha256)
    return Visitor(hand, token_sha256)


async def _look_at_access(door: Door, log_id: str | None) -> list[Access]:
    take(Lane.RECORDING)  # A request from a table may wait for it, whoever asked first.
    return await asyncio.to_thread(door.reading.accesses, log_id)


def check_is_match(match_id: str) -> None:
    """Refuse the tournament's own stream. Errors: Problem."""
    if match_id == TOURNAMENT_STREAM:
        raise Problem("no-such-match", "the tournament's own stream is no match")


async def sight_of(
    request: Request, log_id: str, match_id: str, visitor: Visitor | None = None
) -> Sight:
    """What the visitor sees of a match. Errors: NoSuchLog, NoSuchStream, Problem 401 or 403.

    `visitor`: show it as this one sees it; None = as the sender of the request does.
    """
    door = door_of(request)
    visitor = visitor or await visitor_of(door, request, log_id)
    check_is_match(match_id)
    if door.reading.is_cached(log_id, match_id):
        live = door.reading.live(log_id, match_id)
    else:
        live = await asyncio.to_thread(door.reading.live, log_id, match_id)
    seen = await sight(door, visitor, log_id, match_id, live=live)
    if seen.version not in live.leaves:
        await asyncio.to_thread(_remember_leaf, door, seen)
    return seen._replace(head=live.leaves.get(seen.version, ""))


def _remember_leaf(door: Door, seen: Sight) -> None:
    """Read once for each version that is shown, because an ETag is needed far more often."""
    key, version = (seen.log_id, seen.match_id), seen.version
    for row in door.archive.store.read_stream(*key, after=max(version - 1, 0), limit=1):
        if row.version == version:
            seen.live.leaves[version] = row.leaf_hash.hex()


async def sight(door: Door, visitor: Visitor, log_id: str, match_id: str, *, live: Live) -> Sight:
    """The same for a match that is at hand."""
    hand = visitor.hand
    is_granted = hand.may_read(log_id, match_id)
    reach = version = live.replay.version
    publicity = live.publicity
    if not is_granted:
        if not publicity.is_public:
            raise visitor.refusal("viewer of the match")
        if publicity.delay_ms:
            moment = door.archive.lateness.before(publicity.delay_ms)
            reach, _ = await asyncio.to_thread(
                received_by, door.reading.store, log_id, live, moment
            )
            publicity = await asyncio.to_thread(known_publicity, door.reading, log_id, live, reach)
        version = publicity.told(reach)
    shown = await showing_of(door, visitor, log_id, match_id, live=live)
    if shown.reader is Reader.VIEWER and await asyncio.to_thread(
        is_embargoed, door.reading, log_id, live
    ):
        raise embargo()
    if shown.cut is not None:
        reach = version = min(version, shown.last)
    return Sight(log_id, match_id, live, version, is_granted, shown, visitor, reach, publicity)


async def check_embargo(door: Door, seen: Sight) -> None:
    """Refuse files of a match that must not leave the case. Errors: Problem."""
    if seen.showing.reader in (Reader.DIRECTOR, Reader.COMMITTEE):
        return
    if await asyncio.to_thread(is_embargoed, door.reading, seen.log_id, seen.live):
        raise embargo()


async def showing_of(
    door: Door, visitor: Visitor, log_id: str, match_id: str, *, live: Live
) -> Showing:
    """What a visitor is shown of a match that may be read. Reads the store for committees."""
    reader = reader_of(visitor.hand.grants, log_id, match_id)
    whole = live.replay
    # A second scribe's record is judged under the rules of the match that it belongs to.
    is_beside = whole.opened is not None and whole.opened.shadow_of is not None
    may_hide = is_beside or whole.rules.profile.hearing.withholds
    if reader is not Reader.COMMITTEE or not may_hide:
        return showing(whole, reader)
    return await asyncio.to_thread(committee_showing, door.reading, log_id, live)


async def showing_stream(door: Door, visitor: Visitor, log_id: str, stream_id: str) -> Showing:
    """The same of any stream, the tournament's own too. Errors: NoSuchLog, NoSuchStream."""
    if stream_id == TOURNAMENT_STREAM:
        head = await asyncio.to_thread(door.archive.store.stream_head, log_id, stream_id)
        reader = reader_of(visitor.hand.grants, log_id, stream_id)
        return showing_of_log(reader, 0 if head is None else head.version)
    live = await asyncio.to_thread(door.reading.live, log_id, stream_id)
    return await showing_of(door, visitor, log_id, stream_id, live=live)


def may_see(door: Door, visitor: Visitor, log_id: str) -> bool:
    """Whether the visitor may know that a log exists, apart from its contents."""
    return bool(visitor.hand.grants) or door.index.has_public(log_id)


def wants_ndjson(request: Request) -> bool:
    """Whether one JSON object a line is asked for."""
    return NDJSON in request.headers.get("accept", "")


def sight_etag(sight: Sight, *parts: object) -> str:
    """The ETag of a view of a match."""
    place = (sight.log_id, sight.match_id, sight.version, sight.head)
    # The rule set is part of it too: a second record has that of its match, which may change.
    reader = (sight.showing.reader, sight.showing.is_unsealed, sight.showing.rule_set)
    whose = (sight.is_granted, *reader, sight.is_trusted, sight.awaits_ruling)
    return etag_of(*place, *whose, mark_of(sight.live.replay.in_hand), *parts)


def listed_headers(visitor: Visitor) -> dict[str, str]:
    """Headers of an answer that must not be cached."""
    scope = "" if visitor.token_sha256 is None else "private, "
    return {"Cache-Control": f"{scope}no-cache", "Vary": VARY}


def json_answer(
    value: object, status: int = 200, *, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON answer, by the fast encoder, of a shape or of plain values."""
    body = msgspec.json.encode(value) if isinstance(value, Shape) else orjson.dumps(value)
    return Response(body, status, headers, "application/json")


def view_answer(request: Request, sight: Sight, value: object, *, etag: str) -> Response:
    """A view of a match, or 304 where the visitor has it."""
    return tagged_answer(request, value, cache_headers(etag, is_public=not sight.is_granted))


def tagged_answer(request: Request, value: object, headers: Mapping[str, str]) -> Response:
    """JSON with its ETag among these headers, or 304 where the visitor has it."""
    if is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return json_answer(value, headers=headers)
