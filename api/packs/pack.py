"""A committee's pack: of one case, what the rule set of its match gives whoever hears it.

It is a bundle (`evidence/bundle.py`), checked by the same scripts, and holds the match up to what
was issued, the other scribes' records of it, and one page that replays it without a network. Who is
shown what, `projections/views/showing.py` says. Where the players are secret, an entry that is not
known to be harmless is a leaf hash (`redaction.py`), and a log whose ids tell something is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable
from typing import NamedTuple

from api.archive.archive import Archive
from api.archive.files import FileStore
from api.archive.signing import note_of
from api.archive.words import is_erased
from api.desk.cases import Case, case_in, committee_showing, cut_of, second_recorders, version_of
from api.evidence.bundle import (
    FORMAT,
    NEEDED,
    Files,
    Signed,
    devices_of,
    drafts_of,
    linked,
    proofs_of,
    scripts,
    sent_of,
    signatures,
    with_manifest,
)
from api.evidence.evidence import kept_note, signing_of, tree_of
from api.evidence.files import zipped
from api.evidence.witnesses import NOBODY, policy_for
from api.packs.page import PAGE, page_of
from api.packs.redaction import is_harmless, is_random
from api.packs.view import Seen, view_of, without_score
from api.packs.words import readme_of
from api.refusals import Problem
from events.canonical import canonical
from events.catalogue import read
from events.envelope import TOURNAMENT_STREAM, StoredEvent
from events.payloads.appeal import AppealDecided, VoteCast, VoteDirectorCast, VoteSealed
from events.payloads.base import Payload
from events.payloads.dispute import EvidenceAttached
from events.personal import commitment_of, opened
from events.sealing.notes import Note, parse_checkpoint
from events.sealing.policy import Policy
from events.store.journal import Submitted
from projections.views.scenes import last_beside
from projections.views.scoreless import tells_score
from projections.views.showing import Showing, Why

FOLDER = "pack"
"""What the folder in a zip file is called: of every case the same."""

_CUSTODY = frozenset({"pack.issued", "pack.unsealed", "appeal.issued"})
"""What handing a pack out, or giving a case, records itself."""


class Pack(NamedTuple):
    """What a committee is handed."""

    case: Case
    files: Files
    through: int
    """Version of the last entry that it shows."""
    size: int
    """Entries of the log at the checkpoint that it is proved against."""

    @property
    def zip(self) -> bytes:
        """All of it as one file: the same case gives the same bytes."""
        return zipped(self.files, folder=FOLDER)

    @property
    def sha256(self) -> str:
        """Hash of that file: what `pack.issued` says."""
        return hashlib.sha256(self.zip).hexdigest()

    @property
    def page(self) -> bytes:
        """The page alone, which needs none of the other files."""
        return self.files[PAGE]

    def issued(self, to: str | None) -> dict[str, object]:
        """Body of the `pack.issued` that records that it was handed out."""
        through = self.case.live.recorded[self.through - 1].entry_id
        body: dict[str, object] = {
            "profile": self.case.rule_set,
            "through": through,
            "checkpoint_size": self.size,
            "bundle": self.sha256,
        }
        return body if not to else {**body, "to": to}


class Record(NamedTuple):
    """One scribe's record of the match, as far as the committee is shown it."""

    stream: str
    rows: list[StoredEvent]
    showing: Showing
    hidden: frozenset[int]
    """Versions of which the leaf hash alone is there."""

    @property
    def shown(self) -> list[StoredEvent]:
        return [row for row in self.rows if row.version not in self.hidden]


