"""The sections of `usbgf-2024` of which anything is known, and its sentences with their marks."""

from __future__ import annotations

from projections.rules.profile import Contents
from projections.rules.sentences import Known, Mark

CONTENTS = Contents()

GENERAL = CONTENTS.section("1", "what the rules do not address: the Director decides")
TIMES = CONTENTS.section("2.2", "lateness and breaks, and what they cost")
CLOCKS = CONTENTS.section("3.5", "game clocks")
EARLY_DICE = CONTENTS.section("4.1(v)", "dice lifted or rolled early")
EXPIRY = CONTENTS.section("4.3", "a reserve that has run out")
CRAWFORD = CONTENTS.section("4.4.8", "Crawford game and dead cubes, as the Ruling Guide has them")

KNOWN = Known()
"""Every sentence that is known; those of one section are told apart by a word."""

_NOTE = "the federation's page, as quoted in the research notes of another program"
_RETOLD = "the research notes of another program, in their own words"
_GUIDE = "the Ruling Guide of January 2025, as quoted in the tests of another program"
_DRAFT = "the draft of June 2023, as quoted in a forum: to be held against the final text"

LOST = KNOWN.sentence(
    EXPIRY,
    Mark.QUOTED,
    "A player loses the match when it is noticed that their reserve time has expired, unless they"
    " can then validly claim the game and match.",
    _NOTE,
)
TWO_MINUTES = KNOWN.sentence(
    CLOCKS,
    Mark.PARAPHRASED,
    "two minutes for each point of the average remaining length",
    _RETOLD,
    part="reserve",
)
TWELVE_SECONDS = KNOWN.sentence(
    CLOCKS,
    Mark.PARAPHRASED,
    "a simple delay of twelve seconds unless the Director says otherwise",
    _RETOLD,
    part="delay",
)
PER_FIVE_MINUTES = KNOWN.sentence(
    TIMES,
    Mark.PARAPHRASED,
    "one penalty point for each five minutes late",
    _RETOLD,
    part="points",
)
BEYOND_HALF = KNOWN.sentence(
    TIMES,
    Mark.PARAPHRASED,
    "the match is forfeited beyond half its length",
    _RETOLD,
    part="forfeit",
)
BREAKS = KNOWN.sentence(
    TIMES,
    Mark.PARAPHRASED,
    "breaks of five minutes, at most one for each six points of the length",
    _RETOLD,
    part="breaks",
)
ONE_GAME = KNOWN.sentence(
    CRAWFORD,
    Mark.QUOTED,
    "The doubling cube is removed from play for the first game after either player is exactly one"
    " point away from winning the match (the Crawford game).",
    _GUIDE,
    part="game",
)
VOID = KNOWN.sentence(
    CRAWFORD,
    Mark.QUOTED,
    "Any cube action during the Crawford game or with a dead cube is void.",
    _GUIDE,
    part="void",
)
GRAB = KNOWN.sentence(
    EARLY_DICE,
    Mark.QUOTED,
    "If the opponent lifts a die before their time is activated (fast grab), the player may pause"
    " the clock to complete their move and require forfeit of the opponent's delay.",
    _DRAFT,
    part="grab",
)
ROLL = KNOWN.sentence(
    EARLY_DICE,
    Mark.QUOTED,
    "If the opponent rolls before the player ends their turn, the player must point it out and"
    " state their choice: the roll stands, or must be redone; they may then revise their move.",
    _DRAFT,
    part="roll",
)
IN_LIEU = KNOWN.sentence(
    EARLY_DICE,
    Mark.QUOTED,
    "This is in lieu of any delay time forfeit for a fast grab.",
    _DRAFT,
    part="lieu",
)
