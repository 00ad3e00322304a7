"""What a tournament is and what its matches are opened with: a fold of the tournament's stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Option
from events.payloads.custody import KeyRotated
from events.payloads.match import ClockTerms, Publication
from events.payloads.tournament import (
    TournamentClosed,
    TournamentDefaultsDeclared,
    TournamentDescribed,
    TournamentOpened,
    TournamentReopened,
    TournamentRulesDeclared,
    TournamentRulesVaried,
)
from events.personal import Commitment


class Tournament(msgspec.Struct, frozen=True):
    """A tournament as it stands; personal values are commitments."""

    version: int = 0
    """Version of the last entry folded; 0 = none."""
    title: str | None = None
    """What it is called; None = it was never opened."""
    organiser: Commitment | None = None
    """Who runs it."""
    place: Commitment | None = None
    """Where it is held."""
    starts_on: Commitment | None = None
    """First day."""
    ends_on: Commitment | None = None
    """Last day."""
    rule_set: str | None = None
    """Rule set in force; None = none was declared."""
    options: Mapping[str, Option] = MappingProxyType({})
    """Options in force, as declared and as varied since."""
    length: int | None = None
    """Points that new matches are played to; None = said match by match."""
    clock_terms: ClockTerms | None = None
    """How the clocks of new matches are set; None = no clock."""
    publication: Publication | None = None
    """On which terms new matches are shown; None = nobody has said so, and they are not public."""
    is_closed: bool = False
    """Whether nothing more is expected."""
    keys: tuple[str, ...] = ()
    """Verifier keys that the log said it is signed with, the present one last."""


def fold_tournament(events: Iterable[RecordedEvent], start: Tournament | None = None) -> Tournament:
    """The tournament after these entries of its stream; those folded already are skipped."""
    state = start or Tournament()
    for event in events:
        if event.version > state.version:
            state = msgspec.structs.replace(_evolve(state, event), version=event.version)
    return state


def _evolve(state: Tournament, event: RecordedEvent) -> Tournament:
    match event.payload:
        case TournamentOpened() as opened:
            return msgspec.structs.replace(
                state,
                title=opened.title,
                organiser=opened.organiser,
                place=opened.place,
                starts_on=opened.starts_on,
                keys=() if opened.log_key is None else (opened.log_key,),
            )
        case KeyRotated() as rotated:
            return msgspec.structs.replace(state, keys=(*state.keys, rotated.new))
        case TournamentDescribed() as said:
            return msgspec.structs.replace(
                state,
                title=said.title,
                organiser=said.organiser,
                place=said.place,
                starts_on=said.starts_on,
                ends_on=said.ends_on,
            )
        case TournamentDefaultsDeclared() as usual:
            return msgspec.structs.replace(
                state,
                length=usual.length,
                clock_terms=usual.clock_terms,
                publication=usual.publication,
            )
        case TournamentRulesDeclared() as declared:
            options = MappingProxyType(dict(declared.options))
            return msgspec.structs.replace(state, rule_set=declared.rule_set, options=options)
        case TournamentRulesVaried() as varied:
            options = MappingProxyType({**state.options, **varied.options})
            return msgspec.structs.replace(state, options=options)
        case TournamentClosed():
            return msgspec.structs.replace(state, is_closed=True)
        case TournamentReopened():
            return msgspec.structs.replace(state, is_closed=False)
        case _:
            return state
