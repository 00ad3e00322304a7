"""Finished games and the score: how games are won, valued and reopened, and the Crawford phase.

Shared by the fold of the score, the comparison of claims and the rulings on games.
"""

from __future__ import annotations

import enum

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads.base import Payload, WinKind
from events.payloads.dispute import RulingCarriedOut
from events.values import BAR, OFF, ONE, TWO, BySeat, Seat
from projections.folding.concessions import Concession
from projections.folding.findings import Finding, found, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import Said, said
from projections.rules.answers import Answer
from projections.rules.subjects.game_worth import SCORE_GAMMON, GammonFacts

Result = tuple["Score", tuple[Finding, ...]]


class CrawfordPhase(enum.StrEnum):
    """Where the match stands with the game that is played without the cube."""

    NONE = "none"
    """Money, or Crawford is not in force."""
    BEFORE = "before"
    CRAWFORD = "crawford"
    AFTER = "after"


class EndedBy(enum.StrEnum):
    """What ended a game."""

    BOARD = "board"
    DROP = "drop"
    RESIGNATION = "resignation"
    CLAIM = "claim"
    RULING = "ruling"


class GameResult(msgspec.Struct, frozen=True, gc=False):
    """One game that is over."""

    number: int
    """Number of the game in this record, from 1."""
    winner: Seat
    """Who won it."""
    points: int
    """What it was worth, uncapped."""
    kind: WinKind | None
    """Level; None where only points are known."""
    ended_by: EndedBy
    """What ended it."""
    version: int
    """Version of the event that ended it."""


class Score(msgspec.Struct, frozen=True, gc=False):
    """The match so far."""

    score: BySeat[int] = BySeat(0, 0)
    """Points, uncapped."""
    length: int | None = None
    """Points needed to win; None = money."""
    phase: CrawfordPhase = CrawfordPhase.NONE
    """Of the game in progress, or of the last one."""
    crawford_played: bool = False
    """Whether the Crawford game is over."""
    games: tuple[GameResult, ...] = ()
    """Games that are over, in order."""
    game_number: int = 0
    """Number of the game in progress or the last one, from 1 in this record."""
    ended_at: int = 0
    """Version of the event that ended the last game; 0 = none."""
    reopened_at: int = 0
    """Version of the event that undid the end of the last game; 0 = none."""
    unseen_at: int = 0
    """Version of the `play.unseen` of whole games since which the score is not known; 0 = none."""
    decided: Seat | None = None
    """Who was given the match by a forfeit or a disqualification."""
    has_ended: bool = False
    """Whether the end of the match was claimed, and it has not gone on since."""
    gammon: Answer | None = None
    """What the rule set says to a gammon under Jacoby, if the last game ended with one."""
    set_at: int = 0
    """Version of the last event that set the score otherwise than by a game; 0 = none."""
    revalued_at: int = 0
    """Version of the last event that made a game count otherwise than it did; 0 = none."""
    phased_at: int = 0
    """Version of the last event by whose score the phase was told; 0 = none."""
    is_crawford_adopted: bool = False
    """Whether a ruling has adopted the Crawford rule, which the text leaves open."""
    concession: Concession | None = None
    """The last game that was given away, with what the rule set says to that."""
    plays_on: bool = False
    """Whether a ruling let the match go on although somebody has reached the length."""

    @property
    def winner(self) -> Seat | None:
        """Who has reached the length; None for money, while nobody has, and if both are level.

        For two who are level, the score does not say who was first. None also if a ruling let the
        match go on.
        """
        if self.decided is not None:
            return self.decided
        one, two = self.score.one, self.score.two
        if self.plays_on or self.length is None or max(one, two) < self.length or one == two:
            return None
        return ONE if one > two else TWO

    @property
    def given_at(self) -> int:
        """Version of the last event by which a game was given away; 0 = none."""
        return 0 if self.concession is None else self.concession.version

    @property
    def kept_at(self) -> int:
        """Version of the last concession by which the game does not end; 0 = none."""
        last = self.concession
        return last.version if last is not None and last.is_disallowed else 0

    @property
    def is_crawford_game(self) -> bool:
        """Whether the game in progress is the Crawford game."""
        return self.phase is CrawfordPhase.CRAWFORD

    def is_as(self, other: object) -> bool:
        """Whether it is the same score, apart from claims that the match is over."""
        return isinstance(other, Score) and replace(self, has_ended=other.has_ended) == other

    def away(self, seat: Seat) -> int | None:
        """Points that `seat` still needs; None = money."""
        return None if self.length is None else max(0, self.length - self.score[seat])


def game_started(state: Score, event: RecordedEvent, begun: Payload, seen: Seen) -> Result:
    """A game starts; a finding if another one has no end, or the match is won."""
    findings: list[Finding] = []
    if seen.flow.in_game:
        cite = seen.rules.cite("ending")
        message = said("game {game} has no end, and another one starts", game=state.game_number)
        findings.append(found("game-in-progress", event, message, cite=cite))
    winner = seen.outcome.winner
    # A ruling that sets up a board lets the match go on, even if it was given to somebody.
    is_over = winner is not None and not isinstance(begun, RulingCarriedOut)
    if winner is not None and is_over:
        cite = seen.rules.cite("match.end")
        message = said("{winner} has won the match, and another game starts", winner=winner)
        findings.append(found("game-after-match", event, message, cite=cite))
    # A match said to be over that nobody had won goes on with this game.
    has_ended = state.has_ended and is_over
    new = replace(state, game_number=state.game_number + 1, has_ended=has_ended)
    return in_phase(new, event, seen), tuple(findings)


