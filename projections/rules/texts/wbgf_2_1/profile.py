"""`wbgf-2.1`: WBGF Tournament Rules 2.1 of August 2023, as far as sentences of it are known."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from projections.rules.profile import Hearing, Policies, RuleProfile, Withheld, not_in_hand
from projections.rules.subjects import endings
from projections.rules.texts.wbgf_2_1 import play, timing
from projections.rules.texts.wbgf_2_1 import sections as at
from projections.rules.texts.wbgf_2_1.index import INDEX

SECTIONS = MappingProxyType(
    {
        "dice": at.ROLLS,
        "dice.die": at.ROLLS,
        "dice.throw": at.ROLLS,
        "dice.side": at.ROLLS,
        "turn": at.END_OF_TURN,
        "turn.end": at.END_OF_TURN,
        "play": at.LEGAL_MOVES,
        "window.play": at.LEGAL_MOVES,
        "premature.lift": at.EARLY_DICE,
        "premature.roll": at.EARLY_DICE,
        "clock": at.CLOCK_STOPS,
        "clock.terms": at.RESERVE,
        "clock.delay": at.DELAY,
        "clock.stop": at.CLOCK_STOPS,
        "clock.fault": at.WARNING,
        "clock.flag": at.EXPIRY,
        "clock.forfeit": at.EARLY_DICE,
        "clock.restart": at.CLOCK_STOPS,
        "cube.answer": at.TAKES,
        "ending": at.COMPLETION,
        "game.dropped": at.COMPLETION,
        "completion.waiver": at.COMPLETION,
        "penalties": at.LATENESS,
        "penalties.score": at.LATENESS,
        "slow_play": at.SLOW_PLAY,
        "appeal.admissibility": at.APPEALS,
        "appeal.committee": at.APPEALS,
        "appeal.director": at.APPEALS,
        "appeal.outcome": at.APPEALS,
        "decision.report": at.REPORT,
    }
)
"""Subject to the section that is known to speak of it."""

POLICIES: Policies = MappingProxyType(
    {
        "dice.die": play.valid_die,
        "dice.throw": play.valid_throw,
        "dice.side": play.side,
        "turn.end": play.turn_end,
        "premature.lift": play.early_lift,
        "window.play": play.illegal_play,
        "cube.time": play.doubling_time,
        "cube.worth": play.worth,
        "cube.answer": play.answered,
        "game.dropped": play.dropped,
        "completion.waiver": play.waived,
        "clock.terms": timing.terms,
        "clock.delay": timing.delay,
        "clock.stop": timing.stop,
        "clock.fault": timing.fault,
        "clock.flag": timing.flag,
        "clock.forfeit": timing.forfeit,
        "clock.restart": timing.restart,
        "game.value": partial(endings.value_unread, at.GENERAL),
        "match.end": partial(endings.match_end_unread, at.GENERAL),
        "crawford.phase": play.phase,
        "decision.report": play.report,
        "penalties": timing.penalty_points,
        "slow_play": timing.slow_play,
    }
)
"""Subject to policy; a subject that is missing is one of which no sentence is known."""

WBGF_2_1 = RuleProfile(
    id="wbgf-2.1",
    title="WBGF Tournament Rules 2.1 (August 2023), as far as sentences are known",
    default_section=at.GENERAL,
    contents=at.CONTENTS,
    index=tuple(INDEX),
    sections=SECTIONS,
    choices=MappingProxyType({"moves_policy": ("legal", "responsible")}),
    options=MappingProxyType(
        {
            "match_length_points": None,
            "event_kind": None,
            "moves_policy": "legal",
            "dice_on_checkers": None,
            "clock_use": None,
            "clock_terms": None,
            "dice_count": None,
            "baffle_box": None,
            "crawford": None,
            "automatic_doubles": None,
            "beavers": None,
            "jacoby": None,
            "official_languages": None,
            "notice": None,
        }
    ),
    hearing=Hearing(section=at.APPEALS, unstated=frozenset(Withheld), is_in_hand=False),
    sentences=at.KNOWN,
    policies=POLICIES,
    gap=not_in_hand,
)
"""The profile of the WBGF's rules, sentence by sentence."""
