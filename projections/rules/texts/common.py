"""`common`: the general rules of backgammon, to which all other texts fall back."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from projections.rules import index
from projections.rules.answers import SILENT, Answer, left_open, settled
from projections.rules.profile import (
    Contents,
    CubeFault,
    Hearing,
    Policies,
    RuleProfile,
    Rules,
    Withheld,
)
from projections.rules.subjects import (
    cube_doubles,
    cube_signs,
    cube_words,
    dice,
    endings,
    game_worth,
    premature,
    resting,
    starting,
)
from projections.rules.subjects.cube_doubles import BeaverFacts, DoubleFacts
from projections.rules.subjects.cube_signs import AnswerFacts, ShownFacts, SignFacts
from projections.rules.subjects.dice import ThrowText, Tied
from projections.rules.subjects.endings import ValueText
from projections.rules.subjects.game_worth import GammonFacts, PhaseFacts
from projections.rules.subjects.premature import EarlyCube, EarlyRoll

CONTENTS = Contents()

OBJECTIVE = CONTENTS.section("Objective", "bearing off first, matches to a number of points")
SETUP = CONTENTS.section("Setup", "board and starting position")
MOVEMENT = CONTENTS.section("Movement", "opening roll, dice, legal plays, hits, entering")
BEARING_OFF = CONTENTS.section("Bearing off", "bearing off, gammon, backgammon")
CUBE = CONTENTS.section("Doubling cube", "doubles, takes, drops, who owns the cube")


INDEX = index.Lines()
"""For every chapter, what of it is computed, recorded, or left to a person."""

INDEX.computed(OBJECTIVE, "when the match is won", "match.end")
INDEX.recorded(OBJECTIVE, "the length of the match", "match.opened")
INDEX.left(
    OBJECTIVE,
    "clocks, resignations, results, wrong lengths, penalties, disputes and appeals",
    index.SILENT,
)
INDEX.computed(SETUP, "the checkers at the start", "position-fault")
INDEX.recorded(SETUP, "a wrong start, and its correction", "start.fault_noticed", "start.corrected")
INDEX.left(SETUP, "until when a wrong start is corrected, and how", index.SILENT)
INDEX.computed(MOVEMENT, "the opening roll, and its ties", "dice.throw")
INDEX.computed(MOVEMENT, "a side to throw on that is agreed or permitted", "dice.side")
INDEX.computed(MOVEMENT, "whether a die is valid where it rests", "dice.die")
INDEX.computed(MOVEMENT, "turns by turns", "out-of-turn", "premature.roll")
INDEX.computed(MOVEMENT, "whether a play is legal", "illegal-play")
INDEX.left(
    MOVEMENT,
    "what ends a turn, early rolls, and until when an illegal play is corrected",
    index.SILENT,
)
INDEX.computed(BEARING_OFF, "bearing off", "illegal-play")
INDEX.computed(BEARING_OFF, "who has borne off fifteen checkers", "game.over")
INDEX.computed(BEARING_OFF, "what a game counts", "game.value", "score.gammon")
INDEX.computed(CUBE, "when a double may be offered, and by whom", "cube.time", "premature.cube")
INDEX.computed(CUBE, "a double by whom the game already gives the match", "cube.worth")
INDEX.computed(CUBE, "the Crawford game where it was agreed", "crawford.phase", "cube.crawford")
INDEX.computed(CUBE, "whether a double was taken or passed", "cube.answer")
INDEX.computed(CUBE, "words that bind: a question", "cube.sign", "cube.broken")
INDEX.left(CUBE, "a double before the turn", index.SILENT)
INDEX.computed(CUBE, "that a pass ends the game", "game.dropped", "cube.drop")
INDEX.computed(CUBE, "beavers", "cube.beaver")
INDEX.computed(CUBE, "automatic doubles", "cube.automatic")
INDEX.computed(CUBE, "where the cube lies", "cube.shown")
INDEX.recorded(CUBE, "the cube as it lies", "cube.stated")
INDEX.left(CUBE, "a double in the opponent's turn", index.SILENT)


def doubling_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """At the start of the own turn, before rolling."""
    return cube_doubles.in_own_turn(
        facts, CUBE, opening=None, cocked=None, rolled=CUBE, not_owned=CUBE
    )


def worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C7: no text against a dead cube, so it is allowed."""
    return cube_doubles.allowed_though_dead(facts, CUBE)


