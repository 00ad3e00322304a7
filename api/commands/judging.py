"""`tabularium judge`: findings of a rule set in a match, and why those of another one differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from api.commands.common import At, Db, Json, OfLog, check_rule_set, reading
from api.commands.one_match import finding_line, reading_of
from api.commands.printing import counted, fail, line, safe, show
from events.values import BySeat, Seat
from projections.folding.findings import Finding, RulingRequired
from projections.folding.sayings import worded
from projections.judging.appeal_state import Appeal
from projections.replay import Replay
from projections.rules.shelf import SHELF
from projections.views.contrasts import Pair, pairs, unfound, why
from projections.views.lines import Line
from projections.views.reasons import Reason


def judge(
    match: Annotated[
        str | None,
        typer.Argument(metavar="MATCH", help="Id of the match, or its unique beginning."),
    ] = None,
    db: Db = None,
    log: OfLog = None,
    at: At = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Judge every match of the archive, or of --log, and print totals."
        ),
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="FILE",
            help="With --all: write a line of JSON for each match; continues a stopped run.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="With --all: number of processes. (default: one for each processor)",
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="ID", help="Judge under this rule set. (default: the match's own)"
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="ID", help="Show where and why this rule set differs."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge a match, or --all, by a rule set, and show how another one (--against) differs."""
    for rule_set in (rules, against):
        check_rule_set(rule_set)
    if everything:
        if match is not None or at is not None:
            fail("--all judges every match as it stands: name no MATCH and no --at with it")
        if rules is not None and rules == against:
            fail(f"both are {rules}: name another one with --against")
        # Loaded only by the commands that need it, because showing one match needs little.
        from api.commands.rejudging import judge_all

        judge_all(
            db=db, log=log, rules=rules, against=against, to=to, workers=workers, as_json=as_json
        )
        return
    if match is None:
        fail("name a MATCH (see `tabularium matches`), or --all for every one")
    if to is not None or workers is not None:
        fail("--to and --workers go with --all")
    with reading(db) as shelf:
        log_id, match_id, one = shelf.replay(match, log, at=at, rule_set=rules)
        names = shelf.names(log_id, one.opened)
        head: Line = {"log_id": log_id, "match_id": match_id, "version": one.version}
        if against is not None:
            _, _, other = shelf.replay(match_id, log_id, at=at, rule_set=against)
            _show_differences(one, other, head, names, as_json=as_json)
        elif as_json:
            line({**head, **_listed_json(one)})
        else:
            for text in _listed(one, names=names):
                show(text)


def _show_differences(
    one: Replay, other: Replay, head: Line, names: BySeat[str], *, as_json: bool
) -> None:
    """The differences between two rule sets' findings in a match, and who wins it under each."""
    ours, theirs = one.rules.profile.id, other.rules.profile.id
    if ours == theirs:
        others = ", ".join(rule_set for rule_set in SHELF if rule_set != ours)
        fail(f"both are {ours}: name another one with --against: {others}")
    found = list(pairs(one.findings, other.findings))
    different = [pair for pair in found if not pair.is_same]
    same = len(found) - len(different)
    if as_json:
        differences = [_pair_json(pair, one, other) for pair in different]
        outcome = {"rules": _outcome(one), "against": _outcome(other)}
        sets = {"rules": ours, "against": theirs}
        line({**head, **sets, "differences": differences, "same": same, "outcome": outcome})
        return
    for text in _lines(one, other, different, same=same, names=names):
        show(text)


def _listed_json(shown: Replay) -> Line:
    return {
        "rules": shown.rules.profile.id,
        "findings": [_finding_json(finding, shown) for finding in shown.findings],
        "outcome": _outcome(shown),
    }


def _listed(shown: Replay, *, names: BySeat[str]) -> Iterator[str]:
    """Every finding under one rule set, and the state of the match by it."""
    yield f"{names.one} - {names.two}: {shown.rules.profile.id}"
    for finding in shown.findings:
        yield f"{finding.version:>5}  {_said(finding, shown, names)}"
    for name, value in _outcome(shown).items():
        yield f"  {name.replace('_', ' ')}: {_plain(value, names)}"
    asked = len(shown.open_questions)
    ruling = f", {counted(asked, 'open question')}" if asked else ""
    yield f"  {counted(len(shown.findings), 'finding')}{ruling}"


