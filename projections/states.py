"""What a replay is made of: the states of all folds (`State`), one event (`Step`), all (`Replay`).

Views import this file alone; only `replay.py` knows which folds there are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads.match import MatchOpened
from events.values import ONE, TWO, BySeat, Seat
from projections.facts import (
    clock_state,
    cube_value,
    flow_state,
    games,
    positions,
    rulings,
)
from projections.folding.findings import Finding
from projections.folding.growing import Ids, Indexed
from projections.judging import (
    appeal_state,
    bystanders,
    cube_state,
    delays,
    ending_state,
    equipment,
    outcome,
    penalty_points,
    premature_state,
    reports,
    result_state,
    sides,
    start,
    throws,
    timing_state,
    windows,
    wrong_length,
)
from projections.rules.profile import Rules
from projections.rules.sentences import NOTHING_IN_HAND, InHand


class Judged(msgspec.Struct, frozen=True, gc=False):
    """The states of the folds that ask the rule set; one object, for most events change none."""

    sides: sides.Sides
    """Sides to throw on."""
    throws: throws.Throws
    """The dice."""
    premature: premature_state.Premature
    """Premature actions."""
    windows: windows.Windows
    """Windows."""
    start: start.Start
    """The starting position."""
    cube_acts: cube_state.CubeActs
    """Cube acts."""
    endings: ending_state.Endings
    """Endings."""
    penalties: penalty_points.Penalties
    """Penalties."""
    match_length: wrong_length.MatchLength
    """The match played to a wrong length."""
    results: result_state.Results
    """Results."""
    timing: timing_state.Timing
    """Timing."""
    delays: delays.Delays
    """Delays of turns."""
    appeals: appeal_state.Appeals
    """Appeals."""
    reports: reports.Reports
    """Reports to a federation."""
    on_table: equipment.OnTable
    """What lies on the table."""
    bystanders: bystanders.Bystanders
    """Who watches, and what they say."""
    outcome: outcome.Outcome
    """Who has won the match, and why."""


class State(msgspec.Struct, frozen=True, gc=False):
    """Every fold's state at one moment."""

    rulings: rulings.Rulings
    """Questions answered."""
    positions: positions.Positions
    """The board."""
    cube: cube_value.Cube
    """The cube."""
    score: games.Score
    """The score."""
    flow: flow_state.Flow
    """Whose turn."""
    clock: clock_state.Clock
    """The clock."""
    judged: Judged
    """What the rule set says to it all."""

    @property
    def match_score(self) -> BySeat[int]:
        """The score as it stands: games, what was stated, and penalty points that enter it.

        Every figure of a score that somebody is shown or agrees with is this one.
        """
        own, _ = self.judged.penalties.both_scores(self.score.score)
        return own

    @property
    def has_ended(self) -> bool:
        """Whether the match is over: by what was recorded, by what the rules make of it, or, where
        it was played without a tablet, by the draw sheet, which is all that there is."""
        if self.score.has_ended or not self.judged.outcome.is_open:
            return True
        return self._posted_alone is not None and not self.score.game_number

    @property
    def final_score(self) -> BySeat[int]:
        """The score as it stands; the posted one, where nothing else tells how the match ended."""
        posting = self._posted_alone
        if posting is None or posting.score is None or not self.has_ended:
            return self.match_score
        return posting.score

    @property
    def winner(self) -> Seat | None:
        """Who has won the match, by the draw sheet where nothing else tells it."""
        posting = self._posted_alone
        if posting is None or not self.has_ended:
            return self.judged.outcome.winner
        if posting.winner is not None or posting.score is None:
            return posting.winner
        one, two = posting.score
        return None if one == two else ONE if one > two else TWO

    def agrees(self, winner: Seat | None, score: BySeat[int] | None) -> bool:
        """Whether a result that somebody tells is that of the match, as far as it is known."""
        if None not in (winner, self.winner) and winner is not self.winner:
            return False
        if score is None or self.score.unseen_at:
            return True
        outcome, length = self.judged.outcome, self.score.length
        made = (self.final_score, self.score.score)
        return any(outcome.agrees(score, one, length) for one in made)

    @property
    def is_posted(self) -> bool:
        """Whether the result as it stands is the one on the draw sheet."""
        posting = self.judged.results.posting
        return posting is not None and self.agrees(posting.winner, posting.score)

    @property
    def _posted_alone(self) -> result_state.Posting | None:
        """The result on the draw sheet, where nobody has won by what else is on record."""
        return self.judged.results.posting if self.judged.outcome.winner is None else None


class Step(msgspec.Struct, frozen=True, gc=False):
    """One event with what it changed."""

    event: RecordedEvent
    """The event as it stands."""
    before: State
    """Every fold's state before it."""
    after: State
    """Every fold's state after it."""
    findings: tuple[Finding, ...] = ()
    """What was first found at it."""

    @property
    def hits(self) -> tuple[int, ...]:
        """Points on which the event's play hit; none where it was not applied to the board."""
        after = self.after.positions
        return () if after is self.before.positions else after.hits


