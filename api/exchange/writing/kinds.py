"""What becomes of facts that a format cannot hold: a sentence for each kind of loss, in order."""

from __future__ import annotations

KEPT = "kept"
"""Not a loss: the writer writes it, or says at the event what of it is lost."""

COMMENT = "comment"
"""Of SGF: kept as a comment alone; people read it, and no program does."""

NOTE = "annotation"
"""Of OGXM: kept as text alone; the format has no field for it."""

WORDS = "words"
"""Of a text: told in words, which leave out what the transcript has none for."""

MAT = {
    "proof": "Entry ids, bases, recorders and seals stay behind; a .mat file proves nothing.",
    "header": "Of the match's opening, what no header of the format names is left out.",
    "name": "A name is cut or spelt otherwise, since readers of the format break on it.",
    "time": "When something happened is left out.",
    "clock": "The clock is left out.",
    "void-throw": "A throw that does not count is left out, and so is its reason.",
    "opening-tie": "An opening throw of equal dice is left out.",
    "opening": "Of the opening throw only the roll of the player who begins is written.",
    "early-roll": "That a roll came early is left out.",
    "turn-end": "How a turn was ended, and what was done with the dice, is left out.",
    "steps": "A play is written one die a step, not as it was recorded.",
    "illegal-play": "An illegal play is written as made; many readers alter or drop it.",
    "illegal-steps": "An illegal play is written as the board after it; its steps are left out.",
    "told-by-end": "A play known by its end is written in steps that lead there.",
    "gap": "What was not seen is written as hidden; readers go on with a wrong board.",
    "no-roll": "A turn without a recorded roll has no place in the format.",
    "revision": "Only the last word of a play that was changed or corrected is written.",
    "position": "A board that was stated or set is left out; readers go on with another one.",
    "cube": "A gesture, a stated or a void cube act is left out.",
    "resignation": "A resignation is told by the result alone; a refused one is left out.",
    "claim": "What sheets, sources and players claimed is left out; the computed value stands.",
    "score": "That the score was stated is left out; the next score line shows it.",
    "length": "Doubts and orders about the match length are left out.",
    "penalty": "Penalties, forfeits and sanctions are left out, but for the next score line.",
    "dispute": "Disputes, evidence, testimony and rulings are left out.",
    "appeal": "Appeals are left out.",
    "cancelled": "That the match was cancelled is left out.",
    "attendance": "Calls, arrivals, breaks and delays are left out.",
    "equipment": "Equipment, staff, spectators and consent to recording are left out.",
    "entry": "Corrections of the record are applied, and not shown.",
    "remark": "Marked moments and their notes are left out.",
    "film": "Films of the match, and what was said of their moments, are left out.",
    "custody": "Leases, keys, packs and publication are left out.",
    "tournament": "What belongs to the tournament is left out.",
    "finding": "Findings are left out.",
    "limit": "A reader of the format refuses what the match needs.",
}

SGF = {
    "proof": "Entry ids, bases, recorders and seals stay behind; an SGF file proves nothing.",
    "header": "Of the match's opening, what no property of the format names is left out.",
    "name": "A name is cut or spelt otherwise, since GNU Backgammon breaks on it.",
    COMMENT: "Kept as comments (C, GC) for people; no program reads a fact in them.",
    "set-up": "Written as board or cube from there on; that it was set is a comment.",
    "time": "When something happened is left out.",
    "clock": "The clock is left out.",
    "opening-tie": "An opening throw of equal dice is a comment.",
    "opening": "Of the opening throw only the roll of the player who begins is written.",
    "illegal-steps": "A play is written as the board after it; its steps are a comment.",
    "gap": "What was not seen is dice without a play; readers go on with an older board.",
    "no-roll": "A play without a recorded roll is a board that was set.",
    "revision": "Of a play that was changed the last word is written; the change is a comment.",
    "cube": "A void cube act is a comment.",
    "beaver": "That a beaver is taken is written after it, since readers wait for it.",
    "resignation": "A resignation is told by the result alone; each act of it is a comment.",
    "claim": "What sheets, sources and players claimed is a comment; the computed value stands.",
    "score": "A score that was stated shows in the next game alone, and is a comment.",
    "dispute": "Disputes, penalties and rulings are left out, since nobody asked for them.",
    "appeal": "Appeals, testimony and evidence are left out.",
    "length": "A match that another length or an order ended goes on, for readers.",
    "checkers": "Readers have another board: both sides on one point, or not 15 checkers a side.",
    "reopened": "An end of a game that was none is a comment; the game goes on without it.",
    "undone": "That a game was opened again after its end is a comment.",
    "entry": "Corrections of the record are applied, and not shown.",
    "remark": "Marked moments are left out: their notes are personal.",
    "film": "Films of the match, and what was said of their moments, are left out.",
    "custody": "Leases, keys, packs and publication are left out.",
    "tournament": "What belongs to the tournament is left out.",
    "finding": "Findings are comments for people, or left out where nobody asked for them.",
    "limit": "What GNU Backgammon refuses or breaks on is a comment, or read otherwise by it.",
}

