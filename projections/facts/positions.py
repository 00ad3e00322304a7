"""The board after every event: plays folded into positions, and the illegal ones found."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads import dispute, match, play
from events.payloads.dice import Voided
from events.values import ONE, BySeat, CheckerMove, Seat
from projections.board.legal import legal_positions, played
from projections.board.notation import format_play
from projections.board.position import STARTING, Position
from projections.facts.play_faults import against_dice, position_faults, without_roll
from projections.folding.findings import Finding, found
from projections.folding.fold import NOTHING, Fold, Seen, SeenStep, first_play, on, seat_of
from projections.folding.sayings import said

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
    changes: str | None = None
    """Entry id of the `play.made` that the last play replaced; None = it replaced none."""
    rewound_at: int = 0
    """Version of the event that undid later plays by going back behind them; 0 = none."""

    @property
    def first_play(self) -> str | None:
        """Entry id of the `play.made` behind the last play."""
        return self.changes or self.last_play

    def seen_by(self, seat: Seat) -> Position | None:
        """The board from a player's side; None while it is unknown."""
        return None if self.board is None else self.board.seen_by(seat)


def _made(state: Positions, event: RecordedEvent, made: play.PlayMade, seen: Seen) -> Result:
    seat = made.seat
    flow = seen.flow
    dice = flow.dice if flow.on_roll is seat else None
    if dice is None:
        dice = flow.dice_of(seat)
    board = state.board
    if (
        board is not None
        and dice is not None
        and not made.hits_not_lifted
        and made.resulting_position is None
    ):
        before = board if seat is ONE else Position(board.other, board.own)
        moved = played(before, dice, made.moves)
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
    if not seen.flow.in_game:
        # A play that belongs to no game moves no checker; the flow finds it.
        return state, NOTHING
    return _judged(event, made, seen, board, dice, target=event.entry_id)


def _judged(
    event: RecordedEvent,
    made: play.PlayMade,
    seen: Seen,
    board: Position | None,
    dice: tuple[int, int] | None,
    *,
    target: str,
) -> Result:
    """The state after any play from `board`; `target` is the id under which the play is kept."""
    before = None if board is None else board.seen_by(made.seat)
    if made.resulting_position is not None:
        return _told_by_its_end(event, made, seen, before, dice, target=target)
    if before is None:
        # Nothing can be said about a play on an unknown board; the gap itself was found before.
        return Positions(None, (), target, None, dice, made.seat), NOTHING
    new, findings = _irregular(event, made, seen, before, dice)
    return msgspec.structs.replace(new, last_play=target), findings


def _irregular(
    event: RecordedEvent,
    made: play.PlayMade,
    seen: Seen,
    before: Position,
    dice: tuple[int, int] | None,
) -> Result:
    """A play that may be illegal: applied exactly as made, with findings on what is wrong."""
    seat = made.seat
    moved = before.moved(made.moves, made.hits_not_lifted)
    text = format_play(made.moves, moved.hits) or said("nothing")
    findings: list[Finding] = []
    if dice is None:
        findings += without_roll(event, made, seen, before, text)
        if moved.blocked:
            points = ", ".join(map(str, moved.blocked))
            findings.append(
                found(
                    "landed-on-point",
                    event,
                    said(
                        "{seat} plays {play}, and lands on two or more opposing checkers "
                        "on point {points}",
                        seat=seat,
                        play=text,
                        points=points,
                    ),
                    cite=seen.rules.cite("play"),
                    seat=seat,
                )
            )
    else:
        findings += against_dice(event, made, seen, before, dice, text)
    after = moved.position
    if after is None:
        findings.append(
            found(
                "board-unknown",
                event,
                said(
                    "{seat} plays {play}, from a point where there is no checker; "
                    "the board is unknown until it is stated",
                    seat=seat,
                    play=text,
                ),
                cite=seen.rules.cite("play"),
                seat=seat,
            )
        )
    board = None if after is None else after.seen_by(seat)
    return Positions(board, moved.hits, event.entry_id, before, dice, seat), tuple(findings)


