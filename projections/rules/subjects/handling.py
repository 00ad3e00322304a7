"""Handling: what the texts ask of hands at the board, and what a deviation costs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

from events.values import Seat
from projections.rules.answers import NOT_RECORDED, SILENT, Answer, left_open, settled
from projections.rules.profile import Policy, Rules, Subject

ADVERSE = "may_be_ruled_against"
"""A deviation may count against whoever made it, once there is a dispute."""
DEVIATES = "not_as_the_text_has_it"
"""The text asks for it otherwise, and names nothing that follows."""

TWO_HANDS = "two_hands"
OPPONENTS_TURN = "opponents_turn"
NOT_OFFSET = "not_offset"
UNCLEAR = "unclear"
BAR_NOT_FIRST = "bar_not_first"
HIT_NOT_ON_BAR = "hit_not_on_bar"
OFF_ON_FIELD = "borne_off_on_field"
NOT_RESTORED = "not_restored"
DICE_TOUCHED = "dice_touched"
MANIPULATED = "manipulated"
UNANNOUNCED = "dice_moved_unannounced"
ROLL_UNSAID = "dice_moved_roll_unsaid"
"""Repositioning was announced, and the roll not stated."""
INTENT_UNSAID = "dice_moved_intent_unsaid"
"""The roll was stated, and repositioning not announced."""
SHAKING = "excessive_shaking"
TALKING = "talking"

REFRAIN = "to_refrain_on_request"
"""A player has to refrain from it where the opponent asks for it; no more is said."""
ON_PROOF = "disqualified_on_proof"
"""With proof of it the text has everybody disqualified who took part."""
PUNISHED = "may_be_punished"
"""The text leaves the punishment to the Director."""
IF_AGREED = "if_agreed"
"""The text lets a player do so only if the opponent agrees; of that nothing is on record."""
IF_NOT_OBJECTED = "if_not_objected"
"""The text lets a player do so unless the opponent objects; of that nothing is on record."""
ON_A_CLOCK = "on_a_clock_alone"
"""The text has it done with a clock alone, where a player may insist on one."""
AS_THE_TEXT_HAS_IT = "allowed"
"""The text is content with it."""
TO_WHOM = "to_whom"
"""The text lets partners talk so to one another, and to whom it was said nobody recorded."""
_TO_WHOM = ("between_partners", "to_others")

CONSULTED = "consulted"
"""A player took advice."""
AIDED = "aids"
"""A player used aids, written, mechanical or electronic."""
FOUL_WORDS = "foul_words"
"""A player used foul, threatening or insulting words."""
SPOKE_OTHERWISE = "language"
"""A player spoke another language than the official one."""
HEADPHONES = "headphones"
"""A player wore headphones."""
HEADPHONES_FORBIDDEN = "headphones_forbidden"
"""A player wore headphones that the opponent had forbidden, or not agreed to."""
PICTURES = "pictures"
"""A player took pictures."""
DEVICE_BESIDE = "device_beside_play"
"""A device by which the match is clocked, or music is heard."""
SCORE_KEPT = "score_kept"
"""An aid to keep the score."""
MATCH_RECORDED = "match_recorded"
"""An aid to record the match."""

IN_MATCH = frozenset(
    {AIDED, CONSULTED, SPOKE_OTHERWISE, HEADPHONES, HEADPHONES_FORBIDDEN, PICTURES}
)
"""What all texts speak of while a match is in progress alone, or for the sake of one."""

_FORBIDDEN = frozenset({"forbade", "forbidden", "minded", "objected", "objection", "refused"})
"""Parts of a word by which the opponent did not want it."""

_TONGUES = (
    *("arabic", "bulgarian", "chinese", "czech", "danish", "dutch", "farsi", "finnish", "french"),
    *("georgian", "german", "greek", "hebrew", "hungarian", "italian", "japanese", "norwegian"),
    *("persian", "polish", "portuguese", "romanian", "russian", "spanish", "swedish", "turkish"),
)
"""Languages that a scribe may name where another than the official one is spoken."""

_CONDUCT = {
    SCORE_KEPT: {"score", "scores", "scorecard", "scorekeeping", "scorepad", "scoresheet"},
    MATCH_RECORDED: {
        *("film", "filmed", "filming", "record", "recorded", "recording", "transcribed"),
        *("transcribing", "video", "videoed"),
    },
    AIDED: {
        *("aid", "aids", "app", "calculator", "computer", "counter", "device", "electronic"),
        *("engine", "laptop", "message", "messages", "messaging", "mobile", "notes", "phone"),
        *("smartphone", "smartwatch", "software", "texted", "texting"),
    },
    # Before the language: foul language is no other one.
    FOUL_WORDS: {
        *("foul", "abuse", "abused", "abusive", "cursed", "cursing", "insult", "insulted"),
        *("insulting", "offensive", "rude", "swearing", "swore", "threat", "threatened"),
        "threatening",
    },
    SPOKE_OTHERWISE: {"language", "foreign", *_TONGUES},
    HEADPHONES: {"airpods", "buds", "earbuds", "earphones", "headphone", "headphones", "music"},
    PICTURES: {
        *("camera", "photo", "photograph", "photographed", "photographing", "photographs"),
        *("photography", "photos", "picture", "pictures", "selfie", "snapshot", "snapshots"),
    },
    # Last: whoever takes advice from a device uses an aid, and in another language speaks it.
    CONSULTED: {"advice", "advised", "consult", "consultation", "consulted", "consulting"},
}
"""What players do at the table beside the board, by parts of the word that was recorded for it."""


_BESIDE = frozenset({"cancelling", "clock", "clocking", "music", "timer"})
"""Parts of words that say that a device is used for something that is no help in play."""

SPECTATOR_SPOKE = "spectator_spoke"
"""A spectator said something about the play, or was loud."""
SPECTATOR_ADVISED = "spectator_advised"
"""A spectator recommended a move, or commented on a misplay."""
SPECTATOR_SPOKE_OTHERWISE = "spectator_language"
"""A spectator spoke another language than the official one."""
SPECTATOR_SIGNALLED = "spectator_signalled"
"""A spectator and a player made signs to each other."""
SPECTATOR_ON_CLOCK = "spectator_on_clock"
"""A spectator spoke of the clock during a game."""
SPECTATOR_ON_SETUP = "spectator_on_setup"
"""A spectator spoke of the set-up during a game."""
SPECTATOR_BETWEEN = "spectator_between_games"
"""A spectator spoke of clock or set-up between games."""

_ON_TABLE = {SPECTATOR_ON_CLOCK: {"clock"}, SPECTATOR_ON_SETUP: {"setup", "set", "position"}}
_SPECTATORS = {
    SPECTATOR_SPOKE_OTHERWISE: {"language", "foreign", *_TONGUES},
    SPECTATOR_ADVISED: {
        *("advice", "advised", "blunder", "hint", "mistake", "misplay", "misplays"),
        *("recommend", "recommendation", "recommended", "recommending", "suggested", "suggestion"),
    },
    SPECTATOR_SIGNALLED: {"signal", "signals", "signalled", "signaled", "signalling", "signaling"},
    **_ON_TABLE,
    SPECTATOR_SPOKE: {
        *("cheer", "cheered", "comment", "commented", "comments", "conversation", "conversed"),
        *("loud", "noise", "remark", "remarked", "said", "spoke", "talk", "talked", "talking"),
        *("whispered", "whispering"),
    },
}
"""What spectators do, by parts of the word that was recorded for it."""


def by_spectator(kind: str, *, in_game: bool) -> str | None:
    """What sort of act of a spectator a word speaks of; None = nothing that a text speaks of."""
    parts = frozenset(re.split(r"[^a-z]+", kind))
    sort = next((sort for sort, words in _SPECTATORS.items() if parts & words), None)
    return SPECTATOR_BETWEEN if sort in _ON_TABLE and not in_game else sort


_MANNERS = (
    (
        OFF_ON_FIELD,
        ({"borne", "bear", "bearing"}, {"off"}, {"field", "playing", "surface", "board"}),
    ),
    (HIT_NOT_ON_BAR, ({"hit"}, {"checker", "checkers"}, {"bar", "left", "lifted"})),
    (BAR_NOT_FIRST, ({"bar"}, {"enter", "entered", "entering", "first", "left"})),
    (BAR_NOT_FIRST, ({"before"}, {"entering"})),
    (OPPONENTS_TURN, ({"opponent", "opponents"}, {"turn"})),
    (TWO_HANDS, ({"two", "both"}, {"hands"})),
    (SHAKING, ({"excessive", "long", "noisy", "loud"}, {"shaking", "shook"})),
    (TALKING, ({"banter", "chatted", "chatter", "chatting", "coffeehousing", "talked"},)),
)
"""Ways of handling, by parts of the word that was recorded: one of every set."""


def manner(kind: str) -> str:
    """The way of handling that a word speaks of, by the name that the texts are asked by."""
    parts = frozenset(re.split(r"[^a-z]+", kind))
    known = (name for name, sets in _MANNERS if all(parts & words for words in sets))
    return next(known, kind)


def conduct(kind: str) -> str | None:
    """What sort of conduct a word speaks of; None = it is about checkers, dice or cube."""
    parts = frozenset(re.split(r"[^a-z]+", kind))
    sort = next((sort for sort, words in _CONDUCT.items() if parts & words), None)
    if sort == AIDED and parts & _BESIDE:
        return DEVICE_BESIDE
    return HEADPHONES_FORBIDDEN if sort == HEADPHONES and parts & _FORBIDDEN else sort


OWN_TIME = "own_time"
"""The player's own time runs."""
STANDS_STILL = "paused"
"""A clock is in use, and nobody's time runs."""
OTHERS_TIME = "others_time"
"""The opponent's time runs."""