def stepped(steps: list[Step]) -> Indexed[Step]:
    """Steps that are found by the ids of their entries."""
    return Indexed(steps, len(steps), {}, Ids(steps, lambda step: step.event.entry_id))


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A match rebuilt: every step, every state, every finding."""

    rules: Rules
    """The rules that the folds asked."""
    initial: State
    """Every fold's state before the first event."""
    steps: Sequence[Step]
    """One step for each event that stands."""
    again: Callable[..., Replay]
    """The pass that made it, `replay.replay`: for other events of the match, or more of them."""
    version: int = 0
    """Version of the last recorded event that went in, corrections included."""
    recorded: Sequence[RecordedEvent] = ()
    """The events as recorded; empty while nothing was corrected, for they are the steps'."""
    is_as_recorded: bool = False
    """Whether corrections were left unapplied."""
    corrections: tuple[Finding, ...] = ()
    """What was found about the corrections themselves."""
    asked: tuple[str | None, bool] = (None, False)
    """The rule set asked for instead of the pinned one, and whether one was."""
    in_hand: InHand = NOTHING_IN_HAND
    """Sentences of rule sets that loaded texts have, with which it was judged."""

    @property
    def state(self) -> State:
        """Every fold's state after the last event."""
        return self.steps[-1].after if self.steps else self.initial

    @property
    def findings(self) -> list[Finding]:
        """All findings in order of version, each question with the ruling that answers it."""
        found_at = [finding for step in self.steps for finding in step.findings]
        if self.corrections:
            found_at = sorted([*found_at, *self.corrections], key=lambda finding: finding.version)
        return [self.answered(finding) for finding in found_at]

    @property
    def open_questions(self) -> list[Finding]:
        """Findings that need a ruling and have none."""
        return [finding for finding in self.findings if finding.is_open]

    @property
    def entries(self) -> Sequence[RecordedEvent]:
        """Every event as it was recorded, corrected ones and corrections included."""
        return self.recorded or [step.event for step in self.steps]

    @property
    def versions(self) -> dict[str, int]:
        """Id of each entry that stands to its version, which doors show (design §8.6)."""
        return {step.event.entry_id: step.event.version for step in self.steps}

    @property
    def opened(self) -> MatchOpened | None:
        """The match as it was opened; None where the stream does not say."""
        first = self.steps[0].event.payload if self.steps else None
        return first if isinstance(first, MatchOpened) else None

    def answered(self, finding: Finding) -> Finding:
        """The finding, with the version of the ruling that answers it."""
        answer = None if finding.key is None else self.state.rulings.answers.get(finding.key)
        return finding if answer is None else replace(finding, answered_by=answer.version)

    @property
    def has_crawford(self) -> bool:
        """Whether there is a Crawford game: by the rules in force, or since a ruling adopted it."""
        return self.rules.is_on("crawford") or self.state.score.is_crawford_adopted

    def steps_passing(self, test: Callable[[Step], bool]) -> list[Step]:
        """The steps that pass a test; a match that goes on is asked only about its new ones.

        The test is a function of a module, and looks at the step alone.
        """
        assert isinstance(self.steps, Indexed)
        return self.steps.passing(test)

    def step_at(self, version: int) -> Step | None:
        """The last step with a version <= `version`; None before the first."""
        count = self._count_at(version)
        return self.steps[count - 1] if count else None

    def _count_at(self, version: int) -> int:
        return bisect_right(self.steps, version, key=lambda step: step.event.version)

    def at(self, version: int) -> Replay:
        """The replay of the first `version` entries alone: their corrections, and no later ones."""
        if version >= self.version:
            return self
        if self.recorded:
            events = [event for event in self.recorded if event.version <= version]
            return self._anew(events)
        count = self._count_at(version)
        if not count:
            return self._anew(())
        assert isinstance(self.steps, Indexed)
        version = self.steps[count - 1].event.version
        return replace(self, steps=self.steps.first(count), version=version)

    def through(self, version: int) -> Replay:
        """The same up to a version, with what was corrected later corrected already."""
        count = self._count_at(version)
        if version >= self.version or not count:
            return self.at(version)
        assert isinstance(self.steps, Indexed)
        return replace(self, steps=self.steps.first(count), version=version)

    def _anew(self, events: Sequence[RecordedEvent]) -> Replay:
        """Other events of the match, folded from the first of them that is not in this replay."""
        rule_set, _ = self.asked
        recorded, in_hand = self.is_as_recorded, self.in_hand
        return self.again(events, rule_set, as_recorded=recorded, in_hand=in_hand, beside=self)

    def retold(self, change: Callable[[RecordedEvent], RecordedEvent]) -> Replay:
        """The same states and findings, with other words in some of the events.

        What was folded is not folded again: nothing may go on from it.
        """
        steps = [
            step if event is step.event else replace(step, event=event)
            for step in self.steps
            for event in [change(step.event)]
        ]
        recorded = [change(event) for event in self.recorded]
        return replace(self, steps=stepped(steps), recorded=recorded)

    def extended(self, events: Iterable[RecordedEvent]) -> Replay:
        """This replay with more events; those already folded are skipped."""
        return self.again(events, start=self)
