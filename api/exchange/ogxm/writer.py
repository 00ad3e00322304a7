"""Writes a replayed match as OGXM v2: plies, results, and notes for what it has no field for."""

from __future__ import annotations

import datetime
from bisect import bisect_right
from collections.abc import Mapping

from api.exchange.ogxm.acts import GameWriter, Told
from api.exchange.ogxm.codec import Document, Part, check, encoded
from api.exchange.ogxm.films import add_film, unwritten
from api.exchange.ogxm.notes import MATCH, MAX_BYTES, SCORE, Place, cut, line, storable
from api.exchange.ogxm.table import Table
from api.exchange.prose.clear import clear_body
from api.exchange.writing.kinds import NOTE
from api.exchange.writing.story import Game, Story, told
from api.exchange.writing.wanted import WITHHELD, Loss, Wanted, Writer, Written
from events.payloads.match import MatchOpened
from events.values import BySeat, Seat
from projections.replay import Replay, Step

TRANSCRIBED = 3
"""The source of our files: transcribed from a table."""

MAX_EVENT_BYTES = 120
MAX_TABLE_BYTES = 24

_BESIDE_EVENTS = frozenset({"claim", "cube", "opening-tie", "no-roll"})
"""Kinds of loss that are reported for single events, which then are notes too."""

_TOLD_ELSEWHERE = ("players", "source", "publication", "shadow_of", "length", "score_at_start")
"""Members of `match.opened` that have a field, or that are about another record."""


