"""One pass over a match: standing entries, every fold, all findings, every state on the way.

`replay(events)` is the heart of the archive. It is pure; a broken match has a replay like any
other, with findings. Each step keeps the state before and after its event. `extended` goes on from
where a replay stopped, at a cost that does not depend on how long the match is; a correction among
the new events makes it fold anew, because the past was different.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_args

import msgspec
from msgspec.structs import astuple, replace

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from events.payloads.match import MatchOpened
from events.values import BySeat
from projections.facts import (
    clock,
    cube,
    flow,
    positions,
    rulings,
    score,
)
from projections.facts.games import Score
from projections.folding.findings import Finding
from projections.folding.fold import Fold, SeenState
from projections.folding.growing import Grown, Ids, Indexed
from projections.folding.pinned import about_rules, is_unread, rules_of, unread
from projections.folding.ruled_anew import Ruling, in_place_of
from projections.folding.seen_facts import SeenScore
from projections.folding.seen_judged import SeenPenalties
from projections.folding.standing import cited, is_correction, standing
from projections.judging import (
    appeals,
    bystanders,
    cube_acts,
    delays,
    endings,
    equipment,
    match_length,
    outcome,
    penalties,
    premature,
    reports,
    results,
    sides,
    start,
    throws,
    timing,
    windows,
)
from projections.rules.profile import Rules
from projections.rules.sentences import NOTHING_IN_HAND, InHand
from projections.states import Judged, State

_JUDGING = Judged.__struct_fields__
_NAMES = (*State.__struct_fields__[:-1], *_JUDGING)
_FACTS_END = len(_NAMES) - len(_JUDGING)

_IN_ORDER = (
    rulings.FOLD,
    positions.FOLD,
    cube.FOLD,
    score.FOLD,
    flow.FOLD,
    clock.FOLD,
    sides.FOLD,
    throws.FOLD,
    premature.FOLD,
    windows.FOLD,
    start.FOLD,
    cube_acts.FOLD,
    endings.FOLD,
    penalties.FOLD,
    match_length.FOLD,
    results.FOLD,
    timing.FOLD,
    delays.FOLD,
    appeals.FOLD,
    reports.FOLD,
    equipment.FOLD,
    bystanders.FOLD,
    outcome.FOLD,
)
FOLDS: Mapping[str, Fold[Any]] = dict(zip(_NAMES, _IN_ORDER, strict=True))
"""Every fold, by the name of its state, in the order in which they run on an event.

A fold sees the states of those before it after the event, of those behind it before the event: a
ruling is known to all of them at its own event, the board is played on the roll that the flow still
holds, the score sees the board after the play, the flow sees the game that the score ended. Those
that ask the rule set come last, and see all of that.
"""

_SCORE = _NAMES.index("score")

_RULINGS = frozenset(get_args(Ruling))

_INITIAL: list[Any] = [fold.constant for fold in FOLDS.values()]
"""States before any event, but for those that hang on the rules: None in their places."""

_BY_RULES = [(place, fold.initial) for place, fold in enumerate(FOLDS.values()) if fold.initial]

_Heard = tuple[tuple[int, str, Any, bool, bool], ...]


def _heard(kind: type[Payload]) -> _Heard:
    """Who hears a payload: place, name, handler, whether it judges, whether only a game's end.

    The last ones are those that wait for a game's end, so that one look at the score spares them
    all: nearly every play leaves the game open.
    """
    heard = [
        (place, name, fold.hears[kind].by, name in _JUDGING, fold.hears[kind].only_at_end)
        for place, (name, fold) in enumerate(FOLDS.items())
        if kind in fold.hears
    ]
    waiting = [waits for *_, waits in heard]
    assert waiting == sorted(waiting), f"{kind.__name__} is heard behind folds that wait for an end"
    return tuple(heard)


_HEARING: dict[type[Payload], _Heard] = {
    kind: _heard(kind) for fold in FOLDS.values() for kind in fold.hears
}


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


def _steps(steps: list[Step]) -> Indexed[Step]:
    return Indexed(steps, len(steps), {}, Ids(steps, lambda step: step.event.entry_id))


class _Seen:
    """What folds may see (the protocol `fold.Seen`): states by name, and earlier steps."""

    __slots__ = ("_ids", "_steps", "rules", *_NAMES)

    penalties: SeenPenalties
    score: SeenScore

    def __init__(
        self, rules: Rules, states: Iterable[object], steps: list[Step], ids: Ids[Step]
    ) -> None:
        self.rules = rules
        self._steps = steps
        self._ids = ids
        for name, state in zip(_NAMES, states, strict=True):
            setattr(self, name, state)

    @property
    def match_score(self) -> BySeat[int]:
        """The score with the penalty points that enter it; see `State.match_score`."""
        own, _ = self.penalties.both_scores(self.score.score)
        return own

    def step_of(self, entry_id: str) -> Step | None:
        """The earlier event with this entry id; None if the stream holds none."""
        index = self._ids.index_of(entry_id)
        return None if index is None else self._steps[index]

    def steps_since(self, entry_id: str) -> Sequence[Step]:
        """The earlier events after the one with this entry id; none if the stream holds none."""
        index = self._ids.index_of(entry_id)
        return () if index is None else self._steps[index + 1 :]


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A match rebuilt: every step, every state, every finding."""

    rules: Rules
    """The rules that the folds asked."""
    initial: State
    """Every fold's state before the first event."""
    steps: Sequence[Step]
    """One step for each event that stands."""
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
        """Other events of the match, folded from the beginning as these were."""
        return _start(events, self.asked, as_recorded=self.is_as_recorded, in_hand=self.in_hand)

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
        return replace(self, steps=_steps(steps), recorded=recorded)

    def extended(self, events: Iterable[RecordedEvent]) -> Replay:
        """This replay with more events; those already folded are skipped."""
        new = [event for event in events if event.version > self.version]
        if not new:
            return self
        if not self.steps or (not self.is_as_recorded and any(map(is_correction, new))):
            known = self.recorded or [step.event for step in self.steps]
            return self._anew([*known, *new])
        recorded = self.recorded
        if isinstance(recorded, Grown):
            # Corrected before, and not now: what stood still stands, and the new entries follow.
            entries, taken = recorded.growing()
            entries += new
            recorded = Grown(entries, len(entries), taken)
        return replace(_folded(self, new, version=new[-1].version), recorded=recorded)


