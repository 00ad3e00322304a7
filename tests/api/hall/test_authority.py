"""The archive's own authority: what it may sign for, for how long, and who may read its key."""

from __future__ import annotations

import datetime
import ipaddress
import plistlib
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from api.hall.addresses import address_of, addresses, is_loopback
from api.hall.authority import AuthorityBroken, Papers, is_private, prepare
from api.hall.offline import of_papers

NOW = datetime.datetime(2026, 3, 14, 12, tzinfo=datetime.UTC)
HALL = ["laptop", "laptop.local", "localhost", "127.0.0.1", "192.168.1.5"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive.sqlite.https"


def verified(papers: Papers, subject: str, *, at: datetime.datetime = NOW) -> bool:
    """Whether somebody who trusts the authority alone takes the server for `subject`."""
    address = address_of(subject)
    name = x509.DNSName(subject) if address is None else x509.IPAddress(address)
    policy = PolicyBuilder().store(Store([papers.authority])).time(at)
    try:
        policy.build_server_verifier(name).verify(papers.server, [])
    except VerificationError:
        return False
    return True


def test_who_trusts_the_authority_takes_the_server_by_every_name_and_address(
    folder: Path,
) -> None:
    papers = prepare(folder, HALL, now=NOW)
    assert papers.is_new
    assert papers.is_renewed
    assert papers.left_out == ()
    assert all(verified(papers, subject) for subject in HALL)
    assert not verified(papers, "192.168.1.6")
    assert not verified(papers, "other.local")


def test_the_authority_and_the_certificate_are_kept_from_start_to_start(folder: Path) -> None:
    first = prepare(folder, HALL, now=NOW)
    again = prepare(folder, HALL, now=NOW + datetime.timedelta(days=300))
    assert not again.is_new
    assert not again.is_renewed
    assert (again.authority, again.server) == (first.authority, first.server)
    # Nothing is to be made: a folder that takes no file will do.
    (folder / ".lock").unlink()
    (folder / ".lock").mkdir()
    assert prepare(folder, HALL, now=NOW).authority == first.authority


def test_a_new_address_renews_the_certificate_and_keeps_the_authority(folder: Path) -> None:
    first = prepare(folder, HALL, now=NOW)
    moved = prepare(folder, ["laptop", "10.20.30.40"], now=NOW)
    assert moved.is_renewed
    assert not moved.is_new
    assert moved.authority == first.authority
    assert verified(moved, "10.20.30.40")
    # What the laptop was called in the hall before it is still called there.
    assert verified(moved, "192.168.1.5")
    assert not prepare(folder, HALL, now=NOW).is_renewed


def test_a_certificate_near_its_end_is_renewed_and_lasts_no_longer_than_browsers_take(
    folder: Path,
) -> None:
    first = prepare(folder, HALL, now=NOW)
    lasts = first.server.not_valid_after_utc - first.server.not_valid_before_utc
    assert lasts <= datetime.timedelta(days=398)
    later = first.server.not_valid_after_utc - datetime.timedelta(days=10)
    again = prepare(folder, HALL, now=later)
    assert again.is_renewed
    assert again.authority == first.authority
    assert verified(again, "192.168.1.5", at=later + datetime.timedelta(days=300))


def test_no_certificate_outlives_its_authority_and_an_old_authority_is_replaced(
    folder: Path,
) -> None:
    first = prepare(folder, HALL, now=NOW)
    end = first.authority.not_valid_after_utc
    late = prepare(folder, HALL, now=end - datetime.timedelta(days=100))
    assert late.authority == first.authority
    assert late.server.not_valid_after_utc <= end
    replaced = prepare(folder, HALL, now=end - datetime.timedelta(days=5))
    assert replaced.is_new
    assert replaced.authority != first.authority


def test_a_clock_that_is_not_set_yet_costs_no_tablet_its_trust(folder: Path) -> None:
    first = prepare(folder, HALL, now=NOW)
    renewed = prepare(folder, HALL, now=NOW + datetime.timedelta(days=380))
    assert renewed.is_renewed
    for early in (NOW - datetime.timedelta(days=900), NOW + datetime.timedelta(days=10)):
        unset = prepare(folder, HALL, now=early)
        assert (unset.is_new, unset.is_renewed) == (False, False)
        assert (unset.authority, unset.server) == (first.authority, renewed.server)
        # An address added meanwhile is covered for clients whose clock is right.
        moved = prepare(folder, [*HALL, f"10.0.0.{early.day}"], now=early)
        assert moved.authority == first.authority
        assert verified(moved, f"10.0.0.{early.day}", at=NOW + datetime.timedelta(days=380))
        renewed = moved
        told = {one.name: one for one in of_papers(folder, HALL, early)}
        assert not told["certificate"].is_well
        assert "set the clock" in told["certificate"].message
        assert told["addresses"].is_well


def test_the_authority_vouches_for_local_networks_alone_and_makes_no_other(folder: Path) -> None:
    papers = prepare(folder, [*HALL, "archive.example.org", "203.0.113.9"], now=NOW)
    found = papers.authority.extensions
    constraints = found.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical
    assert (constraints.value.ca, constraints.value.path_length) == (True, 0)
    assert found.get_extension_for_class(x509.NameConstraints).critical
    # Names that the machine had when it was made are its own; later ones abroad are left out.
    assert verified(papers, "archive.example.org")
    later = prepare(folder, [*HALL, "bank.example", "8.8.8.8", "10.9.8.7"], now=NOW)
    assert later.left_out == ("bank.example", "8.8.8.8")
    assert verified(later, "10.9.8.7")
    for subject in ("bank.example", "8.8.8.8"):
        assert not verified(later, subject)
        assert not verified(_forged(later, subject), subject)
    assert verified(_forged(later, "other.local"), "other.local")


def _forged(papers: Papers, subject: str) -> Papers:
    """What somebody could make who has stolen the authority's key."""
    secret = (papers.folder / "authority.key").read_bytes()
    key = serialization.load_pem_private_key(secret, None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    address = address_of(subject)
    name = x509.DNSName(subject) if address is None else x509.IPAddress(address)
    own = papers.server.extensions
    builder = (
        x509.CertificateBuilder()
        .subject_name(papers.server.subject)
        .issuer_name(papers.authority.subject)
        .public_key(papers.server.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(papers.server.not_valid_before_utc)
        .not_valid_after(papers.server.not_valid_after_utc)
        .add_extension(x509.SubjectAlternativeName([name]), critical=False)
    )
    for extension in own:
        if not isinstance(extension.value, x509.SubjectAlternativeName):
            builder = builder.add_extension(extension.value, critical=extension.critical)
    server = builder.sign(key, hashes.SHA256())
    return Papers(papers.folder, papers.authority, server, False, False, ())


def test_nobody_else_may_read_the_keys_and_loose_modes_are_put_right(folder: Path) -> None:
    prepare(folder, HALL, now=NOW)
    secrets = [path for path in folder.iterdir() if b"PRIVATE KEY" in path.read_bytes()]
    assert {path.name for path in secrets} == {"authority.key", "server.pem"}
    assert {path.stat().st_mode & 0o777 for path in secrets} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    for path in secrets:
        path.chmod(0o644)
    prepare(folder, HALL, now=NOW)
    assert all(is_private(path) for path in secrets)


@pytest.mark.parametrize("lost", ["authority.pem", "authority.key"])
@pytest.mark.parametrize("how", ["gone", "garbled", "another's"])
def test_an_authority_of_which_half_is_lost_is_never_silently_replaced(
    folder: Path, tmp_path: Path, lost: str, how: str
) -> None:
    prepare(folder, HALL, now=NOW)
    prepare(tmp_path / "other", HALL, now=NOW)
    match how:
        case "gone":
            (folder / lost).unlink()
        case "garbled":
            (folder / lost).write_bytes(b"no certificate, no key")
        case _:
            (folder / lost).write_bytes((tmp_path / "other" / lost).read_bytes())
    with pytest.raises(AuthorityBroken, match="every tablet has to trust anew"):
        prepare(folder, HALL, now=NOW)


def test_a_first_start_that_was_killed_behind_its_key_begins_anew(folder: Path) -> None:
    prepare(folder, HALL, now=NOW)
    for name in ("authority.pem", "server.pem"):
        (folder / name).unlink()
    assert prepare(folder, HALL, now=NOW).is_new


def test_servers_that_begin_at_once_have_one_authority(folder: Path) -> None:
    together = threading.Barrier(4)

    def begun(_: int) -> Papers:
        together.wait()
        return prepare(folder, HALL, now=NOW)

    with ThreadPoolExecutor(4) as pool:
        papers = list(pool.map(begun, range(4)))
    assert len({one.fingerprint for one in papers}) == 1
    assert sorted(one.is_new for one in papers) == [False, False, False, True]


@pytest.mark.parametrize("left", [b"", b"garbled", None])
def test_a_lost_server_certificate_is_made_again(folder: Path, left: bytes | None) -> None:
    first = prepare(folder, HALL, now=NOW)
    if left is None:
        (folder / "server.pem").unlink()
    else:
        (folder / "server.pem").write_bytes(left)
    again = prepare(folder, HALL, now=NOW)
    assert again.is_renewed
    assert again.authority == first.authority
    assert verified(again, "laptop.local")


def test_a_profile_for_the_ipad_carries_the_authority_and_replaces_itself(folder: Path) -> None:
    papers = prepare(folder, HALL, now=NOW)
    made = [plistlib.loads(papers.profile(title="In this hall", about="…")) for _ in range(2)]
    assert made[0] == made[1]
    [content] = made[0]["PayloadContent"]
    assert content["PayloadType"] == "com.apple.security.root"
    assert content["PayloadContent"] == papers.authority.public_bytes(serialization.Encoding.DER)
    assert len({made[0]["PayloadUUID"], content["PayloadUUID"]}) == 2


def test_the_machines_own_addresses_are_found() -> None:
    found = addresses()
    assert ipaddress.ip_address("127.0.0.1") in found
    assert len(set(found)) == len(found)
    assert is_loopback("127.0.0.1")
    assert is_loopback("LOCALHOST")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("192.168.1.5")
    assert address_of("::ffff:10.0.0.1") == address_of("10.0.0.1")
