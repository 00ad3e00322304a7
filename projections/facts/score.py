"""The score: games won on the board, by drop, resignation or claim; Crawford; claims compared.

A ruling on what a game counts, on which game is the Crawford game, or on whether a game has ended
moves the score at its own event, as long as the game's result stands and nobody has stated the
score since. Later nothing moves but by `score.stated` and `ruling.carried_out`.
"""

from __future__ import annotations

import enum
import re
from typing import Any

import msgspec

from events.envelope import Basis, RecordedEvent
from events.payloads import cube, dispute, ending, match, penalty, play
from events.payloads.base import Payload, WinKind
from events.values import BAR, OFF, ONE, BySeat, Seat
from projections.folding.concessions import Concession, conceded, concession_of, held
from projections.folding.consequences import (
    act_taken_back,
    beaver_of,
    game_given,
    resignation_undone,
    was_asked,
)
from projections.folding.findings import Finding, Severity, found, judged
from projections.folding.fold import (
    NOTHING,
    Fold,
    Seen,
    SeenStep,
    cube_act,
    first_play,
    is_just_dropped,
)
from projections.folding.sayings import Said, said
from projections.rules.answers import Answer
from projections.rules.profile import Rules
from projections.rules.subjects.cube_words import ADOPTED, CORRECTED, STANDS, UNDONE, VOID
from projections.rules.subjects.game_worth import GammonFacts

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
    set_at: int = 0
    """Version of the last event that set the score otherwise than by a game; 0 = none."""
    revalued_at: int = 0
    """Version of the last event that made a game count otherwise than it did; 0 = none."""
    is_crawford_adopted: bool = False
    """Whether a ruling has adopted the Crawford rule, which the text leaves open."""
    concession: Concession | None = None
    """The last game that was given away, with what the rule set says to that."""

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
        case ending.ResignationAccepted() | ending.ClaimMade() | ending.ClaimRuled():
            return _conceded(state, event, seen)
        case match.ScoreNoted() as noted:
            return _noted(state, event, noted, seen)
        case match.ScoreStated() as stated:
            return _stated(state, event, stated, seen)
        case match.MatchOpened() as opened:
            return _opened(state, opened)
        case match.MatchLengthErrorFound(correct=correct):
            return _length_found(state, event, correct, seen)
        case play.PlayRevised() | play.PlayCorrected():
            return _replayed(state, event, seen)
        case play.PositionStated():
            # A board stated between games begins one.
            return (state, NOTHING) if seen.flow.in_game else _started(state, event, seen)
        case play.PlayUnseen(spans=play.UnseenSpan.GAMES):
            return msgspec.structs.replace(state, unseen_at=event.version), NOTHING
        case match.MatchEnded() as ended:
            return _match_ended(state, event, ended, seen)
        case dispute.RulingMade():
            return _ruled(state, event, seen)
        case dispute.DirectorCalled(about=about):
            return _noticed(state, event, about, seen), NOTHING
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
        message = said("game {game} has no end, and another one starts", game=state.game_number)
        findings.append(found("game-in-progress", event, message, cite=cite))
    winner = seen.outcome.winner
    if winner is not None:
        message = said("{winner} has won the match, and another game starts", winner=winner)
        findings.append(found("game-after-match", event, message, cite=cite))
    new = msgspec.structs.replace(state, game_number=state.game_number + 1)
    return _in_phase(new, event, seen), tuple(findings)


def _whole(state: Score, event: RecordedEvent, seen: Seen) -> BySeat[int]:
    """The score with the penalty points that enter it; one that was just stated has them in it."""
    if state.set_at == event.version:
        return state.score
    own: BySeat[int] = seen.penalties.both_scores(state.score)[0]
    return own


