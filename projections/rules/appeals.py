"""Appeals: what may be appealed, the committee, and ballots against the threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from projections.rules.answers import Answer, ambiguous, settled
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

    @property
    def cast(self) -> tuple[Ballot, ...]:
        """The members' ballots without abstentions."""
        return tuple(ballot for ballot in self.ballots if ballot.vote != ABSTAIN)


def _changed(change: tuple[str, str | None], section: str, **details: object) -> Answer:
    result, proposal = change
    if proposal is not None:
        details["proposal"] = proposal
    return settled(CHANGED, section, result=result, **details)


# usbgf-2017-07 [5]: any ruling but disqualification or expulsion; a committee of no stated size;
# an absolute majority of the votes cast, the Director's among them if he votes after the committee.


def _usbgf_admissible(facts: Appealed, rules: Rules) -> Answer:
    is_final = facts.against in (DISQUALIFICATION, EXPULSION)
    return settled(NOT_APPEALABLE if is_final else ADMISSIBLE, "[5]")


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
    return settled(ADMISSIBLE, "6.3")


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
    if facts.size != THREE:
        return _not_of_three(section)
    cast = facts.cast
    changes = [vote.change for vote in cast if vote.change is not None]
    if not changes or len(changes) < len(cast):
        return settled(STANDS, section)
    if len(changes) < THREE:
        return ambiguous("AMB-Q3", section, "of_members", "of_votes", lean=STANDS)
    if any(change != (REVERSE, None) for change in changes):
        # The text knows overturning, and no modification.
        return ambiguous("AMB-Q1", section, "per_outcome", "any_change")
    return _changed((REVERSE, None), section)


# fcbg-tournament CONT/T(c): three members, two of them.


def _fcbg_admissible(facts: Appealed, rules: Rules) -> Answer:
    return settled(ADMISSIBLE, "CONT/T(c)")


def _fcbg_committee(facts: Committee, rules: Rules) -> Answer:
    return _not_of_three("CONT/T(c)") if facts.size != THREE else settled(ADMISSIBLE, "CONT/T(c)")


def _fcbg_director(facts: Poll, rules: Rules) -> Answer:
    return settled(HAS_NO_VOTE, "CONT/T(c)")


def _fcbg_outcome(facts: Poll, rules: Rules) -> Answer:
    section, needed = "CONT/T(c)", 2
    if facts.size != THREE:
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
