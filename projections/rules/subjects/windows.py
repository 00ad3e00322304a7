"""Illegal plays that were noticed: what may or must be corrected, by whom, and until what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from projections.rules.answers import (
    CONFLICT,
    DISCRETION,
    NOT_IN_HAND,
    SILENT,
    Answer,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import Gap, Policy, Rules

MUST_CORRECT = "must_correct"
OPPONENT_DECIDES = "opponent_decides"
STANDS = "stands"
CORRECTED_BY_AGREEMENT = "corrected_by_agreement"
DOES_NOT_COUNT = "does_not_count"
"""The reading by which a notice was none: somebody else may still give one."""

BY_AGREEMENT = "both_agree"
"""Who may still correct what the text itself lets stand."""

DICE_OR_PIPS = "dice_or_pips"
UNRELATED = "unrelated"
HIT_NOT_LIFTED = "hit_not_lifted"

OPPONENTS_VALID_ROLL = "opponents_valid_roll"
OFFENDERS_NEXT_VALID_ROLL = "offenders_next_valid_roll"
NEXT_TOSS = "next_toss"
OPPONENTS_ROLL_OR_DOUBLE = "opponents_roll_or_double"
EITHER_ROLL = f"{OPPONENTS_VALID_ROLL}_or_{OFFENDERS_NEXT_VALID_ROLL}"
"""One of these two: which, hangs on what kind of illegality it is."""

THIRD_PERSONS = frozenset({"spectator", "monitor", "official", "director", "committee"})
"""Everybody but the two players."""
STAFF = frozenset({"monitor", "official", "director"})
"""Officials of the tournament at the table."""


class WindowFacts(Struct, frozen=True, kw_only=True):
    """An illegal play and what has happened since; events by their entry id, None = none."""

    play: str
    """The play in question, as it stands."""
    illegality: str | None = None
    """dice_or_pips, unrelated or hit_not_lifted, as a person classified it; None = nobody did."""
    noticed_by: str | None = None
    """Who noticed; None = not recorded, taken for a player."""
    tossed: str | None = None
    """The first valid roll since, whoever's."""
    opponent_rolled: str | None = None
    """The opponent's first valid roll since."""
    rolled_or_doubled: str | None = None
    """That roll or the opponent's first double, whichever came first."""
    void_throw: str | None = None
    """The first throw since that did not count."""
    early_roll: str | None = None
    """A roll that the opponent made before the offender's turn had ended, not made void."""
    early_accepted: str | None = None
    """The entry by which the offender let such a roll stand."""
    early_undone: str | None = None
    """Such a roll that was redone, or declared void."""
    is_closed_out: bool = False
    """Whether the play left the opponent on the bar with no point to enter."""
    opponent_doubled: str | None = None
    """The opponent's first double since."""
    turn_passed: str | None = None
    """What ended a turn of the opponent's in which he did not roll."""
    offender_rolled: str | None = None
    """The offender's next valid roll."""
    game_over: str | None = None
    """What ended the game."""
    later: tuple[str, ...] = ()
    """Rolls and plays since, in order: what goes back with the play if it is corrected."""
    agreed: bool = False
    """Whether both players agree to correct it."""
    illegal_plays: int = 1
    """Illegal plays of the offender noticed in the match, this one included."""
    known_since: str | None = None
    """The entry since which the offender is said to have known, and said nothing."""
    is_legal: bool = False
    """Whether the play, as recorded, is a legal one of its roll."""


def _open(facts: WindowFacts, section: str, by: str, until: str) -> Answer:
    return settled(MUST_CORRECT, section, by=by, until=until, undoes=(facts.play, *facts.later))


def _closed(closed_by: str | None, section: str, until: str) -> Answer:
    return settled(STANDS, section, closed_by=closed_by, until=until)


def _also(answer: Answer, name: str, other: Answer) -> Answer:
    return replace(answer, also=MappingProxyType({**answer.also, name: other}))


def _with_sanction(answer: Answer, facts: WindowFacts, section: str) -> Answer:
    """Repeated illegal plays, and silence about one's own, are the Director's affair."""
    if facts.illegal_plays < 2 and facts.known_since is None:
        return answer
    return _also(answer, "sanction", left_open(DISCRETION, section, "none", "sanction"))


