"""Every fold's state at one moment, and what the match's score is by all of them."""

from __future__ import annotations

import msgspec

from events.values import BySeat
from projections.facts import (
    clock_state,
    cube_value,
    flow_state,
    games,
    positions,
    rulings,
)
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