def is_between_partners(kind: str) -> bool:
    """Whether the word that was recorded says that partners spoke to one another."""
    return bool({"partner", "partners"} & frozenset(re.split(r"[^a-z]+", kind)))


def is_with_spectator(kind: str) -> bool:
    """Whether the word that was recorded says that a player turned to somebody who watches."""
    return bool(_WATCHING & frozenset(re.split(r"[^a-z]+", kind)))


_WATCHING = frozenset({"audience", "bystander", "onlooker", "spectator", "spectators"})


class Handled(msgspec.Struct, frozen=True, gc=False):
    """Checkers or dice handled in a way that somebody minded."""

    seat: Seat | None
    """By whom; None = a spectator."""
    kind: str
    """In which way, in a word."""
    is_allowed: bool = False
    """Whether the opponent is known to have agreed to it."""
    is_objected: bool = False
    """Whether the opponent is known to have objected to it."""
    clock: str | None = None
    """OWN_TIME, OTHERS_TIME or STANDS_STILL; None where no clock is in use."""
    is_break: bool = False
    """Whether a break is on, or no game."""
    is_consulting: bool = False
    """Whether two play on that side, and may talk to one another."""


Weighed = Callable[[Handled, Rules], str]
"""The outcome where it hangs on more than the kind."""