def _with_double(answer: Answer, facts: WindowFacts, section: str) -> Answer:
    """AMB-M4: a double made in ignorance of an illegal play that is corrected."""
    if facts.opponent_doubled is None or answer.outcome != MUST_CORRECT:
        return answer
    return _also(answer, "double", ambiguous("AMB-M4", section, "double_void", "double_stands"))


def _with_position(answer: Answer, facts: WindowFacts, section: str) -> Answer:
    """AMB-M9: a hit checker that a play, now standing, left beside the one that hit it."""
    if facts.illegality != HIT_NOT_LIFTED or answer.outcome != STANDS:
        return answer
    return _also(answer, "position", ambiguous("AMB-M9", section, "to_the_bar", "as_it_lies"))


def _third_person(
    answer: Answer, facts: WindowFacts, section: str, may: frozenset[str], lean: str | None = None
) -> Answer:
    """AMB-M8: a third person notices in time, and no section lets that person speak."""
    who = facts.noticed_by
    if answer.is_open or answer.outcome == STANDS or who not in THIRD_PERSONS or who in may:
        return answer
    return ambiguous("AMB-M8", section, "counts_as_noticed", DOES_NOT_COUNT, lean=lean)


def _by_the_board(answer: Answer, facts: WindowFacts, section: str) -> Answer:
    """A play called illegal that the board shows to be legal: no text says whom to believe."""
    if answer.is_open or answer.outcome == STANDS or not facts.is_legal:
        return answer
    return left_open(CONFLICT, section, STANDS, answer.outcome)


def _game_over(facts: WindowFacts, section: str) -> Answer:
    """AMB-M7: the game or the match ended before the window had closed."""
    return ambiguous("AMB-M7", section, "corrected", STANDS, ended_by=facts.game_over)


# usbgf-2017-07


def usbgf_2017_07(facts: WindowFacts, rules: Rules) -> Answer:
    """Until the opponent's valid roll; unrelated to dice and pips, until the offender's next."""
    section = "[4.2.3]"
    if rules.options.get("moves_policy") == "responsible":
        return _responsible(section)
    answer = _by_class(facts, section)
    if answer.outcome != MUST_CORRECT and facts.agreed and facts.game_over is None:
        answer = settled(
            CORRECTED_BY_AGREEMENT, section, by="both", undoes=(facts.play, *facts.later)
        )
    elif facts.game_over is not None and (facts.agreed or answer.outcome != STANDS):
        answer = _game_over(facts, section)
    elif answer.outcome == STANDS:
        # What stands may still be corrected if both agree.
        details = {**answer.details, "later": BY_AGREEMENT}
        answer = replace(answer, details=MappingProxyType(details))
    answer = _third_person(answer, facts, section, may=frozenset())
    answer = _by_the_board(answer, facts, section)
    return _with_sanction(_with_double(answer, facts, section), facts, section)


def _by_class(facts: WindowFacts, section: str) -> Answer:
    """Both deadlines, and which of them the class of the illegality makes the one that counts."""
    first = _until_opponents_roll(facts, section)
    if facts.illegality == DICE_OR_PIPS:
        return first
    second = _open(facts, section, "both", OFFENDERS_NEXT_VALID_ROLL)
    if facts.offender_rolled is not None:
        second = _closed(facts.offender_rolled, section, OFFENDERS_NEXT_VALID_ROLL)
    if facts.illegality == UNRELATED:
        return second
    if first.outcome == second.outcome:
        # Nobody has to say which deadline counts while both are open, or both gone.
        details = {**first.details, "until": EITHER_ROLL}
        return replace(first, details=MappingProxyType(details))
    # AMB-M1: whether a hit that is not lifted is about the dice; AMB-M6: who is to classify.
    ambiguity = "AMB-M1" if facts.illegality == HIT_NOT_LIFTED else "AMB-M6"
    if first.is_open:
        return first
    readings = (OPPONENTS_VALID_ROLL, OFFENDERS_NEXT_VALID_ROLL)
    return ambiguous(ambiguity, "[4.2]", *readings, closed_by=facts.opponent_rolled)


def _until_opponents_roll(facts: WindowFacts, section: str) -> Answer:
    if facts.opponent_rolled is not None:
        return _closed(facts.opponent_rolled, section, OPPONENTS_VALID_ROLL)
    if facts.early_roll is not None:
        # AMB-M3: whether an early roll made to stand is a roll here, and from when.
        return ambiguous("AMB-M3", section, "from_the_throw", "from_acceptance", "never")
    if facts.turn_passed is not None:
        # AMB-M5: closed out, the opponent made no roll that could close it.
        lean = MUST_CORRECT if facts.offender_rolled is None else STANDS
        readings = ("open", "closed_at_end_of_that_turn", "closed_at_offenders_next_roll")
        return ambiguous("AMB-M5", section, *readings, lean=lean)
    return _open(facts, section, "both", OPPONENTS_VALID_ROLL)


