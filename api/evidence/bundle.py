"""An evidence bundle: one match as files that a stranger checks with tools of his own.

    entries/12.json          sealed bytes, exact
    withheld/11              a leaf hash instead of them
    proofs/12.tlog-proof     that they are in the log
    disclosures/HASH.json    names and words, as far as they are shown
    checkpoint, policy       where the log stood, signed, and whose signatures count
    checkpoint.tsr, tsa.pem  a time-stamp over it, and whose
    log.vkey, log.pub.pem    the log's key
    consistency              from a checkpoint that somebody held before
    drafts/, devices/        what tablets wrote and signed
    parked/                  what they sent that became no entry: set aside, or waiting
    bundle.json, README, verify.sh, verify.py, MANIFEST.sha256

The same state gives the same bytes. Two profiles: `full` holds all that the archive holds, `public`
what anybody may read. What committees get is a pack.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Container, Iterable, Mapping
from importlib import resources
from typing import NamedTuple

import msgspec

from events.canonical import canonical
from events.catalogue import read
from events.envelope import TOURNAMENT_STREAM, StoredEvent
from events.errors import NoSuchStream, Unverified
from events.payloads.access import AccessGranted
from events.personal import commitment_of, opened
from events.sealing.devices import decoded
from events.sealing.notes import Note, VerifierKey, parse_checkpoint
from events.sealing.policy import Policy
from events.sealing.proofs import SUFFIX, EntryProof, Growth
from events.sealing.tree import Tree
from events.store.journal import Journaled, Submitted
from events.store.opening import LedgerStore
from projections.views.ballots import BALLOTS, holds_ballot

FORMAT = "tabularium-bundle@1"
"""What `bundle.json` calls the arrangement of files."""

FULL = "full"
"""All that the archive holds of the match."""

PUBLIC = "public"
"""What anybody may read: the players' names, and no other personal value."""

BARE = "bare"
"""No personal value at all."""

MANIFEST = "MANIFEST.sha256"

NEEDED = frozenset(
    {"tournament.opened", "tournament.rules_declared", "tournament.rules_varied", "key.rotated"}
)
"""Entries of the tournament that a match stands on: its rules, and the keys of its log."""

_SPKI = bytes.fromhex("302a300506032b6570032100")
"""What stands before an Ed25519 key in a public key file (RFC 8410)."""

Shows = Callable[[str], bool]
"""Whether a personal value of this name is shown."""

Files = dict[str, bytes]
"""Path with slashes to content."""


class Stamp(NamedTuple):
    """When an authority saw a checkpoint (RFC 3161)."""

    reply: bytes
    """As the authority answered."""
    certificates: bytes
    """Its root certificate and those between (PEM)."""


class Signed(NamedTuple):
    """A checkpoint, what proves against it, and whom to believe about it."""

    note: Note
    tree: Tree
    """At least as large as the checkpoint."""
    key: VerifierKey
    """The log's own, which signed the checkpoint."""
    policy: Policy
    stamp: Stamp | None = None
    """Over the text of this very note."""

    @property
    def size(self) -> int:
        """Entries of the log at the checkpoint."""
        return parse_checkpoint(self.note.text).size


_NAME = re.compile(r"players\.(?:one|two)\.\d+\.name")

PROFILES: Mapping[str, Shows] = {
    FULL: lambda name: True,
    PUBLIC: lambda name: _NAME.fullmatch(name) is not None,
    BARE: lambda name: False,
}
"""Profile to which personal values it shows."""


class Wanted(NamedTuple):
    """What is to be in a bundle."""

    log_id: str
    match_id: str
    profile: str = FULL
    """One of PROFILES; only `full` holds what tablets signed: it tells who recorded, and when."""
    since: int | None = None
    """Size of a checkpoint that somebody holds already."""
    last: int | None = None
    """Last version that is told; None = all that there is."""
    opens_ballots: bool = False
    """Whether the rule set makes single ballots public; else only `full` shows what they say."""


