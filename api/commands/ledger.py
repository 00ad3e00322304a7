"""`tabularium fsck`: does the archive still say what was sealed?"""

from __future__ import annotations

import msgspec
import typer

from api.commands.common import Db, Json, reading
from api.commands.printing import REFUSED, counted, line, progress, safe, say, show
from events.store.fsck import FINDING_CODES, FsckFinding
from events.store.fsck import fsck as audit


def fsck(db: Db = None, as_json: Json = False) -> None:
    """Re-hash every entry, chain, head and disclosure, and check every signed checkpoint.

    The exit code is 1 when anything was found. It works beside a running server.
    """
    with reading(db) as shelf, progress() as bar:
        task = bar.add_task("checking", total=None)

        def moved(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        signing = shelf.archive.signing
        signed = None if signing is None else signing.keyring
        report = audit(shelf.archive.store, moved, signed=signed)
    for finding in report.findings:
        if as_json:
            line(msgspec.to_builtins(finding))
        else:
            show(_told(finding), "red")
    looked = (
        f"{counted(report.entries, 'entry', 'entries')} and"
        f" {counted(report.disclosures, 'disclosure')} in {counted(report.logs, 'log')}"
    )
    number = len(report.findings) + report.suppressed
    verdict = "all as sealed" if report.clean else f"{counted(number, 'finding')}"
    (say if as_json else show)(f"{looked}: {verdict}")
    if report.suppressed:
        say(f"only the first {len(report.findings):,} findings are listed")
    if not report.clean:
        raise typer.Exit(REFUSED)


def _told(finding: FsckFinding) -> str:
    places = [f"log {finding.log_id}"] if finding.log_id else []
    if finding.stream_id is not None:
        places.append(f"match {finding.stream_id}")
    if finding.global_position is not None:
        places.append(f"position {finding.global_position}")
    meaning = FINDING_CODES[finding.code]
    return f"{finding.code}: {', '.join(places)}: {safe(finding.message)} ({meaning})"
