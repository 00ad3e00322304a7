"""`biba-2014` on equipment, preferences, mixing dice, and the handling of checkers and dice."""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType

from projections.rules.answers import DISCRETION, SILENT, Answer, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import equipment, handling
from projections.rules.subjects.equipment import Change, Mixing, Preference
from projections.rules.subjects.handling import Handled
from projections.rules.texts.biba_2014 import sections as at

_MAY = (equipment.ALLOWED, equipment.NOT_ALLOWED)


def change(facts: Change, rules: Rules) -> Answer:
    """After the start the Director alone; dice may be called for by either player."""
    if facts.is_use:
        if facts.item == "dice" and facts.is_timed and (facts.count or 0) > 2:
            # "When a clock is used, two dice are selected and the others set aside"
            return equipment.not_allowed(at.DICE, equipment.WITH_A_CLOCK)
        # Either may demand some of it; all else is chosen by the dice.
        return settled(equipment.ALLOWED, at.EQUIPMENT)
    if facts.by == equipment.DIRECTOR:
        return settled(equipment.ALLOWED, at.EQUIPMENT)
    if not facts.is_by_players:
        return left_open(DISCRETION, at.EQUIPMENT, *_MAY)
    if facts.item == "dice":
        # 3.3 knows a call for other dice of the four by either player, and does not say when.
        if facts.in_game:
            return left_open(SILENT, at.DICE, *_MAY)
        return settled(equipment.ALLOWED, at.DICE)
    return equipment.not_allowed(at.EQUIPMENT, equipment.AFTER_START)


def preference(facts: Preference, rules: Rules) -> Answer:
    """By the highest die, before the start."""
    return equipment.whose_choice(at.PREFERENCES, is_said=True, facts=facts)


def mixing(facts: Mixing, rules: Rules) -> Answer:
    """Either may demand it before a game; a call for other dice in a game is not placed in time."""
    if facts.in_game:
        return left_open(SILENT, at.DICE, *_MAY)
    if any(one is other for one, other in pairwise(facts.picks)):
        # "Then each selects a die in turn": who begins, it does not say.
        return equipment.not_allowed(at.DICE, equipment.NOT_IN_TURN)
    return settled(equipment.ALLOWED, at.DICE)


def _advice(handled: Handled, rules: Rules) -> str:
    """Of spectators 1.7 speaks, and of mechanical and written aids 1.5; of other advice nothing."""
    return handling.ON_PROOF if handling.is_with_spectator(handled.kind) else SILENT


_MOVING = (handling.ADVERSE, at.MOVING)
_KEPT = (handling.ADVERSE, at.HANDLING)

handled = handling.by_kind(
    MappingProxyType(
        {
            handling.AIDED: (handling.DEVIATES, at.AIDS),
            # "Improprieties, irregularities or signalling between a player and spectator(s)"
            handling.CONSULTED: (_advice, at.SPECTATORS),
            handling.SCORE_KEPT: (handling.AS_THE_TEXT_HAS_IT, at.AIDS),
            # An aid is to the play: of clocks of one's own and of music the text does not speak.
            handling.DEVICE_BESIDE: (SILENT, at.AIDS),
            handling.MATCH_RECORDED: (handling.AS_THE_TEXT_HAS_IT, at.AIDS),
            handling.HEADPHONES_FORBIDDEN: (handling.DEVIATES, at.AIDS),
            handling.HEADPHONES: (handling.unless_agreed, at.AIDS),
            handling.PICTURES: (handling.unless_objected, at.RECORDING),
            handling.FOUL_WORDS: (handling.PUNISHED, at.LANGUAGE_AND_ACTS),
            handling.SPOKE_OTHERWISE: (handling.DEVIATES, at.LANGUAGE),
            # Of the clock a spectator may speak at any time.
            handling.SPECTATOR_SPOKE_OTHERWISE: (handling.DEVIATES, at.LANGUAGE),
            handling.SPECTATOR_ADVISED: (handling.DEVIATES, at.SPECTATORS),
            handling.SPECTATOR_SPOKE: (handling.DEVIATES, at.SPECTATORS),
            handling.SPECTATOR_SIGNALLED: (handling.ON_PROOF, at.SPECTATORS),
            handling.SPECTATOR_ON_SETUP: (handling.DEVIATES, at.SPECTATORS),
            handling.HIT_NOT_ON_BAR: _KEPT,
            handling.OFF_ON_FIELD: _KEPT,
            handling.MANIPULATED: (SILENT, at.RANDOM_ROLLS),
            handling.SHAKING: (handling.REFRAIN, at.BEHAVIOUR),
            handling.TALKING: (handling.REFRAIN, at.BEHAVIOUR),
            # Of how plays are tested the text does not speak.
            handling.NOT_OFFSET: (SILENT, at.MOVING),
            handling.NOT_RESTORED: (SILENT, at.MOVING),
        }
    ),
    _MOVING,
)
"""One hand, the bar first, the roll told before dice are moved, hands off in the other's turn."""
