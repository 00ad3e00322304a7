"""Which entries stand: the scribe's corrections resolved once, before any fold (design §8.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Target
from events.payloads.corrections import EntryAmended, EntryRetracted
from events.payloads.dispute import DisputeRaised
from projections.folding.findings import Finding, found
from projections.folding.sayings import said
from projections.rules.profile import Rules
from projections.rules.texts.common import COMMON

UNCORRECTABLE = (
    "ruling.",
    "vote.",
    "appeal.",
    "entry.",
    "publication.",
    "pack.",
    "lease.",
    "key.",
    "branch.",
    "disclosure.",
)
"""Prefixes of tags that cannot be corrected; but a correction itself can be retracted."""

_SCRIBE = COMMON.cite("record")
"""Cited for corrections of the record, about which no rule set says anything."""


FROZEN = "dispute.frozen"
"""Subject: that what is in dispute is left as it is until the Director comes."""


def cited(findings: tuple[Finding, ...], rules: Rules) -> tuple[Finding, ...]:
    """Findings about corrections, cited from the rules in force if those speak of it."""
    if FROZEN not in rules.profile.sections:
        return findings
    rule_set, section = rules.cite(FROZEN)
    return tuple(
        msgspec.structs.replace(one, rule_set=rule_set, section=section)
        if one.code == "correction-below-dispute"
        else one
        for one in findings
    )


class Standing(msgspec.Struct, frozen=True):
    """The events that stand, and findings about the corrections."""

    events: Sequence[RecordedEvent]
    """Amended entries have the amendment's tag and payload under the target's version and id."""
    findings: tuple[Finding, ...] = ()
    """Corrections that reach nothing, reach too far, or reach below a dispute."""
    corrected_by: Mapping[str, RecordedEvent] = MappingProxyType({})
    """Entry id to the correction in force that took it back or replaced it."""


_CORRECTIONS = frozenset({EntryRetracted, EntryAmended})


def is_correction(event: RecordedEvent) -> bool:
    """Whether the event corrects another one."""
    return type(event.payload) in _CORRECTIONS


def target_of(event: RecordedEvent) -> str:
    """The id of the entry that a correction, or an appeal, is about."""
    assert isinstance(event.payload, Target)
    return event.payload.target


def standing(events: Sequence[RecordedEvent]) -> Standing:
    """The events that stand once every correction among them is applied; order is kept.

    The latest correction of an entry wins; a retracted correction has no effect.
    """
    # Compared inline, without a call: this runs for every entry of every match.
    corrections = [event for event in events if type(event.payload) in _CORRECTIONS]
    if not corrections:
        return Standing(events)
    by_id = {event.entry_id: event for event in events}
    findings: list[Finding] = []
    gone: dict[str, RecordedEvent] = {}
    in_force: dict[str, RecordedEvent] = {}
    applied: list[RecordedEvent] = []
    for correction in reversed(corrections):
        if correction.entry_id in gone:
            continue
        target = by_id.get(target_of(correction))
        problem = _problem(correction, target)
        if problem is not None:
            findings.append(problem)
            continue
        assert target is not None
        applied.append(correction)
        if is_correction(target):
            gone.setdefault(target.entry_id, correction)
        elif target.entry_id not in in_force:
            in_force[target.entry_id] = correction
    kept = list(_corrected(events, in_force))
    findings += _below_disputes(kept, applied, by_id)
    findings.sort(key=lambda finding: finding.version)
    return Standing(kept, tuple(findings), MappingProxyType({**gone, **in_force}))


def _corrected(
    events: Sequence[RecordedEvent], in_force: dict[str, RecordedEvent]
) -> Iterator[RecordedEvent]:
    for event in events:
        if is_correction(event):
            continue
        correction = in_force.get(event.entry_id)
        if correction is None:
            yield event
        elif isinstance(correction.payload, EntryAmended):
            yield msgspec.structs.replace(
                event,
                tag=correction.payload.tag,
                basis=correction.basis,
                payload=correction.payload.replacement,
            )


def _problem(correction: RecordedEvent, target: RecordedEvent | None) -> Finding | None:
    payload = correction.payload
    if target is None or target.version >= correction.version:
        message = said(
            "a correction names an entry that is not found before it: {entry}",
            entry=target_of(correction),
        )
        return found("correction-without-target", correction, message, cite=_SCRIBE)
    if is_correction(target) and isinstance(payload, EntryRetracted):
        return None
    if target.tag.startswith(UNCORRECTABLE):
        message = said(
            "entry {entry} cannot be corrected: "
            "what is recorded there is changed by another entry alone",
            entry=target.version,
        )
        return found("correction-not-allowed", correction, message, cite=_SCRIBE)
    if isinstance(payload, EntryAmended) and payload.tag.startswith(UNCORRECTABLE):
        # What cannot be retracted must not be inserted in the place of another entry either.
        message = said(
            "entry {entry} is amended to say what only an entry of its own can say",
            entry=target.version,
        )
        return found("correction-not-allowed", correction, message, cite=_SCRIBE)
    return None


def _corrected_at_last(
    correction: RecordedEvent, by_id: dict[str, RecordedEvent]
) -> RecordedEvent | None:
    """The entry that a chain of corrections ends at; None if a link names no earlier entry."""
    while is_correction(correction):
        target = by_id.get(target_of(correction))
        if target is None or target.version >= correction.version:
            return None
        correction = target
    return correction


def _below_disputes(
    kept: Sequence[RecordedEvent],
    applied: Sequence[RecordedEvent],
    by_id: dict[str, RecordedEvent],
) -> list[Finding]:
    """Corrections of what a standing dispute had frozen, made after it was raised.

    One finding for each, by the latest of such disputes: of a table that disputes and corrects
    everything there would be as many as it has entries, squared.
    """
    froze: list[tuple[int, int]] = []
    for dispute in kept:
        if isinstance(dispute.payload, DisputeRaised):
            frozen = by_id.get(dispute.payload.frozen_at or "")
            last = dispute.version - 1 if frozen is None else frozen.version
            froze.append((dispute.version, last))
    findings = []
    for correction in applied:
        target = _corrected_at_last(correction, by_id) if froze else None
        undone = by_id.get(target_of(correction))
        # What was corrected after a dispute, and is taken back, is as it was when it was raised.
        since = undone.version if undone and is_correction(undone) else 0
        for raised, frozen_version in reversed(froze):
            is_since = since < raised < correction.version
            if target and target.version <= frozen_version and is_since:
                message = said(
                    "entry {entry} is corrected although the dispute raised at {dispute} froze "
                    "the record at {frozen}",
                    entry=target.version,
                    dispute=raised,
                    frozen=frozen_version,
                )
                findings.append(
                    found("correction-below-dispute", correction, message, cite=_SCRIBE)
                )
                break
    return findings
