"""Reads OGXM files, streams and documents into facts: match context, notes, games, the result."""

from __future__ import annotations

import datetime
import hashlib
import operator
import re
from collections import defaultdict
from collections.abc import Mapping

import msgspec

from api.exchange.ogxm.codec import Document, Part, documents
from api.exchange.ogxm.films import read_film
from api.exchange.ogxm.game import GameReader
from api.exchange.ogxm.notes import DETAILS, PREFIX, ROLL, SCORE
from api.exchange.reading.ending import MAX_POINTS, Outcome
from api.exchange.reading.facts import (
    AGAIN,
    LEAVE_OUT,
    LENGTH,
    ClaimedResult,
    Ended,
    Fact,
    NoticeCode,
    ReadMatch,
    Refused,
    Source,
)
from api.exchange.reading.game import sides_of
from api.exchange.reading.match import MAX_LENGTH, MatchTelling
from events.payloads.clock import ClockKind
from events.payloads.match import GameStarted, ScoreStated
from events.values import BySeat, Seat

DIALECT = "ogxm"
"""All writers of OGXM use one codec, so there is one dialect."""

_OPTIONS = (
    *(("crawford", "crawford"), ("jacoby", "jacoby"), ("beavers", "beavers")),
    ("automatic_doubles", "auto_doubles"),
)
"""Options of `match.opened`, and the fields that state them."""

_SIDES = (("white", Seat.ONE), ("black", Seat.TWO))

_NOTED_SCORE = re.compile(r"([0-9]{1,7})-([0-9]{1,7})")

_DATES = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
"""How much of a date is known, by its precision."""

_OF_THE_CODEC = {
    *("games", "ogxm", "checksum", "replay_complete", "replay_failed_game", "timestamp"),
    "video_info",
}
"""Members of a document that the codec adds, or that are read separately."""

_WITHOUT_FACT = {
    "analysis_info": "an engine's analysis",
    "analyses_info": "an engine's analyses",
    "analyses": "an engine's analyses",
    "match_signatures": "signatures over the match",
    "_sections": "sections of another version",
}
"""What a document may contain beside the match, in words for people."""


def read(data: bytes, name: str) -> list[ReadMatch]:
    """Every match of an OGXM file; `name` is the file's name.

    Raises:
        Refused: the package `ogxm` is missing, the bytes are broken, or hold another game.
    """
    source = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "encoding": "ogxm" if data[:4] == b"OGXM" else "utf-8",
        "name": name,
    }
    found = documents(data)
    if not found:
        raise Refused("no match in it", AGAIN)
    return [
        MatchReader(document, ordinal=ordinal, source=dict(source)).read()
        for ordinal, document in enumerate(found, 1)
    ]


