"""Disputes, rulings, appeals and votes: one entry in each request; its references are checked.

Each is an append like any other, with the same permissions. In addition, a reference to another
entry may be its version instead of its id, and a reference to no entry is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from api.archive.reading import Live
from api.desk.entries import EntryIn, parse_entries
from api.html.entry_words import sentence, word
from api.html.texts import Texts, language_of, texts_of
from api.refusals import Problem
from api.routes.shared.door import LogId, MatchId, check_is_match, door_of
from api.routes.shared.requests import value_of
from api.routes.shared.writing import append_parsed, expected_version_of, writer_of
from api.shapes.documented import documented
from api.shapes.filings import APPEALS, DISPUTES, REFERENCES, RULINGS, VOTES, Group
from api.shapes.shape import JsonObject
from events.errors import BadInput
from events.payloads.dispute import DirectorCalled, DisputeRaised
from projections.judging.appeal_state import appeal_of, called
from projections.judging.ballots import why_not_cast
from projections.views.lines import question_lines

NAMES_A: Mapping[str, tuple[str, ...]] = {
    "appeal": ("appeal.filed",),
    "dispute": ("dispute.raised", "director.called"),
    "ruling": ("ruling.made", "appeal.decided"),
}
"""Member to the tags of the entries that it may name; other members may name any entry."""


router = APIRouter(tags=["disputes"])

_DOCUMENTED = documented("Recorded", also=200, writes=True, problems=(404, 409, 412, 428))


@router.post(
    "/logs/{log}/matches/{match}/disputes",
    status_code=201,
    operation_id="appendDispute",
    summary="Raise a dispute, or call the director",
    **_DOCUMENTED,
)
async def append_dispute(request: Request, log: LogId, match: MatchId) -> Response:
    """For a scribe or a director. `frozen_at` and `about` are an entry id or a version."""
    return await _append(request, log, match, DISPUTES)


@router.post(
    "/logs/{log}/matches/{match}/rulings",
    status_code=201,
    operation_id="appendRuling",
    summary="Make a ruling, or carry one out",
    **_DOCUMENTED,
)
async def append_ruling(request: Request, log: LogId, match: MatchId) -> Response:
    """For a director. Each answer names its question by topic, entry (id or version) and seat.

    The findings of a match list its questions. Any reading may be chosen.
    """
    return await _append(request, log, match, RULINGS)


@router.post(
    "/logs/{log}/matches/{match}/appeals",
    status_code=201,
    operation_id="appendAppeal",
    summary="File an appeal, refuse it, or announce its outcome",
    **_DOCUMENTED,
)
async def append_appeal(request: Request, log: LogId, match: MatchId) -> Response:
    """A scribe or a director files it; a director refuses or decides it."""
    return await _append(request, log, match, APPEALS)


@router.post(
    "/logs/{log}/matches/{match}/votes",
    status_code=201,
    operation_id="appendVote",
    summary="Vote on an appeal",
    **_DOCUMENTED,
)
async def append_vote(request: Request, log: LogId, match: MatchId) -> Response:
    """A member or a director sends a member's ballot; a director sends the director's own."""
    return await _append(request, log, match, VOTES)


async def _append(request: Request, log_id: str, match_id: str, group: Group) -> Response:
    check_is_match(match_id)
    door = door_of(request)
    visitor = await writer_of(door, request, log_id)
    expected_version = expected_version_of(request)
    entry = _entry_of(await value_of(request), group)
    door.desk.permit(visitor.hand, log_id, match_id, [entry])
    live = await asyncio.to_thread(door.reading.live, log_id, match_id)
    try:
        entry.body = _resolved(entry.body, live, "$.body")
        if entry.entry_id not in live.entry_ids:
            # A retry gets its first answer, even if the question has changed since.
            _check_questions(entry, live)
            _check_ballot(entry, live, texts_of(language_of(request)))
            _check_refusal(entry)
        return await append_parsed(
            door, visitor, log_id, match_id, [entry], expected_version=expected_version
        )
    except BadInput as error:
        _in_one_entry(error)
        raise


def _entry_of(value: object, group: Group) -> EntryIn:
    if not isinstance(value, dict):
        raise BadInput("the body is one entry: an object", where="$")
    try:
        [entry] = parse_entries(
            {"entries": [{"tag": group.tags[0], "basis": group.basis, **value}]}
        )
    except BadInput as error:
        _in_one_entry(error)
        raise
    if entry.tag not in group.tags:
        raise BadInput(f"this takes {', '.join(group.tags)}", where="$.tag")
    return entry


def _in_one_entry(error: BadInput) -> None:
    """Remove the index of the entry from an error's path: this request has only one entry."""
    if error.where is not None:
        error.where = error.where.replace("$.entries[0]", "$", 1)


