"""`biba-2014`: Biba Rules & Procedures 2014; its Clock Rules 2013 are in hand only in part."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from projections.rules.profile import (
    HEARD_WORDS,
    CubeFault,
    Hearing,
    Policies,
    RuleProfile,
    Withheld,
)
from projections.rules.subjects import bystanders, cube_doubles, cube_signs, delays, dice, endings
from projections.rules.subjects.penalties import after_warning, barring
from projections.rules.subjects.results import Duties, duties
from projections.rules.texts.biba_2014 import cube, play, results, table, timing
from projections.rules.texts.biba_2014 import sections as at
from projections.rules.texts.biba_2014.index import INDEX

SECTIONS = MappingProxyType(
    {
        "setup": at.SETUP,
        "equipment.change": at.EQUIPMENT,
        "equipment.preference": at.PREFERENCES,
        "equipment.mixing": at.DICE,
        "play.handling": at.MOVING,
        "testimony": at.TESTIMONY,
        "board": at.SCOPE,
        "opening": at.ROLLS,
        "premature.roll": at.PREMATURE,
        "premature.lift": at.ROLLS,
        "premature.cube": at.PREMATURE,
        "turn.end": at.LIFTING,
        "play.change": at.LIFTING,
        "start.position": at.SETUP,
        "window.play": at.ILLEGAL_MOVES,
        "dice": at.ROLLS,
        "play": at.ILLEGAL_MOVES,
        "cube": at.CUBE,
        "cube.time": at.CUBE,
        "cube.start": at.CUBE_AT_START,
        "cube.opening": at.CUBE,
        "cube.reopening": at.CRAWFORD,
        "cube.premature": at.CUBE,
        "cube.rolled": at.CUBE,
        "cube.owned": at.SCOPE,
        "cube.crawford": at.CRAWFORD,
        "cube.worth": at.END_OF_MATCH,
        "clock": at.CLOCK,
        "ending": at.END_OF_GAME,
        "score": at.END_OF_MATCH,
        "gammon": at.GAMMONS,
        "turn": at.LIFTING,
        "match.end": at.END_OF_MATCH,
        "resignation.validity": at.END_OF_GAME,
        "claim.validity": at.END_OF_GAME,
        "result.duties": at.RESULT,
        "result.correction": at.RESULT,
        "score.record": at.SCORE,
        "match_length": at.END_OF_MATCH,
        "match_length.sheets": at.END_OF_MATCH,
        "match_length.cube": at.END_OF_MATCH,
        "penalties": at.PENALTY_POINTS,
        "penalties.breaks": at.TIME,
        "penalties.absence": at.TIME,
        "penalties.score": at.PENALTY_POINTS,
        "dispute.frozen": at.DISPUTES,
        "dispute.disturbed": at.DISPUTES,
        "slow_play": at.SLOW_PLAY,
        "sanctions": at.BEHAVIOUR,
        "dice.die": at.ROLLS,
        "dice.throw": at.ROLLS,
        "dice.side": at.ROLLS,
        "cube.automatic": at.GAMMONS,
        "clock.terms": at.CLOCK,
        "clock.delay": at.CLOCK,
        "clock.fault": at.CLOCK,
        "clock.stop": at.CLOCK,
        "clock.flag": at.CLOCK,
        "clock.forfeit": at.PREMATURE,
        "clock.restart": at.CLOCK,
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
        "cube.drop": cube.drop,
        "cube.answer": cube.answered,
        "cube.beaver": cube_doubles.no_beaver_at(at.GAMMONS),
        "cube.found": cube.found,
        "cube.replay": cube.replayed,
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
        "testimony": bystanders.at_request(
            at.TESTIMONY, of_both=at.ILLEGAL_MOVES, of_committee=at.APPEALS
        ),
        "dice.die": play.valid_die,
        "dice.throw": play.valid_throw,
        "dice.side": dice.right_alone(at.ROLLS),
        "cube.automatic": cube.automatic,
        "clock.terms": timing.terms,
        "clock.delay": timing.delay,
        "clock.fault": timing.fault,
        "clock.stop": timing.stop,
        "clock.flag": timing.flag,
        "clock.forfeit": delays.silent_on_forfeits(at.PREMATURE, at.CLOCK),
        "clock.restart": delays.silent_on_restarts(at.CLOCK),
        "game.value": partial(endings.game_value, results.VALUE),
        "game.over": partial(endings.not_over, at.SETUP),
        "game.dropped": partial(endings.dropped, at.END_OF_GAME),
        "match.end": partial(endings.match_end, at.END_OF_MATCH),
        "resignation.validity": results.resignation,
        "claim.validity": partial(endings.not_allowed, at.END_OF_GAME),
        "completion.waiver": results.waiver,
        "premature.roll": play.early_roll,
        "premature.lift": play.early_lift,
        "premature.cube": play.early_cube,
        "turn.end": play.turn_end,
        "play.change": play.play_change,
        "match_length": results.wrong_length,
        "match_length.sheets": results.sheets,
        "penalties": timing.penalty_points,
        "penalties.breaks": timing.breaks,
        "penalties.absence": timing.absence,
        "penalties.score": timing.enters_score,
        "slow_play": after_warning(at.SLOW_PLAY),
        "sanctions": barring(at.BEHAVIOUR, prizes_lost=True),
        "result.duties": partial(
            duties, Duties(section=at.RESULT, both_report=True, checks="winner")
        ),
        "result.correction": results.correction,
        "score.record": results.score_record,
    }
)
"""Subject to policy; a subject that is missing is one on which the text is silent."""

BIBA_2014 = RuleProfile(
    id="biba-2014",
    title="Biba Rules & Procedures 2014",
    default_section=at.INTERPRETATION,
    contents=at.CONTENTS,
    index=tuple(INDEX),
    sections=SECTIONS,
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
    # "All moves in the game shall be Legal Moves only"; "both dice must come to rest flat [...] on
    # the playing surface".
    choices=MappingProxyType({"moves_policy": ("legal",), "dice_on_checkers": ("invalid",)}),
    void_cube_acts=frozenset({CubeFault.CRAWFORD}),
    # 6.3: the two players are kept secret, the initial ruling is excluded. Of words the committee
    # hears what witnesses and the parties say; any other free text could name somebody.
    hearing=Hearing(
        section=at.APPEALS,
        withholds=frozenset({Withheld.PLAYERS, Withheld.FIRST_RULING}),
        words=HEARD_WORDS,
    ),
    read_from="ef217d854c577885a79dc63f5614b97d079e32bcf9ad2d3f22e4753666044e9a",
    policies=POLICIES,
)
"""The profile of Biba's rules."""
