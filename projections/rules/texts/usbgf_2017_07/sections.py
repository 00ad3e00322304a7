"""The sections of `usbgf-2017-07`, each said once: its number, and what it speaks about.

Two of its headings carry a range of numbers.
"""

from __future__ import annotations

from projections.rules.profile import Contents

CONTENTS = Contents()

GENERAL = CONTENTS.section("[1]", "what the rules do not address: the Director decides")
ETIQUETTE = CONTENTS.section(
    "[1.2]", "etiquette: clear words and play, no appearance of impropriety"
)
REGISTRATION = CONTENTS.section("[1.4]", "registration")
LANGUAGE = CONTENTS.section("[1.5]", "language")
SPECTATORS = CONTENTS.section("[1.6]", "spectators")
AIDS = CONTENTS.section("[1.7]", "aids and other equipment")
TIMES = CONTENTS.section("[2.2]", "start and resume times, breaks, penalty points")
BAFFLE_BOXES = CONTENTS.section("[3.4]", "baffle boxes and other randomising devices")
CLOCKS = CONTENTS.section("[3.5]", "game clocks: reserve, delay, who may insist")
PREFERENCES = CONTENTS.section("[3.6]", "preferences: obligation, preference, option")
EQUIPMENT_CHANGES = CONTENTS.section("[3.7]", "change of equipment")
ROLLS = CONTENTS.section("[4.1.1-4]", "valid rolls, dice on checkers, baffle box")
EARLY_ROLLS = CONTENTS.section("[4.1.7]", "premature rolls")
END_OF_TURN = CONTENTS.section("[4.1.8]", "end of turn")
HANDLING = CONTENTS.section("[4.2]", "handling of checkers and dice")
LEGAL_MOVES = CONTENTS.section("[4.2.3]", "legal moves, and until when an illegal one is corrected")
SETUP = CONTENTS.section("[4.2.4]", "errors in the starting position")
CLOCK_STOPS = CONTENTS.section("[4.3]", "clock stops, clock errors, expiry")
CUBE = CONTENTS.section("[4.4.3-5]", "cube actions")
CRAWFORD = CONTENTS.section("[4.4.6]", "Crawford game")
DEAD_CUBE = CONTENTS.section("[4.4.9]", "dead cubes")
COMPLETION = CONTENTS.section("[4.5]", "completion, resignations, claims")
REPORTING = CONTENTS.section("[4.6]", "reporting results")
SCORE = CONTENTS.section("[4.7]", "keeping score")
LENGTH = CONTENTS.section("[4.8]", "wrong match length")
APPEALS = CONTENTS.section("[5]", "disputes and appeals")
