"""One pass over a match: standing entries, every fold, all findings, every state on the way.

`replay(events)` is the heart of the archive. It is pure; a broken match has a replay like any
other, with findings. Each step keeps the state before and after its event. `extended` goes on from
where a replay stopped, at a cost that does not depend on how long the match is; a correction among
the new events makes it fold anew from the first entry that is another one than before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from msgspec.structs import astuple, replace

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from events.payloads.match import MatchOpened
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
from projections.states import Judged, Replay, State, Step, stepped

__all__ = ["FOLDS", "Replay", "Step", "replay"]

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


class _Seen:
    """What folds may see (the protocol `fold.Seen`): states by name, and earlier steps."""

    __slots__ = ("_ids", "_steps", "rules", *_NAMES)

    def __init__(
        self, rules: Rules, states: Iterable[object], steps: list[Step], ids: Ids[Step]
    ) -> None:
        self.rules = rules
        self._steps = steps
        self._ids = ids
        for name, state in zip(_NAMES, states, strict=True):
            setattr(self, name, state)

    @property
    def match_score(self: Any) -> Any:
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


def replay(
    events: Iterable[RecordedEvent],
    rule_set: str | None = None,
    *,
    as_recorded: bool = False,
    start: Replay | None = None,
    beside: Replay | None = None,
    in_hand: InHand = NOTHING_IN_HAND,
) -> Replay:
    """Rebuild a match from its events, in order of version.

    `rule_set`: judge under this rule set instead of the pinned one (its options still hold).
    `as_recorded`: leave the scribe's corrections unapplied.
    `start`: go on from an earlier replay; then the other arguments are that replay's.
    `beside`: a replay of the same match by the same arguments; what stands first in both is not
    folded again.
    `in_hand`: rule set to the sentences that loaded texts have, name to hash. With the same events
    and the same sentences the same is found; findings tell on which of them they rest.
    """
    if start is not None:
        return _gone_on(start, events)
    asked = (rule_set, rule_set is not None)
    return _start(list(events), asked, as_recorded=as_recorded, in_hand=in_hand, beside=beside)


def _start(
    events: Sequence[RecordedEvent],
    asked: tuple[str | None, bool],
    *,
    as_recorded: bool,
    in_hand: InHand,
    beside: Replay | None,
) -> Replay:
    stood = standing(events) if not as_recorded else None
    standing_events = events if stood is None else stood.events
    is_corrected = standing_events is not events
    same = 0 if beside is None else _same(standing_events, beside.steps)
    if beside is not None and same:
        assert isinstance(beside.steps, Indexed)
        rules, initial, steps = beside.rules, beside.initial, beside.steps.first(same)
    else:
        rules = rules_of(standing_events, asked, in_hand)
        initial, steps = _before_any(rules), stepped([])
    common = Replay(
        rules=rules,
        initial=initial,
        steps=steps,
        again=replay,
        recorded=Grown(list(events), len(events), {}) if is_corrected else (),
        is_as_recorded=as_recorded,
        corrections=() if stood is None else cited(stood.findings, rules),
        asked=asked,
        in_hand=in_hand,
    )
    version = events[-1].version if events else 0
    return _folded(common, standing_events[same:], version=version)


def _same(events: Sequence[RecordedEvent], steps: Sequence[Step]) -> int:
    """How many events come first in both: whatever was corrected, nothing before it is others."""
    for place, (event, step) in enumerate(zip(events, steps, strict=False)):
        if event is not step.event and event != step.event:
            return place
    return min(len(events), len(steps))


def _before_any(rules: Rules) -> State:
    """Every fold's state before the first event."""
    states = [*_INITIAL]
    for place, initial_of in _BY_RULES:
        states[place] = initial_of(rules)
    return State(*[*states[:_FACTS_END], Judged(*states[_FACTS_END:])])


def _gone_on(start: Replay, events: Iterable[RecordedEvent]) -> Replay:
    """A replay with more events; those already folded are skipped."""
    new = [event for event in events if event.version > start.version]
    if not new:
        return start
    if not start.steps or (not start.is_as_recorded and any(map(is_correction, new))):
        known = start.entries
        as_recorded, in_hand = start.is_as_recorded, start.in_hand
        return _start(
            [*known, *new], start.asked, as_recorded=as_recorded, in_hand=in_hand, beside=start
        )
    recorded = start.recorded
    if isinstance(recorded, Grown):
        # Corrected before, and not now: what stood still stands, and the new entries follow.
        entries, taken = recorded.growing()
        entries += new
        recorded = Grown(entries, len(entries), taken)
    return replace(_folded(start, new, version=new[-1].version), recorded=recorded)


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
