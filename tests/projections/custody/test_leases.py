"""Leases: which device records which match, folded from a tournament's stream."""

from __future__ import annotations

import itertools

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from events.envelope import Basis, RecordedEvent
from events.payloads.access import AccessGranted, AccessRevoked, Device, Role, Scope, ScopeKind
from events.payloads.base import Payload
from events.payloads.custody import BranchResolved, LeaseEnded, LeaseGranted
from events.payloads.tournament import TournamentClosed
from projections.custody.leases import BoundDevice, Lease, Leases, fold_leases
from tests.projections.table import ENTRY

LOG = "open-2026"
KEY = "t+8mVNm1S3vCq0vV9q6m3mI6oXn1cHVU8Q6oQb4yZ5E="


def _events(*payloads: Payload) -> list[RecordedEvent]:
    return [
        RecordedEvent(at, ENTRY.format(at), "x", Basis.OBSERVED, payload, LOG, "tournament")
        for at, payload in enumerate(payloads, 1)
    ]


def _granted(device: str, *, epoch: int = 1, token: int = 1) -> AccessGranted:
    return AccessGranted(
        token_sha256=f"{token:064x}",
        role=Role.SCRIBE,
        scope=Scope(kind=ScopeKind.LOG),
        device=Device(id=device, public_key=KEY, epoch=epoch),
    )


def _lease(number: int, device: str, match: str = "m1") -> LeaseGranted:
    return LeaseGranted(lease=number, device=device, match=match)


def _fold(*payloads: Payload) -> Leases:
    return fold_leases(_events(*payloads))


def test_at_first_nobody_records_anything() -> None:
    leases = _fold(TournamentClosed())
    assert leases == Leases(version=1)
    assert leases.current("m1") is None
    assert leases.number("m1") == 0
    assert leases.device("t1") is None
    assert leases.streams_of("t1") == []


def test_a_grant_binds_a_device_with_its_key_and_epoch() -> None:
    leases = _fold(_granted("t1", epoch=3))
    bound = BoundDevice("t1", KEY, 3, ENTRY.format(1), f"{1:064x}")
    assert leases.device("t1") == bound
    assert leases.device_of(f"{1:064x}") == bound


def test_a_grant_without_a_device_binds_none() -> None:
    plain = AccessGranted(
        token_sha256=f"{9:064x}", role=Role.SCRIBE, scope=Scope(kind=ScopeKind.LOG)
    )
    assert _fold(plain).device_of(f"{9:064x}") is None


def test_a_lease_is_held_by_one_device_for_one_match() -> None:
    leases = _fold(_granted("t1"), _lease(1, "t1"), _lease(1, "t1", "m2"))
    assert leases.current("m1") == Lease(1, "t1", "m1", 2, ENTRY.format(2))
    assert leases.streams_of("t1") == ["m1", "m2"]
    assert leases.current("m3") is None


def test_a_lease_said_anew_changes_what_a_screen_may_show_and_nothing_else() -> None:
    monitor = LeaseGranted(lease=1, device="t1", match="m1", profile="monitor")
    first = _fold(_granted("t1"), _lease(1, "t1")).current("m1")
    assert first is not None
    assert first.profile == "no_assist"
    allowed = _fold(_granted("t1"), _lease(1, "t1"), monitor)
    assert allowed.current("m1") == msgspec.structs.replace(first, profile="monitor")
    back = _fold(_granted("t1"), _lease(1, "t1"), monitor, _lease(1, "t1"))
    assert back.current("m1") == first
    elsewhere = msgspec.structs.replace(monitor, device="t2")
    assert _fold(_granted("t1"), _lease(1, "t1"), elsewhere).current("m1") == first
    ended = _fold(_granted("t1"), _lease(1, "t1"), LeaseEnded(lease=1, match="m1"), monitor)
    assert ended.current("m1") is None


def test_another_device_does_not_get_what_the_screen_of_the_last_one_might_show() -> None:
    monitor = LeaseGranted(lease=1, device="t1", match="m1", profile="monitor")
    taken = _fold(_granted("t1"), _granted("t2"), monitor, _lease(2, "t2")).current("m1")
    assert taken is not None
    assert taken.profile == "no_assist"


def test_a_takeover_replaces_the_holder_and_the_number_rises() -> None:
    leases = _fold(_lease(1, "t1"), LeaseEnded(lease=1, match="m1"), _lease(2, "t2"))
    held = leases.current("m1")
    assert held is not None
    assert (held.number, held.device) == (2, "t2")
    assert leases.streams_of("t1") == []


