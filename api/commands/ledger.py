"""`tabularium fsck`: a check that the archive still holds what was sealed."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from api.archive.archive import open_archive
from api.archive.rule_texts import texts_of
from api.commands.common import Db, Json, check_archive, keyring_of, settings_of
from api.commands.printing import REFUSED, counted, line, moving, safe, say, show
from api.operating.auditing import CODES, audit, audit_tables
from api.operating.parts import place_for
from api.operating.sights import SIGHTS, Seen
from api.operating.ways_out import ways_out
from api.settings import Settings
from events.errors import Damaged, LedgerError, NoArchive
from events.store.fsck import MAY_BE_INNOCENT, FsckFinding, FsckReport

Explain = Annotated[
    bool, typer.Option("--explain", help="Explain what it can detect and what it cannot, and end.")
]


def fsck(db: Db = None, as_json: Json = False, explain: Explain = False) -> None:
    """Re-hash every entry, draft and file, check signatures, and compute heads and lists again.

    The exit code is 1 if anything was found. It also works while a server runs.
    """
    if explain:
        _explain(as_json)
        return
    settings = settings_of(db)
    report = _audited(settings)
    for finding in report.findings:
        if as_json:
            line(msgspec.to_builtins(finding))
        else:
            show(_told(finding), "" if finding.code in MAY_BE_INNOCENT else "red")
    looked = (
        f"{counted(report.entries, 'entry', 'entries')} and"
        f" {counted(report.disclosures, 'disclosure')} in {counted(report.logs, 'log')}"
    )
    told_only = sum(one.code in MAY_BE_INNOCENT for one in report.findings)
    number = len(report.findings) - told_only + report.suppressed
    verdict = counted(number, "finding") if number else "all as sealed"
    if told_only:
        verdict += f"; {counted(told_only, 'value')} withheld"
    if as_json:
        line(
            {
                "all_as_sealed": not number,
                "findings": number,
                "withheld": told_only,
                "entries": report.entries,
                "disclosures": report.disclosures,
                "logs": report.logs,
            }
        )
    (say if as_json else show)(f"{looked}: {verdict}")
    if report.suppressed:
        say(f"only the first {len(report.findings):,} findings are listed")
    for told in ways_out(report.findings, settings.db):
        say(f"what to do: {safe(told)}")
    if number:
        raise typer.Exit(REFUSED)


def _audited(settings: Settings) -> FsckReport:
    report = _found(settings)
    # Messages about damage in all other commands refer to this one.
    findings = (
        msgspec.structs.replace(one, message=one.message.removesuffix(_LEADS_HERE))
        for one in report.findings
    )
    return msgspec.structs.replace(report, findings=tuple(findings))


_LEADS_HERE = ": run `tabularium fsck`"


def _found(settings: Settings) -> FsckReport:
    check_archive(settings)
    tables = audit_tables(settings.db)
    nothing = FsckReport(findings=tuple(tables), suppressed=0, logs=0, entries=0, disclosures=0)
    if any(one.code == "release" for one in tables):
        # The audit reads tables that another release may not have: it would call that damage.
        return nothing
    keyring = keyring_of(settings)
    try:
        archive = open_archive(
            settings.db,
            read_only=True,
            cached_matches=settings.cached_matches,
            keyring=keyring,
            in_hand=texts_of(settings).in_hand(),
        )
    except LedgerError as error:
        if not tables and not isinstance(error, Damaged):
            raise
        # The name of a missing table says more than that there is no ledger.
        return nothing if isinstance(error, NoArchive) else _with_reason(nothing, error)
    try:
        with moving("checking") as moved:
            report = audit(archive, keyring, place_for(settings), moved)
    finally:
        archive.close()
    return msgspec.structs.replace(report, findings=(*tables, *report.findings))


def _with_reason(report: FsckReport, error: LedgerError) -> FsckReport:
    kind = "" if isinstance(error, Damaged) else f"{type(error).__name__}: "
    reason = FsckFinding(code="unreadable", log_id="", message=f"{kind}{error}")
    return msgspec.structs.replace(report, findings=(*report.findings, reason))


def _explain(as_json: bool) -> None:
    if as_json:
        for one in SIGHTS:
            line({"change": one.change, "seen": one.seen.value, "told": one.told})
        return
    for seen in Seen:
        show(f"Seen {seen.value}:", "bold")
        for one in SIGHTS:
            if one.seen is seen:
                show(f"  {one.change}: {one.told}")
    show(
        "A checkpoint is what was signed last of a log, kept outside of the database: beside it"
        " (`.keys`), on another disk (TABULARIUM_CHECKPOINTS), by tablets and by witnesses."
    )


def _told(finding: FsckFinding) -> str:
    places = [f"log {finding.log_id}"] if finding.log_id else []
    if finding.stream_id is not None:
        places.append(f"match {finding.stream_id}")
    if finding.global_position is not None:
        places.append(f"position {finding.global_position}")
    place = f"{', '.join(places)}: " if places else ""
    return f"{finding.code}: {place}{safe(finding.message)} ({CODES[finding.code]})"
