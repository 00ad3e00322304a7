"""`tabularium show` and `replay`: one match, and all its entries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from api.commands.common import At, Db, Json, Match, OfLog, Shelf, check_rule_set, reading
from api.commands.entry_line import told
from api.commands.printing import counted, line, safe, show
from api.exchange.prose.spoken import english, spoken_lines
from events.values import BySeat, Seat
from projections.folding.findings import Finding
from projections.judging.ballots import said_of
from projections.replay import Replay
from projections.views.freezing import freezes, spoken_of
from projections.views.lines import (
    Line,
    appeal_lines,
    event_line,
    outcome_line,
    question_lines,
    state_line,
)
from projections.views.transcript import about_line


def show_match(
    match: Match, db: Db = None, log: OfLog = None, at: At = None, as_json: Json = False
) -> None:
    """Show one match: score, board, games, findings, open questions."""
    with reading(db) as shelf:
        log_id, stream_id, shown = shelf.replay(match, log, at=at)
        names = shelf.names(log_id, shown.opened)
        if as_json:
            line(_match_json(log_id, stream_id, shown, names, shelf))
        else:
            for text in _match_lines(log_id, stream_id, shown, names, shelf):
                show(text)


def _match_json(
    log_id: str, stream_id: str, shown: Replay, names: BySeat[str], shelf: Shelf
) -> Line:
    score, winner = shown.state.score, shown.state.winner
    opened = shown.opened
    return {
        "log_id": log_id,
        "match_id": stream_id,
        "version": shown.version,
        "names": {"one": names.one, "two": names.two},
        "event": None if opened is None else shelf.value(log_id, opened.event),
        "length": score.length,
        "rule_set": None if opened is None else opened.rule_set,
        **state_line(shown.state),
        "winner": None if winner is None else winner.value,
        "outcome": outcome_line(shown.state),
        "games": [
            {
                "number": game.number,
                "winner": game.winner.value,
                "points": game.points,
                "kind": None if game.kind is None else game.kind.value,
                "ended_by": game.ended_by.value,
                "version": game.version,
            }
            for game in score.games
        ],
        "disputes": [
            {"version": version, "about": about} for version, about in spoken_of(shown).items()
        ],
        "appeals": appeal_lines(shown),
        "said": [
            {"version": version, **words}
            for version, words in sorted(shelf.spoken(log_id, stream_id, shown).items())
        ],
        "findings": [finding.as_json() for finding in shown.findings],
        "questions": question_lines(shown),
    }


def _match_lines(
    log_id: str, stream_id: str, shown: Replay, names: BySeat[str], shelf: Shelf
) -> Iterator[str]:
    state = shown.state
    score, cube, flow = state.score, state.cube, state.flow
    points = state.final_score
    opened = shown.opened
    yield f"{names.one} - {names.two}  {points.one}-{points.two}"
    length = "money session" if score.length is None else f"match to {score.length}"
    yield f"  match    {stream_id} (log {log_id}, {counted(shown.version, 'entry', 'entries')})"
    cancelled = ", cancelled" if flow.is_cancelled else ""
    yield f"  played   {length}, rules {shown.rules.profile.id}{cancelled}"
    if opened is not None:
        for name in ("event", "round", "table", "place", "date"):
            value = shelf.value(log_id, getattr(opened, name))
            if value:
                yield f"  {name:<8} {value}"
        if opened.source is not None:
            yield f"  source   {opened.source.dialect}, sha256 {opened.source.sha256[:16]}..."
    yield from _outcome_lines(shown, names)
    for game in score.games:
        kind = "" if game.kind is None else f" {game.kind.value},"
        yield (
            f"  game {game.number:<3} {names[game.winner]} wins {counted(game.points, 'point')}"
            f" ({kind.lstrip()}{' ' if kind else ''}by {game.ended_by.value})"
        )
    if flow.in_game:
        owner = "in the middle" if cube.owner is None else f"on {names[cube.owner]}'s side"
        shown_cube = f"cube {cube.value} {owner}"
        shown_cube = "Crawford game, no cube" if score.is_crawford_game else shown_cube
        yield f"  game {score.game_number:<3} in progress, {shown_cube}"
        if flow.to_act is not None:
            yield f"  to act   {names[flow.to_act]}"
        if state.positions.board is None:
            yield "  the board is unknown"
        else:
            yield f"  x = {names.one}, o = {names.two}"
            yield from (f"  {row}" for row in state.positions.board.draw().splitlines())
    if state.clock.is_set:
        one, two = state.clock.reserve_ms
        yield f"  clock    {_minutes(one)} - {_minutes(two)}"
    yield from _dispute_lines(shown, names)
    yield from _appeal_lines(shown, names)
    yield from _spoken_lines(shelf.spoken(log_id, stream_id, shown), shown, names)
    findings = shown.findings
    if findings:
        yield f"  {counted(len(findings), 'finding')}"
        yield from (f"  {one.version:>5}  {finding_line(one, shown, names)}" for one in findings)
    yield from open_question_lines(log_id, stream_id, shown, names)


def _outcome_lines(shown: Replay, names: BySeat[str]) -> Iterator[str]:
    """Who has won the match and how, or the questions on which that depends."""
    outcome = shown.state.judged.outcome
    decided = outcome.decided
    if decided is not None:
        cited = f"[{decided.rule_set} {decided.section}]"
        by = decided.by.value.replace("_", " ")
        yield f"  won by   {names[decided.winner]} ({by}, entry {outcome.version}) {cited}"
    if outcome.questions:
        yield f"  hangs on {', '.join(outcome.questions)}"


def _dispute_lines(shown: Replay, names: BySeat[str]) -> Iterator[str]:
    """Every dispute: by whom, about which entry, and whether a ruling is awaited."""
    settled = {one.raised: one.settled for one in freezes(shown)}
    abouts = spoken_of(shown)
    for step in shown.steps:
        about = about_line(step, shown, names, abouts)
        if about is not None:
            ruled = settled.get(step.event.version)
            state = "a ruling is awaited" if ruled is None else f"ruled at entry {ruled}"
            yield f"  dispute  entry {step.event.version}, {safe(about)}: {state}"


def _appeal_lines(shown: Replay, names: BySeat[str]) -> Iterator[str]:
    """Every appeal: by whom, the result of the ballots, what was announced."""
    for known in shown.state.judged.appeals.appeals:
        who = "nobody recorded" if known.seat is None else names[known.seat]
        parts = ["refused"] if known.is_refused else []
        if known.is_admitted is False:
            parts.append("not admitted")
        parts.append("no outcome yet" if known.result is None else f"the {said_of(known.result)}")
        if known.announced is not None:
            parts.append(f"announced as {known.announced.value}")
        section = "" if known.result is None else f" {known.result.section}"
        yield f"  appeal   {who}: {', '.join(parts)} [{shown.rules.profile.id}{section}]"


def said_lines(words: Mapping[int, Line], version: int, names: BySeat[str]) -> Iterator[str]:
    """What was said in an entry, by whom, and who wrote it down, harmless on a terminal."""
    line = words.get(version)
    if line is not None:
        called = {seat.value: names[seat] for seat in Seat}
        yield from map(safe, spoken_lines(english(), line, called))


def correction_lines(shown: Replay, words: Mapping[int, Line], names: BySeat[str]) -> Iterator[str]:
    """Why the record was corrected, and by whom: corrections are no steps of a match."""
    versions = {event.entry_id: event.version for event in shown.recorded}
    standing = {step.event.version for step in shown.steps}
    for event in shown.recorded:
        if event.version in standing or event.version not in words:
            continue
        target = versions.get(getattr(event.payload, "target", ""))
        of = "" if target is None else f" of entry {target}"
        what = event.tag.replace(".", ": ")
        yield f"{event.version:>5}  {what}{of}"
        yield from (f"       {text}" for text in said_lines(words, event.version, names))


def _spoken_lines(words: Mapping[int, Line], shown: Replay, names: BySeat[str]) -> Iterator[str]:
    """Everything that was said, in the order of the entries."""
    if not words:
        return
    tags = {event.version: event.tag for event in shown.recorded or ()}
    tags |= {step.event.version: step.event.tag for step in shown.steps}
    yield f"  said in {counted(len(words), 'entry', 'entries')}"
    for version in sorted(words):
        yield f"  {version:>5}  {tags[version].replace('.', ': ')}"
        yield from (f"         {text}" for text in said_lines(words, version, names))


def _minutes(milliseconds: int | None) -> str:
    if milliseconds is None:
        return "?"
    sign = "-" if milliseconds < 0 else ""
    seconds = abs(milliseconds) // 1000
    return f"{sign}{seconds // 60}:{seconds % 60:02}"


def finding_line(finding: Finding, shown: Replay, names: BySeat[str]) -> str:
    """A finding in one line: what, by which rule, and what was ruled where that was asked."""
    told = finding.said.named({seat: names[seat] for seat in Seat})
    text = f"{finding.code}: {safe(told)}"
    text += f" [{finding.rule_set} {finding.section}{'' if finding.verified else ', unverified'}]"
    if finding.ruling_required is None:
        return text
    answer = finding.answered_by
    if answer is None:
        return f"{text} - ruling required"
    return f"{text} - answered by entry {answer}: {safe(reading_of(finding, shown) or '')}"


def reading_of(finding: Finding, shown: Replay) -> str | None:
    """The reading with which the director answered the finding's question; None = not answered."""
    question = finding.ruling_required
    if question is None or finding.answered_by is None:
        return None
    key = (question.topic, finding.entry_id, finding.seat)
    return shown.state.rulings.answers[key].reading


