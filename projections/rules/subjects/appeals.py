"""Appeals: what may be appealed, the committee, and ballots against the threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from projections.rules.answers import SILENT, Answer, ambiguous, settled
from projections.rules.profile import Policy, Rules

DISQUALIFICATION = "disqualification"
EXPULSION = "expulsion"
SLOW_PLAY = "slow_play"
OTHER = "other"

UPHOLD, REVERSE, MODIFY, ABSTAIN = "uphold", "reverse", "modify", "abstain"

STANDS = "ruling_stands"
CHANGED = "ruling_changed"
ADMISSIBLE = "admissible"
NOT_APPEALABLE = "not_appealable"
AWAITS_DIRECTOR = "awaits_director"
MAY_VOTE = "may_vote"
HAS_NO_VOTE = "has_no_vote"

THREE = 3
"""Members of a committee, where the text names a number."""


class Ballot(msgspec.Struct, frozen=True):
    """One ballot."""

    vote: str
    """uphold, reverse, modify or abstain."""
    proposal: str | None = None
    """Which modification, if it is one."""

    @property
    def change(self) -> tuple[str, str | None] | None:
        """What it would change the ruling to; None if it changes nothing."""
        if self.vote == MODIFY:
            return (MODIFY, self.proposal)
        return (REVERSE, None) if self.vote == REVERSE else None


class Appealed(msgspec.Struct, frozen=True, kw_only=True):
    """An appeal that is filed."""

    against: str
    """disqualification, expulsion, slow_play or other."""
    has_played_on: bool = False
    """Whether play went on between the ruling and the appeal."""


class Committee(msgspec.Struct, frozen=True, kw_only=True):
    """A committee that is called together."""

    size: int
    """Members, those who stepped down left out."""
    learned: tuple[str, ...] = ()
    """What it came to know: player_names, initial_ruling, other."""


class Poll(msgspec.Struct, frozen=True, kw_only=True):
    """The ballots on one appeal."""

    size: int
    """Members of the committee."""
    ballots: tuple[Ballot, ...]
    """One for each member who voted or abstained."""
    director: Ballot | None = None
    """The Director's ballot; None = none, or none yet."""
    is_closed: bool = True
    """Whether the Director has voted, declined, or announced the outcome."""
    is_as_ruled: bool = False
    """Whether a ruling let the committee decide in the size that it has."""

    @property
    def cast(self) -> tuple[Ballot, ...]:
        """The members' ballots without abstentions."""
        return tuple(ballot for ballot in self.ballots if ballot.vote != ABSTAIN)


def has_committee(rules: Rules) -> bool:
    """Whether the text provides for a committee, or leaves open whether it does.

    A text that is complete and silent knows none; one that is not in hand may.
    """
    answer = rules.ask("appeal.committee", Committee(size=THREE))
    return not (answer.is_open and answer.reason == SILENT)


def director_may_vote(rules: Rules) -> bool:
    """Whether the text does not bar the Director from voting on an appeal."""
    answer = rules.ask("appeal.director", Poll(size=THREE, ballots=()))
    return has_committee(rules) and answer.outcome != HAS_NO_VOTE


def _changed(change: tuple[str, str | None], section: str, **details: object) -> Answer:
    result, proposal = change
    if proposal is not None:
        details["proposal"] = proposal
    return settled(CHANGED, section, result=result, **details)


TOO_LATE = "too_late"


def _admitted(section: str, facts: Appealed) -> Answer:
    """Admitted if it came promptly; after play went on, AMB-Q6: no text says what prompt is."""
    if facts.has_played_on:
        return ambiguous("AMB-Q6", section, ADMISSIBLE, TOO_LATE)
    return settled(ADMISSIBLE, section)


# usbgf-2017-07 [5]: any ruling but disqualification or expulsion; a committee of no stated size;
# an absolute majority of the votes cast, the Director's among them if he votes after the committee.


def _usbgf_admissible(facts: Appealed, rules: Rules) -> Answer:
    if facts.against in (DISQUALIFICATION, EXPULSION):
        return settled(NOT_APPEALABLE, "[5]")
    return _admitted("[5]", facts)


