"""Cube acts: which policy answers which question, rule set by rule set."""

from __future__ import annotations

from projections.rules.profile import Policy
from projections.rules.subjects.cube_doubles import (
    biba_crawford,
    biba_drop,
    biba_premature,
    biba_time,
    biba_worth,
    common_beaver,
    common_crawford,
    common_time,
    common_worth,
    drop_at,
    fcbg_beaver,
    fcbg_club_time,
    fcbg_crawford,
    fcbg_premature,
    fcbg_time,
    fcbg_worth,
    no_beaver_at,
    usbgf_2017_09_time,
    usbgf_beaver,
    usbgf_crawford,
    usbgf_premature,
    usbgf_time,
    usbgf_worth,
)
from projections.rules.subjects.cube_found import (
    biba_found,
    fcbg_found,
    usbgf_2017_09_found,
    usbgf_found,
)
from projections.rules.subjects.cube_signs import (
    biba_answer,
    biba_shown,
    biba_sign,
    broken,
    common_answer,
    common_shown,
    fcbg_answer,
    fcbg_shown,
    fcbg_sign,
    usbgf_answer,
    usbgf_shown,
    usbgf_sign,
)
from projections.rules.subjects.cube_words import (
    COMMON_CUBE,
    FCBG_DOUBLING,
    USBGF_DEAD,
    as_ratified,
    not_in_hand,
)
from projections.rules.subjects.game_worth import (
    biba_gammon,
    biba_phase,
    common_gammon,
    common_phase,
    fcbg_club_gammon,
    fcbg_club_phase,
    fcbg_gammon,
    fcbg_phase,
    usbgf_gammon,
    usbgf_phase,
)

COMMON: dict[str, Policy] = {
    "cube.time": common_time,
    "cube.worth": common_worth,
    "cube.crawford": common_crawford,
    "cube.drop": drop_at(COMMON_CUBE),
    "cube.answer": common_answer,
    "cube.beaver": common_beaver,
    "cube.shown": common_shown,
    "crawford.phase": common_phase,
    "score.gammon": common_gammon,
}
"""What the common rules say about the cube."""

USBGF_2017_07: dict[str, Policy] = {
    "cube.time": usbgf_time,
    "cube.worth": usbgf_worth,
    "cube.crawford": usbgf_crawford,
    "cube.premature": usbgf_premature,
    "cube.sign": usbgf_sign,
    "cube.broken": broken,
    "cube.drop": drop_at(USBGF_DEAD),
    "cube.answer": usbgf_answer,
    "cube.beaver": usbgf_beaver,
    "cube.found": usbgf_found,
    "cube.shown": usbgf_shown,
    "crawford.phase": usbgf_phase,
    "score.gammon": usbgf_gammon,
}
"""What the draft of July 2017 says about the cube."""

USBGF_2017_09: dict[str, Policy] = {
    "cube.time": usbgf_2017_09_time,
    "cube.worth": as_ratified(usbgf_worth),
    "cube.crawford": as_ratified(usbgf_crawford),
    "cube.premature": as_ratified(usbgf_premature),
    "cube.sign": as_ratified(usbgf_sign),
    "cube.broken": as_ratified(broken),
    "cube.drop": drop_at(USBGF_DEAD),
    "cube.answer": as_ratified(usbgf_answer),
    "cube.beaver": not_in_hand(usbgf_beaver),
    "cube.found": usbgf_2017_09_found,
    "cube.shown": not_in_hand(usbgf_shown),
    "crawford.phase": as_ratified(usbgf_phase),
    "score.gammon": not_in_hand(usbgf_gammon),
}
"""What the ratified text says about the cube, as far as it is in hand."""

BIBA_2014: dict[str, Policy] = {
    "cube.time": biba_time,
    "cube.worth": biba_worth,
    "cube.crawford": biba_crawford,
    "cube.premature": biba_premature,
    "cube.sign": biba_sign,
    "cube.broken": broken,
    "cube.drop": biba_drop,
    "cube.answer": biba_answer,
    "cube.beaver": no_beaver_at("5.3"),
    "cube.found": biba_found,
    "cube.shown": biba_shown,
    "crawford.phase": biba_phase,
    "score.gammon": biba_gammon,
}
"""What Biba's rules say about the cube."""

FCBG_TOURNAMENT: dict[str, Policy] = {
    "cube.time": fcbg_time,
    "cube.worth": fcbg_worth,
    "cube.crawford": fcbg_crawford,
    "cube.premature": fcbg_premature,
    "cube.sign": fcbg_sign,
    "cube.broken": broken,
    "cube.drop": drop_at(FCBG_DOUBLING),
    "cube.answer": fcbg_answer,
    "cube.beaver": fcbg_beaver,
    "cube.found": fcbg_found,
    "cube.shown": fcbg_shown,
    "crawford.phase": fcbg_phase,
    "score.gammon": fcbg_gammon,
}
"""What FCBG's rules say about the cube, tournaments included."""

FCBG_CLUB: dict[str, Policy] = {
    "cube.time": fcbg_club_time,
    "cube.worth": fcbg_worth,
    "cube.drop": drop_at(FCBG_DOUBLING),
    "cube.beaver": fcbg_beaver,
    "crawford.phase": fcbg_club_phase,
    "score.gammon": fcbg_club_gammon,
}
"""What FCBG's rules say about the cube under headings that bind a club."""
