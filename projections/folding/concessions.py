"""Concessions: whether words end a game, asked by every fold that has to know.

To a rule set, an accepted resignation and a claim granted by the opponent are the same: it says
whether the game may end so. A claim upheld by the Director is decided already.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import dispute, ending
from events.payloads.base import Actor, WinKind
from events.values import CHECKERS, OFF, Seat
from projections.board.position import Position
from projections.folding.fold import Seen, SeenStep, is_same_turn, wins_match
from projections.rules.answers import Answer
from projections.rules.subjects.bounds import Race
from projections.rules.subjects.clock_terms import CLAIM_HOLDS
from projections.rules.subjects.endings import NOT_ALLOWED, RESIGNATION_VALIDITY, Conceded

CLAIMS = frozenset({ending.ClaimKind.GAME, ending.ClaimKind.GAME_AND_MATCH})
"""Claims that a game is won; the other kinds are wishes."""


class Offer(msgspec.Struct, frozen=True, gc=False):
    """The state of a game when it is offered, kept because the flow has changed by the answer."""

    seat: Seat
    """Who gives it away."""
    level: WinKind | None
    """At which level; None where the source does not say."""
    is_turn_completed: bool
    """Whether the player had no roll in play."""
    is_other_next: bool
    """Whether the opponent rolls next."""
    entry_id: str
    """The entry that offered it."""


class Concession(msgspec.Struct, frozen=True, gc=False):
    """A game that was given away, with what the rule set says to it."""

    offer: Offer
    """Who gives it, and at which level."""
    version: int
    """Version of the event that gave it away."""
    facts: Conceded | None
    """The facts that the rule set was asked with; None if the board is unknown."""
    answer: Answer | None
    """What it said."""

    @property
    def is_disallowed(self) -> bool:
        """Whether the text does not allow the game to end so, which then goes on."""
        return self.answer is not None and self.answer.outcome == NOT_ALLOWED


class Held(msgspec.Struct, frozen=True, gc=False):
    """A claim that the Director lets hold."""

    winner: Seat
    """Who claimed."""
    level: WinKind | None
    """At which level; None = as the board has it."""


def offer_of(seat: Seat, level: WinKind | None, entry_id: str, seen: Seen) -> Offer:
    """The game as `seat` gives it away now."""
    on_roll = seen.flow.on_roll
    has_roll = on_roll is seat and seen.flow.dice is not None
    return Offer(seat, level, not has_roll, on_roll is seat.other, entry_id)


def conceded(event: RecordedEvent, seen: Seen) -> Offer | None:
    """The game that this event gives away by agreement; asked before the flow folds the event."""
    flow = seen.flow
    if not flow.in_game:
        return None
    match event.payload:
        case ending.ResignationAccepted(seat=seat):
            if flow.resigning is not seat.other:
                return None
            return offer_of(flow.resigning, flow.resign_level, event.entry_id, seen)
        case ending.ClaimMade() as claim if event.basis is Basis.AGREED:
            return _claimed(claim, event, seen)
        case ending.ClaimRuled(target=target, holds=True, by=by):
            made = claim_made(target, seen)
            if made is None or not is_same_turn(made[0].before, seen):
                return None
            claim = made[1]
            return _claimed(claim, event, seen) if is_granted(claim, by) else None
        case _:
            return None


def _claimed(claim: ending.ClaimMade, event: RecordedEvent, seen: Seen) -> Offer | None:
    seat = claim.seat
    if seat is None or claim.kind not in CLAIMS or has_too_many(seat, seen):
        return None
    return offer_of(seat.other, level_claimed(claim, seat, seen), event.entry_id, seen)


def level_claimed(claim: ending.ClaimMade, seat: Seat, seen: Seen) -> WinKind:
    """The level of a claim; without a stated one, the lowest that gives what is claimed.

    A claim to game and match is for as many points as the match still needs, if possible.
    """
    if claim.level is not None:
        return claim.level
    if claim.kind is not ending.ClaimKind.GAME_AND_MATCH:
        return WinKind.SINGLE
    board = board_of(seen, seat)
    # A player who has borne off a checker loses a single game.
    levels = (WinKind.SINGLE,) if board is not None and board.other[OFF] else tuple(WinKind)
    cube = seen.cube.value
    enough = (level for level in levels if wins_match(seat, cube * level.factor, seen))
    return next(enough, WinKind.SINGLE)


def has_too_many(seat: Seat, seen: Seen) -> bool:
    """Whether fifteen checkers are off and more are left, so that agreement cannot end the game."""
    board = board_of(seen, seat)
    return board is not None and board.own[OFF] >= CHECKERS


def held(event: RecordedEvent, seen: Seen) -> Held | None:
    """The game in progress that the Director gives to its claimer, in the turn of the claim."""
    match event.payload:
        case ending.ClaimRuled(target=target, holds=True, by=Actor.DIRECTOR):
            made = claim_made(target, seen)
            if made is None or not is_same_turn(made[0].before, seen):
                return None
            claim = made[1]
            if claim.seat is None or claim.kind not in CLAIMS:
                return None
            if has_too_many(claim.seat, seen):
                return Held(claim.seat, claim.level)
            return Held(claim.seat, level_claimed(claim, claim.seat, seen))
        case _:
            return None


def held_by_ruling(made: dispute.RulingMade, seen: Seen) -> Held | None:
    """The game in progress that a ruling on a flag gives to its player, who claimed it."""
    asked, target = seen.timing.flag_asked, seen.timing.claim
    chosen = [one.question for one in made.answers if one.reading == CLAIM_HOLDS]
    is_ruled = asked is not None and asked.key in [(one.topic, one.at, one.seat) for one in chosen]
    claimed = claim_made(target, seen) if is_ruled and target is not None else None
    if claimed is None or not is_same_turn(claimed[0].before, seen):
        return None
    seat = claimed[1].seat
    return None if seat is None else Held(seat, level_claimed(claimed[1], seat, seen))


def claim_made(target: str, seen: Seen) -> tuple[SeenStep, ending.ClaimMade] | None:
    """The claim that an answer names, and when it was made."""
    step = seen.step_of(target)
    if step is None or not isinstance(step.event.payload, ending.ClaimMade):
        return None
    return step, step.event.payload


def is_granted(claim: ending.ClaimMade, by: Actor) -> bool:
    """Whether the one who answers a claim is a player against whom it was made."""
    return claim.seat is not None and (by is Actor.BOTH or by.seat is claim.seat.other)


def board_of(seen: Seen, winner: Seat) -> Position | None:
    """The board, seen by who is to win."""
    board = seen.positions.board
    return None if board is None else board.seen_by(winner)


def race_of(seen: Seen, winner: Seat, *, is_winner_next: bool) -> Race | None:
    """The board as the rule set is asked about it; None where nobody knows it."""
    board = board_of(seen, winner)
    if board is None:
        return None
    return Race(
        winner=board.own,
        loser=board.other,
        has_contact=board.has_contact(),
        is_winner_next=is_winner_next,
    )


def facts_of(offer: Offer, points: int, seen: Seen, *, is_accepted: bool) -> Conceded | None:
    """What the rule set is asked about a game that is offered; None where the board is unknown.

    Without a level nothing is asked either: the claim of what was won has to say it first.
    """
    winner = offer.seat.other
    race = race_of(seen, winner, is_winner_next=offer.is_other_next)
    if race is None or offer.level is None:
        return None
    return Conceded(
        winner=winner,
        level=offer.level.value,
        points=points,
        is_accepted=is_accepted,
        is_turn_completed=offer.is_turn_completed,
        race=race,
    )


def concession_of(event: RecordedEvent, offer: Offer, points: int, seen: Seen) -> Concession:
    """What the rule set says to a game that is given away."""
    facts = facts_of(offer, points, seen, is_accepted=True)
    answer = None if facts is None else seen.rules.ask(RESIGNATION_VALIDITY, facts)
    return Concession(offer, event.version, facts, answer)


def barred(event: RecordedEvent, offer: Offer, seen: Seen) -> Concession | None:
    """The answer to a game given away without a level, if the rule set allows no level."""
    for level in WinKind:
        concession = concession_of(event, replace(offer, level=level), 0, seen)
        if not concession.is_disallowed:
            return None
    return replace(concession, offer=offer)


def ends_game(event: RecordedEvent, seen: Seen) -> bool:
    """Whether words end the game at this event; asked before the flow folds the event."""
    offer = conceded(event, seen)
    if offer is None:
        return held(event, seen) is not None
    if offer.level is None:
        # The claim of what was won has to say first at which level.
        return False
    return not concession_of(event, offer, 0, seen).is_disallowed