def unless_agreed(handled: Handled, rules: Rules) -> str:
    """What a player may do only if the opponent agrees."""
    return AS_THE_TEXT_HAS_IT if handled.is_allowed else IF_AGREED


def unless_objected(handled: Handled, rules: Rules) -> str:
    """What a player may do in his own time, and only if the opponent does not object."""
    if handled.is_objected or handled.clock not in (None, OWN_TIME):
        return DEVIATES
    return AS_THE_TEXT_HAS_IT if handled.is_allowed else IF_NOT_OBJECTED


def by_kind(
    rules_of: Mapping[str, tuple[str | Weighed, str]], otherwise: tuple[str, str]
) -> Policy[Handled]:
    """The policy of a text: (outcome, section) by the kind of handling.

    `otherwise` is for a kind that nobody named here: somebody minded it, and where the text speaks
    of handling it may be weighed.
    """

    def answer(handled: Handled, rules: Rules) -> Answer:
        sort = conduct(handled.kind)
        known = rules_of.get(handled.kind)
        if known is None and handled.seat is None:
            known = (SILENT, otherwise[1])
        elif known is None and sort is not None:
            known = rules_of.get(sort, (SILENT, otherwise[1]))
        told, section = known or otherwise
        outcome = told if isinstance(told, str) else told(handled, rules)
        if outcome == SILENT:
            return left_open(SILENT, section)
        if outcome == TO_WHOM:
            return left_open(NOT_RECORDED, section, *_TO_WHOM)
        return settled(outcome, section, of=handled.seat)

    return answer


HANDLING = Subject[Handled]("play.handling")
"""What follows where checkers or dice were handled otherwise than the text has it."""
