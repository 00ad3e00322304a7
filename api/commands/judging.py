"""`tabularium judge`: the same facts under two rule sets, and what they say differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from api.commands.common import At, Db, Json, Match, OfLog, reading
from api.commands.matches import finding_line, reading_of
from api.commands.printing import counted, fail, line, show
from events.values import BySeat
from projections.folding.findings import Finding, RulingRequired
from projections.judging.appeal_state import Appeal
from projections.replay import Replay
from projections.rules.shelf import SHELF
from projections.rules.texts.common import COMMON
from projections.views.contrasts import Pair, pairs, unfound
from projections.views.lines import Line


def judge(
    match: Match,
    db: Db = None,
    log: OfLog = None,
    at: At = None,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules",
            metavar="ID",
            help="Judge under this rule set. (default: the one pinned in the match)",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="ID",
            help="Compare with this one. (default: the pinned one with --rules, else common)",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge a match under two rule sets: what differs, finding by finding."""
    for rule_set in (rules, against):
        if rule_set is not None and rule_set not in SHELF:
            fail(f"there is no rule set {rule_set!r}: choose one of {', '.join(SHELF)}")
    if against is None and rules is None:
        against = COMMON.id
    with reading(db) as shelf:
        log_id, match_id, one = shelf.replay(match, log, at=at, rule_set=rules)
        _, _, other = shelf.replay(match_id, log_id, at=at, rule_set=against)
        ours, theirs = one.rules.profile.id, other.rules.profile.id
        if ours == theirs:
            others = ", ".join(rule_set for rule_set in SHELF if rule_set != ours)
            fail(f"both are {ours}: name another one with --against: {others}")
        found = list(pairs(one.findings, other.findings))
        different = [pair for pair in found if not pair.is_same]
        if as_json:
            line(
                {
                    "log_id": log_id,
                    "match_id": match_id,
                    "version": one.version,
                    "rules": ours,
                    "against": theirs,
                    "differences": [_pair_json(pair, one, other) for pair in different],
                    "same": len(found) - len(different),
                    "outcome": {"rules": _outcome(one), "against": _outcome(other)},
                }
            )
            return
        names = shelf.names(log_id, one.opened)
        for text in _lines(one, other, different, same=len(found) - len(different), names=names):
            show(text)


def _pair_json(pair: Pair, one: Replay, other: Replay) -> Line:
    return {
        "version": pair.version,
        "rules": _finding_json(pair.rules, one),
        "against": _finding_json(pair.against, other),
        "cited": {
            "rules": _cited(pair.rules, one, pair, other),
            "against": _cited(pair.against, other, pair, one),
        },
    }


def _cited(finding: Finding | None, shown: Replay, pair: Pair, opposite: Replay) -> Line | None:
    """Where a rule set says what it says to the matter, finding or not; None = it says nothing."""
    said = unfound(pair, shown, opposite) if finding is None else finding
    return None if said is None else {"rule_set": shown.rules.profile.id, "section": said.section}


def _finding_json(finding: Finding | None, shown: Replay) -> Line | None:
    if finding is None:
        return None
    return {**finding.as_json(), "ruled": reading_of(finding, shown)}


def _outcome(shown: Replay) -> Line:
    """Where the match stands, as this rule set has it."""
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
    """What came of an appeal, by the ballots."""
    if known.is_admitted is False:
        return "not_admitted"
    return "open" if known.result is None else known.result.outcome


def _lines(
    one: Replay, other: Replay, different: list[Pair], *, same: int, names: BySeat[str]
) -> Iterator[str]:
    ours, theirs = one.rules.profile.id, other.rules.profile.id
    yield f"{names.one} - {names.two}: {ours} against {theirs}"
    for pair in different:
        yield f"{pair.version:>5}  {_told(pair.rules, one, pair, other)}"
        yield f"       {_told(pair.against, other, pair, one)}"
    for name, value in _outcome(one).items():
        if (their := _outcome(other)[name]) != value:
            what = name.replace("_", " ")
            yield f"  {what}: {_plain(value)} by {ours}, {_plain(their)} by {theirs}"
    differ = "differs" if len(different) == 1 else "differ"
    yield f"  {counted(len(different), 'finding')} {differ}, {same:,} the same"


def _told(finding: Finding | None, shown: Replay, pair: Pair, opposite: Replay) -> str:
    if finding is None:
        said = unfound(pair, shown, opposite)
        rule_set = shown.rules.profile.id
        if said is None:
            return f"nothing is found [{rule_set}]"
        return f"nothing is found: {_plain(said.outcome)} [{rule_set} {said.section}]"
    asked = _asked(finding.ruling_required) if finding.answered_by is None else ""
    return finding_line(finding, shown) + asked


def _asked(question: RulingRequired | None) -> str:
    """Why it is a question, and between what: two texts may ask the same and mean another thing."""
    if question is None:
        return ""
    parts = [question.reason.replace("_", " "), " / ".join(question.readings)]
    parts += [f"leans to {question.lean}" if question.lean else ""]
    parts += [f"see {question.suggest}" if question.suggest else ""]
    return f" ({'; '.join(filter(None, parts))})"


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return f"{value['one']}-{value['two']}"
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nobody" if value is None else str(value).replace("_", " ")