class _Writer:
    def __init__(self, story: Story, wanted: Wanted) -> None:
        self.story = story
        self.replay = story.replay
        self.wanted = wanted
        self.told = Told(story, wanted)
        self.losses, self.notes = self.told.losses, self.told.notes
        self.timed: set[int] = set()
        """Versions of the events whose time is a clock reading."""
        self.has_crawford = False
        """Whether a reader has passed the Crawford game."""

    def whole(self) -> Document:
        """The match with its notes, and every loss noted."""
        document = self.document()
        self.note_events()
        self.note_findings()
        self.lose_the_rest()
        document["annotations"], left_out = self.notes.written(self.told.plies)
        for version in left_out:
            self.losses.note("limit", "note", version)
        if not document["annotations"]:
            del document["annotations"]
        return document

    # -- the match -----------------------------------------------------------------------------

    def document(self) -> Document:
        """The whole match."""
        games = self.story.games
        document = self.context()
        length: int = document["match_length"]
        score = games[0].score if games else BySeat(0, 0)
        if any(score):
            document |= {"white_score_start": score.one, "black_score_start": score.two}
        if games and self.is_after_crawford(games[0], length):
            document["crawford_played_before_start"] = True
            self.has_crawford = True
        document["games"] = []
        for number, game in enumerate(games):
            self.compare_score(number, game, score)
            table = Table(is_crawford=self.derived_crawford(score, length))
            self.compare_crawford(number, game, is_crawford=table.is_crawford)
            self.told.places.append((game.step.event.version, Place(1, number)))
            has_beavers = document["beavers"]
            GameWriter(self.told, number, game, table, has_beavers=has_beavers).write()
            self.told.plies += len(table.plies)
            document["games"].append({"plies": table.plies, **table.record})
            score = self.score_after(score, table.record, length)
        self.add_clock(document)
        film = add_film(document, self.replay, self.wanted.films, self.told.versions)
        for version in unwritten(self.replay, film, self.told.versions):
            self.losses.note("film", "film", version)
        return document

    def context(self) -> Document:
        """Names, rules and whatever else of the opening may be shown."""
        opened, rules = self.replay.opened, self.replay.rules
        length = self.replay.state.score.length
        names = self.wanted.names or WITHHELD
        document: Document = {
            "ogxm": {"major": 2, "minor": 0},
            "match_length": length or 0,
            "player_white": self.name(Seat.ONE, names.one),
            "player_black": self.name(Seat.TWO, names.two),
            "crawford": length is not None and self.replay.has_crawford,
            "jacoby": length is None and rules.is_on("jacoby"),
            "beavers": rules.is_on("beavers"),
            "auto_doubles": rules.is_on("automatic_doubles"),
            "source": TRANSCRIBED,
            "checksum": "crc32",
        }
        self.add_details(document)
        if opened is not None:
            self.lose_opening(opened)
        return document

    def name(self, seat: Seat, name: str) -> str:
        """A name in the form that the format can hold."""
        held = cut(storable(name), MAX_BYTES)
        if held != name:
            self.losses.note("name", f"seat {seat.value}", 1)
        return held

    def add_details(self, document: Document) -> None:
        """Event, round, table, place, date and transcriber; what fits no field becomes a note."""
        details = self.wanted.details
        for member in details.__struct_fields__:
            text: str | BySeat[str | None] | None = getattr(details, member)
            if not isinstance(text, str) or not text:
                continue
            plain = storable(text)
            if member == "event" and len(plain.encode()) <= MAX_EVENT_BYTES:
                document["event"] = plain
            elif member == "round" and plain.isdecimal() and 1 <= int(plain) <= 99:
                document["round"] = int(plain)
            elif member == "table" and len(plain.encode()) <= MAX_TABLE_BYTES:
                document["table"] = plain
            else:
                if member == "date" and (began := _began(plain)) is not None:
                    document |= {"started_at": began, "date_precision": "day"}
                    if len(plain) == _DAY:
                        continue
                self.notes.add(MATCH, member, plain, 1)
                self.losses.note(NOTE, member, 1)

    def lose_opening(self, opened: MatchOpened) -> None:
        """Personal values that may not be shown, or that have no field."""
        for member in ("event", "round", "table", "division", "place", "date", "appointed_start"):
            shown = getattr(self.wanted.details, member, None)
            if getattr(opened, member) is not None and not shown:
                self.losses.note("header", member, 1)
        if opened.transcriber is not None and not self.wanted.details.transcriber:
            self.losses.note("header", "transcriber", 1)
        if opened.source is not None:
            self.losses.note("header", "source", 1)
        self.losses.lose_players(opened, are_named=self.wanted.names is not None)

    # -- what a reader derives -----------------------------------------------------------------

    def is_after_crawford(self, game: Game, length: int) -> bool:
        """Whether the Crawford game was before the first one that is written."""
        is_near = bool(length) and max(game.score) == length - 1 != min(game.score)
        return is_near and self.replay.has_crawford and not game.is_crawford

    def derived_crawford(self, score: BySeat[int], length: int) -> bool:
        """Whether a reader takes the game for the Crawford game: the first one at 1-away."""
        if not length or not self.replay.has_crawford or self.has_crawford:
            return False
        if length - 1 not in tuple(score):
            return False
        self.has_crawford = True
        return max(score) < length

    def compare_crawford(self, number: int, game: Game, *, is_crawford: bool) -> None:
        """Note the Crawford game if a reader derives another; not at double match point."""
        if game.is_crawford is is_crawford or game.score.one == game.score.two:
            return
        version = game.step.event.version
        word = "yes" if game.is_crawford else "no"
        self.notes.add(Place(1, number), "crawford", word, version)
        self.losses.note("crawford", f"game {number + 1}", version)

    def compare_score(self, number: int, game: Game, derived: BySeat[int]) -> None:
        """Note the score if a reader derives another: penalties, corrections, a stated score."""
        length = self.replay.state.score.length
        ours = game.score if length is None else game.score.map(lambda points: min(points, length))
        if ours == derived:
            return
        version = game.step.event.version
        self.notes.add(Place(1, number), SCORE, f"{game.score.one}-{game.score.two}", version)
        self.losses.note("score", f"game {number + 1}", version)

    def score_after(self, score: BySeat[int], record: Part, length: int) -> BySeat[int]:
        """The score as a reader sums it up: at most the length."""
        if "winner" not in record:
            return score
        seat = (Seat.ONE, Seat.TWO)[record["winner"]]
        points: int = record["points_won"]
        if length:
            points = max(0, min(points, length - score[seat]))
        return score.update(seat, lambda known: known + points)

    # -- the clock -----------------------------------------------------------------------------

    def add_clock(self, document: Document) -> None:
        """One reading a ply, if all were recorded, none decreases, and the terms are known."""
        terms = None if self.replay.opened is None else self.replay.opened.clock_terms
        times = [at_ms for at_ms in self.told.times if at_ms is not None]
        if not self.wanted.clocks or terms is None or not times or None in self.told.times:
            return
        if times != sorted(times) or times[-1] - times[0] > 2**32 - 1:
            return
        delay, increment = terms.delay_ms, 0
        if terms.kind == "fischer":
            delay, increment = 0, terms.delay_ms
        if max(terms.reserve_ms, terms.delay_ms) > 2**32 - 1:
            return
        document["clock_info"] = {
            "reserve_ms": terms.reserve_ms,
            "delay_ms": delay,
            "increment_ms": increment,
            "start_timestamp": 0,
        }
        plies = [ply for game in document["games"] for ply in game["plies"]]
        for ply, at_ms in zip(plies, times, strict=True):
            ply["timestamp_ms"] = at_ms - times[0]
        # The clock begins with the first ply, in steps of ten milliseconds.
        if times[0] == 0 and not any(at_ms % 10 for at_ms in times):
            self.timed = {version for version, place in self.told.places if place.scope == 2}

    # -- notes ---------------------------------------------------------------------------------

    def place_of(self, version: int) -> Place:
        """The place of a note about an event: the last ply, game or match begun before it."""
        places = self.told.places
        return places[bisect_right(places, version, key=lambda known: known[0]) - 1][1]

    def note_events(self) -> None:
        """Every event that is stored only as text."""
        self.told.places.sort()
        kinds_at = self.losses.kinds_at()
        for step in self.replay.steps:
            event = step.event
            kinds = kinds_at.get(event.version, set())
            if NOTE in kinds or kinds & _BESIDE_EVENTS or event.tag == "match.opened":
                text = line({"type": event.tag, "version": event.version, "body": _body(step)})
                self.notes.add(self.place_of(event.version), "events", text, event.version)

    def note_findings(self) -> None:
        """Every finding, at the event of which it was found."""
        for finding in self.replay.findings:
            if not self.wanted.findings:
                self.losses.note("finding", finding.code, finding.version)
                continue
            place = self.place_of(finding.version)
            self.notes.add(place, "findings", line(finding.as_json()), finding.version)
            self.losses.note(NOTE, f"finding {finding.code}", finding.version)

    def lose_the_rest(self) -> None:
        """What every event loses."""
        kinds_at = self.losses.kinds_at()
        for step in self.replay.steps:
            event = step.event
            self.losses.note("proof", event.tag, event.version)
            at_ms = getattr(event.payload, "at_ms", None)
            is_noted = NOTE in kinds_at.get(event.version, ())
            if at_ms is not None and not is_noted and event.version not in self.timed:
                self.losses.note("time", event.tag, event.version)
        for event in self.replay.recorded:
            if event.tag in ("entry.retracted", "entry.amended"):
                self.losses.note("entry", event.tag, event.version)


