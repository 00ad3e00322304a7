"""Illegal plays that were noticed: what may or must be corrected, by whom, and until what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from projections.rules.answers import CONFLICT, DISCRETION, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules, Subject

MUST_CORRECT = "must_correct"
OPPONENT_DECIDES = "opponent_decides"
STANDS = "stands"
CORRECTED_BY_AGREEMENT = "corrected_by_agreement"
DOES_NOT_COUNT = "does_not_count"
"""The reading by which a notice was none: somebody else may still give one."""

BY_AGREEMENT = "both_agree"
"""Who may still correct what the text itself lets stand."""

DOUBLE_VOID = "double_void"

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
    is_spectator_asked: bool = False
    """Whether both players have asked a spectator since to help them."""
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


def open_until(facts: WindowFacts, section: str, by: str, until: str) -> Answer:
    """The play must be corrected, as long as the window is open."""
    return settled(MUST_CORRECT, section, by=by, until=until, undoes=(facts.play, *facts.later))


def closed(closed_by: str | None, section: str, until: str) -> Answer:
    """The play stands: this closed the window."""
    return settled(STANDS, section, closed_by=closed_by, until=until)


def also(answer: Answer, name: str, other: Answer) -> Answer:
    """The answer with another question beside it."""
    return replace(answer, also=MappingProxyType({**answer.also, name: other}))


def with_sanction(answer: Answer, facts: WindowFacts, section: str) -> Answer:
    """Repeated illegal plays, and silence about one's own, are the Director's affair."""
    if facts.illegal_plays < 2 and facts.known_since is None:
        return answer
    return also(answer, "sanction", left_open(DISCRETION, section, "none", "sanction"))


def with_double(answer: Answer, facts: WindowFacts, section: str) -> Answer:
    """AMB-M4: a double made in ignorance of an illegal play that is corrected."""
    if facts.opponent_doubled is None or answer.outcome != MUST_CORRECT:
        return answer
    return also(answer, "double", ambiguous("AMB-M4", section, DOUBLE_VOID, "double_stands"))


def with_position(answer: Answer, facts: WindowFacts, section: str) -> Answer:
    """AMB-M9: a hit checker that a play, now standing, left beside the one that hit it."""
    if facts.illegality != HIT_NOT_LIFTED or answer.outcome != STANDS:
        return answer
    return also(answer, "position", ambiguous("AMB-M9", section, "to_the_bar", "as_it_lies"))


def third_person(
    answer: Answer, facts: WindowFacts, section: str, may: frozenset[str], lean: str | None = None
) -> Answer:
    """AMB-M8: a third person notices in time, and no section lets that person speak."""
    who = facts.noticed_by
    if answer.is_open or answer.outcome == STANDS or who not in THIRD_PERSONS or who in may:
        return answer
    return ambiguous("AMB-M8", section, "counts_as_noticed", DOES_NOT_COUNT, lean=lean)


def by_the_board(answer: Answer, facts: WindowFacts, section: str) -> Answer:
    """A play called illegal that the board shows to be legal: no text says whom to believe."""
    if answer.is_open or answer.outcome == STANDS or not facts.is_legal:
        return answer
    return left_open(CONFLICT, section, STANDS, answer.outcome)


def ended_before(facts: WindowFacts, section: str) -> Answer:
    """AMB-M7: the game or the match ended before the window had closed."""
    return ambiguous("AMB-M7", section, "corrected", STANDS, ended_by=facts.game_over)


def void_throw(section: str) -> Answer:
    """AMB-M2: whether a throw that does not count closes the window."""
    return ambiguous("AMB-M2", section, "any_toss", "valid_roll_only", lean=STANDS)


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
            return _if_settled(rules.ask(WINDOW_PLAY, replace(facts, noticed_by=None)))
        case "adopted":
            # AMB-F3: the club takes over what stands under the /TOURNAMENT heading.
            answer = rules.adopted(WINDOW_PLAY, facts)
            return None if answer is None else _cited(answer, asked.section)
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


WINDOW_PLAY = Subject[WindowFacts]("window.play")
"""Whether an illegal play that somebody noticed stands, and until what it may be corrected."""
