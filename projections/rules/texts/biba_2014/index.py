"""`biba-2014` by section: what of each rule is computed, recorded, or left to a person."""

from __future__ import annotations

from projections.rules import index
from projections.rules.index import Lines
from projections.rules.texts.biba_2014 import sections as at

INDEX = Lines()

INDEX.left(at.INTERPRETATION, "what the rules do not address, and fairness", index.DISCRETION)
INDEX.left(at.INTERPRETATION, "doubt goes against whoever initiated the action", index.WEIGHED)
INDEX.recorded(at.INTERPRETATION, "what the Director decides", "ruling.made", "ruling.carried_out")
INDEX.computed(at.INTERPRETATION, "sanctions for repeated illegal plays: a question", "window.play")

INDEX.computed(at.INTERPRETATION, "points on a ground that no rule names", "penalties")
INDEX.computed(at.SCOPE, "the common rules: legal plays", "illegal-play")
INDEX.computed(at.SCOPE, "the common rules: opening ties are rolled again", "dice.throw")
INDEX.computed(at.SCOPE, "the common rules: who owns the cube", "cube.time", "premature.cube")
INDEX.computed(at.SCOPE, "the common rules: a single game", "game.value")

INDEX.left(at.STAFF, "who directs", index.ORGANISERS)
INDEX.recorded(at.ENTRIES, "who plays in the tournament", "player.registered")
INDEX.left(at.ENTRIES, "which entries are approved", index.DISCRETION)
INDEX.computed(at.AIDS, "aids that somebody noted", "play.handling")
INDEX.left(at.AIDS, "aids and devices at the table", index.CONDUCT)
INDEX.left(at.AIDS, "headphones", index.AGREED)
INDEX.computed(at.LANGUAGE, "another language that somebody noted", "play.handling")
INDEX.left(at.LANGUAGE, "which language is spoken at the table", index.CONDUCT)

INDEX.recorded(
    at.SPECTATORS, "what a spectator said or did, signals included", "spectator.reported"
)
INDEX.computed(at.SPECTATORS, "a spectator who spoke or made signs, once recorded", "play.handling")
INDEX.left(at.SPECTATORS, "when a spectator may speak, and to whom", index.CONDUCT)
INDEX.recorded(at.SPECTATORS, "disqualification for signals", "player.disqualified")
INDEX.recorded(at.SPECTATORS, "a spectator who has to leave", "spectator.barred")

INDEX.recorded(
    at.RECORDING,
    "who agrees or objects to a recording",
    "recording.consented",
    "recording.objected",
)
INDEX.left(at.RECORDING, "pictures in one's own time", index.NO_ENTRY)
INDEX.recorded(
    at.RECORDING, "that a match is published", "publication.released", "publication.withheld"
)
INDEX.left(at.RECORDING, "which matches the organiser records", index.ORGANISERS)

INDEX.left(at.BEHAVIOUR, "bad behaviour", index.CONDUCT)
INDEX.computed(at.BEHAVIOUR, "shaking and talking that the opponent minds", "play.handling")
INDEX.computed(at.BEHAVIOUR, "barring a player, and that claims to prizes are lost", "sanctions")
INDEX.recorded(at.BEHAVIOUR, "a sanction for conduct", "sanction.imposed", "player.disqualified")

INDEX.left(at.PLACE, "where matches are played", index.ORGANISERS)
INDEX.recorded(at.PLACE, "who was called, and when he came", "player.called", "player.arrived")
INDEX.computed(at.PLACE, "absence, with the Director's permission or without", "penalties")

INDEX.recorded(at.TIME, "the appointed start", "match.opened", "player.arrived")
INDEX.recorded(at.TIME, "breaks", "break.started", "break.ended")
INDEX.recorded(at.TIME, "the readings noted before a break", "clock.read", "break.started")
INDEX.computed(at.TIME, "how many breaks, and how long", "penalties.breaks")
INDEX.computed(at.TIME, "breaks taken alone, or signed for by one", "penalties.breaks")
INDEX.recorded(at.TIME, "who left, with whose leave", "player.left")
INDEX.computed(at.TIME, "long absences without leave", "penalties.absence")
INDEX.computed(at.PLACE, "long absences with the Director's permission", "penalties.absence")
INDEX.computed(at.TIME, "breaks that are too long or too many: a question", "penalties")

