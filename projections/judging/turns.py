"""Turns: what ended one, whether its play may still be changed, and rulings on that.

Early rolls, lifts and cube acts all depend on whether the turn before them was over.
"""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import clock, dice, play
from events.payloads.base import Payload
from events.values import Seat
from projections.board.legal import legal_positions
from projections.board.position import Position
from projections.folding.findings import Finding, Severity, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.questions import ruled, ruled_beside
from projections.folding.sayings import Said, said
from projections.folding.seen_facts import SeenFacts
from projections.judging.phrases import act_of_turn
from projections.judging.premature_state import CHANGE, END, About, Premature, Result, Turn
from projections.rules.answers import NOT_RECORDED, Answer
from projections.rules.profile import Facts, Subject
from projections.rules.subjects import premature as asked
from projections.rules.subjects.premature import ACTS, PlayChange, TurnAct

# Questions, and what a Director rules.


def ask(
    state: Premature, subject: Subject[Facts], facts: Facts, about: About, seen: Seen
) -> tuple[Answer, bool]:
    """The answer of the rule set or the Director, and whether the question was asked before."""
    return settled(seen.rules.ask(subject, facts), state, about, seen), about in state.asked


def settled(answer: Answer, state: Premature, about: About, seen: Seen) -> Answer:
    """The answer, with the Director's reading where he ruled on the question."""
    key = state.asked.get(about)
    if key is None:
        return answer
    return ruled_beside(ruled(answer, seen, about[0], *key), seen, about[0], *key)


def asking(state: Premature, about: About, event: RecordedEvent, seat: Seat) -> Premature:
    """The state after a question was found at `event`."""
    asked_now = {**state.asked, about: (event.entry_id, seat)}
    return replace(state, asked=MappingProxyType(asked_now))


def act_as_ruled(state: Premature, act: TurnAct, seen: Seen) -> TurnAct:
    """The act, with the Director's ruling on its kind, if there is one."""
    kind = act if act.ruled is None else replace(act, ruled=None)
    key = state.asked.get((END, kind))
    made = None if key is None else seen.rulings.answers.get((END, *key))
    return kind if made is None else replace(kind, ruled=(made.reading, made.version))


# The turn, and what was done to end it.


def with_idle(state: Premature, seen: Seen) -> Premature:
    """The answer without any act, after the clock or the number of dice has changed."""
    nothing = TurnAct(None, _clock(seen), state.dice_on_table)
    end = seen.rules.ask(asked.TURN_END, nothing)
    change = seen.rules.ask(asked.CHANGE, PlayChange(clock=nothing.clock))
    return replace(state, idle_end=end, idle_change=change)


def _clock(seen: Seen) -> str | None:
    """Whether a clock is in use, and one that can run out."""
    return asked.clock_in_use(seen.clock.is_set, seen.clock.kind)


def turn_of(seat: Seat, seen: SeenFacts) -> Turn:
    """The present turn of `seat`, or its last one where the next roll is on the board."""
    flow = seen.flow
    is_past = flow.dice is not None and flow.on_roll is not seat
    return seen.score.game_number, flow.turn_number - is_past, seat


def is_playing(seat: Seat, seen: Seen) -> bool:
    """Whether that seat has a roll to play."""
    return seen.flow.dice is not None and seen.flow.on_roll is seat


def has_played(seat: Seat, seen: Seen) -> bool:
    """Whether the last play is that seat's; its turn may go on."""
    return seen.positions.player is seat and not is_playing(seat, seen)


def acts_of(state: Premature, turn: Turn, seen: Seen) -> tuple[TurnAct, ...]:
    """What was done to end that turn, with any ruling on it."""
    if state.turn != turn:
        return ()
    if not state.asked:
        return state.acts
    return tuple(act_as_ruled(state, act, seen) for act in state.acts)


def end_of(acts: tuple[TurnAct, ...], seen: Seen) -> Answer | None:
    """Whether any of these acts ended the turn."""
    end = None
    for act in acts:
        end = act.as_ruled(seen.rules.ask(asked.TURN_END, act))
        if end.outcome == asked.ENDED:
            break
    return end


