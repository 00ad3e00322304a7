"""The board after every event: plays folded into positions, and the illegal ones found."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads import dispute, match, play
from events.payloads.base import Payload
from events.values import BAR, OFF, ONE, BySeat, CheckerMove, Seat
from projections.board.legal import judge, legal_positions, played
from projections.board.notation import format_play
from projections.board.position import STARTING, Position
from projections.findings import Finding, Severity, found
from projections.fold import NOTHING, Fold, Seen
from projections.rules.profile import Rules

Result = tuple["Positions", tuple[Finding, ...]]


class Positions(msgspec.Struct, frozen=True, gc=False):
    """Where the checkers are."""

    board: Position | None = None
    """Seat one's checkers as `own`; None while unknown, and before the first game."""
    hits: tuple[int, ...] = ()
    """Points on which the last play hit, from its player's side."""
    last_play: str | None = None
    """Entry id of the last play of the game, made or corrected."""
    before_play: Position | None = None
    """The board before that play, from its player's side."""
    dice: tuple[int, int] | None = None
    """The roll it was made with."""
    player: Seat | None = None
    """Who made it."""


def evolve(state: Positions, event: RecordedEvent, seen: Seen) -> Result:
    """The board after one event."""
    match event.payload:
        case play.PlayMade() as made:
            return _made(state, event, made, seen)
        case match.GameStarted():
            return Positions(board=STARTING), NOTHING
        case play.PlayRevised() as revised:
            return _revised(state, event, revised, seen)
        case play.PlayUnseen():
            return Positions(player=event.payload.seat), NOTHING
        case play.PositionStated(checkers=checkers):
            return _stated(event, checkers, seen)
        case play.PlayCorrected() as corrected:
            return _corrected(state, event, corrected, seen)
        case play.StartCorrected() as corrected:
            return _start_corrected(state, event, corrected, seen)
        case dispute.RulingCarriedOut(checkers=checkers) if checkers is not None:
            return _stated(event, checkers, seen)
        case _:
            return state, NOTHING


def _seen_by(board: Position, seat: Seat) -> Position:
    # `own` is seat one in the state; a play is told from its player's side.
    return board if seat is ONE else Position(board.other, board.own)


def _made(state: Positions, event: RecordedEvent, made: play.PlayMade, seen: Seen) -> Result:
    seat = made.seat
    dice = seen.flow.dice_of(seat)
    board = state.board
    if made.resulting_position is not None:
        return _told_by_its_end(state, event, made, seen)
    if board is None:
        # Nothing can be said about a play on an unknown board; the gap itself was found before.
        return Positions(None, (), event.entry_id, None, dice, seat), NOTHING
    before = board if seat is ONE else Position(board.other, board.own)
    moved = None if dice is None or made.hits_not_lifted else played(before, dice, made.moves)
    if moved is not None:
        after = moved.position
        assert after is not None  # a legal play takes no checker from an empty point
        return (
            Positions(
                after if seat is ONE else Position(after.other, after.own),
                moved.hits,
                event.entry_id,
                before,
                dice,
                seat,
            ),
            NOTHING,
        )
    return _irregular(event, made, seen, before, dice)


def _irregular(
    event: RecordedEvent,
    made: play.PlayMade,
    seen: Seen,
    before: Position,
    dice: tuple[int, int] | None,
) -> Result:
    """A play that is not plainly legal: kept exactly as made, and found."""
    seat = made.seat
    moved = before.moved(made.moves, made.hits_not_lifted)
    text = format_play(made.moves, moved.hits) or "no play"
    findings: list[Finding] = []
    if dice is None:
        findings += _without_roll(event, made, seen, before, text)
        if moved.blocked:
            points = ", ".join(map(str, moved.blocked))
            findings.append(
                found(
                    "landed-on-point",
                    event,
                    f"{text} lands on two or more opposing checkers on point {points}",
                    cite=seen.rules.cite("play"),
                    seat=seat,
                )
            )
    else:
        verdict = judge(before, dice, made.moves)
        why = "a checker hit was not lifted" if verdict.is_legal else _in_words(verdict.reason)
        findings.append(
            found(
                "illegal-play",
                event,
                f"{text} with {dice[0]}{dice[1]}: {why}",
                cite=seen.rules.cite("play"),
                seat=seat,
            )
        )
    after = moved.position
    if after is None:
        findings.append(
            found(
                "board-unknown",
                event,
                f"{text} moves a checker from a point where there is none; "
                "the board is unknown until it is stated",
                cite=seen.rules.cite("play"),
                seat=seat,
            )
        )
    board = None if after is None else _seen_by(after, seat)
    return Positions(board, moved.hits, event.entry_id, before, dice, seat), tuple(findings)


def _without_roll(
    event: RecordedEvent, made: play.PlayMade, seen: Seen, before: Position, text: str
) -> list[Finding]:
    seat = made.seat
    if made.moves:
        return [
            found(
                "play-without-roll",
                event,
                f"{text}, and no roll is recorded for this turn",
                cite=seen.rules.cite("turn"),
                seat=seat,
            )
        ]
    if is_closed_out(before) or not seen.flow.in_game:
        return []
    return [
        found(
            "turn-passed-without-roll",
            event,
            "the turn passed without a roll although a checker could have been played",
            cite=seen.rules.cite("turn"),
            seat=seat,
        )
    ]


