"""What needs the director: which open questions are alarms, which are notes, which were left.

This only says who has to look at an open question, and closes none. The rule in short
(projections/README.md explains it):

* left: the director left it to rest, under the rule set that the match is played by;
* note: both players settled it, or played on, or it is of a kind that somebody has to object to;
  and no call or dispute since then still waits for a ruling;
* note: the dispute about it was ruled on, or the appeal that it belongs to is over, so the result
  is known even if the text leaves open how it came about;
* alarm: everything else.
"""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from events.payloads import appeal, cube, dice, dispute, ending, match, play
from events.payloads.base import Payload
from projections.folding.findings import Finding, Key
from projections.folding.questions import key_of
from projections.states import Replay, Step


class Attention(enum.StrEnum):
    """Whether a question needs the director."""

    ALARM = "alarm"
    """It waits for the director."""
    NOTE = "note"
    """Nobody waits: the players have settled it, or nobody objects."""
    LEFT = "left"
    """The director left it to rest."""
    ANSWERED = "answered"
    """A ruling answers it."""


class Asked(msgspec.Struct, frozen=True):
    """A question, and whether it needs the director."""

    finding: Finding
    """The finding that asks."""
    attention: Attention
    """Whether it needs the director."""
    left: Step | None = None
    """The `question.left` that left it to rest."""


def asked(shown: Replay) -> list[Asked]:
    """Every question of a match, in order of version."""
    questions = [finding for finding in shown.findings if finding.ruling_required is not None]
    if not questions:
        return []
    match_asked = _Match(shown)
    return [_judged(finding, match_asked) for finding in questions]


def alarms(shown: Replay) -> list[Finding]:
    """The open questions that need the director."""
    return [one.finding for one in asked(shown) if one.attention is Attention.ALARM]


class _Match:
    """What the questions of one match are compared with, looked up once for all of them."""

    def __init__(self, shown: Replay) -> None:
        self.shown = shown
        self.left = _left(shown)
        self.stirring = shown.steps_passing(_stirs)
        self.rulings = shown.steps_passing(_is_ruling)
        self.going_on = shown.steps_passing(_goes_on)

    @cached_property
    def appeals(self) -> dict[str, str | None]:
        """Of each entry the appeal that it is about."""
        return _appeals_named(self.shown)


def _stirs(step: Step) -> bool:
    about = dispute.DirectorCalled | dispute.DisputeRaised | match.GameStarted
    return isinstance(step.event.payload, about)


def _goes_on(step: Step) -> bool:
    return isinstance(step.event.payload, _GOING_ON)


def _is_ruling(step: Step) -> bool:
    return isinstance(step.event.payload, dispute.RulingMade)


def _is_left(step: Step) -> bool:
    return isinstance(step.event.payload, dispute.QuestionLeft)


def _ends_an_appeal(step: Step) -> bool:
    ends = appeal.AppealDecided | appeal.AppealRefused | appeal.CommitteeConvened
    return isinstance(step.event.payload, ends)


def _version(step: Step) -> int:
    return step.event.version


def _since(version: int, steps: Sequence[Step]) -> Sequence[Step]:
    """Those from a version on."""
    return steps[bisect_left(steps, version, key=_version) :]


def _judged(finding: Finding, within: _Match) -> Asked:
    if finding.answered_by is not None:
        return Asked(finding, Attention.ANSWERED)
    assert finding.key is not None
    resting = within.left.get(finding.key)
    if resting is not None:
        return Asked(finding, Attention.LEFT, resting)
    is_note = (_is_settled(finding, within) or _is_ruled_on(finding, within)) and not _is_raised(
        finding, within
    )
    return Asked(finding, Attention.NOTE if is_note else Attention.ALARM)


def _left(shown: Replay) -> dict[Key, Step]:
    """Questions left to rest, only under the pinned rule set: another one asks its own."""
    opened = shown.opened
    pinned = None if opened is None else opened.rule_set
    if shown.asked[1] and shown.asked[0] != pinned:
        return {}
    left: dict[Key, Step] = {}
    for step in shown.steps_passing(_is_left):
        assert isinstance(step.event.payload, dispute.QuestionLeft)
        left[key_of(step.event.payload.question)] = step
    return left


