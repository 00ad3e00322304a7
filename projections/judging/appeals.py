"""Appeals: admissible or not, ballots against the threshold of the rule set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import appeal, cube, dice, dispute, ending, match, penalty, play
from events.payloads.base import Payload
from events.values import Seat
from projections.folding.findings import Finding, Severity, found, judged
from projections.folding.fold import NOTHING, Fold, Seen
from projections.folding.questions import Asked, is_same_question
from projections.folding.sayings import Said, listed, said, term, worded
from projections.rules.answers import Answer
from projections.rules.profile import Rules
from projections.rules.subjects.appeals import (
    ADMISSIBLE,
    CHANGED,
    DISQUALIFICATION,
    HAS_NO_VOTE,
    OTHER,
    SLOW_PLAY,
    STANDS,
    UPHOLD,
    Appealed,
    Ballot,
    Committee,
    Poll,
    admits,
    after_ruling,
    may_decide,
)

Result = tuple["Appeals", tuple[Finding, ...]]

ADMISSIBILITY = "appeal.admissibility"
"""Topic: whether there may be an appeal."""
COMMITTEE = "appeal.committee"
"""Topic: whether the committee may decide."""
OUTCOME = "appeal.outcome"
"""Topic: what the ballots make of the ruling."""


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
    """What the committee came to know."""
    ballots: Mapping[str, Ballot] = MappingProxyType({})
    """Member to ballot."""
    director: Ballot | None = None
    """The Director's ballot."""
    has_declined: bool = False
    """Whether the Director has said that he will not vote."""
    is_closed: bool = False
    """Whether the Director has voted, declined, or announced the outcome."""
    is_refused: bool = False
    """Whether it was refused."""
    announced: appeal.AppealOutcome | None = None
    """What the Director announced; None = nothing yet."""
    against: Appealed | None = None
    """What it is against, as the rule set was asked; None = not recorded."""
    answer: Answer | None = None
    """What the rule set says to it now."""
    asked: Mapping[str, Asked] = MappingProxyType({})
    """Topic to the last question about it, ruled ones included."""
    may_decide: bool | None = None
    """Whether a ruling let the committee decide; None = none was needed, or none was made."""
    follows: Answer | None = None
    """What the ballots make of it by a ruling; None while there is none."""

    @property
    def is_polled(self) -> bool:
        """Whether there is a ballot of every member, or the poll is closed with some."""
        voted = len(self.ballots)
        return bool(voted) and (self.is_closed or voted >= self.size)

    @property
    def result(self) -> Answer | None:
        """What the ballots make of the ruling; None while that is open, or where they cannot."""
        is_open = any(asked.answer.is_open for asked in self.asked.values())
        if is_open or self.is_admitted is False or self.may_decide is False or not self.is_polled:
            return None
        answer = self.follows or self.answer
        return answer if answer is not None and answer.outcome in (STANDS, CHANGED) else None


class Appeals(msgspec.Struct, frozen=True):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    appeals: tuple[Appeal, ...] = ()
    """Every appeal of the match, in the order in which they were filed."""


def evolve(state: Appeals, event: RecordedEvent, seen: Seen) -> Result:
    """The judgements after one event, and a note where the ballots have settled an appeal."""
    new, findings = _heard(state, event, seen)
    if new is state:
        return state, findings
    return new, (*_settled(state, new, event, seen), *findings)


def _heard(state: Appeals, event: RecordedEvent, seen: Seen) -> Result:
    match event.payload:
        case appeal.AppealFiled() as filed:
            return _filed(state, event, filed, seen)
        case appeal.AppealRefused(appeal=named):
            return _refused(state, event, named, seen)
        case appeal.CommitteeConvened(appeal=named) as convened:
            was = _found_by(state, named)
            members = tuple(member.member for member in convened.members)
            now = Appeal(
                was.entry_id,
                was.version,
                was.seat,
                was.is_admitted,
                convened.size,
                members,
                against=was.against,
                asked=was.asked,
            )
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
            # Before any ballot it says only that the committee's will be all.
            is_closed = was.is_closed or (bool(was.ballots) and _may_vote(was, seen))
            now = replace(was, has_declined=True, is_closed=is_closed)
            return _polled(state, event, was, now, seen)
        case appeal.AppealDecided(appeal=named) as decided:
            return _decided(state, event, _found_by(state, named), decided, seen)
        case dispute.RulingMade(answers=answers) if answers and state.appeals:
            return _ruled(state, seen), NOTHING
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
    has_played_on = any(
        isinstance(later.event.payload, _PLAYED) for later in seen.steps_since(filed.target)
    )
    facts = Appealed(against=_against(step), has_played_on=has_played_on)
    answer = seen.rules.ask(ADMISSIBILITY, facts)
    admitted = None if answer.is_open else answer.outcome == ADMISSIBLE
    now = Appeal(event.entry_id, event.version, filed.seat, admitted, against=facts, answer=answer)
    now = _asking(now, ADMISSIBILITY, event, answer)
    findings: tuple[Finding, ...] = ()
    if step is None:
        message = said(
            "an appeal names entry {entry}, and this match holds none", entry=filed.target
        )
        cite = (seen.rules.profile.id, answer.section)
        findings = (found("reference-unknown", event, message, cite=cite, seat=filed.seat),)
    if admitted is not True:
        message = said("{seat} appeals: {answer}", seat=filed.seat, answer=_said(answer))
        findings += (
            judged(
                "appeal-admissibility",
                event,
                message,
                answer,
                ADMISSIBILITY,
                seen.rules,
                seat=now.seat,
            ),
        )
    return _put(state, now, now), findings


