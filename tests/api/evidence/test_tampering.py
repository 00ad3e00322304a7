"""Bundles that somebody has changed: bash and Python refuse them alike, and report why."""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from api.evidence.bundle import MANIFEST, Files, pem, with_manifest
from api.evidence.files import write_folder
from api.evidence.scripts import verify as verifier
from events.sealing.notes import Note, Signature, SigningKey

SCRIPTS = Path(verifier.__file__).parent
# Bash is asked in the gate: it takes its time.
BY = pytest.mark.parametrize(
    "script", [pytest.param("verify.sh", marks=pytest.mark.gate), "verify.py"]
)


def checked(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a script of ours says: the one in the bundle could say anything."""
    by = ["bash"] if script.endswith(".sh") else [sys.executable, "-I", "-S"]
    command = [*by, str(SCRIPTS / script), str(folder)]
    clean = {"PATH": "/usr/bin:/bin"}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=clean, errors="replace"
    )


def one_of(folder: Path, kind: str) -> Path:
    return sorted((folder / kind).iterdir())[0]


def named(folder: Path, path: Path) -> str:
    return str(path.relative_to(folder))


def removed(folder: Path) -> str:
    path = one_of(folder, "entries")
    path.unlink()
    return named(folder, path)


def removed_script(folder: Path) -> str:
    (folder / "README").unlink()
    return "README"


def added(folder: Path) -> str:
    (folder / "remarks.txt").write_text("the ruling was right")
    return "remarks.txt"


def added_entry(folder: Path) -> str:
    path = folder / "entries" / "7777.json"
    shutil.copy(one_of(folder, "entries"), path)
    return named(folder, path)


def added_among_the_disclosures(folder: Path) -> str:
    path = folder / "disclosures" / "names.txt"
    path.write_text("Ada Lantern")
    return named(folder, path)


def added_below_the_disclosures(folder: Path) -> str:
    path = folder / "disclosures" / "more" / one_of(folder, "disclosures").name
    path.parent.mkdir()
    shutil.copy(one_of(folder, "disclosures"), path)
    return named(folder, path)


def added_unseen(folder: Path) -> str:
    (folder / ".hidden").write_text("")
    return ".hidden"


def renamed(folder: Path) -> str:
    path = one_of(folder, "proofs")
    path.rename(path.with_name("9999.tlog-proof"))
    return ".tlog-proof"  # either the old name is missing, or the new one is not listed


def renamed_disclosure(folder: Path) -> str:
    path = one_of(folder, "disclosures")
    path.rename(path.with_name(f"{'0' * 64}.json"))
    return "0" * 64


def folder_added(folder: Path) -> str:
    (folder / "annexes").mkdir()
    return "annexes"


def link_added(folder: Path) -> str:
    (folder / "entries" / "8888.json").symlink_to(one_of(folder, "entries"))
    return "8888.json"


def file_replaced_by_a_link(folder: Path) -> str:
    path = folder / "policy"
    outside = folder.parent / "policy"
    path.rename(outside)
    path.symlink_to(outside)
    return "policy"


def disclosure_replaced_by_a_link(folder: Path) -> str:
    path = one_of(folder, "disclosures")
    outside = folder.parent / path.name
    path.rename(outside)
    path.symlink_to(outside)
    return path.name


def folder_linked(folder: Path) -> str:
    (folder / "elsewhere").symlink_to(folder.parent)
    return "elsewhere"


def fifo_added(folder: Path) -> str:
    os.mkfifo(folder / "pipe")
    return "pipe"


def line_ends_changed(folder: Path) -> str:
    path = folder / "checkpoint"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    return "checkpoint"


def line_ends_of_the_manifest_changed(folder: Path) -> str:
    path = folder / MANIFEST
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    return MANIFEST


def manifest_removed(folder: Path) -> str:
    (folder / MANIFEST).unlink()
    return MANIFEST


def manifest_cut_off(folder: Path) -> str:
    path = folder / MANIFEST
    path.write_bytes(path.read_bytes()[:-1])
    return MANIFEST


def manifest_says_it_twice(folder: Path) -> str:
    path = folder / MANIFEST
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[0]]))
    return lines[0].decode().split()[1]


CHANGES = [
    *(removed, removed_script, added, added_entry, added_among_the_disclosures),
    *(added_below_the_disclosures, added_unseen, renamed, renamed_disclosure, folder_added),
    *(link_added, file_replaced_by_a_link, disclosure_replaced_by_a_link, folder_linked),
    *(fifo_added, line_ends_changed, line_ends_of_the_manifest_changed, manifest_removed),
    *(manifest_cut_off, manifest_says_it_twice),
]


@BY
def test_what_nobody_worked_on_passes_with_empty_folders_and_all(script: str, folder: Path) -> None:
    done = checked(script, folder)
    assert done.returncode == 0, done.stdout + done.stderr


@BY
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_came_went_or_took_another_shape_is_refused_by_name(
    script: str, change: Callable[[Path], str], folder: Path
) -> None:
    name = change(folder)
    done = checked(script, folder)
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert "FAIL: " in done.stdout
    assert name in done.stdout, done.stdout
    assert "Traceback" not in done.stderr


@BY
@pytest.mark.parametrize(
    "name", ["a b", "café", "-rf", "a\nb", "$(touch pwned)", "`touch pwned`", "a\\b", "\udcff"]
)
def test_awkward_names_are_refused_like_others(script: str, name: str, folder: Path) -> None:
    (folder / name).write_text("")
    done = checked(script, folder)
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert "FAIL: " in done.stdout
    assert not list(folder.parent.rglob("pwned"))
    assert not Path("pwned").exists()


@BY
@pytest.mark.parametrize(
    "size", ["a[$(touch pwned)]", "10#7", "0x10", "07", "-1", "+5", "1 + 4", "", "9" * 30]
)
def test_a_forger_of_numbers_makes_the_verifier_run_nothing(
    script: str, size: str, files: Files, tmp_path: Path
) -> None:
    # With a key of their own, attackers can sign anything: it is refused, and nothing more happens.
    origin = "forger.example/log"
    key = SigningKey(origin, bytes(32))
    text = f"{origin}\n{size}\n{'A' * 43}=\n"
    raw = Note(text, (key.sign(text),)).raw
    forged = {name: content for name, content in files.items() if name != MANIFEST}
    for name, content in forged.items():
        if name.startswith("proofs/"):
            forged[name] = content.partition(b"\n\n")[0] + b"\n\n" + raw
    forged["checkpoint"] = raw
    forged["log.vkey"] = f"{key.verifier}\n".encode()
    spki = verifier.SPKI + key.verifier.public
    forged["log.pub.pem"] = pem(verifier.base64.b64encode(spki).decode())
    folder = tmp_path / "forged"
    write_folder(with_manifest(forged), folder)
    done = checked(script, folder)
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert not list(tmp_path.rglob("pwned"))


def forged_by_another_kind_of_key(files: Files) -> Files:
    """A bundle whose log.vkey is the true one, signed by an RSA key that ends in the same bytes."""
    seeds = (SigningKey("club.example/log", bytes([seed]) * 32) for seed in range(1, 99))
    true = next(key for key in seeds if key.verifier.public[-1] & 1)
    while True:
        numbers = rsa.generate_private_key(65_537, 2_048).private_numbers()
        phi = (numbers.p - 1) * (numbers.q - 1)
        exponent = 1 << 256 | int.from_bytes(true.verifier.public, "big")
        if math.gcd(exponent, phi) == 1:
            break
    modulus = numbers.public_numbers.n
    public = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    encodings = (Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    text = f"{true.verifier.name}\n7\n{'A' * 43}=\n"
    digest = bytes.fromhex("3031300d060960864801650304020105000420")
    digest += hashlib.sha256(text.encode()).digest()
    padded = b"\0\1" + b"\xff" * (256 - 3 - len(digest)) + b"\0" + digest
    signature = pow(int.from_bytes(padded, "big"), pow(exponent, -1, phi), modulus)
    line = Signature(true.verifier.name, true.verifier.key_id, signature.to_bytes(256, "big"))
    forged = {name: raw for name, raw in files.items() if name != MANIFEST}
    forged["checkpoint"] = Note(text, (line,)).raw
    forged["log.vkey"] = f"{true.verifier}\n".encode()
    forged["log.pub.pem"] = public.public_bytes(*encodings)
    return with_manifest(forged)


@BY
def test_a_key_of_another_kind_that_ends_like_the_logs_is_refused(
    script: str, files: Files, tmp_path: Path
) -> None:
    folder = tmp_path / "forged"
    write_folder(forged_by_another_kind_of_key(files), folder)
    done = checked(script, folder)
    assert done.returncode == 1
    assert "log.pub.pem is" in done.stdout, done.stdout


@BY
@pytest.mark.parametrize("is_first", [True, False])
def test_of_two_signatures_by_one_key_both_have_to_be_true(
    script: str, is_first: bool, files: Files, tmp_path: Path
) -> None:
    raw = files["checkpoint"]
    text, _, lines = raw.decode().partition("\n\n")
    [line] = [one for one in lines.splitlines() if one.split(" ")[1] == text.split("\n")[0]]
    whose, encoded = line.rsplit(" ", 1)
    marked = verifier.base64.b64decode(encoded)[:4]
    false = f"{whose} {verifier.base64.b64encode(marked + bytes(64)).decode()}"
    both = [false, line] if is_first else [line, false]
    forged = {name: one for name, one in files.items() if name != MANIFEST}
    made = f"{text}\n\n{chr(10).join(both)}\n".encode()
    for name, content in forged.items():
        forged[name] = content.replace(raw, made)
    folder = tmp_path / "forged"
    write_folder(with_manifest(forged), folder)
    done = checked(script, folder)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "signature" in done.stdout


@BY
def test_where_it_lies_is_no_matter(script: str, folder: Path) -> None:
    awkward = folder.parent / "a folder; $(of) -mine"
    folder.rename(awkward)
    assert checked(script, awkward).returncode == 0
