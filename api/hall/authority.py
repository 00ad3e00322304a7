"""A certificate authority of this archive's own, and the server certificate that it signs.

The authority is made once and kept: a tablet that trusts it trusts every later server certificate.
It may sign for names and addresses of local networks only, and for no other authority.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import ipaddress
import os
import plistlib
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from api.hall.addresses import IpAddress, address_of, means_this_machine
from events.errors import LedgerError
from events.store.lock import alone

AUTHORITY_DAYS = 5 * 365
"""How long the authority lasts."""

SERVER_DAYS = 397
"""How long a server certificate lasts: Chromium accepts at most 398 days, iPadOS 825."""

RENEWED_DAYS = 45
"""A certificate that expires within this number of days is renewed at the next start."""

BACKDATED = datetime.timedelta(days=1)
"""Certificates are valid from this long ago, because a tablet's clock may be slow."""

CERTIFICATE_TYPE = "application/x-x509-ca-cert"
PROFILE_TYPE = "application/x-apple-aspen-config"

# RFC 1918, RFC 3927, RFC 6598, RFC 4193, RFC 4291: addresses that are not used on the internet.
_LOCAL_NETWORKS = tuple(
    ipaddress.ip_network(net)
    for net in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"),
        *("127.0.0.0/8", "fc00::/7", "fe80::/10", "::1/128"),
    )
)

# RFC 6762, RFC 8375, and names that routers use for local networks.
_LOCAL_NAMES = ("local", "localhost", "lan", "home.arpa", "internal")


class AuthorityBroken(LedgerError):
    """The files of the authority cannot be used; the message says what to do."""


class Papers(msgspec.Struct, frozen=True):
    """The authority and the current server certificate, and the folder of their files."""

    folder: Path
    """The folder of `authority.pem`, `authority.key` and `server.pem` (key and chain)."""
    authority: x509.Certificate
    server: x509.Certificate
    is_new: bool
    """Whether the authority was made at this start, so that no tablet trusts it yet."""
    is_renewed: bool
    """Whether the server certificate was made at this start."""
    left_out: tuple[str, ...]
    """Names and addresses for which the authority may not sign."""

    @property
    def chain_file(self) -> Path:
        """PEM file with the server's key, its certificate and the authority's."""
        return self.folder / "server.pem"

    @property
    def authority_der(self) -> bytes:
        """The certificate that a tablet installs."""
        return self.authority.public_bytes(serialization.Encoding.DER)

    @property
    def authority_pem(self) -> bytes:
        """The same, as text."""
        return self.authority.public_bytes(serialization.Encoding.PEM)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the authority, in the form that systems show: `AB:CD:…`."""
        return fingerprint_of(self.authority)

    @property
    def name(self) -> str:
        """The name under which a tablet lists the authority."""
        return common_name(self.authority)

    @property
    def covered(self) -> frozenset[str]:
        """Names and addresses that the server certificate is for."""
        return frozenset(subjects_of(self.server))

    def profile(self, *, title: str, about: str) -> bytes:
        """A configuration profile with which iPadOS and macOS install the authority."""
        # Always the same ids, so that a profile that is installed again replaces the old one.
        ids = [str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.fingerprint} {part}")) for part in "ab"]
        content = {
            "PayloadType": "com.apple.security.root",
            "PayloadVersion": 1,
            "PayloadIdentifier": f"tabularium.authority.{ids[0]}",
            "PayloadUUID": ids[0].upper(),
            "PayloadDisplayName": self.name,
            "PayloadCertificateFileName": "tabularium.crt",
            "PayloadContent": self.authority_der,
        }
        profile = {
            "PayloadType": "Configuration",
            "PayloadVersion": 1,
            "PayloadIdentifier": f"tabularium.{ids[1]}",
            "PayloadUUID": ids[1].upper(),
            "PayloadDisplayName": title,
            "PayloadDescription": about,
            "PayloadRemovalDisallowed": False,
            "PayloadContent": [content],
        }
        return plistlib.dumps(profile)


class Trust(msgspec.Struct):
    """How tablets come to trust this server."""

    plain_url: str
    """Where the instructions can be read without any trust, such as `http://192.168.1.5:8340`."""
    secure_url: str
    """The same server over https."""
    papers: Papers | None = None
    """The archive's own certificates; None if the organiser's certificate is used."""

    @property
    def page(self) -> str:
        """Address of the instructions."""
        return f"{self.plain_url}/trust"

    @property
    def is_for_others(self) -> bool:
        """Whether another device can reach that address."""
        return not means_this_machine(urlsplit(self.plain_url).hostname or "")


def fingerprint_of(certificate: x509.Certificate) -> str:
    """SHA-256 as pairs of hex digits."""
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def common_name(certificate: x509.Certificate) -> str:
    """The name of the certificate's subject."""
    [found] = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(found.value)


