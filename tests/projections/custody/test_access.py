"""Access: who may do what, folded from grants and revocations."""

from __future__ import annotations

import pytest

from events.envelope import ARCHIVE_LOG, Basis, RecordedEvent
from events.payloads.access import AccessGranted, AccessRevoked, Device, Role, Scope, ScopeKind
from events.payloads.tournament import TournamentClosed
from projections.custody.access import Access, Grant, fold_access
from tests.projections.table import ENTRY

LOG, MATCH = "open-2026", "match-7"


def _granted(version: int, role: str, kind: str = "log", *, token: int = 0, **members: object):  # type: ignore[no-untyped-def]
    log_id = members.pop("log_id", ARCHIVE_LOG if kind == "archive" else LOG)
    scope = Scope(kind=ScopeKind(kind), match=MATCH if kind == "match" else None)
    payload = AccessGranted(
        token_sha256=f"{token or version:064x}",
        role=Role(role),
        scope=scope,
        **members,  # type: ignore[arg-type]
    )
    return _event(version, payload, log_id=str(log_id))


def _event(version: int, payload: object, *, log_id: str = LOG) -> RecordedEvent:
    entry_id = ENTRY.format(version)
    return RecordedEvent(version, entry_id, "x", Basis.OBSERVED, payload, log_id, "tournament")


def _grant(role: str, kind: str = "log") -> Grant:
    access = fold_access([_granted(1, role, kind)])
    found = access.grant_of(f"{1:064x}")
    assert found is not None
    return found


def test_nobody_has_a_grant_at_first() -> None:
    assert fold_access([]).grant_of(f"{1:064x}") is None


def test_a_grant_says_role_scope_and_device() -> None:
    access = fold_access([_granted(1, "scribe", "match", device=Device(id="tablet-3"))])
    grant = access.grant_of(f"{1:064x}")
    assert grant == Grant(ENTRY.format(1), Role.SCRIBE, ScopeKind.MATCH, LOG, MATCH, "tablet-3")


def test_a_revoked_grant_is_gone_and_others_stay() -> None:
    events = [
        _granted(1, "scribe"),
        _granted(2, "director"),
        _event(3, AccessRevoked(target=ENTRY.format(1))),
    ]
    access = fold_access(events)
    assert access.grant_of(f"{1:064x}") is None
    assert access.grant_of(f"{2:064x}") is not None


def test_revoking_an_older_grant_leaves_the_newer_of_the_same_token() -> None:
    events = [
        _granted(1, "scribe", token=5),
        _granted(2, "viewer", token=5),
        _event(3, AccessRevoked(target=ENTRY.format(1))),
    ]
    grant = fold_access(events).grant_of(f"{5:064x}")
    assert grant is not None
    assert grant.role is Role.VIEWER


def test_other_entries_of_the_tournament_grant_nothing() -> None:
    access = fold_access([_event(1, TournamentClosed())])
    assert access == Access(version=1)


def test_folding_on_is_folding_whole_and_twice_is_once() -> None:
    events = [
        _granted(1, "scribe"),
        _granted(2, "director"),
        _event(3, AccessRevoked(target=ENTRY.format(1))),
        _granted(4, "viewer"),
    ]
    whole = fold_access(events)
    for cut in range(5):
        part = fold_access(events[:cut])
        assert fold_access(events[cut:], part) == whole
        assert fold_access(events, part) == whole


@pytest.mark.parametrize(
    ("kind", "this_match", "this_log", "other_log"),
    [
        ("archive", True, True, True),
        ("log", True, True, False),
        ("match", True, False, False),
    ],
)
def test_a_scope_reaches_as_far_as_it_says(
    kind: str, this_match: bool, this_log: bool, other_log: bool
) -> None:
    grant = _grant("viewer", kind)
    assert grant.covers(LOG, MATCH) is this_match
    assert grant.covers(LOG, "match-8") is (this_log or kind == "archive")
    assert grant.covers(LOG) is this_log
    assert grant.covers("club-night", MATCH) is other_log


def test_the_whole_archive_can_be_granted_in_its_own_log_alone() -> None:
    access = fold_access([_granted(1, "archivist", "archive", log_id=LOG)])
    assert access.grant_of(f"{1:064x}") is None


TAGS = (
    "dice.rolled",
    "entry.amended",
    "dispute.raised",
    "ruling.made",
    "penalty.assessed",
    "vote.cast",
    "vote.director_cast",
    "access.granted",
    "appeal.filed",
    "publication.released",
)


@pytest.mark.parametrize(
    ("role", "may"),
    [
        ("archivist", TAGS),
        ("director", TAGS),
        ("scribe", ("dice.rolled", "entry.amended", "dispute.raised", "appeal.filed")),
        ("committee", ()),
        ("viewer", ()),
    ],
)
def test_a_role_appends_what_is_its_own(role: str, may: tuple[str, ...]) -> None:
    grant = _grant(role)
    assert tuple(tag for tag in TAGS if grant.may_append(LOG, MATCH, tag)) == may
    assert not any(grant.may_append("club-night", MATCH, tag) for tag in TAGS)


def test_a_director_of_one_match_grants_nothing() -> None:
    grant = _grant("director", "match")
    assert grant.may_append(LOG, MATCH, "ruling.made")
    assert not grant.may_append(LOG, MATCH, "access.granted")


@pytest.mark.parametrize(
    ("role", "is_lenient"),
    [("archivist", True), ("director", True), ("scribe", False), ("viewer", False)],
)
def test_directors_and_archivists_record_what_cannot_be(role: str, is_lenient: bool) -> None:
    assert _grant(role).is_lenient is is_lenient
