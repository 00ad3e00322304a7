"""What a rule set says to a question: an outcome with its section, or that a person has to rule."""

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
DISCRETION = "discretion"
"""The text gives it to the Director."""
CONFLICT = "conflict"
"""What somebody asserts is not what follows from the record."""

Lean = str | Mapping[str, object]
"""An outcome, or an outcome with details, that a text leans to."""

NO_DETAILS: Mapping[str, object] = MappingProxyType({})


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of a rule set; `ruling_required` is a first-class one."""

    outcome: str
    """A word of the subject's vocabulary, or RULING_REQUIRED."""
    section: str
    """Where the rule set says so, as it numbers its sections."""
    details: Mapping[str, Any] = NO_DETAILS
    """What belongs to the outcome: winner, points, scope of a re-roll ... by name."""
    ambiguity: str | None = None
    """Id of the ambiguity that makes it a question."""
    reason: str | None = None
    """SILENT, NOT_IN_HAND, DISCRETION, CONFLICT; None for settled answers and for ambiguities."""
    readings: tuple[str, ...] = ()
    """The readings that compete."""
    lean: Lean | None = None
    """What the text leans to, as outcome and details; shown, never applied."""
    suggest: str | None = None
    """Id of the rule set whose answer is shown to the Director; never applied."""
    flag: str | None = None
    """Id of the ambiguity whose recommended reading settled it."""
    verified: bool = True
    """False where another edition's text answered."""
    also: Mapping[str, Answer] = MappingProxyType({})
    """Further questions beside the answer, by the name of what they leave open."""
    ruled_at: int | None = None
    """Version of the `ruling.made` that chose the outcome; None where the text itself says it."""

    @property
    def is_open(self) -> bool:
        """Whether a person has to rule."""
        return self.outcome == RULING_REQUIRED

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
