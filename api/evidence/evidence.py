"""Bundles of an open archive: the newest signed checkpoint of a log, and what proves against it."""

from __future__ import annotations

from api.archive.archive import Archive
from api.archive.leaves import leaf_pages
from api.archive.signing import Signing, note_of, signer_of
from api.evidence.bundle import Files, Signed, Stamp, Wanted, bundle
from api.evidence.stamps import Authority, Unstamped, stamped_at
from api.evidence.witnesses import NOBODY, policy_for
from events.errors import BadInput, RolledBack, Unverified
from events.sealing.notes import Note, parse_checkpoint
from events.sealing.policy import NONE, Policy
from events.sealing.tree import Tree

_LOOKED_BACK = 64
"""Checkpoints that are looked at for one that witnesses have signed: one is kept every second."""


def bundled(
    archive: Archive,
    wanted: Wanted,
    *,
    policy: Policy = NOBODY,
    authority: Authority | None = None,
    tree: Tree | None = None,
    note: Note | None = None,
    at_most: int | None = None,
) -> Files:
    """The files of a bundle; `tree` spares reading the whole log.

    Signed as the log stands now, unless a note that reaches as far as the match is at hand, or one
    of no more than `at_most` entries that the authority has stamped. Errors: NoSuchLog,
    NoSuchStream, RolledBack; Unverified where nothing here can sign the log.
    """
    signing = signing_of(archive)
    stamped = None
    if authority is not None:
        stamped = _stamped(archive, authority, wanted, at_most)
    if stamped is not None:
        note = stamped[0]
    elif note is None:
        reaching = _reach(archive, wanted)
        note = cosigned_note(archive, wanted.log_id, policy, reaching=reaching)
        note = note or standing_note(archive, wanted.log_id)
    keys = signing.keyring.verifiers(wanted.log_id)
    if not keys:
        raise BadInput(f"the public key of the log {wanted.log_id} is not here")
    signers = note.verified(keys)
    signed = Signed(
        note,
        tree or tree_of(archive, wanted.log_id, parse_checkpoint(note.text).size),
        next(key for key in keys if key in signers),
        policy_for(archive, wanted.log_id, policy),
        None if stamped is None else stamped[1],
    )
    hearing = archive.reading.live(wanted.log_id, wanted.match_id).replay.rules.profile.hearing
    return bundle(archive.store, signed, wanted._replace(opens_ballots=hearing.opens_ballots))


def signing_of(archive: Archive) -> Signing:
    """What signs the logs. Errors: Unverified where nothing does."""
    if archive.signing is None:
        raise Unverified("this archive was opened without the keys of its logs: nothing is signed")
    return archive.signing


def standing_note(archive: Archive, log_id: str) -> Note:
    """Where the log stands now, signed: kept only where the archive is written to.

    Errors: NoSuchLog, RolledBack; Unverified where nothing here can sign the log.
    """
    note = _note(archive, signing_of(archive), log_id)
    if note is None:
        raise Unverified(
            f"this machine has no key of the log {log_id}, and no checkpoint of it is kept: do this"
            " where the archive is written to, or put the keys back from their backup"
        )
    return note


def kept_note(
    archive: Archive, log_id: str, *, reaching: int = 1, at_most: int | None = None
) -> Note:
    """A checkpoint of at least so many entries: the newest that is kept, else a new one.

    `at_most`: of no more entries than this, and only a kept one. Reading signs nothing except what
    was appended in the last second. Errors: NoSuchLog, RolledBack; Unverified where nothing here
    can sign the log, or no checkpoint is kept between the two sizes.
    """
    signing = signing_of(archive)
    archive.store.log_head(log_id)
    archive.store.check_held(log_id)
    kept = archive.store.checkpoint(log_id, at_most=at_most)
    if kept is None or kept.size < reaching:
        kept = signing.keep(log_id) if at_most is None else None
    if kept is None and at_most is not None:
        raise Unverified(f"nothing is signed yet of what may be known of log {log_id}")
    if kept is None:
        raise Unverified(f"this machine has no key of the log {log_id}, and nothing was signed")
    return note_of(kept)


def cosigned_note(
    archive: Archive, log_id: str, policy: Policy, *, reaching: int = 1, at_most: int | None = None
) -> Note | None:
    """The newest kept checkpoint of at least so many entries that satisfies the policy.

    None where no witness is asked for, or too few have signed those that reach: witnesses are asked
    every few seconds, so that the last checkpoint before a server stops is often signed by none.
    Errors: RolledBack; Unverified where nothing here signs.
    """
    signing = signing_of(archive)
    whom = policy_for(archive, log_id, policy)
    if whom.quorum == NONE or not whom.logs:
        return None
    archive.store.check_held(log_id)
    for held in signing.check([log_id]):
        raise RolledBack(held.why)
    for _ in range(_LOOKED_BACK):
        kept = archive.store.checkpoint(log_id, at_most=at_most)
        if kept is None or kept.size < reaching:
            break
        note = note_of(kept)
        try:
            # What an older key alone has signed is for those who know that key still.
            note.verified(whom.logs[:1])
            whom.check(note)
        except Unverified:
            at_most = kept.size - 1
        else:
            return note
    return None


def tree_of(archive: Archive, log_id: str, size: int) -> Tree:
    """The tree over the first entries of a log, from their stored hashes."""
    tree = Tree()
    for page in leaf_pages(archive.store, log_id, 0, size):
        tree.extend(page)
    return tree


def _stamped(
    archive: Archive, authority: Authority, wanted: Wanted, at_most: int | None
) -> tuple[Note, Stamp] | None:
    """The newest checkpoint with a stamp, if it is the authority's and the match is under it.

    Errors: those of the store, RolledBack.
    """
    archive.store.check_held(wanted.log_id)
    kept = archive.store.stamped_checkpoint(wanted.log_id)
    if kept is None or kept.token is None or kept.size < (wanted.since or 0):
        return None
    if at_most is not None and kept.size > at_most:
        return None
    after = None if wanted.last is None else wanted.last - 1
    rows = archive.store.read_stream(wanted.log_id, wanted.match_id, after=after or 0)
    if not rows or rows[0 if after is not None else -1].global_position >= kept.size:
        return None
    note = note_of(kept)
    try:
        stamped_at(authority, kept.token, note.text.encode())
    except Unstamped:
        # Another authority's, of before: nobody who has this one's certificate could check it.
        return None
    return note, Stamp(kept.token, authority.pem)


def _reach(archive: Archive, wanted: Wanted) -> int:
    """How many entries a checkpoint must stand for to prove what is wanted; 1 = it is nothing."""
    rows = archive.store.read_stream(
        wanted.log_id,
        wanted.match_id,
        after=0 if wanted.last is None else wanted.last - 1,
        limit=None if wanted.last is None else 1,
    )
    return max(1, wanted.since or 0, rows[-1].global_position + 1 if rows else 0)


def _note(archive: Archive, signing: Signing, log_id: str) -> Note | None:
    """The newest checkpoint: kept where the archive is written to, else signed and not kept.

    One that is kept of the same entries goes before a new one: witnesses have signed under it.
    """
    if archive.writer is not None:
        kept = signing.keep(log_id)
        return None if kept is None else note_of(kept)
    note = signing.note(log_id)
    kept = archive.store.checkpoint(log_id)
    if kept is None:
        return note
    found = note_of(kept)
    if note is None:
        return found
    if found.text != note.text:
        return note
    own = {signer_of(one) for one in note.signatures}
    under = (one for one in found.signatures if signer_of(one) not in own)
    return Note(note.text, (*note.signatures, *under))
