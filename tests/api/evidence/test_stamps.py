"""Time-stamps: what an authority truly says of a checkpoint is kept, and nothing else is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from fastapi import FastAPI
from typer.testing import CliRunner

from api.archive.archive import Archive
from api.cli import app as cli
from api.evidence.bundle import FULL, Files, Wanted
from api.evidence.evidence import bundled
from api.evidence.files import write_folder
from api.evidence.scripts import verify as verifier
from api.evidence.stamps import Authority, Stamper, Unstamped, authority_of, stamp, stamped_at
from api.evidence.ticking import ticking
from api.evidence.witnesses import Unreachable
from api.settings import Settings
from events.errors import BadInput
from events.payloads.access import Role
from events.payloads.custody import PublicationReleased
from events.payloads.match import MatchOpened
from events.sealing.notes import parse_checkpoint, parse_note
from events.values import BySeat
from tests.api.evidence.conftest import LOG, MATCH
from tests.api.evidence.test_forgeries import remade
from tests.api.evidence.test_http import release, unzipped
from tests.api.evidence.tsa import REPLY_TYPE, Tsa

SCRIPTS = Path(verifier.__file__).parent
TEXT = b"archive.example/logs/1\n7\nAAAA\n"
REJECTION = bytes.fromhex("30053003020102")
"""A reply that says no, and why not, with no stamp in it (RFC 3161 2.4.2)."""


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tsa]:
    with Tsa(tmp_path_factory.mktemp("tsa")).serving() as made:
        yield made


@pytest.fixture
def tsa(serving: Tsa) -> Tsa:
    serving.answer, serving.asked = serving.stamped, 0
    return serving


def named(tsa: Tsa, certificate: Path | None = None) -> Authority:
    settings = Settings(tsa=tsa.url, tsa_certificate=certificate or tsa.root)
    found = authority_of(settings)
    assert found is not None
    return found


@pytest.fixture
def authority(tsa: Tsa) -> Authority:
    return named(tsa)


@pytest.fixture
def stamper(archive: Archive, authority: Authority) -> Stamper:
    return Stamper(archive, authority)


def sign(archive: Archive) -> int:
    assert archive.signing is not None
    kept = archive.signing.keep(LOG)
    assert kept is not None
    return kept.size


# -- what is a stamp -------------------------------------------------------------------------------


def test_a_true_stamp_is_accepted(authority: Authority) -> None:
    reply = stamp(authority, TEXT)
    stamped_at(authority, reply, TEXT)


def test_a_stamp_over_other_bytes_is_refused(authority: Authority) -> None:
    reply = stamp(authority, TEXT)
    with pytest.raises(Unstamped, match="Mismatch between messages"):
        stamped_at(authority, reply, TEXT + b".")


def test_a_stamp_that_was_not_asked_for_now_is_refused(tsa: Tsa, authority: Authority) -> None:
    # Somebody with an older answer could send it again, but its nonce is another.
    older = stamp(authority, TEXT)
    tsa.answer = lambda query: (200, REPLY_TYPE, older)
    with pytest.raises(Unstamped, match="Nonce mismatch"):
        stamp(authority, TEXT)


@pytest.mark.parametrize("same_name", [True, False])
def test_a_stamp_by_somebody_else_is_refused(tsa: Tsa, tmp_path: Path, same_name: bool) -> None:
    other = Tsa(tmp_path, name="Clock of Record" if same_name else "Another Clock")
    with pytest.raises(Unstamped):
        stamp(named(tsa, other.root), TEXT)


def test_a_stamp_by_a_certificate_that_was_over_is_refused(tmp_path: Path) -> None:
    with Tsa(tmp_path, days=-3).serving() as over, pytest.raises(Unstamped):
        stamp(named(over), TEXT)


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (500, "text/plain", b"later"),
        (404, "text/html", b"<h1>no clock here</h1>"),
        (302, "text/html", b""),
        (200, "text/html", b"<h1>pay first</h1>"),
        (200, REPLY_TYPE, b"x" * 200_000),
    ],
)
def test_what_is_no_answer_is_told_as_one_that_cannot_be_reached(
    tsa: Tsa, authority: Authority, status: int, kind: str, body: bytes
) -> None:
    tsa.answer = lambda query: (status, kind, body)
    with pytest.raises(Unreachable, match=r"answers"):
        stamp(authority, TEXT)


@pytest.mark.parametrize("body", [b"", b"garbage", b"\x30\x80", bytes(5_000), REJECTION])
def test_garbage_is_refused(tsa: Tsa, authority: Authority, body: bytes) -> None:
    tsa.answer = lambda query: (200, REPLY_TYPE, body)
    with pytest.raises(Unstamped, match="is no stamp of this"):
        stamp(authority, TEXT)


def test_an_authority_that_is_down_cannot_be_reached(tsa: Tsa) -> None:
    down = named(tsa)._replace(url="http://127.0.0.1:9/tsr")
    with pytest.raises(Unreachable):
        stamp(down, TEXT)


# -- who is asked ----------------------------------------------------------------------------------


def test_no_authority_is_asked_unless_one_is_named() -> None:
    assert authority_of(Settings()) is None


def test_an_authority_is_named_with_its_root_certificate(tsa: Tsa, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="TABULARIUM_TSA_CERTIFICATE: name the root"):
        authority_of(Settings(tsa=tsa.url))
    with pytest.raises(BadInput, match="no http URL"):
        authority_of(Settings(tsa="ftp://clock.example", tsa_certificate=tsa.root))
    with pytest.raises(BadInput, match="cannot be read"):
        authority_of(Settings(tsa=tsa.url, tsa_certificate=tmp_path / "absent"))
    (tmp_path / "note").write_text("no certificate")
    with pytest.raises(BadInput, match="cannot be read"):
        authority_of(Settings(tsa=tsa.url, tsa_certificate=tmp_path / "note"))
    with pytest.raises(BadInput, match="holds no root certificate"):
        authority_of(Settings(tsa=tsa.url, tsa_certificate=tsa.folder / "tsa.pem"))


def test_without_the_extra_the_server_says_what_to_install(
    tsa: Tsa, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    with pytest.raises(BadInput, match=r"tabularium-backgammon\[stamps\]"):
        authority_of(Settings(tsa=tsa.url, tsa_certificate=tsa.root))
    assert authority_of(Settings()) is None


# -- when ------------------------------------------------------------------------------------------


def test_a_log_that_grew_is_stamped_no_oftener_than_it_is_set(
    archive: Archive, authority: Authority, tsa: Tsa
) -> None:
    now = [0.0]
    stamper = Stamper(archive, authority, every_s=600, clock=lambda: now[0])
    first = sign(archive)
    assert stamper.turn([LOG]) == set()
    archive.grant(Role.VIEWER, log_id=LOG)
    second = sign(archive)
    now[0] = 599.0
    assert stamper.turn([LOG]) == {LOG}
    assert tsa.asked == 1
    now[0] = 600.0
    assert stamper.turn([LOG]) == set()
    assert tsa.asked == 2
    found = archive.store.stamped_checkpoint(LOG)
    assert found is not None
    assert (first < found.size, found.size) == (True, second)
    # What is already stamped is not requested again.
    now[0] = 9_999.0
    assert stamper.turn([LOG]) == set()
    assert tsa.asked == 2


def test_what_is_refused_is_told_and_asked_for_again(
    archive: Archive, authority: Authority, tsa: Tsa, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    stamper = Stamper(archive, authority, clock=lambda: now[0])
    sign(archive)
    tsa.answer = lambda query: (200, REPLY_TYPE, b"garbage")
    assert stamper.turn([LOG]) == {LOG}
    assert "is no stamp of this" in (stamper.failed(LOG) or "")
    assert "the log open is not stamped" in caplog.text
    assert archive.store.stamped_checkpoint(LOG) is None
    tsa.answer = tsa.stamped
    assert stamper.turn([LOG]) == {LOG}, "it is asked again in a minute, not at once"
    now[0] = 60.0
    assert stamper.turn([LOG]) == set()
    assert stamper.failed(LOG) is None


def test_an_authority_that_is_out_of_reach_is_asked_once_for_all_logs(
    archive: Archive, authority: Authority, tsa: Tsa
) -> None:
    archive.open_tournament("candle", "Candle Cup")
    assert archive.signing is not None
    archive.signing.keep_all()
    tsa.answer = lambda query: (503, "text/plain", b"")
    stamper = Stamper(archive, authority, clock=lambda: 0.0)
    assert stamper.turn([LOG, "candle"]) == {LOG, "candle"}
    assert tsa.asked == 1


async def test_a_server_has_what_it_signs_stamped(archive: Archive, stamper: Stamper) -> None:
    async with ticking(archive, every_s=0.01, stamper=stamper, abroad_every_s=0.01):
        sign(archive)
        for _ in range(1_000):
            if archive.store.stamped_checkpoint(LOG) is not None:
                break
            await asyncio.sleep(0.01)
    assert archive.store.stamped_checkpoint(LOG) is not None


async def test_nobody_who_appends_waits_for_an_authority_that_hangs(
    archive: Archive, authority: Authority
) -> None:
    import threading

    let_go, is_asked = threading.Event(), threading.Event()

    def hangs(url: str, body: bytes) -> None:
        is_asked.set()
        let_go.wait(30)
        raise Unreachable("it took too long")

    stamper = Stamper(archive, authority, post=hangs)  # type: ignore[arg-type]
    sign(archive)
    async with ticking(archive, every_s=0.01, stamper=stamper, abroad_every_s=0.01):
        assert await asyncio.to_thread(is_asked.wait, 20)
        try:
            archive.grant(Role.VIEWER, log_id=LOG)
            assert archive.signing is not None
            archive.signing.grew([LOG])
            size = archive.store.log_head(LOG).size
            for _ in range(1_000):
                kept = archive.store.checkpoint(LOG)
                if kept is not None and kept.size == size:
                    break
                await asyncio.sleep(0.01)
            assert kept is not None
            assert kept.size == size
        finally:
            let_go.set()


async def test_the_room_says_that_a_log_gets_no_stamp(
    app: FastAPI, http: httpx.AsyncClient, archive: Archive, tsa: Tsa, authority: Authority
) -> None:
    assert (await http.get(f"/logs/{LOG}/room")).json()["unstamped"] is None
    stamper = app.state.door.stamper
    stamper.authority = authority
    sign(archive)
    tsa.answer = lambda query: (503, "text/plain", b"")
    await asyncio.to_thread(stamper.turn, [LOG])
    said = (await http.get(f"/logs/{LOG}/room")).json()["unstamped"]
    assert said == f"{tsa.url} answers 503 with text/plain, not with a stamp"


# -- in a bundle -----------------------------------------------------------------------------------


@pytest.fixture
def stamped(archive: Archive, stamper: Stamper, authority: Authority) -> Files:
    """A bundle whose checkpoint was stamped before the log grew on."""
    sign(archive)
    assert stamper.turn([LOG]) == set()
    archive.grant(Role.VIEWER, log_id=LOG)
    sign(archive)
    return bundled(archive, Wanted(LOG, MATCH, FULL), authority=authority)


def by_bash(folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(SCRIPTS / "verify.sh"), str(folder)]
    clean = {"PATH": "/usr/bin:/bin"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=clean)


def refused(files: Files, folder: Path) -> bool:
    """Whether both verifiers refuse it, with its manifest rebuilt."""
    write_folder(remade(files), folder)
    told = CliRunner().invoke(cli, ["verify", str(folder)])
    bash = by_bash(folder)
    assert (told.exit_code == 1) == (bash.returncode == 1), (told.output, bash.stdout)
    return bash.returncode == 1


def test_a_bundle_holds_the_stamp_and_all_verify_it(
    stamped: Files, authority: Authority, tmp_path: Path
) -> None:
    assert stamped["tsa.pem"] == authority.pem
    folder = tmp_path / "bundle"
    write_folder(stamped, folder)
    told = CliRunner().invoke(cli, ["verify", str(folder)])
    assert told.exit_code == 0, told.output
    assert "stamped at 20" in " ".join(told.output.split())
    bash = by_bash(folder)
    assert bash.returncode == 0, bash.stdout + bash.stderr
    assert "\nstamped at " in bash.stdout
    # As anybody would do it by hand.
    text = tmp_path / "text"
    text.write_text(parse_note(stamped["checkpoint"]).text)
    command = ["openssl", "ts", "-verify", "-in", folder / "checkpoint.tsr", "-data", text]
    done = subprocess.run([*command, "-CAfile", folder / "tsa.pem"], capture_output=True)
    assert done.returncode == 0, done.stderr


def test_a_bundle_with_a_stamp_of_something_else_is_refused(
    stamped: Files, authority: Authority, tmp_path: Path
) -> None:
    other = {**stamped, "checkpoint.tsr": stamp(authority, TEXT)}
    assert refused(other, tmp_path / "other")
    assert refused({**stamped, "checkpoint.tsr": b"garbage"}, tmp_path / "garbage")
    without = {name: raw for name, raw in stamped.items() if name != "tsa.pem"}
    assert refused(without, tmp_path / "without")
    assert not refused(stamped, tmp_path / "same")


def test_a_bundle_with_the_certificate_of_another_is_refused(
    stamped: Files, tmp_path: Path
) -> None:
    (tmp_path / "tsa").mkdir()
    other = Tsa(tmp_path / "tsa")
    assert refused({**stamped, "tsa.pem": other.root.read_bytes()}, tmp_path / "bundle")


@pytest.mark.parametrize("days", [1, 200])
def test_no_time_is_believed_that_stands_beside_a_stamp(
    stamped: Files, tmp_path: Path, days: int
) -> None:
    # In the words with which an authority may say why, and which it does not sign.
    at = datetime.now(UTC) - timedelta(days=days)
    words = b"why\nTime stamp: %b GMT" % at.strftime("%b %d %H:%M:%S %Y").encode()
    reply = stamped["checkpoint.tsr"]
    status = bytes.fromhex("3003020100")
    assert reply[4:9] == status, "a length of two bytes, and what it said: granted"
    said = b"\x0c%c%b" % (len(words), words)
    body = b"\x30%c\x02\x01\x00\x30%c%b" % (len(said) + 5, len(said), said) + reply[9:]
    forged = b"\x30\x82" + len(body).to_bytes(2, "big") + body
    write_folder(remade({**stamped, "checkpoint.tsr": forged}), tmp_path / "bundle")
    told = " ".join(verifier.verify(str(tmp_path / "bundle")))
    bash = by_bash(tmp_path / "bundle")
    assert bash.returncode == 0, bash.stdout + bash.stderr
    assert at.strftime("%Y-%m-%d") not in told
    assert at.strftime("%b %d") not in bash.stdout.replace("  ", " 0")


def test_whose_stamp_it_is_is_told_of_every_certificate(stamped: Files, tmp_path: Path) -> None:
    # A true root first and a forger's after it: both are trusted, so both have to be compared.
    (tmp_path / "tsa").mkdir()
    other = Tsa(tmp_path / "tsa", name="Another Clock").root.read_bytes()
    both = {**stamped, "tsa.pem": other + stamped["tsa.pem"]}
    assert not refused(both, tmp_path / "both")
    told = " ".join(verifier.verify(str(tmp_path / "both")))
    bash = by_bash(tmp_path / "both").stdout
    for pem in (other, stamped["tsa.pem"]):
        mark = x509.load_pem_x509_certificate(pem).fingerprint(SHA256()).hex(":").upper()
        assert mark in told
        assert mark in bash
    for odd in (b"remark\xff\n", b"-----BEGIN X509 CERTIFICATE-----\n"):
        place = tmp_path / odd[:3].decode("latin-1")
        assert refused({**stamped, "tsa.pem": stamped["tsa.pem"] + odd}, place)


def test_no_bit_of_the_signature_of_a_stamp_turns_unseen(stamped: Files, tmp_path: Path) -> None:
    raw = stamped["checkpoint.tsr"]
    for at in (40, 100, len(raw) - 30, len(raw) - 5):
        bent = bytearray(raw)
        bent[at] ^= 1
        assert refused({**stamped, "checkpoint.tsr": bytes(bent)}, tmp_path / str(at)), at


def test_a_match_that_went_on_is_shown_under_a_newer_checkpoint_without_a_stamp(
    archive: Archive, stamped: Files, authority: Authority
) -> None:
    from events.payloads import match

    archive.append(LOG, MATCH, [archive.draft(match.GameStarted())])
    files = bundled(archive, Wanted(LOG, MATCH, FULL), authority=authority)
    assert "checkpoint.tsr" not in files
    # What was signed before that is still covered by the stamp.
    before = bundled(archive, Wanted(LOG, MATCH, FULL, last=4), authority=authority)
    assert before["checkpoint.tsr"] == stamped["checkpoint.tsr"]
    list(verifier.verify_files(before))


def test_a_stamp_of_an_authority_of_before_is_left_out(
    archive: Archive, stamped: Files, tmp_path: Path, tsa: Tsa
) -> None:
    other = Tsa(tmp_path)
    files = bundled(archive, Wanted(LOG, MATCH, FULL), authority=named(tsa, other.root))
    assert "checkpoint.tsr" not in files
    list(verifier.verify_files(files))


async def test_a_bundle_over_http_holds_the_stamp(
    app: FastAPI, http: httpx.AsyncClient, stamped: Files, authority: Authority
) -> None:
    app.state.door.stamper.authority = authority
    answer = await http.get(f"/logs/{LOG}/matches/{MATCH}/bundle.zip")
    assert answer.status_code == 200, answer.text
    files = unzipped(answer.content)
    assert files["checkpoint.tsr"] == stamped["checkpoint.tsr"]
    list(verifier.verify_files(files))


async def test_no_stamp_counts_the_log_for_whom_it_is_behind(
    app: FastAPI, http: httpx.AsyncClient, archive: Archive, stamper: Stamper, authority: Authority
) -> None:
    await release(http)
    sign(archive)
    released = PublicationReleased(delay_ms=3_600_000)
    opened = MatchOpened(players=BySeat((), ()), length=5)
    archive.append(LOG, "m3", [archive.draft(opened), archive.draft(released)])
    size = sign(archive)
    assert await asyncio.to_thread(stamper.turn, [LOG]) == set()
    app.state.door.stamper.authority = authority
    path = f"/logs/{LOG}/matches/{MATCH}/bundle.zip"
    known = unzipped((await http.get(path)).content)
    assert parse_checkpoint(parse_note(known["checkpoint"]).text).size == size
    assert "checkpoint.tsr" in known
    del http.headers["Authorization"]
    seen = (await http.get(f"/logs/{LOG}/checkpoint")).json()["size"]
    answer = await http.get(path)
    assert answer.status_code == 200, answer.text
    files = unzipped(answer.content)
    assert (parse_checkpoint(parse_note(files["checkpoint"]).text).size, seen < size) == (
        seen,
        True,
    )
    list(verifier.verify_files(files))


def test_the_command_exports_the_stamp_and_the_policy(
    archive: Archive, stamped: Files, tsa: Tsa, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_TSA", tsa.url)
    monkeypatch.setenv("TABULARIUM_TSA_CERTIFICATE", str(tsa.root))
    place = tmp_path / "exported"
    command = ["export", MATCH, "--db", archive.url, "--format", "bundle", "-o", str(place)]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    assert (place / "checkpoint.tsr").read_bytes() == stamped["checkpoint.tsr"]
