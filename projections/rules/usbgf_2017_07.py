"""`usbgf-2017-07`: USBGF Tournament Rules as proposed for public comment in July 2017."""

from __future__ import annotations

from types import MappingProxyType

from projections.rules.profile import Policy, RuleProfile

POLICIES: dict[str, Policy] = {}
"""Subject to policy; a subject that is missing is one on which the text is silent."""

USBGF_2017_07 = RuleProfile(
    id="usbgf-2017-07",
    title="USBGF Tournament Rules (proposed for public comment, July 2017)",
    default_section="[1]",
    sections=MappingProxyType(
        {
            "setup": "[4.2.4]",
            "dice": "[4.1.1-4]",
            "play": "[4.2.3]",
            "cube": "[4.4.3-5]",
            "clock": "[4.3]",
            "ending": "[4.5]",
            "score": "[4.5]",
            "turn": "[4.1.8]",
        }
    ),
    options=MappingProxyType(
        {
            "match_length_points": None,
            "event_kind": None,
            "moves_policy": "legal",
            "dice_on_checkers": "valid",
            "clock_use": None,
            "clock_terms": None,
            "dice_count": 2,
            "baffle_box": "option",
            "penalty_scale": {"first_after_ms": 600_000, "step_ms": 300_000},
            "crawford": "on",
            "automatic_doubles": None,
            "beavers": None,
            "jacoby": None,
            "rated": None,
            "official_languages": ("English",),
            "notice": None,
        }
    ),
    policies=MappingProxyType(POLICIES),
)
"""The profile of the draft of July 2017."""
