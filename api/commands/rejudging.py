"""`tabularium judge --all`: every match of the archive under one rule set, by processes."""

from __future__ import annotations

import contextlib
import importlib.metadata
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import typer

from api.archive.rule_texts import texts_of
from api.commands.common import checked_log, reading, settings_of
from api.commands.printing import INTERRUPTED, REFUSED, counted, line, progress, safe, say, show
from api.publishing.engines import LocalEngine
from api.rejudged.pieces import Judging, Key, Piece, judged, listed, planned
from api.rejudged.report import Head, Report, going_on
from api.rejudged.verdicts import Reading, Totals, Verdict, totals_of
from projections.rules.sentences import mark_of

NAMED = 20
"""Most matches that are listed on a terminal; a report or --json lists all."""

_VERDICT = msgspec.json.Decoder(Verdict)


def judge_all(
    *,
    db: str | None,
    log: str | None,
    rules: str | None,
    against: str | None,
    to: Path | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Judge every match, tell what it comes to, and keep it in the report `to`, if one is named.

    Errors: LedgerError, OSError.
    """
    settings = settings_of(db)
    in_hand = texts_of(settings).in_hand()
    asked = Judging(url=settings.db, rules=rules, against=against, in_hand=in_hand)
    head = Head(
        rules=rules,
        against=against,
        program=importlib.metadata.version("tabularium-backgammon"),
        sentences=mark_of(in_hand),
    )
    log_id = None if log is None else checked_log(log)
    with _report(to, head) as report:
        with reading(db) as shelf:
            there = listed(shelf.archive.store, log_id)
        verdicts = {} if report is None else report.of(there)
        wanted = {key: size for key, size in there.items() if not _is_known(verdicts, key, size)}
        if verdicts:
            say(f"going on: {counted(len(there) - len(wanted), 'match', 'matches')} judged before")
        try:
            for verdict in _judged(planned(wanted, asked), report, workers):
                verdicts[verdict.log_id, verdict.match_id] = verdict
        except KeyboardInterrupt:
            if to is not None:
                say(f"stopped: what was judged stands in {safe(to)}; the same command goes on")
            raise typer.Exit(INTERRUPTED) from None
    totals = totals_of(verdicts.values())
    if as_json:
        _tell_json(verdicts.values(), totals, head, to)
    else:
        _tell(verdicts.values(), totals, head, to)
    if totals.unreadable:
        raise typer.Exit(REFUSED)


def _is_known(verdicts: Mapping[Key, Verdict], key: Key, size: int) -> bool:
    known = verdicts.get(key)
    return known is not None and known.version == size


@contextlib.contextmanager
def _report(to: Path | None, head: Head) -> Iterator[Report | None]:
    if to is None:
        yield None
        return
    with going_on(to, head) as report:
        yield report


def _judged(
    pieces: Sequence[Piece], report: Report | None, workers: int | None
) -> Iterator[Verdict]:
    with progress() as bar:
        task = bar.add_task("judging", total=sum(piece.entries for piece in pieces))
        for piece, lines in zip(pieces, LocalEngine(workers).map(judged, pieces), strict=True):
            yield from map(_VERDICT.decode, lines) if report is None else report.take(lines)
            bar.advance(task, piece.entries)


def _tell_json(verdicts: Collection[Verdict], totals: Totals, head: Head, to: Path | None) -> None:
    """Every verdict, unless they are in the report; then the totals."""
    if to is None:
        for verdict in verdicts:
            line(msgspec.to_builtins(verdict))
    asked = {"rules": head.rules, "against": head.against}
    line(
        {**asked, "report": None if to is None else str(to), "totals": msgspec.to_builtins(totals)}
    )


def _tell(verdicts: Collection[Verdict], totals: Totals, head: Head, to: Path | None) -> None:
    rules = head.rules or "each match's own rule set"
    against = f", against {head.against}" if head.against else ""
    matches = counted(totals.matches, "match", "matches")
    show(f"{matches}, {counted(totals.entries, 'entry', 'entries')} judged: {rules}{against}")
    found = counted(totals.findings, "finding")
    within = counted(totals.with_findings, "match", "matches")
    show(f"  {found} in {within}, {counted(totals.open_questions, 'open question')}")
    for code, count in totals.codes.items():
        show(f"    {count:>9,}  {code}")
    if head.against:
        show(f"  {counted(totals.differing, 'match differs', 'matches differ')} in what is found")
        ending = counted(totals.ending_otherwise, "match ends", "matches end")
        show(f"  {ending} otherwise: by score, winner, or how it was won")
        _name([_ends(one) for one in verdicts if one.ends_otherwise], to)
    _name_unreadable(verdicts)
    if to is not None:
        show(f"  each match stands in {safe(to)}")


def _name(told: Sequence[str], to: Path | None) -> None:
    for text in told[:NAMED]:
        show(f"    {text}")
    if len(told) > NAMED:
        where = "--json or --to FILE names all" if to is None else "the report names all"
        show(f"    and {len(told) - NAMED:,} more: {where}")


def _ends(verdict: Verdict) -> str:
    one, other = verdict.judged, verdict.against
    assert one is not None, "a match that ends otherwise was judged"
    assert other is not None, "and by both"
    return f"{verdict.match_id}  (log {verdict.log_id}): {_end(one)}, {_end(other)}"


def _end(judged: Reading) -> str:
    won = "nobody has won" if judged.winner is None else f"{judged.winner} has won"
    return f"{judged.score.one}-{judged.score.two} and {won} by {judged.rules}"


def _name_unreadable(verdicts: Collection[Verdict]) -> None:
    for one in verdicts:
        if one.unreadable is not None:
            where = f"match {one.match_id} of log {one.log_id}"
            say(f"left out: {where} cannot be judged: {safe(one.unreadable)}", "red")
