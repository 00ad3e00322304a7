"""Rows of the lists across matches: a match, a log, somebody who plays; commitments, no names."""

from __future__ import annotations

import sqlite3
from typing import Literal

import msgspec

from api.archive.publicity import Publicity, publicity_of
from events.envelope import RecordedEvent
from events.payloads.corrections import EntryAmended, EntryRetracted
from events.payloads.match import MatchOpened, Player
from projections.replay import Replay
from projections.views.freezing import Freeze
from projections.views.precedents import decisions_of

Stage = Literal["waiting", "live", "ended", "cancelled", "damaged"]
"""How far a match has come, if it can be read."""


PLAIN_WINS = (None, "score", "claim")
"""By what a match is won where its score tells it, or nothing more is known."""


class MatchRow(msgspec.Struct, frozen=True):
    """One match in a list."""

    log_id: str
    """Its log."""
    stream_id: str
    """Its stream: the match id."""
    opened_at: int
    """Global position of its first entry: the order of lists."""
    version: int
    """Entries recorded."""
    length: int | None
    """Points needed to win; None = money."""
    score_one: int
    """Seat one's points, computed, uncapped."""
    score_two: int
    """Seat two's points."""
    games: int
    """Games that are over."""
    state: Stage
    """`waiting` until a game begins, then `live`; `ended` where somebody has won or the end was
    claimed; `cancelled`; `damaged` if unreadable."""
    winner: str | None
    """Seat that has won; None while nobody has, and for money."""
    is_public: bool
    """Whether anybody may read it."""
    delay_ms: int
    """How far the public is behind the table, milliseconds."""
    findings: int
    """Irregularities and notes found."""
    questions: int
    """Questions that wait for a ruling."""
    rule_set: str | None
    """Rule set pinned; None = recorded under none."""
    names: tuple[tuple[str, ...], tuple[str, ...]]
    """Commitments to the players' names, seat by seat."""
    event: str | None
    """Commitment to the event's name."""
    date: str | None
    """Commitment to the day of the match."""
    source: str | None
    """Dialect of the file it was imported from."""
    round: str | None
    """Commitment to the round."""
    table: str | None
    """Commitment to the table."""
    news: int
    """Version at which it last made news: opened, begun, ended, released to the public."""
    news_ms: int = 0
    """When that was received, in ms since 1970 UTC, of the last news that the public knows of; the
    index knows it of public matches alone."""
    awaits_ruling: bool = False
    """Whether a dispute is open, by which the match stands still for the public."""
    decisions: str = ""
    """What directors decided in it, as JSON of `Decision`s, seen by whom or not; "" = nothing."""
    known: Stage = "waiting"
    """How far it has come as the public knows it, by the index."""
    won_by: str | None = None
    """By what it was won, as `By` names it; None while nobody has, or where that is not known."""

    @property
    def is_in_play(self) -> bool:
        """Whether it is not over, begun or not: an import that breaks off is."""
        return self.state in ("waiting", "live") and self.source is None


class Known(msgspec.Struct, frozen=True):
    """By what a match is listed, counted and found, as the public knows it from a moment on."""

    due_ms: int
    """The moment, in ms since 1970 UTC; 0 = always."""
    state: Stage
    """How far it has come."""
    news: int
    """Global position of the entry by which it last made news."""
    names: tuple[tuple[str, ...], tuple[str, ...]]
    """Commitments to the players' names."""


class LogRow(msgspec.Struct, frozen=True):
    """One log with public matches."""

    log_id: str
    """Its id."""
    title: str | None
    """What its tournament is called."""
    public: int
    """How many of its matches are public."""
    live: int
    """How many of those are being played as far as the public knows: no import that breaks off."""
    news_ms: int
    """When one of them last made news; of those with a delay, only that they were shown counts."""


class PersonRow(msgspec.Struct, frozen=True):
    """Somebody whose name stands in public matches, without the name."""

    person: int
    """What stands for the name, as it is spelled: a number of this index."""
    matches: int
    """In how many public matches it stands that may be seen by now."""


class PlayedRow(msgspec.Struct, frozen=True):
    """One match of somebody."""

    person: int
    """Whose."""
    since_ms: int
    """When the match could first be seen."""
    log_id: str
    """Its log."""
    opened_at: int
    """Global position of its first entry."""
    match: int
    """Its number in this index."""
    stream_id: str
    """Its stream."""
    sd: str
    """The commitment to the name in it."""
    seat: int
    """1 or 2."""


_NAMES = msgspec.json.Decoder(tuple[tuple[str, ...], tuple[str, ...]])


def match_row(row: sqlite3.Row) -> MatchRow:
    """A row as a value."""
    values = dict(row)
    values["names"] = _NAMES.decode(values["names"])
    values["is_public"] = bool(values["is_public"])
    values["awaits_ruling"] = bool(values["awaits_ruling"])
    return msgspec.convert(values, MatchRow)


def damaged_row(log_id: str, stream_id: str, opened_at: int) -> MatchRow:
    """The row of a match that cannot be read: it is listed, so that somebody looks at it."""
    return MatchRow(
        log_id=log_id,
        stream_id=stream_id,
        opened_at=opened_at,
        version=0,
        length=None,
        score_one=0,
        score_two=0,
        games=0,
        state="damaged",
        winner=None,
        is_public=False,
        delay_ms=0,
        findings=0,
        questions=0,
        rule_set=None,
        names=((), ()),
        event=None,
        date=None,
        source=None,
        round=None,
        table=None,
        news=1,
    )


