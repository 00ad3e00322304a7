"""Whether a tablet will work offline: certificates, file modes of keys, the server's answers."""

from __future__ import annotations

import datetime
import re
import ssl
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from api.hall.addresses import address_of
from api.hall.authority import is_private, subjects_of

PATIENCE_S = 10.0

NEAR_END = datetime.timedelta(days=30)

_KEPT = re.compile(r"^const FILES = (\[.*?\]);$", re.M)


class Told(msgspec.Struct, frozen=True):
    """The result of one check."""

    name: str
    is_well: bool
    message: str
    """What was found and, if something is wrong, what to do."""


def of_papers(folder: Path, wanted: Sequence[str], now: datetime.datetime) -> Iterator[Told]:
    """Checks the archive's own certificates in their folder; nothing is changed."""
    paths = [folder / name for name in ("authority.pem", "authority.key", "server.pem")]
    missing = [path.name for path in paths if not path.exists()]
    if missing:
        lost = (
            f"{folder} lacks {', '.join(missing)}: put it back, or delete the folder to begin anew"
        )
        yield Told("certificate", False, lost)
        return
    try:
        authority = x509.load_pem_x509_certificate(paths[0].read_bytes())
        server = x509.load_pem_x509_certificates(paths[2].read_bytes())[0]
        server.verify_directly_issued_by(authority)
    except (OSError, ValueError, TypeError, InvalidSignature) as error:
        yield Told("certificate", False, f"{folder} cannot be used: {error}")
        return
    loose = [path for path in paths[1:] if not is_private(path)]
    if loose:
        told = ", ".join(str(path) for path in loose)
        yield Told("keys", False, f"others may read {told}: run `chmod 600` on it")
    else:
        yield Told("keys", True, "nobody else may read them")
    yield _lasting(folder, authority, server, now)
    # Trust is checked at a time when the certificate is valid; its dates are checked above.
    yield _names(authority, server, wanted, server.not_valid_before_utc)


def _lasting(
    folder: Path, authority: x509.Certificate, server: x509.Certificate, now: datetime.datetime
) -> Told:
    ends = min(server.not_valid_after_utc, authority.not_valid_after_utc)
    until = f"{ends:%Y-%m-%d}"
    if now < server.not_valid_before_utc:
        why = (
            f"this machine's clock says {now:%Y-%m-%d}, and it is valid from"
            f" {server.not_valid_before_utc:%Y-%m-%d}: set the clock, or, where that was ahead when"
            f" it was made, delete the folder {folder} to begin with a new authority"
        )
        return Told("certificate", False, why)
    if now >= ends:
        why = "start `tabularium serve` anew, which renews it, and check this machine's clock"
        return Told("certificate", False, f"it is not valid now (until {until}): {why}")
    if now >= ends - NEAR_END:
        why = "start `tabularium serve` anew, which renews it"
        return Told("certificate", False, f"it ends on {until}: {why}")
    return Told("certificate", True, f"valid until {until}, of this archive's own authority")


def _names(
    authority: x509.Certificate,
    server: x509.Certificate,
    wanted: Sequence[str],
    now: datetime.datetime,
) -> Told:
    """Whether a client that trusts the authority accepts the server by all its names of today."""
    refused = [subject for subject in wanted if not _is_taken(authority, server, subject, now)]
    if not refused:
        return Told("addresses", True, f"it is for {', '.join(subjects_of(server))}")
    lacking = [subject for subject in refused if subject not in subjects_of(server)]
    if lacking:
        why = "start `tabularium serve` anew, which adds what the authority may vouch for"
        return Told("addresses", False, f"it is not for {', '.join(lacking)}: {why}")
    why = "the authority may not vouch for it: name a certificate of your own with --certificate"
    return Told("addresses", False, f"no tablet takes {', '.join(refused)}: {why}")


def _is_taken(
    authority: x509.Certificate, server: x509.Certificate, subject: str, now: datetime.datetime
) -> bool:
    address = address_of(subject)
    name = x509.DNSName(subject) if address is None else x509.IPAddress(address)
    policy = PolicyBuilder().store(Store([authority])).time(now)
    try:
        policy.build_server_verifier(name).verify(server, [])
    except VerificationError:
        return False
    return True


def of_server(secure_url: str, authority: Path | None) -> Iterator[Told]:
    """What a tablet meets at a running server: the handshake, the page, every file it caches."""
    trusting = ssl.create_default_context()
    if authority is not None:
        trusting.load_verify_locations(authority)
    try:
        # Without a proxy of the environment, because tablets connect directly.
        with httpx.Client(
            base_url=secure_url, verify=trusting, timeout=PATIENCE_S, trust_env=False
        ) as client:
            yield from _served(client, secure_url)
    except httpx.HTTPError as error:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            why = (
                "this machine does not trust the certificate: if tablets trust its authority, that"
                " is as it should be; else leave out --certificate"
                if authority is None
                else "start `tabularium serve` anew"
            )
            yield Told("tablets", False, f"{secure_url} is not trusted: {why}")
        else:
            why = "is this machine in the hall's network, and does its firewall let the port in?"
            yield Told("tablets", False, f"{secure_url} does not answer over https: {why}")


def _served(client: httpx.Client, secure_url: str) -> Iterator[Told]:
    page = client.get("/tablet")
    worker = client.get("/sw.js")
    kept = _KEPT.search(worker.text)
    if page.status_code != 200 or worker.status_code != 200 or kept is None:
        yield Told("tablets", False, f"{secure_url}/tablet or /sw.js is not served: install anew")
        return
    files: list[str] = msgspec.json.decode(kept[1], type=list[str])
    lost = [file for file in files if client.get(file).status_code != 200]
    if lost:
        message = f"{len(lost)} of {len(files)} files of the tablet are not served: install anew"
        yield Told("tablets", False, message)
        return
    yield Told(
        "tablets",
        True,
        f"{secure_url}/tablet is a secure context for who trusts the certificate, and all"
        f" {len(files)} files that a tablet keeps are served: it works offline",
    )
