"""`fcbg-tournament` and `fcbg-club`: one text, of which the club keeps only the common headings."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from projections.rules.answers import Answer, ambiguous
from projections.rules.profile import Policy, RuleProfile, Rules
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
        "cube.time": "DOUBLING",
        "cube.rolled": "IRR/T(j)",
        "cube.owned": "DOUBLING",
        "cube.crawford": "CRAWFORD/T",
        "cube.worth": "DOUBLING",
        "clock": "SLOW PLAY/T",
        "ending": "COMPLETION/T",
        "score": "SCORING/T",
        "gammon": "CUBE RULES/T",
        "turn": "IRR/T(c)",
        "match.end": "COMPLETION/T",
        "match_length": "COMPLETION/T",
        "match_length.cube": "COMPLETION/T",
        "penalties": "PENALTY POINTS/T",
        "penalties.breaks": "TIME/T",
        "penalties.score": "PENALTY POINTS/T",
        "slow_play": "SLOW PLAY/T",
        "sanctions": "PENALTY POINTS/T",
        **appeals.FCBG_SECTIONS,
        **endings.FCBG_SECTIONS,
        **results.FCBG_SECTIONS,
        **dice.FCBG_SECTIONS,
        **clock_terms.FCBG_SECTIONS,
    }
)

CLUB_CONTENTS = MappingProxyType(
    {
        "INTERPRETATION": "tournament rules do not by themselves hold for club play",
        "CLUB MEMBERSHIP": "list of members",
        "ENTRIES": "members arrange opponent, length, rated or unrated",
        "SPECTATORS": "spectators may converse",
        "SETUP/BOARD": "checkers and starting position",
        "1ST ROLL": "opening roll and its ties",
        "SUBSEQUENT ROLLS": "turns, and doublets played twice",
        "MOVEMENT": "legal plays, hits, entering",
        "BEARING OFF": "bearing off, and who wins",
        "DOUBLING": "doubles, takes, refusals, who owns the cube",
        "AUTOMATICS": "automatic doubles by agreement",
        "BEAVERS": "beavers by agreement",
        "JACOBY": "Jacoby by agreement",
        "GAMMONS": "single games and gammons",
        "BACKGAMMONS": "backgammons",
    }
)
"""The headings that bind a club; those of GAME PLAY without that word."""

CONTENTS = MappingProxyType(
    {
        **CLUB_CONTENTS,
        "ENTRIES/T": "approval of entries",
        "AIDS/T": "aids and headphones",
        "LANGUAGE/T": "language",
        "SPECTATORS/T": "silence of spectators",
        "LOCATION/T": "where matches are played",
        "TIME/T": "appointed times and recesses",
        "PENALTY POINTS/T": "penalty points for time and recesses",
        "SLOW PLAY/T": "slow play and monitoring clocks",
        "MONITORS/T": "monitors",
        "SETUP/PREFERENCES/T": "board, colour, dice, cups, direction, seat",
        "EQUIPMENT CHANGES/T": "defective equipment",
        "COMPLETION/T": "completion of games and matches, concessions",
        "REPORTING RESULTS/T": "reporting, posting, correcting a result",
        "SCORING/T": "keeping score",
        "CUBE RULES/T": "gammons count, how to double, take, pass",
        "CRAWFORD/T": "Crawford game",
        "IRR/T(a)": "premature rolls",
        "IRR/T(b)": "how dice are thrown and come to rest",
        "IRR/T(c)": "lifting dice: the end of a turn",
        "IRR/T(d)": "wrong starting position",
        "IRR/T(e)": "moving checkers",
        "IRR/T(f)": "hit checkers",
        "IRR/T(g)": "borne-off checkers",
        "IRR/T(h)": "illegal moves",
        "IRR/T(i)": "cube at the start",
        "IRR/T(j)": "cube after one's own roll",
        "IRR/T(k)": "premature doubles",
        "CONT/T(a)": "disputes",
        "CONT/T(b)": "testimony",
        "CONT/T(c)": "appeals",
    }
)
"""All headings, `/T` where they carry /TOURNAMENT; items of IRREGULARITIES and CONTENTIONS."""

FCBG_TOURNAMENT = RuleProfile(
    id="fcbg-tournament",
    title="FCBG rules, tournaments included",
    default_section="INTERPRETATION",
    contents=CONTENTS,
    sections=_SECTIONS,
    options=MappingProxyType(
        {
            "match_length_points": None,
            "event_kind": None,
            "moves_policy": "opponent_condones",
            "dice_on_checkers": "invalid",
            "dice_count": 4,
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
    """AMB-F3: what a /TOURNAMENT heading alone says does not bind a club, and may be adopted.

    The tournament's answer is suggested; its headings are none of the club's, and are not cited.
    """
    suggest = FCBG_TOURNAMENT.id if subject in POLICIES else None
    question = ambiguous("AMB-F3", "INTERPRETATION", "does_not_bind", "adopted")
    return replace(question, suggest=suggest)


FCBG_CLUB = RuleProfile(
    id="fcbg-club",
    title="FCBG rules, club play",
    default_section="INTERPRETATION",
    contents=CLUB_CONTENTS,
    sections=MappingProxyType(
        {
            "setup": "SETUP/BOARD",
            "premature.cube": "DOUBLING",
            "dice": "1ST ROLL",
            "dice.throw": "1ST ROLL",
            "play": "MOVEMENT",
            "cube": "DOUBLING",
            "cube.time": "DOUBLING",
            "cube.rolled": "DOUBLING",
            "cube.owned": "DOUBLING",
            "cube.crawford": "DOUBLING",
            "cube.worth": "DOUBLING",
            "cube.automatic": "AUTOMATICS",
            "ending": "BEARING OFF",
            "match.end": "ENTRIES",
            "score": "GAMMONS",
            "gammon": "GAMMONS",
            "turn": "SUBSEQUENT ROLLS",
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
        }
    ),
    policies=MappingProxyType(CLUB_POLICIES),
    gap=tournament_text_only,
)
"""The profile of FCBG's rules for club play."""
