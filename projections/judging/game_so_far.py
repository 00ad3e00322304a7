"""How far a game has come: its turns, rolls and other throws, and what ended it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from events.payloads import dice, play
from events.payloads.base import Payload
from events.values import BAR, Seat
from projections.folding.fold import SeenPast, SeenStep
from projections.folding.seen_facts import SeenFlow
from projections.rules.subjects.starting import StartFacts


class Past(SeenPast, Protocol):
    """What is asked about earlier entries, of a fold's `seen` or of a replay that is done."""

    @property
    def flow(self) -> SeenFlow:
        """Whose turn it is, now or at the end."""
        ...


def come_so_far(
    began: str | None, number: int, seat: Seat, at: int | None, seen: Past, *, agreed: bool
) -> StartFacts:
    """How far a game has come: the flow counts turns, changed plays and void rolls included."""
    steps, later = _steps_of(began, number, seen)
    flow, in_game = seen.flow, seen.flow.in_game and not later
    if not in_game:
        flow = next((step.after.flow for step in reversed(steps) if step.after.flow.in_game), flow)
    open_turns = _turns_open(flow) if in_game else 0
    payloads = [step.event.payload for step in steps]
    turns, rolls = _counted(steps)
    # How many rolls there had been at each throw that is none of them.
    others = [step.before.flow.turn_number for step in steps if _is_uncounted(step.event.payload)]
    if in_game and flow.early_entry is not None:
        others.append(flow.turn_number)
    return StartFacts(
        turns_completed=flow.turn_number - open_turns,
        valid_rolls=flow.turn_number,
        turns=turns,
        rolls=rolls,
        other_throws=len(others),
        before_second_roll=sum(rolls_before < 2 for rolls_before in others),
        agreed=agreed,
        game_over=not in_game,
        is_end_unsaid=in_game and flow.turn_open is not None and _is_end_unsaid(steps),
        was_touched=at is not None and any(_touches(payload, seat, at) for payload in payloads),
    )


def _is_end_unsaid(steps: Sequence[SeenStep]) -> bool:
    """Whether nothing says that a turn with its play made is not over: no clock, no early roll."""
    if not steps or steps[-1].after.clock.is_set:
        return False
    payloads = (step.event.payload for step in reversed(steps))
    latest = next((one for one in payloads if isinstance(one, play.PlayMade | dice.RolledEarly)), 0)
    return not isinstance(latest, dice.RolledEarly)


def _steps_of(
    began: str | None, number: int, seen: Past
) -> tuple[Sequence[SeenStep], Sequence[SeenStep]]:
    """What happened in a game, and after it in others."""
    since = () if began is None else seen.steps_since(began)
    # Of the others nothing is told: a fault that is noticed again and again walks through few.
    steps = [
        step
        for step in since
        if step.after.flow is not step.before.flow
        or step.after.score is not step.before.score
        or type(step.event.payload) in _TOLD
        or step is since[0]
        or step is since[-1]
    ]
    for place, step in enumerate(steps):
        if step.after.score.game_number != number:
            return steps[:place], steps[place:]
    return steps, ()


_TOLD = (dice.Voided, dice.OpeningRolled, dice.RolledEarly, dice.EarlyRollAnswered, play.PlayMade)
"""Entries that show how far a game has come although they change neither turn nor score."""


def end_of_game(began: str | None, number: int, seen: Past) -> str | None:
    """The entry that ended a game."""
    steps, later = _steps_of(began, number, seen)
    ended = None if not later else later[0].event.entry_id
    for step in reversed(steps):
        if step.after.flow.in_game:
            break
        ended = step.event.entry_id
    return ended


def _counted(steps: Sequence[SeenStep]) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
    """The end of each turn and its roll, by entry; without what was undone."""
    turns: list[str | None] = []
    rolls: list[str | None] = []
    for step in steps:
        flow = step.after.flow
        if not flow.in_game:
            continue
        _count(rolls, flow.turn_number, step.event.entry_id)
        _count(turns, flow.turn_number - _turns_open(flow), step.event.entry_id)
    return tuple(turns), tuple(rolls)


def _count(entries: list[str | None], count: int, entry_id: str) -> None:
    """As many entries as were counted: the new one is this, earlier ones may be unrecorded."""
    del entries[count:]
    if len(entries) < count:
        entries += [None] * (count - len(entries) - 1)
        entries.append(entry_id)


def _turns_open(flow: SeenFlow) -> int:
    is_playing = flow.dice is not None and not flow.is_ended
    return 1 if is_playing or flow.turn_open is not None else 0


def _is_uncounted(payload: Payload | None) -> bool:
    match payload:
        case dice.Voided():
            return True
        case dice.OpeningRolled(one=one, two=two):
            return one == two
        case dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.REDONE):
            return True
        case _:
            return False


def _touches(payload: Payload | None, seat: Seat, at: int) -> bool:
    """Whether a play takes a checker of `seat` from a point, or lands on that point against it."""
    match payload:
        case play.PlayMade(seat=mover, moves=moves):
            if mover is seat:
                return any(move.from_point == at for move in moves)
            return any(move.to_point == BAR - at for move in moves)
        case _:
            return False
