"""Ballots on an appeal: which count, and their result for the ruling under the rule set."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import appeal, dispute, ending, penalty
from events.personal import disclose
from projections.folding.findings import Finding, Severity, found, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import Said, said, worded
from projections.folding.standing import target_of
from projections.judging.appeal_state import (
    Appeal,
    Appeals,
    Result,
    Sealed,
    appeal_of,
    asking,
    called,
    is_asked,
    with_appeal,
)
from projections.rules.answers import Answer
from projections.rules.subjects.appeals import (
    APPEAL_DIRECTOR,
    APPEAL_OUTCOME,
    AWAITS_DIRECTOR,
    CHANGED,
    HAS_NO_VOTE,
    STANDS,
    UPHOLD,
    Ballot,
    Poll,
    whatever_follows,
)


def after_vote(
    state: Appeals, event: RecordedEvent, was: Appeal, cast: appeal.VoteCast, seen: Seen
) -> Result:
    """A member's ballot; one that cannot count is found and left out."""
    why = why_not_cast(was, cast.member)
    if why is not None:
        return state, (_not_counted(event, was, cast.member, why, seen),)
    ballots = {**was.ballots, cast.member: Ballot(cast.vote.value, cast.proposal)}
    is_closed = was.has_declined and len(ballots) >= was.size
    now = replace(was, ballots=MappingProxyType(ballots), is_closed=is_closed)
    return after_poll(state, event, was, now, seen)


