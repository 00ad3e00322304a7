"""The score: games won on the board, by drop, resignation or claim; Crawford; claims compared."""

from __future__ import annotations

import enum

import msgspec

from events.envelope import RecordedEvent
from events.payloads import cube, dispute, ending, match, penalty, play
from events.payloads.base import Payload, WinKind
from events.values import BAR, OFF, ONE, BySeat, Seat
from projections.findings import Finding, Severity, found, judged
from projections.fold import NOTHING, Fold, Seen, cube_act, first_play, is_just_dropped
from projections.rules.answers import Answer
from projections.rules.cube_acts import GammonFacts
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
    reopened_at: int = 0
    """Version of the event that undid the end of the last game; 0 = none."""
    unseen_at: int = 0
    """Version of the `play.unseen` of whole games since which the score is not known; 0 = none."""
    decided: Seat | None = None
    """Who was given the match by a forfeit or a disqualification."""
    has_ended: bool = False
    """Whether the end of the match was claimed."""
    gammon: Answer | None = None
    """What the rule set says to a gammon under Jacoby, if the last game ended with one."""

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
        case cube.CubeActionVoided(target=target):
            return _cube_voided(state, event, target, seen), NOTHING
        case ending.ResignationAccepted(seat=seat):
            return _resigned(state, event, seat, seen)
        case match.ScoreNoted() as noted:
            return _noted(state, event, noted, seen)
        case match.ScoreStated() as stated:
            return _stated(state, event, stated, seen)
        case match.MatchOpened() as opened:
            return _opened(state, opened)
        case play.PlayRevised() | play.PlayCorrected():
            return _replayed(state, event, seen)
        case play.PositionStated():
            # A board stated between games begins one.
            return (state, NOTHING) if seen.flow.in_game else _started(state, event, seen)
        case play.PlayUnseen(spans=play.UnseenSpan.GAMES):
            return msgspec.structs.replace(state, unseen_at=event.version), NOTHING
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
    new = msgspec.structs.replace(state, game_number=state.game_number + 1)
    return _in_phase(new, seen), tuple(findings)


def _in_phase(state: Score, seen: Seen) -> Score:
    """The state with the phase of a game that starts now."""
    phase = crawford_phase(
        state.score,
        length=state.length,
        is_in_force=seen.rules.is_on("crawford"),
        was_played=state.crawford_played,
    )
    return msgspec.structs.replace(state, phase=phase)


def crawford_phase(
    score: BySeat[int], *, length: int | None, is_in_force: bool, was_played: bool
) -> CrawfordPhase:
    """The phase of a game that starts at `score`: the first with one side a point away is it."""
    if length is None or not is_in_force:
        return CrawfordPhase.NONE
    if was_played:
        return CrawfordPhase.AFTER
    one_away = [points == length - 1 for points in score]
    # In a 1-point match both begin a point away; no other match comes to that before that game.
    is_first = one_away[0] != one_away[1] or length == 1
    return CrawfordPhase.CRAWFORD if is_first else CrawfordPhase.BEFORE


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
    return _valued(state, event, seat, level_of(loser), EndedBy.BOARD, seen)


def _reopened(state: Score, event: RecordedEvent) -> Score:
    """The last game goes on: what it was worth is taken back."""
    *games, last = state.games
    points = max(0, state.score[last.winner] - last.points)
    return msgspec.structs.replace(
        state,
        score=state.score.put(last.winner, points),
        games=tuple(games),
        crawford_played=state.crawford_played and state.phase is not CrawfordPhase.CRAWFORD,
        ended_at=games[-1].version if games else 0,
        reopened_at=event.version,
    )


def _replayed(state: Score, event: RecordedEvent, seen: Seen) -> Result:
    """Another play in the target's place: a game that ended since is open, or ends anew."""
    step = first_play(seen, event)
    if step is None:
        return state, NOTHING
    if not seen.flow.in_game:
        if len(state.games) == len(step.before.score.games):
            # The match was given away in mid-game: no play brings that back.
            return state, NOTHING
        state = _reopened(state, event)
    board = seen.positions.board
    seat: Seat = step.event.payload.seat
    if board is None:
        return state, NOTHING
    counts, loser = (board.own, board.other) if seat is ONE else (board.other, board.own)
    if not counts[OFF] or sum(counts) != counts[OFF]:
        return state, NOTHING
    return _valued(state, event, seat, level_of(loser), EndedBy.BOARD, seen)


