"""What the director's room shows at a glance, kept per match so that it can be asked for often."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple, cast

import orjson

from api.archive.personal import received_at
from api.archive.reading import Reading
from api.desk.room_clock import clock_of, ticking_of, timed_of
from api.desk.room_standing import (
    Final,
    Standing,
    called_of,
    confirmed,
    final_of,
    missing_of,
    no_show_of,
    result_of,
    table_standing,
)
from api.shapes.rooms import (
    Acknowledgement,
    CallOut,
    Confirmations,
    LastEntry,
    LateOut,
    MaybeNames,
    NoShowOut,
    NoticeOut,
    OpenDispute,
    ResultOut,
    RoomAppeal,
    RoomClock,
)
from events.envelope import RecordedEvent
from events.payloads.base import Actor
from events.payloads.corrections import MomentMarked
from events.payloads.dispute import DirectorCalled, DisputeRaised
from events.payloads.ending import ClaimRuled
from events.payloads.match import DecidingGameOrdered, MatchOpened
from events.store.journal import Submitted
from events.values import BySeat, Seat
from projections.replay import Replay, Step
from projections.rules.sentences import InHand
from projections.views.attention import Attention, asked
from projections.views.freezing import freezes
from projections.views.lines import appeal_lines, event_line
from projections.views.notices import Notice, notices
from projections.views.open_windows import windows_of
from projections.views.window import WindowIs

DEVICES_AT_MOST = 4_096
"""Devices whose signs of life are remembered."""

LINES_AT_MOST = 8_192
"""Matches whose lines are kept."""

DECISIONS = (
    "ruling.",
    "penalty.",
    "forfeit.",
    "sanction.",
    "player.disqualified",
    "appeal.refused",
    "appeal.decided",
    "slow_play.",
    "clock.adjusted",
    "delay.excused",
    "result.corrected",
    "spectator.barred",
)
"""Beginnings of the tags that say the director was at the table."""


class Sign(NamedTuple):
    """The last that was heard of a device."""

    seen_at: int
    """When, milliseconds since 1970 UTC."""
    unsent: int | None
    """Entries that it had not yet sent; None where it did not say."""


class Signs:
    """When each device was heard of last: in memory, for it says nothing of any match."""

    def __init__(self, now_ms: Callable[[], int], *, at_most: int = DEVICES_AT_MOST) -> None:
        self._now_ms = now_ms
        self._at_most = at_most
        self._signs: OrderedDict[tuple[str, str], Sign] = OrderedDict()

    def seen(self, log_id: str, device: str, *, unsent: int | None = None) -> None:
        """A device has spoken to the server just now; `unsent` None leaves what it said before."""
        known = self._signs.get((log_id, device))
        if unsent is None and known is not None:
            unsent = known.unsent
        self._signs[log_id, device] = Sign(self._now_ms(), unsent)
        self._signs.move_to_end((log_id, device))
        while len(self._signs) > self._at_most:
            self._signs.popitem(last=False)

    def of(self, log_id: str, device: str) -> Sign | None:
        """The last sign of a device; None if there is none since the server was started."""
        return self._signs.get((log_id, device))


class Shown(NamedTuple):
    """What the room says of a match beside how it stands: changes with the match alone."""

    clock: RoomClock | None
    last: LastEntry
    rule_set: str | None
    questions: int
    """Those that need the director."""
    notes: int
    """Those that need nobody."""
    windows: int
    """Windows that are open."""
    dispute: OpenDispute | None
    notices: list[NoticeOut]
    confirmations: Confirmations
    is_public: bool
    no_show: NoShowOut | None


class Line(NamedTuple):
    """What the room shows of a match as long as nothing is recorded in it."""

    version: int
    standing: Standing
    shown: Shown
    calls: list[CallOut]
    appeals: list[RoomAppeal]
    result: ResultOut | None
    """The result that waits to be posted; None while there is none."""
    shadow_of: str | None
    received_at: int | None
    """When the last entry came in."""
    names: BySeat[tuple[str, ...]]
    """Commitments to the players' names."""
    table: str | None
    """Commitment to the table."""
    start: str | None
    """Commitment to the appointed start."""
    missing: tuple[Seat, ...]
    """Who has not arrived while no game has begun."""
    players: BySeat[tuple[str | None, ...]]
    """Ids of the tournament's players; None for one who was not registered."""
    round: str | None
    """Commitment to the round."""
    called: tuple[Seat, ...]
    """Who was called to the table, and has not come, while no game has begun."""
    final: Final
    """How the match ended, on what that rests, and whether it may be told."""


