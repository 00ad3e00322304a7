"""Early rolls: whether they stand, who chooses, and what the other player answers."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import dice, play
from events.values import ONE, Seat
from projections.board.legal import legal_positions
from projections.board.position import Position
from projections.folding.findings import Finding
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import Said, said, worded
from projections.judging.premature_state import ROLL, Early, Premature, Result
from projections.judging.turns import (
    acts_of,
    asking,
    settled,
    told,
    turn_of,
    with_change,
)
from projections.rules.answers import NOT_IN_HAND, NOT_VERIFIED, Answer
from projections.rules.subjects import premature as asked
from projections.rules.subjects.dice import INVALID
from projections.rules.subjects.premature import EarlyRoll


def rolled_early(state: Premature, event: RecordedEvent, roller: Seat, seen: Seen) -> Result:
    """Dice are rolled before the opponent has ended the turn."""
    if not seen.flow.in_game:
        return state, NOTHING
    player = roller.other
    turn = turn_of(player, seen)
    state = _passed_on(state, seen)
    has_choice, has_contact = _position(player, seen)
    facts = EarlyRoll(
        player,
        acts_of(state, turn, seen),
        # The dice fold ran before this one, on the same event.
        seen.throws.answer,
        seen.flow.answering is player,
        has_choice,
        has_contact,
        state.passed_over[roller],
        state.unremarked[roller],
        state.warned[roller],
        has_lifted=state.lifted == (turn, roller),
        is_before_opening=seen.flow.awaits_opening,
    )
    answer = seen.rules.ask(asked.ROLL, facts)
    about = (ROLL, event.entry_id)
    new = replace(
        state,
        answer=answer,
        about=about,
        early=Early(event.entry_id, roller, turn, facts, answer),
        turn=turn,
        acts=facts.acts,
        end=state.end if facts.acts else None,
    )
    new = with_change(new, turn, seen)
    findings = _about_roll(event, facts, answer, roller, seen)
    if findings and answer.is_open:
        new = asking(new, about, event, roller)
    return new, findings


def rolled_on(state: Premature, event: RecordedEvent, rolled: dice.Rolled, seen: Seen) -> Result:
    """A recorded roll that followed an act which did not end the turn before it.

    The roll counts for the flow. The text's answer on early rolls is reported once for each kind of
    act.
    """
    end = state.end
    if end is None or end.outcome != asked.NOT_ENDED or end.flag is not None:
        return state, NOTHING
    roller = rolled.seat
    player = roller.other
    turn = turn_of(player, seen)
    acts = acts_of(state, turn, seen)
    if not acts or not acts[-1].is_meant or seen.flow.on_roll is not roller:
        return state, NOTHING
    if (acts[-1], roller) in state.rolled_after:
        return state, NOTHING
    has_choice, has_contact = _position(player, seen)
    facts = EarlyRoll(player, acts, seen.throws.answer, False, has_choice, has_contact)
    answer = seen.rules.ask(asked.ROLL, facts)
    if answer.is_open or answer.outcome in (asked.NOT_PREMATURE, INVALID):
        return state, NOTHING
    message = said(
        "{roller} rolls, and nothing on record has ended the turn of {player}",
        roller=roller,
        player=player,
    )
    message = said("{what}: {answer}", what=message, answer=_of_roll(answer, player))
    new = replace(state, rolled_after=state.rolled_after | {(acts[-1], roller)})
    return new, (told("early-roll", event, message, answer, ROLL, roller, seen),)


def _passed_on(state: Premature, seen: Seen) -> Premature:
    """The previous early roll, if play went on after it without an answer."""
    early = state.early
    if early is None or early.facts.answer is not None or not _is_played_on(early, seen):
        return state
    if early.answer.outcome != asked.OPPONENT_CHOOSES:
        return state
    return replace(state, unremarked=state.unremarked.update(early.roller, _one_more))


def _is_played_on(early: Early, seen: Seen) -> bool:
    """Whether the next play of the player who rolled early belongs to the turn after it."""
    roller = early.roller
    for step in seen.steps_since(early.entry_id):
        match step.event.payload:
            case dice.Voided(target=early.entry_id):
                return False
            case play.PlayMade(seat=seat) if seat is roller:
                return step.before.flow.early_entry == early.entry_id
            case _:
                pass
    return False


def _position(player: Seat, seen: Seen) -> tuple[bool, bool]:
    """Whether the player had a choice of plays, and contact; assumed if the board is unknown."""
    positions = seen.positions
    board: Position | None = positions.board
    roll = seen.flow.dice_of(player)
    before = None if board is None or player is ONE else Position(board.other, board.own)
    if player is ONE:
        before = board
    if roll is None and positions.player is player:
        before, roll = positions.before_play, positions.dice
    has_choice = before is None or roll is None or len(legal_positions(before, roll)) > 1
    return has_choice, board is None or board.has_contact()


def _about_roll(
    event: RecordedEvent, facts: EarlyRoll, answer: Answer, roller: Seat, seen: Seen
) -> tuple[Finding, ...]:
    if answer.outcome == INVALID:
        # A bad throw, early or not; the fold of the dice has made the finding.
        return NOTHING
    message = said(
        "{roller} rolls before {player} has ended the turn", roller=roller, player=facts.player
    )
    if facts.is_before_opening:
        message = said("{roller} rolls before it is decided who begins", roller=roller)
    if answer.outcome == asked.NOT_PREMATURE:
        message = said(
            "{roller} is said to roll early, and the turn of {player} was over",
            roller=roller,
            player=facts.player,
        )
    message = said("{what}: {answer}", what=message, answer=_of_roll(answer, facts.player))
    return (told("early-roll", event, message, answer, ROLL, roller, seen),)


def _of_roll(answer: Answer, player: Seat) -> Said:
    """The consequence of an early roll."""
    if answer.is_open:
        return said("whether the roll stands or is thrown again is for the Director to decide")
    match answer.outcome:
        case asked.OPPONENT_CHOOSES:
            return said("{player} says whether the roll stands or is thrown again", player=player)
        case asked.ROLL_STANDS:
            return said("the roll stands")
        case asked.REDONE:
            return said("the roll is thrown again")
        case asked.VOID:
            return said("the roll is void, and is thrown again once the turn is over")
        case asked.NOT_PREMATURE:
            return said("the roll counts")
        case other:
            return worded(other)


def is_meant(early: Early, target: str | None, seen: Seen) -> bool:
    """Whether an answer is about this early roll; without a reference it is about the last one."""
    if target is not None:
        return target == early.entry_id
    return early.turn[0] == seen.score.game_number


def early_roll_answered(
    state: Premature,
    event: RecordedEvent,
    answered: dice.EarlyRollAnswered,
    seen: Seen,
) -> Result:
    """The opponent's answer to an early roll, or that there was none."""
    early, said, target = state.early, answered.answer, answered.target
    if early is None or not is_meant(early, target, seen):
        return state, NOTHING
    roller, before = early.roller, early.facts.answer
    is_choice = before in (asked.STANDS, asked.REDONE)
    facts = replace(
        early.facts,
        answer=said.value,
        is_late=_is_late(early, seen),
        is_changed=early.facts.is_changed or (is_choice and before != said.value),
        revises=answered.revises,
        forfeit=answered.forfeit,
    )
    answer, about = seen.rules.ask(asked.ROLL, facts), (ROLL, early.entry_id)
    is_found = about in state.asked and _is_same(answer, early.answer)
    if is_found:
        answer = settled(answer, state, about, seen)
    before_it, early = early.answer, replace(early, facts=facts, answer=answer)
    new = replace(state, answer=answer, about=about, early=early)
    if before is None and said is dice.EarlyRollAnswer.NO_COMMENT:
        new = replace(new, passed_over=state.passed_over.update(roller, _one_more))
    elif before is None and said is dice.EarlyRollAnswer.ONLY_WARNED:
        new = replace(new, warned=state.warned.update(roller, _one_more))
    is_told = answer == before_it or (is_found and answer.is_open)
    if answer.outcome == _SAID.get(said) or (is_told and not _is_against(answer, said)):
        return new, NOTHING
    if answer.outcome == asked.VOID:
        return new, _allowed(event, facts, answer, roller, seen)
    findings = _about_roll(event, facts, answer, roller, seen)
    if findings and answer.is_open:
        new = asking(new, about, event, roller)
    return new, findings