def in_crawford_game(facts: DoubleFacts, rules: Rules) -> Answer:
    """Crawford is on only where the players agreed on it; the text itself has no such game."""
    if CubeFault.CRAWFORD not in facts.faults:
        return worth(facts, rules)
    return cube_words.said(cube_words.NOT_ALLOWED, CUBE)


def beaver(facts: BeaverFacts, rules: Rules) -> Answer:
    """No text about beavers; for money they are what the players agreed on."""
    if facts.is_money and not facts.is_raccoon and rules.is_on("beavers"):
        return cube_doubles.beavered(facts, CUBE)
    return left_open(SILENT, CUBE, cube_words.ALLOWED, cube_words.NOT_ALLOWED)


def sign(facts: SignFacts, rules: Rules) -> Answer:
    """A double is proposed; which gesture or word is a proposal, the text does not say."""
    return left_open(SILENT, CUBE, cube_words.BOUND, cube_words.NOT_BOUND)


def answered(facts: AnswerFacts, rules: Rules) -> Answer:
    """A taken cube lies on the taker's side; contradictory signs are nobody's."""
    signs = {cube_signs.WORD[word] for word in facts.words}
    if facts.put == "own_side":
        signs.add("taken")
    if signs == {"taken"}:
        return cube_signs.taken(facts, CUBE)
    if signs == {"dropped"}:
        return cube_signs.dropped(facts, CUBE)
    return left_open(SILENT, CUBE, "taken", "dropped")


def shown(facts: ShownFacts, rules: Rules) -> Answer:
    """In the middle at the start; later the text says nothing."""
    if facts.is_start and not facts.is_disputed:
        return cube_words.said(starting.CORRECT, CUBE)
    return left_open(SILENT, CUBE, "as_shown", "as_acted")


valid_die = resting.by_checks(
    MOVEMENT, resting.at_rest, resting.on_playing_field, resting.right_side, resting.rest_undefined,
    resting.not_tilted_otherwise, resting.only_field_mentioned, resting.flat,
    resting.return_unclear,
)  # fmt: skip
"""`Both dice must land completely flat on the right-hand side`."""

valid_throw = dice.throw(
    ThrowText(section=MOVEMENT, tie_section=MOVEMENT, is_scope_said=False, flat_flag="AMB-G1")
)


def automatic(tied: Tied, rules: Rules) -> Answer:
    """For money what the players agreed holds; in a match the text does not know them."""
    if tied.is_crawford:
        return settled("cube", CUBE, cube_value=1)
    if tied.is_match:
        return dice.agreement_open(tied, CUBE)
    return dice.as_agreed(tied, CUBE)


_VALUE = ValueText(
    sections=dict.fromkeys((endings.SINGLE, endings.GAMMON, endings.BACKGAMMON), BEARING_OFF),
    short=BEARING_OFF,
    bare=BEARING_OFF,
    short_flag="AMB-S3",
)


def phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """No such game, unless the players agreed on it."""
    if not rules.is_on("crawford"):
        return cube_words.said("no_crawford_rule", CUBE)
    return cube_words.said(facts.phase, CUBE)


def gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """For money it is what the players agreed on; of a match no text speaks."""
    if facts.is_money:
        return game_worth.counted(facts, BEARING_OFF, is_single=True)
    return left_open(SILENT, BEARING_OFF, "single", "counts")


