"""What the director's room shows at a glance, kept per match so that it can be asked for often."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

import orjson

from api.archive.reading import Live, Reading, received_at
from events.envelope import RecordedEvent
from events.payloads.attendance import PlayerCalled
from events.payloads.base import Actor
from events.payloads.clock import ClockFlagNoticed, ClockPaused, Flag
from events.payloads.corrections import MomentMarked
from events.payloads.dispute import DirectorCalled, DisputeRaised
from events.payloads.ending import ClaimRuled
from events.payloads.match import DecidingGameOrdered, MatchOpened, ScoreNoted
from events.payloads.penalty import ForfeitDeclared, PenaltyGround
from events.personal import Disclosed
from events.store.journal import Submitted
from events.values import ONE, TWO, BySeat, Seat
from projections.facts.clock import Clock
from projections.judging.outcome import By
from projections.replay import Replay, State, Step
from projections.views.attention import Attention, asked
from projections.views.freezing import freezes
from projections.views.lines import appeal_lines, clock_line, event_line, outcome_line, plain
from projections.views.notices import Notice, notices
from projections.views.open_windows import WindowIs, windows_of

DEVICES_AT_MOST = 4_096
"""Devices whose signs of life are remembered."""

LINES_AT_MOST = 8_192
"""Matches whose lines are kept."""

TIMED_AT_MOST = 8
"""Entries by whose arrival a running clock is put on the server's time."""

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


class Line(NamedTuple):
    """What the room shows of a match as long as nothing is recorded in it."""

    version: int
    shown: dict[str, Any]
    """Members that hold no personal value and change with the match alone."""
    calls: list[dict[str, Any]]
    appeals: list[dict[str, Any]]
    result: dict[str, Any] | None
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
    final: dict[str, Any]
    """How the match ended, on what that rests, and whether it may be told."""


class Rooms:
    """Lines of matches, made anew where something was recorded since."""

    def __init__(self, *, at_most: int = LINES_AT_MOST) -> None:
        self._at_most = at_most
        self._lines: OrderedDict[tuple[str, str], Line] = OrderedDict()

    def line(self, reading: Reading, log_id: str, match_id: str, version: int) -> Line:
        """The line of a match that is at least at this version. Errors: LedgerError."""
        key = (log_id, match_id)
        known = self._lines.get(key)
        if known is None or known.version < version:
            known = line_of(reading, log_id, reading.live(log_id, match_id))
            self._lines[key] = known
            while len(self._lines) > self._at_most:
                self._lines.popitem(last=False)
        return known


def line_of(reading: Reading, log_id: str, live: Live) -> Line:
    """What the room shows of a match. Reads when its last entry and its calls came in."""
    shown = live.replay
    last = live.recorded[-1]
    called = [step for step in shown.steps if isinstance(step.event.payload, DirectorCalled)]
    state = shown.state
    ticking = _ticking(shown, state.clock)
    told = notices(shown)
    noted = [notice.acknowledged for notice in told if notice.acknowledged is not None]
    timed = ticking or _timed(shown)
    heard = [last, *(step.event for step in called), *(step.event for step in timed), *noted]
    places = [event.global_position for event in heard]
    contexts = reading.store.disclosures_of(log_id, places)
    times = {place: received_at(contexts.get(place, ())) for place in places}
    opened = shown.opened
    questions = asked(shown)
    seat = getattr(last.payload, "seat", None)
    return Line(
        version=shown.version,
        shown={
            **_standing(shown, state),
            "clock": _clock(
                shown, _running_since(state.clock, ticking, times), _time_zero(timed, times)
            ),
            "last": {
                "version": last.version,
                "tag": last.tag,
                "seat": seat.value if isinstance(seat, Seat) else None,
                **_moved(shown, last.entry_id),
                "received_at": times[last.global_position],
            },
            "rule_set": None if opened is None else opened.rule_set,
            "questions": sum(one.attention is Attention.ALARM for one in questions),
            "notes": sum(one.attention in (Attention.NOTE, Attention.LEFT) for one in questions),
            "windows": sum(window.state is WindowIs.OPEN for window in windows_of(shown)),
            "dispute": _dispute(shown),
            "notices": [_notice(notice, times) for notice in told],
            "confirmations": _confirmations(shown),
            "is_public": live.publicity.is_public,
            "no_show": _no_show(shown, state),
        },
        calls=[_call(step, shown, times[step.event.global_position]) for step in called],
        appeals=list(_appeals(shown)),
        result=_result(shown),
        shadow_of=None if opened is None else opened.shadow_of,
        received_at=times[last.global_position],
        names=_names(opened),
        table=None if opened is None or opened.table is None else opened.table.sd,
        start=_start(opened),
        missing=_missing(state),
        players=_players(opened),
        round=None if opened is None or opened.round is None else opened.round.sd,
        called=_called(shown, state),
        final=_final(shown, live),
    )