def _pair_json(pair: Pair, one: Replay, other: Replay) -> Line:
    return {
        "version": pair.version,
        "rules": _finding_json(pair.rules, one),
        "against": _finding_json(pair.against, other),
        "cited": {
            "rules": _cited(pair.rules, one, pair, other),
            "against": _cited(pair.against, other, pair, one),
        },
        "why": [_why_json(reason) for reason in why(pair, one, other)],
    }


def _why_json(reason: Reason) -> Line:
    return {
        "name": reason.name,
        "rules": None if reason.rules is None else reason.rules.as_json(),
        "against": None if reason.against is None else reason.against.as_json(),
    }


def _cited(finding: Finding | None, shown: Replay, pair: Pair, opposite: Replay) -> Line | None:
    """The section by which a rule set decides the matter, finding or not; None = it has none."""
    said = unfound(pair, shown, opposite) if finding is None else finding
    return None if said is None else {"rule_set": shown.rules.profile.id, "section": said.section}


def _finding_json(finding: Finding | None, shown: Replay) -> Line | None:
    if finding is None:
        return None
    return {**finding.as_json(), "ruled": reading_of(finding, shown)}


def _outcome(shown: Replay) -> Line:
    """The state of the match under this rule set."""
    points, cube, won = shown.state.match_score, shown.state.cube, shown.state.judged.outcome
    return {
        "score": {"one": points.one, "two": points.two},
        "winner": None if won.winner is None else won.winner.value,
        "won_by": None if won.by is None else won.by.value,
        "cube": cube.value,
        "in_game": shown.state.flow.in_game,
        "appeals": [_appealed(known) for known in shown.state.judged.appeals.appeals],
    }


def _appealed(known: Appeal) -> str:
    """The outcome of an appeal, by the ballots."""
    if known.is_admitted is False:
        return "not_admitted"
    return "open" if known.result is None else known.result.outcome


def _lines(
    one: Replay, other: Replay, different: list[Pair], *, same: int, names: BySeat[str]
) -> Iterator[str]:
    ours, theirs = one.rules.profile.id, other.rules.profile.id
    yield f"{names.one} - {names.two}: {ours} against {theirs}"
    # If several findings at one entry differ for the same reason, it is given once.
    reasons: set[tuple[int, str]] = set()
    for pair in different:
        yield f"{pair.version:>5}  {_told(pair.rules, one, pair, other, names)}"
        yield f"       {_told(pair.against, other, pair, one, names)}"
        for reason in why(pair, one, other):
            text = reason.told(ours, theirs).named(_called(names))
            if (pair.version, text) not in reasons:
                reasons.add((pair.version, text))
                yield f"         why: {safe(text)}"
    for name, value in _outcome(one).items():
        if (their := _outcome(other)[name]) != value:
            what = name.replace("_", " ")
            yield f"  {what}: {_plain(value, names)} by {ours}, {_plain(their, names)} by {theirs}"
    differ = "differs" if len(different) == 1 else "differ"
    yield f"  {counted(len(different), 'finding')} {differ}, {same:,} the same"


def _told(
    finding: Finding | None, shown: Replay, pair: Pair, opposite: Replay, names: BySeat[str]
) -> str:
    if finding is not None:
        return _said(finding, shown, names)
    said = unfound(pair, shown, opposite)
    rule_set = shown.rules.profile.id
    if said is None:
        return f"nothing is found [{rule_set}]"
    return f"nothing is found: {_plain(said.outcome, names)} [{rule_set} {said.section}]"


def _said(finding: Finding, shown: Replay, names: BySeat[str]) -> str:
    asked = _asked(finding.ruling_required, names) if finding.answered_by is None else ""
    return finding_line(finding, shown, names) + asked


def _called(names: BySeat[str]) -> dict[Seat, str]:
    return {seat: names[seat] for seat in Seat}


def _asked(question: RulingRequired | None, names: BySeat[str]) -> str:
    """The reason of a question, and its readings: two texts may ask the same but mean otherwise."""
    if question is None:
        return ""
    readings = (worded(one).named(_called(names)) for one in question.readings)
    parts = [question.reason.replace("_", " "), " / ".join(map(safe, readings))]
    if question.leaning is not None:
        parts += [f"leans to {safe(question.leaning.named(_called(names)))}"]
    parts += [f"see {question.suggest}" if question.suggest else ""]
    return f" ({'; '.join(filter(None, parts))})"


def _plain(value: object, names: BySeat[str]) -> str:
    if isinstance(value, dict):
        return f"{value['one']}-{value['two']}"
    if isinstance(value, list):
        return ", ".join(_plain(one, names) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in set(Seat):
        return safe(names[Seat(str(value))])
    return "nobody" if value is None else str(value).replace("_", " ")