def bundle(store: LedgerStore, signed: Signed, wanted: Wanted) -> Files:
    """The files of a bundle.

    Errors: NoSuchStream; Unverified where the checkpoint does not reach to the match's last entry,
    or the log was never as long as `since`.
    """
    rows = store.read_stream(wanted.log_id, wanted.match_id, limit=wanted.last)
    if not rows:
        raise NoSuchStream(f"the log {wanted.log_id} has no match {wanted.match_id}")
    size = signed.size
    if rows[-1].global_position >= size:
        raise Unverified(
            f"the signed checkpoint of {size} entries is older than the match's last entry"
        )
    ballots = [] if wanted.profile == FULL or wanted.opens_ballots else _ballots(rows)
    hidden = {row.version for row in ballots}
    kept = [row for row in rows if row.version not in hidden]
    # The last version that a bundle names is one that it shows.
    rows = rows[: kept[-1].version]
    ballots = [row for row in ballots if row.version <= kept[-1].version]
    tournament = store.read_stream(wanted.log_id, TOURNAMENT_STREAM)
    sent: list[Submitted] = []
    parked: list[Journaled] = []
    if wanted.profile == FULL:
        sent = sent_of(store, wanted.log_id, rows)
        parked = _parked(store, wanted, {row.entry_id for row in rows})
    drafts = [*sent, *(one.submitted for one in parked)]
    devices = devices_of(tournament, {(one.device, one.epoch) for one in drafts})
    grants = {row.entry_id for row, _ in devices.values()}
    needed = [
        row
        for row in tournament
        if row.global_position < size and (row.tag in NEEDED or row.entry_id in grants)
    ]
    shown = [*needed, *kept]
    keys = {device: key for device, (_, key) in devices.items()}
    files: Files = drafts_of("drafts", sent, keys)
    files |= drafts_of("parked", (one.submitted for one in parked), keys)
    files |= {f"entries/{row.global_position}.json": bytes(row.sealed) for row in shown}
    beside = [*linked(tournament, needed), *ballots]
    files |= {f"withheld/{row.global_position}": row.leaf_hash.hex().encode() for row in beside}
    files |= proofs_of(signed, [*shown, *beside])
    # What a parked draft discloses stands at minus its number in the journal.
    places = [*(row.global_position for row in shown), *(-one.journal_id for one in parked)]
    raws = store.disclosures_of(wanted.log_id, places)
    files |= _disclosures(raws, PROFILES[wanted.profile])
    files |= signatures(signed, wanted.since)
    files["bundle.json"] = canonical(
        {
            "format": FORMAT,
            "log": wanted.log_id,
            "stream": wanted.match_id,
            "profile": wanted.profile,
            "first": 1,
            "last": rows[-1].version,
            "size": size,
            "cut": {"why": ["ballots"], "withheld": [row.version for row in ballots]}
            if ballots
            else False,
        }
    )
    files |= scripts()
    return with_manifest(files)


def _ballots(rows: Iterable[StoredEvent]) -> list[StoredEvent]:
    """Entries that say what a ballot says: sealed bytes cannot be blackened, so they are hashes."""
    held = []
    for row in rows:
        if row.tag in BALLOTS or row.tag == "entry.amended":
            body = msgspec.json.decode(row.sealed)["body"]
            if holds_ballot(row.tag, body):
                held.append(row)
    return held


def proofs_of(signed: Signed, rows: Iterable[StoredEvent]) -> Files:
    """A proof for each entry that it is in the log."""
    files: Files = {}
    for row in rows:
        path = tuple(signed.tree.inclusion(row.global_position, signed.size))
        proof = EntryProof(row.global_position, path, signed.note)
        files[f"proofs/{row.global_position}{SUFFIX}"] = proof.raw
    return files


def with_manifest(files: Files) -> Files:
    """The files in order, with the list of their hashes; disclosures are named by theirs."""
    listed = sorted(name for name in files if not name.startswith(("disclosures/", "unsealed/")))
    lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in listed]
    files[MANIFEST] = "".join(lines).encode()
    return dict(sorted(files.items()))


def scripts() -> Files:
    """What checks a bundle, and what it shows, in words."""
    folder = resources.files(__package__) / "scripts"
    return {name: (folder / name).read_bytes() for name in ("README", "verify.py", "verify.sh")}


