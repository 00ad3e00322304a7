"""Appeals: what may be appealed, the committee, and ballots against the threshold."""

from __future__ import annotations

import itertools
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.values import Seat
from projections.rules.answers import SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules, Subject

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

NO_COMMITTEE = "void"
ANOTHER_COMMITTEE = "another_committee"
"""Readings by which a committee that was convened does not decide."""

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


REPORT_DUE, NO_REPORT = "report_due", "no_report"


class ReportFacts(msgspec.Struct, frozen=True, gc=False):
    """A dispute that was decided."""

    by_committee: bool = False
    """Whether a committee has decided it, and not the Director alone."""


class Appealed(msgspec.Struct, frozen=True, kw_only=True):
    """An appeal that is filed."""

    against: str
    """disqualification, expulsion, slow_play or other."""
    has_played_on: bool = False
    """Whether play went on between the ruling and the appeal."""
    is_second: bool = False
    """Whether a committee has decided it already."""


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
    has_declined: bool = False
    """Whether the Director has said that he will not vote."""
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
    answer = rules.ask(APPEAL_COMMITTEE, Committee(size=THREE))
    return not (answer.is_open and answer.reason == SILENT)


def sanction_of(kind: str) -> str:
    """What a sanction is to the texts; a word that none of them has is `other`."""
    return next((meant for stem, meant in _STEMS if kind.startswith(stem)), OTHER)


_STEMS = (("disq", DISQUALIFICATION), ("expul", EXPULSION), ("expel", EXPULSION))
"""Sanctions have no closed list of words: those of the texts by how they begin."""


def director_may_vote(rules: Rules) -> bool:
    """Whether the text does not bar the Director from voting on an appeal."""
    answer = rules.ask(APPEAL_DIRECTOR, Poll(size=THREE, ballots=()))
    return has_committee(rules) and answer.outcome != HAS_NO_VOTE


def whatever_follows(facts: Poll, rules: Rules) -> Answer | None:
    """The result of the ballots if the missing votes cannot change it; None if they can.

    All possible votes of missing members, and of the Director while he may vote, are tried.
    """
    missing = max(0, facts.size - len(facts.ballots))
    if missing > _FEW or len(facts.ballots) < _FEW:
        return None
    others: tuple[Ballot | None, ...] = (facts.director,)
    if not (facts.is_closed or facts.has_declined) and director_may_vote(rules):
        others = (None, *_EVERY)
    answers = [
        rules.ask(
            APPEAL_OUTCOME,
            replace(facts, ballots=(*facts.ballots, *rest), director=other, is_closed=True),
        )
        for rest in itertools.combinations_with_replacement(_EVERY, missing)
        for other in others
    ]
    first = answers[0]
    if first.is_open or any(_made(answer) != _made(first) for answer in answers):
        return None
    details = {key: value for key, value in first.details.items() if key != "votes_cast"}
    return replace(first, details=MappingProxyType(details))


def _made(answer: Answer) -> tuple[object, ...]:
    """What an answer makes of the ruling, however many votes made it so."""
    return (answer.outcome, answer.details.get("result"), answer.details.get("proposal"))


_FEW = 2
"""Ballots below which nothing is foregone, and above which what is missing is not tried."""
_EVERY = (
    Ballot(UPHOLD),
    Ballot(REVERSE),
    Ballot(MODIFY, "another"),
    Ballot(ABSTAIN),
)
"""What a ballot can say; a modification that nobody has proposed stands for every one."""


def changed(change: tuple[str, str | None], section: str, **details: object) -> Answer:
    """The ruling is changed: reversed, or to what the ballots propose."""
    result, proposal = change
    if proposal is not None:
        details["proposal"] = proposal
    return settled(CHANGED, section, result=result, **details)


TOO_LATE = "too_late"


def admitted(section: str, facts: Appealed) -> Answer:
    """Admitted if it came promptly; after play went on, AMB-Q6: no text says what prompt is."""
    if facts.has_played_on:
        return ambiguous("AMB-Q6", section, ADMISSIBLE, TOO_LATE)
    return settled(ADMISSIBLE, section)


