"""`biba-2014`: Biba Rules & Procedures 2014; its Clock Rules 2013 are in hand only in part."""

from __future__ import annotations

from types import MappingProxyType

from projections.rules import (
    appeals,
    clock_terms,
    cube_acts,
    dice,
    endings,
    match_length,
    penalties,
    premature,
    results,
    starting,
    windows,
)
from projections.rules.profile import CubeFault, Policy, RuleProfile

POLICIES: dict[str, Policy] = {
    "window.play": windows.biba_2014,
    "start.position": starting.biba_2014,
    **cube_acts.BIBA_2014,
    **appeals.BIBA_2014,
    **dice.BIBA_2014,
    **clock_terms.BIBA_2014,
    **endings.BIBA_2014,
    **premature.BIBA_2014,
    **match_length.BIBA_2014,
    **penalties.BIBA_2014,
    **results.BIBA_2014,
}
"""Subject to policy; a subject that is missing is one on which the text is silent."""

BIBA_2014 = RuleProfile(
    id="biba-2014",
    title="Biba Rules & Procedures 2014",
    default_section="1.1",
    sections=MappingProxyType(
        {
            "setup": "4.7",
            "premature.roll": "4.6",
            "premature.lift": "4.2",
            "premature.cube": "4.6",
            "turn.end": "4.5",
            "play.change": "4.5",
            "start.position": "4.7",
            "window.play": "4.8",
            "dice": "4.2",
            "play": "4.8",
            "cube": "5.4",
            "clock": "ClkR",
            "ending": "4.9",
            "score": "4.10",
            "gammon": "5.3",
            "turn": "4.5",
            "match_length": "4.10",
            "match_length.cube": "4.10",
            "penalties": "2.3",
            "penalties.breaks": "2.2",
            "penalties.score": "2.3",
            **dice.BIBA_SECTIONS,
            **clock_terms.BIBA_SECTIONS,
        }
    ),
    options=MappingProxyType(
        {
            "match_length_points": None,
            "event_kind": None,
            "moves_policy": "legal",
            "dice_on_checkers": "invalid",
            "clock_use": None,
            "clock_terms": None,
            "dice_count": 4,
            "baffle_box": None,
            "crawford": "on",
            "automatic_doubles": "off",
            "beavers": "off",
            "jacoby": "off",
            "rated": None,
            "official_languages": ("English",),
        }
    ),
    void_cube_acts=frozenset({CubeFault.CRAWFORD}),
    policies=MappingProxyType(POLICIES),
)
"""The profile of Biba's rules."""
