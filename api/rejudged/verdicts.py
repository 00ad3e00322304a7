"""The verdict on one match judged anew, and the totals of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from projections.folding.findings import Finding
from projections.replay import Replay
from projections.views.contrasts import pairs


class Points(msgspec.Struct, frozen=True):
    """A score."""

    one: int
    two: int


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A match under one rule set."""

    rules: str
    """Id of the rule set."""
    findings: int
    """All that was found."""
    open_questions: int
    """Those of them that a person has to answer, and nobody has."""
    codes: dict[str, int]
    """Code of a finding to how often it was found."""
    score: Points
    """The score as it stands, penalty points included."""
    winner: str | None
    """Seat of who has won; None while nobody has."""
    won_by: str | None
    """How the match was won; None while nobody has."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match judged anew, as one line of the report."""

    log_id: str
    match_id: str
    version: int
    """So many entries were judged."""
    judged: Reading | None = None
    """What the rule set asked for says; None of a match that cannot be read."""
    against: Reading | None = None
    """What the one that it is held against says; None where none was named."""
    differences: int = 0
    """Findings that the two do not share."""
    unreadable: str | None = None
    """Why the match could not be judged."""

    @property
    def ends_otherwise(self) -> bool:
        """Whether score, winner, or how it was won differ between the two."""
        one, other = self.judged, self.against
        if one is None or other is None:
            return False
        return (one.score, one.winner, one.won_by) != (other.score, other.winner, other.won_by)


class Totals(msgspec.Struct, kw_only=True):
    """What all verdicts come to."""

    matches: int = 0
    entries: int = 0
    findings: int = 0
    with_findings: int = 0
    """Matches in which something was found."""
    open_questions: int = 0
    codes: dict[str, int] = msgspec.field(default_factory=dict)
    """Code of a finding to how often it was found, most first."""
    differing: int = 0
    """Matches in which a finding is not shared."""
    ending_otherwise: int = 0
    """Matches with another score or winner."""
    unreadable: int = 0
    """Matches that could not be judged."""


def reading_of(shown: Replay, found: Sequence[Finding]) -> Reading:
    """One replay in figures; `found` are its findings."""
    points, won = shown.state.match_score, shown.state.judged.outcome
    return Reading(
        rules=shown.rules.profile.id,
        findings=len(found),
        open_questions=sum(one.is_open for one in found),
        codes=dict(Counter(one.code for one in found)),
        score=Points(points.one, points.two),
        winner=None if won.winner is None else won.winner.value,
        won_by=None if won.by is None else won.by.value,
    )


def verdict_of(log_id: str, match_id: str, shown: Replay, other: Replay | None) -> Verdict:
    """What one replay says, and in how much the other one differs."""
    found = shown.findings
    if other is None:
        against, differences = None, 0
    else:
        theirs = other.findings
        against = reading_of(other, theirs)
        differences = sum(not pair.is_same for pair in pairs(found, theirs))
    return Verdict(
        log_id=log_id,
        match_id=match_id,
        version=shown.version,
        judged=reading_of(shown, found),
        against=against,
        differences=differences,
    )


def totals_of(verdicts: Iterable[Verdict]) -> Totals:
    """The verdicts, counted."""
    totals = Totals()
    codes: Counter[str] = Counter()
    for verdict in verdicts:
        totals.matches += 1
        totals.entries += verdict.version
        judged = verdict.judged
        if judged is None:
            totals.unreadable += 1
            continue
        totals.findings += judged.findings
        totals.with_findings += judged.findings > 0
        totals.open_questions += judged.open_questions
        codes.update(judged.codes)
        totals.differing += verdict.differences > 0
        totals.ending_otherwise += verdict.ends_otherwise
    totals.codes = dict(codes.most_common())
    return totals
