"""Appeals as they are known: what each is against, its committee, ballots and open questions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import appeal
from events.values import Seat
from projections.folding.findings import Finding, Key
from projections.folding.questions import Asked, is_same_question
from projections.rules.answers import Answer
from projections.rules.subjects.appeals import (
    APPEAL_COMMITTEE,
    APPEAL_OUTCOME,
    CHANGED,
    STANDS,
    Appealed,
    Ballot,
)

Result = tuple["Appeals", tuple[Finding, ...]]


OF_A_COMMITTEE = frozenset({APPEAL_COMMITTEE, APPEAL_OUTCOME})
"""Topics that depend on the members, and on how they voted."""

_BY_NUMBER = re.compile(r"m([1-9][0-9]*)")
"""How the desk of a case names the members of committees."""


def called(member: str) -> str:
    """What people read in the place of a member's id; one that somebody else has chosen stays."""
    found = _BY_NUMBER.fullmatch(member)
    return member if found is None else f"member {found[1]}"


class Sealed(msgspec.Struct, frozen=True):
    """A ballot that is closed: the last one of its member that was in time."""

    entry_id: str
    """The `vote.sealed`."""
    grant: str
    """The grant that it was cast under."""
    commitment: str
    """Hash of its content."""


class Appeal(msgspec.Struct, frozen=True):
    """One appeal and what came of it."""

    entry_id: str | None = None
    """The `appeal.filed`; None where a committee met and no appeal is recorded."""
    version: int | None = None
    """Its version."""
    seat: Seat | None = None
    """Who appealed."""
    is_admitted: bool | None = None
    """Whether the rule set admits it; None while that is for a person to say."""
    size: int = 0
    """Members of the committee, those who stepped down left out."""
    members: tuple[str, ...] = ()
    """Who they are, as far as recorded."""
    learned: tuple[str, ...] = ()
    """What the committee learned."""
    ballots: Mapping[str, Ballot] = MappingProxyType({})
    """Member to ballot."""
    sealed: Mapping[str, Sealed] = MappingProxyType({})
    """Member to ballot, closed; `ballots` holds those that were opened."""
    is_issued: bool = False
    """Whether the committee was given the case, and may cast sealed ballots."""
    through: str | None = None
    """The last entry that it was given; None where nothing says so."""
    hides_score: bool = False
    """Whether the score is kept from it, as the case was given last."""
    partial: tuple[str, ...] = ()
    """Members that are marked as not independent."""
    director: Ballot | None = None
    """The Director's ballot."""
    has_declined: bool = False
    """Whether the Director has said that he will not vote."""
    is_closed: bool = False
    """Whether the Director has voted, declined, or announced the outcome."""
    is_refused: bool = False
    """Whether it was refused."""
    announced: appeal.AppealOutcome | None = None
    """The Director's announcement; None = nothing yet."""
    against: Appealed | None = None
    """The facts about the decision appealed against, for the rule set; None = not recorded."""
    answer: Answer | None = None
    """The present answer of the rule set to it."""
    asked: Mapping[str, Asked] = MappingProxyType({})
    """Topic to the last question about it, ruled ones included."""
    may_decide: bool | None = None
    """Whether a ruling let the committee decide; None = none was needed, or none was made."""
    is_foregone: bool = False
    """Whether the ballots decide it, whatever the missing votes say."""
    follows: Answer | None = None
    """The result of the ballots by a ruling; None without one."""

    @property
    def on_committee(self) -> Mapping[Key, Answer]:
        """What was asked about its committee, and about the result of the ballots."""
        return {one.key: one.answer for one in self.asked.values() if one.topic in OF_A_COMMITTEE}

    @property
    def is_complete(self) -> bool:
        """Whether there is a ballot of every member, open or still closed."""
        return self.size > 0 and len({*self.sealed, *self.ballots}) >= self.size

    @property
    def is_polled(self) -> bool:
        """Whether there is a ballot of every member, or the poll is closed with some."""
        voted = len(self.ballots)
        return bool(voted) and (self.is_closed or voted >= self.size)

    @property
    def result(self) -> Answer | None:
        """What the ballots make of the ruling; None while that is open, or where they cannot."""
        is_open = any(asked.answer.is_open for asked in self.asked.values())
        if is_open or self.is_admitted is False or self.may_decide is False:
            return None
        if not (self.is_polled or self.is_foregone):
            return None
        answer = self.follows or self.answer
        return answer if answer is not None and answer.outcome in (STANDS, CHANGED) else None


class Appeals(msgspec.Struct, frozen=True):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    appeals: tuple[Appeal, ...] = ()
    """Every appeal of the match, in the order in which they were filed."""
    is_disputed: bool | None = None
    """Whether the Director is waited for, who was called; False once he has come and ruled."""


def appeal_of(state: Appeals, named: str | None) -> Appeal:
    """The appeal that an entry names, else the last one."""
    for known in state.appeals:
        if named is not None and known.entry_id == named:
            return known
    return state.appeals[-1] if state.appeals else Appeal()


def appeal_with(state: Appeals, member: str) -> Appeal:
    """The last appeal whose committee has a member of this name, else the last one."""
    for known in reversed(state.appeals):
        if member in known.members:
            return known
    return appeal_of(state, None)


def with_appeal(state: Appeals, was: Appeal, now: Appeal) -> Appeals:
    """What is known with one appeal as it is now; its answer is the latest."""
    kept = tuple(now if known is was else known for known in state.appeals)
    if now not in kept:
        kept = (*kept, now)
    return replace(state, answer=now.answer or state.answer, appeals=kept)


def asking(about: Appeal, topic: str, event: RecordedEvent, answer: Answer) -> Appeal:
    """The appeal with a question that stays open until it is ruled."""
    if not answer.is_open:
        return about
    asked = {**about.asked, topic: Asked(topic, event.entry_id, answer, about.seat)}
    return replace(about, asked=MappingProxyType(asked))


def is_asked(about: Appeal, topic: str, answer: Answer) -> bool:
    """Whether this very question of a topic was asked about an appeal, ruled or not."""
    asked = about.asked.get(topic)
    return asked is not None and is_same_question(asked.answer, answer)
