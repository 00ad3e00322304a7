"""What a committee's pack withheld, once its appeal is decided: files to be put beside it."""

from __future__ import annotations

from api.archive.archive import Archive
from api.desk.cases import Case, case_in
from api.evidence.bundle import Files
from api.packs.pack import (
    Record,
    called,
    check,
    disclosed,
    hiding_score,
    last_of,
    packed,
    records_of,
)
from api.packs.redaction import is_harmless
from api.refusals import Problem
from events.envelope import RecordedEvent
from events.payloads.appeal import AppealIssued, PackIssued
from projections.views.showing import ANYTHING


def unsealed(
    archive: Archive, log_id: str, case_id: str, *, hides_score: bool = False
) -> tuple[Case, str, Files]:
    """(case, entry id of its last `pack.issued`, files that show what that pack withheld).

    Put into a pack's folder, they are checked with it. `hides_score`: the pack was handed out
    without its score, which is found out by itself unless something was erased since. Errors:
    Problem where the appeal is not decided, where another one of the match is open, and where
    nothing was withheld or handed out.
    """
    found = case_in(archive.reading, log_id, case_id)
    check(found)
    if not found.appeal.announced:
        raise Problem(
            "case-conflict",
            "the appeal is not decided: until it is, its committee does not learn who plays",
            why=("not_decided", {}),
        )
    if any(found.live.publicity.appeals):
        raise Problem(
            "case-conflict",
            "another appeal of this match is open: its committee must not learn this yet",
            why=("other_open", {}),
        )
    if not found.is_blind:
        detail = f"under {found.rule_set} a pack shows all names: there is nothing to unseal"
        raise Problem("case-conflict", detail, why=("nobody_kept", called(found)))
    last = last_of(found)
    issued = _issued(found, last)
    if not issued:
        detail = "no pack of this case was handed out: nothing is sealed"
        raise Problem("case-conflict", detail, why=("no_pack", {}))
    records = records_of(archive, found, last)
    hides_score = hides_score or found.hides_score
    hides_score = hides_score or _is_of_now(archive, found, issued[-1], hides_score=True)
    if any(ANYTHING in one.showing.marks for one in records) and not _is_of_now(
        archive, found, issued[-1], hides_score=hides_score
    ):
        # It was handed out while all names were known: fewer entries were hashes in it.
        records = [_as_checked(one) for one in records]
    if hides_score:
        records = [hiding_score(archive, found, one) for one in records]
    files: Files = {}
    for one in records:
        # All that the rule set had kept back for the sake of the names, and nothing more.
        shown = one.showing._replace(is_unsealed=True)
        before = disclosed(archive, log_id, one.shown, one.showing)
        after = disclosed(archive, log_id, one.rows, shown)
        files |= {name: raw for name, raw in after.items() if name not in before}
        files |= {
            f"unsealed/{row.global_position}.json": bytes(row.sealed)
            for row in one.rows
            if row.version in one.hidden
        }
    return found, issued[-1].entry_id, dict(sorted(files.items()))


def _issued(found: Case, last: int) -> list[RecordedEvent]:
    """The records of packs of this very case: a match may have several, and a pack names its cut.

    A record that names none, as one of paper may, is taken for any.
    """
    recorded = found.live.recorded
    cuts: set[str | None] = {
        event.payload.through
        for event in recorded
        if isinstance(event.payload, AppealIssued) and event.payload.target == found.case_id
    }
    cuts |= {None, recorded[last - 1].entry_id}
    return [
        event
        for event in recorded
        if isinstance(event.payload, PackIssued) and event.payload.through in cuts
    ]


def _is_of_now(archive: Archive, found: Case, issued: RecordedEvent, *, hides_score: bool) -> bool:
    """Whether a pack that is made now is the one that was handed out, with its score or without.

    Its record says its hash alone; the same case gives the same bytes, until something is erased.
    """
    assert isinstance(issued.payload, PackIssued)
    made = packed(archive, found.log_id, found.case_id, hides_score=hides_score)
    return made.sha256 == issued.payload.bundle


def _as_checked(one: Record) -> Record:
    """A record as a pack had it that was made before the name of a player was erased."""
    marks = one.showing.marks - {ANYTHING}
    hidden = (row.version for row in one.rows if not is_harmless(bytes(row.sealed), marks))
    return one._replace(hidden=frozenset(hidden))