def cast_before(about: Appeal, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    """Ballots that were cast before the first committee of an appeal is convened: it votes anew."""
    if about.size or about.members:
        return NOTHING
    why = said("before a committee was convened")
    return tuple(_not_counted(event, about, member, why, seen) for member in about.ballots)


def why_not_cast(about: Appeal, member: str) -> Said | None:
    """Why a ballot in the clear cannot count as the case stands; None where it counts."""
    if about.announced:
        return said("after the outcome was announced")
    if about.is_closed:
        return said("after the Director's")
    if member in about.ballots or member in about.sealed:
        return said("and has voted already")
    if about.members and member not in about.members:
        return said("and is not of the committee")
    return None


def after_sealed(
    state: Appeals, event: RecordedEvent, was: Appeal, cast: appeal.VoteSealed, seen: Seen
) -> Result:
    """A ballot that is closed until all are in; a later one of the same grant replaces it."""
    why = why_not_sealed(was, cast.member, cast.grant)
    if why is not None:
        return state, (_not_counted(event, was, cast.member, why, seen),)
    sealed = {**was.sealed, cast.member: Sealed(event.entry_id, cast.grant, cast.commitment)}
    return with_appeal(state, was, replace(was, sealed=MappingProxyType(sealed))), NOTHING


def why_not_sealed(about: Appeal, member: str, grant: str) -> Said | None:
    """Why a sealed ballot cannot count as the case stands; None where it counts."""
    if about.announced:
        return said("after the outcome was announced")
    if not about.members:
        return said("before a committee was convened")
    if member not in about.members:
        return said("and is not of the committee")
    if not about.is_issued:
        return said("before the case was issued")
    if about.is_closed or about.is_complete:
        return said("after the last ballot was in")
    if member in about.ballots:
        return said("and has voted already")
    held = about.sealed.get(member)
    if held is not None and held.grant != grant:
        return said("under another grant than before")
    if any(one.grant == grant and name != member for name, one in about.sealed.items()):
        return said("under the grant of another member")
    return None


def after_opened(
    state: Appeals, event: RecordedEvent, opened: appeal.VoteOpened, seen: Seen
) -> Result:
    """A ballot is opened; one that is not what was sealed, or is opened early, is not counted."""
    for was in state.appeals:
        for member, sealed in was.sealed.items():
            if sealed.entry_id == opened.target:
                return _opened(state, event, was, member, sealed, opened, seen)
    message = said(
        "a ballot is opened that is not, or no longer, in force: entry {entry}",
        entry=opened.target,
    )
    cite = (seen.rules.profile.id, seen.rules.ask(APPEAL_DIRECTOR, poll_of(Appeal())).section)
    return state, (found("ballot-not-counted", event, message, cite=cite),)


def _opened(
    state: Appeals,
    event: RecordedEvent,
    was: Appeal,
    member: str,
    sealed: Sealed,
    opened: appeal.VoteOpened,
    seen: Seen,
) -> Result:
    why = None
    if member in was.ballots:
        why = said("and has voted already")
    elif not was.is_complete:
        why = said("and the ballot is opened before all are in")
    elif commitment_to(opened.vote.value, opened.proposal, opened.salt) != sealed.commitment:
        why = said("and the ballot is opened as another than was sealed")
    if why is not None:
        return state, (_not_counted(event, was, member, why, seen),)
    ballots = {**was.ballots, member: Ballot(opened.vote.value, opened.proposal)}
    is_closed = was.is_closed or (was.has_declined and len(ballots) >= was.size)
    now = replace(was, ballots=MappingProxyType(ballots), is_closed=is_closed)
    return after_poll(state, event, was, now, seen)


def commitment_to(vote: str, proposal: str | None, salt: str) -> str:
    """Hash of a ballot that is to be sealed; `salt` is 32 random bytes in hex."""
    return disclose(bytes.fromhex(salt), "ballot", [vote, proposal])[0].sd


def _not_counted(
    event: RecordedEvent, about: Appeal, member: str, why: Said, seen: Seen
) -> Finding:
    who = worded(called(member))
    message = said("{member} votes {why}: the ballot is not counted", member=who, why=why)
    cite = (seen.rules.profile.id, seen.rules.ask(APPEAL_DIRECTOR, poll_of(about)).section)
    return found("ballot-not-counted", event, message, cite=cite)


def after_directors_vote(
    state: Appeals, event: RecordedEvent, was: Appeal, cast: appeal.VoteDirectorCast, seen: Seen
) -> Result:
    """The Director's ballot, by which a poll is closed; one that cannot count is found."""
    ballot = Ballot(cast.vote.value, cast.proposal)
    now = replace(was, director=ballot, is_closed=True)
    if has_vote(now, seen) and (was.ballots or was.sealed):
        return after_poll(state, event, was, now, seen)
    message = said("the Director votes on an appeal, and has no vote: the ballot is not counted")
    if has_vote(now, seen):
        # usbgf-2017-07 [5]: the committee votes, and the Director "may then cast a vote".
        message = said(
            "the Director votes before the committee has voted, and may vote after it: "
            "the ballot is not counted"
        )
    cite = (seen.rules.profile.id, seen.rules.ask(APPEAL_DIRECTOR, poll_of(now)).section)
    return state, (found("ballot-not-counted", event, message, cite=cite),)


def has_vote(about: Appeal, seen: Seen) -> bool:
    """Whether the Director's vote, or his declining to cast one, closes the poll."""
    answer = seen.rules.ask(APPEAL_DIRECTOR, poll_of(about))
    return answer.outcome != HAS_NO_VOTE


def poll_of(known: Appeal) -> Poll:
    """The poll of an appeal, as the rule set is asked about it."""
    return Poll(
        size=known.size,
        ballots=tuple(known.ballots.values()),
        director=known.director,
        is_closed=known.is_closed,
        has_declined=known.has_declined,
        is_as_ruled=known.may_decide is True,
    )


def after_poll(
    state: Appeals, event: RecordedEvent, was: Appeal, now: Appeal, seen: Seen
) -> Result:
    """What is known once a ballot, or the end of the poll, may have settled the appeal."""
    if now.may_decide is False:
        return with_appeal(state, was, now), NOTHING
    facts = poll_of(now)
    answer = seen.rules.ask(APPEAL_OUTCOME, facts) if now.is_polled else None
    if answer is None or answer.outcome == AWAITS_DIRECTOR:
        foregone = whatever_follows(facts, seen.rules)
        now = replace(now, is_foregone=foregone is not None)
        answer = foregone or answer
    if answer is None:
        return with_appeal(state, was, now), NOTHING
    if is_asked(was, APPEAL_OUTCOME, answer):
        # Asked already, or ruled.
        return with_appeal(
            state, was, replace(now, answer=was.asked[APPEAL_OUTCOME].answer)
        ), NOTHING
    now = asking(replace(now, answer=answer, follows=None), APPEAL_OUTCOME, event, answer)
    if not answer.is_open:
        return with_appeal(state, was, now), NOTHING
    message = said(
        "{cast} of {size} {size:member|members} voted;"
        " what the ballots make of the ruling is for the Director to say",
        cast=len(facts.cast),
        size=now.size,
    )
    return with_appeal(state, was, now), (
        judged("appeal-outcome", event, message, answer, APPEAL_OUTCOME, seen.rules, seat=now.seat),
    )


def after_outcome(
    state: Appeals,
    event: RecordedEvent,
    was: Appeal,
    decided: appeal.AppealDecided,
    seen: Seen,
) -> Result:
    """The outcome as announced, compared with what the ballots make it."""
    closed = replace(was, is_closed=True, announced=decided.outcome)
    state, findings = after_poll(state, event, was, closed, seen)
    findings += (*_unvoted(was, event, seen), *_reversed(closed, event, seen))
    now = appeal_of(state, was.entry_id)
    answer = now.follows or now.answer
    if not now.is_polled or now.may_decide is False or answer is None:
        return state, findings
    made = answer.details.get("result") or _RESULTS.get(answer.outcome)
    announced = _ANNOUNCED[decided.outcome]
    if made is None or made == announced:
        return state, findings
    if made == CHANGED and announced != UPHOLD:
        return state, findings
    message = said(
        "it is announced that the ruling is {outcome}; by the ballots it is {made}",
        outcome=Said(decided.outcome.value),
        made=Said(_AS_ANNOUNCED.get(made, "changed")),
    )
    return state, (
        *findings,
        judged("appeal-differs", event, message, answer, APPEAL_OUTCOME, seen.rules, seat=now.seat),
    )


_ANNOUNCED = {
    appeal.AppealOutcome.UPHELD: "uphold",
    appeal.AppealOutcome.REVERSED: "reverse",
    appeal.AppealOutcome.MODIFIED: "modify",
}

_AS_ANNOUNCED = {vote: outcome.value for outcome, vote in _ANNOUNCED.items()}

_RESULTS = {STANDS: UPHOLD, CHANGED: CHANGED}
"""What an outcome is announced as; a change that is not named may be either kind of change."""


def _unvoted(was: Appeal, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    """That the outcome is announced though a committee that was given the case has not voted.

    Of a committee whose ballots were on paper nobody recorded that it was given the case: what it
    said is known by the announcement alone, and nothing is missing.
    """
    voted = len({*was.sealed, *was.ballots})
    if not was.is_issued or was.ballots or was.announced is not None:
        return NOTHING
    message = said(
        "the outcome of the appeal is announced, and {voted} of {size} {size:member|members} "
        "voted: no ballot is opened, and what they make of the ruling is not known",
        voted=voted,
        size=was.size,
    )
    section = seen.rules.ask(APPEAL_OUTCOME, poll_of(was)).section
    cite = (seen.rules.profile.id, section)
    return (found("ballots-missing", event, message, cite=cite, seat=was.seat),)


def _reversed(about: Appeal, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    """What still depends on a ruling or a penalty that was reversed or modified on appeal."""
    filed = None if about.entry_id is None else seen.step_of(about.entry_id)
    step = None if filed is None else seen.step_of(target_of(filed.event))
    outcome = about.announced
    if step is None or outcome is None or outcome is appeal.AppealOutcome.UPHELD:
        return NOTHING
    version, became = step.event.version, Said(outcome.value)
    match step.event.payload:
        case dispute.RulingMade(answers=answers) if answers:
            message = said(
                "the ruling at entry {entry} is {outcome}: what it answered is open again, and "
                "what followed from it stands until another ruling is made",
                entry=version,
                outcome=became,
            )
        case ending.ClaimRuled():
            message = said(
                "the ruling on a claim at entry {entry} is {outcome}: the claim is open again, "
                "and what followed from it stands until it is ruled anew",
                entry=version,
                outcome=became,
            )
        case penalty.PenaltyAssessed(points=points):
            counted = said("{points} {points:point counts|points count}", points=points)
            message = said(
                "the penalty at entry {entry} is {outcome}: "
                "its {points} until the penalty is waived",
                entry=version,
                outcome=became,
                points=counted,
            )
        case penalty.ForfeitDeclared() | penalty.PlayerDisqualified():
            message = said(
                "what gave the match away at entry {entry} is {outcome}: "
                "the match stays lost until a ruling is carried out that has it go on",
                entry=version,
                outcome=became,
            )
        case _:
            return NOTHING
    section = seen.rules.ask(APPEAL_OUTCOME, poll_of(about)).section
    cite = (seen.rules.profile.id, section)
    return (found("ruling-reversed", event, message, cite=cite, severity=Severity.NOTE),)


def notes_on(state: Appeals, new: Appeals, event: RecordedEvent, seen: Seen) -> Iterator[Finding]:
    """A note for every appeal that the ballots have settled, or settled otherwise than before."""
    for place, now in enumerate(new.appeals):
        known = state.appeals[place] if place < len(state.appeals) else None
        if now is known:
            continue
        was = None if known is None else known.result
        answer = now.result
        if answer is None or (was is not None and _is_as_told(was, answer)):
            continue
        cast = len(poll_of(now).cast)
        who = said("{cast} {cast:member|members}", cast=cast)
        if now.size:
            who = said("{cast} of {size} {size:member|members}", cast=cast, size=now.size)
        if now.director is not None:
            who = said("{members} and the Director", members=who)
        message = said("{who} voted: the {result}", who=who, result=said_of(answer))
        yield judged(
            "appeal-settled",
            event,
            message,
            answer,
            APPEAL_OUTCOME,
            seen.rules,
            seat=now.seat,
            severity=Severity.NOTE,
        )


def _is_as_told(was: Answer, now: Answer) -> bool:
    """Whether the ballots have the same result for the ruling as before."""
    told = [{**one.details, "votes_cast": None, "outcome": one.outcome} for one in (was, now)]
    return told[0] == told[1] and was.section == now.section


def said_of(result: Answer) -> Said:
    """What the ballots make of a ruling, in words."""
    if result.outcome == STANDS:
        return said("ruling stands")
    change = result.details.get("result")
    proposal = result.details.get("proposal")
    words = [worded(str(word)) for word in (change, proposal) if word is not None]
    match words:
        case [word]:
            return said("ruling is changed ({change})", change=word)
        case [word, to]:
            return said("ruling is changed ({change}: {proposal})", change=word, proposal=to)
        case _:
            return said("ruling is changed")


def answer_in_words(answer: Answer) -> Said:
    """What the rule set answers, or that a person has to rule."""
    return (
        said("what follows is for the Director to decide")
        if answer.is_open
        else worded(answer.outcome)
    )