def _resolved(body: Mapping[str, object], live: Live, where: str) -> JsonObject:
    """The body with entry ids in place of versions; a reference to no entry is refused."""
    return {
        name: (
            _named(name, member, live, f"{where}.{name}")
            if name in REFERENCES and isinstance(member, int | str)
            else _within(member, live, f"{where}.{name}")
        )
        for name, member in body.items()
    }


def _within(value: object, live: Live, where: str) -> object:
    if isinstance(value, list):
        return [_within(item, live, f"{where}[{index}]") for index, item in enumerate(value)]
    return _resolved(value, live, where) if isinstance(value, dict) else value


def _named(name: str, reference: int | str, live: Live, where: str) -> str:
    """The id of the entry that a member names by version or id."""
    recorded = live.recorded[: live.version]
    if isinstance(reference, str):
        found = next((event for event in recorded if event.entry_id == reference), None)
        if found is None:
            raise BadInput("this match holds no entry with this id", where=where)
    elif isinstance(reference, bool) or not 1 <= reference <= live.version:
        raise BadInput(f"the entries of this match are 1 to {live.version}", where=where)
    else:
        found = recorded[reference - 1]
    expected = NAMES_A.get(name)
    if expected is not None and found.tag not in expected:
        said = f"entry {found.version} is {found.tag}, and not {' or '.join(expected)}"
        raise BadInput(said, where=where)
    return found.entry_id


def _check_questions(entry: EntryIn, live: Live) -> None:
    """Whether each answer names a question that was asked, by the folds or by a dispute.

    Of a ruling alone, which is whose who may know them: while a match is played, no other entry is
    to be told what is asked about it.
    """
    answers = entry.body.get("answers") if entry.tag == "ruling.made" else None
    for index, answer in enumerate(answers if isinstance(answers, list) else ()):
        question = answer.get("question") if isinstance(answer, dict) else None
        if not isinstance(question, dict) or not isinstance(question.get("at"), str):
            # Not even the right shape: the desk says what is wrong with it.
            continue
        lines = question_lines(live.replay)
        asked = [(line["topic"], line["at"], line["seat"]) for line in lines]
        key = (question.get("topic"), question["at"], question.get("seat"))
        if key in asked or _is_disputed(key[1], live):
            continue
        raise Problem(
            "bad-input",
            "there is no such question: one is named by topic, entry and seat",
            where=f"$.body.answers[{index}].question",
            why=("question_gone", {}),
            known=[
                f"{line['topic']} at {line['version']}"
                + ("" if line["seat"] is None else f", seat {line['seat']}")
                for line in lines
            ],
        )


def _check_ballot(entry: EntryIn, live: Live, t: Texts) -> None:
    """Refuse a ballot that cannot count; sent among other entries, it is recorded and found."""
    appeals = live.replay.state.judged.appeals
    named = entry.body.get("appeal")
    about = appeal_of(appeals, named if isinstance(named, str) else None)
    why = None
    if entry.tag == "vote.cast":
        member = str(entry.body.get("member"))
        why = why_not_cast(about, member)
        if why is not None:
            who = called(member)
            detail = f"{who} votes {why}: the ballot is not accepted"
            told = t("refused.ballot_of", member=word(t, who), why=sentence(t, why.as_json(), {}))
            told = told[:1].upper() + told[1:]
            raise Problem("ballot-refused", detail, told=told)
    elif entry.tag == "vote.director_cast" and about.is_issued and not about.is_complete:
        # usbgf-2017-07 [5]: after the committee's ballots, or not at all.
        detail = "not all members of the committee have voted: you vote last"
        raise Problem("ballot-refused", detail, why=("director_last", {}))


def _check_refusal(entry: EntryIn) -> None:
    """Refuse a refusal without its ground; sent among other entries, it is recorded without one."""
    if entry.tag != "appeal.refused":
        return
    for name, what in (("rule", "the rule that it is refused under"), ("reason", "its ground")):
        if not entry.body.get(name):
            raise BadInput(f"a refusal cites {what}", where=f"$.body.{name}")


def _is_disputed(entry_id: str, live: Live) -> bool:
    """Whether the entry is itself a dispute or a call: its parties state its question."""
    return any(
        event.entry_id == entry_id and isinstance(event.payload, DisputeRaised | DirectorCalled)
        for event in live.recorded
    )
