"""Several rulings on one question: the last one holds, as if it were the only one.

When a later ruling answers the same question differently (also after an appeal has reopened it),
what the earlier one changed at its own event is undone. Like the effect of any ruling, this is
limited to rulings since which nothing has happened in the game; after that, `score.stated`,
`cube.stated` and `ruling.carried_out` say what holds.
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
    """The earlier rulings that this one replaces, oldest first; none if it says nothing new.

    A ruling that also answered other questions is not replaced, because those answers still hold.
    A player's answer to a claim replaces nothing.
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
                # The same ruling is only repeated.
                break
            chain.append(step)
        elif step.event.tag.startswith(_OF_THE_GAME):
            break
    return chain[::-1]


_OF_THE_GAME = ("play.", "dice.", "cube.", "claim.", "resignation.")
"""Tags of play going on: a ruling replaces no ruling from before such an entry."""


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
    """The state that a ruling applies to: `now`, or the state before the rulings it replaces.

    `now`: every fold's state before the ruling.
    """
    chain = in_place_of(made, seen)
    return chain[0].before if chain else now
