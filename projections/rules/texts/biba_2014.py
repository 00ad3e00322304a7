"""`biba-2014`: Biba Rules & Procedures 2014; its Clock Rules 2013 are in hand only in part."""

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

CONTENTS = MappingProxyType(
    {
        "1.1": "interpretation: doubt goes against whoever initiated the action",
        "1.2": "scope: elsewhere the commonly accepted rules",
        "1.3": "staff",
        "1.4": "entries",
        "1.5": "aids",
        "1.6": "language",
        "1.7": "spectators",
        "1.8": "match recording",
        "1.9": "code of behaviour",
        "2.1": "place, and being missing when called",
        "2.2": "time and recesses",
        "2.3": "penalty points",
        "2.4": "slow play",
        "2.5": "monitors",
        "3.1": "equipment",
        "3.2": "preferences",
        "3.3": "dice: mixing, two with a clock",
        "4.1": "random rolls: how dice are thrown",
        "4.2": "rolls: first roll, where dice come to rest",
        "4.3": "moving, and repositioning the dice",
        "4.4": "handling of hit and borne-off checkers",
        "4.5": "lifting dice: the end of a turn",
        "4.6": "premature action",
        "4.7": "error in the set-up",
        "4.8": "illegal moves",
        "4.9": "completion of a game, concessions",
        "4.10": "completion of a match, wrong length",
        "5.1": "keeping score",
        "5.1a": "visual score displays",
        "5.2": "cube at the start",
        "5.3": "gammons count, no beavers, no automatic doubles",
        "5.4": "cube handling",
        "5.5": "Crawford game",
        "5.6": "result and its posting",
        "6.1": "disputes",
        "6.2": "testimony",
        "6.3": "appeals",
        "St. 1": "courtesy and fairness",
        "St. 2": "enforcing the rules against oneself",
        "St. 3": "insisting on the opponent's penalty",
        "St. 4": "no advantage from a technicality",
        "St. 5": "foul or deceptive words and acts",
        "St. 6": "spectators: no cheering, no advice",
        "St. 7": "friendly spirit",
        "ClkR": "Clock Rules 2013, in hand only in part",
    }
)
"""Every section of the text, its Standards of Ethical Practice, and its clock rules as one."""

BIBA_2014 = RuleProfile(
    id="biba-2014",
    title="Biba Rules & Procedures 2014",
    default_section="1.1",
    contents=CONTENTS,
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
            "cube.time": "5.4",
            "cube.rolled": "5.4",
            "cube.owned": "1.2",
            "cube.crawford": "5.5",
            "cube.worth": "5.4",
            "clock": "ClkR",
            "ending": "4.9",
            "score": "4.10",
            "gammon": "5.3",
            "turn": "4.5",
            "match.end": "4.10",
            "match_length": "4.10",
            "match_length.cube": "4.10",
            "penalties": "2.3",
            "penalties.breaks": "2.2",
            "penalties.score": "2.3",
            "slow_play": "2.4",
            "sanctions": "1.9",
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
