"""Games conceded or claimed by words: the rule set's answers to them."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import ending
from events.payloads.base import WinKind
from events.values import OFF, Seat
from projections.board.position import Position
from projections.folding.concessions import (
    CLAIMS,
    Concession,
    board_of,
    facts_of,
    has_too_many,
    level_claimed,
    race_of,
)
from projections.folding.findings import Finding, Severity, found, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import Said, said
from projections.folding.seen_facts import SeenConcession
from projections.judging.ending_state import Endings, Result, Unasked
from projections.rules.answers import SILENT, Answer
from projections.rules.subjects.endings import (
    CLAIM_VALIDITY,
    COMPLETION_WAIVER,
    GAME_OVER,
    NOT_ALLOWED,
    RESIGNATION_VALIDITY,
    Claimed,
    Wish,
)
from projections.rules.subjects.game_worth import SCORE_GAMMON, GammonFacts


def without_level(state: Endings, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A resignation without a level is accepted: the game is not over yet."""
    offer = state.offer
    if offer is None or offer.level is not None or offer.seat is seat or not seen.flow.in_game:
        return state, NOTHING
    message = said(
        "{other} accepts that {seat} resigns, and nobody has said whether a single game, a gammon "
        "or a backgammon; the game is not over until that is said",
        other=seat,
        seat=offer.seat,
    )
    is_known = RESIGNATION_VALIDITY in seen.rules.profile.policies
    finding = found(
        "resignation-without-level",
        event,
        message,
        cite=seen.rules.cite("ending"),
        seat=offer.seat,
        # Many match files leave the level to the score that follows.
        severity=Severity.IRREGULARITY if is_known else Severity.NOTE,
    )
    return replace(state, offer=None), (finding,)


