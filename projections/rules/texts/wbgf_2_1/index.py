"""`wbgf-2.1` by section: what of each rule is computed, recorded, or left to a person."""

from __future__ import annotations

from projections.rules import index
from projections.rules.index import Lines
from projections.rules.texts.wbgf_2_1 import sections as at

INDEX = Lines()

INDEX.left(at.GENERAL, "what the rules do not address, and narrow exceptions", index.DISCRETION)
INDEX.computed(
    at.GENERAL,
    "what a game counts, when the match is won: a question",
    "game.value",
    "match.end",
)
INDEX.computed(at.GENERAL, "a double with nothing against it", "cube.time", "cube.worth")
INDEX.computed(
    at.GENERAL,
    "which game is the Crawford game where that is pinned, else a question",
    "crawford.phase",
)
INDEX.left(at.ENTRY, "who is barred from an event or kept from a lower division", index.DISCRETION)
INDEX.computed(at.LATENESS, "points for a late start, and the match lost by them", "penalties")
INDEX.left(at.LATENESS, "whether penalty points enter the score", index.NOT_IN_HAND)
INDEX.computed(at.SLOW_PLAY, "points for slow play without a warning", "slow_play")
INDEX.recorded(
    at.SLOW_PLAY,
    "a warning for slow play, and a clock that is imposed",
    "slow_play.warned",
    "clock.set",
)
INDEX.left(at.BOXES, "whether a baffle box is used", index.AGREED)
INDEX.computed(at.CLOCKS, "other terms that the Director specifies", "clock.terms")
INDEX.left(at.CLOCK_USE, "whether a clock is used", index.AGREED)
INDEX.computed(at.RESERVE, "the reserve that is allotted", "clock.terms")
INDEX.computed(at.DELAY, "how the free time of a turn runs", "clock.delay")
INDEX.computed(at.ROLLS, "how a die has to lie, where dice on checkers are invalid", "dice.die")
INDEX.computed(at.ROLLS, "what becomes of a throw", "dice.throw")
INDEX.computed(at.EARLY_DICE, "dice lifted before the other's turn is over", "premature.lift")
INDEX.left(at.EARLY_DICE, "dice rolled before the other's turn is over", index.NOT_IN_HAND)
INDEX.computed(at.ROLLS, "a side to throw on that is agreed or permitted", "dice.side")
INDEX.computed(at.EARLY_DICE, "the delay that dice lifted early cost", "clock.forfeit")
INDEX.computed(at.CLOCK_STOPS, "a delay that begins anew", "clock.restart")
INDEX.computed(at.END_OF_TURN, "what ends a turn with a clock", "turn.end")
INDEX.computed(at.LEGAL_MOVES, "an illegal play under legal moves: a question", "window.play")
INDEX.computed(at.RESPONSIBLE_MOVES, "an illegal play under responsible moves", "window.play")
INDEX.computed(at.CLOCK_STOPS, "for what the clock may be stopped", "clock.stop")
INDEX.computed(at.CLOCK_STOPS, "both reserves run out, and nobody knows whose first", "clock.flag")
INDEX.recorded(
    at.CLOCK_STOPS,
    "a delay that begins anew or is forfeited",
    "clock.delay_restarted",
    "clock.delay_forfeited",
)
INDEX.computed(at.EXPIRY, "a reserve that is noticed to have run out", "clock.flag")
INDEX.computed(at.WARNING, "a clock that ran or stood wrongly", "clock.fault")
INDEX.computed(at.TAKES, "where the cube is put in answer to a double", "cube.answer")
INDEX.computed(at.COMPLETION, "a game that ends by a pass", "game.dropped")
INDEX.computed(at.COMPLETION, "a game or match left unplayed by agreement", "completion.waiver")
INDEX.left(at.APPEALS, "appeals, and who decides them", index.NOT_IN_HAND)
INDEX.computed(at.REPORT, "whether a decided dispute is to be reported", "decision.report")
INDEX.recorded(at.REPORT, "the report of a decided dispute", "decision.reported")
