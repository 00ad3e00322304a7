"""`usbgf-2017-07`: USBGF Tournament Rules as proposed for public comment in July 2017."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from projections.rules.profile import CubeFault, Hearing, Policies, RuleProfile
from projections.rules.subjects import clock_terms, cube_doubles, cube_signs, delays, dice, endings
from projections.rules.subjects.penalties import barring
from projections.rules.subjects.results import Duties, duties
from projections.rules.texts.usbgf_2017_07 import cube, play, results, table, timing
from projections.rules.texts.usbgf_2017_07 import sections as at
from projections.rules.texts.usbgf_2017_07.index import INDEX

SECTIONS = MappingProxyType(
    {
        "setup": at.SETUP,
        "equipment.change": at.EQUIPMENT_CHANGES,
        "equipment.preference": at.PREFERENCES,
        "equipment.mixing": at.EQUIPMENT_CHANGES,
        "play.handling": at.HANDLING,
        "board": at.GENERAL,
        "opening": at.ROLLS,
        "premature.lift": at.EARLY_ROLLS,
        "premature.roll": at.EARLY_ROLLS,
        "premature.cube": at.CUBE,
        "turn.end": at.END_OF_TURN,
        "play.change": at.END_OF_TURN,
        "start.position": at.SETUP,
        "window.play": at.LEGAL_MOVES,
        "dice": at.ROLLS,
        "play": at.LEGAL_MOVES,
        "cube": at.CUBE,
        "cube.time": at.CUBE,
        "cube.start": at.SETUP,
        "cube.opening": at.GENERAL,
        "cube.premature": at.CUBE,
        "cube.rolled": at.CUBE,
        "cube.owned": at.CUBE,
        "cube.crawford": at.CRAWFORD,
        "cube.worth": at.DEAD_CUBE,
        "clock": at.CLOCK_STOPS,
        "ending": at.COMPLETION,
        "score": at.COMPLETION,
        "gammon": at.COMPLETION,
        "turn": at.END_OF_TURN,
        "match.end": at.COMPLETION,
        "match_length": at.LENGTH,
        "match_length.cube": at.LENGTH,
        "penalties": at.TIMES,
        "penalties.breaks": at.TIMES,
        "penalties.absence": at.TIMES,
        "penalties.score": at.TIMES,
        "appeal.admissibility": at.APPEALS,
        "appeal.committee": at.APPEALS,
        "dispute.frozen": at.APPEALS,
        "dispute.disturbed": at.ETIQUETTE,
        "appeal.director": at.APPEALS,
        "appeal.outcome": at.APPEALS,
        "game.value": at.COMPLETION,
        "game.over": at.SETUP,
        "resignation.validity": at.COMPLETION,
        "claim.validity": at.COMPLETION,
        "completion.waiver": at.COMPLETION,
        "result.duties": at.REPORTING,
        "result.correction": at.REPORTING,
        "score.record": at.SCORE,
        "dice.die": at.ROLLS,
        "dice.throw": at.ROLLS,
        "dice.side": at.ROLLS,
        "cube.automatic": at.GENERAL,
        "clock.terms": at.CLOCKS,
        "clock.delay": at.CLOCKS,
        "clock.fault": at.CLOCK_STOPS,
        "clock.stop": at.CLOCK_STOPS,
        "clock.flag": at.CLOCK_STOPS,
        "clock.forfeit": at.EARLY_ROLLS,
        "clock.restart": at.CLOCK_STOPS,
    }
)
"""Subject to the section that speaks about it."""

POLICIES: Policies = MappingProxyType(
    {
        "window.play": play.illegal_play,
        "start.position": play.wrong_start,
        "cube.time": cube.doubling_time,
        "cube.worth": cube.worth,
        "cube.crawford": cube.in_crawford_game,
        "cube.premature": cube.premature,
        "cube.sign": cube.sign,
        "cube.broken": cube_signs.broken,
        "cube.drop": cube_doubles.drop_at(at.DEAD_CUBE),
        "cube.answer": cube.answered,
        "cube.beaver": cube.beaver,
        "cube.found": cube.found,
        "cube.shown": cube.shown,
        "crawford.phase": cube.phase,
        "score.gammon": cube.gammon,
        "appeal.admissibility": results.appeal_admitted,
        "appeal.committee": results.committee,
        "dispute.disturbed": results.disturbed,
        "appeal.director": results.director_vote,
        "appeal.outcome": results.appeal_outcome,
        "equipment.change": table.change,
        "equipment.preference": table.preference,
        "equipment.mixing": table.mixing,
        "play.handling": table.handled,
        "dice.die": play.valid_die,
        "dice.throw": play.valid_throw,
        "dice.side": dice.right_alone(at.ROLLS),
        "cube.automatic": cube.automatic,
        "clock.terms": timing.terms,
        "clock.delay": clock_terms.simple_delay(at.CLOCKS),
        "clock.fault": timing.fault,
        "clock.stop": timing.stop,
        "clock.flag": timing.flag,
        "clock.forfeit": delays.silent_on_forfeits(at.EARLY_ROLLS, at.CLOCK_STOPS),
        "clock.restart": delays.silent_on_restarts(at.CLOCK_STOPS),
        "game.value": partial(endings.game_value, results.VALUE),
        "game.over": partial(endings.not_over, at.SETUP),
        "game.dropped": partial(endings.dropped, at.COMPLETION),
        "match.end": partial(endings.match_end, at.COMPLETION),
        "resignation.validity": results.resignation,
        "claim.validity": results.claim,
        "completion.waiver": partial(endings.not_allowed, at.COMPLETION),
        "premature.roll": play.early_roll,
        "premature.cube": play.early_cube,
        "turn.end": play.turn_end,
        "play.change": play.play_change,
        "match_length": results.wrong_length,
        "match_length.cube": results.cube_by_length,
        "penalties": timing.penalty_points,
        "penalties.breaks": timing.breaks,
        "penalties.absence": timing.absence,
        "penalties.score": timing.enters_score,
        "sanctions": barring(at.REGISTRATION),
        "result.duties": partial(
            duties, Duties(section=at.REPORTING, both_report=True, checks="both")
        ),
        "result.correction": results.correction,
        "score.record": results.score_record,
    }
)
"""Subject to policy; a subject that is missing is one on which the text is silent."""

USBGF_2017_07 = RuleProfile(
    id="usbgf-2017-07",
    title="USBGF Tournament Rules (proposed for public comment, July 2017)",
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
    # The committee "upholds, reverses or modifies" the ruling and its intended action: both are
    # before it, and nobody is kept secret from it.
    hearing=Hearing(section=at.APPEALS),
    read_from="42dc8ccc9f5a9f5cd833d60304f188b68ffd3cdd6874880d15ecb6fbf12e1771",
    policies=POLICIES,
)
"""The profile of the draft of July 2017."""
