"""The index of a text by section: what is computed, what is recorded, what is left to a person."""

from __future__ import annotations

import enum
from collections.abc import Mapping

import msgspec

DISCRETION = "the text gives it to the Director"
CONDUCT = "a person judges conduct; what follows is recorded as a ruling or a sanction"
WEIGHED = "how much it weighs is for the Director to say"
AGREED = "the players agree on it, or the Director orders it; what was agreed is recorded"
ADVICE = "the text asks for it, and names nothing that follows"
ORGANISERS = "it is for the organisers, and bears on no match"
SILENT = "the text says nothing of it"
NO_ENTRY = "no entry says it"
NO_TEXT = "the text has a heading here, and no rule under it"
NOT_IN_HAND = "this part of the text is not in hand"
SUGGESTED = (
    "this part of the ratified text is not in hand: the draft's answer is shown, not applied"
)
NOT_BINDING = (
    "it stands under a /TOURNAMENT heading alone: a club is not bound by it, and may adopt it"
)
"""Why a rule is left to a person; these sentences are told in every language of the pages."""


class How(enum.StrEnum):
    """What the program does with a rule."""

    COMPUTED = "computed"
    RECORDED = "recorded"
    LEFT = "left"


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One rule of a section, in a few words of our own, and what the program does with it."""

    section: str
    """The section, as the edition numbers it."""
    item: str | None = None
    """The item of the section, as the text letters it; None = the section has no such items."""
    what: str
    """What the rule is about."""
    how: How
    """Whether it is computed, recorded, or left to a person."""
    names: tuple[str, ...] = ()
    """Subjects of policies or codes of findings, where computed; event tags, where recorded."""
    why: str | None = None
    """Why a person has to judge; None where it is computed or recorded."""


class Lines(list[Line]):
    """The index of one text, written line by line beside its sections."""

    def computed(self, section: str, what: str, *names: str, item: str | None = None) -> None:
        """A rule that is computed, by the subjects of policies or the codes of findings."""
        self._add(section, what, How.COMPUTED, item, names)

    def recorded(self, section: str, what: str, *names: str, item: str | None = None) -> None:
        """A rule about facts that are recorded, by event tags; a person says what they mean."""
        self._add(section, what, How.RECORDED, item, names)

    def left(self, section: str, what: str, why: str, item: str | None = None) -> None:
        """A rule that is left to a person, and why."""
        self.append(Line(section=section, item=item, what=what, how=How.LEFT, why=why))

    def _add(
        self, section: str, what: str, how: How, item: str | None, names: tuple[str, ...]
    ) -> None:
        assert names, f"{section}: {what} names nothing"
        self.append(Line(section=section, item=item, what=what, how=how, names=names))


def by_section(contents: Mapping[str, str], lines: tuple[Line, ...]) -> dict[str, tuple[Line, ...]]:
    """The lines of each section, in the order of the contents; what else is there comes after."""
    found: dict[str, list[Line]] = {section: [] for section in contents}
    for line in lines:
        found.setdefault(line.section, []).append(line)
    return {section: tuple(told) for section, told in found.items()}
