"""Endings: what a game counts, when it may end before the last checker, when the match is won."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import replace

from events.values import CHECKERS, OFF, Seat
from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Policy, Rules

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

Counts = tuple[int, ...]


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


class Race(msgspec.Struct, frozen=True, kw_only=True):
    """A board on which a game may end by words instead of play."""

    winner: Counts
    """26 counts of who is to win."""
    loser: Counts
    """26 counts of who is to lose."""
    has_contact: bool
    """Whether checkers have still to pass each other."""
    is_winner_next: bool
    """Whether the winner rolls next."""

    def turns_left(self, finishing: int) -> int:
        """Turns of the loser before the winner finishes with that many turns."""
        return finishing - 1 if self.is_winner_next else finishing


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


def not_over(section: str, facts: Any, rules: Rules) -> Answer:
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


# Plain bounds on a race (AMB-E2, AMB-E4): with sixes all the way, and with the least that any
# roll gives. Three answers: certain, ruled out, and None where the bounds do not meet.


def _men(counts: Counts) -> list[tuple[int, int]]:
    return [(point, count) for point, count in enumerate(counts) if point != OFF and count]


def _turns(steps: int, per_turn: int) -> int:
    return -(-steps // per_turn)


def fewest_to_finish(counts: Counts) -> int:
    """Turns that bearing off everything takes with double sixes alone."""
    return _turns(sum(_turns(point, 6) * count for point, count in _men(counts)), 4)


def _pips_and_men(counts: Counts) -> tuple[int, int]:
    men = _men(counts)
    return sum(point * count for point, count in men), sum(count for _, count in men)


def most_to_finish(counts: Counts) -> tuple[int, int]:
    """Bounds, lower and upper, of the turns that it takes with the worst rolls."""
    pips, men = _pips_and_men(counts)
    # Roll after roll of 21: three pips, two checkers a turn.
    lower = max(_turns(men, 2), _turns(pips, 3))
    # A die moves a pip at the least; where 21 clears the board, every roll does.
    upper = _turns(pips, 2)
    return lower, lower if pips <= 3 and men <= 2 else upper


def fewest_to_bear_off_one(counts: Counts) -> int:
    """Turns until the first checker is off, with double sixes alone."""
    if counts[OFF]:
        return 0
    home = sum(_turns(point - 6, 6) * count for point, count in _men(counts) if point > 6)
    return _turns(home + 1, 4)


# The search costs up to a tenth of a second, and the same match is replayed time and again.
@lru_cache(maxsize=1024)
def surely_bears_off_one(counts: Counts, turns: int) -> bool | None:
    """Whether every roll lets a player without contact bear one off; None = too far to look."""
    if counts[OFF]:
        return True
    if _outside(counts) + 1 > 3 * turns:
        # 21 in every turn brings home three pips, and bears nothing off.
        return False
    if turns > _FORESIGHT:
        return None
    return all(
        _bears_off(counts, high, low)
        or (
            turns > 1
            and any(
                surely_bears_off_one(after, turns - 1)
                # Checkers brought home first: the play looked for is nearly always the first one.
                for after in sorted(_played(counts, high, low), key=_outside)
            )
        )
        for high in range(1, 7)
        for low in range(1, high + 1)
    )


_FORESIGHT = 2
"""Turns that are looked ahead, roll by roll."""


def _outside(counts: Counts) -> int:
    """Pips that are still to travel into the home board."""
    return sum((point - 6) * counts[point] for point in range(7, 26))


def _bears_off(counts: Counts, high: int, low: int) -> bool:
    """Whether one roll can bear a checker off."""
    highest = max((point for point, _ in _men(counts)), default=0)
    if highest <= 6 and (counts[high] or counts[low] or highest <= high):
        return True
    if _outside(counts) >= (4 * high if high == low else high + low):
        return False
    return any(after[OFF] for after in _played(counts, high, low))


def _played(counts: Counts, high: int, low: int) -> set[Counts]:
    """Boards after one roll, on which nothing is in the way."""
    if high == low:
        boards = {counts}
        for _ in range(4):
            boards = {after for board in boards for after in _stepped(board, high)} or boards
        return boards
    return {
        after
        for first, second in ((high, low), (low, high))
        for between in _stepped(counts, first)
        for after in (_stepped(between, second) or {between})
    }


def _stepped(counts: Counts, die: int) -> set[Counts]:
    """Boards after one die."""
    highest = max((point for point, _ in _men(counts)), default=0)
    boards = set()
    for point, _ in _men(counts):
        if point > die:
            boards.add(_moved(counts, point, point - die))
        elif highest <= 6 and point in (die, highest):
            boards.add(_moved(counts, point, OFF))
    return boards


def _moved(counts: Counts, origin: int, target: int) -> Counts:
    after = list(counts)
    after[origin] -= 1
    after[target] += 1
    return tuple(after)


def _behind(counts: Counts) -> list[tuple[int, int]]:
    """Pips that checkers in the winner's home and on the bar need to leave it, with their count."""
    return [(point - 18, count) for point, count in _men(counts) if point > 18]


