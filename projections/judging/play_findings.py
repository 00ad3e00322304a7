"""What is found of an illegal play: due, too late, for a person to say, or done otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from events.envelope import RecordedEvent
from events.payloads import play
from events.values import Seat
from projections.folding.findings import Finding, judged
from projections.folding.fold import Seen, SeenStep, seat_of
from projections.folding.sayings import Said, said, worded
from projections.judging.illegal_plays import Noticed
from projections.rules.answers import CONFLICT, Answer
from projections.rules.subjects.windows import (
    CORRECTED_BY_AGREEMENT,
    MUST_CORRECT,
    OPPONENT_DECIDES,
    STANDS,
)


def answer_found(event: RecordedEvent, noticed: Noticed, seen: Seen) -> tuple[Finding, ...]:
    """The finding of an answer, and one for each further question beside it."""
    answer, seat = noticed.answer, noticed.offender
    if answer.is_open:
        code = "correction-question"
        message = said(
            "{seat}'s play is called illegal;"
            " whether it is corrected is for the Director to decide",
            seat=seat,
        )
        if answer.reason == CONFLICT:
            message = said(
                "{seat}'s play is called illegal, and by the board it is legal;"
                " whether it is corrected is for the Director to decide",
                seat=seat,
            )
    elif answer.outcome == STANDS:
        code = "correction-too-late"
        message = said("{seat}'s illegal play was noticed too late, and stands", seat=seat)
    else:
        code = "correction-due"
        message = _due(seat, answer)
    first = _finding(code, event, message, answer, "play", noticed, seen)
    return (first, *asked_beside(event, noticed, answer.also.items(), seen))


def _due(seat: Seat, answer: Answer) -> Said:
    """What is due to an illegal play that was noticed in time."""
    match answer.outcome:
        case outcome if outcome == OPPONENT_DECIDES:
            return said(
                "{seat} has played illegally: {other} condones the play, or demands a legal one",
                seat=seat,
                other=seat.other,
            )
        case outcome if outcome == CORRECTED_BY_AGREEMENT:
            return said("{seat}'s illegal play is corrected, as both agree", seat=seat)
        case outcome if outcome == MUST_CORRECT:
            return said("{seat}'s illegal play must be corrected", seat=seat)
        case other:
            return said("{seat} has played illegally: {answer}", seat=seat, answer=worded(other))


_BESIDE = {
    "double": said("what becomes of the double"),
    "position": said("from which position the game is played on"),
    "sanction": said("whether that is sanctioned"),
}
"""What is asked beside an illegal play, in words."""


def asked_beside(
    event: RecordedEvent, noticed: Noticed, others: Iterable[tuple[str, Answer]], seen: Seen
) -> tuple[Finding, ...]:
    """What of the questions beside an illegal play is still open."""
    return tuple(
        _finding(
            "correction-question",
            event,
            said(
                "{seat} has played illegally; {what} is for the Director to decide",
                seat=noticed.offender,
                what=_BESIDE.get(name) or worded(name),
            ),
            other,
            name,
            noticed,
            seen,
        )
        for name, other in others
        if other.is_open
    )


def done_otherwise(event: RecordedEvent, noticed: Noticed, message: Said, seen: Seen) -> Finding:
    """What the table did is not what the rule set provides for."""
    return _finding("correction-differs", event, message, noticed.answer, "play", noticed, seen)


def with_other_dice(made: SeenStep, corrected: play.PlayCorrected) -> Said | None:
    """What is wrong with a correction that is not played with the dice that were thrown."""
    seat = seat_of(made)
    roll, shown = made.before.flow.dice_of(seat), corrected.dice
    if shown is None or roll is None or sorted(shown) == sorted(roll):
        return None
    thrown, played = (f"{dice[0]}{dice[1]}" for dice in (roll, shown))
    return said(
        "the play of {seat} is corrected with {shown}, and {dice} was thrown",
        seat=seat,
        shown=played,
        dice=thrown,
    )


def _finding(
    code: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    topic: str,
    noticed: Noticed,
    seen: Seen,
) -> Finding:
    topic = f"window.{topic}"
    return judged(code, event, message, answer, topic, seen.rules, seat=noticed.offender)