class Rooms:
    """Lines of matches, made anew where something was recorded since."""

    def __init__(self, *, at_most: int = LINES_AT_MOST) -> None:
        self._at_most = at_most
        self._lines: OrderedDict[tuple[str, str], Line] = OrderedDict()
        self._in_hand: InHand | None = None
        """Sentences of rule texts with which they were judged."""

    def line(self, reading: Reading, log_id: str, match_id: str, version: int) -> Line:
        """The line of a match that is at least at this version. Errors: LedgerError."""
        if self._in_hand is not reading.in_hand:
            self._in_hand = reading.in_hand
            self.forget()
        key = (log_id, match_id)
        known = self._lines.get(key)
        if known is None or known.version < version:
            known = line_of(reading, log_id, match_id)
            self._lines[key] = known
            while len(self._lines) > self._at_most:
                self._lines.popitem(last=False)
        return known

    def forget(self) -> None:
        """Make every line anew: what it was made of may be erased."""
        self._lines.clear()


def line_of(reading: Reading, log_id: str, match_id: str) -> Line:
    """What the room shows of a match. Reads when its last entry and its calls came in."""
    live = reading.live(log_id, match_id)
    shown = live.replay
    last = live.recorded[-1]
    called = [step for step in shown.steps if isinstance(step.event.payload, DirectorCalled)]
    state = shown.state
    ticking = ticking_of(shown)
    told = notices(shown)
    noted = [notice.acknowledged for notice in told if notice.acknowledged is not None]
    timed = ticking or timed_of(shown)
    heard = [last, *(step.event for step in called), *(step.event for step in timed), *noted]
    places = [event.global_position for event in heard]
    contexts = reading.store.disclosures_of(log_id, places)
    times = {place: received_at(contexts.get(place, ())) for place in places}
    opened = shown.opened
    questions = asked(shown)
    return Line(
        version=shown.version,
        standing=table_standing(state),
        shown=Shown(
            clock=clock_of(shown, ticking, timed, times),
            last=_last(last, shown, times[last.global_position]),
            rule_set=None if opened is None else opened.rule_set,
            questions=sum(one.attention is Attention.ALARM for one in questions),
            notes=sum(one.attention in (Attention.NOTE, Attention.LEFT) for one in questions),
            windows=sum(window.state is WindowIs.OPEN for window in windows_of(shown)),
            dispute=_dispute(shown),
            notices=[_notice(notice, times) for notice in told],
            confirmations=confirmed(shown),
            is_public=live.publicity.is_public,
            no_show=no_show_of(shown, state),
        ),
        calls=[_call(match_id, step, shown, times[step.event.global_position]) for step in called],
        appeals=list(_appeals(match_id, shown)),
        result=result_of(match_id, shown),
        shadow_of=None if opened is None else opened.shadow_of,
        received_at=times[last.global_position],
        names=_names(opened),
        table=None if opened is None or opened.table is None else opened.table.sd,
        start=_start(opened),
        missing=missing_of(state),
        players=_players(opened),
        round=None if opened is None or opened.round is None else opened.round.sd,
        called=called_of(shown, state),
        final=final_of(shown, live),
    )


def opened_so(line: Line, opened: MatchOpened | None) -> Line:
    """The line of a match that was opened so: who plays, where, and in which round."""
    return line._replace(
        names=_names(opened),
        table=None if opened is None or opened.table is None else opened.table.sd,
        start=_start(opened),
        players=_players(opened),
        round=None if opened is None or opened.round is None else opened.round.sd,
    )


def _last(last: RecordedEvent, shown: Replay, received: int | None) -> LastEntry:
    """The last entry; dice and checkers are those of its step, if it has one."""
    seat = getattr(last.payload, "seat", None)
    made = LastEntry(
        version=last.version,
        tag=last.tag,
        seat=seat if isinstance(seat, Seat) else None,
        dice=None,
        play=None,
        received_at=received,
    )
    step = shown.steps[-1] if shown.steps else None
    if step is not None and step.event.entry_id == last.entry_id:
        line = event_line(step, shown, is_told=False)
        made.dice, made.play = line["dice"], line["play"]
    return made


def _dispute(shown: Replay) -> OpenDispute | None:
    """The last dispute that no ruling has settled."""
    waiting = [one for one in freezes(shown) if one.settled is None]
    if not waiting:
        return None
    last = waiting[-1]
    raised = shown.step_at(last.raised)
    assert raised is not None
    dispute = raised.event.payload
    assert isinstance(dispute, DisputeRaised)
    return OpenDispute(
        version=last.raised,
        entry_id=last.dispute,
        by=dispute.by,
        topic=dispute.topic,
        at_ms=dispute.at_ms,
        frozen_version=last.frozen,
    )


def _notice(notice: Notice, times: Mapping[int, int | None]) -> NoticeOut:
    """What the table was told, and when it took note of it by this server's time."""
    noted, event = notice.acknowledged, notice.event
    acknowledged = None
    if noted is not None:
        acknowledged = Acknowledgement(
            version=noted.version,
            by=_office(noted),
            at_ms=getattr(noted.payload, "at_ms", None),
            received_at=times[noted.global_position],
        )
    return NoticeOut(event.version, event.entry_id, event.tag, acknowledged)


