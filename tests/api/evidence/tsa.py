"""A time-stamping authority: certificates made here, `openssl ts` behind a small HTTP server."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

REPLY_TYPE = "application/timestamp-reply"

CONFIG = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
accuracy = secs:1
"""

Reply = tuple[int, str, bytes]
"""Status, media type and body."""


class Tsa:
    """A time-stamping authority in a folder; `answer` decides how it answers a query."""

    def __init__(self, folder: Path, *, name: str = "Clock of Record", days: int = 30) -> None:
        self.folder = folder
        self.url = ""
        self.asked = 0
        self.answer: Callable[[bytes], Reply] = self.stamped
        now = datetime.now(UTC)
        root_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        root = _certificate(name, root_key, name, root_key, now - timedelta(days=400), None)
        begin = now - timedelta(days=300)
        end = now + timedelta(days=days)
        leaf = _certificate(f"{name} 1", key, name, root_key, begin, end)
        self.root = folder / "root.pem"
        self.root.write_bytes(root.public_bytes(serialization.Encoding.PEM))
        (folder / "tsa.pem").write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
        (folder / "tsa.key").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        (folder / "serial").write_text("01\n")
        (folder / "tsa.cnf").write_text(CONFIG.format(folder=folder))

    def reply(self, query: bytes) -> bytes:
        """What `openssl ts` answers to a query."""
        with tempfile.TemporaryDirectory() as place:
            Path(place, "query").write_bytes(query)
            config = self.folder / "tsa.cnf"
            command = f"openssl ts -reply -queryfile query -config {config} -out reply"
            subprocess.run(command.split(), cwd=place, check=True, capture_output=True)
            return Path(place, "reply").read_bytes()

    def stamped(self, query: bytes) -> Reply:
        """A true stamp."""
        return 200, REPLY_TYPE, self.reply(query)

    @contextlib.contextmanager
    def serving(self) -> Iterator[Tsa]:
        """Answer at `url` until the end of the block."""
        tsa = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                tsa.asked += 1
                assert self.headers["Content-Type"] == "application/timestamp-query"
                query = self.rfile.read(int(self.headers["Content-Length"]))
                status, kind, body = tsa.answer(query)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):  # the client has read enough and closes
                    self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Handler) as server:
            self.url = f"http://127.0.0.1:{server.server_port}/tsr"
            thread = threading.Thread(target=server.serve_forever, args=(0.05,))
            thread.start()
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()


def _certificate(
    subject: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    signer: ec.EllipticCurvePrivateKey,
    begin: datetime,
    end: datetime | None,
) -> x509.Certificate:
    """A root's certificate where `end` is None, else that of a clock."""
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end or begin + timedelta(days=4_000))
        .add_extension(x509.BasicConstraints(ca=end is None, path_length=None), critical=True)
    )
    if end is not None:
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        made = made.add_extension(usage, critical=True)
    return made.sign(signer, hashes.SHA256())