def subjects_of(certificate: x509.Certificate) -> list[str]:
    """Names and addresses that a certificate is for."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    names = found.get_values_for_type(x509.DNSName)
    return [*names, *map(str, found.get_values_for_type(x509.IPAddress))]


def prepare(folder: Path, subjects: Iterable[str], *, now: datetime.datetime) -> Papers:
    """The certificates for a server with these names and addresses; missing ones are made.

    The server certificate is renewed if it lacks a subject or is about to expire. It keeps its old
    subjects, so that alternating between two networks does not renew it each time. Errors:
    AuthorityBroken, OSError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # If two servers start at once, the second one finds what the first one has made.
    with alone(folder / ".lock"):
        return _prepared(folder, list(dict.fromkeys(subjects)), now)


def _prepared(folder: Path, wanted: Sequence[str], now: datetime.datetime) -> Papers:
    kept = _kept_authority(folder)
    server = None if kept is None else _kept_server(folder, kept[0])
    # A clock that is earlier than a certificate made by it is not set yet, as when a machine
    # without a battery starts before its network. What tablets trust is not replaced for that
    # reason.
    for begun in (None if kept is None else kept[0], server):
        now = now if begun is None else max(now, begun.not_valid_before_utc)
    is_new = kept is None or _ends_soon(kept[0], now)
    if kept is None or is_new:
        kept = _made_authority(folder, wanted, now)
    authority, key = kept
    possible = [one for one in wanted if may_vouch(authority, one)]
    left_out = tuple(one for one in wanted if one not in possible)
    server = None if is_new else server
    known = [] if server is None else subjects_of(server)
    if server is not None and set(possible) <= set(known) and not _ends_soon(server, now):
        return Papers(folder, authority, server, is_new, False, left_out)
    if server is not None:
        possible += [one for one in known if one not in possible][-16:]
    server = _made_server(folder, authority, key, possible, now)
    return Papers(folder, authority, server, is_new, True, left_out)


def may_vouch(authority: x509.Certificate, subject: str) -> bool:
    """Whether the authority's constraints allow it to sign for a name or an address."""
    try:
        # RFC 5280 4.2.1.10
        limits = authority.extensions.get_extension_for_class(x509.NameConstraints).value
    except x509.ExtensionNotFound:
        return True
    address = address_of(subject)
    for limit in limits.permitted_subtrees or ():
        if isinstance(limit, x509.IPAddress) and address is not None:
            if address in limit.value:  # type: ignore[operator]  # an IPAddress limit is a network
                return True
        elif (
            isinstance(limit, x509.DNSName)
            and address is None
            and f".{subject}".endswith(f".{limit.value}")
        ):
            return True
    return False


def is_private(path: Path) -> bool:
    """Whether only its owner may read a file; True on a system without file modes."""
    return os.name == "nt" or path.stat().st_mode & 0o077 == 0


