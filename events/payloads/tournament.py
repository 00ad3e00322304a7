"""The tournament's own stream: its opening, rules, defaults, players, byes and end."""

from __future__ import annotations

from events.payloads.base import Actor, Key, Option, Part, Payload, Personal, RuleSetId, StreamId
from events.payloads.match import ClockTerms, Publication
from events.values import Count, EntryId, MatchLength, Sha256, Text, Word


class Continuation(Part, frozen=True, kw_only=True):
    """The log that this one continues, because its backup was older than its last checkpoint."""

    log: StreamId
    """Id of the old log."""
    size: Count
    """Number of entries in the old log's last known checkpoint."""
    root: Sha256
    """Root hash of that checkpoint."""


class TournamentOpened(Payload, frozen=True, kw_only=True):
    """A tournament or club night begins; this is the first entry of its log."""

    title: Text
    """What it is called."""
    organiser: Personal = None
    """Who runs it."""
    place: Personal = None
    """Where it is held."""
    starts_on: Personal = None
    """First day, as an ISO 8601 date."""
    log_key: Text | None = None
    """Verifier key of the log (C2SP signed note); None = the log is not signed yet."""
    continues: Continuation | None = None
    """The log that this one continues and replaces."""


class TournamentDescribed(Payload, frozen=True, kw_only=True):
    """The tournament's description from now on; members left out here are no longer stated."""

    title: Text
    """What it is called."""
    organiser: Personal = None
    """Who runs it."""
    place: Personal = None
    """Where it is held."""
    starts_on: Personal = None
    """First day, as an ISO 8601 date."""
    ends_on: Personal = None
    """Last day, as an ISO 8601 date."""
    reason: Personal = None
    """Why the description is changed."""


class TournamentDefaultsDeclared(Payload, frozen=True, kw_only=True):
    """All defaults for matches opened from now on; matches opened earlier do not change."""

    length: MatchLength | None = None
    """Points needed to win; None = set for each match."""
    clock_terms: ClockTerms | None = None
    """How clocks are to be set; None = no clock."""
    publication: Publication | None = None
    """The terms on which matches may be shown; None = not stated, so not public."""
    declared_by: Actor = Actor.DIRECTOR
    """Who declared them."""
    reason: Personal = None
    """Why the defaults are changed."""


class TournamentRulesDeclared(Payload, frozen=True, kw_only=True):
    """The rule set in force and its options, as posted."""

    rule_set: RuleSetId
    """Id of the rule set, with its edition."""
    options: dict[Key, Option] = {}
    """Rule options by key, each with its value and where it was posted."""
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
    """A player enters the tournament; the latest entry with the same `player` holds."""

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
    """Rating, with its rating system."""
    division: Personal = None
    """Division entered."""


class PlayerUnregistered(Payload, frozen=True, kw_only=True):
    """A player was registered by mistake; another `player.registered` for him restores him."""

    player: Word
    """Id of `player.registered`."""
    reason: Personal = None
    """Why."""


class Called(Part, frozen=True, kw_only=True):
    """A player's name as it is spelled in matches."""

    name: Personal = None
    """The whole name."""


class PlayerJoined(Payload, frozen=True, kw_only=True):
    """Several names in matches belong to one player; recorded in the log `archive`."""

    names: tuple[Called, ...]
    """The names; the first one is the name that the player is listed by."""
    reason: Personal = None
    """How this is known."""


class PlayerSplit(Payload, frozen=True, kw_only=True):
    """Names that were joined belong to different players after all."""

    target: EntryId
    """The `player.joined`."""
    reason: Personal = None
    """How this is known."""


class ByeGiven(Payload, frozen=True, kw_only=True):
    """A player has no opponent in a round, and plays no match in it."""

    players: tuple[Word, ...]
    """Ids from `player.registered`; two ids for a team in consultation doubles."""
    round: Personal = None
    """Round, as written."""


class ByeWithdrawn(Payload, frozen=True, kw_only=True):
    """A bye was given by mistake, or an opponent was found."""

    target: EntryId
    """The `bye.given`."""
    reason: Personal = None
    """Why."""


class TournamentClosed(Payload, frozen=True, kw_only=True):
    """The tournament is over; no more entries are expected in its log."""

    reason: Text | None = None
    """Why, if it closed early."""


class TournamentReopened(Payload, frozen=True, kw_only=True):
    """The tournament goes on, because it was closed too early or by mistake."""

    reason: Text | None = None
    """Why."""
