"""`fcbg-tournament` and `fcbg-club` by heading: computed, recorded, or left to a person."""

from __future__ import annotations

from projections.rules import index
from projections.rules.index import Lines
from projections.rules.texts.fcbg import sections as at

INDEX = Lines()

INDEX.left(
    at.INTERPRETATION, "what the rules do not address, and which of them bind", index.DISCRETION
)
INDEX.left(at.MEMBERSHIP, "the list of members", index.ORGANISERS)
INDEX.left(at.ENTRIES, "with whom members play, and whether it is rated", index.AGREED)
INDEX.recorded(at.ENTRIES, "the length, and whether it is rated", "match.opened")
INDEX.left(at.TALKING_SPECTATORS, "that spectators may converse", index.ADVICE)
INDEX.left(at.TALKING_SPECTATORS, "recommending moves", index.NO_TEXT, item="(a)")
INDEX.left(at.TALKING_SPECTATORS, "commenting on misplays", index.NO_TEXT, item="(b)")

INDEX.computed(at.SETUP, "the checkers at the start", "position-fault")
INDEX.computed(at.FIRST_ROLL, "the opening roll, and its ties", "dice.throw")
INDEX.recorded(at.FIRST_ROLL, "what each player threw", "dice.opening_rolled")
INDEX.computed(at.TURNS, "turns by turns", "out-of-turn")
INDEX.computed(at.TURNS, "doublets played twice", "illegal-play")
for letter, rule in (
    ("(a)", "open points"),
    ("(b)", "one number after the other"),
    ("(c)", "both numbers if possible, else the larger"),
    ("(d)", "blots that are hit"),
    ("(e)", "entering from the bar first"),
):
    INDEX.computed(at.MOVEMENT, rule, "illegal-play", item=letter)
INDEX.computed(at.BEARING_OFF, "bearing off", "illegal-play")
INDEX.computed(at.BEARING_OFF, "who has borne off fifteen checkers", "game.over", "game.value")
INDEX.computed(at.DOUBLING, "when a double may be offered, and by whom", "cube.time")
INDEX.computed(at.DOUBLING, "a double by whom the game already gives the match", "cube.worth")
INDEX.computed(at.DOUBLING, "that a pass ends the game", "game.dropped", "cube.drop")
INDEX.computed(at.DOUBLING, "early doubles by who does not own the cube", "premature.cube")
INDEX.computed(at.AUTOMATICS, "automatic doubles", "cube.automatic")
INDEX.computed(at.BEAVERS, "beavers", "cube.beaver")
INDEX.computed(at.JACOBY, "whether a gammon counts", "score.gammon")
INDEX.computed(at.GAMMONS, "what a game counts", "game.value")
INDEX.computed(at.BACKGAMMONS, "what a game counts", "game.value")

CLUB = Lines(INDEX)
"""The lines of the headings that bind a club; of the others its profile says so."""
CLUB.computed(
    at.INTERPRETATION, "the Crawford game where it was agreed, else a question", "crawford.phase"
)
CLUB.computed(at.INTERPRETATION, "a tie where the Crawford game is a question", "cube.automatic")
CLUB.computed(at.INTERPRETATION, "throws other than the opening roll: a question", "dice.throw")
CLUB.computed(
    at.TALKING_SPECTATORS, "a spectator who spoke of moves or misplays: a question", "play.handling"
)
CLUB.computed(at.ENTRIES, "when the match is won", "match.end")

INDEX.computed(at.INTERPRETATION, "points on a ground that no rule names", "penalties")
INDEX.computed(at.APPROVED_ENTRIES, "barring an entry", "sanctions")
INDEX.recorded(at.APPROVED_ENTRIES, "who plays in the tournament", "player.registered")
INDEX.left(
    at.APPROVED_ENTRIES,
    "who is barred from an event or kept from a lower division",
    index.DISCRETION,
)
INDEX.computed(at.AIDS, "aids that somebody noted", "play.handling")
INDEX.left(at.AIDS, "aids and devices at the table", index.CONDUCT)
INDEX.left(at.AIDS, "headphones", index.AGREED)
INDEX.computed(at.LANGUAGE, "another language that somebody noted", "play.handling")
INDEX.left(at.LANGUAGE, "which language is spoken at the table", index.CONDUCT)
INDEX.recorded(
    at.SILENT_SPECTATORS, "what a spectator said or did, signals included", "spectator.reported"
)
INDEX.computed(
    at.SILENT_SPECTATORS, "a spectator who spoke or made signs, once recorded", "play.handling"
)
INDEX.left(at.SILENT_SPECTATORS, "when a spectator may speak, and to whom", index.CONDUCT)
INDEX.recorded(at.SILENT_SPECTATORS, "a spectator who has to leave", "spectator.barred")
INDEX.left(at.LOCATION, "where matches are played", index.ORGANISERS)

