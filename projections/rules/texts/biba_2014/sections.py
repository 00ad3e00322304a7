"""The sections of `biba-2014`, each said once: its number, and what it speaks about.

The Standards of Ethical Practice are among them, and the clock rules as one.
"""

from __future__ import annotations

from projections.rules.profile import Contents

CONTENTS = Contents()

INTERPRETATION = CONTENTS.section(
    "1.1", "interpretation: doubt goes against whoever initiated the action"
)
SCOPE = CONTENTS.section("1.2", "scope: elsewhere the commonly accepted rules")
STAFF = CONTENTS.section("1.3", "staff")
ENTRIES = CONTENTS.section("1.4", "entries")
AIDS = CONTENTS.section("1.5", "aids")
LANGUAGE = CONTENTS.section("1.6", "language")
SPECTATORS = CONTENTS.section("1.7", "spectators")
RECORDING = CONTENTS.section("1.8", "match recording")
BEHAVIOUR = CONTENTS.section("1.9", "code of behaviour")
PLACE = CONTENTS.section("2.1", "place, and being missing when called")
TIME = CONTENTS.section("2.2", "time and recesses")
PENALTY_POINTS = CONTENTS.section("2.3", "penalty points")
SLOW_PLAY = CONTENTS.section("2.4", "slow play")
MONITORS = CONTENTS.section("2.5", "monitors")
EQUIPMENT = CONTENTS.section("3.1", "equipment")
PREFERENCES = CONTENTS.section("3.2", "preferences")
DICE = CONTENTS.section("3.3", "dice: mixing, two with a clock")
RANDOM_ROLLS = CONTENTS.section("4.1", "random rolls: how dice are thrown")
ROLLS = CONTENTS.section("4.2", "rolls: first roll, where dice come to rest")
MOVING = CONTENTS.section("4.3", "moving, and repositioning the dice")
HANDLING = CONTENTS.section("4.4", "handling of hit and borne-off checkers")
LIFTING = CONTENTS.section("4.5", "lifting dice: the end of a turn")
PREMATURE = CONTENTS.section("4.6", "premature action")
SETUP = CONTENTS.section("4.7", "error in the set-up")
ILLEGAL_MOVES = CONTENTS.section("4.8", "illegal moves")
END_OF_GAME = CONTENTS.section("4.9", "completion of a game, concessions")
END_OF_MATCH = CONTENTS.section("4.10", "completion of a match, wrong length")
SCORE = CONTENTS.section("5.1", "keeping score")
DISPLAYS = CONTENTS.section("5.1a", "visual score displays")
CUBE_AT_START = CONTENTS.section("5.2", "cube at the start")
GAMMONS = CONTENTS.section("5.3", "gammons count, no beavers, no automatic doubles")
CUBE = CONTENTS.section("5.4", "cube handling")
CRAWFORD = CONTENTS.section("5.5", "Crawford game")
RESULT = CONTENTS.section("5.6", "result and its posting")
DISPUTES = CONTENTS.section("6.1", "disputes")
TESTIMONY = CONTENTS.section("6.2", "testimony")
APPEALS = CONTENTS.section("6.3", "appeals")
GOLDEN_RULE = CONTENTS.section("St. 1", "courtesy and fairness")
AGAINST_ONESELF = CONTENTS.section("St. 2", "enforcing the rules against oneself")
AGAINST_OPPONENTS = CONTENTS.section("St. 3", "insisting on the opponent's penalty")
TECHNICALITIES = CONTENTS.section("St. 4", "no advantage from a technicality")
LANGUAGE_AND_ACTS = CONTENTS.section("St. 5", "foul or deceptive words and acts")
NO_CHEERING = CONTENTS.section("St. 6", "spectators: no cheering, no advice")
SPIRIT = CONTENTS.section("St. 7", "friendly spirit")
CLOCK = CONTENTS.section("ClkR", "Clock Rules 2013, in hand only in part")