def _cube_voided(state: Score, event: RecordedEvent, target: str, seen: Seen) -> Score:
    """A game that a drop ended goes on where the double, or the drop, is declared void."""
    step = cube_act(seen, target)
    if step is None or not is_just_dropped(step.before, seen):
        return state
    return _reopened(state, event)


def level_of(loser: tuple[int, ...]) -> WinKind:
    """Single, gammon or backgammon, by what the loser (26 counts, own side) has left."""
    if loser[OFF] > 0:
        return WinKind.SINGLE
    # The winner's home board is the loser's points 19 to 24.
    if loser[BAR] or any(loser[19:25]):
        return WinKind.BACKGAMMON
    return WinKind.GAMMON


def _valued(
    state: Score,
    event: RecordedEvent,
    winner: Seat,
    kind: WinKind,
    ended_by: EndedBy,
    seen: Seen,
) -> Result:
    """A game that ended at a level: cube value times level, unless Jacoby has a say in it."""
    value: int = seen.cube.value
    points = value * kind.factor
    if kind is WinKind.SINGLE or seen.cube.turned or not seen.rules.is_on("jacoby"):
        new = _won(state, event, winner, points, kind, ended_by)
        return (new if new.gammon is None else msgspec.structs.replace(new, gammon=None)), NOTHING
    facts = GammonFacts(winner, value, kind.factor, seen.score.length is None)
    answer = seen.rules.ask("score.gammon", facts)
    points = answer.details.get("points", points)
    new = _won(state, event, winner, points, kind, ended_by)
    new = msgspec.structs.replace(new, gammon=answer)
    if not answer.is_open:
        return new, NOTHING
    message = f"a {kind.value} without a double under Jacoby counts {points} until it is ruled"
    finding = judged(
        "gammon-open",
        event,
        message,
        answer=answer,
        rule_set=seen.rules.profile.id,
        topic="score.gammon",
        seat=winner,
    )
    return new, (finding,)


