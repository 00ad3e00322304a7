"""Appeals: admissible or not, ballots against the threshold of the rule set."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import appeal, dispute
from events.payloads.base import Actor, Payload
from projections.folding.findings import Finding, found, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.sayings import Said, listed, said, worded
from projections.judging.admissions import after_filed, after_refused
from projections.judging.appeal_state import (
    OF_A_COMMITTEE,
    Appeal,
    Appeals,
    Result,
    appeal_of,
    appeal_with,
    asking,
    is_asked,
    with_appeal,
)
from projections.judging.ballots import (
    after_directors_vote,
    after_opened,
    after_outcome,
    after_poll,
    after_sealed,
    after_vote,
    answer_in_words,
    cast_before,
    has_vote,
    notes_on,
    poll_of,
)
from projections.rules.answers import Answer
from projections.rules.subjects import appeals as subject
from projections.rules.subjects.appeals import (
    APPEAL_ADMISSIBILITY,
    APPEAL_COMMITTEE,
    APPEAL_OUTCOME,
    DISPUTE_DISTURBED,
    THREE,
    Committee,
    Disturbed,
    admits,
    after_ruling,
    has_committee,
    may_decide,
)


def evolve(state: Appeals, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event, and a note where the ballots have settled an appeal."""
    new, findings = _heard(state, event, seen)
    if new is state:
        return state, findings
    return new, (*notes_on(state, new, event, seen), *findings)


def _heard(state: Appeals, event: RecordedEvent, seen: Seen) -> Result:
    match event.payload:
        case appeal.AppealFiled() as filed:
            return after_filed(state, event, filed, seen)
        case appeal.AppealRefused(appeal=named):
            return after_refused(state, event, named, seen)
        case appeal.CommitteeConvened() as convened:
            return _convened(state, event, convened, seen)
        case appeal.CommitteeMemberRecused(member=member):
            was = appeal_with(state, member)
            return _asked_about_committee(state, event, was, _recused(was, member), seen)
        case appeal.CommitteeLeakNoted(learned=learned):
            was = appeal_of(state, None)
            now = replace(was, learned=(*was.learned, *learned))
            return _asked_about_committee(state, event, was, now, seen)
        case appeal.VoteCast(appeal=named) as cast:
            return after_vote(state, event, appeal_of(state, named), cast, seen)
        case appeal.AppealIssued(target=named, through=through, hides_score=hides):
            was = appeal_of(state, named)
            now = replace(was, is_issued=True, through=through, hides_score=hides)
            return with_appeal(state, was, now), NOTHING
        case appeal.VoteSealed(target=named) as cast:
            return after_sealed(state, event, appeal_of(state, named), cast, seen)
        case appeal.VoteOpened() as opened:
            return after_opened(state, event, opened, seen)
        case appeal.VoteDirectorCast(appeal=named) as cast:
            return after_directors_vote(state, event, appeal_of(state, named), cast, seen)
        case appeal.VoteDirectorDeclined(appeal=named):
            was = appeal_of(state, named)
            # Before any ballot it says only that the committee's will be all.
            is_closed = was.is_closed or (bool(was.ballots) and has_vote(was, seen))
            now = replace(was, has_declined=True, is_closed=is_closed)
            return after_poll(state, event, was, now, seen)
        case appeal.AppealDecided(appeal=named) as decided:
            return after_outcome(state, event, appeal_of(state, named), decided, seen)
        case dispute.TableDisturbed() as disturbed:
            # All is left untouched "until the Director arrives"; who has ruled has arrived.
            is_over = state.is_disputed is False
            return state, NOTHING if is_over else _disturbed(event, disturbed, seen)
        case dispute.DisputeRaised() | dispute.DirectorCalled():
            return (state if state.is_disputed else replace(state, is_disputed=True)), NOTHING
        case dispute.RulingMade(answers=answers):
            ruled = _ruled(state, seen) if answers and state.appeals else state
            return (replace(ruled, is_disputed=False) if ruled.is_disputed else ruled), NOTHING
        case _:
            return state, NOTHING