def _usbgf_committee(facts: Committee, rules: Rules) -> Answer:
    return settled(ADMISSIBLE, "[5]")


def _usbgf_director(facts: Poll, rules: Rules) -> Answer:
    return settled(MAY_VOTE, "[5]")


def _usbgf_outcome(facts: Poll, rules: Rules) -> Answer:
    section = "[5]"
    if not facts.is_closed:
        return settled(AWAITS_DIRECTOR, section)
    members = facts.cast
    votes = [*members, facts.director] if facts.director is not None else [*members]
    votes = [vote for vote in votes if vote.vote != ABSTAIN]
    changes = Counter(vote.change for vote in votes if vote.change is not None)
    most = max(changes.items(), key=lambda item: item[1], default=None)
    cast = len(votes)
    if most is not None and 2 * most[1] > cast:
        if 2 * len(members) < facts.size:
            # AMB-Q2: "votes cast" taken literally goes down to one.
            readings = ("literal", "quorum")
            return ambiguous("AMB-Q2", section, *readings, lean=CHANGED, votes_cast=cast)
        change, _ = most
        assert change is not None
        return _changed(change, section, votes_cast=cast)
    if 2 * changes.total() > cast:
        readings = ("per_outcome", "any_change")
        return ambiguous("AMB-Q1", section, *readings, votes_cast=cast)
    return settled(STANDS, section, votes_cast=cast)


# biba-2014 6.3 (2.4, 1.9): three members, unanimous; the players are kept secret from them.


def _biba_admissible(facts: Appealed, rules: Rules) -> Answer:
    # biba-2014 2.4: a slow-play ruling is final; 1.9 sends behaviour to 6.3.
    if facts.against == SLOW_PLAY:
        return settled(NOT_APPEALABLE, "2.4")
    return _admitted("6.3", facts)


def _not_of_three(section: str) -> Answer:
    return ambiguous("AMB-Q8", section, "void", "valid")


def _biba_committee(facts: Committee, rules: Rules) -> Answer:
    if facts.size != THREE:
        return _not_of_three("6.3")
    if {"player_names", "initial_ruling"} & set(facts.learned):
        return ambiguous("AMB-Q5", "6.3", "goes_on", "another_committee")
    return settled(ADMISSIBLE, "6.3")


def _biba_director(facts: Poll, rules: Rules) -> Answer:
    return settled(HAS_NO_VOTE, "6.3")


def _biba_outcome(facts: Poll, rules: Rules) -> Answer:
    section = "6.3"
    if facts.size != THREE and not facts.is_as_ruled:
        return _not_of_three(section)
    cast = facts.cast
    changes = [vote.change for vote in cast if vote.change is not None]
    if not changes or len(changes) < len(cast):
        return settled(STANDS, section)
    if len(changes) < facts.size:
        return ambiguous("AMB-Q3", section, "of_members", "of_votes", lean=STANDS)
    if any(change != (REVERSE, None) for change in changes):
        # The text knows overturning, and no modification.
        return ambiguous("AMB-Q1", section, "per_outcome", "any_change")
    return _changed((REVERSE, None), section)


# fcbg-tournament CONT/T(c): three members, two of them.


def _fcbg_admissible(facts: Appealed, rules: Rules) -> Answer:
    return _admitted("CONT/T(c)", facts)


def _fcbg_committee(facts: Committee, rules: Rules) -> Answer:
    return _not_of_three("CONT/T(c)") if facts.size != THREE else settled(ADMISSIBLE, "CONT/T(c)")


def _fcbg_director(facts: Poll, rules: Rules) -> Answer:
    return settled(HAS_NO_VOTE, "CONT/T(c)")


