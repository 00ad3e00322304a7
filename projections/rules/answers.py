"""Answers of rule sets: an outcome with its section, or that a person has to rule."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

RULING_REQUIRED = "ruling_required"
"""The outcome of every question that the text leaves to a person."""

SILENT = "silent"
"""The complete text says nothing."""
AMBIGUOUS = "ambiguous"
"""The text admits several readings; `Answer.ambiguity` names the entry of the register."""
NOT_IN_HAND = "not_in_hand"
"""The text is not available."""
NOT_VERIFIED = "not_verified"
"""The content of the text is known, but not its wording."""
DISCRETION = "discretion"
"""The text leaves it to the Director."""
NOT_RECORDED = "not_recorded"
"""The answer depends on something that was not recorded."""
CONFLICT = "conflict"
"""A claim contradicts the record."""

Lean = str | Mapping[str, object]
"""An outcome, or an outcome with details, that a text leans to."""

NO_DETAILS: Mapping[str, object] = MappingProxyType({})
NO_TERMS: Mapping[str, str | int] = MappingProxyType({})


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of a rule set; that a ruling is required is an answer, too."""

    outcome: str
    """A word of the subject's vocabulary, or RULING_REQUIRED."""
    section: str
    """Where the rule set says so, as it numbers its sections."""
    details: Mapping[str, Any] = NO_DETAILS
    """What belongs to the outcome: winner, points, scope of a re-roll ... by name."""
    ambiguity: str | None = None
    """Id of the ambiguity that makes it a question."""
    reason: str | None = None
    """SILENT, NOT_IN_HAND, NOT_RECORDED, ...; None for settled answers and for ambiguities."""
    readings: tuple[str, ...] = ()
    """The readings that compete."""
    lean: Lean | None = None
    """What the text leans to, as outcome and details; shown, never applied."""
    suggest: str | None = None
    """Id of the rule set whose answer is shown to the Director; never applied."""
    flag: str | None = None
    """Id of the ambiguity whose recommended reading settled it."""
    verified: bool = True
    """False where another edition's text answered, or the sentence it rests on is not in hand."""
    rests_on: tuple[str, ...] = ()
    """Names of the sentences that say so; none where the text was read as a whole."""
    also: Mapping[str, Answer] = MappingProxyType({})
    """Further questions beside the answer, by the name of what they leave open."""
    terms: Mapping[str, str | int] = NO_TERMS
    """What the rule measures by in every case: votes needed, until when, who may choose."""
    ruled_at: int | None = None
    """Version of the `ruling.made` that chose the outcome; None where the text itself says it."""

    @property
    def is_open(self) -> bool:
        """Whether a person has to rule."""
        return self.outcome == RULING_REQUIRED

    @property
    def is_silent(self) -> bool:
        """Whether the text says nothing about it, and offers no readings."""
        return self.reason == SILENT and not self.readings

    def resting_on(self, *sentences: str, readings: tuple[str, ...] = ()) -> Answer:
        """The answer, which holds where these sentences are in hand.

        `readings`: what else it might be; they compete while the sentences are not in hand.
        """
        if self.is_open:
            return msgspec.structs.replace(self, rests_on=(*self.rests_on, *sentences))
        others = (reading for reading in readings if reading != self.outcome)
        return msgspec.structs.replace(
            self, rests_on=(*self.rests_on, *sentences), readings=(self.outcome, *others)
        )

    def as_held(self, held: Mapping[str, str]) -> Answer:
        """The answer where its sentences are in hand (`held`: name to hash); else a question.

        The question leans to what the answer would be. A question stays one either way.
        """
        if not self.rests_on or self.is_open or self.ruled_at is not None:
            return self
        if all(name in held for name in self.rests_on):
            return msgspec.structs.replace(self, readings=()) if self.readings else self
        told = {
            name: value
            for name, value in self.details.items()
            if isinstance(value, str | int) and not isinstance(value, bool)
        }
        lean: Lean = MappingProxyType({"outcome": self.outcome, **told}) if told else self.outcome
        return msgspec.structs.replace(
            self,
            outcome=RULING_REQUIRED,
            reason=NOT_VERIFIED,
            readings=self.readings or (self.outcome,),
            lean=lean,
            details=NO_DETAILS,
            flag=None,
            verified=False,
        )

    def ruled(self, reading: str, version: int) -> Answer:
        """The answer with the Director's reading in the place of the question.

        Section, readings and ambiguity stay, so that it can still be said what was asked. A text
        that gave an answer of its own keeps it: only a question can be ruled, and ruled again.
        """
        if not self.is_open and self.ruled_at is None:
            return self
        return msgspec.structs.replace(self, outcome=reading, ruled_at=version)


def settled(outcome: str, section: str, **details: object) -> Answer:
    """An answer that the text gives."""
    return Answer(outcome=outcome, section=section, details=MappingProxyType(details))


def ambiguous(
    ambiguity: str,
    section: str,
    *readings: str,
    lean: Lean | None = None,
    **details: object,
) -> Answer:
    """A question that the text answers in more than one way."""
    return Answer(
        outcome=RULING_REQUIRED,
        section=section,
        ambiguity=ambiguity,
        readings=readings,
        lean=lean,
        details=MappingProxyType(details),
    )


def left_open(
    reason: str,
    section: str,
    *readings: str,
    lean: Lean | None = None,
    suggest: str | None = None,
    **details: object,
) -> Answer:
    """A question on which the text is silent, not in hand, or refers to the Director."""
    return Answer(
        outcome=RULING_REQUIRED,
        section=section,
        reason=reason,
        readings=readings,
        lean=lean,
        suggest=suggest,
        details=MappingProxyType(details),
    )