_PLAYED = (
    dice.Rolled,
    dice.OpeningRolled,
    dice.RolledEarly,
    play.PlayMade,
    play.PlayUnseen,
    cube.DoubleOffered,
    match.GameStarted,
    match.ResultPosted,
    match.MatchNextStarted,
)
"""What shows that play, or the tournament, went on; what a ruling itself brings about does not."""


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
    if was.answer is None:
        return state, NOTHING
    state = _put(state, was, replace(was, is_refused=True))
    if was.is_admitted is not True:
        return state, NOTHING
    message = said("an appeal is refused that the rules admit")
    cite = (seen.rules.profile.id, was.answer.section)
    return state, (found("appeal-refused", event, message, cite=cite, seat=was.seat),)


def _asked_about_committee(
    state: Appeals, event: RecordedEvent, was: Appeal, now: Appeal, seen: Seen
) -> Result:
    if was.entry_id is not None and was.is_admitted is None and _is_pending(was):
        # Whether there is an appeal at all is open: its committee is no second question.
        return _put(state, was, replace(now, answer=was.answer)), NOTHING
    facts = Committee(size=now.size, learned=now.learned)
    answer = seen.rules.ask(COMMITTEE, facts)
    is_convened = isinstance(event.payload, appeal.CommitteeConvened)
    if not is_convened and _is_asked(was, COMMITTEE, answer):
        # Asked already, or ruled: one member less, or one more word, asks nothing new.
        return _put(state, was, replace(now, asked=was.asked, answer=was.answer)), NOTHING
    now = _asking(replace(now, answer=answer), COMMITTEE, event, answer)
    if not answer.is_open:
        return _put(state, was, now), NOTHING
    message = said("a committee of {size}", size=now.size)
    if now.learned:
        learned = listed([term(one) for one in now.learned])
        message = said(
            "a committee of {size} that learned {learned}", size=now.size, learned=learned
        )
    finding = judged(
        "appeal-committee", event, message, answer, COMMITTEE, seen.rules, seat=now.seat
    )
    return _put(state, was, now), (finding,)


def _asking(about: Appeal, topic: str, event: RecordedEvent, answer: Answer) -> Appeal:
    """The appeal with a question that stays open until it is ruled."""
    if not answer.is_open:
        return about
    asked = {**about.asked, topic: Asked(topic, event.entry_id, answer, about.seat)}
    return replace(about, asked=MappingProxyType(asked))


def _is_pending(about: Appeal) -> bool:
    """Whether it waits for a ruling on its admission."""
    asked = about.asked.get(ADMISSIBILITY)
    return asked is not None and asked.answer.is_open


def _is_asked(about: Appeal, topic: str, answer: Answer) -> bool:
    asked = about.asked.get(topic)
    return asked is not None and is_same_question(asked.answer, answer)


def _voted(
    state: Appeals, event: RecordedEvent, was: Appeal, cast: appeal.VoteCast, seen: Seen
) -> Result:
    """A member's ballot; one that cannot count is found and left out."""
    why = None
    if was.is_closed:
        why = said("after the Director's")
        if was.announced:
            why = said("after the outcome was announced")
    elif cast.member in was.ballots:
        why = said("and has voted already")
    elif was.members and cast.member not in was.members:
        why = said("and is not of the committee")
    if why is not None:
        message = said(
            "{member} votes {why}: the ballot is not counted", member=cast.member, why=why
        )
        cite = (seen.rules.profile.id, seen.rules.ask("appeal.director", _poll(was)).section)
        return state, (found("ballot-not-counted", event, message, cite=cite),)
    ballots = {**was.ballots, cast.member: Ballot(cast.vote.value, cast.proposal)}
    is_closed = was.has_declined and len(ballots) >= was.size
    now = replace(was, ballots=MappingProxyType(ballots), is_closed=is_closed)
    return _polled(state, event, was, now, seen)


def _director_voted(
    state: Appeals, event: RecordedEvent, was: Appeal, cast: appeal.VoteDirectorCast, seen: Seen
) -> Result:
    ballot = Ballot(cast.vote.value, cast.proposal)
    now = replace(was, director=ballot, is_closed=True)
    if _may_vote(now, seen):
        return _polled(state, event, was, now, seen)
    message = said("the Director votes on an appeal, and has no vote: the ballot is not counted")
    cite = (seen.rules.profile.id, seen.rules.ask("appeal.director", _poll(now)).section)
    return state, (found("ballot-not-counted", event, message, cite=cite),)


def _may_vote(about: Appeal, seen: Seen) -> bool:
    """Whether the Director's vote, or his declining to cast one, closes the poll."""
    answer: Answer = seen.rules.ask("appeal.director", _poll(about))
    return answer.outcome != HAS_NO_VOTE


