"""What was seen of a throw and its dice, as the rule sets ask about it."""

from __future__ import annotations

from events.payloads import dice
from events.values import Seat
from projections.folding.fold import Seen
from projections.rules.answers import Answer
from projections.rules.subjects.dice import DICE_DIE, DICE_THROW, INVALID, THAT_DIE, Die, Thrown

_BOXES = ("box", "baffle_box")
"""Words by which a throw is said to have gone through a box."""


def is_through_box(throw: dice.Throw | None) -> bool:
    """Whether a throw is said to have gone through a baffle box."""
    return throw is not None and throw.source in _BOXES


def flaws(throw: dice.Throw) -> tuple[str, ...]:
    """In what the throw was not as texts describe one; what nobody recorded was as it should be."""
    made = (
        ("no_cup", throw.source in (None, "cup")),
        ("not_together", throw.together),
        ("not_shaken", throw.shaken),
        ("no_height", throw.height),
        ("no_bounce", throw.bounced),
    )
    return tuple(flaw for flaw, was_so in made if was_so is False)


def die_of(
    observed: dice.Observation, box_half: str | None, permitted_side: str | None = None
) -> Die:
    """One die as the rule sets ask about it.

    A die that rests in the half where the box was agreed to stand was thrown into it. Where it
    rests in the other one nobody knows from whose side the agreement calls it left or right.
    """
    test, held = observed.support_test, observed.supported_by
    is_unclear = held == "unclear" or held == ("unclear",)
    # In a dispute equipment must be left alone: what a test shows then is for a person to weigh.
    has_dropped = test is not None and test.dropped
    is_disputed = test is not None and test.in_dispute
    is_held = (bool(held) and not is_unclear) or (has_dropped and not is_disputed)
    is_tipped = bool(observed.tipped_after_balance)
    is_balanced = observed.at_rest == "balanced" or (
        observed.balanced_on not in (None, "none") and not is_tipped
    )
    in_box = bool(observed.baffle_box)
    rest_side = observed.rest_side or "right"
    thrown_into = "right"
    if in_box:
        thrown_into = rest_side if rest_side == box_half else "unknown"
    tilt, cause = _tilt(observed, is_held, is_unclear, is_balanced)
    return Die(
        at_rest=observed.at_rest or "natural",
        location=observed.location or "playing_field",
        in_box=in_box,
        rolled_side=observed.rolled_side or thrown_into,
        rest_side=rest_side,
        first_contact=observed.first_contact or "field",
        returned_from=observed.left_board_and_returned or "none",
        rests_on=observed.rests_on or ("field",),
        is_touching=bool(observed.touching),
        is_supported=is_held,
        is_support_unclear=is_unclear,
        dropped_in_dispute=has_dropped and is_disputed,
        is_balanced=is_balanced,
        tipped_after_ms=observed.balanced_for_ms if is_tipped else None,
        tilt=tilt,
        tilt_cause=cause,
        below_top_of=observed.below_top_of,
        permitted_side=permitted_side,
    )


def _tilt(
    observed: dice.Observation, is_held: bool, is_unclear: bool, is_balanced: bool
) -> tuple[str, str]:
    """How the die lies; where nobody said, as what holds it up makes it lie."""
    if is_balanced and observed.tilt in (None, "flat"):
        # What stands on an edge or a corner does not lie flat, whatever else was noted.
        return "tilted", "balance"
    if observed.tilt is not None:
        return observed.tilt, observed.tilt_cause or "none"
    if is_held:
        return "tilted", "vertical_support"
    return ("unknown" if is_unclear else "flat"), "none"


def verdicts_on(
    thrown: dice.Rolled | dice.OpeningRolled | dice.RolledEarly | dice.Voided,
    seat: Seat | None,
    seen: Seen,
    *,
    is_opening: bool = False,
    is_tie: bool = False,
) -> tuple[Answer, tuple[Answer, ...]]:
    """What the rule set says to a throw, and to each of its dice that was observed."""
    rules = seen.rules
    half = seen.throws.box_half
    permitted = seen.sides.half_of(seat, seen.score.game_number)
    seen_dice = [die_of(observed, half, permitted) for observed in thrown.observations]
    verdicts = tuple(rules.ask(DICE_DIE, die) for die in seen_dice)
    throw = thrown.throw
    facts = Thrown(
        verdicts,
        is_opening,
        is_tie,
        any(die.in_box for die in seen_dice) or is_through_box(throw),
        seen.throws.has_box,
        () if throw is None else flaws(throw),
    )
    return rules.ask(DICE_THROW, facts), verdicts


def is_tie(rolled: dice.OpeningRolled, seen: Seen) -> bool:
    """Whether equal faces of an opening roll are a tie: of a die that has to be thrown again, none.

    While it is open whether the throw counts at all, it is what the table took it for.
    """
    if rolled.one != rolled.two:
        return False
    if not rolled.observations and rolled.throw is None:
        return True
    answer, _ = verdicts_on(rolled, None, seen, is_opening=True, is_tie=True)
    return answer.outcome != INVALID and THAT_DIE not in answer.readings