def by_the_roller(event: RecordedEvent, early: Early, seen: Seen) -> tuple[Finding, ...]:
    """An answer by whoever rolled early, where the choice is the other player's."""
    if early.answer.outcome != asked.OPPONENT_CHOOSES:
        return NOTHING
    roller, player = early.roller, early.facts.player
    message = said(
        "{roller} decides about an early roll of {roller}'s, and the choice is {player}'s",
        roller=roller,
        player=player,
    )
    return (told("early-roll", event, message, early.answer, ROLL, roller, seen),)


def _allowed(
    event: RecordedEvent, facts: EarlyRoll, answer: Answer, roller: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """A void early roll that the player lets stand, which does not make it count."""
    message = said(
        "{player} lets the early roll of {roller} stand, and it is void all the same",
        player=facts.player,
        roller=roller,
    )
    return (told("early-roll", event, message, answer, ROLL, roller, seen),)


def _is_same(answer: Answer, earlier: Answer) -> bool:
    """Whether both are the same question, ruled or not."""
    if not answer.is_open or answer.section != earlier.section:
        return False
    # The readings of a text that is not in hand or not verified are unknown.
    is_unread = {answer.reason, earlier.reason} <= _UNREAD
    why = (answer.ambiguity, answer.reason, answer.readings)
    return is_unread or why == (earlier.ambiguity, earlier.reason, earlier.readings)


_UNREAD = frozenset({NOT_IN_HAND, NOT_VERIFIED})

_SAID = {
    dice.EarlyRollAnswer.STANDS: asked.ROLL_STANDS,
    dice.EarlyRollAnswer.REDONE: asked.REDONE,
}
"""The outcome of an answer that is as it was said."""


def _is_against(answer: Answer, said: dice.EarlyRollAnswer) -> bool:
    """Whether a ruling or the text has decided otherwise, and no choice was left to say."""
    if answer.outcome == asked.VOID:
        # The player cannot make a void roll count, and it is thrown again without an answer.
        return said is dice.EarlyRollAnswer.STANDS
    is_decided = answer.ruled_at is not None or "right_lost" in answer.details
    is_said = answer.outcome in _SAID.values()
    return is_decided and is_said and answer.outcome != _SAID.get(said, answer.outcome)


def _one_more(count: int) -> int:
    return count + 1


def _is_late(early: Early, seen: Seen) -> bool:
    """Whether the roller has played since."""
    game, number, _ = early.turn
    if seen.score.game_number != game or not seen.flow.in_game:
        return True
    return seen.flow.turn_number > number and seen.positions.player is early.roller
