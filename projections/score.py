"""The score: games won on the board, by drop, resignation or claim; Crawford; claims compared."""

from __future__ import annotations

import enum

import msgspec

from events.envelope import RecordedEvent
from events.payloads import cube, dispute, ending, match, penalty, play
from events.payloads.base import Payload, WinKind
from events.values import BAR, OFF, ONE, BySeat, Seat
from projections.findings import Finding, Severity, found
from projections.fold import NOTHING, Fold, Seen
from projections.rules.profile import Rules

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
    restated: bool = False
    """Whether the score was stated since the last game."""
    decided: Seat | None = None
    """Who was given the match by a forfeit or a disqualification."""
    has_ended: bool = False
    """Whether the end of the match was claimed."""

    @property
    def winner(self) -> Seat | None:
        """Who has reached the length; None in money sessions and while nobody has."""
        if self.decided is not None:
            return self.decided
        if self.length is None:
            return None
        reached = [seat for seat in Seat if self.score[seat] >= self.length]
        if not reached:
            return None
        return max(reached, key=lambda seat: self.score[seat])

    @property
    def is_crawford_game(self) -> bool:
        """Whether the game in progress is the Crawford game."""
        return self.phase is CrawfordPhase.CRAWFORD

    def away(self, seat: Seat) -> int | None:
        """Points that `seat` still needs; None = money."""
        return None if self.length is None else max(0, self.length - self.score[seat])


def evolve(state: Score, event: RecordedEvent, seen: Seen) -> Result:
    """The score after one event."""
    match event.payload:
        case play.PlayMade(seat=seat):
            return _played(state, event, seat, seen)
        case match.GameStarted():
            return _started(state, event, seen)
        case match.GameWon() as won:
            return _claimed(state, event, won, seen)
        case cube.DoubleDropped(seat=seat):
            return _dropped(state, event, seat, seen)
        case ending.ResignationAccepted():
            return _resigned(state, event, seen)
        case match.ScoreNoted() as noted:
            return _noted(state, event, noted, seen)
        case match.ScoreStated(score=score, crawford_played=played):
            return _stated(state, event, score, played, seen)
        case match.MatchOpened() as opened:
            return _opened(state, opened)
        case play.PlayRevised(target=target) | play.PlayCorrected(target=target):
            return _replayed(state, event, target, seen)
        case match.MatchEnded() as ended:
            return _match_ended(state, event, ended, seen)
        case dispute.RulingCarriedOut() as carried_out:
            return _carried_out(state, event, carried_out, seen)
        case penalty.ForfeitDeclared(seat=seat) | penalty.PlayerDisqualified(seat=seat):
            return msgspec.structs.replace(state, decided=seat.other), NOTHING
        case _:
            return state, NOTHING


def _opened(state: Score, opened: match.MatchOpened) -> Result:
    start = opened.score_at_start
    return (
        Score(
            score=BySeat(start.one, start.two),
            length=opened.length,
            crawford_played=opened.crawford_played,
        ),
        NOTHING,
    )


def _started(state: Score, event: RecordedEvent, seen: Seen) -> Result:
    findings: list[Finding] = []
    cite = seen.rules.cite("score")
    if seen.flow.in_game:
        message = f"game {state.game_number} has no end, and another one starts"
        findings.append(found("game-in-progress", event, message, cite=cite))
    if state.winner is not None:
        message = f"{state.winner.value} has won the match, and another game starts"
        findings.append(found("game-after-match", event, message, cite=cite))
    phase = crawford_phase(
        state.score,
        length=state.length,
        is_in_force=seen.rules.is_on("crawford"),
        was_played=state.crawford_played,
    )
    new = msgspec.structs.replace(
        state, phase=phase, game_number=state.game_number + 1, restated=False
    )
    return new, tuple(findings)


def crawford_phase(
    score: BySeat[int], *, length: int | None, is_in_force: bool, was_played: bool
) -> CrawfordPhase:
    """The phase of a game that starts at `score`: the first with one side a point away is it."""
    if length is None or not is_in_force:
        return CrawfordPhase.NONE
    if was_played:
        return CrawfordPhase.AFTER
    one_away = [points == length - 1 for points in score]
    return CrawfordPhase.CRAWFORD if one_away[0] != one_away[1] else CrawfordPhase.BEFORE


