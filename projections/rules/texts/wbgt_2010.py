"""`wbgt-2010`: World Backgammon Tour rules of 2010, of which one paraphrased sentence is known."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from projections.rules import index
from projections.rules.answers import NOT_IN_HAND, Answer, left_open, settled
from projections.rules.profile import (
    Contents,
    CubeFault,
    Hearing,
    Policies,
    RuleProfile,
    Rules,
    Withheld,
    not_in_hand,
)
from projections.rules.sentences import Known, Mark
from projections.rules.subjects import cube_doubles, cube_words, endings, game_worth, windows
from projections.rules.subjects.clock_terms import StopFacts
from projections.rules.subjects.cube_doubles import CUBE_TIME, CUBE_WORTH, DoubleFacts
from projections.rules.subjects.game_worth import PhaseFacts
from projections.rules.subjects.windows import WindowFacts

CONTENTS = Contents()

WHOLE = CONTENTS.section("whole text", "what no known sentence speaks of")
ILLEGAL_PLAYS = CONTENTS.section("4.2", "illegal plays, and how they are corrected with clocks")

KNOWN = Known()
_RETOLD = "a discussion among players of 2010, in their own words"

CORRECT = KNOWN.sentence(
    ILLEGAL_PLAYS,
    Mark.PARAPHRASED,
    "an illegal play noticed before the next roll must be corrected",
    _RETOLD,
    part="correct",
)
WITH_CLOCKS = KNOWN.sentence(
    ILLEGAL_PLAYS,
    Mark.PARAPHRASED,
    "with clocks: stop, restart the opponent's time; after his delay has run out he may correct",
    _RETOLD,
    part="clock",
)

INDEX = index.Lines()
INDEX.left(WHOLE, "all of which no sentence is known", index.NOT_IN_HAND)
INDEX.computed(
    WHOLE, "what a game counts, when the match is won: a question", "game.value", "match.end"
)
INDEX.computed(WHOLE, "a double with nothing against it", "cube.time", "cube.worth")
INDEX.computed(
    WHOLE, "which game is the Crawford game where that is pinned, else a question", "crawford.phase"
)
INDEX.computed(ILLEGAL_PLAYS, "an illegal play noticed before the next roll", "window.play")
INDEX.left(ILLEGAL_PLAYS, "an illegal play noticed later, or by others", index.NOT_IN_HAND)
INDEX.computed(ILLEGAL_PLAYS, "a clock that is stopped for an illegal play", "clock.stop")
INDEX.computed(WHOLE, "a clock that is stopped for another reason: a question", "clock.stop")


_READINGS = (windows.MUST_CORRECT, windows.STANDS)


def illegal_play(facts: WindowFacts, rules: Rules) -> Answer:
    """Until the next roll it must be corrected; `stop` has what is done with a clock.

    By whom the words do not say; nor are any in hand of throws that do not count, of doubles in
    between, of what others notice, and of agreements.
    """
    is_before_roll = not (facts.tossed or facts.void_throw or facts.early_roll)
    is_before_roll &= not (facts.early_undone or facts.opponent_doubled or facts.turn_passed)
    is_plain = not (facts.offender_rolled or facts.game_over or facts.agreed or facts.is_legal)
    is_plain &= facts.noticed_by not in windows.THIRD_PERSONS
    if not is_before_roll or not is_plain or rules.options.get("moves_policy") == "responsible":
        return left_open(NOT_IN_HAND, ILLEGAL_PLAYS, *_READINGS)
    undoes = (facts.play, *facts.later)
    answer = settled(windows.MUST_CORRECT, ILLEGAL_PLAYS, until=windows.NEXT_TOSS, undoes=undoes)
    return answer.resting_on(CORRECT, readings=_READINGS)


def stop(facts: StopFacts, rules: Rules) -> Answer:
    """For an illegal play; whoever made it may correct it after his delay has run out."""
    readings = ("may_stop", "may_not_stop")
    if facts.reason != "illegal_play":
        return left_open(NOT_IN_HAND, WHOLE, *readings)
    answer = settled("may_stop", ILLEGAL_PLAYS, correction="after_opponents_delay")
    return answer.resting_on(WITH_CLOCKS, readings=readings)


def doubling_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """A double with nothing against it; of any other no sentence is in hand."""
    return cube_doubles.in_order(facts, WHOLE) or rules.gap(CUBE_TIME, facts)


def worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """A double of use to whoever makes it; of any other no sentence is in hand."""
    if CubeFault.DEAD in facts.faults:
        return rules.gap(CUBE_WORTH, facts)
    return cube_words.said(cube_words.ALLOWED, WHOLE)


def phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """As the option is pinned; where nobody pinned it, no words in hand say whether there is one.

    Nor do any say whether penalty points enter the score by which the game is found.
    """
    if not rules.is_on("crawford"):
        return left_open(NOT_IN_HAND, WHOLE, cube_words.ADOPTED, game_worth.NO_CRAWFORD_RULE)
    return game_worth.phase_unread(facts, WHOLE)


SECTIONS = MappingProxyType(
    {"play": ILLEGAL_PLAYS, "window.play": ILLEGAL_PLAYS, "clock.stop": ILLEGAL_PLAYS}
)
"""Subject to the section that is known to speak of it."""

POLICIES: Policies = MappingProxyType(
    {
        "window.play": illegal_play,
        "clock.stop": stop,
        "cube.time": doubling_time,
        "cube.worth": worth,
        "crawford.phase": phase,
        "game.value": partial(endings.value_unread, WHOLE),
        "match.end": partial(endings.match_end_unread, WHOLE),
    }
)
"""Subject to policy; a subject that is missing is one of which no sentence is known."""

WBGT_2010 = RuleProfile(
    id="wbgt-2010",
    title="World Backgammon Tour (WBGT) rules 2010, of which one sentence is known",
    default_section=WHOLE,
    contents=CONTENTS,
    index=tuple(INDEX),
    sections=SECTIONS,
    options=MappingProxyType(
        {
            "match_length_points": None,
            "event_kind": None,
            "moves_policy": None,
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
    hearing=Hearing(section=WHOLE, unstated=frozenset(Withheld), is_in_hand=False),
    sentences=KNOWN,
    policies=POLICIES,
    gap=not_in_hand,
)
"""The profile of the tour's rules, which ask of nearly everything."""
