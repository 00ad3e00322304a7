"""The headings of `fcbg-tournament` and `fcbg-club`, each said once, with what it speaks about."""

from __future__ import annotations

from projections.rules.profile import Contents

CLUB = Contents()
"""The headings that bind a club; those of GAME PLAY without that word."""

INTERPRETATION = CLUB.section(
    "INTERPRETATION", "tournament rules do not by themselves hold for club play"
)
MEMBERSHIP = CLUB.section("CLUB MEMBERSHIP", "list of members")
ENTRIES = CLUB.section("ENTRIES", "members arrange opponent, length, rated or unrated")
TALKING_SPECTATORS = CLUB.section("SPECTATORS", "spectators may converse")
SETUP = CLUB.section("SETUP/BOARD", "checkers and starting position")
FIRST_ROLL = CLUB.section("1ST ROLL", "opening roll and its ties")
TURNS = CLUB.section("SUBSEQUENT ROLLS", "turns, and doublets played twice")
MOVEMENT = CLUB.section("MOVEMENT", "legal plays, hits, entering")
BEARING_OFF = CLUB.section("BEARING OFF", "bearing off, and who wins")
DOUBLING = CLUB.section("DOUBLING", "doubles, takes, refusals, who owns the cube")
AUTOMATICS = CLUB.section("AUTOMATICS", "automatic doubles by agreement")
BEAVERS = CLUB.section("BEAVERS", "beavers by agreement")
JACOBY = CLUB.section("JACOBY", "Jacoby by agreement")
GAMMONS = CLUB.section("GAMMONS", "single games and gammons")
BACKGAMMONS = CLUB.section("BACKGAMMONS", "backgammons")

CONTENTS = Contents(CLUB)
"""All headings, `/T` where they carry /TOURNAMENT; items of IRREGULARITIES and CONTENTIONS."""

APPROVED_ENTRIES = CONTENTS.section("ENTRIES/T", "approval of entries")
AIDS = CONTENTS.section("AIDS/T", "aids and headphones")
LANGUAGE = CONTENTS.section("LANGUAGE/T", "language")
SILENT_SPECTATORS = CONTENTS.section("SPECTATORS/T", "silence of spectators")
LOCATION = CONTENTS.section("LOCATION/T", "where matches are played")
TIME = CONTENTS.section("TIME/T", "appointed times and recesses")
PENALTY_POINTS = CONTENTS.section("PENALTY POINTS/T", "penalty points for time and recesses")
SLOW_PLAY = CONTENTS.section("SLOW PLAY/T", "slow play and monitoring clocks")
MONITORS = CONTENTS.section("MONITORS/T", "monitors")
PREFERENCES = CONTENTS.section("SETUP/PREFERENCES/T", "board, colour, dice, cups, direction, seat")
EQUIPMENT_CHANGES = CONTENTS.section("EQUIPMENT CHANGES/T", "defective equipment")
COMPLETION = CONTENTS.section("COMPLETION/T", "completion of games and matches, concessions")
REPORTING = CONTENTS.section("REPORTING RESULTS/T", "reporting, posting, correcting a result")
SCORING = CONTENTS.section("SCORING/T", "keeping score")
CUBE_RULES = CONTENTS.section("CUBE RULES/T", "gammons count, how to double, take, pass")
CRAWFORD = CONTENTS.section("CRAWFORD/T", "Crawford game")
EARLY_ROLLS = CONTENTS.section("IRR/T(a)", "premature rolls")
ROLLS = CONTENTS.section("IRR/T(b)", "how dice are thrown and come to rest")
LIFTING = CONTENTS.section("IRR/T(c)", "lifting dice: the end of a turn")
WRONG_SETUP = CONTENTS.section("IRR/T(d)", "wrong starting position")
MOVING = CONTENTS.section("IRR/T(e)", "moving checkers")
HIT_CHECKERS = CONTENTS.section("IRR/T(f)", "hit checkers")
BORNE_OFF = CONTENTS.section("IRR/T(g)", "borne-off checkers")
ILLEGAL_MOVES = CONTENTS.section("IRR/T(h)", "illegal moves")
CUBE_AT_START = CONTENTS.section("IRR/T(i)", "cube at the start")
CUBE_AFTER_ROLL = CONTENTS.section("IRR/T(j)", "cube after one's own roll")
EARLY_DOUBLES = CONTENTS.section("IRR/T(k)", "premature doubles")
DISPUTES = CONTENTS.section("CONT/T(a)", "disputes")
TESTIMONY = CONTENTS.section("CONT/T(b)", "testimony")
APPEALS = CONTENTS.section("CONT/T(c)", "appeals")
