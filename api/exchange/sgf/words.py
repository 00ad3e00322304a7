"""What the comments of an SGF file say: every event that no node tells, and the findings."""

from __future__ import annotations

from api.exchange.prose.wording import Wording, clock_lines
from events.values import BySeat, Seat
from projections.folding.findings import Finding
from projections.replay import Replay, Step
from projections.views.freezing import spoken_of
from projections.views.transcript import about_line, asides


class Speaker:
    """Tells the events of one match."""

    def __init__(self, replay: Replay, names: BySeat[str]) -> None:
        self.names = names
        self.replay = replay
        self._abouts = spoken_of(replay)
        self.wording = Wording(names, replay)

    def said(self, step: Step) -> list[str]:
        """An event in the words of the transcript, else by its members."""
        about = about_line(step, self.replay, self.names, self._abouts)
        lines = [*asides(step, self.names), *([] if about is None else [about])]
        lines += clock_lines(step, self.names)
        return lines or [self.wording.by_members(step)]

    def found(self, finding: Finding) -> str:
        """A finding with the rule that it rests on."""
        told = finding.said.named({seat: self.names[seat] for seat in Seat})
        return f"{told} [{finding.rule_set} {finding.section}]"