def is_win_certain(race: Race) -> bool | None:
    """Whether the winner wins, whatever is rolled."""
    if race.has_contact:
        return None
    lower, upper = most_to_finish(race.winner)
    fewest = fewest_to_finish(race.loser)
    return _certain(race, fewest, lower, upper)


def _certain(race: Race, fewest: int, lower: int, upper: int) -> bool | None:
    """Whether the loser needs more turns than the slowest finish of the winner leaves."""
    if fewest > race.turns_left(upper):
        return True
    return False if fewest <= race.turns_left(lower) else None


def is_gammon_certain(race: Race) -> bool | None:
    """Whether a gammon can no longer be saved."""
    if race.loser[OFF]:
        return False
    if race.has_contact:
        return None
    return _certain(race, fewest_to_bear_off_one(race.loser), *most_to_finish(race.winner))


def is_backgammon_certain(race: Race) -> bool | None:
    """Whether a backgammon can no longer be saved."""
    if race.loser[OFF]:
        return False
    if race.has_contact:
        return None
    steps = sum(_turns(pips, 6) * count for pips, count in _behind(race.loser))
    return _certain(race, _turns(steps, 4), *most_to_finish(race.winner))


def is_gammon_ruled_out(race: Race) -> bool | None:
    """Whether no gammon can be lost any more."""
    if race.loser[OFF]:
        return True
    if race.has_contact:
        return None
    left = race.turns_left(fewest_to_finish(race.winner))
    return surely_bears_off_one(race.loser, left)


def is_backgammon_ruled_out(race: Race) -> bool | None:
    """Whether no backgammon can be lost any more."""
    if race.loser[OFF]:
        return True
    if race.has_contact:
        return None
    behind = _behind(race.loser)
    left = race.turns_left(fewest_to_finish(race.winner))
    pips, men = sum(p * count for p, count in behind), sum(count for _, count in behind)
    if _turns(pips, 2) <= left:
        return True
    return False if max(_turns(men, 2), _turns(pips, 3)) > left else None


def _both(first: bool | None, second: bool | None) -> bool | None:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


_CONCEDABLE: Mapping[str, Callable[[Race], bool | None]] = MappingProxyType(
    {
        SINGLE: is_gammon_ruled_out,
        GAMMON: lambda race: _both(is_gammon_certain(race), is_backgammon_ruled_out(race)),
        BACKGAMMON: is_backgammon_certain,
    }
)
_CLAIMABLE: Mapping[str, Callable[[Race], bool | None]] = MappingProxyType(
    {
        SINGLE: is_win_certain,
        GAMMON: is_gammon_certain,
        BACKGAMMON: is_backgammon_certain,
    }
)


# Resignations, claims and wishes.


def _given(facts: Conceded | Claimed, section: str) -> Answer:
    return settled(GAME_WON, section, winner=facts.winner, kind=facts.level, points=facts.points)