def linked(
    tournament: Iterable[StoredEvent], needed: Iterable[StoredEvent]
) -> Iterable[StoredEvent]:
    """Entries that those shown name as the ones before them, and that are not shown."""
    by_version = {row.version: row for row in tournament}
    shown = {row.version for row in needed}
    for version in sorted(shown):
        if version > 1 and version - 1 not in shown:
            yield by_version[version - 1]


def _disclosures(raws: Mapping[int, list[bytes]], shows: Shows) -> Files:
    return {
        f"disclosures/{commitment_of(raw)}.json": raw
        for found in raws.values()
        for raw in found
        if shows(opened(raw)[1])
    }


def signatures(signed: Signed, since: int | None) -> Files:
    """The checkpoint, whom to believe, and the log's key. Errors: Unverified."""
    spki = base64.b64encode(_SPKI + signed.key.public).decode()
    files = {
        "checkpoint": signed.note.raw,
        "policy": str(signed.policy).encode(),
        "log.vkey": f"{signed.key}\n".encode(),
        "log.pub.pem": pem(spki),
    }
    if signed.stamp is not None:
        files["checkpoint.tsr"], files["tsa.pem"] = signed.stamp
    if since:
        if since > signed.size:
            raise Unverified(f"the log has {signed.size} entries: it never had {since}")
        path = tuple(signed.tree.consistency(since, signed.size))
        files["consistency"] = Growth(since, path, signed.note).raw
    return files


def pem(spki: str) -> bytes:
    """A public key file, from the base64 of its SubjectPublicKeyInfo (RFC 7468)."""
    return f"-----BEGIN PUBLIC KEY-----\n{spki}\n-----END PUBLIC KEY-----\n".encode()


Device = tuple[str, int]
"""A tablet's id and the epoch of its key."""


def sent_of(store: LedgerStore, log_id: str, rows: Iterable[StoredEvent]) -> list[Submitted]:
    """What tablets wrote, of the entries that came from them."""
    kept = store.submitted(log_id, [row.entry_id for row in rows])
    return [one.submitted for one in kept if one.outcome.is_chained]


def _parked(store: LedgerStore, wanted: Wanted, entries: Container[str]) -> list[Journaled]:
    """What tablets sent for the match that became none of its entries."""
    return [
        one
        for one in store.parked(wanted.log_id)
        if one.submitted.stream_id == wanted.match_id and one.submitted.entry_id not in entries
    ]


def devices_of(
    tournament: Iterable[StoredEvent], used: Container[Device]
) -> dict[Device, tuple[StoredEvent, str]]:
    """The entry that let in each tablet that was used, and its public key in base64."""
    found = {}
    for row in tournament:
        if row.tag != "access.granted":
            continue
        granted = read(row).payload
        device = granted.device if isinstance(granted, AccessGranted) else None
        if device is not None and device.public_key and (device.id, device.epoch) in used:
            found[device.id, device.epoch] = (row, device.public_key)
    return found


def drafts_of(folder: str, sent: Iterable[Submitted], keys: Mapping[Device, str]) -> Files:
    """What tablets wrote, and what they signed with the keys that they were let in with."""
    files: Files = {}
    for one in sent:
        digest = one.raw_sha256.hex()
        files[f"{folder}/{digest}.json"] = one.raw
        public = keys.get((one.device, one.epoch))
        if one.signature_state == "good" and public is not None:
            files[f"{folder}/{digest}.sig"] = one.signature
            spki = base64.b64encode(_SPKI + decoded(public)).decode()
            files[key_file(one.device, one.epoch)] = pem(spki)
    return files


def key_file(device: str, epoch: int) -> str:
    """Where a device's public key lies; its id may be anything, also what leads out of a folder."""
    if not _PLAIN.fullmatch(device):
        device = hashlib.sha256(device.encode()).hexdigest()
    return f"devices/{device}.{epoch}.pub.pem"


_PLAIN = re.compile(r"[A-Za-z0-9._-]+")