INDEX.computed(
    at.PENALTY_POINTS, "penalty points, and the forfeit above half the length", "penalties"
)
INDEX.computed(at.PENALTY_POINTS, "whether penalty points enter the score", "penalties.score")
INDEX.recorded(
    at.PENALTY_POINTS, "delays, and points that are assessed", "delay.noted", "penalty.assessed"
)

INDEX.recorded(at.SLOW_PLAY, "the warning, and its remedy", "slow_play.warned")
INDEX.left(at.SLOW_PLAY, "what a reasonable pace is", index.DISCRETION)
INDEX.recorded(at.SLOW_PLAY, "points for slow play", "penalty.assessed")
INDEX.computed(at.SLOW_PLAY, "that a warning comes before the points", "slow_play")
INDEX.computed(at.SLOW_PLAY, "whether a warning came before the points", "penalties")
INDEX.computed(at.SLOW_PLAY, "that a slow-play ruling is final", "appeal.admissibility")

INDEX.recorded(at.MONITORS, "that a monitor watches, and at whose request", "monitor.appointed")
INDEX.left(at.MONITORS, "what a monitor does to protect a player", index.CONDUCT)

INDEX.recorded(
    at.EQUIPMENT, "what is used, and what is replaced", "equipment.agreed", "equipment.changed"
)
INDEX.computed(at.EQUIPMENT, "who may have it replaced, and when", "equipment.change")
INDEX.left(at.EQUIPMENT, "what either player may demand", index.AGREED)
INDEX.left(at.EQUIPMENT, "whose equipment is clearly inferior", index.DISCRETION)
INDEX.recorded(at.PREFERENCES, "the roll that decides preferences", "preference.rolled")
INDEX.computed(at.PREFERENCES, "whose roll decides, and until when", "equipment.preference")
INDEX.left(at.PREFERENCES, "whether the Director overrules the roll", index.DISCRETION)
INDEX.recorded(at.DICE, "the mixing of the dice, and who picked", "dice.mixed")
INDEX.computed(at.DICE, "when dice are mixed or changed", "equipment.mixing", "equipment.change")

INDEX.computed(at.RANDOM_ROLLS, "whether dice were thrown as they should be", "dice.throw")
INDEX.computed(at.RANDOM_ROLLS, "equipment that somebody manipulated", "play.handling")
INDEX.computed(at.ROLLS, "whether a die is valid where it rests", "dice.die")
INDEX.computed(at.ROLLS, "a side to throw on that is agreed or permitted", "dice.side")
INDEX.computed(at.ROLLS, "whether a throw counts, and what is thrown again", "dice.throw")
INDEX.recorded(at.ROLLS, "void throws, and how dice came to rest", "dice.voided", "dice.rolled")
INDEX.computed(at.ROLLS, "an early roll that is no valid throw", "premature.roll")
INDEX.computed(at.ROLLS, "dice lifted before the first turn is over", "premature.lift")

INDEX.recorded(
    at.MOVING, "how checkers and dice were handled", "handling.noted", "dice.repositioned"
)
INDEX.computed(at.MOVING, "dice moved aside with half an announcement: a question", "turn.end")
INDEX.computed(at.MOVING, "whom improper handling may count against", "play.handling")
INDEX.left(at.MOVING, "what follows from improper moving", index.WEIGHED)
INDEX.recorded(at.HANDLING, "how checkers and dice were handled", "handling.noted")
INDEX.computed(at.HANDLING, "whom improper handling may count against", "play.handling")
INDEX.left(at.HANDLING, "what follows from improper handling", index.WEIGHED)

