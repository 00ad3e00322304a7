"""Bundles rebuilt around other bytes by somebody with a key: nothing false is shown as verified."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Container
from pathlib import Path

import pytest

from api.evidence.bundle import MANIFEST, Files, pem, with_manifest
from api.evidence.files import write_folder
from api.evidence.scripts import verify as verifier
from events.sealing import merkle
from events.sealing.merkle import leaf_hash
from events.sealing.notes import Kind, Note, SigningKey
from tests.api.evidence.test_tampering import checked

# Bash is asked in the gate: it takes its time.
BY = pytest.mark.parametrize(
    "script", [pytest.param("verify.sh", marks=pytest.mark.gate), "verify.py"]
)

SCRIPTS = Path(verifier.__file__).parent

ORIGIN = "forger.example/log"
KEY = SigningKey(ORIGIN, bytes(32))

ENTRY = {
    "basis": "observed",
    "body": {},
    "context": {"sd": "0" * 64},
    "entry_id": "9d2f7c11-5e6a-4b7c-8d9e-1f2a3b4c5d6e",
    "log": "l",
    "nonce": "0" * 32,
    "prev": None,
    "schema": 1,
    "stream": "m",
    "tag": "game.started",
    "v": 1,
    "version": 1,
}
TOLD = {
    "cut": False,
    "first": 1,
    "format": "tabularium-bundle@1",
    "last": 1,
    "log": "l",
    "profile": "full",
    "size": 1,
    "stream": "m",
}


def plain(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def forged(
    *entries: bytes,
    key: SigningKey = KEY,
    beside: Files | None = None,
    hidden: Container[int] = (),
    left_out: Container[int] = (),
) -> Files:
    """The bundle of a log of these entries, whose key its maker holds: all of it fits.

    Of `hidden` ones there is the hash alone, of those that are `left_out` nothing.
    """
    leaves = [leaf_hash(raw) for raw in entries]
    root = merkle.root(leaves)
    text = f"{key.verifier.name}\n{len(leaves)}\n{base64.b64encode(root).decode()}\n"
    note = Note(text, (key.sign(text),)).raw
    files: Files = {
        "README": b"",
        "bundle.json": plain({**TOLD, "size": len(leaves), "last": len(leaves)}),
        "checkpoint": note,
        "log.vkey": f"{key.verifier}\n".encode(),
        "log.pub.pem": pem(base64.b64encode(verifier.SPKI + key.verifier.public).decode()),
        "policy": f"log {key.verifier}\nquorum none\n".encode(),
        **(beside or {}),
    }
    for index, raw in enumerate(entries):
        if index in left_out:
            continue
        hashes = (base64.b64encode(one).decode() for one in merkle.inclusion(index, leaves))
        path = "".join(f"{one}\n" for one in hashes)
        head = f"c2sp.org/tlog-proof@v1\nindex {index}\n{path}\n".encode()
        place = f"withheld/{index}" if index in hidden else f"entries/{index}.json"
        files[place] = leaves[index].hex().encode() if index in hidden else raw
        files[f"proofs/{index}.tlog-proof"] = head + note
    return with_manifest(files)


def refused(files: Files) -> str:
    try:
        list(verifier.verify_files(files))
    except (verifier.Fails, *verifier.MALFORMED) as error:
        return str(error)
    return ""


def test_what_fits_is_accepted_whoever_has_made_it() -> None:
    following = {**ENTRY, "version": 2, "prev": hashlib.sha256(b"\0" + plain(ENTRY)).hexdigest()}
    assert refused(forged(plain(ENTRY))) == ""
    assert refused(forged(plain(ENTRY), plain(following))) == ""


WHOLE = plain(ENTRY).decode()


@pytest.mark.parametrize(
    "entry",
    [
        WHOLE.replace('"version":1', '"version":1.0'),
        WHOLE.replace('"version":1', '"version":true'),
        WHOLE.replace('"version":1', '"version":-0'),
        WHOLE.replace('"version":1', '"version":"1"'),
        WHOLE.replace('"v":1', '"v":NaN'),
        WHOLE.replace('"body":{}', '"body":{"points":NaN}'),
        WHOLE.replace('"body":{}', '"body":{"points":Infinity}'),
        WHOLE.replace('"body":{}', '"body":{"points":1.5}'),
        WHOLE.replace('"body":{}', '"body":{"points":1e400}'),
        WHOLE.replace('"body":{}', f'"body":{{"points":{2**53}}}'),
        WHOLE.replace('"body":{}', f'"body":{{"points":{"9" * 5000}}}'),
        WHOLE.replace('"body":{}', '"body":{"points":1,"points":2}'),
        WHOLE.replace('"body":{}', '"body":[]'),
        WHOLE.replace('"body":{}', '"body":{ }'),
        WHOLE.replace('"body":{}', '"body":' + "[" * 9_000 + "]" * 9_000),
        WHOLE.replace('"tag":"game.started"', '"tag":"game.started","tag":"game.won"'),
        WHOLE.replace('"tag":"game.started"', '"tag":"\\ud800"'),
        WHOLE.replace('"tag":"game.started"', '"tag":null'),
        WHOLE.replace(',"version":1', ""),
        WHOLE.replace('"context":{"sd":"' + "0" * 64 + '"}', '"context":null'),
        WHOLE + "\n",
        "[]",
        "1",
        "null",
        "",
    ],
)
def test_an_entry_that_two_readers_could_take_differently_is_none(entry: str) -> None:
    assert entry != WHOLE
    said = refused(forged(entry.encode()))
    assert said
    assert "IndexError" not in said


def test_neither_is_one_in_another_encoding() -> None:
    assert refused(forged(WHOLE.encode("utf-16")))
    assert refused(forged(b"\xef\xbb\xbf" + WHOLE.encode()))


@pytest.mark.parametrize(
    "told",
    [
        plain(TOLD).replace(b'"cut":false', b'"cut":true,"cut":false'),
        plain(TOLD).replace(b'"last":1', b'"last":1.0'),
        plain(TOLD).replace(b'"size":1', b'"size":true'),
        plain(TOLD).replace(b'"last":1', b'"last":"1"'),
        plain(TOLD).replace(b'"first":1', b'"first":-9007199254740991'),
        plain(TOLD).replace(b'"first":1', b'"first":2'),
        plain(TOLD).replace(b'"stream":"m"', b'"stream":["m"]'),
        plain(TOLD) + b" ",
        b"{}",
        b"[]",
        b"",
    ],
)
def test_what_a_bundle_says_of_itself_is_said_in_one_way(told: bytes) -> None:
    assert refused(forged(plain(ENTRY), beside={"bundle.json": told}))


def test_a_version_out_of_reach_is_missed_without_counting_up_to_it() -> None:
    far = 9_007_199_254_740_000
    entry = plain({**ENTRY, "version": far, "prev": "0" * 64})
    told = plain({**TOLD, "last": far, "cut": True})
    assert "prev" not in refused(forged(entry, beside={"bundle.json": told}))
    entries = chain(("m", 1, None), ("m", 2, 0), ("m", far, 1))
    cut = forged(*entries, hidden=(1,), beside=telling(far, 3))
    assert "neither shown nor withheld" in refused(cut)


def disclosed(raw: bytes) -> Files:
    digest = hashlib.sha256(raw).hexdigest()
    entry = plain({**ENTRY, "body": {"note": {"sd": digest}}})
    return forged(entry, beside={f"disclosures/{digest}.json": raw})


@pytest.mark.parametrize(
    ("raw", "is_one"),
    [
        (b'["00","note","Ada"]', True),
        (b'["00","note",{"a":1,"a":2}]', False),
        (b'["00","note",1e2]', False),
        (b'["00","note"]', False),
        (b'["00","note","Ada","Ben"]', False),
        (b'["00",1,"Ada"]', False),
        (b'{"00":1,"note":2,"Ada":3}', False),
        (b'"abc"', False),
    ],
)
def test_a_value_that_is_shown_is_shown_in_one_way(raw: bytes, is_one: bool) -> None:
    assert (refused(disclosed(raw)) == "") is is_one


def witness(seed: int, kind: Kind = Kind.COSIGNATURE) -> SigningKey:
    return SigningKey("witness.example/w", bytes([seed]) * 32, kind=kind)


@pytest.mark.parametrize(
    "lines",
    [
        f"witness a {witness(1).verifier}\ngroup g 0 a\n",
        f"witness a {witness(1).verifier}\ngroup g 2 a\n",
        # One that is counted twice, under two names, and under one.
        f"witness a {witness(1).verifier}\nwitness b {witness(1).verifier}\n",
        f"witness a {witness(1).verifier}\nwitness a {witness(2).verifier}\n",
        # The log is no witness of itself, by the key that signs its checkpoints.
        f"witness a {KEY.verifier}\n",
    ],
)
def test_a_witness_counts_once_and_the_log_is_none(lines: str) -> None:
    policy = f"log {KEY.verifier}\n{lines}quorum none\n".encode()
    assert "in policy" in refused(forged(plain(ENTRY), beside={"policy": policy}))


TERMINAL = "\x1b]0;OK\x07\u009b2J\u202eKO"


@pytest.mark.parametrize("place", ["profile", "witness"])
def test_no_terminal_obeys_what_a_forger_writes(place: str, tmp_path: Path) -> None:
    made = witness(1)
    policy = f"log {KEY.verifier}\nwitness {TERMINAL} {made.verifier}\nquorum none\n".encode()
    told = plain({**TOLD, "profile": TERMINAL, "cut": {"last": 1}})
    files = forged(plain(ENTRY), beside={"bundle.json": told} if place == "profile" else None)
    if place == "witness":
        files = forged(plain(ENTRY), beside={"policy": policy})
        note = files["checkpoint"]
        text = note.partition(b"\n\n")[0].decode() + "\n"
        cosigned = Note(text, (KEY.sign(text), made.cosign(text, seconds=1_790_000_000))).raw
        files = {name: raw.replace(note, cosigned) for name, raw in files.items()}
        files = with_manifest({name: raw for name, raw in files.items() if name != MANIFEST})
    folder = tmp_path / "forged"
    write_folder(files, folder)
    done = checked("verify.py", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "KO" in done.stdout, "it is told, and as what it is"
    assert not any(one in done.stdout for one in TERMINAL[:-2] if not one.isprintable())


@BY
@pytest.mark.parametrize("name", ["a[$(touch${IFS}pwned)]", "]=1;touch${IFS}pwned;#", "@", "*"])
def test_no_line_of_a_list_or_a_proof_is_obeyed(script: str, name: str, tmp_path: Path) -> None:
    files = forged(plain(ENTRY))
    proof = files["proofs/0.tlog-proof"].replace(b"index 0\n", f"index 0\n{name}\n".encode())
    listed = files[MANIFEST] + f"{'0' * 64}  {name}\n".encode()
    for number, changed in enumerate(
        ({**files, MANIFEST: listed}, remade({**files, "proofs/0.tlog-proof": proof}))
    ):
        folder = tmp_path / str(number)
        write_folder(changed, folder)
        done = checked(script, folder)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "FAIL: " in done.stdout, done.stdout + done.stderr
    assert not list(tmp_path.rglob("pwned"))
    assert not Path("pwned").exists()


def remade(files: Files) -> Files:
    return with_manifest({name: raw for name, raw in files.items() if name != MANIFEST})


def chain(*links: tuple[str, int, int | None]) -> list[bytes]:
    """Entries of these streams and versions, each after the one of that number in the list."""
    made: list[bytes] = []
    for stream, version, before in links:
        prev = None if before is None else leaf_hash(made[before]).hex()
        made.append(plain({**ENTRY, "stream": stream, "version": version, "prev": prev}))
    return made


def telling(last: int, size: int, **other: object) -> Files:
    return {"bundle.json": plain({**TOLD, "last": last, "size": size, "cut": True, **other})}


def test_a_match_cannot_be_shown_from_its_middle() -> None:
    entries = chain(("m", 1, None), ("m", 2, 0), ("m", 3, 1))
    whole = forged(*entries, hidden=(0, 1), beside=telling(3, 3))
    assert refused(whole) == ""
    later = telling(3, 3, first=3)
    assert "first version" in refused(forged(*entries, hidden=(1,), left_out=(0,), beside=later))


def test_a_hash_of_something_else_stands_for_no_version() -> None:
    # Of versions 2 and 3 one is withheld and one is gone; the tournament's hash is neither.
    match = [("m", 1, None), ("m", 2, 2), ("m", 3, 3), ("m", 4, 4)]
    entries = chain(("t", 1, None), ("t", 2, 0), *match)
    whole = forged(*entries, hidden=(0, 3, 4), beside=telling(4, 6))
    assert refused(whole) == ""
    cut = forged(*entries, hidden=(0, 4), left_out=(3,), beside=telling(4, 6))
    assert "neither shown nor withheld" in refused(cut)


@pytest.mark.parametrize(
    "links",
    [
        # After an entry of another stream, one further back, and one that came later.
        (("t", 1, None), ("m", 1, None), ("m", 2, 0)),
        (("m", 1, None), ("m", 2, 0), ("m", 3, 0)),
        (("t", 1, None), ("m", 1, None), ("m", 3, 0)),
    ],
)
def test_an_entry_follows_the_version_before_it_and_nothing_else(
    links: tuple[tuple[str, int, int | None], ...],
) -> None:
    files = forged(*chain(*links), beside=telling(links[-1][1], 3))
    assert "does not follow the one before it" in refused(files)


def test_an_entry_follows_none_that_came_into_the_log_after_it() -> None:
    first, second = chain(("m", 1, None), ("m", 2, 0))
    assert "not in this bundle" in refused(forged(second, first, beside=telling(2, 2)))


@pytest.mark.parametrize("name", ["entries/0", "unsealed/0"])
def test_an_entry_is_called_json(name: str) -> None:
    files = forged(plain(ENTRY), hidden=(0,) if name == "unsealed/0" else ())
    raw = files.pop("entries/0.json", plain(ENTRY))
    assert refused(remade({**files, name: raw})) == f"{name} is no entry"


ID = ENTRY["entry_id"]
DRAFT = {name: ENTRY[name] for name in ("entry_id", "stream", "tag", "schema", "basis", "body")}


def drafted(draft: object, *, body: object = None) -> Files:
    """An entry that claims to be made from a draft, and a draft of that name."""
    raw = plain(draft)
    digest = hashlib.sha256(raw).hexdigest()
    said = plain(["00", "context", {"draft": digest}])
    mark = hashlib.sha256(said).hexdigest()
    entry = plain({**ENTRY, "context": {"sd": mark}, "body": body or {}})
    beside = {f"drafts/{digest}.json": raw, f"disclosures/{mark}.json": said}
    return forged(entry, beside=beside)


def test_a_draft_says_what_the_entry_says_to_every_reader() -> None:
    assert refused(drafted({**DRAFT, "body": {"a": 1}}, body={"a": 1})) == ""
    assert "another body" in refused(drafted({**DRAFT, "body": {"a": True}}, body={"a": 1}))
    assert "another schema" in refused(drafted({**DRAFT, "schema": True}))


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("drafts/" + "0" * 64 + ".json", b"{}", "is not what it is named"),
        ("drafts/note", b"", "is not what it is named"),
        ("drafts/" + "0" * 64 + ".sig", b"", "signs nothing"),
        ("parked/" + "0" * 64 + ".sig", b"", "signs nothing"),
        ("devices/lamp.1.pub.pem", b"", "is the key of nothing"),
    ],
)
def test_nothing_lies_among_drafts_that_is_none(name: str, raw: bytes, why: str) -> None:
    assert why in refused(forged(plain(ENTRY), beside={name: raw}))


def test_a_draft_that_no_entry_was_made_of_is_told_and_one_of_no_entry_refused() -> None:
    for entry_id, why in ((ID, ""), ("another", "is of no entry that is shown")):
        raw = plain({**DRAFT, "entry_id": entry_id})
        files = forged(plain(ENTRY), beside={f"drafts/{hashlib.sha256(raw).hexdigest()}.json": raw})
        assert why in refused(files)
        if not why:
            said = "1 drafts of which no entry shown says that it was made of them"
            assert said in list(verifier.verify_files(files))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_value_that_is_shown_is_written_in_one_encoding(encoding: str) -> None:
    assert "is not JSON" in refused(disclosed('["00","note","Ada"]'.encode(encoding)))


def test_a_terminal_that_lacks_a_letter_makes_no_bundle_false(tmp_path: Path) -> None:
    entries = chain(("m", 1, None), *(("m", n + 1, n - 1) for n in range(1, 25)))
    files = forged(*entries, hidden=range(22), beside=telling(25, 25, profile="\u65e5"))
    write_folder(files, tmp_path / "forged")
    command = [sys.executable, str(SCRIPTS / "verify.py"), str(tmp_path / "forged")]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_openssl_that_knows_no_such_key_calls_no_bundle_false(tmp_path: Path) -> None:
    write_folder(forged(plain(ENTRY)), tmp_path / "forged")
    old = tmp_path / "openssl"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    command = [sys.executable, "-ISs", str(SCRIPTS / "verify.py"), str(tmp_path / "forged")]
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "version 3" in done.stderr


@BY
def test_a_name_before_it_that_stands_in_the_body_is_none(script: str, tmp_path: Path) -> None:
    # The body comes first: a reader of the first `prev` would take it for the entry's own.
    following = {**ENTRY, "version": 2, "prev": "f" * 64, "body": {"prev": None}}
    folder = tmp_path / "forged"
    write_folder(forged(plain(ENTRY), plain(following)), folder)
    done = checked(script, folder)
    assert done.returncode == 1, done.stdout + done.stderr


@pytest.mark.gate
def test_no_terminal_obeys_the_name_of_a_log_that_bash_prints(tmp_path: Path) -> None:
    key = SigningKey("forger.example/\u009b2J\u202eKO", bytes(32))
    folder = tmp_path / "forged"
    write_folder(forged(plain(ENTRY), key=key), folder)
    done = checked("verify.sh", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "KO" in done.stdout
    assert done.stdout.isascii()