def resignation_refused(state: Endings, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A resignation is refused, which the text may not allow."""
    offer = state.offer
    if offer is None or offer.seat is seat or not seen.flow.in_game:
        return state, NOTHING
    levels = WinKind if offer.level is None else (offer.level,)
    asked = [facts_of(replace(offer, level=one), 0, seen, is_accepted=False) for one in levels]
    known = [facts for facts in asked if facts is not None]
    answers = [seen.rules.ask(RESIGNATION_VALIDITY, facts) for facts in known]
    # Without a level it is judged only if every level has the same result.
    is_one = bool(answers) and all(one == answers[0] for one in answers)
    facts, answer = (known[0], answers[0]) if is_one else (None, None)
    refused = Concession(offer, event.version, facts, answer)
    return conceded(replace(state, offer=None), event, refused, offer.entry_id, seen)


def conceded(
    state: Endings, event: RecordedEvent, concession: SeenConcession, offered: str, seen: Seen
) -> Result:
    """What the rule set says to a game offered and its answer; nothing on an unknown board."""
    facts, answer = concession.facts, concession.answer
    if facts is None or answer is None:
        return state, NOTHING
    state = replace(state, answer=answer)
    seat = concession.offer.seat
    contact = said("in contact") if facts.race.has_contact else said("without contact")
    reply = said("accepts") if facts.is_accepted else said("refuses")
    message = said(
        "{seat} gives the game up as a {level} loss {contact}, and {other} {answer}",
        seat=seat,
        level=Said(facts.level),
        contact=contact,
        other=seat.other,
        answer=reply,
    )
    if concession.offer.level is None:
        message = said(
            "{seat} gives the game up {contact} at no stated level, and {other} {answer}",
            seat=seat,
            contact=contact,
            other=seat.other,
            answer=reply,
        )
    if concession.is_disallowed and facts.is_accepted:
        message = said("{what}, and the game goes on", what=message)
    if answer.reason == SILENT and RESIGNATION_VALIDITY not in seen.rules.profile.policies:
        unasked = Unasked(answer, message, seat, (offered, event.entry_id))
        return replace(state, unasked=unasked), NOTHING
    return state, _findings(event, message, answer, RESIGNATION_VALIDITY, seat, seen)


def doubted(state: Endings, event: RecordedEvent, seen: Seen) -> Result:
    """Somebody raises what was not asked, by its topic or by one of its entries."""
    unasked = state.unasked
    if unasked is None:
        return state, NOTHING
    state = replace(state, answer=unasked.answer, unasked=None)
    message, seat = unasked.message, unasked.seat
    return state, _findings(event, message, unasked.answer, RESIGNATION_VALIDITY, seat, seen)


def _concluded(message: Said, answer: Answer) -> Said:
    """An ending by words, with what the rules make of it."""
    if answer.is_open:
        return said("{what}; whether it ends so is for the Director to decide", what=message)
    if answer.outcome == NOT_ALLOWED:
        return said("{what}; the rules do not allow it", what=message)
    return said("{what}; by the board it may end so", what=message)


def _findings(
    event: RecordedEvent, message: Said, answer: Answer, topic: str, seat: Seat | None, seen: Seen
) -> tuple[Finding, ...]:
    """Findings on an ending by words; none on an ordinary one."""
    severity = Severity.IRREGULARITY
    if answer.is_open:
        code = "ending-open"
    elif answer.outcome == NOT_ALLOWED:
        code = "ending-not-allowed"
    elif answer.flag is not None:
        code, severity = "ending-computed", Severity.NOTE
    else:
        return NOTHING
    told = _concluded(message, answer)
    first = judged(code, event, told, answer, topic, seen.rules, seat=seat, severity=severity)
    follows = said("{what}; what follows is for the Director to decide", what=message)
    return (
        first,
        *(
            judged("ending-open", event, follows, other, f"ending.{name}", seen.rules, seat=seat)
            for name, other in answer.also.items()
        ),
    )


_WISHES = frozenset(
    {
        ending.ClaimKind.CONCEDE_MATCH,
        ending.ClaimKind.CANCEL_AND_REPLAY_GAME,
        ending.ClaimKind.SETTLE_GAME,
    }
)


def ending_claimed(
    state: Endings, event: RecordedEvent, claim: ending.ClaimMade, seen: Seen
) -> Result:
    """A game is claimed, or somebody would end it otherwise than by play."""
    if claim.kind in _WISHES:
        answer = seen.rules.ask(COMPLETION_WAIVER, Wish(kind=claim.kind.value))
        who = claim.seats or ((claim.seat,) if claim.seat is not None else ())
        names = _named(who) if who else said("somebody")
        message = _wish(claim.kind, names)
        seat = who[0] if len(who) == 1 else None
        topic = "completion.waiver"
        return replace(state, answer=answer), _findings(event, message, answer, topic, seat, seen)
    seat = claim.seat
    board = None if seat is None else board_of(seen, seat)
    is_about_game = claim.kind in CLAIMS and not state.is_flagged
    if seat is None or board is None or not seen.flow.in_game or not is_about_game:
        return state, NOTHING
    if has_too_many(seat, seen):
        return _said_to_be_over(state, event, seat, board, seen)
    level = level_claimed(claim, seat, seen)
    race = race_of(seen, seat, is_winner_next=seen.flow.on_roll is seat)
    assert race is not None  # the board is known
    facts = Claimed(winner=seat, level=level.value, points=_points(seat, level, seen), race=race)
    answer = seen.rules.ask(CLAIM_VALIDITY, facts)
    message = said("{seat} claims the game as a {level} win", seat=seat, level=Said(level.value))
    return replace(state, answer=answer), _findings(
        event, message, answer, "claim.validity", seat, seen
    )


def _wish(kind: ending.ClaimKind, who: Said) -> Said:
    """What somebody wants instead of play."""
    match kind:
        case ending.ClaimKind.CONCEDE_MATCH:
            return said("{who} would give up the match", who=who)
        case ending.ClaimKind.CANCEL_AND_REPLAY_GAME:
            return said("{who} would cancel the game and play it again", who=who)
        case _:
            return said("{who} would settle the game without playing it out", who=who)


def _named(seats: tuple[Seat, ...]) -> Said:
    first, *others = seats
    if not others:
        return said("{seat}", seat=first)
    return said("{seat} and {others}", seat=first, others=_named(tuple(others)))


def _said_to_be_over(
    state: Endings, event: RecordedEvent, seat: Seat, board: Position, seen: Seen
) -> Result:
    """Whether fifteen checkers are off and more are left, after a start with too many."""
    answer = seen.rules.ask(GAME_OVER, board)
    left = sum(board.own) - board.own[OFF]
    message = said(
        "{seat} has borne off {off} with {left} left, and says it is over",
        seat=seat,
        off=board.own[OFF],
        left=left,
    )
    topic = "game.over"
    return replace(state, answer=answer), _findings(event, message, answer, topic, seat, seen)


def _points(winner: Seat, level: WinKind, seen: Seen) -> int:
    """What a level is worth now: cube value times level, unless the Jacoby rule applies."""
    value = seen.cube.value
    points = value * level.factor
    if level is WinKind.SINGLE or seen.cube.turned or not seen.rules.is_on("jacoby"):
        return points
    facts = GammonFacts(winner, value, level.factor, seen.score.length is None)
    counted: int = seen.rules.ask(SCORE_GAMMON, facts).details.get("points", points)
    return counted