def _fcbg_outcome(facts: Poll, rules: Rules) -> Answer:
    # Two of three; of a committee that a ruling lets decide in another size, more than half.
    section, needed = "CONT/T(c)", facts.size // 2 + 1
    if facts.size != THREE and not facts.is_as_ruled:
        return _not_of_three(section)
    cast = facts.cast
    changes = [vote.change for vote in cast if vote.change is not None]
    if changes.count((REVERSE, None)) >= needed:
        return _changed((REVERSE, None), section)
    if len(changes) >= needed:
        return ambiguous("AMB-Q1", section, "per_outcome", "any_change")
    if 2 * len(changes) > len(cast):
        return ambiguous("AMB-Q4", section, "of_members", "of_votes", lean=STANDS)
    return settled(STANDS, section)


# What follows from a ruling.


def after_ruling(reading: str, asked: Answer, facts: Poll, rules: Rules) -> Answer | None:
    """What the ballots make by the reading that a Director chose; None = the text cannot say.

    The words of the readings are those of the policies above; a Director may also name the outcome
    itself, where the text offered no readings.
    """
    section = asked.section
    changes = {vote.change for vote in _counted(facts) if vote.change is not None}
    match reading:
        case "ruling_stands" | "uphold" | "per_outcome" | "quorum" | "of_members" | "void":
            return settled(STANDS, section)
        case "reverse":
            return _changed((REVERSE, None), section)
        case "ruling_changed" | "any_change" | "literal" | "of_votes":
            # To what it is changed, where the ballots differ, they do not say.
            only = changes.pop() if len(changes) == 1 else None
            return settled(CHANGED, section) if only is None else _changed(only, section)
        case "adopted":
            # AMB-F3: the club takes over what stands under the /TOURNAMENT heading.
            answer = _fcbg_outcome(facts, rules)
            return None if answer.is_open else replace(answer, section=section)
        case "valid":
            answer = rules.ask("appeal.outcome", replace(facts, is_as_ruled=True))
            return None if answer.is_open else answer
        case _:
            return None


def _counted(facts: Poll) -> tuple[Ballot, ...]:
    return facts.cast if facts.director is None else (*facts.cast, facts.director)


def admits(reading: str, facts: Appealed, rules: Rules) -> bool | None:
    """Whether an appeal is admitted by the reading of a ruling; None = it does not say."""
    if reading == "adopted":
        # Whether it came in time was the Director's to weigh when he adopted the text.
        reading = _fcbg_admissible(replace(facts, has_played_on=False), rules).outcome
    return {ADMISSIBLE: True, NOT_APPEALABLE: False, TOO_LATE: False}.get(reading)


def may_decide(reading: str) -> bool | None:
    """Whether a committee decides by the reading of a ruling; None = it does not say."""
    return {
        "valid": True,
        "goes_on": True,
        "adopted": True,
        ADMISSIBLE: True,
        "void": False,
        "another_committee": False,
    }.get(reading)


USBGF_2017_07: Mapping[str, Policy] = MappingProxyType(
    {
        "appeal.admissibility": _usbgf_admissible,
        "appeal.committee": _usbgf_committee,
        "appeal.director": _usbgf_director,
        "appeal.outcome": _usbgf_outcome,
    }
)
"""Subject to policy."""

BIBA_2014: Mapping[str, Policy] = MappingProxyType(
    {
        "appeal.admissibility": _biba_admissible,
        "appeal.committee": _biba_committee,
        "appeal.director": _biba_director,
        "appeal.outcome": _biba_outcome,
    }
)
"""Subject to policy."""

FCBG_TOURNAMENT: Mapping[str, Policy] = MappingProxyType(
    {
        "appeal.admissibility": _fcbg_admissible,
        "appeal.committee": _fcbg_committee,
        "appeal.director": _fcbg_director,
        "appeal.outcome": _fcbg_outcome,
    }
)
"""Subject to policy."""

USBGF_SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "appeal.admissibility": "[5]",
        "appeal.committee": "[5]",
        "appeal.director": "[5]",
        "appeal.outcome": "[5]",
    }
)
"""Subject to section, for an edition or a club without a policy of its own."""

FCBG_SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "appeal.admissibility": "CONT/T(c)",
        "appeal.committee": "CONT/T(c)",
        "appeal.director": "CONT/T(c)",
        "appeal.outcome": "CONT/T(c)",
    }
)
"""Subject to section, for an edition or a club without a policy of its own."""
