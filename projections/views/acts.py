"""What an entry says, as values and people that a text in any language can name."""

from __future__ import annotations

import enum
from collections.abc import Container, Mapping

import msgspec

from events.envelope import RecordedEvent
from events.payloads import clock, corrections, cube, dice, dispute, equipment, penalty, play
from events.payloads.base import Actor
from events.values import BySeat, Seat
from projections.board.notation import format_play
from projections.judging.appeal_state import called
from projections.states import Step

Act = dict[str, Mapping[str, str | int]]
"""`facts` (words, numbers, notation) and `people` (seats and offices), each by name."""


_CUSTODY = ("pack.", "publication.", "lease.", "disclosure.", "key.", "branch.", "access.", "film.")


def is_custody(tag: str) -> bool:
    """Whether an entry of this type is about the record itself: no moment of the match."""
    return tag.startswith(_CUSTODY)


def act_line(step: Step, calls: Container[str]) -> Act:
    """What the entry of a step says: values, and people by their seats and offices.

    `calls` are the entry ids of the calls for the director (`notices.py`). Of an entry that says
    one of several things, the fact `says` tells which.
    """
    return event_act(step.event, step, calls)


def event_act(event: RecordedEvent, step: Step | None, calls: Container[str]) -> Act:
    """The same of any entry; `step` is None for one that was taken back or replaced."""
    facts, people = _members(event.payload)
    payload = event.payload
    match payload:
        case play.PlayMade() | play.PlayRevised() if payload.resulting_position is None:
            facts["play"] = format_play(payload.moves, () if step is None else step.hits)
        case play.PlayCorrected(checkers=None):
            facts["play"] = format_play(payload.moves, () if step is None else step.hits)
        case dice.OpeningRolled(one=one, two=two) if one != two:
            people["winner"] = (Seat.ONE if one > two else Seat.TWO).value
        case dispute.RulingMade(answers=answers, references=references):
            for number, answer in enumerate(answers, 1):
                facts[f"question_{number}"] = answer.question.topic
                facts[f"answer_{number}"] = answer.reading
            cited = [f"{cited.rule_set} {cited.section}" for cited in references]
            facts["references"] = "; ".join(cited)
        case clock.ClockAdjusted(amount_ms=amount):
            facts["says"] = "taken" if amount < 0 else "given"
            facts["time"] = str(_time(abs(amount)))
        case dice.EarlyRollAnswered(revises=revises, forfeit=forfeit):
            if revises is not None:
                facts["revised"] = "revises_play" if revises else "keeps_play"
            if forfeit:
                facts["forfeited"] = "forfeit"
        case clock.ClockDelayForfeited(turn=turn, waits=waits):
            facts["says"] = f"{turn.value}_waits" if waits else turn.value
        case clock.ClockFlagNoticed(whose=clock.Flag.BOTH, first=first, gin=gin) if first in (
            None,
            clock.Flag.UNKNOWN,
        ):
            facts["says"] = {None: "both", True: "both_gin", False: "both_no_gin"}[gin]
        case equipment.EquipmentAgreed(item="throwing_side", half=half, allowed=allowed) if half:
            facts["says"] = "side_both" if allowed is None else "side"
        case corrections.MomentMarked(target=target) if target in calls:
            facts["says"] = "on_the_way"
        case penalty.PenaltyWaived(points=None):
            facts["says"] = "all"
        case dispute.QuestionLeft(question=question):
            facts["question"] = question.topic
        case dispute.DisputeRaised(readings=readings):
            read = [(one.by, one.reading) for one in readings if one.reading is not None]
            for number, (by, reading) in enumerate(read, 1):
                people[f"reader_{number}"] = by.value
                facts[f"reading_{number}"] = reading
        case _:
            pass
    if step is not None:
        facts |= _about_state(step)
    return {"facts": facts, "people": people}


def _about_state(step: Step) -> dict[str, str | int]:
    payload = step.event.payload
    facts: dict[str, str | int] = {}
    match payload:
        case play.PlayMade(seat=seat) if faces := step.before.flow.dice_of(seat):
            facts["dice"] = "".join(map(str, sorted(faces, reverse=True)))
        case cube.DoubleOffered():
            facts["value"] = step.before.cube.value * 2
        case cube.CubeBeavered():
            facts["value"] = step.before.cube.value * 4
        case cube.DoubleTaken():
            facts["value"] = step.after.cube.value
        case _:
            pass
    if step.after.score.ended_at == step.event.version:
        result = step.after.score.games[-1]
        facts["won"] = result.winner.value
        facts["won_points"] = result.points
    return facts


def _members(payload: object) -> tuple[dict[str, str | int], dict[str, str]]:
    """Plain members of a payload by name: words and numbers, and those that name a person."""
    facts: dict[str, str | int] = {}
    people: dict[str, str] = {}
    if not isinstance(payload, msgspec.Struct):
        return facts, people
    for name in payload.__struct_fields__:
        value = getattr(payload, name)
        if isinstance(value, Seat | Actor | clock.Flag):
            people[name] = value.value
        elif name.endswith("_ms") or name == "readings":
            if (text := _time(value)) is not None:
                facts[name.removesuffix("_ms")] = text
        elif isinstance(value, bool) or value is None:
            continue
        elif name == "member" and isinstance(value, str):
            facts[name] = called(value)
        elif isinstance(value, int | str):
            facts[name] = str(value) if isinstance(value, enum.Enum) else value
        elif name == "dice" and isinstance(value, tuple):
            facts[name] = "".join("?" if face is None else str(face) for face in value)
        elif isinstance(value, BySeat) and isinstance(value.one, int):
            facts[name] = f"{value.one}\N{EN DASH}{value.two}"
        elif value and isinstance(value, tuple) and all(isinstance(one, str) for one in value):
            facts[name] = ", ".join(_words(one) for one in value)
    return facts, people


def _time(value: object) -> str | None:
    """Milliseconds as minutes and seconds; of both seats beside each other."""
    if isinstance(value, int):
        seconds = abs(value) // 1_000
        return f"{'-' if value < 0 else ''}{seconds // 60}:{seconds % 60:02}"
    if isinstance(value, BySeat):
        one, two = _time(value.one), _time(value.two)
        return one if one == two else f"{one} / {two}"
    return None


def _words(value: str) -> str:
    return str(value).replace("_", " ")
