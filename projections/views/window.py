"""A window: one thing that may, might or might have been corrected, and its outcome."""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import msgspec

from events.payloads.match import MatchNextStarted
from events.values import Seat
from projections.folding.findings import Finding
from projections.rules.answers import Answer
from projections.states import Replay, Step


class WindowIs(enum.StrEnum):
    """What became of what could be put right."""

    OPEN = "open"
    """It may, or has to be, put right."""
    STANDS = "stands"
    """Its time was over before anybody did anything about it."""
    CONDONED = "condoned"
    """It was left as it was although it could have been corrected."""
    CORRECTED = "corrected"
    """It was corrected, done again, declared void, or done as a player was bound to do it."""
    STANDS_BY_RULING = "stands_by_ruling"
    """A Director's ruling let it stand."""
    ASKED = "asked"
    """A person has to rule."""
    RULED = "ruled"
    """A Director has ruled in words that are none of the rule set's readings."""


class What(enum.StrEnum):
    """What there is to put right."""

    PLAY = "play"
    """An illegal play."""
    START = "start"
    """A wrong starting position."""
    EARLY_ROLL = "early_roll"
    """Dice rolled before the opponent's turn was over."""
    CUBE_ACT = "cube_act"
    """A double, early, in a Crawford game or of no use; a gesture or word about the cube."""
    RESULT = "result"
    """A result that is posted wrongly."""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that can or could be put right."""

    what: What
    """What."""
    entry: str
    """The entry that did it, or that noticed it where no single entry did."""
    seat: Seat | None
    """Whose fault; None = nobody's, or both players'."""
    state: WindowIs
    """What became of it."""
    must: bool
    """Whether it has to be put right now."""
    may: bool
    """Whether it may be put right now."""
    by: str | None
    """Who may or must, in the rule set's words; None = the text does not say."""
    until: str | None
    """The kind of event that closes, or closed, the window; None = the text names none."""
    section: str
    """Where the rule set says so."""
    rule_set: str
    """Which rule set."""
    closed_by: str | None = None
    """The entry that closed it; None = it is open, or no single entry did."""


class Past:
    """A finished replay, with the methods by which folds ask for earlier entries."""

    def __init__(self, shown: Replay) -> None:
        self.shown = shown
        self.rules = shown.rules
        self.state = shown.state
        self.flow = shown.state.flow
        self.steps = shown.steps
        self.rulings = shown.state.rulings
        self.versions = shown.versions
        self.gathered: dict[tuple[str, str], Any] = {}
        self._places = {step.event.entry_id: place for place, step in enumerate(shown.steps)}

    def step_of(self, entry_id: str) -> Step | None:
        """The event with this entry id; None if the stream holds none."""
        place = self._places.get(entry_id)
        return None if place is None else self.steps[place]

    def steps_since(self, entry_id: str) -> Sequence[Step]:
        """The events after the one with this entry id; none if the stream holds none."""
        place = self._places.get(entry_id)
        return () if place is None else self.steps[place + 1 :]

    def passing_since(self, entry_id: str, test: Callable[[Step], bool]) -> Sequence[Step]:
        """The events after it that pass a test; results are cached, so pass a module's function."""
        version = self.versions.get(entry_id)
        if version is None:
            return ()
        steps = self.shown.steps_passing(test)
        return steps[bisect_right(steps, version, key=lambda step: step.event.version) :]

    @cached_property
    def open_questions(self) -> Sequence[Finding]:
        """Findings that need a ruling and have none."""
        return self.shown.open_questions

    def window(
        self,
        what: What,
        entry: str,
        seat: Seat | None,
        state: WindowIs,
        answer: Answer,
        *,
        must: bool = False,
        may: bool = False,
        closed_by: str | None = None,
    ) -> Window:
        """A window as an answer describes it; what stands may still be corrected as it says."""
        details = answer.details
        later = details.get("later") if state is WindowIs.STANDS else None
        by = later or details.get("by")
        return Window(
            what=what,
            entry=entry,
            seat=seat,
            state=state,
            must=must,
            may=may or must or later is not None,
            by=None if by is None else str(by),
            until=details.get("until"),
            section=answer.section,
            rule_set=self.rules.profile.id,
            closed_by=closed_by if closed_by in self.versions else None,
        )

    def ruled(self, answer: Answer, topic: str, seat: Seat | None, *entries: str) -> Answer:
        """The answer with the latest ruling on it, whichever of these entries it was asked at."""
        made = [self.rulings.answers.get((topic, entry, seat)) for entry in entries]
        latest = max((one for one in made if one), key=lambda one: one.version, default=None)
        return answer if latest is None else answer.ruled(latest.reading, latest.version)

    def answered(self, finding: Finding) -> int | None:
        """Version of the ruling that answers a question."""
        return self.shown.answered(finding).answered_by

    def ruling(self, answer: Answer) -> str | None:
        """The entry of the ruling that an answer goes by."""
        entries = (entry for entry, at in self.versions.items() if at == answer.ruled_at)
        return next(entries, None)


def next_match(past: Past, is_shut: Callable[[Step], bool]) -> str | None:
    """The entry that began another match and so closed a window."""
    for step in past.shown.steps_passing(_begins_another):
        if is_shut(step):
            return step.event.entry_id
    return None


def _begins_another(step: Step) -> bool:
    return isinstance(step.event.payload, MatchNextStarted)