INDEX.computed(at.LIFTING, "what ends a turn: the clock, the dice", "turn.end", "premature.roll")
INDEX.computed(at.LIFTING, "whether the turn was over when the cube was used", "premature.cube")
INDEX.computed(at.LIFTING, "whether a play may still be changed", "play.change")
INDEX.computed(at.PREMATURE, "dice lifted before the other's turn is over", "premature.lift")
INDEX.recorded(
    at.LIFTING, "what was done to end a turn", "turn.ended", "clock.pressed", "dice.lifted"
)

INDEX.computed(at.PREMATURE, "whether an early roll stands or is redone", "premature.roll")
INDEX.computed(at.PREMATURE, "the right that is lost after one let pass", "premature.roll")
INDEX.computed(at.PREMATURE, "dice lifted early, and not rolled", "premature.lift")
INDEX.computed(at.PREMATURE, "a delay demanded for dice handled early", "clock.forfeit")
INDEX.computed(at.PREMATURE, "a double before the turn", "premature.cube")
INDEX.computed(at.PREMATURE, "a play changed after an early roll", "play.change")
INDEX.recorded(
    at.PREMATURE,
    "an early roll, and what the player says to it",
    "dice.rolled_early",
    "dice.early_roll_answered",
)

INDEX.computed(at.SETUP, "until when a wrong start is corrected, and how", "start.position")
INDEX.recorded(
    at.SETUP, "a wrong start, and its correction", "start.fault_noticed", "start.corrected"
)
INDEX.computed(at.SETUP, "what a game counts with fewer than fifteen checkers", "game.value")
INDEX.computed(at.SETUP, "whether a game is over with fewer than fifteen checkers", "game.over")

INDEX.computed(at.ILLEGAL_MOVES, "whether a play is legal", "illegal-play")
INDEX.computed(at.ILLEGAL_MOVES, "until when an illegal play is corrected, and how", "window.play")
INDEX.computed(at.ILLEGAL_MOVES, "a play changed to put an illegal one right", "play.change")
INDEX.recorded(
    at.ILLEGAL_MOVES,
    "who noticed an illegal play, and what was done",
    "play.illegality_noticed",
    "play.illegality_answered",
    "play.corrected",
)

INDEX.computed(at.END_OF_GAME, "that a pass ends the game", "game.dropped")
INDEX.computed(at.END_OF_GAME, "concessions", "resignation.validity")
INDEX.computed(at.END_OF_GAME, "claims of a game", "claim.validity")
INDEX.computed(at.END_OF_GAME, "games or matches cut short by agreement", "completion.waiver")
INDEX.recorded(
    at.END_OF_GAME,
    "what was offered, claimed and answered",
    "resignation.offered",
    "resignation.accepted",
    "resignation.refused",
    "claim.made",
)
INDEX.left(at.END_OF_GAME, "disqualification for improper concessions", index.DISCRETION)

INDEX.computed(at.END_OF_MATCH, "when the match is won", "match.end", "clock.flag")
INDEX.computed(at.END_OF_MATCH, "that nobody concedes the match", "completion.waiver")
INDEX.computed(at.END_OF_MATCH, "a pass that would lose the match", "cube.drop")
INDEX.computed(
    at.END_OF_MATCH, "who has won, or how it goes on, after a wrong length", "match_length"
)
INDEX.recorded(
    at.END_OF_MATCH,
    "what length was believed, and the error found",
    "match.length_believed",
    "match.length_error_found",
)
INDEX.computed(
    at.END_OF_MATCH, "a draw sheet and a score sheet that differ: a question", "match_length.sheets"
)
INDEX.left(at.END_OF_MATCH, "a sanction for knowingly playing to another length", index.DISCRETION)

INDEX.recorded(at.SCORE, "each player's written score", "score.noted")
INDEX.computed(at.SCORE, "which score sheet takes precedence", "score.record")
INDEX.left(at.DISPLAYS, "displays beside the written score", index.ADVICE)
INDEX.computed(at.CUBE_AT_START, "where the cube lies, and what it weighs", "cube.shown")
INDEX.recorded(at.CUBE_AT_START, "the cube as it lies", "cube.stated")

