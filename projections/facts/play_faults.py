"""What is wrong with a play, by dice, board and roll; and with a board as it is stated."""

from __future__ import annotations

from events.envelope import RecordedEvent
from events.payloads import play
from events.values import Seat
from projections.board.legal import Reason, judge
from projections.board.position import Position
from projections.folding.findings import Finding, Severity, found
from projections.folding.fold import Seen, is_opening_in_play, opening_tie
from projections.folding.sayings import Said, listed, said


def against_dice(
    event: RecordedEvent,
    made: play.PlayMade,
    seen: Seen,
    before: Position,
    dice: tuple[int, int],
    text: str | Said,
) -> list[Finding]:
    """The finding of a play that is not a legal one of these dice."""
    verdict = judge(before, dice, made.moves, hits_not_lifted=made.hits_not_lifted)
    if verdict.is_legal:
        return []
    assert verdict.reason is not None  # it is not legal
    message = said(
        "{seat} plays {play} with {dice}: {why}",
        seat=made.seat,
        play=text,
        dice=f"{dice[0]}{dice[1]}",
        why=_WHY[verdict.reason],
    )
    cite = seen.rules.cite("play")
    return [found("illegal-play", event, message, cite=cite, seat=made.seat)]


_WHY = {
    Reason.NO_CHECKER: said("no checker stands where one is taken from"),
    Reason.WRONG_DIRECTION: said("a checker goes the wrong way"),
    Reason.HIT_NOT_LIFTED: said("a checker that was hit was left where it stood"),
    Reason.MUST_PLAY_MORE: said("more of the roll has to be played"),
    Reason.MUST_PLAY_HIGHER: said("the higher die has to be played"),
    Reason.BAR_FIRST: said("a checker on the bar has to enter first"),
    Reason.BLOCKED: said("the opponent holds the point"),
    Reason.NOT_THE_DICE: said("that is not what the dice show"),
    Reason.BEAR_OFF: said("a checker may not be borne off so"),
    Reason.NO_ROUTE: said("every way there is blocked, or hits what was not hit"),
}
"""Why a play is not legal, as people say it."""


def _with_opening(
    event: RecordedEvent, made: play.PlayMade, seen: Seen, before: Position, text: str | Said
) -> list[Finding]:
    """A play by the wrong player: the dice of an opening roll are both players'."""
    flow = seen.flow
    if flow.dice is None or not made.moves or not is_opening_in_play(flow, seen):
        return []
    return against_dice(event, made, seen, before, flow.dice, text)


def without_roll(
    event: RecordedEvent, made: play.PlayMade, seen: Seen, before: Position, text: str | Said
) -> list[Finding]:
    """What is wrong with a play or a pass for which no roll of the player's is recorded."""
    seat, flow = made.seat, seen.flow
    if flow.dice is not None and flow.on_roll is not seat and not flow.is_ended:
        # The flow finds that it is the other's roll.
        return _with_opening(event, made, seen, before, text)
    if made.moves and seen.premature.is_redone(seen.score.game_number, flow.turn_number, seat):
        message = said(
            "{seat} plays {play}, and the early roll is to be thrown again", seat=seat, play=text
        )
        cite = seen.rules.cite("premature.roll")
        return [found("void-roll-played", event, message, cite=cite, seat=seat)]
    tie = opening_tie(flow, seen)
    if made.moves and tie is not None:
        message = said(
            "{seat} plays {play}, and after the tie {dice} both throw again",
            seat=seat,
            play=text,
            dice=tie,
        )
        cite = seen.rules.cite("opening")
        return [found("play-without-roll", event, message, cite=cite, seat=seat)]
    if made.moves:
        return [
            found(
                "play-without-roll",
                event,
                said(
                    "{seat} plays {play}, and no roll is recorded for this turn",
                    seat=seat,
                    play=text,
                ),
                cite=seen.rules.cite("turn"),
                seat=seat,
            )
        ]
    if before.is_closed_out:
        return []
    return [
        found(
            "turn-passed-without-roll",
            event,
            said(
                "the turn of {seat} passed without a roll, though a checker could have been played",
                seat=seat,
            ),
            cite=seen.rules.cite("turn"),
            seat=seat,
        )
    ]


def position_faults(event: RecordedEvent, board: Position, seen: Seen) -> list[Finding]:
    """What is wrong with a board as it is stated."""
    faults = board.faults()
    if not faults:
        return []
    message = said(
        "on the board as it is stated {faults}", faults=listed([_fault(fault) for fault in faults])
    )
    # Before anything was rolled it is how the game starts; later the board is as it came to be.
    is_start = seen.score.game_number == 0 or not seen.flow.turn_number
    cite = seen.rules.cite("setup" if is_start else "board")
    return [found("position-fault", event, message, cite=cite, severity=Severity.NOTE)]


def _fault(fault: str) -> Said:
    side, _, rest = fault.partition("-")
    if side == "both":
        return _OF_BOTH[rest]
    seat = Seat.ONE if side == "own" else Seat.TWO
    return said("{seat} has {fault}", seat=seat, fault=_OF_ONE[rest])


_OF_BOTH = {
    "on-one-point": said("both have checkers on one point"),
    "all-borne-off": said("both have borne off all checkers"),
}

_OF_ONE = {
    "not-counts": said("no such number of checkers"),
    "too-few-checkers": said("fewer than fifteen checkers"),
    "too-many-checkers": said("more than fifteen checkers"),
}