def _told_by_its_end(
    state: Positions, event: RecordedEvent, made: play.PlayMade, seen: Seen
) -> Result:
    """A play of which only the board after it is known."""
    assert made.resulting_position is not None
    seat = made.seat
    dice = seen.flow.dice_of(seat)
    after = Position(made.resulting_position.one, made.resulting_position.two)
    findings = _position_faults(event, after, seen)
    before = None if state.board is None else _seen_by(state.board, seat)
    if before is not None and dice is not None:
        reached = _seen_by(after, seat)
        if reached not in legal_positions(before, dice):
            findings.append(
                found(
                    "illegal-play",
                    event,
                    f"no legal play of {dice[0]}{dice[1]} leads to the board recorded after it",
                    cite=seen.rules.cite("play"),
                    seat=seat,
                )
            )
    return Positions(after, (), event.entry_id, before, dice, seat), tuple(findings)


def _revised(
    state: Positions, event: RecordedEvent, revised: play.PlayRevised, seen: Seen
) -> Result:
    """The last play is taken back and another one made from the same position."""
    step = seen.step_of(revised.target)
    if step is None:
        return state, (_unknown_reference(event, revised.target, seen),)
    before, dice = state.before_play, state.dice
    if state.last_play != revised.target:
        board = step.before.positions.board
        before = None if board is None else _seen_by(board, revised.seat)
        dice = step.before.flow.dice_of(revised.seat)
    made = play.PlayMade(
        seat=revised.seat, moves=revised.moves, hits_not_lifted=revised.hits_not_lifted
    )
    return _again(event, made, seen, before, dice, target=revised.target)


def _corrected(
    state: Positions, event: RecordedEvent, corrected: play.PlayCorrected, seen: Seen
) -> Result:
    """Back to the roll and position of an illegal play, which is replayed."""
    step = seen.step_of(corrected.target)
    target = None if step is None else step.event.payload
    if corrected.checkers is not None:
        return _stated(event, corrected.checkers, seen)
    if step is None or not isinstance(target, play.PlayMade | play.PlayRevised):
        return state, (_unknown_reference(event, corrected.target, seen),)
    board = step.before.positions.board
    before = None if board is None else _seen_by(board, target.seat)
    dice = corrected.dice or step.before.flow.dice_of(target.seat)
    made = play.PlayMade(seat=target.seat, moves=corrected.moves)
    return _again(event, made, seen, before, dice, target=event.entry_id)


def _again(
    event: RecordedEvent,
    made: play.PlayMade,
    seen: Seen,
    before: Position | None,
    dice: tuple[int, int] | None,
    *,
    target: str,
) -> Result:
    """A play made in the place of another one."""
    if before is None:
        return Positions(None, (), target, None, dice, made.seat), NOTHING
    moved = None if dice is None or made.hits_not_lifted else played(before, dice, made.moves)
    if moved is not None:
        assert moved.position is not None
        board = _seen_by(moved.position, made.seat)
        return Positions(board, moved.hits, target, before, dice, made.seat), NOTHING
    state, findings = _irregular(event, made, seen, before, dice)
    return msgspec.structs.replace(state, last_play=target), findings


def _stated(event: RecordedEvent, checkers: BySeat[tuple[int, ...]], seen: Seen) -> Result:
    board = Position(checkers.one, checkers.two)
    return Positions(board=board), tuple(_position_faults(event, board, seen))


def _start_corrected(
    state: Positions, event: RecordedEvent, corrected: play.StartCorrected, seen: Seen
) -> Result:
    """Checkers that started wrongly go where they were missing."""
    if state.board is None:
        return state, NOTHING
    after = _relocated(_seen_by(state.board, corrected.seat), corrected.moved)
    if after is None:
        message = "the start is corrected from a point where there is no checker"
        cite = seen.rules.cite("setup")
        finding = found("board-unknown", event, message, cite=cite, seat=corrected.seat)
        return Positions(), (finding,)
    return msgspec.structs.replace(state, board=_seen_by(after, corrected.seat)), NOTHING


def _relocated(board: Position, moves: tuple[CheckerMove, ...]) -> Position | None:
    # Setting checkers right hits nothing, whatever stands there.
    return board.moved(moves, tuple(range(1, 25))).position


def _position_faults(event: RecordedEvent, board: Position, seen: Seen) -> list[Finding]:
    faults = board.faults()
    if not faults:
        return []
    message = "the board as stated: " + ", ".join(
        fault.replace("own-", "one ").replace("other-", "two ").replace("-", " ")
        for fault in faults
    )
    cite = seen.rules.cite("setup")
    return [found("position-fault", event, message, cite=cite, severity=Severity.NOTE)]


def _unknown_reference(event: RecordedEvent, target: str, seen: Seen) -> Finding:
    return found(
        "reference-unknown",
        event,
        f"{event.tag} names entry {target}, and no play of this match has that id",
        cite=seen.rules.cite("play"),
    )


def is_closed_out(board: Position) -> bool:
    """Whether the player to play has a checker on the bar and every entry point is blocked."""
    return board.own[BAR] > 0 and all(board.other[point] > 1 for point in range(1, 7))


def is_borne_off(counts: tuple[int, ...]) -> bool:
    """Whether a player has no checker left on the board or the bar, and has borne some off."""
    return counts[OFF] > 0 and sum(counts) == counts[OFF]


def _in_words(reason: object) -> str:
    return str(reason).replace("-", " ")


_HEARS: tuple[type[Payload], ...] = (
    play.PlayMade,
    match.GameStarted,
    play.PlayRevised,
    play.PlayUnseen,
    play.PositionStated,
    play.PlayCorrected,
    play.StartCorrected,
    dispute.RulingCarriedOut,
)


def initial(rules: Rules) -> Positions:
    """No board yet."""
    return Positions()


FOLD: Fold[Positions] = Fold("positions", _HEARS, initial, evolve)
"""The board's fold."""
