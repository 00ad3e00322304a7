"""Doubles and what is answered to them: when, of what use, in the Crawford game, drops, beavers."""

from __future__ import annotations

from types import MappingProxyType

import msgspec

from events.values import BySeat, Seat
from projections.rules.answers import SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import CubeFault, Policy, Rules
from projections.rules.subjects.cube_words import (
    ALLOWED,
    BINDS,
    COMMON_CUBE,
    FCBG_CRAWFORD,
    FCBG_DOUBLING,
    FIRST_LEGAL,
    NOT_ALLOWED,
    NOW,
    STANDS,
    UNDONE,
    USBGF_ACTIONS,
    USBGF_CRAWFORD,
    USBGF_DEAD,
    VOID,
    as_not_in_hand,
    in_one_point_match,
    lean_to,
    said,
)

COUNTS = "counts_as_accepted"
"""What becomes of a double that was dropped where no match may end so."""


class DoubleFacts(msgspec.Struct, frozen=True):
    """A double, and what is wrong with it by the facts alone."""

    seat: Seat
    """Who doubles."""
    faults: tuple[CubeFault, ...] = ()
    """What the cube's fold found."""
    is_opening: bool = False
    """Whether the roll that came before it is the opening roll."""
    is_cocked: bool = False
    """Whether the doubler has thrown in this turn, and the throw did not count."""
    is_answered: bool = False
    """Whether it was answered before anybody noticed."""
    is_crawford: bool = False
    """Whether it is the first game in which a player is exactly one point away."""
    length: int | None = None
    """Points needed to win; None = money."""


class DropFacts(msgspec.Struct, frozen=True):
    """A drop of a double that counts."""

    winner: Seat
    """Who doubled."""
    points: int
    """The value before the double."""
    score: BySeat[int]
    """The score before the drop."""
    length: int | None
    """Points needed to win; None = money."""

    @property
    def wins_match(self) -> bool:
        """Whether these points are enough for the match."""
        return self.length is not None and self.score[self.winner] + self.points >= self.length


class BeaverFacts(msgspec.Struct, frozen=True):
    """A beaver."""

    seat: Seat
    """Who beavered."""
    value: int
    """What the cube shows after the double is taken."""
    is_money: bool
    """Whether no match length is known."""
    reply: str | None = None
    """accept or refuse; None = not yet."""
    is_raised: bool = False
    """Whether somebody calls the Director about it."""


# The first of these faults is what is said; a cube that is not one's own is nobody's question.
_TIMES = (
    CubeFault.NOT_OWNED,
    CubeFault.BEFORE_OPENING,
    CubeFault.AFTER_ROLL,
)


def _time_fault(facts: DoubleFacts) -> CubeFault | None:
    return next((fault for fault in _TIMES if fault in facts.faults), None)


def _time(
    facts: DoubleFacts,
    section: str,
    *,
    opening: str | None,
    cocked: str | None,
    rolled: str,
    not_owned: str,
) -> Answer:
    """Own turn and not rolled; a section that is None is one that does not speak of that roll."""
    fault = _time_fault(facts)
    if fault is CubeFault.NOT_OWNED:
        return _refused(facts, not_owned)
    if fault is CubeFault.AFTER_ROLL and facts.is_opening:
        if opening is None:
            return left_open(SILENT, section, NOT_ALLOWED, ALLOWED, lean=NOT_ALLOWED)
        return _refused(facts, opening)
    if fault is CubeFault.AFTER_ROLL:
        return _refused(facts, rolled)
    if fault is CubeFault.BEFORE_OPENING:
        return _refused(facts, section)
    if facts.is_cocked:
        if cocked is None:
            return left_open(SILENT, section, NOT_ALLOWED, ALLOWED)
        return _refused(facts, cocked)
    return said(ALLOWED, section)


def _refused(facts: DoubleFacts, section: str) -> Answer:
    """Not allowed; what becomes of it when it was answered all the same, no text says."""
    answer = said(NOT_ALLOWED, section)
    if not facts.is_answered:
        return answer
    open_answer = left_open(SILENT, section, STANDS, UNDONE)
    return msgspec.structs.replace(answer, also=MappingProxyType({"double": open_answer}))


