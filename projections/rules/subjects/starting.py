"""A wrong starting position: until when it is corrected."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from projections.rules.answers import SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules, Subject

CORRECT = "correct"
STANDS = "stands"
CORRECTED_BY_AGREEMENT = "corrected_by_agreement"

ANOTHER_GAME = "another_game"
ADOPTED = "adopted"
BY_AGREEMENT = "both_agree"
"""Who may still correct what the text itself lets stand."""

SECOND_TURNS, SECOND_PLAY, FIFTH_ROLL = 4, 2, 5
"""Turns of both players together, plays, and rolls after which the texts let a start stand."""


class StartFacts(Struct, frozen=True, kw_only=True):
    """A wrong start, and how far the game has come."""

    turns_completed: int
    """Turns that have ended, of both players together; the opening winner's is the first."""
    valid_rolls: int
    """Rolls that count, the opening roll included."""
    turns: tuple[str | None, ...] = ()
    """What ended each of those turns, by entry; None = not recorded."""
    rolls: tuple[str | None, ...] = ()
    """The entry of each of those rolls; None = not recorded."""
    other_throws: int = 0
    """Opening ties and void throws, early ones included: whether they count is open (AMB-S1)."""
    before_second_roll: int = 0
    """Those of them that came before the second roll."""
    agreed: bool = False
    """Whether both players agree to correct it."""
    game_over: bool = False
    """Whether the game that began with it is over."""
    is_end_unsaid: bool = False
    """Whether the latest play was made, and nothing on record says that its turn was over."""
    was_touched: bool = False
    """Whether a checker left the point where one stood too many, or was hit there."""


def entry_at(entries: tuple[str | None, ...], number: int) -> str | None:
    """The entry of that number, counted from 1; None = not there."""
    return entries[number - 1] if len(entries) >= number else None


def until_roll(
    facts: StartFacts, left: int, section: str, until: str, closed_by: str | None
) -> Answer:
    """A window that a roll closes, in a text that knows no agreement after it.

    `left` are the rolls, or plays of rolls, that are still to come until it closes; a tie and a
    throw that does not count are none of them, where the text counts as the register recommends.
    """
    is_open = left > 0
    if is_open and facts.game_over:
        return left_open(SILENT, section, STANDS, ANOTHER_GAME)
    if is_open and facts.other_throws >= left:
        # AMB-S1: with those it is closed, and no text says whether they are counted.
        return ambiguous("AMB-S1", section, CORRECT, STANDS, lean=CORRECT)
    if is_open:
        # AMB-S2: neither text says how; the readings are shown with the answer.
        how = ("set_up_anew", "move_the_misplaced")
        answer = settled(CORRECT, section, until=until, how=how)
        # AMB-S1: the opening roll is roll 1; ties and void throws are not counted.
        return replace(answer, flag="AMB-S1") if facts.other_throws else answer
    # "Without adjustment", "becomes official": whoever agrees to another by then.
    return settled(STANDS, section, until=until, closed_by=closed_by)


def after_ruling(reading: str, asked: Answer, facts: StartFacts, rules: Rules) -> Answer | None:
    """What becomes of the start by the reading that a Director chose; None = the text cannot say.

    Another game in the place of the one that began so is no correction of its start.
    """
    if reading in (CORRECT, STANDS, CORRECTED_BY_AGREEMENT):
        return settled(reading, asked.section)
    if reading != ADOPTED:
        return None
    # AMB-F3: the club takes over what stands under the /TOURNAMENT heading.
    answer = rules.adopted(START_POSITION, facts)
    return None if answer is None else replace(answer, section=asked.section)


START_POSITION = Subject[StartFacts]("start.position")
"""Whether a wrong start is still to be corrected."""
