"""`serve` with its own https: real handshakes, plain http beside it, and how to switch it off."""

from __future__ import annotations

import datetime
import shutil
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from cryptography import x509

from api.hall.authority import is_private, prepare, subjects_of
from tests.api.commands.test_serving import Served, env, environment

pytestmark = pytest.mark.gate

__all__ = ["env"]


class Hall:
    """A server that speaks both, and what a tablet trusts of it."""

    def __init__(self, served: Served, database: Path) -> None:
        self.served = served
        self.database = database
        self.folder = papers_of(database)
        self.port = int(served.url.rsplit(":", 1)[1])
        self.plain = f"http://127.0.0.1:{self.port}"
        self.secure = f"https://127.0.0.1:{self.port}"

    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.folder / "authority.pem"))


def papers_of(database: Path) -> Path:
    """The folder of an archive's authority."""
    return database.with_name("archive.sqlite.https")


@pytest.fixture(scope="module")
def _hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    folder = tmp_path_factory.mktemp("hall")
    database = folder / "data" / "archive.sqlite"
    served = Served("--https", env=environment(folder, database))
    yield Hall(served, database)
    code, _, err = served.stop()
    assert (code, err) == (0, "")


@pytest.fixture
def hall(_hall: Hall, database: Path, monkeypatch: pytest.MonkeyPatch) -> Hall:
    """One server for all that ask it, and commands that find its archive."""
    monkeypatch.setenv("TABULARIUM_DB", f"sqlite:///{_hall.database}")
    return _hall


def test_who_trusts_the_authority_is_let_in_and_who_does_not_hangs_up(hall: Hall) -> None:
    with httpx.Client(verify=hall.trusting()) as client:
        assert client.get(f"{hall.secure}/health").json()["status"] == "ok"
        assert client.get(f"https://localhost:{hall.port}/tablet").status_code == 200
    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        httpx.get(f"{hall.secure}/health")
    # Nobody's hanging up ends the server.
    assert httpx.get(f"{hall.secure}/health", verify=hall.trusting()).status_code == 200


def test_an_old_tls_is_refused(hall: Hall) -> None:
    old = hall.trusting()
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    assert httpx.get(f"{hall.secure}/health", verify=old).status_code == 200
    raw = socket.create_connection(("127.0.0.1", hall.port), timeout=10)
    with raw:
        # A client hello of TLS 1.0: record and handshake say 3,1, and nothing newer is offered.
        hello = bytes.fromhex("0301" + "00" * 32 + "00" + "0002002f" + "0100")
        body = b"\x01" + len(hello).to_bytes(3, "big") + hello
        raw.sendall(b"\x16\x03\x01" + len(body).to_bytes(2, "big") + body)
        answer = raw.recv(16)
    assert answer[:1] in (b"", b"\x15")  # an alert, or nothing


def test_plain_http_goes_on_on_this_machine_and_commands_beside_it_need_no_certificate(
    hall: Hall, run, match_file: Path
) -> None:
    assert httpx.get(f"{hall.plain}/health").json()["status"] == "ok"
    token = {"Authorization": f"Bearer {hall.served.token('operator')}"}
    assert httpx.get(f"{hall.plain}/logs", headers=token).status_code == 200
    [imported] = run("import", "--json", "--public", match_file).lines
    assert imported["score"] == {"one": 3, "two": 0}


def test_the_greeting_names_the_page_and_the_fingerprint_that_the_page_shows(hall: Hall) -> None:
    page = httpx.get(f"{hall.plain}/trust").text
    greeting = hall.served.greeting
    assert "/trust\n" in greeting
    papers = prepare(hall.folder, [], now=datetime.datetime.now(datetime.UTC))
    pairs = papers.fingerprint.split(":")
    assert ":".join(pairs[:16]) in greeting
    assert ":".join(pairs[16:]) in greeting
    assert papers.fingerprint in page.replace("<wbr>", "")
    assert papers.name in page
    assert "PRIVATE KEY" not in page


def test_the_authority_is_handed_out_in_every_form_with_its_media_type(hall: Hall) -> None:
    papers = prepare(hall.folder, [], now=datetime.datetime.now(datetime.UTC))
    forms = {
        "crt": ("application/x-x509-ca-cert", papers.authority_der),
        "pem": ("application/x-pem-file", papers.authority_pem),
    }
    for ending, (media_type, body) in forms.items():
        answer = httpx.get(f"{hall.plain}/trust/tabularium.{ending}")
        assert answer.headers["content-type"] == media_type
        assert answer.content == body
    answer = httpx.get(f"{hall.plain}/trust/tabularium.mobileconfig?lang=de")
    assert answer.headers["content-type"] == "application/x-apple-aspen-config"
    assert b"in dieser Halle" in answer.content