def _is_settled(finding: Finding, within: _Match) -> bool:
    """Whether both players have settled a question, by acting or by not objecting."""
    assert finding.ruling_required is not None
    steps = within.shown.steps
    index = bisect_left(steps, finding.version, key=_version)
    if index == len(steps) or steps[index].event.version != finding.version:
        return False
    step = steps[index]
    topic = finding.ruling_required.topic
    if topic in UNOBJECTED or (finding.code, topic) in PLAIN_ENDS:
        return True
    if finding.ruling_required.topic.startswith(APPEAL):
        is_of_a_committee = finding.ruling_required.topic in OF_A_COMMITTEE
        return _is_appeal_over(step, within, is_of_a_committee=is_of_a_committee)
    later = _since(finding.version + 1, within.going_on)
    return any(
        topic.startswith(one.noun)
        and isinstance(step.event.payload, one.at)
        and one.how(step, later)
        for one in SETTLED
    )


def _is_appeal_over(asked_at: Step, within: _Match, *, is_of_a_committee: bool) -> bool:
    """Whether the appeal that an entry is about was decided or refused, by that entry or later.

    A question about a committee is also over once another committee replaces it.
    """
    about = within.appeals
    return any(
        about[step.event.entry_id] == about[asked_at.event.entry_id]
        and (
            not isinstance(step.event.payload, appeal.CommitteeConvened)
            or (is_of_a_committee and step is not asked_at)
        )
        for step in _since(asked_at.event.version, within.shown.steps_passing(_ends_an_appeal))
    )


def _appeals_named(shown: Replay) -> dict[str, str | None]:
    """Of each entry the appeal that it is about: the one that it names, else the last one."""
    named: dict[str, str | None] = {}
    last = None
    sealed: dict[str, str] = {}
    for step in shown.steps:
        payload = step.event.payload
        own: str | None = None
        match payload:
            case appeal.AppealFiled():
                last = step.event.entry_id
            case appeal.AppealIssued(target=target):
                own = target
            case appeal.VoteSealed(target=target):
                own = sealed[step.event.entry_id] = target
            case appeal.VoteOpened(target=target):
                own = sealed.get(target)
            case _ if isinstance(payload, _OF_AN_APPEAL):
                # A penalty has an `appeal` of another kind.
                own = payload.appeal
            case _:
                pass
        named[step.event.entry_id] = own or last
    return named


def _is_ruled_on(finding: Finding, within: _Match) -> bool:
    """Whether a dispute about it was ruled on in its game, even without naming the question."""
    return any(
        one.is_about and one.is_of_the_game and one.is_ruled_on for one in _raised(finding, within)
    )


def _is_raised(finding: Finding, within: _Match) -> bool:
    """Whether a call or a dispute about it waits for a ruling.

    Calls and disputes are about it if they name its entry or topic, or if they come before the next
    game begins. A question that depends on an appeal is for the committee, so calls about other
    matters do not count.
    """
    assert finding.ruling_required is not None
    is_appealed = finding.ruling_required.topic.startswith(APPEAL)
    return any(
        not one.is_ruled_on and (one.is_about or (one.is_of_the_game and not is_appealed))
        for one in _raised(finding, within)
    )


class Raised(NamedTuple):
    """A call or a dispute, as seen from a question that was asked before it."""

    is_about: bool
    """Whether it names the question's entry or topic."""
    is_of_the_game: bool
    """Whether no other game began in between."""
    is_ruled_on: bool
    """Whether a ruling has settled it, and still holds for the question."""


def _raised(finding: Finding, within: _Match) -> Iterator[Raised]:
    assert finding.ruling_required is not None
    topic = finding.ruling_required.topic
    is_of_the_game = True
    for step in _since(finding.version, within.stirring):
        match step.event.payload:
            case dispute.DirectorCalled(about=about):
                is_about = about == finding.entry_id
            case dispute.DisputeRaised(topic=named, frozen_at=frozen):
                is_about = named == topic or frozen == finding.entry_id
            case match.GameStarted():
                is_of_the_game = False
                continue
            case _:
                continue
        is_ruled_on = _has_ruling(step, _since(step.event.version + 1, within.rulings), finding)
        yield Raised(is_about, is_of_the_game, is_ruled_on)


