"""Turns a match of any format into facts, game by game, keeping score and result."""

from __future__ import annotations

from collections.abc import Mapping

from api.exchange.reading.ending import MAX_POINTS, Ending, Outcome
from api.exchange.reading.facts import (
    OPENED,
    ClaimedResult,
    Ended,
    Fact,
    NoticeCode,
    ReadMatch,
    Source,
)
from api.exchange.reading.game import GameTelling
from api.exchange.reading.notes import Notes
from events.payloads.match import GameStarted, MatchEnded, ScoreNoted, ScoreStated, Sheet
from events.personal import LONGEST
from events.values import BySeat, Seat

MAX_LENGTH = 1_000
"""The catalogue's own limit of a match length."""


class MatchTelling:
    """One match while it is read; a reader fills it from its source and finishes it.

    Scores and results printed in a source are claims. The score of the games is computed beside
    them, as the folds do later, so that a difference is reported at its line.
    """

    def __init__(self, *, ordinal: int = 1, line: int = 1) -> None:
        self.notes = Notes()
        self.ordinal = ordinal
        """Which match of the file, from 1."""
        self.line = line
        """Line on which it begins, from 1."""
        self.length: int | None = None
        """Points needed to win; None = money."""
        self.options: dict[str, str] = {}
        """crawford, jacoby, beavers: `on` or `off`, as far as the source states them."""
        self.players: BySeat[dict[str, str]] = BySeat({}, {})
        """`name` and `rating` of each, where the source has them."""
        self.members: dict[str, str] = {}
        """Other personal members of `match.opened`: event, round, place, date, transcriber."""
        self.source: Source = {}
        """`sha256`, `encoding`, `name` and `headers` of the file."""
        self.games = 0
        """Games begun."""
        self.start_score = BySeat(0, 0)
        self.score = BySeat(0, 0)
        """What the games make it, uncapped."""
        self.printed: BySeat[int] | None = None
        """The last score printed."""
        self.crawford_played = False
        self.is_crawford_game = False
        """Whether the last game begun is the Crawford game, by the score printed above it."""
        self.last: Outcome | None = None
        """The last game that ended, if no score was printed after it."""
        self.game: GameTelling | None = None
        """The game being read."""

    @property
    def has_crawford(self) -> bool:
        """Whether the Crawford rule is in force: in a match, unless the source says otherwise."""
        return self.length is not None and self.options.get("crawford", "on") == "on"

    @property
    def has_jacoby(self) -> bool:
        """Whether the Jacoby rule is in force: in money play, where the source says so."""
        return self.length is None and self.options.get("jacoby") == "on"

    def new_ending(self) -> Ending:
        """What will collect how the next game ends."""
        return Ending(length=self.length, jacoby=self.has_jacoby)

    def start_game(
        self,
        number: int,
        points: BySeat[int] | None,
        *,
        line: int,
        score_line: int | None = None,
        raw: str | None = None,
    ) -> None:
        """The last game is over and another one starts; `points` is the score as printed.

        `line` is its heading's, `score_line` the score's where that stands elsewhere, and `raw` the
        heading itself.
        """
        notes = self.notes
        self.end_game(points)
        notes.line, notes.game, notes.row = line, number, None
        self.games += 1
        if number != self.games:
            message = f"game {number} is number {self.games} in this file"
            notes.remark(NoticeCode.GAME_NUMBER, message, raw=raw)
        if points is None:
            notes.remark(NoticeCode.SCORE_NOT_READ, "no score line", raw=raw)
        else:
            notes.line = line if score_line is None else score_line
            self.note_score(points)
        if number < 0:
            notes.lost.append(f"line {line}: the number {number} of a game")
        notes.add(GameStarted(number=number if number >= 0 else None), line)

    def note_score(self, points: BySeat[int]) -> None:
        """A printed score is a claim; if it differs from the sum, the source is followed."""
        notes = self.notes
        if self.printed is None:
            self.start_score = self.score = points
            if any(points):
                notes.remark(NoticeCode.STARTS_LATE, "the file starts in mid-match")
        self.printed = points
        self.last = None
        notes.add(ScoreNoted(score=points, sheet=Sheet.RECORDING))
        if points != self.score:
            notes.remark(
                NoticeCode.SCORE_DIFFERS,
                f"the score line says {points.one}-{points.two}, "
                f"the games make it {self.score.one}-{self.score.two}",
            )
            reason = "score line of the file"
            notes.add(
                ScoreStated(score=points, crawford_played=self.crawford_played, reason=reason)
            )
            self.score = points
        if self.length is not None and self.has_crawford:
            one, two = (points.one == self.length - 1, points.two == self.length - 1)
            self.is_crawford_game = one != two and not self.crawford_played
            if one != two:
                self.crawford_played = True  # for every game after this one

    def end_game(self, following: BySeat[int] | None) -> None:
        """Conclude the game being read; `following` is the score printed next."""
        if self.game is None:
            return
        outcome = self.game.conclude(printed=self.printed, following=following)
        self.game = None
        if outcome is not None:
            self.last = outcome
            self.score = self.score.update(outcome.winner, lambda points: points + outcome.points)

    def finish(self, dialect: str) -> ReadMatch:
        """Close the last game and the match, and open the facts with what is known now."""
        notes = self.notes
        self.end_game(None)
        if not self.games:
            notes.remark(NoticeCode.UNFINISHED, "the match has no game", line=self.line)
        claimed = self.claimed_score()
        result = self.claimed_result(claimed)
        if result.ended is Ended.MATCH and result.winner is not None:
            notes.add(MatchEnded(winner=result.winner))
        self.close(dialect, result)
        notes.facts.insert(0, self.opened(dialect))  # which may remark something
        notes.notices.sort(key=lambda notice: notice.line or 0)
        return ReadMatch(
            facts=notes.facts,
            dialect=dialect,
            ordinal=self.ordinal,
            line=self.line,
            length=self.length,
            games=self.games,
            rolls=notes.rolls,
            claimed_score=claimed,
            result=result,
            notices=notes.notices,
            lost=notes.lost,
        )

    def close(self, dialect: str, result: ClaimedResult) -> None:
        """A hook for readers that add or remark something once all games are read."""

    def claimed_score(self) -> BySeat[int] | None:
        """The last score printed, and what is claimed after it."""
        if self.printed is None or self.last is None:
            return self.printed
        last = self.last
        return self.printed.update(
            last.winner, lambda points: min(points + last.claimed, MAX_POINTS)
        )

    def claimed_result(self, claimed: BySeat[int] | None) -> ClaimedResult:
        """Who wins, and whether the match is over."""
        last = self.last
        winner, points = (None, None) if last is None else (last.winner, last.claimed)
        if self.length is None:
            return ClaimedResult(winner, points, Ended.MONEY)
        is_over = claimed is not None and max(claimed) >= self.length
        if is_over or (last is not None and last.ends_match):
            return ClaimedResult(winner, points, Ended.MATCH)
        return ClaimedResult(winner, points, Ended.UNFINISHED)

    def opened(self, dialect: str) -> Fact:
        """`match.opened`, with names and headers in plain text for the door to commit."""
        body: dict[str, object] = {
            "players": {
                seat.value: [
                    {member: self.held(member, text) for member, text in self.players[seat].items()}
                ]
                for seat in Seat
            },
        }
        if self.length is not None:
            body["length"] = self.length
        body |= {
            member: self.held(member, value)
            for member, value in self.members.items()
            if value.strip()
        }
        if self.options:
            body["options"] = {name: {"value": value} for name, value in self.options.items()}
        if any(self.start_score):
            body["score_at_start"] = {"one": self.start_score.one, "two": self.start_score.two}
        body["source"] = {
            "sha256": self.source["sha256"],
            "dialect": dialect,
            "ordinal": self.ordinal,
            "line": self.line,
            **self.source,
        }
        terms = self.clock_terms()
        if terms is not None:
            body["clock_terms"] = terms
        return Fact(None, self.line, kind=OPENED, plain=body)

    def held(self, member: str, text: str) -> str:
        """As much of a personal value as fits an entry; a notice tells of the rest."""
        if len(text) > LONGEST:
            message = f"{member} has {len(text):,} characters, of which {LONGEST:,} are kept"
            self.notes.remark(NoticeCode.NO_FACT, message, line=self.line, raw=text)
            self.notes.lost.append(f"the end of {member}: {text[LONGEST:][:200]}")
        return text[:LONGEST]

    def clock_terms(self) -> Mapping[str, str | int] | None:
        """How the clock was to be set; None where the file states nothing, as most formats do."""
        return None