def _in_phase(state: Score, event: RecordedEvent, seen: Seen) -> Score:
    """The state with the phase of a game that starts now, by the points that enter the score."""
    phase = crawford_phase(
        _whole(state, event, seen),
        length=state.length,
        is_in_force=seen.rules.is_on("crawford") or state.is_crawford_adopted,
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
    message = said(
        "a {kind} without a double under Jacoby counts {points} until it is ruled",
        kind=Said(kind.value),
        points=points,
    )
    topic = "score.gammon"
    return new, (judged("gammon-open", event, message, answer, topic, seen.rules, seat=winner),)


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


def _conceded(state: Score, event: RecordedEvent, seen: Seen) -> Result:
    """A game given away ends at its level, where the rule set lets it; a claim held, in any case.

    A resignation without a level ends nothing: the claim that follows has to say what was won.
    """
    given = held(event, seen)
    if given is not None:
        return _given(state, event, given.winner, given.level, seen)
    offer = conceded(event, seen)
    if offer is None or offer.level is None:
        return state, NOTHING
    is_resignation = isinstance(event.payload, ending.ResignationAccepted)
    ended_by = EndedBy.RESIGNATION if is_resignation else EndedBy.CLAIM
    won, findings = _valued(state, event, offer.seat.other, offer.level, ended_by, seen)
    concession = concession_of(event, offer, won.games[-1].points, seen)
    if concession.is_disallowed:
        # It is found by the fold of endings, and the game goes on (design §8.8).
        return msgspec.structs.replace(state, concession=concession), NOTHING
    return msgspec.structs.replace(won, concession=concession), findings


def _given(
    state: Score, event: RecordedEvent, winner: Seat, level: WinKind | None, seen: Seen
) -> Result:
    """A game that the Director gives to a seat, at a level or as the board has it."""
    board = seen.positions.board
    if level is None and board is not None:
        level = level_of(board.other if winner is ONE else board.own)
    return _valued(state, event, winner, level or WinKind.SINGLE, EndedBy.RULING, seen)


def _claimed(state: Score, event: RecordedEvent, won: match.GameWon, seen: Seen) -> Result:
    """Compare the claim with the game that is over, or let it end the game that is not."""
    cite = seen.rules.cite("ending")
    if seen.flow.in_game or state.unseen_at > state.ended_at:
        message = said(
            "{winner} wins {points} by claim: neither the board, a drop nor "
            "a resignation at a stated level ends the game",
            winner=won.winner,
            points=won.points,
        )
        note = found(
            "ended-by-claim", event, message, cite=cite, seat=won.winner, severity=Severity.NOTE
        )
        new = _won(state, event, won.winner, won.points, won.kind, EndedBy.CLAIM)
        return new, (note,)
    if not state.games:
        message = said("a win is claimed, and no game was played")
        return state, (found("outside-game", event, message, cite=cite, seat=won.winner),)
    last = state.games[-1]
    if last.winner is won.winner and last.points == won.points:
        return state, NOTHING
    message = said(
        "{winner} is said to win {points}; computed: {by_games} wins {computed}",
        winner=won.winner,
        points=won.points,
        by_games=last.winner,
        computed=last.points,
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
    if noted.score is None or _agrees(noted.score, state, _whole(state, event, seen)):
        return state, NOTHING
    what = said("the source's score is")
    if noted.keeper is not None:
        what = said("{keeper}'s score is", keeper=noted.keeper)
    return state, (_differs(state, event, what, noted.score, noted.keeper, seen),)


def _differs(
    state: Score,
    event: RecordedEvent,
    what: Said,
    score: BySeat[int],
    keeper: Seat | None,
    seen: Seen,
) -> Finding:
    whole = _whole(state, event, seen)
    told, made = f"{score.one}-{score.two}", f"{whole.one}-{whole.two}"
    message = said("{what} {score}; the games make it {made}", what=what, score=told, made=made)
    if whole != state.score:
        message = said(
            "{what} {score}; games and penalty points make it {made}",
            what=what,
            score=told,
            made=made,
        )
    return found("score-differs", event, message, cite=seen.rules.cite("score"), seat=keeper)


def _stated(state: Score, event: RecordedEvent, stated: match.ScoreStated, seen: Seen) -> Result:
    score = stated.score
    if not event.basis.settles:
        # One side's word is a claim like any other: compared, and not taken over.
        if _agrees(score, state, _whole(state, event, seen)):
            return state, NOTHING
        what = said("the score is said to be")
        return state, (_differs(state, event, what, score, None, seen),)
    findings = NOTHING
    whole = _whole(state, event, seen)
    if score != whole and not state.unseen_at:
        told, made = f"{score.one}-{score.two}", f"{whole.one}-{whole.two}"
        message = said(
            "the score is stated as {score}; the games make it {made}", score=told, made=made
        )
        if whole != state.score:
            message = said(
                "the score is stated as {score}; games and penalty points make it {made}",
                score=told,
                made=made,
            )
        cite = seen.rules.cite("score")
        findings = (found("score-restated", event, message, cite=cite, severity=Severity.NOTE),)
    return _set(state, event, score, stated.crawford_played or None, seen), findings


def _set(
    state: Score,
    event: RecordedEvent,
    score: BySeat[int] | None,
    played: bool | None,
    seen: Seen,
) -> Score:
    """The state with another score; `played` None = as far as the score still allows it."""
    if score is None:
        score = state.score
    else:
        state = msgspec.structs.replace(state, score=score, unseen_at=0, set_at=event.version)
    if played is None:
        # Nobody can have played the Crawford game who has not come within a point of the match.
        may_be = state.length is None or max(_whole(state, event, seen)) >= state.length - 1
        played = state.crawford_played and may_be
    if played is not state.crawford_played:
        state = msgspec.structs.replace(state, crawford_played=played)
    if seen.flow.in_game and seen.flow.awaits_opening:
        return _in_phase(state, event, seen)
    return state


def _length_found(state: Score, event: RecordedEvent, correct: int, seen: Seen) -> Result:
    """Another posted length than the one on record: unless only one says so, it is gone by."""
    if state.length in (None, correct):
        return state, NOTHING
    is_said = event.basis in _ONE_WORD
    message = said(
        "the posted length is found to be {correct}, and is {length} on record: "
        "one of the two is wrong, and {followed} is gone by",
        correct=correct,
        length=state.length,
        followed=state.length if is_said else correct,
    )
    finding = found("length-differs", event, message, cite=seen.rules.cite("match_length"))
    if is_said:
        return state, (finding,)
    state = msgspec.structs.replace(state, length=correct)
    return _set(state, event, None, None, seen), (finding,)


_ONE_WORD = (Basis.CLAIMED_BY_ONE, Basis.CLAIMED_BY_TWO, Basis.TESTIFIED)


def _match_ended(state: Score, event: RecordedEvent, ended: match.MatchEnded, seen: Seen) -> Result:
    """Compare the end as claimed with the outcome; capped points are no difference."""
    new = msgspec.structs.replace(state, has_ended=True)
    differences = []
    if state.unseen_at:
        return new, NOTHING
    winner: Seat | None = seen.outcome.winner
    if ended.winner is not None and state.length is not None and ended.winner is not winner:
        differences.append(
            said(
                "winner {winner} (computed: {computed})",
                winner=ended.winner,
                computed=said("nobody") if winner is None else winner,
            )
        )
    own = _whole(state, event, seen)
    if ended.score is not None and not (
        _agrees(ended.score, state, own) or seen.outcome.agrees(ended.score, own, state.length)
    ):
        differences.append(
            said(
                "score {score} (computed: {computed})",
                score=f"{ended.score.one}-{ended.score.two}",
                computed=f"{own.one}-{own.two}",
            )
        )
    if not differences:
        return new, NOTHING
    what = differences[0]
    if len(differences) > 1:
        what = said("{one} and {other}", one=what, other=differences[1])
    message = said("the match is said to have ended with {what}", what=what)
    return new, (found("result-differs", event, message, cite=seen.rules.cite("score")),)


def _agrees(claimed: BySeat[int], state: Score, whole: BySeat[int]) -> bool:
    """Whether the score is the computed one, capped or not; an unknown one contradicts nothing."""
    if claimed == whole or state.unseen_at:
        return True
    length = state.length
    return length is not None and claimed == whole.map(lambda points: min(points, length))


def _carried_out(
    state: Score, event: RecordedEvent, carried_out: dispute.RulingCarriedOut, seen: Seen
) -> Result:
    findings = NOTHING
    goes_on = carried_out.checkers is not None or carried_out.on_roll is not None
    if goes_on and state.decided is not None:
        state = msgspec.structs.replace(state, decided=None)
    winner = carried_out.game_over
    if seen.flow.in_game and winner is not None:
        before = _whole(state, event, seen)[winner]
        after = before if carried_out.score is None else carried_out.score[winner]
        state = _won(state, event, winner, max(0, after - before), None, EndedBy.RULING)
    elif not seen.flow.in_game and carried_out.checkers is not None:
        if state.games and state.games[-1].number == state.game_number:
            # The board is set up again: the last game goes on. Its points are the ruling's affair.
            score = state.score
            state = msgspec.structs.replace(_reopened(state, event), score=score)
        elif not state.game_number:
            state, findings = _started(state, event, seen)
    return _set(state, event, carried_out.score, carried_out.crawford_played, seen), findings


def _ruled(state: Score, event: RecordedEvent, seen: Seen) -> Result:
    """What a ruling makes of games that are over, of the one in progress, and of its phase."""
    given = game_given(event, seen)
    if given is not None:
        return _given(state, event, given.winner, given.level, seen)
    taken_back = act_taken_back(event, seen)
    is_dropped = taken_back is not None and not seen.flow.in_game
    if is_dropped or resignation_undone(event, seen) is not None:
        return _reopened(state, event), NOTHING
    for answer in event.payload.answers:
        step = seen.step_of(answer.question.at)
        if step is None:
            continue
        match answer.question.topic:
            case "score.gammon":
                state = _gammon_ruled(state, event, step, answer.reading, seen)
            case "game.value" if was_asked(answer, seen):
                state = _level_ruled(state, event, step, answer.reading, seen)
            case "cube.answered-double" if answer.reading == UNDONE and was_asked(answer, seen):
                acts, about = seen.cube_acts, answer.question.at
                state = _found(state, event, acts, about, seen, CORRECTED)
            case "cube.answered-beaver" if answer.reading == UNDONE and was_asked(answer, seen):
                state = _without_beaver(state, event, answer.question.at, seen)
            case "cube.found" if was_asked(answer, seen):
                then: Any = step.before
                about = step.event.payload.about
                acts = then.judged.cube_acts
                state = _found(state, event, acts, about, seen, answer.reading)
            case "crawford.phase" if was_asked(answer, seen):
                state = _phase_ruled(state, event, step, answer.reading, seen)
            case "score.record" if seen.results.is_asked(answer.question.topic, answer.question.at):
                state = _record_ruled(state, event, step, answer.reading, seen)
            case "match-length.crawford" if seen.match_length.answer is not None:
                state = _crawford_again(state, event, answer.reading, seen)
            case _:
                continue
    return state, NOTHING


def _record_ruled(
    state: Score, event: RecordedEvent, step: SeenStep, reading: str, seen: Seen
) -> Score:
    """The record that prevails by ruling is the score, while it is unknown as it was then."""
    then: Any = step.after.score
    ruled = _PAIR.fullmatch(reading)
    known_by = (then.unseen_at, then.ended_at, then.set_at)
    if ruled is None or known_by != (state.unseen_at, state.ended_at, state.set_at):
        return state
    return _set(state, event, BySeat(int(ruled[1]), int(ruled[2])), None, seen)


_PAIR = re.compile(r"(\d{1,6})-(\d{1,6})", re.ASCII)


def _crawford_again(state: Score, event: RecordedEvent, reading: str, seen: Seen) -> Score:
    """After a wrong length: whether the Crawford game, played with the cube, is still to come."""
    played = {"again": False, "spent": True}.get(reading)
    if played is None or (seen.flow.in_game and not seen.flow.awaits_opening):
        # In the middle of a game it is `score.stated` or the ruling carried out that says so.
        return state
    state = msgspec.structs.replace(state, crawford_played=played)
    return _in_phase(state, event, seen) if seen.flow.in_game else state


def _counts(state: Score, event: RecordedEvent, result: GameResult, new: GameResult) -> Score:
    """The game counts otherwise, if the score is still the one that it made."""
    if result.version <= state.set_at or new == result:
        return state
    points = state.score[new.winner] + new.points - result.points
    return msgspec.structs.replace(
        state,
        score=state.score.put(new.winner, max(0, points)),
        games=tuple(new if game is result else game for game in state.games),
        revalued_at=event.version,
    )


def _result_of(state: Score, step: SeenStep) -> GameResult | None:
    """The game that ended at a step, if its result stands."""
    return next((game for game in state.games if game.version == step.event.version), None)


def _gammon_ruled(
    state: Score, event: RecordedEvent, step: SeenStep, reading: str, seen: Seen
) -> Score:
    """A gammon under Jacoby counts, or is a single game."""
    then: Any = step.after
    asked: Answer | None = then.score.gammon
    if asked is None or not asked.is_open:
        return state
    if state.gammon is not None and state.ended_at == step.event.version:
        state = msgspec.structs.replace(state, gammon=state.gammon.ruled(reading, event.version))
    result = _result_of(state, step)
    if result is None or result.kind is None or reading not in asked.readings:
        return state
    points = then.cube.value * (1 if reading == "single" else result.kind.factor)
    new = msgspec.structs.replace(result, points=points)
    return _rephased(_counts(state, event, result, new), event, seen)


def _level_ruled(
    state: Score, event: RecordedEvent, step: SeenStep, reading: str, seen: Seen
) -> Score:
    """The level of a game in which a player had not fifteen checkers."""
    result = _result_of(state, step)
    then: Any = step.after
    # Whether a gammon counts at all, under Jacoby, is a question of its own.
    if result is None or then.score.gammon is not None or reading not in _LEVELS:
        return state
    kind = WinKind(reading)
    new = msgspec.structs.replace(result, kind=kind, points=then.cube.value * kind.factor)
    return _rephased(_counts(state, event, result, new), event, seen)


_LEVELS = frozenset(kind.value for kind in WinKind)


def _noticed(state: Score, event: RecordedEvent, about: str | None, seen: Seen) -> Score:
    """A double that should not have been is noticed: the text may say what its game counts."""
    return _found(state, event, seen.cube_acts, about, seen)


def _found(
    state: Score,
    event: RecordedEvent,
    acts: Any,
    about: str | None,
    seen: Seen,
    reading: str | None = None,
) -> Score:
    """A game with a double that should not have been, as text or ruling lets it count."""
    double = acts.noticed(about)
    result = next(
        (game for game in state.games if double and game.number == double.game_number), None
    )
    if double is None or result is None:
        return state
    facts = acts.found_facts(double, result, state.length)
    outcome = reading or seen.rules.ask("cube.found", facts).outcome
    if outcome in (CORRECTED, VOID):
        points = facts.points
    elif outcome == STANDS and double.verdict.outcome == VOID:
        # The cube was held void, and the game counted without it.
        points = facts.turned_points
    else:
        return state
    new = msgspec.structs.replace(result, points=points)
    return _rephased(_counts(state, event, result, new), event, seen)


def _without_beaver(state: Score, event: RecordedEvent, at: str, seen: Seen) -> Score:
    """A game that was played on at a beavered cube counts half of that."""
    beaver = beaver_of(at, seen)
    if beaver is None or beaver.facts.reply != "accept":
        return state
    result = next((game for game in state.games if game.number == beaver.game_number), None)
    if result is None or result.ended_by in (EndedBy.CLAIM, EndedBy.RULING):
        return state
    new = msgspec.structs.replace(result, points=result.points // 2)
    return _rephased(_counts(state, event, result, new), event, seen)


def _rephased(state: Score, event: RecordedEvent, seen: Seen) -> Score:
    """A game of which nothing but its start is recorded takes its phase from the new score."""
    is_new = state.revalued_at == event.version and seen.flow.in_game and seen.flow.awaits_opening
    return _in_phase(state, event, seen) if is_new else state


_PHASES = {
    "pre_crawford": CrawfordPhase.BEFORE,
    "crawford": CrawfordPhase.CRAWFORD,
    "post_crawford": CrawfordPhase.AFTER,
}


def _phase_ruled(
    state: Score, event: RecordedEvent, step: SeenStep, reading: str, seen: Seen
) -> Score:
    """The phase of the game that was asked about, and of those that come after it."""
    after: Any = step.after
    then = after.score
    phase = _PHASES.get(reading)
    if reading == ADOPTED:
        state = msgspec.structs.replace(state, is_crawford_adopted=True)
        own, _ = after.judged.penalties.both_scores(then.score)
        phase = crawford_phase(
            own, length=then.length, is_in_force=True, was_played=then.crawford_played
        )
    if phase is None:
        return state
    is_last = then.game_number == state.game_number
    if is_last:
        state = msgspec.structs.replace(state, phase=phase)
    if is_last and seen.flow.in_game:
        return state
    was_crawford = phase is CrawfordPhase.CRAWFORD
    played = was_crawford or (state.crawford_played and then.phase is not CrawfordPhase.CRAWFORD)
    state = msgspec.structs.replace(state, crawford_played=played)
    return state if is_last or not seen.flow.in_game else _in_phase(state, event, seen)


_HEARS: tuple[type[Payload], ...] = (
    play.PlayMade,
    play.PlayRevised,
    play.PlayCorrected,
    play.PlayUnseen,
    play.PositionStated,
    match.MatchOpened,
    match.MatchLengthErrorFound,
    match.GameStarted,
    match.GameWon,
    match.ScoreNoted,
    match.ScoreStated,
    match.MatchEnded,
    cube.DoubleDropped,
    cube.CubeActionVoided,
    ending.ResignationAccepted,
    ending.ClaimMade,
    ending.ClaimRuled,
    dispute.DirectorCalled,
    dispute.RulingMade,
    dispute.RulingCarriedOut,
    penalty.ForfeitDeclared,
    penalty.PlayerDisqualified,
)


def initial(rules: Rules) -> Score:
    """Nothing played, no length known."""
    return Score()


FOLD: Fold[Score] = Fold("score", _HEARS, initial, evolve)
"""The score's fold."""
