"""Endings: what a game counts, when it may end before the last checker, when the match is won."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.values import CHECKERS, Seat
from projections.rules.answers import NOT_IN_HAND, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules, Subject
from projections.rules.subjects import bounds
from projections.rules.subjects.bounds import Race

GAME_WON = "game_won"
NOT_ALLOWED = "not_allowed"
PLAY_ON = "play_on"
MATCH_WON = "match_won"
MATCH_CONTINUES = "match_continues"

_ENDS = (GAME_WON, "any_position", "likely")
_KEEPS = (NOT_ALLOWED, PLAY_ON, "non_contact", "certain")
ENDS_GAME = frozenset(_ENDS)
"""Readings by which a resignation or claim ends the game."""
KEEPS_GAME = frozenset(_KEEPS)
"""Readings by which it does not."""


def claim_reading(readings: tuple[str, ...], *, holds: bool) -> str:
    """The reading that somebody chooses who answers a claim, in the words of the question."""
    words = _ENDS if holds else _KEEPS
    return next((word for word in words if word in readings), words[0])


SINGLE, GAMMON, BACKGAMMON = "single", "gammon", "backgammon"


CERTAIN: Mapping[str, Callable[[Race], bool | None]] = MappingProxyType(
    {
        SINGLE: bounds.is_win_certain,
        GAMMON: bounds.is_gammon_certain,
        BACKGAMMON: bounds.is_backgammon_certain,
    }
)
"""Level to whether a race is won at it, whatever is rolled; None = the bounds do not meet."""

_RULED_OUT: Mapping[str, Callable[[Race], bool | None]] = MappingProxyType(
    {GAMMON: bounds.is_gammon_ruled_out, BACKGAMMON: bounds.is_backgammon_ruled_out}
)


def is_ruled_out(level: str, race: Race) -> bool:
    """Whether a race can no longer be won at that level, whatever is rolled."""
    return level in _RULED_OUT and _RULED_OUT[level](race) is True


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A game in which one player has no checker left on the board."""

    winner: Seat
    """Who has none left."""
    kind: str
    """Level by the board: what the loser has left."""
    points: int
    """Cube value times that level."""
    winners_checkers: int
    """Checkers that the winner had in the game."""
    losers_checkers: int
    """Checkers that the loser had in the game."""


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """A game that a refused double has ended."""

    winner: Seat
    """Who doubled."""
    points: int
    """The cube before the double."""
    score_after: Mapping[str, int]
    """Seat to points of the match."""


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """The match after a game."""

    winner: Seat
    """Who won the game."""
    points: int
    """What it was worth."""
    score_after: Mapping[str, int]
    """Seat to points of the match, not capped."""
    is_won: bool
    """Whether somebody has reached the length."""


class Conceded(msgspec.Struct, frozen=True, kw_only=True):
    """A resignation, and what the opponent said to it; or a claim that the opponent agreed to."""

    winner: Seat
    """Who is offered the game."""
    level: str
    """Level offered."""
    points: int
    """What that level is worth."""
    is_accepted: bool
    """Accepted, or refused."""
    is_turn_completed: bool
    """Whether whoever resigns had no roll in play."""
    race: Race
    """The board."""


class Claimed(msgspec.Struct, frozen=True, kw_only=True):
    """A claim to have won that the opponent does not agree to."""

    winner: Seat
    """Who claims."""
    level: str
    """Level claimed."""
    points: int
    """What that level is worth."""
    race: Race
    """The board."""


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """A wish to end a game or the match otherwise than by play."""

    kind: str
    """concede_match, cancel_and_replay_game or settle_game."""


# What a game counts.


class ValueText(msgspec.Struct, frozen=True, kw_only=True):
    """Where a text says what a game counts."""

    sections: Mapping[str, str]
    """Level to section."""
    short: str
    """Section on players who start without fifteen checkers."""
    bare: str
    """Section on a winner who has none left and never had fifteen."""
    short_flag: str | None = None
    """The ambiguity that is read for a loser without fifteen by the definition of a gammon."""
    is_backgammon_open: bool = False
    """Whether the text names the gammon alone for a loser without fifteen."""