def whole_score(state: Score, event: RecordedEvent, seen: Seen) -> BySeat[int]:
    """The score with penalty points that enter it, which a score just stated includes."""
    if state.set_at == event.version:
        return state.score
    return seen.penalties.both_scores(state.score)[0]


def in_phase(state: Score, event: RecordedEvent, seen: Seen) -> Score:
    """The state with the phase of a game that starts now, by the points that enter the score."""
    phase = crawford_phase(
        whole_score(state, event, seen),
        by_games=state.score,
        length=state.length,
        is_in_force=seen.rules.is_on("crawford") or state.is_crawford_adopted,
        was_played=state.crawford_played,
    )
    return replace(state, phase=phase, phased_at=event.version)


def crawford_phase(
    score: BySeat[int],
    *,
    by_games: BySeat[int],
    length: int | None,
    is_in_force: bool,
    was_played: bool,
) -> CrawfordPhase:
    """The phase of a game that starts at `score`; the first with a side a point away is Crawford.

    `by_games`: the score without penalty points that entered it since it was stated.
    """
    if length is None or not is_in_force:
        return CrawfordPhase.NONE
    if was_played:
        return CrawfordPhase.AFTER
    one_away = [points == length - 1 for points in score]
    # In a 1-point match both begin a point away; in another one penalty points bring both to that
    # before that game, and no games do.
    is_by_points = length == 1 or min(by_games) < length - 1
    is_first = one_away[0] != one_away[1] or (one_away[0] and is_by_points)
    return CrawfordPhase.CRAWFORD if is_first else CrawfordPhase.BEFORE


def game_won(
    state: Score,
    event: RecordedEvent,
    winner: Seat,
    points: int,
    kind: WinKind | None,
    ended_by: EndedBy,
) -> Score:
    """The game that is over now, and its points."""
    result = GameResult(state.game_number, winner, points, kind, ended_by, event.version)
    return replace(
        state,
        score=state.score.put(winner, state.score[winner] + points),
        games=(*state.games, result),
        crawford_played=state.crawford_played or state.phase is CrawfordPhase.CRAWFORD,
        ended_at=event.version,
    )


def game_reopened(state: Score, event: RecordedEvent) -> Score:
    """The last game is reopened, and its points are taken back."""
    *games, last = state.games
    points = max(0, state.score[last.winner] - last.points)
    return replace(
        state,
        score=state.score.put(last.winner, points),
        games=tuple(games),
        crawford_played=state.crawford_played and state.phase is not CrawfordPhase.CRAWFORD,
        ended_at=games[-1].version if games else 0,
        reopened_at=event.version,
        has_ended=False,
    )


def level_of(loser: tuple[int, ...]) -> WinKind:
    """Single, gammon or backgammon, by the loser's board (26 counts, own side)."""
    if loser[OFF] > 0:
        return WinKind.SINGLE
    # The winner's home board is the loser's points 19 to 24.
    if loser[BAR] or any(loser[19:25]):
        return WinKind.BACKGAMMON
    return WinKind.GAMMON


def won_at(
    state: Score,
    event: RecordedEvent,
    winner: Seat,
    kind: WinKind,
    ended_by: EndedBy,
    seen: Seen,
) -> Result:
    """The result of a game at a level: cube value times level, unless the Jacoby rule applies."""
    value = seen.cube.value
    points = value * kind.factor
    if kind is WinKind.SINGLE or seen.cube.turned or not seen.rules.is_on("jacoby"):
        new = game_won(state, event, winner, points, kind, ended_by)
        return (new if new.gammon is None else replace(new, gammon=None)), NOTHING
    facts = GammonFacts(winner, value, kind.factor, seen.score.length is None)
    answer = seen.rules.ask(SCORE_GAMMON, facts)
    points = answer.details.get("points", points)
    new = game_won(state, event, winner, points, kind, ended_by)
    new = replace(new, gammon=answer)
    if not answer.is_open:
        return new, NOTHING
    message = said(
        "{winner} wins a {kind} without a double, and Jacoby's rule was agreed; "
        "whether it counts is for the Director to decide, and until then it counts {points}",
        winner=winner,
        kind=Said(kind.value),
        points=points,
    )
    topic = "score.gammon"
    return new, (judged("gammon-open", event, message, answer, topic, seen.rules, seat=winner),)


def awarded(
    state: Score, event: RecordedEvent, winner: Seat, level: WinKind | None, seen: Seen
) -> Result:
    """A game that the Director gives to a seat, at a level or as the board has it."""
    board = seen.positions.board
    if level is None and board is not None:
        level = level_of(board.other if winner is ONE else board.own)
    return won_at(state, event, winner, level or WinKind.SINGLE, EndedBy.RULING, seen)


def with_score(
    state: Score,
    event: RecordedEvent,
    score: BySeat[int] | None,
    played: bool | None,
    seen: Seen,
) -> Score:
    """The state with another score; `played` None = unknown, as far as the score allows that.

    A game in progress has the phase of the new score from here on; what was done in it before was
    judged by the old one.
    """
    is_said = score is not None or played is not None
    is_other = score is not None and score != whole_score(state, event, seen)
    if score is not None:
        state = replace(state, score=score, unseen_at=0, set_at=event.version)
    if played is None:
        # The Crawford game cannot have been played before somebody was a point away.
        may_be = state.length is None or max(whole_score(state, event, seen)) >= state.length - 1
        played = state.crawford_played and may_be
    if played is not state.crawford_played:
        is_other = is_said
        state = replace(state, crawford_played=played)
    goes_on = seen.flow.in_game and state.ended_at != event.version
    if goes_on and (is_other or (is_said and seen.flow.awaits_opening)):
        return in_phase(state, event, seen)
    return state