def _only_silent(facts: Conceded, section: str) -> Answer:
    """Nothing is said on a resignation in the middle of a turn; were it over, it would count."""
    lean = {"outcome": GAME_WON, **_given(facts, section).details}
    return left_open(SILENT, section, GAME_WON, NOT_ALLOWED, lean=lean)


def _usbgf_conceded(facts: Conceded, rules: Rules) -> Answer:
    # usbgf-2017-07 [4.5]: in non-contact positions; "may be accepted even if continued play could
    # result in a different outcome".
    section = "[4.5]"
    if not facts.is_accepted:
        return settled(PLAY_ON, section)
    if facts.race.has_contact:
        return ambiguous("AMB-E1", section, "any_position", "non_contact")
    if not facts.is_turn_completed:
        return _only_silent(facts, section)
    return _given(facts, section)


def _usbgf_claimed(facts: Claimed, rules: Rules) -> Answer:
    # usbgf-2017-07 [4.5]: a valid claim, in non-contact positions.
    section = "[4.5]"
    if facts.race.has_contact:
        return settled(NOT_ALLOWED, section)
    if _CLAIMABLE[facts.level](facts.race):
        return replace(_given(facts, section), flag="AMB-E4")
    return ambiguous("AMB-E4", section, "certain", "likely", lean=PLAY_ON)


def _biba_conceded(facts: Conceded, rules: Rules) -> Answer:
    # biba-2014 4.9: where it is mathematically impossible to win or save a gammon or backgammon,
    # after completing the own turn; whoever rejects it summons the Director.
    section = "4.9"
    if not facts.is_accepted:
        return left_open(DISCRETION, section, GAME_WON, PLAY_ON)
    if not facts.is_turn_completed:
        return settled(NOT_ALLOWED, section)
    is_certain = _CONCEDABLE[facts.level](facts.race)
    if is_certain is None:
        return ambiguous("AMB-E2", section, GAME_WON, NOT_ALLOWED, lean=NOT_ALLOWED)
    if is_certain:
        return replace(_given(facts, section), flag="AMB-E2")
    # "Non-adherence may lead to disqualification": that is the Director's to say.
    return Answer(
        outcome=NOT_ALLOWED,
        section=section,
        reason=DISCRETION,
        flag="AMB-E2",
        also=MappingProxyType({"sanction": left_open(DISCRETION, section, "none", "sanction")}),
    )


def _fcbg_conceded(facts: Conceded, rules: Rules) -> Answer:
    # fcbg-tournament COMPLETION/T: conceded in no-contact positions, at any level.
    section = "COMPLETION/T"
    if facts.race.has_contact:
        return settled(NOT_ALLOWED, section)
    if not facts.is_accepted:
        return left_open(SILENT, section, GAME_WON, PLAY_ON)
    if not facts.is_turn_completed:
        return _only_silent(facts, section)
    return _given(facts, section)


def not_allowed(section: str, facts: Any, rules: Rules) -> Answer:
    """The text does not let a game end so."""
    return settled(NOT_ALLOWED, section)


def _biba_wish(facts: Wish, rules: Rules) -> Answer:
    # biba-2014 4.10: neither player may concede the match; 4.9: games are rolled to completion.
    return settled(NOT_ALLOWED, "4.10" if facts.kind == "concede_match" else "4.9")


# The texts.

_USBGF = ValueText(
    sections={SINGLE: "[4.5]", GAMMON: "[4.5]", BACKGAMMON: "[4.5]"},
    short="[4.2.4]",
    bare="[4.2.4]",
    is_backgammon_open=True,
)
_BIBA = ValueText(
    sections={SINGLE: "1.2", GAMMON: "5.3", BACKGAMMON: "5.3"}, short="4.7", bare="4.7"
)
_FCBG_SECTIONS = {SINGLE: "GAMMONS", GAMMON: "GAMMONS", BACKGAMMON: "BACKGAMMONS"}
_FCBG = ValueText(sections=_FCBG_SECTIONS, short="IRR/T(d)", bare="BEARING OFF")
_CLUB = ValueText(sections=_FCBG_SECTIONS, short="GAMMONS", bare="BEARING OFF", short_flag="AMB-S3")
_COMMON = ValueText(
    sections=dict.fromkeys((SINGLE, GAMMON, BACKGAMMON), "Bearing off"),
    short="Bearing off",
    bare="Bearing off",
    short_flag="AMB-S3",
)


