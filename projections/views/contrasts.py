"""Contrasts: the findings of two rule sets in one match, matter by matter, with citations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from projections.folding.findings import Finding
from projections.rules.answers import Answer
from projections.states import Judged, Replay, Step
from projections.views.reasons import Reason, measured, reasons


class Pair(NamedTuple):
    """The findings of both rule sets at one entry about one matter; None = no finding."""

    rules: Finding | None
    against: Finding | None

    @property
    def version(self) -> int:
        """The entry's version."""
        one = self.rules or self.against
        assert one is not None, "a pair holds a finding"
        return one.version

    @property
    def is_same(self) -> bool:
        """Whether both say the same, each by its own section."""
        one, other = self
        return one is not None and other is not None and _said(one) == _said(other)


def pairs(rules: Iterable[Finding], against: Iterable[Finding]) -> Iterator[Pair]:
    """Findings of two replays of one match, each beside the other's on the same matter."""
    theirs = {version: list(group) for version, group in groupby(against, _version)}
    ours = {version: list(group) for version, group in groupby(rules, _version)}
    for version in sorted({*ours, *theirs}):
        left, right = ours.get(version, []), theirs.get(version, [])
        yield from sorted(_paired(left, right), key=lambda pair: pair.rules is None)


def _version(finding: Finding) -> int:
    return finding.version


def _paired(left: list[Finding], right: list[Finding]) -> Iterator[Pair]:
    """Pair equal findings first, then by code and seat, by code, by matter; the rest stay alone."""
    for key in (_said, _code_and_seat, _code, _matter_and_seat, _matter):
        for one in list(left):
            other = next((other for other in right if key(other) == key(one)), None)
            if other is not None:
                left.remove(one)
                right.remove(other)
                yield Pair(one, other)
    yield from (Pair(one, None) for one in left)
    yield from (Pair(None, other) for other in right)


def _said(finding: Finding) -> object:
    """Everything that a finding says, apart from its citation."""
    question = finding.ruling_required
    details = () if finding.answer is None else measured(finding.answer)
    return (
        *(finding.code, finding.seat, finding.said, finding.severity, finding.ambiguity),
        *(finding.verified, question, None if question is None else finding.answered_by),
        details,
    )


def _code_and_seat(finding: Finding) -> object:
    return finding.code, finding.seat


def _code(finding: Finding) -> object:
    return finding.code


def _matter_and_seat(finding: Finding) -> object:
    return _matter(finding), finding.seat


def _matter(finding: Finding) -> object:
    """The noun that the code begins with: `penalty-points` and `penalty-question` are one."""
    return finding.code.partition("-")[0]


def why(pair: Pair, shown: Replay, opposite: Replay) -> list[Reason]:
    """Why the two rule sets differ on a matter, by what their answers say about their rules."""
    return reasons(
        answer_of(pair.rules, pair, shown, opposite),
        answer_of(pair.against, pair, opposite, shown),
    )


def answer_of(
    finding: Finding | None, pair: Pair, shown: Replay, opposite: Replay
) -> Answer | None:
    """What a rule set answered on a matter, with or without a finding; None = not asked."""
    if finding is None:
        return unfound(pair, shown, opposite)
    if finding.answer is not None:
        return finding.answer
    step = shown.step_at(finding.version)
    given = [] if step is None else [_given_at(step, name) for name in Judged.__struct_fields__]
    same = (one for one in given if one is not None and one.section == finding.section)
    return next(same, None)


def unfound(pair: Pair, shown: Replay, opposite: Replay) -> Answer | None:
    """The answer of the rule set without a finding on the matter; None if it was not asked.

    It is the answer that the same fold got at this entry: the fold that made the other rule set's
    finding, or else one whose answer there cites the same section.
    """
    finding = pair.rules or pair.against
    ours, theirs = shown.step_at(pair.version), opposite.step_at(pair.version)
    if finding is None or ours is None or theirs is None:
        return None
    alike = None
    for name in Judged.__struct_fields__:
        made = _given_at(theirs, name)
        answer = _given_at(ours, name)
        if made is None or answer is None:
            continue
        if made is finding.answer:
            return answer
        if alike is None and made.section == finding.section:
            alike = answer
    return alike


def _given_at(step: Step, fold: str) -> Answer | None:
    """The answer that a fold was given at a step; None = it asked nothing there."""
    before, after = getattr(step.before.judged, fold), getattr(step.after.judged, fold)
    return None if before is after else getattr(after, "answer", None)