_DAY = len("2026-01-31")


def _began(date: str) -> int | None:
    """Midnight of an ISO day, or of `2026.01.31`, in milliseconds; None if it is not a day.

    For a time such as `2026-01-31T18:30` it is the day, because the time zone is not known.
    """
    try:
        day = datetime.date.fromisoformat(date[:_DAY].replace(".", "-"))
    except ValueError:
        return None
    if date[_DAY:][:1] not in ("", "T") or day.year < 1970:
        return None
    return (day - datetime.date(1970, 1, 1)).days * 86_400_000


def _body(step: Step) -> Mapping[str, object]:
    """The values of an event that are not personal."""
    payload = step.event.payload
    body = clear_body(payload)
    if isinstance(payload, MatchOpened):
        for member in _TOLD_ELSEWHERE:
            body.pop(member, None)
    return body


def _write(replay: Replay, wanted: Wanted) -> Written:
    writer = _Writer(told(replay), wanted)
    return Written(encoded(writer.whole()), writer.losses.listed())


def _losses(story: Story, wanted: Wanted) -> tuple[Loss, ...]:
    writer = _Writer(story, wanted)
    check(writer.whole())
    return writer.losses.listed()


WRITER = Writer(
    name="ogxm",
    title="for HedgeHog, OpenGammon and GammonView: illegal plays kept, the rest as notes",
    media_type="application/vnd.ogxm",
    write=_write,
    losses=_losses,
    marks_illegal=True,
)
"""The format, as the registry of writers has it."""