def _kept_authority(folder: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None:
    paper, secret = folder / "authority.pem", folder / "authority.key"
    if not paper.exists() and not (secret.exists() and (folder / "server.pem").exists()):
        return None  # or a first start was stopped after writing the key: nobody has seen any of it
    advice = (
        f"delete the folder {folder} to begin with a new authority, which every tablet has to"
        " trust anew, or put the files back"
    )
    try:
        authority = x509.load_pem_x509_certificate(paper.read_bytes())
        key = serialization.load_pem_private_key(secret.read_bytes(), None)
    except FileNotFoundError as error:
        raise AuthorityBroken(f"{error.filename} is missing: {advice}") from None
    except ValueError:
        raise AuthorityBroken(f"{paper} or {secret} cannot be read: {advice}") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != (
        authority.public_key()
    ):
        raise AuthorityBroken(f"{secret} is not the key of {paper}: {advice}")
    if not is_private(secret):
        secret.chmod(0o600)
    return authority, key


def _kept_server(folder: Path, authority: x509.Certificate) -> x509.Certificate | None:
    path = folder / "server.pem"
    try:
        raw = path.read_bytes()
        [server, *_] = x509.load_pem_x509_certificates(raw)
        key = serialization.load_pem_private_key(raw, None)
        server.verify_directly_issued_by(authority)
    except (OSError, ValueError, TypeError, InvalidSignature):
        # It has no value by itself: another one is made.
        return None
    if key.public_key() != server.public_key():
        return None
    if not is_private(path):
        path.chmod(0o600)
    return server


def _made_authority(
    folder: Path, subjects: Iterable[str], now: datetime.datetime
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key()
    digest = hashlib.sha256(_spki(public)).hexdigest()
    # The end of the name tells two archives on one tablet apart.
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Tabularium"),
            x509.NameAttribute(NameOID.COMMON_NAME, f"Tabularium {now:%Y-%m-%d} {digest[:6]}"),
        ]
    )
    begins = now - BACKDATED
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + datetime.timedelta(days=AUTHORITY_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.NameConstraints(_permitted(subjects), None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .sign(key, hashes.SHA256())
    )
    # The key is written first: a certificate without its key could never be used.
    _write(folder / "authority.key", _secret(key), 0o600)
    _write(folder / "authority.pem", made.public_bytes(serialization.Encoding.PEM), 0o644)
    return made, key


def _permitted(subjects: Iterable[str]) -> list[x509.GeneralName]:
    """What the authority may sign for: local networks, and the names of this machine today."""
    found: list[x509.GeneralName] = [x509.IPAddress(net) for net in _LOCAL_NETWORKS]
    found += [x509.DNSName(name) for name in _LOCAL_NAMES]
    for one in subjects:
        address = address_of(one)
        if address is None:
            if not any(one == name or one.endswith(f".{name}") for name in _LOCAL_NAMES):
                found.append(x509.DNSName(one))
        elif not any(address in net for net in _LOCAL_NETWORKS):
            found.append(x509.IPAddress(ipaddress.ip_network(str(address))))
    return found


def _made_server(
    folder: Path,
    authority: x509.Certificate,
    issuer: ec.EllipticCurvePrivateKey,
    subjects: Iterable[str],
    now: datetime.datetime,
) -> x509.Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key()
    begins = max(now - BACKDATED, authority.not_valid_before_utc)
    ends = min(begins + datetime.timedelta(days=SERVER_DAYS), authority.not_valid_after_utc)
    named = [_general(one) for one in subjects]
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tabularium server")]))
        .issuer_name(authority.subject)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
        .add_extension(x509.SubjectAlternativeName(named), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.public_key()), critical=False
        )
        .sign(issuer, hashes.SHA256())
    )
    parts = (made, authority)
    chain = b"".join(part.public_bytes(serialization.Encoding.PEM) for part in parts)
    # One file, so that key and certificate are replaced together.
    _write(folder / "server.pem", _secret(key) + chain, 0o600)
    return made


def _general(subject: str) -> x509.GeneralName:
    address: IpAddress | None = address_of(subject)
    return x509.DNSName(subject) if address is None else x509.IPAddress(address)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _spki(public: ec.EllipticCurvePublicKey) -> bytes:
    return public.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _ends_soon(certificate: x509.Certificate, now: datetime.datetime) -> bool:
    return now + datetime.timedelta(days=RENEWED_DAYS) >= certificate.not_valid_after_utc


def _secret(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _write(path: Path, content: bytes, mode: int) -> None:
    """Replace a file as a whole; at no time can others read it."""
    beside = path.with_name(path.name + ".new")
    with contextlib.suppress(FileNotFoundError):
        beside.unlink()
    with open(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