def _office(event: RecordedEvent) -> str | None:
    by = getattr(event.payload, "by", None)
    return by.value if isinstance(by, Actor) else None


def _call(match_id: str, step: Step, shown: Replay, received: int | None) -> CallOut:
    event = step.event
    called = event.payload
    assert isinstance(called, DirectorCalled)
    return CallOut(
        match_id=match_id,
        version=event.version,
        entry_id=event.entry_id,
        at_ms=called.at_ms,
        received_at=received,
        by=called.by,
        about=called.about,
        reason=_reason(shown, called.about),
        answered=any(_answers(later, event.entry_id) for later in _after(shown, event.version)),
        parked=False,
    )


def parked_call(match: str, version: int, sent: Submitted) -> CallOut | None:
    """The call that a parked draft is, at where its match stands; None for any other draft.

    It rings until the director has decided what becomes of it.
    """
    draft = orjson.loads(sent.raw)
    if draft["tag"] != "director.called":
        return None
    body = draft["body"]
    return CallOut(
        match_id=match,
        version=version,
        entry_id=sent.entry_id,
        at_ms=body.get("at_ms"),
        received_at=sent.received_at,
        by=body.get("by"),
        about=body.get("about"),
        reason=None,
        answered=False,
        parked=True,
    )


def _reason(shown: Replay, about: str | None) -> str | None:
    """Of what kind the entry is that a call is about: a call gives no reason of its own."""
    for step in shown.steps:
        if about is not None and step.event.entry_id == about:
            return step.event.tag
    return None


def _after(shown: Replay, version: int) -> Iterator[Step]:
    for step in reversed(shown.steps):
        if step.event.version <= version:
            return
        yield step


def _answers(step: Step, call: str) -> bool:
    """Whether an entry says that the director has dealt with a call.

    By naming it (a moment marked, a ruling on it), or by being what only a director at the table
    decides. No entry says that he has come and nothing else.
    """
    match step.event.payload:
        case MomentMarked(target=target):
            return target == call
        case ClaimRuled(by=by) | DecidingGameOrdered(by=by):
            return by is Actor.DIRECTOR
        case _:
            return step.event.tag.startswith(DECISIONS)


def _appeals(match_id: str, shown: Replay) -> Iterator[RoomAppeal]:
    """Appeals of which nobody has announced the end."""
    for appeal, line in zip(shown.state.judged.appeals.appeals, appeal_lines(shown), strict=True):
        if not appeal.is_refused and appeal.announced is None:
            state = "voting" if appeal.size else "filed"
            place = {"match_id": match_id, "entry_id": appeal.entry_id, "state": state}
            # A line of the views, told as it is there.
            yield cast("RoomAppeal", {**place, **line})


def _players(opened: MatchOpened | None) -> BySeat[tuple[str | None, ...]]:
    if opened is None:
        return BySeat((), ())
    return opened.players.map(lambda side: tuple(player.id for player in side))


def _names(opened: MatchOpened | None) -> BySeat[tuple[str, ...]]:
    if opened is None:
        return BySeat((), ())
    return opened.players.map(
        lambda side: tuple(player.name.sd for player in side if player.name is not None)
    )


def _start(opened: MatchOpened | None) -> str | None:
    return None if opened is None or opened.appointed_start is None else opened.appointed_start.sd


class People:
    """Personal values of many matches, opened in one look-up: an erased one is gone at once."""

    def __init__(self, reading: Reading, log_id: str, lines: Iterable[Line]) -> None:
        wanted: list[str] = []
        for line in lines:
            wanted += [*line.names.one, *line.names.two]
            wanted += [sd for sd in (line.table, line.start, line.round) if sd is not None]
        self._texts = reading.texts(log_id, wanted)

    def text(self, commitment: str | None) -> str | None:
        """The value; None where it is withheld or erased."""
        return self._texts.get(commitment) if commitment else None

    def names(self, line: Line) -> MaybeNames:
        """What the players of a match are called."""
        return MaybeNames(self._side(line.names.one), self._side(line.names.two))

    def _side(self, commitments: Collection[str]) -> str | None:
        known = [name for sd in commitments if (name := self.text(sd)) is not None]
        return " / ".join(known) or None

    def late(self, line: Line, now_ms: int) -> LateOut | None:
        """Since when a match that has not begun is late, and who is missing."""
        if line.standing.state != "waiting":
            return None
        since = moment_of(self.text(line.start))
        if since is None or since > now_ms:
            return None
        return LateOut(since, list(line.missing))


def moment_of(text: str | None) -> int | None:
    """Milliseconds since 1970 UTC of an ISO 8601 moment; None where the text is none."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)