def _responsible(section: str) -> Answer:
    # The policy is an option of a document that is not in hand.
    return left_open(NOT_IN_HAND, section, STANDS, MUST_CORRECT)


# usbgf-2017-09


def usbgf_2017_09(gap: Gap) -> Policy:
    """What the ratified text is known to say, and the draft's where it agrees; else `gap`."""

    def answer(facts: WindowFacts, rules: Rules) -> Answer:
        if rules.options.get("moves_policy") == "responsible":
            return _responsible("[4.2.3]")
        draft = usbgf_2017_07(facts, rules)
        if draft.ambiguity in ("AMB-M3", "AMB-M7"):
            return draft
        if not _is_untouched(facts):
            return gap("window.play", facts, rules)
        if facts.noticed_by in STAFF:
            # usbgf-2017-09 [1.3.3, 4.2.3]: monitors may require correction.
            told = usbgf_2017_07(replace(facts, noticed_by=None), rules)
            return replace(told, section="[1.3.3, 4.2.3]")
        if draft.ambiguity == "AMB-M8":
            return draft
        unverified = replace(draft, verified=False)
        return _sanctioned_by(unverified, "[1.1]")

    return answer


def _is_untouched(facts: WindowFacts) -> bool:
    """Whether nothing has happened since that could bear on the window, in the plainest class."""
    return (
        facts.illegality == DICE_OR_PIPS
        and facts.opponent_rolled is None
        and facts.void_throw is None
        and facts.early_roll is None
        and facts.early_undone is None
        and facts.opponent_doubled is None
        and facts.turn_passed is None
        and facts.offender_rolled is None
        and facts.game_over is None
        and not facts.agreed
        and not facts.is_closed_out
    )


def _sanctioned_by(answer: Answer, section: str) -> Answer:
    sanction = answer.also.get("sanction")
    if sanction is None:
        return answer
    return _also(answer, "sanction", replace(sanction, section=section))


# biba-2014


def biba_2014(facts: WindowFacts, rules: Rules) -> Answer:
    """Until the dice are next tossed, whoever tosses them; after that it stands."""
    section = "4.8"
    if facts.tossed is not None:
        answer = _closed(facts.tossed, section, NEXT_TOSS)
        if facts.agreed:
            answer = left_open(SILENT, section, STANDS, CORRECTED_BY_AGREEMENT, lean=STANDS)
    elif facts.game_over is not None:
        answer = _game_over(facts, section)
    elif facts.early_roll is not None:
        # AMB-M3: an early roll, made to stand, was tossed before the turn had ended.
        readings = ("from_the_throw", "from_acceptance", "never")
        answer = ambiguous("AMB-M3", section, *readings, lean=STANDS)
    elif facts.void_throw is not None or facts.early_undone is not None:
        answer = _void_throw(section)
    else:
        answer = _open(facts, section, "either_player_or_official", NEXT_TOSS)
    answer = _third_person(answer, facts, section, may=STAFF)
    answer = _by_the_board(answer, facts, section)
    answer = _with_position(_with_double(answer, facts, section), facts, section)
    return _with_sanction(answer, facts, "1.1")


def _void_throw(section: str) -> Answer:
    """AMB-M2: whether a throw that does not count closes the window."""
    return ambiguous("AMB-M2", section, "any_toss", "valid_roll_only", lean=STANDS)


# fcbg-tournament


