"""`usbgf-2017-07`: USBGF Tournament Rules as proposed for public comment in July 2017."""

from __future__ import annotations

from types import MappingProxyType

from projections.rules.profile import CubeFault, Policy, RuleProfile
from projections.rules.subjects import (
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

POLICIES: dict[str, Policy] = {
    "window.play": windows.usbgf_2017_07,
    "start.position": starting.usbgf_2017_07,
    **cube_acts.USBGF_2017_07,
    **appeals.USBGF_2017_07,
    **dice.USBGF_2017_07,
    **clock_terms.USBGF_2017_07,
    **endings.USBGF_2017_07,
    **premature.USBGF_2017_07,
    **match_length.USBGF_2017_07,
    **penalties.USBGF_2017_07,
    **results.USBGF_2017_07,
}
"""Subject to policy; a subject that is missing is one on which the text is silent."""

CONTENTS = MappingProxyType(
    {
        "[1]": "what the rules do not address: the Director decides",
        "[1.2]": "etiquette: clear words and play, no appearance of impropriety",
        "[1.4]": "registration",
        "[1.5]": "language",
        "[1.6]": "spectators",
        "[1.7]": "aids and other equipment",
        "[2.2]": "start and resume times, breaks, penalty points",
        "[3.4]": "baffle boxes and other randomising devices",
        "[3.5]": "game clocks: reserve, delay, who may insist",
        "[3.6]": "preferences: obligation, preference, option",
        "[3.7]": "change of equipment",
        "[4.1.1-4]": "valid rolls, dice on checkers, baffle box",
        "[4.1.7]": "premature rolls",
        "[4.1.8]": "end of turn",
        "[4.2]": "handling of checkers and dice",
        "[4.2.3]": "legal moves, and until when an illegal one is corrected",
        "[4.2.4]": "errors in the starting position",
        "[4.3]": "clock stops, clock errors, expiry",
        "[4.4.3-5]": "cube actions",
        "[4.4.6]": "Crawford game",
        "[4.4.9]": "dead cubes",
        "[4.5]": "completion, resignations, claims",
        "[4.6]": "reporting results",
        "[4.7]": "keeping score",
        "[4.8]": "wrong match length",
        "[5]": "disputes and appeals",
    }
)
"""Every section of the draft; two of its headings carry a range of numbers."""

USBGF_2017_07 = RuleProfile(
    id="usbgf-2017-07",
    title="USBGF Tournament Rules (proposed for public comment, July 2017)",
    default_section="[1]",
    contents=CONTENTS,
    sections=MappingProxyType(
        {
            "setup": "[4.2.4]",
            "premature.lift": "[4.1.7]",
            "premature.roll": "[4.1.7]",
            "premature.cube": "[4.4.3-5]",
            "turn.end": "[4.1.8]",
            "play.change": "[4.1.8]",
            "start.position": "[4.2.4]",
            "window.play": "[4.2.3]",
            "dice": "[4.1.1-4]",
            "play": "[4.2.3]",
            "cube": "[4.4.3-5]",
            "cube.time": "[4.4.3-5]",
            "cube.rolled": "[4.4.3-5]",
            "cube.owned": "[4.4.3-5]",
            "cube.crawford": "[4.4.6]",
            "cube.worth": "[4.4.9]",
            "clock": "[4.3]",
            "ending": "[4.5]",
            "score": "[4.5]",
            "gammon": "[4.5]",
            "turn": "[4.1.8]",
            "match.end": "[4.8]",
            "match_length": "[4.8]",
            "match_length.cube": "[4.8]",
            "penalties": "[2.2]",
            "penalties.breaks": "[2.2]",
            "penalties.score": "[2.2]",
            **appeals.USBGF_SECTIONS,
            **endings.USBGF_SECTIONS,
            **results.USBGF_SECTIONS,
            **dice.USBGF_SECTIONS,
            **clock_terms.USBGF_SECTIONS,
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
    void_cube_acts=frozenset({CubeFault.CRAWFORD, CubeFault.DEAD}),
    policies=MappingProxyType(POLICIES),
)
"""The profile of the draft of July 2017."""
