"""Appeals: filed or refused, the committee, its ballots, the decision, its report."""

from __future__ import annotations

import enum

from events.payloads.base import (
    Actor,
    Part,
    Personal,
    RuleReference,
    RuleSetId,
    TableAct,
    Target,
)
from events.values import Count, EntryId, Seat, Sha256, Text, Word


class AppealOn(enum.StrEnum):
    """What an appeal contests."""

    FACT = "fact"
    """The facts as the director found them."""
    RULE = "rule"
    """How the rules were applied to the facts."""
    FACT_AND_RULE = "fact_and_rule"
    """Both."""


class AppealFiled(Target, frozen=True, kw_only=True):
    """A player appeals; `target` is the ruling or penalty appealed against."""

    seat: Seat
    """Who appeals."""
    ground: Personal = None
    """Why."""
    on: AppealOn | None = None
    """Whether facts or rules are contested; None = not stated."""


class AppealRefused(TableAct, frozen=True, kw_only=True):
    """The appeal is not admitted."""

    appeal: EntryId
    """The `appeal.filed`."""
    by: Actor = Actor.DIRECTOR
    """Who refused it."""
    rule: RuleReference | None = None
    """Under which rule."""
    reason: Personal = None
    """Why."""


class Member(Part, frozen=True, kw_only=True):
    """One member of a committee."""

    member: Word
    """Opaque id within the appeal."""
    name: Personal = None
    """The member's name."""
    independent: bool | None = None
    """Whether the member has no interest in the outcome."""


class CommitteeConvened(TableAct, frozen=True, kw_only=True):
    """A committee is called together."""

    size: Count
    """How many members."""
    members: tuple[Member, ...] = ()
    """Who they are."""
    appeal: EntryId | None = None
    """The appeal it hears; None = the last one."""
    anonymised: bool | None = None
    """Whether the players' names are kept from it."""


class CommitteeMemberRecused(TableAct, frozen=True, kw_only=True):
    """A member steps down."""

    member: Word
    """Who."""
    reason: Personal = None
    """Why."""


class CommitteeLeakNoted(TableAct, frozen=True, kw_only=True):
    """The committee learned something that was to be kept from it."""

    learned: tuple[Word, ...]
    """What it learned: player_names, initial_ruling or other."""
    detail: Personal = None
    """How."""


class PackIssued(TableAct, frozen=True, kw_only=True):
    """Evidence is handed out (custody)."""

    to: Personal = None
    """Who received it."""
    by: Actor | None = None
    """Who issued it."""
    profile: Word
    """full, public, or a committee profile."""
    through: EntryId | None = None
    """The last entry that the pack shows."""
    checkpoint_size: Count | None = None
    """Tree size of the checkpoint that the pack's proofs refer to."""
    bundle: Sha256 | None = None
    """Hash of the bundle."""


class Vote(enum.StrEnum):
    """A ballot."""

    UPHOLD = "uphold"
    REVERSE = "reverse"
    MODIFY = "modify"
    ABSTAIN = "abstain"


class VoteCast(TableAct, frozen=True, kw_only=True):
    """A member's ballot."""

    member: Word
    """Who votes."""
    vote: Vote
    """The ballot."""
    proposal: Word | None = None
    """Which modification, if it is one."""
    appeal: EntryId | None = None
    """The appeal; None = the last one."""


class AppealIssued(Target, frozen=True, kw_only=True):
    """A committee is given its case and may vote from now on; `target` is the appeal."""

    through: EntryId
    """The last entry that the committee is shown."""
    profile: RuleSetId
    """Rule set that decides what the committee is given."""
    hides_score: bool = False
    """Whether score and earlier games, which could tell who plays, are kept from the committee."""
    by: Actor = Actor.DIRECTOR
    """Who gave it."""


class VoteSealed(Target, frozen=True, kw_only=True):
    """A member's ballot, kept closed until all ballots are in; `target` is the appeal."""

    member: Word
    """Who votes."""
    grant: EntryId
    """The `access.seated` with which it was cast."""
    commitment: Sha256
    """SHA-256 of `[salt, "ballot", [vote, proposal]]`; the salt is 32 random bytes."""


class VoteOpened(Target, frozen=True, kw_only=True):
    """A ballot is opened once all ballots are in; `target` is the `vote.sealed`."""

    vote: Vote
    """The ballot."""
    proposal: Word | None = None
    """Which modification, if it is one."""
    salt: Sha256
    """The 32 random bytes of the ballot's commitment, in hex."""


class VoteDirectorCast(TableAct, frozen=True, kw_only=True):
    """The director's ballot, after the committee's."""

    vote: Vote
    """The ballot."""
    proposal: Word | None = None
    """Which modification, if it is one."""
    appeal: EntryId | None = None
    """The appeal; None = the last one."""


class VoteDirectorDeclined(TableAct, frozen=True, kw_only=True):
    """The director does not vote."""

    appeal: EntryId | None = None
    """The appeal; None = the last one."""


class AppealOutcome(enum.StrEnum):
    """What the committee did with the ruling."""

    UPHELD = "upheld"
    REVERSED = "reversed"
    MODIFIED = "modified"


class AppealDecided(TableAct, frozen=True, kw_only=True):
    """The outcome as announced: a claim that a fold compares with the ballots."""

    outcome: AppealOutcome
    """What the committee did with the ruling."""
    appeal: EntryId | None = None
    """The appeal; None = the last one."""
    votes_for: Count | None = None
    """Ballots for the outcome."""
    votes_cast: Count | None = None
    """Ballots in all."""
    threshold: Count | None = None
    """Ballots that were needed to change the ruling."""
    decision: Personal = None
    """The decision, in words."""


class DecisionReported(TableAct, frozen=True, kw_only=True):
    """The decision is reported to a federation."""

    to: Text
    """Which federation."""
    appeal: EntryId | None = None
    """The appeal; None = the last one, where no ruling is named."""
    ruling: EntryId | None = None
    """The `ruling.made` that is reported, if there was no appeal."""
    by: Actor | None = None
    """Who reports it."""
    description: Personal = None
    """What happened, in the words of the report."""
    reasons: Personal = None
    """The reasons for the decision, in the words of the report."""
    on: Personal = None
    """Day of the report, YYYY-MM-DD (`at_ms` counts from the match's start instead)."""