def game_value(text: ValueText, facts: Finished, rules: Rules) -> Answer:
    """Single, gammon, backgammon, as the loser's checkers lie."""
    won = partial(settled, GAME_WON, winner=facts.winner, kind=facts.kind, points=facts.points)
    if facts.winners_checkers != CHECKERS:
        # AMB-E3: "all fifteen" of a player who started with fewer; read as: none is left.
        return replace(won(text.bare), flag="AMB-E3")
    if facts.losers_checkers == CHECKERS or facts.kind == SINGLE:
        return won(text.sections[facts.kind])
    if text.is_backgammon_open and (facts.kind == BACKGAMMON or facts.losers_checkers > CHECKERS):
        return ambiguous("AMB-S3", text.short, GAMMON, BACKGAMMON, at_least=GAMMON)
    by_definition = text.short_flag is not None
    section = text.sections[facts.kind] if by_definition else text.short
    return replace(won(section), flag=text.short_flag)


def not_over(section: str, facts: object, rules: Rules) -> Answer:
    """AMB-S3: fifteen are borne off, and one of more than fifteen is left on the board."""
    return ambiguous("AMB-S3", section, GAME_WON, PLAY_ON)


def dropped(section: str, facts: Dropped, rules: Rules) -> Answer:
    """A refused double ends the game at the value before it, and never as a gammon."""
    return settled(
        GAME_WON,
        section,
        winner=facts.winner,
        kind=SINGLE,
        points=facts.points,
        score_after=facts.score_after,
    )


def match_end(section: str, facts: Scored, rules: Rules) -> Answer:
    """The match is over when a score meets or exceeds its length."""
    if not facts.is_won:
        return settled(MATCH_CONTINUES, section, points=facts.points, score_after=facts.score_after)
    return settled(
        MATCH_WON,
        section,
        winner=facts.winner,
        points=facts.points,
        score_after=facts.score_after,
    )


# For texts of which only sentences are known, none of them about endings.


def value_unread(section: str, facts: Finished, rules: Rules) -> Answer:
    """Asked; with fifteen checkers a side it leans to what the general rules count (E-06)."""
    is_whole = facts.winners_checkers == facts.losers_checkers == CHECKERS
    lean = facts.kind if is_whole else None
    return left_open(NOT_IN_HAND, section, SINGLE, GAMMON, BACKGAMMON, lean=lean)


def match_end_unread(section: str, facts: Scored, rules: Rules) -> Answer:
    """Asked; it leans to what the length on record makes of the score (E-05)."""
    lean = MATCH_WON if facts.is_won else MATCH_CONTINUES
    return left_open(NOT_IN_HAND, section, MATCH_WON, MATCH_CONTINUES, lean=lean)


# Resignations, claims and wishes.


def as_offered(facts: Conceded | Claimed, section: str) -> Answer:
    """The game is over, at the level that was offered or claimed."""
    return settled(GAME_WON, section, winner=facts.winner, kind=facts.level, points=facts.points)


def mid_turn(facts: Conceded, section: str) -> Answer:
    """Nothing is said on a resignation in the middle of a turn; were it over, it would count."""
    lean = {"outcome": GAME_WON, **as_offered(facts, section).details}
    return left_open(SILENT, section, GAME_WON, NOT_ALLOWED, lean=lean)


def not_allowed(section: str, facts: object, rules: Rules) -> Answer:
    """The text does not let a game end so."""
    return settled(NOT_ALLOWED, section)


GAME_VALUE = Subject[Finished]("game.value")
"""What a game that was borne off counts."""
GAME_OVER = Subject[object]("game.over")
"""Whether a game is over with fifteen off and more left."""
GAME_DROPPED = Subject[Dropped]("game.dropped")
"""What a dropped double ends."""
MATCH_END = Subject[Scored]("match.end")
"""Whether a game ended the match."""
RESIGNATION_VALIDITY = Subject[Conceded]("resignation.validity")
"""Whether a game may end by a resignation."""
CLAIM_VALIDITY = Subject[Claimed]("claim.validity")
"""Whether a game may end by a claim."""
COMPLETION_WAIVER = Subject[Wish]("completion.waiver")
"""Whether both may leave a game or match unplayed."""