def open_question_lines(
    log_id: str, stream_id: str, shown: Replay, names: BySeat[str]
) -> Iterator[str]:
    """What waits for a ruling, and how a director answers it."""
    asked = [question for question in question_lines(shown) if question["answered"] is None]
    if not asked:
        return
    yield f"  {counted(len(asked), 'open question')}"
    told = {one.key: one for one in shown.open_questions}
    called = {seat: names[seat] for seat in Seat}
    for question in asked:
        seat = None if question["seat"] is None else Seat(question["seat"])
        finding = told[question["topic"], question["at"], seat]
        message = finding.said.named(called)
        cited = f"{question['rule_set']} {question['section']}"
        why = f"{question['reason'].replace('_', ' ')}"
        why += "" if question["ambiguity"] is None else f", {question['ambiguity']}"
        yield f"  {question['version']:>5}  {question['topic']}: {safe(message)}"
        yield f"         the text   {cited} ({why})"
        if question["readings"]:
            yield f"         readings   {' / '.join(map(safe, question['readings']))}"
        leaning = None if finding.ruling_required is None else finding.ruling_required.leaning
        if leaning is not None:
            yield f"         leans to   {safe(leaning.named(called))} (shown, never applied)"
        if question["suggest"] is not None:
            yield f"         see also   {question['suggest']} (shown, never applied)"
        named = {"topic": question["topic"], "at": question["version"]}
        if question["seat"] is not None:
            named["seat"] = question["seat"]
        yield f"         named      {json.dumps(named)}"
    yield f"  a director answers with POST /logs/{log_id}/matches/{stream_id}/rulings:"
    yield '    {"entry_id": UUID, "body": {"answers": [{"question": NAMED, "reading": READING}]}}'


