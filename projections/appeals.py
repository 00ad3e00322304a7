"""Appeals: admissible or not, ballots against the threshold of the rule set."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import appeal, penalty
from events.payloads.base import Payload
from events.values import Seat
from projections.findings import Finding, found, judged
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.appeals import (
    AWAITS_DIRECTOR,
    DISQUALIFICATION,
    HAS_NO_VOTE,
    OTHER,
    SLOW_PLAY,
    Appealed,
    Ballot,
    Committee,
    Poll,
)
from projections.rules.profile import Rules

Result = tuple["Appeals", tuple[Finding, ...]]


class Appeal(msgspec.Struct, frozen=True):
    """One appeal and what came of it."""

    entry_id: str | None = None
    """The `appeal.filed`; None where a committee met and no appeal is recorded."""
    seat: Seat | None = None
    """Who appealed."""
    is_admitted: bool | None = None
    """Whether the rule set admits it; None while that is for a person to say."""
    size: int = 0
    """Members of the committee, those who stepped down left out."""
    members: tuple[str, ...] = ()
    """Who they are, as far as recorded."""
    learned: tuple[str, ...] = ()
    """What the committee came to know."""
    ballots: Mapping[str, Ballot] = MappingProxyType({})
    """Member to ballot."""
    director: Ballot | None = None
    """The Director's ballot."""
    is_closed: bool = False
    """Whether the Director has voted, declined, or announced the outcome."""
    answer: Answer | None = None
    """What the rule set says to it now."""

    @property
    def is_polled(self) -> bool:
        """Whether there is a ballot of every member, or the poll is closed with some."""
        voted = len(self.ballots)
        return bool(voted) and (self.is_closed or voted >= self.size)


class Appeals(msgspec.Struct, frozen=True):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    appeals: tuple[Appeal, ...] = ()
    """Every appeal of the match, in the order in which they were filed."""


def evolve(state: Appeals, event: RecordedEvent, seen: Seen) -> Result:
    """The judgements after one event."""
    match event.payload:
        case appeal.AppealFiled() as filed:
            return _filed(state, event, filed, seen)
        case appeal.AppealRefused(appeal=named):
            return _refused(state, event, named, seen)
        case appeal.CommitteeConvened(appeal=named) as convened:
            was = _found_by(state, named)
            members = tuple(member.member for member in convened.members)
            now = Appeal(was.entry_id, was.seat, was.is_admitted, convened.size, members)
            return _asked_about_committee(state, event, was, now, seen)
        case appeal.CommitteeMemberRecused(member=member):
            was = _found_by(state, None)
            now = replace(
                was,
                size=max(0, was.size - 1),
                members=tuple(name for name in was.members if name != member),
                ballots=_without(was.ballots, member),
            )
            return _asked_about_committee(state, event, was, now, seen)
        case appeal.CommitteeLeakNoted(learned=learned):
            was = _found_by(state, None)
            now = replace(was, learned=(*was.learned, *learned))
            return _asked_about_committee(state, event, was, now, seen)
        case appeal.VoteCast(appeal=named) as cast:
            return _voted(state, event, _found_by(state, named), cast, seen)
        case appeal.VoteDirectorCast(appeal=named) as cast:
            return _director_voted(state, event, _found_by(state, named), cast, seen)
        case appeal.VoteDirectorDeclined(appeal=named):
            was = _found_by(state, named)
            return _polled(state, event, was, replace(was, is_closed=True), seen)
        case appeal.AppealDecided(appeal=named) as decided:
            return _decided(state, event, _found_by(state, named), decided, seen)
        case _:
            return state, NOTHING


def _found_by(state: Appeals, named: str | None) -> Appeal:
    """The appeal that an entry names, else the last one."""
    for known in state.appeals:
        if named is not None and known.entry_id == named:
            return known
    return state.appeals[-1] if state.appeals else Appeal()


