"""Rulings on one question, one after the other: the last holds, as if it were the only one.

What a ruling moved at its own event is as it was before it where another ruling answers the same
question otherwise, also after an appeal has opened it again. That goes as far as a ruling itself
goes: while nothing has happened in the game since. Later it is `score.stated`, `cube.stated` and
`ruling.carried_out` that say what holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from events.payloads import dispute, ending
from events.payloads.base import Actor
from events.values import Seat
from projections.folding.fold import Seen, SeenState, SeenStep

Ruling = dispute.RulingMade | ending.ClaimRuled
"""What a Director says on questions, and on claims."""

_Readings = dict[tuple[str, str, Seat | None], str]


def in_place_of(made: Ruling, seen: Seen) -> Sequence[SeenStep]:
    """The rulings in whose place this one stands, the first one first; none where it is no other.

    One that answered more than is answered now stays: of the rest nobody says anything else. What
    a player answers to a claim takes the place of nothing.
    """
    if isinstance(made, ending.ClaimRuled) and made.by is not Actor.DIRECTOR:
        return ()
    chosen = _readings(made)
    since = max((seen.steps_since(at) for _, at, _ in chosen), key=len, default=())
    chain: list[SeenStep] = []
    for place in range(len(since) - 1, -1, -1):
        step = since[place]
        payload = step.event.payload
        if isinstance(payload, Ruling):
            before = _readings(payload)
            if before.keys().isdisjoint(chosen):
                continue
            now = chain[-1].before if chain else since[-1].after
            if not before.keys() <= chosen.keys() or not _is_unmoved(step.after, now):
                break
            if not chain and all(chosen[key] == reading for key, reading in before.items()):
                # It says the same once more.
                break
            chain.append(step)
        elif step.event.tag.startswith(_OF_THE_GAME):
            break
    return chain[::-1]


_OF_THE_GAME = ("play.", "dice.", "cube.", "claim.", "resignation.")
"""How the tags of entries begin after which a ruling moves nothing that was ruled before them."""


def _readings(made: Ruling) -> _Readings:
    if isinstance(made, ending.ClaimRuled):
        return {("claim", made.target, None): str(made.holds)}
    return {
        (one.question.topic, one.question.at, one.question.seat): one.reading
        for one in made.answers
    }


def _is_unmoved(then: SeenState, now: SeenState) -> bool:
    """Whether board, cube, score and turn are as a ruling left them."""
    is_left = (then.positions, then.cube, then.flow) == (now.positions, now.cube, now.flow)
    return is_left and then.score.is_as(now.score)


def state_found(made: Ruling, seen: Seen, now: SeenState) -> SeenState:
    """The state that a ruling goes on from: `now`, or that before the rulings whose place it takes.

    `now`: every fold's state before the ruling, whichever folds have seen it already.
    """
    chain = in_place_of(made, seen)
    return chain[0].before if chain else now