def replay(
    match: Match,
    db: Db = None,
    log: OfLog = None,
    at: At = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="ID", help="Judge under this rule set.")
    ] = None,
    as_recorded: Annotated[
        bool, typer.Option("--as-recorded", help="Do not apply the scribe's corrections.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Replay a match entry by entry, with the findings at each."""
    check_rule_set(rules)
    with reading(db) as shelf:
        log_id, stream_id, shown = shelf.replay(
            match, log, at=at, rule_set=rules, as_recorded=as_recorded
        )
        names = shelf.names(log_id, shown.opened)
        words = shelf.spoken(log_id, stream_id, shown)
        abouts = spoken_of(shown)
        for step in shown.steps:
            value = event_line(step, shown)
            if as_json:
                line({**value, **words.get(step.event.version, {})})
                continue
            show(told(value, step, names))
            about = about_line(step, shown, names, abouts)
            if about is not None:
                show(f"       {safe(about)}")
            for text in said_lines(words, step.event.version, names):
                show(f"       {text}")
            for finding in step.findings:
                show(f"       ! {finding_line(shown.answered(finding), shown, names)}")
        if not as_json:
            for text in correction_lines(shown, words, names):
                show(text)
            for finding in shown.corrections:
                show(
                    f"{finding.version:>5}  ! {finding_line(shown.answered(finding), shown, names)}"
                )
            for text in open_question_lines(log_id, stream_id, shown, names):
                show(text)