def _put(state: Appeals, was: Appeal, now: Appeal) -> Appeals:
    kept = tuple(now if known is was else known for known in state.appeals)
    if now not in kept:
        kept = (*kept, now)
    return Appeals(now.answer or state.answer, kept)


def _without(ballots: Mapping[str, Ballot], member: str) -> Mapping[str, Ballot]:
    return MappingProxyType({name: vote for name, vote in ballots.items() if name != member})


def _filed(state: Appeals, event: RecordedEvent, filed: appeal.AppealFiled, seen: Seen) -> Result:
    step = seen.step_of(filed.target)
    answer = seen.rules.ask("appeal.admissibility", Appealed(against=_against(step)))
    admitted = None if answer.is_open else answer.outcome == "admissible"
    now = Appeal(event.entry_id, filed.seat, admitted, answer=answer)
    findings: tuple[Finding, ...] = ()
    if step is None:
        message = f"an appeal names entry {filed.target}, and this match holds none"
        cite = (seen.rules.profile.id, answer.section)
        findings = (found("reference-unknown", event, message, cite=cite, seat=filed.seat),)
    if admitted is not True:
        message = f"{filed.seat.value} appeals: {_said(answer)}"
        findings += (_judged("appeal-admissibility", event, message, answer, now, seen),)
    return _put(state, now, now), findings


def _against(step: object) -> str:
    """What kind of ruling an appeal names."""
    match getattr(getattr(step, "event", None), "payload", None):
        case penalty.PlayerDisqualified():
            return DISQUALIFICATION
        case penalty.SanctionImposed(kind=kind):
            # Sanctions have no closed list of words; those of the texts are matched as written.
            return kind
        case penalty.PenaltyAssessed(ground=penalty.PenaltyGround.SLOW_PLAY):
            return SLOW_PLAY
        case penalty.SlowPlayWarned():
            return SLOW_PLAY
        case _:
            return OTHER


def _refused(state: Appeals, event: RecordedEvent, named: str, seen: Seen) -> Result:
    was = _found_by(state, named)
    if was.answer is None or was.is_admitted is not True:
        return state, NOTHING
    message = "an appeal is refused that the rules admit"
    cite = (seen.rules.profile.id, was.answer.section)
    return state, (found("appeal-refused", event, message, cite=cite, seat=was.seat),)


def _asked_about_committee(
    state: Appeals, event: RecordedEvent, was: Appeal, now: Appeal, seen: Seen
) -> Result:
    if was.entry_id is not None and was.is_admitted is None:
        # Whether there is an appeal at all is open: its committee is no second question.
        return _put(state, was, replace(now, answer=was.answer)), NOTHING
    facts = Committee(size=now.size, learned=now.learned)
    answer = seen.rules.ask("appeal.committee", facts)
    now = replace(now, answer=answer)
    if not answer.is_open:
        return _put(state, was, now), NOTHING
    message = f"a committee of {now.size}"
    if now.learned:
        message += f" that learned {', '.join(now.learned)}"
    finding = _judged("appeal-committee", event, message, answer, now, seen)
    return _put(state, was, now), (finding,)


def _voted(
    state: Appeals, event: RecordedEvent, was: Appeal, cast: appeal.VoteCast, seen: Seen
) -> Result:
    """A member's ballot; one that cannot count is found and left out."""
    why = None
    if was.is_closed:
        why = "after the Director's"
    elif cast.member in was.ballots:
        why = "and has voted already"
    elif was.members and cast.member not in was.members:
        why = "and is not of the committee"
    if why is not None:
        message = f"{cast.member} votes {why}: the ballot is not counted"
        cite = (seen.rules.profile.id, seen.rules.ask("appeal.director", _poll(was)).section)
        return state, (found("ballot-not-counted", event, message, cite=cite),)
    ballots = {**was.ballots, cast.member: Ballot(cast.vote.value, cast.proposal)}
    return _polled(state, event, was, replace(was, ballots=MappingProxyType(ballots)), seen)