def _dropped(state: Score, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A drop ends the game at the value before the double, unless the double was void."""
    # The cube fold ran already and took the offer away; what it was stands in the flow.
    if not seen.flow.in_game or seen.flow.answering is not seat:
        return state, NOTHING
    if seen.cube.kept_at == event.version:
        # Under the rule set the match cannot end so: the game goes on.
        return state, NOTHING
    points = seen.cube.value
    return _won(state, event, seat.other, points, WinKind.SINGLE, EndedBy.DROP), NOTHING


def _resigned(state: Score, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """An accepted resignation ends the game at its level; without a level a claim has to say."""
    resigning = seen.flow.resigning
    level = seen.flow.resign_level
    if resigning is None or resigning is seat or level is None or not seen.flow.in_game:
        return state, NOTHING
    return _valued(state, event, seat, level, EndedBy.RESIGNATION, seen)


def _claimed(state: Score, event: RecordedEvent, won: match.GameWon, seen: Seen) -> Result:
    """Compare the claim with the game that is over, or let it end the game that is not."""
    cite = seen.rules.cite("ending")
    if seen.flow.in_game or state.unseen_at > state.ended_at:
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
    message = (
        f"{won.winner.value} is said to win {won.points}; "
        f"computed: {last.winner.value} wins {last.points}"
    )
    if last.winner is won.winner and _is_capped(state, last, won.points):
        note = found("claim-capped", event, message, cite=cite, severity=Severity.NOTE)
        return state, (note,)
    return state, (found("claim-differs", event, message, cite=cite),)


def _is_capped(state: Score, last: GameResult, claimed: int) -> bool:
    """Whether a source wrote what the match needed, or its length, in the place of the points."""
    if state.length is None or claimed >= last.points:
        return False
    needed = state.length - (state.score[last.winner] - last.points)
    return claimed in (needed, state.length)


def _noted(state: Score, event: RecordedEvent, noted: match.ScoreNoted, seen: Seen) -> Result:
    if noted.score is None or _agrees(noted.score, state):
        return state, NOTHING
    whose = "the source's" if noted.keeper is None else f"{noted.keeper.value}'s"
    return state, (_differs(state, event, f"{whose} score is", noted.score, noted.keeper, seen),)


def _differs(
    state: Score,
    event: RecordedEvent,
    said: str,
    score: BySeat[int],
    keeper: Seat | None,
    seen: Seen,
) -> Finding:
    message = (
        f"{said} {score.one}-{score.two}; the games make it {state.score.one}-{state.score.two}"
    )
    return found("score-differs", event, message, cite=seen.rules.cite("score"), seat=keeper)


def _stated(state: Score, event: RecordedEvent, stated: match.ScoreStated, seen: Seen) -> Result:
    score = stated.score
    if not event.basis.settles:
        # One side's word is a claim like any other: compared, and not taken over.
        if _agrees(score, state):
            return state, NOTHING
        return state, (_differs(state, event, "the score is said to be", score, None, seen),)
    findings = NOTHING
    if score != state.score and not state.unseen_at:
        message = (
            f"the score is stated as {score.one}-{score.two}; "
            f"the games make it {state.score.one}-{state.score.two}"
        )
        cite = seen.rules.cite("score")
        findings = (found("score-restated", event, message, cite=cite, severity=Severity.NOTE),)
    return _set(state, score, stated.crawford_played or None, seen), findings


def _set(state: Score, score: BySeat[int] | None, played: bool | None, seen: Seen) -> Score:
    """The state with another score; `played` None = as far as the score still allows it."""
    if score is None:
        score = state.score
    else:
        state = msgspec.structs.replace(state, score=score, unseen_at=0)
    if played is None:
        # Nobody can have played the Crawford game who has not come within a point of the match.
        may_be = state.length is None or max(score) >= state.length - 1
        played = state.crawford_played and may_be
    if played is not state.crawford_played:
        state = msgspec.structs.replace(state, crawford_played=played)
    if seen.flow.in_game and seen.flow.awaits_opening:
        return _in_phase(state, seen)
    return state


def _match_ended(state: Score, event: RecordedEvent, ended: match.MatchEnded, seen: Seen) -> Result:
    """Compare the end as claimed; capped points are no difference."""
    new = msgspec.structs.replace(state, has_ended=True)
    differences = []
    if state.unseen_at:
        return new, NOTHING
    if ended.winner is not None and state.length is not None and ended.winner is not state.winner:
        computed = "nobody" if state.winner is None else state.winner.value
        differences.append(f"winner {ended.winner.value} (computed: {computed})")
    if ended.score is not None and not _agrees(ended.score, state):
        differences.append(
            f"score {ended.score.one}-{ended.score.two} "
            f"(computed: {state.score.one}-{state.score.two})"
        )
    if not differences:
        return new, NOTHING
    message = "the match is said to have ended with " + " and ".join(differences)
    return new, (found("result-differs", event, message, cite=seen.rules.cite("score")),)


def _agrees(claimed: BySeat[int], state: Score) -> bool:
    """Whether the score is the computed one, capped or not; an unknown one contradicts nothing."""
    if claimed == state.score or state.unseen_at:
        return True
    length = state.length
    return length is not None and claimed == state.score.map(lambda points: min(points, length))


def _carried_out(
    state: Score, event: RecordedEvent, carried_out: dispute.RulingCarriedOut, seen: Seen
) -> Result:
    findings = NOTHING
    goes_on = carried_out.checkers is not None or carried_out.on_roll is not None
    if goes_on and state.decided is not None:
        state = msgspec.structs.replace(state, decided=None)
    winner = carried_out.game_over
    if seen.flow.in_game and winner is not None:
        before = state.score[winner]
        after = before if carried_out.score is None else carried_out.score[winner]
        state = _won(state, event, winner, max(0, after - before), None, EndedBy.RULING)
    elif not seen.flow.in_game and carried_out.checkers is not None:
        if state.games and state.games[-1].number == state.game_number:
            # The board is set up again: the last game goes on. Its points are the ruling's affair.
            score = state.score
            state = msgspec.structs.replace(_reopened(state, event), score=score)
        elif not state.game_number:
            state, findings = _started(state, event, seen)
    return _set(state, carried_out.score, carried_out.crawford_played, seen), findings


_HEARS: tuple[type[Payload], ...] = (
    play.PlayMade,
    play.PlayRevised,
    play.PlayCorrected,
    play.PlayUnseen,
    play.PositionStated,
    match.MatchOpened,
    match.GameStarted,
    match.GameWon,
    match.ScoreNoted,
    match.ScoreStated,
    match.MatchEnded,
    cube.DoubleDropped,
    cube.CubeActionVoided,
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