def early_roll(roll: EarlyRoll, rules: Rules) -> Answer:
    """A bad throw is one at any time; of early ones the text says nothing."""
    return premature.bad_throw(roll) or left_open(SILENT, rules.cite("turn")[1])


def early_cube(cube: EarlyCube, rules: Rules) -> Answer:
    """Only the owner may double; of early doubles the text says nothing."""
    section = CUBE
    return (
        premature.in_vain(cube, premature.NOT_ALLOWED, section)
        if cube.is_owned_by_player
        else left_open(SILENT, section)
    )


SECTIONS = MappingProxyType(
    {
        "setup": SETUP,
        "board": SETUP,
        "opening": MOVEMENT,
        "premature.lift": MOVEMENT,
        "premature.roll": MOVEMENT,
        "premature.cube": CUBE,
        "turn.end": MOVEMENT,
        "play.change": MOVEMENT,
        "start.position": SETUP,
        "window.play": MOVEMENT,
        "dice": MOVEMENT,
        "play": MOVEMENT,
        "bear_off": BEARING_OFF,
        "cube": CUBE,
        "cube.time": CUBE,
        "cube.start": CUBE,
        "cube.opening": CUBE,
        "cube.premature": CUBE,
        "cube.rolled": CUBE,
        "cube.owned": CUBE,
        "cube.crawford": CUBE,
        "cube.worth": CUBE,
        "ending": BEARING_OFF,
        "match.end": OBJECTIVE,
        "score": OBJECTIVE,
        "gammon": BEARING_OFF,
        "turn": MOVEMENT,
        "dice.die": MOVEMENT,
        "dice.throw": MOVEMENT,
        "dice.side": MOVEMENT,
        "cube.automatic": CUBE,
    }
)
"""Subject to the chapter that speaks about it."""

POLICIES: Policies = MappingProxyType(
    {
        "cube.time": doubling_time,
        "cube.worth": worth,
        "cube.crawford": in_crawford_game,
        "cube.drop": cube_doubles.drop_at(CUBE),
        "cube.sign": sign,
        "cube.answer": answered,
        "cube.broken": cube_signs.broken,
        "cube.beaver": beaver,
        "cube.shown": shown,
        "crawford.phase": phase,
        "score.gammon": gammon,
        "dice.die": valid_die,
        "dice.throw": valid_throw,
        "dice.side": dice.right_alone(MOVEMENT),
        "cube.automatic": automatic,
        "game.value": partial(endings.game_value, _VALUE),
        "game.over": partial(endings.not_over, BEARING_OFF),
        "game.dropped": partial(endings.dropped, CUBE),
        "match.end": partial(endings.match_end, OBJECTIVE),
        "premature.roll": early_roll,
        "premature.cube": early_cube,
    }
)
"""Subject to policy; a subject that is missing is one on which the text is silent."""

COMMON = RuleProfile(
    id="common",
    title="Rules of Backgammon",
    default_section=OBJECTIVE,
    contents=CONTENTS,
    index=tuple(INDEX),
    sections=SECTIONS,
    # The text declares no option: what the players agreed is pinned as such, and holds. It makes
    # no cube act void either: a double that it does not provide for is found, and stands as made.
    options=MappingProxyType(
        {
            "crawford": None,
            "jacoby": None,
            "beavers": None,
            "automatic_doubles": None,
            "rated": None,
            "event_kind": None,
            "dice_count": None,
            "baffle_box": None,
            "clock_use": None,
            "clock_terms": None,
            "official_languages": None,
            "notice": None,
            "match_length_points": None,
            "moves_policy": "legal",
        }
    ),
    hearing=Hearing(
        section=OBJECTIVE,
        withholds=frozenset({Withheld.PLAYERS}),
        unstated=frozenset({Withheld.FIRST_RULING}),
        knows_appeals=False,
    ),
    read_from="c05e6c0b87a5884f3c9619e88c44bbe7bfbeda9de630bb1d4d3e1900408739f8",
    policies=POLICIES,
)
"""The profile of the common rules."""
