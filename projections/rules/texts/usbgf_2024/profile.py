"""`usbgf-2024`: USBGF Tournament Rules 2024, as far as sentences of it are known."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from projections.rules.profile import (
    CubeFault,
    Hearing,
    Policies,
    RuleProfile,
    Withheld,
    not_in_hand,
)
from projections.rules.subjects import endings
from projections.rules.texts.usbgf_2024 import play, timing
from projections.rules.texts.usbgf_2024 import sections as at
from projections.rules.texts.usbgf_2024.index import INDEX

SECTIONS = MappingProxyType(
    {
        "premature.lift": at.EARLY_DICE,
        "premature.roll": at.EARLY_DICE,
        "clock": at.EXPIRY,
        "clock.terms": at.CLOCKS,
        "clock.delay": at.CLOCKS,
        "clock.flag": at.EXPIRY,
        "clock.forfeit": at.EARLY_DICE,
        "cube.crawford": at.CRAWFORD,
        "cube.worth": at.CRAWFORD,
        "cube.found": at.CRAWFORD,
        "crawford.phase": at.CRAWFORD,
        "penalties": at.TIMES,
        "penalties.breaks": at.TIMES,
        "penalties.score": at.TIMES,
    }
)
"""Subject to the section that is known to speak of it."""

POLICIES: Policies = MappingProxyType(
    {
        "premature.lift": play.early_lift,
        "premature.roll": play.early_roll,
        "cube.time": play.doubling_time,
        "cube.crawford": play.in_crawford_game,
        "cube.worth": play.worth,
        "cube.found": play.found,
        "crawford.phase": play.phase,
        "clock.terms": timing.terms,
        "clock.delay": timing.delay,
        "clock.flag": timing.flag,
        "clock.forfeit": timing.forfeit,
        "game.value": partial(endings.value_unread, at.GENERAL),
        "match.end": partial(endings.match_end_unread, at.GENERAL),
        "penalties": timing.penalty_points,
        "penalties.breaks": timing.breaks,
    }
)
"""Subject to policy; a subject that is missing is one of which no sentence is known."""

USBGF_2024 = RuleProfile(
    id="usbgf-2024",
    title="USBGF Tournament Rules 2024, as far as sentences are known",
    default_section=at.GENERAL,
    contents=at.CONTENTS,
    index=tuple(INDEX),
    sections=SECTIONS,
    options=MappingProxyType(
        {
            "match_length_points": None,
            "event_kind": None,
            "moves_policy": None,
            "dice_on_checkers": None,
            "clock_use": None,
            "clock_terms": None,
            "dice_count": None,
            "baffle_box": None,
            # A double in that game is asked about; nothing follows while its sentence is missing.
            "crawford": "on",
            "automatic_doubles": None,
            "beavers": None,
            "jacoby": None,
            "rated": None,
            "official_languages": None,
            "notice": None,
        }
    ),
    void_by=MappingProxyType(
        {CubeFault.CRAWFORD: (at.ONE_GAME, at.VOID), CubeFault.DEAD: (at.VOID,)}
    ),
    hearing=Hearing(section=at.GENERAL, unstated=frozenset(Withheld), is_in_hand=False),
    sentences=at.KNOWN,
    policies=POLICIES,
    gap=not_in_hand,
)
"""The profile of the USBGF's rules of 2024, sentence by sentence."""
