"""The tournament's own stream: its opening, the rules it declares, its players, its end."""

from __future__ import annotations

from events.payloads.base import Actor, Key, Option, Part, Payload, Personal, RuleSetId, StreamId
from events.values import Count, Sha256, Text, Word


class Continuation(Part, frozen=True, kw_only=True):
    """The log that this one goes on from, after a backup older than its last checkpoint."""

    log: StreamId
    """Id of the old log."""
    size: Count
    """Entries of the old log's last known checkpoint."""
    root: Sha256
    """Root of that checkpoint."""


class TournamentOpened(Payload, frozen=True, kw_only=True):
    """A tournament or club night begins; the first entry of its log."""

    title: Text
    """What it is called."""
    organiser: Personal = None
    """Who runs it."""
    place: Personal = None
    """Where it is held."""
    starts_on: Personal = None
    """First day, as an ISO 8601 date."""
    log_key: Text | None = None
    """Verifier key of the log (C2SP signed note), once it signs."""
    continues: Continuation | None = None
    """The log that this one replaces."""


class TournamentRulesDeclared(Payload, frozen=True, kw_only=True):
    """The rule set in force and its options, as posted."""

    rule_set: RuleSetId
    """Id of the rule set, edition included."""
    options: dict[Key, Option] = {}
    """Option key to value and posting."""
    declared_by: Actor = Actor.DIRECTOR
    """Who declared them."""
    posted: Text | None = None
    """Where and when they were posted."""


class TournamentRulesVaried(Payload, frozen=True, kw_only=True):
    """Some options changed while the tournament runs."""

    options: dict[Key, Option]
    """The options that change."""
    declared_by: Actor = Actor.DIRECTOR
    """Who varied them."""
    posted: Text | None = None
    """Where and when the change was posted."""
    reason: Text | None = None
    """Why."""


class PlayerRegistered(Payload, frozen=True, kw_only=True):
    """Somebody enters the tournament."""

    player: Word
    """Opaque id within the log."""
    name: Personal = None
    """The player's name."""
    federation_id: Personal = None
    """Number in a federation's list."""
    club: Personal = None
    """The player's club."""
    country: Personal = None
    """The player's country."""
    rating: Personal = None
    """Rating, with its system."""
    division: Personal = None
    """Division entered."""


class TournamentClosed(Payload, frozen=True, kw_only=True):
    """The tournament is over; nothing more is expected in its log."""

    reason: Text | None = None
    """Why, if it closed early."""