def _where_all_had_fifteen(facts: Finished, rules: Rules) -> Answer:
    """Common to all texts where both had fifteen; else that of the ratified one is not in hand."""
    if facts.winners_checkers == facts.losers_checkers == CHECKERS:
        return game_value(_USBGF, facts, rules)
    assert rules.profile.gap is not None
    return rules.profile.gap("game.value", facts, rules)


USBGF_2017_07: Mapping[str, Policy] = MappingProxyType(
    {
        "game.value": partial(game_value, _USBGF),
        "game.over": partial(not_over, "[4.2.4]"),
        "game.dropped": partial(dropped, "[4.5]"),
        "match.end": partial(match_end, "[4.8]"),
        "resignation.validity": _usbgf_conceded,
        "claim.validity": _usbgf_claimed,
        "completion.waiver": partial(not_allowed, "[4.5]"),
    }
)
"""Subject to policy."""

USBGF_2017_09: Mapping[str, Policy] = MappingProxyType(
    {
        "game.value": _where_all_had_fifteen,
        "game.dropped": partial(dropped, "[4.5]"),
        "match.end": partial(match_end, "[4.8]"),
    }
)
"""Subject to policy: what all texts have in common."""

BIBA_2014: Mapping[str, Policy] = MappingProxyType(
    {
        "game.value": partial(game_value, _BIBA),
        "game.over": partial(not_over, "4.7"),
        "game.dropped": partial(dropped, "4.9"),
        "match.end": partial(match_end, "4.10"),
        "resignation.validity": _biba_conceded,
        "claim.validity": partial(not_allowed, "4.9"),
        "completion.waiver": _biba_wish,
    }
)
"""Subject to policy."""

FCBG_TOURNAMENT: Mapping[str, Policy] = MappingProxyType(
    {
        "game.value": partial(game_value, _FCBG),
        "game.over": partial(not_over, "BEARING OFF"),
        "game.dropped": partial(dropped, "DOUBLING"),
        "match.end": partial(match_end, "COMPLETION/T"),
        "resignation.validity": _fcbg_conceded,
        "claim.validity": partial(not_allowed, "COMPLETION/T"),
        "completion.waiver": partial(not_allowed, "COMPLETION/T"),
    }
)
"""Subject to policy."""

FCBG_CLUB: Mapping[str, Policy] = MappingProxyType(
    {
        "game.value": partial(game_value, _CLUB),
        "game.over": partial(not_over, "BEARING OFF"),
        "game.dropped": partial(dropped, "DOUBLING"),
        # The length that the players set (ENTRIES).
        "match.end": partial(match_end, "ENTRIES"),
    }
)
"""Subject to policy."""

COMMON: Mapping[str, Policy] = MappingProxyType(
    {
        "game.value": partial(game_value, _COMMON),
        "game.over": partial(not_over, "Bearing off"),
        "game.dropped": partial(dropped, "Doubling cube"),
        "match.end": partial(match_end, "Objective"),
    }
)
"""Subject to policy."""

USBGF_SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "game.value": "[4.5]",
        "game.over": "[4.2.4]",
        "resignation.validity": "[4.5]",
        "claim.validity": "[4.5]",
        "completion.waiver": "[4.5]",
    }
)
"""Subject to section, for an edition or a club without a policy of its own."""

FCBG_SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "resignation.validity": "COMPLETION/T",
        "claim.validity": "COMPLETION/T",
        "completion.waiver": "COMPLETION/T",
    }
)
"""Subject to section, for an edition or a club without a policy of its own."""
