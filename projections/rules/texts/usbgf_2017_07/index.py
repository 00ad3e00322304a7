"""`usbgf-2017-07` by section: what of each rule is computed, recorded, or left to a person."""

from __future__ import annotations

from projections.rules import index
from projections.rules.index import Lines
from projections.rules.texts.usbgf_2017_07 import sections as at

INDEX = Lines()

INDEX.left(at.GENERAL, "what the rules do not address, and narrow exceptions", index.DISCRETION)
INDEX.recorded(at.GENERAL, "what the Director decides", "ruling.made", "ruling.carried_out")
INDEX.computed(
    at.GENERAL, "an opening tie where automatic doubles were agreed: a question", "cube.automatic"
)

INDEX.computed(
    at.GENERAL, "what is doubled or penalised without a rule: a question", "cube.time", "penalties"
)
INDEX.left(at.ETIQUETTE, "sportsmanship, fair play, clear words and play", index.CONDUCT)
INDEX.recorded(at.ETIQUETTE, "a sanction for conduct", "sanction.imposed", "player.disqualified")
INDEX.computed(
    at.ETIQUETTE, "who is at a disadvantage after touching the game materials", "dispute.disturbed"
)

INDEX.computed(at.REGISTRATION, "barring an entry", "sanctions")
INDEX.computed(at.ETIQUETTE, "foul, threatening or insulting words", "play.handling")
INDEX.computed(at.ETIQUETTE, "points for conduct", "penalties")
INDEX.recorded(at.REGISTRATION, "who plays in the tournament", "player.registered")
INDEX.left(
    at.REGISTRATION, "who is barred from an event or kept from a lower division", index.DISCRETION
)

INDEX.computed(at.LANGUAGE, "another language that somebody noted", "play.handling")
INDEX.left(at.LANGUAGE, "which language is spoken at the table", index.CONDUCT)

INDEX.recorded(
    at.SPECTATORS, "what a spectator said or did, signals included", "spectator.reported"
)
INDEX.computed(at.SPECTATORS, "a spectator who spoke or made signs, once recorded", "play.handling")
INDEX.left(at.SPECTATORS, "when a spectator may speak, and to whom", index.CONDUCT)
INDEX.recorded(at.SPECTATORS, "a spectator who has to leave", "spectator.barred")

INDEX.computed(at.AIDS, "aids that somebody noted", "play.handling")
INDEX.left(at.AIDS, "aids and devices at the table", index.CONDUCT)
INDEX.recorded(
    at.AIDS, "who agrees or objects to a recording", "recording.consented", "recording.objected"
)
INDEX.computed(
    at.AIDS, "pictures: whose clock runs, and whether a clock is needed", "play.handling"
)

INDEX.recorded(at.TIMES, "the appointed start", "match.opened", "player.arrived")
INDEX.recorded(
    at.TIMES, "delays, and what is excused", "delay.noted", "delay.excused", "player.called"
)
INDEX.computed(at.TIMES, "penalty points, and the forfeit above half the length", "penalties")
INDEX.computed(at.TIMES, "whether penalty points enter the score", "penalties.score")
INDEX.recorded(at.TIMES, "breaks", "break.started", "break.ended")
INDEX.computed(at.TIMES, "breaks between games, six minutes an hour", "penalties.breaks")
INDEX.computed(at.TIMES, "a break in the first hour", "break-in-first-hour")
INDEX.left(at.TIMES, "urgent need in the first hour", index.DISCRETION)
INDEX.recorded(at.TIMES, "a stricter scale, posted in advance", "tournament.rules_declared")
INDEX.left(at.TIMES, "the next start ten minutes after both matches before", index.ORGANISERS)
INDEX.recorded(at.TIMES, "leaving the playing area, with consent or signed out", "player.left")
INDEX.computed(at.TIMES, "long absences without leave", "penalties.absence")

INDEX.recorded(at.EQUIPMENT_CHANGES, "what is replaced, and by whom", "equipment.changed")
INDEX.computed(
    at.EQUIPMENT_CHANGES,
    "who may have it replaced, and when",
    "equipment.change",
    "equipment.mixing",
)
INDEX.computed(at.EQUIPMENT_CHANGES, "a clock that fails: what of the time it took", "clock.fault")
INDEX.left(at.EQUIPMENT_CHANGES, "whether equipment might be changed", index.DISCRETION)

INDEX.computed(at.PREFERENCES, "one player alone who takes four dice", "equipment.change")
INDEX.left(at.PREFERENCES, "an obligation: what has to be used", index.AGREED)
INDEX.left(at.PREFERENCES, "a preference: what either player may insist on", index.AGREED)
INDEX.left(at.PREFERENCES, "an option: what is used only if both agree", index.AGREED)
INDEX.recorded(at.PREFERENCES, "the roll that decides preferences", "preference.rolled")
INDEX.computed(at.PREFERENCES, "whose roll decides, and until when", "equipment.preference")
INDEX.recorded(at.PREFERENCES, "two dice or four", "equipment.agreed")

