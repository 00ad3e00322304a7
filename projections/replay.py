"""One pass over a match: standing entries, every fold, all findings, every state on the way.

`replay(events)` is the heart of the archive. It is pure and never raises: a broken match has a
replay like any other, with findings. Each step keeps the state before and after its event.

`Replay.extended` folds more events onto a replay, at a cost that does not depend on the length of
the match. If a correction is among them, everything from the first changed entry is folded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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

While it handles an event, a fold sees the folds above it as they are after that event, and those
below it as they were before. So a ruling is known to every fold at its own event; the board plays
on the roll that the flow still holds; the score sees the board after the play; the flow sees that
the score has ended the game. The folds that ask the rule set come last and see all of that.
"""

_SCORE = _NAMES.index("score")

_RULINGS = frozenset(get_args(Ruling))

_INITIAL: list[Any] = [fold.constant for fold in FOLDS.values()]
"""Every fold's state before any event; None where it depends on the rules (see `_BY_RULES`)."""

_BY_RULES = [(place, fold.initial) for place, fold in enumerate(FOLDS.values()) if fold.initial]

_Heard = tuple[tuple[int, str, Any, bool, bool], ...]


def _heard(kind: type[Payload]) -> _Heard:
    """Which folds handle a payload class: place, name, handler, whether it judges, `only_at_end`.

    Those with `only_at_end` stand last, so that one look at the score skips all of them: nearly
    every play leaves the game open.
    """
    heard = [
        (place, name, fold.hears[kind].by, name in _JUDGING, fold.hears[kind].only_at_end)
        for place, (name, fold) in enumerate(FOLDS.items())
        if kind in fold.hears
    ]
    waiting = [waits for *_, waits in heard]
    assert waiting == sorted(waiting), f"{kind.__name__}: only_at_end stands last"
    return tuple(heard)


_HEARING: dict[type[Payload], _Heard] = {
    kind: _heard(kind) for fold in FOLDS.values() for kind in fold.hears
}


class _Seen:
    """What folds may see (the protocol `fold.Seen`): states by name, and earlier steps."""

    __slots__ = ("_ids", "_steps", "gathered", "rules", *_NAMES)

    def __init__(
        self, rules: Rules, states: Iterable[object], steps: list[Step], ids: Ids[Step]
    ) -> None:
        self.rules = rules
        self._steps = steps
        self._ids = ids
        self.gathered: dict[tuple[str, str], Any] = {}
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

    def has_since(self, entry_id: str, test: Callable[[Step], bool]) -> bool:
        """Whether an earlier event after that one passes a test; each is tested only once."""
        index, places = self._ids.index_of(entry_id), self._ids.passing(test)
        return index is not None and bool(places) and places[-1] > index


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
    `start`: continue this earlier replay, with its arguments; the others are ignored.
    `beside`: a replay of the same match with the same arguments; the events at the beginning that
    both have in common are taken from it and not folded again.
    `in_hand`: for each rule set, the sentences found in the operator's copy of its text, name to
    hash. Findings depend on nothing but events and sentences, and cite the sentences they rest on.
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
    """How many events at the beginning are the same in both."""
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
    """The replay with more events; those already folded are skipped."""
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
        # There were corrections before, and none among the new entries: these are just added.
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
    # States are kept in a list by place too: a fold's own state is looked up at every event.
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
                # This ruling replaces an earlier one: undo what that one changed.
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
"""Folds whose state a ruling may change at its own event; the others take in rulings themselves."""


def _found(event: RecordedEvent, seen: Any, states: list[Any]) -> list[Any] | None:
    """The states to apply a ruling to, if it replaces earlier rulings; None if it replaces none.

    Each fold goes back to before the first of them, unless anything else has changed it since.
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