def _poll(known: Appeal) -> Poll:
    return Poll(
        size=known.size,
        ballots=tuple(known.ballots.values()),
        director=known.director,
        is_closed=known.is_closed,
        is_as_ruled=known.may_decide is True,
    )


def _polled(state: Appeals, event: RecordedEvent, was: Appeal, now: Appeal, seen: Seen) -> Result:
    if not now.is_polled or now.may_decide is False:
        return _put(state, was, now), NOTHING
    facts = _poll(now)
    answer = seen.rules.ask(OUTCOME, facts)
    if _is_asked(was, OUTCOME, answer):
        # Asked already, or ruled.
        return _put(state, was, replace(now, answer=was.asked[OUTCOME].answer)), NOTHING
    now = _asking(replace(now, answer=answer, follows=None), OUTCOME, event, answer)
    if not answer.is_open:
        return _put(state, was, now), NOTHING
    message = said(
        "{cast} of {size} {size:member|members} voted: {answer}",
        cast=len(facts.cast),
        size=now.size,
        answer=_said(answer),
    )
    return _put(state, was, now), (
        judged("appeal-outcome", event, message, answer, OUTCOME, seen.rules, seat=now.seat),
    )


def _decided(
    state: Appeals,
    event: RecordedEvent,
    was: Appeal,
    decided: appeal.AppealDecided,
    seen: Seen,
) -> Result:
    """The outcome as announced, compared with what the ballots make it."""
    closed = replace(was, is_closed=True, announced=decided.outcome)
    state, findings = _polled(state, event, was, closed, seen)
    findings += _reversed(closed, event, seen)
    now = _found_by(state, was.entry_id)
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
        "the outcome is announced as {outcome}; the ballots make it {made}",
        outcome=Said(decided.outcome.value),
        made=Said(made),
    )
    return state, (
        *findings,
        judged("appeal-differs", event, message, answer, OUTCOME, seen.rules, seat=now.seat),
    )


_ANNOUNCED = {
    appeal.AppealOutcome.UPHELD: "uphold",
    appeal.AppealOutcome.REVERSED: "reverse",
    appeal.AppealOutcome.MODIFIED: "modify",
}


_RESULTS = {STANDS: UPHOLD, CHANGED: CHANGED}
"""What an outcome is announced as; a change that is not named may be either kind of change."""


def _reversed(about: Appeal, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    """What still hangs on a ruling or a penalty that was reversed or modified on appeal."""
    filed = None if about.entry_id is None else seen.step_of(about.entry_id)
    step = None if filed is None else seen.step_of(filed.event.payload.target)
    outcome = about.announced
    if step is None or outcome is None or outcome is appeal.AppealOutcome.UPHELD:
        return NOTHING
    version, became = step.event.version, Said(outcome.value)
    match step.event.payload:
        case dispute.RulingMade(answers=answers) if answers:
            message = said(
                "the ruling at entry {entry} is {outcome}: {topics} is open again, and what "
                "followed from its answer stands until another ruling is made",
                entry=version,
                outcome=became,
                topics=listed([term(answer.question.topic) for answer in answers]),
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
        case _:
            return NOTHING
    section = seen.rules.ask(OUTCOME, _poll(about)).section
    cite = (seen.rules.profile.id, section)
    return (found("ruling-reversed", event, message, cite=cite, severity=Severity.NOTE),)


def _settled(state: Appeals, new: Appeals, event: RecordedEvent, seen: Seen) -> Iterator[Finding]:
    """A note for every appeal that the ballots have settled, or settled otherwise than before."""
    for place, now in enumerate(new.appeals):
        was = state.appeals[place].result if place < len(state.appeals) else None
        answer = now.result
        if answer is None or answer == was:
            continue
        cast = len(_poll(now).cast)
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
            OUTCOME,
            seen.rules,
            seat=now.seat,
            severity=Severity.NOTE,
        )


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


def _ruled(state: Appeals, seen: Seen) -> Appeals:
    """What a ruling answered: every appeal goes on from the reading, and is not asked again."""
    appeals = tuple(_by_ruling(known, seen) for known in state.appeals)
    if all(new is known for new, known in zip(appeals, state.appeals, strict=True)):
        return state
    latest = state.answer
    for new, known in zip(appeals, state.appeals, strict=True):
        if latest is known.answer:
            latest = new.answer
    return Appeals(latest, appeals)


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
    return replace(known, follows=after_ruling(answer.outcome, answer, _poll(known), seen.rules))


_FOLLOWED = {
    ADMISSIBILITY: _admitted,
    COMMITTEE: _committee,
    OUTCOME: _outcome,
}
"""Topic to what an appeal becomes once a ruling has answered it."""


def _said(answer: Answer) -> Said:
    return said("a person has to rule") if answer.is_open else worded(answer.outcome)


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
    dispute.RulingMade,
)


def initial(rules: Rules) -> Appeals:
    """Nothing judged."""
    return Appeals()


FOLD: Fold[Appeals] = Fold("appeals", _HEARS, initial, evolve)
"""The fold of appeals."""