OGXM = {
    "proof": "Entry ids, bases, recorders and seals stay behind; an OGXM file proves nothing.",
    "header": "Of the match's opening, what is withheld or personal and has no field is left out.",
    "name": "A name is cut to the 4,096 bytes that the format has room for.",
    NOTE: "Kept as notes for programs (`x-tabularium-…`), which readers keep and ignore.",
    "dice-order": "In which order the dice of a legal play were read is left out.",
    "time": "When something happened is left out.",
    "clock": "The clock is left out.",
    "opening-tie": "An opening throw of equal dice is no ply; it is kept as a note.",
    "opening": "Of the opening throw only the roll of the player who begins is a ply.",
    "steps": "A play is written one die a step, not as it was recorded.",
    "illegal-steps": "An illegal play is written as the board after it; its steps are a note.",
    "told-by-end": "A play known by its end is written in steps that lead there.",
    "gap": "What was not seen is a turn passed; readers go on with an older board.",
    "board": "A board that the format cannot hold is a note; readers go on with an older board.",
    "no-roll": "A play without a recorded roll is a board that was set.",
    "roll": "A roll that no play followed is a note, but before a resignation.",
    "turn": "A turn out of order is written after a board set anew.",
    "cube": "A cube act that readers refuse there is written as a cube that was set, or as a note.",
    "crawford": "The format derives the Crawford game from the score; another one is a note.",
    "score": "The format derives the score from the games; another one is a note.",
    "claim": "What sheets, sources and players claimed is a note; the computed value stands.",
    "after-the-end": "What came after the last checker, a drop or a resignation is left out.",
    "dispute": "Disputes and rulings are left out, since nobody asked for them.",
    "appeal": "Appeals, testimony and evidence are left out.",
    "remark": "Marked moments are left out: their notes are personal.",
    "entry": "Corrections of the record are applied, and not shown.",
    "film": "A film that may not be shown, a second one, or what was said of it is left out.",
    "custody": "Leases, keys, packs and publication are left out.",
    "tournament": "What belongs to the tournament is left out.",
    "finding": "Findings are left out, since nobody asked for them.",
    "limit": "There is no room for more notes: a file holds 4,096.",
}

PEOPLE = {
    "proof": "Seals and recorders stay behind, and of a text the entry ids: it proves nothing.",
    "header": "Of the match's opening, what does not concern the match as played is left out.",
    "personal": "Names, notes and reasons in people's own words are left out unless handed over.",
    "time": "When something happened is left out.",
    "clock": "The clock is left out, since nobody asked for it.",
    "observation": "How each die came to rest is left out.",
    WORDS: "Told in words, which do not say everything that the entries do.",
    "ruling": "Penalties, disputes, rulings and appeals are left out, since nobody asked for them.",
    "finding": "Findings are left out, since nobody asked for them.",
    "entry": "Corrections of the record are applied, and not shown.",
    "film": "Films of the match, and what was said of their moments, are left out.",
    "custody": "Leases, keys, packs and publication are left out.",
    "unread": "What is of a type or version that this program does not know is left out.",
    "tournament": "What belongs to the tournament is left out.",
}