INDEX.computed(
    at.BAFFLE_BOXES, "one player alone who takes a baffle box into use", "equipment.change"
)
INDEX.recorded(at.BAFFLE_BOXES, "that a baffle box or another device is used", "equipment.agreed")
INDEX.left(at.BAFFLE_BOXES, "which other device is approved", index.DISCRETION)

INDEX.computed(
    at.CLOCKS, "one player alone who takes a clock where it is an option", "equipment.change"
)
INDEX.computed(at.CLOCKS, "reserve and delay by length and kind of event", "clock.terms")
INDEX.computed(at.CLOCKS, "how the delay runs", "clock.delay")
INDEX.recorded(at.CLOCKS, "how the clock was set", "clock.set")
INDEX.computed(at.CLOCKS, "play without a clock where one is an obligation", "clock-missing")
INDEX.left(at.CLOCKS, "whether a clock is used", index.AGREED)

INDEX.computed(at.ROLLS, "whether a die is valid where it rests", "dice.die")
INDEX.computed(at.ROLLS, "a side to throw on that is agreed or permitted", "dice.side")
INDEX.computed(at.ROLLS, "whether a throw counts, and what is thrown again", "dice.throw")
INDEX.recorded(at.ROLLS, "void throws, and how dice came to rest", "dice.voided", "dice.rolled")
INDEX.computed(at.ROLLS, "the opening roll, with a baffle box too", "dice.throw")
INDEX.computed(at.ROLLS, "an early roll that is no valid throw", "premature.roll")
INDEX.left(at.ROLLS, "manipulated dice or equipment", index.CONDUCT)

INDEX.computed(at.END_OF_TURN, "what ends a turn: the clock, the bar, the dice", "turn.end")
INDEX.computed(at.END_OF_TURN, "whether a play may still be changed", "play.change")
INDEX.computed(at.END_OF_TURN, "whether the turn was over when the cube was used", "premature.cube")
INDEX.computed(at.END_OF_TURN, "lost reserve where nobody pressed", "clock.fault")
INDEX.recorded(
    at.END_OF_TURN, "what was done to end a turn", "turn.ended", "clock.pressed", "dice.lifted"
)

INDEX.computed(at.ROLLS, "equipment that somebody manipulated", "play.handling")
INDEX.computed(at.EARLY_ROLLS, "whether an early roll stands or is redone", "premature.roll")
INDEX.computed(at.EARLY_ROLLS, "a play changed after an early roll", "play.change")
INDEX.left(at.EARLY_ROLLS, "dice lifted early, and not rolled", index.SILENT)
INDEX.recorded(
    at.EARLY_ROLLS,
    "an early roll, and what the player says to it",
    "dice.rolled_early",
    "dice.early_roll_answered",
    "dice.lift_answered",
)
INDEX.computed(at.EARLY_ROLLS, "a delay demanded for dice handled early", "clock.forfeit")

INDEX.recorded(
    at.HANDLING, "how checkers and dice were handled", "handling.noted", "dice.repositioned"
)
INDEX.computed(at.HANDLING, "whom improper handling may count against", "play.handling")
INDEX.left(at.HANDLING, "clear moves with one hand, plays tested above the board", index.ADVICE)
INDEX.computed(at.HANDLING, "a hit checker that is not moved to the bar", "window.play")

INDEX.computed(at.LEGAL_MOVES, "whether a play is legal", "illegal-play")
INDEX.computed(at.LEGAL_MOVES, "until when an illegal play is corrected, and how", "window.play")
INDEX.recorded(
    at.LEGAL_MOVES,
    "who noticed an illegal play, and what was done",
    "play.illegality_noticed",
    "play.illegality_answered",
    "play.corrected",
)
INDEX.computed(at.LEGAL_MOVES, "a play changed to put an illegal one right", "play.change")
INDEX.left(at.LEGAL_MOVES, "sanctions for repeated illegal plays", index.DISCRETION)

INDEX.computed(at.SETUP, "until when a wrong start is corrected, and how", "start.position")
INDEX.recorded(
    at.SETUP, "a wrong start, and its correction", "start.fault_noticed", "start.corrected"
)
INDEX.computed(at.SETUP, "a cube that is not centred at the start: a question", "cube.shown")
INDEX.computed(at.SETUP, "what a game counts with fewer than fifteen checkers", "game.value")
INDEX.computed(at.SETUP, "whether a game is over with fewer than fifteen checkers", "game.over")

