"""Signed notes, proofs and policies: those of other programs are read, and ours equal theirs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.errors import BadNote, LedgerError, Unverified
from events.sealing import merkle
from events.sealing.notes import (
    MAX_NOTE_BYTES,
    Checkpoint,
    Kind,
    Note,
    Signature,
    SigningKey,
    VerifierKey,
    parse_checkpoint,
    parse_note,
    parse_signature_lines,
    parse_signing_key,
    parse_verifier_key,
)
from events.sealing.proofs import (
    MAX_PATH,
    EntryProof,
    Growth,
    parse_entry_proof,
    parse_growth,
)
from events.sealing.tree import Tree

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "seals" / "notes.json").read_text("utf-8")
)
"""Made once by another implementation of the same texts; the file names it."""

LOG = SigningKey(GOLDEN["origin"], bytes.fromhex(GOLDEN["log_seed"]))
WITNESS = SigningKey(
    GOLDEN["witness"], bytes.fromhex(GOLDEN["witness_seed"]), kind=Kind.COSIGNATURE
)
KEYS = [LOG.verifier, WITNESS.verifier]
LEAVES = [merkle.leaf_hash(f"entry {at}\n".encode()) for at in range(70)]
TREE = Tree(LEAVES)
CASES = {case["size"]: case for case in GOLDEN["cases"]}

PUBLISHED_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
PUBLISHED_NOTE = (
    "This is an example message.\n\n"
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXm"
    "RKuwHjG1Yu72IneyaQM=\n"
)


def checkpoint_of(size: int) -> Checkpoint:
    return Checkpoint(LOG.verifier.name, size, TREE.root(size))


def signed(size: int) -> Note:
    text = checkpoint_of(size).text
    return Note(text, (LOG.sign(text),))


# -- notes -----------------------------------------------------------------------------------------


def test_the_note_that_was_published_verifies() -> None:
    key = parse_verifier_key(PUBLISHED_KEY)
    assert str(key) == PUBLISHED_KEY
    note = parse_note(PUBLISHED_NOTE.encode())
    assert note.text == "This is an example message.\n"
    assert note.verified([key]) == [key]
    assert note.raw.decode() == PUBLISHED_NOTE


@pytest.mark.parametrize("size", CASES)
def test_a_checkpoint_is_signed_and_cosigned_byte_for_byte_as_elsewhere(size: int) -> None:
    text = checkpoint_of(size).text
    seconds = CASES[size]["seconds"]
    note = Note(text, (LOG.sign(text), WITNESS.cosign(text, seconds=seconds)))
    assert note.raw.decode() == CASES[size]["note"]
    read = parse_note(note.raw)
    assert read == note
    assert read.verified(KEYS) == KEYS
    assert parse_checkpoint(read.text) == checkpoint_of(size)
    assert read.signatures[1].seconds == seconds


def test_keys_are_spelled_as_elsewhere() -> None:
    assert str(LOG.verifier) == GOLDEN["log_vkey"]
    assert str(WITNESS.verifier) == GOLDEN["witness_vkey"]
    for key in KEYS:
        assert parse_verifier_key(str(key)) == key


def test_a_private_key_is_read_back_and_never_shown() -> None:
    again = parse_signing_key(WITNESS.secret)
    assert again.verifier == WITNESS.verifier
    assert again.cosign("a\n", seconds=1) == WITNESS.cosign("a\n", seconds=1)
    seed = GOLDEN["witness_seed"]
    assert seed not in repr(again)
    assert seed not in str(again.verifier)


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (WITNESS.secret[:-6] + "AAAAA=", "of a kind that is not known"),
        (WITNESS.secret[:-1], "is not base64"),
        (WITNESS.secret[:-4] + "AAAA", "its id does not fit"),
        (WITNESS.secret.removeprefix("PRIVATE+KEY+"), "begins with PRIVATE"),
        (WITNESS.secret.replace("+KEY+", "+KEY+a "), "is not NAME"),
    ],
)
def test_a_damaged_private_key_is_refused_and_not_shown(damaged: str, says: str) -> None:
    with pytest.raises(BadNote, match=says) as refusal:
        parse_signing_key(damaged)
    assert damaged.rsplit("+", 1)[1] not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PUBLISHED_KEY.replace("530d903a", "530d903b"), "its id is 530d903a"),
        (PUBLISHED_KEY.replace("example.com", "example.org"), "is damaged"),
        (PUBLISHED_KEY.replace("/", " "), "is not NAME"),
        ("example.com/foo", "is not NAME"),
        ("example.com/foo+530d903a", "is not NAME"),
        ("example.com/foo+530d903a+", "of a kind that is not known"),
        (PUBLISHED_KEY.replace("+Aek", "+/ek"), "of a kind that is not known"),
        ("example.com/foo+530d903a+AekyeRrm", "of a kind that is not known"),
    ],
)
def test_what_is_no_key_is_refused(text: str, says: str) -> None:
    with pytest.raises(BadNote, match=says):
        parse_verifier_key(text)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\n"])
def test_a_key_has_a_name_that_a_signature_line_can_hold(name: str) -> None:
    with pytest.raises(BadNote, match="cannot name a key"):
        SigningKey(name, bytes(32))


LATE = WITNESS.cosign(signed(13).text, seconds=2**63).raw


@pytest.mark.parametrize("raw", [b"1", bytes(8), LATE])
def test_a_cosignature_without_a_time_that_can_be_verifies_nothing(raw: bytes) -> None:
    key = WITNESS.verifier
    note = signed(13).with_signatures([Signature(key.name, key.key_id, raw)])
    with pytest.raises(Unverified):
        note.verified([key])


def test_a_cosignature_of_the_newer_kind_verifies_too() -> None:
    from cryptography.hazmat.primitives.asymmetric import mldsa

    private = mldsa.MLDSA44PrivateKey.from_seed_bytes(bytes(32))
    key = VerifierKey("witness.example/w2", Kind.ML_DSA_44, private.public_key().public_bytes_raw())
    checkpoint = checkpoint_of(13)
    counted = [bytes([len(one)]) + one.encode() for one in (key.name, checkpoint.origin)]
    seconds = (1767000000).to_bytes(8, "big")
    message = b"subtree/v1\n\0" + counted[0] + seconds + counted[1]
    message += bytes(8) + (13).to_bytes(8, "big") + checkpoint.root
    line = type(LOG.sign(""))(key.name, key.key_id, seconds + private.sign(message))
    note = signed(13).with_signatures([line])
    assert parse_verifier_key(str(key)) == key
    assert parse_note(note.raw).verified([key]) == [key]
    other = Note(checkpoint_of(33).text, note.signatures)
    with pytest.raises(Unverified):
        other.verified([key])


def test_openssl_accepts_the_signature(tmp_path: Path) -> None:
    note = signed(13)
    # SubjectPublicKeyInfo of Ed25519 is twelve fixed bytes and the key (RFC 8410).
    public = bytes.fromhex("302a300506032b6570032100") + LOG.verifier.public
    for name, raw in (
        ("key.der", public),
        ("text", note.text.encode()),
        ("sig", note.signatures[0].raw),
    ):
        (tmp_path / name).write_bytes(raw)
    command = "openssl pkeyutl -verify -pubin -inkey key.der -keyform DER -rawin -in text"
    done = subprocess.run(
        [*command.split(), "-sigfile", "sig"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_no_bit_of_a_note_can_be_turned_unseen() -> None:
    raw = signed(13).raw
    for at in range(len(raw) * 8):
        turned = bytearray(raw)
        turned[at // 8] ^= 1 << at % 8
        with pytest.raises(LedgerError):
            parse_note(bytes(turned)).verified([LOG.verifier])


def test_what_unknown_keys_signed_is_passed_over_and_a_false_signature_is_not() -> None:
    note = signed(13)
    stranger = SigningKey("stranger.example/x", bytes(32))
    with_stranger = note.with_signatures([stranger.sign("another text\n")])
    assert with_stranger.verified([LOG.verifier]) == [LOG.verifier]
    with pytest.raises(Unverified, match=r"stranger\.example"):
        with_stranger.verified([LOG.verifier, stranger.verifier])
    with pytest.raises(Unverified, match="no signature by"):
        note.verified([stranger.verifier])
    # The same name and another key: an unknown key.
    with pytest.raises(Unverified, match="no signature by"):
        note.verified([SigningKey(LOG.verifier.name, bytes(32)).verifier])


def test_a_note_takes_sixteen_signatures_and_each_line_once() -> None:
    note = signed(13)
    more = [WITNESS.cosign(note.text, seconds=at) for at in range(1, 16)]
    full = note.with_signatures(more)
    assert len(full.signatures) == 16
    assert parse_note(full.raw).verified(KEYS) == KEYS
    assert full.with_signatures(more) == full


BROKEN = {
    "no blank line": b"a\n1\n",
    "no signature": b"a\n\n",
    "no newline at the end": signed(1).raw[:-1],
    "a carriage return": signed(1).raw.replace(b"\n", b"\r\n"),
    "a hyphen for the dash": signed(1).raw.replace("—".encode(), b"-"),
    "not UTF-8": signed(1).raw.replace("—".encode(), b"\xe2\x80"),
    "base64 with a stray bit": b"a\n\n" + "— a.example AAAAAAAB\n— a.example AAAAAAA=B\n".encode(),
    "a signature of nothing": b"a\n\n" + "— a.example AAAAAA==\n".encode(),
    "too long": b"a" * MAX_NOTE_BYTES + b"\n\n" + "— a.example AAAAAAAA\n".encode(),
    "no dash": b"a\n\n" + b"a.example AAAAAAAA\n",
    "a name with a plus": b"a\n\n" + "— a+b AAAAAAAA\n".encode(),
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_what_is_no_note_is_refused(raw: bytes) -> None:
    with pytest.raises(BadNote):
        parse_note(raw)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\n",
        "a\n1\n",
        "a\n01\n" + "A" * 43 + "=\n",
        "a\n-1\n" + "A" * 43 + "=\n",
        "a\n1\n" + "A" * 42 + "B=\n",
        "a\n1\nAAAA\n",
        f"a\n{2**63}\n" + "A" * 43 + "=\n",
        "a\n1\n" + "A" * 43 + "=",
        "a\n1\n" + "A" * 43 + "=\nmore",
        "a\n1\n" + "A" * 43 + "=\n\nmore\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(BadNote):
        parse_checkpoint(text)


@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_note_or_are_refused(raw: bytes) -> None:
    for read in (parse_note, parse_entry_proof, parse_growth, parse_signature_lines):
        try:
            read(raw)
        except BadNote:
            continue


# -- proofs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", CASES)
def test_paths_are_those_of_others_and_prove_what_they_say(size: int) -> None:
    for index, path in CASES[size]["inclusion"].items():
        proof = EntryProof(int(index), tuple(map(bytes.fromhex, path)), signed(size))
        assert list(proof.path) == TREE.inclusion(int(index), size)
        read = parse_entry_proof(proof.raw)
        assert read == proof
        assert read.check(LEAVES[int(index)], KEYS) == checkpoint_of(size)
    for old, path in CASES[size]["consistency"].items():
        growth = Growth(int(old), tuple(map(bytes.fromhex, path)), signed(size))
        assert list(growth.path) == TREE.consistency(int(old), size)
        read_growth = parse_growth(growth.raw)
        assert read_growth == growth
        assert read_growth.check(checkpoint_of(int(old)), KEYS) == checkpoint_of(size)


def test_the_lines_of_a_proof_are_those_of_the_format() -> None:
    proof = EntryProof(3, tuple(TREE.inclusion(3, 7)), signed(7))
    lines = proof.raw.decode().split("\n")
    assert lines[:2] == ["c2sp.org/tlog-proof@v1", "index 3"]
    assert lines[5] == ""
    assert "\n".join(lines[6:]).encode() == signed(7).raw
    with_extra = proof.raw.replace(b"\nindex", b"\nextra AAAA\nindex", 1)
    assert parse_entry_proof(with_extra) == proof


@pytest.mark.parametrize("head", ["", "\nextra AAAA", "\nextra AA", "\n3", "\nindex 03"])
def test_a_proof_says_which_entry_it_is_of(head: str) -> None:
    raw = f"c2sp.org/tlog-proof@v1{head}\n\n".encode() + signed(7).raw
    with pytest.raises(BadNote):
        parse_entry_proof(raw)


def test_no_bit_of_a_proof_can_be_turned_unseen() -> None:
    raw = EntryProof(3, tuple(TREE.inclusion(3, 7)), signed(7)).raw
    for at in range(len(raw) * 8):
        turned = bytearray(raw)
        turned[at // 8] ^= 1 << at % 8
        with pytest.raises(LedgerError):
            parse_entry_proof(bytes(turned)).check(LEAVES[3], [LOG.verifier])


def test_another_history_is_no_growth_however_well_it_is_signed() -> None:
    other = Tree([*LEAVES[:5], merkle.leaf_hash(b"changed"), *LEAVES[6:]])
    text = Checkpoint(LOG.verifier.name, 70, other.root()).text
    note = Note(text, (LOG.sign(text),))
    for old in (6, 8, 69, 70):
        growth = Growth(old, tuple(other.consistency(old, 70)), note)
        with pytest.raises(Unverified, match="does not go on from"):
            growth.check(checkpoint_of(old), KEYS)
    # What lies before the change is the same, and says nothing about it.
    Growth(5, tuple(other.consistency(5, 70)), note).check(checkpoint_of(5), KEYS)


def test_a_shorter_log_another_origin_and_another_size_are_no_growth() -> None:
    with pytest.raises(Unverified):
        Growth(13, (), signed(7)).check(checkpoint_of(13), KEYS)
    elsewhere = checkpoint_of(7)._replace(origin="archive.example/logs/other")
    path = tuple(TREE.consistency(7, 13))
    with pytest.raises(Unverified, match="is of archive"):
        Growth(7, path, signed(13)).check(elsewhere, KEYS)
    with pytest.raises(Unverified, match="from 7 entries, not from 8"):
        Growth(7, path, signed(13)).check(checkpoint_of(8), KEYS)


def test_whoever_holds_nothing_takes_the_first_checkpoint_and_no_path() -> None:
    assert Growth(0, (), signed(13)).check(None, KEYS) == checkpoint_of(13)
    empty = Checkpoint(LOG.verifier.name, 0, TREE.root(0))
    assert Growth(0, (), signed(13)).check(empty, KEYS) == checkpoint_of(13)
    for growth in (
        Growth(7, tuple(TREE.consistency(7, 13)), signed(13)),
        Growth(7, (), signed(13)),
        Growth(0, (LEAVES[0],), signed(13)),
    ):
        for old in (None, empty):
            with pytest.raises(Unverified):
                growth.check(old, KEYS)


def test_a_path_is_no_longer_than_that_of_the_largest_tree() -> None:
    hashes = tuple(LEAVES[:1] * MAX_PATH)
    assert parse_growth(Growth(7, hashes, signed(13)).raw).path == hashes
    with pytest.raises(BadNote, match="at most"):
        parse_growth(Growth(7, (*hashes, LEAVES[0]), signed(13)).raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"7\n\n" + signed(13).raw,
        b"index 7\n\n" + signed(13).raw,
        b"old 07\n\n" + signed(13).raw,
        b"old 7\n" + signed(13).raw.replace(b"\n\n", b"\n"),
        "old 7\n—\n\n".encode() + signed(13).raw,
    ],
)
def test_what_is_no_proof_of_growth_is_refused(raw: bytes) -> None:
    with pytest.raises(BadNote):
        parse_growth(raw)