def test_an_address_that_the_machine_gets_after_the_start_is_covered_when_somebody_comes_by_it(
    env: dict[str, str], database: Path
) -> None:
    served = Served("--host", "0.0.0.0", env=env)
    hall = Hall(served, database)
    try:
        before = _shown(hall.folder)
        assert "127.0.0.2" not in subjects_of(before)
        answer = httpx.get(f"https://127.0.0.2:{hall.port}/health", verify=hall.trusting())
        assert answer.status_code == 200
        assert "127.0.0.2" in subjects_of(_shown(hall.folder))
        assert httpx.get(f"{hall.secure}/health", verify=hall.trusting()).status_code == 200
    finally:
        served.stop()


def _shown(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificates((folder / "server.pem").read_bytes())[0]


def test_a_connection_that_says_nothing_holds_nobody_up(hall: Hall) -> None:
    silent = [socket.create_connection(("127.0.0.1", hall.port)) for _ in range(20)]
    try:
        began = time.monotonic()
        assert httpx.get(f"{hall.plain}/health").status_code == 200
        assert httpx.get(f"{hall.secure}/health", verify=hall.trusting()).status_code == 200
        assert time.monotonic() - began < 20
    finally:
        for one in silent:
            one.close()


def test_the_next_start_keeps_the_authority(env: dict[str, str], database: Path) -> None:
    paper = papers_of(database) / "authority.pem"
    served = Served("--https", env=env)
    first = paper.read_bytes()
    assert "A new authority was made" in served.greeting
    served.stop()
    again = Served("--https", env=env)
    again.stop()
    assert paper.read_bytes() == first
    assert "A new authority was made" not in again.greeting


def test_who_opts_out_is_served_plainly_and_no_authority_is_made(
    env: dict[str, str], database: Path
) -> None:
    served = Served("--host", "0.0.0.0", "--no-https", env=env)
    try:
        assert "/trust" not in served.greeting
        assert "https://" not in served.greeting
        assert httpx.get(f"{served.url}/tablet").status_code == 200
        assert not papers_of(database).exists()
    finally:
        served.stop()


def test_the_organisers_certificate_and_no_https_contradict_one_another(
    run, tmp_path: Path
) -> None:
    (tmp_path / "x.pem").write_text("nothing")
    x = tmp_path / "x.pem"
    refused = run("serve", "--no-https", "--certificate", x, "--key", x, exit_code=2)
    assert "--no-https" in refused.err


def test_a_lost_key_ends_the_start_with_what_to_do(run, database: Path) -> None:
    folder = papers_of(database)
    prepare(folder, ["localhost"], now=datetime.datetime.now(datetime.UTC))
    (folder / "authority.key").unlink()
    refused = run("serve", "--https", "--port", "0", exit_code=2)
    assert "every tablet has to trust anew" in refused.err


def test_doctor_proves_that_a_tablet_will_work_offline(hall: Hall, run) -> None:
    checks = {check["name"]: check for check in run("doctor", "--json").lines}
    for name in ("keys", "certificate", "addresses", "tablets"):
        assert checks[name]["verdict"] == "well", checks[name]
    assert "works offline" in checks["tablets"]["message"]


def test_doctor_says_what_to_do_about_loose_keys_lost_papers_and_other_addresses(
    run, database: Path
) -> None:
    folder = papers_of(database)
    assert "serve --host 0.0.0.0" in run("doctor", exit_code=None).out
    assert not folder.exists()
    now = datetime.datetime.now(datetime.UTC)
    prepare(folder, ["localhost"], now=now)
    checks = _told(run)
    assert checks["keys"]["verdict"] == "well"
    assert checks["addresses"]["verdict"] == "fault"
    assert "127.0.0.1" in checks["addresses"]["message"]
    (folder / "server.pem").chmod(0o644)
    assert "chmod 600" in _told(run)["keys"]["message"]
    assert not is_private(folder / "server.pem")
    shutil.rmtree(folder)
    prepare(folder, ["localhost"], now=now - datetime.timedelta(days=390))
    assert "ends on" in _told(run)["certificate"]["message"]
    (folder / "authority.key").unlink()
    assert "lacks authority.key" in _told(run)["certificate"]["message"]


def _told(run) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in run("doctor", "--json", exit_code=2).lines}