def common_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """Doubling cube: at the start of the own turn, before rolling."""
    return _time(
        facts, COMMON_CUBE, opening=None, cocked=None, rolled=COMMON_CUBE, not_owned=COMMON_CUBE
    )


def usbgf_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """The draft does not say when; ownership and the own turn are the common rules'."""
    if _time_fault(facts) not in (None, CubeFault.NOT_OWNED) or facts.is_cocked:
        lean = None if facts.is_cocked or facts.is_answered else NOT_ALLOWED
        return left_open(SILENT, USBGF_ACTIONS, NOT_ALLOWED, ALLOWED, lean=lean)
    actions = USBGF_ACTIONS
    return _time(facts, actions, opening=None, cocked=None, rolled=actions, not_owned=actions)


def usbgf_2017_09_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """What the common rules settle is settled; the rest is not in hand."""
    return as_not_in_hand(usbgf_time(facts, rules), rules)


def biba_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """5.4: before rolling, and cocked dice count as rolled; 1.2 for what is not specified."""
    return _time(facts, "5.4", opening="5.4", cocked="5.4", rolled="5.4", not_owned="1.2")


def fcbg_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """DOUBLING: at the start of the own turn; IRR/T(j): not after own dice, even cocked ones."""
    return _time(
        facts,
        FCBG_DOUBLING,
        opening="IRR/T(j)",
        cocked="IRR/T(j)",
        rolled="IRR/T(j)",
        not_owned=FCBG_DOUBLING,
    )


def fcbg_club_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """DOUBLING; that cocked dice count as rolled stands under a /TOURNAMENT heading alone."""
    if _time_fault(facts) is None and facts.is_cocked:
        return ambiguous("AMB-F3", FCBG_DOUBLING, NOT_ALLOWED, ALLOWED, lean=NOT_ALLOWED)
    return _time(
        facts,
        FCBG_DOUBLING,
        opening=FCBG_DOUBLING,
        cocked=None,
        rolled=FCBG_DOUBLING,
        not_owned=FCBG_DOUBLING,
    )


def usbgf_worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """[4.4.9]: no offer by whom the game at its present value already gives the match."""
    is_dead = CubeFault.DEAD in facts.faults
    return said(VOID if is_dead else ALLOWED, USBGF_DEAD)


def biba_worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """5.4 asks only when; 4.10 speaks about the drop."""
    return said(ALLOWED, "5.4")


def _allowed_though_dead(facts: DoubleFacts, section: str) -> Answer:
    answer = said(ALLOWED, section)
    if CubeFault.DEAD not in facts.faults:
        return answer
    return msgspec.structs.replace(answer, flag="AMB-C7")


def fcbg_worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C7: no text against a dead cube, so it is allowed."""
    return _allowed_though_dead(facts, FCBG_DOUBLING)


def common_worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C7: no text against a dead cube, so it is allowed."""
    return _allowed_though_dead(facts, COMMON_CUBE)


def usbgf_crawford(facts: DoubleFacts, rules: Rules) -> Answer:
    """[4.4.6]: any cube action during the Crawford game is null and void."""
    return said(VOID, USBGF_CRAWFORD)


def biba_crawford(facts: DoubleFacts, rules: Rules) -> Answer:
    """5.5: use of the cube is not recognised."""
    return in_one_point_match(said(VOID, "5.5"), facts.length)


def fcbg_crawford(facts: DoubleFacts, rules: Rules) -> Answer:
    """CRAWFORD/T: the cube is out of play; what an act with it is, the text does not say."""
    return in_one_point_match(_refused(facts, FCBG_CRAWFORD), facts.length)


def common_crawford(facts: DoubleFacts, rules: Rules) -> Answer:
    """Crawford is on only where the players agreed on it; the text itself has no such game."""
    if CubeFault.CRAWFORD not in facts.faults:
        return common_worth(facts, rules)
    return said(NOT_ALLOWED, COMMON_CUBE)