def _moved(shown: Replay, entry_id: str) -> dict[str, Any]:
    """The dice and the checkers of the last entry; None for one that has none."""
    step = shown.steps[-1] if shown.steps else None
    if step is None or step.event.entry_id != entry_id:
        return {"dice": None, "play": None}
    line = event_line(step, shown, is_told=False)
    return {"dice": line["dice"], "play": line["play"]}


def _standing(shown: Replay, state: State) -> dict[str, Any]:
    score, flow = state.score, state.flow
    return {
        "length": score.length,
        "score": plain(state.match_score),
        "games": len(score.games),
        "state": _state(state),
        "on_roll": None if flow.on_roll is None else flow.on_roll.value,
        "to_act": None if flow.to_act is None else flow.to_act.value,
        "penalties": plain(state.judged.penalties.points),
        "lost_on_time": _lost_on_time(state),
    }


def _state(state: State) -> str:
    if state.flow.is_cancelled:
        return "cancelled"
    if state.score.has_ended or not state.judged.outcome.is_open:
        return "ended"
    return "live" if state.score.game_number else "waiting"


def _ticking(shown: Replay, clock: Clock) -> list[Step]:
    """The entry since which a time runs, and some behind it; none where that is not known.

    Those behind it may have come in more promptly: a tablet that was cut off sends all it has at
    once, and the last of it is the least late.
    """
    if clock.running is None or clock.since_ms is None or clock.elapsed_ms is None:
        return []
    timed: list[Step] = []
    for step in reversed(shown.steps):
        at_ms = getattr(step.event.payload, "at_ms", None)
        if at_ms is not None:
            timed.append(step)
        if at_ms == clock.since_ms:
            return [*timed[:TIMED_AT_MOST], step]
    return []


def _timed(shown: Replay) -> list[Step]:
    """The last entries that say when they happened."""
    steps = reversed(shown.steps)
    timed = (one for one in steps if getattr(one.event.payload, "at_ms", None) is not None)
    return list(islice(timed, TIMED_AT_MOST))


def _time_zero(timed: list[Step], times: Mapping[int, int | None]) -> int | None:
    """This server's time at the match's `at_ms` 0, by its promptest entry; None without any."""
    behind = [
        received - getattr(step.event.payload, "at_ms", 0)
        for step in timed
        if (received := times[step.event.global_position]) is not None
    ]
    return min(behind, default=None)


def _running_since(
    clock: Clock, ticking: list[Step], times: Mapping[int, int | None]
) -> int | None:
    """When by this server's time the running time began; None where nobody can say."""
    zero = _time_zero(ticking, times)
    return None if clock.since_ms is None or zero is None else clock.since_ms + zero


def _pause_reason(shown: Replay) -> str | None:
    """Why the clock was paused last, in the word that was recorded."""
    for step in reversed(shown.steps):
        if isinstance(step.event.payload, ClockPaused):
            return step.event.payload.reason
    return None


def _flag_noticed(shown: Replay) -> str | None:
    """Whose flag was noticed, if no time has run since; None = nobody's."""
    for step in reversed(shown.steps):
        if isinstance(step.event.payload, ClockFlagNoticed):
            return step.event.payload.whose.value
        if step.event.tag.startswith("clock.") and not isinstance(step.event.payload, ClockPaused):
            return None
    return None


def _lost_on_time(state: State) -> str | None:
    """Who has lost the match by the clock, under the rule set in force or by ruling."""
    outcome = state.judged.outcome
    if outcome.by is not By.FLAG or outcome.winner is None:
        return None
    return outcome.winner.other.value


