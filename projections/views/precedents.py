"""Precedents: what directors decided in a match, about what, and the result of an appeal.

`why_unnamed` says why players are not named: because the rule set keeps them secret from its
committees, or because a player objected to being recorded.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from events.payloads import appeal, dispute, ending, equipment, penalty
from events.payloads.base import Actor, RuleReference
from events.values import Seat
from projections.rules.profile import Withheld
from projections.states import Replay, Step
from projections.views.freezing import spoken_of, version_of

_DECIDING = (dispute.RulingMade, ending.ClaimRuled, penalty.PenaltyAssessed)
_KINDS = frozenset(_DECIDING)

CLAIM = "claim.validity"
"""The subject of a claim that the director rules on."""
PENALTY = "penalties."
"""Beginning of the subjects of penalties; the ground stands behind it."""


class Fate(enum.StrEnum):
    """What became of a decision."""

    STANDS = "stands"
    """Nobody appealed."""
    OPEN = "open"
    """An appeal is open."""
    REFUSED = "refused"
    """An appeal was not admitted."""
    UPHELD = "upheld"
    REVERSED = "reversed"
    MODIFIED = "modified"


class Unnamed(enum.StrEnum):
    """Why a precedent names nobody."""

    RULE_SET = "rule_set"
    """The rule set of the match keeps the players from its committees."""
    OBJECTED = "objected"
    """A player objected to being recorded."""


class Decision(NamedTuple):
    """One decision, as far as it can be looked for."""

    version: int
    """Of the entry that decides."""
    subjects: tuple[str, ...]
    """What was decided: topics, such as `dice.validity`."""
    sections: tuple[tuple[str, str], ...]
    """(rule set, section) of the decision: cited by the director, or by the question."""


class Precedent(NamedTuple):
    """One decision with its moment, and what became of it."""

    decision: Decision
    tag: str
    """`ruling.made`, `claim.ruled` or `penalty.assessed`."""
    moment: int
    """Version of the entry that it is about: the board of a precedent is the one after it."""
    seat: Seat | None
    """Whom a penalty is against."""
    readings: tuple[tuple[str, str], ...]
    """(topic, reading chosen) of each question answered."""
    fate: Fate
    on: appeal.AppealOn | None
    """What the appeal was about, where there is one that said so."""
    told: tuple[int, ...]
    """Versions of the entries whose words belong to it: dispute, ruling, appeal, its outcome."""


def decisions_of(shown: Replay) -> tuple[Decision, ...]:
    """Every decision of a director in a match, in order; most matches have none."""
    return tuple(_decision(step, shown) for step in _deciding(shown))


def precedents_of(shown: Replay) -> list[Precedent]:
    """The same with moment and outcome, as far as the match is shown."""
    deciding = list(_deciding(shown))
    if not deciding:
        return []
    about = spoken_of(shown)
    return [_precedent(step, shown, about) for step in deciding]


def why_unnamed(shown: Replay) -> Unnamed | None:
    """Why no precedent of this match says who played it; None = it may be said."""
    if Withheld.PLAYERS in shown.rules.profile.hearing.withholds:
        return Unnamed.RULE_SET
    has_objected = any(
        isinstance(step.event.payload, equipment.RecordingObjected) for step in shown.steps
    )
    return Unnamed.OBJECTED if has_objected else None


def _deciding(shown: Replay) -> Iterator[Step]:
    for step in shown.steps:
        payload = step.event.payload
        if type(payload) not in _KINDS:
            continue  # nearly all
        # A claim that the opponent grants is no decision of a director.
        if getattr(payload, "by", Actor.DIRECTOR) is Actor.DIRECTOR:
            yield step


def _decision(step: Step, shown: Replay) -> Decision:
    payload = step.event.payload
    match payload:
        case dispute.RulingMade(answers=answers, references=references):
            keys = {(one.question.topic, one.question.at, one.question.seat) for one in answers}
            subjects = [topic for topic, _, _ in keys]
            raised = _raised(payload, shown)
            if raised is not None and raised.topic is not None:
                subjects.append(raised.topic)
            asked = [
                (finding.rule_set, finding.section)
                for finding in (shown.findings if keys else ())
                if finding.key in keys
            ]
            return _made(step, subjects, [*map(_cited, references), *asked])
        case ending.ClaimRuled(rule=rule):
            return _made(step, [CLAIM], [] if rule is None else [_cited(rule)])
        case penalty.PenaltyAssessed(ground=ground, rule=rule):
            subject = PENALTY + ground.value.replace("_", "-")
            return _made(step, [subject], [] if rule is None else [_cited(rule)])
        case _:
            raise AssertionError(step.event.tag)


def _made(step: Step, subjects: Iterable[str], sections: Iterable[tuple[str, str]]) -> Decision:
    return Decision(
        step.event.version, tuple(sorted(set(subjects))), tuple(dict.fromkeys(sections))
    )


def _cited(reference: RuleReference) -> tuple[str, str]:
    return reference.rule_set, reference.section


def _raised(ruling: dispute.RulingMade, shown: Replay) -> dispute.DisputeRaised | None:
    step = _step_of(ruling.dispute, shown)
    payload = None if step is None else step.event.payload
    return payload if isinstance(payload, dispute.DisputeRaised) else None


def _step_of(entry_id: str | None, shown: Replay) -> Step | None:
    version = None if entry_id is None else version_of(shown, entry_id)
    return None if version is None else shown.step_at(version)


def _precedent(step: Step, shown: Replay, about: dict[int, int]) -> Precedent:
    payload, decision = step.event.payload, _decision(step, shown)
    readings: tuple[tuple[str, str], ...] = ()
    before: Step | None = None
    match payload:
        case dispute.RulingMade(answers=answers, dispute=settles):
            readings = tuple((one.question.topic, one.reading) for one in answers)
            before = _step_of(settles, shown)
            if before is None and answers:
                before = _step_of(answers[0].question.at, shown)
        case ending.ClaimRuled(target=target, holds=holds):
            readings = ((CLAIM, "valid" if holds else "not_allowed"),)
            before = _step_of(target, shown)
        case _:
            pass
    filed = _appeal_against(step.event.entry_id, shown)
    fate, decided = (Fate.STANDS, None) if filed is None else _fate(filed, shown)
    appealed = None if filed is None else filed.event.payload
    told = [one.event.version for one in (before, step, filed, decided) if one is not None]
    return Precedent(
        decision,
        step.event.tag,
        _moment(step, before, shown, about),
        getattr(payload, "seat", None),
        readings,
        fate,
        appealed.on if isinstance(appealed, appeal.AppealFiled) else None,
        tuple(told),
    )


def _moment(step: Step, before: Step | None, shown: Replay, about: dict[int, int]) -> int:
    """What a decision is about: what its dispute is, what the director was called for, the entry
    at which the question arose; else the moment of the decision itself.
    """
    if before is None:
        return step.event.version
    version = before.event.version
    match before.event.payload:
        case dispute.DisputeRaised():
            return about.get(version, version)
        case dispute.DirectorCalled(about=called):
            found = _step_of(called, shown)
            return version if found is None else found.event.version
        case _:
            return version


def _appeal_against(entry_id: str, shown: Replay) -> Step | None:
    """The last appeal against a decision."""
    return next(
        (
            step
            for step in reversed(shown.steps)
            if isinstance(step.event.payload, appeal.AppealFiled)
            and step.event.payload.target == entry_id
        ),
        None,
    )


def _fate(filed: Step, shown: Replay) -> tuple[Fate, Step | None]:
    """The result of an appeal, and the entry that states it."""
    own = filed.event.entry_id
    filings = [one for one in shown.steps if isinstance(one.event.payload, appeal.AppealFiled)]
    is_only = len(filings) == 1
    for step in shown.steps:
        match step.event.payload:
            case appeal.AppealRefused(appeal=named) if named == own:
                return Fate.REFUSED, step
            # Without a name it is the one appeal that there is.
            case appeal.AppealDecided(appeal=named, outcome=outcome) if named == own or (
                named is None and is_only
            ):
                return Fate(outcome.value), step
            case _:
                pass
    return Fate.OPEN, None
