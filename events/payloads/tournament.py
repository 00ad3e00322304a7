"""The tournament's own stream: its opening, the rules it declares, its players, its end."""

from __future__ import annotations

from events.payloads.base import Actor, Key, Option, Part, Payload, Personal, RuleSetId, StreamId
from events.payloads.match import ClockTerms, Publication
from events.values import Count, EntryId, MatchLength, Sha256, Text, Word


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


class TournamentDescribed(Payload, frozen=True, kw_only=True):
    """What the tournament is from here on, as a whole: what is left out is not said any more."""

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
    """Why it is described anew."""


class TournamentDefaultsDeclared(Payload, frozen=True, kw_only=True):
    """What matches are opened with from here on, as a whole; it changes none that is open."""

    length: MatchLength | None = None
    """Points needed to win; None = said match by match."""
    clock_terms: ClockTerms | None = None
    """How clocks are to be set; None = no clock."""
    publication: Publication | None = None
    """On which terms matches may be shown; None = nobody has said so: not public."""
    declared_by: Actor = Actor.DIRECTOR
    """Who declared them."""
    reason: Personal = None
    """Why they are declared anew."""


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
    """Somebody enters the tournament; of one `player`, the latest entry says who it is."""

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


class PlayerUnregistered(Payload, frozen=True, kw_only=True):
    """Somebody was registered by mistake; registering the same `player` once more restores it."""

    player: Word
    """Id of `player.registered`."""
    reason: Personal = None
    """Why."""


class Called(Part, frozen=True, kw_only=True):
    """A name as it is spelled in matches."""

    name: Personal = None
    """The whole name."""


class PlayerJoined(Payload, frozen=True, kw_only=True):
    """Names in matches are said to be one player's; stands in the archive's own log."""

    names: tuple[Called, ...]
    """The names, that by which the player is listed first."""
    reason: Personal = None
    """How that is known."""


class PlayerSplit(Payload, frozen=True, kw_only=True):
    """Names that were joined are those of different players after all."""

    target: EntryId
    """The `player.joined`."""
    reason: Personal = None
    """How that is known."""


class ByeGiven(Payload, frozen=True, kw_only=True):
    """Somebody has no opponent in a round, and plays no match in it."""

    players: tuple[Word, ...]
    """Ids of `player.registered`; two of a team in consultation doubles."""
    round: Personal = None
    """Round, as written."""


class ByeWithdrawn(Payload, frozen=True, kw_only=True):
    """A bye was given by mistake, or an opponent was found."""

    target: EntryId
    """The `bye.given`."""
    reason: Personal = None
    """Why."""


class TournamentClosed(Payload, frozen=True, kw_only=True):
    """The tournament is over; nothing more is expected in its log."""

    reason: Text | None = None
    """Why, if it closed early."""


class TournamentReopened(Payload, frozen=True, kw_only=True):
    """The tournament was closed too early, or by mistake: it goes on."""

    reason: Text | None = None
    """Why."""