INDEX.computed(at.GAMMONS, "that gammons count at all times", "game.value", "score.gammon")
INDEX.computed(at.GAMMONS, "beavers", "cube.beaver")
INDEX.computed(at.GAMMONS, "automatic doubles", "cube.automatic")

INDEX.computed(at.CUBE, "when a double may be offered, and by whom", "cube.time")
INDEX.computed(at.CUBE, "a double by whom the game already gives the match", "cube.worth")
INDEX.computed(at.CUBE, "words and touches that bind", "cube.sign", "cube.broken")
INDEX.computed(at.CUBE, "words and touches before the turn", "premature.cube", "cube.premature")
INDEX.recorded(at.CUBE, "gestures and words", "cube.gestured", "cube.intent_stated")
INDEX.computed(at.CUBE, "whether a double was taken or passed", "cube.answer", "cube.drop")

INDEX.computed(at.CRAWFORD, "which game is the Crawford game", "crawford.phase")
INDEX.computed(
    at.CRAWFORD, "cube acts in the Crawford game", "cube.crawford", "cube.sign", "premature.cube"
)
INDEX.computed(at.CRAWFORD, "a double before the opening roll after that game", "cube.time")
INDEX.computed(at.CRAWFORD, "such an act that is noticed later", "cube.found")
INDEX.computed(at.CRAWFORD, "from where the game is replayed: a question", "cube.replay")

INDEX.computed(at.RESULT, "who has to report and to check", "result.duties")
INDEX.computed(at.RESULT, "a wrong length found in the next round", "match_length")
INDEX.computed(at.RESULT, "until when a posted result is corrected", "result.correction")
INDEX.recorded(
    at.RESULT,
    "reports, postings, corrections",
    "result.reported",
    "result.posted",
    "result.corrected",
)

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
    "committee.leak_noted",
    "testimony.given",
)
INDEX.computed(at.APPEALS, "that the Director has no vote", "appeal.director")
INDEX.computed(at.APPEALS, "what the votes make of the ruling", "appeal.outcome")
INDEX.computed(at.APPEALS, "witnesses whom the committee hears", "testimony")
INDEX.left(at.APPEALS, "who is knowledgeable and disinterested", index.DISCRETION)

INDEX.left(at.GOLDEN_RULE, "courtesy and fairness", index.CONDUCT)
INDEX.left(at.AGAINST_ONESELF, "enforcing the rules against oneself", index.ADVICE)
INDEX.left(at.AGAINST_OPPONENTS, "insisting on the opponent's penalty", index.ADVICE)
INDEX.left(at.TECHNICALITIES, "no advantage from a technicality", index.CONDUCT)
INDEX.computed(at.LANGUAGE_AND_ACTS, "points for conduct", "penalties")
INDEX.left(at.LANGUAGE_AND_ACTS, "foul or deceptive words and acts", index.CONDUCT)
INDEX.recorded(
    at.LANGUAGE_AND_ACTS,
    "a sanction for conduct",
    "sanction.imposed",
    "penalty.assessed",
    "player.disqualified",
)
INDEX.recorded(
    at.NO_CHEERING, "what a spectator said or did, signals included", "spectator.reported"
)
INDEX.left(at.SPIRIT, "a friendly spirit", index.CONDUCT)

INDEX.computed(at.CLOCK, "reserve and delay: a question", "clock.terms")
INDEX.computed(at.CLOCK, "how the delay runs: a question", "clock.delay")
INDEX.computed(at.CLOCK, "when the clock may be stopped: a question", "clock.stop")
INDEX.computed(at.CLOCK, "a clock that ran or stood wrongly", "clock.fault")
INDEX.computed(at.CLOCK, "a flag, and a claim of game and match", "clock.flag")
INDEX.computed(
    at.CLOCK, "a delay that is forfeited, or begins anew", "clock.forfeit", "clock.restart"
)
INDEX.recorded(
    at.CLOCK, "whose delay, why, by whose word", "clock.delay_forfeited", "clock.delay_restarted"
)
INDEX.left(at.CLOCK, "everything else in the Clock Rules", index.NOT_IN_HAND)
