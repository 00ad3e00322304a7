"""`fcbg-tournament` and `fcbg-club`: one text, of which the club keeps only the common headings."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

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
from projections.rules.answers import Answer, ambiguous
from projections.rules.profile import Policy, RuleProfile, Rules

POLICIES: dict[str, Policy] = {
    "window.play": windows.fcbg_tournament,
    "start.position": starting.fcbg_tournament,
    **cube_acts.FCBG_TOURNAMENT,
    **appeals.FCBG_TOURNAMENT,
    **dice.FCBG_TOURNAMENT,
    **endings.FCBG_TOURNAMENT,
    **premature.FCBG_TOURNAMENT,
    **match_length.FCBG_TOURNAMENT,
    **penalties.FCBG_TOURNAMENT,
    **results.FCBG_TOURNAMENT,
    **clock_terms.FCBG_TOURNAMENT,
}
"""Subject to policy for tournaments; a subject that is missing is one without a text."""

CLUB_POLICIES: dict[str, Policy] = {
    **cube_acts.FCBG_CLUB,
    **dice.FCBG_CLUB,
    **endings.FCBG_CLUB,
    **premature.FCBG_CLUB,
}
"""Subject to policy for the club: only what stands under headings without /TOURNAMENT."""

_SECTIONS = MappingProxyType(
    {
        "setup": "SETUP/BOARD",
        "start.position": "IRR/T(d)",
        "window.play": "IRR/T(h)",
        "premature.lift": "IRR/T(c)",
        "premature.roll": "IRR/T(a)",
        "premature.cube": "IRR/T(k)",
        "turn.end": "IRR/T(c)",
        "play.change": "IRR/T(c)",
        "dice": "IRR/T(b)",
        "play": "IRR/T(h)",
        "cube": "CUBE RULES/T",
        "clock": "SLOW PLAY/T",
        "ending": "COMPLETION/T",
        "score": "SCORING/T",
        "gammon": "CUBE RULES/T",
        "turn": "IRR/T(c)",
        "match_length": "COMPLETION/T",
        "match_length.cube": "COMPLETION/T",
        "penalties": "PENALTY POINTS/T",
        "penalties.breaks": "TIME/T",
        "penalties.score": "PENALTY POINTS/T",
        **appeals.FCBG_SECTIONS,
        **endings.FCBG_SECTIONS,
        **results.FCBG_SECTIONS,
        **dice.FCBG_SECTIONS,
        **clock_terms.FCBG_SECTIONS,
    }
)

FCBG_TOURNAMENT = RuleProfile(
    id="fcbg-tournament",
    title="FCBG rules, tournaments included",
    default_section="INTERPRETATION",
    sections=_SECTIONS,
    options=MappingProxyType(
        {
            "match_length_points": None,
            "event_kind": None,
            "moves_policy": "opponent_condones",
            "dice_on_checkers": "invalid",
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
"""The profile of FCBG's rules with their /TOURNAMENT headings."""


def tournament_text_only(subject: str, facts: Any, rules: Rules) -> Answer:
    """AMB-F3: what a /TOURNAMENT heading alone says does not bind a club, and may be adopted."""
    return ambiguous("AMB-F3", rules.profile.cite(subject)[1], "does_not_bind", "adopted")


FCBG_CLUB = RuleProfile(
    id="fcbg-club",
    title="FCBG rules, club play",
    default_section="INTERPRETATION",
    sections=MappingProxyType(
        {
            "setup": "SETUP/BOARD",
            "premature.roll": "IRR/T(a)",
            "premature.cube": "DOUBLING",
            "premature.lift": "IRR/T(c)",
            "turn.end": "IRR/T(c)",
            "play.change": "IRR/T(c)",
            "dice": "1ST ROLL",
            "start.position": "IRR/T(d)",
            "window.play": "IRR/T(h)",
            "play": "MOVEMENT",
            "cube": "DOUBLING",
            "ending": "BEARING OFF",
            "score": "GAMMONS",
            "gammon": "GAMMONS",
            "turn": "SUBSEQUENT ROLLS",
            **appeals.FCBG_SECTIONS,
            **endings.FCBG_SECTIONS,
            **results.FCBG_SECTIONS,
            **dice.FCBG_SECTIONS,
            **clock_terms.FCBG_SECTIONS,
        }
    ),
    options=MappingProxyType(
        {
            "match_length_points": None,
            "event_kind": None,
            "crawford": None,
            "automatic_doubles": None,
            "beavers": None,
            "jacoby": None,
            "rated": None,
            "official_languages": ("English",),
        }
    ),
    policies=MappingProxyType(CLUB_POLICIES),
    gap=tournament_text_only,
)
"""The profile of FCBG's rules for club play."""