INDEX.recorded(at.TIME, "the appointed start", "match.opened", "player.arrived")
INDEX.recorded(at.TIME, "breaks", "break.started", "break.ended")
INDEX.computed(at.TIME, "how many breaks, and how long", "penalties.breaks")
INDEX.computed(at.TIME, "breaks that are too long or too many: a question", "penalties")
INDEX.left(at.TIME, "more breaks in long or important matches", index.DISCRETION)

INDEX.computed(
    at.PENALTY_POINTS, "penalty points, and the forfeit above half the length", "penalties"
)
INDEX.computed(at.PENALTY_POINTS, "that points are the opponent's", "penalties.score")
INDEX.recorded(
    at.PENALTY_POINTS,
    "delays, and what is excused",
    "delay.noted",
    "delay.excused",
    "penalty.assessed",
)
INDEX.recorded(
    at.PENALTY_POINTS, "leaving the playing area, with consent or signed out", "player.left"
)
INDEX.computed(at.PENALTY_POINTS, "long absences without leave", "penalties.absence")

INDEX.recorded(at.SLOW_PLAY, "the warning, and its remedy", "slow_play.warned")
INDEX.left(at.SLOW_PLAY, "what a reasonable pace is", index.DISCRETION)
INDEX.computed(at.SLOW_PLAY, "whether a warning came before the points", "penalties")
INDEX.recorded(at.SLOW_PLAY, "points for slow play", "penalty.assessed")
INDEX.computed(at.SLOW_PLAY, "that a warning comes before the points", "slow_play")
INDEX.computed(
    at.SLOW_PLAY,
    "a clock: a question, for the text has no rules for it",
    "clock.terms",
    "clock.delay",
    "clock.fault",
    "clock.stop",
    "clock.flag",
    "clock.forfeit",
    "clock.restart",
)

INDEX.recorded(at.MONITORS, "that a monitor watches, and at whose request", "monitor.appointed")
INDEX.computed(at.PREFERENCES, "what one player may demand", "equipment.change")
INDEX.left(at.MONITORS, "what a monitor does to protect a player", index.CONDUCT)

for letter, rule, tag in (
    ("(a)", "which board, by the dice", "preference.rolled"),
    ("(b)", "which colour, by the dice", "preference.rolled"),
    ("(c)", "precision dice", "equipment.agreed"),
    ("(d)", "the mixing of the dice, and who picked", "dice.mixed"),
    ("(e)", "lipped cups", "equipment.agreed"),
    ("(d)", "the direction of play, by the dice", "preference.rolled"),
    ("(e)", "the seats, by the dice", "preference.rolled"),
):
    # The text letters two pairs of its items alike.
    INDEX.recorded(at.PREFERENCES, rule, tag, item=letter)
INDEX.computed(
    at.PREFERENCES, "whose roll decides, and until when", "equipment.preference", item="(a)"
)
INDEX.computed(
    at.PREFERENCES, "when dice are mixed, and who picks first", "equipment.mixing", item="(d)"
)
INDEX.recorded(at.EQUIPMENT_CHANGES, "what is replaced, and by whom", "equipment.changed")
INDEX.computed(at.EQUIPMENT_CHANGES, "who may have it replaced, and when", "equipment.change")
INDEX.left(at.EQUIPMENT_CHANGES, "whether equipment might be changed", index.DISCRETION)

INDEX.computed(at.COMPLETION, "concessions", "resignation.validity")
INDEX.computed(at.COMPLETION, "claims of a game", "claim.validity")
INDEX.computed(at.COMPLETION, "games or matches cut short by agreement", "completion.waiver")
INDEX.recorded(
    at.COMPLETION,
    "what was offered, claimed and answered",
    "resignation.offered",
    "resignation.accepted",
    "claim.made",
)
INDEX.computed(at.COMPLETION, "when the match is won", "match.end")
INDEX.computed(
    at.COMPLETION, "who has won, or how it goes on, after a wrong length", "match_length"
)

INDEX.computed(at.REPORTING, "who has to report and to check", "result.duties")
INDEX.computed(at.REPORTING, "a wrong length found after the next match began", "match_length")
INDEX.computed(at.REPORTING, "until when a posted result is corrected", "result.correction")
INDEX.recorded(
    at.REPORTING,
    "reports, postings, corrections",
    "result.reported",
    "result.posted",
    "result.corrected",
)
INDEX.recorded(at.SCORING, "each player's written score", "score.noted")
INDEX.computed(at.SCORING, "which score sheet takes precedence", "score.record")

INDEX.computed(at.CUBE_RULES, "that gammons count at all times", "score.gammon")
INDEX.computed(at.CUBE_RULES, "words and touches that bind", "cube.sign", "cube.broken")
INDEX.computed(at.CUBE_RULES, "words and touches before the turn", "premature.cube")
INDEX.computed(at.CUBE_RULES, "whether a double was taken or passed", "cube.answer")
INDEX.recorded(at.CUBE_RULES, "gestures and words", "cube.gestured", "cube.intent_stated")