def _director_voted(
    state: Appeals, event: RecordedEvent, was: Appeal, cast: appeal.VoteDirectorCast, seen: Seen
) -> Result:
    ballot = Ballot(cast.vote.value, cast.proposal)
    now = replace(was, director=ballot, is_closed=True)
    answer = seen.rules.ask("appeal.director", _poll(now))
    if answer.outcome != HAS_NO_VOTE:
        return _polled(state, event, was, now, seen)
    message = "the Director votes on an appeal, and has no vote: the ballot is not counted"
    cite = (seen.rules.profile.id, answer.section)
    state, findings = _polled(state, event, was, replace(was, is_closed=True), seen)
    return state, (*findings, found("ballot-not-counted", event, message, cite=cite))


def _poll(known: Appeal) -> Poll:
    return Poll(
        size=known.size,
        ballots=tuple(known.ballots.values()),
        director=known.director,
        is_closed=known.is_closed,
    )


def _polled(state: Appeals, event: RecordedEvent, was: Appeal, now: Appeal, seen: Seen) -> Result:
    if not now.is_polled:
        return _put(state, was, now), NOTHING
    facts = _poll(now)
    answer = seen.rules.ask("appeal.outcome", facts)
    asked_before = was.is_polled and was.answer == answer
    now = replace(now, answer=answer)
    if not answer.is_open or asked_before:
        return _put(state, was, now), NOTHING
    message = f"{len(facts.cast)} of {now.size} members voted: {_said(answer)}"
    return _put(state, was, now), (_judged("appeal-outcome", event, message, answer, now, seen),)


def _decided(
    state: Appeals,
    event: RecordedEvent,
    was: Appeal,
    decided: appeal.AppealDecided,
    seen: Seen,
) -> Result:
    """The outcome as announced, compared with what the ballots make it."""
    state, findings = _polled(state, event, was, replace(was, is_closed=True), seen)
    now = _found_by(state, was.entry_id)
    answer = now.answer
    if not now.is_polled or answer is None or answer.is_open or answer.outcome == AWAITS_DIRECTOR:
        return state, findings
    result = answer.details.get("result", "uphold")
    announced = _ANNOUNCED[decided.outcome]
    if result == announced:
        return state, findings
    message = f"the outcome is announced as {decided.outcome.value}; the ballots make it {result}"
    return state, (*findings, _judged("appeal-differs", event, message, answer, now, seen))


_ANNOUNCED = {
    appeal.AppealOutcome.UPHELD: "uphold",
    appeal.AppealOutcome.REVERSED: "reverse",
    appeal.AppealOutcome.MODIFIED: "modify",
}


def _said(answer: Answer) -> str:
    return "a person has to rule" if answer.is_open else answer.outcome.replace("_", " ")


_TOPICS = {
    "appeal-admissibility": "appeal.admissibility",
    "appeal-committee": "appeal.committee",
    "appeal-outcome": "appeal.outcome",
    "appeal-differs": "appeal.outcome",
}


def _judged(
    code: str,
    event: RecordedEvent,
    message: str,
    answer: Answer,
    about: Appeal,
    seen: Seen,
) -> Finding:
    return judged(
        code,
        event,
        message,
        answer=answer,
        rule_set=seen.rules.profile.id,
        topic=_TOPICS[code],
        seat=about.seat,
    )


_HEARS: tuple[type[Payload], ...] = (
    appeal.AppealFiled,
    appeal.AppealRefused,
    appeal.CommitteeConvened,
    appeal.CommitteeMemberRecused,
    appeal.CommitteeLeakNoted,
    appeal.VoteCast,
    appeal.VoteDirectorCast,
    appeal.VoteDirectorDeclined,
    appeal.AppealDecided,
)


def initial(rules: Rules) -> Appeals:
    """Nothing judged."""
    return Appeals()


FOLD: Fold[Appeals] = Fold("appeals", _HEARS, initial, evolve)
"""The fold of appeals."""