class MatchReader(MatchTelling):
    """Reads one document. A line is the number of a ply within the match, from 1."""

    game: GameReader | None

    def __init__(self, document: Document, *, ordinal: int, source: Source) -> None:
        super().__init__(ordinal=ordinal)
        self.document = document
        self.source = source
        self.won = BySeat(0, 0)
        """Points that the games so far claim."""
        self.noted: dict[tuple[str, int], list[Part]] = defaultdict(list)
        """(scope, number) to the notes there."""
        self.details: dict[str, str] = {}
        """Details of the match that fitted no field, from our notes."""
        self.moments: list[tuple[int, int]] = []
        """(place of a fact, milliseconds of the film at which it happened)."""

    def read(self) -> ReadMatch:
        """The whole match."""
        document = self.document
        length = document["match_length"]
        if length > MAX_LENGTH:
            raise Refused(f"no match is played to {length} points", LENGTH)
        if document.get("variant", "backgammon") not in ("backgammon", "nackgammon"):
            what = f"the variant {str(document['variant'])[:40]!r} is not backgammon"
            raise Refused(what, LEAVE_OUT)
        self.length = length or None
        self.options = {
            option: "on" if document[field] else "off"
            for option, field in _OPTIONS
            if field in document and (field != "crawford" or length)
        }
        for note in document.get("annotations", ()):
            scope, ref = note["scope"], note["ref"]
            if (
                note.get("key") == PREFIX + ROLL
                and len(document["games"]) == 1
                and scope == "match"
            ):
                scope = "game"  # The codec accepts none there while nothing was played.
            self.noted[scope, ref].append(note)
        self.notes.line = 1
        self.lose()
        self.take_details()
        self.take_notes(("match", 0), 0)
        first = 0
        for number, game in enumerate(document["games"], 1):
            self.read_game(number, game, first)
            first += len(game["plies"])
        self.notes.line = max(1, first)
        return self.finish(DIALECT)

    def read_game(self, number: int, stated: Part, first: int) -> None:
        """One game, whose first ply is the one at `first`, from 0."""
        notes = self.notes
        line = first + 1
        if number == 1:
            self.start_game(1, self.stated_start(), line=line)
            self.state_crawford()
        else:
            # Later scores are computed from the games. The format states none of them; our notes
            # state those that differ.
            points = self.noted_score(number)
            self.end_game(points)
            notes.line, notes.game, notes.row = line, number, None
            self.games += 1
            if points is not None:
                self.note_score(points)
                self.won = BySeat(*map(operator.sub, points, self.start_score))
            self.printed = self.claimed_score()  # no fact: it explains a capped result
            notes.add(GameStarted(number=number), line)
        about = len(notes.facts)
        self.game = GameReader(notes, line=line, ending=self.new_ending())
        self.set_up(self.game, stated)
        self.game.read_rolls(self.noted["game", number - 1])
        self.take_notes(("game", number - 1), about)
        for place, ply in enumerate(stated["plies"], first):
            notes.line = place + 1
            known = len(notes.facts)
            told = self.noted.pop(("ply", place), [])
            self.game.read_ply(ply, told, stated["plies"][place - first + 1 :])
            about = min(known + 1, len(notes.facts))
            if "video_ms" in ply and len(notes.facts) > known:
                self.moments.append((len(notes.facts), ply["video_ms"]))
            for note in told:
                self.take_note(note, about)
        self.game.close(stated)

    def noted_score(self, number: int) -> BySeat[int] | None:
        """The score before a game, if our note says that it differs from the games."""
        notes = self.noted["game", number - 1]
        note = next((one for one in notes if one.get("key") == PREFIX + SCORE), None)
        found = None if note is None else _NOTED_SCORE.fullmatch(str(note["value"]))
        if note is None or found is None or max(int(found[1]), int(found[2])) > MAX_POINTS:
            return None
        notes.remove(note)
        return BySeat(int(found[1]), int(found[2]))

    def take_details(self) -> None:
        """Details of the match that fitted no field, from our notes at the match."""
        told = self.noted["match", 0]
        for note in list(told):
            # A long one continues in numbered notes.
            key, _, part = str(note.get("key", "")).partition("~")
            member = key.removeprefix(PREFIX)
            is_ours = key == PREFIX + member and member in DETAILS
            if not is_ours or bool(part) is not (member in self.details):
                continue
            self.details[member] = self.details.get(member, "") + str(note["value"])
            told.remove(note)

    def stated_start(self) -> BySeat[int]:
        """The score before the first game; 0-0 unless the file says otherwise."""
        document = self.document
        return BySeat(
            *(min(document.get(f"{side}_score_start", 0), MAX_POINTS) for side, _ in _SIDES)
        )

    def state_crawford(self) -> None:
        """Note that the Crawford game was played before the first game, if the file says so."""
        if self.document.get("crawford_played_before_start"):
            self.crawford_played = True
            reason = "the file says that the Crawford game was played"
            score = self.start_score
            self.notes.add(ScoreStated(score=score, crawford_played=True, reason=reason))

    def set_up(self, game: GameReader, stated: Part) -> None:
        """Board and cube with which a game starts, if they are not the usual ones."""
        if "initial_board" in stated:
            sides = sides_of(stated["initial_board"][::-1])
            if sides is None:
                message = "the position at the start is impossible"
                self.notes.remark(NoticeCode.POSITION_CONFLICT, message)
            else:
                game.state_position(*sides, reason="set in the file")
                self.notes.remark(NoticeCode.STATED_POSITION, "the game starts from a set position")
        elif self.document.get("variant") == "nackgammon":
            game.state_nackgammon()
        game.set_up_cube(stated)

    def end_game(self, following: BySeat[int] | None) -> None:
        """Finish the game being read, and count the points that it claims."""
        had = self.game is not None
        self.last = None
        super().end_game(following)
        last: Outcome | None = self.last
        if had and last is not None:
            self.won = self.won.update(last.winner, lambda points: points + last.claimed)

    def claimed_score(self) -> BySeat[int] | None:
        """The score at the start, and what each game is said to have scored."""
        if self.printed is None:
            return None
        return BySeat(
            *(
                min(start + won, MAX_POINTS)
                for start, won in zip(self.start_score, self.won, strict=True)
            )
        )

    def close(self, dialect: str, result: ClaimedResult) -> None:
        """Names and match context, as personal values."""
        document = self.document
        self.players = BySeat(*(self.player(side) for side, _ in _SIDES))
        stage, number = document.get("stage"), document.get("round")
        city = [document[name] for name in ("city", "country") if name in document]
        self.members = {
            "event": document.get("event") or "",
            "round": " ".join(str(part) for part in (stage, number) if part),
            "table": document.get("table") or "",
            "place": ", ".join(city),
            "date": self.date(),
        } | self.details
        self.source["headers"] = [
            f"{name}: {msgspec.json.encode(value).decode()}"
            for name, value in document.items()
            if name not in _OF_THE_CODEC | set(_WITHOUT_FACT) | {"annotations"}
        ]
        if "video_info" in document:
            self.add_film(document["video_info"])
        if document.get("result") == 3 and result.ended is Ended.UNFINISHED:
            self.notes.remark(NoticeCode.UNFINISHED, "the file says that the match was abandoned")

    def add_film(self, stated: Part) -> None:
        """The film and its moments, after everything that happens in it."""
        notes = self.notes
        body, lost = read_film(stated)
        notes.lost += lost
        for what in lost:
            notes.remark(NoticeCode.NO_FACT, f"{what}, which no event holds")
        notes.facts.append(Fact(None, notes.line, kind="film.attached", plain=body))
        # The opening comes before all facts, so each is one place later.
        film = len(notes.facts)
        for target, film_ms in self.moments:
            refers = (("target", target), ("film", film))
            plain = {"film_ms": film_ms}
            fact = Fact(None, notes.line, kind="film.aligned", plain=plain, refers=refers)
            notes.facts.append(fact)

    def player(self, side: str) -> dict[str, str]:
        """Name, rating and country of a side."""
        profile = self.document.get(f"{side}_profile", {})
        told = {
            "name": self.document.get(f"player_{side}") or "",
            "rating": str(profile.get("rating", "")),
            "country": profile.get("country", ""),
        }
        return {member: value for member, value in told.items() if value.strip()}

    def date(self) -> str:
        """The day or time at which the match began, as far as it is stated."""
        at_ms = self.document.get("started_at")
        if at_ms is None:
            return ""
        try:
            moment = datetime.datetime.fromtimestamp(at_ms / 1_000, datetime.UTC)
        except (OverflowError, OSError, ValueError):
            return ""
        written = _DATES.get(str(self.document.get("date_precision")))
        return moment.isoformat() if written is None else moment.strftime(written)

    def clock_terms(self) -> Mapping[str, str | int] | None:
        """How the clock was to be set; None if the file has none, or one that no event can hold."""
        clock = self.document.get("clock_info")
        if clock is None or (clock["delay_ms"] and clock["increment_ms"]):
            return None
        kind = ClockKind.NONE
        if clock["delay_ms"]:
            kind = ClockKind.SIMPLE
        elif clock["increment_ms"]:
            kind = ClockKind.FISCHER
        return {
            "kind": kind.value,
            "reserve_ms": clock["reserve_ms"],
            "delay_ms": clock["delay_ms"] or clock["increment_ms"],
        }

    # -- what no event holds -------------------------------------------------------------------

    def lose(self) -> None:
        """What the file contains beside the match, and that the codec cannot replay it."""
        document = self.document
        for member, what in _WITHOUT_FACT.items():
            if member in document:
                is_analysis = member.startswith("anal")
                code = NoticeCode.ANALYSIS if is_analysis else NoticeCode.NO_FACT
                self.notes.remark(code, f"{what}, which no event holds")
                self.notes.lost.append(what)
        clock = document.get("clock_info")
        if clock is not None and self.clock_terms() is None:
            self.notes.remark(NoticeCode.NO_FACT, "a clock with both a delay and an increment")
            self.notes.lost.append(f"clock: {msgspec.json.encode(clock).decode()}")
        if document.get("raccoons"):
            self.notes.remark(NoticeCode.NO_FACT, "raccoons are allowed, which no option says")
            self.notes.lost.append("rule: raccoons")

    def take_notes(self, where: tuple[str, int], about: int) -> None:
        """The notes at a match or game; `about` is the place of the fact that they are about."""
        for note in self.noted.pop(where, []):
            self.take_note(note, about)

    def take_note(self, note: Part, about: int) -> None:
        """Prose becomes a marked moment; no event can hold what is written for programs."""
        value = str(note["value"])
        key = note.get("key")
        if key is not None:
            self.notes.remark(NoticeCode.NO_FACT, f"a note for programs, {key[:80]!r}", raw=value)
            self.notes.lost.append(f"{key[:200]}: {value[:1_000]}")
            return
        self.notes.mark(f"{note['author']}: {value}" if note.get("author") else value, about)