def _won(
    state: Score,
    event: RecordedEvent,
    winner: Seat,
    points: int,
    kind: WinKind | None,
    ended_by: EndedBy,
) -> Score:
    result = GameResult(state.game_number, winner, points, kind, ended_by, event.version)
    return msgspec.structs.replace(
        state,
        score=state.score.put(winner, state.score[winner] + points),
        games=(*state.games, result),
        crawford_played=state.crawford_played or state.phase is CrawfordPhase.CRAWFORD,
        ended_at=event.version,
    )


def _played(state: Score, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """The last checker borne off ends the game."""
    board = seen.positions.board
    if board is None or not seen.flow.in_game:
        return state, NOTHING
    counts, loser = (board.own, board.other) if seat is ONE else (board.other, board.own)
    off = counts[OFF]
    if off == 0 or sum(counts) != off:
        return state, NOTHING
    kind = level_of(loser)
    return _won(state, event, seat, game_points(kind, seen), kind, EndedBy.BOARD), NOTHING


def _replayed(state: Score, event: RecordedEvent, target: str, seen: Seen) -> Result:
    """Another play in the target's place: a game that the target ended is open, or ends anew."""
    step = seen.step_of(target)
    if step is None or step.before.score.game_number != state.game_number:
        # Later games were played since: their score is not undone by a play of an older one.
        return state, NOTHING
    before = step.before.score
    reopened = msgspec.structs.replace(
        state,
        score=before.score,
        games=before.games,
        crawford_played=before.crawford_played,
        ended_at=before.ended_at,
    )
    board = seen.positions.board
    seat: Seat | None = getattr(step.event.payload, "seat", None)
    if board is None or seat is None:
        return reopened, NOTHING
    counts, loser = (board.own, board.other) if seat is ONE else (board.other, board.own)
    if not counts[OFF] or sum(counts) != counts[OFF]:
        return reopened, NOTHING
    kind = level_of(loser)
    return _won(reopened, event, seat, game_points(kind, seen), kind, EndedBy.BOARD), NOTHING


def level_of(loser: tuple[int, ...]) -> WinKind:
    """Single, gammon or backgammon, by what the loser (26 counts, own side) has left."""
    if loser[OFF] > 0:
        return WinKind.SINGLE
    # The winner's home board is the loser's points 19 to 24.
    if loser[BAR] or any(loser[19:25]):
        return WinKind.BACKGAMMON
    return WinKind.GAMMON


def game_points(kind: WinKind, seen: Seen) -> int:
    """Cube value times level; under Jacoby a game without a turned cube is a single one."""
    value: int = seen.cube.value
    is_money = seen.score.length is None
    if is_money and seen.rules.is_on("jacoby") and not seen.cube.turned:
        return value
    return value * kind.factor


def _dropped(state: Score, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A drop ends the game at the value before the double, unless the double was void."""
    # The cube fold ran already and took the offer away; what it was stands in the flow.
    if not seen.flow.in_game or seen.flow.answering is not seat:
        return state, NOTHING
    points = seen.cube.value
    return _won(state, event, seat.other, points, WinKind.SINGLE, EndedBy.DROP), NOTHING


def _resigned(state: Score, event: RecordedEvent, seen: Seen) -> Result:
    """An accepted resignation ends the game at its level; without a level a claim has to say."""
    resigning = seen.flow.resigning
    level = seen.flow.resign_level
    if resigning is None or level is None or not seen.flow.in_game:
        return state, NOTHING
    points = game_points(level, seen)
    return _won(state, event, resigning.other, points, level, EndedBy.RESIGNATION), NOTHING


def _claimed(state: Score, event: RecordedEvent, won: match.GameWon, seen: Seen) -> Result:
    """Compare the claim with the game that is over, or let it end the game that is not."""
    cite = seen.rules.cite("ending")
    if seen.flow.in_game:
        message = (
            f"{won.winner.value} wins {won.points} by claim: neither the board, a drop nor "
            "a resignation at a stated level ends the game"
        )
        note = found(
            "ended-by-claim", event, message, cite=cite, seat=won.winner, severity=Severity.NOTE
        )
        new = _won(state, event, won.winner, won.points, won.kind, EndedBy.CLAIM)
        return new, (note,)
    if not state.games:
        message = "a win is claimed, and no game was played"
        return state, (found("outside-game", event, message, cite=cite, seat=won.winner),)
    last = state.games[-1]
    if last.winner is won.winner and last.points == won.points:
        return state, NOTHING
    needed = None
    if state.length is not None:
        needed = state.length - (state.score[last.winner] - last.points)
    is_capped = (
        last.winner is won.winner
        and won.points < last.points
        and won.points in (needed, state.length)
    )
    message = (
        f"{won.winner.value} is said to win {won.points}; "
        f"computed: {last.winner.value} wins {last.points}"
    )
    if is_capped:
        note = found("claim-capped", event, message, cite=cite, severity=Severity.NOTE)
        return state, (note,)
    return state, (found("claim-differs", event, message, cite=cite),)


def _noted(state: Score, event: RecordedEvent, noted: match.ScoreNoted, seen: Seen) -> Result:
    if noted.score is None or noted.score == state.score:
        return state, NOTHING
    whose = "the source's" if noted.keeper is None else f"{noted.keeper.value}'s"
    message = (
        f"{whose} score is {noted.score.one}-{noted.score.two}; "
        f"the games make it {state.score.one}-{state.score.two}"
    )
    cite = seen.rules.cite("score")
    return state, (found("score-differs", event, message, cite=cite, seat=noted.keeper),)


def _stated(
    state: Score, event: RecordedEvent, score: BySeat[int], played: bool, seen: Seen
) -> Result:
    findings = NOTHING
    if score != state.score:
        message = (
            f"the score is stated as {score.one}-{score.two}; "
            f"the games make it {state.score.one}-{state.score.two}"
        )
        cite = seen.rules.cite("score")
        findings = (found("score-restated", event, message, cite=cite, severity=Severity.NOTE),)
    new = msgspec.structs.replace(
        state, score=score, crawford_played=played or state.crawford_played, restated=True
    )
    return new, findings


def _match_ended(state: Score, event: RecordedEvent, ended: match.MatchEnded, seen: Seen) -> Result:
    """Compare the end as claimed; capped points are no difference."""
    new = msgspec.structs.replace(state, has_ended=True)
    differences = []
    if ended.winner is not None and state.length is not None and ended.winner is not state.winner:
        computed = "nobody" if state.winner is None else state.winner.value
        differences.append(f"winner {ended.winner.value} (computed: {computed})")
    if ended.score is not None and not _is_same_or_capped(ended.score, state):
        differences.append(
            f"score {ended.score.one}-{ended.score.two} "
            f"(computed: {state.score.one}-{state.score.two})"
        )
    if not differences:
        return new, NOTHING
    message = "the match is said to have ended with " + " and ".join(differences)
    return new, (found("result-differs", event, message, cite=seen.rules.cite("score")),)


def _is_same_or_capped(claimed: BySeat[int], state: Score) -> bool:
    if claimed == state.score:
        return True
    length = state.length
    return length is not None and claimed == state.score.map(lambda points: min(points, length))


def _carried_out(
    state: Score, event: RecordedEvent, carried_out: dispute.RulingCarriedOut, seen: Seen
) -> Result:
    new = state
    if carried_out.game_over is not None and seen.flow.in_game:
        before = state.score[carried_out.game_over]
        after = before if carried_out.score is None else carried_out.score[carried_out.game_over]
        points = max(0, after - before)
        new = _won(new, event, carried_out.game_over, points, None, EndedBy.RULING)
    if carried_out.score is not None:
        new = msgspec.structs.replace(new, score=carried_out.score)
    if carried_out.crawford_played is not None:
        new = msgspec.structs.replace(new, crawford_played=carried_out.crawford_played)
    return new, NOTHING


_HEARS: tuple[type[Payload], ...] = (
    play.PlayMade,
    play.PlayRevised,
    play.PlayCorrected,
    match.MatchOpened,
    match.GameStarted,
    match.GameWon,
    match.ScoreNoted,
    match.ScoreStated,
    match.MatchEnded,
    cube.DoubleDropped,
    ending.ResignationAccepted,
    dispute.RulingCarriedOut,
    penalty.ForfeitDeclared,
    penalty.PlayerDisqualified,
)


def initial(rules: Rules) -> Score:
    """Nothing played, no length known."""
    return Score()


FOLD: Fold[Score] = Fold("score", _HEARS, initial, evolve)
"""The score's fold."""