def _convened(
    state: Appeals, event: RecordedEvent, convened: appeal.CommitteeConvened, seen: Seen
) -> Result:
    """A committee is named: asked about its size, and about who may not sit on it."""
    was = appeal_of(state, convened.appeal)
    now = Appeal(
        was.entry_id,
        was.version,
        was.seat,
        was.is_admitted,
        convened.size,
        members=tuple(member.member for member in convened.members),
        against=was.against,
        asked=was.asked,
        partial=tuple(one.member for one in convened.members if one.independent is False),
        # Members who are shown the players' names from the start count as having learned them.
        learned=(_NAMES,) if convened.anonymised is False else (),
    )
    state, findings = _asked_about_committee(state, event, was, now, seen)
    lost = cast_before(was, event, seen)
    return state, (*lost, *findings, *_partial(event, now, seen))


def _recused(was: Appeal, member: str) -> Appeal:
    """The appeal without one member of its committee, and without that member's ballot."""
    return replace(
        was,
        size=max(0, was.size - 1),
        members=tuple(name for name in was.members if name != member),
        ballots=_without(was.ballots, member),
        sealed=_without(was.sealed, member),
        partial=tuple(name for name in was.partial if name != member),
    )


def _disturbed(
    event: RecordedEvent, disturbed: dispute.TableDisturbed, seen: Seen
) -> tuple[Finding, ...]:
    """The consequence if a player touched dice, checkers, cube or score during a dispute."""
    seat = disturbed.by.seat
    if seat is None and disturbed.by is not Actor.BOTH:
        return NOTHING
    answer = seen.rules.ask(DISPUTE_DISTURBED, Disturbed(by=seat, what=disturbed.what))
    what = worded(disturbed.what)
    if seat is None:
        message = said(
            "both players touched the {what}: {answer}", what=what, answer=answer_in_words(answer)
        )
        return (judged("table-disturbed", event, message, answer, DISPUTE_DISTURBED, seen.rules),)
    match answer.outcome:
        case subject.PRESUMPTION:
            message = said(
                "{seat} touched the {what}: what is in doubt is presumed for {other}",
                seat=seat,
                what=what,
                other=seat.other,
            )
        case subject.DISADVANTAGE:
            message = said(
                "{seat} touched the {what}: what is in doubt may be ruled against {seat}",
                seat=seat,
                what=what,
            )
        case _:
            message = said(
                "{seat} touched the {what}: {answer}",
                seat=seat,
                what=what,
                answer=answer_in_words(answer),
            )
    return (
        judged("table-disturbed", event, message, answer, DISPUTE_DISTURBED, seen.rules, seat=seat),
    )


_Kept = TypeVar("_Kept")


def _without(ballots: Mapping[str, _Kept], member: str) -> Mapping[str, _Kept]:
    return MappingProxyType({name: vote for name, vote in ballots.items() if name != member})


def _partial(event: RecordedEvent, about: Appeal, seen: Seen) -> tuple[Finding, ...]:
    """Members who are marked as not independent, where a text asks for disinterested ones.

    usbgf-2017-07 [5], biba-2014 6.3 and fcbg CONT/T(c) do; whom to replace the Director says.
    """
    if not about.partial or not has_committee(seen.rules):
        return NOTHING
    answer = seen.rules.ask(APPEAL_COMMITTEE, Committee(size=THREE))
    message = said(
        "{count} {count:member|members} of the committee {count:is|are} marked as not independent: "
        "{members}",
        members=listed([Said(member) for member in about.partial]),
        count=len(about.partial),
    )
    cite = (seen.rules.profile.id, answer.section)
    return (found("member-not-independent", event, message, cite=cite, seat=about.seat),)