def not_of_three(section: str) -> Answer:
    """AMB-Q8: a committee that has not three members."""
    return ambiguous("AMB-Q8", section, NO_COMMITTEE, "valid")


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
            return changed((REVERSE, None), section)
        case "ruling_changed" | "any_change" | "literal" | "of_votes":
            # To what it is changed, where the ballots differ, they do not say.
            only = changes.pop() if len(changes) == 1 else None
            return settled(CHANGED, section) if only is None else changed(only, section)
        case "adopted":
            # AMB-F3: the club takes over what stands under the /TOURNAMENT heading.
            answer = rules.adopted(APPEAL_OUTCOME, facts)
            return None if answer is None else replace(answer, section=section)
        case "valid":
            answer = rules.ask(APPEAL_OUTCOME, replace(facts, is_as_ruled=True))
            return None if answer.is_open else answer
        case _:
            return None


def _counted(facts: Poll) -> tuple[Ballot, ...]:
    return facts.cast if facts.director is None else (*facts.cast, facts.director)


def admits(reading: str, facts: Appealed, rules: Rules) -> bool | None:
    """Whether an appeal is admitted by the reading of a ruling; None = it does not say."""
    if reading == "adopted":
        # Whether it came in time was the Director's to weigh when he adopted the text.
        answer = rules.adopted(APPEAL_ADMISSIBILITY, replace(facts, has_played_on=False))
        reading = reading if answer is None else answer.outcome
    return {ADMISSIBLE: True, NOT_APPEALABLE: False, TOO_LATE: False}.get(reading)


def may_decide(reading: str) -> bool | None:
    """Whether a committee decides by the reading of a ruling; None = it does not say."""
    return {
        "valid": True,
        "goes_on": True,
        "adopted": True,
        ADMISSIBLE: True,
        NO_COMMITTEE: False,
        ANOTHER_COMMITTEE: False,
    }.get(reading)


PRESUMPTION = "presumption"
"""What is in doubt is presumed for the other player."""
DISADVANTAGE = "disadvantage"
"""Whoever did it bears the doubt; how far is the Director's."""


class Disturbed(msgspec.Struct, frozen=True, kw_only=True):
    """A player touched what was to lie untouched until the Director comes."""

    by: Seat | None
    """Who; None = both players."""
    what: str = ""
    """What was touched: dice, checkers, cube, score, clock."""


def presumed(section: str, facts: Disturbed) -> Answer:
    """The presumption is for the opponent of whoever touched it."""
    if facts.by is None or facts.what == CLOCK:
        return undecided(section, facts, PRESUMPTION)
    return settled(PRESUMPTION, section, presumed_for=facts.by.other)


def undecided(section: str, facts: Disturbed, consequence: str) -> Answer:
    """Of both at fault no text speaks, nor of a clock, which players are to stop in a dispute."""
    if facts.by is None:
        return left_open(SILENT, section, "against_both", "against_neither")
    return left_open(SILENT, section, consequence, "no_consequence")


CLOCK = "clock"
"""What is to be stopped while the Director is called, and so is touched."""


DISPUTE_DISTURBED = Subject[Disturbed]("dispute.disturbed")
"""What follows where a player touched dice, checkers, cube or score of a dispute."""
APPEAL_ADMISSIBILITY = Subject[Appealed]("appeal.admissibility")
"""Whether there may be an appeal."""
APPEAL_COMMITTEE = Subject[Committee]("appeal.committee")
"""Whether the committee may decide."""
APPEAL_DIRECTOR = Subject[Poll]("appeal.director")
"""Whether the Director has a vote."""
APPEAL_OUTCOME = Subject[Poll]("appeal.outcome")
"""What the ballots make of the ruling."""
DECISION_REPORT = Subject[ReportFacts]("decision.report")
"""Whether a dispute that was decided is to be reported to the federation."""
