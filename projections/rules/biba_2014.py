"""`biba-2014`: Biba Rules & Procedures 2014; its Clock Rules 2013 are in hand only in part."""

from __future__ import annotations

from types import MappingProxyType

from projections.rules.profile import Policy, RuleProfile

POLICIES: dict[str, Policy] = {}
"""Subject to policy; a subject that is missing is one on which the text is silent."""

BIBA_2014 = RuleProfile(
    id="biba-2014",
    title="Biba Rules & Procedures 2014",
    default_section="1.1",
    sections=MappingProxyType(
        {
            "setup": "4.7",
            "dice": "4.2",
            "play": "4.8",
            "cube": "5.4",
            "clock": "ClkR",
            "ending": "4.9",
            "score": "4.10",
            "turn": "4.5",
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
    policies=MappingProxyType(POLICIES),
)
"""The profile of Biba's rules."""