def _asked_about_committee(
    state: Appeals, event: RecordedEvent, was: Appeal, now: Appeal, seen: Seen
) -> Result:
    if was.entry_id is not None and was.is_admitted is None and _is_pending(was):
        # Whether there is an appeal at all is open: its committee is no second question.
        return with_appeal(state, was, replace(now, answer=was.answer)), NOTHING
    facts = Committee(size=now.size, learned=now.learned)
    answer = seen.rules.ask(APPEAL_COMMITTEE, facts)
    is_convened = isinstance(event.payload, appeal.CommitteeConvened)
    if not is_convened and is_asked(was, APPEAL_COMMITTEE, answer):
        # Asked already, or ruled: one member less, or one more word, asks nothing new.
        return with_appeal(state, was, replace(now, asked=was.asked, answer=was.answer)), NOTHING
    if is_convened:
        # Questions about a committee that has been replaced are no longer open.
        kept = {topic: one for topic, one in now.asked.items() if topic not in OF_A_COMMITTEE}
        now = replace(now, asked=MappingProxyType(kept))
    now = asking(replace(now, answer=answer), APPEAL_COMMITTEE, event, answer)
    if not answer.is_open:
        return with_appeal(state, was, now), NOTHING
    message = said(
        "the committee has {size} {size:member|members};"
        " whether it may decide the appeal is for the Director to say",
        size=now.size,
    )
    is_of_size = seen.rules.ask(APPEAL_COMMITTEE, Committee(size=now.size)).is_open
    if now.learned and not is_of_size:
        learned = listed([worded(one) for one in now.learned])
        message = said(
            "the committee of {size} has learned what was to be kept from it ({learned});"
            " whether it may go on is for the Director to say",
            size=now.size,
            learned=learned,
        )
    finding = judged(
        "appeal-committee", event, message, answer, APPEAL_COMMITTEE, seen.rules, seat=now.seat
    )
    return with_appeal(state, was, now), (finding,)


_NAMES = "player_names"
"""The word for a committee that knows who plays."""


def _is_pending(about: Appeal) -> bool:
    """Whether it waits for a ruling on its admission."""
    asked = about.asked.get(APPEAL_ADMISSIBILITY)
    return asked is not None and asked.answer.is_open


def _ruled(state: Appeals, seen: Seen) -> Appeals:
    """Every appeal follows the reading of a ruling on its question, which is not asked again."""
    appeals = tuple(_by_ruling(known, seen) for known in state.appeals)
    if all(new is known for new, known in zip(appeals, state.appeals, strict=True)):
        return state
    latest = state.answer
    for new, known in zip(appeals, state.appeals, strict=True):
        if latest is known.answer:
            latest = new.answer
    return replace(state, answer=latest, appeals=appeals)


def _by_ruling(known: Appeal, seen: Seen) -> Appeal:
    for topic, asked in known.asked.items():
        now = asked.ruled(seen)
        if now is asked:
            continue
        answer = now.answer if known.answer == asked.answer else known.answer
        known = replace(known, asked=MappingProxyType({**known.asked, topic: now}), answer=answer)
        known = _FOLLOWED[topic](known, now.answer, seen)
    return known


def _admitted(known: Appeal, answer: Answer, seen: Seen) -> Appeal:
    assert known.against is not None
    return replace(known, is_admitted=admits(answer.outcome, known.against, seen.rules))


def _committee(known: Appeal, answer: Answer, seen: Seen) -> Appeal:
    return replace(known, may_decide=may_decide(answer.outcome))


def _outcome(known: Appeal, answer: Answer, seen: Seen) -> Appeal:
    return replace(known, follows=after_ruling(answer.outcome, answer, poll_of(known), seen.rules))


_FOLLOWED = {
    APPEAL_ADMISSIBILITY: _admitted,
    APPEAL_COMMITTEE: _committee,
    APPEAL_OUTCOME: _outcome,
}
"""Topic to what an appeal becomes once a ruling has answered it."""


_HEARS: tuple[type[Payload], ...] = (
    appeal.AppealFiled,
    appeal.AppealRefused,
    appeal.CommitteeConvened,
    appeal.CommitteeMemberRecused,
    appeal.CommitteeLeakNoted,
    appeal.AppealIssued,
    appeal.VoteCast,
    appeal.VoteSealed,
    appeal.VoteOpened,
    appeal.VoteDirectorCast,
    appeal.VoteDirectorDeclined,
    appeal.AppealDecided,
    dispute.DisputeRaised,
    dispute.DirectorCalled,
    dispute.TableDisturbed,
    dispute.RulingMade,
)


FOLD = Fold(Appeals, *(on(kind, evolve) for kind in _HEARS))
"""The fold of appeals."""