def replay(
    events: Iterable[RecordedEvent],
    rule_set: str | None = None,
    *,
    as_recorded: bool = False,
    start: Replay | None = None,
    in_hand: InHand = NOTHING_IN_HAND,
) -> Replay:
    """Rebuild a match from its events, in order of version.

    `rule_set`: judge under this rule set instead of the pinned one (its options still hold).
    `as_recorded`: leave the scribe's corrections unapplied.
    `start`: go on from an earlier replay; then the other arguments are that replay's.
    `in_hand`: rule set to the sentences that loaded texts have, name to hash. With the same events
    and the same sentences the same is found; findings tell on which of them they rest.
    """
    if start is not None:
        return start.extended(events)
    asked = (rule_set, rule_set is not None)
    return _start(list(events), asked, as_recorded=as_recorded, in_hand=in_hand)


def _start(
    events: Sequence[RecordedEvent],
    asked: tuple[str | None, bool],
    *,
    as_recorded: bool,
    in_hand: InHand,
) -> Replay:
    stood = standing(events) if not as_recorded else None
    standing_events = events if stood is None else stood.events
    is_corrected = standing_events is not events
    rules = rules_of(standing_events, asked, in_hand)
    states = [*_INITIAL]
    for place, initial_of in _BY_RULES:
        states[place] = initial_of(rules)
    initial = State(*[*states[:_FACTS_END], Judged(*states[_FACTS_END:])])
    empty = Replay(
        rules=rules,
        initial=initial,
        steps=_steps([]),
        recorded=Grown(list(events), len(events), {}) if is_corrected else (),
        is_as_recorded=as_recorded,
        corrections=() if stood is None else cited(stood.findings, rules),
        asked=asked,
        in_hand=in_hand,
    )
    version = events[-1].version if events else 0
    return _folded(empty, standing_events, version=version)


def _folded(start: Replay, events: Sequence[RecordedEvent], *, version: int) -> Replay:
    """Every fold over every event; the one loop of the archive."""
    assert isinstance(start.steps, Indexed)
    steps, taken = start.steps.growing()
    ids = start.steps.ids_of(steps)
    state = start.state
    # The states by place as well as by name: a fold's own is asked for at every event.
    members = list(astuple(state))
    states = [*members[:-1], *astuple(state.judged)]
    seen = _Seen(start.rules, states, steps, ids)
    hearing = _HEARING
    take = steps.append
    for event in events:
        payload = event.payload
        kind = type(payload)
        findings: tuple[Finding, ...] = ()
        after = state
        heard = hearing.get(kind)
        if heard is not None:
            changed = rejudged = False
            if kind in _RULINGS and (found := _found(event, seen, states)) is not None:
                # It takes the place of another one: what that one moved is as it was before it.
                states[:] = found
                members[:-1] = found[:_FACTS_END]
                for name, old in zip(_NAMES, found, strict=True):
                    setattr(seen, name, old)
                changed = rejudged = True
            for place, name, handler, is_judging, waits_for_end in heard:
                if waits_for_end and members[_SCORE].ended_at != event.version:
                    break
                old = states[place]
                new, at_event = handler(old, event, payload, seen)
                if new is not old:
                    states[place] = new
                    setattr(seen, name, new)
                    changed = True
                    if is_judging:
                        rejudged = True
                    else:
                        members[place] = new
                if at_event:
                    findings += at_event
            if rejudged:
                members[-1] = Judged(*states[_FACTS_END:])
            if changed:
                after = State(*members)
        elif is_unread(event.payload):
            findings = (unread(event, start.rules),)
        if kind is MatchOpened:
            findings += about_rules(event, start.rules)
        take(Step(event, state, after, findings))
        state = after
    return replace(start, steps=Indexed(steps, len(steps), taken, ids), version=version)


_MOVED = ("positions", "cube", "score", "flow", "cube_acts")
"""What a ruling may move at its own event; the other folds take each ruling in by themselves."""


def _found(event: RecordedEvent, seen: Any, states: list[Any]) -> list[Any] | None:
    """The states that a ruling goes on from where it takes the place of others; None elsewhere.

    A fold that has heard something else since the first of them goes on from what it knows now.
    """
    assert isinstance(event.payload, Ruling)
    chain = in_place_of(event.payload, seen)
    if not chain:
        return None
    found = [*states]
    for name in _MOVED:
        place = _NAMES.index(name)
        state = states[place]
        for step in reversed(chain):
            left = _state_of(step.after, name)
            if not (left.is_as(state) if isinstance(left, Score) else left == state):
                break
            state = _state_of(step.before, name)
        else:
            found[place] = state
    return found


def _state_of(whole: SeenState, name: str) -> Any:
    return getattr(whole.judged if name in _JUDGING else whole, name)