def packed(
    archive: Archive,
    log_id: str,
    case_id: str,
    *,
    policy: Policy = NOBODY,
    files: FileStore | None = None,
    hides_score: bool = False,
) -> Pack:
    """The pack of a case. Reads the store.

    `hides_score`: where the players are secret and the score would tell who they are, earlier games
    and whatever tells a score are leaf hashes (evidence §6); whether it would is a person's to say,
    here or when the case was given out.

    Errors: Problem where there is no case, nothing to show, or an id would tell who plays;
    NoSuchLog, RolledBack, Unverified.
    """
    found = case_in(archive.reading, log_id, case_id)
    check(found)
    last = last_of(found)
    records = records_of(archive, found, last)
    if hides_score and not found.is_blind:
        raise Problem(
            "case-conflict",
            f"under {found.rule_set} the committee learns who plays: the score is shown",
            why=("score_is_shown", called(found)),
        )
    hides_score = hides_score or found.hides_score
    if hides_score:
        records = [hiding_score(archive, found, one) for one in records]
    tournament = archive.store.read_stream(log_id, TOURNAMENT_STREAM)
    signed = _signed(archive, found, records, policy)
    sent: list[Submitted] = []
    if not found.is_blind:
        rows = [row for one in records for row in one.rows]
        sent = sent_of(archive.store, log_id, rows)
    devices = devices_of(tournament, {(one.device, one.epoch) for one in sent})
    let_in = {row.entry_id for row, _ in devices.values()}
    needed = _needed(tournament, signed.size, let_in, is_blind=found.is_blind)
    kept: list[StoredEvent] = [*needed, *(row for one in records for row in one.shown)]
    hidden = [row for one in records for row in one.rows if row.version in one.hidden]
    hidden += linked(tournament, needed)
    made: Files = {f"entries/{row.global_position}.json": bytes(row.sealed) for row in kept}
    made |= {f"withheld/{row.global_position}": row.leaf_hash.hex().encode() for row in hidden}
    made |= proofs_of(signed, [*kept, *hidden])
    for one in records:
        made |= disclosed(archive, log_id, one.shown, one.showing)
    made |= signatures(signed, None)
    made |= drafts_of("drafts", sent, {device: key for device, (_, key) in devices.items()})
    if not found.is_blind:
        made |= _files(archive, log_id, rows, files)
    told = _told(found, last, signed.size, records[0].hidden, hides_score=hides_score)
    made["bundle.json"] = canonical(told)
    made |= scripts()
    made["README"] += readme_of(told)
    view = view_of(archive, found, _seen(records), made, files)
    if hides_score:
        view = without_score(view)
    made[PAGE] = page_of(view, made)
    return Pack(found, with_manifest(made), last, signed.size)


def last_of(found: Case) -> int:
    """Version of the last entry that a pack shows: what was issued, else what stands now.

    Of a case that was never issued, as an import may hold one, all before its first ballot; where
    the first ruling is kept from the committee, what stood before it. Errors: Problem.
    """
    if found.through:
        return found.through
    if found.is_cut:
        return version_of(found.live, cut_of(found))
    voting = (VoteCast, VoteSealed, VoteDirectorCast, AppealDecided)
    last = 0
    is_filed = False
    for event in found.live.recorded[: found.live.version]:
        is_filed = is_filed or event.entry_id == found.case_id
        if is_filed and isinstance(event.payload, voting):
            break
        if event.tag not in _CUSTODY:
            last = event.version
    return last


def check(found: Case) -> None:
    """Refuse what no pack can be made of. Errors: Problem."""
    if not found.live.replay.rules.profile.hearing.knows_appeals:
        raise Problem(
            "case-conflict",
            f"{found.rule_set} has no appeals: there is nothing to show a committee",
            why=("no_appeals", called(found)),
        )
    if not found.is_blind:
        return
    opening = found.live.replay.opened
    named = {"log": found.log_id, "match": found.match_id}
    is_imported = opening is not None and opening.source is not None
    telling = [
        what
        for what, one in named.items()
        if not is_random(one) or (what == "match" and is_imported)
    ]
    if telling:
        # A member hears it as well: the ids themselves would lead to who plays.
        ids = " and ".join(f"the {what}'s id" for what in telling)
        raise Problem(
            "case-conflict",
            f"{ids} is part of every sealed entry, and may tell a committee under"
            f" {found.rule_set} who plays: no pack is made. Let the committee read the case at its"
            " desk, which shows no sealed entry. Tournaments and matches that are opened without an"
            " id of one's own get one by chance",
            why=("telling_id", called(found)),
            telling=telling,
        )


def called(found: Case) -> dict[str, object]:
    return {"rules": found.live.replay.rules.profile.title}


def records_of(archive: Archive, found: Case, last: int) -> list[Record]:
    """The match's own record, and those that other scribes kept of it."""
    beside = second_recorders(archive.reading, found.log_id, found.match_id)
    made = [_record(archive, found, found.match_id, last)]
    for stream in beside:
        live = archive.reading.live(found.log_id, stream)
        # By the turn, and not by when it came in: a tablet may send late what it recorded in time.
        until = last_beside(live.replay, found.live.replay.at(last))
        made.append(_record(archive, found, stream, until))
    return made


def _record(archive: Archive, found: Case, stream: str, last: int) -> Record:
    live = archive.reading.live(found.log_id, stream)
    cut = Why.FIRST_RULING if found.is_cut else None
    shown = committee_showing(archive.reading, found.log_id, live)
    # A pack stays what it was when it was handed out, whatever was unsealed since.
    shown = shown._replace(last=last, cut=cut, is_unsealed=False)
    rows = archive.store.read_stream(found.log_id, stream, limit=last)
    hidden: frozenset[int] = frozenset()
    if found.is_blind:
        hidden = frozenset(
            row.version for row in rows if not is_harmless(bytes(row.sealed), shown.marks)
        )
    return Record(stream, rows, shown, hidden)