def usbgf_premature(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C9: who touches the cube "must so act at that time", and it is not his turn."""
    readings = (NOW, FIRST_LEGAL, VOID)
    return ambiguous("AMB-C9", USBGF_ACTIONS, *readings, lean=lean_to("double", FIRST_LEGAL))


def biba_premature(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C8: 4.6 leaves it to the player whose turn it is, 5.4 binds."""
    return ambiguous("AMB-C8", "5.4", "choice", BINDS)


def fcbg_premature(facts: DoubleFacts, rules: Rules) -> Answer:
    """IRR/T(k): it stands if otherwise valid, and the opponent completes his turn knowing it."""
    answer = settled("double_stands", "IRR/T(k)", may_revise=facts.seat.other)
    if CubeFault.DEAD not in facts.faults:
        return answer
    return msgspec.structs.replace(answer, flag="AMB-C7")


def _won(facts: DropFacts, section: str) -> Answer:
    after = facts.score.put(facts.winner, facts.score[facts.winner] + facts.points)
    outcome = "match_won" if facts.wins_match else "game_won"
    return settled(
        outcome,
        section,
        winner=facts.winner,
        points=facts.points,
        score_after={"one": after.one, "two": after.two},
    )


def drop_at(section: str) -> Policy:
    """The dropper loses the value before the double, whatever that does to the match."""

    def answer(facts: DropFacts, rules: Rules) -> Answer:
        return _won(facts, section)

    return answer


def biba_drop(facts: DropFacts, rules: Rules) -> Answer:
    """4.10: a match may not end on a dropped cube; the leader's double counts as accepted."""
    if not facts.wins_match:
        return _won(facts, "5.4")
    if facts.score[facts.winner] > facts.score[facts.winner.other]:
        # AMB-C1: "the cube at its current value" - that before the double, or after it?
        cube = ambiguous("AMB-C1", "4.10", "before_double", "after_double")
        answer = settled("match_continues", "4.10", double=COUNTS)
        return msgspec.structs.replace(answer, also=MappingProxyType({"cube": cube}))
    double = ambiguous("AMB-C13", "4.10", COUNTS, "other")
    answer = said("match_continues", "4.10")
    return msgspec.structs.replace(answer, also=MappingProxyType({"double": double}))


def no_beaver_at(section: str) -> Policy:
    """The text does not allow beavers."""

    def answer(facts: BeaverFacts, rules: Rules) -> Answer:
        return _no_beaver(facts, section)

    return answer


def _no_beaver(facts: BeaverFacts, section: str) -> Answer:
    """Not allowed; what becomes of one that was answered all the same, no text says."""
    answer = said(NOT_ALLOWED, section)
    if facts.reply is None or not facts.is_raised:
        return answer
    open_answer = left_open(SILENT, section, STANDS, UNDONE)
    return msgspec.structs.replace(answer, also=MappingProxyType({"beaver": open_answer}))


def common_beaver(facts: BeaverFacts, rules: Rules) -> Answer:
    """No text about beavers; for money they are what the players agreed on."""
    if facts.is_money and rules.is_on("beavers"):
        return _beavered(facts, COMMON_CUBE)
    return left_open(SILENT, COMMON_CUBE, ALLOWED, NOT_ALLOWED)


def usbgf_beaver(facts: BeaverFacts, rules: Rules) -> Answer:
    """No text about beavers."""
    return left_open(SILENT, USBGF_ACTIONS, ALLOWED, NOT_ALLOWED)


def fcbg_beaver(facts: BeaverFacts, rules: Rules) -> Answer:
    """BEAVERS: by agreement, and never in rated match play; accepted or refused like a double."""
    if rules.is_on("rated") or not rules.is_on("beavers"):
        return _no_beaver(facts, "BEAVERS")
    return _beavered(facts, "BEAVERS")


def _beavered(facts: BeaverFacts, section: str) -> Answer:
    if facts.reply == "refuse":
        return settled("game_won", section, winner=facts.seat, points=facts.value)
    if facts.reply == "accept":
        return settled(ALLOWED, section, cube_value=2 * facts.value, cube_owner=facts.seat)
    return said(ALLOWED, section)
