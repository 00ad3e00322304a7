"""The sections of `wbgf-2.1` of which anything is known, and its sentences with their marks."""

from __future__ import annotations

from projections.rules.profile import Contents
from projections.rules.sentences import Known, Mark

CONTENTS = Contents()

GENERAL = CONTENTS.section("1.1", "what the rules do not cover, and notice of options")
ENTRY = CONTENTS.section("1.4(ii)", "whom the Director may keep from an event")
LATENESS = CONTENTS.section("2.2", "lateness, and what it costs")
SLOW_PLAY = CONTENTS.section("2.3", "slow play")
BOXES = CONTENTS.section("3.4(i)", "baffle boxes")
CLOCKS = CONTENTS.section("3.5", "game clocks")
CLOCK_USE = CONTENTS.section("3.5(i)", "how binding a clock is")
RESERVE = CONTENTS.section("3.5(v)", "the reserve of a clock")
DELAY = CONTENTS.section("3.5(vi)", "the free time of a turn")
ROLLS = CONTENTS.section("4.1(iv)", "valid rolls")
EARLY_DICE = CONTENTS.section("4.1(v)", "dice lifted or rolled early")
END_OF_TURN = CONTENTS.section("4.1(vi)", "end of turn")
LEGAL_MOVES = CONTENTS.section("4.2(iii)", "legal moves")
RESPONSIBLE_MOVES = CONTENTS.section("4.2(iv)", "responsible moves, where they are announced")
CLOCK_STOPS = CONTENTS.section("4.3", "when a clock is stopped")
EXPIRY = CONTENTS.section("4.3(iii)", "a reserve that has run out")
WARNING = CONTENTS.section("4.3(iv)", "warning of a clock that runs wrongly")
TAKES = CONTENTS.section("4.4(iii)", "takes and passes")
COMPLETION = CONTENTS.section("4.5", "games and matches are played to the end")
APPEALS = CONTENTS.section("5.4", "appeals")
REPORT = CONTENTS.section("5.5(i)", "report of a dispute to the federation")

KNOWN = Known()
"""Every sentence that is known; those of one section are told apart by a word."""

_MATRIX = "the reference's decision matrix, where published words are marked V"
_NOTE = "backgammon-deutschland.de, as quoted in the research notes of another program"
_RETOLD = "the research notes of another program, in their own words"

ROLL = KNOWN.sentence(
    ROLLS,
    Mark.PUBLISHED,
    "roll freely, rest flat in the half to the roller's right",
    _MATRIX,
)
NOT_ON_CHECKERS = KNOWN.sentence(
    ROLLS,
    Mark.PUBLISHED,
    "invalid with dice_on_checkers=invalid",
    _MATRIX,
    part="checkers",
)
REPEAT = KNOWN.sentence(ROLLS, Mark.PUBLISHED, "invalid, repeat", _MATRIX, part="repeat")
DECIDES = KNOWN.sentence(
    RESPONSIBLE_MOVES,
    Mark.PUBLISHED,
    "responsible: the opponent decides stand or correct",
    _MATRIX,
)
CLOCK_TURN = KNOWN.sentence(
    END_OF_TURN,
    Mark.QUOTED,
    "In matches played using a game clock a player ends his turn by activating his opponent's"
    " time.",
    _NOTE,
)
LOST = KNOWN.sentence(
    EXPIRY,
    Mark.QUOTED,
    "The player whose time has run out has lost the match.",
    _NOTE,
)
PLAYED_OUT = KNOWN.sentence(
    COMPLETION,
    Mark.QUOTED,
    "All games and matches must be played to completion unless brought to an end by the pass of a"
    " double or, if the match is played using a game clock, by a player running out of time",
    _NOTE,
    part="end",
)
NO_BARGAIN = KNOWN.sentence(
    COMPLETION,
    Mark.QUOTED,
    "the players are not permitted to agree on the outcome of points, of a game or a match",
    _NOTE,
    part="agree",
)
OTHER_TERMS = KNOWN.sentence(
    CLOCKS,
    Mark.QUOTED,
    "or as otherwise specified by the Tournament Director",
    _NOTE,
)
TWO_MINUTES = KNOWN.sentence(
    RESERVE,
    Mark.PARAPHRASED,
    "singles: two minutes for each point of the average remaining length",
    _RETOLD,
)
TWELVE_SECONDS = KNOWN.sentence(
    DELAY,
    Mark.PARAPHRASED,
    "a simple delay of twelve seconds, which does not add up",
    _RETOLD,
)
PAUSES = KNOWN.sentence(
    CLOCK_STOPS,
    Mark.PARAPHRASED,
    "seven pauses are permitted: game over, break, Director called, dice lifted early, dice lifted"
    " while the opponent's clock runs, dispute over an illegal play, game thought decided",
    _RETOLD,
    part="pauses",
)
AGAIN = KNOWN.sentence(
    CLOCK_STOPS,
    Mark.PARAPHRASED,
    "at an invalid roll the clock may be paused, and the delay begins anew",
    _RETOLD,
    part="roll",
)
BOTH_DOWN = KNOWN.sentence(
    CLOCK_STOPS,
    Mark.PARAPHRASED,
    "both reserves at zero and the order unknown: play goes on without a clock, unless one side is"
    " sure to win",
    _RETOLD,
    part="both",
)
NOTICED = KNOWN.sentence(
    EXPIRY,
    Mark.PARAPHRASED,
    "time is out when a player or the Director notices and says so",
    _RETOLD,
    part="noticed",
)
WARN = KNOWN.sentence(
    WARNING,
    Mark.PARAPHRASED,
    "both have to warn of a clock that runs wrongly",
    _RETOLD,
)
TAKE = KNOWN.sentence(
    TAKES,
    Mark.PARAPHRASED,
    "a take: the cube to the own side, and the opponent's clock started",
    _RETOLD,
    part="take",
)
PASS = KNOWN.sentence(
    TAKES,
    Mark.PARAPHRASED,
    "a pass: the cube back to the middle, and the clock paused",
    _RETOLD,
    part="pass",
)
GRAB = KNOWN.sentence(
    EARLY_DICE,
    Mark.PARAPHRASED,
    "dice lifted early: the player may pause and finish; the opponent loses the delay of his next"
    " turn, and waits until it would have ended",
    _RETOLD,
)
PER_FIVE_MINUTES = KNOWN.sentence(
    LATENESS,
    Mark.PARAPHRASED,
    "one penalty point for each five minutes late",
    _RETOLD,
    part="points",
)
BEYOND_HALF = KNOWN.sentence(
    LATENESS,
    Mark.PARAPHRASED,
    "beyond half the length the match is lost",
    _RETOLD,
    part="forfeit",
)
CLOCK_IMPOSED = KNOWN.sentence(
    SLOW_PLAY,
    Mark.PARAPHRASED,
    "slow play: a warning, then a clock is imposed",
    _RETOLD,
)
TO_FEDERATION = KNOWN.sentence(
    REPORT,
    Mark.PARAPHRASED,
    "a decided dispute is reported to the federation with description and reasons, soon after the"
    " tournament",
    _RETOLD,
)