def _signed(archive: Archive, found: Case, records: Iterable[Record], policy: Policy) -> Signed:
    """The checkpoint of when the case was given, which tells no hour after that.

    Not the newest: its size would say when the pack was made, and each pack would be another one.
    What witnesses have signed under it tells the time of day, and is left out where that is secret.
    """
    log_id = found.log_id
    rows = [row for one in records for row in one.rows]
    least = max(row.global_position for row in rows)
    for event in found.live.recorded:
        if event.entry_id == found.case_id or (
            event.tag == "appeal.issued" and event.payload.target == found.case_id  # type: ignore[attr-defined]
        ):
            least = max(least, event.global_position)
    sizes = [size for size in archive.store.checkpoint_sizes(log_id) if size > least]
    kept = archive.store.checkpoint(log_id, at_most=sizes[0]) if sizes else None
    note = kept_note(archive, log_id, reaching=least + 1) if kept is None else note_of(kept)
    keys = signing_of(archive).keyring.verifiers(log_id)
    if not keys:
        detail = "the public key of the log is not on this machine"
        raise Problem("case-conflict", detail, why=("no_key", {}))
    signers = note.verified(keys)
    key = next(one for one in keys if one in signers)
    whom = policy_for(archive, log_id, NOBODY if found.is_blind else policy)
    if found.is_blind:
        own = tuple(
            one for one in note.signatures if (one.name, one.key_id) == (key.name, key.key_id)
        )
        note = Note(note.text, own)
    size = parse_checkpoint(note.text).size
    return Signed(note, tree_of(archive, log_id, size), key, whom)


def _needed(
    tournament: Iterable[StoredEvent], size: int, let_in: Container[str], *, is_blind: bool
) -> list[StoredEvent]:
    """Entries of the tournament that the match stands on; its title among them, unless blind."""
    return [
        row
        for row in tournament
        if row.global_position < size
        and (row.tag in NEEDED or row.entry_id in let_in)
        and not (is_blind and not is_harmless(bytes(row.sealed)))
    ]


def disclosed(archive: Archive, log_id: str, rows: Iterable[StoredEvent], shown: Showing) -> Files:
    """The disclosures of entries that a reader is shown. Reads the store."""
    payloads = {row.global_position: (row.tag, read(row).payload) for row in rows}
    files: Files = {}
    raws = archive.store.disclosures_of(log_id, list(payloads))
    for place, found in raws.items():
        tag, payload = payloads[place]
        for raw in found:
            _, name, value = opened(raw)
            if shown.why(payload, tag, name, value) is None:
                files[f"disclosures/{commitment_of(raw)}.json"] = raw
    return files


def _files(
    archive: Archive, log_id: str, rows: Iterable[StoredEvent], files: FileStore | None
) -> Files:
    """Files that entries name by their hash, as far as they are here. Reads the disk."""
    found: Files = {}
    for row in rows:
        payload: Payload = read(row).payload
        if files is None or not isinstance(payload, EvidenceAttached):
            continue
        kept = files.find(log_id, payload.file)
        if kept is not None and not is_erased(archive.reading, log_id, payload.file):
            raw = kept.path.read_bytes()
            # Other bytes than were sent in are nobody's evidence: the file counts as missing.
            if hashlib.sha256(raw).hexdigest() == payload.file:
                found[f"files/{payload.file}"] = raw
    return found


def hiding_score(archive: Archive, found: Case, one: Record) -> Record:
    """A record whose earlier games are hashes, and every entry that tells a score."""
    shown = archive.reading.replay(found.log_id, one.stream, at=one.showing.last)
    return one._replace(hidden=one.hidden | tells_score(shown))


def _told(
    found: Case, last: int, size: int, hidden: frozenset[int], *, hides_score: bool
) -> dict[str, object]:
    """What `bundle.json` says: which case, how far, and what is left out by which rule."""
    hearing = found.live.replay.rules.profile.hearing
    cut: object = False
    if found.is_cut or hidden:
        why = [Why.FIRST_RULING.value] if found.is_cut else []
        why += ["score"] if hides_score else []
        cut = {"last": last, "why": why, "withheld": sorted(hidden)}
    return {
        "format": FORMAT,
        "log": found.log_id,
        "stream": found.match_id,
        "profile": found.rule_set,
        "first": 1,
        "last": last,
        "size": size,
        "cut": cut,
        "keeps_back": sorted(one.value for one in hearing.withholds),
        "unstated": sorted(one.value for one in hearing.unstated),
        "is_in_hand": hearing.is_in_hand,
        "section": hearing.section,
    }


def _seen(records: Iterable[Record]) -> list[Seen]:
    return [Seen(one.stream, one.showing, one.hidden) for one in records]
