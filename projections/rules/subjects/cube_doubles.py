"""Doubles and what is answered to them: when, of what use, in the Crawford game, drops, beavers."""

from __future__ import annotations

from types import MappingProxyType

import msgspec

from events.values import BySeat, Seat
from projections.rules.answers import SILENT, Answer, left_open, settled
from projections.rules.profile import CubeFault, Policy, Rules, Subject
from projections.rules.subjects.cube_words import ALLOWED, NOT_ALLOWED, STANDS, UNDONE, said

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
    is_after_crawford: bool = False
    """Whether the Crawford game was played before this one."""
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
    is_raccoon: bool = False
    """Whether it is a beaver that is turned once more, by who had doubled."""
    reply: str | None = None
    """accept or refuse; None = not yet."""


# The first of these faults is what is said; a cube that is not one's own is nobody's question.
_TIMES = (
    CubeFault.NOT_OWNED,
    CubeFault.BEFORE_OPENING,
    CubeFault.AFTER_ROLL,
)


def time_fault(facts: DoubleFacts) -> CubeFault | None:
    """What is wrong with the time of a double; None = nothing."""
    return next((fault for fault in _TIMES if fault in facts.faults), None)


def in_own_turn(
    facts: DoubleFacts,
    section: str,
    *,
    opening: str | None,
    cocked: str | None,
    rolled: str,
    not_owned: str,
) -> Answer:
    """Own turn and not rolled; a section that is None is one that does not speak of that roll."""
    fault = time_fault(facts)
    if fault is CubeFault.NOT_OWNED:
        return refused(facts, not_owned)
    if fault is CubeFault.AFTER_ROLL and facts.is_opening:
        if opening is None:
            return left_open(SILENT, section, NOT_ALLOWED, ALLOWED, lean=NOT_ALLOWED)
        return refused(facts, opening)
    if fault is CubeFault.AFTER_ROLL:
        return refused(facts, rolled)
    if fault is CubeFault.BEFORE_OPENING:
        return refused(facts, section)
    if facts.is_cocked:
        if cocked is None:
            return left_open(SILENT, section, NOT_ALLOWED, ALLOWED)
        return refused(facts, cocked)
    return said(ALLOWED, section)


def in_order(facts: DoubleFacts, section: str) -> Answer | None:
    """A double in the own turn, before a roll, with an own or a centred cube; None = another one.

    Every text is about a game in which such a double may be offered: where no sentence of it is in
    hand, there is nothing to ask about it. Of what use it is, is another question (`cube.worth`).
    """
    is_out_of_turn = CubeFault.OUT_OF_TURN in facts.faults
    if is_out_of_turn or time_fault(facts) is not None or facts.is_cocked:
        return None
    return said(ALLOWED, section)


def refused(facts: DoubleFacts, section: str) -> Answer:
    """Not allowed; what becomes of it when it was answered all the same, no text says."""
    answer = said(NOT_ALLOWED, section)
    if not facts.is_answered:
        return answer
    open_answer = left_open(SILENT, section, STANDS, UNDONE)
    return msgspec.structs.replace(answer, also=MappingProxyType({"double": open_answer}))


def allowed_though_dead(facts: DoubleFacts, section: str) -> Answer:
    """AMB-C7: nothing in the text is against a dead cube."""
    answer = said(ALLOWED, section)
    if CubeFault.DEAD not in facts.faults:
        return answer
    return msgspec.structs.replace(answer, flag="AMB-C7")


def won_by_drop(facts: DropFacts, section: str) -> Answer:
    """Who doubled has won the game, and with it perhaps the match."""
    after = facts.score.put(facts.winner, facts.score[facts.winner] + facts.points)
    outcome = "match_won" if facts.wins_match else "game_won"
    return settled(
        outcome,
        section,
        winner=facts.winner,
        points=facts.points,
        score_after={"one": after.one, "two": after.two},
    )


def drop_at(section: str) -> Policy[DropFacts]:
    """The dropper loses the value before the double, whatever that does to the match."""

    def answer(facts: DropFacts, rules: Rules) -> Answer:
        return won_by_drop(facts, section)

    return answer


def no_beaver_at(section: str) -> Policy[BeaverFacts]:
    """The text does not allow beavers."""

    def answer(facts: BeaverFacts, rules: Rules) -> Answer:
        return no_beaver(facts, section)

    return answer


def no_beaver(facts: BeaverFacts, section: str) -> Answer:
    """Not allowed; what becomes of one that was answered all the same, no text says."""
    answer = said(NOT_ALLOWED, section)
    if facts.reply is None:
        return answer
    open_answer = left_open(SILENT, section, STANDS, UNDONE)
    return msgspec.structs.replace(answer, also=MappingProxyType({"beaver": open_answer}))


def beavered(facts: BeaverFacts, section: str) -> Answer:
    """A beaver that the players agreed on, and the reply to it."""
    if facts.reply == "refuse":
        return settled("game_won", section, winner=facts.seat, points=facts.value)
    if facts.reply == "accept":
        return settled(ALLOWED, section, cube_value=2 * facts.value, cube_owner=facts.seat)
    return said(ALLOWED, section)


CUBE_TIME = Subject[DoubleFacts]("cube.time")
"""Whether a double comes in time, and from whom may double."""
CUBE_WORTH = Subject[DoubleFacts]("cube.worth")
"""Whether a double is of any use to the doubler."""
CUBE_CRAWFORD = Subject[DoubleFacts]("cube.crawford")
"""Whether there may be a double in the Crawford game."""
CUBE_PREMATURE = Subject[DoubleFacts]("cube.premature")
"""What becomes of a double before the own turn."""
CUBE_DROP = Subject[DropFacts]("cube.drop")
"""What a drop wins where the cube is dead."""
CUBE_BEAVER = Subject[BeaverFacts]("cube.beaver")
"""Whether a double may be beavered."""
