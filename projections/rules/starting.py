"""A wrong starting position: until when it is corrected."""

from __future__ import annotations

from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from projections.rules.answers import SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules

CORRECT = "correct"
STANDS = "stands"
CORRECTED_BY_AGREEMENT = "corrected_by_agreement"


class StartFacts(Struct, frozen=True, kw_only=True):
    """A wrong start, and how far the game has come."""

    turns_completed: int
    """Turns that have ended, of both players together; the opening winner's is the first."""
    valid_rolls: int
    """Rolls that count, the opening roll included."""
    other_throws: int = 0
    """Opening ties and void throws, which are not counted (AMB-S1)."""
    agreed: bool = False
    """Whether both players agree to correct it."""
    game_over: bool = False
    """Whether the game that began with it is over."""
    was_touched: bool = False
    """Whether a checker left the point where one stood too many, or was hit there."""


def usbgf_2017_07(facts: StartFacts, rules: Rules) -> Answer:
    """No correction once both players have completed their second turns, unless both agree."""
    section = "[4.2.4]"
    if facts.turns_completed >= 4:
        if facts.agreed:
            return settled(CORRECTED_BY_AGREEMENT, section, how="move_the_misplaced")
        return settled(STANDS, section)
    if facts.game_over:
        return left_open(SILENT, section, STANDS, "another_game")
    answer = settled(CORRECT, section, until="fourth_turn_completed", how="move_the_misplaced")
    if facts.was_touched:
        which = ambiguous("AMB-S4", section, "the_misplaced_one", "one_from_the_same_point")
        return replace(answer, also=MappingProxyType({"which_checker": which}))
    return answer


def biba_2014(facts: StartFacts, rules: Rules) -> Answer:
    """A correction before the play of the second roll is completed; no adjustment after it."""
    # biba-2014 4.7
    return _until(facts, facts.turns_completed < 2, "4.7", "second_roll_played")


def fcbg_tournament(facts: StartFacts, rules: Rules) -> Answer:
    """To be corrected before the fifth roll; thereafter the set-up becomes official."""
    # fcbg-tournament IRR/T(d)
    return _until(facts, facts.valid_rolls < 5, "IRR/T(d)", "fifth_roll")


def _until(facts: StartFacts, is_open: bool, section: str, until: str) -> Answer:
    """A window that a roll closes, in a text that says nothing of agreements after it."""
    if is_open and facts.game_over:
        return left_open(SILENT, section, STANDS, "another_game")
    if is_open:
        # AMB-S2: neither text says how; the readings are shown with the answer.
        how = ("set_up_anew", "move_the_misplaced")
        answer = settled(CORRECT, section, until=until, how=how)
        # AMB-S1: the opening roll is roll 1; ties and void throws are not counted.
        return replace(answer, flag="AMB-S1") if facts.other_throws else answer
    if facts.agreed:
        return left_open(SILENT, section, STANDS, CORRECTED_BY_AGREEMENT, lean=STANDS)
    return settled(STANDS, section)