def _told_by_its_end(
    event: RecordedEvent,
    made: play.PlayMade,
    seen: Seen,
    before: Position | None,
    dice: tuple[int, int] | None,
    *,
    target: str,
) -> Result:
    """A play whose checker moves are unknown: only the board after it was recorded."""
    assert made.resulting_position is not None
    seat = made.seat
    after = Position(made.resulting_position.one, made.resulting_position.two)
    findings = position_faults(event, after, seen)
    if before is not None and dice is not None:
        if after.seen_by(seat) not in legal_positions(before, dice):
            message = said(
                "{seat} has played {dice}, and no legal play leads to the board recorded after it",
                seat=seat,
                dice=f"{dice[0]}{dice[1]}",
            )
            cite = seen.rules.cite("play")
            findings.append(found("illegal-play", event, message, cite=cite, seat=seat))
    elif dice is None:
        message = said(
            "{seat} has played, and no roll is recorded for this turn: the board after it is known",
            seat=seat,
        )
        cite = seen.rules.cite("turn")
        findings.append(found("play-without-roll", event, message, cite=cite, seat=seat))
    return Positions(after, (), target, before, dice, seat), tuple(findings)


def _revised(
    state: Positions, event: RecordedEvent, revised: play.PlayRevised, seen: Seen
) -> Result:
    """The last play is taken back and another one made from the same position."""
    step = first_play(seen, event)
    if step is None:
        return state, (_not_a_play(event, revised.target, seen),)
    seat = seat_of(step)
    made = play.PlayMade(
        seat=seat,
        moves=revised.moves,
        hits_not_lifted=revised.hits_not_lifted,
        resulting_position=revised.resulting_position,
    )
    findings = NOTHING
    cite = seen.rules.cite("turn")
    if revised.seat is not seat:
        message = said("{seat} revises the play of {other}", seat=revised.seat, other=seat)
        findings = (found("out-of-turn", event, message, cite=cite, seat=revised.seat),)
    # Revised again and again, a play keeps the id under which it was made.
    new, about = _again(state, event, made, seen, step, step.event.entry_id)
    if new.rewound_at:
        message = said("a play is revised after a later one; what came after it is undone")
        findings += (found("revised-late", event, message, cite=cite, seat=seat),)
    return new, (*findings, *about)


def _corrected(
    state: Positions, event: RecordedEvent, corrected: play.PlayCorrected, seen: Seen
) -> Result:
    """Back to the roll and position of an illegal play, which is replayed."""
    step = first_play(seen, event)
    if step is None:
        return state, (_not_a_play(event, corrected.target, seen),)
    rewound_at = _rewound(state, event, step)
    if corrected.checkers is not None:
        new, findings = _placed(event, corrected.checkers, seen)
    else:
        made = play.PlayMade(seat=seat_of(step), moves=corrected.moves)
        new, findings = _again(state, event, made, seen, step, event.entry_id, corrected.dice)
    return msgspec.structs.replace(new, rewound_at=rewound_at), findings


def _rewound(state: Positions, event: RecordedEvent, step: SeenStep) -> int:
    """The version of the event if it undoes a later play, or a board stated later; else 0."""
    is_last = state.first_play == step.event.entry_id
    return 0 if is_last else event.version


def _again(
    state: Positions,
    event: RecordedEvent,
    made: play.PlayMade,
    seen: Seen,
    step: SeenStep,
    target: str,
    shown: tuple[int, int] | None = None,
) -> Result:
    """A play that replaces another one; `shown`: the dice, if they were recorded once more."""
    board = step.before.positions.board
    dice = shown or step.before.flow.dice_of(made.seat)
    rewound_at = _rewound(state, event, step)
    new, findings = _judged(event, made, seen, board, dice, target=target)
    first = step.event.entry_id
    return msgspec.structs.replace(new, changes=first, rewound_at=rewound_at), findings


def _lost(state: Positions, event: RecordedEvent, unseen: play.PlayUnseen, seen: Seen) -> Result:
    return Positions(player=unseen.seat), NOTHING


