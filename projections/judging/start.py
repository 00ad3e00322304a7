"""The starting position: whether a wrong start is still to be corrected."""

from __future__ import annotations

import enum

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import dispute, match, play
from events.payloads.base import Actor, Payload
from events.values import Seat
from projections.folding.findings import Finding, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import as_asked, is_same_question, ruled, ruled_beside
from projections.folding.sayings import Said, said
from projections.judging.game_so_far import Past, come_so_far, end_of_game
from projections.rules.answers import Answer
from projections.rules.subjects.starting import STANDS, START_POSITION, StartFacts, after_ruling

Result = tuple["Start", tuple[Finding, ...]]


class StartIs(enum.StrEnum):
    """What became of a wrong start that was noticed."""

    TO_CORRECT = "to_correct"
    """Noticed in time, and not corrected yet; or both agreed to correct it."""
    STANDS = "stands"
    """Noticed too late."""
    STANDS_BY_RULING = "stands_by_ruling"
    """A Director's ruling let it stand."""
    CORRECTED = "corrected"
    """The checkers were put where they belong."""
    ASKED = "asked"
    """A person has to rule."""
    RULED = "ruled"
    """A Director has ruled in words that are not one of the text's readings."""


class Fault(msgspec.Struct, frozen=True, gc=False):
    """A wrong start of a game, as it was noticed."""

    entry_id: str
    """The notice, or the correction that came without one."""
    seat: Seat
    """Whose checkers."""
    at: int | None
    """Point where one stood too many, from that seat's side."""
    answer: Answer
    """What the rule set says."""
    facts: StartFacts
    """What it was asked."""
    start_is: StartIs
    """What has become of it."""
    number: int
    """Number of the game that began with it."""
    began: str | None
    """Entry that began that game."""
    asked_at: str
    """The entry at which its questions arose."""
    closed_by: str | None = None
    """What closed the window: a turn, roll, correction or ruling; None while open or unknown."""
    follows: Answer | None = None
    """What follows from a ruling; None without one, and if the text does not say."""

    @property
    def is_decided(self) -> bool:
        """Whether a ruling decided about it, and nobody has corrected it since."""
        return self.answer.ruled_at is not None and self.start_is is not StartIs.CORRECTED