def acted(
    state: Premature,
    event: RecordedEvent,
    seat: Seat,
    act: str | None,
    seen: Seen,
    announced: str | None = None,
) -> Result:
    """Something that may have ended the turn of `seat`."""
    flow = seen.flow
    if act not in ACTS or not flow.in_game or flow.answering is not None:
        return state, NOTHING
    is_played = has_played(seat, seen)
    if not is_played and not is_playing(seat, seen):
        return state, NOTHING
    is_legal = act != asked.TOUCHED or not is_played or _is_legally_played(seat, seen)
    kind = TurnAct(act, _clock(seen), state.dice_on_table, is_played, is_legal, announced)
    facts = act_as_ruled(state, kind, seen) if state.asked else kind
    turn = turn_of(seat, seen)
    acts = (*acts_of(state, turn, seen), facts)
    answer = facts.as_ruled(seen.rules.ask(asked.TURN_END, kind))
    is_moved = isinstance(event.payload, dice.Repositioned)
    is_expected = answer.outcome == (asked.NOT_ENDED if is_moved else asked.ENDED)
    was_over = len(acts) > 1 and state.end is not None and state.end.outcome == asked.ENDED
    end = state.end if was_over else answer
    new = replace(state, answer=answer, about=(END, kind), turn=turn, acts=acts, end=end)
    new = with_change(new, turn, seen)
    if is_expected or _is_unasked(answer) or kind in state.found:
        return new, NOTHING
    if answer.is_open:
        new = asking(new, (END, kind), event, seat)
    act_told = act_of_turn(act)
    message = said(
        "{seat} has {act}; whether that ends the turn is for the Director to decide",
        seat=seat,
        act=act_told,
    )
    if answer.outcome == asked.NOT_ENDED:
        message = said("{seat} has {act}, and that does not end the turn", seat=seat, act=act_told)
    elif not answer.is_open:
        message = said("{seat} has {act}, and that ends the turn", seat=seat, act=act_told)
    finding = told("turn-end", event, message, answer, END, seat, seen, is_note=True)
    return replace(new, found=state.found | {kind}), (finding,)


def _is_legally_played(seat: Seat, seen: SeenFacts) -> bool:
    """Whether the play on the board is legal, or not known to be illegal."""
    positions = seen.positions
    before, board, roll = positions.before_play, positions.board, positions.dice
    if before is None or board is None or roll is None:
        return True
    own = board if seat is Seat.ONE else Position(board.other, board.own)
    return own in legal_positions(before, roll)


def ends_turn(state: Premature, act: str | None, seen: Seen) -> bool:
    """Whether that act ends a turn of which the play is on the board."""
    if act not in ACTS:
        return False
    facts = act_as_ruled(state, TurnAct(act, _clock(seen), state.dice_on_table), seen)
    return facts.as_ruled(seen.rules.ask(asked.TURN_END, facts)).outcome == asked.ENDED


def _is_unasked(answer: Answer) -> bool:
    """Whether the question is asked only when something depends on it.

    So if the text says nothing about it, or if only the number of dice is not recorded, because the
    players know that.
    """
    return answer.reason == NOT_RECORDED or answer.is_silent


# Somebody disputes.


def disputed(
    state: Premature, event: RecordedEvent, entry_id: str | None, topic: str | None, seen: Seen
) -> Result:
    """Somebody disputes that a turn is over, where the text does not say how turns end."""
    then = state
    if topic != END:
        step = None if entry_id is None else seen.step_of(entry_id)
        if step is None or not isinstance(step.event.payload, _ENDS):
            return state, NOTHING
        was = step.after.judged.premature
        assert isinstance(was, Premature)
        then = was
        if then is step.before.judged.premature:
            return state, NOTHING
    if then.turn is None or not then.acts:
        return state, NOTHING
    act, seat = then.acts[-1], then.turn[2]
    answer, is_found = ask(state, asked.TURN_END, act, (END, act), seen)
    if is_found or not _is_unasked(answer):
        return state, NOTHING
    new = asking(state, (END, act), event, seat)
    question = replace(answer, readings=(asked.ENDED, asked.NOT_ENDED))
    message = said(
        "{seat} has {act}; whether that ended the turn is for the Director to decide",
        seat=seat,
        act=act_of_turn(act.act),
    )
    return replace(new, found=new.found | {act}), (
        told("turn-end", event, message, question, END, seat, seen),
    )


_ENDS = (clock.ClockPressed, dice.TurnEnded, dice.Repositioned)
"""What may end a turn."""


