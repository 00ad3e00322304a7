"""Records of the score: whose sheet prevails where they differ and the games do not tell it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import dispute, match
from events.values import BySeat, Seat
from projections.folding.findings import Severity, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import Said, listed, said
from projections.judging.result_state import Note, Result, Results, keep_answer, tell_answer
from projections.rules.answers import Answer
from projections.rules.subjects.results import (
    BOTH_SHEETS,
    ONLY_SHEET,
    SCORE_RECORD,
    Disputed,
    Sheet,
)


def note_taken(state: Results, event: RecordedEvent, noted: match.ScoreNoted, seen: Seen) -> Result:
    """A record of the score: judged where the games do not tell it, or where it is disputed."""
    note = Note(
        noted.keeper,
        noted.sheet,
        noted.score,
        noted.kept_as_prescribed,
        event.basis is Basis.AGREED,
        _moment(seen),
    )
    state = replace(state, notes=(*state.notes, note))
    if not seen.score.unseen_at and state.disputed_at is None:
        # It is compared with the games as they were at its moment.
        return state, NOTHING
    return records_judged(state, event, seen)


_OF_SCORE = frozenset({"score", "scores", "scoresheet", "sheet", "sheets", "scorekeeping"})

_SCORE_TOLD = re.compile(r"\s*(\d{1,4})\s*[-–:]\s*(\d{1,4})\s*", re.ASCII)


def is_of_score(raised: dispute.DisputeRaised, state: Results) -> bool:
    """Whether the players disagree on the score: they say so, or tell it, each as they have it."""
    if raised.topic is not None:
        return not _OF_SCORE.isdisjoint(re.split(r"[.-]", raised.topic))
    return bool(state.notes) and any(
        one.reading is not None and _SCORE_TOLD.fullmatch(one.reading) for one in raised.readings
    )


def told_scores(raised: dispute.DisputeRaised, state: Results, seen: Seen) -> Iterator[Note]:
    """What a player says the score is, who has shown no record of it at this moment."""
    shown = {note.keeper for note in state.notes if note.moment == _moment(seen) and note.score}
    for one in raised.readings:
        told = None if one.reading is None else _SCORE_TOLD.fullmatch(one.reading)
        seat = one.by.seat
        if told is None or seat is None or seat in shown:
            continue
        score, memory = BySeat(int(told[1]), int(told[2])), match.Sheet.MEMORY
        yield Note(seat, memory, score, None, is_agreed=False, moment=_moment(seen))


def _moment(seen: Seen) -> tuple[int, ...]:
    score = seen.score
    return score.unseen_at, score.ended_at, score.set_at, score.revalued_at


def records_judged(state: Results, event: RecordedEvent, seen: Seen) -> Result:
    """Which record of the score prevails: they differ and both are heard, or it is disputed."""
    is_disputed = state.disputed_at is not None
    now = _moment(seen)
    notes = tuple(note for note in state.notes if note.moment == now)
    facts = records_of(notes, is_disputed=is_disputed)
    if facts is None:
        return state, NOTHING
    if not seen.score.unseen_at:
        facts = replace(facts, recorded=seen.match_score)
    answer = seen.rules.ask(SCORE_RECORD, facts)
    if not answer.is_open and state.answer == answer:
        return state, NOTHING
    known = [note.score for note in notes] + [facts.recorded]
    scores = dict.fromkeys(f"{score.one}-{score.two}" for score in known if score)
    kept = [_kept_by(note.keeper, note.score) for note in notes if note.score]
    if facts.recorded:
        made = f"{facts.recorded.one}-{facts.recorded.two}"
        if facts.recorded == seen.score.score:
            kept.append(said("the games make it {score}", score=made))
        else:
            kept.append(said("games and penalty points make it {score}", score=made))
    told = listed(list({str(one): one for one in kept}.values())) if kept else None
    message = said("the score is disputed, and no record of it is shown")
    if told is not None and len(scores) == 1:
        message = said("the score is disputed: {scores}", scores=told)
    elif told is not None:
        message = said("the records of the score differ: {scores}", scores=told)
    about, topic, code = str(seen.score.unseen_at), "score.record", "score-records-differ"
    if state.disputed_at is not None:
        about = state.disputed_at
    if answer.is_open:
        was_asked = any((one.topic, one.matter) == (topic, about) for one in state.asked)
        since = str(seen.score.unseen_at)
        was_open = any((one.topic, one.matter) == (topic, since) for one in state.asked)
        if isinstance(event.payload, dispute.DisputeRaised) and was_open and state.answer == answer:
            # The records were a question before anybody disputed them, and are the same one.
            return state, NOTHING
        if was_asked and not facts.are_all_shown:
            # The dispute is a question already, and one record alone makes it no other one.
            return state, NOTHING
        message = said("{what}; which score counts is for the Director to decide", what=message)
        return tell_answer(state, event, code, message, answer, topic, about, seen)
    message = prevailing(message, answer)
    finding = judged(code, event, message, answer, topic, seen.rules, severity=Severity.NOTE)
    return keep_answer(state, answer, topic, about, seen), (finding,)


def prevailing(message: Said, answer: Answer) -> Said:
    """A message with the record that prevails by an answer, and why."""
    score = answer.details["score"]
    return said(
        "{what}; {score} {why} prevails, and is the score once it is stated",
        what=message,
        score=f"{score['one']}-{score['two']}",
        why=_PREVAILS[answer.details["basis"]],
    )


def _kept_by(keeper: Seat | None, score: BySeat[int]) -> Said:
    """What a record of the score shows, and whose it is."""
    if keeper is None:
        return said("another record has {score}", score=f"{score.one}-{score.two}")
    return said("{keeper} has {score}", keeper=keeper, score=f"{score.one}-{score.two}")


_PREVAILS = {
    ONLY_SHEET: said("on the only written sheet"),
    BOTH_SHEETS: said("on both written sheets"),
}


def records_of(notes: tuple[Note, ...], *, is_disputed: bool) -> Disputed | None:
    """The records that compete; None while they agree, or a player has not shown a sheet.

    Once the score is disputed they are judged as they are.
    """
    differ = len({note.score for note in notes if note.score is not None}) > 1
    are_all_shown = {note.keeper for note in notes if note.sheet in _SHEETS}.issuperset(Seat)
    if not is_disputed and not (differ and are_all_shown):
        return None
    evidence = [note for note in notes if note.sheet is match.Sheet.RECORDING and note.is_agreed]
    return Disputed(
        sheets=BySeat(_sheet_of(notes, Seat.ONE), _sheet_of(notes, Seat.TWO)),
        evidence=evidence[-1].score if evidence else None,
        others=tuple(note.score for note in notes if note.keeper is None and note.score),
        are_all_shown=are_all_shown,
    )


_SHEETS = (match.Sheet.WRITTEN, match.Sheet.MEMORY, match.Sheet.NONE)
"""What says whether a player kept a sheet: who goes by memory kept none."""


def _sheet_of(notes: tuple[Note, ...], seat: Seat) -> Sheet:
    own = [note for note in notes if note.keeper is seat]
    written = [note for note in own if note.sheet is match.Sheet.WRITTEN]
    last = written[-1] if written else None
    others = [note.score for note in own if note.score and note.sheet in _UNWRITTEN]
    return Sheet(
        written=None if last is None else last.score,
        is_as_prescribed=None if last is None else last.is_as_prescribed,
        has_display=any(note.sheet is match.Sheet.DISPLAY for note in own),
        said=others[-1] if others else None,
    )


_UNWRITTEN = (match.Sheet.DISPLAY, match.Sheet.MEMORY)
