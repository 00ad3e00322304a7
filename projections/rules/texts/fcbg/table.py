"""`fcbg` on equipment, preferences, mixing dice, and the handling of checkers and dice."""

from __future__ import annotations

from types import MappingProxyType

from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import equipment, handling
from projections.rules.subjects.equipment import Change, Mixing, Preference
from projections.rules.subjects.handling import Handled
from projections.rules.texts.fcbg import sections as at


def change(facts: Change, rules: Rules) -> Answer:
    """The Director may replace what is defective; all else is used throughout."""
    section = at.EQUIPMENT_CHANGES
    if facts.is_use:
        # Either may demand some of it; all else is chosen by the dice.
        return settled(equipment.ALLOWED, at.PREFERENCES)
    if facts.by == equipment.DIRECTOR:
        return settled(equipment.ALLOWED, section)
    if not facts.is_by_players:
        return left_open(DISCRETION, section, equipment.ALLOWED, equipment.NOT_ALLOWED)
    return equipment.not_allowed(section, equipment.THROUGHOUT)


def preference(facts: Preference, rules: Rules) -> Answer:
    """By roll of the dice, before the start; that the higher die decides is not said."""
    return equipment.whose_choice(at.PREFERENCES, is_said=False, facts=facts)


def mixing(facts: Mixing, rules: Rules) -> Answer:
    """Before a game: the opponent of who rolls them out picks first, then they take turns."""
    section = at.PREFERENCES
    if facts.in_game:
        return equipment.not_allowed(section, equipment.IN_GAME)
    roller = facts.demander
    if roller is not None:
        order = (roller.other, roller) * 2
        if facts.picks != order[: len(facts.picks)]:
            return equipment.not_allowed(section, equipment.OUT_OF_ORDER)
    return settled(equipment.ALLOWED, section)


def _advice(handled: Handled, rules: Rules) -> str:
    """Spectators are silent; of other advice than mechanical and written aids nothing is said."""
    return handling.DEVIATES if handling.is_with_spectator(handled.kind) else SILENT


_MOVING = (handling.ADVERSE, at.MOVING)

handled = handling.by_kind(
    MappingProxyType(
        {
            handling.AIDED: (handling.DEVIATES, at.AIDS),
            handling.CONSULTED: (_advice, at.SILENT_SPECTATORS),
            handling.SCORE_KEPT: (handling.AS_THE_TEXT_HAS_IT, at.AIDS),
            # An aid is to the play: of clocks of one's own and of music the text does not speak.
            handling.DEVICE_BESIDE: (SILENT, at.AIDS),
            handling.MATCH_RECORDED: (handling.DEVIATES, at.AIDS),
            handling.HEADPHONES_FORBIDDEN: (handling.DEVIATES, at.AIDS),
            # An opponent may forbid them; whether he has nobody recorded.
            handling.HEADPHONES: (SILENT, at.AIDS),
            handling.SPOKE_OTHERWISE: (handling.DEVIATES, at.LANGUAGE),
            handling.SPECTATOR_SPOKE_OTHERWISE: (handling.DEVIATES, at.LANGUAGE),
            handling.SPECTATOR_ADVISED: (handling.DEVIATES, at.SILENT_SPECTATORS),
            handling.SPECTATOR_SPOKE: (handling.DEVIATES, at.SILENT_SPECTATORS),
            handling.SPECTATOR_ON_CLOCK: (handling.DEVIATES, at.SILENT_SPECTATORS),
            handling.SPECTATOR_ON_SETUP: (handling.DEVIATES, at.SILENT_SPECTATORS),
            handling.SPECTATOR_BETWEEN: (handling.DEVIATES, at.SILENT_SPECTATORS),
            handling.HIT_NOT_ON_BAR: (handling.DEVIATES, at.HIT_CHECKERS),
            handling.OFF_ON_FIELD: (handling.DEVIATES, at.BORNE_OFF),
            handling.MANIPULATED: (handling.DEVIATES, at.ROLLS),
            handling.UNANNOUNCED: (handling.DEVIATES, at.LIFTING),
            handling.DICE_TOUCHED: (handling.DEVIATES, at.LIFTING),
            # "With notice to opponent": what it has to say is not told.
            handling.ROLL_UNSAID: (handling.AS_THE_TEXT_HAS_IT, at.LIFTING),
            handling.INTENT_UNSAID: (SILENT, at.LIFTING),
            handling.SHAKING: (SILENT, at.ROLLS),
            handling.TALKING: (SILENT, at.INTERPRETATION),
            # Of how plays are tested the text does not speak.
            handling.NOT_OFFSET: (SILENT, at.MOVING),
            handling.NOT_RESTORED: (SILENT, at.MOVING),
        }
    ),
    _MOVING,
)
"""One hand, the bar first, hands off in the other's turn; hit and borne-off checkers kept apart."""


def club_handled(facts: Handled, rules: Rules) -> Answer:
    """Spectators may converse, "unless otherwise noted"; two notes are headings without text."""
    section = at.TALKING_SPECTATORS
    if facts.seat is None and facts.kind == handling.SPECTATOR_ADVISED:
        return ambiguous("AMB-F2", section, equipment.ALLOWED, "forbidden")
    if facts.seat is None and facts.kind == handling.SPECTATOR_SPOKE:
        return settled(equipment.ALLOWED, section)
    return left_open(SILENT, at.INTERPRETATION)
