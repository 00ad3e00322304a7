"""`usbgf-2024` by section: what of each rule is computed, recorded, or left to a person."""

from __future__ import annotations

from projections.rules import index
from projections.rules.index import Lines
from projections.rules.texts.usbgf_2024 import sections as at

INDEX = Lines()

INDEX.left(at.GENERAL, "what the rules do not address, and narrow exceptions", index.NOT_IN_HAND)
INDEX.computed(
    at.GENERAL,
    "what a game counts, when the match is won: a question",
    "game.value",
    "match.end",
)
INDEX.computed(at.GENERAL, "a double with nothing against it", "cube.time")
INDEX.computed(at.TIMES, "points for a late start, and the match lost by them", "penalties")
INDEX.computed(at.TIMES, "how many breaks a player may take", "penalties.breaks")
INDEX.left(at.TIMES, "whether penalty points enter the score", index.NOT_IN_HAND)
INDEX.computed(at.CLOCKS, "the reserve that is allotted", "clock.terms")
INDEX.computed(at.CLOCKS, "how the free time of a turn runs", "clock.delay")
INDEX.computed(at.EARLY_DICE, "dice lifted before the other's turn is over", "premature.lift")
INDEX.computed(at.EARLY_DICE, "dice rolled before the other's turn is over", "premature.roll")
INDEX.computed(at.EARLY_DICE, "the delay that dice handled early cost", "clock.forfeit")
INDEX.recorded(
    at.EARLY_DICE,
    "a delay that begins anew or is forfeited",
    "clock.delay_restarted",
    "clock.delay_forfeited",
)
INDEX.computed(at.EXPIRY, "a reserve that is noticed to have run out", "clock.flag")
INDEX.computed(at.CRAWFORD, "which game is the Crawford game", "crawford.phase")
INDEX.computed(at.CRAWFORD, "a double in the Crawford game", "cube.crawford")
INDEX.computed(at.CRAWFORD, "a double of no use to whoever makes it", "cube.worth")
INDEX.computed(at.CRAWFORD, "a double that should not have been, noticed later", "cube.found")