def _has_ruling(raised: Step, later: Sequence[Step], finding: Finding) -> bool:
    """Whether a ruling settled a call or a dispute, and left the question where it was.

    One that answered the question and no longer does (it was reversed on appeal) has to be made
    anew; a ruling that names no dispute settles all that are open (`freezing.py`), and no call.
    """
    settles = {raised.event.entry_id}
    if isinstance(raised.event.payload, dispute.DisputeRaised):
        settles.add("")
    for step in later:
        ruling = step.event.payload
        if not isinstance(ruling, dispute.RulingMade) or (ruling.dispute or "") not in settles:
            continue
        if finding.key not in [key_of(one.question) for one in ruling.answers]:
            return True
    return False


def _is_agreed_void(step: Step, later: Sequence[Step]) -> bool:
    """A throw called void to which the other side did not object."""
    voided = step.event.payload
    return isinstance(voided, dice.Voided) and voided.contested is False


def _is_played_on(step: Step, later: Sequence[Step]) -> bool:
    """A throw that was played, after which the opponent played on: both accepted it."""
    thrower = getattr(step.event.payload, "seat", None)
    for one in later:
        match one.event.payload:
            case dice.Rolled(seat=seat) | cube.DoubleOffered(seat=seat) if thrower is not None:
                if seat is not thrower:
                    return True
            case dice.Voided(target=target) if target == step.event.entry_id:
                return False
            case _:
                pass
    return False


def _is_gone_on(step: Step, later: Sequence[Step]) -> bool:
    """An act followed by a roll: both accepted it, and play went on."""
    return any(isinstance(one.event.payload, dice.Rolled) for one in later)


def _is_early_roll_answered(step: Step, later: Sequence[Step]) -> bool:
    """An early roll to which the player whose turn it was has given an answer."""
    for one in later:
        match one.event.payload:
            case dice.EarlyRollAnswered(target=target) if target in (None, step.event.entry_id):
                return True
            case dice.RolledEarly():
                return False
            case _:
                pass
    return False


_GOING_ON = (
    dice.Rolled | dice.RolledEarly | dice.EarlyRollAnswered | dice.Voided | cube.DoubleOffered
)
"""Payloads that show that the players went on or answered, for `SETTLED`."""


class Settled(NamedTuple):
    """What of a kind both players settle between them."""

    noun: str
    """Beginning of the topic."""
    at: type[Payload]
    """Type of the entry at which it was asked."""
    how: Callable[[Step, Sequence[Step]], bool] = lambda _step, _later: True
    """Whether they have, by that entry and those after it."""


SETTLED = (
    Settled("resignation.", ending.ResignationAccepted),
    Settled("resignation.", ending.ResignationRefused, _is_gone_on),
    Settled("dice.", dice.Voided, _is_agreed_void),
    Settled("dice.", dice.Rolled, _is_played_on),
    Settled("dice.", dice.OpeningRolled, _is_gone_on),
    Settled("dice.", dice.RolledEarly, _is_early_roll_answered),
    Settled("dice.", dice.EarlyRollAnswered, _is_gone_on),
    Settled("dice.", dice.Lifted, _is_gone_on),
    Settled("cube.", cube.CubeGestured, _is_gone_on),
    Settled("cube.", cube.CubeIntentStated, _is_gone_on),
    Settled("play.change", play.PlayRevised, _is_gone_on),
)
"""Kinds of questions that both players settle by acting or playing on, without the director."""

APPEAL = "appeal."
"""Beginning of the topics that a committee's work asks about."""

_OF_AN_APPEAL = (
    appeal.AppealRefused
    | appeal.CommitteeConvened
    | appeal.VoteCast
    | appeal.VoteDirectorCast
    | appeal.VoteDirectorDeclined
    | appeal.AppealDecided
)
"""What names the appeal that it is about."""

OF_A_COMMITTEE = frozenset({"appeal.committee", "appeal.outcome"})
"""Topics about the members of a committee, which end when another committee is called."""

PLAIN_ENDS = frozenset(
    ("ending-open", topic) for topic in ("game.value", "game.dropped", "match.end")
)
"""Code and topic of what is asked of every game under a text of which sentences alone are known:
both have played on as the general rules have it, and somebody has to object."""

UNOBJECTED = frozenset(
    {"clock.terms", "clock.stop", "penalties.breaks", "turn.end", "decision.report"}
)
"""Topics on which nobody waits as long as nobody objects: the match goes on as the table does."""