def _unplayed(state: Positions, event: RecordedEvent, voided: Voided, seen: Seen) -> Result:
    """The last play is undone, because the roll that it was made with is voided."""
    step = None if state.first_play is None else seen.step_of(state.first_play)
    flow = seen.flow
    if step is None or not flow.in_game or flow.dice is not None or flow.answering is not None:
        return state, NOTHING
    then = step.before.flow
    if voided.target is None or voided.target not in (then.roll_entry, then.early_entry):
        return state, NOTHING
    return Positions(board=step.before.positions.board, rewound_at=event.version), NOTHING


def _stated(
    state: Positions,
    event: RecordedEvent,
    stated: play.PositionStated | dispute.RulingCarriedOut,
    seen: Seen,
) -> Result:
    return (state, NOTHING) if stated.checkers is None else _placed(event, stated.checkers, seen)


def _placed(event: RecordedEvent, checkers: BySeat[tuple[int, ...]], seen: Seen) -> Result:
    board = Position(checkers.one, checkers.two)
    return Positions(board=board), tuple(position_faults(event, board, seen))


def _start_corrected(
    state: Positions, event: RecordedEvent, corrected: play.StartCorrected, seen: Seen
) -> Result:
    """A wrong starting position is put right: checkers move to where they belonged.

    Unless somebody stated the wrong board, the record already has every checker in its place;
    then the correction brings the table in line with the record, and nothing moves here.
    """
    if state.board is None or not _is_stated(seen):
        return state, NOTHING
    after = _relocated(state.board.seen_by(corrected.seat), corrected.moved)
    if after is not None:
        return msgspec.structs.replace(state, board=after.seen_by(corrected.seat)), NOTHING
    message = said(
        "the start of {seat} is corrected from a point where the board as it is stated has no "
        "checker; the board stays as it is",
        seat=corrected.seat,
    )
    cite = seen.rules.cite("start.position")
    return state, (found("position-fault", event, message, cite=cite, seat=corrected.seat),)


def _is_stated(seen: Seen) -> bool:
    """Whether somebody stated the board of the game in progress, at its start or since."""
    began = seen.start.began
    step = None if began is None else seen.step_of(began)
    if began is None or step is None:
        return False
    # Compared by class first, for speed: all steps since the start are looked at each time.
    stating = [
        one.event.payload
        for one in (step, *seen.steps_since(began))
        if type(one.event.payload) in _STATING
    ]
    return any(getattr(one, "checkers", None) is not None for one in stating)


_STATING = (play.PositionStated, play.PlayCorrected, dispute.RulingCarriedOut)
"""Payloads that may state the whole board."""


def _relocated(board: Position, moves: tuple[CheckerMove, ...]) -> Position | None:
    # Setting checkers right hits nothing, whatever stands there.
    return board.moved(moves, tuple(range(1, 25))).position


def _not_a_play(event: RecordedEvent, target: str, seen: Seen) -> Finding:
    step = seen.step_of(target)
    cite = seen.rules.cite("play")
    if step is not None and isinstance(
        step.event.payload, play.PlayMade | play.PlayRevised | play.PlayCorrected
    ):
        message = said("a play of an earlier game is changed; the games since stand")
        return found("earlier-game", event, message, cite=cite)
    message = said("a play is changed that this match does not hold: entry {entry}", entry=target)
    return found("reference-unknown", event, message, cite=cite)


FOLD = Fold(
    Positions,
    on(play.PlayMade, _made),
    on(match.GameStarted, lambda *_: (Positions(board=STARTING), NOTHING)),
    on(match.MatchOpened, lambda *_: (Positions(), NOTHING)),
    on(Voided, _unplayed),
    on(play.PlayRevised, _revised),
    on(play.PlayUnseen, _lost),
    on(play.PositionStated, _stated),
    on(dispute.RulingCarriedOut, _stated),
    on(play.PlayCorrected, _corrected),
    on(play.StartCorrected, _start_corrected),
)
"""The board's fold."""
