"""`common`: the general rules of backgammon, to which all other texts fall back."""

from __future__ import annotations

from types import MappingProxyType

from projections.rules.profile import Policy, RuleProfile
from projections.rules.subjects import cube_acts, dice, endings, premature

POLICIES: dict[str, Policy] = {
    **cube_acts.COMMON,
    **dice.COMMON,
    **endings.COMMON,
    **premature.COMMON,
}
"""Subject to policy; a subject that is missing is one on which the text is silent."""

CONTENTS = MappingProxyType(
    {
        "Objective": "bearing off first, matches to a number of points",
        "Setup": "board and starting position",
        "Movement": "opening roll, dice, legal plays, hits, entering",
        "Bearing off": "bearing off, gammon, backgammon",
        "Doubling cube": "doubles, takes, drops, who owns the cube",
    }
)
"""The chapters of the text."""

COMMON = RuleProfile(
    id="common",
    title="Rules of Backgammon",
    default_section="Objective",
    contents=CONTENTS,
    sections=MappingProxyType(
        {
            "setup": "Setup",
            "premature.lift": "Movement",
            "premature.roll": "Movement",
            "premature.cube": "Doubling cube",
            "turn.end": "Movement",
            "play.change": "Movement",
            "start.position": "Setup",
            "window.play": "Movement",
            "dice": "Movement",
            "play": "Movement",
            "bear_off": "Bearing off",
            "cube": "Doubling cube",
            "cube.time": "Doubling cube",
            "cube.rolled": "Doubling cube",
            "cube.owned": "Doubling cube",
            "cube.crawford": "Doubling cube",
            "cube.worth": "Doubling cube",
            "ending": "Bearing off",
            "match.end": "Objective",
            "score": "Objective",
            "gammon": "Bearing off",
            "turn": "Movement",
            **dice.COMMON_SECTIONS,
        }
    ),
    # The text declares no option: what the players agreed is pinned as such, and holds. It makes
    # no cube act void either: a double that it does not provide for is found, and stands as made.
    options=MappingProxyType(
        {
            "crawford": None,
            "jacoby": None,
            "beavers": None,
            "automatic_doubles": None,
            "rated": None,
            "event_kind": None,
            "dice_count": None,
            "baffle_box": None,
            "clock_use": None,
            "clock_terms": None,
            "official_languages": None,
            "notice": None,
            "match_length_points": None,
            "moves_policy": "legal",
        }
    ),
    policies=MappingProxyType(POLICIES),
)
"""The profile of the common rules."""