def fcbg_tournament(facts: WindowFacts, rules: Rules) -> Answer:
    """The opponent condones or demands a replay, until he rolls or turns the cube."""
    section = "IRR/T(h)"
    if facts.rolled_or_doubled is not None:
        answer = _closed(facts.rolled_or_doubled, section, OPPONENTS_ROLL_OR_DOUBLE)
        if facts.agreed:
            answer = left_open(SILENT, section, STANDS, CORRECTED_BY_AGREEMENT, lean=STANDS)
    elif facts.game_over is not None:
        answer = _game_over(facts, section)
    elif facts.turn_passed is not None:
        # AMB-M5: closed out, the opponent neither rolled nor doubled.
        readings = ("open", "closed_at_end_of_that_turn", "closed_at_offenders_next_roll")
        answer = ambiguous("AMB-M5", section, *readings)
    elif facts.void_throw is not None:
        answer = _void_throw(section)
    else:
        answer = settled(
            OPPONENT_DECIDES,
            section,
            choices=("condone", "demand_replay"),
            by="opponent",
            until=OPPONENTS_ROLL_OR_DOUBLE,
            undoes=(facts.play, *facts.later),
        )
    lean = OPPONENT_DECIDES if facts.noticed_by in STAFF else None
    answer = _third_person(answer, facts, section, may=frozenset(), lean=lean)
    answer = _by_the_board(answer, facts, section)
    if facts.early_roll is not None or facts.early_undone is not None:
        # fcbg-tournament IRR/T(a): an early roll is void whatever was said, and closes nothing.
        answer = _also(answer, "premature_roll", settled("void", "IRR/T(a)"))
    return _with_position(answer, facts, section)


# What follows from a ruling.


def _cited(answer: Answer, section: str) -> Answer:
    """An adopted answer, which cites where the club's own text sends the question to a person."""
    also = {name: replace(other, section=section) for name, other in answer.also.items()}
    return replace(answer, section=section, also=MappingProxyType(also))


def after_ruling(reading: str, asked: Answer, facts: WindowFacts, rules: Rules) -> Answer | None:
    """What becomes of the play by the reading that a Director chose; None = the text cannot say.

    The words of the readings are those of the policies above; a Director may also name the outcome
    itself, where the text offered no readings.
    """
    match reading:
        case "counts_as_noticed":
            return _if_settled(rules.ask("window.play", replace(facts, noticed_by=None)))
        case "adopted":
            # AMB-F3: the club takes over what stands under the /TOURNAMENT heading.
            return _if_settled(_cited(fcbg_tournament(facts, rules), asked.section))
        case "corrected" | "must_correct" | "opponent_decides":
            is_choice = reading == OPPONENT_DECIDES
            return _still_open(OPPONENT_DECIDES if is_choice else MUST_CORRECT, asked, facts)
        case "corrected_by_agreement":
            undoes = (facts.play, *facts.later)
            return settled(CORRECTED_BY_AGREEMENT, asked.section, by="both", undoes=undoes)
        case "open" | "never" | "valid_roll_only":
            return _still_open(_policy_of(rules), asked, facts)
        case "stands" | "does_not_count":
            return settled(STANDS, asked.section)
    if reading not in _SHUT_BY:
        return None
    shut_by = _SHUT_BY[reading](facts)
    if shut_by is None:
        return _still_open(_policy_of(rules), asked, facts)
    return settled(STANDS, asked.section, closed_by=shut_by)


_SHUT_BY: Mapping[str, Callable[[WindowFacts], str | None]] = MappingProxyType(
    {
        "any_toss": lambda facts: facts.void_throw or facts.early_undone,
        "from_the_throw": lambda facts: facts.early_roll,
        "from_acceptance": lambda facts: facts.early_accepted,
        "closed_at_end_of_that_turn": lambda facts: facts.turn_passed,
        "closed_at_offenders_next_roll": lambda facts: facts.offender_rolled,
        OPPONENTS_VALID_ROLL: lambda facts: facts.opponent_rolled,
        OFFENDERS_NEXT_VALID_ROLL: lambda facts: facts.offender_rolled,
    }
)
"""Reading to the event that, by it, shuts the window; while that has not come, it is open."""


def _if_settled(answer: Answer) -> Answer | None:
    return None if answer.is_open else answer


def _policy_of(rules: Rules) -> str:
    """Whether an open window means a duty or the opponent's choice."""
    is_choice = rules.options.get("moves_policy") == "opponent_condones"
    return OPPONENT_DECIDES if is_choice else MUST_CORRECT


def _still_open(outcome: str, asked: Answer, facts: WindowFacts) -> Answer:
    """The play may, or must, be corrected; by whom is as the ruling said, in its own words."""
    answer = settled(outcome, asked.section, undoes=(facts.play, *facts.later))
    if outcome != OPPONENT_DECIDES:
        return answer
    details = {**answer.details, "by": "opponent", "choices": ("condone", "demand_replay")}
    return replace(answer, details=MappingProxyType(details))
