"""Bundles: whatever is in one was in the signed log, and a stranger's tools say so."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.archive.archive import Archive
from api.evidence.bundle import BARE, FULL, MANIFEST, PUBLIC, Files, Wanted, with_manifest
from api.evidence.evidence import bundled
from api.evidence.files import write_folder, zipped
from api.evidence.scripts import verify as verifier
from api.evidence.tiles import check_public
from events.errors import BadInput, NoSuchStream, Unverified
from events.payloads.access import Role
from events.payloads.custody import PublicationReleased
from events.sealing.notes import Checkpoint, Note, SigningKey, parse_checkpoint, parse_note
from projections.views.ballots import BALLOTS
from tests.api.evidence.case_rig import LOG as CASE_LOG
from tests.api.evidence.case_rig import MATCH as CASE_MATCH
from tests.api.evidence.case_rig import rig
from tests.api.evidence.conftest import LOG, MATCH, is_verified, turned
from tests.projections.rules.federations import BIBA, FEDERATIONS

SCRIPTS = Path(verifier.__file__).parent


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    # No more of the machine than a stranger's would have: no environment of ours.
    clean = {"PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [*command, str(folder)], capture_output=True, text=True, check=False, env=clean
    )


def entries_of(files: Files) -> Iterator[dict[str, object]]:
    for name, raw in files.items():
        if name.startswith("entries/"):
            yield json.loads(raw)


# -- what is in it ---------------------------------------------------------------------------------


def test_it_holds_the_match_and_what_the_match_stands_on(archive: Archive, files: Files) -> None:
    tags = [entry["tag"] for entry in entries_of(files)]
    assert tags.count("match.opened") == 1
    assert {"tournament.opened", "game.started", "dice.rolled"} <= set(tags)
    assert "access.granted" not in tags
    sealed = {row.global_position: row.sealed for row in archive.store.read_stream(LOG, MATCH)}
    for at, raw in sealed.items():
        assert files[f"entries/{at}.json"] == raw


def test_it_says_what_it_is(archive: Archive, files: Files) -> None:
    told = json.loads(files["bundle.json"])
    assert (told["log"], told["stream"], told["profile"]) == (LOG, MATCH, "full")
    assert (told["first"], told["last"], told["size"]) == (1, 4, archive.store.log_head(LOG).size)
    checkpoint = parse_checkpoint(parse_note(files["checkpoint"]).text)
    assert checkpoint.root == archive.store.log_head(LOG).root
    assert files["log.vkey"].decode().strip() in files["policy"].decode()


def test_the_same_state_gives_the_same_bytes(files: Files, bundle_of: Callable[..., Files]) -> None:
    assert bundle_of() == files
    assert zipped(bundle_of(), folder="m1") == zipped(files, folder="m1")


@pytest.mark.parametrize(
    ("profile", "shown"),
    [("full", {"Ada Lantern", "Ben Candle", "3"}), ("public", {"Ada Lantern", "Ben Candle"}),
     ("bare", set())],
)  # fmt: skip
def test_a_profile_shows_what_it_says_and_hides_the_rest(
    bundle_of: Callable[..., Files], profile: str, shown: set[str]
) -> None:
    files = bundle_of(profile)
    values = {
        json.loads(raw)[2]
        for name, raw in files.items()
        if name.startswith("disclosures/") and json.loads(raw)[1] != "context"
    }
    assert values == shown
    assert is_verified(files)
    everything = b"".join(files.values())
    for name in {"Ada Lantern", "Ben Candle"} - shown:
        assert name.encode() not in everything
        assert hashlib.sha256(name.encode()).hexdigest().encode() not in everything


def test_a_name_may_be_shown_later_and_is_the_one_committed_to(
    files: Files, bundle_of: Callable[..., Files]
) -> None:
    bare = bundle_of("bare")
    [shown] = [one for one in files if b"Ada Lantern" in files[one]]
    assert is_verified({**bare, shown: files[shown]})
    other = files[shown].replace(b"Ada", b"Eve")
    assert not is_verified({**bare, shown: other})
    renamed = f"disclosures/{hashlib.sha256(other).hexdigest()}.json"
    assert not is_verified({**bare, renamed: other})


def test_a_zip_file_tells_no_date_no_user_and_no_order_of_making(files: Files) -> None:
    with zipfile.ZipFile(io.BytesIO(zipped(files, folder="m1"))) as archive:
        infos = archive.infolist()
    assert [one.filename for one in infos] == sorted(f"m1/{name}" for name in files)
    assert {(one.date_time, one.extra, one.comment) for one in infos} == {
        ((1980, 1, 1, 0, 0, 0), b"", b"")
    }


def test_no_file_is_written_over(files: Files, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="is there already"):
        write_folder(files, tmp_path / "there")
    assert (tmp_path / "there" / "notes.txt").read_text() == "mine"


def test_what_is_not_there_is_no_bundle(archive: Archive) -> None:
    with pytest.raises(NoSuchStream):
        bundled(archive, Wanted(LOG, "nobody"))
    with pytest.raises(Unverified, match="never had 99"):
        bundled(archive, Wanted(LOG, MATCH, since=99))


# -- checked by others -----------------------------------------------------------------------------


def test_bash_and_openssl_verify_it(folder: Path) -> None:
    done = run(folder, "bash", str(folder / "verify.sh"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("OK: 5 entries shown")


@pytest.mark.parametrize("option", ["-S", "-I"])
def test_bare_python_verifies_it(folder: Path, option: str) -> None:
    # -S: without site-packages, so that openssl has to check the signature.
    done = run(folder, sys.executable, option, str(folder / "verify.py"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "OK"


def test_the_folder_and_the_zip_file_are_the_same_to_it(
    folder: Path, files: Files, tmp_path: Path
) -> None:
    packed = tmp_path / "m1.zip"
    packed.write_bytes(zipped(files, folder="m1"))
    assert list(verifier.verify(str(packed))) == list(verifier.verify(str(folder)))


def test_a_zip_file_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    place = tmp_path / "giant.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("m1/README", b"what says that it unpacks to two gigabytes")
        archive.filelist[0].file_size = 2 << 30
    with pytest.raises(verifier.Fails, match="no bundle is packed so tightly"):
        list(verifier.verify(str(place)))


def test_what_is_no_bundle_is_told_from_a_false_one(tmp_path: Path) -> None:
    text = tmp_path / "note.txt"
    text.write_text("no bundle")
    assert run(text, sys.executable, str(SCRIPTS / "verify.py")).returncode == 2
    assert run(tmp_path / "absent", sys.executable, str(SCRIPTS / "verify.py")).returncode == 2
    assert run(tmp_path, sys.executable, str(SCRIPTS / "verify.py")).returncode == 1
    os.mkfifo(tmp_path / "pipe")
    for endless in (tmp_path / "pipe", Path("/dev/zero")):
        assert run(endless, sys.executable, str(SCRIPTS / "verify.py")).returncode == 2


def test_a_checkpoint_without_an_end_is_none(files: Files) -> None:
    with pytest.raises(verifier.Fails, match="longer than any is"):
        list(verifier.verify_files(files, "/dev/zero"))


def test_a_checkpoint_that_was_kept_is_shown_to_be_a_beginning(
    archive: Archive, files: Files, bundle_of: Callable[..., Files], tmp_path: Path
) -> None:
    old = tmp_path / "checkpoint"
    old.write_bytes(files["checkpoint"])
    size = parse_checkpoint(parse_note(files["checkpoint"]).text).size
    for _ in range(5):
        archive.grant(Role.VIEWER, log_id=LOG)
    later = bundle_of(since=size)
    assert is_verified(later, old)
    assert not is_verified(bundle_of(), old)
    assert is_verified(bundle_of())
    told = list(verifier.verify_files(later, str(old)))
    assert f"the log has only grown since your checkpoint of {size} entries" in told


def test_a_checkpoint_that_was_kept_outlives_the_key_that_signed_it(
    archive: Archive, files: Files, bundle_of: Callable[..., Files], tmp_path: Path
) -> None:
    old = tmp_path / "checkpoint"
    old.write_bytes(files["checkpoint"])
    size = parse_checkpoint(parse_note(files["checkpoint"]).text).size
    before = files["log.vkey"].decode().strip()
    archive.rotate_key(LOG)
    assert is_verified(bundle_of(since=size), old), "both keys sign"
    assert archive.signing is not None
    archive.signing.keyring.retire(LOG)
    archive.grant(Role.VIEWER, log_id=LOG)
    told = list(verifier.verify_files(bundle_of(since=size), str(old)))
    assert f"  which an earlier key of the log has signed: {before}" in told
    # Another log's checkpoint of the same name, and a false one, are refused as before.
    stranger = SigningKey(parse_checkpoint(parse_note(old.read_bytes()).text).origin, bytes(32))
    text = parse_note(old.read_bytes()).text
    old.write_bytes(Note(text, (stranger.sign(text),)).raw)
    assert not is_verified(bundle_of(since=size), old)


def test_a_checkpoint_of_an_empty_log_is_its_beginning_and_a_newer_one_is_told_as_newer(
    archive: Archive, files: Files, bundle_of: Callable[..., Files], tmp_path: Path
) -> None:
    old = tmp_path / "checkpoint"
    assert archive.signing is not None
    (key,) = archive.signing.keyring.signers(LOG)
    for root, is_empty in ((hashlib.sha256(b"").digest(), True), (bytes(32), False)):
        text = Checkpoint(key.verifier.name, 0, root).text
        old.write_bytes(Note(text, (key.sign(text),)).raw)
        assert is_verified(files, old) is is_empty
    archive.grant(Role.VIEWER, log_id=LOG)
    old.write_bytes(bundle_of()["checkpoint"])
    with pytest.raises(verifier.Fails, match="it is no older"):
        list(verifier.verify_files(files, str(old)))


# -- whatever is changed ---------------------------------------------------------------------------


def resigned(files: Files) -> Files:
    """The bundle with a manifest that fits again."""
    return with_manifest({name: raw for name, raw in files.items() if name != MANIFEST})


def test_taking_away_and_putting_in_is_seen_even_with_a_new_manifest(files: Files) -> None:
    entries = [name for name in files if name.startswith("entries/")]
    for name in entries:
        at = name.split("/")[1].removesuffix(".json")
        without = {one: raw for one, raw in files.items() if one != name}
        assert not is_verified(resigned(without))
        del without[f"proofs/{at}.tlog-proof"]
        assert not is_verified(resigned(without)), name
    extra = {**files, "entries/99.json": files[entries[0]]}
    assert not is_verified(resigned(extra))


def test_no_bit_of_an_entry_a_proof_or_the_checkpoint_turns_with_a_new_manifest(
    files: Files,
) -> None:
    chance = random.Random(7)
    names = [one for one in files if one.split("/")[0] in ("entries", "withheld", "checkpoint")]
    names += [one for one in files if one.startswith(("proofs/", "log.", "disclosures/"))]
    for name in names:
        for at in chance.sample(range(len(files[name]) * 8), 12):
            assert not is_verified(resigned({**files, name: turned(files[name], at)})), (name, at)


@pytest.mark.parametrize(
    "share",
    [
        pytest.param(40),
        pytest.param(8, marks=pytest.mark.gate),
        pytest.param(1, marks=[pytest.mark.gate, pytest.mark.long]),
    ],
)
def test_no_bit_of_any_file_turns_unseen(files: Files, share: int) -> None:
    chance = random.Random(11)
    for name, raw in files.items():
        every = range(len(raw) * 8)
        bits = every if len(raw) <= 4_096 else chance.sample(every, 2_000)
        for at in bits[::share]:
            assert not is_verified({**files, name: turned(raw, at)}), (name, at)


@pytest.mark.gate
def test_no_bit_turns_unseen_by_bash(folder: Path) -> None:
    # The script is run from outside: one that was changed could say anything of itself.
    script = folder.parent / "verify.sh"
    shutil.copy(SCRIPTS / "verify.sh", script)
    chance = random.Random(13)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        raw = path.read_bytes()
        last = len(raw) * 8 - 1
        # Of larger bundles `test_flips.py` turns bits of every kind of file.
        for bit in {0, last, chance.randrange(last), chance.randrange(last)}:
            path.write_bytes(turned(raw, bit))
            done = run(folder, "bash", str(script))
            assert done.returncode != 0, (path, bit, done.stdout)
        path.write_bytes(raw)
    assert run(folder, "bash", str(script)).returncode == 0


def test_the_scripts_are_those_of_the_program(files: Files) -> None:
    for name in ("README", "verify.py", "verify.sh"):
        assert files[name] == (SCRIPTS / name).read_bytes()


def test_whose_key_it_was_is_said_first(files: Files) -> None:
    # Only who knows the true key can know that this one is false.
    told = list(verifier.verify_files(files))
    assert files["log.vkey"].decode().strip() in told[0]
    assert "compare this with the key that was published" in told[1]


# -- ballots ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", [PUBLIC, BARE])
@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_only_a_full_bundle_shows_what_single_ballots_said(
    tmp_path: Path, rule_set: str, profile: str
) -> None:
    made = rig(tmp_path / "rig", rule_set, until=None)
    rows = made.archive.store.read_stream(CASE_LOG, CASE_MATCH)
    cast = [row for row in rows if row.tag in BALLOTS]
    assert len(cast) >= 3
    hidden = {f"entries/{row.global_position}.json" for row in cast}
    full = bundled(made.archive, Wanted(CASE_LOG, CASE_MATCH, FULL))
    assert hidden <= set(full)
    files = bundled(made.archive, Wanted(CASE_LOG, CASE_MATCH, profile))
    assert not hidden & set(files)
    assert not [name for name, raw in files.items() if name[-4:] == "json" and b'"vote"' in raw]
    told = json.loads(files["bundle.json"])
    assert told["cut"] == {"why": ["ballots"], "withheld": [row.version for row in cast]}
    said = list(verifier.verify_files(files))
    versions = ", ".join(str(row.version) for row in cast)
    assert f"versions not shown, as bundle.json says: {versions}" in said
    assert not [line for line in said if "it ends with" in line]
    # Nor do tiles with the entries, which cannot leave one out.
    made.archive.append(CASE_LOG, CASE_MATCH, [made.archive.draft(PublicationReleased())])
    with pytest.raises(BadInput, match="ballots"):
        check_public(made.archive, CASE_LOG)
    made.archive.close()


@pytest.mark.parametrize(
    ("rule_set", "profile"),
    [
        # A second and a half each, nearly all of it OpenSSL's starts.
        pytest.param(rule_set, profile, marks=[pytest.mark.gate] * (rule_set != BIBA))
        for rule_set in FEDERATIONS
        for profile in (PUBLIC, BARE)
    ],
)
def test_bash_verifies_a_bundle_without_its_ballots(
    tmp_path: Path, rule_set: str, profile: str
) -> None:
    made = rig(tmp_path / "rig", rule_set, until=None)
    write_folder(bundled(made.archive, Wanted(CASE_LOG, CASE_MATCH, profile)), tmp_path / "bundle")
    made.archive.close()
    done = run(tmp_path / "bundle", "bash", str(tmp_path / "bundle" / "verify.sh"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "OK" in done.stdout.splitlines()[-1]