INDEX.computed(at.CLOCK_STOPS, "when the clock may be stopped", "clock.stop")
INDEX.recorded(at.CLOCK_STOPS, "pauses, and the readings", "clock.paused", "clock.read")
INDEX.computed(at.CLOCK_STOPS, "a clock that ran or stood wrongly", "clock.fault")
INDEX.recorded(
    at.CLOCK_STOPS, "who noticed it, and what is put right", "clock.fault_noticed", "clock.adjusted"
)
INDEX.computed(at.CLOCK_STOPS, "a flag, and a claim of game and match", "clock.flag")
INDEX.computed(
    at.CLOCK_STOPS, "a delay that is forfeited, or begins anew", "clock.forfeit", "clock.restart"
)
INDEX.recorded(
    at.CLOCK_STOPS,
    "whose delay, why, by whose word",
    "clock.delay_forfeited",
    "clock.delay_restarted",
)

INDEX.computed(at.CUBE, "when a double may be offered, and by whom", "cube.time")
INDEX.computed(at.CUBE, "a double before the turn", "cube.premature", "premature.cube")
INDEX.computed(at.CUBE, "words and touches that bind", "cube.sign", "cube.broken")
INDEX.recorded(at.CUBE, "gestures and words", "cube.gestured", "cube.intent_stated")
INDEX.computed(at.CUBE, "whether a double was taken or passed", "cube.answer")
INDEX.computed(at.CUBE, "beavers: a question, for the text says nothing", "cube.beaver")
INDEX.computed(at.CUBE, "where the cube lies: a question, for the text says nothing", "cube.shown")

INDEX.computed(at.CRAWFORD, "which game is the Crawford game", "crawford.phase")
INDEX.computed(
    at.CRAWFORD, "cube acts in the Crawford game", "cube.crawford", "cube.sign", "premature.cube"
)
INDEX.computed(at.CRAWFORD, "an opening tie in the Crawford game", "cube.automatic")
INDEX.computed(at.CRAWFORD, "such an act that is noticed later", "cube.found")

INDEX.computed(
    at.DEAD_CUBE,
    "a double by whom the game already gives the match",
    "cube.worth",
    "cube.sign",
    "premature.cube",
)
INDEX.computed(at.DEAD_CUBE, "a pass that would lose the match", "cube.drop")
INDEX.computed(at.DEAD_CUBE, "such an act that is noticed later", "cube.found")

INDEX.computed(at.COMPLETION, "what a game counts", "game.value", "score.gammon")
INDEX.computed(at.COMPLETION, "that a pass ends the game", "game.dropped")
INDEX.computed(at.COMPLETION, "resignations", "resignation.validity")
INDEX.computed(at.COMPLETION, "claims of a game", "claim.validity")
INDEX.recorded(
    at.COMPLETION,
    "what was offered, claimed and answered",
    "resignation.offered",
    "resignation.accepted",
    "claim.made",
    "claim.ruled",
)
INDEX.computed(at.COMPLETION, "games or matches cut short by agreement", "completion.waiver")

INDEX.computed(at.REPORTING, "who has to report and to check", "result.duties")
INDEX.computed(at.REPORTING, "until when a posted result is corrected", "result.correction")
INDEX.recorded(
    at.REPORTING,
    "reports, postings, corrections",
    "result.reported",
    "result.posted",
    "result.corrected",
)

INDEX.recorded(at.SCORE, "each player's written score", "score.noted")
INDEX.computed(at.SCORE, "which score sheet takes precedence", "score.record")

INDEX.computed(at.COMPLETION, "when the match is won", "match.end")
INDEX.recorded(
    at.LENGTH,
    "what length was believed, and the error found",
    "match.length_believed",
    "match.length_error_found",
)
INDEX.computed(at.LENGTH, "who has won, or how it goes on, after a wrong length", "match_length")
INDEX.computed(at.LENGTH, "the cube in a game under a wrong length", "match_length.cube")
INDEX.left(at.LENGTH, "a sanction for knowingly playing to another length", index.DISCRETION)

INDEX.computed(at.APPEALS, "that the clock is paused for the Director", "clock.stop")
INDEX.recorded(
    at.APPEALS,
    "disputes, what lay untouched, and the ruling",
    "dispute.raised",
    "table.disturbed",
    "ruling.made",
)
INDEX.computed(at.APPEALS, "which rulings may be appealed, and when", "appeal.admissibility")
INDEX.computed(at.APPEALS, "whether the committee may decide", "appeal.committee")
INDEX.recorded(
    at.APPEALS,
    "the appeal, the committee, evidence and argument",
    "appeal.filed",
    "committee.convened",
    "testimony.given",
    "evidence.attached",
)
INDEX.computed(at.APPEALS, "that the Director may vote", "appeal.director")
INDEX.computed(at.APPEALS, "what the votes make of the ruling", "appeal.outcome")
INDEX.left(at.APPEALS, "who is disinterested", index.DISCRETION)