INDEX.computed(at.CRAWFORD, "which game is the Crawford game", "crawford.phase")
INDEX.computed(
    at.CRAWFORD, "cube acts in the Crawford game", "cube.crawford", "cube.sign", "premature.cube"
)
INDEX.computed(at.CRAWFORD, "an opening tie in the Crawford game", "cube.automatic")
INDEX.computed(at.CRAWFORD, "such an act that is noticed later", "cube.found")

INDEX.computed(at.EARLY_ROLLS, "that an early roll is void and rolled again", "premature.roll")
INDEX.computed(at.EARLY_ROLLS, "what an early roll does to an illegal play", "window.play")
INDEX.recorded(at.EARLY_ROLLS, "an early roll", "dice.rolled_early")
INDEX.left(at.EARLY_ROLLS, "dice lifted early, and not rolled", index.SILENT)
INDEX.computed(at.ROLLS, "whether a die is valid where it rests", "dice.die")
INDEX.computed(at.ROLLS, "a side to throw on that is agreed or permitted", "dice.side")
INDEX.computed(at.ROLLS, "whether a throw counts, and what is thrown again", "dice.throw")
INDEX.recorded(at.ROLLS, "void throws, and how dice came to rest", "dice.voided", "dice.rolled")
INDEX.computed(at.LIFTING, "what ends a turn: lifting the dice", "turn.end", "premature.roll")
INDEX.computed(at.LIFTING, "whether the turn was over when the cube was used", "premature.cube")
INDEX.computed(at.LIFTING, "whether a play may still be changed", "play.change")
INDEX.recorded(at.LIFTING, "what was done to end a turn", "turn.ended", "dice.repositioned")
INDEX.computed(at.ROLLS, "equipment that somebody manipulated", "play.handling")
INDEX.computed(at.LIFTING, "dice that were touched", "play.handling")
INDEX.computed(at.WRONG_SETUP, "until when a wrong start is corrected, and how", "start.position")
INDEX.recorded(
    at.WRONG_SETUP, "a wrong start, and its correction", "start.fault_noticed", "start.corrected"
)
INDEX.computed(at.WRONG_SETUP, "what a game counts with fewer than fifteen checkers", "game.value")
INDEX.recorded(at.MOVING, "how checkers and dice were handled", "handling.noted")
INDEX.computed(at.MOVING, "whom improper handling may count against", "play.handling")
INDEX.left(at.MOVING, "what follows from improper moving", index.WEIGHED)
INDEX.recorded(at.HIT_CHECKERS, "how checkers and dice were handled", "handling.noted")
INDEX.computed(at.HIT_CHECKERS, "hit checkers kept elsewhere", "play.handling")
INDEX.recorded(at.BORNE_OFF, "how checkers and dice were handled", "handling.noted")
INDEX.computed(at.BORNE_OFF, "borne-off checkers kept elsewhere", "play.handling")
INDEX.computed(
    at.ILLEGAL_MOVES, "until when an illegal play is condoned or replayed", "window.play"
)
INDEX.computed(at.ILLEGAL_MOVES, "a play changed to put an illegal one right", "play.change")
INDEX.recorded(
    at.ILLEGAL_MOVES,
    "who noticed an illegal play, and what was done",
    "play.illegality_noticed",
    "play.illegality_answered",
    "play.corrected",
)
INDEX.computed(at.CUBE_AT_START, "where the cube lies, and what it weighs", "cube.shown")
INDEX.recorded(at.CUBE_AT_START, "the cube as it lies", "cube.stated")
INDEX.computed(at.CUBE_AFTER_ROLL, "a double after the roll, even of cocked dice", "cube.time")
INDEX.computed(at.EARLY_DOUBLES, "that an early double stands", "cube.premature", "premature.cube")

INDEX.recorded(
    at.DISPUTES, "disputes, what lay untouched, and the ruling", "dispute.raised", "table.disturbed"
)
INDEX.computed(at.DISPUTES, "for whom doubt is presumed after touching it", "dispute.disturbed")
INDEX.recorded(at.TESTIMONY, "what was said, and at whose request", "testimony.given")
INDEX.computed(at.TESTIMONY, "spectators who testify unasked", "testimony")
INDEX.computed(at.APPEALS, "which rulings may be appealed, and when", "appeal.admissibility")
INDEX.computed(at.APPEALS, "whether the committee may decide", "appeal.committee")
INDEX.recorded(
    at.APPEALS,
    "the appeal, the committee, evidence and argument",
    "appeal.filed",
    "committee.convened",
    "testimony.given",
)
INDEX.computed(at.APPEALS, "that the Director has no vote", "appeal.director")
INDEX.computed(at.APPEALS, "what the votes make of the ruling", "appeal.outcome")
INDEX.left(at.APPEALS, "who is knowledgeable and disinterested", index.DISCRETION)

CLUB.extend(
    index.Line(section=section, what=caption, how=index.How.LEFT, why=index.NOT_BINDING)
    for section, caption in at.CONTENTS.items()
    if section not in at.CLUB
)