def listed_row(
    log_id: str, stream_id: str, opened_at: int, shown: Replay, publicity: Publicity
) -> MatchRow:
    """The row by which lists are ordered and searched: as the public knows the match while a
    dispute is open, but for the version, which is the last one.

    Who may read the match gets its row from `row_of`, as `as_seen` does it.
    """
    told = publicity.told(shown.version)
    known = shown if told == shown.version else shown.at(told)
    row = row_of(log_id, stream_id, opened_at, known, publicity, reach=shown.version)
    return msgspec.structs.replace(row, version=shown.version, decisions=_decisions(shown))


def _decisions(shown: Replay) -> str:
    found = decisions_of(shown)
    return msgspec.json.encode(found).decode() if found else ""


def row_of(
    log_id: str,
    stream_id: str,
    opened_at: int,
    shown: Replay,
    publicity: Publicity | None = None,
    *,
    reach: int | None = None,
) -> MatchRow:
    """A match's row, by its replay up to what may be seen of it.

    `publicity` is that of the match as it stands; left out, of what is shown. `reach`: the version
    that could be known, were it not for a dispute; left out, the last one that is shown.
    """
    score, whole = shown.state.score, shown.state.final_score
    # A match that was opened by mistake was won by nobody, whatever was recorded in it.
    winner = None if shown.state.flow.is_cancelled else shown.state.winner
    by = None if winner is None else shown.state.judged.outcome.by
    opened = shown.opened
    publicity = publicity_of(shown) if publicity is None else publicity
    findings = shown.findings
    return MatchRow(
        log_id=log_id,
        stream_id=stream_id,
        opened_at=opened_at,
        version=shown.version,
        length=score.length,
        score_one=whole.one,
        score_two=whole.two,
        games=len(score.games),
        state=_state(shown),
        winner=None if winner is None else winner.value,
        is_public=publicity.is_public,
        delay_ms=publicity.delay_ms,
        findings=len(findings),
        questions=sum(finding.is_open for finding in findings),
        rule_set=None if opened is None else opened.rule_set,
        names=_names(opened),
        event=None if opened is None or opened.event is None else opened.event.sd,
        date=None if opened is None or opened.date is None else opened.date.sd,
        source=None if opened is None or opened.source is None else opened.source.dialect,
        round=None if opened is None or opened.round is None else opened.round.sd,
        table=None if opened is None or opened.table is None else opened.table.sd,
        news=_news(shown, publicity.freezes),
        awaits_ruling=publicity.awaits_ruling(shown.version if reach is None else reach),
        won_by=None if by is None else by.value,
    )


def _state(shown: Replay) -> Stage:
    """How far a match has come."""
    if shown.state.flow.is_cancelled:
        return "cancelled"
    if shown.state.has_ended:
        return "ended"
    return "live" if shown.state.score.game_number else "waiting"


def _news(shown: Replay, freezes: tuple[Freeze, ...]) -> int:
    """The version at which a match last made news.

    What was recorded while a ruling was awaited is news with that ruling: whoever is behind the
    table comes to both later, and learns from no list or feed before that the ruling was made.
    """
    news, outcome = 1, shown.state.judged.outcome
    games = 0
    for step in shown.steps:
        before, games = games, step.after.score.game_number
        if (games and not before) or step.event.tag in _NEWS:
            news = step.event.version
    news = max(news, outcome.version) if not outcome.is_open else news
    news = max(news, _posted(shown)) if outcome.is_open and shown.state.has_ended else news
    news = max(news, _put_right(shown))
    for one in freezes:
        if one.settled is not None and one.frozen < news < one.settled <= shown.version:
            news = one.settled
    return news


def _posted(shown: Replay) -> int:
    """The version at which the result was posted, or changed, last; 0 = never."""
    tags = ("result.posted", "result.corrected")
    return max((one.event.version for one in shown.steps if one.event.tag in tags), default=0)


_NEWS = frozenset({"match.ended", "publication.released"})


def _put_right(shown: Replay) -> int:
    """The last correction of a match that was over by then; 0 = none.

    Whoever was told how it ended has to hear that it ended otherwise, or goes on.
    """
    last, taken_back = 0, set[str]()
    is_over = shown.state.has_ended
    entries: dict[str, RecordedEvent] = {}
    for event in shown.recorded:
        if event.version > shown.version:
            # What is corrected later is corrected already, and tells nobody that it will be.
            break
        entries[event.entry_id] = event
        if isinstance(event.payload, EntryRetracted | EntryAmended):
            target = entries.get(event.payload.target)
            if target is None:
                continue
            if is_over or target.entry_id in taken_back or _ends(target, shown):
                taken_back.add(event.entry_id)
                last = event.version
    return last


def _ends(event: RecordedEvent, shown: Replay) -> bool:
    """Whether the match would be over with an entry as it was recorded first."""
    if event.tag not in _ENDS:
        return False
    before = msgspec.structs.replace(shown.through(event.version - 1), recorded=())
    return before.extended([event]).state.has_ended


_ENDS = frozenset(
    {
        *("match.ended", "game.won", "play.made", "play.revised", "resignation.accepted"),
        *("cube.double_dropped", "clock.flag_noticed", "forfeit.declared", "score.stated"),
        "result.posted",
    }
)
"""Entries that may be the last one of a match."""


def _names(opened: MatchOpened | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    def side(players: tuple[Player, ...]) -> tuple[str, ...]:
        return tuple(player.name.sd for player in players if player.name is not None)

    return ((), ()) if opened is None else (side(opened.players.one), side(opened.players.two))
