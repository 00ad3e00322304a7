"""`fcbg-tournament` and `fcbg-club`: one text, of which the club keeps only the common headings."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from msgspec.structs import replace

from projections.rules.answers import Answer, ambiguous
from projections.rules.profile import Hearing, Policies, RuleProfile, Rules, Withheld
from projections.rules.subjects import (
    bystanders,
    cube_doubles,
    cube_signs,
    delays,
    dice,
    endings,
)
from projections.rules.subjects.penalties import after_warning, barring
from projections.rules.subjects.results import OFFICIAL, Duties, duties
from projections.rules.texts.fcbg import cube, play, results, table, timing
from projections.rules.texts.fcbg import sections as at
from projections.rules.texts.fcbg.index import CLUB, INDEX

SECTIONS = MappingProxyType(
    {
        "setup": at.SETUP,
        "equipment.change": at.EQUIPMENT_CHANGES,
        "equipment.preference": at.PREFERENCES,
        "equipment.mixing": at.PREFERENCES,
        "play.handling": at.MOVING,
        "testimony": at.TESTIMONY,
        "board": at.SETUP,
        "opening": at.FIRST_ROLL,
        "start.position": at.WRONG_SETUP,
        "window.play": at.ILLEGAL_MOVES,
        "premature.lift": at.EARLY_ROLLS,
        "premature.roll": at.EARLY_ROLLS,
        "premature.cube": at.EARLY_DOUBLES,
        "turn.end": at.LIFTING,
        "play.change": at.LIFTING,
        "dice": at.ROLLS,
        "play": at.ILLEGAL_MOVES,
        "cube": at.CUBE_RULES,
        "cube.time": at.DOUBLING,
        "cube.start": at.CUBE_AT_START,
        "cube.opening": at.DOUBLING,
        "cube.premature": at.EARLY_DOUBLES,
        "cube.rolled": at.CUBE_AFTER_ROLL,
        "cube.owned": at.DOUBLING,
        "cube.crawford": at.CRAWFORD,
        "cube.worth": at.DOUBLING,
        "clock": at.SLOW_PLAY,
        "ending": at.COMPLETION,
        "score": at.SCORING,
        "gammon": at.CUBE_RULES,
        "turn": at.LIFTING,
        "match.end": at.COMPLETION,
        "match_length": at.COMPLETION,
        "match_length.cube": at.COMPLETION,
        "penalties": at.PENALTY_POINTS,
        "penalties.breaks": at.TIME,
        "penalties.absence": at.PENALTY_POINTS,
        "penalties.score": at.PENALTY_POINTS,
        "slow_play": at.SLOW_PLAY,
        # No heading speaks about sanctions: the text says itself that it may not cover everything.
        "sanctions": at.INTERPRETATION,
        "appeal.admissibility": at.APPEALS,
        "appeal.committee": at.APPEALS,
        "dispute.frozen": at.DISPUTES,
        "dispute.disturbed": at.DISPUTES,
        "appeal.director": at.APPEALS,
        "appeal.outcome": at.APPEALS,
        "resignation.validity": at.COMPLETION,
        "claim.validity": at.COMPLETION,
        "completion.waiver": at.COMPLETION,
        "result.duties": at.REPORTING,
        "result.correction": at.REPORTING,
        "score.record": at.SCORING,
        "dice.die": at.ROLLS,
        "dice.throw": at.ROLLS,
        "dice.side": at.ROLLS,
        "cube.automatic": at.AUTOMATICS,
        "clock.terms": at.SLOW_PLAY,
        "clock.delay": at.SLOW_PLAY,
        "clock.fault": at.SLOW_PLAY,
        "clock.stop": at.SLOW_PLAY,
        "clock.flag": at.SLOW_PLAY,
        "clock.forfeit": at.SLOW_PLAY,
        "clock.restart": at.SLOW_PLAY,
    }
)
"""Subject to the heading that speaks about it."""

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
        "cube.drop": cube_doubles.drop_at(at.DOUBLING),
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
        "testimony": bystanders.at_request(at.TESTIMONY),
        "dice.die": play.valid_die,
        "dice.throw": play.valid_throw,
        "dice.side": dice.right_alone(at.ROLLS),
        "cube.automatic": cube.automatic,
        "clock.terms": timing.not_provided("as_set", "director_sets"),
        "clock.delay": timing.not_provided("as_set", "director_sets"),
        "clock.fault": timing.not_provided("restore", "leave"),
        "clock.stop": timing.not_provided("may_stop", "may_not_stop"),
        "clock.flag": timing.flag,
        "clock.forfeit": timing.not_provided(*delays.FORFEIT_READINGS),
        "clock.restart": timing.not_provided(*delays.RESTART_READINGS),
        "game.value": partial(endings.game_value, results.VALUE),
        "game.over": partial(endings.not_over, at.BEARING_OFF),
        "game.dropped": partial(endings.dropped, at.DOUBLING),
        "match.end": partial(endings.match_end, at.COMPLETION),
        "resignation.validity": results.resignation,
        "claim.validity": partial(endings.not_allowed, at.COMPLETION),
        "completion.waiver": partial(endings.not_allowed, at.COMPLETION),
        "premature.roll": play.early_roll,
        "premature.cube": play.early_cube,
        "turn.end": play.turn_end,
        "play.change": play.play_change,
        "match_length": results.wrong_length,
        "penalties": timing.penalty_points,
        "penalties.breaks": timing.breaks,
        "penalties.absence": timing.absence,
        "penalties.score": timing.enters_score,
        "slow_play": after_warning(at.SLOW_PLAY),
        "sanctions": barring(at.APPROVED_ENTRIES, needs_reasons=False),
        "result.duties": partial(
            duties, Duties(section=at.REPORTING, both_report=False, checks=OFFICIAL)
        ),
        "result.correction": results.correction,
        "score.record": results.score_record,
    }
)
"""Subject to policy for tournaments; a subject that is missing is one without a text."""

CLUB_SECTIONS = MappingProxyType(
    {
        "setup": at.SETUP,
        "board": at.SETUP,
        "opening": at.FIRST_ROLL,
        "premature.cube": at.DOUBLING,
        "dice": at.FIRST_ROLL,
        "dice.throw": at.FIRST_ROLL,
        "play": at.MOVEMENT,
        "cube": at.DOUBLING,
        "cube.time": at.DOUBLING,
        "cube.start": at.DOUBLING,
        "cube.opening": at.DOUBLING,
        "cube.premature": at.DOUBLING,
        "cube.rolled": at.DOUBLING,
        "cube.owned": at.DOUBLING,
        "cube.crawford": at.DOUBLING,
        "cube.worth": at.DOUBLING,
        "cube.automatic": at.AUTOMATICS,
        "ending": at.BEARING_OFF,
        "match.end": at.ENTRIES,
        "match_length": at.ENTRIES,
        "score": at.GAMMONS,
        "gammon": at.GAMMONS,
        "turn": at.TURNS,
    }
)
"""Subject to the heading that speaks about it and binds a club."""

CLUB_POLICIES: Policies = MappingProxyType(
    {
        "cube.time": cube.club_doubling_time,
        "cube.worth": cube.worth,
        "cube.drop": cube_doubles.drop_at(at.DOUBLING),
        "cube.beaver": cube.beaver,
        "crawford.phase": cube.club_phase,
        "score.gammon": cube.club_gammon,
        "dice.throw": play.club_throw,
        "cube.automatic": cube.club_automatic,
        "game.value": partial(endings.game_value, results.CLUB_VALUE),
        "game.over": partial(endings.not_over, at.BEARING_OFF),
        "game.dropped": partial(endings.dropped, at.DOUBLING),
        "match.end": partial(endings.match_end, at.ENTRIES),
        "premature.cube": play.club_early_cube,
        "play.handling": table.club_handled,
    }
)
"""Subject to policy for the club: only what stands under headings without /TOURNAMENT."""

READ_FROM = "30f37617399c01b25b3100fda7f40e9e69ba8bc5611840a454750bd9a8ec2da4"
"""SHA-256 of the text that was read, for both."""

FCBG_TOURNAMENT = RuleProfile(
    id="fcbg-tournament",
    title="FCBG rules, tournaments included",
    default_section=at.INTERPRETATION,
    contents=at.CONTENTS,
    index=tuple(INDEX),
    sections=SECTIONS,
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
    # "Either condone it or demand that opponent legally replay"; "reroll [...] if a die [...] lands
    # on a checker".
    choices=MappingProxyType(
        {"moves_policy": ("opponent_condones",), "dice_on_checkers": ("invalid",)}
    ),
    # Relevant testimony and arguments: whether the first ruling is among them, it does not say.
    hearing=Hearing(section=at.APPEALS, unstated=frozenset({Withheld.FIRST_RULING})),
    read_from=READ_FROM,
    policies=POLICIES,
)
"""The profile of FCBG's rules with their /TOURNAMENT headings."""


def tournament_text_only(subject: str, facts: object, rules: Rules) -> Answer:
    """AMB-F3: what a /TOURNAMENT heading alone says does not bind a club, and may be adopted.

    The tournament's answer is suggested; its headings are none of the club's, and are not cited.
    """
    suggest = FCBG_TOURNAMENT.id if subject in POLICIES else None
    question = ambiguous("AMB-F3", at.INTERPRETATION, "does_not_bind", "adopted")
    return replace(question, suggest=suggest)


FCBG_CLUB = RuleProfile(
    id="fcbg-club",
    title="FCBG rules, club play",
    default_section=at.INTERPRETATION,
    contents=at.CLUB,
    index=tuple(CLUB),
    sections=CLUB_SECTIONS,
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
    hearing=Hearing(
        section=at.INTERPRETATION,
        withholds=frozenset({Withheld.PLAYERS}),
        unstated=frozenset({Withheld.FIRST_RULING}),
        knows_appeals=False,
    ),
    read_from=READ_FROM,
    policies=CLUB_POLICIES,
    may_adopt=POLICIES,
    gap=tournament_text_only,
)
"""The profile of FCBG's rules for club play."""