class Start(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    began: str | None = None
    """Entry that began the game in progress, or the last one."""
    number: int = 0
    """Number of that game."""
    faults: tuple[Fault, ...] = ()
    """Wrong starts noticed in the match; the one noticed or dealt with most recently comes last."""


def evolve(state: Start, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case match.GameStarted() | play.PositionStated() | dispute.RulingCarriedOut():
            return _begun(state, event, seen), NOTHING
        case play.StartFaultNoticed(seat=seat, at=at):
            return _noticed(state, event, seat, at, seen)
        case play.StartCorrected():
            return _corrected(state, event, payload, seen)
        case dispute.RulingMade(answers=answers) if answers and state.faults:
            return _ruled(state, event, seen), NOTHING
        case _:
            return state, NOTHING


def _begun(state: Start, event: RecordedEvent, seen: Seen) -> Start:
    """A board stated between games begins one."""
    number = seen.score.game_number
    if number == state.number:
        return state
    return replace(state, began=event.entry_id, number=number)


def _facts(
    state: Start, seat: Seat, at: int | None, seen: Past, *, agreed: bool = False
) -> StartFacts:
    """How far the game in progress has come, or the last one."""
    return come_so_far(state.began, state.number, seat, at, seen, agreed=agreed)


def as_it_is(fault: Fault, seen: Past) -> Fault:
    """A wrong start about which nothing was done, with its window as it is now.

    The event named by the rule closes it, and the end of the game at the latest. If a ruling has
    ordered a correction, it stays open until that is done.
    """
    if fault.start_is is not StartIs.TO_CORRECT or fault.follows is not None:
        return fault
    began, number = fault.began, fault.number
    facts = come_so_far(began, number, fault.seat, fault.at, seen, agreed=fault.facts.agreed)
    answer = seen.rules.ask(START_POSITION, facts)
    if answer.outcome == STANDS:
        closed_by = answer.details.get("closed_by")
    elif facts.game_over:
        answer, closed_by = fault.answer, end_of_game(began, number, seen)
    else:
        return fault
    return replace(fault, start_is=StartIs.STANDS, answer=answer, facts=facts, closed_by=closed_by)


def _noticed(state: Start, event: RecordedEvent, seat: Seat, at: int | None, seen: Seen) -> Result:
    facts = _facts(state, seat, at, seen)
    answer = seen.rules.ask(START_POSITION, facts)
    known = _known(state, seat, at)
    if known is not None and _adds_nothing(known, answer):
        return state, NOTHING
    start_is = _what_became(answer)
    closed_by = answer.details.get("closed_by")
    entry_id, game = event.entry_id, (state.number, state.began)
    known_as = entry_id if known is None else known.entry_id
    fault = Fault(known_as, seat, at, answer, facts, start_is, *game, entry_id, closed_by)
    return _with(state, known, fault), _said(event, seat, answer, seen)


def _adds_nothing(known: Fault, answer: Answer) -> bool:
    """Whether it was judged the same before; a second notice adds nothing."""
    if known.start_is is StartIs.CORRECTED:
        # It was corrected, and a later notice changes nothing.
        return True
    if known.start_is in (StartIs.TO_CORRECT, StartIs.STANDS) and answer.is_open:
        # Noticed in time, and left so to the end of the game.
        return True
    return known.is_decided or as_asked(known.answer) == answer


def _known(state: Start, seat: Seat, at: int | None = None) -> Fault | None:
    """The last fault noticed about the start of this game, at one point if that is named."""
    for fault in reversed(state.faults):
        is_there = at is None or fault.at == at
        if (fault.number, fault.seat) == (state.number, seat) and is_there:
            return fault
    return None


def _with(state: Start, known: Fault | None, fault: Fault) -> Start:
    """The state with a fault put last, replacing what was known of it."""
    others = tuple(one for one in state.faults if one is not known)
    return replace(state, answer=fault.answer, faults=(*others, fault))


def _what_became(answer: Answer) -> StartIs:
    if answer.is_open:
        return StartIs.ASKED
    return StartIs.STANDS if answer.outcome == STANDS else StartIs.TO_CORRECT


def _said(event: RecordedEvent, seat: Seat, answer: Answer, seen: Seen) -> tuple[Finding, ...]:
    code = "start-to-correct"
    message = said("{seat}'s wrong starting position is to be corrected", seat=seat)
    if answer.is_open:
        code = "start-question"
        message = said(
            "{seat} began from a wrong starting position;"
            " whether it is corrected is for the Director to decide",
            seat=seat,
        )
    elif answer.outcome == STANDS:
        code = "start-stands"
        message = said(
            "{seat}'s wrong starting position was noticed too late, and stands", seat=seat
        )
    return _findings(code, event, message, answer, seat, seen)


def _findings(
    code: str, event: RecordedEvent, message: Said, answer: Answer, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """The finding of an answer, and one for each further question beside it."""
    asked = {"start.position": (code, answer)} | {
        f"start.{name}": ("start-question", other) for name, other in answer.also.items()
    }
    beside = said("which checker of {seat} goes back is for the Director to decide", seat=seat)
    return tuple(
        judged(
            which,
            event,
            message if other is answer else beside,
            other,
            topic,
            seen.rules,
            seat=seat,
        )
        for topic, (which, other) in asked.items()
    )


def _corrected(
    state: Start, event: RecordedEvent, corrected: play.StartCorrected, seen: Seen
) -> Result:
    """The checkers are moved: as required, as both agreed, or without either."""
    seat, entry_id = corrected.seat, event.entry_id
    earlier = _known(state, seat)
    known = None if earlier is None else as_it_is(earlier, seen)
    agreed = event.basis is Basis.AGREED or corrected.by is Actor.BOTH
    is_ruled = event.basis is Basis.RULED or corrected.by in _RULED
    if known is not None and (
        is_ruled
        or known.start_is in (StartIs.TO_CORRECT, StartIs.CORRECTED)
        or (known.start_is is StartIs.ASKED and not agreed)
    ):
        fault = replace(known, start_is=StartIs.CORRECTED, closed_by=entry_id)
        return _with(state, earlier, fault), NOTHING
    facts = _facts(state, seat, None if known is None else known.at, seen, agreed=agreed)
    answer = seen.rules.ask(START_POSITION, facts)
    if known is None:
        unagreed = replace(facts, agreed=False)
        if answer.is_open and seen.rules.ask(START_POSITION, unagreed).outcome != STANDS:
            # Without a recorded notice, nothing is asked.
            return state, NOTHING
        at = corrected.moved[0].from_point if corrected.moved else None
        known_as, asked_at, was_asked = entry_id, entry_id, False
    else:
        at, known_as, asked_at = known.at, known.entry_id, known.asked_at
        was_asked = known.answer.is_open
        if known.is_decided and is_same_question(known.answer, answer):
            is_shut = known.start_is is StartIs.STANDS_BY_RULING
            put_right = replace(known, start_is=StartIs.CORRECTED, closed_by=entry_id)
            fault = known if is_shut else put_right
            return _with(state, earlier, fault), _late(event, seat, known.answer, seen)
        if known.start_is is StartIs.STANDS and answer.is_open and not agreed:
            message = said(
                "{seat}'s start of a game that is over is corrected: "
                "the game stays as it was played",
                seat=seat,
            )
            code = "start-corrected-late"
            findings = _findings(code, event, message, known.answer, seat, seen)
            return _with(state, earlier, known), findings
    start_is = StartIs.CORRECTED
    closed_by: str | None = entry_id
    if answer.is_open:
        start_is, closed_by = StartIs.ASKED, None
        asked_at = asked_at if was_asked else entry_id
    elif answer.outcome == STANDS:
        # The board follows the table; the window stays closed.
        start_is, closed_by = StartIs.STANDS, answer.details.get("closed_by")
    game = (state.number, state.began)
    fault = Fault(known_as, seat, at, answer, facts, start_is, *game, asked_at, closed_by)
    new = _with(state, earlier, fault)
    if answer.is_open:
        return new, NOTHING if was_asked else _said(event, seat, answer, seen)
    return new, _late(event, seat, answer, seen) if answer.outcome == STANDS else NOTHING


_RULED = (Actor.DIRECTOR, Actor.COMMITTEE)


def _late(event: RecordedEvent, seat: Seat, answer: Answer, seen: Seen) -> tuple[Finding, ...]:
    message = said(
        "{seat}'s start is corrected, though by the rules it stands: the time for it was over",
        seat=seat,
    )
    if answer.ruled_at is not None:
        message = said("{seat}'s start is corrected, though a ruling lets it stand", seat=seat)
    return _findings("start-corrected-late", event, message, answer, seat, seen)


def _ruled(state: Start, event: RecordedEvent, seen: Seen) -> Start:
    """Apply a ruling to the wrong start that it is about; nothing is asked about it again."""
    faults = tuple(_by_ruling(fault, event, seen) for fault in state.faults)
    if all(new is fault for new, fault in zip(faults, state.faults, strict=True)):
        return state
    return replace(state, answer=faults[-1].answer, faults=faults)


def _by_ruling(fault: Fault, event: RecordedEvent, seen: Seen) -> Fault:
    answer = ruled(fault.answer, seen, "start.position", fault.asked_at, fault.seat)
    beside = ruled_beside(answer, seen, "start", fault.asked_at, fault.seat)
    if beside is fault.answer:
        return fault
    new = replace(fault, answer=beside)
    if answer is fault.answer:
        return new
    follows = after_ruling(answer.outcome, answer, fault.facts, seen.rules)
    new = replace(new, follows=follows)
    if new.start_is is StartIs.CORRECTED:
        # It was corrected at the table before the ruling, and that stands.
        return new
    if follows is None:
        return replace(new, start_is=StartIs.RULED, closed_by=event.entry_id)
    if follows.outcome == STANDS:
        return replace(new, start_is=StartIs.STANDS_BY_RULING, closed_by=event.entry_id)
    return replace(new, start_is=StartIs.TO_CORRECT, closed_by=None)


_HEARS: tuple[type[Payload], ...] = (
    match.GameStarted,
    play.PositionStated,
    dispute.RulingCarriedOut,
    play.StartFaultNoticed,
    play.StartCorrected,
    dispute.RulingMade,
)


FOLD = Fold(Start, *(on(kind, evolve) for kind in _HEARS))
"""The fold of start."""