def test_numbers_are_counted_for_each_match_apart() -> None:
    leases = _fold(_lease(1, "t1"), _lease(2, "t1"), _lease(1, "t1", "m2"))
    assert (leases.number("m1"), leases.number("m2")) == (2, 1)


def test_a_number_that_does_not_rise_gives_no_right() -> None:
    leases = _fold(_lease(2, "t1"), _lease(2, "t2"), _lease(1, "t3"))
    held = leases.current("m1")
    assert held is not None
    assert held.device == "t1"


def test_an_ended_lease_is_gone_and_its_number_stays_used() -> None:
    leases = _fold(_lease(1, "t1"), LeaseEnded(lease=1, match="m1"))
    assert leases.current("m1") is None
    assert leases.number("m1") == 1


def test_ending_an_older_lease_leaves_the_newer() -> None:
    leases = _fold(_lease(1, "t1"), _lease(2, "t2"), LeaseEnded(lease=1, match="m1"))
    held = leases.current("m1")
    assert held is not None
    assert held.number == 2


def test_revoking_the_grant_ends_the_leases_of_its_device_and_of_no_other() -> None:
    leases = _fold(
        _granted("t1", token=1),
        _granted("t2", token=2),
        _lease(1, "t1"),
        _lease(1, "t2", "m2"),
        AccessRevoked(target=ENTRY.format(1)),
    )
    assert leases.current("m1") is None
    assert leases.device("t1") is None
    assert leases.streams_of("t2") == ["m2"]


def test_a_revoked_device_is_still_known_by_its_token() -> None:
    leases = _fold(_granted("t1"), AccessRevoked(target=ENTRY.format(1)))
    known = leases.device_of(f"{1:064x}")
    assert known is not None
    assert known.id == "t1"


def test_a_higher_epoch_closes_the_old_one_and_keeps_the_lease() -> None:
    leases = _fold(_granted("t1", token=1), _lease(1, "t1"), _granted("t1", epoch=2, token=2))
    device = leases.device("t1")
    assert device is not None
    assert (device.epoch, device.token_sha256) == (2, f"{2:064x}")
    assert leases.streams_of("t1") == ["m1"]


def test_revoking_the_grant_of_a_closed_epoch_ends_nothing() -> None:
    leases = _fold(
        _granted("t1", token=1),
        _granted("t1", epoch=2, token=2),
        _lease(1, "t1"),
        AccessRevoked(target=ENTRY.format(1)),
    )
    assert leases.device("t1") is not None
    assert leases.streams_of("t1") == ["m1"]


def test_a_lower_epoch_does_not_come_back() -> None:
    leases = _fold(_granted("t1", epoch=2, token=2), _granted("t1", epoch=1, token=1))
    device = leases.device("t1")
    assert device is not None
    assert device.epoch == 2


def test_a_resolution_settles_the_entries_that_it_names() -> None:
    one, two, three = (ENTRY.format(at) for at in (101, 102, 103))
    leases = _fold(BranchResolved(match="m1", accepted=(one,), set_aside=(two,)))
    assert leases.settled == {one, two}
    assert three not in leases.settled


_PAYLOADS = st.one_of(
    st.builds(
        _granted,
        st.sampled_from(["t1", "t2"]),
        epoch=st.integers(1, 3),
        token=st.integers(1, 4),
    ),
    st.builds(
        lambda at: AccessRevoked(target=ENTRY.format(at)), st.integers(min_value=1, max_value=12)
    ),
    st.builds(
        _lease, st.integers(1, 4), st.sampled_from(["t1", "t2"]), st.sampled_from(["m1", "m2"])
    ),
    st.builds(LeaseEnded, lease=st.integers(1, 4), match=st.sampled_from(["m1", "m2"])),
)


@given(st.lists(_PAYLOADS, max_size=12), st.integers(0, 12))
def test_folding_on_is_folding_whole_and_twice_is_once(payloads: list[Payload], at: int) -> None:
    events = _events(*payloads)
    whole = fold_leases(events)
    assert fold_leases(events[at:], fold_leases(events[:at])) == whole
    assert fold_leases(events, whole) == whole


@given(st.lists(_PAYLOADS, max_size=12))
def test_the_number_in_force_is_the_highest_ever_given(payloads: list[Payload]) -> None:
    events = _events(*payloads)
    for before, after in itertools.pairwise(
        [fold_leases(events[:end]) for end in range(len(events) + 1)]
    ):
        for match in ("m1", "m2"):
            assert after.number(match) >= before.number(match)
            held = after.current(match)
            assert held is None or held.number == after.number(match)
