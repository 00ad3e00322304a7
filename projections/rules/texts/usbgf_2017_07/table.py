"""`usbgf-2017-07` on equipment, preferences, and the handling of checkers and dice."""

from __future__ import annotations

from types import MappingProxyType

from projections.rules.answers import DISCRETION, SILENT, Answer, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import equipment, handling
from projections.rules.subjects.equipment import Change, Mixing, Preference
from projections.rules.subjects.handling import Handled
from projections.rules.texts.usbgf_2017_07 import sections as at


def change(facts: Change, rules: Rules) -> Answer:
    """The Director at any time; players between games, and by mutual agreement."""
    section = at.EQUIPMENT_CHANGES
    if facts.is_plain:
        return settled(equipment.ALLOWED, section)
    if facts.is_use:
        return _taken_by_one(facts, rules)
    if not facts.is_by_players:
        # Staff for the Director: whether he has left it to them nobody recorded.
        return left_open(DISCRETION, section, equipment.ALLOWED, equipment.NOT_ALLOWED)
    return equipment.not_allowed(section, equipment.IN_GAME if facts.in_game else equipment.BY_ONE)


_RANDOMIZERS = frozenset({"baffle_box", "dice_app", "dice_tower", "dice_machine", "randomizer"})


def _taken_by_one(facts: Change, rules: Rules) -> Answer:
    """What is an option takes both; two dice are a preference, and a clock is by the event."""
    if facts.item in _RANDOMIZERS:
        return equipment.not_allowed(at.BAFFLE_BOXES, equipment.BY_ONE)
    if facts.item == "dice" and facts.count is not None and facts.count > _TWO_DICE:
        return equipment.not_allowed(at.PREFERENCES, equipment.BY_ONE)
    if facts.item == "clock":
        # Open events prefer a clock, doubles oblige to one; of an event of no kind nobody knows.
        kind = rules.options.get("event_kind")
        use = rules.options.get("clock_use") or (
            "option" if kind in ("other_skill", "other") else None
        )
        if use == "option":
            return equipment.not_allowed(at.CLOCKS, equipment.BY_ONE)
    return settled(equipment.ALLOWED, at.PREFERENCES)


_TWO_DICE = 2


_ON_TERMS = _RANDOMIZERS | {"clock", "dice_count", "two_dice", "four_dice", "lipped_cups"}
"""What the text itself calls an obligation, a preference or an option."""


def preference(facts: Preference, rules: Rules) -> Answer:
    """Before the start, and all *other* ones for whoever obtains the largest roll."""
    section = at.PREFERENCES
    if not _ON_TERMS.isdisjoint(facts.items):
        return equipment.not_allowed(section, equipment.NOT_BY_DICE)
    answer = equipment.whose_choice(section, is_said=True, facts=facts)
    is_second = facts.earlier not in (None, facts.winner)
    if answer.outcome == equipment.ALLOWED and is_second:
        return equipment.not_allowed(section, equipment.DECIDED)
    return answer


def mixing(facts: Mixing, rules: Rules) -> Answer:
    """The text knows no mixing of dice."""
    return left_open(SILENT, at.EQUIPMENT_CHANGES)


def _pictures(handled: Handled, rules: Rules) -> str:
    """With the own clock running, or in a break; without a clock only where it is no Preference."""
    if handled.clock is None:
        is_option = rules.options.get("event_kind") in ("other_skill", "other")
        return handling.AS_THE_TEXT_HAS_IT if is_option else handling.ON_A_CLOCK
    in_time = handled.clock == handling.OWN_TIME or handled.is_break
    return handling.AS_THE_TEXT_HAS_IT if in_time else handling.DEVIATES


def _language(handled: Handled, rules: Rules) -> str:
    """Official languages alone, "except between consulting doubles partners"."""
    if not handled.is_consulting:
        return handling.DEVIATES
    is_between = handling.is_between_partners(handled.kind)
    return handling.AS_THE_TEXT_HAS_IT if is_between else handling.TO_WHOM


def _advice(handled: Handled, rules: Rules) -> str:
    """No "aids of any type"; that doubles partners consult one another goes without saying."""
    with_partner = handled.is_consulting and not handling.is_with_spectator(handled.kind)
    return handling.AS_THE_TEXT_HAS_IT if with_partner else handling.DEVIATES


_HANDLING = (handling.ADVERSE, at.HANDLING)
"""Whoever plays unclearly is at a disadvantage where a ruling is needed ([1.2])."""

handled = handling.by_kind(
    MappingProxyType(
        {
            handling.MANIPULATED: (handling.ADVERSE, at.ROLLS),
            handling.AIDED: (handling.DEVIATES, at.AIDS),
            handling.CONSULTED: (_advice, at.AIDS),
            handling.SCORE_KEPT: (handling.AS_THE_TEXT_HAS_IT, at.AIDS),
            handling.DEVICE_BESIDE: (handling.AS_THE_TEXT_HAS_IT, at.AIDS),
            handling.MATCH_RECORDED: (handling.AS_THE_TEXT_HAS_IT, at.AIDS),
            handling.HEADPHONES_FORBIDDEN: (SILENT, at.AIDS),
            handling.PICTURES: (_pictures, at.AIDS),
            handling.HEADPHONES: (SILENT, at.AIDS),
            # "Good sportsmanship", or "at a disadvantage if a ruling is needed"
            handling.FOUL_WORDS: (handling.ADVERSE, at.ETIQUETTE),
            handling.SPOKE_OTHERWISE: (_language, at.LANGUAGE),
            handling.SPECTATOR_SPOKE_OTHERWISE: (handling.DEVIATES, at.LANGUAGE),
            handling.SPECTATOR_ADVISED: (handling.DEVIATES, at.SPECTATORS),
            handling.SPECTATOR_SPOKE: (handling.DEVIATES, at.SPECTATORS),
            handling.SPECTATOR_SIGNALLED: (handling.DEVIATES, at.SPECTATORS),
            handling.SPECTATOR_ON_CLOCK: (handling.DEVIATES, at.SPECTATORS),
            handling.SPECTATOR_ON_SETUP: (handling.DEVIATES, at.SPECTATORS),
            handling.HIT_NOT_ON_BAR: _HANDLING,
            handling.BAR_NOT_FIRST: (SILENT, at.HANDLING),
            # "Announce the roll before repositioning dice"
            handling.INTENT_UNSAID: (handling.AS_THE_TEXT_HAS_IT, at.HANDLING),
            handling.SHAKING: (SILENT, at.ROLLS),
            handling.TALKING: (SILENT, at.ETIQUETTE),
        }
    ),
    _HANDLING,
)
"""One and the same hand, hands off in the opponent's turn, tests offset, dice announced."""