# Another play in the same turn.


def with_change(
    state: Premature,
    turn: Turn,
    seen: Seen,
    *,
    is_past: bool = False,
    is_agreed: bool = False,
    is_demanded: bool = False,
    is_illegal: bool = False,
) -> Premature:
    """The state with the answer whether the play of `turn` may be changed."""
    acts = acts_of(state, turn, seen)
    early = state.early
    is_early = (
        early is not None
        and early.turn == turn
        and len(early.facts.acts) == len(acts)
        and early.answer.outcome != asked.NOT_PREMATURE
    )
    facts = PlayChange(acts, _clock(seen), is_early, is_past, is_agreed, is_demanded, is_illegal)
    answer = seen.rules.ask(asked.CHANGE, facts)
    if state.asked:
        answer = settled(answer, state, (CHANGE, (turn, facts)), seen)
    return replace(state, turn=turn, acts=acts, change=answer, changing=facts)


def revised(state: Premature, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A play is changed: a finding if it may not be, or if that is a question."""
    if not seen.flow.in_game:
        return state, NOTHING
    turn = turn_of(seat, seen)
    is_past = seen.flow.dice is not None and seen.flow.on_roll is not seat
    is_agreed = event.basis is Basis.AGREED
    made = _as_it_stood(event, event.payload, seen)
    is_illegal = (
        made is not None and made.positions.player is seat and not _is_legally_played(seat, made)
    )
    new = with_change(
        state, turn, seen, is_past=is_past, is_agreed=is_agreed, is_illegal=is_illegal
    )
    answer, about = new.change, (CHANGE, (turn, new.changing))
    assert answer is not None
    new = replace(new, answer=answer, about=about)
    if answer.outcome == asked.MAY_CHANGE or not (new.acts or is_past):
        # Nothing recorded says that the turn was over.
        return new, NOTHING
    if answer.is_open:
        if about in state.asked:
            return new, NOTHING
        new = asking(new, about, event, seat)
    message = said(
        "{seat} changes the play after the turn;"
        " whether it may be changed is for the Director to decide",
        seat=seat,
    )
    is_over = is_past or new.end is None or new.end.outcome != asked.NOT_ENDED
    if not answer.is_open and is_over:
        message = said("{seat} changes the play after the turn, and may not", seat=seat)
    elif not answer.is_open:
        # biba-2014 4.5: with both dice lifted it may not, though a clock in use ends the turn.
        message = said("{seat} changes the play, which may be changed no more", seat=seat)
    return new, (told("play-changed", event, message, answer, CHANGE, seat, seen),)


def _as_it_stood(event: RecordedEvent, payload: Payload, seen: Seen) -> SeenFacts | None:
    """The table with the play that a revision changes, as it stood until then; None for others."""
    if not isinstance(payload, play.PlayRevised):
        return None
    made = seen.step_of(payload.target)
    if made is not None and seen.positions.rewound_at != event.version:
        # It may have been changed before, and what it was changed to is what is changed now.
        made = [made, *seen.steps_since(payload.target)][-1]
    return None if made is None else made.after


def corrected(state: Premature, answer: play.IllegalityAnswer, seen: Seen) -> Result:
    """A legal play is demanded instead of an illegal one; the fold of windows judges until when."""
    is_demanded = answer in (play.IllegalityAnswer.DEMANDED, play.IllegalityAnswer.MANDATORY)
    seat = seen.positions.player
    if not is_demanded or seat is None or not has_played(seat, seen):
        return state, NOTHING
    return with_change(state, turn_of(seat, seen), seen, is_demanded=True), NOTHING


# What a turn has come to.


def turn_end(state: Premature, turn: Turn) -> Answer | None:
    """Whether what was done in `turn` ended it; acts that ended nothing included."""
    return state.end if state.turn == turn and state.acts else state.idle_end


def play_change(state: Premature, turn: Turn) -> Answer | None:
    """Whether the play of `turn` may still be changed."""
    return state.change if state.turn == turn else state.idle_change


# Findings.


def told(
    code: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    topic: str,
    seat: Seat,
    seen: Seen,
    *,
    is_note: bool = False,
) -> Finding:
    severity = Severity.NOTE if is_note else Severity.IRREGULARITY
    return judged(code, event, message, answer, topic, seen.rules, seat=seat, severity=severity)
