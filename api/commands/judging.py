"""`tabularium judge`: the same facts under two rule sets, and what they say differently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Annotated, Any, NamedTuple

import typer

from api.commands.common import At, Db, Json, Match, OfLog, counted, fail, line, reading, show
from api.commands.matches import finding_line, reading_of
from events.values import BySeat
from projections.appeals import Appeal
from projections.findings import Finding, RulingRequired
from projections.replay import Judged, Replay, Step
from projections.rules.answers import Answer
from projections.rules.common import COMMON
from projections.rules.shelf import SHELF


class Pair(NamedTuple):
    """What both rule sets find at one entry about one thing; None = this one finds nothing."""

    rules: Finding | None
    against: Finding | None

    @property
    def version(self) -> int:
        """The entry's version."""
        one = self.rules or self.against
        assert one is not None, "a pair holds a finding"
        return one.version

    @property
    def is_same(self) -> bool:
        """Whether both say the same, each by its own section."""
        one, other = self
        return one is not None and other is not None and _said(one) == _said(other)


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


def pairs(rules: Iterable[Finding], against: Iterable[Finding]) -> Iterator[Pair]:
    """Findings of two replays of one match, each beside the other's on the same matter."""
    theirs = {version: list(group) for version, group in groupby(against, _version)}
    ours = {version: list(group) for version, group in groupby(rules, _version)}
    for version in sorted({*ours, *theirs}):
        left, right = ours.get(version, []), theirs.get(version, [])
        yield from sorted(_paired(left, right), key=lambda pair: pair.rules is None)


def _version(finding: Finding) -> int:
    return finding.version


def _paired(left: list[Finding], right: list[Finding]) -> Iterator[Pair]:
    """First what is alike in all, then by code and seat, by code, by matter; the rest alone."""
    for key in (_said, _code_and_seat, _code, _matter_and_seat, _matter):
        for one in list(left):
            other = next((other for other in right if key(other) == key(one)), None)
            if other is not None:
                left.remove(one)
                right.remove(other)
                yield Pair(one, other)
    yield from (Pair(one, None) for one in left)
    yield from (Pair(None, other) for other in right)


def _said(finding: Finding) -> Any:
    """What a finding says, whoever says it: all but the citation."""
    question = finding.ruling_required
    return (
        *(finding.code, finding.seat, finding.message, finding.severity, finding.ambiguity),
        *(finding.verified, question, None if question is None else finding.answered_by),
    )


def _code_and_seat(finding: Finding) -> Any:
    return finding.code, finding.seat


def _code(finding: Finding) -> Any:
    return finding.code


def _matter_and_seat(finding: Finding) -> Any:
    return _matter(finding), finding.seat


def _matter(finding: Finding) -> Any:
    """The noun that the code begins with: `penalty-points` and `penalty-question` are one."""
    return finding.code.partition("-")[0]


def _pair_json(pair: Pair, one: Replay, other: Replay) -> dict[str, Any]:
    return {
        "version": pair.version,
        "rules": _finding_json(pair.rules, one),
        "against": _finding_json(pair.against, other),
        "cited": {
            "rules": _cited(pair.rules, one, pair, other),
            "against": _cited(pair.against, other, pair, one),
        },
    }


def _cited(
    finding: Finding | None, shown: Replay, pair: Pair, opposite: Replay
) -> dict[str, Any] | None:
    """Where a rule set says what it says to the matter, finding or not; None = it says nothing."""
    said = _unfound(pair, shown, opposite) if finding is None else finding
    return None if said is None else {"rule_set": shown.rules.profile.id, "section": said.section}


def _finding_json(finding: Finding | None, shown: Replay) -> dict[str, Any] | None:
    if finding is None:
        return None
    return {**finding.as_json(), "ruled": reading_of(finding, shown)}


def _outcome(shown: Replay) -> dict[str, Any]:
    """Where the match stands, as this rule set has it."""
    score, cube, won = shown.state.score, shown.state.cube, shown.state.judged.outcome
    return {
        "score": {"one": score.score.one, "two": score.score.two},
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
        said = _unfound(pair, shown, opposite)
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


def _unfound(pair: Pair, shown: Replay, opposite: Replay) -> Answer | None:
    """What the rule set that finds nothing was asked on the matter, and answered; None = nothing.

    It is the latest answer of the fold that made the other's finding, if it was given just here.
    """
    finding = pair.rules or pair.against
    ours, theirs = shown.step_at(pair.version), opposite.step_at(pair.version)
    if finding is None or ours is None or theirs is None:
        return None
    for name in Judged.__struct_fields__:
        made = _given_at(theirs, name)
        answer = _given_at(ours, name)
        if made is not None and made.section == finding.section and answer is not None:
            return answer
    return None


def _given_at(step: Step, fold: str) -> Answer | None:
    """The answer that a fold was given at a step; None = it asked nothing there."""
    before, after = getattr(step.before.judged, fold), getattr(step.after.judged, fold)
    return None if before is after else getattr(after, "answer", None)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['one']}-{value['two']}"
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nobody" if value is None else str(value).replace("_", " ")
