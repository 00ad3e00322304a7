"""Freezes: from a dispute to the ruling that settles it, and what was recorded meanwhile."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

import msgspec

from events.envelope import Basis, RecordedEvent
from events.payloads.dispute import DirectorCalled, DisputeRaised, RulingMade
from projections.states import Replay, Step


class Freeze(msgspec.Struct, frozen=True):
    """One dispute, and how far it goes."""

    dispute: str
    """Entry id of the `dispute.raised`."""
    raised: int
    """Version of that entry."""
    frozen: int
    """Version of the last entry that both accept."""
    settled: int | None = None
    """Version of the ruling that settles it; None while one is awaited."""

    def holds_at(self, version: int) -> bool:
        """Whether a reader who sees the match up to a version still waits for a ruling on it."""
        return self.settled is None or self.settled > version


NONE: tuple[Freeze, ...] = ()
"""Nothing was ever disputed."""

_PLAYED_ON = (
    *("dice.", "play.", "turn.", "cube.", "clock.", "game.", "resignation.", "claim.made"),
    *("score.", "result.reported", "match.ended", "position.", "start.", "handling.", "entry."),
)
"""Prefixes of tags that continue the match; `fold/freezing.js` has the same."""

_DECIDED = ("clock.adjusted",)


def freezes(shown: Replay) -> tuple[Freeze, ...]:
    """Every standing dispute, in order; a retracted one froze nothing."""
    found = NONE
    steps = shown.steps_passing(_freezes_or_settles)
    versions = _versions(shown) if steps else {}
    for step in steps:
        found = with_event(found, step.event, versions.get)
    return found


def _freezes_or_settles(step: Step) -> bool:
    return isinstance(step.event.payload, DisputeRaised | RulingMade)


def with_event(
    known: tuple[Freeze, ...], event: RecordedEvent, version_of: Callable[[str], int | None]
) -> tuple[Freeze, ...]:
    """The freezes after one more event; most events are no dispute or ruling, and cost nothing.

    A ruling settles the dispute that it names; one that names nothing settles all that are open.
    """
    match event.payload:
        case DisputeRaised(frozen_at=frozen_at):
            frozen = None if frozen_at is None else version_of(frozen_at)
            frozen = event.version - 1 if frozen is None else min(frozen, event.version - 1)
            return (*known, Freeze(event.entry_id, event.version, frozen))
        case RulingMade(dispute=dispute):
            return tuple(
                msgspec.structs.replace(one, settled=event.version)
                if one.settled is None and dispute in (None, one.dispute)
                else one
                for one in known
            )
        case _:
            return known


def version_of(shown: Replay, entry_id: str) -> int | None:
    """The version of an entry that stands; None if none does."""
    for step in reversed(shown.steps):
        if step.event.entry_id == entry_id:
            return step.event.version
    return None


def spoken_of(shown: Replay) -> dict[int, int]:
    """Version of each dispute to that of the entry which it is about.

    A dispute names the last entry that both accept. It is about the entry that the director was
    called for since, else about the first act after the accepted entry, or that entry itself.
    """
    found: dict[int, int] = {}
    versions = _versions(shown)
    calls: list[tuple[int, int]] = []
    acts: list[int] = []
    for step in shown.steps:
        event = step.event
        match event.payload:
            case DisputeRaised():
                [freeze] = with_event(NONE, event, versions.get)
                found[event.version] = _about(freeze, calls, acts)
            case DirectorCalled(about=str() as about) if about in versions:
                calls.append((event.version, versions[about]))
            case _ if event.tag.startswith(_ACTS):
                acts.append(event.version)
    return found


def _versions(shown: Replay) -> dict[str, int]:
    return {step.event.entry_id: step.event.version for step in shown.steps}


def _about(freeze: Freeze, calls: Sequence[tuple[int, int]], acts: Sequence[int]) -> int:
    """By the calls (version, that of what it was for) and acts before it, in their order."""
    for version, called in reversed(calls):
        if version <= freeze.frozen:
            break
        if called < freeze.raised:
            return called
    first = bisect_right(acts, freeze.frozen)
    return acts[first] if first < len(acts) else freeze.frozen


_ACTS = ("dice.", "play.", "cube.", "resignation.", "claim.", "score.", "start.", "turn.")
"""Prefixes of tags of acts that players may disagree about."""


def version_told(known: Iterable[Freeze], version: int) -> int:
    """The last version that the public is shown, if its delay allows `version` at most.

    From a dispute to its ruling, that is the last entry accepted by both players. A delayed
    follower reaches the dispute later; until the ruling is reached too, nothing after the frozen
    entry is shown, so that nobody sees the match go back.
    """
    return min([version, *(one.frozen for one in known if one.holds_at(version))])


def is_awaited(known: Iterable[Freeze], version: int) -> bool:
    """Whether a reader who may see the match up to `version` waits for a ruling.

    A delayed follower learns of a dispute only on reaching the `dispute.raised`, because the
    dispute itself is news from the table, too.
    """
    return any(one.raised <= version and one.holds_at(version) for one in known)


def frozen_by(known: Sequence[Freeze], event: RecordedEvent) -> int | None:
    """Version of the dispute during which an entry was made; None if there was none."""
    if event.basis is Basis.RULED or not event.tag.startswith(_PLAYED_ON):
        return None
    if event.tag in _DECIDED:
        return None
    for one in reversed(known):
        if one.raised < event.version and one.holds_at(event.version):
            return one.raised
    return None