def _clock(
    shown: Replay, running_since: int | None, time_zero: int | None
) -> dict[str, Any] | None:
    """The clock, with all that tells what it shows at a moment of this server's time."""
    state = shown.state
    line = clock_line(state)
    if line is None:
        return None
    clock = state.clock
    fallen = {
        (True, True): Flag.BOTH.value,
        (True, False): Flag.ONE.value,
        (False, True): Flag.TWO.value,
    }
    noticed = _flag_noticed(shown)
    if noticed is not None:
        # The time that ran has ended with it: what is shown is what it was noticed at.
        line, running_since = {**line, "running": None}, None
    return {
        **line,
        "flag": noticed or fallen.get((clock.fallen.one, clock.fallen.two)),
        "delay_ms": clock.delay_ms,
        "paused": None if clock.paused is None else clock.paused.value,
        "kind": clock.kind.value,
        "pause_reason": None if clock.paused is None else _pause_reason(shown),
        "running_since": running_since,
        "time_zero": time_zero,
        "since_elapsed_ms": clock.elapsed_ms,
        "turn_reserve_ms": clock.turn_reserve_ms,
    }


def _dispute(shown: Replay) -> dict[str, Any] | None:
    """The last dispute that no ruling has settled."""
    waiting = [one for one in freezes(shown) if one.settled is None]
    if not waiting:
        return None
    last = waiting[-1]
    raised = shown.step_at(last.raised)
    assert raised is not None
    dispute = raised.event.payload
    assert isinstance(dispute, DisputeRaised)
    return {
        "version": last.raised,
        "entry_id": last.dispute,
        "by": dispute.by.value,
        "topic": dispute.topic,
        "at_ms": dispute.at_ms,
        "frozen_version": last.frozen,
    }


def _notice(notice: Notice, times: Mapping[int, int | None]) -> dict[str, Any]:
    """What the table was told, and when it took note of it by this server's time."""
    noted = notice.acknowledged
    return {
        "version": notice.event.version,
        "entry_id": notice.event.entry_id,
        "tag": notice.event.tag,
        "acknowledged": None
        if noted is None
        else {
            "version": noted.version,
            "by": _office(noted),
            "at_ms": getattr(noted.payload, "at_ms", None),
            "received_at": times[noted.global_position],
        },
    }


def _office(event: RecordedEvent) -> str | None:
    by = getattr(event.payload, "by", None)
    return by.value if isinstance(by, Actor) else None


def _confirmations(shown: Replay) -> dict[str, Any]:
    """The score as each player has confirmed it since the last game ended."""
    noted: dict[str, Any] = {"one": None, "two": None}
    games = shown.state.score.games
    ended = games[-1].version if games else 0
    for step in reversed(shown.steps):
        if step.event.version <= ended:
            break
        note = step.event.payload
        if isinstance(note, ScoreNoted) and note.keeper is not None:
            seat = note.keeper.value
            if noted[seat] is None and note.score is not None:
                noted[seat] = plain(note.score)
    return noted


def _call(step: Step, shown: Replay, received: int | None) -> dict[str, Any]:
    event = step.event
    called = event.payload
    assert isinstance(called, DirectorCalled)
    return {
        "version": event.version,
        "entry_id": event.entry_id,
        "at_ms": called.at_ms,
        "received_at": received,
        "by": None if called.by is None else called.by.value,
        "about": called.about,
        "reason": _reason(shown, called.about),
        "answered": any(_answers(later, event.entry_id) for later in _after(shown, event.version)),
        "parked": False,
    }


def parked_call(match: str, version: int, sent: Submitted) -> dict[str, Any] | None:
    """The call that a parked draft is, at where its match stands; None for any other draft.

    It rings until the director has decided what becomes of it.
    """
    draft = orjson.loads(sent.raw)
    if draft["tag"] != "director.called":
        return None
    body = draft["body"]
    return {
        "match_id": match,
        "version": version,
        "entry_id": sent.entry_id,
        "at_ms": body.get("at_ms"),
        "received_at": sent.received_at,
        "by": body.get("by"),
        "about": body.get("about"),
        "reason": None,
        "answered": False,
        "parked": True,
    }


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


def _result(shown: Replay) -> dict[str, Any] | None:
    """The outcome of a match, as long as it is not on the draw sheet."""
    state = shown.state
    results = state.judged.results
    if _state(state) != "ended" or results.posting is not None or not shown.steps:
        return None
    reports = [
        {
            "seat": report.seat.value,
            "winner": None if report.winner is None else report.winner.value,
            "score": plain(report.score),
        }
        for report in results.reports
    ]
    return {
        "version": shown.version,
        "score": plain(state.match_score),
        "length": state.score.length,
        **{name: outcome_line(state)[name] for name in ("winner", "by", "questions")},
        "lost_on_time": _lost_on_time(state),
        "reports": reports,
        "confirmations": _confirmations(shown),
    }


def _appeals(shown: Replay) -> Iterator[dict[str, Any]]:
    """Appeals of which nobody has announced the end."""
    for appeal, line in zip(shown.state.judged.appeals.appeals, appeal_lines(shown), strict=True):
        if not appeal.is_refused and appeal.announced is None:
            state = "voting" if appeal.size else "filed"
            yield {"entry_id": appeal.entry_id, "state": state, **line}


def _missing(state: State) -> tuple[Seat, ...]:
    if _state(state) != "waiting":
        return ()
    accounts = state.judged.penalties.accounts
    return tuple(seat for seat in (ONE, TWO) if not accounts[seat].has_arrived)


def _no_show(shown: Replay, state: State) -> dict[str, Any] | None:
    """Who forfeits the match by not coming, and the entry that says so; None once a game is on."""
    if state.score.game_number or _state(state) != "ended":
        return None
    for step in reversed(shown.steps):
        said = step.event.payload
        if isinstance(said, ForfeitDeclared) and said.ground is PenaltyGround.LATE_START:
            return {"seat": said.seat.value, "entry_id": step.event.entry_id}
    return None


def _called(shown: Replay, state: State) -> tuple[Seat, ...]:
    called = {
        step.event.payload.seat
        for step in shown.steps
        if isinstance(step.event.payload, PlayerCalled)
    }
    return tuple(seat for seat in _missing(state) if seat in called)


def _final(shown: Replay, live: Live) -> dict[str, Any]:
    """How a match stands on a sheet of results, and who stands by it."""
    state = shown.state
    is_over = _state(state) == "ended"
    outcome = outcome_line(state)
    posting = state.judged.results.posting
    noted = _confirmations(shown) if is_over else {"one": None, "two": None}
    score = plain(state.match_score)
    reported = {
        report.seat.value
        for report in state.judged.results.reports
        if report.winner is None or report.winner.value == outcome["winner"]
    }
    confirmed = [
        seat for seat in ("one", "two") if is_over and (noted[seat] == score or seat in reported)
    ]
    return {
        "winner": outcome["winner"] if is_over else None,
        "by": outcome["by"] if is_over else None,
        "is_open": bool(outcome["questions"]),
        "confirmed_by": confirmed,
        "is_posted": posting is not None,
        "posted": None if posting is None or posting.score is None else plain(posting.score),
        "is_appealed": bool(live.publicity.appeals),
        "is_held_back": bool(live.publicity.delay_ms or live.publicity.freezes),
    }


def standing_of(shown: Replay, live: Live) -> dict[str, Any]:
    """How a match stood at an earlier moment, for whoever is told no more of it."""
    return {**_standing(shown, shown.state), **_final(shown, live)}


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
        self._values = reading.opened_values(log_id, wanted)

    def text(self, commitment: str | None) -> str | None:
        """The value; None where it is withheld or erased."""
        value = self._values.get(commitment) if commitment else None
        return str(value.value) if isinstance(value, Disclosed) else None

    def names(self, line: Line) -> dict[str, str | None]:
        """What the players of a match are called."""
        return {"one": self._side(line.names.one), "two": self._side(line.names.two)}

    def _side(self, commitments: Collection[str]) -> str | None:
        known = [name for sd in commitments if (name := self.text(sd)) is not None]
        return " / ".join(known) or None

    def late(self, line: Line, now_ms: int) -> dict[str, Any] | None:
        """Since when a match that has not begun is late, and who is missing."""
        if line.shown["state"] != "waiting":
            return None
        since = moment_of(self.text(line.start))
        if since is None or since > now_ms:
            return None
        return {"since": since, "missing": [seat.value for seat in line.missing]}


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
